"""Networks to train and test: several at a time, each kept on disk, so that a killed experiment resumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from askew.data.groups import GroupFile
from askew.data.jsonl import Jsonl
from askew.engine.build import build_groups
from askew.engine.components import as_data, as_model, as_suite, to_score
from askew.engine.events import finished, result_of
from askew.engine.executors import workers_of
from askew.engine.result import Result
from askew.engine.run import run_models
from askew.engine.settings import Settings, progress_bar
from askew.errors import RunError
from askew.experiments import ExperimentPlan
from askew.experiments.claims import Measured
from askew.files.images import content_hash
from askew.metrics.interval import estimate
from askew.train.features import open_features
from askew.train.training_data import Data
from askew.types import ImageRef, Question
from askew.verbs import Executor, SeesFiles

FEATURES = "world"
"""The features of every network of an experiment."""

CHUNK = 256
TRAINED = "trained"
"""The file in the folder of a network without tests that says that its training ended."""


def cache_features(plan: ExperimentPlan, *data: str) -> None:
    """Cache the features of every image of this data before several networks are trained at once."""
    images: dict[str, ImageRef] = {}
    for spec in data:
        for question in as_data(spec).what.questions():
            if question.image is not None:
                images.setdefault(content_hash(question.image), question.image)
    store, todo = open_features(FEATURES), list(images.values())
    with progress_bar(Settings(progress=plan.progress), total=len(todo), desc="Encoding", unit=" images") as bar:
        for start in range(0, len(todo), CHUNK):
            bar.update(len(store.get_many(todo[start : start + CHUNK])))


TRAINING: Mapping[str, Any] = {"batch_size": 64, "rate": 2e-3, "least_answers": 10, "threads": 1}
"""Training settings of every network. One thread, so that the weights do not depend on how many are trained at once."""


@dataclass(frozen=True)
class Test:
    """A suite's groups in a file, built once for all networks."""

    name: str
    suite: str
    groups: Path


@dataclass(frozen=True)
class Job:
    """One network: how it is trained, and what it is tested on."""

    name: str
    net: str
    tests: tuple[Test, ...]
    losses: tuple[str, ...] = ()
    seed: int = 0
    dropped: tuple[str, float] | None = None
    """Questions of a type (its first words), and the share of them that is left out of training."""
    more: Path | None = None
    """Additional training questions."""
    only_more: bool = False
    """Train only on the additional questions."""
    val: Path | None = None
    """The questions on which the epoch is chosen; by default those of the world's val split."""


def build_test(
    plan: ExperimentPlan, suite: str, data: Data | None = None, name: str = "", limit: int | None = None
) -> Test:
    """A suite's groups, by default on the test split of the world."""
    name = name or suite.partition(":")[0]
    folder = plan.output / "tests" / name
    groups = folder / "groups.jsonl"
    if not groups.is_file():
        settings = Settings(seed=plan.seed, progress=plan.progress, limit=limit)
        result_of(build_groups(as_data(data or plan.world("test")), [as_suite(suite)], folder, settings), plan.progress)
    return Test(name, suite, groups)


def run_jobs(plan: ExperimentPlan, jobs: Sequence[Job]) -> dict[str, dict[str, Result]]:
    """The results of every job, by the names of job and test. Results of finished jobs are read from disk."""
    todo = [job for job in jobs if not _is_done(plan, job)]
    with progress_bar(Settings(progress=plan.progress), total=len(jobs), desc="Networks", unit=" networks") as bar:
        bar.update(len(jobs) - len(todo))
        for _ in _each(plan, todo):
            bar.update()
    return {job.name: {test.name: Result(_folder(plan, job, test)) for test in job.tests} for job in jobs}


def _is_done(plan: ExperimentPlan, job: Job) -> bool:
    """Whether a job is tested; one without tests is done when it is trained."""
    tested = all((_folder(plan, job, test) / "results.json").is_file() for test in job.tests)
    return tested and (bool(job.tests) or (model_folder(plan, job).parent / TRAINED).is_file())


