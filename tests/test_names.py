"""One noun means one thing: no class and no module name of the package is used for two.

A game's folder may have what another game's has, and what is there without a game (`games/face.py` and `games/uno/face.py`). The layers
of a bot share its name, and a command's module is named after its subject.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import kibitz
from kibitz import registry

ROOT = Path(kibitz.__file__).parent
GAMES = ("uno", "hanabi")
# Modules that every folder of a kind has: a study's, a training's, a search's.
PARALLEL = {"study", "figures", "training", "plan", "decision"}
PACKAGES = {"exact"}  # the solver, and the study that uses it


def game_of(path: Path) -> str:
    """The game whose folder a file is in."""
    return next((part for part in path.parts if part in GAMES), "")


def classes() -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(ROOT))
    return found


def modules() -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        inside = path.relative_to(ROOT)
        if inside.parts[0] != "cli":
            found[inside.parent.name if inside.stem == "__init__" else inside.stem].append(inside)
    return found


def meanings(paths: list[Path]) -> int:
    """How many things a name may stand for: those of different games count as one."""
    games = [game_of(path) for path in paths]
    return max(games.count(game) for game in set(games))


def test_class_names_are_used_for_one_thing() -> None:
    assert {name: paths for name, paths in classes().items() if meanings(paths) > 1} == {}
    shared = {name for name, paths in classes().items() if len(paths) > 1}
    assert shared == {"View", "State", "Event", "Rules"}


def test_module_names_are_used_for_one_thing() -> None:
    bots = {name for game in GAMES for name in registry.game(game).bots}
    allowed = PARALLEL | PACKAGES | bots | set(GAMES)
    twice = {name: paths for name, paths in modules().items() if name not in allowed and meanings(paths) > 1}
    assert twice == {}
