"""``askew gate``: exit codes, the files it writes, and that text of models is escaped in them."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from gate_runs import four_runs

from askew.cli import main as askew_main
from askew.gate import Check, Status, junit, markdown, terminal
from askew.gate.baseline import SAME

NASTY = [
    Check("require", 'a<b>&"|`*_\x1b[31m\x00', Status.FAILED, "<script>", "why |\n& not ]]>"),
    Check("require", "fine>=0", Status.PASSED, "1.0", "n = 3."),
    Check("no-worse", "x", Status.SKIPPED, "—", "Too few."),
    Check("no-worse", "y", Status.PASSED, "50.0 (was 40.0)", "Change +10.0."),
]


def test_junit_is_well_formed_xml_whatever_text_it_contains():
    root = ElementTree.fromstring(junit(NASTY, "model <x>\x07 on data"))
    (suite,) = root
    assert root.attrib == {"name": "askew gate", "tests": "4", "failures": "1", "errors": "0", "skipped": "1"}
    assert suite.attrib["name"] == "model <x>� on data"
    first, second, third, _ = suite
    assert first.attrib["name"] == 'a<b>&"|`*_�[31m�'
    assert first[0].tag == "failure"
    assert first[0].text == "<script>. why |\n& not ]]>"
    assert second[0].tag == "system-out"
    assert third[0].tag == "skipped"


def test_markdown_is_escaped():
    text = markdown(NASTY, "m | n")
    assert text.startswith("## ✗ FAILED, 1 of 4 checks: m \\| n\n")
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ✗")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
    assert "<summary>✓ 1 comparison no worse than before, 1 could not be decided</summary>" in text


def test_control_codes_of_models_are_escaped_in_the_terminal():
    text = terminal(NASTY, "m\x1b]0;owned\x07")
    assert "\x1b" not in text
    assert text.endswith("FAILED, 1 of 4 checks: m�]0;owned�")
    assert "\x1b[31m✗" in terminal(NASTY, "m", color=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return four_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture
def command(capsys):
    def call(*words) -> tuple[int, str, str]:
        code = askew_main(["gate", *map(str, words)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_the_command_passes_and_writes(runs, command, tmp_path):
    code, out, _ = command(
        *(runs["good"].folder, "--require", "rad.forward>=0.9", "--no-worse-than", runs["worse"].folder),
        *("--junit", tmp_path / "deep" / "gate.xml", "--summary", tmp_path / "gate.md"),
    )
    assert code == 0
    assert "✓ rad.forward>=0.9   100.0" in out
    assert "PASSED: " in out
    cases = ElementTree.parse(tmp_path / "deep" / "gate.xml").getroot().findall(".//testcase")
    assert {"rad.forward>=0.9", SAME, "rad:rad.forward", "failed answers <= 100.0%"} <= {
        c.attrib["name"] for c in cases
    }
    assert (tmp_path / "gate.md").read_text().startswith("## ✓ PASSED")


def test_the_command_fails_with_one(runs, command, tmp_path):
    code, out, _ = command(runs["worse"].folder, "--no-worse-than", runs["good"].folder, "--junit", tmp_path / "g.xml")
    assert code == 1
    assert "✗ rad:rad.forward   40.0 (was 100.0)" in out
    assert "Significantly worse" in out
    assert int(ElementTree.parse(tmp_path / "g.xml").getroot().attrib["failures"]) > 0
    assert command(runs["worse"].folder, "--require", "rad.forward>=0.5")[0] == 1
    assert command(runs["worse"].folder, "--require", "rad.forward>=0.1", "--max-failures", "0")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Nothing is required"),
        (("--require", "rad.forward"), "is not a requirement"),
        (("--no-worse-than", "nowhere"), "no such file"),
        (("--require", "rad.forward>0", "--alpha", "7"), "alpha is 7.0"),
        (("--require", "rad.forward>0", "--margin", "-1"), "margin is -1.0"),
        (("--require", "rad.forward>0", "--max-failures", "nan"), "max_failures is nan"),
        (("--require", "rad.forward>0", "--max-failures", "2"), "max_failures is 2.0"),
    ],
)
def test_a_wrong_command_exits_with_two(runs, command, words, message):
    code, _, err = command(runs["good"].folder, *words)
    assert code == 2
    assert message in err


def test_requirements_may_be_given_in_a_file(runs, command, tmp_path):
    (tmp_path / "gate.yaml").write_text("require: [rad.forward>=0.8, accuracy.all>=80%]\nby: low\n")
    assert command(runs["good"].folder, "--config", tmp_path / "gate.yaml")[0] == 0
    assert command(runs["worse"].folder, "--config", tmp_path / "gate.yaml")[0] == 1


def test_a_choice_in_a_file_must_be_a_known_one(runs, command, tmp_path):
    (tmp_path / "gate.yaml").write_text("require: rad.forward>=0.8\nby: median\n")
    code, _, err = command(runs["good"].folder, "--config", tmp_path / "gate.yaml")
    assert code == 2
    assert "by is 'median'; it must be one of: value, low." in err


def test_github_s_step_summary_is_added_to_and_other_files_are_replaced(runs, command, tmp_path, monkeypatch):
    step, other = tmp_path / "step.md", tmp_path / "other.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    for path in (step, other):
        path.write_text("before\n")
        assert command(runs["good"].folder, "--require", "rad.forward>=0.9", "--summary", path)[0] == 0
    assert step.read_text().startswith("before\n## ✓ PASSED")
    assert other.read_text().startswith("## ✓ PASSED")


def test_a_gate_is_reproducible(runs, command, tmp_path):
    for name in ("a.xml", "b.xml"):
        command(runs["worse"].folder, "--no-worse-than", runs["good"].folder, "--junit", tmp_path / name)
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_a_gate_reads_results_as_a_run_writes_them(runs):
    """The gate reads what ``run`` writes: these names are the contract."""
    results = json.loads((runs["good"].folder / "results.json").read_text())
    assert {"count", "asked", "limit"} <= set(results["failures"])
    assert "reused" in results["time"]
    assert "metrics" in results["config"]
