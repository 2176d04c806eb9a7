"""A bot whose choices depend on everything a search is built on: beliefs, worlds, states laid out, copied and played on."""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import WHOLE, Parameter
from kibitz.core.jit import Word, lowest, number, word
from kibitz.core.seeds import scramble
from kibitz.games.uno.cards import play_action
from kibitz.games.uno.engine import apply, default_action, forced_action, is_over
from kibitz.games.uno.state import Event, State
from kibitz.games.uno.view import View
from kibitz.search.parts import part_of, words_for
from kibitz.search.uno.belief import FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.layout import copy_state, lay_out
from kibitz.search.uno.worlds import FINE, Hidden, World, prepare, sample_world, search_stream

_ZERO = Word(0)


class Scratch:
    """Where it works."""

    states: Annotated[list[int], "u8", words_for(State, 2)]
    worlds: Annotated[list[int], "u8", words_for(World)]
    hidden: Annotated[list[int], "u8", words_for(Hidden)]


state_of = part_of(Scratch, "states", State)
world_of = part_of(Scratch, "worlds", World)
hidden_of = part_of(Scratch, "hidden", Hidden)


def begin(view: View, memory: Belief, params: Any) -> None:
    begin_belief(view, memory, params.mode, FLOOR, WILD_FLOOR)


def observe(view: View, event: Event, memory: Belief) -> None:
    observe_belief(view, event, memory)


def play_out(state: State, turns: int) -> int:
    """Play on by a simple rule; a figure that depends on all that happened."""
    figure = word(0)
    while not is_over(state) and turns > 0:
        action = forced_action(state)
        if action < 0:
            action = default_action(state, 0)
        if action < 0:
            action = play_action(lowest(state.playable_types), 1)
        apply(state, action)
        figure = scramble(figure ^ word(action) ^ state.deal_stream)
        turns -= 1
    return figure


@bot(
    name="follower",
    memory=Belief,
    scratch=Scratch,
    begin=begin,
    observe=observe,
    parameters=(Parameter("mode", WHOLE, "how draws are understood", 0, 1, default=0),),
    trusted=True,
)
def follower(view: View, memory: Belief, scratch: Scratch) -> int:
    """Let the fate of a few sampled worlds decide."""
    hidden, world = hidden_of(scratch, 0), world_of(scratch, 0)
    if prepare(view, memory, hidden) != FINE:
        return -1
    position = search_stream(view)
    figure = word(0)
    for _ in range(3):
        position = sample_world(view, memory, hidden, position, world)
        lay_out(view, world, position, state_of(scratch, 0))
        copy_state(state_of(scratch, 0), state_of(scratch, 1))
        both = word(0)
        for place in range(2):
            ending = play_out(state_of(scratch, place), 12)
            both ^= ending
            figure = scramble(figure ^ ending)
        if both != _ZERO:  # the copy went another way
            return -1
    if view.playable() == _ZERO:
        return view.decline()
    return view.play(view.pick(view.playable()), number(figure & word(3)))
