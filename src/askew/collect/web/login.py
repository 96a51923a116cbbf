"""Signing in: invite links, passwords and sessions.

Tokens have 256 random bits, and only their SHA-256 is stored. There is no open sign-up: an account begins with an
invite link. A link is for one person, unless it has a completion code: a platform sends all of its workers to such a
link, each with the platform's own ids in the query. One of these ids (``identity`` in the settings) is the person: its
keyed hash belongs to one account, also after that account was deleted. The id proves nothing by itself, so somebody who
comes back in another browser also gives the return code of the account.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from askew.collect.accounts import add_annotator, has_other_owner, person
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.schema import ROLES, annotator, api_token, invite, login

HOUR = 3_600_000
IDLE = 12 * HOUR
"""A session ends after this time without a request."""
LONGEST = 14 * 24 * HOUR
"""Every session ends after this time."""
INVITE_DAYS = 14
SEEN_EVERY = 60_000
PASSWORD_LENGTHS = (10, 200)
PLATFORM_IDS = 8
PLATFORM_LENGTH = 200


def token_hash(token: str) -> str:
    """The hash of a token, which is all that is stored of it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


@dataclass
class Passwords:
    """Argon2id, two at a time: each hash takes 64 MiB and a noticeable part of a second, on purpose."""

    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    _turns: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(2))
    _nobody: str = ""

    def __post_init__(self) -> None:
        self._nobody = self.hasher.hash(secrets.token_hex(16))

    def hash(self, password: str) -> str:
        """The hash of a password, for storing; too short or too long ones are refused."""
        least, most = PASSWORD_LENGTHS
        if not least <= len(password) <= most:
            raise Refused(f"A password must have {least} to {most} characters. Choose another one.")
        with self._turns:
            return self.hasher.hash(password)

    def matches(self, stored: str | None, password: str) -> bool:
        """Whether the password is correct. Takes just as long if there is no such person, or no stored password."""
        with self._turns:
            try:
                correct = self.hasher.verify(stored or self._nobody, password[: PASSWORD_LENGTHS[1] + 1])
            except (Argon2Error, InvalidHashError):
                return False
        return correct and stored is not None


@dataclass(frozen=True)
class Platform:
    """What a platform's workers get at the end of a link."""

    code: str
    """The completion code."""
    tasks: int = 1
    """Finished tasks until it is shown."""
    return_url: str | None = None
    """The platform's address to go back to."""


def create_invite(
    tx: Tx,
    role: str = "annotator",
    *,
    annotator_id: int | None = None,
    platform: Platform | None = None,
    days: int = INVITE_DAYS,
    actor: int | None = None,
    token: str | None = None,
) -> str:
    """A token for an invite link; with ``annotator_id`` it signs in an existing person."""
    if annotator_id is not None and person(tx, annotator_id).deleted_at is not None:
        raise Refused("This account was deleted, so nobody can sign in to it.")
    if annotator_id is not None and person(tx, annotator_id).attack is not None:
        raise Refused("This author is an automatic attack, so nobody can sign in to it.")
    token = token or secrets.token_urlsafe(32)
    new = tx.insert(
        invite,
        token_hash=token_hash(token),
        role=role,
        annotator_id=annotator_id,
        completion_code=platform.code if platform else None,
        tasks=platform.tasks if platform else 1,
        return_url=platform.return_url if platform else None,
        created_at=tx.now,
        expires_at=tx.now + days * 24 * HOUR,
    )
    record_event(tx, "invite.made", f"invite {new}", actor, {"role": role, "platform": platform is not None})
    return token


def owner_link(tx: Tx) -> str:
    """A token for the link that the console prints: it creates the first owner's account, or signs in the first owner.

    Earlier unused links for owners stop working.
    """
    tx.change(invite, (invite.c.role == "owner") & invite.c.used_at.is_(None), used_at=tx.now)
    known = sa.select(annotator.c.id).where(annotator.c.role == "owner", annotator.c.excluded_at.is_(None))
    return create_invite(tx, "owner", annotator_id=tx.value(known.order_by(annotator.c.id)), days=1)


def open_invite(tx: Tx, token: str) -> AnyRow:
    """The invite of a link that can still be used."""
    row = tx.first(sa.select(invite).where(invite.c.token_hash == token_hash(token)))
    if row is None:
        raise Gone("This invite link is unknown. Perhaps a part of it is missing.")
    if row.used_at is not None and row.completion_code is None:
        raise Gone("This invite link has already been used.")
    if row.expires_at is not None and row.expires_at <= tx.now:
        raise Gone("This invite link has expired.")
    return row


def platform_ids(query: Mapping[str, str]) -> dict[str, str]:
    """The ids that a platform put into the link, unchanged; their number and lengths are limited.

    >>> platform_ids({"PROLIFIC_PID": "5f3c"})
    {'PROLIFIC_PID': '5f3c'}
    """
    ids = {name: value for name, value in query.items() if value}
    if len(ids) > PLATFORM_IDS or any(
        len(text) > PLATFORM_LENGTH or "\0" in text for pair in ids.items() for text in pair
    ):
        raise Refused(
            f"The link has more than {PLATFORM_IDS} ids after the question mark, or one of more than "
            f"{PLATFORM_LENGTH} characters."
        )
    return ids


def account_of(tx: Tx, identity: str) -> AnyRow | None:
    """The account of a platform identity; Gone if it was deleted."""
    row = tx.first(sa.select(annotator).where(annotator.c.identity == identity))
    if row is not None and row.deleted_at is not None:
        raise Gone("The account of your platform id was deleted, so you cannot take part in this study again.")
    return row


