"""The games of a tournament: round after round, matches between our own bots at full speed, those with outside bots refereed.

Every match is a part of the run, every unit of its games is kept in the ledger as soon as it is played, and what the ledger
has is not played again. The figures depend on the tournament alone.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadValue
from kibitz.core.public import public
from kibitz.core.seeds import match_seed
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.tournament.config import COMMAND, FILE, Participant, Tournament
from kibitz.experiments.tournament.formats import Members, fixed_matches, match_count, swiss_round, swiss_rounds
from kibitz.experiments.tournament.standings import (
    PlayedMatch,
    TournamentResult,
    match_points,
    matrix_of,
    order_of,
    progress_of,
    skills_of,
    standings_of,
)
from kibitz.outside.player import PACKAGE, SITTING, OutsideBot, outside_bot, python_bot, tried_out
from kibitz.outside.referee import RefereedMatch, RefereedUnit, joined, play_elsewhere, play_in_pieces
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.outcomes import Outcomes, layout_for, unpack
from kibitz.play.sitting import Sitting
from kibitz.runs.cluster.dispatcher import ClusterExecutor
from kibitz.runs.ledger import Fault, KeptGame, Ledger
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.units import Unit, cut

PIECE_SECONDS = 1.0  # how long the games of a process are played until they are kept

Progress = Callable[[str, int], None]
Warn = Callable[[str], None]


@dataclass(frozen=True)
class UnitReport:
    """A unit of games as it is finished, for those who look on."""

    match: ScheduledMatch
    unit: Unit
    outcomes: Outcomes
    games: Sequence[KeptGame]  # written down, where outside bots took part
    faults: Sequence[Fault]


Told = Callable[[UnitReport], None]


@dataclass(frozen=True)
class ScheduledMatch:
    """One table of a tournament: its place among all, its round, who sits there."""

    number: int
    round: int
    members: Members


@dataclass(frozen=True)
class RefereedStretch:
    """Games of a match that the same processes play; the first `kept` of them have been kept before."""

    match: ScheduledMatch
    unit: Unit
    kept: int


@dataclass(frozen=True)
class Piece:
    """Games of a stretch as they are handed over."""

    match: ScheduledMatch
    unit: Unit
    brought: RefereedUnit
    logs: Mapping[str, bytes] = field(default_factory=dict)  # of bots on the cluster, by file name


class Play:
    """A tournament being played. With `absent` its bots are only names: enough to read games that are there, and no file is loaded."""

    def __init__(
        self,
        tournament: Tournament,
        ledger: Ledger | None = None,
        *,
        jit: bool = True,
        progress: Progress | None = None,
        told: Told | None = None,
        logs: Path | None = None,
        absent: bool = False,
        warn: Warn | None = None,
    ) -> None:
        self.tournament, self.ledger, self.jit, self.progress, self.told, self.logs = tournament, ledger, jit, progress, told, logs
        self.definition = registry.game(tournament.game)
        bots = [_stand_in(player.name) if absent else _bot_of(tournament, player) for player in tournament.players]
        self.bots = _apart(bots, tournament)
        self.played: list[PlayedMatch] = []
        self.faults: list[tuple[int, Fault]] = []
        self.rounds = 0
        self.swiss_scores: list[float] | None = None
        self.only: Share | None = None  # slices that alone are wanted, by match
        self._warn, self._are_tried_out = warn, False

    # -- what is played --

    def run(self, workers: Workers) -> None:
        """Play everything that is left."""
        for members in self.all_rounds():
            matches = [ScheduledMatch(len(self.played) + place, self.rounds, who) for place, who in enumerate(members)]
            self.rounds += 1
            self._play_round(matches, workers)

    def all_rounds(self) -> Iterator[list[Members]]:
        """Who meets whom; a Swiss decides on each round after the last."""
        chosen = self.tournament
        players = len(chosen.players)
        if chosen.format != "swiss":
            hero = next((place for place, player in enumerate(chosen.players) if player.name == chosen.hero), 0)
            yield fixed_matches(chosen.format, players, chosen.table, hero, chosen.rounds, chosen.seed)
            return
        self.swiss_scores = [0.0] * players
        byes = [0] * players
        rounds = swiss_rounds(players, chosen.rounds)
        for number in range(rounds):
            met = {match.members for match in self.played}
            pairs, resting = swiss_round(self.swiss_scores, met, byes, match_seed(chosen.seed, -1 - number), rounds - 1 - number)
            before = len(self.played)
            yield pairs
            if resting is not None:
                byes[resting] += 1
                self.swiss_scores[resting] += 1.0
            for match in self.played[before:]:
                for player, points in zip(match.members, match_points(match), strict=True):
                    self.swiss_scores[player] += points

    def recall(self) -> bool:
        """Take over what the ledger has without playing anything; whether that is everything."""
        assert self.ledger is not None  # or there is nothing to take over
        for members in self.all_rounds():
            whole = True
            for who in members:
                match = ScheduledMatch(len(self.played), self.rounds, who)
                lineup = self.lineup_of(match)
                kept = self.ledger.finished(match.number)
                parts = [unpack(lineup, match.number, unit, kept[unit]) for unit in sorted(kept, key=lambda unit: unit.first)]
                outcomes = np.concatenate(parts) if parts else np.zeros(0, layout_for(lineup))
                self.played.append(PlayedMatch(match.number, match.round, match.members, lineup, outcomes))
                self.faults += [(self.index_of(match, fault.game), fault) for fault in self.ledger.faults(match.number)]
                whole = whole and len(outcomes) == self.tournament.games
            self.rounds += 1
            if not whole:
                return False
        return True

    def ledger_parts(self) -> list[LedgerPart]:
        """How each match is cut for shares, of a format that knows them all beforehand: games of processes as they are refereed."""
        matches = [ScheduledMatch(number, 0, who) for number, who in enumerate(next(self.all_rounds()))]
        return [
            LedgerPart.of(match.number, self.tournament.games, self._unit_size(match))
            if self.has_outside(match)
            else self._batch_of(match).ledger_part(len(matches))
            for match in matches
        ]

    def games_expected(self) -> int:
        """How many games there will be in all."""
        chosen = self.tournament
        return match_count(chosen.format, len(chosen.players), chosen.table, chosen.rounds) * chosen.games

    def match_of(self, number: int) -> ScheduledMatch:
        """A match that was played, by its place among all."""
        if not 0 <= number < len(self.played):
            raise BadValue(f"match {number} does not exist: there are {len(self.played)}, counted from 0.")
        return ScheduledMatch(number, self.played[number].round, self.played[number].members)

    # -- how it is played --

    def _play_round(self, matches: Sequence[ScheduledMatch], workers: Workers) -> None:
        outside = [match for match in matches if self.has_outside(match)]
        found: dict[int, PlayedMatch] = {}
        try:
            for match in matches:
                if not self.has_outside(match):
                    self._play_batch(match, workers, found)
            if outside:
                self._play_outside(outside, workers, found)
        finally:
            self.played += [found[number] for number in sorted(found)]
            self.faults.sort(key=lambda entry: entry[0])

    def has_outside(self, match: ScheduledMatch) -> bool:
        """Whether a bot of this match is a process of its own."""
        return any(self.tournament.players[player].is_outside for player in match.members)

    def seed_of(self, match: ScheduledMatch) -> int:
        """The seed of a match. Where deals are paired, teams play the same ones, so that they can be compared deal by deal."""
        shared = self.tournament.paired and self.tournament.format == "teams"
        return self.tournament.seed if shared else match_seed(self.tournament.seed, match.number)

    def seating_of(self, match: ScheduledMatch) -> str:
        """Seats rotate, on each deal or from deal to deal, but a bot that sits everywhere has no other place to go."""
        if len(set(match.members)) == 1:
            return "fixed"
        return "rotate" if self.tournament.paired else "balanced"

    def lineup_of(self, match: ScheduledMatch) -> Lineup:
        """The line-up of a match; outside bots stand in it by name alone."""
        bots = [_stand_in(bot.name) if isinstance(bot, OutsideBot) else bot for bot in (self.bots[player] for player in match.members)]
        chosen = self.tournament
        return make_lineup(bots, chosen.rules, self.seating_of(match), chosen.game, chosen.to)

    def title_of(self, match: ScheduledMatch) -> str:
        """Who meets whom, in words."""
        names = [self.tournament.players[player].name for player in dict.fromkeys(match.members)]
        return (" + " if self.definition.cooperative else " v ").join(names)

    def _batch_of(self, match: ScheduledMatch) -> Batch:
        """The games of a match between our own bots."""
        games, seed = self.tournament.games, self.seed_of(match)
        batch = Batch(self.lineup_of(match), games, seed, self.jit, noted=True, ledger=self.ledger, part=match.number)
        batch.only = None if self.only is None else self.only.get(match.number, ())
        return batch

    def _play_batch(self, match: ScheduledMatch, workers: Workers, found: dict[int, PlayedMatch]) -> None:
        """A match between our own bots; interrupted, what was finished of it stays."""
        batch = self._batch_of(match)
        progress, title = self.progress, self.title_of(match)
        try:
            batch.run(workers, (lambda count: progress(title, count)) if progress else None)
        finally:
            outcomes = batch.outcomes()
            found[match.number] = PlayedMatch(match.number, match.round, match.members, batch.lineup, outcomes)
        if self.told:
            self.told(UnitReport(match, Unit(0, len(outcomes)), outcomes, (), ()))

    def _play_outside(self, matches: Sequence[ScheduledMatch], workers: Workers, found: dict[int, PlayedMatch]) -> None:
        """Matches with outside bots: stretches of all of them side by side, each with processes of its own."""
        if not self.jit:
            raise BadValue("outside bots need the compiled loop; leave out --no-jit and KIBITZ_JIT=0.")
        noted: dict[int, dict[int, Outcomes]] = {match.number: {} for match in matches}
        first = self.lineup_of(matches[0])
        Sitting(first, self.tournament.seed, follows=True).prepare("note_game")  # compiled here, where it is said, and not in a worker
        stop, news = threading.Event(), queue.SimpleQueue[Piece | Future[None]]()
        pool = ThreadPoolExecutor(workers.count, thread_name_prefix="kibitz-referee")
        waiting = 0
        try:
            for stretch in self._stretches_left(matches, noted):
                self._try_out(workers.count * self.tournament.table, stop)
                if workers.cluster:
                    self._send_stretch(stretch, workers.cluster, news.put)
                else:
                    pool.submit(self._play_stretch, stretch, stop, news.put).add_done_callback(news.put)
                waiting += 1
                while waiting >= 2 * workers.count:
                    waiting -= self._collect(news.get(), noted)
            while waiting:
                waiting -= self._collect(news.get(), noted)
        finally:
            stop.set()
            try:
                if workers.cluster:
                    workers.cluster.drop_waiting()
                pool.shutdown(wait=True, cancel_futures=True)
                self._keep_rest(news, noted)
            finally:
                for match in matches:
                    units = noted[match.number]
                    lineup = self.lineup_of(match)
                    outcomes = np.concatenate([units[first] for first in sorted(units)]) if units else np.zeros(0, layout_for(lineup))
                    found[match.number] = PlayedMatch(match.number, match.round, match.members, lineup, outcomes)

    def _try_out(self, at_once: int, stop: threading.Event) -> None:
        """Start every outside bot before the first game: one that cannot be started forfeits its games, and nobody waits for it."""
        if self._are_tried_out:
            return
        self._are_tried_out = True
        rules = self.definition.parse_rules(self.tournament.rules)
        game = self.definition.under(rules)
        places = [place for place, bot in enumerate(self.bots) if isinstance(bot, OutsideBot)]
        with ThreadPoolExecutor(at_once, thread_name_prefix="kibitz-try-out") as pool:
            try:
                for place, bot in zip(places, pool.map(lambda place: tried_out(self.bots[place], game, rules, stop), places), strict=True):
                    self.bots[place] = bot
                    if bot.unfit and self._warn:
                        self._warn(f"{bot.name} forfeits all its games: it {bot.unfit}")
            except KeyboardInterrupt:
                stop.set()
                raise

    def _stretches_left(self, matches: Sequence[ScheduledMatch], noted: dict[int, dict[int, Outcomes]]) -> Iterator[RefereedStretch]:
        """The games that the ledger does not have, stretch by stretch; those it has are taken over."""
        for match in matches:
            kept = self.ledger.finished(match.number) if self.ledger else {}
            lineup = self.lineup_of(match)
            for unit, payload in kept.items():
                noted[match.number][unit.first] = unpack(lineup, match.number, unit, payload)
                if self.progress:
                    self.progress(self.title_of(match), unit.count)
            if self.ledger and kept:
                self.faults += [(self.index_of(match, fault.game), fault) for fault in self.ledger.faults(match.number)]
            size = self._unit_size(match)
            played: Counter[int] = Counter()
            for unit in kept:
                played[unit.first // size * size] += unit.count
            wanted = cut(self.tournament.games, size) if self.only is None else self.only.get(match.number, ())
            for whole in wanted:
                if played[whole.first] < whole.count:  # the games of a stretch are kept in order
                    yield RefereedStretch(match, whole, played[whole.first])

    def _play_stretch(self, stretch: RefereedStretch, stop: threading.Event, hand_over: Callable[[Piece], None]) -> None:
        """Play a stretch in a worker's thread, and hand over its games from time to time.

        What was kept of a stretch that was cut short is played once more, so that the processes know what those before them knew: the
        rest of it then goes on as if it had never been interrupted. What was kept counts as it was kept.
        """
        first, since = stretch.unit.first + stretch.kept, time.monotonic()
        pieces: list[RefereedUnit] = []

        def hand_over_pieces() -> None:
            nonlocal first, since
            brought = joined(pieces)
            hand_over(Piece(stretch.match, Unit(first, len(brought.outcomes)), brought))
            first, since = first + len(brought.outcomes), time.monotonic()
            pieces.clear()

        try:
            for piece in islice(play_in_pieces(self._refereed(stretch.match), stretch.unit, stop), stretch.kept, None):
                pieces.append(piece)
                if time.monotonic() - since >= PIECE_SECONDS:
                    hand_over_pieces()
        finally:  # also if compiled code was told to stop in the middle of a game
            if pieces:
                hand_over_pieces()

    def _send_stretch(self, stretch: RefereedStretch, cluster: ClusterExecutor, hand_over: Callable[[Piece | Future[None]], None]) -> None:
        """Have a stretch played on the cluster, in one piece."""

        def bring(done: Future[Any]) -> None:
            if not done.cancelled() and not done.exception():
                brought, logs = done.result()
                hand_over(Piece(stretch.match, Unit(stretch.unit.first + stretch.kept, len(brought.outcomes)), brought, logs))
            hand_over(done)

        cluster.submit(play_elsewhere, self._refereed(stretch.match), stretch.unit, stretch.kept).add_done_callback(bring)

    def _unit_size(self, match: ScheduledMatch) -> int:
        """Games of a refereed unit: whole rounds through the seats, with new processes for each seat where deals are paired."""
        seats = len(match.members)
        sizes = {"rotate": SITTING * seats, "balanced": -(-SITTING // seats) * seats, "fixed": SITTING}
        return sizes[self.seating_of(match)]

    def index_of(self, match: ScheduledMatch, game: int) -> int:
        """The place of a game of a match among all games of the tournament."""
        return match.number * self.tournament.games + game

    def _collect(self, news: Piece | Future[None], noted: dict[int, dict[int, Outcomes]]) -> int:
        """Keep a piece; of a stretch that is over, raise what went wrong there. The number of stretches that are over."""
        if isinstance(news, Future):
            if not news.cancelled():
                news.result()
            return 1
        self._keep(news, noted)
        self._write_logs(news)
        return 0

    def _keep_rest(self, news: queue.SimpleQueue[Piece | Future[None]], noted: dict[int, dict[int, Outcomes]]) -> None:
        """Keep what was handed over before the end came, whatever went wrong elsewhere; but no game behind one that is missing."""
        while not news.empty():
            piece = news.get()
            if isinstance(piece, Piece):
                ends = {first + len(outcomes) for first, outcomes in noted[piece.match.number].items()}
                if piece.unit.first in ends or piece.unit.first % self._unit_size(piece.match) == 0:
                    self._keep(piece, noted)
                    with suppress(BadValue):  # games are worth more
                        self._write_logs(piece)

    def _write_logs(self, piece: Piece) -> None:
        """Put the logs of bots on the cluster where those of bots here are."""
        if self.logs is None:
            return
        for name, content in piece.logs.items():
            file = self.logs / Path(name).name  # a node has no say in where it is
            try:
                file.write_bytes(content)
            except OSError as error:
                raise BadValue(f"log {file} can't be written: {error.strerror}.") from error

    def _keep(self, piece: Piece, noted: dict[int, dict[int, Outcomes]]) -> None:
        """Keep a piece, and tell of it."""
        match, unit, brought = piece.match, piece.unit, piece.brought
        if self.ledger:
            self.ledger.keep(match.number, unit, brought.outcomes.tobytes(), brought.faults, brought.games)
        noted[match.number][unit.first] = brought.outcomes
        self.faults += [(self.index_of(match, fault.game), fault) for fault in brought.faults]
        if self.progress:
            self.progress(self.title_of(match), unit.count)
        if self.told:
            self.told(UnitReport(match, unit, brought.outcomes, brought.games, brought.faults))

    def _refereed(self, match: ScheduledMatch) -> RefereedMatch:
        chosen = self.tournament
        return RefereedMatch(
            chosen.game,
            chosen.rules,
            tuple(self._named(player) for player in match.members),
            self.seed_of(match),
            self.seating_of(match),
            chosen.to,
            chosen.faults,
            self.logs,
        )

    def _named(self, player: int) -> Any:
        """A bot under its player's name, as records and faults show it."""
        bot = self.bots[player]
        return bot if isinstance(bot, OutsideBot) else registry.Entrant(self.tournament.players[player].name, bot.bot, bot.values)

    # -- what came of it --

    def result(self, seconds: float, complete: bool, ladder: bool = False) -> TournamentResult:
        """Standings and all that goes with them, with `ladder` the skills of openskill as well."""
        chosen = self.tournament
        cooperative = self.definition.cooperative
        names = [player.name for player in chosen.players]
        bots = public([player.bot for player in chosen.players], chosen.to_dict())
        faults = [fault for _, fault in self.faults]
        standings = standings_of(self.played, names, bots, cooperative, faults, self.swiss_scores)
        if ladder and not cooperative:
            standings = [replace(found, skill=skill) for found, skill in zip(standings, skills_of(self.played, len(names)), strict=True)]
        order = order_of(standings, chosen.to is not None)
        return TournamentResult(
            title=chosen.title,
            game=chosen.game,
            rules=chosen.rules,
            format=chosen.format,
            seed=chosen.seed,
            games=chosen.games,
            table=chosen.table,
            cooperative=cooperative,
            to=chosen.to,
            standings=[standings[player] for player in order],
            matrix=matrix_of(self.played, order, cooperative),
            progress=progress_of(self.played, order, self.rounds),
            faults=list(self.faults),
            games_played=sum(len(match.outcomes) for match in self.played),
            matches=sum(len(match.outcomes) > 0 for match in self.played),
            seconds=seconds,
            complete=complete,
            won_by_nobody=0 if cooperative else sum(int((match.outcomes["winner"] < 0).sum()) for match in self.played),
            paired=chosen.paired,
        )


