"""The scenes of the embedded world: labelled, visible, unambiguous, with frequencies like real data."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

from askew.errors import BadOption
from askew.types import Relation, Scene, Thing
from askew.world.layout import (
    LEAST_SIDE,
    TOUCHING,
    askable,
    box_of,
    facing,
    level,
    overlap,
    painting_order,
    relations,
    union,
    visible,
)
from askew.world.scenes import main_things, make_scene
from askew.world.world_data import classes, dimension, dimensions, is_a, places

CONVERSE = {
    "left of": "right of",
    "right of": "left of",
    "above": "below",
    "below": "above",
    "in front of": "behind",
    "behind": "in front of",
    "next to": "next to",
}


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [make_scene(7, index) for index in range(250)]


def by_id(scene: Scene) -> dict[str, Thing]:
    return {thing.id: thing for thing in scene.things}


def middle(thing: Thing) -> float:
    return box_of(thing)[0] + box_of(thing)[2] / 2


def foot(thing: Thing) -> float:
    return box_of(thing)[1] + box_of(thing)[3]


class TestVocabulary:
    def test_all_classes_have_a_synset_and_a_plural(self) -> None:
        assert len(classes()) == 62
        for kind in classes().values():
            assert re.fullmatch(r"[a-z_]+\.n\.\d\d", kind.synset), kind.name
            assert kind.plural
            assert kind.hypernyms

    @pytest.mark.parametrize(
        ("name", "word"),
        [
            ("dog", "animal"), ("duck", "bird"), ("banana", "fruit"), ("banana", "food"), ("boy", "child"),
            ("girl", "person"),
            ("sofa", "furniture"), ("boat", "vehicle"), ("hat", "clothing"), ("carrot", "vegetable"), ("tree", "plant"),
        ],
    )  # fmt: skip
    def test_hypernyms_agree_with_wordnet(self, name: str, word: str) -> None:
        assert is_a(name, word)
        assert not is_a(name, "dog" if name != "dog" else "cat")

    def test_every_word_of_the_odds_is_known(self) -> None:
        known = dimensions()
        for kind in classes().values():
            assert set(kind.colours) <= set(known["colour"]), kind.name
            assert set(kind.patterns) <= set(known["pattern"]), kind.name
            assert set(kind.materials) <= {*known["material"], "none"}, kind.name
            assert set(kind.pairs) <= {*known["always"], *known["sometimes"]}, kind.name
            assert set(kind.poses) <= set(known["pose"]), kind.name

    def test_places_name_classes_only(self) -> None:
        for place in places().values():
            for odds in (place.things, place.surface, place.held, place.ridden, place.seats):
                assert set(odds) <= set(classes()), place.name


class TestGeometryByHand:
    def test_area_of_three_boxes(self) -> None:
        # 4x4 at the origin, 4x4 at (2, 3) sharing 2x1, and one inside the first: 16 + 16 - 2.
        assert union([(0, 0, 4, 4), (2, 3, 4, 4), (1, 1, 2, 2)]) == 30
        assert union([]) == 0

    def test_nearer_objects_hide_farther_ones(self) -> None:
        car = Thing("1", "car", ("red",), (0, 0, 100, 50))
        dog = Thing("2", "dog", ("brown",), (80, 30, 40, 40))
        scene = Scene("s", (dog, car), size=(224, 224))
        order = painting_order(scene)
        assert [thing.id for thing in order] == ["1", "2"]
        assert visible(scene, "1", order) == pytest.approx(1 - 20 * 20 / 5000)
        assert visible(scene, "2", order) == 1

    def test_the_box_of_a_rider_does_not_hide_the_horse(self) -> None:
        horse = Thing("1", "horse", (), (50, 50, 100, 80))
        man = Thing("2", "man", (), (70, 20, 50, 80))
        scene = Scene("s", (man, horse), (Relation("2", "riding", "1"),), (224, 224))
        order = painting_order(scene)
        assert [thing.name for thing in order] == ["horse", "man"]
        assert visible(scene, "1", order) == 1
        assert facing(scene, "2") == facing(scene, "1")

    def test_flowers_come_before_their_vase_and_the_vase_after_its_table(self) -> None:
        table, vase, flower = (Thing(*row) for row in (("1", "table"), ("2", "vase"), ("3", "flower")))
        boxed = [
            Thing(t.id, t.name, (), box)
            for t, box in zip((flower, vase, table), ((20, 0, 20, 40), (20, 30, 20, 30), (0, 55, 90, 40)), strict=True)
        ]
        scene = Scene("s", tuple(boxed), (Relation("2", "on", "1"), Relation("3", "in", "2")), (100, 100))
        assert [thing.name for thing in painting_order(scene)] == ["table", "flower", "vase"]

    def test_relations_of_three_objects(self) -> None:
        sofa = Thing("1", "sofa", (), (20, 120, 100, 60))
        clock = Thing("2", "clock", (), (50, 20, 30, 30))
        ball = Thing("3", "ball", (), (130, 150, 30, 30))
        found = {(r.subject, r.name, r.object) for r in relations({"1": sofa, "2": clock, "3": ball}, [], 224)}
        assert found == {
            ("2", "above", "1"), ("1", "below", "2"), ("1", "left of", "3"), ("3", "right of", "1"),
            ("2", "left of", "3"), ("3", "right of", "2"), ("1", "next to", "3"), ("3", "next to", "1"),
        }  # fmt: skip

    def test_in_front_needs_overlap_and_a_nearer_foot(self) -> None:
        tree = Thing("1", "tree", (), (40, 20, 90, 130))
        dog = Thing("2", "dog", (), (60, 115, 50, 50))
        found = {(r.subject, r.name, r.object) for r in relations({"1": tree, "2": dog}, [], 224)}
        assert found == {("2", "in front of", "1"), ("1", "behind", "2")}


class TestChance:
    def test_same_seed_same_scene_in_any_order(self) -> None:
        forward = [make_scene(3, index) for index in range(6)]
        backward = [make_scene(3, index) for index in reversed(range(6))]
        assert forward == backward[::-1]
        assert make_scene(4, 0) != forward[0]
        assert len({scene.id for scene in forward}) == 6

    def test_another_size_is_the_same_scene(self) -> None:
        small, large = make_scene(3, 1), make_scene(3, 1, (448, 448))
        assert [(t.name, t.attributes) for t in small.things] == [(t.name, t.attributes) for t in large.things]
        for a, b in zip(small.things, large.things, strict=True):
            assert box_of(b) == pytest.approx([2 * side for side in box_of(a)], abs=0.03)

    def test_an_image_too_small_to_ask_about_is_refused(self) -> None:
        with pytest.raises(BadOption, match="at least 28"):
            make_scene(0, 0, (200, 20))


class TestScenes:
    def test_three_to_nine_main_objects_that_can_all_be_asked_about(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            main = main_things(scene)
            assert 3 <= len(main) <= 9
            assert {thing.id for thing in main} <= set(askable(scene)), scene.id
            for thing in main:
                assert min(box_of(thing)[2:]) >= LEAST_SIDE * 224 - 1e-6

    def test_every_object_is_inside_the_image(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            for thing in scene.things:
                x, y, width, height = box_of(thing)
                assert min(x, y) >= 0, (scene.id, thing)
                assert max(x + width, y + height) <= 224, (scene.id, thing)

    def test_objects_of_one_class_never_overlap_so_they_can_be_counted(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            for a, b in combinations(main_things(scene), 2):
                assert a.name != b.name or overlap(box_of(a), box_of(b)) == 0, (scene.id, a, b)

    def test_one_word_of_each_dimension_and_every_word_has_one(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            for thing in scene.things:
                said = [dimension(thing.name, word) for word in thing.attributes]
                assert None not in said, thing
                assert len(said) == len(set(said)), thing

    def test_pairs_that_always_hold_are_reported(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            for thing in scene.things:
                for pair in set(classes()[thing.name].pairs) & set(dimensions()["always"]):
                    assert sum(word in thing.attributes for word in pair.split("/")) == 1, thing

    def test_facts(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            place = places()[scene.facts["place"]]
            assert scene.facts["setting"] == place.setting
            assert ("weather" in scene.facts) == (place.setting == "outdoors")
            window = any(thing.name == "window" for thing in scene.things)
            assert ("time" in scene.facts) == (place.setting == "outdoors" or window)

    def test_every_action_has_its_object(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            held = {r.subject: by_id(scene)[r.object].name for r in scene.relations if r.name == "holding"}
            ridden = {r.subject for r in scene.relations if r.name == "riding"}
            for thing in scene.things:
                words = set(thing.attributes)
                assert bool(words & {"holding", "eating", "reading", "throwing"}) == (thing.id in held)
                assert ("riding" in words) == (thing.id in ridden)
                if "eating" in words:
                    assert is_a(held[thing.id], "food")
                if "reading" in words:
                    assert held[thing.id] == "book"


class TestRelations:
    def test_no_relation_contradicts_another_and_converses_are_there(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            found = {(r.subject, r.name, r.object) for r in scene.relations}
            assert len(found) == len(scene.relations)
            for subject, name, other in found:
                assert subject != other
                assert (other, name, subject) not in found or name == "next to"
                if name in CONVERSE:
                    assert (other, CONVERSE[name], subject) in found

    def test_relations_are_where_the_boxes_are(self, scenes: list[Scene]) -> None:
        seen = Counter()
        for scene in scenes:
            things = by_id(scene)
            for relation in scene.relations:
                a, b = things[relation.subject], things[relation.object]
                seen[relation.name] += 1
                assert _holds(relation.name, a, b), (scene.id, relation, a, b)
        assert set(seen) == {*CONVERSE, *TOUCHING}

    def test_clothes_are_on_their_person(self, scenes: list[Scene]) -> None:
        for scene in scenes:
            things = by_id(scene)
            worn = [r.object for r in scene.relations if r.name == "wearing"]
            assert sorted(worn) == sorted(t.id for t in scene.things if classes()[t.name].family == "clothing")
            for relation in scene.relations:
                if relation.name == "wearing":
                    garment, person = box_of(things[relation.object]), box_of(things[relation.subject])
                    assert overlap(garment, person) >= 0.97 * garment[2] * garment[3]


def _holds(name: str, a: Thing, b: Thing) -> bool:
    """Each relation recomputed in another way: by centres, feet and common area."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = box_of(a), box_of(b)
    common = overlap(box_of(a), box_of(b))
    checks = {
        "left of": middle(a) < middle(b) and ax + aw < bx + 3,
        "right of": middle(a) > middle(b) and ax > bx + bw - 3,
        "above": foot(a) < by + 3 and level(a) != "ground",
        "below": ay > foot(b) - 3 and level(b) != "ground",
        "in front of": foot(a) > foot(b) and min(ax + aw, bx + bw) > max(ax, bx),
        "behind": foot(a) < foot(b) and min(ax + aw, bx + bw) > max(ax, bx),
        "next to": abs(foot(a) - foot(b)) < 14 and common < 0.1 * min(aw * ah, bw * bh),
        "on": by - 1 <= foot(a) <= by + 0.75 * bh and bx - 2 <= middle(a) <= bx + bw + 2,
        "under": ay > by and bx < middle(a) < bx + bw,
        "in": by < foot(a) < foot(b) and bx < middle(a) < bx + bw,
        "holding": common > 0 or b.name == "kite",
        "wearing": common > 0,
        "riding": foot(a) < foot(b) + 1 and common > 0 and bx < middle(a) < bx + bw,
        "sitting on": ay < by and common > 0,
    }
    return checks[name]


