"""Random games step by step: the engine and the reference agree about everything. Then compiled games against plain ones."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from kibitz import registry
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_LETTERS, HIDDEN, MAX_HAND, NO_CARD
from kibitz.games.hanabi.names import card_name, move_name, moves_of
from kibitz.games.hanabi.rules import PRESETS, Rules, parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import STATUS_NAMES
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.reference.hanabi import Move, ReferenceGame, deck_of

CARD_NAMES = [card_name(card) for card in range(CARD_TYPES)]
COLOUR_NAMES = {"R": "red", "Y": "yellow", "G": "green", "W": "white", "B": "blue"}

SMALL = "standard,colours=2,ranks=3,hand_size=2"
TINY = "standard,colours=1,ranks=5,hand_size=3,tokens=3"
NARROW = "standard,colours=5,ranks=1,hand_size=1"
DEALT_OUT = "standard,colours=1,ranks=4,hand_size=4"
OPEN = "standard,discard_when_full=on,lives=1"
SCARCE = "standard,tokens=1,hand_size=3"
WIDE = "standard,hand_size=5,lives=2,tokens=5"

# Rules, players, games.
RUNS = [
    *[("standard", players, 150) for players in range(2, 6)],
    *[("autohanabi", players, 100) for players in (2, 5)],
    *[(SMALL, players, 200) for players in range(2, 6)],
    *[(TINY, players, 200) for players in (2, 3)],
    *[(NARROW, players, 50) for players in range(2, 6)],
    (DEALT_OUT, 2, 100),
    *[(OPEN, players, 150) for players in range(2, 6)],
    *[(SCARCE, players, 100) for players in range(2, 6)],
    *[(WIDE, players, 100) for players in range(2, 6)],
]


def number_name(move: Move) -> str:
    """A move of the reference by the engine's name."""
    if move[0] in ("discard", "play"):
        return f"{move[0]}:{move[1]}"
    return f"hint:{move[1]}:{COLOUR_NAMES.get(move[2], move[2])}"


class Pair:
    """A game on the engine and the same game by the reference."""

    def __init__(self, rules: Rules, players: int, seed: int, index: int) -> None:
        self.state = new_state(rules, players)
        self.state.observed = 1
        engine.deal(self.state, game_key(seed, index))
        deck = [CARD_NAMES[card] for card in self.state.deck_order[: self.state.deck_total]]
        assert Counter(deck) == Counter(deck_of(rules.colours, rules.ranks))
        self.reference = ReferenceGame(
            players,
            deck,
            rules.hand_size or (5 if players <= 3 else 4),
            rules.tokens,
            rules.lives,
            rules.discard_when_full,
            rules.colours,
            rules.ranks,
        )
        self.moves = self.reference.all_moves()
        assert [number_name(move) for move in self.moves] == [move_name(self.state, move) for move in range(moves_of(self.state))]

    def apply(self, move: int) -> None:
        self.state.event_count = 0
        engine.apply(self.state, move)
        self.reference.apply(self.moves[move])

    def check(self) -> list[int]:
        """Everything there is to know agrees; the legal moves."""
        state, reference = self.state, self.reference
        assert STATUS_NAMES[state.status] == reference.status
        legal = engine.legal_actions(state)
        assert legal == [number for number, move in enumerate(self.moves) if reference.is_legal(move)]
        assert (state.current, state.turn) == (reference.current, reference.turn)
        assert (state.tokens, state.lives, state.score) == (reference.tokens, reference.lives, reference.points())
        assert state.fireworks[: state.colours] == list(reference.fireworks.values())
        assert Counter({name: count for name, count in zip(CARD_NAMES, state.discards, strict=True) if count}) == Counter(
            reference.discards
        )
        assert state.deck_size == len(reference.deck_left())
        assert state.drawn == reference.drawn
        assert state.turns_left == (-1 if reference.final_turns is None else reference.final_turns)
        self.check_hands(state)
        if state.last_move >= 0:
            assert state.last_touched == sum(1 << slot for slot in reference.touched)
        return legal

    def check_hands(self, state: State) -> None:
        """Cards, where they came from, and what is known of each."""
        letters, ranks = COLOUR_LETTERS[: state.colours], range(1, state.ranks + 1)
        for seat, hand in enumerate(self.reference.hands):
            assert state.sizes[seat] == len(hand)
            for slot in range(MAX_HAND):
                where = seat * MAX_HAND + slot
                if slot >= len(hand):
                    assert (state.hands[where], state.cards[where], state.places[where]) == (NO_CARD, NO_CARD, -1)
                    assert state.colour_masks[where] == state.rank_masks[where] == 0
                    assert state.named_colours[where] == state.named_ranks[where] == 0
                    continue
                card = hand[slot]
                assert (CARD_NAMES[state.hands[where]], state.places[where]) == (card.name, card.place)
                assert state.cards[where] == (HIDDEN if seat == state.seat else state.hands[where])
                assert {letter for place, letter in enumerate(letters) if state.colour_masks[where] >> place & 1} == card.colours
                assert {rank for place, rank in enumerate(ranks) if state.rank_masks[where] >> place & 1} == card.ranks
                assert (state.named_colours[where], state.named_ranks[where]) == (card.colour_named, card.rank_named)


