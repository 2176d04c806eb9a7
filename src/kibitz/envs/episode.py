"""One game in which some seats are asked outside: observations, legal actions, rewards. What environments of every kind are made of."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.machine_code import bound
from kibitz.core.seeds import check_seed
from kibitz.games.contract import GameDefinition
from kibitz.play.game import why_refused
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.observing import compiled_observer, encoding_of
from kibitz.play.sitting import IllegalAction, Sitting
from kibitz.registry import Entrant

Observation = dict[str, np.ndarray[Any, Any]]

# What is rewarded. Where players compete: a win (+1, and -1 for the others) or the points of a deal. In a team: the score, which is lost
# with the game, or the points on the table.
COMPETING, COOPERATING = ("win", "points"), ("score", "points")

_ACT_AND_SEE = "act_and_see"


def rewards_of(game: GameDefinition) -> tuple[str, ...]:
    """The kinds of reward that a game has, the usual one first."""
    return COOPERATING if game.cooperative else COMPETING


def check_reward(game: GameDefinition, reward: str | None) -> str:
    """The reward asked for, or the usual one."""
    if reward is None:
        return rewards_of(game)[0]
    if reward not in rewards_of(game):
        raise UnknownName(f"reward in {game.title}:", reward, rewards_of(game))
    return reward


def asked_seat(game: GameDefinition, name: str) -> Entrant:
    """A seat that is asked about everything that it may decide."""
    return Entrant(name, AskedSeat(name, windows=game.phases[game.basic_phases :]))


def lineup_with(game: str | None, bots: Sequence[Any], rules: Any, seating: str) -> Lineup:
    """A line-up in which None stands for a seat that is asked outside."""
    definition = registry.game(game)
    seats = [asked_seat(definition, f"player_{place}") if bot is None else bot for place, bot in enumerate(bots)]
    return make_lineup(seats, rules, seating, definition.name)


class Episode:
    """A game of a line-up, from the deal to its end, and then the next one.

    A decision that leaves no choice is not asked for. Game `index` of a seed is the one that a batch plays.
    """

    def __init__(self, lineup: Lineup, reward: str | None = None) -> None:
        self.lineup, self.game = lineup, lineup.game
        self.reward = check_reward(self.game, reward)
        self.encoding = encoding_of(self.game, lineup.rules, lineup.players)
        self._sitting = Sitting(lineup, 0)
        self._observe = compiled_observer(self.game, self.encoding, "observe_seat")
        self._sitting.prepare("act_on")
        addresses = self._sitting.place.addresses
        self.address = int(addresses["state"])
        self._points = bound(compiled_observer(self.game, self.encoding, "points_on_table"), self.address)
        # What the seat to act sees and may do, written by the step that leads there if nobody outside this process is asked on the way.
        self._vector, mask = np.zeros(self.encoding.size, np.uint8), np.zeros(self.encoding.actions, np.uint8)
        self._mask = mask.view(np.int8)
        self._is_seen = False
        self._sees = all(entrant.is_compiled or isinstance(entrant.bot, AskedSeat) for entrant in lineup.entrants)
        kernel = compiled_observer(self.game, self.encoding, "act_and_see")
        self._sitting.add_kernel(_ACT_AND_SEE, bound(kernel, int(addresses["table"]), self.address, self._vector, mask))
        self._seeded = False
        self._next_index = 0
        self.seat = -1  # to act, or -1 at the end
        self.given = 0.0  # what a team has been rewarded with so far
        self._nothing = [0.0] * lineup.players
        self.rewards = self._nothing  # of the last step, by seat

    @property
    def seating(self) -> Sequence[int]:
        """The line-up entry in each seat."""
        return self._sitting.seating

    @property
    def state(self) -> Any:
        """The state, with every card in it: a copy."""
        return self._sitting.state

    def look(self, seat: int) -> Any:
        """The view of a seat: a copy."""
        return self._sitting.look(seat)

    def begin(self, seed: int | None = None) -> None:
        """Deal: the first game of a seed, or the next one."""
        if seed is not None or not self._seeded:
            self._sitting.seed = check_seed(secrets.randbits(63) if seed is None else int(seed))
            self._seeded, self._next_index = True, 0
        self._sitting.begin(self._next_index)
        self._next_index += 1
        self.given = 0.0
        self._is_seen = False
        self.seat = self._sitting.next_seat()
        self._settle()

    def observe(self, seat: int) -> Observation:
        """What a seat sees, and a mask of what it may do: new arrays."""
        if self._is_seen and seat == self.seat:
            return {"observation": self._vector.copy(), "action_mask": self._mask.copy()}
        if not self._seeded:
            raise BadValue("reset the environment before you observe it.")
        vector, mask = np.empty(self.encoding.size, np.uint8), np.empty(self.encoding.actions, np.uint8)
        self._observe(self.address, seat, vector, mask)
        return {"observation": vector, "action_mask": mask.view(np.int8)}

    def take(self, action: Any) -> None:
        """Carry out an action of the seat to act, and go on to the next question; one that is not legal changes nothing."""
        number = action if type(action) is int else int(action) if isinstance(action, np.integer) else -1
        if self.seat < 0:
            raise BadValue(f"action {action} comes after the end of the game; reset the environment.")
        if not 0 <= number < self.encoding.actions:
            raise BadValue(f"action {action!r} is not an action; actions are numbered 0 to {self.encoding.actions - 1}.")
        try:
            self.seat = self._sitting.act(number, _ACT_AND_SEE if self._sees else "act_on")
        except IllegalAction:
            raise BadValue(
                f"action {number} ({self.action_name(number)}) of seat {self.seat} {why_refused(self.game, self.state, number)}"
            ) from None
        self._is_seen = self._sees
        if self.seat >= 0 and not self.game.cooperative:
            self.rewards = self._nothing
        else:
            self._settle()

    def concede(self, seat: int) -> float:
        """Give the game up; what that brings a seat, which is as bad as the game can end for it."""
        self.seat = -1
        if self.game.cooperative:
            return -self.given
        outcome = self.game.outcome(self.state)
        return self._gain(seat, (seat + 1) % self.lineup.players, outcome["points"])

    def action_name(self, action: int) -> str:
        """The name of an action."""
        return self.game.action_name(self.state, action)

    @property
    def is_cut_off(self) -> bool:
        """Whether the game has ended without a result."""
        return self.seat < 0 and not self.game.cooperative and self.game.outcome(self.state)["winner"] is None

    def _settle(self) -> None:
        """Find out what the last step brought everybody."""
        players = self.lineup.players
        if self.game.cooperative:
            reached = float(self._points())
            if self.seat < 0 and self.reward == "score":
                reached = float(self.game.outcome(self.state)["score"])
            self.rewards, self.given = [reached - self.given] * players, reached
        elif self.seat >= 0:
            self.rewards = self._nothing
        else:
            outcome = self.game.outcome(self.state)
            winner, points = outcome["winner"], outcome["points"]
            self.rewards = [self._gain(seat, winner, points) for seat in range(players)]

    def _gain(self, seat: int, winner: int | None, points: int) -> float:
        if self.reward == "points":
            return float(self.game.gain(seat, winner, points, self.lineup.players))
        return 0.0 if winner is None else 1.0 if seat == winner else -1.0
