"""Bounds for missing answers hold for every metric: checked against every way of filling them in."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from test_metric_laws import METRICS

from askew import evaluate
from askew.data.groups import write_groups
from askew.metrics.accuracy import Accuracy
from askew.metrics.bounds import bounds
from askew.metrics.consistency import Consensus, Flips
from askew.metrics.noise import RScore
from askew.metrics.rad_metrics import Introspect, Rad
from askew.metrics.run_table import EVERYTHING, RunTable
from askew.metrics.scorer import score
from askew.models.baselines import Scripted
from askew.types import Expect, Group, ImageRef, Outcome, Prediction, Question, Variant

MORE = [
    *(Flips(kind, correct=correct) for kind in ("positive", "wrong", "right") for correct in ("any", "modal")),
    Introspect(False, True),
    Introspect(True, False),
    Rad(correct=">=0.5"),
    Rad(correct="any", mode="exact"),
    Consensus(2, correct="modal"),
    RScore(2, m=0.9),
    Accuracy("paired", "robust"),
]

REFERENCES = (
    ("yes",) * 10,
    ("no",) * 3,
    ("2", "3", "2", "two"),
    ("3",) * 4,
    ("red", "blue", "tan"),  # no answer to it has accuracy 1
    ("Red", "red", "red.", "blue"),
    (),
)
SAID = ("yes", "no", "2", "3", "1", "red", "blue", "Red", "unanswerable", "quite another")


def group(rng: Random, number: int, missing: float) -> Outcome:
    said = lambda: None if rng.random() < missing else rng.choice(SAID[:8])  # noqa: E731
    original = Question(number, ImageRef(number), "How many?", rng.choice(REFERENCES))
    variants = tuple(
        Variant(
            Question(f"{number}/{place}", original.image, "How many?", rng.choice((original.answers, *REFERENCES))),
            rng.choice(list(Expect)),
            "t",
            "rule",
            {"level": place + 1, "tries": 1},
        )
        for place in range(rng.choice((0, 1, 2, 2, 3)))
    )
    scores = (0.0, 0.3, 0.55, 0.9, 1.0)  # also of missing answers: what is filled in has one
    predictions = tuple(Prediction(v.question.id, said(), scores[n]) for n, v in enumerate(variants))
    return Outcome(Group(number, "s", original, variants), Prediction(number, said(), scores[-number - 1]), predictions)


def fillings(outcome: Outcome) -> list[Outcome]:
    """The outcome with every combination of answers in the place of missing ones."""
    everything = [outcome.original, *outcome.variants]
    choices = [SAID if one.answer is None else (one.answer,) for one in everything]
    return [
        Outcome(outcome.group, *split)
        for said in product(*choices)
        for given in [[replace(one, answer=answer) for one, answer in zip(everything, said, strict=True)]]
        for split in [(given[0], tuple(given[1:]))]
    ]


def reachable(metric, some: list[Outcome]) -> list[float]:
    """Every value that the score could have had."""
    rows = [list(dict.fromkeys(metric.measure(one) for one in fillings(outcome))) for outcome in some]
    values = []
    for chosen in product(*rows):
        counting = [row for row in chosen if row is not None]
        values.append(float(metric.combine(np.sum(counting, axis=0))) if counting else math.nan)
    return [value for value in values if not math.isnan(value)]


def cases(count: int) -> list[list[Outcome]]:
    rng, found = Random("bounds"), []
    while len(found) < count:
        case = [group(rng, number, rng.choice((0.0, 0.3, 0.6))) for number in range(rng.choice((1, 2, 3)))]
        missing = [sum(one.answer is None for one in (o.original, *o.variants)) for o in case]
        if any(missing) and all(one < 3 for one in missing):
            found.append(case)
    return found


def test_bounds_are_reached_by_some_answers_and_exceeded_by_none():
    """Outer bounds (R_score, noise-falls) may be wider; their signature says so."""
    wide = 0
    for case in cases(40):
        for metric in (*METRICS, *MORE):
            values = reachable(metric, case)
            table = RunTable({"m": metric}, ())
            for outcome in case:
                table.add(outcome)
            fillable, _ = table.fillable("m", table.records_of(EVERYTHING))
            found = bounds(metric, fillable) if fillable.fixed.size else (math.nan, math.nan)
            if not values:
                assert all(map(math.isnan, found)), (metric, case)
            elif getattr(metric, "outer_bounds", False):
                assert found[0] <= min(values) + 1e-12, (metric, case)
                assert found[1] >= max(values) - 1e-12, (metric, case)
            else:
                assert found == pytest.approx((min(values), max(values))), (metric, case)
                wide += found[0] < found[1]
    assert wide > 300, "bounds that never differ test nothing"


def test_the_bounds_of_rad_are_wider_than_all_wrong_and_all_correct():
    """Of eleven pairs six are right on both sides and two on the original alone; three lack an answer.

    With these all wrong RAD is 6/9, with all correct 8/11; but it can be 6/10 and 8/10.
    """
    right, wrong = "yes", "no"

    def pair(number, before, after):
        asked = Question(number, ImageRef(number), "Is it?", ("yes",) * 10)
        varied = Variant(replace(asked, id=f"{number}/v"), Expect.SAME, "t", "rule")
        return Outcome(Group(number, "s", asked, (varied,)), Prediction(number, before), (Prediction(0, after),))

    some = [pair(n, right, right) for n in range(6)] + [pair(n, right, wrong) for n in (6, 7)]
    some += [pair(8, None, right), pair(9, None, wrong), pair(10, right, None)]
    (found,) = score(some, {"rad": Rad()}, parts=())
    assert (found.lowest, found.highest) == (0.6, 0.8)  # 6 of 10; 8 of 10
    assert found.value == 0.75


def test_printed_bounds_of_rad_cover_every_way_of_answering(tmp_path):
    """A run of 59 pairs, 17 of which lack answers, had RAD "0.627 to 0.831": all of these wrong, and all of them right.

    Counted by hand: with every original wrong 32 of 51 are consistent, with everything right 49 of 59. But an original
    can be right whose variant is wrong (32 of 56), and wrong whose variant is wrong (49 of 57).
    """
    counts = {
        ("yes", "yes"): 32,
        ("yes", "no"): 8,
        ("yes", None): 11,
        (None, "yes"): 3,
        (None, "no"): 2,
        (None, None): 3,
    }
    groups, said = [], {}
    for before, after in (pair for pair, count in counts.items() for _ in range(count)):
        number = len(groups)
        asked = Question(number, ImageRef(number), f"Is it {number}?", ("yes",) * 10)
        varied = Variant(replace(asked, id=f"{number}/v", text=f"Is it so, {number}?"), Expect.GIVEN, "Y/N←C", "rule")
        groups.append(Group(number, "rad", asked, (varied,)))
        said |= {q.text: answer for q, answer in ((asked, before), (varied.question, after)) if answer}
    write_groups(groups, str(tmp_path / "groups.jsonl"))
    result = evaluate(Scripted(said), str(tmp_path / "groups.jsonl"), "rad", max_failures=1.0)
    rad = result.score("rad.forward")
    assert (rad.value, rad.n, rad.failed) == (32 / 40, 40, 19)
    assert (rad.lowest, rad.highest) == pytest.approx((32 / 56, 49 / 57))
    page = result.report(tmp_path / "page.html").read_text()
    (row,) = [line for line in re.findall(r"<tr>.*?</tr>", page, re.S) if "rad · RAD<" in line and "<td>all<" in line]
    assert "57.1 to 86.0" in row
    assert "62.7" not in row
