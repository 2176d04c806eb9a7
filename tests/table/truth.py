"""A deal at a table with all cards open: which cards each client may know at each moment, and what is sent to it that it may not know."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from kibitz import registry
from kibitz.core.layouts import copy_record
from kibitz.core.seeds import deal_key, game_key, outside_seed
from kibitz.games.hanabi.cards import CARD_TYPES as HANABI_TYPES
from kibitz.games.hanabi.cards import COLOUR_LETTERS, COLOURS, HINT_COLOUR, HINT_RANK, MAX_HAND
from kibitz.games.hanabi.names import card_name as hanabi_card_name
from kibitz.games.uno.cards import CARD_TYPES, MAX_PLAYERS, PASS
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import CHALLENGED
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.report.uno.transcript import long_name
from kibitz.table.live import LiveGame
from kibitz.table.sessions import digest_of

Message = dict[str, Any]
Cards = set[str]


@dataclass(frozen=True)
class Frame:
    """What a client was sent, at once or in answer to `said`: the seat it had, and where the table stood by what it was sent before."""

    who: str
    seat: int | None
    text: str
    deal: int
    position: int
    is_over: bool = False
    is_finished: bool = False
    said: str = ""

    @property
    def message(self) -> Any:
        return json.loads(self.text)


# -- the truth --


@dataclass(frozen=True)
class Moment:
    """A position with all cards open, and the action that led to it."""

    hands: list[list[str]]
    before: list[list[str]]  # the hands until then
    phase: str
    top: str = ""
    discard: tuple[str, ...] = ()
    known: tuple[tuple[tuple[str, ...], ...], ...] = ()  # by who knows and of whom
    seen: tuple[frozenset[str], ...] = ()  # all that was ever in sight of a seat
    tops: frozenset[str] = frozenset()  # all that was ever on the table
    marks: tuple[tuple[tuple[str, str], ...], ...] = ()  # of Hanabi: what hints say of each card
    seat: int | None = None
    action: str = ""
    card: str | None = None  # that came to the table
    drawn: str | None = None  # of Hanabi: instead of it
    challenged: tuple[int, int] | None = None  # who challenged whom


@dataclass
class Truth:
    """Everything of a table that nobody is told, and all that was sent."""

    live: LiveGame
    tokens: list[str]
    table: str
    notes: dict[str, list[str]]
    deals: list[list[Moment]] = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game, self.secret, self.seed = self.live.setup.game, self.live.setup.secret, self.live.setup.seed_of(0)
        wire = registry.game(self.game).wire
        self.rules = wire.rules_message(self.live.rules)
        self.add_numbers(self.live)

    def add_numbers(self, live: LiveGame) -> None:
        """The seed of the open deal, all that is made of it, and every random stream."""
        seed = live.setup.seed_of(live.deal)
        found = [seed, game_key(seed, 0), deal_key(game_key(seed, 0), live.deal)]
        for place, (state, _) in enumerate(states_of(live)):
            found += [state.deal_stream, state.random_stream, *state.seat_streams[: live.players]]
            found += [outside_seed(seed, place, live.deal, seat) for seat in range(live.players)]
        self.numbers |= {str(number) for number in found if number >= 10**8}


def states_of(live: LiveGame) -> Iterator[tuple[Any, int | None]]:
    """Every state of the open deal with the action that follows."""
    state = live.opening()
    for number in live.numbers():
        yield state, number
        state.event_count = 0
        live.definition.verbs["apply"](state, number)
    yield state, None


def moments_of(live: LiveGame) -> list[Moment]:
    """The open deal by positions."""
    told: list[Moment] = []
    action, seat, before = "", None, None
    is_hidden = False
    tops: set[str] = set()
    seen: list[set[str]] = [set() for _ in range(live.players)]
    marks: dict[int, tuple[str, str]] = {}
    for state, number in states_of(live):
        moment = (uno_moment if live.setup.game == "uno" else hanabi_moment)(live, state, before, seen, tops, marks)
        moment = replace(moment, seat=seat, action=action)
        if is_hidden:  # nobody noticed
            assert moment.hands == told[-1].hands
            told[-1] = replace(told[-1], phase=moment.phase)
        else:
            told.append(moment)
        if number is not None:
            action, seat, before = live.definition.action_name(state, number), int(state.current), copy_record(state)
            is_hidden = moment.phase == "jump_in" and number == PASS
    return told


def uno_moment(live: LiveGame, state: Any, before: Any, seen: list[set[str]], tops: set[str], marks: dict[int, tuple[str, str]]) -> Moment:
    players = range(live.players)
    hands = uno_hands(state)
    events = [] if before is None else [live.definition.verbs["event_at"](state, place) for place in range(state.event_count)]
    challenged = next(((int(event.seat), int(event.other)) for event in events if event.kind == CHALLENGED), None)
    old = hands if before is None else uno_hands(before)
    tops.add(card_name(state.top))
    for seat in players:
        seen[seat] |= {*hands[seat], *old[seat]}
    if challenged:
        seen[challenged[0]] |= set(old[challenged[1]])
    known = [[seat * MAX_PLAYERS + other for other in players] for seat in players]
    return Moment(
        hands,
        old,
        PHASE_NAMES[state.phase],
        card_name(state.top),
        tuple(card_name(card) for card in state.discard[: state.discard_size]),
        tuple(
            tuple(tuple(map(card_name, cards_from((state.knowledge0[at], state.knowledge1[at], state.knowledge2[at])))) for at in row)
            for row in known
        ),
        tuple(map(frozenset, seen)),
        frozenset(tops),
        card=next((card_name(event.card) for event in events if event.card < CARD_TYPES), None),
        challenged=challenged,
    )


def uno_hands(state: Any) -> list[list[str]]:
    return [
        [card_name(card) for card in cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))]
        for seat in range(state.players)
    ]


def hanabi_moment(
    live: LiveGame, state: Any, before: Any, seen: list[set[str]], tops: set[str], marks: dict[int, tuple[str, str]]
) -> Moment:
    players = range(live.players)
    all_colours, all_ranks = COLOUR_LETTERS[: state.colours], "12345"[: state.ranks]
    events = [] if before is None else [live.definition.verbs["event_at"](state, place) for place in range(state.event_count)]
    card, drawn = None, None
    for event in events:
        if event.kind in (HINT_COLOUR, HINT_RANK):
            for slot in range(before.sizes[event.target]):
                place, touched = before.places[event.target * MAX_HAND + slot], event.touched >> slot & 1
                colours, ranks = marks.get(place, (all_colours, all_ranks))
                kept = (COLOUR_LETTERS if event.kind == HINT_COLOUR else "12345")[event.value]
                if event.kind == HINT_COLOUR:
                    colours = "".join(letter for letter in colours if (letter == kept) == bool(touched))
                else:
                    ranks = "".join(rank for rank in ranks if (rank == kept) == bool(touched))
                marks[place] = colours, ranks
        else:
            card = hanabi_card_name(event.card)
            if state.drawn > before.drawn:
                drawn = hanabi_card_name(state.deck_order[before.drawn])
    hands = [
        [hanabi_card_name(state.deck_order[state.places[seat * MAX_HAND + slot]]) for slot in range(state.sizes[seat])] for seat in players
    ]
    told = [
        tuple(marks.get(state.places[seat * MAX_HAND + slot], (all_colours, all_ranks)) for slot in range(state.sizes[seat]))
        for seat in players
    ]
    discard = tuple(hanabi_card_name(one) for one, count in enumerate(state.discards) for _ in range(count))
    return Moment(hands, [], "turn", discard=discard, marks=tuple(told), card=card, drawn=drawn)


# -- what may stand where --


UNO_NAMES = {card_name(card) for card in range(CARD_TYPES)}
HANABI_NAMES = {hanabi_card_name(card) for card in range(HANABI_TYPES)}
UNO_WORDS = {long_name(card): card_name(card) for card in range(CARD_TYPES)}
HANABI_WORDS = {f"{COLOURS[COLOUR_LETTERS.index(name[0])]} {name[1]}": name for name in HANABI_NAMES}


def finder(names: set[str], words: dict[str, str]) -> re.Pattern[str]:
    """Finds cards in a sentence, by name or in words, in any writing; `wild` alone is an ordinary word there."""
    spelled = sorted([*(names - {"wild"}), *words], key=len, reverse=True)
    return re.compile(rf"(?<![\w+])({'|'.join(map(re.escape, spelled))})(?![\w+])", re.IGNORECASE)


FINDERS = {"uno": finder(UNO_NAMES, UNO_WORDS), "hanabi": finder(HANABI_NAMES, HANABI_WORDS)}
CALLED = {
    "uno": {name.lower(): name for name in UNO_NAMES} | {words.lower(): name for words, name in UNO_WORDS.items()},
    "hanabi": {name.lower(): name for name in HANABI_NAMES} | {words.lower(): name for words, name in HANABI_WORDS.items()},
}


@lru_cache(100_000)  # most texts come again and again
def cards_in(game: str, text: str) -> frozenset[str]:
    """The cards that a text names."""
    alone = CALLED[game].get(text.partition(":")[0].lower())
    return frozenset({CALLED[game][found.lower()] for found in FINDERS[game].findall(text)} | ({alone} if alone else set()))


def texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a message with where it stands, keys as well."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.KEY" if path else "KEY", key
            yield from texts_in(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, f"{path}[]")
    elif isinstance(value, str):
        yield path, value


def may_stand(truth: Truth, frame: Frame, moment: Moment, path: str) -> Cards:
    """The cards that a client may find at a place of a frame."""
    asked = set(cards_in(truth.game, frame.said.replace('"', " "))) if path == "reason" else set()  # what it named itself
    if truth.game == "hanabi":
        sees_draw = frame.seat is not None and frame.seat != moment.seat and moment.drawn
        now = {moment.card} if moment.card else set()
        places: dict[str, Cards] = {
            "view.hands[][].card": {card for seat, hand in enumerate(moment.hands) if frame.seat not in (None, seat) for card in hand},
            "view.discards[]": set(moment.discard),
            "view.last.card": now,
            "events[].card": now,
            "words[]": now | ({moment.drawn} if sees_draw and moment.drawn else set()),
            "reason": asked,
        }
        return places.get(path, set())
    mine = set() if frame.seat is None else set(moment.hands[frame.seat])
    had = mine if frame.seat is None else mine | set(moment.before[frame.seat])
    shown = set(moment.before[moment.challenged[1]]) if moment.challenged and moment.challenged[0] == frame.seat else set()
    played = {moment.card} if moment.card else set()
    answers = mine | {moment.top} if moment.phase in ("colour", "jump_in") else mine  # a wild turned up; what is held of the same
    places = {
        "view.hand[]": mine,
        "view.playable[]": answers,
        "view.drawn": mine,
        "view.top": {moment.top},
        "view.discard[]": set(moment.discard),
        "view.known[][]": {card for hand in moment.known[frame.seat] for card in hand} if frame.seat is not None else set(),
        "legal[]": answers,
        "decision.question": mine | {moment.top} | ({"wild"} if moment.phase == "colour" else set()),  # any wild is called one there
        "action.name": played | {moment.top},  # the colour of a wild turned up is named with it
        "events[].card": played,
        "events[].top": set(moment.tops),
        "words[]": played | had | shown,
        "reason": mine | {moment.top} | asked,
    }
    if path.startswith("decision.why_not."):
        return mine if path.endswith(".KEY") else mine | {moment.top}
    if re.fullmatch(r"rows\[\]\.(action|text)|bots\[\]\.(action|text|why|note)", path):
        return answers
    return places.get(path, set())


def check(frame: Frame, truth: Truth) -> None:
    """Nothing is in a frame that its client may not know."""
    if not frame.is_finished:
        check_secrets(frame, truth)
    if frame.is_over:  # all cards are open
        return
    message = frame.message
    place = message["position"] if message.get("type") == "advice" else frame.position
    moment = truth.deals[frame.deal][place]
    assert message.get("over") is None
    assert "hands" not in message and "open" not in message
    if "rules" in message:  # in a list of tables as text
        assert message.pop("rules") in (truth.rules, truth.rules["text"])
    for table in message.get("tables", []):
        table.pop("rules"), table.pop("table"), table.pop("following")
    message.pop("table", None)
    if "notes" in message:
        assert set(message.pop("notes").values()) <= set(truth.notes.get(frame.who, []))
    lines = message.pop("log", None)
    assert lines is None or message["type"] == "position"
    allowed: dict[str, Cards] = {}
    for path, text in texts_in(message):
        named = cards_in(truth.game, text.partition("; actions are written ")[0])  # what follows are examples, always the same
        if named:
            if path not in allowed:
                allowed[path] = may_stand(truth, frame, moment, path)
            assert named <= allowed[path], f"{path}: {text}"
    if "view" in message:
        (check_uno_view if truth.game == "uno" else check_hanabi_view)(frame.seat, message["view"], moment)
    if message.get("action"):
        taken = message["action"]["seat"], message["action"]["name"]
        assert taken in ((moment.seat, moment.action), (frame.seat, "pass"))  # its own chance to jump in is nobody else's business


def check_secrets(frame: Frame, truth: Truth) -> None:
    """Neither the secret nor a seed nor a random stream, nor anybody's token or what is kept of it, nor the notes of others."""
    text = frame.text
    assert truth.secret not in text and str(truth.seed) not in text and f"{truth.seed:x}" not in text
    assert not truth.numbers.intersection(re.findall(r"\d{9,}", text))
    assert not re.search(r'"seed": *[^n]|stream', text)  # null is no seed
    assert not [token for token in truth.tokens if token in text or digest_of(token) in text]
    assert not [note for who, notes in truth.notes.items() if who != frame.who for note in notes if note in text]


