"""Exploitability of bots: bounds that must hold, and games at the table that must agree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kibitz import registry
from kibitz.core.errors import BadBot, BadValue, UnknownName
from kibitz.experiments.measurement import match
from kibitz.experiments.studies.exact.minds import searches
from kibitz.experiments.studies.exact.study import BotPlans, mean_plans, policy_of, row_of, solved_rules, study_exact
from kibitz.games.uno.definition import GAME as UNO
from kibitz.games.uno.rules import parse_rules
from kibitz.search.exact.response import best_response, choices_from, plan_from
from kibitz.search.exact.sequences import Floats, Side
from kibitz.search.exact.solve import solve
from tests.experiments.studies.exact.games import PAIRS, WILD, tree_of


@pytest.mark.parametrize("rules", [PAIRS, WILD])
def test_no_bot_beats_the_equilibrium(rules: str) -> None:
    """Against every bot a best response gets at least the value, and the equilibrium at most that of the best response."""
    tree = tree_of(rules)
    solution = solve(tree)
    for bot in registry.all_names("uno"):
        if searches(registry.entrant(bot).bot):
            continue
        played = policy_of(tree, bot)
        assert best_response(tree, played.plans[1], 0).value >= solution.value - 1e-9
        assert best_response(tree, played.plans[0], 1).value >= -solution.value - 1e-9
        row = row_of(tree, solution, played)
        assert row.value <= 1e-9
        assert row.exploitability >= -row.value - 1e-9
        assert row.low == row.high == row.exploitability


def test_the_equilibrium_is_not_exploitable() -> None:
    tree = tree_of(PAIRS)
    solution = solve(tree)
    row = row_of(tree, solution, BotPlans("equilibrium", solution.plans))
    assert row.exploitability == pytest.approx(0, abs=1e-9)
    assert row.first == pytest.approx(solution.value, abs=1e-9)
    assert row.second == pytest.approx(-solution.value, abs=1e-9)


@pytest.mark.parametrize("pair", [("random", "mix2"), ("first_playable", "greedy")])
def test_games_at_the_table_agree(pair: tuple[str, str]) -> None:
    """20,000 games in fixed seats against the tree's value; games that need a refill go on at the table.

    Five standard errors and the chance of such games: false alarms below 1e-6.
    """
    tree = tree_of(PAIRS)
    first, second = policy_of(tree, pair[0]).plans[0], policy_of(tree, pair[1]).plans[1]
    result = match(list(pair), games=20_000, seed=11, rules=PAIRS, seating="fixed")
    wins = [row.wins for row in result.rows]
    measured = (wins[0] - wins[1]) / 20_000
    assert abs(measured - tree.value(first, second)) < 5 / math.sqrt(20_000) + 2 * tree.unfinished(first, second)
    assert tree.unfinished(first, second) < 0.01


def test_a_study_has_a_row_for_each_bot() -> None:
    study = study_exact(["random", "mix2"], variant="tiny")
    assert [row.bot for row in study.rows] == ["random", "mix2:win_rate"]
    assert study.solution.value == pytest.approx(0.4349206349, abs=1e-9)
    assert study.rows[0].exploitability > study.rows[1].exploitability > 0.01


def test_bounds_enclose_the_exact_figure() -> None:
    """Small samples of an exactly known bot: too much with all of each, too little across its halves.

    Means over 100 samples, 4 standard errors: false alarms below 1e-4 with other seeds than this one.
    """
    tree = tree_of(PAIRS)
    solution = solve(tree)
    played = policy_of(tree, "random")
    exact = row_of(tree, solution, played)
    rng = np.random.default_rng(1)
    lows, highs, errors = [], [], []
    for _ in range(100):
        parts = [(_sampled(tree.sides[0], played.plans[0], rng), _sampled(tree.sides[1], played.plans[1], rng)) for _ in range(4)]
        row = row_of(tree, solution, BotPlans("random", mean_plans(parts), 12, tuple(parts)))
        errors.append((row.value - exact.value) / row.error)
        lows.append(row.low)
        highs.append(row.high)
        assert row.low <= row.exploitability <= row.high
    assert np.mean(lows) < exact.exploitability + 4 * np.std(lows) / 10
    assert np.mean(highs) > exact.exploitability + 4 * np.std(highs) / 10
    assert np.abs(errors).mean() < 3  # with four parts about 1.1


def _sampled(side: Side, plan: Floats, rng: np.random.Generator) -> Floats:
    """A plan from 3 answers at each information set."""
    chances = choices_from(side, plan)
    for start, count in zip(side.starts, side.counts, strict=True):
        chances[start : start + count] = rng.multinomial(3, chances[start : start + count]) / 3
    return plan_from(side, chances)


def test_bad_requests() -> None:
    for samples in (3, 0, -4):
        with pytest.raises(BadValue, match=f"samples={samples} is not accepted"):
            policy_of(tree_of(PAIRS), "random", samples=samples)
    with pytest.raises(UnknownName, match="unknown solved game 'tinny'; did you mean tiny"):
        solved_rules(UNO, "tinny")
    with pytest.raises(BadBot, match="meanimax"):
        study_exact(["meanimax"], variant="tiny")


def test_games_have_rules() -> None:
    for text in UNO.face.solved_rules.values():
        parse_rules(text).check_players(2)
    assert UNO.face.solved_rules["tiny"] == PAIRS
