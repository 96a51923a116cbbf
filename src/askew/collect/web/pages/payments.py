"""For owners: what the work is worth, as ``askew collect pay`` computes it."""

from __future__ import annotations

from starlette.responses import Response

from askew.collect.payments import KINDS, AnnotatorWork, Rates, bonus_csv, parse_rates, payments_csv, work_of_all
from askew.collect.protocol import Refused
from askew.collect.web.visit import Page, Visit
from askew.errors import BadOption, UsageError

SHOWN = 200
"""How many people the page lists; the file has all."""


def show(visit: Visit) -> Response:
    """The rates, and what everybody has earned."""
    works, error, status = _works(visit), "", 200
    try:
        rates = _rates(visit)
    except Refused as refused:
        error, status, rates = str(refused), 422, Rates()
    totals = {
        "pay": sum(work.pay(rates) for work in works),
        "bonus": sum(work.bonus(rates) for work in works),
        "pending": sum(work.pay(rates, "pending") for work in works),
    }
    typed = {name: visit.request.query_params.get(name, "")[:20] for name in KINDS}
    known = sorted({key for work in works for key in work.platform})
    query = visit.request.scope["query_string"].decode("latin-1")
    values = {"rates": rates, "typed": typed, "totals": totals, "known": known, "error": error, "query": query}
    return visit.render("payments.html", status, works=works[:SHOWN], left=max(0, len(works) - SHOWN), **values)


def pay_file(visit: Visit) -> Response:
    """One row per person."""
    return _csv(payments_csv(_works(visit), _rates(visit)), "pay.csv")


def bonus_file(visit: Visit) -> Response:
    """Lines of platform id and bonus."""
    try:
        content, _ = bonus_csv(_works(visit), _rates(visit), visit.request.query_params.get("id", ""))
    except UsageError as error:
        raise Refused(str(error)) from None
    return _csv(content, "bonuses.csv")


def _works(visit: Visit) -> list[AnnotatorWork]:
    with visit.service.database.read() as tx:
        return work_of_all(tx)


def _rates(visit: Visit) -> Rates:
    given = {name: visit.request.query_params.get(name, "").strip() for name in KINDS}
    try:
        return parse_rates([f"{name}={amount}" for name, amount in given.items() if amount])
    except BadOption:
        raise Refused("An amount is a number, e.g. 0.50, and not negative.") from None


def _csv(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


PAGES = (
    Page("GET", "/owner/payments", show, "owner"),
    Page("GET", "/owner/payments/pay.csv", pay_file, "owner"),
    Page("GET", "/owner/payments/bonuses.csv", bonus_file, "owner"),
)
