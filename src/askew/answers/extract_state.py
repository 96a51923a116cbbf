"""What a sentence says about a state, a colour, a number or a kind that a yes/no question asks about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

from askew.answers.extract_rules import rules
from askew.answers.extract_words import LINKS, PRONOUNS, denies, is_of_asked, link_before, stem, word_set
from askew.answers.normalise import tokens
from askew.language.inflect import number_of


@lru_cache(maxsize=1 << 10)
def with_single_words(text: str) -> str:
    """The text with one word for states that are written in several: "on the ground" is grounded."""
    for pattern, word in rules().phrases:
        text = pattern.sub(word, text)
    return text


def state(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence names the state that the question asks about, or its opposite: "closed" to "Is it open?".

    Empty if it says neither ("not small" of big), None if it names no such state. It must be said of the same thing:
    "The door is closed" says nothing about a window.

    >>> said = ("The road surface looks dry.", "The red door is closed.", "It's blue.")
    >>> [state(question, tokens(reply)) for question, reply in zip(("Is the road wet?", "Is the door open?",
    ...     "Is the ball green?"), said, strict=True)]
    ['no', 'no', 'no']
    """
    known, asked = rules(), tokens(question)
    if (place := _place(asked, words)) is not None:
        return place
    for one in asked[1:]:
        denied = any(map(denies, words))
        if len(one) > _ALONE and (
            f"un{one}" in words or (one.startswith("un") and one[2:] in words and one not in words)
        ):
            subject = words[: link_before(words, len(words)) or 0]
            return None if denied or not is_of_asked(asked, subject) else "no"
    groups = (known.states, known.contrasts, known.colour_contrasts)
    places = _OPPOSITE_PLACES.keys() - {"on", "off", "up", "down"} if len(words) <= _FEW else frozenset()
    named = [
        (one, of) for of in groups for one in reversed(asked) if one in of and (one in places or _is_asked(one, asked))
    ]
    for one, of in sorted(named, key=lambda each: each[1][each[0]].isdisjoint(words)):
        found = _said_of_state(asked, words, one, of[one], of is known.states)
        if found is not None:
            return found
    return None


def _place(asked: Sequence[str], words: Sequence[str]) -> str | None:
    """no, if the words put what is asked about on another side of the same thing: "on the table" of under it."""
    for at, word in enumerate(asked):
        for other in _OPPOSITE_PLACES.get(word, ()) if at > 1 else ():
            if other not in words or word in words:
                continue
            place, thing = words.index(other), [one for one in asked[at + 1 :] if one not in rules().little][-1:]
            link = link_before(words, place)
            subject = words[: link + 1] if link is not None and words[link] in PRONOUNS else words[:link]
            same_thing = {*thing} <= {*words[place:]} or words[place + 1 :] in ((), ("it",), ("them",))
            if link is not None and same_thing and is_of_asked(asked[:at], subject) and not any(map(denies, words)):
                return "no"
    return None


def _said_of_state(asked: Sequence[str], words: Sequence[str], one: str, others: Set[str], is_one: bool) -> str | None:
    """yes or no, if the words say it of this state; ``is_one``: whatever is not in the opposite state is in it."""
    known = rules()
    same = known.same_states.get(one, frozenset()) | {one}
    places = [at for at, word in enumerate(words) if word in same | others]
    places = [at for at in places if words[at] != "still" or at + 1 == len(words)]
    if not places:
        return None
    place = places[0]
    small = {*asked, *PRONOUNS} | known.little | known.auxiliaries | known.degrees | known.shades
    before = words[:place]
    link = link_before(words, place)
    if link is None and words[place + 1 : place + 2] and words[place + 1] in asked:
        link = next((at for at in range(place - 1, 0, -1) if words[at] in ("has", "have")), None)
    if link is None:
        is_alone = {word for word in words if word not in same | others and not denies(word)} <= small
        if not is_alone or len(words) > _ALONE or (len(words) > 1 and before and before[-1] in known.relations):
            return None
    else:
        joined = max((at for at in range(link, place) if words[at] == "and"), default=link)
        between = {*words[joined + 1 : place]}
        subject = words[: link + 1] if words[link] in PRONOUNS else words[:link]
        is_noun = place + 1 < len(words) and words[place + 1] not in _ENDS | _SCENES | {*asked}
        if not between.isdisjoint(known.relations | _NOUN_MARKS if is_noun else known.relations):
            return None
        if not is_of_asked(asked, subject):
            return "" if one in words and not others.isdisjoint(words) and "there" not in asked else None
    if (
        words[place + 1 : place + 2] == ("and",)
        and place + 2 in places
        and len({words[place], words[place + 2]} & same) == 1
    ):
        return ""
    denied = any(map(denies, before))
    if words[place] in same and not _PARTLY.isdisjoint(before):
        return ""
    if words[place] in same:
        return "no" if denied else "yes"
    return "no" if not denied else "yes" if is_one else ""


