"""Basic questions appended to a question: order, partitions, word limits, what is refused."""

from dataclasses import dataclass, field
from random import Random

import pytest

from askew.errors import BadOption
from askew.perturb.basic_questions import BasicQuestions, appended
from askew.types import Expect, ImageRef, Kind, Question, Refusal


@dataclass(frozen=True)
class Found:
    questions: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """A hand-written ranking that counts its calls."""

    known: dict
    name: str = "lasso"
    signature: str = "0123456789abcdef"
    asked: list = field(default_factory=list)

    def nearest(self, texts):
        self.asked.append(list(texts))
        return {text: self.known[text] for text in texts if text in self.known}


# The first example of the paper's Table 1.
OLD = Found(
    (
        "How old is the truck?",
        "How old is this car?",
        "How old is the vehicle?",
        "What number is the car?",
        "Why?",
        "So?",
    ),
    (0.2952, 0.2401, 0.1416, 0.1195, 0.0933, 0.0630),
)
QUESTION = Question(5, ImageRef(3), "How old is the car?", ("2 years",) * 10, Kind("other", "how"), context="c")


def vary(question=QUESTION, **options):
    table = Table({QUESTION.text: OLD})
    return list(BasicQuestions((table,), **{"partitions": 2, **options}).vary(question, Random(0)))


def test_three_consecutive_basic_questions_follow_the_main_question():
    first, second = vary()
    assert (
        first.question.text == "How old is the car? How old is the truck? How old is this car? How old is the vehicle?"
    )
    assert second.question.text == "How old is the car? What number is the car? Why? So?"
    assert (first.expect, first.test, first.made_by) == (Expect.NOISE, "partition 1", "basic/lasso")
    assert first.note == {
        "level": 1,
        "basic": ["How old is the truck?", "How old is this car?", "How old is the vehicle?"],
        "scores": [0.2952, 0.2401, 0.1416],
        "truncated": 0,
        "ranking": "0123456789abcdef",
    }
    assert (second.test, second.note["level"]) == ("partition 2", 2)


def test_only_text_and_id_change():
    first, second = vary()
    for made in (first.question, second.question):
        assert (made.image, made.answers, made.kind, made.context) == (
            QUESTION.image,
            QUESTION.answers,
            QUESTION.kind,
            "c",
        )
    assert len({first.question.id, second.question.id, QUESTION.id}) == 3


@pytest.mark.parametrize(
    ("words", "text", "cut"),
    [
        (20, "How old is the car? How old is the truck? How old is this car? How old is the vehicle?", 0),
        (19, "How old is the car? How old is the truck? How old is this car? How old is the", 1),
        (6, "How old is the car? How", 14),
    ],
)
def test_the_noise_is_cut_at_the_word_limit_and_the_note_says_so(words, text, cut):
    made = vary(words=words)[0]
    assert made.question.text == text
    assert made.note["truncated"] == cut
    assert len(made.note["basic"]) == 3


def test_a_question_without_room_for_noise_is_refused():
    assert [item.reason for item in vary(words=5)] == ["the question alone fills the 5 words"] * 2
    assert all(isinstance(item, Refusal) for item in vary(words=1))


def test_too_few_basic_questions_are_refused_partition_by_partition():
    made = vary(partitions=3)
    assert [type(item).__name__ for item in made] == ["Variant", "Variant", "Refusal"]
    assert (made[2].test, made[2].reason) == ("partition 3", "too few basic questions")


def test_an_unknown_question_is_refused():
    made = vary(Question(6, None, "Is it?"))
    assert [item.test for item in made] == ["partition 1", "partition 2"]
    assert {item.reason for item in made} == {"the question is not in the file of basic questions"}


def test_several_rankings_side_by_side():
    one, other = Table({QUESTION.text: OLD}), Table({QUESTION.text: OLD}, "bleu4", "f" * 16)
    made = list(BasicQuestions((one, other), 2).vary(QUESTION, Random(0)))
    assert [variant.test for variant in made] == ["lasso 1", "lasso 2", "bleu4 1", "bleu4 2"]
    assert [variant.made_by for variant in made] == ["basic/lasso"] * 2 + ["basic/bleu4"] * 2
    assert len({variant.question.id for variant in made}) == 4
    assert made[2].note["ranking"] == "f" * 16


def test_two_rankings_of_one_name_are_refused():
    with pytest.raises(BadOption, match="named twice"):
        BasicQuestions((Table({}), Table({})))


def test_prepare_ranks_all_questions_in_one_call():
    table = Table({QUESTION.text: OLD})
    perturbation = BasicQuestions((table,), 2)
    perturbation.prepare([QUESTION, QUESTION])
    list(perturbation.vary(QUESTION, Random(0)))
    assert table.asked == [[QUESTION.text, QUESTION.text]]


def test_appending_keeps_the_question_as_it_is():
    assert appended(" odd  spacing ?", ["Is it?"]) == (" odd  spacing ? Is it?", 0)
