"""The tables of the suites, laid out as in their papers and filled from runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from askew.report.glossary import test_name
from askew.report.load import Run, facts_of, labels, tag_parts
from askew.report.table_formats import latex, markdown
from askew.types import Cell, Column, Table, TableRow


def filled_tables(runs: Sequence[Run], only: str = "") -> list[Table]:
    """The tables of all runs, in order, each with all the runs; a plain one for a suite that defines none.

    ``only`` names the suite whose tables are wanted.
    """
    found: dict[tuple[str, str], Table] = {}
    for suite in (suite for run in runs for suite in run.suites if only in ("", suite["name"])):
        for record in [*(suite.get("tables") or [_plain_table(suite)]), *_tag_table(runs, suite)]:
            key = (suite["name"], str(record.get("id", record.get("title", ""))))
            if key not in found:
                found[key] = _filled(runs, suite, record)
    return list(found.values())


def without_published(run: Run) -> Run:
    """The run without the published rows of its tables."""
    suites = [
        {**suite, "tables": [{**table, "published": {}} for table in suite.get("tables") or ()]} for suite in run.suites
    ]
    return replace(run, results={**run.results, "suites": suites})


def markdown_tables(runs: Sequence[Run]) -> str:
    """All tables as Markdown."""
    return "\n".join(markdown(table) + "\n" for table in filled_tables(runs))


def latex_tables(runs: Sequence[Run]) -> str:
    """All tables as LaTeX; requires the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(latex(table) + "\n" for table in filled_tables(runs))


def _filled(runs: Sequence[Run], suite: Mapping[str, Any], record: Mapping[str, Any]) -> Table:
    """A table as recorded with its suite, with a row for each run: people last, or one run for each data set."""
    columns = tuple(Column(**column, says=_meaning(suite, column)) for column in record.get("columns", ()))
    rows = record.get("rows") or "model"
    if rows == "data":
        labelled = list({run.data: run for run in reversed(runs)}.items())[::-1]
    else:
        labelled = sorted(zip(labels(runs), runs, strict=True), key=lambda row: row[1].is_human)
    return Table(
        id=str(record.get("id") or f"{suite['name']}-table"),
        title=str(record.get("title") or suite.get("title") or suite["name"]),
        about=str(suite.get("paper") or suite["name"]),
        rows=rows,
        columns=columns,
        lines=[
            TableRow(label, tuple(_cell(run, suite["name"], column) for column in columns), human=run.is_human)
            for label, run in labelled
            if any(other["name"] == suite["name"] for other in run.suites)
        ],
        published=record.get("published") or {},
    )


def _meaning(suite: Mapping[str, Any], column: Mapping[str, Any]) -> str:
    """What a column shows: the metric in words, and the part of the data that it is measured on."""
    part, facts = str(column.get("part", "")), facts_of(suite, str(column.get("metric", "")))
    name = facts.explanation(facts.title)
    of, _, value = part.partition("=")
    kind = {"made_by": "variants made by"}.get(of, of.rpartition(".")[2].replace("_", " "))
    where = f"test {test_name(value)}" if of == "test" else f"{kind} {value}".strip()
    what = f"number of questions for {name}" if column.get("show") == "n" else name
    return f"{what}; only {where}" if part else what


def _cell(run: Run, suite: str, column: Column) -> Cell:
    score = run.score(suite, column.metric, column.part)
    if column.show != "n":
        return score
    return score.n + score.failed if score.metric else None  # the number of questions does not depend on the model


def _plain_table(suite: Mapping[str, Any]) -> Mapping[str, Any]:
    metric = (suite.get("headline") or {}).get("metric", "accuracy.variant")
    tests = suite.get("tests") or ()
    parts = [("all", ""), *((test, f"test={test}") for test in tests if len(tests) > 1)]
    title = f"{suite.get('title') or suite['name']}: {facts_of(suite, metric).title}"
    return _layout(f"{suite['name']}-plain", title, metric, parts)


def _tag_table(runs: Sequence[Run], suite: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The headline by round and by domain, for data collected in rounds (Li et al. 2021, Tables 2 and 10)."""
    metric = (suite.get("headline") or {}).get("metric", "")
    parts = [(part.replace("=", " ", 1).capitalize(), part) for part in tag_parts(runs, suite["name"], metric)]
    title = f"{facts_of(suite, metric).title} by round and domain"
    return [_layout(f"{suite['name']}-rounds", title, metric, [("All", ""), *parts])] if parts else []


def _layout(name: str, title: str, metric: str, parts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    columns = [{"label": label, "metric": metric, "part": part} for label, part in parts]
    return {"id": name, "title": title, "columns": columns}
