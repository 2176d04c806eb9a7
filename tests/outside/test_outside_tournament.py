"""Whole tournaments with hostile bots among the players: they end, the hostile pay, and the honest do not notice."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from kibitz.core import stopping
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import open_workers
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.tournament import rounds as playing
from kibitz.experiments.tournament.config import BUILT_IN, COMMAND, FILE, Participant, Tournament, make_tournament, read_tournament
from kibitz.experiments.tournament.rounds import Play, play_tournament, recalled_tournament
from kibitz.experiments.tournament.standings import TournamentResult
from kibitz.outside.confine import available_guards
from kibitz.outside.referee import RefereedTable
from kibitz.play.outcomes import FORFEITED
from kibitz.runs.cluster import dispatcher
from kibitz.runs.ledger import FORFEIT
from kibitz.runs.units import Unit
from tests.experiments.tournament.test_rounds import Ends, figures
from tests.outside.tables import EXAMPLES, HOSTILE, Ears, children, ears
from tests.runs.notebook import Notebook

__all__ = ["ears"]

PATIENCE = 60.0


def entered(name: str, *words: str | int, seconds: float = PATIENCE) -> Participant:
    """The player with one misdeed, as it is entered in a tournament."""
    return Participant(name, COMMAND, " ".join(["python3 -I -S player.py", *map(str, words)]), str(HOSTILE), seconds)


def honest(name: str) -> Participant:
    return entered(name, "honest")


def tournament(*players: Participant, **more: Any) -> Tournament:
    limits = {"start_seconds": 60, "game_seconds": 600, "memory": 256 << 20}
    return make_tournament("test", {"players": players, "seed": 7, "games": 4, "limits": limits, **more})


def outcomes_of(chosen: Tournament, threads: int = 2) -> tuple[dict[tuple[int, ...], bytes], TournamentResult]:
    """What every match brought, and the result."""
    play = Play(chosen)
    with open_workers(threads) as workers:
        play.run(workers)
    return {match.members: match.outcomes.tobytes() for match in play.played}, play.result(0.0, True)


HOSTILES = [
    entered("crashes", "crash"),
    entered("crashes late", "crash", 5),
    entered("hangs", "hang", 2, seconds=0.3),
    entered("floods", "flood"),
    entered("talks nonsense", "garbage"),
    entered("cheats", "illegal_name"),
    entered("greets badly", "wrong_version"),
    entered("leaves", "exit_after_hello"),
    entered("forks", "fork_bomb"),
    entered("writes", "huge_file"),
    entered("answers twice", "twice"),
]


def test_a_gauntlet_of_hostile_bots_ends_and_each_is_charged() -> None:
    """One honest bot against all of them."""
    before = children()
    chosen = tournament(honest("honest"), *HOSTILES, format="gauntlet", hero="honest", games=2)
    found = play_tournament(chosen, threads=2)
    assert found.complete and found.games_played == 2 * len(HOSTILES)
    assert {fault.bot for _, fault in found.faults} == {player.name for player in HOSTILES}
    assert all(fault.reproduce.startswith("kibitz check-bot ") for _, fault in found.faults if fault.kind != FORFEIT)
    for standing in found.standings:
        if standing.name == "honest":
            assert standing.faults == standing.forfeits == 0 and standing.wins > 0
        else:
            assert standing.wins == standing.points_total == 0 and standing.forfeits == 2
    assert children() <= before


@pytest.mark.parametrize("deed", [("crash", 3), ("garbage",)])
def test_the_others_games_are_the_same_whoever_else_takes_part(deed: tuple[str | int, ...]) -> None:
    fair = (Participant("built in", BUILT_IN, "mix2"), honest("one"), honest("two"))
    peaceful, quiet = outcomes_of(tournament(*fair, honest("fourth")))
    disturbed, loud = outcomes_of(tournament(*fair, entered("fourth", *deed)), threads=3)
    assert peaceful.keys() == disturbed.keys() and len(peaceful) == 6
    same = {members for members in peaceful if peaceful[members] == disturbed[members]}
    assert same == {members for members in peaceful if 3 not in members}
    assert quiet.faults == [] and {fault.bot for _, fault in loud.faults} == {"fourth"}


def test_threads_change_nothing() -> None:
    players = (Participant("built in", BUILT_IN, "random"), honest("one"), entered("two", "crash", 4), honest("three"))
    chosen = tournament(*players, format="free-for-all", table=3, games=3, rules="modern")
    (one, first), (three, second) = outcomes_of(chosen, 1), outcomes_of(chosen, 3)
    assert one == three
    assert [fault for _, fault in first.faults] == [fault for _, fault in second.faults] != []


def test_a_file_outside_and_the_same_file_trusted_play_alike() -> None:
    """Deterministic files against a bot of ours: as processes, and inside."""
    spec = str(EXAMPLES / "classroom" / "others.py:first_UnoPlayer")
    found = []
    for kind in (FILE, "trusted"):
        players = (Participant("file", kind, spec), Participant("built in", BUILT_IN, "mix2"))
        outcomes, result = outcomes_of(tournament(*players, rules="davies", paired=False))
        assert result.faults == []
        found.append(outcomes)
    assert found[0] == found[1]


def test_teams_of_hanabi_with_a_bad_member_score_nothing() -> None:
    players = (Participant("iggi", BUILT_IN, "iggi"), entered("crashes", "crash", 2), honest("honest"))
    chosen = tournament(*players, game="hanabi", format="teams", table=3, games=2)
    play = Play(chosen)
    with open_workers(2) as workers:
        play.run(workers)
    assert {match.members[0]: set(match.outcomes["status"]) == {FORFEITED} for match in play.played} == {0: False, 1: True, 2: False}
    result = play.result(0.0, True)
    assert {standing.name: standing.points_total for standing in result.standings}["crashes"] == 0


def test_a_swiss_of_many_bots_needs_few_processes(ears: Ears) -> None:
    """Two threads, two bots at a table: four processes at any time, however many take part; and none is left."""
    before = children()
    players = [honest(f"bot {number}") for number in range(24)]
    found = play_tournament(tournament(*players, format="swiss", rounds=2, games=2), threads=2)
    assert found.complete and found.matches == 24 and found.faults == []
    assert len(ears.said) == 24 + 24 * 2  # each bot is tried out; each match has two bots, and a process plays from both seats
    assert 2 <= ears.most_alive - len(before) <= 4
    assert children() == before


# -- bots that cannot be started --


def test_a_bot_that_cannot_be_started_is_tried_twice_and_forfeits_every_game(ears: Ears, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sittings there are, nobody waits for it again; and somebody is told before the first game."""
    monkeypatch.setattr(playing, "SITTING", 2)
    said: list[str] = []
    found = play_tournament(tournament(honest("honest"), entered("rude", "wrong_version"), games=8), threads=2, warn=said.append)
    assert (
        sum("bye" not in {message["type"] for message in heard} for heard in ears.said.values()) == 3
    )  # both tried out, one of them twice
    assert len(said) == 1 and said[0].startswith('rude forfeits all its games: it did not greet with {"type": "hello", "protocol": 1}')
    by_name = {standing.name: standing for standing in found.standings}
    assert (by_name["rude"].games, by_name["rude"].faults, by_name["rude"].forfeits, by_name["honest"].wins) == (8, 8, 8, 8)
    assert len({fault.what for _, fault in found.faults if fault.kind != FORFEIT}) == 1


