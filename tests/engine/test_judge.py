"""Free-text answers: how they are compared, and what is reported when their form decides."""

from __future__ import annotations

import json
import warnings
from itertools import pairwise

import pytest

import askew
from askew.answers.extract import signature
from askew.cli import main
from askew.engine.judge import scored_by, step_for
from askew.engine.result import compare_runs
from askew.engine.settings import Named, Settings
from askew.errors import BadOption
from askew.models.baselines import Constant, Scripted
from askew.models.prediction_file import Predictions
from askew.models.python_function import CallableModel
from askew.report.caveats import form_sentences
from askew.report.load import load_run
from askew.report.terminal import terminal_summary
from askew.report.verdict import verdict
from askew.suites.accuracy_suite import AccuracySuite
from askew.suites.rad import RadSuite
from askew.types import Question
from running import run_askew

SAYING = [Question(i, None, "Is it red?", ("yes",) * 10) for i in range(20)]
QUICK = {}


def says(words):
    return lambda image, question: words


@pytest.mark.parametrize("words", ["yes", "Yes", "Yes.", " yes\n", "YES!", "Yes, it is red.", "**Yes**"])
def test_a_function_that_answers_yes_in_a_sentence_is_correct(words):
    result = askew.evaluate(says(words), SAYING, "accuracy", **QUICK)
    assert result.score("accuracy.all").value == 1.0
    assert "mode='robust'" in result.score("accuracy.all").signature
    assert result.results["model"]["extract"].startswith("short-v")
    assert result.results["suites"][0]["accuracy"] == "robust"


@pytest.mark.parametrize(("mine", "theirs"), [("yes", "Yes"), ("two", "2"), ("A dog.", "dog"), ("dog", "A dog")])
def test_reference_answers_are_normalised_too(mine, theirs):
    """One reference answer is unanimous, and unanimous answers are not normalised in the official mode."""
    asked = [Question(i, None, "What is it?", (theirs,)) for i in range(10)]
    assert askew.evaluate(says(mine), asked, "accuracy", **QUICK).score("accuracy.all").value == 1.0


def test_models_with_a_vocabulary_use_the_mode_of_the_suite(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps([{"question_id": q.id, "answer": "yes"} for q in SAYING]))
    for model in (
        Constant("yes"),
        "constant:yes",
        Scripted({"Is it red?": "yes"}),
        Predictions(str(tmp_path / "p.json")),
    ):
        result = askew.evaluate(model, SAYING, ["accuracy"], **QUICK)
        assert "mode='official'" in result.score("accuracy.all").signature
        assert result.results["model"]["extract"] == "none-v1"
        assert result.results["answer_forms"] == {"scored": 20, "counts": {}, "examples": {}}


def test_a_class_can_declare_that_it_answers_from_a_vocabulary():
    class Classifier:
        free_text = False

        def answer(self, questions):
            return [askew.Prediction(q.id, "yes") for q in questions]

    assert "official" in askew.evaluate(Classifier(), SAYING, "accuracy", **QUICK).score("accuracy.all").signature


def test_answers_correct_only_after_normalisation_are_counted_and_reported():
    result = askew.evaluate(says("Yes."), SAYING, "accuracy", **QUICK)
    assert result.results["answer_forms"]["counts"] == {"form counted": 20}
    said = "20 of 20 answers are correct only because case, punctuation, articles and number words are ignored"
    assert said in " ".join(str(result).split())
    assert any(said in span.text for sentence in verdict(result.run, "it") for span in sentence)


def test_answers_wrong_only_by_their_form_are_counted_reported_and_warned_about():
    told = {"Yes.": "form missed", "Yes, it is red.": "extraction missed", "Yes": "form missed"}
    for words, kind in told.items():
        with pytest.warns(UserWarning, match="20 of 20 answers are wrong only because of"):
            result = askew.evaluate(says(words), SAYING, "accuracy", accuracy="official", extract="none", **QUICK)
        assert result.score("accuracy.all").value == 0.0
        assert result.results["answer_forms"]["counts"] == {kind: 20}
        assert "20 of 20 answers are wrong only because of" in str(result)


