"""Perceptrons that score a card, and their weight files: JSON with a version, the model's name, its weights and its biases.

What goes in is one card and nothing else, so that whatever a model looks like inside it comes down to one number for each type of card.
These numbers are all that the bot `perceptron` needs to play.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.reading import parse_json, read_text, shown
from kibitz.games.uno.cards import CARD_TYPES, COLOURED_TYPES, STANDARD_DECK, VALUES, WILD
from kibitz.policies.weight_files import SHIPPED, check_weights, reading_once, written_whole

Numbers = np.ndarray[Any, np.dtype[np.float64]]

VERSION = 1
SHIPPED_FILE = Path(__file__).with_name("perceptron.json")

TYPES = 54  # of the standard deck; the two wilds of newer decks are scored as wilds
COPIES = sum(STANDARD_DECK)  # 108 cards, all copies of a type one after the other, the types in their usual order
FIRST_COPY = np.concatenate(([0], np.cumsum(STANDARD_DECK[: TYPES - 1])))  # the number of each type's first copy
FACES = VALUES + 2  # cards that differ in more than their colour: thirteen values and two wilds
FACE_OF = np.array([card % VALUES if card < COLOURED_TYPES else VALUES + card - WILD for card in range(TYPES)])

CARDS, RECTIFIED, FOLDED, FACED, HIDDEN = "cards", "rectified", "types", "faces", "hidden"
MODELS = {
    CARDS: "w: a weight for each of the 108 cards",
    RECTIFIED: "max(0, w + b): a weight for each of the 108 cards and one bias",
    FOLDED: "w: a weight for each of the 54 types",
    FACED: "w: a weight for each of the 15 faces, whatever the colour",
    HIDDEN: "sum of max(0, w + b) over hidden units: a weight for each type and unit, a bias for each unit",
}
USUAL_HIDDEN, MOST_HIDDEN = 10, 1000


def weight_count(model: str, hidden: int = USUAL_HIDDEN) -> int:
    """How many weights a model has."""
    return {CARDS: COPIES, RECTIFIED: COPIES, FOLDED: TYPES, FACED: FACES, HIDDEN: TYPES * hidden}[model]


def bias_count(model: str, hidden: int = USUAL_HIDDEN) -> int:
    """How many biases a model has."""
    return {CARDS: 0, RECTIFIED: 1, FOLDED: 0, FACED: 0, HIDDEN: hidden}[model]


@dataclass(frozen=True, eq=False)
class Perceptron:
    """A model with its numbers. The weights of hidden units are listed type by type, those of all units for a type together."""

    model: str
    weights: Numbers
    biases: Numbers

    def scores(self) -> Numbers:
        """What each of the 56 types of card is worth to it."""
        if self.model == CARDS:
            found = self.weights[FIRST_COPY]
        elif self.model == RECTIFIED:
            found = np.maximum(0.0, self.weights[FIRST_COPY] + self.biases[0])
        elif self.model == FOLDED:
            found = self.weights
        elif self.model == FACED:
            found = self.weights[FACE_OF]
        else:
            found = np.maximum(0.0, self.weights.reshape(TYPES, -1) + self.biases).sum(axis=1)
        return np.concatenate((found, np.full(CARD_TYPES - TYPES, found[WILD])))


# -- files --


def read_perceptron(path: str | Path) -> Perceptron:
    """The perceptron in a weight file."""
    chosen = SHIPPED_FILE if path == SHIPPED else Path(path)
    text = read_text(chosen, "file of weights", missing=f"; `kibitz train perceptron --out {path}` makes one")
    read = parse_json(text, f"file of weights {path}")
    if not isinstance(read, dict) or not {"version", "model", "weights", "biases"} <= set(read):
        raise BadValue(f"file {path} holds no weights of a perceptron; `kibitz train perceptron` makes such files.")
    if read["version"] != VERSION:
        raise BadValue(f"file of weights {path} has the version {shown(read['version'])}; this program reads version {VERSION}.")
    if not isinstance(read["model"], str) or read["model"] not in MODELS:
        raise BadValue(f"file of weights {path} is for the model {shown(read['model'])}; there are {', '.join(MODELS)}.")
    return _checked(path, read["model"], _numbers(path, read, "weights"), _numbers(path, read, "biases"))


def _numbers(path: str | Path, read: dict[str, Any], name: str) -> Numbers:
    given = read[name]
    if not isinstance(given, list) or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in given):
        raise BadValue(f"file of weights {path}: {name} is not a list of numbers.")
    values = np.array(given, dtype=np.float64)
    check_weights(values, "file of weights", path)
    return values


def _checked(path: str | Path, model: str, weights: Numbers, biases: Numbers) -> Perceptron:
    hidden = len(biases) if model == HIDDEN else USUAL_HIDDEN
    if not 1 <= hidden <= MOST_HIDDEN:
        raise BadValue(f"file of weights {path}: {hidden} hidden units are not accepted; there are 1 to {MOST_HIDDEN}.")
    for name, given, needed in (("weights", weights, weight_count(model, hidden)), ("biases", biases, bias_count(model, hidden))):
        if len(given) != needed:
            raise BadValue(f"file of weights {path}: the model {model} has {needed} {name}, not {len(given)}.")
    return Perceptron(model, weights, biases)


def write_perceptron(path: Path, perceptron: Perceptron, made: str = "") -> None:
    """Write a weight file; whoever reads meanwhile sees the old one or the new one, never a part. `made` says how it came about."""
    content = {
        "version": VERSION,
        "model": perceptron.model,
        "made": made,
        "weights": perceptron.weights.tolist(),
        "biases": perceptron.biases.tolist(),
    }
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    with written_whole(path, "file of weights") as file:
        file.write(text.encode())


# What each type of card is worth to the perceptron in a file.
scores_from = reading_once(lambda path: tuple(read_perceptron(path).scores().tolist()), SHIPPED_FILE)
