"""The two questions asked most: how good is a bot against an opponent, and who wins this line-up?"""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.experiment import Experiment, Interrupted, LiveRow, function_of
from kibitz.experiments.results import Result, row_of
from kibitz.experiments.settings import INTERNAL, Compiled, GameOfBots, Games, RulesName, Seating, Seed, Setting, Target, bots_asked
from kibitz.experiments.stored_games import Part, outcomes_in_order, shown_names
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.report.formatting import check_marks, marks_for, text_between_marks, write_between_marks
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.store import Run
from kibitz.stats.summary import CooperativeRow

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement(Experiment[Result]):
    """What evaluations and matches have in common: line-ups that each play the same deals; in a ledger each is a part."""

    games: Games = 100_000
    seed: Seed = 1
    rules: RulesName = None
    game: GameOfBots = None
    seating: Seating = "random"
    to: Target = None
    jit: Compiled = True
    part: Annotated[int, INTERNAL] = 0  # the number of the first line-up in the ledger

    has_stand_ins = True

    @property
    @abstractmethod
    def tables(self) -> list[tuple[Lineup, ...]]:
        """The line-ups of each table of figures."""

    def rows_of(self, lineup: Lineup) -> Sequence[int]:
        """The entries of a line-up that have a row."""
        return (0,)

    @property
    def opponent(self) -> str | None:
        """Who sits in every other seat."""
        return None

    def check(self) -> None:
        """Refuse what cannot be played."""
        super().check()
        check_seed(self.seed)
        assert self.tables  # says what is wrong with bots, rules and numbers

    def total(self) -> int:
        """Games of all line-ups together."""
        return self.games * sum(map(len, self.tables))

    def batches(self, noted: bool = False) -> Iterator[tuple[Result, list[Batch]]]:
        """The tables, still without rows, and a batch for each line-up."""
        part = self.part
        for lineups in self.tables:
            first = lineups[0]
            facts = (first.game.name, first.rules.to_text(), first.players, self.opponent, self.games, self.seed, first.seating, first.to)
            parts = range(part, part + len(lineups))
            part += len(lineups)
            yield (
                Result(self.kind, *facts),
                [
                    Batch(lineup, self.games, self.seed, self.jit, noted=noted, ledger=self.ledger, part=number)
                    for lineup, number in zip(lineups, parts, strict=True)
                ],
            )

    def play(self) -> Result:
        """Play what is left; further tables are `others` of the first."""
        found: list[Result] = []
        with open_workers(self.threads) as workers:
            for result, batches in self.batches():
                result.seconds = 0.0 if found else self.earlier
                found.append(result)
                found[0].others = found[1:]
                for batch in batches:
                    self._run(batch, workers, result, found[0])
        return found[0]

    def _run(self, batch: Batch, workers: Workers, result: Result, first: Result) -> None:
        """Play a batch and add its rows; interrupted, add what there is."""
        batch.prepare()
        name, progress = batch.lineup.entrants[0].name, self.progress
        start = time.perf_counter()
        try:
            batch.run(workers, (lambda count: progress(name, count)) if progress else None)
        except KeyboardInterrupt:
            result.complete = False
            raise Interrupted(first) from None
        finally:
            result.seconds += time.perf_counter() - start
            self._add_rows(result, batch)

    def _add_rows(self, result: Result, batch: Batch) -> None:
        result.games_played += batch.done
        if batch.done:
            result.rows.extend(row_of(batch, entry, batch.lineup.team) for entry in self.rows_of(batch.lineup))

    not_in_shards = ""

    def ledger_parts(self) -> list[LedgerPart]:
        """A part for each line-up."""
        return self.parts_among(sum(map(len, self.tables)))

    def parts_among(self, parts: int) -> list[LedgerPart]:
        """The same, in a run that has more parts than these."""
        return [batch.ledger_part(parts) for _, batches in self.batches() for batch in batches]

    def play_share(self, share: Share) -> None:
        """Play slices of the line-ups."""
        with open_workers(self.threads) as workers:
            for batch in (batch for _, batches in self.batches() for batch in batches if batch.part in share):
                batch.only = share[batch.part]
                batch.prepare()  # before the time counts
                name, progress = batch.lineup.entrants[0].name, self.progress
                batch.run(workers, partial(progress, name) if progress else None)

    def recall(self, run: Run | None = None) -> Result:
        """The figures put together from the units in the ledger."""
        found: list[Result] = []
        for result, batches in self.batches():
            for batch in batches:
                batch.recall()
                self._add_rows(result, batch)
                result.complete &= batch.complete
            found.append(result)
        found[0].seconds, found[0].others = run.seconds if run else 0.0, found[1:]
        if run and run.figures is not None:
            for result, figures in zip(found, run.figures.get("tables", [run.figures]), strict=True):
                result.seconds = figures["seconds"]
        return found[0]

    def parts(self, run: Run) -> list[Part]:
        """Only sums are kept: the games are played again."""
        batches = [batch for _, table in self.batches(noted=True) for batch in table]
        return [
            Part(number, batch.lineup, self.seed, self.games, shown_names(batch.lineup), outcomes_in_order(batch), self.jit)
            for number, batch in enumerate(batches)
        ]

    def settled(self) -> dict[str, Any]:
        """Game, rules and seats as they were understood."""
        first = self.tables[0][0]
        return {
            "game": first.game.name,
            "players": first.players,
            "rules": first.rules.to_text(),
            "seating": first.seating,
            "to": first.to,
            "jit": self.jit and os.environ.get("KIBITZ_JIT") != "0",
        }

    # -- showing --

    def print(self, result: Result, console: Console) -> None:
        """A table, or several."""
        from kibitz.experiments.result_tables import print_result

        for each in (result, *result.others):
            if each.rows or not each.complete:
                print_result(each, console)

    def page(self, result: Result, settings: PageSettings) -> str:
        """The page of an evaluation or a match."""
        from kibitz.experiments.result_page import result_page  # brings matplotlib

        return result_page(result, settings)

    def plots(self, result: Result) -> list[Plot]:
        """Win rates or scores with intervals."""
        from kibitz.experiments.result_page import result_plots

        return [plot for place, each in enumerate((result, *result.others), 1) for plot in result_plots(each, place)]

    def rows(self, result: Result) -> list[LiveRow]:
        """A row for each bot."""
        return [_shown(row) for each in (result, *result.others) for row in each.rows]


