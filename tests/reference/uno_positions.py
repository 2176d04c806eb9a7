"""Hand-made positions of the reference, and scripts of the cards that come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.reference.uno import ReferenceGame, ReferenceRules, colour_of

COLOURED_WILD = [f"wild:{colour}" for colour in "rgby"]
COLOURED_WILD_DRAW_FOUR = [f"wild+4:{colour}" for colour in "rgby"]


class Script:
    """Cards in the order in which they are drawn or dealt out."""

    def __init__(self, cards: str) -> None:
        self.cards = cards_in(cards)

    def __call__(self, options: Sequence[str]) -> str:
        assert self.cards, f"a card was drawn that is not in the script, one of {options}"
        assert self.cards[0] in options, f"{self.cards[0]} is not among {options}"
        return self.cards.pop(0)


def cards_in(text: str) -> list[str]:
    return [card for card in text.split(".") if card]


def hands_in(text: str) -> list[list[str]]:
    return [cards_in(hand) for hand in text.split("|")]


def position(
    hands: str,
    top: str,
    pile: str = "",
    discard: str = "",
    *,
    direction: int = 1,
    turn: int = 1,
    max_turns: int = 1000,
    **switches: Any,
) -> ReferenceGame:
    """Seat 0's turn. Hands are separated by bars, cards by dots; a wild on top has its colour after a colon."""
    card, _, called = top.partition(":")
    return ReferenceGame(
        hands_in(hands),
        cards_in(pile),
        card,
        dealer=0,
        max_turns=max_turns,
        discard=cards_in(discard),
        colour=called or colour_of(card),
        direction=direction,
        turn=turn,
        rules=ReferenceRules(**switches),
    )


def opening(hands: str, top: str, pile: str = "", drawn: str = "", dealer: int = 0, **switches: Any) -> ReferenceGame:
    """A game that begins with this card."""
    script = Script(drawn)
    game = ReferenceGame.begin(hands_in(hands), cards_in(pile), top, dealer, 1000, script, ReferenceRules(**switches))
    assert not script.cards
    return game


def play(game: ReferenceGame, *actions: str, drawn: str = "") -> ReferenceGame:
    """Actions one after the other; `drawn` are the cards that come meanwhile, all of them."""
    script = Script(drawn)
    for action in actions:
        game.apply(action, script)
    assert not script.cards, f"{script.cards} were not drawn"
    return game


def hands(game: ReferenceGame) -> str:
    return "|".join(".".join(hand) for hand in game.hands)


def asked(game: ReferenceGame) -> tuple[str, int]:
    """Which decision is open, and whose it is."""
    assert game.status == "playing"
    return game.phase, game.current
