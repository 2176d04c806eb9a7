"""The classroom's way to write a player: two questions, *play* and *call a colour*, instead of a view and actions.

A class with `play(self, hand, up_card, called_color, state)` and `call_color(self, hand)` is a bot wherever a bot is named;
`adapt` makes one of it, `resolve` finds it beside a list of players. Names are spelled as in that classroom's interface. Every
list that a player is handed is its own copy.
"""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.bots.source import check_method
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.reading import is_file, read_bytes
from kibitz.games.uno.cards import CARD_TYPES, COLOUR_OF, COLOURED_TYPES, DRAW_TWO, POINTS_OF, REVERSE, SKIP, VALUE_OF, WILD_DRAW_FOUR
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import NAMED, PLAY, Event
from kibitz.games.uno.view import View

RULES = "davies"  # of the classroom's tournaments
QUESTIONS = {"play", "call_color"}  # the methods of a player
SUFFIX = "_UnoPlayer"  # of a class behind a prefix in a list of players


class Color(Enum):
    """A colour; a wild has NONE."""

    RED, GREEN, BLUE, YELLOW, NONE = range(5)

    def __repr__(self) -> str:
        return f"Color.{self.name}"


class Rank(Enum):
    """What kind of card it is. The wilds of newer decks are WILD."""

    NUMBER, SKIP, REVERSE, DRAW_TWO, WILD, WILD_D4 = range(6)

    def __repr__(self) -> str:
        return f"Rank.{self.name}"


class Card(NamedTuple):
    """A card; `number` is -1 unless the rank is NUMBER."""

    color: Color
    rank: Rank
    number: int
    name: str  # as everywhere else: r5, gskip, wild+4
    points: int  # what it costs in a loser's hand

    def can_play_on(self, up_card: Card, called_color: Color) -> bool:
        """Whether the card matches the up card, or the colour called on it."""
        if self.color is Color.NONE or self.color is up_card.color or self.color is called_color:
            return True
        if up_card.color is Color.NONE:  # nothing else matches a wild, unless it opened the game and no colour was called
            return called_color is Color.NONE
        return self.rank is up_card.rank and self.number == up_card.number

    def __repr__(self) -> str:
        return self.name


class GameState(NamedTuple):
    """What a player is told besides its hand. In the lists of the upcoming players the first plays next, oneself comes last."""

    num_cards_in_hands_of_upcoming_players: list[int]
    total_score_of_upcoming_players: list[int]
    most_recent_color_called_by_upcoming_players: list[Color]  # NONE for who has called none
    played_cards: list[Card]  # since the last reshuffle, oldest first, without the up card


def _card(card: int) -> Card:
    ranks = {SKIP: Rank.SKIP, REVERSE: Rank.REVERSE, DRAW_TWO: Rank.DRAW_TWO}
    rank = ranks.get(VALUE_OF[card], Rank.NUMBER)
    if card >= COLOURED_TYPES:
        rank = Rank.WILD_D4 if card == WILD_DRAW_FOUR else Rank.WILD
    number = VALUE_OF[card] if rank is Rank.NUMBER else -1
    return Card(Color(COLOUR_OF[card]), rank, number, card_name(card), POINTS_OF[card])


CARDS = tuple(_card(card) for card in range(CARD_TYPES))  # by card type
_COLORS = tuple(Color)