def check_uno_view(seat: int | None, view: Message, moment: Moment) -> None:
    """Card by card, copies counted."""
    assert Counter(view["hand"]) == Counter([] if seat is None else moment.hands[seat])
    assert view["top"] == moment.top and tuple(view["discard"]) == moment.discard
    assert view["drawn"] is None or seat == view["current"]
    assert view["playable"] == [] or seat is not None
    assert view["hand_sizes"] == [len(hand) for hand in moment.hands]
    for other, known in enumerate(view["known"]):
        assert tuple(known) == (() if seat is None else moment.known[seat][other])
        assert seat is None or (other == seat and not known) or not Counter(known) - Counter(moment.hands[other])
        assert seat is None or set(known) <= moment.seen[seat]  # it was once its own, or shown to it


def check_hanabi_view(seat: int | None, view: Message, moment: Moment) -> None:
    """Card by card, with its marks, which hints alone have made."""
    for other, hand in enumerate(view["hands"]):
        hides = seat is None or seat == other
        assert [card["card"] for card in hand] == ([None] * len(hand) if hides else moment.hands[other])
        assert [(card["colours"], card["ranks"]) for card in hand] == list(moment.marks[other])
    assert Counter(view["discards"]) == Counter(moment.discard)


def check_logs(truth: Truth) -> None:
    """What a position says of the past was said to the same client before; what is new at the opening names the card turned up at most."""
    said: dict[tuple[str, int | None], list[str]] = {}
    for frame in truth.frames:
        message = frame.message
        past = said.setdefault((frame.who, frame.seat), [])
        past += message.get("words", [])
        if message.get("type") != "position":
            continue
        if frame.position == 0:
            new = [line for line in message["log"] if line not in past]
            top = {truth.deals[frame.deal][0].top}
            assert all(cards_in(truth.game, line) <= top for line in new), new
            past[:] = [*(past if frame.deal else []), *message["log"]]
        if frame.deal:  # a table from the store has forgotten what was said of deals before
            assert set(message["log"]) <= set(past)
        else:
            assert message["log"] == past[-60:]