class TestOdds:
    def test_white_is_the_most_frequent_colour(self, scenes: list[Scene]) -> None:
        colours = Counter(
            word
            for scene in scenes
            for thing in scene.things
            for word in thing.attributes
            if word in dimensions()["colour"]
        )
        assert colours.most_common(1)[0][0] == "white"
        assert set(colours) == set(dimensions()["colour"])
        assert colours["white"] > 1.3 * colours.most_common(2)[1][1]

    def test_two_is_the_most_frequent_plural_count(self, scenes: list[Scene]) -> None:
        counts = Counter(n for scene in scenes for n in Counter(t.name for t in main_things(scene)).values() if n > 1)
        assert counts[2] > counts[3] > counts[4] > 0
        assert max(counts) <= 6

    def test_places_make_objects_probable_never_certain(self, scenes: list[Scene]) -> None:
        where = Counter(scene.facts["place"] for scene in scenes for thing in scene.things if thing.name == "table")
        assert where["kitchen"] > 3 * where["park"]
        strangers = 0
        for scene in scenes:
            place = places()[scene.facts["place"]]
            usual = {
                *place.things,
                *place.surface,
                *place.held,
                *place.ridden,
                *place.seats,
                "flower",
                "cat",
                "dog",
                "ball",
            }
            strangers += any(t.name not in usual and not is_a(t.name, "food") for t in main_things(scene))
        assert 2 <= strangers <= 0.15 * len(scenes)

    def test_nearly_every_class_occurs(self, scenes: list[Scene]) -> None:
        assert len({thing.name for scene in scenes for thing in scene.things}) >= 58
