"""Simulated annotators: the true answer is always the most frequent, and agreement is that of VQA."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from random import Random

import pytest

from askew.answers.normalise import modal_answer, normalise
from askew.language.inflect import number_of
from askew.metrics.accuracy import accuracy
from askew.types import Question
from askew.world.annotators import answered, holds
from askew.world.ask import asked_and_answered
from askew.world.phrasing import Asked, Meaning
from askew.world.scenes import make_scene
from askew.world.write_world import agreement_of


@cache
def answers() -> list[tuple[Asked, Question]]:
    return [pair for index in range(310) for pair in asked_and_answered(make_scene(12, index), 12)]


def counting(number: int) -> Asked:
    return Asked("How many?", str(number), Meaning("count"), "count", "number", "how many")


def test_the_most_frequent_answer_is_always_the_true_one() -> None:
    for asked, question in answers():
        assert modal_answer(question.answers, normalise) == normalise(asked.answer)
        assert Counter(question.answers).most_common(1)[0][0] == asked.answer
        assert accuracy(asked.answer, question.answers) == 1.0


def test_ten_answers_in_lower_case_each_with_a_confidence() -> None:
    for _, question in answers():
        assert len(question.answers) == len(question.confidences) == 10
        assert set(question.confidences) <= {"yes", "maybe", "no"}
        assert all(answer == answer.lower() and answer for answer in question.answers)


def test_about_a_third_of_the_questions_are_unanimous() -> None:
    same = [len(set(map(normalise, question.answers))) == 1 for _, question in answers()]
    assert 0.28 <= sum(same) / len(same) <= 0.40


def test_one_annotator_against_the_other_nine_is_as_accurate_as_in_vqa() -> None:
    by_type = defaultdict(list)
    for _, question in answers():
        by_type[question.kind.answer_type].append(agreement_of(question.answers))
    mean = {name: sum(values) / len(values) for name, values in by_type.items()}
    every = [value for values in by_type.values() for value in values]
    assert 0.83 <= sum(every) / len(every) <= 0.90
    assert mean["yes/no"] > mean["number"] > mean["other"]


def test_agreement_by_hand() -> None:
    """Of 2 2 two 3: each of the three who say two has two others of three needed; the fourth has none."""
    assert agreement_of(("2", "2", "two", "3")) == pytest.approx(3 * (2 / 3) / 4)


def test_miscounts_grow_with_the_number() -> None:
    def wrong(number: int) -> float:
        people = [a for seed in range(150) for a in answered(counting(number), Random(f"{number}:{seed}"))[0]]
        return sum(number_of(answer) != number for answer in people) / len(people)

    assert wrong(1) < wrong(3) < wrong(6)


def test_annotators_use_different_words() -> None:
    asked = Asked("What?", "bicycle", Meaning("what"), "riding", "other", "what")
    said = Counter(answer for seed in range(100) for answer in answered(asked, Random(str(seed)))[0])
    assert said.most_common(1)[0][0] == "bicycle"
    assert said["bike"] > 30
    asked = Asked("Where?", "on sofa", Meaning("where"), "where", "other", "where is the")
    said = Counter(answer for seed in range(100) for answer in answered(asked, Random(str(seed)))[0])
    assert {"on the sofa", "sofa", "on couch"} <= set(said)
    said = Counter(answer for seed in range(100) for answer in answered(counting(2), Random(str(seed)))[0])
    assert said["two"] > 10


def test_wrong_answers_have_lower_confidence() -> None:
    sure = {True: Counter[str](), False: Counter[str]()}
    for asked, question in answers():
        for answer, confidence in zip(question.answers, question.confidences, strict=True):
            sure[normalise(answer) == normalise(asked.answer)][confidence] += 1
    share = {right: counts["yes"] / counts.total() for right, counts in sure.items()}
    assert share[True] > share[False] + 0.2


def test_an_answer_tied_with_another_is_not_the_modal_answer() -> None:
    assert not holds("red", ("red",) * 5 + ("blue",) * 5)
    assert holds("red", ("red",) * 5 + ("blue",) * 4 + ("green",))
