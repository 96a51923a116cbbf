from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import Colored, groups, questions

from askew.errors import DataError
from askew.nets.net_config import LONGEST_QUESTION, UNKNOWN, QuestionWords
from askew.train.batches import Answers, Encoding, build_table, order
from askew.types import Question


def test_words_are_sorted_by_frequency_and_then_alphabetically():
    words = QuestionWords.of(["red dog", "a dog", "a cat"], least=1)
    assert words.known == ("a", "dog", "cat", "red")
    assert len(words) == 6
    assert QuestionWords.of(["red dog", "a dog"], least=2).known == ("dog",)


def test_unknown_words_have_a_number_and_long_questions_are_truncated():
    words = QuestionWords.of(["red"])
    assert words.encode(["red unicorn"]).tolist() == [[2, UNKNOWN]]
    assert words.encode(["red " * 99]).shape == (1, LONGEST_QUESTION)
    assert words.encode(["?!"]).tolist() == [[0]]


def test_answers_keep_the_spelling_that_people_use_most():
    asked = [Question(1, None, "?", ("T-shirt", "t-shirt", "t-shirt", "the t-shirt"))]
    answers = Answers.of(asked)
    assert answers.known == ("t-shirt",)
    assert answers.find("T shirt") == 0
    assert answers.find("hat") is None


def test_targets_are_the_vqa_accuracy_of_each_answer():
    asked = [Question(1, None, "?", ("yes",) * 6 + ("no",) * 2 + ("maybe", "perhaps"))]
    answers = Answers.of(asked, least=2)
    assert answers.known == ("yes", "no")
    numbers, values = answers.encode(asked)
    assert numbers[0, :3].tolist() == [0, 1, 2], "2 is no answer"
    assert values[0, :3].tolist() == pytest.approx([1.0, 0.6, 0.0])


def test_data_without_frequent_answers_is_reported():
    with pytest.raises(DataError, match="9 times"):
        Answers.of([Question(1, None, "?", ("yes",))], least=9)


def test_a_batch_has_the_fields_of_its_questions():
    asked = questions(12)
    answers = Answers.of(asked)
    encoding = Encoding(
        QuestionWords.of(q.text for q in asked), answers, build_table(Colored(), (q.image for q in asked))
    )
    rows = encoding.rows(asked)
    batch = rows.batch(torch.tensor([3, 1]))
    assert batch.features[:, 0].argmax(dim=1).tolist() == [3, 1], "the colours of images 3 and 1"
    assert batch.answers.argmax(dim=1).tolist() == [answers.find("white"), answers.find(asked[1].answers[0])]
    assert batch.answers[0, answers.find("dark")].item() == pytest.approx(0.3)
    assert batch.tokens.shape == (2, 4), "as long as the longest of these two"
    assert rows.words(torch.tensor([1])).shape == (1, 3)


def test_a_question_without_an_image_has_empty_features():
    asked = [*questions(3), Question("x", None, "Is it red?", ("no",))]
    encoding = Encoding(
        QuestionWords.of(["is it red"]), Answers.of(asked), build_table(Colored(), (q.image for q in asked))
    )
    batch = encoding.rows(asked).batch(torch.tensor([3]))
    assert not batch.mask.any()
    assert not batch.features.any()


def test_pairs_are_aligned_by_test():
    asked = questions(6)
    encoding = Encoding(
        QuestionWords.of(["is it"]), Answers.of(asked), build_table(Colored(), (q.image for q in asked))
    )
    pairs = encoding.pairs(groups(asked))
    assert {test: len(numbers) for test, numbers in pairs.tests.items()} == {"syn": 6, "ant": 4}
    assert torch.equal(pairs.originals.images, pairs.variants.images)
    assert (pairs.same ^ pairs.flips).all()
    assert pairs.flips[pairs.tests["ant"]].all()


def test_the_order_is_a_shuffle_by_seed_and_epoch():
    assert sorted(order(50, 0, 0).tolist()) == list(range(50))
    assert torch.equal(order(50, 3, 1), order(50, 3, 1))
    assert not np.array_equal(order(50, 3, 1), order(50, 3, 2))
    assert not np.array_equal(order(50, 3, 1), order(50, 4, 1))
