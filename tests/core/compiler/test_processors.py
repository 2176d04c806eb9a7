"""Kernels on a processor that lacks the instruction for the n-th set bit: other code, the same games."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import kibitz


def test_a_plain_processor_plays_the_same_games(tmp_path: Path) -> None:
    """`generic` is what Numba calls a processor without any extras."""
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "KIBITZ_CACHE": str(tmp_path)}
    script = "import json, kibitz, kibitz.core.jit as jit\nprint(json.dumps([jit.has_fast_select(), kibitz.match(['mix2', 'random'], games=300).to_dict()['rows']]))"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    fast, rows = json.loads(done.stdout)
    assert not fast
    assert rows == json.loads(json.dumps(kibitz.match(["mix2", "random"], games=300).to_dict()["rows"]))
