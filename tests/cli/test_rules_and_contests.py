"""House rules and contests on the command line: figures, transcripts, and one clear sentence for every mistake."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kibitz
from kibitz.games.uno.rules import PRESETS, SUMMARIES, SWITCHES
from tests.commands import kibitz_command

Capture = pytest.CaptureFixture[str]


# -- rules --


def test_rules_lists_presets_and_switches_with_their_values(capsys: Capture) -> None:
    _, out, _ = kibitz_command(capsys, "rules")
    for preset in PRESETS:
        assert preset in out
    for name, switch in SWITCHES.items():
        assert name in out
        for value in switch.values:
            assert value in out
    value = json.loads(kibitz_command(capsys, "rules", "--json", "-")[1])
    assert [entry["name"] for entry in value] == list(PRESETS)
    assert [entry["summary"] for entry in value] == list(SUMMARIES.values())


@pytest.mark.parametrize("preset", list(PRESETS))
def test_rules_describes_every_switch_of_a_preset(capsys: Capture, preset: str) -> None:
    value = json.loads(kibitz_command(capsys, "rules", preset, "--json", "-")[1])
    assert value["name"] == preset
    assert set(value["switches"]) == set(SWITCHES)
    text = kibitz_command(capsys, "rules", preset)[1]
    for sentence in value["text"]:
        assert sentence in text
    for switch, setting in value["switches"].items():
        assert re.search(rf"{switch}\b.*\b{re.escape(setting)}\b", text)


def test_rules_of_a_file_are_described_with_what_is_changed(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('preset = "official"\nstacking = "progressive"\njump_in = true\n')
    value = json.loads(kibitz_command(capsys, "rules", f"{file},hand_size=5", "--json", "-")[1])
    assert value["name"] == "official,hand_size=5,stacking=progressive,jump_in=on"
    assert (value["switches"]["hand_size"], value["switches"]["jump_in"]) == ("5", "on")


def test_matches_are_played_under_the_rules_of_a_file(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('preset = "modern"\nseven_zero = "on"\n')
    words = ["match", "mix2", "random", "--games", "60", "--json", "-", "--rules"]
    first = json.loads(kibitz_command(capsys, *words, f"{file},hand_size=5")[1])
    second = json.loads(kibitz_command(capsys, *words, "modern,hand_size=5,seven_zero=on")[1])
    assert first["rules"] == "modern,hand_size=5,seven_zero=on"
    assert first["rows"] == second["rows"]


@pytest.mark.parametrize("rules", ["official,seven_zero=on,hand_size=3", "hearn", "modern,jump_in=on,stacking=same,hand_size=3"])
def test_plain_python_gives_the_same_figures_under_house_rules(capsys: Capture, rules: str) -> None:
    words = ["match", "mix2", "ashtabna", "card_counting", "--games", "30", "--rules", rules, "--json", "-"]
    compiled = json.loads(kibitz_command(capsys, *words)[1])["rows"]
    assert compiled == json.loads(kibitz_command(capsys, *words, "--no-jit")[1])["rows"]


def test_watch_tells_what_happens_in_windows(capsys: Capture) -> None:
    rules = "official,stacking=progressive,seven_zero=on,jump_in=on,max_turns=300"
    out = "".join(
        kibitz_command(capsys, "watch", *["mix2"] * 4, "--rules", rules, "--seed", "3", "--index", str(index))[1] for index in range(6)
    )
    for words in ("says UNO", "swaps hands with seat", "passes all hands on", f"UNO {rules}"):
        assert words in out


# -- contests --


def test_match_of_contests_prints_and_writes_its_figures(capsys: Capture) -> None:
    words = ["match", "mix2", "random", "--games", "40", "--to", "150"]
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 0
    for heading in ("contests won %", "points a deal", "turns a deal", "deals a contest", "40 contests to 150"):
        assert heading in out
    value = json.loads(kibitz_command(capsys, *words, "--json", "-")[1])
    assert value["to"] == "150"
    assert value["rows"] == kibitz.match(["mix2", "random"], games=40, to=150).to_dict()["rows"]
    assert (
        value["rows"]
        == json.loads(kibitz_command(capsys, *words[:-4], "--games", "40", "--to", "150", "--threads", "1", "--json", "-")[1])["rows"]
    )


def test_evaluation_in_contests(capsys: Capture) -> None:
    words = ["evaluate", "mix2", "greedy", "--players", "3", "--games", "20", "--to", "100+", "--json", "-"]
    value = json.loads(kibitz_command(capsys, *words)[1])
    assert (value["to"], [row["bot"] for row in value["rows"]]) == ("100+", ["mix2:win_rate", "greedy"])
    assert value["rows"] == kibitz.evaluate(["mix2", "greedy"], players=3, games=20, to="100+").to_dict()["rows"]


def test_contests_are_the_same_without_compilation(capsys: Capture) -> None:
    words = ["match", "mix2", "random", "--games", "6", "--to", "100", "--rules", "official", "--json", "-"]
    compiled = json.loads(kibitz_command(capsys, *words)[1])["rows"]
    assert compiled == json.loads(kibitz_command(capsys, *words, "--no-jit")[1])["rows"]


def test_unfinished_contests_and_deals_have_their_columns(capsys: Capture) -> None:
    _, out, _ = kibitz_command(capsys, "match", "random", "random", "--games", "3", "--to", "50", "--rules", "classic,max_turns=3")
    assert "unfinished deals" in out
    assert re.search(r"random .* 3 +300", out)
    _, out, _ = kibitz_command(capsys, "match", "mix2", "random", "--games", "3", "--to", "50")
    assert "unfinished" not in out


def test_watch_tells_a_contest_deal_by_deal(capsys: Capture) -> None:
    words = ["watch", "mix2", "random", "--seed", "8", "--index", "1", "--to", "150"]
    code, text, _ = kibitz_command(capsys, *words)
    value = json.loads(kibitz_command(capsys, *words, "--json", "-")[1])
    contest = kibitz.play_contest(["mix2", "random"], seed=8, index=1, to=150)
    assert code == 0
    assert value == contest.to_dict()
    assert text.count("on the table") == text.count("Scores: ") == len(contest.deals) > 1
    assert f"seat {contest.winner} wins the contest to 150 after {len(contest.deals)} deals" in text
    assert "deal 2" in text
    scores = [int(number) for number in re.findall(r"Scores: seat 0 \S+ (\d+)", text)]
    assert scores == sorted(scores)
    assert scores[-1] == contest.scores[0]


def test_watch_tells_of_a_contest_without_a_winner(capsys: Capture) -> None:
    rules = "classic,deck=r0*7/g0*7,hand_size=1"
    code, text, _ = kibitz_command(capsys, "watch", "random", "random", "--to", "10", "--rules", rules)
    assert code == 0
    assert "the contest ends without a winner after 100 deals" in text


# -- faulty bots --

FAULTY = """
import kibitz

@kibitz.bot
def it(view):
    return 500 if view.scores[view.seat] > 0 else view.play(view.pick(view.playable()), 0)
"""


def test_fault_in_a_contest_says_how_to_see_it_again(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FAULTY)
    words = [f"{file}:it", "random"]
    code, _, err = kibitz_command(capsys, "match", *words, "--games", "20", "--to", "300", "--rules", "official", "--threads", "1")
    last = err.strip().splitlines()[-1]
    found = re.search(r"\(reproduce with (--seed 1 --index \d+ --rules official --to 300)\)$", last)
    assert code == 2
    assert found
    code, text, again = kibitz_command(capsys, "watch", *words, *found.group(1).split())
    assert code == 2
    assert again.strip().splitlines()[-1] == last
    assert "The game was broken off here." in text


def test_unknown_window_gets_one_sentence(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class it:\n    windows = ('chalenge',)\n    def choose(self, view):\n        return 68\n")
    code, out, err = kibitz_command(capsys, "match", f"{file}:it", "random", "--games", "5")
    assert (code, out) == (2, "")
    assert err == f"kibitz: unknown window of bot {file}:it: 'chalenge'; did you mean challenge?\n"
