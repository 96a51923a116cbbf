"""CARETS' pairs: correct by an independent evaluator, balanced, and the same in any order."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from carets_scenes import TEXT_TESTS, Scenes, synthetic

from askew.data.scene_graphs import SceneFile
from askew.engine.executors import LocalExecutor
from askew.errors import BadOption
from askew.perturb.carets import TESTS, CaretsGenerator, PairSettings, fit, generate, generator, training
from askew.perturb.carets.arguments import Noun, QuestionArguments, templates
from askew.perturb.carets.balance import CAPS, Entry, kept
from askew.perturb.carets.ontology import absent, may_be, number, wider
from askew.perturb.carets.plausibility import Counts
from askew.perturb.carets.question_pairs import QuestionPair, templates_of
from askew.suites.carets import write_release
from askew.types import Expect, Group, Refusal, Scene, Thing, Variant
from askew.world.scenes import make_scene
from carets_evaluator import answer


def pairs(scenes, seed=0, tests=TEXT_TESTS, size=None, balance="text", **options):
    settings = PairSettings(balance, size=size)
    return [item for item in generate(Scenes(scenes), seed, tests, settings, **options) if isinstance(item, Group)]


@pytest.fixture(scope="module")
def world():
    return [make_scene(0, index) for index in range(40)]


@pytest.fixture(scope="module")
def made(world):
    return pairs(world)


def disagreements(scenes, groups):
    by_id = {scene.id: scene for scene in scenes}
    for group in groups:
        scene = next(by_id[group.id.removesuffix(f"-{test}-{group.id.rpartition('-')[2]}")]
                     for test in TESTS if f"-{test}-" in group.id)  # fmt: skip
        for question in (group.original, group.variants[0].question):
            found = answer(question.text, question.kind.question_type, scene)
            if (found,) != question.answers:
                yield question.text, question.answers, found


def test_the_evaluator_agrees_with_every_label_of_the_world(world, made):
    assert len(made) > 600
    assert list(disagreements(world, made)) == []


def test_the_evaluator_agrees_with_every_label_of_made_up_gqa_scenes():
    scenes = synthetic(60)
    assert list(disagreements(scenes, pairs(scenes, size=120))) == []


def test_the_evaluator_agrees_with_every_label_of_real_gqa_scenes(real_data):
    graphs = real_data("gqa_dev/sceneGraphs.json")
    scenes = [question.scene for question in SceneFile(str(graphs)).questions()]
    groups = pairs(scenes)
    assert groups
    assert list(disagreements(scenes, groups)) == []


def test_the_evaluator_notices_a_wrong_label(world, made):
    wrong = [group for group in made if group.variants[0].test == "NEGATION-DIR"][:20]
    by_id = {scene.id: scene for scene in world}
    for group in wrong:
        scene = by_id[group.id.split("-NEGATION")[0]]
        text, kind = group.variants[0].question.text, group.original.kind.question_type
        assert answer(text, kind, scene) != group.original.answers[0]


@pytest.mark.parametrize("test", TEXT_TESTS)
def test_yes_and_no_are_equally_frequent(made, test):
    """Exactly, among each test's originals; also among the variants of tests that flip the answer."""
    binary = [g for g in made if g.variants[0].test == test and g.original.kind.answer_type == "yes/no"]
    for answers in ([g.original.answers[0] for g in binary], [g.variants[0].question.answers[0] for g in binary]):
        counts = Counter(answers)
        assert counts["yes"] == counts["no"] > 20, counts


def test_no_choice_dominates_the_answers(made):
    """No answer makes up over 15 % of the multi-choice questions, nor is the first choice correct in over 60 %."""
    chosen = [g for g in made if g.original.kind.answer_type == "other"]
    counts = Counter(g.original.answers[0] for g in chosen)
    assert max(counts.values()) < 0.15 * len(chosen)
    first = sum(g.variants[0].note["arguments"]["options"][0] == g.original.answers[0] for g in chosen)
    assert 0.25 < first / len(chosen) < 0.6


