"""Damaged runs and full disks: one line that says what to do, and never the exit code of a failed gate."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askew.cli import main as askew_main
from askew.errors import DataError
from askew.report.load import load_run

QUESTIONS = [
    f'{{"id": {n}, "image": "{n}", "question": "Is it {n}?", "answer": "{"no" if n % 3 else "yes"}"}}\n'
    for n in range(24)
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, ``a`` and ``b``, beside their data."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "q.jsonl").write_text("".join(QUESTIONS))
    for name, answer in (("a", "no"), ("b", "yes")):
        words = ["--data", str(folder / "q.jsonl"), "--suite", "accuracy", "--quiet"]
        assert askew_main(["run", "--model", f"constant:{answer}", *words, "--output", str(folder / name)]) == 0
    return folder


@pytest.fixture
def gate(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """The gate on a copy of a run with changed files: exit code and output."""

    def check(name: str, content: bytes, baseline: bool = True) -> tuple[int, str]:
        copy = tmp_path / "copy"
        shutil.copytree(runs / "a", copy, dirs_exist_ok=True)
        (copy / name).write_bytes(content)
        words = ["gate", str(copy), "--require", "accuracy.all>=0"]
        code = askew_main([*words, "--no-worse-than", str(runs / "b")] if baseline else words)
        return code, capsys.readouterr().err

    return check


def test_the_gate_exits_with_two_for_unreadable_results(gate, runs):
    whole = (runs / "a" / "results.json").read_bytes()
    for content in (b"", b"{", whole[: len(whole) // 2], b"[]", b"null", b"\xff\xfe", b"[" * 5000, whole + b"x"):
        code, said = gate("results.json", content)
        assert code == 2, content[:20]
        assert said.count("\n") == 1
        assert said.startswith("askew gate: ")


def test_refused_questions_may_have_numbers_as_ids(tmp_path):
    """VQA v2's have, and runs of rad on it could not be shown."""
    answers = '["red", "red", "blue", "blue", "blue", "green", "green", "green", "pink", "pink"]'
    asked = f'{{"id": 7, "image": "7", "question": "What color is the cat?", "answers": {answers}}}\n'
    (tmp_path / "q.jsonl").write_text(asked)
    words = ["--data", str(tmp_path / "q.jsonl"), "--suite", "rad:originals=all", "--output", str(tmp_path / "run")]
    assert askew_main(["run", "--model", "constant:yes", *words, "--quiet"]) == 0
    (suite,) = json.loads((tmp_path / "run" / "results.json").read_text())["suites"]
    assert any(7 in record["examples"].values() for record in suite["coverage"])


@pytest.mark.parametrize("part", ["model", "data", "suites", "scores", "failures"])
def test_a_missing_part_is_named(gate, runs, part):
    results = json.loads((runs / "a" / "results.json").read_bytes())
    code, said = gate("results.json", json.dumps(results | {part: 7}).encode(), baseline=False)
    assert code == 2
    assert f"results.json: {part!r} is missing, or not as askew writes it. Run 'askew run'" in said


def test_damaged_rows_are_one_line(gate, runs):
    whole = (runs / "a" / "rows.npz").read_bytes()
    for content in (b"", whole[:-40], whole[:100], b"x" * 300):
        code, said = gate("rows.npz", content)
        assert (code, said.count("\n")) == (2, 1), said
        assert "rows.npz: missing or damaged" in said


def test_half_a_line_of_samples_is_reported_with_its_number(runs, tmp_path):
    whole = (runs / "a" / "samples.jsonl").read_bytes()
    copy = shutil.copytree(runs / "a", tmp_path / "copy")
    for content, words in (
        (whole[:-40], "line 24: not JSON"),
        (whole[:100], "line 1: not JSON"),
        (b'{"group": 1}\n' + whole, "line 1: not an outcome"),
        (whole.split(b"\n", 1)[1], "23 groups, but results.json says 24"),
        (b"\xff\xff\n", "line 1: not JSON"),
    ):
        (copy / "samples.jsonl").write_bytes(content)
        with pytest.raises(DataError, match=words):
            list(load_run(copy).outcomes())


def test_a_damaged_note_of_a_folder_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text("".join(QUESTIONS))
    words = ["run", "--data", "q.jsonl", "--suite", "accuracy", "--quiet", "--output", "out"]
    words += ["--model", "constant:no", "--model", "constant:yes"]
    assert askew_main(words) == 0
    note = Path("out/.askew.json")
    whole = note.read_bytes()
    for content in (b"", whole[:-3], b"7", b"\xff"):
        note.write_bytes(content)
        assert askew_main(words) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert said.startswith("askew run: out: this folder holds files that askew did not write")
        assert "--overwrite" in said
    assert askew_main([*words, "--overwrite"]) == 0
    assert note.read_bytes() == whole


def test_control_c_while_arguments_are_parsed_is_one_line(monkeypatch, capsys):
    def interrupted(parser: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("askew.cli.run.add_options", interrupted)
    assert askew_main(["run", "--data", "x"]) == 130
    assert capsys.readouterr().err == "\nStopped. Nothing was begun.\n"


def test_a_full_disk_is_one_line_with_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text("".join(QUESTIONS))

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    words = ["run", "--data", "q.jsonl", "--suite", "accuracy", "--model", "constant:no", "--output", "out", "--quiet"]
    for name in ("askew.engine.run.save_tables", "askew.engine.run.write_joined"):
        with monkeypatch.context() as patched:
            patched.setattr(name, full)
            assert askew_main(words) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "the disk is full (No space left on device). Make room" in said
    assert askew_main(words) == 0


def test_a_store_on_a_full_disk_is_reported_when_it_is_opened(tmp_path, monkeypatch):
    from askew.engine.store import Store
    from askew.errors import RunError

    for said, free, words in (
        ("database or disk is full", 1 << 30, r"cannot be opened \(database or disk is full\). Make room"),
        ("disk I/O error", 4096, r"cannot be opened \(disk I/O error; the disk is full\). Make room"),
        ("disk I/O error", 1 << 30, r"cannot be opened \(disk I/O error\). Check its permissions"),
    ):

        def full(store: Store, said: str = said) -> None:
            raise sqlite3.OperationalError(said)

        monkeypatch.setattr(Store, "_prepare", full)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        with pytest.raises(RunError, match=words):
            Store(tmp_path / "answers.sqlite")
