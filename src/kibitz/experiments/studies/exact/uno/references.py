"""What the values of a search come down to if its budget has no end, exactly: so its table can be checked, not only its play.

Rollouts with known policies tend to `policy_values`, a minimax of sampled worlds to `open_values`. Both presuppose the blind belief of
`kibitz.experiments.studies.exact.values`: for searches that weigh worlds by a model of their opponents, or read draws otherwise, there is none.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot, bot
from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.experiments.studies.exact.minds import Mind
from kibitz.experiments.studies.exact.values import Reference, open_values, policy_values, settled_sets
from kibitz.experiments.studies.exact.walk import choices_of
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.view import View
from kibitz.play.lineup import make_lineup
from kibitz.policies.uno.rollout_policies import choose_at_random, choose_greedily, choose_like_mix2
from kibitz.registry import Entrant
from kibitz.search.exact.sequences import Floats

LINEAR = "linear"


@bot(name="policy random", game="uno", trusted=True)
def policy_random(view: View) -> int:
    """How a rollout plays on at random."""
    return choose_at_random(view)


@bot(name="policy greedy", game="uno", trusted=True)
def policy_greedy(view: View) -> int:
    """How a rollout plays on by colours."""
    return choose_greedily(view)


@bot(name="policy mix2", game="uno", trusted=True)
def policy_mix2(view: View) -> int:
    """How a rollout plays on like mix2."""
    return choose_like_mix2(view)


POLICIES: dict[str, Bot] = {"random": policy_random, "greedy": policy_greedy, "mix2": policy_mix2}


def draws_prove(rules: Rules) -> bool:
    """Whether a draw proves the same to everybody who looks on: who can play must, and a drawn card ends the turn."""
    return rules.must_play and rules.drawn_card == "may_not_play"


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
        if not draws_prove(self.tree.rules):
            return None
        if values.get("belief", "exact") != "exact" or values.get("model", "none") != "none":
            return None
        if entrant.bot.name == "expectiminimax":
            slips = values["same_card"] or values["lost_copies"] or values["hold_back"]
            most_drawn = sum(self.tree.rules.deck) - 2 * self.tree.rules.hand_size - 1
            return None if slips or values["draw_samples"] < most_drawn else self._open(1 + int(values["depth"]))
        plain = "exploration" not in values and not values.get("horizon") and values.get("search", True)  # no tree, no guesses
        if plain and values.get("policy") in (*POLICIES, LINEAR):
            own = str(values["policy"])
            return self._policy(own, str(values.get("others", own)))
        return None

    def _find_choices(self, policy: str, seat: int) -> Floats:
        player = registry.entrant(LINEAR, "uno") if policy == LINEAR else registry.entrant(POLICIES[policy])
        return choices_of(self.tree, Mind(make_lineup([player, player], self.tree.sitting.rules, seating="fixed")), seat)

    def _find_policy_values(self, own: str, others: str) -> Reference:
        name = f"all play on like {own}" if own == others else f"plays on like {own}, the other like {others}"
        first = policy_values(self.tree, (self._choices(own, 0), self._choices(others, 1)), 0)
        second = policy_values(self.tree, (self._choices(others, 0), self._choices(own, 1)), 1)
        return self._reference(name, first, second)

    def _find_open_values(self, depth: int) -> Reference:
        return self._reference(f"all hands open, {depth} turns", open_values(self.tree, 0, depth), open_values(self.tree, 1, depth))

    def _reference(self, name: str, first: Floats, second: Floats) -> Reference:
        return Reference(name, (first, second), (self._where_settled(first, 0), self._where_settled(second, 1)))

    def _where_settled(self, values: Floats, seat: int) -> Floats:
        """The solved game ends where a card is missing, the search goes on: sets from which that can happen are left out."""
        side = self.tree.sides[seat]
        kept: Floats = values.copy()
        kept[1:][~self._settled(seat)[side.owners[1:]]] = np.nan
        return kept
