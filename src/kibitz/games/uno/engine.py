"""The rules at work: the verbs that the arena knows, and a turn from its draw to its end.

Everything that plays UNO goes through these functions, compiled or not. They take a state and change it in place.
Randomness comes from the stream the state was dealt with, and from nowhere else.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, as_base, element_of, inline, number, word
from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, DRAW, KEEP, MAX_PLAYERS, NO_CARD, action_card, bit
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.dealing import deal as deal
from kibitz.games.uno.defaults import default_in_window
from kibitz.games.uno.effects import play_card
from kibitz.games.uno.hands import give_card
from kibitz.games.uno.piles import OWN_WILL, draw_card
from kibitz.games.uno.playable import playable_in_turn
from kibitz.games.uno.state import AFTER_DEALER, DREW, HOUSE, KEPT, SEAT_BITS, Event, State, record_event, seat_from
from kibitz.games.uno.turns import show as show
from kibitz.games.uno.turns import show_actor as show_actor
from kibitz.games.uno.turns import start_turn
from kibitz.games.uno.view import (
    DRAW_UNTIL_PLAYABLE,
    DRAWN,
    MAY_NOT_PLAY_DRAWN,
    MUST_PLAY_DRAWN,
    NO_SEAT,
    PLAY_ANY_CARD,
    PLAYING,
    STUCK,
    TURN,
    WON,
    View,
    is_legal_in,
)
from kibitz.games.uno.windows import answer_window, forced_by_house_rules

_ZERO = Word(0)
_PLAYS = [[action for action in range(DRAW) if action_card(action) == card] for card in range(CARD_TYPES)]

# Places in a tally; each line-up entry has wins, points and squared points from TALLY_ENTRIES on.
TALLY_DEALS, TALLY_UNFINISHED, TALLY_TURNS, TALLY_TURNS_SQUARED, TALLY_ENTRIES = 0, 1, 2, 3, 4
TALLY_SIZE = TALLY_ENTRIES + 3 * MAX_PLAYERS


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
    """Every legal action, in the order of the numbers. A play is legal if its card is among the playable types."""
    if is_over(state):
        return []
    plays = [action for card in cards_from((state.playable_types, 0, 0)) for action in _PLAYS[card]]
    others = range(DRAW, ACTIONS) if state.phase > DRAWN else (DRAW, KEEP)
    return sorted(plays) + [action for action in others if is_legal(state, action)]


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
    seat = number(state.current) & SEAT_BITS
    card = draw_card(state, seat, OWN_WILL)
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
        following = draw_card(state, seat, OWN_WILL)
        if following < 0:
            break
        card = following
        give_card(state, seat, card)
        count += 1
    return card, count


@inline
def end_turn_without_play(state: State, count: int) -> None:
    """Pass the turn on after drawing `count` cards and playing none."""
    seat = number(state.current) & SEAT_BITS
    if state.observed:
        record_event(state, KEPT, seat, NO_CARD, number(state.colour), count, 0, number(state.top), number(state.colour), NO_SEAT)
    start_turn(state, seat_from(state, seat, number(state.direction)))


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


def result_of(state: State) -> tuple[int, int]:
    """The winner's seat, or -1, and what it got."""
    if state.status != WON:
        return -1, 0
    return number(state.winner), number(state.points)


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


def luck_of(state: State, seat: int, component: int) -> int:
    """Nothing: luck is measured by `luck` alone."""
    return 0


as_view = as_base(View)
event_at = element_of(State, "events", Event)
