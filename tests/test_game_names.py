"""Only what lies in a folder named after a game knows that game: its name stands nowhere else in the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kibitz
from kibitz import registry

ROOT = Path(kibitz.__file__).parent
OWN = tuple(name for name in registry.BUILT_IN if (ROOT / "games" / name).is_dir())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # UnoTelling has a game's name in it as well
_NAME = re.compile(rf"(?<![a-z])({'|'.join(OWN)})(?![a-z])", re.IGNORECASE)


def names_in(text: str) -> list[str]:
    """The lines of a text with a game's name in them: as a word, or as a part of an identifier."""
    return [line.strip() for line in text.splitlines() if _NAME.search(_CAMEL.sub("_", line))]


@pytest.mark.parametrize("line", ["import kibitz.games.uno.cards", "UnoTelling", "# as in Hanabi", "uno_call = 1", '"hanabi"', "GAME_UNO"])
def test_names_are_noticed(line: str) -> None:
    assert names_in(f"first\n{line}\n") == [line]


def test_other_words_are_let_pass() -> None:
    assert names_in("hanab.live\nunopened\nnuno = junos\n") == []


def test_both_games_of_the_package_are_looked_for() -> None:
    assert OWN == ("uno", "hanabi")


def test_no_module_outside_a_games_folders_names_the_game() -> None:
    modules = [path for path in ROOT.rglob("*.py") if not set(OWN) & set(path.relative_to(ROOT).parts[:-1])]
    assert len(modules) > 150
    found = {path.relative_to(ROOT).as_posix(): names_in(path.read_text(encoding="utf-8")) for path in modules}
    assert {module: lines for module, lines in found.items() if lines} == {}
