"""Which replies hold no single clear answer, and why: they are counted and reported, and never guessed."""

from __future__ import annotations

import re

from askew.answers.choices import chosen_option
from askew.answers.extract import asks_how_many, asks_yes_no, short
from askew.answers.extract_doubt import TEXT_ASKED, doubtful
from askew.answers.extract_phrase import COLOUR_ASKED
from askew.answers.extract_rules import bare, first_sentence, marked, opened, rules
from askew.answers.no_option import NO_OPTION
from askew.answers.normalise import normalise, tokens, yes_no_other
from askew.language.inflect import number_of
from askew.types import Prediction, Question


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
    if answer is None:
        return ""
    if found is not said and len(_answers_named(question, said.answer or "")) > 1:
        return "different answers"
    if question.choices:
        return "" if answer == NO_OPTION or answer in question.choices else "no option"
    if found is said or any(normalise(answer) == normalise(reference) for reference in question.answers):
        return ""
    kind = {yes_no_other(reference) for reference in question.answers[:1]}
    if asks_yes_no(question.text) if not kind else "other" not in kind:
        return "" if answer in ("yes", "no") else "neither yes nor no"
    if asks_how_many(question.text):
        return "" if number_of(answer) is not None else "no number"
    if _several(question.text, answer, said.answer or ""):
        return "several answers"
    if doubtful(question.text, answer, bare(said.answer or "")):
        return "no short answer"
    return "" if _is_short(question.text, answer) else "no short answer"


def _answers_named(question: Question, words: str) -> set[str]:
    """The answers that a reply names after a mark ("Answer: red ... Answer: blue"), of which the last counts."""
    found = (
        chosen_option(question.choices, part) if question.choices else short(question.text, first_sentence(part))[0]
        for part in marked(words)
    )
    return {normalise(answer) for answer in found if answer}


def _several(question: str, answer: str, words: str) -> bool:
    """Whether a reply leaves open which of several answers it gives."""
    if "or" in tokens(question):
        return False
    known = rules()
    first, _, other = first_sentence(opened(words)).partition(", ")
    things = {*tokens(question)} - known.little - known.auxiliaries
    of_part = things.isdisjoint(tokens(first)) or not things.isdisjoint(tokens(other))
    if of_part and _OTHER_PART.match(other) and not known.colours.isdisjoint({*tokens(other)} - {*tokens(answer)}):
        return True
    return "or" in tokens(answer) or _OTHERWISE.search(opened(words)) is not None or len(_BULLET.findall(words)) > 1


def _is_short(question: str, answer: str) -> bool:
    """Whether an answer is a few words, and no sentence about something else.

    >>> question = "What is on the table?"
    >>> [_is_short(question, said) for said in ("vase and book", "nothing", "it costs 3.50", "let me think", "{vase")]
    [True, True, False, False, False]
    """
    words = tokens(answer)
    known = rules()
    content, asked = {*words} - known.little - known.relations, {*tokens(question)}
    if not {"or", "which"} & asked and (len(content & asked) > 1 or (content and content <= asked)):
        return False
    if TEXT_ASKED.search(question) is not None:
        return True
    if not words or len(words) > _MOST or _CODE.search(answer):
        return False
    said = {*words[:1]} & {"not", "no"} or {
        word for word in words if word in rules().clause or word.endswith(("n't", "n’t"))
    }
    is_participle = words[0].endswith("ing") and words[1:] and not _DOING.search(question)
    if COLOUR_ASKED.search(question) and len(words) > 2 and rules().colours.isdisjoint(words):
        return False
    return len(words) < 2 or not (said or is_participle)


_MOST = 7
_DOING = re.compile(r"\b(?:do|doing|happening|going on|activity|sport|action|hobby)\b", re.IGNORECASE)
_OTHER_PART = re.compile(r"(?:and|while|whereas|but) (?:the|its|his|her)\b", re.IGNORECASE)
_CODE = re.compile(r"[{}<>|\\→=]|https?:")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE)
_OTHERWISE = re.compile(
    r"\bor (?:maybe|perhaps|possibly|even|it (?:could|might|may)|a|an|some)\b|\beither\b.*\bor\b"
    r"|[,;(] ?(?:maybe|perhaps|possibly|though it (?:could|might|may)(?: also)? be)\b",
    re.IGNORECASE,
)
