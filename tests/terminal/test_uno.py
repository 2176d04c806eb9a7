"""UNO in the terminal: every decision of every rule is offered, in words that a person understands."""

from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.games.uno.names import action_name
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.play.game import Game
from kibitz.report.telling.spoken_names import Names
from kibitz.terminal.seating import Seating
from kibitz.terminal.session import play
from kibitz.terminal.uno.screen import UnoScreen
from tests.terminal.people import Explorer, Pipe, actions_of, lines_of, terminal

HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on,drawn_card=any_card"
ALL_RULES = ["classic", "official", "modern", "davies", "hearn", "numbers", HOUSE, "classic,drawn_card=must_play,must_play=on"]


@pytest.mark.parametrize("rules", ALL_RULES)
def test_menu_offers_every_legal_action(rules: str) -> None:
    seen = set()
    for seed in range(15 if rules == HOUSE else 5):
        game = Game(3, rules, seed)
        face = UnoScreen(registry.game("uno"), "UNO", ["random"] * 3, 0)
        turns = 0
        while not game.is_over and turns < 200:
            view = game.view()
            face.seat = face.names.seat = view.seat
            seen.add(PHASE_NAMES[view.phase])
            legal = game.legal_actions()
            assert sorted(set(actions_of(face.menu(view)))) == legal
            assert max(line.cell_len for line in face.table(view)) <= 80
            for action in set(range(seed % 7, 85, 7)) - set(legal):
                assert face.why_not(view, action).endswith(".")
            game.apply(legal[(turns * 5 + seed) % len(legal)])
            turns += 1
    if rules == HOUSE:
        assert seen >= set(PHASE_NAMES) - {"challenge", "colour"}


@pytest.mark.parametrize("rules", ALL_RULES)
def test_random_people_finish_their_games(rules: str) -> None:
    questions = set()
    for seed in range(6):
        screen = Explorer(seed)
        play(Seating("uno", ["mix2", "random"][: 1 + seed % 2], seat=1, seed=seed, rules=rules), screen, compiled=False)
        text = "\n".join(str(line) for line in screen.last.table)
        assert "after" in text
        assert "You held" in text
        questions |= {menu.question for menu in screen.asked}
        told = "\n".join(str(line) for page in screen.pages for line in page.log)
        assert "you plays" not in told.lower()
        assert "calls" not in told
        assert all(line.cell_len <= 80 for page in screen.pages for line in page.table if not str(line).startswith("UNO"))
    assert any(question.startswith("Your turn") for question in questions)
    if rules == HOUSE:
        assert "One card left!" in questions
        assert any("Jump in?" in question for question in questions)
        assert any("answer it with a card" in question for question in questions)


def test_opening_wild_asks_for_a_colour(pipe: Pipe) -> None:
    seed = next(
        seed for seed in range(1000) if (game := Game(2, "official", seed)).view().phase == PHASE_NAMES.index("colour") and game.to_act == 0
    )
    _, out, _ = pipe.play(f"uno --against random --rules official --seed {seed}", ["b", "q"])
    assert "which colour do you name?" in out
    assert "You name blue." in out


def test_whole_game_through_a_pipe(pipe: Pipe) -> None:
    answers = ["1", "p", "r", "k", "u"] * 400
    code, out, err = pipe.play("uno --against mix2 random --seed 5", answers)
    assert (code, err) == (0, "")
    assert "You held" in out
    assert "kibitz play uno --against mix2 random --seed 5" in out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_compiled_game_is_the_same(pipe: Pipe) -> None:
    answers = ["1", "p", "r", "k", "u"] * 400
    command = "uno --against mix2 random --seed 6"
    assert pipe.play(command, answers, jit=True)[1] == pipe.play(command, answers)[1]


def test_actions_by_name_and_why_not(pipe: Pipe) -> None:
    answers = ["?", "g7", "b1", "keep", "swap:1", "nonsense", "2", "back", "2", "<", "wild:g", "q"]
    code, out, _ = pipe.play("uno --against mix2 random --seed 5", answers)
    assert code == 0
    assert "g9  wild:r  wild:g  wild:b  wild:y  draw" in out
    assert "play a card ([1] or [2]) or draw" in out
    assert "You do not hold g7." in out
    assert "b1 does not fit on g7." in out
    assert "'keep' is no answer here." in out
    assert "'nonsense' is not an action" in out
    assert out.count("Wild: which colour do you call?") == 2
    assert "You play wild, calling green." in out


def test_contest_goes_on_from_deal_to_deal(pipe: Pipe) -> None:
    code, out, _ = pipe.play("uno --against random --seed 5 --to 150", ["1", "p", "r", "k"] * 2000)
    assert code == 0
    assert "The deal is over: " in out
    assert "the contest to 150." in out


def test_person_may_sit_anywhere(pipe: Pipe) -> None:
    _, out, _ = pipe.play("uno --against mix2 random --seed 5 --seat 2", ["q"])
    assert "> seat 2 you: " in out
    assert "--seat 2" in out


def test_house_rule_windows_are_offered_at_a_terminal() -> None:
    with terminal(f"uno --against mix2 random greedy mix2 random greedy mix2 random greedy --seed 9 --rules {HOUSE}") as person:
        screen = person.wait_for("[q] quit")
        for key in "1rdkpau0" * 3:
            screen = person.press(key, "[q] quit", "the end")
            if "the end" in screen:
                break
            lines = lines_of(screen)
            assert len(lines) <= 24
        person.press("qy", "To be dealt")
        assert person.end() == 0
        assert "\x1b[1;37;41m" in person.output


def test_names_tell_players_apart() -> None:
    names = Names(["you", "mix2", "mix2", "a/very/long/path/to/a_file.py:SomeBotOfMine"], 0)
    assert [names.name(seat) for seat in range(4)] == ["you", "mix2 (1)", "mix2 (2)", "a_file.py:Some…"]
    assert names.does(0, "catch") == "You catch"
    assert names.does(1, "catch") == "mix2 (1) catches"
    assert action_name(0) == "r0"
