"""Names and addresses: what a Host or Origin header may say, which names are ours, and who is behind a proxy."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.table.addresses import Authority, Hosts, Proxies, address_of, is_loopback, parse_authority, parse_origin

# -- hosts --


@pytest.mark.parametrize(
    ("text", "name", "port"),
    [
        ("localhost", "localhost", None),
        ("LocalHost:8484", "localhost", 8484),
        ("a-b.c_d.example:1", "a-b.c_d.example", 1),
        ("127.0.0.1:65535", "127.0.0.1", 65535),
        ("[::1]", "::1", None),
        ("[0:0:0:0:0:0:0:1]:80", "::1", 80),
    ],
)
def test_a_host_is_a_name_or_an_address_and_perhaps_a_port(text: str, name: str, port: int | None) -> None:
    assert parse_authority(text) == (name, port)


@pytest.mark.parametrize(
    "text",
    [
        "[::1]evil",
        "[::1]:80evil",
        "[::1]:80:80",
        "[::1",
        "::1",
        "[]",
        "[127.0.0.1]",
        "[fe80::1%25lo]",
        "[v1.x]",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:+80",
        "localhost:8o",
        "localhost:٨٠",
        "localhost/",
        "localhost?x",
        "localhost#x",
        "localhost\\evil",
        "localhost,evil",
        "u@localhost",
        "localhost ",
        " localhost",
        "localhost\n",
        "a..b",
        ".a",
        "a.",
        "-a.example",
        "a-.example",
        "127.1",
        "127.0.0.01",
        "256.0.0.1",
        "1.2.3.4.5",
        "bücher.example",
        "",
        "a" * 64,
        "a." * 127 + "a",
    ],
)
def test_nothing_else_is_a_host(text: str) -> None:
    assert parse_authority(text) is None
    assert parse_origin(f"http://{text}") is None


def test_an_authority_is_written_as_in_addresses() -> None:
    assert [str(Authority("::1", 80)), str(Authority("kibitz.example", None))] == ["[::1]:80", "kibitz.example"]


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "localhost", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.7", "example.org")))


def test_names_of_a_server() -> None:
    assert Hosts.for_listening("table.example").accepts("table.example:80")
    assert not Hosts.for_listening("127.0.0.1").accepts("192.168.1.7")
    everywhere = Hosts.for_listening("0.0.0.0")
    assert everywhere.accepts("192.168.1.7") and everywhere.accepts("[2001:db8::1]:8484") and not everywhere.accepts("kibitz.example")
    assert everywhere.accepts(socket.gethostname()) is (parse_authority(socket.gethostname()) is not None)
    assert Hosts.for_listening("127.0.0.1", ["Kibitz.example"]).accepts("kibitz.EXAMPLE:443")


# -- origins --

PROXIED = Hosts.for_listening("127.0.0.1", ["kibitz.example", "kibitz.example:8443", "localhost:8443"])


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://localhost:8484", "localhost:8484", True),
        ("http://LOCALHOST:8484", "localhost:8484", True),
        ("http://localhost", "localhost:80", True),
        ("http://[::1]:8484", "[0::1]:8484", True),
        ("http://localhost", "localhost:8484", False),
        ("https://localhost:8484", "localhost:8484", False),  # we do not speak TLS, so this is not our page
        ("http://127.0.0.1:8484", "localhost:8484", False),
        ("http://localhost:8484.evil.example", "localhost:8484", False),
        ("http://localhost:8484/", "localhost:8484", False),
        ("http://u@localhost:8484", "localhost:8484", False),
        ("http://[", "localhost:8484", False),
        ("null", "localhost:8484", False),
        ("localhost:8484", "localhost:8484", False),
        ("ftp://localhost:8484", "localhost:8484", False),
        ("", "", False),
        ("https://kibitz.example", "kibitz.example", True),
        ("https://kibitz.example:443", "kibitz.example:443", True),
        ("https://kibitz.example:8443", "kibitz.example", True),  # a proxy may leave the port out of Host
        ("https://kibitz.example:9443", "kibitz.example:9443", False),
        ("http://kibitz.example", "kibitz.example", False),
        ("http://kibitz.example:443", "kibitz.example", False),
        ("https://kibitz.example.evil.example", "kibitz.example", False),
        ("https://evil.example", "evil.example", False),
        ("https://localhost:8443", "localhost:8443", True),  # a public name
        ("http://localhost:8443", "localhost:8443", True),  # and a listening name
    ],
)
def test_a_page_is_ours_or_not(origin: str, host: str, own: bool) -> None:
    assert PROXIED.is_own_page(origin, host) is own


@pytest.mark.parametrize("name", ["https://kibitz.example", "kibitz.example/", "a b", "", "kibitz.example:0", "*.kibitz.example"])
def test_a_public_name_is_a_host(name: str) -> None:
    with pytest.raises(BadValue, match="is not a host name; write it like kibitz"):
        Hosts.for_listening("127.0.0.1", [name])


# -- clients --


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("9.9.9.9, 1.2.3.4", "1.2.3.4"),  # a client can send whatever it likes; the proxy adds on the right
        ("9.9.9.9,1.2.3.4 , 10.0.0.7", "1.2.3.4"),  # a second proxy of ours
        ("garbage, 1.2.3.4", "1.2.3.4"),
        ("10.0.0.7, 10.0.0.8", "10.0.0.7"),  # all are proxies: the first of them asks
        ("1.2.3.4:5678", "1.2.3.4"),
        ("[2001:db8::1]:5678", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("", "10.0.0.1"),
        ("unknown", "10.0.0.1"),
        ("1.2.3.4, unknown", "10.0.0.1"),
        ("1.2.3.4, 10.0.0.7x, 10.0.0.8", "10.0.0.8"),
        ("1.2.3.4,", "10.0.0.1"),
        ("1.2.3.999", "10.0.0.1"),
    ],
)
def test_a_trusted_proxy_says_who_the_client_is(forwarded: str, client: str) -> None:
    assert Proxies.parse(["10.0.0.0/24"]).client("10.0.0.1", forwarded) == client


def test_only_trusted_proxies_are_believed() -> None:
    proxies = Proxies.parse(["10.0.0.1", "2001:db8::/64"])
    assert [proxies.trusts(peer) for peer in ("10.0.0.1", "::ffff:10.0.0.1", "2001:db8::5")] == [True] * 3
    assert [proxies.trusts(peer) for peer in ("10.0.0.2", "2001:db9::5", "unknown")] == [False] * 3
    assert proxies.client("10.0.0.2", "1.2.3.4") == "10.0.0.2"
    assert not Proxies().trusts("127.0.0.1")


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.1/33", "10.0.0.1/8", "", "127.0.0.1:80"])
def test_a_proxy_is_an_address_or_a_network(text: str) -> None:
    with pytest.raises(BadValue, match="is not an IP address or network; write it like 127"):
        Proxies.parse([text])


@pytest.mark.parametrize("text", ["0.0.0.0/0", "::/0"])
def test_a_proxy_is_not_everyone(text: str) -> None:
    with pytest.raises(BadValue, match="every address there is"):
        Proxies.parse([text])


def test_addresses_of_one_network_are_one() -> None:
    def scope(address: str) -> dict[str, Any]:
        return {"client": (address, 1)}

    assert address_of(scope("2001:db8::1")) == address_of(scope("2001:db8::ffff"))
    assert address_of(scope("2001:db8::1")) != address_of(scope("2001:db9::1"))
    assert address_of(scope("10.0.0.1")) != address_of(scope("10.0.0.2"))
    assert address_of(scope("::ffff:10.0.0.1")) == address_of(scope("10.0.0.1"))
    assert address_of(scope("::ffff:10.0.0.1")) != address_of(scope("::ffff:10.0.0.2"))
    assert address_of({}) == "unknown"
