"""Run models on suites, from data to files: build groups, query the models, score answers and write results.

:func:`run_models` is what the command line, :func:`askew.evaluate`, the demo and the experiments call. A run leaves in
its folder

* ``groups.jsonl``: the questions,
* ``answers.sqlite``: every answer as soon as it was given, so that a killed run resumes,
* ``samples.jsonl``: one line per group with predictions and how each was judged,
* ``rows.npz``: what was measured of each group, from which scores, comparisons and reports are computed,
* ``results.json``: the scores, with everything needed to get them again.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

import askew
from askew.answers.extract import signature as extraction
from askew.data.groups import unique_by_id
from askew.engine.ask import BuildsModel, Streak, WorkerAsking
from askew.engine.build import Prepared, prepare
from askew.engine.executors import workers_of
from askew.engine.judge import OutcomeJudge, RecordedAnswers, Tally
from askew.engine.resume import Keys, Plan, Planner, ask_unanswered, unknown
from askew.engine.run_folder import (
    claim_folder,
    model_folders,
    prepare_folder,
    score_record,
    suite_record,
    too_many_failures,
    versions,
)
from askew.engine.run_metrics import MeaningfulMetrics
from askew.engine.settings import Named, Settings, progress_bar
from askew.engine.store import Store
from askew.errors import TooManyFailures
from askew.files.paths import ImageFolders, public
from askew.files.read_write import alone_in, fingerprint, write_joined
from askew.files.records import Record, group_record
from askew.metrics.run_table import save_tables
from askew.report.caveats import made_nothing, nothing_sentence
from askew.report.load import FORMAT
from askew.types import Group, Outcome, Prediction
from askew.verbs import Estimates, Executor, HidesSecrets, Model, ModelFacts, Prices, Streams


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
    executor: Executor | None = None,
) -> Runs:
    """Run several models on several suites: build the groups once, then ask and score each model.

    The files of a single model are in ``output`` itself, those of several in a subfolder each. ``tell`` is called with
    a kind (``warning``, ``note``) and a sentence while it runs, ``finish`` with the folders while they are still
    locked. Too many failures of one model do not stop the others. ``executor``: an open executor to use instead of that
    of the settings.
    """
    folders = model_folders(models, output)
    for model in models:
        command = model.what.hide(command) if isinstance(model.what, HidesSecrets) else command
    with ExitStack() as held:
        held.enter_context(_rare_collection())
        workers = executor or held.enter_context(workers_of(settings.executor))
        held.enter_context(alone_in(output))
        claim_folder(output, models, data, suites, settings)
        held.enter_context(alone_in(*(folder for folder in folders if folder != output)))
        prepare_folder(output, folders if len(folders) > 1 else ())
        planners = [Planner(model) for model in models]
        recorded = {
            folder: RecordedAnswers(planner, suites, folder / "samples.jsonl", settings)
            for planner, folder in zip(planners, folders, strict=True)
            if ModelFacts(planner.model.what).recorded
        }
        prepared = _prepared(planners, data, suites, output, settings, list(recorded.values()), workers)
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
            judged = recorded.get(folder) if prepared.checked else None
            results.append(run(planner, prepared, folder, settings, command, judged, workers))
        finish(folders)
    return Runs(folders, results, [error for one in results if (error := too_many_failures(one))])


def _prepared(
    planners: Sequence[Planner],
    data: Named,
    suites: Sequence[Named],
    folder: Path,
    settings: Settings,
    recorded: Sequence[RecordedAnswers] = (),
    executor: Executor | None = None,
) -> Prepared:
    """The groups on disk. Each was seen by every planner, so unusable questions are refused before any model is run.

    ``recorded`` answers are judged in the same pass, unless a group must be checked by reading it again.
    """
    metrics = MeaningfulMetrics(settings.metrics, [suite.what for suite in suites])
    see = [metrics.add, *(planner.add for planner in planners)]
    with ExitStack() as files:
        judge = [files.enter_context(answers).add for answers in recorded]
        prepared = prepare(data, suites, folder, settings, see=see, judge=judge, executor=executor)
        metrics.check()
        for planner in planners:
            if (found_by := planner.repeats_ids()) is not None:
                for _ in unique_by_id(prepared.read(), prepared.data["spec"], found_by):
                    pass
            planner.check()
        for answers in recorded if prepared.checked else ():
            answers.finish()
    return prepared


def run(
    planner: Planner,
    prepared: Prepared,
    folder: Path,
    settings: Settings,
    command: str = "",
    recorded: RecordedAnswers | None = None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Run the planner's model on the groups, score its answers, and write its folder; returns the content of
    results.json.

    That file may be published, so it has no folders of this machine (see ``public``); what is returned here has them.
    ``recorded``: the model's answers, if they were judged while the groups were made.
    """
    model, keys = planner.model, planner.keys
    if recorded is not None:
        started, clock, judge, todo = recorded.started, recorded.clock, recorded.judge, planner.plan(None)
        judge.tally.asked = todo.distinct
    else:
        started, clock = datetime.now(timezone.utc), time.perf_counter()
        judge = OutcomeJudge(model, keys, prepared.suites, settings)
        with Store(settings.store_path(folder), prepared.answers) as store:
            todo = planner.plan(store)
            records = deque[Record]()
            asking = _asking(executor, model, todo)
            outcomes = _asked(prepared.read(records.append), model, keys, store, todo, judge.tally, settings, asking)
            _write_samples(folder / "samples.jsonl", outcomes, records, judge, prepared.folders)
    tally = judge.tally
    results: dict[str, Any] = {
        "format": FORMAT,
        "askew": askew.__version__,
        "model": {
            "name": model.name or model.spec,
            "spec": model.spec,
            "signature": model.signature,
            "extract": extraction(judge.step),
            "blind": ModelFacts(model.what).text_only,
        },
        "data": prepared.data,
        "groups": fingerprint(str(prepared.groups)),
        "suites": judge.records(prepared.suites, prepared.covers),
        "answer_forms": judge.forms.record(),
        "scores": [score_record(score) for score in judge.scores()],
        "calibration": judge.calibration(),
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
    save_tables(folder / "rows.npz", judge.tables)
    write_joined(folder / "results.json", [orjson.dumps(public(results), option=orjson.OPT_INDENT_2)])
    return results


def empty_suites(prepared: Prepared) -> list[str]:
    """A sentence for each suite without a group while others have some; a user who named it must be warned."""
    records = [suite_record(suite, cover) for suite, cover in zip(prepared.suites, prepared.covers, strict=True)]
    return [nothing_sentence(record, prepared.data) for record in records if made_nothing(record)]


def forecast(
    models: Sequence[Named], data: Named, suites: Sequence[Named], output: Path, settings: Settings
) -> Iterator[str]:
    """Remarks on the data, then the requests that a run would make to each model, in a sentence each.

    Queries no model, and writes nothing to ``output``.
    """
    with TemporaryDirectory(prefix="askew-") as scratch:
        planners = [Planner(model) for model in models]
        with workers_of(settings.executor) as executor:
            prepared = _prepared(planners, data, suites, Path(scratch), settings, executor=executor)
        yield from prepared.data["remarks"]
        for planner, folder in zip(planners, model_folders(models, output), strict=True):
            yield _forecast(planner, prepared, folder, settings)


def _forecast(planner: Planner, prepared: Prepared, folder: Path, settings: Settings) -> str:
    """Calls, and tokens and cost where the model can estimate them.

    ``folder`` is only read; where it has no answers yet, an empty store is made beside the groups.
    """
    model, keys, path = planner.model, planner.keys, settings.store_path(folder)
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


def _asking(executor: Executor | None, model: Named, todo: Plan) -> WorkerAsking | None:
    """Queries the model through workers; None if this process does, or if nothing is left to ask."""
    if executor is None or not todo.calls or isinstance(model.what, Streams):
        return None
    return WorkerAsking(executor, BuildsModel.of(model))


def _asked(
    groups: Iterable[Group],
    named: Named,
    keys: Keys,
    store: Store,
    todo: Plan,
    tally: Tally,
    settings: Settings,
    asking: WorkerAsking | None,
) -> Iterator[Outcome]:
    """Carry out the plan with a progress bar: rate, time left, failures."""
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

        yield from ask_unanswered(groups, model, keys, store, settings.batch_size, on_answers, asking)


def _usage(tally: Tally, todo: Plan, model: Model) -> dict[str, Any]:
    """Tokens of this command and of all answers of this run, those from the store included, with what they cost where
    the model knows prices. Answers that a shared store holds for other runs do not count.
    """
    both = (tally.tokens[0] + todo.tokens[0], tally.tokens[1] + todo.tokens[1])
    usage: dict[str, Any] = {"now": tally.tokens, "store": both}
    costs = {name: model.price(*tokens) for name, tokens in usage.items()} if isinstance(model, Prices) else {}
    return {**usage, "cost": costs} if None not in costs.values() else usage


def _write_samples(
    path: Path, outcomes: Iterable[Outcome], records: deque[Record], judge: OutcomeJudge, folders: ImageFolders
) -> None:
    """Judge and write the outcomes as they come, their images by the names of ``groups.jsonl``.

    ``records`` has the record in that file of each group that was read and not yet written, where it is known.
    """

    def lines() -> Iterator[bytes]:
        for outcome in outcomes:
            record = records.popleft() if records else group_record(folders.public_group(outcome.group))
            yield judge.line(outcome, record)

    write_joined(path, lines())


@contextmanager
def _rare_collection() -> Iterator[None]:
    """Run the garbage collector less often: there are millions of short-lived objects, and almost none is in a
    cycle."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
