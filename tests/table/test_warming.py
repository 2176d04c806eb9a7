"""Compiling for the table: apart from the server, for whoever waits, and nobody waits for what others need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kibitz import registry
from kibitz.core import jit
from kibitz.core.compile_cache import held_alone
from kibitz.play.seat import player_of
from kibitz.table import warming
from kibitz.table.warming import ADVICE, LIKELY, compiled_apart

# Two bots, in a process that has loaded nothing yet. Another process holds what the first needs, as if it were compiling that.
TWO_BOTS = """
import sys, threading
from kibitz import registry
from kibitz.play.seat import player_of

def need(bot):
    player_of(registry.entrant(bot), registry.game("uno"))
    print(bot, flush=True)

need("random")
threading.Thread(target=need, args=("greedy",), daemon=True).start()
sys.stdin.readline()
need("diversity")
"""


BOT = '''
import kibitz

@kibitz.bot
def it(view):
    """Draws."""
    return view.decline()
'''


@pytest.fixture
def bot(tmp_path: Path) -> str:
    """A bot that this process has never compiled."""
    (tmp_path / "mine.py").write_text(BOT)
    return f"{tmp_path / 'mine.py'}:it"


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KIBITZ_JIT", raising=False)
    return tmp_path / "cache"


def test_what_is_likely_exists_and_both_games_have_advice_in_it() -> None:
    assert {game for game, name in LIKELY if name == ADVICE} == {"uno", "hanabi"}
    for game, name in LIKELY:
        if name != ADVICE:
            registry.entrant(name, game)


def test_a_bot_is_compiled_in_another_process_and_loaded_here(cold: Path, bot: str) -> None:
    from numba.core import event

    player_of(registry.entrant("random"), registry.game("uno"))  # loads what asks bots
    with event.install_recorder("numba:compile") as compiled, compiled_apart("uno", [bot]):
        player_of(registry.entrant(bot), registry.game("uno"))
    assert list(cold.iterdir())
    assert not compiled.buffer
    assert not warming._compilers


def test_a_process_that_fails_is_told_in_the_log_and_the_work_is_done_here(cold: Path, bot: str, caplog: pytest.LogCaptureFixture) -> None:
    with compiled_apart("uno", ["nobody"]):
        assert player_of(registry.entrant(bot), registry.game("uno"))
    assert "compiling nobody apart failed: kibitz: unknown bot 'nobody'" in caplog.text
    assert list(cold.iterdir())


def test_nothing_is_compiled_elsewhere_that_could_not_be_loaded(cold: Path, bot: str) -> None:
    cold.mkdir()
    cold.chmod(0o777)
    asked: list[str] = []
    with jit.compiling_elsewhere(lambda: asked.append("never")):
        player_of(registry.entrant(bot), registry.game("uno"))
    assert not asked


def test_each_block_asks_once_and_only_in_its_own_thread(cold: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def need(name: str) -> None:
        (tmp_path / f"{name}.py").write_text(BOT.replace("Draws", name).replace("def it", f"def {name}"))
        player_of(registry.entrant(f"{tmp_path / name}.py:{name}"), registry.game("uno"))

    with jit.compiling_elsewhere(lambda: asked.append("once")):
        other = threading.Thread(target=need, args=("first",))
        other.start()
        other.join()
        assert not asked
        need("second")
        need("third")
    need("fourth")
    assert asked == ["once"]


def test_nobody_waits_for_what_another_process_compiles_for_somebody_else(cold: Path) -> None:
    before = set(_folders_of("random", cold))
    (greedy,) = set(_folders_of("greedy", cold)) - before
    for path in sorted((cold / greedy).rglob("*"), reverse=True):  # as if it were not compiled yet
        path.rmdir() if path.is_dir() else path.unlink()
    command = [sys.executable, "-c", TWO_BOTS]
    with (
        held_alone(cold / greedy),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process,
    ):
        watch = threading.Timer(120, process.kill)
        watch.start()
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "random\n"
        _wait_until_held_up(process.pid, cold / greedy)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "diversity\n"
        watch.cancel()


def _folders_of(bot: str, cache: Path) -> list[str]:
    """The folders of the cache once a process has compiled a bot."""
    subprocess.run([sys.executable, "-m", "kibitz.table.warming", json.dumps([("uno", bot)])], check=True, env=dict(os.environ))
    return os.listdir(cache)


def _wait_until_held_up(process: int, folder: Path) -> None:
    """Until a process has opened a folder that this one holds, in order to hold it too."""
    descriptors = Path(f"/proc/{process}/fd")
    while not any(os.path.realpath(each) == str(folder) for each in list(descriptors.iterdir())):
        pass