CLASS = """
class {name}_UnoPlayer:
    games = 0

    def __init__(self):
        {name}_UnoPlayer.games += 1

    def play(self, hand, up_card, called_color, state):
        assert self.games != {fails}
        return next((index for index, card in enumerate(hand) if card.can_play_on(up_card, called_color)), -1)

    def call_color(self, hand):
        return Color.RED
"""


def classroom(folder: Path, **fails: int) -> Path:
    """A class: each of them fails in one game of its process, and one has a file with a syntax error."""
    for name, game in fails.items():
        text = "from kibitz.bots.uno.classroom import Color\n" + CLASS.format(name=name, fails=game)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "bob.py").write_text("class bob_UnoPlayer:\n    def play(self:\n", encoding="utf-8")
    lines = [f"{name.title()},{name}" for name in (*fails, "bob")]
    (folder / "players.txt").write_text("\n".join([*lines, "Perl, perl greedy.pl"]), encoding="utf-8")
    (folder / "greedy.pl").write_text((EXAMPLES / "outside" / "greedy_client.pl").read_text())
    return folder / "players.txt"


def test_one_broken_file_blocks_nobody_else(tmp_path: Path) -> None:
    said: list[str] = []
    found = play_tournament(read_tournament(classroom(tmp_path, ada=-1, cleo=-1), games=8, seed=3), warn=said.append)
    assert found.complete and found.games_played == 8
    assert said == ["Bob forfeits all its games: it could not be started: SyntaxError: '(' was never closed (bob.py, line 2)"]
    forfeits = {standing.name: standing.forfeits for standing in found.standings}
    assert forfeits == {"Ada": 0, "Cleo": 0, "Perl": 0, "Bob": 8}
    assert sum(standing.wins for standing in found.standings if standing.name != "Bob") + found.won_by_nobody == 8


