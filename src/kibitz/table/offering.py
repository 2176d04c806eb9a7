"""Bots that the server's owner names, made ready to be offered at tables: `mine.py:policy`, `net:mine.npz`, `NAME=SPEC`.

A Python file is never run here: as in tournaments it is a process behind the protocol. Each bot is tried out before the server starts, by the
same means as it plays later. Our own bots, with parameters, are played as everywhere; files of weights are read once.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from kibitz import registry
from kibitz.bots.bot import HAND_ORDERS, Bot
from kibitz.bots.object_bot import AskedSeat
from kibitz.bots.parameters import WEIGHTS
from kibitz.core.errors import BadBot, BadValue, KibitzError
from kibitz.core.reading import is_file
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.outside.player import OutsidePlayer, python_bot, why_unfit
from kibitz.outside.seated import Processes
from kibitz.registry import Entrant
from kibitz.table.live import LiveGame
from kibitz.table.offered import LONGEST_NAME, NAME, OfferedBot, Offers
from kibitz.table.setup import Setup

MOST_BOTS = 20
TRIAL_ACTIONS, TRIAL_SECONDS = 40, 3.0  # whatever comes first
TRIAL_SEED = 20_161_108
ABOUT = "A bot of this server's owner"


def offers_of(specs: Sequence[str]) -> Offers:
    """The bots that an owner names, each tried out; the first that can't be offered is refused."""
    if len(specs) > MOST_BOTS:
        raise BadValue(f"{len(specs)} bots are not accepted; at most {MOST_BOTS} are offered.")
    processes, found = Processes(), list[OfferedBot]()
    try:
        for spec in specs:
            name, bot = _named(spec)
            if any(other.name == name for other in found):
                raise BadValue(f"two bots would be offered as {name}; name one of them, as in --bot other={bot}.")
            found += _from_file(name, bot, processes) if registry.is_file_name(bot) else _our_own(name, bot)
    except BaseException:
        processes.close()
        raise
    return Offers(tuple(found), processes)


# -- names --


def _named(text: str) -> tuple[str, str]:
    """The name under which a bot is offered, and the bot: of `NAME=SPEC`, or of `SPEC` alone with a name made of its file."""
    given = re.match(r"(\w+)=(?=.)", text)
    name, bot = (given[1], text[given.end() :]) if given else ("", text)
    if name and not (NAME.fullmatch(name) and len(name) <= LONGEST_NAME):
        raise BadValue(f"name '{name}' is not accepted for a bot; it has at most {LONGEST_NAME} small letters, digits and _.")
    is_python = registry.is_file_name(bot)
    if is_python and not is_file(Path(registry.split_file(bot)[0])):
        raise BadValue(f"bot file {registry.split_file(bot)[0]} does not exist.")
    name = name or _usual_name(bot)
    ours = {each for names in registry.BUILT_IN.values() for each in names}
    if (
        name in ours
        or name in {each for game in registry.BUILT_IN for each in registry.all_names(game)}
        or (is_python and name.partition(":")[0] in ours)
    ):
        raise BadValue(f"a bot of our own is called {name.partition(':')[0]}; choose another name, as in --bot mine={bot}.")
    return name, bot


def _usual_name(bot: str) -> str:
    """`mine:policy` for `folder/Mine.py:policy`, `net:mine` for `net:folder/mine.npz`."""
    if registry.is_file_name(bot):
        file, rest = registry.split_file(bot)
        parts = [Path(file).stem, *rest.strip(":").split(":")]
    else:
        base, _, items = bot.partition(":")
        parts = [base, "_".join(Path(item.rpartition("=")[2]).stem if "/" in item or "." in item else item for item in items.split(","))]
    words = [re.sub(r"[^a-z0-9_]+", "_", part.lower()).strip("_") for part in parts]
    return ":".join(word[: LONGEST_NAME // 2] for word in (words[0] or "bot", "_".join(filter(None, words[1:]))) if word)


# -- our own bots, with parameters --


def _our_own(name: str, spec: str) -> list[OfferedBot]:
    """One of our bots, for every game in which it takes these parameters."""
    base = spec.partition(":")[0]
    games = [game for game, names in registry.BUILT_IN.items() if base in names]
    if not games:
        registry.entrant(spec, registry.game_of([spec]))  # says what is wrong
    found, problems = list[OfferedBot](), list[KibitzError]()
    for game in games:
        try:
            entrant = registry.entrant(spec, game)
        except KibitzError as error:
            problems.append(error)
            continue
        bot = entrant.bot
        assert isinstance(bot, Bot)
        files = {each.name: each.read for each in bot.parameters if each.kind == WEIGHTS and each.is_needed(entrant.values)}
        weights = {key: read(str(entrant.values[key])) for key, read in files.items() if read is not None}
        fixed = Entrant(name, bot, {**entrant.values, **weights})  # whatever becomes of the file
        found.append(OfferedBot(name, game, fixed, bot.players or (2, registry.game(game).max_players), f"{ABOUT}: {bot.summary}"))
    if not found:
        raise problems[0]
    return found


# -- Python files --


def _from_file(name: str, spec: str, processes: Processes) -> list[OfferedBot]:
    """The bot of a Python file, for every game that it plays."""
    file, rest = registry.split_file(spec)
    declared = registry.game_in_file(spec)
    found, problems = list[OfferedBot](), list[str]()
    for game in [declared] if declared in registry.BUILT_IN else registry.BUILT_IN:
        try:
            bot = _greeted(name, f"{Path(file).resolve()}{rest}", str(game))
            _try_out(bot, processes)
            found.append(bot)
        except OutsideFault as fault:
            problems.append(why_unfit(fault))
    if not found:
        raise BadBot(f"bot '{spec}' can't be offered: it {problems[0].removesuffix('.')}.")
    return found


def _greeted(name: str, spec: str, game: str) -> OfferedBot:
    """A bot with what it says of itself; OutsideFault if it can't be started."""
    definition = registry.game(game)
    outside = python_bot(name, spec, game, BotLimits())
    player = OutsidePlayer(outside, definition, definition.parse_rules(definition.default_rules))
    try:
        player.ready()
    finally:
        player.kill()
    low, high = player.players or (2, definition.max_players)
    seat = AskedSeat(name, windows=player.windows, reading=HAND_ORDERS.index(player.hand_order))
    among = (max(2, low), min(high, definition.max_players))
    return OfferedBot(name, game, Entrant(name, seat), among, f"{ABOUT}.", outside, player.wants_events, player.wants_views)


def _try_out(bot: OfferedBot, processes: Processes) -> None:
    """Let a bot play a part of a game with others, who take the first action there is; OutsideFault if it is out then."""
    rules, others = registry.game(bot.game).default_rules, (None,) * (bot.players[0] - 1)
    live = LiveGame(Setup(bot.game, rules, (bot.name, *others), TRIAL_SEED, offers=Offers((bot,), processes)))
    try:
        until = time.monotonic() + TRIAL_SECONDS
        for _ in range(TRIAL_ACTIONS):
            if live.is_over or time.monotonic() > until:
                break
            if live.waits_for_person and live.to_act is not None:
                live.act(live.to_act, live.legal_names()[0])
            else:
                live.bot_step()
            for report in live.take_reports():
                if report.charged.forfeits:
                    raise report.fault
    finally:
        live.close()
