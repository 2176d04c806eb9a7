"""Old names still import, with a hint: `kibitz.arena.game` is `kibitz.play.game`, and `Step` in it is `PlayedStep`.

`old_names.txt`, here and in the folders of the games, lists them: an old and a new name per line, below `kibitz`. A line without a colon
is about a module or a whole folder; one with a colon, `arena.game:Step play.game:PlayedStep`, about a name in a module of version 0.1.

`import kibitz` puts a finder before Python's own. For the old name of a module it hands out the module that has the new name, so that
there is never a second copy of one. A module with old names in it gets a `__getattr__` that knows them, whenever it is first imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_PACKAGE = "kibitz"
_HERE = os.path.dirname(__file__)
_GAMES = os.path.join(os.path.dirname(_HERE), "games")


def _pairs(folder: str) -> list[tuple[str, str]]:
    """The old and new names that a folder lists."""
    try:
        with open(os.path.join(folder, "old_names.txt"), encoding="utf-8") as file:
            words = file.read().split()
    except OSError:  # most folders have no list
        return []
    return list(zip(words[::2], words[1::2], strict=True))


PAIRS = [pair for folder in (_HERE, *(os.path.join(_GAMES, name) for name in sorted(os.listdir(_GAMES)))) for pair in _pairs(folder)]
# Modules and whole folders; of several that fit, the longest counts.
RENAMED = {old: new for old, new in PAIRS if ":" not in old}
# By the module that they were in: old names, and what they are now.
NAMES: dict[str, dict[str, str]] = {}
for _old, _new in PAIRS:
    _module, _colon, _name = _old.partition(":")
    if _colon:
        NAMES.setdefault(_module, {})[_name] = _new


def new_name(name: str) -> str | None:
    """The present name of a module that had another one; None if it never had."""
    parts = name.split(".")
    if parts[0] != _PACKAGE:
        return None
    for length in range(len(parts) - 1, 0, -1):
        found = RENAMED.get(".".join(parts[1 : length + 1]))
        if found:
            return ".".join([_PACKAGE, found, *parts[length + 1 :]])
    return None


def _old_names() -> dict[str, dict[str, str]]:
    """The old names in each module of today: two modules that had other names may be one now."""
    found: dict[str, dict[str, str]] = {}
    for module, names in NAMES.items():
        full = f"{_PACKAGE}.{module}"
        found.setdefault(new_name(full) or full, {}).update(names)
    return found


_OLD_NAMES = _old_names()


def _serve(names: dict[str, str], module: str, name: str) -> Any:
    """What an old name in a module stands for, with a hint; the `__getattr__` of the module."""
    if name not in names:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    home, _, present = f"{_PACKAGE}.{names[name]}".partition(":")
    if sys._getframe(1).f_code.co_name != "_handle_fromlist":  # `from folder import name` looks whether the name is there, then gets it
        warnings.warn(f"{module}.{name} is now {home}.{present}", DeprecationWarning, stacklevel=2)
    return getattr(importlib.import_module(home), present)


def _serving(names: dict[str, str], run: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """`run`, which fills a module, for one that also has old names."""

    def fill(module: ModuleType) -> None:
        module.__dict__["__getattr__"] = partial(_serve, names, module.__name__)
        run(module)

    return fill


class _Gone:
    """Makes a module that exists no more, for the sake of the names that it had."""

    def __init__(self, names: dict[str, str]) -> None:
        self.exec_module = _serving(names, lambda module: None)

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """An ordinary one."""


class _Renamed:
    """Loads a module under its old name: the very module that has the new one."""

    def __init__(self, new: str) -> None:
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself."""
        module = importlib.import_module(self.new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run twice; importing has changed what the module says of itself, so that is put back."""
        module.__spec__ = self._spec

    def get_code(self, name: str) -> Any:
        """What `python -m` runs."""
        spec = importlib.util.find_spec(self.new)
        assert spec is not None and spec.loader is not None
        return spec.loader.get_code(self.new)  # type: ignore[attr-defined]  # loaders of files have it


class _Folder(ModuleType):
    """A folder by its old name: its modules are found one by one, whatever else it had is in the new one."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        new = new_name(self.__name__)
        assert new is not None
        return getattr(importlib.import_module(new), name)


class _OldFolder:
    """Makes a folder by its old name."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """An empty one."""
        return _Folder(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """There is nothing in it to run."""


class _Finder:
    """Finds modules by their old names, and those with old names in them."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where a module is now."""
        new = new_name(name)
        names = _OLD_NAMES.get(new or name)
        if new is None and names is None:
            return None
        found = importlib.util.find_spec(new) if new else PathFinder.find_spec(name, path)
        if found is None:
            known = NAMES.get(name.partition(".")[2])
            return ModuleSpec(name, _Gone(known)) if known else None  # type: ignore[arg-type]  # the methods that importing uses
        if new is None:
            assert names is not None and found.loader is not None
            found.loader.exec_module = _serving(names, found.loader.exec_module)  # type: ignore[assignment,method-assign]  # of this one
            return found
        if found.submodule_search_locations is not None:
            return ModuleSpec(name, _OldFolder, is_package=True)  # type: ignore[arg-type]  # likewise
        warnings.warn(f"{name} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Renamed(new))  # type: ignore[arg-type]  # likewise


def accept_old_names() -> None:
    """From now on, old names import."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
