"""Who is playing a run: a lock that the system itself gives back when its holder dies, however it dies.

Beside the store lies a file of locks; byte N of it belongs to run N. Locks of a process are not inherited by others it
starts, so a worker that outlives its killed parent holds nothing.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kibitz.runs import private

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PATIENCE = 0.5  # seconds: somebody may just be looking whether a run is being played
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

# A process loses its locks on a file as soon as it closes it anywhere, so each file is opened once and its runs are counted.
_open_files: dict[Path, tuple[int, set[int]]] = {}


_guard = threading.RLock()  # a signal may come while its own thread has it


def _new_guard() -> None:
    global _guard
    _guard = threading.RLock()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_new_guard)  # the thread that had it is not there


def acquire(store: Path, run: int) -> bool:
    """Take the lock of a run; false if somebody else has it."""
    until = time.monotonic() + PATIENCE
    while True:
        with _opened(store) as (descriptor, held):
            if run in held:
                return False
            if _lock(descriptor, run):
                held.add(run)
                return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)


def release(store: Path, run: int) -> None:
    """Give the lock of a run back."""
    with _opened(store) as (descriptor, held):
        if run in held:
            held.remove(run)
            _unlock(descriptor, run)


def is_held(store: Path, run: int) -> bool:
    """Whether somebody plays this run just now."""
    with _opened(store) as (descriptor, held):
        if run in held:
            return True
        free = _lock(descriptor, run)
        if free:
            _unlock(descriptor, run)
        return not free


@contextmanager
def _opened(store: Path) -> Iterator[tuple[int, set[int]]]:
    """The file of locks and which of them this process has; no other thread gets at it meanwhile."""
    path = store.with_name(f"{store.name}-locks")
    with _guard:
        if path not in _open_files:
            private.create_file(path, private.mode_of(store))  # whoever may write the store may lock its runs
            _open_files[path] = os.open(path, os.O_RDWR), set()
        descriptor, held = _open_files[path]
        try:
            yield descriptor, held
        finally:
            if not held and _open_files.pop(path, None) is not None:
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
