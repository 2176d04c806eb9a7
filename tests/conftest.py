"""Property tests try the same examples each time, however long one takes; runs are kept in a file of the tests, never in the user's."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.pop("COLUMNS", None)  # tables are as wide as in any pipe, whoever runs the tests
signal.signal(signal.SIGINT, signal.default_int_handler)  # and Ctrl-C is heard, also by processes that tests start

# Files that wait for browsers and for processes of their own, or take longest: begun first, so that no worker waits for one of them at the end.
FIRST = (
    "store/test_kill.py",
    "test_docs.py",
    "table/test_secrecy_of_sockets.py",
    "games/uno/test_house_rules_against_reference.py",
    "bots/uno/test_under_any_rules.py",
    "outside/test_outside_tournament.py",
    "luck/",
    "report/test_skill.py",
    "table/test_live.py",
    "table/",
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
