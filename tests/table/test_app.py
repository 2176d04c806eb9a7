"""The HTTP side of the table: every route once, and what is refused with which sentence."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.games.face import GamePage
from kibitz.table import catalogue, pages
from kibitz.table.app import Json
from kibitz.table.open_tables import OpenTables
from kibitz.table.protection import HEADERS, Rate
from tests.table.clients import LOOSE, Person, TestClient, opened


def refused(response: Any, status: int) -> str:
    """The sentence of a refusal."""
    assert response.status_code == status, response.text
    assert list(response.json()) == ["error"]
    sentence = str(response.json()["error"])
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence


# -- about --


def test_health(client: TestClient) -> None:
    assert client.get("/api/health").json()["version"] == kibitz.__version__


def test_games_say_all_that_one_can_choose(client: TestClient) -> None:
    games = {game["name"]: game for game in client.get("/api/games").json()}
    assert set(games) == {"uno", "hanabi"}
    uno = games["uno"]
    assert (uno["min_players"], uno["max_players"], uno["default_rules"], uno["has_contests"]) == (2, 10, "classic", True)
    assert {"classic", "official"} <= {preset["name"] for preset in uno["presets"]}
    stacking = next(switch for switch in uno["switches"] if switch["name"] == "stacking")
    assert "progressive" in {value["name"] for value in stacking["values"]}
    bots = {bot["name"]: bot for bot in uno["bots"]}
    assert bots["champion"]["searches"] and not bots["mix2"]["searches"]
    assert bots["cheater"]["cheats"] and not bots["mix2"]["cheats"]
    assert "points" in bots["mix2"]["presets"]
    assert games["hanabi"]["advisers"]["2"] == "smart"
    assert (games["uno"]["also_asked"], games["hanabi"]["also_asked"]) == (["net"], [])
    for game in games.values():
        known, presets = {bot["name"] for bot in game["bots"]}, {preset["name"] for preset in game["presets"]}
        suggested = game["suggested"]
        assert {*suggested["table"], *suggested["film"], *suggested["run"]} <= known and suggested["rules"] in presets
        assert game["face"] and game["style"] and game["pictures"] and game["about"]
        for address in (game["face"], game["style"], *game["pictures"]):
            assert client.get(address).status_code == 200, address


def test_a_game_may_bring_its_own_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is served beside the pages' files; what is not in it is not offered."""
    (tmp_path / "face.js").write_text("export const keys = [];")
    page = GamePage(about="A game.", folder=tmp_path, pictures=("missing.svg",))
    monkeypatch.setattr(catalogue, "page_of", lambda name: page if name == "hanabi" else GamePage())
    catalogue.games.cache_clear()
    try:
        with opened() as client:
            game = next(game for game in client.get("/api/games").json() if game["name"] == "hanabi")
            assert (game["face"], game["style"], game["pictures"]) == ("/static/games/hanabi/face.js", None, [])
            assert client.get(game["face"]).text == "export const keys = [];"
            assert client.get("/static/games/hanabi/board.js").status_code == 404
            assert client.get("/static/games/uno/face.js").status_code == 200
    finally:
        catalogue.games.cache_clear()


@pytest.mark.parametrize("path", ["/api/health", "/api/nothing", "/", "/api", "/openapi.json", "/static/nothing.js"])
def test_every_answer_is_protected(path: str, client: TestClient) -> None:
    response = client.get(path)
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    assert "server" not in response.headers


