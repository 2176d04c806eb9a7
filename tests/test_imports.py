"""Imports go one way, and only the compiler knows Numba."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import kibitz

# Whatever stands further left may be imported by what stands further right.
ORDER = (
    "core",
    "stats",
    "games",
    "policies",
    "search",
    "bots",
    "registry",
    "runs",
    "play",
    "outside",
    "report",
    "experiments",
    "terminal",
    "envs",
    "table",
    "cli",
)
ROOT = Path(kibitz.__file__).parent
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
ON_TOP = ("__init__.py", "__main__.py")  # the package itself stands above everything
PACKAGE_FACTS = {"__version__"}  # may be read from anywhere
COMPILERS = {"numba", "llvmlite"}
USERS_OF_NUMBA = ("core/jit", "core/machine_code", "core/intrinsics", "core/twins", "core/stopping", "core/compiler")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


def part_of(module: str) -> str:
    return module.split("/")[0].removesuffix(".py")


def imported_modules(module: str) -> Iterator[str]:
    """Every name that a module imports, with its full path: `kibitz.games.uno.cards.DRAW`."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively; absolute imports are the house style"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_parts(module: str) -> set[str]:
    own = [name.split(".") for name in imported_modules(module)]
    return {path[1] for path in own if path[0] == "kibitz" and len(path) > 1} - PACKAGE_FACTS


def compiler_imports(module: str) -> list[tuple[str, bool]]:
    """What a module imports from Numba or LLVM, and whether inside a function."""
    tree = tree_of(module)
    lazy = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in lazy) for alias in node.names if alias.name.split(".")[0] in COMPILERS]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in COMPILERS:
            found += [(f"{node.module}.{alias.name}", id(node) in lazy) for alias in node.names]
    return found


def test_every_module_has_its_place() -> None:
    assert len(MODULES) > 30
    assert {part_of(module) for module in MODULES if module not in ON_TOP} <= set(ORDER)


def test_modules_import_only_what_stands_before_them() -> None:
    allowed = {part: set(ORDER[: place + 1]) for place, part in enumerate(ORDER)}
    found = {module: imported_parts(module) - allowed[part_of(module)] for module in MODULES if module not in ON_TOP}
    assert {module: parts for module, parts in found.items() if parts} == {}


def test_only_the_compiler_imports_numba() -> None:
    found = {module: compiler_imports(module) for module in MODULES if not module.startswith(USERS_OF_NUMBA)}
    assert {module: names for module, names in found.items() if names} == {}


def test_compiler_imports_numba_only_when_something_is_compiled() -> None:
    found = [name for module in MODULES if module.startswith(USERS_OF_NUMBA) for name in compiler_imports(module)]
    assert found
    assert all(lazy for _, lazy in found)


def test_everything_can_be_imported_without_numba() -> None:
    names = [
        ".".join(["kibitz", *module.removesuffix(".py").removesuffix("__init__").strip("/").split("/")]).rstrip(".") for module in MODULES
    ]
    program = "import importlib, sys\n" + "\n".join(f"importlib.import_module({name!r})" for name in names if not name.endswith("__main__"))
    program += "\nassert not {'numba', 'llvmlite'} & set(sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
