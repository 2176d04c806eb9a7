"""Every built-in bot under every preset, every single switch and many combinations: nobody answers anything illegal.

The loop stops at the first answer that is not legal, so it is enough that games are played to their end.
"""

from __future__ import annotations

from random import Random

import pytest

from kibitz import registry
from kibitz.games.uno.cards import DECKS
from kibitz.games.uno.engine import TALLY_DEALS, TALLY_ENTRIES, TALLY_UNFINISHED
from kibitz.games.uno.rules import PRESETS, SWITCHES, Rules, parse_rules
from kibitz.play.game import play
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.report.transcript import steps_by_turn, transcript
from kibitz.runs.units import Unit
from tests.bots.cheap import searchers
from tests.games.uno.test_house_rules_against_reference import random_rules, random_switches

BOTS, SEARCHERS = registry.quick_names(), searchers()
GAMES, SEARCHED = 250, 4  # of each line-up, and of those with a bot that searches; each has a line-up to begin
SINGLE_SWITCHES = [
    f"classic,{name}={value}" for name, switch in SWITCHES.items() for place, value in enumerate(switch.values) if place > 0
] + ["classic,hand_size=1", "classic,hand_size=10", "classic,max_turns=20"]


def combination(number: int) -> Rules:
    """Rules with every switch at random: with a whole deck, or with an odd little one."""
    random = Random(f"combination {number}")
    while True:
        if number % 3 == 0:
            return random_rules(random)
        switches = random_switches(random)
        if (switches["draw"], switches["drawn_card"]) != ("until_playable", "may_not_play"):
            deck = DECKS[random.choice(list(DECKS))]
            return Rules(f"combination {number}", deck, random.choice([3, 5, 7]), max_turns=300, **switches)


def lineups(rules: Rules) -> list[list[str]]:
    """A table for each bot to begin, with 2 to 10 players and different neighbours."""
    most = min(10, (sum(rules.deck) - 1) // rules.hand_size)
    sizes = [2 + start % (most - 1) for start in range(len(BOTS))]
    return [[BOTS[(start + place * (place + 1) // 2) % len(BOTS)] for place in range(players)] for start, players in enumerate(sizes)]


def searching_lineups(rules: Rules) -> list[list[str]]:
    """The same for bots that search, each among others that do not."""
    return [[searcher, *bots[1:]] for searcher, bots in zip(SEARCHERS, lineups(rules), strict=False)]


def play_all(rules: Rules) -> tuple[int, int]:
    """Play every line-up; how many games there were, and how many had no winner."""
    deals = unfinished = 0
    for seed, bots in enumerate([*lineups(rules), *searching_lineups(rules)]):
        games = SEARCHED if bots[0] in SEARCHERS else GAMES
        tally = play_compiled(make_lineup(bots, rules), seed, Unit(0, games)).tolist()
        wins = tally[TALLY_ENTRIES : TALLY_ENTRIES + 3 * len(bots) : 3]
        assert tally[TALLY_DEALS] == games == sum(wins) + tally[TALLY_UNFINISHED]
        deals += games
        unfinished += tally[TALLY_UNFINISHED]
    return deals, unfinished


@pytest.mark.parametrize("rules", list(PRESETS))
def test_bots_play_under_every_preset(rules: str) -> None:
    deals, unfinished = play_all(PRESETS[rules])
    assert deals >= 4000
    assert unfinished < deals / 100


@pytest.mark.parametrize("rules", SINGLE_SWITCHES)
def test_bots_play_under_every_single_switch(rules: str) -> None:
    deals, unfinished = play_all(parse_rules(rules))
    assert deals >= 4000
    assert unfinished < deals / 100 or "max_turns" in rules


@pytest.mark.parametrize("number", range(36))
def test_bots_play_under_any_combination_of_switches(number: int) -> None:
    deals, unfinished = play_all(combination(number))
    assert deals >= 4000
    assert unfinished < deals or number % 3 == 0


def test_combinations_reach_every_value_of_every_switch() -> None:
    seen = {
        (name, combination(number).code(name))
        for number in range(36)
        for name, switch in SWITCHES.items()
        if name != "deck" and switch.values
    }
    assert seen == {(name, place) for name, switch in SWITCHES.items() if name != "deck" for place in range(len(switch.values))}


@pytest.mark.parametrize("number", range(8))
def test_games_under_any_rules_can_be_told(number: int) -> None:
    """A transcript has a line for every turn, and says how the game ended."""
    rules = combination(number)
    bots = lineups(rules)[number][:4]
    for index in range(3):
        played = play(bots, rules=rules, seed=5, index=index)
        assert [turn for turn, _ in steps_by_turn(played)] == list(range(played.opening.state.turn, played.turns + 1))
        lines = [line.plain for line in transcript(played)]
        turns = [line for line in lines if line[:4].strip().isdigit()]
        assert len(turns) == played.turns
        assert ("wins" in lines[-1]) == (played.winner is not None)
