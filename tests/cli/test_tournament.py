"""`kibitz tournament` as a user types it: standings, totals, every game, JSON, and a run that goes on where it was stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from kibitz.cli import options
from kibitz.experiments.tournament.config import read_tournament
from kibitz.experiments.tournament.rounds import play_tournament
from kibitz.runs.database import open_store
from kibitz.runs.store import RunLedger, list_runs
from kibitz.runs.units import Unit
from tests.commands import check_refused, kibitz_command

THREE = """
title = "Spring cup"
games = 200
seed = 5

[[players]]
name = "[red]Ann[/red]"
bot = "mix2"

[[players]]
name = "Bob, Esq."
bot = "random"

[[players]]
name = "[/]李"
bot = "greedy"
"""
NAMES = ("[red]Ann[/red]", "Bob, Esq.", "[/]李")


@pytest.fixture
def cup(tmp_path: Path) -> str:
    path = tmp_path / "cup.toml"
    path.write_text(THREE, encoding="utf-8")
    return str(path)


pytestmark = pytest.mark.usefixtures("store")


def figures(value: dict[str, Any]) -> dict[str, Any]:
    return {name: found for name, found in value.items() if name != "seconds"}


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


# -- what is shown --


def test_standings_and_matrix(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "tournament", cup)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Spring cup"
    assert lines[1] == "UNO classic, round-robin, 3 players, tables of 2: 3 matches, 600 games, seed 5"
    ranking = [line for line in lines if "±" in line and line.strip()[0].isdigit()]
    assert [next(name for name in NAMES if name in line) for line in ranking] == ["[red]Ann[/red]", "[/]李", "Bob, Esq."]
    assert "won in % against" in out
    assert "INCOMPLETE" not in out
    assert "\x1b[" not in out + err
    assert "Traceback" not in err


def test_lines_to_copy_have_the_number_of_the_run(cup: str, capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    kibitz_command(capsys, "tournament", cup, "--games", "4", "--quiet")
    _, out, _ = kibitz_command(capsys, "tournament", cup, "--games", "4")
    commands = [line.partition("  ")[0] for line in out.splitlines() if line.startswith("kibitz ")]
    assert commands == ["kibitz report 2 -o run-2.html", "kibitz replay 2 0", "kibitz export 2 -o run-2.csv"]
    assert "games are 0 to 11" in out
    assert [line for line in kibitz_command(capsys, "runs", "show", "2")[1].splitlines() if line.split("  ")[0] in commands]
    assert kibitz_command(capsys, *commands[1].split()[1:])[0] == 0
    _, out, _ = kibitz_command(capsys, "tournament", cup, "--games", "4", "--store", str(tmp_path / "other.db"))
    assert f"kibitz replay 1 0 --store {tmp_path / 'other.db'} " in out
    assert "kibitz" not in kibitz_command(capsys, "tournament", cup, "--games", "4", "--no-store")[1]


def test_quiet_is_totals_alone(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "tournament", cup, "--quiet", "--no-store")
    result = play_tournament(read_tournament(cup))
    assert (code, err) == (0, "")
    totals = {line.rpartition("  ")[0].strip(): int(line.rsplit(maxsplit=1)[1].replace(",", "")) for line in out.splitlines()}
    assert totals == {found.name: found.points_total for found in result.standings}
    assert list(totals.values()) == sorted(totals.values(), reverse=True)


def test_verbose_shows_every_game_with_hands(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "tournament", cup, "--verbose", "--no-store", "--games", "4")
    result = play_tournament(read_tournament(cup, games=4))
    assert code == 0
    assert out.count("on the table: ") == out.count("UNO classic · game ") == 12
    assert "UNO!" in out
    assert " on " in out
    assert " with " in out
    endings = [line for line in out.splitlines() if line.startswith("Seat ") and " wins " in line]
    assert len(endings) == sum(found.wins for found in result.standings)
    for found in result.standings:
        assert sum(f" {found.name} wins " in line for line in endings) == found.wins
        won = [int(line.partition(" wins ")[2].split()[0]) for line in endings if f" {found.name} wins " in line]
        assert sum(won) == found.points_total
    assert [line.rpartition("  ")[0].strip() for line in out.splitlines()[-3:]] == [
        found.name for found in sorted(result.standings, key=lambda found: -found.points_total)
    ]


def test_verbose_contests_show_every_deal(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(cup)
    path.write_text('to = 50\ngames = 2\nseed = 1\nplayers = [{name = "a", bot = "mix2"}, {name = "b", bot = "random"}]', encoding="utf-8")
    code, out, _ = kibitz_command(capsys, "tournament", cup, "-v", "--no-store")
    assert code == 0
    assert out.count("on the table: ") > 2
    assert ", deal 2" in out


def test_json_is_what_python_gives(cup: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = kibitz_command(capsys, "tournament", cup, "--json", "-")
    assert code == 0
    value = json.loads(out)
    assert value["command"] == "tournament"
    assert figures(value) == figures(as_json(play_tournament(read_tournament(cup)).to_dict()))
    file = tmp_path / "figures.json"
    code, out, _ = kibitz_command(capsys, "tournament", cup, "--json", str(file), "--no-store", "--quiet", "--threads", "1")
    assert (code, len(out.splitlines())) == (0, 3)
    assert figures(json.loads(file.read_text(encoding="utf-8"))) == figures(value)


def test_options_take_the_place_of_what_the_file_says(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--games", "6", "--format", "free-for-all", "--table", "3", "--rules", "classic,hand_size=5", "--seed", "77"]
    _, out, _ = kibitz_command(capsys, "tournament", cup, *words, "--no-store", "--json", "-")
    value = json.loads(out)
    assert (value["games"], value["format"], value["table"], value["rules"], value["seed"]) == (
        6,
        "free-for-all",
        3,
        "classic,hand_size=5",
        77,
    )
    assert (value["matches"], value["games_played"]) == (1, 6)
    _, out, _ = kibitz_command(capsys, "tournament", cup, "-f", "swiss", "--rounds", "2", "-n", "20", "--no-store", "--json", "-")
    value = json.loads(out)
    assert (value["format"], value["matches"]) == ("swiss", 2)
    assert sum(found["match_points"] for found in value["standings"]) == 4.0


def test_without_a_seed_each_has_its_own_and_says_so(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(cup).write_text(THREE.replace("seed = 5", ""), encoding="utf-8")
    seeds = [json.loads(kibitz_command(capsys, "tournament", cup, "-n", "2", "--json", "-")[1])["seed"] for _ in range(2)]
    assert seeds[0] != seeds[1]
    _, out, _ = kibitz_command(capsys, "tournament", cup, "-n", "2", "--seed", str(seeds[0]))
    assert f"seed {seeds[0]}" in " ".join(out.split())


def test_hanabi(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(cup).write_text('game = "hanabi"\ngames = 50\nseed = 1\nplayers = [{bot = "piers"}, {bot = "random"}]', encoding="utf-8")
    code, out, _ = kibitz_command(capsys, "tournament", cup)
    assert code == 0
    assert "score" in out
    assert "wins %" not in out
    code, out, _ = kibitz_command(capsys, "tournament", cup, "-f", "mixed", "--no-store")
    assert code == 0
    assert "together with" in out


def test_ladder(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "tournament", cup, "--ladder", "--no-store")
    assert code == 0
    assert "ladder" in out
    _, out, _ = kibitz_command(capsys, "tournament", cup, "--ladder", "--no-store", "--json", "-")
    standings = json.loads(out)["standings"]
    assert all(len(found["skill"]) == 2 for found in standings)


def test_names_are_no_markup_on_the_progress_bar(cup: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A name such as [/] would end a run between games if it were taken for markup."""

    def terminal(stderr: bool = False) -> Console:
        return Console(stderr=stderr, force_terminal=True, width=100, color_system=None)

    monkeypatch.setattr(options, "console", terminal)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, _, err = kibitz_command(capsys, "tournament", cup, "--ladder", "--no-store")
    assert code == 0
    assert "Bob, Esq. v [/]李" in err  # the last match; those before it may be over too soon to be shown
    assert "1. [red]Ann[/red]" in err


