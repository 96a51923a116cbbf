"""Entering the study: invite links, signing in and out, consent, instructions, password."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.accounts import give_consent
from askew.collect.database import AnyRow, Tx, once
from askew.collect.protocol import Gone, Refused
from askew.collect.schema import annotator, form
from askew.collect.web import login
from askew.collect.web.failures import Failure
from askew.collect.web.security import TooOften, plain_id
from askew.collect.web.visit import Page, Visit


def front(visit: Visit) -> Response:
    """The address without a path."""
    return visit.redirect("/home" if visit.who is not None else "/sign-in")


def sign_in_page(visit: Visit) -> Response:
    """The form to sign in."""
    if visit.who is not None:
        return visit.redirect("/home")
    return visit.render("sign_in.html", name="", error="")


def sign_in(visit: Visit) -> Response:
    """Check name and password. The response is the same, and takes as long, whether or not the name exists."""
    service, name = visit.service, visit.text("name").replace("\0", "").strip()[: login.PLATFORM_LENGTH]
    with service.database.read() as tx:
        person = tx.first(sa.select(annotator.c.id, annotator.c.password_hash).where(annotator.c.name == name))
    try:
        with service.sign_ins.counted(visit.address, f"name {name}"):
            if not service.passwords.matches(person and person.password_hash, visit.text("password")):
                raise Refused("The name or the password is wrong. Check both and try again.")
    except TooOften as too_often:
        page = visit.render("sign_in.html", 429, name=name, error=str(too_often))
        page.headers["Retry-After"] = str(too_often.seconds)
        return page
    except Refused as wrong:
        return visit.render("sign_in.html", 401, name=name, error=str(wrong))
    assert person is not None
    with service.database.write() as tx:
        token = login.start_session(tx, person.id, visit.request.cookies.get(service.cookie))
    return visit.set_session(visit.redirect("/home"), token)


def sign_out(visit: Visit) -> Response:
    """End the session, and clear the browser's cache of pages."""
    with visit.service.database.write() as tx:
        login.end_session(tx, visit.token or "")
    response = visit.set_session(visit.redirect("/sign-in"), None)
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


def invite_page(visit: Visit) -> Response:
    """The page of an invite link; the link is used only when the button is pressed."""
    ids = login.platform_ids(visit.request.query_params)
    with visit.service.database.read() as tx:
        invitation, _, known = _opened(visit, tx, ids)
        mine = known is not None and visit.who is not None and known.id == visit.me
        if mine and login.entered(tx, known, invitation, ids):
            return visit.redirect("/home")
    return _invite(visit, invitation, ids, known)


def accept_invite(visit: Visit) -> Response:
    """Create the account, or get back to it with its return code, and sign in. If the same form is sent twice, one
    account is created."""
    service, token = visit.service, visit.request.path_params["token"]
    ids = login.platform_ids({k[3:]: v for k, v in visit.form.items() if k.startswith("id.")})
    invitation = identity = known = None
    with service.database.read() as tx:
        if _person_created(tx, visit.form_key) is None:
            invitation, identity, known = _opened(visit, tx, ids)
    password = visit.text("password")
    try:
        if known is not None:
            _prove(visit, known, identity or "")
        needed = (
            invitation is not None
            and invitation.annotator_id is None
            and (password or invitation.completion_code is None)
        )
        stored = service.passwords.hash(password) if needed else None
        with service.database.write() as tx:
            person = _person_created(tx, visit.form_key) or (known and known.id)
            person = person or login.accept_invite(tx, token, visit.text("name"), stored, ids, identity)
            if known is not None and invitation is not None:
                login.enter(tx, person, invitation, ids)
            once(tx, visit.form_key, person, "invite", dict)
            session = login.start_session(tx, person, visit.request.cookies.get(service.cookie))
    except (Refused, TooOften) as error:
        assert invitation is not None
        return _invite(visit, invitation, ids, known, str(error), 429 if isinstance(error, TooOften) else 422)
    except Gone as gone:
        raise Failure(409, "invite", str(gone)) from None
    return visit.set_session(visit.redirect("/home"), session)


def _opened(visit: Visit, tx: Tx, ids: Mapping[str, str]) -> tuple[AnyRow, str | None, AnyRow | None]:
    """The invite of a link that still works; for the link of a platform also the keyed hash of the person's id there,
    and the account that the person has already."""
    try:
        invitation = login.open_invite(tx, visit.request.path_params["token"])
        if invitation.completion_code is None:
            return invitation, None, None
        key = tx.settings.identity
        if not plain_id(ids.get(key, "")):
            what = f"The link must contain your id on the platform ({key}), and this one does not."
            raise Failure(422, "platform", what)
        identity = visit.service.keys.identity(ids[key])
        return invitation, identity, login.account_of(tx, identity)
    except Gone as gone:
        raise Failure(409, "invite", str(gone)) from None


