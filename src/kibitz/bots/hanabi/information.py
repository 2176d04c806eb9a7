"""Information: hat guessing, where every hint tells all other players something about their hands at once."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import WHOLE, Parameter
from kibitz.core.jit import number
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.common_knowledge import CommonKnowledge, begin_table
from kibitz.policies.hanabi.hat_messages import read_move
from kibitz.policies.hanabi.hat_moves import choose_move


def begin(view: View, memory: CommonKnowledge, params: Any) -> None:
    """Know the table."""
    memory.hint_above = params.hint_above
    memory.seen_weight = params.seen_weight
    memory.spare_weight = params.spare_weight
    memory.rank_weight = params.rank_weight
    begin_table(view, memory)


def observe(view: View, event: Event, memory: CommonKnowledge) -> None:
    """Read a move."""
    read_move(memory, event, view.cards, number(view.seat))


@bot(
    game="hanabi",
    trusted=True,
    parameters=(
        Parameter("hint_above", WHOLE, "with more tokens than this, hint rather than discard what may be needed", 0, 8),
        Parameter("seen_weight", WHOLE, "discards: what it counts that another hand has the card", 0, 100),
        Parameter("spare_weight", WHOLE, "discards: what it counts that the card is not the last copy", 0, 100),
        Parameter("rank_weight", WHOLE, "discards: what each rank counts", 0, 100),
    ),
    presets={
        "": {"hint_above": 4, "seen_weight": 20, "spare_weight": 10, "rank_weight": 1},
        "best": {"hint_above": 2, "seen_weight": 5, "spare_weight": 20, "rank_weight": 1},
    },
    memory=CommonKnowledge,
    begin=begin,
    observe=observe,
)
def information(view: View, memory: CommonKnowledge) -> int:
    """Guesses hats: each hint is a number from which every other player learns something about their own cards."""
    move = choose_move(memory, view.cards, number(view.seat))
    return move if view.is_legal(move) else view.pick_move(view.legal_moves)
