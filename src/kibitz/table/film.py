"""A film: a deal that has been played, with every position in it and all cards open. What is watched and replayed.

A film is made of a recorded game in any form we read, of a deal at a table that is over, or of bots that play it now; it goes
back to a record, and to another program's form where its game has one. What one seat saw of it can be had as well, for advice on any position.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.core.seeds import fresh_seed
from kibitz.experiments.stored_games import Part, deal_of_part
from kibitz.games.contract import GameDefinition
from kibitz.play.explaining import Explanation
from kibitz.play.game import PlayedContest, PlayedGame, deals_of
from kibitz.play.hearing import heard_of, states_of
from kibitz.play.lineup import make_lineup
from kibitz.play.record import Record, record_of, replay
from kibitz.play.record_faults import FORFEITED, RecordedFault, counted_outcome, is_substitute
from kibitz.play.record_files import Written
from kibitz.report.explanation import action_text, why_not_best
from kibitz.report.forfeits import fault_sentence, faults_at, forfeit_sentences
from kibitz.report.telling import NAME_WIDTH, telling_for
from kibitz.report.telling.spoken_names import Names
from kibitz.report.transcript import counted_end
from kibitz.table.charges import Charges
from kibitz.table.live import LiveGame, with_outcome
from kibitz.table.schemas import BotsAsked
from kibitz.table.setup import (
    actions_of_written,
    check_points,
    foreign_form,
    game_of_bots,
    opening_of_written,
    table_bot,
    table_rules,
    written_game,
)
from kibitz.table.viewer_messages import open_hands
from kibitz.table.warming import compiled_apart

MOST_FRAMES = 1_500  # of a film; a longer game is refused
MOST_DEALS = 200  # of a contest that is played to see one of them
MOST_SECONDS = 60.0  # that bots may play for a film


@dataclass
class Film:
    """A deal that has been played. `record` and `seed` are missing where the seed must not be known, or where there is none."""

    game: str
    rules: Any
    names: tuple[str, ...]
    opening: Any  # the state in which it begins; not to be changed
    actions: tuple[int, ...]
    record: Record | None = None
    explanations: dict[int, Explanation] | None = None  # what bots thought before an action, or which rule fired, by position
    deal: int = 0  # which deal of a contest
    is_last: bool = True  # whether the contest ends with it
    to: str | None = None

    def __post_init__(self) -> None:
        if len(self.actions) > MOST_FRAMES:
            raise BadValue(f"the game has {len(self.actions)} actions; a film has at most {MOST_FRAMES}.")

    @property
    def definition(self) -> GameDefinition:
        """The game that is played."""
        return registry.game(self.game).under(self.rules)

    @property
    def length(self) -> int:
        """How many actions there are: positions count from 0 to this."""
        return len(self.actions)

    def state_at(self, position: int) -> Any:
        """The state after so many actions: a copy, shown to the seat to act."""
        self._check(position)
        *_, (_, state) = states_of(self.definition, self.opening, self.actions[:position])
        return state

    def heard(self, seat: int, position: int | None = None) -> list[tuple[Any, Any]]:
        """All that a seat has heard up to a position."""
        last = self.length if position is None else position
        self._check(last)
        if not 0 <= seat < len(self.names):
            raise BadValue(f"seat {seat} does not exist: seats are 0 to {len(self.names) - 1}.")
        return heard_of(self.definition, self.opening, self.actions[:last], seat)

    def _check(self, position: int) -> None:
        if not 0 <= position <= self.length:
            raise BadValue(f"position {position} does not exist: the game has positions 0 to {self.length}.")

    # -- outside bots --

    @property
    def faults(self) -> tuple[RecordedFault, ...]:
        """What outside bots did wrong in it."""
        return self.record.faults if self.record else ()

    def forfeit(self) -> tuple[str, str] | None:
        """Of a forfeited game in words: who forfeited and why, and what counted."""
        if self.record is None or self.record.status != FORFEITED:
            return None
        played, named = replay(self.record), self._named
        return " ".join(forfeit_sentences(played, named)), counted_end(played, named, named)

    def _named(self, seat: int) -> str:
        return Names(self.names, None, NAME_WIDTH).name(seat)

    def _charged(self, first: int, last: int) -> list[str]:
        return [
            fault_sentence(fault, self._named(fault.seat), fault.action <= self.length) for fault in faults_at(self.faults, first, last)
        ]

    # -- back to text --

    def to_json(self) -> dict[str, Any]:
        """The film as a page shows it: the rules once, then a frame for every position."""
        forfeit = self.forfeit()
        frames = self._frames(forfeit)
        return {
            "game": self.game,
            "rules": self.definition.wire.rules_message(self.rules),
            "names": list(self.names),
            "to": self.to,
            "deal": self.deal,
            "is_last": self.is_last,
            "record": self.record.to_text() if self.record else None,
            "record_json": json.dumps(self.record.to_json(), ensure_ascii=False, indent=2) if self.record else None,
            "live": foreign_form(self.game, self.names, self.rules, self.opening, self.actions),
            "seed": str(self.record.seed) if self.record else None,  # as text: it may be larger than numbers are exact in a browser
            "frames": frames,
            "outcome": self._outcome,
            "ending": " ".join(forfeit) if forfeit else None,
        }

    def _frames(self, forfeit: tuple[str, str] | None) -> list[dict[str, Any]]:
        definition, verbs = self.definition, self.definition.verbs
        state = copy_record(self.opening)
        telling = telling_for(self.game, self.names, None, tells_draws=True)
        frames = [self._frame(state, 0, [*(line.plain for line in telling.opening(state)), *self._charged(0, 0)], [])]
        for position, action in enumerate(self.actions, 1):
            seat = int(state.current)
            state.event_count = 0
            verbs["apply"](state, action)
            events = [verbs["event_at"](state, place) for place in range(state.event_count)]
            verbs["show"](state, (seat + 1) % len(self.names))  # who sees what the actor has drawn where hands are open to others
            words = self._charged(position, position) + [line.plain for event in events for line in telling.tell(state, event)]
            if verbs["is_over"](state) and forfeit is None:
                words += telling.result(state)
            frame = self._frame(state, position, words, [definition.wire.event_message(state, event) for event in events])
            done = {"seat": seat, "action": definition.action_name(state, action)}
            frames.append({**frame, **done, "substitute": is_substitute(self.faults, seat, position)})
        frames[-1]["words"] += self._charged(self.length + 1, self.length + 1) + ([forfeit[1]] if forfeit else [])
        self._outcome = definition.outcome(state)
        if self.record is not None:
            self._outcome = counted_outcome(self._outcome, self.record.status, self.record.winner, self.record.points)
        return frames

    def _frame(self, state: Any, position: int, words: list[str], events: list[dict[str, Any]]) -> dict[str, Any]:
        definition, verbs = self.definition, self.definition.verbs
        is_over = bool(verbs["is_over"](state))
        verbs["show_actor"](state)
        if is_over:
            verbs["show"](state, 0)
        explanation = (self.explanations or {}).get(position)
        return {
            "position": position,
            "seat": None,
            "action": None,
            "substitute": False,
            "words": words,
            "events": events,
            "to_act": None if is_over else int(state.current),
            "legal": [definition.action_name(state, action) for action in definition.legal_actions(state)],
            "turn": int(state.turn),
            "view": definition.wire.view_message(state),
            "hands": open_hands(definition, state),
            "explanation": self._explained(state, explanation) if explanation else None,
        }

    def _explained(self, state: Any, explanation: Explanation) -> dict[str, Any]:
        """What a bot thought, with a note where the action that it chose does not have the best number."""
        words = {row.action: action_text(self.game, state, row.action) for row in explanation.rows}
        note = why_not_best(explanation, words)
        return {**explanation.to_dict(), "note": note[:1].upper() + note[1:]}


# -- where films come from --


def film_of_text(text: str) -> Film:
    """The film of a recorded game: a line or JSON of ours, hanab.live's JSON, or a replay."""
    return film_of_written(written_game(text))


