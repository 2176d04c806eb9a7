"""A look at the installation: what `kibitz doctor` reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from typing import NamedTuple

from kibitz import __version__
from kibitz.core import jit
from kibitz.core.compile_cache import cache_folder, why_untrusted
from kibitz.core.extras import EXTRAS, Extra, extra_of, install_command
from kibitz.runs.units import worker_count


class HealthFinding(NamedTuple):
    """One thing looked at: good, bad, or None for an optional part that is missing."""

    ok: bool | None
    what: str
    found: str
    note: str = ""


def examine() -> list[HealthFinding]:
    """Everything worth knowing before asking why something does not work."""
    supported = (3, 11) <= sys.version_info[:2] <= (3, 14)
    findings = [
        HealthFinding(True, "kibitz", __version__),
        HealthFinding(supported, "Python", platform.python_version(), "" if supported else "3.11 to 3.14 are supported"),
        HealthFinding(True, "processors", str(worker_count(None))),
    ]
    findings += [_package(name) for name in ("numpy", "numba", "llvmlite", "scipy", "typer", "rich")]
    findings += [_optional(package, extra) for extra in EXTRAS.values() for package in extra.costs]
    return [*findings, _cache(), _store(), *_guards(), _select(), _same_games()]


def _package(name: str) -> HealthFinding:
    try:
        return HealthFinding(True, name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return HealthFinding(False, name, "missing", f"install it with: pip install {name}")


def _optional(package: str, extra: Extra) -> HealthFinding:
    """A package that only some commands need."""
    try:
        return HealthFinding(True, package, importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return HealthFinding(None, package, "missing", f"{extra.costs[package]} (extra '{extra.name}', {extra.size})")


def remedies(findings: list[HealthFinding], anywhere: bool = False) -> list[str]:
    """How to install each extra that is missing, as commands; with `anywhere` they may have absolute paths in them."""
    missing = dict.fromkeys(extra_of(finding.what).name for finding in findings if finding.ok is None and finding.found == "missing")
    return [install_command(extra, anywhere) for extra in missing]


def _store() -> HealthFinding:
    """Where runs are kept."""
    from kibitz.core.errors import KibitzError
    from kibitz.runs.database import open_for_reading, store_path
    from kibitz.runs.store import list_runs

    path = store_path()
    if not path.exists():
        return HealthFinding(True, "store", f"{path}: not there yet")
    try:
        with open_for_reading(path) as store:
            return HealthFinding(True, "store", f"{path}: {len(list_runs(store))} runs, {path.stat().st_size / 1e6:.1f} MB")
    except KibitzError as error:
        return HealthFinding(False, "store", str(path), str(error))


def _guards() -> list[HealthFinding]:
    """What keeps outside bots apart on this system."""
    if sys.platform == "win32":
        return [HealthFinding(True, "outside bots", "not on Windows", "tournaments between bots of ours and trusted files work")]
    from kibitz.outside.confine import available_guards

    found = available_guards()
    missing = "; ".join(f"{name}: {state.removeprefix('no: ')}" for name, state in found.items() if not state.startswith("yes"))
    there = ", ".join(name for name, state in found.items() if state.startswith("yes"))
    return [
        HealthFinding(
            False if "all" in found else None if missing else True,
            "guards of outside bots",
            there or "none",
            f"missing {missing} (see docs/isolation.md)" if missing else "",
        )
    ]


def _cache() -> HealthFinding:
    folder = cache_folder()
    base = folder
    while not base.exists():
        base = base.parent
    if not os.access(base, os.W_OK):
        return HealthFinding(
            False,
            "compile cache",
            str(folder),
            "not writable: everything is compiled again each time; set KIBITZ_CACHE to a folder of your own",
        )
    untrusted = why_untrusted(folder) if folder.exists() else ""
    if untrusted:
        return HealthFinding(
            False, "compile cache", str(folder), f"not used, everything is compiled again each time: {untrusted}; chmod 700 it"
        )
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.exists() else 0
    kept = len([entry for entry in folder.iterdir() if entry.is_dir()]) if folder.exists() else 0
    free = shutil.disk_usage(base).free
    return HealthFinding(
        free > 50e6, "compile cache", f"{folder}: {kept} parts, {size / 1e6:.1f} MB", "" if free > 50e6 else "the disk is nearly full"
    )


def _select() -> HealthFinding:
    fast = jit.has_fast_select()
    return HealthFinding(
        True,
        "bit selection",
        "one instruction" if fast else "a loop",
        "" if fast else "this processor lacks BMI2: a little slower, same games",
    )


def _same_games() -> HealthFinding:
    """Twenty games compiled and plain must agree."""
    from kibitz.play.lineup import make_lineup
    from kibitz.play.playing import play_compiled, play_plain
    from kibitz.runs.units import Unit

    try:
        compiled, plain = (list(way(make_lineup(["mix2", "random"]), 5, Unit(0, 20))) for way in (play_compiled, play_plain))
    except Exception as error:
        return HealthFinding(False, "compiled games", f"{type(error).__name__}: {error}", "--no-jit still works")
    return HealthFinding(compiled == plain, "compiled games", "equal to plain Python" if compiled == plain else "differ from plain Python")
