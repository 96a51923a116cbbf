"""For owners: set up a study or its next round without a terminal: settings, consent text, models and own images.

Models are chosen from a list, never typed: the spec of a model can run programs, so others are added in the terminal.
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.database import Tx, record_event
from askew.collect.image_import import FORMATS, Added, import_images
from askew.collect.protocol import PRESETS, Refused, StudySettings, settings_of
from askew.collect.rounds import add_model, blockers, choose_models, create_round, start_round
from askew.collect.schema import ensemble_member, image, model, round_
from askew.collect.study import change_study, write_private
from askew.collect.web.first_study import ROBOTS
from askew.collect.web.study_files import CONSENT_FILE, LONGEST, consent_of
from askew.collect.web.visit import Page, Service, Visit, id_in, require_row
from askew.errors import AskewError, BadOption
from askew.registry import make

log = logging.getLogger("askew.collect")
MOST_REFUSED = 50
"""How many files that were left out are listed."""


def show(visit: Visit, status: int = 200, error: str = "", field: str = "", **values: Any) -> Response:
    """What is set up, and what is left to do."""
    with visit.service.database.read() as tx:
        settings, draft = tx.settings, _draft(tx)
        count = tx.count(image, image.c.round_id == draft.id) if draft else 0
        latest = draft.id if draft else tx.value(sa.select(sa.func.max(round_.c.id)))
        members = sa.select(ensemble_member.c.model_id).where(ensemble_member.c.round_id == latest)
        chosen = {row.model_id for row in tx.rows(members)}
        rows = tx.rows(sa.select(model).order_by(model.c.id))
        fixed, opened = tx.count(image) > 0, tx.count(round_, round_.c.opened_at.is_not(None)) > 0
        reasons = blockers(tx, draft.id, "READY") if draft is not None and draft.state == "DRAFT" else []
    known = [{"key": f"model.{row.id}", "name": row.name, "chosen": row.id in chosen} for row in rows]
    others = [spec for spec in _ready_made() if spec not in {row.spec for row in rows}]
    known += [{"key": f"spec.{spec}", "name": spec, "chosen": draft is None and not rows} for spec in others]
    shown = {
        "settings": settings,
        "presets": PRESETS,
        "other": _other(settings),
        "consent": visit.service.consent.text,
        "models": known,
        "draft": draft,
        "opened": opened,
        "images": count,
        "fixed": fixed,
        "reasons": reasons,
        "formats": ",".join(FORMATS),
        "most": visit.service.limits,
        "notice": DONE.get(visit.request.query_params.get("done", ""), ""),
        "result": None,
    }
    return visit.render("set_up.html", status, error=error, field=field, **{**shown, **values})


DONE = {
    "study": "The settings are saved.",
    "consent": "The consent text is saved. Everybody is asked to agree to it.",
    "models": "The models are saved.",
}


def change_settings(visit: Visit) -> Response:
    """Store the name, the preset and what differs from it."""
    lines = [line.strip() for line in visit.text("other").splitlines() if line.strip()]
    try:
        wrong = [line for line in lines if "=" not in line]
        if wrong:
            raise Refused(f"Write each setting as NAME=VALUE; {wrong[0][:60]!r} is none.")
        changes = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
        settings = settings_of(visit.text("preset"), {**changes, "identity": visit.text("identity").strip()})
        visit.once("study", lambda tx: change_study(tx, visit.text("name"), settings, visit.me))
    except (Refused, BadOption) as error:
        typed = {"other": visit.text("other"), "typed": visit.form}
        return show(visit, 422, str(error), "name", **typed)
    visit.service.name = visit.text("name").strip()
    if settings.quiz_required:  # as init does it
        from askew.collect.simulation.world_content import add_world_quiz

        add_world_quiz(visit.service.study, 2 * settings.quiz_items)
    return visit.redirect("/owner/set-up?done=study")


def change_consent(visit: Visit) -> Response:
    """Store the consent text."""
    text = visit.text("text").replace("\r\n", "\n").strip() + "\n"
    if len(text) == 1 or len(text) > LONGEST or "\0" in text:
        error = f"The consent text is plain text of 1 to {LONGEST:,} characters."
        return show(visit, 422, error, "text", consent=visit.text("text").replace("\0", ""))
    write_private(visit.service.study.folder / CONSENT_FILE, text.encode())
    about = {"version": consent_of(text).version}
    visit.once("consent text", lambda tx: record_event(tx, "consent.changed", "study", visit.me, about))
    return visit.redirect("/owner/set-up?done=consent")


def set_models(visit: Visit) -> Response:
    """Choose the models of the draft round; the round is created if there is none."""
    wanted = [name.partition(".") for name in visit.form if name.startswith(("model.", "spec."))]

    def act(tx: Tx) -> None:
        known = {row.id for row in tx.rows(sa.select(model.c.id))}
        chosen = []
        for kind, _, text in wanted:
            if kind == "spec" and text in _ready_made():
                chosen.append(add_model(tx, text, text, repr(make("model", text))))
            elif kind == "model" and id_in(text) in known:
                chosen.append(int(text))
            else:
                raise Refused("Choose models of the list. Others are added in the terminal.")
        draft = _draft(tx)
        if draft is None:
            create_round(tx, chosen)
        else:
            choose_models(tx, draft.id, chosen, visit.me)

    try:
        if not wanted:
            raise Refused("A round needs at least one model. Choose one.")
        visit.once("models", act)
    except Refused as error:
        return show(visit, 422, str(error), "models")
    return visit.redirect("/owner/set-up?done=models")


def add_images(visit: Visit) -> Response:
    """Add the files that were sent to the draft round."""
    with visit.service.database.read() as tx:
        draft = _draft(tx)
    if draft is None or draft.state != "DRAFT":
        return show(visit, 422, "First choose the models: they make a draft round, which takes images.", "models")
    domain = visit.text("domain").strip()
    if not visit.files or len(domain) > 60 or "\0" in domain:
        error = "A domain has at most 60 characters." if visit.files else "Choose at least one image."
        return show(visit, 422, error, "files")
    earlier = visit.first_result("images")
    if earlier is None:
        done = _import(visit, draft.id, domain)
        stored = {"added": done.added, "refused": done.left_out[:MOST_REFUSED], "left_out": len(done.left_out)}
        earlier = visit.once("images", lambda tx: stored)
    return show(visit, result=earlier)


def _import(visit: Visit, round_id: int, domain: str) -> Added:
    """Import the files under their own names, without the folders of the owner's computer."""
    with TemporaryDirectory(prefix="askew-upload-") as scratch:
        paths = []
        for number, sent in enumerate(visit.files):
            name = os.path.basename((sent.filename or "").replace("\\", "/")).replace("\0", "")[-100:]
            path = Path(scratch, str(number), name if name.strip(".") else "unnamed")
            path.parent.mkdir()
            with path.open("wb") as file:
                shutil.copyfileobj(sent.file, file)
            paths.append(path)
        done = import_images(visit.service.study, paths, round_id, domain)
        for path in paths:
            done.left_out = [line.replace(str(path), path.name) for line in done.left_out]
    return done


