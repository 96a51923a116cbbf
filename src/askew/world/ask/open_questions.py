"""Open questions about things: colours, names, actions, locations."""

from __future__ import annotations

from random import Random

from askew.types import Thing
from askew.world.ask.askable_scene import (
    SIZES,
    AskableScene,
    one_colour,
    owned,
    shuffled,
    side_of,
    size_shows,
    the,
    words_of,
)
from askew.world.ask.scene_questions import recognised
from askew.world.phrasing import Draft, Meaning, Pick, agreement, data, near, plural_of, said_word
from askew.world.world_data import classes

_ON_A_SIDE = 0.14
"""How far from the middle a thing must be to ask for its side, as a fraction of the width."""


def color(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What color is the dog?* *What color shirt is the man wearing?*"""
    things = [thing for thing in view.asked if one_colour(view, thing)]
    white = data("mix")["white"]
    while things:
        weights = [white if view.looks[thing.id]["colour"] == "white" else 1.0 for thing in things]
        thing = rng.choices(things, weights=weights)[0]
        things.remove(thing)
        subject = the(view, thing, rng, hide=("colour",))
        if subject is None:
            continue
        key, pick, slots = "color/plural" if subject.many else "color", subject.pick, {"s": subject.text}
        owner = view.wearer.get(thing.id)
        if owner and pick.to and not subject.many and rng.random() < 0.3:
            phrase = the(view, owner, rng, hide=("clothes",))
            if phrase:
                key, pick = "color/worn", Pick(thing.name, tie="worn by", to=phrase.pick)
                slots = {"o": phrase.text, "noun": view.call(thing.name, rng)[0], "s": owned(phrase.text, thing.name)}
        return Draft(key, Meaning("look", pick, "colour"), view.looks[thing.id]["colour"], slots, thing.id)
    return None


def colors(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What color are the flowers?*, if all have the same color."""
    for noun in shuffled(sorted(view.names), rng):
        things = view.named(noun)
        seen = all(one_colour(view, thing) and thing.id in view.asked_ids for thing in things)
        if len(things) > 1 and seen and len({view.looks[thing.id]["colour"] for thing in things}) == 1:
            answer = view.looks[things[0].id]["colour"]
            return Draft("colors", Meaning("look", Pick(noun), "colour"), answer, {"many": view.call(noun, rng)[1]})
    return None


def kind(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What kind of animal is this?*, if there is only one; *What animals are these?*, if all are of one class."""
    options = []
    for wide in data("nouns")["kinds"]:
        group = view.named(wide)
        if group and len({thing.name for thing in group}) == 1 and view.wider(wide):
            options.append((wide, group))
    room = view.scene.facts["place"]
    if room in data("nouns")["rooms"] and recognised(view, room) and (not options or rng.random() < 0.35):
        return Draft("kind", Meaning("fact", about="place"), room, {"g": "room", "gs": "rooms"})
    if not options:
        return None
    wide, group = rng.choices(options, weights=[3.0 if len(group) == 1 else 1.0 for _, group in options])[0]
    slots = {"g": wide, "gs": plural_of(wide)}
    key = "kind" if len(group) == 1 else "kind/many"
    answer = group[0].name if len(group) == 1 else plural_of(group[0].name)
    return Draft(key, Meaning("name", Pick(wide)), answer, slots)


def touched(name: str, view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What is the man holding?* *What is the girl riding?*"""
    for subject, relation, other in shuffled(view.touching, rng):
        if relation != name or other.id not in view.asked_ids:
            continue
        phrase = the(view, subject, rng, hide=("tie", "clothes"))
        if phrase:
            slots = {"s": phrase.text, **agreement(False, subject.name)}
            return Draft(name, Meaning("what", phrase.pick, name), other.name, slots, subject.id)
    return None


def wearing(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What is the woman wearing?*, if it is a single garment: a dress."""
    for person in shuffled(view.people, rng):
        worn = view.of(person, "wearing")
        phrase = the(view, person, rng, hide=("clothes",))
        if phrase and [garment.name for garment in worn] == ["dress"] and worn[0].id in view.asked_ids:
            slots = {"s": phrase.text, **agreement(False, person.name)}
            return Draft("wearing", Meaning("what", phrase.pick, "wearing"), "dress", slots, person.id)
    return None


def doing(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What is the boy doing?*"""
    for thing in shuffled(view.beings, rng):
        answer = _activity(view, thing)
        phrase = the(view, thing, rng, hide=("pose", "tie")) if answer else None
        if phrase and answer:
            slots = {"s": phrase.text, **agreement(False, thing.name)}
            return Draft("doing", Meaning("doing", phrase.pick), answer, slots, thing.id)
    return None


def where(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Where is the cat?*"""
    for thing in shuffled(view.subjects, rng):
        spot = _spot(view, thing)
        phrase = the(view, thing, rng, hide=("side", "tie")) if spot else None
        if phrase and spot:
            sits = any(a.id == thing.id and name == "sitting on" for a, name, _ in view.touching)
            key = "where/sitting" if sits else "where"
            return Draft(key, Meaning("where", phrase.pick), spot, {"s": phrase.text}, thing.id)
    return None


def side(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Which side of the picture is the dog on?*"""
    for thing in shuffled(view.subjects, rng):
        phrase = the(view, thing, rng, hide=("side",))
        if phrase and abs(view.centre(thing) - 0.5) >= _ON_A_SIDE:
            return Draft("side", Meaning("side", phrase.pick), side_of(view, thing), {"s": phrase.text}, thing.id)
    return None


def who(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Who is holding the umbrella?* *Who is running?*"""
    first, second = shuffled((_who_touches, _who_acts), rng)
    return first(view, rng) or second(view, rng)


def contents(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What is on the table?*, if only things of one class are."""
    for carrier in shuffled(view.subjects, rng):
        for name in shuffled(("on", "in", "under"), rng):
            found = [a for a, n, b in view.touching if b.id == carrier.id and n == name]
            inner = [a for a, n, b in view.touching if n == "in" and b.id in {f.id for f in found}]
            people = any(b.id == carrier.id and n in ("sitting on", "riding") for _, n, b in view.touching)
            phrase = the(view, carrier, rng, hide=("tie", "wider"))
            if found and not inner and not people and phrase and len({f.name for f in found}) == 1:
                answer = found[0].name if len(found) == 1 else plural_of(found[0].name)
                key = "contents" if len(found) == 1 else "contents/many"
                meaning = Meaning("what", None, name, other=phrase.pick)
                return Draft(key, meaning, answer, {"w": name, "o": phrase.text}, carrier.id)
    return None


def surface(kind: str, view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What is the table made of?* *What pattern is on the shirt?*"""
    nouns = data("nouns")
    words = nouns["materials"] if kind == "material" else {word: word for word in nouns["marks"]}
    for thing in shuffled(view.asked, rng):
        word = view.looks[thing.id].get(kind)
        phrase = the(view, thing, rng, hide=(kind,)) if word in words else None
        if phrase and word and not phrase.many:
            return Draft(kind, Meaning("look", phrase.pick, kind), words[word], {"s": phrase.text}, thing.id)
    return None


def choice(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is the dog black or white?* *Is the door open or closed?*"""
    for thing in shuffled(view.asked, rng):
        looks = view.looks[thing.id]
        kinds = [
            k
            for k in looks
            if (k == "colour" and one_colour(view, thing)) or (k == "pose" and thing in view.beings) or "/" in k
        ]
        kinds = [k for k in kinds if (k not in SIZES or size_shows(view, thing, k)) and "riding" not in looks.values()]
        if not kinds:
            continue
        asked = rng.choice(kinds)
        options = _alternatives(thing, asked, looks[asked])
        phrase = the(view, thing, rng, hide=(asked, "side", "tie")) if options else None
        if phrase:
            pair = shuffled((looks[asked], rng.choice(options)), rng)
            slots = {"s": phrase.text, "w": said_word(pair[0]), "w2": said_word(pair[1])}
            meaning = Meaning("choose", phrase.pick, asked, tuple(pair))
            slots |= agreement(phrase.many, thing.name)
            return Draft("choice", meaning, said_word(looks[asked]), slots, thing.id)
    return None


def _who_touches(view: AskableScene, rng: Random) -> Draft | None:
    for subject, name, other in shuffled(view.touching, rng):
        if name in ("holding", "riding", "sitting on") and subject.id in view.asked_ids:
            phrase = the(view, other, rng, hide=("tie", "wider"))
            if phrase and sum(b.id == other.id and n == name for _, n, b in view.touching) == 1:
                meaning = Meaning("who", phrase.pick, name)
                return Draft("who", meaning, subject.name, {"w": name, "o": phrase.text}, subject.id)
    return None


def _who_acts(view: AskableScene, rng: Random) -> Draft | None:
    """*Who is running?*, if there are several people and only one of them does it."""
    for person in shuffled(view.people, rng):
        word = view.looks[person.id].get("action", view.looks[person.id].get("pose", ""))
        others = [set(view.looks[other.id].values()) for other in view.others(person, "person")]
        telling = word in ("eating", "reading", "running", "jumping", "sitting") and others
        if telling and not any(near(word) & words for words in others):
            meaning = Meaning("who", Pick("person", (word,)), "doing")
            return Draft("who/acting", meaning, person.name, {"w": word}, person.id)
    return None


def _alternatives(thing: Thing, asked: str, true: str) -> list[str]:
    options = list(classes()[thing.name].colours) if asked == "colour" else words_of(asked)
    if asked == "pose":
        human = ["standing", "sitting", "running", "jumping", "walking"]
        options = human if classes()[thing.name].family == "people" else ["standing", "sitting", "lying", "running"]
    return [word for word in options if word not in near(true)]


def _activity(view: AskableScene, thing: Thing) -> str | None:
    looks = view.looks[thing.id]
    known = data("nouns")["activities"]
    act = looks.get("action", "")
    if act in ("riding", "holding"):
        return next((known[act].get(other.name) for other in view.of(thing, act)), None)
    done: str = known["doing"].get(act or looks["pose"], act or looks["pose"])
    return done


def _spot(view: AskableScene, thing: Thing) -> str | None:
    carriers = [(name, b) for a, name, b in view.touching if a.id == thing.id and name != "wearing"]
    held = any(b.id == thing.id and name in ("holding", "riding") for _, name, b in view.touching)
    if held or any(name in ("holding", "riding") for name, _ in carriers):
        return None
    if len(carriers) == 1:
        name, carrier = carriers[0]
        return f"{'on' if name == 'sitting on' else name} {carrier.name}"
    looks = view.looks[thing.id]
    if "flying" in looks.values():
        return "in sky"
    if "swimming" in looks.values():
        return "in water"
    return "on wall" if not carriers and classes()[thing.name].stands == ("wall",) and thing.name != "window" else None
