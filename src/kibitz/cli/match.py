"""`kibitz match`: who wins this line-up?"""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.evaluate import play
from kibitz.cli.options import (
    DecisionSeconds,
    GameOfBots,
    Games,
    JsonFile,
    NoJit,
    NoStore,
    RulesName,
    Seating,
    Seed,
    StoreFile,
    Target,
    Threads,
    check_json_path,
    storing,
)


def command(
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT BOT...", help="The line-up, 2 to 10 bots; in Hanabi one name means that bot in every seat.")
    ],
    games: Games = 100_000,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameOfBots = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Seats, if one bot is named for all of them (Hanabi).")] = 2,
    seating: Seating = "random",
    to: Target = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    json: JsonFile = None,
    no_jit: NoJit = False,
    store: StoreFile = None,
    no_store: NoStore = False,
) -> int:
    """One line-up of 2 to 10 bots, many games: a row for each, in the order given.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    a file of trained weights (linear:weights.npz); path/to/file.py:name for your own.
    """
    from kibitz.experiments.plan import plan_match

    check_json_path(json)
    plan = plan_match(bots, players, games, seed, rules, seating, to, game, not no_jit)
    config = plan.to_config()
    with storing("match", config, plan.total, store, no_store) as ledger:
        return play(config, ledger, threads, json)
