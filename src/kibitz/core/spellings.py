"""Old spellings that are still accepted, each with a hint at the new one.

Options of commands are in the table below. A setting says itself by which name it is stored, and a bot's parameter what it was once called
(`once_named` and `once` of `kibitz.bots.parameters.Parameter`). Whoever types an old spelling gets a hint; what is read from files is
understood silently, and new names are written.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from kibitz.core.errors import OldSpelling

_LEARNING = {"--rate": "--learning-rate", "--trace": "--gae-lambda"}
OPTIONS: Mapping[tuple[str, ...], Mapping[str, str]] = {  # by command
    ("train", "linear"): _LEARNING,
    ("train", "net"): {**_LEARNING, "--guess": "--auxiliary-weight", "--entropy": "--entropy-bonus"},
}

_listeners: list[Callable[[str], None]] = []


def hint(old: str, new: str) -> None:
    """Say that something has a new name: to whoever listens, else as a warning."""
    words = f"{old} is now {new}; the old spelling still works."
    if _listeners:
        _listeners[-1](words)
    else:
        warnings.warn(words, OldSpelling, stacklevel=3)


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Give hints to a listener meanwhile, each once."""
    said: set[str] = set()

    def listen(words: str) -> None:
        if words not in said:
            said.add(words)
            listener(words)

    _listeners.append(listen)
    try:
        yield
    finally:
        _listeners.remove(listen)


@contextmanager
def understood() -> Iterator[None]:
    """Accept old spellings without a hint: for what is read from files that were written then."""
    with heard_by(lambda words: None):
        yield


def modern_words(words: Sequence[str]) -> list[str]:
    """The words of a command line with options as they are called now."""
    named = tuple(word for word in words if not word.startswith("-"))
    known = next((options for command, options in OPTIONS.items() if named[: len(command)] == command), {})
    modern = []
    for word in words:
        option, equals, value = word.partition("=")
        if option in known:
            hint(option, known[option])
            option = known[option]
        modern.append(f"{option}{equals}{value}")
    return modern
