"""Gold questions and a quiz from the embedded world, for studies that have no reviewed questions of their own yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, groupby
from pathlib import Path
from random import Random

from askew.collect.prepared_items import Added, add_gold, is_in_quiz, store_image
from askew.collect.quiz import add_quiz_item
from askew.collect.study import Study
from askew.types import Question
from askew.world.dataset import World

WORLD_SEED = 20_000
"""The first of the worlds used here, unlike those that images of rounds are drawn from."""


def add_world_gold(study: Study, many: int) -> Added:
    """Gold questions about scenes of the embedded world: counts, colors and sides, which have one name each."""
    done = Added()
    for asked in _world_questions(_has_one_word):
        if done.added >= many:
            break
        passing = ["gray", "grey"] if asked.answers[0] == "gray" else [asked.answers[0]]
        kept = store_image(study, _file(asked))
        with study.database.write() as tx:
            done.added += add_gold(tx, kept, asked.text, passing) is not None
    return done


UNKNOWABLE = (
    ("What will happen next?", "rain"),
    ("What is the name of the person who drew this?", "anna"),
    ("What was here yesterday?", "a market"),
    ("How much did all of this cost?", "20 dollars"),
    ("What is everybody here thinking about?", "lunch"),
    ("What is behind the camera?", "a wall"),
)
"""Questions that no image answers, with what a robot says to them."""


def add_world_quiz(study: Study, many: int = 16) -> Added:
    """A quiz about scenes of the embedded world: of eight examples three are right, three wrong and two unknowable."""
    done = Added()
    questions = _world_questions(lambda one: len(set(one.answers)) == 1)
    earlier: list[Question] = []
    for number in range(many):
        asked = next(questions)
        text, said, verdict, hint = _quiz_example(number, asked, earlier)
        earlier.append(asked)
        kept = store_image(study, _file(asked))
        with study.database.write() as tx:
            if is_in_quiz(tx, kept, text):
                done.left_out.append(f"{text}: it is in the quiz already")
                continue
            add_quiz_item(tx, kept, text, said, verdict, hint)
            done.added += 1
    return done


def _has_one_word(asked: Question) -> bool:
    """Whether careful people can only give one answer, in one way."""
    counted = asked.kind.answer_type == "number" and asked.answers[0].isdigit()
    return len(set(asked.answers)) == 1 and (
        counted or asked.answers[0] in ("left", "right") or "what color" in asked.text.lower()
    )


def _quiz_example(number: int, asked: Question, earlier: list[Question]) -> tuple[str, str, str, str]:
    """The question, the robot's answer, the right verdict and the hint of one example."""
    true = asked.answers[0]
    place, turn = number % 8, number // 8
    if place in (3, 7):
        text, said = UNKNOWABLE[(2 * turn + (place == 7)) % len(UNKNOWABLE)]
        return text, said, "unsure", "The image does not show it, so nobody can know. Choose “not sure”."
    if place in (0, 2, 5):
        return asked.text, true, "correct", f"The image shows it: the answer is {true}."
    wrong = {"yes": "no", "no": "yes"}.get(true) or _other_answer(asked, earlier)
    return asked.text, wrong, "wrong", f"The correct answer is {true}, and nobody would accept {wrong}."


def _other_answer(asked: Question, earlier: list[Question]) -> str:
    """An answer to another question of the same kind, so that it could be one."""
    if asked.kind.answer_type == "number":
        return str(int(asked.answers[0]) + 3) if asked.answers[0].isdigit() else "7"
    same = [one for one in earlier if one.kind.question_type == asked.kind.question_type]
    others = [one.answers[0] for one in same if one.answers[0] not in (asked.answers[0], "yes", "no")]
    return others[-1] if others else {"what color": "purple"}.get(asked.kind.question_type[:10], "an elephant")


def _world_questions(fits: Callable[[Question], bool]) -> Iterator[Question]:
    """One question per scene of worlds of their own, on which at least nine of ten simulated people agree."""
    for seed in count(WORLD_SEED):
        scenes = groupby(World("val", seed=seed).questions(), key=lambda one: one.image)
        for image, asked in scenes:
            agreed = [one for one in asked if Counter(one.answers).most_common(1)[0][1] >= 9 and fits(one)]
            if agreed and image is not None:
                yield Random(f"{image.id}").choice(agreed)


def _file(asked: Question) -> Path:
    assert asked.image is not None
    return Path(str(asked.image.path))
