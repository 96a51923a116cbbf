"""Starting the service: what is checked before, what is printed, and the server that runs it."""

from __future__ import annotations

import logging
import sys

import sqlalchemy as sa

from askew.collect.robots import Robots
from askew.collect.schema import annotator, ensemble_member, image, model, round_
from askew.collect.study import Study
from askew.collect.web.app import make_app
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import owner_link as new_owner_link
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.secret_key import read_secret
from askew.collect.web.security import SecretKeys
from askew.collect.web.server import Address, check_address, check_files, listening, make_server
from askew.collect.web.visit import Service


def make_service(study: Study, address: Address) -> Service:
    """The service of a study."""
    with study.database.read() as tx:
        name = tx.value(sa.text("SELECT name FROM study"))
    return Service(
        study=study,
        robots=RobotQueue(study.database, Robots(study)),
        keys=SecretKeys(read_secret(study.folder)),
        name=name,
        hosts=address.hosts,
        root_path=address.root_path,
        plain_http=address.http,
    )


def serve(new: NewStudy, address: Address, *, owner_link: bool = False) -> int:
    """Serve until Ctrl-C."""
    check_address(address)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    if not new.exists:
        print(f"Making the study {new.folder} ...", flush=True)
    study = open_or_create(new)
    check_files(study)
    service = make_service(study, address)
    try:
        with listening(address) as bound:
            announce(service, address, bound.getsockname()[1], owner_link)
            make_server(make_app(service), address).run(sockets=[bound])
    except KeyboardInterrupt:
        print("Stopped. Everything that was sent is kept; the same command goes on from here.")
    finally:
        service.robots.stop()
        study.close()
    return 0


def announce(service: Service, address: Address, port: int, owner_link: bool) -> None:
    """Say what is served, where, and how the owner gets in."""
    with service.database.write() as tx:
        owners = tx.value(
            sa.select(sa.func.count()).where(annotator.c.role == "owner", annotator.c.excluded_at.is_(None))
        )
        token = new_owner_link(tx) if owner_link or not owners else None
        images = tx.value(sa.select(sa.func.count()).select_from(image))
        opened = tx.value(sa.select(round_.c.number).where(round_.c.state == "OPEN"))
        robots = tx.rows(
            sa.select(model.c.name)
            .join(ensemble_member, ensemble_member.c.model_id == model.c.id)
            .join(round_, round_.c.id == ensemble_member.c.round_id)
            .where(round_.c.state == "OPEN", ensemble_member.c.active)
            .order_by(model.c.id)
        )
    place = address.shown(port)
    names = ", ".join(row.name for row in robots)
    state = f"round {opened} is open" if opened else "no round is open"
    print(f"Study: {service.study.folder} ({images} images; {state})")
    if names:
        print(f"Robots: {names}")
    if address.http and not address.local:
        print("Warning: plain HTTP. Passwords and links can be read by others in this network.", file=sys.stderr)
    if token is not None:
        print(f"Your link as the owner; it works once, for a day:\n  {place}/invite/{token}")
    resumed = service.robots.resume()
    if resumed:
        print(f"Asking {resumed} questions again that were interrupted.")
    print(f"Serving at {place}/  Stop with Ctrl-C.", flush=True)
