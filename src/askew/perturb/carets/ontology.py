"""The ontology of CARETS: classes of things, parts, and the number of names.

CARETS (Jimenez, Russakovsky and Narasimhan 2022, section 4.1) takes hypernyms from WordNet and reviews them by hand.
Here, what questions *claim* (a jacket is clothing) comes only from reviewed data (``data/ontology.yaml``,
``data/names.yaml``); what they must *avoid* (treating animals as absent next to a husky) also uses every sense in
WordNet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from askew.files.read_write import resource
from askew.language import inflect
from askew.language.wordnet import WORDNET

Number = Literal["one", "many", "mass"]
"""``a cup``, ``any cups``, ``any water``."""


@lru_cache(maxsize=1 << 14)
def lemma(name: str) -> str:
    """A name in the singular, as in the ontology; names that have only a plural are unchanged.

    >>> lemma("Pillows"), lemma("pants"), lemma("men"), lemma("glass"), lemma("wine glasses")
    ('pillow', 'pants', 'man', 'glass', 'wine glass')
    """
    name = " ".join(name.lower().split())
    if name in _names("plural") or name in members() or name.rpartition(" ")[2] in inflect.nouns("pairs"):
        return name
    return inflect.singular(name)


@lru_cache(maxsize=1 << 14)
def number(name: str) -> Number:
    """Whether a name means one thing, several things, or a mass.

    >>> number("cup"), number("shorts"), number("sky"), number("sheep"), number("people"), number("clothes")
    ('one', 'many', 'mass', 'one', 'many', 'many')
    """
    name = " ".join(name.lower().split())
    for listed, found in (("singular", "one"), ("plural", "many"), ("mass", "mass")):
        if name in _names(listed):
            return found  # type: ignore[return-value]
    last = name.rpartition(" ")[2]
    if inflect.is_mass(name):
        return "mass"
    if last in _names("singular"):
        return "one"
    if last in _names("plural") or inflect.is_plural(last):
        return "many"
    return "one"


def plural(name: str) -> str:
    """The plural of a name; plurals, mass nouns and groups are unchanged.

    >>> plural("dog"), plural("person"), plural("clothing"), plural("shelf")
    ('dogs', 'people', 'clothing', 'shelves')
    """
    if number(name) != "one" or name in _names("group"):
        return name
    if name.endswith("shelf"):
        return name[:-1] + "ves"
    return inflect.plural(name)


@lru_cache(maxsize=1)
def members() -> Mapping[str, frozenset[str]]:
    """Each known name with its direct classes."""
    found: dict[str, set[str]] = {}
    for name, listed in resource("perturb/carets/data/ontology.yaml").items():
        if name != "other":
            found.setdefault(name, set())
        for member in listed.split(","):
            found.setdefault(member.strip(), set()).update({name} - {"other"})
    return {name: frozenset(classes) for name, classes in found.items()}


@lru_cache(maxsize=1 << 14)
def up(name: str) -> frozenset[str]:
    """A lemma, its other names, and all its classes in the reviewed data.

    >>> sorted(up("puppy")), "vehicle" in up("skateboard"), "animal" in up("hot dog")
    (['animal', 'dog', 'mammal', 'puppy'], False, False)
    """
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += members().get(each, ())
            waiting += _same().get(each, ())
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def may_be(name: str) -> frozenset[str]:
    """``up`` and the hypernyms of any WordNet sense of the name (or its last word): to avoid errors, not for claims.

    >>> "canine" in may_be("puppy"), "signal" in may_be("traffic light")
    (True, True)
    """
    return up(name) | _by_wordnet(name)


@lru_cache(maxsize=1 << 13)
def wider(name: str) -> tuple[str, ...]:
    """The classes that a question may use for a name, in the order of the data: never itself or a doubtful class.

    >>> wider("puppy"), wider("hot dog"), wider("skateboard"), wider("grass")
    (('animal', 'mammal', 'dog'), ('food',), (), ())
    """
    own = {name, *_same().get(name, ())}
    return tuple(word for word in _names("wider") if word in up(name) and word not in own and not doubtful(name, word))


def doubtful(name: str, word: str) -> bool:
    """True if people would not use this class for it, though it is a member (``never`` in the data)."""
    return not up(name).isdisjoint(names()["never"].get(word, ()))


@lru_cache(maxsize=1 << 14)
def blocks(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """What prevents asking about a name as absent.

    First, lemmas that must not be in the scene: a wider word, another name, something similar. Second, classes that
    nothing in the scene may belong to: a narrower word, a whole it may be part of, a part that it may have.

    >>> exactly, under = blocks("tire")
    >>> "wheel" in exactly, "vehicle" in under, "car" in under, "woman" in blocks("mammal")[0]
    (True, True, False, True)
    """
    mine = may_be(name)
    own = frozenset({name, *_same().get(name, ())})
    exactly = set(mine) | own
    for row in names()["alike"]:
        if not own.isdisjoint(row):
            exactly.update(row)
    if loosely := names()["strictly"].get(name):
        exactly.update(each for each in members() if not up(each).isdisjoint(loosely))
    under = set(own)
    for whole, parts in names()["parts"].items():
        if not mine.isdisjoint(parts):
            under.add(whole)
        if whole in mine:
            under.update(parts)
    return frozenset(exactly), frozenset(under)


def absent(name: str, lemmas: Iterable[str], classes: frozenset[str]) -> bool:
    """True if a scene with these lemmas, which may be of these classes, certainly shows no such thing.

    >>> scene = ["car", "man"]
    >>> classes = may_be("car") | may_be("man")
    >>> [absent(name, scene, classes) for name in ("giraffe", "tire", "vehicle", "truck", "shirt", "person")]
    [True, False, False, False, False, False]
    """
    exactly, under = blocks(name)
    return exactly.isdisjoint(lemmas) and under.isdisjoint(classes)


@lru_cache(maxsize=1 << 16)
def kin(one: str, other: str) -> bool:
    """True if two names may mean the same thing: a class of it, another name for it, or something similar.

    >>> kin("cat", "animal"), kin("sofa", "couch"), kin("cup", "mug"), kin("cup", "fork")
    (True, True, True, False)
    """
    return one in may_be(other) or other in blocks(one)[0]


@lru_cache(maxsize=1 << 16)
def exclusive(one: str, other: str) -> bool:
    """True if one thing cannot have both names.

    >>> exclusive("cat", "cow"), exclusive("cat", "animal"), exclusive("cup", "mug")
    (True, False, False)
    >>> exclusive("man", "woman"), exclusive("man", "skater"), exclusive("skier", "surfer")
    (True, False, True)
    """
    first, second = lemma(one), lemma(other)
    if "person" in up(first) and "person" in up(second):
        return first != second and any({first, second} <= {*row} for row in names()["people"])
    return first != second and not kin(first, second) and not kin(second, first)


@lru_cache(maxsize=1 << 13)
def choosable(name: str) -> bool:
    """True if a list of choices can name it: it is neither too broad nor a person whom no other name excludes.

    >>> choosable("cake"), choosable("dessert"), choosable("man"), choosable("tourist")
    (True, False, True, False)
    """
    base = lemma(name)
    if base in _names("broad") or base in choice_classes():
        return False
    return "person" not in up(base) or any(base in row for row in names()["people"])


def figure(attributes: Iterable[str]) -> bool:
    """True if these attributes of a person or animal say that it is a figure: a wooden fish."""
    return any(each.lower() in _names("figures") for each in attributes)


def cased(text: str) -> str:
    """A text with its acronyms and proper names in their usual case.

    >>> cased("is there a tv or an american flag?"), cased("do you see suvs?")
    ('is there a TV or an American flag?', 'do you see SUVs?')
    """
    usual = {word.lower(): word for word in names()["cased"]}
    return re.sub(rf"\b({'|'.join(usual)})(?=s?\b)", lambda found: usual[found.group(1)], text)


def known(name: str) -> bool:
    """True if a lemma is in the reviewed data.

    >>> known("umbrella"), known("thingamajig")
    (True, False)
    """
    return name in members()


@lru_cache(maxsize=1)
def first_words() -> frozenset[str]:
    """The first words of multi-word names in the reviewed data.

    >>> "fire" in first_words(), "umbrella" in first_words()
    (True, False)
    """
    return frozenset(name.split()[0] for name in members() if " " in name)


@lru_cache(maxsize=1 << 13)
def askable(name: str) -> bool:
    """True if questions may use a name: it is known, and neither vague nor about the image itself.

    >>> askable("umbrella"), askable("umbrellas"), askable("background"), askable("qxz")
    (True, True, False, False)
    """
    base = lemma(name)
    return known(base) and base not in _names("vague") and name not in _names("vague")


def countable(name: str) -> bool:
    """True if people would ask "Is there a ... ?" (not about the sun or the ground).

    >>> countable("sun"), countable("cloud")
    (False, True)
    """
    return lemma(name) not in _names("unique")


def piece(word: str) -> str:
    """The name of one thing of a class: a piece of furniture, an animal.

    >>> piece("furniture"), piece("animal")
    ('piece of furniture', 'animal')
    """
    return str(names()["pieces"].get(word, word))


@lru_cache(maxsize=1)
def choice_classes() -> tuple[str, ...]:
    """The classes that an object choice question can use."""
    return tuple(names()["choice"])


@lru_cache(maxsize=1 << 13)
def question_classes(base: str) -> tuple[str, ...]:
    """The classes that an object choice question can use for a thing with this lemma."""
    if not choosable(base):
        return ()
    return tuple(name for name in choice_classes() if name in up(base) and name != base and not doubtful(base, name))


def names() -> Any:
    """The reviewed data about names."""
    return resource("perturb/carets/data/names.yaml")


@lru_cache(maxsize=32)
def _names(listed: str) -> Mapping[str, None]:
    """A list of names in the order of the data, with fast lookup."""
    return dict.fromkeys(names()[listed])


@lru_cache(maxsize=1)
def _same() -> Mapping[str, tuple[str, ...]]:
    return {name: tuple(row) for row in names()["same"] for name in row}


@lru_cache(maxsize=1 << 13)
def _by_wordnet(name: str) -> frozenset[str]:
    waiting = list(WORDNET.senses(name, "n") or WORDNET.senses(name.rpartition(" ")[2], "n"))
    found, seen = set[str](), set[str]()
    while waiting:
        synset = waiting.pop()
        if synset.offset not in seen:
            seen.add(synset.offset)
            found.update(word.replace("_", " ").lower() for word in synset.words)
            waiting += [WORDNET.to(pointer) for pointer in synset.related("@", "@i")]
    return frozenset(found)
