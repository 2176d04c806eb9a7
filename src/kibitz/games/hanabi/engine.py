"""The rules at work: kernels that deal, tell what is legal, and apply a move.

Everything that plays Hanabi goes through these functions, compiled or not. They take a state and change it in place.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, as_base, element_of, inline, number, word
from kibitz.core.seeds import DEAL, FIRST_SEAT, below, stream
from kibitz.games.contract import OPEN_HAND
from kibitz.games.hanabi.cards import (
    CARD_TYPES,
    COLOUR_OF,
    DISCARD,
    HAND_CARDS,
    HIDDEN,
    HINT_COLOUR,
    HINT_RANK,
    MAX_HAND,
    NO_CARD,
    PLAY,
    RANK_OF,
)
from kibitz.games.hanabi.state import EVENT_SIZE, Event, State
from kibitz.games.hanabi.view import ENDED, LOST, PERFECT, PLAYING, View

_ZERO = Word(0)

# Places in a tally: sums over games, then a histogram of points on the table at the end (0 to 25), of all games and of lost ones.
TALLY_GAMES, TALLY_TURNS, TALLY_TURNS_SQUARED, TALLY_PERFECT, TALLY_KEPT = range(5)
TALLY_LOST = TALLY_KEPT + 26
TALLY_SIZE = TALLY_LOST + 26


# -- small steps --


@inline
def low_bits(count: int) -> int:
    """A mask of so many bits."""
    return (1 << count) - 1


def put_card(state: State, seat: int, slot: int, place: int) -> None:
    """Put the card at a place of the deck into a slot, with nothing known of it."""
    where = seat * MAX_HAND + slot
    state.hands[where] = state.deck_order[place]
    state.places[where] = place
    state.colour_masks[where] = low_bits(number(state.colours))
    state.rank_masks[where] = low_bits(number(state.ranks))
    state.named_colours[where] = 0
    state.named_ranks[where] = 0
    state.cards[where] = state.hands[where] if seat != number(state.seat) else HIDDEN


def take_card(state: State, seat: int, slot: int) -> int:
    """Take a card out of a slot; those that are newer move down."""
    first = seat * MAX_HAND
    card = number(state.hands[first + slot])
    last = number(state.sizes[seat]) - 1
    for place in range(first + slot, first + last):
        state.hands[place] = state.hands[place + 1]
        state.cards[place] = state.cards[place + 1]
        state.places[place] = state.places[place + 1]
        state.colour_masks[place] = state.colour_masks[place + 1]
        state.rank_masks[place] = state.rank_masks[place + 1]
        state.named_colours[place] = state.named_colours[place + 1]
        state.named_ranks[place] = state.named_ranks[place + 1]
    clear_slot(state, first + last)
    state.sizes[seat] = last
    return card


def clear_slot(state: State, where: int) -> None:
    """Leave a slot empty."""
    state.hands[where] = NO_CARD
    state.cards[where] = NO_CARD
    state.places[where] = -1
    state.colour_masks[where] = 0
    state.rank_masks[where] = 0
    state.named_colours[where] = 0
    state.named_ranks[where] = 0


def draw_card(state: State, seat: int) -> None:
    """Draw a card into the newest slot, if there is one; with the last one, everybody has one more turn."""
    if state.deck_size == 0:
        return
    put_card(state, seat, number(state.sizes[seat]), number(state.drawn))
    state.sizes[seat] += 1
    state.drawn += 1
    state.deck_size -= 1
    if state.deck_size == 0:
        state.turns_left = state.players + 1  # this turn is counted down as well


def find_legal_moves(state: State) -> int:
    """The moves of the player to act, a bit for each."""
    seat = number(state.current)
    hand = number(state.hand_size)
    slots = word(low_bits(number(state.sizes[seat])))
    moves = slots << word(hand)
    if state.tokens < state.max_tokens or state.discard_when_full:
        moves |= slots
    if state.tokens > 0:
        first_rank = 2 * hand + (number(state.players) - 1) * number(state.colours)
        for places in range(1, number(state.players)):
            other = seat + places
            if other >= number(state.players):
                other -= number(state.players)
            colours, ranks = word(0), word(0)
            for slot in range(number(state.sizes[other])):
                card = number(state.hands[other * MAX_HAND + slot])
                colours |= ONE << word(COLOUR_OF[word(card)])
                ranks |= ONE << word(RANK_OF[word(card)])
            moves |= colours << word(2 * hand + (places - 1) * number(state.colours))
            moves |= ranks << word(first_rank + (places - 1) * number(state.ranks))
    return moves


def give_hint(state: State, seat: int, by_colour: bool, value: int) -> int:
    """Tell a seat a colour or a rank; the slots it touches, a bit for each."""
    touched = 0
    named = 1 << value
    for slot in range(number(state.sizes[seat])):
        where = seat * MAX_HAND + slot
        card = word(state.hands[where])
        hit = (COLOUR_OF[card] if by_colour else RANK_OF[card]) == value
        if hit:
            touched |= 1 << slot
        if by_colour:
            state.colour_masks[where] = number(state.colour_masks[where]) & (named if hit else ~named)
            state.named_colours[where] |= 1 if hit else 0
        else:
            state.rank_masks[where] = number(state.rank_masks[where]) & (named if hit else ~named)
            state.named_ranks[where] |= 1 if hit else 0
    return touched


def record_event(state: State, kind: int, slot: int, card: int, target: int, value: int, touched: int, outcome: int) -> None:
    """Note the move for those who follow the game."""
    place = number(state.event_count) * EVENT_SIZE
    state.events[place] = kind
    state.events[place + 1] = state.current
    state.events[place + 2] = slot
    state.events[place + 3] = card
    state.events[place + 4] = target
    state.events[place + 5] = value
    state.events[place + 6] = touched
    state.events[place + 7] = outcome
    state.event_count += 1


# -- the verbs of the contract --


def deal(state: State, key: int) -> None:
    """Shuffle and deal from the streams of a game key: whole hands, one after the other."""
    position = stream(key, DEAL)
    total = number(state.deck_total)
    for place in range(total):
        state.deck_order[place] = state.full_deck[place]
    for left in range(total, 1, -1):
        position, place = below(position, left)
        card = state.deck_order[left - 1]
        state.deck_order[left - 1] = state.deck_order[word(place)]
        state.deck_order[word(place)] = card
    state.deal_stream = position
    for seat in range(number(state.players)):
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    deal_deck(state)


def deal_deck(state: State) -> None:
    """Begin a game with the deck as it lies."""
    for where in range(HAND_CARDS):
        clear_slot(state, where)
    for card in range(CARD_TYPES):
        state.discards[card] = 0
    for colour in range(5):
        state.fireworks[colour] = 0
    state.tokens = state.max_tokens
    state.lives = state.max_lives
    state.score = 0
    state.turn = 1
    state.turns_left = -1
    state.status = PLAYING
    state.seat = 0
    state.current = 0
    state.drawn = 0
    state.event_count = 0
    state.deck_size = state.deck_total
    state.last_move = -1
    state.last_seat = -1
    state.last_card = NO_CARD
    state.last_touched = 0
    state.last_success = 0
    state.last_gained = 0
    for seat in range(number(state.players)):
        state.sizes[seat] = 0
        for _ in range(number(state.hand_size)):
            draw_card(state, seat)
    if state.deck_size == 0:
        state.turns_left = state.players
    show_actor(state)


@inline
def is_over(state: State) -> bool:
    """Whether the game has ended."""
    return state.status != PLAYING


@inline
def is_legal(state: State, move: int) -> bool:
    """Whether the player to act may make this move, while the game is on."""
    return move >= 0 and move < 64 and (state.legal_moves >> word(move)) & ONE != _ZERO


@inline
def forced_action(state: State) -> int:
    """The only legal move, or -1: there is nearly always a choice, and then the bot is asked."""
    moves = state.legal_moves
    if moves & (moves - ONE) != _ZERO:
        return -1
    move = number(0)
    while moves > ONE:
        moves >>= ONE
        move += 1
    return move


@inline
def default_action(state: State, windows: int) -> int:
    """There are no windows in Hanabi: a bot is asked for every decision."""
    return -1


def legal_actions(state: State) -> list[int]:
    """Every legal move, in the order of the numbers."""
    return [] if is_over(state) else [move for move in range(64) if is_legal(state, move)]


def apply(state: State, move: int) -> None:
    """Carry out a legal move with all its effects."""
    seat = number(state.current)
    hand = number(state.hand_size)
    state.last_move = move
    state.last_seat = seat
    state.last_card = NO_CARD
    state.last_touched = 0
    state.last_success = 0
    state.last_gained = 0
    if move < hand:
        discard(state, seat, move)
    elif move < 2 * hand:
        play(state, seat, move - hand)
    else:
        hint(state, seat, move - 2 * hand)
    end_turn(state)


def discard(state: State, seat: int, slot: int) -> None:
    """Throw a card away for a token."""
    card = take_card(state, seat, slot)
    state.discards[word(card)] += 1
    state.last_card = card
    if state.tokens < state.max_tokens:
        state.tokens += 1
        state.last_gained = 1
    if state.observed:
        record_event(state, DISCARD, slot, card, NO_CARD, NO_CARD, 0, 0)
    draw_card(state, seat)


def play(state: State, seat: int, slot: int) -> None:
    """Put a card on its pile if it fits; else it is discarded and a life is lost."""
    card = take_card(state, seat, slot)
    colour = COLOUR_OF[word(card)]
    state.last_card = card
    if number(state.fireworks[colour]) == RANK_OF[word(card)]:
        state.fireworks[colour] += 1
        state.score += 1
        state.last_success = 1
        if state.fireworks[colour] == state.ranks and state.tokens < state.max_tokens:
            state.tokens += 1
            state.last_gained = 1
    else:
        state.discards[word(card)] += 1
        state.lives -= 1
    if state.observed:
        record_event(state, PLAY, slot, card, NO_CARD, NO_CARD, 0, number(state.last_success) + number(state.last_gained))
    draw_card(state, seat)


def hint(state: State, seat: int, code: int) -> None:
    """Tell another player a colour or a rank."""
    colours = (number(state.players) - 1) * number(state.colours)
    by_colour = code < colours
    size = number(state.colours) if by_colour else number(state.ranks)
    code = code if by_colour else code - colours
    target = (seat + 1 + code // size) % number(state.players)
    value = code % size
    state.tokens -= 1
    state.last_touched = give_hint(state, target, by_colour, value)
    if state.observed:
        kind = HINT_COLOUR if by_colour else HINT_RANK
        record_event(state, kind, NO_CARD, NO_CARD, target, value, number(state.last_touched), 0)


@inline
def end_turn(state: State) -> None:
    """See whether the game is over, and hand the turn on."""
    if state.turns_left > 0:
        state.turns_left -= 1
    if state.lives == 0:
        state.status = LOST
    elif state.score == state.colours * state.ranks:
        state.status = PERFECT
    elif state.turns_left == 0:
        state.status = ENDED
    else:
        following = number(state.current) + 1
        state.current = 0 if following == number(state.players) else following
        state.turn += 1
        show_actor(state)


@inline
def show_actor(state: State) -> None:
    """Show the state to the player to act, as it stands whenever a decision is open."""
    turn_table(state, number(state.current))
    state.legal_moves = find_legal_moves(state)


@inline
def turn_table(state: State, seat: int) -> None:
    """Hide the cards of one seat instead of another's; a cheater's are not hidden."""
    shown = number(state.seat) * MAX_HAND
    for slot in range(number(state.sizes[state.seat])):
        state.cards[shown + slot] = state.hands[shown + slot]
    state.seat = seat
    if state.ordered[seat] != OPEN_HAND:
        hidden = seat * MAX_HAND
        for slot in range(number(state.sizes[seat])):
            state.cards[hidden + slot] = HIDDEN
    state.random_stream = state.seat_streams[seat]


def show(state: State, seat: int) -> None:
    """Show the state to any seat."""
    turn_table(state, seat)
    state.legal_moves = find_legal_moves(state) if seat == number(state.current) and state.status == PLAYING else word(0)


def tally_result(state: State, seating: list[int], tally: list[int]) -> None:
    """Add a finished game to a tally."""
    turns = number(state.turn)
    tally[TALLY_GAMES] += 1
    tally[TALLY_TURNS] += turns
    tally[TALLY_TURNS_SQUARED] += turns * turns
    if state.status == PERFECT:
        tally[TALLY_PERFECT] += 1
    tally[TALLY_KEPT + number(state.score)] += 1
    if state.status == LOST:
        tally[TALLY_LOST + number(state.score)] += 1


def result_of(state: State) -> tuple[int, int]:
    """Nobody wins alone; the points on the table, whether the game was lost or not."""
    return -1, number(state.score)


def open_contest(state: State) -> None:
    """Hanabi has no contests."""


def settle_deal(state: State) -> int:
    """Hanabi has no contests."""
    return -1


def luck_of(state: State, seat: int, component: int) -> int:
    """Nothing: luck is measured by `luck` alone."""
    return 0


as_view = as_base(View)
event_at = element_of(State, "events", Event)