# -- interruptions --


def test_a_tournament_that_is_interrupted_keeps_what_was_played_and_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every game is kept as it ends; processes that remember, and fail in a certain game, go on as if nothing had happened."""
    monkeypatch.setattr(playing, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(playing, "SITTING", 8)
    chosen = read_tournament(classroom(tmp_path, ada=5, cleo=4), games=16, seed=3)
    whole = figures(play_tournament(chosen))
    assert {fault["kind"] for fault in whole["faults"]} == {"start", "crash", FORFEIT}
    ledger = Notebook()
    with pytest.raises(Interrupted) as stop:
        play_tournament(chosen, ledger=ledger, threads=1, progress=Ends(1))
    assert 1 <= stop.value.result.games_played == sum(unit.count for _, unit in ledger.kept)
    assert figures(recalled_tournament(chosen, ledger))["standings"] == figures(stop.value.result)["standings"]
    for _ in range(16):  # every few games again until there is nothing left to interrupt
        try:
            last = play_tournament(chosen, ledger=ledger, threads=1, progress=Ends(len(ledger.kept) + 5))
            break
        except Interrupted:
            continue
    assert figures(last) == whole
    assert sum(unit.count for _, unit in ledger.kept) == 16


def test_an_interruption_waits_for_no_bot() -> None:
    """One that thinks for an hour is not waited for, and what the others have played is kept."""
    players = (honest("one"), honest("two"), entered("slow", "hang", 2, seconds=3600.0))
    limits = {"start_seconds": 60, "game_seconds": 3600, "memory": 256 << 20}
    before, ledger = children(), Notebook()
    with pytest.raises(Interrupted) as stop:
        play_tournament(tournament(*players, games=2, limits=limits), ledger=ledger, threads=2, progress=Ends(1))
    assert stop.value.result.games_played == sum(unit.count for _, unit in ledger.kept) == 2
    assert children() <= before


def fails() -> None:
    raise RuntimeError("no more")


@pytest.mark.parametrize("deed", [stopping.stop, fails])
def test_every_game_played_is_kept_whatever_ends_the_tournament(deed: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first sitting ends in its first game, and the news of that comes before the three games of the second sitting."""
    monkeypatch.setattr(playing, "PIECE_SECONDS", 3600.0)
    monkeypatch.setattr(playing, "SITTING", 8)
    chosen = tournament(Participant("built in", BUILT_IN, "mix2"), honest("honest"), games=16, paired=False)
    whole = figures(play_tournament(chosen))
    played, ended, play = threading.Event(), threading.Event(), RefereedTable.play

    def play_until(table: RefereedTable, index: int) -> None:
        if index == 0:
            assert played.wait(PATIENCE)
            deed()
        elif index == 8 + 3:
            played.set()
            assert ended.wait(PATIENCE)
            deed()
        play(table, index)

    collect = Play._collect

    def collect_one(self: Play, news: Any, noted: Any) -> int:
        ended.set()  # the first news is the end of the first sitting
        return collect(self, news, noted)

    ledger = Notebook()
    with monkeypatch.context() as changed:
        changed.setattr(RefereedTable, "play", play_until)
        changed.setattr(Play, "_collect", collect_one)
        with pytest.raises((Interrupted, RuntimeError)) as stop:
            play_tournament(chosen, ledger=ledger, threads=2)
    assert ledger.kept == [(0, Unit(8, 3))]
    if isinstance(stop.value, Interrupted):
        assert stop.value.result.games_played == 3
    assert figures(play_tournament(chosen, ledger=ledger, threads=1)) == whole


