"""A look at the installation: what `kibitz doctor` reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from typing import NamedTuple

from kibitz import __version__, jit
from kibitz.fingerprint import cache_folder
from kibitz.runner.units import worker_count


class Finding(NamedTuple):
    """One thing looked at."""

    ok: bool
    what: str
    found: str
    note: str = ""


def examine() -> list[Finding]:
    """Everything worth knowing before asking why something does not work."""
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    findings = [
        Finding(True, "kibitz", __version__),
        Finding(supported, "Python", platform.python_version(), "" if supported else "3.11 to 3.13 are supported"),
        Finding(True, "processors", str(worker_count(None))),
    ]
    findings += [_package(name) for name in ("numpy", "numba", "llvmlite", "scipy", "typer", "rich")]
    return [*findings, _cache(), _select(), _same_games()]


def _package(name: str) -> Finding:
    try:
        return Finding(True, name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(False, name, "missing", f"install it with: pip install {name}")


def _cache() -> Finding:
    folder = cache_folder()
    base = folder
    while not base.exists():
        base = base.parent
    if not os.access(base, os.W_OK):
        return Finding(
            False,
            "compile cache",
            str(folder),
            "not writable: everything is compiled anew each time; set KIBITZ_CACHE to a folder of yours",
        )
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.exists() else 0
    kept = len([entry for entry in folder.iterdir() if entry.is_dir()]) if folder.exists() else 0
    free = shutil.disk_usage(base).free
    return Finding(
        free > 50e6, "compile cache", f"{folder}: {kept} parts, {size / 1e6:.1f} MB", "" if free > 50e6 else "the disk is nearly full"
    )


def _select() -> Finding:
    fast = jit.has_fast_select()
    return Finding(
        True,
        "bit selection",
        "one instruction" if fast else "a loop",
        "" if fast else "this processor lacks BMI2: a little slower, same games",
    )


def _same_games() -> Finding:
    """Twenty games compiled and plain must agree."""
    from kibitz.arena.evaluation import match

    try:
        compiled, plain = (match(["mix2", "random"], games=20, seed=5, threads=1, jit=use).rows for use in (True, False))
    except Exception as error:
        return Finding(False, "compiled games", f"{type(error).__name__}: {error}", "--no-jit still works")
    return Finding(compiled == plain, "compiled games", "equal to plain Python" if compiled == plain else "differ from plain Python")
