"""`kibitz study`: a question that takes many line-ups to answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing
from kibitz.cli.study_exact import exact_command
from kibitz.cli.study_expectiminimax import expectiminimax_command
from kibitz.cli.study_output import Output, Plot, Write
from kibitz.cli.study_perceptrons import perceptrons_command
from kibitz.cli.study_skill import skill_command

if TYPE_CHECKING:
    from kibitz.experiments.studies.uno.rules_and_contests import Experiment

app = typer.Typer(
    help="A question that takes many line-ups to answer, with tables and a plot.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

StudyGames = Annotated[int, typer.Option("--games", "-n", help="Games, or contests, of each line-up.")]


@app.command("rules")
def rules_command(
    bots: Annotated[list[str] | None, typer.Argument(metavar="[BOT]...", help="Bots; the main ones if none is named.")] = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Players at the table, 2 to 10.")] = 2,
    against: Annotated[str, typer.Option("--against", "-a", help="The bot in every other seat.")] = "random",
    games: StudyGames = 100_000,
    seed: Seed = 1,
    threads: Threads = None,
    json: JsonFile = None,
    write: Write = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """How much do rules matter? Bots under every preset, and under classic with every single switch changed."""
    from kibitz.core.errors import BadValue
    from kibitz.experiments.studies.uno.rules_and_contests import MAIN_BOTS, rules_experiments

    if not 2 <= players <= 10:
        raise BadValue(f"players={players} is out of range: 2 to 10 can play.")
    return _run("rules", rules_experiments(bots or MAIN_BOTS, against, players), games, seed, threads, json, write, plot, no_jit)


@app.command("contests")
def contests_command(
    games: StudyGames = 20_000,
    seed: Seed = 1,
    threads: Threads = None,
    json: JsonFile = None,
    write: Write = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """Why does a strategy that wins half its deals win most of its contests? Simple strategies under the rules hearn."""
    from kibitz.experiments.studies.uno.rules_and_contests import contest_experiments

    return _run("contests", contest_experiments(), games, seed, threads, json, write, plot, no_jit)


app.command("exact")(exact_command)
app.command("expectiminimax")(expectiminimax_command)
app.command("perceptrons")(perceptrons_command)
app.command("skill")(skill_command)


def _run(
    name: str,
    experiments: list[Experiment],
    games: int,
    seed: int,
    threads: int | None,
    json: str | None,
    write: Path | None,
    plot: Path | None,
    no_jit: bool,
) -> int:
    from kibitz.experiments.studies.uno.rules_and_contests import run
    from kibitz.report.plots import draw
    from kibitz.report.studies import markdown, print_study

    output = Output(json, write, plot)
    output.check()
    with announcing(), Bar(len(experiments) * games) as bar:
        study = run(name, experiments, games, seed, threads, not no_jit, bar.advance)
    return output.serve(study, print_study, markdown, draw)
