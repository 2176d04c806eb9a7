"""Worlds: where the hidden cards may be, sampled from a belief.

    status = prepare(view, belief, hidden)            # once a decision
    if status != FINE: ...                            # the view contradicts itself: say so, see `check_view`
    position = sample_world(view, belief, hidden, position, world)

`position` is a random stream of the search (`search_stream`), which every sample moves on. A sample costs a few tenths of a
microsecond between two players; preparing about as much.

Sampling is exact where at most one opponent has shown something of its hand, so always between two players: a hypothesis by
its chance, then the groups from the most constrained on, each card uniform among what its mask leaves. With several
such opponents their hands are filled one after the other; a world then stands for the ways that were left to the later ones,
and is accepted with a chance proportional to that (rejection sampling: exact). After TRIES worlds refused, what an independence
Metropolis chain has made of the same worlds is taken; its distance from the exact distribution falls at least as fast as the
chance that all of them are refused. In all cases a world has no weight of its own: every sample counts the same.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.errors import BadValue
from kibitz.core.jit import Word, inline, number, popcount, select, word
from kibitz.core.layouts import Byte, Long, Word64, blank
from kibitz.core.seeds import SEARCH, below, stream
from kibitz.core.twins import numbers_copier
from kibitz.games.uno.cards import ALL_CARDS, COLOUR_MASKS, MAX_PLAYERS, NO_CARD, WILD_DRAW_FOUR, bit
from kibitz.games.uno.counts import Planes, add_to_planes, counts_from, difference, exceeds, size_of, size_within, take_from_planes
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import DRAWN, HONEST_ONLY, LAST_RESORT, PLAY_ANY_CARD, SeatBytes, SeatWords, View
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, count_discards, hidden_cards, known_of
from kibitz.search.uno.hypotheses import GROUPS, POOL, first_of, hand_weight, is_masked, reset_seat, share_allowed, slots_of

FINE, CANNOT_ADD_UP = 0, 1  # what `prepare` finds
TRIES = 32  # worlds proposed before the Metropolis chain's is taken
MORE_TRIES = 1000  # before what was shown is given up, if no world agrees with it

# What is asked of the card another player has just drawn.
NOTHING, DRAWN_FITS, SOMETHING_FITS = 0, 1, 2

_ZERO = Word(0)
_FINE_STEPS = Word(1 << 53)


class World:
    """Where the hidden cards are: hands as bit planes by seat, the viewer's own among them, and the draw pile.

    Besides, what the belief remembers of the table and a state needs.
    """

    hands0: SeatWords
    hands1: SeatWords
    hands2: SeatWords
    pile0: Word64
    pile1: Word64
    pile2: Word64
    drawn: Byte  # the card just drawn by another player in the phase DRAWN, else NO_CARD
    relaxed: Byte  # 1 if no world was found that agrees with what was shown, so that only the cards add up
    before_top: Byte
    before_colour: Byte
    turn_draws: Byte
    idle: Byte
    grown: Byte


class Hidden(World):
    """The hidden cards of a decision, ready for sampling. Its first fields are a world that the sampler may fall back on."""

    low: Word64  # cards of which nobody knows where they are, as bit planes
    middle: Word64
    high: Word64
    size: Long
    cumulative: Annotated[list[float], "f8", POOL]  # the weights of the hypotheses about the first opponent, added up
    chances: Annotated[list[float], "f8", POOL]  # of those about a later one
    bounds: Annotated[list[float], "f8", MAX_PLAYERS]  # by place in `order`: the most that the weights about an opponent can add up to
    refused: Long  # worlds refused so far
    given_up: Long  # worlds that had to give up what was shown
    order: SeatBytes  # the opponents, those with masks first
    slots: SeatBytes  # hidden cards of each seat
    opponents: Byte
    masked: Byte  # how many opponents have masks
    asked: Byte  # NOTHING …


# -- before sampling --


def search_stream(view: View) -> int:
    """A stream for a search, derived from the bot's own, which it moves on. Nothing leads from it to the deal."""
    return stream(word(view.randbelow(1 << 62)), SEARCH)


