"""Determinized rollouts: what an action leads to, in many worlds that could be the real one.

    base = what the base policy would do
    for every sampled world, the same for all candidates: play each candidate, then play on by policies to the end
    drop the worse half of the candidates from time to time (sequential halving)
    take the best one, but leave the base action only for one that is better beyond doubt

With `candidates=every`, for advice, no legal action is left out or dropped, so that all are known equally well.
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import Word, clock, number, word
from kibitz.core.seeds import scramble, stream
from kibitz.games.uno.cards import ACTIONS, COLOURED_MASK, COLOURED_TYPES, DRAW, action_card, action_colour
from kibitz.games.uno.counts import size_of
from kibitz.games.uno.defaults import default_in_window
from kibitz.games.uno.engine import apply, as_view, default_action, event_at, forced_action, is_over
from kibitz.games.uno.state import State
from kibitz.games.uno.view import DRAWN, TURN, View, is_legal_in
from kibitz.policies.uno.features import best_candidate
from kibitz.policies.uno.net.forward import NetWorkspace
from kibitz.policies.uno.net_policy import BY_NET, NET, best_of_all, chance_by_net, own_policy, play_by
from kibitz.policies.uno.rollout_policies import LINEAR, choose_by
from kibitz.policies.uno.sightings import Sightings, update_shared_sightings
from kibitz.policies.uno.win_chance import STANDING, WEIGHTS, chance_of, class_of_table
from kibitz.policies.valuation import WIN_CHANCE, begin_valuation
from kibitz.search.parts import part_of, words_for
from kibitz.search.race import (
    Figures,
    Race,
    drop_hopeless,
    drop_worse_half,
    enter,
    list_runners,
    note_result,
    open_race,
    rounds_of,
    winner_of,
)
from kibitz.search.uno.belief import Belief, set_known
from kibitz.search.uno.chain import MOVES, Chain, next_world, start_chain
from kibitz.search.uno.history import PROPOSALS, History
from kibitz.search.uno.hypotheses import reset_seat
from kibitz.search.uno.layout import copy_state, lay_table, put_world
from kibitz.search.uno.worlds import FINE, Hidden, prepare, sample_world, search_stream

_ZERO = Word(0)

NO_MODEL = 0
MODEL_NAMES = ("none", "mix2")
SENSIBLE, EVERY = 0, 1  # which actions are tried
CANDIDATE_NAMES = ("sensible", "every")
FUTURES = 2  # a world is played on so many times
CHECK = 32  # every so many worlds, candidates are dropped that are worse beyond doubt
QUIET = 2  # a rollout is not broken off while anybody holds fewer cards


class RolloutMemory(Belief):
    """What a player of rollouts remembers: a belief, what opponents did, and sightings that serve every seat."""

    sightings: Annotated[list[int], "u8", words_for(Sightings)]
    history: Annotated[list[int], "u8", words_for(History)]


class Rollouts(Race):
    """Where rollouts work. The table and one world are laid out once; every game is played on a copy."""

    laid: Annotated[list[int], "u8", words_for(State, 2)]
    chains: Annotated[list[int], "u8", words_for(Chain, 2)]  # the world at hand, and one to spare, of the same kind so as to compile once
    hidden: Annotated[list[int], "u8", words_for(Hidden)]
    seen: Annotated[list[int], "u8", words_for(Sightings)]
    described: Annotated[list[int], "u8", words_for(NetWorkspace)]
    here: Figures  # results of each candidate in the present world, added up


sightings_of = part_of(RolloutMemory, "sightings", Sightings)
history_of = part_of(RolloutMemory, "history", History)
laid_state = part_of(Rollouts, "laid", State)
chain_of = part_of(Rollouts, "chains", Chain)
hidden_of = part_of(Rollouts, "hidden", Hidden)
seen_of = part_of(Rollouts, "seen", Sightings)
workspace_of = part_of(Rollouts, "described", NetWorkspace)


# -- candidates --


def list_choices(view: View, base: int, work: Rollouts, every: bool = False) -> None:
    """The base action, and every other legal one or those that are worth a thought."""
    open_race(work)
    enter(work, base)
    for action in range(ACTIONS):
        if action != base and is_legal_in(view, action) and (every or is_sensible(view, action)):
            enter(work, action)


def is_sensible(view: View, action: int) -> bool:
    """Not so: to draw or keep with a coloured card to play (left to the base policy), to call a colour that one does not hold."""
    if action >= DRAW and view.phase <= DRAWN:
        return view.playable() & COLOURED_MASK == _ZERO
    if action < DRAW and action_card(action) >= COLOURED_TYPES:
        return not view.has_colour() or view.colour_count(action_colour(action)) > 0
    return True


# -- one game --


def copy_sightings(source: Sightings, target: Sightings, players: int) -> None:
    """Let one memory be as another."""
    for place in range(players * 4):
        target.open_colours[place] = source.open_colours[place]
    for place in range(players * 13):
        target.open_values[place] = source.open_values[place]
    for seat in range(players):
        target.called[seat] = source.called[seat]
        target.left[seat] = source.left[seat]
        target.turned[seat] = source.turned[seat]
    target.discard0, target.discard1, target.discard2 = source.discard0, source.discard1, source.discard2
    target.counted = source.counted


def follow(state: State, seen: Sightings) -> None:
    """Let sightings hear of what has just happened."""
    for place in range(number(state.event_count)):
        update_shared_sightings(state, event_at(state, place), seen)
    state.event_count = 0


def is_quiet(state: State) -> bool:
    """Whether nobody is about to win, so that a guess at the chances is a good one."""
    if state.phase != TURN:
        return False
    for seat in range(number(state.players)):
        if state.sizes[seat] < QUIET:
            return False
    return True


def play_out(state: State, me: int, seen: Sightings, found: NetWorkspace, params: Any) -> float:
    """Play on; 1 if `me` wins, 0 if another does, a fair share if nobody can, and after `horizon` rounds a guess at its chance."""
    horizon, others, policy = number(params.horizon), number(params.others), own_policy(params)
    last = number(state.turn) + horizon * number(state.players)
    while not is_over(state):
        due = horizon > 0 and state.turn >= last and is_quiet(state)
        if due and params.value != BY_NET:
            return chance_of(state, me, STANDING, class_of_table(number(state.players)) * WEIGHTS)
        action = forced_action(state)
        if action < 0:
            action = default_action(state, 0)
        if action < 0:
            seat = number(state.current)
            if due and seat == me:
                return chance_by_net(state, seen, found, params.net)
            view = as_view(state)
            action = play_by(policy if seat == me else others, view, seen, found, params.weights, params.net)
            state.seat_streams[seat] = view.random_stream
        apply(state, action)
        follow(state, seen)
    if state.winner >= state.players:
        return 1.0 / number(state.players)
    return 1.0 if state.winner == me else 0.0


# -- one decision --


def base_action(view: View, seen: Sightings, found: NetWorkspace, params: Any) -> int:
    """What would be done without a search."""
    if view.phase > DRAWN:
        return default_in_window(view)
    if view.playable() == _ZERO:
        return view.decline()
    if params.policy == LINEAR:
        return best_candidate(view, seen, found, params.weights)
    if params.policy == NET:
        return best_of_all(view, seen, found, params.net)
    return choose_by(number(params.policy), view, seen, found, params.weights)


def weigh_choices(view: View, work: Rollouts, params: Any) -> None:
    """Let the candidates that the policy thinks little of have to lead by more, or leave them out."""
    found = workspace_of(work, 0)
    if view.phase > DRAWN or params.policy < LINEAR or found.candidates < 2 or view.playable() == _ZERO:
        return
    base = score_listed(found, number(work.runners[0]))
    kept = number(1)
    for place in range(1, number(work.entered)):
        action = number(work.runners[place])
        gap = base - score_listed(found, action)
        if params.shortlist == 0.0 or gap <= params.shortlist:
            work.runners[kept] = action
            work.handicaps[kept] = params.trust * gap
            kept += 1
    work.entered = kept
    work.racing = kept


def score_listed(found: NetWorkspace, action: int) -> float:
    """What the policy has just thought of an action."""
    for place in range(number(found.candidates)):
        if found.actions[place] == action:
            return found.scores[place]
    return found.scores[0]


def sees_all_hands(view: View) -> bool:
    """Whether the viewer knows every card that others hold, as a cheater does."""
    for seat in range(number(view.players)):
        if seat != number(view.seat) and size_of(view.known(seat)) != number(view.sizes[seat]):
            return False
    return True


def search(view: View, memory: RolloutMemory, work: Rollouts, params: Any) -> int:
    """The action that rollouts recommend; -1 if the cards cannot add up."""
    begin_valuation(work, WIN_CHANCE)
    base = base_action(view, sightings_of(memory, 0), workspace_of(work, 0), params)
    every = params.candidates == EVERY
    list_choices(view, base, work, every)
    if not every:
        weigh_choices(view, work, params)
    if work.entered == 1 and not every:
        return base
    if sees_all_hands(view):
        for seat in range(number(view.players)):
            if seat != number(view.seat):
                set_known(memory, seat, view.known(seat))
                reset_seat(memory, seat, 0, word(0))
    if prepare(view, memory, hidden_of(work, 0)) != FINE:
        return -1
    lay_table(view, laid_state(work, 0))
    laid_state(work, 0).observed = 1
    rounds = number(1) if every else rounds_of(work)
    position = search_stream(view)
    start = clock() if params.milliseconds > 0 else 0.0
    for part in range(1, rounds + 1):
        games = number(params.rollouts) * part // rounds
        until = start + 0.001 * params.milliseconds * part / rounds
        position = try_worlds(view, memory, work, params, position, games, until)
        if part < rounds:
            drop_worse_half(work)
    list_runners(work, FUTURES)
    return winner_of(work, params.lean, params.margin)


def try_worlds(view: View, memory: RolloutMemory, work: Rollouts, params: Any, position: int, games: int, until: float) -> int:
    """Play every candidate in the race in common worlds until the budget of this part is spent; where the stream stands then.

    Where every action counts, none is dropped, and one alone is tried as well.
    """
    me, players = number(view.seat), number(view.players)
    world, hidden = chain_of(work, 0), hidden_of(work, 0)
    table, state = laid_state(work, 0), laid_state(work, 1)
    seen, found = seen_of(work, 0), workspace_of(work, 0)
    while True:
        if work.racing == 1 and params.candidates != EVERY:
            break
        if params.milliseconds > 0:
            if clock() >= until and work.games > 0:
                break
        elif work.games + work.racing * FUTURES > games and work.games > 0:
            break
        if params.model == NO_MODEL:
            position = sample_world(view, memory, hidden, position, world)
        elif work.games == 0:
            position = start_chain(view, memory, hidden, history_of(memory, 0), PROPOSALS, position, world, chain_of(work, 1))
        else:
            position = next_world(view, memory, hidden, history_of(memory, 0), MOVES, position, world, chain_of(work, 1))
        for place in range(number(work.racing)):
            work.here[place] = 0.0
        for future in range(FUTURES):
            put_world(view, world, stream(position, future), table)
            for place in range(number(work.racing)):
                copy_state(table, state)
                copy_sightings(sightings_of(memory, 0), seen, players)
                apply(state, number(work.runners[work.alive[place]]))
                follow(state, seen)
                work.here[place] += play_out(state, me, seen, found, params)
        position = scramble(position)
        for place in range(number(work.racing)):
            note_result(work, number(work.alive[place]), work.here[place] / FUTURES, work.here[0] / FUTURES)
        work.games += work.racing * FUTURES
        if work.tried[0] % CHECK == 0 and params.candidates != EVERY:
            drop_hopeless(work)
    return position
