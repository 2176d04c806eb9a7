"""What a game adds to the pages in the browser, beside its definition: a sentence about it, who is suggested to play, files of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GamePage:
    """All of it can be left out: the page then has a plain board, with the view as text and a button for each action.

    `folder` may have a `face.js`, a module that exports the game's own board and words (table/static/types.d.ts lists what may be
    in it), a `style.css`, and pictures; it is served at /static/games/NAME/. Without a folder, table/static/games/NAME is used if
    there is one.
    """

    about: str = ""  # in a sentence, below its title
    notice: str = ""  # at the foot of every page, such as whose trademark the name is
    table_bots: tuple[str, ...] = ()  # suggested to a person who opens a table; those that don't play with so many are left out
    table_rules: str = ""  # suggested with them; by default the game's usual rules
    film_bots: tuple[str, ...] = ()  # suggested for watching
    run_bots: tuple[str, ...] = ()  # suggested for a run
    pictures: tuple[str, ...] = ()  # cards, files in the folder: the first stands for the game, others adorn the lobby
    folder: Path | None = None


PLAIN_PAGE = GamePage()  # of a game that adds nothing
