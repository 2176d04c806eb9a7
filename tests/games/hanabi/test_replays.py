"""Recorded games: what is read and written, and one clear sentence for every mistake in them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.names import card_from_name
from kibitz.games.hanabi.replays import begin, read_record, replay, to_live
from kibitz.games.hanabi.rules import parse_rules
from tests.golden.hanabi_games import read, to_replay

# Two hands of five, then a deck.
FIRST = "R1 Y1 G1 W1 B1 R2 R1 G3 W4 B5 Y2 Y3 Y4 Y5 G2 G4 G5 W2 W3 W5 B2 B3 B4 R3 R4"
THEN = "R5 R1 Y1 G1 W1 B1 R2 Y1 G1 W1 B1 Y2 G2 W2 B2 R3 Y3 G3 W3 B3 R4 Y4 G4 W4 B4"
DECK = f"{FIRST} {THEN}".split()
SUITS = {"R": 0, "Y": 1, "G": 2, "B": 3, "W": 4}
LIVE_DECK = [{"suitIndex": SUITS[card[0]], "rank": int(card[1])} for card in DECK]

PLAY, DISCARD, COLOUR, RANK, END = range(5)


def action(kind: int, target: int, value: int | None = None) -> dict[str, int]:
    return {"type": kind, "target": target} if value is None else {"type": kind, "target": target, "value": value}


def replay_form(*actions: Any, **more: Any) -> dict[str, Any]:
    return {"deck": DECK, "actions": list(actions), "score": 0, **more}


def live_form(*actions: Any, **more: Any) -> dict[str, Any]:
    return {"players": ["Ada", "Ben"], "deck": LIVE_DECK, "actions": list(actions), **more}


def refusal(value: Any) -> str:
    with pytest.raises(BadValue) as refused:
        replay(read_record(value, "games.json"))
    message = str(refused.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    return message


# -- what is read --


def test_numbers_are_moves() -> None:
    game = replay(read_record(replay_form(5, 15, 9), "x"))  # play R1; rank 1 told; play the newest, Y2
    assert game.moves == [5, 15, 9]
    assert (game.kept, game.state.lives, game.state.tokens, game.status) == (1, 2, 7, "broken off")


def test_actions_of_hanab_live_name_cards_and_seats() -> None:
    game = replay(
        read_record(
            live_form(action(PLAY, 0), action(COLOUR, 0, 4), action(RANK, 1, 3), action(DISCARD, 5), action(PLAY, 10), action(END, 0)), "x"
        )
    )
    # play R1; tell seat 0 purple, our white; tell seat 1 threes; discard its oldest; play Y2, drawn for R1
    assert game.moves == [5, 13, 17, 0, 9]
    assert (game.kept, game.state.lives, game.state.tokens) == (1, 2, 7)


def test_suits_are_mapped_by_name() -> None:
    record = read_record(live_form(), "x")
    assert list(record.deck) == [card_from_name(name) for name in DECK]
    assert record.players == ("Ada", "Ben")


def test_nothing_after_the_end_of_a_game_counts_in_a_replay() -> None:
    misplays = [9, 9, 8]  # B1 fits; then B5 and the newest do not
    lives = parse_rules("standard,lives=1").to_text()
    game = replay(read_record(replay_form(*misplays, 99, "padding", rules=lives), "x"))
    assert game.status == "lost"
    assert game.moves == [9, 9]
    assert (game.kept, game.score, game.agrees) == (1, 0, True)


def test_score_that_does_not_agree_is_told() -> None:
    assert replay(read_record(replay_form(5, score=3), "x")).agrees is False
    assert replay(read_record(replay_form(5, score=1), "x")).agrees is True
    assert replay(read_record(live_form(action(PLAY, 0)), "x")).agrees is None


@pytest.mark.parametrize(("option", "size"), [("oneLessCard", 4), ("oneExtraCard", 5)])
def test_options_of_hanab_live_change_the_hand(option: str, size: int) -> None:
    players = ["Ada", "Ben"] if size == 4 else ["Ada", "Ben", "Cleo", "Dan"]
    value = live_form(options={"variant": "No Variant", option: True, "timed": True}, players=players)
    assert replay(read_record(value, "x")).state.hand_size == size


@pytest.mark.parametrize("form", ["object", "list", "lines", "pretty"])
def test_file_is_an_object_a_list_or_lines(tmp_path: Path, form: str) -> None:
    file = tmp_path / "games.json"
    games = [live_form(action(PLAY, 0)), replay_form(5)]
    texts = {
        "object": json.dumps(games[0]),
        "pretty": json.dumps(games[0], indent=2),
        "list": json.dumps(games),
        "lines": "\n".join(json.dumps(game) for game in games) + "\n\n",
    }
    file.write_text(texts[form])
    assert [replay(record).moves for record in read(file)] == ([[5], [5]] if form in ("list", "lines") else [[5]])


# -- what is written --


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_what_is_written_reads_back(players: int) -> None:
    rules = parse_rules("standard")
    names = ["a", "b", "c", "d", "e"][:players]
    random = Random(players)
    for _ in range(10):
        deck = [card_from_name(name) for name in random.sample(DECK, len(DECK))]
        state = begin(rules, players, deck)
        moves = []
        while not engine.is_over(state):
            moves.append(random.choice(engine.legal_actions(state)))
            engine.apply(state, moves[-1])
        live = replay(read_record(json.loads(json.dumps(to_live(names, rules, deck, moves))), "x"))
        assert (live.moves, list(live.record.players), live.kept) == (moves, names, state.score)
        numbered = replay(read_record(json.loads(json.dumps(to_replay(players, rules, deck, moves, live.score))), "x"))
        assert (numbered.moves, numbered.agrees) == (moves, True)


def test_hanab_live_gets_its_own_numbers() -> None:
    deck = [card_from_name(name) for name in DECK]
    value = to_live(["a", "b"], parse_rules("standard"), deck, [5, 14, 13, 4])
    assert value["deck"] == LIVE_DECK
    assert value["actions"] == [action(PLAY, 0), action(COLOUR, 0, 3), action(COLOUR, 1, 4), action(DISCARD, 9)]
    assert value["options"] == {"variant": "No Variant"}


def test_smaller_hand_is_an_option_of_hanab_live() -> None:
    deck = [card_from_name(name) for name in DECK]
    value = to_live(["a", "b"], parse_rules("autohanabi"), deck, [4])
    assert value["options"] == {"variant": "No Variant", "oneLessCard": True}
    assert replay(read_record(value, "x")).moves == [4]


@pytest.mark.parametrize("switch", ["tokens=7", "lives=2", "discard_when_full=on", "hand_size=3"])
def test_rules_that_hanab_live_does_not_have_are_not_written(switch: str) -> None:
    with pytest.raises(BadValue, match=f"rules standard,{switch} cannot be written for hanab.live"):
        to_live(["a", "b"], parse_rules(f"standard,{switch}"), [card_from_name(name) for name in DECK], [])


def test_illegal_move_is_not_written() -> None:
    with pytest.raises(BadValue, match="turn 2: move 0 is not legal: nothing may be discarded while all 8 tokens are there"):
        to_live(["a", "b"], parse_rules("standard"), [card_from_name(name) for name in DECK], [5, 0])


# -- moves that are not legal --


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0], "turn 1: discard:0 by seat 0 is not legal: nothing may be discarded while all 8 tokens are there."),
        ([5, 17], "turn 2: hint:1:3 by seat 1 is not legal: seat 0 has no 3, and a hint must touch a card."),
        ([11], "turn 1: hint:1:yellow by seat 0 is not legal: seat 1 has no yellow card, and a hint must touch a card."),
        ([10, 10] * 4 + [10], "turn 9: hint:1:red by seat 0 is not legal: there is no token left for a hint."),
        ([20], "turn 1: move 20 by seat 0 is not legal: moves are numbered 0 to 19."),
        ([5, -1], "turn 2: move -1 by seat 1 is not legal: moves are numbered 0 to 19."),
        (["play"], 'turn 1: move "play" by seat 0 is not legal: moves are numbered 0 to 19.'),
        ([True], "turn 1: move true by seat 0 is not legal: moves are numbered 0 to 19."),
        ([5.0], "turn 1: move 5.0 by seat 0 is not legal: moves are numbered 0 to 19."),
    ],
)
def test_first_illegal_move_of_a_replay_is_named(actions: list[Any], message: str) -> None:
    assert refusal(replay_form(*actions)) == f"games.json, {message}"


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (action(DISCARD, 5), ": nothing may be discarded while all 8 tokens are there."),
        (action(PLAY, 1), "card 1 of the deck is not in the hand, which has 5, 6, 7, 8, 9."),
        (action(DISCARD, 77), "card 77 of the deck is not in the hand, which has 5, 6, 7, 8, 9."),
        (action(COLOUR, 1, 0), "it is a hint to oneself."),
        (action(RANK, 2, 1), "seat 2 does not exist; seats are 0 to 1."),
        (action(COLOUR, 0, 5), "a colour hint has a value from 0 to 4."),
        (action(RANK, 0, 0), "a rank hint has a value from 1 to 5."),
        (action(RANK, 0), "a rank hint has a value from 1 to 5."),
        (action(RANK, 0, 5), "seat 0 has no 5, and a hint must touch a card."),
        (action(5, 0), "an action has a type from 0 to 4, a target and, for a hint, a value."),
        ({"type": 0}, "an action has a type from 0 to 4, a target and, for a hint, a value."),
        (7, "an action has a type from 0 to 4, a target and, for a hint, a value."),
        (None, "an action has a type from 0 to 4, a target and, for a hint, a value."),
    ],
)
def test_first_illegal_action_of_hanab_live_is_named(last: Any, why: str) -> None:
    message = refusal(live_form(action(PLAY, 0), last))
    assert message.startswith("games.json, turn 2: ")
    assert " by Ben (seat 1) is not legal: " in message
    assert message.endswith(why)


def test_action_after_the_end_is_named() -> None:
    actions = [action(PLAY, card) for card in (1, 9, 0, 8, 2, 7)]  # Y1, R1 and G1 fit; B5, W4 and G3 do not
    assert replay(read_record(live_form(*actions, action(END, 0)), "x")).status == "lost"
    message = refusal(live_form(*actions, action(PLAY, 3)))
    assert message.startswith("games.json, turn 7: ")
    assert message.endswith("is not legal: the game is over.")


# -- damaged records --


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "games.json: a game is a JSON object with deck and actions, not []."),
        (7, "games.json: a game is a JSON object with deck and actions, not 7."),
        ({}, "games.json: deck is missing."),
        ({"deck": DECK}, "games.json: actions is missing."),
        ({"deck": "R1", "actions": []}, "games.json: deck is not a list."),
        (replay_form(deck=DECK[1:]), "games.json: the deck has 49 cards, but it should have 50."),
        (replay_form(deck=["R5", *DECK[1:]]), "games.json: R1 occurs 2 times in the deck, but there should be 3."),
        (replay_form(deck=["P1", *DECK[1:]]), "games.json: 'P1' is not a card; cards are written R1 to R5, and so with Y, G, W, B."),
        (replay_form(deck=[1, *DECK[1:]]), "games.json: 1 in the deck is not a card; cards are written R1."),
        (replay_form(score="ten"), 'games.json: score "ten" is not a whole number.'),
        (replay_form(players=6), "games.json: players 6 is not accepted; it is a list of 2 to 5 names."),
        (replay_form(rules="hard"), "games.json: unknown rules of Hanabi 'hard'; did you mean standard?"),
        (replay_form(rules=3), "games.json: rules 3 are not text."),
        (live_form(players=["Ada"]), 'games.json: players ["Ada"] is not accepted; it is a list of 2 to 5 names.'),
        (live_form(players=None), "games.json: players null is not accepted; it is a list of 2 to 5 names."),
        (
            live_form(options={"variant": "Rainbow (6 Suits)"}),
            "games.json: variant \"Rainbow (6 Suits)\" is not played here; 'No Variant' is.",
        ),
        (live_form(options={"emptyClues": True}), "games.json: option emptyClues is not played here."),
        (live_form(options={"oneExtraCard": True}), "games.json: hand_size must be 0–5, got 6."),
        (live_form(options=3), "games.json: options 3 are not a JSON object."),
        (
            live_form(deck=[{"suitIndex": 5, "rank": 1}, *LIVE_DECK[1:]]),
            'games.json: {"suitIndex": 5, "rank": 1} in the deck is not a card; it has a suitIndex from 0 to 4 and a rank from 1 to 5.',
        ),
        (
            live_form(deck=[{"suitIndex": 0, "rank": 6}, *LIVE_DECK[1:]]),
            'games.json: {"suitIndex": 0, "rank": 6} in the deck is not a card; it has a suitIndex from 0 to 4 and a rank from 1 to 5.',
        ),
        (live_form(deck=LIVE_DECK[2:]), "games.json: the deck has 48 cards, but it should have 50."),
    ],
)
def test_damaged_record_is_refused_in_one_sentence(value: Any, message: str) -> None:
    assert refusal(value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no games."),
        ("\n\n", "has no games."),
        ("[]", "has no games."),
        ("{", "is not JSON: Expecting property name enclosed in double quotes at line 1, column 2."),
        ('{"deck": []}\n{"deck":\n', "line 1: actions is missing."),
        ("[" * 100_000, "cannot be read: it is nested too deeply."),
    ],
)
def test_damaged_file_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "games.json"
    file.write_text(text)
    with pytest.raises(BadValue) as refused:
        read(file)
    assert str(refused.value).endswith(message)
    assert str(file) in str(refused.value)


def test_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(replay_form(5)) + '\n\n{"deck": [\n')
    with pytest.raises(BadValue, match=r"games.jsonl, line 3 is not JSON: Expecting value at line 1, column 11\."):
        read(file)


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="does not exist"):
        read(tmp_path / "nothing.json")
    with pytest.raises(BadValue, match="is a folder"):
        read(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadValue, match="is not text: byte 0 is not UTF-8"):
        read(tmp_path / "bytes")
