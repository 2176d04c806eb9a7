"""The rules: each player antes 1 and gets one of three cards. A bet is 1; a player who passes after a bet gives up the ante."""

from __future__ import annotations

from kibitz.core.jit import number, word
from kibitz.core.seeds import below
from kibitz.games.basic_kernels import finish, hand_on
from kibitz_kuhn.records import BET, PASS, State

BOTH = (1 << PASS) | (1 << BET)


def deal_cards(state: State, position: int) -> int:
    """Give each player one of three cards."""
    position, first = below(position, 3)
    position, second = below(position, 2)
    state.cards[0] = first
    state.cards[1] = second + 1 if second >= first else second
    state.is_bet = 0
    state.bettor = -1
    return position


def legal_mask(state: State) -> int:
    """Passing and betting are always possible."""
    return word(BOTH)


def take_action(state: State, action: int) -> None:
    """Pass or bet; a second pass, a fold and a call end the deal."""
    seat = number(state.current)
    if state.is_bet:
        if action == BET:
            finish(state, higher(state), 2)
        else:
            finish(state, 1 - seat, 1)
    elif action == BET:
        state.is_bet = 1
        state.bettor = seat
        hand_on(state)
    elif seat == 1:
        finish(state, higher(state), 1)
    else:
        hand_on(state)


def higher(state: State) -> int:
    """The seat with the higher card."""
    return 0 if state.cards[0] > state.cards[1] else 1


def reveal(state: State, seat: int) -> None:
    """Show a player its card."""
    state.card = state.cards[seat]
