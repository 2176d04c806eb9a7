"""Card types and action numbers: what every other UNO module counts in.

A card *type* is a small integer: colour x 13 + value for the 52 coloured types, then the four wilds. Colours are red,
green, blue, yellow; values 0-9, then Skip, Reverse, Draw Two. Action numbers (version 1) are fixed for good: additions
go at the end.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Numbers, Word, Words, inline, word

COLOURS = ("red", "green", "blue", "yellow")
COLOUR_LETTERS = "rgby"
RED, GREEN, BLUE, YELLOW, NO_COLOUR = range(5)

VALUES = 13
SKIP, REVERSE, DRAW_TWO = 10, 11, 12
VALUE_NAMES = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "skip", "rev", "+2")

COLOURED_TYPES = 52
WILD, WILD_DRAW_FOUR, WILD_SHUFFLE_HANDS, WILD_CUSTOMIZABLE = 52, 53, 54, 55
WILD_NAMES = ("wild", "wild+4", "wildshuffle", "wildcustom")
CARD_TYPES = 56
NO_CARD = 127

# Action numbers, version 1.
FIRST_WILD_ACTION = 52
DRAW, KEEP, CHALLENGE, ACCEPT = 68, 69, 70, 71
FIRST_SWAP = 72  # swap with the player 1 place on; 80 is 9 places on
JUMP_IN, PASS, UNO, CATCH = 81, 82, 83, 84
ACTIONS = 85

# Kinds of card, in the order wherever six values are listed.
NUMBER_KIND, REVERSE_KIND, SKIP_KIND, DRAW_TWO_KIND, WILD_KIND, WILD_DRAW_FOUR_KIND = range(6)
KIND_NAMES = ("number", "reverse", "skip", "draw two", "wild", "wild draw four")

COLOUR_MASKS = Words([0x1FFF << (13 * colour) for colour in range(4)] + [0])
WILD_MASK = Word(0b1111 << COLOURED_TYPES)
COLOURED_MASK = Word((1 << COLOURED_TYPES) - 1)
ALL_CARDS = Word((1 << CARD_TYPES) - 1)
VALUE_MASKS = Words([sum(1 << (13 * colour + value) for colour in range(4)) for value in range(VALUES)])

COLOUR_OF = Numbers([card // VALUES for card in range(COLOURED_TYPES)] + [NO_COLOUR] * 4)
VALUE_OF = Numbers([card % VALUES for card in range(COLOURED_TYPES)] + [VALUES] * 4)
POINTS_OF = Numbers([min(card % VALUES, 9) if card % VALUES < SKIP else 20 for card in range(COLOURED_TYPES)] + [50, 50, 40, 40])
KIND_OF = Numbers(
    [{SKIP: SKIP_KIND, REVERSE: REVERSE_KIND, DRAW_TWO: DRAW_TWO_KIND}.get(card % VALUES, NUMBER_KIND) for card in range(COLOURED_TYPES)]
    + [WILD_KIND, WILD_DRAW_FOUR_KIND, WILD_KIND, WILD_KIND]
)
KIND_MASKS = Words([sum(1 << card for card in range(CARD_TYPES) if KIND_OF[card] == kind) for kind in range(6)])
# What may be played on a coloured card; on a wild it is COLOUR_MASKS of the chosen colour and the wilds.
MATCH_MASKS = Words(
    [int(COLOUR_MASKS[card // VALUES]) | int(VALUE_MASKS[card % VALUES]) | int(WILD_MASK) for card in range(COLOURED_TYPES)]
    + [int(ALL_CARDS)] * 4
)

# The card, the colour then current, and what may follow, for each playing action.
_PLAYS = range(68)
ACTION_CARDS = Numbers([action if action < COLOURED_TYPES else COLOURED_TYPES + (action - FIRST_WILD_ACTION) // 4 for action in _PLAYS])
ACTION_COLOURS = Numbers([COLOUR_OF[action] if action < COLOURED_TYPES else (action - FIRST_WILD_ACTION) % 4 for action in _PLAYS])
ACTION_MATCHES = Words(
    [MATCH_MASKS[action] if action < COLOURED_TYPES else COLOUR_MASKS[ACTION_COLOURS[action]] | int(WILD_MASK) for action in _PLAYS]
)

STANDARD_DECK = tuple([1 if card % VALUES == 0 else 2 for card in range(COLOURED_TYPES)] + [4, 4, 0, 0])
DECKS = {
    "standard": STANDARD_DECK,
    "numbers": tuple(count if card < COLOURED_TYPES and card % VALUES < SKIP else 0 for card, count in enumerate(STANDARD_DECK)),
    "modern": (*STANDARD_DECK[:54], 1, 3),
}
MAX_COPIES = 7  # three bit planes
MAX_CARDS = 112
MAX_PLAYERS = 10


@inline
def bit(card: int) -> int:
    """The mask with this card type alone."""
    return ONE << word(card)


def colour_of(card: int) -> int:
    """The colour printed on a card, NO_COLOUR for a wild."""
    return COLOUR_OF[card]


def value_of(card: int) -> int:
    """The value printed on a card: 0-9, SKIP, REVERSE, DRAW_TWO, or 13 for a wild."""
    return VALUE_OF[card]


def points_of(card: int) -> int:
    """What the card counts in a loser's hand."""
    return POINTS_OF[card]


def is_wild(card: int) -> bool:
    """Whether the card has no colour of its own."""
    return card >= COLOURED_TYPES


@inline
def match_mask(card: int, colour: int) -> int:
    """The types that may be played on a card; `colour` is the one called for a wild, NO_COLOUR for none yet."""
    if card < COLOURED_TYPES:
        return MATCH_MASKS[card]
    if colour == NO_COLOUR:
        return ALL_CARDS
    return COLOUR_MASKS[colour] | WILD_MASK


@inline
def play_action(card: int, colour: int) -> int:
    """The action that plays a card; `colour` is called for a wild and does not matter for others."""
    if card < COLOURED_TYPES:
        return card
    if colour < 0 or colour >= NO_COLOUR:
        return ACTIONS  # no action at all, so that the mistake shows
    return FIRST_WILD_ACTION + 4 * (card - COLOURED_TYPES) + colour


@inline
def action_card(action: int) -> int:
    """The card that an action below DRAW plays."""
    return ACTION_CARDS[word(action)]


@inline
def action_colour(action: int) -> int:
    """The colour that is current after an action below DRAW."""
    return ACTION_COLOURS[word(action)]
