"""What a network learns from: data sets and groups, which add up, and the images that it must not see."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, cast

from askew.data.open_path import RELEASE
from askew.engine.components import Questions, as_data
from askew.engine.settings import Named
from askew.errors import BadOption, DataError, plural
from askew.files.images import content_hash
from askew.registry import make, names, open_data
from askew.types import Expect, Group, ImageRef, Question, Variant
from askew.verbs import Dataset, HoldsGroups

Data: TypeAlias = "str | Path | Dataset | Iterable[Question]"
Groups: TypeAlias = "str | Path | Sequence[str | Path | Group]"

HELD_OUT = 0.1
"""The share of images held out for validation when no validation data is given."""


@dataclass(frozen=True)
class Source:
    """One of the data sets that a network is trained on."""

    data: Named
    weight: float = 1.0
    """How much the error of its answers counts."""


@dataclass(frozen=True)
class Examples:
    """Questions with answers, each with the weight of its source."""

    questions: Sequence[Question]
    weights: Sequence[float]

    def where(self, keep: Callable[[Question], bool]) -> Examples:
        """Those that are kept."""
        kept = [(one, weight) for one, weight in zip(self.questions, self.weights, strict=True) if keep(one)]
        return Examples([one for one, _ in kept], [weight for _, weight in kept])


def split_of_release(data: Any, name: str) -> Any:
    """A folder of ``askew collect export`` stands for its train or dev split; anything else for itself."""
    is_release = isinstance(data, (str, Path)) and (Path(data) / RELEASE).is_file()
    return str(Path(data) / f"{name}.jsonl") if is_release else data


def as_sources(
    data: Data | Sequence[Data], weights: Sequence[float], images: str | None, skip_bad: bool
) -> list[Source]:
    """Each data set with its weight; a list of questions is one data set."""
    several = isinstance(data, (list, tuple)) and not any(isinstance(item, Question) for item in data)
    named = [
        as_data(split_of_release(one, "train"), images, skip_bad)
        for one in (cast(Sequence[Data], data) if several else [cast(Data, data)])
    ]
    if len(weights) not in (0, len(named)):
        raise BadOption(
            f"There are {plural(len(weights), 'weight')} for {plural(len(named), 'data set')}: give one for each."
        )
    if any(not 0 < weight < math.inf for weight in weights):
        raise BadOption(f"weights are {', '.join(map(str, weights))}; give numbers above 0.")
    return [Source(one, weight) for one, weight in zip(named, weights or [1.0] * len(named), strict=True)]


def split(sources: Sequence[Source], val: Named | None, seed: int) -> tuple[Examples, list[Question]]:
    """Questions to train on and questions to validate on; all have answers."""
    found = [(question, source.weight) for source in sources for question in _answered(source.data)]
    examples = Examples([question for question, _ in found], [weight for _, weight in found])
    if val is not None:
        return examples, _answered(val)
    keys = list(map(_image_key, examples.questions))
    chance = {key: Random(f"{seed}:held out:{key}").random() for key in keys}
    held = set(sorted(chance, key=chance.__getitem__)[: max(1, round(HELD_OUT * len(chance)))])
    if len(held) == len(chance):
        raise DataError("The data has too few images to hold one out for validation. Give validation data (--val).")
    kept = [question for question, key in zip(examples.questions, keys, strict=True) if key in held]
    return examples.where(lambda question: _image_key(question) not in held), kept


def _answered(data: Named) -> list[Question]:
    questions = [question for question in data.what.questions() if question.answers]
    if not questions:
        raise DataError(f"{data.spec}: no question has an answer: nothing to learn. Give data with answers.")
    return questions


def _image_key(question: Question) -> str:
    return repr(question.id) if question.image is None else content_hash(question.image)


def read_pairs(groups: Groups, train: Sequence[Question], images: str | None, skip_bad: bool, seed: int) -> list[Group]:
    """The groups of all these sources: built by a suite from the training questions, read, or as they were passed."""
    sources = [groups] if isinstance(groups, (str, Path)) else groups
    return [group for source in sources for group in _groups_of(source, train, images, skip_bad, seed)]


def _groups_of(
    source: str | Path | Group, train: Sequence[Question], images: str | None, skip_bad: bool, seed: int
) -> Iterator[Group]:
    """The groups of one source. The name of a suite takes precedence over a file or folder, which can be ``./p2``.

    Of data without variants (a collected release, annotated questions), each question is its own variant: ``augment``
    learns from it, and losses that compare two questions find no difference.
    """
    if isinstance(source, Group):
        yield source
    elif _is_suite(str(source)):
        made = make("suite", str(source)).groups(Questions(tuple(train), "train"), seed)
        yield from (item for item in made if isinstance(item, Group))
    else:
        data = open_data(str(split_of_release(source, "train")), images=images, skip_bad=skip_bad)
        if isinstance(data, HoldsGroups):
            yield from data.groups()
            return
        test = Path(source).name
        for question in data.questions():
            if question.answers:
                yield Group(question.id, test, question, (Variant(question, Expect.SAME, test, test),))


def _is_suite(source: str) -> bool:
    """Whether a source is meant to be a suite: neither a file or folder nor the name of a reader."""
    kind = source.partition(":")[0]
    is_path = os.path.exists(source) or os.path.splitext(source)[1] or os.sep in source
    return kind in names("suite") or not (is_path or kind in names("reader"))


def refuse_test_images(
    used: Iterable[ImageRef | None],
    val: Named | None,
    validated: Iterable[Question],
    exclude: Sequence[str | Path],
    images: str | None,
) -> None:
    """Refuse to train on images that are validated on, or that ``exclude`` names; equal bytes are the same image."""
    trained = {content_hash(image): image for image in used if image is not None}
    tests = [(str(path), _images_of(path, images)) for path in exclude]
    if val is not None:
        tests.append((f"--val {val.spec}", (question.image for question in validated)))
    for name, refs in tests:
        both = {key for ref in refs if ref is not None and (key := content_hash(ref)) in trained}
        if both:
            raise DataError(
                f"{len(both):,} of {plural(len(trained), 'training image')} {'is' if len(both) == 1 else 'are'} also "
                f"in {name}, e.g. {trained[min(both)].id!r}: what is learnt from an image cannot be measured on it. "
                "Leave these images out of the training data, or measure on others."
            )


def _images_of(path: str | Path, images: str | None) -> Iterator[ImageRef | None]:
    """The images of a run, of groups or of data, those of variants too."""
    folder = Path(path)
    if (folder / "results.json").is_file():  # several models share the groups one folder above
        folder = next(place for place in (folder / "groups.jsonl", folder.parent / "groups.jsonl") if place.is_file())
    data = open_data(str(folder), images=images)
    if isinstance(data, HoldsGroups):
        for group in data.groups():
            yield group.original.image
            yield from (variant.question.image for variant in group.variants)
    else:
        yield from (question.image for question in data.questions())
