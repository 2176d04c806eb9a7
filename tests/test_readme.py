"""The README: its code runs, its commands exist, its table has a place."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from kibitz.report.formatting import BEGIN_MARK, END_MARK

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
BLOCKS = [block for language, block in FENCED if language == "python"]
LINES = [shlex.split(line, comments=True) for language, block in FENCED if not language for line in block.splitlines()]
FEW = {"match": "50", "evaluate": "50", "tournament": "12"}  # games, to keep it short
COMMANDS = [words for program, *words in LINES if program == "kibitz"]


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


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_runs(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from kibitz.cli.main import run

    shutil.copytree(README.parent / "examples", tmp_path / "examples")
    (tmp_path / "mine.py").write_text(BLOCKS[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))  # whoever is asked leaves the game
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: None)  # and a server ends as soon as it has said where it is
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("kibitz.cli.table._leave_thinkers", lambda server: None)  # it ends the process, which is ours
    with pytest.raises(SystemExit) as end:
        run([*words, *(["--games", FEW[words[0]]] if words[0] in FEW else [])])
    assert end.value.code == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_every_command_is_in_the_table() -> None:
    from kibitz.cli.main import app

    named = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert named == set(re.findall(r"`kibitz ([\w-]+)", TEXT.partition("## House rules")[0]))


def test_both_commands_and_the_place_of_the_table_are_there() -> None:
    for word in ("make evaluate", "make test", "make PYTHON=python3.13 evaluate", BEGIN_MARK, END_MARK, "not affiliated"):
        assert word in TEXT
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("evaluate:", "test:", "results:", "verify:"):
        assert f"\n{target}" in makefile
    assert '@echo "make PYTHON=python3.13 evaluate ' in makefile


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target
