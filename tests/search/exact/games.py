"""Games small enough to be solved in a moment, built once for all tests."""

from __future__ import annotations

from functools import cache

from kibitz.games.uno.rules import parse_rules
from kibitz.search.exact.tree import Tree, build_tree
from kibitz.search.exact.uno.chance import OpenEngine

# Two cards each, two copies of everything: 132 information sets, and an equilibrium that mixes.
PAIRS = "numbers,deck=r1*2/r2*2/g1*2/g2*2,hand_size=2"
# A wild, cards that may be played when drawn, and whoever begins is drawn by lot.
WILD = "classic,must_play=on,deck=r1*2/r2/g1/g2/wild,hand_size=1"
# Draw Twos that act as the opening card, Skips, and a Wild Draw Four that may be challenged.
ACTIONS = "classic,deck=r1/r+2/gskip/g1/wild+4,hand_size=1,wild_draw_four=challenge,max_turns=6"


@cache
def tree_of(rules: str, refills: bool = False) -> Tree:
    """A tree, built once."""
    return build_tree(OpenEngine(parse_rules(rules), refills))
