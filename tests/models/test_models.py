"""Baselines, functions and files as models."""

from __future__ import annotations

import json
import sys

import pytest
from PIL import Image

from askew.engine.components import Questions
from askew.errors import DataError, MissingPredictions, ModelError
from askew.models.baselines import Prior, Scripted, prior
from askew.models.prediction_file import Predictions
from askew.models.python_function import CallableModel, PythonModel
from askew.registry import make
from askew.types import ImageRef, Kind, Question


def asked(text, answers=(), kind="", number=1):
    return Question(number, None, text, answers, Kind("", kind))


TRAINING = Questions(
    (
        asked("How many cats?", ("2", "2", "3"), "how many"),
        asked("How many dogs?", ("2",), "how many"),
        asked("How many cows?", ("4",), "how many"),
        asked("Is it a cat?", ("no", "no"), "is it a"),
        asked("Is it a dog?", ("no",), "is it a"),
        asked("Is it a cow?", ("no",), "is it a"),
    )
)


def test_prior_says_the_most_frequent_answer_of_the_type():
    model = prior(TRAINING)
    predictions = model.answer([asked("How many birds?", kind="how many"), asked("Is it raining?", kind="is it a")])
    assert [prediction.answer for prediction in predictions] == ["2", "no"]


def test_prior_of_an_unknown_type_says_the_most_frequent_of_all():
    assert prior(TRAINING).answer([asked("Why?", kind="why")])[0].answer == "no"


def test_prior_signature_changes_with_the_data_it_was_fitted_on():
    other = prior(Questions((asked("How many?", ("9",), "how many"),)))
    assert isinstance(other, Prior)
    assert repr(other) != repr(prior(TRAINING))
    assert repr(prior(TRAINING)) == repr(prior(TRAINING))


def test_prior_without_answers_is_refused():
    with pytest.raises(DataError, match="no prior can be fitted"):
        prior(Questions((asked("Why?"),)))


def test_scripted_from_a_file(tmp_path):
    path = tmp_path / "script.json"
    path.write_text('{"Is it raining?": "no"}')
    model = make("model", f"scripted:{path},otherwise=maybe")
    assert [p.answer for p in model.answer([asked("Is it raining?"), asked("Why?")])] == ["no", "maybe"]
    path.write_text("[1]")
    with pytest.raises(DataError, match="expected one JSON object"):
        make("model", f"scripted:{path}")
    assert repr(Scripted({"a": "b"})) != repr(Scripted({"a": "c"}))


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "mymodel.py").write_text(
        "def width(image, question):\n    return str(image.width) if image else question\n"
        "def widths(images, questions):\n    return [str(i.width) for i in images]\n"
        "def short(images, questions):\n    return ['one']\n"
        "def number(image, question):\n    return 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mymodel", raising=False)
    Image.new("RGB", (7, 5)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"not an image")
    return tmp_path


def test_a_function_by_name_one_at_a_time_or_in_batches(module):
    question = Question(1, ImageRef("a", path=str(module / "a.png")), "How wide?")
    assert make("model", "python:mymodel:width").answer([question])[0].answer == "7"
    assert make("model", "python:mymodel:widths,batch=true").answer([question, question])[1].answer == "7"
    assert make("model", "python:mymodel:width").answer([asked("no picture")])[0].answer == "no picture"


def test_one_bad_image_costs_a_batch_only_that_answer(module):
    good = Question(1, ImageRef("a", path=str(module / "a.png")), "How wide?")
    bad = Question(2, ImageRef("b", path=str(module / "b.png")), "How wide?")
    for spec in ("python:mymodel:width", "python:mymodel:widths,batch=true"):
        predictions = make("model", spec).answer([good, bad, good])
        assert [prediction.answer for prediction in predictions] == ["7", None, "7"]
        assert "BadImage" in (predictions[1].error or "")


def test_values_that_are_not_strings_are_not_answers(module):
    prediction = PythonModel("mymodel:number").answer([asked("How many?")])[0]
    assert prediction.failed
    assert "returned int" in (prediction.error or "")


def test_a_batch_function_must_answer_every_question(module):
    with pytest.raises(ModelError, match="one answer for each question"):
        PythonModel("mymodel:short", batch=True).answer([asked("a"), asked("b")])


@pytest.mark.parametrize("spec", ["mymodel", "mymodel:nothing", "no_such_module:f", "mymodel:__name__"])
def test_missing_functions_are_refused_at_once(module, spec):
    with pytest.raises(ModelError):
        PythonModel(spec)


def test_an_edited_function_is_another_model(module):
    before = repr(PythonModel("mymodel:width"))
    (module / "mymodel.py").write_text((module / "mymodel.py").read_text() + "\n# edited\n")
    assert repr(PythonModel("mymodel:width")) != before


def test_a_function_object_is_a_model():
    model = CallableModel.of(lambda image, question: question.upper())
    assert model.answer([asked("why?")])[0].answer == "WHY?"


def test_functions_that_hold_other_values_are_other_models():
    def sayer(word):
        return lambda image, question: word

    assert repr(CallableModel.of(sayer("yes"))) != repr(CallableModel.of(sayer("no")))
    assert repr(CallableModel.of(sayer("yes"))) == repr(CallableModel.of(sayer("yes")))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"question_id": 1, "answer": "no"}]),
        json.dumps([{"questionId": 1, "prediction": "no"}]),
        '{"id": 1, "answer": "no"}\n',
    ],
)
def test_predictions_from_files_of_any_format(tmp_path, content):
    path = tmp_path / ("answers.jsonl" if content.endswith("\n") else "answers.json")
    path.write_text(content)
    model = Predictions(str(path))
    assert model.answer([asked("Is it?")])[0].answer == "no"
    with pytest.raises(MissingPredictions, match="allow-missing"):
        model.answer([asked("Why?", number=2)])
    lenient = Predictions(str(path), allow_missing=True)
    assert lenient.answer([asked("Why?", number=2)])[0].failed
