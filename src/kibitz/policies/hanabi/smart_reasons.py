"""Why `smart` does what it does, in words about the position: the `reasons` of that bot. Nothing here is compiled.

Words come from the bot's own knowledge and from the story of each card, so they say what made the rule fire.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.core.layouts import copy_record
from kibitz.core.sentences import counted, listed
from kibitz.games.hanabi.cards import DISCARD, HINT_COLOUR, HINT_RANK, MAX_HAND, PLAY
from kibitz.games.hanabi.names import card_name, seat_words
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import is_sure, type_bit
from kibitz.policies.hanabi.card_stories import CardStories, News, event_of, move_of_news, slot_words, told_words, types_words
from kibitz.policies.hanabi.public_knowledge import mask_of
from kibitz.policies.hanabi.smart_conventions import (
    NEWEST,
    NONE,
    PASSES,
    SHOWS,
    TWIN,
    WARNING,
    SmartKnowledge,
    cards_shown,
    next_discard,
    read_event,
)
from kibitz.policies.hanabi.smart_policy import (
    DISCARD_DEAD,
    DISCARD_EXPECTED,
    DISCARD_LAST,
    FINESSE,
    LATE_GAMBLE,
    LATE_PLAY,
    STALL,
    SURE_PLAY,
    WARN_BY_PLAY,
    WARN_BY_RANK,
    free_types,
    gamble,
    literal_sight,
    rank_of,
    sight,
)


class Meaning(NamedTuple):
    """What everybody reads in a hint: its kind, as `read_event` tells it, and the slots of the target that it is about."""

    kind: int
    slots: list[int]


def hint_meaning(knowledge: SmartKnowledge, event: Event) -> Meaning:
    """What a hint means under the conventions, from what everybody knew before it."""
    after = copy_record(knowledge)
    kind, where = read_event(after, event, [], NONE)
    meant = cards_shown(knowledge.masks, knowledge.playable, after, event.target)[::-1] if kind == SHOWS else [where] if where >= 0 else []
    return Meaning(kind, [place % MAX_HAND for place in meant])


class SmartReasons:
    """Follows a game with `smart`, and says why it moves as it does."""

    def __init__(self) -> None:
        self._stories = CardStories()
        self._before: SmartKnowledge

    def begin(self, view: View, knowledge: SmartKnowledge) -> None:
        """A deal begins, or the bot comes to one that has."""
        self._stories.begin(view, knowledge)
        self._before = knowledge

    def observe(self, view: View, event: Event, knowledge: SmartKnowledge) -> None:
        """Note what the bot has read in a move."""
        meaning, meant = read_event(copy_record(self._before), event, view.cards, view.seat)
        self._stories.observe(view, event, knowledge, meant, meaning)
        self._before = knowledge

    def words(self, view: View, knowledge: SmartKnowledge, rule: int | None, action: int) -> str:
        """Why a rule gave this move; without a rule, what the conventions say about the move."""
        known = copy_record(knowledge)
        kind = view.move_kind(action)
        if kind == PLAY:
            return self._play(view, known, rule, action - view.hand_size)
        return self._discard(view, known, rule, action) if kind == DISCARD else _hint(view, known, rule, action)

    # -- plays --

    def _play(self, view: View, known: SmartKnowledge, rule: int | None, slot: int) -> str:
        free = free_types(known, view.cards, view.seat, True)
        seen = sight(known, view.cards, view.seat, slot, free)
        literal = literal_sight(known, view.cards, view.seat, slot)
        if known.broken and known.lives == 1 and is_sure(literal, known.playable):
            seen = literal
        name, sure = slot_words(slot), is_sure(seen, known.playable)
        late = "the deck is empty, and " if rule in (LATE_PLAY, LATE_GAMBLE) else ""
        if rule in (LATE_PLAY, SURE_PLAY) or (rule is None and sure):
            return f"plays {name}: {late}{types_words(seen, 'fit')}; {self._stories.cause(view, known, slot, _told)}"
        odds = f"{(seen & known.playable).bit_count()} of the {seen.bit_count()} cards that it may be fit"
        if rule is None:
            return f"plays {name}, though it need not fit: {odds}"
        if gamble(known, view.cards, view.seat, free, 0) != slot:
            return f"plays {name}, since nothing else is left to do"
        left = f"{known.deck_size} to draw, {counted(known.lives, 'life', 'lives')}"
        return f"gambles on {name}: {late}{odds}, the highest share in its hand ({left})"

    # -- discards --

    def _discard(self, view: View, known: SmartKnowledge, rule: int | None, slot: int) -> str:
        mask, name = mask_of(known, view.seat, slot), slot_words(slot)
        seen = sight(known, view.cards, view.seat, slot, free_types(known, view.cards, view.seat, True))
        if rule == FINESSE:
            holder = next(
                seat
                for seat in range(view.players)
                if seat != view.seat and view.size(seat) and type_bit(view.card(seat, view.size(seat) - 1)) == mask
            )
            card = card_name(int(mask).bit_length() - 1)
            return f"discards {name}, {card}, though it fits: the newest card of {seat_words(view, holder)} is {card} too, and they will play it"
        if rule == DISCARD_DEAD or (rule is None and is_sure(seen, known.dead)):
            return f"discards {name}, which is dead: {types_words(seen, 'are dead')}"
        if rule == DISCARD_LAST:
            rank = rank_of(mask)
            highest = f", and a {rank + 1} is the highest rank that it knows" if rank >= 0 else ", and it knows no card's rank"
            return f"discards {name}: no card is safe to discard{highest}"
        shares = _shares(known, view.seat)
        if rule == DISCARD_EXPECTED:
            equal = [other for other in shares if shares[other] == shares[slot]]
            dead = (
                f"{(mask & known.dead).bit_count()} of the {mask.bit_count()} cards that it may be are dead, the highest share in its hand"
            )
            why = dead if shares[slot] > 0 else "no card is more likely to be dead than another"
            if len(equal) > 1:
                why += ", and it is the oldest of those that aren't known to be last copies"
            where = view.seat * MAX_HAND + slot
            untouched = not view.named_colours[where] and not view.named_ranks[where]
            return f"discards {name}: {why}" + ("; nobody has hinted at it" if untouched else "")
        lost = "; it may be a last copy" if seen & known.last else ""
        return f"discards {name}: {(seen & known.dead).bit_count()} of the {seen.bit_count()} cards that it may be are dead{lost}"


def _told(view: View, news: News) -> str:
    """What a move told about a card of the viewer."""
    move = move_of_news(view, news)
    if news.kind in (HINT_COLOUR, HINT_RANK) and news.target == view.seat:
        if news.meaning == NEWEST:
            return f"{move} named no card that surely fits, so it means the newest card it touched that may fit"
        if news.meaning == WARNING:
            return f"{move} warned of discarding it, so it is a last copy"
        return f"{move} leaves nothing else" if news.touched else f"{move} didn't touch it, which leaves nothing else"
    if news.meaning == TWIN:
        return f"{seat_words(view, news.seat)} discarded {card_name(news.card)} in turn {news.turn} though it fitted, which points out its twin"
    return f"since turn {news.turn} all else is gone, known to be elsewhere or ruled out"


def _shares(known: SmartKnowledge, seat: int) -> dict[int, float]:
    """By slot: the share of dead types, of cards that are not known to be last copies."""
    masks = {slot: mask_of(known, seat, slot) for slot in range(known.sizes[seat])}
    return {slot: (mask & known.dead).bit_count() / mask.bit_count() for slot, mask in masks.items() if not is_sure(mask, known.last)}


def _hint(view: View, known: SmartKnowledge, rule: int | None, move: int) -> str:
    event = event_of(view, move)
    who, meaning = seat_words(view, event.target), hint_meaning(known, event)
    hint = f"hints {told_words(event.kind, event.value)} to {who}"
    if rule == STALL:
        return f"{hint}: all tokens are there and nothing better is to be done, so it only passes the turn on"
    if rule in (WARN_BY_PLAY, WARN_BY_RANK):
        slot = next_discard(known, event.target)
        danger = f"they would discard {slot_words(slot)}, {card_name(view.card(event.target, slot))}, the last copy"
        return f"{hint}: {danger}; {'it warns them' if rule == WARN_BY_RANK else f'instead of a warning, {_effect(view, event, meaning)}'}"
    return f"{hint}: {_effect(view, event, meaning)}"


def _effect(view: View, event: Event, meaning: Meaning) -> str:
    """What a hint means to the player who gets it."""
    cards = [f"{card_name(view.card(event.target, slot))} in {slot_words(slot)}" for slot in meaning.slots]
    if meaning.kind == SHOWS:
        return f"it shows that {listed(cards)} {'fits' if len(cards) == 1 else 'fit'}"
    if meaning.kind == NEWEST:
        card = view.card(event.target, meaning.slots[0])
        named = [slot for slot in range(view.size(event.target)) if event.touched >> slot & 1]
        which = "newest card" if meaning.slots[0] == max(named) else "newest card that may fit"
        fits = "fits" if view.is_playable(card) else "doesn't fit"
        return f"it means the {which} it touches, {cards[0]}, which {fits}"
    if meaning.kind == WARNING:
        return f"they take it as a warning not to discard {cards[0]}"
    return "it is read as a passed turn" if meaning.kind == PASSES else "it tells them nothing to play"
