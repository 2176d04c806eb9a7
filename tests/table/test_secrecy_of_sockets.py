"""No hidden card goes over the wire: everything that each client is sent over many games of both kinds, read sign by sign.

Two or three people, bots and somebody who looks on play through the real app. Every frame of every socket, advice and refusals included, and
every answer over HTTP is kept as raw text with the client's seat and the position at which it came. Then the deal is played through once more
with all cards open, and of every frame each name of a card must stand where cards may stand, and be one that the client may know there.
What advice says is worked out again from nothing but what the client was sent.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from kibitz import registry
from kibitz.games.hanabi.cards import CARD_TYPES as HANABI_TYPES
from kibitz.games.hanabi.cards import COLOUR_LETTERS, COLOURS, HINT_COLOUR, HINT_RANK, MAX_HAND
from kibitz.games.hanabi.names import card_name as hanabi_card_name
from kibitz.games.uno.cards import CARD_TYPES, MAX_PLAYERS, PASS
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import CHALLENGED
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.records import copy_record
from kibitz.report.transcript import long_name
from kibitz.seeds import deal_key, game_key, outside_seed
from kibitz.table import advice
from kibitz.table.live import LiveGame
from kibitz.table.sessions import digest_of
from kibitz.table.table import Table
from tests.table.clients import Person, Seat, TestClient, connected, opened

Message = dict[str, Any]
Cards = set[str]

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,drawn_card=any_card"
JUMPS = "numbers,hand_size=10,must_play=off,drawn_card=may_play,jump_in=on,seven_zero=on,uno_call=on"
WINDOWS = {"official": {"challenge", "uno_call"}, "house": {"stack", "swap", "uno_call", "catch", "jump_in"}, "jumps": {"swap", "jump_in"}}
MOST_DECISIONS = 50  # of people in a deal; a longer one is left as it stands
WAIT = 120.0  # seconds; nothing takes that long

# -- who plays --


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


@dataclass
class Client(Seat):
    """A browser that keeps every frame as it comes, over all its sockets at a table."""

    who: str = ""
    person: Person | None = None
    chair: int | None = None
    frames: list[Frame] = field(default_factory=list)
    story: list[tuple[Message, list[Message]]] = field(default_factory=list)  # of the deal: views, and what had happened
    said: str = ""

    def hear(self) -> Message:
        text = self.socket.receive_text()
        message: Message = json.loads(text)
        if message["type"] in ("position", "update"):
            self.position = {**self.position, **message}
            if message["type"] == "position" and message["position"] == 0:
                self.story = []
            self.story.append((message["view"], message.get("events", [])))
        self.keep(text)
        return message

    def keep(self, text: str) -> None:
        now, over = self.position, self.position.get("over")
        place = now.get("deal", 0), now.get("position", 0)
        self.frames.append(Frame(self.who, self.chair, text, *place, over is not None, over is not None and over["finished"], self.said))

    def say_exactly(self, message: Any, reply: int | None = None) -> Message:
        self.said = message if isinstance(message, str) else json.dumps(message)
        return super().say_exactly(message, reply)

    def drain(self) -> None:
        """Read all that was sent until now."""
        assert self.say("ping")["type"] == "pong"


class Room:
    """A table with its people, driven by the test: everybody reads all before anybody moves."""

    def __init__(self, client: TestClient, people: list[Person], rng: random.Random, seats: list[str | None], **more: Any) -> None:
        self.client, self.rng = client, rng
        self.people = people[: seats.count(None)]
        self.services: Any = client.app.state.services  # type: ignore[attr-defined]  # our own app
        self.stack = ExitStack()
        self.doors: dict[str, ExitStack] = {}
        self.notes: dict[str, list[str]] = {}
        chairs = [seat for seat, bot in enumerate(seats) if bot is None]
        self.id = people[0].open(*seats, seat=chairs[0], **more)
        nothing: Any = None  # the sockets come below
        self.clients = [Client(nothing, who=person.name, person=person) for person in self.people]
        self.clients.append(Client(nothing, who="onlooker"))
        self.clients[0].chair = chairs[0]
        self.truth = Truth(self.live, [person.token for person in people], self.id, self.notes)
        for one in self.clients:
            self.enter(one)
        for one, chair in zip(self.clients[1:-1], chairs[1:], strict=True):  # who came to look on sits down
            one.drain()
            answer = self.client.post(f"/api/tables/{self.id}/seat", json={"seat": chair}, headers=self.headers(one))
            assert answer.status_code == 200, answer.text
            one.chair = chair
            one.keep(answer.text)
            assert one.wait_for("welcome")["seat"] == chair

    @property
    def table(self) -> Table:
        found: Table = self.services.tables.tables[self.id]
        return found

    @property
    def live(self) -> LiveGame:
        return self.table.live

    @staticmethod
    def headers(one: Client) -> dict[str, str]:
        return one.person.headers if one.person else {}

    def enter(self, one: Client) -> None:
        door = self.doors[one.who] = self.stack.enter_context(ExitStack())
        one.socket = door.enter_context(connected(self.client, f"/api/tables/{self.id}/live"))
        one.number, one.said = 0, ""
        one.socket.send_text(json.dumps({"type": "hello", "token": one.person.token if one.person else None}))
        assert one.wait_for("welcome")["seat"] == one.chair
        one.wait_for("position")

    def leave(self, one: Client) -> None:
        one.drain()
        self.doors[one.who].close()

    def settle(self) -> None:
        """Until a person must decide; then everybody reads."""
        wait_until(lambda: self.live.is_over or self.live.waits_for_person)
        for one in self.clients:
            one.drain()

    # -- what people do --

    def play_deal(self) -> None:
        """Play until the end of the deal, or long enough."""
        for decision in range(MOST_DECISIONS):
            self.settle()
            if self.live.is_over:
                break
            for chance, errand in ((0.12, self.look), (0.25, self.err), (0.15, self.ask), (0.1, self.write), (0.05, self.come_back)):
                if self.rng.random() < chance:
                    errand()
            if decision == 2:  # once at least
                self.leave(self.clients[1])
                self.enter(self.clients[1])
            mover = self.mover()
            hasty = [one for one in self.clients if one is not mover and one.position["legal"]]
            if hasty and self.rng.random() < 0.3:  # faster than who might jump in
                mover = self.rng.choice(hasty)
            legal = mover.position["legal"]
            careful = [action for action in legal if not action.startswith("play:")]  # in Hanabi, so that it lasts
            answer = mover.act(self.rng.choice(careful if careful and self.rng.random() < 0.85 else legal))
            assert answer["type"] == "done", answer
        self.settle()
        self.truth.deals.append(moments_of(self.live))
        self.truth.add_numbers(self.live)

    def mover(self) -> Client:
        return next(one for one in self.clients if one.chair == self.live.to_act and one.position["legal"])

    def look(self) -> None:
        """Ask over HTTP for what there is."""
        film = f"/api/tables/{self.id}/film?deal={self.live.deal}"
        for one in self.clients:
            for path in (f"/api/tables/{self.id}", "/api/tables", film):
                answer = self.client.get(path, headers=self.headers(one))
                assert answer.status_code == (409 if path == film else 401 if path == "/api/tables" and not one.person else 200)
                one.keep(answer.text)
            for path in ("seat", "fill"):
                one.keep(self.client.post(f"/api/tables/{self.id}/{path}", json={}, headers=self.headers(one)).text)
        one = self.rng.choice(self.clients)
        with connected(self.client, "/api/kibitz") as socket:  # nor is there any talk about the deal while it is played
            socket.send_text(json.dumps({"type": "hello", "token": one.person.token if one.person else None}))
            asked = {"table": self.id, "deal": self.live.deal}
            socket.send_text(json.dumps({"type": "advise", "id": 1, "position": 0, "bots": [], **asked}))
            one.keep(socket.receive_text())
            one.keep(socket.receive_text())
            socket.send_text(json.dumps({"type": "analyse", "id": 2, **asked}))
            one.keep(socket.receive_text())
            assert [frame.message["type"] for frame in one.frames[-3:]] == ["welcome", "refused", "refused"], one.frames[-3:]

    def err(self) -> None:
        """Something that is refused."""
        mover, names = (
            self.mover(),
            sorted(UNO_NAMES if self.live.setup.game == "uno" else ["play:9", "discard:7", "hint:1:red", "hint:9:1"]),
        )
        others = [one for one in self.clients if not one.position["legal"]]
        other = self.rng.choice(others)
        stale = {"position": mover.position["position"] + 1}
        unplayable = [name for name in names if name not in mover.position["legal"]]
        answers: list[Callable[[], Message]] = [
            lambda: mover.act(self.rng.choice(unplayable)),
            lambda: mover.act(mover.position["legal"][0], **stale),
            lambda: mover.say("again"),
            lambda: mover.say("next"),
            lambda: mover.say("advise", bots=["nobody"]),
            lambda: mover.say_exactly("nonsense"),
            lambda: mover.say_exactly({"type": "act", "id": 0, "deal": 0, "position": 0, "action": "draw"}, 0),
            lambda: other.act(self.rng.choice(names)),
            lambda: other.say("advise", bots=["mix2"]),
            lambda: self.clients[-1].say("note", place=1, text="x"),
        ]
        answer = self.rng.choice(answers)()
        assert answer["type"] == "refused", answer

    def ask(self) -> None:
        """Advice for who is to act; what it says follows from what this client was sent."""
        mover, game = self.mover(), self.live.setup.game
        bots = ["mix2", "random"] if game == "uno" else ["piers", "iggi"]
        answer = mover.say("advise", bots=bots)
        assert answer["type"] == "advice", answer
        if self.rng.random() < 0.2:
            assert mover.say("stop")["type"] == "done"
            return
        found = [answer]
        while not found[-1]["final"]:
            found.append(mover.wait_for("advice"))
        heard = retold(mover, game, self.live)
        for ours, theirs in zip(advice.advise(game, heard, bots, position=mover.position["position"]), found, strict=True):
            assert {"type": "advice", "reply": mover.number, **ours} == theirs

    def write(self) -> None:
        """A note, for its writer alone."""
        one = self.rng.choice(self.clients[:-1])
        if self.live.setup.game == "hanabi":
            places = [card["place"] for card in one.position["view"]["hands"][one.chair]]
            text = f"secret{len(self.notes.setdefault(one.who, []))}of{one.who}"
            self.notes[one.who].append(text)
            assert one.say("note", place=self.rng.choice(places), text=text)["type"] == "done"

    def come_back(self) -> None:
        """Somebody goes and comes back, or all do, to a table that has left the memory meanwhile."""
        if self.rng.random() < 0.7:
            one = self.rng.choice(self.clients)
            self.leave(one)
            self.enter(one)
            return
        for one in self.clients:
            self.leave(one)
        wait_until(lambda: self.table.is_idle)
        self.services.tables.forget_idle()
        assert self.id not in self.services.tables.tables
        for one in self.clients:
            self.enter(one)
        self.settle()

    def close(self) -> None:
        for one in self.clients:
            one.drain()
        self.truth.frames = [frame for one in self.clients for frame in one.frames]


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.0005)


def retold(one: Client, game: str, live: LiveGame) -> list[tuple[Any, Any]]:
    """What a client heard, made of what it was sent and of nothing else."""
    wire = registry.game(game).wire
    opening = {"players": live.players, "rules": wire.rules_message(live.rules)}
    heard: list[tuple[Any, Any]] = []
    for shown, events in one.story:
        view = wire.view_from(shown, opening)
        heard += [(view, wire.event_from(event)) for event in events] or [(view, None)]
    return heard


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
        self.game, self.seed = self.live.setup.game, self.live.setup.seed
        wire = registry.game(self.game).wire
        self.rules = wire.rules_message(self.live.rules)
        self.add_numbers(self.live)

    def add_numbers(self, live: LiveGame) -> None:
        """The seed, all that is made of it, and every random stream of the open deal."""
        found = [self.seed, game_key(self.seed, 0), deal_key(game_key(self.seed, 0), live.deal)]
        for place, (state, _) in enumerate(states_of(live)):
            found += [state.deal_stream, state.random_stream, *state.seat_streams[: live.players]]
            found += [outside_seed(self.seed, place, live.deal, seat) for seat in range(live.players)]
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


def cards_in(game: str, text: str) -> Cards:
    """The cards that a text names."""
    alone = CALLED[game].get(text.partition(":")[0].lower())
    return {CALLED[game][found.lower()] for found in FINDERS[game].findall(text)} | ({alone} if alone else set())


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
    asked = cards_in(truth.game, frame.said.replace('"', " ")) if path == "reason" else set()  # what it named itself
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
        "decision.question": mine | {moment.top},
        "action.name": played,
        "events[].card": played,
        "events[].top": set(moment.tops),
        "words[]": played | had | shown,
        "reason": mine | {moment.top} | asked,
    }
    if path.startswith("decision.why_not."):
        return mine if path.endswith(".KEY") else mine | {moment.top}
    if re.fullmatch(r"rows\[\]\.(action|text)|bots\[\]\.(action|text|why)", path):
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
    for path, text in texts_in(message):
        assert cards_in(truth.game, text) <= may_stand(truth, frame, moment, path), f"{path}: {text}"
    if "view" in message:
        (check_uno_view if truth.game == "uno" else check_hanabi_view)(frame.seat, message["view"], moment)
    if message.get("action"):
        taken = message["action"]["seat"], message["action"]["name"]
        assert taken in ((moment.seat, moment.action), (frame.seat, "pass"))  # its own chance to jump in is nobody else's business


def check_secrets(frame: Frame, truth: Truth) -> None:
    """Neither the seed nor a random stream, nor anybody's token or what is kept of it, nor the notes of others."""
    text = frame.text
    assert str(truth.seed) not in text and f"{truth.seed:x}" not in text
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