def test_answers_are_compressed(client: TestClient) -> None:
    with client.stream("GET", "/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert json.loads(gzip.decompress(b"".join(response.iter_raw())))["info"]["version"] == kibitz.__version__


def test_static_files_are_asked_for_again_and_not_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("<!DOCTYPE html><title>table</title>")
    (tmp_path / "app.js").write_text("let x = 1")
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    with opened() as client:
        assert client.get("/").text.startswith("<!DOCTYPE html>")
        first = client.get("/static/app.js")
        assert (first.text, first.headers["Cache-Control"]) == ("let x = 1", "no-cache")
        again = client.get("/static/app.js", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/static/../app.py").status_code == 404
        assert client.get("/static/%2e%2e/%2e%2e/app.py").status_code == 404


def test_the_api_has_a_page_that_needs_nothing_else(client: TestClient) -> None:
    page = client.get("/api")
    assert page.headers["Content-Type"].startswith("text/html")
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page.text
    assert "<script" not in page.text and "http://" not in page.text and "https://" not in page.text and "style=" not in page.text
    assert client.get("/api/style.css").headers["Content-Type"].startswith("text/css")


def test_what_is_not_there_is_said(client: TestClient) -> None:
    assert refused(client.get("/api/nothing"), 404) == "there is nothing at this address."
    response = client.delete("/api/health")
    assert "not possible" in refused(response, 405)
    assert response.headers["Allow"] == "GET"


# -- sessions --


def test_a_session(ann: Person, client: TestClient) -> None:
    assert client.get("/api/sessions/me", headers=ann.headers).json() == {"name": "Ann"}
    assert client.patch("/api/sessions/me", json={"name": " Anna  Lena "}, headers=ann.headers).json() == {"name": "Anna Lena"}
    assert client.get("/api/sessions/me", headers=ann.headers).json() == {"name": "Anna Lena"}


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer x", f"Bearer {'a' * 43}", "Basic abc", "Bearer \xff"])
def test_without_a_session_there_is_nothing_to_see(header: str | None, client: TestClient) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    for method, path in (("GET", "/api/sessions/me"), ("GET", "/api/tables"), ("POST", "/api/tables/aaaaaaaaaaaaaaaa/seat")):
        response = client.request(method, path, headers=headers, json={} if method == "POST" else None)
        refused(response, 401)
        assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 422),
        ("{", 422),
        ("[]", 422),
        ('{"name": 5}', 422),
        ('{"name": ""}', 422),
        ('{"name": "Ann", "more": 1}', 422),
        ('{"name": "a\\u0000b"}', 409),
        ('{"name": "\\ud800"}', 422),
        ("[" * 30_000, 400),
        ('{"name": "' + "x" * 70_000 + '"}', 413),
    ],
    ids=lambda value: str(value)[:20],
)
def test_malformed_sessions_are_refused(body: str, status: int, client: TestClient) -> None:
    refused(client.post("/api/sessions", content=body, headers={"Content-Type": "application/json"}), status)


def test_other_content_is_not_taken_for_json(client: TestClient) -> None:
    refused(client.post("/api/sessions", content='{"name": "Ann"}', headers={"Content-Type": "text/plain"}), 422)


def test_sessions_are_not_given_out_without_end() -> None:
    with opened(limits=replace(LOOSE, sessions=Rate(0.01, 2))) as client:
        found = [client.post("/api/sessions", json={"name": "Ann"}) for _ in range(3)]
        assert [response.status_code for response in found] == [201, 201, 429]
        assert int(found[-1].headers["Retry-After"]) > 1


# -- tables --


def test_a_table_is_opened_listed_and_shown(ann: Person, client: TestClient) -> None:
    table = ann.open(None, "mix2", None)
    shown = client.get(f"/api/tables/{table}", headers=ann.headers).json()
    assert (shown["you"], shown["owner"], shown["status"], shown["rules"]) == (0, True, "waiting", "classic")
    assert [(seat["kind"], seat["name"]) for seat in shown["seats"]] == [("person", "Ann"), ("bot", "mix2"), ("free", "")]
    assert client.get("/api/tables", headers=ann.headers).json()["tables"] == [shown]
    stranger = client.get(f"/api/tables/{table}").json()
    assert (stranger["you"], stranger["owner"]) == (None, False)
    assert client.get("/api/tables", headers=Person(client, "Bob").headers).json() == {"tables": []}


def test_a_seat_is_taken_once(ann: Person, client: TestClient) -> None:
    table = ann.open(None, None, "mix2")
    bob, cleo = Person(client, "Bob"), Person(client, "Cleo")

    def sit(who: Person, **asked: Any) -> Any:
        return client.post(f"/api/tables/{table}/seat", json=asked, headers=who.headers)

    assert "taken by Ann" in refused(sit(bob, seat=0), 409)
    assert "taken by mix2" in refused(sit(bob, seat=2), 409)
    assert "does not exist" in refused(sit(bob, seat=5), 409)
    assert sit(bob, seat=1).json() == {"table": table, "seat": 1}
    assert sit(bob).json()["seat"] == 1
    assert "one person has one seat" in refused(sit(bob, seat=0), 409)
    assert "taken by Bob" in refused(sit(cleo, seat=1), 409)
    assert "no seat is free" in refused(sit(cleo), 409)
    assert client.get(f"/api/tables/{table}").json()["status"] == "playing"


