"""Tuning: what can be tried, what a study keeps, that a resume changes nothing, and that bots get better."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter
from kibitz.core.errors import BadBot, BadValue, UnknownName
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.tune import trials as trials_module
from kibitz.experiments.tune.figures import by_parameter, sentence, tuning_plots
from kibitz.experiments.tune.space import TUNED, Space, make_space
from kibitz.experiments.tune.study_file import StudyError, StudyFile
from kibitz.experiments.tune.trials import STARTS, Tuning, search
from kibitz.experiments.tune.tuning import Tune
from kibitz.report.plotting import write_plots

TUNABLE = [
    (game, name)
    for game in registry.BUILT_IN
    for name in registry.BUILT_IN[game]
    if any(parameter.kind in TUNED for parameter in registry.built_in_bot(name, game).parameters)
]
POOR = "card_ranking:ranks=2/3/2/1/6/5,wild_most_common=off"


@kibitz.bot(
    parameters=(
        Parameter("steps", WHOLE, "whole", -2, 3, default=0),
        Parameter("slope", REAL, "real", 0, 20, default=1.0),
        Parameter("curve", REAL, "reals", -1, 1, 3, default=(0.0, 0.5, 1.0)),
        Parameter("bold", SWITCH, "a switch", default=True),
        Parameter("style", CHOICE, "a choice", default="calm", choices=("calm", "wild", "odd")),
    )
)
def made_up(view: Any, params: Any) -> int:
    """Has a parameter of every kind."""
    return view.pick(view.playable())  # type: ignore[no-any-return]  # as plain Python knows it


# -- what can be tried --


def test_main_bots_can_be_tuned() -> None:
    assert {("uno", "card_ranking"), ("uno", "mix2"), ("uno", "score"), ("hanabi", "meanimax")} <= set(TUNABLE)


@pytest.mark.parametrize(("game", "name"), TUNABLE, ids=str)
def test_every_point_has_a_name_that_reads_back(game: str, name: str) -> None:
    space = make_space(name, game=game)
    rng = np.random.default_rng(3)
    point = space.drawn(rng)
    for _ in range(100):
        made = space.entrant_at(point)
        read = registry.entrant(made.name, game)
        assert dict(read.values) == dict(made.values)
        assert read.bot is made.bot
        point = space.neighbour(point, rng)


def test_presets_are_points_and_keep_their_short_names() -> None:
    space = make_space("mix2")
    for preset, values in space.bot.presets.items():
        assert space.entrant_at(space.point(values)).name == f"mix2:{preset}"
    assert make_space("meanimax", game="hanabi").named(registry.built_in_bot("meanimax", "hanabi").presets[""]).name == "meanimax"


def test_vectors_have_a_coordinate_for_each_number() -> None:
    names = [coordinate.name for coordinate in make_space("card_ranking").coordinates]
    assert names == [*[f"ranks.{place}" for place in range(1, 7)], "wild_most_common"]


def test_every_kind_stays_in_its_range_and_goes_everywhere() -> None:
    space = Space(registry.entrant(made_up), {})
    rng = np.random.default_rng(1)
    point, seen = space.drawn(rng), []
    for _ in range(2_000):
        new = space.neighbour(point, rng)
        assert new != point
        point = new
        values = space.values(point)
        for parameter in space.parameters:
            assert parameter.check(values[parameter.name], "here") == values[parameter.name]
        seen.append(values)
    assert {values["steps"] for values in seen} == {-2, -1, 0, 1, 2, 3}
    assert {values["bold"] for values in seen} == {False, True}
    assert {values["style"] for values in seen} == {"calm", "wild", "odd"}
    assert min(values["slope"] for values in seen) == 0
    assert max(values["slope"] for values in seen) == 20
    assert len({values["slope"] for values in seen}) > 200
    curves: list[Any] = [values["curve"] for values in seen]
    assert all(round(one, 4) == one for curve in curves for one in curve)


def test_optuna_has_the_same_ranges() -> None:
    space = Space(registry.entrant(made_up), {"bold": False})
    shown = {name: str(distribution) for name, distribution in space.distributions().items()}
    assert list(shown) == ["steps", "slope", "curve.1", "curve.2", "curve.3", "style"]
    assert "low=-2" in shown["steps"] and "high=3" in shown["steps"]
    assert "high=20.0" in shown["slope"]
    assert "'calm', 'wild', 'odd'" in shown["style"]


def test_what_is_held_never_changes() -> None:
    space = make_space("mix2", ["limits=-1/-1/-1/-1/2/4", "end_game=off"])
    rng = np.random.default_rng(2)
    point = space.drawn(rng)
    assert not any(name.startswith(("limits", "end_game.")) or name == "end_game" for name in point)
    for _ in range(50):
        point = space.neighbour(point, rng)
        values = space.values(point)
        assert (values["limits"], values["end_game"]) == ((-1, -1, -1, -1, 2, 4), False)


def test_files_have_names_that_read_back(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import kibitz\nfrom kibitz.bots.parameters import WHOLE, Parameter\n\n"
        "@kibitz.bot(parameters=(Parameter('shift', WHOLE, 'what', 0, 9, default=1),))\n"
        "def mine(view, params):\n    '''Mine.'''\n    return view.play(view.pick(view.playable()), params.shift % 4)\n"
    )
    space = make_space(f"{file}:mine:shift=3")
    assert space.entrant_at({"shift": 7}).name == f"{file}:mine:shift=7"
    assert registry.entrant(f"{file}:mine:shift=7").values == {"shift": 7}


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"bot": "random"}, BadBot, "'random' has no parameters that can be tuned"),
        ({"bot": "iggi", "game": "hanabi"}, BadBot, "'iggi' has no parameters that can be tuned"),
        ({"bot": "mix2", "held": ["rank=1"]}, UnknownName, "in --fix: 'rank'; did you mean ranks"),
        ({"bot": "mix2", "held": ["ranks=1/2"]}, BadValue, "--fix ranks=1/2: ranks has 2 values; it needs 6"),
        ({"bot": "mix2", "held": ["end_game"]}, BadValue, "--fix end_game is not accepted; it is key=value"),
        ({"bot": "mix2", "held": ["end_game=on", "end_game=off"]}, BadValue, "held twice"),
        ({"bot": "score", "held": ["weights=0/0/0/0/0/0"]}, BadValue, "nothing to tune"),
        ({"bot": "mix2", "goal": "score"}, BadValue, "--for score is not accepted; in UNO it is win_rate or points"),
        ({"bot": "meanimax", "game": "hanabi", "goal": "win_rate"}, BadValue, "in Hanabi it is score or points_kept"),
        ({"bot": "mix2", "players": 1}, BadValue, "players=1 is out of range"),
        ({"bot": "mix2", "players": 4, "against": ["random", "greedy"]}, BadValue, "names 2 bots, but there are 3 other seats"),
        ({"bot": "mix2", "games": 0}, BadValue, "games=0 is out of range"),
        ({"bot": "mix2", "start": "point"}, UnknownName, "in --from: 'point'; did you mean points"),
        ({"bot": "mix2", "near": 1.5}, BadValue, "near=1.5 is out of range"),
        ({"bot": "mix2", "seed": -1}, BadValue, "seed -1 is out of range"),
        ({"bot": "meanimax", "game": "hanabi", "players": 3}, BadValue, "plays among 2 players, not 3"),
        ({"bot": "mix2", "game": "hanabi"}, BadBot, "plays uno, not hanabi"),
    ],
)
def test_tasks_without_sense_are_refused(asked: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Tune(**asked).check()


# -- searching --


def small(bot: str = POOR, **asked: Any) -> Tune:
    return Tune(bot, **{"games": 2_000, "seed": 7, **asked})


def smallest(file: Path, **asked: Any) -> Tuning:
    """A study of one trial, or of as many as are asked for, in a file."""
    return small(**{"games": 20, "trials": 1, "confirm": 2, "study": file, **asked}).play()


@pytest.fixture(scope="module")
def found() -> Tuning:
    return search(small(trials=60, confirm=6_000))


def test_a_poor_start_is_improved_on(found: Tuning) -> None:
    """60 trials of at most 2,000 games; 6,000 held-out games for each. Were the winner no better than the bot as it was named, a difference
    of five standard errors would come up once in three million times."""
    winner, named = found.winner, found.named
    assert winner is not None and named is not None
    assert named.bot.startswith("card_ranking:") and registry.entrant(named.bot).values == registry.entrant(POOR).values
    assert winner.difference.standard_error
    assert winner.difference.mean > 5 * winner.difference.standard_error
    assert winner.difference.mean == pytest.approx(winner.sums.mean - named.sums.mean)
    assert sentence(found).startswith("The winner is better than card_ranking:")
    assert registry.entrant(winner.bot).values == winner.values


def test_games_go_where_they_matter(found: Tuning) -> None:
    out = [trial for trial in found.trials if trial.is_out]
    assert len(out) > 30
    assert sum(trial.games for trial in found.trials) < 60 * 2_000 / 2
    assert all(trial.games == 2_000 for trial in found.trials if not trial.is_out)
    best = [trial.value for trial in found.trials if trial.is_best]
    assert best == sorted(best)
    assert found.trials[0].is_best


def test_finalists_are_the_best_that_ran_to_the_end(found: Tuning) -> None:
    finalists = found.finalists()
    assert finalists[0] == found.best
    assert [row.bot for row in found.confirmed[:-1]] == list(dict.fromkeys([found.confirmed[0].bot, *[trial.bot for trial in finalists]]))
    assert len({trial.bot for trial in finalists}) == len(finalists)
    assert not any(trial.is_out for trial in finalists)


def test_the_deals_that_choose_the_winner_do_not_confirm_it(found: Tuning) -> None:
    *finalists, named = found.confirmed
    assert len(finalists) > 1
    assert named.choice is None
    for row in finalists:
        assert row.choice is not None
        assert row.choice.count == row.sums.count
        assert (row.choice.total, row.choice.squares) != (row.sums.total, row.sums.squares)
    assert finalists[0].choice == max((row.choice for row in finalists if row.choice), key=lambda sums: sums.mean)


def test_importance_says_what_matters(found: Tuning) -> None:
    assert sum(found.importance.values()) == pytest.approx(1)
    assert set(found.importance) == {coordinate.name for coordinate in found.task.space.coordinates}
    assert by_parameter(found)["ranks"] > 0.3


def test_plots_are_drawn(found: Tuning, tmp_path: Path) -> None:
    paths = write_plots(tuning_plots(found), tmp_path / "plots", "svg")
    assert [path.name for path in paths] == ["history.svg", "importance.svg"]
    assert "best so far" in paths[0].read_text()
    assert "ranks.1" in paths[1].read_text()


def test_from_scratch_no_preset_is_told() -> None:
    one, other = (search(small(bot, trials=5, confirm=2)) for bot in ("card_ranking:win_rate", "card_ranking:points"))
    assert [trial.point for trial in one.trials] == [trial.point for trial in other.trials]


def test_starting_from_a_preset_tries_it_first() -> None:
    result = search(small("mix2", start="points", held=["card_counting=off"], trials=3, confirm=200))
    assert registry.entrant(result.trials[0].bot).values == registry.entrant("mix2:points,card_counting=off").values
    assert all("card_counting=off" in trial.bot for trial in result.trials)


def test_points_and_more_seats() -> None:
    result = search(small("score", goal="points", players=4, against=["random", "greedy", "mix2"], games=400, trials=4, confirm=400))
    assert result.task.study_config()["against"] == ["random", "greedy", "mix2:win_rate"]
    assert result.winner and 0 < result.winner.sums.mean < 100
    assert result.winner.sums.count == 100


def test_a_hanabi_bot_is_tuned_for_its_score() -> None:
    """Depth 1 alone, for speed: 60 games for each; the poor bot fears no misfire, which costs it most of its points (sd of a score about 5,
    so the standard error of a mean is below 0.7; a winner no better would differ by 4 points in fewer than one case in 10,000)."""
    poor = "meanimax:depth=1,misfire=0,token_value=2"
    result = search(Tune(poor, game="hanabi", games=60, held=["depth=1"], seed=2, trials=12, confirm=60))
    assert result.task.aim == "score"
    assert result.winner and result.winner.difference.mean > 4
    assert result.winner.values["depth"] == 1


# -- the study --


def history(result: Tuning) -> list[tuple[Any, ...]]:
    return [(trial.bot, trial.value, trial.error, trial.games, trial.is_out, trial.is_best) for trial in result.trials]


def interrupting(after: int) -> Callable[[Tuning], None]:
    def progress(known: Tuning) -> None:
        if known.session >= after:
            raise KeyboardInterrupt

    return progress


@pytest.fixture
def short_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four starts of six trials."""
    monkeypatch.setattr(trials_module, "STARTUP", 3)
    monkeypatch.setattr(Tune, "start_length", 6)