def _shown(row: Any) -> LiveRow:
    if isinstance(row, CooperativeRow):
        points = sum(score * count for score, count in enumerate(row.histogram))
        return LiveRow(row.bot, row.games, None, None, points, row.score, row.score_se)
    return LiveRow(row.bot, row.games, row.wins, row.win_rate, row.points_total, row.points, row.win_rate_se)


@dataclass(frozen=True, eq=False)
class Evaluate(Measurement):
    """Each bot in one seat against copies of an opponent, or in every seat where all play together: figures with standard errors.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    a file of trained weights (linear:weights.npz); path/to/file.py:name for your own. In Python it may also be a class, a function or a bot.
    Every row plays the same deals. Reference figures are shown beside ours where there are any.
    """

    kind = "evaluate"

    bots: Annotated[
        Sequence[Any] | str | Any | None,
        bots_asked(
            "Bots; if none is named, all that neither search nor cheat, with all presets; with --published those that have figures."
        ),
    ] = None
    _: KW_ONLY
    players: Annotated[int, Setting("Players at the table, 2 to 10 in most games.", "-p")] = 2
    against: Annotated[
        Any,
        Setting(
            "The bot in every other seat, random by default; where all play together a bot plays with itself.",
            "-a",
            given_as=str | None,
            names_bots=True,
        ),
    ] = None
    published: Annotated[
        bool,
        Setting(
            "The tables of published figures: v Random with 2 and with 6 players, or the bot in every seat with any number of players.",
            is_newer=True,
        ),
    ] = False
    write: Annotated[
        Path | None,
        Setting(
            "With --published: also put the tables, or the rows of a team, between the markers of this file.", is_output=True, is_newer=True
        ),
    ] = None

    def check(self) -> None:
        """Refuse what cannot be played or written."""
        definition = registry.game(self._game_name)
        if self.published and definition.face.published is None:
            raise BadValue(f"--published: nobody has published figures of {definition.title}.")
        if self.published and (self.to or self.rules not in (None, definition.default_rules)):
            raise BadValue(
                f"--published is about single games of {definition.title} under the {definition.default_rules} rules; leave out --to and --rules."
            )
        if self.write and not self.published:
            raise BadValue("--write goes with --published.")
        super().check()
        if self.write:
            check_marks(Path(self.write), *self.marks())

    @property
    def _game_name(self) -> str:
        return registry.game_of([*self._named, *([self.against] if self.against else [])], self.game)

    @property
    def _named(self) -> list[Any]:
        if self.bots is None:
            return []
        return [self.bots] if isinstance(self.bots, str) or not isinstance(self.bots, Sequence) else list(self.bots)

    @cached_property
    def tables(self) -> list[tuple[Lineup, ...]]:
        """One, or the published ones: in each the bots that can play among so many."""
        if not self.published:
            return [self._lineups(self._named or None, self.players)]
        game = registry.game_of(self._named, self.game)
        published = registry.game(game).face.load("published")
        bots = self._named or [bot for bot in published.FIGURES[published.PLAYER_NUMBERS[0]] if not registry.is_slow(bot, game)]
        chosen = {players: [bot for bot in bots if registry.plays_among(_name(bot), players, game)] for players in published.PLAYER_NUMBERS}
        return [self._lineups(names, players) for players, names in chosen.items() if names]

    def _lineups(self, bots: list[Any] | None, players: int) -> tuple[Lineup, ...]:
        """Each bot in one seat against copies of an opponent; in a cooperative game in every seat."""
        game = registry.game_of([*(bots or []), *([] if self.against is None else [self.against])], self.game)
        definition = registry.game(game)
        if not 2 <= players <= definition.max_players:
            raise BadValue(f"players={players} is out of range: 2 to {definition.max_players} can play.")
        alone = definition.cooperative
        if alone and self.against is not None:
            raise BadValue(f"against={self.against}: in {definition.title} nobody plays against another; a bot is measured with itself.")
        other = None if alone else registry.entrant("random" if self.against is None else self.against, game)
        named = registry.quick_names(game, players) if bots is None else bots
        return tuple(make_lineup([bot, *[other or bot] * (players - 1)], self.rules, self.seating, game, self.to) for bot in named)

    @property
    def opponent(self) -> str | None:
        """Who sits in every other seat; None where a bot is measured with itself."""
        first = self.tables[0][0]
        return None if first.game.cooperative else first.entrants[1].name

    def remarks(self) -> list[str]:
        """Who is left out, if nobody was named."""
        if self._named or self.published:
            return []
        chosen = [lineup.entrants[0].name for lineup in self.tables[0]]
        left_out = [name for name in registry.all_names(self.tables[0][0].game.name) if name not in chosen]
        if not left_out:
            return []
        return [f"left out, since they search, cheat or need another table: {', '.join(left_out)}; name them to play them"]

    def settled(self) -> dict[str, Any]:
        """All bots by name."""
        return {**super().settled(), "bots": [lineup.entrants[0].name for lineup in self.tables[0]], "against": self.opponent}

    def figures(self, result: Result) -> dict[str, Any]:
        """The figures as JSON, with --published of all tables."""
        if not self.published:
            return result.to_dict()
        return {"command": self.kind, "tables": [each.to_dict() for each in (result, *result.others)]}

    def serve(self, result: Result) -> None:
        """Write the published tables into a page."""
        if self.write and all(each.complete for each in (result, *result.others)):
            path, marks = Path(self.write), self.marks()
            write_between_marks(path, self.markdown(result, text_between_marks(path, *marks)), *marks)

    def markdown(self, result: Result, before: str = "") -> str:
        """The published tables; rows of a team that stand there `before` and weren't played again stay."""
        from kibitz.experiments.result_tables import markdown, played_here, score_table

        results = [result, *result.others]
        if registry.game(result.game).cooperative:
            return score_table(results, before)
        return markdown(results, *self.made(), played_here(self.ledger))

    def marks(self) -> tuple[str, str]:
        """Each game but the first has its own."""
        game = registry.game(self._game_name)
        return super().marks() if game == registry.game() else marks_for(game.title)

    def title(self) -> str:
        """The bots, and their opponent."""
        return _listed(self._named, ", ") + (f" v {_name(self.against)}" if self.against else "")


