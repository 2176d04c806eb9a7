"""Kuhn poker installed beside Kibitz, as docs/add-a-game.md tells it: commands run in processes that find it, this one does not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`examples/kuhn/([\w/.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))

STUDY = {"study seats": ("kibitz_kuhn.study:StudySeats", "Which seat is better?")}  # which the page adds in a sentence

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package that the page's code makes, and what pip would write beside it about its entry point."""
    folder = tmp_path_factory.mktemp("installed")
    for name, text in FILES.items():
        if name.startswith("src/"):
            file = folder / name.removeprefix("src/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text.replace("face=Face(", f"face=Face(experiments={STUDY}, "), encoding="utf-8")
    for name in ("study", "figures"):
        shutil.copy(Path(__file__).parent / "seat_study" / f"{name}.py", folder / "kibitz_kuhn")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    about = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    entries = "".join(f"{name} = {where}\n" for name, where in project["entry-points"]["kibitz.games"].items())
    (about / "entry_points.txt").write_text(f"[kibitz.games]\n{entries}")
    return folder


@pytest.fixture(scope="session")
def python(installed: Path) -> Run:
    """Python with the package on its path."""
    paths = [str(ROOT / "src"), str(installed), str(ROOT)]

    def run(*words: str, code: int = 0, **options: str) -> Finished:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "120"}
        done = subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=environment,
            input=options.get("input", ""),
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def command(python: Run) -> Run:
    """A command of the program."""
    return lambda *words, **options: python("-m", "kibitz", *words, **options)
