"""Static files, images of the study, and two addresses for health checks."""

from __future__ import annotations

import re

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.schema import gold_item, image, quiz_item, study, survey_item
from askew.collect.web.failures import Failure
from askew.collect.web.security import IMAGE_POLICY
from askew.collect.web.visit import Page, Visit

KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
FOREVER = "max-age=31536000, immutable"


def static(visit: Visit) -> Response:
    """A static file, from a table in memory: no path is ever built from a request."""
    asset = visit.service.assets.get(visit.request.path_params["name"])
    if asset is None:
        raise Failure(404)
    return Response(asset[0], headers={"Content-Type": asset[1], "Cache-Control": f"public, {FOREVER}"})


def show_image(visit: Visit) -> Response:
    """An image of the study, by its hash; hidden ones are for owners only."""
    sha256 = visit.request.path_params["sha256"]
    if re.fullmatch("[0-9a-f]{64}", sha256) is None:
        raise Failure(404)
    with visit.service.database.read() as tx:
        row = tx.first(sa.select(image.c.suffix, image.c.hidden_at).where(image.c.sha256 == sha256))
        suffix = row.suffix if row is not None else None
        for table in (gold_item, quiz_item, survey_item):
            suffix = suffix or tx.value(sa.select(table.c.suffix).where(table.c.sha256 == sha256).limit(1))
    hidden = row is not None and row.hidden_at is not None and visit.person.role != "owner"
    if suffix is None or hidden:
        raise Failure(404)
    try:
        data = visit.service.study.image_path(sha256, suffix).read_bytes()
    except FileNotFoundError:
        raise Failure(404) from None
    headers = {"Content-Type": KINDS[suffix], "Cache-Control": f"private, {FOREVER}"}
    return Response(data, headers={**headers, "Content-Security-Policy": IMAGE_POLICY})


def alive(visit: Visit) -> Response:
    """Whether the process responds."""
    return Response("ok\n", media_type="text/plain; charset=utf-8")


def ready(visit: Visit) -> Response:
    """Whether the database responds too."""
    with visit.service.database.read() as tx:
        tx.value(sa.select(study.c.id))
    return Response("ok\n", media_type="text/plain; charset=utf-8")


PAGES = (
    Page("GET", "/static/{name}", static, "anyone"),
    Page("GET", "/image/{sha256}", show_image, "worker"),
    Page("GET", "/healthz", alive, "anyone"),
    Page("GET", "/readyz", ready, "anyone"),
)
