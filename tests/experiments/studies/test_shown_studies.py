"""Studies as tables, Markdown and plots, and from the command line; what they play is in a file for each."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.experiments.experiment_kinds import find_kind
from kibitz.experiments.studies.exact.accuracy import Accuracy
from kibitz.experiments.studies.exact.figures import marks_of
from kibitz.experiments.studies.exact.study import ExactRow, ExactStudy
from kibitz.experiments.studies.investigation import Investigation
from kibitz.experiments.studies.lineups import Line, Study
from kibitz.experiments.studies.uno.expectiminimax.search_errors import DepthRow, DrawRow, SampleRow, SearchErrors
from kibitz.experiments.studies.uno.expectiminimax.study import LARGE, SMALL, ExpectiminimaxStudy, lines_at
from kibitz.experiments.studies.uno.rules_and_contests import study as studies
from kibitz.experiments.studies.uno.rules_and_contests.figures import LESS, MORE, Estimate, joint_errors
from kibitz.experiments.studies.uno.skill import study as skill
from kibitz.experiments.studies.uno.skill.figures import name_of
from kibitz.experiments.studies.uno.skill.study import Seat, Situation, SkillStudy
from kibitz.report import plotting
from kibitz.report.plotting import save_figure
from kibitz.report.published import CONTEST_FIGURES
from kibitz.search.exact.solve import solve
from tests.commands import kibitz_command
from tests.experiments.studies.exact.games import PAIRS, tree_of
from tests.experiments.studies.test_skill import found

FINDINGS = Path(__file__).parents[3] / "docs" / "findings"
RATES = {"random": 0.7, "mix2": 1.2, "champion:fast": 1.4, "champion": 1.5, "cheater": 1.7}  # of chance
PLACE = "before\n<!-- results: written by a command -->\nold\n<!-- end of results -->\nafter\n"
Capture = pytest.CaptureFixture[str]


def exact_row(bot: str, exploitability: float, budget: int = 0, error: float = 0.0) -> ExactRow:
    plain = ExactRow(bot, 0.4, -0.5, -0.05, 0.0, exploitability, exploitability, exploitability, 0, 0.0)
    if not budget:
        return plain
    accuracy = Accuracy("all play on like random", 224, error, 0.01, error, 0.02, 0.021, 136)
    ranged = replace(plain, error=0.002, low=exploitability - 0.01, high=exploitability + 0.01)
    return replace(ranged, samples=40, budget=budget, series="rollout", accuracy=accuracy)


def exact_study() -> ExactStudy:
    tree = tree_of(PAIRS)
    searches = [exact_row(f"rollout:rollouts={n}", 0.1 / n, n, n**-0.5) for n in (4, 16, 64)]
    rows = [exact_row("random", 0.04), exact_row("mix2", 0.02), *searches]
    return ExactStudy("tiny", tree, solve(tree), 40, 1, rows, {"rollout": exact_row("rollout without end", 0.0012)}, 0.0032, 65.0)


def skill_study() -> SkillStudy:
    made = SkillStudy(1000, 100, 50)
    for searchers in (False, True):
        for seat in made.seats(searchers):
            made.found[seat] = found(RATES[seat.bot] * seat.situation.chance, 0.004)
    return made


def expectiminimax_study() -> ExpectiminimaxStudy:
    rows = [SampleRow(samples, 14 * samples**-0.5, samples**-0.5, 0.3, 0.1) for samples in (5, 50, 500)]
    depths = [DepthRow(1, 0.0, 0.5, 0.7), DepthRow(2, 0.4, 1.0, 1.2)]
    draws = [DrawRow(1, 0.3, 0.9, 2.0), DrawRow(5, 0.1, 0.4, 2.0)]
    result = kibitz.match(["random", "random"], games=10, rules="numbers", jit=False)
    small, large = (Study("expectiminimax", 10, 1, [(line, result) for line in lines_at(budget)]) for budget in (SMALL, LARGE))
    return ExpectiminimaxStudy(small, large, SearchErrors(10, 5, 1, 4, rows, depths, draws))


def rules_study() -> Study:
    class Few(studies.StudyRules):
        def tasks(self) -> list[Line]:
            every = studies.rules_lines(["mix2", "greedy"])
            return [line for line in every if line.rules in ("classic", "numbers", "classic,draw=until_playable")]

    return Few(games=3000).play()


MADE = {
    "rules": rules_study,
    "contests": lambda: studies.StudyContests(games=60).play(),
    "skill": skill_study,
    "expectiminimax": expectiminimax_study,
    "exact": exact_study,
}


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """Of each kind a study that is complete, made up or small."""
    return {name: make() for name, make in MADE.items()}


def asked(name: str) -> Investigation[Any]:
    experiment = find_kind(f"study {name}")()
    assert isinstance(experiment, Investigation)
    return experiment


def tables_of(name: str, study: Any) -> list[Any]:
    return list(asked(name).shown_by().tables_of(study))


# -- any study --


@pytest.mark.parametrize("name", MADE)
def test_markdown_has_every_table_that_is_not_plotted_and_the_command(name: str, made: dict[str, Any]) -> None:
    text = asked(name).markdown(made[name])
    tables = tables_of(name, made[name])
    assert any(table.plotted for table in tables) == (name != "skill")
    for table in tables:
        assert table.title in text and all(len(row) == len(table.headings) for row in table.rows)
        assert (f"**{table.title}**" in text) != table.plotted
        assert (f"| {' | '.join(table.rows[-1])} |" in text) != table.plotted
    assert f"Made by `kibitz study {name}" in text


@pytest.mark.parametrize("name", MADE)
def test_plots_are_drawn_and_equal_for_equal_studies(name: str, made: dict[str, Any], tmp_path: Path) -> None:
    for file in ("one.svg", "two.svg", *[f"plot{suffix}" for suffix in plotting.FORMATS]):
        plotting.check_plot(tmp_path / file)
        save_figure(asked(name).shown_by().drawing(made[name]), tmp_path / file)
        assert (tmp_path / file).stat().st_size > 5000
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize("name", MADE)
def test_what_is_not_complete_says_so(name: str, made: dict[str, Any]) -> None:
    assert "INCOMPLETE" not in " ".join(asked(name).described(made[name]))
    assert asked(name).described(replace(made[name], complete=False))[-1].endswith("INCOMPLETE: interrupted")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("rules --games 1000000000 --plot plot.txt", "ends with .svg, .png, .pdf"),
        ("rules --games 1000000000 --plot no/plot.svg", "folder"),
        ("contests --games 1000000000 --write page.md", "has no place for the results"),
        ("skill --games 5", "games=5 is out of range"),
        ("skill --search-games 0", "search_games=0 is out of range"),
        ("skill --rollouts 0", "rollouts must be 1–10000000, got 0"),
        ("skill --seed -1", "seed -1"),
        ("exact --variant tinny", "unknown solved game 'tinny'; did you mean tiny"),
        ("exact --samples 0", "samples=0 is not accepted: bots are asked 4 times or a multiple of it"),
        ("exact --budgets 0", "each of budgets must be 1 or more, got 0"),
        ("exact nobody", "unknown bot 'nobody'"),
        ("exact meanimax", "plays hanabi"),
        ("exact rollout:rollouts=0", "rollouts=0"),
        ("exact --seed -1", "seed -1"),
        ("exact --write nothing.md", "<!-- results of tiny: written by a command -->"),
        ("perceptrons --games 3", "at least 8000 contests"),
        ("perceptrons --seeds 1", "seeds=1 is out of range"),
        ("perceptrons --check 1", "check=1 is out of range"),
        ("expectiminimax --games 0", "games=0 is out of range"),
        ("expectiminimax --positions 0", "positions must be 1–"),
        ("expectiminimax --repeats 1", "repeats must be 2–"),
    ],
)
def test_bad_input_is_one_sentence(capsys: Capture, words: str, reason: str) -> None:
    code, out, err = kibitz_command(capsys, "study", *words.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err


@pytest.mark.parametrize(
    ("page", "made_by"),
    [
        ("rules", ["Made by `kibitz study rules --games"]),
        ("defensive-play", ["Made by `kibitz study contests --games"]),
        ("skill", ["Made by `kibitz study skill --games", *[f"| {name_of(situation)} |" for situation in skill.SITUATIONS]]),
        ("exact", [f"**How exploitable bots are in `{game}`**" for game in ("tiny", "small")] + ["--variant tiny", "--variant small"]),
    ],
)
def test_the_findings_have_their_tables_and_plots(page: str, made_by: list[str]) -> None:
    text = (FINDINGS / f"{page}.md").read_text()
    assert all(words in text for words in made_by)
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert pictures and all((FINDINGS / picture).is_file() for picture in pictures)


# -- rules and contests --


def test_figures_are_set_against_classic(made: dict[str, Any]) -> None:
    wins, turns = tables_of("rules", made["rules"])
    assert wins.headings == ["rules", "mix2", "greedy"]
    cells = {row[0]: row[1:] for row in wins.rows}
    # 3,000 games, standard error 0.9: Mix2 has 68.8 % under classic, about 50 with numbers alone, 75.6 drawing on.
    assert cells["numbers"][0].endswith(LESS)
    assert cells["classic,draw=until_playable"][0].endswith(MORE)
    assert not any(cell.endswith((MORE, LESS)) for cell in cells["classic"])
    assert {row[0]: row[2] for row in turns.rows}["classic,draw=until_playable"].endswith(MORE)


def test_joint_standard_errors() -> None:
    assert joint_errors(Estimate(60.0, 3.0), Estimate(50.0, 4.0)) == 2.0
    assert joint_errors(Estimate(50.0, 0.0), Estimate(50.0, 0.0)) == 0.0


def test_every_reference_figure_of_contests_has_its_line(made: dict[str, Any]) -> None:
    reference = next(table for table in tables_of("contests", made["contests"]) if "reference" in table.title)
    assert len(reference.rows) == sum(len(figures) for figures in CONTEST_FIGURES.values())
    assert [row[3] for row in reference.rows][:2] == ["69.1", "39.0"]


def test_the_command_prints_and_writes(capsys: Capture, tmp_path: Path) -> None:
    page, file = tmp_path / "page.md", tmp_path / "study.json"
    page.write_text(PLACE)
    words = ["study", "rules", "greedy", "--games", "200", "--seed", "3", "--json", str(file), "--write", str(page)]
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 0
    assert "hearn" in out and "classic,stacking=progressive" in out and "Turns a game" in out
    value = json.loads(file.read_text())
    assert value["complete"] and len(value["experiments"]) == len(studies.rule_sets())
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "`kibitz study rules --games 200 --seed 3`" in text


# -- skill --


def test_tables_of_skill(made: dict[str, Any]) -> None:
    among_random, meaning, among_mix2, _ = tables_of("skill", made["skill"])
    assert among_random.headings == ["table", "chance", "mix2", "champion:fast", "champion:rollouts=50", "cheater:rollouts=50"]
    assert among_random.rows[0] == ["2 players", "50.0", "60.00 ± 0.40", "70.00 ± 0.40", "75.00 ± 0.40", "85.00 ± 0.40"]
    assert [row[0] for row in among_random.rows][-1] == "2 players, stacking"
    assert meaning.rows[0][:5] == ["2 players", "57 ± 1", "71 ± 1", "25.0 ± 0.8", "49.0 ± 1.1"]
    assert meaning.rows[0][6] == "9 (9–11)"  # at least 5 of 9 at 75 %: 0.951, at 74.6 %: 0.949; at least 4 of 7: 0.929
    assert among_mix2.rows[0][2] == "35.00 ± 0.40"


def test_what_is_missing_is_left_out(made: dict[str, Any]) -> None:
    study = replace(made["skill"], found={Seat("mix2", "random", Situation(4)): found(0.26, 0.01)}, complete=False)
    among_random, meaning, among_mix2, _ = tables_of("skill", study)
    assert among_random.rows == [["4 players", "25.0", "26.00 ± 1.00", "", "", ""]]
    assert meaning.rows == [["4 players", "", "", "", "", "–", "–", "–"]] and not among_mix2.rows


def test_the_command_of_skill_says_how_many_games_searchers_play(made: dict[str, Any]) -> None:
    asked = skill.StudySkill(games=8000, rollouts=50, seed=3)
    text = asked.markdown(replace(made["skill"], search_games=asked.new_study().search_games))
    assert "`kibitz study skill --games 8000 --search-games 40 --rollouts 50 --seed 3`" in text and "50 rollouts a decision" in text


def test_an_interrupted_command_says_so(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: skill.StudySkill, study: SkillStudy, number: int, seat: Seat) -> None:
        if seat.searches:
            raise KeyboardInterrupt
        study.found[seat] = found(0.5, 0.1)

    monkeypatch.setattr(skill.StudySkill, "do", interrupted)
    file = tmp_path / "study.json"
    code, out, _ = kibitz_command(capsys, "study", "skill", "--games", "1000", "--json", str(file))
    assert code == 130 and "INCOMPLETE" in out
    value = json.loads(file.read_text())
    assert not value["complete"] and len(value["seats"]) == 32


# -- expectiminimax --


def test_tables_of_expectiminimax(made: dict[str, Any]) -> None:
    tables = tables_of("expectiminimax", made["expectiminimax"])
    assert [len(table.rows) for table in tables] == [9, 4, 3, 2, 2]
    assert tables[2].rows[1][:4] == ["50", "1.980", "0.141", "0.141"]


def test_a_spread_as_one_over_the_root_has_the_exponent_of_a_half(made: dict[str, Any]) -> None:
    errors = made["expectiminimax"].errors
    assert errors.slope == pytest.approx(-0.5)
    assert replace(errors, samples=errors.samples[:1]).slope == 0.0


# -- solved games --


def test_tables_of_solved_games_are_ordered(made: dict[str, Any]) -> None:
    bots, values = tables_of("exact", made["exact"])
    searches = [f"rollout:rollouts={budget}" for budget in (4, 16, 64)]
    assert [cells[0] for cells in bots.rows] == ["mix2", "random", *searches, "rollout without end"]
    assert bots.rows[0] == ["mix2", "−0.0500", "+0.4000", "−0.5000", "0.0200", ""]
    assert bots.rows[2][1] == "−0.0500 ± 0.0020" and bots.rows[2][-1] == "0.0150 and 0.0350"
    assert values.rows[1] == ["rollout", "16", "all play on like random", "0.2500 ± 0.0100", "0.2500", "0.0200", "0.0210"]


def test_exact_figures_have_no_range(made: dict[str, Any], tmp_path: Path) -> None:
    study = replace(made["exact"], rows=made["exact"].rows[:2], limits={})
    (table,) = tables_of("exact", study)
    assert "between" not in table.headings and table.note == "All figures are exact."
    save_figure(asked("exact").shown_by().drawing(study), tmp_path / "rules.svg")  # no search at all


def test_the_solved_game_is_described(made: dict[str, Any]) -> None:
    text = "\n".join(asked("exact").described(made["exact"]))
    assert PAIRS in text and "1,796 positions, 44 + 88 information sets" in text and "+0.4349" in text and "0.0032 or more" in text


def test_the_command_of_solved_games_prints_and_writes(capsys: Capture, tmp_path: Path) -> None:
    page, file, plot = tmp_path / "page.md", tmp_path / "study.json", tmp_path / "plot.svg"
    begin, end = marks_of("tiny")
    other = "\n".join(marks_of("small"))
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n{other}\n")
    words = ["study", "exact", "random", "rollout:model=none", "--samples", "4", "--budgets", "2,8", "--seed", "3"]
    code, out, _ = kibitz_command(capsys, *words, "--json", str(file), "--write", str(page), "--plot", str(plot))
    assert code == 0 and plot.stat().st_size > 5000
    assert "value to seat 0: +0.4349" in out and "rollout:rollouts=8,model=none" in out and "plays on like linear" in out
    value = json.loads(file.read_text())
    assert [each["bot"] for each in value["rows"]] == ["random", "rollout:rollouts=2,model=none", "rollout:rollouts=8,model=none"]
    assert value["complete"] and value["value"] == pytest.approx(0.4349206349) and value["information_sets"] == [44, 88]
    assert value["rows"][1]["accuracy"]["error"] > value["rows"][2]["accuracy"]["error"] > 0
    assert value["limits"][0]["series"] == "rollout:model=none"
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith(f"after\n{other}\n") and "old" not in text
    assert "`kibitz study exact random rollout:model=none --variant tiny --samples 4 --budgets 2,8 --seed 3`" in text


def test_equal_seeds_give_equal_figures(capsys: Capture) -> None:
    words = ["study", "exact", "rollout:rollouts=32", "--samples", "4", "--json", "-"]
    first, again = (json.loads(kibitz_command(capsys, *words)[1]) for _ in range(2))
    assert first == again
    assert first["rows"] != json.loads(kibitz_command(capsys, *words, "--seed", "2")[1])["rows"]
