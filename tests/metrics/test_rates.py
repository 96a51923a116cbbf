from __future__ import annotations

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption
from askew.metrics.rates import AnswerRate

GROUPS = [
    outcome("Yes.", (), variant("no", ()), variant("red", ()), id=1),
    outcome("no", (), variant(None, ()), id=2),
]


def test_by_hand():
    assert [total(AnswerRate(says), GROUPS) for says in ("yes", "no", "other")] == [0.25, 0.5, 0.25]
    assert total(AnswerRate("yes", "original"), GROUPS) == 0.5
    assert total(AnswerRate("other", "variant"), GROUPS) == 0.5
    assert total(AnswerRate("yes"), GROUPS, failed=1.0) == 0.4


def test_refuses_other_rates():
    with pytest.raises(BadOption, match="yes, no, other"):
        AnswerRate("maybe")
