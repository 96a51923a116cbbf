"""Match a file of predictions to the questions of the data that it answers.

By ids where the file has them, or by the benchmark's own keys (``NamesQuestions``): POPE's ids occur in each of its
files, HallusionBench names a question by five fields. If that does not fit, by the order of the rows: then every
question text in the file must be that of the data, or the file must have neither ids nor texts and fit in one way only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations

from askew.data.bad_records import short
from askew.data.read_predictions import PredictionRecord, read_replies
from askew.errors import BadRecord, DataError
from askew.types import Id, Question
from askew.verbs import Dataset, HoldsGroups, NamesQuestions

_WORD = re.compile(r"\w+")
_IMAGE = re.compile(r"<image ?\d*>")
_LLAVA = frozenset(("question_id", "prompt", "text"))
"""Fields of the replies that LLaVA writes (``llava/eval/model_vqa_loader.py``)."""
_SHOWN = 3
"""How many ids of each side an error shows."""
_DIFFERENT = 0.1
"""If the texts of more than this share of the questions differ, the file answers other questions."""


@dataclass(frozen=True)
class Matched:
    """The answers by the ids of the data, and what is to be said about how they were found."""

    answers: Mapping[Id, str]
    remark: str = ""
    unprocessed: bool = False
    """Whether these are LLaVA's replies, which its authors normalise before they submit them."""


def match_predictions(path: str, data: Dataset, ids: str | None = None) -> Matched:
    """The answers to the questions of the data; DataError if the file answers none of them."""
    try:
        return _by_keys(path, data, ids)
    except BadRecord as fault:
        trouble: DataError = fault
    except _Unmatched as fault:
        trouble = fault
    if (found := _by_order(path, data)) is not None:
        return found
    raise trouble


class _Unmatched(DataError):
    """The ids in the file are not those of the data, or name questions with other texts."""


def questions_of(data: Dataset) -> Iterator[Question]:
    """The questions of the data, each once."""
    if not isinstance(data, HoldsGroups):
        yield from data.questions()
        return
    seen = set()
    for group in data.groups():
        for question in (group.original, *(variant.question for variant in group.variants)):
            if question.id not in seen:
                seen.add(question.id)
                yield question


def _by_keys(path: str, data: Dataset, ids: str | None) -> Matched:
    named = data.answered if isinstance(data, NamesQuestions) else None
    kept: dict[str, str] = {}  # equal answers are kept once
    answers: dict[Id, str] = {}
    asked: dict[Id, str] = {}
    failed = 0
    unprocessed = True
    for reply in read_replies(path, ids, named):
        failed += reply.answer is None
        unprocessed = unprocessed and reply.names.keys() >= _LLAVA
        for key in reply.ids:
            if named and (text := reply.asked):
                asked[key] = text
            if reply.answer is not None:
                answers[key] = kept.setdefault(reply.answer, reply.answer)
    if failed and not answers:
        raise DataError(f"{path}: all of its {failed:,} requests failed, so there is no prediction to score.")
    if not any(q.id in answers or str(q.id) in answers for q in questions_of(data)):
        raise _Unmatched(_no_match(path, data, answers))
    return Matched(answers, _checked(path, data, asked) if asked else "", unprocessed)


def _no_match(path: str, data: Dataset, answers: Mapping[Id, str]) -> str:
    theirs, ours = (
        ", ".join(map(repr, islice(found, _SHOWN))) for found in (answers, (q.id for q in questions_of(data)))
    )
    return (
        f"{path}: none of its {len(answers):,} predictions is for a question of {data.name}: the ids there begin with "
        f"{theirs or 'nothing'}, those of the data with {ours or 'nothing'}. Give the data that were answered, or "
        "write their ids."
    )


def _checked(path: str, data: Dataset, asked: Mapping[Id, str]) -> str:
    """A remark on the questions whose text in the file is another; an error if these are many."""
    other: list[Question] = []
    for question in questions_of(data):
        if (text := asked.get(question.id)) and not _same(text, question.text):
            other.append(question)
    if not other:
        return ""
    first = other[0]
    sentence = (
        f"{path}: {len(other):,} of {len(asked):,} predictions are for questions with other texts, e.g. {first.id!r}: "
        f"{short(asked[first.id])} there, {short(first.text)} in the data."
    )
    if len(other) > _DIFFERENT * len(asked):
        raise _Unmatched(f"{sentence} Give the edition of the data that was answered.")
    return sentence


def _same(asked: str, question: str) -> bool:
    """Whether a prompt asks this question, whatever its case, punctuation and marks of images, and whatever else it
    says.

    >>> _same("is there a dog in the image? Answer yes or no.", "Is there a dog in the image?")
    True
    >>> _same("Is <image> like <image>?", "Is <image 2> like <image 1>?")
    True
    """
    texts = (_IMAGE.sub(" ", text.lower()) for text in (asked, question))
    first, second = (f" {' '.join(_WORD.findall(text))} " for text in texts)
    return second in first or first in second


def _by_order(path: str, data: Dataset) -> Matched | None:
    """The answers by the order of the rows; None if that does not fit."""
    replies = list(read_replies(path, by_id=False))
    if all(type(reply.row) is int for reply in replies):  # logs of several processes are not in order
        replies.sort(key=lambda reply: (reply.file, reply.row))
    has_texts = bool(replies) and all(reply.asked for reply in replies)
    if not has_texts and (any(reply.asked for reply in replies) or _has_ids(path)):
        return None
    lists = _lists(data)
    fitting = []
    for names in chain.from_iterable(permutations(lists, count) for count in range(1, len(lists) + 1)):
        questions = [question for name in names for question in lists[name]]
        if len(questions) == len(replies) and all(map(_fits, replies, questions)):
            fitting.append((names, questions))
    named = [one for one in fitting if all(name in os.path.basename(path).lower() for name in one[0])]
    if len(named or fitting) != 1:
        return None
    names, questions = (named or fitting)[0]
    answers = {q.id: reply.answer for q, reply in zip(questions, replies, strict=True) if reply.answer is not None}
    order = f" ({', '.join(names)})" if len(lists) > 1 else ""
    texts = "all question texts agree" if has_texts else "it has no question texts to check"
    return Matched(
        answers, f"{path}: matched to {data.name} by the order of the {len(replies):,} rows{order}; {texts}."
    )


def _has_ids(path: str) -> bool:
    try:
        return any(reply.ids for reply in read_replies(path))
    except BadRecord:
        return False


def _fits(reply: PredictionRecord, question: Question) -> bool:
    return not reply.asked or _same(reply.asked, question.text)


def _lists(data: Dataset) -> Mapping[str, Sequence[Question]]:
    """The questions in the order of each file of a benchmark with several; of other data, all of them."""
    lists = data.in_order() if isinstance(data, NamesQuestions) else {}
    return lists or {"": list(questions_of(data))}
