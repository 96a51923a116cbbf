"""Words and patterns of ``extract_rules.yaml``, by which answers are found in free text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.files.read_write import resource


@dataclass(frozen=True)
class Rules:
    """Patterns and words of ``extract_rules.yaml``."""

    thoughts: Sequence[tuple[str, str]]
    wrapped: re.Pattern[str]
    answer_heading: re.Pattern[str]
    heading: re.Pattern[str]
    marks: re.Pattern[str]
    opening: re.Pattern[str]
    unseen: re.Pattern[str]
    absent: Mapping[str, str]
    refused: re.Pattern[str]
    refused_anywhere: re.Pattern[str]
    counting: re.Pattern[str]
    says_yes: re.Pattern[str]
    says_no: re.Pattern[str]
    undecided: re.Pattern[str]
    weakened: re.Pattern[str]
    affirm_alone: frozenset[str]
    open: frozenset[str]
    partly: frozenset[str]
    colours: frozenset[str]
    shades: frozenset[str]
    clause: frozenset[str]
    people_say: frozenset[str]
    affirm: frozenset[str]
    deny: frozenset[str]
    zero: frozenset[str]
    auxiliaries: frozenset[str]
    little: frozenset[str]
    degrees: frozenset[str]
    states: Mapping[str, frozenset[str]]
    """For a state, the states that deny it: of open, closed and shut. What is not closed is open."""
    contrasts: Mapping[str, frozenset[str]]
    """For another word, those that deny it: of big, small and tiny. What is not small may not be big."""
    same_states: Mapping[str, frozenset[str]]
    """For a state, other words for it: of closed, shut."""
    colour_contrasts: Mapping[str, frozenset[str]]
    """For a colour, all others but its spellings."""
    same_colours: Mapping[str, frozenset[str]]
    phrases: Sequence[tuple[re.Pattern[str], str]]
    """Patterns of states in several words, with one word for each."""
    broad: frozenset[str]
    """Kinds that hold others: an animal may be a dog."""
    relations: frozenset[str]
    unanswered: re.Pattern[str]
    unreadable: re.Pattern[str]
    asks_text: re.Pattern[str]
    image_missing: tuple[re.Pattern[str], re.Pattern[str]]
    concludes: re.Pattern[str]
    numbers_elsewhere: Mapping[str, int]
    corrects: re.Pattern[str]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """The rules, loaded once."""
    data = resource("answers/extract_rules.yaml")
    unseen, reviewed = data["unseen"], resource("language/antonyms.yaml")

    def any_of(patterns: Sequence[str], wrap: str = "{}") -> re.Pattern[str]:
        return re.compile(wrap.format("|".join(f"(?:{part})" for part in patterns)), re.IGNORECASE | re.DOTALL)

    return Rules(
        thoughts=[(start, end) for start, end in data["thoughts"]],
        wrapped=any_of(data["wrapped"]),
        answer_heading=re.compile(data["answer_heading"], re.IGNORECASE | re.MULTILINE),
        heading=re.compile(data["heading"], re.IGNORECASE | re.MULTILINE),
        marks=any_of(data["marks"]),
        opening=any_of(data["openings"], r"^(?:{})\b[,:!.]*\s+(?=\S)"),
        unseen=re.compile(rf"{unseen['start']} ({'|'.join(unseen['words'])})\b(?!{'|'.join(unseen['except'])})", re.I),
        absent=unseen["words"],
        refused=any_of(data["refusals"]["start"], r"^(?:{})"),
        refused_anywhere=any_of(data["refusals"]["anywhere"]),
        counting=any_of(data["counting"]),
        says_yes=any_of(data["says_yes"], r"^(?:{})"),
        says_no=any_of(data["says_no"], r"^(?:{})"),
        undecided=any_of(data["undecided"], r"^(?:{})"),
        weakened=any_of(data["weakened"]),
        states=_opposites(data["states"], reviewed["complementary"]),
        contrasts=_opposites(data["contrasts"], reviewed["contrary"]),
        same_states=_same(data["states"]),
        colour_contrasts=_other_colours(data["colours"], data["same_colours"]),
        same_colours=_same(data["same_colours"]),
        phrases=[(re.compile(rf"\b(?:{said})\b", re.IGNORECASE), word) for word, said in data["phrases"].items()],
        unanswered=any_of(data["unanswered"]),
        unreadable=any_of(data["unreadable"]["words"]),
        asks_text=any_of(data["unreadable"]["asked"], r"\b(?:{})\b"),
        image_missing=(any_of(data["image_missing"]["what"]), any_of(data["image_missing"]["how"])),
        numbers_elsewhere={str(word): n for n, words in data["numbers_elsewhere"].items() for word in words},
        corrects=any_of(data["corrects"]),
        concludes=any_of(
            data["concludes"], r"(?<=[.!?;\n])\s+(?:(?:{})\b,?\s+(?=\S)|(?=(?:it|this|that|he|she|they) must\b))"
        ),
        **{
            name: frozenset(data[name])
            for name in (
                *("affirm", "affirm_alone", "deny", "zero", "auxiliaries", "little", "degrees", "open", "partly"),
                *("colours", "people_say", "relations", "shades", "clause", "broad"),
            )
        },
    )


def _opposites(pairs: Sequence[str], reviewed: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, frozenset[str]]:
    """For each word of "open opened | closed shut" and of reviewed antonyms, the words on the other side."""
    opposites: dict[str, frozenset[str]] = {}
    for pair in (*pairs, *(" | ".join(one["pair"]) for one in reviewed)):
        left, right = (frozenset(side.split()) for side in pair.split("|"))
        for words, others in ((left, right), (right, left)):
            opposites |= {word: opposites.get(word, frozenset()) | others for word in words}
    return opposites


def _other_colours(colours: Sequence[str], same: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each colour, the others; two names of one colour do not deny each other."""
    alike = _same(same)
    return {one: frozenset(colours) - alike.get(one, frozenset()) - {one} for one in colours}


def _same(pairs: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each word of "open opened | closed shut", the words on the same side."""
    sides = [frozenset(side.split()) for pair in pairs for side in pair.split("|")]
    return {word: side for side in sides for word in side}