def test_who_opened_a_table_can_fill_it_with_bots(ann: Person, client: TestClient) -> None:
    table = ann.open(None, None, None, game="hanabi")
    bob = Person(client, "Bob")
    client.post(f"/api/tables/{table}/seat", json={"seat": 2}, headers=bob.headers)
    assert "only who opened" in refused(client.post(f"/api/tables/{table}/fill", json={}, headers=bob.headers), 409)
    assert "unknown bot" in refused(client.post(f"/api/tables/{table}/fill", json={"bot": "nobody"}, headers=ann.headers), 409)
    shown = client.post(f"/api/tables/{table}/fill", json={"bot": "piers"}, headers=ann.headers).json()
    assert [seat["name"] for seat in shown["seats"]] == ["Ann", "piers", "Bob"]
    assert shown["status"] == "playing"
    refused(client.post(f"/api/tables/{table}/fill", json={}, headers=ann.headers), 409)


BAD_TABLES: list[tuple[dict[str, Any], int, str]] = [
    ({"game": "chess"}, 422, "game"),
    ({"seats": []}, 422, "seats"),
    ({"seats": [{"bot": "mix2"}] * 11}, 422, "seats"),
    ({"seats": [{"person": False}, {"bot": "mix2"}]}, 422, "seats"),
    ({"seats": [{"person": True, "bot": "mix2"}, {"bot": "mix2"}]}, 422, "seats"),
    ({"seats": [{"person": True}, {"bot": "/etc/bot.py:it"}]}, 422, "seats"),
    ({"seats": [{"person": True}, {"bot": "score:weights=x"}]}, 422, "seats"),
    ({"seats": [{"person": True}, {"bot": "nobody"}]}, 409, "unknown bot"),
    ({"seats": [{"person": True}, {"bot": "piers"}]}, 409, "plays hanabi, not uno"),
    ({"seats": [{"person": True}, {"bot": "cheater"}]}, 409, "sees hidden cards"),
    ({"seats": [{"person": True}, {"bot": "mix2:samples"}]}, 409, "preset"),
    ({"seat": 1}, 409, "seat 1 is not a person's"),
    ({"seat": 9}, 409, "seat 9 is not a person's"),
    ({"seat": "0"}, 422, "seat"),
    ({"seat": 0.5}, 422, "seat"),
    ({"seat": True}, 422, "seat"),
    ({"rules": "nonsense"}, 409, "unknown rules"),
    ({"rules": "/etc/passwd"}, 422, "rules"),
    ({"rules": "house.toml"}, 422, "rules"),
    ({"to": "0"}, 422, "to"),
    ({"to": "99999"}, 409, "out of range"),
    ({"game": "hanabi", "seats": [{"person": True}, {"bot": "piers"}], "to": "500"}, 409, "has no contests"),
    ({"seed": -1}, 422, "seed"),
    ({"seed": 2**64}, 422, "seed"),
    ({"seats": [{"person": True}, {"person": True}], "seed": 5}, 409, "would know them"),
    ({"start": {"record": "nonsense", "position": 0}}, 409, "record"),
    ({"more": 1}, 422, "more"),
]


@pytest.mark.parametrize(("change", "status", "what"), BAD_TABLES, ids=[str(change)[:40] for change, _, _ in BAD_TABLES])
def test_tables_that_are_refused(change: dict[str, Any], status: int, what: str, ann: Person, client: TestClient) -> None:
    body = {"game": "uno", "seats": [{"person": True}, {"bot": "mix2"}], "seat": 0, **change}
    assert what in refused(client.post("/api/tables", json=body, headers=ann.headers), status)
    assert client.get("/api/tables", headers=ann.headers).json() == {"tables": []}


def test_a_table_that_does_not_exist(ann: Person, client: TestClient) -> None:
    assert "no such table" in refused(client.get("/api/tables/aaaaaaaaaaaaaaaa"), 404)
    refused(client.get("/api/tables/short"), 422)
    refused(client.post("/api/tables/aaaaaaaaaaaaaaaa/seat", json={}, headers=ann.headers), 404)


def test_tables_are_not_opened_without_end() -> None:
    body = {"game": "uno", "seats": [{"person": True}, {"bot": "mix2"}]}
    with opened(limits=replace(LOOSE, tables=Rate(0.01, 2))) as client:
        ann = Person(client)
        statuses = [client.post("/api/tables", json=body, headers=ann.headers).status_code for _ in range(3)]
        assert statuses == [201, 201, 429]
    with opened(limits=replace(LOOSE, tables_a_day=1)) as client:
        ann = Person(client)
        statuses = [client.post("/api/tables", json=body, headers=ann.headers).status_code for _ in range(2)]
        assert statuses == [201, 429]


