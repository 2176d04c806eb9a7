"""The network inside a search: as a policy among the others, and as a guess at the chance to win.

It sees what the player to act sees, as all policies do. Its weights are one row for each class of tables; a search that does not
use the network has none, and never comes here.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import number
from kibitz.games.uno.engine import as_view
from kibitz.games.uno.state import State
from kibitz.games.uno.view import View
from kibitz.policies.uno.features import list_sensible
from kibitz.policies.uno.net.forward import NetWorkspace, best_by_net, best_seen, first_weight, judges, value_of
from kibitz.policies.uno.net.inputs import see_table
from kibitz.policies.uno.rollout_policies import SIMPLE_NAMES, choose_by
from kibitz.policies.uno.sightings import Sightings

NET = len(SIMPLE_NAMES)
POLICY_NAMES = (*SIMPLE_NAMES, "net")

AS_POLICY = 0  # how the searcher plays on: by the policy that is its base, or by one of its own, counted from 1
PLAY_ON_NAMES = ("policy", *POLICY_NAMES)

BY_EVALUATION, BY_NET = 0, 1  # how a game that is not played to its end is valued
VALUE_NAMES = ("evaluation", "net")
ONCE = {"standing": "evaluation"}  # what they were called before


def best_of_all(view: View, sightings: Sightings, found: NetWorkspace, net: Any) -> int:
    """What the bot `net` does."""
    return best_by_net(view, sightings, found, net, first_weight(number(view.players)))


def best_in_haste(view: View, sightings: Sightings, found: NetWorkspace, net: Any) -> int:
    """The same among fewer candidates, as the linear policy does in haste."""
    list_sensible(view, found)
    if found.candidates == 1:
        return number(found.actions[0])
    see_table(view, sightings, found)
    return best_seen(view, sightings, found, net, first_weight(number(view.players)))


def play_by(policy: int, view: View, sightings: Sightings, found: NetWorkspace, weights: Any, net: Any) -> int:
    """What any policy does in a view, in a turn or with a card just drawn."""
    if policy == NET:
        return best_in_haste(view, sightings, found, net)
    return choose_by(policy, view, sightings, found, weights)


def chance_by_net(state: State, sightings: Sightings, found: NetWorkspace, net: Any) -> float:
    """The chance to win of the player to act, as the network sees it; a fair share if it has never learned to judge such tables."""
    view = as_view(state)
    first = first_weight(number(view.players))
    if not judges(net, first):
        return 1.0 / number(view.players)
    see_table(view, sightings, found)
    return value_of(found, net, first)


def own_policy(params: Any) -> int:
    """How the searcher plays on."""
    return number(params.policy) if params.play_on == AS_POLICY else number(params.play_on) - 1
