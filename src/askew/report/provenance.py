"""The last section: everything needed to reproduce the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.errors import plural
from askew.report.load import Run
from askew.report.markup import Html, details, el, join, table
from askew.report.report_data import ReportData
from askew.report.score_display import DASH, count
from askew.report.svg import mark

LISTED_PARTS = ("", "test", "round", "domain")
"""The parts whose scores are listed here; those by rule, answer type and question type are in results.json."""

MOST_COUNTS = 12
"""The number of drawn or refused values that are named."""

_OPTIONAL_COLUMNS = {"Correct answers": "answers", "Drawn": "drawn", "Why refused": "refused"}


def provenance_section(content: ReportData) -> Html:
    """One panel for each run."""
    several = len(content.runs) > 1
    return join(
        *(
            details(
                join(mark(number) if several else None, el("strong", label), f" on {run.data}"),
                el(
                    "dl", *(join(el("dt", name), el("dd", value)) for name, value in _listed_facts(run)), class_="facts"
                ),
                *(_suite(suite) for suite in run.suites),
                _numbers(run),
                opened=number == 0,
                class_="panel",
            )
            for number, (run, label) in enumerate(zip(content.runs, content.labels, strict=True))
        )
    )


def _listed_facts(run: Run) -> Iterator[tuple[str, str]]:
    results, model, data = run.results, run.results["model"], run.results.get("data") or {}
    if results.get("command"):
        yield "Command", el("code", str(results["command"]))
    yield "Model", join(model.get("spec") or run.model, " ", el("code", str(model.get("signature", ""))))
    yield (
        "Data",
        join(
            f"{data.get('spec') or run.data}: {count(data.get('questions') or 0)} {data.get('counted', 'question')}s, ",
            f"{plural(data.get('images') or 0, 'image')} ",
            el("code", str(data.get("signature", ""))),
        ),
    )
    if data.get("remarks"):
        yield "Read", el("ul", *(el("li", str(line)) for line in data["remarks"][:50]))
    if data.get("skipped"):
        yield (
            "Skipped",
            details(
                f"{plural(len(data['skipped']), 'record')}",
                el("ul", *(el("li", str(line)) for line in data["skipped"][:50])),
            ),
        )
    if data.get("fingerprint"):
        yield "Data fingerprint", el("code", str(data["fingerprint"]))
    yield "Seed", str(results.get("seed", DASH)) + (" (used only for the intervals)" if data.get("ready") else "")
    config = results.get("config") or {}
    set_options = {name: value for name, value in config.items() if value is not None and value not in ([], "")}
    if set_options:
        yield "Options", _listed(set_options)
    yield "Missing answers", _failures(results.get("failures") or {})
    yield "Time", _time(results.get("time") or {}, (results.get("failures") or {}).get("asked") or 0)
    usage = results.get("usage") or {}
    if any(usage.get("store") or ()):
        yield (
            "Cost",
            "; ".join(_usage(usage, name, of) for name, of in (("now", "this time"), ("store", "for all answers"))),
        )
    yield "Versions", _listed({"askew": results.get("askew", DASH), **(results.get("versions") or {})})


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {' and '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )


def _counts(counts: Mapping[str, int]) -> str:
    """The most frequent first, and how many others there are.

    >>> _counts({"red": 2, "blue": 5})
    'blue (5), red (2)'
    """
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    text = ", ".join(f"{name} ({count(n)})" for name, n in ordered[:MOST_COUNTS])
    others = len(ordered) - MOST_COUNTS
    return f"{text} and {count(others)} more" if others > 0 else text or DASH


def _failures(failures: Mapping[str, Any]) -> str:
    failed, asked = failures.get("count") or 0, failures.get("asked") or 0
    share = f" ({100 * failed / asked:.2f} %)" if asked else ""
    kinds = "; ".join(f"{error}: {count(n)}" for error, n in (failures.get("by_error") or {}).items())
    limit = failures.get("limit")
    allowed = f" At most {100 * limit:g} % are allowed." if limit is not None else ""
    return f"{count(failed)} of {count(asked)} asked{share}{'; ' + kinds if kinds else ''}.{allowed}"


def _usage(usage: Mapping[str, Any], name: str, of: str) -> str:
    """Tokens, and money if prices were given.

    >>> _usage({"now": [1200, 30], "cost": {"now": 0.5}}, "now", "this time")
    '1,200 tokens read and 30 written this time, 0.50 at the given prices'
    """
    read, written = usage[name]
    money = (usage.get("cost") or {}).get(name)
    text = f"{plural(read, 'token')} read and {count(written)} written {of}"
    return text if money is None else f"{text}, {money:,.2f} at the given prices"


def _time(time: Mapping[str, Any], distinct: int) -> str:
    """When the run started, how long it took, and where its answers came from.

    >>> _time({"started": "today", "seconds": 2, "asked": 5, "reused": 4}, distinct=8)
    'started today, took 2.0 s; 5 asked, 3 known from the store; 1 was the same as another question'
    """
    seconds = time.get("seconds")
    took = f"{seconds:,.1f} s" if seconds is not None else DASH
    asked = time.get("asked") or 0
    known = min(max(0, distinct - asked), time.get("reused") or 0)
    same = (time.get("reused") or 0) - known
    text = f"{count(asked)} asked, {count(known)} known from the store"
    repeated = f"; {count(same)} {'was' if same == 1 else 'were'} the same as another question" if same else ""
    return f"started {time.get('started', DASH)}, took {took}; {text}{repeated}"


def _suite(suite: Mapping[str, Any]) -> Html:
    covers = suite.get("coverage") or ()
    optional = {name: key for name, key in _OPTIONAL_COLUMNS.items() if any(item.get(key) for item in covers)}
    rows = []
    for item in covers:
        sizes = item.get("matched"), item.get("made"), sum((item.get("refused") or {}).values())
        counts = [_counts(item.get(key) or {}) for key in optional.values()]
        rows.append([str(item.get("test", "")), *(count(size or 0) for size in sizes), *counts])
    head = ["Test", "Matched", "Made", "Refused", *optional]
    caption = f"Coverage of {suite['name']}"
    return el(
        "section",
        el("h4", suite.get("title") or suite["name"]),
        el("p", str(suite.get("paper", "")), class_="quiet"),
        el(
            "p",
            el("code", str(suite.get("signature", ""))),
            f" {plural(suite.get('groups') or 0, 'group')}, {plural(suite.get('variants') or 0, 'variant')}",
            *(f"; {note}" for note in suite.get("notes") or ()),
            class_="quiet",
        ),
        table(head, rows, caption, class_="coverage") if rows else None,
    )


def _numbers(run: Run) -> Html:
    rows: list[Sequence[str]] = []
    left = 0
    for score in run.scores():
        if score.part.partition("=")[0] not in LISTED_PARTS:
            left += 1
            continue
        show = score.facts.show
        incomplete = score.failed or (score.lowest == score.lowest and score.lowest != score.highest)
        bounds = f"{show(score.lowest)} to {show(score.highest)}" if incomplete else DASH
        rows.append(
            [
                f"{score.suite} · {score.facts.title}",
                score.part or "all",
                score.short,
                score.interval or score.no_interval or DASH,
                count(score.n),
                count(score.failed),
                bounds,
                el("code", score.signature),
            ]
        )
    head = ["Number", "Part", "Value", "95 %", "n", "Left out", "Bounds, whatever the missing answers", "Signature"]
    heading = f"Every number with its signature and bounds ({count(len(rows))}" + (
        f"; {count(left)} more by rule and type are in results.json)" if left else ")"
    )
    return details(heading, table(head, rows, "Every number", class_="numbers"))
