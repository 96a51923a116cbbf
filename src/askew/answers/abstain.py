"""Replies that decline to answer because the question has no answer: rules for what counts as abstaining.

Only questions of suites that expect it are read so (tag ``answerable``); elsewhere such a reply is a non-answer. The
rules are measured on labelled replies in ``tests/answers/abstaining_replies.yaml``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from askew.answers.extract_reply import bare, first_sentence
from askew.answers.no_option import NO_OPTION, withholds
from askew.files.read_write import resource
from askew.types import Question

UNANSWERABLE = "unanswerable"
"""The answer to an open question that has none, as in VizWiz (Gurari et al. 2018)."""
TAG = "answerable"
"""The tag of questions that may be answered by abstaining: ``yes`` for those that have an answer, ``no`` for others."""


def may_abstain(question: Question) -> bool:
    """Whether a reply to this question is read as abstaining, rather than as a non-answer."""
    return bool(question.tags) and TAG in dict(question.tags)


def abstention(question: Question, words: str) -> str | None:
    """The answer that stands for abstaining, if the reply does; otherwise None.

    >>> asked = Question(1, None, "What color is the bus?")
    >>> replies = ("There is no bus in the image.", "Red.", "I can't tell, but it is probably red.")
    >>> [abstention(asked, said) for said in replies]
    ['unanswerable', None, None]
    """
    if question.choices:
        return NO_OPTION if withholds(words) else None
    text = bare(words.replace("’", "'"), speaker=False).strip()
    known = _rules()
    if known["whole"].fullmatch(text.strip(" .!*\"'")):
        return UNANSWERABLE
    if known["answers"].search(text):
        return None
    first = first_sentence(text)
    return UNANSWERABLE if any(rule.search(first) for rule in known["first"]) or withholds(text) else None


@cache
def _rules() -> dict[str, Any]:
    found = resource("answers/abstain.yaml")
    whole, answers = (re.compile(found[name], re.IGNORECASE) for name in ("whole", "answers"))
    return {"whole": whole, "answers": answers, "first": [re.compile(one, re.IGNORECASE) for one in found["first"]]}