def _is_asked(word: str, asked: Sequence[str]) -> bool:
    """Whether a state is what a question asks about, and neither begins a place ("on the left") nor only names a thing
    ("Is the open door green?")."""
    if word in _OPPOSITE_PLACES:
        return asked[-1] == word
    known = rules()
    if "than" in asked or (asked[asked.index(word) + 1 : asked.index(word) + 2] == ("of",) and word == "made"):
        return False
    after = asked[asked.index(word) + 1 :]
    return not any(stem(one) != one and one.endswith("ing") for one in after) and not (
        {*after} & (known.states.keys() | known.colours) - _OPPOSITE_PLACES.keys() - {"outdoors", "indoors"}
        and not {*after} & known.relations
    )


def replaced(question: str, words: Sequence[str]) -> str | None:
    """no, if a sentence repeats the question with another colour or number: "a blue shirt" to "Is it a red shirt?".

    >>> said = tokens("The man is wearing a blue shirt.")
    >>> replaced("Is the man wearing a red shirt?", said), replaced("Is the man wearing red shoes?", said)
    ('no', None)
    """
    known, asked = rules(), tokens(question)
    small = {stem(word) for word in known.little | known.auxiliaries | PRONOUNS | LINKS | known.degrees}
    pronoun = words[:1] and words[0] in PRONOUNS and words[0] != "there"
    stems = {stem(word) for word in words}
    if any(map(denies, words)) or not _COMPARED.isdisjoint(asked):
        return None
    for of_kind in (known.colours.__contains__, _counts):
        named, said = (([word for word in text if of_kind(word)]) for text in (asked, words))
        if len(named) != 1 or not said or named[0] in said or {*said} <= known.same_colours.get(named[0], frozenset()):
            continue
        if of_kind is _counts and (
            asked[1:2] != ("there",) or {number_of(one) for one in said} == {number_of(named[0])}
        ):
            continue
        rest = [stem(word) for word in asked if word != named[0] and stem(word) not in small]
        if rest and {*(rest[1:] if pronoun else rest)} <= stems and len(said) == 1:
            return "no"
    return None


def of_another_kind(question: str, sentence: str) -> str | None:
    """no, if a sentence calls what the question is about something else: "It's a school" to "Is this a hospital?".

    A kind that holds many others ("Is this an animal?") is left open.

    >>> of_another_kind("Is this a hospital?", "It's a school"), of_another_kind("Is it an animal?", "It is a dog")
    ('no', None)
    """
    asked, said = _NAME_ASKED.match(question), _NAME_SAID.match(sentence)
    if asked and said:
        return None if any(map(denies, tokens(sentence))) else "yes" if asked[1] == said[1] else "no"
    asked, said = _KIND_ASKED.match(question), _KIND_SAID.match(sentence)
    if asked is None or said is None:
        return None
    wanted, named = [stem(word) for word in tokens(asked["kind"])], {stem(word) for word in tokens(said["kind"])}
    if not wanted or len(wanted) > 2 or not rules().broad.isdisjoint(wanted) or any(map(denies, tokens(sentence))):
        return None
    return "no" if named.isdisjoint(wanted) and "or" not in tokens(sentence) else None


def _counts(word: str) -> bool:
    return number_of(word) is not None and word not in ("no", "none", "nothing")


_OPPOSITE_PLACES: Mapping[str, Sequence[str]] = {
    "on": ("under", "underneath", "beneath", "below", "above", "inside"),
    **dict.fromkeys(("under", "underneath", "beneath", "below"), ("on", "above", "over")),
    **dict.fromkeys(("above", "over"), ("under", "underneath", "beneath", "below")),
    **{"behind": ("front",), "front": ("behind", "back"), "left": ("right",), "right": ("left",)},
    **{"inside": ("outside",), "outside": ("inside",), "off": (), "up": (), "down": (), "at": ("away",)},
    **{"back": ("front",), "top": ("bottom",), "bottom": ("top",), "near": ("far",), "facing": ("away",)},
}
_PARTLY = word_set("almost nearly half partly partially somewhat")
_FEW = 2
_ALONE = 4
"""The most words of a reply that names a state without a verb."""
_NOUN_MARKS = word_set("a an the wearing holding with has have")
_SCENES = word_set("one scene setting photo picture image shot environment space")
_ENDS = word_set("and but with in on at so because as from for to by since now")
_COMPARED = word_set("more less least most fewer than over under or")
_KIND_ASKED = re.compile(
    r"(?:is|was|are|could|does)n?['’]?t? (?:it|this|that)(?: be| look like)? an? (?P<kind>[\w' -]+?)\?*$", re.I
)
_NAME_ASKED = re.compile(r"Is (?:that|this|it) ([A-Z]\w+)\?$")
_NAME_SAID = re.compile(r"(?:It|That|This)(?:['’]s| is) ([A-Z]\w+)")
_KIND_SAID = re.compile(
    r"(?:(?:it|this|that)(?:['’]s| is| was| looks| appears| seems)|the \w+ is)(?: to be| like| actually| just| rather"
    r"| more like| in fact| clearly| definitely| probably)* an? (?P<kind>[\w' -]+)",
    re.I,
)
