"""Numbers and lists as sentences have them: the small words of messages, reasons and tables."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number of things: `1 card`, `2 cards`; `nouns` if the plural has more than an s."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence lists them: `R1`, `R1 and G2`, `R1, G2 and B3`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
