"""Schemathesis tries the whole HTTP API from its own description, with all of its checks, and finds nothing.

Requests are made up from the schema, valid and invalid ones, from a fixed seed, and sent to a real server. Runs are not really
started, since each would be a process of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, seed, settings

from kibitz.table.app import create_app
from kibitz.table.browser_runs import Runs
from kibitz.table.schemas import RunAsked
from tests.table.clients import LOOSE
from tests.table.serving import served

EXAMPLES = 30  # of each operation

APP = create_app(limits=LOOSE)
SCHEMA = schemathesis.openapi.from_dict(APP.openapi())


@dataclass
class Running:
    address: str
    token: str


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    async def start(self: Runs, asked: RunAsked) -> int:
        await asyncio.to_thread(self.words_of, asked)
        return 1

    async def resume(self: Runs, number: int) -> None:
        await self.stop(number)  # says that there is none

    with pytest.MonkeyPatch.context() as patch, served(APP) as address:
        patch.setattr(Runs, "start", start)
        patch.setattr(Runs, "resume", resume)
        yield Running(address, httpx.post(f"{address}/api/sessions", json={"name": "Ann"}).json()["token"])


@SCHEMA.parametrize()
@seed(20260607)
@settings(max_examples=EXAMPLES, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck))
def test_the_api_keeps_its_word(case: schemathesis.Case[Any], server: Running) -> None:
    case.call_and_validate(base_url=server.address, headers={"Authorization": f"Bearer {server.token}"})
