"""Which questions make a yes/no pool."""

import pytest

from askew.rank.ranking import is_yes_no, pool_of
from askew.types import Kind, Question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is it raining?", True),
        ("are THERE dogs?", True),
        ("Isn't it cold?", True),
        ("Don’t they swim?", True),
        ("Can you see it?", True),
        ("In the photo, is there a dog?", True),
        ("Is it a cat or a dog?", False),
        ("What is it?", False),
        ("Island or not?", False),
        ("", False),
    ],
)
def test_by_form_where_the_data_does_not_say(text, expected):
    assert is_yes_no(Question(1, None, text)) is expected


def test_the_annotated_answer_type_wins():
    assert is_yes_no(Question(1, None, "What, is it red?", kind=Kind("yes/no")))
    assert not is_yes_no(Question(1, None, "Is there a name on it?", kind=Kind("other")))


def test_pools():
    questions = [Question(n, None, t) for n, t in enumerate(["Is it?", "What is it?", "is it", "Are they?"])]
    assert pool_of(questions).texts == ("Is it?", "What is it?", "Are they?")
    assert pool_of(questions, yes_no=True).texts == ("Is it?", "Are they?")
