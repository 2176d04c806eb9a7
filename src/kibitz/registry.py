"""Names become games and bots here: `mix2`, `mix2:points`, `score:weights=…`, `linear:weights.npz`, `path/to/file.py:MyBot`.

Every command and every function of the Python interface reads bots through `entrant`.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from kibitz.bots.bot import Bot
from kibitz.bots.object_bot import ObjectBot, object_bot
from kibitz.bots.parameters import WEIGHTS, Parameter, Value, named
from kibitz.bots.source import in_parentheses
from kibitz.core.carried import full_name
from kibitz.core.errors import BadBot, BadValue, KibitzError, UnknownName
from kibitz.core.reading import is_file, read_bytes
from kibitz.games.contract import GameDefinition
from kibitz.games.face import loaded
from kibitz.games.plugins import default_game, definition_of, game_names
from kibitz.policies.valuation import searches

POLICY_MAKER = "kibitz.envs.model_bots:as_bot"  # makes a bot of a policy that a file loads
MODEL_ENDINGS = (".onnx", ".zip")  # of files with a policy alone
USER_MODULE = "kibitz_user_"  # how the modules of bot files begin
A_BOT = "a bot is a function with @kibitz.bot above it, or a class with choose(view), or with play and call_color"


class _GamesAndBots(Mapping[str, tuple[str, ...]]):
    """The names of the bots that come with each game, by its name, the game that is played by default first."""

    def __getitem__(self, game_name: str) -> tuple[str, ...]:
        return tuple(definition_of(game_name).bots)

    def __iter__(self) -> Iterator[str]:
        return iter(game_names())

    def __len__(self) -> int:
        return len(game_names())

    def __contains__(self, game_name: object) -> bool:
        return game_name in game_names()


BUILT_IN: Mapping[str, tuple[str, ...]] = _GamesAndBots()


@dataclass(frozen=True, eq=False)
class Entrant:
    """A bot as it takes part: with its parameters chosen, and a full name that says so."""

    name: str
    bot: Bot | ObjectBot
    values: Mapping[str, Value] = field(default_factory=dict)

    @property
    def is_compiled(self) -> bool:
        """Whether the bot runs inside the compiled loop."""
        return isinstance(self.bot, Bot)


def game(name: str | None = None) -> GameDefinition:
    """A game by name; without one, that which is played by default."""
    return definition_of(name or default_game())


def game_of(bots: Iterable[Any], asked: str | None = None, default: str | None = None, run_files: bool = True) -> str:
    """The game to play: the one asked for, else the one that all these bots play, else the default.

    A bot that doesn't play the game asked for is refused where the bot is made. With `run_files=False`, bots in Python files are read only.
    """
    if asked is not None:
        return game(asked).name
    chosen, found = list(bots), list(BUILT_IN)
    decisive: Any = None  # the bot that left but one game
    for bot in chosen:
        played = _games_of(bot, run_files)
        left = [name for name in found if name in played]
        if not left:
            raise BadBot(
                f"bots '{_shown(decisive)}' ({found[0]}) and '{_shown(bot)}' ({played[0]}) play different games; name bots of one game."
            )
        if len(left) < len(found):
            decisive, found = bot, left
    unknown = [bot for bot in chosen if isinstance(bot, str) and not is_file_name(bot) and not _named(bot)]
    if len(found) > 1 and unknown:  # refused where it is made, with the names of the game that was probably meant
        near = get_close_matches(unknown[0].partition(":")[0], [name for each in found for name in BUILT_IN[each]], 1, 0.5)
        found = (near and _named(near[0])) or found
    usual = default or default_game()
    return usual if usual in found else found[0]


def _games_of(bot: Any, run_files: bool) -> list[str]:
    """The games that a bot can play, as far as it says so; a name that is unknown decides nothing."""
    if isinstance(bot, str) and not is_file_name(bot):
        return _named(bot) or list(BUILT_IN)
    declared = game_in_file(bot) if isinstance(bot, str) and not run_files else entrant(bot).bot.game
    return list(BUILT_IN) if declared is None else [game(declared).name]


def _named(spec: str) -> list[str]:
    """The games that have a bot of this name."""
    return [each for each, names in BUILT_IN.items() if spec.partition(":")[0] in names]


def game_in_file(spec: str) -> str | None:
    """The game that the bots of a Python file declare, or the one that is named; None where that is open. The file is read, not run."""
    if spec.endswith(MODEL_ENDINGS):
        return None
    file, rest = split_file(spec)
    wanted = rest.lstrip(":").partition(":")[0]
    try:
        tree = ast.parse(read_bytes(file, "bot file"))
    except (BadValue, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # whoever runs it says what is wrong
    found: set[str | None] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and wanted in ("", node.name):
            found |= {_declared(maker) for maker in node.decorator_list if _makes_bot(maker)}
        elif isinstance(node, ast.ClassDef) and (node.name == wanted or (not wanted and not node.name.startswith("_"))):
            texts = [_text_of(line.value) for line in node.body if isinstance(line, ast.Assign) and "game" in map(_name_of, line.targets)]
            found.add(texts[-1] if texts else None)
    return found.pop() if len(found) == 1 else None


def _makes_bot(maker: ast.expr) -> bool:
    return _name_of(maker.func if isinstance(maker, ast.Call) else maker) == "bot"


def _declared(maker: ast.expr) -> str | None:
    """The game of `@kibitz.bot` or `@kibitz.bot(game=…)`."""
    given = [item.value for item in maker.keywords if item.arg == "game"] if isinstance(maker, ast.Call) else []
    return _text_of(given[0]) if given else default_game()


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _text_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _shown(bot: Any) -> str:
    return bot if isinstance(bot, str) else entrant(bot).name


def built_in_bot(name: str, game_name: str | None = None) -> Bot:
    """A bot that comes with a game."""
    return _built_in(name, game_name or default_game())


@cache
def _built_in(name: str, game_name: str) -> Bot:
    bots = game(game_name).bots
    if name not in bots:
        if elsewhere := _named(name):
            raise BadBot(f"bot '{name}' plays {elsewhere[0]}, not {game_name}.")
        raise UnknownName("bot", name, bots)
    bot: Bot = loaded(bots[name])
    return bot


def all_names(game_name: str | None = None) -> list[str]:
    """Every built-in bot with each of its presets."""
    names = []
    for name in game(game_name).bots:
        presets = built_in_bot(name, game_name).presets
        names.extend([f"{name}:{preset}" if preset else name for preset in presets] or [name])
    return names


def quick_names(game_name: str | None = None, players: int = 2) -> list[str]:
    """The names of `all_names` that are played where none is given: honest bots that can play among so many, and do not search."""
    return [name for name in all_names(game_name) if _is_quick(entrant(name, game_name).bot, players)]


def _is_quick(bot: Bot | ObjectBot, players: int) -> bool:
    if not isinstance(bot, Bot) or bot.sees_everything or (bot.players and not bot.players[0] <= players <= bot.players[1]):
        return False
    return not searches(bot.scratch)


def plays_among(name: str, players: int, game_name: str | None = None) -> bool:
    """Whether a bot can play among so many; of one that isn't ours this is not known by its name, so it is taken to."""
    base = name.partition(":")[0]
    limits = built_in_bot(base, game_name).players if base in game(game_name).bots else None
    return limits is None or limits[0] <= players <= limits[1]


