"""`kibitz check-bot`: honest bots pass, each kind of misbehaviour is reported with the position, bad input with a sentence."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kibitz import registry
from kibitz.cli.main import run as run_command
from kibitz.games.uno.rules import PRESETS
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.outside import check
from kibitz.outside.check import Scene, ask_in_position, run_suite
from kibitz.outside.player import OutsideBot, outside_bot
from tests.outside.tables import EXAMPLES, HASTY, HOSTILE, PATIENT, Ears, ears, example, honest, player

__all__ = ["ears"]

PERL = f"perl {EXAMPLES / 'outside' / 'greedy_client.pl'}"
PYTHON = f"python3 {EXAMPLES / 'outside' / 'random_client.py'}"


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite with one deal a scene, for bots that are wrong in every one."""
    monkeypatch.setattr(check, "DEALS", 1)


@pytest.fixture
def to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite goes on however many games are alike."""
    monkeypatch.setattr(check, "MOST_ALIKE", 10**6)


def positions() -> dict[str, str]:
    """A position of each game, the first that an honest suite asks about."""
    found = {}
    for game, rules in (("uno", "classic"), ("hanabi", "standard")):
        scenes = run_suite(player("garbage"), game, rules)
        found[game] = next(fault.position for scene in scenes for fault in scene.faults if fault.position)
    return found


@pytest.fixture(scope="module")
def position() -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "DEALS", 1)
        return positions()


@dataclass
class Found:
    """What a command said."""

    exit_code: int
    output: str
    errors: str


Run = Callable[..., Found]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `kibitz check-bot` in this process."""

    def check_bot(*words: str) -> Found:
        with pytest.raises(SystemExit) as stop:
            run_command(["check-bot", *words])
        return Found(int(stop.value.code or 0), *capsys.readouterr())

    return check_bot


def suite(bot: OutsideBot, game: str = "uno", rules: str | None = None) -> list[Scene]:
    return list(run_suite(bot, game, rules))


def command(*words: str | int) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(HOSTILE / "player.py"), *map(str, words)])


# -- bots that keep the protocol --


@pytest.mark.parametrize("game", ["uno", "hanabi"])
@pytest.mark.parametrize("words", [PYTHON, PERL], ids=["python", "perl"])
def test_the_example_clients_pass(words: str, game: str, few_deals: None) -> None:
    scenes = suite(outside_bot("example", words, Path.cwd(), PATIENT), game)
    assert [fault for scene in scenes for fault in scene.faults] == []
    assert len(scenes) == len(registry.game(game).face.check_scenes) + 2
    assert all(scene.passed and (scene.decisions > 0) == (scene.games > 0) for scene in scenes)


def test_a_python_file_passes_through_our_own_client(few_deals: None) -> None:
    for bot, game, rules in (
        (example("python_bot.py"), "uno", "official"),
        (example("classroom/ashtabna.py"), "uno", "davies"),
        (example("hanabi_bot.py", game="hanabi"), "hanabi", "standard"),
    ):
        assert [fault for scene in suite(bot, game, rules) for fault in scene.faults] == []


def test_the_suite_opens_every_kind_of_decision(ears: Ears) -> None:
    """With all windows declared, the scenes of UNO ask in all of them; one under every preset."""
    windows = [name for name in PHASE_NAMES if name not in ("turn", "drawn")]
    greeting = "greet=" + json.dumps({"windows": windows, "events": True})
    assert [fault for scene in suite(honest(greeting)) for fault in scene.faults] == []
    asked = {message["view"]["phase"] for message in ears.everything("decide")}
    assert asked == {*PHASE_NAMES}
    assert {rules.partition(",")[0] for rules, *_ in registry.game("uno").face.check_scenes} == {*PRESETS}
    assert {message["players"] for message in ears.everything("game")} >= {2, 3, 4, 10}


def test_the_command_passes_a_bot(few_deals: None, run: Run) -> None:
    found = run(PYTHON, "--rules", "classic", "--seconds", "60")
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0] == "ok   starts, greets and ends"
    assert re.fullmatch(r"ok   UNO classic, 2 players: 2 games, \d+ decisions, the slowest [\d.]+ ms", lines[1])
    assert re.fullmatch(r"no fault in \d+ decisions, [\d.]+ ms on average", lines[-1])


