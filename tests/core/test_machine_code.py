"""Machine code from a file does what it did in the process that compiled it, and Numba isn't imported for it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from kibitz.bots.source import place_in_traceback
from kibitz.core import jit, machine_code, stopping
from kibitz.core.jit import stop_point
from kibitz.games.uno.definition import GAME

PLAYS = """
import sys
import kibitz
print([row.wins for row in kibitz.match(["greedy", "random"], games=50, threads=1)], "numba" in sys.modules)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def weigh(long, word, longs, ints, floats, few):  # type: ignore[no-untyped-def]  # a kernel
    """What each kind of argument brings; the first long is changed."""
    longs[0] += 1
    return float(long) + float(word) + float(longs[0] * len(longs) + ints[1] * len(ints) + few[2] * len(few)) + float(floats[0])


def run_on(longs):  # type: ignore[no-untyped-def]  # a kernel
    """Go on for ever."""
    while longs[0] >= 0:
        stop_point()
        longs[0] += 1


def nothing(long):  # type: ignore[no-untyped-def]  # a kernel
    """Return nothing."""


def refuse(long):  # type: ignore[no-untyped-def]  # a kernel
    """Raise an exception."""
    if long > 3:
        raise ValueError("too late")


def refuse_with_number(long):  # type: ignore[no-untyped-def]  # a kernel
    """Raise an exception with a number in it."""
    if long > 3:
        raise ValueError("too late", long)


def weighing() -> Callable[..., Any]:
    """The kernel, compiled or loaded."""
    return jit.root_of(weigh, "long word longs ints floats bytes", GAME.view)


def arrays() -> list[Any]:
    return [np.arange(4), np.array([1, 5], np.int32), np.array([0.25], np.float32), np.array([0, 1, 200], np.uint8)]


def test_a_process_that_compiles_nothing_plays_the_same_without_numba(cache: Path) -> None:
    said = [subprocess.run([sys.executable, "-c", PLAYS], check=True, capture_output=True, text=True).stdout for _ in range(2)]
    wins = re.match(r"\[.*\]", said[0])
    assert wins and said == [f"{wins[0]} True\n", f"{wins[0]} False\n"]


def test_numbers_and_arrays_arrive(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, given = weighing(), arrays()
    expected = -7 + float(2**63) + 1 * 4 + 5 * 2 + 200 * 3 + 0.25
    assert compiled(-7, 2**63, *given) == expected and given[0].tolist() == [1, 1, 2, 3]
    monkeypatch.setattr(jit, "_compiled", None)  # it could not be compiled again
    loaded = weighing()
    assert loaded(-7, 2**63, *arrays()) == expected
    assert loaded(np.int64(-7), np.uint64(2**63), *arrays()) == expected
    with pytest.raises(TypeError, match="takes 6 arguments, not 1"):
        loaded(1)


@pytest.mark.parametrize(
    "wrong",
    [np.arange(4, dtype=np.int32), np.arange(8)[::2], np.zeros((2, 2), np.int64), None, [1, 2]],
    ids=["dtype", "steps", "dimensions", "None", "list"],
)
def test_what_is_no_such_array_is_refused(wrong: Any) -> None:
    """At the first call, and after one whose array is gone."""
    weigh_here = weighing()
    for _ in range(2):
        with pytest.raises(TypeError, match="compiled code takes an array of int64 in one piece"):
            weigh_here(1, 1, wrong, *arrays()[1:])
        weigh_here(1, 1, *arrays())


def test_threads_call_the_same_code_with_arrays_of_their_own() -> None:
    shared, calls, all_there = weighing(), 400, Barrier(4)

    def call(thread: int) -> tuple[list[float], int]:
        longs, *others = arrays()
        longs[0] = thread * 1_000
        all_there.wait(60)
        return [shared(thread, call, longs, *others) for call in range(calls)], int(longs[0])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(call, range(4)))
    rest = float(5 * 2 + 200 * 3) + 0.25
    for thread, (sums, last) in enumerate(found):
        assert last == thread * 1_000 + calls
        assert sums == [thread + call + 4 * (thread * 1_000 + call + 1) + rest for call in range(calls)]


def test_nothing_is_returned_as_none() -> None:
    assert jit.root_of(nothing, "long", GAME.view)(1) is None


def test_loaded_code_stops_as_well(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jit.root_of(run_on, "longs", GAME.view)
    monkeypatch.setattr(jit, "_compiled", None)
    stopping.stop()
    try:
        with pytest.raises(stopping.Halted):
            jit.root_of(run_on, "longs", GAME.view)(np.zeros(1, np.int64))
    finally:
        stopping.go_on()


@pytest.mark.parametrize(("kernel", "expected"), [(refuse, ("too late",)), (refuse_with_number, ())])
def test_exceptions_arrive_with_their_place(kernel: Any, expected: tuple[Any, ...], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose arguments are known when it is compiled, and one whose aren't."""
    for _ in ("compiled", "loaded"):
        root = jit.root_of(kernel, "long", GAME.view)
        assert root(3) is None
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - what it says is looked at below
            root(5)
        assert raised.value.args == expected
        place = place_in_traceback(raised.value.__traceback__)
        assert place and place[0].file == __file__ and place[0].line == kernel.__code__.co_firstlineno + 3
        monkeypatch.setattr(jit, "_compiled", None)  # the second time


def test_a_damaged_file_is_compiled_again(cache: Path) -> None:
    weighing()
    (file,) = cache.rglob("*.code")
    whole = file.read_bytes()
    for place in (0, 40, 60, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert machine_code.load(file.parent) is None
    file.write_bytes(whole[:-1])
    assert weighing()(1, 1, *arrays()) > 0
    assert machine_code.load(file.parent)


def test_code_is_kept_for_one_processor(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine_code.file_in(cache)
    for name, value in (("NUMBA_CPU_NAME", "generic"), ("NUMBA_CPU_FEATURES", "")):
        monkeypatch.setenv(name, value)
        machine_code._processor.cache_clear()
        assert machine_code.file_in(cache) != here
    monkeypatch.undo()
    machine_code._processor.cache_clear()
    assert machine_code.file_in(Path("cache")).name == here.name


def test_code_that_refers_to_what_is_not_there_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM itself would link it to nothing and say nothing."""
    kept: list[machine_code.Code] = []
    monkeypatch.setattr(machine_code, "keep", lambda folder, code: kept.append(code))
    weighing()
    (code,) = kept
    assert machine_code._loaded(code)
    assert machine_code._loaded(replace(code, links_to=[*code.links_to, "kibitz_is_not_there"])) is None
