"""Where compiled code is kept, and under what name.

The name of a folder is a digest of everything a compiled root reaches: code, constants, record layouts, view methods and
the compiler. An edit anywhere leads to a new folder, so a stale file is never loaded.
"""

from __future__ import annotations

import dis
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from kibitz.core import machine_code
from kibitz.core.layouts import dtype_of
from kibitz.core.primitives import BASES, ELEMENTS


def cache_folder() -> Path:
    """Where compiled code is kept: KIBITZ_CACHE, else the user's cache folder."""
    chosen = os.environ.get("KIBITZ_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "kibitz"


def is_kept(name: str) -> bool:
    """Whether a piece of compiled code is in the cache; an interrupted compilation leaves a folder without any."""
    return machine_code.file_in(cache_folder() / name).exists()


class UntrustedCache(Exception):
    """Compiled code in the cache folder may not be loaded, or can't be kept there; the message says why and what to do."""


@contextmanager
def open_cache(name: str) -> Iterator[Path]:
    """The folder for one piece of compiled code, made with mode 0700 where it does not exist, for this process alone.

    Loading compiled code runs it, so other users must not be able to put any there: the cache, the folder and all files in it
    belong to this user, nobody else may write to them, and nobody else can swap a folder on the way to them.
    """
    cache = cache_folder()
    folder = cache / name
    with ExitStack() as held:
        try:
            cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            held.enter_context(held_alone(folder))
            reason = why_untrusted(cache) or next(filter(None, map(_why_not_ours, (folder, *sorted(folder.rglob("*"))))), "")
        except OSError as error:
            raise UntrustedCache(
                f"compiled code can't be kept in {cache}: {error.strerror}; set KIBITZ_CACHE to a folder of your own to compile only once."
            ) from error
        if reason:
            raise UntrustedCache(
                f"compiled code in {cache} is not used, because {reason}; make the folder yours alone (chmod 700), delete it, "
                "or set KIBITZ_CACHE to another one."
            )
        yield folder


def why_untrusted(cache: Path) -> str:
    """Why compiled code in this folder could come from another user; empty if it could not."""
    if os.name != "posix":
        return ""
    return next(filter(None, (_why_not_ours(cache.resolve()), *map(_why_replaceable, cache.resolve().parents))), "")


def _why_not_ours(path: Path) -> str:
    """Why a folder or file of the cache could have been written by somebody else."""
    if os.name != "posix":
        return ""
    status = path.lstat()
    if status.st_uid != os.geteuid():
        return f"{path} belongs to another user"
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        return f"{path} is neither a folder nor a file"
    return f"other users can write to {path}" if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _why_replaceable(folder: Path) -> str:
    """Why somebody else could replace what is in a folder above the cache. A sticky folder such as /tmp protects its entries."""
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        return f"{folder} belongs to another user"
    if status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid)):
        return f"other users can write to {folder}"
    return ""


def _is_private_group(group: int) -> bool:
    """Whether a group is the user's private one, by the usual convention that both have the same name."""
    import grp
    import pwd

    with suppress(KeyError):
        return grp.getgrgid(group).gr_name == pwd.getpwuid(os.geteuid()).pw_name
    return False


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


_GLOBAL, _EXTENDED = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]


def global_names(code: CodeType) -> set[str]:
    """The global names that a function, or one inside it, looks up; names behind a dot are not among them."""
    names, steps, high = set(), code.co_code, 0
    for operation, low in zip(steps[::2], steps[1::2], strict=True):
        argument = high << 8 | low
        high = argument if operation == _EXTENDED else 0
        if operation == _GLOBAL:
            names.add(code.co_names[argument >> 1])  # the lowest bit says whether it is called
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


def reachable_functions(func: FunctionType) -> set[FunctionType]:
    """A function and all that it reaches by global names."""
    found, left = {func}, [func]
    while left:
        reached = left.pop()
        values = (reached.__globals__.get(name) for name in global_names(reached.__code__))
        left += [value for value in values if isinstance(value, FunctionType) and value not in found]
        found.update(left)
    return found


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
    lines.extend(_describe_layouts(func))
    for name in sorted(global_names(func.__code__)):
        _describe_named(name, func.__globals__.get(name), frozenset(func.__code__.co_names), seen, lines)
    lines.extend(_describe(cell.cell_contents) for cell in func.__closure__ or ())


def _describe_named(name: str, value: Any, attributes: frozenset[str], seen: dict[FunctionType, None], lines: list[str]) -> None:
    """What a name stands for; of a module what its user could mean by these `attributes`."""
    if isinstance(value, ModuleType):
        for attribute in sorted(attributes & vars(value).keys()):
            _describe_named(f"{name}.{attribute}", vars(value)[attribute], attributes - {attribute}, seen, lines)
        return
    value = getattr(value, "py_func", value)  # of what a user compiled with Numba's own decorator
    if isinstance(value, FunctionType):
        _describe_reachable(value, seen, lines)
    elif value is not None:
        lines.append(f"{name}={_describe(value)}")


def _describe_layouts(func: FunctionType) -> list[str]:
    """The layouts that a kernel which shows one record as another, or a part of it, has compiled into it: its code doesn't mention them."""
    if func in BASES:
        return [_layout(BASES[func])]
    if func in ELEMENTS:
        cls, field, element = ELEMENTS[func]
        return [f"{field} of {_layout(cls)}", _layout(element)]
    return []


@cache
def _layout(cls: type) -> str:
    return str(dtype_of(cls))


def _describe_code(code: CodeType) -> str:
    constants = ";".join(_describe_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return f"{code.co_code.hex()}|{constants}|{code.co_names}|{code.co_varnames}|{code.co_freevars}"


def _describe(value: Any) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, tuple):
        return f"{type(value).__name__} ({', '.join(map(_describe, value))})"
    if isinstance(value, (int, float, str, bytes, np.generic)):
        return f"{type(value).__name__} {value!r}"  # a Word isn't the number that it looks like
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes()!r}"
    return f"{type(value).__name__} {getattr(value, '__qualname__', '')} {getattr(value, 'layout_of_record', '')}"
