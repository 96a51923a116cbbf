"""The figures of the reference models in the pages of the suites are those of the code as it is.

A comment names suite, data and metrics; the table after it has a row for each model: ``<!-- figures of prompts on
world:val,scenes=200: accuracy.original, prompts.worst -->``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import askew

DOCS = Path(__file__).parent.parent / "docs"
COMMENT = re.compile(r"^<!-- figures of (\S+) on (\S+): (.+) -->\n((?:\|.*\n)+)", re.MULTILINE)
TABLES = [(page.name, *found) for page in sorted(DOCS.glob("*.md")) for found in COMMENT.findall(page.read_text())]
ROUNDED = 0.6
"""In points. Last bits of another processor may turn an answer or two."""


@pytest.mark.parametrize(("page", "suite", "data", "metrics", "table"), TABLES, ids=lambda value: value[:20])
def test_figures_are_current(page, suite, data, metrics, table):
    pytest.importorskip("onnxruntime", reason="the reference models need the extra bundled")
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()[2:]]
    models, names = [row[0].strip("`") for row in rows], metrics.split(", ")
    found = askew.evaluate([f"bundled:{name}" for name in models], data, suite, quiet=True)
    now = [[100 * run.score(name).value for name in names] for run in found]
    shown = [[float(cell.replace("−", "-") or "nan") for cell in row[1:]] for row in rows]
    lines = [
        " | ".join([f"| `{m}`", *(f"{v:.1f}".replace("-", "−") for v in r)]) for m, r in zip(models, now, strict=True)
    ]
    for before, after in zip(shown, now, strict=True):
        assert before == pytest.approx(after, abs=ROUNDED), f"{page} now has:\n" + " |\n".join(lines) + " |"


def test_figures_are_found():
    assert TABLES
