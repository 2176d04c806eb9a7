"""The first hour with a bot of one's own: what the command line says of mistakes, and how the debugger ends."""

from __future__ import annotations

import gc
import io
import sys
from pathlib import Path

import pytest

from kibitz.cli.main import run
from kibitz.play import second_look

BOTS = """
import random, time
import kibitz

@kibitz.bot
def chatty(view):
    print(view.top)
    return view.play(view.pick(view.playable()), 0)

@kibitz.bot
def stopping(view):
    breakpoint()
    return view.play(view.pick(view.playable()), 0)

@kibitz.bot
def far(view):
    return view.sizes[12]

class Stopping:
    def choose(self, view):
        breakpoint()
        return view.play(view.pick(view.playable()), 0)

class Leaving:
    def choose(self, view):
        raise SystemExit  # out

class Slow:
    @classmethod
    def prepare(cls):
        time.sleep(0.4)
    def choose(self, view):
        return view.play(view.pick(view.playable()), 0)

class Gambler:
    def choose(self, view):
        return view.play(random.choice([card for card in view.cards() if view.can_play(card)]), 0)
"""


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first.py").write_text(BOTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(second_look, "_checked", set())


def match(bot: str, *words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(["match", f"first.py:{bot}", "random", "--no-store", "--games", "20", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.usefixtures("in_folder")
def test_print_is_refused_with_the_way_to_print(capsys: pytest.CaptureFixture[str]) -> None:
    assert match("chatty") == 2
    assert capsys.readouterr().err == (
        "kibitz: bot 'chatty': print works only in plain Python; run with --no-jit to see what it prints (first.py, line 7: print(view.top)).\n"
    )
    assert match("chatty", "--no-jit") == 0
    assert capsys.readouterr().out.splitlines()[0].isdigit()


@pytest.mark.usefixtures("in_folder")
def test_a_fault_in_compiled_code_names_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert match("far") == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "kibitz: bot first.py:far in seat 1 raised IndexError: index 12, but the list has 10 items, in first.py, line 17: "
        "return view.sizes[12] (reproduce with --seed 1 --index 0)"
    )


@pytest.mark.usefixtures("in_folder")
def test_a_bot_with_randomness_of_its_own_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert match("Gambler") == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert told == [
        "kibitz: bot first.py:Gambler answers differently when the same game is played again, so equal seeds don't give equal "
        "results; take random numbers from view.randbelow(n), and remember nothing between games."
    ]


@pytest.mark.usefixtures("in_folder")
def test_leaving_the_debugger_ends_the_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)  # pytest has its own
    monkeypatch.setattr("pdb.set_trace", _set_trace)
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    gc.disable()  # Hypothesis hears of collections: one here would leave the debugger in that function instead of the bot
    try:
        assert match("stopping", "--no-jit") == 130
    finally:
        gc.enable()
    told = capsys.readouterr().err
    assert told == "kibitz: stopped in the debugger.\n"


@pytest.mark.usefixtures("in_folder")
def test_the_debugger_needs_a_run_without_worker_processes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.experiments.batch.check_repeatable", lambda *args: None)  # pytest's debugger would speak up there
    assert match("Stopping", "--games", "2001", "--threads", "2") == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "stopped at a breakpoint; the debugger works in runs of up to 2,000 games or with --threads 1, in first.py, line " in told


def _set_trace() -> None:
    import pdb

    pdb.Pdb().set_trace(sys._getframe(1))


@pytest.mark.parametrize("more", [[], ["--no-jit"]])
@pytest.mark.usefixtures("in_folder")
def test_exit_in_a_bot_is_its_fault(capsys: pytest.CaptureFixture[str], more: list[str]) -> None:
    assert match("Leaving", *more) == 2
    said = capsys.readouterr().err
    assert "bot first.py:Leaving in seat" in said
    assert f"called exit(), in first.py, line {BOTS.splitlines().index('        raise SystemExit  # out') + 1}: raise SystemExit" in said


@pytest.mark.usefixtures("in_folder")
def test_preparing_is_no_decision() -> None:
    assert match("Slow", "--decision-seconds", "0.2") == 0
