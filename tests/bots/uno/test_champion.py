"""The champion: one strategy with the other searchers, and without search the linear policy itself."""

from __future__ import annotations

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.uno.champion import champion
from kibitz.bots.uno.cheater import cheater
from kibitz.bots.uno.rollout import rollout
from kibitz.games.uno.engine import TALLY_ENTRIES
from kibitz.games.uno.view import WINDOWS
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.runs.units import Unit
from tests.search.uno.positions import WINDOWS_OPEN


def test_three_bots_are_one_strategy() -> None:
    """One compiled form serves all of them."""
    assert champion.choose is rollout.choose is cheater.choose
    assert champion.parameters is rollout.parameters is cheater.parameters
    assert [bot.windows for bot in (champion, rollout, cheater)] == [WINDOWS] * 3
    assert len({bot.description for bot in (champion, rollout, cheater)}) == 3


def test_only_the_cheater_sees_everything() -> None:
    assert [bot.sees_everything for bot in (champion, rollout, cheater)] == [False, False, True]


def test_the_fast_form_differs_by_not_searching() -> None:
    strong, fast = registry.entrant("champion:strong").values, registry.entrant("champion:fast").values
    assert registry.entrant("champion").name == "champion:strong"
    assert {key for key in strong if strong[key] != fast[key]} == {"search"}
    assert (strong["search"], fast["search"]) == (True, False)


@pytest.mark.parametrize(("rules", "players"), [("classic", 2), ("classic", 4), ("official", 6), (WINDOWS_OPEN, 3)])
def test_the_fast_form_is_the_linear_policy(rules: str, players: int) -> None:
    """Action by action: in plain Python for a few games, and by the figures of many compiled ones."""
    for index in range(2):
        games = [kibitz.play([bot, *["mix2"] * (players - 1)], rules=rules, seed=6, index=index) for bot in ("champion:fast", "linear")]
        assert [step.action for step in games[0].steps] == [step.action for step in games[1].steps]
    tallies = [
        play_compiled(make_lineup([bot, *["mix2"] * (players - 1)], rules), 7, Unit(0, 200)).tolist() for bot in ("champion:fast", "linear")
    ]
    assert tallies[0] == tallies[1]


def test_a_search_is_better_than_mix2() -> None:
    """Of 400 games: it wins more than 60 %, and then fewer than 205 with chance 1e-4."""
    tally = play_compiled(make_lineup(["champion:rollouts=60", "mix2"]), 1, Unit(0, 400)).tolist()
    assert tally[TALLY_ENTRIES] >= 205
