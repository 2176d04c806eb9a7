"""Figures as text, JSON, and the place between two markers of a Markdown file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.printable import json_text
from kibitz.core.reading import read_text

BEGIN_MARK = "<!-- results: written by a command -->"
END_MARK = "<!-- end of results -->"
MINUS = "\N{MINUS SIGN}"


def marks_for(title: str) -> tuple[str, str]:
    """The markers around the results of a game, or of a table, that has its own place on a page."""
    return BEGIN_MARK.replace("results", f"{title} results"), END_MARK.replace("results", f"{title} results")


def figure(value: float, error: float | None, digits: int = 2) -> str:
    """A figure with its standard error."""
    return f"{value:.{digits}f} ± {'?' if error is None else f'{error:.{digits}f}'}"


def signed(value: float) -> str:
    """A whole number with its sign."""
    return f"{round(value):+d}".replace("-", MINUS) if round(value) else "0"


def check_marks(path: Path, begin: str = BEGIN_MARK, end: str = END_MARK) -> str:
    """The content of a file that has a place for results."""
    content = read_text(path, "page") if os.path.exists(path) else ""
    if begin not in content or end not in content:
        raise BadValue(f"{path} has no place for the results: it needs the lines '{begin}' and '{end}'.")
    return content


def text_between_marks(path: Path, begin: str, end: str) -> str:
    """What stands between two markers of a file."""
    return check_marks(path, begin, end).partition(begin)[2].partition(end)[0]


def write_between_marks(path: Path, text: str, begin: str = BEGIN_MARK, end: str = END_MARK) -> None:
    """Replace what stands between two markers of a file, all of it or nothing. A file that already says so is left alone."""
    from kibitz.report.files import whole_file  # brings the columns of games, which most users of this module need not wait for

    content = check_marks(path, begin, end)
    before, _, rest = content.partition(begin)
    _, _, after = rest.partition(end)
    written = f"{before}{begin}\n{text}\n{end}{after}"
    if written != content:
        with whole_file(path) as file:
            file.write(written.encode("utf-8"))


def to_json(value: Any) -> str:
    """JSON as we write it to files and pipes."""
    return json_text(value, indent=2)
