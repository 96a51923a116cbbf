"""Which addresses the models of a running service may connect to, so that nobody can use it to reach into its network.

A model's host comes from the owner's command line, and the model connects to no other. A host name must have only
public addresses, unless the owner allowed private ones; literal addresses and ``localhost`` may be private. Names
are looked up for each new connection, all their addresses are checked, and the connection goes to a checked address,
so pointing the name elsewhere a moment later (DNS rebinding) has no effect. Redirects are never followed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from askew.errors import ModelError, UsageError

IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
LookUp: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


async def look_up(host: str, port: int) -> list[str]:
    """The addresses of a host, from the system's resolver."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


@dataclass(frozen=True)
class AddressRule:
    """What one model may connect to; calling it gives the checked addresses of its host."""

    host: str
    private: bool = False
    """Whether the owner allowed the host to be in a private network (``--private-host``)."""
    look_up: LookUp = look_up

    async def __call__(self, host: str, port: int) -> list[str]:
        """The addresses to connect to; ModelError if the host is not the model's, or any address is refused."""
        if host != self.host:
            raise ModelError(f"{host} is not the model's host, {self.host}.")
        addresses = [host] if address_of(host) is not None else list(await self.look_up(host, port))
        for text in addresses:
            address = address_of(text)
            reason = "is not an address." if address is None else self.refusal(address)
            if reason:
                raise ModelError(f"The model's host {host} has the address {text}, which {reason}")
        return addresses

    def refusal(self, address: IP) -> str:
        """Why the host may not have this address; empty if it may.

        >>> AddressRule("api.example.org").refusal(ipaddress.ip_address("93.184.216.34"))
        ''
        >>> AddressRule("api.example.org").refusal(ipaddress.ip_address("10.0.0.7"))[:24]
        'is in a private network.'
        """
        if address.is_link_local or address.is_multicast or address.is_unspecified:
            return "is never a model's address (link-local, multicast or unspecified)."
        if address.is_global or self.private or address_of(self.host) is not None:
            return ""
        if self.host == "localhost" and address.is_loopback:
            return ""
        return (
            f"is in a private network. If the model runs there, allow it with --private-host {self.host}, or name the "
            "address itself in base_url."
        )


def address_of(text: str) -> IP | None:
    """The address in a text, None for a name; an IPv6 address that embeds an IPv4 address gives the latter.

    >>> address_of("::ffff:10.0.0.7"), address_of("64:ff9b::a00:7"), address_of("example.org")
    (IPv4Address('10.0.0.7'), IPv4Address('10.0.0.7'), None)
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def check_now(rule: AddressRule) -> None:
    """Refuse a model that the service may not connect to; if its name has no address yet, calls fail until it has."""

    async def look() -> None:
        await rule(rule.host, 0)

    try:
        asyncio.run(look())
    except ModelError as refused:
        raise UsageError(str(refused)) from None
    except OSError:
        return