# -- many games --

TABLES = {
    "classic": ("uno", "classic", [2, 3], None),
    "official": ("uno", "official", [2, 4], None),
    "modern": ("uno", "modern", [3], None),
    "house": ("uno", HOUSE, [2, 3, 5], None),
    "jumps": ("uno", JUMPS, [3, 5], None),
    "contest": ("uno", "official", [3], "300"),
    "two": ("hanabi", "standard", [2, 2, 2], None),
    "three": ("hanabi", "standard", [3, 3], None),
    "four": ("hanabi", "standard,discard_when_full=on", [4, 4], None),
}
BOTS = {"uno": ["mix2", "random"], "hanabi": ["piers", "iggi"]}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with opened() as running:
        yield running


@pytest.fixture(scope="module")
def people(client: TestClient) -> list[Person]:
    return [Person(client, name) for name in ("Ann", "Bob", "Cleo")]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little advice, and tables that leave the memory when asked to."""
    monkeypatch.setitem(advice.BUDGETS, "uno", advice.Budget(1, 4, 0.0))
    monkeypatch.setitem(advice.BUDGETS, "hanabi", advice.Budget(1, 4, 0.0))
    monkeypatch.setattr("kibitz.table.tables.IDLE_SECONDS", -1.0)
    monkeypatch.setattr("kibitz.table.table.JUMP_SECONDS", 1e6)


def played(client: TestClient, people: list[Person], number: int, game: str, rules: str, players: int, to: str | None = None) -> Room:
    """A whole game at one table."""
    rng = random.Random(number)
    persons = min(players, 2 + (players == 5))
    seats: list[str | None] = [None] * persons + BOTS[game][: players - persons]
    rng.shuffle(seats)
    room = Room(client, people, rng, seats, game=game, rules=rules, **({"to": to} if to else {}))
    assert room.live.setup.seed > 10**15  # long enough to be found in a text
    with room.stack:
        room.play_deal()
        while room.live.is_over and not room.live.is_finished:
            assert room.clients[0].say("next")["type"] == "done"
            film = client.get(f"/api/tables/{room.id}/film?deal=0")
            assert film.status_code == 200
            check_secrets(Frame("onlooker", None, film.text, 0, 0), room.truth)
            room.play_deal()
        room.close()
    return room


@pytest.mark.parametrize("name", TABLES)
def test_nothing_hidden_is_sent_to_anybody(name: str, client: TestClient, people: list[Person]) -> None:
    game, rules, tables, to = TABLES[name]
    kinds: Counter[str] = Counter()
    windows: set[str] = set()
    for number, players in enumerate(tables):
        truth = played(client, people, number, game, rules, players, to).truth
        for frame in truth.frames:
            check(frame, truth)
            kinds[frame.message.get("type", "answer")] += not frame.is_over
        check_logs(truth)
        windows |= {moment.phase for deal in truth.deals for moment in deal}
    few = {kind for kind in ("update", "position", "people", "done", "refused", "advice", "answer") if kinds[kind] < 3}
    assert not few, kinds  # the test has read enough to say something
    assert game == "uno" or kinds["notes"]
    assert windows >= WINDOWS.get(name, set())


# -- and it would be found --


def with_more(frame: Frame, change: Callable[[Message], Any]) -> Frame:
    """A frame that says more than it did."""
    message = frame.message
    change(message)
    return replace(frame, text=json.dumps(message))


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_a_hidden_card_would_be_found(game: str, client: TestClient, people: list[Person]) -> None:
    """Every kind of frame with a card of another's, or in Hanabi of one's own, in every place where one could come in."""
    truth = played(client, people, 1, game, "classic" if game == "uno" else "standard", 3).truth
    words = {name: spelled for spelled, name in (UNO_WORDS if game == "uno" else HANABI_WORDS).items()}
    found: Counter[tuple[str, int | None]] = Counter()
    for frame in truth.frames:
        kind = frame.message.get("type", "answer")
        if frame.is_over or found[kind, frame.seat]:
            continue
        moment = truth.deals[frame.deal][frame.position]
        hidden = {
            card
            for seat, hand in enumerate(moment.hands)
            for card in hand
            if frame.seat is None or (seat == frame.seat) == (game == "hanabi")
        }
        secret = next(
            iter(sorted(hidden - moment.tops - {moment.card, moment.drawn} - set(moment.discard) - open_to(frame, moment, game))), None
        )
        if secret is None:
            continue
        for leak in leaks_in(frame.message, secret, words[secret]):
            with pytest.raises(AssertionError):
                check(with_more(frame, leak), truth)
            found[kind, frame.seat] += 1
    assert {"position", "update", "advice", "refused", "done", "people", "answer"} <= {kind for kind, _ in found}


def open_to(frame: Frame, moment: Moment, game: str) -> Cards:
    """The cards that a client sees in hands."""
    if frame.seat is None:
        return set()
    if game == "uno":
        return {*moment.hands[frame.seat], *moment.before[frame.seat], *cards_in(game, frame.said.replace('"', " "))}
    return {card for seat, hand in enumerate(moment.hands) if seat != frame.seat for card in hand}


def leaks_in(message: Message, secret: str, words: str) -> list[Callable[[Message], Any]]:
    """Ways to say too much in a message."""
    leaks: list[Callable[[Message], Any]] = [
        lambda said: said.update(hint=secret),
        lambda said: said.update({secret: 1}),
        lambda said: said.update(hint=[{"deep": f"It was {words}."}]),
        lambda said: said.update(hint=f"{secret}:r"),
    ]
    if "view" in message:
        leaks.append(lambda said: said["view"].update(drawn=secret))
        leaks.append(lambda said: said["view"].get("discard", said["view"].get("discards")).append(secret))
        if "hand" in message["view"]:
            leaks.append(lambda said: said["view"]["hand"].append(secret))
            leaks.append(lambda said: said["view"]["known"][0].append(secret))
            leaks.append(lambda said: said["legal"].append(secret))
        else:
            leaks.append(lambda said: said["view"]["hands"][said["seat"] or 0][0].update(card=secret))
            first = message["view"]["hands"][message["seat"] or 0][0]
            if (first["colours"], first["ranks"]) != (secret[0], secret[1]):  # hints have not told it all
                leaks.append(lambda said: said["view"]["hands"][said["seat"] or 0][0].update(colours=secret[0], ranks=secret[1]))
    for key in ("words", "events"):
        if message.get(key):
            leaks.append(lambda said, key=key: said.update({key: [f"Bob draws {words}."]}))  # type: ignore[misc]  # bound at once
    for key in ("rows", "bots"):
        if message.get(key):
            leaks.append(lambda said, key=key: said[key][0].update(text=words))  # type: ignore[misc]
            leaks.append(lambda said, key=key: said[key][0].update(action=secret))  # type: ignore[misc]
    if "reason" in message:
        leaks.append(lambda said: said.update(reason=f"Bob holds {words}."))
    return leaks


def test_other_secrets_would_be_found(client: TestClient, people: list[Person]) -> None:
    """The seed, a stream, a token, a digest, another's note, and a past that was never said."""
    truth = played(client, people, 2, "hanabi", "standard", 3).truth
    state = truth.live._state
    assert [who for who in truth.notes if who != "onlooker"]
    for frame in (truth.frames[0], truth.frames[-1]):
        note = next(notes[0] for who, notes in truth.notes.items() if who != frame.who)
        secrets = [
            truth.seed,
            str(truth.seed),
            f"{truth.seed:x}",
            state.deal_stream,
            people[0].token,
            digest_of(people[2].token),
            f"so {note}",
        ]
        now = replace(frame, is_over=False, is_finished=False)
        check_secrets(replace(now, text="{}"), truth)
        for secret in secrets:
            with pytest.raises(AssertionError):
                check_secrets(replace(now, text=json.dumps({"type": "people", "names": [secret]})), truth)
    place = next(at for at, frame in enumerate(truth.frames) if frame.message.get("type") == "position" and frame.position)
    check_logs(truth)
    truth.frames[place] = with_more(truth.frames[place], lambda said: said["log"].append("You hold red 1."))
    with pytest.raises(AssertionError):
        check_logs(truth)
