"""A model that fails on every question is stopped soon; one that fails now and then is not."""

from __future__ import annotations

import pytest

import askew
from askew.engine.ask import FAILED_ALIKE, count_failures
from askew.errors import BadOption, InARow, ModelError
from askew.models.python_function import CallableModel
from askew.types import Prediction, Question
from running import run_askew, write_questions

QUESTIONS = [Question(number, None, f"What color is car {number}?", ("red",) * 10) for number in range(300)]


class Failing:
    """Fails where ``fails(number of the question)`` is true, with this error; answers in batches or one by one."""

    def __init__(self, fails, error="out of memory"):
        self.fails, self.error, self.asked = fails, error, []

    def predict(self, question):
        number = int(question.text.split()[-1].rstrip("?"))
        self.asked.append(number)
        if self.fails(number):
            return Prediction(question.id, None, error=self.error.format(number=number))
        return Prediction(question.id, "red")

    def __repr__(self):
        return "Failing()"


class Together(Failing):
    def answer(self, questions):
        return [self.predict(question) for question in questions]


class OneByOne(Failing):
    def stream(self, questions):
        return map(self.predict, questions)


def evaluate(model, **settings):
    return askew.evaluate(model, QUESTIONS, "accuracy", max_failures=1.0, **settings)


@pytest.mark.parametrize("kind", [Together, OneByOne])
@pytest.mark.parametrize(
    "error",
    [
        "out of memory",
        "KeyError: 'car {number}'\\n  line {number}",
        "http 500: {number}",
        "img/{number}a.png: no image",
    ],
)
def test_a_model_that_always_fails_is_stopped(kind, error):
    model = kind(lambda number: True, error)
    with pytest.raises(ModelError, match=r"failed on 50 questions in a row in the same way; the last.*--stop-after"):
        evaluate(model, batch_size=7)
    assert len(model.asked) == (50 if kind is OneByOne else 56)


def test_a_function_that_always_raises_is_stopped():
    def broken(image, question):
        raise ValueError(f"no weights for {question!r}")

    with pytest.raises(ModelError, match=r"in a row in the same way; the last: ValueError: no weights"):
        evaluate(broken)
    with pytest.raises(ModelError, match="12 questions in a row"):
        evaluate(CallableModel.of(broken, batch=True), stop_after=12)


@pytest.mark.parametrize("kind", [Together, OneByOne])
def test_scattered_or_different_failures_do_not_stop_a_run(kind):
    model = kind(lambda number: number % 10 != 0)
    assert evaluate(model, stop_after=10).results["failures"]["count"] == 270
    turns = InARow(2, FAILED_ALIKE)
    for number in range(100):
        count_failures(turns, [Prediction(number, None, error=("boom", "bang")[number % 2])])


@pytest.mark.parametrize("size", [1, 7, 64, 500])
def test_where_it_stops_does_not_depend_on_the_size_of_batches(size, tmp_path):
    model = Together(lambda number: 20 <= number < 80)
    with pytest.raises(ModelError, match="failed on 60 questions"):
        evaluate(model, batch_size=size, stop_after=60)
    assert evaluate(Together(model.fails), batch_size=size, stop_after=61).results["failures"]["count"] == 60


def test_zero_never_stops_and_negative_values_are_refused():
    model = Together(lambda number: True)
    assert evaluate(model, stop_after=0).results["failures"]["count"] == 300
    with pytest.raises(BadOption, match="stop_after is -1"):
        evaluate(model, stop_after=-1)


def test_answers_before_the_stop_are_kept_and_the_run_resumes(tmp_path):
    with pytest.raises(ModelError, match="in a row"):
        evaluate(Together(lambda number: number >= 100), output=tmp_path)
    repaired = Together(lambda number: False)
    assert evaluate(repaired, output=tmp_path).score("accuracy.all").n == 300
    assert repaired.asked == list(range(100, 300))


def test_the_command_stops_and_its_option_works(tmp_path):
    write_questions(tmp_path / "q.jsonl", 100)
    (tmp_path / "broken.py").write_text("def answer(image, question):\n    raise ValueError('no luck')\n")
    command = ["run", "--model", "python:broken:answer,blind=true", "--data", "q.jsonl", "--suite", "accuracy"]
    command += ["--output", "o", "--quiet", "--batch-size", "5"]
    stopped = run_askew(*command, "--stop-after", "20", cwd=tmp_path)
    assert stopped.returncode == 2
    assert "failed on 20 questions in a row in the same way; the last: ValueError: no luck." in stopped.stderr
    assert run_askew(*command, "--stop-after", "0", cwd=tmp_path).returncode == 3


def test_a_file_that_lacks_many_answers_in_a_row_is_scored(tmp_path):
    write_questions(tmp_path / "q.jsonl", 100)
    (tmp_path / "answers.jsonl").write_text('{"id": 99, "answer": "green"}\n')
    command = ["score", "q.jsonl", "answers.jsonl", "--allow-missing", "--output", "o"]
    assert run_askew(*command, cwd=tmp_path).returncode == 0
