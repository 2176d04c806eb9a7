"""A folder in which nothing can be written, for an ordinary user and for root alike."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CAPABILITIES_3 = 0x20080522  # the version of the structures that capget and capset take
_DAC_OVERRIDE = 1 << 1  # lets root write whatever the mode of a file says


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Take away the right to write a folder and its files for as long as a block lasts."""
    files = [path for path in folder.iterdir() if path.is_file()]
    for path in files:
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        with _without_override():
            try:
                (folder / "probe").touch()
            except PermissionError:
                yield
            else:
                raise AssertionError(f"{folder} can still be written")
    finally:
        folder.chmod(0o755)
        for path in files:
            path.chmod(0o644)


@contextmanager
def _without_override() -> Iterator[None]:
    """Modes of files count for root too, in this thread."""
    if os.name == "nt" or os.geteuid() != 0:
        yield
        return
    assert sys.platform == "linux", "elsewhere, run this test as an ordinary user"
    library = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert library.capget(header, sets) == 0
    before = sets[0]
    sets[0] = before & ~_DAC_OVERRIDE
    assert library.capset(header, sets) == 0
    try:
        yield
    finally:
        sets[0] = before
        assert library.capset(header, sets) == 0
