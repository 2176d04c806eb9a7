"""Tables get seeds that come again: a test meets the same cards each time."""

from __future__ import annotations

import random

import pytest


@pytest.fixture(autouse=True)
def seeds_that_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = random.Random(11)
    monkeypatch.setattr("secrets.randbits", lambda bits: seeds.getrandbits(bits) | 1 << (bits - 1))
