"""JSON from visitors, read and measured before any model sees it.

Pydantic makes one error object for every key it does not know, which takes seconds for a megabyte of them. So unknown keys, too many
values and deep nesting are refused here, at the cost of one look. Large texts are read in a thread, one after the other, while
everyone else is answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from pydantic import TypeAdapter

from kibitz.core.errors import BadValue

MOST_VALUES = 500  # keys and items of all levels together; the largest sensible request has about 100
DEEPEST = 8  # levels of nesting
LARGE = 16 * 1024  # bytes; anything larger is read in a thread

Given = ParamSpec("Given")
Result = TypeVar("Result")


class NotJson(BadValue):
    """Text that is not JSON."""


class Unreadable(NotJson):
    """Text that may be JSON, but with numbers or nesting beyond what can be read."""


def parse(text: str | bytes, what: str) -> Any:
    """The value that a text has, or a sentence about `what` is wrong."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise NotJson(f"{what} is not JSON: {error}.") from error
    except RecursionError as error:
        raise Unreadable(f"{what} is nested too deeply; up to {DEEPEST} levels are accepted.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{what} is not JSON: it is not UTF-8 text.") from error
    except ValueError as error:  # Python reads numbers of up to 4,300 digits
        raise Unreadable(f"{what} has a number with too many digits.") from error


def _refuse_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not a number", name, 0)


def check(value: Any, names: frozenset[str], what: str) -> None:
    """Refuse keys that no field has, and more or deeper values than any request needs."""
    left = MOST_VALUES
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                unknown = next((key for key in part if key not in names), None)
                if unknown is not None:
                    raise BadValue(f"'{unknown[:60]}' is not understood; {what} may have {', '.join(sorted(names))}.")
                inside: Any = part.values()
            elif isinstance(part, list):
                inside = part
            else:
                continue
            left -= len(part)
            if left < 0:
                raise BadValue(f"{what} has too many values; up to {MOST_VALUES} are accepted.")
            below.extend(inside)
        level = below
    if any(isinstance(part, dict | list) for part in level):
        raise BadValue(f"{what} is nested too deeply; up to {DEEPEST} levels are accepted.")


def names_in(adapter: TypeAdapter[Any]) -> frozenset[str]:
    """Every name of a field that a type has, at any level."""
    names: set[str] = set()
    parts: list[Any] = [adapter.json_schema()]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            names.update(part.get("properties", ()))
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
    return frozenset(names)


class Reader:
    """Reads what visitors send: small texts at once, large ones in a thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kibitz-json")

    async def read(self, size: int, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """What a function finds in a text of this size."""
        if size <= LARGE:
            return function(*args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: function(*args, **kwargs))

    async def close(self) -> None:
        """Read nothing more."""
        self._thread.shutdown(cancel_futures=True)
