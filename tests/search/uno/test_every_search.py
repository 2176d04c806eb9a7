"""What holds of every bot that searches: legal under all rules, alike compiled and plain, blind to what is hidden, clear about bad input."""

from __future__ import annotations

from random import Random

import pytest

from kibitz import registry
from kibitz.core.errors import KibitzError
from kibitz.core.layouts import copy_record
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW, MAX_PLAYERS
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.rules import PRESETS, parse_rules
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.policies.valuation import WIN_CHANCE, listed_rows
from kibitz.runs.units import Unit
from tests.search.uno.positions import WINDOWS_OPEN, answer_of, arranged, decisions, with_other_hidden_cards

QUICK = "policy=greedy,others=greedy,horizon=3"  # in plain Python
NEVER = "policy=random,others=random,model=none,horizon=0,lean=0"  # nothing but chance
OPEN = "official,hand_size=3,stacking=progressive,seven_zero=on,jump_in=on"


@pytest.mark.parametrize(
    ("bots", "rules", "games"),
    [
        (["rollout:rollouts=6", "mix2"], "classic", 2),
        (["rollout:rollouts=6,horizon=3,policy=greedy,others=random,model=none,belief=simple", "mix2", "mix2"], "official", 2),
        (["champion:rollouts=6,horizon=3,policy=mix2,others=linear,lean=0", "mix2", "mix2"], WINDOWS_OPEN, 2),
        (["cheater:rollouts=6,horizon=3", "mix2"], "classic", 2),
        (["champion:rollouts=6,horizon=1,policy=net,play_on=linear,value=net,lean=0,trust=0.01", "mix2"], "classic", 2),
        (["rollout:rollouts=4,horizon=1,policy=net,others=net,value=net,shortlist=3", "mix2", "mix2"], WINDOWS_OPEN, 2),
        (["ismcts:rollouts=12,horizon=0,search_others=on", "mix2"], "classic", 2),
        (["ismcts:rollouts=10,root=ucb,lean=0,bias=1,policy=linear,others=random,belief=simple", "mix2"], "classic", 2),
        (["ismcts:rollouts=8,search_others=off,model=none,policy=greedy,prune=off,urgency=0.3", "mix2", "mix2"], "official", 2),
        (["ismcts:rollouts=6,others=linear,horizon=3", "mix2", "mix2"], WINDOWS_OPEN, 2),
        (["ismcts:rollouts=6,policy=net,play_on=linear,value=net,horizon=1,lean=0", "mix2"], "classic", 2),
        (["ismcts:rollouts=4,play_on=net,value=net,others=net,search_others=on,horizon=1", "mix2", "mix2"], WINDOWS_OPEN, 2),
        (["expectiminimax:samples=6", "expectiminimax:samples=1,depth=1"], "numbers", 3),
        (["expectiminimax:samples=4,depth=5,draw_samples=2,common=on,lost_copies=on", "expectiminimax:samples=1,depth=1"], "numbers", 1),
        (["expectiminimax:samples=2,depth=2,draw_samples=2", "expectiminimax:samples=1,depth=1"], "classic,hand_size=4", 1),
        (["expectiminimax:samples=1,depth=1,others=selfish", *["expectiminimax:samples=1,depth=1"] * 2], OPEN, 1),
    ],
)
def test_compiled_and_plain_searches_play_the_same_games(bots: list[str], rules: str, games: int) -> None:
    lineup = make_lineup(bots, rules)
    assert play_compiled(lineup, 3, Unit(0, games)).tolist() == play_plain(lineup, 3, Unit(0, games)).tolist()


