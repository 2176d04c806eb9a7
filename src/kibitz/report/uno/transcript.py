"""A game of UNO as text a person can follow: turn by turn, with hands, in colour on a terminal and plain in a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from kibitz.core.sentences import counted
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
from kibitz.games.uno.view import JUMPING_IN, PLAYING, STACK, STATUS_NAMES, WON
from kibitz.play.game import PlayedGame, PlayedStep
from kibitz.play.record_faults import FORFEITED, forfeited_by
from kibitz.report.explanation import explanation_lines
from kibitz.report.forfeits import Named, forfeit_sentences, seat_alone, seat_and_name
from kibitz.report.transcript import SUBSTITUTE, fault_lines

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
    """The lines of a game; with `explain`, below each turn what bots say about their choices."""
    start = played.opening.state
    later = f", deal {played.deal + 1}" if played.deal else ""
    yield Text(f"UNO {played.rules} · game {played.index} of seed {played.seed}{later}", style="bold")
    for seat, name in enumerate(played.seats):
        dealer = " (dealer)" if seat == start.dealer else ""
        score = f" {counted(start.scores[seat], 'point')}" if played.deal else ""
        yield Text.assemble(f"  seat {seat}  {name}{dealer}{score}: ", hand_text(played.opening.hands[seat]))
    yield Text.assemble("  on the table: ", (long_name(start.top), STYLES[COLOUR_OF[start.top]]), f"; {opening_effect(played)}")
    yield from fault_lines(played, 0, 0)
    before, told = played.opening, 0
    for turn, steps in steps_by_turn(played):
        yield from turn_lines(played, turn, before, steps)
        yield from fault_lines(played, told + 1, told + len(steps))
        for place in range(told, told + len(steps)):
            if explain and place in played.explanations:
                yield from explanation_lines(played.explanations[place], 8)
        told += len(steps)
        before = steps[-1]
    yield from fault_lines(played, told + 1, told + 1)
    yield Text()
    yield ending(played)


def steps_by_turn(played: PlayedGame) -> Iterator[tuple[int, list[PlayedStep]]]:
    """The steps of each turn: a draw and the play of the drawn card belong together, and so do the windows after a play."""
    turn: list[PlayedStep] = []
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


def turn_lines(played: PlayedGame, turn: int, before: PlayedStep, steps: list[PlayedStep]) -> Iterator[Text]:
    """One turn: what was done, then the hand that was held."""
    seat = before.state.current
    line = Text.assemble((f"{turn:>4}  ", "dim"), f"{seat} {played.seats[seat]:<22} ")
    events = [event for step in steps for event in step.events]
    told = [event for event in events if not _is_silent(event, events)]
    line.append_text(Text("; ").join([event_text(event, seat, _skips(why)) for event, why in zip(told, [None, *told], strict=False)]))
    if len(steps[-1].hands[seat]) == 1 and not before.state.uno_call:
        line.append("  UNO!", style="bold")
    if any(step.by_substitute for step in steps):
        line.append(SUBSTITUTE, style="yellow")
    yield line
    yield Text.assemble(" " * 8, (f"on {card_name(before.state.top)}{_called(before)} with ", "dim"), hand_text(before.hands[seat]))


def _called(step: PlayedStep) -> str:
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


def ending(played: PlayedGame) -> Text:
    """How the game ended, seats by number and name."""
    return Text(ending_text(played, seat_and_name(played), seat_alone), style="bold")


def ending_text(played: PlayedGame, named: Named, short: Named) -> str:
    """How the game ended and what counted; `short` is what seats are called where points are listed."""
    if played.status == FORFEITED:
        return " ".join([*forfeit_sentences(played, named), counted_end(played, named, short)])
    if played.status == "playing":
        return "The game was broken off here."
    return _played_end(played, played.status, named, short)


def _played_end(played: PlayedGame, status: str, named: Named, short: Named) -> str:
    turns = counted(played.turns, "turn")
    if played.winner is None:
        why = "after the last allowed turn" if status == "cut off" else "since nobody can play or draw"
        return f"No winner: the game ends {why}, after {turns}."
    return f"{named(played.winner)} wins {counted(played.points, 'point')} ({_held(played, short)}) in {turns}."


def _held(played: PlayedGame, short: Named) -> str:
    """What the losers held."""
    hands = _last(played).hands
    return ", ".join(
        f"{short(seat)} held {sum(POINTS_OF[card] for card in hand)}" for seat, hand in enumerate(hands) if seat != played.winner
    )


def _last(played: PlayedGame) -> PlayedStep:
    return played.steps[-1] if played.steps else played.opening


def counted_end(played: PlayedGame, named: Named, short: Named) -> str:
    """What counted of a forfeited deal."""
    state, out = _last(played).state, forfeited_by(played.faults)
    if state.status == PLAYING:
        if played.winner is not None:
            points = f"{counted(played.points, 'point')} ({_held(played, short)})"
            return f"{named(played.winner)}, the last player left, wins {points}."
        left = [seat for seat in range(state.players) if seat not in out]
        return "The deal ends there." if out and left else "Nobody is left, so nobody wins." if out else "It was broken off here."
    if state.status != WON or played.winner is not None:
        return _played_end(played, STATUS_NAMES[state.status], named, short)
    if state.winner in out:
        return f"The substitute of {short(state.winner)} was first out of cards, which doesn't count: nobody wins."
    return f"{named(state.winner)} was first out of cards; the record doesn't say whether that counted."
