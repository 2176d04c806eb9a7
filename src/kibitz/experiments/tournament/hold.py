"""`kibitz tournament` as an experiment: from the file that describes it to standings, tables and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.printable import printable
from kibitz.core.public import public
from kibitz.experiments.batch import open_workers
from kibitz.experiments.experiment import Experiment, LiveRow
from kibitz.experiments.settings import INTERNAL, RulesName, Setting
from kibitz.experiments.stored_games import Part, at_once
from kibitz.experiments.tournament.config import (
    BUILT_IN,
    FILE,
    TRUSTED,
    Tournament,
    check_files,
    files_of_player,
    names_seed,
    read_tournament,
)
from kibitz.experiments.tournament.rounds import Play, ScheduledMatch, UnitReport, play_tournament, recalled_tournament
from kibitz.experiments.tournament.standings import GameMean, Interval, Standing, TournamentResult
from kibitz.play.game import PlayedContest, deals_of
from kibitz.play.outcomes import wins_by_entry
from kibitz.play.record import Record, replay
from kibitz.report.console import console, tell
from kibitz.report.progress import Bar
from kibitz.runs.database import line_to_copy
from kibitz.runs.ledger import Fault
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.store import Run, RunLedger
from kibitz.stats.ladder import Ladder
from kibitz.stats.summary import standard_error

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot

GUARDS = "kibitz.outside.confine:available_guards"


@dataclass(frozen=True, eq=False)
class HoldTournament(Experiment[TournamentResult]):
    """A tournament between bots of ours, Python files and programs in any language: standings with errors, ratings, faults.

    Everyone plays equally often from every seat: each deal from all of them, or with outside bots a fresh deal for each game.
    Outside bots are processes of their own; what one of them does wrong is charged to it, and the tournament goes on.
    """

    kind = "tournament"
    keeps_outcomes = True

    file: Annotated[
        str,
        Setting(
            "A TOML file, or a .txt file with a Name,prefix or Name,command per line (see docs/tournaments.md).",
            metavar="FILE",
            is_argument=True,
        ),
    ]
    _: KW_ONLY
    games: Annotated[int | None, Setting("Games of each match, instead of what the file says.", "-n")] = None
    seed: Annotated[int | None, Setting("Seed, instead of what the file says; by default one from the operating system.", "-s")] = None
    format: Annotated[str | None, Setting("round-robin, swiss, gauntlet, free-for-all; where all play together teams, mixed.", "-f")] = None
    table: Annotated[int | None, Setting("Players at a table.")] = None
    rounds: Annotated[int | None, Setting("Rounds of a Swiss, or of tables that are drawn.")] = None
    rules: RulesName = None
    paired: Annotated[
        bool | None,
        Setting(
            "Play each deal from every seat, or a fresh deal for each game. Default: --no-paired if a bot is a process of its own, "
            "since it could remember a deal that it plays twice.",
            "--paired/--no-paired",
        ),
    ] = None
    quiet: Annotated[bool, Setting("Nothing but each player's total.", "-q", is_kept=False)] = False
    verbose: Annotated[bool, Setting("Every game, move by move, with the hands.", "-v", is_kept=False)] = False
    ladder: Annotated[bool, Setting("A live ladder of skills (needs the extra 'ratings').", is_kept=False)] = False
    logs: Annotated[Path | None, Setting("A folder for what outside bots write to standard error.", is_kept=False)] = None
    stored: Annotated[Mapping[str, Any] | None, INTERNAL] = None  # instead of the file: what a stored run kept of it

    @cached_property
    def tournament(self) -> Tournament:
        """What the file says, with what was changed."""
        if self.stored is not None:
            return Tournament.from_dict(self.stored)
        names = ("games", "seed", "format", "table", "rounds", "rules", "paired")
        return read_tournament(self.file, **{name: getattr(self, name) for name in names})

    def check(self) -> None:
        """Refuse what cannot be played or written."""
        if self.quiet and self.verbose:
            raise BadValue("--quiet and --verbose exclude each other; give one of them.")
        assert self.tournament  # says what is wrong with the file
        if self.ladder:
            if registry.game(self.tournament.game).cooperative:
                raise BadValue("--ladder needs winners; a game played together has none.")
            Ladder(1)  # says what is missing
        if self.logs is not None:
            try:
                self.logs.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BadValue(f"folder {self.logs} for logs cannot be made: {error.strerror}.") from error

    @property
    def prints_by(self) -> str:
        """The option that prints games while they are played."""
        return "--verbose" if self.verbose else ""

    def total(self) -> int:
        """Games of all matches."""
        return Play(self.tournament, absent=True).games_expected()

    def play(self) -> TournamentResult:
        """Play what is not in the ledger yet."""
        return play_tournament(
            self.tournament,
            ledger=self.ledger,
            threads=1 if self.verbose else self.threads,  # one game after the other
            progress=self.progress,
            told=_teller(self.tournament) if self.verbose else getattr(self.progress, "told", None),
            logs=self.logs,
            ladder=self.ladder,
            warn=_warn,
        )

    @property
    def not_in_shards(self) -> str:
        """A Swiss decides on each round after the last; without a seed every share would draw its own."""
        if self.tournament.format == "swiss":
            return "--shard can't divide a Swiss tournament, whose pairs depend on earlier rounds; --cluster plays it on many machines."
        if self.stored is None and self.seed is None and not names_seed(self.file):
            return "--shard needs a seed that all shares have: give --seed, or write seed into the tournament file; --cluster draws one."
        return ""

    def ledger_parts(self) -> list[LedgerPart]:
        """A part for each match."""
        return Play(self.tournament).ledger_parts()

    def play_share(self, share: Share) -> None:
        """Play slices of the matches."""
        play = Play(self.tournament, self.ledger, progress=self.progress, logs=self.logs, warn=_warn)
        play.only = share
        with open_workers(self.threads) as workers:
            play.run(workers)

    def recall(self, run: Run | None = None) -> TournamentResult:
        """The figures that were kept, or as far as its games are known; without folders."""
        if run and run.figures is not None:
            found = result_from(run.figures)
        else:
            assert self.ledger is not None  # of a stored run
            found = recalled_tournament(self.tournament, self.ledger, run.seconds if run else 0.0)
        return public_result(found, self.to_config())

    # -- on a cluster --

    def named_files(self) -> list[str]:
        """The files of all players, those in the command lines of programs too."""
        return [file for player in self.tournament.players for file in files_of_player(player)]

    def named_games(self) -> list[str]:
        """The one that is played."""
        return [self.tournament.game]

    def guards_needed(self) -> str:
        """Those of outside bots, if any player is confined."""
        return GUARDS if any(player.is_outside and not player.trusted for player in self.tournament.players) else ""

    # -- showing --

    @contextmanager
    def display(self) -> Iterator[Any]:
        """A bar of games, and with --ladder the ladder under it as it moves."""
        if self.quiet or self.verbose:
            yield None
            return
        with Bar(self.total()) as bar:
            if self.ladder:
                bar.told = _climber(self.tournament, bar)
            yield bar

    def print(self, result: TournamentResult, console: Console) -> None:
        """Standings, matrix and faults, and what can be done with the run; or totals alone."""
        from kibitz.experiments.tournament.tournament_tables import print_tournament

        if self.quiet or self.verbose:
            print_totals(result, console)
            return
        lines = _lines(self.ledger, result.games_played) if isinstance(self.ledger, RunLedger) and result.complete else []
        print_tournament(result, console, lines)

    def page(self, result: TournamentResult, settings: PageSettings) -> str:
        """The page of a tournament, without folders even in the lines that reproduce faults."""
        from kibitz.experiments.tournament.tournament_page import tournament_page  # brings matplotlib

        return tournament_page(public_result(result, self.to_config(), lines=True), settings)

    def plots(self, result: TournamentResult) -> list[Plot]:
        """Ratings, who beats whom, and how totals grew."""
        from kibitz.experiments.tournament.tournament_plots import tournament_plots

        return tournament_plots(result)

    def rows(self, result: TournamentResult) -> list[LiveRow]:
        """The standings; before the end the errors are those of independent games."""
        return [_row(player, result) for player in result.standings]

    def title(self) -> str:
        """What the tournament is called."""
        return self.tournament.title

    # -- in the store --

    def to_config(self) -> dict[str, Any]:
        """The tournament, with a fingerprint of each file."""
        return self.tournament.to_dict() if self.stored is None else dict(self.stored)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], absent: bool = False) -> Self:
        """The tournament of a stored run."""
        return cls("", absent=absent, stored=config)

    @classmethod
    def portable(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        """The tournament without folders: files are told by their names and fingerprints."""
        return {**config, "players": [_portable(player) for player in config["players"]]}

    @classmethod
    def check_files(cls, config: Mapping[str, Any], trusted: bool = False) -> None:
        """Refuse a tournament whose Python files or weights are no longer what they were."""
        check_files(Tournament.from_dict(config), (TRUSTED,) if trusted else (FILE, TRUSTED))

    @classmethod
    def loads_files(cls, config: Mapping[str, Any], or_starts: bool = False) -> bool:
        """Whether bots in files are loaded, or programs of others started."""
        kinds = {player.kind for player in Tournament.from_dict(config).players}
        return kinds != {BUILT_IN} if or_starts else TRUSTED in kinds

    def parts(self, run: Run) -> list[Part]:
        """How every game ended is kept, and those with outside bots move by move."""
        assert self.ledger is not None  # of a stored run
        play = Play(self.tournament, self.ledger, absent=self.absent)
        play.recall()
        found = []
        for played in play.played:
            match = ScheduledMatch(played.number, played.round, played.members)
            names = public([self.tournament.players[player].name for player in played.members], run.config)
            kept, faults = (self.ledger.games(played.number), self.ledger.faults(played.number)) if play.has_outside(match) else ((), ())
            games, outcomes = self.tournament.games, at_once(played.outcomes)
            found.append(Part(played.number, played.lineup, play.seed_of(match), games, names, outcomes, kept=kept, faults=faults))
        return found


def _portable(player: Mapping[str, Any]) -> dict[str, Any]:
    """A player without folders."""
    bot = Path(player["bot"]).name if player["kind"] in (FILE, TRUSTED) else player["bot"]
    files = sorted((Path(file).name, digest) for file, digest in player.get("files", {}).items())
    return {**player, "folder": "", "bot": bot, **({"files": files} if files else {})}


def _warn(line: str) -> None:
    tell(f"kibitz: {line}")


def _row(player: Standing, result: TournamentResult) -> LiveRow:
    together, games = result.cooperative, player.games
    wins = None if together else player.wins
    if result.complete:
        rate = player.points if together else player.win_rate
        share, mean, error = None if together else rate.value, player.points.value, rate.error
    else:
        share = None if wins is None else wins / games if games else 0.0
        mean = player.points_total / games if games else 0.0
        error = player.points.error if wins is None else standard_error(wins, wins, games)
    return LiveRow(player.name, games, wins, share, player.points_total, mean, error)


def _lines(ledger: RunLedger, games: int) -> list[tuple[str, str]]:
    """What can be done with a run that was kept: a line to copy for each, and what it does."""
    store, run = ledger.store.path, str(ledger.id)
    return [
        (line_to_copy(store, "report", run, "-o", f"run-{run}.html"), "a page with plots and every fault"),
        (line_to_copy(store, "replay", run, "0"), f"its first game, move by move; games are 0 to {games - 1:,}"),
        (line_to_copy(store, "export", run, "-o", f"run-{run}.csv"), "a row for every game"),
    ]


def print_totals(result: TournamentResult, console: Console) -> None:
    """Each player's total, in the order of the standings."""
    from rich.cells import cell_len

    names = {player.name: printable(player.name) for player in result.standings}
    width = max(cell_len(name) for name in names.values())
    for player in result.standings:
        name = names[player.name]
        console.print(f"{name}{' ' * (width - cell_len(name))}  {player.points_total:>12,}", markup=False, soft_wrap=True)


