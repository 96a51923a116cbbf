"""The suite ``choices``: every rotation of the options, from a JSONL file to circular accuracy and position bias."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import askew
from askew.cli import main
from askew.data.jsonl import Jsonl
from askew.errors import BadOption, BadRecord, DataError
from askew.perturb.vary_dataset import vary_all
from askew.suites.choices_suite import ChoicesSuite
from askew.types import Expect, Prediction, Question, Refusal, Variant

RECORDS = (
    {"id": 1, "question": "What is it?", "choices": ["a cat", "a dog", "a cow"], "answer": "B"},
    {"id": 2, "question": "Is it wet?", "choices": ["yes", "no"], "answer": "yes", "difficulty": 3},
    {"id": 3, "question": "Which?", "choices": ["x", "y", "both A and B"], "answer": "x"},
    {"id": 4, "question": "Why?", "answer": "because", "difficulty": 1},
)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return str(file)


class Reads:
    """Answers by a rule on the question."""

    free_text = True
    blind = True

    def __init__(self, rule):
        self.rule, self.read = rule, []

    def answer(self, questions):
        self.read += [question.text for question in questions]
        return [Prediction(question.id, self.rule(question)) for question in questions]


def test_rotations_keep_the_answer_by_text(path):
    made = list(ChoicesSuite().groups(Jsonl(path), 0))
    groups = [item for item in made if not isinstance(item, Refusal)]
    assert {item.reason for item in made if isinstance(item, Refusal)} == {
        "not a multiple-choice question",
        "an option speaks of other options",
    }
    first = groups[0]
    assert [v.question.choices for v in first.variants] == [("a dog", "a cow", "a cat"), ("a cow", "a cat", "a dog")]
    assert {v.question.answers for v in first.variants} == {("a dog",)} == {first.original.answers}
    assert {v.expect for g in groups for v in g.variants} == {Expect.SAME}
    assert len(groups[1].variants) == 1


def test_a_model_that_always_says_a_is_correct_once_per_group(path):
    model = Reads(lambda question: "A")
    result = askew.evaluate(model, path, "choices")
    assert "What is it?\nA. a cat\nB. a dog\nC. a cow\nAnswer with" in model.read[0]
    # by hand: 5 questions; A is correct once in a group of three and once in a group of two
    assert result.score("accuracy.all").value == 0.5  # as the data orders them: wrong for 1, right for 2
    assert result.score("accuracy.variant").value == pytest.approx(1 / 3)
    assert result.score("circular").value == 0.0
    assert (result.score("option.A").value, result.score("option.B").value) == (1.0, 0.0)
    assert (result.score("wrong.A").value, result.score("wrong.B").value) == (1.0, 0.0)


def test_a_model_that_knows_is_correct_in_every_order(path):
    result = askew.evaluate(Reads(lambda q: f"It is {q.answers[0]}."), path, "choices")
    assert result.score("circular").value == result.score("cons").value == 1.0
    assert result.score("wrong.A").value != result.score("wrong.A").value  # no wrong answer: a dash


def test_unknown_fields_are_named_once(path, tmp_path, capsys):
    data = Jsonl(path)
    for _ in range(2):
        list(data.questions())
        assert data.remarks == [f"{path}: unknown fields were not read: 'difficulty' (2 records)."]
    remark = "mine.jsonl: unknown fields were not read: 'difficulty' (2 records)."
    assert main(["build", "choices", "--data", path, "--output", str(tmp_path / "bench"), "--quiet"]) == 0
    assert remark in capsys.readouterr().out
    run = ["run", "--model", "constant:A", "--suite", "choices", "--data", path, "--output", str(tmp_path / "run")]
    assert main([*run, "--quiet"]) == 0
    assert remark in capsys.readouterr().err


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"choices": ["a", "b"], "answer": "c"}, "the answer 'c' is not in 'choices'"),
        ({"choices": ["a", "b"], "answer": "C"}, r"or its letter \(A to B\)"),
        ({"choices": ["a"], "answer": "a"}, "'choices' has 1 options"),
        ({"choices": ["a", "a"], "answer": "a"}, "two of 'choices' are 'a'"),
        ({"choices": ["a", " "], "answer": "a"}, "one of 'choices' is blank"),
        ({"choices": "ab", "answer": "a"}, "'choices' must be a list of texts"),
    ],
)
def test_bad_options_are_refused(tmp_path, record, message):
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps({"question": "What?", **record}))
    with pytest.raises(BadRecord, match=message):
        list(Jsonl(str(file)).questions())
    assert not list(Jsonl(str(file), skip_bad=True).questions())


class AsksYesNo:
    """A perturbation with answers of its own."""

    def vary(self, question, rng):
        yield Variant(replace(question, id=f"{question.id}/yes", answers=("yes",)), Expect.GIVEN, "t", "rule")
        yield Variant(replace(question, id=f"{question.id}/same", text="Which?"), Expect.SAME, "t", "rule")


def test_options_of_the_original_are_dropped_with_other_answers():
    asked = Question(1, None, "What color is it?", ("red",), choices=("red", "white"))
    (group,) = vary_all(AsksYesNo(), [asked], 0, "s")
    assert [variant.question.choices for variant in group.variants] == [(), ("red", "white")]


def test_data_without_options_and_bad_letters_are_refused(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"question": "Why?", "answer": "because"}))
    with pytest.raises(DataError, match="1 not a multiple-choice question"):
        askew.evaluate("constant:A", str(file), "choices")
    with pytest.raises(BadOption, match="Give different capital letters"):
        ChoicesSuite("aB")


def test_letters_in_a_file_of_answers_count(path, tmp_path):
    answers = {1: "B", "1/rotation-1": "A", "1/rotation-2": "(C)", 2: "yes", "2/rotation-1": "A"}
    file = tmp_path / "answers.json"
    file.write_text(json.dumps([{"question_id": key, "answer": answer} for key, answer in answers.items()]))
    result = askew.evaluate(f"predictions:{file}", path, "choices")
    assert result.run.results["answer_forms"]["counts"] == {}  # a letter is an answer, whatever is extracted
    assert result.score("accuracy.all").value == 1.0
    assert result.score("circular").value == 0.5  # the last rotation of 2 says "no"


def test_runs_on_options_are_compared_and_gated(tmp_path, capsys):
    """Always A against always B, by hand: each is correct wherever the correct option has its letter."""
    records = [
        {"id": n, "image": f"{n}.jpg", "question": f"What is {n}?", "choices": ["x", "y"], "answer": "AB"[n % 3 == 0]}
        for n in range(12)
    ]  # A is correct 8 of 12 times
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    asked = ["--data", str(path), "--suite", "choices", "--output", str(tmp_path / "run"), "--quiet"]
    assert main(["run", "--model", "constant:A", "--model", "constant:Option B", *asked]) == 0
    runs = [str(tmp_path / "run" / name) for name in ("constant-A", "constant-Option-B")]
    capsys.readouterr()
    assert main(["compare", *runs]) == 0
    assert "66.7" in capsys.readouterr().out  # accuracy of A; B has 33.3
    assert main(["gate", runs[0], "--require", "accuracy.all>=0.6", "--require", "wrong.A>=0.99"]) == 0
    assert main(["gate", runs[0], "--require", "circular>=0.1"]) == 1
    assert "The value 0.0 is not >= 10.0" in capsys.readouterr().out
