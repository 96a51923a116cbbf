"""Questions read back from their words alone: what they say is what was meant, and there is no second reading.

The reader below knows English and the phrasings, not the makers. Each text is read in every way that fits; all
readings that make sense in the scene must give the true answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from askew.errors import DataError
from askew.language.inflect import number_of
from askew.types import Scene
from askew.world.ask import asked
from askew.world.phrasing import Meaning, Pick, data, phrasings, plural_of, said_word
from askew.world.scenes import make_scene
from askew.world.world_data import classes, dimensions, is_a
from independent_answers import true_answer


def either(words: list[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, set(words)), key=len, reverse=True)) + ")"


NOUN: dict[str, str] = {}
for _name in [*classes(), *data("nouns")["wider"]]:
    _said = data("nouns")["said"].get(_name, {"words": []})["words"]
    NOUN |= dict.fromkeys([_name, plural_of(_name), *_said], _name)
PLACES = [*data("nouns")["rooms"], *data("nouns")["places"]]
RELATION = {word: name for name, words in data("nouns")["relations"].items() for word in words}
POSE = {word: word for kind in ("pose", "action") for word in dimensions()[kind]}
POSE |= {said: word for word, said in data("nouns")["words"].items() if word in POSE}
LOOK = [word for kind in ("colour", "pattern", "material") for word in dimensions()[kind]]
LOOK += [word for kind in ("always", "sometimes") for pair in dimensions()[kind] for word in pair.split("/")]
FACT = {word: ("setting", word) for word in ("indoors", "outdoors")} | {
    "inside": ("setting", "indoors"),
    "outside": ("setting", "outdoors"),
    "daytime": ("time", "day"),
    "nighttime": ("time", "night"),
}
FACT |= {word: ("weather", word) for word in ("sunny", "cloudy", "rainy", "snowy")}
SPORTS = ("soccer", "basketball", "tennis", "surfing", "skateboarding", "horse riding")
FACT |= {said_word(word): ("sport", word) for word in SPORTS}
STUFF = {stuff: word for word, stuff in data("nouns")["materials"].items()}
MARKS = {marks: word for word, marks in data("nouns")["marks"].items()}

noun = either(list(NOUN))
garment = either([word for word, name in NOUN.items() if name in classes() and classes()[name].family == "clothing"])
base = rf"(?:the|this) (?:{either([*LOOK, 'left', 'right'])} )?{noun}"
touch = "(?:holding|riding|sitting on|on|in|under)"
tail = (
    rf"(?: on the (?:left|right)(?: side of the picture)?| (?:who|that) is {either(list(POSE))}"
    rf"| in the {either(LOOK)} {garment}| {touch} the {noun}| the {noun} is (?:holding|riding))?"
)
phrase = rf"(?:{base}'s {garment}|the {garment} of {base}{tail}|{base}{tail})"
some = rf"(?:{either(LOOK)} )?{noun}"
SLOTS = {
    "s": phrase,
    "o": rf"(?:{phrase}|(?:an? )?{noun})",
    "a": rf"an? (?:{some}|{either(PLACES)})",
    "many": some,
    "noun": some,
    "others": noun,
    "g": "(?:animal|vehicle|fruit|room)",
    "gs": "(?:animals|vehicles|fruits)",
    "n": r"\w+",
    "w": rf"(?:{either([*LOOK, *POSE, *RELATION, *FACT, 'wearing', 'sitting on'])}|{touch}|on the {noun})",
    "w2": either([*LOOK, *POSE]),
    "stuff": either(list(STUFF)),
    "marks": either(list(MARKS)),
    "is": "(?:is|are)",
    "do": "(?:does|do)",
    "at": "(?:at|on)",
    "it": r"\w+",
    "its": r"\w+",
}


@cache
def patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    made = []
    for key, (texts, _) in phrasings().items():
        for text in texts:
            seen: set[str] = set()
            pattern = ""
            for part in re.split(r"({\w+})", text.lower().rstrip("?")):
                name = part.strip("{}")
                if not part.startswith("{"):
                    pattern += re.escape(part)
                elif name in seen:
                    pattern += SLOTS[name] if name in ("is", "it") else f"(?P={name})"
                else:
                    seen.add(name)
                    pattern += f"(?P<{name}>{SLOTS[name]})"
            made.append((key, text, re.compile(pattern)))
    return made


def pick(text: str) -> Pick:
    """A noun phrase, read."""
    if match := re.fullmatch(rf"(?P<who>{base})'s (?P<what>{garment})", text):
        return Pick(NOUN[match["what"]], tie="worn by", to=pick(match["who"]))
    if match := re.fullmatch(rf"the (?P<what>{garment}) of (?P<who>{base}{tail})", text):
        return Pick(NOUN[match["what"]], tie="worn by", to=pick(match["who"]))
    match = re.fullmatch(
        rf"(?:the |this |an? )?(?:(?P<word>{either([*LOOK, 'left', 'right'])}) )?(?P<noun>{noun})(?P<tail>{tail})", text
    )
    if match is None:
        raise ValueError(text)
    name, word, rest = NOUN[match["noun"]], match["word"], match["tail"].strip()
    side = word if word in ("left", "right") else ""
    words = (word,) if word and not side else ()
    if found := re.fullmatch(r"on the (left|right)( side of the picture)?", rest):
        return Pick(name, words, found[1])
    if found := re.fullmatch(r"(?:who|that) is (.*)", rest):
        return Pick(name, (*words, POSE[found[1]]))
    if found := re.fullmatch(r"the (.*) is (holding|riding)", rest):
        return Pick(name, words, tie={"holding": "held by", "riding": "ridden by"}[found[2]], to=pick(found[1]))
    if found := re.fullmatch(rf"in the ({either(LOOK)}) ({garment})", rest):
        return Pick(name, words, tie="wearing", to=Pick(NOUN[found[2]], (found[1],)))
    if found := re.fullmatch(rf"({touch}) the (.*)", rest):
        return Pick(name, words, tie=found[1], to=pick(found[2]))
    return Pick(name, words, side)


def read(key: str, slots: dict[str, str]) -> Iterator[Meaning]:
    """What the words of these slots mean in this phrasing."""
    kind, _, flavour = key.partition("/")
    said = {name: pick(slots[name]) for name in ("s", "many", "noun", "others") if name in slots}
    if "o" in slots:
        said["o"] = pick(slots["o"])
    word = slots.get("w", "")
    word = POSE.get(word, word)
    group = said.get("many") or said.get("noun")
    if kind == "exists":
        yield Meaning("exists", group or pick(slots["a"]))
    elif kind in ("attribute", "action") and word.startswith("on the"):
        return
    elif kind in ("attribute", "action"):
        yield Meaning("is", said["s"], values=(word or STUFF.get(slots.get("stuff", "")) or MARKS[slots["marks"]],))
    elif kind in ("contact", "relation") and word in POSE and word not in ("holding", "riding"):
        return
    elif kind in ("contact", "relation"):
        yield Meaning("relates", said["s"], RELATION.get(word, word), other=said["o"])
    elif kind == "how_many":
        number = number_of(slots["n"]) if "n" in slots else 1
        yield Meaning("count is", group, values=(str(number),))
    elif kind == "several":
        yield Meaning("more than", group, values=("1",))
    elif kind == "more":
        yield Meaning("more", said["many"], other=said["others"])
    elif kind == "called":
        name = group.noun if group else pick(slots["a"]).noun
        wide = (
            slots.get("g")
            or slots.get("gs", "").rstrip("s")
            or next((w for w in data("nouns")["kinds"] if is_a(name, w)), "animal")
        )
        yield Meaning("is called", Pick(wide), values=(name,))
    elif kind == "group":
        yield Meaning("is", group or Pick("person"), values=(word,))
    elif kind == "same":
        yield Meaning("same", group, "colour")
    elif kind == "whole" and "a" in slots:
        name = re.sub("^an? ", "", slots["a"])
        if name in PLACES:
            yield Meaning("fact is", about="place", values=(name,))
    elif kind == "whole":
        yield Meaning("fact is", about=FACT[word][0], values=(FACT[word][1],))
    elif kind == "count" and flavour and word.startswith("on the"):
        yield Meaning("count", Pick(said["many"].noun, tie="on", to=pick(word.removeprefix("on "))))
    elif kind == "count":
        words = (*said["many"].words, word) if flavour else said["many"].words
        yield Meaning("count", Pick(said["many"].noun, words))
    elif key == "color/worn" and "o" in said:
        yield Meaning("look", Pick(said["noun"].noun, tie="worn by", to=said["o"]), "colour")
    elif kind in ("color", "colors"):
        yield Meaning("look", said.get("s") or group, "colour")
    elif kind == "kind" and slots.get("g") == "room":
        yield Meaning("fact", about="place")
    elif kind == "kind":
        yield Meaning("name", Pick(slots.get("g") or slots["gs"].rstrip("s")))
    elif kind == "place":
        yield Meaning("fact", about="sport" if flavour == "sport" else "place")
    elif kind in ("weather", "time"):
        yield Meaning("fact", about=kind)
    elif kind in ("holding", "riding", "wearing"):
        yield Meaning("what", said["s"], kind)
    elif kind in ("doing", "where", "side"):
        yield Meaning(kind, said["s"])
    elif kind == "who":
        yield Meaning("who", Pick("person", (word,)), "doing") if flavour else Meaning("who", said["o"], word)
    elif kind == "contents":
        yield Meaning("what", None, word, other=said["o"])
    elif kind in ("material", "pattern"):
        yield Meaning("look", said["s"], kind)
    elif kind == "choice":
        yield Meaning("choose", said["s"], values=(word, POSE.get(slots["w2"], slots["w2"])))


def readings(scene: Scene, text: str) -> Iterator[tuple[Meaning, str]]:
    """Every reading of a text that makes sense in the scene, with its answer."""
    for key, _, pattern in patterns():
        match = pattern.fullmatch(text)
        try:
            for meaning in read(key, match.groupdict()) if match else ():
                yield meaning, true_answer(scene, meaning)
        except (DataError, KeyError, ValueError, StopIteration):
            continue


def test_every_question_has_one_reading_and_its_answer_is_true() -> None:
    checked = 0
    for index in range(300):
        scene = make_scene(14, index)
        for one in asked(scene, 14):
            plain = one.text.lower().rstrip("? ")
            answers = dict(readings(scene, plain))
            assert set(answers.values()) == {one.answer}, (scene.id, one.text, one.answer, answers)
            checked += 1
    assert checked > 2000
