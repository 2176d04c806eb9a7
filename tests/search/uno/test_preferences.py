"""What learned policies prefer: chances that follow from their scores, told where they are wanted and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.uno.net import read_net, split_set, write_net
from kibitz.core.layouts import dtype_of
from kibitz.games.uno.cards import DRAW
from kibitz.play.explaining import CHOSEN, DEFAULT, ONLY, Adviser, explain
from kibitz.play.game import Game, play
from kibitz.play.seat import PlainPlayer, is_search, player_of, tells
from kibitz.policies.valuation import PREFERENCE, Valuation
from kibitz.policies.weight_files import SHIPPED

POLICIES = ("net", "linear")


def decisions(players: int, seed: int, steps: int = 30, rules: str = "classic") -> Iterator[Game]:
    """A game stopped at each of its first decisions; all actions come up."""
    game = Game(players, rules, seed=seed)
    for step in range(steps):
        if game.is_over:
            return
        yield game
        legal = game.legal_actions()
        game.apply(legal[(step * 7 + seed) % len(legal)])


@pytest.mark.parametrize("bot", POLICIES)
@pytest.mark.parametrize("players", [2, 4, 6])
def test_preferences_follow_from_the_scores_and_the_first_is_played(bot: str, players: int) -> None:
    """In plain Python, where the scores are at hand."""
    player = player_of(registry.entrant(bot), registry.game(), jit=False)
    assert isinstance(player, PlainPlayer)
    asked = 0
    for game in decisions(players, seed=players):
        view = game.view()
        player.begin(view)
        action = player.choose(view)
        table: Any = player.valuation
        scores = dict(zip(table.actions[: table.candidates], table.scores[: table.candidates], strict=True))
        if table.candidates == 1:
            assert table.listed == 0
            continue
        asked += 1
        assert table.unit == PREFERENCE
        values = dict(zip(table.listed_actions[: table.listed], table.values[: table.listed], strict=True))
        assert sorted(values) == sorted(scores)
        assert sum(values.values()) == pytest.approx(1.0)
        assert max(scores, key=lambda each: scores[each]) == action
        for each, value in values.items():
            assert value == pytest.approx(values[action] * exp(scores[each] - scores[action]))
    assert asked > 8


@pytest.mark.parametrize("bot", POLICIES)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_compiled_and_plain_prefer_the_same(bot: str, players: int) -> None:
    compiled, plain = Adviser(bot), Adviser(bot, jit=False)
    asked = 0
    for game in decisions(players, seed=7 + players):
        view = game.view()
        compiled.begin(view)
        plain.begin(view)
        first, second = compiled.ask(view), plain.ask(view)
        assert (first.action, first.unit, first.why) == (second.action, second.unit, second.why)
        assert {row.action: row.value for row in first.rows} == pytest.approx({row.action: row.value for row in second.rows})
        assert first.win_chance == (None if second.win_chance is None else pytest.approx(second.win_chance))
        asked += bool(first.rows)
    assert asked > 8


def test_an_explanation_has_every_card_and_the_networks_own_guess() -> None:
    met = set()
    for game in decisions(3, seed=4):
        said = explain("net", game)
        met.add(said.why)
        if said.why == ONLY:
            assert (said.rows, said.win_chance) == ((), None)
            continue
        assert said.unit == "preference"
        assert sorted(row.action for row in said.rows) == game.legal_actions()
        assert said.rows[0].action == said.action
        values = [row.value for row in said.rows if row.value is not None]
        assert values == sorted(values, reverse=True) and sum(values) == pytest.approx(1.0)
        assert {(row.error, row.visits) for row in said.rows} == {(0.0, 1)}
        assert said.win_chance is not None and 0 < said.win_chance < 1
        assert explain("linear", game).win_chance is None
    assert met == {CHOSEN, ONLY}


def with_hands(own: str, other: str) -> Game:
    """A red 4 on top, and these hands; all other cards lie in the draw pile."""
    parts = dict(part.partition("=")[::2] for part in Game(2, seed=1).to_text().split(";"))
    assert parts["top"] == "r4"
    deck = [card for hand in parts["hands"].split("|") for card in hand.split(".")] + parts["pile"].split(".")
    for card in f"{own}.{other}".split("."):
        deck.remove(card)
    parts |= {"hands": f"{own}|{other}", "pile": ".".join(deck)}
    return Game.from_text(";".join(f"{name}={value}" if value or name == "discard" else name for name, value in parts.items()))


def test_the_guess_is_high_with_two_cards_against_six_and_low_the_other_way_round() -> None:
    ahead, behind = (explain("net", with_hands(*hands)) for hands in (("r5.r7", "r1.g2.b3.y4.r6.g7"), ("r5.g1.b2.y3.b4.r8", "y7")))
    assert ahead.win_chance is not None and behind.win_chance is not None
    assert ahead.win_chance > 0.7 and behind.win_chance < 0.3


@pytest.mark.parametrize("jit", [True, False])
def test_a_network_that_never_learned_to_judge_makes_no_guess(jit: bool, tmp_path: Path) -> None:
    """It prefers what it prefers; that all chances were even would be wrong."""
    sets = read_net(SHIPPED)
    for name in ("value_out", "value_offset"):
        split_set(sets)[name][0] = 0.0
    write_net(tmp_path / "mute.npz", sets)
    for players, guesses in ((2, False), (3, True)):
        said = Adviser(f"net:{tmp_path / 'mute.npz'}", jit=jit).ask(Game(players, seed=1).view())
        assert said.rows
        assert (said.win_chance is not None) == guesses


def test_windows_of_house_rules_are_left_to_the_default() -> None:
    for game in decisions(3, seed=1, steps=400, rules="official"):
        if game.definition.phases[game.view().phase] == "challenge":
            said = explain("net", game)
            assert (said.why, said.rows, said.win_chance) == (DEFAULT, (), None)
            return
    raise AssertionError("somebody plays a Wild Draw Four")


@pytest.mark.parametrize("bot", POLICIES)
def test_nothing_is_told_where_nobody_asks(bot: str) -> None:
    """In batches the table stays as it was: nothing is listed, and the network makes no guess."""
    player = player_of(registry.entrant(bot), registry.game(), jit=False)
    scratch: Any = player.valuation
    scratch.wanted = 0
    view = Game(2, seed=3).view()
    player.begin(view)
    assert player.choose(view) <= DRAW
    assert scratch.candidates > 1
    assert (scratch.listed, scratch.win_chance) == (0, 0.0)


@pytest.mark.parametrize("bot", POLICIES)
def test_the_table_stands_at_the_start_of_the_working_space(bot: str) -> None:
    layout, table = dtype_of(registry.built_in_bot(bot).scratch), dtype_of(Valuation)
    assert layout.fields is not None and table.fields is not None and table.names is not None
    assert [layout.fields[name][1] for name in table.names] == [table.fields[name][1] for name in table.names]


def test_who_prefers_is_no_search() -> None:
    kinds = {name: (tells(registry.entrant(name)), is_search(registry.entrant(name))) for name in ("net", "linear", "champion", "mix2")}
    assert kinds == {"net": (True, False), "linear": (True, False), "champion": (True, True), "mix2": (False, False)}
    assert {"net", "linear"} <= set(registry.quick_names())


def test_a_game_keeps_what_was_preferred() -> None:
    played = play(["net", "mix2"], seed=4, seating="fixed")
    explanations = {step: each for step, each in played.explanations.items() if each.rows}
    said = explanations.values()
    assert {each.bot for each in said} == {"net"}
    assert any(each.rows for each in said)
    for step, each in explanations.items():
        assert played.actions[step] == each.action
