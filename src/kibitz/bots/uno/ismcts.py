"""Information-set Monte-Carlo tree search."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter
from kibitz.bots.uno.linear import linear_weights
from kibitz.bots.uno.rollout import NETWORK
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.policies.uno.net_policy import ONCE as ONCE_VALUED
from kibitz.policies.uno.net_policy import PLAY_ON_NAMES, POLICY_NAMES, VALUE_NAMES
from kibitz.policies.uno.sightings import begin_sightings, update_shared_sightings
from kibitz.search.uno.belief import BELIEF_NAMES, FLOOR, WILD_FLOOR, begin_belief, observe_belief
from kibitz.search.uno.belief import ONCE as ONCE_BELIEVED
from kibitz.search.uno.history import begin_history, observe_history
from kibitz.search.uno.ismcts.decision import MODEL_NAMES, ROOT_NAMES, decide
from kibitz.search.uno.ismcts.nodes import IsmctsMemory, IsmctsSearch, remembered_of


def begin(view: View, memory: IsmctsMemory, params: Any) -> None:
    """Nothing is known of the others."""
    begin_belief(view, memory, params.belief, FLOOR, WILD_FLOOR)
    begin_history(view, memory)
    begin_sightings(view, remembered_of(memory, 0))


def observe(view: View, event: Event, memory: IsmctsMemory) -> None:
    """Draw conclusions from what others do."""
    observe_belief(view, event, memory)
    observe_history(view, event, memory)
    update_shared_sightings(view, event, remembered_of(memory, 0))


@bot(
    parameters=(
        Parameter("rollouts", WHOLE, "games played for one decision", 1, 10_000_000, default=1000),
        Parameter("milliseconds", REAL, "time for one decision, instead of `rollouts`; 0: no limit in time", 0, 600_000, default=0.0),
        Parameter("belief", CHOICE, "how draws of others are understood", default="exact", choices=BELIEF_NAMES, once=ONCE_BELIEVED),
        Parameter("model", CHOICE, "how worlds are weighed by what others did", default="mix2", choices=MODEL_NAMES),
        Parameter(
            "policy", CHOICE, "the base action, and what the searcher tries first in the tree", default="linear", choices=POLICY_NAMES
        ),
        Parameter(
            "play_on", CHOICE, "how it plays beyond the tree: by that policy, or by another", default="policy", choices=PLAY_ON_NAMES
        ),
        Parameter("others", CHOICE, "how other players play beyond the tree", default="mix2", choices=POLICY_NAMES),
        Parameter("horizon", WHOLE, "rounds beyond the tree after which a position is valued; 0: play to the end", 0, 1000, default=3),
        Parameter(
            "value",
            CHOICE,
            "what values it: a learned evaluation of all hands, or the network from the searcher's seat",
            default="evaluation",
            choices=VALUE_NAMES,
            once=ONCE_VALUED,
            once_named=("guess",),
        ),
        Parameter(
            "search_others", SWITCH, "other players choose in the tree what is best for them, else what their policy says", default=False
        ),
        Parameter("root", CHOICE, "how candidates share the budget", default="paired", choices=ROOT_NAMES),
        Parameter("lean", REAL, "standard errors by which an action must be better than the base action", 0, 10, default=2.0),
        Parameter("exploration", REAL, "weight of what was tried seldom", 0, 10, default=0.7),
        Parameter("urgency", REAL, "what an action never tried at a node is thought to be worth", 0, 10, default=0.4),
        Parameter("bias", REAL, "what is added for the policy's action at a node, divided by its visits and one", 0, 100, default=1.0),
        Parameter("prune", SWITCH, "leave silly actions out", default=True),
        linear_weights("weights of the policy `linear`, as that bot's"),
        NETWORK,
    ),
    memory=IsmctsMemory,
    scratch=IsmctsSearch,
    begin=begin,
    observe=observe,
    windows=WINDOWS,
    trusted=True,
)
def ismcts(view: View, memory: IsmctsMemory, params: Any, scratch: IsmctsSearch) -> int:
    """Searches a tree of what it may see, through worlds that agree with what it saw, and takes the best action.

    All candidates are tried in the same worlds, and the worse half of them is given up from time to time. Below them a tree
    learns what to do next; beyond it policies play on. What its own policy would do stands, unless another action is better
    by so many standard errors.
    """
    return decide(view, memory, scratch, params)
