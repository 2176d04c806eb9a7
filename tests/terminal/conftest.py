"""A person with a pipe."""

from __future__ import annotations

import pytest

from tests.terminal.people import Pipe


@pytest.fixture
def pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Pipe:
    return Pipe(capsys, monkeypatch)
