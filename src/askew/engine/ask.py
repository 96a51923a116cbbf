"""Query a model with questions: in batches or streams, in this process or with workers; check its predictions.

A model that keeps failing in the same way stops the run. With an executor, several processes or hosts each have a copy
of the model: a worker builds it from its spec, so weights are never sent. Workers write nothing: they return their
answers, and this process stores them. The batch of a lost worker is repeated alone, then in halves, until the question
that kills workers is found; it becomes a failed prediction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from askew.answers.choices import as_asked
from askew.data.bad_records import short
from askew.engine.settings import Named
from askew.errors import InARow, ModelError, UsageError, first_line
from askew.files.images import content_hash, image_bytes
from askew.files.limits import token_counts
from askew.files.paths import with_image
from askew.registry import make
from askew.types import Group, LostWorker, Prediction, Question
from askew.verbs import ChoosesBatches, Executor, Model, Scores, SeesFiles, Streams

Item = TypeVar("Item")
Key = TypeVar("Key")
_PARTICULAR = re.compile(r"""(['"]).*?\1|\S*[/\\]\S*""")
Asking: TypeAlias = Callable[..., Iterator[dict[bytes, Prediction]]]
"""``answers_of`` for one model, or ``WorkerAsking``: predictions of questions by key, in batches of a size."""
SENT = 4
"""Batches that a worker gets at once when there are many, so that the model can choose which questions share one."""
MUST_GIVE = "A model must give one askew.Prediction(question.id, answer) for each question, in order."


FAILED_ALIKE = (
    "The model failed on {count} questions in a row in the same way; the last: {last}. "
    "Earlier answers are kept: fix the cause, and the same command resumes from there. "
    "--stop-after N (stop_after=N in Python) stops later, 0 never."
)


def count_failures(rule: InARow, said: Iterable[Prediction]) -> None:
    """Tell the rule of each prediction in order; ModelError after too many equal failures in a row.

    >>> rule = InARow(3, FAILED_ALIKE)
    >>> count_failures(rule, [Prediction(1, "yes"), Prediction(2, None, error="KeyError: 'a'")])
    >>> count_failures(rule, [Prediction(3, None, error="KeyError: 'b'")])
    >>> rule.count
    2
    """
    for prediction in said:
        error = (prediction.error or "no answer").strip() if prediction.failed else ""
        if reason := rule.told(error and failure_kind(error), error and first_line(error, 300).rstrip(".")):
            raise ModelError(reason)


def failure_kind(error: str) -> str:
    """An error message without numbers, memory addresses, paths and quoted words, to recognise equal failures.

    >>> failure_kind("KeyError: 'cat 12'\\n  at line 3"), failure_kind("a/b.png: image 7 at 0x7f1c is not an image")
    ('KeyError: …', '… image # at # is not an image')
    """
    first = error.strip().partition("\n")[0]
    return re.sub(r"0x[0-9a-f]+|\d+", "#", _PARTICULAR.sub("…", first)) or "no answer"


def writable(prediction: Prediction) -> Prediction:
    """The prediction as it can be stored: half characters of truncated replies become �, impossible token counts 0."""
    texts = (prediction.answer, prediction.error, prediction.raw)
    if prediction.tokens != (0, 0):
        prediction = replace(prediction, tokens=token_counts(*prediction.tokens))
    if "".join(filter(None, texts)).isascii():
        return prediction
    answer, error, raw = (text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts)
    return replace(prediction, answer=answer, error=error, raw=raw)


def refused(question: Question) -> Prediction:
    """The failure of a question about several images that a model is not asked, since it takes one."""
    error = f"the question is about {len(question.images)} images, and the model takes one"
    return Prediction(question.id, None, error=error, tries=0)


def questions_of(group: Group) -> list[Question]:
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


def batches_for(model: object, wanted: Mapping[Key, Question], size: int) -> Iterator[list[Key]]:
    """The keys of the questions that the model is asked together: in order, unless it chooses."""
    if not isinstance(model, ChoosesBatches) or len(wanted) <= 1:
        yield from chunks(wanted, size)
        return
    keys = list(wanted)
    for places in model.batches(list(map(as_asked, wanted.values())), size):
        yield [keys[place] for place in places]


def answers_of(
    model: Model, wanted: Mapping[Key, Question], batch_size: int, answers: Mapping[Key, str] | None = None
) -> Iterator[dict[Key, Prediction]]:
    """The model's predictions, a batch at a time; from a streaming model, each one as it arrives.

    With ``answers``, the probability of each of these instead.
    """
    if not isinstance(model, Streams) or answers is not None:
        for keys in batches_for(model, wanted, batch_size):
            yield dict(zip(keys, answer_batch(model, AskedBatch.of(keys, wanted, answers)), strict=True))
        return
    left = dict(enumerate(wanted))
    numbered = [replace(as_asked(question), id=place) for place, question in enumerate(wanted.values())]
    for prediction in _checked(model, "stream", model.stream(numbered)):
        key = left.pop(int(prediction.question_id), None)
        if key is None:
            raise ModelError(
                f"{model!r} answered a question that it was not asked, or one question twice: "
                f"{prediction.question_id!r}."
            )
        yield {key: prediction}
    if left:
        raise ModelError(f"{model!r} left {len(left)} of {len(wanted)} questions without any prediction.")


def answer_checked(model: Model, questions: list[Question]) -> list[Prediction]:
    """The model's predictions; ModelError unless there is one for each question, in order."""
    said = list(_checked(model, "answer", model.answer(list(map(as_asked, questions)))))
    if [prediction.question_id for prediction in said] != [question.id for question in questions]:
        raise ModelError(
            f"{model!r} was asked {len(questions)} questions and gave {len(said)} predictions that do not match them "
            "one by one. A model must return one prediction for each question, in order, with its id."
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


class AskedBatch(NamedTuple):
    """The questions that are asked at once."""

    questions: list[Question]
    answers: list[str] | None = None
    """The answers whose probabilities are requested; None for the model's own answers."""
    size: int = 0
    """The most that are asked together, if these are several batches, from which the model may choose."""

    @classmethod
    def of(cls, keys: Sequence[Key], wanted: Mapping[Key, Question], answers: Mapping[Key, str] | None) -> AskedBatch:
        """The questions with these keys, and the answers to them, if any are given."""
        return cls([wanted[key] for key in keys], None if answers is None else [answers[key] for key in keys])


def answer_batch(model: Model, batch: AskedBatch) -> list[Prediction]:
    """The model's own answers, or the probabilities of the given ones as predictions of these."""
    questions, answers, size = batch
    if size and len(questions) > size:
        said: dict[int, Prediction] = {}
        for places in batches_for(model, dict(enumerate(questions)), size):
            given = None if answers is None else [answers[place] for place in places]
            part = answer_batch(model, AskedBatch([questions[place] for place in places], given))
            said |= zip(places, part, strict=True)
        return [said[place] for place in range(len(questions))]
    if answers is None:
        return answer_checked(model, questions)
    if not isinstance(model, Scores):
        raise ModelError(f"{model!r} does not score given answers (it has no scores()).")
    values = list(model.scores([as_asked(question) for question in questions], answers))
    if len(values) != len(questions):
        raise ModelError(f"{type(model).__name__}.scores() gave {len(values)} values for {len(questions)} questions.")
    return [
        Prediction(question.id, None, error="the model gave no probability")
        if value != value
        else Prediction(question.id, answer, min(1.0, max(0.0, float(value))))
        for question, answer, value in zip(questions, answers, values, strict=True)
    ]


@dataclass(frozen=True)
class BuildsModel:
    """In a worker: builds the model, and answers batches with it."""

    spec: str
    given: tuple[tuple[str, Any], ...]
    signature: str

    @classmethod
    def of(cls, model: Named) -> BuildsModel:
        """The work of querying this model, which must have a spec that workers can build it from."""
        if model.typed is None:
            raise UsageError(
                f"{model.name}: an executor needs a model that workers can build by its name, such as hf:FOLDER or "
                "python:module:function. Leave the executor out for a model given as an object."
            )
        return cls(model.typed, tuple(sorted(model.given.items())), repr(model.what))

    def __call__(self) -> Callable[[AskedBatch], list[Prediction]]:
        """Build the model and return the function that answers a batch."""
        model = make("model", self.spec, **dict(self.given))
        if repr(model) != self.signature:
            raise ModelError(
                f"A worker has another model under the same name: {repr(model)[:200]}, not {self.signature[:200]}. "
                "Give the workers the same files and settings."
            )
        return partial(answer_batch, model)


class WorkerAsking:
    """Queries a model through an executor; the counterpart of ``answers_of``, which uses this process."""

    def __init__(self, executor: Executor, start: Callable[[], Callable[[AskedBatch], list[Prediction]]]) -> None:
        self._executor, self.start = executor, start
        self._sends_bytes: bool | None = None

    def __call__(
        self, wanted: Mapping[bytes, Question], batch_size: int, answers: Mapping[bytes, str] | None = None
    ) -> Iterator[dict[bytes, Prediction]]:
        """The predictions, a batch at a time, in any order; with ``answers``, the probability of each of these."""
        together = batch_size * (SENT if len(wanted) >= SENT * SENT * batch_size else 1)
        batches = list(chunks(wanted, together))
        lost = []
        send = partial(self._sent, wanted, answers, batch_size)
        for place, said in self._executor.each(self.start, map(send, batches)):
            if isinstance(said, LostWorker):
                lost.append(batches[place])
            else:
                yield dict(zip(batches[place], said, strict=True))
        for batch in sorted(lost):
            yield from self._alone(wanted, batch, send)

    def _alone(
        self, wanted: Mapping[bytes, Question], batch: Sequence[bytes], send: Callable[[Sequence[bytes]], AskedBatch]
    ) -> Iterator[dict[bytes, Prediction]]:
        """Repeat the batch of a lost worker alone, so that nothing else can kill its worker."""
        said: Any = None
        for _ in range(2):  # before the batch is split in half
            ((_, said),) = self._executor.each(self.start, [send(batch)])
            if not isinstance(said, LostWorker):
                yield dict(zip(batch, said, strict=True))
                return
        if len(batch) == 1:
            question = wanted[batch[0]]
            yield {batch[0]: Prediction(question.id, None, error=f"{said.reason} each time this question was asked")}
            return
        half = len(batch) // 2
        yield from self._alone(wanted, batch[:half], send)
        yield from self._alone(wanted, batch[half:], send)

    def _sent(
        self, wanted: Mapping[bytes, Question], answers: Mapping[bytes, str] | None, size: int, batch: Sequence[bytes]
    ) -> AskedBatch:
        """The questions as they are sent to workers: with the bytes of images whose files workers cannot read."""
        asked = AskedBatch.of(batch, wanted, answers)
        return asked._replace(questions=list(map(self._with_image, asked.questions)), size=size)

    def _with_image(self, question: Question) -> Question:
        image = next((one for one in question.images if one.path is not None), None)
        if image is None or not isinstance(self._executor, SeesFiles):
            return question
        if self._sends_bytes is None:
            self._sends_bytes = not self._executor.sees(replace(image, sha256=content_hash(image)))
        if not self._sends_bytes:
            return question
        return with_image(
            question, lambda one: one if one.path is None else replace(one, path=None, data=image_bytes(one))
        )
