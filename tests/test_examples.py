"""The examples: short, accepted wherever a bot is named, the same compiled and plain, and better than chance."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.cli.main import run
from kibitz.core.layouts import blank
from kibitz.games.uno.cards import BLUE, NO_COLOUR
from kibitz.games.uno.names import action_name
from kibitz.games.uno.rules import PRESETS, Rules, parse_rules
from kibitz.games.uno.state import KEPT, Event

ROOT = Path(__file__).parent.parent
BOTS = {
    "examples/compiled_bot.py:saver": True,
    "examples/python_bot.py:Listener": False,
    "examples/debug_a_bot.py:talker": True,
    "examples/house_rules_bot.py:bold": True,
    "examples/prepared_bot.py:Weighted": False,
}
HANABI_BOT = "examples/hanabi_bot.py:careful"
HOUSE_RULES = "examples/house.toml"
COMPILED = [name for name, compiled in BOTS.items() if compiled]


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def command(*words: str) -> None:
    with pytest.raises(SystemExit) as end:
        run(list(words))
    assert end.value.code == 0


def test_every_example_is_under_test() -> None:
    assert {name.partition(":")[0] for name in [*BOTS, HANABI_BOT]} == {
        f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")
    }


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_under_25_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 25


@pytest.mark.parametrize("name", BOTS)
def test_the_registry_knows_it_by_file_and_name(name: str) -> None:
    entrant = registry.entrant(name)
    assert entrant.name == name
    assert entrant.is_compiled == BOTS[name]
    assert registry.entrant(name.partition(":")[0]).name == name, "the only bot of a file need not be named"
    assert entrant.bot.summary.endswith(".")


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("opponents", [["random"], ["mix2", "card_counting", "random"]], ids=["2 players", "4 players"])
def test_plays_the_same_games_compiled_and_plain(name: str, opponents: list[str]) -> None:
    compiled = kibitz.match([name, *opponents], games=40, seed=5)
    plain = kibitz.match([name, *opponents], games=40, seed=5, jit=False)
    assert compiled.rows == plain.rows
    assert sum(row.wins for row in compiled.rows) == 40


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("name", BOTS)
def test_one_game_is_the_game_of_the_batch(name: str) -> None:
    wins = sum(
        played.winner is not None and played.seats[played.winner] == name
        for played in (kibitz.play([name, "random"], index=i) for i in range(10))
    )
    assert wins == kibitz.match([name, "random"], games=10)[0].wins


@pytest.mark.parametrize("name", BOTS)
def test_beats_random(name: str) -> None:
    row = kibitz.evaluate(name, games=1000, seed=2)[0]
    assert row.win_rate_se is not None
    assert row.win_rate > 0.5 + 2 * row.win_rate_se


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("name", BOTS)
def test_every_command_accepts_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["match", name, "random"], ["evaluate", name], ["evaluate", "greedy", "--against", name]):
        command(*words, "--games", "20")
        assert name in capsys.readouterr().out
    command("watch", name, "random")
    assert f"{name}" in capsys.readouterr().out
    command("bots", name)
    assert registry.entrant(name).bot.summary in capsys.readouterr().out


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_hanabi_bot_plays_the_same_games_compiled_and_plain(players: int) -> None:
    compiled = kibitz.match([HANABI_BOT], players=players, games=20, seed=5, game="hanabi")
    plain = kibitz.match([HANABI_BOT], players=players, games=20, seed=5, game="hanabi", jit=False)
    assert compiled.rows == plain.rows


def test_the_hanabi_bot_never_loses_and_is_better_than_chance() -> None:
    row = kibitz.evaluate(HANABI_BOT, game="hanabi", players=3, games=100)[0]
    assert row.lost == 0
    assert row.score > 14


@pytest.mark.usefixtures("both_ways")
def test_every_command_accepts_the_hanabi_bot(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["match", HANABI_BOT, "iggi", "--games", "20"], ["evaluate", HANABI_BOT, "--games", "20"], ["watch", HANABI_BOT]):
        command(*words, "--game", "hanabi")
        assert HANABI_BOT in capsys.readouterr().out
    command("bots", HANABI_BOT, "--game", "hanabi")
    assert registry.entrant(HANABI_BOT).bot.summary.split(",")[0] in capsys.readouterr().out


def test_the_parameter_can_be_set() -> None:
    name = "examples/compiled_bot.py:saver:alarm=5"
    assert registry.entrant(name).values == {"alarm": 5}
    with pytest.raises(kibitz.KibitzError, match="alarm"):
        registry.entrant("examples/compiled_bot.py:saver:alarm=11")


def test_every_rules_file_is_under_test() -> None:
    files = [f"examples/{path.name}" for path in (ROOT / "examples").glob("*.toml")]
    assert sorted(files) == [HOUSE_RULES, "examples/tournament.toml"]  # the README's commands, which are tested, play the second


def test_the_rules_file_says_what_it_seems_to() -> None:
    rules = parse_rules(HOUSE_RULES)
    official = PRESETS["official"]
    changed = {"hand_size": 6, "jump_in": True, "seven_zero": True, "drawn_card": "must_play"}
    assert rules == Rules(**{**{name: getattr(official, name) for name in Rules.__dataclass_fields__}, **changed})
    assert parse_rules(rules.to_text()) == rules


@pytest.mark.parametrize("name", BOTS)
def test_plays_by_the_rules_of_the_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compiled = kibitz.match([name, "mix2", "random"], rules=HOUSE_RULES, games=40)
    plain = kibitz.match([name, "mix2", "random"], rules=HOUSE_RULES, games=40, jit=False)
    assert compiled.rows == plain.rows
    command("watch", name, "random", "--rules", HOUSE_RULES, "--to", "100")
    assert "wins the contest to 100" in capsys.readouterr().out


def asked(rules: str, deck: str, table: str) -> str:
    """What the bold bot answers at a table of three."""
    bold = registry.entrant("examples/house_rules_bot.py:bold").bot
    assert isinstance(bold, Bot)
    game = kibitz.Game.from_text(f"classic,deck={deck},hand_size=1,{rules};players=3;dealer=0;direction=+;turn=3;discard=r4;pile=;{table}")
    return action_name(bold(game.view()))


def test_the_bold_bot_jumps_in() -> None:
    table = "phase=jump_in;player=0;next=1;to_act=2;before=r5;top=r1;hands=g1|g2|r1.b9"
    assert asked("jump_in=on", "r1*2/r4/g1/g2/b9", table) == "jump-in"


@pytest.mark.parametrize(
    ("hand", "answer"), [("g1", "accept"), ("g1.g1", "accept"), ("g1.g1.g1", "challenge"), ("g1.g1.g1.g1", "challenge")]
)
def test_the_bold_bot_challenges_a_long_hand(hand: str, answer: str) -> None:
    deck = f"r4/g1*{hand.count('g1')}/g2/b9/wild+4"
    table = f"phase=challenge;player=0;to_act=1;before=r5;stack=4;challenge=on;top=wild+4:b;hands={hand}|g2|b9"
    assert asked("wild_draw_four=challenge", deck, table) == answer


def test_it_pays_to_be_bold() -> None:
    """Against the same bot with its windows left to their defaults."""
    bold = registry.entrant("examples/house_rules_bot.py:bold").bot
    assert isinstance(bold, Bot)
    shy = dataclasses.replace(bold, windows=(), name="shy")
    rows = [kibitz.evaluate(bot, against="mix2", players=4, rules=HOUSE_RULES, games=20_000)[0] for bot in (bold, shy)]
    assert rows[0].win_rate > rows[1].win_rate + 3 * 0.0043  # the standard error of the difference


def test_the_listener_learns_nothing_from_a_card_without_colour() -> None:
    listener = registry.entrant("examples/python_bot.py:Listener").bot.fresh()  # type: ignore[union-attr]  # a Python bot
    view, event = kibitz.Game().view(), blank(Event)
    event.kind, event.seat, event.top_colour = KEPT, 1, NO_COLOUR
    listener.observe(view, event)
    assert listener.missing == {}
    event.top_colour = BLUE
    listener.observe(view, event)
    assert listener.missing == {1: BLUE}


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("threads", [1, 2])
def test_the_weights_are_loaded_once_per_process(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.experiments.batch.FEW_GAMES", 0)
    source = (ROOT / "examples" / "prepared_bot.py").read_text(encoding="utf-8")
    counting = f"        with open({str(tmp_path / 'loads')!r}, 'a') as log:\n            log.write('loaded\\n')\n        cls.weights ="
    (tmp_path / "prepared_bot.py").write_text(source.replace("        cls.weights =", counting))
    shutil.copy(ROOT / "examples" / "prepared_bot.json", tmp_path)
    copy = f"{tmp_path / 'prepared_bot.py'}:Weighted"
    found = kibitz.match([copy, copy], games=600, seed=3, threads=threads)
    processes = 1 if threads == 1 else 1 + threads  # this one, and each worker
    assert (tmp_path / "loads").read_text().split() == ["loaded"] * processes
    name = "examples/prepared_bot.py:Weighted"
    assert [row.wins for row in found.rows] == [row.wins for row in kibitz.match([name, name], games=600, seed=3, threads=1).rows]


def test_the_debugged_bot_talks_when_it_is_plain_and_only_then(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    alone = subprocess.run([sys.executable, "examples/debug_a_bot.py"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "turn 2: r1 is on top" in alone
    assert alone.splitlines()[-1].startswith("<game 0 of seed 1")
    arguments = [sys.executable, "-c", "from kibitz.cli.main import run; run()", "match", COMPILED[1], "random", "--games", "1"]
    silent = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True).stdout
    talking = subprocess.run([*arguments, "--no-jit"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "is on top" not in silent
    assert alone.splitlines()[:-1] == [line for line in talking.splitlines() if "is on top" in line]
