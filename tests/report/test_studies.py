"""Studies as tables, Markdown and plots, and from the command line."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.extras import MissingExtra
from kibitz.experiments.studies.lineups import Line, Study
from kibitz.experiments.studies.uno.rules_and_contests import study as studies
from kibitz.experiments.studies.uno.rules_and_contests.figures import LESS, MORE, Figure, drawing, joint_errors, markdown, pages_of
from kibitz.report import plots
from kibitz.report.plots import save_figure
from kibitz.report.published import CONTEST_FIGURES
from tests.cli.test_commands import kibitz_command

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rules_study() -> Study:
    class Few(studies.StudyRules):
        def tasks(self) -> list[Line]:
            every = studies.rules_lines(["mix2", "greedy"])
            return [line for line in every if line.rules in ("classic", "numbers", "classic,draw=until_playable")]

    return Few(games=3000).play()


@pytest.fixture(scope="module")
def contest_study() -> Study:
    return studies.StudyContests(games=60).play()


def test_figures_are_set_against_classic(rules_study: Study) -> None:
    wins, turns = pages_of(rules_study)
    assert wins.headings == ["rules", "mix2", "greedy"]
    cells = {row[0]: row[1:] for row in wins.rows}
    # 3,000 games, standard error 0.9: Mix2 has 68.8 % under classic, about 50 with numbers alone, 75.6 drawing on.
    assert cells["numbers"][0].endswith(LESS)
    assert cells["classic,draw=until_playable"][0].endswith(MORE)
    assert not any(cell.endswith((MORE, LESS)) for cell in cells["classic"])
    assert {row[0]: row[2] for row in turns.rows}["classic,draw=until_playable"].endswith(MORE)


def test_joint_standard_errors() -> None:
    assert joint_errors(Figure(60.0, 3.0), Figure(50.0, 4.0)) == 2.0
    assert joint_errors(Figure(50.0, 0.0), Figure(50.0, 0.0)) == 0.0


def test_every_reference_figure_of_contests_has_its_line(contest_study: Study) -> None:
    reference = next(page for page in pages_of(contest_study) if "reference" in page.title)
    assert len(reference.rows) == sum(len(figures) for figures in CONTEST_FIGURES.values())
    assert [row[3] for row in reference.rows][:2] == ["69.1", "39.0"]


@pytest.mark.parametrize("suffix", plots.FORMATS)
def test_plots_are_drawn(rules_study: Study, contest_study: Study, tmp_path: Path, suffix: str) -> None:
    for study in (rules_study, contest_study):
        path = tmp_path / f"{study.name}{suffix}"
        plots.check_plot(path)
        save_figure(drawing(study), path)
        assert path.stat().st_size > 5000


def test_equal_studies_draw_equal_plots(rules_study: Study, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        save_figure(drawing(rules_study), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_without_matplotlib_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    imported = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imported(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"a plot needs matplotlib; .*install the extra 'report'"):
        plots.check_plot(tmp_path / "plot.svg")


@pytest.mark.parametrize(("name", "reason"), [("plot.txt", "ends with .svg, .png, .pdf"), ("no/plot.svg", "folder")])
def test_a_plot_that_cannot_be_written_is_refused_before_anything_is_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, reason: str
) -> None:
    code, out, err = kibitz_command(capsys, "study", "rules", "--games", "1000000000", "--plot", str(tmp_path / name))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err


def test_a_page_without_a_place_for_tables_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = kibitz_command(capsys, "study", "contests", "--games", "1000000000", "--write", str(tmp_path / "page.md"))
    assert code == 2
    assert "has no place for the results" in err


def test_the_command_prints_and_writes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results: written by a command -->\nold\n<!-- end of results -->\nafter\n")
    file = tmp_path / "study.json"
    words = ["study", "rules", "greedy", "--games", "200", "--seed", "3", "--json", str(file), "--write", str(page)]
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 0
    assert "hearn" in out and "classic,stacking=progressive" in out and "Turns a game" in out
    value = json.loads(file.read_text())
    assert value["complete"] and len(value["experiments"]) == len(studies.rule_sets())
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "`kibitz study rules --games 200 --seed 3`" in text


@pytest.mark.parametrize(("page", "study"), [("rules", "rules"), ("defensive-play", "contests")])
def test_the_findings_have_their_tables_and_plot(page: str, study: str) -> None:
    text = (ROOT / "docs" / "findings" / f"{page}.md").read_text()
    assert f"Made by `kibitz study {study} --games" in text
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert pictures and all((ROOT / "docs" / "findings" / picture).is_file() for picture in pictures)


def test_markdown_has_every_table_that_is_not_plotted(contest_study: Study) -> None:
    text = markdown(contest_study, "kibitz study contests")
    pages = pages_of(contest_study)
    assert [page.plotted for page in pages].count(True) == 2
    for page in pages:
        assert page.title in text
        assert (f"**{page.title}**" in text) != page.plotted
        assert (f"| {' | '.join(page.rows[-1])} |" in text) != page.plotted
