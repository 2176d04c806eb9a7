"""Information: hat guessing, where every hint tells all other players something about their hands at once.

The convention is `kibitz.policies.hanabi`: the memory is what everybody knows, kept up to date move by move.
"""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import SWITCH, WHOLE, Parameter
from kibitz.core.jit import number
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, begin_hats
from kibitz.policies.hanabi.hat_messages import read_move
from kibitz.policies.hanabi.hat_moves import NOT_ALLOWED, RULE_NAMES, choose_move


def begin(view: View, memory: HatKnowledge, params: Any) -> None:
    """Take in the table and the options."""
    memory.hint_above = params.hint_above
    memory.late_hint_above = params.late_hint_above
    memory.seen_weight = params.seen_weight
    memory.spare_weight = params.spare_weight
    memory.rank_weight = params.rank_weight
    memory.chain_weight = params.chain_weight
    memory.ahead = params.ahead
    memory.locate = params.locate
    memory.hold_back = params.hold_back
    memory.gamble = params.gamble
    begin_hats(view, memory)


def observe(view: View, event: Event, memory: HatKnowledge) -> None:
    """Read a move."""
    read_move(memory, event, view.cards, number(view.seat))


@bot(
    game="hanabi",
    trusted=True,
    parameters=(
        Parameter("hint_above", WHOLE, "with more tokens than this, hint rather than discard what may be needed", 0, 8),
        Parameter("late_hint_above", WHOLE, "the same once more discards would cost turns that plays need", 0, 8),
        Parameter("seen_weight", WHOLE, "discards: what it counts that another hand has the card", 0, 100),
        Parameter("spare_weight", WHOLE, "discards: what it counts that the card is not the last copy", 0, 100),
        Parameter("rank_weight", WHOLE, "discards: what each rank counts", 0, 100),
        Parameter("chain_weight", WHOLE, "plays: what each following card in other hands counts, in ranks", 0, 100),
        Parameter("ahead", SWITCH, "tell players about the board expected at their turn"),
        Parameter("locate", SWITCH, "cards that are known reduce what other cards may be"),
        Parameter("hold_back", SWITCH, "keep a play for the last round if another player has more to play than turns"),
        Parameter("gamble", SWITCH, "in the last round, play what may fit"),
    ),
    presets={
        "": {
            "hint_above": 4,
            "late_hint_above": 4,
            "seen_weight": 20,
            "spare_weight": 10,
            "rank_weight": 1,
            "chain_weight": 0,
            **dict.fromkeys(("ahead", "locate", "hold_back", "gamble"), False),
        },
        "best": {
            "hint_above": 2,
            "late_hint_above": 8,
            "seen_weight": 5,
            "spare_weight": 20,
            "rank_weight": 1,
            "chain_weight": 2,
            **dict.fromkeys(("ahead", "locate", "hold_back", "gamble"), True),
        },
    },
    memory=HatKnowledge,
    begin=begin,
    observe=observe,
    rules=RULE_NAMES,
    reasons="kibitz.policies.hanabi.hat_reasons:HatReasons",
)
def information(view: View, memory: HatKnowledge) -> int:
    """Guesses hats: each hint is a number from which every other player learns something about their own cards.

    It plays what surely fits, or nearly so while a mistake costs little. It hints if somebody can play and doesn't know it, and
    otherwise discards what is useless as long as turns are to spare. Which of several useless cards it discards is a message too.
    `best` orders plays by what they let others play, minds the cards that everybody has worked out, tells players about the
    board at their turn, throws last copies away less readily, and counts turns near the end.
    """
    move = choose_move(memory, view.cards, number(view.seat))
    if view.is_legal(move):
        return move
    memory.rule = NOT_ALLOWED
    return view.pick_move(view.legal_moves)
