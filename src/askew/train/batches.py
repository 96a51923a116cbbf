"""Questions, answers, pairs and image features as arrays, so that a batch is a few indexing operations."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from askew.answers.normalise import clean, normalise
from askew.engine.settings import Settings, progress_bar
from askew.errors import AskewError, BadImage, DataError
from askew.files.images import content_hash
from askew.files.paths import cache_folder
from askew.metrics.accuracy import leave_one_out
from askew.nets.layers import Batch
from askew.nets.net_config import QuestionWords
from askew.train.features import FeatureStore, ImageFeatures
from askew.types import Expect, Group, ImageRef, Question

MOST_EACH = 10
"""The maximum number of different correct answers kept per question."""


@dataclass(frozen=True)
class Answers:
    """The answers a network can give, the most frequent first.

    >>> people = [Question(1, None, "?", ("yes", "yes", "no")), Question(2, None, "?", ("a dog", "a dog", "dog"))]
    >>> answers = Answers.of(people)
    >>> answers.known
    ('a dog', 'yes', 'no')
    >>> numbers, values = answers.encode(people)
    >>> numbers[0, :2].tolist(), [f"{value:.2f}" for value in values[0, :2]]
    ([1, 2], ['0.67', '0.33'])
    """

    known: tuple[str, ...]
    """Each as people most often write it; answers that are equal after normalisation are one."""

    @classmethod
    def of(cls, questions: Iterable[Question], least: int = 1, most: int | None = None) -> Answers:
        """The answers given at least ``least`` times to these questions, at most ``most`` of them."""
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for question in questions:
            for answer in question.answers:
                written[normalise(answer)][clean(answer)] += 1
        written.pop("", None)
        frequent = [key for key, counts in written.items() if counts.total() >= least]
        if not frequent:
            raise DataError(
                f"No answer was given {least} times: there is nothing to learn. Give more data, or least_answers=1."
            )
        frequent.sort(key=lambda key: (-written[key].total(), key))
        return cls(tuple(min(written[key], key=lambda text: (-written[key][text], text)) for key in frequent[:most]))

    def __len__(self) -> int:
        return len(self.known)

    def encode(self, questions: Sequence[Question]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Up to ten answers per question (their numbers) and the VQA accuracy of each; number A means no answer.

        The accuracy is the leave-one-out accuracy of the official evaluator, always normalised.
        """
        numbers = np.full((len(questions), MOST_EACH), len(self), np.int64)
        values = np.zeros((len(questions), MOST_EACH), np.float32)
        for row, question in enumerate(questions):
            counts = Counter(map(normalise, question.answers))
            found = [(self._numbers[key], n) for key, n in counts.most_common() if key in self._numbers]
            for column, (number, matching) in enumerate(found[:MOST_EACH]):
                numbers[row, column] = number
                values[row, column] = leave_one_out(matching, len(question.answers))
        return numbers, values

    def find(self, answer: str) -> int | None:
        """The number of an answer, however it is written; None if it is not known."""
        return self._numbers.get(normalise(answer))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {normalise(answer): number for number, answer in enumerate(self.known)}


IN_MEMORY = 2 << 30
"""Features that take more bytes are kept in a half-precision file in the cache folder."""

CHUNK = 256
"""The number of images requested from a store at once."""