def film_of_written(written: Written) -> Film:
    """The film of a recorded game."""
    state = opening_of_written(written)
    if not isinstance(written, Record):
        definition = registry.game(written.game)
        return Film(written.game, written.rules, written.players, state, _numbers(definition, state, actions_of_written(written)))
    rules = table_rules(written.rules, written.game)
    actions = _numbers(registry.game(written.game), state, actions_of_written(written))
    film = Film(written.game, rules, written.seats, state, actions, written, deal=written.round)
    if written.status == FORFEITED:  # an end that no replay can tell
        return film
    outcome = film.definition.outcome(film.state_at(film.length))
    return replace(film, record=with_outcome(written, outcome))


def film_of_live(live: LiveGame, deal: int | None = None) -> Film:
    """The film of a deal at a table that is over; its record is part of it only when the whole game is finished, since it has the seed."""
    with live.lock:
        wanted, names = live.deal if deal is None else deal, list(live.names)
        if not 0 <= wanted <= live.deal or (wanted == live.deal and not live.is_over):
            raise BadValue(f"deal {wanted} is not over; there is no film of it yet.")
        kept = [actions[:] for actions in live.deals[: wanted + 1]]
        is_finished, is_last = live.is_finished, wanted == live.deal and live.is_finished
        charges = Charges(live.charges.noted)
    twin = LiveGame(replace(live.setup, seats=(None,) * live.players), kept, names, charges)  # the same cards, and nobody who thinks
    record = twin.record() if is_finished else None
    return Film(
        live.setup.game, live.rules, tuple(names), twin.opening(), tuple(twin.numbers()), record, None, wanted, is_last, live.setup.to
    )


