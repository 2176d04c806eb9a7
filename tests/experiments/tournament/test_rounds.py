"""Whole tournaments of compiled bots: the figures depend on the tournament alone, whatever happened on the way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.core.seeds import match_seed
from kibitz.experiments.batch import open_workers
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.tournament.config import BUILT_IN, Participant, Tournament
from kibitz.experiments.tournament.rounds import Play, UnitReport, play_tournament, recalled_tournament
from kibitz.experiments.tournament.standings import TournamentResult, match_points
from kibitz.runs.units import Unit
from tests.runs.notebook import Notebook

FIVE = ("mix2", "random", "greedy", "diversity", "score")


def tournament(bots: Sequence[str] = FIVE, **more: Any) -> Tournament:
    """A tournament of our own bots under names of their own."""
    players = tuple(Participant(f"{bot} {place}", BUILT_IN, bot) for place, bot in enumerate(bots))
    settings: dict[str, Any] = {"game": "uno", "rules": "classic", "format": "round-robin", "games": 120, "table": 2, "seed": 11}
    return Tournament(title="Cup", players=players, **{**settings, **more})


def figures(result: TournamentResult) -> dict[str, Any]:
    """All figures but the time they took."""
    return {name: value for name, value in result.to_dict().items() if name != "seconds"}


SEVERAL = [
    tournament(),
    tournament(table=3, games=60, bots=FIVE[:4]),
    tournament(format="gauntlet", hero="greedy 2"),
    tournament(format="free-for-all", table=4, games=80, bots=FIVE),
    tournament(format="free-for-all", table=3, games=30, rounds=4, bots=FIVE),
    tournament(format="swiss", games=40, bots=(*FIVE, "random", "mix2")),
    tournament(to="100", games=60, bots=FIVE[:3]),
    tournament(game="hanabi", rules="standard", format="teams", table=3, games=60, bots=("piers", "iggi", "random")),
    tournament(game="hanabi", rules="standard", format="mixed", games=60, bots=("piers", "iggi", "random")),
]
NAMES = [f"{each.game} {each.format} {each.table} {each.to or ''}".strip() for each in SEVERAL]


@pytest.mark.parametrize("chosen", SEVERAL, ids=NAMES)
def test_threads_and_the_order_of_units_change_nothing(chosen: Tournament) -> None:
    one = play_tournament(chosen, threads=1)
    assert figures(play_tournament(chosen, threads=3)) == figures(one)
    other = play_tournament(replace(chosen, seed=12), threads=1)
    assert figures(other)["standings"] != figures(one)["standings"]


@pytest.mark.parametrize("chosen", SEVERAL, ids=NAMES)
def test_what_the_ledger_lost_is_played_again(chosen: Tournament) -> None:
    """Every third unit is missing, as after a kill that came between them."""
    ledger = Notebook()
    whole = figures(play_tournament(chosen, ledger=ledger))
    assert figures(recalled_tournament(chosen, ledger)) == whole
    lost = ledger.kept[::3]
    for part, unit in lost:
        del ledger.units[part][unit]
    ledger.kept.clear()
    partial = recalled_tournament(chosen, ledger)
    assert not partial.complete
    assert 0 < partial.games_played < whole["games_played"]
    assert figures(play_tournament(chosen, ledger=ledger)) == whole
    assert sorted(ledger.kept, key=str) == sorted(lost, key=str)


@pytest.mark.parametrize("chosen", SEVERAL, ids=NAMES)
def test_all_games_that_are_expected_are_played(chosen: Tournament) -> None:
    told: list[int] = []
    result = play_tournament(chosen, progress=lambda name, games: told.append(games))
    assert sum(told) == result.games_played == Play(chosen).games_expected() == result.matches * chosen.games
    assert result.complete
    json.dumps(result.to_dict(), allow_nan=False)


def test_plain_python_gives_the_same_figures() -> None:
    chosen = tournament(games=6, bots=FIVE[:3])
    assert figures(play_tournament(chosen, jit=False)) == figures(play_tournament(chosen))


# -- one format after the other --


@pytest.mark.parametrize(("paired", "seating"), [(True, "rotate"), (False, "balanced")])
def test_a_match_is_what_the_same_line_up_plays_alone(paired: bool, seating: str) -> None:
    """Seats rotate, on each deal or from deal to deal, and each match has a seed of its own."""
    chosen = tournament(("mix2", "random", "greedy"), games=500, paired=paired)
    result = play_tournament(chosen)
    total = {player.name: 0 for player in chosen.players}
    for number, members in enumerate(combinations(range(3), 2)):
        rows = kibitz.match([chosen.players[player].bot for player in members], games=500, seed=match_seed(11, number), seating=seating)
        for entry, player in enumerate(members):
            total[chosen.players[player].name] += rows[entry].wins
    assert {found.name: found.wins for found in result.standings} == total
    assert result.standings[0].name == "mix2 0" and result.paired is paired
    assert sum(found.wins for found in result.standings) <= result.games_played == 1500


def test_gauntlet() -> None:
    result = play_tournament(tournament(format="gauntlet", hero="random 1", games=40))
    games = {found.name: found.games for found in result.standings}
    assert games == {"mix2 0": 40, "random 1": 160, "greedy 2": 40, "diversity 3": 40, "score 4": 40}
    hero = next(place for place, found in enumerate(result.standings) if found.name == "random 1")
    for row, column in combinations(range(5), 2):
        assert (result.matrix[row][column] is not None) == (hero in (row, column))


def test_free_for_all_at_one_table_of_four() -> None:
    chosen = tournament(FIVE[:4], format="free-for-all", table=4, games=400)
    play = Play(chosen)
    with open_workers(1) as workers:
        play.run(workers)
    assert [match.members for match in play.played] == [(0, 1, 2, 3)]
    rows = kibitz.match(FIVE[:4], games=400, seed=match_seed(11, 0), seating="rotate")
    result = play.result(0.0, True)
    assert {found.name: (found.wins, found.points_total) for found in result.standings} == {
        f"{bot} {place}": (rows[place].wins, rows[place].points_total) for place, bot in enumerate(FIVE[:4])
    }
    assert sum(found.win_rate.value for found in result.standings) == pytest.approx(1.0, abs=0.02)


def test_contests() -> None:
    chosen = tournament(("mix2", "random"), to="200", games=60)
    first, second = play_tournament(chosen).standings
    rows = kibitz.match(["mix2", "random"], games=60, seed=match_seed(11, 0), seating="rotate", to="200")
    assert (first.wins, second.wins) == (rows[0].wins, rows[1].wins)
    assert first.points_total >= 200 * first.wins
    assert first.wins + second.wins == 60


def test_swiss_to_its_end() -> None:
    """7 players: each round three matches and one without an opponent, who gets a point; scores add up to what was won."""
    chosen = tournament((*FIVE, "random", "card_counting"), format="swiss", games=60)
    play = Play(chosen)
    with open_workers(2) as workers:
        play.run(workers)
    assert [match.round for match in play.played] == [number for number in range(5) for _ in range(3)]
    assert [match.number for match in play.played] == list(range(15))
    assert len({match.members for match in play.played}) == 15
    scores = [0.0] * 7
    byes = [0] * 7
    for number in range(5):
        playing = [match for match in play.played if match.round == number]
        for player in set(range(7)) - {player for match in playing for player in match.members}:
            scores[player] += 1.0
            byes[player] += 1
        for match in playing:
            for player, points in zip(match.members, match_points(match), strict=True):
                scores[player] += points
    assert max(byes) <= 1
    result = play.result(0.0, True)
    assert {found.name: found.match_points for found in result.standings} == {
        player.name: scores[place] for place, player in enumerate(chosen.players)
    }
    assert [found.match_points for found in result.standings] == sorted(scores, reverse=True)
    assert sum(scores) == 5 * 4


def test_teams_play_the_same_deals() -> None:
    """Two teams of the same bot get the same scores, deal by deal; a better one is rated above."""
    chosen = tournament(("piers", "random", "piers"), game="hanabi", rules="standard", format="teams", table=2, games=100)
    play = Play(chosen)
    with open_workers(1) as workers:
        play.run(workers)
    assert np.array_equal(play.played[0].outcomes, play.played[2].outcomes)
    result = play.result(0.0, True)
    best, same, worst = result.standings
    assert (best.name, same.name, worst.name) == ("piers 0", "piers 2", "random 1")
    assert best.points == same.points
    assert best.rating is not None
    assert worst.rating is not None
    assert same.rating is not None
    assert best.rating.rating == pytest.approx(same.rating.rating)
    assert worst.rating.high < best.rating.low
    assert [[found is not None for found in row] for row in result.matrix] == [[row == column for column in range(3)] for row in range(3)]


def test_mixed_teams_play_deals_of_their_own() -> None:
    chosen = tournament(("piers", "piers"), game="hanabi", rules="standard", format="mixed", games=60)
    play = Play(chosen)
    with open_workers(1) as workers:
        play.run(workers)
    assert [match.members for match in play.played] == [(0, 0), (0, 1), (1, 1)]
    assert [match.lineup.seating for match in play.played] == ["fixed", "rotate", "fixed"]
    for one, other in combinations(play.played, 2):
        assert not np.array_equal(one.outcomes, other.outcomes)
    result = play.result(0.0, True)
    assert all(found.rating is None and found.games == 120 for found in result.standings)
    assert all(cell is not None for row in result.matrix for cell in row)


def test_the_ladder_is_there_if_it_is_wanted() -> None:
    chosen = tournament(("mix2", "random"), games=2000)
    first, second = play_tournament(chosen, ladder=True).standings
    assert first.skill is not None
    assert second.skill is not None
    assert first.skill[0] > second.skill[0]
    assert play_tournament(chosen).standings[0].skill is None


def test_games_are_told_to_who_looks_on() -> None:
    reports: list[UnitReport] = []
    chosen = tournament(FIVE[:3], games=40)
    play_tournament(chosen, told=reports.append)
    assert [report.match.members for report in reports] == [(0, 1), (0, 2), (1, 2)]
    assert all((report.unit, len(report.outcomes)) == (Unit(0, 40), 40) for report in reports)


def test_games_and_matches_are_found_by_number() -> None:
    play = Play(tournament(FIVE[:3], games=40))
    with open_workers(1) as workers:
        play.run(workers)
    match = play.match_of(2)
    assert (match.members, play.title_of(match)) == ((1, 2), "random 1 v greedy 2")
    assert [play.index_of(play.match_of(number), 39) for number in range(3)] == [39, 79, 119]
    with pytest.raises(BadValue, match="match 3 does not exist"):
        play.match_of(3)


# -- interruptions --


class Ends:
    """Raises Ctrl-C after so many reports of progress."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, name: str, games: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [1, 4, 7])
