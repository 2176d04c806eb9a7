"""A bot that loads its weights once per process. Try `kibitz evaluate examples/prepared_bot.py --games 20000`."""

import json
from pathlib import Path

import numpy as np

from kibitz.games.uno.cards import COLOURED_TYPES, VALUES, WILD, WILD_DRAW_FOUR
from kibitz.games.uno.view import View


class Weighted:
    """Plays the card whose face weighs most: one of thirteen values and two wilds, whatever the colour."""

    weights = np.zeros(15)  # until they are loaded

    @classmethod
    def prepare(cls) -> None:
        cls.weights = np.array(json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))["weights"])

    def choose(self, view: View) -> int:
        cards = [card for card in view.cards() if view.can_play(card)]
        faces = [card % VALUES if card < COLOURED_TYPES else VALUES + min(card, WILD_DRAW_FOUR) - WILD for card in cards]
        return view.play(cards[int(self.weights[faces].argmax())], view.common_colour())
