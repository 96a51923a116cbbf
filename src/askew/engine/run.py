"""Runs of models on suites, from data to files: groups are built, asked, scored and written.

:func:`run_models` is what the command line, :func:`askew.evaluate`, the demo and the experiments call. A run leaves in
its folder

* ``groups.jsonl``: what was asked,
* ``answers.sqlite``: every answer as soon as it was given, so that a killed run resumes,
* ``samples.jsonl``: one line per group with predictions and how each was judged,
* ``results.json``: the scores, with everything needed to get them again.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

import askew
from askew.answers.extract import check_step, extract
from askew.answers.extract import signature as extraction
from askew.data.groups import unique_by_id
from askew.engine.ask import Keys, Streak, ask
from askew.engine.ask_workers import WorkerAsking
from askew.engine.build import Prepared, prepare
from askew.engine.planning import Plan, Planner, unknown
from askew.engine.results import (
    FORMAT,
    begin,
    claim_folder,
    model_folders,
    sample_record,
    score_record,
    suite_record,
    too_many_failures,
    versions,
)
from askew.engine.run_metrics import AnswerForms, MeaningfulMetrics, measured_by, metric_record, scored_by, step_for
from askew.engine.settings import Named, Settings, progress_bar
from askew.engine.store import Store
from askew.errors import TooManyFailures
from askew.files.locks import alone_in
from askew.files.paths import ImageFolders, public
from askew.files.read_write import fingerprint, write_joined
from askew.files.records import Record, group_record
from askew.metrics.confidence import ConfidenceTable
from askew.metrics.group_rows import SLICES
from askew.metrics.scorer import Scorer
from askew.registry import make
from askew.report.caveats import made_nothing, nothing_sentence
from askew.types import Group, Outcome, Prediction, Question
from askew.verbs import Estimates, HidesSecrets, Model, ModelFacts, Prices, Streams, Suite, SuiteFacts


@dataclass
class Tally:
    """Counts of a model's requests and failures."""

    asked: int = 0
    tokens: tuple[int, int] = (0, 0)
    """Read and written."""
    failed: int = 0
    """Requests without an answer."""
    non_answers: dict[bytes, str] = field(default_factory=dict)
    """Requests without an answer to score (failed, refused, empty), by key, with the reason."""

    def add(self, said: Sequence[Prediction]) -> None:
        """Count a batch that the model has answered."""
        self.asked += len(said)
        read, written = (sum(counts) for counts in zip(*(p.tokens for p in said), strict=True))
        self.tokens = (self.tokens[0] + read, self.tokens[1] + written)
        self.failed += sum(prediction.failed for prediction in said)

    def judge(self, keys: Keys, question: Question, prediction: Prediction) -> Prediction:
        """Count a non-answer after extraction, once for each distinct request."""
        if prediction.failed:
            self.non_answers[keys.of(question)] = (prediction.error or "no answer").splitlines()[0][:200]
        return prediction

    def record(self, asked: int, limit: float) -> dict[str, Any]:
        """For results.json; ``asked`` counts what was answered in earlier runs too."""
        errors = dict(Counter(self.non_answers.values()).most_common(20))
        return {"count": len(self.non_answers), "asked": asked, "by_error": errors, "limit": limit}


@dataclass(frozen=True)
class Runs:
    """What :func:`run_models` did, one item for each model."""

    folders: Sequence[Path]
    results: Sequence[Mapping[str, Any]]
    """What each results.json holds, with the folders of this machine."""
    failures: Sequence[TooManyFailures]
    """Models with more failed answers than the settings allow."""


def run_models(
    models: Sequence[Named],
    data: Named,
    suites: Sequence[Named],
    output: Path,
    settings: Settings,
    command: str = "",
    *,
    tell: Callable[[str, str], None] = lambda kind, sentence: None,
    finish: Callable[[Sequence[Path]], None] = lambda folders: None,
) -> Runs:
    """Run several models on several suites: build the groups once, then ask and score each model.

    One model's files lie in ``output`` itself, those of several in a folder each. ``tell`` is called with a kind
    (``warning``, ``note``) and a sentence while it runs, ``finish`` with the folders while they are still locked. Too
    many failures of one model do not stop the others.
    """
    make("executor", settings.executor)  # a wrong one is refused before anything is built
    folders = model_folders(models, output)
    for model in models:
        command = model.what.hide(command) if isinstance(model.what, HidesSecrets) else command
    with ExitStack() as held:
        held.enter_context(alone_in(output))
        claim_folder(output, models, data, suites, settings)
        held.enter_context(alone_in(*(folder for folder in folders if folder != output)))
        begin(output, folders if len(folders) > 1 else ())
        planners = [Planner(model) for model in models]
        prepared = _prepared(planners, data, suites, output, settings)
        if skipped := prepared.data["skipped"]:
            tell("note", f"{len(skipped):,} bad records were left out, e.g. {skipped[0]}")
        for sentence in prepared.data["remarks"]:
            tell("note", sentence)
        for sentence in empty_suites(prepared):
            tell("warning", sentence)
        results = []
        for planner, folder in zip(planners, folders, strict=True):
            if len(models) > 1:
                tell("note", planner.model.spec)
            results.append(run(planner, prepared, folder, settings, command))
        finish(folders)
    return Runs(folders, results, [error for one in results if (error := too_many_failures(one))])


