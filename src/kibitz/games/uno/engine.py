"""The rules at work: kernels that deal, tell what is legal, and apply an action.

Everything that plays UNO goes through these functions, compiled or not. They take a state and change it in place.
Randomness comes from the stream the state was dealt with, and from nowhere else.
"""

from __future__ import annotations

from kibitz.games.uno.cards import (
    ACCEPT,
    ACTION_CARDS,
    ACTION_COLOURS,
    ACTION_MATCHES,
    ACTIONS,
    CATCH,
    CHALLENGE,
    COLOUR_MASKS,
    COLOUR_OF,
    COLOURED_TYPES,
    DRAW,
    DRAW_TWO,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    MAX_CARDS,
    MAX_PLAYERS,
    NO_CARD,
    NO_COLOUR,
    REVERSE,
    SKIP,
    UNO,
    VALUE_OF,
    WILD_DRAW_FOUR,
    WILD_MASK,
    WILD_SHUFFLE_HANDS,
    action_card,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import add_to_planes
from kibitz.games.uno.defaults import default_in_window
from kibitz.games.uno.hands import (
    forget_all,
    forget_played,
    give_card,
    hand_points,
    learn_hand,
    pass_hands,
    show_knowledge,
    show_order,
    shuffle_hands,
    swap_hands,
    take_card,
)
from kibitz.games.uno.playable import playable_in_turn, playable_now
from kibitz.games.uno.state import (
    AFTER_DEALER,
    CAUGHT,
    CHALLENGED,
    DREW,
    FORCED,
    JUMPED_IN,
    KEPT,
    MISSED_UNO,
    NAMED,
    OPENING_NAME_COLOUR,
    OPENING_NONE,
    OPENING_REDRAW,
    PLAY,
    SAID_UNO,
    SEAT_0,
    Event,
    State,
    record_event,
    record_said,
    seat_from,
)
from kibitz.games.uno.view import (
    CATCHING,
    CHALLENGED_FOUR,
    CHALLENGING,
    COLOUR,
    CUT_OFF,
    DRAW_UNTIL_PLAYABLE,
    DRAWN,
    JUMPING_IN,
    MAY_NOT_PLAY_DRAWN,
    MUST_PLAY_DRAWN,
    NO_SEAT,
    PLAY_ANY_CARD,
    PLAYING,
    STACK,
    STUCK,
    SWAP,
    TURN,
    UNO_CALL,
    WON,
    View,
    is_legal_in,
)
from kibitz.jit import ONE, Word, as_base, element_of, inline, lowest, number, popcount, word
from kibitz.seeds import DEAL, FIRST_SEAT, below, stream

HOUSE = True  # house rules are part of the engine; `definition` makes it once more without them, for classic games

_ZERO = Word(0)
_SIZE_BITS = 127
_SEAT_BITS = 15  # tells the compiler that a seat is not negative, which spares a check in every table look-up

# Places in a tally; each line-up entry has wins, points and squared points from TALLY_ENTRIES on.
TALLY_DEALS, TALLY_UNFINISHED, TALLY_TURNS, TALLY_TURNS_SQUARED, TALLY_ENTRIES = 0, 1, 2, 3, 4
TALLY_SIZE = TALLY_ENTRIES + 3 * MAX_PLAYERS


# -- small steps --


def refill(state: State) -> None:
    """Turn the discard pile, but for its top card, into the draw pile. A draw picks at random, so this is the shuffle."""
    size = number(state.discard_size)
    for place in range(size):
        state.pile[place] = state.discard[place]
    state.pile_size = size
    state.discard_size = 0


@inline
def draw_card(state: State) -> int:
    """Take a random card from the draw pile, refilled when it runs out or is needed; -1 if there is none at all."""
    size = number(state.pile_size) & _SIZE_BITS
    if size == 0:
        refill(state)
        size = number(state.pile_size) & _SIZE_BITS
        if size == 0:
            return -1
    position, place = below(state.deal_stream, size)
    state.deal_stream = position
    card = number(state.pile[place])
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    if size == 0 and not (HOUSE and state.refill_late):
        refill(state)
    return card


def force_draw(state: State, seat: int, count: int, top: int, top_colour: int) -> None:
    """Make a seat draw `count` cards, or as many as there are."""
    drawn = 0
    for _ in range(count):
        card = draw_card(state)
        if card < 0:
            break
        give_card(state, seat, card)
        drawn += 1
    if state.observed:
        record_event(state, FORCED, seat, NO_CARD, number(state.colour), drawn, 0, top, top_colour, NO_SEAT)


@inline
def start_turn(state: State, seat: int) -> None:
    """Hand the turn to a seat, unless the game has lasted too long."""
    state.current = seat
    state.phase = TURN
    if HOUSE:
        state.turn_draws = 0
        state.player = NO_SEAT
    show_actor(state)
    if state.turn >= state.max_turns:
        state.status = CUT_OFF
    else:
        state.turn += 1


@inline
def show_actor(state: State) -> None:
    """Show the state to the player to act. It stands so whenever a decision is open, except while others look on."""
    if HOUSE and state.masked:
        unmask(state)
    seat = number(state.current) & _SEAT_BITS
    low, middle, high = state.hands0[seat], state.hands1[seat], state.hands2[seat]
    state.seat = seat
    state.hand0 = low
    state.hand1 = middle
    state.hand2 = high
    state.random_stream = state.seat_streams[seat]
    if HOUSE and (state.restricts_four or state.phase != TURN):
        state.drawn = state.hidden_drawn if state.phase == DRAWN else NO_CARD
        state.playable_types = playable_now(state, low | middle | high)
    elif state.phase == DRAWN:
        state.drawn = state.hidden_drawn
        state.playable_types = bit(state.hidden_drawn)
    else:
        state.drawn = NO_CARD
        state.playable_types = (low | middle | high) & state.match
    if HOUSE and state.any_known:
        show_knowledge(state, seat)
    if state.any_ordered:
        show_order(state, seat)


def finish(state: State, winner: int) -> None:
    """End the game: the winner gets the points of all other hands (its own is empty)."""
    state.status = WON
    state.winner = winner
    if HOUSE and state.phase > DRAWN:
        state.phase = TURN
    total = number(0)
    for seat in range(number(state.players)):
        total += hand_points(state.hands0[seat], state.hands1[seat], state.hands2[seat])
    state.points = total


# -- house rules: what is playable, and what is asked --


def forced_by_house_rules(state: State) -> int:
    """The only legal action in a window, or where playing is a duty; -1 if there is a choice."""
    if state.phase == STACK:
        return ACCEPT if state.playable_types == _ZERO and not state.may_challenge else -1
    if state.phase == SWAP:
        return FIRST_SWAP if state.players == 2 else -1
    if state.phase > DRAWN:
        return -1
    if state.playable_types == _ZERO:
        return DRAW
    duty = state.must_play if state.phase == TURN else state.drawn_rule == MUST_PLAY_DRAWN
    if duty and popcount(state.playable_types) == 1 and state.playable_types & WILD_MASK == _ZERO:
        return lowest(state.playable_types)
    return -1


def ask(state: State, seat: int, phase: int) -> None:
    """Open a window for a seat."""
    state.current = seat
    state.phase = phase
    show_actor(state)


def go_on(state: State) -> None:
    """Let the card on top take its effect, after all that is said about it."""
    take_effect(state, number(state.player), number(state.top), state.emptied != 0, number(state.before_top), number(state.before_colour))


def asks_about_penalty(state: State, seat: int, emptied: bool, penalty: int) -> bool:
    """Whether the player who would draw is asked first: to answer with a card, or to challenge."""
    victim = seat_from(state, seat, number(state.direction))
    state.may_challenge = 1 if state.top == WILD_DRAW_FOUR and state.four_rule == CHALLENGED_FOUR and state.stack == 0 else 0
    if state.stacking and not emptied:
        if state.turn >= state.max_turns:  # an answer would be one turn too many
            state.stack = 0
            start_turn(state, victim)
            return True
        state.stack += penalty
        ask(state, victim, STACK)
        return True
    if state.may_challenge:
        state.stack = penalty
        ask(state, victim, CHALLENGING)
        return True
    return False


def answer_window(state: State, action: int) -> int:
    """Carry out what was chosen in a window; the action that plays a card if one is to be played now, else -1."""
    phase = number(state.phase)
    seat = number(state.current) & _SEAT_BITS
    if phase == COLOUR:
        state.colour = ACTION_COLOURS[word(action)]
        state.match = ACTION_MATCHES[word(action)]
        state.before_top = state.top
        state.before_colour = NO_COLOUR
        record_said(state, NAMED, seat, 0, NO_SEAT)
        state.phase = TURN
        show_actor(state)
    elif phase == STACK or phase == CHALLENGING:
        if action == ACCEPT:
            accept(state, seat)
        elif action == CHALLENGE:
            challenge(state, seat)
        else:
            state.turn += 1
            return action
    elif phase == SWAP:
        other = (seat + (action - FIRST_SWAP + 1) * number(state.direction) + MAX_PLAYERS * number(state.players)) % number(state.players)
        swap_hands(state, seat, other)
        end_play(state, seat, False, 0)
    elif phase == UNO_CALL:
        if action == UNO:
            record_said(state, SAID_UNO, seat, 0, NO_SEAT)
            go_on(state)
        else:
            record_said(state, MISSED_UNO, seat, 0, NO_SEAT)
            ask(state, seat_from(state, seat, number(state.direction)), CATCHING)
    elif phase == CATCHING:
        following = seat_from(state, seat, number(state.direction))
        if action == CATCH:
            record_said(state, CAUGHT, seat, 0, number(state.player))
            force_draw(state, number(state.player), 2, number(state.before_top), number(state.before_colour))
            go_on(state)
        elif following == number(state.player):
            go_on(state)
        else:
            ask(state, following, CATCHING)
    elif action == JUMP_IN:
        record_said(state, JUMPED_IN, seat, 0, NO_SEAT)
        state.turn += 1
        return number(state.top)
    elif not offers_jump_in(state, number(state.player), seat):
        start_turn(state, number(state.next_seat))
    return -1


def accept(state: State, seat: int) -> None:
    """Draw what lies on the stack, and be skipped."""
    if not state.emptied or state.last_card_draws:
        force_draw(state, seat, number(state.stack), number(state.before_top), number(state.before_colour))
    state.stack = 0
    state.may_challenge = 0
    end_play(state, number(state.player), state.emptied != 0, 1)


def challenge(state: State, seat: int) -> None:
    """Look at the hand of who played a Wild Draw Four: guilty, that player draws; innocent, the challenger draws more."""
    offender = number(state.player)
    state.stack = 0
    state.may_challenge = 0
    learn_hand(state, seat, offender)
    record_said(state, CHALLENGED, seat, number(state.guilty), offender)
    if state.guilty:
        force_draw(state, offender, 4, number(state.before_top), number(state.before_colour))
        start_turn(state, seat)
    else:
        force_draw(state, seat, 6, number(state.before_top), number(state.before_colour))
        end_play(state, offender, state.emptied != 0, 1)


def offers_jump_in(state: State, player: int, after: int) -> bool:
    """Ask the next seat after one that holds exactly the top card; whether there is any."""
    if state.top >= COLOURED_TYPES or state.turn >= state.max_turns:
        return False
    seat = seat_from(state, after, number(state.direction))
    while seat != player:
        if (state.hands0[seat] | state.hands1[seat] | state.hands2[seat]) & bit(state.top) != _ZERO:
            state.jumper = seat
            state.jumped_on = player
            state.player = player
            ask(state, seat, JUMPING_IN)
            return True
        seat = seat_from(state, seat, number(state.direction))
    return False


def mask(state: State) -> None:
    """Hide that somebody is asked to jump in, which would tell what that player holds: it looks like the next turn."""
    state.masked = 1
    state.current = state.next_seat
    state.phase = TURN
    state.player = NO_SEAT
    state.turn += 1


def unmask(state: State) -> None:
    """Undo `mask`."""
    state.masked = 0
    state.current = state.jumper
    state.phase = JUMPING_IN
    state.player = state.jumped_on
    state.turn -= 1


# -- house rules: hands that move, and what is known of them --


# -- the verbs of the contract --


def deal(state: State, key: int) -> None:
    """Deal anew from the streams of a game key: hands, dealer, opening card and its effect."""
    players = number(state.players)
    position = stream(key, DEAL)
    size = number(state.deck_size)
    for place in range(MAX_CARDS):
        state.pile[place] = state.full_deck[place]
        state.discard[place] = 0
    for seat in range(players):
        low, middle, high = word(0), word(0), word(0)
        for dealt in range(number(state.initial_hand)):
            position, place = below(position, size)
            card = number(state.pile[word(place)])
            size -= 1
            state.pile[word(place)] = state.pile[word(size)]
            low, middle, high = add_to_planes(low, middle, high, bit(card))
            state.orders[seat * MAX_CARDS + dealt] = card
        state.hands0[seat] = low
        state.hands1[seat] = middle
        state.hands2[seat] = high
        state.sizes[seat] = state.initial_hand
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    position, dealer = below(position, players)
    if HOUSE and state.starter == SEAT_0:
        dealer = players - 1
    elif state.set_dealer != NO_SEAT:
        dealer = number(state.set_dealer)
    # The opening card: Wild Draw Fours go back, unless there is nothing else.
    position, place = below(position, size)
    while goes_back(state, number(state.pile[place])) and has_other_card(state, size):
        position, place = below(position, size)
    top = number(state.pile[place])
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    state.deal_stream = position
    state.dealer = dealer
    state.discard_size = 0
    state.top = top
    state.colour = COLOUR_OF[top]
    state.match = match_mask(top, NO_COLOUR)
    state.direction = 1
    state.turn = 0
    state.points = 0
    state.phase = TURN
    state.status = PLAYING
    state.winner = NO_CARD
    state.idle_players = 0
    state.event_count = 0
    if HOUSE:
        state.stack = 0
        state.may_challenge = 0
        state.emptied = 0
        state.masked = 0
        if state.any_known:
            forget_all(state)
    open_game(state, dealer, VALUE_OF[top])


@inline
def goes_back(state: State, card: int) -> bool:
    """Whether a card that was turned up to begin is put back."""
    if HOUSE and state.opening == OPENING_NONE:
        return False
    if HOUSE and state.opening == OPENING_REDRAW:
        return card >= COLOURED_TYPES
    return card == WILD_DRAW_FOUR


def has_other_card(state: State, size: int) -> bool:
    """Whether the pile holds a card that may open the game."""
    for place in range(size):
        if not goes_back(state, number(state.pile[place])):
            return True
    return False


def open_game(state: State, dealer: int, value: int) -> None:
    """Apply the opening card: who begins, and who draws."""
    first = seat_from(state, dealer, number(state.direction))
    if HOUSE and (state.opening == OPENING_NONE or state.opening == OPENING_REDRAW):
        value = 0
    if value == REVERSE:
        state.direction = -1
        first = dealer
    elif value == SKIP:
        first = seat_from(state, first, number(state.direction))
    elif value == DRAW_TWO:
        force_draw(state, first, 2, number(state.top), number(state.colour))
        first = seat_from(state, first, number(state.direction))
    state.event_count = 0  # the opening is over before anybody looks
    start_turn(state, first)
    if HOUSE and state.opening == OPENING_NAME_COLOUR and state.top >= COLOURED_TYPES:
        state.phase = COLOUR
        show_actor(state)


@inline
def is_over(state: State) -> bool:
    """Whether the deal has ended, with a winner or without."""
    return state.status != PLAYING


@inline
def is_legal(state: State, action: int) -> bool:
    """Whether the player to act may take this action, while the game is on."""
    if HOUSE:
        return is_legal_in(state, action)
    if action < 0 or action > KEEP:
        return False
    if action < DRAW:
        return (state.playable_types >> word(action_card(action))) & ONE != _ZERO
    return state.phase == (TURN if action == DRAW else DRAWN)


@inline
def forced_action(state: State) -> int:
    """The only legal action, or -1 if there is a choice: who has nothing to decide is not asked."""
    if HOUSE and (state.phase > DRAWN or state.must_play or state.drawn_rule == MUST_PLAY_DRAWN):
        return forced_by_house_rules(state)
    return DRAW if state.playable_types == _ZERO else -1


@inline
def default_action(state: State, windows: int) -> int:
    """The default for a decision that a bot does not know, or -1 if it is to be asked; `windows` has a bit for each phase it knows."""
    if HOUSE and state.phase > DRAWN and (windows >> number(state.phase)) & 1 == 0:
        return default_in_window(as_view(state))
    return -1


def legal_actions(state: State) -> list[int]:
    """Every legal action, in the order of the numbers."""
    return [] if is_over(state) else [action for action in range(ACTIONS) if is_legal(state, action)]


@inline
def apply(state: State, action: int) -> None:
    """Carry out a legal action with all its effects. Events are added to those not yet told."""
    if HOUSE and state.phase > DRAWN:
        action = answer_window(state, action)
    if action < 0:
        return
    if action < DRAW:
        play_card(state, action)
    elif action == DRAW:
        draw_for_turn(state)
    else:
        end_turn_without_play(state, number(state.turn_draws) if HOUSE else 1)


@inline
def draw_for_turn(state: State) -> None:
    """Draw, as the rules say one card or several; a playable one may be played at once."""
    seat = number(state.current) & _SEAT_BITS
    card = draw_card(state)
    if card < 0:
        if state.playable_types == _ZERO:
            state.idle_players += 1
        else:
            state.idle_players = 0
        turn = state.turn
        end_turn_without_play(state, 0)
        if state.idle_players >= state.players:
            state.status = STUCK
            state.turn = turn  # the turn that has just been handed on is never taken
        return
    state.idle_players = 0
    give_card(state, seat, card)
    count = 1
    if HOUSE:
        if state.draw_rule == DRAW_UNTIL_PLAYABLE:
            card, count = draw_until_playable(state, seat, card)
        state.turn_draws = count
    if state.observed:
        record_event(state, DREW, seat, NO_CARD, number(state.colour), count, 0, number(state.top), number(state.colour), NO_SEAT)
    if is_playable_after_draw(state, seat, card):
        state.phase = DRAWN
        state.hidden_drawn = card
        show_actor(state)
    else:
        end_turn_without_play(state, count)


@inline
def is_playable_after_draw(state: State, seat: int, card: int) -> bool:
    """Whether something may be played after this card was drawn."""
    if HOUSE and (state.drawn_rule or state.restricts_four):
        if state.drawn_rule == MAY_NOT_PLAY_DRAWN:
            return False
        playable = playable_in_turn(state, state.hands0[seat] | state.hands1[seat] | state.hands2[seat])
        return (playable if state.drawn_rule == PLAY_ANY_CARD else playable & bit(card)) != _ZERO
    return bit(card) & state.match != _ZERO


def draw_until_playable(state: State, seat: int, card: int) -> tuple[int, int]:
    """Draw on until the last card may be played or there is none left; that card, and how many it were in all."""
    count = 1
    while bit(card) & playable_in_turn(state, state.hands0[seat] | state.hands1[seat] | state.hands2[seat]) == _ZERO:
        following = draw_card(state)
        if following < 0:
            break
        card = following
        give_card(state, seat, card)
        count += 1
    return card, count


@inline
def end_turn_without_play(state: State, count: int) -> None:
    """Pass the turn on after drawing `count` cards and playing none."""
    seat = number(state.current) & _SEAT_BITS
    if state.observed:
        record_event(state, KEPT, seat, NO_CARD, number(state.colour), count, 0, number(state.top), number(state.colour), NO_SEAT)
    start_turn(state, seat_from(state, seat, number(state.direction)))


@inline
def play_card(state: State, action: int) -> None:
    """Put a card of the player to act on the pile, with its effect."""
    seat = number(state.current) & _SEAT_BITS
    card = ACTION_CARDS[word(action)]
    left = take_card(state, seat, card)
    old_top = number(state.top)
    old_colour = number(state.colour)
    state.discard[word(state.discard_size)] = old_top
    state.discard_size += 1
    state.top = card
    state.colour = ACTION_COLOURS[word(action)]
    state.match = ACTION_MATCHES[word(action)]
    state.idle_players = 0
    if state.observed:
        record_play(state, seat, card, old_top, old_colour)
    if HOUSE:
        state.player = seat
        state.before_top = old_top
        state.before_colour = old_colour
        state.emptied = 1 if left == 0 else 0
        if card == WILD_DRAW_FOUR:
            state.guilty = (
                1 if (state.hands0[seat] | state.hands1[seat] | state.hands2[seat]) & COLOUR_MASKS[word(old_colour)] != _ZERO else 0
            )
        if state.any_known:
            forget_played(state, seat, card)
        if left == 1 and state.uno_call:
            ask(state, seat, UNO_CALL)
        else:
            go_on(state)
    else:
        take_effect(state, seat, card, left == 0, old_top, old_colour)


def record_play(state: State, seat: int, card: int, old_top: int, old_colour: int) -> None:
    """Note a play: after how many draws, and whether it is known to be the card just drawn."""
    drawn = state.phase == DRAWN
    count = number(1 if drawn else 0)
    if HOUSE and drawn:
        count = number(state.turn_draws)
        drawn = state.drawn_rule != PLAY_ANY_CARD
    record_event(state, PLAY, seat, card, number(state.colour), count, 1 if drawn else 0, old_top, old_colour, NO_SEAT)


@inline
def take_effect(state: State, seat: int, card: int, emptied: bool, old_top: int, old_colour: int) -> None:
    """What a card does once it lies on top."""
    # Branches here, tables above: the processor guesses ahead past a branch, but waits for a look-up on the way to the next seat.
    skipped = 0
    penalty = 0
    value = VALUE_OF[card]
    if value >= SKIP:
        if value == SKIP:
            skipped = 1
        elif value == REVERSE:
            if state.reverse_skips:
                skipped = 1
            else:
                state.direction = -state.direction
        elif value == DRAW_TWO:
            skipped = 1
            penalty = 2
        elif card == WILD_DRAW_FOUR:
            skipped = 1
            penalty = 4
        elif HOUSE and card == WILD_SHUFFLE_HANDS and not emptied:
            shuffle_hands(state, seat)
    elif HOUSE and state.seven_zero and not emptied:
        if value == 7:
            ask(state, seat, SWAP)
            return
        if value == 0:
            pass_hands(state, seat)
    if penalty:
        if HOUSE:
            if asks_about_penalty(state, seat, emptied, penalty):
                return
            penalty += number(state.stack)
            state.stack = 0
        if not HOUSE or not emptied or state.last_card_draws:
            force_draw(state, seat_from(state, seat, number(state.direction)), penalty, old_top, old_colour)
    end_play(state, seat, emptied, skipped)


@inline
def end_play(state: State, seat: int, emptied: bool, skipped: int) -> None:
    """Once a play has had its effect: the game is over, or the turn goes on."""
    if emptied:
        finish(state, seat)
    else:
        following = seat_from(state, seat, number(state.direction) << skipped)
        if HOUSE and state.jump_in:
            state.next_seat = following
            if offers_jump_in(state, seat, seat):
                return
        start_turn(state, following)


def show(state: State, seat: int) -> None:
    """Show the state to any seat: what the others may not see is taken out, what is its own put in."""
    if HOUSE and state.masked:
        unmask(state)
    if seat == number(state.current):
        show_actor(state)
        return
    if HOUSE and state.phase == JUMPING_IN:
        mask(state)
    state.seat = seat
    state.hand0 = state.hands0[seat]
    state.hand1 = state.hands1[seat]
    state.hand2 = state.hands2[seat]
    state.random_stream = state.seat_streams[seat]
    state.drawn = NO_CARD
    state.playable_types = word(0)
    if HOUSE and seat == number(state.current):  # it cannot tell that somebody else may jump in first
        state.playable_types = playable_in_turn(state, state.hand0 | state.hand1 | state.hand2)
    if HOUSE and state.any_known:
        show_knowledge(state, seat)
    if state.any_ordered:
        show_order(state, seat)


def tally_result(state: State, seating: list[int], tally: list[int]) -> None:
    """Add a finished deal to a tally: sums over deals, then three for each line-up entry."""
    turns = number(state.turn)
    tally[TALLY_DEALS] += 1
    tally[TALLY_TURNS] += turns
    tally[TALLY_TURNS_SQUARED] += turns * turns
    if state.status != WON:
        tally[TALLY_UNFINISHED] += 1
        return
    points = number(state.points)
    place = TALLY_ENTRIES + 3 * number(seating[state.winner])
    tally[place] += 1
    tally[place + 1] += points
    tally[place + 2] += points * points


def open_contest(state: State) -> None:
    """Before the first deal of a contest: nobody has points, and the dealer is not decided."""
    state.set_dealer = NO_SEAT
    for seat in range(number(state.players)):
        state.scores[seat] = 0


def settle_deal(state: State) -> int:
    """Add the points to the winner's score and move the dealer one seat on; the winner if it gained any, else -1."""
    if state.starter == AFTER_DEALER:
        state.set_dealer = seat_from(state, number(state.dealer), 1)
    if state.status != WON or state.points == 0:
        return -1
    state.scores[state.winner] += state.points
    return number(state.winner)


as_view = as_base(View)
event_at = element_of(State, "events", Event)
