"""A compiled bot that talks while it runs as plain Python: start this file, or add `--no-jit` to any command."""

import sys

import kibitz
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.view import View

TALK = "--no-jit" in sys.argv or __name__ == "__main__"


@kibitz.bot
def talker(view: View) -> int:
    """Plays any playable card, each type alike, and calls its most common colour."""
    action = view.play(view.pick(view.playable()), view.common_colour())
    if TALK:  # a constant: while it is False, compiled code leaves this out
        hand = " ".join(map(card_name, view.cards()))
        print(f"turn {view.turn}: {card_name(view.top)} is on top, I hold {hand} and play {action_name(action)}")  # or breakpoint()
    return action


if __name__ == "__main__":
    print(kibitz.play([talker, "random"], seed=1))
