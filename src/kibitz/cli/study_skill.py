"""`kibitz study skill`: how much of UNO is skill, and how much luck."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing, check_json_path, console, write_json

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
    write: Annotated[Path | None, typer.Option("--write", help="Also put the tables between the markers of this Markdown file.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw a plot into this file: .svg, .png or .pdf (needs the extra 'report').")
    ] = None,
    no_jit: NoJit = False,
) -> int:
    """How much of UNO is skill? Win rates from Random to a search with open cards, by players and by rules."""
    from kibitz.arena.skill import PLAYERS, SkillStudy, play
    from kibitz.report.plots import check_plot
    from kibitz.report.skill import draw, markdown, print_study
    from kibitz.report.tables import check_marks, write_between_marks

    study = SkillStudy(games, max(games // SHARE, 2 * max(PLAYERS)) if search_games is None else search_games, rollouts, seed)
    check_json_path(json)
    check_plot(plot)
    if write:
        check_marks(write)
    for searchers in (False, True):
        if study.complete:
            with announcing(), Bar(study.total(searchers)) as bar:
                play(study, searchers, threads, not no_jit, bar.advance)
    write_json(json, study.to_dict())
    if json != "-":
        print_study(study, console())
    if study.complete and write:
        asked = ["--games", str(games), "--search-games", str(study.search_games)]
        asked += [] if rollouts is None else ["--rollouts", str(rollouts)]
        write_between_marks(write, markdown(study, shlex.join(["kibitz", "study", "skill", *asked, "--seed", str(seed)])))
    if study.complete and plot:
        draw(study, plot)
    return 0 if study.complete else 130
