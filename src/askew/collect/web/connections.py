"""Limits of connections, so that slow or many ones do not stop the service; and a log that does not repeat itself.

The server itself only closes connections that are idle after a response. Here a connection is also closed if the
headers of a request do not arrive in time, and refused if there are too many, in all or from one address.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from askew.collect.web.security import Limits, network_of


def bounded_protocol(limits: Limits, proxies: Collection[str] = ()) -> type[H11Protocol]:
    """The server's HTTP protocol with limits; a proxy sends for everybody, so it has no limit of its own."""
    present: Counter[str] = Counter()

    class BoundedProtocol(H11Protocol):
        network = ""
        """Where an accepted connection comes from; empty for one that was refused."""
        slow: asyncio.TimerHandle
        """Closes the connection unless the headers of a request arrive in time."""
        answered: Any = None
        """The last request whose headers arrived."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.slow = self.loop.call_later(limits.header_seconds, transport.abort)
            host = self.client[0] if self.client else "unknown"
            network = network_of(host)
            is_proxy = host in proxies or "*" in proxies
            most = limits.connections if is_proxy else limits.connections_of_address
            if present.total() >= limits.connections or present[network] >= most:
                transport.abort()
                return
            self.network = network
            present[network] += 1

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not self.answered:
                self.answered = self.cycle
                self.slow.cancel()

        def on_response_complete(self) -> None:
            self.slow.cancel()
            self.slow = self.loop.call_later(limits.header_seconds, self.transport.abort)
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self.slow.cancel()
            if self.network:
                present[self.network] -= 1
                if not present[self.network]:
                    del present[self.network]
            super().connection_lost(exc)

    return BoundedProtocol


@dataclass
class Throttle(logging.Filter):
    """Lets the same message through a few times a minute, and then says how often it was left out."""

    most: int = 10
    seconds: float = 60.0
    _seen: OrderedDict[tuple[str, str], tuple[float, int]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        super().__init__()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record."""
        key, now = (record.name, str(record.msg)), time.monotonic()
        since, count = self._seen.pop(key, (now, 0))
        if now - since > self.seconds:
            if count > self.most:
                record.msg = f"{record.msg} ({count - self.most} more in the last {now - since:.0f} s)"
            since, count = now, 0
        self._seen[key] = (since, count + 1)
        if len(self._seen) > 1000:
            self._seen.popitem(last=False)
        return count < self.most
