"""Beliefs: exactly what brute force finds where drawing is forced, and never wrong anywhere else."""

from __future__ import annotations

from random import Random

import pytest

from kibitz.core.layouts import blank
from kibitz.games.uno import engine
from kibitz.games.uno.counts import cards_from, count_in, exceeds, planes_from
from kibitz.games.uno.names import card_from_name, card_name
from kibitz.games.uno.state import State
from kibitz.play.game import Game
from kibitz.search.uno.belief import EXACT, FLOOR, SIMPLE, WILD_FLOOR, Belief, begin_belief, known_of, observe_belief
from kibitz.search.uno.hypotheses import GROUPS, first_of, hand_weight
from kibitz.search.uno.worlds import FINE, Hidden, prepare, world_weight
from tests.bots.positions import position
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules
from tests.search.uno.enumeration import Hands, ways_to_deal
from tests.search.uno.following import Followed, followed_positions
from tests.search.uno.tiny_games import EXACT_RULES, Position, hidden_list, tiny_positions

CHUNKS = range(8)
GAMES = 250  # in each chunk


def planes_of(hand: tuple[int, ...]) -> tuple[int, int, int]:
    return planes_from([hand.count(card) for card in range(56)])


def believed(position: Position, hands: list[Hands]) -> list[float]:
    """The chance of each set of hands by the belief, if these are all."""
    weights = []
    for held in hands:
        weight = float(ways_to_deal(held, hidden_list(position)))
        for seat, hand in zip(position.exact.seats, held, strict=True):
            weight *= hand_weight(position.belief, seat, planes_of(hand))
        weights.append(weight)
    return [weight / sum(weights) for weight in weights]


# -- exactness --


@pytest.mark.parametrize("name", EXACT_RULES)
@pytest.mark.parametrize(("players", "hand_size", "games"), [(2, 3, 60), (3, 2, 8)])
def test_belief_is_the_exact_posterior(name: str, players: int, hand_size: int, games: int) -> None:
    compared = 0
    for seed in range(games):
        for found in tiny_positions(EXACT_RULES[name], players, hand_size, seed):
            exact = found.exact.distribution()
            assert believed(found, list(exact)) == pytest.approx(list(exact.values()), abs=1e-12), f"seed {seed}"
            compared += 1
    assert compared >= (50 if players == 2 else 1)


def groups(belief: Belief, seat: int) -> list[list[tuple[int, str]]]:
    """The hypotheses about a seat: groups as numbers of cards and the types they lack."""
    start = first_of(belief, seat)
    return [
        [
            (belief.sizes[group], " ".join(card_name(card) for card in cards_from((belief.masks[group], 0, 0))))
            for group in range(place * GROUPS, (place + 1) * GROUPS)
            if belief.sizes[group]
        ]
        for place in range(start, start + belief.counts[seat])
    ]


class Watched:
    """A game by hand, and what seat 0 makes of it."""

    def __init__(self, game: Game, mode: int = EXACT) -> None:
        self.game, self.belief = game, blank(Belief)
        begin_belief(game.view(0), self.belief, mode, FLOOR, WILD_FLOOR)

    def play(self, *actions: str) -> None:
        for action in actions:
            events = self.game.apply(action)
            view = self.game.view(0)
            for event in events:
                observe_belief(view, event, self.belief)

    def lacks(self) -> list[list[tuple[int, str]]]:
        return groups(self.belief, 1)


FEW = "numbers,hand_size=3,deck=r1*3/r2/g2*2/b3*2/y4*2/y5/g6/b6/b7"
LACKING_R1 = "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 rskip rrev r+2 g1 b1 y1 wild wild+4 wildshuffle wildcustom"


def test_cards_held_before_a_draw_lack_what_was_playable_and_the_new_one_may_be_anything() -> None:
    watched = Watched(position("r1 r2 y4", "b3 b3 g2", top="r1", to_act=1, rules=FEW))
    watched.play("draw")
    assert watched.lacks() == [[(3, LACKING_R1), (1, "")]]


