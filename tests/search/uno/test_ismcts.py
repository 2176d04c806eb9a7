"""Tree search: legal under all rules, alike compiled and plain, right where the truth is known, and blind to what is hidden."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.parameters import plain
from kibitz.bots.uno.ismcts import ismcts
from kibitz.core.layouts import blank, copy_record
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW, UNO
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.view import UNO_CALL, View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled
from kibitz.policies.valuation import listed_rows
from kibitz.runs.units import Unit
from kibitz.search.uno.ismcts import nodes
from kibitz.search.uno.ismcts.candidates import list_candidates
from kibitz.search.uno.ismcts.descent import descend
from kibitz.search.uno.ismcts.nodes import IsmctsSearch, clear_tree, extend_history, node_key, state_of
from tests.search.uno.positions import WINDOWS_OPEN, after, answer_of, arranged, decisions, exact_value, with_other_hidden_cards


def parameters(text: str) -> Any:
    """The parameters that a text such as `rollouts=5` stands for, as the kernels see them."""
    entrant = registry.entrant(f"ismcts:{text}")
    return plain(ismcts.parameters, entrant.values)


def ask(view: View, text: str, search: IsmctsSearch | None = None) -> tuple[int, IsmctsSearch]:
    """What the bot does at a view, and its table."""
    return answer_of(f"ismcts:{text}", view, search)


# -- games --


def test_a_search_beats_a_random_player() -> None:
    """Of 400 games: 70 % or more would be missed with chance 1e-4 if it wins 78 %, and it wins more."""
    tally = play_compiled(make_lineup(["ismcts:rollouts=100", "random"], "classic"), 1, Unit(0, 400)).tolist()
    assert tally[engine.TALLY_ENTRIES] >= 280


# -- where the truth is known --


OPEN_POSITIONS = [
    # To play g3 leaves the opponent without an answer; to play r1 gives it the game.
    (["r1 g3 g5", "b1 b2"], "r3"),
    # Whoever plays a red card is answered; the green one stops the opponent.
    (["r2 r4 g2", "r5 r6"], "r2"),
    # Blue is what the opponent holds.
    (["b9 r4 r7", "b6"], "r9"),
]


@pytest.mark.parametrize(("hands", "top"), OPEN_POSITIONS)
@pytest.mark.parametrize("root", ["paired", "ucb"])
def test_values_converge_to_the_exact_ones_where_all_cards_are_known(hands: list[str], top: str, root: str) -> None:
    """Random players beyond the tree, so that only the tree can know; the values of other actions stay farther off under UCB."""
    state, rules = arranged(hands, top, "y9 y9 y9 y9 y9 y9 y9", 9)
    exact = {action: exact_value(after(state, action)) for action in engine.legal_actions(state)}
    assert len(set(exact.values())) > 1
    search = blank(IsmctsSearch)
    state_of(search, 0).max_turns = rules.max_turns
    text = f"root={root},lean=0,policy=random,others=random,prune=off,exploration=0.5,horizon=0,search_others=on,bias=0,urgency=1"
    chosen, _ = ask(engine.as_view(state), f"rollouts=2500,{text}", search)
    assert exact[chosen] == max(exact.values())
    value = next(value for action, value, _, _ in listed_rows(search) if action == chosen)
    assert abs(value - exact[chosen]) < 0.1
    assert sum(visits for _, _, _, visits in listed_rows(search)) > 2400


# -- what is hidden --


def test_nodes_do_not_tell_what_others_hold_or_drew_but_what_the_searcher_did() -> None:
    random = Random(5)
    for state, _ in decisions("classic", 3, 4, 10):
        if state.pile_size < 20:
            continue
        me, history = state.current, extend_history(7, DRAW)
        twin = with_other_hidden_cards(state, random)
        assert node_key(state, me, history) == node_key(twin, me, history)
        other = (me + 1) % 3
        assert node_key(state, other, history) != node_key(twin, other, history)
        assert node_key(state, me, history) != node_key(state, me, extend_history(history, DRAW))


def test_every_copy_of_an_own_card_leads_to_another_node() -> None:
    state, _ = arranged(["r1 g3", "b1 b2"], "r3", "y9 y9", 9)
    planes = [(low, middle, high) for low in (1, 2) for middle in (0, 1, 2) for high in (0, 1)]
    keys = set()
    for state.hands0[0], state.hands1[0], state.hands2[0] in planes:
        keys.add(node_key(state, 0, 7))
    assert len(keys) == len(planes)


def test_own_draws_lead_to_different_nodes_and_those_of_others_to_the_same() -> None:
    state = next(state for state, _ in decisions("classic,drawn_card=may_not_play", 2, 9, 30) if state.phase == 0 and state.pile_size > 40)
    me = state.current
    keys: list[set[int]] = [set(), set()]
    for seed in range(40):
        twin = copy_record(state)
        twin.deal_stream = seed * 0x9E3779B97F4A7C15 % 2**64
        engine.apply(twin, DRAW)
        for viewer in (me, 1 - me):
            keys[viewer != me].add(node_key(twin, viewer, 1))
    assert len(keys[0]) > 15
    assert len(keys[1]) == 1


# -- the tree --


def test_a_full_tree_is_searched_without_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "NODES", 5)
    _, view = decisions("classic", 2, 6, 1)[0]
    chosen, search = ask(view, "rollouts=60")
    assert search.node_count == 5
    assert chosen in [action for action, _, _, _ in listed_rows(search)]
    assert 50 < sum(visits for _, _, _, visits in listed_rows(search)) <= 60


def test_the_tree_counts_what_it_did() -> None:
    """Every visit of a node is one of its actions, none is tried more often than it was legal, and results are shares of visits."""
    for _, view in decisions("classic", 2, 12, 3):
        _, search = ask(view, "rollouts=80,root=ucb,policy=random,others=random")
        assert 0 < search.node_count <= 80
        visits = search.edge_visits[: search.edge_count]
        assert all(0 <= visit <= offered for visit, offered in zip(visits, search.edge_offers, strict=False))
        assert all(0 <= total <= visit for visit, total in zip(visits, search.edge_sums, strict=False))
        assert sum(row[3] for row in listed_rows(search)) == 80


def test_a_descent_adds_one_node() -> None:
    state, view = decisions("classic", 2, 14, 1)[0]
    _, search = ask(view, "rollouts=1,root=ucb")
    params = parameters("rollouts=1,policy=random,others=random,horizon=0")
    clear_tree(search, 50)
    for count in range(1, 20):
        result = descend(copy_record(state), search, state.current, 1, params)
        assert result in (0.0, 1.0)
        assert search.node_count <= count
    assert search.node_count > 10


def test_everybody_learns_what_is_best_for_the_own_seat() -> None:
    """Red lets the other player win at once, and green stops it: whoever searches, the player to act learns not to play red."""
    state, rules = arranged(["g1 g3 r4", "r5"], "g4", "y9 y9 y9 y9", 9)
    params = parameters("rollouts=1,policy=random,others=random,prune=off,horizon=0,search_others=on,bias=0,exploration=0.3,urgency=1")
    for searcher in (0, 1):
        search = blank(IsmctsSearch)
        state_of(search, 0).max_turns = rules.max_turns
        clear_tree(search, 500)
        for _ in range(200):
            descend(copy_record(state), search, searcher, 1, params)
        visits = {search.edge_actions[edge]: search.edge_visits[edge] for edge in edges_of_the_first_node(search)}
        assert visits[card_from_name("r4")] < min(visits[card_from_name("g1")], visits[card_from_name("g3")])


def edges_of_the_first_node(search: IsmctsSearch) -> list[int]:
    edges, edge = [], search.first_edges[0]
    while edge != nodes.NONE:
        edges.append(edge)
        edge = search.following[edge]
    return edges


def test_silly_actions_are_left_out_unless_asked_for() -> None:
    pruned = whole = 0
    for state, _ in decisions(WINDOWS_OPEN, 3, 15, 120):
        search = blank(IsmctsSearch)
        legal = engine.legal_actions(state)
        count = list_candidates(state, search, 0)
        assert sorted(search.candidates[:count]) == legal
        whole += count
        count = list_candidates(state, search, 1)
        assert set(search.candidates[:count]) <= set(legal)
        assert count > 0
        assert state.phase != UNO_CALL or (search.candidates[0], count) == (UNO, 1)
        pruned += count
    assert pruned < whole


# -- budgets and bad input --


def test_a_budget_in_time_is_enough_for_a_choice() -> None:
    _, view = decisions("classic", 2, 16, 1)[0]
    for root in ("paired", "ucb"):
        chosen, search = ask(view, f"milliseconds=1,root={root}")
        assert chosen in [action for action, _, _, _ in listed_rows(search)]
        assert sum(visits for _, _, _, visits in listed_rows(search)) > 0
