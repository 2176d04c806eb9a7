"""Hostile files, names and numbers: every reader answers with one short sentence, never with another exception."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kibitz import registry
from kibitz.bots.uno import classroom, linear, net
from kibitz.cli.main import run
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.reading import check_whole, parse_json, parse_toml, read_bytes, read_text, whole_number
from kibitz.core.seeds import check_seed
from kibitz.experiments.studies.exact.study import parse_budgets
from kibitz.experiments.tournament.config import read_tournament
from kibitz.experiments.training.uno.linear import LinearPlan, LinearTraining
from kibitz.experiments.training.uno.net.training import NetTraining
from kibitz.experiments.training.uno.perceptron.training import PerceptronTraining
from kibitz.experiments.tune import study_file
from kibitz.games.hanabi import names as hanabi_names
from kibitz.games.hanabi import notation as hanabi_notation
from kibitz.games.hanabi import rules as hanabi_rules
from kibitz.games.hanabi import state as hanabi_state
from kibitz.games.uno import notation
from kibitz.games.uno.names import action_from_name, card_from_name
from kibitz.games.uno.rules import parse_rules
from kibitz.play.lineup import parse_target
from kibitz.play.record import Record
from kibitz.play.record_files import games_in, read_games
from kibitz.policies.uno import perceptron_models
from kibitz.report.formatting import check_marks
from kibitz.runs.database import open_store, store_path
from tests.games.hanabi.positions import EXAMPLE as HANABI_POSITION
from tests.games.uno.positions import EXAMPLE as UNO_POSITION

DIGITS, BRACKETS = "9" * 5000, "[" * 100_000
LONGEST = 450  # characters of a sentence, with the name of a temporary file in it


@pytest.fixture(autouse=True)
def waits_for_nothing() -> Iterator[None]:
    """A reader that waits for the other end of a pipe fails instead."""

    def give_up(number: int, frame: object) -> None:
        raise AssertionError("a reader waits")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


class Reader(NamedTuple):
    """A reader of files, how its files are named, and one that it accepts."""

    read: Callable[[str], Any]
    suffix: str
    content: bytes


RULES = b'preset = "official"\nhand_size = 5\nmax_turns = 900\nstacking = "progressive"\n'
CUP = b"title = 'Cup'\ngames = 2\nseed = 7\nfaults = 3\nto = '500'\n" + b"".join(
    b"[[players]]\nname = '%b'\nbot = 'random'\n" % name for name in (b"Ada", b"Bob")
)
BOT = b"class Decliner:\n    def choose(self, view):\n        return 1_000\n\n    def play(self, *cards):\n        return (3 + 4) * 5\n"
LINE = "uno/1;classic;seed=5;deal=3;seats=mix2|random;actions=r5.draw.keep;result=won:1:35"
LIVE = json.dumps({"players": ["A", "B"], "deck": [{"suitIndex": 0, "rank": 1}] * 3, "actions": [{"type": 0, "target": 3}], "options": {}})
PAGE = b"<!-- results: written by a command -->\nold\n<!-- end of results -->\n"

READERS = {
    "rules": Reader(parse_rules, ".toml", RULES),
    "tournament": Reader(read_tournament, ".toml", CUP),
    "players": Reader(read_tournament, ".txt", b"Ada,ada\nBob,bob\n"),
    "bot": Reader(registry.entrant, ".py", BOT),
    "classroom": Reader(lambda path: classroom._classes_in(Path(path)), ".py", BOT),
    "records": Reader(lambda path: list(read_games(path)), ".txt", f"{LINE}\n{LINE}\n".encode()),
    "record": Reader(lambda path: list(read_games(path)), ".json", json.dumps(Record.from_text(LINE).to_json()).encode()),
    "replays": Reader(lambda path: list(read_games(path)), ".json", LIVE.encode()),
    "linear": Reader(linear.read_weights, ".npz", linear.SHIPPED_FILE.read_bytes()),
    "net": Reader(net.read_net, ".npz", net.SHIPPED_FILE.read_bytes()),
    "perceptron": Reader(perceptron_models.read_perceptron, ".json", perceptron_models.SHIPPED_FILE.read_bytes()),
    "linear checkpoint": Reader(lambda path: LinearTraining.load(Path(path)), ".checkpoint", linear.SHIPPED_FILE.read_bytes()),
    "net checkpoint": Reader(lambda path: NetTraining.load(Path(path)), ".checkpoint", linear.SHIPPED_FILE.read_bytes()),
    "perceptron checkpoint": Reader(lambda path: PerceptronTraining.load(Path(path)), ".checkpoint", linear.SHIPPED_FILE.read_bytes()),
    "page": Reader(lambda path: check_marks(Path(path)), ".md", PAGE),
    "study": Reader(lambda path: study_file._look(Path(path)), ".db", b"SQLite format 3\0" + bytes(500)),
    "store": Reader(lambda path: open_store(store_path(path), create=False).close(), ".db", b"SQLite format 3\0" + bytes(500)),
}
NEW_WHEN_MISSING = {"study"}  # a name for which there is no file is one to write to


def refused(read: Callable[[str], Any], given: str) -> str:
    """What a reader says to input that it cannot accept."""
    with pytest.raises(KibitzError) as error:
        read(given)
    check_sentence(error.value)
    return str(error.value)


def check_sentence(error: KibitzError) -> None:
    text = str(error)
    assert 10 < len(text) < LONGEST
    assert text == " ".join(text.splitlines())
    assert not any("\x00" <= letter < " " for letter in text)


# -- files --


@pytest.mark.parametrize("name", READERS)
def test_what_no_file_can_be_called_is_refused(name: str, tmp_path: Path) -> None:
    read, suffix, _ = READERS[name]
    for stem in ("a\0b", "a" * 5000, "a\ud800b"):
        assert refused(read, f"{tmp_path}/{stem}{suffix}")
    missing = f"{tmp_path}/missing{suffix}"
    assert read(missing) is False if name in NEW_WHEN_MISSING else refused(read, missing)


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_is_refused_at_once(name: str, tmp_path: Path) -> None:
    read, suffix, _ = READERS[name]
    (tmp_path / f"folder{suffix}").mkdir()
    os.mkfifo(tmp_path / f"pipe{suffix}")
    (tmp_path / f"endless{suffix}").symlink_to("/dev/zero")
    for kind in ("folder", "pipe", "endless"):
        assert refused(read, str(tmp_path / f"{kind}{suffix}"))


@pytest.mark.parametrize("name", READERS)
def test_hostile_content_is_refused(name: str, tmp_path: Path) -> None:
    read, suffix, content = READERS[name]
    path = tmp_path / f"hostile{suffix}"
    texts = (
        DIGITS,
        f"a = {DIGITS}",
        f"hand_size = 0x{DIGITS}",
        f"a = {BRACKETS}",
        f'{{"a": {BRACKETS}',
        f'{{"players": {DIGITS}}}',
        "a" * 9000,
    )
    nested = "a." * 100_000 + "b = 1"
    for given in (
        *(text.encode() for text in (*texts, BRACKETS, nested, "(" * 100_000, "-" * 200_000 + "1")),
        b"\xff\xfe\xff",
        b"\0",
        content[: 2 * len(content) // 3],
    ):
        path.write_bytes(given)
        try:
            read(str(path))
        except KibitzError as error:
            check_sentence(error)
        else:
            assert name in ("bot", "classroom", "page", "rules", "tournament", "log"), given[:40]
            assert given == content[: 2 * len(content) // 3] or name == "classroom", given[:40]


_TOKENS = (
    DIGITS.encode(),
    b"-1",
    b"1e999",
    b"nan",
    b"\0",
    b"\xff",
    BRACKETS[:2000].encode(),
    b"{",
    b"'",
    b'"',
    b"\n",
    b"\x1b[2J",
    b"=",
    b"0x" + b"f" * 5000,
)


def mutated(content: bytes, source: random.Random) -> bytes:
    """A file with a few changes."""
    changed = bytearray(content)
    for _ in range(source.randint(1, 4)):
        place, length = source.randrange(len(changed) + 1), source.randint(0, 12)
        changed[place : place + length] = source.choice(
            (b"", source.choice(_TOKENS), bytes(source.randrange(256) for _ in range(3)), bytes(changed[place : place + 40]) * 2)
        )
    return bytes(changed)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", [name for name in READERS if name != "net"])  # its file is large, and the linear one is of the same kind
def test_mutated_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    read, suffix, content = READERS[name]
    source, path, count = random.Random(f"mutations of {name}"), tmp_path / f"mutated{suffix}", 0
    for _ in range(200):
        path.write_bytes(mutated(content, source))
        try:
            read(str(path))
        except KibitzError as error:
            check_sentence(error)
            count += 1
    assert count >= 10


# -- texts --


def hanabi_table() -> Any:
    return hanabi_state.new_state(hanabi_rules.PRESETS["standard"], 2)


TEXTS: dict[str, tuple[Callable[[str], Any], str]] = {
    "rules": (parse_rules, "classic,hand_size={}"),
    "deck": (parse_rules, "classic,deck=r5*{}/g3"),
    "rules of Hanabi": (hanabi_rules.parse_rules, "standard,lives={}"),
    "bot": (registry.entrant, "{}"),
    "preset": (registry.entrant, "mix2:{}"),
    "parameter": (registry.entrant, "mix2:wild_colour_slack={}"),
    "real parameter": (registry.entrant, "score:weights={}/0/0/0/0/0"),
    "file of weights": (registry.entrant, "linear:{}.npz"),
    "target": (parse_target, "{}"),
    "budgets": (parse_budgets, "4,x{}"),
    "players": (lambda text: LinearPlan(players=text).sizes, "2,x{}"),
    "position": (notation.from_text, "classic;players={}"),
    "position of Hanabi": (hanabi_notation.from_text, "standard;players={}"),
    "record": (Record.from_text, LINE.replace("seed=5", "seed={}")),
    "score of a record": (Record.from_text, LINE.replace("won:1:35", "won:1:{}")),
    "version of a record": (Record.from_text, LINE.replace("uno/1", "uno/{}")),
    "record as JSON": (lambda text: list(games_in(text, "games")), '{{"game": "uno", "seats": {}}}'),
    "replay": (lambda text: list(games_in(text, "games")), '{{"deck": [], "actions": [], "score": {}}}'),
    "card": (card_from_name, "r{}"),
    "action": (action_from_name, "swap:{}"),
    "card of Hanabi": (hanabi_names.card_from_name, "R{}"),
    "move of Hanabi": (lambda text: hanabi_names.move_from_name(hanabi_table(), text), "play:{}"),
    "hint of Hanabi": (lambda text: hanabi_names.move_from_name(hanabi_table(), text), "hint:1:{}"),
    "JSON": (lambda text: parse_json(text, "file"), "{}"),
    "TOML": (lambda text: parse_toml(text, "file"), "a = {}"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("given", [DIGITS, BRACKETS, "", "a\0b", "a\ud800b", "\x1b]0;x\x07", "a" * 5000, "٣", "-" + DIGITS], ids=range(9))
def test_hostile_text_is_refused(name: str, given: str) -> None:
    read, text = TEXTS[name]
    if (name, given) == ("preset", ""):
        assert read(text.format(given)).name == "mix2:win_rate"
    else:
        assert refused(read, text.format(given))


@pytest.mark.parametrize(("read", "position"), [(notation.from_text, UNO_POSITION), (hanabi_notation.from_text, HANABI_POSITION)])
def test_mutated_positions_are_read_or_refused(read: Callable[[str], Any], position: str) -> None:
    read(position)
    for part in position.split(";")[1:]:
        key, _, _ = part.partition("=")
        assert refused(read, position.replace(part, f"{key}={DIGITS}"))
    source = random.Random(position)
    for _ in range(300):
        try:
            read(mutated(position.encode(), source).decode("utf-8", "replace"))
        except KibitzError as error:
            check_sentence(error)


def test_long_numbers_from_python_are_refused() -> None:
    for number in (10**5000, -(10**5000)):
        with pytest.raises(BadValue, match="a number of more than 100 digits"):
            check_seed(number)
        with pytest.raises(BadValue):
            parse_target(number)
        with pytest.raises(BadValue, match="players must be 2–10, got a number of more than 100 digits"):
            check_whole(number, "players", 2, 10)


def test_whole_numbers() -> None:
    assert [whole_number(text, "x", -5, 10) for text in ("0", "10", "-5", "007")] == [0, 10, -5, 7]
    assert refused(lambda text: whole_number(text, "players", 2, 10), "11") == "players must be 2–10, got 11."
    for text in ("+5", " 5", "5 ", "1_0", "٣", "²", "", "-", "0x5", "5.0", "--5"):
        assert "must be a whole number" in refused(lambda text: whole_number(text, "x", -5, 10), text)
    assert refused(lambda text: whole_number(text, "x", 0, 10), "-0") == "x must be 0–10, got -0."


def test_text_is_read_with_and_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffZoë\r\ntwo\rthree".encode())
    assert read_text(path, "file") == "Zoë\ntwo\nthree"
    with pytest.raises(BadValue, match="has 18 bytes; at most 17 are accepted"):
        read_bytes(path, "file", 17)


# -- the command line --

PATHS = ("a\0b", "a" * 5000, "a\ud800b", "folder", "pipe")
COMMANDS = [
    ("evaluate", "random", "--games", "10", "--rules", "{}.toml"),
    ("tournament", "{}.toml"),
    ("tournament", "{}.txt"),
    ("match", "{}.py", "random"),
    ("bots", "{}.py"),
    ("check-bot", "{}.py"),
    ("replay", "{}"),
    ("replay", "{}", "--show", "1"),
    ("evaluate", "linear:./{}.npz"),
    ("evaluate", "net:./{}.npz"),
    ("evaluate", "perceptron:./{}.json"),
    ("evaluate", "random", "--games", "10", "--store", "{}"),
    ("runs", "show", "1", "--store", "{}"),
    ("study", "skill", "--write", "{}"),
    ("tune", "mix2", "--study", "{}"),
]
OUTPUTS = [
    ("evaluate", "random", "--games", "10", "--json", "{}"),
    ("export", "random", "--out", "{}"),
    ("export", "random", "--format", "csv", "--out", "{}"),
    ("report", "1", "--out", "{}"),
    ("report", "1", "--plots", "{}"),
    ("train", "linear", "--out", "{}"),
    ("train", "perceptron", "--out", "{}"),
]
NUMBERS = [
    ("replay", "{}", "0"),
    ("export", "{}"),
    ("runs", "show", "{}"),
    ("resume", "{}"),
    ("report", "{}"),
    *[("evaluate", "random", option, "{}") for option in ("--seed", "--games", "--players", "--threads", "--to")],
    ("watch", "random", "random", "--index", "{}"),
    ("train", "linear", "--out", "weights.npz", "--players", "{}"),
    ("tune", "mix2", "--trials", "{}"),
    ("study", "exact", "--budgets", "{},x"),
    ("evaluate", "mix2:wild_colour_slack={}"),
    ("evaluate", "random", "--rules", "classic,hand_size={}"),
    ("table", "--port", "{}"),
]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        *[(words, PATHS) for words in COMMANDS],
        *[(words, PATHS[:4] if words[2:3] != ("--plots",) else PATHS[:3]) for words in OUTPUTS],
        *[(words, (DIGITS,)) for words in NUMBERS],
    ],
    ids=lambda value: "-".join(value)[:40],
)
def test_commands_answer_with_one_sentence(
    words: tuple[str, ...], given: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIBITZ_STORE", str(tmp_path / "kibitz.db"))
    suffix = words[-1].rpartition("}")[2] if "{}" in words[-1] else ""
    for name in dict.fromkeys((suffix, "", ".py", ".npz", ".json")):
        (tmp_path / f"folder{name}").mkdir()
        os.mkfifo(tmp_path / f"pipe{name}")
    for each in given:
        with pytest.raises(SystemExit) as stop:
            run([word.format(each) for word in words])
        out, err = capsys.readouterr()
        assert (stop.value.code, out, err.count("\n")) == (2, "", 1), err
        assert "Traceback" not in err and len(err) < LONGEST
