"""A minimal HTTP/1.1 client: POST over persistent connections.

A general client takes at least 1 ms of CPU time per request, one with a shared connection pool 9 ms
(``benchmarks/bench_endpoint.py`` measures one); 64 connections and replies after 100 ms leave 1.5 ms per request.
"""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from askew.verbs import Resolver

HEADERS = 1 << 16
"""Maximum bytes of a reply's head."""
_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
"""OpenSSL's names of what arrives from a server without TLS."""
INTERIM = 16
"""Replies such as 100 Continue and 103 Early Hints that may come before the final one."""


class Lost(Exception):
    """The connection failed, or the reply is not a complete HTTP reply."""


class Unreachable(Lost):
    """No connection could be established."""


class Silent(Unreachable):
    """No connection could be established in time."""


class Unusable(Lost):
    """What answers there cannot be used, and repeating the request does not change that. The text says what to do."""


class TooLarge(Exception):
    """The reply is larger than the limit."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Connection:
    """Both directions of one connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    tunnel: asyncio.StreamWriter | None = None
    """The outer writer of a tunnel; kept because a collected writer closes its connection."""

    @property
    def usable(self) -> bool:
        """False once the server has closed it or sent unrequested data, which must not answer the next request."""
        unasked = self.reader._buffer  # type: ignore[attr-defined]  # no public API peeks without waiting
        return not (unasked or self.reader.at_eof() or self.reader.exception() or self.writer.is_closing())


