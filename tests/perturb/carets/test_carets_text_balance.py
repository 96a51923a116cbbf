"""``balance=text``: no text gives its answer away, in any test, form or list of choices; ``balance=paper`` stays."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import sha256

import pytest
from carets_scenes import TEXT_TESTS, Scenes, synthetic

from askew.perturb.carets import PairSettings, fit, generate
from askew.perturb.carets.balance import PAPER, Entry, PairCount, kept
from askew.types import Expect, Group, Refusal, Scene, Thing, Variant
from askew.world.scenes import make_scene
from carets_evaluator import answer

BOX = (0, 0, 90, 90)


def items(scenes, tests=TEXT_TESTS, **options):
    change = options.pop("change_image", None)
    return list(generate(Scenes(scenes), 0, tests, PairSettings(**options), change))


def groups(scenes, tests=TEXT_TESTS, **options):
    return [item for item in items(scenes, tests, **options) if isinstance(item, Group)]


def keep_image(question, boxes, rng):
    yield Variant(question, Expect.SAME, "VISUAL-INV", "visual/none", {"kept": boxes})


def scene_of(group):
    return group.id.rsplit(f"-{group.variants[0].test}-", 1)[0]


@pytest.fixture(scope="module")
def made():
    scenes = [make_scene(3, index) for index in range(60)]
    return groups(scenes, (*TEXT_TESTS, "VISUAL-INV"), change_image=keep_image), {each.id: each for each in scenes}


def test_every_text_has_each_answer_equally_often_in_different_scenes(made):
    answers, scenes = defaultdict(Counter), defaultdict(list)
    for group in made[0]:
        for side, question in (("original", group.original), ("variant", group.variants[0].question)):
            if group.variants[0].note["balanced"] == "text":
                key = (group.variants[0].test, side, question.text)
                answers[key][question.answers[0]] += 1
                scenes[key].append(scene_of(group))
    assert len(answers) > 800
    for key, counts in answers.items():
        options = {"yes", "no"} if {"yes", "no"} & {*counts} else {*counts}
        assert {*counts} == options, key
        assert len({*counts.values()}) == 1, key
        assert len(counts) > 1, key
        assert len({*scenes[key]}) == len(scenes[key]), key
    tests = {test for test, side, text in answers}
    assert tests == {*TEXT_TESTS, "VISUAL-INV"}


def test_every_choice_of_a_list_is_correct_equally_often(made):
    places, formats = defaultdict(Counter), Counter()
    for group in made[0]:
        note = group.variants[0].note
        if note["format"] != "binary":
            options = note["arguments"]["options"]
            places[tuple(sorted(options))][group.original.answers[0]] += 1
            formats[note["format"]] += 1
    for options, counts in places.items():
        assert len({*counts.values()}) == 1, counts
        assert {*counts} == {*options}
    assert 0.8 < formats["2-choice"] / formats["3-choice"] < 1.25


def test_every_form_and_direction_has_as_many_yes_as_no(made):
    cells = defaultdict(Counter)
    for group in made[0]:
        note = group.variants[0].note
        if note["format"] == "binary" and note["balanced"] == "text":
            form = "related" in note["arguments"], " " in note["arguments"]["object"], note.get("direction")
            cells[group.variants[0].test, note["type"], form][group.original.answers[0]] += 1
    assert len(cells) > 20
    for cell, counts in cells.items():
        assert counts["yes"] == counts["no"], (cell, counts)


def test_by_default_no_answer_no_is_doubtful(made):
    noes = [group for group in made[0] if group.original.answers == ("no",)]
    doubts = [group.variants[0].note["doubtful"] for group in noes if group.variants[0].test != "ANTONYM-DIR"]
    assert len(doubts) > 400
    assert not any(doubts)


def test_the_evaluator_agrees_with_every_matched_question(made):
    found, scenes = made
    assert len(found) > 1500
    for group in found:
        for question in (group.original, group.variants[0].question):
            said = answer(question.text, question.kind.question_type, scenes[scene_of(group)])
            assert (said,) == question.answers, (group.id, question.text)


def test_unmatched_questions_are_counted_as_refused():
    scenes = [Scene("1", (Thing("a", "dog", ("wet",), BOX),)), Scene("2", (Thing("a", "street", ("dry",), BOX),))]
    asked = items(scenes, ("ANTONYM-DIR",))  # matched by the word alone
    assert {group.variants[0].note["balanced"] for group in asked} == {"word"}
    assert {group.original.answers[0] for group in asked} == {"yes", "no"}
    alone = items(scenes[:1], ("ANTONYM-DIR", "ORDER-INV"))
    assert all(isinstance(item, Refusal) for item in alone)
    assert Counter(item.test for item in alone) == {"ANTONYM-DIR": 1, "ORDER-INV": 1}
    assert {item.reason for item in alone} == {
        "no other scene has its description with another value (balance=paper asks it all the same)"
    }


def test_the_selection_of_the_paper_is_unchanged():
    """A pool of 4,000 entries, and the selection made from it before ``balance=text`` became the default."""
    pool = []
    for place in range(4000):
        test = TEXT_TESTS[place % 5]
        binary = place % 3 > 0 or test not in ("REPHRASE-INV", "ORDER-INV")
        said = ("yes", "no", "yes")[place % 7 % 3] if binary else f"value {place % 11 % 5}"
        chance = (place * 7919 % 4001 + 1) / 4002
        pool.append(Entry(test, 0 if binary else 2, f"category {place % 13 % 6}", said, chance))
    digests = [sha256(kept(pool, size)).hexdigest()[:16] for size in (None, 100)]
    assert digests == ["d237c94148d2835f", "58a2a9a7c8e54795"]


def test_the_paper_s_selection_has_as_many_questions_with_two_choices_as_with_three_if_it_can():
    pool = []
    for place in range(400):
        pool.append(Entry("ORDER-INV", 3 if place % 4 == 0 else 2, "color", f"value {place % 5}", (place + 1) / 401))
    for size, counts in ((None, (100, 100)), (80, (40, 40)), ({"ORDER-INV": PairCount(0, 300)}, (200, 100))):
        flags = kept(pool, size)
        threes = sum(flags[0::4])
        assert (sum(flags) - threes, threes) == counts


def test_the_paper_s_sizes():
    assert PAPER["VISUAL-INV"] == PairCount(18_000, 8_272)
    assert sum(each.total for each in PAPER.values()) == 89_048  # Table 6, all rows
    assert PairSettings(size="paper").per_test(()) == PAPER


def test_a_no_is_doubtful_unless_the_scene_has_a_usual_companion_of_the_absent_object():
    named = {"s": ("giraffe", "zebra"), "t": ("bus", "stop sign"), "p": ("giraffe", "tower")}
    scenes = [
        Scene(f"{key}{n}", tuple(Thing(x, x, (), BOX) for x in names)) for key, names in named.items() for n in range(6)
    ]
    model = fit(scenes)
    assert model.doubtful("zebra", {"bus", "stop sign"})
    assert not model.doubtful("zebra", {"giraffe", "tower"})
    rare = fit(scenes[::6])  # three scenes: nothing has a usual companion, so what counts is how much a scene names
    assert rare.doubtful("zebra", {"giraffe", "tower"})
    assert not rare.doubtful("zebra", {"giraffe", "tower", "bus", "car", "tree", "sky"})
    for noes, doubts in (("all", {True, False}), ("sure", {False})):
        for balance in ("text", "paper"):
            found = groups(scenes, ("NEGATION-DIR",), balance=balance, noes=noes)
            notes = [group.variants[0].note for group in found if group.original.answers == ("no",)]
            assert {note["doubtful"] for note in notes} == doubts, (noes, balance)


def test_visual_keeps_the_boxes_of_all_things_that_a_question_names(made):
    """Once only the target of a multiple-choice question was kept: the horse near the building, not the building."""
    found, scenes = made
    related = Counter()
    more = groups([*scenes.values()][:20], ("VISUAL-INV",), balance="paper", change_image=keep_image)
    for group in [*found, *more]:
        note = group.variants[0].note
        if group.variants[0].test != "VISUAL-INV" or "related" not in note["arguments"]:
            continue
        named = [thing for thing in scenes[scene_of(group)].things if note["arguments"]["related"].endswith(thing.name)]
        assert any(list(thing.box) in note["boxes"] for thing in named), group.original.text
        present = group.original.answers != ("no",)
        assert len(note["boxes"]) == 1 + present
        related[note["type"]] += 1
    assert {*related} >= {"Q1", "Q5", "Q6"}


def test_synthetic_scenes_are_balanced_too():
    scenes = synthetic(60)
    answers = defaultdict(Counter)
    for group in groups(scenes, size=100):
        if group.variants[0].note["balanced"] == "text":
            answers[group.variants[0].test, group.original.text][group.original.answers[0]] += 1
    assert len(answers) > 100
    assert all(len({*counts.values()}) == 1 and len(counts) > 1 for counts in answers.values())
