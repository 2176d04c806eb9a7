"""A small game from little: records to build on, and `define_game`, which makes a whole definition of four kernels.

It fits games in which one player after another takes one of at most 64 named actions and a deal has one winner or none. A game that
needs more, such as windows, contests or luck, writes a `GameDefinition` itself. See docs/add-a-game.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Annotated, Any

from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.jit import ONE, Word, adapter, as_base, attach_methods, element_of, popcount, select, specialise_modules, word
from kibitz.core.layouts import Byte, Int, Word64, blank, fields_of
from kibitz.core.reading import whole_number
from kibitz.core.seeds import below, check_seed, game_key, start_streams
from kibitz.games import basic_kernels
from kibitz.games.basic_kernels import MAX_SEATS, STATUS_NAMES, TALLY_ENTRIES, TALLY_SIZE
from kibitz.games.contract import GameDefinition, Wire, verbs_in
from kibitz.games.encoding import Encoding, Section, fill_choice, fill_digits
from kibitz.games.face import Face
from kibitz.games.message_fields import Message, reads, whole
from kibitz.games.switches import check_players
from kibitz.stats.summary import Row

_ZERO = Word(0)


class BasicView:
    """What every view has; a game adds what its players see."""

    random_stream: Word64
    legal: Word64  # the viewer's legal actions, a bit for each
    turn: Int  # from 1
    players: Byte
    seat: Byte  # whose view it is
    current: Byte  # who is to act
    status: Byte

    def is_legal(self, action: int) -> bool:
        """Whether the viewer may take this action now."""
        return 0 <= action < 64 and (self.legal >> word(action)) & ONE != _ZERO

    def randbelow(self, bound: int) -> int:
        """A uniform random number in [0, bound) from the bot's own stream."""
        position, value = below(self.random_stream, bound)
        self.random_stream = position
        return value

    def pick_legal(self) -> int:
        """A random legal action."""
        count = popcount(self.legal)
        return select(self.legal, self.randbelow(count) if count > 1 else 0)


class BasicEvent:
    """Somebody took an action."""

    seat: Byte
    action: Byte


class BasicHidden:
    """What every state has besides the view: `class State(BasicHidden, View)` puts the view first, as it must be."""

    seat_streams: Annotated[list[int], "u8", MAX_SEATS]
    deal_stream: Word64
    points: Int  # what the winner gets
    events: Annotated[list[int], "u1", 2 * basic_kernels.EVENT_SIZE]
    ordered: Annotated[list[int], "u1", MAX_SEATS]
    any_ordered: Byte
    observed: Byte
    event_count: Byte
    winner: Byte


_UNSHOWN = ("random_stream", "legal")  # fields of a view that are in no message
_UNWRITTEN = (*_UNSHOWN, "seat_streams", "deal_stream", "events", "event_count", "observed", "ordered", "any_ordered", "players")


@dataclass(frozen=True)
class BasicRules:
    """The only rules of a game."""

    title: str
    most: int
    name: str = "standard"

    def to_text(self) -> str:
        """The rules by name."""
        return self.name

    def check_players(self, players: int) -> None:
        """Refuse a number of players that cannot sit down."""
        check_players(players, self.title, self.most)


class BasicRuleBook:
    """A book with one set of rules and no switches."""

    def __init__(self, rules: BasicRules, summary: str) -> None:
        self.PRESETS, self.SUMMARIES = {rules.name: rules}, {rules.name: summary}
        self.SWITCHES: dict[str, Any] = {}

    def switch_text(self, switch: str, value: Any) -> str:
        """There are no switches."""
        return str(value)

    def parse_rules(self, text: str) -> BasicRules:
        """The rules by name."""
        if text not in self.PRESETS:
            raise UnknownName("rules", text, self.PRESETS)
        return self.PRESETS[text]


