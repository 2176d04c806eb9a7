"""The study of skill: which seats it measures, and that its figures are those of matches."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.errors import BadValue, KibitzError
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.studies.uno.skill import study as skill
from kibitz.experiments.studies.uno.skill.study import SITUATIONS, Found, Seat, Situation, SkillStudy
from kibitz.stats.paired import Sums
from tests.runs.notebook import Notebook

THREE = Situation(3)


def found(win_rate: float, error: float) -> Found:
    """Figures that nobody played: two deals, apart as far as the error says."""
    wins = Sums.of([win_rate - error, win_rate + error])
    return Found(wins, wins, 1.0)


def test_every_seat_is_measured_but_those_among_copies() -> None:
    study = SkillStudy(1000, 100)
    fast, slow = list(study.seats(False)), list(study.seats(True))
    assert len(fast) == 4 * len(SITUATIONS) and len(slow) == 4 * len(SITUATIONS)
    assert all(seat.bot != seat.against for seat in fast)
    assert {seat.situation.players for seat in slow if seat.situation.rules == "classic"} == {2, 3, 4, 6, 10}
    assert study.at("random", "random", Situation(10)) == (0.1, 0.0)


def test_games_are_whole_deals_and_searchers_get_fewer() -> None:
    study = SkillStudy(1000, 100, 50)
    assert study.games_of(Seat("mix2", "random", THREE)) == 1002
    assert study.games_of(Seat("cheater", "random", THREE)) == 102
    assert (study.full_name("cheater"), study.full_name("champion:fast")) == ("cheater:rollouts=50", "champion:fast")


def test_a_fast_bot_wins_as_in_a_match() -> None:
    study = SkillStudy(600, 20, seed=5)
    asked = skill.StudySkill(games=600, search_games=20, seed=5, threads=1)
    asked.do(study, 0, Seat("mix2", "random", THREE))
    got = study.found[Seat("mix2", "random", THREE)]
    row = kibitz.match(["mix2", "random", "random"], games=600, seed=5, seating="rotate").rows[0]
    assert got.win_rate == pytest.approx(row.win_rate) and got.wins.count == 200 and got.saved == 1.0


def test_luck_is_taken_out_of_searchers_games() -> None:
    study = SkillStudy(100, 400, 1, seed=2)
    seat = Seat("cheater", "mix2", Situation(2))
    told: list[int] = []
    skill.StudySkill(threads=1, progress=lambda name, count: told.append(count)).do(study, 0, seat)
    got = study.found[seat]
    row = kibitz.match(["cheater:rollouts=1", "mix2"], games=400, seed=2, seating="rotate").rows[0]
    assert sum(told) == 400
    assert got.plain.mean == pytest.approx(row.win_rate)
    # 200 deals: the correction has mean zero and moves a rate by a few hundredths; seed fixed, so no false alarms.
    assert got.win_rate != row.win_rate and abs(got.win_rate - row.win_rate) < 0.08
    assert got.saved > 1.2


def test_what_figures_mean() -> None:
    study = SkillStudy(1000, 100)
    study.found = {Seat("cheater", "random", THREE): found(0.8333333, 0.01), Seat("champion", "random", THREE): found(0.5833333, 0.02)}
    way = study.way("champion", "random", THREE)
    assert way is not None and way[0] == pytest.approx(0.5) and way[1] == pytest.approx((0.02**2 + 0.005**2) ** 0.5 / 0.5)
    assert study.way("cheater", "random", THREE) is not None and study.way("mix2", "random", THREE) is None
    share = study.share("champion", "random", THREE)
    assert share is not None and share[0] == pytest.approx(((3 * 0.5833333 - 1) / 2) ** 2)
    lead = study.lead("champion", "random", THREE)
    assert lead is not None and None not in lead and lead[1] <= lead[0] <= lead[2]  # type: ignore[operator]  # none is None
    assert study.lead("random", "random", THREE) is None and study.lead("mix2", "random", THREE) is None
    value = study.to_dict()
    assert [seat["games_to_lead"] for seat in value["seats"]][1] == lead[0] and value["seats"][0]["way_to_open_cards"] == 1.0


def test_nobody_is_better_by_less_than_two_errors() -> None:
    study = SkillStudy(1000, 100)
    study.found = {Seat("champion", "mix2", THREE): found(0.36, 0.02), Seat("cheater", "mix2", THREE): found(0.36, 0.02)}
    assert study.lead("champion", "mix2", THREE) is None and study.way("champion", "mix2", THREE) is None


def test_an_interrupted_study_keeps_what_is_done() -> None:
    ledger, told = Notebook(), list[str]()

    def stop(name: str, count: int) -> None:
        told.append(name)
        if len(set(told)) == 3:
            raise KeyboardInterrupt

    asked = skill.StudySkill(games=60, search_games=20, rollouts=1, threads=1, situations=[THREE])
    with pytest.raises(Interrupted) as stopped:
        asked.going(ledger=ledger, progress=stop).play()
    study = stopped.value.result
    assert not study.complete and [seat.bot for seat in study.found] == ["mix2", "champion:fast"]
    known = asked.going(ledger=ledger).recall()
    assert {seat: found.wins for seat, found in study.found.items()}.items() <= {
        seat: found.wins for seat, found in known.found.items()
    }.items()
    again, whole = asked.going(ledger=ledger).play(), asked.play()
    assert [found.wins for found in again.found.values()] == [found.wins for found in whole.found.values()]


@pytest.mark.parametrize(
    ("games", "search_games", "rollouts", "reason"),
    [(10, 100, None, "games=10"), (1000, 0, None, "search_games=0"), (1000, 100, 0, "rollouts")],
)
def test_too_little_is_refused(games: int, search_games: int, rollouts: int | None, reason: str) -> None:
    with pytest.raises(KibitzError, match=reason):
        SkillStudy(games, search_games, rollouts)
    with pytest.raises(BadValue, match="seed"):
        SkillStudy(1000, 100, seed=-1)
