"""Working folders of outside bots, which may have been filled with anything: how they are deleted."""

from __future__ import annotations

import os
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Delete a folder that a hostile program may have filled: any depth (inner folders are moved up first), any mode, no links followed."""
    if not folder.is_dir():
        return
    os.chmod(folder, 0o700)
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        pending: list[str] = []
        _empty(top, top, pending)
        while pending:
            name = pending.pop()
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            try:
                _empty(inner, top, pending)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)


def _empty(folder: int, top: int, pending: list[str]) -> None:
    """Delete the files of `folder` and move its folders to `top`, where nothing but folders made here is left."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
            continue
        os.chmod(name, 0o700, dir_fd=folder)
        new = os.urandom(16).hex()
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
        pending.append(new)
