"""One deal after another: the loop that every way of playing goes through.

The kernels are written with the verbs of `kibitz.games.contract` and bound to a game by `kernels_for`. Compiled, bots
are addresses and deals run at full speed; as plain Python, bots are callables and the same source plays the same games.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NamedTuple

from kibitz.games.contract import (
    GameDefinition,
    apply,
    as_view,
    deal,
    event_at,
    forced_action,
    is_legal,
    is_over,
    show,
    tally_result,
)
from kibitz.jit import call_begin, call_choose, call_observe, clear_memory, inline, is_present, number, specialise, word
from kibitz.records import Byte, Long
from kibitz.seeds import SEATING, below, game_key, stream

# Why `play_on` returned.
OVER, ASK, FAULT, TELL = 0, 1, 2, 3

MAX_SEATS = 10
EntryLongs = Annotated[list[int], "i8", MAX_SEATS]
EntryBytes = Annotated[list[int], "u1", MAX_SEATS]


class Table:
    """The bots at a table, by line-up entry, and which entry sits where.

    In compiled code the entries are addresses of functions and of blocks of memory; in plain Python they are the
    callables and objects themselves. An entry whose `choose` is 0 is asked outside the loop.
    """

    choose: EntryLongs
    begin: EntryLongs
    observe: EntryLongs
    memory: EntryLongs
    memory_size: EntryLongs
    params: EntryLongs
    scratch: EntryLongs
    index: Long  # the deal being played
    answer: Long  # what the bot behind a FAULT answered
    ordered: EntryBytes  # 1 for entries that need the order of their hand
    seating: EntryBytes  # the entry at each seat
    players: Byte
    shuffled: Byte  # 1 if seats are drawn anew for every deal
    observed: Byte  # 1 if anybody follows the game
    outside_observers: Byte  # 1 if somebody outside the loop does; then nobody is told inside it


def draw_seats(table: Table, key: int) -> None:
    """Decide who sits where."""
    players = number(table.players)
    for seat in range(players):
        table.seating[seat] = seat
    if table.shuffled:
        position = stream(key, SEATING)
        for left in range(players, 1, -1):
            position, place = below(position, left)
            entry = table.seating[left - 1]
            table.seating[left - 1] = table.seating[place]
            table.seating[place] = entry


@inline
def start_deal(table: Table, state: Any, seed: int, index: int) -> None:
    """Seat everybody, deal, and let the bots set up their memories."""
    key = game_key(seed, word(index))
    table.index = index
    draw_seats(table, key)
    players = number(table.players)
    state.observed = table.observed
    state.any_ordered = 0
    for seat in range(players):
        state.ordered[seat] = table.ordered[table.seating[seat]]
        state.any_ordered |= state.ordered[seat]
    deal(state, key)
    for seat in range(players):
        entry = table.seating[seat]
        if table.memory_size[entry] > 0:
            clear_memory(table.memory[entry], table.memory_size[entry])
        if is_present(table.begin[entry]):
            show(state, seat)
            view = as_view(state)
            call_begin(table.begin[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
            state.seat_streams[seat] = view.random_stream
    show(state, number(state.current))


def tell_events(table: Table, state: Any) -> None:
    """Tell every bot that follows the game what just happened."""
    for seat in range(number(table.players)):
        entry = table.seating[seat]
        if is_present(table.observe[entry]):
            show(state, seat)
            view = as_view(state)
            for place in range(number(state.event_count)):
                call_observe(
                    table.observe[entry], view, event_at(state, place), table.memory[entry], table.params[entry], table.scratch[entry]
                )
            state.seat_streams[seat] = view.random_stream
    state.event_count = 0
    show(state, number(state.current))


@inline
def play_on(table: Table, state: Any) -> int:
    """Play until the deal is OVER, somebody outside must be ASKed or TELLd, or a bot commits a FAULT."""
    while not is_over(state):
        action = forced_action(state)
        if action < 0:
            seat = number(state.current) & 15  # not negative: see the engine
            entry = table.seating[seat]
            if not is_present(table.choose[entry]):
                return ASK
            view = as_view(state)
            action = call_choose(table.choose[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
            state.seat_streams[seat] = view.random_stream
            if not is_legal(state, action):
                table.answer = action
                return FAULT
        apply(state, action)
        if state.observed:
            if table.outside_observers:
                return TELL
            tell_events(table, state)
    return OVER


def play_deals(table: Table, state: Any, seed: int, first: int, count: int, tally: Any) -> int:
    """Play deals `first` to `first + count - 1` and add them up; how many were played before a fault."""
    for done in range(count):
        start_deal(table, state, seed, first + done)
        if play_on(table, state) != OVER:
            return done
        tally_result(state, table.seating, tally)
    return count


class Kernels(NamedTuple):
    """The loop bound to one game, as plain Python."""

    start_deal: Any
    play_on: Any
    play_deals: Any
    tell_events: Any


@cache
def kernels_for(game: GameDefinition) -> Kernels:
    """The loop for a game."""
    starting = specialise(start_deal, **game.verbs)
    telling = specialise(tell_events, **game.verbs)
    playing = specialise(play_on, **{**game.verbs, "tell_events": telling})
    return Kernels(
        starting,
        playing,
        specialise(play_deals, **{**game.verbs, "start_deal": starting, "play_on": playing}),
        telling,
    )
