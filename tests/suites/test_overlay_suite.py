"""The suite ``overlay``: wrong answers and unrelated words written on images."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import askew
from askew.engine.components import Questions
from askew.files.images import encode, open_image
from askew.perturb.visual.overlay import FORMS, UNRELATED, labelled
from askew.suites.overlay_suite import OverlaySuite
from askew.types import Group, Prediction, Question, Refusal

GREY = Image.new("RGB", (200, 160), (90, 120, 90))


def asked(key, text, answer="yes", size=(200, 160)):
    return Question(key, encode(GREY.resize(size), "png"), text, (answer,))


def test_labels_of_a_pair_have_the_same_size_and_place():
    for form in FORMS:
        wrong, other = (np.asarray(labelled(GREY, word, form, ("no", "thursday"))) for word in ("no", "thursday"))
        plain = np.asarray(GREY)
        hidden = [(one != plain).any(axis=2) for one in (wrong, other)]
        assert np.array_equal(*hidden), form
        assert 0.01 < hidden[0].mean() < 0.2, form
        assert not np.array_equal(wrong, other)
        assert wrong.sum() > other.sum(), "fewer letters"
        rows = np.flatnonzero(hidden[0].any(axis=1))
        assert (rows[-1] == 159) if form == "low" else (rows[0] == 3), form
    small = labelled(Image.new("RGB", (64, 64)), "a very long wrong answer", "large")
    assert small.size == (64, 64)


def test_the_wrong_answer_and_an_unrelated_word_are_written():
    (group,) = OverlaySuite("png").groups(Questions((asked(1, "Is it wet?"),)), 0)
    assert [(v.test, v.made_by, v.note["level"]) for v in group.variants] == [
        (form, f"overlay/{rule}", level) for form in FORMS for rule, level in (("wrong", 1), ("unrelated", 0))
    ]
    assert {v.note["claim"] for v in group.variants if v.note["level"]} == {"no"}
    (control,) = {v.note["claim"] for v in group.variants if not v.note["level"]}
    assert control in UNRELATED
    assert {v.question.text for v in group.variants} == {"Is it wet?"}
    first = open_image(group.variants[0].question.image)
    assert np.array_equal(first, labelled(GREY, "no", "small", ("no", control)))
    assert list(OverlaySuite("png").groups(Questions((asked(1, "Is it wet?"),)), 0)) == [group]


def test_refusals():
    cases = {
        "What does the sign say?": "it asks about text",
        "What number is it?": "it asks about text",
        "What is this?": "no other answer of its kind is certainly wrong",
    }
    for text, reason in cases.items():
        made = list(OverlaySuite().groups(Questions((asked(1, text, "a cat"),)), 0))
        assert {one.reason for one in made if isinstance(one, Refusal)} == {reason}
    made = list(
        OverlaySuite().groups(Questions((asked(1, "Is it?", size=(60, 90)), Question(2, None, "Is it?", ("no",)))), 0)
    )
    assert not [one for one in made if isinstance(one, Group)]
    assert {one.reason for one in made} == {"its image has a side of less than 64 pixels", "there is no image"}


class Reads:
    """Says "no" where the label is high, whatever is written on it."""

    free_text = False

    def answer(self, questions):
        rows = [(np.asarray(open_image(one.image)) > 240).all(axis=2).any(axis=1).sum() for one in questions]
        return [Prediction(one.id, "no" if high > 22 else "yes") for one, high in zip(questions, rows, strict=True)]


def test_a_model_that_labels_confuse_by_hand():
    """Correct without a label and with the small one, wrong with both large ones, whatever they say."""
    data = Questions(tuple(asked(n, f"Is thing {n} wet?") for n in range(3)))
    result = askew.evaluate(Reads(), data, "overlay", quiet=True)
    assert result.score("accuracy.original").value == 1.0
    assert result.score("accuracy.noise.1").value == pytest.approx(1 / 3)
    assert result.score("accuracy.variant", "made_by=overlay/unrelated").value == pytest.approx(1 / 3)
    assert (result.score("claim.before").value, result.score("claim.after").value) == (0.0, pytest.approx(2 / 3))
