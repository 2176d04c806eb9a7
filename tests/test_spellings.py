"""Old spellings of options, bot parameters, checkpoints and studies: they work as the new ones do, and typed ones bring a hint."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from kibitz import registry
from kibitz.bots.parameters import CHOICE, Parameter
from kibitz.core.errors import BadValue, OldSpelling
from kibitz.core.spellings import OPTIONS, modern_words
from kibitz.experiments.measurement import Match
from kibitz.experiments.tune.tuning import Tune
from kibitz.runs.database import open_store
from kibitz.runs.store import begin
from tests.commands import kibitz_command

Capture = pytest.CaptureFixture[str]
STYLE = Parameter("style", CHOICE, "one of two", choices=("calm", "bold"), default="calm", once={"wild": "bold"}, once_named=("manner",))
HINTS = "kibitz: belief=seed is now belief=simple; the old spelling still works.\n"


pytestmark = pytest.mark.usefixtures("store")


def test_an_old_choice_is_the_new_one_with_a_hint() -> None:
    for read in (STYLE.parse, STYLE.check):
        with pytest.warns(OldSpelling, match="style=wild is now style=bold"):
            assert read("wild", "bot 'x'") == "bold"
    assert (STYLE.key, STYLE.kept("bold"), STYLE.kept("calm"), STYLE.current("wild")) == ("manner", "wild", "calm", "bold")
    assert STYLE.describe() == "calm or bold"  # nobody is told of old spellings
    with pytest.raises(BadValue, match="style=rude is not accepted; style is calm or bold"):
        STYLE.parse("rude", "bot 'x'")


@pytest.mark.parametrize("once", [{"wild": "rude"}, {"calm": "bold"}])
def test_an_old_choice_leads_to_one_that_there_is(once: dict[str, str]) -> None:
    with pytest.raises(BadValue, match="once maps"):
        Parameter("style", CHOICE, "one of two", choices=("calm", "bold"), once=once)


@pytest.mark.parametrize("bot", ["expectiminimax", "rollout", "ismcts", "champion"])
def test_bots_are_named_in_new_words(bot: str) -> None:
    with pytest.warns(OldSpelling):
        assert registry.entrant(f"{bot}:belief=seed").name.endswith("belief=simple")


def test_an_old_name_of_a_parameter_means_the_new_one() -> None:
    with pytest.warns(OldSpelling) as told:
        old, older = registry.entrant("ismcts:guess=net"), registry.entrant("ismcts:guess=standing")
    assert [str(one.message).partition(";")[0] for one in told] == ["guess is now value"] * 2 + ["value=standing is now value=evaluation"]
    assert (old.name, older.name) == ("ismcts:value=net", "ismcts")
    assert old.values == registry.entrant("ismcts:value=net").values


def test_a_command_hints_once_and_plays_the_same(capsys: Capture) -> None:
    words = ["match", "rollout:rollouts=2,belief={}", "rollout:rollouts=3,belief={}", "--games", "6", "--no-store", "--json", "-"]
    code, out, err = kibitz_command(capsys, *[word.format("seed") for word in words])
    assert code == 0
    assert HINTS in err
    assert err.count("old spelling") == 1
    again = json.loads(kibitz_command(capsys, *[word.format("simple") for word in words])[1])
    assert json.loads(out)["rows"] == again["rows"]


def test_a_stored_run_with_old_spellings_resumes(capsys: Capture, store: Path) -> None:
    match = Match(["rollout:rollouts=2,belief=simple,horizon=1,value=net", "random"], games=6, seed=3)
    text = json.dumps(match.to_config()).replace("belief=simple", "belief=seed").replace("value=net", "guess=net")
    assert "belief=seed" in text and "guess=net" in text
    with open_store(store) as opened, begin(opened, "match", json.loads(text), "kibitz match …", 6):
        pass
    code, out, err = kibitz_command(capsys, "resume", "1", "--json", "-")
    assert code == 0, err
    words = ["match", "rollout:rollouts=2,belief=simple,horizon=1,value=net", "random", "--games", "6", "--seed", "3", "--json", "-"]
    assert json.loads(out)["rows"] == json.loads(kibitz_command(capsys, *words)[1])["rows"]


# -- options --


@pytest.mark.parametrize(
    ("words", "modern"),
    [
        (
            ["train", "net", "--rate", "0.1", "--trace=1", "--guess", "2", "--entropy", "0"],
            ["--learning-rate", "0.1", "--gae-lambda=1", "--auxiliary-weight", "2", "--entropy-bonus", "0"],
        ),
        (["train", "--debug", "linear", "--rate=0.1", "--out", "--trace.npz"], ["--learning-rate=0.1", "--out", "--trace.npz"]),
    ],
)
def test_old_options_become_new_ones(words: list[str], modern: list[str]) -> None:
    with pytest.warns(OldSpelling):
        assert modern_words(words)[-len(modern) :] == modern


def test_options_of_other_commands_are_left_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for words in (
            ["evaluate", "mix2", "--rate", "1"],
            ["train", "perceptron", "--guess", "1"],
            ["train", "linear", "--entropy", "0.1"],
        ):
            assert modern_words(words) == words


def test_every_new_option_exists_and_no_old_one_does(capsys: Capture) -> None:
    for command, renamed in OPTIONS.items():
        shown = kibitz_command(capsys, *command, "--help")[1].split()
        assert set(renamed.values()) <= set(shown)
        assert not set(renamed) & set(shown)


@pytest.mark.parametrize("learner", ["linear", "net"])
def test_an_old_option_is_read_as_the_new_one(capsys: Capture, tmp_path: Path, learner: str) -> None:
    out = str(tmp_path / "weights.npz")
    assert kibitz_command(capsys, "train", learner, "--out", out, "--rate", "7") == (
        2,
        "",
        "kibitz: --rate is now --learning-rate; the old spelling still works.\n"
        "kibitz: learning_rate must be above 0 and at most 1, got 7\n",
    )


# -- files --


HELD = ["rollouts=2", "milliseconds=0", "policy=linear", "play_on=policy", "others=mix2", "horizon=1", "lean=1", "margin=0"]
HELD += ["trust=0", "shortlist=0", "model=none", "search=on", "candidates=sensible"]


def test_a_study_goes_on_under_the_spellings_it_began_with(tmp_path: Path) -> None:
    """Names decide the order in which Optuna draws: with new ones an old study would go on differently."""
    study = tmp_path / "study.db"

    def task(bot: str, held: list[str]) -> None:
        result = Tune(bot, games=8, held=held, trials=trials, confirm=4, study=study, resume=trials > 2).play()
        assert {trial.bot for trial in result.trials} <= {f"rollout{rest}" for rest in rests}
        assert all(set(trial.point) == {"guess", "belief"} for trial in result.trials)
        assert {trial.point["belief"] for trial in result.trials} <= {"exact", "seed"}
        assert all(("belief=simple" in trial.bot) == (trial.point["belief"] == "seed") for trial in result.trials)

    changed = ":rollouts=2,horizon=1,model=none"
    rests = [changed, f"{changed},belief=simple"]
    rests += [rest.replace("horizon=1", "horizon=1,value=net") for rest in rests]
    trials = 2
    task("rollout:belief=simple", HELD)
    trials = 3
    with pytest.warns(OldSpelling):
        task("rollout:belief=seed", HELD)


def test_a_study_of_before_is_taken_for_the_same(tmp_path: Path) -> None:
    from kibitz.experiments.tune.study_file import StudyError, StudyFile

    config = Tune("rollout:belief=simple", games=8, held=HELD, against=["rollout:value=net"]).study_config()
    assert config["space"] == {"guess": "standing or net", "belief": "exact or seed"}
    old = {**config, "bot": "rollout:belief=seed", "against": ["rollout:guess=net"]}
    study = tmp_path / "study.db"
    StudyFile(study, old).close()
    StudyFile(study, config, resume=True).close()
    with pytest.raises(StudyError, match="tunes rollout:belief=seed, not rollout"):
        StudyFile(study, {**config, "bot": "rollout"}, resume=True)
