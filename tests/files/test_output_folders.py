"""Folders that hold something else are refused, and both remedies of the message work."""

from __future__ import annotations

import json
import shutil

import pytest

import askew
from askew.cli import main
from askew.errors import UsageError
from askew.files.read_write import alone_in
from running import write_questions

RUN = "run --model {model} --data {data} --suite {suite} --quiet --output {output}"
START = {"model": "constant:yes", "data": "q.jsonl", "suite": "accuracy", "output": "o"}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 8)
    write_questions(tmp_path / "other.jsonl", 5)
    answers = [{"question_id": number, "answer": "white"} for number in range(8)]
    (tmp_path / "a.json").write_text(json.dumps(answers))
    (tmp_path / "b.json").write_text(json.dumps([{**one, "answer": "red"} for one in answers]))


def words(*more, **changed):
    return [*RUN.format(**{**START, **changed}).split(), *more]


def asked(*more, **changed):
    return main(words(*more, **changed))


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".sqlite"}


def refused(capsys, folder, command, *says):
    """The command is refused with this message, and the folder is unchanged."""
    before = content(folder)
    capsys.readouterr()
    assert main(command) == 2
    heard = capsys.readouterr().err
    for text in (*says, "--overwrite", "--output"):
        assert text in heard
    assert content(folder) == before


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"model": "constant:no"}, "differs in model (Constant(say='yes'), now Constant(say='no'))"),
        ({"data": "other.jsonl"}, "differs in data"),
        ({"suite": "rad"}, "differs in suite"),
    ],
)
def test_a_run_of_something_else_is_not_replaced_silently(tmp_path, capsys, changed, says):
    assert asked() == 0
    refused(capsys, tmp_path / "o", words(**changed), says)
    assert asked(**changed, output="another") == 0
    assert asked("--overwrite", **changed) == 0
    assert asked("--overwrite", **changed) == asked(**changed) == 0


@pytest.mark.parametrize("more", [("--seed", "3"), ("--limit", "2")])
def test_settings_that_change_the_questions_make_another_run(tmp_path, capsys, more):
    assert asked() == 0
    refused(capsys, tmp_path / "o", words(*more), f"differs in {more[0][2:]}")
    assert asked(*more, "--overwrite") == 0


def test_changed_data_under_the_same_name_is_other_data(tmp_path, capsys):
    assert asked() == 0
    shutil.copy("other.jsonl", "q.jsonl")
    refused(capsys, tmp_path / "o", words(), "differs in content")


def test_the_same_run_may_be_scored_again_with_other_metrics(tmp_path):
    assert asked() == 0
    assert asked("--metric", "answer-rate", "--extract", "short", "--name", "me", "--max-failures", "1") == 0
    shutil.move("q.jsonl", "sub.jsonl")
    (tmp_path / "deep").mkdir()
    shutil.move("sub.jsonl", "deep/q.jsonl")
    assert asked(data="deep/q.jsonl") == 0  # the same data elsewhere


def test_a_stopped_run_may_be_replaced(tmp_path):
    assert asked() == 0
    (tmp_path / "o" / "results.json").unlink()
    assert asked(model="constant:no") == 0


def test_runs_of_several_models_are_lost_together(tmp_path, capsys):
    both = ("--model", "constant:no")
    assert asked(*both) == 0
    refused(capsys, tmp_path / "o", words(), "differs in model")
    refused(capsys, tmp_path / "o", words("--model", "constant:maybe"), "differs in model")
    assert asked(*both, "--model", "constant:maybe") == 0  # one more: nothing is lost
    assert asked("--overwrite") == 0


def test_folders_of_users_are_left_alone(tmp_path, capsys):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "thesis.tex").write_text("years of work")
    for command in (
        RUN.format(**START),
        "score q.jsonl a.json --quiet --output o",
        "build accuracy --data q.jsonl --quiet --output o",
        "world --scenes 1 --size 64 --quiet --output o",
    ):
        refused(capsys, tmp_path / "o", command.split(), "askew did not write (1, e.g. 'thesis.tex')")
        assert main([*command.split(), "--overwrite"]) == 0
        assert main(command.split()) == 0
        assert (tmp_path / "o" / "thesis.tex").read_text() == "years of work"
        for path in (tmp_path / "o").iterdir():
            if path.name != "thesis.tex":
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_what_another_command_wrote_is_left_alone(tmp_path, capsys):
    made = {
        "a benchmark": "build accuracy --data q.jsonl --quiet --output o",
        "a world": "world --scenes 1 --size 64 --quiet --output o",
        "a run": RUN.format(**START),
    }
    for held, first in made.items():
        shutil.rmtree("o", ignore_errors=True)
        assert main(first.split()) == 0
        for other in made.values():
            if other != first:
                refused(capsys, tmp_path / "o", other.split(), f"holds {held}")


