"""Lines of the conversation with an outside bot: messages as JSON, strict both ways, and what a bot wrote as part of a sentence."""

from __future__ import annotations

import json
import math
import re
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


def printable(text: bytes | str, length: int = 80) -> str:
    """Something a bot wrote, short and without control characters, so that it can stand in a sentence on a terminal."""
    if isinstance(text, bytes):
        text = text[: 4 * length].decode(errors="replace")
    text = re.sub(r"[^\x20-\x7e\xa0-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", text.strip())
    return text if len(text) <= length else text[:length] + "…"
