"""An independent evaluator for the tests: answers a CARETS question from its text and its scene alone.

It parses the text with a small grammar of its own, which knows words but no templates, and walks the ontology from the
class down, whereas the generator walks it up. Whatever a scene does not mention is false. It must agree with
every label of the generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from askew.files.read_write import resource
from askew.perturb.carets.attributes import relation_words
from askew.perturb.carets.ontology import choice_classes, lemma, names, number, piece, plural
from askew.types import Scene, Thing

_FRAMES = re.compile(
    r"\b(anywhere in this picture|(?:in|at) (?:the|this) (?:picture|image|photo),?|looking at this (?:picture|photo),"
    r"|(?:does) (?:the|this) (?:picture|image)|anywhere|to be seen|the hair color of)(?= |,|$)"
)
_DETERMINERS = frozenset(("a", "an", "any", "no", "the"))
_JOINS = frozenset(("both", "either", "and", "or"))
LONGEST = 4
"""The maximum number of words in a name or an attribute."""


def answer(text: str, type_: str, scene: Scene) -> str | None:
    """The answer to a question of this type, or None if it cannot be parsed or has no unique answer.

    >>> scene = Scene("1", (Thing("a", "puppy", ("brown", "sitting")), Thing("b", "sofa", ("red",))))
    >>> answer("Is there a brown animal in the picture?", "Q1", scene), answer("Do you see no sofa?", "Q1", scene)
    ('yes', 'no')
    >>> answer("Is there either no sofa or no cat anywhere?", "Q2", scene), answer("Is the sofa blue?", "Q4", scene)
    ('yes', 'no')
    >>> answer("Is the brown animal a puppy or a horse?", "Q5", scene)
    'puppy'
    """
    parsed = parse(text, type_)
    if not parsed.phrases:
        return None
    if type_ in ("Q1", "Q2", "Q3"):
        return _existence(parsed, scene, type_)
    answers = {_answer_about(parsed, thing, scene, type_) for thing in _meant(parsed, scene)}
    return answers.pop() if len(answers) == 1 else None


def _existence(parsed: ParsedQuestion, scene: Scene, type_: str) -> str:
    if type_ == "Q1":
        present = [any(True for _ in _meant(parsed, scene))]
    else:
        present = [any(_is(thing, phrase, scene) for thing in scene.things) for phrase in parsed.phrases]
    pairs = zip(present, parsed.phrases, strict=False)
    true = [not is_there if phrase.determiner == "no" else is_there for is_there, phrase in pairs]
    return "yes" if (all(true) if parsed.join != "or" else any(true)) else "no"


def _meant(parsed: ParsedQuestion, scene: Scene) -> Iterator[Thing]:
    """The things that the first phrase, with its relation, can mean."""
    by_id = {thing.id: thing for thing in scene.things}
    for thing in scene.things:
        if _is(thing, parsed.phrases[0], scene) and (
            len(parsed.phrases) == 1
            or any(
                relation.subject == thing.id
                and relation_words(relation.name) == parsed.relation
                and _is(by_id[relation.object], parsed.phrases[1], scene)
                for relation in scene.relations
            )
        ):
            yield thing


def _answer_about(parsed: ParsedQuestion, thing: Thing, scene: Scene, type_: str) -> str | None:
    if type_ == "Q4":
        return "yes" if _has(thing, parsed.attribute, scene) else "no"
    if type_ == "Q5":
        found = [option for option in parsed.options if lemma(thing.name) in _below(lemma(option))]
    else:
        found = [option for option in parsed.options if _has(thing, option, scene)]
    return found[0] if len(found) == 1 else None


def _is(thing: Thing, phrase: ParsedPhrase, scene: Scene) -> bool:
    return lemma(thing.name) in _below(_class_of(phrase.name)) and all(
        _has(thing, attribute, scene) for attribute in phrase.attributes
    )


def _has(thing: Thing, word: str, scene: Scene) -> bool:
    """True if an attribute, or the action of a person or animal in a relation, is this word or a spelling of it."""
    word = word.removeprefix("made of ")
    own = {attribute.lower() for attribute in thing.attributes}
    if lemma(thing.name) in _below("person") or lemma(thing.name) in _below("animal"):
        own |= {each.name.split(" ")[0].lower() for each in scene.relations if each.subject == thing.id}
    return not own.isdisjoint(_spelled().get(word, {word}))


@lru_cache(maxsize=1 << 12)
def _class_of(name: str) -> str:
    pieces = {spoken: word for word, spoken in names()["pieces"].items()}
    return pieces.get(name) or lemma(name)


@lru_cache(maxsize=1 << 12)
def _below(name: str) -> frozenset[str]:
    """A name and all its subclasses and members, with their other names."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += [member.strip() for member in _classes().get(each, "").split(",") if member.strip()]
            waiting += [other for row in names()["same"] if each in row for other in row]
    return frozenset(found)


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    """The reviewed classes, as in the data file."""
    return resource("perturb/carets/data/ontology.yaml")


@lru_cache(maxsize=1)
def _spelled() -> dict[str, set[str]]:
    """Each spelling of an attribute with all spellings of the same meaning in some category."""
    data = resource("perturb/carets/data/attributes.yaml")
    lines = [each["values"] for each in data["categories"].values()] + list(data["loose"].values())
    found: dict[str, set[str]] = {}
    for line in lines:
        for each in line.split(","):
            same = {word.strip() for word in each.split("=")}
            for word in same:
                found.setdefault(word, set()).update(same)
    for said_of in data["said"].values():
        for word, forms in said_of.items():
            for form in filter(None, forms.values()):
                found.setdefault(form.removeprefix("made of "), set()).update(found[word])
    return found