def play_tournament(tournament: Tournament, *, threads: int | None = None, ladder: bool = False, **how: Any) -> TournamentResult:
    """Play a tournament to its end; `how` is that of `Play`. What a ledger has is not played again."""
    play = Play(tournament, **how)
    start = time.perf_counter()
    with open_workers(threads) as workers:
        try:
            play.run(workers)
        except KeyboardInterrupt:
            raise Interrupted(play.result(time.perf_counter() - start, False, ladder)) from None
    return play.result(time.perf_counter() - start, True, ladder)


def recalled_tournament(tournament: Tournament, ledger: Ledger, seconds: float = 0.0) -> TournamentResult:
    """The figures of a tournament as far as the ledger has its games, without playing or loading a bot."""
    play = Play(tournament, ledger, absent=True)
    complete = play.recall()
    return play.result(seconds, complete)


def _bot_of(tournament: Tournament, player: Participant) -> Any:
    """What plays for a player: an entrant of ours, or an outside bot."""
    if player.kind == FILE:
        return python_bot(player.name, player.bot, tournament.game, tournament.limits_of(player))
    if player.kind == COMMAND:
        return outside_bot(player.name, player.bot, Path(player.folder), tournament.limits_of(player), player.trusted)
    return registry.entrant(player.bot, tournament.game)


def _apart(bots: Sequence[Any], tournament: Tournament) -> list[Any]:
    """Outside bots that may read a folder of their own, but not the tournament's, nor one in which another's files are."""
    own = [{path for path in bot.readable if path.is_dir() and path != PACKAGE} if isinstance(bot, OutsideBot) else set() for bot in bots]
    times = Counter(path for paths in own for path in paths)
    cup = {Path(player.folder).resolve() for player in tournament.players}

    def is_private(path: Path) -> bool:
        return times[path] == 1 and not any(path == folder or path in folder.parents for folder in cup)

    return [
        replace(bot, readable=tuple(path for path in bot.readable if path not in paths or is_private(path))) if paths else bot
        for bot, paths in zip(bots, own, strict=True)
    ]


def _stand_in(name: str) -> registry.Entrant:
    """A bot that is only a name."""
    return registry.Entrant(name, ObjectBot(name, lambda: None, None))