def test_options_by_number_are_wrong_only_by_their_form_without_extraction():
    asked = [Question(i, None, f"What is {i}?", ("a dog",), choices=("a cat", "a dog")) for i in range(20)]
    with pytest.warns(UserWarning, match=r"20 of 20 answers are wrong only because of.*--extract short"):
        result = askew.evaluate(says("(2)"), asked, "accuracy", extract="none", **QUICK)
    assert result.results["answer_forms"]["counts"] == {"no option": 20, "extraction missed": 20}
    assert askew.evaluate(says("(2)"), asked, "accuracy", extract="short", **QUICK).score("accuracy.all").value == 1.0


def test_the_named_option_does_what_the_error_says():
    for words in ("Yes.", "Yes, it is red."):
        with pytest.warns(UserWarning, match="wrong only because of") as caught:
            askew.evaluate(says(words), SAYING, "accuracy", accuracy="official", extract="none", **QUICK)
        options = str(caught[0].message).rpartition("; ")[2].split()
        named = {a[2:]: b for a, b in pairwise(options) if a.startswith("--")}
        given = {"accuracy": "official", "extract": "none", **named}
        assert askew.evaluate(says(words), SAYING, "accuracy", **given, **QUICK).score("accuracy.all").value == 1.0


def test_a_few_such_answers_are_counted_without_a_remark():
    asked = [Question(i, None, f"Is it {i}?", ("yes",) * 10) for i in range(200)]
    model = Scripted({q.text: "Yes" if q.id == 0 else "yes" for q in asked})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = askew.evaluate(model, asked, "accuracy", **QUICK)
    assert result.results["answer_forms"]["counts"] == {"form missed": 1}
    assert form_sentences(result.results) == []


def test_an_answer_that_extraction_deletes_is_reported():
    asked = [Question(i, None, "Who is this?", ("i can't say",)) for i in range(10)]
    with pytest.warns(UserWarning, match=r"10 of 10 answers would be correct as the model gave them"):
        result = askew.evaluate(says("I can't say"), asked, "accuracy", max_failures=1.0, **QUICK)
    assert result.results["answer_forms"]["counts"] == {"lost": 10}


OPTIONS = [Question(i, None, "What is it?", ("a dog",), choices=("a cat", "a dog")) for i in range(10)]
COLOURS = [Question(i, None, "What color is it?", ("red",) * 10) for i in range(10)]


@pytest.mark.parametrize(
    ("asked", "words", "kind", "sentence"),
    [
        (OPTIONS, "a fish", "no option", "10 of 10 answers name no option, or several"),
        (OPTIONS, "a cat or a dog", "no option", "10 of 10 answers name no option, or several"),
        (SAYING, "a tree", "neither yes nor no", "20 of 20 answers say neither yes nor no"),
        (COLOURS, "red or blue", "several answers", "10 of 10 answers hold several answers"),
    ],
)
def test_replies_without_a_single_answer_are_counted_and_reported(asked, words, kind, sentence):
    result = askew.evaluate(says(words), asked, "accuracy", **QUICK)
    assert result.results["answer_forms"]["counts"] == {kind: len(asked)}
    assert sentence in " ".join(str(result).split())


def test_options_are_read_by_number_and_unknown_numbers_are_counted():
    result = askew.evaluate(says("(2)"), OPTIONS, "accuracy", **QUICK)
    assert result.score("accuracy.all").value == 1.0
    assert result.results["answer_forms"]["counts"] == {"extraction counted": 10}
    for options in ({}, {"extract": "none"}):
        result = askew.evaluate(says("(3)"), OPTIONS, "accuracy", **QUICK, **options)
        assert result.results["answer_forms"]["counts"] == {"no option": 10}


def test_an_explicit_mode_is_kept():
    def mode(suite, spec, **settings):
        return scored_by(Named(suite, spec), print, Settings(**settings)).accuracy

    assert mode(RadSuite(), "rad") == "robust"
    assert mode(RadSuite(), "rad:accuracy=official") == "official"
    assert mode(AccuracySuite(), "accuracy:official") == "official"
    assert mode(AccuracySuite("exact"), "AccuracySuite(accuracy='exact')") == "exact"
    assert mode(RadSuite(), "rad", accuracy="simple") == "simple"
    with pytest.raises(BadOption, match="rad:accuracy=exact and accuracy=robust contradict each other"):
        mode(RadSuite(accuracy="exact"), "rad:accuracy=exact", accuracy="robust")
    with pytest.raises(BadOption, match="No accuracy mode is called 'loose'"):
        mode(RadSuite(), "rad", accuracy="loose")
    assert step_for(Constant(), Settings()) == "none"


