"""Multiple choice: how options are shown to a model, and which option a reply chooses.

Options are lettered in the order of ``Question.choices``. The answer to such a question is always the *text* of an
option, so that it does not depend on the order of the options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase

from askew.answers.extract_rules import bare
from askew.answers.normalise import normalise, tokens
from askew.types import Question

LETTERS = ascii_uppercase
CHOICE_PROMPT = "Answer with the option's letter from the given choices directly."
"""What follows the options, as most evaluations of chat models write it (after LLaVA-1.5, Liu et al. 2023)."""

_WHOLE = re.compile(r"[\s(\[]*(?:(?i:option|choice|answer)[\s:]+)?[\s(\[]*([A-Za-z])[\s)\].:,;!]*")
_FIRST = re.compile(
    r"\(([A-Za-z])\)|(?:(?:option|choice)\s+\(?)?([A-Z])(?:\s*[.:)]\s|,\s(?![A-Z]\b))|(?:option|choice)\s+\(?([A-Z])\b",
    re.I,
)
_CLAUSE = re.compile(r"[.,;:\n]")
_NAMED = re.compile(r"\b(?:option|choice|answer)\s+(?:is\s+)?[(\[]?([A-Z])\b[)\]]?|\(([A-Z])\)")


def as_asked(question: Question) -> Question:
    """The question as a model reads it: its text is followed by the lettered options, if it has any.

    >>> print(as_asked(Question(1, None, "What is it?", choices=("a cat", "a dog"))).text)
    What is it?
    A. a cat
    B. a dog
    Answer with the option's letter from the given choices directly.
    """
    if not question.choices:
        return question
    options = (f"{letter}. {option}" for letter, option in zip(LETTERS, question.choices, strict=False))
    return replace(question, text="\n".join((question.text, *options, CHOICE_PROMPT)))


def letter_of(choices: Sequence[str], answer: str | None) -> str:
    """The letter of the option with this text; empty if no option has it.

    >>> letter_of(("a cat", "a dog"), "A dog."), letter_of(("a cat", "a dog"), "a fish")
    ('B', '')
    """
    if answer is None:
        return ""
    if answer in choices:
        return LETTERS[choices.index(answer)]
    same = [place for place, option in enumerate(choices) if normalise(option) == normalise(answer)]
    return LETTERS[same[0]] if len(same) == 1 else ""


def exact_option(choices: Sequence[str], words: str) -> str | None:
    """The option that equals the whole reply (as letter, letter and text, or text); None if there is no such option.

    >>> [exact_option(("a cat", "a dog"), said) for said in ("B", "(b)", "B. a dog", "A Dog.", "B. a cat", "dogs")]
    ['a dog', 'a dog', 'a dog', 'a dog', None, None]
    """
    if (match := _WHOLE.fullmatch(words)) and (found := _lettered(choices, match[1])):
        return found
    text = words.strip()
    if start := _FIRST.match(text):
        found = _lettered(choices, next(filter(None, start.groups())))
        if found is not None and normalise(text[start.end() :]) == normalise(found):
            return found
    letter = letter_of(choices, text)
    return choices[LETTERS.index(letter)] if letter else None


def chosen_option(choices: Sequence[str], words: str) -> str | None:
    """The option that a reply in free text names; None if it names none, or several.

    A letter counts if it is written as one (``B``, ``(B)``, ``B. ...``, ``option B``), never the article "A". Otherwise
    it is the only option whose words are in the reply, or the option that is its first clause.

    >>> options, replies = ("a red bus", "a bus", "a train"), ("**B**", "Answer: (C).", "It is a red bus.", "A plane")
    >>> [chosen_option(options, said) for said in replies]
    ['a bus', 'a train', 'a red bus', None]
    """
    text = bare(words, speaker=False)
    if (found := exact_option(choices, text)) is not None:
        return found
    if match := _FIRST.match(text):
        return _lettered(choices, next(filter(None, match.groups())))
    named = {letter for pair in _NAMED.findall(text) for letter in pair if letter}
    if len(named) == 1:
        return _lettered(choices, named.pop())
    return None if named else _mentioned(choices, text)


def _lettered(choices: Sequence[str], letter: str) -> str | None:
    place = LETTERS.find(letter.upper())
    return choices[place] if 0 <= place < len(choices) else None


def _mentioned(choices: Sequence[str], text: str) -> str | None:
    """The only option whose words occur in the text consecutively; an option inside a longer one does not count."""
    said = f" {' '.join(tokens(text))} "
    wanted = {option: f" {' '.join(tokens(option))} " for option in choices if tokens(option)}
    found = [option for option, words in wanted.items() if words in said and _is_no_article(option, text)]
    longest = [one for one in found if not any(wanted[one] in wanted[other] and one != other for other in found)]
    if len(longest) == 1:
        return longest[0]
    clause = tokens(_CLAUSE.split(text, maxsplit=1)[0])
    return next((option for option in longest if tokens(option) == clause), None)


def _is_no_article(option: str, text: str) -> bool:
    """False for a one-letter option that is not a separate capital in the text: "a dog" does not mean A.

    >>> [_is_no_article("A", said) for said in ("a dog", "A dog", "The letter is A.")], _is_no_article("5", "it is 5")
    ([False, False, True], True)
    """
    letter = option.strip()
    if len(letter) != 1 or not letter.isalpha():
        return True
    return re.search(rf"\b{letter}\b(?!\s+[a-z])", text) is not None
