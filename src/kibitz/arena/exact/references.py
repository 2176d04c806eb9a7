"""What the values of a search come down to if its budget has no end, exactly: so its table can be checked, not only its play.

Rollouts with known policies tend to `policy_values`, a minimax of sampled worlds to `open_values`. Both presuppose the blind belief of
`kibitz.search.exact.values`: for searches that weigh worlds by a model of their opponents, or read draws otherwise, there is none.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz import registry
from kibitz.arena.exact.minds import PlainMind
from kibitz.arena.lineup import make_lineup
from kibitz.bots.bot import Bot, bot
from kibitz.errors import BadValue
from kibitz.games.uno.view import View
from kibitz.registry import Entrant
from kibitz.search.exact.policy import choices_of
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.tree import Tree
from kibitz.search.exact.values import check_belief, open_values, policy_values, settled_sets
from kibitz.search.uno.policies import choose_at_random, choose_greedily, choose_like_mix2

LINEAR = "linear"


class Reference(NamedTuple):
    """Exact values of actions, by seat and sequence; nan where a search and the solved game would not be about the same."""

    name: str
    values: tuple[Floats, Floats]


@bot(name="policy random", trusted=True)
def policy_random(view: View) -> int:
    """How a rollout plays on at random."""
    return choose_at_random(view)


@bot(name="policy greedy", trusted=True)
def policy_greedy(view: View) -> int:
    """How a rollout plays on by colours."""
    return choose_greedily(view)


@bot(name="policy mix2", trusted=True)
def policy_mix2(view: View) -> int:
    """How a rollout plays on like mix2."""
    return choose_like_mix2(view)


POLICIES: dict[str, Bot] = {"random": policy_random, "greedy": policy_greedy, "mix2": policy_mix2}


class References:
    """Exact values in one game, found when they are first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._settled = cache(lambda seat: settled_sets(tree, seat))
        self._choices = cache(self._find_choices)
        self._policy = cache(self._find_policy_values)
        self._open = cache(self._find_open_values)

    def of(self, entrant: Entrant) -> Reference | None:
        """What a search's values tend to, None if that is not known."""
        values: Any = entrant.values
        try:
            check_belief(self.tree.rules)
        except BadValue:
            return None
        if values.get("belief", "exact") != "exact" or values.get("model", "none") != "none":
            return None
        if values.get("policy") in (*POLICIES, LINEAR):
            own = str(values["policy"])
            others = str(values.get("others", own))
            return self._policy(own, others)
        if entrant.bot.name == "expectiminimax":
            return self._open(int(values["depth"]))
        return None

    def _find_choices(self, policy: str, seat: int) -> Floats:
        player = registry.entrant(LINEAR) if policy == LINEAR else registry.entrant(POLICIES[policy])
        return choices_of(self.tree, PlainMind(make_lineup([player, player], self.tree.engine.rules, seating="fixed")), seat)

    def _find_policy_values(self, own: str, others: str) -> Reference:
        name = f"all play on like {own}" if own == others else f"plays on like {own}, the other like {others}"
        found = []
        for seat in (0, 1):
            policies = (own, others) if seat == 0 else (others, own)
            choices = (self._choices(policies[0], 0), self._choices(policies[1], 1))
            found.append(self._where_settled(policy_values(self.tree, choices, seat), seat))
        return Reference(name, (found[0], found[1]))

    def _find_open_values(self, depth: int) -> Reference:
        first, second = (self._where_settled(open_values(self.tree, seat, depth), seat) for seat in (0, 1))
        return Reference(f"hands open, {depth} turns", (first, second))

    def _where_settled(self, values: Floats, seat: int) -> Floats:
        """The solved game ends where a card is missing, the search goes on: sets from which that can happen are left out."""
        side = self.tree.sides[seat]
        kept: Floats = values.copy()
        kept[1:][~self._settled(seat)[side.owners[1:]]] = np.nan
        return kept