def _prepared(
    planners: Sequence[Planner], data: Named, suites: Sequence[Named], folder: Path, settings: Settings
) -> Prepared:
    """The groups on disk. Each was seen by every planner, so what cannot be asked is refused before anything is."""
    metrics = MeaningfulMetrics(settings.metrics, [suite.what for suite in suites])
    see = [metrics.add, *(planner.add for planner in planners)]
    prepared = prepare(data, suites, folder, settings, see=see)
    metrics.check()
    for planner in planners:
        if (found_by := planner.repeats_ids()) is not None:
            for _ in unique_by_id(prepared.read(), prepared.data["spec"], found_by):
                pass
        planner.check()
    return prepared


@dataclass(frozen=True)
class _Scoring:
    """How one model's answers are extracted, compared and scored."""

    suites: Mapping[str, Suite]
    """By name, each in the mode of accuracy that this model's answers are compared in."""
    scorers: Mapping[str, Scorer]
    step: str
    """How answers are extracted."""
    forms: AnswerForms
    confidence: Mapping[str, ConfidenceTable]
    """How sure the model was, by suite."""

    @classmethod
    def of(cls, model: Named, prepared: Prepared, settings: Settings) -> _Scoring:
        own = {suite.what.name: suite.what for suite in prepared.suites}
        used = {suite.what.name: scored_by(suite, model.what, settings) for suite in prepared.suites}
        scorers = {}
        for name, suite in own.items():
            slices = SuiteFacts(suite).slices
            metrics = measured_by(suite, used[name].accuracy, settings.metrics)
            scorers[name] = Scorer(metrics, name, SLICES if slices is None else slices)
        step = step_for(model.what, settings)
        check_step(step)
        forms = AnswerForms({name: (own[name].accuracy, used[name].accuracy) for name in own})
        return cls(used, scorers, step, forms, {name: ConfidenceTable(used[name].accuracy) for name in own})

    def add(self, outcome: Outcome) -> None:
        """Score an outcome."""
        self.scorers[outcome.group.suite].add(outcome)
        self.confidence[outcome.group.suite].add(outcome)

    def records(self, prepared: Prepared) -> list[dict[str, Any]]:
        """The suites as results.json has them, with the metrics that comparison needs."""
        return [
            suite_record(suite, replace(cover, suite=self.suites[suite.what.name]))
            | {"metrics": {n: metric_record(m) for n, m in self.scorers[suite.what.name].metrics.items()}}
            for suite, cover in zip(prepared.suites, prepared.covers, strict=True)
        ]


def run(planner: Planner, prepared: Prepared, folder: Path, settings: Settings, command: str = "") -> dict[str, Any]:
    """Ask the planner's model the groups, score its answers, and write its folder; returns what results.json holds.

    That file may be published, so it has no folders of this machine (see ``public``); what is returned here has them.
    """
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    begin(folder)
    model, keys, tally = planner.model, planner.keys, Tally()
    scoring = _Scoring.of(model, prepared, settings)
    with Store(store_path(folder, settings), prepared.answers) as store:
        todo = planner.plan(store)
        records = deque[Record]()
        outcomes = _asked(prepared.read(records.append), model, keys, store, todo, tally, settings)
        extracted = _extracted(scoring.step, outcomes, keys, tally, scoring.forms)
        _write_samples(folder / "samples.jsonl", extracted, records, scoring, prepared.folders)
    results: dict[str, Any] = {
        "format": FORMAT,
        "askew": askew.__version__,
        "model": {
            "name": model.name or model.spec,
            "spec": model.spec,
            "signature": model.signature,
            "extract": extraction(scoring.step),
        },
        "data": prepared.data,
        "groups": fingerprint(str(prepared.groups)),
        "suites": scoring.records(prepared),
        "answer_forms": scoring.forms.record(),
        "scores": [score_record(score) for scorer in scoring.scorers.values() for score in scorer.scores()],
        "calibration": {name: table.record() for name, table in scoring.confidence.items()},
        "failures": tally.record(todo.distinct, settings.max_failures),
        "usage": _usage(tally, todo, model.what),
        "seed": settings.seed,
        "config": {
            "model": model.spec,
            "data": prepared.data["spec"],
            "suite": [suite.spec for suite in prepared.suites],
            **asdict(settings),
        },
        "command": command,
        "versions": versions(),
        "time": {
            "started": started.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - clock, 3),
            "asked": tally.asked,
            "reused": todo.questions - tally.asked,
        },
    }
    write_joined(folder / "results.json", [orjson.dumps(public(results), option=orjson.OPT_INDENT_2)])
    return results


def empty_suites(prepared: Prepared) -> list[str]:
    """A sentence for each suite without a group while others have some; a person who named it must be warned."""
    records = [suite_record(suite, cover) for suite, cover in zip(prepared.suites, prepared.covers, strict=True)]
    return [nothing_sentence(record, prepared.data) for record in records if made_nothing(record)]