# -- mistakes --


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        (["--verbose", "--json", "-"], "both write to standard output"),
        (["--games", "7"], "games=7 is not a multiple of 2"),
        (["--games", "many"], "Invalid value for '--games'"),
        (["--format", "knockout"], "unknown format"),
        (["--format", "teams"], "format teams is for games played together"),
        (["--table", "5", "--games", "5"], "3 players cannot fill a table of 5"),
        (["--rules", "clasic"], "did you mean classic?"),
        (["--seed", "-1"], "seed -1 is out of range"),
        (["--threads", "0"], "threads=0 is out of range"),
        (["--rounds", "3"], "rounds go with the formats swiss and free-for-all"),
        (["--json", "/nowhere/at/all.json"], "cannot be written"),
        (["--store", "x.db", "--no-store"], "exclude each other"),
        (["--logs", "/dev/null/logs"], "cannot be made"),
        (["--nonsense"], "No such option"),
    ],
)
def test_mistakes_are_one_sentence(cup: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(kibitz_command(capsys, "tournament", cup, *words), message)


def test_mistakes_in_the_file_are_one_sentence_and_begin_no_run(cup: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(cup).write_text(THREE + 'kolour = "red"\n', encoding="utf-8")
    code, out, err = kibitz_command(capsys, "tournament", cup)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "player 3" in err
    assert "'kolour'" in err
    code, _, err = kibitz_command(capsys, "tournament", str(Path(cup).parent))
    assert (code, len(err.splitlines())) == (2, 1)
    assert not store.exists()


def test_ladder_needs_winners(cup: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(cup).write_text('game = "hanabi"\nplayers = [{bot = "piers"}]', encoding="utf-8")
    code, _, err = kibitz_command(capsys, "tournament", cup, "--ladder")
    assert code == 2
    assert "--ladder needs winners" in err


# -- the store --


def test_a_run_is_kept_unless_it_is_not_to_be(cup: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = kibitz_command(capsys, "tournament", cup)
    code, shown, _ = kibitz_command(capsys, "runs", "show", "1")
    assert code == 0
    assert "1, complete, 600 of 600 games" in shown
    assert shown.rstrip().endswith(printed.rstrip())
    kibitz_command(capsys, "tournament", cup, "--no-store")
    with open_store(store) as opened:
        (only,) = list_runs(opened)
        assert (only.kind, only.status, only.asked, only.done) == ("tournament", "complete", 600, 600)
        assert figures(only.figures) == figures(as_json(play_tournament(read_tournament(cup)).to_dict()))


@pytest.mark.parametrize("format", ["round-robin", "swiss"])
def test_a_run_that_lost_units_resumes_to_the_same_figures(
    cup: str, store: Path, format: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.loads(kibitz_command(capsys, "tournament", cup, "--format", format, "--no-store", "--json", "-")[1])
    keep, kept = RunLedger.keep, list[Unit]()

    def keep_a_few(ledger: RunLedger, part: int, unit: Unit, *what: Any) -> None:
        keep(ledger, part, unit, *what)
        kept.append(unit)
        if len(kept) == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunLedger, "keep", keep_a_few)
    code, out, err = kibitz_command(capsys, "tournament", cup, "--format", format, "--threads", "1")
    assert code == 130
    assert "INCOMPLETE: interrupted" in out
    assert "resume with: kibitz resume 1" in err
    with open_store(store) as opened:
        assert 0 < list_runs(opened)[0].done < whole["games_played"]
    _, shown, _ = kibitz_command(capsys, "runs", "show", "1")
    assert "interrupted" in shown
    code, out, _ = kibitz_command(capsys, "resume", "1", "--json", "-")
    assert code == 0
    assert figures(json.loads(out)) == figures(whole)
    code, out, _ = kibitz_command(capsys, "resume", "1", "--json", "-")  # once more: it is complete
    assert (code, figures(json.loads(out))) == (0, figures(whole))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no Ctrl-C to send")
@pytest.mark.parametrize("players", ["cup.toml", "examples/classroom/players.txt"])
def test_ctrl_c_in_a_process_of_its_own(cup: str, players: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Far more games than it gets to play; Ctrl-C once the first units are kept, then the figures as far as they are known."""
    file = cup if cup.endswith(players) else str(Path(__file__).parents[2] / players)
    words = [sys.executable, "-m", "kibitz", "tournament", file, "--games", "60000000", "--json", "-"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if store.exists():
            with open_store(store) as opened:
                if any(each.done for each in list_runs(opened)):
                    break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "resume with: kibitz resume 1" in err
    value = json.loads(out)
    assert not value["complete"]
    assert value["games_played"] > 0
    code, shown, _ = kibitz_command(capsys, "runs", "show", "1")
    assert code == 0
    assert "1, interrupted" in shown
    assert "INCOMPLETE" in shown


# -- bots from outside --


def test_the_classroom_plays_its_list(capsys: pytest.CaptureFixture[str]) -> None:
    players = Path(__file__).parents[2] / "examples" / "classroom" / "players.txt"
    code, told, _ = kibitz_command(capsys, "tournament", str(players), "--games", "3", "--verbose", "--no-store", "--seed", "1")
    assert code == 0
    assert told.count("UNO davies · game ") == told.count("on the table: ") == 3
    assert sorted(line.rpartition("  ")[0].strip() for line in told.splitlines()[-3:]) == ["Ashtabna", "First come", "Spiteful"]


def test_a_broken_file_of_a_class_is_named_before_and_after(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everybody else plays; the reason is said at once, in the standings and among the faults."""
    source = Path(__file__).parents[2] / "examples" / "classroom"
    for name in ("ashtabna.py", "others.py"):
        (tmp_path / name).write_text((source / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "bob.py").write_text("x = 1)\n", encoding="utf-8")
    (tmp_path / "players.txt").write_text("Ann,ashtabna\nBob,bob\nCleo,first\n", encoding="utf-8")
    code, out, err = kibitz_command(capsys, "tournament", str(tmp_path / "players.txt"), "--games", "6", "--seed", "1")
    reason = "it could not be started: SyntaxError: unmatched ')' (bob.py, line 1)"
    assert code == 0
    assert f"kibitz: Bob forfeits all its games: {reason}\n" in err
    assert f"\nBob forfeited all its games: {reason}\n" in out
    assert f"game 0, before it: Bob {reason.removeprefix('it ')}\n" in out
    assert [line.split()[1] for line in out.splitlines() if "±" in line and line.strip()[0].isdigit()][-1] == "Bob"
