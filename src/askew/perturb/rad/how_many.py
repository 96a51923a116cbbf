"""Y/N←HM: "How many ⟨S⟩? ⟨N1⟩" becomes "Are there ⟨N2⟩ ⟨S⟩?" (Rosenberg et al. 2021, Table 1 and App. B)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.language.inflect import is_mass, is_plural, nouns, number_of, number_word, plural, singular
from askew.language.tagger import Tagger, Token
from askew.perturb.rad.how_many_tails import Tail, read_tail, words
from askew.perturb.rad.what_kind import is_listed
from askew.perturb.rad.yes_no_template import (
    AnswerPools,
    CannotAsk,
    QuestionFrame,
    YesNoQuestion,
    YesNoTemplate,
    cut_noun,
    plain,
    read_tokens,
    tidy,
    word_list,
)

_HOW_MANY = re.compile(r"how many \S.*", re.IGNORECASE)
_ESTIMATED = 10
"""From this number on, people estimate rather than count."""


@dataclass(frozen=True)
class HowManyFrame(QuestionFrame):
    """A parsed counting question."""

    noun: str
    """The counted noun with its modifiers, in the plural."""
    of: str
    """A phrase such as ``of pizza``, with a space before it; empty if there is none."""
    tail: Tail
    exactly: bool = False

    def ask(self, value: str) -> YesNoQuestion:
        """Are there this many?

        >>> HowManyFrame("cakes", "", Tail("direct", " on the table", " on the table")).ask("1").text
        'Is there one cake on the table?'
        """
        frame, number = f"how-many/{self.tail.frame}", _number(value, self.exactly)
        if value != "1":
            return YesNoQuestion(f"Are there {number} {self.noun}{self.of}{self.tail.many}?", "are there", frame)
        if self.tail.one is None:
            raise CannotAsk("refers to several things, so there is no question about one")
        noun = singular(self.noun)
        sorts = noun.rpartition(" ")[2].lower() in word_list("sorting")
        of = singular(self.of) if sorts and is_plural(self.of.rpartition(" ")[2]) else self.of  # one kind of animal
        return YesNoQuestion(f"Is there {number} {noun}{of}{self.tail.one}?", "is there", frame)

    def can_ask(self, value: str) -> bool:
        """True unless there is no question about one thing."""
        return value != "1" or self.tail.one is not None


@dataclass(frozen=True)
class HowMany(YesNoTemplate):
    """The counting template. As in the paper, the word after "How many" must be tagged as a noun.

    >>> template = HowMany()
    >>> template.value("Five"), template.value("many")
    ('5', None)
    >>> template.clash("5", "five"), template.clash("3", "2 or 3"), template.clash("4", "5")
    (True, True, False)

    From ten on, people estimate, so a number within a quarter of an answer is not certainly wrong:

    >>> template.clash("18", "20"), template.clash("30", "20")
    (True, False)
    """

    exactly: bool = False
    """Ask "Are there exactly two dogs?": where there are three, one may say that there are two."""

    test = "Y/N←HM"
    unfit = "the answer is not a number"

    def matches(self, text: str) -> bool:
        """For "How many ...?"."""
        return _HOW_MANY.fullmatch(tidy(text)) is not None

    def value(self, answer: str) -> str | None:
        """The number in digits."""
        number = number_of(answer)
        return None if number is None else str(number)

    def keys(self, text: str) -> Sequence[str]:
        """Numbers of the same noun, and of any."""
        return f"how-many:{cut_noun(text, 2)}", "how-many"

    def clash(self, drawn: str, given: str) -> bool:
        """True when the given answer names the drawn number, or one too near to tell."""
        asked = int(drawn)
        return any(
            asked == number or (number >= _ESTIMATED and 4 * abs(asked - number) <= number)
            for number in _numbers(given)
        )

    def read(self, text: str, tagger: Tagger, pools: AnswerPools) -> HowManyFrame:
        """Parse a counted noun and the words after it."""
        tokens = read_tokens(text, tagger)[2:]
        noun, of, rest = _counted(tokens)
        if rest and rest[0].lower in {"have", "has"} and noun.split()[-1].lower() in word_list("parts"):
            raise CannotAsk("asks what somebody has or does")
        return HowManyFrame(noun, of, read_tail(rest), self.exactly)


def _number(value: str, exactly: bool) -> str:
    return "exactly " * exactly + number_word(int(value))


@lru_cache(maxsize=1 << 12)
def _numbers(answer: str) -> tuple[int, ...]:
    whole = number_of(answer)
    if whole is not None:
        return (whole,)
    parts = (number_of(word) for word in re.split(r"[^0-9a-z]+", plain(answer)) if word != "no")
    return tuple(number for number in parts if number is not None)


def _counted(tokens: Sequence[Token]) -> tuple[str, str, Sequence[Token]]:
    """The counted noun in the plural, its ``of ...``, and the tokens after it."""
    end = 0
    while end < len(tokens) and (tokens[end].is_noun or (end and tokens[end].tag == "HYPH")):
        end += 1
    if not end:
        raise CannotAsk('the word after "How many" is not a noun')
    if end < len(tokens) and tokens[end].tag in {"POS", "CC"}:
        raise CannotAsk("the counted phrase is not one noun")
    for token in tokens[: end - 1]:  # "pizzas pies", but not "sports cars"
        if token.tag == "NNS" and is_plural(token.text) and not is_listed("plural modifiers", token.lower):
            raise CannotAsk("the counted phrase is not one noun")
    head = tokens[end - 1].text
    if is_mass(head) and head.lower() not in nouns("invariant"):
        raise CannotAsk("the noun is uncountable")
    after = _of_end(tokens, end)
    of = " " + words(tokens[end:after]) if after > end else ""
    return plural(words(tokens[:end])), of, tokens[after:]


def _of_end(tokens: Sequence[Token], start: int) -> int:
    if start >= len(tokens) or tokens[start].lower != "of":
        return start
    end = start + 1
    while end < len(tokens) and (tokens[end].is_noun or tokens[end].tag in {"DT", "PRP$", "POS", "JJ", "CD", "CC"}):
        end += 1
    while end > start and not tokens[end - 1].is_noun:
        end -= 1
    if end == start:
        raise CannotAsk("the counted phrase is not one noun")
    return end
