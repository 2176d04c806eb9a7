"""What a server says that it opens to whom."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from kibitz.table.addresses import Hosts, Proxies
from kibitz.table.exposure import WIDTH, exposure, screen
from kibitz.table.protection import ServerLimits

NAMED = ["kibitz.example", "cards.example:8443"]


def told(host: str, public: list[str] | None = None, proxies: list[str] | None = None) -> dict[str, str]:
    return dict(exposure(host, Hosts.for_listening(host, public or ()), Proxies.parse(proxies or ())))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_on_loopback_nothing_is_open_to_others(host: str) -> None:
    assert told(host) == {"Reachable": f"only from this machine, at {host}."}


@pytest.mark.parametrize(("host", "place"), [("0.0.0.0", "this one"), ("::", "this one"), ("192.168.1.7", "192.168.1.7")])
def test_on_the_network_it_is_open_to_everyone_and_not_encrypted(host: str, place: str) -> None:
    facts = told(host)
    assert facts["Reachable"].startswith(f"from every machine that can connect to {place}")
    assert facts["Encrypted"].startswith("no;")
    assert "without a password" in facts["Anyone can"] and "start, stop and resume runs" in facts["Anyone can"]
    assert "docs/deploy.md" in facts["Internet"]


def test_a_public_name_is_open_to_everyone_through_the_proxy() -> None:
    facts = told("127.0.0.1", NAMED, ["127.0.0.1", "10.0.0.0/8"])
    assert facts["Reachable"] == "from everywhere the proxy serves https://cards.example:8443/ and https://kibitz.example/."
    assert facts["Encrypted"].startswith("by the proxy only")
    assert facts["Trusted proxy"].startswith("127.0.0.1, 10.0.0.0/8 says")
    assert "Internet" not in facts


def test_what_a_proxy_does_not_change_is_said() -> None:
    facts = told("0.0.0.0", NAMED)
    assert "and past the proxy from every machine" in facts["Reachable"]
    assert facts["Encrypted"].endswith("connections past the proxy are not.")
    assert "share one address" in facts["Trusted proxy"] and "--trusted-proxy" in facts["Trusted proxy"]


def test_limits_are_those_of_the_server() -> None:
    limits = replace(ServerLimits(), runs_at_once=7, run_games=12345, connections_of_address=11, sockets_of_address=1234, connections=2345)
    text = " ".join(fact.found for fact in exposure("0.0.0.0", limits=limits))
    assert "7 at once, 12,345 games each" in text and "11 HTTP connections and 1,234 WebSockets; 2,345 connections in all" in text


def test_it_fits_on_a_screen() -> None:
    lines = screen(exposure("0.0.0.0", Hosts.for_listening("0.0.0.0", NAMED))).splitlines()
    assert len(lines) <= 20 and max(map(len, lines)) <= WIDTH
    column = lines[0].index("from")
    assert all(line[column - 1] == " " and line[column] != " " for line in lines)


def test_the_extra_web_is_not_needed() -> None:
    program = "import sys\nfor name in ('starlette', 'fastapi', 'uvicorn'): sys.modules[name] = None\nimport kibitz.table.exposure"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).stderr == b""
