"""A study as large as Adversarial VQA: 227 thousand questions, a million answers, 38 thousand images."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from askew.collect.protocol import PRESETS
from askew.collect.study import create_study

IMAGES = 37_900
PEOPLE = 200
WORDS = (
    "what color is the",
    "how many",
    "is there a",
    "what kind of",
    "which",
    "does the",
    "where is the",
    "can you see",
)
NOUNS = [f"thing{n}" for n in range(300)]
ANSWERS = ["yes", "no", *map(str, range(12)), *(f"answer {n}" for n in range(2000))]


def make_large_study(folder: Path) -> None:
    """Fill a new study's folder; an image's file has a few bytes."""
    study = create_study(folder, PRESETS["paper"], "Large", seed=1)
    for image in range(1, IMAGES + 1):
        path = study.image_path(_sha256(image), ".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_content(image))
    study.close()
    _fill(folder / "study.sqlite")


def _content(image: int) -> bytes:
    return f"image {image}".encode()


def _sha256(image: int) -> str:
    return hashlib.sha256(_content(image)).hexdigest()


def _fill(path: Path) -> None:
    """Rows of a frozen round, written without the triggers: the protocol would take days."""
    with sqlite3.connect(path) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("PRAGMA synchronous = OFF")
        _insert(
            database,
            "round",
            "id number state freeze_seed created_at frozen_at snapshot",
            [(1, 1, "FROZEN", 1, 0, 1, "x")],
        )
        _insert(database, "model", "id name spec signature", [(n, f"model {n}", "constant:no", "") for n in (1, 2, 3)])
        people = [(n, f"person {n}", f"pseudonym {n}", "annotator", "{}", False, 0) for n in range(1, PEOPLE + 1)]
        _insert(database, "annotator", "id name pseudonym role platform simulated created_at", people)
        images = [
            (n, 1, _sha256(n), f"{n:064x}", ".png", f"{n}.png", ("cc", "vcr", "fakeddit")[n % 3], 8, 8, _split(n))
            for n in range(1, IMAGES + 1)
        ]
        _insert(database, "image", "id round_id sha256 source_sha256 suffix name domain width height split", images)
        for table, columns, rows in _TABLES:
            _insert(database, table, columns, rows())


def _split(image: int) -> str:
    tenth = image // 5 % 10  # the types repeat every five images
    return "train" if tenth < 6 else "dev" if tenth == 6 else "test"


def _insert(database: sqlite3.Connection, table: str, columns: str, rows: Any) -> None:
    names = columns.split()
    marks = ", ".join("?" * len(names))
    database.executemany(f'INSERT INTO "{table}" ({", ".join(names)}) VALUES ({marks})', rows)


def _tries() -> Iterator[tuple[int, int, int, int, bool]]:
    """Question, session, image, try, and whether it succeeds: an image has sessions of one, two and three tries."""
    question = session = 0
    for image in range(1, IMAGES + 1):
        for tries in (1, 2, 3):
            session += 1
            for number in range(1, tries + 1):
                question += 1
                yield question, session, image, number, number == tries


def _person(n: int) -> int:
    return 1 + n % PEOPLE


def _said(question: int) -> tuple[str, str, list[str]]:
    """Type, the robot's answer and the nine verifiers' answers of a success."""
    rng = Random(question)
    robot, right = rng.sample(ANSWERS, 2)
    kind = "CDEEEEEEEE"[question % 10]
    if kind == "C":
        return kind, robot, [robot] * 5 + [right] * 4
    if kind == "D":
        return kind, robot, [one for one in rng.sample(ANSWERS, 10) if one != robot][:9]
    most = rng.randint(2, 9)
    others = [one for one in rng.sample(ANSWERS, 12) if one not in (robot, right)]
    return kind, robot, [right] * most + others[: 9 - most]


def _sessions() -> Iterator[tuple[Any, ...]]:
    for n in range(3 * IMAGES):
        yield n + 1, n // 3 + 1, _person(n), "SUCCEEDED", 1000 * n, 1000 * n, 1000 * n + 60_000


def _questions() -> Iterator[tuple[Any, ...]]:
    for question, session, image, number, success in _tries():
        rng = Random(f"text {question}")
        text = f"{rng.choice(WORDS)} {rng.choice(NOUNS)} near the {rng.choice(NOUNS)}?"
        kind = _said(question)[0] if success else "A"
        split = _split(image) if kind == "E" else "train" if kind in "AC" and _split(image) == "train" else None
        state = "VERIFIED" if success else "CORRECT"
        yield (question, session, image, _person(session - 1), text, f"{text} {question}", state, "OK", number,
               9 * success, 1000 * session, kind, split)  # fmt: skip


def _draws() -> Iterator[tuple[Any, ...]]:
    for question, session, _, _, _ in _tries():
        yield question, 1, 1 + question % 3, question, 1, "OK", 1000 * session


def _predictions() -> Iterator[tuple[Any, ...]]:
    for question, session, _, _, success in _tries():
        robot = _said(question)[1] if success else "yes"
        yield question, 1, 1 + question % 3, robot, robot, robot, 0.05 + question % 100 / 1000, 1000 * session


def _judgements() -> Iterator[tuple[Any, ...]]:
    for question, session, _, number, success in _tries():
        right = _said(question)[2][-1] if success else None
        verdict = "wrong" if success else "correct"
        yield question, _person(session - 1), verdict, right, right, 1000 * (session - 1) + 30_000 * number


def _slots() -> Iterator[tuple[Any, ...]]:
    for question, session, _, _, success in _tries():
        for n in range(1, 10 * success):
            yield question, n, "DONE", _person(session + n), 0, 1, 0


def _verifications() -> Iterator[tuple[Any, ...]]:
    for question, session, _, _, success in _tries():
        for n, answer in enumerate(_said(question)[2] if success else [], 1):
            sure = ("yes", "yes", "yes", "maybe", "no")[(question + n) % 5]
            yield question, _person(session + n), n, answer, answer, sure, False, False, 0, 9000


def _leases() -> Iterator[tuple[Any, ...]]:
    for question, session, _, _, success in _tries():
        for n in range(1, 10 * success):
            yield question, n, _person(session + n), 0, 9000, "EXPIRED" if question % 50 == n else "DONE", ""


_TABLES = (
    (
        "session",
        "id image_id annotator_id state started_at lease_until ended_at extensions reason",
        lambda: ((*row, 0, "") for row in _sessions()),
    ),
    (
        "question",
        "id session_id image_id annotator_id text normalised state standing try_no done asked_at type split",
        _questions,
    ),
    ("draw", "question_id n model_id seed attempts outcome drawn_at", _draws),
    ("prediction", "question_id draw_n model_id raw answer normalised seconds at", _predictions),
    ("judgement", "question_id annotator_id verdict answer normalised at", _judgements),
    ("slot", "question_id n state annotator_id leased_at lease_until extensions", _slots),
    (
        "verification",
        "question_id annotator_id slot_n answer normalised confidence late excluded leased_at at",
        _verifications,
    ),
    ("lease", "question_id slot_n annotator_id leased_at ended_at outcome reason", _leases),
)


def reopen(path: Path, verifying: int = 10_000, images: int = 1000) -> None:
    """Make the frozen round an open one: questions that lack an answer, and images that nobody has written for."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("UPDATE round SET state = 'OPEN', snapshot = NULL, frozen_at = NULL")
        database.execute("UPDATE question SET type = NULL, split = NULL")
        database.execute("UPDATE image SET split = NULL")
        database.execute("UPDATE annotator SET qualified_at = 1")
        last = [
            row[0]
            for row in database.execute("SELECT id FROM question WHERE done = 9 ORDER BY id DESC LIMIT ?", (verifying,))
        ]
        for statement in (
            "UPDATE question SET state = 'VERIFYING', done = 8 WHERE id = ?",
            "DELETE FROM verification WHERE question_id = ? AND slot_n = 9",
            "DELETE FROM lease WHERE question_id = ? AND slot_n = 9",
            "UPDATE slot SET state = 'OPEN', annotator_id = NULL, leased_at = NULL, lease_until = NULL "
            "WHERE question_id = ? AND n = 9",
        ):
            database.executemany(statement, [(key,) for key in last])
        new = range(IMAGES + 1, IMAGES + images + 1)
        rows = [(n, 1, _sha256(n), f"{n:064x}", ".png", f"{n}.png", "cc", 8, 8) for n in new]
        _insert(database, "image", "id round_id sha256 source_sha256 suffix name domain width height", rows)
        places = [(3 * n + place, n + 1, place + 1) for n in range(IMAGES) for place in range(3)]
        _insert(database, "place", "session_id image_id n", [(1 + session, image, n) for session, image, n in places])
        _insert(database, "place", "image_id n", [(image, n) for image in new for n in (1, 2, 3)])
        _insert(database, "ensemble_member", "round_id model_id active", [(1, n, True) for n in (1, 2, 3)])
        _insert(
            database,
            "annotator",
            "id name pseudonym role platform simulated created_at",
            [(PEOPLE + 1, "Owner", "owner", "owner", "{}", 0, 0)],
        )
