"""Worlds weighted by past choices: as brute force says on tiny decks, by the model that Mix2 is, alike compiled and as plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.uno.choosing import WIN_RATE_LIMITS, WIN_RATE_RANKS
from kibitz.bots.uno.mix2 import mix2
from kibitz.core import jit
from kibitz.core.jit import as_base, number, popcount, select, word
from kibitz.core.layouts import blank, copy_record, dtype_of, equal, store
from kibitz.core.seeds import scramble
from kibitz.games.uno import engine
from kibitz.games.uno.cards import (
    COLOUR_OF,
    COLOURED_TYPES,
    DRAW,
    KEEP,
    KIND_OF,
    SKIP_KIND,
    VALUE_OF,
    WILD_DRAW_FOUR_KIND,
    WILD_KIND,
    action_card,
    action_colour,
    match_mask,
)
from kibitz.games.uno.counts import cards_from, count_in, size_of
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import DREW, FORCED, KEPT, PLAY, SWAPPED, Event
from kibitz.games.uno.view import COLOUR, DRAWN, MAY_NOT_PLAY_DRAWN, TURN, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.policies.uno.opponent_model import (
    CLOSING_KINDS_IN_ORDER,
    COLOUR_SLACK,
    DRAWN_WILD_LIMIT,
    KINDS_IN_ORDER,
    WILD_DRAW_FOUR_LIMIT,
    WILD_LIMIT,
    draw_chances,
    play_chances,
)
from kibitz.runs.units import Unit
from kibitz.search.parts import part_of, words_for
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.chain import Chain, next_world, start_chain
from kibitz.search.uno.history import (
    ALL,
    LENGTH,
    PLAYS,
    History,
    begin_history,
    likelihood,
    observe_history,
    sample_weighted,
    set_model,
    set_players,
    slipping,
)
from kibitz.search.uno.worlds import FINE, Hidden, World, prepare, sample_world, search_stream
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules
from tests.search.uno.following import Followed, followed_positions
from tests.search.uno.tiny_games import weighed_actions

SLIP = 0.2
SAMPLES = 3000
FALSE_ALARMS = 1e-6  # how often each chi-square test would fail with fresh seeds though all is well
CLOSING_RANKS = (2, 3, 4, 6, 1, 5)

Hand = tuple[int, ...]


class Memory(Belief, History):
    """As a search bot has it."""


class Watched(Followed):
    """A game in which everybody keeps a history."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.histories = [blank(History) for _ in range(self.state.players)]
        for seat, history in enumerate(self.histories):
            begin_history(self.view(seat), history)

    def tell(self) -> None:
        for seat, history in enumerate(self.histories):
            view = self.view(seat)
            for place in range(self.state.event_count):
                observe_history(view, engine.event_at(self.state, place), history)
        super().tell()


# -- the model --


def test_the_model_is_what_mix2_is() -> None:
    def in_order(ranks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(range(6), key=lambda kind: -ranks[kind]))

    values = mix2.presets["win_rate"]
    assert values["ranks"] == WIN_RATE_RANKS and in_order(WIN_RATE_RANKS) == KINDS_IN_ORDER
    assert values["end_game_ranks"] == CLOSING_RANKS and in_order(CLOSING_RANKS) == CLOSING_KINDS_IN_ORDER
    assert values["limits"] == WIN_RATE_LIMITS == (-1, -1, -1, -1, WILD_LIMIT, WILD_DRAW_FOUR_LIMIT)
    assert values["end_game_limits"] == (-1,) * 6
    assert values["play_drawn_thresholds"] == (-1, -1, -1, -1, DRAWN_WILD_LIMIT, DRAWN_WILD_LIMIT)
    assert values["wild_colour_slack"] == COLOUR_SLACK


