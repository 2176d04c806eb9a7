"""One deal after another: the loop that every way of playing goes through.

A *game* of a batch is one deal, or a contest: deals until somebody has so many points.

The kernels are written with the verbs of `kibitz.games.contract` and bound to a game by `kernels_for`. Compiled, bots
are addresses and deals run at full speed; as plain Python, bots are callables and the same source plays the same games.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Annotated, Any, NamedTuple

import numpy as np

from kibitz.core.jit import (
    call_begin,
    call_choose,
    call_observe,
    clear_memory,
    inline,
    is_present,
    number,
    root_of,
    specialise_modules,
    stop_point,
    word,
)
from kibitz.core.layouts import Byte, Long
from kibitz.core.seeds import SEATING, below, deal_key, game_key, stream
from kibitz.games.contract import (
    GameDefinition,
    apply,
    as_view,
    deal,
    default_action,
    event_at,
    forced_action,
    is_legal,
    is_over,
    luck_of,
    open_contest,
    result_of,
    settle_deal,
    show,
    show_actor,
    tally_result,
)

# What comes next: the deal is over, a seat must be asked outside the loop, a bot answered with something illegal, somebody outside
# must be told, everybody was. An action comes about because it is forced, the default in a window that a bot doesn't know, or chosen.
OVER, ASK, FAULT, TELL, TOLD, FORCED, DEFAULT, CHOSEN = range(8)

HAS_CONTESTS = True  # bound anew for games without
LUCK = 0  # bound anew where luck is measured: how many figures for each entry

# Who sits where: as given, drawn for every game, each deal played from every rotation of the seats, or a fresh deal for every game with
# the seats rotating from game to game.
FIXED, RANDOM, ROTATING, BALANCED = 0, 1, 2, 3

MAX_SEATS = 10
MAX_BARREN_DEALS = 100  # a contest in which so many deals in a row bring nobody a point has no winner

# Places in the tally of contests; each line-up entry has four from CONTEST_ENTRIES on: contests won, points, their
# squares, and points times deals, the last two summed over contests.
CONTESTS, CONTESTS_UNFINISHED, CONTEST_TURNS, CONTEST_DEALS, CONTEST_DEALS_SQUARED, DEALS_UNFINISHED, CONTEST_ENTRIES = range(7)
CONTEST_TALLY_SIZE = CONTEST_ENTRIES + 4 * MAX_SEATS

# What is noted of a single game; in contests followed by the score of each line-up entry, else by the luck of each where it is measured.
NOTED_WINNER, NOTED_STATUS, NOTED_TURNS, NOTED_POINTS, NOTED_DEALS, NOTED_SCORES = range(6)
NOTE_SIZE = NOTED_SCORES
CONTEST_NOTE_SIZE = NOTED_SCORES + MAX_SEATS

EntryLongs = Annotated[list[int], "i8", MAX_SEATS]
EntryBytes = Annotated[list[int], "u1", MAX_SEATS]


class BotTable:
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
    index: Long  # the game being played
    dealt: Long  # which cards are dealt: the game's index, or one for all rotations of the seats
    windows: EntryLongs  # a bit for each phase of the game that the entry's bot knows
    target: Long  # points that end a contest; 0 if a game is a single deal
    deal: Long  # which deal of the game is being played, from 0
    barren: Long  # deals in a row that brought nobody a point
    contest_winner: Long  # the seat that won the contest, or -1
    contest_turns: Long  # turns of all deals of the contest so far
    unfinished_deals: Long
    calls: Long  # how often a bot was called, so that one who looks on sees when a call takes long
    answer: Long  # the last action that was found, legal or not
    ordered: EntryBytes  # how entries read the order of their hand, as in HAND_ORDERS; OPEN_HAND for one that sees all
    seating: EntryBytes  # the entry at each seat
    players: Byte
    arrangement: Byte  # FIXED, RANDOM, ROTATING or BALANCED seats
    observed: Byte  # 1 if anybody follows the game
    outside_observers: Byte  # 1 if somebody outside the loop does; then nobody is told inside it


def draw_seats(table: BotTable, seed: int) -> None:
    """Decide which cards are dealt and who sits where."""
    players = number(table.players)
    table.dealt = table.index
    for seat in range(players):
        table.seating[seat] = seat
    if table.arrangement == ROTATING or table.arrangement == BALANCED:
        if table.arrangement == ROTATING:
            table.dealt = number(table.index) // players
        rotation = number(table.index) % players
        for seat in range(players):
            table.seating[seat] = (seat + rotation) % players
    elif table.arrangement == RANDOM:
        position = stream(game_key(seed, word(table.index)), SEATING)
        for left in range(players, 1, -1):
            position, place = below(position, left)
            entry = table.seating[left - 1]
            table.seating[left - 1] = table.seating[place]
            table.seating[place] = entry


@inline
def prepare_state(table: BotTable, state: Any) -> None:
    """Before a deal: what the state must keep for those at the table."""
    state.observed = table.observed
    state.any_ordered = 0
    for seat in range(number(table.players)):
        state.ordered[seat] = table.ordered[table.seating[seat]]
        state.any_ordered |= state.ordered[seat]


def start_deal(table: BotTable, state: Any, seed: int) -> None:
    """Deal, and let the bots set up their memories."""
    key = deal_key(game_key(seed, word(table.dealt)), number(table.deal))
    players = number(table.players)
    prepare_state(table, state)
    deal(state, key)
    for seat in range(players):
        entry = table.seating[seat]
        if table.memory_size[entry] > 0:
            clear_memory(table.memory[entry], table.memory_size[entry])
        if is_present(table.begin[entry]):
            show(state, seat)
            view = as_view(state)
            table.calls += 1
            call_begin(table.begin[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
            state.seat_streams[seat] = view.random_stream
    show_actor(state)


@inline
def start_game(table: BotTable, state: Any, seed: int, index: int) -> None:
    """Seat everybody for a game of a batch, and begin its first deal."""
    table.index = index
    table.deal = 0
    draw_seats(table, seed)
    if table.target:
        open_contest(state)
        table.barren = 0
        table.contest_winner = -1
        table.contest_turns = 0
        table.unfinished_deals = 0
    start_deal(table, state, seed)


def tell_events(table: BotTable, state: Any) -> None:
    """Tell every bot that follows the game what just happened."""
    for seat in range(number(table.players)):
        entry = table.seating[seat]
        if is_present(table.observe[entry]):
            show(state, seat)
            view = as_view(state)
            table.calls += 1
            for place in range(number(state.event_count)):
                call_observe(
                    table.observe[entry], view, event_at(state, place), table.memory[entry], table.params[entry], table.scratch[entry]
                )
            state.seat_streams[seat] = view.random_stream
    state.event_count = 0
    show_actor(state)


@inline
def find_action(table: BotTable, state: Any) -> int:
    """Find the next action and leave it in `table.answer`: FORCED, DEFAULT or CHOSEN; OVER or ASK if there is none."""
    if is_over(state):
        return OVER
    action = forced_action(state)
    if action >= 0:
        table.answer = action
        return FORCED
    seat = number(state.current) & 15  # not negative: see the engine
    entry = table.seating[seat]
    action = default_action(state, table.windows[entry])
    if action >= 0:
        table.answer = action
        return DEFAULT
    if not is_present(table.choose[entry]):
        return ASK
    stop_point()
    view = as_view(state)
    table.calls += 1
    table.answer = call_choose(table.choose[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
    state.seat_streams[seat] = view.random_stream
    return CHOSEN


@inline
def take_action(table: BotTable, state: Any, why: int) -> int:
    """Carry out the action that was found and tell of it: TOLD, TELL if somebody outside must be told first, FAULT if it is not legal."""
    action = number(table.answer)
    if why == CHOSEN and not is_legal(state, action):
        return FAULT
    apply(state, action)
    if state.observed:
        if table.outside_observers:
            return TELL
        tell_events(table, state)
    return TOLD


def answer_with(table: BotTable, state: Any, action: int, position: int) -> int:
    """Carry out the answer to an ASK, whose seat's random stream stands at `position` now; as `take_action`."""
    state.seat_streams[number(state.current) & 15] = position
    table.answer = action
    return take_action(table, state, CHOSEN)


