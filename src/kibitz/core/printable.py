"""Text from outside (files, stores, bots) made safe to print: nothing in it can control a terminal or break a sentence.

Only what is shown goes through here. Files and records keep the text as it is.
"""

from __future__ import annotations

import json
import re
from typing import Any

MARK = "\N{REPLACEMENT CHARACTER}"  # stands for each character that is not shown

# Control characters (C0, DEL, C1), line and paragraph separators, surrogates, noncharacters, and characters that change the direction of text.
_SEPARATORS, _DIRECTIONS = "\u2028\u2029", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(map(chr, (plane + last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))))
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"  # without the tab and the end of a line
UNSAFE = re.compile(f"[{_CONTROLS}{_SEPARATORS}{_DIRECTIONS}\ud800-\udfff{_NONCHARACTERS}]")

LONGEST_WORD, LONGEST_SENTENCE = 300, 1000


def printable(text: str | bytes, length: int | None = None, lines: bool = False) -> str:
    """Text with a replacement character for each unsafe one, at most `length` characters of it.

    Tabs and line ends become spaces, unless it may have several `lines`.
    """
    if isinstance(text, bytes):
        text = (text if length is None else text[: 4 * length + 4]).decode(errors="replace")
    text = UNSAFE.sub(MARK, text)
    if not lines:
        text = text.replace("\n", " ").replace("\t", " ")
    return text if length is None else shortened(text.strip(), length)


def shortened(text: str, most: int) -> str:
    """Text cut to so many characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON that reads back as it was; in it unsafe characters are written as their numbers."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return UNSAFE.sub(lambda character: json.dumps(character[0])[1:-1], text)


def facts_of(record: object, *names: str) -> dict[str, Any]:
    """Some attributes by name, as they stand in JSON."""
    return {name: getattr(record, name) for name in names}


def sentence(text: str) -> str:
    """A message on one line: printable, and with the middle left out of words and sentences that are too long to read."""
    text = printable(text)
    if len(text) > LONGEST_WORD:
        text = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: _without_middle(word[0], 80, 20), text)
    return text if len(text) <= LONGEST_SENTENCE else _without_middle(text, 600, 300)


def _without_middle(text: str, first: int, last: int) -> str:
    return f"{text[:first]}…{text[-last:]}"
