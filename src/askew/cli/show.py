"""Run models and show runs; shared by ``run``, ``score``, ``compare``, ``report`` and ``demo``."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size

import orjson

from askew.cli.options import write_json
from askew.engine.components import as_data
from askew.engine.events import Event, Finished, Warned, with_bars
from askew.engine.result import compare_runs, not_compared
from askew.engine.run import run_models
from askew.engine.settings import Named, Settings
from askew.files.read_write import write_joined
from askew.report.html import write_report
from askew.report.load import Run, load_run
from askew.report.table_formats import without_published
from askew.report.terminal import terminal_headlines, terminal_summary
from askew.types import Group


def run_and_show(
    models: Sequence[Named],
    data: Named,
    suites: Sequence[Named],
    output: Path,
    settings: Settings,
    command: str,
    full: bool = False,
    lenient: bool = False,
    published: bool = True,
    json: str | None = None,
) -> None:
    """Run the models, then print their joint summary and write their report.

    Too many failures raise an error at the end, unless ``lenient``; the gate always counts them.
    """
    events = run_models(models, data, suites, output, settings, command)
    for runs in heard(events, settings.progress):
        show(runs.folders, output / "report.html", full, published, json=json)
        failures = runs.failures
    if failures and not lenient:
        raise failures[0]


def heard(events: Iterator[Event], progress: bool) -> Iterator[Finished]:
    """Show a run in the terminal: bars and sentences; yields its last event, while its folders are locked."""
    for event in with_bars(events, progress):
        if isinstance(event, Finished):
            yield event
        else:
            warning = "Warning: " if isinstance(event, Warned) else ""
            print(f"{warning}{event.sentence}", file=sys.stderr)


def show(
    folders: Sequence[Path],
    report: Path | None,
    full: bool = False,
    published: bool = True,
    images: str | None = None,
    judged: Sequence[str] = (),
    json: str | None = None,
) -> None:
    """Print the headlines of these runs (every score if ``full``), and write their report.

    Unless ``published``, the tables omit the papers' own figures. ``images`` is the folder of the page's images, if
    they have been moved since the runs. ``judged``: files of judgements, whose label noise is shown. ``json``: the file
    that gets the results of the runs, as in their ``results.json``, and their differences.
    """
    runs = [load_run(folder, Path(images) if images else None) for folder in folders]
    runs = runs if published else [without_published(run) for run in runs]
    runs = [with_label_noise(run, judged) for run in runs] if judged else runs
    differences = compare_runs(runs) if len(runs) > 1 else []
    if report is not None:
        write_report(runs, report, differences)
        if differences:
            write_joined(report.parent / "differences.json", [orjson.dumps(differences, option=orjson.OPT_INDENT_2)])
    write_json(json, {"runs": [run.results for run in runs], "differences": differences})
    screen = sys.stdout.isatty()
    width = max(60, get_terminal_size().columns) if screen else 80
    color = screen and not os.environ.get("NO_COLOR")
    print(terminal_summary(runs, differences, width, color) if full else terminal_headlines(runs, differences, width))
    if len(runs) > 1:
        for metric, why in not_compared(runs).items():
            print(f"Warning: {metric} is not compared: {why}", file=sys.stderr)
        if not differences:
            print("These runs share no group, so no difference is tested. Run the models on the same groups.jsonl.")
    if report is not None:
        print(f"\nReport: {report}")
        print("Open it in a browser: the ranking first, then what breaks each model, then the pairs themselves.")
    if not full:
        print(f"Every score: askew report {' '.join(shlex.quote(str(folder)) for folder in folders)} --full")


def with_label_noise(run: Run, judged: Sequence[str]) -> Run:
    """The run with the label noise of its suites, according to people who judged a sample."""
    from askew.audit.label_sample import noise_by_suite

    groups: Iterator[Group] = as_data(str(run.folder)).what.groups()
    noise = noise_by_suite(groups, judged)
    suites = [{**one, "label_noise": [n.record() for n in noise.get(one["name"], ())]} for one in run.suites]
    return replace(run, results={**run.results, "suites": suites})
