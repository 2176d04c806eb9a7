"""Paired deals and fresh deals: what a bot that remembers every deal could gain, balance over seats, and errors that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import open_workers
from kibitz.experiments.stored_games import deals_of_part, parts_of, seating_of
from kibitz.experiments.tournament.config import BUILT_IN, COMMAND, Participant, Tournament, make_tournament, read_tournament
from kibitz.experiments.tournament.rounds import Play, UnitReport, play_tournament
from kibitz.outside import referee
from kibitz.outside.player import OutsidePlayer
from kibitz.play.record import Record, opening_of
from kibitz.runs.database import open_store
from kibitz.runs.store import begin, read_run
from tests.commands import kibitz_command
from tests.experiments.tournament.test_rounds import FIVE, figures, tournament
from tests.runs.notebook import Notebook

Hand = tuple[int, ...]
Seen = dict[str, set[tuple[int, Hand]]]

OUTSIDE = tuple(Participant(f"bot {number}", COMMAND, "true") for number in range(4))


class Remembering(OutsidePlayer):
    """A bot that finds a way to tell all its later processes which hands it was dealt; it plays the first legal action."""

    memory: ClassVar[Seen] = {}

    def ready(self) -> None:
        """There is no process."""

    def begin(self, view: Any, seed: int) -> None:
        self.memory.setdefault(self.bot.name, set()).add(opening_of_hand(view, view.cards()))

    def choose(self, view: Any) -> int:
        return self.game.legal_actions(view)[0]

    def finish(self, outcome: dict[str, Any]) -> None:
        """It does not care."""


def opening_of_hand(state: Any, hand: Sequence[int]) -> tuple[int, Hand]:
    """What shows that a hand belongs to a deal: the card on top, and the cards in any order."""
    return int(state.top), tuple(sorted(int(card) for card in hand))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Seen:
    monkeypatch.setattr(referee, "OutsidePlayer", Remembering)
    monkeypatch.setattr(Remembering, "memory", {})
    return Remembering.memory


def outside(**more: Any) -> Tournament:
    return make_tournament("test", {"players": OUTSIDE, "seed": 7, "games": 12, **more})


def records_of(chosen: Tournament) -> list[Record]:
    """Every deal of a tournament, as it was played."""
    told: list[UnitReport] = []
    assert play_tournament(chosen, threads=1, told=told.append).complete
    return [Record.from_text(kept.text) for report in told for kept in report.games]


def openings(records: Sequence[Record]) -> Counter[int]:
    """How often each deal was played."""
    return Counter(int(opening_of(record).deal_stream) for record in records)


# -- what a bot could know --


def hands_named(records: Sequence[Record], memory: Seen) -> int:
    """Of how many hands of its opponents a bot could say which cards are in them, since it has held them itself."""
    named = 0
    for record in records:
        state = opening_of(record)
        hands = [opening_of_hand(state, hand) for hand in registry.game(record.game).hands(state)]
        for one, other in combinations(range(len(hands)), 2):
            named += hands[other] in memory[record.seats[one]]
            named += hands[one] in memory[record.seats[other]]
    return named


def test_a_bot_that_remembers_every_deal_gains_nothing(memory: Seen) -> None:
    records = records_of(outside())
    assert len(records) == 6 * 12
    assert hands_named(records, memory) == 0


def test_paired_it_could_name_every_card(memory: Seen) -> None:
    """The risk that the documentation states: a tournament that asks for paired deals has it."""
    records = records_of(outside(paired=True))
    assert hands_named(records, memory) == 2 * len(records)


FORMATS: list[dict[str, Any]] = [
    {},
    {"format": "swiss", "rounds": 3},
    {"format": "swiss", "rounds": 5, "players": OUTSIDE[:2]},
    {"format": "gauntlet"},
    {"format": "free-for-all", "table": 3},
    {"format": "free-for-all", "table": 3, "rounds": 4},  # the same three meet again
    {"to": "30", "games": 4},
    {"game": "hanabi", "format": "teams", "players": OUTSIDE[:3]},
    {"game": "hanabi", "format": "mixed", "players": OUTSIDE[:2]},
]


@pytest.mark.parametrize("more", FORMATS, ids=str)
def test_no_deal_is_played_twice(more: dict[str, Any], memory: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever match, by whatever bots."""
    monkeypatch.setattr(Remembering, "begin", lambda self, view, seed: None)  # hands of Hanabi look otherwise
    records = records_of(outside(**more))
    assert set(openings(records).values()) == {1}
    assert len(records) >= 12


