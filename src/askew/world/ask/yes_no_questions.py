"""Yes/no questions about things. Each function returns a draft with the wanted answer, or None."""

from __future__ import annotations

from random import Random

from askew.language.inflect import with_article
from askew.types import Thing
from askew.world.ask.askable_scene import SIZES, AskableScene, one_colour, shuffled, size_shows, the, words_of
from askew.world.phrasing import Draft, Meaning, Pick, agreement, alike, data, near, plural_of, said_word
from askew.world.world_data import classes, is_a, is_main, places

_STATES = ("open/closed", "full/empty", "wet/dry", "clean/dirty", "young/old", "happy/sad", *sorted(SIZES))
_AGENT = ("holding", "riding", "sitting on", "wearing")


def exists(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is there a dog in the picture?*"""
    if rng.random() < 0.3:
        return _exists_so(view, rng, want)
    noun = _present(view, rng) if want == "yes" else absent(view, rng)
    if noun is None:
        return None
    many = rng.random() < 0.35 and (want == "no" or len(view.named(noun)) > 1)
    one, plural = view.call(noun, rng)
    slots = {"a": with_article(one), "many": plural}
    return Draft("exists/many" if many else "exists/one", Meaning("exists", Pick(noun)), want, slots)


def attribute(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is the door open?* *Is the man's shirt red?*"""
    for thing in shuffled(view.asked, rng):
        kinds = [kind for kind in view.looks[thing.id] if _can_verify(view, thing, kind)]
        if not kinds:
            continue
        kind = rng.choice(kinds)
        word = _word(view, thing, kind, rng, want)
        phrase = the(view, thing, rng, hide=(kind, "side" if kind in SIZES else "")) if word else None
        if word and phrase:
            slots = {"s": phrase.text, "w": word, **agreement(phrase.many, thing.name)}
            slots["stuff"] = data("nouns")["materials"].get(word, word)
            slots["marks"] = data("nouns")["marks"].get(word, word)
            named = kind if kind in ("colour", "material", "pattern") else "switch" if kind == "on/off" else "state"
            return Draft(f"attribute/{named}", Meaning("is", phrase.pick, kind, (word,)), want, slots, thing.id)
    return None


def action(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is the girl running?*"""
    for thing in shuffled(view.beings, rng):
        doing = [word for word in (view.looks[thing.id].get(kind) for kind in ("pose", "action")) if word]
        phrase = the(view, thing, rng, hide=("pose", "tie"))
        word = rng.choice([w for w in doing if w not in ("holding", "riding")]) if want == "yes" else None
        if want == "no":
            possible = [w for w in _doable(thing) if not any(w in near(true) for true in doing)]
            word = rng.choice(possible) if possible else None
        if phrase and word:
            slots = {"s": phrase.text, "w": said_word(word), **agreement(False, thing.name)}
            return Draft("action", Meaning("is", phrase.pick, "pose", (word,)), want, slots, thing.id)
    return None


def contact(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is the man holding an umbrella?* *Is the cat on the sofa?*"""
    if want == "yes":
        for subject, name, other in shuffled(view.touching, rng):
            if subject.id in view.asked_ids and other.id in view.asked_ids:
                draft = _touches(view, rng, subject, name, other.name, want)
                if draft:
                    return draft
        return None
    return _no_contact(view, rng)


def relation(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is the dog to the left of the table?* A "no" question asks for the converse of a true relation."""
    words = data("nouns")
    for subject, name, other in shuffled(view.spatial, rng)[:6]:
        if want == "no" and name not in words["converse"]:
            continue
        asked = name if want == "yes" else words["converse"][name]
        one = the(view, subject, rng, hide=("side", "tie"))
        two = the(view, other, rng, hide=("side", "tie"))
        if one and two and one.pick.noun != two.pick.noun:
            slots = {"s": one.text, "o": two.text, "w": rng.choice(words["relations"][asked])}
            meaning = Meaning("relates", one.pick, asked, other=two.pick)
            return Draft("relation", meaning, want, slots | agreement(False, subject.name))
    return None


def called(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is this a horse?*, if it is the only animal; *Are these cows?*, if all animals are."""
    for wide in shuffled(data("nouns")["kinds"], rng):
        group = view.named(wide)
        names = {thing.name for thing in group}
        if len(names) != 1 or not view.wider(wide) or (len(group) > 1 and rng.random() < 0.4):
            continue
        true = next(iter(names))
        family = [name for name in classes() if is_a(name, wide) and not is_a(true, name) and not is_a(name, true)]
        noun = true if want == "yes" else rng.choice([name for name in family if name not in alike(true)])
        one, plural = view.call(noun, rng)
        slots = {"a": with_article(one), "many": plural, "g": wide, "gs": plural_of(wide)}
        key = "called" if len(group) == 1 else "called/many"
        return Draft(key, Meaning("is called", Pick(wide), values=(noun,)), want, slots)
    return None


def group(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Are the dogs brown?* *Are they sitting?* Only asked if it is true of all or of none."""
    for noun in shuffled([*sorted(view.names), "person"], rng):
        things = view.named(noun)
        if len(things) < 2 or any(thing.id not in view.asked_ids for thing in things):
            continue
        for kind in shuffled(("colour", "pose", "open/closed", "on/off", "clean/dirty", "wet/dry"), rng):
            draft = _all_are(view, rng, want, noun, things, kind)
            if draft:
                return draft
    return None


def same(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Are the cars the same color?*"""
    for noun in shuffled(sorted(view.names), rng):
        things = view.named(noun)
        if len(things) < 2 or not all(one_colour(view, t) and t.id in view.asked_ids for t in things):
            continue
        colours = {view.looks[thing.id]["colour"] for thing in things}
        clear = len(colours) == 1 or any(b not in near(a) for a in colours for b in colours)
        if clear and (len(colours) == 1) == (want == "yes"):
            one, plural = view.call(noun, rng)
            return Draft("same", Meaning("same", Pick(noun), "colour"), want, {"noun": one, "many": plural})
    return None


def absent(view: AskableScene, rng: Random) -> str | None:
    """A class that is absent and that nothing in the scene can be mistaken for; mostly one that fits the place."""
    likely = list(places()[view.scene.facts["place"]].things)
    pool = likely if rng.random() < 0.6 else [name for name in classes() if is_main(name)]
    for name in shuffled(pool, rng):
        taken = any(is_a(other, name) or is_a(name, other) for other in view.names)
        if not taken and not view.names.intersection(alike(name)):
            return name
    return None


def _present(view: AskableScene, rng: Random) -> str | None:
    things = view.subjects
    if not things:
        return None
    noun = rng.choice(things).name
    wide = [word for word in data("nouns")["wider"] if word in classes()[noun].hypernyms and view.wider(word)]
    return rng.choice(wide) if wide and rng.random() < 0.15 else noun


def _exists_so(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is there a red car?*"""
    for thing in shuffled(view.subjects, rng):
        if not one_colour(view, thing):
            continue
        here = view.named(thing.name)
        colours = [view.looks[other.id].get("colour", "") for other in here]
        if want == "yes":
            colour = view.looks[thing.id]["colour"]
        else:
            ruled = frozenset().union(*(near(c) for c in colours))
            possible = [c for c in classes()[thing.name].colours if c not in ruled]
            if not possible or not all(one_colour(view, other) for other in here):
                continue
            colour = rng.choice(possible)
        one, plural = view.call(thing.name, rng)
        slots = {"a": with_article(f"{colour} {one}"), "many": f"{colour} {plural}"}
        several = rng.random() < 0.2 and (want == "no" or colours.count(colour) > 1)
        meaning = Meaning("exists", Pick(thing.name, (colour,)))
        return Draft("exists/many" if several else "exists/one", meaning, want, slots)
    return None


def _can_verify(view: AskableScene, thing: Thing, kind: str) -> bool:
    if kind == "colour":
        return one_colour(view, thing)
    if kind in SIZES:
        return size_shows(view, thing, kind)
    return kind in ("pattern", "material", "on/off") or kind in _STATES


def _word(view: AskableScene, thing: Thing, kind: str, rng: Random, want: str) -> str | None:
    true = view.looks[thing.id][kind]
    if want == "yes":
        return true if true != "plain" else None
    kept = classes()[thing.name]
    possible = {"colour": list(kept.colours), "pattern": list(kept.patterns), "material": list(kept.materials)}
    words = possible.get(kind) or words_of(kind)
    words = [word for word in words if word not in ("none", "plain") and word not in near(true)]
    return rng.choice(words) if words else None


def _doable(thing: Thing) -> list[str]:
    if classes()[thing.name].family == "people":
        return ["standing", "sitting", "walking", "running", "jumping", "eating", "reading", "throwing"]
    return ["sitting", "standing", "lying", "running", "flying", "swimming"]


def _touches(view: AskableScene, rng: Random, subject: Thing, name: str, noun: str, want: str) -> Draft | None:
    """The draft of *Is the subject ... a (or the) noun?*"""
    phrase = the(view, subject, rng, hide=("tie", "clothes"))
    if phrase is None or is_a(noun, phrase.pick.noun):
        return None
    one, plural = view.call(noun, rng)
    definite = name not in ("holding", "riding", "wearing") and len(view.named(noun)) == 1
    if not definite and name in ("on", "under", "in"):
        return None
    text = f"the {one}" if definite else plural if noun in data("nouns")["plural"] else with_article(one)
    slots = {"s": phrase.text, "w": name, "o": text, **agreement(False, subject.name)}
    return Draft("contact", Meaning("relates", phrase.pick, name, other=Pick(noun)), want, slots)


def _no_contact(view: AskableScene, rng: Random) -> Draft | None:
    place = places()[view.scene.facts["place"]]
    for subject in shuffled(view.people, rng):
        name = rng.choice(_AGENT)
        offered = {"holding": place.held, "riding": place.ridden, "sitting on": place.seats, "wearing": {"hat": 1}}[
            name
        ]
        true = [other.name for other in view.of(subject, name)]
        nouns = [noun for noun in offered if not any(noun in alike(held) for held in true)]
        if name == "sitting on":
            nouns = [noun for noun in nouns if noun in view.names]
        if nouns and not (name == "riding" and true):
            draft = _touches(view, rng, subject, name, rng.choice(nouns), "no")
            if draft:
                return draft
    carriers = [thing for thing in view.subjects if thing.name in ("table", "sofa", "bed", "bench", "chair")]
    for subject in shuffled(view.subjects, rng):
        family = classes()[subject.name].family
        fitting = [c for c in carriers if c.id != subject.id and not view.joined(c, subject)]
        if family in ("animals", "household", "food") and fitting and classes()[subject.name].stands[0] != "wall":
            carrier = rng.choice(fitting)
            indirect = any(a.id == subject.id and view.joined(b, carrier) for a, _, b in view.touching)
            if not indirect:  # as fruit in a bowl is on the table
                return _touches(view, rng, subject, "on", carrier.name, "no")
    return None


def _all_are(view: AskableScene, rng: Random, want: str, noun: str, things: list[Thing], kind: str) -> Draft | None:
    words = [view.looks[thing.id].get(kind) for thing in things]
    if kind == "pose" and any(thing not in view.beings for thing in things):
        return None
    if any(word is None for word in words) or (kind == "colour" and not all(one_colour(view, t) for t in things)):
        return None
    true = sorted({word for word in words if word})
    if want == "yes":
        if len(true) != 1:
            return None
        word = true[0]
    else:
        ruled = frozenset().union(*(near(w) for w in true))
        options = list(classes()[things[0].name].colours) if kind == "colour" else words_of(kind)
        if kind == "pose":
            options = [w for w in _doable(things[0]) if w in words_of("pose")]
        options = [w for w in options if w not in ruled]
        if not options:
            return None
        word = rng.choice(options)
    if kind == "pose" and any(view.looks[thing.id].get("action") == "riding" for thing in things):
        return None
    they = noun == "person" and kind == "pose"
    one, plural = view.call(noun, rng)
    slots = {"noun": one, "many": plural, "w": said_word(word)}
    return Draft("group/they" if they else "group", Meaning("is", Pick(noun), kind, (word,)), want, slots, noun)
