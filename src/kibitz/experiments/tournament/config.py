"""Who takes part in a tournament and how it is played: a TOML file, or the classroom's `players.txt`.

Both become a `Tournament`, which says all that decides the figures; it goes to the store as it stands and comes back.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from kibitz import registry
from kibitz.core.carried import digest_of
from kibitz.core.errors import BadValue, KibitzError, UnknownName
from kibitz.core.public import public, public_names
from kibitz.core.reading import is_file, parse_toml, read_bytes, read_text
from kibitz.core.seeds import check_seed, long_seed
from kibitz.experiments.tournament.formats import FORMATS, check_format
from kibitz.outside.command import SYSTEM_PATH, absolute_command, program_of
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.player import outside_bot
from kibitz.play.lineup import make_lineup, parse_target

BUILT_IN, TRUSTED, FILE, COMMAND = "bot", "trusted", "file", "command"
MAX_PLAYERS = 1_000  # ratings and the matrix take the square of it
GAMES = 1000  # or the next number of whole deals
_LIMIT_NAMES = tuple(limit.name for limit in fields(BotLimits))
_KEYS = ("title", "game", "rules", "format", "games", "table", "rounds", "seed", "to", "hero", "faults", "paired", "limits", "players")


@dataclass(frozen=True)
class Participant:
    """One who takes part: a bot of ours by name, a Python file, or a command line.

    `kind` is `bot` (built in), `trusted` (a file that runs inside our process), `file` (a Python file that runs as a process
    of its own) or `command` (any other program). `folder` is where the file or the command's files are.
    """

    name: str
    kind: str
    bot: str  # a bot's name, a file with perhaps a name in it, or a command line
    folder: str = "."
    seconds: float | None = None  # a decision; None for what the tournament allows
    digest: str = ""  # of a file's content, so that a run is not resumed with another bot
    trusted: bool = False  # a command whose process is not confined
    files: Mapping[str, str] = field(default_factory=dict)  # digests of weights, or of what a command names; older stores lack them

    @property
    def is_outside(self) -> bool:
        """Whether the bot is a process of its own."""
        return self.kind in (FILE, COMMAND)


@dataclass(frozen=True)
class Tournament:
    """All that decides a tournament's figures."""

    title: str
    game: str
    rules: str
    format: str
    games: int  # of each match
    table: int  # players at a table
    seed: int
    players: tuple[Participant, ...]
    rounds: int | None = None  # of a Swiss, or of drawn tables
    to: str | None = None
    hero: str | None = None  # a gauntlet's one against all
    faults: int = 3  # of a bot in one game, after which it has forfeited that game
    limits: Mapping[str, float] = field(default_factory=dict)
    paired: bool = (
        True  # each deal from every seat, or by every team; else a fresh deal for each game. Older stores lack it: they were paired
    )

    def to_dict(self) -> dict[str, Any]:
        """As it is kept in the store."""
        kept = asdict(self)
        players = ({key: value for key, value in player.items() if key != "files" or value} for player in kept["players"])
        return kept | {"players": tuple(players)}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Tournament:
        """As it comes back from the store."""
        return cls(**{**kept, "players": tuple(Participant(**player) for player in kept["players"])})

    def limits_of(self, player: Participant) -> BotLimits:
        """What a player's process may use."""
        chosen: dict[str, Any] = {
            name: float(value) if isinstance(getattr(BotLimits, name), float) else int(value) for name, value in self.limits.items()
        }
        if player.seconds is not None:
            chosen["decision_seconds"] = player.seconds
        return BotLimits(**chosen)


def read_tournament(path: str | Path, **changes: Any) -> Tournament:
    """A tournament from a file; `changes` that are not None take the place of what it says."""
    file = Path(path)
    text = read_text(file, "tournament file")
    wanted = {key: value for key, value in changes.items() if value is not None}
    if file.suffix == ".toml":
        found = _from_toml(text, file)
    elif file.suffix == ".txt":
        found = _from_players(text, file)
        if wanted.get("format", found["format"]) != found["format"]:
            del found["table"]  # one table for everybody is a free-for-all
    else:
        raise BadValue(
            f"tournament file {path}: its name ends in .toml, or in .txt for a list of players, one Name,prefix or Name,command per line."
        )
    where = f"tournament file {path}"
    try:
        return make_tournament(where, {**found, **wanted})
    except KibitzError as error:
        if where in str(error):
            raise
        raise BadValue(f"{where}: {error}") from error