def test_a_mode_for_a_suite_without_modes_is_refused():
    class Fixed:
        name, accuracy = "fixed", "official"

    assert scored_by(Named(Fixed(), "fixed"), print, Settings()).accuracy == "official"
    with pytest.raises(BadOption, match="'fixed' has no option 'accuracy'"):
        scored_by(Named(Fixed(), "fixed"), print, Settings(accuracy="robust"))


def test_runs_in_two_modes_are_compared_in_one(tmp_path):
    """The classifier says "yes", the model that talks "Yes.": they do not differ."""
    for name, model in (("a", Constant("yes")), ("b", says("Yes."))):
        askew.evaluate(model, SAYING, "accuracy", output=tmp_path / name, metrics=("accuracy",), **QUICK)
    text = " ".join(terminal_summary([load_run(tmp_path / name) for name in "ab"]).split())
    assert "compared in different modes: constant official;" in text
    assert "--accuracy robust scores all runs in one." in text
    for names in ("ab", "ba"):
        differences = compare_runs([load_run(tmp_path / name) for name in names])
        assert {item["metric"]: (item["of_a"], item["of_b"]) for item in differences if not item["part"]} == {
            "accuracy.all": (1.0, 1.0),
            "accuracy": (1.0, 1.0),
        }


def test_result_files_are_scored_officially_unless_the_option_says_otherwise(tmp_path):
    lines = [{"id": q.id, "image": str(q.id), "question": q.text, "answers": list(q.answers)} for q in SAYING]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "p.json").write_text(json.dumps([{"question_id": q.id, "answer": "Yes."} for q in SAYING]))
    for options, value in (([], 0.0), (["--accuracy", "robust"], 1.0)):
        command = ["score", "q.jsonl", "p.json", "--output", f"o{value}", *options]
        done = run_askew(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        results = json.loads((tmp_path / f"o{value}" / "results.json").read_text())
        assert results["scores"][0]["value"] == value
        assert ("20 of 20 answers are wrong only because of case" in done.stdout) == (value == 0.0)


def test_an_answer_that_counts_without_its_form_is_shown_beside_the_reference_that_it_equals():
    """It read: correct only because of case (e.g. "No" for "No")."""
    result = askew.evaluate(says("Yes"), SAYING, "accuracy", extract="none", accuracy="robust", **QUICK)
    (said,) = form_sentences(result.results)
    assert '(e.g. "Yes" for "yes")' in said


def test_examples_are_cut_between_words():
    questions = [Question(n, None, "What is it?", ("dog",)) for n in range(10)]
    words = "it looks like something that I have never seen in my whole long life"
    result = askew.evaluate(lambda image, question: words, questions, "accuracy", extract="none", accuracy="simple")
    shown = [reply for reply, _ in result.results["answer_forms"]["examples"].values()]
    assert all(reply.endswith(" …") and words.startswith(reply[:-1]) for reply in shown)


def test_a_run_of_a_benchmark_reads_replies_as_its_evaluator_does(tmp_path):
    """Nope is a yes to POPE's evaluator, in a run as in a score."""
    rows = [
        {"question_id": n, "image": f"{n // 2}.jpg", "text": f"Is there a {thing} in the image?", "label": label}
        for n, (thing, label) in enumerate([("dog", "yes"), ("cat", "no")] * 2)
    ]
    path = tmp_path / "coco_pope_random.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model, data = CallableModel(lambda image, question: "Nope.", blind=True), f"pope:{path},skip_bad=true"
    with pytest.warns(UserWarning, match="wrong only because of the words around them"):
        result = askew.evaluate(model, data, "pope")
    short = askew.evaluate(model, data, "pope", extract="short")
    assert [one.results["model"]["extract"] for one in (result, short)] == ["pope-v1", signature("short")]
    assert [one.score("yes").value for one in (result, short)] == [1.0, 0.0]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"question_id": n, "text": "Nope."}) + "\n" for n in range(4)))
    assert main(["score", data, str(answers), "--output", str(tmp_path / "out"), "--quiet"]) == 0
    assert load_run(tmp_path / "out").results["model"]["extract"] == "pope-v1"
