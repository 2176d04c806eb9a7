"""Random games, step by step: the engine and the reference agree about everything. Then compiled games against plain ones."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from kibitz import registry
from kibitz.games.uno.engine import TALLY_DEALS, TALLY_UNFINISHED
from kibitz.games.uno.names import action_from_name, action_name
from kibitz.games.uno.view import STATUS_NAMES
from kibitz.play.game import Game
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.games.uno.positions import LONG_HANDS, NO_MATCH, NO_PILE, NUMBERS, ONE_CARD, PENALTIES, SHORT, TURNING, WILDS
from tests.reference.pair import Pair, names_of
from tests.reference.uno import points_of, standard_deck

# Rules, players, games: one in three is played each time, the others by `make verify`.
RUNS = [
    *[("classic", players, 30) for players in range(2, 11)],
    *[(SHORT, players, 50) for players in (2, 3, 5, 10)],
    *[(LONG_HANDS, players, 10) for players in (2, 5)],
    *[(ONE_CARD, players, 40) for players in (2, 4, 10)],
    *[(NUMBERS, players, 160) for players in (2, 3, 5)],
    *[(PENALTIES, players, 160) for players in (2, 3, 4)],
    *[(TURNING, players, 160) for players in (2, 3, 5)],
    (NO_PILE, 2, 200),
    *[(NO_MATCH, players, 160) for players in (2, 3, 4)],
    *[(WILDS, players, 160) for players in (2, 3, 4)],
]


def play_pair(rules: str, players: int, seed: int, index: int) -> Pair:
    pair = Pair(Game(players, rules, seed, index))
    random = Random(f"{rules} {players} {index}")
    pair.check()
    while not pair.game.is_over:
        pair.apply(random.choice(pair.legal))
        pair.check()
    return pair


def test_enough_games_are_played() -> None:
    assert sum(games for _, _, games in RUNS) >= 3000
    assert {players for rules, players, _ in RUNS if rules == "classic"} == set(range(2, 11))


@pytest.mark.parametrize(("rules", "players", "games"), RUNS)
def test_engine_agrees_with_reference(rules: str, players: int, games: int) -> None:
    for index in range(0, games, 3):
        assert play_pair(rules, players, 11, index).game.is_over


@pytest.mark.verify
@pytest.mark.parametrize(("rules", "players", "games"), RUNS)
def test_engine_agrees_with_reference_in_more_games(rules: str, players: int, games: int) -> None:
    for index in range(games):
        if index % 3:
            assert play_pair(rules, players, 11, index).game.is_over


@pytest.mark.parametrize(
    ("rules", "players", "seen"),
    [
        ("classic", 3, {"won"}),
        (SHORT, 2, {"won", "cut off"}),
        (NO_PILE, 2, {"won"}),
        (NO_MATCH, 4, {"stuck"}),
        (PENALTIES, 3, {"won"}),
        (WILDS, 3, {"won"}),
    ],
)
def test_random_games_end_in_every_way_their_rules_allow(rules: str, players: int, seen: set[str]) -> None:
    statuses: set[str] = set()
    for index in range(300):
        if statuses >= seen:
            break
        game = Game(players, rules, 5, index)
        random = Random(index)
        while not game.is_over:
            game.apply(random.choice(game.legal_actions()))
        statuses.add(STATUS_NAMES[game.state.status])
    assert statuses >= seen


def test_standard_decks_are_the_same() -> None:
    game = Game()
    assert Counter(names_of(game.state.full_deck[: game.state.deck_size])) == Counter(standard_deck())
    assert sum(points_of(card) for card in standard_deck()) == 1240


def test_reference_knows_every_action_of_the_standard_deck() -> None:
    actions = {action for card in set(standard_deck()) for action in ([f"{card}:r"] if card.startswith("wild") else [card])}
    assert all(action_name(action_from_name(action)) == action for action in actions)


# -- compiled against plain --


def lineups(players: int) -> list[list[str]]:
    """Tables at which every built-in bot sits that does not search, next to different neighbours."""
    names = registry.quick_names()
    return [[names[(start + place * (place + 1) // 2) % len(names)] for place in range(players)] for start in range(len(names))]


@pytest.mark.parametrize(("players", "games"), [(2, 104), (3, 78), (6, 52), (10, 52)])
def test_compiled_games_are_the_plain_ones(players: int, games: int) -> None:
    tables = lineups(players)
    assert {name for table in tables for name in table} == set(registry.quick_names())
    unit = Unit(1000, games // len(tables))
    for seed, bots in enumerate(tables):
        lineup = make_lineup(bots)
        compiled = play_compiled(lineup, seed, unit)
        assert compiled.tolist() == play_plain(lineup, seed, unit).tolist()
        assert compiled[TALLY_DEALS] == unit.count


@pytest.mark.parametrize(
    ("rules", "players"), [(NUMBERS, 3), (PENALTIES, 2), (TURNING, 5), (NO_PILE, 2), (NO_MATCH, 3), (WILDS, 4), (SHORT, 6)]
)
def test_compiled_games_with_odd_decks_are_the_plain_ones(rules: str, players: int) -> None:
    bots = ["random", "score", "mix2", "card_counting", "mix", "greedy"][:players]
    lineup = make_lineup(bots, rules)
    assert play_compiled(lineup, 3, Unit(0, 150)).tolist() == play_plain(lineup, 3, Unit(0, 150)).tolist()


def test_compiled_and_plain_games_count_unfinished_games_alike() -> None:
    lineup = make_lineup(["random", "random", "random"], NO_MATCH)
    compiled, plain = play_compiled(lineup, 1, Unit(0, 200)), play_plain(lineup, 1, Unit(0, 200))
    assert compiled.tolist() == plain.tolist()
    assert 0 < compiled[TALLY_UNFINISHED] < 200
