"""The walks of docs/data-flow.md: every function named is called on the way, in that order, in at most eight steps."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import kibitz
from kibitz.cli.main import run
from tests.table.clients import Person, opened

SOURCE = Path(kibitz.__file__).parent
PAGE = (SOURCE.parents[1] / "docs" / "data-flow.md").read_text(encoding="utf-8")
WALKS = {
    title: re.findall(r"^\d+\. `([\w/.]+\.py:[\w.]+)`", steps, re.MULTILINE)
    for title, steps in re.findall(r"^\*\*(.+?)\*\*.*\n\n((?:\d+\. .*\n)+)", PAGE[PAGE.index("## Four walks") :], re.MULTILINE)
}
MOST_STEPS = 8


def name_of(code: CodeType) -> str:
    """How the page names a function of the package; nothing for others."""
    file = Path(code.co_filename)
    return f"{file.relative_to(SOURCE).as_posix()}:{code.co_qualname}" if SOURCE in file.parents else ""


def called(work: Callable[[], Any], names: Collection[str]) -> list[str]:
    """The calls of some functions of the package, in order; in threads too."""
    found: list[str] = []
    known: dict[CodeType, str] = {}  # millions of calls, a few thousand functions

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            name = known.get(code)
            if name is None:
                name = known[code] = name_of(code)
            if name in names:
                found.append(name)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return found


def command(*words: str) -> None:
    with pytest.raises(SystemExit) as stop:
        run([*words])
    assert not stop.value.code


def a_move_at_the_table() -> None:
    with opened() as client:
        ann = Person(client)
        with ann.at(ann.open(None, "random", seed=1)) as seat:
            seat.play_on()


def test_the_page_has_four_walks() -> None:
    assert len(WALKS) == 4
    assert all(3 < len(steps) <= MOST_STEPS for steps in WALKS.values())


@pytest.mark.parametrize("place", range(4))
def test_every_step_of_a_walk_is_taken(place: int, tmp_path: Path) -> None:
    title, steps = list(WALKS.items())[place]
    works: list[Callable[[], None]] = [
        lambda: command("evaluate", "mix2", "--no-jit", "--games", "3", "--no-store"),
        a_move_at_the_table,
        lambda: command("train", "net", "--games", "10", "--out", str(tmp_path / "mine.npz"), "--no-store"),
        lambda: command("watch", "iggi", "iggi"),
    ]
    calls = iter(called(works[place], steps))
    assert [step for step in steps if step not in calls] == [], f"not called after the steps before: {title}"
