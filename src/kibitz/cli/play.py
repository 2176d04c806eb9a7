"""`kibitz play`: a person at the table, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from kibitz.cli.options import NoJit, RulesName, Target, announcing, check_store, tell
from kibitz.core.errors import BadValue

if TYPE_CHECKING:
    from kibitz.runs.database import Store
    from kibitz.terminal.left import LeftGame
    from kibitz.terminal.screen import Screen
    from kibitz.terminal.seating import Seating

app = typer.Typer(
    help="Play yourself: Hanabi with bots, or UNO against them; one key a choice, or one line through a pipe.",
    rich_markup_mode=None,
)

MoreBots = Annotated[list[str] | None, typer.Argument(metavar="BOT", help="More bots.")]
Deal = Annotated[int | None, typer.Option("--seed", "-s", help="Deal these cards again; without it new ones, whose seed is shown.")]
Seat = Annotated[int, typer.Option("--seat", help="Your seat, from 0; the bots take the others in the order given.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the game that you left last, as it was.")]
Kept = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH", help="The file that keeps your game; by default KIBITZ_STORE, else one in your data folder."),
]
NotKept = Annotated[bool, typer.Option("--no-store", help="Keep nothing: the game can't be continued later.")]
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


@app.callback(invoke_without_command=True)
def which_command(ctx: typer.Context, resume: Resume = False, store: Kept = None, no_store: NotKept = False, no_jit: NoJit = False) -> None:
    """Play yourself: Hanabi with bots, or UNO against them; one key a choice, or one line through a pipe."""
    if ctx.invoked_subcommand is not None:
        if resume or store is not None or no_store or no_jit:
            raise BadValue(f"options come after the game: kibitz play {ctx.invoked_subcommand} --resume.")
        return
    from kibitz.terminal.start import CONTINUE, usual_game, which_game

    with _table(store, no_store, resume) as (screen, opened):
        left = _newest(opened)
        if not resume and not screen.has_keys:
            for game in ("uno", "hanabi"):
                tell(f"kibitz play {game:<8} # {usual_game(game)}", stderr=False)
            tell("kibitz play --resume # the game that you left last", stderr=False)
            return
        wanted = CONTINUE if resume else which_game(screen, left)
        if wanted == CONTINUE:
            _continue(screen, opened, left, "uno", no_jit)
        else:
            _begin(screen, opened, _seating(wanted, [], None, None, 0, None, None), no_jit)


@app.command("hanabi", cls=AdvisedCommand)
def hanabi_command(
    partners: Annotated[
        list[str] | None, typer.Option("--with", "-w", metavar="BOT [BOT]...", help="Your partners, 1 to 4 bots; by default piers.")
    ] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    advice: Adviser = None,
    resume: Resume = False,
    store: Kept = None,
    no_store: NotKept = False,
    no_jit: NoJit = False,
) -> None:
    """Play Hanabi with bots as partners."""
    _play("hanabi", [*(partners or []), *(more or [])], seed, rules, seat, None, advice, resume, store, no_store, no_jit)


@app.command("uno", cls=AdvisedCommand)
def uno_command(
    against: Annotated[
        list[str] | None,
        typer.Option("--against", "-a", metavar="BOT [BOT]...", help="The others, 1 to 9 bots; by default linear and mix2."),
    ] = None,
    more: MoreBots = None,
    seed: Deal = None,
    rules: RulesName = None,
    seat: Seat = 0,
    to: Target = None,
    advice: Adviser = None,
    resume: Resume = False,
    store: Kept = None,
    no_store: NotKept = False,
    no_jit: NoJit = False,
) -> None:
    """Play UNO against bots, under any rules."""
    _play("uno", [*(against or []), *(more or [])], seed, rules, seat, to, advice, resume, store, no_store, no_jit)


def _play(
    game: str,
    bots: list[str],
    seed: int | None,
    rules: str | None,
    seat: int,
    to: str | None,
    advice: str | None,
    resume: bool,
    store: str | None,
    no_store: bool,
    no_jit: bool,
) -> None:
    from kibitz.terminal.left import forget
    from kibitz.terminal.start import CONTINUE, FORGET, NEW, offer

    given = {"bots": bots, "--seed": seed is not None, "--rules": rules, "--seat": seat, "--to": to, "--advice": advice is not None}
    if resume and any(given.values()):
        raise BadValue(f"--resume continues a game as it was left; leave out {', '.join(name for name in given if given[name])}.")
    with _table(store, no_store, resume) as (screen, opened):
        left = _newest(opened, game)
        if resume:
            return _continue(screen, opened, left, game, no_jit)
        seating = _seating(game, bots, seed, rules, seat, to, advice)
        wanted = NEW
        if left and seed is None:
            if screen.has_keys:
                wanted = offer(screen, left)
            else:
                how = "" if left.problem else f" Continue it with: kibitz play {game} --resume"
                tell(f"kibitz: {_inside(left.sentence())}{how}")
        if wanted == CONTINUE:
            return _continue(screen, opened, left, game, no_jit)
        if wanted == FORGET and opened and left:
            forget(opened, left.id)
        return _begin(screen, opened, seating, no_jit)


def _seating(game: str, bots: list[str], seed: int | None, rules: str | None, seat: int, to: str | None, advice: str | None) -> Seating:
    """A new game, whose options are found wrong now or never."""
    from kibitz.terminal.seating import USUAL_BOTS, Seating, new_seed

    seating = Seating(game, bots or list(USUAL_BOTS[game]), seat, new_seed(seed), rules, to, advice)
    seating.lineup()
    return seating


@contextmanager
def _table(store: str | None, no_store: bool, needs_store: bool) -> Iterator[tuple[Screen, Store | None]]:
    """The terminal, and the store if games are kept: one that was not named need not work for a new game."""
    from kibitz.runs.database import StoreError, open_store, store_path
    from kibitz.terminal.keys import terminal_keys
    from kibitz.terminal.screen import Left, Screen

    check_store(store, no_store)
    if no_store and needs_store:
        raise BadValue("--resume needs the store that the game is kept in; leave out --no-store.")
    opened = None
    if not no_store:
        try:
            opened = open_store(store_path(store))
        except StoreError as error:
            if needs_store or store is not None:
                raise
            tell(f"kibitz: your game is not kept: {error}")
    keys = terminal_keys()
    with opened or nullcontext(), announcing(), keys or nullcontext(), suppress(Left):
        yield Screen(keys), opened


def _inside(sentence: str) -> str:
    """A sentence as it stands behind the name of the program."""
    return sentence[0].lower() + sentence[1:]


def _newest(opened: Store | None, game: str | None = None) -> LeftGame | None:
    from kibitz.terminal.left import newest

    return newest(opened, game) if opened else None


def _begin(screen: Screen, opened: Store | None, seating: Seating, no_jit: bool, left: LeftGame | None = None) -> None:
    from kibitz.terminal.left import Keeping
    from kibitz.terminal.session import play

    keeping = Keeping(opened, seating, left) if opened else None
    with keeping.playing() if keeping else nullcontext():
        play(seating, screen, not no_jit, keeping)


def _continue(screen: Screen, opened: Store | None, left: LeftGame | None, game: str, no_jit: bool) -> None:
    if left is None:
        raise BadValue(f"there is no unfinished game to continue; `kibitz play {game}` begins one.")
    with (
        chdir(left.folder) if left.folder and Path(left.folder).is_dir() else nullcontext()
    ):  # bots in files are named from where the game began
        left.check()
        if left.problem or left.seating is None:
            raise BadValue(f"{_inside(left.sentence()).rstrip('.')}; `kibitz play {game}` at a terminal offers to forget it.")
        _begin(screen, opened, left.seating, no_jit, left)