def prepare(view: View, belief: Belief, hidden: Hidden) -> int:
    """Account for all cards and weigh the hypotheses: FINE, or CANNOT_ADD_UP if the view contradicts itself."""
    me = number(view.seat)
    belief.top = view.top
    if belief.discard_size != view.discard_size:
        count_discards(view, belief)
    hidden.low, hidden.middle, hidden.high, possible = hidden_cards(view, belief)
    if not possible:
        return CANNOT_ADD_UP
    hidden.size = size_of((hidden.low, hidden.middle, hidden.high))
    needed = number(view.pile_size)
    hidden.opponents = 0
    for seat in range(number(view.players)):
        if seat == me:
            if size_of(view.hand()) != number(view.sizes[seat]):
                return CANNOT_ADD_UP
            continue
        slots = number(view.sizes[seat]) - size_of(known_of(belief, seat))
        if slots < 0:
            return CANNOT_ADD_UP
        needed += slots
        hidden.slots[seat] = slots
        if slots_of(belief, seat) != slots:  # a belief that has not followed the game
            belief.resets += 1
            reset_seat(belief, seat, slots, word(0))
        hidden.order[number(hidden.opponents)] = seat
        hidden.opponents += 1
    if needed != hidden.size:
        return CANNOT_ADD_UP
    hidden.asked = NOTHING
    if view.phase == DRAWN and number(view.current) != me:
        hidden.asked = SOMETHING_FITS if view.drawn_rule == PLAY_ANY_CARD and not view.must_play else DRAWN_FITS
    order_opponents(belief, hidden)
    weigh_hypotheses(belief, hidden)
    return FINE


def check_view(view: View, belief: Belief | None = None) -> None:
    """Refuse a view whose cards cannot add up: plain Python, for positions from outside and for messages."""
    memory = belief
    if memory is None:
        memory = blank(Belief)
        begin_belief(view, memory, EXACT, FLOOR, WILD_FLOOR)
    if prepare(view, memory, blank(Hidden)) == FINE:
        return
    counts = counts_from(view.deck())
    for card in [view.top, *view.discard[: view.discard_size], *view.cards()]:
        counts[card] -= 1
    for seat in range(view.players):
        for card, count in enumerate(counts_from(view.known(seat))):
            counts[card] -= count
    for card, count in enumerate(counts):
        if count < 0:
            raise BadValue(f"view: {card_name(card)} is seen {-count} times more often than the deck has it.")
    others = sum(size for seat, size in enumerate(view.sizes[: view.players]) if seat != view.seat)
    raise BadValue(
        f"view: the cards cannot add up: other hands have {others} cards, the draw pile {view.pile_size}, the own hand "
        f"{view.sizes[view.seat]}, the discard pile {view.discard_size} and its top card, but the deck has {view.deck_size}."
    )


def order_opponents(belief: Belief, hidden: Hidden) -> None:
    """Put the opponents with masks first: the hands of the others have no part in any weight."""
    hidden.masked = 0
    for place in range(number(hidden.opponents)):
        seat = number(hidden.order[place])
        if is_masked(belief, seat):
            hidden.order[place] = hidden.order[number(hidden.masked)]
            hidden.order[number(hidden.masked)] = seat
            hidden.masked += 1


def weigh_hypotheses(belief: Belief, hidden: Hidden) -> None:
    """The chances of the hypotheses about the first opponent, and what those about later ones can add up to at most."""
    planes = (hidden.low, hidden.middle, hidden.high)
    dealt = number(0)
    for place in range(number(hidden.masked)):
        seat = number(hidden.order[place])
        start = first_of(belief, seat)
        total = 0.0
        for hypothesis in range(number(belief.counts[seat])):
            group = (start + hypothesis) * GROUPS
            if place == 0:
                total += belief.weights[start + hypothesis] * share_allowed(planes, belief.sizes, belief.masks, group)
                hidden.cumulative[hypothesis] = total
            else:
                total += belief.weights[start + hypothesis] * share_bound(planes, belief, group, number(hidden.size) - dealt)
        if place == 0 and total <= 0.0:  # the cards exclude all that was thought possible
            belief.resets += 1
            reset_seat(belief, seat, number(hidden.slots[seat]), word(0))
            hidden.cumulative[0] = 1.0
            total = 1.0
        hidden.bounds[place] = total
        dealt += number(hidden.slots[seat])


