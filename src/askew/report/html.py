"""The HTML report: one self-contained file, without network access or a framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import orjson

from askew.files.read_write import write_joined
from askew.report.attack_section import attack_section
from askew.report.breaks import Breaks, breaks_section, examples, find_breaks, findings_shown
from askew.report.caveats import plural
from askew.report.charts import charts_section
from askew.report.confidence_section import calibration_section
from askew.report.first_screen import first_screen
from askew.report.load import Run, labels
from askew.report.markup import Html, el, framed, join, own, part
from askew.report.pair_table import PairTable, read_pairs
from askew.report.pair_viewer import Sample, choose, draw_sample, pairs_section
from askew.report.paper_tables import latex_tables, markdown_tables, tables_section
from askew.report.provenance import provenance_section
from askew.report.report_data import ReportData
from askew.report.score_display import count
from askew.report.thumbnails import Thumbnails

MOST_PAIRS = 400
"""The number of pairs in the viewer."""

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
    content, breaks = ReportData(runs, differences, pairs), find_breaks(pairs)
    sample = draw_sample(pairs, choose(pairs, most, _wanted(pairs, breaks, most)), Thumbnails())
    sections = [
        ("verdict", "Verdict", first_screen(content, breaks)),
        ("picture", "Charts", charts_section(content)),
        ("tables", "Tables", tables_section(content)),
        ("breaks", "What breaks it", breaks_section(content, breaks)),
        *([("attacks", "Attacks", attacked)] if (attacked := attack_section(content)) else []),
        *([("confidence", "Confidence", sure)] if (sure := calibration_section(content)) else []),
        ("pairs", "The pairs", pairs_section(content, sample)),
        ("made", "How it was made", provenance_section(content)),
    ]
    script = part("app.js")
    body = Template(part("template.html")).substitute(
        links=join(*(el("a", heading, href=f"#{name}") for name, heading, _ in sections)),
        sections=join(*(_section(*section) for section in sections)),
        data=script_json(_data(content, sample)),
        script=script,
    )
    return framed(
        body,
        title=page_title(runs),
        eyebrow="askew report",
        heading="Do the answers change as they should?",
        subtitle=_subtitle(content),
        first="verdict",
        allowed=("img-src data:", own("script", script)),
    )


def page_title(runs: Sequence[Run]) -> str:
    """The title of the page of these runs."""
    return "askew: " + ", ".join(labels(runs))


def script_json(data: Any) -> str:
    r"""JSON that is safe anywhere in a page: nothing in it can close the script element.

    >>> script_json({"q": "</script>\u2028"})
    '{"q":"\\u003c/script\\u003e\\u2028"}'
    """
    text = orjson.dumps(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _section(name: str, heading: str, inner: Html) -> Html:
    return el("section", el("h2", heading), inner, id=name, class_="part")


def _data(content: ReportData, sample: Sample) -> dict[str, Any]:
    return {"models": content.labels, "pairs": sample.pairs, "pictures": sample.album.images}


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
