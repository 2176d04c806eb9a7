"""The search through the engine: any rules, any number of players.

`evaluate` says what an action in the state at level 0 is worth. There is a state and a row of sums for every decision on the path;
the way down is a loop, since compiled kernels do not call themselves. An action whose outcome depends on chance is tried several
times and its mean counts; who acts then takes what is best for it (SELFISH), or the searcher's opponents what is worst for the
searcher (AGAINST).
"""

from __future__ import annotations

from kibitz.core.jit import Word, lowest, number, word
from kibitz.core.seeds import below, stream
from kibitz.games.uno.cards import ACCEPT, ACTIONS, COLOURED_TYPES, DRAW, FIRST_WILD_ACTION, KEEP, MAX_PLAYERS, action_card, bit
from kibitz.games.uno.counts import add_to_planes, take_from_planes
from kibitz.games.uno.engine import apply
from kibitz.games.uno.piles import refill
from kibitz.games.uno.state import State
from kibitz.games.uno.view import DRAW_ONE, DRAWN, MAY_NOT_PLAY_DRAWN, PLAYING, TURN, WON, View, is_legal_in
from kibitz.search.uno.expectiminimax.deeper import step
from kibitz.search.uno.expectiminimax.number_cards import WIN
from kibitz.search.uno.expectiminimax.workspace import AGAINST, MORE_DECISIONS, ExpectiminimaxSearch, state_of
from kibitz.search.uno.layout import copy_state
from kibitz.search.uno.worlds import pick_card

NO_ACTION = -1

_ZERO = Word(0)
_CHALLENGE = ACCEPT - 1


def next_action(view: View, previous: int) -> int:
    """The legal action that follows `previous` in the order of the numbers, or NO_ACTION; the first after NO_ACTION."""
    if previous < DRAW:
        types = word(view.playable_types)
        if previous >= 0:
            card = action_card(previous)
            if card >= COLOURED_TYPES and (previous - FIRST_WILD_ACTION) % 4 < 3:
                return previous + 1
            types &= ~(bit(card) | (bit(card) - word(1)))
        if types != _ZERO:
            card = lowest(types)
            return card if card < COLOURED_TYPES else FIRST_WILD_ACTION + 4 * (card - COLOURED_TYPES)
        if view.phase <= DRAWN:
            action = DRAW if view.phase == TURN else KEEP
            return action if is_legal_in(view, action) else NO_ACTION
        previous = KEEP
    if view.phase <= DRAWN:
        return NO_ACTION
    for action in range(max(previous + 1, _CHALLENGE), ACTIONS):
        if is_legal_in(view, action):
            return action
    return NO_ACTION


def next_in_search(search: ExpectiminimaxSearch, state: State, previous: int) -> int:
    """The action that the search looks at after `previous`: drawing although one could play only if it is to be considered."""
    action = next_action(state, previous)
    if action == DRAW and state.playable_types != _ZERO and not search.hold_back:
        return NO_ACTION
    return action


def is_leaf(search: ExpectiminimaxSearch, state: State, level: int) -> bool:
    """Whether the search ends here."""
    if state.status != PLAYING or level >= number(search.levels):
        return True
    return number(state.turn) - number(search.first_turn) > number(search.depth)


def value_to(state: State, seat: int) -> float:
    """What a position at the horizon is worth to a seat: the game, or how many cards fewer it has than others on average."""
    if state.status == WON:
        return WIN if number(state.winner) == seat else -WIN
    others = number(0)
    for other in range(number(state.players)):
        if other != seat:
            others += number(state.sizes[other])
    return others / (number(state.players) - 1) - number(state.sizes[seat])


def put_leaf(search: ExpectiminimaxSearch, state: State) -> None:
    """Let the values of a position at the horizon be what was found."""
    if search.others == AGAINST:
        search.results[number(search.searcher)] = value_to(state, number(search.searcher))
        return
    for seat in range(number(state.players)):
        search.results[seat] = value_to(state, seat)


def evaluate(search: ExpectiminimaxSearch, action: int, key: int) -> float:
    """What an action in the state at level 0 is worth to the searcher; all draws come from `key`."""
    level = number(0)
    search.keys[0] = key
    open_action(search, level, action)
    try_next, going_up = True, False
    while True:
        if try_next:  # the only call: the whole engine is merged into it
            try_action(search, state_of(search, level), level)
            level += 1
            try_next, going_up = False, False
        state = state_of(search, level)
        if going_up:
            add_result(search, state, level)
            if search.samples[level] < search.wanted[level]:
                try_next = True
                continue
            following = NO_ACTION
            if not settle_action(search, state, level):
                following = next_in_search(search, state, number(search.actions[level]))
            if following != NO_ACTION:
                open_action(search, level, following)
                try_next = True
                continue
            hand_up(search, state, level)
        elif is_leaf(search, state, level):
            put_leaf(search, state)
        else:
            search.tried[level] = 0
            open_action(search, level, next_in_search(search, state, NO_ACTION))
            try_next = True
            continue
        going_up = True
        level -= 1
        if level == 0:
            return search.results[number(search.searcher)]


