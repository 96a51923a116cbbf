from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from unicodedata import east_asian_width

import orjson
import pytest
from fake_runs import make_run

from askew.report.load import Run, load_run
from askew.report.terminal import terminal_headlines, terminal_summary


def width(line: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("names", [["prior"], ["prior", "a-very-long-model-name-" * 4, "猫" * 40]])
def test_the_summary_fits_the_width(tmp_path: Path, names: list[str], columns: int) -> None:
    suites = ("rad", "carets", "rscore")
    runs = [
        load_run(make_run(tmp_path / str(number), name, suites, groups=40, images=False))
        for number, name in enumerate(names)
    ]
    assert max(map(width, terminal_summary(runs, [], columns).splitlines())) <= columns


def test_long_names_with_the_same_beginning_stay_distinct(tmp_path: Path) -> None:
    """Two prompts of one endpoint: if names were cut at the end, both lines would be the same."""
    prompts = ("{question} One word.", "{question} A short phrase.")
    runs = [
        load_run(make_run(tmp_path / str(n), f"openai:toy,prompt={prompt}", groups=40, images=False))
        for n, prompt in enumerate(prompts)
    ]
    for shown in (terminal_summary(runs), terminal_headlines(runs, width=60)):
        assert "One word." in shown
        assert "t phrase." in shown


def test_value_interval_n_and_failed(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=300, failures=0.05, images=False))
    figure = run.score("rad", "rad.forward")
    (line,) = [line for line in terminal_summary([run]).splitlines() if line.startswith("RAD  ")]
    assert figure.interval.count("–") == 1
    assert line.split() == ["RAD", f"{100 * figure.value:.1f}", figure.interval, str(figure.n), str(figure.failed)]


def test_scores_measured_in_different_ways_are_listed(tmp_path: Path) -> None:
    """RAD by the modal answer and RAD by any answer: 76.9 and 85.0 for the same answers."""
    run = load_run(make_run(tmp_path / "a", groups=30, images=False))
    scores = [
        score | {"signature": "Rad(correct='any')"} if score["metric"] == "rad.forward" else score
        for score in run.results["scores"]
    ]
    other = Run(run.folder, {**run.results, "scores": scores})
    assert "not comparable: RAD (rad)" in terminal_summary([run, other])
    assert "not comparable" not in terminal_summary([run, run])


def test_signatures_of_older_runs_lack_the_reference_rule_and_are_still_comparable(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=30, images=False))
    scores = [s | {"signature": f"{s['signature']}; references=matches/min(3, n)"} for s in run.results["scores"]]
    assert "not comparable" not in terminal_summary([run, Run(run.folder, {**run.results, "scores": scores})])


def test_metrics_with_nothing_to_measure_are_listed(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=30, images=False))
    flips = {"suite": "rad", "metric": "flips", "part": "", "value": None, "low": None, "high": None, "n": 0}
    for failed, named in ((0, True), (3, False)):
        other = Run(run.folder, {**run.results, "scores": [*run.results["scores"], flips | {"failed": failed}]})
        assert ("nothing to measure it on: Flips (rad)" in terminal_summary([other])) is named


def test_arrows_point_the_right_way_whichever_comes_first(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=60, images=False)) for m in ("a", "b", "c")]
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
    # neither better nor worse: rates of answers or flips have arrows too
    assert lines[-2] == "▲ ▼ higher or lower (Holm-corrected p < 0.05) than a"
    assert lines[-1] == "Holm's families: all (3)."
    untested = [item | {"family": "headline", "family_size": 0} for item in differences]
    assert "Holm's families: headline (0)." in terminal_summary(runs, untested)


def test_control_characters_in_names_are_not_printed(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / str(i), f"\x1b]0;evil\x07{i}\r\n", groups=10, images=False)) for i in (1, 2)]
    text = terminal_summary(runs)
    assert not any(character in text for character in "\x1b\x07\r")


def test_one_run_has_a_row_for_each_suite(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=40, failures=0.05, images=False))
    (line,) = [line for line in terminal_headlines([run]).splitlines() if line.startswith("Asked as yes/no (RAD)")]
    score = run.score("rad", "rad.forward")
    assert line.split()[4:] == [score.short, score.interval, str(score.n), str(score.failed)]


