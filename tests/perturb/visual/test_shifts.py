"""Slight changes of images, what they refuse, and the common corruptions besides the usual five."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from PIL import Image

from askew.errors import BadOption
from askew.files.images import encode, open_image
from askew.metrics.noise import CorruptionError
from askew.perturb.visual import ALL_KINDS, KINDS, SHIFTS, Corruption, Shifts, corrupted
from askew.perturb.visual.shifts import CHANGE, parsed, unfit
from askew.types import Expect, Group, Outcome, Prediction, Question, Refusal, Variant

MORE = ALL_KINDS[len(KINDS) :]


def photo(size=(96, 80)):
    """Coloured blocks with a gradient."""
    rng = np.random.default_rng(3)
    blocks = Image.fromarray(rng.integers(40, 216, (5, 6, 3), dtype=np.uint8))
    return blocks.resize(size, Image.Resampling.BICUBIC)


def asked(text, *answers, size=(96, 80)):
    return Question(1, encode(photo(size), "png"), text, answers or ("yes",))


def test_every_change_is_slight_and_repeatable():
    picture, question = photo(), asked("Is it wet?")
    made = list(Shifts().vary(question, Random(0)))
    assert [one.made_by for one in made] == [f"shift/{change}" for change in SHIFTS]
    assert made == list(Shifts().vary(question, Random(1))), "nothing is random"
    sizes = {one.made_by: open_image(one.question.image).size for one in made}
    assert sizes.pop("shift/pad-16") == (128, 112)
    assert sizes.pop("shift/crop-5") == (88, 72)
    assert set(sizes.values()) == {(96, 80)}
    shifted = np.asarray(CHANGE["shift"](picture, 4))
    assert np.array_equal(shifted[4:, 4:], np.asarray(picture)[:-4, :-4])
    assert np.array_equal(shifted[0, 4:], np.asarray(picture)[0, :-4])
    for change in ("resample-75", "jpeg-90", "rotate-2"):
        kind, amount = parsed(change)
        moved = np.abs(np.asarray(CHANGE[kind](picture, amount), int) - np.asarray(picture, int))
        assert 0 < moved.mean() < 6, change
    assert np.array_equal(np.asarray(CHANGE["flip"](CHANGE["flip"](picture, 0), 0)), np.asarray(picture))


def test_changes_that_may_change_the_answer_are_refused():
    reasons = {
        ("Is the man on the left tall?", "flip"): "it asks about sides",
        ("What does the sign say?", "flip"): "it asks about text",
        ("How many dogs?", "crop"): "it counts what may be at the border",
        ("Is there a dog?", "crop"): "it asks whether something is there, which may be at the border",
        ("Who is in the corner?", "crop"): "it asks about a place in the image",
        ("Is the pole straight?", "rotate"): "it asks about angles",
        ("Is the man tall?", "flip"): "",
        ("How many dogs?", "flip"): "",
        ("What does the sign say?", "jpeg"): "",
    }
    assert {pair: unfit(asked(pair[0]), pair[1]) for pair in reasons} == reasons
    assert unfit(asked("Where does he look?", "to the left"), "flip") == "it asks about sides"
    (small,) = Shifts(("flip",)).vary(asked("Is it wet?", size=(63, 80)), Random(0))
    assert isinstance(small, Refusal)
    assert small.reason == "its image has a side of less than 64 pixels"


def test_bad_changes_are_refused():
    for wrong in ("shear-3", "rotate-45", "rotate", "jpeg-0", "flip-1", "shift-x"):
        with pytest.raises(BadOption, match="No slight change is called"):
            Shifts((wrong,))


def test_more_severe_corruptions_are_further_from_the_original():
    """Fog draws other clouds each time, so only its ends are compared."""
    picture = photo((128, 128))
    values = np.asarray(picture, dtype=int)
    for kind in MORE:
        made = [corrupted(picture, kind, level, Random(f"{kind}")) for level in range(1, 6)]
        assert {image.size for image in made} == {picture.size}
        far = [np.abs(np.asarray(image, dtype=int) - values).mean() for image in made]
        assert 0 < far[0] < far[-1], kind
        assert kind == "fog" or far == sorted(far), (kind, far)
        assert np.array_equal(np.asarray(corrupted(picture, kind, 3, Random(kind))), np.asarray(made[2])), kind


def test_shot_noise_is_poisson():
    """White is 60 photons at severity 1: a mean of 255 x 30 / 60 has a standard deviation of 255 x sqrt(30) / 60."""
    half = Image.new("RGB", (200, 200), (128, 128, 128))
    noisy = np.asarray(corrupted(half, "shot", 1, Random(5)), dtype=int)
    photons = 128 * 60 / 255
    assert noisy.mean() == pytest.approx(128, abs=1)
    assert noisy.std() == pytest.approx(255 * photons**0.5 / 60, rel=0.03)
    salted = np.asarray(corrupted(half, "impulse", 5, Random(5)), dtype=int)
    assert [(salted == value).mean() for value in (0, 255)] == pytest.approx([0.135, 0.135], abs=0.005)


def test_mean_corruption_error_by_hand():
    """Clean right; noise right and wrong, fog wrong: (1/2 + 1) / 2, and the same above a clean error of 0."""
    question = asked("Is it wet?")
    tests = ("noise", "noise", "fog")
    group = Group(1, "corruption", question, tuple(Variant(question, Expect.SAME, one, one) for one in tests))
    said = tuple(Prediction(1, answer) for answer in ("yes", "no", "no"))
    assert CorruptionError().measure(Outcome(group, Prediction(1, "yes"), said)) == (0.75, 1.0)
    assert CorruptionError(True).measure(Outcome(group, Prediction(1, "no"), said)) == (-0.25, 1.0)
    assert CorruptionError().measure(Outcome(group, Prediction(1, "yes"), (*said[:2], Prediction(1, None)))) is None
    assert len(list(Corruption(ALL_KINDS, (3,)).vary(question, Random(0)))) == 12
