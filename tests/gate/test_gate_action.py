"""The action for GitHub: its step, run in bash as a runner would."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from askew.cli import main

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
STEP = ACTION["runs"]["steps"][-1]
BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("action")
    lines = [f'{{"id": {number}, "question": "Is it thing {number}?", "answer": "no"}}' for number in range(6)]
    (folder / "q.jsonl").write_text("\n".join(lines))
    for name, answer in (("new", "yes"), ("old run", "no")):
        command = ["run", "--model", f"constant:{answer}", "--data", str(folder / "q.jsonl"), "--suite", "accuracy"]
        assert main([*command, "--output", str(folder / name), "--quiet"]) == 0
    return folder


def step(folder, **given):
    """The exit code and the verdict of the step with these inputs, those left out as in the action."""
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | given
    values = {name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) }}", text)[1] for name, text in STEP["env"].items()}
    files = {name: folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for path in files.values():
        path.write_text("")
    environment = {name: inputs[value] for name, value in values.items()} | {k: str(v) for k, v in files.items()}
    program = f'askew() {{ "{sys.executable}" -m askew "$@"; }}\n{STEP["run"]}'
    environment |= {"PYTHONPATH": str(Path(main.__code__.co_filename).parents[2]), "HOME": str(folder), "PATH": "/bin"}
    done = subprocess.run([BASH, "-eo", "pipefail", "-c", program], cwd=folder, env=environment, capture_output=True)
    verdict = re.fullmatch("verdict=(.*)\n", files["GITHUB_OUTPUT"].read_text())[1]
    return done.returncode, verdict, files["GITHUB_STEP_SUMMARY"].read_text()


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_the_action_passes_fails_and_tells_an_undecided_gate_from_a_wrong_command(folder):
    code, verdict, summary = step(folder, run="new", require="accuracy.all>=0\n\naccuracy.all <= 100%\n")
    assert (code, verdict) == (0, "passed")
    assert summary.count("accuracy.all") == 2
    assert (folder / "gate.xml").is_file()
    assert step(folder, run="new", require="accuracy.all>=0.99")[:2] == (1, "failed")
    baseline = {"run": "new", "no-worse-than": "old run"}
    assert step(folder, **baseline, undecided="pass")[:2] == (0, "undecided"), "six questions are too few"
    assert step(folder, run="$(touch hurt)", undecided="pass")[:2] == (2, "")
    assert not (folder / "hurt").exists()
