"""The page of threats names tests that exist, each with its file."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "collect-threats.md"


def test_every_test_that_the_page_of_threats_names_exists():
    named = re.findall(r"`((?:web/)?test_\w+\.py)::(test_\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 50
    missing = [
        f"{file}::{test}" for file, test in named if f"def {test}(" not in (HERE / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_every_row_of_the_page_of_threats_names_a_test():
    text, _, _ = PAGE.read_text(encoding="utf-8").partition("## Accepted risks")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "| --- |" not in line]
    without = [line for line in rows if "::test_" not in line and not line.startswith("| what was tried")]
    assert without == []
