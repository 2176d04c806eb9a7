"""One game at a time: step through it by hand, or let bots play it and keep every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue, BotFault
from kibitz.core.printable import facts_of
from kibitz.games.contract import GameDefinition
from kibitz.play.explaining import Explanation, noting
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.record_faults import RecordedFault
from kibitz.play.second_look import located
from kibitz.play.sitting import Happened, Sitting
from kibitz.registry import Entrant


class Game:
    """A game to step through by hand; without `game` it is the one that is played by default.

    >>> game = Game(players=3, seed=7)
    >>> while not game.is_over:
    ...     game.apply(game.legal_actions()[0])
    >>> game.winner
    0
    """

    def __init__(self, players: int = 2, rules: Any = None, seed: int = 1, index: int = 0, game: str | None = None) -> None:
        definition = registry.game(game)
        chosen = definition.default_rules if rules is None else rules
        self._sit_down(definition, definition.parse_rules(chosen) if isinstance(chosen, str) else chosen, players, seed)
        self._sitting.begin(index)

    def _sit_down(self, definition: GameDefinition, rules: Any, players: int, seed: int) -> None:
        """A sitting in which every seat is asked."""
        self.definition, self.rules = definition, rules
        seats = tuple(Entrant(f"seat {seat}", AskedSeat(f"seat {seat}")) for seat in range(players))
        self._sitting = Sitting(Lineup(definition, rules, seats, "fixed"), seed, compiled=False, follows=True)
        self.history: list[int] = []

    @classmethod
    def from_text(cls, text: str, seed: int = 1, game: str | None = None) -> Game:
        """A game from a position written by `to_text`."""
        definition = registry.game(game)
        state, rules = definition.from_text(text, seed)
        made = cls.__new__(cls)
        made._sit_down(definition, rules, int(state.players), 0)
        made._sitting.begin_at(state)
        return made

    @property
    def state(self) -> Any:
        """The state, with every card in it."""
        return self._sitting.place.state

    def to_text(self) -> str:
        """The position as one line."""
        return self.definition.to_text(self.state, self.rules)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.definition.verbs["is_over"](self.state))

    @property
    def to_act(self) -> int:
        """The seat whose decision is open."""
        return int(self.state.current)

    @property
    def outcome(self) -> dict[str, Any]:
        """How the game stands or ended: its status, turns, and winner and points, or the score."""
        return self.definition.outcome(self.state)

    @property
    def winner(self) -> int | None:
        """The winner's seat, None if there is none."""
        return self.outcome.get("winner")

    @property
    def points(self) -> int:
        """What the winner got; for a team the points on the table."""
        return int(self.outcome["points"])

    @property
    def turns(self) -> int:
        """Turns so far."""
        return int(self.state.turn)

    def legal_actions(self) -> list[int]:
        """The numbers of every legal action."""
        return self.definition.legal_actions(self.state)

    def view(self, seat: int | None = None) -> Any:
        """What a seat may see, by default the one to act: a copy."""
        shown = self.state.current if seat is None else seat
        if not 0 <= shown < self.state.players:
            raise BadValue(f"seat {shown} does not exist: seats are 0 to {self.state.players - 1}.")
        return self._sitting.look(shown)

    def apply(self, action: int | str) -> list[Any]:
        """Carry out a legal action, by number or name; the events everybody saw."""
        verbs = self.definition.verbs
        number = self.definition.action_from_name(self.state, action) if isinstance(action, str) else action
        if self.is_over:
            raise BadValue(f"action {action} comes after the end of the game.")
        if not isinstance(number, int) or not verbs["is_legal"](self.state, number):
            raise BadValue(f"action {action} {why_refused(self.definition, self.state, number)}")
        self.history.append(number)
        return list(self._sitting.take(number).events)

    def copy(self) -> Game:
        """An independent game at the same position."""
        twin = Game.__new__(Game)
        twin.definition, twin.rules, twin.history, twin._sitting = self.definition, self.rules, self.history[:], self._sitting.copy()
        return twin

    def __repr__(self) -> str:
        return f"<Game {self.to_text()}>"


def why_refused(game: GameDefinition, state: Any, action: Any) -> str:
    """Why an action may not be taken, as words that follow its name."""
    why = game.why_illegal(state, action) if isinstance(action, int) else ""
    legal = ", ".join(game.action_name(state, other) for other in game.legal_actions(state))
    return f"is not legal: {why}." if why else f"is not legal; legal are {legal}."


@dataclass
class PlayedStep:
    """One action: its number, its events, the state after it, and every hand then in order of arrival."""

    action: int
    events: list[Any]
    state: Any
    hands: list[list[int]]
    by_substitute: bool = False  # made in place of an outside bot that had committed a fault or forfeited


