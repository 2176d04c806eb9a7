"""One game as text a person can follow: turn by turn, with hands, in colour on a terminal and plain in a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from kibitz.arena.deal import MAX_BARREN_DEALS
from kibitz.arena.game import PlayedContest, PlayedGame, Step
from kibitz.games.uno.cards import (
    COLOUR_OF,
    COLOURED_TYPES,
    COLOURS,
    NO_COLOUR,
    POINTS_OF,
    VALUE_NAMES,
    VALUE_OF,
    WILD_NAMES,
)
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import (
    CAUGHT,
    CHALLENGED,
    DREW,
    FORCED,
    JUMPED_IN,
    KEPT,
    MISSED_UNO,
    NAMED,
    PASSED_HANDS,
    PLAY,
    SAID_UNO,
    SHUFFLED,
    SWAPPED,
    Event,
)
from kibitz.games.uno.view import JUMPING_IN, STACK
from kibitz.report.explanation import explanation_lines

STYLES = ("bold red", "bold green", "bold blue", "bold yellow", "bold magenta")
_LONG_VALUES = {"skip": "Skip", "rev": "Reverse", "+2": "Draw Two"}
_LONG_WILDS = {"wild": "Wild", "wild+4": "Wild Draw Four", "wildshuffle": "Wild Shuffle Hands", "wildcustom": "Wild Customizable"}


def card_text(card: int) -> Text:
    """A card's short name in its colour."""
    return Text(card_name(card), style=STYLES[COLOUR_OF[card]])


def long_name(card: int) -> str:
    """A card's name in words: `red 5`, `green Skip`, `Wild`."""
    if card >= COLOURED_TYPES:
        return _LONG_WILDS[WILD_NAMES[card - COLOURED_TYPES]]
    value = VALUE_NAMES[VALUE_OF[card]]
    return f"{COLOURS[COLOUR_OF[card]]} {_LONG_VALUES.get(value, value)}"


def transcript(played: PlayedGame, explain: bool = False) -> Iterator[Text]:
    """The lines of a game; with `explain`, below each turn what search bots thought of their choices."""
    start = played.opening.state
    later = f", deal {played.deal + 1}" if played.deal else ""
    yield Text(f"UNO {played.rules} · game {played.index} of seed {played.seed}{later}", style="bold")
    for seat, name in enumerate(played.seats):
        dealer = " (dealer)" if seat == start.dealer else ""
        score = f" {counted(start.scores[seat], 'point')}" if played.deal else ""
        yield Text.assemble(f"  seat {seat}  {name}{dealer}{score}: ", hand_text(played.opening.hands[seat]))
    yield Text.assemble("  on the table: ", (long_name(start.top), STYLES[COLOUR_OF[start.top]]), f"; {opening_effect(played)}")
    before, told = played.opening, 0
    for turn, steps in steps_by_turn(played):
        yield from turn_lines(played, turn, before, steps)
        for place in range(told, told + len(steps)):
            if explain and place in played.explanations:
                yield from explanation_lines(played.explanations[place], 8)
        told += len(steps)
        before = steps[-1]
    yield Text()
    yield ending(played)


def steps_by_turn(played: PlayedGame) -> Iterator[tuple[int, list[Step]]]:
    """The steps of each turn: a draw and the play of the drawn card belong together, and so do the windows after a play."""
    turn: list[Step] = []
    before = played.opening
    number = before.state.turn
    for step in played.steps:
        # An answer to a stack or a jump-in is a turn of its own, and begins with the play.
        out_of_turn = before.state.phase in (STACK, JUMPING_IN) and any(event.kind == PLAY for event in step.events)
        began = before.state.turn + int(out_of_turn)
        if turn and began != number:
            yield number, turn
            turn = []
        number = began
        turn.append(step)
        before = step
    if turn:
        yield number, turn


def opening_effect(played: PlayedGame) -> str:
    """What the opening card did."""
    start = played.opening.state
    begins = f"seat {start.current} begins"
    drew = [seat for seat, hand in enumerate(played.opening.hands) if len(hand) > start.initial_hand]
    return f"seat {drew[0]} draws 2, {begins}" if drew else begins


def turn_lines(played: PlayedGame, turn: int, before: Step, steps: list[Step]) -> Iterator[Text]:
    """One turn: what was done, then the hand that was held."""
    seat = before.state.current
    line = Text.assemble((f"{turn:>4}  ", "dim"), f"{seat} {played.seats[seat]:<22} ")
    events = [event for step in steps for event in step.events]
    told = [event for event in events if not _is_silent(event, events)]
    line.append_text(Text("; ").join([event_text(event, seat, _skips(why)) for event, why in zip(told, [None, *told], strict=False)]))
    if len(steps[-1].hands[seat]) == 1 and not before.state.uno_call:
        line.append("  UNO!", style="bold")
    yield line
    yield Text.assemble(" " * 8, (f"on {card_name(before.state.top)}{_called(before)} with ", "dim"), hand_text(before.hands[seat]))


