"""Trusted commands: not confined, with the user's environment and network, but judged and ended like every other bot."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from kibitz import registry
from kibitz.cli.main import run
from kibitz.core.errors import BadValue
from kibitz.experiments.tournament.config import Tournament, read_tournament
from kibitz.games.uno.rules import Rules
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.player import OutsidePlayer, outside_bot
from kibitz.outside.process import BotProcess
from tests.outside.tables import PATIENT

PROGRAM = """
import json, os, socket, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "bye":
        break
    if message["type"] == "sleep":
        time.sleep(600)
    answer = {"secret": os.environ.get("SECRET_OF_MINE"), "folder": os.getcwd()}
    try:
        socket.create_connection(("127.0.0.1", message["port"]), 30).close()
        answer["network"] = True
    except OSError:
        answer["network"] = False
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("SECRET_OF_MINE", "42")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return [sys.executable, str(file)]


@pytest.mark.parametrize("trusted", [True, False])
def test_only_a_trusted_command_has_the_environment_and_the_network(program: list[str], trusted: bool) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        BotProcess(program, PATIENT, readable=[Path(program[1])], confined=not trusted) as process,
    ):
        answer = process.ask({"type": "decide", "port": server.getsockname()[1]})
        assert Path(answer["folder"]) == process.working_folder
    assert answer["network"] is trusted
    assert answer["secret"] == ("42" if trusted else None)


def test_a_trusted_player_is_started_unconfined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "42")
    file = tmp_path / "greeter.py"
    file.write_text(
        "import os\ninput()\nprint('{\"type\": \"hello\", \"protocol\":', int(os.environ['SECRET_OF_MINE'] == '42'), '}', flush=True)"
    )
    player = OutsidePlayer(
        outside_bot("greeter", [sys.executable, str(file)], tmp_path, PATIENT, trusted=True), registry.game("uno"), Rules()
    )
    player.ready()
    player.kill()


def test_it_is_judged_and_ended_like_others(program: list[str]) -> None:
    process = BotProcess(program, PATIENT, confined=False)
    process.start()
    pid, folder = process.pid, process.working_folder
    assert pid is not None and folder is not None and os.getsid(pid) == pid
    with pytest.raises(OutsideFault, match="did not answer"):
        process.ask({"type": "sleep"}, 0.2)
    assert not process.is_running and not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


def test_the_file_of_a_tournament_says_who_is_trusted_and_so_does_the_store(program: list[str], tmp_path: Path) -> None:
    players = "".join(
        f'[[players]]\nname = "{name}"\ncommand = "{" ".join(program)}"\n{more}' for name, more in (("a", "trusted = true\n"), ("b", ""))
    )
    (tmp_path / "both.toml").write_text(players)
    read = read_tournament(tmp_path / "both.toml")
    assert [player.trusted for player in read.players] == [True, False]
    assert Tournament.from_dict(read.to_dict()) == read
    kept = read.to_dict()
    for player in kept["players"]:
        del player["trusted"]  # as stores of older versions have it
    assert not any(player.trusted for player in Tournament.from_dict(kept).players)


def test_the_command_that_asks_it_again_trusts_it_too(program: list[str], tmp_path: Path) -> None:
    bot = outside_bot("bot", program, tmp_path, BotLimits(decision_seconds=5), trusted=True)
    assert bot.reproduction.endswith("' --trusted --seconds 5")


def test_a_python_file_is_not_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bot.py"
    file.write_text("class Bot:\n    def choose(self, view):\n        return view.legal[0]\n")
    with pytest.raises(SystemExit) as end:
        run(["check-bot", str(file), "--trusted"])
    assert end.value.code == 2
    assert "--trusted goes with a command." in capsys.readouterr().err
    (tmp_path / "wrong.toml").write_text('[[players]]\nbot = "mix2"\ntrusted = true\n[[players]]\nbot = "random"\n')
    with pytest.raises(BadValue, match="trusted goes with a Python file or a command"):
        read_tournament(tmp_path / "wrong.toml")
