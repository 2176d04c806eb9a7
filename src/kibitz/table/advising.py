"""Advice for whoever is to act: what may come of every legal action, ever more exactly, and what some bots would do and why.

It is made from what one seat has heard (kibitz.play.hearing), so
it cannot know more than that seat; and it depends on nothing else, so the same question has the same answer. `advise` runs in a
thread of its own: it looks at `stop` every few milliseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.games.contract import GameDefinition
from kibitz.games.face import Budget
from kibitz.play.advice import Analyst, Trials, analyst_of, view_seed
from kibitz.play.explaining import Adviser, Explanation
from kibitz.play.hearing import Heard, unlinked
from kibitz.report.explanation import WITHIN, action_text, assumption, is_share, reason, why_usual
from kibitz.table.film import Film
from kibitz.table.live import LiveGame
from kibitz.table.warming import ADVICE, compiled_apart

GROWTH = 4


def budget_of(game: str) -> Budget:
    """How far trials of a game go."""
    return registry.game(game).face.budget


def advise(
    game: str,
    heard: Heard,
    bots: Sequence[str] = (),
    stop: threading.Event | None = None,
    position: int | None = None,
    budget: Budget | None = None,
    compiled: bool = True,
    names: Sequence[str] = (),
) -> Iterator[dict[str, Any]]:
    """Advice for the seat that has heard this and is to act: messages, ready for JSON, the last with `final`; none after a stop.

    The first comes as soon as there are values, and bots answer after it. `position` is only passed on. `names` are those of the bots by
    seat, if they are known: people's are not needed.
    """
    definition, limit, stop = registry.game(game), budget or budget_of(game), stop or threading.Event()
    _check_bots(game, bots)
    view = heard[-1][0]
    with compiled_apart(game, [ADVICE]):
        analyst = analyst_of(game, compiled, names)
    follow(analyst, heard)
    trials = analyst.open(view)
    texts = {action: action_text(game, view, action) for action in trials.actions}
    numbers = {definition.action_name(view, action): action for action in trials.actions}
    told: list[dict[str, Any]] = []

    def message(final: bool) -> dict[str, Any]:
        return {
            "position": position,
            "seat": int(view.seat),
            "unit": analyst.unit,
            "convention": analyst.assumes,
            "convention_broken": analyst.is_broken,
            "remarks": [remark for remark in (assumption(analyst), why_usual(trials, texts)) if remark],
            "final": final,
            "worlds": trials.worlds,
            "rows": _rows(definition, view, trials, texts),
            "bots": [{**said, "note": _beside(trials, numbers.get(said["action"]), texts, said["bot"], analyst.unit)} for said in told],
        }

    target, batch = limit.first, 0
    while True:
        while trials.actions and (trials.games * len(trials.actions) < target or trials.rows < 2):
            if stop.is_set():
                return
            analyst.add_batch(trials, batch)
            batch += 1
        if target == limit.first:
            yield message(False)
            for bot in bots:
                if stop.is_set():
                    return
                told.append(_asked(game, bot, heard, texts, compiled))
            if bots:
                yield message(False)
        if target >= limit.most or max((trials.value(action)[1] for action in trials.actions), default=0.0) <= limit.error:
            yield message(True)
            return
        if target > limit.first:
            yield message(False)
        target = min(target * GROWTH, limit.most)


def advise_at_table(live: LiveGame, seat: int | None, bots: Sequence[str], stop: threading.Event) -> Iterator[dict[str, Any]]:
    """Advice for a seat of a live game, without one for the seat to act, from what that seat has seen."""
    with live.lock:
        asked = live.to_act if seat is None else seat
        if asked is None or not live.legal_names(asked):
            raise BadValue("there is nothing to decide just now.")
        recall, position = live.recall(asked), live.position
    names = [bot or "" for bot in live.setup.seats]
    return advise(live.setup.game, recall(), bots, stop, position, names=names)


def advise_on_film(film: Film, position: int, bots: Sequence[str], stop: threading.Event) -> Iterator[dict[str, Any]]:
    """Advice for whoever is to act at a position of a film."""
    state = film.state_at(position)
    if len(film.definition.legal_actions(state)) == 0:
        raise BadValue(f"nobody is to act at position {position}: the game is over there.")
    return advise(film.game, film.heard(int(state.current), position), bots, stop, position, names=film.names)


def follow(analyst: Analyst, heard: Heard) -> None:
    """Let an analyst hear what a seat heard."""
    analyst.begin(heard[0][0])
    for view, event in heard[1:]:
        if event is not None:
            analyst.observe(view, event)


def _rows(game: GameDefinition, view: Any, trials: Trials, texts: dict[int, str]) -> list[dict[str, Any]]:
    """Every legal action: the one to take, then by their numbers."""
    rows, best = [], trials.best() if trials.actions else None
    for action in sorted(trials.ranked(), key=lambda action: action != best):
        value, error = trials.value(action)
        name = game.action_name(view, action)
        rows.append({"action": name, "text": texts[action], "value": value, "error": error, "visits": trials.games, "best": action == best})
    return rows


def _beside(trials: Trials, action: int | None, texts: dict[int, str], bot: str, unit: str) -> str:
    """What the trials say of an action that a bot would choose, if another has a better number; empty if it is the one to take."""
    if action is None or action in (trials.ranked()[0], trials.best()):
        return ""
    best = trials.ranked()[0]
    lead, error = trials.lead(best, action)
    ahead, range_ = (f"{100 * figure:.1f}" if is_share(unit) else f"{figure:.2f}" for figure in (lead, error))
    if not float(ahead):
        return ""
    verdict = ", which is within the error." if lead <= WITHIN * error else f"; {bot} goes by its own judgement."
    return f"The trials put {texts[best]} ahead by {ahead} ± {range_}{' %' if is_share(unit) else ''}{verdict}"


def _check_bots(game: str, bots: Sequence[str]) -> None:
    """Only bots of our own are asked, with a preset at most: other parameters could let them think for hours."""
    known = {*registry.BUILT_IN[game], *registry.all_names(game)}
    for bot in bots:
        if bot not in known:
            raise BadValue(f"bot '{bot}' is not asked for advice; named may be {', '.join(registry.all_names(game))}.")


def _asked(game: str, bot: str, heard: Heard, texts: dict[int, str], compiled: bool) -> dict[str, Any]:
    """What a bot would do and why, or why it has nothing to say."""
    definition = registry.game(game)
    seed = view_seed(definition, heard[-1][0])
    try:
        adviser = Adviser(bot, game, jit=compiled)
        with compiled_apart(game, [bot]):
            adviser.begin(unlinked(definition, heard[0][0], seed))
            for view, event in heard[1:]:
                if event is not None:
                    adviser.observe(unlinked(definition, view, seed), event)
            said = adviser.ask(unlinked(definition, heard[-1][0], seed))
    except KibitzError as error:
        return {"bot": bot, "action": None, "text": "", "why": str(error), **_thoughts(None, texts)}
    why = reason(said, adviser.entrant, texts)
    return {"bot": bot, "action": said.name, "text": texts[said.action], "why": why, **_thoughts(said, texts)}


def _thoughts(said: Explanation | None, texts: dict[int, str]) -> dict[str, Any]:
    """What a bot thinks of each action that it weighed, the best first: nothing if it does not tell."""
    if said is None:
        return {"unit": "", "rows": [], "win_chance": None}
    rows = [
        {"action": row.name, "text": texts.get(row.action, row.name), "value": row.value, "error": row.error, "visits": row.visits}
        for row in said.rows
    ]
    return {"unit": said.unit, "rows": rows, "win_chance": said.win_chance}