@inline
def play_on(table: BotTable, state: Any) -> int:
    """Play until the deal is OVER, somebody outside must be ASKed or TELLd, or a bot commits a FAULT."""
    while True:
        why = find_action(table, state)
        if why == OVER or why == ASK:
            return why
        done = take_action(table, state, why)
        if done != TOLD:
            return done


def act_on(table: BotTable, state: Any, action: int) -> int:
    """Carry out the answer to an ASK, whose seat's random stream stays where it stands, and play on.

    The seat to ask next, or -1 less what came instead: OVER, FAULT or TELL; -1 less TOLD if the action is not legal, and nothing was done.
    """
    done = answer_with(table, state, action, state.seat_streams[number(state.current) & 15])
    if done == FAULT:
        return -1 - TOLD
    if done == TOLD:
        done = play_on(table, state)
    return number(state.current) if done == ASK else -1 - done


def is_decided(table: BotTable, state: Any) -> bool:
    """Whether a game is over with the deal that has just ended; if not, the next deal of the contest may start."""
    if HAS_CONTESTS and table.target:
        return is_contest_decided(table, state)
    return True


def is_contest_decided(table: BotTable, state: Any) -> bool:
    """Add a deal to a contest: whether somebody has enough points, or nobody ever will."""
    table.contest_turns += state.turn
    winner = settle_deal(state)
    if winner < 0:
        table.barren += 1
        if state.winner >= MAX_SEATS:
            table.unfinished_deals += 1
    else:
        table.barren = 0
        if state.scores[winner] >= table.target:
            table.contest_winner = winner
    table.deal += 1
    return table.contest_winner >= 0 or table.barren >= MAX_BARREN_DEALS


