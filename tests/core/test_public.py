"""Texts about a run without the folders of this machine."""

from __future__ import annotations

from typing import Any

import pytest

from kibitz.core.public import public, public_command, public_config, public_names

HOME = "/home/jo doe/bots"
CONFIG: dict[str, Any] = {
    "bots": [f"{HOME}/mine.py:it", "linear:/data/w.npz", "random"],
    "against": None,
    "players": 2,
    "folder": "/home/jo doe",
    "files": {f"{HOME}/mine.py": "0a"},
    "write": "/data/README.md",
}


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["/a/mine.py:it", "mix2:points"], ["mine.py:it", "mix2:points"]),
        (["bots/mine.py"], ["mine.py"]),
        (["/a/b/mine.py:it", "/a/c/mine.py:it"], ["b/mine.py:it", "c/mine.py:it"]),
        (["/a/b/mine.py:one", "/a/c/mine.py:two", "/a/c/mine.py:one"], ["b/mine.py:one", "c/mine.py:two", "c/mine.py:one"]),
        (["/a/b/mine.py:it:depth=3", "/a/b/mine.py:it"], ["mine.py:it:depth=3", "mine.py:it"]),
        (["linear:/a/w.npz", "score:weights=/a/w.json"], ["linear:w.npz", "score:weights=w.json"]),
        (["/a/odd,folder/mine.py:it"], ["mine.py:it"]),
        ([r"C:\bots\mine.py:it"], ["mine.py:it"]),
    ],
)
def test_a_file_is_shown_by_its_name(names: list[str], shown: list[str]) -> None:
    assert list(public_names(names).values()) == shown


def test_files_of_one_name_keep_the_folders_that_tell_them_apart() -> None:
    assert list(public_names(["/x/a/c/mine.py", "/x/b/c/mine.py", "/x/other.py"]).values()) == ["a/c/mine.py", "b/c/mine.py", "other.py"]


def test_a_command_has_neither_folders_nor_a_store() -> None:
    typed = f"kibitz match '{HOME}/mine.py:it' random --store /data/k.db --json '/data/my own.json' --store=/data/k.db"
    assert public_command(typed) == "kibitz match mine.py:it random --json 'my own.json'"
    assert public_command("kibitz match 'unclosed /a/b.py") == "kibitz match ''\"'\"'unclosed' b.py"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"bot {HOME}/mine.py:it in seat 0 raised KeyError", "bot mine.py:it in seat 0 raised KeyError"),
        (f"bot file {HOME}/mine.py has changed", "bot file mine.py has changed"),
        ("kibitz check-bot 'perl /opt/x/bot.pl' --rules classic", "kibitz check-bot 'perl bot.pl' --rules classic"),
        ("no such file: '/etc/x/passwd', and/or 3 / 4", "no such file: 'passwd', and/or 3 / 4"),
        ("see http://example.org/a/b", "see http://example.org/a/b"),
        ("classic;players=2;hands=r7.b6|g8.g2", "classic;players=2;hands=r7.b6|g8.g2"),
    ],
)
def test_a_sentence_has_no_absolute_folder(text: str, shown: str) -> None:
    assert public(text, CONFIG) == shown


def test_json_is_gone_through() -> None:
    figures = {"rows": [{"bot": f"{HOME}/mine.py:it", "games": 3}], "error": None, "pair": ("/a/b", 1.5)}
    assert public(figures, CONFIG) == {"rows": [{"bot": "mine.py:it", "games": 3}], "error": None, "pair": ("b", 1.5)}


def test_a_config_is_shown_without_folders() -> None:
    assert public_config(CONFIG) == {
        "bots": ["mine.py:it", "linear:w.npz", "random"],
        "against": None,
        "players": 2,
        "files": {"mine.py": "0a"},
        "write": "README.md",
    }
    players = [
        {"name": "Ann", "kind": "file", "bot": f"{HOME}/ann/bot.py", "folder": HOME},
        {"name": "Bob", "kind": "trusted", "bot": f"{HOME}/bob/bot.py:B", "folder": HOME},
        {"name": "Cleo", "kind": "command", "bot": f"perl '{HOME}/c.pl'", "folder": HOME},
    ]
    assert public_config({"title": "Cup", "players": players})["players"] == [
        {"name": "Ann", "kind": "file", "bot": "ann/bot.py"},
        {"name": "Bob", "kind": "trusted", "bot": "bob/bot.py:B"},
        {"name": "Cleo", "kind": "command", "bot": "perl 'c.pl'"},
    ]