def test_paired_teams_play_the_same_deals(memory: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Remembering, "begin", lambda self, view, seed: None)
    records = records_of(outside(game="hanabi", format="teams", players=OUTSIDE[:3], paired=True))
    assert set(openings(records).values()) == {3}


# -- seats --


@pytest.mark.parametrize("table", [2, 3])
def test_everybody_sits_everywhere_equally_often(table: int, memory: Seen) -> None:
    seats = Counter((name, seat) for record in records_of(outside(table=table)) for seat, name in enumerate(record.seats))
    assert len(seats) == 4 * table
    assert len(set(seats.values())) == 1


def test_units_with_outside_bots_are_balanced_too(memory: Seen) -> None:
    """Processes end after some 50 games; an interrupted tournament has whole rounds through the seats."""
    reports: list[UnitReport] = []
    play_tournament(outside(players=OUTSIDE[:3], table=3, games=120), told=reports.append)
    assert sorted((report.unit.first, report.unit.count) for report in reports) == [(0, 51), (51, 51), (102, 18)]


# -- compiled bots --


def test_unpaired_errors_are_those_of_single_games() -> None:
    """Of a win rate p of n games: p (1 - p) / (n - 1); paired it is another, by how much the games of a deal go together."""
    chosen = tournament(("greedy", "random"), games=400, paired=False)
    for found in play_tournament(chosen).standings:
        rate = found.win_rate
        assert rate.error == pytest.approx((rate.value * (1 - rate.value) / (rate.games - 1)) ** 0.5, rel=1e-9)
    for found in play_tournament(tournament(("greedy", "random"), games=400)).standings:
        rate = found.win_rate
        assert rate.error != pytest.approx((rate.value * (1 - rate.value) / (rate.games - 1)) ** 0.5, rel=1e-6)


def test_paired_figures_are_what_they_always_were() -> None:
    """Figures of version 0.1.0."""
    result = play_tournament(tournament(("random", "greedy", "diversity")))
    assert [(found.name, found.wins, found.points_total) for found in result.standings] == [
        ("greedy 1", 137, 6016),
        ("diversity 2", 133, 5640),
        ("random 0", 90, 3019),
    ]
    assert [found.win_rate.error for found in result.standings] == [0.029166666666666667, 0.030642638277449882, 0.029009869091536727]
    assert result.standings[0].rating is not None
    assert result.standings[0].rating.rating == pytest.approx(33.42828772684241)
    teams = tournament(("iggi", "random"), game="hanabi", rules="standard", format="teams")
    assert [found.points_total for found in play_tournament(teams).standings] == [2083, 0]


# -- what is asked for, and what is kept --


TWO = 'games = 4\nseed = 3\nplayers = [{name = "one", bot = "greedy"}, {name = "two", bot = "random"}]\n'
WITH_A_PROGRAM = TWO.replace('bot = "random"', 'command = "true"')


@pytest.mark.parametrize(
    ("text", "changes", "paired"),
    [
        (TWO, {}, True),
        (WITH_A_PROGRAM, {}, False),
        (f"paired = true\n{WITH_A_PROGRAM}", {}, True),
        (f"paired = false\n{TWO}", {}, False),
        (WITH_A_PROGRAM, {"paired": True}, True),
        (f"paired = true\n{WITH_A_PROGRAM}", {"paired": False}, False),
    ],
)
def test_outside_bots_have_fresh_deals_unless_paired_ones_are_asked_for(
    text: str, changes: dict[str, Any], paired: bool, tmp_path: Path
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text, encoding="utf-8")
    found = read_tournament(path, **changes)
    assert found.paired is paired
    assert found.to_dict()["paired"] is paired
    assert Tournament.from_dict(found.to_dict()) == found


