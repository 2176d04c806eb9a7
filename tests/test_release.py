"""`make release`: what stops it, and what the wheel must hold. The habits beside it: hooks and the workflow."""

from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import script

ROOT = Path(__file__).parents[1]
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-18\n### Added\n- A thing.\n\n## 1.1.0\n- The first.\n"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return script("tools/release.py")


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository that is ready to release 1.2.0."""
    package = tmp_path / "src" / "kibitz"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (package / "py.typed").write_text("")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    git(tmp_path, "tag", "v1.1.0")
    return tmp_path


def committed(tree: Path, name: str, text: str) -> None:
    (tree / name).write_text(text)
    git(tree, "commit", "--quiet", "--all", "--message", "Change")


def test_a_tree_in_order_gives_its_version(release: ModuleType, tree: Path) -> None:
    assert release.check(tree) == "1.2.0"


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.3.0", "no heading '## 1.3.0'"),
        ("1.1.0", "1.2.0 above 1.1.0"),
        ("1.2", "must look like 1.2.3, got '1.2'"),
        ("1.02.0", "must look like 1.2.3"),
    ],
)
def test_a_wrong_version_is_refused(release: ModuleType, tree: Path, version: str, reason: str) -> None:
    committed(tree, "src/kibitz/__init__.py", f'__version__ = "{version}"\n')
    with pytest.raises(release.NotReady, match=re.escape(reason)):
        release.check(tree)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("## 1.2.0 - 2026-11-18\n", "", "no heading '## 1.2.0'"),
        ("## Unreleased\n", "## Unreleased\n- Not yet moved.\n", "lines under Unreleased"),
        ("### Added\n- A thing.\n", "", "says nothing about 1.2.0"),
    ],
)
def test_a_changelog_that_does_not_fit_is_refused(release: ModuleType, tree: Path, old: str, new: str, reason: str) -> None:
    committed(tree, "CHANGELOG.md", CHANGELOG.replace(old, new))
    with pytest.raises(release.NotReady, match=re.escape(reason)):
        release.check(tree)


def test_a_tree_that_is_not_clean_is_refused(release: ModuleType, tree: Path) -> None:
    (tree / "left.py").write_text("")
    with pytest.raises(release.NotReady, match="isn't clean"):
        release.check(tree)


def test_a_tag_that_exists_or_is_above_is_refused(release: ModuleType, tree: Path) -> None:
    git(tree, "tag", "v1.10.0")
    with pytest.raises(release.NotReady, match=re.escape("the tag v1.10.0 is above 1.2.0")):
        release.check(tree)
    git(tree, "tag", "--delete", "v1.10.0")
    git(tree, "tag", "v1.2.0")
    with pytest.raises(release.NotReady, match=re.escape("the tag v1.2.0 exists already")):
        release.check(tree)


def test_all_reasons_come_at_once(release: ModuleType, tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text("# Changelog\n")
    git(tree, "tag", "v1.2.0")
    with pytest.raises(release.NotReady) as stop:
        release.check(tree)
    assert len(str(stop.value).splitlines()) == 3


def test_a_wheel_holds_what_the_repository_holds_and_no_more(release: ModuleType, tree: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "kibitz.whl"
    for files, faults in (
        (("__init__.py", "py.typed"), []),
        (("__init__.py",), ["the wheel lacks kibitz/py.typed."]),
        (("__init__.py", "py.typed", "note.txt"), ["the wheel has kibitz/note.txt, which isn't in the repository."]),
    ):
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("kibitz-1.2.0.dist-info/METADATA", "")
            for name in files:
                archive.writestr(f"kibitz/{name}", "")
        assert release.content_faults(tree, wheel) == faults


@pytest.mark.parametrize(("dry", "tags"), [(True, ["v1.1.0"]), (False, ["v1.1.0", "v1.2.0"])])
def test_the_tag_comes_last_and_not_in_a_dry_run(
    release: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch, dry: bool, tags: list[str]
) -> None:
    steps: list[str] = []

    def build(root: Path, folder: Path, version: str) -> Path:
        steps.append("build")
        assert list(folder.iterdir()) == []
        with zipfile.ZipFile(folder / "kibitz.whl", "w") as archive:
            for name in ("__init__.py", "py.typed"):
                archive.writestr(f"kibitz/{name}", "")
        return folder / "kibitz.whl"

    def try_wheel(wheel: Path, version: str, folder: Path) -> None:
        assert release.git(tree, "tag", "--list").split() == ["v1.1.0"]
        steps.append("try")

    monkeypatch.setattr(release, "build", build)
    monkeypatch.setattr(release, "try_wheel", try_wheel)
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "Ann")
        monkeypatch.setenv(f"{name}_EMAIL", "ann@example.org")
    release.release(tree, dry)
    assert steps == ["build", "try"]
    assert release.git(tree, "tag", "--list").split() == tags


def test_words_that_are_not_known_are_refused(release: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--force"]) == 2
    assert "--dry-run" in capsys.readouterr().err


def test_hooks_run_the_ruff_of_the_tests() -> None:
    pinned = re.search(r"^ruff==(.+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert pinned
    hooks = re.findall(r"ruff==([\d.]+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert hooks == [pinned[1], pinned[1]]


def test_the_workflow_runs_every_supported_python() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    supported = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert supported
    versions = [f"3.{minor}" for minor in range(int(supported[1]), int(supported[2]))]
    lists = re.findall(r"python: \[(.+)\]", workflow)
    assert lists == [", ".join(f'"{version}"' for version in versions)] * 2
