"""RLCard's environment over our engine, with RLCard as the oracle: its numbers, its planes, its agents."""

from __future__ import annotations

import io
import random
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.envs.uno import rlcard_style
from kibitz.envs.uno.rlcard_style import ACTION_NAMES, RULES, RLCardStyleEnv, action_of, state_of
from kibitz.games.uno.cards import STANDARD_DECK
from kibitz.games.uno.names import action_name, card_from_name, card_name
from kibitz.games.uno.view import DRAWN

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # RLCard asks for distutils, which is deprecated
    import rlcard
    from rlcard.agents.dqn_agent import DQNAgent
    from rlcard.agents.random_agent import RandomAgent
    from rlcard.games.uno.card import UnoCard
    from rlcard.games.uno.utils import ACTION_LIST
    from rlcard.models.uno_rule_models import UNORuleAgentV1
    from rlcard.utils import reorganize, tournament

SMALL = "classic,hand_size=2,drawn_card=may_not_play,max_turns=40,deck=" + "/".join(f"r{value}*2" for value in range(1, 10))


def our_card(text: str) -> str:
    """A card of RLCard's as we write it."""
    colour, trait = text.split("-")
    wild = {"wild": "wild", "wild_draw_4": "wild+4"}
    return wild.get(trait) or colour + {"reverse": "rev", "draw_2": "+2"}.get(trait, trait)


def same_position(raw: dict[str, Any], seat: int, colour: str) -> kibitz.Game:
    """Our game with the hand, the top card, its colour and the hand sizes of a state of RLCard's; who has what else doesn't matter."""
    hands: list[list[str]] = [[] for _ in raw["num_cards"]]
    hands[seat] = [our_card(card) for card in raw["hand"]]
    top = our_card(raw["target"])
    left = [card_name(card) for card, count in enumerate(STANDARD_DECK) for _ in range(count)]
    for card in (*hands[seat], top):
        left.remove(card)
    for other, size in enumerate(raw["num_cards"]):
        if other != seat:
            hands[other] = [left.pop() for _ in range(size)]
    written = top if not top.startswith("wild") else f"{top}:{colour}"
    shown = "|".join(".".join(hand) for hand in hands)
    return kibitz.Game.from_text(
        f"{RULES};players={len(hands)};dealer=0;to_act={seat};direction=+;turn=1;phase=turn;top={written};hands={shown};discard=;pile={'.'.join(left)}"
    )


def test_the_actions_are_rlcards() -> None:
    assert list(ACTION_NAMES) == ACTION_LIST
    game = kibitz.Game(players=2, seed=1)
    ours = [action_name(action_of(game.view(), action_id)) for action_id in range(61)]
    theirs = [f"{our_card(name)}:{name[0]}" if "wild" in name else our_card(name) for name in ACTION_LIST[:-1]]
    assert ours == [*theirs, "draw"]


def test_states_are_what_rlcard_gives_in_the_same_positions() -> None:
    """2,000 positions of random play. Left out are copies that the deck doesn't have: RLCard shuffles the top card in with the others, and it stays on top.

    Its top card is a copy of the text that a wild was made with, whatever colour was called; ours shows the colour called.
    """
    env = rlcard.make("uno", config={"seed": 5})
    rng = np.random.default_rng(5)
    compared, wilds = 0, 0
    state, seat = env.reset()
    while compared < 2000:
        raw = state["raw_obs"]
        cards = [our_card(card) for card in [*raw["hand"], raw["target"]]]
        if all(cards.count(card) <= STANDARD_DECK[card_from_name(card)] for card in cards):
            colour = env.game.round.target.color
            raw["target"] = f"{colour}{raw['target'][1:]}"
            state["obs"][3] = np.roll(state["obs"][3], "rgby".index(colour) - int(state["obs"][3].any(axis=1).argmax()), axis=0)
            ours = state_of(same_position(raw, seat, colour).view(seat))
            assert np.array_equal(ours["obs"], state["obs"]) and ours["obs"].dtype == state["obs"].dtype
            assert list(ours["legal_actions"].items()) == sorted(state["legal_actions"].items())
            assert set(ours["raw_legal_actions"]) == set(state["raw_legal_actions"])
            assert ours.keys() == state.keys() and ours["raw_obs"].keys() == raw.keys()
            assert [our_card(card) for card in ours["raw_obs"]["hand"]] == sorted(
                (our_card(card) for card in raw["hand"]), key=card_from_name
            )
            assert {key: ours["raw_obs"][key] for key in ("target", "num_cards", "num_players", "current_player")} == {
                key: raw[key] for key in ("target", "num_cards", "num_players", "current_player")
            }
            compared, wilds = compared + 1, wilds + ("wild" in raw["target"])
        state, seat = env.step(rng.choice(list(state["legal_actions"])))
        if env.is_over():
            state, seat = env.reset()
    assert wilds > 50