def opposites(groups):
    """The number of yes and no questions for each pair of opposites."""
    found = {"yes": Counter(), "no": Counter()}
    for group in groups:
        if group.variants[0].test == "ANTONYM-DIR":
            pair = "/".join(sorted(group.variants[0].note["changed"].split(" → ")))
            found[group.original.answers[0]][pair] += 1
    return found


def test_no_pair_of_opposites_exceeds_its_cap(made):
    """A tenth of each answer's questions, or twice the even share if there are fewer than twenty pairs of words."""
    for counts in opposites(made).values():
        assert len(counts) >= 8
        assert max(counts.values()) <= math.ceil(max(CAPS["ANTONYM-DIR"], 2 / len(counts)) * counts.total())


def test_the_cap_holds_where_scenes_have_little_but_black_and_white():
    """The released antonyms are 56 % black and white; here nine scenes in ten say nothing else."""
    box = (0, 0, 90, 90)
    rare = ("wet", "dry", "clean", "dirty", "large", "small", "long", "short", "open", "closed", "new", "old", "soft")
    scenes = [Scene(f"c{n}", (Thing("a", "car", ("black" if n % 2 else "white",), box),)) for n in range(180)]
    scenes += [Scene(f"r{n}", (Thing("a", "towel", (rare[n % 13],), box),)) for n in range(26)]
    for size, balance in ((None, "text"), (None, "paper"), (30, "text"), (30, "paper")):
        for counts in opposites(pairs(scenes, tests=("ANTONYM-DIR",), size=size, balance=balance)).values():
            assert len(counts) > 4
            assert counts["black/white"] <= math.ceil(max(0.1, 2 / len(counts)) * counts.total())


def test_any_number_of_workers_gives_the_same_pairs_in_the_same_order(world, monkeypatch):
    monkeypatch.setattr(generator, "TEXT_CHUNK", 2)
    with LocalExecutor(2) as workers:
        assert pairs(world[:9], executor=workers) == pairs(world[:9])


def test_the_data_is_read_once(world):
    class Counted(Scenes):
        readings = 0

        def questions(self):
            self.readings += 1
            return super().questions()

    data = Counted(world[:5])
    assert list(generate(data, 0, ("ORDER-INV",)))
    assert data.readings == 1


def test_counts_of_parts_add_up_to_the_counts_of_the_whole(world):
    joined = Counts.of(world[30:])
    for part in (world[:7], [], world[7:30]):
        joined.join(Counts.of(part))
    assert joined.fitted() == fit(world)


def test_all_pairs_of_different_templates_are_chosen_equally_often():
    asked = QuestionArguments("Q1", (Noun("cup"),), "yes")
    ways = asked.ways()
    count = len(ways) * (len(ways) - 1)
    pair = QuestionPair(asked, asked, "template", "Q1")
    chosen = Counter(templates_of("REPHRASE-INV", pair, (each + 0.5) / count) for each in range(count))
    assert set(chosen.values()) == {1}
    assert len(chosen) == count
    assert all(one is not other for one, other in chosen)
    once = {templates_of("NEGATION-DIR", pair, (each + 0.5) / len(ways)) for each in range(len(ways))}
    assert once == {(way, way.negation) for way in ways}


def test_the_cap_of_each_answer_follows_from_its_own_number_of_opposites():
    """Yes: 10 pairs of words, 10 of each. No: 20 pairs, 81 of one. Once the cap of yes, a fifth, held for no as well.

    By hand: of 100 no, a tenth is 10, so 10 + 19 = 29 can be kept; of 29, 3 + 19 = 22; of 22, 3 + 19 = 22.
    """
    yes, no = [str(place % 10) for place in range(100)], ["0"] * 81 + [str(place) for place in range(1, 20)]
    flags = kept(
        [
            Entry("ANTONYM-DIR", 0, word, answer_, (place + 1) / 101)
            for answer_, words in (("yes", yes), ("no", no))
            for place, word in enumerate(words)
        ]
    )
    assert sum(flags[:100]) == sum(flags[100:]) == 22
    assert sum(flags[100:181]) == 3