def test_another_score_file_is_another_run(tmp_path, capsys):
    score = "score q.jsonl {} --quiet --output o"
    assert main(score.format("a.json").split()) == 0
    refused(capsys, tmp_path / "o", score.format("b.json").split(), "differs in model")
    assert main(score.format("a.json").split()) == 0
    assert main([*score.format("b.json").split(), "--overwrite"]) == 0


def test_another_benchmark_or_world_is_not_replaced_silently(tmp_path, capsys):
    build = "build accuracy --data {} --quiet --output o"
    assert main(build.format("q.jsonl").split()) == main(build.format("q.jsonl").split()) == 0
    refused(capsys, tmp_path / "o", build.format("other.jsonl").split(), "a benchmark that differs in data")
    assert main([*build.format("other.jsonl").split(), "--overwrite"]) == 0
    world = "world --scenes {} --size 64 --quiet --output w"
    assert main(world.format(2).split()) == main(world.format(2).split()) == 0
    refused(capsys, tmp_path / "w", world.format(1).split(), "a world that differs in scenes (2, now 1)")
    assert main([*world.format(1).split(), "--overwrite"]) == 0


def test_comparisons_and_reports_are_not_replaced_silently(tmp_path, capsys):
    for say in ("yes", "no", "maybe"):
        assert asked(model=f"constant:{say}", output=say) == 0
    compare = "compare yes {} --output c"
    assert main(compare.format("no").split()) == main(compare.format("no").split()) == 0
    refused(capsys, tmp_path / "c", compare.format("maybe").split(), "a report that differs in runs")
    assert main([*compare.format("maybe").split(), "--overwrite"]) == 0
    refused(capsys, tmp_path / "yes", compare.format("no").replace("output c", "output yes").split())
    report = "report yes {} --output p/page.html"
    assert main(report.format("no").split()) == main(report.format("no").split()) == 0
    refused(capsys, tmp_path / "p", report.format("maybe").split(), "a report of other runs")
    assert main([*report.format("maybe").split(), "--overwrite"]) == 0
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "tables.tex").write_text("mine")
    mine = report.format("no").replace("p/page.html", "paper/page.html").split()
    refused(capsys, tmp_path / "paper", mine, "tables.tex: this file does not belong to the report")
    assert main([*mine, "--overwrite"]) == 0
    assert main(["report", "yes"]) == 0


def test_exports_are_not_replaced_silently(tmp_path, capsys):
    for name in ("q", "other"):
        assert main(f"build accuracy --data {name}.jsonl --quiet --output {name}".split()) == 0
    export = "export {}/groups.jsonl --format jsonl --output e --name mine"
    assert main(export.format("q").split()) == main(export.format("q").split()) == 0
    refused(capsys, tmp_path / "e", export.format("other").split(), "an export of other questions")
    assert main([*export.format("other").split(), "--overwrite"]) == 0
    (tmp_path / "e" / "ids.jsonl").unlink()
    refused(
        capsys, tmp_path / "e", export.format("other").split(), "mine.jsonl: this file does not belong to an export"
    )


def test_evaluate_refuses_too(tmp_path):
    questions = [askew.Question(1, askew.ImageRef(1), "Is it?", ("yes",))]
    others = [askew.Question(1, askew.ImageRef(1), "Is it so?", ("yes",))]
    askew.evaluate("constant:yes", questions, "accuracy", output=tmp_path / "e")
    askew.evaluate("constant:yes", questions, "accuracy", output=tmp_path / "e")
    for model, data in (("constant:no", questions), ("constant:yes", others)):
        with pytest.raises(UsageError, match=r"overwrite=True"):
            askew.evaluate(model, data, "accuracy", output=tmp_path / "e")
    result = askew.evaluate("constant:no", questions, "accuracy", output=tmp_path / "e", overwrite=True)
    assert result.score("accuracy.all").value == 0.0
    with alone_in(tmp_path / "e"), pytest.raises(askew.AskewError, match="another askew is writing"):
        askew.evaluate("constant:no", questions, "accuracy", output=tmp_path / "e")
