"""`kibitz play`: a person at the table, in the terminal."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kibitz.cli.options import announcing, check_store, tell
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue
from kibitz.experiments.settings import Compiled, RulesName, Setting, Target

if TYPE_CHECKING:
    from kibitz.runs.database import Store
    from kibitz.terminal.left import LeftGame
    from kibitz.terminal.screen import Screen
    from kibitz.terminal.seating import Seating

ABOUT = "Play yourself, with bots or against them; one key a choice, or one line through a pipe."


@dataclass(frozen=True, kw_only=True)
class AnyPlaySettings:
    """Play yourself, with bots or against them; one key a choice, or one line through a pipe."""

    resume: Annotated[bool, Setting("Continue the game that you left last, as it was.", "--resume")] = False
    store: Annotated[
        str | None, Setting("The file that keeps your game; by default KIBITZ_STORE, else one in your data folder.", metavar="PATH")
    ] = None
    no_store: Annotated[bool, Setting("Keep nothing: the game can't be continued later.", "--no-store")] = False
    no_meanings: Annotated[bool, Setting("Don't say after each move what it means under your partner's conventions.", "--no-meanings")] = (
        False
    )
    jit: Compiled = True


@dataclass(frozen=True, kw_only=True)
class PlaySettings(AnyPlaySettings):
    """One game with bots or against them."""

    others: Annotated[list[str] | None, Setting("", metavar="BOT [BOT]...")] = None
    more: Annotated[list[str] | None, Setting("More bots.", metavar="BOT", is_argument=True)] = None
    seed: Annotated[int | None, Setting("Deal these cards again; without it new ones, whose seed is shown.", "-s")] = None
    rules: RulesName = None
    seat: Annotated[int, Setting("Your seat, from 0; the bots take the others in the order given.")] = 0
    to: Target = None
    advice: Annotated[
        str | None,
        Setting("Show at each of your decisions what a bot thinks of it; without BOT the strongest one suited.", metavar="[BOT]"),
    ] = None

    @property
    def bots(self) -> list[str]:
        """All of them."""
        return [*(self.others or []), *(self.more or [])]

    def seating(self, game: str) -> Seating:
        """A new game, whose options are found wrong now or never."""
        from kibitz.terminal.seating import Seating, new_seed, usual_bots

        bots, to = self.bots or list(usual_bots(game)), None if self.to is None else str(self.to)
        seating = Seating(game, bots, self.seat, new_seed(self.seed), self.rules, to, self.advice)
        seating.lineup()
        return seating


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


class PlayGroup(TyperGroup):
    """A command for each game there is, made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The games."""
        from kibitz import registry

        return list(registry.BUILT_IN)

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command of a game: its options are named after whether one plays with bots or against them."""
        from kibitz import registry
        from kibitz.terminal.seating import usual_bots

        if name not in registry.BUILT_IN:
            return None
        game = registry.game(name)
        app = typer.Typer(rich_markup_mode=None)
        how = f"with bots as {'partners' if game.max_players > 2 else 'a partner'}" if game.cooperative else "against bots"
        app.command(name, cls=AdvisedCommand, help=f"Play {game.title} {how}.")(command_from(PlaySettings, partial(run, name)))
        made: Any = typer.main.get_command(app)
        others: Any = next(each for each in made.params if each.name == "others")
        most = f"1 to {game.max_players - 1} bots" if game.max_players > 2 else "a bot"
        others.opts = ["--with", "-w"] if game.cooperative else ["--against", "-a"]
        others.help = f"{'Your partners' if game.cooperative else 'The others'}, {most}; by default {' and '.join(usual_bots(name))}."
        unknown = {*(() if game.has_contests else ("to",)), *(() if game.face.guide else ("no_meanings",))}
        made.params = [each for each in made.params if each.name not in unknown]
        return made


app = typer.Typer(cls=PlayGroup, help=ABOUT, rich_markup_mode=None)