@dataclass
class PlayedGame:
    """One game between bots: who sat where, how it began, each step, how it ended."""

    game: str
    bots: list[str]
    seats: list[str]
    rules: str
    seed: int
    index: int
    opening: PlayedStep
    deal: int = 0  # which deal of a contest
    steps: list[PlayedStep] = field(default_factory=list)
    explanations: dict[int, Explanation] = field(default_factory=dict)  # of the steps whose bots tell why, by their place
    outcome: dict[str, Any] = field(default_factory=lambda: {"status": "playing", "turns": 0})
    faults: tuple[RecordedFault, ...] = ()  # of outside bots

    @property
    def status(self) -> str:
        """How it ended, or `playing`."""
        return str(self.outcome["status"])

    @property
    def winner(self) -> int | None:
        """The winner's seat, None if there is none."""
        return self.outcome.get("winner")

    @property
    def points(self) -> int:
        """What the winner got; for a team the points on the table."""
        return int(self.outcome.get("points", 0))

    @property
    def turns(self) -> int:
        """Turns played."""
        return int(self.outcome["turns"])

    @property
    def actions(self) -> list[int]:
        """Every action in order."""
        return [step.action for step in self.steps]

    def to_dict(self, explained: bool = False) -> dict[str, Any]:
        """The outcome, and who sat where; if `explained`, also what bots thought at each of their decisions, or which rule fired."""
        decisions = [{"step": step, **explanation.to_dict()} for step, explanation in self.explanations.items()]
        facts = facts_of(self, "game", "bots", "seats", "rules", "seed", "index")
        return {**facts, **self.outcome, **({"decisions": decisions} if explained else {})}

    def __repr__(self) -> str:
        if self.winner is not None:
            end = f"{self.seats[self.winner]} (seat {self.winner}) won {self.points} points"
        else:
            end = f"{self.points} points ({self.status})" if "score" in self.outcome else f"no winner ({self.status})"
        return f"<game {self.index} of seed {self.seed}, {self.rules}: {end} in {self.turns} turns>"


@dataclass
class PlayedContest:
    """One contest between bots: its deals, and the scores at the end by seat."""

    to: str
    deals: list[PlayedGame] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    winner: int | None = None
    is_over: bool = False

    def to_dict(self, explained: bool = False) -> dict[str, Any]:
        """The outcome, and that of every deal, `explained` or not."""
        deals = [deal.to_dict(explained) for deal in self.deals]
        return {"to": self.to, "winner": self.winner, "scores": self.scores, "deals": deals}

    def __repr__(self) -> str:
        first = self.deals[0]
        end = f"{first.seats[self.winner]} (seat {self.winner}) won" if self.winner is not None else "no winner"
        return (
            f"<contest to {self.to}, {first.index} of seed {first.seed}, {first.rules}: {end}, {self.scores} after {len(self.deals)} deals>"
        )


def play(
    bots: Sequence[Any], *, seed: int = 1, index: int = 0, rules: Any = None, seating: str = "random", game: str | None = None
) -> PlayedGame:
    """Let bots play one game and keep every step: game `index` of a batch with that seed, exactly."""
    return next(deals_of(PlayedContest(""), make_lineup(bots, rules, seating, game), seed, index))


def play_contest(
    bots: Sequence[Any],
    *,
    to: str | int = 500,
    seed: int = 1,
    index: int = 0,
    rules: Any = None,
    seating: str = "random",
    game: str | None = None,
) -> PlayedContest:
    """Let bots play one contest and keep every step: contest `index` of a batch with that seed, exactly."""
    contest = PlayedContest(str(to))
    for _ in deals_of(contest, make_lineup(bots, rules, seating, game, to), seed, index):
        pass
    return contest


def deals_of(
    contest: PlayedContest, lineup: Lineup, seed: int, index: int, watch: Callable[[], None] = lambda: None
) -> Iterator[PlayedGame]:
    """Play the deals of one game of a batch, one if it is no contest, and add them to `contest`.

    Everything is plain Python but for bots that search, which are compiled. Those and lists of rules explain each decision. `watch` is called after every
    action, and what it raises ends the game.
    """
    lineup = noting(lineup, lambda explanation: _note(contest.deals[-1], explanation))
    sitting = Sitting(lineup, seed, compiled=False, follows=True)
    with sitting.attending():
        sitting.begin(index)
    names = [entrant.name for entrant in lineup.entrants]
    decided = False
    while not decided:
        opening = _step(sitting, -1, ())
        played = PlayedGame(lineup.game.name, names, sitting.seats, lineup.rules.to_text(), seed, index, opening, sitting.round)
        contest.deals.append(played)
        try:
            _play_to_the_end(sitting, played, watch)
        except BotFault as fault:
            fault.played = played
            raise located(fault, lineup) from fault.__cause__
        played.outcome = lineup.game.outcome(sitting.state)
        decided = sitting.is_decided()
        if lineup.to:
            contest.scores = list(sitting.state.scores[: lineup.players])
        if decided:
            contest.is_over, contest.winner = True, sitting.contest_winner
        yield played
        if not decided:
            with sitting.attending():
                sitting.deal_again()


def _play_to_the_end(sitting: Sitting, played: PlayedGame, watch: Callable[[], None]) -> None:
    while True:
        with sitting.attending():
            step = sitting.step()
        if not isinstance(step, Happened):
            return
        played.steps.append(_step(sitting, step.action, step.events))
        watch()


def _note(played: PlayedGame, explanation: Explanation) -> None:
    played.explanations[len(played.steps)] = explanation


def _step(sitting: Sitting, action: int, events: Sequence[Any]) -> PlayedStep:
    state = sitting.state
    return PlayedStep(action, list(events), state, sitting.game.hands(state))
