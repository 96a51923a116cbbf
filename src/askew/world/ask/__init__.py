"""The questions of the embedded world, written by a grammar over what is true in a scene.

Which questions, and in which words, is data: ``phrasings/``. A question is asked only when its answer can be seen and
nobody would doubt it; what it speaks of with *the* is the only such thing in the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from random import Random
from typing import Protocol

from askew.types import Kind, Question, Scene
from askew.world.annotators import answered
from askew.world.ask import open_questions, scene_questions, yes_no_questions
from askew.world.ask.askable_scene import AskableScene
from askew.world.phrasing import Asked, Draft, Meaning, Pick, Point, data, phrase, question_type

__all__ = ["KINDS", "Asked", "Meaning", "Pick", "Prior", "asked", "asked_and_answered", "questions_of"]

Maker = Callable[[AskableScene, Random, str], Draft | None]
_TRIES = 3

KINDS: Mapping[str, Mapping[str, Maker]] = {
    "yes/no": {
        "exists": yes_no_questions.exists,
        "attribute": yes_no_questions.attribute,
        "action": yes_no_questions.action,
        "contact": yes_no_questions.contact,
        "relation": yes_no_questions.relation,
        "how_many": scene_questions.how_many,
        "several": scene_questions.several,
        "more": scene_questions.more,
        "whole": scene_questions.whole,
        "called": yes_no_questions.called,
        "group": yes_no_questions.group,
        "same": yes_no_questions.same,
    },
    "number": {"count": scene_questions.count},
    "other": {
        "color": open_questions.color,
        "colors": open_questions.colors,
        "kind": open_questions.kind,
        "place": scene_questions.place,
        "holding": open_questions.holding,
        "riding": open_questions.riding,
        "doing": open_questions.doing,
        "where": open_questions.where,
        "side": open_questions.side,
        "who": open_questions.who,
        "contents": open_questions.contents,
        "weather": scene_questions.weather,
        "time": scene_questions.time,
        "material": open_questions.material,
        "pattern": open_questions.pattern,
        "choice": open_questions.choice,
        "wearing": open_questions.wearing,
    },
}
"""Answer type, kind of question, and what makes a draft of it."""


class AnswerPrior(Protocol):
    """What decides which answers are frequent: see ``askew.world.splits.Shift``."""

    def keeps(self, kind: str, answer: str, chance: float) -> bool:
        """Whether a question of this kind with this answer is kept; ``chance`` is drawn from 0 to 1."""
        ...


def asked(scene: Scene, seed: int = 0, prior: AnswerPrior | None = None) -> list[Asked]:
    """The questions of a scene with their true answers and meanings, before anybody has answered them."""
    rng = Random(f"{seed}:ask:{scene.id}")
    view = AskableScene(scene)
    mix = data("mix")
    wanted = rng.choice(mix["questions"])
    found: dict[Point, Asked] = {}
    for _ in range(6 * wanted):
        if len(found) >= wanted:
            break
        made = _one(view, rng, prior, found)
        if made:
            found.setdefault(*made)
    return list(found.values())


def questions_of(scene: Scene, seed: int = 0, prior: AnswerPrior | None = None) -> list[Question]:
    """The questions of a scene, each with ten people's answers; ids are ``<scene>-<number>``, pictures come later.

    >>> from askew.world.scenes import make_scene
    >>> questions = questions_of(make_scene(0, 1))
    >>> questions == questions_of(make_scene(0, 1)), {len(question.answers) for question in questions}
    (True, {10})
    """
    return [question for _, question in asked_and_answered(scene, seed, prior)]


def asked_and_answered(scene: Scene, seed: int = 0, prior: AnswerPrior | None = None) -> list[tuple[Asked, Question]]:
    """The questions of a scene as they were meant, and as they are given away: with ten people's answers."""
    made = []
    for number, one in enumerate(asked(scene, seed, prior)):
        answers, confidences = answered(one, Random(f"{seed}:answer:{scene.id}:{number}"))
        kind = Kind(one.answer_type, one.question_type)
        name = f"{scene.id}-{number}"
        made.append((one, Question(name, None, one.text, answers, kind, scene, confidences=confidences)))
    return made


def _one(
    view: AskableScene, rng: Random, prior: AnswerPrior | None, found: Container[Point]
) -> tuple[Point, Asked] | None:
    """A question that is not among the found ones, and its point: an answer type is drawn, a kind, then a draft."""
    answer_type = _draw(rng, data("mix")["answer_types"])
    kinds = dict(data("mix")["kinds"][answer_type])
    while kinds:
        kind = _draw(rng, kinds)
        del kinds[kind]
        draft = _draft(view, rng, KINDS[answer_type][kind], found)
        if draft is None:
            continue
        if prior and not prior.keeps(kind, draft.answer, rng.random()):
            return None
        text = phrase(draft, rng)
        return draft.point, Asked(text, draft.answer, draft.meaning, kind, answer_type, question_type(text))
    return None


def _draft(view: AskableScene, rng: Random, make: Maker, found: Container[Point]) -> Draft | None:
    """A new draft, if one comes up in a few tries."""
    for _ in range(_TRIES):
        want = "yes" if rng.random() < data("mix")["yes"] else "no"
        draft = make(view, rng, want)
        if draft and draft.point not in found:
            return draft
    return None


def _draw(rng: Random, weights: Mapping[str, float]) -> str:
    return rng.choices(list(weights), weights=list(weights.values()))[0]