def is_slow(name: str, game_name: str | None = None) -> bool:
    """Whether one of our bots searches, so that it takes its time."""
    return searches(built_in_bot(name.partition(":")[0], game_name).scratch)


def entrant(spec: Any, game_name: str | None = None) -> Entrant:
    """A bot from its name, or from a bot, class, function or object itself."""
    if isinstance(spec, Entrant):
        return spec
    if isinstance(spec, Bot):
        return _with_items(spec, spec.name, [], spec.name)
    if isinstance(spec, ObjectBot):
        return Entrant(spec.name, spec)
    if not isinstance(spec, str):
        made = object_bot(_as_bot(spec), source=spec)
        return Entrant(made.name, made)
    if is_file_name(spec):
        return _from_model(spec, game_name) if spec.endswith(MODEL_ENDINGS) else _from_file(spec, game_name)
    name, _, items = spec.partition(":")
    return _with_items(built_in_bot(name, game_name), name, items.split(",") if items else [], spec)


def _with_items(bot: Bot, name: str, items: list[str], spec: str) -> Entrant:
    presets = list(bot.presets)
    preset, preset_given = (presets[0] if presets else ""), False
    changes: dict[str, Value] = {}
    parameters = {parameter.name: parameter for parameter in bot.parameters}
    for item in items:
        key, equals, text = item.partition("=")
        if equals:
            parameter = named(bot.parameters, key)
            if parameter is None:
                if not parameters:
                    raise BadBot(f"bot '{spec}': {name} has no parameters.")
                raise UnknownName(f"parameter of bot {name}:", key, parameters)
            changes[parameter.name] = parameter.parse(text, f"bot '{spec}'")
        elif item in bot.presets and item:
            if preset_given:
                raise BadBot(f"bot '{spec}' names two presets, {preset} and {item}; one is accepted.")
            preset, preset_given = item, True
        elif (file := _file_parameter(bot, item)) is not None:
            changes[file.name] = file.parse(item, f"bot '{spec}'")
        elif not any(presets) and item not in parameters:
            raise BadBot(f"bot '{spec}': {name} has no presets, so '{item}' means nothing.")
        else:
            raise UnknownName(f"preset or parameter of bot {name}:", item, [*[p for p in presets if p], *[f"{p}=…" for p in parameters]])
    values = {**(bot.presets[preset] if presets else {}), **changes}
    for parameter in filter(lambda parameter: parameter.is_needed(values), bot.parameters):
        values[parameter.name] = parameter.check(values[parameter.name], f"bot '{spec}'")
    shown = [preset] if preset else []
    shown += [
        f"{p.name}={p.to_text(values[p.name])}"
        for p in bot.parameters
        if p.name in changes and values[p.name] != bot.presets[preset][p.name]
    ]
    return Entrant(f"{name}:{','.join(shown)}" if shown else name, bot, values)


