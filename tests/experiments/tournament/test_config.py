"""Tournament files: all that is accepted, and one sentence for every mistake that says where it is and what would be accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import KibitzError
from kibitz.experiments.tournament.config import (
    BUILT_IN,
    COMMAND,
    FILE,
    GAMES,
    MAX_PLAYERS,
    TRUSTED,
    Participant,
    Tournament,
    check_files,
    read_tournament,
)

TWO = 'players = [{name = "one", bot = "mix2"}, {name = "two", bot = "random"}]\n'
CLASS = """
class {name}:
    def play(self, hand, up_card, called_color, state):
        return -1
    def call_color(self, hand):
        return up_card
"""
BOT = """
class Chooser:
    def choose(self, view):
        return view.legal_actions()[0]
"""


def written(folder: Path, text: str, name: str = "cup.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path, **changes: Any) -> str:
    """The one sentence of a refusal, which names the file."""
    with pytest.raises(KibitzError) as refused:
        read_tournament(path, **changes)
    message = str(refused.value)
    assert str(path) in message
    assert message.count(str(path)) == 1
    assert "\n" not in message
    assert message.endswith((".", "?"))
    return message


# -- what is accepted --


def test_everything_at_once(tmp_path: Path) -> None:
    written(tmp_path, BOT, "bots.py")
    path = written(
        tmp_path,
        """
        title = "Spring cup"
        game = "uno"
        rules = "official,stacking=progressive"
        format = "gauntlet"
        games = 300
        table = 3
        seed = 18446744073709551615
        to = 200
        hero = "own"
        faults = 5
        limits = {decision_seconds = 2, memory = 100000000}

        [[players]]
        name = "ours"
        bot = "mix2:points"

        [[players]]
        name = "own"
        file = "bots.py:Chooser"
        seconds = 0.5

        [[players]]
        name = "trusted"
        bot = "bots.py"
        trusted = true

        [[players]]
        name = "program"
        command = "perl bot.pl --fast"

        [[players]]
        command = ["node", "my bot.js"]
        """,
    )
    found = read_tournament(path)
    assert (found.title, found.game, found.format, found.games, found.table) == ("Spring cup", "uno", "gauntlet", 300, 3)
    assert (found.rules, found.seed, found.to, found.hero, found.faults) == ("official,stacking=progressive", 2**64 - 1, "200", "own", 5)
    assert [player.name for player in found.players] == ["ours", "own", "trusted", "program", "node 'my bot.js'"]
    assert [player.kind for player in found.players] == [BUILT_IN, FILE, TRUSTED, COMMAND, COMMAND]
    assert [player.is_outside for player in found.players] == [False, True, False, True, True]
    assert found.players[1].bot == f"{tmp_path.resolve() / 'bots.py'}:Chooser"
    assert {player.folder for player in found.players} == {str(tmp_path.resolve())}
    assert found.limits_of(found.players[0]).decision_seconds == 2.0
    assert found.limits_of(found.players[1]).decision_seconds == 0.5
    assert found.limits_of(found.players[1]).memory == 10**8


def test_defaults(tmp_path: Path) -> None:
    found = read_tournament(written(tmp_path, TWO))
    assert (found.title, found.game, found.rules, found.format) == ("cup", "uno", "classic", "round-robin")
    assert (found.games, found.table, found.rounds, found.to, found.hero, found.faults) == (GAMES, 2, None, None, None, 3)
    assert found.players[0] == Participant("one", BUILT_IN, "mix2:win_rate", str(tmp_path.resolve()))
    hanabi = read_tournament(written(tmp_path, 'game = "hanabi"\nplayers = [{bot = "iggi"}]'))
    assert (hanabi.game, hanabi.format, hanabi.players[0].name) == ("hanabi", "teams", "iggi")


@pytest.mark.parametrize(
    ("lines", "game"),
    [
        ("bot = 'iggi'", "hanabi"),
        ("bot = 'random'", "uno"),
        ("file = 'declared.py'", "hanabi"),
        ("file = 'undeclared.py'", "uno"),
        ("file = 'broken.py'", "uno"),
        ("command = 'python3 declared.py'", "uno"),
    ],
)
def test_the_game_follows_from_the_players_whose_files_are_not_run(tmp_path: Path, lines: str, game: str) -> None:
    bot = "import sys\nsys.exit('run')\nclass Mine:\n    {}\n    def choose(self, view):\n        return 0\n"
    (tmp_path / "declared.py").write_text(bot.format("game = 'hanabi'"))
    (tmp_path / "undeclared.py").write_text(bot.format("summary = ''"))
    (tmp_path / "broken.py").write_text("def choose(:")
    text = f"[[players]]\nname = 'one'\n{lines}\n[[players]]\nname = 'two'\nbot = 'random'\n"
    assert read_tournament(written(tmp_path, text)).game == game


@pytest.mark.parametrize("table", [2, 3, 7])
def test_default_games_are_whole_deals(tmp_path: Path, table: int) -> None:
    players = ", ".join(f'{{name = "{place}", bot = "random"}}' for place in range(table))
    found = read_tournament(written(tmp_path, f"table = {table}\nplayers = [{players}]"))
    assert found.games % table == 0
    assert GAMES <= found.games < GAMES + table


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'games = 50\nrules = "official"\nseed = 4\n' + TWO)
    found = read_tournament(path, games=20, rules="davies", seed=9, format="swiss", rounds=1, table=None)
    assert (found.games, found.rules, found.seed, found.format, found.rounds) == (20, "davies", 9, "swiss", 1)
    assert read_tournament(path, games=None).games == 50


def test_seeds_come_from_the_system_with_64_bits(tmp_path: Path) -> None:
    """20 seeds: none is repeated, and one at least is beyond 2^60 (false alarm: (1/16)^20)."""
    path = written(tmp_path, TWO)
    seeds = {read_tournament(path).seed for _ in range(20)}
    assert len(seeds) == 20
    assert 2**60 < max(seeds) < 2**64


@pytest.mark.parametrize(
    "name",
    [
        "Smith, John",
        'O\'Brien "the bot"',
        "李小龙 🐉",
        "[bold red]x[/bold red]",
        "[/nothing]",
        "back\\slash",
        "{0} %s $x_1$",
        "x" * 500,
        "=cmd()",
        "é",
    ],
)
def test_odd_names_survive(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path, f"players = [{{name = {json.dumps(name, ensure_ascii=False)}, bot = 'mix2'}}, {{name = 'two', bot = 'random'}}]"
    )
    found = read_tournament(path)
    assert found.players[0].name == name
    assert Tournament.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_tournament_comes_back_from_the_store(tmp_path: Path) -> None:
    written(tmp_path, BOT, "bots.py")
    text = 'games = 4\nlimits = {decision_seconds = 0.25}\nplayers = [{name = "a", file = "bots.py", seconds = 3}, {bot = "mix2"}]'
    found = read_tournament(written(tmp_path, text))
    assert Tournament.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_mark_at_the_beginning_is_no_part_of_the_text(tmp_path: Path) -> None:
    """Editors of Windows write one."""
    (tmp_path / "cup.toml").write_bytes(b"\xef\xbb\xbf" + TWO.encode())
    assert [player.name for player in read_tournament(tmp_path / "cup.toml").players] == ["one", "two"]


def test_folders_may_look_like_python_files(tmp_path: Path) -> None:
    folder = tmp_path / ".pyenv" / "bots.py.d"
    folder.mkdir(parents=True)
    written(folder, BOT, "bots.py")
    found = read_tournament(written(folder, 'players = [{name = "a", file = "bots.py:Chooser"}, {bot = "mix2"}]'))
    assert found.players[0].bot == f"{(folder / 'bots.py').resolve()}:Chooser"
    check_files(found)


# -- mistakes --


def player(*lines: str) -> str:
    return "[[players]]\nname = 'one'\nbot = 'mix2'\n[[players]]\n" + "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("game = 'uno'", ["players is missing", "[[players]]", "a bot, a file or a command"]),
        ("players = 3", ["players", "[[players]]"]),
        ("players = []", ["0 players are not accepted", f"1 to {MAX_PLAYERS}"]),
        ("gmaes = 5\n" + TWO, ["unknown key", "'gmaes'", "did you mean games"]),
        (player("nmae = 'x'", "bot = 'random'"), ["player 2", "unknown key", "'nmae'", "did you mean name"]),
        (player("name = 'x'", "bot = 'gredy'"), ["player x", "unknown bot 'gredy'", "did you mean greedy"]),
        (player("name = 'x'", "bot = 'iggi'"), ["bots 'mix2' (uno) and 'iggi' (hanabi) play different games"]),
        ("game = 'uno'\n" + player("name = 'x'", "bot = 'iggi'"), ["player x", "bot 'iggi' plays hanabi, not uno"]),
        (player("name = 'x'", "bot = 'mix2:nothing'"), ["player x", "mix2", "nothing"]),
        (player("name = 'x'"), ["player 2 has no bot", "one of bot, file and command"]),
        (player("name = 'x'", "bot = 'random'", "command = 'y'"), ["player 2 has bot and command", "one of bot, file and command"]),
        (player("name = 'one'", "bot = 'random'"), ["two players are called one", "names must differ"]),
        (player("bot = 'random'", "name = 7"), ["player 2", "name=7", "it is a text"]),
        (player("bot = 'random'", "name = '  '"), ["player 2", "name='  '", "it is a text"]),
        (player("bot = 'random'", 'name = "two\\nlines"'), ["player 2", "name='two\\nlines'", "one line"]),
        (player("bot = 'random'", 'name = "\\u001b[31m"'), ["player 2", "one line"]),
        (player("bot = 7"), ["player 2", "bot=7", "it is a text"]),
        (player("command = []"), ["player 2", "command=[]"]),
        (player("command = ['a', 1]"), ["player 2", "command="]),
        (player("file = 'nowhere.py'"), ["player 2", "no Python file", "nowhere.py"]),
        (player("file = 'bot.js'"), ["player 2", "no Python file", "bot.js"]),
        (player("bot = 'random'", "trusted = true"), ["player 2", "trusted goes with a Python file or a command"]),
        (player("bot = 'random'", "trusted = 'yes'"), ["player 2", "trusted='yes'", "true or false"]),
        (player("bot = 'random'", "seconds = 0"), ["player 2", "seconds=0", "above 0"]),
        (player("bot = 'random'", "seconds = nan"), ["player 2", "seconds=nan"]),
        (player("bot = 'random'", "seconds = '1'"), ["player 2", "seconds='1'", "number"]),
        ("games = 7\n" + TWO, ["games=7 is not a multiple of 2", "6 or 8"]),
        ("games = 1\n" + TWO, ["games=1 is not a multiple of 2", "so 2"]),
        ("games = 0\n" + TWO, ["games=0", "whole number from 1"]),
        ("games = '10'\n" + TWO, ["games='10'", "whole number from 1"]),
        ("games = true\n" + TWO, ["games=True", "whole number from 1"]),
        ("games = 10.0\n" + TWO, ["games=10.0", "whole number from 1"]),
        ("table = 11\n" + TWO, ["table=11", "2 to 10"]),
        ("table = 1\n" + TWO, ["table=1", "2 to 10"]),
        ("table = 4\ngames = 4\n" + TWO, ["2 players cannot fill a table of 4"]),
        ("format = 'knockout'\n" + TWO, ["unknown format", "'knockout'"]),
        ("format = 'swis'\n" + TWO, ["unknown format", "did you mean swiss"]),
        ("format = 7\n" + TWO, ["format=7", "it is a text"]),
        ("format = 'teams'\n" + TWO, ["format teams is for games played together"]),
        ("format = 'mixed'\n" + TWO, ["format mixed is for games played together"]),
        ("rounds = 2\n" + TWO, ["rounds go with the formats swiss and free-for-all"]),
        ("format = 'swiss'\nrounds = 0\n" + TWO, ["rounds=0", "1 to 1000"]),
        ("hero = 'three'\nformat = 'gauntlet'\n" + TWO, ["unknown hero", "'three'", "one", "two"]),
        ("hero = 'one'\n" + TWO, ["hero goes with the format gauntlet"]),
        ("game = 'chess'\n" + TWO, ["unknown game 'chess'", "hanabi", "uno"]),
        ("game = 3\n" + TWO, ["game=3", "it is a text"]),
        ("rules = 'clasic'\n" + TWO, ["unknown rules 'clasic'", "did you mean classic"]),
        ("rules = 'classic,hand_size=60'\n" + TWO, ["hand_size must be 1–20, got 60"]),
        ("rules = ['classic']\n" + TWO, ["rules=['classic']", "it is a text"]),
        ("title = 1\n" + TWO, ["title=1", "it is a text"]),
        ("to = 'many'\n" + TWO, ["to=many", "such as 500"]),
        ("to = 0\n" + TWO, ["to=0", "such as 500"]),
        ("faults = 0\n" + TWO, ["faults=0", "1 to 1000"]),
        ("seed = -1\n" + TWO, ["seed -1", "0 to 2^64 - 1"]),
        ("seed = 18446744073709551616\n" + TWO, ["seed 18446744073709551616", "0 to 2^64 - 1"]),
        ("seed = 'x'\n" + TWO, ["seed='x'", "0 to 2^64 - 1"]),
        ("seed = true\n" + TWO, ["seed=True", "0 to 2^64 - 1"]),
        ("limits = 3\n" + TWO, ["limits=3", "decision_seconds"]),
        ("limits = {memroy = 3}\n" + TWO, ["limits", "'memroy'", "did you mean memory"]),
        ("limits = {memory = 0}\n" + TWO, ["limits.memory=0", "above 0"]),
        ("limits = {decision_seconds = inf}\n" + TWO, ["limits.decision_seconds=inf", "above 0"]),
        ("limits = {open_files = 0.5}\n" + TWO, ["limits.open_files=0.5", "whole number"]),
        ("limits = {memory = '1'}\n" + TWO, ["limits.memory='1'", "above 0"]),
        ("this is not TOML", ["is not TOML", "line 1"]),
        ("games = 2\ngames = 4\n" + TWO, ["is not TOML"]),
    ],
)
def test_every_mistake_is_one_sentence(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refusal(written(tmp_path, text))
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("format = 'swiss'", ["format swiss needs a winner", "teams, mixed, round-robin and gauntlet"]),
        ("format = 'free-for-all'", ["format free-for-all needs a winner"]),
        ("table = 6", ["table=6", "2 to 5"]),
        ("to = 100", ["to=100", "no contests"]),
        ("format = 'mixed'\ntable = 3\ngames = 3", ["2 players cannot fill a table of 3"]),
    ],
)
def test_hanabi_has_mistakes_of_its_own(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refusal(written(tmp_path, f"game = 'hanabi'\n{text}\nplayers = [{{bot = 'iggi'}}, {{bot = 'piers'}}]"))
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("rules = 'classic,hand_size=12'\ntable = 10\ngames = 10", "need 121 cards"),
        ("game = 'hanabi'\nto = 100", "no contests"),
    ],
)
def test_what_the_game_cannot_have_is_found_before_outside_bots_play(tmp_path: Path, text: str, part: str) -> None:
    players = "".join(f"\n[[players]]\nname = '{place}'\ncommand = 'perl bot.pl'" for place in range(10))
    assert part in refusal(written(tmp_path, text + players))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "missing.toml")
    (tmp_path / "folder.toml").mkdir()
    assert "is a folder" in refusal(tmp_path / "folder.toml")
    (tmp_path / "latin.toml").write_bytes(b"title = 'caf\xe9'")
    assert "is not UTF-8" in refusal(tmp_path / "latin.toml")
    assert ".toml" in refusal(written(tmp_path, TWO, "cup.json"))


def test_too_many_players(tmp_path: Path) -> None:
    players = "".join(f"[[players]]\nname = '{place}'\nbot = 'random'\n" for place in range(MAX_PLAYERS + 1))
    assert f"{MAX_PLAYERS + 1} players are not accepted" in refusal(written(tmp_path, players))


def test_changes_of_the_command_line_are_checked_as_well(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    assert "games=3 is not a multiple of 2" in refusal(path, games=3)
    assert "unknown format" in refusal(path, format="ladder")
    assert "seed -1" in refusal(path, seed=-1)


# -- files of players --


def test_a_file_that_changed_or_went_is_refused(tmp_path: Path) -> None:
    bots = written(tmp_path, BOT, "bots.py")
    found = read_tournament(written(tmp_path, 'players = [{name = "a", file = "bots.py"}, {bot = "mix2"}]'))
    check_files(found)
    bots.write_text(BOT + "# better", encoding="utf-8")
    with pytest.raises(KibitzError, match=r"player a: its file .*bots\.py has changed"):
        check_files(found)
    bots.unlink()
    with pytest.raises(KibitzError, match=r"player a: its file .*bots\.py is gone"):
        check_files(found)


# -- the classroom's list --


def classroom(folder: Path, text: str = "Ann,ann\n\nBob the 2nd , bob\nCleo,cleo\n") -> Path:
    written(folder, CLASS.format(name="ann_UnoPlayer"), "ann.py")
    written(folder, CLASS.format(name="bob_UnoPlayer") + CLASS.format(name="cleo_UnoPlayer"), "others.py")
    written(folder, "// a bot", "ida.js")
    written(folder, "#!/bin/sh", "compiled").chmod(0o755)
    return written(folder, text, "players.txt")


def test_the_list_of_a_classroom(tmp_path: Path) -> None:
    found = read_tournament(classroom(tmp_path))
    assert [player.name for player in found.players] == ["Ann", "Bob the 2nd", "Cleo"]
    assert {player.kind for player in found.players} == {FILE}
    assert found.players[0].bot.startswith(str((tmp_path / "ann.py").resolve()))
    assert found.players[1].bot == f"{(tmp_path / 'others.py').resolve()}:bob_UnoPlayer"
    assert (found.game, found.rules, found.format, found.table) == ("uno", "davies", "free-for-all", 3)
    assert found.games % 3 == 0
    assert Tournament.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_line_of_the_list_is_a_prefix_a_file_or_any_command(tmp_path: Path) -> None:
    path = classroom(
        tmp_path,
        "# Autumn cup\nAnn,ann\n#Zoe,zoe\nBob, ann.py\nCleo,others.py:cleo_UnoPlayer\nDan, perl -w ../tools/x.PL 1,2\nEve, ./compiled\nFay,python3 -I fay.py\n",
    )
    written(tmp_path, CLASS.format(name="fay_UnoPlayer") + "import sys\nfor line in sys.stdin: ...\n", "fay.py")  # a program of its own
    players = read_tournament(path).players
    assert [player.kind for player in players] == [FILE, FILE, FILE, COMMAND, COMMAND, COMMAND]
    assert [player.bot for player in players[3:]] == ["perl -w ../tools/x.PL 1,2", "./compiled", "python3 -I fay.py"]
    assert players[0].bot == players[1].bot == f"{(tmp_path / 'ann.py').resolve()}:ann_UnoPlayer"
    assert players[2].bot == f"{(tmp_path / 'others.py').resolve()}:cleo_UnoPlayer"
    assert {player.folder for player in players} == {str(tmp_path.resolve())}


@pytest.mark.parametrize("text", ["class ann_UnoPlayer(:\n", "\xe9", "\0", "x = 1\n", "(" * 500])
def test_a_file_that_cannot_be_read_stays_on_the_list(tmp_path: Path, text: str) -> None:
    """It forfeits its games; the others play."""
    path = classroom(tmp_path)
    (tmp_path / "ann.py").write_bytes(text.encode("latin-1"))
    assert [player.name for player in read_tournament(path).players] == ["Ann", "Bob the 2nd", "Cleo"]


def test_the_list_can_be_played_otherwise(tmp_path: Path) -> None:
    found = read_tournament(classroom(tmp_path), format="swiss", rules="classic", games=10)
    assert (found.format, found.table, found.rules, found.games) == ("swiss", 2, "classic", 10)
    found = read_tournament(classroom(tmp_path), table=2)
    assert (found.format, found.table) == ("free-for-all", 2)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["names nobody", "Name,prefix"]),
        ("\n  \n", ["names nobody", "Name,prefix"]),
        ("Ann,ann\nBob\n", ["line 2", "'Bob'", "Name,prefix"]),
        ("Ann,ann\nBob, # later\n", ["line 2", "'Bob, # later'", "Name,prefix"]),
        ("Ann,ann\nBob,\n", ["line 2", "'Bob,'", "Name,prefix"]),
        (",ann\n", ["line 1", "Name,prefix"]),
        ("Ann,ann,fast\n", ["line 1", "'Ann,ann,fast'", "Name,prefix"]),
        ("Ann,ann\nDan,dan\n", ["line 2", "neither a file dan.py nor a class dan_UnoPlayer"]),
        ("Ann,../ann\n", ["line 1", "the command '../ann' could not be started: there is no file '../ann'"]),
        ("Ann,ann\nDan, dan.py\n", ["line 2", "there is no file dan.py beside the list"]),
        ("Ann,ann\nIda,ida.js\n", ["line 2", "ida.js is a program; name the command that runs it, such as 'node ida.js'"]),
        ("Ann,ann\nIda,node idda.js\n", ["line 2", "the command 'node idda.js' names idda.js, but there is no such file"]),
        ("Ann,ann\nIda,nodde ida.js\n", ["line 2", "there is no program 'nodde' in the search path"]),
        ("Ann,ann\nIda,node 'ida.js\n", ["line 2", "is not understood: No closing quotation"]),
        ("Ann,ann\nBob, python3 ann.py\n", ["line 2", "ann.py is a player with the methods play and call_color", "write 'ann.py' alone"]),
        ("Ann,ann\nBob,compiled\n", ["line 2", "compiled is a program", "write ./compiled"]),
        ("Ann,ann\nBob, Esq., bob\n", ["line 2", "there is no program 'Esq.,'"]),
        ("Ann,ann\nAnn,bob\n", ["two players are called Ann"]),
        ("Ann,ann\n", ["names only Ann; a tournament needs at least two players"]),
    ],
)
def test_mistakes_in_the_list(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refusal(classroom(tmp_path, text))
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("entry", "bot"),
    [
        ('sh -c "exec python3 gone.py"', 'sh -c "exec python3 gone.py"'),
        ("sh -c 'echo #1; exec python3 gone.py'  # two things", "sh -c 'echo #1; exec python3 gone.py'"),
        ("env lib.jar:gone.jar Bot", "env lib.jar:gone.jar Bot"),
        ("env -i sh /app/gone.sh", "env -i sh /app/gone.sh"),
        ("my bob.py", "my bob.py:bob_UnoPlayer"),
        ("ann.py  # the favourite", "ann.py:ann_UnoPlayer"),
        ("ann #the favourite, by far", "ann.py:ann_UnoPlayer"),
    ],
)
def test_what_a_line_may_say(tmp_path: Path, entry: str, bot: str) -> None:
    """Only what can't be meant is refused: words behind the program are its own affair, and comments are nobody's."""
    path = classroom(tmp_path, f"Ann #1,ann\n #Cleo,nowhere.py\n\t# nobody\nBob,{entry}\n")
    (tmp_path / "my bob.py").write_text("class bob_UnoPlayer:\n    def play(self): ...\n    def call_color(self): ...\n", encoding="utf-8")
    found = read_tournament(path).players
    assert [(player.name, player.bot.removeprefix(f"{tmp_path}/")) for player in found] == [
        ("Ann #1", "ann.py:ann_UnoPlayer"),
        ("Bob", bot),
    ]


def test_a_list_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "players.txt").write_bytes(b"Ren\xe9,rene\n")
    assert "is not UTF-8" in refusal(tmp_path / "players.txt")


def test_a_program_that_does_not_exist_is_found_before_anything_is_played(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('players = [{ bot = "mix2" }, { name = "Typo", command = "perll bot.pl" }]', encoding="utf-8")
    with pytest.raises(KibitzError, match="player Typo: it could not be started: there is no program 'perll' in the search path"):
        read_tournament(file)