def chances(view: View, slip: float) -> dict[int, float]:
    """What the model says of every legal action of a turn."""
    closing = int(view.next_size() == 1)
    table = view.match, view.colour, closing
    found = {}
    for action in range(DRAW):
        if view.can_play(action_card(action)):
            found[action] = slipping(slip, play_chances(view, *view.hand(), *table, action_card(action), action_colour(action)))
    if not found or not view.must_play:
        found[DRAW] = slipping(slip, draw_chances(view, *view.hand(), *table))
    return found


@pytest.mark.parametrize("rules", ["classic", "classic,must_play=on", "classic,wild_draw_four=honest_only", "numbers", "hearn"])
@pytest.mark.parametrize("players", [2, 3])
def test_mix2_does_what_the_model_says(rules: str, players: int) -> None:
    """Without its card counting, which the model takes for chance: 20 games."""
    values: Any = type("Values", (), {**mix2.presets["win_rate"], "card_counting": 0})
    asked = 0
    for seed in range(20):
        followed = Followed(parse_rules(rules), players, seed)
        while not engine.is_over(followed.state):
            action = engine.forced_action(followed.state)
            if action < 0:
                action = engine.default_action(followed.state, 0)
            if action < 0:
                view = followed.view(followed.state.current)
                action = mix2.choose(view, None, values, blank(FiredRule))
                if view.phase == TURN:
                    found = chances(view, SLIP)
                    assert sum(found.values()) == pytest.approx(1)
                    likely = [each for each, chance in found.items() if chance > SLIP / len(found) + 1e-9]
                    assert action in likely
                    assert len({round(found[each], 9) for each in likely}) == 1
                    asked += 1
            followed.apply(action)
    assert asked > 100


# -- brute force --


def fits(card: int, top: int, colour: int) -> bool:
    return bool(match_mask(top, colour) >> card & 1)


def share(best: list[Any], done: Any, actions: int) -> float:
    return SLIP / actions + ((1 - SLIP) / len(best) if done in best else 0.0)


def expected_choice(hand: Hand, top: int, colour: int, closing: bool, done: tuple[int, int] | None) -> float:
    """How likely a player between two does `done`: plays a card and calls a colour, or draws (None). Written from Mix2's description."""
    playable = sorted({card for card in hand if fits(card, top, colour)})
    if not playable:
        return 1.0
    coloured = [card for card in hand if card < COLOURED_TYPES]
    willing = playable
    if not closing:
        limits = {WILD_KIND: 2, WILD_DRAW_FOUR_KIND: 4}
        willing = [card for card in playable if len(coloured) <= limits.get(KIND_OF[card], 99)]
    ranks = CLOSING_RANKS if closing else WIN_RATE_RANKS

    def rank(card: int) -> int:
        return ranks[SKIP_KIND if VALUE_OF[card] == 11 else KIND_OF[card]]

    best = [card for card in willing if rank(card) == max(map(rank, willing))]
    counts = Counter(COLOUR_OF[card] for card in coloured)
    most = max(counts.values(), default=0)
    plays: list[Any] = []
    for card in best:
        if card < COLOURED_TYPES:
            plays.append((card, COLOUR_OF[card]))
        else:
            plays += [(card, called) for called in range(4) if not coloured or counts[called] >= max(most - 1, 1)]
    common = [play for play in plays if play[0] >= COLOURED_TYPES or counts[play[1]] == most]
    actions = sum(4 if card >= COLOURED_TYPES else 1 for card in playable) + 1
    return share(common or plays or [None], done, actions)