@dataclass(frozen=True)
class FeatureTable:
    """The features of N images of up to K regions, each of D numbers. The first row is "no image": no regions."""

    features: NDArray[Any]
    """(N, K, D) float32, or float16 if they are in a file; for pixels (N, 3, S, S) uint8."""
    boxes: Tensor
    """(N, K, 4)."""
    mask: Tensor
    """(N, K)."""
    rows: dict[str, int]
    """From the content hash of an image to its row."""

    @property
    def width(self) -> int:
        """Numbers per region (3 for pixels)."""
        return int(self.features.shape[1] if self.features.ndim == 4 else self.features.shape[2])

    def find(self, images: Sequence[ImageRef | None]) -> NDArray[np.int64]:
        """The rows of these images; 0 for a question without one."""
        return np.array([0 if image is None else self.rows[content_hash(image)] for image in images], np.int64)

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features (B, K, D), boxes (B, K, 4) and mask (B, K) of these rows (B,)."""
        if isinstance(self.features, np.memmap):
            features = torch.from_numpy(self.features[rows.numpy()])
        else:
            features = torch.from_numpy(self.features).index_select(0, rows)
        if features.dtype == torch.uint8:
            features = features.to(torch.float32) / 255
        return features.to(torch.float32), self.boxes.index_select(0, rows), self.mask.index_select(0, rows)


def build_table(store: FeatureStore, images: Iterable[ImageRef | None], progress: bool = False) -> FeatureTable:
    """The features of these images, each image once; with ``progress`` a bar counts the images."""
    distinct: dict[str, ImageRef] = {}
    for image in images:
        if image is not None:
            distinct.setdefault(content_hash(image), image)
    return fill(store, distinct, IN_MEMORY, progress)


def unusable(
    store: FeatureStore,
    images: Iterable[ImageRef | None],
    caught: type[AskewError] = BadImage,
    progress: bool = False,
) -> dict[ImageRef, str]:
    """Images without features, and why. A chunk is requested at once, or image by image if that fails."""
    todo = list(dict.fromkeys(image for image in images if image is not None))
    bad: dict[ImageRef, str] = {}
    for part in _chunks(todo, progress):
        try:
            store.get_many(part)
        except caught as trouble:
            if len(part) == 1:
                bad[part[0]] = str(trouble)
            else:
                for image in part:
                    bad |= unusable(store, [image], caught)
    return bad


def _chunks(todo: Sequence[ImageRef], progress: bool) -> Iterator[Sequence[ImageRef]]:
    """The images that are requested from a store at once; a bar advances when they have been dealt with."""
    with progress_bar(Settings(progress=progress), total=len(todo), desc="Image features", unit=" images") as bar:
        for start in range(0, len(todo), CHUNK):
            part = todo[start : start + CHUNK]
            yield part
            bar.update(len(part))


def fill(store: FeatureStore, images: dict[str, ImageRef], in_memory: int, progress: bool = False) -> FeatureTable:
    """The table of these images; in memory unless its features have more bytes than ``in_memory``."""
    known, todo = list(images), list(images.values())
    parts = (store.get_many(chunk) for chunk in _chunks(todo, progress))
    first = next(parts, [])
    regions = max([store.regions or 0, *(image.features.shape[0] for image in first)], default=1) or 1
    shape = _shape(first, len(known) + 1, regions)
    features = _array(shape, first[0].features.dtype if first else np.dtype(np.float32), in_memory, store, known)
    boxes = np.zeros((shape[0], regions, 4), np.float32)
    mask = np.zeros((shape[0], regions), np.bool_)
    done = 0
    for part in chain([first] if first else [], parts):
        most = max(image.features.shape[0] for image in part)
        if most > mask.shape[1]:
            wider = _array((shape[0], most, *shape[2:]), part[0].features.dtype, in_memory, store, known)
            wider[:, : mask.shape[1]] = features
            room = ((0, 0), (0, most - mask.shape[1]))
            features, boxes, mask = wider, np.pad(boxes, (*room, (0, 0))), np.pad(mask, room)
        for row, image in enumerate(part, done + 1):
            _check(image, shape, todo[row - 1])
            count = image.features.shape[0]
            features[row, :count] = image.features
            if image.boxes is not None:
                boxes[row, :count], mask[row, :count] = image.boxes, True
        done += len(part)
    rows = {key: row for row, key in enumerate(known, 1)}
    return FeatureTable(features, torch.from_numpy(boxes), torch.from_numpy(mask), rows)


def _check(image: ImageFeatures, shape: tuple[int, ...], ref: ImageRef) -> None:
    """Refuse features that are not finite, or not as wide as those of the first image."""
    if image.features.shape[1:] != shape[2:]:
        width, expected = (" × ".join(map(str, sizes)) for sizes in (image.features.shape[1:], shape[2:]))
        raise BadImage(
            f"image {ref.id!r} has {width} numbers per region, but others have {expected}. Extract the features of all "
            "images with the same network."
        )
    if not np.isfinite(image.features).all():
        raise BadImage(f"image {ref.id!r} has features that are not finite. Extract them again.")


def _shape(first: Sequence[ImageFeatures], count: int, regions: int) -> tuple[int, ...]:
    if not first:
        return (count, regions, 1)
    sizes = first[0].features.shape
    return (count, *sizes) if len(sizes) == 3 else (count, regions, sizes[1])


def _array(
    shape: tuple[int, ...], dtype: np.dtype[Any], in_memory: int, store: FeatureStore, known: Sequence[str]
) -> NDArray[Any]:
    if np.prod(shape, dtype=np.float64) * dtype.itemsize <= in_memory:
        return np.zeros(shape, dtype)
    name = hashlib.sha256(repr((repr(store), known, shape)).encode()).hexdigest()[:16]
    place = Path(cache_folder()) / "features" / f"{name}-{uuid4().hex}.npy"
    place.parent.mkdir(parents=True, exist_ok=True)
    half = np.dtype(np.float16) if dtype == np.float32 else dtype
    mapped = np.lib.format.open_memmap(place, "w+", half, shape)
    place.unlink()  # the mapping stays valid; the disk space is released with it
    return mapped


@dataclass(frozen=True)
class Encoding:
    """How questions become numbers."""

    words: QuestionWords
    answers: Answers
    table: FeatureTable

    def rows(self, questions: Sequence[Question]) -> QuestionRows:
        """These questions as columns."""
        numbers, values = self.answers.encode(questions)
        return QuestionRows(
            torch.from_numpy(self.words.encode([question.text for question in questions])),
            torch.from_numpy(self.table.find([question.image for question in questions])),
            torch.from_numpy(numbers),
            torch.from_numpy(values),
            self.table,
            len(self.answers),
        )

    def pairs(self, groups: Sequence[Group]) -> Pairs:
        """Each variant of these groups with its original."""
        both = [(group.original, variant) for group in groups for variant in group.variants]
        tests: dict[str, list[int]] = {}
        for number, (_, variant) in enumerate(both):
            tests.setdefault(variant.test, []).append(number)
        expects = [variant.expect for _, variant in both]
        return Pairs(
            self.rows([original for original, _ in both]),
            self.rows([variant.question for _, variant in both]),
            tests,
            torch.tensor([expect in (Expect.SAME, Expect.NOISE) for expect in expects], dtype=torch.bool),
            torch.tensor([expect is Expect.DIFFERENT for expect in expects], dtype=torch.bool),
            [number for number, group in enumerate(groups) for _ in group.variants],
        )


@dataclass(frozen=True)
class QuestionRows:
    """N questions."""

    tokens: Tensor
    """(N, L) int64."""
    images: Tensor
    """(N,) rows of the table."""
    numbers: Tensor
    """(N, 10): correct answers."""
    values: Tensor
    """(N, 10): how correct each is."""
    table: FeatureTable
    answers: int
    """The number of answers the network can give."""

    def __len__(self) -> int:
        return len(self.images)

    def batch(self, which: Tensor) -> Batch:
        """These questions (B,), padded to the longest among them."""
        tokens = self.words(which)
        targets = torch.zeros(len(which), self.answers + 1)  # (B, A + 1): the last stands for no answer
        targets.scatter_(1, self.numbers.index_select(0, which), self.values.index_select(0, which))
        return Batch(tokens, *self.table.take(self.images.index_select(0, which)), targets[:, : self.answers])

    def words(self, which: Tensor) -> Tensor:
        """Only the words of these questions, (B, L)."""
        tokens = self.tokens.index_select(0, which)
        longest = int((tokens > 0).sum(dim=1).max()) if len(which) else 1
        return tokens[:, : max(1, longest)]


@dataclass(frozen=True)
class Pairs:
    """N originals, each with one variant."""

    originals: QuestionRows
    variants: QuestionRows
    tests: dict[str, list[int]]
    """The numbers of the pairs of each test."""
    same: Tensor
    """(N,) bool: the answer stays."""
    flips: Tensor
    """(N,) bool: yes becomes no, and no yes."""
    groups: Sequence[int]
    """The number of each pair's group."""

    def __len__(self) -> int:
        return len(self.originals)

    def draw(self, tests: Sequence[str], size: int, rng: Random) -> Tensor:
        """This many random pairs of these tests, with replacement."""
        pool = [number for test in tests for number in self.tests[test]] if len(tests) > 1 else self.tests[tests[0]]
        return torch.tensor(rng.choices(pool, k=size), dtype=torch.int64)

    def draw_together(self, tests: Sequence[str], count: int, k: int, rng: Random) -> Tensor:
        """``k`` random pairs of each of ``count`` random groups, with replacement, one group after the other."""
        together: defaultdict[int, list[int]] = defaultdict(list)
        for number in (number for test in tests for number in self.tests[test]):
            together[self.groups[number]].append(number)
        chosen = rng.choices(list(together.values()), k=count)
        return torch.tensor([number for members in chosen for number in rng.choices(members, k=k)], dtype=torch.int64)


def content_of(parts: Sequence[QuestionRows]) -> str:
    """A hash of 16 digits of the content of these rows: words, image rows and answers."""
    whole = hashlib.sha256()
    for rows in parts:
        for column in (rows.tokens, rows.images, rows.numbers, rows.values):
            whole.update(column.numpy().tobytes())
    return whole.hexdigest()[:16]


def order(count: int, seed: int, epoch: int) -> Tensor:
    """The order of the questions in an epoch: a function of the seed and the epoch alone."""
    shuffled = np.random.Generator(np.random.PCG64([seed, epoch, count])).permutation(count)
    return torch.from_numpy(shuffled.astype(np.int64))
