"""Attacks over HTTP on a real server. Each test has an address of loopback of its own, and so its own rate limits."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kibitz.table.protection import HEADERS
from tests.runs.test_kill import finish, kill
from tests.runs.warm import Started
from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.servers import Running

pytestmark = pytest.mark.verify

DIGITS = "9" * 5000
SOON = 5.0  # seconds in which /api/health answers on a machine that is busy with other things
MANY_KEYS = json.dumps({f"k{number:06}": 1 for number in range(63_000)})  # 957 kB
EVIL = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n"


def status(answer: bytes) -> int:
    """The status of a raw answer; 0 if there is none."""
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0


# -- films --


@pytest.fixture(scope="module")
def endless(server: Running) -> None:
    """Two runs in the server's store, from the command line: contests of some 20,000 deals, and a match that was killed early."""
    store = server.log.with_name("kibitz.db")
    finish(["match", "random", "random", "--games", "4", "--to", "999999+", "--seed", "5"], store, store.parent)
    kill(Started(["match", "random", "greedy", "--games", "2000000000"], store), store, 0.0, 0.0)


@pytest.mark.usefixtures("endless")
def test_films_without_end(server: Running, begin: Begin) -> None:
    with begin("web: films of endless contests") as attack, server.client("127.0.0.11") as client:
        with attack.attempt("the first deal"):
            film = client.get("/api/runs/1/games/0")
            assert film.status_code == 200 and film.json()["frames"], film.text[:200]
        before = server.memory()
        for number in range(6):  # clients that leave
            with attack.attempt(f"a deal far away {number}"), server.connection("127.0.0.11") as left:
                left.sendall(f"GET /api/runs/1/games/{number % 4}?deal=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                time.sleep(0.3)
                assert server.health_seconds() < SOON
        with attack.attempt("other films afterwards"):
            film = client.post("/api/films", json={"bots": ["random", "random"], "seed": 5})
            assert film.status_code == 200 and film.json()["frames"], film.text[:200]
        with attack.attempt("a deal that does not exist"):
            asked = client.get("/api/runs/1/games/0?deal=999999")
            assert asked.status_code == 422, asked.text[:200]
        attack.check("memory", server.memory() - before < 300, f"{server.memory() - before} MiB more")
        for path in ("/api/runs/1/games/4", "/api/runs/2/games/1999999999", "/api/runs/2/games/2000000000", "/api/runs/9/games/0"):
            with attack.attempt(f"a game that was not played: {path}"):
                asked = client.get(path)
                assert asked.status_code in (404, 409), asked.text[:200]
        for to in ("999999+", "999999", "10001"):
            with attack.attempt(f"a run to {to} from the page"):
                asked = client.post("/api/runs", json={"kind": "match", "bots": ["random", "random"], "games": 2, "to": to})
                assert asked.status_code in (409, 422), asked.text[:200]


# -- bodies --


def test_bodies_with_many_unknown_keys(server: Running, begin: Begin) -> None:
    def post() -> int:
        with server.client("127.0.0.12") as client:
            return client.post("/api/films", content=MANY_KEYS, headers={"Content-Type": "application/json"}).status_code

    with begin("web: bodies with 63,000 unknown keys") as attack, ThreadPoolExecutor(20) as clients:
        sent = [clients.submit(post) for _ in range(20)]
        while not all(one.done() for one in sent):
            with attack.attempt("health meanwhile"):
                seconds = server.health_seconds()
                assert seconds < SOON, f"{seconds:.1f} s"
            time.sleep(0.05)
        for one in sent:
            with attack.attempt("a body"):
                assert one.result() in (413, 422, 429), one.result()


def test_bodies_that_are_too_much(server: Running, begin: Begin) -> None:
    large, nested = "x" * (2 << 20), "[" * 100_000
    bodies = {
        "2 MB": f'{{"record": "{large}"}}',
        "nested": nested,
        "nested objects": '{"a":' * 50_000,
        "many values": json.dumps({"bots": ["random"] * 100_000}),
        "NaN": '{"bots": ["random", "random"], "seed": NaN}',
        "infinite": '{"bots": ["random", "random"], "seed": 1e999}',
        "not UTF-8": '{"bots": ["\\udcff"]}',
        "no JSON": "{",
        "nothing": "",
        "a list": "[]",
        "null": "null",
        "twice": '{"bots": ["random"], "bots": ["nobody"]}',
    }
    with begin("web: bodies that are too much") as attack:
        for number, (name, body) in enumerate(bodies.items()):
            with server.client(f"127.0.1.{number + 1}") as client:
                for path in ("/api/films", "/api/runs", "/api/sessions"):
                    with attack.attempt(f"{name} to {path}"):
                        asked = client.post(
                            path, content=body.encode("utf-8", "surrogatepass"), headers={"Content-Type": "application/json"}
                        )
                        assert asked.status_code in (400, 413, 422) and "error" in asked.json(), asked.text[:200]


def test_numbers_of_5000_digits(server: Running, begin: Begin) -> None:
    headers = server.session("Ann", "127.0.0.14")
    bodies = {
        "/api/films": f'{{"bots": ["random", "random"], "seed": {DIGITS}}}',
        "/api/sessions": f'{{"name": {DIGITS}}}',
        "/api/runs": f'{{"kind": "match", "bots": ["random"], "games": {DIGITS}}}',
        "/api/tables": f'{{"game": "uno", "seats": [], "seed": -{DIGITS}}}',
    }
    paths = [f"/api/runs/{DIGITS}", f"/api/runs/{DIGITS}/report", f"/api/runs/1/games/{DIGITS}", f"/api/runs/1/games/0?deal={DIGITS}"]
    paths += [f"/api/tables/{DIGITS}", f"/api/tables/{DIGITS}/film?deal={DIGITS}", f"/api/runs/{'9' * 19}", f"/api/runs/-{DIGITS}"]
    with begin("web: numbers of 5,000 digits") as attack, server.client("127.0.0.14") as client:
        for path, body in bodies.items():
            with attack.attempt(f"body to {path}"):
                asked = client.post(path, content=body, headers={**headers, "Content-Type": "application/json"})
                assert 400 <= asked.status_code < 500, asked.status_code
        for path in paths:
            with attack.attempt(f"path {path[:30]}"):
                asked = client.get(path, headers=headers)
                assert 400 <= asked.status_code < 500, asked.status_code
        for name in ("Content-Length", "Range", "If-None-Match", "X-Forwarded-For"):
            with attack.attempt(f"header {name}"):
                answer = server.exchange(
                    f"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{name}: {DIGITS}\r\n\r\n".encode(), "127.0.0.14"
                )
                assert 200 <= status(answer) < 500, answer[:100]


# -- hosts, origins, headers --


def test_hosts(server: Running, begin: Begin) -> None:
    hosts = [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[::1]evil",
        "[::1].evil.example",
        "localhost@evil.example",
    ]
    hosts += [
        "evil@localhost",
        "localhost:80:80",
        "localhost:abc",
        "localhost:99999",
        "localhost/evil",
        "localhost#",
        "localhost,evil",
        "[::1",
        "::1",
    ]
    hosts += ["2130706433", "0x7f.1", "127.1", "127.0.0.1.", "10.0.0.1", "[::ffff:10.0.0.1]"]
    hosts += ["localhost evil", "", "\xe9vil", "x" * 5000]
    with begin("web: hosts of others") as attack:
        for host in hosts:
            with attack.attempt(f"Host: {host[:40]}"):
                answer = server.exchange(
                    f"GET /api/runs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"), "127.0.0.15"
                )
                assert status(answer) in (400, 403), answer[:100]
        for name, head in {
            "no Host": "GET /api/runs HTTP/1.1\r\nConnection: close\r\n\r\n",
            "no Host in HTTP/1.0": "GET /api/runs HTTP/1.0\r\n\r\n",
            "two Hosts": "GET /api/runs HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        }.items():
            with attack.attempt(name):
                answer = server.exchange(head.encode(), "127.0.0.15")
                assert status(answer) in (400, 403), answer[:100]
        for host in ("localhost", "127.0.0.1", f"localhost:{server.port}", "[::1]", f"[::1]:{server.port}", "LOCALHOST"):
            with attack.attempt(f"our own: {host}"):
                answer = server.exchange(f"GET /api/runs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(), "127.0.0.15")
                assert status(answer) == 200, answer[:100]


def test_origins(server: Running, begin: Begin) -> None:
    own = f"localhost:{server.port}"
    origins = ["https://evil.example", "null", "http://localhost", "http://localhost:1", f"https://{own}", f"http://{own}.evil.example"]
    origins += [f"http://evil@{own}", f"http://127.0.0.1:{server.port}", f"ftp://{own}", f"http://{own}/", "file://", ""]
    origins += [f"http://{own},http://evil"]
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    post = "Content-Type: application/json\r\nContent-Length: 15\r\nConnection: close\r\n"

    def attempt(path: str, header: str) -> int:
        if path.endswith("kibitz"):
            sent = f"GET {path} HTTP/1.1\r\nHost: {own}\r\n{upgrade}{header}\r\n\r\n"
        else:
            sent = f'POST {path} HTTP/1.1\r\nHost: {own}\r\n{post}{header}\r\n\r\n{{"name": "Ann"}}'
        with server.connection("127.0.0.16") as client:
            client.sendall(sent.encode())
            return status(client.recv(4096))

    with begin("web: pages of other sites") as attack:
        for path in ("/api/sessions", "/api/kibitz"):
            headers = [f"Origin: {origin}" for origin in origins]
            headers += ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", f"Origin: http://{own}\r\nSec-Fetch-Site: cross-site"]
            for header in headers:
                with attack.attempt(f"{path} {header[:60]}"):
                    assert attempt(path, header) in (400, 403)
            attack.check("our own page", attempt(path, f"Origin: http://{own}\r\nSec-Fetch-Site: same-origin") in (101, 201))


def test_headers_of_every_answer(server: Running, begin: Begin) -> None:
    headers = server.session("Ann", "127.0.0.17")
    json_type = {"Content-Type": "application/json"}
    found: dict[int, tuple[str, dict[str, str]]] = {}
    with begin("web: security headers by status") as attack, server.client("127.0.0.17") as client:
        answers = [client.get(path) for path in ("/", "/api", "/api/health", "/openapi.json", "/api/tables", "/nothing", "/static/nothing")]
        answers += [client.get("/api/health", headers={"Host": "evil.example"}), client.post("/api/sessions", json={"name": "Bob"})]
        answers += [
            client.post("/api/films", content=body, headers=json_type) for body in ("{", "{}", f'{{"seed": {DIGITS}}}', "x" * (2 << 20))
        ]
        answers += [client.delete("/api/health"), client.options("/api/health"), client.head("/"), client.get("/api/runs/77")]
        answers += [client.post("/api/tables", json={"game": "uno", "seats": [{"bot": "nobody"}] * 2, "seat": None}, headers=headers)]
        answers += [client.get("/", headers={"If-None-Match": answers[0].headers.get("etag", "x")})]
        for _ in range(40):
            answers.append(client.post("/api/films", content="{", headers=json_type))
        for answer in answers:
            found.setdefault(answer.status_code, (str(answer.request.url.path), dict(answer.headers)))
        assert {200, 201, 401, 403, 404, 405, 409, 413, 422, 429} <= found.keys(), sorted(found)
        for code, (path, given) in sorted(found.items()):
            missing = [name for name in HEADERS if name.lower() not in given]
            attack.check(f"{code} at {path}", not missing and "server" not in given, f"without {', '.join(missing)}")
        for name, sent in {
            "no HTTP": b"\x16\x03\x01 hello\r\n\r\n",
            "a head without end": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200_000,
        }.items():
            with attack.attempt(f"refused by the protocol: {name}"):
                raw = server.exchange(sent, "127.0.0.17")
                missing = [header for header in HEADERS if f"\n{header.lower()}:".encode() not in raw.lower()]
                assert status(raw) in (400, 431) and not missing, f"{raw[:100]!r} without {', '.join(missing)}"
        attack.note = "a 500 could not be provoked"


# -- paths and methods --


def test_paths_and_methods(server: Running, begin: Begin) -> None:
    escapes = [
        "../app.py",
        "%2e%2e/app.py",
        "..%2fapp.py",
        "%2e%2e%2fapp.py",
        "..%5capp.py",
        "..\\app.py",
        "%252e%252e%252fapp.py",
        "....//app.py",
    ]
    escapes += [
        "../../../../../../etc/passwd",
        "..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "//etc/passwd",
    ]
    escapes += ["%00", "style.css%00", "%c0%ae%c0%ae/app.py", "%ff", ".", "..", "style.css/..", "style.css/../../app.py", "~root/.profile"]
    escapes += ["", "x" * 5000]
    with begin("web: paths out of /static") as attack:
        for escape in escapes:
            with attack.attempt(escape[:40]):
                answer = server.exchange(
                    f"GET /static/{escape} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), "127.0.0.18"
                )
                assert status(answer) in (400, 403, 404, 405), answer[:100]
                assert b"root:" not in answer and b"create_app" not in answer
    confused = "DELETE /api/runs/1, PUT /api/tables, TRACE /, CONNECT localhost:80, get /api/health, FOO /, GET /api/runs/1/stop"
    confused += ", GET /api/sessions, POST /api/health, PATCH /api/tables, HEAD /api/runs/1/stop, POST /static/style.css"
    confused += ", GET http://evil.example/api/runs, GET *, OPTIONS *, PRI *"
    bodies = {
        "two lengths": "Content-Length: 14\r\nContent-Length: 2\r\n",
        "length and chunks": "Content-Length: 14\r\nTransfer-Encoding: chunked\r\n",
        "chunks of chunks": "Transfer-Encoding: chunked, chunked\r\n",
        "negative length": "Content-Length: -1\r\n",
        "signed length": "Content-Length: +14\r\n",
        "space in a name": "Content-Length : 14\r\n",
        "folded": "X-A: b\r\n c\r\nContent-Length: 14\r\n",
    }
    with begin("web: methods and framing") as attack:
        for method, path in (each.split() for each in confused.split(", ")):
            with attack.attempt(f"{method} {path}"):
                answer = server.exchange(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), "127.0.0.19")
                assert status(answer) in (0, 400, 403, 404, 405), answer[:100]
        for name in ("X-HTTP-Method-Override", "X-Method-Override", "_method"):
            with attack.attempt(name):
                sent = f"GET /api/runs/1/stop?_method=POST HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{name}: POST\r\n\r\n"
                assert status(server.exchange(sent.encode(), "127.0.0.19")) == 405
        for name, header in bodies.items():
            with attack.attempt(name):
                smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                sent = f"POST /api/nothing HTTP/1.1\r\nHost: localhost\r\n{header}\r\n{smuggled}"
                answer = server.exchange(sent.encode(), "127.0.0.19")
                assert status(answer) in (400, 404, 405, 501) and answer.count(b"HTTP/1.1 ") <= 2, answer[:100]


# -- files of the server --


def test_names_that_are_files(server: Running, begin: Begin) -> None:
    folder = server.log.parent
    (folder / "evil.py").write_text(EVIL)
    headers = server.session("Ann", "127.0.0.20")
    names = ["evil.py", "evil.py:bot", "./evil.py", f"{folder}/evil.py", "evil", "/etc/passwd", "../evil.py", "linear:weights=/etc/passwd"]
    names += ["--help", "net:file=evil.py", "random --store /tmp/x", "$(touch evil.ran)", "random\nevil.py", "\u0000", "x" * 5000, ""]
    names += ["__import__"]
    rules = ["evil.py", f"{folder}/evil.py", "/etc/passwd", "@evil.py", "classic,deck=/etc/passwd", "classic\n", "../rules", "", "x" * 5000]
    with begin("web: bots and rules that are files") as attack:
        asked = [("bot", name, {"bots": [name, "random"], "rules": "classic"}) for name in names]
        asked += [("rules", name, {"bots": ["random", "random"], "rules": name}) for name in rules]
        for number, (what, name, body) in enumerate(asked):
            sent = {
                "/api/tables": {"game": "uno", "seats": [{"bot": bot} for bot in body["bots"]], "seat": None, "rules": body["rules"]},
                "/api/films": {**body, "seed": 1},
                "/api/runs": {"kind": "match", "games": 2, **body},
                "/api/runs?": {"kind": "tournament", "games": 2, "title": f"../{name}"[:40], **body},
            }
            with server.client(f"127.0.2.{number + 1}") as client:
                for path, content in sent.items():
                    with attack.attempt(f"{what} {name[:30]!r} to {path}"):
                        answer = client.post(path, json=content, headers=headers)
                        assert answer.status_code in (400, 409, 422) and "root:" not in answer.text, answer.text[:200]
        attack.check("nothing was run", not list(Path(folder).rglob("*.ran")))


# -- rates --


def test_rates_of_one_address(server: Running, begin: Begin) -> None:
    with begin("web: more requests than one may send") as attack, server.client("127.0.0.21") as client:
        for what, count, most, path, body in (
            ("sessions", 150, 100, "/api/sessions", {"name": "Ann"}),
            ("films", 100, 60, "/api/films", {"bots": ["nobody"]}),
            ("runs", 50, 20, "/api/runs", {"kind": "match", "bots": ["nobody"], "games": 2}),
        ):
            with attack.attempt(what):  # under a new name each time, which nobody asked a proxy for
                answers = [client.post(path, json=body, headers={"X-Forwarded-For": f"10.0.0.{number}"}) for number in range(count)]
                refused = [answer for answer in answers if answer.status_code == 429]
                assert count - len(refused) <= most, f"{count - len(refused)} of {count} passed"
                assert all("retry-after" in answer.headers for answer in refused)
        with attack.attempt("requests"):
            began = time.monotonic()
            with ThreadPoolExecutor(4) as clients:
                codes = list(clients.map(lambda _: client.get("/api/health").status_code, range(2000)))
            most = 600 + 150 * int(time.monotonic() - began + 1)
            assert set(codes) == {200, 429} and codes.count(200) <= most, f"{codes.count(200)} of 2,000 passed"
        attack.check("others are served", server.health_seconds() < SOON)
