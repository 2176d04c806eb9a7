"""The command line as a user types it: figures, JSON, and one clear sentence for every mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz
from kibitz import registry
from kibitz.report.published import FIGURES
from tests.commands import check_refused, kibitz_command


def test_evaluate_prints_figures_beside_the_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "evaluate", "mix2", "greedy", "--games", "500")
    assert code == 0
    assert "mix2:win_rate" in out
    assert "68.8" in out
    assert "±" in out


def test_evaluate_writes_the_documented_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    code, _, _ = kibitz_command(capsys, "evaluate", "mix2:points", "--games", "300", "--players", "6", "--seed", "5", "--json", str(file))
    assert code == 0
    value = json.loads(file.read_text())
    again = kibitz.evaluate("mix2:points", games=300, players=6, seed=5).to_dict()
    assert value["rows"] == again["rows"]
    assert value["rows"][0]["bot"] == "mix2:points"
    assert value["version"] == kibitz.__version__


def test_the_published_tables_have_a_row_for_each_published_figure(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "evaluate", "--published", "--games", "2", "--json", "-")
    assert code == 0
    tables = {table["players"]: [row["bot"] for row in table["rows"]] for table in json.loads(out)["tables"]}
    assert tables == {players: list(figures) for players, figures in FIGURES.items()}
    _, out, err = kibitz_command(capsys, "evaluate", "--games", "2", "--json", "-")
    assert [row["bot"] for row in json.loads(out)["rows"]] == registry.quick_names()
    assert "rollout, champion:strong, champion:fast, cheater, ismcts; name them to play them" in err


def test_match_json_on_standard_output_is_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "match", "random", "mix2", "random", "--games", "200", "--seating", "fixed", "--json", "-")
    assert code == 0
    value = json.loads(out)
    assert [row["bot"] for row in value["rows"]] == ["random", "mix2:win_rate", "random"]
    assert (value["command"], value["seating"], value["against"]) == ("match", "fixed", None)


def test_plain_python_gives_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "mix2", "score", "card_counting", "--games", "60", "--json", "-"]
    compiled = json.loads(kibitz_command(capsys, *words)[1])["rows"]
    plain = json.loads(kibitz_command(capsys, *words, "--no-jit")[1])["rows"]
    assert compiled == plain


def test_watch_shows_the_game_the_batch_played(capsys: pytest.CaptureFixture[str]) -> None:
    wins = 0
    for index in range(5):
        code, out, _ = kibitz_command(capsys, "watch", "mix2", "random", "--seed", "8", "--index", str(index), "--json", "-")
        assert code == 0
        value = json.loads(out)
        wins += value["seats"][value["winner"]] == "mix2:win_rate"
    assert kibitz.match(["mix2", "random"], games=5, seed=8)[0].wins == wins
    _, text, _ = kibitz_command(capsys, "watch", "mix2", "random", "--seed", "8")
    assert "on the table" in text
    assert "\x1b[" not in text


@pytest.mark.parametrize(
    "words",
    [["bots"], ["bots", "mix2"], ["bots", "random"], ["bots", "defensive"], ["rules"], ["rules", "classic,hand_size=5"], ["--version"], []],
)
def test_what_there_is_can_be_listed(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    code, out, err = kibitz_command(capsys, *words)
    assert (code, err) == (0, "")
    assert out.strip()


def test_bots_describes_parameters_types_ranges_and_presets(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = kibitz_command(capsys, "bots", "mix2", "--json", "-")
    value = json.loads(out)
    slack = next(parameter for parameter in value["parameters"] if parameter["name"] == "wild_colour_slack")
    assert (slack["type"], slack["low"], slack["high"]) == ("whole number", 0, 5)
    assert value["presets"]["points"]["wild_colour_slack"] == 2


def test_bots_describes_a_choice_by_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    value = json.loads(kibitz_command(capsys, "bots", "defensive", "--json", "-")[1])
    assert [(each["name"], each["type"], each["choices"]) for each in value["parameters"]] == [
        ("wild_colour", "choice", ["common", "random"])
    ]
    assert value["presets"] == {"default": {"wild_colour": "common"}}
    assert "common or random" in kibitz_command(capsys, "bots", "defensive")[1]


def test_doctor_finds_this_installation_well(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "doctor", "--json", "-")
    value = json.loads(out)
    assert code == 0
    assert value["ok"]
    assert {"Python", "numba", "compile cache", "compiled games"} <= {finding["what"] for finding in value["findings"]}
    assert {"Store", "Compile cache", "Outside bots", "Bot files", "kibitz table"} <= {fact["what"] for fact in value["open"]}


def test_doctor_says_in_one_screen_what_is_open_to_whom(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.report.health.examine", lambda: [])
    monkeypatch.setenv("KIBITZ_STORE", str(tmp_path / "kibitz.db"))
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    screens = []
    for mode in (None, 0o600, 0o644):
        if mode is not None:
            (tmp_path / "kibitz.db").touch()
            (tmp_path / "kibitz.db").chmod(mode)
        (tmp_path / "cache").chmod(0o777 if mode == 0o644 else 0o700)
        screens.append(kibitz_command(capsys, "doctor")[1].partition("What is open to whom")[2])
    new, closed, open_to_others = (" ".join(screen.split()) for screen in screens)
    assert max(screen.count("\n") for screen in screens) <= 24
    assert "not there yet; only you will" in new and "only you can read it" in closed and "only you can write to it" in closed
    assert "(mode 644)" in open_to_others and "not used: other users can write to" in open_to_others
    assert "reachable only from this machine" in closed and "without a password" in closed


def test_bench_measures_and_compares(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    limit = tmp_path / "limit"
    limit.write_text("#!/bin/sh\necho '2p RvR         1.000 Mgames/s'\necho '6p all R       0.500 Mgames/s'\n")
    limit.chmod(0o755)
    code, out, _ = kibitz_command(capsys, "bench", "--games", "500", "--repeats", "1", "--no-start", "--limit", str(limit), "--json", "-")
    assert code == 0
    rows = {(row["line_up"], row["threads"]): row for row in json.loads(out)["rates"]}
    first = rows["random v random", 1]
    assert first["ratio_to_limit"] == pytest.approx(first["games_per_second"] / 1e6)
    assert rows["Python object v random", 1]["games_per_second"] > 0
    code, text, _ = kibitz_command(capsys, "bench", "--games", "200", "--repeats", "1", "--no-start")
    assert code == 0
    assert "mix2 v random is" in text


BAD: list[tuple[list[str], str]] = [
    (["match", "mixx", "random"], "unknown bot 'mixx'; did you mean mix or mix2?"),
    (["match", "mix2:pionts", "random"], "'pionts'; did you mean points?"),
    (["match", "mix2:rank=1", "random"], "'rank'; did you mean ranks?"),
    (["match", "mix2:ranks=1/2", "random"], "ranks has 2 values; it needs 6"),
    (["match", "mix2:ranks=1/2/3/4/5/9", "random"], "ranks must be 1–6, got 9"),
    (["match", "mix2:end_game=maybe", "random"], "end_game is on or off"),
    (["match", "defensive:wild_colour=blue", "random"], "wild_colour=blue is not accepted; wild_colour is common or random"),
    (["match", "random:points", "random"], "random has no presets"),
    (["match", "random"], "a line-up of 1 bot is not accepted; it has 2 to 10"),
    (["match", *["random"] * 11], "a line-up of 11 bots"),
    (["match", "random", "random", "--rules", "clasic"], "unknown rules 'clasic'; did you mean classic?"),
    (["match", "random", "random", "--rules", "classic,hand_size=99"], "hand_size must be 1–20, got 99"),
    (["match", "random", "random", "--games", "0"], "at least 1 game"),
    (["match", "random", "random", "--games", "many"], "--games"),
    (["match", "random", "random", "--seating", "left"], "it is random, fixed, rotate or balanced"),
    (["match", "random", "random", "--threads", "0"], "1 to 1024"),
    (["match", "random", "random", "--seed", "-1"], "a seed is a whole number"),
    (["match", "random", "random", "--seed", str(2**64)], "a seed is a whole number"),
    (["match", "random", "random", "--json", "/nowhere/at/all.json"], "/nowhere/at/all.json cannot be written"),
    (["match", "random", "random", "--json", "."], "is a folder"),
    (["match", "gone.py:Bot", "random"], "gone.py does not exist"),
    (["evaluate", "--players", "1"], "players=1 is out of range: 2 to 10"),
    (["evaluate", "--players", "11"], "players=11 is out of range: 2 to 10"),
    (["evaluate", "--write", "README.md"], "--write goes with --published"),
    (["watch", "mix2", "mix2", "--index", "-1"], "games are counted from 0"),
    (["bots", "nobody"], "unknown bot 'nobody'"),
    (["rules", "nothing"], "unknown rules 'nothing'"),
    (["bench", "--limit", "/nowhere"], "--limit /nowhere could not be run"),
    (["fly"], "fly"),
    (["evaluate", "iggi", "--game", "hanabbi"], "unknown game 'hanabbi'; did you mean hanabi?"),
    (["evaluate", "igi", "--game", "hanabi"], "unknown bot 'igi'; did you mean iggi?"),
    (["evaluate", "iggi", "--game", "hanabi", "--players", "6"], "players=6 is out of range: 2 to 5 can play."),
    (["evaluate", "iggi", "--game", "hanabi", "--against", "piers"], "nobody plays against another"),
    (["evaluate", "iggi", "--game", "hanabi", "--rules", "classic"], "unknown rules of Hanabi 'classic'"),
    (["evaluate", "iggi", "--game", "hanabi", "--rules", "standard,lives=9"], "lives must be 1–3, got 9."),
    (["evaluate", "iggi", "--game", "hanabi", "--to", "500"], "Hanabi has no contests"),
    (["match", "mix2", "iggi", "--game", "hanabi"], "bot 'mix2' plays uno, not hanabi."),
    (["evaluate", "iggi", "--game", "uno"], "bot 'iggi' plays hanabi, not uno."),
    (["evaluate", "igi"], "unknown bot 'igi'; did you mean iggi?"),
    (["evaluate", "iggi", "--against", "random"], "in Hanabi nobody plays against another"),
    (["match", "random", "mix2", "iggi"], "bots 'mix2' (uno) and 'iggi' (hanabi) play different games; name bots of one game."),
    (["compare", "mix2", "greedy", "--with", "piers"], "bots 'mix2' (uno) and 'piers' (hanabi) play different games"),
    (["evaluate", "examples/hanabi_bot.py", "--against", "mix2"], "bots 'examples/hanabi_bot.py' (hanabi) and 'mix2' (uno)"),
    (["tune", "meanimax", "--against", "mix2"], "bots 'meanimax' (hanabi) and 'mix2' (uno) play different games"),
    (["compare", "mix2", "nobody"], "unknown"),
    (["compare", "mix2", "random", "--for", "score"], "measure 'score' is not accepted; in UNO it is wins or points."),
    (["compare", "mix2", "random", "--h0", "1"], "h0 and h1 together"),
    (["compare", "mix2", "random", "--games", "10", "--margin", "1"], "for the sequential test"),
    (["compare", "mix2", "random", "--alpha", "2"], "alpha=2.0 is out of range"),
    (["compare", "mix2"], "Missing argument"),
    (["evaluate", "--published", "--to", "500"], "--published is about single games"),
    (["evaluate", "--published", "--rules", "official"], "--published is about single games"),
]
BAD_RULES = [
    ("classic,stakcing=same", "'stakcing'; did you mean stacking?"),
    ("classic,stacking=progresive", "'progresive'; did you mean progressive?"),
    ("classic,draw=until_playable,drawn_card=may_not_play", "draw=until_playable and drawn_card=may_not_play contradict each other"),
    ("classic,opening=redraw_wilds,deck=wild*5", "opening=redraw_wilds and deck=wild*5 contradict each other"),
    ("nowhere.toml", "rules file nowhere.toml does not exist"),
    ("oficial", "unknown rules 'oficial'; did you mean official?"),
    ("stacking=same", "classic,stacking=same"),
]
for command in (["match", "mix2", "random"], ["watch", "mix2", "random"], ["evaluate", "mix2"], ["rules"]):
    by = ["--rules"] if len(command) > 1 else []
    BAD += [([*command, *by, rules], sentence) for rules, sentence in BAD_RULES]
    said = "is not accepted; it is a number of points from 1 to 1000000, such as 500, or 500+ for more than that.\n"
    BAD += [([*command, "--to", to], f"kibitz: to={to} {said}") for to in ("0", "-5", "abc", "500++", "1000001", "5.5") if by]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[" ".join(words)[:40] for words, _ in BAD])
def test_a_mistake_gets_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    check_refused(kibitz_command(capsys, *words), sentence)


FILE_BOTS = {
    "raises": (
        "import kibitz\n@kibitz.bot\ndef it(view):\n    if view.turn > 3:\n        raise ValueError('lost')\n    return view.decline()\n",
        "raised ValueError: lost",
    ),
    "illegal": ("import kibitz\n@kibitz.bot\ndef it(view):\n    return 69\n", "answered 69 (keep), which is not legal there"),
    "float": (
        "import kibitz\n@kibitz.bot\ndef it(view):\n    return 1.5\n",
        "but this returns a float (mine.py, line 4: return 1.5).",
    ),
    "typo": (
        "import kibitz\n@kibitz.bot\ndef it(view):\n    return view.declin()\n",
        "view.declin doesn't exist; did you mean view.decline?",
    ),
    "writes": (
        "import kibitz\n@kibitz.bot\ndef it(view):\n    view.hand0 = 0\n    return 68\n",
        "this assigns to the view, which is read-only (mine.py, line 4: view.hand0 = 0).",
    ),
    "peeks": ("import kibitz\n@kibitz.bot\ndef it(view):\n    return view.discard[2000]\n", "raised IndexError"),
    "python none": ("class it:\n    def choose(self, view):\n        return None\n", "answered None, which is not an action number"),
    "python raises": ("class it:\n    def choose(self, view):\n        return 1 // 0\n", "raised ZeroDivisionError"),
    "no import": ("import nowhere_to_be_found\n", "does not import: ModuleNotFoundError"),
    "syntax": ("def it(:\n", "does not import: SyntaxError"),
    "no bot": ("x = 1\n", "unknown bot in"),
    "no choose": ("class it:\n    pass\n", "no method choose"),
}


@pytest.mark.parametrize("kind", list(FILE_BOTS))
def test_a_faulty_bot_file_gets_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str) -> None:
    source, sentence = FILE_BOTS[kind]
    file = tmp_path / "mine.py"
    file.write_text(source)
    code, _, err = kibitz_command(capsys, "match", f"{file}:it", "random", "--games", "50", "--threads", "1")
    last = err.strip().splitlines()[-1]
    assert code == 2
    assert sentence in last
    assert "Traceback" not in err


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = kibitz_command(capsys, "match", "mixx", "random", "--debug")
    assert code == 2
    assert "Traceback" in err


def test_results_are_written_between_the_markers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from kibitz.report.formatting import BEGIN_MARK, END_MARK

    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN_MARK}\nold\n{END_MARK}\nafter\n")
    code, _, _ = kibitz_command(capsys, "evaluate", "random", "greedy", "--published", "--games", "200", "--write", str(readme))
    text = readme.read_text()
    assert code == 0
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert text.count("| greedy |") == 2
    assert "seed 1" in text


def test_rows_of_a_team_replace_those_of_the_same_bots(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from kibitz.report.formatting import marks_for

    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *marks_for("Hanabi"), "after\n"]))
    table = ("--game", "hanabi", "--published", "--write", str(page))
    assert kibitz_command(capsys, "evaluate", "cheater", "iggi", *table, "--games", "20")[0] == 0
    first = page.read_text()
    assert kibitz_command(capsys, "evaluate", "iggi", "meanimax", *table, "--games", "2", "--seed", "3")[0] == 0
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    rows = [line for line in lines if line.startswith("| `")]
    assert [row.split("|")[1].strip() for row in rows] == ["`iggi`", "`meanimax`", "`cheater` (sees all hands)"]
    assert [row.split("|")[2].strip() for row in rows] == ["2, seed 3", "2, seed 3", "20"]
    assert rows[0].count("±") == 4
    assert rows[0].split("|")[4].strip() == "17.0"
    assert rows[1].count("±") == 1
    assert rows[1].count("–") == 3
    assert rows[2] in first


INTERRUPTING = """
import os, signal
from kibitz.cli import main
from kibitz.report import progress

def advance(self, name, games):  # the progress bar hears of the first finished unit: that is when Ctrl-C comes
    os.kill(os.getpid(), signal.SIGINT)

progress.Bar.advance = advance
main.run()
"""


@pytest.mark.parametrize("command", [["match", "mix2", "random"], ["evaluate", "mix2", "greedy"]])
def test_an_interrupted_run_prints_what_is_done_and_exits_130(command: list[str], tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = [sys.executable, "-c", INTERRUPTING, *command, "--games", "2000000000", "--json", str(figures)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 130, done.stderr
    assert "INCOMPLETE" in done.stdout
    assert "mix2:win_rate" in done.stdout
    assert "Traceback" not in done.stderr
    value = json.loads(figures.read_text())
    assert value["complete"] is False
    assert 0 < value["rows"][0]["games"] < 2_000_000_000
