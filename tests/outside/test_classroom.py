"""The classroom's two questions: what a player is asked and told, what becomes of its answers, and how it is found."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.bots.uno.classroom import CARDS, BadAnswer, Card, Color, GameState, Rank, adapt, resolve
from kibitz.core.errors import BadBot, BotFault
from kibitz.games.uno.cards import CARD_TYPES, COLOURED_TYPES, NO_COLOUR, match_mask
from kibitz.games.uno.names import action_name, card_name
from kibitz.play.game import Game
from tests.games.uno.positions import position

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples" / "classroom"


class Asked:
    """A player that answers what it was told to, and remembers what it was asked."""

    answers: tuple[Any, ...] = ()
    colors: tuple[Any, ...] = ()

    def __init__(self) -> None:
        self.plays: list[tuple[list[Card], Card, Color, GameState]] = []
        self.calls: list[list[Card]] = []

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> Any:
        self.plays.append((hand[:], up_card, called_color, state))
        hand.clear()  # a copy: nobody minds
        state.played_cards.clear()
        state.num_cards_in_hands_of_upcoming_players.append(99)
        return self.answers[len(self.plays) - 1]

    def call_color(self, hand: list[Card]) -> Any:
        self.calls.append(hand[:])
        hand.clear()
        return self.colors[len(self.calls) - 1]


def asked(*answers: Any, colors: tuple[Any, ...] = ()) -> Any:
    """A bot whose player gives these answers."""
    return adapt(type("Asked", (Asked,), {"answers": answers, "colors": colors}))()


def names(cards: list[Card]) -> list[str]:
    return [repr(card) for card in cards]


# -- cards --


def test_cards_are_those_of_the_classroom() -> None:
    by_name = {repr(card): card for card in CARDS}
    assert len(by_name) == CARD_TYPES
    assert by_name["r5"][:3] == (Color.RED, Rank.NUMBER, 5)
    assert by_name["gskip"][:3] == (Color.GREEN, Rank.SKIP, -1)
    assert by_name["b+2"][:3] == (Color.BLUE, Rank.DRAW_TWO, -1)
    assert by_name["yrev"][:3] == (Color.YELLOW, Rank.REVERSE, -1)
    assert by_name["wild"][:3] == (Color.NONE, Rank.WILD, -1)
    assert by_name["wild+4"][:3] == (Color.NONE, Rank.WILD_D4, -1)
    assert (repr(Color.RED), repr(Rank.WILD_D4), by_name["wild"].points) == ("Color.RED", "Rank.WILD_D4", 50)


def test_what_can_be_played_is_what_the_engine_says() -> None:
    for top in range(CARD_TYPES):
        for called in range(5) if top >= COLOURED_TYPES else (NO_COLOUR,):
            fitting = match_mask(top, called)
            for card in range(CARD_TYPES):
                assert CARDS[card].can_play_on(CARDS[top], tuple(Color)[called]) == bool(fitting >> card & 1), (
                    card_name(card),
                    card_name(top),
                )


# -- what a player is asked --


def test_a_player_sees_hand_up_card_and_state_from_its_place() -> None:
    game = position("r1.wild.g2|b3|y1.y2|b5.b6.b7", "r5", "y7", "r4.g4", to_act=0, direction="-", rules="davies", more=";scores=1|2|3|4")
    bot = asked(0)
    assert action_name(bot.choose(game.view(0))) == "r1"
    ((hand, up_card, called, state),) = bot.player.plays
    assert (names(hand), repr(up_card), called) == (["r1", "wild", "g2"], "r5", Color.NONE)
    assert state.num_cards_in_hands_of_upcoming_players == [3, 2, 1, 3, 99]  # the last is what the player added to its own copy
    assert state.total_score_of_upcoming_players == [4, 3, 2, 1]
    assert state.most_recent_color_called_by_upcoming_players == [Color.NONE] * 4
    view = game.view(0)
    assert (view.hand_size(), view.sizes[:4], view.discard_size) == (3, [3, 1, 2, 3], 2)


def test_a_player_hears_which_colours_were_called() -> None:
    game = position("wild.g2.r8|wild+4.b3|y1.y2.y3", "r5", "y7.y8.y9.b1.b2", rules="davies")
    bots = [asked(0, 0, colors=(Color.GREEN,)), asked(0, colors=(Color.BLUE,)), asked(0)]
    for seat in (0, 1):
        for event in game.apply(bots[seat].choose(game.view(seat))):
            for viewer, bot in enumerate(bots):
                bot.observe(game.view(viewer), event)
    bots[0].choose(game.view(0))
    *_, (_, up_card, called, state) = bots[0].player.plays
    assert (repr(up_card), called) == ("wild+4", Color.BLUE)
    assert state.most_recent_color_called_by_upcoming_players == [Color.BLUE, Color.NONE, Color.GREEN]
    assert names(bots[0].player.calls[0]) == ["g2", "r8"]  # without the wild itself
    assert state.played_cards == []  # cleared by the player, in its own copy


def test_after_a_draw_any_card_may_be_played_as_in_the_classroom() -> None:
    game = position("r1.g2|b3", "r5", "r7", rules="davies")
    bot = asked(-1, 2)
    assert action_name(bot.choose(game.view(0))) == "draw"
    game.apply("draw")
    assert action_name(bot.choose(game.view(0))) == "r7"
    assert names(bot.player.plays[1][0]) == ["r1", "g2", "r7"]


def test_where_only_the_drawn_card_counts_it_is_the_hand() -> None:
    game = position("r1.g2|b3", "r5", "wild", rules="classic")
    bot = asked(-1, 0, -1, colors=(Color.YELLOW,))
    game.apply(bot.choose(game.view(0)))
    assert action_name(bot.choose(game.view(0))) == "wild:y"
    assert action_name(bot.choose(game.view(0))) == "keep"
    assert [names(play[0]) for play in bot.player.plays] == [["r1", "g2"], ["wild"], ["wild"]]
    assert names(bot.player.calls[0]) == ["r1", "g2"]


def test_of_two_equal_cards_the_one_that_was_chosen_is_gone() -> None:
    game = position("r1.g2.r1.b4|r3.y4", "r5", "y7.y8", rules="davies")
    bot = asked(0, 0)
    game.apply(bot.choose(game.view(0)))
    game.apply("r3")
    bot.choose(game.view(0))
    assert [names(play[0]) for play in bot.player.plays] == [["r1", "g2", "r1", "b4"], ["g2", "r1", "b4"]]


# -- answers that are none --


@pytest.mark.parametrize("answer", [3, -2, 10**30, None, "0", 1.0, True])
def test_an_index_that_is_none_is_an_illegal_answer(answer: Any) -> None:
    chosen = asked(answer).choose(position("r1.g2.wild|b3", "r5", "r7").view(0))
    assert isinstance(chosen, BadAnswer)
    assert repr(chosen) == f"play = {answer!r}, but the hand has the cards 0 to 2 (-1 draws)"


@pytest.mark.parametrize("color", [Color.NONE, None, "RED", 0])
def test_a_colour_that_is_none_is_an_illegal_answer(color: Any) -> None:
    chosen = asked(2, colors=(color,)).choose(position("r1.g2.wild|b3", "r5", "r7").view(0))
    assert isinstance(chosen, BadAnswer)
    assert repr(chosen) == f"call_color = {color!r} for wild, which is not RED, GREEN, BLUE or YELLOW"


def test_a_card_that_does_not_fit_is_answered_and_judged_as_such() -> None:
    game = position("r1.g2.wild|b3", "r5", "r7")
    action = asked(1).choose(game.view(0))
    assert action_name(action) == "g2"
    assert action not in game.legal_actions()


class Stubborn:
    """Always wants the tenth card."""

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        return 9

    def call_color(self, hand: list[Card]) -> Color:
        return Color.RED


def test_a_bad_answer_is_the_bots_fault() -> None:
    with pytest.raises(BotFault, match=r"bot Stubborn in seat \d .*play = 9, but the hand has the cards 0 to 6"):
        kibitz.play([Stubborn, "random"], rules="davies")


# -- as a bot like any other --


class Drunk:
    """Plays anything that fits."""

    def __init__(self) -> None:
        self.random = Random(3)

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        return self.random.choice([i for i, card in enumerate(hand) if card.can_play_on(up_card, called_color)] or [-1])

    def call_color(self, hand: list[Card]) -> Color:
        return self.random.choice([Color.RED, Color.GREEN])


@pytest.mark.parametrize("rules", ["davies", "classic", "official,stacking=same,seven_zero=on,jump_in=on"])
def test_a_player_plays_under_any_rules_that_leave_wild_draw_fours_free(rules: str) -> None:
    result = kibitz.match([Drunk, "random", Drunk], rules=rules, games=20)
    assert sum(row.wins for row in result.rows) == 20


def test_a_player_is_a_bot_wherever_one_is_named() -> None:
    entrant = registry.entrant(str(EXAMPLES / "ashtabna.py"))
    assert entrant.name.endswith("ashtabna.py:ashtabna_UnoPlayer")
    assert entrant.bot.summary == "Gets rid of points as fast as it can."
    with pytest.raises(BadBot, match="defines first_UnoPlayer, spiteful_UnoPlayer"):
        registry.entrant(str(EXAMPLES / "others.py"))
    assert registry.entrant(Drunk).name == "Drunk"


def test_own_bots_with_such_names_stay_what_they_are() -> None:
    class Both(Drunk):
        def choose(self, view: Any) -> int:
            return int(view.decline())

    bot = registry.entrant(Both).bot
    assert isinstance(bot, ObjectBot) and type(bot.fresh()) is Both
    with pytest.raises(BadBot, match="a class with the methods play and call_color is needed"):
        adapt(Both)


# -- lists of players --


def test_the_examples_are_found_and_beat_chance() -> None:
    """`ashtabna` wins 62 % in the long run: of 300 games it would lose the most by chance once in 100,000 tries; the seed is fixed."""
    lines = (EXAMPLES / "players.txt").read_text(encoding="utf-8").splitlines()
    specs = {prefix: resolve(EXAMPLES, prefix) for _, prefix in (line.split(",") for line in lines)}
    assert {prefix: Path(spec).name for prefix, spec in specs.items()} == {
        "ashtabna": "ashtabna.py:ashtabna_UnoPlayer",
        "first": "others.py:first_UnoPlayer",
        "spiteful": "others.py:spiteful_UnoPlayer",
    }
    rows = kibitz.match([specs["ashtabna"], "random"], rules="davies", games=300).rows
    assert rows[0].wins > rows[1].wins
    assert sum(row.wins for row in kibitz.match(list(specs.values()), rules="davies", games=20).rows) == 20


PLAYER = "class {}:\n    def play(self, hand, up_card, called_color, state): return -1\n    def call_color(self, hand): ...\n"
RUNS = "raise SystemExit('nobody may run this')\n"


def test_players_are_found_without_being_run(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(RUNS + PLAYER.format("Whoever"))
    (tmp_path / "two.py").write_text(RUNS + PLAYER.format("two_UnoPlayer") + PLAYER.format("Another"))
    (tmp_path / "more.py").write_text(RUNS + PLAYER.format("three_UnoPlayer") + PLAYER.format("four_UnoPlayer"))
    (tmp_path / "made.py").write_text("import kibitz\n\n@kibitz.bot\ndef made(view):\n    return view.decline()\n")
    (tmp_path / "many.py").write_text(PLAYER.format("X") + PLAYER.format("Y"))  # its process says what is wrong, and broken.py's
    (tmp_path / "broken.py").write_text("class :\n")
    found = {prefix: resolve(tmp_path, prefix) for prefix in ("one", "two", "three", "four", "made", "many", "broken")}
    assert found == {
        "one": f"{tmp_path}/one.py:Whoever",
        "two": f"{tmp_path}/two.py:two_UnoPlayer",
        "three": f"{tmp_path}/more.py:three_UnoPlayer",
        "four": f"{tmp_path}/more.py:four_UnoPlayer",
        "made": f"{tmp_path}/made.py",
        "many": f"{tmp_path}/many.py",
        "broken": f"{tmp_path}/broken.py",
    }


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        ("nobody", "there is neither a file nobody.py nor a class nobody_UnoPlayer beside the list, though broken.py can't be read."),
        ("twice", "class twice_UnoPlayer is in a.py and in b.py; one of them is to go."),
        ("../a", "'../a' in .* is not a prefix"),
        ("", "'' in .* is not a prefix"),
    ],
)
def test_a_prefix_that_leads_nowhere_is_refused(prefix: str, said: str, tmp_path: Path) -> None:
    for name, text in {
        "a.py": PLAYER.format("twice_UnoPlayer"),
        "b.py": PLAYER.format("twice_UnoPlayer"),
        "broken.py": "class :\n",
    }.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(BadBot, match=said):
        resolve(tmp_path, prefix)


def test_a_whole_game_between_players_is_legal() -> None:
    game = Game(3, "davies", seed=11)
    bots = [adapt(Drunk)() for _ in range(3)]
    while not game.is_over:
        seat = game.to_act
        forced = game.definition.verbs["forced_action"](game.state)
        for event in game.apply(forced if forced >= 0 else bots[seat].choose(game.view(seat))):
            for viewer, bot in enumerate(bots):
                bot.observe(game.view(viewer), event)
    assert game.winner is not None
