"""Baselines and scripted models."""

from __future__ import annotations

import pytest

from askew.engine.components import Questions
from askew.errors import DataError
from askew.models.baselines import Prior, Scripted, prior
from askew.registry import make
from askew.types import Kind, Question


def asked(text, answers=(), kind=""):
    return Question(1, None, text, answers, Kind("", kind))


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
    with pytest.raises(DataError, match="not a JSON object"):
        make("model", f"scripted:{path}")
    assert repr(Scripted({"a": "b"})) != repr(Scripted({"a": "c"}))
