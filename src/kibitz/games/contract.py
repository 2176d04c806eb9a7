"""The contract that every game keeps: the same verbs over a state of its own.

The functions here are names only. Kernels that work for any game (`kibitz.play.loop`) are written in terms of them
and bound to a game's own with `kibitz.core.jit.specialise_modules`; a `GameDefinition` lists what a game brings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from kibitz.games.encoding import Encoding
from kibitz.games.face import Face

OPEN_HAND = 3  # in `ordered` of table and state: the bot sees its own hidden cards as well, or all hands


def deal(state: Any, key: int) -> None:
    """Start a deal from the streams of a game key."""
    raise AssertionError("a verb is bound to a game before it is used")


def is_over(state: Any) -> bool:
    """Whether the deal has ended."""
    raise AssertionError("a verb is bound to a game before it is used")


def is_legal(state: Any, action: int) -> bool:
    """Whether the player to act may take this action."""
    raise AssertionError("a verb is bound to a game before it is used")


def forced_action(state: Any) -> int:
    """The only legal action, or -1 if there is a choice."""
    raise AssertionError("a verb is bound to a game before it is used")


def default_action(state: Any, windows: int) -> int:
    """The default for a decision outside what a bot knows (a bit for each phase it does), or -1 if it is to be asked."""
    raise AssertionError("a verb is bound to a game before it is used")


def apply(state: Any, action: int) -> None:
    """Carry out a legal action with all its effects, noting its events."""
    raise AssertionError("a verb is bound to a game before it is used")


def show(state: Any, seat: int) -> None:
    """Fill in what only this seat may see."""
    raise AssertionError("a verb is bound to a game before it is used")


def show_actor(state: Any) -> None:
    """Show the state to the player to act, as it stands whenever a decision is open."""
    raise AssertionError("a verb is bound to a game before it is used")


def as_view(state: Any) -> Any:
    """The state as the view of the seat it was last shown to."""
    raise AssertionError("a verb is bound to a game before it is used")


def event_at(state: Any, place: int) -> Any:
    """One of the `state.event_count` events of the last action."""
    raise AssertionError("a verb is bound to a game before it is used")


def tally_result(state: Any, seating: Any, tally: Any) -> None:
    """Add a finished deal to a tally of whole numbers."""
    raise AssertionError("a verb is bound to a game before it is used")


def result_of(state: Any) -> tuple[int, int]:
    """How a finished deal ended: the winner's seat or -1, and the points it brought."""
    raise AssertionError("a verb is bound to a game before it is used")


def open_contest(state: Any) -> None:
    """Before the first deal of a contest: nobody has points."""
    raise AssertionError("a verb is bound to a game before it is used")


def settle_deal(state: Any) -> int:
    """Add a finished deal to the scores of a contest and prepare the next; the seat that gained points, or -1."""
    raise AssertionError("a verb is bound to a game before it is used")


def luck_of(state: Any, seat: int, component: int) -> int:
    """How lucky a seat was in a finished deal, a zero-mean figure in units of 2^-40, where luck is measured."""
    raise AssertionError("a verb is bound to a game before it is used")


VERBS = (
    deal,
    is_over,
    is_legal,
    forced_action,
    default_action,
    apply,
    show,
    show_actor,
    as_view,
    event_at,
    tally_result,
    result_of,
    open_contest,
    settle_deal,
    luck_of,
)


