"""A crowd of good, random and adversarial people who verify, with gold among the questions, in a real database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import sqlalchemy as sa
from small_study import SmallStudy

from askew.collect.freeze import preview_freeze
from askew.collect.prepared_items import add_gold
from askew.collect.protocol import PRESETS, NotAllowed
from askew.collect.robots import record_reply
from askew.collect.schema import image, verification
from askew.collect.verify_queue import Task, answer_task, claim_task
from askew.collect.writing import ask, claim_image, judge
from askew.types import Prediction

COLORS = ("red", "blue", "green", "white")
ROBOT = "black"
"""What the robot says to everything, and adversaries repeat, so that authors are overruled."""
GOOD = 0.85


@dataclass
class Crowd:
    """The outcome for each kind of person, and for the questions."""

    sizes: dict[str, int]
    caught: Counter[str] = field(default_factory=Counter)
    """People excluded within ``within`` items."""
    lost: Counter[str] = field(default_factory=Counter)
    """People excluded at any time."""
    golds: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    accuracy: float = 0.0
    """Share of the verifiers' answers to questions of type E that are true."""


def truth(text: str) -> str:
    return COLORS[sum(map(ord, text)) % len(COLORS)]


def said(kind: str, task: Task, rng: Random) -> str:
    true = truth(task.text)
    if kind == "random":
        return rng.choice(COLORS)
    if kind == "adversarial":
        return ROBOT
    return true if rng.random() < GOOD else rng.choice([color for color in COLORS if color != true])


def make_crowd_study(
    folder: Path, people: int, questions: int, verifiers: int, excludes: bool, seed: int
) -> SmallStudy:
    """Questions by one author, each judged wrong, and forty gold ones."""
    settings = replace(PRESETS["small"], verifiers_per_question=verifiers, gold_excludes=excludes)
    made = SmallStudy.make(folder, None, settings, images=questions, people=1 + people)
    author = made.people[0]
    with made.study.database.write() as tx:
        for number in range(questions):
            text = f"What color is thing {number}?"
            task = claim_image(tx, author)
            call = ask(tx, author, task.session_id, text, seed=seed)
            record_reply(tx, call, Prediction(call.question_id, ROBOT))
            judge(tx, author, call.question_id, "wrong", truth(text))
        kept = (tx.value(sa.select(image.c.sha256).limit(1)), ".png")
        for number in range(40):
            text = f"What color is number {number * 7}?"
            add_gold(tx, kept, text, [truth(text)])
    return made


def run_crowd(
    folder: Path,
    sizes: dict[str, int],
    questions: int,
    verifiers: int = 9,
    *,
    excludes: bool = True,
    within: int = 40,
    seed: int = 1,
) -> Crowd:
    """Let everybody answer tasks in turn until none are left; careless people stop after ``within`` items."""
    made = make_crowd_study(folder, sum(sizes.values()), questions, verifiers, excludes, seed)
    found = Crowd(sizes)
    kinds = [kind for kind, size in sizes.items() for _ in range(size)]
    active = {
        person: (kind, Random(f"{seed}:{person}"), [0]) for person, kind in zip(made.people[1:], kinds, strict=True)
    }
    while active:
        made.clock.pass_seconds(30)
        with made.study.database.write() as tx:
            for person, (kind, rng, items) in list(active.items()):
                task = claim_task(tx, person) if kind == "good" or items[0] < within else None
                if task is None:
                    del active[person]
                    continue
                items[0] += 1
                found.golds[kind] += task.reference.startswith("g")
                if answer_task(tx, person, task.reference, said(kind, task, rng), "yes").excluded:
                    found.lost[kind] += 1
                    found.caught[kind] += items[0] <= within
                    del active[person]
        if not active:  # an exclusion reopened slots for people who had found no task
            active = _returned(made, kinds, seed)
    _judge(made, found)
    made.check()
    made.close()
    return found


def _returned(made: SmallStudy, kinds: list[str], seed: int) -> dict[int, tuple[str, Random, list[int]]]:
    found = {}
    with made.study.database.write() as tx:
        for person, kind in zip(made.people[1:], kinds, strict=True):
            try:
                if kind == "good" and claim_task(tx, person) is not None:
                    found[person] = (kind, Random(f"{seed}:{person}:again"), [10**6])
            except NotAllowed:
                continue
    return found


def _judge(made: SmallStudy, found: Crowd) -> None:
    with made.study.database.read() as tx:
        frozen = preview_freeze(tx, made.round_id, 1)
        found.types = Counter(frozen.types.values())
        good = [key for key, kind in frozen.types.items() if kind == "E"]
        counted = (verification.c.slot_n.is_not(None)) & verification.c.question_id.in_(good)
        texts = {row.id: row.text for row in tx.rows(sa.text("SELECT id, text FROM question"))}
        answers = tx.rows(sa.select(verification.c.question_id, verification.c.normalised).where(counted))
    right = sum(row.normalised == truth(texts[row.question_id]) for row in answers)
    found.accuracy = right / len(answers) if answers else float("nan")
