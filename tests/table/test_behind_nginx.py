"""The table behind a real nginx with TLS: its page, requests, WebSockets, and limits for each client."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.test_table import Player, server
from tests.table.proxied import NAME, Front, nginx, service_words

OWN = f"https://{NAME}"
MOST = 200  # sessions to try; the limit is 60 at once, and one comes back every second


@pytest.fixture(scope="module")
def table() -> Iterator[str]:
    """`kibitz table` with the options of the documented service."""
    with server("--no-store", *service_words()) as (_, address, said):
        assert f"the proxy serves https://{NAME}/" in said
        yield address


@pytest.fixture(scope="module")
def front(table: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with nginx(tmp_path_factory.mktemp("nginx"), table) as running:
        yield running


def begin(client: httpx.Client, headers: dict[str, str] | None = None) -> int:
    return client.post("/api/sessions", json={"name": "Ann"}, headers={"Origin": OWN, **(headers or {})}).status_code


def use_up(client: httpx.Client) -> None:
    """Begin sessions until the server has had enough of this client."""
    statuses: list[int] = []
    while not statuses or (statuses[-1] == 201 and len(statuses) < MOST):
        statuses.append(begin(client))
    assert statuses[-1] == 429


def assert_used_up(client: httpx.Client, posing: Sequence[str] = ()) -> None:
    """The client shares a limit that is used up: it gets no more than time gives back, whomever it poses as."""
    since = time.monotonic()
    begun = [begin(client, {"X-Forwarded-For": posed} if posed else {}) for posed in posing or [""] * 20]
    assert len(begun) >= 20 and begun.count(201) <= 1 + time.monotonic() - since
    assert set(begun) <= {201, 429}


@contextmanager
def live(front: Front, path: str, origin: str = OWN) -> Iterator[ClientConnection]:
    """A WebSocket of a page, over TLS."""
    line = socket.create_connection(("127.0.0.1", front.port))
    with connect(f"wss://{NAME}{path}", sock=line, ssl=front.trusting, origin=Origin(origin), compression=None) as open_socket:
        yield open_socket


def test_the_page_is_served_over_https(front: Front) -> None:
    with front.client() as client:
        page = client.get("/")
        assert page.status_code == 200 and "<html" in page.text
    moved = httpx.get(f"http://127.0.0.1:{front.http_port}/x", headers={"Host": NAME})
    assert (moved.status_code, moved.headers["Location"]) == (301, f"https://{NAME}/x")


def test_our_page_may_act_and_others_may_not(front: Front) -> None:
    with front.client() as client:

        def post(**headers: str) -> int:
            return client.post("/api/sessions", json={"name": "Ann"}, headers=headers).status_code

        assert post(Origin=OWN) == 201
        assert post() == 201
        assert post(Origin=f"http://{NAME}") == 403
        assert post(Origin="https://evil.example") == 403
        assert post(Origin="https://evil.example", Host="evil.example") == 403
        refused = client.get("/api/health", headers={"Host": "evil.example"})
        assert refused.status_code == 403 and "host 'evil.example' is not one of this server's names" in refused.json()["error"]


def test_a_game_is_played_over_a_websocket(front: Front) -> None:
    with front.client() as client:
        token = client.post("/api/sessions", json={"name": "Ann"}).json()["token"]
        asked = {"game": "uno", "seats": [{"person": True}, {"bot": "random"}], "seat": 0}
        opened = client.post("/api/tables", json=asked, headers={"Authorization": f"Bearer {token}", "Origin": OWN})
        path = f"/api/tables/{opened.json()['table']}/live"
    with live(front, path) as line:
        player = Player(line, token)
        player.act()
        assert player.done > 0
    for origin in (f"http://{NAME}", "https://evil.example"):
        with pytest.raises(InvalidStatus, match="403"), live(front, path, origin):
            pass


def test_every_client_has_limits_of_its_own(front: Front) -> None:
    with front.client("127.0.0.2") as greedy, front.client("127.0.0.3") as modest:
        use_up(greedy)
        assert begin(modest) == 201


@pytest.mark.parametrize("forwarded", ["$remote_addr", "$proxy_add_x_forwarded_for"])
def test_nobody_can_pose_as_another(forwarded: str, table: str, tmp_path: Path) -> None:
    source = "127.0.0.4" if forwarded == "$remote_addr" else "127.0.0.5"
    with nginx(tmp_path, table, forwarded) as front, front.client(source) as client:
        use_up(client)
        assert_used_up(client, [f"9.9.9.{number}" for number in range(20)])
        assert_used_up(client, [f"9.9.8.{number}, 9.9.9.{number}, 127.0.0.1" for number in range(20)])
        with front.client("127.0.0.6") as victim:  # whose limit the client could use up if it were believed
            assert begin(victim, {"X-Forwarded-For": source}) == 201


def test_only_the_proxy_is_believed(table: str) -> None:
    transport = httpx.HTTPTransport(local_address="127.0.0.7")
    with httpx.Client(transport=transport, base_url=table, headers={"Host": NAME}) as direct:
        use_up(direct)
        assert_used_up(direct, [f"9.9.7.{number}" for number in range(20)])


def test_without_a_trusted_proxy_all_clients_are_one(tmp_path: Path) -> None:
    with server("--no-store", "--public-name", NAME) as (_, address, said):
        assert "all clients of the proxy share one address" in said
        with nginx(tmp_path, address) as front, front.client("127.0.0.2") as one, front.client("127.0.0.3") as other:
            use_up(one)
            assert_used_up(other)
