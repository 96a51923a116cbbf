"""Groups and a model in, outcomes out. Every distinct (image content, question, context) is asked once, ever."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from askew.answers.choices import as_asked
from askew.data.bad_records import short
from askew.engine.store import Store, framed, key_of
from askew.errors import ModelError
from askew.files.images import content_hash
from askew.files.limits import token_counts
from askew.types import Group, Id, ImageRef, Outcome, Prediction, Question
from askew.verbs import Model, ModelFacts, Streams

Item = TypeVar("Item")
Key = TypeVar("Key")
Asking: TypeAlias = Callable[[Mapping[bytes, Question], int], Iterator[dict[bytes, Prediction]]]
"""Asks these questions in batches of this size."""
_PARTICULAR = re.compile(r"""(['"]).*?\1|\S*[/\\]\S*""")
WINDOW = 64
"""How many batches ahead repeated questions are merged, before the store is looked up. It is the same for any number of
workers, so that batches are too."""
MUST_GIVE = "A model must give one askew.Prediction(question.id, answer) for each question, in order."
STREAM = 8192
"""How many questions a streaming model gets at once, so that it seldom waits for the last answer of a window."""


class Keys:
    """The key of each question in the answer store, for one model: ``keys.of(question)``."""

    def __init__(self, model: Model | Streams, signature: str = "") -> None:
        facts = ModelFacts(model)
        self._start = framed(signature or repr(model))
        self._by_id, self._blind, self._opens_images = facts.by_id, facts.blind, facts.opens_images

    def of(self, question: Question) -> bytes:
        """32 bytes, equal for questions that would be the same request."""
        return self.with_image(question, self.image(question), repr(question.id) if self._by_id else "")

    def with_image(self, question: Question, image: str, by: str = "") -> bytes:
        """The same for a question whose image is known already; ``by`` says what else is asked about it."""
        return key_of(self._start, image, as_asked(question).text, question.context, by)

    def image(self, question: Question) -> str:
        """What a question's image is known by."""
        return "" if question.image is None else self._image(question.image)

    def lacks_image(self, question: Question) -> bool:
        """True when the model opens images and the image of this question has neither a file nor bytes."""
        image = question.image
        return self._opens_images and image is not None and image.path is None and image.data is None

    def _image(self, image: ImageRef) -> str:
        """The hash of an image; for a model that never looks, what the data says of it: no file is needed."""
        return content_hash(replace(image, path=None) if self._blind and image.path is not None else image)


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
        """Take the model's predictions in order; raise ``ModelError`` when it only fails."""
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


def ask(
    groups: Iterable[Group],
    model: Model,
    keys: Keys,
    store: Store,
    batch_size: int,
    on_answers: Callable[[Sequence[Prediction]], None],
    asking: Asking | None = None,
) -> Iterator[Outcome]:
    """The outcomes, in order. What the store knows is taken from there; what the model says goes there at once.

    ``on_answers`` hears of every batch the model has answered. A question that failed is not asked again in this
    run, and is asked again in the next. ``asking`` asks in the place of this process, e.g. through workers.
    """
    asking = asking or partial(answers_of, model)
    failed: dict[bytes, Prediction] = {}
    for window in chunks(groups, max(1, _window(model, batch_size) // 2)):
        keyed = [[(keys.of(question), question) for question in members(group)] for group in window]
        wanted = {key: question for group_keys in keyed for key, question in group_keys}
        answers = store.get({key: question.id for key, question in wanted.items()})
        answers.update((key, failed[key]) for key in wanted if key in failed)
        for heard in asking({key: wanted[key] for key in wanted if key not in answers}, batch_size):
            said = {key: writable(prediction) for key, prediction in heard.items()}
            store.put(said.items())
            answers.update(said)
            failed.update((key, prediction) for key, prediction in said.items() if prediction.failed)
            on_answers(list(said.values()))
        for group, group_keys in zip(window, keyed, strict=True):
            first, *rest = [_addressed(answers[key], question.id) for key, question in group_keys]
            yield Outcome(group, first, tuple(rest))


def _addressed(prediction: Prediction, question_id: Id) -> Prediction:
    """The prediction for the question with this id."""
    return prediction if prediction.question_id == question_id else replace(prediction, question_id=question_id)


def writable(prediction: Prediction) -> Prediction:
    """The prediction as it can be written: half a character (a lone surrogate, of a reply cut short) becomes �, and
    counts of tokens that cannot be right become 0.
    """
    texts = (prediction.answer, prediction.error, prediction.raw)
    if prediction.tokens != (0, 0):
        prediction = replace(prediction, tokens=token_counts(*prediction.tokens))
    if all(text is None or text.isascii() for text in texts):
        return prediction
    answer, error, raw = (text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts)
    return replace(prediction, answer=answer, error=error, raw=raw)


def _window(model: Model, batch_size: int) -> int:
    """How many questions are looked up and asked together: bounded, since their groups are in memory meanwhile."""
    if isinstance(model, Streams):
        return max(STREAM, batch_size)
    return min(WINDOW * batch_size, max(STREAM, 2 * batch_size))


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
    """What the model answers; ModelError unless it is one prediction for each question, in order."""
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
