"""Hanabi in words for one seat: what every move did, what is asked, why something is not possible, how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted, listed
from kibitz.games.contract import GameDefinition
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, COLOURS, DISCARD, HINT_COLOUR, MAX_HAND, PLAY, RANK_OF
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.view import ENDED, LOST, View
from kibitz.report.hanabi.meanings import Meanings
from kibitz.report.telling.spoken_names import MEANS, Names


def card_in_words(card: int) -> Text:
    """A card by its full name: `red 1`."""
    return Text(f"{COLOURS[COLOUR_OF[card]]} {RANK_OF[card] + 1}")


def colour_in_words(colour: int) -> Text:
    """A colour by its name."""
    return Text(COLOURS[colour])


class HanabiTelling:
    """What is said of a game of Hanabi to the person whom `names` call `you`; to somebody without a seat, drawn cards only if `tells_draws`."""

    def __init__(
        self,
        names: Names,
        card: Callable[[int], Text] = card_in_words,
        colour: Callable[[int], Text] = colour_in_words,
        tells_draws: bool = False,
    ) -> None:
        self.names, self._card, self._colour = names, card, colour
        self._tells_draws = tells_draws
        self._meanings = Meanings(names, tells_draws and names.seat is None)

    # -- what happened --

    def opening(self, view: View) -> list[Text]:
        """Who begins."""
        self._meanings.begin(view)
        return [Text(f"{self.names.does(view.current, 'begin')}. Slot 1 holds the oldest card; new ones come last.")]

    def tell(self, view: View, event: Any) -> list[Text]:
        """A move in words, and what it means where `smart` plays."""
        meanings = [Text(f"{MEANS}{meaning}.", "dim") for meaning in self._meanings.tell(view, event)]
        if event.kind in (PLAY, DISCARD):
            line = Text(self.names.does(event.seat, "play" if event.kind == PLAY else "discard") + " ")
            line.append_text(self._card(event.card)).append(f" from slot {event.slot + 1}{self._effect(view, event)}.")
            return [line.append_text(self._drawn(view, event.seat)), *meanings]
        return [self._hint(event), *meanings]

    def _effect(self, view: View, event: Any) -> str:
        if event.kind == DISCARD:
            return " for a token" if view.last_gained else ""
        if event.outcome:
            return ": it fits" + (", and the pile is complete: a token back" if event.outcome == 2 else "")
        return f": it does not fit, a life is lost ({view.lives} left)"

    def _drawn(self, view: View, seat: int) -> Text:
        if seat == self.names.seat or view.size(seat) < view.hand_size or (self.names.seat is None and not self._tells_draws):
            return Text()
        card = view.card(seat, view.size(seat) - 1)
        return Text(" Draws ").append_text(self._card(card)).append(".") if card < CARD_TYPES else Text()

    def _hint(self, event: Any) -> Text:
        slots = [str(slot + 1) for slot in range(MAX_HAND) if event.touched >> slot & 1]
        several = len(slots) > 1
        line = Text(f"{self.names.does(event.seat, 'tell')} {self.names.name(event.target)}: ")
        line.append(f"slot{'s' if several else ''} {listed(slots)} {'are' if several else 'is'} ")
        if event.kind == HINT_COLOUR:
            return line.append_text(self._colour(event.value)).append(".")
        return line.append(f"{event.value + 1}s" if several else f"a {event.value + 1}", style="bold").append(".")

    # -- what is asked --

    def ask(self, view: View) -> None:
        """Nothing: every move is a choice."""

    def question(self, view: View) -> str:
        """The decision that is open."""
        return "Your move?"

    def no_discard(self, view: View) -> str:
        """Why nothing may be discarded; empty if something may."""
        full = view.tokens >= view.max_tokens and not view.discard_when_full
        return f"Nothing may be discarded while all {view.max_tokens} tokens are there." if full else ""

    def no_hint(self, view: View) -> str:
        """Why no hint may be given; empty if one may."""
        return "" if view.tokens else "There is no token left for a hint; a discard brings one back."

    def why_not(self, view: Any, action: int) -> str:
        """Why a move is not legal now."""
        return why_illegal(view, action)

    def reasons(self, view: View) -> dict[str, str]:
        """Why nothing may be discarded or hinted now, by `discard` and `hint`."""
        told = {"discard": self.no_discard(view), "hint": self.no_hint(view)}
        return {name: why for name, why in told.items() if why}

    # -- the end --

    def result(self, state: Any) -> list[str]:
        """The score, and why it ended."""
        perfect = state.colours * state.ranks
        if state.status == LOST:
            return [f"Score: 0 of {perfect}. The last life is lost; {counted(state.score, 'point')} lay on the table."]
        why = "The deck has run out" if state.status == ENDED else "A perfect game"
        return [f"Score: {state.score} of {perfect}. {why}, after {counted(state.turn, 'turn')}."]

    def contest_result(self, scores: list[int], is_finished: bool = True) -> str:
        """Nothing: there are no contests."""
        return ""


def make_telling(game: GameDefinition, names: Names, to: str | None, tells_draws: bool) -> HanabiTelling:
    """A telling with cards in full words."""
    return HanabiTelling(names, tells_draws=tells_draws)
