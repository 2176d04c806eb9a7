"""Hanabi in the terminal: what is shown, what is offered, and whole games."""

from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.play.game import Game
from kibitz.terminal.hanabi.screen import HanabiScreen, discard_page
from kibitz.terminal.menu import Menu
from kibitz.terminal.seating import Seating
from kibitz.terminal.session import play
from tests.commands import check_refused
from tests.terminal.people import Explorer, Pipe, actions_of, lines_of, terminal

ANYTHING = [f"discard:{slot}" for slot in (0, 1)] + [f"hint:1:{rank}" for rank in range(1, 6)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_menu_offers_every_legal_move_once(players: int) -> None:
    game = Game(players, seed=players, game="hanabi")
    face = HanabiScreen(registry.game("hanabi"), "Hanabi", ["random"] * players, 0)
    turns = 0
    while not game.is_over:
        view = game.view()
        face.seat = face.names.seat = view.seat
        assert sorted(actions_of(face.menu(view))) == game.legal_actions()
        assert max(line.cell_len for line in face.table(view)) <= 80
        moves = game.legal_actions()
        game.apply(moves[(turns * 7) % len(moves)])
        turns += 1
    assert turns > 5


@pytest.mark.parametrize("seed", range(4))
def test_random_people_finish_their_games(seed: int) -> None:
    screen = Explorer(seed)
    play(Seating("hanabi", ["iggi"] * (seed + 1), seat=seed, seed=seed), screen, compiled=False)
    text = "\n".join(str(line) for line in screen.last.table)
    assert "Score: " in text
    assert "Your cards were" in text
    assert screen.said[-1].startswith("To be dealt the same cards again:kibitz play hanabi --with iggi")
    assert all(line.cell_len <= 80 for page in screen.pages for line in page.table)


def test_own_cards_are_hidden_and_hints_are_remembered() -> None:
    game = Game(2, seed=3, game="hanabi")
    face = HanabiScreen(registry.game("hanabi"), "Hanabi", ["you", "iggi"], 0)
    shown = [str(line) for line in face.table(game.view(0))]
    assert shown[3].split() == ["You", *["??"] * 5]
    game.apply("play:0")
    event = game.apply("hint:1:1")[0]
    view = game.view(0)
    (told,) = face.tell(view, event)
    shown = [str(line) for line in face.table(view)]
    held = game.state.hands[:5]
    ones = [slot + 1 for slot, card in enumerate(held) if card % 5 == 0]
    assert all(str(slot) in str(told) for slot in ones)
    assert str(told).startswith("iggi tells you: slot")
    assert shown[3].split() == ["You", *["?1" if slot + 1 in ones else "??" for slot in range(5)]]
    assert shown[4].count("RYGWB 1....") == len(ones)
    assert shown[4].count("RYGWB .2345") == 5 - len(ones)


def test_last_turn_is_told() -> None:
    game = Game(2, "standard,ranks=3", seed=5, game="hanabi")
    face = HanabiScreen(registry.game("hanabi"), "Hanabi", ["you", "iggi"], 0)
    while game.state.deck_size or game.to_act != 0:
        legal = game.legal_actions()
        game.apply(0 if 0 in legal else legal[-1])
    assert "The deck is empty: your last turn." in str(face.table(game.view(0))[1])


def test_discard_pile_shows_what_is_lost() -> None:
    game = Game(2, seed=3, game="hanabi")
    game.apply("play:0")  # the white 5
    lines = [str(line) for line in discard_page(game.view(0)).table]
    assert lines[0] == "Discard pile: 1 card"
    assert lines[4] == "white   W5   the pile can reach 4 at most"


def test_whole_game_through_a_pipe(pipe: Pipe) -> None:
    code, out, err = pipe.play("hanabi --with iggi --seed 4", ANYTHING * 100)
    assert (code, err) == (0, "")
    assert "Score: " in out
    assert "Your cards were" in out
    assert "kibitz play hanabi --with iggi --seed 4" in out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_compiled_game_is_the_same(pipe: Pipe) -> None:
    assert (
        pipe.play("hanabi --with iggi --seed 4", ANYTHING * 100, jit=True)[1] == pipe.play("hanabi --with iggi --seed 4", ANYTHING * 100)[1]
    )


def test_what_is_not_possible_is_answered_with_a_sentence(pipe: Pipe) -> None:
    answers = ["d", "discard:0", "hint:0:red", "hint:1:red", "play:7", "nonsense", "x", "", "h", "r", "q"]
    code, out, _ = pipe.play("hanabi --with iggi --seed 3", answers)
    assert code == 0
    assert out.count("Nothing may be discarded while all 8 tokens are there.") == 2
    assert "is a hint to oneself" in out
    assert "That hint would touch no card" in out
    assert "slot 7 does not exist" in out
    assert "'nonsense' is not a move" in out
    assert "'x' is not one of the choices." in out
    assert "iggi has no red card, and a hint must touch a card." in out


def test_without_tokens_no_hint_is_offered(pipe: Pipe) -> None:
    _, out, _ = pipe.play("hanabi --with random --seed 3 --seat 1 --rules standard,tokens=1", ["h", "hint:1:blue", "d", "1", "q"])
    assert "Tokens 0 of 1" in out
    assert out.count("There is no token left for a hint; a discard brings one back.") == 2
    assert "[p] play  [d] discard  [v] discard pile" in out


def test_going_back_and_looking_around(pipe: Pipe) -> None:
    answers = ["p", "back", "p", "b", "p", "<", "b", "h", "1", "back", "back", "v", "?", "q"]
    code, out, _ = pipe.play("hanabi --with iggi piers --seed 3", answers)
    assert code == 0
    assert out.count("Play which slot?") == 3
    assert "There is nothing to go back to." in out
    assert "Tell iggi which colour or rank?" in out
    assert out.count("Tell whom?") == 2
    assert "Discard pile: 0 cards" in out
    assert "hint:2:" in out
    assert out.count("turn 1 ·") >= 1
    assert "turn 4 ·" not in out


def test_same_seed_same_deal_and_a_fresh_one_without(pipe: Pipe) -> None:
    assert pipe.play("hanabi --with iggi --seed 8", ["q"]) == pipe.play("hanabi --with iggi --seed 8", ["q"])
    deals = set()
    for _ in range(2):
        _, out, _ = pipe.play("hanabi --with iggi", ["q"])
        again = out.splitlines()[-1].strip()
        assert again.startswith("kibitz play hanabi --with iggi --seed ")
        assert pipe.play(again.removeprefix("kibitz play "), ["q"])[1] == out
        deals.add(out)
    assert len(deals) == 2


def test_end_of_input_leaves_the_game(pipe: Pipe) -> None:
    code, out, err = pipe.play("hanabi --with iggi --seed 3", ["p"])
    assert (code, err) == (0, "")
    assert "You have left the game." in out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("hanabi --with nobody", "unknown bot 'nobody'"),
        ("hanabi --with iggi --rules nothing", "unknown rules of Hanabi"),
        ("hanabi --with iggi --seat 2", "seat 2 does not exist: with 2 players seats are 0 to 1."),
        ("hanabi --with iggi iggi iggi iggi iggi", "5 bots and you are 6 players; Hanabi is played by 2 to 5."),
        ("hanabi --with iggi --seed -1", "seed -1 is out of range"),
        ("uno --against mix2 --to nothing", "to=nothing is not accepted"),
        ("uno --against iggi", "bot 'iggi' plays hanabi, not uno."),
    ],
)
def test_wrong_options_are_one_sentence(pipe: Pipe, command: str, sentence: str) -> None:
    check_refused(pipe.play(command), sentence)


