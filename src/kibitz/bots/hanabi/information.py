"""Information: hat guessing, where every hint tells all other players something about their hands at once."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import WHOLE, Parameter
from kibitz.core.jit import number
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, begin_table
from kibitz.policies.hanabi.hat_messages import read_move
from kibitz.policies.hanabi.hat_moves import choose_move


def begin(view: View, memory: HatKnowledge, params: Any) -> None:
    """Know the table."""
    memory.hint_above = params.hint_above
    memory.seen_weight = params.seen_weight
    memory.spare_weight = params.spare_weight
    memory.rank_weight = params.rank_weight
    memory.ahead = params.ahead
    memory.locate = params.locate
    memory.stall = params.stall
    memory.gamble = params.gamble
    memory.x1 = params.x1
    memory.x2 = params.x2
    memory.x3 = params.x3
    memory.x4 = params.x4
    begin_table(view, memory)


def observe(view: View, event: Event, memory: HatKnowledge) -> None:
    """Read a move."""
    read_move(memory, event, view.cards, number(view.seat))


X = dict(ahead=0, locate=0, stall=0, gamble=0, x1=0, x2=0, x3=0, x4=0)


@bot(
    game="hanabi",
    trusted=True,
    parameters=(
        Parameter("hint_above", WHOLE, "with more tokens than this, hint rather than discard what may be needed", 0, 8),
        Parameter("seen_weight", WHOLE, "discards: what it counts that another hand has the card", 0, 100),
        Parameter("spare_weight", WHOLE, "discards: what it counts that the card is not the last copy", 0, 100),
        Parameter("rank_weight", WHOLE, "discards: what each rank counts", 0, 100),
        *[Parameter(n, WHOLE, "x", -100, 1000) for n in ("ahead", "locate", "stall", "gamble", "x1", "x2", "x3", "x4")],
    ),
    presets={
        "": {"hint_above": 4, "seen_weight": 20, "spare_weight": 10, "rank_weight": 1, **X},
        "best": {"hint_above": 2, "seen_weight": 5, "spare_weight": 20, "rank_weight": 1, **X},
    },
    memory=HatKnowledge,
    begin=begin,
    observe=observe,
)
def information(view: View, memory: HatKnowledge) -> int:
    """Guesses hats: each hint is a number from which every other player learns something about their own cards."""
    move = choose_move(memory, view.cards, number(view.seat))
    return move if view.is_legal(move) else view.pick_move(view.legal_moves)
