"""What `make test` and `make check` print while tests run: how far they are, how long they will take, and at once what failed.

In a terminal one line is written over and over; in a log there is a line for every 5 %, or after half a minute.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import TextIO

import pytest

from tests.durations import Durations, expected_seconds, is_slow, measured, write_durations

STEP, PATIENCE = 0.05, 30.0  # of a log: the share and the seconds after which there is another line
OFTEN = 0.2  # seconds between two states of a terminal's line
TOO_LONG = 2.0  # seconds after which a test of the quick half is named at the end


def in_words(seconds: float) -> str:
    """A duration, as exactly as anybody wants to know it."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


class Progress:
    """Lines about a run whose tests take these seconds each."""

    def __init__(self, expected: Mapping[str, float], output: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._expected, self._output, self._clock = expected, output, clock
        self._all = sum(expected.values()) or 1.0
        self._ended: set[str] = set()
        self._share, self._said_steps = 0.0, 0
        self._begun = self._said_at = clock()
        self._width = 0

    def end(self, nodeid: str) -> None:
        """A test has ended."""
        if nodeid in self._ended:
            return
        self._ended.add(nodeid)
        self._share += self._expected.get(nodeid, 0.0) / self._all
        since, last = self._clock() - self._said_at, len(self._ended) == len(self._expected)
        if self._output.isatty():
            if since >= OFTEN or last:
                self._say(f"\r{self.line():<{self._width}}")
        elif self._steps() > self._said_steps or since >= PATIENCE or last:
            self._say(self.line() + "\n")

    def line(self) -> str:
        """How far it is."""
        took = self._clock() - self._begun
        share = min(self._share, 1.0)
        line = f"  {int(100 * share + 1e-9):3d} %  {len(self._ended):,} of {len(self._expected):,} tests in {in_words(took)}"
        if len(self._ended) < len(self._expected):
            line += f", about {in_words(took * (1 - share) / share)} left" if share > 0.02 else ""
        return line

    def note(self, text: str) -> None:
        """A line that stays."""
        self._say(f"\r{text:<{self._width}}\n" if self._output.isatty() else f"{text}\n")

    def _steps(self) -> int:
        return int(self._share / STEP + 1e-9)

    def _say(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()
        self._width = 0 if text.endswith("\n") else len(text) - 1
        self._said_at, self._said_steps = self._clock(), self._steps()


class ProgressPlugin:
    """Progress instead of dots, for the process that all workers report to; the seconds of each test are kept if somebody wants them."""

    def __init__(self, durations: Durations, shown: bool, kept: str | None) -> None:
        self._durations, self._shown, self._kept = durations, shown, kept
        self._seconds: dict[str, float] = {}
        self._progress: Progress | None = None

    def _expect(self, nodeids: list[str]) -> None:
        if self._shown and nodeids and self._progress is None:
            self._progress = Progress(expected_seconds(nodeids, self._durations), sys.stdout)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers, the tests are known now."""
        self._expect([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, each finds the same tests."""
        self._expect(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Count tests, but print no letters."""
        if self._progress is None or not (report.when == "call" or report.failed):
            return None
        return report.outcome if report.when == "call" else "error", "", report.outcome.upper()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of a test has ended."""
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        if self._progress is not None:
            if report.failed:
                self._progress.note(f"  failed: {report.nodeid}" + ("" if report.when == "call" else f" ({report.when})"))
            if report.when == "teardown":
                self._progress.end(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name tests that the quick half should not have; keep the durations."""
        long = [nodeid for nodeid, took in self._seconds.items() if took > TOO_LONG and not is_slow(nodeid, self._durations)]
        if self._shown and long:
            terminalreporter.write_line(f"Longer than {TOO_LONG:g} s, but not known as slow (`make durations` measures all tests):")
            for nodeid in sorted(long, key=self._seconds.__getitem__, reverse=True):
                terminalreporter.write_line(f"  {self._seconds[nodeid]:.1f} s  {nodeid}")
        if self._kept:
            write_durations(measured(self._seconds, None if self._kept == "all" else self._durations))
