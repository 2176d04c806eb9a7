"""One game at a time: step through it by hand, or let bots play it and keep every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kibitz.arena.deal import FAULT, OVER, TELL, Table, kernels_for
from kibitz.arena.lineup import Lineup, make_lineup, plain_table, seat_players
from kibitz.arena.playing import guarded, plain_fault
from kibitz.errors import BadValue, BotFault
from kibitz.games.uno import engine, notation
from kibitz.games.uno.names import action_from_name, action_name
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import PLAY, Event, State, new_state
from kibitz.games.uno.view import JUMPING_IN, STACK, STATUS_NAMES, WON, View
from kibitz.records import copy_record
from kibitz.seeds import check_seed, game_key


class Game:
    """A game of UNO to step through by hand.

    >>> game = Game(players=3, seed=7)
    >>> while not game.is_over:
    ...     game.apply(game.legal_actions()[0])
    >>> game.winner
    0
    """

    def __init__(self, players: int = 2, rules: str | Rules = "classic", seed: int = 1, index: int = 0) -> None:
        self.rules = parse_rules(rules) if isinstance(rules, str) else rules
        self.state: State = new_state(self.rules, players)
        self.state.observed = 1
        self.state.any_ordered = 1
        self.state.ordered = [1] * len(self.state.ordered)
        self.history: list[int] = []
        engine.deal(self.state, game_key(check_seed(seed), index))

    @classmethod
    def from_text(cls, text: str, seed: int = 1) -> Game:
        """A game from a position written by `to_text`."""
        state, rules = notation.from_text(text, seed)
        game = cls.__new__(cls)
        game.rules, game.state, game.history = rules, state, []
        state.observed = 1
        return game

    def to_text(self) -> str:
        """The position as one line."""
        return notation.to_text(self.state, self.rules)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return engine.is_over(self.state)

    @property
    def to_act(self) -> int:
        """The seat whose decision is open."""
        return self.state.current

    @property
    def winner(self) -> int | None:
        """The winner's seat, None if there is none."""
        return self.state.winner if self.state.status == WON else None

    @property
    def points(self) -> int:
        """What the winner got."""
        return self.state.points

    @property
    def turns(self) -> int:
        """Turns so far."""
        return self.state.turn

    def legal_actions(self) -> list[int]:
        """The numbers of every legal action."""
        return engine.legal_actions(self.state)

    def view(self, seat: int | None = None) -> View:
        """What a seat may see, by default the one to act: a copy."""
        shown = self.state.current if seat is None else seat
        if not 0 <= shown < self.state.players:
            raise BadValue(f"seat {shown} does not exist: seats are 0 to {self.state.players - 1}.")
        engine.show(self.state, shown)
        view: View = engine.as_view(self.state)
        engine.show_actor(self.state)
        return view

    def apply(self, action: int | str) -> list[Event]:
        """Carry out a legal action, by number or name; the events everybody saw."""
        number = action_from_name(action) if isinstance(action, str) else action
        if self.is_over:
            raise BadValue(f"action {action} comes after the end of the game.")
        if not isinstance(number, int) or not engine.is_legal(self.state, number):
            legal = ", ".join(action_name(legal) for legal in self.legal_actions())
            raise BadValue(f"action {action} is not legal; legal are {legal}.")
        self.state.event_count = 0
        engine.apply(self.state, number)
        self.history.append(number)
        return [engine.event_at(self.state, place) for place in range(self.state.event_count)]

    def copy(self) -> Game:
        """An independent game at the same position."""
        twin = Game.__new__(Game)
        twin.rules, twin.state, twin.history = self.rules, copy_record(self.state), self.history[:]
        return twin

    def __repr__(self) -> str:
        return f"<Game {self.to_text()}>"


@dataclass
class Step:
    """The events of one action, the state after it, and every hand then in order of arrival."""

    events: list[Event]
    state: State
    hands: list[list[int]]
    out_of_turn: bool = False  # an answer to a stack, or a jump-in


@dataclass
class PlayedGame:
    """One game between bots: who sat where, how it began, each step, how it ended."""

    bots: list[str]
    seats: list[str]
    rules: str
    seed: int
    index: int
    opening: Step
    deal: int = 0  # which deal of a contest
    steps: list[Step] = field(default_factory=list)
    winner: int | None = None
    points: int = 0
    turns: int = 0
    status: str = "playing"

    def to_dict(self) -> dict[str, Any]:
        """The outcome, and who sat where."""
        return {
            "bots": self.bots,
            "seats": self.seats,
            "rules": self.rules,
            "seed": self.seed,
            "index": self.index,
            "status": self.status,
            "winner": self.winner,
            "points": self.points,
            "turns": self.turns,
        }

    def __repr__(self) -> str:
        end = (
            f"{self.seats[self.winner]} (seat {self.winner}) won {self.points} points"
            if self.winner is not None
            else f"no winner ({self.status})"
        )
        return f"<game {self.index} of seed {self.seed}, {self.rules}: {end} in {self.turns} turns>"