def names_seed(path: str | Path) -> bool:
    """Whether a tournament file says its seed."""
    file = Path(path)
    return file.suffix == ".toml" and "seed" in parse_toml(read_text(file, "tournament file"), f"tournament file {file}")


def _from_toml(text: str, file: Path) -> dict[str, Any]:
    where = f"tournament file {file}"
    found = parse_toml(text, where)
    _check_keys(found, _KEYS, where)
    players = found.get("players")
    if not isinstance(players, list) or not all(isinstance(player, dict) for player in players):
        raise BadValue(f"{where}: players is missing; each player is a table [[players]] with a name, and a bot, a file or a command.")
    rules = found.get("rules")
    if isinstance(rules, str) and (file.parent / rules.partition(",")[0]).suffix == ".toml":
        head, comma, rest = rules.partition(",")
        beside = file.parent / head
        found["rules"] = f"{beside}{comma}{rest}" if is_file(beside) else rules  # rules in a file are looked for beside it
    return {
        "title": file.stem,
        **found,
        "players": [_player(player, f"{where}, player {place}", file.parent) for place, player in enumerate(players, 1)],
    }


def _player(found: dict[str, Any], where: str, folder: Path) -> Participant:
    _check_keys(found, ("name", "bot", "file", "command", "seconds", "trusted"), where)
    ways = [way for way in ("bot", "file", "command") if way in found]
    if len(ways) != 1:
        raise BadValue(f"{where} has {' and '.join(ways) or 'no bot'}; it has one of bot, file and command.")
    way, value = ways[0], found[ways[0]]
    if way == "command" and isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = shlex.join(value)
    if not isinstance(value, str) or not value.strip():
        raise BadValue(f"{where}: {way}={value!r} is not accepted; it is a text.")
    trusted = found.get("trusted", False)
    if not isinstance(trusted, bool):
        raise BadValue(f"{where}: trusted={trusted!r} is not accepted; it is true or false.")
    is_file = way == "file" or (way == "bot" and registry.is_file_name(value))
    if trusted and not is_file and way != "command":
        raise BadValue(f"{where}: trusted goes with a Python file or a command.")
    shown = public_names([value])[value] if Path(value).is_absolute() else public(value, {"folder": str(folder.resolve())})
    name = _name(found.get("name", shown), where)
    kind = COMMAND if way == "command" else BUILT_IN if not is_file else TRUSTED if trusted else FILE
    digest = ""
    if is_file:
        value, digest = _resolve_file(value, folder, where)
    return Participant(
        name, kind, value, str(folder.resolve()), _seconds(found.get("seconds"), where), digest, trusted and way == "command"
    )


def _name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not name.strip() or any(unicodedata.category(sign) == "Cc" for sign in name.strip()):
        raise BadValue(f"{where}: name={name!r} is not accepted; it is a text of one line.")
    return name.strip()


def _split_file(spec: str) -> tuple[str, str]:
    """The file of `file.py:Name`, and `:Name`; folders may have `.py` in their names."""
    path, *rest = re.split(r"(?<=\.py)(?=:|$)", spec, maxsplit=1)
    return path, "".join(rest)


def _resolve_file(spec: str, folder: Path, where: str) -> tuple[str, str]:
    """The full name of a Python file or a model's, and a digest of what it says."""
    file, name = _split_file(spec)
    path = folder / file
    if path.suffix not in (".py", *registry.MODEL_ENDINGS) or not is_file(path):
        raise BadValue(
            f"{where}: there is no Python file {folder / file}, nor a model ({' or '.join(registry.MODEL_ENDINGS)}) of that name."
        )
    path = path.resolve()
    return f"{path}{name}", _digest(path, where)


def _digest(path: Path, where: str) -> str:
    return hashlib.sha256(read_bytes(path, f"{where}: file")).hexdigest()


