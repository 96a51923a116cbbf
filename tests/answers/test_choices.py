"""Multiple choice: options are shown with letters, and letters and texts are both understood in replies.

For the rules of benchmarks' evaluators: what their public code gives for replies, worked out by hand.
"""

from __future__ import annotations

from askew.answers.choices import (
    as_asked,
    chosen_option,
    exact,
    exact_option,
    letter_of,
    mm_upd,
    naturalbench,
    pope,
    vlmevalkit,
)
from askew.answers.extract import extract
from askew.answers.no_option import NO_OPTION
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


ANIMALS = ("a cat", "a dog", "a cow", "a hen")


def check(rule, cases, *options):
    for reply, wanted in cases.items():
        assert rule(reply, *options) == wanted, reply


def test_pope():
    check(
        pope,
        {
            "Yes": "yes",
            "No, there is none.": "no",
            "There is not a dog. Yes.": "no",  # only the first sentence counts
            "Yes. No.": "yes",
            "no": "no",
            "NO": "yes",  # sic: neither No nor no
            "None": "yes",
            "I cannot tell": "yes",
            "": "yes",
            "Yes,no": "yes",  # sic: without the comma it is one word
            "Yes\nno": "yes",  # sic: words are divided by blanks alone
        },
    )


def test_vlmevalkit_yes_no():
    check(
        vlmevalkit,
        {
            "Yes": "yes",
            "yes.": "yes",
            "No!": "no",
            "Yes and no": "unknown",
            "Maybe": "unknown",
            "": "unknown",
            "The answer is no, there is no dog": "no",
            "nope": "unknown",
        },
    )


def test_vlmevalkit_options():
    check(
        vlmevalkit,
        {
            "B": "a dog",
            "(C)": "a cow",
            "**D**": "a hen",
            "b": "unknown",
            "Answer: B": "a dog",
            "A dog": "a cat",  # sic: the article is a letter
            "it is a dog": "a dog",
            "a dog or a cat": "unknown",
            "B or C": "unknown",
            "A, B": "unknown",
            "one two three four B": "a dog",
            "B two three four": "a dog",  # the letter stands among the last four words
            "B two three four five": "unknown",  # and here it does not
            "B two three, the answer is C": "a cow",  # two letters, but one after "answer is"
            "B, the correct answer is dull": "a hen",  # sic: the d of dull
            "The answer is **c**, clearly and without any doubt": "a cow",
            "E": "unknown",
            "Z": "unknown",
            "Cannot determine the answer: B": "unknown",
            "A cow? No: this is clearly not one, it is a hen" + " indeed" * 5: "unknown",  # too long for texts
        },
        ANIMALS,
    )


def test_naturalbench():
    check(
        naturalbench,
        {"Yes": "yes", "No, yes": "no", "I know": "unknown", "yes/no": "yes", "The answer: NO": "no", "": "unknown"},
    )
    check(
        naturalbench,
        {"A": "x", "b": "y", "Option B, not A": "y", "It is a B": "x", "AB": "unknown", "C": "unknown"},
        ("x", "y"),
    )


def test_mm_upd():
    animals = ("a dog", "a cat", "a cow")
    check(
        mm_upd,
        {
            "B": "a cat",
            "(C)": "a cow",
            "A, I think": "a dog",
            "A. a dog, not B. a cat": "a dog",  # two letters in the authors' form, so the words decide
            "F": NO_OPTION,
            "F. The image and question are irrelevant.": NO_OPTION,
            "D": "unknown",  # a letter without an option
            "None of the above, though A is close.": NO_OPTION,
            "The question is not relevant to the image.": NO_OPTION,
            "The picture doesn't show any animal.": NO_OPTION,
            "No correct answer": NO_OPTION,
            "All of the provided options are incorrect.": NO_OPTION,
            "I'm sorry, but I can't tell.": NO_OPTION,
            "It is a cow.": "a cow",
            "a horse": "a horse",
            "": "unknown",
        },
        animals,
    )
    check(mm_upd, {"C. None of the above": "None of the above"}, ("a dog", "a cat", "None of the above"))


def test_exact():
    check(exact, {"Yes": "yes", " no ": "no", "Yes.": "unknown", "": "unknown"})
    check(exact, {"A": "x", "b": "y", "(b)": "unknown", "Y": "y", "C": "unknown"}, ("x", "y"))