def define_game(
    *,
    name: str,
    title: str,
    about: str,
    view: type,
    state: type,
    kernels: ModuleType,
    actions: Sequence[str],
    private: Sequence[str],
    bots: Mapping[str, Any],
    words: Mapping[str, Sequence[str]] | None = None,
    max_players: int = 2,
    losers_pay: bool = False,
    hands: Callable[[Any], list[list[int]]] = lambda state: [[] for _ in range(state.players)],
    spoils: Callable[[Any, int], int] = lambda state, seat: 1,
    face: Face | None = None,
    results_version: int = 1,
) -> GameDefinition:
    """The definition of a small game.

    `about` says in a sentence what is played. `kernels` is a module with the four kernels that `kibitz.games.basic_kernels` lists;
    `actions` are the names of the actions by number. `private` names the fields of the view that only the viewer may see: they are
    hidden from people who look on. `words` names the values of some fields, as in `{"card": ("J", "Q", "K")}`, for messages and screens.
    """
    attach_methods(view)
    rules = BasicRules(title, max_players)
    names = tuple(actions)

    def verbs(**bindings: Any) -> dict[str, Callable[..., Any]]:
        bound = specialise_modules(basic_kernels, kernels, LOSERS_PAY=losers_pay, **bindings)
        return verbs_in({**bound, "as_view": as_base(view), "event_at": element_of(state, "events", BasicEvent)})

    shown = _Shown(view, names, words or {})
    own_face = face or Face()
    if own_face.hide_hands is None:
        own_face = replace(own_face, hide_hands=lambda message, players: {**dict.fromkeys(private), "legal": []})
    definition: GameDefinition
    definition = GameDefinition(
        name=name,
        title=title,
        default_rules=rules.name,
        cooperative=False,
        has_contests=False,
        state=state,
        view=view,
        event=BasicEvent,
        verbs=verbs(),
        tally_size=TALLY_SIZE,
        make_row=_make_row,
        max_players=max_players,
        under=lambda rules: definition,
        with_luck=lambda rules: _refuse_luck(title),
        new_state=lambda rules, players: _new_state(state, rules, players),
        legal_actions=legal_actions,
        rule_book=BasicRuleBook(rules, about),
        action_name=lambda state, action: names[action],
        action_from_name=lambda state, text: _action_from_name(names, text),
        to_text=_to_text,
        from_text=lambda text, seed: _from_text(definition, text, seed),
        outcome=_outcome,
        hands=hands,
        fallback=lambda state: legal_actions(state)[0],
        spoils=spoils,
        wire=Wire(shown.rules_message, shown.view_message, shown.event_message, shown.view_from, shown.event_from),
        results_version=results_version,
        bots=bots,
        face=own_face,
        losers_pay=losers_pay,
        encoding=lambda seen: _encoding(view, words or {}, len(names), int(seen.players)),
        rebound=verbs,
    )
    return definition


def _encoding(view: type, words: Mapping[str, Sequence[str]], actions: int, players: int) -> Encoding:
    """The fields of a view one after the other: named values as a choice, other numbers by their binary digits."""
    kind: Any = view
    sections, steps = [Section("seat", players, "your seat")], [f"start = fill_choice(vector, 0, view.seat, {players})"]
    for field in fields_of(kind):
        if field.name not in (*_UNSHOWN, "players", "seat", "current", "status"):
            named = words.get(field.name)
            width = len(named) if named else 8 * int(field.code[1:])
            places = [f"[{place}]" for place in range(field.length)] if field.length else [""]
            how = "fill_choice" if named else "fill_digits"
            steps += [f"start = {how}(vector, start, view.{field.name}{place}, {width})" for place in places]
            meaning = f"{field.name}: {', '.join(named)}" if named else f"{field.name} in binary digits, the lowest first"
            sections.append(Section(field.name, width * len(places), meaning))
    body = "; ".join([*steps, "return start"])
    fill = adapter(("view", "vector"), body, {"fill_choice": fill_choice, "fill_digits": fill_digits, "__name__": __name__}, "fill_fields")
    return Encoding(1, tuple(sections), actions, fill)


def legal_actions(state: Any) -> list[int]:
    """Every legal action of the player that a state or view is shown to, in the order of the numbers."""
    return [action for action in range(64) if state.legal >> action & 1]


def _new_state(state: type, rules: BasicRules, players: int) -> Any:
    rules.check_players(players)
    made: Any = blank(state)
    made.players = players
    return made


def _refuse_luck(title: str) -> GameDefinition:
    raise BadValue(f"luck is not measured in {title}.")


def _make_row(tally: list[int], entry: int, name: str) -> Row:
    place = TALLY_ENTRIES + 3 * entry
    return Row(
        bot=name,
        games=tally[basic_kernels.TALLY_GAMES],
        wins=tally[place],
        points_total=tally[place + 1],
        points_squares=tally[place + 2],
        unfinished=tally[basic_kernels.TALLY_UNFINISHED],
        turns_total=tally[basic_kernels.TALLY_TURNS],
        turns_squares=tally[basic_kernels.TALLY_TURNS_SQUARED],
    )


