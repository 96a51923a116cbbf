"""The HTML report: one self-contained file, without network access or a framework."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import orjson

from askew.files.read_write import write_joined
from askew.report.breaks import Breaks, breaks_section, examples, find_breaks, findings_shown
from askew.report.caveats import plural
from askew.report.confidence_section import calibration_section
from askew.report.first_screen import first_screen
from askew.report.glossary import glossary
from askew.report.load import Run, labels
from askew.report.markup import Html, el, framed, join, own, part
from askew.report.pair_table import PairTable, read_pairs
from askew.report.pair_viewer import choose, draw_sample, pairs_section
from askew.report.paper_tables import latex_tables, markdown_tables
from askew.report.provenance import provenance_section
from askew.report.report_data import ReportData
from askew.report.score_display import count
from askew.report.suites_section import suites_section
from askew.report.telling_failures import telling_failures
from askew.report.thumbnails import Thumbnails

MOST_PAIRS = 20_000
"""The number of pairs in the viewer; of more, a sample is embedded."""

WANTED_SHARE = 4
"""One in this many pairs may be reserved for examples of findings, so that their links lead to a pair."""

EXAMPLES = 3
"""The number of examples for each finding."""


def write_report(runs: Sequence[Run], output: Path, differences: Sequence[Mapping[str, Any]] = ()) -> None:
    """Write the page, and ``tables.md`` and ``tables.tex`` beside it; each file appears whole or not at all."""
    output = Path(output)
    write_joined(output, [page(runs, differences).encode()])
    write_joined(output.with_name("tables.md"), [markdown_tables(runs).encode()])
    write_joined(output.with_name("tables.tex"), [latex_tables(runs).encode()])


def page(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = (), most: int = MOST_PAIRS) -> str:
    """The page as text; the same runs give the same page."""
    pairs = read_pairs(runs)
    content, breaks, album = ReportData(runs, differences, pairs), find_breaks(pairs), Thumbnails()
    failures = telling_failures(pairs, breaks, album)
    told = [pair["number"] for shown in failures for pair in shown]
    sample = draw_sample(pairs, choose(pairs, most, [*told, *_wanted(pairs, breaks, most)]), album)
    keys = {pair["number"]: pair["key"] for pair in sample.pairs}
    failures = [[{**pair, "key": keys[pair["number"]]} for pair in shown] for shown in failures]
    sure = calibration_section(content)
    chapters = [
        ("suites", "Suites", "charts and tables of each suite, differences", suites_section(content, breaks)),
        ("breaks", "What breaks it", "tests, rules and words that cost most", breaks_section(content, breaks)),
        *(
            [("confidence", "Confidence", "how sure each model is, and how often it is right then", sure)]
            if sure
            else []
        ),
        ("pairs", "Pairs", f"{count(len(sample.pairs))} pairs of questions to read", pairs_section(content, sample)),
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
        data=packed(
            {
                "models": content.labels,
                "order": content.standings.order,
                "pairs": sample.pairs,
                "pictures": album.images,
            }
        ),
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


def page_title(runs: Sequence[Run]) -> str:
    """The title of the page of these runs."""
    return "askew: " + ", ".join(labels(runs))


def packed(data: Any) -> str:
    r"""JSON as gzip in base64: small, the same for the same data, and nothing in it can close the script element.

    >>> from base64 import b64decode
    >>> gzip.decompress(b64decode(packed({"q": "</script>"})))
    b'{"q":"</script>"}'
    """
    return b64encode(gzip.compress(orjson.dumps(data), mtime=0)).decode("ascii")


def _chapter(name: str, heading: str, about: str, inner: Html) -> Html:
    """A section that is closed at first; its content has the id, so that a link to it opens it without a script."""
    summary = el("summary", el("h2", heading), el("span", about, class_="quiet"))
    return el("details", summary, el("div", inner, id=name), class_="chapter")


def _terms(content: ReportData) -> Html:
    metrics = dict.fromkeys(metric for run in content.runs for _, metric, _, _ in run.figures())
    tests = dict.fromkeys(str(test) for suite in content.suites for test in suite.get("tests") or ())
    return glossary(metrics, tests, content.suites)


def _wanted(pairs: PairTable, breaks: Sequence[Breaks], most: int) -> list[int]:
    """Examples for the findings on the page: first one for each, then the second ones, and so on."""
    lists = [
        examples(pairs, found.run, finding.trait, EXAMPLES) for found in breaks for finding in findings_shown(found)
    ]
    return [found[i] for i in range(EXAMPLES) for found in lists if i < len(found)][: most // WANTED_SHARE]


def _subtitle(content: ReportData) -> str:
    runs, results = content.runs, content.runs[0].results
    models = f"{len(runs)} models" if len(runs) > 1 else content.labels[0]
    data = ", ".join(dict.fromkeys(run.data for run in runs))
    source = results.get("data") or {}
    questions = plural(source.get("questions") or 0, str(source.get("counted", "question")))
    suites = ", ".join(suite["name"] for suite in content.suites)
    return f"{models} · {data} · {questions} in the data · {count(content.pair_table.pairs)} pairs asked · {suites}"
