"""Games small enough to be solved in a moment, built once for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kibitz.experiments.studies.exact.game_tree import Tree, build_tree
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import parse_rules
from kibitz.play.open_sitting import NEW_DEAL, Moment, OpenSitting
from kibitz.play.sitting import Chance
from kibitz.play.uno.open_sitting import OpenUno

# Two cards each, two copies of everything: 132 information sets, and an equilibrium that mixes.
PAIRS = "numbers,deck=r1*2/r2*2/g1*2/g2*2,hand_size=2"
# A wild, cards that may be played when drawn, and whoever begins is drawn by lot.
WILD = "classic,must_play=on,deck=r1*2/r2/g1/g2/wild,hand_size=1"
# Draw Twos that act as the opening card, Skips, and a Wild Draw Four that may be challenged.
ACTIONS = "classic,deck=r1/r+2/gskip/g1/wild+4,hand_size=1,wild_draw_four=challenge,max_turns=6"


def open_uno(rules: str, refills: bool = False) -> OpenUno:
    """UNO of two with its chance laid open."""
    return OpenUno(GAME, parse_rules(rules), refills=refills)


def everything_after(sitting: OpenSitting, moment: Moment) -> Iterator[tuple[Moment, float]]:
    """All that chance can make of a moment in which something was decided, each with its probability."""
    sitting.moment = moment
    step = sitting.step()
    if not isinstance(step, Chance):
        yield sitting.moment, 1.0
        return
    for outcome, chance in step.outcomes:
        for reached, share in everything_after(sitting, Moment(moment.state, (*moment.answers, outcome))):
            yield reached, chance * share


def replay(tree: Tree, place: int) -> Moment:
    """The moment of a position, by the answers that lead to it."""
    node, sitting = tree.positions[place], tree.sitting
    sitting.moment = NEW_DEAL if node.parent < 0 else replay(tree, node.parent)
    sitting.take(*node.answers)
    sitting.step()
    return sitting.moment


@cache
def tree_of(rules: str, refills: bool = False) -> Tree:
    """A tree, built once."""
    return build_tree(open_uno(rules, refills))
