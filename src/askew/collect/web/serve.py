"""Starting the service: what is checked before, what is printed, and the server that runs it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

import sqlalchemy as sa

from askew.collect.draws import Call
from askew.collect.model_addresses import AddressRule, check_now
from askew.collect.robots import Robots
from askew.collect.schema import annotator, ensemble_member, image, model, round_
from askew.collect.study import Study
from askew.collect.web.app import make_app
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import owner_link as new_owner_link
from askew.collect.web.robot_queue import TIMEOUT, RobotQueue
from askew.collect.web.secret_key import read_secret
from askew.collect.web.security import SecretKeys
from askew.collect.web.server import Address, check_address, check_files, listening, make_server
from askew.collect.web.visit import Service
from askew.errors import AskewError
from askew.verbs import Connects

ENDPOINT = {"timeout": 0.8 * TIMEOUT, "retries": 1, "give_up": 0}
"""Options of models behind an endpoint, unless their spec sets them: a person is waiting for the answer."""


def make_service(study: Study, address: Address, private_hosts: Sequence[str] = ()) -> Service:
    """The service of a study; models may connect to ``private_hosts`` in a private network too."""
    with study.database.read() as tx:
        name = tx.value(sa.text("SELECT name FROM study"))
    private = {host.lower() for host in private_hosts}
    robots = Robots(study, options=ENDPOINT, guard=lambda host: AddressRule(host, host in private))
    load_robots(study, robots, private)
    return Service(
        study=study,
        robots=RobotQueue(study.database, robots),
        keys=SecretKeys(read_secret(study.folder)),
        name=name,
        hosts=address.hosts,
        root_path=address.root_path,
        plain_http=address.http,
    )


def load_robots(study: Study, robots: Robots, private: Collection[str]) -> None:
    """Load the models of the open round before anybody waits for them, and check where they connect to.

    Models on this computer answer a test question; one that fails is reported, and may recover.
    """
    with study.database.read() as tx:
        members = tx.rows(
            sa.select(model.c.id, model.c.name)
            .join(ensemble_member, ensemble_member.c.model_id == model.c.id)
            .join(round_, round_.c.id == ensemble_member.c.round_id)
            .where(round_.c.state == "OPEN", ensemble_member.c.active)
            .order_by(model.c.id)
        )
        shown = tx.first(sa.select(image.c.id, image.c.sha256, image.c.suffix).limit(1))
    for row in members:
        try:
            made = robots.model(row.id)
        except AskewError as trouble:
            print(f"Warning: the robot {row.name} cannot be loaded: {trouble}", file=sys.stderr)
            continue
        if isinstance(made, Connects):
            host = urlsplit(made.url).hostname or ""
            check_now(AddressRule(host, host in private))
        elif shown is not None:
            test = Call(0, 0, row.id, shown.id, shown.sha256, shown.suffix, "What is in the image?")
            said = robots.answer([test])[0]
            if said.error:
                print(f"Warning: the robot {row.name} failed a test question: {said.error}", file=sys.stderr)


def serve(new: NewStudy, address: Address, *, owner_link: bool = False, private_hosts: Sequence[str] = ()) -> int:
    """Serve until Ctrl-C."""
    check_address(address)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    if not new.exists:
        print(f"Making the study {new.folder} ...", flush=True)
    study = open_or_create(new)
    check_files(study)
    service = make_service(study, address, private_hosts)
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