@pytest.mark.parametrize("rules", [*PRESETS, WINDOWS_OPEN, "classic,stacking=progressive"])
@pytest.mark.parametrize(
    "bots",
    [
        ["rollout:rollouts=6", "champion:rollouts=6,policy=net,play_on=random,value=net", "random", "cheater:rollouts=6"],
        ["ismcts:rollouts=12,policy=net,play_on=linear", "ismcts:rollouts=12,root=ucb,prune=off,value=net", "random"],
    ],
    ids=["rollouts", "ismcts"],
)
def test_it_plays_legally_under_all_rules_at_tables_of_any_size(bots: list[str], rules: str) -> None:
    """The loop stops at the first answer that is not legal, so it is enough that the games are played."""
    parsed = parse_rules(rules)
    most = min(MAX_PLAYERS, (sum(parsed.deck) - 1) // parsed.hand_size)
    for players in range(2, most + 1):
        lineup = make_lineup([bots[place % len(bots)] for place in range(players)], parsed)
        assert play_compiled(lineup, players, Unit(0, 6)).tolist()[0] == 6


@pytest.mark.parametrize("bot", ["rollout:rollouts=20", "ismcts:rollouts=40"])
def test_equal_seeds_give_equal_games_whatever_was_searched_before(bot: str) -> None:
    whole = play_compiled(make_lineup([bot, "random"]), 8, Unit(0, 12))
    parts = [play_compiled(make_lineup([bot, "random"]), 8, unit) for unit in (Unit(6, 6), Unit(0, 6))]
    assert whole.tolist() == (parts[0] + parts[1]).tolist()
    assert whole.tolist() != play_compiled(make_lineup([bot, "random"]), 9, Unit(0, 12)).tolist()


@pytest.mark.parametrize("bot", [f"rollout:rollouts=60,{NEVER}", "ismcts:rollouts=60,horizon=0"])
def test_a_certain_win_is_seen_with_certainty(bot: str) -> None:
    state, _ = arranged(["rskip r5", "b1 b2 b3"], "r3", "y9 y9 y9", 50)
    chosen, work = answer_of(bot, engine.as_view(state))
    assert chosen == card_from_name("rskip")
    assert (chosen, 1.0, 0.0) in [row[:3] for row in listed_rows(work)]
    assert work.unit == WIN_CHANCE


# -- what is hidden --


@pytest.mark.parametrize(
    ("players", "bot"),
    [
        (2, f"rollout:rollouts=20,{QUICK}"),
        (4, f"rollout:rollouts=12,{QUICK},policy=linear"),
        (2, "ismcts:rollouts=25"),
        (4, "ismcts:rollouts=25"),
    ],
)
def test_the_choice_does_not_depend_on_hidden_cards(players: int, bot: str) -> None:
    random = Random(players)
    asked = 0
    for state, _ in decisions("classic", players, players, 6):
        if state.pile_size == 0:
            continue
        twin = with_other_hidden_cards(state, random)
        assert twin.hands0 != state.hands0
        first, second = (answer_of(bot, engine.as_view(each)) for each in (state, twin))
        assert first[0] == second[0]
        assert list(listed_rows(first[1])) == list(listed_rows(second[1]))
        asked += len(list(listed_rows(first[1]))) > 1
    assert asked >= 3


@pytest.mark.parametrize("bot", [f"rollout:rollouts=40,{QUICK}", f"ismcts:rollouts=40,{QUICK}"])
def test_the_stream_of_the_bot_is_all_that_chance_comes_from(bot: str) -> None:
    _, view = decisions("classic", 2, 21, 1)[0]
    first, again = (list(listed_rows(answer_of(bot, copy_record(view))[1])) for _ in range(2))
    assert first == again
    view.random_stream += 1
    assert list(listed_rows(answer_of(bot, view)[1])) != first


@pytest.mark.parametrize("bot", [f"rollout:rollouts=20,{QUICK}", f"ismcts:rollouts=20,{QUICK}"])
def test_what_was_searched_before_leaves_no_trace(bot: str) -> None:
    (_, first), (_, second) = decisions("classic", 3, 22, 2)
    _, work = answer_of(bot, copy_record(first))
    used = answer_of(bot, copy_record(second), work)
    fresh = answer_of(bot, copy_record(second))
    assert used[0] == fresh[0]
    assert list(listed_rows(used[1])) == list(listed_rows(fresh[1]))


# -- no search, and bad input --


@pytest.mark.parametrize("bot", ["rollout:rollouts=5", "ismcts:rollouts=5", "expectiminimax:samples=2"])
def test_a_view_that_cannot_add_up_is_no_reason_to_play_at_random(bot: str) -> None:
    _, view = decisions("classic", 2, 17, 1)[0]
    view.pile_size -= 1
    assert answer_of(bot, view)[0] == -1
    assert not view.is_legal(-1)


@pytest.mark.parametrize("bot", ["rollout:rollouts=5,policy=mix2", "rollout:rollouts=5,policy=linear", "ismcts:rollouts=5"])
def test_a_forced_action_is_taken_without_a_search(bot: str) -> None:
    state, _ = arranged(["r1 g1", "b1 b2"], "y3", "y9 y9 y9", 50)
    chosen, work = answer_of(bot, engine.as_view(state))
    assert (chosen, work.listed) == (DRAW, 0)


POLICIES = "random, greedy, mix2, linear or net."
BAD = [  # of all bots but expectiminimax
    ("rollouts=0", "rollouts must be 1–10000000, got 0"),
    ("rollouts=-5", "rollouts must be "),
    ("rollouts=many", "rollouts=many is not accepted"),
    ("milliseconds=-1", "milliseconds must be "),
    ("horizon=-1", "horizon must be "),
    ("lean=-1", "lean must be "),
    ("policy=best", f"policy=best is not accepted; policy is {POLICIES}"),
    ("others=best", f"others=best is not accepted; others is {POLICIES}"),
    ("play_on=best", f"play_on=best is not accepted; play_on is policy, {POLICIES}"),
    ("value=linear", "value=linear is not accepted; value is evaluation or net."),
    ("net=nowhere.npz", "network nowhere.npz does not exist"),
    ("model=mix", "model=mix is not accepted; model is none or mix2."),
    ("belief=none", "belief=none is not accepted; belief is exact or simple."),
    ("depth=3", ""),
]
BAD_OF_ONE = [
    *((bot, "trust=-1", "trust must be ") for bot in ("rollout", "champion", "cheater")),
    ("ismcts", "exploration=-0.5", "exploration must be "),
    *(("expectiminimax", f"{name}={value}", name) for name, value in (("samples", 0), ("depth", -1), ("depth", 0), ("depth", 9))),
    *(("expectiminimax", f"{name}={value}", name) for name, value in (("draw_samples", 0), ("belief", "none"), ("others", "nobody"))),
    ("expectiminimax", "samples=2.5", "samples"),
]


@pytest.mark.parametrize(
    ("bot", "text", "refused"), [*((bot, *bad) for bot in ("rollout", "champion", "cheater", "ismcts") for bad in BAD), *BAD_OF_ONE]
)
def test_bad_parameters_are_refused_in_one_sentence(bot: str, text: str, refused: str) -> None:
    with pytest.raises(KibitzError) as error:
        registry.entrant(f"{bot}:{text}")
    assert refused in str(error.value)
    assert str(error.value).startswith((f"bot '{bot}:{text}': ", "unknown ", "network "))
    assert "\n" not in str(error.value)
