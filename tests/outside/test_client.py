"""The client for bots in Python, as a real process: whole games of both kinds, and what happens to bots that misbehave."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.uno.classroom import adapt
from kibitz.core.errors import BadBot
from kibitz.envs.model_bots import as_bot
from kibitz.outside.client import ClientPlayer, own_stream
from kibitz.play.game import Game
from kibitz.play.observing import encoding_of
from tests.outside.scripted import open_game, play, python_client

ROOT = Path(__file__).parent.parent.parent
HOUSE = "official,stacking=progressive,seven_zero=on,jump_in=on"
SHORT = f"{HOUSE},max_turns=80"

FOLLOWER = """
class Follower:
    windows = ("challenge", "jump_in")

    def __init__(self):
        self.heard = []

    def begin(self, view):
        self.start = (view.turn, list(view.sizes), view.random_stream)

    def observe(self, view, event):
        self.heard.append((event.kind, event.seat, view.seat, view.turn))

    def choose(self, view):
        legal = [action for action in range(85) if view.is_legal(action)]
        return legal[(len(self.heard) * 7 + view.randbelow(5) + self.start[2]) % len(legal)]
"""

CLASSROOM = """
class Careful:
    def __init__(self):
        self.turns = 0

    def play(self, hand, up_card, called_color, state):
        self.turns += 1
        fitting = [index for index, card in enumerate(hand) if card.can_play_on(up_card, called_color)]
        assert len(state.num_cards_in_hands_of_upcoming_players) == 3
        return fitting[(self.turns + len(state.played_cards)) % len(fitting)] if fitting else -1

    def call_color(self, hand):
        from kibitz.bots.uno.classroom import Color
        return hand[0].color if hand and hand[0].color is not Color.NONE else Color.BLUE
"""


def bot_file(folder: Path, text: str, name: str = "bot.py") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def class_of(text: str) -> Any:
    scope: dict[str, Any] = {"__name__": "bots_of_a_test"}
    exec(text, scope)
    return next(value for value in scope.values() if isinstance(value, type) and value.__module__ == "bots_of_a_test")


def actions_inside(bots: list[Any], game: Game, seed: int = 1) -> list[int]:
    """The same game with the same objects in our own process: asked as the client asks, one object a seat."""
    for seat in range(len(bots)):
        game.state.seat_streams[seat] = own_stream(seed + seat, seat)
    for seat, bot in enumerate(bots):
        view = game.view(seat)
        if hasattr(bot, "begin"):
            bot.begin(view)
        game.state.seat_streams[seat] = view.random_stream
    phases = [game.definition.phases[: game.definition.basic_phases] + tuple(getattr(bot, "windows", ())) for bot in bots]
    while not game.is_over:
        seat = game.to_act
        action = game.definition.verbs["forced_action"](game.state)
        if action < 0:
            action = game.definition.verbs["default_action"](game.state, sum(1 << game.definition.phases.index(p) for p in phases[seat]))
        if action < 0:
            view = game.view(seat)
            action = bots[seat].choose(view)
            game.state.seat_streams[seat] = view.random_stream
        events = game.apply(action)
        for event in events:
            for viewer, bot in enumerate(bots):
                if hasattr(bot, "observe"):
                    view = game.view(viewer)
                    bot.observe(view, event)
                    game.state.seat_streams[viewer] = view.random_stream
    return game.history


@pytest.mark.parametrize(
    ("text", "rules", "players"),
    [(FOLLOWER, SHORT, 3), (FOLLOWER, "classic,max_turns=80", 2), (CLASSROOM, "davies", 3), (CLASSROOM, SHORT, 3)],
)
def test_a_python_bot_plays_outside_as_it_plays_inside(text: str, rules: str, players: int, tmp_path: Path) -> None:
    spec = bot_file(tmp_path, text)
    clients = [python_client(spec) for _ in range(players)]
    bot = class_of(text)
    make = bot if hasattr(bot, "choose") else adapt(bot)
    for index in range(4):
        game = Game(players, rules, seed=3, index=index)
        play(clients, game, seed=100 * index)
        assert game.history == actions_inside([make() for _ in range(players)], Game(players, rules, seed=3, index=index), seed=100 * index)
    assert all(client.asked > 5 for client in clients)
    for client in clients:
        assert client.end() == (0, "")


# Bots that never roll dice: their games are the same whatever stream they have.
DETERMINISTIC = [
    ("ashtabna", "uno", "davies"),  # reads its hand from the oldest card on
    ("card_counting", "uno", "classic"),  # begins, observes and remembers
    ("better_offensive", "uno", HOUSE),
    (str(ROOT / "examples" / "hanabi_bot.py") + ":careful", "hanabi", "standard"),
]


@pytest.mark.parametrize(("bot", "game", "rules"), DETERMINISTIC, ids=lambda value: str(value)[-12:])
def test_a_compiled_bot_plays_outside_as_it_plays_inside(bot: str, game: str, rules: str) -> None:
    clients = [python_client(bot, game, "--game", game) for _ in range(2)]
    for index in range(3):
        inside = kibitz.play([bot, bot], seed=5, index=index, rules=rules, seating="fixed", game=game)
        outside = Game(2, rules, 5, index, game)
        play(clients, outside)
        assert outside.history == inside.actions
    for client in clients:
        assert client.hello["name"].startswith(bot)
        assert client.end() == (0, "")


@pytest.mark.parametrize(("spec", "game"), [("examples/compiled_bot.py:saver:alarm=4", "uno"), ("examples/hanabi_bot.py", "hanabi")])
def test_files_with_compiled_bots_play_whole_games(spec: str, game: str) -> None:
    clients = [python_client(str(ROOT / spec), game) for _ in range(2)]
    for index in range(3):
        play(clients, Game(2, seed=4, index=index, game=game))
    assert all(client.asked > 10 for client in clients)
    for client in clients:
        assert client.end() == (0, "")


def test_a_fresh_object_plays_every_deal(tmp_path: Path) -> None:
    spec = bot_file(
        tmp_path,
        "class Once:\n    asked = 0\n    def choose(self, view):\n        self.asked += 1\n        print(view.turn, self.asked)\n"
        "        return view.decline()\n",
    )
    clients = [python_client(spec), python_client("random")]
    for index in range(2):
        play(clients, Game(2, "classic,max_turns=9", index=index))
    code, errors = clients[0].end()
    counts = [int(line.split()[1]) for line in errors.splitlines()]
    assert code == 0
    assert counts.count(1) == 2
    clients[1].end()


def test_the_bots_own_stream_starts_from_its_seed(tmp_path: Path) -> None:
    spec = bot_file(tmp_path, "class Roller:\n    def choose(self, view):\n        return view.randbelow(2**60)\n")
    client = python_client(spec)
    rolls = []
    for seed in (7, 8, 7):
        game = Game(2)
        open_game([client], game, seed)
        rolls.append([client.decide(game, game.to_act)["action"] for _ in range(2)])
    assert rolls[0] == rolls[2] != rolls[1]
    assert len({*rolls[0], *rolls[1]}) == 4
    assert client.end() == (0, "")


# -- what a bot cannot disturb --

NOISY = """
import os, subprocess, sys
print("while it is imported")