def film_of_bots(asked: BotsAsked, stop: threading.Event | None = None) -> Film:
    """A game between bots, played now: of a contest one deal. Bots that can explain their choices.

    It is given up when it takes too long, or when nobody waits for it any more, which `stop` tells.
    """
    bots, deal, to = asked.bots, asked.deal, asked.to
    game = game_of_bots(bots, asked.game)
    definition = registry.game(game)
    chosen = table_rules(definition.default_rules if asked.rules is None else asked.rules, game)
    players = len(bots)
    entrants = [table_bot(bot, game, players) for bot in bots]
    if not 2 <= players <= definition.max_players:
        raise BadValue(f"{players} bots are not accepted; {definition.title} is played by 2 to {definition.max_players}.")
    if not 0 <= deal < MOST_DEALS or (deal and not to):
        raise BadValue(f"deal {deal} cannot be watched; of a contest it is 0 to {MOST_DEALS - 1}, of a game alone 0.")
    if to:
        check_points(to)
    seed = fresh_seed() if asked.seed is None else asked.seed
    contest = PlayedContest(to or "")
    played = None
    with compiled_apart(game, bots):
        for played in deals_of(contest, make_lineup(entrants, chosen, asked.seating, game, to), seed, asked.index, time_limit(stop)):
            if played.deal == deal:
                break
            contest.deals.clear()
    if played is None or played.deal != deal:
        raise BadValue(f"deal {deal} was not played: the contest was over before it.")
    film = film_of_played(played, contest.is_over, to)
    asked_for = {entrant.name: bot for entrant, bot in zip(entrants, bots, strict=True)}
    return replace(film, names=tuple(asked_for[name] for name in film.names))  # as they were asked for, which may be shorter


def film_of_run(part: Part, game: int, deal: int, stop: threading.Event | None = None) -> Film:
    """The film of one deal of a stored game, played again until nobody waits for it."""
    played, is_last = deal_of_part(part, game, deal, time_limit(stop))
    return film_of_played(played, is_last, part.lineup.to)


def time_limit(stop: threading.Event | None = None) -> Callable[[], None]:
    """A function to call while bots play: it raises when they take too long, or when `stop` says that nobody waits for them."""
    until = time.monotonic() + MOST_SECONDS

    def watch() -> None:
        if time.monotonic() > until or (stop is not None and stop.is_set()):
            raise BadValue(f"playing up to this deal takes more than {MOST_SECONDS:.0f} s; choose an earlier deal or faster bots.")

    return watch


def film_of_played(played: PlayedGame, is_last: bool = True, to: str | None = None) -> Film:
    """The film of a game that was played and kept."""
    film = film_of_written(record_of(played))
    return replace(film, explanations=played.explanations, is_last=is_last, to=to)


def _numbers(definition: GameDefinition, state: Any, names: Sequence[str]) -> tuple[int, ...]:
    """Actions by number."""
    return tuple(definition.action_from_name(state, name) for name in names)
