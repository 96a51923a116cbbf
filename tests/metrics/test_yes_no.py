"""Why answers are wrong: every branch of HallusionBench's decision tree, written down by hand."""

from __future__ import annotations

import pytest

from askew.errors import BadOption
from askew.metrics.scorer import score
from askew.metrics.yes_no import FailureKind
from askew.types import Expect, Group, ImageRef, Outcome, Prediction, Question, Variant

KINDS = ("language", "vision", "mixed")


def outcome(category: str, labels: str, visual: str, said: tuple[str | None, ...]) -> Outcome:
    """A question about figure 0 and about others: labels such as ``yn`` and visual inputs such as ``12``."""
    questions = [
        Question(
            f"{category}/{place}",
            ImageRef(place),
            "Is it?",
            ({"y": "yes", "n": "no"}[label],),
            tags=(("category", category), ("figure", str(place)), ("grouping", "question"), ("visual_input", seen)),
        )
        for place, (label, seen) in enumerate(zip(labels, visual, strict=True))
    ]
    variants = tuple(Variant(question, Expect.GIVEN, "question", "rule") for question in questions[1:])
    first, *rest = (Prediction(question.id, answer) for question, answer in zip(questions, said, strict=True))
    return Outcome(Group(category, "hallusionbench", questions[0], variants), first, tuple(rest))


BY_HAND = [
    # category, labels, visual input, answers: what the original's failure is, and what the other's is
    ("VD", "yn", "12", ("yes", "no"), (None, None)),
    ("VD", "yn", "12", ("no", "no"), ("vision", None)),
    ("VD", "yn", "12", ("unsure", "no"), ("vision", None)),
    ("VD", "yn", "12", ("yes", "yes"), (None, "mixed")),  # right before, and the same answer to the changed figure
    ("VD", "yy", "12", ("yes", "no"), (None, "vision")),  # right before, and another answer
    ("VD", "yn", "12", ("yes", "unsure"), (None, "vision")),
    ("VD", "yn", "12", ("no", "yes"), ("vision", "vision")),
    ("VS", "yn", "02", ("yes", "no"), (None, None)),
    ("VS", "yn", "02", ("no", "no"), ("language", None)),
    ("VS", "yn", "02", ("unsure", "no"), (None, None)),  # without a figure it is no failure to be unsure
    ("VS", "yy", "02", ("no", "no"), ("language", "language")),
    ("VS", "yn", "02", ("no", "yes"), ("language", "mixed")),
    ("VS", "yn", "02", ("no", "unsure"), ("language", "mixed")),
    ("VS", "yn", "02", ("unsure", "yes"), (None, "vision")),
    ("VS", "yn", "02", ("unsure", "unsure"), (None, "vision")),
    ("VS", "yn", "02", ("yes", "unsure"), (None, "vision")),
    ("VS", "yn", "01", ("yes", "yes"), (None, "vision")),  # an unchanged figure: common sense would be right
    ("VS", "yn", "02", ("yes", "yes"), (None, "language")),  # what it knows overrules the changed figure
    ("VS", "yy", "02", ("yes", "no"), (None, "vision")),
]


def test_every_branch_of_the_decision_tree():
    for category, labels, visual, said, failures in BY_HAND:
        found = outcome(category, labels, visual, said)
        total = float(sum(one is not None for one in failures))
        for kind in KINDS:
            wanted = (float(failures.count(kind)), total)
            assert FailureKind(kind).measure(found) == wanted, (category, labels, visual, said, kind)


def test_shares_are_of_all_failures_and_groups_with_missing_answers_are_left_out():
    some = [outcome(*case[:4]) for case in BY_HAND]
    counts = {kind: sum(case[4].count(kind) for case in BY_HAND) for kind in KINDS}
    scores = score(some, {kind: FailureKind(kind) for kind in KINDS}, parts=())
    assert [one.value for one in scores] == pytest.approx([counts[kind] / sum(counts.values()) for kind in KINDS])
    assert sum(one.value for one in scores) == pytest.approx(1)
    missing = outcome("VS", "yn", "02", ("no", None))
    assert FailureKind().measure(missing) is None
    (bounded,) = score([missing], {"language": FailureKind()}, parts=())
    assert (bounded.lowest, bounded.highest) == (0.5, 1.0)  # the other right, the same wrong, or mixed
    other = outcome("VS", "yn", "02", ("no", "no"))
    assert FailureKind(only="grouping=figure").measure(other) is None
    with pytest.raises(BadOption, match="Known: language, vision, mixed"):
        FailureKind("bad")
