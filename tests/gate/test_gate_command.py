"""``askew gate``: exit codes, the files it writes, and that text of models is escaped in them."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from gate_runs import four_runs, made, script

from askew.cli import main as askew_main
from askew.gate import Check, Status, junit, markdown, terminal
from askew.gate.baseline import SAME

NASTY = [
    Check("require", 'a<b>&"|`*_\x1b[31m\x00', Status.FAILED, "<script>", "why |\n& not ]]>"),
    Check("require", "fine>=0", Status.PASSED, "1.0", "n = 3."),
    Check("no-worse", "x", Status.SKIPPED, "—", "Too few."),
    Check("others", "y", Status.PASSED, "50.0 (was 40.0)", "Loss −10.0."),
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
    assert text.startswith("## ✗ FAILED, 1 of 3 checks: m \\| n\n")
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ✗")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
    assert "<summary>1 other comparison, none significantly worse</summary>" in text


def test_an_undecided_check_is_an_error_of_junit_and_its_reason_is_told():
    cells = ("50.0", "52.0", "2.0 (−1.0 to 5.0)", "4.3")
    why = (
        "Undecided, n too small: a loss of 4.3 points could not have been seen. About 930 images are needed. Loss 2.0."
    )
    checks = [Check("no-worse", "x", Status.UNDECIDED, "50.0 (was 52.0)", why, cells)]
    root = ElementTree.fromstring(junit(checks, "m"))
    assert root.attrib["errors"] == "1"
    assert root[0][0][0].tag == "error"
    shown = terminal(checks, "m")
    assert shown.startswith("UNDECIDED, 1 of 1 check: m\n")
    assert "\n    Undecided, n too small: a loss of 4.3 points could not have been seen.\n" in shown


def test_the_terminal_has_twenty_lines_at_most_the_verdict_first_and_no_line_too_wide():
    """Comparisons filled several screens, and the verdict was below them all."""
    cells = ("50.0", "52.0", "2.0 (−10.0 to 50.0)", "24.3")
    for failing, passing, look, required in ((40, 40, 100, 0), (2, 3, 100, 12), (0, 30, 0, 3), (1, 0, 4, 1)):
        checks = [Check("no-worse", f"suite:worse-{n}", Status.FAILED, "1", "Worse.", cells) for n in range(failing)]
        checks += [Check("no-worse", f"suite:fine-{n}", Status.PASSED, "1", "Fine.", cells) for n in range(passing)]
        checks += [Check("others", f"suite:other-{n}@test=x", Status.LOOK, "1", "Worse.", cells) for n in range(look)]
        checks += [Check("require", f"a{n}>=0.5", Status.FAILED, "0.4", "It is not. " * 30) for n in range(required)]
        for width in (80, 120):
            lines = terminal(checks, "a model", width, notes=["Of equally good runs, at most 5 % fail. " * 4]).split(
                "\n"
            )
            assert len(lines) <= 20
            assert max(map(len, lines)) <= width
            assert lines[0].startswith("FAILED, " if failing + required else "PASSED, ")
            assert any("suite:other-0" in line for line in lines) == bool(look)
            assert any("worse-0" in line for line in lines) == bool(failing)
            assert lines[-1].startswith("Of equally") or "equally good runs" in " ".join(lines[-3:])


def test_control_codes_of_models_are_escaped_in_the_terminal():
    text = terminal(NASTY, "m\x1b]0;owned\x07")
    assert "\x1b" not in text
    assert text.startswith("FAILED, 1 of 3 checks: m�]0;owned�\n")
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
    assert out.startswith("PASSED, 5 of 5 checks: ")
    cases = ElementTree.parse(tmp_path / "deep" / "gate.xml").getroot().findall(".//testcase")
    assert {"rad.forward>=0.9", SAME, "rad:rad.forward", "failed answers <= 100.0%"} <= {
        c.attrib["name"] for c in cases
    }
    assert (tmp_path / "gate.md").read_text().startswith("## ✓ PASSED")


def test_the_command_fails_with_one(runs, command, tmp_path):
    code, out, _ = command(runs["worse"].folder, "--no-worse-than", runs["good"].folder, "--junit", tmp_path / "g.xml")
    assert code == 1
    assert out.startswith("FAILED, 1 of 4 checks: ")
    assert re.search(r"✗ rad:rad.forward +40.0  100.0 +60.0 \(\d+.\d to \d+.\d\) +\d+", out)
    assert "Of equally good runs, at most 5 % fail: 2 comparisons" in out
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
        (("--require", "rad.forward>0", "--margin", "-1"), "the margin is in points, from 0.1 to 100."),
        (("--require", "rad.forward>0", "--margin", "0.02"), "Write 2 for 2 points."),
        (("--require", "rad.forward>0", "--margin", "0"), "Leave --margin out"),
        (("--require", "rad.forward>=80"), "Write 80 % or 0.8"),
        (("--require", "rad.foward>=0.8"), "Did you mean rad.forward"),
        (("--require", "rad.forward>0", "--max-failures", "nan"), "max_failures is nan"),
        (("--require", "rad.forward>0", "--max-failures", "2"), "max_failures is 2.0"),
    ],
)
def test_a_wrong_command_exits_with_two(runs, command, words, message):
    code, _, err = command(runs["good"].folder, *words)
    assert code == 2
    assert message in err


def test_what_cannot_be_decided_exits_with_two(runs, command, tmp_path):
    few = made(tmp_path / "few", script(), limit=9)
    code, out, _ = command(few.folder, "--no-worse-than", few.folder)
    assert code == 2
    assert out.startswith("UNDECIDED, 2 of 4 checks: ")
    assert command(runs["nearly"].folder, "--no-worse-than", runs["good"].folder)[0] == 0
    code, out, _ = command(runs["nearly"].folder, "--no-worse-than", runs["good"].folder, "--margin", "2")
    assert code == 2
    assert "could not have been seen" in out
    assert command(runs["good"].folder, "--no-worse-than", few.folder)[0] == 2, "too few groups in both"
    code, out, _ = command(few.folder, "--no-worse-than", runs["good"].folder)
    assert (code, "cannot be compared" in out) == (2, True)


def test_all_lets_every_comparison_count_and_says_how_often_equal_runs_fail(runs, command):
    code, out, _ = command(runs["bad"].folder, "--no-worse-than", runs["good"].folder, "--all")
    assert code == 1
    assert "✗ rad:cs.2" in out
    assert re.search(r"--all: \d+ comparisons in \d families count\. Of equally good runs,\s\d+\.\d % would fail", out)


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
