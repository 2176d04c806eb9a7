"""Films, advice and judgements as the server asks for them: from what was sent to what is sent back. All of it runs in threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.seeds import fresh_seed
from kibitz.experiments.stored_games import Part, deal_of_part
from kibitz.play.hearing import states_of
from kibitz.table.advice import advise
from kibitz.table.analysis import judge
from kibitz.table.film import Film, film_of_bots, film_of_live, film_of_played, film_of_text, time_limit
from kibitz.table.live import LiveGame
from kibitz.table.schemas import BotsAsked

Found = Iterator[dict[str, Any]]


# -- films --


def film_from_record(record: str) -> dict[str, Any]:
    """The film of a record in any of our forms, or hanab.live's."""
    return film_of_text(record).to_json()


def film_from_bots(asked: BotsAsked, stop: threading.Event | None = None) -> dict[str, Any]:
    """The film of a game that bots play now, until nobody waits for it."""
    seed = fresh_seed() if asked.seed is None else asked.seed
    return film_of_bots(asked.bots, asked.game, asked.rules, seed, asked.index, asked.seating, asked.to, asked.deal, stop).to_json()


def film_from_run(part: Part, game: int, deal: int, stop: threading.Event | None = None) -> dict[str, Any]:
    """The film of one deal of a stored game, played again until nobody waits for it."""
    played, is_last = deal_of_part(part, game, deal, time_limit(stop))
    return film_of_played(played, is_last, part.lineup.to).to_json()


def film_from_table(live: LiveGame, deal: int) -> dict[str, Any]:
    """The film of a deal at a table that is over."""
    return film_of_live(live, deal).to_json()


# -- advice and judgements --


def advice_at_table(live: LiveGame, seat: int | None, bots: Sequence[str], stop: threading.Event) -> Found:
    """Advice for a seat of a live game, without one for the seat to act, from what that seat has seen."""
    with live.lock:
        asked = live.to_act if seat is None else seat
        if asked is None or not live.legal_names(asked):
            raise BadValue("there is nothing to decide just now.")
        recall, position = live.recall(asked), live.position
    return advise(live.setup.game, recall(), bots, stop, position)


def advice_on_record(record: str, position: int, bots: Sequence[str], stop: threading.Event) -> Found:
    """Advice for whoever is to act at a position of a record."""
    return _advice(film_of_text(record), position, bots, stop)


def advice_on_deal(live: LiveGame, deal: int, position: int, bots: Sequence[str], stop: threading.Event) -> Found:
    """The same for a deal at a table that is over."""
    return _advice(film_of_live(live, deal), position, bots, stop)


def _advice(film: Film, position: int, bots: Sequence[str], stop: threading.Event) -> Found:
    state = film.state_at(position)
    if len(film.definition.legal_actions(state)) == 0:
        raise BadValue(f"nobody is to act at position {position}: the game is over there.")
    return advise(film.game, film.heard(int(state.current), position), bots, stop, position)


def judged_record(record: str, stop: threading.Event) -> Found:
    """Every move of a record judged, one after the other."""
    return _judged(film_of_text(record), stop)


def judged_deal(live: LiveGame, deal: int, stop: threading.Event) -> Found:
    """The same for a deal at a table that is over."""
    return _judged(film_of_live(live, deal), stop)


def _judged(film: Film, stop: threading.Event) -> Found:
    return judge(film.game, lambda: states_of(film.definition, film.opening, film.actions), stop)