class Weighed:
    """All hands the one opponent of seat 0 may hold, weighed event by event, going forward."""

    def __init__(self, view: View) -> None:
        self.pool = cards_from(view.deck())
        for card in [*view.cards(), view.top, *view.discard[: view.discard_size]]:
            self.pool.remove(card)
        self.gone: list[int] = []
        self.own_size = view.sizes[0]
        self.weights: dict[tuple[Hand, int], float] = {((), -1): 1.0}
        for _ in range(view.sizes[1]):
            self.deal(lambda card: True)

    def left(self, hand: Hand) -> list[int]:
        left = self.pool[:]
        for card in [*hand, *self.gone]:
            left.remove(card)
        return left

    def deal(self, allowed: Any) -> None:
        result: dict[tuple[Hand, int], float] = defaultdict(float)
        for (hand, _), weight in self.weights.items():
            left = self.left(hand)
            for card in set(left):
                if allowed(card):
                    result[tuple(sorted((*hand, card))), card] += weight * left.count(card)
        self.weights = result

    def scale(self, factor: Any) -> None:
        self.weights = {key: weight * factor(*key) for key, weight in self.weights.items() if factor(*key) > 0}

    def observe(self, view: View, event: Event, new_own: list[int]) -> None:
        if event.seat == 0:
            for card in new_own:
                self.scale(lambda hand, _: self.left(hand).count(card))  # noqa: B023 - called at once
                self.gone.append(card)
            self.own_size += len(new_own) - (event.kind == PLAY)
            return
        top, colour, closing = event.top, event.top_colour, self.own_size == 1
        if event.kind == DREW:
            self.scale(lambda hand, _: expected_choice(hand, top, colour, closing, None))
        if event.kind in (DREW, FORCED):
            for _ in range(event.count):
                says = event.kind == DREW and view.drawn_rule != MAY_NOT_PLAY_DRAWN
                waits = view.phase == DRAWN
                self.deal(lambda card: not says or fits(card, top, colour) == waits)  # noqa: B023
        elif event.kind == KEPT and view.drawn_rule != MAY_NOT_PLAY_DRAWN:
            self.scale(lambda hand, drawn: self.keeps(hand, drawn) if fits(drawn, top, colour) else 1.0)
        elif event.kind == PLAY:
            self.play(event, closing)

    @staticmethod
    def keeps(hand: Hand, drawn: int) -> float:
        if drawn < COLOURED_TYPES:
            return SLIP / 2
        return SLIP / 5 + (1 - SLIP if len(hand) > 2 else 0)

    def play(self, event: Event, closing: bool) -> None:
        result: dict[tuple[Hand, int], float] = defaultdict(float)
        for (hand, drawn), before in self.weights.items():
            weight = before
            if event.card not in hand or (event.drawn and drawn != event.card):
                continue
            if not event.drawn:
                weight *= expected_choice(hand, event.top, event.top_colour, closing, (event.card, event.colour))
            elif event.card >= COLOURED_TYPES:
                counts = Counter(COLOUR_OF[card] for card in hand if card < COLOURED_TYPES)
                common = [colour for colour in range(4) if counts[colour] == max(counts.values(), default=0)]
                weight *= SLIP / 4 + ((1 - SLIP) / len(common) if event.colour in common else 0)
            rest = [*hand]
            rest.remove(event.card)
            result[tuple(rest), -1] += weight
        self.weights = result
        self.gone.append(event.card)

    def distribution(self) -> dict[Hand, float]:
        result: dict[Hand, float] = defaultdict(float)
        for (hand, _), weight in self.weights.items():
            result[hand] += weight / sum(self.weights.values())
        return dict(result)


class Position(NamedTuple):
    view: View
    belief: Belief
    history: History
    exact: Weighed


TINY = {
    "free draws": "classic,drawn_card=may_not_play,deck=r1*2/r2/r3/g1/g2*2/b1/b3*2/y3/y1/wild*2",
    "drawn cards played": "classic,deck=r1*2/r2/r3/g1*2/g2/b1/b3*2/y3*2/wild*2",
    "penalties": "classic,drawn_card=may_not_play,deck=r+2*2/g+2*2/r1*2/gskip/g3/b1*2/b2*2/yrev/y3*2/wild+4",
}


def tiny_positions(rules: str, seed: int) -> Iterator[Position]:
    """Decisions of seat 0 in a game of two with three cards each, up to where the draw pile would run out."""
    random = Random(seed)
    watched = Watched(parse_rules(f"{rules},hand_size=3"), 2, seed)
    state, exact = watched.state, Weighed(watched.view(0))
    for _ in weighed_actions(watched, exact, random, 0.7):
        if state.current == 0 and state.phase == TURN and not engine.is_over(state) and watched.histories[0].past_end:
            yield Position(watched.view(0), watched.beliefs[0], watched.histories[0], exact)


