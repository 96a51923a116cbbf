"""Answers of another program as a model, and the remedy for a file that lacks some."""

from __future__ import annotations

import json

import pytest

from askew.errors import MissingPredictions
from askew.models.prediction_file import Predictions
from askew.registry import make
from askew.types import Question


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
    assert model.answer([Question(1, None, "Is it?")])[0].answer == "no"
    with pytest.raises(MissingPredictions, match="allow-missing"):
        model.answer([Question(2, None, "Why?")])
    lenient = Predictions(str(path), allow_missing=True)
    assert lenient.answer([Question(2, None, "Why?")])[0].failed


def test_the_advice_for_missing_predictions_works_when_it_is_followed(tmp_path):
    path = tmp_path / "half.jsonl"
    path.write_text('{"id": 1, "answer": "no"}\n')
    asked = [Question(1, None, "Is it?"), Question(2, None, "Why?")]
    with pytest.raises(MissingPredictions) as caught:
        make("model", f"predictions:{path}").answer(asked)
    advice = f"predictions:{path},allow_missing=true"
    assert advice in str(caught.value)
    assert "askew score --allow-missing" in str(caught.value)
    assert [prediction.answer for prediction in make("model", advice).answer(asked)] == ["no", None]
