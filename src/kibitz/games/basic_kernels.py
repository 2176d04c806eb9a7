"""The verbs of a small game, written once: a game brings four kernels, and gets the rest of the contract from here.

`kibitz.games.basic.define_game` binds the four names at the top to a game's own. Actions are numbers below 64, and a mask with a bit
for each says which are legal. A state is a record of `kibitz.games.basic`.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, inline, number, word
from kibitz.core.seeds import DEAL, FIRST_SEAT, stream

PLAYING, WON, DRAWN = 0, 1, 2
STATUS_NAMES = ("playing", "won", "drawn")
LOSERS_PAY = False  # bound anew where the winner's points come from the others

MAX_SEATS = 10
EVENT_SIZE = 2

# Places in a tally: sums over games, then for each entry of a line-up wins, points and their squares.
TALLY_GAMES, TALLY_UNFINISHED, TALLY_TURNS, TALLY_TURNS_SQUARED, TALLY_ENTRIES = range(5)
TALLY_SIZE = TALLY_ENTRIES + 3 * MAX_SEATS

_ZERO = Word(0)


# -- what a game brings --


def deal_cards(state: Any, position: int) -> int:
    """Set up everything for a new deal, drawing from a stream with `below`; where the stream stands then. Seat 0 begins."""
    raise AssertionError("bound to a game before it is used")


def legal_mask(state: Any) -> int:
    """The legal actions of the player to act, a bit for each."""
    raise AssertionError("bound to a game before it is used")


def take_action(state: Any, action: int) -> None:
    """Carry out a legal action; then `hand_on` to the next player, or `finish` the deal."""
    raise AssertionError("bound to a game before it is used")


def reveal(state: Any, seat: int) -> None:
    """Fill in what only this seat may see."""
    raise AssertionError("bound to a game before it is used")


# -- what its kernels call --


def hand_on(state: Any) -> None:
    """Let the next player act."""
    following = number(state.current) + 1
    state.current = 0 if following == number(state.players) else following


def finish(state: Any, winner: int, points: int) -> None:
    """End the deal with a winner and what it gets; -1 for nobody."""
    state.status = WON if winner >= 0 else DRAWN
    state.winner = winner
    state.points = points


# -- the verbs of the contract --


def deal(state: Any, key: int) -> None:
    """Start a deal from the streams of a game key."""
    state.turn = 1
    state.status = PLAYING
    state.current = 0
    state.winner = -1
    state.points = 0
    state.event_count = 0
    for seat in range(number(state.players)):
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    state.deal_stream = deal_cards(state, stream(key, DEAL))
    show_actor(state)


@inline
def is_over(state: Any) -> bool:
    """Whether the deal has ended."""
    return number(state.status) != PLAYING


@inline
def is_legal(state: Any, action: int) -> bool:
    """Whether the player to act may take this action."""
    return action >= 0 and action < 64 and (state.legal >> word(action)) & ONE != _ZERO


@inline
def forced_action(state: Any) -> int:
    """The only legal action, or -1 if there is a choice."""
    actions = state.legal
    if actions & (actions - ONE) != _ZERO:
        return -1
    action = number(0)
    while actions > ONE:
        actions >>= ONE
        action += 1
    return action


@inline
def default_action(state: Any, windows: int) -> int:
    """There are no windows: a bot is asked for every decision."""
    return -1


def apply(state: Any, action: int) -> None:
    """Carry out a legal action, noting it."""
    if state.observed:
        place = number(state.event_count) * EVENT_SIZE
        state.events[place] = state.current
        state.events[place + 1] = action
        state.event_count += 1
    take_action(state, action)
    if state.status == PLAYING:
        state.turn += 1
        show_actor(state)


def show(state: Any, seat: int) -> None:
    """Show the state to any seat."""
    state.seat = seat
    state.random_stream = state.seat_streams[seat]
    state.legal = legal_mask(state) if seat == number(state.current) and state.status == PLAYING else word(0)
    reveal(state, seat)


def show_actor(state: Any) -> None:
    """Show the state to the player to act."""
    show(state, number(state.current))


def tally_result(state: Any, seating: Any, tally: Any) -> None:
    """Add a finished deal to a tally."""
    turns = number(state.turn)
    tally[TALLY_GAMES] += 1
    tally[TALLY_TURNS] += turns
    tally[TALLY_TURNS_SQUARED] += turns * turns
    winner = number(state.winner)
    if winner < 0:
        tally[TALLY_UNFINISHED] += 1
        return
    points = number(state.points)
    players = number(state.players)
    for seat in range(players):
        place = TALLY_ENTRIES + 3 * number(seating[seat])
        got = number(0)
        if seat == winner:
            tally[place] += 1
            got = points * (players - 1) if LOSERS_PAY else points
        elif LOSERS_PAY:
            got = -points
        tally[place + 1] += got
        tally[place + 2] += got * got


def result_of(state: Any) -> tuple[int, int]:
    """The winner's seat or -1, and the points it brought."""
    return number(state.winner), number(state.points)


def open_contest(state: Any) -> None:
    """There are no contests."""


def settle_deal(state: Any) -> int:
    """There are no contests."""
    return -1


def luck_of(state: Any, seat: int, component: int) -> int:
    """Luck is not measured."""
    return 0