def tally_game(table: BotTable, state: Any, tally: Any) -> None:
    """Add a game to a tally: a deal as its game counts it, or a contest."""
    if HAS_CONTESTS and table.target:
        tally_contest(table, state, tally)
    else:
        tally_result(state, table.seating, tally)


def tally_contest(table: BotTable, state: Any, tally: Any) -> None:
    """Add a contest to a tally."""
    deals = number(table.deal)
    tally[CONTESTS] += 1
    tally[CONTEST_TURNS] += table.contest_turns
    tally[CONTEST_DEALS] += deals
    tally[CONTEST_DEALS_SQUARED] += deals * deals
    tally[DEALS_UNFINISHED] += table.unfinished_deals
    if table.contest_winner < 0:
        tally[CONTESTS_UNFINISHED] += 1
    for seat in range(number(table.players)):
        place = CONTEST_ENTRIES + 4 * number(table.seating[seat])
        points = number(state.scores[seat])
        if seat == table.contest_winner:
            tally[place] += 1
        tally[place + 1] += points
        tally[place + 2] += points * points
        tally[place + 3] += points * deals


@inline
def play_game(table: BotTable, state: Any, seed: int, index: int) -> bool:
    """Play one game to its end; false if a bot commits a fault."""
    start_game(table, state, seed, index)
    while True:
        if play_on(table, state) != OVER:
            return False
        if is_decided(table, state):
            return True
        start_deal(table, state, seed)


def play_games(table: BotTable, state: Any, seed: int, first: int, count: int, tally: Any) -> int:
    """Play games `first` to `first + count - 1` and add them up; how many were played before a fault."""
    for done in range(count):
        if not play_game(table, state, seed, first + done):
            return done
        tally_game(table, state, tally)
    return count


def note_games(table: BotTable, state: Any, seed: int, first: int, count: int, notes: Any) -> int:
    """Play games `first` to `first + count - 1` and note each; how many were played before a fault."""
    for done in range(count):
        if not play_game(table, state, seed, first + done):
            return done
        note_game(table, state, notes, done)
    return count


