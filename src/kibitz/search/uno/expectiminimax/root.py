"""The decision: worlds are sampled, every action is tried in each, and the best mean wins.

Q(a) is the mean over the worlds of what follows action a. By default every action has worlds of its own, as in the original program; common
worlds for all actions are an option. Rules and tables that `number_cards` covers are searched there, all others by `general`; both
take their draws from the same keys, so that they agree to the last digit.
"""

from __future__ import annotations

import math

from kibitz.core.jit import Word, number, specialise_modules, word
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.uno.cards import MATCH_MASKS, bit
from kibitz.games.uno.counts import Planes, size_within, take_from_planes
from kibitz.games.uno.state import State
from kibitz.games.uno.view import View
from kibitz.policies.valuation import SCORE, begin_valuation, list_action
from kibitz.search.uno.belief import Belief
from kibitz.search.uno.expectiminimax import deeper
from kibitz.search.uno.expectiminimax.deeper import Value
from kibitz.search.uno.expectiminimax.general import NO_ACTION, evaluate, next_action, root_key, set_levels
from kibitz.search.uno.expectiminimax.number_cards import is_plain_table, last_three, last_turn, last_two
from kibitz.search.uno.expectiminimax.workspace import ExpectiminimaxSearch, hidden_of, state_of, world_of
from kibitz.search.uno.layout import lay_table, put_world
from kibitz.search.uno.worlds import FINE, World, prepare, sample_world, search_stream

NEVER_CUT_OFF = 2**31 - 1

_ZERO = Word(0)

value_4: Value = deeper.value
value_5: Value = specialise_modules(deeper, value_after=value_4)["value"]
value_6: Value = specialise_modules(deeper, value_after=value_5)["value"]
value_7: Value = specialise_modules(deeper, value_after=value_6)["value"]
value_8: Value = specialise_modules(deeper, value_after=value_7)["value"]


def choose_action(view: View, belief: Belief, search: ExpectiminimaxSearch, samples: int, common: bool) -> int:
    """The action with the best mean, and the table of all of them; -1 if the cards of the view cannot add up.

    `search` has been told what to mind: depth, draws, others, hold_back, lost_copies.
    """
    begin_valuation(search, SCORE)
    first = next_action(view, NO_ACTION)
    if next_action(view, first) == NO_ACTION:
        return first
    if prepare(view, belief, hidden_of(search, 0)) != FINE:
        return -1
    plain = is_plain_table(view, number(search.depth))
    search.searcher = view.seat
    search.first_turn = view.turn
    if not plain:
        set_levels(search)
        state_of(search, 0).max_turns = NEVER_CUT_OFF
        lay_table(view, state_of(search, 0))
    list_actions(view, search)
    try_actions(view, belief, search, samples, common, plain)
    return best_of(search, samples)


def list_actions(view: View, search: ExpectiminimaxSearch) -> None:
    """Begin a row for every action."""
    action = next_action(view, NO_ACTION)
    while action != NO_ACTION:
        search.totals[number(search.listed)] = 0.0
        search.squares[number(search.listed)] = 0.0
        list_action(search, action, 0.0, 0.0, 0)
        action = next_action(view, action)


def try_actions(view: View, belief: Belief, search: ExpectiminimaxSearch, samples: int, common: bool, plain: bool) -> None:
    """Try every action, one after the other in worlds of its own, or all of them in each world. One loop: the engine is merged into it."""
    hidden, world = hidden_of(search, 0), world_of(search, 0)
    position = search_stream(view)
    key = word(0)
    count = number(search.listed)
    for trial in range(samples * count):
        place = trial % count if common else trial // samples
        fresh = place == 0 or not common
        if fresh:
            position = sample_world(view, belief, hidden, position, world)
            key = stream(position, SEARCH)
        value = value_in(view, search, world, key, number(search.listed_actions[place]), plain, fresh)
        search.totals[place] += value
        search.squares[place] += value * value


def best_of(search: ExpectiminimaxSearch, samples: int) -> int:
    """Complete the table with means and their standard errors; the best action, of several the first."""
    best = number(0)
    for place in range(number(search.listed)):
        mean = search.totals[place] / samples
        error = 0.0
        if samples > 1:
            error = math.sqrt(max(search.squares[place] - samples * mean * mean, 0.0) / (samples - 1) / samples)
        search.values[place] = mean
        search.errors[place] = error
        search.visits[place] = samples
        if mean > search.values[best]:
            best = place
    return number(search.listed_actions[best])


def value_in(view: View, search: ExpectiminimaxSearch, world: World, key: int, action: int, plain: bool, fresh: bool) -> float:
    """What an action is worth in one world; `fresh` says that no other action was tried in it before."""
    if plain:
        return value_of_card(view, search, world, key, action)
    if fresh:
        state = state_of(search, 0)
        put_world(view, world, key, state)
        if search.lost_copies:
            lose_copies(search, state)
    return evaluate(search, action, key)


def value_of_card(view: View, search: ExpectiminimaxSearch, world: World, key: int, card: int) -> float:
    """What playing a card is worth where `number_cards` covers what follows."""
    me = number(view.seat)
    opponent = 1 - me
    own_size, other_size = number(view.sizes[me]) - 1, number(view.sizes[opponent])
    own = take_from_planes(world.hands0[me], world.hands1[me], world.hands2[me], bit(card))
    other = (world.hands0[opponent], world.hands1[opponent], world.hands2[opponent])
    match = MATCH_MASKS[card]
    other_types = other[0] | other[1] | other[2]
    depth, draws = number(search.depth), number(search.draws)
    if depth == 1:
        return -last_turn(other_types, other_size, own_size, match)
    if depth == 2:
        return -last_two(other_types, other_size, own[0] | own[1] | own[2], own_size, match)
    pile = (world.pile0, world.pile1, world.pile2)
    if search.lost_copies:
        pile = without_copies(pile, other_types, depth)
    after = root_key(key, card)
    if depth == 3:
        return -last_three(other, other_size, own, own_size, pile, match, draws, after)
    if depth == 4:
        return -value_4(other, other_size, own, own_size, pile, match, draws, after)
    if depth == 5:
        return -value_5(other, other_size, own, own_size, pile, match, draws, after)
    if depth == 6:
        return -value_6(other, other_size, own, own_size, pile, match, draws, after)
    if depth == 7:
        return -value_7(other, other_size, own, own_size, pile, match, draws, after)
    return -value_8(other, other_size, own, own_size, pile, match, draws, after)


# -- the second slip of the original program --


def without_copies(pile: Planes, held: int, depth: int) -> Planes:
    """A draw pile without all copies of the types in `held`, unless that leaves too few cards to draw until the horizon."""
    if size_within(pile, ~held) <= depth:
        return pile
    return pile[0] & ~held, pile[1] & ~held, pile[2] & ~held


def lose_copies(search: ExpectiminimaxSearch, state: State) -> None:
    """The same for a state: its pile loses what the searcher's opponents hold."""
    held = word(0)
    for seat in range(number(state.players)):
        if seat != number(search.searcher):
            held |= state.hands0[seat] | state.hands1[seat] | state.hands2[seat]
    kept = number(0)
    for place in range(number(state.pile_size)):
        if bit(number(state.pile[place])) & held == _ZERO:
            kept += 1
    if kept <= number(search.depth):
        return
    kept = number(0)
    for place in range(number(state.pile_size)):
        if bit(number(state.pile[place])) & held == _ZERO:
            state.pile[kept] = state.pile[place]
            kept += 1
    state.pile_size = kept
