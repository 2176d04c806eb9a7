"""Hanabi for a person: the table with the own cards hidden, the menu of moves, and what every move did."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted
from kibitz.games.hanabi.cards import COLOUR_LETTERS, COLOUR_OF, COLOURS, DISCARD, MAX_HAND, MAX_RANKS, PLAY, RANK_OF
from kibitz.games.hanabi.view import View
from kibitz.report.hanabi.telling import HanabiTelling
from kibitz.terminal.game_screen import GameScreen
from kibitz.terminal.menu import Choice, Menu, TextPage

# On backgrounds, so that white and yellow are seen in light and in dark terminals.
STYLES = ("bold white on red", "black on yellow", "black on green", "black on white", "bold white on blue")
_LABEL, _CELL = 16, 12


class HanabiScreen(GameScreen):
    """What a game of Hanabi shows to the person at a seat."""

    name_help = "Here slots count from 0 (the oldest card), and hint:1 tells the next player, hint:2 the one after."

    name_width = 15

    def make_telling(self) -> HanabiTelling:
        """Who finds the words."""
        return HanabiTelling(self.names, card_text, colour_text)

    # -- the table --

    def table(self, view: View) -> list[Text]:
        """Fireworks, tokens, lives, deck; then every hand with what its holder knows of it."""
        lines = [*self._counts(view), self._slots(view), *self._own_hand(view)]
        for places in range(1, view.players):
            lines += self._other_hand(view, view.seat_after(places))
        return lines

    def _counts(self, view: View) -> list[Text]:
        points = f"{view.score} of {view.colours * view.ranks} points"
        first = Text(f"{self.title} · turn {view.turn} · {points}", style="bold")
        deck = f"   Deck {view.deck_size}" if view.deck_size else "   The deck is empty: your last turn."
        second = Text("Fireworks ").append_text(piles_text(view))
        second.append(f"   Tokens {view.tokens} of {view.max_tokens}   Lives {view.lives} of {view.max_lives}{deck}")
        return [first, second]

    def _slots(self, view: View) -> Text:
        return row("", [Text(f"slot {slot + 1}", "dim") for slot in range(view.hand_size)])

    def _own_hand(self, view: View) -> list[Text]:
        slots = range(view.size(view.seat))
        known = [known_text(view, slot) for slot in slots]
        return [row("You", known), row(f" seat {view.seat}, may be", self._possible(view, view.seat))]

    def _other_hand(self, view: View, seat: int) -> list[Text]:
        cards = [card_text(view.card(seat, slot)) for slot in range(view.size(seat))]
        return [row(self.names.start(seat), cards), row(f" seat {seat}, knows", self._possible(view, seat))]

    def _possible(self, view: View, seat: int) -> list[Text]:
        return [possible_text(view, seat, slot) for slot in range(view.size(seat))]

    # -- the menu --

    def menu(self, view: View) -> Menu:
        """Play, discard, hint, or look at the discard pile or at the partner's conventions."""
        return Menu(
            self.telling.question(view),
            [
                Choice("p", "play", self._slot_menu(view, "Play which slot?", view.hand_size)),
                Choice("d", "discard", self._slot_menu(view, "Discard which slot?", 0), self.telling.no_discard(view)),
                Choice("h", "hint", self._hint_menu(view), self.telling.no_hint(view)),
                Choice("v", "discard pile", discard_page(view)),
                *self.guide_choices(),
            ],
        )

    def _slot_menu(self, view: View, question: str, first_move: int) -> Menu:
        slots = [
            Choice(str(slot + 1), known_text(view, slot), first_move + slot, "" if slot < view.size(view.seat) else "That slot is empty.")
            for slot in range(view.hand_size)
        ]
        return Menu(question, slots)

    def _hint_menu(self, view: View) -> Menu:
        others = [view.seat_after(places) for places in range(1, view.players)]
        if len(others) == 1:
            return self._value_menu(view, others[0])
        return Menu("Tell whom?", [Choice(str(seat), self.names.name(seat), self._value_menu(view, seat)) for seat in others])

    def _value_menu(self, view: View, seat: int) -> Menu:
        held = [view.card(seat, slot) for slot in range(view.size(seat))]
        name = self.names.name(seat)
        choices = []
        for colour in range(view.colours):
            slots = [str(slot + 1) for slot, card in enumerate(held) if COLOUR_OF[card] == colour]
            label = Text(COLOURS[colour], STYLES[colour]).append(f": {','.join(slots)}", style="not bold default on default")
            why_not = "" if slots else f"{name} has no {COLOURS[colour]} card, and a hint must touch a card."
            choices.append(Choice(COLOURS[colour][0], label, view.hint_colour(seat, colour), why_not))
        for rank in range(view.ranks):
            slots = [str(slot + 1) for slot, card in enumerate(held) if RANK_OF[card] == rank]
            why_not = "" if slots else f"{name} has no {rank + 1}, and a hint must touch a card."
            choices.append(Choice(str(rank + 1), f"{rank + 1}s: {','.join(slots)}", view.hint_rank(seat, rank), why_not))
        return Menu(f"Tell {name} which colour or rank? (behind it the slots it touches)", choices)

    def why_not(self, view: View, action: int) -> str:
        """Why a move is not legal now."""
        kind = view.move_kind(action)
        if kind == PLAY or (kind == DISCARD and (view.tokens < view.max_tokens or view.discard_when_full)):
            return "That slot is empty."
        for choice in self.menu(view).choices:
            if choice.key == ("d" if kind == DISCARD else "h") and choice.why_not:
                return choice.why_not
        return "That hint would touch no card, and a hint must touch one."

    # -- the end --

    def ending(self, state: Any) -> list[Text]:
        """The score, the fireworks, and every hand."""
        score = self.telling.result(state)[0]
        lines = [Text(f"{self.title} · the end", "bold"), Text(score, "bold"), Text("Fireworks ").append_text(piles_text(state))]
        for seat in [(self.seat + places) % state.players for places in range(state.players)]:
            held = [card_text(card) for card in state.hands[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]]]
            label = "Your cards were" if seat == self.seat else f"{self.names.name(seat)} held"
            lines.append(Text(f"{label} ").append_text(Text(" ").join(held) if held else Text("nothing")))
        return lines