def note_game(table: BotTable, state: Any, notes: Any, place: int) -> None:
    """Note how a game ended: one row of whole numbers."""
    winner, points = result_of(state)
    start = place * (NOTE_SIZE + LUCK * number(table.players))
    if HAS_CONTESTS and table.target:
        start = place * CONTEST_NOTE_SIZE
        winner = table.contest_winner
        notes[start + NOTED_TURNS] = table.contest_turns
        notes[start + NOTED_DEALS] = table.deal
        for seat in range(number(table.players)):
            notes[start + NOTED_SCORES + number(table.seating[seat])] = state.scores[seat]
    else:
        notes[start + NOTED_TURNS] = state.turn
        notes[start + NOTED_DEALS] = 1
    notes[start + NOTED_WINNER] = table.seating[winner] if winner >= 0 else -1
    notes[start + NOTED_STATUS] = state.status
    notes[start + NOTED_POINTS] = points
    if LUCK:
        for seat in range(number(table.players)):
            for component in range(LUCK):
                notes[start + NOTE_SIZE + number(table.seating[seat]) * LUCK + component] = luck_of(state, seat, component)


class Kernels(NamedTuple):
    """The loop bound to one game, as plain Python; or compiled, where table and state are addresses."""

    start_game: Any
    start_deal: Any
    is_decided: Any
    play_on: Any
    find_action: Any
    take_action: Any
    answer_with: Any
    act_on: Any
    tell_events: Any
    show: Any
    show_actor: Any
    tally_game: Any
    note_game: Any
    play_games: Any
    note_games: Any


_STATE = "state"  # in place of a game's record
_SIGNATURES: dict[str, Sequence[type | str]] = {
    "start_game": (BotTable, _STATE, "word", "long"),
    "start_deal": (BotTable, _STATE, "word"),
    "is_decided": (BotTable, _STATE),
    "play_on": (BotTable, _STATE),
    "find_action": (BotTable, _STATE),
    "take_action": (BotTable, _STATE, "long"),
    "answer_with": (BotTable, _STATE, "long", "word"),
    "act_on": (BotTable, _STATE, "long"),
    "tell_events": (BotTable, _STATE),
    "show": (_STATE, "long"),
    "show_actor": (_STATE,),
    "tally_game": (BotTable, _STATE, "longs"),
    "note_game": (BotTable, _STATE, "longs", "long"),
    "play_games": (BotTable, _STATE, "word", "long", "long", "longs"),
    "note_games": (BotTable, _STATE, "word", "long", "long", "longs"),
}


@cache
def kernels_for(game: GameDefinition) -> Kernels:
    """The loop for a game."""
    module = specialise_modules(sys.modules[__name__], HAS_CONTESTS=game.has_contests, LUCK=game.luck_components, **game.verbs)
    return Kernels(**{name: module[name] for name in Kernels._fields})


@cache
def loop_over_games(game: GameDefinition, loop: FunctionType) -> FunctionType:
    """A loop of another module that calls `start_game`, `play_on` and `result_of`, bound to a game."""
    kernels = kernels_for(game)
    verbs = {"start_game": kernels.start_game, "play_on": kernels.play_on, "result_of": game.verbs["result_of"]}
    bound: FunctionType = specialise_modules(sys.modules[loop.__module__], **verbs)[loop.__name__]
    return bound


def compile_loop(game: GameDefinition, kernel: FunctionType, signature: Sequence[type | np.dtype[Any] | str], what: str) -> Any:
    """A kernel over a table and a state of this game, compiled or loaded; "state" in the signature is the game's record."""
    kinds = [game.state if kind == _STATE else kind for kind in signature]
    return root_of(kernel, kinds, game.view, what, vectorise=game.luck_components > 0)


@cache
def compiled_kernel(game: GameDefinition, name: str) -> Any:
    """One of the kernels, compiled or loaded: only what is used is."""
    what = f"the {game.title} engine" if name in ("play_games", "note_games") else f"the {game.title} engine step by step"
    return compile_loop(game, getattr(kernels_for(game), name), _SIGNATURES[name], what)
