"""`kibitz compare`: which of two bots is better?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import (
    DecisionSeconds,
    GameOfBots,
    JsonFile,
    LiveText,
    NoJit,
    NoStore,
    RulesName,
    Seed,
    StoreFile,
    Target,
    Threads,
    announcing,
    check_json_path,
    console,
    storing,
    write_json,
)

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.experiments.verdict import Comparison
    from kibitz.runs.database import Store
    from kibitz.runs.store import Run, RunLedger

GAUGE_WIDTH = 41


def command(
    first: Annotated[str, typer.Argument(metavar="A", help="A bot.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    company: Annotated[
        list[str] | None,
        typer.Option("--with", "-w", metavar="C", help="Who sits with A, and with B in A's place; once for each other seat."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option("--for", metavar="MEASURE", help="wins or points; in Hanabi score (a lost game counts 0) or points_kept."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", "-m", help="Tell a difference of so many percentage points (or points), 0.5 by default: -margin v +margin."
        ),
    ] = None,
    h0: Annotated[float | None, typer.Option("--h0", help="Or: the lesser difference A - B that is tested,")] = None,
    h1: Annotated[float | None, typer.Option("--h1", help="and the greater one.")] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="How often h1 may be accepted where h0 holds.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="How often h0 may be accepted where h1 holds.")] = 0.05,
    max_games: Annotated[int, typer.Option("--max-games", help="Give up undecided after so many games of each line-up.")] = 10_000_000,
    games: Annotated[
        int | None, typer.Option("--games", "-n", help="No sequential test: so many games of each line-up, and a confidence interval.")
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the interval.")] = 0.95,
    luck: Annotated[
        bool, typer.Option("--luck", help="Take out the luck of the draw: fewer games for the same certainty, but each takes longer.")
    ] = False,
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Seats: copies of a bot in Hanabi, or of the one named by --with.")
    ] = None,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameOfBots = None,
    to: Target = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    json: JsonFile = None,
    no_jit: NoJit = False,
    store: StoreFile = None,
    no_store: NoStore = False,
) -> int:
    """Which is better, A or B? Both play the same deals from every seat, and a sequential test stops when it knows.

    Without --with two bots of UNO play each other; in Hanabi each plays with copies of itself. Error rates hold for a true
    difference of the margin or more. A bot is written as for `kibitz match`.
    """
    from kibitz.experiments.comparison import ask
    from kibitz.experiments.sides import make_sides

    check_json_path(json)
    sides = make_sides(first, second, company or (), measure, players, seed, rules, to, game)
    question = ask(sides, margin, h0, h1, alpha, beta, max_games, games, confidence, not no_jit, luck)
    config = question.to_config()
    with storing("compare", config, None if question.hypotheses else question.total, store, no_store) as ledger:
        return play(config, ledger, threads, json)


def play(config: Mapping[str, Any], ledger: RunLedger | None, threads: int | None, json: str | None) -> int:
    """Find out what a config of `compare` asks and a ledger does not have yet; print it, and give the exit code."""
    from kibitz.experiments.comparison import ComparisonInterrupted, answer, question_from

    code = 0
    with announcing(), Gauge() as gauge:
        try:
            result = answer(question_from(config), threads, gauge.show, ledger)
        except ComparisonInterrupted as stop:
            result, code = stop.result, 130
    if ledger:
        result.seconds += ledger.earlier
        ledger.interrupt() if code else ledger.finish(result.to_dict())
    write_json(json, result.to_dict())
    if json != "-":
        print_comparison(result, console())
    return code


def print_kept(store: Store, run: Run, terminal: Console) -> None:
    """A stored run as the command printed it."""
    from kibitz.report.run_page import comparison_of

    print_comparison(comparison_of(store, run), terminal)


def print_comparison(result: Comparison, terminal: Console) -> None:
    """What was found, as lines of text."""
    for line in result.in_words():
        terminal.print(line, markup=False, soft_wrap=True)


class Gauge(LiveText):
    """The log-likelihood ratio between its bounds, live on standard error. Silent where there is no terminal."""

    def show(self, result: Comparison) -> None:
        """So much is known."""
        self.show_text("\n".join(gauge_lines(result)))


def gauge_lines(result: Comparison) -> list[str]:
    """The state of a comparison: the ratio between its bounds, and the difference so far."""
    error = result.standard_error
    rate = f", {result.games / result.seconds:,.0f} games/s" if result.seconds > 0 else ""
    figures = f"{result.difference:+.2f} ± {'?' if error is None else f'{error:.2f}'} {result.unit}, {result.games:,} games{rate}"
    names = f"{result.bots[0]} v {result.bots[1]}"
    test = result.test
    if not test:
        share = min(result.deals * result.group / result.max_games, 1.0)
        return [f"{names}: {100 * share:.0f} % of {result.max_games:,} games", figures]
    place = (min(max(test.llr, test.lower), test.upper) - test.lower) / (test.upper - test.lower)
    nought = round(-test.lower / (test.upper - test.lower) * (GAUGE_WIDTH - 1))
    cells = ["─"] * GAUGE_WIDTH
    cells[nought] = "┼"
    cells[round(place * (GAUGE_WIDTH - 1))] = "●"
    return [f"{names}: log-likelihood ratio {test.llr:+.2f}", f"{test.lower:.2f} ├{''.join(cells)}┤ {test.upper:+.2f}", figures]
