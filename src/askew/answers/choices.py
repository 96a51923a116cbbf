"""Multiple choice and yes/no: how options are shown to a model, and which answer a reply chooses.

Options are lettered in the order of ``Question.choices``. The answer to such a question is always the *text* of an
option, so that it does not depend on the order of the options.

``RULES`` are those of benchmarks' own evaluators, quirks included, so that figures can be compared. Each follows the
public code named in its docstring. As there, a reply in which a rule finds nothing is a wrong answer (``UNKNOWN``), not
a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from askew.answers.extract_clauses import clauses
from askew.answers.extract_reply import bare, corrected, opened, repeats_itself, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_words import denies, stem
from askew.answers.no_option import NO_OPTION, withholds
from askew.answers.normalise import normalise, tokens, without_punctuation
from askew.language.inflect import number_of
from askew.types import Question

LETTERS = ascii_uppercase
CHOICE_PROMPT = "Answer with the option's letter from the given choices directly."
"""What follows the options, as most evaluations of chat models write it (after LLaVA-1.5, Liu et al. 2023)."""

_WHOLE = re.compile(r"[\s(\[]*(?:(?i:option|choice|answer)[\s:]+)?[\s(\[]*([A-Za-z])[\s)\].:,;!]*")
_FIRST = re.compile(
    r"\(([A-Za-z])\)|(?:(?:option|choice)\s+\(?)?([A-Z])(?:\s*[.:)]\s|\s[—–-]\s|,\s(?![A-Z]\b))|(?:option|choice)\s+\(?([A-Z])\b",
    re.I,
)
_NUMBERED = re.compile(r"(?:option|choice|number|answer)?\s*[(\[]?(\d{1,2})[)\].:]*(?=$|\s)", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"(?:it(?:['’]s| is) )?(?:the )?({'|'.join(_ORDINALS)}|last)(?: (?:one|option|choice|answer)\b|$)", re.IGNORECASE
)
_HAS_NUMBER = re.compile(r"\d")
_CLAUSE = re.compile(r"[.,;:\n]")
_CLAUSES = re.compile(r"[.,;:\n—–]|\bbut\b", re.IGNORECASE)
_LETTER = re.compile(r"\b([B-H])\b")
_REJECTED = re.compile(
    r"\b(?:exclud(?:e|es|ed)|rul(?:e|es|ed) out|eliminat(?:e|es|ed)|wrong|incorrect|false|wait|no, )\b", re.IGNORECASE
)
"""Words of a reply that discusses options, whose first letter may be one that it rejects."""
_DENIAL = re.compile(
    r"\b(?:cannot|not|no|neither|nor|never|without|hardly|barely|scarcely|instead of|rather than|rules? out"
    r"|excludes?|unlike"
    r"|\w+n['’]t)\b"
)
_LAST = re.compile(
    r"(?:[.!?;,:\n→>]\s*|^|\b(?i:so|is|pick|choose|go with|say|answer|therefore|thus|hence|it['’]s"
    r"|points? to|leaves)(?: it(?:['’]s| is))?:? )"
    r"[(\[]?([A-H])[)\]]?[.!)\s]*(?:$|,? (?:because|since|as|due to)\b)"
)
"""A letter at the end, after a clause or a word that leads to it."""
_LETTERS = re.compile(r"\(?[A-H]\)?(?:(?:, | and | or |, and | & |/)\(?[A-H]\)?)+")
_IF_ANSWER = re.compile(r"\bif\b[^.;]*\banswer\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?]\s|\n")
_CORRECT = re.compile(r"([A-H]) (?:is|seems|looks|would be) (?:the )?(?:correct|right|best|true|most)\b")
_ABOUT_MANY = re.compile(r"^(?:more|less|fewer) than|^at (?:least|most)\b", re.IGNORECASE)
_LISTED = re.compile(r"(?:^|[.;\n] ?)\(?([A-H])[:.)] (?=\w)")
_MOST_LISTED = 2
_SINCE = re.compile(
    r"(?:so|since|therefore|thus|hence|because|given|overall|in conclusion|for these reasons)\b", re.IGNORECASE
)
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


def chosen_option(choices: Sequence[str], words: str, question: str = "") -> str | None:
    """The option that a reply in free text names; None if it names none, or several.

    A letter counts if it is written as one (``B``, ``(B)``, ``B. ...``, ``option B``), never the article "A"; so does
    a number that counts from 1, if no option has a digit in it. Otherwise it is the only option whose words are in the
    reply, or the option that is its first clause.

    >>> options, replies = ("a red bus", "a bus", "a train"), ("**B**", "Answer: (C).", "It is a red bus.", "A plane")
    >>> [chosen_option(options, said) for said in replies]
    ['a bus', 'a train', 'a red bus', None]
    """
    text = opened(corrected(bare(words, speaker=False)))
    if repeats_itself(words) or _LETTERS.fullmatch(text) or len(_IF_ANSWER.findall(words)) > 1:
        return None
    if (number := _NUMBERED.match(text)) and not any(map(_HAS_NUMBER.search, choices)):
        place = int(number[1]) - 1
        return choices[place] if 0 <= place < len(choices) else None
    if (ordinal := _ORDINAL.match(text)) is not None:
        place = len(choices) - 1 if ordinal[1].lower() == "last" else _ORDINALS.index(ordinal[1].lower())
        return choices[place] if place < len(choices) else None
    for part in (text, text.partition("\n")[0]):
        if (found := exact_option(choices, part)) is not None:
            return found
    if match := _FIRST.match(text):
        is_rejected = _REJECTED.search(_CLAUSE.split(text[match.end() :], maxsplit=1)[0])
        if not is_rejected and len(_LISTED.findall(text)) < _MOST_LISTED:
            return _lettered(choices, next(filter(None, match.groups())))
    first = _SENTENCE.split(text, maxsplit=1)[0]
    if len(correct := {*_CORRECT.findall(text)}) == 1 and (option := _lettered(choices, *correct)) is not None:
        return option
    if _ABOUT_MANY.search(text) and not any(map(_ABOUT_MANY.search, choices)):
        return None
    for part in (text, first):
        if (last := _LAST.search(part)) is not None and _lettered(choices, last[1]):
            return _lettered(choices, last[1])
    named = {letter for pair in _NAMED.findall(text) for letter in pair if letter}
    if len(named) == 1 and not _REJECTED.search(text):
        return _lettered(choices, named.pop())
    if named:
        return None
    concluding = (sentences(text) or [text])[-1]
    parts = (text, concluding, first) if _SINCE.match(concluding) else (text, first)
    parts = (*(one.text for one in clauses(text) if one.joint in ("so", "arrow")), *parts)
    found = next(filter(None, (mentioned(choices, part, question) for part in parts)), None)
    return found or _part_of_one(choices, text)


def _part_of_one(choices: Sequence[str], text: str) -> str | None:
    """The only option that has all the words of a short reply (Lake Superior of "Superior"), or whose own words, which
    not all options have, are all in the reply ("The boy runs" of "The boy in red is running")."""
    words = {*tokens(text)} - {"the", "a", "an"}
    held = [option for option in choices if words and words <= {*tokens(option)}]
    if len(held) == 1 and len(words) <= _LAST_WORDS and not words & {"no", "not"}:
        return held[0]
    little = {stem(word) for word in rules().little | rules().auxiliaries}
    stems = {option: {*map(stem, tokens(option))} - little for option in choices}
    common = frozenset.intersection(*map(frozenset, stems.values()))
    said = {*map(stem, tokens(text))}
    own = [option for option, of in stems.items() if of - common and of - common <= said]
    return own[0] if len(own) == 1 and common and not any(map(denies, tokens(text))) else None


def _lettered(choices: Sequence[str], letter: str) -> str | None:
    place = LETTERS.find(letter.upper())
    return choices[place] if 0 <= place < len(choices) else None


def mentioned(choices: Sequence[str], text: str, question: str = "") -> str | None:
    """The only option whose words occur in the text consecutively; an option inside a longer one does not count."""
    said = f" {_in_digits(text, choices)} "
    wanted = {option: f" {_in_digits(option, choices)} " for option in choices if tokens(option)}
    found = [option for option, words in wanted.items() if words in said and _is_no_article(option, text)]
    longest = [one for one in found if not any(wanted[one] in wanted[other] and one != other for other in found)]
    if len(longest) > 1 and (than := _THAN.search(text)) is not None:
        compared = {*tokens(question)} & {word for word in tokens(text) if word.endswith("er") or word == "more"}
        leading = letter_of(choices, text.split(",")[0])
        return (
            mentioned(choices, text[: than.start()]) if compared else _lettered(choices, leading) if leading else None
        )
    affirmed = [option for option in longest if not _is_denied(option, text)]
    if len(affirmed) == 1:
        letters = {_lettered(choices, letter) for letter in _LETTER.findall(text)} - {None}
        return affirmed[0] if letters <= {*affirmed} else None
    clause, *others = map(tokens, _CLAUSE.split(text))
    if any(tokens(option) == other for option in longest for other in others if option):
        return None
    return next((option for option in longest if tokens(option) == clause), None)


def _in_digits(text: str, choices: Sequence[str]) -> str:
    """The words of a text, with number words in digits if the options are numbers.

    >>> _in_digits("Two dogs.", ("1", "2")), _in_digits("Two dogs.", ("two dogs", "a dog"))
    ('2 dogs', 'two dogs')
    """
    if not all(number_of(option) is not None for option in choices):
        return " ".join(tokens(text))
    values = ((word, number_of(word)) for word in tokens(text))
    return " ".join(word if value is None else str(value) for word, value in values)


def _is_denied(option: str, text: str) -> bool:
    """Whether a text names an option only in clauses that deny it: "not sunny", "isn't a cat or a dog".

    >>> [_is_denied("a cat", said) for said in ("It is not a cat; a dog.", "It's a cat, not a dog.", "No, a cat")]
    [True, False, False]
    """
    words = " ".join(tokens(option))
    clauses = [f" {' '.join(tokens(clause))} " for clause in _CLAUSES.split(text)]
    parts = [clause.partition(f" {words} ")[0] for clause in clauses if f" {words} " in clause]
    return bool(parts) and all(_DENIAL.search(part + " ") for part in parts)


def _is_no_article(option: str, text: str) -> bool:
    """False for a one-letter option that is not a separate capital in the text: "a dog" does not mean A.

    >>> [_is_no_article("A", said) for said in ("a dog", "A dog", "The letter is A.")], _is_no_article("5", "it is 5")
    ([False, False, True], True)
    """
    letter = option.strip()
    if len(letter) != 1 or not letter.isalpha():
        return True
    return re.search(rf"\b{letter}\b(?!\s+[a-z])", text) is not None


_THAN = re.compile(r"(?<!rather )(?<!other )\bthan\b", re.IGNORECASE)
"""What comes before this is what a comparison is about: "The tree is taller than the house"."""
UNKNOWN = "unknown"
"""The answer for a reply in which a rule finds none."""

_REJECTS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
"""Replies that VLMEvalKit counts as an option Z, which is never correct."""
_VLMEVALKIT_MARKS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_ANSWER_IS = re.compile(r"answer\s+is\s+\**([ABCD])", re.IGNORECASE)
"""Where VLMEvalKit finds a letter in a long reply; the letter may begin a word (*sic*)."""
_LAST_WORDS = 4
"""A letter must be among this many words at the end of a reply."""


def pope(words: str, choices: Sequence[str] = ()) -> str:
    """``evaluate.py`` of POPE (Li et al. 2023): no if the first sentence has the word No, no or not, else yes.

    An empty or refusing reply is a yes there, and so is "NO".

    >>> pope("There is not, I think. Yes."), pope("I cannot tell."), pope("Nope"), pope("no, none")
    ('no', 'yes', 'yes', 'no')
    """
    said = words.split(".")[0].replace(",", "").split(" ")
    return "no" if {"No", "not", "no"} & set(said) else "yes"


def vlmevalkit(words: str, choices: Sequence[str] = ()) -> str:
    """VLMEvalKit's rules without its language model: ``YOrN_Extraction``, or ``can_infer`` for options.

    Yes or no if one of the words occurs and the other does not. An option if exactly one letter occurs as a separate
    word (an article "A" counts) and its first occurrence is among the last four words; else the letter after "answer
    is"; else, in a reply at most twice as long as all options together, the one option whose text occurs.

    >>> vlmevalkit("Yes, it is."), vlmevalkit("No doubt: yes"), vlmevalkit("It is.")
    ('yes', 'unknown', 'unknown')
    >>> options = ("a cat", "a dog")
    >>> [vlmevalkit(said, options) for said in ("B.", "A dog", "It is a dog", "A or B", "b")]
    ['a dog', 'a cat', 'a dog', 'unknown', 'unknown']
    >>> [vlmevalkit(said, options) for said in ("B, since it barks at us", "The answer is b, not a cat")]
    ['unknown', 'a dog']
    """
    if choices:
        return _vlmevalkit_option(words, choices)
    said = without_punctuation(words.lower()).split()
    found = [word for word in ("yes", "no") if word in said]
    return found[0] if len(found) == 1 else UNKNOWN


def naturalbench(words: str, choices: Sequence[str] = ()) -> str:
    """``extract_answer`` of NaturalBench (Li et al. 2024): whichever of the two words occurs first, in upper or lower
    case.

    For options the words are A and B, so an article "a" is the first option.

    >>> naturalbench("I see no dog, so yes"), naturalbench("nothing"), naturalbench("It is a B.", ("x", "y"))
    ('no', 'unknown', 'x')
    """
    names = ("A", "B") if choices else ("yes", "no")
    places = [match.start() if (match := re.search(rf"\b{name}\b", words, re.I)) else -1 for name in names]
    if max(places) < 0:
        return UNKNOWN
    first = 0 if places[1] < 0 or 0 <= places[0] < places[1] else 1
    return choices[first] if choices else names[first]


def exact(words: str, choices: Sequence[str] = ()) -> str:
    """lmms-eval's POPE: the whole reply is yes or no, in upper or lower case; for options, a letter or the text of an
    option.

    AMBER's own evaluator (Wang et al. 2023) also requires "Yes" or "No" with a capital.

    >>> exact(" Yes"), exact("Yes."), exact("b", ("x", "y")), exact("Y", ("x", "y"))
    ('yes', 'unknown', 'y', 'y')
    """
    said = words.strip().lower()
    if not choices:
        return said if said in ("yes", "no") else UNKNOWN
    place = LETTERS.lower().find(said) if len(said) == 1 else -1
    lettered = [choices[place]] if 0 <= place < len(choices) else []
    return next(iter([*lettered, *(option for option in choices if option.strip().lower() == said)]), UNKNOWN)


def mm_upd(words: str, choices: Sequence[str] = ()) -> str:
    """MM-UPD's rule for options (``can_infer_option``, Miyai et al. 2024), and ours where its evaluator asks GPT.

    There a reply that begins with one letter as "A.", "(A)", "A)" or "A," names that option, unless it lists another
    letter in this way; F is "none of the above". Otherwise a reply may say that no option is correct, or name one.

    >>> replies = ("B. a dog", "F. None of the above", "I cannot tell.", "It's a cat")
    >>> [mm_upd(said, ("a cat", "a dog")) for said in replies]
    ['a dog', 'none of the options', 'none of the options', 'a cat']
    """
    text = words.strip()
    lettered = _UPD_LETTER.match(text)
    if lettered is not None and not set(_UPD_LISTED.findall(text)) - {lettered["letter"]}:
        return _lettered(choices, lettered["letter"]) or (NO_OPTION if lettered["letter"] == "F" else UNKNOWN)
    if withholds(text):
        return NO_OPTION
    return chosen_option(choices, text) or bare(text, speaker=False) or UNKNOWN


_UPD_LETTER = re.compile(r"\(?(?P<letter>[A-G])(?:[).,]|$)")
_UPD_LISTED = re.compile(r"([A-G])[.),]")

RULES: Mapping[str, Callable[[str, Sequence[str]], str]] = {
    "pope": pope,
    "vlmevalkit": vlmevalkit,
    "naturalbench": naturalbench,
    "exact": exact,
    "mm-upd": mm_upd,
}
"""The rules by the name given to ``--extract``."""


def _vlmevalkit_option(words: str, choices: Sequence[str]) -> str:
    """``can_infer`` of VLMEvalKit."""
    if any(reject in words for reject in _REJECTS):
        return UNKNOWN
    splits = words.translate(_VLMEVALKIT_MARKS).split()
    options = dict(zip(LETTERS, choices, strict=False))
    lettered = [letter for letter in options if letter in splits]
    if len(lettered) == 1 and splits.index(lettered[0]) >= len(splits) - _LAST_WORDS:
        return options[lettered[0]]
    if not lettered and "Z" in splits:
        return UNKNOWN
    if (match := _ANSWER_IS.search(words)) and match[1].upper() in options:
        return options[match[1].upper()]
    if len(words) > 2 * sum(map(len, choices)):
        return UNKNOWN
    named = [option for option in choices if option.lower() in words.lower()]
    return named[0] if len(named) == 1 else UNKNOWN
