"""Turns the arguments of a training of an adapter into questions and pairs, to learn from and held out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import orjson

from askew.answers.choices import as_asked
from askew.engine.ask import questions_of
from askew.engine.settings import Named
from askew.errors import AskewError, DataError, ModelError, plural
from askew.files.images import content_hash
from askew.models.huggingface.hf_model import HuggingFace
from askew.train.adapters.schedule import Pair, PairLoss, pairs_of
from askew.train.adapters.trainer import HeldOut
from askew.train.controls import controlled_groups
from askew.train.training_data import HELD_OUT, Examples, Groups, Source, read_pairs, refuse_test_images, split
from askew.types import Group, ImageRef, Question

MOST_VALIDATED = 1000
"""At most so many held-out questions, and as many pairs, are answered at each evaluation, drawn at random."""


@dataclass(frozen=True)
class AdapterRequest:
    """The arguments of a training, before anything is read."""

    model: HuggingFace
    data: Sequence[Source]
    val: Named | None
    losses: Sequence[PairLoss]
    groups: Groups
    control: str
    exclude: Sequence[str | Path]
    images: str | None
    skip_bad: bool
    seed: int


@dataclass(frozen=True)
class AdapterData:
    """What an adapter is trained and validated on."""

    examples: Examples
    losses: Sequence[tuple[PairLoss, Sequence[Pair]]]
    """Each loss with its pairs."""
    held_out: HeldOut
    skipped: Sequence[str]
    """Bad records, and questions that the model cannot be asked, with the reason."""

    @property
    def pairs(self) -> int:
        """The number of pairs to learn from."""
        return sum(len(pairs) for _, pairs in self.losses)

    @cached_property
    def content(self) -> str:
        """A hash of 16 digits of questions, answers, images (wherever they are) and what is expected of pairs."""
        rows = [*self.examples.questions, *self.held_out.questions]
        whole = hashlib.sha256()
        for pair in (pair for part in (*(pairs for _, pairs in self.losses), self.held_out.pairs) for pair in part):
            rows += [pair.original, pair.variant]
            whole.update(orjson.dumps([pair.test, pair.same, pair.flips]))
        for row in rows:
            whole.update(orjson.dumps([_key(row.image), row.context, row.text, *row.choices, *row.answers]))
        return whole.hexdigest()[:16]


def prepare(request: AdapterRequest) -> AdapterData:
    """Read the data and build the groups; no image of a test is among them."""
    examples, everything = split(request.data, request.val, request.seed)
    checked = _some(everything, request.seed)
    train: dict[str, list[Group]] = {}
    held: dict[str, list[Group]] = {}
    for name in dict.fromkeys(loss.groups for loss in request.losses):
        train[name], held[name] = (
            read_pairs(name or request.groups, asked, request.images, request.skip_bad, request.seed)
            for asked in (examples.questions, checked)
        )
        train[name], held[name] = _held_out(train[name], held[name], everything, request)
    used = [one for named in train.values() for group in named for one in questions_of(group)]
    _refuse([*examples.questions, *checked, *used])
    refuse_test_images(
        (one.image for one in (*examples.questions, *used)), request.val, everything, request.exclude, request.images
    )
    usable, skipped = _skips(request) if request.skip_bad else (lambda question: True, [])
    examples, checked = examples.where(usable), list(filter(usable, checked))
    if not examples.questions or not checked:
        raise DataError(f"Nothing is left to train or validate on: bad records were skipped, e.g. {skipped[0]}")
    pairs = {name: _pairs(controlled_groups(named, request.control), usable) for name, named in train.items()}
    held_out = [pair for named in held.values() for pair in _pairs(named, usable)]
    return AdapterData(
        examples,
        [(loss, pairs[loss.groups]) for loss in request.losses],
        HeldOut(checked, _some(held_out, request.seed)),
        skipped,
    )


def _pairs(groups: Sequence[Group], usable: Callable[[Question], bool]) -> list[Pair]:
    return [pair for pair in pairs_of(groups) if usable(pair.original) and usable(pair.variant)]


def _skips(request: AdapterRequest) -> tuple[Callable[[Question], bool], list[str]]:
    """Whether the model can be asked a question, and the list to which the others are added."""
    named = [source.data for source in request.data] + ([request.val] if request.val else [])
    skipped = [line for data in named for line in data.what.skipped]
    model, reasons = request.model, dict[tuple[Any, str], str]()

    def usable(question: Question) -> bool:
        key = question.id, question.content
        if key not in reasons:
            asked, reasons[key] = as_asked(question), ""
            try:
                model.runtime.visual_input(asked, model.fill_prompt(asked))
            except ModelError:
                raise
            except AskewError as trouble:
                reasons[key] = str(trouble)
                skipped.append(f"question {question.id!r}: {trouble}")
        return not reasons[key]

    return usable, skipped


def _held_out(
    train: list[Group], held: list[Group], checked: Sequence[Question], request: AdapterRequest
) -> tuple[list[Group], list[Group]]:
    """Groups to learn from and held-out ones: those of held-out images, or if there are none, of a tenth of all."""
    own = {_key(question.image) for question in checked}
    held = [group for group in held if _key(group.original.image) in own]
    if held:  # of images that were split off the data nothing is learnt; those of --val may not be among the others
        return [group for group in train if request.val or _key(group.original.image) not in own], held
    keys = {_key(group.original.image) for group in train}
    chance = {key: Random(f"{request.seed}:held out:{key}").random() for key in keys}
    apart = set(sorted(chance, key=chance.__getitem__)[: round(HELD_OUT * len(chance))])
    return (
        [group for group in train if _key(group.original.image) not in apart],
        [group for group in train if _key(group.original.image) in apart],
    )


def _key(image: ImageRef | None) -> str:
    return "" if image is None else content_hash(image)


def _some(items: Sequence[Any], seed: int) -> list[Any]:
    """All of them, or as many as are validated, drawn at random, in their order."""
    chosen = sorted(Random(f"{seed}:validated").sample(range(len(items)), min(MOST_VALIDATED, len(items))))
    return [items[place] for place in chosen]


def _refuse(everything: Sequence[Question]) -> None:
    """Refuse questions without an image, or about several: rows of a batch have one each."""
    for wrong, what in (
        ([one.id for one in everything if one.more_images], "are about several images"),
        ([one.id for one in everything if one.image is None], "have no image"),
    ):
        if wrong:
            raise DataError(
                f"{len(wrong):,} of {plural(len(everything), 'question')} {what}, e.g. question {wrong[0]!r}, and "
                "adapters are trained on questions about one image. Leave them out of the data."
            )
