"""Games with outside bots as version 0.1 kept them: faults from the store's list come to their places, and to what counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kibitz.outside.kept_games import add_deal, with_faults
from kibitz.outside.referee import RefereedMatch, play_refereed
from kibitz.play.game import PlayedContest
from kibitz.play.record import Record, replay
from kibitz.play.record_faults import FORFEITED
from kibitz.runs.units import Unit
from tests.outside.tables import built_in, match_of, player


def as_kept_before(deals: Sequence[Record], match: RefereedMatch) -> list[Record]:
    """Records as version 0.1 wrote them: without faults, and with a winner of a forfeited game only where one was left alone."""
    found = []
    for deal in deals:
        is_won = bool(deal.faults) and match.game == "uno" and replay(deal).steps[-1:] and replay(deal).steps[-1].state.status
        known = replace(deal, winner=None, points=0) if is_won and deal.status == FORFEITED else deal
        found.append(replace(known, faults=()))
    return found


MATCHES: dict[str, Any] = {
    "crash at three": match_of(player("crash", 2), *built_in("random", "random")),
    "crash at two": match_of(player("crash", 2), *built_in("random")),
    "nonsense": match_of(player("garbage"), player("illegal_name", 3, name="once"), *built_in("random")),
    "never there": match_of(player("wrong_version"), *built_in("random", "random")),
    "a contest": match_of(player("crash", 30), *built_in("random", "random"), to="300", seating="fixed", seed=9),
    "hanabi": match_of(player("crash", 3), *built_in("iggi", game="hanabi"), game="hanabi", rules="standard"),
}


@pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)
def test_records_without_faults_get_them_from_the_list(match: RefereedMatch) -> None:
    games = 1 if match.to else 3
    brought = play_refereed(match, Unit(0, games))
    for game in range(games):
        deals = [Record.from_text(kept.text) for kept in brought.games if kept.game == game]
        faults = [fault for fault in brought.faults if fault.game == game]
        assert faults
        assert with_faults(as_kept_before(deals, match), faults, match.to is not None) == deals
        assert with_faults(deals, faults, match.to is not None) == deals


def test_nothing_is_made_up_without_a_list() -> None:
    old = Record.from_text("uno/1;classic;seed=5;deal=3;seats=mix2|random;actions=;result=forfeited:1:35")
    assert with_faults([old], [], False) == [old]


@pytest.mark.parametrize("others", [1, 2])
def test_a_forfeited_contest_ends_in_the_scores_that_counted(others: int) -> None:
    match = match_of(player("crash", 30), *built_in(*["random"] * others), to="300", seating="fixed", seed=9)
    brought = play_refereed(match, Unit(0, 1))
    deals = [Record.from_text(kept.text) for kept in brought.games]
    contest = PlayedContest("300")
    for deal in deals:
        add_deal(contest, deal, replay(deal), deal is deals[-1])
    (outcome,) = brought.outcomes
    assert contest.is_over and contest.scores == outcome["scores"].tolist()
    assert contest.winner == (None if outcome["winner"] < 0 else outcome["winner"])
