"""The HTML report: one self-contained file, without network access or a framework; and its first screen alone.

Its last section has everything needed to reproduce the numbers.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import orjson

from askew.errors import plural
from askew.files.read_write import write_joined
from askew.metrics.pairs import HELD
from askew.report.breaks import Breaks, breaks_section, examples, find_breaks, findings_shown, worst_first
from askew.report.curves import calibration_section
from askew.report.first_screen import first_screen
from askew.report.glossary import glossary
from askew.report.load import Run, labels
from askew.report.markup import Html, Thumbnails, details, el, framed, join, own, part, table
from askew.report.pair_table import PairTable, Trait, read_pairs
from askew.report.pair_viewer import Record, Sample, choose, draw_pairs, pairs_section
from askew.report.report_data import ReportData
from askew.report.suites_section import suites_section
from askew.report.svg import mark
from askew.report.table_formats import DASH, count, latex_tables, markdown_tables

MOST_PAIRS = 20_000
"""The most pairs in the viewer; if there are more, a sample of this size is embedded."""

WANTED_SHARE = 4
"""One in this many pairs may be reserved for examples of findings, so that their links lead to a pair."""

EXAMPLES = 3
"""The number of examples for each finding."""

MOST_FAILURES = 3
"""The number of telling failures of each model on the first screen."""

CANDIDATES = 6
"""The number of pairs of a suite to choose failures from, so that no image is shown twice."""

FRAME = "askew-first-screen"
"""The class of the element around the first screen alone, to which its style is limited."""


def write_report(runs: Sequence[Run], output: Path, differences: Sequence[Mapping[str, Any]] = ()) -> None:
    """Write the page, and ``tables.md`` and ``tables.tex`` beside it; each file appears whole or not at all."""
    output = Path(output)
    write_joined(output, [page(runs, differences).encode()])
    write_joined(output.with_name("tables.md"), [markdown_tables(runs).encode()])
    write_joined(output.with_name("tables.tex"), [latex_tables(runs).encode()])


def page(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = (), most: int = MOST_PAIRS) -> str:
    """The page as text; the same runs give the same page."""
    pairs = read_pairs(runs)
    content, breaks, album = ReportData(runs, differences, pairs), find_breaks(runs), Thumbnails()
    failures = _telling_failures(pairs, breaks, album)
    on_cards = [pair["number"] for shown in failures for pair in shown]
    chosen = choose(pairs, most, [*on_cards, *_wanted(pairs, breaks, most)])
    sample = Sample(pairs.pairs, album)
    records = [orjson.Fragment(orjson.dumps(pair)) for pair in sample.watch(draw_pairs(pairs, chosen, album))]
    data = {"models": content.labels, "order": content.standings.order, "pairs": records, "images": album.images}
    failures = [[{**pair, "key": sample.keys[pair["number"]]} for pair in shown] for shown in failures]
    sure = calibration_section(content)
    chapters = [
        ("suites", "Suites", "charts and tables of each suite, differences", suites_section(content, breaks)),
        ("breaks", "What breaks it", "tests, rules and words that cost most", breaks_section(content, breaks)),
        *(
            [("confidence", "Confidence", "how sure each model is, and how often it is then correct", sure)]
            if sure
            else []
        ),
        ("pairs", "Pairs", f"{plural(len(sample.keys), 'pair')} of questions to read", pairs_section(content, sample)),
        ("made", "How it was made", "data, versions, signatures, the command", provenance_section(content)),
        ("terms", "Abbreviations", "every short name on this page", _terms(content)),
    ]
    opened = first_screen(content, breaks, failures, album, linked=True)
    links = [("ranking", "Ranking"), *((name, heading) for name, heading, _, _ in chapters)]
    script = part("app.js") + part("pairs.js")
    body = Template(part("template.html")).substitute(
        links=join(*(el("a", heading, href=f"#{name}") for name, heading in links)),
        sections=join(
            el("section", opened, id="ranking", class_="part"), *(_chapter(*chapter) for chapter in chapters)
        ),
        data=packed(data),
        script=script,
    )
    return framed(
        body,
        title=page_title(runs),
        eyebrow="askew report",
        heading="Which model keeps its answers?" if len(runs) > 1 else "Does it keep its answers?",
        subtitle=_subtitle(content),
        first="ranking",
        allowed=("img-src data:", own("script", script)),
        more_style=part("first_screen.css") + part("pairs.css"),
    )


def standalone(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = ()) -> str:
    """The first screen alone, as one HTML element with its style and images, and without scripts; for notebooks.

    ``differences`` are those of ``compare_runs``; without them nothing is marked as significantly better. The style
    applies to nothing outside the element. It follows the reader's light or dark mode.
    """
    table = read_pairs(runs)
    content, breaks, album = ReportData(runs, differences, table), find_breaks(runs), Thumbnails()
    failures = _telling_failures(table, breaks, album)
    inner = part("first_screen_alone.css") + part("first_screen.css")
    style = part("colors.css").replace(":root", f".{FRAME}") + f".{FRAME} {{ {inner} }}"
    shown = first_screen(content, breaks, failures, album)
    return el("div", Html(f"<style>{style}</style>"), Html(part("shapes.svg")), shown, class_=FRAME)


def page_title(runs: Sequence[Run]) -> str:
    """The title of the page of these runs."""
    return "askew: " + ", ".join(labels(runs))


def packed(data: Mapping[str, Any]) -> str:
    """An object as JSON, gzip and base64: small, the same for the same data, and it cannot close a script element.

    >>> import gzip
    >>> from base64 import b64decode
    >>> gzip.decompress(b64decode(packed({"q": "</script>", "n": [1, 2]})))
    b'{"q":"</script>","n":[1,2]}'
    """
    return b64encode(gzip.compress(orjson.dumps(data), mtime=0)).decode("ascii")


def _chapter(name: str, heading: str, about: str, inner: Html) -> Html:
    """A section that is closed at first; its content has the id, so that a link to it opens it without a script."""
    summary = el("summary", el("h2", heading), el("span", about, class_="quiet"))
    return el("details", summary, el("div", inner, id=name), class_="chapter")


def _terms(content: ReportData) -> Html:
    metrics = dict.fromkeys(score.facts for run in content.runs for score in run.scores())
    tests = dict.fromkeys(str(test) for suite in content.suites for test in suite.get("tests") or ())
    return glossary(metrics, tests, content.suites)


def _telling_failures(table: PairTable, breaks: Sequence[Breaks], album: Thumbnails) -> list[list[Record]]:
    """Up to three failures of each run, as records of the pair viewer; their images are added to ``album``."""
    wanted = [list(_candidates(table, breaks, run)) for run in range(len(table.runs))]
    numbers = list(dict.fromkeys(number for suites in wanted for pairs in suites for number in pairs))
    drawn = dict(zip(numbers, draw_pairs(table, numbers, album), strict=True)) if numbers else {}
    return [_different([[drawn[number] for number in pairs] for pairs in suites]) for suites in wanted]


def _candidates(table: PairTable, breaks: Sequence[Breaks], run: int) -> Iterator[list[int]]:
    """Some broken pairs of each suite that has any; the suites with the highest break rates first."""
    broken = [found for found in breaks if found.run == run and found.broken.value > 0]
    for found in sorted(broken, key=lambda one: (worst_first(one), one.suite)):
        trait = found.worst.trait if found.worst else Trait(found.suite, "suite", found.suite)
        (pairs,) = examples(table, [(run, trait)], 20 * CANDIDATES)
        yield sorted(pairs, key=lambda pair: -_held_by_others(table, run, pair))[:CANDIDATES]


def _held_by_others(table: PairTable, run: int, pair: int) -> int:
    """How many other runs answer both sides correctly: a failure that others avoid says more."""
    return sum(bool(codes[pair] == HELD) for number, codes in enumerate(table.codes) if number != run)


def _different(suites: list[list[Record]]) -> list[Record]:
    """One pair of each suite in turn, with no image twice if possible."""
    chosen: list[Record] = []
    for repeated in (False, True):
        for place in range(CANDIDATES):
            for pairs in suites:
                seen = {pair["image"] for pair in chosen}
                fresh = [pair for pair in pairs if pair not in chosen and (repeated or pair["image"] not in seen)]
                if len(chosen) < MOST_FAILURES and fresh and sum(pair in chosen for pair in pairs) <= place:
                    chosen.append(fresh[0])
    return chosen


def _wanted(pairs: PairTable, breaks: Sequence[Breaks], most: int) -> list[int]:
    """Examples for the findings on the page: first one for each, then the second ones, and so on."""
    findings = [(found.run, finding.trait) for found in breaks for finding in findings_shown(found)]
    lists = examples(pairs, findings, EXAMPLES)
    return [found[i] for i in range(EXAMPLES) for found in lists if i < len(found)][: most // WANTED_SHARE]


def _subtitle(content: ReportData) -> str:
    runs, results = content.runs, content.runs[0].results
    models = plural(len(runs), "model") if len(runs) > 1 else content.labels[0]
    data = ", ".join(dict.fromkeys(run.data for run in runs))
    source = results.get("data") or {}
    questions = plural(source.get("questions") or 0, str(source.get("counted", "question")))
    suites = ", ".join(suite["name"] for suite in content.suites)
    return f"{models} · {data} · {questions} in the data · {plural(content.pair_table.pairs, 'pair')} asked · {suites}"


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
                folded=True,
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
    if remarks := results.get("remarks"):
        yield "Remarks of the model", _counts(remarks)
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
        el("h3", suite.get("title") or suite["name"]),
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
    return details(heading, table(head, rows, "Every number", class_="numbers"), folded=True)
