"""``askew attack`` as a whole: from questions to groups, scores and files; killed, resumed, and given bad input."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest
from word_sums import Confident, Labels, WordSums, asked_about, listed

import askew
from askew.attack.attack_parts import Goal
from askew.cli import main
from askew.data.groups import read_groups
from askew.engine.store import Store
from askew.errors import BadOption, BudgetSpent, UsageError
from askew.language.tagger import Tagger
from askew.perturb.same_grammar import disagreements
from running import run_askew

HERE = str(Path(__file__).parent)
MODEL = """
import sys, time
sys.path.insert(0, {here!r})
from word_sums import Confident
asked = {asked!r}

def answer(image, question):
    "Answers slowly, and writes down what it was asked."
    from askew.types import Question
    with open(asked, "a") as file:
        file.write(question + "\\n")
    time.sleep(0.002)
    return Confident().said(Question(1, None, question)).answer
answer.blind = True
"""


def notes(result):
    return [v.note for outcome in result.samples() for v in outcome.group.variants]


def test_an_attack_writes_groups_and_scores_that_agree_with_them(tmp_path):
    model = WordSums()
    result = askew.attack_model(model, asked_about(40), listed(), output=tmp_path / "a", batch_size=16, budget=9)
    found = [note["status"] for note in notes(result)]
    assert len(found) == 32
    share = found.count("found") / len(found)
    assert 0 < share < 1
    assert result.score("attack.success").value == pytest.approx(share)
    assert result.score("accuracy.all").value == pytest.approx(0.8)
    assert result.score("accuracy.variant").value == pytest.approx(1 - share)
    curve = [result.score(f"attack.accuracy.{budget}").value for budget in (1, 2, 5, 10, 20, 50, 100)]
    assert curve == sorted(curve, reverse=True)
    assert curve[0] == pytest.approx(0.8)
    assert curve[-1] == pytest.approx(0.8 * (1 - share))
    assert len(model.asked) == len(set(model.asked)), "scoring asks nothing again"
    assert "WordSums" in result.results["model"]["signature"]
    assert "scores='score'" in result.results["suites"][0]["signature"]


def test_found_rewordings_run_on_other_models_and_need_no_calls_for_the_attacked_one(tmp_path):
    made = askew.attack_model(Labels(), asked_about(20), listed(), output=tmp_path / "a")
    again = Labels()
    same = askew.evaluate(again, tmp_path / "a", "attack", output=tmp_path / "run")
    assert again.asked == []
    assert same.score("attack.success").value == made.score("attack.success").value
    other = Confident("another")
    both = askew.evaluate([again, other], tmp_path / "a", "attack", name=["same", "other"])
    assert len(other.asked) > 20
    assert both["same"].score("attack.success", "note.against=labels").value == 1.0, "all that was found fools it again"
    page = both.report(tmp_path / "page.html").read_text(encoding="utf-8")
    for heading in ("How many tries does it take?", "Do attacks transfer?", "What the attack changed: same"):
        assert heading in page


@pytest.mark.parametrize(("model", "mode"), [(WordSums, "score"), (Confident, "confidence"), (Labels, "label")])
def test_searches_use_the_most_informative_score_that_the_model_gives(tmp_path, model, mode):
    result = askew.attack_model(model(), asked_about(8), listed(), output=tmp_path / "a")
    assert {note["scores"] for note in notes(result)} == {mode}
    assert f"scores='{mode}'" in result.results["suites"][0]["signature"]


def test_goal_changed_succeeds_when_the_answer_changes(tmp_path):
    attack = listed(goal=Goal("changed"))
    result = askew.attack_model(WordSums(), asked_about(20), attack, output=tmp_path / "a")
    assert len(notes(result)) == 20, "questions answered incorrectly are attacked too"
    found = sum(note["status"] == "found" for note in notes(result))
    assert result.score("attack.flip").value == pytest.approx(found / 20)


def test_a_killed_attack_resumes_and_asks_nothing_twice(tmp_path):
    asked = tmp_path / "asked.txt"
    (tmp_path / "slow.py").write_text(MODEL.format(here=HERE, asked=str(asked)))
    questions = asked_about(40)
    lines = [{"id": q.id, "image": "a.png", "question": q.text, "answers": q.answers} for q in questions]
    (tmp_path / "q.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    words = ["attack", "--model", "python:slow:answer,blind=true", "--data", "q.jsonl", "--attack", "typos"]
    words += ["--name", "slow", "--batch-size", "8", "--quiet", "--budget", "12", "--output", "a"]
    words += ["--extract", "none"]  # Labels, asked below, is not a model of free text
    command = [sys.executable, "-m", "askew", *words]
    begun = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while begun.poll() is None and time.monotonic() < until:
        if asked.exists() and asked.read_text().count("\n") > 100:
            break
        time.sleep(0.02)
    begun.send_signal(signal.SIGKILL)
    _, said = begun.communicate()
    assert asked.exists(), said
    first = asked.read_text().splitlines()
    with Store(tmp_path / "a" / "answers.sqlite") as kept:
        known = len(kept)
    assert 90 < known <= len(first) <= known + 9, "a batch, and the question that tells how the model is asked"
    assert not (tmp_path / "a" / "results.json").exists()
    done = run_askew(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    everything = asked.read_text().splitlines()
    assert len(everything) - len(set(everything)) == len(first) - known, "only what was on its way is asked again"
    made = list(read_groups(str(tmp_path / "a" / "groups.jsonl")))
    whole = askew.attack_model(Labels(), tmp_path / "q.jsonl", "typos", output=tmp_path / "b", budget=12, name="slow")
    assert made == list(read_groups(str(whole.folder / "groups.jsonl")))


def test_bad_input_is_refused_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text('{"image": "a.png", "question": "Is the dog big?", "answer": "yes"}\n')
    Path("said.json").write_text('[{"question_id": 1, "answer": "yes"}]')
    Path("words.txt").write_text("dog 0.1 what\n")
    always = ["attack", "--data", "q.jsonl", "--output", "a", "--quiet"]
    cases = [
        (["--model", "constant:yes", "--budget", "0"], "budget is 0; it must be a whole number, at least 2"),
        (["--model", "constant:yes", "--attack", "textfoler"], "Did you mean 'textfooler'?"),
        (["--model", "constant:yes", "--attack", "textfooler:vectors=none.txt"], "none.txt"),
        (["--model", "constant:yes", "--attack", "textfooler:vectors=words.txt"], "words.txt"),
        (["--model", "constant:yes", "--scores", "logits"], "auto, score, confidence, label"),
        (["--model", "constant:yes", "--scores", "score"], "cannot say how probable"),
        (["--model", "predictions:said.json"], "cannot be attacked"),
        (["--model", "bundled:xnm"], "1 of 1 questions name an image whose file is not known"),
    ]
    for words, said in cases:
        assert main([*always, *words]) == 2, words
        error = capsys.readouterr().err
        assert said in error, (words, error)
        assert error.count("\n") == 1, error
    assert not Path("a", "groups.jsonl").exists()


def test_the_terminal_prints_failures_medians_and_requests(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [{"id": q.id, "image": "a.png", "question": q.text, "answers": q.answers} for q in asked_about(10)]
    Path("q.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    words = [
        "attack",
        "--model",
        "constant:purple",
        "--data",
        "q.jsonl",
        "--output",
        "a",
        "--attack",
        "typos",
        "--quiet",
    ]
    assert main([*words, "--budget", "5"]) == 0
    said = capsys.readouterr().out
    assert "Attacked: 2 failed; distinct texts asked about a question: median 5, at most 5." in said
    assert "requests reached the model" in said


def test_a_dry_run_says_what_would_be_asked_and_asks_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text('{"image": "a.png", "question": "Is the automobile big?", "answer": "yes"}\n')
    words = [
        "attack",
        "--model",
        "constant:yes",
        "--data",
        "q.jsonl",
        "--output",
        "a",
        "--attack",
        "typos",
        "--dry-run",
    ]
    assert main(words) == 0
    assert "at most about" in capsys.readouterr().out
    assert not Path("a").exists()


def test_the_total_budget_ends_an_attack_cleanly(tmp_path):
    with pytest.raises(BudgetSpent):
        askew.attack_model(WordSums(), asked_about(20), listed(), output=tmp_path / "a", max_calls=50)
    result = askew.attack_model(WordSums(), asked_about(20), listed(), output=tmp_path / "a")
    assert result.score("accuracy.all").n == 20


def test_limit_also_limits_what_is_asked(tmp_path):
    model = Labels()
    result = askew.attack_model(model, asked_about(40), listed(), output=tmp_path / "a", limit=3)
    assert result.score("accuracy.all").n == 3
    about = {question.text.split()[2] for question in asked_about(3)}
    assert all(
        any(text.split()[2].startswith(word) or text.split()[2] == "near" for word in about) for text in model.asked
    )


def test_groups_cannot_be_attacked_and_the_suite_makes_none_by_itself(tmp_path):
    askew.attack_model(Labels(), asked_about(5), listed(), output=tmp_path / "a")
    assert len(list(read_groups(str(tmp_path / "a" / "groups.jsonl")))) == 5
    with pytest.raises(UsageError, match="ready-made groups"):
        askew.attack_model(Labels(), tmp_path / "a", listed())
    with pytest.raises(UsageError, match="askew attack"):
        askew.evaluate(Labels(), asked_about(5), "attack")
    with pytest.raises(BadOption, match="no setting 'bugdet'"):
        askew.attack_model(Labels(), asked_about(5), listed(), bugdet=3)


def test_a_question_without_a_question_mark_is_checked_too():
    assert disagreements(Tagger().tags(["Is there a dog"])[0]) == 0
