"""Multiple choice: options are shown with letters, and letters and texts are both understood in replies."""

from __future__ import annotations

from askew.answers.choices import as_asked, chosen_option, exact_option, letter_of
from askew.answers.extract import extract
from askew.types import Prediction, Question

OPTIONS = ("a red bus", "a bus", "a train", "no vehicle")
ASKED = Question(1, None, "What is it?", ("a bus",), choices=OPTIONS)

REPLIES = {
    "a bus": (
        "B", "b", "B.", "(B)", "(b)", "[B]", "B)", "B: a bus", "B. a bus", "**B**", "**B. a bus**",
        "Option B", "option B.",
        "The answer is B.", "Answer: B", "The correct answer is (B).", "My final answer: **B**", "\\boxed{B}",
        '{"answer": "B"}', "<think>A or B? It is not red.</think>B", "a bus", "A bus.", "It is a bus",
        "The image shows a bus.",
        "I would choose option B because it is a bus.", "B, since it is not red",
    ),
    "a red bus": ("A", "A. a red bus", "A red bus", "(A) because of its colour"),
    "no vehicle": ("D", "No vehicle", "There is no vehicle in the image."),
    None: ("E", "A plane", "a bus or a train", "B or C", "Either (B) or (C)", "It is A or B", "a car", "buses"),
}  # fmt: skip


def test_letters_and_texts_are_understood():
    for option, replies in REPLIES.items():
        for reply in replies:
            assert chosen_option(OPTIONS, reply) == option, reply


def test_a_reply_that_begins_with_an_option_names_it():
    assert chosen_option(("yes", "no"), "Yes, there is no doubt.") == "yes"
    assert chosen_option(("yes", "no"), "There are yes and no signs") is None


def test_without_extraction_only_a_complete_reply_names_an_option():
    assert [exact_option(OPTIONS, said) for said in ("C", "(c)", "C. a train", "A train.")] == ["a train"] * 4
    assert [exact_option(OPTIONS, said) for said in ("C. a bus", "It is a train", "E", "")] == [None] * 4


def test_extraction_gives_the_text_of_an_option():
    cases = (("short", "I think it is (B).", "a bus", None), ("none", "B", "a bus", None))
    for step, reply, answer, error in cases:
        found = extract(step, ASKED, Prediction(1, reply))
        assert (found.answer, found.error, found.raw) == (answer, error, reply)
    assert extract("short", ASKED, Prediction(1, "I'm sorry, I can't help with that.")).error == "refusal"
    assert extract("short", ASKED, Prediction(1, " ")).error == "empty answer"
    assert extract("short", ASKED, Prediction(1, "A plane.")).answer == "A plane"  # a wrong answer, not a missing one


def test_a_letter_takes_precedence_over_a_text():
    swapped = ("B", "A")
    assert chosen_option(swapped, "A") == exact_option(swapped, "A") == "B"
    assert letter_of(swapped, "B") == "A"


def test_questions_without_options_are_asked_as_they_are():
    plain = Question(1, None, "What is it?")
    assert as_asked(plain) is plain
    assert as_asked(ASKED).choices == OPTIONS


def test_long_replies_name_an_option_only_where_they_do():
    """Backtracking over such replies would take hours, not a fraction of a second."""
    for part, times, wanted in (
        ("A", 100_000, None),
        ("(", 50_000, None),
        ("option ", 20_000, None),
        (" a dog", 20_000, "a dog"),
    ):
        assert chosen_option(("a cat", "a dog"), part * times) == wanted, part


def test_options_that_are_letters_are_not_named_by_an_article():
    letters = ("A", "B", "C")
    for said, wanted in {"a dog": None, "A dog": None, "The letter is B": "B", "B": "B", "It shows a C.": "C"}.items():
        assert chosen_option(letters, said) == wanted, said


def test_option_may_have_a_capital():
    for said in ("Option B", "option b", "Choice: B", "(Answer: B)", "ANSWER B."):
        assert exact_option(("a cat", "a dog"), said) == "a dog", said
