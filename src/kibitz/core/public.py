"""What others may read of a run: texts without the folders of this machine.

The store keeps full paths, since a run is resumed with the same files. Pages, tables and JSON of stored runs show a file by its name, with
as many folders as it takes to tell it from another file of that name.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_FOLDERS = re.compile(r"(?<![^=:,])(?:[A-Za-z]:)?[^=:,]*[/\\]")  # in a word: before a file's name
_ABSOLUTE = re.compile(
    r"(?<![^\s'\"=:,(<])(?:[A-Za-z]:[/\\]|~?/|\\\\)(?![/\s])(?:[^\s'\"=:,;|()<>]*[/\\])?"
)  # in a sentence: an absolute folder
_PYTHON_FILE = re.compile(r"(.*?\.py)(?=:|$)(.*)", re.DOTALL)


def public_names(names: Iterable[str]) -> dict[str, str]:
    """How bots are shown: a file without its folders, or with as few as tell it from other files of that name."""
    files = {name: _PYTHON_FILE.fullmatch(name) for name in names}
    short = _short_files({found[1] for found in files.values() if found})
    return {name: short[found[1]] + _FOLDERS.sub("", found[2]) if found else _FOLDERS.sub("", name) for name, found in files.items()}


def _short_files(files: Collection[str]) -> dict[str, str]:
    """The last part of each path, or as many of the last parts as no other path has."""
    parts = {file: re.split(r"[/\\]", file) for file in files}
    ends = Counter("/".join(path[start:]) for path in parts.values() for start in range(len(path)))

    def short(path: list[str]) -> str:
        by_length = ["/".join(path[start:]) for start in range(len(path) - 1, -1, -1)]
        return next((end for end in by_length if ends[end] == 1), by_length[-1])

    return {file: short(path) for file, path in parts.items()}


def public_command(command: str) -> str:
    """A command line without its store, and with files by their names."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    kept = [
        word for place, word in enumerate(words) if word.partition("=")[0] != "--store" and words[max(place - 1, 0) : place] != ["--store"]
    ]
    shown = public_names(kept)
    return shlex.join(shown[word] for word in kept)


def public(value: T, config: Mapping[str, Any], keep: Collection[str] = ()) -> T:
    """A text, or JSON made of texts, about a run with this config: its bots and files by name, and no absolute folder.

    What JSON has under a key of `keep` stays as it is.
    """
    shown: T = _public(value, _substitutes(config), keep)
    return shown


def _public(value: Any, substitutes: Mapping[str, str], keep: Collection[str]) -> Any:
    if isinstance(value, str):
        for full, short in substitutes.items():
            value = value.replace(full, short)
        return _ABSOLUTE.sub("", value)
    if isinstance(value, Mapping):
        return {_public(key, substitutes, ()): each if key in keep else _public(each, substitutes, keep) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_public(each, substitutes, keep) for each in value)
    return value


def public_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A run's config as it is shown: no folder in it."""
    shown = {key: value for key, value in config.items() if key != "folder"}
    if _players(config):
        shown["players"] = [{key: value for key, value in player.items() if key != "folder"} for player in _players(config)]
    return public(shown, config)


def _players(config: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Who takes part in a tournament; other runs have a number there."""
    players = config.get("players")
    return [player for player in players if isinstance(player, Mapping)] if isinstance(players, (list, tuple)) else ()


def _substitutes(config: Mapping[str, Any]) -> dict[str, str]:
    """What the config says of files on this machine, the longest first, and how it is shown. A damaged config may say anything."""
    players = _players(config)
    names = [*_texts(config.get("bots")), *_texts(config.get("with")), *_texts([config.get("against")])]
    names += _texts(player.get("bot") for player in players if player.get("kind") in ("file", "trusted"))
    files = [*_texts(config.get("files")), *(file for player in players for file in _texts(player.get("files")))]
    known = {**public_names(files), **public_names(names)}
    folders = _texts([config.get("folder"), *(player.get("folder") for player in players)])
    known |= {f"{folder}/": "" for folder in folders if folder and folder != "."}
    return {full: known[full] for full in sorted(known, key=len, reverse=True) if re.search(r"[/\\]", full) and full != known[full]}


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, Iterable) and not isinstance(values, str) else []
