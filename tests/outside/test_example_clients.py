"""The example clients as they stand: real processes with nothing of ours behind them. test_check.py plays with them under all rules."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from kibitz.play.game import Game
from tests.outside.scripted import Client, play, python_client

FOLDER = Path(__file__).parent.parent.parent / "examples" / "outside"
PYTHON, PERL = FOLDER / "random_client.py", FOLDER / "greedy_client.pl"


def perl() -> str:
    """Where Perl is."""
    found = shutil.which("perl")
    assert found, "perl is not installed: the example client in another language cannot be tested without it"
    return found


def command_of(path: Path) -> list[str]:
    return [sys.executable, "-I", str(path)] if path.suffix == ".py" else [perl(), str(path)]


@pytest.mark.parametrize("path", [PYTHON, PERL], ids=lambda path: path.name)
@pytest.mark.parametrize("players", [2, 5])
def test_hanabi_is_played_to_the_end(path: Path, players: int) -> None:
    clients = [Client(command_of(path), "hanabi") for _ in range(players)]
    scores = []
    for index in range(5):
        game = Game(players, seed=2, index=index, game="hanabi")
        play(clients, game)
        scores.append(game.outcome["score"])
    if path == PYTHON:
        assert min(scores) > 8
    for client in clients:
        assert client.end() == (0, "")


def test_the_clients_have_some_sense() -> None:
    """100 deals each against our random bot, of which they win 55 to 59 % in the long run.

    Fewer than 42 would come once in 200 tries by chance; the seeds are fixed.
    """
    for path in (PYTHON, PERL):
        clients = [Client(command_of(path)), python_client("random")]
        wins = 0
        for index in range(100):
            game = Game(2, seed=6, index=index)
            play(clients, game, seed=10 * index)
            wins += game.winner == 0
        assert wins >= 42
        for client in clients:
            assert client.end() == (0, "")


def test_the_examples_need_nothing_but_their_language() -> None:
    tree = ast.parse(PYTHON.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)
    assert set(re.findall(r"^use ([\w:]+);", PERL.read_text(encoding="utf-8"), re.MULTILINE)) == {"strict", "warnings", "JSON::PP"}


@pytest.mark.parametrize("path", [PYTHON, PERL], ids=lambda path: path.name)
def test_the_examples_can_be_started_as_they_stand(path: Path) -> None:
    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env ")
    assert len(path.read_text(encoding="utf-8").splitlines()) < 80