def open_round(visit: Visit) -> Response:
    """Open the draft round, and load its models meanwhile."""
    number = visit.number("round")

    def act(tx: Tx) -> None:
        require_row(tx, round_, number)
        start_round(tx, number, visit.me)

    try:
        visit.once(f"open {number}", act)
    except Refused as error:
        return show(visit, 422, str(error), "open")
    threading.Thread(target=_load, args=(visit.service,), name="load", daemon=True).start()
    return visit.redirect("/owner")


def _load(service: Service) -> None:
    """Load the models of the round that was opened; a model that cannot be used is reported as at the start."""
    try:
        service.load_robots()
    except AskewError as trouble:
        log.warning("a robot of the round cannot be used: %s", trouble)


def _draft(tx: Tx) -> Any:
    """The round that has not been opened yet."""
    return tx.first(sa.select(round_).where(round_.c.state.in_(("DRAFT", "READY"))).order_by(round_.c.number).limit(1))


def _ready_made() -> tuple[str, ...]:
    """askew's reference models, if what they need is installed."""
    return ROBOTS if find_spec("onnxruntime") is not None else ()


def _other(settings: StudySettings) -> str:
    """The settings that differ from those of the preset, a line for each."""
    base: Mapping[str, Any] = vars(PRESETS[settings.preset])
    changed = {name: value for name, value in vars(settings).items() if base[name] != value and name != "identity"}
    as_typed = {name: str(value).lower() if isinstance(value, bool) else value for name, value in changed.items()}
    return "\n".join(f"{name}={value}" for name, value in as_typed.items())


PAGES = (
    Page("GET", "/owner/set-up", show, "owner"),
    Page("POST", "/owner/set-up/study", change_settings, "owner"),
    Page("POST", "/owner/set-up/consent", change_consent, "owner"),
    Page("POST", "/owner/set-up/models", set_models, "owner"),
    Page("POST", "/owner/set-up/images", add_images, "owner", files=True),
    Page("POST", "/owner/set-up/round/{round:int}/open", open_round, "owner"),
)
