"""A chain of worlds, each made from the one before by exchanging hidden cards: weighted worlds at a fraction of the cost.

    position = start_chain(view, belief, hidden, history, proposals, position, chain, spare)     # once a decision
    position = next_world(view, belief, hidden, history, moves, position, chain, spare)          # for every further world

A chain is itself the world it has come to. It is a Metropolis chain: a hidden card of an opponent is exchanged for one that lies
elsewhere, and the exchange stands with a chance that depends on how well the hands then explain what the opponents did
(`kibitz.search.uno.history`; the weights are estimates, which leaves the chain's distribution exact as long as they are kept). Worlds
that follow each other are alike, so a chain is for searches that use many of them.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, number
from kibitz.core.seeds import below
from kibitz.games.uno.cards import MAX_PLAYERS, bit
from kibitz.games.uno.counts import Planes, add_to_planes, difference, take_from_planes
from kibitz.games.uno.view import SeatBytes, View
from kibitz.search.uno.belief import Belief, known_of
from kibitz.search.uno.history import ALL, History, is_remembered, sample_weighted, seat_likelihood
from kibitz.search.uno.hypotheses import GROUPS, first_of, hand_weight, share_allowed
from kibitz.search.uno.worlds import NOTHING, Hidden, World, pick_card, sample_world, uniform

MOVES = 4  # exchanges from one world to the next

_ZERO = Word(0)
_PILE = -1


class Chain(World):
    """The world that a chain has come to, and the weight of each opponent's hand there."""

    chain_weights: Annotated[list[float], "f8", MAX_PLAYERS]
    chain_free: SeatBytes  # 1 if the belief excludes no hand of a seat


def start_chain(
    view: View, belief: Belief, hidden: Hidden, history: History, proposals: int, position: int, chain: Chain, spare: World
) -> int:
    """Begin with a world that is the best of some, as a rule; where the stream stands then. `prepare` has been called."""
    position = sample_weighted(view, belief, hidden, history, proposals, position, chain, spare)
    for place in range(number(hidden.opponents)):
        seat = number(hidden.order[place])
        chain.chain_free[seat] = 1 if excludes_nothing(belief, seat) else 0
        position, weight = weigh_hand(view, belief, history, chain, seat, position)
        chain.chain_weights[seat] = weight
    return position


def next_world(view: View, belief: Belief, hidden: Hidden, history: History, moves: int, position: int, chain: Chain, spare: World) -> int:
    """Go on to another world by so many exchanges; where the stream stands then. `spare` is room for `sample_weighted`."""
    if not is_remembered(view, history):
        return sample_world(view, belief, hidden, position, chain)
    if hidden.asked != NOTHING:  # one card of a hand is not like the others
        return sample_weighted(view, belief, hidden, history, moves, position, chain, spare)
    for _ in range(moves):
        position = exchange_cards(view, belief, hidden, history, position, chain)
    return position


def exchange_cards(view: View, belief: Belief, hidden: Hidden, history: History, position: int, chain: Chain) -> int:
    """Exchange one hidden card of an opponent for another hidden one, or let it be."""
    position, place = below(position, number(hidden.opponents))
    seat = number(hidden.order[place])
    slots = number(hidden.slots[seat])
    if slots == 0 or slots == number(hidden.size):
        return position
    # Any hidden card elsewhere is as likely: those of the pile first, then those of other opponents.
    position, rank = below(position, number(hidden.size) - slots)
    other = number(_PILE)
    rank -= number(view.pile_size)
    if rank >= 0:
        for next_place in range(number(hidden.opponents)):
            holder = number(hidden.order[next_place])
            if holder != seat and rank >= 0:
                other = holder
                rank -= number(hidden.slots[holder])
    mine, theirs = hidden_part(belief, chain, seat), hidden_part(belief, chain, other)
    position, given = pick_card(mine[0], mine[1], mine[2], position)
    position, taken = pick_card(theirs[0], theirs[1], theirs[2], position)
    if given == taken:
        return position
    move_cards(chain, seat, other, given, taken)
    position, weight = weigh_hand(view, belief, history, chain, seat, position)
    old, new, other_weight = chain.chain_weights[seat], weight, 1.0
    if other != _PILE:
        position, other_weight = weigh_hand(view, belief, history, chain, other, position)
        old *= chain.chain_weights[other]
        new *= other_weight
    position, chance = uniform(position)
    if chance * old < new or old <= 0.0:
        chain.chain_weights[seat] = weight
        if other != _PILE:
            chain.chain_weights[other] = other_weight
    else:
        move_cards(chain, seat, other, taken, given)
    return position


def hidden_part(belief: Belief, world: World, seat: int) -> Planes:
    """The cards of a hand that nobody has seen, or the pile."""
    if seat == _PILE:
        return world.pile0, world.pile1, world.pile2
    return difference((world.hands0[seat], world.hands1[seat], world.hands2[seat]), known_of(belief, seat))


def move_cards(world: World, seat: int, other: int, given: int, taken: int) -> None:
    """Let a seat give a card to another, or the pile, and take one in exchange."""
    low, middle, high = take_from_planes(world.hands0[seat], world.hands1[seat], world.hands2[seat], bit(given))
    world.hands0[seat], world.hands1[seat], world.hands2[seat] = add_to_planes(low, middle, high, bit(taken))
    if other == _PILE:
        low, middle, high = take_from_planes(world.pile0, world.pile1, world.pile2, bit(taken))
        world.pile0, world.pile1, world.pile2 = add_to_planes(low, middle, high, bit(given))
    else:
        low, middle, high = take_from_planes(world.hands0[other], world.hands1[other], world.hands2[other], bit(taken))
        world.hands0[other], world.hands1[other], world.hands2[other] = add_to_planes(low, middle, high, bit(given))


def weigh_hand(view: View, belief: Belief, history: History, chain: Chain, seat: int, position: int) -> tuple[int, float]:
    """What a hand weighs: where the stream stands then, and how likely its holder did what it did, 0 if the belief excludes it."""
    weight = 1.0
    if history.past_weighed != ALL:
        weight = hand_weight(belief, seat, hidden_part(belief, chain, seat))
    elif not chain.chain_free[seat] and not is_possible(belief, seat, hidden_part(belief, chain, seat)):
        return position, 0.0
    if history.past_latest[seat] < 0:
        return position, weight
    position, chance = seat_likelihood(view, history, chain, seat, position)
    return position, weight * chance


def excludes_nothing(belief: Belief, seat: int) -> bool:
    """Whether one of the hypotheses about a seat allows any hand."""
    start = first_of(belief, seat)
    for place in range(start, start + number(belief.counts[seat])):
        if belief.masks[place * GROUPS] == _ZERO or belief.sizes[place * GROUPS] == 0:
            return True
    return False


def is_possible(belief: Belief, seat: int, planes: Planes) -> bool:
    """Whether one of the hypotheses about a seat allows this hand, without its known cards."""
    start = first_of(belief, seat)
    for place in range(start, start + number(belief.counts[seat])):
        if share_allowed(planes, belief.sizes, belief.masks, place * GROUPS) > 0.0:
            return True
    return False
