"""Proximal policy optimisation (Schulman et al., 2017) of the network in PyTorch: all of the learning is in this file.

`Network` is the twin of `kibitz.policies.uno.net.forward`, which plays. `Learner.learn` takes what the actors have logged and makes likelier what turned
out better than the network expected, by so much and no more in one go:

    advantage   how much better a game went on after a choice than the value before it said (generalised advantage estimation)
    ratio       the chance of a choice now, over its chance when it was made
    loss        - min(ratio x advantage, clipped ratio x advantage) + value loss - entropy bonus

It uses one thread, so that its results do not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from kibitz.bots.uno.net import split_set
from kibitz.core.errors import BadValue
from kibitz.experiments.training.uno.net.actors import Experience
from kibitz.experiments.training.uno.net.memory import Heard, guess_loss, heard_in, in_places, recall
from kibitz.experiments.training.uno.net.sparse import rows_from_sums, sums_of_rows
from kibitz.policies.uno.net.forward import HIDDEN, PARTS
from kibitz.policies.uno.net.groups import VIEW_RANGES

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.net.training import NetPlan

_MEMORY = VIEW_RANGES["memory"][0]  # the inputs from here on are what a network remembers

Row = np.ndarray[Any, np.dtype[np.float32]]  # all weights of one class of tables, in the order of PARTS


EPOCHS = 2  # how often a batch is gone through
MINIBATCH = 2  # units of games in a minibatch
CLIP_RANGE = 0.2  # how far a chance may move in one batch, as a ratio
VALUE_WEIGHT = 0.5  # of the value loss
LARGEST_NORM = 0.5  # of a gradient


class Minibatch(NamedTuple):
    """Choices to learn from, as tensors; candidates of all choices stand one after another."""

    inputs: Tensor  # choices x INPUTS, as they were when the games were played
    places: np.ndarray[Any, np.dtype[np.int32]]  # features of candidates, as in Experience
    values: Row
    ends: np.ndarray[Any, np.dtype[np.int32]]
    owners: Tensor  # the choice that each candidate belongs to
    lead_to: Tensor  # the colour it leads to
    chosen: Tensor  # the candidate that each choice took
    log_chances: Tensor  # of that candidate, when it was taken
    advantages: Tensor
    returns: Tensor
    heard: Heard
    held: Tensor


class UpdateFigures(NamedTuple):
    """How an update went, as means over its minibatches."""

    policy_loss: float
    value_loss: float
    entropy: float
    divergence: float  # approximate Kullback-Leibler divergence from the policy that played
    clipped: float  # share of choices whose ratio was clipped
    guess_loss: float  # of the lesson in listening; 0 without one


class _SumOfRows(torch.autograd.Function):
    """`kibitz.experiments.training.uno.net.sparse` as a function that PyTorch can differentiate."""

    @staticmethod
    def forward(context: Any, table: Tensor, batch: Minibatch) -> Tensor:
        context.batch, context.rows = batch, len(table)
        return torch.from_numpy(sums_of_rows(table.detach().numpy(), batch.places, batch.values, batch.ends))

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        batch = context.batch
        return torch.from_numpy(rows_from_sums(gradients[0].numpy(), batch.places, batch.values, batch.ends, context.rows)), None


class Network(nn.Module):
    """The network with its weights as PyTorch's parameters, by the names of PARTS; what it remembers of is settled beforehand."""

    wide: Tensor
    embedding: Tensor
    view: Tensor
    bias: Tensor
    out: Tensor
    value_view: Tensor
    value_bias: Tensor
    value_out: Tensor
    value_offset: Tensor
    remembers: Tensor
    event_in: Tensor
    event_bias: Tensor
    recall: Tensor
    recall_bias: Tensor
    recall_wide: Tensor
    recall_embedding: Tensor
    guess: Tensor
    guess_bias: Tensor

    def __init__(self, row: Row) -> None:
        super().__init__()
        for name, part in split_set(np.asarray(row, dtype=np.float32)).items():
            self.register_parameter(name, nn.Parameter(torch.from_numpy(part.copy()), requires_grad=name != "remembers"))

    def inputs(self, logged: Tensor, heard: Heard) -> tuple[Tensor, Tensor | None]:
        """What the network sees at every choice, and what it remembers: a memory that listens is worked out again, so that it can learn."""
        if not self.remembers[1]:
            return logged, None
        states = recall(self, heard)
        return torch.cat([logged[:, :_MEMORY], in_places(states, heard)], dim=1), states

    def scores(self, batch: Minibatch, inputs: Tensor, states: Tensor | None) -> Tensor:
        """The score of every candidate."""
        table = torch.cat([self.embedding, self.wide[:, None]], dim=1)
        sums: Tensor = _SumOfRows.apply(table, batch)  # type: ignore[no-untyped-call]  # PyTorch does not type it
        if states is not None:
            known = torch.cat([states, torch.zeros_like(states[:, :1])], dim=1)  # nothing is remembered of no colour
            sums = sums + known[batch.owners, batch.lead_to] @ torch.cat([self.recall_embedding, self.recall_wide[:, None]], dim=1)
        shared = inputs @ self.view + self.bias
        return sums[:, HIDDEN] + torch.relu(sums[:, :HIDDEN] + shared[batch.owners]) @ self.out

    def value_logits(self, inputs: Tensor) -> Tensor:
        """The chance to win as the network judges it, before the sigmoid."""
        return torch.relu(inputs @ self.value_view + self.value_bias) @ self.value_out + self.value_offset

    def log_chances(self, batch: Minibatch, inputs: Tensor, states: Tensor | None) -> Tensor:
        """The logarithm of the chance of every candidate: softmax over the candidates of each choice."""
        scores = self.scores(batch, inputs, states)
        count = len(inputs)
        with torch.no_grad():
            best = torch.full((count,), -torch.inf).scatter_reduce(0, batch.owners, scores, "amax")
        shifted = scores - best[batch.owners]
        totals = torch.zeros(count).index_add(0, batch.owners, shifted.exp())
        return shifted - totals.log()[batch.owners]

    def row(self) -> Row:
        """All weights in the order of PARTS."""
        return np.concatenate([getattr(self, name).detach().numpy().ravel() for name in PARTS])