def card_text(card: int) -> Text:
    """A card on its colour: `R1`."""
    return Text(f"{COLOUR_LETTERS[COLOUR_OF[card]]}{RANK_OF[card] + 1}", style=STYLES[COLOUR_OF[card]])


def colour_text(colour: int) -> Text:
    """A colour's name on that colour."""
    return Text(COLOURS[colour], STYLES[colour])


def piles_text(view: View) -> Text:
    """The height of every pile."""
    return Text(" ").join([Text(f"{COLOUR_LETTERS[colour]}{view.fireworks[colour]}", STYLES[colour]) for colour in range(view.colours)])


def known_text(view: View, slot: int) -> Text:
    """An own card as far as hints tell: `??`, `R?`, `?3`, `R3`."""
    colours, ranks = view.colour_mask(view.seat, slot), view.rank_mask(view.seat, slot)
    colour = colours.bit_length() - 1 if colours.bit_count() == 1 else -1
    rank = str(ranks.bit_length()) if ranks.bit_count() == 1 else "?"
    return Text(f"{COLOUR_LETTERS[colour] if colour >= 0 else '?'}{rank}", STYLES[colour] if colour >= 0 else "reverse")


def possible_text(view: View, seat: int, slot: int) -> Text:
    """The colours and ranks a card may have by the hints given: `RY..B 1..45`."""
    text = Text()
    for colour in range(view.colours):
        possible = view.colour_mask(seat, slot) >> colour & 1
        text.append(COLOUR_LETTERS[colour] if possible else ".", style=STYLES[colour] if possible else "dim")
    text.append(" ")
    for rank in range(view.ranks):
        possible = view.rank_mask(seat, slot) >> rank & 1
        text.append(str(rank + 1) if possible else ".", style="" if possible else "dim")
    return text


def row(label: str, cells: list[Text]) -> Text:
    """A label and a cell for each slot, in columns."""
    line = Text(f"{label:<{_LABEL}} ", no_wrap=True)
    for cell in cells:
        line.append_text(cell).append(" " * (_CELL - cell.cell_len))
    line.rstrip()
    return line


def discard_page(view: View) -> TextPage:
    """The discard pile by colour, and how high each pile can still grow."""
    lines = [Text(f"Discard pile: {counted(sum(view.discards), 'card')}", "bold")]
    for colour in range(view.colours):
        cards = [
            card_text(colour * MAX_RANKS + rank) for rank in range(view.ranks) for _ in range(view.discards[colour * MAX_RANKS + rank])
        ]
        line = Text(f"{COLOURS[colour]:<8}", no_wrap=True).append_text(Text(" ").join(cards) if cards else Text("nothing", "dim"))
        height = view.reachable_height(colour)
        if height < view.ranks:
            line.append(f"   the pile can reach {height} at most")
        lines.append(line)
    return TextPage(lines)
