"""The study of solved games as tables, Markdown and a plot, and on the command line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kibitz.experiments.studies.exact.accuracy import Accuracy
from kibitz.experiments.studies.exact.figures import describe, drawing, markdown, marks_of, pages_of
from kibitz.experiments.studies.exact.study import ExactRow, ExactStudy
from kibitz.report.plots import save_figure
from kibitz.search.exact.solve import solve
from tests.cli.test_commands import kibitz_command
from tests.experiments.studies.exact.games import PAIRS, tree_of

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def row(bot: str, exploitability: float, budget: int = 0, error: float = 0.0) -> ExactRow:
    found = ExactRow(bot, 0.4, -0.5, -0.05, 0.0, exploitability, exploitability, exploitability, 0, 0.0)
    if not budget:
        return found
    accuracy = Accuracy("all play on like random", 224, error, 0.01, error, 0.02, 0.021, 136)
    return replace(
        found,
        error=0.002,
        low=exploitability - 0.01,
        high=exploitability + 0.01,
        samples=40,
        budget=budget,
        series="rollout",
        accuracy=accuracy,
    )


@pytest.fixture
def study() -> ExactStudy:
    tree = tree_of(PAIRS)
    rows = [row("random", 0.04), row("mix2", 0.02), *[row(f"rollout:rollouts={n}", 0.1 / n, n, n**-0.5) for n in (4, 16, 64)]]
    return ExactStudy("tiny", tree, solve(tree), 40, 1, rows, {"rollout": row("rollout without end", 0.0012)}, 0.0032, 65.0)


def test_tables_are_ordered(study: ExactStudy) -> None:
    bots, values = pages_of(study)
    assert [cells[0] for cells in bots.rows] == [
        "mix2",
        "random",
        "rollout:rollouts=4",
        "rollout:rollouts=16",
        "rollout:rollouts=64",
        "rollout without end",
    ]
    assert bots.rows[0] == ["mix2", "−0.0500", "+0.4000", "−0.5000", "0.0200", ""]
    assert bots.rows[2][1] == "−0.0500 ± 0.0020" and bots.rows[2][-1] == "0.0150 and 0.0350"
    assert values.rows[1] == ["rollout", "16", "all play on like random", "0.2500 ± 0.0100", "0.2500", "0.0200", "0.0210"]


def test_exact_figures_have_no_range(study: ExactStudy) -> None:
    (page,) = pages_of(replace(study, rows=study.rows[:2], limits={}))
    assert "between" not in page.headings and page.note == "All figures are exact."


def test_the_game_is_described(study: ExactStudy) -> None:
    text = "\n".join(describe(study))
    assert PAIRS in text and "1,796 positions, 44 + 88 information sets" in text
    assert "+0.4349" in text and "0.0032 or more" in text and "INCOMPLETE" not in text
    assert "INCOMPLETE" in describe(replace(study, complete=False))[-1]


def test_markdown_has_every_table_and_the_command(study: ExactStudy) -> None:
    text = markdown(study, "kibitz study exact mix2")
    for page in pages_of(study):
        table = f"**{page.title}**" in text and f"| {' | '.join(page.rows[-1])} |" in text
        assert table != page.plotted and page.title in text
    assert "Made by `kibitz study exact mix2` with version" in text


def test_plots_are_drawn_and_equal_for_equal_studies(study: ExactStudy, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg", "plot.png"):
        save_figure(drawing(study), tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    save_figure(drawing(replace(study, rows=study.rows[:2], limits={})), tmp_path / "rules.svg")  # no search at all


# -- the command --


def test_the_command_prints_and_writes(capsys: Capture, tmp_path: Path) -> None:
    page, file, plot = tmp_path / "page.md", tmp_path / "study.json", tmp_path / "plot.svg"
    begin, end = marks_of("tiny")
    other = "\n".join(marks_of("small"))
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n{other}\n")
    words = ["study", "exact", "random", "rollout:model=none", "--samples", "4", "--budgets", "2,8", "--seed", "3"]
    code, out, _ = kibitz_command(capsys, *words, "--json", str(file), "--write", str(page), "--plot", str(plot))
    assert code == 0 and plot.stat().st_size > 5000
    assert "value to seat 0: +0.4349" in out and "rollout:rollouts=8,model=none" in out and "plays on like linear" in out
    value = json.loads(file.read_text())
    assert [found["bot"] for found in value["rows"]] == ["random", "rollout:rollouts=2,model=none", "rollout:rollouts=8,model=none"]
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


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--variant", "tinny"], "unknown solved game 'tinny'; did you mean tiny"),
        (["--samples", "0"], "samples=0 is not accepted: bots are asked 4 times or a multiple of it"),
        (["--budgets", "0"], "each of budgets must be 1 or more, got 0"),
        (["nobody"], "unknown bot 'nobody'"),
        (["meanimax"], "plays hanabi"),
        (["rollout:rollouts=0"], "rollouts=0"),
        (["--seed", "-1"], "seed -1"),
        (["--plot", "plot.txt"], "ends with .svg, .png, .pdf"),
        (["--write", "nothing.md"], "<!-- results of tiny: written by a command -->"),
    ],
)
def test_bad_input_is_one_sentence(capsys: Capture, words: list[str], reason: str) -> None:
    code, out, err = kibitz_command(capsys, "study", "exact", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err


# -- the page --


def test_the_page_has_its_tables_and_plot() -> None:
    text = (ROOT / "docs" / "findings" / "exact.md").read_text()
    for game in ("tiny", "small"):
        begin, end = marks_of(game)
        block = text.partition(begin)[2].partition(end)[0]
        assert f"**How exploitable bots are in `{game}`**" in block and "| mix2" in block
        assert "`kibitz study exact" in block and f"--variant {game}" in block  # made by it, or what would make it
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert pictures and all((ROOT / "docs" / "findings" / picture).is_file() for picture in pictures)