def test_the_choice_comes_first_and_intervals_stand_beside_values_if_there_is_room(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / name, name, groups=40, images=False)) for name in ("a", "b")]
    score = runs[0].score("rad", "rad.forward")
    for width, beside in ((80, True), (52, False)):
        lines = terminal_headlines(runs, width=width).splitlines()
        assert lines[0].split()[0] in ("No", "Choose", "a", "b")
        (row,) = [line for line in lines if line.startswith("Asked as yes/no")]
        assert (f"{score.short} {score.interval}" in row) is beside


@pytest.mark.parametrize("names", [["prior"], ["prior", "a-very-long-model-name-" * 4, "b", "c", "d"]])
def test_headlines_have_their_interval_below_and_fit(tmp_path: Path, names: list[str]) -> None:
    suites = ("rad", "carets", "rscore")
    runs = [
        load_run(make_run(tmp_path / str(number), name, suites, groups=40, images=False))
        for number, name in enumerate(names)
    ]
    lines = terminal_headlines(runs).splitlines()
    assert max(map(width, lines)) <= 80
    told = " ".join(f"{line} {below}" for line, below in pairwise(lines) if line.startswith("Asked as yes/no"))
    scores = [run.score("rad", "rad.forward") for run in runs]
    assert all(score.short in told and score.interval in told for score in scores)
    assert "Share of the data's questions asked: rad " in " ".join(lines)


def test_missing_answers_are_reported_though_no_group_is_left_out(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", groups=40, failures=0.0, images=False)
    whole = terminal_summary([load_run(folder)])
    results = orjson.loads((folder / "results.json").read_bytes())
    results["failures"] = {"count": 3, "asked": 80, "by_error": {"timeout": 3}, "limit": 0.05}
    (folder / "results.json").write_bytes(orjson.dumps(results))
    assert "No answer" not in whole
    assert "No answer to 3 of 80 requests: prior\n" in terminal_summary([load_run(folder)])


def test_every_number_is_labelled_though_the_first_run_lacks_the_suite(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / s, s, (s,), groups=12, images=False)) for s in ("rad", "carets")]
    lines = terminal_summary(runs).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("carets: "))
    assert lines[start + 2].split()[:2] == ["Accuracy", "carets"]


def test_every_suite_says_what_it_covers_and_why_not_more(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", suites=("rad", "carets"), groups=40, images=False))
    suites = [suite | {"images": 12} for suite in run.suites]
    text = terminal_summary([Run(run.folder, {**run.results, "suites": suites})])
    said = "Asks 40 of 40 questions on 12 images, 40 variants; refused: the answer is not"
    assert [line for line in text.splitlines() if line.startswith("Asks")] == [said, said]
    assert "one word (45), people disagree (15)." in text
    assert "Only" not in text


def test_too_few_images_are_reported(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=40, images=False))
    suites = [suite | {"images": 4} for suite in run.suites]
    assert "Only 4 images: with fewer than 10, how far chance" in terminal_summary(
        [Run(run.folder, {**run.results, "suites": suites})]
    )


def test_a_suite_without_groups_has_a_warning_instead_of_dashes(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=40, images=False))
    empty = {"name": "visual", "title": "Hidden", "groups": 0, "coverage": [{"refused": {"no scene": 40}}]}
    both = Run(run.folder, {**run.results, "suites": [*run.suites, empty]})
    for text in (terminal_summary([both]), terminal_headlines([both])):
        assert "Warning: The suite visual made no group from 40 questions" in text
        assert "refused: no scene (40)" in " ".join(text.split())


def test_every_comparison_says_what_it_could_have_detected(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=60, images=False)) for m in ("a", "b")]
    base = {"suite": "rad", "part": "", "a": "a", "b": "b", "difference": 0.02, "p_holm": 0.6, "p": 0.6, "n": 60}
    differences = [
        base | {"metric": "rad.forward", "detectable": 0.1234, "family": "headline", "family_size": 1},
        base | {"metric": "cs.2", "detectable": float("nan"), "family": "others", "family_size": 0},
    ]
    lines = terminal_summary(runs, differences).splitlines()
    assert max(map(width, lines)) <= 80
    start = next(number for number, line in enumerate(lines) if line.startswith("RAD  "))
    assert lines[start + 1].endswith(" 12.3"), "of b against a"
    assert not lines[start].endswith("12.3")
    assert "detects: the smallest difference from a that is found in 80 % of cases" in lines
    brief = " ".join(terminal_headlines(runs, differences).split())
    assert "Smallest differences that are found in 80 % of cases: Asked as yes/no 12." in brief
    assert "detects" not in terminal_summary(runs[:1])
