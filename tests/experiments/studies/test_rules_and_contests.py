"""Studies: what they play, and what is left of them when they are interrupted."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.studies.lineups import Line
from kibitz.experiments.studies.uno.rules_and_contests import study as studies
from kibitz.games.uno.rules import PRESETS, SWITCHES, parse_rules
from tests.runs.notebook import Notebook

pytestmark = pytest.mark.usefixtures("both_ways")


def test_every_preset_and_every_value_of_every_switch_is_studied() -> None:
    sets = studies.rule_sets()
    assert len(set(sets)) == len(sets)
    assert set(PRESETS) <= set(sets)
    for name, switch in SWITCHES.items():
        for value in switch.values:
            changed = parse_rules(f"classic,{name}={value}")
            assert changed == PRESETS["classic"] or changed in [parse_rules(text) for text in sets], f"{name}={value}"
    assert "classic,hand_size=5" in sets


def test_each_bot_meets_copies_of_the_opponent_under_each_set_of_rules() -> None:
    lines = studies.rules_lines(["mix2", "greedy"], "diversity", players=3)
    assert len(lines) == 2 * len(studies.rule_sets())
    assert all(line.bots[1:] == ("diversity", "diversity") for line in lines)
    assert {line.bots[0] for line in lines} == {"mix2", "greedy"}


class Trial(studies.StudyRules):
    def tasks(self) -> list[Line]:
        return [
            Line("one", ("mix2", "random")),
            Line("two", ("greedy", "random"), "hearn", "fixed", "100"),
            Line("three", ("mix", "random")),
        ]


def test_a_study_is_made_of_matches() -> None:
    told: list[int] = []
    study = Trial(games=400, seed=9, progress=lambda name, count: told.append(count)).play()
    assert study.complete and study.games_played == sum(told) == 1200
    assert study.about("one")[0][1].rows == kibitz.match(("mix2", "random"), games=400, seed=9).rows
    second = kibitz.match(("greedy", "random"), games=400, seed=9, rules="hearn", seating="fixed", to="100")
    assert study.about("two")[0][1].rows == second.rows
    value = study.to_dict()
    assert [experiment["question"] for experiment in value["experiments"]] == ["one", "two", "three"]
    assert value["experiments"][1]["to"] == "100"


def test_an_interrupted_study_keeps_what_is_done_and_goes_on_there() -> None:
    whole = Trial(games=100).play()
    ledger = Notebook()

    def stop(name: str, count: int) -> None:
        if name == "hearn":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        Trial(games=100, ledger=ledger, progress=stop).play()
    assert not stopped.value.result.complete
    assert [line.question for line, _ in stopped.value.result.played] == ["one"]
    known = Trial(games=100, ledger=ledger).recall()
    assert not known.complete and known.about("one")[0][1].rows == whole.about("one")[0][1].rows
    told: list[str] = []
    again = Trial(games=100, ledger=ledger, progress=lambda name, count: told.append(name)).play()
    assert [result.rows for _, result in again.played] == [result.rows for _, result in whole.played]
    assert Trial(games=100, ledger=ledger).recall().complete
