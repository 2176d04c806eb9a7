"""Why `information` does what it does, in words about the position: the `reasons` of that bot. Nothing here is compiled."""

from __future__ import annotations

from kibitz.core.layouts import copy_record
from kibitz.core.sentences import listed
from kibitz.games.hanabi.cards import DISCARD, HINT_COLOUR, MAX_HAND, PLAY
from kibitz.games.hanabi.names import card_name, seat_words
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import are_all
from kibitz.policies.hanabi.card_stories import (
    CardStories,
    News,
    event_of,
    move_of_news,
    named_types,
    slot_words,
    slots_words,
    told_words,
    types_words,
)
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge
from kibitz.policies.hanabi.hat_messages import (
    copy_masks,
    has_sure_play,
    hat_sum,
    read_discard,
    read_move,
    said_by_hint,
    total_codes,
    useless_slots,
)
from kibitz.policies.hanabi.hat_moves import (
    CAN_PLAY,
    FULL,
    GAMBLE,
    HELD_BACK,
    MESSAGE,
    NEEDED,
    NOT_ALLOWED,
    SURE,
    TIME,
    USELESS,
    look_around,
    surest_play,
    unseen_copies,
)


class HatReasons:
    """Follows a game with `information`, and says why it moves as it does."""

    def __init__(self) -> None:
        self._stories = CardStories()

    def begin(self, view: View, knowledge: HatKnowledge) -> None:
        """A deal begins, or the bot comes to one that has."""
        self._stories.begin(view, knowledge)

    def observe(self, view: View, event: Event, knowledge: HatKnowledge) -> None:
        """Note what the bot has learned from a move."""
        self._stories.observe(view, event, knowledge)

    def words(self, view: View, knowledge: HatKnowledge, rule: int | None, action: int) -> str:
        """Why a rule gave this move; without a rule, what the convention says about the move."""
        if rule == NOT_ALLOWED:
            return ""
        known = copy_record(knowledge)
        look_around(known, view.cards, view.seat)
        kind = view.move_kind(action)
        if kind == PLAY:
            return self._play(view, known, rule, action - view.hand_size)
        return _discard(view, known, rule, action) if kind == DISCARD else _hint(view, known, rule, action)

    def _play(self, view: View, known: HatKnowledge, rule: int | None, slot: int) -> str:
        where, name = view.seat * MAX_HAND + slot, slot_words(slot)
        seen = known.draft[where]
        if rule == SURE or (rule is None and are_all(seen, known.playable)):
            return f"plays {name}: {types_words(seen, 'fit')}; {self._stories.cause(view, known, slot, _told)}"
        chance = _share(known, seen, known.playable)
        if rule == GAMBLE:
            return f"plays {name}: this is the last round, and it fits with {chance}, no other card with more"
        dead = f"is dead with {_share(known, seen, known.dead)}" if rule is None else "is dead otherwise"
        return f"plays {name}: it fits with {chance} and {dead}"


def _told(view: View, news: News) -> str:
    """What a move told about a card."""
    return f"{move_of_news(view, news)} told this player as much"


# -- discards --


def _discard(view: View, known: HatKnowledge, rule: int | None, slot: int) -> str:
    name, seen = slot_words(slot), known.draft[view.seat * MAX_HAND + slot]
    if rule == MESSAGE:
        publicly = useless_slots(known, known.masks, view.seat)
        useless = [other for other in range(view.size(view.seat)) if publicly >> other & 1]
        after = copy_record(known)
        read_discard(after, view.cards, view.seat, slot, view.seat)
        return f"discards {name}: everybody knows that {slots_words(useless)} are useless, and choosing this one {_lessons(view, known, after)}"
    if rule == USELESS or (rule is None and are_all(seen, known.dead)):
        dead = are_all(seen, known.dead)
        return f"discards {name}, which is useless: {types_words(seen, 'are dead') if dead else 'it holds the same card twice'}"
    held = 0
    for seat in range(view.players):
        held |= known.hand_types[seat]
    elsewhere, spare = _share(known, seen, held), _share(known, seen, ~known.last)
    why = ", by which it will be missed least" if rule is not None else ""
    return f"discards {name}: another hand has the same card with {elsewhere}, and it is no last copy with {spare}{why}"


