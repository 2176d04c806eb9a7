"""`kibitz study exact`: bots in a game of UNO that is small enough to be solved."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import Bar, JsonFile, NoJit, Seed, announcing
from kibitz.cli.study_output import Output, Plot


def exact_command(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BOT]...", help="Bots; if none is named the built-in ones, of which those that search in tiny alone."),
    ] = None,
    game: Annotated[str, typer.Option("--game", "-g", help="The solved game: tiny, small or wild.")] = "tiny",
    samples: Annotated[int, typer.Option("--samples", "-n", help="How often a bot that searches is asked at each information set.")] = 200,
    budgets: Annotated[
        str, typer.Option("--budgets", help="Budgets, with commas between them, of each search whose name gives none.")
    ] = "4,16,64,256,1024",
    seed: Seed = 1,
    json: JsonFile = None,
    write: Annotated[
        Path | None, typer.Option("--write", help="Also put the tables between the markers of this game in a Markdown file.")
    ] = None,
    plot: Plot = None,
    no_jit: NoJit = False,
) -> int:
    """How far from perfect do bots play? A tiny game solved, and in it every bot's exploitability and what searches think."""
    from kibitz.core.seeds import check_seed
    from kibitz.experiments.studies.exact.study import (
        answers_needed,
        check_samples,
        default_bots,
        parse_budgets,
        solved_game,
        study_exact,
        with_budgets,
    )
    from kibitz.report.exact import draw, markdown, marks_of, print_study
    from kibitz.search.exact.tree import Tree

    solved_game(game)
    check_samples(samples)
    check_seed(seed)
    output = Output(json, write, plot, marks_of(game))
    output.check()
    growing = parse_budgets(budgets)
    named = [spec for bot in bots or default_bots(game) for spec in with_budgets(bot, growing)]

    def size_bar(tree: Tree) -> None:
        bar.expect(answers_needed(tree, named, samples))

    with announcing(), Bar(1, "answers") as bar:
        study = study_exact(named, game, samples, seed, not no_jit, bar.advance, size_bar)
    asked = ["--samples", str(samples), "--budgets", budgets, "--seed", str(seed)] if any(row.samples for row in study.rows) else []
    command = shlex.join(["kibitz", "study", "exact", *(bots or []), "--game", game, *asked])
    return output.serve(study, print_study, lambda study: markdown(study, command), draw)
