"""The README's table of the demo agrees with what the reference models answer now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import askew

README = Path(__file__).parent.parent / "README.md"
MODELS = {"XNM + Q3R": "xnm-q3r", "XNM": "xnm", "CNN+LSTM": "cnn-lstm", "language": "language"}
ROWS = {
    "Accuracy": ("accuracy.all", "accuracy"),
    "Asked as yes/no": ("rad.forward", "rad"),
    "Words replaced": ("cs.2", "p2"),
}
ROUNDED = 0.6
"""In points. Last bits of another processor may turn an answer or two; another set of questions changes more."""


def test_the_table_of_the_readme_is_that_of_the_demo():
    pytest.importorskip("onnxruntime", reason="the reference models need the extra bundled")
    pytest.importorskip("spacy", reason="RAD and P2 need the extra language")
    table = re.search(r"^ +XNM \+ Q3R .*?```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
    assert re.split(r"\s{2,}", table.splitlines()[0].strip()) == list(MODELS)
    found = askew.evaluate(
        [f"bundled:{name}" for name in MODELS.values()], "world:val,scenes=400", ["accuracy", "rad", "p2"], quiet=True
    )
    for label, (metric, suite) in ROWS.items():
        shown = re.search(rf"^{label} +(.*)$", table, re.MULTILINE)[1]
        values = [float(value) for value in shown.split()]
        assert [100 * run.score(metric, suite=suite).value for run in found] == pytest.approx(values, abs=ROUNDED), (
            label
        )