def share_bound(planes: Planes, belief: Belief, start: int, left: int) -> float:
    """The most that `share_allowed` can come to once all but `left` cards are dealt to others."""
    taken = number(0)
    share = 1.0
    for group in range(start, start + GROUPS):
        if belief.sizes[group] == 0:
            break
        allowed = min(size_within(planes, ALL_CARDS & ~belief.masks[group]), left)
        for _ in range(number(belief.sizes[group])):
            if allowed <= taken:
                return 0.0
            share *= (allowed - taken) / (left - taken)
            taken += 1
    return share


# -- sampling --


def sample_world(view: View, belief: Belief, hidden: Hidden, position: int, world: World) -> int:
    """Sample a world; where the stream stands then. `prepare` has been called for this view and belief."""
    if hidden.masked < 2 and hidden.asked == NOTHING:
        position, _ = propose_world(view, belief, hidden, position, world, False)
        return position
    return sample_by_refusal(view, belief, hidden, position, world)


def sample_by_refusal(view: View, belief: Belief, hidden: Hidden, position: int, world: World) -> int:
    """Sample a world where not all that are proposed stand for the same number of ways."""
    held = 0.0
    for attempt in range(MORE_TRIES):
        position, weight = propose_world(view, belief, hidden, position, world, False)
        if weight > 0.0:
            position, chance = uniform(position)
            if chance < weight:
                return position
            hidden.refused += 1
            position, chance = uniform(position)
            if chance * held < weight:
                held = weight
                copy_world(world, hidden)
        if held > 0.0 and attempt >= TRIES:
            copy_world(hidden, world)
            return position
    hidden.given_up += 1
    for _ in range(MORE_TRIES):
        position, weight = propose_world(view, belief, hidden, position, world, True)
        if weight > 0.0:
            break
    return position


@inline
def uniform(position: int) -> tuple[int, float]:
    """The stream's next position and a number in [0, 1)."""
    position, step = below(position, number(_FINE_STEPS))
    return position, step / 9007199254740992.0


def propose_world(view: View, belief: Belief, hidden: Hidden, position: int, world: World, relaxed: bool) -> tuple[int, float]:
    """Deal the hidden cards out; where the stream stands then, and the chance with which this world is to be accepted.

    A `relaxed` world minds the cards alone, not what was shown.
    """
    me = number(view.seat)
    world.hands0[me], world.hands1[me], world.hands2[me] = view.hand()
    world.drawn = NO_CARD
    world.relaxed = 1 if relaxed else 0
    world.before_top = belief.before_top
    world.before_colour = belief.before_colour
    world.turn_draws = belief.turn_draws
    world.idle = belief.idle
    world.grown = belief.grown
    low, middle, high = hidden.low, hidden.middle, hidden.high
    weight = 1.0
    for place in range(number(hidden.opponents)):
        seat = number(hidden.order[place])
        masked = place < number(hidden.masked) and not relaxed
        group, last = number(0), number(0)
        if masked:
            position, hypothesis, share = choose_hypothesis(belief, hidden, (low, middle, high), place, position)
            weight *= share
            if weight <= 0.0:
                return position, 0.0
            group = (first_of(belief, seat) + hypothesis) * GROUPS
            last = group + GROUPS
        hand0, hand1, hand2 = known_of(belief, seat)
        draws = hidden.asked != NOTHING and seat == number(view.current)
        left = number(hidden.slots[seat])
        count = left
        allowed = word(ALL_CARDS)
        while left > 0:
            if masked:
                if group == last:
                    break
                count = number(belief.sizes[group])
                allowed = ALL_CARDS & ~belief.masks[group]
                group += 1
            for _ in range(count):
                types = allowed
                if draws and left == 1 and (relaxed or hidden.asked == DRAWN_FITS):
                    types = types & view.match
                    if relaxed and size_within((low, middle, high), types) == 0:
                        types = allowed  # whatever is left; such a world is tried again
                    most = size_within((hidden.low, hidden.middle, hidden.high), types)
                    if most == 0:  # not so once relaxed
                        return position, 0.0
                    weight *= size_within((low, middle, high), types) / most
                    if weight <= 0.0 and not relaxed:
                        return position, 0.0
                position, card = pick_card(low & types, middle & types, high & types, position)
                low, middle, high = take_from_planes(low, middle, high, bit(card))
                hand0, hand1, hand2 = add_to_planes(hand0, hand1, hand2, bit(card))
                left -= 1
                if draws and left == 0:
                    world.drawn = card
        world.hands0[seat], world.hands1[seat], world.hands2[seat] = hand0, hand1, hand2
        if draws:
            if hidden.slots[seat] == 0:  # all its cards are known, but not which is the new one
                types = view.match if hidden.asked == DRAWN_FITS else word(ALL_CARDS)
                if (hand0 | hand1 | hand2) & types == _ZERO:
                    if not relaxed:
                        return position, 0.0
                    types = word(ALL_CARDS)
                position, card = pick_card(hand0 & types, hand1 & types, hand2 & types, position)
                world.drawn = card
            if not may_play_drawn(view, hand0 | hand1 | hand2, number(world.drawn)):
                if not relaxed:
                    return position, 0.0
                weight = 0.0
    world.pile0, world.pile1, world.pile2 = low, middle, high
    return position, weight


