"""What the opponents did lately, and how well a sampled world explains it: worlds weighted by a model of the players.

A bot keeps a `History` in its memory beside its `Belief`:

    def begin(view, memory, params):
        begin_belief(view, memory, EXACT, FLOOR, WILD_FLOOR)
        begin_history(view, memory)

    def observe(view, event, memory):
        observe_belief(view, event, memory)
        observe_history(view, event, memory)

and then samples with `sample_weighted` in place of `sample_world`.

`likelihood` goes back in time from the hands of a world: a card played is put back, a card drawn is taken away, and at
each decision `model` says how likely it was. Which card of the hand was drawn is not known: in the prior every card of the hand
is as likely, so one is taken at random, rather one that agrees with what the draw showed; the weight is then an unbiased
estimate of the likelihood. Decisions in the windows of house rules are not weighed, and nothing is remembered beyond a change
of hands. What is left out: after the draw pile was refilled, cards that were seen in the discard pile before still count as
possible in the hands of that time, and so do cards known from a challenge as drawn later.

A belief in the mode EXACT has weighed draws already, by chances of its own. Two ways are offered. PLAYS weighs what was played and
kept, and takes the belief's word for draws. ALL weighs draws by the model too, and takes the belief's weight out again.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.games.uno.cards import (
    ALL_CARDS,
    COLOURED_MASK,
    COLOURED_TYPES,
    NO_CARD,
    REVERSE,
    VALUE_OF,
    WILD_MASK,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import add_to_planes, size_of, size_within, take_from_planes
from kibitz.games.uno.state import DREW, FORCED, JUMPED_IN, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import DRAWN, MAY_NOT_PLAY_DRAWN, PLAY_ANY_CARD, SeatBytes, SeatInts, View
from kibitz.jit import Word, number, word
from kibitz.records import Byte, Int
from kibitz.search.uno.belief import Belief
from kibitz.search.uno.hypotheses import Real
from kibitz.search.uno.model import call_chance, draw_chance, keep_chance, play_chance
from kibitz.search.uno.worlds import Hidden, World, copy_world, pick_card, sample_world, uniform, world_weight

LENGTH = 64  # what is remembered of all opponents together, a power of two
PLAYS, ALL = 0, 1  # which decisions are weighed
SLIP, REACH, WEIGHED = 0.05, 32, PLAYS
LEAST_SLIP = 0.001
PROPOSALS = 8

# What is remembered: plays by choice, in a window, of the card just drawn; draws of a card that did not fit, that fitted, of which
# nothing was shown; and draws by force.
CHOSEN, PLACED, PLAYED_DRAWN, DREW_UNFIT, DREW_FITTING, DREW_ANY, MADE_TO_DRAW = range(7)

_ZERO = Word(0)
_LEAST_WEIGHT = 1e-280
_NOBODY = -1

Codes = Annotated[list[int], "i1", LENGTH]


class History:
    """The last decisions of the opponents, entry i at place i % LENGTH, and what is needed to note the next one."""

    past_slip: Real  # the chance that a player does not do what the model says
    past_matching: Annotated[list[int], "u8", LENGTH]  # what fitted the top card
    past_earlier: Annotated[list[int], "i4", LENGTH]  # the entry before of the same seat, or -1
    past_latest: SeatInts  # the last entry of each seat, or -1
    past_end: Int  # entries so far
    past_reach: Int  # entries of a seat that are weighed at most
    past_weighed: Byte  # PLAYS or ALL
    past_kinds: Codes
    past_cards: Codes
    past_colours: Codes  # called
    past_counts: Codes  # of cards drawn
    past_top_colours: Codes  # current before
    past_closing: Codes  # 1 if the next player held one card
    past_sizes: SeatBytes  # cards in each hand
    past_direction: Byte
    past_window: Byte  # 1 if the next play is an answer in a window


# -- keeping it --


def begin_history(view: View, history: History) -> None:
    """Begin with nothing, and with the usual model."""
    set_model(history, SLIP, REACH, WEIGHED)
    history.past_end = 0
    history.past_direction = view.direction
    history.past_window = 1 if view.phase > DRAWN else 0
    forget_all_seats(view, history)


def set_model(history: History, slip: float, reach: int, weighed: int) -> None:
    """How often players slip, how many entries of each are looked at, and which decisions are weighed: PLAYS or ALL."""
    history.past_slip = max(slip, LEAST_SLIP)
    history.past_reach = reach
    history.past_weighed = weighed


def forget_all_seats(view: View, history: History) -> None:
    """Hands are not what they were: begin anew."""
    for seat in range(number(view.players)):
        history.past_latest[seat] = _NOBODY
        history.past_sizes[seat] = view.sizes[seat]


def observe_history(view: View, event: Event, history: History) -> None:
    """Take account of one event, seen after the whole action that caused it."""
    kind, seat = number(event.kind), number(event.seat)
    if kind == PLAY:
        if seat != number(view.seat):
            noted = PLAYED_DRAWN if event.drawn else PLACED if history.past_window else CHOSEN
            note_entry(view, event, history, noted)
        history.past_sizes[seat] -= 1
        if VALUE_OF[number(event.card)] == REVERSE and not view.reverse_skips:
            history.past_direction = -history.past_direction
    elif kind == DREW or kind == FORCED or (kind == KEPT and event.count == 0):
        if seat != number(view.seat):
            noted = MADE_TO_DRAW
            if kind != FORCED:
                noted = DREW_ANY
                if event.count > 0 and view.drawn_rule != MAY_NOT_PLAY_DRAWN and view.drawn_rule != PLAY_ANY_CARD:
                    noted = DREW_FITTING if view.phase == DRAWN and number(view.current) == seat else DREW_UNFIT
            note_entry(view, event, history, noted)
        history.past_sizes[seat] += event.count
    elif kind == SWAPPED or kind == PASSED_HANDS or kind == SHUFFLED:
        forget_all_seats(view, history)
    history.past_window = 1 if kind == JUMPED_IN or view.phase > DRAWN else 0


def note_entry(view: View, event: Event, history: History, kind: int) -> None:
    """Add an entry for what the event tells."""
    seat, players = number(event.seat), number(view.players)
    end = number(history.past_end)
    place = end % LENGTH
    following = (seat + number(history.past_direction) + players) % players
    history.past_matching[place] = match_mask(number(event.top), number(event.top_colour))
    history.past_earlier[place] = history.past_latest[seat]
    history.past_kinds[place] = kind
    history.past_cards[place] = event.card
    history.past_colours[place] = event.colour
    history.past_counts[place] = event.count
    history.past_top_colours[place] = event.top_colour
    history.past_closing[place] = 1 if history.past_sizes[following] == 1 else 0
    history.past_latest[seat] = end
    history.past_end = end + 1


# -- going back --


def likelihood(view: View, history: History, world: World, position: int) -> tuple[int, float]:
    """Where the stream stands then, and an unbiased estimate of how likely the opponents' decisions were with these hands.

    It is never zero, so no world is excluded.
    """
    weight = 1.0
    for seat in range(number(view.players)):
        if seat != number(view.seat) and history.past_latest[seat] >= 0:
            position, factor = seat_likelihood(view, history, world, seat, position)
            weight *= factor
    return position, max(weight, _LEAST_WEIGHT)


def seat_likelihood(view: View, history: History, world: World, seat: int, position: int) -> tuple[int, float]:
    """The same for one opponent."""
    low, middle, high = world.hands0[seat], world.hands1[seat], world.hands2[seat]
    slip = history.past_slip
    weight = 1.0
    drawn = number(NO_CARD)  # the card that the draw before is known to have brought
    if view.phase == DRAWN and number(view.current) == seat:
        drawn = number(world.drawn)
    waits = drawn != NO_CARD
    entry = number(history.past_latest[seat])
    oldest = max(number(history.past_end) - LENGTH, 0)
    left = number(history.past_reach)
    while entry >= oldest and left > 0:
        place = word(entry) & word(LENGTH - 1)
        kind = number(history.past_kinds[place])
        if kind <= PLAYED_DRAWN:
            card = number(history.past_cards[place])
            if low & middle & high & bit(card) != _ZERO:  # more than a hand can hold, as cards came back after a refill
                break
            low, middle, high = add_to_planes(low, middle, high, bit(card))
            colour = number(history.past_colours[place])
            if kind == CHOSEN:
                weight *= play_chance(
                    view,
                    low,
                    middle,
                    high,
                    history.past_matching[place],
                    number(history.past_top_colours[place]),
                    number(history.past_closing[place]),
                    card,
                    colour,
                    slip,
                )
            elif kind == PLAYED_DRAWN:
                if card >= COLOURED_TYPES:
                    weight *= call_chance(low, middle, high, colour, slip)
                drawn = card
        elif kind == MADE_TO_DRAW:
            for _ in range(min(number(history.past_counts[place]), size_of((low, middle, high)))):
                position, card = pick_card(low, middle, high, position)
                low, middle, high = take_from_planes(low, middle, high, bit(card))
        else:
            position, low, middle, high, factor = take_drawn(view, history, number(place), low, middle, high, drawn, waits, position)
            weight *= factor
            drawn = number(NO_CARD)
        waits = False
        entry = number(history.past_earlier[place])
        left -= 1
    return position, weight


def take_drawn(
    view: View, history: History, place: int, low: int, middle: int, high: int, drawn: int, waits: bool, position: int
) -> tuple[int, int, int, int, float]:
    """Take away what an opponent drew of its own will: where the stream stands then, the hand before, and a factor of the weight.

    `drawn` is the last card it drew, if that is known; it `waits` if what it does with that card is not decided.
    """
    slip = history.past_slip
    kind, closing = number(history.past_kinds[place]), number(history.past_closing[place])
    matching = history.past_matching[place]
    weighs_draws = history.past_weighed == ALL
    count = min(number(history.past_counts[place]), size_of((low, middle, high)))
    factor, expected = 1.0, 1.0  # `expected` is what the choice of the card supposes of the chance to draw
    if count > 0:
        card = drawn
        if card == NO_CARD:
            planes = (low, middle, high)
            # With these in hand, to draw was a slip.
            stops = matching if view.must_play != 0 or closing else matching & COLOURED_MASK
            stopping = size_within(planes, stops)
            rarely = slip / 4.0 if count == 1 else 1.0
            one = 1.0 if stopping == 1 else rarely  # if a card of these is taken away
            other = 1.0 if stopping == 0 else rarely
            size = size_of(planes)
            first, second = stops, ALL_CARDS & ~stops  # the card is of one of two classes, more likely of one
            weight1, weight2 = one, other
            if kind == DREW_FITTING:
                first, second = matching & COLOURED_MASK, matching & WILD_MASK
                kept1, kept2 = keep_chance(False, size, slip), keep_chance(True, size, slip)
                if not weighs_draws:
                    factor *= max((size_within(planes, first) * kept1 + size_within(planes, second) * kept2) / size, slip / size)
                weight1 = kept1 * one
                weight2 = kept2 * (one if stops & WILD_MASK != _ZERO else other)
            elif kind == DREW_UNFIT:
                first, second = word(0), ALL_CARDS & ~matching
                weight2 = other
            share1 = size_within(planes, first) * weight1
            share2 = size_within(planes, second) * weight2
            if share1 + share2 <= 0.0:  # no card agrees with what was shown
                position, card = pick_card(low, middle, high, position)
                if weighs_draws:
                    factor *= slip / size
            else:
                chosen = second
                if share1 > 0.0:
                    position, chance = uniform(position)
                    if chance * (share1 + share2) < share1:
                        chosen = first
                position, card = pick_card(low & chosen, middle & chosen, high & chosen, position)
                if weighs_draws:
                    factor *= (share1 + share2) / size
                    expected = one if bit(card) & stops != _ZERO else other
        low, middle, high = take_from_planes(low, middle, high, bit(card))
        for _ in range(count - 1):  # drawn before the last one
            planes = (low, middle, high)
            unfit = ALL_CARDS & ~matching
            share = size_within(planes, unfit)
            if share == 0:
                unfit = word(ALL_CARDS)
            if weighs_draws:
                factor *= max(number(share), slip) / size_of(planes)
            position, card = pick_card(low & unfit, middle & unfit, high & unfit, position)
            low, middle, high = take_from_planes(low, middle, high, bit(card))
    if weighs_draws:
        current = number(history.past_top_colours[place])
        factor *= draw_chance(view, low, middle, high, matching, current, closing, slip) / expected
    return position, low, middle, high, factor


# -- sampling --


def is_remembered(view: View, history: History) -> bool:
    """Whether there is anything to weigh worlds by."""
    for seat in range(number(view.players)):
        if seat != number(view.seat) and history.past_latest[seat] >= 0:
            return history.past_reach > 0
    return False


def weigh_world(view: View, belief: Belief, history: History, world: World, position: int) -> tuple[int, float]:
    """Where the stream stands then, and what a world sampled from the belief weighs."""
    position, weight = likelihood(view, history, world, position)
    if history.past_weighed == ALL:
        weighed = world_weight(view, belief, world)
        if weighed > 0.0:
            weight /= weighed
    return position, weight


def sample_weighted(
    view: View, belief: Belief, hidden: Hidden, history: History, proposals: int, position: int, world: World, spare: World
) -> int:
    """Sample so many worlds from a belief and keep one, each with a chance proportional to its weight; where the stream stands then.

    `prepare` has been called as for `sample_world`; `spare` is room for worlds that are not kept.
    """
    position = sample_world(view, belief, hidden, position, world)
    if proposals < 2 or not is_remembered(view, history):
        return position
    position, total = weigh_world(view, belief, history, world, position)
    for _ in range(proposals - 1):
        position = sample_world(view, belief, hidden, position, spare)
        position, weight = weigh_world(view, belief, history, spare, position)
        total += weight
        position, chance = uniform(position)
        if chance * total < weight:
            copy_world(spare, world)
    return position
