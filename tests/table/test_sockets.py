"""At a table over WebSockets: whole games, contests, several people, those who look on, and nobody who is waited for without end."""

from __future__ import annotations

import json
import threading

import pytest

from kibitz.play.record import Record, replay
from tests.table.clients import Person, Seat, TestClient, connected


@pytest.mark.parametrize(("game", "bots"), [("uno", ("mix2", "greedy")), ("hanabi", ("piers", "iggi"))])
def test_a_whole_game(game: str, bots: tuple[str, str], ann: Person) -> None:
    table = ann.open(None, *bots, game=game)
    with ann.at(table) as seat:
        assert seat.welcome == {"type": "welcome", "seat": 0, "name": "Ann"}
        seat.play_on()
        over = seat.position["over"]
        assert over["finished"] is True
        played = replay(Record.from_text(over["record"]))
        assert played.seats == ["Ann", *bots]
        assert played.outcome["points"] == over["points"]
        updates = [message["position"] for message in seat.heard if message["type"] == "update"]
        assert updates == list(range(1, len(played.steps) + 1))
    film = ann.client.get(f"/api/tables/{table}/film").json()
    assert film["record"] == over["record"]
    assert ann.client.get(f"/api/tables/{table}").json()["status"] == "over"


def test_a_contest_goes_on_deal_by_deal(ann: Person) -> None:
    table = ann.open(None, "mix2", to="150")
    with ann.at(table) as seat:
        assert seat.say("next")["reason"] == "The deal is not over yet."
        deals = 0
        while True:
            seat.play_on()
            deals += 1
            over = seat.position["over"]
            if over["finished"]:
                break
            assert over["record"] is None  # its seed decides the deals to come
            assert ann.client.get(f"/api/tables/{table}/film", params={"deal": deals - 1}).json()["record"] is None
            assert seat.say("next")["type"] == "done"
            assert seat.position["deal"] == deals
        assert max(over["scores"]) >= 150
        assert seat.say("next")["type"] == "refused"
        assert ann.client.get(f"/api/tables/{table}/film", params={"deal": 0}).json()["record"].startswith("uno/1;")
        assert ann.client.get(f"/api/tables/{table}/film", params={"deal": deals}).status_code == 409


def test_another_game_with_the_same_people(ann: Person) -> None:
    table = ann.open(None, "random")
    with ann.at(table) as seat, connected(ann.client, f"/api/tables/{table}/live") as socket:
        spectator = Seat(socket).greet(None)
        assert "not finished" in seat.say("again")["reason"]
        seat.play_on()
        assert seat.say("again")["type"] == "done"
        moved = next(message for message in seat.heard if message["type"] == "moved")
        assert spectator.wait_for("moved") == moved
        assert seat.say("again")["type"] == "done"  # leads to the same table
    assert moved["table"] != table
    with ann.at(moved["table"]) as seat:
        assert seat.welcome["seat"] == 0
        assert seat.position["position"] == 0 and seat.position["over"] is None
    assert ann.client.get(f"/api/tables/{table}").json()["following"] == moved["table"]
    with ann.at(table) as seat:  # who comes late is told too
        assert seat.wait_for("moved") == moved


def test_two_people_and_a_spectator_see_what_they_may(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None, "mix2")
    with ann.at(table) as first:
        assert first.position["kinds"] == ["person", "free", "bot"]
        assert first.position["waiting"] == [1]
        assert first.position["legal"] == [] and first.position["decision"] is None
        assert "waits for somebody in seat 1" in first.act("draw")["reason"]
        client.post(f"/api/tables/{table}/seat", json={"seat": 1}, headers=bob.headers)
        assert first.wait_for("position")["names"] == ["Ann", "Bob", "mix2"]
        assert first.position["present"] == [True, False, True]
        with bob.at(table) as second, connected(client, f"/api/tables/{table}/live") as socket:
            assert first.wait_for("people")["present"] == [True, True, True]
            third = Seat(socket).greet(None)
            assert (third.welcome["seat"], second.welcome["seat"]) == (None, 1)
            assert third.position["view"]["hand"] == [] and third.position["legal"] == []
            hands = [seat.position["view"]["hand"] for seat in (first, second)]
            assert [len(hand) for hand in hands] == [
                seat.position["view"]["hand_sizes"][place] for place, seat in enumerate((first, second))
            ]
            assert hands[0] != hands[1] and all(hands)
            assert "look on" in third.act("draw")["reason"]
            play_together(first, second)
            third.wait_for("update")
            while third.position["over"] is None:
                third.wait_for("update")
            assert third.position["over"]["record"] == first.position["over"]["record"]
        assert first.wait_for("people")["present"] == [True, False, True]


