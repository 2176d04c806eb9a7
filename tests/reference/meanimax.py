"""Meanimax in plain Python, as slow and obvious as its description: what the compiled search is compared with.

A card in a hand is `(counts, colours, ranks)`: how many copies of each type it may be as far as the searcher knows, and
what its holder has been told, as masks. Colours are red, yellow, green, blue, white here: the order in which colour hints
are tried, and among equal scores the last one wins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import NamedTuple

from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOURS as COLOUR_NAMES
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.hanabi.names import move_from_name
from kibitz.games.hanabi.state import State

COLOURS = RANKS = 5
ALL = 31
ORDER = (0, 1, 2, 4, 3)  # where each colour of the engine stands here, and the other way round

Counts = tuple[int, ...]
Card = tuple[Counts, int, int]
Move = tuple[str, int]  # "discard" or "play" with a slot, "rank" or "colour" with its number


class Position(NamedTuple):
    """What the player to move knows: own and partner's cards, the height of every pile, tokens and lives."""

    piles: tuple[int, ...]
    own: tuple[Card, ...]
    partner: tuple[Card, ...]
    tokens: int
    lives: int
    left: int = 100  # turns left once the deck is empty; before that, 2 and the cards in the deck
    is_root: bool = True  # whether the player at the root is to move


@dataclass(frozen=True)
class Options:
    """What the parameters of the bot change."""

    five_token: bool = False
    last_life: bool = False
    seen_cards: bool = False
    deck_end: bool = False
    misfire: float = 3
    token_value: float = 0.1
    copy_loss: float = 0


ORIGINAL = Options()


