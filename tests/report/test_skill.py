"""The study of skill as tables, Markdown and a plot, and on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kibitz.experiments.studies.uno.skill import study as skill
from kibitz.experiments.studies.uno.skill.figures import describe, drawing, markdown, name_of, pages_of
from kibitz.experiments.studies.uno.skill.study import Seat, Situation, SkillStudy
from kibitz.report.plots import save_figure
from tests.cli.test_commands import kibitz_command
from tests.experiments.studies.test_skill import found

ROOT = Path(__file__).parents[2]
RATES = {"random": 0.7, "mix2": 1.2, "champion:fast": 1.4, "champion": 1.5, "cheater": 1.7}  # of chance
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def study() -> SkillStudy:
    made = SkillStudy(1000, 100, 50)
    for searchers in (False, True):
        for seat in made.seats(searchers):
            made.found[seat] = found(RATES[seat.bot] * seat.situation.chance, 0.004)
    return made


def test_tables(study: SkillStudy) -> None:
    among_random, meaning, among_mix2, _ = pages_of(study)
    assert among_random.headings == ["table", "chance", "mix2", "champion:fast", "champion:rollouts=50", "cheater:rollouts=50"]
    assert among_random.rows[0] == ["2 players", "50.0", "60.00 ± 0.40", "70.00 ± 0.40", "75.00 ± 0.40", "85.00 ± 0.40"]
    assert [row[0] for row in among_random.rows][-1] == "2 players, stacking"
    assert meaning.rows[0][:5] == ["2 players", "57 ± 1", "71 ± 1", "25.0 ± 0.8", "49.0 ± 1.1"]
    assert meaning.rows[0][6] == "9 (9–11)"  # at least 5 of 9 at 75 %: 0.951, at 74.6 %: 0.949; at least 4 of 7: 0.929
    assert among_mix2.rows[0][2] == "35.00 ± 0.40"
    assert all(len(row) == len(page.headings) for page in pages_of(study) for row in page.rows)


def test_what_is_missing_is_left_out(study: SkillStudy) -> None:
    study.found = {Seat("mix2", "random", Situation(4)): found(0.26, 0.01)}
    study.complete = False
    among_random, meaning, among_mix2, _ = pages_of(study)
    assert among_random.rows == [["4 players", "25.0", "26.00 ± 1.00", "", "", ""]]
    assert meaning.rows == [["4 players", "", "", "", "", "–", "–", "–"]] and not among_mix2.rows
    assert "INCOMPLETE" in describe(study)


def test_markdown_has_every_table_and_the_command(study: SkillStudy) -> None:
    text = markdown(study, "kibitz study skill --games 1000")
    for page in pages_of(study):
        assert f"**{page.title}**" in text and f"| {' | '.join(page.rows[-1])} |" in text
    assert "Made by `kibitz study skill --games 1000` with version" in text and "50 rollouts a decision" in text


def test_plots_are_drawn_and_equal_for_equal_studies(study: SkillStudy, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg", "plot.png"):
        save_figure(drawing(study), tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


# -- the command --


def test_the_command_prints_and_writes(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def done(self: skill.StudySkill, study: SkillStudy, number: int, seat: Seat) -> None:
        study.found[seat] = found(RATES[seat.bot] * seat.situation.chance, 0.004)

    monkeypatch.setattr(skill.StudySkill, "do", done)
    page, file, plot = tmp_path / "page.md", tmp_path / "study.json", tmp_path / "plot.svg"
    page.write_text("before\n<!-- results: written by a command -->\nold\n<!-- end of results -->\nafter\n")
    words = ["study", "skill", "--games", "8000", "--rollouts", "50", "--seed", "3"]
    code, out, _ = kibitz_command(capsys, *words, "--json", str(file), "--write", str(page), "--plot", str(plot))
    assert code == 0 and plot.stat().st_size > 5000
    assert "One seat among mix2: games won in %" in out and "2 players, stacking" in out
    value = json.loads(file.read_text())
    assert value["complete"] and value["search_games"] == 40 and len(value["seats"]) == 64
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "`kibitz study skill --games 8000 --search-games 40 --rollouts 50 --seed 3`" in text


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


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--games", "5"], "games=5 is out of range"),
        (["--search-games", "0"], "search_games=0 is out of range"),
        (["--rollouts", "0"], "rollouts must be 1–10000000, got 0"),
        (["--seed", "-1"], "seed -1"),
        (["--plot", "plot.txt"], "ends with .svg, .png, .pdf"),
        (["--write", "nothing.md"], "has no place for the results"),
    ],
)
def test_bad_input_is_one_sentence(capsys: Capture, words: list[str], reason: str) -> None:
    code, out, err = kibitz_command(capsys, "study", "skill", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err


# -- the page --


def test_the_page_has_its_tables_and_plot() -> None:
    text = (ROOT / "docs" / "findings" / "skill.md").read_text()
    assert "Made by `kibitz study skill --games" in text
    assert all(f"| {name_of(situation)} |" in text for situation in skill.SITUATIONS)
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert pictures and all((ROOT / "docs" / "findings" / picture).is_file() for picture in pictures)
