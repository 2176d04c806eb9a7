"""Every installed game as a Python game of OpenSpiel: `pyspiel.load_game("kibitz_NAME(players=2,rules=…)")` after `register()`.

Chance nodes are laid open. Information states come in words and, by the game's encoding, as tensors (`kibitz.envs.spiel_positions`).
Sizes that Kibitz solves exactly can be named as rules; there, cards that are alike are one outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyspiel

from kibitz import registry
from kibitz.core.layouts import fields_of
from kibitz.core.seeds import below
from kibitz.envs.spiel_positions import Position, SpielTable, new_position, spiel_table
from kibitz.games.plugins import game_names
from kibitz.play.sitting import Ask, Chance, Over

PREFIX = "kibitz_"
REMEMBERED = 40  # events that an information state's tensor goes back
DIGITS = 8  # in which each number of an event is written
MOST_POINTS = 100.0  # that a game brings, where it is not about winning alone
MOST_CARDS = 128  # that chance chooses from
LONGEST = 10_000  # decisions of a game, chance included, more than any has


def register() -> None:
    """Make every installed game known to OpenSpiel; again is no harm."""
    known = {game.short_name for game in pyspiel.registered_games()}
    for name in game_names():
        if PREFIX + name not in known:
            pyspiel.register_game(_game_type(name), _game_class(name))


@cache
def _game_type(name: str) -> Any:
    game = registry.game(name)
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + name,
        long_name=f"Kibitz: {game.title}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.IDENTICAL if game.cooperative else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={"players": 2, "rules": game.default_rules},
    )


@cache
def _game_class(name: str) -> type:
    return type(PREFIX + name, (SpielGame,), {"kibitz_name": name, "__module__": __name__})


def __getattr__(name: str) -> Any:
    """The class of a game, for OpenSpiel, which writes states down and reads them back."""
    game = name.removeprefix(PREFIX)
    if game != name and game in game_names():
        return _game_class(game)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def returns_of(table: SpielTable, state: Any) -> list[float]:
    """What a finished game brings everybody: a team its score; points where losers pay them; else 1 for the winner, taken from the others."""
    game, players = table.definition, table.players
    outcome = game.outcome(state)
    if game.cooperative:
        return [float(outcome["score"])] * players
    if game.losers_pay:
        return [float(game.gain(seat, outcome["winner"], outcome["points"], players)) for seat in range(players)]
    if outcome["winner"] is None:
        return [0.0] * players
    return [1.0 if seat == outcome["winner"] else -1 / (players - 1) for seat in range(players)]


def game_info(table: SpielTable) -> Any:
    """What OpenSpiel must know beforehand."""
    game = table.definition
    most = 1.0 if not game.cooperative and not game.losers_pay else MOST_POINTS
    first = table.sitting.step() if table.is_solved else None
    return pyspiel.GameInfo(
        num_distinct_actions=table.encoding.actions,
        max_chance_outcomes=max(len(first.outcomes) if isinstance(first, Chance) else 1, MOST_CARDS),
        num_players=table.players,
        min_utility=0.0 if game.cooperative else -most,
        max_utility=most,
        utility_sum=None if game.cooperative else 0.0,
        max_game_length=LONGEST,
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no type hints
    """A game of OpenSpiel."""

    kibitz_name = ""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.key = (self.kibitz_name, int(given.get("players", 2)), str(given.get("rules", registry.game(self.kibitz_name).default_rules)))
        super().__init__(_game_type(self.kibitz_name), game_info(spiel_table(*self.key)), given)

    def new_initial_state(self) -> SpielState:
        """Before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver | None:
        """Who writes observations: of all that a player knows. What is public alone, or private alone, is not told apart."""
        if params:
            raise ValueError(f"observation parameters are not accepted; got {params}")
        if iig_obs_type and (not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER):
            return None
        return SpielObserver(spiel_table(*self.key), bool(iig_obs_type and iig_obs_type.perfect_recall))


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no type hints
    """A state of OpenSpiel. One that was drawn for a player (`resample_from_infostate`) begins there: it has no history."""

    def __init__(self, game: SpielGame, position: Position | None = None, stream: int | None = None) -> None:
        super().__init__(game)
        self.position = new_position(spiel_table(*game.key)) if position is None else position
        self._stream = stream  # where the random numbers of `resample_from_infostate` come from; its caller's without this

    def current_player(self) -> int:
        """Who decides."""
        step = self.position.step
        if isinstance(step, Chance):
            return int(pyspiel.PlayerId.CHANCE)
        return int(step.seat) if isinstance(step, Ask) else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.table.definition.legal_actions(self.position.state)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What may happen, and how likely it is."""
        assert isinstance(self.position.step, Chance)
        return sorted(self.position.step.outcomes)

    def _apply_action(self, action: int) -> None:
        self.position.take(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        return self.position.table.definition.action_name(self.position.state, action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return isinstance(self.position.step, Over)

    def returns(self) -> list[float]:
        """What everybody has got."""
        table = self.position.table
        return returns_of(table, self.position.state) if self.is_terminal() else [0.0] * table.players

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> SpielState:
        """A state that the player can't tell from this one: all that it was told is the same, the rest is drawn at random."""
        if self._stream is None:
            stream = int(probability_sampler() * 2**53)
        else:
            self._stream, stream = below(self._stream, 2**53)
        return SpielState(self.get_game(), self.position.drawn_for(player_id, stream), stream if self._stream is not None else None)

    def __str__(self) -> str:
        position = self.position
        answers = list(position.open_answers)
        if position.state is None:
            return f"before the deal, {answers}"
        then = f", then {answers}" if answers else ""
        return position.table.definition.to_text(position.state, position.table.rules) + then


class SpielObserver:
    """Writes what a player sees; with perfect recall also the last events, and in words all that it was told."""

    def __init__(self, table: SpielTable, recalls: bool) -> None:
        self._table, self._recalls = table, recalls
        self._fields = len(fields_of(table.definition.event))
        parts = {"player": table.players, "view": table.encoding.size}
        if recalls:
            parts["events"] = REMEMBERED * self._fields * DIGITS
        self.tensor = np.zeros(sum(parts.values()), np.float32)
        self.dict: dict[str, Any] = {}
        start = 0
        for name, length in parts.items():
            self.dict[name] = self.tensor[start : start + length]
            start += length

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the tensor."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        position = state.position
        if position.state is not None:
            self._table.encoding.fill(self._table.look(position.state, player), self.dict["view"])
        if self._recalls:
            last = np.array(position.told(player).events[: -REMEMBERED - 1 : -1], np.int64).astype(np.uint8)  # the latest first
            digits = np.unpackbits(last.reshape(-1))
            self.dict["events"][: len(digits)] = digits

    def string_from(self, state: SpielState, player: int) -> str:
        """The same in words."""
        position = state.position
        if self._recalls:
            return f"player {player}{position.told(player).text}"
        if position.state is None:
            return f"player {player}: before the deal"
        return f"player {player}: {self._table.message(position.state, player)}"