def play_together(*seats: Seat) -> None:
    """Whoever is asked takes the first legal action, until the deal is over for all."""
    done = threading.Event()
    failures: list[BaseException] = []

    def play(seat: Seat) -> None:
        try:
            seat.play_on()
        except BaseException as failure:  # told below
            failures.append(failure)
            done.set()

    threads = [threading.Thread(target=play, args=(seat,), daemon=True) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)


def test_somebody_who_looks_on_may_sit_down(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None)
    with bob.at(table) as seat:
        assert seat.welcome["seat"] is None
        client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
        assert seat.wait_for("welcome")["seat"] == 1
        assert seat.wait_for("position")["seat"] == 1
        assert len(seat.position["view"]["hand"]) == seat.position["view"]["hand_sizes"][1]


def test_bots_take_the_free_seats(ann: Person, client: TestClient) -> None:
    table = ann.open(None, None, None)
    with ann.at(table) as seat:
        hand = seat.position["view"]["hand"]
        client.post(f"/api/tables/{table}/fill", json={"bot": "greedy"}, headers=ann.headers)
        assert seat.wait_for("position")["names"] == ["Ann", "greedy", "greedy"]
        assert seat.position["view"]["hand"] == hand
        seat.play_on()


def test_bots_alone_play_for_who_looks_on_with_all_cards_open(ann: Person, client: TestClient) -> None:
    table = ann.open("mix2", "cheater", seat=None)
    assert client.get(f"/api/tables/{table}").json()["status"] == "playing"
    with connected(client, f"/api/tables/{table}/live") as socket:
        seat = Seat(socket).greet(None)
        assert seat.position["position"] == 0  # nobody looked on before
        assert seat.position["open"] is True
        assert [len(hand) for hand in seat.position["hands"]] == seat.position["view"]["hand_sizes"]
        while seat.position["over"] is None:
            seat.wait_for("update")


def test_a_new_name_is_seen_at_once(ann: Person, client: TestClient) -> None:
    with ann.at(ann.open(None, "mix2")) as seat:
        client.patch("/api/sessions/me", json={"name": "Anna"}, headers=ann.headers)
        assert seat.wait_for("people")["names"] == ["Anna", "mix2"]


def test_notes_are_for_one_seat_alone(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None, game="hanabi")
    client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
    with ann.at(table) as first, bob.at(table) as second:
        assert first.say("note", place=3, text="maybe b3")["type"] == "done"
        assert first.say("note", place=4, text="a one")["type"] == "done"
        assert first.say("note", place=4, text="")["type"] == "done"
        assert [message["notes"] for message in first.heard if message["type"] == "notes"][-1] == {"3": "maybe b3"}
        assert first.say("note", place=3, text="a\nb")["type"] == "refused"
        assert "not in your hand" in first.say("note", place=5, text="Bob's")["reason"]
        assert first.say("note", place=5, text="")["type"] == "done"  # there was none, and now there is none
        assert first.say("note", place=3, text="x" * 201)["type"] == "refused"
        assert second.say("ping")["type"] == "pong"
        assert "maybe" not in json.dumps(second.heard)
    with ann.at(table) as first, bob.at(table) as second:
        assert first.position["notes"] == {"3": "maybe b3"}
        assert second.position["notes"] == {}
    with ann.at(ann.open(None, "mix2")) as seat:
        assert "Hanabi" in seat.say("note", place=3, text="x")["reason"]


def test_who_does_not_jump_in_lets_the_chance_pass(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.game_table.JUMP_SECONDS", 0.02)
    table = ann.open(None, "mix2", "mix2", "mix2", rules="official,jump_in=on", seed=5)
    live = ann.client.app.state.services.tables.tables[table].live  # type: ignore[attr-defined]  # our own app
    with ann.at(table) as seat:

        def play() -> None:
            while seat.position["over"] is None:
                decision = seat.position["decision"]
                if decision and decision["phase"] == "jump_in" and live.is_held_up:
                    seat.wait_for("update")
                elif decision:  # also before one's own turn; refused where the chance has gone just now
                    seat.act(seat.position["legal"][0])
                else:
                    seat.wait_for("update")

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive(), "the table stands still"
    assert seat.position["over"]
    assert {"seat": 0, "name": "pass", "why": "usual"} in [message.get("action") for message in seat.heard]  # with this seed
