"""A server in this process for each file, with a visitor; its tables get secrets that come again: a test meets the same cards each time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.table.clients import Person, TestClient, opened


@pytest.fixture(autouse=True)
def secrets_that_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = random.Random(29)
    for module in ("game_table", "open_tables"):
        monkeypatch.setattr(f"kibitz.table.{module}.new_secret", lambda: secrets.randbytes(16).hex())


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with opened() as running:
        yield running


@pytest.fixture
def ann(client: TestClient) -> Person:
    return Person(client)
