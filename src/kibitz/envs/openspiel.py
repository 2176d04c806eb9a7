"""Every installed game as a Python game of OpenSpiel: `pyspiel.load_game("kibitz_NAME(players=2,rules=…)")` after `register()`.

A state steps through an open sitting: chance nodes are laid open, players are told what they see, in words for strings and by the
game's encoding for tensors. Sizes that Kibitz solves exactly can be named as rules; there, cards that are alike are one outcome.
"""

from __future__ import annotations

from copy import copy
from functools import cache, cached_property
from typing import Any

import numpy as np
import pyspiel

from kibitz import registry
from kibitz.games.contract import GameDefinition
from kibitz.games.plugins import game_names
from kibitz.play.observing import encoding_of
from kibitz.play.open_sitting import NEW_DEAL, OpenSitting, open_game
from kibitz.play.sitting import Ask, Chance, Over

PREFIX = "kibitz_"
REMEMBERED = 40  # actions that an information state's tensor goes back
ACTION_DIGITS = 8
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


class SpielTable:
    """A game under some rules, with so many players: what its states and observers share."""

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
        """The game with its chance laid open; all states share it."""
        if self.is_solved:
            return open_game(self.definition, self.rules)
        return OpenSitting(self.definition.under(self.rules), self.rules, self.players)

    def returns(self, state: Any) -> list[float]:
        """What a finished game brings everybody: a team its score; points where losers pay them; else 1 for the winner, taken from the others."""
        game, players = self.definition, self.players
        outcome = game.outcome(state)
        if game.cooperative:
            return [float(outcome["score"])] * players
        if game.losers_pay:
            return [float(game.gain(seat, outcome["winner"], outcome["points"], players)) for seat in range(players)]
        if outcome["winner"] is None:
            return [0.0] * players
        return [1.0 if seat == outcome["winner"] else -1 / (players - 1) for seat in range(players)]

    def info(self) -> Any:
        """What OpenSpiel must know beforehand."""
        game = self.definition
        most = 1.0 if not game.cooperative and not game.losers_pay else MOST_POINTS
        return pyspiel.GameInfo(
            num_distinct_actions=self.encoding.actions,
            max_chance_outcomes=self._most_outcomes(),
            num_players=self.players,
            min_utility=0.0 if game.cooperative else -most,
            max_utility=most,
            utility_sum=None if game.cooperative else 0.0,
            max_game_length=LONGEST,
        )

    def _most_outcomes(self) -> int:
        first = self.sitting.step() if self.is_solved else None
        return max(len(first.outcomes) if isinstance(first, Chance) else 1, MOST_CARDS)


spiel_table = cache(SpielTable)


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no type hints
    """A game of OpenSpiel."""

    kibitz_name = ""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.key = (self.kibitz_name, int(given.get("players", 2)), str(given.get("rules", registry.game(self.kibitz_name).default_rules)))
        super().__init__(_game_type(self.kibitz_name), spiel_table(*self.key).info(), given)

    def new_initial_state(self) -> SpielState:
        """Before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Who writes observations."""
        if params:
            raise ValueError(f"observation parameters are not accepted; got {params}")
        return SpielObserver(spiel_table(*self.key), bool(iig_obs_type and iig_obs_type.perfect_recall))


