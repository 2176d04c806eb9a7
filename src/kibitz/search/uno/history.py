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
kept, and takes the belief's word for draws. ALL weighs draws by the model too, and takes the belief's weight out again; it
comes closer to the truth (benchmarks/history.py).

Not everybody plays as Mix2. Each opponent is either steady, and slips now and then, or loose, and slips often; which of them a
world makes it shows in all its decisions together, so that some surprises do not count as so many coincidences.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, inline, number, word
from kibitz.core.layouts import Byte, Int
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
from kibitz.games.uno.counts import add_to_planes, count_in, size_of, size_within, take_from_planes
from kibitz.games.uno.state import DREW, FORCED, JUMPED_IN, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import DRAWN, MAY_NOT_PLAY_DRAWN, PLAY_ANY_CARD, SeatBytes, SeatInts, SeatWords, View
from kibitz.policies.uno.opponent_model import call_chances, draw_chances, keep_chances, play_chances
from kibitz.search.uno.belief import Belief
from kibitz.search.uno.hypotheses import Real
from kibitz.search.uno.worlds import Hidden, World, copy_world, pick_card, sample_world, uniform, world_weight

LENGTH = 64  # what is remembered of all opponents together, a power of two
PLAYS, ALL = 0, 1  # which decisions are weighed
SLIP, REACH, WEIGHED = 0.05, 16, ALL
LOOSE, WIDE_SLIP = 0.2, 0.3
IMPOSSIBLE = 0.01  # what counts for the chance of what cannot have been
RARELY = 0.05  # how rarely a card is guessed to have been drawn that does not explain what was done
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

    past_slip: Real  # how often a steady player does not do what the model says
    past_wide_slip: Real  # how often a loose one does not
    past_loose: Real  # what share of players is loose
    past_floor: Real  # what counts for the chance of what cannot have been, so that one wrong guess does not exclude a world
    past_matching: Annotated[list[int], "u8", LENGTH]  # what fitted the top card
    past_lacked: Annotated[list[int], "u8", LENGTH]  # what the seat seemed to lack when it last chose to draw before
    past_lacks: SeatWords  # what each seat seems to have lacked when it last chose to draw
    past_earlier: Annotated[list[int], "i4", LENGTH]  # the entry before of the same seat, or -1
    past_latest: SeatInts  # the last entry of each seat, or -1
    past_end: Int  # entries so far
    past_reach: Int  # entries of a seat that are weighed at most
    past_weighed: Byte  # PLAYS or ALL
    past_kinds: Codes
    past_cards: Codes
    past_colours: Codes  # called
    past_counts: Codes  # of cards drawn
    past_since: Codes  # and of those since it last chose to draw before, with these
    past_top_colours: Codes  # current before
    past_closing: Codes  # 1 if the next player held one card
    past_sizes: SeatBytes  # cards in each hand
    past_taken: SeatBytes  # cards each seat has drawn since it last chose to draw
    past_direction: Byte
    past_window: Byte  # 1 if the next play is an answer in a window


# -- keeping it --


def begin_history(view: View, history: History) -> None:
    """Begin with nothing, and with the usual model."""
    set_model(history, SLIP, REACH, WEIGHED)
    set_players(history, LOOSE, WIDE_SLIP)
    history.past_floor = IMPOSSIBLE
    history.past_end = 0
    history.past_direction = view.direction
    history.past_window = 1 if view.phase > DRAWN else 0
    forget_all_seats(view, history)


def set_model(history: History, slip: float, reach: int, weighed: int) -> None:
    """How often a steady player slips, how many entries of each seat are looked at, and which decisions are weighed: PLAYS or ALL."""
    history.past_slip = min(max(slip, LEAST_SLIP), 1.0)
    history.past_reach = reach
    history.past_weighed = weighed


def set_players(history: History, loose: float, wide_slip: float) -> None:
    """What share of players is loose, and how often those slip."""
    history.past_loose = loose
    history.past_wide_slip = max(wide_slip, LEAST_SLIP)


