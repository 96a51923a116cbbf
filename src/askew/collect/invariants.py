"""The checker of a study: every invariant of the protocol as a query for rows that break it.

Constraints and triggers enforce most of them too; the checker does not rely on those. ``docs/collect-internals.md``
lists what enforces each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.freeze import snapshot_hash
from askew.collect.history import digest, history, published, withheld_questions
from askew.collect.moderation import deleted_after_release
from askew.collect.payments import work_of_all
from askew.collect.rounds import CLOSED
from askew.collect.schema import image, question, round_


@dataclass(frozen=True)
class Invariant:
    """What must hold, and a query for the ids of rows that break it."""

    number: int
    says: str
    broken: str


_TEXT = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
_BLOCKS = re.findall(r"^-- ([\w ]+): ([^\n]+)\n(.+?);$", _TEXT, re.MULTILINE | re.DOTALL)
_NAMED = {name: query for name, _, query in _BLOCKS}


def _query(text: str) -> str:
    return text.replace("{counts}", _NAMED["counts"]).replace("{frozen}", _NAMED["frozen"])


INVARIANTS = tuple(
    Invariant(int(name[1:]), says, _query(query)) for name, says, query in _BLOCKS if name.startswith("I")
)
"""Invariants over one row or a few, as ``invariants.sql`` states them; those numbered 0 follow from the others."""
_EVERY = sa.text(
    " UNION ALL ".join(f"SELECT {place}, t{place}.* FROM ({i.broken}) t{place}" for place, i in enumerate(INVARIANTS))
)
"""Rows (index in INVARIANTS, id) that break an invariant: one query for all."""
OTHERS = 3
"""Invariants 13, 21 and 22, which are no queries: the hashes, what a release has, and what is paid."""


def violations(tx: Tx, *, hashes: bool = True) -> list[str]:
    """Every broken invariant, with its count and one example; empty for a sound study.

    ``hashes`` also reads everything in frozen rounds: whether it has changed since the freeze (invariant 13), and
    whether a release would hold work that must not be published (invariant 21).
    """
    broken: dict[int, list[int]] = {}
    for place, key in tx.rows(_EVERY):
        broken.setdefault(place, []).append(key)
    found = [
        f"I{INVARIANTS[place].number}: {INVARIANTS[place].says}: broken {len(keys)} times, e.g. for id {min(keys)}"
        for place, keys in sorted(broken.items())
    ]
    found += _wrong_payments(tx)
    return found + (_frozen_rounds(tx) if hashes else [])


def notices(tx: Tx) -> list[str]:
    """What the owner still has to do, though no invariant is broken."""
    gone = deleted_after_release(tx, unpatched=True)
    if not gone:
        return []
    return [
        f"The latest release has questions that were deleted since: {len(gone)}, e.g. {gone[0]}. Export a patch under "
        "a new version: askew collect export STUDY --output DIR --version 1.0.1"
    ]


def _wrong_payments(tx: Tx) -> list[str]:
    """Invariant 22: every paid item is accepted work of that person, once. Counted here in another way."""
    counted = {number: {row[0]: row[1] for row in tx.rows(sa.text(query))} for number, query in enumerate(_PAID)}
    found = []
    for work in work_of_all(tx):
        bonuses = 0 if work.excluded else work.types["E"]
        paid = (work.sessions["accepted"], work.answers["accepted"], bonuses, work.batches["accepted"])
        due = tuple(counted[number].get(work.id, 0) for number in range(len(_PAID)))
        if paid != due:
            found.append(f"{work.pseudonym}: {paid} sessions, answers, bonuses and batches are paid, {due} are due")
    says = "I22: every paid item is accepted work of that person, once"
    return [f"{says}: broken {len(found)} times, e.g. for {found[0]}"] if found else []


_PAID = [_query(_NAMED[f"paid {kind}"]) for kind in ("sessions", "answers", "bonuses", "batches")]
"""Person to sessions, answers, bonuses and batches that are due."""


def _frozen_rounds(tx: Tx) -> list[str]:
    """Frozen rounds that have changed since the freeze, except by the deletion of a text on request, and those of
    which a release would hold withheld work."""
    found = []
    rows = tx.rows(sa.select(round_).where(round_.c.state.in_(CLOSED)).order_by(round_.c.number))
    hidden = {row[0] for row in tx.rows(sa.text(_NAMED["hidden"]))}
    dropped = {(row[0], row[1]) for row in tx.rows(sa.text(_NAMED["dropped"]))}
    for row in rows:
        withheld = withheld_questions(tx, [row.id])
        hashes, leaks = {}, []
        for record in history(tx, [row.id]):
            hashes[record["id"]] = None if record["question"] == "" else digest(record)
            shown = published(record, withheld)
            if shown is not None:
                people = {(shown["id"], one["annotator"]) for one in shown["verifications"]}
                if shown["id"] in hidden or shown["same_as"] in hidden or people & dropped:
                    leaks.append(shown["id"])
        mine = sa.select(question.c.id, question.c.frozen_sha256).join(image)
        stored = dict(map(tuple, tx.rows(mine.where(image.c.round_id == row.id).order_by(question.c.id))))
        changed = [key for key, at in stored.items() if hashes.get(key, "missing") not in (None, at)]
        if changed:
            found.append(
                f"I13: round {row.number} has changed since it was frozen: {len(changed)} questions, e.g. {changed[0]}"
            )
        elif snapshot_hash(at or "" for at in stored.values()) != row.snapshot:
            found.append(f"I13: round {row.number} has changed since it was frozen: its hash is another one")
        if leaks:
            found.append(
                "I21: no release has withdrawn, deleted, excluded or quarantined work: "
                f"broken {len(leaks)} times, e.g. for id {leaks[0]}"
            )
    return found
