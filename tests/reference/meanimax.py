"""Meanimax in plain Python, as slow and obvious as its description: what the compiled search is compared with.

A card in a hand is `(counts, colours, ranks)`: how many copies of each type it may be as far as the searcher knows, and
what its holder has been told, as masks. Colours are numbered as the caller likes; the order in which colour hints are tried
is an argument, because among equal scores the last one wins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

COLOURS = RANKS = 5
ALL = 31
MAX_TOKENS = 8

Counts = tuple[int, ...]
Card = tuple[Counts, int, int]
Move = tuple[str, int]  # "discard" or "play" with a slot, "rank" or "colour" with its number


@dataclass(frozen=True)
class Position:
    """What the player to move knows: own and partner's cards, the height of every pile, tokens and lives."""

    piles: tuple[int, ...]
    own: tuple[Card, ...]
    partner: tuple[Card, ...]
    tokens: int
    lives: int


class Meanimax:
    """A search with one table of cards that are neither played nor discarded; it never changes within a search."""

    def __init__(self, remaining: Counts, colour_order: tuple[int, ...] = (0, 1, 2, 3, 4)) -> None:
        self.remaining = remaining
        self.colour_order = colour_order
        self.unknown: Card = (remaining, ALL, ALL)
        self.values: dict[tuple[Position, int], float] = {}

    def filtered(self, counts: Counts, colours: int, ranks: int) -> Counts:
        """The counts of the types that fit the hints."""
        return tuple(count if colours >> card // RANKS & 1 and ranks >> card % RANKS & 1 else 0 for card, count in enumerate(counts))

    def reach(self, remaining: Counts, colour: int, pile: int) -> int:
        """How high a pile can grow with these cards."""
        while pile < RANKS and remaining[colour * RANKS + pile]:
            pile += 1
        return pile

    def loss(self, card: int, piles: tuple[int, ...]) -> int:
        """How much lower a pile can grow once a copy of a type is gone."""
        colour = card // RANKS
        less = tuple(count - (place == card) for place, count in enumerate(self.remaining))
        return self.reach(self.remaining, colour, piles[colour]) - self.reach(less, colour, piles[colour])

    def moves(self, position: Position, depth: int) -> list[Move]:
        """Every move that is tried, in order."""
        slots = range(len(position.own))
        moves = [("discard", slot) for slot in slots] + [("play", slot) for slot in slots]
        if position.tokens > 0 and depth > 0:
            moves += [("rank", rank) for rank in range(RANKS)] + [("colour", colour) for colour in self.colour_order]
        return moves

    def pick(self, position: Position, depth: int) -> Move:
        """The move of the best score, the last one among equals."""
        best, chosen = -float("inf"), ("", 0)
        for move in self.moves(position, depth):
            score = self.score_move(position, move, depth)
            if score >= best:
                best, chosen = score, move
        return chosen

    def score_move(self, position: Position, move: Move, depth: int) -> float:
        """The mean over all that a move may lead to."""
        kind, value = move
        if kind == "discard":
            return self.score_discard(position, value, depth)
        if kind == "play":
            return self.score_play(position, value, depth)
        return self.score_hint(position, kind, value, depth)

    def refilled(self, position: Position, slot: int) -> Position:
        """The slot's card gone, an unknown one at the end."""
        return replace(position, own=(*position.own[:slot], *position.own[slot + 1 :], self.unknown))

    def score_discard(self, position: Position, slot: int, depth: int) -> float:
        """The mean of what is lost for good, and the position with a token more."""
        counts = position.own[slot][0]
        lost = sum(count * self.loss(card, position.piles) for card, count in enumerate(counts) if count)
        after = replace(self.refilled(position, slot), tokens=min(position.tokens + 1, MAX_TOKENS))
        return -lost / sum(counts) * (1 + 0.1 * depth) + self.score_position(after, depth)

    def score_play(self, position: Position, slot: int, depth: int) -> float:
        """The mean of plays that fit, colour by colour, and of those that do not."""
        counts = position.own[slot][0]
        total = sum(counts)
        after = self.refilled(position, slot)
        bonus, value, misfires = 0.0, 0.0, total
        for colour, pile in enumerate(position.piles):
            fitting = counts[colour * RANKS + pile] if pile < RANKS else 0
            if fitting:
                piles = (*position.piles[:colour], pile + 1, *position.piles[colour + 1 :])
                value += fitting * self.score_position(replace(after, piles=piles), depth)
                bonus += fitting
                misfires -= fitting
        if misfires:
            value += misfires * self.score_position(replace(after, lives=position.lives - 1), depth)
            bonus -= 3 * misfires
        return bonus / total * (1 + 0.1 * depth) + value / total

    def score_hint(self, position: Position, kind: str, value: int, depth: int) -> float:
        """The mean over every set of cards that the hint may touch."""
        named = 1 << value
        weights = []
        for counts, _, _ in position.partner:
            hit = sum(self.filtered(counts, named if kind == "colour" else ALL, named if kind == "rank" else ALL))
            weights.append((sum(counts) - hit, hit))
        total, mean = 0, 0.0
        for touched in product((0, 1), repeat=len(position.partner)):
            weight = 1
            for hit, pair in zip(touched, weights, strict=True):
                weight *= pair[hit]
            if weight and any(touched):
                told = []
                for hit, (counts, colours, ranks) in zip(touched, position.partner, strict=True):
                    kept = named if hit else ~named
                    told.append((counts, colours & kept, ranks) if kind == "colour" else (counts, colours, ranks & kept))
                after = replace(position, partner=tuple(told), tokens=position.tokens - 1)
                mean += weight * self.score_position(after, depth)
                total += weight
        return mean / total if total else -float("inf")

    def score_position(self, position: Position, depth: int) -> float:
        """What a position is worth once a move is made: the partner moves as it knows best, scored as it is known here."""
        if depth == 0:
            return 0.1 * position.tokens - (100 if position.lives <= 0 else 0)
        key = (position, depth)
        if key not in self.values:
            known = replace(position, own=position.partner, partner=position.own)
            guess = tuple((self.filtered(self.remaining, colours, ranks), colours, ranks) for _, colours, ranks in known.own)
            move = self.pick(replace(known, own=guess), depth - 1)
            self.values[key] = self.score_move(known, move, depth - 1)
        return self.values[key]
