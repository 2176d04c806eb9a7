"""One decision of a search over a blueprint, in the manner of SPARTA (Lerer et al. 2019).

    base = what the blueprint would do
    for every sampled world, the same for all candidates: make each candidate, then let everybody follow the blueprint to the end
    drop candidates that fall behind from time to time
    leave the base only for a move that is better beyond doubt

Only truthful moves are tried: those after which nobody takes a card for something that it isn't. So everybody may search at once,
and what everybody knows stays true.
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import ONE, Word, clock, lowest, number, word
from kibitz.core.seeds import SEARCH, below, stream
from kibitz.games.hanabi.cards import DISCARD, MAX_CARDS, MAX_HAND, PLAY
from kibitz.games.hanabi.engine import show_actor
from kibitz.games.hanabi.state import Event, State
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge
from kibitz.policies.hanabi.hat_messages import EVERYBODY
from kibitz.policies.hanabi.smart_conventions import SmartKnowledge
from kibitz.policies.valuation import POINTS, begin_valuation
from kibitz.search.hanabi.blueprint.hand_beliefs import (
    FRACTIONS,
    Beliefs,
    Room,
    begin_hands,
    drop_false,
    effective_hands,
    hat_of,
    hear_own,
    hear_partner,
    regenerate,
    smart_of,
)
from kibitz.search.hanabi.blueprint.team import (
    SMART,
    begin_convention,
    blueprint_move,
    card_types,
    copy_convention,
    follow,
    is_true,
    make_move,
    play_on,
)
from kibitz.search.hanabi.worlds import FINE, Unseen, copy_state, deal_unseen, find_unseen, lay_table, shuffle_rest
from kibitz.search.parts import part_of, words_for
from kibitz.search.race import (
    FUTILE,
    Figures,
    Race,
    drop_futile,
    drop_outrun,
    enter,
    is_clear,
    list_runners,
    note_result,
    open_race,
    winner_of,
)

ROUND = 20  # worlds between two looks at who falls behind
PAIR_LOOK, FIRST_LOOK = 20, 40  # worlds before the first, with two players and with more
OUTRUN = 2.5  # so many standard errors behind the leader, a candidate is given up
PAIR_FUTILE = 1.5  # so many short of what it needs in the end, one is given up with two players, who have more worlds
CLEAR = 3.5  # so many beyond the margin, the last candidate is made without trying more worlds
PAIR_WORLDS, TEAM_WORLDS = 3000, 200  # for one decision with two players, and with more
LIE = -1.0
OWN_MOVES = 1000  # streams for own moves come behind those of decisions
MOST_WORLDS = 1_000_000
_ZERO = Word(0)


class BlueprintSearch(Race):
    """Where a search works."""

    states: Annotated[list[int], "u8", words_for(State, 2)]
    smart: Annotated[list[int], "u8", words_for(SmartKnowledge)]
    hat: Annotated[list[int], "u8", words_for(HatKnowledge)]
    unseen: Annotated[list[int], "u8", words_for(Unseen)]
    room: Annotated[list[int], "u8", words_for(Room)]
    here: Figures  # results of each candidate in the present world


state_of = part_of(BlueprintSearch, "states", State)
searched_smart = part_of(BlueprintSearch, "smart", SmartKnowledge)
searched_hat = part_of(BlueprintSearch, "hat", HatKnowledge)
unseen_of = part_of(BlueprintSearch, "unseen", Unseen)
room_of = part_of(BlueprintSearch, "room", Room)


def follows_hands(view: View, memory: Beliefs) -> bool:
    """Whether the player keeps a list of hands it may hold. Among players of `information` what everybody knows says as much."""
    return memory.kind == SMART


def begin_beliefs(view: View, memory: Beliefs, kind: int) -> None:
    """Follow a game by a convention from here on: of what was before, only hints are known."""
    memory.kind = kind
    begin_convention(kind, view, smart_of(memory, 0), hat_of(memory, 0))
    begin_hands(view, memory)


def hear_move(view: View, event: Event, memory: Beliefs, room: Room, surprise: float, hands: int) -> None:
    """Read a move as everybody does, and learn about the own hand."""
    moved = event.kind == DISCARD or event.kind == PLAY
    if follows_hands(view, memory):
        if event.seat != view.seat:
            hear_partner(view, memory, room, surprise, number(event.seat), moved and smart_of(memory, 0).deck_size > 0)
        elif moved:
            position = stream(view.random_stream, OWN_MOVES + number(view.turn))
            hear_own(view, memory, room, number(event.slot), number(event.card), hands, position)
    # The others may misread one's own move, all of them in sight; what they may misread in other moves nobody can tell.
    reader = EVERYBODY if event.seat == view.seat else number(view.seat)
    follow(number(memory.kind), smart_of(memory, 0), hat_of(memory, 0), event, view.cards, reader)


def search(view: View, memory: Beliefs, work: BlueprintSearch, params: Any) -> int:
    """The move to make."""
    kind, me = number(memory.kind), number(view.seat)
    begin_valuation(work, POINTS)
    base = blueprint_move(kind, smart_of(memory, 0), hat_of(memory, 0), view.cards, me)
    if not view.is_legal(base):
        base = lowest(view.legal_moves)
    open_race(work)
    enter(work, base)
    for move in range(64):
        if move != base and view.is_legal(move):
            enter(work, move)
    table = state_of(work, 0)
    lay_table(view, table)
    table.observed = 1
    if work.entered == 1 or find_unseen(view, unseen_of(work, 0)) != FINE:
        return base
    position = stream(stream(view.random_stream, SEARCH), number(view.turn))
    if follows_hands(view, memory):
        drop_false(view, memory)
        if effective_hands(memory) < number(params.hands) / 8:
            position = regenerate(view, memory, room_of(work, 0), number(params.hands), params.surprise, position)
        if add_up(memory, room_of(work, 0)) <= 0.0:
            memory.gave_up += 1
            return base
    else:
        narrow_choices(view, memory, unseen_of(work, 0))
    memory.searched += 1
    try_worlds(view, memory, work, params, position)
    list_runners(work, 1)
    move = winner_of(work, params.lean, margin_of(view, memory, params))
    if move != base:
        memory.left_blueprint += 1
    return move


def margin_of(view: View, memory: Beliefs, params: Any) -> float:
    """The points by which a move must lead the blueprint's: more if the partner tells its hand from moves, and would be misled."""
    margin: float = params.margin
    if follows_hands(view, memory):
        margin += params.confusion
    return margin


