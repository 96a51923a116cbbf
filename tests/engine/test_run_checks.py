"""What commands refuse, and what they leave behind: results of an earlier run are never mistaken for new ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import askew
from askew.cli import main
from askew.engine.run_folder import too_many_failures
from askew.engine.settings import Settings
from askew.errors import BadOption, TooManyFailures
from running import write_questions

STOPS = """
def stop(image, question):
    raise KeyboardInterrupt
def yes(image, question):
    return "yes"
"""
OVER = ("--overwrite",)
FOUND = {"results.json", "samples.jsonl", "report.html", "tables.md", "tables.tex", "differences.json"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with questions and models in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_questions(tmp_path / "q.jsonl", 6)
    (tmp_path / "stopping_models.py").write_text(STOPS)
    return tmp_path


@pytest.fixture
def said(folder, capsys):
    """``said("gate", "o")`` gives the exit code and everything printed."""

    def call(*words: str) -> tuple[int, str]:
        code = main(list(words))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


def run(said, *models: str, more: tuple[str, ...] = (), output: str = "o") -> tuple[int, str]:
    words = [word for model in models for word in ("--model", model)]
    common = ("--data", "q.jsonl", "--suite", "accuracy", "--output", output, "--quiet")
    return said("run", *words, *common, *more)


def found(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} & FOUND


def test_a_run_of_two_models_deletes_results_of_the_run_before(folder, said):
    assert run(said, "constant:yes")[0] == 0
    assert {"results.json", "samples.jsonl"} <= found(folder / "o")
    assert run(said, "constant:no", "constant:yes")[0] == 0
    assert not {"results.json", "samples.jsonl"} & found(folder / "o")
    code, words = said("gate", "o", "--require", "accuracy.all>=0")
    assert code == 2
    assert "o/constant-no o/constant-yes" in words
    assert said("gate", "o/constant-yes", "--require", "accuracy.all>=0")[0] == 0


def test_a_run_of_one_model_deletes_results_of_the_two_before(folder, said):
    (folder / "o" / "mine").mkdir(parents=True)
    (folder / "o" / "mine" / "results.json").write_text("{}")
    assert run(said, "constant:no", "constant:yes", more=OVER)[0] == 0
    assert "differences.json" in found(folder / "o")
    assert run(said, "constant:yes", more=OVER)[0] == 0
    assert "differences.json" not in found(folder / "o")
    assert not found(folder / "o" / "constant-no")
    assert not found(folder / "o" / "constant-yes")
    assert (folder / "o" / "constant-no" / "answers.sqlite").exists()
    assert (folder / "o" / "mine" / "results.json").exists(), "a run of its own below this folder is not touched"


@pytest.mark.parametrize(
    "models", [("python:stopping_models:stop,blind=true",), ("constant:no", "python:stopping_models:stop,blind=true")]
)
def test_a_stopped_run_leaves_nothing_that_passes_a_gate(folder, said, models):
    assert run(said, "constant:yes")[0] == 0
    assert run(said, "constant:yes", "constant:no")[0] == 0
    code, words = run(said, *models, more=OVER)
    assert code == 130, words
    code, words = said("gate", "o", "--require", "accuracy.all>=0")
    assert code == 2, words
    assert not found(folder / "o" / "constant-yes")


def test_a_failed_run_leaves_nothing_that_passes_a_gate(folder, said):
    assert run(said, "constant:yes")[0] == 0
    with (folder / "q.jsonl").open("a") as file:
        file.write('{"id": 99, "image": 1}\n')
    assert run(said, "constant:yes", more=OVER)[0] == 2
    code, words = said("gate", "o", "--require", "accuracy.all>=0")
    assert code == 2
    assert "not finished" in words


def test_a_failed_evaluate_leaves_nothing_either(folder, said):
    assert run(said, "constant:no", "constant:yes")[0] == 0
    askew.evaluate("constant:yes", "q.jsonl", "accuracy", output="o", overwrite=True)
    assert found(folder / "o") == {"results.json", "samples.jsonl"}
    assert not found(folder / "o" / "constant-no")


@pytest.mark.parametrize("models", [("constant:yes",), ("constant:yes", "python:stopping_models:yes,blind=true")])
def test_repeating_a_run_asks_nothing_and_gives_the_same_results(folder, said, models):
    where = folder / "o" / ("constant-yes" if len(models) > 1 else "")
    assert run(said, *models)[0] == 0
    first = json.loads((where / "results.json").read_text())
    assert run(said, *models)[0] == 0
    again = json.loads((where / "results.json").read_text())
    assert (first["time"]["asked"], again["time"]["asked"]) == (6, 0)
    assert first["scores"] == again["scores"]


def test_runs_on_different_data_are_not_silently_compared(folder, said):
    run(said, "constant:yes")
    (folder / "q.jsonl").write_text('{"question": "Why?", "answer": "because"}')
    run(said, "constant:no", output="other")
    code, told = said("compare", "o", "other")
    assert code == 0
    assert "These runs share no group, so no difference is tested." in told
    assert "share no group" not in said("compare", "o", "o")[1]


def test_a_dry_run_changes_no_file_of_a_finished_run(folder, said):
    """It replaced groups.jsonl, so that results and groups no longer belonged together."""
    assert run(said, "constant:yes")[0] == 0
    before = {path: path.read_bytes() for path in (folder / "o").iterdir()}
    code, told = run(said, "constant:yes", more=("--dry-run", "--limit", "2"))
    assert (code, "0 calls for 2 groups" in told) == (0, True)
    assert run(said, "constant:no", more=("--dry-run",))[0] == 0
    assert {path: path.read_bytes() for path in (folder / "o").iterdir()} == before


def test_questions_without_an_answer_are_not_scored(folder, said):
    """It printed "Accuracy — n 0" and ended with exit code 0."""
    (folder / "q.jsonl").write_text('{"question": "Why?"}\n{"question": "Is it red?"}\n')
    code, told = run(said, "constant:yes")
    assert code == 2
    assert "None of the 2 questions has an answer to compare with" in told
    assert not (folder / "o" / "results.json").exists()


def test_a_dry_run_makes_no_folder(folder, said):
    code, told = run(said, "constant:yes", more=("--dry-run",))
    assert (code, "6 calls for 6 groups" in told) == (0, True)
    assert not (folder / "o").exists()


def test_missing_answers_of_a_scored_file_fail_the_gate(folder, said):
    half = [{"question_id": number, "answer": "white"} for number in range(3)]
    (folder / "half.json").write_text(json.dumps(half))
    assert said("score", "q.jsonl", "half.json", "--allow-missing", "--output", "scored")[0] == 0
    required = ("gate", "scored", "--require", "accuracy.all>=0.1")
    code, words = said(*required)
    assert code == 1
    assert "✗ failed answers <= 5.0%   50.0%" in words
    assert said(*required, "--max-failures", "0.5")[0] == 0


@pytest.mark.parametrize("output", ["afile", "afile/below", "afile/far/below"])
def test_an_output_that_cannot_be_written_is_reported_in_one_line(folder, said, output):
    (folder / "afile").write_text("")
    (folder / "p.json").write_text(json.dumps([{"question_id": n, "answer": "white"} for n in range(6)]))
    for words in (
        ("run", "--model", "constant:yes", "--data", "q.jsonl", "--suite", "accuracy", "--quiet"),
        ("score", "q.jsonl", "p.json"),
        ("build", "accuracy", "--data", "q.jsonl", "--quiet"),
    ):
        code, text = said(*words, "--output", output)
        assert code == 2
        assert len(text.splitlines()) == 1
        assert text.startswith(f"askew {words[0]}: afile")
        assert "a file is where a folder is needed" in text


def test_a_report_or_gate_that_cannot_be_written_exits_with_two(folder, said):
    (folder / "afile").write_text("")
    assert run(said, "constant:yes")[0] == 0
    (folder / "adir").mkdir()
    code, text = said("report", "o", "--output", "adir")
    assert code == 2
    assert "askew report: adir: a folder is where a file is needed" in text
    code, text = said("gate", "o", "--require", "accuracy.all>=0", "--junit", "afile/x.xml")
    assert code == 2, "1 is for a check that failed"
    assert "askew gate: afile: a file is where a folder is needed" in text


def test_the_debug_option_shows_what_the_system_said(folder):
    (folder / "afile").write_text("")
    with pytest.raises(FileExistsError):
        main(["--debug", "build", "accuracy", "--data", "q.jsonl", "--output", "afile", "--quiet"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 1.5},
        {"seed": True},
        {"seed": 2**63},
        {"batch_size": 0},
        {"batch_size": -5},
        {"limit": 0},
        {"limit": -3},
        {"limit": 2.5},
        {"limit": "foo"},
        {"max_failures": float("nan")},
        {"max_failures": 7},
        {"max_failures": -0.1},
        {"store": 3},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(BadOption, match=f"^{name} is "):
        Settings(**wrong)


def test_settings_at_their_bounds_are_accepted():
    made = Settings(limit=1, seed=0, batch_size=1, max_failures=1)
    assert (made.limit, made.max_failures, Settings(max_failures=0).limit) == (1, 1, None)


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "--output", "x"),
        ("build", "accuracy", "--data", "q.jsonl", "--output", "x"),
        ("score", "q.jsonl", "nothing.json", "--output", "x"),
        ("world", "--output", "x"),
        ("experiment", "q3r", "--output", "x"),
    ],
)
def test_a_negative_seed_is_refused_everywhere(folder, said, words):
    code, text = said(*words, "--seed", "-1")
    assert code == 2
    assert text == f"askew {words[0]}: seed is -1; it must be a whole number, at least 0.\n"
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("limit: foo", "limit is 'foo'; it must be a whole number."),
        ("limit: 2.5", "limit is 2.5; it must be a whole number."),
        ("limit: [1]", "limit is [1]; it must be a whole number."),
        ("limit: true", "limit is True; it must be a whole number."),
        ("limit: 0", "limit is 0; it must be a whole number, at least 1."),
        ("max-failures: much", "max-failures is 'much'; it must be a number."),
        ("quiet: 3", "quiet is 3; it must be true or false."),
        ("images: [a, b]", "images is ['a', 'b']; it must be text."),
        ("suite: [rad, {a: b}]", "suite is {'a': 'b'}; it must be text."),
    ],
)
def test_a_config_file_is_checked_like_the_command_line(folder, said, line, fault):
    (folder / "run.yaml").write_text(f"model: constant:yes\ndata: q.jsonl\noutput: x\n{line}\n")
    code, text = said("run", "--config", "run.yaml")
    assert code == 2
    assert text.startswith("askew run: ")
    assert text.endswith(f"{fault}\n")


def test_config_values_may_be_empty_and_numbers_written_in_any_form(folder, said):
    (folder / "run.yaml").write_text(
        "model: constant:yes\nname: 2024\ndata: q.jsonl\nsuite: [accuracy]\nlimit: '3'\nseed:\n"
        "max-failures: 5e-2\nquiet: true\noutput: x\n"
    )
    code, text = said("run", "--config", "run.yaml")
    assert code == 0, text
    results = json.loads((folder / "x" / "results.json").read_text())
    assert (results["model"]["name"], results["seed"], results["config"]["limit"]) == ("2024", 0, 3)
    assert results["config"]["max_failures"] == 0.05


def test_a_config_file_that_is_not_yaml_is_an_error_in_one_line(folder, said):
    (folder / "run.yaml").write_text("model: constant:yes\nsuite: [rad\ndata: q.jsonl\n")
    code, text = said("run", "--config", "run.yaml")
    assert code == 2
    assert text.startswith("askew run: run.yaml: cannot be read as YAML (line ")
    assert len(text.splitlines()) == 1
    (folder / "run.yaml").write_bytes("model: constant:yes".encode("utf-16"))
    code, text = said("run", "--config", "run.yaml")
    assert (code, len(text.splitlines())) == (2, 1)


def test_more_names_than_models_are_reported(said):
    code, text = run(said, "constant:yes", more=("--name", "a", "--name", "b"))
    assert code == 2
    assert "more names (2) than models (1)" in text


@pytest.mark.parametrize(("count", "times"), [(1, "once"), (2, "2 times")])
def test_failures_are_reported_in_full_sentences(count, times):
    failures = {"count": count, "asked": 4, "by_error": {"Convert the file.": count}, "limit": 0.05}
    error = too_many_failures({"failures": failures})
    assert isinstance(error, TooManyFailures)
    assert f"; {times}: Convert the file. The scores" in str(error)
    assert too_many_failures({"failures": failures | {"asked": 400}}) is None
