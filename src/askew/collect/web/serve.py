"""Starting the service: safe addresses, private files, loaded models, console messages, and the server itself."""

from __future__ import annotations

import ctypes
import ipaddress
import logging
import re
import socket
import sys
import threading
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.model_addresses import AddressRule, check_now
from askew.collect.protocol import PRESETS
from askew.collect.robots import Call, Robots
from askew.collect.schema import annotator, ensemble_member, image, model, round_
from askew.collect.schema import study as study_table
from askew.collect.study import FILE, SQLITE, Study
from askew.collect.web.app import Guard, make_app
from askew.collect.web.connections import Throttle, bounded_protocol
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import owner_link as new_owner_link
from askew.collect.web.robot_queue import TIMEOUT, RobotQueue
from askew.collect.web.security import Limits, SecretKeys
from askew.collect.web.study_files import read_secret, refuse_readable
from askew.collect.web.visit import Service
from askew.errors import AskewError, UsageError, plural
from askew.verbs import Connects

if TYPE_CHECKING:
    from uvicorn import Server

THREADS = 120
"""How many requests are handled at the same time; most of them wait for a robot."""
M_ARENA_MAX, HEAPS = -8, 2
DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Address:
    """Where the service listens, and under which names it is reached."""

    host: str = "127.0.0.1"
    port: int = 8000
    http: bool = False
    root_path: str = ""
    forwarded_allow_ips: str = ""
    trusted_hosts: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    """Origins that may show the pages in a frame."""

    @property
    def local(self) -> bool:
        """Whether only this computer can reach it."""
        return self.host == "localhost" or (_ip(self.host) is not None and ipaddress.ip_address(self.host).is_loopback)

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that requests may have."""
        own = {"localhost", "127.0.0.1", "[::1]"} if self.local or self.http else set()
        if self.http and not self.local:
            own.add(f"[{self.host}]" if ":" in self.host else self.host)
        return frozenset(own | {host.lower() for host in self.trusted_hosts})

    def shown(self, port: int) -> str:
        """The address to open in a browser."""
        if self.trusted_hosts and (not self.local or self.forwarded_allow_ips):
            return f"{'http' if self.http else 'https'}://{self.trusted_hosts[0]}{self.root_path}"
        host = "127.0.0.1" if self.local else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{self.root_path}"


def check_address(address: Address) -> None:
    """Refuse addresses that would send passwords or links in the clear, or accept any host name."""
    ip = _ip(address.host)
    if address.host != "localhost" and ip is None:
        raise UsageError(f"--host {address.host} is not an IP address. Give e.g. 127.0.0.1, or 0.0.0.0 behind a proxy.")
    if not 0 <= address.port <= 65535:
        raise UsageError(f"--port {address.port} is not a port; ports are 0 to 65535.")
    if address.http and ip is not None and not ip.is_loopback and (ip.is_unspecified or not ip.is_private):
        raise UsageError(
            f"--http sends passwords and links in the clear, and {address.host} can be reached from outside. Omit "
            "--http and put a proxy with TLS in front, or listen on a private address."
        )
    if not address.local and not address.http and not address.trusted_hosts:
        raise UsageError(
            f"--host {address.host} is reached from other computers: give the service's host name, e.g. "
            "--trusted-host collect.example.org, and put a proxy with TLS in front. In a private network without TLS, "
            "use --http."
        )
    for host in address.trusted_hosts:
        if re.fullmatch(r"[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]+\]", host) is None:
            raise UsageError(f"--trusted-host {host!r} is not a host name. Give only the name, without port or path.")
    for origin in address.platforms:
        if re.fullmatch(r"https://[A-Za-z0-9.-]{1,253}(:\d{1,5})?", origin) is None:
            raise UsageError(
                f"--platform {origin!r} is not an origin. Give e.g. https://www.mturk.com, without a path."
            )
    if address.root_path and re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", address.root_path) is None:
        raise UsageError(f"--root-path {address.root_path!r} must begin with / and not end with one, e.g. /collect.")


def check_files(study: Study) -> None:
    """Refuse files that other users of the computer can read."""
    for name, bits in ((FILE, 0o077), (SQLITE, 0o007), (f"{SQLITE}-wal", 0o007)):
        if (study.folder / name).exists():
            refuse_readable(study.folder / name, bits)


def listening(address: Address) -> socket.socket:
    """A listening socket, bound before the server starts: a port in use is reported plainly; early requests wait."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without it asyncio leaves Nagle's delay on
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((address.host, address.port))
        bound.listen(128)
    except OSError as trouble:
        bound.close()
        raise UsageError(
            f"Port {address.port} of {address.host} cannot be used: {trouble.strerror}. Give another one with --port."
        ) from None
    return bound


def make_server(app: Guard, address: Address) -> Server:
    """The server: without uvicorn's access log, since paths contain invite tokens; only named proxies are trusted."""
    import anyio.to_thread
    import uvicorn

    share_heaps()

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield

    app.app.router.lifespan_context = lifespan
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=bounded_protocol(app.service.limits, address.forwarded_allow_ips.split(",")),
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=bool(address.forwarded_allow_ips),
            forwarded_allow_ips=address.forwarded_allow_ips or None,
            timeout_graceful_shutdown=15,
        )
    )


