"""Answer groups with a model, and resume a killed run: only questions without an answer in the store are sent.

The requests that a model needs are counted while the groups are built, so that the groups need not be read again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.answers.choices import as_asked
from askew.engine.ask import Asking, answers_of, chunks, questions_of, refused, writable
from askew.engine.settings import Named
from askew.engine.store import PREFIX, Store, framed, key_of
from askew.errors import BadImage
from askew.files.images import content_hashes
from askew.types import Group, Id, ImageRef, Outcome, Prediction, Question
from askew.verbs import FindsById, Model, ModelFacts, Streams

WINDOW = 64
"""The number of batches whose questions are looked up in the store together, repeated ones once. It does not depend on
the number of workers, so batches do not either."""
TOGETHER = 1 << 16
"""The number of keys that are looked up at a time to count the known answers."""
STREAM = 8192
"""How many questions a streaming model gets at once, so that it rarely waits for the last answer of a window."""


class Keys:
    """The key of each question in the answer store, for one model: ``keys.of(question)``."""

    def __init__(self, model: Model | Streams, signature: str = "") -> None:
        facts = ModelFacts(model)
        self._start = framed(signature or repr(model))
        self._by_id, self._blind, self._opens_images = facts.by_id, facts.blind, facts.opens_images
        self._recorded, self.takes = facts.recorded, facts.takes

    def of(self, question: Question) -> bytes:
        """32 bytes, equal for questions that would be the same request; recorded answers are found by id alone."""
        if self._recorded:
            return repr(question.id).encode("utf-8", "surrogatepass")
        return self.with_image(question, self.image(question), repr(question.id) if self._by_id else "")

    def with_image(self, question: Question, image: str, by: str = "") -> bytes:
        """Like ``of``, for an image whose identity is known; ``by`` distinguishes other requests with the same text."""
        return key_of(self._start, image, as_asked(question).text, question.context, by)

    def image(self, question: Question) -> str:
        """The hash of a question's images; for a model that never looks at them, their ids, so no file is needed."""
        return content_hashes([replace(one, path=None) for one in question.images] if self._blind else question.images)

    def lacking(self, question: Question) -> ImageRef | None:
        """The first image of this question that has neither a file nor bytes, if the model opens images."""
        if not self._opens_images:
            return None
        return next((image for image in question.images if image.path is None and image.data is None), None)


