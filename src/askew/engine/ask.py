"""Query a model with questions, in batches or streams; check its predictions, and stop a run that only fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from askew.answers.choices import as_asked
from askew.data.bad_records import short
from askew.errors import ModelError
from askew.files.limits import token_counts
from askew.types import Group, Prediction, Question
from askew.verbs import Model, Streams

Item = TypeVar("Item")
Key = TypeVar("Key")
_PARTICULAR = re.compile(r"""(['"]).*?\1|\S*[/\\]\S*""")
MUST_GIVE = "A model must give one askew.Prediction(question.id, answer) for each question, in order."


@dataclass
class Streak:
    """Equal failures in a row; ``limit`` of them stop the run (0: never).

    >>> streak = Streak(3)
    >>> streak.add([Prediction(1, None, error="KeyError: 1"), Prediction(2, "yes"), Prediction(3, None, error="boom")])
    >>> streak.add([Prediction(4, None, error="KeyError: 'a'"), Prediction(5, None, error="KeyError: 'b'")])
    >>> streak.count
    2
    """

    limit: int
    kind: str = ""
    count: int = 0

    def add(self, said: Iterable[Prediction]) -> None:
        """Count the model's predictions in order; raise ``ModelError`` after too many equal failures in a row."""
        for prediction in said:
            kind = failure_kind(prediction.error or "no answer") if prediction.failed else ""
            self.count = self.count + 1 if kind and kind == self.kind else int(bool(kind))
            self.kind = kind
            if self.limit and self.count >= self.limit:
                error = (prediction.error or "no answer").strip().partition("\n")[0][:300].rstrip(".")
                raise ModelError(
                    f"The model failed on {self.count:,} questions in a row in the same way; the last: {error}. "
                    "Earlier answers are kept: fix the cause, and the same command resumes from there. "
                    "--stop-after N (stop_after=N in Python) stops later, 0 never."
                )


def failure_kind(error: str) -> str:
    """An error message without numbers, memory addresses, paths and quoted words, to recognise equal failures.

    >>> failure_kind("KeyError: 'cat 12'\\n  at line 3"), failure_kind("a/b.png: image 7 at 0x7f1c is no image")
    ('KeyError: …', '… image # at # is no image')
    """
    first = error.strip().partition("\n")[0]
    return re.sub(r"0x[0-9a-f]+|\d+", "#", _PARTICULAR.sub("…", first)) or "no answer"


def writable(prediction: Prediction) -> Prediction:
    """The prediction in a form that can be stored: a lone surrogate (half a character, of a truncated reply) becomes �,
    and impossible token counts become 0.
    """
    texts = (prediction.answer, prediction.error, prediction.raw)
    if prediction.tokens != (0, 0):
        prediction = replace(prediction, tokens=token_counts(*prediction.tokens))
    if all(text is None or text.isascii() for text in texts):
        return prediction
    answer, error, raw = (text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts)
    return replace(prediction, answer=answer, error=error, raw=raw)


def members(group: Group) -> list[Question]:
    """The questions of a group: the original, then the variants."""
    return [group.original, *[variant.question for variant in group.variants]]


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of at most ``size`` items, in order.

    >>> list(chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def answers_of(model: Model, wanted: Mapping[Key, Question], batch_size: int) -> Iterator[dict[Key, Prediction]]:
    """The model's predictions, a batch at a time; from a streaming model, each one as it arrives."""
    if not isinstance(model, Streams):
        for keys in chunks(wanted, batch_size):
            yield dict(zip(keys, answer_checked(model, [wanted[key] for key in keys]), strict=True))
        return
    left = dict(enumerate(wanted))
    numbered = [replace(as_asked(question), id=place) for place, question in enumerate(wanted.values())]
    for prediction in _checked(model, "stream", model.stream(numbered)):
        key = left.pop(int(prediction.question_id), None)
        if key is None:
            raise ModelError(
                f"{model!r} answered what it was not asked, or answered twice: {prediction.question_id!r}."
            )
        yield {key: prediction}
    if left:
        raise ModelError(f"{model!r} left {len(left)} of {len(wanted)} questions without any prediction.")


def answer_checked(model: Model, questions: list[Question]) -> list[Prediction]:
    """The model's predictions; ModelError unless there is one for each question, in order."""
    said = list(_checked(model, "answer", model.answer(list(map(as_asked, questions)))))
    if [prediction.question_id for prediction in said] != [question.id for question in questions]:
        raise ModelError(
            f"{model!r} was asked {len(questions)} questions and gave {len(said)} predictions that do not belong to "
            "them one by one. A model must return one prediction for each question, in order, with its id."
        )
    return said


def described(value: object) -> str:
    """A wrong value, shortened for an error message.

    >>> described(None), described(5)
    ('None', '5 (int)')
    """
    return short(value) if value is None else f"{short(value)} ({type(value).__name__})"


def _checked(model: object, verb: str, said: Any) -> Iterator[Prediction]:
    """The return value of a model; ModelError unless it consists of predictions."""
    if not isinstance(said, Iterable) or isinstance(said, (str, bytes, Mapping)):
        raise ModelError(f"{type(model).__name__}.{verb}() gave {described(said)}. {MUST_GIVE}")
    for item in said:
        if not isinstance(item, Prediction):
            raise ModelError(f"{type(model).__name__}.{verb}() gave {described(item)} for a question. {MUST_GIVE}")
        yield item
