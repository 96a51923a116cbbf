"""The training loop: one function from data to a trained network, which resumes if it was killed."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn

from askew.engine.components import as_data
from askew.engine.settings import Settings, progress_bar
from askew.errors import RunError
from askew.files.read_write import alone_in
from askew.nets.layers import Output
from askew.nets.net_config import NetConfig
from askew.nets.networks import build_net
from askew.registry import make
from askew.train.batches import QuestionRows, order
from askew.train.checkpoint import (
    BEST,
    STATE,
    Learner,
    Trained,
    TrainProgress,
    load_state,
    load_trained,
    save_state,
    save_weights,
)
from askew.train.controls import controlled
from askew.train.features import FeatureStore
from askew.train.losses import AnswerLoss, HasBranch, ReplacesAnswer, Step
from askew.train.prepare import Request, TrainConfig, Training, as_losses, prepare
from askew.train.training_data import Data, Groups, as_sources, split_of_release
from askew.train.training_folder import CONFIG, begin_folder, deterministic, write_json
from askew.train.training_page import write_page
from askew.verbs import Loss

SAVE_EVERY = 60.0
"""Seconds between checkpoints within an epoch."""
VALIDATION_BATCH = 512
"""Questions that are validated at once."""


def train(
    net: str | NetConfig = "xnm",
    data: Data | Sequence[Data] = "world:train",
    val: Data | None = None,
    features: str | FeatureStore | None = None,
    losses: Iterable[str | Loss | AnswerLoss] = (),
    *,
    output: str | Path,
    groups: Groups = "p2",
    control: str = "",
    weights: Sequence[float] = (),
    exclude: Sequence[str | Path] = (),
    images: str | None = None,
    progress: bool = False,
    skip_bad: bool = False,
    overwrite: bool = False,
    **settings: Any,
) -> Trained:
    """Train a network and return it with the weights of its best epoch.

    ``net`` and ``losses`` are specs (``"xnm:steps=3"``, ``"q3r:rate=0.2"``) or objects; ``data`` and ``val`` are paths,
    specs or questions; ``features`` is a file, ``grid``, or a store; ``groups``, a suite, a file or groups, is where
    Q3R and augmentation take pairs from. A list of data sets adds up, each with one of the ``weights``; so does a list
    of ``groups``. ``control`` leaves out what is said to help (:mod:`askew.train.controls`). Images of ``val``, and of
    the runs, groups or data in ``exclude``, must not be among them. ``settings`` are those of
    :class:`askew.train.prepare.TrainConfig` (``seed``, ...). Without ``val``, a tenth of the images is held out for
    validation. ``skip_bad`` skips bad records and questions with unusable images, and lists them in ``config.json``.

    Everything is written to ``output``. The same call after a kill resumes from there and ends with the same weights;
    a finished training is only loaded. A folder that holds another training, or anything else, is refused unless
    ``overwrite`` is set.
    """
    answer, added = as_losses(losses)
    config = TrainConfig(**settings)
    sources = as_sources(data, weights, images, skip_bad)
    held = None if val is None else as_data(split_of_release(val, "dev"), images, skip_bad)
    config_net = make("net", net) if isinstance(net, str) else net
    training = prepare(
        Request(
            net=config_net,
            data=sources,
            val=held,
            features=features,
            losses=controlled(added, control),
            answer=answer,
            groups=groups,
            control=control,
            images=images,
            config=config,
            skip_bad=skip_bad,
            exclude=exclude,
            progress=progress,
        )
    )
    folder = Path(output)
    with alone_in(folder), deterministic(config.threads, folder / CONFIG):
        if overwrite:  # the weights of an earlier training must not be mistaken for the new ones
            for name in (CONFIG, "words.json", "answers.json", "history.json", "report.html", STATE, BEST):
                (folder / name).unlink(missing_ok=True)
        texts = {"words.json": list(training.words.known), "answers.json": list(training.answers.known)}
        begin_folder(folder, CONFIG, training.record, overwrite, texts)
        _train(training, folder, progress)
    return load_trained(folder, None if isinstance(features, str) else features)


def _train(training: Training, folder: Path, show: bool) -> None:
    config = training.config
    torch.manual_seed(_number(config.seed, "weights"))
    learner = _learner(training)
    done = load_state(folder / STATE, learner) if (folder / STATE).is_file() else TrainProgress()
    steps = math.ceil(len(training.train) / config.batch_size)
    with progress_bar(Settings(progress=show), total=steps * config.epochs, desc="Training", unit=" steps") as bar:
        bar.update(done.epoch * steps + done.step)
        while done.epoch < config.epochs and not (config.patience and done.since >= config.patience):
            _epoch(training, learner, done, steps, folder, bar)
            _validate(training, learner.net, done, folder, steps)
            write_json(folder / "history.json", done.history)
            write_page(folder, training.record, done.history)
            save_state(folder / STATE, learner, done)  # last: an epoch interrupted before this is done again
            bar.set_postfix_str(f"epoch {done.epoch}, validation {100 * done.history[-1]['accuracy']:.1f} %")


def _learner(training: Training) -> Learner:
    """The network, then the branches, with fresh weights: a loss does not change how the network begins."""
    net = build_net(training.net)
    branches = nn.ModuleDict(
        {
            str(number): loss.branch(training, net)
            for number, (loss, _) in enumerate(training.losses)
            if isinstance(loss, HasBranch)
        }
    )
    optimiser = torch.optim.Adam([*net.parameters(), *branches.parameters()], lr=training.config.rate)
    return Learner(net, optimiser, branches)


def _epoch(training: Training, learner: Learner, done: TrainProgress, steps: int, folder: Path, bar: Any) -> None:
    """The remaining steps of one epoch."""
    config, shuffled = training.config, order(len(training.train), training.config.seed, done.epoch)
    learner.net.train()
    saved = began = time.monotonic()
    for step in range(done.step, steps):
        torch.manual_seed(_number(config.seed, "step", done.epoch, step))
        for group in learner.optimiser.param_groups:
            share = (done.epoch * steps + step) / (config.epochs * steps)  # of all steps; the rate falls along a cosine
            group["lr"] = config.rate * ((1 + math.cos(math.pi * share)) / 2 if config.decay else 1.0)
        which = shuffled[step * config.batch_size : (step + 1) * config.batch_size]
        learner.optimiser.zero_grad(set_to_none=True)
        for name, term in _terms(training, learner, which, seed=f"{config.seed}:{done.epoch}:{step}"):
            if not torch.isfinite(term):
                raise RunError(
                    f"The loss is no longer finite (epoch {done.epoch + 1}, step {step + 1}). Lower the learning rate."
                )
            term.backward()  # type: ignore[no-untyped-call]
            done.sums[name] = done.sums.get(name, 0.0) + term.item()
            done.sums[f"{name} steps"] = done.sums.get(f"{name} steps", 0.0) + 1
        if config.clip:
            nn.utils.clip_grad_norm_(learner.weights(), config.clip)
        learner.optimiser.step()
        done.step = step + 1
        bar.update()
        now = time.monotonic()
        done.seconds += now - began
        began = now
        if now - saved > SAVE_EVERY and done.step < steps:
            save_state(folder / STATE, learner, done)
            saved = time.monotonic()


def _terms(training: Training, learner: Learner, which: Tensor, seed: str) -> Iterator[tuple[str, Tensor]]:
    """The terms of one step, by name; each is computed after the backward pass of the previous one.

    This way only one of them takes memory at a time, and the gradients add up to those of the sum.
    """
    yes, no = training.answers.find("yes"), training.answers.find("no")
    plain = Step(
        net=learner.net,
        batch=training.train.batch(which),
        rng=Random(f"{seed}:answer"),
        answer=training.answer,
        yes_no=None if yes is None or no is None else (yes, no),
        which=which,
        weights=None if training.weights is None else training.weights.index_select(0, which),
    )
    if not any(isinstance(loss, ReplacesAnswer) for loss, _ in training.losses):
        yield "answer", training.answer.term(plain)
    names = [_name_of(loss) for loss, _ in training.losses]
    for number, (loss, pairs) in enumerate(training.losses):
        rng = Random(f"{seed}:{loss!r}:{number}")
        branch = learner.branches[str(number)] if isinstance(loss, HasBranch) else None
        term = loss.term(replace(plain, rng=rng, pairs=pairs, branch=branch))
        if term is not None:
            name = names[number]
            yield name if names.index(name) == number else f"{name} {number + 1}", term


def _name_of(loss: Loss) -> str:
    """The name of a loss in the history, the same as in ``--loss``.

    >>> from askew.train.losses import Q3R, RandomImage
    >>> _name_of(Q3R()), _name_of(RandomImage())
    ('q3r', 'random-image')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(loss).__name__).lower()


