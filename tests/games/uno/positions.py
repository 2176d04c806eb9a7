"""Positions made by hand, where the deck is whatever cards stand in them, and rules under which odd things happen."""

from __future__ import annotations

from collections import Counter

from kibitz.games.uno.cards import NO_CARD
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.names import action_name, card_name
from kibitz.games.uno.notation import hand_in_order
from kibitz.games.uno.state import EVENT_NAMES, Event
from kibitz.games.uno.view import NO_SEAT, PHASE_NAMES
from kibitz.play.game import Game

# Rules: small decks in which the draw pile often runs out, and games that are short or long.
NUMBERS = "classic,deck=r1*2/r2*2/r3/g1*2/g2/g3*2/b4*2/b1,hand_size=2"
PENALTIES = "classic,deck=r+2*3/g+2*2/wild+4*3/r1/g2/b+2,hand_size=2"
TURNING = "classic,deck=rrev*3/grev*3/rskip*2/gskip*2/b1/y1,hand_size=2,max_turns=100"
NO_PILE = "classic,deck=r1/g1/b2/y2/r3/g3/wild,hand_size=3"
NO_MATCH = "classic,deck=r1/g2/b3/y4/r5,hand_size=1"
WILDS = "classic,deck=wild*5/wild+4*6/r0/g9,hand_size=3,max_turns=40"
SHORT = "classic,max_turns=60"
LONG_HANDS = "classic,hand_size=20"
ONE_CARD = "classic,hand_size=1"

# Rules with one house rule each.
NAMING = "classic,opening=effects_name_colour"
CHALLENGING = "classic,wild_draw_four=challenge"
SAME, PROGRESSIVE = "classic,stacking=same", "classic,stacking=progressive"
SEVEN_ZERO = "classic,seven_zero=on"
CALLING = "classic,uno_call=on"
JUMPING = "classic,jump_in=on"

BLUE_ONES = "b1.b1.b1.b1.b1.b1.b1"  # seven cards to draw that fit nothing red

# A position that every part of a text can be tried on.
EXAMPLE = (
    "classic,deck=r1/r4/r5/g2/b3*2/y7/y8/wild,hand_size=1;"
    "players=2;dealer=0;to_act=1;direction=+;turn=3;phase=turn;top=r5;hands=r1.g2.wild|b3.b3;discard=r4;pile=y7.y8"
)


def cards_in(text: str) -> list[str]:
    """The cards of hands, a pile or a top card with or without its colour."""
    return [card.partition(":")[0] for hand in text.split("|") for card in hand.split(".") if card]


def position(
    hands: str,
    top: str,
    pile: str = "",
    discard: str = "",
    *,
    to_act: int = 0,
    direction: str = "+",
    turn: int = 1,
    max_turns: int = 1000,
    phase: str = "turn",
    rules: str = "classic",
    seed: int = 1,
    more: str = "",
) -> Game:
    """A game in the middle of a turn. Hands are separated by bars, cards by dots."""
    counts = Counter(cards_in(hands) + cards_in(top) + cards_in(pile) + cards_in(discard))
    deck = "/".join(f"{card}*{count}" for card, count in counts.items())
    return Game.from_text(
        f"{rules},deck={deck},hand_size=1,max_turns={max_turns};players={hands.count('|') + 1};dealer=0;to_act={to_act};"
        f"direction={direction};turn={turn};phase={phase};top={top};hands={hands};discard={discard};pile={pile}{more}",
        seed,
    )


def hand(game: Game, seat: int) -> str:
    """A hand as text."""
    return ".".join(card_name(card) for card in hand_in_order(game.state, seat))


def discard(game: Game) -> str:
    """The discard pile under its top card, oldest first."""
    return ".".join(card_name(card) for card in game.state.discard[: game.state.discard_size])


def pile(game: Game) -> str:
    """The draw pile in the order of the names: its own order means nothing."""
    return ".".join(sorted(card_name(card) for card in game.state.pile[: game.state.pile_size]))


def legal(game: Game) -> list[str]:
    """The legal actions by name."""
    return [action_name(action) for action in game.legal_actions()]


def hands(game: Game) -> list[str]:
    """Every hand as text."""
    return [hand(game, seat) for seat in range(game.state.players)]


def phase(game: Game) -> str:
    """Which decision is open."""
    return PHASE_NAMES[game.state.phase]


def known(game: Game, viewer: int, seat: int) -> str:
    """What a viewer is shown of another hand, in the order of the types."""
    return ".".join(card_name(card) for card in cards_from(game.view(viewer).known(seat)))


def all_known(game: Game) -> dict[str, str]:
    """What anybody is shown of any hand: `0>1` is what seat 0 knows of seat 1's."""
    pairs = [(viewer, seat) for viewer in range(game.state.players) for seat in range(game.state.players)]
    return {f"{viewer}>{seat}": known(game, viewer, seat) for viewer, seat in pairs if known(game, viewer, seat)}


def told(events: list[Event]) -> list[str]:
    """Events as text: what, who, how many, whom."""
    return [_told(event) for event in events]


def _told(event: Event) -> str:
    card = f" {card_name(event.card)}" if event.card != NO_CARD else ""
    other = f" of {event.other}" if event.other != NO_SEAT else ""
    return f"{event.seat} {EVENT_NAMES[event.kind]}{card}{f' {event.count}' if event.count else ''}{other}"


def played(game: Game, *actions: str) -> list[str]:
    """What everybody sees of some actions."""
    return [line for action in actions for line in told(game.apply(action))]


def asked(game: Game) -> tuple[int, str]:
    """Who is asked, and what."""
    return game.to_act, phase(game)


# Hands, top card, rules and actions that lead into each window; it is always seat 0 that plays.
WINDOWS = {
    "colour": ("r1.g2|g1|y1", "wild", NAMING, []),
    "challenge": ("wild+4.g1|y1|y2", "r5", CHALLENGING, ["wild+4:b"]),
    "stack": ("r+2.g1|g+2.y1|y2", "r5", SAME, ["r+2"]),
    "swap": ("r7.g1|y1|y2", "r5", SEVEN_ZERO, ["r7"]),
    "uno_call": ("r1.g1|y1|y2", "r5", CALLING, ["r1"]),
    "catch": ("r1.g1|y1|y2", "r5", CALLING, ["r1", "pass"]),
    "jump_in": ("r1.g1|y1|r1.y2", "r5", JUMPING, ["r1"]),
}


def in_window(name: str) -> Game:
    """A position in which this window is open."""
    held, top, rules, actions = WINDOWS[name]
    game = position(held, top, BLUE_ONES, rules=rules, phase="colour" if name == "colour" else "turn")
    played(game, *actions)
    assert phase(game) == name
    return game


def passes(game: Game) -> list[tuple[int, str]]:
    """Who is asked in turn while everybody passes."""
    seats = []
    while phase(game) in ("catch", "jump_in") and not game.is_over:
        seats.append(asked(game))
        game.apply("pass")
    return seats