def test_a_table_that_starts_from_a_record_is_what_the_record_is(ann: Person, client: TestClient) -> None:
    film = client.post("/api/films", json={"bots": ["mix2", "random"], "seed": 7}).json()

    def begin(people: int = 1, **asked: Any) -> Any:
        seats = [{"person": True}] * people + [{"bot": "mix2"}] * (2 - people)
        start = {"record": film["record"], "position": 2}
        return client.post("/api/tables", json={"game": "uno", "seats": seats, "start": start, **asked}, headers=ann.headers)

    assert begin().status_code == begin(rules=film["rules"]["text"]).status_code == 201
    assert "would know them" in refused(begin(people=2), 409)
    assert "the record is of uno" in refused(begin(game="hanabi", seats=[{"person": True}, {"bot": "mix2"}]), 409)
    assert "the record is played by" in refused(begin(rules="official"), 409)
    assert "one deal" in refused(begin(to="500"), 409)


# -- beginning and ending --


def broken(*args: Any) -> Any:
    raise OSError("broken")


def test_a_sweep_that_fails_is_told_in_the_log_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = threading.Semaphore(0)

    def fail(self: OpenTables) -> None:
        tried.release()
        raise OSError("broken")

    monkeypatch.setattr("kibitz.table.app.SWEEP_SECONDS", 0.001)
    monkeypatch.setattr(OpenTables, "forget_idle", fail)
    with opened() as client:
        assert tried.acquire(timeout=30) and tried.acquire(timeout=30)
        folder = client.app.state.services.keeper.path.parent  # type: ignore[attr-defined]  # our own app
        assert folder.is_dir()
    assert not folder.exists()


def test_the_store_is_closed_whatever_goes_wrong_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenTables, "close", broken)
    folders = []

    def serve() -> None:
        with opened() as client:
            folders.append(client.app.state.services.keeper.path.parent)  # type: ignore[attr-defined]  # our own app
            assert folders[0].is_dir()

    with pytest.raises(OSError, match="broken"):
        serve()
    assert not folders[0].exists()


def test_failures_of_the_server_are_described(client: TestClient) -> None:
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for operation in operations.values():
            assert {"500", "503"} <= set(operation["responses"]), path


# -- films --


def test_films_are_made_ready_apart_from_all_else(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    render, in_loop = Json.render, []

    def watched(self: Json, content: Any) -> bytes:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            in_loop.append(False)
        else:
            in_loop.append(True)
        return render(self, content)

    monkeypatch.setattr(Json, "render", watched)
    asked = {"bots": ["mix2", "random"], "seed": 7}
    with client.stream("POST", "/api/films", json=asked, headers={"Accept-Encoding": "gzip"}) as response:
        assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("gzip", "Accept-Encoding")
        film = json.loads(gzip.decompress(b"".join(response.iter_raw())))
    plain = client.post("/api/films", json=asked, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers and plain.json() == film
    assert in_loop == [False, False]


def test_films_of_bots_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.app.MOST_WAITING", 0)
    with opened() as client:
        response = client.post("/api/films", json={"bots": ["mix2", "random"], "seed": 7})
        assert "too many films are waiting" in refused(response, 429) and response.headers["Retry-After"]


def test_a_film_of_bots_and_of_its_own_record(client: TestClient) -> None:
    film = client.post("/api/films", json={"bots": ["mix2", "random"], "seed": 7}).json()
    assert film["outcome"]["status"] == "won"
    assert film["frames"][0]["position"] == 0 and film["frames"][-1]["to_act"] is None
    again = client.post("/api/films", json={"record": film["record"]}).json()
    assert [frame["view"] for frame in again["frames"]] == [frame["view"] for frame in film["frames"]]
    assert film == client.post("/api/films", json={"bots": ["mix2", "random"], "seed": 7}).json()


def test_a_film_of_hanab_live(client: TestClient) -> None:
    film = client.post("/api/films", json={"bots": ["piers", "piers"], "game": "hanabi", "seed": 7}).json()
    again = client.post("/api/films", json={"record": json.dumps(film["live"])}).json()
    assert again["outcome"] == film["outcome"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"record": 5}, 422),
        ({"record": "uno/1;nonsense"}, 409),
        ({"record": "{}"}, 409),
        ({"record": "[" * 50_000}, 409),
        ({"record": "x" * 1_000_001}, 422),
        ({"record": "x" * 1_100_000}, 413),
        ({"bots": ["mix2"]}, 422),
        ({"bots": ["mix2", "nobody"]}, 409),
        ({"bots": ["mix2", "random"], "index": -1}, 422),
        ({"bots": ["mix2", "random"], "deal": 3}, 409),
        ({"bots": ["mix2", "random"], "record": "x"}, 422),
    ],
    ids=lambda value: str(value)[:40],
)
def test_films_that_are_refused(body: dict[str, Any], status: int, client: TestClient) -> None:
    refused(client.post("/api/films", json=body), status)