@pytest.mark.parametrize("players", range(2, 11))
def test_any_number_of_players_plays_to_an_end(players: int) -> None:
    env = RLCardStyleEnv(players, seed=players)
    agents = [RandomAgent(env.num_actions) if seat % 2 else UNORuleAgentV1() for seat in range(players)]
    env.set_agents(agents)
    np.random.seed(players)
    assert (env.num_players, env.num_actions, env.state_shape, env.action_shape) == (players, 61, [[4, 4, 15]] * players, [None] * players)
    trajectories, payoffs = env.run(is_training=False)
    assert env.is_over() and sorted(payoffs) == [-1] * (players - 1) + [1]
    assert env.timestep == len(trajectories[0][0]["action_record"]) > 10
    winner = int(np.argmax(payoffs))
    shown = env.get_perfect_information()
    assert [len(hand) for hand in shown["hand_cards"]] == shown_sizes(trajectories) and not shown["hand_cards"][winner]
    for seat, trajectory in enumerate(trajectories):
        own = [action for who, action in env.action_recorder if who == seat]
        told = [action if isinstance(action, str) else ACTION_NAMES[action] for action in trajectory[1:-1:2]]
        assert told == own and len(trajectory) == 2 * len(own) + 1


def shown_sizes(trajectories: list[list[Any]]) -> list[int]:
    """What the last state says of hand sizes."""
    sizes: list[int] = trajectories[0][-1]["raw_obs"]["num_cards"]
    return sizes


def test_a_game_is_the_one_that_kibitz_game_plays() -> None:
    """Turns are asked about even where nothing else is legal; only a drawn card that must be played is played at once."""
    env, game = RLCardStyleEnv(3, seed=4), kibitz.Game(players=3, seed=4, rules=RULES)
    rng = np.random.default_rng(4)
    state, player = env.reset()
    single = 0
    while not env.is_over():
        while len(game.legal_actions()) == 1 and game.view().phase == DRAWN:
            game.apply(game.legal_actions()[0])
        view = game.view()
        assert player == game.to_act
        assert np.array_equal(state["obs"], state_of(view)["obs"])
        assert sorted(action_of(view, action) for action in state["legal_actions"]) == game.legal_actions()
        single += len(state["legal_actions"]) == 1
        action = int(rng.choice(list(state["legal_actions"])))
        game.apply(action_of(view, action))
        state, player = env.step(ACTION_NAMES[action], raw_action=True) if env.timestep % 2 else env.step(action)
    assert single > 5 and game.is_over
    assert env.get_payoffs().tolist() == [1 if seat == game.winner else -1 for seat in range(3)]


def test_equal_seeds_play_equal_games() -> None:
    def hands(seed: int) -> list[Any]:
        env = RLCardStyleEnv(2, seed=seed)
        return [env.reset()[0]["raw_obs"] for _ in range(3)]

    assert hands(7) == hands(7) != hands(8)
    first, second, _ = hands(7)
    assert first != second
    env = RLCardStyleEnv(2, seed=8)
    assert env.seed(7) == 7 and env.reset()[0]["raw_obs"] == first


