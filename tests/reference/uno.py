"""The classic rules of UNO once more, slow and obvious: what the engine is tested against.

Written from the rules alone, with lists of card names and no tricks. Chance is left to the caller: whenever a card is
drawn, `choose` is handed the cards it may be and says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Choose = Callable[[Sequence[str]], str]

COLOURS = ("r", "g", "b", "y")
ACTION_SYMBOLS = ("skip", "rev", "+2")


def is_wild(card: str) -> bool:
    return card in ("wild", "wild+4")


def colour_of(card: str) -> str | None:
    return None if is_wild(card) else card[0]


def symbol_of(card: str) -> str:
    return card if is_wild(card) else card[1:]


def points_of(card: str) -> int:
    if is_wild(card):
        return 50
    if symbol_of(card) in ACTION_SYMBOLS:
        return 20
    return int(symbol_of(card))


def plays_of(card: str) -> list[str]:
    """The actions that play a card: one, or for a wild one a colour."""
    return [f"{card}:{colour}" for colour in COLOURS] if is_wild(card) else [card]


def standard_deck() -> list[str]:
    deck = []
    for colour in COLOURS:
        deck.append(f"{colour}0")
        for symbol in ("1", "2", "3", "4", "5", "6", "7", "8", "9", *ACTION_SYMBOLS):
            deck += [f"{colour}{symbol}"] * 2
    return deck + ["wild"] * 4 + ["wild+4"] * 4


def opening_candidates(pile: Sequence[str]) -> list[str]:
    """What may be turned up to begin: a Wild Draw Four goes back, unless there is nothing else."""
    return [card for card in pile if card != "wild+4"] or list(pile)


@dataclass
class ReferenceGame:
    """One game. Hands are in order of arrival, the discard pile (without the top card) oldest first."""

    hands: list[list[str]]
    pile: list[str]
    top: str
    dealer: int
    max_turns: int = 1000
    discard: list[str] = field(default_factory=list)
    colour: str | None = None  # None while an opening wild has none
    direction: int = 1
    current: int = 0
    phase: str = "turn"
    drawn: str | None = None
    turn: int = 0
    idle: int = 0  # players in a row who could neither play nor draw
    status: str = "playing"
    winner: int | None = None
    points: int = 0

    # -- the beginning --

    @classmethod
    def deal(cls, deck: Sequence[str], players: int, hand_size: int, max_turns: int, choose: Choose) -> ReferenceGame:
        """Deal hands seat by seat, draw the dealer, turn up a card and begin."""
        pile = list(deck)
        hands: list[list[str]] = [[] for _ in range(players)]
        for hand in hands:
            for _ in range(hand_size):
                hand.append(choose(pile))
                pile.remove(hand[-1])
        dealer = int(choose([str(seat) for seat in range(players)]))
        top = choose(opening_candidates(pile))
        pile.remove(top)
        return cls.begin(hands, pile, top, dealer, max_turns, choose)

    @classmethod
    def begin(cls, hands: list[list[str]], pile: list[str], top: str, dealer: int, max_turns: int, choose: Choose) -> ReferenceGame:
        """The game after the opening card has had its effect."""
        game = cls(hands, pile, top, dealer, max_turns, colour=colour_of(top), current=dealer)
        first = game.seat_after(dealer, 1)
        if symbol_of(top) == "rev":
            game.direction = -1
            first = dealer
        elif symbol_of(top) == "skip":
            first = game.seat_after(first, 1)
        elif symbol_of(top) == "+2":
            game.force_draw(first, 2, choose)
            first = game.seat_after(first, 1)
        game.start_turn(first)
        return game

    # -- what may be done --

    def matches(self, card: str) -> bool:
        """Whether a card may be played on the top card."""
        if is_wild(card) or self.colour is None:
            return True
        return colour_of(card) == self.colour or symbol_of(card) == symbol_of(self.top)

    def legal_actions(self) -> list[str]:
        if self.status != "playing":
            return []
        if self.drawn is not None:
            return [*plays_of(self.drawn), "keep"]
        cards = [card for card in sorted(set(self.hands[self.current])) if self.matches(card)]
        return [action for card in cards for action in plays_of(card)] + ["draw"]

    # -- what it does --

    def apply(self, action: str, choose: Choose) -> None:
        assert action in self.legal_actions(), f"{action} is not legal"
        if action == "draw":
            self.draw_for_turn(choose)
        elif action == "keep":
            self.start_turn(self.seat_after(self.current, 1))
        else:
            card, _, called = action.partition(":")
            self.play(card, called or colour_of(card), choose)

    def draw_for_turn(self, choose: Choose) -> None:
        player = self.current
        could_play = any(self.matches(card) for card in self.hands[player])
        card = self.draw_card(choose)
        if card is None:
            self.idle = 0 if could_play else self.idle + 1
            if self.idle == len(self.hands):
                self.status = "stuck"
            else:
                self.start_turn(self.seat_after(player, 1))
            return
        self.idle = 0
        self.hands[player].append(card)
        if self.matches(card):
            self.phase, self.drawn = "drawn", card
        else:
            self.start_turn(self.seat_after(player, 1))

    def play(self, card: str, colour: str | None, choose: Choose) -> None:
        player = self.current
        remove_newest(self.hands[player], card)
        self.discard.append(self.top)
        self.top, self.colour = card, colour
        self.idle = 0
        skipped = 0
        if symbol_of(card) == "rev" and len(self.hands) > 2:
            self.direction = -self.direction
        elif symbol_of(card) in ("skip", "rev"):
            skipped = 1
        elif symbol_of(card) == "+2":
            skipped = 1
            self.force_draw(self.seat_after(player, 1), 2, choose)
        elif card == "wild+4":
            skipped = 1
            self.force_draw(self.seat_after(player, 1), 4, choose)
        if not self.hands[player]:
            self.status, self.winner = "won", player
            self.points = sum(points_of(other) for hand in self.hands for other in hand)
        else:
            self.start_turn(self.seat_after(player, 1 + skipped))

    # -- small steps --

    def seat_after(self, seat: int, places: int) -> int:
        return (seat + places * self.direction) % len(self.hands)

    def start_turn(self, player: int) -> None:
        self.current, self.phase, self.drawn = player, "turn", None
        if self.turn == self.max_turns:
            self.status = "cut off"
        else:
            self.turn += 1

    def force_draw(self, player: int, count: int, choose: Choose) -> None:
        for _ in range(count):
            card = self.draw_card(choose)
            if card is not None:
                self.hands[player].append(card)

    def draw_card(self, choose: Choose) -> str | None:
        """A card of the draw pile, which is made anew at once when it runs out; None if there is nothing to draw."""
        if not self.pile:
            self.refill()
        if not self.pile:
            return None
        card = choose(self.pile)
        self.pile.remove(card)
        if not self.pile:
            self.refill()
        return card

    def refill(self) -> None:
        self.pile, self.discard = self.discard, []

    def copy(self) -> ReferenceGame:
        twin = ReferenceGame(**vars(self))
        twin.hands = [hand[:] for hand in self.hands]
        twin.pile, twin.discard = self.pile[:], self.discard[:]
        return twin


def remove_newest(hand: list[str], card: str) -> None:
    for place in range(len(hand) - 1, -1, -1):
        if hand[place] == card:
            del hand[place]
            return
    raise AssertionError(f"{card} is not in hand")
