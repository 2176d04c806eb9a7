"""Advisers: what they say is what the bot would do, asking changes nothing, and what cannot advise is refused."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot, BadValue, BotFault, UnknownName
from kibitz.core.layouts import blank, copy_record, equal
from kibitz.games.uno.view import View
from kibitz.play.explaining import CHOSEN, DEFAULT, ONLY, Adviser, Explanation, NoAdvice, default_adviser, explain, explanation_of
from kibitz.play.game import Game, play
from kibitz.play.rule_words import Fired
from kibitz.play.seat import player_of
from kibitz.policies.valuation import POINTS, Valuation, begin_valuation, list_action
from tests.play.weigher import lost, moody, weigher

pytestmark = pytest.mark.usefixtures("both_ways")

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on"


def name_of(value: Any) -> str:
    return value.name if isinstance(value, Bot) else str(value)


class Advised:
    """Plays as a bot does, and has an adviser of the same kind behind it that must always agree and never disturb."""

    def __init__(self, bot: Any, game: str, jit: bool) -> None:
        definition = registry.game(game)
        self.player = player_of(registry.entrant(bot, game), definition, jit)
        self.adviser = Adviser(bot, game, jit=jit)
        self.compared = 0

    def begin(self, view: Any) -> None:
        self.adviser.begin(view)
        self.player.begin(view)

    def observe(self, view: Any, event: Any) -> None:
        self.adviser.observe(view, event)
        self.player.observe(view, event)

    def choose(self, view: Any) -> int:
        before = copy_record(view)
        said = [self.adviser.ask(view) for _ in range(3)]
        assert equal(before, view), "the view is as before, its random stream too"
        assert said[0] == said[1] == said[2]
        action = self.player.choose(view)
        assert said[0].action == action
        fired = Fired(said[0].rule, said[0].words)
        assert fired.rule == (0 if self.player.rule is None else self.player.rule + 1)
        assert said[0] == explanation_of(self.adviser.definition, self.adviser.name, before, action, self.player.valuation, fired=fired)
        return action


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("bot", "other", "game", "rules"),
    [
        ("random", "mix2", "uno", None),
        ("mix2", "random", "uno", None),
        (weigher, "random", "uno", None),
        (weigher, "mix2", "uno", HOUSE),
        ("random", "iggi", "hanabi", None),
        ("piers", "iggi", "hanabi", None),
        ("meanimax:depth=1", "iggi", "hanabi", None),
    ],
    ids=name_of,
)
def test_an_adviser_says_what_the_bot_does_and_leaves_the_game_alone(bot: Any, other: str, game: str, rules: str | None, jit: bool) -> None:
    """The game with an adviser asked three times at each decision is the game the bot plays by itself, to the last action."""
    windows = registry.entrant(bot, game).bot.windows

    class Seat(Advised):
        """Made anew for every deal."""

        def __init__(self) -> None:
            super().__init__(bot, game, jit)

    Seat.windows = windows  # type: ignore[attr-defined]  # read by the arena
    for seed in range(2):
        alone = play([bot, other], seed=seed, rules=rules, game=game, seating="fixed")
        advised = play([Seat, other], seed=seed, rules=rules, game=game, seating="fixed")
        assert advised.actions == alone.actions
        assert len(alone.actions) > 10


def positions(game: str, players: int, seed: int, steps: int) -> list[Game]:
    """Games stopped at many moments."""
    current = Game(players, seed=seed, game=game)
    found = []
    for step in range(steps):
        if current.is_over:
            break
        found.append(current.copy())
        legal = current.legal_actions()
        hint_or_discard = -1 if step % 2 == 0 else 0  # few lives are lost by these
        current.apply(legal[hint_or_discard if game == "hanabi" else (step * 7 + seed) % len(legal)])
    return found


@pytest.mark.parametrize(
    ("bot", "game"), [(weigher, "uno"), ("mix2", "uno"), ("meanimax:plus,depth=2", "hanabi"), ("iggi", "hanabi")], ids=name_of
)
def test_compiled_and_plain_advisers_agree_at_any_position(bot: Any, game: str) -> None:
    compiled, plain = Adviser(bot, game), Adviser(bot, game, jit=False)
    asked = 0
    for position in positions(game, 2, 4, 24):
        view = position.view()
        said = []
        for adviser in (compiled, plain):
            adviser.begin(view)
            said.append(adviser.ask(view))
        assert said[0] == said[1]
        assert said[0].action in position.legal_actions()
        asked += said[0].why == CHOSEN
    assert asked > 8


def test_the_table_of_a_search_is_sorted_and_complete() -> None:
    for position in positions("uno", 3, 2, 30):
        said = explain(weigher, position)
        if said.why == ONLY:
            assert said.rows == () and said.unit == ""
            continue
        assert sorted(row.action for row in said.rows) == position.legal_actions()
        values = [row.value for row in said.rows if row.value is not None]
        assert values == sorted(values, reverse=True)
        assert said.unit == "chance to win"
        assert [row.name for row in said.rows] == [position.definition.action_name(position.state, row.action) for row in said.rows]


def test_meanimax_lists_every_move_and_takes_the_best() -> None:
    for position in positions("hanabi", 2, 1, 20):
        said = explain("meanimax:depth=1", position)
        assert sorted(row.action for row in said.rows) == position.legal_actions()
        assert said.rows[0].action == said.action
        assert said.unit == "expected points"
        assert {(row.error, row.visits) for row in said.rows} == {(0.0, 1)}


def test_a_bot_that_does_not_search_gives_its_action_alone() -> None:
    said = explain("mix2", Game(2, seed=5))
    assert (said.rows, said.unit, said.why) == ((), "", CHOSEN)


def test_what_was_not_tried_comes_last_and_has_no_value() -> None:
    view = Game(2, seed=5).view()
    table = blank(Valuation)
    begin_valuation(table, POINTS)
    list_action(table, 3, 9.0, 1.0, 0)
    list_action(table, 1, float("nan"), 0.5, 4)
    list_action(table, 2, -1.5, float("inf"), 4)
    list_action(table, 4, 2.0, 0.25, 4)
    list_action(table, 0, 2.0, 0.25, 4)
    said = explanation_of(registry.game(), "test", view, 4, table)
    assert [(row.name, row.value, row.error) for row in said.rows] == [
        ("r4", 2.0, 0.25),  # the chosen one among equals
        ("r0", 2.0, 0.25),
        ("r2", -1.5, None),
        ("r1", None, 0.5),
        ("r3", None, None),
    ]
    assert said.to_dict()["rows"][2] == {"action": 2, "name": "r2", "value": -1.5, "error": None, "visits": 4}


def test_an_adviser_gets_a_view_even_if_it_is_handed_the_state() -> None:
    seen: list[Any] = []

    def look(view: Any) -> int:
        seen.append(view)
        return next(action for action in range(128) if view.is_legal(action))

    game = Game(2, seed=5)
    Adviser(look).ask(game.state)
    assert [type(view) for view in seen] == [View]


class Counting:
    """A Python bot that changes its mind each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view: Any) -> int:
        self.asked += 1
        legal = [action for action in range(128) if view.is_legal(action)]
        return legal[self.asked % len(legal)]


