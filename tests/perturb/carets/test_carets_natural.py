"""Questions that people would ask: senses, choices that exclude each other, common names, case, two attributes."""

from __future__ import annotations

from itertools import combinations

import pytest
from carets_scenes import Scenes

from askew.perturb.carets import PairSettings, generate
from askew.perturb.carets.arguments import Noun, QuestionArguments, templates, usable, value_pairs
from askew.perturb.carets.attributes import Value, asked_for, opposites, suits, value
from askew.perturb.carets.ontology import askable, choosable, exclusive, number, piece, question_classes, wider
from askew.perturb.carets.scene_view import SceneView
from askew.types import Group, Relation, Scene, Thing
from askew.world.scenes import make_scene
from carets_evaluator import answer

BOX = (0, 0, 90, 90)


def asked(scenes, tests, balance="paper", size=None):
    return [
        group
        for group in generate(Scenes(scenes), 0, tests, PairSettings(balance, size=size))
        if isinstance(group, Group)
    ]


def test_a_role_does_not_exclude_sex_or_age():
    """In 490 of 830 pairs about people they did: *a man or a skater?*"""
    roles = ("skater", "skier", "driver", "tourist", "chef", "player", "worker", "passenger")
    ages = ("man", "woman", "boy", "girl", "baby", "child", "adult")
    assert not [(one, other) for one in roles for other in ages if exclusive(one, other) or exclusive(other, one)]
    assert exclusive("man", "woman")
    assert exclusive("skier", "surfer")
    assert not choosable("tourist")


def test_no_choice_is_a_hypernym_of_another_or_too_broad():
    names = [
        "cake",
        "dessert",
        "pie",
        "apple",
        "fruit",
        "meat",
        "bottle",
        "box",
        "bathtub",
        "tub",
        "bowl",
        "car",
        "taxi",
    ]
    for one, other in combinations(names, 2):
        if exclusive(one, other) and choosable(one) and choosable(other):
            assert one not in wider(other)
            assert other not in wider(one)
    assert not [name for name in ("dessert", "fruit", "meat", "uniform", "people") if choosable(name)]
    assert not question_classes("tub")
    assert not question_classes("bathtub") or "container" not in question_classes("bathtub")


def test_an_attribute_has_the_sense_that_fits_the_object():
    assert value("white", "woman") is None  # not a color to choose from
    assert value("brunette", "woman") == Value("hair color", "brunette")
    assert value("brown", "hair").category == "color"
    assert not asked_for(value("baby", "giraffe"))  # a baby giraffe, but never "the giraffe is baby"
    assert value("male", "man") is None
    assert value("male", "lion") == Value("sex", "male")
    assert not suits("activity", "grazing", "woman")
    assert not suits("activity", "talking", "horse")
    assert not opposites(Value("", "fresh"))
    assert value("old", "boy") is None or value("old", "boy").category != "age"
    assert value("young", "man").category == "age"
    assert value("lit", "candle") == Value("flame", "lit")
    assert value("lit", "lamp") == Value("power", "on")
    assert piece("food") == "food item"
    assert value("closed", "oven").relative  # no closed appliance
    assert not value("black", "oven").relative


def test_a_wooden_fish_is_not_an_animal():
    figures = Scene("1", (Thing("a", "fish", ("wooden",), BOX), Thing("b", "dog", ("brown",), BOX)))
    view = SceneView(figures)
    assert [thing.name for thing in view.clear] == ["dog"]
    assert not view.lacked["fish"]
    assert not view.lacked["animal"]


def test_the_sky_is_not_next_to_anything():
    things = (Thing("a", "sky", (), BOX), Thing("b", "tree", (), BOX), Thing("c", "bench", (), BOX))
    links = tuple(Relation(one, "to the left of", other) for one, other in (("a", "b"), ("b", "a"), ("b", "c")))
    view = SceneView(Scene("1", things, links))
    assert [(link.subject.name, link.object.name) for link in view.links] == [("tree", "bench")]


@pytest.mark.parametrize("name", ["people", "glass", "clothes", "blinds", "dirt", "forest", "silverware"])
def test_common_names_are_asked_about(name):
    assert askable(name)
    text = QuestionArguments("Q1", (Noun(name),), "yes").write(templates("Q1")[0])
    scene = Scene("1", (Thing("a", name, (), BOX),))
    assert answer(text, "Q1", scene) == "yes"
    assert answer(text, "Q1", Scene("2", (Thing("a", "zebra", (), BOX),))) == "no"


