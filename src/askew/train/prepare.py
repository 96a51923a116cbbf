"""From what a person gives to what the loop needs: data, features, groups and losses, as columns of numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from askew.api import Questions
from askew.data.groups import read_groups
from askew.errors import BadOption, DataError
from askew.nets.config import NetConfig
from askew.registry import make, names
from askew.settings import Named
from askew.train.answers import Answers
from askew.train.config import TrainConfig
from askew.train.features import FeatureStore, as_store
from askew.train.losses import AnswerLoss, Loss, TakesGroups, check_types
from askew.train.rows import Encoding, Pairs, Rows, content_of
from askew.train.table import build_table, unusable
from askew.train.words import Words
from askew.types import Group, ImageRef, Question
from askew.verbs import Dataset
from askew.world.dataset import World

Data: TypeAlias = "str | Path | Dataset | Iterable[Question]"
Groups: TypeAlias = "str | Path | Sequence[Group]"

HELD_OUT = 0.1
"""The share of pictures kept for validation when no validation data is given."""

MODULE_NETS = ("stacknmn", "xnm", "hybridnet")
"""Networks that choose among modules, which Q3R needs."""


@dataclass(frozen=True)
class Given:
    """What a person asked for."""

    net: NetConfig
    data: Named
    val: Named | None
    features: str | FeatureStore | None
    losses: Sequence[Loss]
    answer: AnswerLoss
    groups: Groups
    images: str | None
    config: TrainConfig
    skip_bad: bool = False
    """Leave out questions whose pictures cannot be used, and list them."""


@dataclass(frozen=True)
class Lesson:
    """What the loop works on."""

    net: NetConfig
    config: TrainConfig
    answer: AnswerLoss
    losses: Sequence[tuple[Loss, Pairs | None]]
    train: Rows
    val: Rows
    kinds: Sequence[str]
    """The answer type of each validation question."""
    words: Words
    answers: Answers
    record: dict[str, Any]
    """What decides the weights, for ``config.json``."""


def as_net(net: str | NetConfig) -> NetConfig:
    """A network from what a person gives: a spec such as ``xnm:hidden=256``, or its configuration."""
    made: NetConfig = make("net", net) if isinstance(net, str) else net
    return made


def as_losses(losses: Iterable[str | Loss | AnswerLoss]) -> tuple[AnswerLoss, list[Loss]]:
    """The answer loss (the default one when none is named) and what is added to it."""
    made = [make("loss", loss) if isinstance(loss, str) else loss for loss in losses]
    answers = [loss for loss in made if isinstance(loss, AnswerLoss)]
    if len(answers) > 1:
        raise BadOption("The answer loss is named twice; name it once.")
    others = [loss for loss in made if not isinstance(loss, AnswerLoss)]
    return (answers[0] if answers else AnswerLoss()), others


def prepare(given: Given) -> Lesson:
    """Read the data, make the groups, look at the pictures, and turn all of it into numbers."""
    _check(given)
    train, val = _split(given)
    found = {loss.groups: _groups(given, loss.groups, train) for loss in given.losses if isinstance(loss, TakesGroups)}
    store = as_store(_features(given), given.net)
    bad = unusable(store, _images(train, val, found)) if given.skip_bad else {}
    skipped = _skipped(given, bad, (*train, *val))
    train, val = _without(bad, train), _without(bad, val)
    found = {name: [group for group in groups if not _has(bad, group)] for name, groups in found.items()}
    if not train or not val:
        raise DataError(
            f"Nothing is left to learn from or to validate on: bad records were left out, e.g. {skipped[0]}"
        )
    shown = [variant.question for groups in found.values() for group in groups for variant in group.variants]
    words = Words.of((question.text for question in (*train, *shown)), given.config.least_words)
    answers = Answers.of(train, given.config.least_answers, given.config.most_answers)
    table = build_table(store, _images(train, val, found))
    encoding = Encoding(words, answers, table)
    net = given.net.sized(len(words), len(answers), table.width)
    pairs = {name: encoding.pairs(groups) for name, groups in found.items()}
    rows = [encoding.rows(train), encoding.rows(val)]
    losses = [(loss, pairs[loss.groups] if isinstance(loss, TakesGroups) else None) for loss in given.losses]
    for loss, taken in losses:
        if taken is not None:
            check_types(loss, taken)
    return Lesson(
        net=net,
        config=given.config,
        answer=given.answer,
        losses=losses,
        train=rows[0],
        val=rows[1],
        kinds=[question.kind.answer_type for question in val],
        words=words,
        answers=answers,
        record=_record(given, net, store, rows, pairs) | ({"skipped": skipped} if skipped else {}),
    )


def _images(
    train: Sequence[Question], val: Sequence[Question], found: Mapping[str, Sequence[Group]]
) -> Iterator[ImageRef | None]:
    """The pictures of all questions, in the order in which the table has them."""
    yield from (question.image for question in (*train, *val))
    yield from (group.original.image for groups in found.values() for group in groups)
    yield from (variant.question.image for groups in found.values() for group in groups for variant in group.variants)


def _skipped(given: Given, bad: Mapping[ImageRef, str], questions: Iterable[Question]) -> list[str]:
    """What is left out, one sentence each: bad records of the files, then questions whose pictures are bad."""
    read = [line for data in (given.data, given.val) if data for line in data.what.skipped]
    return [*read, *(f"question {q.id!r}: {bad[q.image]}" for q in questions if q.image and q.image in bad)]


def _without(bad: Mapping[ImageRef, str], questions: Iterable[Question]) -> list[Question]:
    return [question for question in questions if question.image not in bad]


def _has(bad: Mapping[ImageRef, str], group: Group) -> bool:
    return any(question.image in bad for question in (group.original, *(made.question for made in group.variants)))


def _features(given: Given) -> str | FeatureStore | None:
    """What was given, else what the shipped encoder sees of the embedded world, else nothing."""
    if given.features is None and given.net.name != "language" and given.net.encoder == "none":
        return "world" if isinstance(given.data.what, World) else None
    return given.features


def _check(given: Given) -> None:
    for loss in given.losses:
        if getattr(loss, "needs_modules", False) and given.net.name not in MODULE_NETS:
            raise BadOption(
                f"{loss!r} compares module weights; {given.net.name} has none. Take one of {', '.join(MODULE_NETS)}, "
                "or the loss 'consistency', which compares answers."
            )


def _split(given: Given) -> tuple[list[Question], list[Question]]:
    """Questions to learn from and questions to validate on; all have answers."""
    questions = _answered(given.data)
    if given.val is not None:
        return questions, _answered(given.val)
    chance = {key: Random(f"{given.config.seed}:held out:{key}").random() for key in map(_picture, questions)}
    held = set(sorted(chance, key=chance.__getitem__)[: max(1, round(HELD_OUT * len(chance)))])
    if len(held) == len(chance):
        raise DataError("The data has too few pictures to keep one for validation. Give validation data (--val).")
    train = [question for question in questions if _picture(question) not in held]
    return train, [question for question in questions if _picture(question) in held]


def _answered(data: Named) -> list[Question]:
    questions = [question for question in data.what.questions() if question.answers]
    if not questions:
        raise DataError(f"{data.spec}: no question has an answer: nothing to learn. Give data with answers.")
    return questions


def _picture(question: Question) -> str:
    return repr(question.id if question.image is None else question.image.id)


def _groups(given: Given, named: str, train: Sequence[Question]) -> list[Group]:
    """The groups of a loss: of a suite made from the training questions, or from a file, or as they were given.

    A suite's name wins over a file or folder of that name, which can be written ``./p2``.
    """
    wanted = named or given.groups
    if isinstance(wanted, (str, Path)):
        if str(wanted).partition(":")[0] not in names("suite"):
            if os.path.exists(wanted):
                return list(read_groups(str(wanted), given.images))
            if os.path.splitext(wanted)[1] or os.sep in str(wanted):
                raise DataError(
                    f"{wanted}: there is no such file of groups. Make one with askew build, or name a suite."
                )
        suite = make("suite", str(wanted))
        made = suite.groups(Questions(tuple(train), "train"), given.config.seed)
        return [item for item in made if isinstance(item, Group)]
    return list(wanted)


def _record(
    given: Given, net: NetConfig, store: FeatureStore, rows: Sequence[Rows], pairs: dict[str, Pairs]
) -> dict[str, Any]:
    features = _features(given)
    every = [*rows, *(part for found in pairs.values() for part in (found.originals, found.variants))]
    return {
        "net": net.record(),
        "training": given.config.record(),
        "answer_loss": repr(given.answer),
        "losses": [repr(loss) for loss in given.losses],
        "data": repr(given.data.what),
        "val": None if given.val is None else repr(given.val.what),
        "features": repr(store),
        "features_spec": features if isinstance(features, str) else None,
        "questions": {"train": len(rows[0]), "val": len(rows[1])},
        "content": content_of(every),
        "pairs": {
            name or str(given.groups if isinstance(given.groups, (str, Path)) else "given"): {
                test: len(numbers) for test, numbers in found.tests.items()
            }
            for name, found in pairs.items()
        },
    }
