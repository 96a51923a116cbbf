"""For scripts of owners: people, progress and releases as JSON, and the page on which owners make tokens for them.

A script sends ``Authorization: Bearer TOKEN``. Cookies are never looked at here, so no browser can be made to call
these addresses for an owner.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from starlette.responses import FileResponse, Response

from askew.collect.archives import archive_path, archives, write_archive
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.gold import gold_counts
from askew.collect.invariants import notices
from askew.collect.protocol import Gone, Refused, checked_text
from askew.collect.schema import annotator, api_token, round_
from askew.collect.web import login
from askew.collect.web.failures import Failure, failure_of
from askew.collect.web.pages.monitor import round_row
from askew.collect.web.pages.people import people_rows
from askew.collect.web.visit import Page, Visit, id_in

MOST_NAME, MOST_TOKENS = 60, 20
DAYS = (7, 30, 365)
"""Tokens: the longest name, the most of one owner, and how long they are valid."""
MOST = 500
"""The largest number of people in one response."""


def answer(visit: Visit, page: Page) -> Response:
    """The response to a script, if its token is one of an owner."""
    try:
        kind, _, token = visit.request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise Failure(401, message="Send the header: Authorization: Bearer TOKEN")
        _identify(visit, token.strip())
        visit.service.buckets.take(f"api:{visit.me}", visit.service.limits.api)
        return page.show(visit)
    except Exception as error:
        return refusal(failure_of(error))


def _identify(visit: Visit, token: str) -> None:
    hashed = login.token_hash(token)
    with visit.service.sign_ins.counted(visit.address, f"token {hashed}"):
        with visit.service.database.read() as tx:
            known = (api_token.c.token_hash == hashed) & (api_token.c.expires_at > tx.now)
            visit.who = tx.first(sa.select(annotator).join(api_token).where(known))
        if visit.who is None:
            raise Failure(401, message="The token is unknown, or has ended.")
    if visit.person.role != "owner" or visit.person.excluded_at is not None:
        raise Failure(403, message="The token is not one of an owner.")


def refusal(failure: Failure) -> Response:
    """Why a script got nothing."""
    said = {413: "The body is too large.", 500: f"An error on our side, number {failure.number}.", 503: "Busy."}
    response = _json({"error": failure.message or said.get(failure.status, "Refused.")}, failure.status)
    if failure.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if failure.seconds:
        response.headers["Retry-After"] = str(failure.seconds)
    return response


def people(visit: Visit) -> Response:
    """A part of the people, in the order they joined: those after the id ``after``, at most ``limit``."""
    query = visit.request.query_params
    after, limit = id_in(query.get("after", "0")), id_in(query.get("limit", "100"))
    if after is None or limit is None or not 1 <= limit <= MOST:
        raise Refused(f"after is an id, and limit is 1 to {MOST}.")
    with visit.service.database.read() as tx:
        found = people_rows(annotator.c.id > after, order=(annotator.c.id,), limit=limit)
        rows, golds = tx.rows(found), gold_counts(tx)
    listed = [
        {
            **{name: getattr(row, name) for name in ("id", "name", "pseudonym", "role", "simulated", "created_at")},
            "platform": json.loads(row.platform),
            "excluded": row.excluded_at is not None,
            "deleted": row.deleted_at is not None,
            **{name: getattr(row, name) for name in ("asked", "fooled", "verified")},
            "gold": {"answered": golds[row.id].answered, "right": golds[row.id].right} if row.id in golds else None,
        }
        for row in rows
    ]
    return _json({"people": listed, "next": rows[-1].id if len(rows) == limit else None})


def progress(visit: Visit) -> Response:
    """The state and the counts of every round, with what blocks its next state."""
    with visit.service.database.read() as tx:
        rows = tx.rows(sa.select(round_).order_by(round_.c.number))
        rounds = [round_row(visit, tx, row) for row in rows]
        return _json({"study": visit.service.name, "rounds": rounds, "to_do": notices(tx)})


def list_releases(visit: Visit) -> Response:
    """The releases that can be downloaded."""
    return _json({"releases": list(map(asdict, archives(visit.service.study)))})


def make_release(visit: Visit) -> Response:
    """Export every frozen round as a new version."""
    version = visit.text("version")
    write_archive(visit.service.study, version)
    return _json(next(asdict(one) for one in archives(visit.service.study) if one.version == version))


def archive_file(visit: Visit) -> Response:
    """The file of the version in the address."""
    path = archive_path(visit.service.study, visit.request.path_params["version"])
    if not path.is_file():
        raise Failure(404, message="There is no file of this version.")
    return FileResponse(path, media_type="application/zip", filename=f"release-{path.name}")


def _json(content: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(content, ensure_ascii=False) + "\n", status, media_type="application/json")


def create_token(tx: Tx, owner: int, name: str, days: int, token: str) -> int:
    """Store a token of an owner; returns its id."""
    if days not in DAYS:
        raise Refused(f"A token is valid for {', '.join(map(str, DAYS))} days.")
    name = checked_text(name, MOST_NAME, "The name of a token")
    if len(tokens_of(tx, owner)) >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens. Delete one that is not used.")
    values = {"token_hash": login.token_hash(token), "annotator_id": owner, "name": name}
    new = tx.insert(api_token, **values, created_at=tx.now, expires_at=tx.now + days * 24 * login.HOUR)
    record_event(tx, "token.made", f"token {new}", owner)
    return new


def tokens_of(tx: Tx, owner: int) -> Sequence[AnyRow]:
    """The tokens of an owner that still work."""
    mine = (api_token.c.annotator_id == owner) & (api_token.c.expires_at > tx.now)
    return tx.rows(sa.select(api_token).where(mine).order_by(api_token.c.id))


def delete_token(tx: Tx, owner: int, number: int) -> None:
    """Delete a token of this owner, which stops working at once."""
    mine = (api_token.c.id == number) & (api_token.c.annotator_id == owner)
    if tx.execute(sa.delete(api_token).where(mine)).rowcount != 1:
        raise Gone("There is no such token.")
    record_event(tx, "token.deleted", f"token {number}", owner)


def token_page(visit: Visit, status: int = 200, error: str = "", token: str = "") -> Response:
    """The owner's tokens, and the form for a new one."""
    with visit.service.database.read() as tx:
        rows = tokens_of(tx, visit.me)
    values = {"rows": rows, "days": DAYS, "error": error, "token": token, "name": visit.text("name")}
    return visit.render("tokens.html", status, least=visit.service.limits.api, **values)


def make_token(visit: Visit) -> Response:
    """Make a token and show it once: only its hash is stored. Sent again, the form gives the same token."""
    token = visit.service.keys.token(visit.form_key)
    days = id_in(visit.text("days")) or 0
    visit.once("token", lambda tx: {"id": create_token(tx, visit.me, visit.text("name"), days, token)})
    return token_page(visit, token=token)


def remove_token(visit: Visit) -> Response:
    """Delete a token."""
    number = visit.number("number")
    visit.once(f"token {number}", lambda tx: delete_token(tx, visit.me, number))
    return visit.redirect("/owner/tokens")


PAGES = (
    Page("GET", "/api/people", people, "api"),
    Page("GET", "/api/progress", progress, "api"),
    Page("GET", "/api/releases", list_releases, "api"),
    Page("POST", "/api/releases", make_release, "api"),
    Page("GET", "/api/releases/{version}", archive_file, "api"),
    Page("GET", "/owner/tokens", token_page, "owner"),
    Page("POST", "/owner/tokens", make_token, "owner", again=token_page),
    Page("POST", "/owner/tokens/{number:int}/delete", remove_token, "owner"),
)
