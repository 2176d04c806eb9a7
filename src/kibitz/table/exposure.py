"""What a table that listens at an address opens to whom, as facts to print. Needs nothing from the extra 'web'."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from kibitz.table.addresses import Hosts, Proxies, is_loopback
from kibitz.table.protection import ServerLimits

WIDTH = 100
EVERY_ADDRESS = ("0.0.0.0", "::", "")


class Fact(NamedTuple):
    """One thing to know about a server that others can reach."""

    what: str
    found: str


def is_exposed(host: str, hosts: Hosts) -> bool:
    """Whether anyone but this machine can reach a server that listens there, directly or through a proxy."""
    return not is_loopback(host) or bool(hosts.public)


def exposure(host: str, hosts: Hosts | None = None, proxies: Proxies | None = None, limits: ServerLimits | None = None) -> list[Fact]:
    """What `kibitz table --host HOST` opens to whom."""
    hosts, proxies, limits = hosts or Hosts.for_listening(host), proxies or Proxies(), limits or ServerLimits()
    if not is_exposed(host, hosts):
        return [Fact("Reachable", f"only from this machine, at {host}.")]
    direct = not is_loopback(host)
    facts = [
        Fact("Reachable", _reachable(host, hosts)),
        Fact("Encrypted", _encrypted(hosts, direct)),
        Fact(
            "Anyone can",
            "open tables, play, watch and ask for advice, without a password; take a free seat or watch at any table whose link they have; "
            f"see all runs in the store; start, stop and resume runs ({limits.runs_at_once} at once, {limits.run_games:,} games each at most).",
        ),
        Fact(
            "Nobody can",
            "read or write files, bring bots of their own, see cards hidden from their seat, or find a table without its link.",
        ),
        Fact(
            "Limits",
            f"per address, {limits.requests.per_second:.0f} requests per second, {limits.connections_of_address:,} HTTP connections and "
            f"{limits.sockets_of_address:,} WebSockets; {limits.connections:,} connections in all.",
        ),
    ]
    if proxies.networks:
        named = ", ".join(str(network.network_address) if network.num_addresses == 1 else str(network) for network in proxies.networks)
        facts.append(Fact("Trusted proxy", f"{named} says who a client is, in X-Forwarded-For. It must limit HTTP connections itself."))
    elif hosts.public:
        facts.append(
            Fact("Trusted proxy", "none, so all clients of the proxy share one address and its limits; name it with --trusted-proxy.")
        )
    if not hosts.public:
        facts.append(Fact("Internet", "put a web server with TLS in front of it first; docs/deploy.md shows how."))
    return facts


def _reachable(host: str, hosts: Hosts) -> str:
    public = " and ".join(sorted(f"https://{name}/" for name in hosts.public))
    place = "this one, by its address or name" if host in EVERY_ADDRESS else host
    direct = f"from every machine that can connect to {place}"
    if not public:
        return f"{direct}."
    through = f"from everywhere the proxy serves {public}"
    return f"{through}." if is_loopback(host) else f"{through}, and past the proxy {direct}."


def _encrypted(hosts: Hosts, direct: bool) -> str:
    if not hosts.public:
        return "no; anyone on the network between can read and change what is sent. Use it on networks you trust."
    return "by the proxy only" + ("; connections past the proxy are not." if direct else ", not between the proxy and this server.")


def screen(facts: Iterable[Fact]) -> str:
    """Facts in two columns."""
    listed = list(facts)
    column = max(len(fact.what) for fact in listed) + 2
    return "\n".join(textwrap.fill(f"{fact.what:{column}}{fact.found}", WIDTH, subsequent_indent=" " * column) for fact in listed)
