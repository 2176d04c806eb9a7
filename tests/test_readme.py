"""The README: its code runs, its commands exist, its table has a place."""

from __future__ import annotations

import io
import math
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kibitz
from kibitz import registry
from kibitz.report.formatting import BEGIN_MARK, END_MARK, marks_for, text_between_marks
from kibitz.report.hanabi import published_scores as hanabi

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
BLOCKS = [block for language, block in FENCED if language == "python"]
LINES = [shlex.split(line, comments=True) for language, block in FENCED if not language for line in block.splitlines()]
FEW = {"match": "50", "evaluate": "50", "tournament": "12"}  # games, to keep it short
SAMPLE = 400  # games, of those behind a row
COMMANDS = [words for program, *words in LINES if program == "kibitz"]


def test_the_example_runs_and_prints_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "example.py"
    file.write_text(BLOCKS[0].replace("games=100_000", "games=2_000"), encoding="utf-8")
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert "hoarder" in out
    assert "±" in out


def test_the_bot_to_write_plays(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BLOCKS[1], encoding="utf-8")
    compiled = kibitz.match([f"{file}:lowest", "mix2"], games=100)
    plain = kibitz.match([f"{file}:lowest", "mix2"], games=100, jit=False)
    assert compiled.rows == plain.rows


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_runs(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from kibitz.cli.main import run

    shutil.copytree(README.parent / "examples", tmp_path / "examples")
    (tmp_path / "mine.py").write_text(BLOCKS[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))  # whoever is asked leaves the game
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)  # and a server ends as soon as it has said where it is
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("kibitz.cli.table._leave_thinkers", lambda server: None)  # it ends the process, which is ours
    with pytest.raises(SystemExit) as end:
        run([*words, *(["--games", FEW[words[0]]] if words[0] in FEW else [])])
    assert end.value.code == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_every_command_is_in_the_table() -> None:
    from kibitz.cli.main import app

    named = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert named == set(re.findall(r"`kibitz ([\w-]+)", TEXT.partition("## House rules")[0]))


def test_both_commands_and_the_place_of_the_table_are_there() -> None:
    for word in ("make evaluate", "make test", "make PYTHON=python3.13 evaluate", BEGIN_MARK, END_MARK, "not affiliated"):
        assert word in TEXT
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("evaluate:", "test:", "figures:", "verify:"):
        assert f"\n{target}" in makefile
    assert '@echo "make PYTHON=python3.13 evaluate ' in makefile


# -- the table of Hanabi --

HANABI_MARKS = marks_for("Hanabi")


@cache
def hanabi_rows() -> dict[str, list[str]]:
    """The cells of each bot's row: games, then for each number of players our score and the published one."""
    lines = text_between_marks(README, *HANABI_MARKS).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {name.split("`")[1]: cells for name, *cells in rows}


def hanabi_scores() -> Iterator[tuple[str, int, int, float, float]]:
    """Bot, players, games, score and standard error of each cell."""
    for bot, (games, *cells) in hanabi_rows().items():
        for players, cell in zip(hanabi.PLAYER_NUMBERS, cells[::2], strict=True):
            if cell != "–":
                score, _, error = cell.partition(" ± ")
                yield bot, players, int(games.replace(",", "")), float(score), float(error)


def test_every_hanabi_bot_has_a_row_with_enough_games() -> None:
    bots = [name for name in registry.all_names("hanabi") if name != "blueprint:single"]  # that is for other partners than itself
    assert sorted(hanabi_rows()) == sorted(bots)
    assert list(hanabi_rows()) == list(hanabi.FIGURES[2])
    cells = list(hanabi_scores())
    assert all(games >= (1_000 if registry.is_slow(bot, "hanabi") else 100_000) for bot, _, games, _, _ in cells)
    assert {(bot, players) for bot, players, _, _, _ in cells} == {
        (bot, players) for bot in bots for players in hanabi.PLAYER_NUMBERS if registry.plays_among(bot, players, "hanabi")
    }
    assert "| `cheater` (sees all hands) |" in TEXT


def test_the_published_scores_of_hanabi_are_there_and_met() -> None:
    scores = {(bot, players): score for bot, players, _, score, _ in hanabi_scores()}
    compared = 0
    for bot, (_, *cells) in hanabi_rows().items():
        for players, shown in zip(hanabi.PLAYER_NUMBERS, cells[1::2], strict=True):
            published = hanabi.published(bot, players)
            assert shown == ("" if published is None else str(published))
            if published is not None and bot != "blueprint":  # there the published search has another blueprint
                assert abs(scores[bot, players] - published) < 0.3
                compared += 1
    assert compared == 24


@pytest.mark.parametrize("players", hanabi.PLAYER_NUMBERS)
def test_the_scores_of_hanabi_are_those_of_the_bots(players: int) -> None:
    """The first games of each row that doesn't search, within five standard errors of the whole."""
    quick = [cell for cell in hanabi_scores() if cell[1] == players and not registry.is_slow(cell[0], "hanabi")]
    found = kibitz.evaluate([bot for bot, *_ in quick], game="hanabi", players=players, games=SAMPLE)
    for (bot, _, games, score, error), row in zip(quick, found.rows, strict=True):
        assert row.bot == bot
        assert abs(row.score - score) <= 0.0005 + 5 * error * math.sqrt(games / SAMPLE), bot


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target
