"""Commands run inside the test's process, and what a mistake in one of them looks like."""

from __future__ import annotations

import pytest

from kibitz.cli.main import run


def kibitz_command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in this process: exit code, standard output, standard error."""
    with pytest.raises(SystemExit) as stop:
        run(list(words))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def check_refused(ended: tuple[int, str, str], *parts: str) -> None:
    """A command that is a mistake: exit code 2, nothing on standard output, and one sentence with these parts."""
    code, out, err = ended
    assert (code, out) == (2, ""), ended
    assert err.startswith("kibitz: ") and err.count("\n") == 1, err
    for part in parts:
        assert part in err, err