def verbs_in(names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """The verbs by name, among all names of a game's engine."""
    return {verb.__name__: names[verb.__name__] for verb in VERBS}


class Wire(NamedTuple):
    """How rules, views and events become messages of the protocol, and how views and events are read back."""

    rules_message: Callable[[Any], dict[str, Any]]
    view_message: Callable[[Any], dict[str, Any]]
    event_message: Callable[[Any, Any], dict[str, Any]]  # of a view and an event
    view_from: Callable[[Any, Any], Any]  # of a view's message and the one that opened the deal
    event_from: Callable[[Any], Any]


class RuleBook(Protocol):
    """What can be played: named rules, what may be changed in them, and how they are read and written. A module will do."""

    @property
    def PRESETS(self) -> Mapping[str, Any]:
        """Rules by name; rules have `name`, `to_text()` and `check_players(players)`."""

    @property
    def SUMMARIES(self) -> Mapping[str, str]:
        """Each of them in a sentence."""

    @property
    def SWITCHES(self) -> Mapping[str, Any]:
        """What may be changed in them, as `kibitz.games.switches.Switch`."""

    def switch_text(self, switch: str, value: Any) -> str:
        """The value of a switch as it is written."""

    def parse_rules(self, text: str) -> Any:
        """Rules from text."""


def bots_in(package: str, *names: str) -> dict[str, str]:
    """Bots that lie in a package, each in a module of its name: where to find each."""
    return {name: f"{package}.{name}:{name}" for name in names}


@dataclass(frozen=True, eq=False, kw_only=True)
class GameDefinition:
    """What a game brings: its records, its verbs (by name), and how its positions and actions are written.

    `phases` names the kinds of decision; a bot is asked in the first `basic_phases` of them, and in the others, the
    windows, if it declares them. `make_row` turns a tally into the figures of one line-up entry. `under`
    gives the definition to play some rules with: the same game, perhaps with shorter verbs; `with_luck` the one that also
    measures, in `luck_components` figures a seat, how lucky everybody was.

    A package makes a game known by an entry point of the group `kibitz.games` that leads to its definition
    (`kibitz.games.plugins`); `kibitz.games.basic` fills in most of one. `face` is what people see of the game.
    """

    name: str
    title: str
    default_rules: str
    cooperative: bool  # all win or lose together: a bot is measured in every seat
    has_contests: bool
    state: type
    view: type
    event: type
    verbs: dict[str, Callable[..., Any]]
    tally_size: int
    make_row: Callable[[list[int], int, str], Any]
    max_players: int
    under: Callable[[Any], GameDefinition]
    with_luck: Callable[[Any], GameDefinition]
    new_state: Callable[[Any, int], Any]
    legal_actions: Callable[[Any], list[int]]
    rule_book: RuleBook
    action_name: Callable[[Any, int], str]  # the names of a state's actions
    action_from_name: Callable[[Any, str], int]
    to_text: Callable[[Any, Any], str]  # a position as one line, from state and rules, and back
    from_text: Callable[[str, int], tuple[Any, Any]]
    outcome: Callable[[Any], dict[str, Any]]  # how a state stands: status, turns, and what was gained
    hands: Callable[[Any], list[list[int]]]  # every hand in order of arrival
    fallback: Callable[[Any], int]  # what the referee does for a seat that gave no legal answer
    spoils: Callable[[Any, int], int]  # what a seat would get if it won at this moment
    wire: Wire  # what outside bots are told
    results_version: int  # raised whenever equal seeds could give other games, by the engine or by a bot
    phases: tuple[str, ...] = ("turn",)
    basic_phases: int = 1
    why_illegal: Callable[[Any, int], str] = lambda state, action: (
        ""
    )  # what is wrong with an action; empty if the list of legal ones says enough
    keep_orders: Callable[[Any], None] = lambda state: None  # before a deal: keep the order of every hand, where that is not always done
    bots: Mapping[str, Any] = field(default_factory=dict)  # the bots that come with the game: each itself, or where it is (`bots_in`)
    face: Face = field(default_factory=Face)
    priority: int = 100  # of all games, the one with the least is played where nothing says which
    record_version: int = 1  # raised whenever equal seeds could give other deals
    losers_pay: bool = False  # the winner's points come from the others, who lose as many each
    lost: tuple[int, ...] = ()  # the ends at which a team's points count nothing
    luck_components: int = 0
    encoding: Callable[[Any], Encoding] | None = None  # (view or state): how views of its table become vectors for those who learn
    rebound: Callable[..., dict[str, Callable[..., Any]]] | None = None  # the verbs with some names bound anew, as `below` by a solver

    def gain(self, seat: int, winner: int | None, points: int, players: int) -> int:
        """What a deal brings a seat where players compete, from the winner and its points."""
        if winner is None:
            return 0
        if seat == winner:
            return points * (players - 1) if self.losers_pay else points
        return -points if self.losers_pay else 0

    def parse_rules(self, text: str) -> Any:
        """Rules from text."""
        return self.rule_book.parse_rules(text)
