"""Run docs/notebook.ipynb from top to bottom, store its outputs, and write it as a page too: docs/notebook.md.

Run ``python tools/notebook.py`` after changing the notebook or anything that it shows. Cells run in one process without
Jupyter; the last expression of a cell is shown as Jupyter would show it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOK, PAGE = DOCS / "notebook.ipynb", DOCS / "notebook.md"
NOT_RUN = "<!-- not run: tests/test_notebook.py runs the notebook -->"


def read(path: Path = NOTEBOOK) -> dict[str, Any]:
    """The notebook as JSON."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells; an exception in a cell is raised."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = {**cell, "execution_count": count, "outputs": _outputs("".join(cell["source"]), names, count)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(True)})
    if shown is not None:
        data = {"text/plain": str(shown).splitlines(True)}
        if hasattr(shown, "_repr_html_"):
            data["text/html"] = [" ".join(shown._repr_html_().splitlines())]
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def page(notebook: dict[str, Any]) -> str:
    """The notebook as a page of the documentation."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"{NOT_RUN}\n```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            text = "".join(output.get("text") or data.get("text/plain", ()))
            html = "".join(data.get("text/html", ()))
            parts.append(f"<div>{html}</div>" if html else f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Run, store, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        done = run(read())
    NOTEBOOK.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(done), encoding="utf-8")


if __name__ == "__main__":
    main()
