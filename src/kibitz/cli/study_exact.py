"""`kibitz study exact`: bots in a game that is small enough to be solved."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import Bar, GameOfBots, JsonFile, NoJit, Seed, announcing, tell
from kibitz.cli.study_output import Output, Plot


def exact_command(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...", help="Bots; if none is named the built-in ones, of which those that search in the smallest game alone."
        ),
    ] = None,
    game: GameOfBots = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="How large the game is, such as tiny, small or wild; the smallest by default.")
    ] = None,
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
    from kibitz import registry
    from kibitz.core.errors import BadValue
    from kibitz.core.seeds import check_seed
    from kibitz.experiments.studies.exact.study import (
        answers_needed,
        check_samples,
        default_bots,
        parse_budgets,
        solved_rules,
        study_exact,
        with_budgets,
    )
    from kibitz.report.exact import draw, markdown, marks_of, print_study
    from kibitz.search.exact.tree import Tree

    if game in registry.game().face.solved_rules:  # as it was written before
        tell(f"kibitz: --game names the game now; write --variant {game}.")
        game, variant = None, variant or game
    definition = registry.game(registry.game_of(bots or [], game))
    if definition.rebound is None and definition.face.solver is None:
        who = f"'{bots[0]}' plays {definition.name}, and " if bots else ""
        raise BadValue(f"{who}{definition.title} can't be solved: its chance can't be laid open.")
    size = variant or next(iter(definition.face.solved_rules), "")
    solved_rules(definition, size)
    check_samples(samples)
    check_seed(seed)
    output = Output(json, write, plot, marks_of(size or definition.name))
    output.check()
    growing = parse_budgets(budgets)
    named = [spec for bot in bots or default_bots(definition, size) for spec in with_budgets(bot, growing, definition.name)]

    def size_bar(tree: Tree) -> None:
        bar.expect(answers_needed(tree, named, samples))

    with announcing(), Bar(1, "answers") as bar:
        study = study_exact(named, size, samples, seed, not no_jit, bar.advance, size_bar, definition.name)
    asked = ["--samples", str(samples), "--budgets", budgets, "--seed", str(seed)] if any(row.samples for row in study.rows) else []
    which = [*([] if game is None else ["--game", game]), *(["--variant", size] if size else [])]
    command = shlex.join(["kibitz", "study", "exact", *(bots or []), *which, *asked])
    return output.serve(study, print_study, lambda study: markdown(study, command), draw)