class BadAnswer:
    """What a player answered where no action can be made of it: an illegal answer, whoever judges it, that says what was wrong."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __repr__(self) -> str:
        return self.what


class ClassroomBot:
    """A player of the two questions as a bot: a fresh one for every deal."""

    game = "uno"
    player_class: type
    observes_events_alone = True  # `observe` needs no view, which spares an outside bot most of the traffic

    def __init__(self) -> None:
        self.player = self.player_class()
        self._called: dict[int, Color] = {}
        self._expected: list[int] = []  # the hand as the last play left it

    def observe(self, view: View | None, event: Event) -> None:
        """Remember who called which colour."""
        if event.kind == NAMED or (event.kind == PLAY and event.card >= COLOURED_TYPES):
            self._called[event.seat] = _COLORS[event.colour]

    def choose(self, view: View) -> Any:
        """Ask the player for a card, and for a colour if that is a wild. After a draw it is asked again.

        Where only the card just drawn may be played, the hand it is shown is that card.
        """
        hand = self._hand(view)
        offered = [view.drawn] if view.only_drawn() else hand
        called = _COLORS[view.colour] if view.top >= COLOURED_TYPES else Color.NONE
        answer = self.player.play([CARDS[card] for card in offered], CARDS[view.top], called, self._state(view))
        index = _index(answer)
        if index == -1:
            return view.decline()
        if index is None or not 0 <= index < len(offered):
            return BadAnswer(f"play = {_shown(answer)}, but the hand has the cards 0 to {len(offered) - 1} (-1 draws)")
        card = offered[index]
        left = list(hand)
        del left[index if offered is hand else _newest(hand, card)]
        self._expected = left
        return self._action(view, card, left)

    def _action(self, view: View, card: int, left: list[int]) -> Any:
        """The action that plays a card, a wild with the colour that the player calls."""
        if card < COLOURED_TYPES:
            return view.play(card, 0)
        color = self.player.call_color([CARDS[held] for held in left])
        if not isinstance(color, Color) or color is Color.NONE:
            return BadAnswer(f"call_color = {_shown(color)} for {CARDS[card]}, which is not RED, GREEN, BLUE or YELLOW")
        return view.play(card, color.value)

    def _hand(self, view: View) -> list[int]:
        """The hand in the order in which the player knows it: of two equal cards the one it played is gone."""
        arrived = Counter(view.cards())
        kept = []
        for card in self._expected:
            if arrived[card]:
                arrived[card] -= 1
                kept.append(card)
        size = view.hand_size()
        new: list[int] = []
        for card in reversed(view.order[:size] if view.order[0] < CARD_TYPES else view.cards()):
            if arrived[card]:
                arrived[card] -= 1
                new.insert(0, card)
        self._expected = kept + new
        return self._expected[:]

    def _state(self, view: View) -> GameState:
        seats = [view.seat_after(places) for places in range(1, view.players + 1)]
        return GameState(
            [view.sizes[seat] for seat in seats],
            [view.scores[seat] for seat in seats],
            [self._called.get(seat, Color.NONE) for seat in seats],
            [CARDS[card] for card in view.discard[: view.discard_size]],
        )


def is_player(thing: Any) -> bool:
    """Whether this is a class that answers the two questions, and no bot of our own kind."""
    return (
        isinstance(thing, type)
        and callable(getattr(thing, "play", None))
        and callable(getattr(thing, "call_color", None))
        and not callable(getattr(thing, "choose", None))
    )


def adapt(player_class: type) -> type:
    """A bot class from a class with `play` and `call_color`."""
    if not is_player(player_class):
        raise BadBot(f"{player_class!r} is not a player: a class with the methods play and call_color is needed.")
    check_method(player_class, "play", ("hand", "up_card", "called_color", "state"))
    check_method(player_class, "call_color", ("hand",))
    return type(
        player_class.__name__,
        (ClassroomBot,),
        {"player_class": player_class, "__doc__": player_class.__doc__, "__module__": player_class.__module__},
    )


def _index(answer: Any) -> int | None:
    """An answer as a whole number, None if it is none."""
    try:
        return None if isinstance(answer, bool) else operator.index(answer)
    except TypeError:
        return None


def _shown(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 80 else text[:80] + "…"


def _newest(hand: list[int], card: int) -> int:
    return len(hand) - 1 - hand[::-1].index(card)


# -- lists of players --


def resolve(folder: Path, prefix: str) -> str:
    """The bot behind a prefix of a list of players in `folder`: the file `prefix.py`, or a class `prefix_UnoPlayer` in any file.

    Nothing is run: whoever takes part is read, not imported.
    """
    if not re.fullmatch(r"\w[\w-]*", prefix):
        raise BadBot(f"'{prefix}' in {folder} is not a prefix; a prefix is made of letters, digits and _ or -, such as ashtabna.")
    wanted = f"{prefix}{SUFFIX}"
    own = folder / f"{prefix}.py"
    if is_file(own):
        return player_in(own)
    found, unread = [], []
    for path in sorted(folder.glob("*.py")):
        try:
            classes = _classes_in(path)
        except BadBot:
            unread.append(path.name)
            continue
        if wanted in classes:
            found.append(path)
    if len(found) > 1:
        raise BadBot(f"prefix {prefix}: class {wanted} is in {' and in '.join(path.name for path in found)}; one of them is to go.")
    if not found:
        besides = f", though {', '.join(unread)} can't be read" if unread else ""
        raise BadBot(f"prefix {prefix}: there is neither a file {prefix}.py nor a class {wanted} beside the list{besides}.")
    return f"{found[0]}:{wanted}"


def player_in(path: Path) -> str:
    """The player of a file: the class that has the file's name, or the only one; else the file, whose process says what is wrong with it."""
    try:
        classes = _classes_in(path)
    except BadBot:
        return str(path)
    wanted = f"{path.stem}{SUFFIX}"
    if wanted in classes:
        return f"{path}:{wanted}"
    players = [name for name, methods in classes.items() if methods >= QUESTIONS or "choose" in methods]
    return f"{path}:{players[0]}" if len(players) == 1 else str(path)  # without such a class, perhaps a function made a bot


def plays_by_methods(path: Path, name: str = "") -> bool:
    """Whether a file, or a class in it, answers the two questions; a file that also reads its input is a program and does not count."""
    try:
        classes = _classes_in(path)
        if not name and re.search(rb"stdin|\binput\(", read_bytes(path, "bot file")):
            return False
    except (BadBot, BadValue):
        return False
    return any(methods & QUESTIONS or known.endswith(SUFFIX) for known, methods in classes.items() if name in ("", known))


def _classes_in(path: Path) -> dict[str, set[str]]:
    """The classes that a file defines, with the names of their methods."""
    try:
        tree = ast.parse(read_bytes(path, "bot file"))
    except BadValue as error:
        raise BadBot(str(error)) from None
    except (SyntaxError, ValueError) as error:
        raise BadBot(f"bot file {path} cannot be read: {error}.") from None
    except (RecursionError, MemoryError):
        raise BadBot(f"bot file {path} cannot be read: it is nested too deeply.") from None
    return {
        node.name: {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
