"""Records of games: all that is needed to play a game through again, as one line of text or as JSON, both ways.

    GAME/1;classic;seed=5;deal=3;seats=mix2|random;actions=r5.draw.keep.wild:g;result=won:1:35

A record says how the cards were dealt (seed and deal), who sat where, what was done and how it ended; the same for every
game. `record_of` makes one of a game that was played, `replay` plays one through and checks each action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.layouts import copy_record
from kibitz.core.reading import check_whole, shown, whole_number
from kibitz.core.seeds import check_seed, deal_key, game_key
from kibitz.games.contract import GameDefinition
from kibitz.play.game import PlayedGame, PlayedStep, why_refused
from kibitz.play.hearing import events_of
from kibitz.play.record_faults import FORFEITED, RecordedFault, check_faults, counted_outcome, is_substitute

PLAYING = "playing"
MOST_DEALS = 2**62  # of a seed, and of a contest
MOST_POINTS = 10**9

_REQUIRED = ("seed", "deal", "seats", "actions")
_OPTIONAL = ("round", "scores", "dealer", "result", "faults")
_JSON_KEYS = ("game", "version", "rules", *_REQUIRED, *_OPTIONAL)


@dataclass(frozen=True)
class Record:
    """One deal as it was played. Seats count from 0; `seats` are the names of those who sat there.

    `deal` is the index that the deal's streams come from. Of a contest each deal has its own record: `round` says which
    it is, from 0, and from the second on `scores` are the points before it and `dealer` the seat that dealt, if it was
    not drawn. `status` is empty if nothing is written of the end; `winner` is a seat, None where nobody won. A forfeited game
    has what counted; `faults` are those of outside bots, empty in records from before they were written down.
    """

    game: str
    rules: str
    seed: int
    deal: int
    seats: tuple[str, ...]
    actions: tuple[str, ...]
    round: int = 0
    scores: tuple[int, ...] = ()
    dealer: int | None = None
    status: str = ""
    winner: int | None = None
    points: int = 0
    faults: tuple[RecordedFault, ...] = ()
    where: str = field(default="", compare=False)  # for messages: which game of which file

    def __post_init__(self) -> None:
        with _naming(self.where):
            _check(self)

    @property
    def title(self) -> str:
        """What to call it in a message."""
        later = f", deal {self.round + 1} of the contest" if self.round else ""
        return self.where or f"deal {self.deal} of seed {self.seed}{later}"

    @property
    def result(self) -> str:
        """The end as it is written: `won:1:35`, `cut_off`, `ended:17`; empty if nothing is."""
        if not self.status:
            return ""
        word = self.status.replace(" ", "_")
        if registry.game(self.game).cooperative:
            return f"{word}:{self.points}"
        return word if self.winner is None else f"{word}:{self.winner}:{self.points}"

    # -- text --

    def to_text(self) -> str:
        """The record as one line."""
        parts = [f"{self.game}/{registry.game(self.game).record_version}", _escaped(self.rules), f"seed={self.seed}", f"deal={self.deal}"]
        if self.round:
            parts += [f"round={self.round}", f"scores={'|'.join(map(str, self.scores))}"]
            parts += [f"dealer={self.dealer}"] if self.dealer is not None else []
        parts += [
            f"seats={'|'.join(map(_escaped, self.seats))}",
            f"actions={'.'.join(_escaped(action, '%;|.') for action in self.actions)}",
        ]
        parts += [f"result={self.result}"] if self.status else []
        parts += [f"faults={'|'.join(_escaped(fault.to_text()) for fault in self.faults)}"] if self.faults else []
        return ";".join(parts)

    @classmethod
    def from_text(cls, text: str, where: str = "") -> Record:
        """The record that a line describes; its actions are checked when it is played through."""
        with _naming(where):
            return cls(**_read_line(text), where=where)

    # -- JSON --

    def to_json(self) -> dict[str, Any]:
        """The record as it stands in JSON."""
        value: dict[str, Any] = {
            "game": self.game,
            "version": registry.game(self.game).record_version,
            "rules": self.rules,
            "seed": self.seed,
            "deal": self.deal,
        }
        if self.round:
            value |= {"round": self.round, "scores": list(self.scores)}
            value |= {} if self.dealer is None else {"dealer": self.dealer}
        value |= {"seats": list(self.seats), "actions": list(self.actions)}
        if self.status:
            won = {} if registry.game(self.game).cooperative else {"winner": self.winner}
            value["result"] = {"status": self.status, **won, "points": self.points}
        if self.faults:
            value["faults"] = [fault.to_json() for fault in self.faults]
        return value

    @classmethod
    def from_json(cls, value: Any, where: str = "") -> Record:
        """The record that a JSON object describes."""
        with _naming(where):
            return cls(**_read_object(value), where=where)


# -- reading --


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """What is wrong in this block is said with where it stands."""
    try:
        yield
    except KibitzError as error:
        raise BadValue(f"{where}: {error}" if where and not str(error).startswith(where) else str(error)) from None


def _read_line(text: str) -> dict[str, Any]:
    head, *rest = text.strip().split(";")
    game, slash, version = head.partition("/")
    if not slash or not rest:
        raise BadValue(f"'{_short(text)}' is not a record; one is written {registry.game().name}/1;classic;seed=5;deal=3;seats=…;actions=…")
    _check_version(game, _whole("version", version))
    parts: dict[str, str] = {}
    for part in rest[1:]:
        key, equals, value = part.partition("=")
        if not equals or key not in _REQUIRED + _OPTIONAL or key in parts:
            raise BadValue(f"'{_short(part)}' is not understood; a record has {', '.join(_REQUIRED + _OPTIONAL)}, each once.")
        parts[key] = value
    _check_present(parts)
    cooperative = registry.game(game).cooperative
    return {
        "game": game,
        "rules": _plain(rest[0]),
        "seed": _whole("seed", parts["seed"]),
        "deal": _whole("deal", parts["deal"]),
        "seats": tuple(map(_plain, parts["seats"].split("|"))),
        "actions": tuple(map(_plain, parts["actions"].split("."))) if parts["actions"] else (),
        "round": _whole("round", parts.get("round", "0")),
        "scores": tuple(_whole("scores", score) for score in parts["scores"].split("|")) if "scores" in parts else (),
        "dealer": _whole("dealer", parts["dealer"]) if "dealer" in parts else None,
        **(_read_result(parts["result"], cooperative) if "result" in parts else {}),
        "faults": tuple(RecordedFault.from_text(_plain(fault)) for fault in parts["faults"].split("|")) if "faults" in parts else (),
    }


def _read_result(text: str, cooperative: bool) -> dict[str, Any]:
    """An end as it is written: `won:1:35` and `stuck` where players compete, `ended:17` where they do not."""
    word, *numbers = text.split(":")
    status = word.replace("_", " ")
    if len(numbers) not in ((1,) if cooperative else (0, 2)):
        written = "ended:17" if cooperative else "won:1:35 with the winner's seat and points, or cut_off"
        raise BadValue(f"result={_short(text)} is not understood; it is written {written}.")
    values = [_whole("result", number) for number in numbers]
    return {"status": status, "winner": values[0] if len(values) == 2 else None, "points": values[-1] if values else 0}


def _read_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadValue(f"a record is a JSON object, not {_short(repr(value))}.")
    unknown = [key for key in value if key not in _JSON_KEYS]
    if unknown:
        raise BadValue(f"'{_short(str(unknown[0]))}' is not understood; a record has {', '.join(_JSON_KEYS)}.")
    for key in ("game", "rules"):
        if not isinstance(value.get(key), str):
            raise BadValue(f"{key} is {'missing' if key not in value else 'not text'}.")
    _check_version(value["game"], value.get("version"))
    _check_present(value)
    for key in ("seats", "actions"):
        if not isinstance(value[key], list) or not all(isinstance(name, str) for name in value[key]):
            raise BadValue(f"{key} is not a list of names.")
    scores = value.get("scores", [])
    if not isinstance(scores, list):
        raise BadValue("scores is not a list of numbers.")
    result = value.get("result", {})
    if not isinstance(result, dict) or any(key not in ("status", "winner", "points") for key in result):
        raise BadValue("result is not an object with status, winner and points.")
    if not isinstance(result.get("status", ""), str):
        raise BadValue("status of the result is not text.")
    faults = value.get("faults", [])
    if not isinstance(faults, list):
        raise BadValue("faults is not a list of faults.")
    return {
        "game": value["game"],
        "rules": value["rules"],
        "seed": value["seed"],
        "deal": value["deal"],
        "seats": tuple(value["seats"]),
        "actions": tuple(value["actions"]),
        "round": value.get("round", 0),
        "scores": tuple(scores),
        "dealer": value.get("dealer"),
        "status": result.get("status", ""),
        "winner": result.get("winner"),
        "points": result.get("points", 0),
        "faults": tuple(map(RecordedFault.from_json, faults)),
    }


def _check_version(game: str, version: Any) -> None:
    played = registry.game(game).record_version
    if version != played:
        raise BadValue(f"the record is of version {shown(version)} of {game}; version {played} is played here.")


def _check_present(parts: dict[str, Any]) -> None:
    missing = [key for key in _REQUIRED if key not in parts]
    if missing:
        raise BadValue(f"{', '.join(missing)} is missing.")


def _check(record: Record) -> None:
    """Refuse a record that describes no game."""
    game = registry.game(record.game)
    players = len(record.seats)
    _within("seed", record.seed, 2**64 - 1)
    _within("deal", record.deal, MOST_DEALS)
    _within("round", record.round, MOST_DEALS)
    _within("points", record.points, MOST_POINTS)
    check_seed(record.seed)
    if not 2 <= players <= game.max_players:
        raise BadValue(f"{players} seats are not accepted; {game.title} has 2 to {game.max_players}.")
    _rules(record.game, record.rules).check_players(players)
    if not all(record.actions):
        raise BadValue(f"action {record.actions.index('') + 1} has no name.")
    if record.round and not game.has_contests:
        raise BadValue(f"round={record.round}: {game.title} has no contests.")
    if len(record.scores) != (players if record.round else 0):
        raise BadValue(f"{len(record.scores)} scores are not accepted; a later deal of a contest has one for each seat, others none.")
    for score in record.scores:
        _within("scores", score, MOST_POINTS)
    if record.dealer is not None:
        if not record.round:
            raise BadValue(f"dealer={record.dealer} belongs to later deals of a contest.")
        _within("dealer", record.dealer, players - 1)
    if record.winner is not None:
        _within("winner", record.winner, players - 1)
        if game.cooperative or not record.status:
            raise BadValue(f"winner={record.winner} needs a status, in a game that somebody wins alone.")
    elif record.points and (not game.cooperative or not record.status):
        raise BadValue(f"points={record.points} belong to nobody.")
    check_faults(record.faults, players, len(record.actions), record.status, record.winner)


def _within(name: str, value: Any, high: int) -> None:
    check_whole(value, name, 0, high)


def _whole(name: str, text: str) -> int:
    return whole_number(text, name)


@lru_cache(maxsize=256)
def _rules(game: str, text: str) -> Any:
    """The rules of a record, which must not lie in a file elsewhere."""
    if text.partition(",")[0].strip().endswith(".toml"):
        raise BadValue(f"rules '{_short(text)}' are a file; a record has a preset and switches.")
    return registry.game(game).parse_rules(text)


def _escaped(name: str, apart: str = "%;|") -> str:
    """A name without the signs that part a record, each written as a percent sign and the number of its bytes."""
    if name.isprintable() and not any(sign in name for sign in apart):
        return name
    return "".join(_numbers(sign) if sign in apart or not sign.isprintable() else sign for sign in name)


def _numbers(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass"))


def _plain(text: str) -> str:
    try:
        return unquote(text, errors="surrogatepass") if "%" in text else text
    except UnicodeDecodeError:
        raise BadValue(f"'{_short(text)}' has percent signs that stand for no text.") from None


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- games that were played --


def record_of(played: PlayedGame) -> Record:
    """The record of a game that was played and kept.

    Rotations of one deal have an index each and begin alike; which deal it was shows in how the game began.
    """
    definition = registry.game(played.game)
    start, players = played.opening.state, len(played.seats)
    later: dict[str, Any] = {}
    if played.deal:
        dealer = start.set_dealer if 0 <= start.set_dealer < players else None
        later = {"round": played.deal, "scores": tuple(map(int, start.scores[:players])), "dealer": dealer}
    names = [definition.action_name(start, action) for action in played.actions]
    known = Record(played.game, played.rules, played.seed, played.index, tuple(played.seats), tuple(names), **later)
    if played.status != PLAYING:
        winner = played.winner
        points = played.points if definition.cooperative or winner is not None else 0
        known = replace(known, status=played.status, winner=winner, points=points, faults=played.faults)
    for deal in (played.index, played.index // players):
        record = replace(known, deal=deal)
        if opening_of(record).deal_stream == start.deal_stream:
            return record
    raise BadValue(f"game {played.index} of seed {played.seed} does not begin as its deal does, so it cannot be recorded.")


# -- playing through --


def opening_of(record: Record) -> Any:
    """The state in which a recorded game begins."""
    definition = registry.game(record.game)
    state = definition.new_state(_rules(record.game, record.rules), len(record.seats))
    state.observed = 1
    definition.keep_orders(state)
    if record.round:
        state.scores[: len(record.scores)] = record.scores
        if record.dealer is not None:
            state.set_dealer = record.dealer
    definition.verbs["deal"](state, deal_key(game_key(record.seed, record.deal), record.round))
    return state


def positions(record: Record) -> Iterator[tuple[int, Any]]:
    """Every action of a recorded game, by number, with the state after it; -1 for the opening.

    It is the same state each time. The first action that is not legal is named.
    """
    definition = registry.game(record.game)
    state = opening_of(record)
    yield -1, state
    for place, name in enumerate(record.actions, 1):
        action = _checked_action(record, definition, state, place, name)
        state.event_count = 0
        definition.verbs["apply"](state, action)
        yield action, state


def steps_of(
    game: GameDefinition, states: Iterable[tuple[int, Any]], faults: tuple[RecordedFault, ...] = ()
) -> tuple[list[PlayedStep], Any]:
    """Actions with the state after each as steps, the opening first; and the last state."""
    steps: list[PlayedStep] = []
    state: Any = None
    seat = 0  # to act before the next action
    for action, state in states:
        opens = action < 0
        by_substitute = not opens and is_substitute(faults, seat, len(steps))
        steps.append(PlayedStep(action, [] if opens else events_of(game, state), copy_record(state), game.hands(state), by_substitute))
        seat = int(state.current)
    return steps, state


def replay(record: Record, keep_steps: bool = True) -> PlayedGame:
    """Play a recorded game through, as it was played; without steps it takes little memory. A forfeited game ends as it counted."""
    definition, names, states = registry.game(record.game), list(record.seats), positions(record)
    steps, state = steps_of(definition, states if keep_steps else islice(states, 1), record.faults)
    for _ in states:  # the rest, which changes the same state
        pass
    rules = _rules(record.game, record.rules).to_text()
    played = PlayedGame(record.game, names, names[:], rules, record.seed, record.deal, steps[0], record.round, steps[1:])
    played.faults = record.faults
    played.outcome = counted_outcome(definition.outcome(state), record.status, record.winner, record.points)
    return played


def agrees(record: Record, played: PlayedGame) -> bool | None:
    """Whether a game ended as it is written down; None if nothing is, or if it was forfeited, which no replay can tell."""
    if not record.status or record.status == FORFEITED:
        return None
    points = played.points if played.winner is not None or registry.game(record.game).cooperative else 0
    return (record.status, record.winner, record.points) == (played.status, played.winner, points)


def _checked_action(record: Record, definition: GameDefinition, state: Any, place: int, name: str) -> int:
    """The number of an action that may be taken, or what is wrong with it."""
    seat = int(state.current)
    at = f"{record.title}, turn {int(state.turn)}, action {place}: {_short(name)} by {record.seats[seat]} (seat {seat})"
    if definition.verbs["is_over"](state):
        raise BadValue(f"{record.title}, action {place}: {_short(name)} comes after the end of the game.")
    try:
        action = definition.action_from_name(state, name)
    except KibitzError as error:
        raise BadValue(f"{at} is not legal: {error}") from None
    if definition.verbs["is_legal"](state, action):
        return action
    raise BadValue(f"{at} {why_refused(definition, state, action)}")