def forecast(
    models: Sequence[Named], data: Named, suites: Sequence[Named], output: Path, settings: Settings
) -> Iterator[str]:
    """What reading the data has to tell, then what a run would ask of each model, in a sentence each.

    Asks nothing, and writes nothing to ``output``.
    """
    with TemporaryDirectory(prefix="askew-") as scratch:
        planners = [Planner(model) for model in models]
        prepared = _prepared(planners, data, suites, Path(scratch), settings)
        yield from prepared.data["remarks"]
        for planner, folder in zip(planners, model_folders(models, output), strict=True):
            yield _forecast(planner, prepared, folder, settings)


def _forecast(planner: Planner, prepared: Prepared, folder: Path, settings: Settings) -> str:
    """Calls, and tokens and cost where the model can estimate them.

    ``folder`` is only read; where it has no answers yet, an empty store is made beside the groups.
    """
    model, keys, path = planner.model, planner.keys, store_path(folder, settings)
    asked = model.what
    with Store(path if path.is_file() else prepared.groups.with_name("answers.sqlite"), prepared.answers) as store:
        todo = planner.plan(store)
        needed = asked.estimate(unknown(prepared.read(), keys, store)) if isinstance(asked, Estimates) else None
    sentence = f"{model.name}: {todo.calls:,} calls for {todo.groups:,} groups ({todo.questions:,} questions, "
    sentence += f"{todo.distinct:,} distinct, {todo.known:,} known already)"
    if needed is not None:
        sentence += f"; about {needed.read:,} tokens read and at most {needed.written:,} written"
        cost = asked.price(needed.read, needed.written) if isinstance(asked, Prices) else None
        sentence += "" if cost is None else f", at most {cost:,.2f} by the given prices"
    return sentence + "."


def store_path(folder: Path, settings: Settings) -> Path:
    """The path of the answer store."""
    return Path(settings.store) if settings.store else folder / "answers.sqlite"


def _asked(
    groups: Iterable[Group], named: Named, keys: Keys, store: Store, todo: Plan, tally: Tally, settings: Settings
) -> Iterator[Outcome]:
    """Ask what the plan says, with a progress bar: rate, time left, failures."""
    reused = f" ({todo.known:,} known already)" if todo.known else ""
    model = named.what
    streak = Streak(0 if ModelFacts(model).by_id else settings.stop_after)  # a file may lack many in a row
    with progress_bar(settings, total=todo.calls, desc="Asking" + reused, unit=" questions") as bar:

        def on_answers(said: Sequence[Prediction]) -> None:
            tally.add(said)
            bar.update(len(said))
            if tally.failed:
                bar.set_postfix(failed=tally.failed, refresh=False)
            streak.add(said)

        with make("executor", settings.executor) as executor:
            by_workers = todo.calls and not isinstance(model, Streams) and settings.executor != Settings.executor
            asking = WorkerAsking(executor, named) if by_workers else None
            yield from ask(groups, model, keys, store, settings.batch_size, on_answers, asking)


def _extracted(
    step: str, outcomes: Iterable[Outcome], keys: Keys, tally: Tally, forms: AnswerForms
) -> Iterator[Outcome]:
    """The same outcomes, with the short answer extracted from each reply."""

    def taken(suite: str, question: Question, said: Prediction) -> Prediction:
        found = tally.judge(keys, question, extract(step, question, said))
        forms.add(suite, question, said, found)
        return found

    for outcome in outcomes:
        group = outcome.group
        first = taken(group.suite, group.original, outcome.original)
        rest = [taken(group.suite, variant.question, said) for variant, said in outcome.pairs()]
        yield Outcome(group, first, tuple(rest)) if rest or first is not outcome.original else outcome


def _usage(tally: Tally, todo: Plan, model: Model) -> dict[str, Any]:
    """Tokens of this command and of all answers of this run, those from the store included, with what they cost where
    the model knows prices. Answers that a shared store holds for other runs do not count.
    """
    both = (tally.tokens[0] + todo.tokens[0], tally.tokens[1] + todo.tokens[1])
    usage: dict[str, Any] = {"now": tally.tokens, "store": both}
    costs = {name: model.price(*tokens) for name, tokens in usage.items()} if isinstance(model, Prices) else {}
    return {**usage, "cost": costs} if None not in costs.values() else usage


def _write_samples(
    path: Path, outcomes: Iterable[Outcome], records: deque[Record], scoring: _Scoring, folders: ImageFolders
) -> None:
    """Score and write the outcomes as they come, their images by the names of ``groups.jsonl``.

    ``records`` has the record in that file of each group that was read and not yet written, where it is known.
    """

    def lines() -> Iterator[bytes]:
        for outcome in outcomes:
            scoring.add(outcome)
            group = outcome.group
            record = records.popleft() if records else None
            if record is None or group.original.tags:  # which may be in another order in the file
                record = group_record(folders.public_group(group))
            yield orjson.dumps(sample_record(record, outcome, scoring.suites[group.suite])) + b"\n"

    write_joined(path, lines())
