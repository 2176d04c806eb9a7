"""Expectiminimax: worlds sampled from a belief, and the best answer to the worst, a few turns deep."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import CHOICE, SWITCH, WHOLE, Parameter
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.search.uno.belief import BELIEF_NAMES, FLOOR, ONCE, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.expectiminimax.root import choose_action
from kibitz.search.uno.expectiminimax.workspace import MAX_DEPTH, MOST_DRAWS, MOST_SAMPLES, OTHERS_NAMES, ExpectiminimaxSearch


def begin(view: View, memory: Belief, params: Any) -> None:
    """Nothing is known but the cards on the table."""
    begin_belief(view, memory, params.belief, FLOOR, WILD_FLOOR)


def observe(view: View, event: Event, memory: Belief) -> None:
    """Conclude from what others did."""
    observe_belief(view, event, memory)


@bot(
    parameters=(
        Parameter("samples", WHOLE, "worlds in which each action is tried", 1, MOST_SAMPLES, default=50),
        Parameter("depth", WHOLE, "turns that are foreseen after the own one", 1, MAX_DEPTH, default=3),
        Parameter("draw_samples", WHOLE, "cards that are tried where somebody draws", 1, MOST_DRAWS, default=5),
        Parameter("belief", CHOICE, "how draws of others are understood", default="exact", choices=BELIEF_NAMES, once=ONCE),
        Parameter("others", CHOICE, "whether others play against the searcher or for themselves", default="against", choices=OTHERS_NAMES),
        Parameter("common", SWITCH, "all actions are tried in the same worlds", default=False),
        Parameter("hold_back", SWITCH, "the search considers that players draw although they could play", default=False),
        Parameter("same_card", SWITCH, "first slip of the original: all cards tried for a draw are the same one", default=False),
        Parameter("lost_copies", SWITCH, "second slip: the draw pile lacks every copy of a card in another hand", default=False),
    ),
    memory=Belief,
    scratch=ExpectiminimaxSearch,
    begin=begin,
    observe=observe,
    windows=WINDOWS,
    trusted=True,
)
def expectiminimax(view: View, memory: Belief, params: Any, scratch: ExpectiminimaxSearch) -> int:
    """Searches a few turns deep in sampled worlds: own best, others' worst, the mean over draws.

    A won game counts 100, a lost one -100, the horizon the cards of others minus its own. It takes others' cards in each
    world as if everybody saw them, which makes it fear answers that nobody knows of, and hope for ones it cannot know.
    """
    scratch.depth = params.depth
    scratch.draws = 1 if params.same_card else params.draw_samples
    scratch.others = params.others
    scratch.hold_back = params.hold_back
    scratch.lost_copies = params.lost_copies
    return choose_action(view, memory, scratch, params.samples, params.common != 0)
