"""Hat guessing: recorded games of the original program, partners who break the convention, and that all players know the same."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.hanabi.names import move_name
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import Event, State, new_state
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.play.seat import player_of
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge
from kibitz.policies.hanabi.hat_messages import EVERYBODY, copy_masks, hat_sum, learn_no_need, read_move, total_codes, useless_slots
from kibitz.policies.hanabi.hat_moves import RULE_LETTERS, choose_move, look_around, surest_play
from kibitz.runs.units import Unit
from tests.bots.hanabi.test_smart import dealt

NAMES = ("information", "information:best")

# 192 games of the original program: the deck, the moves, the letter of the rule behind each, the size and value of each message,
# and for some games what everybody knew before each move.
GAMES_FILE = Path(__file__).with_name("information_games.jsonl.gz")


@cache
def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(GAMES_FILE.read_bytes()).splitlines()]


class Players:
    """A bot in every seat, as plain Python or compiled, at a game that is played move by move."""

    def __init__(self, name: str, state: State, jit: bool = False) -> None:
        self.state = state
        self.players = [player_of(registry.entrant(name, "hanabi"), registry.game("hanabi"), jit) for _ in range(state.players)]
        state.observed = 1
        for seat, player in enumerate(self.players):
            engine.show(state, seat)
            player.begin(engine.as_view(state))
        engine.show_actor(state)

    def choose(self) -> int:
        """What the player to act would do."""
        return self.players[self.state.current].choose(engine.as_view(self.state))

    def apply(self, move: int) -> None:
        """Make a move and tell everybody."""
        assert engine.is_legal(self.state, move), move_name(self.state, move)
        engine.apply(self.state, move)
        self.tell(engine.event_at(self.state, 0))

    def tell(self, event: Event) -> None:
        """Tell everybody of the move that was made."""
        for seat, player in enumerate(self.players):
            engine.show(self.state, seat)
            player.observe(engine.as_view(self.state), event)
        self.state.event_count = 0
        engine.show(self.state, self.state.current)

    def memory(self, seat: int) -> HatKnowledge:
        """What a player knows, as a plain record."""
        known: HatKnowledge = self.players[seat].memory()
        return known


def masks(known: HatKnowledge, state: State) -> list[list[int]]:
    """What is known of every card, by seat and slot."""
    return [list(known.masks[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]]) for seat in range(state.players)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_recorded_move_and_its_rule_are_chosen_again(players: int) -> None:
    games = [game for game in recorded() if game["players"] == players]
    assert len(games) == 48
    for game in games:
        team = Players("information", dealt(game))
        for turn, (move, rule) in enumerate(zip(game["actions"], game["why"], strict=True)):
            seat = team.state.current
            if "knowledge" in game:
                expected = [[int(mask, 16) for mask in hand.split(".")] for hand in game["knowledge"][turn].split("|")]
                assert all(masks(team.memory(other), team.state) == expected for other in range(players))
            chosen = team.choose()
            assert (chosen, RULE_LETTERS[team.memory(seat).rule]) == (move, rule), f"turn {turn}"
            team.apply(move)
        assert engine.is_over(team.state)
        assert team.state.score == game["kept"]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_messages_say_the_recorded_sums(players: int) -> None:
    for game in [game for game in recorded() if game["players"] == players][:12]:
        team = Players("information", dealt(game))
        for move, message in zip(game["actions"], game["sums"], strict=True):
            if message:
                seat = team.state.current
                known = team.memory(seat)
                copy_masks(known)
                is_hint = move >= 2 * team.state.hand_size
                if not is_hint and known.tokens > 0:
                    learn_no_need(known, known.draft, seat)
                total = total_codes(known, seat) if is_hint else useless_slots(known, known.masks, seat).bit_count()
                assert [total, hat_sum(known, known.draft, team.state.hands, seat, seat, total)] == message
            team.apply(move)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_all_players_know_the_same_and_nothing_false(name: str, players: int) -> None:
    """And so does one who sees all hands: the record that a search would keep."""
    state = new_state(parse_rules("standard"), players)
    engine.deal(state, game_key(7, players))
    team = Players(name, state)
    onlooker = team.memory(0)
    while not engine.is_over(state):
        move = team.choose()
        assert move == choose_move(onlooker, state.hands, state.current)
        engine.apply(state, move)
        event = engine.event_at(state, 0)
        read_move(onlooker, event, state.hands, EVERYBODY)
        team.tell(event)
        known = masks(onlooker, state)
        assert all(masks(team.memory(seat), state) == known for seat in range(players))
        assert (onlooker.tokens, onlooker.lives, onlooker.deck_size) == (state.tokens, state.lives, state.deck_size)
        for seat, hand in enumerate(known):
            for slot, mask in enumerate(hand):
                assert mask >> state.hands[seat * MAX_HAND + slot] & 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("others", "rules"),
    [
        ((), "standard"),
        (("random",), "standard"),
        (("random", "iggi", "random"), "standard"),
        (("random", "piers", "information", "random"), "standard,discard_when_full=on"),
        (("random", "random"), "standard,hand_size=1,tokens=1"),
        (("van_den_bergh",), "standard,colours=2,ranks=3,lives=1,hand_size=2"),
        (("information", "information:best", "outer"), "standard,colours=1,hand_size=2"),
    ],
)
def test_it_plays_on_with_partners_who_break_the_convention(name: str, others: tuple[str, ...], rules: str) -> None:
    """No move is illegal, and compiled and plain bots play the same games."""
    lineup = make_lineup([name, *others] if others else [name] * 3, game="hanabi", rules=rules)
    plain = play_plain(lineup, 5, Unit(0, 15))
    assert play_compiled(lineup, 5, Unit(0, 15)).tolist() == plain.tolist()
    assert play_compiled(lineup, 6, Unit(0, 2000)).sum() > 0


def test_a_false_message_is_read_falsely_by_everybody() -> None:
    """One who sees all hands knows what each player takes from a hint that the convention would not have given."""
    state = new_state(parse_rules("standard"), 3)
    engine.deal(state, game_key(1, 0))
    team = Players("information", state)
    onlooker = team.memory(0)
    meant = team.choose()
    false = next(move for move in engine.legal_actions(state) if move >= 10 and move != meant and move // 5 == meant // 5 % 2 + 2)
    engine.apply(state, false)
    event = engine.event_at(state, 0)
    read_move(onlooker, event, state.hands, EVERYBODY)
    team.tell(event)
    for seat in (1, 2):
        assert masks(onlooker, state)[seat] == masks(team.memory(seat), state)[seat]


@pytest.mark.parametrize(("players", "score"), [(2, 22.52), (3, 24.793), (4, 24.930), (5, 24.920)])
def test_it_scores_what_the_original_does(players: int, score: float) -> None:
    row = kibitz.evaluate("information", game="hanabi", players=players, games=4_000, seed=3)[0]
    assert abs(row.score - score) <= 4 * row.score_se
    assert row.lost == 0


def test_best_holds_plays_back_and_gambles_near_the_end() -> None:
    """With few cards in the deck it hints in place of a sure play; in the last round it plays what may fit, never on the last life."""
    rules = set()
    for players, index in [(2, 0), (2, 2), (2, 79), (2, 116), (3, 92), (5, 5), (5, 105)]:  # deals that lead there
        state = new_state(parse_rules("standard"), players)
        engine.deal(state, game_key(3, index))
        known = Players("information:best", state).memory(0)
        while not engine.is_over(state):
            move = choose_move(known, state.hands, state.current)
            rule = RULE_LETTERS[known.rule]
            rules.add(rule)
            if rule == "H":
                assert 0 < state.deck_size <= 3
                assert move >= 2 * state.hand_size
                look_around(known, state.hands, state.current)
                assert surest_play(known, state.current) >= 0
            if rule == "G":
                assert state.deck_size == 0
                assert state.lives > 1
                assert state.hand_size <= move < 2 * state.hand_size
            engine.apply(state, move)
            read_move(known, engine.event_at(state, 0), state.hands, EVERYBODY)
            state.event_count = 0
    assert rules >= set("FNCHPRGU")