def _validate(training: Training, net: nn.Module, done: TrainProgress, folder: Path, steps: int) -> None:
    """End the epoch: validate, save the best weights, append to the history."""
    accuracies = _accuracies(net, training.val)
    value = accuracies.mean().item()
    kinds = {
        kind: accuracies[[at for at, other in enumerate(training.kinds) if other == kind]].mean().item()
        for kind in sorted(set(training.kinds))
        if kind
    }
    done.epoch, done.step, done.since = done.epoch + 1, 0, done.since + 1
    if value > done.best:
        done.best, done.since = value, 0
        save_weights(folder / BEST, net)
    names = [name for name in done.sums if not name.endswith(" steps")]
    done.history.append(
        {
            "epoch": done.epoch,
            "loss": {name: done.sums[name] / done.sums[f"{name} steps"] for name in names},
            "accuracy": value,
            "by_answer_type": kinds,
            "seconds": round(done.seconds, 3),
            "questions_per_second": round(done.epoch * len(training.train) / max(done.seconds, 1e-9), 1),
        }
    )
    done.sums = {}


def _accuracies(net: nn.Module, rows: QuestionRows) -> Tensor:
    """The VQA accuracy of the highest-scoring answer to each question, (N,)."""
    net.eval()
    accuracies = []
    with torch.inference_mode():
        for start in range(0, len(rows), VALIDATION_BATCH):
            batch = rows.batch(torch.arange(start, min(start + VALIDATION_BATCH, len(rows))))
            output: Output = net(batch.tokens, batch.features, batch.boxes, batch.mask)
            assert batch.answers is not None
            accuracies.append(batch.answers.gather(1, output.logits.argmax(dim=1, keepdim=True)).squeeze(1))
    return torch.cat(accuracies) if accuracies else torch.zeros(0)


def _number(*parts: object) -> int:
    """A seed derived from these parts."""
    digest = hashlib.sha256(":".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
