"""Imported by the process that commands are forked from, and by nobody else: plays a little of each, so that all code is loaded."""

from __future__ import annotations

import io
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from kibitz.cli.main import run
from tests.runs.warm import COMMANDS, command_line

FEW = "48"

with tempfile.TemporaryDirectory() as folder:
    for name in COMMANDS:
        said = io.StringIO()
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(said):
                run([*command_line(name, Path(folder)), "--games", FEW, "--no-store", "--threads", "1"])
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{name}: {said.getvalue()}") from None