def forget_all_seats(view: View, history: History) -> None:
    """Hands are not what they were: begin anew."""
    for seat in range(number(view.players)):
        history.past_latest[seat] = _NOBODY
        history.past_sizes[seat] = view.sizes[seat]
        history.past_lacks[seat] = word(0)
        history.past_taken[seat] = 0


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
    if kind >= DREW_UNFIT:
        history.past_taken[seat] += event.count
        history.past_lacked[place] = history.past_lacks[seat]
        history.past_since[place] = history.past_taken[seat]
        if kind != MADE_TO_DRAW:
            history.past_lacks[seat] = stopping_types(view, history, place)
            history.past_taken[seat] = 0


def stopping_types(view: View, history: History, place: int) -> int:
    """The types with which it was a slip to draw, at an entry."""
    matching = history.past_matching[place]
    return matching if view.must_play != 0 or history.past_closing[place] else matching & COLOURED_MASK


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


@inline
def slipping(slip: float, chances: tuple[float, float]) -> float:
    """The chance of what a player does who slips so often."""
    return chances[0] + slip * (chances[1] - chances[0])


def seat_likelihood(view: View, history: History, world: World, seat: int, position: int) -> tuple[int, float]:
    """The same for one opponent."""
    low, middle, high = world.hands0[seat], world.hands1[seat], world.hands2[seat]
    slip, wide = history.past_slip, history.past_wide_slip
    steady, loose = 1.0 - history.past_loose, history.past_loose  # by kind of player
    weight = 1.0  # for both
    drawn = number(NO_CARD)  # the card that the draw before is known to have brought
    if view.phase == DRAWN and number(view.current) == seat:
        drawn = number(world.drawn)
    entry = number(history.past_latest[seat])
    oldest = max(number(history.past_end) - LENGTH, 0)
    left = number(history.past_reach)
    while entry >= oldest and left > 0:
        place = word(entry) & word(LENGTH - 1)
        kind = number(history.past_kinds[place])
        matching = history.past_matching[place]
        current, closing = number(history.past_top_colours[place]), number(history.past_closing[place])
        chances = (1.0, 1.0)
        if kind <= PLAYED_DRAWN:
            card, colour = number(history.past_cards[place]), number(history.past_colours[place])
            if low & middle & high & bit(card) != _ZERO:  # more than a hand can hold, as cards came back after a refill
                break
            low, middle, high = add_to_planes(low, middle, high, bit(card))
            if kind == CHOSEN:
                # The prior of the hand after the play supposes that any of its cards was as likely the one played.
                weight /= count_in((low, middle, high), card)
                chances = play_chances(view, low, middle, high, matching, current, closing, card, colour)
            elif kind == PLAYED_DRAWN:
                if card >= COLOURED_TYPES:
                    chances = call_chances(low, middle, high, colour)
                drawn = card
        elif kind == MADE_TO_DRAW:
            for taken in range(min(number(history.past_counts[place]), size_of((low, middle, high)))):
                position, card, factor = guess_among(history, number(place), low, middle, high, word(ALL_CARDS), taken, position)
                weight *= factor
                low, middle, high = take_from_planes(low, middle, high, bit(card))
        else:
            size = size_of((low, middle, high))
            known = drawn != NO_CARD
            if size > 0 and history.past_counts[place] > 0:
                position, card, factor = guess_drawn(view, history, number(place), low, middle, high, drawn, position)
                weight *= factor
                low, middle, high = take_from_planes(low, middle, high, bit(card))
                if kind == DREW_FITTING and not known and bit(card) & matching != _ZERO:
                    kept = keep_chances(card >= COLOURED_TYPES, size)
                    steady *= slipping(slip, kept)
                    loose *= slipping(wide, kept)
                for taken in range(1, min(number(history.past_counts[place]), size)):
                    position, card, factor = guess_unfit(history, number(place), low, middle, high, taken, position)
                    weight *= factor
                    low, middle, high = take_from_planes(low, middle, high, bit(card))
            if history.past_weighed == ALL:
                chances = draw_chances(view, low, middle, high, matching, current, closing)
            drawn = number(NO_CARD)
        steady *= slipping(slip, chances)
        loose *= slipping(wide, chances)
        entry = number(history.past_earlier[place])
        left -= 1
    return position, weight * (steady + loose)


