"""Property tests try the same examples each time, however long one takes; runs are kept in a file of the tests, never in the user's."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Hundreds of processes import the package; each would compile its modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.pop("COLUMNS", None)  # tables are as wide as in any pipe, whoever runs the tests
signal.signal(signal.SIGINT, signal.default_int_handler)  # and Ctrl-C is heard, also by processes that tests start

# Files that take longest are begun first, so that no worker has one of them left at the end; of any three in a row, one at most has a browser.
FIRST = (
    "store/test_kill.py",
    "table/browser/test_pages.py",
    "test_docs.py",
    "table/test_secrecy_of_sockets.py",
    "table/browser/test_phone.py",
    "games/uno/test_house_rules_against_reference.py",
    "bots/uno/test_under_any_rules.py",
    "table/browser/test_people.py",
    "outside/test_outside_tournament.py",
    "luck/test_uno_luck.py",
    "table/browser/test_runs_page.py",
    "report/test_skill.py",
    "table/test_table_runs.py",
    "table/browser/test_uno_table.py",
    "table/test_live.py",
    "search/uno/test_history.py",
    "table/browser/test_hanabi_table.py",
    "games/uno/test_engine_against_reference.py",
    "test_readme.py",
    "table/browser/test_films.py",
    "cli/test_table.py",
    "learn/test_tuning.py",
)

settings.register_profile("kibitz", deadline=None, derandomize=True, database=None)
settings.load_profile("kibitz")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort files by how long they take, roughly."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(here).as_posix()
        return next((place for place, start in enumerate(FIRST) if path.startswith(start)), len(FIRST))

    items.sort(key=place)


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
