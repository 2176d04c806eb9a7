"""Names and addresses: which host names are ours, which pages are ours, and who is at the other end of a connection.

A page of another site cannot reach the table through a visitor's browser. Its requests carry its own origin, and a name that it points
at this machine (DNS rebinding) is not one of ours. Behind a proxy that the user trusts, the proxy says who the client is.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue

HTTP_PORT, HTTPS_PORT = 80, 443

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z_.-]+))(?::([0-9]{1,5}))?")
_LABEL = re.compile(r"(?!-)[0-9a-z_-]{1,63}(?<!-)")
_LONGEST_NAME = 253


class Authority(NamedTuple):
    """A host and perhaps a port, as in a `Host` header or the address of a page."""

    name: str  # in lower case; an IPv6 address has no brackets and is in its shortest form
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.name}]" if ":" in self.name else self.name
        return host if self.port is None else f"{host}:{self.port}"


def parse_authority(text: str) -> Authority | None:
    """A name, an IPv4 address or an IPv6 address in brackets, with an optional port; None for anything else."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    six, name, digits = found.groups()
    host = _shortest_ipv6(six) if six else _checked_name(name.lower())
    port = None if digits is None else int(digits)
    if host is None or (port is not None and not 1 <= port <= 65535):
        return None
    return Authority(host, port)


def parse_origin(text: str) -> tuple[str, str, int] | None:
    """The scheme, name and port of an `Origin` header; None if it is not the origin of a web page."""
    scheme, separator, rest = text.partition("://")
    ports = {"http": HTTP_PORT, "https": HTTPS_PORT}
    host = parse_authority(rest) if separator else None
    if host is None or scheme.lower() not in ports:
        return None
    return scheme.lower(), host.name, host.port or ports[scheme.lower()]


def _shortest_ipv6(text: str) -> str | None:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        return None


def _checked_name(name: str) -> str | None:
    labels = name.split(".")
    if labels[-1].isdigit():  # browsers read such a name as an IPv4 address
        return name if isinstance(parse_address(name), ipaddress.IPv4Address) else None
    return name if len(name) <= _LONGEST_NAME and all(map(_LABEL.fullmatch, labels)) else None


def parse_address(text: str) -> Address | None:
    """An IP address; an IPv4 address that is written as an IPv6 address counts as IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(host: str) -> bool:
    """Whether a server that listens there can be reached from this machine only."""
    address = parse_address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


# -- host names and pages --


@dataclass(frozen=True)
class Hosts:
    """The names under which this server answers. Nobody can point an address at another machine, but the owner of a name can."""

    names: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    any_address: bool = False
    public: frozenset[Authority] = frozenset()  # names of a proxy that adds TLS

    @classmethod
    def for_listening(cls, host: str, public: Iterable[str] = ()) -> Hosts:
        """The names of a server that listens there: on loopback only the names of loopback, else any address and this machine's name."""
        own = cls(public=frozenset(map(_public_name, public)))
        listening = str(parse_address(host) or host.lower())
        if is_loopback(host):
            return replace(own, names=own.names | {listening})
        machine = socket.gethostname().lower()
        short = machine.partition(".")[0]
        return replace(own, names=own.names | {listening, machine, short, f"{short}.local"}, any_address=True)

    def accepts(self, header: str) -> bool:
        """Whether a Host header names this server."""
        host = parse_authority(header)
        return host is not None and (self._listens_as(host.name) or any(host.name == known.name for known in self.public))

    def is_own_page(self, origin: str, header: str) -> bool:
        """Whether an Origin header is that of our own page under this Host header: http where we listen, https under a public name."""
        page, host = parse_origin(origin), parse_authority(header)
        if page is None or host is None:
            return False
        scheme, name, port = page
        if name != host.name:
            return False
        if scheme == "https":
            return any((name, port) == (known.name, known.port or HTTPS_PORT) for known in self.public)
        return self._listens_as(name) and port == (host.port or HTTP_PORT)

    def _listens_as(self, name: str) -> bool:
        return name in self.names or (self.any_address and parse_address(name) is not None)


def _public_name(text: str) -> Authority:
    name = parse_authority(text)
    if name is None:
        raise BadValue(f"public name '{text}' is not a host name; write it like kibitz.example or kibitz.example:8443.")
    return name


# -- clients --


@dataclass(frozen=True)
class Proxies:
    """The proxies in front of this server whose word about a client's address is believed."""

    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, values: Iterable[str]) -> Proxies:
        """Proxies from addresses and networks, as the user writes them."""
        return cls(tuple(map(_proxy_network, values)))

    def trusts(self, peer: str) -> bool:
        """Whether a connection from this address comes from a trusted proxy."""
        address = parse_address(peer)
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: str) -> str:
        """The client's address, from the X-Forwarded-For header that came from this peer.

        Each proxy adds the address of its own client on the right, and a client can send anything on the left. So the client is the
        right-most entry that is not a trusted proxy itself. Where an entry cannot be read, the proxy that sent it counts as the client.
        """
        client = peer
        for entry in reversed(forwarded.split(",")):
            if not self.trusts(client):
                break
            address = _forwarded_address(entry.strip())
            if address is None:
                break
            client = address
        return client


def _proxy_network(text: str) -> Network:
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        raise BadValue(f"trusted proxy '{text}' is not an IP address or network; write it like 127.0.0.1 or 10.0.0.0/8.") from None
    if network.prefixlen == 0:
        raise BadValue(f"trusted proxy '{text}' is every address there is, so anyone could claim any address; name the proxy's own.")
    return network


def _forwarded_address(entry: str) -> str | None:
    """The address in an entry of X-Forwarded-For; some proxies add a port to it."""
    address = parse_address(entry)
    if address is None:
        host = parse_authority(entry)
        address = parse_address(host.name) if host else None
    return None if address is None else str(address)


def address_of(scope: Mapping[str, Any]) -> str:
    """The client of a request, as limits count it: an IPv4 address, or an IPv6 network of 64 bits, which usually belongs to one customer."""
    client = scope.get("client")
    return counted_address(client[0]) if client else "unknown"


def counted_address(text: str) -> str:
    """What limits count for a connection from this address."""
    address = parse_address(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return text if address is None else str(address)
