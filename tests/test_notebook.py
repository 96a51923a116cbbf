"""The example notebook runs from top to bottom, and the page shows what is stored in it."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tool():
    spec = spec_from_file_location("notebook_tool", ROOT / "tools" / "notebook.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kinds(notebook):
    """For each cell, the kinds of its outputs."""
    return [
        [sorted(output.get("data", {output["output_type"]: None})) for output in cell.get("outputs", ())]
        for cell in notebook["cells"]
    ]


def test_the_notebook_runs_and_shows_what_is_stored(tool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored = tool.read()
    done = tool.run(stored)
    assert kinds(done) == kinds(stored)
    assert ["text/html", "text/plain"] in [kind for cell in kinds(stored) for kind in cell], (
        "a result is shown as the first screen of the report"
    )
    assert done["nbformat"] == 4
    assert [cell["execution_count"] for cell in done["cells"] if cell["cell_type"] == "code"] == [1, 2, 3, 4, 5]


def test_the_page_is_that_of_the_notebook(tool):
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(tool.read()), "run: python tools/notebook.py"


def test_an_exception_in_a_cell_is_raised(tool):
    with pytest.raises(ZeroDivisionError):
        tool.run({"cells": [{"cell_type": "code", "source": ["1 / 0"]}]})
