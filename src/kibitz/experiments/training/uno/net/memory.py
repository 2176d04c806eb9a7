"""The recurrent memory in PyTorch: whole games through a GRU, so that what was heard early learns from choices made late.

It is the twin of `kibitz.policies.uno.net.recurrent`, which plays. Back-propagation goes through all events of a game (BPTT); nothing is cut off. Wins and
losses alone teach a memory slowly what to listen for, so it has a lesson of its own: to guess which colours the neighbours hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from kibitz.experiments.training.uno.net.actors import Experience
from kibitz.policies.uno.net.groups import EVENT_ROWS, MEMORY_UNITS


class Heard(NamedTuple):
    """The events of some games, one game after another, and which of them came before each choice."""

    places: Tensor  # events x colours x SLOTS
    amounts: Tensor
    order: Tensor  # the events as a GRU takes them: the first ones of all games, then the second ones, …
    widths: list[int]  # how many there are of each, times four: every colour has a state
    last: Tensor  # the event heard last before each choice, counted from 1; 0 for none in this game
    colours: Tensor  # choices x places: the colour that has each place among the inputs


def heard_in(units: Sequence[Experience]) -> Heard:
    """What was heard in units of games."""
    starts = np.cumsum([0, *[len(unit.heard_places) for unit in units]])
    game_starts, last = [], []
    for unit, first in zip(units, starts[:-1].tolist(), strict=True):
        begins = np.concatenate([[0], unit.event_ends])[np.concatenate([[0], unit.game_ends])]  # events before each game, and in all
        game_starts.append(begins[:-1] + first)
        own = np.repeat(begins[:-1], np.diff(unit.game_ends, prepend=0))  # by choice
        last.append(np.where(unit.event_ends > own, unit.event_ends + first, 0))
    begins = np.concatenate([*game_starts, starts[-1:]])
    lengths = np.diff(begins)
    longest = np.argsort(-lengths, kind="stable")
    widths = [int((lengths > step).sum()) for step in range(int(lengths.max(initial=0)))]
    order = [begins[longest[:width]] + step for step, width in enumerate(widths)]
    colours = np.argsort(np.concatenate([unit.orders for unit in units]), axis=1)
    return Heard(
        torch.from_numpy(np.concatenate([unit.heard_places for unit in units]).astype(np.int64)),
        torch.from_numpy(np.concatenate([unit.heard_amounts for unit in units])),
        torch.from_numpy(np.concatenate(order).astype(np.int64)) if order else torch.zeros(0, dtype=torch.int64),
        [width * 4 for width in widths],
        torch.from_numpy(np.concatenate(last).astype(np.int64)),
        torch.from_numpy(colours.astype(np.int64)),
    )


def recall(network: Any, heard: Heard) -> Tensor:
    """What is remembered at each choice: choices x colours x MEMORY_UNITS."""
    events, units = len(heard.places), MEMORY_UNITS
    states = torch.zeros(1, 4, units)  # of somebody who has heard nothing
    if events:
        places, amounts = heard.places[heard.order].reshape(events * 4, -1), heard.amounts[heard.order].reshape(events * 4, -1)
        seen = torch.zeros(events * 4, EVENT_ROWS).scatter_add(1, places, amounts) @ network.event_in + network.event_bias
        state, found = torch.zeros(heard.widths[0], units), []
        # Games that are over drop out at the end, since the longest come first.
        for event in seen.split(heard.widths):
            state = state[: len(event)]
            recalled = torch.addmm(network.recall_bias, state, network.recall)
            reset, keep = torch.sigmoid(event[:, : 2 * units] + recalled[:, : 2 * units]).chunk(2, dim=1)
            new = torch.tanh(event[:, 2 * units :] + reset * recalled[:, 2 * units :])
            state = torch.lerp(new, state, keep)
            found.append(state)
        states = torch.cat([states, torch.zeros(events, 4, units).index_copy(0, heard.order, torch.cat(found).reshape(events, 4, units))])
    return states[heard.last]


def in_places(states: Tensor, heard: Heard) -> Tensor:
    """The same as the inputs have it, each colour at its place: choices x (4 x MEMORY_UNITS)."""
    return states.gather(1, heard.colours[:, :, None].expand(-1, -1, MEMORY_UNITS)).reshape(len(states), -1)


def guess_loss(network: Any, states: Tensor, held: Tensor) -> Tensor:
    """How badly the states tell which colours the neighbours hold, in nats a guess."""
    guesses, there = states @ network.guess + network.guess_bias, held >= 0
    return nn.functional.binary_cross_entropy_with_logits(guesses[there], held[there])
