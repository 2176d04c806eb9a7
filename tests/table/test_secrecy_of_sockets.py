"""No hidden card goes over the wire: everything that each client is sent over many games of both kinds, read sign by sign.

Two or three people, bots and somebody who looks on play through the real app. Every frame of every socket, advice and refusals included, and
every answer over HTTP is kept as raw text with the client's seat and the position at which it came. Then the deal is played through once more
with all cards open, and of every frame each name of a card must stand where cards may stand, and be one that the client may know there.
What advice says is worked out again from nothing but what the client was sent.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kibitz.games.face import Budget
from kibitz.table import advising
from kibitz.table.sessions import digest_of
from tests.table.clients import Person, TestClient
from tests.table.rooms import Room
from tests.table.truth import HANABI_WORDS, UNO_WORDS, Cards, Frame, Message, Moment, cards_in, check, check_logs, check_secrets

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,drawn_card=any_card"
JUMPS = "numbers,hand_size=10,must_play=off,drawn_card=may_play,jump_in=on,seven_zero=on,uno_call=on"
WINDOWS = {"official": {"challenge", "uno_call"}, "house": {"stack", "swap", "uno_call", "catch", "jump_in"}, "jumps": {"swap", "jump_in"}}


TABLES = {
    "classic": ("uno", "classic", [2, 3], None),
    "official": ("uno", "official", [2, 4], None),
    "modern": ("uno", "modern", [3], None),
    "house": ("uno", HOUSE, [2, 3, 5], None),
    "jumps": ("uno", JUMPS, [3, 5], None),
    "contest": ("uno", "official", [3], "300"),
    "two": ("hanabi", "standard", [2, 2, 2], None),
    "three": ("hanabi", "standard", [3, 3], None),
    "four": ("hanabi", "standard,discard_when_full=on", [4, 4], None),
}
BOTS = {"uno": ["mix2", "random"], "hanabi": ["smart", "iggi"]}


@pytest.fixture(scope="module")
def people(client: TestClient) -> list[Person]:
    return [Person(client, name) for name in ("Ann", "Bob", "Cleo")]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little advice, and tables that leave the memory when asked to."""
    monkeypatch.setattr(advising, "budget_of", lambda game: Budget(1, 4, 0.0))
    monkeypatch.setattr("kibitz.table.open_tables.IDLE_SECONDS", -1.0)
    monkeypatch.setattr("kibitz.table.game_table.JUMP_SECONDS", 1e6)


def played(client: TestClient, people: list[Person], number: int, game: str, rules: str, players: int, to: str | None = None) -> Room:
    """A whole game at one table."""
    rng = random.Random(number)
    persons = min(players, 2 + (players == 5))
    seats: list[str | None] = [None] * persons + BOTS[game][: players - persons]
    rng.shuffle(seats)
    room = Room(client, people, rng, seats, game=game, rules=rules, **({"to": to} if to else {}))
    assert room.live.setup.seed is None and len(room.live.setup.secret) == 32
    with room.stack:
        room.play_deal()
        while room.live.is_over and not room.live.is_finished:
            assert room.clients[0].say("next")["type"] == "done"
            film = client.get(f"/api/tables/{room.id}/film?deal=0")
            assert film.status_code == 200
            check_secrets(Frame("onlooker", None, film.text, 0, 0), room.truth)
            room.play_deal()
        room.close()
    return room


@pytest.mark.parametrize("name", TABLES)
def test_nothing_hidden_is_sent_to_anybody(name: str, client: TestClient, people: list[Person]) -> None:
    game, rules, tables, to = TABLES[name]
    kinds: Counter[str] = Counter()
    windows: set[str] = set()
    for number, players in enumerate(tables):
        truth = played(client, people, number, game, rules, players, to).truth
        for frame in truth.frames:
            check(frame, truth)
            kinds[frame.message.get("type", "answer")] += not frame.is_over
        check_logs(truth)
        windows |= {moment.phase for deal in truth.deals for moment in deal}
    few = {kind for kind in ("update", "position", "people", "done", "refused", "advice", "answer") if kinds[kind] < 3}
    assert not few, kinds  # the test has read enough to say something
    assert game == "uno" or kinds["notes"]
    assert windows >= WINDOWS.get(name, set())


# -- and it would be found --


