"""An independent evaluator: answers a question of the world from its meaning and the scene graph alone.

It shares no code with the grammar that generates the questions: it looks up the things itself, and refuses a question
whose *the* does not refer to exactly one thing.
"""

from __future__ import annotations

from askew.errors import DataError
from askew.types import Scene, Thing
from askew.world.phrasing import Meaning, Pick
from askew.world.world_data import classes, dimensions, is_a

_PASSIVE = {"held by": "holding", "worn by": "wearing", "ridden by": "riding"}
_SUBSTANCE = {"wooden": "wood"}
_RIDES = {"surfboard": "surfing", "skateboard": "skateboarding", "bicycle": "riding bike"}


def true_answer(scene: Scene, meaning: Meaning) -> str:
    """The answer to a question with this meaning in this scene.

    >>> scene = Scene("s", (Thing("1", "dog", ("brown",), (0, 0, 9, 9)), Thing("2", "cat", ("black",), (20, 0, 9, 9))),
    ...     size=(40, 40))
    >>> true_answer(scene, Meaning("look", Pick("dog"), "colour")), true_answer(scene, Meaning("count", Pick("animal")))
    ('brown', '2')
    """
    return _Scene(scene).answer(meaning)


def things_meant(scene: Scene, pick: Pick) -> list[Thing]:
    """Everything in the scene that a noun phrase fits.

    >>> [thing.id for thing in things_meant(Scene("s", (Thing("1", "dog"), Thing("2", "duck"))), Pick("bird"))]
    ['2']
    """
    return _Scene(scene).all(pick)


