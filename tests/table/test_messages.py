"""What a browser is told: the whole of one viewer's knowledge, in a form that pages and JSON can rely on."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from kibitz import registry
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.play.record import Record, replay
from kibitz.table.live import LiveGame, Setup
from kibitz.table.viewer_messages import people_message, position_message, update_message
from tests.table.test_live import HOUSE, finish

COMMON = ["table", "deal", "position", "seat", "names", "kinds", "present", "scores", "view", "legal", "decision", "over"]


def test_position_has_everything_and_update_what_is_new() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 3, "500"), names=["Ann", "mix2"])
    message = position_message(live, 0, "T1", [False, True])
    assert sorted(message) == sorted(["type", *COMMON, "game", "rules", "to", "log"])
    assert message["type"] == "position"
    assert (message["table"], message["deal"], message["position"], message["seat"]) == ("T1", 0, 0, 0)
    assert (message["names"], message["kinds"], message["present"]) == (["Ann", "mix2"], ["person", "bot"], [False, True])
    assert (message["game"], message["to"], message["rules"]["text"]) == ("uno", "500", "classic")
    assert message["over"] is None
    step = finish(live, random.Random(1), 1)[0]
    update = update_message(live, step, 0, "T1")
    assert update is not None
    assert sorted(update) == sorted(["type", *COMMON, "action", "events", "words"])
    assert (update["type"], update["position"]) == ("update", 1)
    assert update["action"] == {"seat": step.seat, "name": step.action, "why": step.why}
    assert update["events"][0]["seat"] == step.seat
    assert position_message(live, 0)["log"][-len(update["words"]) :] == update["words"]
    json.dumps([message, update])


def test_people_have_their_own_message() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 3), names=["Ann", "mix2"])
    expected = {"type": "people", "names": ["Ann", "mix2"], "kinds": ["person", "bot"], "present": [True, False]}
    assert people_message(live, [True, False]) == expected


def test_notes_are_passed_on_if_there_are_any() -> None:
    live = LiveGame(Setup("hanabi", "standard", (None, "iggi"), 3))
    assert position_message(live, 0, notes={"3": "maybe blue"})["notes"] == {"3": "maybe blue"}
    assert "notes" not in position_message(live, 1 - 1)


@pytest.mark.parametrize(("game", "rules"), [("uno", HOUSE), ("hanabi", "standard"), ("uno", "classic,must_play=on,drawn_card=must_play")])
def test_messages_say_what_can_be_done(game: str, rules: str) -> None:
    """Every decision of many games: the seat to act, and nobody else, is asked; its view can be read back from the message."""
    wire, phases = registry.game(game).wire, set()
    for seed in range(12):
        live = LiveGame(Setup(game, rules, (None, None, "random"), seed))
        rng = random.Random(seed)
        while not live.is_over:
            step = live.bot_step()
            if step is None:
                seat = live.to_act
                assert seat is not None
                message = position_message(live, seat)
                assert message["legal"] == live.legal_names(seat)
                assert len(message["legal"]) > 1
                assert message["decision"]["question"][-1] in ".?!0123456789"
                assert not set(message["decision"]["why_not"]) & set(message["legal"])
                assert all(why[-1] == "." and not why[0].islower() for why in message["decision"]["why_not"].values())
                phases.add(message["decision"]["phase"])
                opened = {"players": 3, "rules": message["rules"]}
                assert wire.view_message(wire.view_from(message["view"], opened)) == message["view"] == wire.view_message(live.view(seat))
                step = live.act(seat, rng.choice(message["legal"]))
            current = {viewer: position_message(live, viewer)["view"]["current"] for viewer in (0, 1, None)}
            for viewer in (0, 1):
                if current[viewer] != viewer:
                    assert position_message(live, viewer)["decision"] is None
                    assert position_message(live, viewer)["legal"] == []
    if rules == HOUSE:
        assert phases >= set(PHASE_NAMES) - {"challenge", "colour"}


def test_reasons_are_given_for_what_a_person_might_try() -> None:
    live = LiveGame(Setup("uno", "classic,must_play=on", (None, None), 3))
    seat = live.to_act
    assert seat is not None
    message = position_message(live, seat)
    reasons = message["decision"]["why_not"]
    assert set(reasons) == (set(message["view"]["hand"]) - set(message["view"]["playable"])) | {"draw"}
    assert reasons["draw"] == "You can play, and under these rules who can play must."
    some = next(why for name, why in reasons.items() if name != "draw")
    assert " does not fit on " in some


def test_onlooker_sees_the_table_and_no_hand() -> None:
    live = LiveGame(Setup("uno", HOUSE, (None, "mix2", "random"), 5))
    finish(live, random.Random(2), 20)
    message = position_message(live, None)
    view = message["view"]
    assert (message["seat"], view["seat"], view["hand"], view["playable"], view["drawn"]) == (None, None, [], [], None)
    assert view["known"] == [[], [], []]
    assert view["hand_sizes"] == [len(hand) for hand in live.definition.hands(live._state)]
    assert (message["legal"], message["decision"]) == ([], None)
    assert "hands" not in message
    assert "open" not in message


def test_onlooker_at_hanabi_sees_no_card_in_any_hand() -> None:
    live = LiveGame(Setup("hanabi", "standard", (None, "iggi", "piers"), 5))
    finish(live, random.Random(2), 20)
    message = position_message(live, None)
    assert all(card["card"] is None for hand in message["view"]["hands"] for card in hand)
    assert not any("Draws" in line for line in message["log"])
    assert any("Draws" in line for line in position_message(live, 0)["log"])


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_everything_is_open_where_only_bots_play(game: str) -> None:
    live = LiveGame(Setup(game, registry.game(game).default_rules, ("random", "random"), 5))
    message = position_message(live, None)
    assert message["open"] is True
    names = [[card if game == "uno" else card["card"] for card in hand] for hand in message["hands"]]
    assert [len(hand) for hand in names] == [len(hand) for hand in live.definition.hands(live._state)]
    assert all(names[0])


def test_end_has_all_cards_and_the_record() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 3), names=["Ann", "mix2"])
    finish(live, random.Random(1))
    over = position_message(live, 0)["over"]
    assert over["status"] == "won"
    assert over["hands"][over["winner"]] == []
    assert over["finished"] is True
    assert over["text"][0].startswith(("You win", "mix2 wins"))
    record = Record.from_text(over["record"])
    assert record.seats == ("Ann", "mix2")
    assert replay(record).outcome == live.outcome
    assert over["live"] is None


def test_end_of_hanabi_can_be_taken_to_hanab_live() -> None:
    live = LiveGame(Setup("hanabi", "standard", (None, "iggi"), 3))
    finish(live, random.Random(1))
    over = position_message(live, 0)["over"]
    assert len(over["live"]["deck"]) == 50
    assert len(over["live"]["actions"]) == live.position
    assert over["text"][0].startswith("Score: ")
    odd = LiveGame(Setup("hanabi", "standard,lives=1", (None, "iggi"), 3))
    finish(odd, random.Random(1))
    assert position_message(odd, 0)["over"]["live"] is None


def test_deal_of_a_contest_keeps_its_record_until_the_contest_ends() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "mix2"), 987654321, "200"))
    rng = random.Random(1)
    while True:
        finish(live, rng)
        for viewer in (0, None):
            over = position_message(live, viewer)["over"]
            assert over["scores"] == live.scores
            assert over["finished"] == live.is_finished
            assert (over["record"] is None) != live.is_finished
            assert ("987654321" in json.dumps(position_message(live, viewer))) == live.is_finished
        if live.is_finished:
            break
        live.next_deal()
        assert any(line.startswith("The deal is over: ") for line in position_message(live, 0)["log"])
    assert live.deal > 0


def test_log_has_an_end() -> None:
    live = LiveGame(Setup("uno", "classic", (None, "random", "random"), 4))
    steps = finish(live, random.Random(6))
    said = [line for step in steps for line in step.words[0]]
    message: dict[str, Any] = position_message(live, 0)
    assert len(message["log"]) == min(60, len(said) + 1)
    assert message["log"][-20:] == said[-20:]