def open_action(search: ExpectiminimaxSearch, level: int, action: int) -> None:
    """Begin with an action."""
    search.actions[level] = action
    search.samples[level] = 0
    search.wanted[level] = 1
    first = level * MAX_PLAYERS
    for seat in range(MAX_PLAYERS):
        search.sums[first + seat] = 0.0


def try_action(search: ExpectiminimaxSearch, state: State, level: int) -> None:
    """Carry the action out in a copy of the state, one level up; what comes by chance differs from sample to sample."""
    action, sample = number(search.actions[level]), number(search.samples[level])
    key = search.keys[level]
    after = state_of(search, level + 1)
    copy_state(state, after)
    search.keys[level + 1] = stream(key, step(action, sample))
    after.deal_stream = search.keys[level + 1]
    if action == DRAW:
        if sample == 0:
            open_draw(search, after, level)
        offer_card(search, after, level)
    start = after.deal_stream
    apply(after, action)
    if action != DRAW and sample == 0 and after.deal_stream != start:
        # At the horizon sizes alone count, and which cards were drawn decides nothing but who may jump in.
        settled = is_leaf(search, after, level + 1) and not after.jump_in
        search.wanted[level] = 1 if settled else search.draws


def open_draw(search: ExpectiminimaxSearch, state: State, level: int) -> None:
    """Before the first card is drawn: what there is to draw, and how many of it are to be tried."""
    if state.pile_size == 0:
        refill(state)
    low, middle, high = word(0), word(0), word(0)
    for place in range(number(state.pile_size)):
        low, middle, high = add_to_planes(low, middle, high, bit(number(state.pile[place])))
    search.pool0[level], search.pool1[level], search.pool2[level] = low, middle, high
    search.positions[level] = search.keys[level]
    search.wanted[level] = max(min(number(search.draws), number(state.pile_size)), 1)
    last = number(state.turn) - number(search.first_turn) == number(search.depth)
    if last and state.draw_rule == DRAW_ONE and state.drawn_rule == MAY_NOT_PLAY_DRAWN:
        search.wanted[level] = 1  # at the horizon sizes alone count


def offer_card(search: ExpectiminimaxSearch, state: State, level: int) -> None:
    """Put a card that was not tried yet where the engine is going to draw from."""
    if state.pile_size == 0:
        refill(state)
    size = number(state.pile_size)
    if size == 0:
        return
    low, middle, high = search.pool0[level], search.pool1[level], search.pool2[level]
    position, card = pick_card(low, middle, high, search.positions[level])
    search.positions[level] = position
    search.pool0[level], search.pool1[level], search.pool2[level] = take_from_planes(low, middle, high, bit(card))
    _, drawn = below(state.deal_stream, size)
    place = number(0)
    while number(state.pile[place]) != card:
        place += 1
    state.pile[place] = state.pile[drawn]
    state.pile[drawn] = card


def add_result(search: ExpectiminimaxSearch, state: State, level: int) -> None:
    """Add what the level above has found to the sums of the action."""
    search.samples[level] += 1
    first = level * MAX_PLAYERS
    if search.others == AGAINST:
        search.sums[first + number(search.searcher)] += search.results[number(search.searcher)]
        return
    for seat in range(number(state.players)):
        search.sums[first + seat] += search.results[seat]


def settle_action(search: ExpectiminimaxSearch, state: State, level: int) -> bool:
    """Compare the mean of the action with the best so far; whether nothing better is possible."""
    first, actor, me = level * MAX_PLAYERS, number(state.current), number(search.searcher)
    judge = me if search.others == AGAINST else actor
    count = number(search.samples[level])
    value = search.sums[first + judge] / count
    best = search.bests[first + judge]
    better = value < best if judge != actor else value > best
    if search.tried[level] == 0 or better:
        for seat in range(number(state.players)):
            search.bests[first + seat] = search.sums[first + seat] / count
        best = value
    search.tried[level] += 1
    return best == (-WIN if judge != actor else WIN)


def hand_up(search: ExpectiminimaxSearch, state: State, level: int) -> None:
    """Let the values of the best action be what was found."""
    first = level * MAX_PLAYERS
    for seat in range(number(state.players)):
        search.results[seat] = search.bests[first + seat]


def root_key(key: int, action: int) -> int:
    """The key of what follows an action at the root."""
    return stream(key, step(action, 0))


def set_levels(search: ExpectiminimaxSearch) -> None:
    """How many decisions a path may have: the turns, and some more."""
    search.levels = 1 + number(search.depth) + MORE_DECISIONS