def test_logs_are_kept_where_they_are_wanted(tmp_path: Path) -> None:
    play_tournament(tournament(entered("a/b c", "crash"), honest("honest"), games=2), threads=2, logs=tmp_path)
    logs = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert all(name.startswith(("a_b_c-", "honest-")) for name in logs)
    assert sum(text.count("RuntimeError: out of ideas") for text in logs.values()) == 2
    assert os.listdir(tmp_path) == list(logs)


class Near(ThreadPoolExecutor):
    """Stands for a cluster: units are played here, and the names of logs come back as a node might give them."""

    workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def play() -> Any:
            brought, logs = fn(*args)
            return brought, {f"../{name}": content for name, content in logs.items()}

        return super().submit(play)

    def drop_waiting(self) -> None:
        pass


def play_near(chosen: Tournament, **how: Any) -> Any:
    """The result of a tournament on a cluster, or the exception it ends with."""
    found: Future[TournamentResult] = Future()

    def play() -> None:
        try:
            found.set_result(play_tournament(chosen, **how))
        except Exception as error:
            found.set_exception(error)

    with Near(1) as cluster, mock.patch.object(dispatcher, "_current", [cluster]):
        threading.Thread(target=play, daemon=True).start()  # one that hangs fails
        return found.exception(PATIENCE) or found.result()


def test_logs_of_a_cluster_are_kept_in_their_folder_alone(tmp_path: Path) -> None:
    chosen, logs = tournament(entered("crashes", "crash"), honest("honest"), games=2), tmp_path / "logs"
    logs.mkdir()
    far = play_near(chosen, logs=logs)
    assert os.listdir(tmp_path) == ["logs"] and {file.name.split("-")[0] for file in logs.iterdir()} == {"crashes", "honest"}
    assert sum(file.read_text().count("RuntimeError: out of ideas") for file in logs.iterdir()) == 2
    assert figures(far) == figures(play_tournament(chosen))


def test_a_log_that_cannot_be_written_ends_a_tournament_on_a_cluster(tmp_path: Path) -> None:
    ledger = Notebook()
    error = play_near(tournament(honest("one"), honest("two"), games=2), ledger=ledger, logs=tmp_path / "nowhere")
    assert isinstance(error, BadValue) and re.search("log .*/nowhere/one-.*.log can't be written: No such file", str(error))
    assert ledger.kept == [(0, Unit(0, 2))]  # games are kept before


def test_a_bot_reads_its_own_file_and_not_its_neighbours(tmp_path: Path) -> None:
    """The tournament's file with its seed, and what others wrote, are out of reach where they lie beside it; a folder of its own is not."""
    spy = (HOSTILE / "player.py").read_text() + "\n"
    look = (
        "import pathlib, sys\n"
        "for name in ('cup.toml', 'other.py', 'apart/mine.txt'):\n"
        "    path = pathlib.Path(__file__).resolve().parent / name\n"
        "    try:\n"
        "        print(name, path.read_text()[:4], file=sys.stderr)\n"
        "    except OSError as error:\n"
        "        print(name, type(error).__name__, file=sys.stderr)\n"
    )
    (tmp_path / "spy.py").write_text(look + spy)
    (tmp_path / "other.py").write_text(spy)
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "spy.py").write_text(look.replace("apart/mine.txt", "mine.txt") + spy)
    (tmp_path / "apart" / "mine.txt").write_text("mine")
    cup = tmp_path / "cup.toml"
    lines = ["games = 2", "seed = 5"]
    for name, file in (("spy", "spy.py"), ("other", "other.py"), ("apart", "apart/spy.py")):
        lines += ["[[players]]", f'name = "{name}"', f'command = ["{sys.executable}", "{file}", "none"]']
    cup.write_text("\n".join(lines))
    logs = tmp_path / "logs"
    logs.mkdir()
    found = play_tournament(read_tournament(cup), logs=logs)
    assert found.faults == []
    said = {name: {line for log in logs.glob(f"{name}-*.log") for line in log.read_text().splitlines()} for name in ("spy", "apart")}
    assert "mine.txt mine" in said["apart"]
    if available_guards().get("files", "").startswith("yes"):
        assert said["spy"] == {"cup.toml PermissionError", "other.py PermissionError", "apart/mine.txt PermissionError"}
