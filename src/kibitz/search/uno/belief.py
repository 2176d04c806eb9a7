"""What one player may conclude about the hidden cards: the memory of a search bot, kept from public events alone.

A bot declares `memory=Belief` and calls two kernels:

    def begin(view, memory, params):
        begin_belief(view, memory, EXACT, params.floor, params.wild_floor)

    def observe(view, event, memory):
        observe_belief(view, event, memory)

`begin_belief` works at any position; what happened before it is then unknown. Cards are accounted for exactly: the hidden ones
are the deck without the own hand, the discard pile, the top card and cards that others are known to hold (`view.known`, and
between two players the whole hand once the draw pile has run out). All ways to deal them out count the same, as far as they
agree with what was seen. Of two kinds of update one is chosen:

EXACT. Who draws although it must play if it can holds nothing playable: every card held before the draw lacks those types, and
that stays known of each card through later draws and plays (see `hypotheses`). Where drawing is a choice, it is a likelihood: a
player with a coloured card that fits draws with chance `floor`, one whose wilds alone fit with `wild_floor`, so no possible
hand is ever excluded. Besides, what the rules prove: a drawn card that ended the turn did not fit, an honest Wild Draw Four was
honest, and cards held when the pile ran out were not in the discard pile. Why a player chose one card and not another is not
considered: any card of its hand may have been the one played. What is left out: that a card kept after the phase DRAWN fits,
that a guilty hand has the colour, and among three or more players how many copies there were when the pile ran out.

SIMPLE. After a draw all cards of the hand, the new one included, lack what was playable; after a play or a forced draw
everything is possible again.
"""

from __future__ import annotations

