"""No function takes more than eight parameters: what needs more is a dataclass of settings."""

from __future__ import annotations

import ast
from pathlib import Path

import kibitz

ROOT = Path(kibitz.__file__).parent
MOST = 8
KERNELS = ("games/", "policies/", "search/", "envs/vector_kernels.py")  # written for the compiler, which has no objects to hand over
EXCEPTIONS = {
    "bots/bot.py:bot",  # the decorator of bot authors: its keywords are what they write
}


def long_signatures() -> set[str]:
    found = set()
    for path in ROOT.rglob("*.py"):
        module = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not module.startswith(KERNELS):
                names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                if len([name for name in names if name not in ("self", "cls")]) > MOST:
                    found.add(f"{module}:{node.name}")
    return found


def test_signatures_are_short() -> None:
    assert long_signatures() == EXCEPTIONS
