"""Bots, policies and agents of OpenSpiel in matches: they are given states, so a state is made of what their seat has seen.

Cards that the seat doesn't see are drawn at random in that state (`kibitz.envs.spiel_positions`); nothing in it leads to the real ones.
"""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadBot
from kibitz.core.extras import MissingExtra
from kibitz.core.seeds import below
from kibitz.envs.own_randomness import random_numbers_from
from kibitz.games.contract import GameDefinition
from kibitz.play.hearing import unlinked
from kibitz.play.world_drawing import worlds_of

MAKER = ("game", "player", "seed")  # what a function that makes a bot of OpenSpiel is given
_FINE = 2**53


def is_spiel(thing: Any) -> bool:
    """Whether something is a bot, a policy or an agent of OpenSpiel, or a function or class that makes one."""
    if isinstance(thing, type) or inspect.isroutine(thing):
        return _takes(thing) == MAKER
    return callable(getattr(thing, "action_probabilities", None)) or _is_agent(thing) or _is_bot(thing)


def _takes(maker: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(maker).parameters)
    except (TypeError, ValueError):  # written in C++
        return ()


def _is_agent(thing: Any) -> bool:
    return any(base.__module__ == "open_spiel.python.rl_agent" for base in type(thing).__mro__)


def _is_bot(thing: Any) -> bool:
    return any(base.__module__ == "pyspiel" and base.__name__ == "Bot" for base in type(thing).__mro__) or (
        callable(getattr(thing, "step", None)) and callable(getattr(thing, "restart_at", None))
    )


@dataclass(frozen=True, eq=False)
class SpielBot(ObjectBot):
    """A bot made of what OpenSpiel calls a bot, a policy or an agent; `given` is that, or makes one for each game and seat."""

    given: Any = None

    def fresh(self, rules: Any = None) -> Any:
        """A player for one game and seat, under these rules or those that are usual."""
        return _SpielPlayer(self, rules)

    def made(self, game: Any, seat: int, seed: int) -> Any:
        """The bot, policy or agent for a game and seat."""
        given = self.given
        if isinstance(given, type) or inspect.isroutine(given):
            made = given(game, seat, seed)
            if isinstance(made, type) or inspect.isroutine(made) or not is_spiel(made):
                raise BadBot(f"bot {self.name} made {made!r}, which is no bot, policy or agent of OpenSpiel.")
            return made
        return given if callable(getattr(given, "action_probabilities", None)) else self._copied(given)

    def _copied(self, given: Any) -> Any:
        """A copy, so that what a bot remembers of one game, random numbers included, has no part in another."""
        try:
            if isinstance(given, _pyspiel().Bot):
                kind: Any = type(given)
                twin = kind.__new__(kind)
                _pyspiel().Bot.__init__(twin)
                twin.__dict__.update(copy.deepcopy(vars(given)))
                return twin
            return copy.deepcopy(given)
        except Exception as error:
            raise BadBot(
                f"bot {self.name} can't be copied for every game ({type(error).__name__}: {error}); "
                f"pass a function of ({', '.join(MAKER)}) that makes it."
            ) from error


def spiel_bot(given: Any, definition: GameDefinition, name: str, source: Any) -> SpielBot:
    """A bot for our matches."""
    if find_spec("pyspiel") is None:
        raise MissingExtra(f"bot {name}", "open_spiel", "OpenSpiel")
    windows = definition.phases[definition.basic_phases :]
    return SpielBot(name, lambda: None, source, "a bot of OpenSpiel", windows, "", definition.name, given=given)


def _pyspiel() -> Any:
    import pyspiel

    return pyspiel


class _SpielPlayer:
    """Plays one game: keeps what its seat is told, and makes a state of it for each decision."""

    def __init__(self, bot: SpielBot, rules: Any) -> None:
        from kibitz.envs import openspiel, spiel_positions

        assert bot.game is not None
        openspiel.register()
        self._openspiel, self._positions = openspiel, spiel_positions
        self._bot, self._definition = bot, registry.game(bot.game)
        chosen = self._definition.default_rules if rules is None else rules
        self._rules = chosen if isinstance(chosen, str) else chosen.to_text()

    def begin(self, view: Any) -> None:
        """A deal begins."""
        name, seat, players = self._definition.name, int(view.seat), int(view.players)
        self._table = self._positions.spiel_table(name, players, self._rules)
        self._game = _pyspiel().load_game(self._openspiel.PREFIX + name, {"players": players, "rules": self._rules})
        self._told = self._positions.Told().sees(self._message(view))
        self._worlds = worlds_of(self._definition)
        if self._worlds is not None:
            self._worlds.begin(unlinked(self._definition, view))
        self._player = self._bot.made(self._game, seat, view.randbelow(2**31))

    def observe(self, view: Any, event: Any) -> None:
        """Somebody did something that everybody saw."""
        self._told = self._told.hears(event).sees(self._message(view))
        if self._worlds is not None:
            self._worlds.observe(unlinked(self._definition, view), event)

    def choose(self, view: Any) -> int:
        """Ask, with a state that agrees with all that the seat was told."""
        self._told = self._told.sees(self._message(view))
        stream = view.randbelow(_FINE)
        position = self._positions.drawn_position(self._table, unlinked(self._definition, view), self._told, self._worlds, stream)
        state = self._openspiel.SpielState(self._game, position, stream)
        action = int(self._ask(state, int(view.seat), stream))
        self._told = self._told.chooses(action)
        return action

    def _message(self, view: Any) -> Any:
        return self._definition.wire.view_message(view)

    def _ask(self, state: Any, seat: int, stream: int) -> Any:
        player = self._player
        if callable(getattr(player, "action_probabilities", None)):
            return _drawn(player.action_probabilities(state), stream)
        if _is_agent(player):
            with random_numbers_from(stream):
                return player.step(_time_step(state, seat), is_evaluation=True).action
        if getattr(type(player), "restart_at", None) is not _pyspiel().Bot.restart_at:
            player.restart_at(state)
        return player.step(state)


def _drawn(chances: dict[int, float], stream: int) -> int:
    """One of some actions, by their chances."""
    _, step = below(stream, _FINE)
    actions, sums = list(chances), np.cumsum(list(chances.values()))
    return actions[int(np.searchsorted(sums[:-1], step / _FINE * sums[-1], side="right"))]


def _time_step(state: Any, seat: int) -> Any:
    """What OpenSpiel's agents for reinforcement learning are shown. They may look at the place of any seat: all have this one's."""
    from open_spiel.python import rl_environment

    players = state.num_players()
    seen = {
        "info_state": [state.information_state_tensor(seat)] * players,
        "legal_actions": [state.legal_actions(seat)] * players,
        "current_player": seat,
        "serialized_state": [],
    }
    return rl_environment.TimeStep(
        observations=seen, rewards=[0.0] * players, discounts=[1.0] * players, step_type=rl_environment.StepType.MID
    )
