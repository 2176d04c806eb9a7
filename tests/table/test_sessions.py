"""Sessions: unguessable, kept as digests, found again after a restart."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from kibitz.core.errors import BadValue
from kibitz.table.keeping import Keeper
from kibitz.table.sessions import Session, Sessions, checked_name, digest_of

Result = TypeVar("Result")


def with_sessions(path: Path | None, use: Callable[[Sessions], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        keeper = Keeper(path)
        await keeper.open()
        try:
            return await use(Sessions(keeper))
        finally:
            await keeper.close()

    return asyncio.run(run())


def test_a_session_is_found_by_its_token_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    token, session = with_sessions(path, lambda sessions: sessions.begin("Ann"))
    assert session == Session(digest_of(token), "Ann")
    assert with_sessions(path, lambda sessions: sessions.find(token)) == session


def test_the_token_itself_is_nowhere_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    token, session = with_sessions(path, lambda sessions: sessions.begin("Ann"))
    assert re.fullmatch("[A-Za-z0-9_-]{43}", token)
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token.encode() not in content
    assert session.digest.encode() in content


def test_tokens_differ() -> None:
    async def many(sessions: Sessions) -> set[str]:
        return {(await sessions.begin("Ann"))[0] for _ in range(20)}

    assert len(with_sessions(None, many)) == 20


@pytest.mark.parametrize("token", ["", "x", "a" * 43, "A" * 44, "ä" * 43, "' OR 1=1 --".ljust(43, "a")])
def test_no_other_token_is_a_session(token: str) -> None:
    async def look(sessions: Sessions) -> Session | None:
        await sessions.begin("Ann")
        return await sessions.find(token)

    assert with_sessions(None, look) is None


def test_a_new_name_goes_to_every_seat(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"

    async def rename(sessions: Sessions) -> tuple[Session, Session | None]:
        token, session = await sessions.begin("Ann")
        return await sessions.rename(session, "  Anna   Lena "), await sessions.find(token)

    renamed, found = with_sessions(path, rename)
    assert renamed == found
    assert renamed.name == "Anna Lena"
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sessions").fetchall() == [("Anna Lena",)]
    connection.close()


@pytest.mark.parametrize("name", ["Ann", "Zoë ♥", "小明", "x" * 32])
def test_names_that_are_accepted(name: str) -> None:
    assert checked_name(f" {name} ") == name


@pytest.mark.parametrize("name", ["", "   ", "x" * 33, "a\0b", "a\u202eb", "\ud800", "a\u200bb"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(BadValue, match="a name has"):
        checked_name(name)


def test_a_store_for_nothing_is_gone_at_the_end() -> None:
    async def where(sessions: Sessions) -> Path:
        await sessions.begin("Ann")
        assert sessions.keeper.path.exists()
        return sessions.keeper.path

    path = with_sessions(None, where)
    assert not path.exists() and not path.parent.exists()
