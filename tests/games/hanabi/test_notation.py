"""Positions as text: both ways at every step of random games, and what is refused."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import fields_of
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.notation import from_text, to_text
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import STATUS_NAMES
from tests.games.hanabi.positions import EXAMPLE, play, position

# What a text does not say: random streams, events, and in which order the cards came that are gone.
UNSAID = {"random_stream", "seat_streams", "deal_stream", "events", "event_count", "deck_order"}


def said(state: State) -> dict[str, object]:
    """All that a text says of a state."""
    fields: dict[str, object] = {field.name: getattr(state, field.name) for field in fields_of(State) if field.name not in UNSAID}
    fields["deck_left"] = state.deck_order[state.drawn : state.deck_total]
    return fields


def read(text: str) -> State:
    return from_text(text)[0]


def test_example_reads_as_it_is_written() -> None:
    state, rules = from_text(EXAMPLE)
    assert to_text(state, rules) == EXAMPLE
    assert (state.current, state.turn, state.score, state.tokens, state.lives) == (1, 4, 1, 7, 3)
    assert (state.last_seat, state.last_success, state.last_gained, state.deck_size) == (0, 1, 0, 6)


def test_space_around_a_position_is_allowed() -> None:
    state, rules = from_text(f"  {EXAMPLE}\n")
    assert to_text(state, rules) == EXAMPLE


def test_order_of_the_parts_does_not_matter() -> None:
    head, *parts = EXAMPLE.split(";")
    state, rules = from_text(";".join([head, *reversed(parts)]))
    assert to_text(state, rules) == EXAMPLE


def test_places_and_last_move_may_be_left_out() -> None:
    state, rules = from_text(EXAMPLE.replace(";places=0.4|2.3", "").replace(";last=play:1/R1/success", ""))
    assert ";places=2.3|4.5;" in to_text(state, rules)
    assert state.last_move == -1


@pytest.mark.parametrize("last", ["hint:1:red", "hint:1:1", "play:1/Y1", "discard:0/Y1/token", "play:0/R1/success"])
def test_last_move_is_part_of_a_position(last: str) -> None:
    text = EXAMPLE.replace("last=play:1/R1/success", f"last={last}")
    state, rules = from_text(text)
    assert to_text(state, rules) == text


@pytest.mark.parametrize(
    ("state", "move", "status"),
    [
        (position("R1.R1|Y1.R3", rules="standard,hand_size=2,colours=2,ranks=3", lives=1, to_act=1), "play:1", "lost"),
        (position("R3.R1|Y1.R2", rules="standard,hand_size=2,colours=2,ranks=3", fireworks="R2.Y3"), "play:0", "perfect"),
        (
            position(
                "R3.R1|Y1.R2", rules="standard,hand_size=2,colours=2,ranks=3", fireworks="R1.Y3", discard="R1.R2.Y1.Y2", turns_left="1"
            ),
            "hint:1:1",
            "ended",
        ),
    ],
)
def test_end_of_a_game_follows_from_the_position(state: State, move: str, status: str) -> None:
    play(state, move)
    twin = read(to_text(state, parse_rules("standard,hand_size=2,colours=2,ranks=3")))
    assert STATUS_NAMES[twin.status] == STATUS_NAMES[state.status] == status
    assert engine.legal_actions(twin) == []


# -- refused --

BAD = [
    ("players=2", "players=3", "position: hands has 2 hands for 3 players."),
    ("players=2", "players=6", "position: players must be 2–5, got 6."),
    ("players=2", "players=²", "position: players must be a whole number, 2–5, got ²."),
    ("to_act=1", "to_act=2", "position: to_act must be 0–1, got 2."),
    ("turn=4", "turn=0", "position: turn must be 1–1000, got 0."),
    ("tokens=7", "tokens=9", "position: tokens must be 0–8, got 9."),
    ("lives=3", "lives=-1", "position: lives must be 0–3, got -1."),
    ("fireworks=R1.Y0", "fireworks=R1", "position: fireworks=R1 is not understood; it is R0.Y0 with heights up to 3."),
    ("fireworks=R1.Y0", "fireworks=R4.Y0", "position: fireworks=R4.Y0 is not understood; it is R0.Y0 with heights up to 3."),
    ("fireworks=R1.Y0", "fireworks=Y0.R1", "position: fireworks=Y0.R1 is not understood; it is R0.Y0 with heights up to 3."),
    ("fireworks=R1.Y0", "fireworks=R2.Y0", "position: R2 occurs 3 times, but the deck has 2."),
    ("discard=Y1", "discard=", "position: Y1 occurs 2 times, but the deck has 3."),
    ("discard=Y1", "discard=Y1.G1", "position: G1 occurs 1 times, but the deck has 0."),
    ("discard=Y1", "discard=y1", "'y1' is not a card; cards are written R1 to R5, and so with Y, G, W, B."),
    ("deck=R1.", "deck=", "position: R1 occurs 2 times, but the deck has 3."),
    ("Y1:Y!:123.R2|", "Y1:Y!:123.R2.Y1|", "position: seat 0 holds 3 cards, but a hand has 2."),
    ("Y1:Y!:123.R2", "Y1:R!:123.R2", "position: Y1:R!:123 says 'R!', which the card is not."),
    ("Y1:Y!:123.R2", "Y1:Y!:23.R2", "position: Y1:Y!:23 says '23', which the card is not."),
    ("Y1:Y!:123.R2", "Y1:RY!:123.R2", "position: Y1:RY!:123 says 'RY!', but what was named is certain, such as Y!."),
    (
        "Y1:Y!:123.R2",
        "Y1:YR:123.R2",
        "position: 'YR' in Y1:YR:123 is not understood; it is letters or ranks out of RY in that order.",
    ),
    ("Y1:Y!:123.R2", "Y1:G:123.R2", "position: 'G' in Y1:G:123 is not understood; it is letters or ranks out of RY in that order."),
    (
        "Y1:Y!:123.R2",
        "Y1:Y!.R2",
        "position: 'Y1:Y!' in a hand is not understood; a card is written R1, or R1:RYG:1! with what is known of it.",
    ),
    ("places=0.4|2.3", "places=0.4|2", "position: places=0.4|2 does not have a number for every card of the hands."),
    ("places=0.4|2.3", "places=0.4|2.x", "position: places=0.4|2.x is not accepted; places are different numbers from 0 to 5."),
    ("places=0.4|2.3", "places=0.4|2.4", "position: places=0.4|2.4 is not accepted; places are different numbers from 0 to 5."),
    ("places=0.4|2.3", "places=0.6|2.3", "position: places=0.6|2.3 is not accepted; places are different numbers from 0 to 5."),
    ("places=0.4|2.3", "places=4.0|2.3", "position: places=4.0|2.3 is not accepted; in a hand the oldest card comes first."),
    ("turn=4", "turn=4;turns_left=1", "position: turns_left is given when the deck is empty, and only then."),
    (
        "R1:RY:1!.Y2;places=0.4|2.3;discard=Y1",
        "R1:RY:1!;discard=Y1.Y2",
        "position: seat 1 holds 1 of 2 cards, which cannot be at this point.",
    ),
    (";discard=Y1", "", "position: discard is missing."),
    ("last=play:1/R1", "last=play:2/R1", "move 'play:2': slot 2 does not exist; slots are 0 to 1."),
    ("standard", "standart", "unknown rules of Hanabi 'standart'; did you mean standard?"),
]


@pytest.mark.parametrize(("part", "changed", "message"), BAD)
def test_bad_position_is_refused_in_one_sentence(part: str, changed: str, message: str) -> None:
    assert part in EXAMPLE
    with pytest.raises(KibitzError) as refused:
        from_text(EXAMPLE.replace(part, changed, 1))
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "last",
    [
        "play:1",
        "play:1/R2/success",
        "play:1/R1/success/token",
        "play:1/R2",
        "play:1/Y1/token",
        "discard:1/Y1/success",
        "discard:1/R1",
        "play:1/R1/token/success",
        "play:1/R1/lucky",
        "hint:1:3",
        "hint:1:red/R1",
    ],
)
def test_last_move_must_fit_the_position(last: str) -> None:
    with pytest.raises(BadValue) as refused:
        from_text(EXAMPLE.replace("last=play:1/R1/success", f"last={last}"))
    assert str(refused.value).startswith(f"position: last={last} does not fit the rest of the position; ")


@pytest.mark.parametrize("extra", ["lives=3", "colour=r", "deck", "", "deck:R1"])
def test_part_that_is_unknown_or_there_twice_is_refused(extra: str) -> None:
    with pytest.raises(BadValue) as refused:
        from_text(f"{EXAMPLE};{extra}")
    assert str(refused.value).startswith(f"position: '{extra}' is not understood; a position has players, to_act, ")


def test_hand_that_cannot_be_short_yet_is_refused() -> None:
    rules = "standard,hand_size=2,colours=2,ranks=3"
    with pytest.raises(BadValue, match="seat 0 holds 1 of 2 cards"):
        position("R3|Y1.R2", rules=rules, fireworks="R1.Y3", discard="R1.R1.R2.Y1.Y2", turns_left="1")


def test_seed_out_of_range_is_refused() -> None:
    with pytest.raises(BadValue, match="seed -1 is out of range"):
        from_text(EXAMPLE, seed=-1)
