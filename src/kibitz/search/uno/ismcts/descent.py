"""One iteration: down the tree through a world that is laid out, one new node, then on by simple policies, and back up.

Every player picks at its nodes what the tree says is best for itself (UCB among the actions that are legal in this world, with the
number of times each was on offer in place of the node's visits), or, if others are not searched, what their policy says. Forced
actions are no nodes. Nor is what the searcher cannot see: another player's chance to jump in is left to the policy.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from kibitz.core.jit import number
from kibitz.games.uno.cards import PASS
from kibitz.games.uno.defaults import default_in_window
from kibitz.games.uno.engine import apply, as_view, forced_action, is_over
from kibitz.games.uno.state import State
from kibitz.games.uno.view import DRAWN, JUMPING_IN, WON
from kibitz.policies.uno.net_policy import BY_NET, chance_by_net, own_policy, play_by
from kibitz.policies.uno.win_chance import STANDING, WEIGHTS, chance_of, class_of_table
from kibitz.search.uno.ismcts.candidates import list_candidates
from kibitz.search.uno.ismcts.nodes import (
    DEEPEST,
    NONE,
    IsmctsSearch,
    add_node,
    extend_history,
    find_edge,
    find_place,
    node_key,
    sightings_of,
    workspace_of,
)
from kibitz.search.uno.rollouts import follow, is_quiet


def descend(state: State, search: IsmctsSearch, me: int, history: int, params: Any) -> float:
    """Play a state on, by the tree as far as it goes, and let the tree learn from it; the result of `me`."""
    search.path_length = 0
    inside = True
    while inside and not is_over(state) and number(search.path_length) < DEEPEST:
        actor = number(state.current)
        unseen = state.phase == JUMPING_IN and actor != me
        action = forced_action(state)
        if action < 0:
            count = list_candidates(state, search, params.prune)
            if count == 1:
                action = number(search.candidates[0])
            elif unseen or (actor != me and not params.search_others):
                action = policy_action(state, search, number(params.policy) if actor == me else number(params.others), params)
            else:
                key = node_key(state, me, history)
                place = find_place(search, key)
                node = number(search.nodes[place])
                if node == NONE:
                    inside = False
                    node = add_node(search, place, key)
                    if node == NONE:
                        break
                action = choose_edge(state, search, node, count, me, not inside, params)
        if not (unseen and action == PASS):
            history = extend_history(history, action)
        play(state, search, action)
    play_on(state, search, me, params)
    own = 0.0
    if params.value == BY_NET and not is_over(state):
        own = chance_by_net(state, sightings_of(search, 0), workspace_of(search, 0), params.net)
    for place in range(number(search.path_length)):
        edge = number(search.path_edges[place])
        result = result_of(state, number(search.path_seats[place]), me, own, params)
        search.edge_visits[edge] += 1
        search.edge_sums[edge] += result
        search.edge_squares[edge] += result * result
    return result_of(state, me, me, own, params)


def play_on(state: State, search: IsmctsSearch, me: int, params: Any) -> None:
    """Play by policies: to the end, or for `horizon` rounds and on until nobody is about to win (and, for the network, `me` chooses)."""
    last = number(state.turn) + number(params.horizon) * number(state.players)
    own = own_policy(params)
    while not is_over(state):
        due = params.horizon > 0 and state.turn >= last and is_quiet(state)
        if due and params.value != BY_NET:
            return
        action = forced_action(state)
        if action < 0:
            if due and number(state.current) == me:
                return
            action = policy_action(state, search, own if number(state.current) == me else number(params.others), params)
        play(state, search, action)


def result_of(state: State, seat: int, me: int, own: float, params: Any) -> float:
    """What a game is worth to a seat: 1 or 0 once it is won, a fair share if nobody can win, a guess while it is on.

    `own` is the chance that the network gives `me`, if it guesses; the others share the rest.
    """
    if not is_over(state):
        if params.value == BY_NET:
            return own if seat == me else (1.0 - own) / (number(state.players) - 1)
        return chance_of(state, seat, STANDING, class_of_table(number(state.players)) * WEIGHTS)
    if state.status != WON:
        return 1.0 / number(state.players)
    return 1.0 if number(state.winner) == seat else 0.0


def choose_edge(state: State, search: IsmctsSearch, node: int, count: int, me: int, new: bool, params: Any) -> int:
    """The action to try at a node: what the policy says at a new one, else by UCB. It goes on the path."""
    policy = number(params.policy) if number(state.current) == me else number(params.others)
    favourite = number(NONE)
    if new or params.bias > 0.0:
        favourite = policy_action(state, search, policy, params)
    chosen, best, edge_chosen = favourite, -1e300, number(NONE)
    for place in range(count):
        action = number(search.candidates[place])
        edge = find_edge(search, node, action)
        if edge == NONE:
            continue
        search.edge_offers[edge] += 1
        visits = number(search.edge_visits[edge])
        score = params.urgency
        if visits > 0:
            score = search.edge_sums[edge] / visits + params.exploration * sqrt(log(float(search.edge_offers[edge])) / visits)
        if action == favourite:
            score += params.bias / (visits + 1)
            if new:
                score = 1e300
        if score > best:
            chosen, best, edge_chosen = action, score, edge
    if edge_chosen != NONE:
        length = number(search.path_length)
        search.path_edges[length] = edge_chosen
        search.path_seats[length] = state.current
        search.path_length = length + 1
    elif chosen == NONE:
        return policy_action(state, search, policy, params)
    return chosen


def policy_action(state: State, search: IsmctsSearch, policy: int, params: Any) -> int:
    """What a policy does for the player to act."""
    view = as_view(state)
    if state.phase > DRAWN:
        return default_in_window(view)
    actor = number(state.current)
    action = play_by(policy, view, sightings_of(search, 0), workspace_of(search, 0), params.weights, params.net)
    state.seat_streams[actor] = view.random_stream
    return action


def play(state: State, search: IsmctsSearch, action: int) -> None:
    """Carry out an action; what everybody sees of it is remembered where a policy wants to know."""
    apply(state, action)
    if state.observed:
        follow(state, sightings_of(search, 0))
