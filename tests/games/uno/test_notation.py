"""Positions as text: both ways at every step of random games, and what is refused."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import fields_of
from kibitz.games.uno.cards import NO_CARD, WILD_DRAW_FOUR
from kibitz.games.uno.state import State
from kibitz.games.uno.view import CHALLENGING, DRAWN, JUMPING_IN, PHASE_NAMES, STATUS_NAMES
from kibitz.play.game import Game
from tests.games.uno.positions import EXAMPLE, position

# What a text does not say: random streams, events, and what is left over in arrays behind the cards that count.
UNSAID = {
    *("random_stream", "seat_streams", "deal_stream"),
    *("events", "event_count", "hidden_drawn"),
    *("discard", "pile", "order", "orders", "order_filled", "ordered", "shuffled"),
    "any_known",  # the knowledge itself is said
}
# What means something in some phases and is left over in others: the first phase and the last in which it does.
SAID_WITHIN = {
    **dict.fromkeys(("before_top", "before_colour"), (CHALLENGING, JUMPING_IN)),
    **dict.fromkeys(("next_seat", "jumper", "jumped_on"), (JUMPING_IN, JUMPING_IN)),
    "turn_draws": (DRAWN, DRAWN),
}


def said(state: State) -> dict[str, object]:
    """All that a text says of a state that waits for a decision."""
    fields = {field.name: getattr(state, field.name) for field in fields_of(State) if field.name not in UNSAID}
    for name, (first, last) in SAID_WITHIN.items():
        if not first <= state.phase <= last:
            del fields[name]
    if state.phase < CHALLENGING or state.top != WILD_DRAW_FOUR:  # nobody asks whether the last Wild Draw Four was honest
        del fields["guilty"]
    return fields


def test_example_reads_as_it_is_written() -> None:
    game = Game.from_text(EXAMPLE)
    assert game.to_text() == EXAMPLE
    assert (game.to_act, game.turns, game.state.dealer, game.state.players) == (1, 3, 0, 2)


def test_space_around_a_position_is_allowed() -> None:
    assert Game.from_text(f"  {EXAMPLE}\n").to_text() == EXAMPLE


def test_order_of_the_parts_does_not_matter() -> None:
    rules, *parts = EXAMPLE.split(";")
    assert Game.from_text(";".join([rules, *reversed(parts)])).to_text() == EXAMPLE


def test_scores_of_a_contest_are_part_of_a_position() -> None:
    game = Game.from_text(f"{EXAMPLE};scores=120|45")
    assert list(game.state.scores[:2]) == [120, 45]
    assert game.to_text() == f"{EXAMPLE};scores=120|45"


def test_colour_called_for_a_wild_is_part_of_a_position() -> None:
    assert ";top=wild:b;" in position("r1|g1", "wild:b", "y1").to_text()
    assert ";top=wild;" in position("r1|g1", "wild", "y1").to_text()


def test_drawn_card_is_part_of_a_position() -> None:
    game = position("g2|y1", "r5", "r7.r7")
    game.apply("draw")
    assert ";phase=drawn;" in game.to_text()
    assert game.to_text().endswith(";drawn=r7")


@pytest.mark.parametrize(("action", "status"), [("r1", "won"), ("draw", "cut_off")])
def test_end_of_a_game_is_part_of_a_position(action: str, status: str) -> None:
    game = position("r1|b3", "r5", "g7.g7", turn=5, max_turns=5)
    game.apply(action)
    assert f";status={status}" in game.to_text()
    twin = Game.from_text(game.to_text())
    assert (twin.is_over, twin.winner, twin.points) == (True, game.winner, game.points)
    assert STATUS_NAMES[twin.state.status] == status.replace("_", " ")


def test_game_without_a_winner_has_none_in_its_state() -> None:
    assert Game.from_text(EXAMPLE).state.winner == NO_CARD


def test_seed_decides_what_is_drawn_from_a_position() -> None:
    def drawn(seed: int) -> str:
        game = Game.from_text(position("g2|y1", "b5", "r1.r2.r3.r4.r6.r7.r8.r9").to_text(), seed)
        game.apply("draw")
        return game.to_text()

    assert drawn(4) == drawn(4)
    assert len({drawn(seed) for seed in range(200)}) == 8


# -- refused --

BAD = [
    ("players=2", "players=3", "position: hands has 2 hands for 3 players."),
    ("players=2", "players=1", "position: players must be 2–10, got 1."),
    ("players=2", "players=x", "position: players must be a whole number, 2–10, got x."),
    ("players=2", "players=²", "position: players must be a whole number, 2–10, got ²."),
    ("dealer=0", "dealer=2", "position: dealer must be 0–1, got 2."),
    ("dealer=0", "dealer=-1", "position: dealer must be 0–1, got -1."),
    ("to_act=1", "to_act=2", "position: to_act must be 0–1, got 2."),
    ("direction=+", "direction=left", "position: direction=left is not understood; it is + or -."),
    ("turn=3", "turn=1001", "position: turn must be 0–1000, got 1001."),
    ("turn=3", "turn=", "position: turn must be a whole number, 0–1000, got nothing."),
    ("phase=turn", "phase=draw", "position: phase=draw is not understood; it is " + " or ".join(PHASE_NAMES) + "."),
    ("phase=turn", "phase=drawn;drawn=r1", "position: drawn=r1 is not in the hand of the player to act."),
    ("phase=turn", "phase=drawn;drawn=b3", "position: drawn=b3 leaves nothing to play, so the turn would be over."),
    ("phase=turn", "phase=drawn", "position: phase=drawn needs the card that was drawn, such as drawn=r5."),
    ("top=r5", "top=r5:g", "position: top=r5:g is not understood; a wild on top is written wild or wild:g."),
    ("top=r5", "top=wild:x", "position: top=wild:x is not understood; a wild on top is written wild or wild:g."),
    ("top=r5", "top=wild:rg", "position: top=wild:rg is not understood; a wild on top is written wild or wild:g."),
    ("top=r5", "top=r55", "'r55' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."),
    ("top=r5", "top=r4", "position: r4 occurs 2 times, but the deck has 1."),
    ("pile=y7.y8", "pile=y7", "position: y8 occurs 0 times, but the deck has 1."),
    ("pile=y7.y8", "pile=y7,y8", "'y7,y8' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."),
    ("hands=r1.g2.wild|b3.b3", "hands=r1.g2.wild.b3|b3.b3", "position: b3 occurs 3 times, but the deck has 2."),
    ("hands=r1.g2.wild|b3.b3", "hands=r1.g2.wild.b3.b3", "position: hands has 1 hands for 2 players."),
    (";discard=r4", "", "position: discard is missing."),
    (";discard=r4;pile=y7.y8", "", "position: discard, pile is missing."),
    ("classic", "clasic", "unknown rules 'clasic'; did you mean classic?"),
    ("hand_size=1", "hand_size=0", "hand_size must be 1–20, got 0."),
]


@pytest.mark.parametrize(("part", "changed", "message"), BAD)
def test_bad_position_is_refused_in_one_sentence(part: str, changed: str, message: str) -> None:
    assert part in EXAMPLE
    with pytest.raises(KibitzError) as refused:
        Game.from_text(EXAMPLE.replace(part, changed))
    assert str(refused.value) == message


@pytest.mark.parametrize("extra", ["pile=y7.y8", "colour=r", "pile", "", "pile:y7"])
def test_part_that_is_unknown_or_there_twice_is_refused(extra: str) -> None:
    with pytest.raises(BadValue) as refused:
        Game.from_text(f"{EXAMPLE};{extra}")
    assert str(refused.value).startswith(f"position: '{extra}' is not understood; a position has players, dealer, ")


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ("idle=3", "idle must be 0–2, got 3"),
        ("idle=x", "idle must be a whole number, 0–2, got x"),
        ("scores=1", "scores=1"),
        ("scores=1|2|3", "scores=1|2|3"),
        ("scores=a|b", "scores must be a whole number, 0–1000000000, got a"),
        ("status=lost", "status=lost"),
        ("status=won;winner=0;points=many", "points must be a whole number, 0–100000, got many"),
        ("status=won;winner=2;points=5", "winner must be 0–1, got 2"),
        ("status=won;winner=me;points=5", "winner must be a whole number, 0–1, got me"),
        ("status=won;points=5", "winner"),
    ],
)
def test_bad_value_of_an_optional_part_is_refused_by_name(extra: str, named: str) -> None:
    with pytest.raises(BadValue) as refused:
        Game.from_text(f"{EXAMPLE};{extra}")
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


def test_empty_hand_in_a_game_that_goes_on_is_refused() -> None:
    with pytest.raises(BadValue, match="hand"):
        Game.from_text(EXAMPLE.replace("hands=r1.g2.wild|b3.b3;discard=r4", "hands=r1.g2.wild|;discard=r4.b3.b3"))


def test_seed_out_of_range_is_refused() -> None:
    with pytest.raises(BadValue, match="seed -1 is out of range"):
        Game.from_text(EXAMPLE, seed=-1)