def share_heaps() -> None:
    """Let all threads share two heaps. By default glibc gives threads separate heaps, up to eight per core, and free
    memory in one cannot be used by the others: the memory of a busy service would grow for hours."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


ENDPOINT = {"timeout": 0.8 * TIMEOUT, "retries": 1, "give_up": 0}
"""Default options of models behind an endpoint, since a person is waiting for the answer."""


def make_service(
    study: Study, address: Address, private_hosts: Sequence[str] = (), limits: Limits = DEFAULT_LIMITS
) -> Service:
    """The service of a study; models may also connect to ``private_hosts`` in a private network."""
    with study.database.read() as tx:
        name = tx.value(sa.text("SELECT name FROM study"))
    private = {host.lower() for host in private_hosts}
    robots = Robots(study, options=ENDPOINT, guard=lambda host: AddressRule(host, host in private))
    load = partial(load_robots, study, robots, private)
    load()
    keys = SecretKeys(read_secret(study.folder))
    check_key(study, keys)
    return Service(
        study=study,
        robots=RobotQueue(study.database, robots),
        keys=keys,
        name=name,
        hosts=address.hosts,
        root_path=address.root_path,
        plain_http=address.http,
        platforms=address.platforms,
        limits=limits,
        load_robots=load,
    )


def check_key(study: Study, keys: SecretKeys) -> None:
    """Refuse another key than the one that people's platform ids were hashed with: they would get second accounts."""
    with study.database.write() as tx:
        known = tx.value(sa.select(study_table.c.key_check))
        if known == keys.check:
            return
        if known is not None and tx.first(sa.select(annotator.c.id).where(annotator.c.identity.is_not(None)).limit(1)):
            raise UsageError(
                "The secret key is not the one that this study began with, so people who came through a platform would "
                "not be recognised. Start with the earlier key, or restore secret.key from a backup."
            )
        tx.change(study_table, study_table.c.id == 1, key_check=keys.check)


def load_robots(study: Study, robots: Robots, private: Collection[str]) -> None:
    """Load the models of the open round before anybody waits for them, and check the hosts they connect to.

    Models on this computer answer a test question; failures are reported, and the model may recover later.
    """
    with study.database.read() as tx:
        members = _active_models(tx)
        shown = tx.first(sa.select(image.c.id, image.c.sha256, image.c.suffix).limit(1))
    for row in members:
        try:
            loaded = robots.model(row.id)
        except AskewError as trouble:
            print(f"Warning: the robot {row.name} cannot be loaded: {trouble}", file=sys.stderr)
            continue
        if isinstance(loaded, Connects):
            host = urlsplit(loaded.url).hostname or ""
            check_now(AddressRule(host, host in private))
        elif shown is not None:
            test = Call(0, 0, row.id, shown.id, shown.sha256, shown.suffix, "What is in the image?")
            reply = robots.answer([test])[0]
            if reply.error:
                print(f"Warning: the robot {row.name} failed a test question: {reply.error}", file=sys.stderr)


def _active_models(tx: Tx) -> Sequence[AnyRow]:
    """The id and the name of every model that is drawn in the open round."""
    return tx.rows(
        sa.select(model.c.id, model.c.name)
        .select_from(model.join(ensemble_member).join(round_))
        .where(round_.c.state == "OPEN", ensemble_member.c.active)
        .order_by(model.c.id)
    )


def log_to_console() -> None:
    """Log warnings and errors to the console, and no message too often."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Throttle())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")


def serve(
    new: NewStudy,
    address: Address,
    *,
    owner_link: bool = False,
    private_hosts: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> int:
    """Serve until Ctrl-C."""
    check_address(address)
    log_to_console()
    if not new.exists:
        print(f"Creating the study {new.folder} ...", flush=True)
        if new.preset is None and not new.set_up:
            least = PRESETS["paper"].verifiers_per_question + 1
            print(f"It has the paper's settings and needs at least {least} people; with fewer, use --preset small.")
    study = open_or_create(new)
    check_files(study)
    service = make_service(study, address, private_hosts, limits)
    try:
        run_service(service, address, owner_link=owner_link)
    except KeyboardInterrupt:
        print("Stopped. Everything that was sent is saved; run the same command to continue.")
    finally:
        service.robots.stop()
        study.close()
    return 0


def run_service(
    service: Service, address: Address, *, owner_link: bool = False, hint: str = "", seconds: float | None = None
) -> None:
    """Serve until Ctrl-C, which raises KeyboardInterrupt, or for some seconds; ``hint`` is printed at the start."""
    with listening(address) as bound:
        announce(service, address, bound.getsockname()[1], owner_link)
        if hint:
            print(hint, flush=True)
        server = make_server(make_app(service), address)
        if seconds is not None:
            timer = threading.Timer(seconds, lambda: setattr(server, "should_exit", True))
            timer.daemon = True
            timer.start()
        server.run(sockets=[bound])


def announce(service: Service, address: Address, port: int, owner_link: bool) -> None:
    """Print what is served, where, and the owner's link if one is needed."""
    with service.database.write() as tx:
        owners = tx.count(annotator, annotator.c.role == "owner", annotator.c.excluded_at.is_(None))
        token = new_owner_link(tx) if owner_link or not owners else None
        images = tx.count(image)
        opened = tx.value(sa.select(round_.c.number).where(round_.c.state == "OPEN"))
        names = "; ".join(row.name for row in _active_models(tx))
    place = address.shown(port)
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
        print(f"Asking {plural(resumed, 'question')} again that {'was' if resumed == 1 else 'were'} interrupted.")
    print(f"Serving at {place}/  Stop with Ctrl-C.", flush=True)