@pytest.mark.usefixtures("short_starts")
@pytest.mark.parametrize("asked", [{}, {"near": 0.0}, {"start": "points", "near": 0.5}], ids=["starts", "Optuna alone", "from a preset"])
def test_interrupted_and_resumed_is_as_in_one_go(asked: dict[str, Any], tmp_path: Path) -> None:
    """Past the starts, and past the trials anywhere, so that what Optuna concludes from the kept ones counts as well."""
    trials = STARTS * 6 + 10
    task = small(games=400, trials=trials, confirm=400, study=tmp_path / "study.db", **asked)
    whole = search(task.going(threads=1))
    for after in (3, 7, 16):
        with pytest.raises(Interrupted) as stop:
            task.going(progress=interrupting(after)).play()
        assert stop.value.result.session == after
        assert not stop.value.result.complete
    resumed = task.going(resume=True, threads=3).play()
    assert resumed.session == trials - 26
    assert history(resumed) == history(whole)
    assert resumed.confirmed == whole.confirmed
    assert resumed.importance == whole.importance


@pytest.mark.usefixtures("short_starts")
def test_starts_are_independent_and_the_best_of_them_is_gone_on_with() -> None:
    result = search(small(games=400, trials=STARTS * 6 + 6, confirm=20))
    for number, trial in enumerate(result.trials[: STARTS * 6]):
        first = number // 6 * 6
        assert trial.base is None if number == first else first <= (trial.base or 0) < number
        assert trial.leads or number != first
    champions = result.champions()
    assert [trial.number // 6 for trial in champions] == [0, 1, 2, 3]
    assert result.trials[STARTS * 6].base == max(champions, key=lambda trial: trial.value).number
    assert result.best == max(result.trials, key=lambda trial: (trial.leads, trial.value))


def test_crossing_takes_over_whole_parameters() -> None:
    space = make_space("mix2")
    rng = np.random.default_rng(6)
    one, other = space.drawn(rng), space.drawn(rng)
    mixed = 0
    for _ in range(100):
        new = space.crossed(one, other, rng)
        assert new != one
        values, own, theirs = space.values(new), space.values(one), space.values(other)
        mixed += all(values[name] in (own[name], theirs[name]) for name in values)
    assert mixed > 60
    assert space.crossed(one, one, rng) != one


def test_a_study_of_optuna_holds_the_trials(tmp_path: Path) -> None:
    import optuna

    file = tmp_path / "study.db"
    result = small(trials=6, confirm=20, study=file).play()
    storage = optuna.storages.RDBStorage(f"sqlite:///{file}")
    study = optuna.load_study(storage=storage, study_name=None)
    assert [trial.value for trial in study.trials] == [trial.value for trial in result.trials]
    assert study.best_trial.params == (result.best.point if result.best else None)
    storage.remove_session()
    storage.engine.dispose()


def test_more_trials_go_on_and_enough_of_them_are_only_confirmed(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    few, more, again = (small(trials=trials, confirm=20, study=file).play() for trials in (4, 8, 8))
    assert (few.session, more.session, again.session) == (4, 4, 0)
    assert history(more)[:4] == history(few)
    assert again.confirmed == more.confirmed


def damage(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    file.write_bytes(bytes(whole))


def other_sqlite(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE runs (id INTEGER)")


def foreign_study(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM study_user_attributes")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (damage, "is damaged"),
        (other_sqlite, "is not a study \\(it is an SQLite file of another kind\\)"),
        (foreign_study, "was not made by kibitz"),
        (lambda file: file.write_text("nothing of the sort"), "is not a study \\(it is no SQLite file\\)"),
    ],
)
def test_what_is_no_study_is_refused_and_left_as_it_is(spoil: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    smallest(file)
    spoil(file)
    before = file.read_bytes()
    with pytest.raises(StudyError, match=message):
        smallest(file, trials=3)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"bot": "mix2"}, "tunes card_ranking:.*, not mix2:win_rate"),
        ({"games": 40}, "was begun with games=20, not 40"),
        ({"seed": 8}, "was begun with seed=7, not 8"),
        ({"against": ["greedy"]}, "was begun with against=random, not greedy"),
        ({"held": ["wild_most_common=on"]}, "was begun with fix=nothing, not wild_most_common=on"),
        ({"goal": "points"}, "was begun with for=win_rate, not points"),
        ({"start": "points"}, "was begun with from=nothing, not card_ranking:points"),
    ],
)
def test_a_study_of_something_else_is_refused(asked: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    smallest(file)
    with pytest.raises(StudyError, match=message):
        smallest(file, **asked)


def test_a_study_with_another_version_of_results_is_refused_and_one_that_does_not_say_is_of_the_first(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    config = small(games=20).study_config()
    assert config["results_version"] == 1
    StudyFile(file, {key: value for key, value in config.items() if key != "results_version"}).close()
    StudyFile(file, config, resume=True).close()
    with pytest.raises(StudyError, match="was begun with results_version=1, not 2"):
        StudyFile(file, {**config, "results_version": 2}, resume=True)


def test_nothing_to_resume_and_no_place_to_write_are_told(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="there is no study at"):
        smallest(tmp_path / "none.db", resume=True)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(StudyError, match="is a folder"):
        smallest(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="cannot be written"):
        smallest(tmp_path / "file" / "study.db")


def test_one_process_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    config = small().study_config()
    with StudyFile(file, config), pytest.raises(StudyError, match="is being tuned by another process"):
        smallest(file)
    with StudyFile(file, config, resume=True) as opened:
        assert opened.trials() == []


def test_only_compiled_bots_have_parameters() -> None:
    class Mine:
        def choose(self, view: Any) -> int:
            return int(view.legal_actions()[0])

    assert isinstance(registry.entrant("mix2").bot, Bot)
    with pytest.raises(BadBot, match="has no parameters"):
        Tune(Mine).check()
