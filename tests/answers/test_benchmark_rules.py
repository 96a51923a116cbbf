"""The rules of benchmarks' evaluators: what their public code gives for replies, worked out by hand."""

from __future__ import annotations

from askew.answers.choices import exact, naturalbench, pope, vlmevalkit

OPTIONS = ("a cat", "a dog", "a cow", "a hen")


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
        OPTIONS,
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


def test_exact():
    check(exact, {"Yes": "yes", " no ": "no", "Yes.": "unknown", "": "unknown"})
    check(exact, {"A": "x", "b": "y", "(b)": "unknown", "Y": "y", "C": "unknown"}, ("x", "y"))
