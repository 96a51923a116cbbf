"""Surveys for tests: groups about tiny images, made without a suite, and people who answer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from PIL import Image
from small_study import SmallStudy

from askew.collect.schema import batch_answer, survey_item
from askew.collect.surveys.create import SurveyPlan, baseline_drafts, create_survey, gold_drafts
from askew.collect.surveys.survey_batches import claim_batch, open_batch, send_batch
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

PLAN = SurveyPlan(3, 6, 2)
Person = Callable[[str], str]
"""What a person answers to a question's text: a choice, or ``ambiguous``."""


def image(folder: Path, n: int) -> ImageRef:
    """A tiny image of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"survey-{n}.png"
    Image.new("RGB", (12, 12), (n % 256, 40, n // 256)).save(path)
    return ImageRef(n, str(path))


def pairs(folder: Path, count: int) -> list[Group]:
    """Pairs of yes/no questions with opposite answers, one pair about each image."""
    found = []
    for n in range(count):
        one = Question(f"{n}", image(folder, n), f"Is thing {n} red?", ("yes",) * 3, Kind("yes/no"))
        other = Question(f"{n}/v", one.image, f"Is thing {n} not red?", ("no",) * 3, Kind("yes/no"))
        found.append(Group(f"{n}", "rad", one, (Variant(other, Expect.GIVEN, "Y/N←C", "hand"),)))
    return found


ABOUT = ("red ball near the old tree", "small dog behind a tall door", "green boat on the calm lake")


def rephrased(folder: Path, count: int = 12) -> list[Group]:
    """Rephrasings of yes/no questions, each about an image of its own; every third has another image."""
    found = []
    for n in range(count):
        thing = f"{ABOUT[n % 3]} number {n}"
        one = Question(f"{n}", image(folder, n), f"Is there a {thing} in it?", ("yes",) * 3, Kind("yes/no"))
        other = replace(one, id=f"{n}/v", text=f"Can you see any {thing} in it?", answers=("yes",) * 3)
        if n % 3 == 2:
            other = replace(one, id=f"{n}/v", image=image(folder, 500 + n))
        found.append(Group(f"{n}", "rad", one, (Variant(other, Expect.SAME, "Y/N←C", "hand"),)))
    return found


def gold(folder: Path, count: int) -> list[Question]:
    """Questions on which three people agree: even ones are answered yes, odd ones no."""
    return [
        Question(f"g{n}", image(folder, 1000 + n), f"Is gold {n} even?", (("yes", "no")[n % 2],) * 3, Kind("yes/no"))
        for n in range(count)
    ]


def survey(small: SmallStudy, count: int = 4, plan: SurveyPlan = PLAN, golden: int = 8, seed: int = 0) -> int:
    """A baseline in a study."""
    folder = small.study.folder.parent / "survey-images"
    groups = pairs(folder, count)
    drafts = baseline_drafts(groups)
    if plan.gold:
        drafts += gold_drafts(gold(folder, golden), golden, seed)
    return create_survey(small.study, "baseline", "pairs", groups, drafts, plan, seed)


def right(text: str) -> str:
    """What a careful person answers."""
    if "gold" in text:
        return "yes" if int(text.split()[2]) % 2 == 0 else "no"
    return "no" if " not " in text else "yes"


def answers(small: SmallStudy, person: int, number: int, says: Person = right) -> dict[int, dict[str, str]]:
    """The fields of a batch's form."""
    shown = small.look(lambda tx: open_batch(tx, person, number))
    return {
        one.n: {"answer": {"yes": "0", "no": "1", "ambiguous": "ambiguous"}[says(one.item.question)]}
        for one in shown.items
    }


def work(small: SmallStudy, people: Sequence[int], says: Person = right, seconds: float = 90) -> int:
    """Let people answer batches until nobody gets one; returns how many were sent."""
    count, busy = 0, True
    while busy:
        busy = False
        for person in people:
            number = small.do(claim_batch, person)
            if number is not None:
                small.clock.pass_seconds(seconds)
                done = small.do(send_batch, person, number, answers(small, person, number, says))
                assert done.gold_wrong == 0
                count, busy = count + 1, True
    return count


def places(small: SmallStudy) -> dict[int, int]:
    """Question to the number of places that are taken; the counter is that of the rows."""

    def read(tx):  # type: ignore[no-untyped-def]
        rows = tx.rows(survey_item.select().where(survey_item.c.gold.is_(None)))
        for row in rows:
            held = (batch_answer.c.item_id == row.id) & batch_answer.c.place.is_not(None)
            assert tx.count(batch_answer, held) == row.taken
        return {row.id: row.taken for row in rows}

    found: dict[int, int] = small.look(read)
    return found


def careless(seed: int) -> Person:
    """A person who guesses, except gold."""
    rng = Random(seed)
    return lambda text: right(text) if "gold" in text else rng.choice(["yes", "no", "ambiguous"])
