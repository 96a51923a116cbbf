"""A plugin package with a suite, a metric, a model and a reader, written as docs/extending.md says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
ENTRY_POINTS = """\
[askew.suite]
shout = zoo.suite:Shout
[askew.metric]
short = zoo.suite:Short
[askew.model]
last-word = zoo.model:LastWord
[askew.reader]
survey = zoo.model:Survey
"""


def example(name: str) -> str:
    """The classes of the page's example that defines this one, without the lines that use them."""
    (block,) = (text for text in re.findall(r"```python\n(.*?)```", PAGE, re.S) if f"class {name}" in text)
    return re.split(r"^(?:result|Image)\b", block, maxsplit=1, flags=re.M)[0]


@pytest.fixture
def askew_with_plugin(tmp_path):
    """Runs a command in a process in which the package is installed; returns its output."""
    site, work = tmp_path / "site", tmp_path / "work"
    (site / "zoo").mkdir(parents=True)
    (site / "zoo" / "__init__.py").touch()
    (site / "zoo" / "suite.py").write_text(example("Shout"), encoding="utf-8")
    (site / "zoo" / "model.py").write_text(example("LastWord"), encoding="utf-8")
    installed = site / "zoo-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    work.mkdir()
    for number in range(12):
        Image.new("RGB", (32, 32), (20 * number, 0, 0)).save(work / f"{number}.png")
    rows = "".join(f"{number}.png,Is number {number} red?,{'yes' if number % 2 else 'no'}\n" for number in range(12))
    (work / "q.csv").write_text(f"photo,asked,said\n{rows}", encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))

    def call(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "askew", *words],
            cwd=work,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    call.folder = work
    return call


def test_components_of_another_package_work_in_every_command(askew_with_plugin):
    call = askew_with_plugin
    for kind, name, summary in (
        ("suite", "shout", "The question in capitals: the answer must stay the same."),
        ("metric", "short", "Share of answers with at most this many letters."),
        ("model", "last-word", "Answers with the question's last word."),
        ("reader", "survey", "Questions from a CSV file with the columns photo, asked and said."),
    ):
        assert f"{name}\n    {summary}" in call("ls", kind)
    asked = ("--data", "survey:q.csv", "--suite", "shout:marks=3", "--metric", "short:letters=2", "--output", "runs")
    said = call("run", "--model", "last-word", "--model", "constant:no", *asked, "--quiet")
    assert "Shouted questions" in said
    runs = ("runs/last-word", "runs/constant-no")
    said = call("compare", *runs, "--output", "compared")
    assert "short:letters=2" in said
    assert "is not compared" not in said
    said = call("gate", runs[1], "--require", "cons>=1", "--no-worse-than", runs[0], "--metric", "short")
    assert "✓ shout:short" in said
    call("report", *runs, "--output", "page/report.html")
    page = (call.folder / "page" / "report.html").read_text(encoding="utf-8")
    assert "Shouted questions" in page
    assert "last-word" in page


def test_benchmarks_of_another_package_are_built(askew_with_plugin):
    said = askew_with_plugin("build", "shout", "--data", "survey:q.csv", "--output", "bench", "--quiet")
    assert "12 groups with 12 variants, from 12 questions" in said
