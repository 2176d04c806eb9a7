"""Recorded games: read, checked move by move, and written.

Two forms are read. hanab.live's JSON has `players` (names), `deck` (suit and rank of each card, in the order of drawing)
and `actions`, which name cards by their place in the deck and players by their seat. A replay, one JSON object a line, has
`deck` (`R1`, …), `actions` (numbers of moves) and `score`; without `players` there are two, without `rules` the standard
ones, and actions after the end of a game are padding. `replay` plays a record; files of them are read by `kibitz.play.record_files`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from kibitz.core.errors import BadValue, KibitzError
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import (
    CARD_TYPES,
    COLOUR_OF,
    COLOURS,
    DISCARD,
    HINT_COLOUR,
    HINT_RANK,
    MAX_CARDS,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_RANKS,
    NO_CARD,
    PLAY,
    RANK_OF,
)
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.names import card_from_name, card_name, move_name, moves_of
from kibitz.games.hanabi.rules import PRESETS, Rules, parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import LOST, PLAYING, STATUS_NAMES

# hanab.live's suits, by the name of ours that stands for each: purple is our white.
SUITS = ("red", "yellow", "green", "blue", "white")
SUIT_NAMES = ("red", "yellow", "green", "blue", "purple")
_COLOUR_OF_SUIT = tuple(COLOURS.index(name) for name in SUITS)
_SUIT_OF_COLOUR = tuple(SUITS.index(name) for name in COLOURS)

# hanab.live's kinds of action.
_LIVE_PLAY, _LIVE_DISCARD, _LIVE_COLOUR, _LIVE_RANK, _LIVE_END = range(5)
_LIVE_KINDS = {PLAY: _LIVE_PLAY, DISCARD: _LIVE_DISCARD, HINT_COLOUR: _LIVE_COLOUR, HINT_RANK: _LIVE_RANK}
# Options of hanab.live under which its games are not ours.
_OTHER_GAMES = ("deckPlays", "emptyClues", "cardCycle", "allOrNothing", "detrimentalCharacters", "startingPlayer")


@dataclass(frozen=True)
class WrittenGame:
    """A game as it was written down, its deck checked, its moves not yet."""

    where: str  # for messages: which game of which file
    players: tuple[str, ...]  # names by seat
    rules: Rules
    deck: tuple[int, ...]
    actions: tuple[Any, ...]  # numbers of moves, or hanab.live's actions
    score: int | None = None  # what was written down
    is_live: bool = False
    game: str = "hanabi"


@dataclass
class Replay:
    """A recorded game played through: the moves by number, and the state after them."""

    record: WrittenGame
    state: State
    moves: list[int] = field(default_factory=list)

    @property
    def status(self) -> str:
        """How it ended; `broken off` if it did not."""
        return "broken off" if self.state.status == PLAYING else STATUS_NAMES[self.state.status]

    @property
    def kept(self) -> int:
        """Points on the table."""
        return self.state.score

    @property
    def score(self) -> int:
        """Points, a lost game scoring 0."""
        return 0 if self.state.status == LOST else self.state.score

    @property
    def agrees(self) -> bool | None:
        """Whether the score that was written down is this one; None if there is none."""
        return None if self.record.score is None else self.record.score == self.score

    def to_dict(self) -> dict[str, Any]:
        """The game as it stands in JSON."""
        return {
            "players": list(self.record.players),
            "rules": self.record.rules.to_text(),
            "status": self.status,
            "score": self.score,
            "score_kept": self.kept,
            "turns": len(self.moves),
            "recorded_score": self.record.score,
            "agrees": self.agrees,
        }


# -- records --


def read_record(value: Any, where: str) -> WrittenGame:
    """A record from what stands in JSON, in either form."""
    if not isinstance(value, dict):
        raise BadValue(f"{where}: a game is a JSON object with deck and actions, not {_shown(value)}.")
    for key in ("deck", "actions"):
        if not isinstance(value.get(key), list):
            raise BadValue(f"{where}: {key} is {'missing' if key not in value else 'not a list'}.")
    try:
        is_live = any(isinstance(card, dict) for card in value["deck"]) or any(isinstance(action, dict) for action in value["actions"])
        return _read_live(value, where) if is_live else _read_replay(value, where)
    except KibitzError as error:
        raise BadValue(f"{where}: {error}") from None


def _read_replay(value: dict[str, Any], where: str) -> WrittenGame:
    names = value.get("players", 2)
    if _is_number(names) and 2 <= names <= MAX_PLAYERS:
        names = [f"seat {seat}" for seat in range(names)]
    score = value.get("score")
    if score is not None and not _is_number(score):
        raise BadValue(f"score {_shown(score)} is not a whole number.")
    text = value.get("rules", "standard")
    if not isinstance(text, str):
        raise BadValue(f"rules {_shown(text)} are not text.")
    rules = parse_rules(text)
    deck = [_checked_card(card) for card in value["deck"]]
    return _checked(WrittenGame(where, _names(names), rules, tuple(deck), tuple(value["actions"]), score))


def _read_live(value: dict[str, Any], where: str) -> WrittenGame:
    names = _names(value.get("players"))
    rules = _rules_of(value.get("options", {}), len(names))
    deck = [_live_card(card) for card in value["deck"]]
    return _checked(WrittenGame(where, names, rules, tuple(deck), tuple(value["actions"]), is_live=True))


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not 2 <= len(names) <= MAX_PLAYERS:
        raise BadValue(f"players {_shown(names)} is not accepted; it is a list of 2 to {MAX_PLAYERS} names.")
    return tuple(names)


def _rules_of(options: Any, players: int) -> Rules:
    """The rules that hanab.live's options mean."""
    if not isinstance(options, dict):
        raise BadValue(f"options {_shown(options)} are not a JSON object.")
    if options.get("variant", "No Variant") != "No Variant":
        raise BadValue(f"variant {_shown(options['variant'])} is not played here; 'No Variant' is.")
    for option in _OTHER_GAMES:
        if options.get(option):
            raise BadValue(f"option {option} is not played here.")
    standard = PRESETS["standard"]
    change = bool(options.get("oneExtraCard")) - bool(options.get("oneLessCard"))
    return parse_rules(f"standard,hand_size={standard.cards_in_hand(players) + change}") if change else standard


