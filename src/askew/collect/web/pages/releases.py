"""For owners: freeze a round after a preview, and export what is frozen."""

from __future__ import annotations

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.archives import archives, delete_archive, next_version, write_archive
from askew.collect.database import Tx
from askew.collect.freeze import freeze_now, preview_freeze
from askew.collect.invariants import notices
from askew.collect.protocol import Refused
from askew.collect.rounds import CLOSED, WORKING, blockers
from askew.collect.schema import SPLITS, round_, study
from askew.collect.web.pages.scripts import archive_file
from askew.collect.web.visit import Page, Visit, require_row


def freeze_page(visit: Visit, status: int = 200, error: str = "") -> Response:
    """What is not finished, and on request what freezing would decide now."""
    number, query = visit.number("round"), visit.request.query_params
    with visit.service.database.read() as tx:
        require_row(tx, round_, number)
        row = tx.row(round_, number)
        seed = _seed(query.get("seed", visit.text("seed")))
        seed = int(tx.value(sa.select(study.c.seed))) if seed is None else seed
        working = row is not None and row.state in WORKING
        reasons = [one for one in blockers(tx, number, "FROZEN") if not one.startswith("it is ")] if working else []
        found = preview_freeze(tx, number, seed) if query.get("preview") == "yes" and working else None
        drop = query.get("drop") == "yes" or visit.text("drop") == "yes"
    values = {"round": row, "working": working, "seed": seed, "reasons": reasons, "drop": drop, "error": error}
    return visit.render("freeze.html", status, found=found, splits=SPLITS, **values)


def _seed(text: str) -> int | None:
    """A seed that was sent; None if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def freeze_round(visit: Visit) -> Response:
    """Freeze the round, which cannot be undone."""
    number, seed = visit.number("round"), _seed(visit.text("seed"))
    if seed is None:
        return freeze_page(visit, 422, "The seed is a whole number of at most twelve digits.")
    if visit.text("sure") != "yes":
        return freeze_page(visit, 422, "Tick the box: a frozen round does not change any more. Nothing was changed.")

    def act(tx: Tx) -> None:
        require_row(tx, round_, number)
        freeze_now(tx, number, seed, drop_incomplete=visit.text("drop") == "yes", actor=visit.me)

    try:
        visit.once(f"freeze {number}", act)
    except Refused as error:
        return freeze_page(visit, 422, str(error).replace(" (--drop-incomplete)", ": tick the box"))
    return visit.redirect("/owner/releases")


def show(visit: Visit, status: int = 200, error: str = "") -> Response:
    """The frozen rounds, and the releases that were exported here."""
    with visit.service.database.read() as tx:
        rounds = tx.rows(sa.select(round_).where(round_.c.state.in_(CLOSED)).order_by(round_.c.number))
        to_do, version = notices(tx), next_version(tx)
    values = {"rounds": rounds, "to_do": to_do, "files": archives(visit.service.study), "error": error}
    return visit.render("releases.html", status, version=visit.text("version")[:20] or version, **values)


def export(visit: Visit) -> Response:
    """Write a release."""
    version = visit.text("version").strip()
    if visit.first_result(f"release {version}") is None:
        write_archive(visit.service.study, version)
        visit.once(f"release {version}", lambda tx: None)
    return visit.redirect("/owner/releases")


def delete(visit: Visit) -> Response:
    """Delete the file of a release, e.g. because it has text that was deleted since."""
    version = visit.request.path_params["version"]
    if visit.first_result(f"delete {version}") is None:
        delete_archive(visit.service.study, version, visit.me)
        visit.once(f"delete {version}", lambda tx: None)
    return visit.redirect("/owner/releases")


PAGES = (
    Page("GET", "/owner/round/{round:int}/freeze", freeze_page, "owner"),
    Page("POST", "/owner/round/{round:int}/freeze", freeze_round, "owner"),
    Page("GET", "/owner/releases", show, "owner"),
    Page("POST", "/owner/releases", export, "owner", again=show),
    Page("GET", "/owner/releases/{version}", archive_file, "owner"),
    Page("POST", "/owner/releases/{version}/delete", delete, "owner"),
)
