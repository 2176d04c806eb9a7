"""`kibitz play`: a person at the table, in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import NoJit, RulesName, Target, announcing

app = typer.Typer(
    help="Play yourself: Hanabi with bots, or UNO against them; one key a choice, or one line through a pipe.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

MoreBots = Annotated[list[str] | None, typer.Argument(metavar="BOT", help="More bots.")]
Deal = Annotated[int | None, typer.Option("--seed", "-s", help="Deal these cards again; without it new ones, whose seed is shown.")]
Seat = Annotated[int, typer.Option("--seat", help="Your seat, from 0; the bots take the others in the order given.")]


@app.command("hanabi")
def hanabi_command(
    partners: Annotated[list[str] | None, typer.Option("--with", "-w", metavar="BOT [BOT]...", help="Your partners, 1 to 4 bots.")] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    no_jit: NoJit = False,
) -> None:
    """Play Hanabi with bots as partners."""
    _play("hanabi", [*(partners or []), *(more or [])], seed, rules, seat, None, no_jit)


@app.command("uno")
def uno_command(
    against: Annotated[list[str] | None, typer.Option("--against", "-a", metavar="BOT [BOT]...", help="The others, 1 to 9 bots.")] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    to: Target = None,
    no_jit: NoJit = False,
) -> None:
    """Play UNO against bots, under any rules."""
    _play("uno", [*(against or []), *(more or [])], seed, rules, seat, to, no_jit)


def _play(game: str, bots: list[str], seed: int | None, rules: str | None, seat: int, to: str | None, no_jit: bool) -> None:
    from contextlib import nullcontext

    from kibitz.terminal.keys import terminal_keys
    from kibitz.terminal.screen import Screen
    from kibitz.terminal.session import Seating, new_seed, play

    seating = Seating(game, bots, seat, new_seed(seed), rules, to)
    keys = terminal_keys()
    with announcing(), keys or nullcontext():
        play(seating, Screen(keys), compiled=not no_jit)