def _file_parameter(bot: Bot, item: str) -> Parameter | None:
    """The parameter that an item such as `weights.json` is the file for: the first that is a file, if the item looks like one."""
    files = [parameter for parameter in bot.parameters if parameter.kind == WEIGHTS]
    return files[0] if files and ("." in item or "/" in item) else None


def is_file_name(spec: str) -> bool:
    """Whether a bot's name means a file: a Python file, with or without the name of a bot in it, or that of a model."""
    return re.search(r"\.py(:|$)", spec) is not None or spec.endswith(MODEL_ENDINGS)


def split_file(spec: str, folder: Path = Path()) -> tuple[str, str]:
    """The file of `file.py:Name:items` seen from a folder, and the rest; folders may have `.py:` in their names."""
    ends = [match.end() for match in re.finditer(r"\.py(?=:|$)", spec)] or [len(spec)]
    end = next((end for end in ends if is_file(folder / spec[:end])), ends[0])
    return spec[:end], spec[end:]


def _from_model(spec: str, game_name: str | None) -> Entrant:
    """The bot of a model's file."""
    return Entrant(spec, replace(_made_of(spec, game_name), name=spec))


def _made_of(policy: Any, game_name: str | None) -> ObjectBot:
    """The bot of a policy; where nobody has said which game it plays, that is open."""
    made: ObjectBot = loaded(POLICY_MAKER)(policy, game_name)
    return made if game_name else replace(made, game=None)


def _from_file(spec: str, game_name: str | None) -> Entrant:
    file, rest = split_file(spec)
    path = Path(file)
    wanted, _, items = rest.lstrip(":").partition(":")
    module = _load_file(path)
    if wanted:
        if not hasattr(module, wanted):
            raise UnknownName(f"bot in {path}:", wanted, _bots_in(module) or ["none: the file defines no bot"])
        thing = getattr(module, wanted)
    else:
        found = _bots_in(module)
        if not found:
            raise BadBot(f"file {path} defines no bot: {A_BOT}.")
        if len(found) > 1:
            raise BadBot(f"file {path} defines {', '.join(found)}; name one as {path}:{found[0]}.")
        wanted = found[0]
        thing = getattr(module, wanted)
    name = f"{path}:{wanted}"
    source = str(path.resolve()) + ":" + wanted
    if isinstance(thing, FunctionType) and not inspect.signature(thing).parameters:
        thing = _loaded_policy(thing, name, game_name)
    if isinstance(thing, ObjectBot):
        return Entrant(name, replace(thing, name=name, source=source))
    if isinstance(thing, Bot):
        return _with_items(thing, name, items.split(",") if items else [], spec)
    if items:
        raise BadBot(f"bot '{spec}': a Python bot takes no presets or parameters.")
    if not (isinstance(thing, (type, FunctionType)) or callable(getattr(thing, "choose", None))):
        raise BadBot(f"{name} is not a bot: a bot is made with @kibitz.bot, or has a method choose(view).")
    return Entrant(name, object_bot(_as_bot(thing), name, source=source))