class Learner:
    """A network that learns, with the state of Adam."""

    def __init__(self, row: Row, plan: NetPlan) -> None:
        torch.set_num_threads(1)
        self.plan = plan
        self.network = Network(row)
        self.trained = [parameter for parameter in self.network.parameters() if parameter.requires_grad]
        self.optimiser = torch.optim.Adam(self.trained, lr=plan.learning_rate, eps=1e-5)

    # -- learning --

    def learn(self, units: Sequence[Experience], random: np.random.Generator, rate: float) -> UpdateFigures:
        """Go through a batch of units of games, in minibatches of some units each, in random order."""
        plan, network = self.plan, self.network
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        made = [unit for unit in units if unit.choices]
        judged = [self.judge(unit) for unit in made]
        if sum(unit.choices for unit in made) < 2:
            return UpdateFigures(*[0.0] * len(UpdateFigures._fields))  # nothing to compare
        every = torch.cat([advantages for advantages, _ in judged])
        mean, spread = every.mean(), every.std() + 1e-8
        reports = []
        for chosen in self._minibatches(len(made), random):
            batch = minibatch_of([made[place] for place in chosen], [judged[place] for place in chosen])
            advantages = (batch.advantages - mean) / spread
            inputs, states = network.inputs(batch.inputs, batch.heard)
            all_chances = network.log_chances(batch, inputs, states)
            log_chances = all_chances[batch.chosen]
            ratio = (log_chances - batch.log_chances).exp()
            clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
            policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            entropy = -(all_chances.exp() * all_chances).sum() / len(inputs)
            value_loss = nn.functional.binary_cross_entropy_with_logits(network.value_logits(inputs), batch.returns)
            loss = policy_loss + VALUE_WEIGHT * value_loss - plan.entropy_bonus * entropy
            guessed = torch.zeros(())
            if states is not None and plan.auxiliary_weight:
                guessed = guess_loss(network, states, batch.held)
                loss = loss + plan.auxiliary_weight * guessed
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # PyTorch does not type it
            if not nn.utils.clip_grad_norm_(self.trained, LARGEST_NORM).isfinite():
                raise BadValue(
                    f"learning_rate={plan.learning_rate:g} is too large for this training: its numbers are no longer finite. Train again with a smaller one."
                )
            self.optimiser.step()
            with torch.no_grad():
                divergence = (ratio - 1 - (log_chances - batch.log_chances)).mean()
                beyond = ((ratio - 1).abs() > CLIP_RANGE).float().mean()
            figures = (policy_loss.detach(), value_loss.detach(), entropy.detach(), divergence, beyond, guessed.detach())
            reports.append([float(figure) for figure in figures])
        return UpdateFigures(*np.mean(reports, axis=0).tolist())

    def _minibatches(self, count: int, random: np.random.Generator) -> Iterator[list[int]]:
        for _ in range(EPOCHS):
            order = random.permutation(count).tolist()
            for first in range(0, count, MINIBATCH):
                yield order[first : first + MINIBATCH]

    def judge(self, unit: Experience) -> tuple[Tensor, Tensor]:
        """Advantages and returns of the choices of a unit: from the last choice of each game back to the first."""
        with torch.no_grad():
            inputs, _ = self.network.inputs(torch.from_numpy(unit.inputs), heard_in([unit]))
            values = self.network.value_logits(inputs).sigmoid().numpy()
        advantages = np.zeros(unit.choices, dtype=np.float32)
        start = 0
        for won, end in zip(unit.wins.tolist(), unit.game_ends.tolist(), strict=True):
            advantage, following = 0.0, float(won)
            for choice in range(end - 1, start - 1, -1):
                value = float(values[choice])
                advantage = following - value + self.plan.gae_lambda * advantage
                advantages[choice] = advantage
                following = value
            start = end
        return torch.from_numpy(advantages), torch.from_numpy(np.clip(advantages + values, 0.0, 1.0))

    # -- the state of Adam, as rows like that of the weights --

    def moments(self) -> tuple[Row, Row, int]:
        """Adam's two averages, and how many steps it has taken; zeros for what has not been trained."""
        parameters = [getattr(self.network, name) for name in PARTS]
        states = [self.optimiser.state.get(parameter) for parameter in parameters]
        rows = [
            np.concatenate(
                [(state[key] if state else torch.zeros_like(of)).numpy().ravel() for state, of in zip(states, parameters, strict=True)]
            )
            for key in ("exp_avg", "exp_avg_sq")
        ]
        return rows[0], rows[1], int(states[0]["step"]) if states[0] else 0

    def set_moments(self, first: Row, second: Row, steps: int) -> None:
        """Go on from such averages."""
        firsts, seconds = split_set(first), split_set(second)
        for name in PARTS if steps else ():
            if seconds[name].any():
                self.optimiser.state[getattr(self.network, name)] = {
                    "step": torch.tensor(float(steps)),
                    "exp_avg": torch.from_numpy(firsts[name].copy()),
                    "exp_avg_sq": torch.from_numpy(seconds[name].copy()),
                }


