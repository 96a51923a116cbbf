"""Gold questions and quiz examples from an owner's file, or from verified questions of the study.

A file has one JSON object per line. Image paths are relative to the file; images are cleaned like all others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from askew.collect.database import Tx, record_event
from askew.collect.image_import import Added, cleaned, write_image
from askew.collect.protocol import Refused, checked_text, same_answer
from askew.collect.quiz import add_quiz_item
from askew.collect.schema import gold_item, image, judgement, question, quiz_item, verification
from askew.collect.study import Study
from askew.errors import BadImage, DataError
from askew.files.limits import bounded_lines, load_json
from askew.files.read_write import opened

_YES_NO = {"yes", "no"}


def add_gold(
    tx: Tx, stored: tuple[str, str], text: str, answers: list[str], question_id: int | None = None, file_id: str = ""
) -> int | None:
    """Add a gold question about a stored image (hash and suffix); None if it exists already.

    ``file_id`` is its id in the owner's file, which ``gold_results`` reports.
    """
    text = checked_text(text, tx.settings.question_length, "A question")
    passing = sorted({same_answer(checked_text(one, tx.settings.answer_length, "An answer")) for one in answers})
    if not passing:
        raise Refused("A gold question needs at least one answer that passes.")
    same = (gold_item.c.sha256 == stored[0]) & (gold_item.c.question == text)
    if question_id is not None:
        same |= gold_item.c.question_id == question_id
    if tx.first(sa.select(gold_item.c.id).where(same)) is not None:
        return None
    values = {"sha256": stored[0], "suffix": stored[1], "question": text, "answers": json.dumps(passing)}
    new = tx.insert(gold_item, question_id=question_id, state="ACTIVE", created_at=tx.now, **values)
    named = {"id": file_id} if file_id else {}
    record_event(tx, "gold.added", f"gold {new}", None, {"question": question_id, **named})
    return new


def add_gold_file(study: Study, path: Path) -> Added:
    """Add the gold questions of a file: ``{"image": "a.jpg", "question": "What is red?", "answers": ["ball"]}``."""

    def act(tx: Tx, stored: tuple[str, str], record: Mapping[str, Any]) -> bool:
        answers = record.get("answers")
        if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
            raise Refused('"answers" must be a list of texts.')
        file_id = "" if record.get("id") is None else str(record["id"])
        return add_gold(tx, stored, _text(record, "question"), answers, file_id=file_id) is not None

    return _add_file(study, path, act)


def add_quiz_file(study: Study, path: Path) -> Added:
    """Add the quiz examples of a file, with ``image``, ``question``, ``robot_answer``, ``verdict`` and ``hint``."""

    def act(tx: Tx, stored: tuple[str, str], record: Mapping[str, Any]) -> bool:
        text = checked_text(_text(record, "question"), tx.settings.question_length, "A question")
        robot_answer = checked_text(_text(record, "robot_answer"), tx.settings.reply_length, "A robot's answer")
        hint = checked_text(_text(record, "hint"), 500, "A hint")
        if is_in_quiz(tx, stored, text):
            return False
        add_quiz_item(tx, stored, text, robot_answer, _text(record, "verdict"), hint)
        return True

    return _add_file(study, path, act)


def promote_gold(tx: Tx, most: int = 50, question_ids: list[int] | None = None) -> Added:
    """Turn verified questions to which all verifiers and the author gave the same answer into gold questions.

    Questions that are hard to guess, whose answer is neither yes nor no, come first.
    """
    done = Added()
    wanted = sa.select(question, image.c.sha256, image.c.suffix).join(image)
    wanted = wanted.where(question.c.state == "VERIFIED", question.c.standing == "OK", image.c.hidden_at.is_(None))
    if question_ids is not None:
        wanted = wanted.where(question.c.id.in_(question_ids))
    agreed = [(row, answer) for row in tx.rows(wanted.order_by(question.c.id)) if (answer := _unanimous(tx, row.id))]
    if question_ids is not None:
        missing = sorted(set(question_ids) - {row.id for row, _ in agreed})
        done.left_out += [f"question {key}: it is not verified, or not everybody agreed" for key in missing]
    for row, answer in sorted(agreed, key=lambda pair: (pair[1] in _YES_NO, pair[0].id)):
        if done.added >= most:
            break
        if add_gold(tx, (row.sha256, row.suffix), row.text, [answer], row.id) is not None:
            done.added += 1
        elif question_ids is not None:
            done.left_out.append(f"question {row.id}: it is a gold question already")
    return done


def _unanimous(tx: Tx, question_id: int) -> str | None:
    """The answer that the author and all verifiers gave, if they all gave the same one."""
    counted = (verification.c.question_id == question_id) & verification.c.slot_n.is_not(None)
    answers = {row.normalised for row in tx.rows(sa.select(verification.c.normalised).where(counted))}
    answers |= {tx.value(sa.select(judgement.c.normalised).where(judgement.c.question_id == question_id))}
    return str(answers.pop()) if len(answers) == 1 and None not in answers else None


def is_in_quiz(tx: Tx, stored: tuple[str, str], text: str) -> bool:
    """Whether the quiz already has this question about this image."""
    same = (quiz_item.c.sha256 == stored[0]) & (quiz_item.c.question == text)
    return tx.first(sa.select(quiz_item.c.id).where(same)) is not None


def _add_file(study: Study, path: Path, act: Callable[[Tx, tuple[str, str], Mapping[str, Any]], bool]) -> Added:
    """Add the items of a file. If a line cannot be used, the error names it, and nothing of the file is added."""
    records = list(_records(path))
    stored_images = []
    for place, record in records:
        try:
            stored_images.append(write_image(study, cleaned(path.parent / _text(record, "image"))))
        except (BadImage, Refused) as trouble:
            raise DataError(f"{place}: {trouble} Nothing was added.") from None
    done = Added()
    with study.database.write() as tx:
        for (place, record), stored in zip(records, stored_images, strict=True):
            try:
                new = act(tx, stored, record)
            except Refused as trouble:
                raise DataError(f"{place}: {trouble} Nothing was added.") from None
            done.added += new
            if not new:
                done.left_out.append(f"{place}: it exists already")
    return done


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with opened(str(path)) as file:
        for number, line in enumerate(bounded_lines(file, path), 1):
            if not line.strip():
                continue
            try:
                record = load_json(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise DataError(f"{path}, line {number}: this is not a JSON object. Write one per line.")
            yield f"{path}, line {number}", record


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(f"{name!r} must be a text.")
    return value