@pytest.mark.parametrize("chosen", SEVERAL, ids=NAMES)
def test_interrupted_a_tournament_tells_what_it_knows_and_ends_the_same(chosen: Tournament, after: int) -> None:
    whole = figures(play_tournament(chosen))
    ledger = Notebook()
    with pytest.raises(Interrupted) as stop:
        play_tournament(chosen, ledger=ledger, threads=1, progress=Ends(after))
    found = stop.value.result
    assert not found.complete
    assert found.games_played == sum(unit.count for _, unit in ledger.kept) < whole["games_played"]
    assert found.games_played % (1 if chosen.format == "teams" else chosen.table) == 0  # whole deals
    known = recalled_tournament(chosen, ledger)
    assert not known.complete
    assert (known.games_played, known.matches) == (found.games_played, found.matches)
    assert {each.name: (each.games, each.points, each.win_rate) for each in known.standings} == {
        each.name: (each.games, each.points, each.win_rate) for each in found.standings
    }
    assert figures(play_tournament(chosen, ledger=ledger)) == whole


def test_a_round_of_a_swiss_that_was_interrupted_counts_once() -> None:
    chosen = tournament(format="swiss", games=40, bots=FIVE)
    whole = play_tournament(chosen)
    ledger = Notebook()
    for _ in range(40):
        before = len(ledger.kept)
        try:
            last = play_tournament(chosen, ledger=ledger, threads=1, progress=Ends(1 + len({part for part, _ in ledger.kept}) + 1))
            break
        except Interrupted as stop:
            assert len(ledger.kept) >= before
            rounds = {match // 2 for match, _ in ledger.kept if sum(unit.count for unit in ledger.units[match]) == 40}
            points = sum(found.match_points or 0.0 for found in stop.result.standings)
            assert points <= 3 * len(rounds)
            assert points % 3 == 0  # whole rounds: two matches, and one without an opponent
    assert figures(last) == figures(whole)


# -- statistics --


def test_errors_are_right_and_the_better_bot_is_rated_above() -> None:
    """300 tournaments of 60 games, mix2 v random: the spread of win rates against the mean of the errors stated.

    The spread of 300 has a relative error of 1/sqrt(2 x 299) = 4.1 %, the mean of the errors less than 1 %: a ratio off by 20 % has a chance of
    about 1e-6. Errors over games instead of deals would be off as soon as pairing matters. Ratings: mix2 wins about 69 %; not to be rated above
    random after 18,000 games is out of the question, and in any one tournament it has a chance of 0.2 %.
    """
    rates, errors, above = [], [], 0
    for seed in range(300):
        result = play_tournament(tournament(("random", "mix2"), games=60, seed=seed), threads=1)
        best = {found.name: found for found in result.standings}["mix2 1"]
        assert best.win_rate.error is not None
        rates.append(best.win_rate.value)
        errors.append(best.win_rate.error)
        above += result.standings[0].name == "mix2 1"
    assert np.std(rates, ddof=1) / np.mean(errors) == pytest.approx(1.0, abs=0.2)
    assert np.mean(rates) == pytest.approx(0.69, abs=0.02)  # its error is 0.35 %
    assert above >= 290
