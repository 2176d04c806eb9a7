"""`kibitz evaluate`: how good is a bot against an opponent?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import (
    Bar,
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
    announcing,
    check_json_path,
    console,
    storing,
    tell,
    write_json,
)

if TYPE_CHECKING:
    from kibitz.experiments.results import Result
    from kibitz.runs.store import RunLedger


def command(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            help="Bots; if none is named, all that neither search nor cheat, with all presets; with --published those that have figures.",
        ),
    ] = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Players at the table, 2 to 10 (Hanabi: 2 to 5).")] = 2,
    against: Annotated[
        str | None,
        typer.Option("--against", "-a", help="The bot in every other seat, random by default; in Hanabi a bot plays with itself."),
    ] = None,
    games: Games = 100_000,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameOfBots = None,
    seating: Seating = "random",
    to: Target = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    json: JsonFile = None,
    no_jit: NoJit = False,
    published: Annotated[
        bool, typer.Option("--published", help="Both reference tables: v Random with 2 players, v five Random with 6.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option("--write", help="With --published: also put the tables between the markers of this file.")
    ] = None,
    store: StoreFile = None,
    no_store: NoStore = False,
) -> int:
    """Each bot in one seat against copies of an opponent, or in every seat (Hanabi): figures with standard errors.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    a file of trained weights (linear:weights.npz); path/to/file.py:name for your own. Reference figures are shown beside ours where there are any.
    """
    from kibitz import registry
    from kibitz.core.errors import BadValue
    from kibitz.experiments.plan import plan_evaluation
    from kibitz.report.published import FIGURES, PLAYER_NUMBERS

    check_json_path(json)
    game = registry.game_of([*(bots or []), *([against] if against else [])], game)
    if published and (to or game != "uno" or rules not in (None, "classic")):
        raise BadValue("--published is about single games of UNO under the classic rules; leave out --to, --game and --rules.")
    if write and not published:
        raise BadValue("--write goes with --published.")
    numbers = PLAYER_NUMBERS if published else (players,)
    chosen = bots or (list(FIGURES[numbers[0]]) if published else registry.quick_names(game, players))
    plans = [plan_evaluation(chosen, number, against, games, seed, rules, seating, to, game, not no_jit) for number in numbers]
    config = {**plans[0].to_config(), "published": list(numbers) if published else None, "write": str(write.absolute()) if write else None}
    if not bots and not published:
        left_out = [name for name in registry.all_names(game) if name not in chosen]
        tell(f"left out, since they search, cheat or need another table: {', '.join(left_out)}; name them to play them")
    with storing("evaluate", config, sum(plan.total for plan in plans), store, no_store) as ledger:
        return play(config, ledger, threads, json)


def play(config: Mapping[str, Any], ledger: RunLedger | None, threads: int | None, json: str | None) -> int:
    """Play what a config of `evaluate` or `match` describes and a ledger does not have yet; print it, and give the exit code."""
    from kibitz.experiments.evaluation import Interrupted, play_plan
    from kibitz.experiments.plan import plans_of
    from kibitz.report.tables import markdown, print_result, write_between_marks

    plans = plans_of(config)
    results: list[Result] = []
    code = part = 0
    with announcing(), Bar(sum(plan.total for plan in plans)) as bar:
        for plan in plans:
            try:
                results.append(play_plan(plan, threads, bar.advance, ledger, part))
            except Interrupted as stop:
                results.append(stop.result)
                code = 130
                break
            part += len(plan.lineups)
    if ledger:
        results[0].seconds += ledger.earlier
    figures = figures_of(config, results)
    if ledger:
        ledger.interrupt() if code else ledger.finish(figures)
    write_json(json, figures)
    if json != "-":
        for result in results:
            print_result(result, console())
    if config.get("write") and code == 0:
        write_between_marks(Path(config["write"]), markdown(results))
    return code


def figures_of(config: Mapping[str, Any], results: list[Result]) -> dict[str, Any]:
    """What is written as JSON."""
    tables = [result.to_dict() for result in results]
    return {"command": "evaluate", "tables": tables} if config.get("published") else tables[0]
