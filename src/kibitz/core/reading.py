"""How everything that comes from outside is read: files, TOML, JSON and whole numbers.

Whatever is wrong with the input becomes a `BadValue` with one sentence. A file must be a regular file of limited size, so a
folder, a pipe or an endless device is refused before anything is read from it.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import IO, Any

from kibitz.core.carried import place_of
from kibitz.core.errors import BadValue
from kibitz.core.printable import shortened

MEGABYTE = 2**20
SMALL_FILE = 4 * MEGABYTE  # rules, tournaments, bots, pages
LARGE_FILE = 256 * MEGABYTE  # records
LONGEST_NUMBER = 100  # digits of a whole number; no number that we read has more than 20
DEEPEST = 100  # lists and objects inside each other
MOST_DOTS = 1000  # in a line of TOML: the parser's time grows with their square

_TOO_LARGE = 10**LONGEST_NUMBER

DAMAGED = "it is damaged or of another kind"
_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its other end
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


# -- files --


def is_file(path: str | Path) -> bool:
    """Whether there is a regular file; False for names that no file can have, where `Path.is_file` may raise."""
    return os.path.isfile(place_of(path))


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder; False for names that no folder can have."""
    return os.path.isdir(path)


def check_name(path: str | Path, what: str) -> None:
    """Refuse a name that no file can have, before work is done for it."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        raise BadValue(f"{what} {path} cannot be used: {reason(error)}.") from None


def check_kind(path: str | Path, what: str) -> None:
    """Refuse what exists and is not a regular file: opening a pipe would wait forever."""
    check_name(path, what)
    if is_folder(path):
        raise BadValue(f"{what} {path} is a folder.")
    if os.path.exists(path) and not is_file(path):
        raise BadValue(f"{what} {path} is not a regular file.")


def open_file(path: str | Path, what: str, limit: int = SMALL_FILE, missing: str = "") -> IO[bytes]:
    """A regular file of at most `limit` bytes, opened for reading. `missing` says what to do if there is none."""
    try:
        file = os.fdopen(os.open(place_of(path), os.O_RDONLY | _NON_BLOCKING | _BINARY), "rb")
    except FileNotFoundError:
        raise BadValue(f"{what} {path} does not exist{missing}.") from None
    except (OSError, ValueError) as error:
        if is_folder(path):  # which some systems do not open
            raise BadValue(f"{what} {path} is a folder; name a file.") from None
        raise BadValue(f"{what} {path} cannot be read: {reason(error)}.") from None
    found = os.fstat(file.fileno())
    wrong = ""
    if stat.S_ISDIR(found.st_mode):
        wrong = "is a folder; name a file"
    elif not stat.S_ISREG(found.st_mode):
        wrong = "is not a regular file"
    elif found.st_size > limit:
        wrong = f"has {found.st_size:,} bytes; at most {limit:,} are accepted"
    if wrong:
        file.close()
        raise BadValue(f"{what} {path} {wrong}.")
    return file


def read_bytes(path: str | Path, what: str, limit: int = SMALL_FILE, missing: str = "") -> bytes:
    """The content of a file."""
    with open_file(path, what, limit, missing) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise BadValue(f"{what} {path} cannot be read: {reason(error)}.") from None
    if len(content) > limit:  # it has grown since
        raise BadValue(f"{what} {path} has more than {limit:,} bytes, which is the most accepted.")
    return content


def read_text(path: str | Path, what: str, limit: int = SMALL_FILE, missing: str = "") -> str:
    """The content of a text file in UTF-8, with or without a byte order mark; line ends are read as `\\n`."""
    try:
        text = read_bytes(path, what, limit, missing).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadValue(f"{what} {path} is not text: byte {error.start} is not UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def reason(error: OSError | ValueError) -> str:
    """Why a file cannot be opened, read or written."""
    if isinstance(error, OSError):
        return error.strerror or DAMAGED
    return "no file can have this name"  # a NUL character, or one that cannot be encoded


# -- TOML and JSON --


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """A TOML document as a value."""
    if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        raise BadValue(f"{where} cannot be read: a line has more than {MOST_DOTS:,} dots.")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadValue(f"{where} is not TOML: {error}.") from None
    except RecursionError:
        raise BadValue(f"{where} cannot be read: {_TOO_DEEP}.") from None
    except ValueError:  # a number of thousands of digits
        raise BadValue(f"{where} cannot be read: {_TOO_LONG}.") from None
    _check(found, where)
    return found


def parse_json(text: str | bytes, where: str) -> Any:
    """A JSON document as a value."""
    try:
        found = _DECODER.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise BadValue(f"{where} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except UnicodeDecodeError as error:
        raise BadValue(f"{where} is not text: byte {error.start} is not UTF-8.") from None
    except RecursionError:
        raise BadValue(f"{where} cannot be read: {_TOO_DEEP}.") from None
    except ValueError:
        raise BadValue(f"{where} cannot be read: {_TOO_LONG}.") from None
    _check(found, where)
    return found


_TOO_DEEP = "it is nested too deeply"
_TOO_LONG = f"it has a whole number of more than {LONGEST_NUMBER} digits"


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(_TOO_LONG)
    return int(text)


_DECODER = json.JSONDecoder(parse_int=_whole)


def _check(value: Any, where: str) -> None:
    """Refuse what could not be printed in a message: deep nesting, and long numbers, which get past the parser in hexadecimal."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise BadValue(f"{where} cannot be read: {_TOO_DEEP}.")
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, int) and abs(one) >= _TOO_LARGE:
                raise BadValue(f"{where} cannot be read: {_TOO_LONG}.")
        level = inner


# -- whole numbers --


def whole_number(text: str, what: str, low: int = 0, high: int | None = None) -> int:
    """The whole number that a text stands for; `what` names it, as in `players must be 2–10, got 11`."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise BadValue(f"{what} must be a whole number, {_range(low, high)}, got {shortened(text, 40) or 'nothing'}.")
    if len(digits) > LONGEST_NUMBER or (digits != text and low >= 0):
        raise BadValue(f"{what} must be {_range(low, high)}, got {text if len(digits) <= LONGEST_NUMBER else _LONG}.")
    return check_whole(int(text), what, low, high)


def check_whole(value: Any, what: str, low: int = 0, high: int | None = None) -> int:
    """The value itself, if it is a whole number in this range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadValue(f"{what} must be a whole number, {_range(low, high)}, got {shown(value)}.")
    if value < low or (high is not None and value > high):
        raise BadValue(f"{what} must be {_range(low, high)}, got {shown(value)}.")
    return value


def _range(low: int, high: int | None) -> str:
    return f"{low} or more" if high is None else f"{low} to {high}" if low < 0 else f"{low}–{high}"


_LONG = f"a number of more than {LONGEST_NUMBER} digits"


def shown(value: Any) -> str:
    """A value as a message shows it: short, and also where it is a number that Python would not print."""
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        return _LONG
    return shortened(repr(value), 60)
