"""A server in this process for each file, with a visitor; its tables get seeds that come again: a test meets the same cards each time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.table.clients import Person, TestClient, opened


@pytest.fixture(autouse=True)
def seeds_that_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = random.Random(11)
    monkeypatch.setattr("secrets.randbits", lambda bits: seeds.getrandbits(bits) | 1 << (bits - 1))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with opened() as running:
        yield running


@pytest.fixture
def ann(client: TestClient) -> Person:
    return Person(client)