@dataclass
class PlayedContest:
    """One contest between bots: its deals, and the scores at the end by seat."""

    to: str
    deals: list[PlayedGame] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    winner: int | None = None
    is_over: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The outcome, and that of every deal."""
        return {"to": self.to, "winner": self.winner, "scores": self.scores, "deals": [deal.to_dict() for deal in self.deals]}

    def __repr__(self) -> str:
        first = self.deals[0]
        end = f"{first.seats[self.winner]} (seat {self.winner}) won" if self.winner is not None else "no winner"
        return (
            f"<contest to {self.to}, {first.index} of seed {first.seed}, {first.rules}: {end}, {self.scores} after {len(self.deals)} deals>"
        )


def play(
    bots: Sequence[Any], *, seed: int = 1, index: int = 0, rules: Any = "classic", seating: str = "random", game: str = "uno"
) -> PlayedGame:
    """Let bots play one game and keep every step: game `index` of a batch with that seed, exactly."""
    return next(deals_of(PlayedContest(""), make_lineup(bots, rules, seating, game), seed, index))


def play_contest(
    bots: Sequence[Any],
    *,
    to: str | int = 500,
    seed: int = 1,
    index: int = 0,
    rules: Any = "classic",
    seating: str = "random",
    game: str = "uno",
) -> PlayedContest:
    """Let bots play one contest and keep every step: contest `index` of a batch with that seed, exactly."""
    contest = PlayedContest(str(to))
    for _ in deals_of(contest, make_lineup(bots, rules, seating, game, to), seed, index):
        pass
    return contest


def deals_of(contest: PlayedContest, lineup: Lineup, seed: int, index: int) -> Iterator[PlayedGame]:
    """Play the deals of one game of a batch, one if it is no contest, and add them to `contest`."""
    if index < 0:
        raise BadValue(f"index={index} is out of range: games are counted from 0.")
    check_seed(seed)
    kernels = kernels_for(lineup.game)
    table, state = plain_table(lineup), lineup.new_state()
    table.observed = table.outside_observers = 1
    guarded(lineup, table, state, seed, index, kernels.start_game, table, state, seed, index)
    names = [entrant.name for entrant in lineup.entrants]
    while True:
        seats = [names[table.seating[seat]] for seat in range(lineup.players)]
        played = PlayedGame(names, seats, lineup.rules.to_text(), seed, index, _step(state, []), table.deal)
        contest.deals.append(played)
        try:
            _play_to_the_end(lineup, table, state, played)
        except BotFault as fault:
            fault.played = played
            raise
        played.status = STATUS_NAMES[state.status]
        played.winner = state.winner if state.status == WON else None
        played.points, played.turns = state.points, state.turn
        decided = kernels.is_decided(table, state)
        contest.scores = list(state.scores[: lineup.players])
        if decided:
            contest.is_over = True
            contest.winner = table.contest_winner if lineup.to and table.contest_winner >= 0 else None
            yield played
            return
        yield played
        seat_players(lineup, table)
        table.observed = 1
        guarded(lineup, table, state, seed, index, kernels.start_deal, table, state, seed)


def _play_to_the_end(lineup: Lineup, table: Table, state: State, played: PlayedGame) -> None:
    kernels = kernels_for(lineup.game)
    seed, index = played.seed, played.index
    while True:
        code = guarded(lineup, table, state, seed, index, kernels.play_on, table, state)
        if code == FAULT:
            raise plain_fault(lineup, table, state, seed, index)
        if code == OVER:
            return
        assert code == TELL
        before = played.steps[-1] if played.steps else played.opening
        step = _step(state, [engine.event_at(state, place) for place in range(state.event_count)])
        step.out_of_turn = before.state.phase in (STACK, JUMPING_IN) and any(event.kind == PLAY for event in step.events)
        played.steps.append(step)
        guarded(lineup, table, state, seed, index, kernels.tell_events, table, state)


def _step(state: State, events: list[Event]) -> Step:
    return Step(events, copy_record(state), [notation.hand_in_order(state, seat) for seat in range(state.players)])


def steps_by_turn(played: PlayedGame) -> Iterator[tuple[int, list[Step]]]:
    """The steps of each turn: a draw and the play of the drawn card belong together, and so do the windows after a play."""
    turn: list[Step] = []
    number = before = played.opening.state.turn
    for step in played.steps:
        # An answer to a stack or a jump-in is a turn of its own, and begins with the play.
        began = before + int(step.out_of_turn)
        if turn and began != number:
            yield number, turn
            turn = []
        number = began
        turn.append(step)
        before = step.state.turn
    if turn:
        yield number, turn
