"""A game of any kind as text a person can follow: every action by its name, with all hands at the beginning and at the end."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from kibitz import registry
from kibitz.core.sentences import counted
from kibitz.games.contract import GameDefinition
from kibitz.play.game import PlayedGame, PlayedStep
from kibitz.play.record_faults import FORFEITED, forfeited_by
from kibitz.report.explanation import explanation_lines
from kibitz.report.forfeits import Named, forfeit_sentences, seat_alone, seat_and_name
from kibitz.report.transcript import SUBSTITUTE, fault_lines


def transcript(played: PlayedGame, explain: bool = False) -> Iterator[Text]:
    """The lines of a game; with `explain`, below each action what a bot says about its choice."""
    game = registry.game(played.game)
    later = f", deal {played.deal + 1}" if played.deal else ""
    yield Text(f"{game.title} {played.rules} · game {played.index} of seed {played.seed}{later}", style="bold")
    for seat, name in enumerate(played.seats):
        yield Text(f"  seat {seat}  {name}{_held(game, played.opening, seat)}")
    yield from fault_lines(played, 0, 0)
    before = played.opening
    for place, step in enumerate(played.steps):
        seat = int(before.state.current)
        line = Text.assemble(
            (f"{before.state.turn:>4}  ", "dim"), f"{seat} {played.seats[seat]:<22} {game.action_name(before.state, step.action)}"
        )
        yield line.append(SUBSTITUTE if step.by_substitute else "", "yellow")
        yield from fault_lines(played, place + 1, place + 1)
        if explain and place in played.explanations:
            yield from explanation_lines(played.explanations[place], 8)
        before = step
    yield from fault_lines(played, len(played.steps) + 1, len(played.steps) + 1)
    yield Text()
    yield Text(_ending(played, seat_and_name(played)), style="bold")


def _held(game: GameDefinition, step: PlayedStep, seat: int) -> str:
    cards = [game.face.card_name(card) for card in step.hands[seat]]
    return f": {' '.join(cards)}" if cards else ""


def _ending(played: PlayedGame, named: Named) -> str:
    if played.status == FORFEITED:
        return " ".join([*forfeit_sentences(played, named), counted_end(played, named, seat_alone)])
    if played.status == "playing":
        return "The game was broken off here."
    return _played_end(played, named)


def _played_end(played: PlayedGame, named: Named) -> str:
    turns = counted(played.turns, "turn")
    if registry.game(played.game).cooperative:
        return f"{counted(played.points, 'point')} after {turns}: {played.status}."
    if played.winner is None:
        return f"No winner: the game ends {played.status}, after {turns}."
    return f"{named(played.winner)} wins {counted(played.points, 'point')} in {turns}."


def counted_end(played: PlayedGame, named: Named, short: Named) -> str:
    """What counted of a forfeited game."""
    if registry.game(played.game).cooperative:
        return "The game ends there and counts 0."
    if played.winner is not None:
        return f"{named(played.winner)} wins {counted(played.points, 'point')}."
    return "Nobody wins." if forfeited_by(played.faults) else "It was broken off here."
