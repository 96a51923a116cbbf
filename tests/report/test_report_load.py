from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from fake_runs import make_run

from askew.errors import BadRecord, DataError
from askew.report.load import Run, labels, load_run, suites_of


def test_a_run_is_read_back(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", "prior", groups=9, failures=0))
    assert (run.model, run.data) == ("prior", "world/val")
    assert run.score("rad", "rad.forward").n == sum(r["original"]["right"] for _, r in run.outcomes())
    assert not run.score("rad", "no.such").known


def test_outcomes_are_read_by_their_position(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=5))
    lines = list(run.outcomes())
    assert [record["group"] for _, record in lines] == [0, 1, 2, 3, 4]
    assert [orjson.loads(line)["group"] for line in run.lines_at([lines[3][0], lines[1][0]])] == [3, 1]


def test_missing_files_are_reported_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"results\.json: no such file\. Give the folder that 'askew run --output' wrote"
    ):
        load_run(tmp_path)
    for name in ("samples.jsonl", "rows.npz"):
        folder = make_run(tmp_path / name, groups=3)
        (folder / name).unlink()
        with pytest.raises(DataError, match=f"there is no {name} beside results.json. Run 'askew run'"):
            load_run(folder)


def test_rows_of_another_run_are_refused(tmp_path: Path) -> None:
    folder, other = make_run(tmp_path / "a", groups=3), make_run(tmp_path / "b", groups=4)
    (other / "rows.npz").replace(folder / "rows.npz")
    with pytest.raises(DataError, match=r"rows\.npz: it belongs to another run than results\.json"):
        _ = load_run(folder).tables


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a results.json of askew"),
        (b'{"format": 1}', "format 1, but this version of askew reads format 2. Run 'askew run' with this --output"),
        (b'{"format": 2, "model": {"name": "m"}, "data": {}}', "'suites' is missing"),
        (b'{"format": 2, "model": {}, "suites": [], "scores": []}', "'data' is missing"),
        (b'{"format": 2, "model": {"name": "m"}, "data": {}, "suites": 7}', "'suites' is missing, or not as askew"),
    ],
)
def test_unusable_results_are_refused(tmp_path: Path, text: bytes, said: str) -> None:
    (tmp_path / "results.json").write_bytes(text)
    with pytest.raises(DataError, match=said):
        load_run(tmp_path)


@pytest.mark.parametrize("line", [b'{"group": 1, "orig', b"[1]\n", b'{"group": 1}\n', b'{"original": 3}\n'])
def test_the_error_names_the_broken_line(tmp_path: Path, line: bytes) -> None:
    folder = make_run(tmp_path / "a", groups=2)
    with (folder / "samples.jsonl").open("ab") as file:
        file.write(line)
    with pytest.raises(BadRecord, match=r"samples\.jsonl, line 3"):
        list(load_run(folder).outcomes())


def named(model: str, data: str, folder: str = "") -> Run:
    return Run(Path(folder), orjson.loads(orjson.dumps({"model": {"name": model}, "data": {"name": data}})))


def test_suites_have_the_order_of_the_first_run() -> None:
    runs = [
        Run(Path("runs"), {"suites": [{"name": name, "run": number} for name in names]})
        for number, names in enumerate((("rad", "p2"), ("basic", "p2", "rad")))
    ]
    assert [(suite["name"], suite["run"]) for suite in suites_of(runs)] == [("rad", 0), ("p2", 0), ("basic", 1)]


def test_labels_tell_runs_apart() -> None:
    assert labels([named("a", "x"), named("b", "x")]) == ["a", "b"]
    assert labels([named("a", "x"), named("a", "y"), named("b", "y")]) == ["a on x", "a on y", "b"]
    assert labels([named("a", "x"), named("a", "x")]) == ["a on x (1)", "a on x (2)"]
    assert labels([named("a", "x", "runs/new"), named("a", "x", "released")]) == ["a on x (new)", "a on x (released)"]
    assert labels([named("a", "x", "new/run"), named("a", "x", "old/run")]) == ["a on x (1)", "a on x (2)"]