@pytest.mark.parametrize("bots", ["iggi", "iggi piers iggi outer"])
def test_keys_at_a_terminal_of_24_lines(bots: str) -> None:
    with terminal(f"hanabi --with {bots} --seed 3") as person:
        screens = [person.wait_for("Your move?")]
        assert "\x1b[" in screens[0] and ";41m" in screens[0]  # red
        screens.append(person.press("p", "Play which slot?"))
        screens.append(person.press("\x1b", "Your move?"))
        screens.append(person.press("\x1b[A", "not one of the choices"))
        screens.append(person.press("v", "Discard pile"))
        screens.append(person.press("v", "Your move?"))
        screens.append(person.press("p", "Play which slot?"))
        screens.append(person.press("\x7f", "Your move?"))
        screens.append(person.press("d", "Nothing may be discarded"))
        screens.append(person.press("p4", "You play"))
        for screen in screens:
            lines = lines_of(screen)
            assert len(lines) <= 24
            assert max(len(line) for line in lines) <= 80
        assert "You have left the game." in person.press("qy", "--seed 3\n")
        assert person.end() == 0
        assert person.modes() == person.before


def test_whole_game_at_a_terminal_without_colour() -> None:
    with terminal("hanabi --with iggi --seed 3", NO_COLOR="1") as person:
        screen = person.wait_for("Your move?")
        while "Score:" not in screen:
            screen = person.press("p1", "Your move?", "--seed 3")
        assert "Score: 0 of 25. The last life is lost" in screen
        assert person.end() == 0
        assert not any(f"{code}m" in person.output for code in (";41", "[41", "[30;4"))


