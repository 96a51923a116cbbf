"""The people of a study: owners and annotators, each with a pseudonym that releases use."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.protocol import NotAllowed, Refused
from askew.collect.schema import ROLES, annotator
from askew.errors import UnknownName

MOST = 100
"""Maximum length of a name, in characters."""


def add_annotator(
    tx: Tx,
    name: str,
    role: str = "annotator",
    platform: Mapping[str, str] | None = None,
    pseudonym: str | None = None,
    *,
    simulated: bool = False,
) -> int:
    """Add a person; returns the id. The pseudonym is random, so that it reveals nothing about the name."""
    name = name.strip()
    if not 1 <= len(name) <= MOST:
        raise Refused(f"A name has 1 to {MOST} characters; this one has {len(name)}.")
    if role not in ROLES:
        raise Refused(f"There is no role {role!r}. Roles: {', '.join(ROLES)}.")
    if role == "annotator" and not simulated and among_simulated(tx):
        raise Refused(AMONG_SIMULATED)
    if tx.count(annotator, annotator.c.name == name):
        raise Refused(f"The name {name!r} is taken already. Give another name.")
    new = tx.insert(
        annotator,
        name=name,
        pseudonym=pseudonym or f"{'simulated' if simulated else 'person'}-{secrets.token_hex(6)}",
        role=role,
        simulated=simulated,
        platform=json.dumps(dict(platform or {}), sort_keys=True),
        created_at=tx.now,
    )
    record_event(tx, "person.added", f"annotator {new}", None, {"role": role})
    return new


AMONG_SIMULATED = "Simulated people work in this study, so real people cannot. Create a study of its own for them."


def among_simulated(tx: Tx) -> bool:
    """Whether simulated people are in the study, which is then closed to real ones unless it is a demonstration."""
    return not tx.settings.demonstration and tx.count(annotator, annotator.c.simulated) > 0


def give_consent(tx: Tx, annotator_id: int, version: str) -> None:
    """Record that the person agreed to this version of the consent text."""
    person(tx, annotator_id)
    tx.change(annotator, annotator.c.id == annotator_id, consent_version=version, consented_at=tx.now)
    record_event(tx, "person.consented", f"annotator {annotator_id}", annotator_id, {"version": version})


def person(tx: Tx, annotator_id: int) -> AnyRow:
    """The row of a person."""
    row = tx.row(annotator, annotator_id)
    if row is None:
        raise NotAllowed("No account has this id. Sign in again.")
    return row


def person_named(tx: Tx, name: str) -> AnyRow:
    """The row of a person by name, for the command line."""
    row = tx.first(sa.select(annotator).where(annotator.c.name == name))
    if row is None:
        raise UnknownName(f"Nobody is called {name!r}. List people: askew collect people STUDY")
    return row


def has_other_owner(tx: Tx, annotator_id: int) -> bool:
    """Whether somebody else is an owner, and not excluded: a study never loses its last one."""
    is_owner = (annotator.c.role == "owner") & annotator.c.excluded_at.is_(None)
    return tx.count(annotator, is_owner, annotator.c.id != annotator_id) > 0


def require_worker(tx: Tx, annotator_id: int) -> AnyRow:
    """The row of a person, who must not be excluded."""
    row = person(tx, annotator_id)
    if row.excluded_at is not None:
        raise NotAllowed("You no longer take part in this study. What you did before is kept.")
    return row


def require_owner(tx: Tx, annotator_id: int) -> AnyRow:
    """The row of a person, who must be an owner."""
    row = require_worker(tx, annotator_id)
    if row.role != "owner":
        raise NotAllowed("Only an owner of the study may do this.")
    return row
