"""Answer groups with a model, and resume a killed run: only questions without an answer in the store are sent.

Every distinct (image content, question, context) is sent only once, and each answer is stored as soon as it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from askew.answers.choices import as_asked
from askew.engine.ask import answers_of, chunks, members, writable
from askew.engine.store import Store, framed, key_of
from askew.files.images import content_hash
from askew.types import Group, Id, ImageRef, Outcome, Prediction, Question
from askew.verbs import Model, ModelFacts, Streams

Asking: TypeAlias = Callable[[Mapping[bytes, Question], int], Iterator[dict[bytes, Prediction]]]
"""Asks these questions in batches of this size."""
WINDOW = 64
"""How many batches ahead repeated questions are merged, before the store is looked up. It is the same for any number of
workers, so that batches are too."""
STREAM = 8192
"""How many questions a streaming model gets at once, so that it rarely waits for the last answer of a window."""


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
        """The identity of a question's image."""
        return "" if question.image is None else self._image(question.image)

    def lacks_image(self, question: Question) -> bool:
        """True when the model opens images and the image of this question has neither a file nor bytes."""
        image = question.image
        return self._opens_images and image is not None and image.path is None and image.data is None

    def _image(self, image: ImageRef) -> str:
        """The hash of an image; for a model that never looks, what the data says of it: no file is needed."""
        return content_hash(replace(image, path=None) if self._blind and image.path is not None else image)


def ask_unanswered(
    groups: Iterable[Group],
    model: Model,
    keys: Keys,
    store: Store,
    batch_size: int,
    on_answers: Callable[[Sequence[Prediction]], None],
    asking: Asking | None = None,
) -> Iterator[Outcome]:
    """The outcomes, in order. Known answers are taken from the store, and new ones are stored at once.

    ``on_answers`` is called with every batch that the model has answered. A failed question is repeated in the next
    run, not in this one. ``asking`` queries the model instead of this process, e.g. through workers.
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


def _window(model: Model, batch_size: int) -> int:
    """How many questions are looked up and asked together: bounded, since their groups are in memory meanwhile."""
    if isinstance(model, Streams):
        return max(STREAM, batch_size)
    return min(WINDOW * batch_size, max(STREAM, 2 * batch_size))