def _checked_card(card: Any) -> int:
    if not isinstance(card, str):
        raise BadValue(f"{_shown(card)} in the deck is not a card; cards are written R1.")
    return card_from_name(card)


def _live_card(card: Any) -> int:
    suit, rank = (card.get("suitIndex"), card.get("rank")) if isinstance(card, dict) else (None, None)
    if not (_is_number(suit) and _is_number(rank) and 0 <= suit < len(SUITS) and 1 <= rank <= MAX_RANKS):
        raise BadValue(
            f"{_shown(card)} in the deck is not a card; it has a suitIndex from 0 to {len(SUITS) - 1} and a rank from 1 to {MAX_RANKS}."
        )
    return _COLOUR_OF_SUIT[suit] * MAX_RANKS + int(rank) - 1


def _checked(record: WrittenGame) -> WrittenGame:
    """A record whose deck is that of its rules."""
    record.rules.check_players(len(record.players))
    expected = record.rules.deck
    if len(record.deck) != sum(expected):
        raise BadValue(f"the deck has {len(record.deck)} cards, but it should have {sum(expected)}.")
    for card in range(CARD_TYPES):
        if record.deck.count(card) != expected[card]:
            raise BadValue(f"{card_name(card)} occurs {record.deck.count(card)} times in the deck, but there should be {expected[card]}.")
    return record


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- playing --


def begin(rules: Rules, players: int, deck: Sequence[int]) -> State:
    """A game that begins with this deck."""
    state = new_state(rules, players)
    state.deck_order = [*deck, *[NO_CARD] * (MAX_CARDS - len(deck))]
    engine.deal_deck(state)
    return state


def replay(record: WrittenGame) -> Replay:
    """Play a recorded game through; the first move that is not legal is named."""
    state = begin(record.rules, len(record.players), record.deck)
    played = Replay(record, state)
    for turn, action in enumerate(record.actions, 1):
        if engine.is_over(state) and not record.is_live:
            break  # padding
        if record.is_live and _is_end(action):
            break
        move = _live_move(record, state, turn, action) if record.is_live else _number(record, state, turn, action)
        why = why_illegal(state, move)
        if why:
            raise _illegal(record, state, turn, move_name(state, move), why)
        engine.apply(state, move)
        played.moves.append(move)
    return played


def _illegal(record: WrittenGame, state: State, turn: int, move: str, why: str) -> BadValue:
    seat = state.current
    who = f"seat {seat}" if record.players[seat] == f"seat {seat}" else f"{record.players[seat]} (seat {seat})"
    return BadValue(f"{record.where}, turn {turn}: {move} by {who} is not legal: {why}.")


def _number(record: WrittenGame, state: State, turn: int, action: Any) -> int:
    """The move of a replay."""
    if not _is_number(action) or not 0 <= action < moves_of(state):
        raise _illegal(record, state, turn, f"move {_shown(action)}", f"moves are numbered 0 to {moves_of(state) - 1}")
    return int(action)


def _is_end(action: Any) -> bool:
    return isinstance(action, dict) and action.get("type") == _LIVE_END


