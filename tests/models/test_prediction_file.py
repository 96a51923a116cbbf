"""The remedy for a results file that lacks answers."""

from __future__ import annotations

import pytest

from askew.errors import MissingPredictions
from askew.registry import make
from askew.types import Question


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
