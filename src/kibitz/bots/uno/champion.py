"""The champion: the linear policy, and rollouts that improve on it where there is time."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import SWITCH, Parameter
from kibitz.bots.uno.rollout import USUAL, begin, observe, parameters
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.search.uno.features import begin_sightings, update_shared_sightings
from kibitz.search.uno.rollouts import Memory, Rollouts, base_action, search, sightings_of
from kibitz.search.valuation import WIN_CHANCE, begin_valuation

STRONG = {**USUAL, "rollouts": 2500, "horizon": 8, "lean": 1.0, "search": True}
FAST = {**STRONG, "search": False}


def begin_champion(view: View, memory: Memory, params: Any) -> None:
    """Nothing is known of the others."""
    if params.search:
        begin(view, memory, params)
    else:
        begin_sightings(view, sightings_of(memory, 0))


def observe_champion(view: View, event: Event, memory: Memory, params: Any) -> None:
    """Conclude from what happened, as far as it is needed."""
    if params.search:
        observe(view, event, memory)
    else:
        update_shared_sightings(view, event, sightings_of(memory, 0))


@bot(
    parameters=(*parameters(), Parameter("search", SWITCH, "search, or play the policy alone")),
    presets={"strong": STRONG, "fast": FAST},
    memory=Memory,
    scratch=Rollouts,
    begin=begin_champion,
    observe=observe_champion,
    windows=WINDOWS,
    trusted=True,
)
def champion(view: View, memory: Memory, params: Any, scratch: Rollouts) -> int:
    """The strongest bot here: rollouts upon a learned policy, some milliseconds a decision; `champion:fast` is the policy alone.

    Worlds are weighted by what the others did, everybody plays on by a policy for some turns, and a learned guess values what comes
    after. The policy's own choice stands unless another action is clearly better.
    """
    if params.search:
        return search(view, memory, scratch, params)
    begin_valuation(scratch, WIN_CHANCE)
    return base_action(view, memory, scratch, params)
