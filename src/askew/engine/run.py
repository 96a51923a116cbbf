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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

import askew
from askew.answers.extract import signature as extraction
from askew.data.groups import unique_by_id
from askew.engine.ask import FAILED_ALIKE, BuildsModel, WorkerAsking, count_failures
from askew.engine.build import Prepared, WatchesGroups, audit_texts, build_groups
from askew.engine.built_groups import build_key, built_before, read_built, remember_built
from askew.engine.events import Advanced, Event, Finished, Note, Stage, Started, Warned, result_of
from askew.engine.executors import workers_of
from askew.engine.judge import MeaningfulMetrics, OutcomeJudge, Tally
from askew.engine.power import questions_needed
from askew.engine.resume import Plan, Planner, ask_unanswered, unknown
from askew.engine.run_folder import (
    claim_folder,
    model_folders,
    prepare_folder,
    score_record,
    suite_record,
    too_many_failures,
    versions,
)
from askew.engine.settings import Named, Settings
from askew.engine.store import Store
from askew.errors import InARow, plural
from askew.files.paths import public
from askew.files.read_write import alone_in, fingerprint, replaced, write_joined
from askew.files.records import Record
from askew.metrics.run_table import save_tables
from askew.report.caveats import made_nothing, nothing_sentence
from askew.report.load import FORMAT
from askew.types import Group, Outcome
from askew.verbs import Estimates, Executor, HidesSecrets, Model, ModelFacts, Prices, Streams