def files_of_player(player: Participant) -> list[str]:
    """The files that a player's entry names."""
    if player.kind == COMMAND:
        files = absolute_command(shlex.split(player.bot), Path(player.folder))[1]
        return [str(file) for file in files if str(file.parent) not in (*SYSTEM_PATH, str(Path(sys.executable).parent))]
    return registry.files_of(player.bot) if player.kind in (BUILT_IN, TRUSTED) else [registry.split_file(player.bot)[0]]


def _with_digests(player: Participant) -> Participant:
    """A player with digests of the files that it names beside its own: weights that we load, or what is in a command line."""
    if player.kind == COMMAND:
        return replace(player, files={file: _digest_if_readable(file) for file in files_of_player(player)})
    return replace(player, files={file: _digest_if_readable(file) for file in registry.weights_of(player.bot) if is_file(file)})


def _digest_if_readable(file: str) -> str:
    try:
        return digest_of(file)
    except OSError:  # a program may be run by those who can't read it
        return ""


def check_files(tournament: Tournament, kinds: Sequence[str] = (FILE, TRUSTED)) -> None:
    """Refuse a tournament whose Python files, of players of some kinds, or weights are no longer what they were; loads nothing.

    Programs are not looked at: some write to the files that they were given.
    """
    for player in tournament.players:
        for file, digest in player.files.items() if player.kind in (BUILT_IN, TRUSTED) else ():
            if not is_file(file) or _digest_if_readable(file) != digest:
                raise BadValue(
                    f"player {player.name}: its file {file} is gone or has changed since the tournament began, so it cannot go on; start a new one."
                )
        if player.kind not in kinds:
            if player.kind == BUILT_IN and registry.is_file_name(player.bot):
                raise BadValue(f"player {player.name}: {player.bot} is a file, not one of our bots, so the tournament cannot go on.")
            continue
        path = Path(_split_file(player.bot)[0])
        if not is_file(path):
            raise BadValue(f"player {player.name}: its file {path} is gone, so the tournament cannot go on.")
        if _digest(path, f"player {player.name}") != player.digest:
            raise BadValue(
                f"player {player.name}: its file {path} has changed since the tournament began, so it cannot go on; start a new one."
            )


