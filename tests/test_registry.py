"""Names become bots: built in, in files, and as Python objects."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.object_bot import ObjectBot
from kibitz.bots.parameters import Value
from kibitz.core.errors import BadBot, BadValue, KibitzError, UnknownName
from kibitz.games import plugins
from kibitz.games.uno.view import View

NAMES = ["random", "greedy", "diversity", "card_ranking", "mix", "mix2", "score", "card_counting"]
NAMES += ["first_playable", "offensive", "defensive", "better_offensive", "perceptron", "ashtabna", "linear", "net"]
NAMES += ["expectiminimax", "rollout", "champion", "cheater", "ismcts"]
WITH_PRESETS = ["card_ranking", "mix", "mix2", "score", "card_counting"]
PRESETS = {name: ["win_rate", "points"] for name in WITH_PRESETS}
PRESETS |= {"champion": ["strong", "fast"]}


def refusal(spec: Any, kind: type[KibitzError]) -> str:
    """What is said when a bot is refused."""
    with pytest.raises(kind) as refused:
        registry.entrant(spec)
    return str(refused.value)


# -- built-in bots --


@pytest.mark.parametrize("name", NAMES)
def test_every_built_in_bot_enters_by_its_name(name: str) -> None:
    entrant = registry.entrant(name)
    assert isinstance(entrant.bot, Bot)
    assert entrant.bot.name == name
    assert entrant.bot.game == "uno"
    assert entrant.is_compiled
    assert set(entrant.values) == {parameter.name for parameter in entrant.bot.parameters}


def test_all_names_are_the_bots_with_each_of_their_presets() -> None:
    expected = [full for name in NAMES for full in [f"{name}:{preset}" for preset in PRESETS.get(name, [])] or [name]]
    assert registry.all_names() == expected
    assert [registry.entrant(name).name for name in registry.all_names()] == registry.all_names()


def test_bots_that_search_or_cheat_must_be_named() -> None:
    left_out = ["expectiminimax", "rollout", "champion:strong", "champion:fast", "cheater", "ismcts"]
    assert registry.quick_names() == [name for name in registry.all_names() if name not in left_out]
    bots = ["random", "iggi", "piers", "outer", "van_den_bergh", "smart", "smart:original", "information", "information:best"]
    assert registry.quick_names("hanabi", 3) == bots


def test_bots_for_other_tables_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    picky = replace(registry.built_in_bot("random"), players=(3, 4))
    monkeypatch.setattr(registry, "all_names", lambda game: [picky])
    assert [players for players in range(2, 6) if registry.quick_names(players=players)] == [3, 4]


@pytest.mark.parametrize("name", WITH_PRESETS)
def test_win_rate_is_the_default_preset(name: str) -> None:
    assert registry.entrant(name).name == f"{name}:win_rate"
    assert registry.entrant(name).values == registry.entrant(f"{name}:win_rate").values
    assert registry.entrant(name).values != registry.entrant(f"{name}:points").values


@pytest.mark.parametrize(
    ("spec", "full"),
    [
        ("random", "random"),
        ("greedy", "greedy"),
        ("mix2", "mix2:win_rate"),
        ("mix2:points", "mix2:points"),
        ("greedy:wild_most_common=off", "greedy:wild_most_common=off"),
        ("greedy:wild_most_common=on", "greedy"),
        ("mix2:wild_colour_slack=3", "mix2:win_rate,wild_colour_slack=3"),
        ("mix2:wild_colour_slack=1", "mix2:win_rate"),
        ("mix2:points,wild_colour_slack=1", "mix2:points,wild_colour_slack=1"),
        ("mix2:wild_colour_slack=1,points", "mix2:points,wild_colour_slack=1"),
        ("mix2:end_game=off,wild_colour_slack=3,points", "mix2:points,wild_colour_slack=3,end_game=off"),
        ("card_ranking:ranks=1/2/3/4/5/6", "card_ranking:win_rate,ranks=1/2/3/4/5/6"),
        ("score:weights=0/0/0.5/0/-1/0", "score:win_rate,weights=0/0/0.5/0/-1/0"),
        ("defensive:wild_colour=random", "defensive:wild_colour=random"),
        ("defensive:wild_colour=common", "defensive"),
        ("ashtabna", "ashtabna"),
    ],
)
def test_full_names_say_preset_and_what_differs_from_it(spec: str, full: str) -> None:
    entrant = registry.entrant(spec)
    assert entrant.name == full
    again = registry.entrant(full)
    assert (again.name, again.bot, again.values) == (full, entrant.bot, entrant.values)


@pytest.mark.parametrize(
    ("spec", "parameter", "value"),
    [
        ("greedy:wild_most_common=off", "wild_most_common", False),
        ("mix:points,limits=0/1/2/3/4/-1", "limits", (0, 1, 2, 3, 4, -1)),
        ("mix:limits=0/1/2/3/4/-1,points", "ranks", (5, 3, 6, 4, 2, 1)),
        ("mix2:wild_colour_slack=0", "wild_colour_slack", 0),
        ("offensive:wild_colour=random", "wild_colour", "random"),
        ("score:weights=0.1/0.2/0.3/0.4/0.5/0.6", "weights", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    ],
)
def test_parameters_are_set_on_top_of_the_preset(spec: str, parameter: str, value: Value) -> None:
    assert registry.entrant(spec).values[parameter] == value


def test_a_full_name_loses_no_digits() -> None:
    entrant = registry.entrant("score:weights=-0.16812345/0/0/0/0/0.123456789")
    assert registry.entrant(entrant.name).values == entrant.values


def test_changing_a_parameter_does_not_touch_the_preset() -> None:
    registry.entrant("mix2:wild_colour_slack=5")
    assert registry.entrant("mix2").values["wild_colour_slack"] == 1


# -- names that are refused --


def test_an_unknown_bot_gets_the_nearest_names() -> None:
    assert refusal("mixx", UnknownName) == "unknown bot 'mixx'; did you mean mix or mix2?"
    assert "did you mean card_counting" in refusal("card_countin:points", UnknownName)


def test_an_unknown_bot_that_resembles_none_gets_all_names() -> None:
    said = refusal("zzz", UnknownName)
    assert all(name in said for name in NAMES)


def test_an_empty_name_is_an_unknown_bot() -> None:
    assert "unknown bot ''" in refusal("", UnknownName)


def test_an_unknown_preset_gets_the_nearest_names() -> None:
    said = refusal("mix2:point", UnknownName)
    assert "mix2" in said
    assert "'point'" in said
    assert "did you mean points" in said


def test_an_unknown_preset_that_resembles_none_gets_all_presets_and_parameters() -> None:
    said = refusal("score:zzz", UnknownName)
    assert all(word in said for word in ("points", "win_rate", "weights"))


def test_a_bot_without_presets_says_so() -> None:
    assert "random has no presets" in refusal("random:points", BadBot)
    assert "greedy has no presets" in refusal("greedy:points", BadBot)
    assert "defensive has no presets" in refusal("defensive:random", BadBot)


def test_two_presets_are_one_too_many() -> None:
    assert "names two presets, points and win_rate; one is accepted" in refusal("mix2:points,win_rate", BadBot)


def test_an_unknown_parameter_gets_the_nearest_names() -> None:
    said = refusal("mix2:wild_color_slack=2", UnknownName)
    assert "'wild_color_slack'" in said
    assert "did you mean wild_colour_slack" in said


def test_a_bot_without_parameters_says_so() -> None:
    assert "random has no parameters" in refusal("random:level=3", BadBot)
    assert "ashtabna has no parameters" in refusal("ashtabna:wild_colour=random", BadBot)


def test_a_parameter_without_a_value_is_refused_with_how_to_write_it() -> None:
    assert "wild_most_common=" in refusal("greedy:wild_most_common", UnknownName)
    assert "end_game=" in refusal("mix2:end_game", UnknownName)
    assert "wild_colour=" in refusal("defensive:wild_colour", UnknownName)


@pytest.mark.parametrize(
    "spec", ["mix2:wild_colour_slack=6", "mix:limits=-2/0/0/0/0/0", "card_ranking:ranks=0/1/2/3/4/5", "score:weights=2/0/0/0/0/0"]
)
def test_a_value_out_of_range_is_refused(spec: str) -> None:
    said = refusal(spec, BadValue)
    assert f"bot '{spec}'" in said
    assert " must be " in said


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mix:ranks=1/2/3", ["ranks has 3 values", "needs 6"]),
        ("score:weights=0", ["weights has 1 value", "needs 6"]),
        ("card_counting:weights=0/0/0/0/0/0", ["weights has 6 values", "needs 7"]),
        ("mix:ranks=1/2/3/4/5/x", ["ranks=1/2/3/4/5/x"]),
        ("mix2:wild_colour_slack=", ["wild_colour_slack="]),
        ("mix2:end_game=maybe", ["end_game=maybe", "on or off"]),
        ("defensive:wild_colour=blue", ["wild_colour=blue is not accepted", "wild_colour is common or random."]),
        ("defensive:wild_colour=1", ["wild_colour=1 is not accepted", "wild_colour is common or random."]),
        ("defensive:wild_colour=", ["wild_colour= is not accepted", "wild_colour is common or random."]),
        ("score:weights=nan/0/0/0/0/0", ["nan"]),
    ],
)
def test_a_value_of_the_wrong_length_or_type_is_refused(spec: str, words: list[str]) -> None:
    said = refusal(spec, BadValue)
    assert f"bot '{spec}'" in said
    assert all(word in said for word in words)


# -- bots that are handed over --


@kibitz.bot()
def decliner(view: View) -> int:
    """Draws and keeps."""
    return view.decline()


class Decliner:
    """Draws and keeps."""

    def choose(self, view: View) -> int:
        return view.decline()


def decline(view: View) -> int:
    """Draws and keeps."""
    return view.decline()


def test_an_entrant_stays_itself() -> None:
    entrant = registry.entrant("mix2:points")
    assert registry.entrant(entrant) is entrant


def test_a_compiled_bot_enters_as_it_is() -> None:
    entrant = registry.entrant(decliner)
    assert (entrant.name, entrant.bot, entrant.values) == ("decliner", decliner, {})
    assert entrant.is_compiled


@pytest.mark.parametrize(("thing", "name"), [(Decliner, "Decliner"), (decline, "decline"), (Decliner(), "Decliner")])
def test_a_class_a_function_or_an_object_enters_as_a_python_bot(thing: Any, name: str) -> None:
    entrant = registry.entrant(thing)
    assert entrant.name == name
    assert not entrant.is_compiled
    assert isinstance(entrant.bot, ObjectBot)
    assert entrant.bot.summary == "Draws and keeps."
    view = kibitz.Game(players=2, seed=1).view()
    assert entrant.bot.fresh().choose(view) == view.decline()


def test_every_game_gets_a_fresh_object() -> None:
    bot = registry.entrant(Decliner()).bot
    assert isinstance(bot, ObjectBot)
    assert bot.fresh() is not bot.fresh()


@pytest.mark.parametrize("thing", [5, None, ["mix2"], SimpleNamespace()])
def test_what_cannot_choose_is_not_a_bot(thing: Any) -> None:
    assert "is not a bot" in refusal(thing, BadBot)


def test_a_class_that_cannot_choose_is_not_a_bot() -> None:
    assert "no method choose" in refusal(int, BadBot)


# -- bots in files --

COMPILED = """
import kibitz
from kibitz.bots.parameters import WHOLE