def bot_in_file(file: str, name: str) -> Bot:
    """A compiled bot of a Python file, with its own parameters and presets."""
    bot: Bot = getattr(_load_file(Path(file)), name)
    return bot


def is_loaded_file(module: ModuleType) -> bool:
    """Whether a module was loaded from a file that a bot's name gave."""
    return module.__name__.startswith(USER_MODULE)


def files_of(spec: Any) -> list[str]:
    """The files that a bot's name gives: its own, and those of trained weights."""
    if not isinstance(spec, str):
        return []
    own = [split_file(spec)[0]] if is_file_name(spec) else []
    return own + _weights_in(entrant(spec, game_of([spec])))


def weights_of(spec: str) -> list[str]:
    """The files of trained weights that stand in a bot's name; a Python file is loaded only if its bot is named with items."""
    if is_file_name(spec):
        named_items = split_file(spec)[1].count(":") > 1
        return _weights_in(entrant(spec)) if named_items else []
    found: list[str] = []
    for game_name in _named(spec) if ":" in spec else ():
        with suppress(KibitzError):  # a bot of another game with this name need not know the items
            found += _weights_in(entrant(spec, game_name))
    return list(dict.fromkeys(found))


def _weights_in(made: Entrant) -> list[str]:
    parameters = made.bot.parameters if isinstance(made.bot, Bot) else ()
    weights = [made.values[p.name] for p in parameters if p.kind == WEIGHTS and made.values[p.name] != p.default]
    return [value for value in weights if isinstance(value, str)]


def _loaded_policy(load: FunctionType, name: str, game_name: str | None) -> ObjectBot:
    """The bot of a function without parameters that loads a policy."""
    try:
        policy = load()
    except Exception as error:
        raise BadBot(f"{name}() raised {type(error).__name__}: {error}{in_parentheses(error)}.") from error
    return policy if isinstance(policy, ObjectBot) else _made_of(policy, game_name)


def _as_bot(thing: Any) -> Any:
    """The thing itself, or a bot made of a class that answers a classroom's questions."""
    if isinstance(thing, type) and not hasattr(thing, "choose"):
        for game_name in BUILT_IN:
            classroom = game(game_name).face.load("classroom")
            if classroom is not None and classroom.is_player(thing):
                return classroom.adapt(thing)
    return thing


def classroom_game() -> str:
    """The game that classrooms write players for."""
    return next(name for name in BUILT_IN if game(name).face.classroom is not None)


def classroom() -> Any:
    """The module that reads players written for a classroom's interface."""
    return game(classroom_game()).face.load("classroom")


def _bots_in(module: ModuleType) -> list[str]:
    """Names that a file defines and that can play."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    made = [name for name, value in own.items() if isinstance(value, Bot) and value.choose.__module__ == module.__name__]
    classes = [
        name
        for name, value in own.items()
        if isinstance(value, type) and value.__module__ == module.__name__ and callable(getattr(_as_bot(value), "choose", None))
    ]
    return made + classes


def _load_file(path: Path) -> ModuleType:
    try:
        source = read_bytes(path, "bot file")
    except BadValue as error:
        raise BadBot(str(error)) from None
    full = full_name(path)
    stamp = hashlib.sha256(os.fsencode(full) + source).hexdigest()[:12]
    name = f"{USER_MODULE}{full.stem}_{stamp}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(full)
    sys.modules[name] = module
    sys.path.insert(0, str(full.parent))
    try:
        exec(compile(source, str(full), "exec"), module.__dict__)  # never a stale .pyc
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, (KeyboardInterrupt, BadBot)):
            raise
        what = error.msg if isinstance(error, SyntaxError) else error
        raise BadBot(f"bot file {path} does not import: {type(error).__name__}: {what}{in_parentheses(error)}.") from error
    finally:
        sys.path.remove(str(full.parent))
    return module