def test_a_played_card_may_come_from_any_group_that_can_have_it() -> None:
    watched = Watched(position("r1 r2 g6", "b3 b3 g2", top="r1", to_act=1, rules=FEW, pile="y4 y5 b7 g2 y4"))
    watched.play("draw", "r2", "g2")
    # One of three older cards, each of which may be green, or the new one.
    assert sorted(watched.lacks()) == [[(2, LACKING_R1), (1, "")], [(3, LACKING_R1)]]
    weights = {len(split): watched.belief.weights[place] for place, split in enumerate(watched.lacks())}
    assert weights[2] == 3 * weights[1]


def test_seed_excludes_the_new_card_too_and_forgets_with_a_play() -> None:
    watched = Watched(position("r1 r2 g6", "b3 b3 g2", top="r1", to_act=1, rules=FEW, pile="y4 y5 b7 g2 y4"), SIMPLE)
    watched.play("draw")
    assert watched.lacks() == [[(4, LACKING_R1)]]
    watched.play("r2", "g2")
    assert watched.lacks() == [[(3, "")]]


def test_a_voluntary_draw_excludes_nothing() -> None:
    watched = Watched(position("r2 g6", "b3 b3 r1", top="r1", to_act=1, rules="classic", pile="b7 b7"))
    watched.play("draw")
    hand = tuple(sorted(card_from_name(name) for name in ("b3", "b3", "r1", "b7")))
    none = tuple(sorted(card_from_name(name) for name in ("b3", "b3", "y4", "b7")))
    assert 0 < hand_weight(watched.belief, 1, planes_of(hand)) < hand_weight(watched.belief, 1, planes_of(none))


def test_between_two_the_hand_is_known_once_the_pile_runs_out() -> None:
    watched = Watched(position("r1 r2 g6", "b3 b3 g2", top="r1", to_act=1, rules=FEW, pile="y4"))
    watched.play("draw")
    assert sorted(card_name(card) for card in cards_from(known_of(watched.belief, 1))) == ["b3", "b3", "g2", "y4"]
    assert watched.lacks() == [[]]


def test_a_challenged_hand_is_known() -> None:
    watched = Watched(position("r1 r2", "wild+4 y4 y5", top="g2", to_act=1, rules="classic,wild_draw_four=challenge"))
    watched.play("wild+4:r", "challenge")
    assert count_in(known_of(watched.belief, 1), card_from_name("y4")) == 1
    assert watched.lacks() == [[]]


# -- soundness --


def check_sound(followed: Followed, state: State, seats: list[int]) -> None:
    for seat in seats:
        view, belief = followed.view(seat), followed.beliefs[seat]
        assert prepare(view, belief, blank(Hidden)) == FINE
        assert belief.resets == 0
        assert (belief.pile_size, belief.discard_size) == (view.pile_size, view.discard_size)
        assert not any(exceeds(view.known(other), known_of(belief, other)) for other in range(state.players) if other != seat)
        assert world_weight(view, belief, followed.true_world(seat)) > 0, f"seat {seat} excludes what is true"


@pytest.mark.parametrize("chunk", CHUNKS)
def test_the_truth_is_never_excluded(chunk: int) -> None:
    random = Random(f"belief {chunk}")
    for index in range(GAMES):
        rules = random_rules(random)
        players = random_players(random, rules)
        followed = Followed(rules, players, random.getrandbits(32))
        try:
            for state in followed_positions(followed, random, random.random()):
                if not engine.is_over(state):
                    check_sound(followed, state, random.sample(range(players), 2))
        except AssertionError as error:
            error.add_note(f"Game {index} of chunk {chunk} with {players} players under {rules.to_text()}.")
            raise


@pytest.mark.parametrize("mode", [EXACT, SIMPLE])
def test_a_belief_may_begin_at_any_position(mode: int) -> None:
    random = Random(f"any position {mode}")
    for _ in range(100):
        rules = random_rules(random)
        followed = Followed(rules, random_players(random, rules), random.getrandbits(32), mode)
        for state in followed_positions(followed, random):
            if engine.is_over(state):
                break
            if random.random() < 0.2:
                seat = random.randrange(state.players)
                begin_belief(followed.view(seat), followed.beliefs[seat], mode, FLOOR, WILD_FLOOR)
                assert world_weight(followed.view(seat), followed.beliefs[seat], followed.true_world(seat)) > 0
            for seat in range(state.players):
                assert prepare(followed.view(seat), followed.beliefs[seat], blank(Hidden)) == FINE
