"""Questions of the embedded world: their mix, their wording, and what they may mention."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random

from askew.types import Relation, Scene, Thing
from askew.world import layout
from askew.world.ask import KINDS, asked, questions_of
from askew.world.ask.askable_scene import AskableScene, the
from askew.world.phrasing import Asked, Meaning, Pick, data, phrasings, question_type
from askew.world.scenes import make_scene
from askew.world.world_data import classes, dimensions, is_a
from independent_answers import things_meant, true_answer

SCENES = 330


@cache
def world() -> list[tuple[Scene, list[Asked]]]:
    scenes = [make_scene(11, index) for index in range(SCENES)]
    return [(scene, asked(scene, 11)) for scene in scenes]


def everything() -> list[Asked]:
    return [one for _, questions in world() for one in questions]


def share(counts: Counter[str], *keys: str) -> float:
    return sum(counts[key] for key in keys) / counts.total()


def test_same_seed_same_questions_whatever_was_asked_before() -> None:
    scene = make_scene(11, 3)
    first = questions_of(scene, 5)
    questions_of(make_scene(11, 4), 5)
    assert questions_of(scene, 5) == first
    assert questions_of(scene, 6) != first


def test_every_kind_is_asked_and_every_kind_has_odds() -> None:
    kinds = Counter(one.kind for one in everything())
    assert {kind for makers in KINDS.values() for kind in makers} == set(kinds)
    assert {name: set(makers) for name, makers in KINDS.items()} == {
        name: set(odds) for name, odds in data("mix")["kinds"].items()
    }


def test_six_to_eight_questions_per_scene_and_none_twice() -> None:
    sizes = [len(questions) for _, questions in world()]
    assert 6.5 <= sum(sizes) / len(sizes) <= 8
    assert min(sizes) >= 4
    for _, questions in world():
        assert len({one.meaning for one in questions}) == len(questions)


def test_answer_types_are_as_frequent_as_in_vqa_v2() -> None:
    types = Counter(one.answer_type for one in everything())
    assert 0.355 <= share(types, "yes/no") <= 0.405
    assert 0.105 <= share(types, "number") <= 0.15
    assert 0.46 <= share(types, "other") <= 0.53


def test_enough_for_the_counterfactual_templates() -> None:
    texts = Counter(
        name
        for one in everything()
        for name, pattern in (
            ("color", r"what color is the .*"),
            ("many", r"how many .*"),
            ("kind", r"what kind of \w+ is this ?\??"),
            ("all", ".*"),
        )
        if re.fullmatch(pattern, one.text, re.IGNORECASE)
    )
    assert 0.10 <= texts["color"] / texts["all"] <= 0.14
    assert 0.10 <= texts["many"] / texts["all"] <= 0.14
    assert 0.03 <= texts["kind"] / texts["all"] <= 0.055


def test_answers_are_as_skewed_as_in_vqa() -> None:
    answers = {kind: Counter(o.answer for o in everything() if o.answer_type == kind) for kind in KINDS}
    assert answers["number"].most_common(1)[0][0] == "2"
    assert 0.52 <= share(answers["yes/no"], "yes") <= 0.59
    colors = Counter(one.answer for one in everything() if one.kind == "color")
    assert colors.most_common(1)[0][0] == "white"
    assert share(colors, "white") < 0.35
    assert len(colors) == 11


def test_at_least_eight_phrasings_for_each_kind_and_no_two_alike() -> None:
    for key, (texts, _) in phrasings().items():
        assert len(set(texts)) == len(texts) >= 8, key
        assert all(text.endswith("?") for text in texts)
    assert {key.split("/")[0] for key in phrasings()} == {kind for makers in KINDS.values() for kind in makers}


def test_question_types_are_those_of_vqa_and_the_longest_that_fits() -> None:
    known = set(data("types")["types"])
    assert len(known) == 64
    for one in everything():
        assert one.question_type in known or one.question_type == "none of the above"
    assert question_type("Is there a dog?") == "is there a"
    assert question_type("What color are the men's shirts ?") == "what color are the"
    assert question_type("what is this") == "what is this"


def test_typing_varies_a_little() -> None:
    texts = [one.text for one in everything()]
    assert 0.02 <= sum(not text.endswith("?") for text in texts) / len(texts) <= 0.045
    assert 0.05 <= sum(text[0].islower() for text in texts) / len(texts) <= 0.10
    assert any(text.endswith(" ?") for text in texts)


def test_articles_and_agreement() -> None:
    for one in everything():
        text = one.text.lower()
        assert "colour" not in text
        assert "  " not in text
        assert "{" not in text
        assert not re.search(r"\ba (apple|orange|elephant|umbrella|airplane|office|open|animal)\b", text), text
        assert not re.search(r"\b(is|does) the (woman|man|boy|girl|person|child)'s (pants|trousers)\b", text), text
        assert not re.search(r"\bthe the\b|\bis is\b|\bmans\b|\bsheeps\b|\bfishes\b", text), text


def picks(meaning: Meaning) -> list[Pick]:
    found = [pick for pick in (meaning.subject, meaning.other) if pick]
    return found + [pick.to for pick in found if pick.to]


def test_everything_that_a_question_mentions_is_clearly_visible() -> None:
    """By the geometry alone: large enough and hardly covered; and *the* means one thing only."""
    definite = {"look", "choose", "doing", "where", "side", "is", "is called", "name", "relates", "what", "same", "who"}
    for scene, questions in world():
        seen = set(layout.askable(scene))
        for one in questions:
            if one.meaning.op in definite and one.meaning.subject:
                meant = things_meant(scene, one.meaning.subject)
                assert meant, one.text
                assert {thing.id for thing in meant} <= seen, (scene.id, one.text)
                assert len(meant) == 1 or one.kind in ("group", "same", "colors", "kind", "called"), (
                    scene.id,
                    one.text,
                )
            if one.meaning.op == "count":
                assert {thing.id for thing in things_meant(scene, one.meaning.subject or Pick(""))} <= seen
            if one.meaning.op in ("exists", "count is", "more than") and one.answer == "yes":
                assert any(thing.id in seen for thing in things_meant(scene, one.meaning.subject or Pick("")))


def test_every_attribute_in_a_question_is_one_that_images_show() -> None:
    drawn = {word for key in ("colour", "pattern", "material", "pose", "action") for word in dimensions()[key]}
    drawn |= {word for key in ("always", "sometimes") for pair in dimensions()[key] for word in pair.split("/")}
    for one in everything():
        for pick in picks(one.meaning):
            assert set(pick.words) <= drawn
            assert pick.noun in classes() or pick.noun in data("nouns")["wider"]


def scene_of(*things: Thing, relations: tuple[Relation, ...] = ()) -> Scene:
    facts = {"place": "park", "setting": "outdoors", "time": "day", "weather": "sunny"}
    return Scene("s", things, relations, (224, 224), facts)


def phrases(scene: Scene, thing: Thing, hide: tuple[str, ...] = ()) -> set[str]:
    made = (the(AskableScene(scene), thing, Random(seed), hide) for seed in range(200))
    return {phrase.text for phrase in made if phrase}


LEFT = Thing("1", "dog", ("brown", "plain", "sitting"), (10.0, 100.0, 50.0, 60.0))
RIGHT = Thing("2", "dog", ("white", "plain", "sitting"), (150.0, 100.0, 50.0, 60.0))


def test_a_single_dog_is_called_the_dog() -> None:
    assert phrases(scene_of(LEFT), LEFT) == {"the dog", "the brown dog", "the animal", "this dog", "this animal"}
    assert phrases(scene_of(LEFT), LEFT, ("colour", "wider")) == {"the dog", "this dog"}


def test_of_two_dogs_each_is_identified_by_color_or_side_and_never_called_the_dog() -> None:
    assert phrases(scene_of(LEFT, RIGHT), LEFT) == {
        "the brown dog",
        "the dog on the left",
        "the dog on the left side of the picture",
        "the left dog",
    }
    assert phrases(scene_of(LEFT, RIGHT), RIGHT, ("side",)) == {"the white dog"}
    assert phrases(scene_of(LEFT, RIGHT), RIGHT, ("side", "colour")) == set()


def test_two_dogs_on_one_side_are_not_identified_by_side() -> None:
    near = Thing("3", "dog", ("brown", "plain", "sitting"), (20.0, 160.0, 50.0, 60.0))
    assert phrases(scene_of(LEFT, near), LEFT) == set()


def test_a_duck_is_a_bird_so_the_bird_may_not_mean_either() -> None:
    bird = Thing("1", "bird", ("white", "standing"), (10.0, 100.0, 40.0, 40.0))
    duck = Thing("2", "duck", ("white", "standing"), (60.0, 100.0, 40.0, 40.0))
    assert phrases(scene_of(bird, duck), bird) == set()
    assert phrases(scene_of(bird, duck), duck) == {"the duck", "the white duck", "this duck"}


def test_clothes_belong_to_somebody() -> None:
    man = Thing("1", "man", ("standing",), (10.0, 50.0, 60.0, 140.0))
    shirt = Thing("2", "shirt", ("red", "plain"), (15.0, 80.0, 50.0, 45.0))
    scene = scene_of(man, shirt, relations=(Relation("1", "wearing", "2"),))
    owners = ("the man", "this man", "the person", "this person")
    assert phrases(scene, shirt) == {"the shirt", *(f"{owner}'s shirt" for owner in owners)}


def test_the_color_of_a_spotted_object_is_not_asked_about() -> None:
    for scene, questions in world():
        for one in questions:
            subject = one.meaning.subject
            if one.kind == "color" and subject and not subject.tie and not subject.side:
                named = (thing for thing in scene.things if is_a(thing.name, subject.noun))
                thing = next(thing for thing in named if set(subject.words) <= set(thing.attributes))
                assert not {"striped", "spotted", "checkered"} & set(thing.attributes), (scene.id, one.text)


def test_every_maker_fills_every_slot_of_every_phrasing() -> None:
    """A slot that a maker forgets would fail only when that phrasing is drawn."""
    drawn = set()
    for scene, _ in world()[:150]:
        view, rng = AskableScene(scene), Random(scene.id)
        for makers in KINDS.values():
            for make in makers.values():
                for want in ("yes", "no"):
                    draft = make(view, rng, want)
                    if draft:
                        drawn.add(draft.key)
                        assert all(text.format_map(draft.slots) for text in phrasings()[draft.key][0])
    assert drawn == set(phrasings())


def test_a_yes_no_maker_gives_the_requested_answer() -> None:
    for scene, _ in world()[:60]:
        view, rng = AskableScene(scene), Random(scene.id)
        for make in KINDS["yes/no"].values():
            for want in ("yes", "no"):
                draft = make(view, rng, want)
                assert draft is None or draft.answer == want == true_answer(scene, draft.meaning)
