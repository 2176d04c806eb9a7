"""Advice at the table: on request or always, from the bot one names, and never at the cost of the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from kibitz.play.explaining import Adviser
from kibitz.play.game import Game
from kibitz.report.explanation import advice_lines
from kibitz.terminal.session import Advice
from tests.commands import check_refused
from tests.play import weigher
from tests.terminal.people import Pipe, lines_of, plain, terminal

SEARCH = f"{Path(weigher.__file__)}:weigher"
LOST = f"{Path(weigher.__file__)}:lost"
ANSWERS = ["1", "p", "r", "k", "u"] * 400


def without_advice(out: str) -> list[str]:
    """The lines of a game but for what was advised, what is offered, blank ones and the command at the end."""
    lines = [line for line in out.splitlines() if line.strip() and not line.startswith("[")]
    kept, skipping = [], False
    for line in lines[:-1]:
        skipping = line.startswith("Advice of") or (skipping and line.startswith(("> ", "  ")) and "%" in line)
        if not skipping:
            kept.append(line)
    return kept


def test_advice_is_there_for_the_asking(pipe: Pipe) -> None:
    code, out, err = pipe.play("hanabi --with iggi --seed 3", ["!", "p", "advice", "b", "?", "!", "q"])
    assert (code, err) == (0, "")
    assert out.count("Advice assuming smart: expected score ± standard error, visits") == 3
    assert out.count("> hint blue    23.05 ± 0.07   693") == 3
    assert out.count("turn 1 ·") == 1  # the table is not printed again for a page of text
    questions = [line for line in out.splitlines() if "[q] quit" in line]
    assert ["[!] advice" in line for line in questions] == [True, *[False] * 6]  # once it stands above, it is not offered again
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
def test_advice_at_every_decision_changes_nothing_in_the_game(pipe: Pipe, jit: bool) -> None:
    command = "uno --against mix2 random --seed 5"
    code, out, _ = pipe.play(f"{command} --advice {SEARCH}", ANSWERS, jit=jit)
    assert code == 0
    questions = sum("[q] quit" in line for line in out.splitlines())
    assert 3 < out.count("Advice of ") <= questions
    assert "[!] advice" not in out
    assert out.rstrip().endswith(f"--seed 5 --advice {SEARCH}")
    assert max(len(line) for line in out.splitlines() if "kibitz play" not in line) <= 80
    assert without_advice(out) == without_advice(pipe.play(command, ANSWERS, jit=jit)[1])


def test_advice_asked_for_late_is_that_of_one_who_has_followed_the_game() -> None:
    bot = weigher.weigher
    game, adviser, advice = Game(2, seed=5), Adviser(bot, jit=False), Advice(Adviser(bot, jit=False))
    adviser.begin(game.view(0))
    advice.begin(game.view(0))
    while game.turns < 9 or game.to_act != 0 or len(game.legal_actions()) < 2:
        for event in game.apply(game.legal_actions()[0]):
            adviser.observe(game.view(0), event)
            advice.observe(game.view(0), event)
    view = game.view()
    said = [str(line) for line in advice.lines(view)]
    assert said == [str(line) for line in advice_lines(adviser.ask(view))]
    assert said == [str(line) for line in advice.lines(view)], "asked twice, it says the same"
    assert said != [str(line) for line in Advice(Adviser(bot, jit=False)).lines(view)], "who has heard nothing thinks otherwise"


def test_without_a_name_the_usual_adviser_is_taken(pipe: Pipe) -> None:
    for command in (
        "hanabi --with iggi --seed 3 --advice",
        "hanabi --advice --with iggi --seed 3",
        "hanabi --advice= --with iggi --seed 3",
    ):
        _, out, _ = pipe.play(command, ["q"])
        assert "Advice assuming smart: " in out
        assert "kibitz play hanabi --with iggi --seed 3 --advice" in out
    _, out, _ = pipe.play("hanabi --with iggi piers --seed 3 --advice", ["q"])
    assert "Advice assuming smart: " in out
    _, out, _ = pipe.play("hanabi --with iggi information:best --seed 3 --advice", ["q"])
    assert "Advice assuming information:best: " in out
    _, out, _ = pipe.play("hanabi --with iggi piers --seed 3 --advice outer", ["q"])
    assert "Advice of outer: " in out


def test_an_adviser_that_fails_does_not_end_the_game(pipe: Pipe) -> None:
    code, out, _ = pipe.play(f"uno --against random --seed 5 --advice {LOST}", ANSWERS)
    assert code == 0
    assert "No advice: bot " in out
    assert "answered -1, which is not legal there." in out
    assert "You held" in out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("uno --against mix2 --advice nobody", "unknown bot 'nobody'"),
        ("uno --against mix2 --advice iggi", "bot 'iggi' plays hanabi, not uno."),
        ("hanabi --with iggi --advice mix2", "bot 'mix2' plays uno, not hanabi."),
        ("uno --against mix2 --advice cheater", "sees hidden cards, so it cannot advise"),
        ("hanabi --with iggi --advice cheater", "bot 'cheater' sees hidden cards, so it cannot advise"),
        ("hanabi --with iggi iggi --advice meanimax", "bot 'meanimax' plays among 2 players, not 3."),
        ("uno --against mix2 --advice mix2:nothing", "nothing"),
        ("uno --advice nobody", "unknown bot 'nobody'"),
    ],
)
def test_wrong_advisers_are_one_sentence(pipe: Pipe, command: str, sentence: str) -> None:
    check_refused(pipe.play(command), sentence)


def test_who_leaves_the_convention_is_told(pipe: Pipe) -> None:
    """Smart would tell its partner what to play; a card played at random is no move of the convention, and iggi's moves mean nothing."""
    _, out, _ = pipe.play("hanabi --with iggi --seed 3", ["play:0", "!", "hint:1:5", "!", "q"])
    assert out.count("Advice assuming smart: ") == 2
    assert "Somebody has left the convention, so the numbers mean less." in out


@pytest.mark.parametrize(("bots", "rows"), [("iggi", 24), ("iggi", 16), ("iggi piers iggi outer", 24)])
def test_advice_fits_the_screen(bots: str, rows: int) -> None:
    with terminal(f"hanabi --with {bots} --seed 3", rows=rows) as person:
        person.wait_for("Your move?")
        screen = person.press("!", "Advice assuming")
        assert "Your move?" in plain(screen)
        screens = [screen, person.press("p", "Play which slot?"), person.press("4", "Your move?"), person.press("!", "Advice assuming")]
        assert "Advice assuming" in screens[1]
        assert "Advice assuming" not in screens[2]
        for shown in screens:
            lines = lines_of(shown)
            assert len(lines) <= rows
            assert max(len(line) for line in lines) <= 80
        person.press("qy", "--seed 3\n")
        assert person.end() == 0