def ask_unanswered(
    groups: Iterable[Group],
    model: Model,
    keys: Keys,
    store: Store | None,
    batch_size: int,
    asking: Asking | None = None,
) -> Iterator[Outcome | list[Prediction]]:
    """The outcomes, in order, and among them each batch of new answers as it arrives.

    Known answers are taken from the store, and new ones are stored at once; recorded answers have no store. A failed
    question is repeated in the next run, not in this one; one with more images than the model takes is not asked.
    ``asking`` queries the model instead of this process, e.g. through workers.
    """
    asking = asking or partial(answers_of, model)
    failed: dict[bytes, Prediction] = {}
    together = min(WINDOW * batch_size, max(STREAM, 2 * batch_size))  # bounded, since groups are in memory meanwhile
    if isinstance(model, Streams):
        together = max(STREAM, batch_size)
    for window in chunks(groups, max(1, together // 2)):
        keyed = [[(keys.of(question), question) for question in questions_of(group)] for group in window]
        wanted = {key: question for group_keys in keyed for key, question in group_keys}
        answers = {} if store is None else store.get({key: question.id for key, question in wanted.items()})
        answers |= {key: failed[key] for key in failed.keys() & wanted.keys()}
        answers |= {key: refused(one) for key, one in wanted.items() if key not in answers and not keys.takes(one)}
        for heard in asking({key: wanted[key] for key in wanted if key not in answers}, batch_size):
            said = {key: writable(prediction) for key, prediction in heard.items()}
            if store is not None:
                store.put(said.items())
            answers.update(said)
            failed.update((key, prediction) for key, prediction in said.items() if prediction.failed)
            yield list(said.values())
        for group, group_keys in zip(window, keyed, strict=True):
            first, *rest = [
                said if said.question_id == question.id else replace(said, question_id=question.id)
                for said, question in ((answers[key], question) for key, question in group_keys)
            ]
            yield Outcome(group, first, tuple(rest))


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of requests that a run needs."""

    groups: int
    questions: int
    """Originals and variants, including repeats."""
    distinct: int
    known: int
    """Distinct questions whose answer is already in the store."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens read and written for the known answers."""
    refused: int = 0
    """Distinct questions about several images that the model is not asked, since it takes one."""

    @property
    def calls(self) -> int:
        """Distinct questions that will be sent to the model."""
        return self.distinct - self.known - self.refused


class Planner:
    """Sees every group once and counts the requests for one model; keeps eight bytes for each question."""

    def __init__(self, model: Named) -> None:
        self.model = model
        self.keys = Keys(model.what, model.signature)
        self._groups = self._missing = 0
        self._example: tuple[Question, ImageRef] | None = None
        self._trouble: BadImage | None = None
        self._prefixes = array("Q")
        """The beginning of the key of each question."""
        self._found_by: Callable[[Id], Id] = model.what.key if isinstance(model.what, FindsById) else lambda key: key
        facts = ModelFacts(model.what)
        self._by_id, self._recorded = facts.by_id, facts.recorded
        self._refused: set[int] = set()
        """The beginnings of the keys of questions that the model cannot be asked."""
        self._ids, self._asked = array("q"), array("q")
        """Hashes of ids, and of ids with their questions; if there are more of the latter, one id has two questions."""

    def add(self, group: Group) -> None:
        """Count one group."""
        self._groups += 1
        for question in questions_of(group):
            if (lacking := self.keys.lacking(question)) is not None:
                self._missing += 1
                self._example = self._example or (question, lacking)
            self._prefixes.append(self._prefix(question))
            if not self.keys.takes(question):
                self._refused.add(self._prefixes[-1])
            if self._by_id:
                key, shown = self._found_by(question.id), tuple((str(one.id), one.path) for one in question.images)
                self._ids.append(hash(key))
                self._asked.append(hash((key, as_asked(question).text, question.context, shown)))

    def _prefix(self, question: Question) -> int:
        if self._recorded:
            return hash((question.id,)) & ((1 << 64) - 1)
        try:
            return int.from_bytes(self.keys.of(question)[:PREFIX], "big")
        except BadImage as trouble:  # raised by check, after all groups were added
            self._trouble = self._trouble or trouble
            return 0

    def check(self) -> None:
        """Refuse missing image files, and data of which the model can be asked nothing."""
        if self._trouble is not None:
            raise self._trouble
        if self._refused and self._refused.issuperset(self._prefixes):
            raise BadImage(
                f"{self.model.name}: this model takes one image with a question, and all {len(self._prefixes):,} "
                "questions are about several. Ask a model that takes several: openai:..., hf:FOLDER with a chat "
                "template, or a Python function with several_images=true."
            )
        if self._example is not None:
            question, image = self._example
            raise BadImage(
                f"{self._missing:,} of {len(self._prefixes):,} questions name an image whose file is not known, e.g. "
                f"image {image.id!r} of question {question.id!r}, and the model looks at images. "
                "Give their folder (--images DIR; images=... in Python). A model that never looks at them must say so "
                "(blind=true)."
            )

    def repeats_ids(self) -> Callable[[Id], Id] | None:
        """How answers are found by id, if one id may belong to two questions; None if no id does."""
        return self._found_by if len(_distinct(self._ids)) != len(_distinct(self._asked)) else None

    def plan(self, store: Store | None) -> Plan:
        """The plan, given the answers in the store; recorded answers are not in a store."""
        prefixes = _distinct(self._prefixes)
        known = read = written = 0
        for start in range(0, 0 if store is None else len(prefixes), TOGETHER):
            some = (prefix.to_bytes(PREFIX, "big") for prefix in prefixes[start : start + TOGETHER].tolist())
            found = store.tokens_of(some) if store is not None else {}
            known += len(found)
            read += sum(tokens[0] for tokens in found.values())
            written += sum(tokens[1] for tokens in found.values())
        return Plan(self._groups, len(self._prefixes), len(prefixes), known, (read, written), len(self._refused))


def _distinct(numbers: Any) -> npt.NDArray[Any]:
    """The distinct numbers in order; np.unique would hash them, which takes eight times as long."""
    found = np.sort(np.asarray(numbers))
    return np.asarray(found[np.diff(found, prepend=found[:1] + 1) != 0])


def unknown(groups: Iterable[Group], keys: Keys, store: Store) -> Iterator[Question]:
    """Each distinct question without an answer in the store, as it will be sent."""
    seen: set[bytes] = set()
    for window in chunks(groups, 512):
        found = {keys.of(question): question for group in window for question in questions_of(group)}
        known = store.known(list(found))
        for key, question in found.items():
            if key not in known and key[:PREFIX] not in seen and keys.takes(question):
                seen.add(key[:PREFIX])
                yield as_asked(question)
