"""Val and test ask yes/no questions whose words do not predict the answer; train keeps its priors."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from askew.audit.text_classifier import features, predicted, sparse
from askew.errors import BadOption
from askew.world import splits
from askew.world.ask import Asked, asked, questions_of
from askew.world.dataset import SceneCache, World
from askew.world.phrasing import Draft, Meaning, Pick
from askew.world.scenes import make_scene
from askew.world.splits import YesNoBalance, indices, parts

SCENES = 220


def of_scenes(balanced: bool) -> list[tuple[int, Asked]]:
    """Yes/no questions with the index of their scene."""
    prior = YesNoBalance() if balanced else None
    scenes = [make_scene(31, index) for index in range(SCENES)]
    return [
        (index, one)
        for index, scene in enumerate(scenes)
        for time in range(3)
        for one in asked(scene, time, prior)
        if one.answer_type == "yes/no"
    ]


def text_alone(found: list[tuple[int, Asked]]) -> float:
    """The share of answers that a classifier predicts from words and pairs of words, with folds by scene."""
    labels = np.array([int(one.answer == "yes") for _, one in found])
    folds = np.array([index % 5 for index, _ in found])
    texts = sparse([features(one.text) for _, one in found])
    return float((predicted(texts, labels, folds) == labels).mean())


def test_words_predict_the_answers_of_train_but_not_those_of_val_and_test() -> None:
    balanced, train = of_scenes(balanced=True), of_scenes(balanced=False)
    assert len(balanced) > 0.9 * len(train), "the share of yes/no questions stays"
    assert text_alone(train) > 0.59
    assert text_alone(balanced) < 0.54
    yes = sum(one.answer == "yes" for _, one in balanced) / len(balanced)
    assert 0.46 < yes < 0.54
    kinds = {kind: [one.answer for _, one in balanced if one.kind == kind] for kind in {one.kind for _, one in train}}
    assert all(kinds.values()), "every kind of question is still asked"


def test_only_the_more_probable_answer_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "read", lambda name: {"contact": 0.5, "contact man": 0.3})
    meaning = Meaning("relates", Pick("man"), "wearing", other=Pick("hat"))
    likely, unlikely = Draft("contact", meaning, "yes"), Draft("contact", meaning, "no")
    balance = YesNoBalance()
    assert balance.keeps("contact", unlikely, 0.999)
    assert balance.keeps("contact", likely, exp(-0.8) - 0.001)
    assert not balance.keeps("contact", likely, exp(-0.8) + 0.001)
    assert balance.keeps("color", Draft("contact", meaning, "red"), 0.999)


def test_a_part_of_a_question_is_counted_once() -> None:
    found = parts(Draft("relation", Meaning("relates", Pick("dog", ("brown",)), "left of", other=Pick("dog")), "no"))
    assert len(found) == len(set(found))
    assert "dog left of dog" in found
    assert "dog that is brown" in found


def test_train_keeps_its_questions_and_priors_all_keeps_those_of_every_split(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    for split, priors, same in (("train", "train", True), ("val", "train", False), ("val", "all", True)):
        cache = SceneCache(str(tmp_path), 0, 64, priors=priors)  # type: ignore[arg-type]
        first = list(indices(0, 40, split))[:3]
        found = [kept.question.text for index in first for kept in cache.entry(index)[1]]
        plain = [question.text for index in first for question in questions_of(make_scene(0, index, (64, 64)))]
        assert (found == plain) is same, (split, priors)


def test_priors_that_do_not_exist_and_shifted_ones_are_refused() -> None:
    with pytest.raises(BadOption, match="Give train or all"):
        World(priors="none")  # type: ignore[arg-type]
    with pytest.raises(BadOption, match="Leave priors=all out"):
        World(shifted=True, priors="all")
    assert World(priors="all").fingerprint() != World().fingerprint()