def worlds_of(view: View, params: Any) -> int:
    """The most worlds for one decision."""
    if params.milliseconds > 0:
        return MOST_WORLDS
    if params.worlds > 0:
        return number(params.worlds)
    return PAIR_WORLDS if view.players == 2 else TEAM_WORLDS


def try_worlds(view: View, memory: Beliefs, work: BlueprintSearch, params: Any, position: int) -> None:
    """Play every candidate on in common worlds until one is left or the budget is spent."""
    kind, me = number(memory.kind), number(view.seat)
    table, state = state_of(work, 0), state_of(work, 1)
    smart, hat = searched_smart(work, 0), searched_hat(work, 0)
    worlds, margin = worlds_of(view, params), margin_of(view, memory, params)
    first_look, short = (PAIR_LOOK, PAIR_FUTILE) if view.players == 2 else (FIRST_LOOK, FUTILE)
    until = clock() + 0.001 * params.milliseconds if params.milliseconds > 0 else 0.0
    for world in range(worlds):
        if until > 0.0 and clock() >= until:
            break
        if not deal_world(view, memory, work, stream(position, world)):
            continue
        for order in range(number(work.racing)):
            copy_state(table, state)
            copy_convention(kind, smart_of(memory, 0), hat_of(memory, 0), smart, hat)
            make_move(kind, smart, hat, state, number(work.runners[work.alive[order]]))
            lies = params.truthful and order > 0 and not is_true(kind, smart, hat, state, me)
            work.here[order] = LIE if lies else float(play_on(kind, smart, hat, state))
        racing = number(0)
        for order in range(number(work.racing)):
            if work.here[order] >= 0.0:
                place = number(work.alive[order])
                note_result(work, place, work.here[order], work.here[0])
                work.alive[racing] = place
                racing += 1
        work.racing = racing
        work.games += racing
        if world + 1 >= first_look and (world + 1) % ROUND == 0:
            drop_outrun(work, OUTRUN, margin)
            drop_futile(work, params.lean, margin, worlds, short)
            if view.players == 2 and is_clear(work, CLEAR, margin):
                break
        if work.racing == 1:
            break


# -- worlds --


def narrow_choices(view: View, memory: Beliefs, unseen: Unseen) -> None:
    """Leave each own card only the types that everybody takes it for; where that leaves none, what hints allow stays."""
    me = number(view.seat)
    for slot in range(view.size(me)):
        types = card_types(number(memory.kind), smart_of(memory, 0), hat_of(memory, 0), me * MAX_HAND + slot)
        kept, first = number(0), slot * MAX_CARDS
        for choice in range(number(unseen.choice_counts[slot])):
            place = unseen.choices[first + choice]
            if types & type_bit(number(unseen.cards[place])) != _ZERO:
                unseen.choices[first + kept] = place
                kept += 1
        if kept > 0:
            unseen.choice_counts[slot] = kept


def add_up(memory: Beliefs, room: Room) -> float:
    """Add up the weights of hands, for drawing from them; their sum."""
    total = 0.0
    for hand in range(number(memory.hand_count)):
        total += memory.weights[hand]
        room.sums[hand] = total
    return total


def deal_world(view: View, memory: Beliefs, work: BlueprintSearch, position: int) -> bool:
    """Put a hand that the player may hold into the world, and the other unseen cards into the deck; whether that was possible."""
    table, unseen = state_of(work, 0), unseen_of(work, 0)
    if not follows_hands(view, memory):
        _, possible = deal_unseen(view, unseen, position, table)
        show_actor(table)
        return possible
    room, first = room_of(work, 0), number(view.seat) * MAX_HAND
    position, fraction = below(position, FRACTIONS)
    reach = room.sums[number(memory.hand_count) - 1] * fraction / FRACTIONS
    low, high = number(0), number(memory.hand_count) - 1
    while low < high:
        middle = (low + high) // 2
        if room.sums[middle] > reach:
            high = middle
        else:
            low = middle + 1
    taken = word(0)
    for slot in range(view.size(number(view.seat))):
        card = number(memory.hands[low * MAX_HAND + slot])
        table.hands[first + slot] = card
        place = number(0)
        while place < number(unseen.count) and (number(unseen.cards[place]) != card or (taken >> word(place)) & ONE != _ZERO):
            place += 1
        if place == number(unseen.count):
            return False
        taken |= ONE << word(place)
    unseen.taken = taken
    shuffle_rest(view, unseen, position, table)
    show_actor(table)
    return True
