"""A view of UNO as a vector of zeros and ones, version 1.

First planes of cards, 4 rows x 14 columns: a row for each colour with its 13 values, and in the last column the four kinds of wild,
Wild in the row of red and so on. Then what is not about single cards. Seats are counted from the viewer on in the direction of play,
numbers are thermometers (so many ones, then zeros). Nothing in it is hidden from the player. The kernels run compiled as well.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, lowest, number, word
from kibitz.games.encoding import Encoding, Section, fill_choice, fill_thermometer
from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, COLOURED_TYPES, NO_CARD, NO_COLOUR, VALUES
from kibitz.games.uno.view import NO_SEAT, PHASE_NAMES, View

VERSION = 1

COLUMNS = VALUES + 1
HELD, SPENT = 3, 4  # copies that are told apart, in the hand and in the discard pile
PLAYABLE = HELD
TOP, DRAWN_CARD, DISCARDED = PLAYABLE + 1, PLAYABLE + 2, PLAYABLE + 3
KNOWN_NEXT, KNOWN_OTHERS = DISCARDED + SPENT, DISCARDED + SPENT + 1
PLANES = KNOWN_OTHERS + 1

MOST_SIZE = 12  # larger hands count as so many
PILE_STEP, PILE_STEPS = 10, 11
STACK_STEP, STACK_STEPS = 2, 12
SCORE_STEP, SCORE_STEPS = 50, 10
DRAWN_RULES, FOUR_RULES, STACKINGS = 4, 4, 3
_ZERO = Word(0)


def encoding(view: View) -> Encoding:
    """The encoding of views like this one: it depends on the number of players alone."""
    players = number(view.players)
    cards = {
        "hand": (HELD, "cards you hold: at least 1, 2, 3 copies"),
        "playable": (1, "cards you can play now"),
        "top": (1, "the top card of the discard pile"),
        "drawn": (1, "the card you have just drawn, if you may play it"),
        "discards": (SPENT, "cards below the top of the discard pile: at least 1, 2, 3, 4 copies"),
        "known_next": (1, "cards you know the next player to hold"),
        "known_others": (1, "cards you know another player to hold"),
    }
    others = {
        "colour": (4, "the current colour: red, green, blue, yellow"),
        "phase": (len(PHASE_NAMES), f"the open decision: {', '.join(PHASE_NAMES)}"),
        "sizes": (players * MOST_SIZE, f"for you and each player after you: at least 1, 2, … {MOST_SIZE} cards in the hand"),
        "direction": (1, "1 if play goes round with the seat numbers"),
        "reverse_skips": (1, "1 if a Reverse skips at this table"),
        "pile": (PILE_STEPS, f"the draw pile has at least {PILE_STEP}, {2 * PILE_STEP}, … cards"),
        "stack": (STACK_STEPS, f"you would draw at least {STACK_STEP}, {2 * STACK_STEP}, … cards"),
        "may_challenge": (1, "1 if you can challenge"),
        "settled": (players, "the player whose play is being settled, counted from you"),
        "scores": (players * SCORE_STEPS, f"for you and each player after you: at least {SCORE_STEP}, {2 * SCORE_STEP}, … points before this deal"),
        "draw_until_playable": (1, "rules: a player draws until a card can be played"),
        "drawn_rule": (DRAWN_RULES, "rules for the card drawn: may, must, or may not be played, or any card may"),
        "must_play": (1, "rules: a player who can play may not draw"),
        "four_rule": (FOUR_RULES, "rules for a Wild Draw Four: free, honest only, challenge, last resort"),
        "stacking": (STACKINGS, "rules for stacking: off, same, progressive"),
        "seven_zero": (1, "rules: sevens and zeros move hands"),
        "jump_in": (1, "rules: jumping in"),
        "uno_call": (1, "rules: calling UNO"),
        "last_card_draws": (1, "rules: a last card still makes the next player draw"),
    }  # fmt: skip
    sections = [Section(name, planes * CARD_TYPES, meaning) for name, (planes, meaning) in cards.items()]
    sections += [Section(name, length, meaning) for name, (length, meaning) in others.items()]
    return Encoding(VERSION, tuple(sections), ACTIONS, fill_observation, (PLANES, 4, COLUMNS))


# -- kernels --


def fill_observation(view: View, vector: Any) -> int:
    """Write a view into a vector of zeros; where it ends."""
    fill_cards(view, vector)
    start = fill_table(view, vector, PLANES * CARD_TYPES)
    return fill_rules(view, vector, start)


def card_place(card: int) -> int:
    """The place of a card type in a plane."""
    if card < COLOURED_TYPES:
        return card // VALUES * COLUMNS + card % VALUES
    return (card - COLOURED_TYPES) * COLUMNS + VALUES


def fill_types(vector: Any, plane: int, types: int) -> None:
    """Mark the types of a mask in a plane."""
    left = word(types)
    while left != _ZERO:
        card = lowest(left)
        left &= left - ONE
        vector[plane * CARD_TYPES + card_place(card)] = 1


def fill_counts(vector: Any, plane: int, low: int, middle: int, high: int) -> None:
    """Mark the types of which there is at least one, two and three copies, in three planes."""
    fill_types(vector, plane, low | middle | high)
    fill_types(vector, plane + 1, middle | high)
    fill_types(vector, plane + 2, (low & middle) | high)


def fill_cards(view: View, vector: Any) -> None:
    """The planes."""
    fill_counts(vector, 0, view.hand0, view.hand1, view.hand2)
    fill_types(vector, PLAYABLE, view.playable_types)
    vector[TOP * CARD_TYPES + card_place(number(view.top))] = 1
    if view.drawn != NO_CARD:
        vector[DRAWN_CARD * CARD_TYPES + card_place(number(view.drawn))] = 1
    for place in range(number(view.discard_size)):
        at = DISCARDED * CARD_TYPES + card_place(number(view.discard[place]))
        copies = number(0)
        while copies < SPENT - 1 and vector[at] != 0:
            at += CARD_TYPES
            copies += 1
        vector[at] = 1
    following = view.seat_after(1)
    for places in range(1, number(view.players)):
        seat = view.seat_after(places)
        types = view.known0[seat] | view.known1[seat] | view.known2[seat]
        if types != _ZERO:
            if seat == following:
                fill_types(vector, KNOWN_NEXT, types)
            fill_types(vector, KNOWN_OTHERS, types)


def fill_table(view: View, vector: Any, start: int) -> int:
    """Colour, phase, hands, piles, what is being settled, scores."""
    players = number(view.players)
    start = fill_choice(vector, start, number(view.colour), NO_COLOUR)
    start = fill_choice(vector, start, number(view.phase), len(PHASE_NAMES))
    for places in range(players):
        start = fill_thermometer(vector, start, number(view.sizes[view.seat_after(places)]), MOST_SIZE)
    vector[start] = 1 if view.direction > 0 else 0
    vector[start + 1] = number(view.reverse_skips)
    start = fill_thermometer(vector, start + 2, number(view.pile_size) // PILE_STEP, PILE_STEPS)
    start = fill_thermometer(vector, start, number(view.stack) // STACK_STEP, STACK_STEPS)
    vector[start] = number(view.may_challenge)
    start += 1
    if view.player != NO_SEAT:
        places = (number(view.player) - number(view.seat)) * number(view.direction)
        vector[start + (places + players) % players] = 1
    start += players
    for places in range(players):
        score = number(view.scores[view.seat_after(places)])
        start = fill_thermometer(vector, start, score // SCORE_STEP, SCORE_STEPS)
    return start


def fill_rules(view: View, vector: Any, start: int) -> int:
    """The rules that a player must know."""
    vector[start] = number(view.draw_rule)
    start = fill_choice(vector, start + 1, number(view.drawn_rule), DRAWN_RULES)
    vector[start] = number(view.must_play)
    start = fill_choice(vector, start + 1, number(view.four_rule), FOUR_RULES)
    start = fill_choice(vector, start, number(view.stacking), STACKINGS)
    vector[start] = number(view.seven_zero)
    vector[start + 1] = number(view.jump_in)
    vector[start + 2] = number(view.uno_call)
    vector[start + 3] = number(view.last_card_draws)
    return start + 4
