"""Files and folders that only their owner may read: a store holds the seeds of games that are still being played."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(path: Path) -> None:
    """Create a folder, with those above it, for its owner alone; one that exists is left as it is."""
    if path.is_dir():
        return
    make_folder(path.parent)
    try:
        path.mkdir(FOLDER_MODE)
    except FileExistsError:
        if not path.is_dir():
            raise
    else:
        path.chmod(FOLDER_MODE)  # whatever the umask is


def create_file(path: Path, mode: int = FILE_MODE) -> None:
    """Create an empty file with this mode, whatever the umask is; one that exists is left as it is."""
    try:
        descriptor = os.open(os.path.realpath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        return
    try:
        if os.name != "nt":
            os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def write_file(path: Path, text: str) -> None:
    """Write a text file for its owner alone."""
    create_file(path)
    path.write_text(text, encoding="utf-8")


def mode_of(path: Path) -> int:
    """The mode for a file beside this one: who may read and write this one may read and write that one."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o666
    except OSError:
        return FILE_MODE


def take_from_others(path: Path) -> bool:
    """Take a file of ours away from everybody else; whether others could read or write it until now."""
    if os.name == "nt" or not path.exists():
        return False
    found = path.stat()
    if found.st_uid != os.geteuid() or not found.st_mode & _OTHERS:
        return False
    path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    return True
