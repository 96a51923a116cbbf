"""The HTML report: one self-contained file, without network access or a framework; and its first screen alone."""

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
from askew.report.confidence_section import calibration_section
from askew.report.first_screen import first_screen
from askew.report.glossary import glossary
from askew.report.load import Run, labels
from askew.report.markup import Html, el, framed, join, own, part
from askew.report.pair_table import PairTable, Trait, read_pairs
from askew.report.pair_viewer import Record, Sample, choose, draw_pairs, pairs_section
from askew.report.paper_tables import latex_tables, markdown_tables
from askew.report.provenance import provenance_section
from askew.report.report_data import ReportData
from askew.report.suites_section import suites_section
from askew.report.thumbnails import Thumbnails

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
