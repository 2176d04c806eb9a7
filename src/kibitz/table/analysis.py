"""A whole game judged: for every decision with a choice, what the action taken was worth, and what it cost against the best one.

Everybody is judged by what they could know, each from their own seat, with the trials that advice is made of (`kibitz.play.advice`).
The best action is chosen from one half of the trials and measured in the other, both ways round: the action that only seems best
by chance costs nothing on average, where the largest of many noisy values would always be too large.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.games.contract import GameDefinition
from kibitz.play.advice import Analyst, Trials, analyst_of
from kibitz.play.hearing import heard_now, seen_by, states_of
from kibitz.play.record import Record
from kibitz.report.explanation import action_text
from kibitz.table.film import Film, film_of_written
from kibitz.table.warming import ADVICE, compiled_apart


def analyse(game: Film | Record, stop: threading.Event | None = None, games: int | None = None) -> Iterator[dict[str, Any]]:
    """The judgements of a game, one for each decision with a choice; none after a stop.

    A judgement is ready for JSON: `position` is how many actions were taken before, `value` and `best_value` what the seat could expect
    with its action and with the best one, `cost` the difference and `error` its standard error.
    """
    film = film_of_written(game) if isinstance(game, Record) else game
    definition, stop = registry.game(film.game), stop or threading.Event()
    if definition.face.analyst is None:
        raise BadValue(f"games of {definition.title} can't be judged: nobody tries its actions out.")
    total = sum(_is_choice(definition, state) for position, state in _positions(film) if position < film.length)
    analysts = _analysts(film.game, film.names)
    done = 0
    for position, state in _positions(film):
        _follow(definition, analysts, state, position == 0)
        if position == film.length or not _is_choice(definition, state):
            continue
        view = seen_by(definition, state, state.current)
        analyst = analysts[state.current % len(analysts)]
        halves = _halves(analyst, view, games or definition.face.analysis_games, stop)
        if halves is None:
            return
        done += 1
        judged = _judgement(definition, view, film.actions[position], halves, analyst.unit)
        convention = {"convention": analyst.assumes, "convention_broken": analyst.is_broken}
        yield {"done": done, "total": total, "position": position, **judged, **convention}


def _positions(film: Film) -> Iterator[tuple[int, Any]]:
    """Every state of a film with its number."""
    return enumerate(state for _, state in states_of(film.definition, film.opening, film.actions))


def _is_choice(definition: GameDefinition, state: Any) -> bool:
    return not definition.verbs["is_over"](state) and len(definition.legal_actions(state)) > 1


def _analysts(game: str, names: Sequence[str]) -> list[Analyst]:
    """One for each seat where they follow the game, else one for all."""
    with compiled_apart(game, [ADVICE]):
        return [analyst_of(game, names=names) for _ in range(len(names) if registry.game(game).face.analyst_follows else 1)]


def _follow(definition: GameDefinition, analysts: list[Analyst], state: Any, begins: bool) -> None:
    for seat, analyst in enumerate(analysts):
        for view, event in heard_now(definition, state, seat):
            if begins:
                analyst.begin(view)
                break
            if event is not None:
                analyst.observe(view, event)


def _halves(analyst: Analyst, view: Any, games: int, stop: threading.Event) -> tuple[Trials, Trials] | None:
    """So many games played on, in two halves; None after a stop."""
    first = analyst.open(view)
    second = Trials(first.actions)
    batch = 0
    while (first.games + second.games) * len(first.actions) < games or min(first.rows, second.rows) < 2:
        if stop.is_set():
            return None
        analyst.add_batch(second if batch % 2 else first, batch)
        batch += 1
    return first, second


def _judgement(definition: GameDefinition, view: Any, action: int, halves: tuple[Trials, Trials], unit: str) -> dict[str, Any]:
    """What is said of one decision."""
    first, second = halves
    both = Trials(first.actions)
    both.include(first)
    both.include(second)
    best, rival = both.ranked()[:2]
    value, value_error = both.value(action)
    _, error = both.lead(best, action if action != best else rival)
    cost = 0.5 * (second.lead(first.ranked()[0], action)[0] + first.lead(second.ranked()[0], action)[0])
    if cost <= 0.0 or best == action:
        best, cost = action, 0.0
    return {
        "seat": int(view.seat),
        "turn": int(view.turn),
        "action": definition.action_name(view, action),
        "text": action_text(definition.name, view, action),
        "best": definition.action_name(view, best),
        "best_text": action_text(definition.name, view, best),
        "value": value,
        "value_error": value_error,
        "best_value": value + cost,
        "cost": cost,
        "error": error,
        "unit": unit,
    }
