"""Positions of a game in OpenSpiel: what led to them, what each player was told on the way, and positions that a player can't tell apart.

A player is told of every event, of what it sees then and when it has a choice, and of its own choices: just what a bot in a match
hears, so that both can write the same information states. Where somebody decides in secret, nobody else hears of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import below
from kibitz.games.contract import GameDefinition
from kibitz.play.observing import encoding_of
from kibitz.play.open_sitting import NEW_DEAL, Moment, OpenSitting, open_game
from kibitz.play.sitting import Ask, Chance, Over
from kibitz.play.world_drawing import Worlds, worlds_of

MOST_TRIES = 20_000  # deals tried for a position that a player can't tell from another, where the game draws no worlds
_FINE = 2**53


class Told(NamedTuple):
    """What a player was told of a deal: in words, with what it saw last, every event, and its own choices."""

    text: str = ""
    seen: Mapping[str, Any] = {}
    events: tuple[tuple[int, ...], ...] = ()
    choices: tuple[int, ...] = ()

    def sees(self, message: Mapping[str, Any]) -> Told:
        """A view, as a message; what has changed since the last one counts."""
        new = ", ".join(change for name, value in message.items() for change in _changes(name, self.seen.get(name), value))
        return self._replace(text=f"{self.text} | {new}" if new else self.text, seen=message)

    def hears(self, event: Any) -> Told:
        """An event."""
        values = tuple(vars(event).values())
        return self._replace(text=f"{self.text} | {values}", events=(*self.events, values))

    def chooses(self, action: int) -> Told:
        """A choice of its own."""
        return self._replace(text=f"{self.text} | chose {action}", choices=(*self.choices, action))


def _changes(name: str, before: Any, value: Any) -> Iterator[str]:
    """What has changed in a part of a message, in words: places that have, and what is new at the end of a list."""
    if value == before:
        return
    if isinstance(value, dict) and isinstance(before, dict) and value.keys() == before.keys():
        for key in value:
            yield from _changes(f"{name}.{key}", before[key], value[key])
    elif isinstance(value, list) and isinstance(before, list) and len(value) >= len(before) > 0:
        for place, old in enumerate(before):
            yield from _changes(f"{name}.{place}", old, value[place])
        if len(value) > len(before):
            yield f"{name} +{value[len(before) :]}"
    else:
        yield f"{name} {value}"


class SpielTable:
    """A game under some rules, with so many players: what all its positions share."""

    def __init__(self, name: str, players: int, rules: str) -> None:
        self.key = name, players, rules
        self.definition: GameDefinition = registry.game(name)
        self.players = players
        solved = self.definition.face.solved_rules
        self.is_solved = rules in solved and players == 2
        self.rules = self.definition.parse_rules(solved[rules] if self.is_solved else rules)
        self.rules.check_players(players)
        self.encoding = encoding_of(self.definition, self.rules, players)

    @cached_property
    def sitting(self) -> OpenSitting:
        """The game with its chance laid open; all positions share it."""
        if self.is_solved:
            return open_game(self.definition, self.rules)
        return OpenSitting(self.definition.under(self.rules), self.rules, self.players)

    def look(self, state: Any, seat: int) -> Any:
        """What a seat sees of a state."""
        self.sitting.moment = Moment(state, ())
        view = self.sitting.look(seat)
        view.random_stream = 0
        return view

    def message(self, state: Any, seat: int) -> Mapping[str, Any]:
        """The same as a message."""
        return self.definition.wire.view_message(self.look(state, seat))

    def has_choice(self, state: Any) -> bool:
        """Whether the player to act has one."""
        verbs = self.definition.verbs
        return not verbs["is_over"](state) and int(verbs["forced_action"](state)) < 0


spiel_table = cache(SpielTable)


class Past:
    """A state, and what led to it: what players were told is worked out when somebody asks."""

    def __init__(self, table: SpielTable, state: Any, before: Past | None = None, seat: int = -1, action: int = -1) -> None:
        self.table, self.state, self._before, self._seat, self._action = table, state, before, seat, action
        self.told_at: dict[int, Told] = {}
        self.worlds_at: dict[int, Worlds] = {}

    def told(self, seat: int) -> Told:
        """What a seat was told."""
        way: list[Past] = []
        past = self
        while seat not in past.told_at:
            way.append(past)
            if past._before is None:
                break
            past = past._before
        for past in reversed(way):
            past.told_at[seat] = past._tell(seat)
        return self.told_at[seat]

    def _tell(self, seat: int) -> Told:
        table, before = self.table, self._before
        if before is None:
            return Told().sees(table.message(self.state, seat))
        told = before.told_at[seat]
        if self._seat == seat and table.has_choice(before.state):
            told = told.chooses(self._action)
        events = self._events()
        for event in events:
            told = told.hears(event)
            told = told.sees(table.message(self.state, seat))
        if not events and self.state.current == seat and table.has_choice(self.state):
            told = told.sees(table.message(self.state, seat))
        return told

    def _events(self) -> list[Any]:
        self.table.sitting.moment = Moment(self.state, ())
        return self.table.sitting.events()

    def worlds(self, seat: int) -> Worlds | None:
        """Who draws worlds for a seat, having followed the deal up to here."""
        way: list[Past] = []
        past = self
        while seat not in past.worlds_at and past._before is not None:
            way.append(past)
            past = past._before
        worlds = past.worlds_at.get(seat)
        if past is self and worlds is not None:
            return worlds
        if worlds is not None:
            worlds = worlds.copy()
        elif (worlds := worlds_of(self.table.definition)) is not None:
            worlds.begin(self.table.look(past.state, seat))
        if worlds is not None:
            for past in reversed(way):
                for event in past._events():
                    worlds.observe(self.table.look(past.state, seat), event)
            self.worlds_at[seat] = worlds
        return worlds


class Position:
    """Where a game stands, cheap to copy: the sitting is shared, and its moment is put back before it is used.

    `past` is that of the state in which a player was last asked; None before the deal.
    """

    def __init__(self, table: SpielTable, base: Past | None = None) -> None:
        self.table, self.past, self._base = table, base, base
        self._moment = NEW_DEAL if base is None else Moment(base.state, ())
        self.answers: tuple[int, ...] = ()  # all that was decided since the base, by players and by chance
        self.step: Over | Ask | Chance = Over()
        self._advance()

    def __copy__(self) -> Position:
        twin = Position.__new__(Position)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: Any) -> Position:
        return copy(self)

    def __reduce__(self) -> Any:
        base = self._base
        return _restored, (self.table.key, base and (base.state, base.told_at, base.worlds_at), self.answers)

    @property
    def state(self) -> Any:
        """The state in which a player was last asked; None before the deal."""
        return self._moment.state

    @property
    def open_answers(self) -> tuple[int, ...]:
        """What was decided since that state."""
        return self._moment.answers

    def take(self, action: int) -> None:
        """Go on with an action or an outcome of chance."""
        self.answers = (*self.answers, action)
        sitting = self.table.sitting
        sitting.moment = self._moment
        sitting.take(action)
        self._moment = sitting.moment
        self._advance()

    def _advance(self) -> None:
        sitting, before, answers = self.table.sitting, self._moment.state, self._moment.answers
        sitting.moment = self._moment
        self.step = sitting.step()
        self._moment = sitting.moment
        if self.state is not before:
            actor, action = (-1, -1) if before is None else (int(before.current), answers[0])
            self.past = Past(self.table, self.state, self.past, actor, action)

    def told(self, seat: int) -> Told:
        """What a seat was told; with what it sees now, if it is to act, choice or not."""
        if self.past is None:
            return Told()
        told = self.past.told(seat)
        return told.sees(self.table.message(self.state, seat)) if isinstance(self.step, Ask) and self.step.seat == seat else told

    def drawn_for(self, seat: int, stream: int) -> Position:
        """A position that a seat can't tell from this one, hidden cards drawn from a random stream."""
        if self.past is None or not isinstance(self.step, Ask):
            raise BadValue("worlds are drawn where a player is to act.")
        worlds = self.past.worlds(seat)
        view = self.table.look(self.state, seat)
        return drawn_position(self.table, view, self.past.told(seat), worlds, stream)


