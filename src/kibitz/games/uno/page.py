"""UNO on the pages in the browser."""

from __future__ import annotations

from kibitz.games.page import GamePage

PAGE = GamePage(
    about="Get rid of your cards first.",
    notice="UNO is a trademark of Mattel; Kibitz is not affiliated with Mattel.",
    table_bots=("champion", "mix2"),
    table_rules="official",
    film_bots=("champion", "mix2", "greedy"),
    run_bots=("mix2", "greedy", "random"),
    pictures=("red-4.svg", "yellow-7.svg", "wild.svg", "blue-skip.svg"),
)
