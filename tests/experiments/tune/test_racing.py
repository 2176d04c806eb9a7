"""Races: the same deals for all, few games for those who fall behind, and the rule's own error rate."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.core import jit
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.tune.racing import FEWEST_DEALS, RaceDeals, Rule, race
from kibitz.play.lineup import make_lineup
from kibitz.play.outcomes import points_by_entry, wins_by_entry
from kibitz.stats.paired import Sums


def deals_of(*bots: str, measure: str = "wins", seed: int = 5, jit: bool = True) -> RaceDeals:
    return RaceDeals(make_lineup(bots, None, "rotate"), (0,), measure, seed, jit)


# -- the rule --


@pytest.mark.parametrize(("games", "group"), [(20_000, 2), (20_001, 2), (6_000, 3), (150, 1), (7, 2), (1, 4)])
def test_looks_double_up_to_all_deals(games: int, group: int) -> None:
    looks = Rule(games).looks(group)
    deals = -(-games // group)
    assert looks[-1] == deals
    assert looks[0] >= min(FEWEST_DEALS, deals)
    assert all(later == min(2 * earlier, deals) for earlier, later in itertools.pairwise(looks))


def test_who_lies_z_standard_errors_behind_is_out() -> None:
    values = np.array([-3.0, 1.0, -2.0, 0.0, -1.0])  # mean -1, standard error 0.707
    behind = Sums.of(values)
    assert Rule(10, z=1.4).is_out(behind)
    assert not Rule(10, z=1.5).is_out(behind)
    assert not Rule(10, z=1.4).is_out(Sums.of(-values))


def test_who_does_exactly_the_same_is_out_and_one_deal_tells_nothing() -> None:
    assert Rule(10).is_out(Sums.of(np.zeros(50)))
    assert not Rule(10).is_out(Sums.of(np.array([-1.0])))


@pytest.mark.parametrize(("games", "z"), [(0, 2.0), (-5, 2.0), (10, 0.0), (10, -1.0), (10, float("nan"))])
def test_rules_without_sense_are_refused(games: int, z: float) -> None:
    with pytest.raises(BadValue, match="out of range"):
        Rule(games, z)


class MadeUpDeals:
    """A deals whose values are drawn, with a true mean for everybody."""

    group = 1

    def __init__(self, rng: np.random.Generator, mean: float) -> None:
        self.rng, self.mean, self.played = rng, mean, 0

    def play(self, entrant: Any, first: int, deals: int, workers: Any, progress: Any = None) -> Any:
        assert first == self.played, "deals are played in order, none twice"
        self.played += deals
        return self.rng.normal(self.mean, 1.0, deals)


def out_rate(mean: float, races: int = 2_000) -> tuple[float, float]:
    """How often a challenger with this true advantage is out before the end, and the mean share of deals it plays."""
    rng = np.random.default_rng(11)
    who, rule = registry.entrant("random"), Rule(1_600)
    outs, played = 0, 0
    for _ in range(races):
        made: Any = MadeUpDeals(rng, mean)
        ran = race(made, rule, who, np.zeros(1_600), None)  # type: ignore[arg-type]  # nobody works
        outs += ran.is_out
        played += made.played
    return outs / races, played / races / 1_600


def test_equals_are_rarely_out() -> None:
    """Six looks at 2.3 % each: at most 13.7 % in truth; 2,000 races have a standard error of 0.77 %, so 17 % is 4.3 of them beyond."""
    rate, _ = out_rate(0.0)
    assert 0.023 < rate < 0.17


def test_the_worse_cost_little_and_the_better_are_kept() -> None:
    """A true difference of half a standard deviation: first look at 50 deals, 3.5 standard errors; out there in 93 % of 2,000 races."""
    rate, share = out_rate(-0.5)
    assert rate > 0.999
    assert share < 1.2 / 32
    better, _ = out_rate(0.2, 500)
    assert better < 0.01


# -- deals --


@pytest.mark.parametrize("measure", ["wins", "points"])
def test_values_are_those_of_the_same_games_in_a_batch(measure: str) -> None:
    deals = deals_of("mix2", "random", "greedy", measure=measure)
    with open_workers(2) as workers:
        values = deals.play(registry.entrant("mix2:points"), 0, 200, workers)
        lineup = make_lineup(["mix2:points", "random", "greedy"], None, "rotate")
        batch = Batch(lineup, 600, 5, noted=True)
        batch.run(workers)
    gains = wins_by_entry(lineup, batch.outcomes()) * 100 if measure == "wins" else points_by_entry(lineup, batch.outcomes())
    assert np.allclose(values, gains[:, 0].reshape(-1, 3).mean(axis=1))


def test_values_depend_neither_on_pieces_nor_on_threads() -> None:
    deals, who = deals_of("card_ranking", "random"), registry.entrant("card_ranking:ranks=1/2/3/4/5/6")
    with open_workers(1) as one, open_workers(3) as three:
        whole = deals.play(who, 0, 300, one)
        parts = np.concatenate([deals.play(who, 0, 77, three), deals.play(who, 77, 223, three)])
    assert np.array_equal(whole, parts)


def test_plain_python_plays_the_same() -> None:
    who = registry.entrant("mix2:limits=1/2/-1/-1/3/3")
    with open_workers(1) as workers:
        compiled, plain = (deals_of("mix2", "random", jit=fast).play(who, 0, 20, workers) for fast in (True, False))
    assert np.array_equal(compiled, plain)


def test_a_team_shares_its_places() -> None:
    lineup = make_lineup(["piers"], None, "fixed", "hanabi", players=3)
    deals = RaceDeals(lineup, (0, 1, 2), "score", 4)
    with open_workers(1) as workers:
        team = deals.play(registry.entrant("iggi", "hanabi"), 0, 60, workers)
    batch = Batch(make_lineup(["iggi"], None, "fixed", "hanabi", players=3), 60, 4, noted=True)
    with open_workers(1) as workers:
        batch.run(workers)
    assert np.array_equal(team, points_by_entry(batch.lineup, batch.outcomes())[:, 0])


def test_another_setting_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = deals_of("mix2", "random")
    deals.prepare()

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was compiled")

    monkeypatch.setattr(jit, "_code_of", refuse)
    with open_workers(2) as workers:
        for spec in ("mix2:points", "mix2:end_game=off", "mix2:ranks=6/5/4/3/2/1"):
            assert len(deals.play(registry.entrant(spec), 0, 50, workers)) == 50


# -- races --


def test_a_weak_challenger_is_out_early_and_a_strong_one_runs_to_the_end() -> None:
    deals, rule = deals_of("mix2", "random"), Rule(8_000)
    with open_workers(2) as workers:
        middle = race(deals, rule, registry.entrant("mix2:prefer_common_colour=off"), None, workers)
        weak = race(deals, rule, registry.entrant("mix2:ranks=1/2/3/4/6/5,limits=-1/-1/-1/-1/-1/-1"), middle.values, workers)
        strong = race(deals, rule, registry.entrant("mix2"), middle.values, workers)
        same = race(deals, rule, middle.entrant, middle.values, workers)
    assert (middle.difference, len(middle.values), middle.is_out) == (None, 4_000, False)
    assert weak.is_out and len(weak.values) <= rule.looks(2)[2]
    assert not strong.is_out and len(strong.values) == 4_000 and strong.difference and strong.difference.mean > 0
    assert same.is_out and len(same.values) == rule.looks(2)[0]
    assert np.array_equal(same.values, middle.values[: len(same.values)])