view_at, belief_at, hidden_at, history_at, world_at, chain_at = (as_base(cls) for cls in (View, Belief, Hidden, History, World, Chain))


class Drawn:
    """Hands that were sampled."""

    hands: Annotated[list[int], "u8", 3 * SAMPLES]


drawn_at = as_base(Drawn)


def sample_many(view: int, belief: int, hidden: int, history: int, chain: int, spare: int, drawn: int, proposals: int, moves: int) -> int:
    """Sample hands of seat 1 into `drawn`: each one of so many proposals, or by so many moves of a chain."""
    table, mind, room, past, world = view_at(view), belief_at(belief), hidden_at(hidden), history_at(history), chain_at(chain)
    status = prepare(table, mind, room)
    position = word(1)
    if moves > 0:
        position = start_chain(table, mind, room, past, proposals, position, world, world_at(spare))
    for place in range(SAMPLES):
        if moves > 0:
            position = next_world(table, mind, room, past, moves, position, world, world_at(spare))
        else:
            position = sample_weighted(table, mind, room, past, proposals, position, world, world_at(spare))
        drawn_at(drawn).hands[3 * place] = world.hands0[1]
        drawn_at(drawn).hands[3 * place + 1] = world.hands1[1]
        drawn_at(drawn).hands[3 * place + 2] = world.hands2[1]
    return status


def sampled_hands(position: Position, belief: Belief, proposals: int, moves: int = 0) -> Counter[Hand]:
    """How often each hand of the opponent comes, in compiled code."""
    blocks = []
    for record in (copy_record(position.view, View), belief, blank(Hidden), position.history, blank(Chain), blank(World), blank(Drawn)):
        kind: Any = type(record)
        blocks.append(np.zeros(1, dtype=dtype_of(kind)))
        store(record, blocks[-1])
    root = jit.root_of(sample_many, "long " * 9, View)
    assert root(*[block.ctypes.data for block in blocks], proposals, moves) == FINE
    hands = blocks[-1]["hands"][0].reshape(-1, 3)
    return Counter(tuple(cards_from((int(low), int(middle), int(high)))) for low, middle, high in hands)


def chi_square_chance(found: Counter[Hand], exact: dict[Hand, float]) -> float:
    """The chance of a chi-square statistic at least this large; hands expected fewer than five times are counted as one."""
    samples = sum(found.values())
    cells = [(found[hand], samples * chance) for hand, chance in exact.items() if samples * chance >= 5]
    rest = samples - sum(expected for _, expected in cells)
    if rest >= 5:
        cells.append((samples - sum(count for count, _ in cells), rest))
    return float(chi2.sf(sum((count - expected) ** 2 / expected for count, expected in cells), len(cells) - 1))


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("way", ["informed", "uninformed", "chain"])
def test_hands_come_as_often_as_brute_force_says(name: str, way: str) -> None:
    """3,000 hands, each one of 300 proposals or 60 moves of a chain on, at each of six positions; false alarms 1e-6 each.

    Proposals come from a belief that has weighed draws by its own chances, or from one that knows nothing.
    """
    tested = differing = 0
    for seed in range(400):
        for position in tiny_positions(TINY[name], seed):
            exact = position.exact.distribution()
            if len(exact) < 8 or position.history.past_end < 3 + seed % 3:
                continue
            set_model(position.history, SLIP, LENGTH, ALL)
            set_players(position.history, 0.0, 1.0)
            position.history.past_floor = 1e-12
            belief = position.belief
            if way == "uninformed":
                belief = blank(Belief)
                begin_belief(position.view, belief, EXACT, FLOOR, WILD_FLOOR)
            found = sampled_hands(position, belief, 10, 60) if way == "chain" else sampled_hands(position, belief, 300)
            assert chi_square_chance(found, exact) > FALSE_ALARMS, f"seed {seed}"
            differing += chi_square_chance(sampled_hands(position, belief, 1), exact) < FALSE_ALARMS
            tested += 1
            break
        if tested == 6:
            assert differing > 1  # so the test can fail
            return
    raise AssertionError("too few positions were found")


