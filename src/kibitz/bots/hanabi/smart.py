"""SmartBot: conventions that turn every move into a message (Arthur O'Dwyer's program; the policy is in policies/hanabi)."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import SWITCH, WHOLE, Parameter
from kibitz.core.jit import number
from kibitz.core.layouts import Long
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.forgiveness import ForgivingKnowledge, begin_forgiving, read_forgiving
from kibitz.policies.hanabi.smart_conventions import read_event
from kibitz.policies.hanabi.smart_policy import RULE_NAMES, choose_move


class SmartMemory(ForgivingKnowledge):
    """What everybody knows, and the rule behind the bot's last move, as in RULE_NAMES of the policy."""

    rule: Long


def begin(view: View, memory: SmartMemory) -> None:
    """Start from what hints have told."""
    begin_forgiving(view, memory)


def observe(view: View, event: Event, memory: SmartMemory, params: Any) -> None:
    """Read a move as all who follow the conventions do."""
    if params.forgiving:
        read_forgiving(memory, event, view.cards, number(view.seat))
    else:
        read_event(memory, event, view.cards, number(view.seat))


@bot(
    game="hanabi",
    memory=SmartMemory,
    begin=begin,
    observe=observe,
    parameters=(
        Parameter("careful", SWITCH, "never gamble on the last life, nor rely there on conventions that somebody broke"),
        Parameter("forgiving", SWITCH, "take players literally who break conventions, until they keep to them again"),
        Parameter("slips", WHOLE, "turns in a hundred with a random move, as partners make who err", 0, 100),
    ),
    presets={
        "": {"careful": True, "forgiving": True, "slips": 0},
        "original": {"careful": False, "forgiving": False, "slips": 0},
    },
    rules=RULE_NAMES,
    reasons="kibitz.policies.hanabi.smart_reasons:SmartReasons",
    trusted=True,
)
def smart(view: View, memory: SmartMemory, params: Any) -> int:
    """Reads a message in every move: a hint means the newest card it touches, and silence says that a discard is safe.

    All players keep the same list of what each card may be. A hint that shows no playable card means the newest touched card
    that may be playable; a rank hint on the card that the next player would discard is a warning. `original` also gambles on the
    last life, as the program it comes from does, whose points stay when the game is lost.
    """
    move, rule = choose_move(memory, view.cards, number(view.seat), params.careful)
    memory.rule = rule
    if params.slips > 0 and view.randbelow(100) < params.slips:
        return view.pick_move(view.legal_moves)
    return move
