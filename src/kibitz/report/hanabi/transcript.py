"""A game of Hanabi as text a person can follow: move by move, with all hands and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted
from kibitz.games.hanabi.cards import COLOUR_LETTERS, COLOUR_OF, COLOURS, DISCARD, HINT_COLOUR, MAX_HAND, PLAY, RANK_OF
from kibitz.play.game import PlayedGame, PlayedStep
from kibitz.play.record_faults import FORFEITED
from kibitz.report.explanation import explanation_lines
from kibitz.report.forfeits import Named, forfeit_sentences, seat_and_name
from kibitz.report.transcript import SUBSTITUTE, fault_lines

STYLES = ("bold red", "bold yellow", "bold green", "bold white", "bold blue")


def card_text(card: int) -> Text:
    """A card in its colour: `R1`."""
    return Text(f"{COLOUR_LETTERS[COLOUR_OF[card]]}{RANK_OF[card] + 1}", style=STYLES[COLOUR_OF[card]])


def transcript(played: PlayedGame, explain: bool = False) -> Iterator[Text]:
    """The lines of a game; with `explain`, below each move what a bot says about its choice."""
    yield Text(f"Hanabi {played.rules} · game {played.index} of seed {played.seed}", style="bold")
    for seat, name in enumerate(played.seats):
        yield Text.assemble(f"  seat {seat}  {name}: ", Text(" ").join([card_text(card) for card in played.opening.hands[seat]]))
    yield from fault_lines(played, 0, 0, 6)
    before = played.opening
    for place, step in enumerate(played.steps):
        mark = (SUBSTITUTE if step.by_substitute else "", "yellow")
        yield Text.assemble((f"{before.state.turn:>4}  ", "dim"), move_text(played, before, step.events[0]), mark)
        yield Text.assemble(" " * 6, table_text(step))
        yield from fault_lines(played, place + 1, place + 1, 6)
        if explain and place in played.explanations:
            yield from explanation_lines(played.explanations[place], 6)
        before = step
    yield from fault_lines(played, len(played.steps) + 1, len(played.steps) + 1, 6)
    yield Text()
    yield Text(ending_text(played, seat_and_name(played)), style="bold")


def move_text(played: PlayedGame, before: PlayedStep, event: Any) -> Text:
    """A move in words."""
    line = Text(f"{event.seat} {played.seats[event.seat]:<16} ")
    if event.kind in (DISCARD, PLAY):
        line.append("discards " if event.kind == DISCARD else "plays ").append_text(card_text(event.card)).append(
            f" from slot {event.slot + 1}"
        )
        if event.kind == PLAY:
            line.append(": it fits" if event.outcome else ": it does not fit, a life is lost")
            line.append(", and completes the pile: a token back" if event.outcome == 2 else "")
        return line
    told = COLOURS[event.value] if event.kind == HINT_COLOUR else str(event.value + 1)
    line.append(f"tells seat {event.target}: ").append(told, style=STYLES[event.value] if event.kind == HINT_COLOUR else "bold").append(
        " is "
    )
    slots = [slot for slot in range(MAX_HAND) if event.touched >> slot & 1]
    cards = [card_text(before.hands[event.target][slot]).append(f" (slot {slot + 1})") for slot in slots]
    return line.append_text(Text(", ").join(cards))


def table_text(step: PlayedStep) -> Text:
    """The table after a move: piles, tokens, lives, deck."""
    state = step.state
    piles = [Text(f"{COLOUR_LETTERS[colour]}{state.fireworks[colour]}", style=STYLES[colour]) for colour in range(state.colours)]
    lives = counted(state.lives, "life", "lives")
    counts = f"  {counted(state.score, 'point')}, {counted(state.tokens, 'token')}, {lives}, {counted(state.deck_size, 'card')} to draw"
    return Text.assemble(Text(" ").join(piles), (counts, "dim"))


def ending_text(played: PlayedGame, named: Named) -> str:
    """How the game ended and what counted."""
    if played.status == FORFEITED:
        return " ".join([*forfeit_sentences(played, named), counted_end(played, named, named)])
    reasons = {
        "perfect": "a perfect game",
        "lost": "the last life is lost, which scores 0",
        "ended": "the deck has run out",
        "playing": "the game was broken off here",
    }
    return f"{counted(played.points, 'point')} on the table after {counted(played.turns, 'turn')}: {reasons[played.status]}."


def counted_end(played: PlayedGame, named: Named, short: Named) -> str:
    """What counted of a forfeited game."""
    score = int((played.steps[-1] if played.steps else played.opening).state.score)
    return f"The game ends there and counts 0; {counted(score, 'point')} lay on the table."