class _Position:
    """Where a game stands, cheap to copy: the sitting is shared, and its moment is put back before it is used."""

    def __init__(self, game: SpielTable) -> None:
        self.game, self._sitting, self._moment = game, game.sitting, NEW_DEAL
        self.told: tuple[tuple[str, ...], ...] = ((),) * game.players  # what each player has learnt, in order
        self.taken: tuple[tuple[int, int], ...] = ()  # seats and actions
        self._answers: tuple[int, ...] = ()  # everything that was decided, by players and by chance
        self.step: Over | Ask | Chance = Over()
        self._advance()

    def __copy__(self) -> _Position:
        twin = _Position.__new__(_Position)
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: Any) -> _Position:
        return copy(self)

    def __reduce__(self) -> Any:
        return _replayed, (self.game.key, self._answers)

    @property
    def sitting(self) -> OpenSitting:
        """The sitting, at this position."""
        self._sitting.moment = self._moment
        return self._sitting

    @property
    def state(self) -> Any:
        """The state in which a player was last asked; None before the deal."""
        return self._moment.state

    def take(self, action: int) -> None:
        """Go on with an action or an outcome of chance."""
        if isinstance(self.step, Ask):
            self.taken = (*self.taken, (self.step.seat, action))
        self._answers = (*self._answers, action)
        sitting = self.sitting
        sitting.take(action)
        self._moment = sitting.moment
        self._advance()

    def _advance(self) -> None:
        sitting, before = self.sitting, self._moment.state
        self.step = sitting.step()
        self._moment = sitting.moment
        if self.state is not before:
            self.told = tuple((*told, *map(str, sitting.news(seat))) for seat, told in enumerate(self.told))


def _replayed(key: tuple[str, int, str], answers: tuple[int, ...]) -> _Position:
    position = _Position(spiel_table(*key))
    for answer in answers:
        position.take(answer)
    return position


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no type hints
    """A state of OpenSpiel."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position = _Position(spiel_table(*game.key))

    def current_player(self) -> int:
        """Who decides."""
        step = self.position.step
        if isinstance(step, Chance):
            return int(pyspiel.PlayerId.CHANCE)
        return int(step.seat) if isinstance(step, Ask) else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.game.definition.legal_actions(self.position.state)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What may happen, and how likely it is."""
        assert isinstance(self.position.step, Chance)
        return sorted(self.position.step.outcomes)

    def _apply_action(self, action: int) -> None:
        self.position.take(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        return self.position.game.definition.action_name(self.position.state, action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return isinstance(self.position.step, Over)

    def returns(self) -> list[float]:
        """What everybody has got."""
        return self.position.game.returns(self.position.state) if self.is_terminal() else [0.0] * self.position.game.players

    def __str__(self) -> str:
        position = self.position
        answers = position.sitting.moment.answers
        if position.state is None:
            return f"before the deal, {list(answers)}"
        then = f", then {list(answers)}" if answers else ""
        return position.game.definition.to_text(position.state, position.game.rules) + then


class SpielObserver:
    """Writes what a player sees; with perfect recall also the last actions, and in words all that it has learnt."""

    def __init__(self, game: SpielTable, recalls: bool) -> None:
        self._game, self._recalls = game, recalls
        parts = {"player": game.players, "view": game.encoding.size}
        if recalls:
            parts["actions"] = REMEMBERED * (game.players + ACTION_DIGITS)
        self.tensor = np.zeros(sum(parts.values()), np.float32)
        self.dict: dict[str, Any] = {}
        start = 0
        for name, length in parts.items():
            self.dict[name] = self.tensor[start : start + length]
            start += length
        if recalls:
            self.dict["actions"] = self.dict["actions"].reshape(REMEMBERED, game.players + ACTION_DIGITS)

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the tensor."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if state.position.state is not None:
            self._game.encoding.fill(state.position.sitting.look(player), self.dict["view"])
        if self._recalls:
            for place, (seat, action) in enumerate(reversed(state.position.taken[-REMEMBERED:])):
                row = self.dict["actions"][place]
                row[seat] = 1
                row[self._game.players :] = [action >> digit & 1 for digit in range(ACTION_DIGITS)]

    def string_from(self, state: SpielState, player: int) -> str:
        """The same in words."""
        if self._recalls:
            return f"player {player}: " + " | ".join(state.position.told[player])
        if state.position.state is None:
            return f"player {player}: before the deal"
        message = self._game.definition.wire.view_message(state.position.sitting.look(player))
        return f"player {player}: {message}"
