"""Games with bots that are processes of their own: asked through the protocol, judged, and charged for what they do wrong.

The compiled loop runs until an outside bot must be asked (`kibitz.play.mixed`). What a bot does wrong is noted as a fault
against it and the game's documented default action is taken for it; after too many faults, or when its process is gone, it
has forfeited the game: the last player left wins it, and where more are left they play on, with the first legal action in its
seat. The tournament goes on.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import HAND_ORDERS
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.carried import named_as_before
from kibitz.core.layouts import load
from kibitz.core.printable import printable
from kibitz.core.public import public
from kibitz.core.seeds import outside_seed
from kibitz.outside.limits import OutsideFault, Stopped
from kibitz.outside.lines import as_line
from kibitz.outside.player import Evidence, OutsideBot, OutsidePlayer, at_this_place, illegal_answer, substitute_action
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.outcomes import FORFEITED, Outcomes, blank_notes, pack_notes
from kibitz.play.record import Record
from kibitz.play.record_faults import FORFEITED as FORFEITED_STATUS
from kibitz.play.record_faults import MOST_SIGNS, RecordedFault
from kibitz.play.sitting import Ask, Over, Sitting
from kibitz.registry import Entrant
from kibitz.runs.ledger import FORFEIT, Fault, KeptGame
from kibitz.runs.units import Unit


@dataclass(frozen=True)
class RefereedMatch:
    """Who plays what in games with outside bots, by line-up entry."""

    game: str
    rules: str
    members: tuple[Entrant | OutsideBot, ...]
    seed: int
    seating: str = "rotate"
    to: str | None = None
    faults: int = 3  # of a bot in one game, after which the game is forfeited
    logs: Path | None = None  # where the bots' standard error goes


@dataclass
class RefereedUnit:
    """What some games brought, in order."""

    outcomes: Outcomes
    faults: list[Fault]
    games: list[KeptGame]
    decisions: int = 0
    slowest: float = 0.0  # seconds of the slowest decision
    seconds: float = 0.0  # of all decisions
    evidence: list[Evidence] = field(default_factory=list)  # for each fault but the forfeits


def play_refereed(match: RefereedMatch, unit: Unit) -> RefereedUnit:
    """Play a unit of games. Every outside bot has processes of its own, started for this unit and ended with it."""
    return joined(list(play_in_pieces(match, unit)))


def joined(pieces: Sequence[RefereedUnit]) -> RefereedUnit:
    """Pieces that follow one another as one."""
    return RefereedUnit(
        np.concatenate([piece.outcomes for piece in pieces]),
        [fault for piece in pieces for fault in piece.faults],
        [game for piece in pieces for game in piece.games],
        sum(piece.decisions for piece in pieces),
        max(piece.slowest for piece in pieces),
        sum(piece.seconds for piece in pieces),
        [evidence for piece in pieces for evidence in piece.evidence],
    )


def play_elsewhere(match: RefereedMatch, unit: Unit, kept: int) -> tuple[RefereedUnit, dict[str, bytes]]:
    """Play a unit on another machine than the one it was described on: what its games but the first `kept` brought, and the bots' logs."""
    with tempfile.TemporaryDirectory(prefix="kibitz-logs-") as folder:
        logs = None if match.logs is None else Path(folder)
        members = tuple(at_this_place(member, match.game) if isinstance(member, OutsideBot) else member for member in match.members)
        here = replace(match, members=members, logs=logs)
        found = joined(list(islice(play_in_pieces(here, unit), kept, None)))
        found.faults = [replace(fault, what=named_as_before(fault.what)) for fault in found.faults]
        found.games = [replace(game, text=named_as_before(game.text)) for game in found.games]
        return found, {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def play_in_pieces(match: RefereedMatch, unit: Unit, stop: Event | None = None) -> Generator[RefereedUnit, None, None]:
    """Play a unit game by game, in order. Its processes end with it, at once if `stop` is set or nobody asks for more games.

    Where each deal is played from every seat, each rotation of the seats is a sitting with new processes: one that lived on would
    know the cards of a deal when it comes again, from another seat. The whole unit is then one piece.
    """
    rotations = len(match.members) if match.seating == "rotate" else 1
    games = range(unit.first, unit.first + unit.count)
    if rotations == 1:
        yield from _play_sitting(match, games, stop)
        return
    sittings = [games[start::rotations] for start in range(min(rotations, unit.count))]
    brought = [list(_play_sitting(match, sitting, stop)) for sitting in sittings]
    if all(len(pieces) == len(sitting) for pieces, sitting in zip(brought, sittings, strict=True)):
        yield joined([brought[place % rotations][place // rotations] for place in range(unit.count)])


def _play_sitting(match: RefereedMatch, games: range, stop: Event | None) -> Iterator[RefereedUnit]:
    """Play some games with the same processes, and hand over each as it ends."""
    with_players = _players(match, games, stop)
    done = False
    try:
        for player in with_players.values():  # what windows they know decides how the table is laid
            try:
                player.ready()
            except OutsideFault as fault:
                player.left = fault  # the first game charges it
        lineup = lineup_of(match, with_players)
        table = RefereedTable(match, lineup, with_players)
        for index in games:
            if stop is not None and stop.is_set():
                return
            table.play(index)
            yield table.take()
        done = True
    except Stopped:
        return
    finally:
        for player in with_players.values():
            if done:
                player.close()
            else:
                player.kill()


@dataclass(frozen=True)
class Forfeit:
    """Who forfeited a game, and if only one player was left, who won it thereby and what."""

    entries: frozenset[int]
    winner: int = -1
    points: int = 0


def _void(lineup: Lineup, outcome: Outcomes, forfeit: Forfeit) -> None:
    """A game that somebody forfeited counts as such; a win of that seat counts for nobody."""
    if not forfeit.entries:
        return
    outcome["status"] = FORFEITED
    if forfeit.winner >= 0 or int(outcome["winner"][0]) in forfeit.entries:
        outcome["winner"] = forfeit.winner
        outcome["points"] = forfeit.points
    if lineup.to:
        outcome["scores"][0, list(forfeit.entries)] = 0


def _players(match: RefereedMatch, games: range, stop: Event | None) -> dict[int, OutsidePlayer]:
    from kibitz import registry

    definition = registry.game(match.game)
    rules = definition.parse_rules(match.rules)
    return {
        entry: OutsidePlayer(member, definition.under(rules), rules, _log(match, member, entry, games), stop)
        for entry, member in enumerate(match.members)
        if isinstance(member, OutsideBot)
    }


def _log(match: RefereedMatch, member: OutsideBot, entry: int, games: range) -> Path | None:
    if match.logs is None:
        return None
    safe = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in member.name)[:60]
    return match.logs / f"{safe}-{match.seed % 10**6}-{games[0]}-{entry}.log"


def lineup_of(match: RefereedMatch, players: dict[int, OutsidePlayer]) -> Lineup:
    """The line-up of a refereed match; outside bots stand in it as Python bots do."""
    bots: list[Any] = []
    for entry, member in enumerate(match.members):
        player = players.get(entry)
        if player is None:
            bots.append(member)
        else:
            made = AskedSeat(player.bot.name, windows=player.windows, reading=HAND_ORDERS.index(player.hand_order))
            bots.append(Entrant(player.bot.name, made))
    return make_lineup(bots, match.rules, match.seating, match.game, match.to)


class RefereedTable:
    """A sitting with outside bots at some of its seats."""

    def __init__(self, match: RefereedMatch, lineup: Lineup, outside: dict[int, OutsidePlayer]) -> None:
        self.match, self.lineup, self.outside = match, lineup, outside
        self.sitting = Sitting(lineup, match.seed, follows=True)
        self.faults: list[Fault] = []
        self.evidence: list[Evidence] = []
        self.kept: list[KeptGame] = []
        self._charged: dict[int, int] = {}
        self._out: set[int] = set()
        self._actions: list[int] = []
        self._noted: list[tuple[int, RecordedFault]] = []  # faults of this deal, and forfeits of earlier ones, by entry
        self._deal = 0
        self._listening: list[tuple[int, int, OutsidePlayer]] = []  # seat, entry and player of those who are told of events
        self._event_lines: dict[bytes, str] = {}

    def play(self, index: int) -> None:
        """Play one game to its end, whatever the outside bots do."""
        self.sitting.index = index  # faults before it begins are charged to this game
        self._charged = dict.fromkeys(self.outside, 0)
        self._out = set()
        self._actions, self._noted = [], []
        self._deal = 0
        for entry, player in self.outside.items():
            try:
                player.ready()
            except OutsideFault as fault:
                self._charge(entry, -1, fault)
        self.sitting.begin(index)
        self._play_deal()
        while not self._is_settled() and self.sitting.next_deal():
            self._play_deal()

    def take(self) -> RefereedUnit:
        """What the game just played brought."""
        notes = blank_notes(self.lineup, 1)
        self.sitting.note_in(notes, 0)
        outcome = pack_notes(self.lineup, notes)
        _void(self.lineup, outcome, Forfeit(frozenset(self._out), *self._won_by_forfeit()))
        taken = RefereedUnit(outcome, self.faults, self.kept, evidence=self.evidence)
        for player in self.outside.values():
            decisions, slowest, seconds = player.take_count()
            taken.decisions, taken.seconds, taken.slowest = (
                taken.decisions + decisions,
                taken.seconds + seconds,
                max(taken.slowest, slowest),
            )
        self.faults, self.kept, self.evidence = [], [], []
        return taken

    @property
    def seating(self) -> Sequence[int]:
        """The line-up entry in each seat."""
        return self.sitting.seating

    def _is_settled(self) -> bool:
        """Whether forfeits have decided the game: one player is left, or a team is one short."""
        return len(self._out) >= (1 if self.lineup.game.cooperative else self.lineup.players - 1)

    def _won_by_forfeit(self) -> tuple[int, int]:
        """The entry that is left alone, -1 if there is none, and what it gets: what all others hold."""
        if self.lineup.game.cooperative or len(self._out) != self.lineup.players - 1:
            return -1, 0
        seat = next(seat for seat in range(self.lineup.players) if self.seating[seat] not in self._out)
        return self.seating[seat], self.lineup.game.spoils(self.sitting.state, seat)

    def _play_deal(self) -> None:
        self._actions = []
        self._begin_outside()
        opening = self.sitting.state if self.lineup.to else None
        while not self._is_settled():
            step = self.sitting.step()
            if isinstance(step, Over):
                break
            if isinstance(step, Ask):
                entry = self.seating[step.seat]
                self._send_waiting(entry)
                action = self._outside_action(entry, step.seat, step.view)
                if self._is_settled():
                    break
                step = self.sitting.answer(action, step.view)
            self._actions.append(step.action)
            self._tell_outside(step.events)
        self._finish_deal(opening)

    def _begin_outside(self) -> None:
        for seat in range(self.lineup.players):
            entry = self.seating[seat]
            if entry in self.outside and entry not in self._out:
                seed = outside_seed(self.match.seed, self.sitting.index, self._deal, entry)
                try:
                    self.outside[entry].begin(self.sitting.look(seat), seed)
                except OutsideFault as fault:
                    self._charge(entry, seat, fault)
        self._listen()

    def _listen(self) -> None:
        at_seats = [(seat, self.seating[seat]) for seat in range(self.lineup.players)]
        self._listening = [
            (seat, entry, self.outside[entry])
            for seat, entry in at_seats
            if entry in self.outside and entry not in self._out and self.outside[entry].wants_events
        ]

    def _outside_action(self, entry: int, seat: int, view: Any) -> int:
        """What an outside bot answers, or the default in its place; of one that is out, the first legal action of a turn."""
        game = self.lineup.game
        was_out = entry in self._out
        if not was_out:
            try:
                action = self.outside[entry].choose(view)
                if self._is_legal(view, action):
                    return action
                raise illegal_answer(game, view, action)
            except OutsideFault as fault:
                self._charge(entry, seat, fault)
        return substitute_action(game, self.sitting.state, was_out)

    def _is_legal(self, view: Any, action: int) -> bool:
        return bool(self.lineup.game.verbs["is_legal"](view, action))

    def _tell_outside(self, events: Any) -> None:
        """Tell the outside bots of the events of the last action."""
        if not self._listening:
            return
        wire = self.lineup.game.wire
        lines = [self._event_line(block) for block in events.blocks]
        for seat, entry, player in self._listening:
            seen = f',"view":{as_line(wire.view_message(self.sitting.look(seat)))}}}' if player.wants_views else "}"
            try:
                for line in lines:
                    player.tell(line[:-1] + seen)
            except OutsideFault as fault:
                self._charge(entry, seat, fault)

    def _event_line(self, block: bytes) -> str:
        """An event as it is written, the same for every viewer; many come again and again."""
        line = self._event_lines.get(block)
        if line is None:
            event: Any = load(self.lineup.game.event, block)
            line = self._event_lines[block] = as_line({"type": "event", **self.lineup.game.wire.event_message(None, event)})
        return line

    def _send_waiting(self, asked: int) -> None:
        """Whoever is to be asked may take a while: the others hear of everything before. (It hears with the question.)"""
        for seat, entry, player in self._listening:
            if entry != asked:
                try:
                    player.running.send_waiting()
                except OutsideFault as fault:
                    self._charge(entry, seat, fault)

    def _finish_deal(self, opening: Any) -> None:
        """Tell the outside bots how it ended, and write the game down."""
        state = self.sitting.state
        outcome = self.lineup.game.outcome(state)
        if self._is_settled():
            entry, points = self._won_by_forfeit()
            winner = next((seat for seat in range(self.lineup.players) if self.seating[seat] == entry), None)
            outcome = {**outcome, "status": FORFEITED_STATUS, "winner": winner, "points": points}
        for seat in range(self.lineup.players):
            entry = self.seating[seat]
            if entry in self.outside and entry not in self._out:
                self.outside[entry].finish(outcome)
        self.kept.append(KeptGame(self.sitting.index, self._record(state, outcome, opening).to_text()))
        self._noted = [(entry, replace(fault, action=0)) for entry, fault in self._noted if fault.forfeits]
        self._deal += 1

    def _record(self, state: Any, outcome: dict[str, Any], opening: Any) -> Record:
        game = self.lineup.game
        names = [game.action_name(state, action) for action in self._actions]
        seats = tuple(self.lineup.entrants[self.seating[seat]].name for seat in range(self.lineup.players))
        later: dict[str, Any] = {}
        if opening is not None and self._deal:
            dealer = int(opening.set_dealer)
            later = {"round": self._deal, "scores": tuple(opening.scores[: opening.players])}
            later["dealer"] = dealer if 0 <= dealer < opening.players else None
        return Record(
            game=game.name,
            rules=self.lineup.rules.to_text(),
            seed=self.match.seed,
            deal=self.sitting.dealt,
            seats=seats,
            actions=tuple(names),
            faults=self._faults_by_seat(),
            **later,
            **self._end(outcome),
        )

    def _faults_by_seat(self) -> tuple[RecordedFault, ...]:
        return tuple(replace(fault, seat=list(self.seating[: self.lineup.players]).index(entry)) for entry, fault in self._noted)

    def _end(self, outcome: dict[str, Any]) -> dict[str, Any]:
        """What counted of a deal: a win of a seat that has forfeited counts for nobody."""
        winner = outcome.get("winner")
        if self._out:
            counts = winner is not None and self.seating[winner] not in self._out
            counts = counts and not (self.lineup.to and self._is_settled())  # that wins the contest, and no points
            won = {"winner": winner, "points": outcome["points"]} if counts else {}
            return {"status": FORFEITED_STATUS, **won}
        points = outcome["points"] if winner is not None or self.lineup.game.cooperative else 0
        return {"status": outcome["status"], "winner": winner, "points": points}

    def _charge(self, entry: int, seat: int, fault: OutsideFault) -> None:
        """Note a fault against an outside bot; too many, or a process that is gone, and the game is forfeited."""
        self._charged[entry] += 1
        player = self.outside[entry]
        position, asked = "", False
        if seat >= 0:
            state = self.sitting.state
            position = self.lineup.game.to_text(state, self.lineup.rules)
            asked = seat == int(state.current) and not self.lineup.game.verbs["is_over"](state)
        reproduce = f"kibitz check-bot {player.bot.reproduction}{self._options()}"
        if asked:
            reproduce += f" --position {shlex.quote(position)}"
        self.faults.append(Fault(self.sitting.index, player.bot.name, seat, fault.kind, fault.what, position, reproduce))
        self.evidence.append(player.evidence())
        forfeits = fault.fatal or self._charged[entry] >= self.match.faults
        due = len(self._actions) + 1 if seat >= 0 else 0  # which action
        self._noted.append((entry, RecordedFault(due, 0, fault.kind, printable(public(fault.what, {}), MOST_SIGNS), forfeits)))
        if forfeits:
            self._out.add(entry)
            self._listening = [listener for listener in self._listening if listener[1] != entry]
            why = "its process is gone" if fault.fatal else f"it committed {self._charged[entry]} faults in it"
            self.faults.append(Fault(self.sitting.index, player.bot.name, seat, FORFEIT, f"forfeited the game, since {why}"))

    def _options(self) -> str:
        game = f" --game {self.match.game}" if self.match.game != registry.game().name else ""
        return f"{game} --rules {shlex.quote(self.match.rules)}"
