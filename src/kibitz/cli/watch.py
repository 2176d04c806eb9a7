"""`kibitz watch`: one game, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from kibitz.cli.options import DecisionSeconds, JsonFile, announcing, check_json_path, console, write_json
from kibitz.cli.settings_command import command_from
from kibitz.experiments.settings import GameOfBots, LineupPlayers, RulesName, Seating, Seed, Setting, Target


@dataclass(frozen=True)
class WatchSettings:
    """One game as text, with every hand; game I of a batch with that seed is exactly the game the batch played.

    With --to it is a contest: one deal after another, with the scores. With --explain the JSON has the decisions of bots too.
    """

    bots: Annotated[list[str], Setting("The line-up, 2 to 10 bots.", metavar="BOT BOT...", is_argument=True)]
    seed: Seed = 1
    index: Annotated[int, Setting("Which game of a batch with that seed.", "-i")] = 0
    rules: RulesName = None
    game: GameOfBots = None
    players: LineupPlayers = 2
    seating: Seating = "random"
    to: Target = None
    explain: Annotated[
        bool, Setting("Show below each decision what a bot thinks of every action, or which of its rules fired.", "--explain -e")
    ] = False


def run(asked: WatchSettings, json: str | None, decision_seconds: float | None) -> None:
    """Play a game and tell it."""
    from kibitz.core.errors import BotFault
    from kibitz.play.game import PlayedContest, PlayedGame, deals_of
    from kibitz.play.lineup import make_lineup
    from kibitz.report.transcript import contest_ending, print_transcript

    check_json_path(json)
    terminal = console()
    lineup = make_lineup(asked.bots, asked.rules, asked.seating, asked.game, asked.to, asked.players)
    contest = PlayedContest(lineup.to or "")

    def tell(played: PlayedGame) -> None:
        if json != "-":
            print_transcript(played, terminal, asked.explain)
            if lineup.to and played.status != "playing":
                terminal.print(contest_ending(contest), soft_wrap=True)
                terminal.print()

    try:
        with announcing():
            for played in deals_of(contest, lineup, asked.seed, asked.index):
                tell(played)
    except BotFault as fault:
        if isinstance(fault.played, PlayedGame):  # what led up to it
            tell(fault.played)
        raise
    write_json(json, (contest if lineup.to else contest.deals[0]).to_dict(asked.explain))


command = command_from(WatchSettings, run, {"json": (JsonFile, None), "decision_seconds": (DecisionSeconds, None)})
