"""For owners: who takes part, invite links, roles, and exclusion with a preview of its effect."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.accounts import person
from askew.collect.agreement import agreement_of, agreements, counted_answers
from askew.collect.database import Tx
from askew.collect.gold import gold_count, gold_counts, strikes_allowed
from askew.collect.moderation import exclude, preview_exclusion
from askew.collect.protocol import NotAllowed
from askew.collect.quiz import last_attempt, needs_quiz, qualify
from askew.collect.schema import ROLES, annotator, invite, question, verification
from askew.collect.web import login, progress
from askew.collect.web.visit import Page, Visit, id_in, is_web_address, require_row

CODE_LENGTH = 60
MOST_TASKS = 1000
DAYS = (1, 14, 90)
LATEST = 20_000
"""How many answers the list compares; the page of one person compares all of that person's."""


def people_rows(*where: sa.ColumnElement[bool], order: Sequence[Any], limit: int) -> sa.Select[Any]:
    """People, each with the numbers of questions asked, of those that fooled a robot, and of answers that count."""
    asked = _counted(question, question.c.try_no.is_not(None))
    fooled = _counted(question, question.c.state.in_(("VERIFYING", "VERIFIED")))
    verified = _counted(verification, ~verification.c.excluded)
    counts = (asked.label("asked"), fooled.label("fooled"), verified.label("verified"))
    return sa.select(annotator, *counts).where(*where).order_by(*order).limit(limit)


def listed(visit: Visit, status: int = 200, **changes: Any) -> Response:
    """Everybody, with counts of what they did."""
    order = (annotator.c.excluded_at.is_not(None), annotator.c.id.desc())
    with visit.service.database.read() as tx:
        rows = tx.rows(people_rows(annotator.c.attack.is_(None), order=order, limit=500))
        golds, agreed = gold_counts(tx), agreements(counted_answers(tx, latest=LATEST))
        usable = invite.c.used_at.is_(None) | invite.c.completion_code.is_not(None)
        open_links = tx.count(invite, invite.c.expires_at > tx.now, usable)
        identity = tx.settings.identity
    values = {
        "rows": rows,
        "identity": identity,
        "open_links": open_links,
        "choices": DAYS,
        "golds": golds,
        "agreed": agreed,
    }
    values |= {"link": "", "many": False, "valid": 0, "error": ""}
    values |= {"role": "annotator", "days": login.INVITE_DAYS, "code": "", "tasks": 1, "back": "", **changes}
    return visit.render("people.html", status, **values)


def make_invite(visit: Visit) -> Response:
    """Create an invite link and show it once: only its hash is stored. Sent again, the form gives the same link."""
    role, code = visit.text("role"), visit.text("code").strip()
    days = int(visit.text("days")) if visit.text("days") in map(str, DAYS) else login.INVITE_DAYS
    tasks, back = id_in(visit.text("tasks") or "1"), visit.text("back").strip()
    error = ""
    if role not in ROLES:
        error = "Choose whom the link is for."
    elif len(code) > CODE_LENGTH or "\0" in code:
        error = f"A completion code has at most {CODE_LENGTH} characters."
    elif code and role == "owner":
        error = "A completion code is for the workers of a platform, who are annotators. Owners need no code."
    elif (tasks is None or tasks != 1 or back) and not code:
        error = "The number of tasks and the address to go back to belong to a completion code. Give the code too."
    elif tasks is None or not 1 <= tasks <= MOST_TASKS:
        error = f"A completion code is for 1 to {MOST_TASKS} tasks."
    elif back and not is_web_address(back):
        error = "The address to go back to is one of the platform, and begins with https://"
    if error:
        shown = {"role": role, "days": days, "code": code, "tasks": visit.text("tasks"), "back": back}
        plain = {name: one.replace("\0", "") if isinstance(one, str) else one for name, one in shown.items()}
        return listed(visit, 422, error=error, **plain)
    token = visit.service.keys.token(visit.form_key)

    def act(tx: Tx) -> None:
        platform = login.Platform(code, tasks or 1, back or None) if code else None
        login.create_invite(tx, role, platform=platform, days=days, actor=visit.me, token=token)

    visit.once("invite link", act)
    return listed(visit, link=f"{visit.origin}/invite/{token}", valid=days, many=bool(code))


def one(visit: Visit, link: str = "", error: str = "", status: int = 200) -> Response:
    """One person, and what excluding this person would change."""
    number = visit.number("person")
    with visit.service.database.read() as tx:
        require_row(tx, annotator, number)
        who = person(tx, number)
        values = {
            "row": who,
            "done": progress.progress_of(tx, number),
            "effect": preview_exclusion(tx, number),
            "ids": json.loads(who.platform),
            "gold": gold_count(tx, number),
            "allowed": strikes_allowed(gold_count(tx, number).right, tx.settings),
            "agreement": agreement_of(tx, number),
            "quiz": last_attempt(tx, number),
            "needs_quiz": needs_quiz(tx, number),
        }
    return visit.render("one_person.html", status, link=link, error=error, **values)


def sign_in_link(visit: Visit) -> Response:
    """A one-time link that signs a known person in, e.g. after a lost password."""
    number = visit.number("person")
    token = visit.service.keys.token(visit.form_key)

    def act(tx: Tx) -> None:
        role = person(tx, number).role
        login.create_invite(tx, role, annotator_id=number, days=1, actor=visit.me, token=token)

    visit.change("link", annotator, number, act)
    return one(visit, link=f"{visit.origin}/invite/{token}")


def change_role(visit: Visit) -> Response:
    """Make somebody an owner or an annotator."""
    number = visit.number("person")
    visit.change("role", annotator, number, lambda tx: login.change_role(tx, number, visit.text("role"), visit.me))
    return visit.redirect("/home" if number == visit.me else f"/owner/people/{number}")


def exclude_person(visit: Visit) -> Response:
    """Exclude somebody: their work stops counting, and others do it again."""
    number, note = visit.number("person"), visit.text("note").strip()
    if not note:
        return one(visit, error="Give the reason; it is kept in the log.", status=422)
    if number == visit.me:
        raise NotAllowed("You cannot exclude yourself.")
    visit.change("exclude", annotator, number, lambda tx: exclude(tx, number, note, visit.me))
    return visit.redirect(f"/owner/people/{number}")


def qualify_person(visit: Visit) -> Response:
    """Let a person who has not passed the quiz work."""
    number = visit.number("person")
    visit.change("qualify", annotator, number, lambda tx: qualify(tx, number, visit.me))
    return visit.redirect(f"/owner/people/{number}")


def _counted(table: sa.Table, where: sa.ColumnElement[bool]) -> sa.ScalarSelect[Any]:
    mine = table.c.annotator_id == annotator.c.id
    return sa.select(sa.func.count()).select_from(table).where(mine, where).correlate(annotator).scalar_subquery()


PAGES = (
    Page("GET", "/owner/people", listed, "owner"),
    Page("POST", "/owner/people", make_invite, "owner"),
    Page("GET", "/owner/people/{person:int}", one, "owner"),
    Page("POST", "/owner/people/{person:int}/link", sign_in_link, "owner"),
    Page("POST", "/owner/people/{person:int}/role", change_role, "owner"),
    Page("POST", "/owner/people/{person:int}/qualify", qualify_person, "owner"),
    Page("POST", "/owner/people/{person:int}/exclude", exclude_person, "owner"),
)
