"""`kibitz study skill`: how much of UNO is skill, and how much luck."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing
from kibitz.cli.study_output import Output, Plot, Write

SHARE = 200  # the searchers play so many times fewer games, unless told


def skill_command(
    games: Annotated[int, typer.Option("--games", "-n", help="Games of each fast bot at each table.")] = 200_000,
    search_games: Annotated[
        int | None,
        typer.Option("--search-games", help=f"Games of champion and cheater at each table; by default one in {SHARE} of --games."),
    ] = None,
    rollouts: Annotated[
        int | None, typer.Option("--rollouts", help="Rollouts of champion and cheater for a decision; by default their own number.")
    ] = None,
    seed: Seed = 1,
    threads: Threads = None,
    json: JsonFile = None,
    write: Write = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """How much of UNO is skill? Win rates from Random to a search with open cards, by players and by rules."""
    from kibitz.experiments.studies.uno.skill import PLAYERS, SkillStudy, play
    from kibitz.report.skill import draw, markdown, print_study

    study = SkillStudy(games, max(games // SHARE, 2 * max(PLAYERS)) if search_games is None else search_games, rollouts, seed)
    output = Output(json, write, plot)
    output.check()
    for searchers in (False, True):
        if study.complete:
            with announcing(), Bar(study.total(searchers)) as bar:
                play(study, searchers, threads, not no_jit, bar.advance)
    asked = ["--games", str(games), "--search-games", str(study.search_games)]
    asked += [] if rollouts is None else ["--rollouts", str(rollouts)]
    command = shlex.join(["kibitz", "study", "skill", *asked, "--seed", str(seed)])
    return output.serve(study, print_study, lambda study: markdown(study, command), draw)