def choose_hypothesis(belief: Belief, hidden: Hidden, planes: Planes, place: int, position: int) -> tuple[int, int, float]:
    """Draw a hypothesis about the opponent at a place in `order`, by its chance with the cards that are left.

    Where the stream stands then, the hypothesis, and what all chances add up to, as a share of its bound.
    """
    seat = number(hidden.order[place])
    count = number(belief.counts[seat])
    if place == 0:
        if count == 1:
            return position, 0, 1.0
        position, chance = uniform(position)
        sought = chance * hidden.cumulative[count - 1]
        chosen = number(0)
        while chosen < count - 1 and hidden.cumulative[chosen] <= sought:
            chosen += 1
        return position, chosen, 1.0
    start = first_of(belief, seat)
    total = 0.0
    for hypothesis in range(count):
        share = share_allowed(planes, belief.sizes, belief.masks, (start + hypothesis) * GROUPS)
        total += belief.weights[start + hypothesis] * share
        hidden.chances[hypothesis] = total
    if total <= 0.0:
        return position, 0, 0.0
    position, chance = uniform(position)
    chosen = number(0)
    while chosen < count - 1 and hidden.chances[chosen] <= chance * total:
        chosen += 1
    return position, chosen, total / hidden.bounds[place]


@inline
def pick_card(low: int, middle: int, high: int, position: int) -> tuple[int, int]:
    """The stream's next position and a random card of some planes that are not empty: a type is as likely as it has copies."""
    ones, twos = popcount(low), 2 * popcount(middle)
    if high == _ZERO:
        position, rank = below(position, ones + twos)
    else:
        position, rank = below(position, ones + twos + 4 * popcount(high))
    if rank < ones:
        return position, select(low, rank)
    if rank < ones + twos:
        return position, select(middle, (rank - ones) >> 1)
    return position, select(high, (rank - ones - twos) >> 2)


def may_play_drawn(view: View, types: int, drawn: int) -> bool:
    """Whether a player with these types in hand, the card just drawn among them, may play now as the rules say."""
    fitting = types & view.match
    if view.four_rule == HONEST_ONLY and types & COLOUR_MASKS[number(view.colour)] != _ZERO:
        fitting &= ~bit(WILD_DRAW_FOUR)
    if view.four_rule == LAST_RESORT and fitting & ~bit(WILD_DRAW_FOUR) != _ZERO:
        fitting &= ~bit(WILD_DRAW_FOUR)
    if view.drawn_rule != PLAY_ANY_CARD:
        fitting &= bit(drawn)
    return fitting != _ZERO


copy_world_numbers = numbers_copier(World)


def copy_world(source: World, target: World) -> None:
    """Let one world be as another."""
    for seat in range(MAX_PLAYERS):
        target.hands0[seat] = source.hands0[seat]
        target.hands1[seat] = source.hands1[seat]
        target.hands2[seat] = source.hands2[seat]
    copy_world_numbers(source, target)


def world_weight(view: View, belief: Belief, world: World) -> float:
    """How well a world goes with a belief: 0 if that excludes it. The chance of a world is proportional to this figure, times
    the number of ways in which cards that look alike may change places.
    """
    weight = 1.0
    for seat in range(number(view.players)):
        if seat == number(view.seat):
            continue
        known = known_of(belief, seat)
        hand = (world.hands0[seat], world.hands1[seat], world.hands2[seat])
        if exceeds(known, hand) != _ZERO:
            return 0.0
        weight *= hand_weight(belief, seat, difference(hand, known))
    return weight
