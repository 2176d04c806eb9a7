"""Old module names still import: `kibitz.arena.game` is `kibitz.play.game`, with a hint.

`import kibitz` puts a finder before Python's own. It answers for the names listed here and hands out the module that has the new name, so
that there is never a second copy of one.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

# Old and new names below `kibitz`, modules and whole folders; of several that fit, the longest counts.
RENAMED = {
    "errors": "core.errors",
    "printable": "core.printable",
    "extras": "core.extras",
    "reading": "core.reading",
    "public": "core.public",
    "records": "core.layouts",
    "fingerprint": "core.compile_cache",
    "primitives": "core.primitives",
    "stopping": "core.stopping",
    "compiler": "core.compiler",
    "jit": "core.jit",
    "seeds": "core.seeds",
    "search.valuation": "policies.valuation",
    "bots.weight_files": "policies.weight_files",
    "games.messages": "games.message_fields",
    "games.page": "games.face",
    "runner": "runs",
    "report.drawing": "report.plotting",
    "report.page": "report.html_page",
    "report.page_tables": "report.html_page",
    "report.plots": "report.plotting",
    "report.reasons": "report.explanation",
    "report.run_page": "experiments.result_page",
    "report.study_pages": "report.study_tables",
    "report.tables": "report.formatting",
    "report.telling.names": "report.telling.spoken_names",
    "report.tournament_plots": "experiments.tournament.tournament_plots",
    "report.tournament_tables": "experiments.tournament.tournament_tables",
    "stats.luck": "stats.control_variates",
    "stats.skill": "stats.skill_and_luck",
    "store": "runs",
    "store.runs": "runs.store",
    "store.games": "experiments.stored_games",
    "store.kept_games": "outside.kept_games",
    "store.tables": "runs.kept_tables",
    "arena": "play",
    "arena.deal": "play.loop",
    "arena.player": "play.seat",
    "arena.outlook": "play.advice",
    "arena.outside": "outside",
    "arena.tournament": "experiments.tournament",
    "arena.tournament.play": "experiments.tournament.rounds",
    "arena.tournament.results": "experiments.tournament.standings",
    "arena.batch": "experiments.batch",
    "arena.comparison": "experiments.comparison",
    "arena.evaluation": "experiments.measurement",
    "arena.luck": "experiments.luck_correction",
    "arena.plan": "experiments.measurement",
    "arena.results": "experiments.results",
    "arena.sides": "experiments.sides",
    "arena.verdict": "experiments.verdict",
    "arena.exact": "experiments.studies.exact",
    "table.advice": "table.advising",
    "table.films": "table.film",
    "table.messages": "table.viewer_messages",
    "table.runs": "table.browser_runs",
    "table.table": "table.game_table",
    "table.tables": "table.open_tables",
    "terminal.advice": "terminal.session",
    "search.exact.tree": "experiments.studies.exact.game_tree",
    "search.exact.policy": "experiments.studies.exact.walk",
    "search.exact.values": "experiments.studies.exact.values",
    "learn": "experiments.tune",
    "learn.task": "experiments.tune.tuning",
    "learn.checkpoint": "experiments.training.checkpoint",
}
_PACKAGE = "kibitz"


def _of_games() -> dict[str, str]:
    """The old names of what belongs to one game alone: pairs of an old and a new name, a line each, in `old_names.txt` of its folder."""
    texts = [path.read_text(encoding="utf-8") for path in (Path(__file__).parents[1] / "games").glob("*/old_names.txt")]
    pairs = [line.split() for text in texts for line in text.splitlines() if line]
    return {old: new for old, new in pairs}  # noqa: C416 - two words a line


RENAMED |= _of_games()


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
    """Finds modules by their old names."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where a module is now."""
        new = new_name(name)
        found = importlib.util.find_spec(new) if new else None
        if new is None or found is None:
            return None
        if found.submodule_search_locations is not None:
            return ModuleSpec(name, _OldFolder, is_package=True)  # type: ignore[arg-type]  # the methods that importing uses
        warnings.warn(f"{name} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Renamed(new))  # type: ignore[arg-type]  # likewise


def accept_old_names() -> None:
    """From now on, old names import."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