def run_models(
    models: Sequence[Named],
    data: Named,
    suites: Sequence[Named],
    output: Path,
    settings: Settings,
    command: str = "",
    *,
    executor: Executor | None = None,
) -> Iterator[Event]:
    """Run several models on several suites: build the groups once, then ask, judge and score each model.

    Nothing happens before the first event is requested; the last one is ``Finished``, while the folders are still
    locked. The files of a single model are in ``output`` itself, those of several in a subfolder each. Too many
    failures of one model do not stop the others. ``executor``: an open executor to use instead of that of the settings.
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
        prepared = yield from _prepared(planners, data, suites, output, settings, workers)
        if skipped := prepared.data["skipped"]:
            yield Note(f"{plural(len(skipped), 'bad record was', 'bad records were')} left out, e.g. {skipped[0]}")
        yield from map(Note, prepared.data["remarks"])
        for record in map(suite_record, prepared.suites, prepared.covers):
            if made_nothing(record):
                yield Warned(nothing_sentence(record, prepared.data))
        if not settings.no_audit:
            yield from audit_texts(prepared)
        results = []
        for planner, folder in zip(planners, folders, strict=True):
            if len(models) > 1:
                yield Note(planner.model.spec)
            results.append((yield from run_model(planner, prepared, folder, settings, command, workers)))
        failures = [error for one in results if (error := too_many_failures(one))]
        yield Finished(folders, results, failures)


def _prepared(
    planners: Sequence[Planner],
    data: Named,
    suites: Sequence[Named],
    folder: Path,
    settings: Settings,
    executor: Executor | None,
) -> Stage[Prepared]:
    """The groups on disk, built unless they are there.

    Each was seen by every planner, so unusable questions are refused before any model is run.
    """
    watchers: Sequence[WatchesGroups] = (
        MeaningfulMetrics(settings.metrics, [suite.what for suite in suites]),
        *planners,
    )
    key = build_key(data, suites, settings, versions())
    if key is not None and (kept := built_before(folder, data.what, key)):
        prepared = yield from read_built(kept, data, suites, folder, settings, watchers)
    else:
        prepared = yield from build_groups(data, suites, folder, settings, watchers, executor=executor)
        if key is not None:
            remember_built(prepared, data.what, key)
    for planner in planners:
        if (found_by := planner.repeats_ids()) is not None:
            for _ in unique_by_id(prepared.read(), prepared.data["spec"], found_by):
                pass
    return prepared


def run_model(
    planner: Planner, prepared: Prepared, folder: Path, settings: Settings, command: str, executor: Executor | None
) -> Stage[dict[str, Any]]:
    """Ask a model the groups, judge and score its answers, and write its folder; returns what results.json holds.

    That file may be published, so it has no folders of this machine (see ``public``); what is returned here has them.
    """
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    model, judge = planner.model, OutcomeJudge(planner.model, planner.keys, prepared.suites, settings, prepared.rule)
    with ExitStack() as files:
        store = None
        if not ModelFacts(model.what).recorded:
            store = files.enter_context(Store(settings.store_path(folder), prepared.answers))
        todo = planner.plan(store)
        yield from _ask_and_judge(planner, prepared, folder, settings, judge, store, todo, executor)
    tally = judge.tally
    if ModelFacts(model.what).recorded:
        tally.asked = todo.distinct  # a repeated question is looked up again, which is no request
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
        "remarks": dict(tally.remarks),
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


def forecast(
    models: Sequence[Named],
    data: Named,
    suites: Sequence[Named],
    output: Path | None,
    settings: Settings,
    points: float | None = None,
) -> Iterator[str]:
    """Remarks on the data, then the requests that a run would make to each model; nothing is asked or written.

    ``output``: the run's folder, whose answers would not be asked for again; None if there is none yet.
    ``points``: also how many questions it takes to find a difference of this size between two models.
    """
    with TemporaryDirectory(prefix="askew-") as scratch:
        planners = [Planner(model) for model in models]
        with workers_of(settings.executor) as executor:
            stage = _prepared(planners, data, suites, Path(scratch), settings, executor)
            prepared = result_of(stage, settings.progress)
        yield from prepared.data["remarks"]
        for planner, folder in zip(planners, model_folders(models, output or Path(scratch) / "none"), strict=True):
            yield _forecast(planner, prepared, folder, settings)
        if points is not None:
            yield from questions_needed(prepared, points)


def _forecast(planner: Planner, prepared: Prepared, folder: Path, settings: Settings) -> str:
    """Calls, and tokens and cost where the model can estimate them.

    ``folder`` is only read; where it has no answers yet, an empty store is made beside the groups.
    """
    model, keys, path = planner.model, planner.keys, settings.store_path(folder)
    asked = model.what
    with Store(path if path.is_file() else prepared.groups.with_name("answers.sqlite"), prepared.answers) as store:
        todo = planner.plan(store)
        needed = asked.estimate(unknown(prepared.read(), keys, store)) if isinstance(asked, Estimates) else None
    sentence = f"{model.name}: {plural(todo.calls, 'call')} for {plural(todo.groups, 'group')} "
    sentence += f"({plural(todo.questions, 'question')}, {todo.distinct:,} distinct, {todo.known:,} known already)"
    if todo.refused:
        sentence += f"; {todo.refused:,} about several images fail, since the model takes one"
    if needed is not None:
        sentence += f"; about {plural(needed.read, 'token')} read and at most {needed.written:,} written"
        cost = asked.price(needed.read, needed.written) if isinstance(asked, Prices) else None
        sentence += "" if cost is None else f", at most {cost:,.2f} by the given prices"
    return sentence + "."


def _ask_and_judge(
    planner: Planner,
    prepared: Prepared,
    folder: Path,
    settings: Settings,
    judge: OutcomeJudge,
    store: Store | None,
    todo: Plan,
    executor: Executor | None,
) -> Stage[None]:
    """Ask what is not known yet, and write each outcome as it is judged."""
    model, tally = planner.model, judge.tally
    stop_after = 0 if ModelFacts(model.what).by_id else settings.stop_after  # a file may lack many in a row
    failed_alike = InARow(stop_after, FAILED_ALIKE)
    records = deque[Record]()

    def groups() -> Iterator[Group]:
        for group, record in prepared.read_records():
            records.append(record)
            yield group

    if todo.refused:
        several = f"{todo.refused:,} of {plural(todo.distinct, 'question')} {'is' if todo.refused == 1 else 'are'}"
        yield Warned(f"{model.name} takes one image with a question; {several} about several, and not asked.")
    reused = f" ({todo.known:,} known already)" if todo.known else ""
    yield Started("Asking" + reused, "questions", todo.calls)
    asking = None
    if executor is not None and todo.calls and not isinstance(model.what, Streams):
        asking = WorkerAsking(executor, BuildsModel.of(model))
    with replaced(folder / "samples.jsonl") as file:
        for found in ask_unanswered(groups(), model.what, planner.keys, store, settings.batch_size, asking):
            if isinstance(found, Outcome):
                file.write(judge.line(found, records.popleft()))
            else:
                for remark in tally.add(found):
                    yield Note(f"{model.name}: {remark}")
                yield Advanced(tally.asked, tally.failed)
                count_failures(failed_alike, found)


def _usage(tally: Tally, todo: Plan, model: Model) -> dict[str, Any]:
    """Tokens of this command and of all answers of this run, those from the store included, with what they cost where
    the model knows prices. Answers that a shared store holds for other runs do not count.
    """
    both = (tally.tokens[0] + todo.tokens[0], tally.tokens[1] + todo.tokens[1])
    usage: dict[str, Any] = {"now": tally.tokens, "store": both}
    costs = {name: model.price(*tokens) for name, tokens in usage.items()} if isinstance(model, Prices) else {}
    return {**usage, "cost": costs} if None not in costs.values() else usage


@contextmanager
def _rare_collection() -> Iterator[None]:
    """Run the garbage collector less often: of millions of short-lived objects, almost none is in a cycle."""
    usual = gc.get_threshold()
    gc.set_threshold(300_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
