"""Leaving a game and coming back: `q` asks, every own move is kept, and `--resume` continues the very same game."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from kibitz.games.uno.rules import parse_rules
from kibitz.runs.database import open_store
from kibitz.runs.schema import checksum
from kibitz.terminal.left import MOST_KEPT, OWNER, Keeping, newest
from kibitz.terminal.menu import Menu, TextPage
from kibitz.terminal.screen import Left, Screen
from kibitz.terminal.seating import Seating
from kibitz.terminal.session import play
from tests.terminal.people import Pipe, plain, terminal
from tests.terminal.test_uno import HOUSE

CONTEST = "uno --against random mix2 --seed 5 --to 150"
TEAM = "hanabi --with iggi piers --seed 4"


# -- starting --


@pytest.mark.parametrize(
    ("game", "sentence", "seats"),
    [
        ("uno", "You play UNO against linear and mix2, rules classic, seed ", 3),
        ("hanabi", "You play Hanabi with smart, rules standard, ", 2),
    ],
)
def test_a_game_starts_without_further_words(pipe: Pipe, game: str, sentence: str, seats: int) -> None:
    code, out, err = pipe.play(game, ["q"])
    assert (code, err) == (0, "")
    assert out.startswith(sentence)
    assert sum("seat " in line for line in out.splitlines()[:12]) >= seats - 1
    assert f"kibitz play {game} --" in out


def test_play_alone_says_what_can_be_played(pipe: Pipe) -> None:
    code, out, err = pipe.play("")
    assert (code, err) == (0, "")
    assert "kibitz play uno      # UNO against linear and mix2" in out
    assert "kibitz play hanabi   # Hanabi with smart" in out
    assert "kibitz play --resume" in out


def test_play_alone_asks_at_a_terminal() -> None:
    with terminal("") as person:
        assert "[u] UNO against linear and mix2" in plain(person.wait_for("[q] quit"))
        person.press("x", "not one of the choices")
        assert "Hanabi standard" in person.press("h", "Your move?")
        person.press("qy", "To be dealt")
        assert person.end() == 0


# -- leaving --


def test_q_asks_first(pipe: Pipe) -> None:
    code, out, _ = pipe.play(CONTEST, ["q", "n", "q", "perhaps", "no", "1", "q", "<", "q", "y", "1"])
    assert code == 0
    assert out.count("Leave this game? You have not made a move, so there is nothing to keep.") == 3
    assert out.count("Leave this game? It is kept: `kibitz play uno --resume` continues it.") == 2
    assert "That is not one of the choices." in out
    assert "You have left the game. To continue it:\n  kibitz play uno --resume\nTo be dealt" in out


def test_a_game_that_is_not_kept_says_so(pipe: Pipe, store: Path) -> None:
    _, out, _ = pipe.play(f"{CONTEST} --no-store", ["1", "q", "y"])
    assert "Leave this game? It is not kept." in out
    assert "--resume" not in out
    assert not store.exists()


class Wanderer(Screen):
    """Chooses by what is shown, so always the same in the same place; leaves at the question of this number."""

    def __init__(self, leaves_at: int = -1) -> None:
        super().__init__()
        self._leaves_at = leaves_at
        self.pages: list[str] = []

    def ask(self, page: TextPage, menu: Menu, note: str = "", deeper: bool = False) -> str:
        """A choice that is possible, or leave."""
        assert note == ""
        seen = "\n".join(map(str, [*page.table, *page.log, *page.advice, menu.question]))
        if not deeper:
            if len(self.pages) == self._leaves_at:
                raise Left
            self.pages.append(seen)
        keys = [choice.key for choice in menu.choices if not choice.why_not and not isinstance(choice.leads_to, TextPage)]
        return keys[crc32(seen.encode()) % len(keys)]

    def show(self, page: TextPage) -> None:
        """The end is a page like others."""
        self.pages.append("\n".join(map(str, [*page.table, *page.log])))

    def say(self, sentence: str, command: str = "") -> None:
        """Nothing of that matters here."""


@pytest.mark.parametrize(
    "seating",
    [
        Seating("uno", ["random", "mix2"], seed=5, to="150"),
        Seating("uno", ["random", "linear"], seat=1, seed=8, rules=parse_rules(HOUSE).to_text(), to="100", advice="greedy"),
        Seating("hanabi", ["iggi", "piers"], seat=2, seed=4),
    ],
    ids=["contest", "house rules", "hanabi"],
)
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
def test_a_game_left_again_and_again_is_the_game_played_in_one_go(store: Path, seating: Seating, compiled: bool) -> None:
    whole = Wanderer()
    play(seating, whole, compiled)
    with open_store(store) as opened:
        play(seating, Wanderer(2), compiled, Keeping(opened, seating))
        done, screen = 2, Wanderer(1)
        while left := newest(opened):
            assert left.seating == seating
            screen = Wanderer(1 + done % 7)
            play(seating, screen, compiled, Keeping(opened, seating, left))
            assert screen.pages == whole.pages[done : done + len(screen.pages)]
            done += len(screen.pages)
        assert done == len(whole.pages) > 8
        assert "the end" in screen.pages[-1]


def test_everything_comes_back(pipe: Pipe, tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text('preset = "official"\nhand_size = 5\n')
    pipe.play(f"uno --against mix2 random --seed 5 --seat 1 --to 90 --advice greedy --rules {rules}", ["1", "r", "q", "y"])
    rules.unlink()
    _, out, _ = pipe.play("--resume", ["q"])
    first = " ".join(out.split("\n\n")[0].split())
    assert (
        first
        == "You play a contest to 90 points of UNO against mix2 and random, rules official,hand_size=5, seed 5. Going through the 4 moves made so far …"
    )
    assert "> seat 1 you: " in out
    assert "Advice of greedy" in out


def test_no_terminal_no_question_but_a_line(pipe: Pipe) -> None:
    pipe.play(CONTEST, ["1", "1", "q", "y"])
    _, out, err = pipe.play("uno", ["q"])
    assert "Leave this game? You have not made a move" in out, "a new game"
    assert err.startswith("kibitz: you left a game of UNO against random and mix2 on ")
    assert err.endswith("made). Continue it with: kibitz play uno --resume\n")
    assert err.count("\n") == 1
    assert pipe.play("hanabi", ["q"])[2] == ""


@pytest.mark.parametrize(("key", "shown"), [("c", "turn "), ("n", "turn 1"), ("f", "turn 1")])
def test_a_game_that_was_left_is_offered_at_a_terminal(pipe: Pipe, store: Path, key: str, shown: str) -> None:
    pipe.play(TEAM, ["p", "1", "q", "y"])
    with terminal("hanabi --with iggi") as person:
        assert "You left a game of Hanabi with iggi and piers on " in plain(person.wait_for("[q] quit"))
        assert shown in person.press(key, "Your move?")
        assert ("seed 4 ·" in person.output) == (key == "c")
        person.press("qy", "To be dealt")
        assert person.end() == 0
    with open_store(store) as opened:
        assert (newest(opened) is None) == (key == "f")


def test_leaving_at_the_offer_begins_nothing(pipe: Pipe) -> None:
    pipe.play(TEAM, ["p", "1", "q", "y"])
    with terminal("hanabi") as person:
        person.wait_for("[q] quit")
        person.type("q")
        assert person.end() == 0
        assert person.modes() == person.before


# -- ends that nobody planned --


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, "\x03", "\x04"])
def test_nothing_is_lost_however_a_game_ends(pipe: Pipe, end: signal.Signals | str) -> None:
    with terminal("hanabi --with iggi --seed 3") as person:
        person.wait_for("Your move?")
        before = plain(person.press("p4", "You play"))
        if isinstance(end, str):
            person.press(end, "To continue it:\n  kibitz play hanabi --resume")
        else:
            os.kill(person.process.pid, end)
        assert person.end() == {signal.SIGTERM: 130, "\x03": 130, "\x04": 0}.get(
            end, -int(end) if isinstance(end, signal.Signals) else None
        )
        assert "Traceback" not in person.output
    with terminal("hanabi --resume") as person:
        assert plain(person.wait_for("Your move?")) == before


@pytest.mark.parametrize("deaf", [False, True])
def test_a_closed_terminal_loses_nothing(pipe: Pipe, deaf: bool) -> None:
    with terminal("hanabi --with iggi --seed 3", deaf=deaf) as person:
        person.wait_for("Your move?")
        person.press("p4", "You play")
        person.hang_up()
        assert person.end() == (0 if deaf else -signal.SIGHUP)
        assert not person.process.stderr or person.process.stderr.read() == b""
    assert "You play" in pipe.play("hanabi --resume", ["q"])[1]


def test_a_game_is_played_in_one_terminal_only(pipe: Pipe) -> None:
    with terminal("hanabi --with iggi --seed 3") as person:
        person.wait_for("Your move?")
        person.press("p4", "You play")
        assert pipe.play("hanabi", ["q"])[2] == ""
        code, _, err = pipe.play("hanabi --resume")
        assert (code, err) == (2, "kibitz: there is no unfinished game to continue; `kibitz play hanabi` begins one.\n")


def test_a_store_that_fails_does_not_end_the_game(pipe: Pipe, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_text("no store")
    code, out, err = pipe.play("hanabi --seed 3", ["p", "1", "q", "y"])
    assert code == 0
    assert "You play" in out and "Leave this game? It is not kept." in out
    assert err.startswith(f"kibitz: your game is not kept: {store} is not a store of kibitz")
    assert err.count("\n") == 1
    code, out, err = pipe.play(f"hanabi --seed 3 --store {store}")
    assert (code, out) == (2, "")


def test_a_move_that_can_not_be_written_is_said_and_written_with_the_next(pipe: Pipe, store: Path) -> None:
    with open_store(store) as opened:
        keeping = Keeping(opened, Seating("uno", ["mix2"]))
        other = sqlite3.connect(store)
        other.execute("ALTER TABLE moves RENAME TO gone")
        keeping.keep([["r1"]])
        assert "moves" in keeping.problem and not keeping.is_kept
        other.execute("ALTER TABLE gone RENAME TO moves")
        other.close()
        keeping.keep([["r1", "g1"]])
        assert keeping.is_kept and not keeping.problem
        left = newest(opened)
        assert left and left.deals == [["r1", "g1"]]


def test_only_so_many_games_are_kept(store: Path) -> None:
    with open_store(store) as opened:
        for seed in range(MOST_KEPT + 3):
            Keeping(opened, Seating("uno", ["mix2"], seed=seed)).keep([["r1"]])
        assert opened.rows("SELECT count(*) FROM tables WHERE owner = ?", (OWNER,)) == [(MOST_KEPT,)]
        left = newest(opened)
        assert left and left.seating and left.seating.seed == MOST_KEPT + 2


# -- games that can't be continued --


def change_setup(store: Path, change: Callable[[dict[str, object]], object], matching: bool = True) -> None:
    """Change what is kept of a table, with a checksum that matches or not."""
    with sqlite3.connect(store) as connection:
        connection.create_function("checksum", -1, checksum)
        (text,) = connection.execute("SELECT setup FROM tables").fetchone()
        connection.execute("UPDATE tables SET setup = ?", (json.dumps(change(json.loads(text))),))
        columns = "id, setup, owner, made, changed, deals, finished, following, moves, people, notes"
        if matching:
            connection.execute(f"UPDATE tables SET checksum = checksum({columns})")
    connection.close()


@pytest.mark.parametrize(
    ("change", "matching", "why"),
    [
        (lambda setup: setup, False, None),
        (lambda setup: {**setup, "folder": "elsewhere"}, False, "does not match its checksum"),
        (lambda setup: {**setup, "version": 0}, True, "it belongs to another version of kibitz"),
        (lambda setup: [], True, "of it is damaged"),
        (lambda setup: {**setup, "seating": {}}, True, "a seating is a JSON object with game, bots,"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "seat": "0"}}, True, "seat of a seating is not of its kind"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "bots": [1]}}, True, "bots of a seating are not names"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "game": "chess"}}, True, "unknown game 'chess'"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "bots": ["nobody"]}}, True, "unknown bot 'nobody'"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "rules": "none"}}, True, "unknown rules"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "seed": 6}}, True, "a bot does not play as it did then"),
        (lambda setup: {**setup, "seating": {**setup["seating"], "bots": ["greedy", "mix2"]}}, True, "a bot does not play as it did then"),
    ],
)
def test_what_can_not_be_continued_is_one_sentence(
    pipe: Pipe, store: Path, change: Callable[[dict[str, object]], object], matching: bool, why: str | None
) -> None:
    pipe.play(CONTEST, ["1", "1", "1", "1", "1", "1", "1", "q", "y"])
    change_setup(store, change, matching)
    code, out, err = pipe.play("uno --resume", ["q"])
    if why is None:
        assert (code, err) == (0, "")
        return
    assert code == 2
    assert why in err
    assert err.count("\n") == 1 and err.startswith("kibitz: ")
    assert "Traceback" not in out + err
    if "does not play" not in why and not why.startswith("unknown"):  # that is found out only when it is played
        with terminal("uno") as person:
            assert "can't be continued" in plain(person.wait_for("[f] forget it"))
            person.press("f", "Your turn", "[q] quit")
        with open_store(store) as opened:
            assert newest(opened) is None


def test_a_bot_in_a_file_is_found_from_elsewhere_and_missed_in_a_sentence(
    pipe: Pipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "mine.py").write_text(
        "class Mine:\n    def choose(self, view):\n        return next(action for action in range(85) if view.is_legal(action))\n"
    )
    monkeypatch.chdir(home)
    pipe.play("uno --against mine.py --seed 5", [*["1", "r", "k"] * 4, "q", "y"])
    monkeypatch.chdir(elsewhere)
    code, out, _ = pipe.play("uno --resume", ["q"])
    assert code == 0 and "mine.py" in out
    (home / "mine.py").write_text(
        "class Mine:\n    def choose(self, view):\n        return max(a for a in range(85) if view.is_legal(a))\n"
    )
    code, _, err = pipe.play("uno --resume", ["q"])
    assert code == 2 and "a bot does not play as it did then" in err
    (home / "mine.py").unlink()
    code, _, err = pipe.play("uno --resume", ["q"])
    assert code == 2 and "mine.py" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("--resume", "there is no unfinished game to continue; `kibitz play uno` begins one."),
        ("hanabi --resume", "there is no unfinished game to continue; `kibitz play hanabi` begins one."),
        ("uno --resume --seed 3", "--resume continues a game as it was left; leave out --seed."),
        ("uno --resume --against mix2 --to 90", "--resume continues a game as it was left; leave out bots, --to."),
        ("uno --resume --no-store", "--resume needs the store that the game is kept in; leave out --no-store."),
        ("uno --store here --no-store", "--store here and --no-store exclude each other; give one of them."),
        ("--resume uno", "options come after the game: kibitz play uno --resume."),
        ("chess", "No such command 'chess'."),
    ],
)
def test_what_can_not_be_meant_is_one_sentence(pipe: Pipe, command: str, sentence: str) -> None:
    assert pipe.play(command) == (2, "", f"kibitz: {sentence}\n")


def test_ctrl_c_while_something_compiles_puts_the_terminal_back(tmp_path: Path) -> None:
    with terminal("uno --against champion --seed 3", jit=True, KIBITZ_CACHE=str(tmp_path / "cache")) as person:
        person.wait_for("compiling")
        person.press("\x03", "kibitz: interrupted.", "The game was broken off.")  # at once, or after a part that is short
        assert person.end() == 130
        assert person.modes() == person.before
