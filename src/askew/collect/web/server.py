"""Where the service listens: addresses that are safe, files that are private, and the server itself."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askew.collect.study import FILE, Study
from askew.collect.web.app import Guard
from askew.collect.web.secret_key import refuse_readable
from askew.errors import UsageError

if TYPE_CHECKING:
    from uvicorn import Server

THREADS = 120
"""Requests at work at the same time; most wait for a robot."""


@dataclass(frozen=True)
class Address:
    """Where the service listens, and how it is reached."""

    host: str = "127.0.0.1"
    port: int = 8000
    http: bool = False
    root_path: str = ""
    forwarded_allow_ips: str = ""
    trusted_hosts: tuple[str, ...] = ()

    @property
    def local(self) -> bool:
        """Whether only this computer reaches it."""
        return self.host == "localhost" or (_ip(self.host) is not None and ipaddress.ip_address(self.host).is_loopback)

    @property
    def hosts(self) -> frozenset[str]:
        """The host names that requests may carry."""
        own = {"localhost", "127.0.0.1", "[::1]"} if self.local or self.http else set()
        if self.http and not self.local:
            own.add(f"[{self.host}]" if ":" in self.host else self.host)
        return frozenset(own | {host.lower() for host in self.trusted_hosts})

    def shown(self, port: int) -> str:
        """The address to open in a browser."""
        if self.trusted_hosts and not self.local:
            return f"{'http' if self.http else 'https'}://{self.trusted_hosts[0]}{self.root_path}"
        host = "127.0.0.1" if self.local else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{self.root_path}"


def check_address(address: Address) -> None:
    """Refuse what would send passwords or links in the clear, or answer to any host name."""
    ip = _ip(address.host)
    if address.host != "localhost" and ip is None:
        raise UsageError(f"--host {address.host} is not an IP address. Give e.g. 127.0.0.1, or 0.0.0.0 behind a proxy.")
    if not 0 <= address.port <= 65535:
        raise UsageError(f"--port {address.port} is not a port; ports are 0 to 65535.")
    if address.http and ip is not None and not ip.is_loopback and (ip.is_unspecified or not ip.is_private):
        raise UsageError(
            f"--http sends passwords and links in the clear, and {address.host} can be reached from outside. Leave "
            "--http out and put a proxy with TLS in front, or listen on a private address."
        )
    if not address.local and not address.http and not address.trusted_hosts:
        raise UsageError(
            f"--host {address.host} is reached from other computers: say under which name with --trusted-host, e.g. "
            "--trusted-host collect.example.org, and put a proxy with TLS in front. In a private network without TLS: "
            "--http."
        )
    for host in address.trusted_hosts:
        if re.fullmatch(r"[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]+\]", host) is None:
            raise UsageError(f"--trusted-host {host!r} is not a host name. Give the name alone, without port or path.")
    if address.root_path and re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", address.root_path) is None:
        raise UsageError(f"--root-path {address.root_path!r} must begin with / and not end with one, e.g. /collect.")


def check_files(study: Study) -> None:
    """Refuse files that other users of the computer can read."""
    for name, bits in ((FILE, 0o077), ("study.sqlite", 0o007), ("study.sqlite-wal", 0o007)):
        if (study.folder / name).exists():
            refuse_readable(study.folder / name, bits)


def listening(address: Address) -> socket.socket:
    """A socket that listens, so that a port in use is said plainly, and nobody who comes early is turned away."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address.host, address.port))
        made.listen(128)
    except OSError as trouble:
        made.close()
        raise UsageError(
            f"Port {address.port} of {address.host} cannot be used: {trouble.strerror}. Give another one with --port."
        ) from None
    return made


def make_server(app: Guard, address: Address) -> Server:
    """The server: no access log of its own, for paths hold invite tokens; forwarded headers only from named proxies."""
    import anyio.to_thread
    import uvicorn

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield

    app.app.router.lifespan_context = lifespan
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=bool(address.forwarded_allow_ips),
            forwarded_allow_ips=address.forwarded_allow_ips or None,
            timeout_graceful_shutdown=15,
        )
    )


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