def public_result(result: TournamentResult, config: Mapping[str, Any], lines: bool = False) -> TournamentResult:
    """A tournament's result without folders, with `lines` not even in the lines that reproduce faults."""
    told = [(player.name, player.bot) for player in result.standings]
    said = [(fault.bot, fault.what, fault.reproduce) for _, fault in result.faults]
    told, said = public((told, said), config)
    standings = [replace(player, name=name, bot=bot) for player, (name, bot) in zip(result.standings, told, strict=True)]
    faults = [
        (index, replace(fault, bot=bot, what=what, reproduce=line if lines else fault.reproduce))
        for (index, fault), (bot, what, line) in zip(result.faults, said, strict=True)
    ]
    return replace(result, standings=standings, faults=faults)


def result_from(kept: dict[str, Any]) -> TournamentResult:
    """A tournament's result from its JSON."""
    standings = [
        Standing(
            **{
                **player,
                "win_rate": GameMean(**player["win_rate"]),
                "points": GameMean(**player["points"]),
                "rating": Interval(**player["rating"]) if player["rating"] else None,
                "skill": tuple(player["skill"]) if player["skill"] else None,
            }
        )
        for player in kept["standings"]
    ]
    known = {item.name: kept[item.name] for item in fields(TournamentResult) if item.name in kept}  # older ones lack what came later
    return TournamentResult(
        **{
            **known,
            "standings": standings,
            "matrix": [[None if cell is None else GameMean(**cell) for cell in row] for row in kept["matrix"]],
            "progress": [(games, list(points)) for games, points in kept["progress"]],
            "faults": [
                (fault["index"], Fault(**{name: value for name, value in fault.items() if name != "index"})) for fault in kept["faults"]
            ],
        }
    )