def with_more(frame: Frame, change: Callable[[Message], Any]) -> Frame:
    """A frame that says more than it did."""
    message = frame.message
    change(message)
    return replace(frame, text=json.dumps(message))


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_a_hidden_card_would_be_found(game: str, client: TestClient, people: list[Person]) -> None:
    """Every kind of frame with a card of another's, or in Hanabi of one's own, in every place where one could come in."""
    truth = played(client, people, 1, game, "classic" if game == "uno" else "standard", 3).truth
    words = {name: spelled for spelled, name in (UNO_WORDS if game == "uno" else HANABI_WORDS).items()}
    found: Counter[tuple[str, int | None]] = Counter()
    for frame in truth.frames:
        kind = frame.message.get("type", "answer")
        if frame.is_over or found[kind, frame.seat]:
            continue
        moment = truth.deals[frame.deal][frame.position]
        hidden = {
            card
            for seat, hand in enumerate(moment.hands)
            for card in hand
            if frame.seat is None or (seat == frame.seat) == (game == "hanabi")
        }
        secret = next(
            iter(sorted(hidden - moment.tops - {moment.card, moment.drawn} - set(moment.discard) - open_to(frame, moment, game))), None
        )
        if secret is None:
            continue
        for leak in leaks_in(frame.message, secret, words[secret]):
            with pytest.raises(AssertionError):
                check(with_more(frame, leak), truth)
            found[kind, frame.seat] += 1
    assert {"position", "update", "advice", "refused", "done", "people", "answer"} <= {kind for kind, _ in found}


def open_to(frame: Frame, moment: Moment, game: str) -> Cards:
    """The cards that a client sees in hands."""
    if frame.seat is None:
        return set()
    if game == "uno":
        return {*moment.hands[frame.seat], *moment.before[frame.seat], *cards_in(game, frame.said.replace('"', " "))}
    return {card for seat, hand in enumerate(moment.hands) if seat != frame.seat for card in hand}


def leaks_in(message: Message, secret: str, words: str) -> list[Callable[[Message], Any]]:
    """Ways to say too much in a message."""
    leaks: list[Callable[[Message], Any]] = [
        lambda said: said.update(hint=secret),
        lambda said: said.update({secret: 1}),
        lambda said: said.update(hint=[{"deep": f"It was {words}."}]),
        lambda said: said.update(hint=f"{secret}:r"),
    ]
    if "view" in message:
        leaks.append(lambda said: said["view"].update(drawn=secret))
        leaks.append(lambda said: said["view"].get("discard", said["view"].get("discards")).append(secret))
        if "hand" in message["view"]:
            leaks.append(lambda said: said["view"]["hand"].append(secret))
            leaks.append(lambda said: said["view"]["known"][0].append(secret))
            leaks.append(lambda said: said["legal"].append(secret))
        else:
            leaks.append(lambda said: said["view"]["hands"][said["seat"] or 0][0].update(card=secret))
            first = message["view"]["hands"][message["seat"] or 0][0]
            if (first["colours"], first["ranks"]) != (secret[0], secret[1]):  # hints have not told it all
                leaks.append(lambda said: said["view"]["hands"][said["seat"] or 0][0].update(colours=secret[0], ranks=secret[1]))
    for key in ("words", "events"):
        if message.get(key):
            leaks.append(lambda said, key=key: said.update({key: [f"Bob draws {words}."]}))  # type: ignore[misc]  # bound at once
    for key in ("rows", "bots"):
        if message.get(key):
            leaks.append(lambda said, key=key: said[key][0].update(text=words))  # type: ignore[misc]
            leaks.append(lambda said, key=key: said[key][0].update(action=secret))  # type: ignore[misc]
    if "reason" in message:
        leaks.append(lambda said: said.update(reason=f"Bob holds {words}."))
    return leaks


def test_other_secrets_would_be_found(client: TestClient, people: list[Person]) -> None:
    """The secret, a seed, a stream, a token, a digest, another's note, and a past that was never said."""
    truth = played(client, people, 2, "hanabi", "standard", 3).truth
    state = truth.live._state
    assert [who for who in truth.notes if who != "onlooker"]
    for frame in (truth.frames[0], truth.frames[-1]):
        note = next(notes[0] for who, notes in truth.notes.items() if who != frame.who)
        secrets = [
            truth.secret,
            truth.seed,
            str(truth.seed),
            f"{truth.seed:x}",
            state.deal_stream,
            people[0].token,
            digest_of(people[2].token),
            f"so {note}",
        ]
        now = replace(frame, is_over=False, is_finished=False)
        check_secrets(replace(now, text="{}"), truth)
        for secret in secrets:
            with pytest.raises(AssertionError):
                check_secrets(replace(now, text=json.dumps({"type": "people", "names": [secret]})), truth)
    place = next(at for at, frame in enumerate(truth.frames) if frame.message.get("type") == "position" and frame.position)
    check_logs(truth)
    truth.frames[place] = with_more(truth.frames[place], lambda said: said["log"].append("You hold red 1."))
    with pytest.raises(AssertionError):
        check_logs(truth)
