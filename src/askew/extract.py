"""From a model's own words to a VQA answer: a named step whose name stands in results.json.

The store keeps the words, the step is applied when they are scored, so another step needs no new asking. It looks at
the question and the words alone, never at people's answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from askew.errors import BadOption
from askew.language.numbers import number_of
from askew.spoken import bare, first_sentence, opened, refuses, rules, unquoted
from askew.text import tokens
from askew.types import Prediction, Question

VERSIONS: Mapping[str, int] = {"none": 1, "short": 2}
"""The steps there are. A version is raised whenever a step may take another answer out of the same words."""
STEPS = tuple(VERSIONS)
REFUSAL, EMPTY = "refusal", "empty answer"


def check_step(step: str) -> None:
    """Refuse a step that is none."""
    if step not in STEPS:
        raise BadOption(f"No extraction is called {step!r}. Known: {', '.join(STEPS)}.")


def signature(step: str) -> str:
    """The step with its version.

    >>> signature("short")
    'short-v2'
    """
    check_step(step)
    return f"{step}-v{VERSIONS[step]}"


def extract(step: str, question: Question, prediction: Prediction) -> Prediction:
    """The prediction with its answer taken out of the model's words, which stay beside it as ``raw``.

    >>> said = Prediction(1, "Yes, there is a dog.")
    >>> found = extract("short", Question(1, None, "Is there a dog?"), said)
    >>> found.answer, found.raw
    ('yes', 'Yes, there is a dog.')
    >>> extract("short", Question(1, None, "Who is it?"), Prediction(1, "I'm sorry, I can't help with that.")).error
    'refusal'
    """
    check_step(step)
    if step == "none" or prediction.answer is None:
        return prediction
    answer, error = short(question.text, prediction.answer)
    return replace(prediction, answer=answer, error=error, raw=prediction.answer)


def short(question: str, words: str) -> tuple[str | None, str | None]:
    """An answer in few words and lower case, or what kind of non-answer the words are.

    Thoughts and marks go; then a question of yes or no takes the first word (or what the sentence affirms), a question
    how many takes the number, any other what a sentence says of its subject, or else its first clause.

    >>> short("How many dogs are there?", "There are **three** dogs.")
    ('3', None)
    >>> short("What color is the cat?", "<think>Fur.</think>The cat is white.")
    ('white', None)
    """
    text = bare(words)
    if not text:
        return None, EMPTY
    form = yes_no if asks_yes_no(question) else count if asks_how_many(question) else None
    if form is not None and (found := form(question, text)) is not None:
        return found, None
    if refuses(text):
        return None, REFUSAL
    found = _settled(question, text)
    return (found, None) if found else (None, EMPTY)


def asks_yes_no(question: str) -> bool:
    """True for a question that begins with an auxiliary (after an opening such as "In the picture,"), without "or".

    >>> [asks_yes_no(q) for q in ("Is it red?", "In the photo, are there dogs?", "Is it red or blue?", "What is it?")]
    [True, True, False, False]
    """
    if "or" in tokens(question):
        return False
    return any(tokens(part)[:1] and tokens(part)[0] in rules().auxiliaries for part in question.split(",")[-2:])


def asks_how_many(question: str) -> bool:
    """True for a question after a number of things.

    >>> [asks_how_many(q) for q in ("How many cats?", "What is the number of cats?", "What number is on the bus?")]
    [True, True, False]
    """
    return rules().counting.search(question) is not None


def yes_no(question: str, text: str) -> str | None:
    """yes or no, or None when the text says neither.

    >>> yes_no("Is the dog asleep?", "The dog is not asleep."), yes_no("Is the cat black?", "The cat is white.")
    ('no', None)
    """
    known = rules()
    sentence = first_sentence(opened(text))
    words = tokens(sentence)
    if words[:1] and words[0] in known.affirm:
        return "yes"
    if words[:1] and words[0] in known.deny:
        return "no"
    if refuses(text):
        return None
    if words[:1] == ("there",) and not known.deny.isdisjoint(words[2:3]):
        return "no"
    said = {word for word in tokens(text) if word in ("yes", "no")}
    if len(said) == 1 and not (said == {"no"} and "yes" not in words and "no" not in words[:3]):
        return said.pop()
    return _affirmed(question, words)


def count(question: str, text: str) -> str | None:
    """The number that the text names, in digits, or None.

    >>> count("How many dogs?", "There are twenty-one dogs."), count("How many dogs?", "No dogs."), count("", "2 or 3")
    ('21', '0', None)
    """
    if (number := number_of(text)) is not None:
        return str(number)
    if _RANGE.search(text) or refuses(text):
        return None
    for total in (_TOTAL.findall(text)[-1:], [_PART_OF.sub(" ", first_sentence(opened(text)))]):
        for part in total:
            if (found := _first_number(part)) is not None:
                return str(found)
    return None


def phrase(question: str, text: str) -> str:
    """What a sentence says of its subject, or else its first clause.

    >>> phrase("What is the man holding?", "The man is holding a tennis racket in his hand.")
    'tennis racket'
    >>> phrase("Where is the cat?", "The cat is on the table, next to a cup.")
    'on the table'
    """
    sentence = opened(first_sentence(opened(text)))
    if match := _COPULA.match(sentence):
        sentence = _without_repeated(question, match["rest"]) or sentence
    clause = _CLAUSE.split(sentence, maxsplit=1)[0] if len(sentence.split()) > 3 else sentence
    for tail in _TAILS:
        clause = tail.sub("", clause)
    return _ARTICLE.sub("", unquoted(clause)).lower()


_COPULA = re.compile(
    r"^(?:(?:it|this|that|there|he|she|they|these|those|you|we|i|what|(?:the|a|an|his|her|its|their|my|your|one|both|"
    r"some|all)\b[^,;:]*?|[\w'’-]+(?: [\w'’-]+){0,3}?)\s+(?:is|are|was|were"
    r"|(?:appears?|seems?)(?: to be)?|looks?(?: like)?|(?:says|reads):?(?=\s[\"“']))|(?:it|that|there|he|she|they"
    r"|these)['’](?:s|re))\b\s+(?:(?:most )?likely |probably |possibly |clearly |currently |mostly |called |named )*"
    r"(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r",\s+(?!and\b|or\b)|\s+[-–—]+\s+|:\s|\s\(|\s(?:because|which|while|although|though|but|since"
    r"|as (?:it|he|she|they|there)|that (?:is|are|was|were|has|have)"
    r"|who (?:is|are)|and (?:it|he|she|they|there|is|are))\b",
    re.IGNORECASE,
)
_TAILS = (
    re.compile(r"(?:\s+(?:shown|seen|visible))?\s+in (?:the|this) (?:image|picture|photo|photograph|scene)$", re.I),
    re.compile(r"\s+in (?:his|her|its|their|the) (?:left |right )?hands?$", re.I),
    re.compile(r"\s+in colou?r$|(?<=\w)[- ]colou?red$", re.I),
)  # fmt: skip
_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\w)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_TOTAL = re.compile(r"(?:\btotal(?: number)?(?: of| is|:)?|=)\s+([\w,-]+)", re.IGNORECASE)
_PART_OF = re.compile(r"\b(?:out )?of (?:the |these |those )?[\w-]+|\bno one\b|\bone of\b", re.IGNORECASE)
_RANGE = re.compile(
    r"\b[\w]+(?: or | to |\s*[-–]\s*)(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)


def _affirmed(question: str, words: Sequence[str]) -> str | None:
    """What a sentence that repeats the question's words says to it; "there are no dogs" denies."""
    known = rules()
    denied = any(word in known.deny or word.endswith(("n't", "n’t")) for word in words)
    asked = {_stem(word) for word in tokens(question)} - {_stem(word) for word in known.little | known.auxiliaries}
    if not asked or not asked <= {_stem(word) for word in words}:
        bare = words[:1] and words[0] in ("it", "he", "she", "they", "there", "this", "that") and len(words) <= 4
        return "no" if denied and bare else None
    return "no" if denied else "yes"


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _first_number(text: str) -> int | None:
    """The first number in a text; a denial is 0, and "a" or "an" 1 when there is no other."""
    found = _NUMBER.findall(text)
    pairs = [*(f"{a}-{b}" for a, b in pairwise(found)), ""]
    for word, pair in zip(found, pairs, strict=False):
        for part in (pair, word):
            number = number_of(part) if part else None
            if number is not None and (part[0].isdigit() or part.lower() not in ("no", "nothing", "none")):
                return number
    words = [word.lower() for word in found]
    if any(word in rules().zero or word.endswith("n't") for word in tokens(text)):
        return 0
    return 1 if "a" in words or "an" in words or "single" in words else None


def _without_repeated(question: str, rest: str) -> str:
    """What is said, without leading words that the question has said already ("wearing a hat" for "wearing")."""
    asked = set(tokens(question)) - {"in", "on", "at", "under", "near"}
    words = rest.split()
    while len(words) > 1 and words[0].lower().strip(",") in asked - {"not", "no"}:
        words = words[1:]
    return " ".join(words)


def _settled(question: str, text: str, shorten: Callable[[str, str], str] = phrase) -> str:
    """The phrase of the phrase, until it stays: so an answer in few words is its own extraction."""
    for _ in range(8):
        found = shorten(question, text)
        if not found or found == text:
            break
        text = found
    return found or text