def minibatch_of(units: Sequence[Experience], judged: Sequence[tuple[Tensor, Tensor]] = ()) -> Minibatch:
    """Units of games as one minibatch; without judgements for looking at scores alone."""
    choices = [unit.choice_ends for unit in units]
    entries = np.cumsum([0, *[len(unit.places) for unit in units]])
    lengths = np.concatenate([np.diff(ends, prepend=0) for ends in choices])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    nothing = torch.zeros(len(lengths))
    return Minibatch(
        torch.from_numpy(np.concatenate([unit.inputs for unit in units])),
        np.concatenate([unit.places for unit in units]),
        np.concatenate([unit.values for unit in units]),
        np.concatenate([unit.candidate_ends + first for unit, first in zip(units, entries[:-1], strict=True)]).astype(np.int32),
        torch.from_numpy(np.repeat(np.arange(len(lengths)), lengths)),
        torch.from_numpy(np.concatenate([unit.lead_to for unit in units]).astype(np.int64)),
        torch.from_numpy(starts + np.concatenate([unit.chosen for unit in units])),
        torch.from_numpy(np.concatenate([unit.log_chances for unit in units])),
        torch.cat([advantages for advantages, _ in judged]) if judged else nothing,
        torch.cat([returns for _, returns in judged]) if judged else nothing,
        heard_in(units),
        torch.from_numpy(np.concatenate([unit.held for unit in units])),
    )
