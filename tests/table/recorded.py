"""Recorded games, and what somebody heard of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kibitz
from kibitz.play.record import Record, record_of
from kibitz.table.film import film_of_text


def recorded(game: str, bots: Sequence[str], rules: str, seed: int = 3, **more: Any) -> Record:
    return record_of(kibitz.play(bots, seed=seed, game=game, rules=rules, **more))


def heard_in(record: Record, position: int, seat: int | None = None) -> list[tuple[Any, Any]]:
    """What a seat heard of a recorded game until so many actions were taken; without a seat, the one to act then."""
    film = film_of_text(record.to_text())
    return film.heard(int(film.state_at(position).current) if seat is None else seat, position)