def _called(step: Step) -> str:
    colour = step.state.colour
    return f":{COLOURS[colour]}" if step.state.top >= COLOURED_TYPES and colour != NO_COLOUR else ""


def _is_silent(event: Event, events: list[Event]) -> bool:
    """A draw followed by the play of the drawn card, or by keeping it, is told by what follows."""
    return event.kind == DREW and any(other.kind in (PLAY, KEPT) for other in events)


def _skips(before: Event | None) -> bool:
    """Whether who is made to draw after this event loses its turn: not for a call forgotten or a play found out."""
    return before is None or not (before.kind == CAUGHT or (before.kind == CHALLENGED and before.count > 0))


def event_text(event: Event, seat: int, skips: bool = False) -> Text:
    """An event of a seat's turn in words; another seat is named. `skips`: who is made to draw is skipped."""
    who = "" if event.seat == seat else f"seat {event.seat} "
    if event.kind == PLAY:
        drew = "" if not event.count else "draws and " if event.count == 1 else f"draws {event.count} and "
        text = Text(f"{who}{drew}plays ")
        text.append(long_name(event.card), style=STYLES[COLOUR_OF[event.card]])
        if event.card >= COLOURED_TYPES:
            text.append(", calls ").append(COLOURS[event.colour], style=STYLES[event.colour])
        return text
    if event.kind == KEPT:
        drew = "draws a card and keeps it" if event.count == 1 else f"draws {event.count} cards and keeps them"
        return Text(who + drew if event.count else who + "has nothing to draw")
    if event.kind == FORCED:
        return Text(f"seat {event.seat} draws {event.count}" + (" and is skipped" if skips else ""))
    if event.kind == NAMED:
        return Text(f"{who}names ").append(COLOURS[event.colour], style=STYLES[event.colour])
    if event.kind == CHALLENGED:
        return Text(f"{who}challenges seat {event.other}, " + ("rightly" if event.count else "wrongly"))
    if event.kind in (SWAPPED, CAUGHT):
        return Text(f"{who}{'swaps hands with' if event.kind == SWAPPED else 'catches'} seat {event.other}")
    return Text(f"{who}{_SAYINGS.get(event.kind, f'draws {event.count}')}")


_SAYINGS = {
    PASSED_HANDS: "passes all hands on",
    SHUFFLED: "shuffles all hands",
    SAID_UNO: "says UNO",
    MISSED_UNO: "forgets to say UNO",
    JUMPED_IN: "jumps in",
}


def hand_text(cards: list[int]) -> Text:
    """A hand, sorted for the reader."""
    return Text(" ").join([card_text(card) for card in sorted(cards)]) if cards else Text("no cards")


def contest_ending(contest: PlayedContest) -> Text:
    """How a contest stands, or ended."""
    seats = contest.deals[-1].seats
    scores = ", ".join(f"seat {seat} {name} {contest.scores[seat]}" for seat, name in enumerate(seats))
    after = f"after {counted(len(contest.deals), 'deal')}"
    end = f"; seat {contest.winner} wins the contest to {contest.to} {after}" if contest.winner is not None else ""
    if contest.is_over and contest.winner is None:
        end = f"; the contest ends without a winner {after}, {MAX_BARREN_DEALS} of them in a row without a point"
    return Text(f"Scores: {scores}{end}.", style="bold")


def counted(number: int, noun: str) -> str:
    """A number of things: `1 deal`, `2 deals`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def ending(played: PlayedGame) -> Text:
    """How the game ended."""
    if played.status == "playing":
        return Text("The game was broken off here.", style="bold")
    if played.winner is None:
        why = "after the last allowed turn" if played.status == "cut off" else "since nobody can play or draw"
        return Text(f"No winner: the game ends {why}, after {counted(played.turns, 'turn')}.", style="bold")
    hands = played.steps[-1].hands
    parts = [f"seat {seat} {sum(POINTS_OF[card] for card in hand)}" for seat, hand in enumerate(hands) if seat != played.winner]
    return Text(
        f"Seat {played.winner} {played.seats[played.winner]} wins {counted(played.points, 'point')} ({', '.join(parts)}) in {counted(played.turns, 'turn')}.",
        style="bold",
    )
