"""Rollouts: every candidate played on in many worlds that could be the real one.

`champion` and `cheater` are the same strategy with other parameters, so that one compiled form serves all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kibitz.bots.bot import Bot, bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter, Value, trained_weights
from kibitz.bots.uno.linear import CLASSES, linear_weights
from kibitz.bots.uno.net import net_for_search_from
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.policies.uno.net.forward import WEIGHTS as NET_WEIGHTS
from kibitz.policies.uno.net_policy import ONCE as ONCE_VALUED
from kibitz.policies.uno.net_policy import PLAY_ON_NAMES, POLICY_NAMES, VALUE_NAMES
from kibitz.policies.uno.sightings import begin_sightings, update_shared_sightings
from kibitz.policies.valuation import WIN_CHANCE, begin_valuation
from kibitz.policies.weight_files import SHIPPED
from kibitz.search.uno.belief import BELIEF_NAMES, FLOOR, WILD_FLOOR, begin_belief, observe_belief
from kibitz.search.uno.belief import ONCE as ONCE_BELIEVED
from kibitz.search.uno.history import begin_history, observe_history
from kibitz.search.uno.rollouts import (
    CANDIDATE_NAMES,
    MODEL_NAMES,
    RolloutMemory,
    Rollouts,
    base_action,
    history_of,
    search,
    sightings_of,
    workspace_of,
)

MOST_ROLLOUTS = 10_000_000


def uses_net(values: Mapping[str, Value]) -> bool:
    """Whether parameters name the network anywhere, so that its weights are wanted."""
    return "net" in (values["policy"], values["play_on"], values["others"], values["value"])


NETWORK = replace(
    trained_weights(
        "weights of the network, where it is used (`kibitz train net`)", len(CLASSES) * NET_WEIGHTS, net_for_search_from, "net"
    ),
    needed=uses_net,
)
PARAMETERS = (
    Parameter("rollouts", WHOLE, "games played on for one decision", 1, MOST_ROLLOUTS),
    Parameter("milliseconds", REAL, "time for one decision instead; 0: no limit in time", 0, 1e6),
    Parameter("policy", CHOICE, "what is done without a search, and stands unless another action is better", choices=POLICY_NAMES),
    Parameter("play_on", CHOICE, "how the bot itself plays on: by that policy, or by another", choices=PLAY_ON_NAMES),
    Parameter("others", CHOICE, "how the others play on", choices=POLICY_NAMES),
    Parameter("horizon", WHOLE, "rounds after which a position is valued rather than played on; 0: play to the end", 0, 1000),
    Parameter(
        "value",
        CHOICE,
        "what values it: a learned evaluation of all hands, or the network from the bot's own seat",
        choices=VALUE_NAMES,
        once=ONCE_VALUED,
        once_named=("guess",),
    ),
    Parameter("lean", REAL, "standard errors by which an action must lead to be taken instead of the policy's own", 0, 10),
    Parameter("margin", REAL, "and the win chance by which it must lead besides, since worlds and policies are not quite right", 0, 1),
    Parameter("trust", REAL, "and besides for each unit by which the policy, linear or net, scores it lower than its own", 0, 1),
    Parameter("shortlist", REAL, "try only actions that it scores lower by no more than this; 0: all", 0, 1000),
    Parameter("model", CHOICE, "whose choices make worlds likely or not", choices=MODEL_NAMES),
    Parameter("belief", CHOICE, "how draws are understood", choices=BELIEF_NAMES, once=ONCE_BELIEVED),
    Parameter("search", SWITCH, "search, or play the policy alone"),
    Parameter(
        "candidates", CHOICE, "which actions are tried: sensible ones, ever fewer of them, or every legal one", choices=CANDIDATE_NAMES
    ),
    linear_weights("weights of the linear policy (`kibitz train linear`)"),
    NETWORK,
)
USUAL: dict[str, Value] = {
    "rollouts": 1000,
    "milliseconds": 0.0,
    "policy": "linear",
    "play_on": "policy",
    "others": "mix2",
    "horizon": 0,
    "value": "evaluation",
    "lean": 1.0,
    "margin": 0.0,
    "trust": 0.0,
    "shortlist": 0.0,
    "model": "mix2",
    "belief": "exact",
    "search": True,
    "candidates": "sensible",
    "weights": SHIPPED,
    "net": SHIPPED,
}


def begin(view: View, memory: RolloutMemory, params: Any) -> None:
    """Nothing is known of the others."""
    begin_sightings(view, sightings_of(memory, 0))
    if params.search:
        begin_belief(view, memory, params.belief, FLOOR, WILD_FLOOR)
        begin_history(view, history_of(memory, 0))


def observe(view: View, event: Event, memory: RolloutMemory, params: Any) -> None:
    """Conclude from what happened, as far as it is needed."""
    update_shared_sightings(view, event, sightings_of(memory, 0))
    if params.search:
        observe_belief(view, event, memory)
        observe_history(view, event, history_of(memory, 0))


def play_by_rollouts(view: View, memory: RolloutMemory, params: Any, scratch: Rollouts) -> int:
    """Search, or take what the policy says."""
    if params.search:
        return search(view, memory, scratch, params)
    begin_valuation(scratch, WIN_CHANCE)
    return base_action(view, sightings_of(memory, 0), workspace_of(scratch, 0), params)


def rollout_bot(name: str, about: str, presets: dict[str, dict[str, Value]], sees_everything: bool = False) -> Bot:
    """A bot that plays by rollouts, with parameters of its own."""
    return bot(
        name=name,
        about=about,
        parameters=PARAMETERS,
        presets=presets,
        memory=RolloutMemory,
        scratch=Rollouts,
        begin=begin,
        observe=observe,
        windows=WINDOWS,
        sees_everything=sees_everything,
        trusted=True,
    )(play_by_rollouts)


rollout = rollout_bot(
    "rollout",
    """Plays every candidate on in sampled worlds, the same for all, and halves the field as it goes.

    A policy plays on for the bot and another for the others, to the end or to a horizon where a learned evaluation values the position. The
    policy's own choice stands unless another action leads by so many standard errors. Worlds come from a belief over the hidden cards,
    weighted by how likely a model makes what the others did.
    """,
    {"": USUAL},
)
