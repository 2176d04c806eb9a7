"""`kibitz tune`: which parameters make a bot strongest?"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import options
from kibitz.cli.options import (
    DecisionSeconds,
    GameOfBots,
    JsonFile,
    LiveText,
    NoJit,
    RulesName,
    Seed,
    Threads,
    announcing,
    check_json_path,
    console,
    tell,
    write_json,
)

if TYPE_CHECKING:
    from kibitz.experiments.tune.task import Task
    from kibitz.experiments.tune.tuning import Tuning


def command(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot to tune; as it is named here it is compared with in the end.")],
    goal: Annotated[
        str | None, typer.Option("--for", metavar="GOAL", help="win_rate or points; in Hanabi score (a lost game counts 0) or points_kept.")
    ] = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Players at the table.")] = 2,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="BOT",
            help="Who sits in the other seats, random by default; once for all of them, or for each. In Hanabi copies of the bot.",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", help="Settings to try in all, counting those tried in earlier runs of this study.")
    ] = 2_000,
    games: Annotated[int, typer.Option("--games", "-n", help="Games of a setting that stays in the race to its end.")] = 20_000,
    confirm: Annotated[
        int, typer.Option("--confirm", help="Games on fresh deals that choose among the best few, and as many that confirm them.")
    ] = 200_000,
    fix: Annotated[
        list[str] | None, typer.Option("--fix", metavar="KEY=VALUE", help="Hold a parameter; as often as there are parameters to hold.")
    ] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="PRESET", help="Start from a preset; by default from scratch.")] = None,
    z: Annotated[float, typer.Option("--z", help="Drop settings this many standard errors behind the best.")] = 2.0,
    near: Annotated[
        float, typer.Option("--near", help="Share of the trials that change the best so far a little; the others are Optuna's (TPE).")
    ] = 0.8,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameOfBots = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    json: JsonFile = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", "--plots", metavar="FOLDER", help="Draw the history and what mattered into this folder (needs the extra 'report')."
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(
            "--study", metavar="PATH", help="The SQLite file that keeps the trials; by default one for each task, beside the store."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Fail if there are no earlier trials to continue. Without it, the same command continues them if there are any.",
        ),
    ] = False,
    no_jit: NoJit = False,
) -> int:
    """Which parameters make a bot strongest? Settings race on the same deals, and fresh deals confirm the best.

    Starts from scratch unless --from names a preset. The winner is printed as a name that every command accepts, and as JSON.
    """
    from kibitz.experiments.tune.study_file import load_optuna
    from kibitz.experiments.tune.task import make_task
    from kibitz.experiments.tune.tuning import TuningInterrupted, tune
    from kibitz.report.tuning import print_tuning

    check_json_path(json)
    load_optuna()
    if plot is not None:
        from kibitz.report.drawing import check_plots

        check_plots(plot, "svg")
    task = make_task(
        bot,
        goal=goal,
        players=players,
        against=against,
        games=games,
        seed=seed,
        rules=rules,
        game=game,
        held=fix or (),
        start=start,
        z=z,
        near=near,
        jit=not no_jit,
    )
    path = study if study is not None else default_study(task)
    code = 0
    with announcing(), Display() as display:
        try:
            result = tune(task, trials, confirmation=confirm, study=path, resume=resume, threads=threads, progress=display.show)
        except TuningInterrupted as stop:
            result, code = stop.result, 130
    write_json(json, result.to_dict())
    if plot is not None and result.trials:
        _draw(result, plot)
    if json != "-":
        print_tuning(result, console())
    if code:
        words = [word for word in options.typed if word != "--resume"]
        tell(f"resume with: {shlex.join(['kibitz', *words, '--resume'])}")
    elif sys.stderr.isatty():
        tell(f"kept in {path}")
    return code


def _draw(result: Tuning, folder: Path) -> None:
    from kibitz.report.drawing import write_plots
    from kibitz.report.tuning import too_few, tuning_plots

    for written in write_plots(tuning_plots(result), folder, "svg"):
        tell(f"plot: {written}")
    if reason := too_few(result):
        tell(reason)


def default_study(task: Task) -> Path:
    """The file of a task: in a folder beside the store, named by what is tuned and by a fingerprint of all that decides it."""
    import hashlib
    import json

    from kibitz.runs.database import store_path

    config = task.to_config()
    stamp = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:8]
    name = re.sub(r"[^\w.-]+", "-", f"{task.space.bot.name}-{task.goal}-{config['players']}")
    return store_path().parent / "tuning" / f"{name}-{stamp}.db"


class Display(LiveText):
    """The best so far, live on standard error. Silent where there is no terminal."""

    def show(self, result: Tuning) -> None:
        """So much is known."""
        self.show_text("\n".join(display_lines(result)))


def display_lines(result: Tuning) -> list[str]:
    """How far it is, and the best so far with its standard error."""
    rate = f", {result.games / result.seconds:,.0f} games/s" if result.seconds else ""
    left = result.seconds_to_go
    to_go = f", about {_duration(left)} to go" if left is not None and result.phase == "searching" else ""
    share = len(result.trials) / result.wanted
    bar = "█" * round(24 * share)
    lines = [f"{result.phase}: {bar:░<24} trial {len(result.trials):,} of {result.wanted:,}{rate}{to_go}"]
    best = result.best
    if best:
        error = "?" if best.error is None else f"{best.error:.2f}"
        unit = " %" if result.task.goal == "win_rate" else ""
        lines.append(f"best so far {best.value:.2f} ± {error}{unit} (trial {best.number + 1:,}): {best.bot}")
    return lines


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
