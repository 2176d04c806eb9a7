"""Where compiled code is kept, and under what name.

The name of a folder is a digest of everything a compiled root reaches: code, constants, record layouts, view methods and
the compiler. An edit anywhere leads to a new folder, so a stale file is never loaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from kibitz.records import dtype_of


def cache_folder() -> Path:
    """Where compiled code is kept: KIBITZ_CACHE, else the user's cache folder."""
    chosen = os.environ.get("KIBITZ_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "kibitz"


@contextmanager
def held_alone(folder: Path) -> Iterator[None]:
    """Have a folder of compiled code for this process alone: others that need the same wait, and then find it there instead of compiling it too.

    The system lets go of it if the process dies. Where folders cannot be locked nobody waits, which costs time and nothing else.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    held = None
    try:
        with suppress(OSError):
            held = os.open(folder, os.O_RDONLY)
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # also for children that have inherited it meanwhile
            os.close(held)


def global_names(code: CodeType) -> set[str]:
    """The global names that a function, or one inside it, may look up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= global_names(constant)
    return names


def digest(func: FunctionType, methods: Mapping[str, Mapping[type, FunctionType]], extra: list[str]) -> str:
    """A short name for all that `func` compiles to; any of the view methods may be called by it."""
    seen: dict[FunctionType, None] = {}
    lines = list(extra)
    _describe_reachable(func, seen, lines)
    for name in sorted(methods):
        for cls, method in methods[name].items():
            lines.append(f"{cls.__qualname__}.{name} {dtype_of(cls)}")
            _describe_reachable(method, seen, lines)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:20]


def describe_function(func: FunctionType) -> list[str]:
    """Everything that decides what a function compiles to, but for view methods."""
    lines: list[str] = []
    _describe_reachable(func, {}, lines)
    return lines


def _describe_reachable(func: FunctionType, seen: dict[FunctionType, None], lines: list[str]) -> None:
    if func in seen:
        return
    seen[func] = None
    lines.append(f"{func.__qualname__}:{_describe_code(func.__code__)}:{func.__defaults__!r}:{sorted(vars(func))}")
    for name in sorted(global_names(func.__code__)):
        value = func.__globals__.get(name)
        if isinstance(value, FunctionType):
            _describe_reachable(value, seen, lines)
        elif value is not None:
            lines.append(f"{name}={_describe(value)}")
    lines.extend(_describe(cell.cell_contents) for cell in func.__closure__ or ())


def _describe_code(code: CodeType) -> str:
    constants = ";".join(_describe_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return f"{code.co_code.hex()}|{constants}|{code.co_names}|{code.co_varnames}|{code.co_freevars}"


def _describe(value: Any) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, (int, float, str, bytes, tuple)):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes()!r}"
    return f"{type(value).__name__} {getattr(value, '__qualname__', '')}"
