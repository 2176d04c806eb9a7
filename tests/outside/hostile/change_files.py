"""Tries to change a folder that is not its own (first argument, with a file `kept`), and says how each attempt went.

Expected: nothing done; `own` is "allowed"
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

folder = Path(sys.argv[1])
kept = folder / "kept"


def many() -> None:
    for number in range(100):
        (folder / f"new-{number}").write_text("mine")


sys.stdin.readline()
Path("mine").write_text("mine")
attempts: dict[str, Callable[[], object]] = {
    "many": many,
    "write": lambda: kept.write_text("mine"),
    "append": lambda: os.open(kept, os.O_WRONLY | os.O_APPEND),
    "truncate": lambda: os.truncate(kept, 0),
    "delete": kept.unlink,
    "rename": lambda: kept.rename(folder / "moved"),
    "take": lambda: kept.rename("taken"),
    "link": lambda: os.link(kept, "linked"),
    "mkdir": (folder / "new").mkdir,
    "symlink": lambda: (folder / "link").symlink_to("/"),
    "chmod": lambda: kept.chmod(0),
    "times": lambda: os.utime(kept, (0, 0)),
    "attribute": lambda: os.setxattr(kept, "user.mine", b"1"),
    "temporary": lambda: Path("/tmp/kibitz-hostile-was-here").write_text("mine"),
    "memory": lambda: Path("/dev/shm/kibitz-hostile-was-here").write_text("mine"),
    "mode of its own": lambda: os.chmod("mine", 0o777),
    "times of its own": lambda: os.utime("mine", (0, 0)),
}
outcome = {}
for name, attempt in attempts.items():
    try:
        attempt()
        outcome[name] = "done"
    except OSError as error:
        outcome[name] = type(error).__name__
Path("own").write_text("allowed")
outcome["own"] = Path("own").read_text()
print(json.dumps(outcome), flush=True)
sys.stdin.readline()
