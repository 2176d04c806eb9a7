"""The definition of a kernel in its file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

from kibitz.core.compiler.value_types import Unsupported

written: dict[CodeType, ast.FunctionDef] = {}  # kernels that are in no file, as `kibitz.core.twins` wrote them


def definition_of(func: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a kernel. Its file must still be what was imported: a kernel is compared with what the file would make of it."""
    code = func.__code__
    if code in written:
        return written[code]
    found = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if found is None or func.__closure__:
        raise Unsupported("a function without a file, or with outer variables")
    definition, compiled = found
    if (compiled.co_code, compiled.co_consts, compiled.co_names) != (code.co_code, code.co_consts, code.co_names):
        raise Unsupported("a file that has been changed since it was imported")
    return definition


@cache
def _definitions(path: str) -> dict[tuple[str, int], tuple[ast.FunctionDef, CodeType]]:
    """All functions of a file by name and first line, which is that of a decorator."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        tree = ast.parse(text)
        codes = {(code.co_name, code.co_firstlineno): code for code in _codes(compile(text, path, "exec", dont_inherit=True))}
    except (OSError, ValueError, SyntaxError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            place = node.name, min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            if place in codes:
                found[place] = node, codes[place]
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)
