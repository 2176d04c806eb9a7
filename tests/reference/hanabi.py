"""The rules of Hanabi once more, slow and obvious: what the engine is tested against.

Written from the rules alone, with cards as text and moves as tuples: ("discard", slot), ("play", slot), ("colour", places
on, letter), ("rank", places on, rank).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Move = tuple[Any, ...]

LETTERS = "RYGWB"


def deck_of(colours: int = 5, ranks: int = 5) -> list[str]:
    """In each colour three 1s, two of what lies between, one of the highest rank."""
    deck = []
    for letter in LETTERS[:colours]:
        for rank in range(1, ranks + 1):
            if rank == ranks:
                copies = 1
            elif rank == 1:
                copies = 3
            else:
                copies = 2
            deck += [f"{letter}{rank}"] * copies
    return deck


@dataclass
class ReferenceCard:
    """A card in a hand with what hints have said of it."""

    name: str
    place: int
    colours: set[str]
    ranks: set[int]
    colour_named: bool = False
    rank_named: bool = False

    @property
    def colour(self) -> str:
        return self.name[0]

    @property
    def rank(self) -> int:
        return int(self.name[1])


@dataclass
class ReferenceGame:
    """One game, from a deck in the order of drawing. Whole hands are dealt one after the other."""

    players: int
    deck: list[str]
    hand_size: int
    max_tokens: int = 8
    max_lives: int = 3
    discard_when_full: bool = False
    colours: int = 5
    ranks: int = 5
    hands: list[list[ReferenceCard]] = field(default_factory=list)
    fireworks: dict[str, int] = field(default_factory=dict)
    discards: list[str] = field(default_factory=list)
    tokens: int = 0
    lives: int = 0
    current: int = 0
    turn: int = 1
    drawn: int = 0
    final_turns: int | None = None  # turns to come, once the deck is empty
    status: str = "playing"
    touched: list[int] = field(default_factory=list)  # slots named in the last hint

    def __post_init__(self) -> None:
        self.fireworks = dict.fromkeys(LETTERS[: self.colours], 0)
        self.tokens, self.lives = self.max_tokens, self.max_lives
        self.hands = [[] for _ in range(self.players)]
        for hand in self.hands:
            for _ in range(self.hand_size):
                self.draw(hand)
        if not self.deck_left():
            self.final_turns = self.players

    # -- what there is --

    def deck_left(self) -> list[str]:
        return self.deck[self.drawn :]

    def points(self) -> int:
        return sum(self.fireworks.values())

    def all_moves(self) -> list[Move]:
        """Every move in the order of the numbers."""
        slots = range(self.hand_size)
        others = range(1, self.players)
        moves: list[Move] = [("discard", slot) for slot in slots]
        moves += [("play", slot) for slot in slots]
        moves += [("colour", places, letter) for places in others for letter in LETTERS[: self.colours]]
        moves += [("rank", places, rank) for places in others for rank in range(1, self.ranks + 1)]
        return moves

    def is_legal(self, move: Move) -> bool:
        if self.status != "playing":
            return False
        if move[0] == "discard":
            may = self.tokens < self.max_tokens or self.discard_when_full
            return may and move[1] < len(self.hands[self.current])
        if move[0] == "play":
            return bool(move[1] < len(self.hands[self.current]))
        return self.tokens > 0 and any(self.matches(card, move) for card in self.told(move))

    def told(self, move: Move) -> list[ReferenceCard]:
        """The hand that a hint is about."""
        return self.hands[(self.current + move[1]) % self.players]

    def matches(self, card: ReferenceCard, move: Move) -> bool:
        return bool(card.colour == move[2] if move[0] == "colour" else card.rank == move[2])

    # -- what is done --

    def draw(self, hand: list[ReferenceCard]) -> None:
        colours = set(LETTERS[: self.colours])
        ranks = set(range(1, self.ranks + 1))
        hand.append(ReferenceCard(self.deck[self.drawn], self.drawn, colours, ranks))
        self.drawn += 1

    def apply(self, move: Move) -> None:
        assert self.is_legal(move)
        last_turns = self.final_turns is not None
        self.touched = []
        if move[0] == "discard":
            self.discards.append(self.hands[self.current].pop(move[1]).name)
            self.gain_token()
            self.refill()
        elif move[0] == "play":
            self.play(self.hands[self.current].pop(move[1]).name)
            self.refill()
        else:
            self.hint(move)
        if last_turns:
            assert self.final_turns is not None
            self.final_turns -= 1
        self.finish_turn()

    def gain_token(self) -> None:
        if self.tokens < self.max_tokens:
            self.tokens += 1

    def play(self, card: str) -> None:
        colour, rank = card[0], int(card[1])
        if self.fireworks[colour] == rank - 1:
            self.fireworks[colour] = rank
            if rank == self.ranks:
                self.gain_token()
        else:
            self.discards.append(card)
            self.lives -= 1

    def refill(self) -> None:
        """Draw a card; after the last one everybody has one more turn."""
        if self.deck_left():
            self.draw(self.hands[self.current])
            if not self.deck_left():
                self.final_turns = self.players

    def hint(self, move: Move) -> None:
        self.tokens -= 1
        for slot, card in enumerate(self.told(move)):
            if self.matches(card, move):
                self.touched.append(slot)
            if move[0] == "colour":
                if self.matches(card, move):
                    card.colours = {move[2]}
                    card.colour_named = True
                else:
                    card.colours = card.colours - {move[2]}
            elif self.matches(card, move):
                card.ranks = {move[2]}
                card.rank_named = True
            else:
                card.ranks = card.ranks - {move[2]}

    def finish_turn(self) -> None:
        if self.lives == 0:
            self.status = "lost"
        elif self.points() == self.colours * self.ranks:
            self.status = "perfect"
        elif self.final_turns == 0:
            self.status = "ended"
        else:
            self.current = (self.current + 1) % self.players
            self.turn += 1