def which_command(asked: AnyPlaySettings, context: typer.Context) -> None:
    """Without a game: offer those there are, and the one that was left."""
    if context.invoked_subcommand is not None:
        if asked != AnyPlaySettings():
            raise BadValue(f"options come after the game: kibitz play {context.invoked_subcommand} --resume.")
        return
    from kibitz import registry
    from kibitz.terminal.start import CONTINUE, usual_game, which_game

    with _table(asked) as (screen, opened):
        left = _newest(opened)
        if not asked.resume and not screen.has_keys:
            for game in registry.BUILT_IN:
                tell(f"kibitz play {game:<8} # {usual_game(game)}", stderr=False)
            tell("kibitz play --resume # the game that you left last", stderr=False)
            return
        wanted = CONTINUE if asked.resume else which_game(screen, left)
        if wanted == CONTINUE:
            _continue(screen, opened, left, registry.game().name, asked)
        else:
            _begin(screen, opened, PlaySettings().seating(wanted), asked)


app.callback(invoke_without_command=True)(
    command_from(AnyPlaySettings, which_command, {"context": (typer.Context, inspect.Parameter.empty)})
)


def run(game: str, asked: PlaySettings) -> None:
    """Play a game, a new one or the one that was left."""
    from kibitz.terminal.left import forget
    from kibitz.terminal.start import CONTINUE, FORGET, NEW, offer

    given = {"bots": asked.bots, "--seed": asked.seed is not None, "--rules": asked.rules, "--seat": asked.seat}
    given |= {"--to": asked.to, "--advice": asked.advice is not None}
    if asked.resume and any(given.values()):
        raise BadValue(f"--resume continues a game as it was left; leave out {', '.join(name for name in given if given[name])}.")
    with _table(asked) as (screen, opened):
        left = _newest(opened, game)
        if asked.resume:
            return _continue(screen, opened, left, game, asked)
        seating = asked.seating(game)
        wanted = NEW
        if left and asked.seed is None:
            if screen.has_keys:
                wanted = offer(screen, left)
            else:
                how = "" if left.problem else f" Continue it with: kibitz play {game} --resume"
                tell(f"kibitz: {_inside(left.sentence())}{how}")
        if wanted == CONTINUE:
            return _continue(screen, opened, left, game, asked)
        if wanted == FORGET and opened and left:
            forget(opened, left.id)
        return _begin(screen, opened, seating, asked)


@contextmanager
def _table(asked: AnyPlaySettings) -> Iterator[tuple[Screen, Store | None]]:
    """The terminal, and the store if games are kept: one that was not named need not work for a new game."""
    from kibitz.runs.database import StoreError, open_store, store_path
    from kibitz.terminal.keys import terminal_keys
    from kibitz.terminal.screen import Left, Screen

    check_store(asked.store, asked.no_store)
    if asked.no_store and asked.resume:
        raise BadValue("--resume needs the store that the game is kept in; leave out --no-store.")
    opened = None
    if not asked.no_store:
        try:
            opened = open_store(store_path(asked.store))
        except StoreError as error:
            if asked.resume or asked.store is not None:
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


def _begin(screen: Screen, opened: Store | None, seating: Seating, asked: AnyPlaySettings, left: LeftGame | None = None) -> None:
    from kibitz.terminal.left import Keeping
    from kibitz.terminal.session import play

    keeping = Keeping(opened, seating, left) if opened else None
    with keeping.playing() if keeping else nullcontext():
        play(seating, screen, asked.jit, keeping, not asked.no_meanings)


def _continue(screen: Screen, opened: Store | None, left: LeftGame | None, game: str, asked: AnyPlaySettings) -> None:
    if left is None:
        raise BadValue(f"there is no unfinished game to continue; `kibitz play {game}` begins one.")
    with (
        chdir(left.folder) if left.folder and Path(left.folder).is_dir() else nullcontext()
    ):  # bots in files are named from where the game began
        left.check()
        if left.problem or left.seating is None:
            raise BadValue(f"{_inside(left.sentence()).rstrip('.')}; `kibitz play {game}` at a terminal offers to forget it.")
        _begin(screen, opened, left.seating, asked, left)