def test_a_python_bot_may_advise_and_is_asked_as_if_for_the_first_time() -> None:
    game = Game(2, seed=5)
    adviser = Adviser(Counting)
    assert {adviser.ask(game.view()).action for _ in range(5)} == {game.legal_actions()[1]}


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
def test_a_bot_asked_again_decides_as_if_for_the_first_time(jit: bool) -> None:
    game = Game(2, seed=5)
    adviser = Adviser(moody, jit=jit)
    assert [adviser.ask(game.view()).action for _ in range(60)] == [game.legal_actions()[0]] * 60


def test_windows_that_a_bot_does_not_know_get_the_default() -> None:
    game = Game(3, "official", seed=1)
    while game.definition.phases[game.view().phase] != "challenge":
        legal = game.legal_actions()
        four = [action for action in legal if "wild+4" in game.definition.action_name(game.state, action)]
        game.apply((four or legal[-1:])[0])
        if game.is_over:
            game = Game(3, "official", seed=game.turns)
    said = explain("greedy", game)
    assert (said.name, said.why) == ("accept", DEFAULT)
    assert explain(weigher, game).why == CHOSEN


# -- what is refused --


@pytest.mark.parametrize(
    ("bot", "game", "players", "error", "sentence"),
    [
        ("nobody", "uno", 2, UnknownName, "unknown bot 'nobody'"),
        ("iggi", "uno", 2, BadBot, "bot 'iggi' plays hanabi, not uno."),
        ("mix2", "hanabi", 2, BadBot, "bot 'mix2' plays uno, not hanabi."),
        (weigher, "hanabi", 2, BadValue, "bot weigher plays uno, not hanabi."),
        ("cheater", "hanabi", 2, BadBot, "bot 'cheater' sees hidden cards, so it cannot advise"),
        ("meanimax", "hanabi", 3, BadValue, "bot 'meanimax' plays among 2 players, not 3."),
        ("meanimax:depth=0", "hanabi", 2, BadValue, "depth"),
    ],
)
def test_what_cannot_advise_is_refused(bot: Any, game: str, players: int, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence.replace("(", r"\(")):
        Adviser(bot, game, players)