def test_absence_of_mammals_is_never_claimed_beside_a_person():
    """People are mammals to those who take it strictly; a ball is a toy to some and sports equipment to others."""
    assert not absent("mammal", ["woman"], may_be("woman"))
    assert absent("animal", ["woman"], may_be("woman"))
    assert not absent("sports equipment", ["ball"], may_be("ball"))
    assert "sports equipment" not in wider("ball")
    assert "sports equipment" in wider("soccer ball")


def test_the_requested_size_is_reached_where_the_scenes_allow_it(world):
    counts = Counter(group.variants[0].test for group in pairs(world, size=60))
    assert counts == dict.fromkeys(TEXT_TESTS, 60)


def test_each_test_changes_what_its_name_says(made):
    for group in made:
        (variant,) = group.variants
        one, two = group.original, variant.question
        assert one.text != two.text
        numbers = variant.note["template"]
        if variant.test.endswith("-DIR"):
            assert variant.expect is Expect.DIFFERENT
            assert {one.answers[0], two.answers[0]} == {"yes", "no"}
        else:
            assert variant.expect is Expect.SAME
            assert one.answers == two.answers
        assert (numbers[0] == numbers[1]) == (variant.test != "REPHRASE-INV")
        if variant.test == "ORDER-INV":
            assert bag(one.text) == bag(two.text)


def bag(text):
    """The words of a question in any order; the verb goes with whichever object comes first."""
    return Counter(re.sub(r"\bare\b", "is", re.sub("[,?]", "", text.lower())).split())


def test_notes_say_what_tables_are_broken_down_by(made):
    for group in made:
        note = group.variants[0].note
        json.dumps(note)
        assert note["format"] in ("binary", "2-choice", "3-choice")
        assert ("logic" in note) == (note["type"] in ("Q2", "Q3"))
        assert ("direction" in note) == (group.variants[0].test == "ONTOLOGICAL-INV")
        if group.original.answers == ("no",) and note["type"] == "Q1":
            assert len(note["boxes"]) == ("related" in note["arguments"])


def test_the_order_of_the_scenes_changes_nothing(world, made):
    shuffled = list(world)
    Random(3).shuffle(shuffled)
    assert {g.id: g for g in pairs(shuffled)} == {g.id: g for g in made}


def test_ids_are_unique_and_another_seed_gives_other_pairs(world, made):
    assert len({group.id for group in made}) == len(made)
    assert {g.original.text for g in pairs(world[:5], seed=1)} != {g.original.text for g in pairs(world[:5], seed=0)}


def test_present_things_and_their_parts_are_never_asked_about_as_absent():
    street = Scene("1", (Thing("a", "car", (), (0, 0, 90, 90)), Thing("b", "man", (), (0, 0, 90, 90))))
    other = Scene("2", tuple(
        Thing(str(place), name, (), (0, 0, 90, 90))
        for place, name in enumerate(["car", "vehicle", "tire", "truck", "shirt", "person", "hand", "giraffe"])
    ))  # fmt: skip
    maker = CaretsGenerator(fit([street, other]), ("NEGATION-DIR",), draws=60)
    denied = {
        item.variants[0].note["arguments"]["object"]
        for item in maker.pairs(street, None, 0)
        if isinstance(item, Group) and item.variants[0].note["type"] == "Q1" and item.original.answers == ("no",)
    }
    assert denied == {"giraffe"}


def test_attributes_that_a_name_implies_are_not_asked_about():
    """Is the orange orange or blue?"""
    box = (0, 0, 90, 90)
    fruit = Scene("1", (Thing("a", "orange", ("orange",), box), Thing("b", "cup", ("orange",), box)))
    other = Scene("2", (Thing("a", "orange", ("green",), box), Thing("b", "fork", ("blue",), box)))
    maker = CaretsGenerator(fit([fruit, other]), ("ORDER-INV",), draws=100)
    made = [item for each in (fruit, other) for item in maker.pairs(each, None, 0) if isinstance(item, Group)]
    asked = [group.variants[0].note["arguments"] for group in made if group.original.kind.question_type == "Q6"]
    assert {each["object"] for each in asked if "orange" in each["options"]} == {"cup", "fork"}
    assert {each["object"] for each in asked} == {"cup", "fork", "orange"}


