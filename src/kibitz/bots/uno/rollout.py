"""Rollouts: every candidate played to the end in many worlds that could be the real one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import CHOICE, REAL, WEIGHTS, WHOLE, Parameter, Value
from kibitz.bots.uno.linear import CLASSES, SHIPPED, weights_from
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.search.uno.belief import BELIEF_NAMES, FLOOR, WILD_FLOOR, begin_belief, observe_belief
from kibitz.search.uno.features import FEATURES, begin_sightings, update_shared_sightings
from kibitz.search.uno.history import begin_history, observe_history
from kibitz.search.uno.policies import POLICY_NAMES
from kibitz.search.uno.rollouts import MODEL_NAMES, Memory, Rollouts, history_of, search, sightings_of

MOST_ROLLOUTS = 10_000_000
USUAL: dict[str, Value] = {
    "rollouts": 1000,
    "milliseconds": 0.0,
    "policy": "linear",
    "others": "mix2",
    "horizon": 0,
    "lean": 1.0,
    "model": "mix2",
    "belief": "exact",
    "weights": SHIPPED,
}


def begin(view: View, memory: Memory, params: Any) -> None:
    """Nothing is known of the others."""
    begin_belief(view, memory, params.belief, FLOOR, WILD_FLOOR)
    begin_sightings(view, sightings_of(memory, 0))
    begin_history(view, history_of(memory, 0))


def observe(view: View, event: Event, memory: Memory) -> None:
    """Conclude from what happened."""
    observe_belief(view, event, memory)
    update_shared_sightings(view, event, sightings_of(memory, 0))
    observe_history(view, event, history_of(memory, 0))


def parameters(**defaults: Any) -> tuple[Parameter, ...]:
    """The parameters of bots that search by rollouts."""
    weights = len(CLASSES) * FEATURES
    declared = (
        Parameter("rollouts", WHOLE, "games played on for one decision", 1, MOST_ROLLOUTS),
        Parameter("milliseconds", REAL, "time for one decision instead; 0: no limit in time", 0, 1e6),
        Parameter("policy", CHOICE, "how the bot itself plays on", choices=POLICY_NAMES),
        Parameter("others", CHOICE, "how the others play on", choices=POLICY_NAMES),
        Parameter("horizon", WHOLE, "turns after which a game is guessed rather than played on; 0: play to the end", 0, 1000),
        Parameter("lean", REAL, "standard errors by which an action must lead to be taken instead of the policy's own", 0, 10),
        Parameter("model", CHOICE, "whose choices make worlds likely or not", choices=MODEL_NAMES),
        Parameter("belief", CHOICE, "how draws are understood", choices=BELIEF_NAMES),
        Parameter("weights", WEIGHTS, "weights of the linear policy (`kibitz train linear`)", -1e6, 1e6, weights, read=weights_from),
    )
    usual = {**USUAL, **defaults}
    return tuple(replace(parameter, default=usual[parameter.name]) for parameter in declared)


@bot(
    parameters=parameters(),
    memory=Memory,
    scratch=Rollouts,
    begin=begin,
    observe=observe,
    windows=WINDOWS,
    trusted=True,
)
def rollout(view: View, memory: Memory, params: Any, scratch: Rollouts) -> int:
    """Plays every candidate to the end in sampled worlds, the same for all, and halves the field as it goes.

    A policy plays on for the bot and another for the others. Its own choice stands unless another action leads by so many standard
    errors. Worlds come from a belief over the hidden cards.
    """
    return search(view, memory, scratch, params)
