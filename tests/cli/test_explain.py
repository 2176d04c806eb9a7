"""`kibitz watch --explain`: tables below the decisions of search bots, rules below others, in text and JSON, and nothing else changed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kibitz.cli.main import run
from tests.play import weigher

SEARCH = f"{Path(weigher.__file__)}:weigher"
LOST = f"{Path(weigher.__file__)}:lost"


def kibitz_command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(list(words))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, "".join(line for line in err.splitlines(True) if "compiling" not in line)


def without_tables(text: str, heading: str) -> str:
    """A transcript without its tables, and without the rules that bots name."""
    kept: list[str] = []
    indent = 0  # of the table that is being left out
    fired = 0  # of the rule
    for line in text.splitlines(True):
        if re.match(r" +rule \d+: ", line):
            fired = line.index("rule")
            continue
        if fired and re.match(rf" {{{fired}}}\S", line):
            continue
        fired = 0
        if line.strip() == heading:
            indent = line.index(heading)
        elif not (indent and line[:indent].isspace() and line[indent:].startswith(("> ", "  "))):
            indent = 0
            kept.append(line)
    return "".join(kept)


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        ((SEARCH, "mix2", "random"), "chance to win ± standard error, visits"),
        ((SEARCH, "mix2", "--to", "40"), "chance to win ± standard error, visits"),
        (("meanimax:depth=1", "iggi", "--game", "hanabi"), "expected points"),
    ],
)
def test_tables_stand_below_decisions_and_the_rest_is_as_before(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], heading: str
) -> None:
    code, explained, err = kibitz_command(capsys, "watch", *words, "--explain", "--seed", "4")
    assert (code, err) == (0, "")
    _, plain, _ = kibitz_command(capsys, "watch", *words, "--seed", "4")
    assert heading in explained
    assert heading not in plain
    assert without_tables(explained, heading) == plain


def test_tables_are_at_most_80_wide_and_mark_one_action(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = kibitz_command(capsys, "watch", "meanimax:depth=1", "iggi", "--game", "hanabi", "--explain")
    lines = text.splitlines()
    tables = [place for place, line in enumerate(lines) if line.strip() == "expected points"]
    assert len(tables) > 10
    for place in tables:
        rows = [line for line in lines[place + 1 : place + 8] if line.startswith(("      > ", "        "))]
        assert rows
        assert sum(row.count("> ") for row in rows) == 1
        assert max(len(row) for row in rows) <= 80


@pytest.mark.parametrize("words", [("mix2", "random"), ("iggi", "smart", "--game", "hanabi")])
def test_rules_stand_below_decisions_and_the_rest_is_as_before(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    _, explained, _ = kibitz_command(capsys, "watch", *words, "--explain")
    _, plain, _ = kibitz_command(capsys, "watch", *words)
    assert without_tables(explained, "no heading") == plain
    assert "  rule 1: plays " in explained and "rule" not in plain
    assert len(re.findall(r"^ +rule \d+: ", explained, re.MULTILINE)) > 10
    assert max(len(line) for line in explained.splitlines() if line not in plain) <= 80
    _, text, _ = kibitz_command(capsys, "watch", *words, "--explain", "--json", "-")
    decisions = json.loads(text)["decisions"]
    assert {decision["bot"] for decision in decisions} == set(json.loads(text)["seats"])
    for decision in decisions:
        assert f"rule {decision['rule']}: {decision['words']}" in " ".join(explained.split())
        assert decision["rows"] == []


def test_json_has_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = kibitz_command(capsys, "watch", SEARCH, "mix2", "--explain", "--json", "-")
    figures = json.loads(text)
    assert {decision["bot"] for decision in figures["decisions"]} == {SEARCH, "mix2:win_rate"}
    for decision in [decision for decision in figures["decisions"] if decision["rows"]]:
        assert decision["bot"] == figures["seats"][decision["seat"]] == SEARCH
        assert (decision["rule"], decision["words"]) == (None, "")
        assert decision["unit"] == "chance to win"
        assert decision["name"] in [row["name"] for row in decision["rows"]]
        assert decision["rows"] == sorted(decision["rows"], key=lambda row: -row["value"])
    _, text, _ = kibitz_command(capsys, "watch", SEARCH, "mix2", "--json", "-")
    assert "decisions" not in json.loads(text)
    _, text, _ = kibitz_command(capsys, "watch", SEARCH, "mix2", "--explain", "--to", "40", "--json", "-")
    assert all(deal["decisions"] for deal in json.loads(text)["deals"])


def test_a_fault_is_told_with_what_led_up_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "watch", LOST, LOST, "--explain", "--seed", "3")
    assert code == 2
    assert "The game was broken off here." in out
    assert "answered -1, which is not an action" in err
    assert err.count("\n") == 1