def guess_drawn(
    view: View, history: History, place: int, low: int, middle: int, high: int, drawn: int, position: int
) -> tuple[int, int, float]:
    """Which card an opponent drew last of its own will: where the stream stands then, the card, and a factor of the weight.

    `drawn` is that card if it is known. Else any card of the hand is as likely, before what was shown; one that explains it is
    guessed more often, and the factor makes up for that.
    """
    if drawn != NO_CARD:
        return position, drawn, 1.0
    kind = number(history.past_kinds[place])
    if kind == DREW_UNFIT:
        return guess_unfit(history, place, low, middle, high, 0, position)
    planes = (low, middle, high)
    matching = history.past_matching[place]
    # Rather the card is one of those with which to draw was a slip if it is the only one, else rather not.
    stops = stopping_types(view, history, place)
    stopping = size_within(planes, stops)
    rarely = RARELY if history.past_counts[place] == 1 else 1.0
    if_stop = 1.0 if stopping == 1 else rarely
    if_other = 1.0 if stopping == 0 else rarely
    first, second = word(stops), ALL_CARDS & ~stops
    weight1, weight2 = if_stop, if_other
    if kind == DREW_FITTING:  # and kept it: rather a wild
        first, second = matching & COLOURED_MASK, matching & WILD_MASK
        weight1 = RARELY * if_stop
        weight2 = if_stop if stops & WILD_MASK != _ZERO else if_other
    share1 = size_within(planes, first) * weight1
    share2 = size_within(planes, second) * weight2
    if share1 + share2 <= 0.0:  # no card agrees with what was shown
        position, card = pick_card(low, middle, high, position)
        return position, card, history.past_floor
    chosen, weight = second, weight2
    if share1 > 0.0:
        position, chance = uniform(position)
        if chance * (share1 + share2) < share1:
            chosen, weight = first, weight1
    position, card = pick_card(low & chosen, middle & chosen, high & chosen, position)
    if history.past_weighed == ALL or kind == DREW_FITTING:
        return position, card, (share1 + share2) / (size_of(planes) * weight)
    return position, card, 1.0


def guess_unfit(history: History, place: int, low: int, middle: int, high: int, taken: int, position: int) -> tuple[int, int, float]:
    """The same for a card that did not fit, after so many others of the same draw."""
    unfit = ALL_CARDS & ~history.past_matching[place]
    share = size_within((low, middle, high), unfit)
    if share == 0:
        position, card = pick_card(low, middle, high, position)
        return position, card, history.past_floor
    position, card, factor = guess_among(history, place, low, middle, high, unfit, taken, position)
    if history.past_weighed == ALL:
        return position, card, factor * share / size_of((low, middle, high))
    return position, card, 1.0


def guess_among(
    history: History, place: int, low: int, middle: int, high: int, types: int, taken: int, position: int
) -> tuple[int, int, float]:
    """The same for a card that may be any of these types.

    What the opponent seemed to lack when it chose to draw before has come with the cards it drew since, and rather with this one the
    fewer those were.
    """
    low, middle, high = low & types, middle & types, high & types
    new = history.past_lacked[place]
    size, count = size_of((low, middle, high)), size_within((low, middle, high), new)
    if count == 0 or count == size:
        position, card = pick_card(low, middle, high, position)
        return position, card, 1.0
    share = count / size
    guessed = min(max(share, count / max(number(history.past_since[place]) - taken, 1)), 1.0 - RARELY)
    guessed = max(guessed, share)
    position, chance = uniform(position)
    factor = share / guessed
    if chance >= guessed:
        new = ~new
        factor = (1.0 - share) / (1.0 - guessed)
    position, card = pick_card(low & new, middle & new, high & new, position)
    if history.past_weighed != ALL:
        factor = 1.0
    return position, card, factor


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