@cache
def _first_position(table: SpielTable) -> Position:
    return Position(table)


def new_position(table: SpielTable) -> Position:
    """The position before the deal."""
    return copy(_first_position(table))


def _restored(key: tuple[str, int, str], base: Any, answers: tuple[int, ...]) -> Position:
    table, past = spiel_table(*key), None
    if base is not None:
        past = Past(table, base[0])
        past.told_at, past.worlds_at = base[1:]
    position = new_position(table) if past is None else Position(table, past)
    for answer in answers:
        position.take(answer)
    return position


def drawn_position(table: SpielTable, view: Any, told: Told, worlds: Worlds | None, stream: int) -> Position:
    """A position that agrees with what a seat sees and was told, hidden cards drawn from a random stream.

    Whom it makes up, it lets know the events and what they see now.
    """
    seat = int(view.seat)
    if worlds is None:
        return _tried_position(table, view, told, stream)
    state = table.definition.new_state(table.rules, table.players)
    worlds.draw(view, stream, state)
    state.observed = 1
    base = Past(table, state)
    for other in range(table.players):
        if other != seat:
            heard = " | ".join(map(str, told.events))
            base.told_at[other] = Told(text=f" | {heard}", events=told.events).sees(table.message(state, other))
    base.told_at[seat], base.worlds_at[seat] = told, worlds.copy()
    return Position(table, base)


def _tried_position(table: SpielTable, view: Any, told: Told, stream: int) -> Position:
    """Deals played at random, the seat's own choices as they were, until one leads to what the seat was told."""
    seat = int(view.seat)
    for _ in range(MOST_TRIES):
        stream, position = _played(table, seat, int(view.current), told, stream)
        if position is not None:
            return position
    raise BadValue(
        f"no world of {table.definition.title} was found in {MOST_TRIES:,} deals; a game of that size needs `worlds` in its face."
    )


def _played(table: SpielTable, seat: int, current: int, told: Told, stream: int) -> tuple[int, Position | None]:
    position = new_position(table)
    while not isinstance(position.step, Over):
        if isinstance(position.step, Chance):
            stream, chance = below(stream, _FINE)
            sums = np.cumsum([share for _, share in position.step.outcomes])
            place = int(np.searchsorted(sums[:-1], chance / _FINE * sums[-1], side="right"))
            position.take(position.step.outcomes[place][0])
            continue
        assert position.past is not None
        so_far = position.past.told(seat)
        if not told.text.startswith(so_far.text):
            break
        if so_far.text == told.text and position.step.seat == current:
            return stream, position
        actions = table.definition.legal_actions(position.state)
        if position.step.seat == seat and len(actions) > 1:
            if len(so_far.choices) == len(told.choices):
                break
            position.take(told.choices[len(so_far.choices)])
        else:
            stream, place = below(stream, len(actions))
            position.take(actions[place])
    return stream, None