def _prove(visit: Visit, known: AnyRow, identity: str) -> None:
    """Refuse unless this browser is signed in to the account, or the person gives its return code."""
    if visit.who is not None and visit.me == known.id:
        return
    service = visit.service
    with service.sign_ins.counted(visit.address, f"return {identity}"):
        if not service.keys.is_return_code(identity, visit.text("return_code")):
            raise Refused("The return code is wrong. Look it up in the browser in which you began, on My work.")


def _person_created(tx: Tx, form_key: str) -> int | None:
    """The person whose account this form has created already; None if it is sent for the first time."""
    mine = (form.c.form_key == form_key) & (form.c.kind == "invite")
    found: int | None = tx.value(sa.select(form.c.annotator_id).where(mine))
    return found


def _invite(
    visit: Visit,
    invitation: AnyRow,
    ids: Mapping[str, str],
    account: AnyRow | None = None,
    error: str = "",
    status: int = 200,
) -> Response:
    """The page of an invite; ``account`` is the one that the platform's id in the link has already."""
    known, platform = invitation.annotator_id is not None, invitation.completion_code is not None
    here = account is not None and visit.who is not None and visit.me == account.id
    values = {"role": invitation.role, "known": known, "platform": platform, "ids": ids, "error": error}
    values |= {"returning": account is not None and not here, "here": here}
    values["field"] = "" if known or platform else "password" if "password" in error.lower() else "name"
    if values["returning"]:
        values["field"] = "return_code"
    return visit.render("invite.html", status, name=visit.text("name"), least=login.PASSWORD_LENGTHS[0], **values)


def consent_page(visit: Visit, status: int = 200, error: str = "") -> Response:
    """What taking part means."""
    consent = visit.service.consent
    agreed = visit.person.consent_version == consent.version and not error
    return visit.render("consent.html", status, consent=consent, agreed=agreed, error=error)


def agree(visit: Visit) -> Response:
    """Store that the person agreed, and to which version."""
    consent = visit.service.consent
    if visit.text("agree") != "yes" or visit.text("version") != consent.version:
        return consent_page(visit, 422, "Tick the box if you agree. If the text has changed, read it again.")
    visit.once("consent", lambda tx: give_consent(tx, visit.me, consent.version))
    return visit.redirect("/instructions?first=1")


def instructions(visit: Visit) -> Response:
    """How to ask, judge and answer, with examples."""
    first = visit.request.query_params.get("first") == "1"
    with visit.service.database.read() as tx:
        return visit.render("instructions.html", settings=tx.settings, first=first)


def password_page(visit: Visit, status: int = 200, error: str = "", field: str = "password") -> Response:
    """The form for a new password."""
    return visit.render("password.html", status, error=error, field=field, least=login.PASSWORD_LENGTHS[0])


def change_password(visit: Visit) -> Response:
    """Set a new password; all other sessions of the person end."""
    service = visit.service
    try:
        if visit.person.password_hash:
            with service.sign_ins.counted(visit.address, f"name {visit.person.name}"):
                if not service.passwords.matches(visit.person.password_hash, visit.text("old_password")):
                    raise Refused("The current password is wrong.")
        stored = service.passwords.hash(visit.text("password"))
    except Refused as error:
        return password_page(visit, 422, str(error), "old_password" if "current" in str(error) else "password")
    with service.database.write() as tx:
        login.change_password(tx, visit.me, stored)
        token = login.start_session(tx, visit.me)
    return visit.set_session(visit.redirect("/my-work?done=password"), token)


PAGES = (
    Page("GET", "/", front, "anyone"),
    Page("GET", "/sign-in", sign_in_page, "anyone"),
    Page("POST", "/sign-in", sign_in, "anyone"),
    Page("POST", "/sign-out", sign_out, "person"),
    Page("GET", "/invite/{token}", invite_page, "anyone"),
    Page("POST", "/invite/{token}", accept_invite, "anyone"),
    Page("GET", "/consent", consent_page, "person"),
    Page("POST", "/consent", agree, "person"),
    Page("GET", "/instructions", instructions, "person"),
    Page("GET", "/password", password_page, "person"),
    Page("POST", "/password", change_password, "person"),
)