def _share(known: HatKnowledge, seen: int, wanted: int) -> str:
    """How likely a card has one of some types, in per cent."""
    return f"{100 * unseen_copies(known, seen & wanted) / max(1, unseen_copies(known, seen)):.0f} %"


# -- hints --


def _hint(view: View, known: HatKnowledge, rule: int | None, move: int) -> str:
    event = event_of(view, move)
    hint = f"hints {told_words(event.kind, event.value)} to {seat_words(view, event.target)}"
    after = copy_record(known)
    if not _is_true(view, known, event):
        return f"{hint}: by the convention this says something that isn't true"
    read_move(after, event, view.cards, view.seat)
    why = _occasion(view, known, rule)
    return f"{hint}: {why}{', and ' if why else ''}the hint {_lessons(view, known, after)}"


def _is_true(view: View, known: HatKnowledge, event: Event) -> bool:
    """Whether a hint says the sum that the hands in sight stand for."""
    room = copy_record(known)
    copy_masks(room)
    total = total_codes(room, view.seat)
    truth = hat_sum(room, room.draft, view.cards, view.seat, view.seat, total)
    return bool(said_by_hint(known, view.seat, event.target, event.kind == HINT_COLOUR, event.touched) == truth)


def _occasion(view: View, known: HatKnowledge, rule: int | None) -> str:
    """Why a hint was wanted."""
    if rule == FULL:
        return "all tokens are there"
    if rule == HELD_BACK:
        slot = surest_play(known, view.seat)
        card = known.draft[view.seat * MAX_HAND + slot]
        busy = [seat for seat in range(view.players) if (known.hand_types[seat] & ~known.dead & ~card).bit_count() > known.deck_size]
        play = f"its {named_types(card)[0]} in {slot_words(slot)} can wait for the last round"
        return f"{play}, while {seat_words(view, busy[0])} has more cards to play than there are left to draw"
    if rule in (NEEDED, CAN_PLAY):
        for seat in range(view.players):
            fitting = [slot for slot in range(view.size(seat)) if seat != view.seat and view.is_playable(view.card(seat, slot))]
            if fitting and (rule == CAN_PLAY or not has_sure_play(known, known.masks, seat)):
                playing = f"{card_name(view.card(seat, fitting[-1]))} in {slot_words(fitting[-1])}"
                unaware = " and doesn't know of a card to play" if rule == NEEDED else ""
                return f"{seat_words(view, seat)} can play {playing}{unaware}"
    if rule == TIME:
        return f"nobody can play, but {known.tokens} tokens are left"
    return ""


def _lessons(view: View, before: HatKnowledge, after: HatKnowledge) -> str:
    """What everybody else learns by a message."""
    lessons = []
    for seat in range(view.players):
        if seat == view.seat:
            continue
        fits, dead, more = [], [], []
        for slot in range(view.size(seat)):
            old, new = before.masks[seat * MAX_HAND + slot], after.masks[seat * MAX_HAND + slot]
            if old == new:
                continue
            if are_all(new, before.playable) and not are_all(old, before.playable):
                fits.append(slot)
            elif are_all(new, before.dead) and not are_all(old, before.dead):
                dead.append(slot)
            else:
                more.append(slot)
        told = [
            f"that {slots_words(slots)} {verb if len(slots) == 1 else verbs}"
            for slots, verb, verbs in ((fits, "fits", "fit"), (dead, "is dead", "are dead"))
            if slots
        ]
        if not told and more:
            told = [f"more about {slots_words(more)}"]
        if told:
            lessons.append(f"{seat_words(view, seat)} {' and '.join(told)}")
    return f"tells {listed(lessons)}" if lessons else "tells nobody anything new"