def test_articles_and_case():
    assert Noun("paper").a == "any paper"
    assert Noun("body of water").a == "a body of water"
    assert number("people") == "many"
    assert not askable("room")
    assert "room" not in wider("kitchen")
    question = QuestionArguments("Q2", (Noun("suv"), Noun("american flag")), "yes").write(templates("Q2")[4])
    assert question == "Do you see both an SUV and an American flag?"
    scene = Scene("1", (Thing("a", "suv", (), BOX), Thing("b", "american flag", (), BOX)))
    assert answer(question, "Q2", scene) == "yes"


def test_two_attributes_are_in_order_and_read_by_the_evaluator():
    pair = value_pairs([Value("material", "wood"), Value("size", "large")])[0]
    text = QuestionArguments("Q1", (Noun("table", pair),), "yes").write(templates("Q1")[4])
    assert text == "Do you see a large wooden table?"
    big, other = (Scene("1", (Thing("a", "table", said, BOX),)) for said in (("large", "wood"), ("small", "wood")))
    assert [answer(text, "Q1", scene) for scene in (big, other)] == ["yes", "no"]
    made = asked([make_scene(4, index) for index in range(40)], ("NEGATION-DIR",), "text")
    objects = [group.variants[0].note["arguments"]["object"].split() for group in made]
    assert 0.01 < sum(len(words) > 2 for words in objects) / len(objects) < 0.2


def test_who_is_named_after_an_action_is_not_asked_for_it():
    """*Is the skier skiing or surfing?* needs no image, and *a skiing skier* says it twice."""
    for name, action in (("skier", "skiing"), ("tennis player", "playing tennis"), ("skater", "skating")):
        assert not suits("sport", action, name), name
        assert value(action, name) is None
    assert suits("sport", "skiing", "woman")
    assert value("skiing", "woman") == Value("sport", "skiing")


def test_wordings_that_nobody_uses():
    """*The weather of the sky*, *a picture in this picture*, *a pepperoni*, *wood or thatched*, a crouching bird."""
    asked = usable("Q6", "sky", related=False, only_bare=False)
    assert asked
    assert not [each.text for each in asked if "{category}" in each.text]
    assert "picture" not in wider("poster")
    assert {number(name) for name in ("pepperoni", "cereal", "soup", "chocolate")} == {"mass"}
    assert Value("material", "thatched").choice == "thatch"
    assert not suits("pose", "crouching", "seagull")
    assert suits("pose", "crouching", "man")


def test_words_have_the_sense_of_scene_graphs():
    """A mouse lies beside a keyboard, a rough sea is not smooth, a boy has no size, and *an eating giraffe* is odd."""
    assert "animal" not in wider("mouse")
    assert "table" not in wider("nightstand")
    assert value("rough", "ocean") == Value("calm", "choppy")
    assert value("rough", "road") == Value("texture", "rough")
    assert value("little", "boy") is None
    assert Value("activity", "eating").before == ""
    assert number("landing gear") == "mass"
    assert not [name for name in ("zoo", "kitchen", "hotel room", "classroom") if askable(name)]


def test_people_who_feed_something_do_not_eat_and_chefs_do_not_bathe():
    """ "Is the boy feeding the goat bathing or eating?" had the answer eating."""
    assert value("feeding", "boy") is None
    assert [suits("activity", "bathing", name) for name in ("chef", "baby", "elephant")] == [False, True, True]
    assert [suits("material", "wicker", name) for name in ("runway", "knife", "basket", "chair")] == [
        False,
        False,
        True,
        True,
    ]
    assert not exclusive("spoon", "ladle")


def test_only_hair_is_blond_and_bottles_are_not_wicker():
    """ "Which color is the tablecloth, blond, orange or white?" """
    assert [suits("color", "blond", name) for name in ("tablecloth", "dog", "hair", "beard")] == [
        False,
        False,
        True,
        True,
    ]
    assert value("blond", "tablecloth") is None
    assert [suits("material", "wicker", name) for name in ("bottle", "cup", "box", "couch")] == [
        False,
        False,
        True,
        True,
    ]
