"""Turns the arguments of a training into what its loop needs: data, features, groups and losses as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from askew.answers.normalise import tokens
from askew.engine.ask import questions_of
from askew.engine.settings import Named
from askew.errors import BadOption, DataError
from askew.nets.net_config import NetConfig, QuestionWords
from askew.registry import make
from askew.train.batches import Answers, Encoding, Pairs, QuestionRows, build_table, content_of, unusable
from askew.train.controls import controlled_groups
from askew.train.features import FeatureStore, as_store
from askew.train.losses import AnswerLoss, ReplacesAnswer, TakesGroups, check_types
from askew.train.training_data import Groups, Source, read_pairs, refuse_test_images, split
from askew.types import Group, ImageRef, Question
from askew.verbs import Loss
from askew.world.dataset import World


@dataclass(frozen=True)
class TrainConfig:
    """How a network is trained. Rate and batch size are those of Whitehead et al. (2020, App. A)."""

    seed: int = 0
    epochs: int = 10
    batch_size: int = 256
    rate: float = 8e-4
    """Learning rate of Adam."""
    decay: bool = True
    """Whether the learning rate falls to zero along half a cosine, over all steps."""
    clip: float = 1.0
    """The largest norm of the gradient; 0 turns clipping off."""
    patience: int = 0
    """Stop after this many epochs without a better validation accuracy; 0 never stops."""
    least_words: int = 1
    """How often a word must occur in training to be known."""
    least_answers: int = 3
    """How often people must have given an answer in training for the network to be able to give it."""
    most_answers: int = 3000
    threads: int = 0
    """Processor threads; 0 leaves the choice to torch. Weights are the same only with the same number of threads."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 1), ("least_words", 1), ("least_answers", 1)):
            if getattr(self, name) < least:
                raise BadOption(f"{name.replace('_', '-')} is {getattr(self, name)}; at least {least} is needed.")
        for name in ("rate", "clip", "patience", "threads", "seed"):
            if getattr(self, name) < 0:
                raise BadOption(f"{name} is {getattr(self, name)}; it cannot be below 0.")


MODULE_NETS = ("stacknmn", "xnm", "hybridnet")
"""Networks that choose among modules, which Q3R needs."""


@dataclass(frozen=True)
class Request:
    """The arguments of a training, before anything is read."""

    net: NetConfig
    data: Sequence[Source]
    val: Named | None
    features: str | FeatureStore | None
    losses: Sequence[Loss]
    answer: AnswerLoss
    groups: Groups
    images: str | None
    config: TrainConfig
    skip_bad: bool = False
    """Skip questions whose images cannot be used, and list them."""
    exclude: Sequence[str | Path] = ()
    """Runs, groups or data whose images must not be trained on."""
    progress: bool = False
    control: str = ""
    """What is left out of the training, to compare it with (:mod:`askew.train.controls`)."""


@dataclass(frozen=True)
class Training:
    """What the training loop works on."""

    net: NetConfig
    config: TrainConfig
    answer: AnswerLoss
    losses: Sequence[tuple[Loss, Pairs | None]]
    train: QuestionRows
    weights: Tensor | None
    """(N,): how much the error of each training question counts; None if all count the same."""
    types: Sequence[str]
    """The type of each training question; its first two words where the data names none."""
    answer_types: Sequence[str]
    """The answer type of each training question."""
    val: QuestionRows
    kinds: Sequence[str]
    """The answer type of each validation question."""
    words: QuestionWords
    answers: Answers
    record: dict[str, Any]
    """What determines the weights, for ``config.json``."""


def as_losses(losses: Iterable[str | Loss | AnswerLoss]) -> tuple[AnswerLoss, list[Loss]]:
    """The answer loss (the default one if none is named) and the losses added to it."""
    made = [make("loss", loss) if isinstance(loss, str) else loss for loss in losses]
    answers = [loss for loss in made if isinstance(loss, AnswerLoss)]
    if len(answers) > 1:
        raise BadOption("The answer loss is named twice; name it once.")
    answer = answers[0] if answers else AnswerLoss()
    others = [loss for loss in made if not isinstance(loss, AnswerLoss)]
    instead = [loss for loss in others if isinstance(loss, ReplacesAnswer)]
    if len(instead) > 1:
        raise BadOption(f"{instead[0]!r} and {instead[1]!r} both take the place of the answer loss; name one of them.")
    for loss in instead:
        if answer.kind not in loss.replaces_answer:
            kinds = " or ".join(f"answer:kind={kind}" for kind in loss.replaces_answer)
            raise BadOption(f"{loss!r} cannot take the place of answer:kind={answer.kind}; also name the loss {kinds}.")
    return answer, others


