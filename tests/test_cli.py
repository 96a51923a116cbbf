"""The command line when its output cannot be written, and when extras are not installed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from askew import errors
from askew.cli import main
from askew.errors import MissingExtra, need_extras
from askew.experiments import experiment
from running import write_questions

RUN = "--model constant:yes --data q.jsonl --suite accuracy --quiet"
GATE = ("--require", "accuracy.all>=0")


class Unread(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, text):
        raise BrokenPipeError


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A folder with a run that passes its gate."""
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 6)
    assert main(["run", *RUN.split(), "--output", "o"]) == 0
    return "o"


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_terminal_without_the_check_mark_character_does_not_fail_the_gate(run, monkeypatch, errors):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", errors=errors))
    assert main(["gate", run, *GATE]) == 0
    sys.stdout.flush()
    assert b"+ accuracy.all>=0" in written.getvalue()
    assert b"PASSED" in written.getvalue()


def test_a_closed_stdout_does_not_fail_the_gate(run, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["gate", run, *GATE]) == 0
    sys.stdout.close()


def test_a_closed_pipe_is_not_a_verdict_of_the_gate(run, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Unread())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert main(["gate", run, *GATE]) == 141


@pytest.fixture
def bare(monkeypatch):
    """As if no extra was installed."""
    monkeypatch.setattr(errors, "find_spec", lambda name: None)


def test_all_missing_extras_are_named_at_once(bare, tmp_path, capsys):
    assert main(["demo", "--output", str(tmp_path / "demo")]) == 2
    assert "pip install 'askew[bundled,language,rank,translate]'" in capsys.readouterr().err
    assert main(["experiment", "q3r", "--output", str(tmp_path / "q3r")]) == 2
    assert "pip install 'askew[bundled,language,train]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_experiment_asks_only_for_what_it_needs(bare):
    with pytest.raises(MissingExtra, match=r"askew\[bundled,language,train\]"):
        experiment("q3r")
    with pytest.raises(MissingExtra, match=r"askew\[bundled,collect,language,train\]"):
        experiment("adversarial-rounds")


def test_installed_extras_are_not_asked_for(monkeypatch):
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == "numba" else object())
    with pytest.raises(MissingExtra, match=r"needs 'numba'.*'askew\[rank\]'"):
        need_extras("This", "language", "rank", "train")


def test_an_output_folder_may_have_any_bytes_in_its_name(run, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["askew", "run", *RUN.split(), "--output", "l\udcfc"])
    assert main() == 0


def test_the_papers_figures_can_be_left_out_by_every_command_that_writes_tables(tmp_path):
    def tables(*words) -> str:
        assert main([*map(str, words), "--no-published"]) == 0
        return (Path(words[-1]) / "tables.md").read_text()

    made = {say: tmp_path / say for say in ("yes", "no")}
    for say, folder in made.items():
        words = ("run", "--model", f"constant:{say}", "--data", "world:val,scenes=40", "--suite", "rad", "--quiet")
        assert "BUTD" not in tables(*words, "--output", folder)
    assert main(["report", *map(str, made.values()), "--output", str(tmp_path / "both" / "report.html")]) == 0
    assert "BUTD" in (tmp_path / "both" / "tables.md").read_text()
    assert "BUTD" not in tables("compare", *made.values(), "--output", tmp_path / "compared")
    answers = tmp_path / "answers.json"
    first = json.loads((made["yes"] / "groups.jsonl").read_text().splitlines()[0])
    answers.write_text(json.dumps([{"question_id": first["original"]["id"], "answer": "yes"}]))
    words = ("score", made["yes"] / "groups.jsonl", answers, "--allow-missing")
    assert "BUTD" not in tables(*words, "--output", tmp_path / "scored")
