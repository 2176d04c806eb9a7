"""`kibitz study expectiminimax`: how strong the seed's search is, what its slips cost, and how far its values are off."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing, check_json_path, console, write_json

MOST_POSITIONS = 100_000


def expectiminimax_command(
    games: Annotated[
        int, typer.Option("--games", "-n", help="Games of each line-up at 500 x 1; those at 50 x 3 play five times as many.")
    ] = 20_000,
    positions: Annotated[int, typer.Option("--positions", help="Positions that are searched again and again.")] = 200,
    repeats: Annotated[int, typer.Option("--repeats", help="How often each of them is searched with every setting.")] = 20,
    seed: Seed = 1,
    threads: Threads = None,
    json: JsonFile = None,
    write: Annotated[Path | None, typer.Option("--write", help="Also put the tables between the markers of this Markdown file.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw a plot into this file: .svg, .png or .pdf (needs the extra 'report').")
    ] = None,
    no_jit: NoJit = False,
) -> int:
    """How good is expectiminimax? Its strength with and without the slips of the original, and the error of its values."""
    from kibitz.arena.expectiminimax_study import games_needed, run_study
    from kibitz.errors import BadValue
    from kibitz.report.expectiminimax import draw, markdown, print_study
    from kibitz.report.plots import check_plot
    from kibitz.report.tables import check_marks, write_between_marks
    from kibitz.seeds import check_seed

    if games < 1:
        raise BadValue(f"games={games} is out of range: 1 or more are needed.")
    if not 1 <= positions <= MOST_POSITIONS:
        raise BadValue(f"positions={positions} is out of range: 1 to {MOST_POSITIONS:,} are accepted.")
    if not 2 <= repeats <= MOST_POSITIONS:
        raise BadValue(f"repeats={repeats} is out of range: 2 to {MOST_POSITIONS:,} are accepted, since a spread needs two.")
    check_seed(seed)
    check_json_path(json)
    check_plot(plot)
    if write:
        check_marks(write)
    with announcing(), Bar(games_needed(games)) as bar:
        study = run_study(games, positions, repeats, seed, threads, not no_jit, bar.advance)
    write_json(json, study.to_dict())
    if json != "-":
        print_study(study, console())
    if study.complete and write:
        asked = ["--games", str(games), "--positions", str(positions), "--repeats", str(repeats), "--seed", str(seed)]
        write_between_marks(write, markdown(study, shlex.join(["kibitz", "study", "expectiminimax", *asked])))
    if study.complete and plot:
        draw(study, plot)
    return 0 if study.complete else 130
