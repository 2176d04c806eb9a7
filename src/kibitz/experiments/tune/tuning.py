"""`kibitz tune` as an experiment: which parameters make a bot strongest?"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kibitz import registry
from kibitz.bots.parameters import Value
from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.seeds import check_seed, match_seed
from kibitz.experiments.experiment import Experiment, bot_fingerprints
from kibitz.experiments.settings import Compiled, GameOfBots, RulesName, Seed, Setting, bots_asked, bots_in
from kibitz.experiments.tune.racing import DEFAULT_Z, RaceDeals, Rule
from kibitz.experiments.tune.space import Space, make_space
from kibitz.experiments.tune.study_file import StudyFile, load_optuna
from kibitz.experiments.tune.trials import RACE, STARTS, STARTUP, Tuning, recalled, search
from kibitz.games.contract import GameDefinition
from kibitz.play.lineup import make_lineup
from kibitz.report.console import tell
from kibitz.report.progress import LiveText
from kibitz.runs.database import store_path
from kibitz.runs.store import Run

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot

METHOD = 1  # raised when equal settings would be searched differently, so that no study goes on as another
GOALS = {"win_rate": "wins", "points": "points", "score": "score", "points_kept": "points_kept"}  # and what is measured for them
COMPETITIVE, COOPERATIVE = ("win_rate", "points"), ("score", "points_kept")


@dataclass(frozen=True, eq=False)
class Tune(Experiment[Tuning]):
    """Which parameters make a bot strongest? Settings race on the same deals, and fresh deals confirm the best.

    Starts from scratch unless --from names a preset. The winner is printed as a name that every command accepts, and as JSON.
    """

    kind = "tune"

    bot: Annotated[
        Any,
        bots_asked("The bot to tune; as it is named here it is compared with in the end.", "BOT", str),
    ]
    _: KW_ONLY
    goal: Annotated[
        str | None,
        Setting("win_rate or points; of a team score (a lost game counts 0) or points_kept.", "--for", metavar="GOAL", stored_as="for"),
    ] = None
    players: Annotated[int, Setting("Players at the table.", "-p")] = 2
    against: Annotated[
        Sequence[Any] | str | None,
        Setting(
            "Who sits in the other seats, random by default; once for all of them, or for each. In a team copies of the bot.",
            "-a",
            metavar="BOT",
            given_as=list[str] | None,
            names_bots=True,
        ),
    ] = None
    trials: Annotated[
        int, Setting("Settings to try in all, counting those tried in earlier runs of this study.", least=1, unit="trial")
    ] = 2_000
    games: Annotated[int, Setting("Games of a setting that stays in the race to its end.", "-n")] = 20_000
    confirm: Annotated[
        int,
        Setting("Games on fresh deals that choose among the best few, and as many that confirm them.", least=1, unit="game"),
    ] = 200_000
    held: Annotated[
        Sequence[str],
        Setting(
            "Hold a parameter; as often as there are parameters to hold.",
            "--fix",
            metavar="KEY=VALUE",
            given_as=list[str] | None,
            stored_as="fix",
        ),
    ] = ()
    start: Annotated[str | None, Setting("Start from a preset; by default from scratch.", "--from", metavar="PRESET", stored_as="from")] = (
        None
    )
    z: Annotated[float, Setting("Drop settings this many standard errors behind the best.")] = DEFAULT_Z
    near: Annotated[float, Setting("Share of the trials that change the best so far a little; the others are Optuna's (TPE).")] = 0.8
    seed: Seed = 1
    rules: RulesName = None
    game: GameOfBots = None
    plot: Annotated[
        Path | None,
        Setting(
            "Draw the history and what mattered into this folder (needs the extra 'report').",
            "--plot --plots",
            metavar="FOLDER",
            is_output=True,
        ),
    ] = None
    study: Annotated[
        Path | None,
        Setting("The SQLite file that keeps the trials; by default one for each task, beside the store.", metavar="PATH"),
    ] = None
    resume: Annotated[
        bool,
        Setting(
            "Fail if there are no earlier trials to continue. Without it, the same command continues them if there are any.", is_kept=False
        ),
    ] = False
    jit: Compiled = True

    # -- what is tuned --

    @cached_property
    def definition(self) -> GameDefinition:
        """The game of the bots."""
        if self.absent and any(map(registry.is_file_name, [*bots_in(self.bot), *bots_in(self.against)])):
            raise BadValue("the parameters of a bot in a file are known only when it is loaded.")
        return registry.game(registry.game_of([self.bot, *self._named], self.game))

    @property
    def _named(self) -> list[Any]:
        return [self.against] if isinstance(self.against, str) else list(self.against or [])

    @cached_property
    def space(self) -> Space:
        """The settings that can be tried."""
        return make_space(self.bot, self.held, self.definition.name)

    @property
    def aim(self) -> str:
        """The goal, or the usual one of the game."""
        return self.goal or (COOPERATIVE if self.definition.cooperative else COMPETITIVE)[0]

    @property
    def unit(self) -> str:
        """What differences are measured in."""
        return "percentage points" if self.aim == "win_rate" else "points a game"

    @cached_property
    def company(self) -> tuple[registry.Entrant, ...]:
        """Who sits in the other seats: one bot named for all of them, or one for each; none in a team of copies."""
        game, others = self.definition, self._named or ([] if self.definition.cooperative else ["random"])
        company = tuple(registry.entrant(other, game.name) for other in others)
        if len(company) == 1:
            company *= self.players - 1
        if company and len(company) != self.players - 1:
            raise BadValue(
                f"--against names {len(company)} bots, but there are {self.players - 1} other seats; name one for all, or one for each."
            )
        return company

    @cached_property
    def deals(self) -> RaceDeals:
        """The deals of the race."""
        bot, company = self.space.entrant, self.company
        entrants, seating = ([bot, *company], "rotate") if company else ([bot] * self.players, "fixed")
        lineup = make_lineup(entrants, self.rules, seating, self.definition.name)
        return RaceDeals(lineup, (0,) if company else tuple(range(self.players)), GOALS[self.aim], match_seed(self.seed, RACE), self.jit)

    @property
    def rule(self) -> Rule:
        """When a setting is out of the race."""
        return Rule(self.games, self.z)

    @cached_property
    def preset(self) -> Mapping[str, Value] | None:
        """Parameters to start from; None: from scratch."""
        if self.start is None:
            return None
        bot = self.space.bot
        known = [preset for preset in bot.presets if preset]
        if not known:
            raise BadValue(f"--from {self.start}: {bot.name} has no presets to start from.")
        if self.start not in known:
            raise UnknownName(f"preset of bot {bot.name} in --from:", self.start, known)
        return {**bot.presets[self.start], **self.space.held}

    @property
    def start_length(self) -> int:
        """Trials of a start, so that it comes far enough to be judged."""
        return STARTUP + 10 + 3 * len(self.space.coordinates)

    def start_of(self, number: int) -> int | None:
        """The start that a trial belongs to; None once the best of all is gone on with.

        From a preset, and with Optuna's proposals alone, there is but that.
        """
        if self.start is not None or not self.near or number >= STARTS * self.start_length:
            return None
        return number // self.start_length

    def study_config(self) -> dict[str, Any]:
        """All that decides what a search finds, but for how long it goes on: what a study keeps."""
        lineup, space = self.deals.lineup, self.space
        return {
            "bot": space.entrant.name,
            "for": self.aim,
            "game": lineup.game.name,
            "players": lineup.players,
            "rules": lineup.rules.to_text(),
            "games": self.games,
            "seed": self.seed,
            "against": [other.name for other in self.company],
            "fix": {p.key: p.to_text(p.kept(space.held[p.name])) for p in space.parameters if p.name in space.held},
            "from": None if self.preset is None else space.named(self.preset).name,
            "z": self.z,
            "near": self.near,
            "method": METHOD,
            "results_version": lineup.game.results_version,
            "space": {coordinate.name: coordinate.parameter.describe_kept() for coordinate in space.coordinates},
            "files": bot_fingerprints(entrant.name for entrant in lineup.entrants),
        }

    # -- playing --

    def check(self) -> None:
        """Refuse what cannot be tuned or drawn."""
        load_optuna()
        if self.plot is not None:
            from kibitz.report.plotting import check_plots

            check_plots(Path(self.plot), "svg")
        if not self.absent:
            self.check_task()
        super().check()

    def check_task(self) -> None:
        """Refuse a bot, a table or numbers that make no sense."""
        accepted = COOPERATIVE if self.definition.cooperative else COMPETITIVE
        if self.aim not in accepted:
            raise BadValue(f"--for {self.aim} is not accepted; in {self.definition.title} it is {' or '.join(accepted)}.")
        if not 0 <= self.near <= 1:
            raise BadValue(f"near={self.near:g} is out of range: it is a share from 0 to 1.")
        if not 2 <= self.players <= self.definition.max_players:
            raise BadValue(f"players={self.players} is out of range: 2 to {self.definition.max_players} can play.")
        check_seed(self.seed)
        assert self.space and (self.start is None or self.preset) and self.deals and self.rule  # they say what is wrong

    def total(self) -> int:
        """Trials, and the confirmation."""
        return self.trials + 1

    @property
    def file(self) -> Path:
        """Where the trials are kept."""
        return Path(self.study) if self.study is not None else default_study(self)

    def play(self) -> Tuning:
        """Search until there are so many trials, and confirm the best."""
        with StudyFile(self.file, self.study_config(), self.resume) as file:
            return search(self, file)

    def recall(self, run: Run | None = None) -> Tuning:
        """The trials in the ledger, and what was confirmed."""
        assert self.ledger is not None  # of a stored run
        found = recalled(Tuning(self, study=str(self.file)), self.ledger)
        if run:
            found.seconds = run.seconds
        return found

    def settled(self) -> dict[str, Any]:
        """Game, rules and the file of the trials as they were understood."""
        lineup = self.deals.lineup
        return {"game": lineup.game.name, "rules": lineup.rules.to_text(), "study": self.file}

    def title(self) -> str:
        """The bot, and for what it is tuned."""
        return f"{self.bot} for {self.goal}" if self.goal else str(self.bot)

    # -- showing --

    def display(self) -> Display:
        """The best so far, live."""
        return Display()

    def print(self, result: Tuning, console: Console) -> None:
        """What was found, and the winner as a name."""
        from kibitz.experiments.tune.figures import print_tuning

        print_tuning(result, console)

    def serve(self, result: Tuning) -> None:
        """Draw the plots that were asked for."""
        if self.plot is not None and result.trials:
            from kibitz.experiments.tune.figures import too_few
            from kibitz.report.plotting import write_plots

            for written in write_plots(self.plots(result), Path(self.plot), "svg"):
                tell(f"plot: {written}")
            if reason := too_few(result):
                tell(reason)
        if sys.stderr.isatty():
            tell(f"kept in {self.file}")

    def plots(self, result: Tuning) -> list[Plot]:
        """The history, and what mattered."""
        from kibitz.experiments.tune.figures import tuning_plots

        return tuning_plots(result) if result.trials else []

    def page(self, result: Tuning, settings: PageSettings) -> str:
        """What was found, with the history and what mattered."""
        from kibitz.experiments.tune.figures import confirmed_page, describe, effort, sentence
        from kibitz.report.html_page import drawn, duration, listed, page, section, warning_of
        from kibitz.report.study_tables import html_table

        config = result.task.study_config()
        facts = [(name, str(config[name])) for name in ("bot", "for", "game", "rules", "players", "games", "seed")]
        return page(
            f"Tuning {config['bot']} for {config['for']}",
            "Tuning",
            sentence(result) if result.complete else describe(result),
            warning_of(result.complete, sum(trial.games for trial in result.trials), None),
            [("Trials", f"{len(result.trials):,}"), ("Time", duration(result.seconds))],
            [
                *([section("On fresh deals", html_table(confirmed_page(result)))] if result.complete else []),
                section("Effort", f"<p>{effort(result)}</p>\n"),
                drawn(self.plots(result), {}),
                section("Settings", listed(facts, settings, games=False)),
            ],
            settings,
        )


def default_study(task: Tune) -> Path:
    """The file of a task: in a folder beside the store, named by what is tuned and by a fingerprint of all that decides it."""
    config = task.study_config()
    stamp = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:8]
    name = re.sub(r"[^\w.-]+", "-", f"{task.space.bot.name}-{task.aim}-{config['players']}")
    return store_path().parent / "tuning" / f"{name}-{stamp}.db"


class Display(LiveText):
    """The best so far, live on standard error. Silent where there is no terminal."""

    def __call__(self, result: Tuning) -> None:
        """So much is known."""
        self.show_text("\n".join(display_lines(result)))


def display_lines(result: Tuning) -> list[str]:
    """How far it is, and the best so far with its standard error."""
    rate = f", {result.games / result.seconds:,.0f} games/s" if result.seconds else ""
    left = result.seconds_to_go
    to_go = f", about {_duration(left)} to go" if left is not None and result.phase == "searching" else ""
    share = len(result.trials) / result.task.trials
    bar = "█" * round(24 * share)
    lines = [f"{result.phase}: {bar:░<24} trial {len(result.trials):,} of {result.task.trials:,}{rate}{to_go}"]
    best = result.best
    if best:
        error = "?" if best.error is None else f"{best.error:.2f}"
        unit = " %" if result.task.aim == "win_rate" else ""
        lines.append(f"best so far {best.value:.2f} ± {error}{unit} (trial {best.number + 1:,}): {best.bot}")
    return lines


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
