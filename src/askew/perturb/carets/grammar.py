"""Reading a CARETS question back: its noun phrases, logic, attribute and choices, from the text alone.

A small grammar of its own, which knows words but no template: the independent evaluator reads questions with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from askew.perturb.carets.ontology import choice_classes, names, number, piece, plural, read

_FRAMES = re.compile(
    r"\b(anywhere in this picture|(?:in|at) (?:the|this) (?:picture|image|photo),?|looking at this (?:picture|photo),"
    r"|(?:does) (?:the|this) (?:picture|image)|anywhere|to be seen)(?= |,|$)"
)
_DETERMINERS = frozenset(("a", "an", "any", "no", "the"))
_JOINS = frozenset(("both", "either", "and", "or"))
LONGEST = 4
"""Words in a name or an attribute, at most."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase of a question, and where it ends and begins."""

    determiner: str
    attributes: tuple[str, ...]
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """A question, read."""

    phrases: tuple[Phrase, ...]
    relation: str = ""
    join: str = ""
    """``and`` or ``or`` between two objects."""
    attribute: str = ""
    options: tuple[str, ...] = ()


def parse(text: str, type_: str) -> Parsed:
    """The parts of a question of this type.

    >>> parsed = parse("Do you see either no red cup or no fork in this photo?", "Q2")
    >>> [(phrase.determiner, phrase.attributes, phrase.name) for phrase in parsed.phrases], parsed.join
    ([('no', ('red',), 'cup'), ('no', (), 'fork')], 'or')
    >>> parsed = parse("What color is the bottle that is on the shelf, white or blue?", "Q6")
    >>> [phrase.name for phrase in parsed.phrases], parsed.relation, parsed.options
    (['bottle', 'shelf'], 'on', ('white', 'blue'))
    """
    body = " ".join(_FRAMES.sub(" ", text.rstrip("?").lower()).split())
    options: tuple[str, ...] = ()
    attribute = ""
    if type_ in ("Q5", "Q6", "Q7"):
        found = _options(type_).search(body)
        if found is None:
            return Parsed(())
        options = tuple(re.sub(r"^(an?|made of) ", "", each) for each in re.split(r", | or ", found.group(1)))
        body = body[: found.start()]
        # "the drink, tea or milk", "on the lace antler, tea or milk": the first word is no choice, which would be "an
        # antler", but the class, or what is meant; "the fur, red or tan": the noun
        named = type_ == "Q5" and (options[0] in _class_ends() or number(options[0]) == "one")
        if len(options) > 2 and found.group(1).startswith(options[0]) and (named or _ends_noun(body, options[0])):
            body, options = f"{body}{options[0]}", options[1:]
    elif type_ == "Q4":
        last = _predicate().search(body)
        if last is None:
            return Parsed(())
        attribute, body = last.group(1), body[: last.start()]
    tokens = body.replace(",", " ,").split()
    phrases = tuple(_phrases(tokens))
    if len(phrases) < 2:
        return Parsed(phrases, "", "", attribute, options)
    between = tokens[phrases[0].end : phrases[1].start]
    if type_ in ("Q2", "Q3"):
        return Parsed(phrases, "", "".join(word for word in between if word in ("and", "or")), attribute, options)
    relation = re.sub(r"^that (is|are) ", "", " ".join(between))
    return Parsed(phrases, relation, "", attribute, options)


def _phrases(tokens: list[str]) -> Iterable[Phrase]:
    place = 0
    while place < len(tokens):
        word = tokens[place]
        begins = place + 1 if word in _DETERMINERS else place
        if word in _DETERMINERS or (place and tokens[place - 1] in _JOINS):
            found = _noun(tokens, begins)
            if found:
                attributes, name, end = found
                yield Phrase(word if word in _DETERMINERS else "", attributes, name, place, end)
                place = end
                continue
        place += 1


def _ends_noun(body: str, word: str) -> bool:
    """True when what looks like the first choice is the noun: the wet fur, striped or plain; the wax paper, red or tan.

    >>> _ends_noun("is the wet ", "fur"), _ends_noun("is the wax ", "paper"), _ends_noun("is the orange ", "orange")
    (True, True, False)
    """
    without, tokens = (text.replace(",", " ,").split() for text in (body, f"{body}{word}"))
    last = [phrase for phrase in _phrases(tokens) if phrase.end == len(tokens)]
    alone = any(phrase.end == len(without) for phrase in _phrases(without))
    return bool(last) and (last[0].name != word or not alone)


def _noun(tokens: list[str], start: int) -> tuple[tuple[str, ...], str, int] | None:
    """The longest name here, with at most one attribute before it."""
    found = []
    for skip in range(LONGEST):
        before = " ".join(tokens[start : start + skip])
        if skip and before not in _attributes():
            continue
        for length in range(LONGEST, 0, -1):
            end = start + skip + length
            name = " ".join(tokens[start + skip : end])
            if end <= len(tokens) and name in _known():
                found.append((end, -skip, ((before,) if skip else (), name, end)))
                break
    return max(found)[2] if found else None


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    listed = {member.strip() for line in read("ontology.yaml").values() for member in line.split(",")}
    listed |= set(read("ontology.yaml")) - {"other"}
    return frozenset(listed | {plural(name) for name in listed} | set(names()["pieces"].values()))


@lru_cache(maxsize=1)
def _class_ends() -> frozenset[str]:
    pieces = [piece(name) for name in choice_classes()]
    return frozenset([*pieces, *(name.split()[-1] for name in pieces)])


@lru_cache(maxsize=1)
def _attributes() -> frozenset[str]:
    data = read("attributes.yaml")
    lines = [each["values"] for each in data["categories"].values()] + list(data["loose"].values())
    found = {word.strip() for line in lines for each in line.split(",") for word in each.split("=")}
    for said in data["said"].values():
        for forms in said.values():
            found.update(filter(None, forms.values()))
    found |= {f"{verb} {word}" for verb in data["predicates"].values() for word in found}
    return frozenset(found)


@lru_cache(maxsize=4)
def _options(type_: str) -> re.Pattern[str]:
    one = f"(?:{_any(_known() if type_ == 'Q5' else _attributes())})"
    article = rf"(?:an? {one}, )*an? {one} or an? {one}|" if type_ == "Q5" else ""
    return re.compile(rf"(?<= )({article}(?:{one}, )*{one} or {one})$")


@lru_cache(maxsize=1)
def _predicate() -> re.Pattern[str]:
    return re.compile(rf"(?<= )({_any(_attributes())})$")


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