class Noisy:
    def choose(self, view):
        print("printed", flush=True)
        sys.__stdout__.write("written below\\n")
        os.write(1, b"raw bytes\\n")
        subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
        try:
            input()
        except EOFError:
            print("nothing to read")
        return view.decline()
"""


def test_what_a_bot_prints_goes_to_standard_error_and_it_reads_nothing(tmp_path: Path) -> None:
    clients = [python_client(bot_file(tmp_path, NOISY)), python_client("random")]
    play(clients, Game(2, "classic,max_turns=6"))
    assert clients[0].asked
    code, errors = clients[0].end()
    clients[1].end()
    assert code == 0
    for text in ("while it is imported", "printed", "written below", "raw bytes", "from a child", "nothing to read"):
        assert text in errors


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("    def choose(self, view):\n        return 1 // 0\n", "ZeroDivisionError"),
        (
            "    def begin(self, view):\n        raise LookupError('at the start')\n    def choose(self, view):\n        return 0\n",
            "at the start",
        ),
        (
            "    def observe(self, view, event):\n        event.nothing\n    def choose(self, view):\n        return view.decline()\n",
            "nothing",
        ),
        ("    def choose(self, view):\n        raise BrokenPipeError('its own pipe')\n", "its own pipe"),
    ],
)
def test_what_a_bot_raises_ends_it_with_the_traceback(body: str, raised: str, tmp_path: Path) -> None:
    client = python_client(bot_file(tmp_path, "class Bad:\n" + body))
    game = Game(2)
    open_game([client], game)
    reply = client.decide(game, game.to_act)
    if reply:  # it stumbles over the first event
        events = game.apply(reply["action"])
        view = game.definition.wire.view_message(game.view(0))
        client.tell({"type": "event", **game.definition.wire.event_message(game.view(0), events[0]), "view": view})
    code, errors = client.end()
    assert code == 1
    assert "Traceback" in errors and "bot.py" in errors and raised in errors


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "does not exist"),
        ("x = 1\n", "defines no bot: a bot is"),
        ("class A:\n    def choose(self, view): ...\nclass B:\n    def choose(self, view): ...\n", "defines A, B; name one as"),
    ],
)
def test_a_file_without_a_bot_is_refused_in_a_sentence(text: str | None, said: str, tmp_path: Path) -> None:
    client = python_client(str(tmp_path / "bot.py") if text is None else bot_file(tmp_path, text))
    code, errors = client.end()
    assert client.hello == {}
    assert code == 1
    assert said in errors.splitlines()[-1]
    assert errors.splitlines()[-1].startswith("kibitz: ")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("x = 1\n1 / 0\n", "ZeroDivisionError: division by zero (bot.py, line 2)"),
        ("class A(:\n    pass\n", "SyntaxError: invalid syntax (bot.py, line 1)"),
    ],
)
def test_a_file_that_does_not_import_says_where_and_shows_none_of_our_lines(text: str, last: str, tmp_path: Path) -> None:
    code, errors = python_client(bot_file(tmp_path, text)).end()
    assert (code, errors.splitlines()[-1]) == (1, last)
    assert "registry.py" not in errors and 'bot.py", line' in errors


def test_a_bot_of_another_game_is_refused() -> None:
    for client in (python_client("iggi"), python_client(str(ROOT / "examples/hanabi_bot.py")), python_client("cheater", "hanabi")):
        code, errors = client.end()
        assert client.hello == {}
        assert code == 1
        assert "plays hanabi, not uno" in errors or "sees everything" in errors


def test_the_client_refuses_another_game_or_version_than_it_knows() -> None:
    client = python_client("random", "hanabi", "--game", "uno")
    code, errors = client.end()
    assert (client.hello, code) == ({}, 1)
    assert "the referee plays hanabi, but the bot is to play uno." in errors
    run = subprocess.run(
        [sys.executable, "-m", "kibitz.outside.client", "random"],
        input='{"type": "hello", "protocol": 2, "game": "uno"}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert "version 2 of the protocol; this client speaks 1" in run.stderr


@pytest.mark.parametrize(
    ("answer", "sent"),
    [("None", "None"), ("'r5'", "'r5'"), ("True", "True"), ("1.0", "1.0"), ("10**400", "a number of 1329 bits"), ("-1", -1)],
)
def test_an_answer_that_is_no_action_is_passed_on_as_it_is(answer: str, sent: str | int, tmp_path: Path) -> None:
    client = python_client(bot_file(tmp_path, f"class Odd:\n    def choose(self, view):\n        return {answer}\n"))
    game = Game(2)
    open_game([client], game)
    assert client.decide(game, game.to_act)["action"] == sent
    assert client.end() == (0, "")


# -- the conversation itself --


def test_hello_says_what_a_bot_wants(tmp_path: Path) -> None:
    wanted = {
        "random": {"windows": [], "events": False, "views": False},
        bot_file(tmp_path, FOLLOWER, "follower.py"): {"windows": ["challenge", "jump_in"], "events": True, "views": True},
        bot_file(tmp_path, CLASSROOM, "careful.py"): {"windows": [], "events": True, "views": False},
        "ashtabna": {"windows": [], "events": False, "views": False, "hand_order": "oldest"},
    }
    for spec, expected in wanted.items():
        client = python_client(spec)
        told = {key: value for key, value in client.hello.items() if key not in ("type", "protocol", "name")}
        assert told == expected, spec
        assert client.end() == (0, "")


def test_unknown_messages_and_keys_are_ignored() -> None:
    client = python_client("random")
    game = Game(2)
    client.tell({"type": "weather", "sun": True})
    open_game([client], game)
    client.tell({"type": "end", "status": "won", "winner": 0, "points": 35, "applause": 3})
    open_game([client], game)
    assert "action" in client.decide(game, game.to_act)
    assert client.end({"type": "bye", "reason": "dinner"}) == (0, "")


@pytest.mark.parametrize("line", [b"not json\n", b"[1]\n", b'{"type": "decide"}\n', b'{"type": "game"}\n'])
def test_a_referee_that_speaks_nonsense_is_named(line: bytes) -> None:
    run = subprocess.run([sys.executable, "-m", "kibitz.outside.client", "random"], input=line, capture_output=True, check=False)
    assert (run.returncode, run.stdout) == (1, b"")
    assert b"the referee sent" in run.stderr


def test_the_client_ends_when_the_referee_is_gone() -> None:
    run = subprocess.run([sys.executable, "-m", "kibitz.outside.client", "random"], input=b"", capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


def test_the_client_starts_light() -> None:
    program = (
        "import sys, kibitz.outside.client as client, kibitz.registry as registry\n"
        "for game in ('uno', 'hanabi'):\n"
        "    client.ClientPlayer(registry.entrant('random', game), registry.game(game))\n"
        "print(sorted({'numba', 'llvmlite', 'rich', 'typer', 'scipy', 'matplotlib'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_a_policy_says_among_how_many_it_plays() -> None:
    """By the length of the observations that it takes; a bot that plays another game is refused when it greets."""
    game = registry.game("uno")
    rules = game.parse_rules(game.default_rules)

    def greeting(players: int | None, plays: str = "uno") -> dict[str, Any]:
        policy: Any = as_bot(lambda observations, masks: masks, plays)
        takes = players and encoding_of(game, rules, players).size
        return ClientPlayer(registry.entrant(replace(policy, takes=takes)), game).hello()

    assert greeting(4)["players"] == [4, 4] and "players" not in greeting(None)
    with pytest.raises(BadBot, match="plays hanabi, not uno"):
        greeting(None, "hanabi")
