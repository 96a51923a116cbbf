"""Whole runs: the files they write, how they resume after a kill, and that results are reproducible."""

from __future__ import annotations

import gc
import json
import tempfile

import pytest

import askew
from askew.engine.components import Questions
from askew.errors import DataError, TooManyFailures, UsageError
from askew.models.baselines import Constant, Scripted
from askew.types import Kind, Prediction, Question
from running import run_askew, write_questions


def asked(number, text, answer, image=None):
    return Question(
        number, askew.ImageRef(image or number), text, (answer,) * 10, Kind("other", " ".join(text.split()[:2]))
    )


QUESTIONS = Questions(
    (
        asked(1, "What color is the cat?", "white"),
        asked(2, "What color is the dog?", "brown"),
        asked(3, "What color is the car?", "red"),
        asked(4, "What color is the bus?", "blue"),
        asked(5, "What color is the sky?", "blue"),
        asked(6, "Why is it dark?", "night"),
    )
)


def test_rad_of_a_run_by_hand():
    """Originals 1-4 right, 5 wrong; of the four, the variants of 1, 2 and 3 right: RAD = 3/4, backward 3/3."""
    variants = {v.question.text: v for group in groups_of(QUESTIONS) for v in group.variants}
    assert len(variants) == 5
    script = {question.text: question.answers[0] for question in QUESTIONS.items[:4]} | {
        "What color is the sky?": "red"
    }
    for text, variant in variants.items():
        truth = variant.question.answers[0]
        wrong = "the bus" in text or "the sky" in text
        script[text] = ("no" if truth == "yes" else "yes") if wrong else truth
    result = askew.evaluate(Scripted(script), QUESTIONS, "rad")
    assert result.score("rad.forward").value == 0.75
    assert result.score("rad.backward").value == 1.0
    assert result.score("accuracy.original").value == 0.8
    assert result.score("accuracy.variant").value == 0.6
    assert result.score("rad.forward").n == 4
    assert result.score("rad.forward", "test=Y/N←C").value == 0.75


def groups_of(data, suite="rad"):
    return [g for g in askew.make("suite", suite).groups(data, 0) if isinstance(g, askew.Group)]


def test_a_run_records_everything_needed_to_repeat_it(tmp_path):
    result = askew.evaluate("constant:yes", QUESTIONS, "rad:originals=all", output=tmp_path, seed=3)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["format"] == 2
    assert results["model"]["signature"] == "Constant(say='yes')"
    assert results["seed"] == 3
    assert results["data"]["questions"] == 6
    assert results["suites"][0]["coverage"][0]["made"] == 5
    assert results["suites"][0]["notes"][0].startswith("tagger en_core_web_sm")
    assert results["config"]["suite"] == ["rad:originals=all"]
    assert all(score["signature"] for score in results["scores"])
    assert {"python", "numpy", "spacy"} <= set(results["versions"])
    lines = (tmp_path / "samples.jsonl").read_text().splitlines()
    assert len(lines) == 6
    sample = json.loads(lines[0])
    assert sample["original"]["prediction"]["answer"] == "yes"
    assert sample["original"]["right"] is False
    assert sample["variants"][0]["accuracy"] in (0.0, 1.0)
    assert [outcome.group.id for outcome in result.samples()] == [1, 2, 3, 4, 5, 6]
    assert result.report(tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert "RAD" in str(result)


def test_the_same_seed_gives_the_same_files(tmp_path):
    for name in ("a", "b"):
        askew.evaluate("constant:yes", QUESTIONS, "rad", output=tmp_path / name)
    a, b = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("a", "b"))
    assert a["scores"] == b["scores"]
    assert (tmp_path / "a" / "groups.jsonl").read_bytes() == (tmp_path / "b" / "groups.jsonl").read_bytes()


def test_another_seed_gives_other_variants():
    drawn = {
        seed: [v.question.text for g in askew.make("suite", "rad").groups(QUESTIONS, seed) for v in g.variants]
        for seed in range(6)
    }
    assert len({tuple(texts) for texts in drawn.values()}) > 1


def test_a_limit_does_not_change_variants():
    whole, part = groups_of(QUESTIONS), askew.evaluate(Constant(), QUESTIONS, "rad", limit=2)
    assert [outcome.group for outcome in part.samples()] == whole[:2]


