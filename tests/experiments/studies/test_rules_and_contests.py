"""Studies: what they play, and what is left of them when they are interrupted."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.experiments.evaluation import Interrupted, match
from kibitz.experiments.results import Result
from kibitz.experiments.studies.uno import rules_and_contests as studies
from kibitz.games.uno.rules import PRESETS, SWITCHES, parse_rules

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
    experiments = studies.rules_experiments(["mix2", "greedy"], "diversity", players=3)
    assert len(experiments) == 2 * len(studies.rule_sets())
    assert all(experiment.bots[1:] == ("diversity", "diversity") for experiment in experiments)
    assert {experiment.bots[0] for experiment in experiments} == {"mix2", "greedy"}


def test_a_study_is_made_of_matches() -> None:
    experiments = [studies.Experiment("one", ("mix2", "random")), studies.Experiment("two", ("greedy", "random"), "hearn", "fixed", "100")]
    told: list[int] = []
    study = studies.run("trial", experiments, 400, seed=9, progress=lambda name, count: told.append(count))
    assert study.complete and study.games_played == sum(told) == 800
    assert study.about("one")[0][1].rows == kibitz.match(("mix2", "random"), games=400, seed=9).rows
    second = kibitz.match(("greedy", "random"), games=400, seed=9, rules="hearn", seating="fixed", to="100")
    assert study.about("two")[0][1].rows == second.rows
    value = study.to_dict()
    assert [experiment["question"] for experiment in value["experiments"]] == ["one", "two"]
    assert value["experiments"][1]["to"] == "100"


def test_an_interrupted_study_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    played = match

    def until_the_second(bots: tuple[str, ...], **options: object) -> Result:
        if bots[0] == "greedy":
            raise Interrupted(Result("match", "uno", "classic", 2, None, 1, 1, "random"))
        return played(bots, **options)  # type: ignore[arg-type]  # as the study passes them

    monkeypatch.setattr(studies, "match", until_the_second)
    experiments = [studies.Experiment("one", (bot, "random")) for bot in ("mix2", "greedy", "mix")]
    study = studies.run("trial", experiments, 100)
    assert not study.complete
    assert [experiment.bots[0] for experiment, _ in study.played] == ["mix2"]