def test_enough_games_are_played() -> None:
    assert sum(games for _, _, games in RUNS) >= 3000
    assert {players for rules, players, _ in RUNS if rules == "standard"} == {2, 3, 4, 5}


@pytest.mark.parametrize(("rules", "players", "games"), RUNS)
def test_engine_agrees_with_reference(rules: str, players: int, games: int) -> None:
    for index in range(games):
        pair = Pair(parse_rules(rules), players, 11, index)
        random = Random(f"{rules} {players} {index}")
        careful = index % 2  # plays only what fits, so that games last and succeed
        legal = pair.check()
        while legal:
            pair.apply(random.choice(good_moves(pair.state, legal) if careful else legal))
            legal = pair.check()


def good_moves(state: State, legal: list[int]) -> list[int]:
    """The legal moves without plays of cards that do not fit; of those that do, if there are any, only these."""
    first = state.current * MAX_HAND
    plays = {
        move: state.is_playable(state.hands[first + move - state.hand_size])
        for move in legal
        if 0 <= move - state.hand_size < state.hand_size
    }
    return [move for move, fits in plays.items() if fits] or [move for move in legal if move not in plays] or legal


@pytest.mark.parametrize(("rules", "players"), [("standard", 2), (SMALL, 3), (TINY, 2)])
def test_games_end_in_every_way(rules: str, players: int) -> None:
    statuses = set()
    for index in range(150):
        state = new_state(parse_rules(rules), players)
        engine.deal(state, game_key(5, index))
        random = Random(index)
        while not engine.is_over(state):
            legal = engine.legal_actions(state)
            engine.apply(state, random.choice(good_moves(state, legal) if index % 2 else legal))
        statuses.add(STATUS_NAMES[state.status])
    assert statuses == {"perfect", "lost", "ended"}


def test_standard_deck_has_fifty_cards() -> None:
    assert len(deck_of()) == 50
    assert Counter(card[1] for card in deck_of()) == {"1": 15, "2": 10, "3": 10, "4": 10, "5": 5}
    assert [PRESETS["standard"].deck[card] for card in range(CARD_TYPES)] == [deck_of().count(name) for name in CARD_NAMES]


# -- compiled against plain --


@pytest.mark.parametrize(
    ("rules", "players"), [("standard", 2), ("standard", 5), (SMALL, 4), (TINY, 2), (OPEN, 3), (SCARCE, 4), (DEALT_OUT, 2)]
)
def test_compiled_games_are_the_plain_ones(rules: str, players: int) -> None:
    lineup = make_lineup(["random"] * players, rules, game="hanabi")
    unit = Unit(1000, 60)
    assert play_compiled(lineup, 3, unit).tolist() == play_plain(lineup, 3, unit).tolist()


def test_random_is_a_bot_of_hanabi() -> None:
    assert "random" in registry.all_names("hanabi")