# -- those who look on --


def _climber(tournament: Tournament, bar: Bar) -> Callable[[UnitReport], None]:
    """Moves the ladder with each unit of games that is finished, and shows its top."""
    climbing = Ladder(len(tournament.players))
    plan = Play(tournament, absent=True)

    def look_on(report: UnitReport) -> None:
        lineup = plan.lineup_of(report.match)
        wins = wins_by_entry(lineup, report.outcomes).sum(axis=0)
        climbing.update(report.match.members, [int(won) for won in wins])
        top = climbing.table()[:10]
        bar.show("   ".join(f"{place}. {tournament.players[rung.player].name} {rung.ordinal:.1f}" for place, rung in enumerate(top, 1)))

    return look_on


def _teller(tournament: Tournament) -> Callable[[UnitReport], None]:
    """Prints the games of a unit as they are finished."""
    from kibitz.report.transcript import print_transcript

    plan = Play(tournament)
    terminal = console()

    def told(report: UnitReport) -> None:
        if report.games:
            for kept in report.games:
                print_transcript(replay(Record.from_text(kept.text)), terminal)
                terminal.print()
            return
        for game in range(report.unit.first, report.unit.first + report.unit.count):
            for played in _replayed(plan, report.match, game):
                print_transcript(played, terminal)
                terminal.print()

    return told


def _replayed(plan: Play, match: ScheduledMatch, game: int) -> Iterator[Any]:
    """The deals of a game between our own bots, played again, under the names of the tournament."""
    lineup = plan.lineup_of(match)
    names = [plan.tournament.players[player].name for player in match.members]
    shift = game % len(names) if lineup.seating in ("rotate", "balanced") else 0
    for played in deals_of(PlayedContest(lineup.to or ""), lineup, plan.seed_of(match), game):
        played.seats = [names[(seat + shift) % len(names)] for seat in range(len(names))]
        yield played
