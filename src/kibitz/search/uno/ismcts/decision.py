"""A whole decision: worlds are sampled while the budget lasts, and the action with the best record is taken, or the base action.

`root=ucb` is the plain form: every world goes down the tree once, from the decision itself. `root=paired` tries all candidates in
the same worlds with the same luck, and gives up the worse half of them in rounds of equal cost (sequential halving); the tree begins
below. The base action, what the policy would do without a search, stays in every round, so that each candidate is compared with it
in pairs: another action is taken only if it wins more often by `lean` standard errors of that difference.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from kibitz.core.jit import Word, clock, number
from kibitz.core.seeds import scramble
from kibitz.games.uno.view import View
from kibitz.policies.uno.net_policy import BY_NET, own_policy
from kibitz.policies.uno.rollout_policies import LINEAR
from kibitz.policies.valuation import WIN_CHANCE, begin_valuation
from kibitz.search.race import drop_worse_half, enter, error_of, list_runners, note_result, open_race, rounds_of, value_of, winner_of
from kibitz.search.uno.chain import MOVES, next_world, start_chain
from kibitz.search.uno.history import PROPOSALS
from kibitz.search.uno.ismcts.candidates import list_candidates
from kibitz.search.uno.ismcts.descent import descend, play
from kibitz.search.uno.ismcts.nodes import (
    NODES,
    NONE,
    IsmctsMemory,
    IsmctsSearch,
    chain_of,
    clear_tree,
    extend_history,
    find_edge,
    find_place,
    hidden_of,
    node_key,
    remembered_of,
    sightings_of,
    spare_of,
    state_of,
    workspace_of,
)
from kibitz.search.uno.layout import copy_state, lay_table, put_world
from kibitz.search.uno.rollouts import base_action, copy_sightings
from kibitz.search.uno.worlds import FINE, prepare, sample_world, search_stream

UCB, PAIRED = 0, 1
ROOT_NAMES = ("ucb", "paired")
NO_MODEL, MIX2_MODEL = 0, 1  # of the players, by which worlds are weighed
MODEL_NAMES = ("none", "mix2")
IMPOSSIBLE = -1  # returned for a view whose cards cannot add up
WORLDS_A_LOOK = 8  # the clock is looked at after so many worlds

_ROOT = Word(0x5EA7C4)


def decide(view: View, memory: IsmctsMemory, search: IsmctsSearch, params: Any) -> int:
    """The action to take; the table of `search` says what it thinks of each."""
    begin_valuation(search, WIN_CHANCE)
    if prepare(view, memory, hidden_of(search, 0)) != FINE:
        return IMPOSSIBLE
    table = state_of(search, 0)
    lay_table(view, table)
    table.observed = 1 if wants_sightings(params) else 0
    position = put_world_on_table(view, memory, search, search_stream(view), params, True)
    count = list_candidates(table, search, params.prune)
    if count == 1:
        return number(search.candidates[0])
    enter_candidates(search, count, base_action(view, remembered_of(memory, 0), workspace_of(search, 0), params))
    clear_tree(search, NODES if params.milliseconds > 0 else number(params.rollouts) + 1)
    if params.root == UCB:
        search_by_ucb(view, memory, search, position, params)
    else:
        search_in_pairs(view, memory, search, position, params)
    list_runners(search, 1)
    if params.root == UCB:
        return most_visited(search, params.lean)
    return winner_of(search, params.lean, 0.0)


def wants_sightings(params: Any) -> bool:
    """Whether anything beyond the decision itself looks at what players have shown."""
    return params.policy >= LINEAR or own_policy(params) >= LINEAR or params.others >= LINEAR or params.value == BY_NET


def put_world_on_table(view: View, memory: IsmctsMemory, search: IsmctsSearch, position: int, params: Any, first: bool) -> int:
    """Sample a world and lay it out, with random streams of its own; where the stream stands then."""
    hidden, chain = hidden_of(search, 0), chain_of(search, 0)
    if params.model == NO_MODEL:
        position = sample_world(view, memory, hidden, position, chain)
    elif first:
        position = start_chain(view, memory, hidden, memory, PROPOSALS, position, chain, spare_of(search, 0))
    else:
        position = next_world(view, memory, hidden, memory, MOVES, position, chain, spare_of(search, 0))
    position = scramble(position)
    put_world(view, chain, position, state_of(search, 0))
    copy_sightings(remembered_of(memory, 0), sightings_of(search, 0), number(view.players))
    return position


def enter_candidates(search: IsmctsSearch, count: int, base: int) -> None:
    """Let the candidates race, the base action first; it is entered even if it was not thought worth a search."""
    open_race(search)
    for place in range(count):
        enter(search, number(search.candidates[place]))
    place = number(0)
    while place < number(search.entered) and search.runners[place] != base:
        place += 1
    if place == number(search.entered):
        enter(search, base)
    search.runners[place] = search.runners[0]
    search.runners[0] = base


# -- in pairs --


def search_in_pairs(view: View, memory: IsmctsMemory, search: IsmctsSearch, position: int, params: Any) -> None:
    """Sequential halving: rounds of equal cost, after each of which the worse half goes."""
    rounds = rounds_of(search)
    start = clock() if params.milliseconds > 0 else 0.0
    for part in range(1, rounds + 1):
        games = number(params.rollouts) * part // rounds
        until = start + 0.001 * params.milliseconds * part / rounds
        position = try_worlds(view, memory, search, params, position, games, until)
        if part < rounds:
            drop_worse_half(search)


def try_worlds(view: View, memory: IsmctsMemory, search: IsmctsSearch, params: Any, position: int, games: int, until: float) -> int:
    """Try every candidate in the race in common worlds until the budget of this part is spent; where the stream stands then."""
    me = number(view.seat)
    table, state = state_of(search, 0), state_of(search, 1)
    while True:
        if params.milliseconds > 0:
            if clock() >= until and search.games > 0:
                return position
        elif search.games + search.racing > games and search.games > 0:
            return position
        if search.games > 0:
            position = put_world_on_table(view, memory, search, position, params, False)
        base_result = 0.0
        for place in range(number(search.racing)):
            candidate = number(search.alive[place])
            action = number(search.runners[candidate])
            copy_state(table, state)
            if place > 0 and table.observed:
                copy_sightings(remembered_of(memory, 0), sightings_of(search, 0), number(view.players))
            play(state, search, action)
            result = descend(state, search, me, extend_history(_ROOT, action), params)
            if place == 0:
                base_result = result
            note_result(search, candidate, result, base_result)
        search.games += search.racing


# -- by UCB --


def search_by_ucb(view: View, memory: IsmctsMemory, search: IsmctsSearch, position: int, params: Any) -> None:
    """Down the tree once for every world, from the decision itself."""
    me = number(view.seat)
    table, state = state_of(search, 0), state_of(search, 1)
    start = clock() if params.milliseconds > 0 else 0.0
    while True:
        if params.milliseconds > 0:
            if search.games % WORLDS_A_LOOK == 1 and clock() - start >= 0.001 * params.milliseconds:
                break
        elif search.games >= params.rollouts:
            break
        if search.games > 0:
            position = put_world_on_table(view, memory, search, position, params, False)
        copy_state(table, state)
        descend(state, search, me, _ROOT, params)
        search.games += 1
    node = number(search.nodes[find_place(search, node_key(table, me, _ROOT))])
    for place in range(number(search.entered)):
        edge = number(NONE)
        if node != NONE:
            edge = find_edge(search, node, number(search.runners[place]))
        if edge != NONE:
            search.tried[place] = search.edge_visits[edge]
            search.sums[place] = search.edge_sums[edge]
            search.result_squares[place] = search.edge_squares[edge]


def most_visited(search: IsmctsSearch, lean: float) -> int:
    """The base action, or the one tried most often if its lead is more than `lean` standard errors."""
    best = number(0)
    for place in range(1, number(search.entered)):
        if search.tried[place] > search.tried[best]:
            best = place
    if best > 0 and lean > 0.0 and search.tried[0] > 0:
        lead = value_of(search, best) - value_of(search, 0)
        if lead <= lean * sqrt(error_of(search, best) ** 2 + error_of(search, 0) ** 2):
            best = number(0)
    return number(search.runners[best])
