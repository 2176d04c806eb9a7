"""UNO for a person: the table, the hand with a key for every card that may be played, and the windows of house rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted
from kibitz.games.uno.cards import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    COLOUR_OF,
    COLOURED_TYPES,
    COLOURS,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    NO_COLOUR,
    PASS,
    POINTS_OF,
    UNO,
    play_action,
)
from kibitz.games.uno.names import card_name
from kibitz.games.uno.notation import hand_in_order
from kibitz.games.uno.view import (
    CATCHING,
    CHALLENGING,
    COLOUR,
    DRAWN,
    JUMPING_IN,
    STACK,
    SWAP,
    TURN,
    UNO_CALL,
    View,
)
from kibitz.report.uno.telling import UnoTelling
from kibitz.report.uno.transcript import long_name
from kibitz.terminal.game_screen import GameScreen
from kibitz.terminal.menu import Choice, Menu, in_rows
from kibitz.terminal.screen import WIDTH

# On backgrounds, so that yellow is seen in light and in dark terminals.
STYLES = ("bold white on red", "black on green", "bold white on blue", "black on yellow", "bold white on magenta")
CARD_KEYS = "123456789efghijlmnorstvwxyz"  # without the letters of other choices


class UnoScreen(GameScreen):
    """What a game of UNO shows to the person at a seat."""

    name_help = "Cards are r5, gskip, b+2, yrev; a wild is named with the colour it calls: wild:r; swap:1 is the next player."

    def make_telling(self) -> UnoTelling:
        """Who finds the words."""
        return UnoTelling(self.names, self.to, card_text, colour_text)

    # -- the table --

    def table(self, view: View) -> list[Text]:
        """Everybody's cards by number, the pile, the own hand."""
        first = Text(f"{self.title} · turn {view.turn}", "bold")
        upwards = view.direction > 0
        following = self.names.name(view.seat_after(1))
        direction = f"Play goes {'up' if upwards else 'down'} the seats: after you comes {following}."
        top = Text("On the table: ").append_text(card_text(view.top))
        if view.top >= COLOURED_TYPES:
            top.append(", colour ").append_text(colour_text(view.colour))
        top.append(f"   {counted(view.pile_size, 'card')} to draw")
        return [first, *in_rows(self._players(view), WIDTH, 0), Text(direction), Text(), top, *self._hand_lines(view)]

    def _players(self, view: View) -> list[Text]:
        cells = []
        for seat in range(view.players):
            scored = f", {counted(view.scores[seat], 'point')}" if self.to else ""
            marker = ">" if seat == self.seat else " "
            told = f"{marker} seat {seat} {self.names.name(seat)}: {counted(view.sizes[seat], 'card')}{scored}"
            cells.append(Text(f"{told:<{WIDTH // 2}}", "bold" if seat == self.seat else ""))
        return cells

    def _hand_lines(self, view: View) -> list[Text]:
        keys = card_keys(view)
        counts = Counter(view.cards())
        width = max(len(card_name(card)) + (3 if counts[card] > 1 else 0) for card in counts) + 4 if counts else 4
        cells = []
        for card in sorted(counts):
            key = Text(f"[{keys[card]}] ", "bold") if card in keys else Text("    ")
            cell = key.append_text(card_text(card)).append(f" x{counts[card]}" if counts[card] > 1 else "")
            cell.append(" " * (width - cell.cell_len))
            cells.append(cell)
        return [Text(f"Your hand, {counted(len(view.cards()), 'card')}:"), *in_rows(cells, WIDTH)]

    # -- the menu --

    def menu(self, view: View) -> Menu:
        """The decision that is open."""
        self.telling.ask(view)
        return Menu(self.telling.question(view, keys_in_words(view)), self._choices(view))

    def _choices(self, view: View) -> list[Choice]:
        phase = view.phase
        if phase == TURN:
            return [*self._cards(view), Choice("d", "draw", DRAW, self._unless_legal(view, DRAW))]
        if phase == DRAWN:
            play_drawn = [self._play_drawn(view)] if view.only_drawn() else []
            return [*self._cards(view), *play_drawn, Choice("k", "keep", KEEP, self._unless_legal(view, KEEP))]
        if phase == COLOUR:
            return self._colours(view.top)
        if phase in (STACK, CHALLENGING):
            accept = Choice("a", f"accept: draw {view.stack}", ACCEPT)
            return [*self._cards(view), accept, Choice("c", "challenge", CHALLENGE, self._unless_legal(view, CHALLENGE))]
        if phase == SWAP:
            return self._swaps(view)
        if phase == UNO_CALL:
            return [Choice("u", "uno: say it", UNO), Choice("p", "pass: say nothing", PASS)]
        if phase == CATCHING:
            return [Choice("c", "catch: draws two", CATCH), Choice("p", "pass", PASS)]
        assert phase == JUMPING_IN
        return [Choice("j", Text("jump in with ").append_text(card_text(view.top)), JUMP_IN), Choice("p", "pass", PASS)]

    def _unless_legal(self, view: View, action: int) -> str:
        return "" if view.is_legal(action) else self.telling.why_not(view, action)

    def _cards(self, view: View) -> list[Choice]:
        choices = []
        for card, key in card_keys(view).items():
            wild = card >= COLOURED_TYPES
            leads_to = Menu(f"{long_name(card)}: which colour do you call?", self._colours(card)) if wild else play_action(card, 0)
            choices.append(Choice(key, card_name(card), leads_to, listed=False))
        return choices

    def _colours(self, card: int) -> list[Choice]:
        return [Choice(COLOURS[colour][0], colour_text(colour), play_action(card, colour)) for colour in range(NO_COLOUR)]

    def _play_drawn(self, view: View) -> Choice:
        cards = self._cards(view)
        return Choice("p", Text("play ").append_text(card_text(view.drawn)), cards[0].leads_to)

    def _swaps(self, view: View) -> list[Choice]:
        others = [(view.seat_after(places), places) for places in range(1, view.players)]
        return [
            Choice(str(seat), f"{self.names.name(seat)} ({counted(view.sizes[seat], 'card')})", FIRST_SWAP + places - 1)
            for seat, places in sorted(others)
        ]

    # -- the end --

    def ending(self, state: Any) -> list[Text]:
        """Who won what, and every hand."""
        lines = [Text(f"{self.title} · the end", "bold"), Text(self.telling.deal_result(state), "bold")]
        for seat in range(state.players):
            cards = sorted(hand_in_order(state, seat))
            points = sum(POINTS_OF[card] for card in cards)
            held = (
                Text(" ").join([card_text(card) for card in cards]).append(f" ({counted(points, 'point')})") if cards else Text("no cards")
            )
            lines.append(Text(f"{self.names.start(seat)} held ").append_text(held))
        if self.to:
            lines.append(Text(self.telling.contest_result(list(state.scores[: state.players])), "bold"))
        return lines


def card_keys(view: View) -> dict[int, str]:
    """A key for every card type that may be played now."""
    playable = [card for card in sorted(set(view.cards())) if view.phase <= STACK and view.can_play(card) and view.phase != COLOUR]
    return dict(zip(playable, CARD_KEYS, strict=False))


def keys_in_words(view: View) -> str:
    """The keys of the cards that may be played: ` ([1])`, ` ([1] or [2])`, ` ([1] to [4])`."""
    keys = list(card_keys(view).values())
    if len(keys) < 2:
        return f" ([{keys[0]}])" if keys else ""
    return f" ([{keys[0]}] {'or' if len(keys) == 2 else 'to'} [{keys[-1]}])"


def card_text(card: int) -> Text:
    """A card's short name on its colour."""
    return Text(card_name(card), STYLES[COLOUR_OF[card]])


def colour_text(colour: int) -> Text:
    """A colour's name on that colour."""
    return Text(COLOURS[colour], STYLES[colour]) if colour != NO_COLOUR else Text("of your choice")
