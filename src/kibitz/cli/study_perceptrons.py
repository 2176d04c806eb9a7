"""`kibitz study perceptrons`: scores for cards, by a genetic algorithm and by CMA-ES."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, Threads, announcing
from kibitz.cli.study_output import Output, Plot, Write


def perceptrons_command(
    games: Annotated[
        int, typer.Option("--games", "-n", help="Contests of a training; those of the curve play four times as many.")
    ] = 100_000,
    seeds: Annotated[int, typer.Option("--seeds", help="Trainings of each kind, from one seed each.")] = 4,
    check: Annotated[int, typer.Option("--check", help="Fresh contests that measure what a training has come to.")] = 10_000,
    final: Annotated[int, typer.Option("--final", help="Contests of the shipped perceptron in each field.")] = 1_000_000,
    seed: Seed = 1,
    threads: Threads = None,
    json: JsonFile = None,
    write: Write = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """How strong do perceptrons that score cards get, by which training, and after how many games?"""
    from kibitz.experiments.studies.uno.perceptrons import PerceptronStudy, run_study
    from kibitz.report.perceptrons import draw, markdown, print_study

    study = PerceptronStudy(games, seeds, check, final, seed)
    output = Output(json, write, plot)
    output.check()
    with announcing(), Bar(study.total(), "contests") as bar:
        run_study(study, threads, not no_jit, bar.advance)
    asked = ["--games", str(games), "--seeds", str(seeds), "--check", str(check), "--final", str(final), "--seed", str(seed)]
    command = shlex.join(["kibitz", "study", "perceptrons", *asked])
    return output.serve(study, print_study, lambda study: markdown(study, command), draw)
