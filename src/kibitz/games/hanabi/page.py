"""Hanabi on the pages in the browser."""

from __future__ import annotations

from kibitz.games.page import GamePage

PAGE = GamePage(
    about="Build the fireworks together; you see every hand but your own.",
    table_bots=("piers",),
    table_rules="standard",
    film_bots=("van_den_bergh", "van_den_bergh", "van_den_bergh"),
    run_bots=("piers", "iggi", "van_den_bergh"),
    pictures=("blue-3.svg", "red-5.svg"),
)