def test_small_things_are_not_asked_about():
    scene = Scene("1", (Thing("a", "cup", ("red",), (0, 0, 31, 90)), Thing("b", "dog", ("wet",), (0, 0, 90, 90))))
    texts = " ".join(
        f"{item.original.text}"
        for item in CaretsGenerator(fit([scene])).pairs(scene, None, 0)
        if isinstance(item, Group)
    )
    assert "dog" in texts
    assert "cup" not in texts


def test_an_object_with_others_of_its_kind_is_identified_or_not_asked_about():
    box = (0, 0, 90, 90)
    dogs = (Thing("a", "dog", ("brown", "wet"), box), Thing("b", "dog", ("white", "dry"), box))
    scene = Scene("1", dogs)
    asked = {
        item.original.text.rpartition(" dog")[0].rpartition(" ")[2]
        for item in CaretsGenerator(fit([scene]), ("ANTONYM-DIR",), draws=40).pairs(scene, None, 0)
        if isinstance(item, Group)
    }
    assert asked <= {"brown", "white", "wet", "dry"}
    assert asked
    puzzling = Scene("2", (Thing("a", "dog", ("wet",), box), Thing("b", "dog", (), box)))
    assert not [
        item
        for item in CaretsGenerator(fit([puzzling]), ("ANTONYM-DIR",)).pairs(puzzling, None, 0)
        if isinstance(item, Group)
    ]


def test_images_are_edited_by_the_given_function(world):
    seen = []

    def change_image(question, boxes, rng):
        seen.append((question.scene is not None, bool(boxes)))
        yield Variant(question, Expect.SAME, "VISUAL-INV", "visual/none", {"perturbation": "none"})

    groups = pairs(world[:6], tests=("VISUAL-INV",), change_image=change_image)
    assert groups
    assert all(scene for scene, _ in seen)
    assert {boxes for _, boxes in seen} == {True, False}
    assert all(group.original.scene is None and group.variants[0].question.scene is None for group in groups)


def test_visual_is_refused_without_a_function_that_edits_images(world):
    refused = [item for item in generate(Scenes(world[:2]), 0, ("VISUAL-INV",)) if isinstance(item, Refusal)]
    assert {item.reason for item in refused} == {"no image changes are available"}


def test_training_questions_are_correct_and_cover_all_types(world):
    questions = list(training(Scenes(world), 0, 300))
    by_id = {scene.id: scene for scene in world}
    assert {question.kind.question_type for question in questions} == {f"Q{each}" for each in range(1, 8)}
    for question in questions:
        scene = by_id[question.id.split("-training")[0]]
        assert answer(question.text, question.kind.question_type, scene) == question.answers[0], question.text


def test_data_without_scenes_is_refused():
    with pytest.raises(BadOption, match="no scenes"):
        list(generate(Scenes([]), 0))
    with pytest.raises(BadOption, match="no test 'SMELL-INV'"):
        CaretsGenerator(tests=("SMELL-INV",))


def test_the_release_has_a_file_for_each_test(tmp_path, made):
    paths = write_release(made, tmp_path)
    assert sorted(path.rpartition("/")[2] for path in paths) == [
        "antonym_dir.json",
        "negation_dir.json",
        "ontological_inv.json",
        "order_inv.json",
        "rephrase_inv.json",
    ]
    for path in paths:
        records = {record["question_id"]: record for record in json.loads(Path(path).read_text())}
        for key, record in records.items():
            assert set(record["label"].values()) == {1.0}
            if "new_template_number" in record:  # a changed question: its original is in the same file
                before, _, suffix = key.rpartition("-")
                assert before in records
                assert suffix == {"rep": "t", "ord": "s", "ont": "h", "neg": "n", "ant": "a"}[Path(path).name[:3]]
                if suffix == "n":
                    assert {*record["label"], *records[before]["label"]} == {"yes", "no"}


def test_there_are_as_many_templates_as_in_the_paper():
    assert [len(templates(f"Q{each}")) for each in range(1, 8)] == [54, 18, 18, 25, 25, 39, 28]
    assert sum(bool(each.deny) for kind in ("Q1", "Q2", "Q3") for each in templates(kind)) == 90
    assert number("shorts") == "many"
