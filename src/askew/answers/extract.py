"""Extract a short VQA answer from a model's free text.

The store keeps the full text and extraction is applied at scoring, so another extraction needs no new requests. It uses
only the question and the text, never people's answers. Its name and version are in results.json.
Replies that hold no single clear answer are counted and reported (:func:`unparsed`), and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from askew.answers.abstain import UNANSWERABLE, abstention, may_abstain
from askew.answers.choices import RULES, chosen_option, exact_option
from askew.answers.extract_count import count
from askew.answers.extract_either import alternatives
from askew.answers.extract_frame import WH
from askew.answers.extract_open import open_answer
from askew.answers.extract_reply import (
    bare,
    committed,
    concluded,
    corrected,
    first_sentence,
    lacks_answer,
    marked,
    opened,
    refuses,
    repeats_itself,
    without_echo,
)
from askew.answers.extract_rules import rules
from askew.answers.extract_yes_no import verdict, yes_no
from askew.answers.no_option import NO_OPTION
from askew.answers.normalise import normalise, tokens, yes_no_other
from askew.errors import BadOption
from askew.language.inflect import number_of
from askew.types import Prediction, Question

VERSIONS: Mapping[str, int] = {"none": 1, "short": 8, **dict.fromkeys(RULES, 1), "vlmevalkit": 2}
"""The extraction steps. A version is raised whenever a step may extract a different answer from the same text."""
STEPS = tuple(VERSIONS)
REFUSAL, EMPTY = "refusal", "empty answer"


def check_step(step: str) -> None:
    """Unknown steps raise BadOption."""
    if step not in STEPS:
        raise BadOption(f"No extraction is called {step!r}. Known: {', '.join(STEPS)}.")


def signature(step: str) -> str:
    """The step with its version.

    >>> signature("short")
    'short-v8'
    """
    check_step(step)
    return f"{step}-v{VERSIONS[step]}"


def extract(step: str, question: Question, prediction: Prediction) -> Prediction:
    """The prediction with the answer extracted from the model's words, which are kept as ``raw``.

    >>> said = Prediction(1, "Yes, there is a dog.")
    >>> found = extract("short", Question(1, None, "Is there a dog?"), said)
    >>> found.answer, found.raw
    ('yes', 'Yes, there is a dog.')
    >>> extract("short", Question(1, None, "Who is it?"), Prediction(1, "I'm sorry, I can't help with that.")).error
    'refusal'

    The answer to a multiple-choice question is the text of the option that the reply names by letter or text; without
    extraction, the reply must consist of that alone.

    >>> asked = Question(1, None, "What is it?", choices=("a cat", "a dog"))
    >>> extract("none", asked, Prediction(1, "B")).answer, extract("none", asked, Prediction(1, "B, I think")).answer
    ('a dog', 'B, I think')
    """
    if step == "none" and not question.choices:
        return prediction
    check_step(step)
    said = prediction.answer
    if said is None:
        return prediction
    if step == "none":
        option = exact_option(question.choices, said)
        return prediction if option in (None, said) else replace(prediction, answer=option, raw=said)
    if may_abstain(question) and (none := abstention(question, said)) is not None:
        return replace(prediction, answer=none, raw=said)
    if step in RULES:
        _check_form(step, question)
        return replace(prediction, answer=RULES[step](said, question.choices), raw=said)
    answer, error = _option(question, said) if question.choices else short(question.text, said)
    return replace(prediction, answer=answer, error=error, raw=said)


def _check_form(step: str, question: Question) -> None:
    """Refuse other questions for the rules of benchmarks, which are for yes/no and options but would answer any
    question."""
    if not question.choices and question.kind.answer_type != "yes/no" and not asks_yes_no(question.text):
        raise BadOption(
            f"--extract {step} is for yes/no questions and multiple choice, and question {question.id!r} "
            f"({question.text[:60]!r}) is neither. Leave --extract out, or give short."
        )
    if question.choices and step == "pope":
        raise BadOption(
            f"--extract pope is for yes/no questions, and question {question.id!r} has options. Leave --extract out, "
            "or give vlmevalkit."
        )
    if not question.choices and step == "mm-upd":
        raise BadOption(
            f"--extract mm-upd is for multiple choice, and question {question.id!r} has no options. Leave --extract "
            "out, or give short."
        )


def _option(question: Question, words: str) -> tuple[str | None, str | None]:
    """The option that a reply names, or its kind of non-answer; a reply that names no option is a wrong answer."""
    text = bare(words, speaker=False)
    if not text:
        return None, EMPTY
    option = chosen_option(question.choices, words, question.text)
    if refuses(text) and (option is None or normalise(option) == "no"):
        return None, REFUSAL
    return option or text, None


def short(question: str, words: str) -> tuple[str | None, str | None]:
    """A short answer in lower case, or the kind of non-answer that the text is.

    Reasoning, markup, and what a reply takes back are removed; then the answer to a yes/no question is its verdict (or
    what its clauses claim), to a counting question the number, to any other what its clauses add to the question.

    >>> short("How many dogs are there?", "There are **three** dogs.")
    ('3', None)
    >>> short("What color is the cat?", "<think>Fur.</think>The cat is white.")
    ('white', None)
    """
    text = prepared(question, words)
    if not text:
        return None, EMPTY
    if text.lower() in rules().people_say:
        return text.lower(), None
    form = yes_no if asks_yes_no(question) else count if asks_how_many(question) else None
    if form is None and is_foreign(question) and (found := verdict(question, first_sentence(text))):
        return found, None
    if form is not yes_no and lacks_answer(question, text):
        return None, REFUSAL
    if form is not None and (found := form(question, text)) is not None:
        return found, None
    if refuses(text):
        return None, REFUSAL
    found, _ = open_answer(question, text, words)
    if form is yes_no and found in ("yes", "no"):  # its first clause, which the rest takes back
        found = text.lower()
    if form is count and number_of(found) is not None:  # one of several numbers
        found = "0" if number_of(found) == 0 else text.lower()
    return (found, None) if found else (None, EMPTY)


def prepared(question: str, words: str) -> str:
    """The part of a reply that answers: without markup, the question, and what it takes back or concludes from."""
    return concluded(committed(corrected(without_echo(question, bare(words, question=question)))))


def asks_yes_no(question: str) -> bool:
    """True for a question that begins with an auxiliary (after an opening such as "In the image,"), without "or".

    >>> [asks_yes_no(q) for q in ("Is it red?", "In it, aren’t there dogs?", "Is it red or blue?", "What is it?")]
    [True, True, False, False]
    """
    question = question.replace("’", "'")
    if "or" in tokens(question):
        return False
    first = (tokens(part)[:1] for part in question.split(",")[-2:])
    return any(word in rules().auxiliaries for words in first for word in words)


def asks_how_many(question: str) -> bool:
    """True for a question that asks for a number.

    >>> [asks_how_many(q) for q in ("How many cats?", "What is the number of cats?", "What number is on the bus?")]
    [True, True, False]
    """
    return rules().counting.search(question) is not None


def is_foreign(question: str) -> bool:
    """True for a question without the words by which English asks.

    >>> is_foreign("¿Hay un perro?"), is_foreign("Is there a dog?"), is_foreign("图片里有猫吗？")
    (True, False, True)
    """
    words = {*tokens(question)}
    return bool(words) and words.isdisjoint(rules().auxiliaries | WH | {"the", "this"})


def unparsed(question: Question, said: Prediction, found: Prediction) -> str:
    """Why a reply holds no single answer to the question; empty if it does, or if nothing was extracted from it.

    >>> from askew.answers.extract import extract
    >>> asked = Question(1, None, "What is it?", choices=("a cat", "a dog"))
    >>> said = Prediction(1, "It is a cat or a dog.")
    >>> unparsed(asked, said, extract("short", asked, said))
    'no option'
    >>> asked, said = Question(1, None, "What fruit is it?"), Prediction(1, "A plum, or maybe a peach.")
    >>> unparsed(asked, said, extract("short", asked, said))
    'several answers'
    """
    answer = found.answer
    if answer is None or (may_abstain(question) and answer == UNANSWERABLE):
        return ""
    if question.choices and answer != NO_OPTION and answer not in question.choices:
        return "no option"
    if found is not said and len(_answers_named(question, said.answer or "")) > 1:
        is_bare = all(len(tokens(part)) <= 2 for part in marked(said.answer or ""))
        return "several answers" if is_bare else "different answers"
    if question.choices:
        return ""
    if found is said or any(normalise(answer) == normalise(reference) for reference in question.answers):
        return ""
    kind = {yes_no_other(reference) for reference in question.answers[:1]}
    if asks_yes_no(question.text) if not kind else "other" not in kind:
        return "" if answer in ("yes", "no") else "neither yes nor no"
    if is_foreign(question.text) and answer in ("yes", "no"):
        return ""
    if asks_how_many(question.text):
        return "" if number_of(answer) is not None else "no number"
    if alternatives(question.text) and answer in alternatives(question.text):
        return ""
    words = said.answer or ""
    text = prepared(question.text, words)
    _, is_clear = open_answer(question.text, text, words)
    if _several(question.text, answer, words, text):
        return "several answers"
    return "" if is_clear else "no short answer"


def _answers_named(question: Question, words: str) -> set[str]:
    """The answers that a reply names after a mark ("Answer: red ... Answer: blue"), of which the last counts."""
    found = (
        chosen_option(question.choices, part) if question.choices else short(question.text, first_sentence(part))[0]
        for part in marked(words)
    )
    return {normalise(answer) for answer in found if answer}


def _several(question: str, answer: str, words: str, text: str) -> bool:
    """Whether a reply leaves open which of several answers it gives."""
    if repeats_itself(words) or _ONE_OTHER.match(words) or len(_GUESSES.findall(words)) > 1:
        return True
    if "or" in tokens(question):
        return False
    return (
        "or" in tokens(answer)
        or _OTHERWISE.search(opened(words)) is not None
        or ("\n" in text and len(_BULLET.findall(words)) > 1)
    )


_ONE_OTHER = re.compile(
    r"(?:the )?(?:one|first)\b[^.]*\b(?:and|while|but) (?:the |an)?(?:other|second)\b", re.IGNORECASE
)
_GUESSES = re.compile(r"(?:^|[?,] )(?:an? |or (?:an? )?)?\w+\?", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE)
_OTHERWISE = re.compile(
    r"\bcould be\b[^.]*, (?:it )?could(?: also)? be\b|\bor (?:maybe|perhaps|possibly|even|it (?:could"
    r"|might|may)|a|an|some)\b|\beither\b.*\bor\b"
    r"|[,;(] ?(?:maybe|perhaps|possibly|though it (?:could|might|may)(?: also)? be)\b",
    re.IGNORECASE,
)