def test_an_opening_wild_whose_colour_is_open_is_marked_in_all_rows() -> None:
    game = kibitz.Game.from_text(
        "classic,deck=r1/r2/wild,hand_size=1;players=2;dealer=0;to_act=1;direction=+;turn=1;phase=turn;top=wild;hands=r1|r2;discard=;pile="
    )
    state = state_of(game.view())
    assert state["obs"][3].nonzero()[1].tolist() == [13] * 4 and state["raw_obs"]["target"] == "-wild"


def test_where_a_drawn_card_may_be_kept_draw_stands_for_keeping_it() -> None:
    game = kibitz.Game.from_text(
        "classic,deck=r1/r2/b3/b4,hand_size=1;players=2;dealer=0;to_act=1;direction=+;turn=1;phase=drawn;top=r1;hands=b4|r2.b3;discard=;pile=;drawn=r2"
    )
    view = game.view()
    assert list(state_of(view)["legal_actions"]) == [2, 60]
    assert [action_name(action_of(view, action_id)) for action_id in (2, 60)] == ["r2", "keep"]


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("official", "drawn_card=may_play, wild_draw_four=challenge, uno_call=on"),
        (f"{RULES},stacking=same", "stacking=same"),
        (f"{RULES},seven_zero=on", "seven_zero=on"),
        (f"{RULES},jump_in=on", "jump_in=on"),
        (f"{RULES},deck=modern", "deck=modern"),
        (f"{RULES},deck=r1*3/r2*2/r3*2,hand_size=2", r"deck=r1\*3/r2\*2/r3\*2"),
        ("davies", "drawn_card=any_card"),
    ],
)
def test_rules_beyond_the_actions_are_refused_by_name(rules: str, named: str) -> None:
    with pytest.raises(
        BadValue, match=f"can't express {named}; accepted are drawn_card=must_play or may_not_play, .* and decks with at most 2"
    ):
        RLCardStyleEnv(2, rules)


@pytest.mark.parametrize(
    "rules",
    ["hearn", "numbers", f"{RULES},opening=effects_name_colour,draw=until_playable", RULES.replace("must_play=on", "must_play=off")],
)
def test_other_rules_are_played(rules: str) -> None:
    env = RLCardStyleEnv(3, rules, seed=2)
    env.set_agents([RandomAgent(61)] * 3)
    np.random.seed(2)
    assert sorted(env.run()[1]) == [-1, -1, 1]


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    env = RLCardStyleEnv(2, seed=1)
    with pytest.raises(BadValue, match="action 60 comes after the end of the game; reset the environment"):
        env.step(60)
    state, _ = env.reset()
    for action, raw in ((0, False), (61, False), (-1, False), ("draw", True), ("red", True)):
        with pytest.raises(BadValue, match=rf"action {action} of player 0 is not legal; legal are 1 \(r-1\), 49 \(y-4\)\."):
            env.step(action, raw)
    assert env.get_state(0)["raw_obs"] == state["raw_obs"] and env.timestep == 0 == len(env.action_recorder)
    with pytest.raises(BadValue, match="0 agents are set for 2 players"):
        env.run()
    with pytest.raises(BadValue, match="action 61 is not an action of RLCard's"):
        action_of(kibitz.Game(players=2, seed=1).view(), 61)


def test_only_the_player_to_act_has_legal_actions() -> None:
    env = RLCardStyleEnv(3, seed=3)
    env.reset()
    assert [bool(env.get_state(player)["legal_actions"]) for player in range(3)] == [True, False, False]
    assert env.get_payoffs().tolist() == [0, 0, 0]
    assert env.get_action_feature(60).tolist() == [0] * 60 + [1]


def test_rlcards_registry_makes_it() -> None:
    rlcard_style.register()
    rlcard_style.register()  # again is no harm
    env = rlcard.make("kibitz-uno", config={"seed": 3, "game_num_players": 4, "game_rules": "numbers"})
    env.set_agents([RandomAgent(61)] * 4)
    np.random.seed(1)
    assert len(tournament(env, 5)) == 4
    with pytest.raises(BadValue, match="no steps back"):
        rlcard.make("kibitz-uno", config={"allow_step_back": True})


