"""Make a release: check everything that can be checked, build, try the wheel in a clean environment, and only then tag.

python tools/release.py             all of it
python tools/release.py --dry-run   all but the tag

The version is `__version__` in src/kibitz/__init__.py. CHANGELOG.md must have a section for it at the top with nothing left under
Unreleased, the tree must be clean, and the tag must be free. Nothing is pushed or uploaded: the last lines say how.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/kibitz"


class NotReady(Exception):
    """Why this tree can't be released."""


def git(root: Path, *words: str) -> str:
    """What git says in a repository."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def version_of(root: Path) -> str:
    """The version that the package says it has."""
    found = re.search(r'^__version__ = "(.*)"$', (root / PACKAGE / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise NotReady(f'{PACKAGE}/__init__.py has no line __version__ = "X.Y.Z".')
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", found[1]):
        raise NotReady(f"the version must look like 1.2.3, got {found[1]!r}.")
    return found[1]


def sections_of(changelog: str) -> dict[str, str]:
    """The text under each heading of a changelog, newest first; dates behind a version are left out of the heading."""
    parts = re.split(r"^## (.+)$", changelog, flags=re.MULTILINE)
    return {heading.split(" ")[0].strip("[]"): text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def changelog_faults(root: Path, version: str) -> list[str]:
    """What is wrong with the changelog."""
    sections = sections_of((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if version not in sections:
        return [f"CHANGELOG.md has no heading '## {version}'."]
    faults = []
    if sections.pop("Unreleased", ""):
        faults.append(f"CHANGELOG.md has lines under Unreleased; move them under '## {version}'.")
    if next(iter(sections)) != version:
        faults.append(f"CHANGELOG.md has {next(iter(sections))} above {version}; the version to release comes first.")
    if not sections[version]:
        faults.append(f"CHANGELOG.md says nothing about {version}.")
    return faults


def tree_faults(root: Path, version: str) -> list[str]:
    """What is wrong with the repository: uncommitted changes, a tag that is taken, a version that was overtaken."""
    faults = []
    if git(root, "status", "--porcelain"):
        faults.append("the tree isn't clean; commit or remove what `git status` lists.")
    tags = git(root, "tag", "--list", "v*").split()
    if f"v{version}" in tags:
        faults.append(f"the tag v{version} exists already; raise __version__.")
    newer = [tag for tag in tags if _numbers(tag) > _numbers(version)]
    if newer:
        faults.append(f"the tag {max(newer, key=_numbers)} is above {version}.")
    return faults


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def check(root: Path) -> str:
    """The version to release, if the tree is ready for it; every reason why not otherwise."""
    version = version_of(root)
    faults = changelog_faults(root, version) + tree_faults(root, version)
    if faults:
        raise NotReady("\n".join(faults))
    return version


def build(root: Path, folder: Path, version: str) -> Path:
    """Build the source archive, and the wheel from it; the path of the wheel."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(root)], check=True, stdout=subprocess.DEVNULL)
    wheel = folder / f"kibitz-{version}-py3-none-any.whl"
    if not wheel.is_file() or not (folder / f"kibitz-{version}.tar.gz").is_file():
        raise NotReady(f"the build made {', '.join(sorted(path.name for path in folder.iterdir()))}, not kibitz {version}.")
    return wheel


def content_faults(root: Path, wheel: Path) -> list[str]:
    """Files that the wheel lacks, or has without being in the repository: modules, pages, weights, py.typed."""
    wanted = {name.removeprefix("src/") for name in git(root, "ls-files", "-z", PACKAGE).split("\0") if name}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    faults = [f"the wheel lacks {name}." for name in sorted(wanted - held)]
    return faults + [f"the wheel has {name}, which isn't in the repository." for name in sorted(held - wanted)]


def try_wheel(wheel: Path, version: str, folder: Path) -> None:
    """Install the wheel into a clean environment, ask for its version and play a small match there."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KIBITZ", "VIRTUAL_ENV"))}
    surroundings |= {"KIBITZ_CACHE": str(folder / "cache"), "KIBITZ_STORE": str(folder / "runs.db")}

    def run(*words: str) -> str:
        done = subprocess.run(
            [str(programs / words[0]), *words[1:]],
            cwd=folder,
            env=surroundings,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            raise NotReady(f"`{' '.join(words)}` failed in a clean environment:\n{done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    said = run("kibitz", "--version").strip()
    if said != f"kibitz {version}":
        raise NotReady(f"`kibitz --version` says {said!r} in a clean environment, not kibitz {version}.")
    if "mix2" not in run("kibitz", "match", "mix2", "linear", "--games", "200", "--seed", "1"):
        raise NotReady("a small match printed no row for mix2 in a clean environment.")


def release(root: Path, dry: bool) -> None:
    """Go through all steps, with a line for each."""
    version = check(root)
    print(f"{version}: version, changelog, tree and tag are in order.", flush=True)
    folder = root / "dist" / version
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    wheel = build(root, folder, version)
    faults = content_faults(root, wheel)
    if faults:
        raise NotReady("\n".join(faults))
    print(f"built {wheel.relative_to(root)} and the source archive; the wheel is complete.", flush=True)
    with tempfile.TemporaryDirectory() as clean:
        try_wheel(wheel, version, Path(clean))
    print("the wheel installs into a clean environment and plays.", flush=True)
    if dry:
        print(f"A dry run: v{version} is not tagged.")
        return
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Kibitz {version}")
    print(f"Tagged v{version}. To publish it: git push origin v{version}")


def main(words: list[str]) -> int:
    """The exit code: 0 if all went well, 1 if the tree isn't ready, 2 for words that aren't known."""
    if words not in ([], ["--dry-run"]):
        print("tools/release.py knows one option: --dry-run.", file=sys.stderr)
        return 2
    try:
        release(ROOT, dry=bool(words))
    except NotReady as reason:
        print(f"Not released:\n{reason}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as failed:
        print(f"Not released: {' '.join(map(str, failed.cmd[:3]))} … failed.\n{failed.stderr or ''}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
