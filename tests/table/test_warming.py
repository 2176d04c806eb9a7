"""Compiling for the table: apart from the server, for whoever waits, and nobody waits for what others need."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from traceback import walk_stack
from typing import ClassVar

import pytest

from kibitz import registry
from kibitz.core import jit
from kibitz.core.compile_cache import held_alone
from kibitz.play.seat import player_of
from kibitz.table import warming
from kibitz.table.warming import ADVICE, Compilations, Part, compiled_apart, likely

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
    assert {game for game, name in likely() if name == ADVICE} == {"uno", "hanabi"}
    for game, name in likely():
        if name != ADVICE:
            registry.entrant(name, game)


def test_a_bot_is_compiled_in_another_process_and_loaded_here(cold: Path, bot: str) -> None:
    from numba.core import event

    player_of(registry.entrant("random"), registry.game("uno"))  # loads what asks bots
    with event.install_recorder("numba:compile") as compiled, compiled_apart("uno", [bot]):
        player_of(registry.entrant(bot), registry.game("uno"))
    assert list(cold.iterdir())
    assert not compiled.buffer
    assert not warming._compilations._processes


def test_a_process_that_fails_is_told_in_the_log_and_the_work_is_done_here(cold: Path, bot: str, caplog: pytest.LogCaptureFixture) -> None:
    with compiled_apart("uno", ["nobody"]):
        assert player_of(registry.entrant(bot), registry.game("uno"))
    assert "compiling nobody apart failed: unknown bot 'nobody'" in caplog.text
    assert list(cold.iterdir())


class Scripted:
    """In place of a process: notes what it was asked for, and is done when the test says so."""

    begun: queue.SimpleQueue[Scripted]
    alive: ClassVar[set[Scripted]]

    def __init__(self, tells: bool) -> None:
        self.alive.add(self)
        self.done = threading.Semaphore(0)

    def make_ready(self, part: Part) -> str:
        self.part = part
        self.begun.put(self)
        self.done.acquire()
        return ""

    def has_ended(self) -> bool:
        return False

    def end(self) -> None:
        self.alive.remove(self)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    Scripted.begun, Scripted.alive = queue.SimpleQueue(), set()
    monkeypatch.setattr(warming, "CompilingProcess", Scripted)
    monkeypatch.setattr(warming, "likely", lambda: [("uno", "mix2"), ("hanabi", ADVICE), ("uno", ADVICE), ("hanabi", "smart")])
    return Scripted


def _next_begun(scripted: type[Scripted], *parts: Part) -> list[Scripted]:
    begun = sorted((scripted.begun.get(timeout=30) for _ in parts), key=lambda process: process.part)
    assert [process.part for process in begun] == sorted(parts)
    assert scripted.begun.empty()
    return begun


def _ask(compilations: Compilations, part: Part) -> threading.Thread:
    thread = threading.Thread(target=compilations.make_ready, args=([part],), daemon=True)
    thread.start()
    return thread


def _wait_until_it_waits(thread: threading.Thread) -> None:
    """Until a thread waits for what another has in hand."""
    names: set[str] = set()
    while "wait_for" not in names:
        frame = sys._current_frames().get(thread.ident or 0)
        names = {each.f_code.co_name for each, _ in walk_stack(frame)} if frame else set()


def test_the_background_pauses_while_somebody_waits_and_goes_on_with_their_game(scripted: type[Scripted]) -> None:
    compilations = Compilations()
    compilations.make_likely_ready()
    (background,) = _next_begun(scripted, ("uno", "mix2"))
    compilations.prefer("hanabi")
    waiting = _ask(compilations, ("uno", "greedy"))
    (asked,) = _next_begun(scripted, ("uno", "greedy"))
    background.done.release()
    while ("uno", "mix2") in compilations._in_hand:
        pass
    assert scripted.begun.empty()
    asked.done.release()
    waiting.join(30)
    for part in [("hanabi", ADVICE), ("hanabi", "smart"), ("uno", ADVICE)]:
        (background,) = _next_begun(scripted, part)
        background.done.release()
    while scripted.alive:  # the last ones end when all is done
        pass
    assert scripted.begun.empty()


def test_what_two_wait_for_is_compiled_once(scripted: type[Scripted]) -> None:
    compilations = Compilations()
    first = _ask(compilations, ("uno", "greedy"))
    (asked,) = _next_begun(scripted, ("uno", "greedy"))
    second = _ask(compilations, ("uno", "greedy"))
    _wait_until_it_waits(second)
    asked.done.release()
    first.join(30)
    second.join(30)
    assert not first.is_alive() and not second.is_alive() and not scripted.alive
    assert scripted.begun.empty()


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
    command = [sys.executable, "-m", "kibitz.table.warming"]
    subprocess.run(command, input=json.dumps(("uno", bot)), text=True, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ))
    return os.listdir(cache)


def _wait_until_held_up(process: int, folder: Path) -> None:
    """Until a process has opened a folder that this one holds, in order to hold it too."""
    descriptors = Path(f"/proc/{process}/fd")
    while not any(os.path.realpath(each) == str(folder) for each in list(descriptors.iterdir())):
        pass