@pytest.mark.parametrize(("key", "code"), [("\x04", 0), ("\x03", 130)])
def test_leaving_by_control_keys(key: str, code: int) -> None:
    with terminal("hanabi --with iggi --seed 3") as person:
        person.wait_for("Your move?")
        said = person.press(key, "--seed 3")
        assert "To be dealt the same cards again:" in said
        assert person.end() == code
        assert person.modes() == person.before
        assert "had not answered" not in person.output  # people may think


def test_dumb_terminal_is_neither_cleared_nor_coloured() -> None:
    with terminal("hanabi --with iggi --seed 3", TERM="dumb") as person:
        person.wait_for("Your move?")
        person.press("qy", "--seed 3")
        assert person.end() == 0
        assert "\x1b" not in person.output


def test_menus_find_keys_and_words() -> None:
    menu = HanabiScreen(registry.game("hanabi"), "Hanabi", ["you", "iggi"], 0).menu(Game(2, seed=3, game="hanabi").view(0))
    found = menu.find("play")
    assert found and found.key == "p"
    assert isinstance(found.leads_to, Menu)
    assert menu.find("w") is None


def test_a_partner_with_conventions_explains_them(pipe: Pipe) -> None:
    code, out, _ = pipe.play("hanabi --seed 3 --no-store", ["c", "hint:1:1", "q", "y"])
    guide = registry.game("hanabi").face.guide
    assert code == 0 and guide is not None
    assert out.splitlines()[1] == "smart reads a meaning into each move: c shows how (docs/hanabi-conventions.md)."
    assert all(f"\n{part.heading}\n  {part.brief}\n" in out for part in guide.parts)  # each on a line, in 24 rows altogether
    assert "You tell smart: slot 3 is a 1.\nMeans: slot 3 can be played.\nsmart tells you: " in out
    assert len(guide.parts) * 2 + 1 <= 20

    code, out, _ = pipe.play("hanabi --seed 3 --no-store --no-meanings", ["hint:1:1", "q", "y"])
    assert code == 0 and "You tell smart: slot 3 is a 1.\nsmart tells you: " in out and "Means: " not in out

    code, out, _ = pipe.play("hanabi --with iggi --seed 3 --no-store", ["c", "hint:1:1", "q", "y"])
    assert "conventions" not in out and "Means: " not in out and "'c' is not one of the choices." in out