def test_the_game_follows_from_a_python_file(few_deals: None, tmp_path: Path, run: Run) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("class Mine:\n    game = 'hanabi'\n    def choose(self, view):\n        return view.legal_actions()[0]\n")
    found = run(str(bot), "--json", str(tmp_path / "found.json"))
    assert json.loads((tmp_path / "found.json").read_text())["game"] == "hanabi", found.output
    assert run(str(bot), "--game", "go").exit_code == 2


def test_the_command_as_json(few_deals: None, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "found.json"
    found = run(command("garbage"), "--rules", "classic", "--json", str(file))
    assert found.exit_code == 1
    value = json.loads(file.read_text())
    assert (value["command"], value["game"], value["passed"]) == ("check-bot", "uno", False)
    assert value["scenes"][0]["passed"] and not value["scenes"][1]["passed"]
    fault = value["scenes"][1]["faults"][0]
    assert fault["kind"] == "garbage" and fault["position"].startswith("classic;") and fault["position"] in shlex.split(fault["reproduce"])


# -- bots that do not --


@pytest.mark.parametrize(
    ("deed", "kind", "sentence"),
    [
        ("crash", "crash", "ended with exit code 1: RuntimeError: out of ideas"),
        ("flood", "flood", "answered with more than 65,536 bytes in one line"),
        ("twice", "protocol", "wrote a line that nobody had asked for"),
        ("garbage", "garbage", "answered with a line that is not JSON"),
        ("illegal_name", "illegal", "answered 74 (swap:3), which is not legal there"),
        ("wrong_id", "protocol", "answered question 1 with {'type': 'action', 'id': 2"),
    ],
)
def test_a_wrong_answer_is_reported_with_the_position(deed: str, kind: str, sentence: str, few_deals: None, to_the_end: None) -> None:
    start, *scenes, alike = suite(player(deed), "uno", "classic")
    assert start.passed and alike.passed
    for scene in scenes:
        assert not scene.passed
        fault = scene.faults[0]
        assert fault.kind == kind and fault.what.startswith(sentence) and fault.position.startswith("classic;players=")


@pytest.mark.parametrize(
    ("deed", "sentence"),
    [
        ("wrong_version", 'did not greet with {"type": "hello", "protocol": 1} but with'),
        ("unknown_window", "greeted with windows=['sunroof']; known are"),
        ("garbage_for_hello", "answered with a line that is not JSON"),
        ("ignores_bye", "did not end within two seconds of bye and the end of its input"),
    ],
)
def test_greeting_and_parting_are_checked(deed: str, sentence: str, few_deals: None) -> None:
    scene = next(iter(run_suite(player(deed))))
    assert [fault.what.startswith(sentence) for fault in scene.faults] == [True], scene.faults


def test_a_bot_that_is_too_slow_is_told_so(few_deals: None) -> None:
    _, scene, *_ = suite(player("hang", limits=HASTY), "uno", "classic")
    assert (scene.faults[0].kind, scene.faults[0].what) == ("time", "did not answer within 0.3 s")


def test_a_bot_with_dice_of_its_own_is_found_out(few_deals: None, tmp_path: Path) -> None:
    file = tmp_path / "dice.py"
    text = (EXAMPLES / "outside" / "random_client.py").read_text()
    file.write_text(text.replace('random.Random(message["seed"])', "random.SystemRandom()"))
    assert file.read_text() != text
    *_, alike = suite(outside_bot("dice", f"python3 {file}", Path.cwd(), PATIENT), "uno", "classic")
    assert [fault.kind for fault in alike.faults] == ["differs"]
    assert re.search(r"played the same game in two ways: its action \d+ was \S+, then \S+ \(it should take", alike.faults[0].what)


def test_the_command_says_what_is_wrong_at_once_and_stops_early(run: Run) -> None:
    found = run(command("illegal_name"), "--rules", "classic")
    assert found.exit_code == 1
    lines = found.output.splitlines()
    fault = lines.index("FAULT (illegal) UNO classic, 2 players, game 0: it answered 74 (swap:3), which is not legal there")
    assert lines[fault + 1].startswith('  sent:     {"type":"decide","id":1,"view":{"seat":0,')
    assert lines[fault + 2] == '  answered: {"type": "action", "id": 1, "action": "swap:3"}'
    assert any(line.startswith("BAD  UNO classic, 2 players: 3 of 12 games, 9 decisions") for line in lines[fault:])
    assert lines[-1] == "9 faults in 3 of 3 games: illegal 9; stopped early, since more games would show the same"
    line = next(line.strip() for line in lines if line.startswith("  kibitz check-bot "))
    done = subprocess.run([sys.executable, "-m", *shlex.split(line)], capture_output=True, text=True, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("it answered 74 (swap:3), which is not legal there\n")


def test_what_a_bot_writes_is_shown_and_cannot_control_the_terminal(tmp_path: Path, run: Run) -> None:
    """What it answered, and the end of its standard error, with the line on which it failed."""
    file = tmp_path / "loud.py"
    file.write_text(
        "import sys\nprint('one\\nlast \\x1b[31mwords', file=sys.stderr)\n"
        "class Loud:\n    def choose(self, view):\n        raise ValueError('\\x1b[2Jno idea')\n"
    )
    found = run(str(file), "--rules", "classic")
    assert found.exit_code == 1 and "\x1b" not in found.output
    assert "  answered: nothing\n" in found.output
    assert "    | last \N{REPLACEMENT CHARACTER}[31mwords\n" in found.output
    assert "ValueError: \N{REPLACEMENT CHARACTER}[2Jno idea (loud.py, line 5)" in found.output
    found = run(command("garbage"), "--rules", "classic")
    assert "Standard output is for answers only: one JSON object per question." in found.output


def test_a_scene_is_over_after_a_few_games_with_the_same_kind_of_fault() -> None:
    _, scene = suite(player("garbage"), "uno", "classic")
    assert (scene.games, scene.planned) == (check.MOST_ALIKE, 2 * check.DEALS)


# -- a classroom's player --


PLAYER = """
from kibitz.bots.uno.classroom import Color


class ada_UnoPlayer:
    def play(self, hand, up_card, called_color, state):
        return next((index for index, card in enumerate(hand) if card.can_play_on(up_card, called_color)), -1)

    def call_color(self, hand):
        return Color.RED


class Helper:
    def choose(self, view):
        raise NotImplementedError
"""


def test_a_classroom_player_is_judged_by_the_classrooms_rules(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under `hearn` it would play a Wild Draw Four that it may not play; the classroom's tournament never asks it there."""
    monkeypatch.setattr(check, "SITTING", 10)
    file = tmp_path / "ada.py"
    file.write_text(PLAYER)
    found = run(str(file), "--seconds", "60")
    assert found.exit_code == 0, found.output
    assert [line.partition(" games")[0] for line in found.output.splitlines()[:-2]] == [
        "ok   starts, greets and ends",
        "ok   UNO davies, 2 players: 10",
        "ok   UNO davies, 4 players: 10",
        "ok   UNO davies, 10 players: 10",
        "ok   answers alike when asked alike: 2",
    ]
    assert run(str(file), "--no-classroom", "--rules", "hearn", "--seconds", "60").exit_code == 1


def test_a_classroom_player_that_fails_in_a_late_game_is_found_out(tmp_path: Path, run: Run) -> None:
    """One process plays as many games as in the tournament."""
    file = tmp_path / "ada.py"
    late = "    made = 0\n\n    def __init__(self):\n        ada_UnoPlayer.made += 1\n        assert ada_UnoPlayer.made < 40\n"
    file.write_text(PLAYER.replace("class ada_UnoPlayer:\n", "class ada_UnoPlayer:\n" + late))
    found = run(str(file), "--seconds", "60")
    assert found.exit_code == 1
    assert re.search(r"^FAULT \(crash\) UNO davies, 2 players, game 3\d: .*AssertionError \(ada.py, line 10\)$", found.output, re.MULTILINE)


def test_a_classroom_player_may_use_chance(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "SITTING", 2)
    file = tmp_path / "ada.py"
    file.write_text("import random\n" + PLAYER.replace("return next(", "return -1 if random.random() < 0.5 else next("))
    found = run(str(file), "--seconds", "60")
    assert found.exit_code == 0, found.output
    assert "     note: it played the same game in two ways: " in found.output


def test_any_program_can_be_judged_by_the_classrooms_rules(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "SITTING", 2)
    found = run(PERL, "--classroom", "--seconds", "60")
    assert found.exit_code == 0 and found.output.count("UNO davies") == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAYER.replace("def call_color", "def call_colour"), "the class has no method call_color(self, hand)"),
        (PLAYER.replace("return Color.RED", "return Color.RED)"), "SyntaxError: unmatched ')' (ada.py, line 10)"),
        (PLAYER.replace("Color\n", "Colour\n", 1), "ImportError: cannot import name 'Colour' from 'kibitz.bots.uno.classroom'"),
    ],
)
def test_a_file_that_cannot_be_started_says_why(text: str, said: str, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "ada.py"
    file.write_text(text)
    found = run(str(file))
    assert found.exit_code == 1
    first = next(line for line in found.output.splitlines() if line)
    assert first.startswith("FAULT (crash) starts, greets and ends: it ended with exit code 1: ") and said in first


# -- one position --


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_one_position_is_asked(game: str, position: dict[str, str], tmp_path: Path, run: Run) -> None:
    file = tmp_path / "found.json"
    found = run(PYTHON, "--game", game, "--position", position[game], "--json", str(file))
    assert found.exit_code == 0, found.output
    value = json.loads(file.read_text())
    assert value["action"] in value["legal"] and value["fault"] is None
    assert found.output == f"legal: {', '.join(value['legal'])}\nit answers {value['action']}\n"
    assert value["message"]["view"]["seat"] == value["message"]["view"]["current"]


@pytest.mark.parametrize("game", ["uno", "hanabi"])
@pytest.mark.parametrize(
    ("deed", "sentence"),
    [
        ("no_name", r"it answered '\\x1b\[31mwin', which is no action"),
        ("negative", "it answered -1, which is not an action"),
        ("crash", "it ended with exit code 1: RuntimeError: out of ideas"),
        ("wrong_version", "it did not greet with .*"),
    ],
)
def test_a_wrong_answer_in_one_position(game: str, deed: str, sentence: str, position: dict[str, str], run: Run) -> None:
    found = run(command(deed), "--game", game, "--position", position[game])
    assert found.exit_code == 1
    assert re.fullmatch(f"legal: .*\n{sentence}\n", found.output), found.output


def test_a_position_in_a_window_is_asked(ears: Ears, to_the_end: None) -> None:
    """A challenge under the official rules, as a fault's report gives it."""
    greeting = 'greet={"windows": ["challenge"]}'
    for scene in run_suite(player("garbage", greeting), "uno", "official"):
        for fault in scene.faults:
            if ";phase=challenge" in fault.position:
                answer = ask_in_position(honest(greeting), "uno", fault.position)
                assert answer.fault is None and sorted(answer.legal) == ["accept", "challenge"]
                return
    raise AssertionError("no challenge came up in the suite")


# -- bad input --


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.py"], "bot file missing.py does not exist."),
        (["missing.py:Bot"], "bot file missing.py does not exist."),
        ([""], "the command line is empty."),
        (["   "], "the command line is empty."),
        (["python3 'bot"], "is not understood"),
        ([PYTHON, "--seconds", "0"], "seconds=0 is out of range: it is a number above 0 and at most 3600."),
        ([PYTHON, "--seconds", "nan"], "seconds=nan is out of range"),
        ([PYTHON, "--game", "chess"], "chess"),
        ([PYTHON, "--rules", "nonsense"], "nonsense"),
        ([PYTHON, "--game", "hanabi", "--rules", "classic"], "classic"),
        ([PYTHON, "--seed", "-1"], "seed -1 is out of range"),
        ([PYTHON, "--game", "hanabi", "--classroom"], "--classroom is for uno, not for hanabi."),
        ([f"python3 {EXAMPLES / 'classroom' / 'ashtabna.py'}"], "is a player with the methods play and call_color, not a program"),
        (["python3 nowhere.py"], "the command 'python3 nowhere.py' names nowhere.py, but there is no such file."),
        ([PYTHON, "--position", "somewhere"], "position: unknown rules 'somewhere'"),
        ([PYTHON, "--position", ""], "position: "),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(words: list[str], sentence: str, run: Run) -> None:
    found = run(*words)
    assert found.exit_code == 2, found.output
    assert found.errors.startswith("kibitz: ") and sentence in found.errors and found.output == ""


def test_a_position_of_another_game(position: dict[str, str], run: Run) -> None:
    found = run(PYTHON, "--game", "hanabi", "--position", position["uno"])
    assert found.exit_code == 2


def test_a_program_that_does_not_exist_is_a_mistake(few_deals: None, run: Run) -> None:
    found = run("no-such-program-anywhere", "--rules", "classic")
    assert (found.exit_code, found.output) == (2, "")
    assert "could not be started: there is no program 'no-such-program-anywhere' in the search path" in found.errors


def test_a_file_without_a_bot_says_why_it_ended(few_deals: None, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "empty.py"
    file.write_text("x = 1\n")
    found = run(str(file), "--rules", "classic")
    assert found.exit_code == 1
    assert "it ended with exit code 1: kibitz: " in found.output
    file.write_text("raise ValueError('not today')\n")
    found = run(str(file), "--rules", "classic")
    assert found.exit_code == 1 and "not today" in found.output