@dataclass(frozen=True, slots=True)
class ParsedPhrase:
    """A noun phrase of a question with its start and end."""

    determiner: str
    attributes: tuple[str, ...]
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed question."""

    phrases: tuple[ParsedPhrase, ...]
    relation: str = ""
    join: str = ""
    """``and`` or ``or`` between two objects."""
    attribute: str = ""
    options: tuple[str, ...] = ()


def parse(text: str, type_: str) -> ParsedQuestion:
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
        found = _options_pattern(type_).search(body)
        if found is None:
            return ParsedQuestion(())
        options = tuple(re.sub(r"^(an?|made of) ", "", each) for each in re.split(r", | or ", found.group(1)))
        body = body[: found.start()]
        # "the drink, tea or milk", "on the lace antler, tea or milk": the first word is not a choice (it would be "an
        # antler") but belongs to the noun phrase; so does the noun in "the fur, red or tan"
        named = type_ == "Q5" and (options[0] in _class_ends() or number(options[0]) == "one")
        if len(options) > 2 and found.group(1).startswith(options[0]) and (named or _ends_noun(body, options[0])):
            body, options = f"{body}{options[0]}", options[1:]
    elif type_ == "Q4":
        last = _predicate().search(body)
        if last is None:
            return ParsedQuestion(())
        attribute, body = last.group(1), body[: last.start()]
    tokens = body.replace(",", " ,").split()
    phrases = tuple(_phrases(tokens))
    if len(phrases) < 2:
        return ParsedQuestion(phrases, "", "", attribute, options)
    between = tokens[phrases[0].end : phrases[1].start]
    if type_ in ("Q2", "Q3"):
        return ParsedQuestion(
            phrases, "", "".join(word for word in between if word in ("and", "or")), attribute, options
        )
    relation = re.sub(r"^that (is|are) ", "", " ".join(between))
    return ParsedQuestion(phrases, relation, "", attribute, options)


def _phrases(tokens: list[str]) -> Iterable[ParsedPhrase]:
    place = 0
    while place < len(tokens):
        word = tokens[place]
        begins = place + 1 if word in _DETERMINERS else place
        if word in _DETERMINERS or (place and tokens[place - 1] in _JOINS):
            found = _noun(tokens, begins)
            if found:
                attributes, name, end = found
                yield ParsedPhrase(word if word in _DETERMINERS else "", attributes, name, place, end)
                place = end
                continue
        place += 1


def _ends_noun(body: str, word: str) -> bool:
    """True if what looks like the first choice is the noun: the wet fur, striped or plain; the wax paper, red or tan.

    >>> _ends_noun("is the wet ", "fur"), _ends_noun("is the wax ", "paper"), _ends_noun("is the orange ", "orange")
    (True, True, False)
    """
    without, tokens = (text.replace(",", " ,").split() for text in (body, f"{body}{word}"))
    last = [phrase for phrase in _phrases(tokens) if phrase.end == len(tokens)]
    alone = any(phrase.end == len(without) for phrase in _phrases(without))
    return bool(last) and (last[0].name != word or not alone)


def _noun(tokens: list[str], start: int) -> tuple[tuple[str, ...], str, int] | None:
    """The longest name here, with at most two attributes before it."""
    found = []
    for skip in range(2 * LONGEST - 1):
        attributes = _split(tokens[start : start + skip])
        if attributes is None:
            continue
        for length in range(LONGEST, 0, -1):
            end = start + skip + length
            name = " ".join(tokens[start + skip : end])
            if end <= len(tokens) and name in _known():
                found.append((end, -skip, (attributes, name, end)))
                break
    return max(found)[2] if found else None


def _split(tokens: list[str]) -> tuple[str, ...] | None:
    """No, one or two attributes; None if the words are not attributes."""
    text = " ".join(tokens)
    if not tokens or text in _attributes():
        return (text,) if tokens else ()
    for place in range(1, len(tokens)):
        pair = " ".join(tokens[:place]), " ".join(tokens[place:])
        if all(each in _attributes() for each in pair):
            return pair
    return None


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    listed = {member.strip() for line in _classes().values() for member in line.split(",")}
    listed |= set(_classes()) - {"other"}
    return frozenset(listed | {plural(name) for name in listed} | set(names()["pieces"].values()))


@lru_cache(maxsize=1)
def _class_ends() -> frozenset[str]:
    pieces = [piece(name) for name in choice_classes()]
    return frozenset([*pieces, *(name.split()[-1] for name in pieces)])


@lru_cache(maxsize=1)
def _attributes() -> frozenset[str]:
    data = resource("perturb/carets/data/attributes.yaml")
    lines = [each["values"] for each in data["categories"].values()] + list(data["loose"].values())
    found = {word.strip() for line in lines for each in line.split(",") for word in each.split("=")}
    for forms_of in data["said"].values():
        for forms in forms_of.values():
            found.update(filter(None, forms.values()))
    found |= {f"{verb} {word}" for verb in data["predicates"].values() for word in found}
    return frozenset(found)


@lru_cache(maxsize=4)
def _options_pattern(type_: str) -> re.Pattern[str]:
    one = f"(?:{_any(_known() if type_ == 'Q5' else _attributes())})"
    article = rf"(?:an? {one}, )*an? {one} or an? {one}|" if type_ == "Q5" else ""
    return re.compile(rf"(?<= )({article}(?:{one}, )*{one} or {one})$")


@lru_cache(maxsize=1)
def _predicate() -> re.Pattern[str]:
    return re.compile(rf"(?<= )({_any(_attributes())})$")


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
