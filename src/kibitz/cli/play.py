"""`kibitz play`: a person at the table, in the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from kibitz.cli.options import NoJit, RulesName, Target, announcing

app = typer.Typer(
    help="Play yourself: Hanabi with bots, or UNO against them; one key a choice, or one line through a pipe.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

MoreBots = Annotated[list[str] | None, typer.Argument(metavar="BOT", help="More bots.")]
Deal = Annotated[int | None, typer.Option("--seed", "-s", help="Deal these cards again; without it new ones, whose seed is shown.")]
Seat = Annotated[int, typer.Option("--seat", help="Your seat, from 0; the bots take the others in the order given.")]
Adviser = Annotated[
    str | None,
    typer.Option(
        "--advice", metavar="[BOT]", help="Show at each of your decisions what a bot thinks of it; without BOT the strongest one suited."
    ),
]


class AdvisedCommand(TyperCommand):
    """A command whose --advice may stand without a bot: an empty name stands for the usual one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Fill in the name where it is left out."""
        words: list[str] = []
        for place, word in enumerate(args):
            words.append(word)
            if word == "--advice" and (place + 1 == len(args) or args[place + 1].startswith("-")):
                words.append("")
        return super().parse_args(ctx, words)


@app.command("hanabi", cls=AdvisedCommand)
def hanabi_command(
    partners: Annotated[list[str] | None, typer.Option("--with", "-w", metavar="BOT [BOT]...", help="Your partners, 1 to 4 bots.")] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    advice: Adviser = None,
    no_jit: NoJit = False,
) -> None:
    """Play Hanabi with bots as partners."""
    _play("hanabi", [*(partners or []), *(more or [])], seed, rules, seat, None, advice, no_jit)


@app.command("uno", cls=AdvisedCommand)
def uno_command(
    against: Annotated[list[str] | None, typer.Option("--against", "-a", metavar="BOT [BOT]...", help="The others, 1 to 9 bots.")] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    to: Target = None,
    advice: Adviser = None,
    no_jit: NoJit = False,
) -> None:
    """Play UNO against bots, under any rules."""
    _play("uno", [*(against or []), *(more or [])], seed, rules, seat, to, advice, no_jit)


def _play(
    game: str, bots: list[str], seed: int | None, rules: str | None, seat: int, to: str | None, advice: str | None, no_jit: bool
) -> None:
    from contextlib import nullcontext

    from kibitz.terminal.keys import terminal_keys
    from kibitz.terminal.screen import Screen
    from kibitz.terminal.session import Seating, new_seed, play

    seating = Seating(game, bots, seat, new_seed(seed), rules, to, advice)
    keys = terminal_keys()
    with announcing(), keys or nullcontext():
        play(seating, Screen(keys), compiled=not no_jit)
