"""The README: its code runs, its commands exist, its table has a place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kibitz.report.tables import BEGIN_MARK, END_MARK

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_runs_and_prints_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "example.py"
    file.write_text(BLOCKS[0].replace("games=100_000", "games=2_000"), encoding="utf-8")
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert "hoarder" in out
    assert "±" in out


def test_the_bot_to_write_plays(tmp_path: Path) -> None:
    import kibitz

    file = tmp_path / "mine.py"
    file.write_text(BLOCKS[1], encoding="utf-8")
    compiled = kibitz.match([f"{file}:lowest", "mix2"], games=100)
    plain = kibitz.match([f"{file}:lowest", "mix2"], games=100, jit=False)
    assert compiled.rows == plain.rows


def test_both_commands_and_the_place_of_the_table_are_there() -> None:
    text = README.read_text(encoding="utf-8")
    for word in ("make evaluate", "make test", BEGIN_MARK, END_MARK, "not affiliated"):
        assert word in text
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("evaluate:", "test:", "results:", "verify:"):
        assert f"\n{target}" in makefile


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target