@pytest.fixture(scope="module")
def one_thread() -> Any:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(before)


def test_an_rlcard_agent_learns_unchanged(one_thread: Any) -> None:
    """Every card fits in this deck, so drawing is always bad. Guessing wins half of 300 games; over 63 % by luck has a chance of 2 in a million."""
    for seeded in (one_thread.manual_seed, random.seed, np.random.seed):
        seeded(1)
    env = RLCardStyleEnv(2, SMALL, seed=1)
    learner = DQNAgent(
        num_actions=env.num_actions,
        state_shape=env.state_shape[0],
        mlp_layers=[64],
        learning_rate=1e-3,
        discount_factor=0.9,
        epsilon_decay_steps=1000,
        replay_memory_init_size=100,
        update_target_estimator_every=50,
    )
    env.set_agents([learner, RandomAgent(env.num_actions)])
    with redirect_stdout(io.StringIO()):
        for _ in range(100):
            trajectories, payoffs = env.run(is_training=True)
            for transition in reorganize(trajectories, payoffs)[0]:
                learner.feed(transition)
        assert learner.train_t > 100
        won = sum(env.run(is_training=False)[1][0] > 0 for _ in range(300))
    assert won > 0.63 * 300


def rlcard_table(hands: list[list[str]], top: str, pile: list[str]) -> Any:
    """RLCard's UNO in a position of our choice, player 0 to act."""
    env = rlcard.make("uno", config={"seed": 1})
    env.reset()
    for player, hand in zip(env.game.players, hands, strict=True):
        player.hand = [rlcard_card(card) for card in hand]
    table = env.game.round
    table.target = rlcard_card(top)
    table.played_cards, table.current_player, table.direction = [table.target], 0, 1
    env.game.dealer.deck = [rlcard_card(card) for card in pile]
    return env


def rlcard_card(text: str) -> Any:
    colour, trait = text.split("-")
    return UnoCard("wild" if "wild" in trait else "number" if trait.isdigit() else "action", colour, trait)


def test_rlcards_rules_are_what_docs_compare_says() -> None:
    assert rlcard.make("uno", config={"game_num_players": 4}).num_players == 2

    _, player = rlcard_table([["r-reverse", "r-1"], ["g-2"]], "r-5", ["b-1"]).step(ACTION_NAMES.index("r-reverse"))
    assert player == 1

    env = rlcard.make("uno", config={"seed": 1})
    state, player = env.reset()
    while not state["raw_obs"]["target"].endswith("draw_2"):
        state, player = env.reset()
    assert (player, state["raw_obs"]["num_cards"]) == (0, [9, 7])

    env = rlcard_table([["r-1"], ["g-2", "g-3"]], "y-5", ["b-1", "b-2", "b-3", "b-4", "r-wild_draw_4"])
    state, player = env.step(60)
    assert (player, state["raw_obs"]["num_cards"], env.game.round.target.trait) == (1, [1, 2], "wild_draw_4")

    state, _ = rlcard_table([["r-1"], ["g-2", "g-3"]], "y-5", ["b-5"]).step(60)
    assert state["raw_obs"]["num_cards"] == [2, 2] and state["raw_obs"]["target"] == "y-5"

    env = rlcard_table([["r-wild", "r-1"], ["g-2"]], "r-5", ["b-1"])
    state, _ = env.step(ACTION_NAMES.index("g-wild"))
    assert (state["raw_obs"]["target"], env.game.round.target.color) == ("r-wild", "g")
    assert state["obs"][3].nonzero()[0].tolist() == [0]

    env = rlcard_table([["r-1"], ["g-2"]], "y-5", [])
    top = env.game.round.target
    env.step(60)
    assert env.game.round.target is top and env.game.round.played_cards == [top] and not env.game.dealer.deck

    with pytest.raises(ValueError, match="a must be 1-dimensional or an integer"):
        rlcard_table([["r-1", "r-2"], ["g-2"]], "r-5", ["b-1"]).step(30)