def test_an_adviser_that_can_play_among_two_is_refused_at_a_table_of_three() -> None:
    with pytest.raises(BadValue, match="plays among 2 players, not 3"):
        explain("meanimax", Game(3, game="hanabi"))


def test_nobody_is_advised_out_of_turn_or_after_the_end() -> None:
    game = Game(2, seed=5)
    adviser = Adviser("mix2")
    with pytest.raises(BadValue, match="seat 1 has nothing to decide now"):
        adviser.ask(game.view(1 - game.to_act))
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    with pytest.raises(BadValue, match="has nothing to decide now"):
        adviser.ask(game.view())


def fails(view: Any) -> int:
    """A Python bot with a mistake."""
    raise ValueError("out of ideas")


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
def test_an_adviser_that_fails_says_so(jit: bool) -> None:
    game = Game(2, seed=5)
    with pytest.raises(NoAdvice, match=r"bot fails, asked for advice in seat 0 at turn 1, raised ValueError: out of ideas."):
        Adviser(fails, jit=jit).ask(game.view())
    while game.turns < 3 or len(game.legal_actions()) < 2:
        game.apply(game.legal_actions()[0])
    with pytest.raises(NoAdvice, match=r"bot lost, asked for advice in seat . at turn ., answered -1, which is not legal there."):
        Adviser(lost, jit=jit).ask(game.view())


@pytest.mark.parametrize(("game", "players"), [("uno", 2), ("uno", 10), *[("hanabi", players) for players in range(2, 6)]])
def test_there_is_an_adviser_for_every_table(game: str, players: int) -> None:
    assert Adviser(default_adviser(game, players), game, players).name


# -- bots at the table --


@pytest.mark.parametrize("rules", [None, HOUSE])
def test_decisions_of_search_bots_are_noted_with_their_steps(rules: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play([weigher, "mix2", weigher], seed=2, rules=rules)
    assert len(played.explanations) > 5
    before = played.opening
    for place, step in enumerate(played.steps):
        if place in played.explanations:
            said = played.explanations[place]
            assert (said.action, said.seat, said.turn) == (step.action, before.state.current, before.state.turn)
            assert said.bot == played.seats[said.seat]
            assert said.bot == "weigher" or (not said.rows and said.rule)
            assert said.bot != "weigher" or step.action in [row.action for row in said.rows]
        before = step
    monkeypatch.setenv("KIBITZ_JIT", "0")
    plain = play([weigher, "mix2", weigher], seed=2, rules=rules)
    assert (plain.actions, plain.explanations) == (played.actions, played.explanations)
    decisions = played.to_dict(explained=True)["decisions"]
    assert [decision["step"] for decision in decisions] == list(played.explanations)
    assert "decisions" not in played.to_dict()


def test_noted_games_are_the_games_of_a_batch() -> None:
    won = sum(play([weigher, "mix2"], seed=3, index=index).winner is not None for index in range(5))
    batch = kibitz.match([weigher, "mix2"], games=5, seed=3, threads=1)
    turns = [play([weigher, "mix2"], seed=3, index=index).turns for index in range(5)]
    assert won == 5
    assert sum(turns) / 5 == pytest.approx(batch.rows[0].turns)


def test_every_deal_of_a_contest_has_its_own_notes() -> None:
    contest = kibitz.play_contest([weigher, "random"], to=60, seed=4)
    assert len(contest.deals) > 1
    for deal in contest.deals:
        assert deal.explanations
        assert all(deal.steps[place].action == said.action for place, said in deal.explanations.items())
    assert [len(deal["decisions"]) for deal in contest.to_dict(explained=True)["deals"]] == [
        len(deal.explanations) for deal in contest.deals
    ]


def test_the_fault_of_a_search_bot_is_told_with_what_led_up_to_it() -> None:
    with pytest.raises(BotFault, match=r"bot lost in seat . answered -1, which is not an action") as caught:
        play([lost, lost], seed=3)
    played: Any = caught.value.played
    assert len(played.steps) > 1
    assert all(isinstance(said, Explanation) for said in played.explanations.values())


@pytest.mark.parametrize("bot", ["champion:rollouts=20", "expectiminimax:samples=2,depth=1", "ismcts:rollouts=10"])
def test_cards_that_cannot_add_up_are_named_and_nothing_is_played(bot: str) -> None:
    view = kibitz.Game(2, seed=3).view()
    view.pile_size -= 1
    with pytest.raises(BadValue, match="the cards cannot add up: other hands have 7 cards, the draw pile 92"):
        kibitz.Adviser(bot, jit=False).ask(view)