def slug(name: str) -> str:
    """The name of a row of a table as part of a job's name.

    >>> slug("XNM + Q3R, weights alone")
    'xnm-q3r-weights-alone'
    """
    return "-".join(name.lower().replace("+", " ").replace(",", " ").split())


def model_folder(plan: ExperimentPlan, job: Job) -> Path:
    """The folder of a job's network."""
    return plan.output / "networks" / job.name / "model"


def training_questions(plan: ExperimentPlan, job: Job) -> list[Question]:
    """The training questions of a job."""
    more = [] if job.more is None else list(Jsonl(str(job.more)).questions())
    if job.only_more:
        return more
    words, share = job.dropped or ("", 0.0)
    return [
        question
        for question in as_data(plan.world("train")).what.questions()
        if not (words and question.text.casefold().startswith(words))
        or Random(f"{job.seed}:drop:{question.id}").random() >= share
    ] + more


def numbers(results: Iterable[Result], metric: str, part: str = "") -> tuple[float, ...]:
    """One score of several results, in per cent."""
    return tuple(100 * result.score(metric, part).value for result in results)


def measured(result: Result, metric: str, part: str = "") -> Measured:
    """One score of a result, in per cent, with the influence of each image on it."""
    (table,) = (one for one in result.run.tables.values() if metric in one.rows)
    slice_, _, value = part.partition("=")
    records = table.records_of((slice_, value))
    codes = table.rows[metric].codes[records]
    images, place = np.unique(table.column("image")[table.column("group")[records[codes >= 0]]], return_inverse=True)
    rows = table.rows[metric].rows[codes[codes >= 0]]
    sums = np.zeros((len(images), rows.shape[1]))
    np.add.at(sums, place, rows)
    found = estimate(table.metrics[metric], sums)
    return Measured(100 * found.value, dict(zip(images.tolist(), (100 * found.moves).tolist(), strict=True)))


def _each(plan: ExperimentPlan, todo: Sequence[Job]) -> Iterator[None]:
    if not todo:
        return
    with workers_of(plan.executor) as executor:
        _check_shared(plan, executor, todo[0])
        train = partial(_do, plan)
        yield from map(train, todo) if executor is None else executor.map(train, todo)


def _check_shared(plan: ExperimentPlan, executor: Executor | None, job: Job) -> None:
    """Refuse workers on other hosts that cannot read the folder of the experiment or the images of a test."""
    if not isinstance(executor, SeesFiles):
        return
    tested = [next(GroupFile(str(test.groups)).groups()).original.image for test in job.tests[:1]]
    for image in (ImageRef("plan", str(plan.output.resolve() / "plan.json")), *filter(None, tested)):
        if not executor.sees(replace(image, sha256=content_hash(image))):
            raise RunError(
                f"{plan.output}: not all workers see {image.path}. Give a --output that is at the same path on all "
                "hosts, and set ASKEW_CACHE to such a folder too."
            )


def _do(plan: ExperimentPlan, job: Job) -> None:
    from askew.train.loop import train

    train(
        net=job.net,
        data=training_questions(plan, job),
        val=plan.world("val") if job.val is None else str(job.val),
        features=FEATURES,
        losses=job.losses,
        output=model_folder(plan, job),
        seed=job.seed,
        epochs=plan.epochs,
        **TRAINING,
    )
    if not job.tests:
        (model_folder(plan, job).parent / TRAINED).touch()
    for test in job.tests:
        run_test(plan, f"trained:{model_folder(plan, job)}", job.name, test, _folder(plan, job, test))


def run_test(plan: ExperimentPlan, spec: str, name: str, test: Test, folder: Path) -> None:
    """Ask a model the questions of a test."""
    suite = as_suite(test.suite)
    events = run_models(
        [as_model(spec, name)],
        as_data(GroupFile(str(test.groups))),
        [replace(suite, what=to_score(suite.what))],
        folder,
        Settings(seed=plan.seed),
        "askew experiment",
    )
    runs = finished(events)
    if runs.failures:
        raise runs.failures[0]


def _folder(plan: ExperimentPlan, job: Job, test: Test) -> Path:
    return plan.output / "networks" / job.name / test.name
