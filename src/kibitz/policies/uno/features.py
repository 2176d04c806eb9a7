"""A candidate action as numbers, which the linear policy weighs.

`prepare` looks at the table once a decision; `describe` then lists the features of one candidate, as places and values, since
few of them differ from zero. What every place stands for is in `feature_groups`, what is remembered of the others in `sightings`.
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import ONE, Numbers, Word, inline, lowest, number, popcount, word
from kibitz.core.layouts import Int, Word64
from kibitz.games.uno.cards import (
    COLOUR_MASKS,
    COLOURED_TYPES,
    DRAW,
    DRAW_TWO_KIND,
    KEEP,
    KIND_MASKS,
    MATCH_MASKS,
    NO_COLOUR,
    POINTS_OF,
    REVERSE_KIND,
    SKIP_KIND,
    VALUE_MASKS,
    VALUE_OF,
    VALUES,
    WILD_DRAW_FOUR_KIND,
    WILD_MASK,
    action_card,
    action_colour,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import size_of, size_within, take_from_planes, types_in
from kibitz.games.uno.view import DRAWN, View
from kibitz.policies.uno.feature_groups import FEATURES, RANGES
from kibitz.policies.uno.sightings import Sightings, hidden_cards

_ZERO = Word(0)
_DRAW_TWOS = Word(int(KIND_MASKS[DRAW_TWO_KIND]))
_TURNS = Word(int(KIND_MASKS[REVERSE_KIND]) | int(KIND_MASKS[SKIP_KIND]))

# Counts of cards, in the order of the labels.
OWN_BUCKETS = Numbers([0, 0, 1, 2, 3, 4, 4, 5, 5, 5, 6])
OWN_SHORT = Numbers([0, 0, 1, 2, 3, 3, 4])
SIZE_BUCKETS = Numbers([0, 0, 1, 2, 3, 4, 4, 5])

MOST_CANDIDATES = 70  # every play, and one way to play nothing
MOST_ACTIVE = 40  # features of one candidate that differ from zero, at most

# Where each group begins.
_WINS, _RUNS_OUT, _KIND = RANGES["wins"][0], RANGES["runs out"][0], RANGES["kind"][0]
_AFTER_NEXT, _BEFORE, _LEAST = RANGES["after next"][0], RANGES["before"][0], RANGES["least"][0]
_SAME_COLOUR, _SAME_VALUE, _BEHIND, _COLOURS = (RANGES[name][0] for name in ("same colour", "same value", "behind", "colours"))
_WILDS, _FOURS, _TWOS, _TURNS_LEFT, _ALONE = (RANGES[name][0] for name in ("wilds", "fours", "draw twos", "turns", "alone"))
_LAST_CARD, _STOPPED, _SECOND_STOPPED = (RANGES[name][0] for name in ("last card", "stopped", "second stopped"))
_LEAST_STOPPED, _LACKS, _CALLED, _LEFT = (RANGES[name][0] for name in ("least stopped", "lacks", "called", "left"))
_STOPPED_THEN, _FOLLOW, _TURNED, _HELD_BACK = (RANGES[name][0] for name in ("stopped then", "follow", "turned", "held back"))
_KEPT, _DECLINED, _OWN_MATCH, _POINTS = (RANGES[name][0] for name in ("kept", "declined", "own match", "points"))


class Description:
    """What a decision looks like, its candidates, and the features of the one described last."""

    actions: Annotated[list[int], "i4", MOST_CANDIDATES]
    candidates: Int
    scores: Annotated[list[float], "f8", MOST_CANDIDATES]  # what the linear policy thinks of each
    amounts: Annotated[list[float], "f8", MOST_ACTIVE]  # of the features of the candidate described last, …
    places: Annotated[list[int], "i4", MOST_ACTIVE]  # … and which features they are
    count: Int  # how many of them are in use
    unseen_colours: Annotated[list[int], "i4", 5]  # hidden cards by colour
    unseen_values: Annotated[list[int], "i4", VALUES + 1]
    unseen: Int
    next_seat: Int
    after_next: Int
    before: Int
    least_seat: Int  # the opponent with the smallest hand, the nearest of several
    held: Annotated[list[int], "i4", 5]  # own cards by colour
    held_wilds: Int  # and by kind
    held_fours: Int
    held_twos: Int
    held_turns: Int
    unseen0: Word64
    unseen1: Word64
    unseen2: Word64


def prepare(view: View, memory: Sightings, found: Description) -> None:
    """Count the hidden cards, once a decision."""
    hidden = hidden_cards(view, memory)
    found.unseen0, found.unseen1, found.unseen2 = hidden
    for colour in range(4):
        found.unseen_colours[colour] = size_within(hidden, COLOUR_MASKS[colour])
        found.held[colour] = size_within(view.hand(), COLOUR_MASKS[colour])
    found.held_wilds = size_within(view.hand(), WILD_MASK)
    found.held_fours = size_within(view.hand(), KIND_MASKS[WILD_DRAW_FOUR_KIND])
    found.held_twos = size_within(view.hand(), _DRAW_TWOS)
    found.held_turns = size_within(view.hand(), _TURNS)
    for value in range(VALUES):
        found.unseen_values[value] = -1  # counted where it is needed
    found.unseen = max(size_of(hidden), 1)
    found.next_seat = view.seat_after(1)
    found.least_seat = found.next_seat
    if view.players > 2:
        found.after_next = view.seat_after(2)
        found.before = view.seat_after(-1)
        least = number(found.next_seat)
        for places in range(2, number(view.players)):
            seat = view.seat_after(places)
            if view.sizes[seat] < view.sizes[least]:
                least = seat
        found.least_seat = least
    else:
        found.after_next = view.seat
        found.before = found.next_seat


def list_candidates(view: View, found: Description) -> None:
    """Every play, a wild once for each colour, and playing nothing where that is allowed."""
    count = 0
    playable = view.playable()
    while playable != _ZERO:
        card = lowest(playable)
        playable &= playable - ONE
        for colour in range(1 if card < COLOURED_TYPES else 4):
            found.actions[count] = view.play(card, colour)
            count += 1
    if count == 0 or view.may_decline():
        found.actions[count] = view.decline()
        count += 1
    found.candidates = count


def stop_chance(view: View, memory: Sightings, found: Description, seat: int, card: int, colour: int) -> float:
    """About how likely a seat has no coloured card to play on a card, by what it has shown and by what is hidden."""
    size = number(view.sizes[seat])
    if colour == NO_COLOUR:
        return 0.0
    chance = 1.0
    miss = 1.0 - number(found.unseen_colours[colour]) / number(found.unseen)
    for _ in range(min(size, number(memory.open_colours[seat * 4 + colour]))):
        chance *= miss
    if card < COLOURED_TYPES:
        value = VALUE_OF[card]
        if found.unseen_values[value] < 0:
            hidden = (found.unseen0, found.unseen1, found.unseen2)
            found.unseen_values[value] = size_within(hidden, VALUE_MASKS[value])
        miss = 1.0 - number(found.unseen_values[value]) * 0.75 / number(found.unseen)
        for _ in range(min(size, number(memory.open_values[seat * VALUES + value]))):
            chance *= miss
    return chance


def list_sensible(view: View, found: Description) -> None:
    """Every play, a wild for colours in hand alone; playing nothing if no coloured card may be played."""
    count = 0
    playable = view.playable()
    declines = playable & ~WILD_MASK == _ZERO and view.may_decline()
    coloured = view.has_colour()
    while playable != _ZERO:
        card = lowest(playable)
        playable &= playable - ONE
        if card < COLOURED_TYPES:
            found.actions[count] = card
            count += 1
            continue
        for colour in range(4):
            if not coloured or view.types() & COLOUR_MASKS[colour] != _ZERO:
                found.actions[count] = view.play(card, colour)
                count += 1
    if declines:
        found.actions[count] = view.decline()
        count += 1
    found.candidates = count


def best_candidate(view: View, memory: Sightings, found: Description, weights: Any) -> int:
    """The action that the linear policy takes; `weights` are for two, for three or four and for more players."""
    list_candidates(view, found)
    return best_listed(view, memory, found, weights)


def best_sensible(view: View, memory: Sightings, found: Description, weights: Any) -> int:
    """The same in haste: fewer candidates are weighed, and often there is one alone."""
    list_sensible(view, found)
    if found.candidates == 1:
        return number(found.actions[0])
    return best_listed(view, memory, found, weights)


def best_listed(view: View, memory: Sightings, found: Description, weights: Any) -> int:
    """The listed candidate with the highest score."""
    prepare(view, memory, found)
    players = number(view.players)
    first = 0 if players == 2 else FEATURES if players <= 4 else 2 * FEATURES
    chosen = number(found.actions[0])
    best = 0.0
    for candidate in range(number(found.candidates)):
        describe(view, memory, found, number(found.actions[candidate]))
        score = 0.0
        for place in range(number(found.count)):
            score += weights[first + found.places[place]] * found.amounts[place]
        found.scores[candidate] = score
        if candidate == 0 or score > best:
            chosen = number(found.actions[candidate])
            best = score
    return chosen


@inline
def note(found: Description, place: int, value: float) -> None:
    """Add a feature."""
    count = word(found.count)
    found.places[count] = place
    found.amounts[count] = value
    found.count += 1


def note_between(found: Description, first: int, step: int, chance: float, parts: int) -> None:
    """Add the two marks that a chance lies between, the nearer one more; marks divide the way from 0 to 1 into so many parts."""
    scaled = chance * parts
    knot = min(int(scaled), parts - 1)
    part = scaled - knot
    note(found, first + knot * step, 1.0 - part)
    note(found, first + (knot + 1) * step, part)


def describe(view: View, memory: Sightings, found: Description, action: int) -> None:
    """List the features of a candidate action; `prepare` has been called for this decision."""
    found.count = 0
    players = number(view.players)
    me = number(view.seat)
    hand = view.hand()
    left = view.hand_size()
    following = number(found.next_seat)
    card, colour = number(view.top), number(view.colour)
    actor = following
    declines = action >= DRAW
    kind = 6 if action == DRAW else 7
    if action == DRAW:
        left += 1
    if not declines:
        card = action_card(action)
        colour = action_colour(action)
        kind = view.kind_of(card)
        left -= 1
        if left == 0:
            note(found, _WINS, 1.0)
            return
        hand = take_from_planes(hand[0], hand[1], hand[2], bit(card))
        if kind == SKIP_KIND or kind == DRAW_TWO_KIND or kind == WILD_DRAW_FOUR_KIND:
            actor = number(found.after_next)
        elif kind == REVERSE_KIND:
            actor = number(found.before)
    next_size = number(view.sizes[following])
    own = OWN_SHORT[min(left, 6)]
    size = SIZE_BUCKETS[min(next_size, 7)]
    note(found, _KIND + (kind * 7 + OWN_BUCKETS[min(left, 10)]) * 6 + size, 1.0)
    if players > 2:
        after = number(view.sizes[found.after_next])
        before = number(view.sizes[found.before])
        note(found, _AFTER_NEXT + kind * 4 + min(after, 4) - 1, 1.0)
        note(found, _BEFORE + kind * 4 + min(before, 4) - 1, 1.0)
        note(found, _LEAST + kind * 4 + min(number(view.sizes[found.least_seat]), 4) - 1, 1.0)
    types = types_in(hand)
    played = word(0) if declines else bit(card)
    describe_hand(found, played, types, own, size)
    again = actor == me
    # What the hand can do on the card on top.
    same_colour = number(found.held[colour]) if colour < NO_COLOUR else 0
    if played & COLOUR_MASKS[colour] != _ZERO:
        same_colour -= 1
    way = 3 if declines else 2 if again else 1 if card >= COLOURED_TYPES else 0
    note(found, _SAME_COLOUR + (way * 5 + min(same_colour, 4)) * 5 + own, 1.0)
    same_value = 0
    if card < COLOURED_TYPES:
        same_value = size_within(hand, VALUE_MASKS[VALUE_OF[card]])
        note(found, _SAME_VALUE + (min(same_value, 2) * 5 + own) * 2 + (1 if again else 0), 1.0)
    most = 0
    colours = 0
    for each in range(4):
        held = number(found.held[each])
        if each == colour and card < COLOURED_TYPES and not declines:
            held -= 1
        most = max(most, held)
        if held > 0:
            colours += 1
    note(found, _BEHIND + min(most - same_colour, 3) * 5 + own, 1.0)
    note(found, _COLOURS + colours * 5 + own, 1.0)
    matching = match_mask(card, colour)
    if not declines and left == 1:
        what = 0 if types & WILD_MASK != _ZERO else 1 if same_colour > 0 else 2 if same_value > 0 else 3
        note(found, _LAST_CARD + what * 4 + min(next_size, 4) - 1, 1.0)
    whose = 2 if declines else 1 if again else 0
    follow = min(size_within(hand, matching), 3)
    note(found, _FOLLOW + (follow * 3 + whose) * 4 + min(next_size, 4) - 1, 1.0)
    if same_colour + same_value == 0 and types & WILD_MASK == _ZERO:
        hidden = (found.unseen0, found.unseen1, found.unseen2)
        note(found, _OWN_MATCH + own, size_within(hidden, matching) / number(found.unseen))
    if again and not declines and goes_out(view, hand, types, matching, left):
        note(found, _RUNS_OUT, 1.0)
    describe_others(view, memory, found, actor, card, colour, declines, whose, own)
    if declines:
        if action == KEEP and view.phase == DRAWN and view.drawn < 56:
            note(found, _KEPT + view.kind_of(view.drawn) * 5 + own, 1.0)
        elif action == DRAW:
            playable = view.playable()
            wilds = popcount(playable & WILD_MASK)
            if wilds > 0 and popcount(playable) == wilds:
                note(found, _HELD_BACK + own * 4 + min(next_size, 4) - 1, 1.0)
            note(found, _DECLINED + min(popcount(playable) - wilds, 2) * 3 + min(wilds, 2), 1.0)
    else:
        note(found, _POINTS + min(number(view.sizes[found.least_seat]), 4) - 1, POINTS_OF[card] / 50.0)


def describe_hand(found: Description, played: int, types: int, own: int, size: int) -> None:
    """What is left in hand, whatever lies on top; `played` is the card played as a mask, or none."""
    wilds = number(found.held_wilds) - popcount(played & WILD_MASK)
    fours = number(found.held_fours) - popcount(played & KIND_MASKS[WILD_DRAW_FOUR_KIND])
    twos = number(found.held_twos) - popcount(played & _DRAW_TWOS)
    turns = number(found.held_turns) - popcount(played & _TURNS)
    note(found, _WILDS + (min(wilds, 2) * 5 + own) * 4 + min(size, 3), 1.0)
    note(found, _FOURS + min(fours, 2) * 5 + own, 1.0)
    note(found, _TWOS + min(twos, 2) * 5 + own, 1.0)
    note(found, _TURNS_LEFT + min(turns, 2) * 5 + own, 1.0)
    alone = 0
    coloured = types & ~WILD_MASK
    for colour in range(4):
        single = coloured & COLOUR_MASKS[colour]
        if single != _ZERO and single & (single - ONE) == _ZERO and coloured & VALUE_MASKS[VALUE_OF[lowest(single)]] == single:
            alone += 1
    note(found, _ALONE + min(alone, 3) * 5 + own, 1.0)


def describe_others(
    view: View, memory: Sightings, found: Description, actor: int, card: int, colour: int, declines: bool, whose: int, own: int
) -> None:
    """What the others can do on the card on top."""
    me = number(view.seat)
    if actor == me:  # two players: the other one comes later
        actor = number(found.next_seat)
    held = number(view.sizes[actor])
    short = min(held, 4) - 1
    chance = stop_chance(view, memory, found, actor, card, colour)
    note_between(found, _STOPPED + (66 if declines else 0) + SIZE_BUCKETS[min(held, 7)], 6, chance, 10)
    note_between(found, _STOPPED_THEN + whose * 30 + own, 5, chance, 5)
    if colour != NO_COLOUR:
        since = number(memory.open_colours[actor * 4 + colour])
        if since < held:
            note(found, _LACKS + min(since, 2) * 4 + short, 1.0)
        if memory.called[actor] == colour:
            note(found, _CALLED + short, 1.0)
        if memory.left[actor] == colour:
            note(found, _LEFT + short, 1.0)
        if memory.turned[actor] == colour:
            note(found, _TURNED + short, 1.0)
    if view.players > 2:
        direction = number(view.direction)
        if not declines and view.kind_of(card) == REVERSE_KIND:
            direction = -direction
        second = (actor + direction + number(view.players)) % number(view.players)
        if second != me:
            size = min(number(view.sizes[second]), 4) - 1
            note_between(found, _SECOND_STOPPED + size, 4, stop_chance(view, memory, found, second, card, colour), 5)
        least = number(found.least_seat)
        if view.sizes[least] <= 3 and least != actor:
            note_between(found, _LEAST_STOPPED + number(view.sizes[least]) - 1, 3, stop_chance(view, memory, found, least, card, colour), 5)


def goes_out(view: View, hand: tuple[int, int, int], types: int, matching: int, left: int) -> bool:
    """Whether a player who acts again can empty a hand of one or two cards without anybody else acting in between."""
    playable = types & matching
    if left == 1:
        return playable != _ZERO
    if left != 2:
        return False
    while playable != _ZERO:
        card = lowest(playable)
        playable &= playable - ONE
        if view.actor_after(card) == number(view.seat):
            rest = types_in(take_from_planes(hand[0], hand[1], hand[2], bit(card)))
            if card >= COLOURED_TYPES or rest & MATCH_MASKS[card] != _ZERO:  # a wild calls the colour of the last card
                return True
    return False