def prepare(request: Request) -> Training:
    """Read the data, build the groups, get the image features, and turn all of it into arrays."""
    _check(request)
    images, skip, seed = request.images, request.skip_bad, request.config.seed
    examples, val = split(request.data, request.val, seed)
    by_name = {
        loss.groups: controlled_groups(
            read_pairs(loss.groups or request.groups, examples.questions, images, skip, seed), request.control
        )
        for loss in request.losses
        if isinstance(loss, TakesGroups)
    }
    groups = [group for named in by_name.values() for group in named]
    _refuse_several(request.net, (*examples.questions, *val, *(one for group in groups for one in questions_of(group))))
    refuse_test_images(_images(examples.questions, (), by_name), request.val, val, request.exclude, images)
    store = as_store(_features(request), request.net)
    bad = unusable(store, _images(examples.questions, val, by_name), progress=request.progress) if skip else {}
    skipped = _skipped(request, bad, (*examples.questions, *val))
    examples = examples.where(lambda question: question.image not in bad)
    train, val = examples.questions, [question for question in val if question.image not in bad]
    by_name = {
        name: [
            group
            for group in groups
            if group.original.image not in bad and not any(v.question.image in bad for v in group.variants)
        ]
        for name, groups in by_name.items()
    }
    if not train or not val:
        raise DataError(f"Nothing is left to train or validate on: bad records were skipped, e.g. {skipped[0]}")
    variants = [variant.question for groups in by_name.values() for group in groups for variant in group.variants]
    words = QuestionWords.of((question.text for question in (*train, *variants)), request.config.least_words)
    answers = Answers.of(train, request.config.least_answers, request.config.most_answers)
    table = build_table(store, _images(train, val, by_name), request.progress)
    encoding = Encoding(words, answers, table)
    net = request.net.sized(len(words), len(answers), table.width)
    pairs = {name: encoding.pairs(groups) for name, groups in by_name.items()}
    rows = [encoding.rows(train), encoding.rows(val)]
    losses = [(loss, pairs[loss.groups] if isinstance(loss, TakesGroups) else None) for loss in request.losses]
    for loss, loss_pairs in losses:
        if loss_pairs is not None:
            check_types(loss, loss_pairs)
    return Training(
        net=net,
        config=request.config,
        answer=request.answer,
        losses=losses,
        train=rows[0],
        weights=None if set(examples.weights) == {1.0} else torch.tensor(examples.weights),
        types=[question.kind.question_type or " ".join(tokens(question.text)[:2]) for question in train],
        answer_types=[question.kind.answer_type for question in train],
        val=rows[1],
        kinds=[question.kind.answer_type for question in val],
        words=words,
        answers=answers,
        record=_record(request, net, store, rows, pairs) | ({"skipped": skipped} if skipped else {}),
    )


def _images(
    train: Sequence[Question], val: Sequence[Question], by_name: Mapping[str, Sequence[Group]]
) -> Iterator[ImageRef | None]:
    """The images of all questions, in the order of the table."""
    yield from (question.image for question in (*train, *val))
    groups = [group for named in by_name.values() for group in named]
    yield from (group.original.image for group in groups)
    yield from (variant.question.image for group in groups for variant in group.variants)


def _refuse_several(net: NetConfig, questions: Sequence[Question]) -> None:
    """Refuse questions about several images, of which a network that sees would be shown one."""
    several = [question.id for question in questions if question.more_images]
    if several and net.name != "language":
        raise DataError(
            f"{len(several):,} of {len(questions):,} questions are about several images, e.g. question {several[0]!r}, "
            "and a network sees one image. Leave them out of the data."
        )


def _skipped(request: Request, bad: Mapping[ImageRef, str], questions: Iterable[Question]) -> list[str]:
    """A line for everything that is skipped: bad records of the files, then questions with bad images."""
    named = [source.data for source in request.data] + ([request.val] if request.val else [])
    read = [line for data in named for line in data.what.skipped]
    return [*read, *(f"question {q.id!r}: {bad[q.image]}" for q in questions if q.image and q.image in bad)]


def _features(request: Request) -> str | FeatureStore | None:
    """The features asked for; by default those of the packaged encoder on the embedded world, else none."""
    if request.features is None and request.net.name != "language" and request.net.encoder == "none":
        return "world" if all(isinstance(source.data.what, World) for source in request.data) else None
    return request.features


def _check(request: Request) -> None:
    for loss in request.losses:
        needed = isinstance(loss, Loss) and loss.needs_modules  # without the field, the default is False
        if needed and request.net.name not in MODULE_NETS:
            raise BadOption(
                f"{loss!r} compares module weights; {request.net.name} has none. Use one of {', '.join(MODULE_NETS)}, "
                "or the loss 'consistency', which compares answers."
            )


def _record(
    request: Request, net: NetConfig, store: FeatureStore, rows: Sequence[QuestionRows], pairs: dict[str, Pairs]
) -> dict[str, Any]:
    features = _features(request)
    every = [*rows, *(part for found in pairs.values() for part in (found.originals, found.variants))]
    return {
        "net": asdict(net),
        "training": asdict(request.config),
        "answer_loss": repr(request.answer),
        "losses": [repr(loss) for loss in request.losses],
        **({"control": request.control} if request.control else {}),
        "data": [{"signature": repr(source.data.what), "weight": source.weight} for source in request.data],
        "val": None if request.val is None else repr(request.val.what),
        "features": repr(store),
        "features_spec": features if isinstance(features, str) else None,
        "questions": {"train": len(rows[0]), "val": len(rows[1])},
        "content": content_of(every),
        "pairs": {
            name or _listed(request.groups): {test: len(numbers) for test, numbers in found.tests.items()}
            for name, found in pairs.items()
        },
    }


def _listed(groups: Groups) -> str:
    """The sources of groups, for the record."""
    sources = [groups] if isinstance(groups, (str, Path)) else groups
    return ", ".join(dict.fromkeys("given" if isinstance(source, Group) else str(source) for source in sources))
