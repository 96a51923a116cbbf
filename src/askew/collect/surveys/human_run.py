"""People as a model: the majorities of a baseline, as answers to its groups (Jimenez et al. 2022, section 5.1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.schema import survey_group
from askew.collect.study import Study
from askew.collect.surveys.items import AMBIGUOUS
from askew.collect.surveys.results import UNDECIDED, SurveyItem, answers_by_member, majority
from askew.files.records import group_from
from askew.types import Group, Id, Prediction, Question


@dataclass(frozen=True, repr=False)
class SurveyGroups:
    """The groups of a survey as a data set; its images are those of the study."""

    name: str
    items: tuple[Group, ...] = field(repr=False)
    skipped: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"SurveyGroups({self.name!r}#{self.fingerprint()})"

    def questions(self) -> Iterator[Question]:
        """The original questions."""
        return (group.original for group in self.items)

    def groups(self) -> Iterator[Group]:
        """The groups."""
        return iter(self.items)

    def fingerprint(self) -> str:
        """A hash of what is asked."""
        asked = [(group.id, group.suite, *(q.id for q in questions_of(group))) for group in self.items]
        return hashlib.sha256(repr(asked).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class PeoplesAnswers:
    """What most people answered, by question id. No majority, and a majority for ambiguous, are wrong answers."""

    signature: str
    answers: Mapping[Id, str] = field(repr=False, compare=False)

    free_text: ClassVar[bool] = False
    by_id: ClassVar[bool] = True
    recorded: ClassVar[bool] = True
    blind: ClassVar[bool] = True
    """The answers exist already: no image file is opened."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The answers; a question with too few of them has failed."""
        return [
            Prediction(q.id, said, error=None if said is not None else "too few people answered")
            for q, said in ((q, self.answers.get(q.id)) for q in questions)
        ]


def questions_of(group: Group) -> tuple[Question, ...]:
    """All questions of a group, the original first."""
    return (group.original, *(variant.question for variant in group.variants))


def survey_groups(tx: Tx, study: Study, survey_id: int, items: Sequence[SurveyItem]) -> list[Group]:
    """The groups of a survey, with the images that people saw."""
    standing = answers_by_member(items)
    mine = sa.select(survey_group).where(survey_group.c.survey_id == survey_id).order_by(survey_group.c.n)
    found = []
    for row in tx.rows(mine):
        group = group_from(json.loads(row.record))
        asked = [_shown(study, q, standing.get((row.n, place))) for place, q in enumerate(questions_of(group))]
        variants = tuple(replace(v, question=q) for v, q in zip(group.variants, asked[1:], strict=True))
        found.append(replace(group, original=asked[0], variants=variants))
    return found


def _shown(study: Study, question: Question, item: SurveyItem | None) -> Question:
    if item is None or question.image is None:
        return question
    return replace(question, image=replace(question.image, path=str(study.image_path(item.sha256, item.suffix))))


def peoples_answers(groups: Sequence[Group], items: Sequence[SurveyItem], people: int) -> PeoplesAnswers:
    """The majorities of all questions that have enough answers to have one.

    A text that no other question has stands for no majority and for ambiguous: it is wrong, and never consistent with
    another answer.
    """
    standing, answers = answers_by_member(items), {}
    for n, group in enumerate(groups):
        for place, question in enumerate(questions_of(group)):
            item = standing.get((n, place))
            if item is None or item.hidden or len(item.answers) < people:
                continue
            most = majority(item.said(), people)
            undecided = most is None or most == AMBIGUOUS
            answers[question.id] = f"{most or UNDECIDED} (question {item.id})" if undecided else str(most)
    text = json.dumps(sorted((repr(key), answer) for key, answer in answers.items()))
    return PeoplesAnswers(f"people#{hashlib.sha256(text.encode()).hexdigest()[:16]}", answers)


def counts(items: Sequence[SurveyItem], people: int) -> dict[str, int]:
    """How many questions have no majority, and how many a majority for ambiguous."""
    found = [majority(one.said(), people) for one in items if not one.hidden and len(one.answers) == people]
    return {"no_majority": found.count(None), "ambiguous": found.count(AMBIGUOUS)}


def is_inside(folder: Path, study: Study) -> bool:
    """Whether a folder is the study's own, which is private."""
    return study.folder.resolve() in (folder.resolve(), *folder.resolve().parents)
