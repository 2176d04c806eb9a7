"""Searches in a solved game: their values tend to the exact ones, and the study would notice if they did not."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.studies.exact.accuracy import Accuracy, OpinionSums, accuracy_of, distances
from kibitz.experiments.studies.exact.minds import Mind, Opinion
from kibitz.experiments.studies.exact.study import budget_of, parse_budgets, policy_of, series_of, study_exact, with_budgets
from kibitz.experiments.studies.exact.uno.references import References
from kibitz.experiments.studies.exact.values import Reference, best_choices
from kibitz.experiments.studies.exact.walk import plan_of
from kibitz.play.lineup import make_lineup
from kibitz.policies.valuation import POINTS, WIN_CHANCE
from kibitz.search.exact.response import exploitability
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.solve import solve
from tests.experiments.studies.exact.games import PAIRS, WILD, tree_of

ROLLOUTS = "rollout:policy=random,others=random,model=none"


@cache
def references() -> References:
    return References(tree_of(PAIRS))


def reference_of(bot: str) -> Reference:
    found = references().of(registry.entrant(bot))
    assert found is not None
    return found


def note(sums: OpinionSums, mind: Mind, seat: int, number: int, chances: dict[int, float]) -> None:
    sums.note(seat, number, mind.opinions)


def heard(bot: str, samples: int, reference: Reference) -> tuple[Floats, Floats, Floats]:
    """How often each action of PAIRS was valued, how far the means are off, and the variance of a value."""
    tree = tree_of(PAIRS)
    mind = Mind(make_lineup([bot, bot], PAIRS, seating="fixed"), samples, 17, compiled=True)
    sums = OpinionSums(tree, reference)
    for seat in (0, 1):
        plan_of(tree, mind, seat, everywhere=True, heard=partial(note, sums, mind, seat))
    return distances(sums)


# -- values tend to the exact ones --


@pytest.mark.parametrize("searches", [100, pytest.param(300, marks=pytest.mark.verify)])
@pytest.mark.parametrize(
    "bot",
    [
        f"{ROLLOUTS},rollouts=20",
        "rollout:rollouts=20,model=none",
        "rollout:rollouts=20,model=none,policy=greedy,others=linear",
        "expectiminimax:samples=10",
        "expectiminimax:samples=10,depth=1,common=on",
        "expectiminimax:samples=10,depth=6",
    ],
)
def test_searches_have_no_bias(bot: str, searches: int) -> None:
    """100 or 300 searches at each of 132 information sets against exact values: belief, worlds and what is played in them at once.

    At most 110 actions have a value that depends on hidden cards; 5.5 standard errors: false alarms below 1e-5. Where
    every search says the same, that is the exact value. The mean square of all distances is near its expectation: values of one
    information set go together, so that it has at least 50 degrees of freedom; 1.9 is more than 4 of its standard errors.
    """
    counts, offs, variances = heard(bot, searches, reference_of(bot))
    assert len(offs) > 200 and (counts == searches).all()
    varies = variances > 1e-12
    assert varies.sum() > 50
    assert np.abs(offs[~varies]).max() < 1e-12
    scores = offs[varies] / np.sqrt(variances[varies] / (searches - 1))
    assert np.abs(scores).max() < 5.5
    assert 0.4 < float(np.mean(scores**2)) < 1.9


@pytest.mark.parametrize(
    ("bot", "wrong"), [("rollout:rollouts=20,model=none", "belief=simple"), ("expectiminimax:samples=10", "belief=simple")]
)
def test_a_wrong_search_is_noticed(bot: str, wrong: str) -> None:
    """The same search that misunderstands draws is far off."""
    _, offs, variances = heard(f"{bot},{wrong}", 100, reference_of(bot))
    off_for_certain = np.abs(offs[variances < 1e-12]).max(initial=0.0)
    varies = variances > 1e-12
    scores = offs[varies] / np.sqrt(variances[varies] / 99)
    assert off_for_certain > 0.01 or np.abs(scores).max() > 8


def test_errors_fall_with_the_root_of_the_budget() -> None:
    """16 times the budget, a quarter of the error: 5 %, with about 100 searches at 88 actions each that is more than 5 standard errors."""
    few, many = (_accuracy(f"{ROLLOUTS},rollouts={count}") for count in (8, 128))
    assert few.error / many.error == pytest.approx(4, rel=0.05)
    assert many.claimed == pytest.approx(many.error, rel=0.05)  # a search knows how wrong it is
    for found in (few, many):
        assert found.averaged < 2 * found.by_chance
        assert found.error_se < 0.05 * found.error
        assert found.actions == 224 and 100 < found.certain < 180


def _accuracy(bot: str) -> Accuracy:
    played = policy_of(tree_of(PAIRS), bot, samples=100, seed=3, reference=reference_of(bot))
    assert played.accuracy is not None
    return played.accuracy


# -- what they tend to --


def test_which_searches_have_exact_values() -> None:
    known = [ROLLOUTS, "rollout:model=none", "expectiminimax"]
    unknown = [
        "rollout",
        "rollout:model=none,belief=simple",
        "rollout:model=none,horizon=4",
        "ismcts",
        "expectiminimax:same_card=on",
        "expectiminimax:draw_samples=2",
        "mix2",
    ]
    assert all(references().of(registry.entrant(bot)) for bot in known)
    assert not any(references().of(registry.entrant(bot)) for bot in unknown)
    assert References(tree_of(WILD)).of(registry.entrant(ROLLOUTS)) is None
    assert reference_of(ROLLOUTS).name == "all play on like random"
    assert reference_of("rollout:model=none").name == "plays on like linear, the other like mix2"
    assert reference_of("expectiminimax:depth=2").name == "all hands open, 3 turns"


def test_a_search_without_end_takes_the_best() -> None:
    side = tree_of(PAIRS).sides[0]
    values = np.arange(side.sequences, dtype=float)
    choices = best_choices(side, values)
    assert (choices[side.starts + side.counts - 1] == 1).all() and (choices[side.starts] == 0).all()
    start = int(side.starts[0])
    values[start : start + 2] = 0.5
    assert best_choices(side, values)[start : start + 2].tolist() == [0.5, 0.5]


def test_longer_thought_comes_to_what_exact_values_give() -> None:
    """Exploitability of a search with 3,000 rollouts: near that of the exact values, from which ties alone keep it apart."""
    tree = tree_of(PAIRS)
    study = study_exact([f"{ROLLOUTS},lean=0,rollouts=2", f"{ROLLOUTS},lean=0,rollouts=3000"], variant="tiny", samples=8)
    short, long = study.rows
    (limit,) = study.limits.values()
    assert limit.bot.endswith("without end") and limit.samples == 0
    assert limit.exploitability == pytest.approx(exploitability(tree, reference_of(ROLLOUTS).plans(tree)), abs=1e-12)
    assert abs(long.exploitability - limit.exploitability) < 0.004 < short.exploitability - limit.exploitability
    assert long.first <= solve(tree).value + 1e-9 and long.second <= -solve(tree).value + 1e-9


# -- the sums --


def test_sums_of_opinions() -> None:
    tree = tree_of(PAIRS)
    reference = reference_of(ROLLOUTS)
    side = tree.sides[0]
    number = int(np.flatnonzero(~np.isnan(reference.compared[0][side.starts]))[0])
    start = int(side.starts[number])
    action, exact = int(side.actions[start]), float(reference.compared[0][start])
    sums = OpinionSums(tree, reference)
    sums.note(0, number, [[Opinion(action, (exact + 1.1) / 2, 0.05, 4, WIN_CHANCE)], [Opinion(action, 100 * exact - 30, 10, 4, POINTS)]])
    sums.note(0, number, [[Opinion(action, 0.9, 0.1, 0, WIN_CHANCE)], []])  # never tried, nothing said
    counts, offs, variances = distances(sums)
    assert counts.tolist() == [2]
    assert offs == pytest.approx([-0.1]) and variances == pytest.approx([0.04])
    found = accuracy_of([sums, sums])
    assert found is not None
    assert found.error == pytest.approx(np.sqrt(0.05)) and found.error_se == pytest.approx(0, abs=1e-12)
    assert found.claimed == pytest.approx(0.1) and found.averaged == pytest.approx(0.1)
    assert accuracy_of([OpinionSums(tree, reference)] * 2) is None


def test_sets_that_can_run_out_of_cards_are_not_compared() -> None:
    for seat, side in enumerate(tree_of(PAIRS).sides):
        compared = ~np.isnan(reference_of(ROLLOUTS).compared[seat][1:])
        assert 0.6 * (side.sequences - 1) < compared.sum() <= side.sequences - 1
        assert not np.isnan(reference_of(ROLLOUTS).values[seat][1:]).any()
    assert not np.isnan(reference_of(ROLLOUTS).compared[0][1:]).all()


# -- budgets --


def test_budgets_of_searches() -> None:
    assert with_budgets("mix2", [1, 2]) == ["mix2"]
    assert with_budgets("rollout", [1, 2]) == ["rollout:rollouts=1", "rollout:rollouts=2"]
    assert with_budgets("expectiminimax:depth=2", [5]) == ["expectiminimax:depth=2,samples=5"]
    assert with_budgets("rollout:rollouts=7", [1, 2]) == ["rollout:rollouts=7"]
    assert budget_of(registry.entrant("mix2")) is None
    assert series_of(registry.entrant("mix2:points")) == ("", 0)
    assert series_of(registry.entrant("rollout:rollouts=7")) == ("rollout", 7)
    assert series_of(registry.entrant("rollout")) == ("rollout", 1000)
    assert series_of(registry.entrant("expectiminimax:samples=9,depth=2")) == ("expectiminimax:depth=2", 9)


@pytest.mark.parametrize("text", ["", "4,", "0", "-3", "many", "1.5"])
def test_bad_budgets(text: str) -> None:
    with pytest.raises(BadValue, match=r"each of budgets must be .*1 or more, got "):
        parse_budgets(text)
    assert parse_budgets("64,4,64") == [4, 64]
