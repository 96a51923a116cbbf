"""The checker of a study: every invariant of the protocol as a query for rows that break it.

Constraints and triggers enforce most of them too; the checker does not rely on those. ``docs/collect-internals.md``
lists what enforces each.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.freeze import snapshot_hash
from askew.collect.rounds import CLOSED
from askew.collect.schema import image, question, round_


@dataclass(frozen=True)
class Invariant:
    """What must hold, and a query for the ids of rows that break it."""

    number: int
    says: str
    broken: str


INVARIANTS = (
    Invariant(
        1,
        "nobody verifies a question about an image they wrote for",
        "SELECT v.question_id FROM verification v JOIN question q ON q.id = v.question_id JOIN session s "
        "ON s.image_id = q.image_id AND s.annotator_id = v.annotator_id UNION ALL "
        "SELECT v.question_id FROM slot v JOIN question q ON q.id = v.question_id JOIN session s "
        "ON s.image_id = q.image_id AND s.annotator_id = v.annotator_id",
    ),
    Invariant(
        2,
        "one person verifies a question at most once",
        "SELECT question_id FROM verification GROUP BY question_id, annotator_id HAVING COUNT(*) > 1",
    ),
    Invariant(
        3,
        "a question judged wrong has all its slots, and others have none",
        "SELECT q.id FROM question q LEFT JOIN slot s ON s.question_id = q.id GROUP BY q.id, q.state "
        "HAVING COUNT(s.n) <> CASE WHEN q.id IN (SELECT question_id FROM judgement WHERE verdict = 'wrong') "
        "THEN (SELECT verifiers FROM study) ELSE 0 END",
    ),
    Invariant(
        3,
        "a slot is done when a verification counts for it, by the same person",
        "SELECT s.question_id FROM slot s LEFT JOIN verification v ON v.question_id = s.question_id "
        "AND v.slot_n = s.n WHERE (s.state = 'DONE') <> (v.id IS NOT NULL) "
        "OR (v.id IS NOT NULL AND v.annotator_id <> s.annotator_id)",
    ),
    Invariant(
        3,
        "a question is verified exactly when all its slots are done",
        "SELECT q.id FROM question q WHERE (q.state = 'VERIFIED') <> "
        "(q.done = (SELECT verifiers FROM study) AND q.state <> 'WITHDRAWN')",
    ),
    Invariant(
        4,
        "an image has as many writer places as the study says",
        "SELECT i.id FROM image i LEFT JOIN place p ON p.image_id = i.id GROUP BY i.id "
        "HAVING COUNT(p.n) <> (SELECT writers FROM study)",
    ),
    Invariant(
        4,
        "a place is held by a session of its image that is active, succeeded or used all tries",
        "SELECT p.image_id FROM place p JOIN session s ON s.id = p.session_id "
        "WHERE s.image_id <> p.image_id OR s.state IN ('RELEASED', 'EXPIRED')",
    ),
    Invariant(
        4,
        "a session that is active, succeeded or used all tries holds a place, unless its writer was excluded",
        "SELECT s.id FROM session s JOIN annotator a ON a.id = s.annotator_id LEFT JOIN place p ON p.session_id = s.id "
        "WHERE s.state IN ('LEASED', 'SUCCEEDED', 'EXHAUSTED') AND p.n IS NULL AND a.excluded_at IS NULL",
    ),
    Invariant(
        5,
        "the tries of a session are numbered from 1 without gaps, and are not too many",
        "SELECT session_id FROM question WHERE try_no IS NOT NULL GROUP BY session_id "
        "HAVING MIN(try_no) <> 1 OR MAX(try_no) <> COUNT(*) OR MAX(try_no) > (SELECT max_tries FROM study)",
    ),
    Invariant(
        5,
        "a question has a try number exactly when it has a prediction",
        "SELECT q.id FROM question q LEFT JOIN prediction p ON p.question_id = q.id "
        "WHERE (q.try_no IS NULL) <> (p.question_id IS NULL)",
    ),
    Invariant(
        6,
        "a session that succeeded has an answer judged wrong, and one that used all tries has none",
        "SELECT s.id FROM session s LEFT JOIN question q ON q.session_id = s.id LEFT JOIN judgement j "
        "ON j.question_id = q.id AND j.verdict = 'wrong' WHERE s.state IN ('SUCCEEDED', 'EXHAUSTED') "
        "GROUP BY s.id, s.state HAVING (s.state = 'SUCCEEDED') <> (COUNT(j.question_id) > 0)",
    ),
    Invariant(
        6,
        "no question of a session that ended waits for a robot or a judgement",
        "SELECT q.id FROM question q JOIN session s ON s.id = q.session_id "
        "WHERE s.state <> 'LEASED' AND q.state IN ('ASKED', 'ANSWERED', 'MODEL_FAILED')",
    ),
    Invariant(
        7,
        "a prediction is by the drawn model, and the draw is done",
        "SELECT p.question_id FROM prediction p LEFT JOIN draw d ON d.question_id = p.question_id AND d.n = p.draw_n "
        "WHERE d.model_id IS NULL OR d.model_id <> p.model_id OR d.outcome <> 'OK' OR d.outcome IS NULL",
    ),
    Invariant(
        7,
        "a question waiting for a robot has exactly one open draw, and others have none unless abandoned",
        "SELECT q.id FROM question q LEFT JOIN draw d ON d.question_id = q.id AND d.outcome IS NULL "
        "GROUP BY q.id, q.state HAVING (q.state = 'ASKED' AND COUNT(d.n) <> 1) "
        "OR (q.state NOT IN ('ASKED', 'ABANDONED') AND COUNT(d.n) <> 0)",
    ),
    Invariant(
        8,
        "a judgement is by the question's author, and matches the question's state",
        "SELECT q.id FROM question q LEFT JOIN judgement j ON j.question_id = q.id WHERE j.annotator_id "
        "<> q.annotator_id OR (j.verdict IS NULL AND q.state IN ('CORRECT', 'UNSURE', 'VERIFYING', 'VERIFIED')) "
        "OR (q.state = 'CORRECT' AND j.verdict <> 'correct') OR (q.state = 'UNSURE' AND j.verdict <> 'unsure') "
        "OR (q.state IN ('VERIFYING', 'VERIFIED') AND j.verdict <> 'wrong')",
    ),
    Invariant(
        11,
        "a leased slot has exactly one active lease, of the same person",
        "SELECT s.question_id FROM slot s LEFT JOIN lease l ON l.question_id = s.question_id AND l.slot_n = s.n "
        "AND l.annotator_id = s.annotator_id AND l.ended_at IS NULL GROUP BY s.question_id, s.n, s.state "
        "HAVING COUNT(l.id) <> CASE WHEN s.state = 'LEASED' THEN 1 ELSE 0 END",
    ),
    Invariant(
        12,
        "dev and test hold only type E, and A and C are in train only",
        "SELECT id FROM question WHERE split IS NOT NULL AND type <> 'E' "
        "AND NOT (split = 'train' AND type IN ('A', 'C'))",
    ),
    Invariant(
        12,
        "a question's split is its image's",
        "SELECT q.id FROM question q JOIN image i ON i.id = q.image_id WHERE q.split IS NOT NULL "
        "AND (i.split IS NULL OR q.split <> i.split)",
    ),
    Invariant(
        12,
        "questions have types, and images splits, exactly when their round is frozen",
        "SELECT i.id FROM image i JOIN round r ON r.id = i.round_id LEFT JOIN question q ON q.image_id = i.id "
        "WHERE (i.split IS NOT NULL) <> (r.state IN ('FROZEN', 'RELEASED')) "
        "OR (q.id IS NOT NULL AND (q.type IS NOT NULL) <> (r.state IN ('FROZEN', 'RELEASED')))",
    ),
    Invariant(
        15,
        "the number of verifications shown is the number of rows",
        "SELECT q.id FROM question q LEFT JOIN verification v ON v.question_id = q.id AND v.slot_n IS NOT NULL "
        "GROUP BY q.id, q.done HAVING q.done <> COUNT(v.id)",
    ),
    Invariant(
        17,
        "no answer of an excluded person counts, unless the round was frozen before",
        "SELECT v.id FROM verification v JOIN annotator a ON a.id = v.annotator_id JOIN question q "
        "ON q.id = v.question_id JOIN image i ON i.id = q.image_id JOIN round r ON r.id = i.round_id "
        "WHERE v.slot_n IS NOT NULL AND a.excluded_at IS NOT NULL "
        "AND (r.frozen_at IS NULL OR a.excluded_at < r.frozen_at)",
    ),
    Invariant(
        18,
        "nobody gets a gold question about an image they wrote for, or one they were given to verify",
        "SELECT g.id FROM gold_result r JOIN gold_item g ON g.id = r.gold_id JOIN image i ON i.sha256 = g.sha256 "
        "JOIN session s ON s.image_id = i.id AND s.annotator_id = r.annotator_id UNION ALL "
        "SELECT g.id FROM gold_result r JOIN gold_item g ON g.id = r.gold_id JOIN lease l "
        "ON l.question_id = g.question_id AND l.annotator_id = r.annotator_id",
    ),
    Invariant(
        19,
        "times of a session never go backwards",
        "SELECT q.id FROM question q JOIN session s ON s.id = q.session_id LEFT JOIN prediction p "
        "ON p.question_id = q.id LEFT JOIN judgement j ON j.question_id = q.id WHERE q.asked_at < s.started_at "
        "OR p.at < q.asked_at OR j.at < p.at OR s.ended_at < j.at",
    ),
    Invariant(
        0,
        "a person holds at most one question at a time, gold ones included",
        "SELECT annotator_id FROM (SELECT annotator_id FROM slot WHERE state = 'LEASED' UNION ALL SELECT annotator_id "
        "FROM gold_result WHERE answer IS NULL AND skipped IS NULL) held GROUP BY annotator_id HAVING COUNT(*) > 1",
    ),
    Invariant(
        0,
        "nothing is active in a frozen round",
        "SELECT i.id FROM image i JOIN round r ON r.id = i.round_id WHERE r.state IN ('FROZEN', 'RELEASED') AND ("
        "EXISTS (SELECT 1 FROM session s WHERE s.image_id = i.id AND s.state = 'LEASED') OR EXISTS (SELECT 1 FROM slot "
        "s JOIN question q ON q.id = s.question_id WHERE q.image_id = i.id AND s.state = 'LEASED'))",
    ),
)
"""Invariants over one row or a few; those numbered 0 follow from the others."""
_EVERY = sa.text(
    " UNION ALL ".join(f"SELECT {place}, t{place}.* FROM ({i.broken}) t{place}" for place, i in enumerate(INVARIANTS))
)
"""Rows (index in INVARIANTS, id) that break an invariant: one query for all."""


def violations(tx: Tx, *, hashes: bool = True) -> list[str]:
    """Every broken invariant, with its count and one example; empty for a sound study.

    ``hashes`` also recomputes the hash of each frozen round (invariant 13), which reads everything.
    """
    broken: dict[int, list[int]] = {}
    for place, key in tx.rows(_EVERY):
        broken.setdefault(place, []).append(key)
    found = [
        f"I{INVARIANTS[place].number}: {INVARIANTS[place].says}: broken {len(keys)} times, e.g. for id {min(keys)}"
        for place, keys in sorted(broken.items())
    ]
    return found + (_changed_rounds(tx) if hashes else [])


def _changed_rounds(tx: Tx) -> list[str]:
    """Frozen rounds that have changed since the freeze, except by the deletion of a text on request."""
    found = []
    for row in tx.rows(sa.select(round_).where(round_.c.state.in_(CLOSED))):
        if not _has_deletions(tx, row.id) and snapshot_hash(tx, row.id) != row.snapshot:
            found.append(f"I13: round {row.number} has changed since it was frozen")
    return found


def _has_deletions(tx: Tx, round_id: int) -> bool:
    blank = sa.select(question.c.id).join(image, image.c.id == question.c.image_id)
    return tx.first(blank.where(image.c.round_id == round_id, question.c.text == "")) is not None