# -- any rules --


def all_cards(world: World, players: int) -> list[int]:
    """Every card of the hands and the pile of a world."""
    cards = cards_from((world.pile0, world.pile1, world.pile2))
    for seat in range(players):
        cards += cards_from((world.hands0[seat], world.hands1[seat], world.hands2[seat]))
    return sorted(cards)


@pytest.mark.parametrize("chunk", range(4))
def test_whatever_happens_it_is_followed_and_no_world_excluded(chunk: int) -> None:
    """Random games under random rules: sizes and direction are those of the table, and every world has a weight."""
    random = Random(f"history {chunk}")
    for index in range(12):
        rules = random_rules(random)
        players = random_players(random, rules)
        watched = Watched(rules, players, random.getrandbits(32))
        weighed = random.choice((PLAYS, ALL))
        for history in watched.histories:
            set_model(history, random.choice((0.0, 0.05, 0.5)), random.choice((1, 8, LENGTH)), weighed)
        for state in followed_positions(watched, random, random.random()):
            if engine.is_over(state) or random.random() < 0.5:
                continue
            seat = random.randrange(players)
            view, belief, history = watched.view(seat), watched.beliefs[seat], watched.histories[seat]
            assert history.past_sizes[:players] == view.sizes[:players]
            if state.phase <= COLOUR:
                assert history.past_direction == view.direction
            hidden, world, spare = blank(Hidden), blank(World), blank(World)
            assert prepare(view, belief, hidden) == FINE
            sample_weighted(view, belief, hidden, history, 3, scramble(index), world, spare)
            chain = blank(Chain)
            stream = start_chain(view, belief, hidden, history, 2, scramble(index), chain, spare)
            next_world(view, belief, hidden, history, 6, stream, chain, spare)
            assert all_cards(chain, players) == all_cards(world, players)
            for cards in (world, chain, watched.true_world(seat)):
                assert [size_of((cards.hands0[each], cards.hands1[each], cards.hands2[each])) for each in range(players)] == view.sizes[
                    :players
                ]
                assert 0.0 < likelihood(view, history, cards, scramble(index))[1] < float("inf")


def test_hands_that_move_are_forgotten() -> None:
    moved = 0
    for seed in range(20):
        watched, random = Watched(parse_rules("classic,seven_zero=on,deck=r7*4/r1*6/g1*6/b7*4,hand_size=4"), 2, seed), Random(seed)
        state, history = watched.state, watched.histories[0]
        while not engine.is_over(state):
            engine.apply(state, random.choice(engine.legal_actions(state)))
            moves = any(engine.event_at(state, place).kind == SWAPPED for place in range(state.event_count))
            moved += moves and history.past_latest[1] >= 0
            watched.tell()
            if moves:
                assert history.past_latest[:2] == [-1, -1]
    assert moved > 3


def test_a_world_is_sampled_as_ever_where_nothing_was_done() -> None:
    watched = Watched(parse_rules("classic"), 3, 5)
    view, hidden, world, other = watched.view(0), blank(Hidden), blank(World), blank(World)
    assert prepare(view, watched.beliefs[0], hidden) == FINE
    position = sample_weighted(view, watched.beliefs[0], hidden, watched.histories[0], 8, scramble(1), world, blank(World))
    assert position == sample_world(view, watched.beliefs[0], hidden, scramble(1), other)
    assert equal(world, other)


