"""One server for all of a worker's tests, one browser for each file, a fresh visitor with nothing kept for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.table.browser.found import launch
from tests.table.browser.serving import TableServer
from tests.table.browser.visitor import TIMEOUT, Visitor

expect.set_options(timeout=TIMEOUT)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableServer]:
    """`kibitz table`, running."""
    running = TableServer(tmp_path_factory.mktemp("table"))
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. It ends with the file: while it runs, nothing else in this process can have an event loop."""
    with sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


@pytest.fixture
def visit(browser: Browser, server: TableServer) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors; a test fails if anything went wrong in the page of any of them."""
    visitors: list[Visitor] = []

    def arrive(name: str = "Ann", *, address: str = server.address, **options: object) -> Visitor:
        visitors.append(Visitor(browser, address, name, **options))  # type: ignore[arg-type]  # as Visitor has them
        return visitors[-1]

    yield arrive
    troubles = [f"{visitor.name}: {trouble}" for visitor in visitors for trouble in visitor.troubles]
    for visitor in visitors:
        visitor.close()
    assert not troubles, "\n".join(troubles)
