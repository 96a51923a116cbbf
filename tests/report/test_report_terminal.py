from __future__ import annotations

from pathlib import Path
from unicodedata import east_asian_width

import pytest
from fake_runs import make_run

from askew.report.load import load_run
from askew.report.terminal import terminal_headlines, terminal_summary


def width(line: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("names", [["prior"], ["prior", "a-very-long-model-name-" * 4, "猫" * 40]])
def test_it_fits(tmp_path: Path, names: list[str], columns: int) -> None:
    suites = ("rad", "carets", "rscore")
    runs = [
        load_run(make_run(tmp_path / str(number), name, suites, groups=40, pictures=False))
        for number, name in enumerate(names)
    ]
    assert max(map(width, terminal_summary(runs, [], columns).splitlines())) <= columns


def test_value_half_interval_n_and_failed(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=300, failures=0.05, pictures=False))
    figure = run.figure("rad", "rad.forward")
    (line,) = [line for line in terminal_summary([run]).splitlines() if line.startswith("RAD  ")]
    half = 100 * (figure.high - figure.low) / 2
    assert line.split() == ["RAD", f"{100 * figure.value:.1f}", "±", f"{half:.1f}", str(figure.n), str(figure.failed)]


def test_a_clear_gap_has_an_arrow(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=600, skill=0.9, steady=0.4, pictures=False))
    (line,) = [line for line in terminal_summary([run]).splitlines() if line.startswith("Gap")]
    assert line.endswith("▼")


def test_arrows_point_the_right_way_whichever_comes_first(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=60, pictures=False)) for m in ("a", "b", "c")]
    base = {"suite": "rad", "part": "", "metric": "rad.forward", "low": 0.1, "high": 0.3, "p": 0.001, "n": 60}
    differences = [
        base | {"a": "a", "b": "b", "difference": 0.2, "p_holm": 0.01},
        base | {"a": "c", "b": "a", "difference": 0.2, "p_holm": 0.01},
        base | {"a": "a", "b": "c", "difference": -0.2, "p_holm": 0.9},
    ]
    lines = terminal_summary(runs, differences).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("RAD  "))
    assert [line[-1] in "▲▼" and line[-1] for line in lines[start : start + 3]] == [False, "▼", "▲"]
    assert "\x1b[32m▲" in terminal_summary(runs, differences, color=True)


def test_a_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / str(i), f"\x1b]0;evil\x07{i}\r\n", groups=10, pictures=False)) for i in (1, 2)]
    text = terminal_summary(runs)
    assert not any(character in text for character in "\x1b\x07\r")


@pytest.mark.parametrize("names", [["prior"], ["prior", "a-very-long-model-name-" * 4, "b", "c", "d"]])
def test_headlines_are_one_line_a_suite_and_fit(tmp_path: Path, names: list[str]) -> None:
    suites = ("rad", "carets", "rscore")
    runs = [
        load_run(make_run(tmp_path / str(number), name, suites, groups=40, pictures=False))
        for number, name in enumerate(names)
    ]
    lines = terminal_headlines(runs).splitlines()
    assert max(map(width, lines)) <= 80
    (line,) = [line for line in lines if line.startswith("rad:")]
    assert line.split()[-len(runs) :] == [run.figure("rad", "rad.forward").short for run in runs]