def test_who_passes_up_its_best_card_seems_not_to_have_it() -> None:
    """An opponent that plays a number seems to have no Draw Two of the colour on top; one kind of player, 60 proposals, 200 worlds."""
    watched = Watched(parse_rules("classic,opening=none"), 2, 0)
    state = watched.state
    while state.current == 0:
        watched.apply(DRAW if state.phase == TURN else KEEP)
    draw_two = state.colour * 13 + 12
    numbers = [card for card in range(COLOURED_TYPES) if VALUE_OF[card] < 10 and engine.is_legal(state, card)]
    watched.apply(numbers[0])
    view, belief, history = watched.view(0), watched.beliefs[0], watched.histories[0]
    set_players(history, 0.0, 1.0)
    hidden, world, spare = blank(Hidden), blank(World), blank(World)
    assert prepare(view, belief, hidden) == FINE
    held = []
    for proposals in (1, 60):
        stream, count = scramble(proposals), 0
        for _ in range(200):
            stream = sample_weighted(view, belief, hidden, history, proposals, stream, world, spare)
            count += count_in((world.hands0[1], world.hands1[1], world.hands2[1]), draw_two) > 0
        held.append(count)
    assert held[1] < held[0] / 3


# -- compiled --


class Scratch:
    """Where the bot below works."""

    worlds: Annotated[list[int], "u8", words_for(World, 2)]
    chains: Annotated[list[int], "u8", words_for(Chain)]
    hidden: Annotated[list[int], "u8", words_for(Hidden)]


world_of = part_of(Scratch, "worlds", World)
chain_of = part_of(Scratch, "chains", Chain)
hidden_of = part_of(Scratch, "hidden", Hidden)


def begin(view: View, memory: Memory) -> None:
    begin_belief(view, memory, EXACT, FLOOR, WILD_FLOOR)
    begin_history(view, memory)
    set_model(memory, 0.1, 20, ALL)


def begin_with_plays(view: View, memory: Memory) -> None:
    begin(view, memory)
    set_model(memory, 0.1, 20, PLAYS)


def observe(view: View, event: Event, memory: Memory) -> None:
    observe_belief(view, event, memory)
    observe_history(view, event, memory)


def weigh(view: View, memory: Memory, scratch: Scratch) -> int:
    """Let a few weighted worlds decide."""
    if prepare(view, memory, hidden_of(scratch, 0)) != FINE:
        return -1
    position = search_stream(view)
    figure = word(0)
    chain, spare = chain_of(scratch, 0), world_of(scratch, 1)
    position = start_chain(view, memory, hidden_of(scratch, 0), memory, 3, position, chain, spare)
    for _ in range(3):
        position = next_world(view, memory, hidden_of(scratch, 0), memory, 5, position, chain, spare)
        position = sample_weighted(view, memory, hidden_of(scratch, 0), memory, 4, position, world_of(scratch, 0), world_of(scratch, 1))
        for seat in range(number(view.players)):
            figure = scramble(figure ^ world_of(scratch, 0).hands0[seat] ^ scramble(chain.hands0[seat]))
    if view.playable() == word(0):
        return view.decline()
    return view.play(select(view.playable(), number(figure % word(popcount(view.playable())))), number((figure >> word(20)) & word(3)))


weigh_all = bot(name="weigh_all", memory=Memory, scratch=Scratch, begin=begin, observe=observe, trusted=True)(weigh)
weigh_plays = bot(name="weigh_plays", memory=Memory, scratch=Scratch, begin=begin_with_plays, observe=observe, trusted=True)(weigh)


@pytest.mark.parametrize(
    ("rules", "players", "weighed"),
    [
        ("classic", 2, PLAYS),
        ("classic", 3, ALL),
        ("numbers", 2, ALL),
        ("official,stacking=progressive,seven_zero=on,jump_in=on", 4, ALL),
        ("hearn", 10, PLAYS),
    ],
)
def test_compiled_and_plain_bots_play_the_same_games(rules: str, players: int, weighed: int) -> None:
    lineup = make_lineup([weigh_all if weighed == ALL else weigh_plays, *["mix2"] * (players - 1)], rules=rules)
    assert play_compiled(lineup, 3, Unit(0, 3)).tolist() == play_plain(lineup, 3, Unit(0, 3)).tolist()
