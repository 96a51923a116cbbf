from __future__ import annotations

import pytest
from outcomes_by_hand import outcome, variant

from askew.errors import BadOption
from askew.metrics.correct import check_correct, judged, judged_pairs, right
from askew.types import ImageRef, Prediction, Question

ASKED = Question(1, None, "How many?", ("2",) * 6 + ("3",) * 3 + ("lots",))


@pytest.mark.parametrize(
    ("answer", "modal", "some", "half", "over"),
    [
        ("two", True, True, True, True),  # accuracy 1
        ("3", False, True, True, False),  # .9
        ("lots", False, True, False, False),  # .3
        ("4", False, False, False, False),
    ],
)
def test_rules_for_correct_answers(answer, modal, some, half, over):
    said = Prediction(1, answer)
    assert right(ASKED, said, "modal") is modal
    assert right(ASKED, said, "any") is some
    assert right(ASKED, said, ">=0.5") is half
    assert right(ASKED, said, ">0.9") is over


def test_modal_is_normalised_even_when_people_are_unanimous():
    unanimous = Question(1, None, "?", ("yes",) * 10)
    assert right(unanimous, Prediction(1, "Yes."), "modal")
    assert not right(unanimous, Prediction(1, "Yes."), "any")  # sic: the official accuracy is 0
    assert right(unanimous, Prediction(1, "Yes."), "any", "robust")


def test_exact_is_exact():
    single = Question(1, None, "?", ("yes",))
    assert right(single, Prediction(1, "yes"), "modal", "exact")
    assert not right(single, Prediction(1, "Yes"), "modal", "exact")


def test_an_answer_that_is_missing_or_cannot_be_judged_is_not_correct():
    assert not right(ASKED, Prediction(1, None, error="timeout"))
    assert not right(Question(1, None, "?"), Prediction(1, "yes"))


@pytest.mark.parametrize(
    ("image", "said", "correct"),
    [
        (None, "uncertain", True),  # the authors: "if there is no visual supplement and the model does not know"
        (None, "Yes.", True),
        (None, "no", False),
        (ImageRef("a.png"), "uncertain", False),
        (ImageRef("a.png"), "yes", True),
    ],
)
def test_unsure_counts_as_correct_only_without_an_image(image, said, correct):
    question = Question(1, image, "Is it?", ("yes",))
    assert right(question, Prediction(1, said), "modal-or-unsure") is correct
    refusal = judged(question, Prediction(1, None, error="refusal"), None, "modal-or-unsure", "robust")
    assert refusal == float(image is None)
    assert judged(question, Prediction(1, None, error="timeout"), None, "modal-or-unsure", "robust") is None


def test_pairs_with_unknown_answers_are_left_out():
    one = outcome("red", "red", variant("red", "red"), variant(None, "red"), variant("x", "red"), variant("x", ()))
    assert judged_pairs(one, None, "modal", "official") == [(1.0, 1.0), (1.0, 0.0)]
    assert judged_pairs(one, 1.0, "modal", "official") == [(1.0, 1.0), (1.0, 1.0), (1.0, 0.0)]
    assert judged_pairs(outcome(None, "red", variant("red", "red")), None, "modal", "official") == []


@pytest.mark.parametrize("correct", ["model", ">=2", "> -1", "0.5", ">=nan", ""])
def test_unknown_rules_are_refused(correct):
    with pytest.raises(BadOption, match="Try 'modal', 'any'"):
        check_correct(correct, "official")
