"""Lines of the conversation with an outside bot: messages as JSON, strict both ways, and what a bot wrote as part of a sentence."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def as_line(message: dict[str, Any]) -> str:
    """A message as it is written, without the end of the line."""
    return _ENCODER.encode(message)


def from_line(line: bytes) -> Any:
    """What a line says; ValueError or RecursionError if it is not JSON."""
    return _DECODER.decode(line.decode())
