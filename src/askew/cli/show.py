"""Running several models and showing runs: what ``run``, ``score``, ``compare``, ``report`` and ``demo`` share."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from askew.engine.build import prepare
from askew.engine.compare import compare_runs, not_compared
from askew.engine.run import begin, check_failures, claim_folder, empty_suites, forecast, run
from askew.engine.settings import Named, Settings
from askew.errors import TooManyFailures
from askew.files.locks import alone_in
from askew.files.paths import public_word
from askew.files.read_write import write_joined
from askew.report.html import write_report
from askew.report.load import load_run
from askew.report.paper_tables import without_published
from askew.report.terminal import terminal_headlines, terminal_summary


def run_all(
    models: Sequence[Named],
    data: Named,
    suites: Sequence[Named],
    output: Path,
    settings: Settings,
    command: str,
    brief: bool = False,
    lenient: bool = False,
    published: bool = True,
) -> None:
    """One run per model, then the joint summary and report. One model's files lie in ``output`` itself.

    Too many failures are an error at the end, unless it is ``lenient``; the gate sees them in any case.
    """
    folders = _folders(models, output)
    failures = []
    for model in models:
        command = getattr(model.what, "hide", str)(command)
    with ExitStack() as held:
        held.enter_context(alone_in(output))
        claim_folder(output, models, data, suites, settings)
        held.enter_context(alone_in(*(folder for folder in folders if folder != output)))
        begin(output, folders if len(folders) > 1 else ())
        prepared = prepare(data, suites, output, settings)
        if skipped := prepared.data["skipped"]:
            print(f"{len(skipped):,} bad records were left out, e.g. {skipped[0]}", file=sys.stderr)
        for told in empty_suites(prepared):
            print(f"Warning: {told}", file=sys.stderr)
        for model, folder in zip(models, folders, strict=True):
            if len(models) > 1:
                print(f"{model.spec}", file=sys.stderr)
            try:
                results = run(model, prepared, folder, settings, command)
                if not lenient:
                    check_failures(results)
            except TooManyFailures as error:
                failures.append(error)
        show(folders, output / "report.html", brief, published)
    if failures:
        raise failures[0]


def dry_run(models: Sequence[Named], data: Named, suites: Sequence[Named], output: Path, settings: Settings) -> None:
    """Say what a run would ask, of whom, and what it would cost; ask nothing, and write nothing to ``output``."""
    with TemporaryDirectory(prefix="askew-") as scratch:
        prepared = prepare(data, suites, Path(scratch), settings)
        for model, folder in zip(models, _folders(models, output), strict=True):
            print(forecast(model, prepared, folder, settings))


def suites_in(data: Named, otherwise: str) -> list[str]:
    """The suites whose groups the data holds, else the one named."""
    return data.what.suites() if hasattr(data.what, "suites") else [otherwise]


def show(
    folders: Sequence[Path],
    report: Path | None,
    brief: bool = False,
    published: bool = True,
    images: str | None = None,
) -> None:
    """Print the table of these runs (or only what sums them up, when ``brief``), and write their report.

    Unless ``published``, the tables are without the papers' own figures. ``images`` is where the page's images
    lie, where that is not where the runs found them.
    """
    runs = [load_run(folder, Path(images) if images else None) for folder in folders]
    runs = runs if published else [without_published(run) for run in runs]
    differences = compare_runs(runs) if len(runs) > 1 else []
    if report is not None:
        write_report(runs, report, differences)
        if differences:
            write_joined(report.parent / "differences.json", [orjson.dumps(differences, option=orjson.OPT_INDENT_2)])
    print(terminal_headlines(runs) if brief else terminal_summary(runs, differences, color=sys.stdout.isatty()))
    for told in not_compared(runs) if len(runs) > 1 else ():
        print(f"Warning: {told}", file=sys.stderr)
    if len(runs) > 1 and not differences:
        print("These runs share no group, so no difference is tested. Run the models on the same groups.jsonl.")
    if report is not None:
        print(f"\nReport: {report}")


def _folders(models: Sequence[Named], output: Path) -> list[Path]:
    return (
        [output]
        if len(models) == 1
        else [output / slug for slug in slugs([public_word(model.spec) for model in models])]
    )


def slugs(names: Sequence[str]) -> list[str]:
    """Folder names for models, all different.

    >>> slugs(["constant:yes", "constant:yes", "hf:org/Model"])
    ['constant-yes', 'constant-yes-2', 'hf-org-Model']
    """
    taken: list[str] = []
    for name in names:
        base = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "model"
        slug, count = base, 1
        while slug in taken:
            count += 1
            slug = f"{base}-{count}"
        taken.append(slug)
    return taken
