"""Writes to its log and tries to read there what earlier processes of its own have left, through every door it has.

Expected: nothing done
"""

import json
import os
import sys
from collections.abc import Callable

sys.stdin.readline()
os.write(2, b"note to myself\n")


attempts: dict[str, Callable[[], object]] = {
    "descriptor": lambda: os.pread(2, 100, 0),
    "again": lambda: os.open("/proc/self/fd/2", os.O_RDONLY),
}
outcome = {}
for name, attempt in attempts.items():
    try:
        attempt()
        outcome[name] = "done"
    except OSError as error:
        outcome[name] = type(error).__name__
print(json.dumps(outcome), flush=True)
sys.stdin.readline()
