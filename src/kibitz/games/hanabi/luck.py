"""How kind the shuffled deck was to a team: figures of its order whose mean is known exactly.

Every order of the deck is equally likely, so a card lies in the middle on average, and of two ranks of a colour the one with
more copies comes first as often as it has a share in them. What is noted is by how much a deck differs from that.
"""

from __future__ import annotations

from kibitz.core.jit import number, word
from kibitz.games.hanabi.cards import COLOUR_OF, MAX_CARDS, MAX_RANKS, RANK_OF
from kibitz.games.hanabi.state import State

COMPONENTS = 2 * MAX_RANKS - 1  # how late each rank lies, then how often each rank comes before the next one
SCALE = 2.0**40  # luck is noted in whole numbers


def luck_of(state: State, seat: int, component: int) -> int:
    """One figure of the deck's order, the same for every seat, times SCALE."""
    if component < MAX_RANKS:
        return int(lateness(state, component) * SCALE)
    return int(orderliness(state, component - MAX_RANKS) * SCALE)


def lateness(state: State, rank: int) -> float:
    """How far behind the middle of the deck the cards of a rank lie, added up, in decks."""
    total = number(state.deck_total)
    late = 0.0
    for place in range(total):
        if RANK_OF[word(state.deck_order[place])] == rank:
            late += place - 0.5 * (total - 1)
    return late / total


def orderliness(state: State, rank: int) -> float:
    """In how many colours the first card of a rank lies before the first of the next rank, less the number to be expected."""
    if rank + 1 >= number(state.ranks):
        return 0.0
    total = number(state.deck_total)
    ordered = 0.0
    for colour in range(number(state.colours)):
        first, following, copies, next_copies = MAX_CARDS, MAX_CARDS, 0, 0
        for place in range(total):
            card = word(state.deck_order[place])
            if COLOUR_OF[card] == colour:
                if RANK_OF[card] == rank:
                    first = min(first, place)
                    copies += 1
                elif RANK_OF[card] == rank + 1:
                    following = min(following, place)
                    next_copies += 1
        ordered += (1.0 if first < following else 0.0) - copies / (copies + next_copies)
    return ordered