@dataclass(frozen=True, eq=False)
class Match(Measurement):
    """One line-up of 2 to 10 bots, many games: a row for each, in the order given.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    a file of trained weights (linear:weights.npz); path/to/file.py:name for your own. In Python it may also be a class, a function or a bot.
    """

    kind = "match"

    bots: Annotated[
        Sequence[Any],
        bots_asked("The line-up, 2 to 10 bots; of a team one name means that bot in every seat.", "BOT BOT...", list[str]),
    ]
    _: KW_ONLY
    players: Annotated[int, Setting("Seats, if one bot is named for all of them (a team).", "-p")] = 2

    @cached_property
    def tables(self) -> list[tuple[Lineup, ...]]:
        """One, with one line-up."""
        return [(make_lineup(self.bots, self.rules, self.seating, self.game, self.to, self.players),)]

    def rows_of(self, lineup: Lineup) -> Sequence[int]:
        """Every entry, or one for a team."""
        return (0,) if lineup.game.cooperative else range(lineup.players)

    def settled(self) -> dict[str, Any]:
        """All bots by name."""
        return {**super().settled(), "bots": [entrant.name for entrant in self.tables[0][0].entrants]}

    def title(self) -> str:
        """Who plays whom."""
        return _listed(self.bots, " v ")


def _name(bot: Any) -> str:
    return bot.name if isinstance(bot, registry.Entrant) else str(bot)


def _listed(bots: Sequence[Any], between: str) -> str:
    return between.join(map(_name, bots[:4])) + " …" * (len(bots) > 4)


evaluate = function_of(Evaluate, "evaluate")
match = function_of(Match, "match")