def _outcome(state: Any) -> dict[str, Any]:
    winner = int(state.winner) if state.status == basic_kernels.WON else None
    return {"status": STATUS_NAMES[state.status], "winner": winner, "points": int(state.points), "turns": int(state.turn)}


def _action_from_name(names: tuple[str, ...], text: str) -> int:
    if text not in names:
        raise UnknownName("action", text, names)
    return names.index(text)


# -- positions as text --


def _to_text(state: Any, rules: BasicRules) -> str:
    """A position as one line: the rules, the players, and every field that is not 0."""
    kind: Any = type(state)
    parts = [rules.to_text(), f"players={state.players}"]
    for field in fields_of(kind):
        value = getattr(state, field.name)
        if field.name not in _UNWRITTEN and (any(value) if field.length else value):
            parts.append(f"{field.name}={'.'.join(map(str, value)) if field.length else value}")
    return ";".join(parts)


def _from_text(game: GameDefinition, text: str, seed: int) -> tuple[Any, Any]:
    """The position that a line describes, and its rules; streams come from the seed."""
    named, *parts = text.strip().split(";")
    values = dict(part.partition("=")[::2] for part in parts)
    rules = game.parse_rules(named)
    state = game.new_state(rules, whole_number(values.pop("players", ""), "players", 2, game.max_players))
    kind: Any = game.state
    known = {field.name: field for field in fields_of(kind) if field.name not in _UNWRITTEN}
    for key, value in values.items():
        if key not in known:
            raise UnknownName("field of a position", key, known)
        numbers = [_signed(key, number) for number in value.split(".")]
        if len(numbers) != (known[key].length or 1):
            raise BadValue(f"{key}={value:.60} is not accepted; it has {known[key].length or 1} numbers.")
        setattr(state, key, numbers if known[key].length else numbers[0])
    if not 0 <= state.current < state.players or not 0 <= state.status < len(STATUS_NAMES):
        raise BadValue(f"position '{text[:60]}' is not accepted: nobody can be to act there.")
    start_streams(state, game_key(check_seed(seed), 0))
    game.verbs["show_actor"](state)
    return state, rules


def _signed(key: str, text: str) -> int:
    return -whole_number(text[1:], key) if text.startswith("-") else whole_number(text, key)


# -- messages of the protocol --


class _Shown:
    """Views and events as messages, and back: the fields by name, with actions and the status in words."""

    def __init__(self, view: type, actions: tuple[str, ...], words: Mapping[str, Sequence[str]]) -> None:
        self.view, self.actions, self.words = view, actions, words
        kind: Any = view
        self.fields = [field for field in fields_of(kind) if field.name not in _UNSHOWN]

    def rules_message(self, rules: BasicRules) -> dict[str, Any]:
        """The rules by name."""
        return {"text": rules.to_text()}

    def view_message(self, view: Any) -> dict[str, Any]:
        """All that a seat may see."""
        shown: dict[str, Any] = {
            field.name: list(getattr(view, field.name)) if field.length else getattr(view, field.name) for field in self.fields
        }
        shown |= {name: values[shown[name]] for name, values in self.words.items()}
        return {**shown, "status": STATUS_NAMES[view.status], "legal": [self.actions[action] for action in legal_actions(view)]}

    def event_message(self, view: Any, event: Any) -> dict[str, Any]:
        """An action that somebody took."""
        return {"kind": "action", "seat": event.seat, "action": self.actions[event.action]}

    @reads("view")
    def view_from(self, message: Message, game: Message) -> Any:
        """The view that a message describes, but for its random stream, which is 0."""
        view: Any = blank(self.view)
        for field in self.fields:
            if field.name != "status":
                value = message[field.name]
                if field.name in self.words:
                    value = self.words[field.name].index(value)
                numbers = value if field.length else [value]
                if len(numbers) != (field.length or 1) or not all(type(each) is int for each in numbers):
                    raise BadValue(f"{field.name}={value!r:.80} is not accepted; it is {field.length or 1} whole numbers.")
                setattr(view, field.name, list(numbers) if field.length else value)
        view.status = STATUS_NAMES.index(message["status"])
        view.legal = sum(1 << self.actions.index(name) for name in message["legal"])
        return view

    @reads("event")
    def event_from(self, message: Message) -> Any:
        """The event that a message describes."""
        event = blank(BasicEvent)
        event.seat = whole(message, "seat", 0, MAX_SEATS - 1)
        event.action = self.actions.index(message["action"])
        return event