def _live_move(record: WrittenGame, state: State, turn: int, action: Any) -> int:
    """The move that an action of hanab.live stands for."""

    def refuse(why: str) -> BadValue:
        return _illegal(record, state, turn, f"action {_shown(action)}", why)

    if engine.is_over(state):
        raise refuse("the game is over")
    kind, target, value = (action.get(key) for key in ("type", "target", "value")) if isinstance(action, dict) else (None, None, None)
    if not _is_number(kind) or not _LIVE_PLAY <= kind <= _LIVE_RANK or not _is_number(target):
        raise refuse("an action has a type from 0 to 4, a target and, for a hint, a value")
    if kind in (_LIVE_PLAY, _LIVE_DISCARD):
        first = state.current * MAX_HAND
        places = state.places[first : first + state.sizes[state.current]]
        if target not in places:
            raise refuse(f"card {target} of the deck is not in the hand, which has {', '.join(map(str, places))}")
        slot = places.index(target)
        return state.play(slot) if kind == _LIVE_PLAY else state.discard(slot)
    if not 0 <= target < state.players:
        raise refuse(f"seat {target} does not exist; seats are 0 to {state.players - 1}")
    if target == state.current:
        raise refuse("it is a hint to oneself")
    if kind == _LIVE_COLOUR:
        if not _is_number(value) or not 0 <= value < len(SUITS):
            raise refuse(f"a colour hint has a value from 0 to {len(SUITS) - 1}")
        return state.hint_colour(target, _COLOUR_OF_SUIT[value])
    if not _is_number(value) or not 1 <= value <= MAX_RANKS:
        raise refuse(f"a rank hint has a value from 1 to {MAX_RANKS}")
    return state.hint_rank(target, int(value) - 1)


# -- writing --


def to_live(names: Sequence[str], rules: Rules, deck: Sequence[int], moves: Sequence[int]) -> dict[str, Any]:
    """A game as hanab.live's JSON."""
    state = begin(rules, len(names), deck)
    options = _options_of(rules, len(names))
    actions = []
    for turn, move in enumerate(moves, 1):
        why = why_illegal(state, move)
        if why:
            raise BadValue(f"turn {turn}: move {move} is not legal: {why}.")
        actions.append(_live_action(state, move))
        engine.apply(state, move)
    cards = [{"suitIndex": _SUIT_OF_COLOUR[COLOUR_OF[card]], "rank": RANK_OF[card] + 1} for card in deck]
    return {"players": list(names), "deck": cards, "actions": actions, "options": options}


def _options_of(rules: Rules, players: int) -> dict[str, Any]:
    """hanab.live's options for some rules, if it has such a game."""
    standard = PRESETS["standard"]
    change = rules.cards_in_hand(players) - standard.cards_in_hand(players)
    same = all(getattr(rules, name) == getattr(standard, name) for name in ("tokens", "lives", "discard_when_full", "colours", "ranks"))
    if not same or abs(change) > 1:
        raise BadValue(
            f"rules {rules.to_text()} cannot be written for hanab.live, which has the standard ones, and hands of one card more or less."
        )
    options: dict[str, Any] = {"variant": "No Variant"}
    if change:
        options["oneExtraCard" if change > 0 else "oneLessCard"] = True
    return options


def _live_action(state: State, move: int) -> dict[str, int]:
    kind = state.move_kind(move)
    if kind in (DISCARD, PLAY):
        return {"type": _LIVE_KINDS[kind], "target": state.places[state.current * MAX_HAND + move % state.hand_size]}
    size = state.colours if kind == HINT_COLOUR else state.ranks
    code = move - 2 * state.hand_size - (0 if kind == HINT_COLOUR else (state.players - 1) * state.colours)
    value = _SUIT_OF_COLOUR[code % size] if kind == HINT_COLOUR else code % size + 1
    return {"type": _LIVE_KINDS[kind], "target": state.seat_after(code // size + 1), "value": value}


class LiveRecords:
    """Records of hanab.live, and replays, as the rest of the program reads and writes them."""

    form, program = "live", "hanab.live"

    def read(self, value: Any, where: str) -> WrittenGame:
        """The record that a JSON value describes."""
        return read_record(value, where)

    def opening(self, written: WrittenGame) -> State:
        """The state in which a record begins."""
        return begin(written.rules, len(written.players), written.deck)

    def replay(self, written: WrittenGame) -> Replay:
        """A record played through, each move checked."""
        return replay(written)

    def write(self, names: Sequence[str], rules: Rules, opening: State, moves: Sequence[int]) -> dict[str, Any]:
        """A game as hanab.live's JSON."""
        return to_live(names, rules, opening.deck_order[: opening.deck_total], moves)


FOREIGN = LiveRecords()