LEVEL = kibitz.Parameter("level", WHOLE, "a level", 0, 9)


@kibitz.bot(parameters=(LEVEL,), presets={"low": {"level": 1}, "high": {"level": 8}})
def leveller(view, params):
    return view.play(view.pick(view.playable()), params.level & 3)
"""
CLASS = """
class Decliner:
    def choose(self, view):
        return view.decline()
"""
FUNCTION = """
def decline(view):
    return view.decline()
"""


def write(folder: Path, text: str, name: str = "bots.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_compiled_bot_in_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, COMPILED)
    entrant = registry.entrant(f"{path}:leveller")
    assert entrant.name == f"{path}:leveller:low"
    assert entrant.is_compiled
    assert entrant.values == {"level": 1}


@pytest.mark.parametrize(
    ("items", "shown", "level"),
    [("high", "high", 8), ("level=5", "low,level=5", 5), ("high,level=0", "high,level=0", 0), ("level=8,high", "high", 8)],
)
def test_a_compiled_bot_in_a_file_takes_presets_and_parameters(tmp_path: Path, items: str, shown: str, level: int) -> None:
    path = write(tmp_path, COMPILED)
    entrant = registry.entrant(f"{path}:leveller:{items}")
    assert entrant.name == f"{path}:leveller:{shown}"
    assert entrant.values == {"level": level}
    assert registry.entrant(entrant.name).values == {"level": level}


def test_presets_and_parameters_of_a_file_are_checked(tmp_path: Path) -> None:
    path = write(tmp_path, COMPILED)
    assert "did you mean high" in refusal(f"{path}:leveller:hihg", UnknownName)
    assert "did you mean level" in refusal(f"{path}:leveller:levl=3", UnknownName)
    assert "level must be 0–9, got 10" in refusal(f"{path}:leveller:level=10", BadValue)


@pytest.mark.parametrize(("text", "name"), [(CLASS, "Decliner"), (FUNCTION, "decline"), (CLASS + "\nready = Decliner()\n", "ready")])
def test_a_class_a_function_or_an_object_in_a_file(tmp_path: Path, text: str, name: str) -> None:
    path = write(tmp_path, text)
    entrant = registry.entrant(f"{path}:{name}")
    assert entrant.name == f"{path}:{name}"
    assert not entrant.is_compiled
    assert isinstance(entrant.bot, ObjectBot)
    view = kibitz.Game(players=2, seed=1).view()
    assert entrant.bot.fresh().choose(view) == view.decline()


@pytest.mark.parametrize(("text", "name"), [(CLASS, "Decliner"), (COMPILED, "leveller:low")])
def test_the_only_bot_of_a_file_needs_no_name(tmp_path: Path, text: str, name: str) -> None:
    path = write(tmp_path, text)
    assert registry.entrant(str(path)).name == f"{path}:{name}"


def test_helpers_private_names_and_imports_are_not_bots_of_a_file(tmp_path: Path) -> None:
    write(tmp_path, CLASS, "elsewhere.py")
    text = f"from elsewhere import Decliner as Base\n{FUNCTION}\nclass _Hidden(Base): pass\nclass Mine(Base): pass\n"
    path = write(tmp_path, text)
    assert registry.entrant(str(path)).name == f"{path}:Mine"


def test_a_compiled_bot_that_a_file_imports_is_not_a_bot_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, f"from kibitz.bots.uno.mix2 import mix2\n{COMPILED}")
    assert registry.entrant(str(path)).name == f"{path}:leveller:low"


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, "ANSWER = 68\n", "neighbour_of_a_bot.py")
    path = write(tmp_path, "from neighbour_of_a_bot import ANSWER\n\n\ndef draws(view):\n    return ANSWER\n")
    before = list(sys.path)
    bot = registry.entrant(f"{path}:draws").bot
    assert isinstance(bot, ObjectBot)
    assert bot.fresh().choose(None) == 68
    assert sys.path == before


def test_a_relative_path_is_kept_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, CLASS, "folder/bots.py")
    monkeypatch.chdir(tmp_path)
    assert registry.entrant("folder/bots.py:Decliner").name == "folder/bots.py:Decliner"


def test_a_folder_may_have_py_in_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, CLASS, ".pyenv/bots.py")
    assert registry.entrant(f"{path}:Decliner").name == f"{path}:Decliner"
    assert registry.entrant(str(path)).name == f"{path}:Decliner"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "absent.py"
    assert refusal(f"{path}:Decliner", BadBot) == f"bot file {path} does not exist."
    assert str(tmp_path / "folder.py") in refusal(f"{tmp_path / 'folder.py'}", BadBot)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    assert "is a folder" in refusal(f"{tmp_path / 'folder.py'}:Decliner", BadBot)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module_anywhere\n", ["ModuleNotFoundError", "no_such_module_anywhere"]),
        ("x = 1\ndef choose(view)\n    return 68\n", ["SyntaxError", "line 2"]),
        ("raise ValueError('not today')\n", ["ValueError", "not today"]),
        ("import sys\nsys.exit(3)\n", ["SystemExit"]),
    ],
)
def test_a_file_that_does_not_import_says_why(tmp_path: Path, text: str, words: list[str]) -> None:
    path = write(tmp_path, text)
    before = list(sys.path)
    said = refusal(f"{path}:Decliner", BadBot)
    assert f"bot file {path} does not import" in said
    assert all(word in said for word in words)
    assert sys.path == before


def test_a_file_that_was_mended_imports(tmp_path: Path) -> None:
    path = write(tmp_path, "raise ValueError('not today')\n")
    assert "not today" in refusal(str(path), BadBot)
    write(tmp_path, CLASS)
    assert registry.entrant(str(path)).name == f"{path}:Decliner"


def test_a_bad_declaration_in_a_file_is_told_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "import kibitz\n\n\n@kibitz.bot\ndef mine(view, hand):\n    return hand\n")
    assert "choose takes 'hand'" in refusal(f"{path}:mine", BadBot)


@pytest.mark.parametrize("text", ["", "ANSWER = 68\n", FUNCTION, "class Nothing:\n    pass\n"])
def test_a_file_without_a_bot_says_so(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    said = refusal(str(path), BadBot)
    assert str(path) in said
    assert (
        "defines no bot: a bot is a function with @kibitz.bot above it, or a class with choose(view), or with play and call_color." in said
    )


def test_a_file_with_several_bots_asks_which(tmp_path: Path) -> None:
    path = write(tmp_path, COMPILED + CLASS)
    said = refusal(str(path), BadBot)
    assert "leveller, Decliner" in said
    assert f"{path}:leveller" in said


def test_a_name_that_a_file_does_not_have_gets_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, COMPILED + CLASS)
    said = refusal(f"{path}:levler", UnknownName)
    assert str(path) in said
    assert "did you mean leveller" in said
    assert "the file defines no bot" in refusal(f"{write(tmp_path, 'x = 1', 'empty.py')}:Decliner", UnknownName)


@pytest.mark.parametrize(("text", "name"), [("ANSWER = 68\n", "ANSWER"), ("class Nothing:\n    pass\n", "Nothing"), ("import os\n", "os")])
def test_a_name_in_a_file_that_is_no_bot_is_refused(tmp_path: Path, text: str, name: str) -> None:
    path = write(tmp_path, text)
    said = refusal(f"{path}:{name}", BadBot)
    assert name in said
    assert "choose" in said


@pytest.mark.parametrize("items", ["points", "level=3"])
def test_a_python_bot_in_a_file_takes_no_presets_or_parameters(tmp_path: Path, items: str) -> None:
    path = write(tmp_path, CLASS)
    assert "takes no presets or parameters" in refusal(f"{path}:Decliner:{items}", BadBot)


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    path = write(tmp_path, COMPILED)
    assert registry.entrant(f"{path}:leveller").bot is registry.entrant(f"{path}:leveller:high").bot


def test_an_edited_file_is_loaded_anew_even_within_the_same_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    answers = []
    for answer in (68, 69):
        path = write(tmp_path, f"def answers(view):\n    return {answer}\n")
        os.utime(path, (1_000_000_000, 1_000_000_000))
        bot = registry.entrant(f"{path}:answers").bot
        assert isinstance(bot, ObjectBot)
        answers.append(bot.fresh().choose(None))
    assert answers == [68, 69]


# -- games --


def test_the_game_is_found_by_name() -> None:
    assert registry.game("uno").name == "uno"
    with pytest.raises(UnknownName, match="unknown game 'umo'; did you mean uno"):
        registry.game("umo")


# -- the game that bots play --


class Undeclared:
    def choose(self, view: Any) -> int:
        return 0


class Declared(Undeclared):
    game = "hanabi"


@kibitz.bot(game="hanabi")
def for_hanabi(view: Any) -> int:
    """Does nothing that counts here."""
    return 0


@pytest.mark.parametrize(
    ("bots", "game"),
    [
        ([], "uno"),
        (["random", "cheater"], "uno"),
        (["random", "iggi"], "hanabi"),
        (["iggi", "cheater"], "hanabi"),
        (["meanimax:plus", "random"], "hanabi"),
        (["mix2:points", "random"], "uno"),
        (["examples/hanabi_bot.py:careful", "random"], "hanabi"),
        (["examples/compiled_bot.py"], "uno"),
        ([Undeclared], "uno"),
        ([Undeclared, "iggi"], "hanabi"),
        ([Declared(), "random"], "hanabi"),
        ([for_hanabi], "hanabi"),
        ([registry.entrant("iggi", "hanabi")], "hanabi"),
        (["igi"], "hanabi"),  # refused later, with the names of the game that was probably meant
    ],
)
def test_the_game_follows_from_the_bots(bots: list[Any], game: str) -> None:
    assert registry.game_of(bots) == game
    assert registry.game_of(bots, "uno") == "uno"  # what is asked for counts


def test_the_default_is_for_bots_that_leave_the_game_open() -> None:
    assert registry.game_of(["random"], default="hanabi") == "hanabi"
    assert registry.game_of(["mix2"], default="hanabi") == "uno"


@pytest.mark.parametrize(
    ("bots", "sentence"),
    [
        (["random", "mix2", "iggi"], "bots 'mix2' (uno) and 'iggi' (hanabi) play different games; name bots of one game."),
        (["iggi", "score"], "bots 'iggi' (hanabi) and 'score' (uno) play different games; name bots of one game."),
        (["mix2", Declared], "bots 'mix2' (uno) and 'Declared' (hanabi) play different games; name bots of one game."),
        ([for_hanabi, "mix2"], "bots 'for_hanabi' (hanabi) and 'mix2' (uno) play different games; name bots of one game."),
    ],
)
def test_bots_of_two_games_are_refused(bots: list[Any], sentence: str) -> None:
    with pytest.raises(BadBot) as refused:
        registry.game_of(bots)
    assert str(refused.value) == sentence


def test_a_game_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown game 'go'"):
        registry.game_of(["mix2"], "go")
    with pytest.raises(UnknownName, match="unknown game 'go'"):
        registry.game_of([type("Odd", (Undeclared,), {"game": "go"})])


def test_a_declared_game_contradicts_another() -> None:
    with pytest.raises(BadValue, match=r"bot Declared plays hanabi, not uno\."):
        kibitz.match([Declared, "random"], games=2, game="uno")


@pytest.mark.parametrize(
    ("source", "spec", "game"),
    [
        ("@kibitz.bot\ndef a(view): ...", "", "uno"),
        ("@bot(game='hanabi')\ndef a(view): ...", ":a", "hanabi"),
        ("@bot(game=NAME)\ndef a(view): ...", "", None),
        ("@bot(game='hanabi')\ndef a(view): ...\n@bot\ndef b(view): ...", "", None),
        ("@bot(game='hanabi')\ndef a(view): ...\n@bot\ndef b(view): ...", ":b:alarm=3", "uno"),
        ("@cache\ndef helper(): ...\nclass _Part: ...\nclass A:\n    game = 'hanabi'", "", "hanabi"),
        ("class A: ...", ":A", None),
        ("def (", "", None),
    ],
)
def test_the_game_of_a_file_is_read_without_running_it(tmp_path: Path, source: str, spec: str, game: str | None) -> None:
    (tmp_path / "bots.py").write_text(f"{source}\n")
    assert registry.game_in_file(f"{tmp_path / 'bots.py'}{spec}") == game


def test_every_function_takes_the_game_from_the_bots() -> None:
    team = ["iggi", "random"]
    assert kibitz.match(team, games=5).rows == kibitz.match(team, games=5, game="hanabi").rows
    assert kibitz.evaluate("iggi", games=5).rows == kibitz.evaluate("iggi", games=5, game="hanabi").rows
    assert kibitz.evaluate(games=1, against="mix2").game == "uno"
    assert kibitz.compare("iggi", "piers", games=5).game == "hanabi"
    assert kibitz.compare("random", "random", others=["iggi"], games=5).game == "hanabi"
    assert kibitz.play(team).actions == kibitz.play(team, game="hanabi").actions
    assert kibitz.Adviser("iggi").definition.name == "hanabi"
    with pytest.raises(BadValue, match="Hanabi has no contests"):
        kibitz.play_contest(team)


def parts_of(name: str) -> dict[str, str]:
    """The parts of a game's face that are named by where they are."""
    face = registry.game(name).face
    found = {field.name: getattr(face, field.name) for field in fields(face)}
    return {part: where for part, where in found.items() if isinstance(where, str) and where.startswith("kibitz.")}


@pytest.mark.parametrize("name", list(registry.BUILT_IN))
def test_every_part_of_a_face_is_where_it_is_said_to_be(name: str) -> None:
    found = parts_of(name)
    assert len(found) > 5
    for part in found:
        assert registry.game(name).face.load(part) is not None


def test_games_are_declared_as_other_packages_declare_theirs() -> None:
    with (Path(__file__).parents[1] / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["project"]["entry-points"][plugins.GROUP]
    assert {name: f"kibitz.games.{name}.definition:GAME" for name in registry.BUILT_IN} == declared


def test_a_game_that_cannot_be_loaded_spoils_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    plugins.declare_game("broken", "kibitz_that_is_not_there:GAME")
    try:
        assert tuple(registry.BUILT_IN) == ("uno", "hanabi")
        assert "game 'broken' can't be loaded: ModuleNotFoundError" in capsys.readouterr().err
        with pytest.raises(BadValue, match="game 'broken' can't be loaded"):
            registry.game("broken")
    finally:
        plugins._declared.clear()
        plugins.forget_games()
