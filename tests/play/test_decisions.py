"""Decisions as a data set: exactly what bots were asked, in every way of playing, and from records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import kibitz
from kibitz import registry
from kibitz.core.errors import BadValue, BotFault
from kibitz.core.layouts import fields_of
from kibitz.games.uno.cards import POINTS_OF
from kibitz.play.decisions import asked_deals, columns_of, decisions_from, decisions_of
from kibitz.play.lineup import Lineup, make_lineup, window_bits
from kibitz.play.record import record_of, replay
from tests.play.players import AnyMove, Anything, Setup, play, setups

pytestmark = pytest.mark.usefixtures("both_ways")

HOUSE = "official,jump_in=on,seven_zero=on,stacking=same,deck=modern"
TABLES = [
    (["mix2", "random"], "classic", "random", "uno", None),
    (["mix2", "ashtabna", "greedy"], HOUSE, "rotate", "uno", None),
    (["card_counting", "random"], "official", "fixed", "uno", "150"),
    (["iggi", "piers", "random"], None, "random", "hanabi", None),
    (["cheater", "iggi"], "standard,hand_size=4", "rotate", "hanabi", None),
]


def lineup_of(table: tuple[Any, ...]) -> Lineup:
    return make_lineup(*table)


def sorted_hand(row: dict[str, Any]) -> dict[str, Any]:
    """Without the order of the hand, which a record keeps for everybody."""
    return {**row, "hand": sorted(row["hand"])} if "hand" in row else row


@pytest.mark.parametrize("table", TABLES, ids=lambda table: " ".join(table[0]))
def test_plain_and_compiled_games_give_the_same_rows(table: tuple[Any, ...]) -> None:
    lineup = lineup_of(table)
    compiled = list(decisions_of(lineup, 7, range(3, 9)))
    assert len(compiled) > 100
    assert compiled == list(decisions_of(lineup, 7, range(3, 9), jit=False))


@pytest.mark.parametrize("table", TABLES[:4], ids=lambda table: " ".join(table[0]))
def test_records_give_the_same_rows(table: tuple[Any, ...]) -> None:
    lineup = lineup_of(table)
    bits = [window_bits(lineup.game, entrant) for entrant in lineup.entrants]
    names = [entrant.name for entrant in lineup.entrants]
    for index in range(4):
        rows: list[dict[str, Any]] = []
        for played in play_deals(lineup, 7, index):
            windows = [bits[names.index(name)] for name in played.seats]
            rows += decisions_from(record_of(played), index, windows)
        assert [sorted_hand(row) for row in decisions_of(lineup, 7, [index])] == [sorted_hand(row) for row in rows]


def play_deals(lineup: Lineup, seed: int, index: int) -> Iterator[Any]:
    from kibitz.play.game import PlayedContest, deals_of

    yield from deals_of(PlayedContest(lineup.to or ""), lineup, seed, index)


class Recorder:
    """Notes every view it is asked about and what it answers."""

    asked: list[tuple[Any, int]]
    inner: Any

    def choose(self, view: Any) -> int:
        action: int = self.inner().choose(view)
        self.asked.append((view, action))
        return action


@given(setups())
@settings(max_examples=60)
def test_there_is_a_row_for_each_question_and_no_other(setup: Setup) -> None:
    asked: list[tuple[Any, int]] = []
    base = Anything if setup.game == "uno" else AnyMove
    bot = type("Recording", (Recorder,), {"asked": asked, "inner": base, "windows": getattr(base, "windows", ())})
    lineup = make_lineup([bot] * setup.players, setup.rules, setup.seating, setup.game)
    rows = list(decisions_of(lineup, setup.seed, [setup.index]))
    assert [row["action"] for row in rows] == [action for _, action in asked]
    assert [(row["turn"], row["seat"]) for row in rows] == [(view.turn, view.seat) for view, _ in asked]
    if setup.game == "uno":
        assert [sorted(row["hand"]) for row in rows] == [view.cards() for view, _ in asked]
    played = play(setup)
    names = {"Recording": base.__name__}
    renamed = [{**row, "bot": names[row["bot"]]} for row in rows]
    assert renamed == list(decisions_from(record_of(played), setup.index))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: " ".join(table[0]))
def test_rows_say_what_the_game_says(table: tuple[Any, ...]) -> None:
    lineup = lineup_of(table)
    definition = registry.game(lineup.game.name)
    kinds = {"int": int, "text": str, "ints": list}
    columns = columns_of(lineup.game.name)
    for index in range(3):
        deals = {played.deal: played for played in play_deals(lineup, 5, index)}
        places = dict.fromkeys(deals, 0)
        for row in decisions_of(lineup, 5, [index]):
            assert list(row) == [column.name for column in columns]
            for column in columns:
                assert type(row[column.name]) is kinds[column.kind], column.name
            played = deals[row["round"]]
            assert row["decision"] == places[row["round"]]
            places[row["round"]] += 1
            assert row["bot"] == played.seats[row["seat"]]
            assert row["action"] in row["legal"]
            assert len(row["legal"]) > 1
            assert definition.action_name(played.opening.state, row["action"]) == row["action_name"]
            assert row["status"] == played.status
            if lineup.game.cooperative:
                assert (row["won"], row["points"]) == (int(played.status == "perfect"), played.outcome["score"])
            else:
                won = row["seat"] == played.winner
                assert (row["won"], row["points"]) == (int(won), played.points if won else 0)
                assert len(row["hand"]) == row["hand_sizes"][row["seat"]]
                assert all(0 <= card < len(POINTS_OF) for card in row["hand"])


def test_no_row_leads_back_to_the_deal() -> None:
    """The random stream of a view is no column, and hidden cards are hidden."""
    for game in ("uno", "hanabi"):
        names = {column.name for column in columns_of(game)}
        assert "random_stream" not in names
        assert {field.name for field in fields_of(registry.game(game).view)} & names
    lineup = make_lineup(["iggi", "piers"], game="hanabi")
    for row in decisions_of(lineup, 1, range(3)):
        own = row["cards"][row["seat"] * 5 : row["seat"] * 5 + row["hand_sizes"][row["seat"]]]
        assert set(own) == {-2}


def test_defaults_in_windows_are_no_decisions() -> None:
    """`first_playable` knows no window, so none of its decisions is of one; a record without windows shows them all."""
    lineup = make_lineup(["first_playable", "first_playable"], "official,seven_zero=on")
    rows = list(decisions_of(lineup, 3, range(20)))
    assert {row["phase"] for row in rows} <= {"turn", "drawn"}
    record = record_of(kibitz.play(["first_playable"] * 2, seed=3, rules="official,seven_zero=on"))
    phases = {row["phase"] for row in decisions_from(record)}
    assert phases & {"challenge", "swap", "uno_call"}
    assert replay(record).status == "won"


def test_games_are_played_one_at_a_time() -> None:
    """A data set of any size needs the memory of one deal: rows come before later games are played."""
    taken: list[int] = []

    def indices() -> Iterator[int]:
        for index in range(1000):
            taken.append(index)
            yield index

    rows = decisions_of(make_lineup(["mix2", "random"]), 1, indices())
    next(rows)
    assert taken == [0]


def test_faults_and_bad_indices_are_named() -> None:
    class Wrong:
        def choose(self, view: Any) -> int:
            return 84

    with pytest.raises(BotFault, match=r"bot Wrong in seat \d answered 84 \(catch\), which is not legal there"):
        list(decisions_of(make_lineup([Wrong, "random"]), 1, [0]))
    with pytest.raises(BadValue, match="index=-1 is out of range"):
        list(asked_deals(make_lineup(["random", "random"]), 1, [-1]))


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_every_column_is_documented(game: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    for column in columns_of(game):
        assert f"- `{column.name}` ({column.kind}): {column.meaning}\n" in page
