"""What is said while something compiles, and what Ctrl-C does then. Each command here is a process with an empty cache."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core import notices
from kibitz.core.notices import KNOWN, NEW, Pace, in_words

AT_ONCE = 2.0  # seconds; processes that share a processor with others are slower than one alone
PATIENCE = 60.0


def short(number: int) -> int:
    return number


def longer(number: int) -> int:
    return short(number) + short(number + 1)


def test_estimate_counts_what_is_reached_and_what_is_known_less() -> None:
    pace = Pace()
    one, two = len(short.__code__.co_code), len(longer.__code__.co_code)
    assert pace.seconds([short, longer]) == pytest.approx((one + two) * NEW)  # type: ignore[list-item]  # plain functions
    pace.note({short}, 0.0)  # type: ignore[arg-type]  # likewise
    assert pace.seconds([short, longer]) == pytest.approx(one * KNOWN + two * NEW)  # type: ignore[list-item]  # likewise


def test_estimate_follows_the_pace_of_this_machine() -> None:
    pace = Pace()
    pace.expected, pace.taken = 1.0, 3.0
    assert pace.seconds([longer]) == pytest.approx(3 * pace.usual_seconds([longer]))  # type: ignore[list-item]  # a plain function


def test_words() -> None:
    assert in_words("the UNO engine", 2.4) == "compiling the UNO engine, about 2 s; happens once"
    assert in_words("mix2", 0.4) == "compiling mix2, under 1 s; happens once"


def test_line_is_taken_back_also_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(notices, "show", lines.append)
    kernels: list[Any] = [longer]
    with pytest.raises(ZeroDivisionError), notices.compiling("it", kernels):
        raise ZeroDivisionError
    assert lines == ["compiling it, under 1 s; happens once", ""]


# -- real commands --


def started(words: str, cache: Path, store: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "KIBITZ_CACHE": str(cache), "KIBITZ_STORE": str(store)}
    command = [sys.executable, "-m", "kibitz", *words.split()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_log_has_a_line_for_each_thing(tmp_path: Path) -> None:
    process = started("match mix2 random --games 10 --no-store", tmp_path / "cache", tmp_path / "store.db")
    _, said = process.communicate(timeout=PATIENCE)
    lines = re.sub(r"about \d+ s|under 1 s", "N", said).splitlines()
    assert lines == [f"kibitz: compiling {name}, N; happens once" for name in ("mix2", "random", "the UNO engine")]
    again = started("match mix2 random --games 10 --no-store", tmp_path / "cache", tmp_path / "store.db")
    assert again.communicate(timeout=PATIENCE)[1] == ""


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        ("evaluate random --games 10 --no-store", "the UNO engine"),  # in its bar
        ("compare random greedy --games 20 --no-store", "the UNO engine"),  # in its lines
        ("bench --game hanabi --games 10 --repeats 1 --no-start", "the Hanabi engine"),  # in a line of its own
    ],
    ids=lambda words: words.split()[0],
)
def test_a_terminal_shows_a_line_that_goes_away(words: str, subject: str, tmp_path: Path) -> None:
    process, screen = pty.fork()
    if process == 0:
        environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path), "TERM": "xterm", "COLUMNS": "120"}
        os.execve(sys.executable, [sys.executable, "-m", "kibitz", *words.split()], environment)
    output, end = "", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([screen], [], [], 1.0)[0]:
            try:
                output += os.read(screen, 65536).decode(errors="replace")
            except OSError:  # it has ended
                break
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    os.close(screen)
    assert re.search(f"compiling {subject}, (about|under) \\d+ s; happens once", output)
    assert not any("compiling" in re.split(r"\r|\x1b\[2K", line)[-1] for line in output.split("\r\n"))


def test_signals_end_a_command_that_compiles_and_leave_the_cache_intact(tmp_path: Path) -> None:
    cache, store = tmp_path / "cache", tmp_path / "store.db"
    words = "match champion random --games 2 --json -"
    for kind in (signal.SIGINT, signal.SIGTERM):
        process = started(words, cache, store)
        assert process.stderr is not None
        assert process.stderr.readline().startswith("kibitz: compiling champion, about")
        time.sleep(0.3)  # the compiler is at work now
        begun = time.monotonic()
        process.send_signal(kind)
        found, said = process.communicate(timeout=PATIENCE)
        assert time.monotonic() - begun < AT_ONCE
        assert (process.returncode, found) == (130, "")
        assert "resume with: kibitz resume" in said
        assert "Traceback" not in said
    found, _ = started(words, cache, store).communicate(timeout=PATIENCE)
    expected = kibitz.match(["champion", "random"], games=2)
    assert json.loads(found)["rows"] == json.loads(json.dumps(expected.to_dict()["rows"]))
