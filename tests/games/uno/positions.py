"""Positions made by hand, where the deck is whatever cards stand in them, and rules under which odd things happen."""

from __future__ import annotations

from collections import Counter

from kibitz.arena.game import Game
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.notation import hand_in_order

# Rules: small decks in which the draw pile often runs out, and games that are short or long.
NUMBERS = "classic,deck=r1*2/r2*2/r3/g1*2/g2/g3*2/b4*2/b1,hand_size=2"
PENALTIES = "classic,deck=r+2*3/g+2*2/wild+4*3/r1/g2/b+2,hand_size=2"
TURNING = "classic,deck=rrev*3/grev*3/rskip*2/gskip*2/b1/y1,hand_size=2,max_turns=100"
NO_PILE = "classic,deck=r1/g1/b2/y2/r3/g3/wild,hand_size=3"
NO_MATCH = "classic,deck=r1/g2/b3/y4/r5,hand_size=1"
WILDS = "classic,deck=wild*5/wild+4*6/r0/g9,hand_size=3,max_turns=40"
SHORT = "classic,max_turns=60"
LONG_HANDS = "classic,hand_size=20"
ONE_CARD = "classic,hand_size=1"

# A position that every part of a text can be tried on.
EXAMPLE = (
    "classic,deck=r1/r4/r5/g2/b3*2/y7/y8/wild,hand_size=1;"
    "players=2;dealer=0;to_act=1;direction=+;turn=3;phase=turn;top=r5;hands=r1.g2.wild|b3.b3;discard=r4;pile=y7.y8"
)


def cards_in(text: str) -> list[str]:
    """The cards of hands, a pile or a top card with or without its colour."""
    return [card.partition(":")[0] for hand in text.split("|") for card in hand.split(".") if card]


def position(
    hands: str,
    top: str,
    pile: str = "",
    discard: str = "",
    *,
    to_act: int = 0,
    direction: str = "+",
    turn: int = 1,
    max_turns: int = 1000,
    more: str = "",
) -> Game:
    """A game in the middle of a turn. Hands are separated by bars, cards by dots."""
    counts = Counter(cards_in(hands) + cards_in(top) + cards_in(pile) + cards_in(discard))
    deck = "/".join(f"{card}*{count}" for card, count in counts.items())
    return Game.from_text(
        f"classic,deck={deck},hand_size=1,max_turns={max_turns};players={hands.count('|') + 1};dealer=0;to_act={to_act};"
        f"direction={direction};turn={turn};phase=turn;top={top};hands={hands};discard={discard};pile={pile}{more}"
    )


def hand(game: Game, seat: int) -> str:
    """A hand as text."""
    return ".".join(card_name(card) for card in hand_in_order(game.state, seat))


def discard(game: Game) -> str:
    """The discard pile under its top card, oldest first."""
    return ".".join(card_name(card) for card in game.state.discard[: game.state.discard_size])


def pile(game: Game) -> str:
    """The draw pile in the order of the names: its own order means nothing."""
    return ".".join(sorted(card_name(card) for card in game.state.pile[: game.state.pile_size]))


def legal(game: Game) -> list[str]:
    """The legal actions by name."""
    return [action_name(action) for action in game.legal_actions()]
