"""Environments for those who learn: every game that is installed, through the interfaces of PettingZoo and Gymnasium.

    aec(game, players=4)                           PettingZoo: every seat is an agent
    parallel(game, players=4)                      the same, stepped with the actions of all agents
    solo(game, against="random")                   Gymnasium: you and bots
    vector(game, num_envs=4096, against="random")  thousands of such games at once, over the compiled engine

Games are also known to both registries as kibitz/GAME-v0 once this package is imported: `gymnasium.make("kibitz/GAME-v0", against=…)`,
`pettingzoo.make("aec", "kibitz/GAME-v0")`; and `from kibitz.envs import GAME_v0` has PettingZoo's usual env, raw_env and parallel_env.

Observations are dictionaries with `observation`, a vector of zeros and ones (docs/environments.md lists its places), and `action_mask`.
Needs the extra `envs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.extras import MissingExtra
from kibitz.envs.episode import lineup_with
from kibitz.envs.model_bots import as_bot as as_bot
from kibitz.games.contract import GameDefinition
from kibitz.games.plugins import game_names
from kibitz.play.observing import vector_of

if TYPE_CHECKING:
    from kibitz.envs.agent_envs import TogetherEnv
    from kibitz.envs.solo_env import SoloEnv
    from kibitz.envs.vector_env import TableVector

VERSION = 0  # of the environments, raised when one is no longer what it was; encodings have versions of their own
Bots = str | Sequence[Any] | None


def aec(game: str | None = None, players: int = 2, rules: Any = None, reward: str | None = None, render_mode: str | None = None) -> Any:
    """A PettingZoo environment in which agents take turns."""
    _check_extra("pettingzoo", "PettingZoo")
    from kibitz.envs.agent_envs import env

    return env(game, players=players, rules=rules, reward=reward, render_mode=render_mode)


def parallel(
    game: str | None = None, players: int = 2, rules: Any = None, reward: str | None = None, render_mode: str | None = None
) -> TogetherEnv:
    """The same game as a parallel environment: all agents hand in an action, that of the player to act counts."""
    _check_extra("pettingzoo", "PettingZoo")
    from kibitz.envs.agent_envs import parallel_env

    return parallel_env(game, players=players, rules=rules, reward=reward, render_mode=render_mode)


def solo(
    game: str | None = None,
    against: Bots = None,
    partners: Bots = None,
    players: int = 2,
    rules: Any = None,
    reward: str | None = None,
    illegal: str = "raise",
    render_mode: str | None = None,
) -> SoloEnv:
    """A Gymnasium environment: you against bots, or with partners. One bot sits in all other seats."""
    _check_extra("gymnasium", "Gymnasium")
    from kibitz.envs.solo_env import SoloEnv

    return SoloEnv(_lineup(game, against, partners, players, rules), reward, illegal, render_mode)


def vector(
    game: str | None = None,
    num_envs: int = 1024,
    against: Bots = None,
    partners: Bots = None,
    players: int = 2,
    rules: Any = None,
    reward: str | None = None,
    **options: Any,
) -> TableVector:
    """Many such games at once. Options: autoreset "next_step" or "same_step", threads, copy=False for arrays without a copy."""
    _check_extra("gymnasium", "Gymnasium")
    from kibitz.envs.vector_env import TableVector

    return TableVector(_lineup(game, against, partners, players, rules), num_envs, reward, **options)


def encode(view: Any, game: str | None = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A view, such as a Python bot is given or `kibitz.Game.view` returns, as an observation."""
    definition = _game_of(view) if game is None else registry.game(game)
    if definition.encoding is None:
        raise BadValue(f"{definition.title} has no encoding of views.")
    return vector_of(view, definition.encoding(view))


def decode_action(view: Any, action: int, game: str | None = None) -> str:
    """The name of an action."""
    definition = _game_of(view) if game is None else registry.game(game)
    return definition.action_name(view, int(action))


def _game_of(view: Any) -> GameDefinition:
    for name in game_names():
        definition = registry.game(name)
        if isinstance(view, definition.view):
            return definition
    raise BadValue(f"{type(view).__name__} is no view of a game; views come from kibitz.Game and from bots' `choose`.")


def _check_extra(package: str, title: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra("this environment", package, title)


def _lineup(game: str | None, against: Bots, partners: Bots, players: int, rules: Any) -> Any:
    """The learner and its bots; one bot sits in all other seats."""
    definition = registry.game(game)
    word, other = ("partners", "against") if definition.cooperative else ("against", "partners")
    given, wrong = (partners, against) if definition.cooperative else (against, partners)
    if wrong is not None:
        raise BadValue(f"{other}={wrong!r} is not accepted in {definition.title}; name the other players with {word}.")
    if given is None:
        raise BadValue(f"name the bots that sit beside you with {word}, such as {word}='{next(iter(definition.bots))}'.")
    bots = [given] * (players - 1) if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    return lineup_with(definition.name, [None, *bots], rules, "random")


def __getattr__(name: str) -> Any:
    """`GAME_v0`: PettingZoo's usual three functions for a game."""
    game = name.removesuffix(f"_v{VERSION}")
    if game != name and game in game_names():
        _check_extra("pettingzoo", "PettingZoo")
        from kibitz.envs import agent_envs

        return SimpleNamespace(
            **{made.__name__: partial(made, game) for made in (agent_envs.env, agent_envs.raw_env, agent_envs.parallel_env)}
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register() -> None:
    """Make every game known to the registries that are installed."""
    if find_spec("gymnasium") is not None:
        from gymnasium.envs.registration import register

        for game in game_names():
            register(f"kibitz/{game}-v{VERSION}", entry_point=partial(solo, game), vector_entry_point=partial(vector, game))
    if find_spec("pettingzoo") is not None:
        from pettingzoo.env_registry.registration import register as register_agents

        for game in game_names():
            register_agents("aec", f"kibitz/{game}-v{VERSION}", entry_point=partial(aec, game))
            register_agents("parallel", f"kibitz/{game}-v{VERSION}", entry_point=partial(parallel, game))


_register()
