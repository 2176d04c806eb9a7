"""`kibitz study expectiminimax`: how strong the search is, what its slips cost, and how far its values are off."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing
from kibitz.cli.study_output import Output, Plot, Write

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
    write: Write = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """How good is expectiminimax? Its strength with and without the slips of the original, and the error of its values."""
    from kibitz.core.errors import BadValue
    from kibitz.core.seeds import check_seed
    from kibitz.experiments.studies.uno.expectiminimax import games_needed, run_study
    from kibitz.report.expectiminimax import draw, markdown, print_study

    if games < 1:
        raise BadValue(f"games={games} is out of range: 1 or more are needed.")
    if not 1 <= positions <= MOST_POSITIONS:
        raise BadValue(f"positions={positions} is out of range: 1 to {MOST_POSITIONS:,} are accepted.")
    if not 2 <= repeats <= MOST_POSITIONS:
        raise BadValue(f"repeats={repeats} is out of range: 2 to {MOST_POSITIONS:,} are accepted, since a spread needs two.")
    check_seed(seed)
    output = Output(json, write, plot)
    output.check()
    with announcing(), Bar(games_needed(games)) as bar:
        study = run_study(games, positions, repeats, seed, threads, not no_jit, bar.advance)
    asked = ["--games", str(games), "--positions", str(positions), "--repeats", str(repeats), "--seed", str(seed)]
    command = shlex.join(["kibitz", "study", "expectiminimax", *asked])
    return output.serve(study, print_study, lambda study: markdown(study, command), draw)
