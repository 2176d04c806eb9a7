"""Keys at a terminal: those that come too early are dropped, and pages stay until they are dismissed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.terminal.people import lines_of, plain, terminal

# A bot that is at it until somebody opens the other end of a pipe.
SLOW = """
class Slow:
    def choose(self, view):
        open({fifo!r}).close()
        return next(action for action in range(60) if view.is_legal(action))
"""


@pytest.mark.parametrize(
    "command",
    ["hanabi --with {bot} --seed 3", "hanabi --with {bot} --seed 3 --seat 1", "hanabi --with iggi --seed 3 --advice {bot}"],
    ids=["after a move", "before the first question", "adviser"],
)
def test_keys_typed_while_a_bot_thinks_are_dropped(tmp_path: Path, command: str) -> None:
    fifo, bot = tmp_path / "fifo", tmp_path / "slow.py"
    os.mkfifo(fifo)
    bot.write_text(SLOW.format(fifo=str(fifo)))
    with terminal(command.format(bot=bot)) as person:
        if "--seat" in command or "--advice" in command:
            person.wait_for("seed 3.")  # the bot thinks first, and so nothing has been asked yet
        else:
            person.wait_for("Your move?")
            person.press("p1", "…")
        person.type("p2h\x1b[Aq")
        fifo.open("w").close()
        screen = person.wait_for("Your move?")
        assert "Play which slot?" not in screen
        assert f"turn {1 if '--advice' in command else 2 if '--seat' in command else 3}" in screen
        assert "Play which slot?" in person.press("p", "Play which slot?"), "and what is typed afterwards counts"


def test_what_was_typed_for_the_game_is_not_for_the_shell() -> None:
    with terminal("hanabi --with iggi --seed 3") as person:
        person.wait_for("Your move?")
        person.press("qyls -l\n", "--seed 3\n")
        assert person.end() == 0
        assert person.unread() == b""


@pytest.mark.parametrize("rows", [24, 50])
def test_a_page_stays_until_it_is_dismissed(rows: int) -> None:
    with terminal("uno --against mix2 random --seed 5", rows=rows) as person:
        asked = plain(person.wait_for("Your turn"))
        for opening, closing in (("?", "?"), ("?", "\x1b"), ("?", " "), ("?", "\x7f"), ("?", "q")):
            page = person.press(opening, "[Esc] back to the game")
            assert "1 g9  2r wild:r  2g wild:g  2b wild:b  2y wild:y  d draw" in plain(page)
            assert "Your turn" not in page
            assert len(lines_of(page)) <= rows
            person.type("1dpx!\x1b[A\n")  # none of which is an answer now
            assert plain(person.press(closing, "Your turn")) == asked
        assert "You play g9" in plain(person.press("1", "You play"))
