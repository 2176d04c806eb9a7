"""Property tests try the same examples each time, however long one takes; runs are kept in a file of the tests, never in the user's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

os.environ.pop("COLUMNS", None)  # tables are as wide as in any pipe, whoever runs the tests

settings.register_profile("kibitz", deadline=None, derandomize=True, database=None)
settings.load_profile("kibitz")


@pytest.fixture(scope="session", autouse=True)
def store_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where commands keep their runs, also those that tests start as processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KIBITZ_STORE", str(tmp_path_factory.mktemp("store") / "kibitz.db"))
        yield