def test_paired_is_true_or_false(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(f'paired = "yes"\n{TWO}', encoding="utf-8")
    with pytest.raises(BadValue, match="paired='yes' is not accepted; it is true or false"):
        read_tournament(path)


def test_a_tournament_from_an_older_store_is_paired_and_goes_on_so(memory: Seen) -> None:
    """Its config does not say; that is how it was begun."""
    config = outside(players=OUTSIDE[:2], paired=True).to_dict()
    del config["paired"]
    old = Tournament.from_dict(config)
    assert old.paired
    records = records_of(old)
    assert set(openings(records).values()) == {2}
    assert [record.deal for record in records] == [game // 2 for game in range(12)]


def test_the_command_says_which_deals_it_played(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text(TWO, encoding="utf-8")
    assert "fresh deals" not in kibitz_command(capsys, "tournament", str(cup))[1]
    code, out, _ = kibitz_command(capsys, "tournament", str(cup), "--no-paired")
    assert code == 0
    assert "4 games, fresh deals, seed 3" in out
    _, shown, _ = kibitz_command(capsys, "runs", "show", "2")
    assert shown.rstrip().endswith(out.rstrip())
    pages = [kibitz_command(capsys, "report", number, "-o", "-")[1] for number in ("1", "2")]
    assert "each played from every seat; standard errors are per deal" in pages[0]
    assert "fresh ones for each game; standard errors are per game" in pages[1]


def test_unpaired_games_are_played_again_from_the_right_deal_and_seats(store: Path) -> None:
    """What is kept of each game agrees with the game as it is played again, as it does for an export."""
    chosen = tournament(FIVE[1:4], games=6, table=3, format="free-for-all", paired=False)
    with open_store(store) as opened, begin(opened, "tournament", chosen.to_dict(), "kibitz tournament") as ledger:
        whole = figures(play_tournament(chosen, ledger=ledger))
        ledger.finish(whole)
    with open_store(store) as opened, parts_of(opened, read_run(opened, 1)) as (part,):
        ((_, outcomes),) = part.outcomes()
        seats = seating_of(part)
        for game in range(6):
            (played,) = deals_of_part(part, game)
            assert played.seats == [part.names[entry] for entry in seats(game)]
            assert seats(game) == [(seat + game) % 3 for seat in range(3)]
            assert played.winner is not None and seats(game)[played.winner] == outcomes["winner"][game]
            assert played.points == outcomes["points"][game]


def test_unpaired_verbose_tells_the_games_that_were_played(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text(TWO, encoding="utf-8")
    _, out, _ = kibitz_command(capsys, "tournament", str(cup), "--no-paired", "--verbose", "--no-store")
    result = play_tournament(read_tournament(cup, paired=False))
    for found in result.standings:
        assert out.count(f" {found.name} wins ") == found.wins


def test_an_unpaired_tournament_resumes_to_the_same_figures(memory: Seen) -> None:
    chosen = outside(games=104, players=(*OUTSIDE[:2], Participant("ours", BUILT_IN, "random")))
    ledger = Notebook()
    whole = figures(play_tournament(chosen, ledger=ledger))
    for part, unit in ledger.kept[::2]:
        del ledger.units[part][unit]
    assert figures(play_tournament(chosen, ledger=ledger, threads=2)) == whole


def test_balanced_is_a_seating_of_its_own() -> None:
    """Game i is deal i, as with fixed seats, with everybody i seats further."""
    bots = ["greedy", "random", "diversity"]
    for index in range(4):
        played = kibitz.play(bots, seed=5, index=index, seating="balanced")
        fixed = kibitz.play(bots, seed=5, index=index, seating="fixed")
        assert played.opening.hands == fixed.opening.hands
        assert played.seats == [bots[(seat + index) % 3] for seat in range(3)]
    compiled = kibitz.match(bots, games=30, seed=5, seating="balanced")
    plain = kibitz.match(bots, games=30, seed=5, seating="balanced", jit=False)
    assert compiled.rows == plain.rows
    with open_workers(1) as workers:
        play = Play(tournament(("greedy", "random"), games=4, paired=False))
        play.run(workers)
    assert [match.lineup.seating for match in play.played] == ["balanced"]