class Counting:
    """Counts its questions."""

    def __init__(self, fails=False):
        self.asked = 0
        self.fails = fails

    def __repr__(self):
        return "Counting()"

    def answer(self, questions):
        self.asked += len(questions)
        return [
            Prediction(q.id, None if self.fails else "yes", error="down" if self.fails else None) for q in questions
        ]


def test_a_second_run_asks_nothing(tmp_path):
    first, second = Counting(), Counting()
    askew.evaluate(first, QUESTIONS, "rad", output=tmp_path)
    askew.evaluate(second, QUESTIONS, "rad", output=tmp_path)
    assert (first.asked, second.asked) == (10, 0)


def test_several_suites_ask_the_original_once(tmp_path):
    model = Counting()
    result = askew.evaluate(model, QUESTIONS, ["accuracy", "rad"], output=tmp_path)
    assert model.asked == 6 + 5
    assert result.score("accuracy.all", suite="accuracy").n == 6


def test_too_many_failures_are_an_error_after_everything_is_written(tmp_path):
    with pytest.raises(TooManyFailures, match="down"):
        askew.evaluate(Counting(fails=True), QUESTIONS, "rad", output=tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["failures"]["count"] == 10
    forward = next(s for s in results["scores"] if s["metric"] == "accuracy.original" and s["part"] == "")
    assert (forward["value"], forward["failed"], forward["lowest"], forward["highest"]) == (None, 5, 0.0, 1.0)


def test_data_that_gives_no_group_is_an_error():
    with pytest.raises(DataError, match="not one group"):
        askew.evaluate("constant:yes", Questions((asked(1, "Why?", "because"),)), "rad")


def test_an_object_that_is_not_a_model_is_refused():
    with pytest.raises(UsageError, match="is not a model"):
        askew.evaluate(3, QUESTIONS)


def test_a_temporary_folder_is_deleted_with_its_result_or_error(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = askew.evaluate("constant:yes", QUESTIONS, "rad")
    assert list(tmp_path.iterdir()) == [result.folder]
    del result
    gc.collect()
    with pytest.raises(UsageError):
        askew.evaluate(3, QUESTIONS)
    with pytest.raises(DataError):
        askew.evaluate("constant:yes", tmp_path / "nothing.json")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_wins_over_the_config_file(tmp_path):
    write_questions(tmp_path / "q.jsonl", 20)
    (tmp_path / "run.yaml").write_text("model: constant:yes\ndata: q.jsonl\noutput: from-file\nlimit: 5\nseed: 7\n")
    done = run_askew("run", "--config", "run.yaml", "--seed", "8", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "from-file" / "results.json").read_text())
    assert (results["seed"], results["config"]["limit"], results["suites"][0]["groups"]) == (8, 5, 5)
    assert len(results["data"]["fingerprint"]) == 16
    (tmp_path / "run.yaml").write_text("modle: constant:yes\n")
    wrong = run_askew("run", "--config", "run.yaml", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "Did you mean 'model'?" in wrong.stderr


def test_underscores_and_dashes_are_both_accepted(tmp_path):
    write_questions(tmp_path / "q.jsonl", 20)
    done = run_askew(
        "run", "--model", "constant", "--data", "q.jsonl", "--output", "o", "--batch_size=4", "--quiet", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "o" / "results.json").read_text())["config"]["batch_size"] == 4


def test_build_then_score_a_file_then_compare(tmp_path):
    write_questions(tmp_path / "q.jsonl", 100)
    built = run_askew("build", "rad", "--data", "q.jsonl", "--output", "bench", "--quiet", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    assert "| Y/N←C | 100 | 100 |" in built.stdout
    groups = [json.loads(line) for line in (tmp_path / "bench" / "groups.jsonl").read_text().splitlines()]
    right, half = [], []
    for place, group in enumerate(groups):
        for member in (group["original"], *group["variants"]):
            right.append({"question_id": member["id"], "answer": member["answers"][0]})
            half.append({"question_id": member["id"], "answer": member["answers"][0] if place % 2 else "other"})
    (tmp_path / "right.json").write_text(json.dumps(right))
    (tmp_path / "half.json").write_text(json.dumps(half))
    for name in ("right", "half"):
        done = run_askew("score", "bench/groups.jsonl", f"{name}.json", "--output", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "right" / "results.json").read_text())["scores"]
    assert {s["metric"]: s["value"] for s in scores if s["part"] == ""}["rad.forward"] == 1.0
    done = run_askew("compare", "right", "half", "--output", "both", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "both" / "report.html").exists()
    found = json.loads((tmp_path / "both" / "differences.json").read_text())
    accuracy = next(d for d in found if d["metric"] == "accuracy.original" and d["part"] == "")
    assert accuracy["difference"] == 0.5
    assert accuracy["p_holm"] < 0.001


def test_score_refuses_missing_predictions_unless_asked(tmp_path):
    write_questions(tmp_path / "q.jsonl", 4)
    (tmp_path / "p.jsonl").write_text('{"id": 0, "answer": "white"}\n')
    strict = run_askew("score", "q.jsonl", "p.jsonl", "--output", "o", cwd=tmp_path)
    assert strict.returncode == 2
    assert "--allow-missing" in strict.stderr
    lenient = run_askew("score", "q.jsonl", "p.jsonl", "--output", "o", "--allow-missing", cwd=tmp_path)
    assert lenient.returncode == 0, lenient.stderr
    score = json.loads((tmp_path / "o" / "results.json").read_text())["scores"][0]
    assert (score["value"], score["n"], score["failed"], score["lowest"]) == (1.0, 1, 3, 0.25)


def test_bad_records_are_skipped_when_asked_and_listed(tmp_path):
    write_questions(tmp_path / "q.jsonl", 10)
    with (tmp_path / "q.jsonl").open("a") as file:
        file.write('{"id": 99, "image": 1}\n')
    command = ["run", "--model", "constant", "--data", "q.jsonl", "--output", "o", "--quiet"]
    strict = run_askew(*command, cwd=tmp_path)
    assert strict.returncode == 2
    assert "q.jsonl" in strict.stderr
    assert "11" in strict.stderr
    lenient = run_askew(*command, "--skip-bad", cwd=tmp_path)
    assert lenient.returncode == 0, lenient.stderr
    assert "left out" in lenient.stderr
    skipped = json.loads((tmp_path / "o" / "results.json").read_text())["data"]["skipped"]
    assert len(skipped) == 1


def test_two_models_are_compared_side_by_side(tmp_path):
    write_questions(tmp_path / "q.jsonl", 20)
    command = ["run", "--model", "constant:yes", "--model", "constant:no", "--name", "aye", "--name", "nay"]
    done = run_askew(*command, "--data", "q.jsonl", "--output", "o", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"aye", "nay"} <= set(done.stdout.split())
    assert (tmp_path / "o" / "report.html").exists()
    assert (tmp_path / "o" / "constant-yes" / "results.json").exists()


def test_too_many_failures_exit_with_three(tmp_path):
    write_questions(tmp_path / "q.jsonl", 10)
    (tmp_path / "broken.py").write_text("def answer(image, question):\n    raise ValueError('no luck')\n")
    done = run_askew(
        "run",
        "--model",
        "python:broken:answer,blind=true",
        "--data",
        "q.jsonl",
        "--output",
        "o",
        "--quiet",
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert "no luck" in done.stderr
    assert (tmp_path / "o" / "report.html").exists()


def test_a_dry_run_says_what_would_be_asked_and_asks_nothing(tmp_path):
    write_questions(tmp_path / "q.jsonl", 20)
    command = ["run", "--model", "constant", "--data", "q.jsonl", "--output", "o", "--quiet"]
    before = run_askew(*command, "--dry-run", cwd=tmp_path)
    assert before.returncode == 0, before.stderr
    assert "40 calls for 20 groups" in before.stdout
    assert not (tmp_path / "o" / "results.json").exists()
    assert run_askew(*command, cwd=tmp_path).returncode == 0
    assert "0 calls for 20 groups" in run_askew(*command, "--dry-run", cwd=tmp_path).stdout


def test_an_option_that_no_model_takes_is_refused(tmp_path):
    write_questions(tmp_path / "q.jsonl", 2)
    done = run_askew(
        "run", "--model", "constant", "--data", "q.jsonl", "--output", "o", "--max-calls", "3", cwd=tmp_path
    )
    assert done.returncode == 2
    assert "--max-calls is no option of constant" in done.stderr


def test_groups_run_with_the_suites_that_made_them(tmp_path):
    write_questions(tmp_path / "q.jsonl", 10)
    assert run_askew("build", "accuracy", "--data", "q.jsonl", "--output", "b", "--quiet", cwd=tmp_path).returncode == 0
    command = ["run", "--model", "constant", "--data", "b/groups.jsonl", "--output", "o", "--quiet"]
    done = run_askew(*command, "--metric", "answer-rate:says=yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "o" / "results.json").read_text())
    assert [suite["name"] for suite in results["suites"]] == ["accuracy"]
    assert (results["data"]["questions"], results["data"]["images"]) == (10, 10)
    assert {score["metric"]: score["value"] for score in results["scores"]}["answer-rate:says=yes"] == 1.0


class Refusing:
    """Answers in sentences, and says no to every second question."""

    free_text = True

    def __repr__(self):
        return "Refusing()"

    def answer(self, questions):
        words = ("Yes, it is.", "I'm sorry, I can't help with that.")
        return [Prediction(q.id, words[len(q.text) % 2]) for q in questions]


def test_refusals_are_non_answers_that_keep_the_reply(tmp_path):
    with pytest.raises(TooManyFailures, match="refusal"):
        askew.evaluate(Refusing(), QUESTIONS, "accuracy", output=tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    refused = sum(len(question.text) % 2 for question in QUESTIONS.items)
    assert results["failures"]["count"] == refused > 0
    assert results["model"]["extract"] == "short-v8"
    samples = [
        json.loads(line)["original"]["prediction"] for line in (tmp_path / "samples.jsonl").read_text().splitlines()
    ]
    assert all(sample["raw"] for sample in samples)
    assert {sample.get("answer") for sample in samples} == {"yes, it is", None}
    assert results["scores"][0]["failed"] == refused


def test_an_empty_benchmark_is_refused(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"image": "a", "question": "Why?", "answer": "because"}\n')
    done = run_askew("build", "rad", "--data", "q.jsonl", "--output", "b", "--quiet", cwd=tmp_path)
    assert done.returncode == 2
    assert "not one group could be made for rad" in done.stderr


def test_a_suite_named_twice_is_refused():
    with pytest.raises(UsageError, match="'rad' is named twice"):
        askew.evaluate("constant:yes", QUESTIONS, ["rad", "rad:yes=0.2"])


def colour_questions(number, coloured):
    """Questions of which RAD changes the first ``coloured``."""
    texts = [("What color is the cat?", "white" if i % 2 else "red") for i in range(coloured)]
    texts += [("Why is it so?", "because")] * (number - coloured)
    return [Question(i, askew.ImageRef(str(i)), text, (answer,) * 10) for i, (text, answer) in enumerate(texts)]


def test_an_empty_suite_beside_another_is_a_warning():
    with pytest.warns(UserWarning, match=r"The suite visual made no group from 12 questions.* in the scene \(12\)"):
        result = askew.evaluate("constant:white", colour_questions(12, 4), ["rad", "visual"])
    assert "Warning: The suite visual made no group" in str(result)
    assert "Share of the data's questions asked: rad 33 %" in str(result)
    assert "Only 4 images" in str(result)
    rad, visual = result.results["suites"]
    assert (rad["images"], rad["changed"], visual["images"]) == (4, 4, 0)


def test_the_report_names_the_empty_suite(tmp_path):
    lines = [
        {"id": q.id, "image": str(q.id), "question": q.text, "answers": list(q.answers)}
        for q in colour_questions(12, 4)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["run", "--model", "constant:white", "--data", "q.jsonl", "--suite", "rad", "--suite", "visual"]
    done = run_askew(*command, "--output", "o", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning: The suite visual made no group from 12 questions" in done.stderr
    page = (tmp_path / "o" / "report.html").read_text()
    assert "The suite visual made no group from 12 questions" in page
    assert "4 questions asked (4 of 12 questions covered)" in page.replace("\u00a0", " ")
