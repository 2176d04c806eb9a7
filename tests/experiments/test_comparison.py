"""Comparisons: values that agree with the figures of a match, verdicts that hold as often as stated and depend on nothing but the deals."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import kibitz
from kibitz.core.errors import BadValue
from kibitz.experiments import comparison
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.comparison import BLOCK, Compare, compare, cut_deals
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.sides import Stretch, Values
from kibitz.experiments.verdict import Comparison
from kibitz.games.uno.view import View
from kibitz.play.lineup import make_lineup
from kibitz.runs.units import Unit
from tests.runs.notebook import Notebook


@kibitz.bot
def other_random(view: View) -> int:
    """As random, with other random numbers: exactly as strong, and yet no game is the same."""
    view.randbelow(2)
    card = view.pick_copy(view.playable())
    return view.play(card, view.randbelow(4) if card >= 52 else 0)


class InPython:
    """A bot in Python."""

    def choose(self, view: Any) -> int:
        card = view.pick_copy(view.playable())
        return int(view.play(card, 0))


def figures(result: Comparison) -> dict[str, Any]:
    """All but the time it took."""
    return {name: value for name, value in result.to_dict().items() if name != "seconds"}


# -- values --


@pytest.mark.parametrize("seed", [1, 5])
def test_two_at_a_table_differ_as_their_match_says(seed: int) -> None:
    result = compare("mix2", "greedy", games=2_000, seed=seed)
    match = kibitz.match(["mix2", "greedy"], games=2_000, seed=seed, seating="rotate")
    assert result.difference == pytest.approx(50 * (match[0].win_rate - match[1].win_rate))
    assert [gain.mean for gain in result.gains] == pytest.approx([100 * match[0].win_rate, 100 * match[1].win_rate])
    assert (result.games, result.deals) == (2_000, 1_000)


def test_points_differ_as_the_match_says() -> None:
    result = compare("mix2", "mix2:points", measure="points", games=2_000)
    match = kibitz.match(["mix2", "mix2:points"], games=2_000, seating="rotate")
    assert result.difference == pytest.approx(match[0].points - match[1].points)


def test_with_others_each_takes_the_same_place() -> None:
    result = compare("mix2", "greedy", others=["score", "random"], games=1_500, seed=3)
    first, second = (kibitz.match([bot, "score", "random"], games=1_500, seed=3, seating="rotate")[0] for bot in ("mix2", "greedy"))
    assert result.difference == pytest.approx(100 * (first.win_rate - second.win_rate))
    assert (result.games, result.deals, result.players) == (3_000, 500, 3)


def test_one_other_may_sit_in_several_seats() -> None:
    assert figures(compare("mix2", "greedy", others="random", players=4, games=400)) == figures(
        compare("mix2", "greedy", others=["random"] * 3, games=400)
    )


@pytest.mark.parametrize(("measure", "name"), [("score", "score"), ("points_kept", "score_kept")])
def test_teams_differ_as_their_evaluation_says(measure: str, name: str) -> None:
    result = compare("piers", "iggi", game="hanabi", players=3, measure=measure, games=300)
    rows = kibitz.evaluate(["piers", "iggi"], game="hanabi", players=3, games=300, seating="fixed").rows
    assert result.difference == pytest.approx(getattr(rows[0], name) - getattr(rows[1], name))
    assert (result.games, result.deals) == (600, 300)


def test_mixed_teams_play_every_deal_from_every_seat() -> None:
    result = compare("piers", "random", game="hanabi", others=["iggi", "outer"], games=300)
    first, second = (kibitz.match([bot, "iggi", "outer"], game="hanabi", games=300, seating="rotate")[0] for bot in ("piers", "random"))
    assert result.difference == pytest.approx(first.score - second.score)
    assert (result.games, result.deals) == (600, 100)


def test_contests_are_compared_too() -> None:
    result = compare("mix2", "random", to=200, games=200)
    match = kibitz.match(["mix2", "random"], to=200, games=200, seating="rotate")
    assert result.difference == pytest.approx(50 * (match[0].win_rate - match[1].win_rate))
    assert "contests" in result.sentence()


def test_error_is_that_of_deals_and_not_of_games() -> None:
    batch = Batch(make_lineup(["mix2", "greedy"], seating="rotate"), 1_000, 1, noted=True)
    with open_workers(1) as workers:
        batch.run(workers)
    winners = batch.outcomes()["winner"].reshape(-1, 2)
    values = 50.0 * ((winners == 0).astype(float) - (winners == 1)).mean(axis=1)
    result = compare("mix2", "greedy", games=1_000)
    assert result.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(500))
    games = 50.0 * ((winners == 0).astype(float) - (winners == 1))
    assert result.pairing_gain == pytest.approx((games.var(ddof=1) / 1_000) / (values.var(ddof=1) / 500))


# -- verdicts --


def test_better_bot_is_found_and_said() -> None:
    result = compare("mix2", "random")
    assert (result.verdict, result.better) == ("h1", "mix2:win_rate")
    assert result.sentence().startswith("mix2:win_rate is better than random: decided after ")
    assert "error rates 5 % and 5 %" in result.sentence()
    assert result.interval is not None
    assert result.interval[0] > 0


def test_exchanged_bots_exchange_the_verdict() -> None:
    there, back = compare("mix2", "greedy", seed=4, games=1_000), compare("greedy", "mix2", seed=4, games=1_000)
    assert back.better == there.better == "mix2:win_rate"
    result = compare("random", "mix2")
    assert (result.verdict, result.better) == ("h0", "mix2:win_rate")


@pytest.mark.parametrize("options", [{"margin": 2.0}, {"others": ["random", "score"], "margin": 4.0}])
def test_verdict_does_not_depend_on_the_number_of_workers(options: dict[str, Any]) -> None:
    results = [figures(compare("card_counting", "score", threads=threads, seed=2, **options)) for threads in (1, 2, 5)]
    assert results[0] == results[1] == results[2]
    assert results[0]["verdict"] in ("h0", "h1")


def test_verdict_does_not_depend_on_the_sizes_of_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals that were played beside those of the verdict, in the same unit, do not count."""
    small = compare("mix2", "random", threads=1)
    monkeypatch.setattr(comparison, "_GROWTH", 1)
    assert figures(compare("mix2", "random", threads=1)) == figures(small)
    assert small.deals not in [(unit.first + unit.count) // 2 for unit in cut_deals(10 * small.deals, 2)], "it came in the midst of a unit"


def test_plain_python_gives_the_same_figures() -> None:
    assert figures(compare("mix2", "random", games=40)) == figures(compare("mix2", "random", games=40, jit=False))


def test_python_bots_are_compared_too() -> None:
    result = compare("mix2", InPython, margin=10.0, threads=1)
    assert result.better == "mix2:win_rate"


def test_equal_bots_never_differ() -> None:
    """Both rotations of a deal are the same game: nobody is better, and nought is told from one point as soon as the test may say so."""
    which = compare("mix2", "mix2", max_games=5_000)
    assert (which.verdict, which.better, which.difference, which.games) == (None, None, 0.0, 5_000)
    assert "Undecided after 5,000 games" in which.sentence()
    assert "no two of the 2,500 deals had a different result" in which.sentence()
    whether = compare("mix2", "mix2", h0=0.0, h1=1.0)
    assert (whether.verdict, whether.better, whether.deals) == ("h0", None, 500)
    assert "is +0 rather than +1 percentage points better" in whether.sentence()


def test_undecided_is_said_with_the_ratio() -> None:
    result = compare("card_counting", "score", margin=0.1, max_games=3_000)
    assert result.verdict is None
    assert "between -2.94 and +2.94" in result.sentence()
    few = compare("mix2", "random", max_games=200)
    assert "100 deals are too few to know" in few.sentence()


def test_fixed_size_without_a_difference_says_so() -> None:
    result = compare("random", other_random, games=2_000)
    assert result.better is None
    assert result.sentence().startswith("No difference between random and other_random is shown: the 95 % interval")
    narrow, wide = (compare("mix2", "greedy", games=500, confidence=level).interval or (0.0, 0.0) for level in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


REPETITIONS = 250
MOST_ERRORS = int(binom.isf(1e-4, REPETITIONS, 0.05))


@pytest.mark.parametrize(("h0", "h1", "wrong"), [(0.0, 2.0, "h1"), (-2.0, 0.0, "h0")])
def test_stated_error_rates_hold_in_real_games(h0: float, h1: float, wrong: str) -> None:
    """250 comparisons each of two bots that are exactly equal in strength, some 3,000 games a comparison, with fresh seeds: nought is
    taken for two points, up or down, in at most 5 % of them. More than 26 of 250 at 5 % come up once in 10,000 runs."""
    seeds = range(1_000, 1_000 + REPETITIONS)
    verdicts = [compare("random", other_random, seed=seed, h0=h0, h1=h1, threads=1).verdict for seed in seeds]
    assert None not in verdicts
    assert verdicts.count(wrong) <= MOST_ERRORS


# -- going on --


class Stop:
    """Ctrl-C after so many reports."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, result: Comparison) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("others", [(), ("random",)])
def test_interrupted_comparison_tells_what_it_knows_and_goes_on_where_it_was(others: tuple[str, ...]) -> None:
    whole = compare("card_counting", "score", others=others, margin=1.0, seed=2)
    ledger = Notebook()
    with pytest.raises(Interrupted) as stop:
        compare("card_counting", "score", others=others, margin=1.0, seed=2, ledger=ledger, progress=Stop(3))
    known = stop.value.result
    assert (known.complete, known.deals, known.verdict) == (False, 3 * BLOCK, None)
    assert "Undecided when interrupted" in known.sentence()
    assert ledger.units[0]
    assert bool(ledger.units[1]) == bool(others)
    again = compare("card_counting", "score", others=others, margin=1.0, seed=2, ledger=ledger)
    assert figures(again) == figures(whole)
    assert figures(compare("card_counting", "score", others=others, margin=1.0, seed=2, ledger=ledger, threads=1)) == figures(whole)


def test_what_a_ledger_has_is_known_without_playing() -> None:
    ledger = Notebook()
    with pytest.raises(Interrupted) as stop:
        compare("card_counting", "score", others=["random"], margin=1.0, ledger=ledger, progress=Stop(3), threads=1)
    question = Compare("card_counting", "score", others=["random"], margin=1.0)
    absent = Compare.from_config(question.to_config(), absent=True).going(ledger=ledger)
    known = absent.recall()
    assert not known.complete
    assert known.deals == 4 * BLOCK >= stop.value.result.deals  # all of the round in which it was stopped
    whole = compare("card_counting", "score", others=["random"], margin=1.0, ledger=ledger)
    assert figures(absent.recall()) == figures(whole)
    del ledger.units[1][Unit(0, 2 * BLOCK)]
    assert absent.recall().deals == 0


def test_question_survives_as_json() -> None:
    for question in (
        Compare(
            "mix2", "greedy", others=["random"], measure="points", players=3, seed=7, rules="classic,hand_size=7", h0=0.0, h1=9.0, alpha=0.1
        ),
        Compare("mix2:points", "greedy", games=500, confidence=0.9),
        Compare("piers", "iggi", players=4, game="hanabi", games=50),
    ):
        again = Compare.from_config(json.loads(json.dumps(question.to_config())))
        assert again.to_config() == question.to_config()
        assert figures(again.play()) == figures(question.play())


def test_deals_are_cut_the_same_way_whatever_comes_after() -> None:
    units = list(cut_deals(2_000_000, 3))
    assert units[:40] == list(cut_deals(50_000, 3))[:40]
    assert all(before.first + before.count == after.first for before, after in pairwise(units))
    assert units[-1].first + units[-1].count == 6_000_000
    assert all(unit.count % (3 * BLOCK) == 0 for unit in units)
    assert [unit.count for unit in cut_deals(150, 2)] == [200, 100]


# -- luck --


def test_correction_sees_every_deal_in_order_and_its_saving_is_told() -> None:
    """A correction that takes out half of what is known of each deal leaves a quarter of the variance, and 4 times fewer games."""
    seen: list[int] = []

    def halve(stretch: Stretch) -> Values:
        assert [outcomes.shape[1] for outcomes in stretch.outcomes] == [2]
        seen.append(stretch.first)
        values = stretch.values()
        return 10.0 + (values - 10.0) / 2.0

    plain, corrected = compare("mix2", "greedy", games=2_000), compare("mix2", "greedy", games=2_000, correction=halve)
    assert seen == sorted(seen)
    assert len(seen) == 10
    assert corrected.difference == pytest.approx(10.0 + (plain.difference - 10.0) / 2.0)
    assert corrected.luck_gain == pytest.approx(4.0)
    assert corrected.pairing_gain == pytest.approx(plain.pairing_gain)
    assert plain.luck_gain is None
    assert "4.00 x" in "\n".join(corrected.in_words())


def test_test_looks_at_corrected_values() -> None:
    assert compare("mix2", "random", correction=lambda stretch: -stretch.values()).better == "random"


# -- what is refused --


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "score"}, "measure 'score' is not accepted; in UNO it is wins or points."),
        ({"measure": "wins", "game": "hanabi"}, "in Hanabi it is score or points_kept"),
        ({"players": 3}, "players=3 is not accepted"),
        ({"players": 5, "others": ["random", "mix2"]}, "a bot and 2 others are 3"),
        ({"players": 1, "others": ["random"]}, "players=1 is out of range"),
        ({"margin": -1.0}, "margin=-1.0"),
        ({"h0": 0.0}, "h0 and h1 together"),
        ({"h0": 0.0, "h1": 1.0, "margin": 1.0}, "or by a margin"),
        ({"h0": 1.0, "h1": 0.0}, "h0 is less than h1"),
        ({"alpha": 0.7}, "alpha=0.7"),
        ({"games": 0}, "games=0"),
        ({"max_games": 0}, "max_games=0"),
        ({"games": 10, "margin": 1.0}, "for the sequential test"),
        ({"confidence": 95.0}, "confidence=95.0"),
        ({"seed": -1}, "seed"),
    ],
)
def test_questions_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    bots = ("piers", "iggi") if options.get("game") == "hanabi" else ("mix2", "random")
    with pytest.raises(BadValue) as refusal:
        compare(*bots, **options)
    assert message in str(refusal.value)
