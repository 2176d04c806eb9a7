"""A person with a pipe, and a store for each test, so that nobody is offered what another test has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terminal.people import Pipe


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the games of this test are kept."""
    path = tmp_path / "kibitz.db"
    monkeypatch.setenv("KIBITZ_STORE", str(path))
    return path


@pytest.fixture
def pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Pipe:
    return Pipe(capsys, monkeypatch)
