"""The quiz: eight judged examples at least, two attempts, hints after a failure, and no work before it is passed."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy, tiny_images

from askew.collect.prepared_items import add_quiz_file
from askew.collect.protocol import Gone, NotAllowed, Refused, settings_of
from askew.collect.quiz import add_quiz_item, qualify, quiz_blockers, quiz_for, take_quiz
from askew.collect.rounds import change_round
from askew.collect.schema import annotator, qualification, quiz_item
from askew.collect.simulation.world_content import add_world_gold, add_world_quiz
from askew.collect.verify_queue import claim_task
from askew.collect.verifying import claim_slot
from askew.collect.writing import claim_image
from askew.errors import BadOption, DataError

ASKED = replace(SMALL, quiz_required=True)


def judged(quiz, wrong: int = 0) -> dict[int, str]:
    """The correct verdicts, except for the first few."""
    other = {"correct": "wrong", "wrong": "unsure", "unsure": "correct"}
    return {item.id: other[item.verdict] if n < wrong else item.verdict for n, item in enumerate(quiz.items)}


@pytest.fixture
def quizzed(tmp_path, database_url):
    """A study that asks for a quiz, with sixteen examples."""
    made = SmallStudy.make(tmp_path / "study", database_url, ASKED, opened=False)
    made.do(change_round, made.round_id, "READY")
    with pytest.raises(Refused, match="the quiz has 0 examples and needs 8"):
        made.do(change_round, made.round_id, "OPEN")
    made.do(lambda tx: [add_item(tx, n) for n in range(16)])
    made.do(change_round, made.round_id, "OPEN")
    yield made
    made.close()


def add_item(tx, n: int) -> None:
    verdict = ("correct", "wrong", "unsure")[n % 3]
    add_quiz_item(tx, ("0" * 64, ".png"), f"Question {n}?", "yes", verdict, f"Hint {n}.")


def test_a_journey_through_the_quiz(quizzed):
    person, other, third = quizzed.people[:3]
    for claim in (claim_image, claim_slot, claim_task):
        with pytest.raises(NotAllowed, match="quiz first"):
            quizzed.do(claim, person)
    quiz = quizzed.look(lambda tx: quiz_for(tx, person))
    assert (quiz.needed, quiz.attempt, quiz.attempts_left, quiz.to_pass, quiz.last) == (True, 1, 2, 6, None)
    assert len({item.id for item in quiz.items}) == 8
    assert quizzed.look(lambda tx: quiz_for(tx, person)).items == quiz.items
    with pytest.raises(Refused, match="1 of 8 examples have no judgement"):
        quizzed.do(take_quiz, person, 1, {item.id: item.verdict for item in quiz.items[1:]})
    with pytest.raises(Gone):
        quizzed.do(take_quiz, person, 2, judged(quiz))
    assert not quizzed.do(take_quiz, person, 1, judged(quiz, wrong=3))
    again = quizzed.look(lambda tx: quiz_for(tx, person))
    assert (again.last.passed, again.last.correct, again.last.asked) == (False, 5, 8)
    assert {item.id for item, _ in again.mistakes} == {item.id for item in quiz.items[:3]}
    assert all(item.hint.startswith("Hint") and said != item.verdict for item, said in again.mistakes)
    assert (again.attempt, again.attempts_left, again.last.attempt) == (2, 1, 1)
    assert not {item.id for item in again.items} & {item.id for item in quiz.items}
    assert quizzed.do(take_quiz, person, 2, judged(again, wrong=2))
    assert quizzed.do(claim_image, person) is not None
    with pytest.raises(Gone):
        quizzed.do(take_quiz, person, 2, judged(again))
    for attempt in (1, 2):
        quizzed.do(take_quiz, other, attempt, judged(quizzed.look(lambda tx: quiz_for(tx, other)), wrong=8))
    out = quizzed.look(lambda tx: quiz_for(tx, other))
    assert (out.needed, out.attempt, out.items, out.attempts_left) == (True, None, (), 0)
    with pytest.raises(NotAllowed):
        quizzed.do(claim_image, other)
    quizzed.do(qualify, other)
    assert quizzed.do(claim_image, other) is not None
    with pytest.raises(Refused, match="already"):
        quizzed.do(qualify, other)
    assert quizzed.do(claim_image, quizzed.owner) is not None, "owners need no quiz"
    stored = quizzed.look(lambda tx: tx.rows(sa.select(qualification).order_by(qualification.c.id)))
    assert [(row.annotator_id, row.attempt, row.correct, row.passed) for row in stored] == [
        (person, 1, 5, False),
        (person, 2, 6, True),
        (other, 1, 0, False),
        (other, 2, 0, False),
    ]
    assert quizzed.look(lambda tx: quiz_for(tx, third)).items != quiz.items
    quizzed.check()


def test_a_study_without_a_quiz_requires_none(tmp_path):
    made = SmallStudy.make(tmp_path / "study")
    quiz = made.look(lambda tx: quiz_for(tx, made.people[0]))
    assert (quiz.needed, quiz.attempt, quiz.items) == (False, None, ())
    assert made.look(quiz_blockers) == []
    made.close()


def test_quiz_settings_are_checked():
    for changes in ({"quiz_items": "7"}, {"quiz_items": "41"}, {"quiz_pass_percent": "101"}, {"quiz_attempts": "0"}):
        with pytest.raises(BadOption):
            settings_of("small", changes)


def test_quiz_examples_of_a_file(tmp_path):
    made = SmallStudy.make(tmp_path / "study")
    tiny_images(tmp_path / "files", 60)
    line = '{"image": "files/59.png", "question": "What?", "robot_answer": "no", "verdict": "wrong", "hint": "Look."}\n'
    (tmp_path / "quiz.jsonl").write_text(line)
    assert add_quiz_file(made.study, tmp_path / "quiz.jsonl").added == 1
    assert add_quiz_file(made.study, tmp_path / "quiz.jsonl").left_out == [
        f"{tmp_path}/quiz.jsonl, line 1: it exists already"
    ]
    (tmp_path / "quiz.jsonl").write_text(line.replace("What?", "Why?").replace('"wrong"', '"maybe"'))
    with pytest.raises(DataError, match="A verdict is one of"):
        add_quiz_file(made.study, tmp_path / "quiz.jsonl")
    made.close()


def test_the_worlds_quiz_and_gold(tmp_path):
    """Sixteen examples with every verdict, each with an image in the folder; nothing twice when asked again."""
    made = SmallStudy.make(tmp_path / "study")
    assert add_world_quiz(made.study, 8).added == 8
    assert add_world_quiz(made.study, 8).added == 0
    assert add_world_gold(made.study, 5).added == 5
    rows = made.look(lambda tx: tx.rows(sa.select(quiz_item)))
    assert sorted(row.verdict for row in rows) == ["correct"] * 3 + ["unsure"] * 2 + ["wrong"] * 3
    assert all(row.hint for row in rows)
    assert all(made.study.image_path(row.sha256, row.suffix).is_file() for row in rows)
    assert made.look(lambda tx: tx.value(sa.select(sa.func.count()).select_from(annotator))) == 7
    made.close()