from kibitz.core.jit import Word, number, word
from kibitz.core.layouts import Byte, Word64
from kibitz.games.uno.cards import (
    ALL_CARDS,
    COLOUR_MASKS,
    COLOUR_OF,
    COLOURED_TYPES,
    NO_CARD,
    VALUE_OF,
    WILD_DRAW_FOUR,
    WILD_MASK,
    WILD_SHUFFLE_HANDS,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import Planes, add_to_planes, difference, exceeds, size_of, take_from_planes, types_in
from kibitz.games.uno.state import CHALLENGED, DREW, FORCED, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import (
    DRAWN,
    HONEST_ONLY,
    LAST_RESORT,
    MAY_NOT_PLAY_DRAWN,
    PLAY_ANY_CARD,
    STACK_OFF,
    SeatWords,
    View,
)
from kibitz.search.uno.hypotheses import (
    POOL,
    Hypotheses,
    Real,
    commit_staged,
    copy_seat,
    draft_group,
    draft_hypothesis,
    exclude_types,
    first_of,
    reset_seat,
    slots_of,
    stage_draft,
    stage_seat,
    take_card_of_type,
    take_newest,
)

EXACT, SIMPLE = 0, 1
BELIEF_NAMES = ("exact", "simple")
ONCE = {"seed": "simple"}  # what beliefs were called before

# How often players draw although they could play. Mix and Mix2 hold wilds back; hardly any bot holds back other cards.
FLOOR, WILD_FLOOR = 0.03, 0.5
LEAST_FLOOR = 0.001
UNKNOWN_COLOUR = -1  # of the card below the top, where the belief began too late to hear of it

_ZERO = Word(0)
_FOUR = Word(1 << WILD_DRAW_FOUR)


class Belief(Hypotheses):
    """What is known of other hands, and of the table as far as the view does not tell it."""

    known0: SeatWords  # cards that each seat is known to hold: those of view.known, or more
    known1: SeatWords
    known2: SeatWords
    discard0: Word64  # the discard pile under the top card
    discard1: Word64
    discard2: Word64
    floor: Real
    wild_floor: Real
    mode: Byte  # EXACT or SIMPLE
    discard_size: Byte
    pile_size: Byte
    top: Byte
    before_top: Byte  # the top card before the last play, NO_CARD if unknown
    before_colour: Byte  # and its colour, or UNKNOWN_COLOUR
    turn_draws: Byte  # cards drawn in the present turn
    idle: Byte  # turns in a row that ended without a play or a card drawn
    grown: Byte  # 1 if somebody was made to draw since the last play


def begin_belief(view: View, belief: Belief, mode: int, floor: float, wild_floor: float) -> None:
    """Begin with nothing but the cards on the table. The two chances are explained above."""
    players = number(view.players)
    belief.viewer = view.seat
    belief.seats = players
    belief.capacity = POOL // (players - 1)
    belief.mode = mode
    belief.floor = max(floor, LEAST_FLOOR)
    belief.wild_floor = min(max(wild_floor, belief.floor), 1.0)
    belief.resets = 0
    count_discards(view, belief)
    belief.pile_size = view.pile_size
    belief.top = view.top
    size = number(view.discard_size)
    belief.before_top = view.discard[size - 1] if size > 0 else NO_CARD
    belief.before_colour = UNKNOWN_COLOUR
    if size > 0 and belief.before_top < COLOURED_TYPES:
        belief.before_colour = COLOUR_OF[number(belief.before_top)]
    belief.turn_draws = 1 if view.phase == DRAWN else 0
    belief.idle = 0
    belief.grown = 0
    for seat in range(players):
        set_known(belief, seat, view.known(seat))
        if seat != number(view.seat):
            reset_seat(belief, seat, number(view.sizes[seat]) - size_of(view.known(seat)), word(0))


def observe_belief(view: View, event: Event, belief: Belief) -> None:
    """Take account of one event, seen after the whole action that caused it."""
    kind, seat = number(event.kind), number(event.seat)
    other_seat = seat != number(view.seat)
    if kind == PLAY:
        belief.before_top = event.top
        belief.before_colour = event.top_colour
        belief.turn_draws = 0
        belief.idle = 0
        belief.grown = 0
        belief.discard0, belief.discard1, belief.discard2 = add_to_planes(
            belief.discard0, belief.discard1, belief.discard2, bit(number(event.top))
        )
        belief.discard_size += 1
        belief.top = event.card
        if other_seat:
            observe_play(view, event, belief)
    elif kind == DREW:
        belief.idle = 0
        belief.turn_draws = event.count
        observe_draw(view, event, belief)
    elif kind == FORCED:
        belief.grown = 1
        observe_draw(view, event, belief)
    elif kind == KEPT:
        belief.turn_draws = 0
        if event.count == 0:  # there was no card to draw
            belief.idle += 1
            if other_seat:
                add_drawn(view, event, belief, 0)
    elif kind == CHALLENGED or kind == SWAPPED or kind == PASSED_HANDS or kind == SHUFFLED:
        observe_moved_hands(view, event, belief)


# -- accounting --


def known_of(belief: Belief, seat: int) -> Planes:
    """The cards that a seat is known to hold."""
    return belief.known0[seat], belief.known1[seat], belief.known2[seat]


def set_known(belief: Belief, seat: int, planes: Planes) -> None:
    """Say which cards a seat is known to hold."""
    belief.known0[seat] = planes[0]
    belief.known1[seat] = planes[1]
    belief.known2[seat] = planes[2]


def forget_seat(belief: Belief, seat: int, size: int) -> None:
    """Nothing is known of a seat but how many cards it holds."""
    set_known(belief, seat, (word(0), word(0), word(0)))
    reset_seat(belief, seat, size, word(0))


def count_discards(view: View, belief: Belief) -> None:
    """Count the discard pile as the view shows it."""
    planes = (word(0), word(0), word(0))
    for place in range(number(view.discard_size)):
        planes = add_to_planes(planes[0], planes[1], planes[2], bit(number(view.discard[place])))
    belief.discard0, belief.discard1, belief.discard2 = planes
    belief.discard_size = view.discard_size


def without_all(planes: Planes, part: Planes) -> tuple[int, int, int, bool]:
    """`planes` without `part`, and whether that is possible."""
    possible = exceeds(part, planes) == _ZERO
    left = difference(planes, part)
    return left[0], left[1], left[2], possible


def unseen_cards(view: View, belief: Belief) -> tuple[int, int, int, bool]:
    """The cards of other hands and the draw pile, known ones included, and whether they add up."""
    seen = add_to_planes(belief.discard0, belief.discard1, belief.discard2, bit(number(belief.top)))
    low, middle, high, possible = without_all(view.deck(), seen)
    low, middle, high, left = without_all((low, middle, high), view.hand())
    return low, middle, high, possible and left


def hidden_cards(view: View, belief: Belief) -> tuple[int, int, int, bool]:
    """The cards of which nobody knows where they are, and whether the cards add up."""
    low, middle, high, possible = unseen_cards(view, belief)
    for seat in range(number(view.players)):
        if seat != number(view.seat):
            low, middle, high, left = without_all((low, middle, high), known_of(belief, seat))
            possible = possible and left
    return low, middle, high, possible


def planes_to_weigh(view: View, belief: Belief) -> Planes:
    """The hidden cards, by which hypotheses are weighed where there are too many of them; none in the midst of an action."""
    low, middle, high, possible = hidden_cards(view, belief)
    if not possible:
        return word(0), word(0), word(0)
    return low, middle, high


# -- plays --


def observe_play(view: View, event: Event, belief: Belief) -> None:
    """An opponent has played a card: the one just drawn, one it was known to hold, or any of its hidden ones."""
    seat, card = number(event.seat), number(event.card)
    planes = planes_to_weigh(view, belief)
    slots = slots_of(belief, seat)
    known = known_of(belief, seat)
    if belief.mode == SIMPLE:
        if types_in(known) & bit(card) != _ZERO:
            set_known(belief, seat, take_from_planes(known[0], known[1], known[2], bit(card)))
        else:
            slots -= 1
        reset_seat(belief, seat, max(slots, 0), word(0))
        return
    if event.drawn and slots > 0:
        take_newest(belief, planes, seat)
    elif types_in(known) & bit(card) != _ZERO:
        set_known(belief, seat, take_from_planes(known[0], known[1], known[2], bit(card)))
    elif not take_card_of_type(belief, planes, seat, bit(card)):
        belief.resets += 1
        reset_seat(belief, seat, max(slots - 1, 0), word(0))
    if card == WILD_DRAW_FOUR:
        if view.four_rule == HONEST_ONLY:
            exclude_types(belief, planes, seat, COLOUR_MASKS[number(event.top_colour)])
        elif view.four_rule == LAST_RESORT and view.stacking == STACK_OFF:  # as an answer to a stack it only needs to be the last one
            exclude_types(belief, planes, seat, match_mask(number(event.top), number(event.top_colour)) & ~_FOUR)


# -- draws --


def observe_draw(view: View, event: Event, belief: Belief) -> None:
    """Somebody has drawn cards; perhaps the draw pile ran out, and the discard pile has taken its place."""
    seat, count, before = number(event.seat), number(event.count), number(belief.pile_size)
    other_seat = seat != number(view.seat)
    if count < before or count == 0:
        belief.pile_size = before - count
        if other_seat:
            add_drawn(view, event, belief, count)
        return
    later = count - before  # drawn from what was the discard pile
    low, middle, high, possible = unseen_cards(view, belief)
    held = number(0)
    for holder in range(number(view.players)):
        if holder != number(view.seat):
            held += slots_of(belief, holder) + size_of(known_of(belief, holder))
    # The view shows the own hand after the whole action, in which the viewer may draw on, or hands move after somebody was caught.
    moves = event.kind == FORCED and (belief.top == WILD_SHUFFLE_HANDS or (view.seven_zero != 0 and VALUE_OF[number(belief.top)] == 0))
    certain = possible and not moves and belief.mode == EXACT and size_of((low, middle, high)) == held + (before if other_seat else 0)
    if certain and view.players == 2:
        opponent = 1 - number(view.seat)
        set_known(belief, opponent, (low, middle, high))
        reset_seat(belief, opponent, later if other_seat else 0, word(0))
    else:
        if other_seat and later == 0:
            add_drawn(view, event, belief, count)
        if certain:
            exclude_unseen(view, belief, ALL_CARDS & ~(low | middle | high))
        if other_seat and later > 0:
            add_drawn(view, event, belief, count)
    if later > 0 or number(view.discard_size) < number(belief.discard_size):
        belief.pile_size = number(belief.discard_size) - later
        belief.discard0, belief.discard1, belief.discard2 = word(0), word(0), word(0)
        belief.discard_size = 0
    else:
        belief.pile_size = 0


def exclude_unseen(view: View, belief: Belief, mask: int) -> None:
    """The draw pile is empty: nobody holds a type of which every card is seen, whatever is in the pile later."""
    planes = planes_to_weigh(view, belief)
    for seat in range(number(view.players)):
        if seat != number(view.seat):
            exclude_types(belief, planes, seat, mask)


def add_drawn(view: View, event: Event, belief: Belief, count: int) -> None:
    """An opponent has drawn cards, or would have: what that shows of its hand, and of the new cards."""
    seat = number(event.seat)
    matching = match_mask(number(event.top), number(event.top_colour))
    forced = event.kind == FORCED
    if belief.mode == SIMPLE:
        reset_seat(belief, seat, slots_of(belief, seat) + count, word(0) if forced else matching)
        return
    planes = planes_to_weigh(view, belief)
    waits = event.kind == DREW and view.phase == DRAWN and number(view.current) == seat  # it may play now
    free = 1 if waits and count > 0 else 0  # of the last card nothing is said
    unfit = word(0)  # what the cards drawn before it lack
    certain = view.must_play != 0
    if event.kind == DREW and view.drawn_rule != MAY_NOT_PLAY_DRAWN:
        unfit = matching if view.four_rule != HONEST_ONLY and view.four_rule != LAST_RESORT else matching & ~_FOUR
        if view.drawn_rule == PLAY_ANY_CARD and not waits:  # nothing in hand fits, new or old
            unfit = word(matching)
            certain = True
    start = first_of(belief, seat)
    belief.staged = 0
    for place in range(start, start + number(belief.counts[seat])):
        weight = belief.weights[place]
        if forced:
            stage_drawn(belief, planes, place, word(0), word(0), count, free, weight)
        elif certain:
            stage_drawn(belief, planes, place, matching, unfit, count, free, weight)
        else:  # chances `floor`, `wild_floor` and 1 as a sum of three cases
            stage_drawn(belief, planes, place, matching, unfit, count, free, weight * (1.0 - belief.wild_floor))
            fitting_colours = matching & ~WILD_MASK
            stage_drawn(belief, planes, place, fitting_colours, unfit, count, free, weight * (belief.wild_floor - belief.floor))
            stage_drawn(belief, planes, place, word(0), unfit, count, free, weight * belief.floor)
    commit_staged(belief, seat)


def stage_drawn(belief: Belief, planes: Planes, place: int, mask: int, unfit: int, count: int, free: int, weight: float) -> None:
    """Stage a hypothesis in which the cards held lack a mask, and new cards come, `free` of them with nothing said.

    Masks of newer cards must be part of those of older ones, so what the new cards lack is used as far as the old ones lack it.
    """
    if weight <= 0.0:
        return
    draft_hypothesis(belief, place, mask, -1)
    draft_group(belief, count - free, mask & unfit)
    draft_group(belief, free, word(0))
    stage_draft(belief, planes, weight)


# -- hands that move or are seen --


def observe_moved_hands(view: View, event: Event, belief: Belief) -> None:
    """Follow hands that change their owner, are looked at or are shuffled."""
    actor, other, me = number(event.seat), number(event.other), number(view.seat)
    players = number(view.players)
    if event.kind == CHALLENGED:
        if actor == me:
            learn_seat(view, belief, other)
        elif other != me and event.count == 0 and not belief.grown and belief.mode == EXACT:
            exclude_types(belief, planes_to_weigh(view, belief), other, COLOUR_MASKS[number(event.top_colour)])
    elif event.kind == SWAPPED:
        if actor == me:
            learn_seat(view, belief, other)
        elif other == me:
            learn_seat(view, belief, actor)
        else:
            known = known_of(belief, actor)
            stage_seat(belief, actor)
            set_known(belief, actor, known_of(belief, other))
            copy_seat(belief, other, actor)
            set_known(belief, other, known)
            commit_staged(belief, other)
    elif event.kind == PASSED_HANDS:
        direction = number(view.direction)
        seat = (me - direction + players) % players
        while seat != me:
            onward = (seat + direction + players) % players
            if onward != me:
                set_known(belief, onward, known_of(belief, seat))
                copy_seat(belief, seat, onward)
            seat = (seat - direction + players) % players
        learn_seat(view, belief, (me + direction + players) % players)
    else:
        for seat in range(players):
            if seat != me:
                forget_seat(belief, seat, number(view.sizes[seat]))


def learn_seat(view: View, belief: Belief, seat: int) -> None:
    """The viewer has seen a whole hand."""
    set_known(belief, seat, view.known(seat))
    reset_seat(belief, seat, 0, word(0))
