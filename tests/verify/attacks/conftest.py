"""The attack suite: `make attack` runs it alone, `make verify` among the other long checks. It ends in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.verify.attacks.servers import Running, serving
from tests.verify.attacks.tally import Attack, attacking, table

Begin = Callable[[str], AbstractContextManager[Attack]]
ROWS = pytest.StashKey[list[Attack]]()


@pytest.fixture
def begin(request: pytest.FixtureRequest) -> Begin:
    """Begins an attack, which becomes a row of the table."""
    rows = request.config.stash.setdefault(ROWS, [])
    return lambda name: attacking(name, rows)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server for the attacks of a file. At the end it still answers, and nothing made it fail."""
    folder = tmp_path_factory.mktemp("server")
    with serving(folder / "kibitz.db", folder / "log") as running:
        yield running
        assert running.health_seconds() < 30
        said = running.log.read_text(encoding="utf-8")
        assert "Traceback" not in said, said


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table, also when something was lost."""
    rows = config.stash.get(ROWS, [])
    if rows:
        terminalreporter.section("attacks")
        for line in table(rows):
            terminalreporter.write_line(line)