def _seconds(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 3600:
        raise BadValue(f"{where}: seconds={value!r} is not accepted; it is a number above 0 and at most 3600.")
    return float(value)


def _from_players(text: str, file: Path) -> dict[str, Any]:
    """The classroom's list: everybody sits at one table, under the classroom's rules."""
    from kibitz.experiments.tournament.player_list import LINE, listed_players

    folder = str(file.parent.resolve())
    players = []
    for listed in listed_players(text, file):
        name = _name(listed.name, listed.where)
        if listed.is_command:
            players.append(Participant(name, COMMAND, listed.bot, folder))
        else:
            spec, digest = _resolve_file(listed.bot, Path(), listed.where)
            players.append(Participant(name, FILE, spec, folder, None, digest))
    if not players:
        raise BadValue(f"tournament file {file} names nobody; {LINE}.")
    if len(players) == 1:
        raise BadValue(f"tournament file {file} names only {players[0].name}; a tournament needs at least two players.")
    return {
        "title": file.stem,
        "game": registry.classroom_game(),
        "rules": registry.classroom().RULES,
        "format": "free-for-all",
        "table": min(len(players), 10),
        "players": players,
    }


def make_tournament(where: str, found: Mapping[str, Any]) -> Tournament:
    """A tournament from what a file and the command line say, checked before anything is played."""
    players: Sequence[Participant] = found["players"]
    asked = _text(found, "game", "", where) if "game" in found else None
    game = registry.game_of([player.bot for player in players if player.kind != COMMAND], asked, run_files=False)
    definition = registry.game(game)
    if not 1 <= len(players) <= MAX_PLAYERS:
        raise BadValue(f"{where}: {len(players)} players are not accepted; there are 1 to {MAX_PLAYERS}.")
    names = [player.name for player in players]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice:
        raise BadValue(f"{where}: two players are called {twice}; names must differ.")
    format_name = _text(found, "format", "teams" if definition.cooperative else "round-robin", where).replace("_", "-")
    if format_name not in FORMATS:
        raise UnknownName(f"format in {where}:", format_name, FORMATS)
    usual = min(len(players), definition.max_players) if format_name == "free-for-all" else 2
    table = _whole(found, "table", max(usual, 2), 2, definition.max_players, where)
    group = 1 if format_name == "teams" else table
    games = _whole(found, "games", -(-GAMES // group) * group, 1, 10**9, where)
    if games % group:
        below = games - games % group
        near = f"{below} or {below + group}" if below else str(group)
        raise BadValue(
            f"{where}: games={games} is not a multiple of {group}; everyone plays equally often from each of {group} seats, so {near}."
        )
    rounds = _whole(found, "rounds", None, 1, 1000, where) if found.get("rounds") is not None else None
    to = None if found.get("to") is None else str(found["to"])
    if parse_target(to) and not definition.has_contests:
        raise BadValue(f"{where}: to={to}: {definition.title} has no contests.")
    hero = found.get("hero")
    if hero is not None and hero not in names:
        raise UnknownName(f"hero in {where}:", str(hero), names)
    paired = found.get("paired", not any(player.is_outside for player in players))
    if not isinstance(paired, bool):
        raise BadValue(f"{where}: paired={paired!r} is not accepted; it is true or false.")
    limits = found.get("limits", {})
    if not isinstance(limits, Mapping):
        raise BadValue(f"{where}: limits={limits!r} is not accepted; it is a table of {', '.join(_LIMIT_NAMES)}.")
    _check_keys(limits, _LIMIT_NAMES, f"{where}, limits")
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
            raise BadValue(f"{where}: limits.{name}={value!r} is not accepted; it is a number above 0.")
        if isinstance(getattr(BotLimits, name), int) and value != int(value):
            raise BadValue(f"{where}: limits.{name}={value!r} is not accepted; it is a whole number above 0.")
    rules = definition.parse_rules(_text(found, "rules", definition.default_rules, where))
    rules.check_players(table)
    seed = found.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise BadValue(f"{where}: seed={seed!r} is not accepted; a seed is a whole number from 0 to 2^64 - 1.")
    made = Tournament(
        title=_text(found, "title", "Tournament", where),
        game=game,
        rules=rules.to_text(),
        format=format_name,
        games=games,
        table=table,
        seed=long_seed() if seed is None else check_seed(seed),
        players=tuple(players),
        rounds=rounds,
        to=to,
        hero=hero,
        faults=_whole(found, "faults", 3, 1, 1000, where),
        limits=dict(limits),
        paired=paired,
    )
    check_format(made.format, len(players), table, definition.cooperative, hero is not None, where, rounds)
    return replace(made, players=tuple(_checked(made, player, where) for player in players))


def _checked(made: Tournament, player: Participant, where: str) -> Participant:
    """A player whose bot exists and can sit at these tables, its bot named in full."""
    if player.kind == COMMAND:
        try:
            program_of(outside_bot(player.name, player.bot, Path(player.folder)).command)
        except OutsideFault as fault:
            raise BadValue(f"{where}, player {player.name}: it {fault.what}.") from fault
    if player.is_outside:
        return _with_digests(player) if player.kind == COMMAND else player
    try:
        entrant = registry.entrant(player.bot, made.game)
        make_lineup([entrant] * made.table, made.rules, "rotate", made.game, made.to)
    except KibitzError as error:
        raise BadValue(f"{where}, player {player.name}: {error}") from error
    return _with_digests(replace(player, bot=entrant.name if player.kind == BUILT_IN else player.bot))


def _check_keys(found: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in found:
        if key not in known:
            raise UnknownName(f"key in {where}:", key, known)


def _text(found: Mapping[str, Any], key: str, default: str, where: str) -> str:
    value = found.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise BadValue(f"{where}: {key}={value!r} is not accepted; it is a text.")
    return value


def _whole(found: Mapping[str, Any], key: str, default: Any, low: int, high: int, where: str) -> int:
    value = found.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadValue(f"{where}: {key}={value!r} is not accepted; it is a whole number from {low} to {high}.")
    return int(value)