def accept_invite(
    tx: Tx, token: str, name: str, password_hash: str | None, ids: Mapping[str, str], identity: str | None = None
) -> int:
    """Use an invite; returns the id of the person: a new one, unless the invite is for an existing person.

    ``identity`` is the keyed hash of the platform's id of the person, which the link of a platform needs.
    """
    invitation = open_invite(tx, token)
    if invitation.annotator_id is not None:
        if person(tx, invitation.annotator_id).deleted_at is not None:
            raise Gone("The account of this link was deleted.")
        tx.change(invite, invite.c.id == invitation.id, used_at=tx.now)
        return int(invitation.annotator_id)
    is_platform = invitation.completion_code is not None
    if is_platform:
        if identity is None:
            key = tx.settings.identity
            raise Refused(f"This link must contain your id on the platform ({key}). Open it there again.")
        if account_of(tx, identity) is not None:
            raise Gone("Your platform id has an account already. Open the link again to get back to it.")
        name = name.strip() or f"worker {secrets.token_hex(4)}"
    new = add_annotator(tx, name, invitation.role, ids)
    if password_hash is not None:
        tx.change(annotator, annotator.c.id == new, password_hash=password_hash)
    if is_platform:
        tx.change(annotator, annotator.c.id == new, identity=identity)
        enter(tx, new, invitation, ids)
    tx.change(invite, invite.c.id == invitation.id, used_at=tx.now)
    return new


def enter(tx: Tx, annotator_id: int, invitation: AnyRow, ids: Mapping[str, str]) -> None:
    """Record that a person came through the link of a platform. If the link or its ids are new, such as those of the
    next assignment, they are stored, and its completion code counts tasks from now on."""
    who = person(tx, annotator_id)
    if not entered(tx, who, invitation, ids):
        values = {"invite_id": invitation.id, "platform": json.dumps(own_ids(tx, who, ids), sort_keys=True)}
        tx.change(annotator, annotator.c.id == annotator_id, entered_at=tx.now, **values)


def entered(tx: Tx, who: AnyRow, invitation: AnyRow, ids: Mapping[str, str]) -> bool:
    """Whether a person came through this link with these ids before, and through none since."""
    return bool(who.invite_id == invitation.id and json.loads(who.platform) == own_ids(tx, who, ids))


def own_ids(tx: Tx, who: AnyRow, ids: Mapping[str, str]) -> dict[str, str]:
    """The ids of a link, with the one that is the person as it came first."""
    key = tx.settings.identity
    return {**ids, key: json.loads(who.platform).get(key, ids.get(key, ""))}


def platform_link(tx: Tx, who: AnyRow) -> AnyRow | None:
    """The platform link that a person came through last."""
    return None if who.invite_id is None else tx.row(invite, who.invite_id)


def start_session(tx: Tx, annotator_id: int, earlier: str | None = None) -> str:
    """Start a session and return its token; the browser's earlier session ends."""
    if earlier:
        end_session(tx, earlier)
    tx.execute(sa.delete(login).where(login.c.expires_at <= tx.now))
    token = secrets.token_urlsafe(32)
    tx.insert(
        login,
        token_hash=token_hash(token),
        annotator_id=annotator_id,
        created_at=tx.now,
        last_seen_at=tx.now,
        expires_at=tx.now + LONGEST,
    )
    return token


def end_session(tx: Tx, token: str) -> None:
    """End one session."""
    tx.execute(sa.delete(login).where(login.c.token_hash == token_hash(token)))


def end_sessions(tx: Tx, annotator_id: int) -> None:
    """End every session of a person, and every token for scripts: after a new password, a new role, a deletion."""
    for table in (login, api_token):
        tx.execute(sa.delete(table).where(table.c.annotator_id == annotator_id))


def signed_in(tx: Tx, token: str) -> AnyRow | None:
    """The person whose session this is, with the session's ``last_seen_at``; None if the session has ended."""
    return tx.first(
        sa.select(annotator, login.c.last_seen_at)
        .join(login)
        .where(
            login.c.token_hash == token_hash(token), login.c.expires_at > tx.now, login.c.last_seen_at > tx.now - IDLE
        )
    )


def seen(tx: Tx, token: str) -> None:
    """Record that a session is in use."""
    tx.change(login, login.c.token_hash == token_hash(token), last_seen_at=tx.now)


def change_password(tx: Tx, annotator_id: int, password_hash: str) -> None:
    """Set a password; every session of the person ends."""
    person(tx, annotator_id)
    tx.change(annotator, annotator.c.id == annotator_id, password_hash=password_hash)
    end_sessions(tx, annotator_id)
    record_event(tx, "person.password", f"annotator {annotator_id}", annotator_id)


def change_role(tx: Tx, annotator_id: int, role: str, actor: int) -> None:
    """Make a person an owner or an annotator; every session of the person ends. The last owner stays one."""
    if role not in ROLES:
        raise Refused(f"There is no role {role!r}.")
    if role != "owner" and not has_other_owner(tx, annotator_id):
        raise NotAllowed("This is the only owner, and a study needs one. Make somebody else an owner first.")
    person(tx, annotator_id)
    tx.change(annotator, annotator.c.id == annotator_id, role=role)
    end_sessions(tx, annotator_id)
    record_event(tx, "person.role", f"annotator {annotator_id}", actor, {"role": role})
