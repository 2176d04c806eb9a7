"""Property tests try the same examples each time, however long one takes; runs are kept in a file of the tests, never in the user's."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.durations import is_slow, load_durations, longest_first
from tests.progress import ProgressPlugin

# Hundreds of processes import the package; each would compile its modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.pop("COLUMNS", None)  # tables are as wide as in any pipe, whoever runs the tests
signal.signal(signal.SIGINT, signal.default_int_handler)  # and Ctrl-C is heard, also by processes that tests start

settings.register_profile("kibitz", deadline=None, derandomize=True, database=None)
settings.load_profile("kibitz")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `make test`, `make check` and `make durations` ask for."""
    parser.addoption("--progress", action="store_true", help="print how far the tests are instead of a dot for each")
    written = "write how long tests took into tests/durations.json; with `some`, the others keep what they have"
    parser.addoption("--write-durations", choices=["all", "some"], help=written)


def pytest_configure(config: pytest.Config) -> None:
    """Workers report to one process, which tells how far they are."""
    if not hasattr(config, "workerinput"):
        options = config.getoption("--progress"), config.getoption("--write-durations")
        config.pluginmanager.register(ProgressPlugin(load_durations(), *options), "progress")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and begin with files that take long."""
    durations = load_durations()
    for item in items:
        if is_slow(item.nodeid, durations):
            item.add_marker("slow")
    longest_first(items, durations)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never among all that the tests have imported: that took a fifth of their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.fixture(scope="session", autouse=True)
def store_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where commands keep their runs, also those that tests start as processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KIBITZ_STORE", str(tmp_path_factory.mktemp("store") / "kibitz.db"))
        yield


@pytest.fixture(params=["compiled", "plain"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A test that asks for this runs twice: games are compiled, then played as plain Python, as with KIBITZ_JIT=0."""
    if request.param == "plain":
        monkeypatch.setenv("KIBITZ_JIT", "0")
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what a test does is kept, for tests that look at it or must not find what others left."""
    path = tmp_path / "kibitz.db"
    monkeypatch.setenv("KIBITZ_STORE", str(path))
    return path
