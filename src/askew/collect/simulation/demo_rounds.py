"""The demo of several rounds: one person and simulated colleagues fool a robot, it learns, and they try again.

In the last round the first robot takes part too, and one is drawn for each question. So people, images and their
skill are the same for both robots, and the difference of their error rates says whether the robot got better.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.retraining import NextRound, make_next_round, trainable
from askew.collect.rounds import CLOSED, start_round
from askew.collect.schema import image, judgement, model, prediction, question, round_
from askew.collect.simulation.demo_study import check_demo, end_round, open_demo, play, publish
from askew.collect.study import Study
from askew.engine.components import as_data
from askew.errors import UsageError, need_extras
from askew.files.read_write import resource
from askew.significance import wilson

NET = "butd:hidden=64"
BASE = "world:train,scenes=800,seed=77"
"""What robots learn from besides the rounds; no scene of it is in the study."""
TRAINING = {"epochs": "5", "batch_size": "64", "rate": "0.002", "least_answers": "10", "threads": "1"}
SCENES = 80
"""Images of a round."""


def demo_rounds(
    folder: Path, port: int, rounds: int, seconds: float | None = None, *, base: str = BASE, scenes: int = SCENES
) -> int:
    """Hold rounds, each served until Ctrl-C or for some seconds; killed, the same command goes on."""
    if rounds < 2:
        raise UsageError(f"--rounds {rounds}: give 2 or more, or omit it for a demo without training.")
    check_demo(folder, seconds)
    need_extras("A demo of several rounds", "train", "bundled")
    print(f"Training the first robot ({NET} on {base}) ...", flush=True)
    data, robot = [as_data(base).what], trainable(NET, "world")
    first = robot.train(data, (), folder / "first-robot", TRAINING, sys.stderr.isatty())
    study = open_demo(folder / "study", scenes, models=[first])
    for number in range(1, rounds + 1):
        state = _state(study, number)
        if state in (None, "DRAFT") and number > 1:
            plan = NextRound((base,), (NET,), (first,), world=scenes, settings=TRAINING)
            make_next_round(study, plan, progress=sys.stderr.isatty(), say=lambda text: print(text, flush=True))
        if state in (None, "DRAFT", "READY"):
            with study.database.write() as tx:
                row = tx.first(sa.select(round_).where(round_.c.number == number))
                assert row is not None
                start_round(tx, row.id)
        if _state(study, number) not in CLOSED:
            hint = resource("collect/simulation/texts.yaml")["rounds"].format(number=number, rounds=rounds)
            play(study, port, seconds, hint, all_work=True)
            end_round(study)
    publish(study, folder / "release")
    with study.database.read() as tx:
        print("\n".join(["", *comparison(tx, rounds)]))
    study.close()
    return 0


def _state(study: Study, number: int) -> str | None:
    with study.database.read() as tx:
        found: str | None = tx.value(sa.select(round_.c.state).where(round_.c.number == number))
        return found


@dataclass(frozen=True)
class ErrorRate:
    """How often a robot was wrong, as the authors of the questions judged."""

    wrong: int
    asked: int

    @property
    def rate(self) -> float:
        """The share of wrong answers."""
        return self.wrong / self.asked

    def minus(self, other: ErrorRate) -> tuple[float, float, float]:
        """The difference of the rates with its 95 % interval, by Newcombe's hybrid of two Wilson intervals (1998).

        >>> [round(each, 3) for each in ErrorRate(56, 70).minus(ErrorRate(48, 80))]
        [0.2, 0.052, 0.334]
        """
        (low, high), (low_2, high_2) = wilson(self.wrong, self.asked), wilson(other.wrong, other.asked)
        gap = self.rate - other.rate
        below = sqrt((self.rate - low) ** 2 + (high_2 - other.rate) ** 2)
        above = sqrt((high - self.rate) ** 2 + (other.rate - low_2) ** 2)
        return gap, gap - below, gap + above


def error_rates(tx: Tx, number: int) -> dict[str, ErrorRate]:
    """How often each robot of a round was called wrong, of the questions that were judged, by its spec."""
    asked = sa.select(model.c.spec, judgement.c.verdict).select_from(question).join(image).join(round_)
    asked = asked.join(prediction, prediction.c.question_id == question.c.id).join(model)
    rows = tx.rows(
        asked.join(judgement, judgement.c.question_id == question.c.id).where(
            round_.c.number == number, judgement.c.verdict != "unsure"
        )
    )
    totals = Counter(row.spec for row in rows)
    wrong = Counter(row.spec for row in rows if row.verdict == "wrong")
    return {spec: ErrorRate(wrong[spec], total) for spec, total in sorted(totals.items())}


def comparison(tx: Tx, number: int) -> list[str]:
    """Whether the robot that learned from the rounds is wrong less often than the first one, in words."""
    specs = [row.spec for row in tx.rows(sa.select(model.c.spec).order_by(model.c.id))]
    rates = error_rates(tx, number)
    first, last = rates.get(specs[0]), rates.get(specs[-1])
    if first is None or last is None:
        return [f"Round {number} has too few questions to compare the robots."]
    gap, low, high = last.minus(first)
    verdict = "it got better" if high < 0 else "it got worse" if low > 0 else "this does not show whether it got better"
    return [
        f"Did the robot get better? In round {number} one of two robots was drawn for each question:",
        f"  the first robot was wrong on {first.wrong} of {first.asked} questions ({100 * first.rate:.0f} %),",
        f"  the one that learned from earlier rounds on {last.wrong} of {last.asked} ({100 * last.rate:.0f} %).",
        f"  Difference {100 * gap:+.0f} points, 95 % interval {100 * low:+.0f} to {100 * high:+.0f}: {verdict}.",
    ]