@dataclass
class Client:
    """Sends bodies to one address and never follows a redirect. Belongs to one event loop; ``close`` it at the end."""

    url: str
    headers: dict[str, str]
    largest: int
    """Maximum bytes of a reply's body."""
    connect_timeout: float = 10.0
    """Seconds to establish a connection, TLS and proxy included."""
    resolve: Resolver | None = None
    """The addresses to connect to, for a host and port; None leaves that to the system. A proxy resolves by itself."""
    _idle: list[Connection] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._at = urlsplit(self.url)
        self._proxy = proxy_for(self._at)
        self._tls = ssl.create_default_context() if self._at.scheme == "https" else None
        path = (self._at.path or "/") + (f"?{self._at.query}" if self._at.query else "")
        target = self.url if self._proxy and not self._tls else path
        lines = [f"POST {target} HTTP/1.1", f"Host: {self._at.netloc}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self._proxy and not self._tls:
            lines += proxy_headers(self._proxy)
        self._head = "\r\n".join([*lines, "Content-Length: "]).encode("latin-1")

    async def post(self, body: bytes) -> Reply:
        """Send a body and read the reply; ``Lost`` when it is incomplete. Cancelling closes the connection."""
        connection = await self._connection()
        try:
            connection.writer.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
            await connection.writer.drain()
            reply, reusable = await read_reply(connection.reader, self.largest)
            reply = decompressed(reply, self.largest)
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as trouble:
            connection.writer.transport.abort()
            raise Lost(_reason(trouble)) from None
        except BaseException:
            connection.writer.transport.abort()
            raise
        if reusable:
            self._idle.append(connection)
        else:
            connection.writer.transport.abort()
        return reply

    async def close(self) -> None:
        """Close open connections."""
        for connection in self._idle:
            connection.writer.transport.abort()
        await asyncio.sleep(0)  # the loop closes their sockets in its next round
        self._idle.clear()

    async def _connection(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            connection.writer.transport.abort()
        try:
            connecting = self._through_proxy(self._proxy) if self._proxy and self._tls else self._direct()
            return await asyncio.wait_for(connecting, self.connect_timeout)
        except (TimeoutError, asyncio.TimeoutError):
            within = f"within {self.connect_timeout:g} s"
            raise Silent(f"no {'TLS ' if self._tls else ''}connection could be established {within}") from None
        except ssl.SSLCertVerificationError as trouble:
            raise Unusable(
                f"its certificate is not trusted ({trouble.verify_message}). Name a file of trusted certificates in "
                "SSL_CERT_FILE."
            ) from None
        except ssl.SSLError as trouble:
            if trouble.reason not in _NOT_TLS:
                raise Unreachable(_reason(trouble)) from None
            raise Unusable("it does not answer in TLS. Write http:// in base_url if it has none.") from None
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as trouble:
            raise Unreachable(_reason(trouble)) from None

    async def _direct(self) -> Connection:
        at = self._proxy or self._at
        port = at.port or (443 if at.scheme == "https" else 80)
        tls = self._tls if at is self._at else None
        if self.resolve is None or at is not self._at:
            return Connection(*await asyncio.open_connection(at.hostname, port, ssl=tls, limit=HEADERS))
        return await self._to_one_of(await self.resolve(at.hostname or "", port), port)

    async def _to_one_of(self, addresses: Sequence[str], port: int) -> Connection:
        """A connection to the first of these addresses that accepts it; the name is not looked up again."""
        trouble = OSError("the name has no address")
        name = self._at.hostname if self._tls else None
        for address in addresses:
            try:
                opened = await asyncio.open_connection(
                    address, port, ssl=self._tls, server_hostname=name, limit=HEADERS
                )
                return Connection(*opened)
            except ssl.SSLCertVerificationError:
                raise
            except OSError as error:
                trouble = error
        raise trouble

    async def _through_proxy(self, proxy: SplitResult) -> Connection:
        """A tunnel (CONNECT), then TLS inside it."""
        reader, writer = await asyncio.open_connection(proxy.hostname, proxy.port or 80, limit=HEADERS)
        try:
            place = f"{self._at.hostname}:{self._at.port or 443}"
            lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}", *proxy_headers(proxy), "", ""]
            writer.write("\r\n".join(lines).encode("latin-1"))
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200" not in head.partition(b"\r\n")[0]:
                raise Lost(f"the proxy {proxy.hostname} answered {head.decode('latin-1').splitlines()[0][:100]!r}")
            loop, protocol = asyncio.get_running_loop(), writer.transport.get_protocol()
            assert self._tls is not None
            inner = await loop.start_tls(writer.transport, protocol, self._tls, server_hostname=self._at.hostname)
            assert inner is not None
            return Connection(reader, asyncio.StreamWriter(inner, protocol, reader, loop), writer)
        except BaseException:
            writer.transport.abort()
            raise


async def read_reply(reader: asyncio.StreamReader, largest: int) -> tuple[Reply, bool]:
    """The reply, and whether the connection can be used again."""
    for _ in range(INTERIM + 1):
        first_bytes = await reader.readexactly(5)
        if other := _other_protocol(first_bytes):
            raise Unusable(other)
        head = first_bytes + await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1."):
            raise Unusable(f"it answers in {version[:20]!r}. Let the server or a proxy before it speak HTTP/1.1.")
        if not re.match("[1-9][0-9][0-9](?![0-9])", rest):
            raise ValueError("the server does not speak HTTP")
        status = int(rest[:3])
        if not 100 <= status < 200 or status == 101:
            break
    else:
        raise ValueError(f"more than {INTERIM} interim replies and no final one")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    reusable = headers.get("connection", "keep-alive" if version == "HTTP/1.1" else "close").lower() != "close"
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return Reply(status, headers, await _chunks(reader, largest)), reusable
    if "content-length" in headers:
        length = _whole(headers["content-length"], "[0-9]+", 10)
        if length > largest:
            raise TooLarge
        return Reply(status, headers, await reader.readexactly(length)), reusable
    if status in (204, 304):
        return Reply(status, headers, b""), reusable
    return Reply(status, headers, await _until_closed(reader, largest)), False


def _other_protocol(first: bytes) -> str:
    """What the server speaks instead of HTTP/1, with what to do; empty if it may be HTTP/1.

    >>> _other_protocol(b"HTTP/"), _other_protocol(bytes([21, 3, 1, 0, 2]))
    ('', 'it expects TLS. Write https:// in base_url.')
    """
    if first == b"HTTP/":
        return ""
    if first[3:] == b"\4\0" and first[0] == 0:  # a frame of settings, with which HTTP/2 begins
        return "it speaks only HTTP/2 (h2c). Let the server or a proxy before it speak HTTP/1.1."
    if first[:2] == b"\x15\3":  # an alert
        return "it expects TLS. Write https:// in base_url."
    return f"it does not speak HTTP (the reply begins with {first!r}). Check the host and the port in base_url."


def decompressed(reply: Reply, largest: int) -> Reply:
    """The reply as it was before compression, which some servers apply unasked; at most ``largest`` bytes of it."""
    coding = reply.headers.get("content-encoding", "identity").lower()
    if coding in ("identity", "") or not reply.body:
        return reply
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise Unusable(f"its replies are compressed ({coding[:40]!r}), unasked. Turn that off in the server.")
    unpacker = zlib.decompressobj(32 + zlib.MAX_WBITS)  # gzip or zlib, by its header
    try:
        body = unpacker.decompress(reply.body, largest + 1)
    except zlib.error:
        raise ValueError("the compressed reply is damaged") from None
    if len(body) > largest:
        raise TooLarge
    if not unpacker.eof:
        raise ValueError("the compressed reply is incomplete")
    return Reply(reply.status, reply.headers, body)


async def _chunks(reader: asyncio.StreamReader, largest: int) -> bytes:
    body = bytearray()
    while size := _whole((await reader.readuntil(b"\r\n")).decode("latin-1").partition(";")[0], "[0-9a-fA-F]+", 16):
        if len(body) + size > largest:
            raise TooLarge
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass
    return bytes(body)


def _whole(text: str, digits: str, base: int) -> int:
    """A whole number as HTTP allows it: only digits; the first 40 suffice, as the number is too large anyway."""
    if not re.fullmatch(digits, text.strip(" \t\r\n")):
        raise ValueError(f"the length of the reply is given as {text.strip()[:40]!r}")
    return int(text.strip()[:40], base)


async def _until_closed(reader: asyncio.StreamReader, largest: int) -> bytes:
    body = bytearray()
    while part := await reader.read(1 << 16):
        body += part
        if len(body) > largest:
            raise TooLarge
    return bytes(body)


def proxy_for(at: SplitResult) -> SplitResult | None:
    """The proxy for this address from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY)."""
    found, host = getproxies().get(at.scheme), at.hostname or ""
    if not found or host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    return urlsplit(found if "://" in found else f"http://{found}")


def proxy_headers(proxy: SplitResult) -> list[str]:
    """Authorization for a proxy whose address has a user."""
    if proxy.username is None:
        return []
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return [f"Proxy-Authorization: Basic {base64.b64encode(user.encode()).decode()}"]


def _reason(trouble: Exception) -> str:
    if isinstance(trouble, ConnectionRefusedError):
        return "nothing is listening there"
    if isinstance(trouble, (asyncio.IncompleteReadError, ConnectionError)):
        return "the connection was cut"
    if isinstance(trouble, asyncio.LimitOverrunError):
        return "the head of the reply is too long"
    if isinstance(trouble, OSError):
        return trouble.strerror or type(trouble).__name__
    return str(trouble)
