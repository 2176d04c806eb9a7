"""Smart with partners who break its conventions: what it still believes, whom it doubts and for how long, and what that is worth."""

from __future__ import annotations

import random
from typing import Any

import pytest

import kibitz
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.hanabi.names import move_name
from kibitz.policies.hanabi.card_sets import is_sure
from kibitz.policies.hanabi.forgiveness import MOST_DOUBTS
from kibitz.policies.hanabi.public_knowledge import by_hints

from ...games.hanabi.positions import position
from .test_smart import Team, assert_sound

LITERAL = "smart:forgiving=off"


def mask(team: Team, seat: int, slot: int) -> int:
    return int(team.memory(0, "masks")[seat * MAX_HAND + slot])


def is_literal(team: Team, seat: int) -> bool:
    """Whether a hand is taken for what hints leave."""
    memory: Any = team.seats[0].memory()
    slots = range(seat * MAX_HAND, seat * MAX_HAND + team.state.sizes[seat])
    return all(memory.masks[where] == by_hints(memory, where) for where in slots)


# -- among players who follow the conventions --


@pytest.mark.parametrize("rules", ["standard", "standard,colours=3,ranks=4,lives=1", "standard,hand_size=3,discard_when_full=on,tokens=3"])
def test_it_changes_no_game_of_smart(rules: str) -> None:
    for players in range(2, 6):
        forgiving, plain = kibitz.evaluate(["smart", LITERAL], game="hanabi", rules=rules, players=players, games=1000, seed=4).rows
        assert forgiving.histogram == plain.histogram and forgiving.turns == plain.turns, players


# -- whom it doubts --


def test_a_false_promise_is_doubted_but_not_for_good() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.Y1.Y3.Y4.R4", tokens=8))
    playable = int(team.memory(0, "playable"))
    team.make("hint:1:red")
    assert is_sure(mask(team, 1, 4), playable)  # which it isn't
    assert team.choice()[0] == "play:4"
    team.make("play:4")
    assert list(team.memory(0, "doubts")[:2]) == [1, 0] and team.memory(0, "broken")
    team.make("hint:1:yellow")  # the newest of them is meant, and not believed
    assert not any(is_sure(mask(team, 1, slot), playable) for slot in range(5))
    team.make("play:3")
    assert team.memory(0, "doubts")[0] == 2


def test_doubts_do_not_pile_up() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R3", tokens=8))
    for seat in team.seats:
        memory: Any = seat.memory()
        memory.doubts[0] = MOST_DOUBTS
        seat.remember(memory)
    team.make("hint:1:red", "play:4")
    assert team.memory(0, "doubts")[0] == MOST_DOUBTS


def test_one_true_promise_restores_trust() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.R4.Y3.Y1.R4", tokens=5))
    team.make("hint:1:red", "play:4")
    assert team.memory(0, "doubts")[0] == 1
    team.make("hint:1:yellow")
    assert team.choice()[0] != "play:3"  # only the hint itself counts
    team.make("play:3")  # but the newest of them was meant, and it fits
    assert team.memory(0, "doubts")[0] == 0


def test_a_player_who_leaves_a_promised_card_is_taken_literally() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1", tokens=5))
    team.make("hint:1:red")
    assert not is_literal(team, 1)
    team.make("discard:0")
    assert team.memory(0, "deaf")[1] == 1
    assert is_literal(team, 1)
    team.make("discard:0", "play:3")  # now it plays what the hint meant
    assert team.memory(0, "deaf")[1] == 0


def test_a_warning_may_come_before_a_play() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.R4.Y3.Y4.R1|Y5.Y4.G4.W3.W2", tokens=5))
    team.make("hint:1:red")
    assert team.choice() == ("hint:1:5", "W")  # seat 2 would discard the last yellow 5
    team.make("hint:1:5")
    assert not any(team.memory(0, "strange"))


def test_a_hint_that_nobody_gives_by_the_conventions_is_noticed() -> None:
    team = Team(position("W4.W4.G3.B2.B3|R3.R3.Y3.Y4.W3", tokens=5))
    team.make("hint:1:4")  # no 4 can be played, and it is not the card that would be discarded
    assert team.memory(0, "strange")[0] == 1 and team.memory(0, "doubts")[0] == 0


# -- whole games --


def speaker_relied_on(memory: Any, seat: int, move: str) -> int | None:
    """Whose message makes a card look playable that hints don't show to be; None if no such card is played."""
    if not move.startswith("play:"):
        return None
    slot = int(move[-1])
    where = seat * MAX_HAND + slot
    by_message = memory.meant[seat] >> slot & 1 and is_sure(memory.masks[where], memory.playable)
    return int(memory.promised_by[where]) if by_message and not is_sure(by_hints(memory, where), memory.playable) else None


@pytest.mark.parametrize("players", [2, 3])
def test_who_is_doubted_is_not_relied_on_nor_is_anybody_on_the_last_life(players: int) -> None:
    """Seat 0 gives random hints half of the time. Cards that others play in false belief are counted by the players' own reading."""
    chance, false_beliefs = random.Random(3), 0
    for index in range(40):
        team = Team(kibitz.Game(players, game="hanabi", seed=21, index=index).state)
        while not engine.is_over(team.state):
            state, seat = team.state, int(team.state.current)
            engine.show(state, seat)
            move = team.choice()[0]
            legal = [move_name(state, each) for each in engine.legal_actions(state)]
            hints = [each for each in legal if each.startswith("hint")]
            if seat == 0 and hints and chance.random() < 0.5:
                move = chance.choice(hints)
            lives, broken = state.lives, team.memory(seat, "broken")
            memory: Any = team.seats[seat].memory()
            speaker = speaker_relied_on(memory, seat, move)
            team.make(move)
            for player in team.seats:
                assert_sound(player.memory(), state)
            if speaker is not None:
                is_false = state.lives < lives
                assert not (is_false and memory.doubts[speaker]), f"game {index}"
                assert not (is_false and lives == 1 and broken), f"game {index}"
                assert not is_false or team.memory(0, "doubts")[speaker] == 1, f"game {index}"
                false_beliefs += is_false
    assert false_beliefs > 10


@pytest.mark.parametrize(
    ("team", "gain"),
    [
        (("iggi",), 2.5),
        (("piers",), 2),
        (("van_den_bergh",), 0.2),
        (("smart:slips=10",), 0.3),
        (("smart", "outer"), 3),
        (("smart", "smart", "piers"), 1),
    ],
)
def test_it_is_worth_points_with_those_who_know_no_conventions(team: tuple[str, ...], gain: float) -> None:
    scores = [
        kibitz.match([bot, *[bot if each == "smart" else each for each in team]], game="hanabi", games=3000, seed=2)[0].score
        for bot in ("smart", LITERAL)
    ]
    assert scores[0] - scores[1] > gain
