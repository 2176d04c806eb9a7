"""Tables in Markdown: written for a page, and read back from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class MarkdownTable:
    """A table as it stands on a page, with the bold line above it and the paragraph below, if there are such."""

    headings: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    title: str = ""
    note: str = ""


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A table as lines of Markdown, all but the first columns to the right."""
    rule = [*["---"] * left, *["---:"] * (len(headings) - left)]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)]


def tables_in(text: str) -> list[MarkdownTable]:
    """The tables of a page in order; what stands in a fenced block is none."""
    lines = list(_without_fences(text))
    found = []
    for place in range(1, len(lines)):
        if _RULE.fullmatch(lines[place].strip()) and lines[place - 1].startswith("|"):
            end = next((at for at in range(place + 1, len(lines)) if not lines[at].startswith("|")), len(lines))
            rows = [_cells(line) for line in lines[place + 1 : end]]
            found.append(MarkdownTable(_cells(lines[place - 1]), rows, _title_above(lines, place - 1), _paragraph_at(lines, end)))
    return found


def _without_fences(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield line


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _BAR.split(line.strip().removeprefix("|").removesuffix("|")))


def _title_above(lines: Sequence[str], place: int) -> str:
    """The last line of text above, if all of it is bold."""
    above = next((line.strip() for line in reversed(lines[:place]) if line.strip()), "")
    return above[2:-2] if above.startswith("**") and above.endswith("**") and len(above) > len("****") else ""


def _paragraph_at(lines: Sequence[str], place: int) -> str:
    """The line of text below, if it belongs to no other table."""
    below = next((line.strip() for line in lines[place:] if line.strip()), "")
    return "" if below.startswith(("|", "**", "<!--", "#")) else below
