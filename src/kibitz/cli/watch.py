"""`kibitz watch`: one game, turn by turn."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import (
    DecisionSeconds,
    GameOfBots,
    JsonFile,
    RulesName,
    Seating,
    Seed,
    Target,
    announcing,
    check_json_path,
    console,
    write_json,
)


def command(
    bots: Annotated[list[str], typer.Argument(metavar="BOT BOT...", help="The line-up, 2 to 10 bots.")],
    seed: Seed = 1,
    index: Annotated[int, typer.Option("--index", "-i", help="Which game of a batch with that seed.")] = 0,
    rules: RulesName = None,
    game: GameOfBots = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Seats, if one bot is named for all of them (Hanabi).")] = 2,
    seating: Seating = "random",
    to: Target = None,
    explain: Annotated[
        bool, typer.Option("--explain", "-e", help="Show below each decision of a search bot what it thinks of every action.")
    ] = False,
    json: JsonFile = None,
    decision_seconds: DecisionSeconds = None,
) -> None:
    """One game as text, with every hand; game I of a batch with that seed is exactly the game the batch played.

    With --to it is a contest: one deal after another, with the scores. With --explain the JSON has the decisions of search bots too.
    """
    from kibitz.core.errors import BotFault
    from kibitz.play.game import PlayedContest, PlayedGame, deals_of
    from kibitz.play.lineup import make_lineup
    from kibitz.report.printing import print_transcript
    from kibitz.report.transcript import contest_ending

    check_json_path(json)
    terminal = console()
    lineup = make_lineup(bots, rules, seating, game, to, players)
    contest = PlayedContest(lineup.to or "")

    def tell(played: PlayedGame) -> None:
        if json != "-":
            print_transcript(played, terminal, explain)
            if lineup.to and played.status != "playing":
                terminal.print(contest_ending(contest), soft_wrap=True)
                terminal.print()

    try:
        with announcing():
            for played in deals_of(contest, lineup, seed, index):
                tell(played)
    except BotFault as fault:
        if isinstance(fault.played, PlayedGame):  # what led up to it
            tell(fault.played)
        raise
    write_json(json, contest.to_dict(explain) if lineup.to else contest.deals[0].to_dict(explain))