class _Scene:
    """A scene that can be queried."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.by_id = {thing.id: thing for thing in scene.things}

    def answer(self, meaning: Meaning) -> str:
        """The answer, computed by the method for the operation."""
        found: str = getattr(self, "op_" + meaning.op.replace(" ", "_"))(meaning)
        return found

    def op_exists(self, m: Meaning) -> str:
        return _yes(bool(self.all(m.subject)))

    def op_count(self, m: Meaning) -> str:
        return str(len(self.all(m.subject)))

    def op_count_is(self, m: Meaning) -> str:
        return _yes(len(self.all(m.subject)) == int(m.values[0]))

    def op_more_than(self, m: Meaning) -> str:
        return _yes(len(self.all(m.subject)) > int(m.values[0]))

    def op_more(self, m: Meaning) -> str:
        return _yes(len(self.all(m.subject)) > len(self.all(m.other)))

    def op_is(self, m: Meaning) -> str:
        having = [m.values[0] in thing.attributes for thing in self.some(m.subject)]
        if any(having) != all(having):
            raise _doubt(self.scene, m, "true of some and not of others")
        return _yes(all(having))

    def op_is_called(self, m: Meaning) -> str:
        return _yes(all(is_a(thing.name, m.values[0]) for thing in self.some(m.subject)))

    def op_same(self, m: Meaning) -> str:
        return _yes(len({self.word(thing, m.about) for thing in self.some(m.subject)}) == 1)

    def op_look(self, m: Meaning) -> str:
        words = {self.word(thing, m.about) for thing in self.some(m.subject)}
        return self.only(m, words)

    def op_choose(self, m: Meaning) -> str:
        thing = self.one(m.subject, m)
        said = self.only(m, {value for value in m.values if value in thing.attributes})
        return "lying down" if said == "lying" else said

    def op_relates(self, m: Meaning) -> str:
        subject = self.one(m.subject, m)
        assert m.other is not None
        others = {thing.id for thing in self.all(m.other)}
        pairs = [r for r in self.scene.relations if r.subject == subject.id and r.object in others]
        if m.about not in (*_PASSIVE.values(), "sitting on", "on", "in", "under"):
            self.one(m.other, m)
            if not pairs:
                raise _doubt(self.scene, m, "no relation of the two is known")
        return _yes(any(r.name == m.about for r in pairs))

    def op_name(self, m: Meaning) -> str:
        found = self.some(m.subject)
        name = self.only(m, {thing.name for thing in found})
        return name if len(found) == 1 else classes()[name].plural

    def op_what(self, m: Meaning) -> str:
        if m.subject is None:
            carrier = self.one(m.other, m)
            found = [self.by_id[r.subject] for r in self.scene.relations if (r.name, r.object) == (m.about, carrier.id)]
        else:
            holder = self.one(m.subject, m)
            found = [self.by_id[r.object] for r in self.scene.relations if (r.subject, r.name) == (holder.id, m.about)]
        name = self.only(m, {thing.name for thing in found})
        return name if len(found) == 1 else classes()[name].plural

    def op_who(self, m: Meaning) -> str:
        if m.about == "doing":
            return self.one(m.subject, m).name
        target = self.one(m.subject, m).id
        found = [r.subject for r in self.scene.relations if r.name == m.about and r.object == target]
        return self.by_id[self.only(m, set(found))].name

    def op_doing(self, m: Meaning) -> str:
        thing = self.one(m.subject, m)
        has = {r.name: self.by_id[r.object].name for r in self.scene.relations if r.subject == thing.id}
        if "riding" in has:
            return _RIDES.get(has["riding"], f"riding {has['riding']}")
        if has.get("holding") == "kite":
            return "flying kite"
        for action in ("eating", "reading"):
            if action in thing.attributes:
                return action
        if "throwing" in thing.attributes:
            return "throwing ball"
        if "holding" in thing.attributes:
            raise _doubt(self.scene, m, "both a pose and holding something may be meant")
        pose = self.word(thing, "pose")
        return "lying down" if pose == "lying" else pose

    def op_where(self, m: Meaning) -> str:
        thing = self.one(m.subject, m)
        rests = [
            r for r in self.scene.relations if r.subject == thing.id and r.name in ("on", "in", "under", "sitting on")
        ]
        if len(rests) == 1:
            return f"{rests[0].name.split()[-1]} {self.by_id[rests[0].object].name}"
        if rests:
            raise _doubt(self.scene, m, "it is in two places")
        for word, spot in (("flying", "in sky"), ("swimming", "in water")):
            if word in thing.attributes:
                return spot
        if classes()[thing.name].stands == ("wall",):
            return "on wall"
        raise _doubt(self.scene, m, "nothing says where it is")

    def op_side(self, m: Meaning) -> str:
        return self.side(self.one(m.subject, m)) or "middle"

    def op_fact(self, m: Meaning) -> str:
        return self.scene.facts[m.about]

    def op_fact_is(self, m: Meaning) -> str:
        return _yes(self.scene.facts[m.about] == m.values[0])

    def all(self, pick: Pick | None) -> list[Thing]:
        """Everything that the phrase fits."""
        assert pick is not None
        return [thing for thing in self.scene.things if self.fits(thing, pick)]

    def some(self, pick: Pick | None) -> list[Thing]:
        """Everything that fits; there must be something."""
        found = self.all(pick)
        if not found:
            raise DataError(f"scene {self.scene.id!r}: nothing fits {pick}. Do not ask about it.")
        return found

    def one(self, pick: Pick | None, meaning: Meaning) -> Thing:
        """The only thing that fits."""
        found = self.some(pick)
        if len(found) > 1:
            raise _doubt(self.scene, meaning, f"{len(found)} things fit {pick}")
        return found[0]

    def fits(self, thing: Thing, pick: Pick) -> bool:
        if not is_a(thing.name, pick.noun) or not set(pick.words) <= set(thing.attributes):
            return False
        if pick.side and self.side(thing) != pick.side:
            return False
        return not pick.tie or self.tied(thing, pick)

    def tied(self, thing: Thing, pick: Pick) -> bool:
        assert pick.to is not None
        name = _PASSIVE.get(pick.tie, pick.tie)
        for relation in self.scene.relations:
            ends = (relation.subject, relation.object) if pick.tie == name else (relation.object, relation.subject)
            if relation.name == name and ends[0] == thing.id and self.fits(self.by_id[ends[1]], pick.to):
                return True
        return False

    def side(self, thing: Thing) -> str:
        assert thing.box is not None
        assert self.scene.size is not None
        middle, width = thing.box[0] + thing.box[2] / 2, self.scene.size[0]
        return "left" if middle * 2 < width else "right"

    def word(self, thing: Thing, about: str) -> str:
        """The attribute of the thing in this dimension, as it is worded in answers."""
        words = [word for word in thing.attributes if word in _words(about)]
        if len(words) != 1:
            raise DataError(f"scene {self.scene.id!r}: {thing.name} {thing.id!r} has {len(words)} words of {about!r}.")
        return _SUBSTANCE.get(words[0], words[0])

    def only(self, meaning: Meaning, found: set[str]) -> str:
        if len(found) != 1:
            raise _doubt(self.scene, meaning, f"{len(found)} answers are true")
        return next(iter(found))


def _words(about: str) -> list[str]:
    return about.split("/") if "/" in about else list(dimensions()[about])


def _yes(true: bool) -> str:
    return "yes" if true else "no"


def _doubt(scene: Scene, meaning: Meaning, why: str) -> DataError:
    return DataError(f"scene {scene.id!r}: {meaning} cannot be answered: {why}. Do not ask it.")
