"""Optional parts: what installs a missing one, in a clone and elsewhere."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kibitz.cli.main import run
from kibitz.core import extras
from kibitz.core.extras import EXTRAS, TOGETHER, install_command, origin, place_of_command

ROOT = Path(__file__).parents[2]
Installed = Callable[..., Path]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Pretend that Kibitz was installed in some way, with a Python in `.venv` of a folder of its own."""

    def install(told: dict[str, Any] | None = None, clone: bool = False, pip: bool = True, active: bool = False) -> Path:
        folder = tmp_path / "my clone"
        programs = folder / ".venv" / ("Scripts" if sys.platform == "win32" else "bin")
        programs.mkdir(parents=True)
        if pip:
            (programs / ("pip.exe" if sys.platform == "win32" else "pip")).write_text("")
            (programs / ("pip.exe" if sys.platform == "win32" else "pip")).chmod(0o755)
        (folder / "pyproject.toml").write_text("")
        code = folder / "src" if clone else folder / ".venv" / "lib" / "site-packages"
        monkeypatch.setattr(extras, "__file__", str(code / "kibitz" / "core/extras.py"))
        monkeypatch.setattr(sys, "executable", str(programs / "python3.12"))
        monkeypatch.setenv("PATH", str(programs) if active else os.devnull)
        text = None if told is None else json.dumps(told)
        monkeypatch.setattr("importlib.metadata.distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
        return folder

    return install


def test_in_a_clone_the_command_is_for_the_clone(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = installed(clone=True)
    pip = Path(".venv") / "bin" / "pip"
    assert (origin(), place_of_command()) == (folder, "in the folder of your clone")
    assert install_command("tune") == f"{pip} install -e '.[tune]'"
    assert install_command("tune", anywhere=True) == f"'{folder / pip}' install -e '{folder}[tune]'"
    monkeypatch.chdir(folder)
    assert install_command("tune", anywhere=True) == f"{pip} install -e '.[tune]'"


def test_an_active_environment_has_a_short_command(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = installed(clone=True, active=True)
    assert install_command("web") == "pip install -e '.[web]'"
    assert install_command("web", anywhere=True) == f"pip install -e '{folder}[web]'"
    monkeypatch.chdir(folder)
    assert install_command("web", anywhere=True) == "pip install -e '.[web]'"


def test_without_a_program_pip_is_a_module(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(installed(clone=True, pip=False))
    assert install_command("web", anywhere=True) == f"{Path('.venv') / 'bin' / 'python3.12'} -m pip install -e '.[web]'"


def test_from_the_package_index_the_name_is_enough(installed: Installed) -> None:
    folder = installed()
    assert (origin(), place_of_command()) == ("", "")
    assert install_command("tune") == "pip install 'kibitz[tune]'"
    assert install_command("tune", anywhere=True) == f"'{folder / '.venv' / 'bin' / 'pip'}' install 'kibitz[tune]'"


def test_a_copy_installed_from_a_folder_comes_from_there_again(installed: Installed, tmp_path: Path) -> None:
    folder = installed({"url": (tmp_path / "my clone").as_uri(), "dir_info": {}})
    assert origin() == folder
    assert install_command("tune").endswith("pip install '.[tune]'")
    assert install_command("tune", anywhere=True).endswith(f"install '{folder}[tune]'")


def test_a_folder_that_is_gone_is_not_named(installed: Installed, tmp_path: Path) -> None:
    installed({"url": (tmp_path / "gone").as_uri(), "dir_info": {}})
    assert install_command("tune") == "pip install 'kibitz[tune]'"


def test_from_a_repository_the_same_commit_is_installed(installed: Installed) -> None:
    installed({"url": "https://example.org/kibitz.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}}, active=True)
    assert install_command("tune") == "pip install 'kibitz[tune] @ git+https://example.org/kibitz.git@12ab'"


def test_a_file_on_this_machine_is_for_the_own_terminal(installed: Installed) -> None:
    installed({"url": "file:///home/ann/kibitz.whl", "archive_info": {}}, active=True)
    assert install_command("tune") == "pip install 'kibitz[tune]'"
    assert install_command("tune", anywhere=True) == "pip install 'kibitz[tune] @ file:///home/ann/kibitz.whl'"


@pytest.mark.parametrize("clone", [True, False])
def test_paths_are_for_the_own_terminal(
    installed: Installed, clone: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = installed(clone=clone)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for own in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda own=own: own)
        with pytest.raises(SystemExit) as end:
            run(["table", "--no-open"])
        assert end.value.code == 2
        said = capsys.readouterr().err
        place = "in the folder of your clone, " if clone and not own else ""
        assert said == (
            f"kibitz: the table in the browser needs fastapi; {place}install the extra 'web' (about 10 MB) with: {install_command('web', own)}\n"
        )
        assert (str(folder) in said) == own


def test_every_extra_that_is_declared_is_known() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(declared) == {*EXTRAS, *TOGETHER}
    for name, extra in EXTRAS.items():
        assert [requirement.partition(">=")[0] for requirement in declared[name]] == list(extra.costs)


def test_sizes_are_round_and_in_the_readme() -> None:
    smallest, largest = (pick(EXTRAS.values(), key=lambda extra: extra.megabytes).size.removeprefix("about ") for pick in (min, max))
    assert f"from {smallest} to {largest}](docs/install.md#extras)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert [EXTRAS[name].size for name in ("ratings", "report", "learn")] == ["about 3 MB", "about 280 MB", "about 0.9 GB"]


# -- kibitz doctor --


def doctor(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as end:
        run(["doctor", *words])
    assert end.value.code == 0
    return capsys.readouterr().out


def test_the_doctor_never_says_ok_beside_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name in ("optuna", "torch", "cma"):
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    out = doctor(capsys)
    lines = [line for line in out.splitlines() if "missing" in line]
    assert len(lines) >= 3 and not [line for line in lines if " ok " in line]
    (optuna,) = [line for line in lines if " optuna " in line]
    assert "no kibitz tune (extra 'tune', about 45 MB)" in optuna
    for extra in ("tune", "learn"):
        assert out.count(f"  {install_command(extra)}\n") == 1  # brackets and all
    value = json.loads(doctor(capsys, "--json", "-"))
    assert value["ok"] is True
    assert value["install"] == [install_command("tune"), install_command("learn")]
    assert [finding["what"] for finding in value["findings"] if finding["found"] == "missing"] == ["optuna", "torch", "cma"]
    assert all(finding["ok"] is None for finding in value["findings"] if finding["found"] == "missing")
