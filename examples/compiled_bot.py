"""A compiled bot with one parameter. Try `kibitz evaluate examples/compiled_bot.py:saver`, then again with `…:saver:alarm=5`."""

from typing import Any

import kibitz
from kibitz.bots.parameters import WHOLE
from kibitz.games.uno.cards import NUMBER_KIND
from kibitz.games.uno.view import View

ALARM = kibitz.Parameter("alarm", WHOLE, "the next player is a threat with at most so many cards", 0, 10)


@kibitz.bot(parameters=(ALARM,), defaults={"alarm": 2})
def saver(view: View, params: Any) -> int:
    """Plays numbers, and saves everything else for when the next player is nearly out."""
    playable = view.playable()
    numbers = playable & view.kind_mask(NUMBER_KIND)
    wanted = playable & ~numbers if view.next_size() <= params.alarm else numbers
    card = view.pick(wanted if wanted else playable)
    return view.play(card, view.common_colour())
