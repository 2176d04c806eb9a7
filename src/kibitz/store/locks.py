"""Who is playing a run: a lock that the system itself gives back when its holder dies, however it dies.

Beside the store lies a file of locks; byte N of it belongs to run N. Locks of a process are not inherited by others it
starts, so a worker that outlives its killed parent holds nothing.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

from kibitz.store import private

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PATIENCE = 0.5  # seconds: somebody may just be looking whether a run is being played
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

# A process loses its locks on a file as soon as it closes it anywhere, so each file is opened once and its runs are counted.
_open_files: dict[Path, tuple[int, set[int]]] = {}


def acquire(store: Path, run: int) -> bool:
    """Take the lock of a run; false if somebody else has it."""
    descriptor, held = _opened(store)
    if run in held:
        return False
    until = time.monotonic() + PATIENCE
    while not (taken := _lock(descriptor, run)) and time.monotonic() < until:
        time.sleep(0.02)
    if taken:
        held.add(run)
    _close_if_unused(store)
    return taken


def release(store: Path, run: int) -> None:
    """Give the lock of a run back."""
    descriptor, held = _opened(store)
    if run in held:
        held.remove(run)
        _unlock(descriptor, run)
    _close_if_unused(store)


def is_held(store: Path, run: int) -> bool:
    """Whether somebody plays this run just now."""
    descriptor, held = _opened(store)
    if run in held:
        return True
    free = _lock(descriptor, run)
    if free:
        _unlock(descriptor, run)
    _close_if_unused(store)
    return not free


def _opened(store: Path) -> tuple[int, set[int]]:
    path = store.with_name(f"{store.name}-locks")
    if path not in _open_files:
        private.create_file(path, private.mode_of(store))  # whoever may write the store may lock its runs
        _open_files[path] = os.open(path, os.O_RDWR), set()
    return _open_files[path]


def _close_if_unused(store: Path) -> None:
    path = store.with_name(f"{store.name}-locks")
    descriptor, held = _open_files[path]
    if not held:
        del _open_files[path]
        os.close(descriptor)


def _lock(descriptor: int, run: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, run, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, run)
    except OSError as error:
        return error.errno in _UNSUPPORTED  # a disk without locks: then nobody can be asked
    return True


def _unlock(descriptor: int, run: int) -> None:
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, run, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, run)
    except OSError:
        pass  # nothing was locked
