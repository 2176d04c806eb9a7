"""What moves of Hanabi mean under the conventions of `smart`, in words, wherever a copy of it plays.

`Meanings` keeps the same record as the bot and lets the bot's own code read every move; the words come from what the reading returns and
changes. It sees what its viewer sees: somebody who looks on learns nothing about hidden cards.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.layouts import blank
from kibitz.core.sentences import listed
from kibitz.games.hanabi.cards import COLOUR_OF, COLOURS, DISCARD, HIDDEN, MAX_HAND, PLAY, RANK_OF
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import is_open, type_bit
from kibitz.policies.hanabi.forgiveness import ForgivingKnowledge, begin_forgiving, read_forgiving
from kibitz.policies.hanabi.public_knowledge import mask_of, next_seat
from kibitz.policies.hanabi.smart_conventions import NEWEST, NOTHING, PASSES, SHOWS, TWIN, WARNING, cards_shown, next_discard
from kibitz.report.telling.spoken_names import Names

BOT = "smart"


def is_smart(name: str) -> bool:
    """Whether a player's name is that of the bot, with or without a preset."""
    return name.partition(":")[0] == BOT


class Meanings:
    """Reads a game along with `smart`, for the player whom `names` call `you` or for somebody who looks on; `sees_all` if hands are open."""

    def __init__(self, names: Names, sees_all: bool = False) -> None:
        self._names, self._sees_all = names, sees_all
        self.knowledge: ForgivingKnowledge | None = None  # None unless smart plays

    def begin(self, view: View) -> None:
        """A game begins, or is taken over."""
        self.knowledge = None
        if any(map(is_smart, self._names.full)):
            self.knowledge = blank(ForgivingKnowledge)
            begin_forgiving(view, self.knowledge)

    def tell(self, view: View, event: Any) -> list[str]:
        """What a move means, in sentences; `view` is what the viewer sees after it."""
        known = self.knowledge
        if known is None:
            return []
        seat = int(event.seat)
        following = next_seat(known, seat)
        expected = next_discard(known, following)
        masks, playable, last, tokens, deck = list(known.masks), known.playable, known.last, known.tokens, known.deck_size
        doubts, deaf = list(known.doubts), list(known.deaf)
        meaning, where = read_forgiving(known, event, *self._eyes(view, seat))
        told = self._doubted(doubts, deaf)
        if event.kind in (PLAY, DISCARD):
            told += [self._twin(where, int(event.card))] if meaning == TWIN else []
        elif meaning in (NEWEST, SHOWS):
            shown = cards_shown(masks, playable, known, int(event.target))
            told.append(self._newest(view, seat, where, playable) if meaning == NEWEST else self._shows(shown or [where]))
        else:
            told.append(self._other_hint(meaning, where, deck))
        if expected >= 0 and deck > 0 and tokens > 0 and not (event.kind not in (PLAY, DISCARD) and event.target == following):
            before, after = masks[following * MAX_HAND + expected], mask_of(known, following, expected)
            if is_open(before, last) and not after & last:
                told += self._silence(seat, following, expected)
        return told

    def _eyes(self, view: View, seat: int) -> tuple[list[int], int]:
        """The cards that the reading may look at, and whose eyes they are seen with."""
        if self._names.seat is not None or self._sees_all:
            return view.cards, int(view.seat)
        other = 1 - seat if view.players == 2 else seat
        return [HIDDEN] * len(view.cards), other

    # -- words --

    def _newest(self, view: View, seat: int, where: int, playable: int) -> str:
        known = self.knowledge
        assert known is not None
        told = f"play slot {_slot(where)}, the newest card it touches that may be playable"
        if known.doubts[seat]:
            return f"{told}; but {BOT} doubts it, since {self._whose(seat)} last message was misleading"
        card = int(view.cards[where])
        if where // MAX_HAND != view.seat and (self._names.seat is not None or self._sees_all) and not type_bit(card) & playable:
            return f"{told}; but that card isn't"
        return told

    def _shows(self, places: list[int]) -> str:
        slots = [str(_slot(place)) for place in places]
        return f"{'slot' if len(slots) == 1 else 'slots'} {listed(slots)} can be played"

    def _other_hint(self, meaning: int, where: int, deck: int) -> str:
        if meaning == WARNING:
            return f"keep slot {_slot(where)}: no other copy of it is left"
        if meaning == PASSES:
            return "nothing; with all tokens there, it only passes the turn"
        assert meaning == NOTHING
        return f"nothing beyond what it says{f'; {BOT} gives no such hint' if deck else ''}"

    def _twin(self, where: int, card: int) -> str:
        return f"{self._whose(where // MAX_HAND)} newest card is a {COLOURS[COLOUR_OF[card]]} {RANK_OF[card] + 1} too"

    def _silence(self, seat: int, following: int, slot: int) -> list[str]:
        if self._names.seat is None or self._names.seat not in (seat, following):
            return []
        return [f"no warning, so {self._whose(following)} slot {slot + 1} is safe to discard"]

    def _doubted(self, doubts: list[int], deaf: list[int]) -> list[str]:
        """Whom the bot relies on less than before the move."""
        known = self.knowledge
        assert known is not None
        told = []
        for seat in range(known.players):
            whose = self._whose(seat)
            if known.doubts[seat] > doubts[seat]:
                told.append(f"{whose} message was misleading; {BOT} takes {whose} hints literally until one is right")
            if known.deaf[seat] > deaf[seat]:
                told.append(f"{self._names.name(seat)} passed over a card that a hint meant; {BOT} no longer counts on it")
        return told

    def _whose(self, seat: int) -> str:
        return "your" if seat == self._names.seat else f"{self._names.name(seat)}'s"


def _slot(where: int) -> int:
    """A slot as people count."""
    return where % MAX_HAND + 1