@dataclass
class Meanimax:
    """A search with tables of the cards neither played nor discarded, and of those the root player does not see."""

    remaining: Counts
    unseen: Counts
    options: Options = ORIGINAL
    max_tokens: int = 8
    ranks: int = RANKS
    values: dict[tuple[Position, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.loss = cache(self.find_loss)

    def counts_of(self, is_root: bool) -> Counts:
        """What a player expects its own cards to be."""
        return self.unseen if is_root and self.options.seen_cards else self.remaining

    @staticmethod
    @cache
    def filtered(counts: Counts, colours: int, ranks: int) -> Counts:
        """The counts of the types that fit the hints."""
        return tuple(count if colours >> card // RANKS & 1 and ranks >> card % RANKS & 1 else 0 for card, count in enumerate(counts))

    def find_loss(self, card: int, pile: int) -> int:
        """How much lower a pile can grow once a copy of a type is gone, in sixteenths of a card; less if copies are left."""
        colour, rank = card // RANKS, card % RANKS
        reach = pile
        while reach < RANKS and self.remaining[colour * RANKS + reach]:
            reach += 1
        if not pile <= rank < reach:
            return 0
        share = 1.0 if self.remaining[card] == 1 else self.options.copy_loss / (self.remaining[card] - 1)
        return int(share * (reach - rank) * 16)

    def moves(self, position: Position, depth: int) -> list[Move]:
        """Every move that is tried, in order."""
        slots = range(len(position.own))
        moves = [("discard", slot) for slot in slots] + [("play", slot) for slot in slots]
        if position.tokens > 0 and depth > 0:
            moves += [("rank", rank) for rank in range(RANKS)] + [("colour", colour) for colour in range(COLOURS)]
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
        own = (*position.own[:slot], *position.own[slot + 1 :])
        if not self.options.deck_end:
            return position._replace(own=(*own, (self.counts_of(position.is_root), ALL, ALL)))
        drawn = ((self.counts_of(position.is_root), ALL, ALL),) if position.left > 2 else ()
        return position._replace(own=own + drawn, left=position.left - 1)

    def score_discard(self, position: Position, slot: int, depth: int) -> float:
        """The mean of what is lost for good, and the position with a token more."""
        counts = position.own[slot][0]
        lost = sum(count * self.loss(card, position.piles[card // RANKS]) for card, count in enumerate(counts) if count)
        after = self.refilled(position, slot)._replace(tokens=min(position.tokens + 1, self.max_tokens))
        return -lost / sum(counts) / 16 * (1 + 0.1 * depth) + self.score_position(after, depth)

    def score_play(self, position: Position, slot: int, depth: int) -> float:
        """The mean of plays that fit, colour by colour, and of those that do not."""
        counts = position.own[slot][0]
        total = sum(counts)
        after = self.refilled(position, slot)
        value, misfires = 0.0, total
        for colour, pile in enumerate(position.piles):
            fitting = counts[colour * RANKS + pile] if pile < RANKS else 0
            if fitting:
                piles = (*position.piles[:colour], pile + 1, *position.piles[colour + 1 :])
                gained = self.options.five_token and pile + 1 == self.ranks
                tokens = min(position.tokens + gained, self.max_tokens)
                value += fitting * self.score_position(after._replace(piles=piles, tokens=tokens), depth)
                misfires -= fitting
        if misfires:
            value += misfires * self.score_position(after._replace(lives=position.lives - 1), depth)
        return (total - misfires - self.options.misfire * misfires) / total * (1 + 0.1 * depth) + value / total

    def score_hint(self, position: Position, kind: str, value: int, depth: int) -> float:
        """The mean over every set of cards that the hint may touch."""
        named = 1 << value
        weights = []
        for counts, _, _ in position.partner:
            hit = sum(self.filtered(counts, named if kind == "colour" else ALL, named if kind == "rank" else ALL))
            weights.append((sum(counts) - hit, hit))
        left = position.left - 1 if self.options.deck_end and position.left <= 2 else position.left
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
                after = position._replace(partner=tuple(told), tokens=position.tokens - 1, left=left)
                mean += weight * self.score_position(after, depth)
                total += weight
        return mean / total if total else -float("inf")

    def score_position(self, position: Position, depth: int) -> float:
        """What a position is worth once a move is made: the partner moves as it knows best, scored as it is known here."""
        is_final = (self.options.last_life and position.lives <= 0) or (self.options.deck_end and position.left == 0)
        if depth == 0 or is_final or not position.partner:
            return self.options.token_value * position.tokens - (100 if position.lives <= 0 else 0)
        # With depth 0 to go nobody is told anything, so that the other hand does not matter: all of them share one entry.
        key = (position if depth > 1 else position._replace(own=()), depth)
        if key not in self.values:
            known = position._replace(own=position.partner, partner=position.own, is_root=not position.is_root)
            expected = self.counts_of(known.is_root)
            guess = tuple((self.filtered(expected, colours, ranks), colours, ranks) for _, colours, ranks in known.own)
            move = self.pick(known._replace(own=guess), depth - 1)
            self.values[key] = self.score_move(known, move, depth - 1)
        return self.values[key]


# -- from the engine's states and back --


def reordered(counts: list[int]) -> list[int]:
    """Counts of the engine's types in the order of types here."""
    return [counts[ORDER[colour] * RANKS + rank] for colour in range(COLOURS) for rank in range(RANKS)]


def search_of(state: State, options: Options = ORIGINAL) -> tuple[Meanimax, Position]:
    """The search and the position of the player to act."""
    gone = [state.discards[card] + (card % RANKS < state.fireworks[card // RANKS]) for card in range(COLOURS * RANKS)]
    remaining = [state.deck[card] - gone[card] for card in range(COLOURS * RANKS)]
    unseen = remaining[:]
    partner_slots = _slots(state, 1 - state.current)
    for where in partner_slots:
        unseen[state.hands[where]] -= 1
    search = Meanimax(tuple(reordered(remaining)), tuple(reordered(unseen)), options, state.max_tokens, state.ranks)

    def told(where: int) -> tuple[int, int]:
        colours = state.colour_masks[where]
        return sum(1 << colour for colour in range(COLOURS) if colours >> ORDER[colour] & 1), state.rank_masks[where]

    own = tuple((search.filtered(search.unseen, *told(where)), *told(where)) for where in _slots(state, state.current))
    partner = tuple(
        (tuple(reordered([int(card == state.hands[where]) for card in range(COLOURS * RANKS)])), *told(where)) for where in partner_slots
    )
    left = state.deck_size + 2 if state.deck_size else state.turns_left
    piles = tuple(state.fireworks[ORDER[colour]] for colour in range(COLOURS))
    return search, Position(piles, own, partner, state.tokens, state.lives, left if options.deck_end else 100)


def _slots(state: State, seat: int) -> range:
    return range(seat * MAX_HAND, seat * MAX_HAND + state.sizes[seat])


def legal_scores(state: State, depth: int, options: Options = ORIGINAL) -> list[tuple[str, float]]:
    """Names and scores of the legal moves, in the order they are tried."""
    search, position = search_of(state, options)
    scores = []
    for kind, value in search.moves(position, depth):
        if kind in ("discard", "play"):
            name = f"{kind}:{value}"
        else:
            name = f"hint:1:{value + 1}" if kind == "rank" else f"hint:1:{COLOUR_NAMES[ORDER[value]]}"
        exists = value < state.ranks if kind == "rank" else kind != "colour" or ORDER[value] < state.colours
        if exists and engine.is_legal(state, move_from_name(state, name)):
            scores.append((name, search.score_move(position, (kind, value), depth)))
    return scores


def best_move(state: State, depth: int, options: Options = ORIGINAL) -> str:
    """The name of the move that meanimax makes: the last one of the best score."""
    scores = legal_scores(state, depth, options)
    best = max(score for _, score in scores)
    return [name for name, score in scores if score == best][-1]
