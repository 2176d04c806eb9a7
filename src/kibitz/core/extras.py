"""Optional parts of an installation: what each extra brings, how large it is, what you can't do without it, and how to install it.

Whoever misses a package asks here for the sentence to say. `kibitz doctor` and docs/install.md list the same extras.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kibitz.core.errors import BadValue

IN_CLONE = "in the folder of your clone"


@dataclass(frozen=True)
class Extra:
    """An optional part: the packages it brings with what you can't do without each, and its size on disk beside the plain install."""

    name: str
    costs: Mapping[str, str]
    megabytes: int  # measured on Linux with the versions in constraints.txt, their own requirements included

    @property
    def size(self) -> str:
        """The size in words."""
        return in_words(self.megabytes)


def in_words(megabytes: int) -> str:
    """A size, rounded."""
    return f"about {megabytes} MB" if megabytes < 900 else f"about {megabytes / 1000:.1f} GB"


_NO_TABLE = "no kibitz table"
EXTRAS = {
    extra.name: extra
    for extra in (
        Extra("report", {"matplotlib": "no plots and no report pages", "pyarrow": "no parquet files; csv and jsonl work"}, 280),
        Extra("ratings", {"openskill": "no live ladder; ratings fitted to all results work"}, 3),
        Extra("tune", {"optuna": "no kibitz tune"}, 45),
        Extra("web", {"fastapi": _NO_TABLE, "uvicorn": _NO_TABLE, "websockets": _NO_TABLE}, 10),
        Extra(
            "learn",
            {"torch": "no kibitz train net; trained networks play without it", "cma": "no kibitz train perceptron --method cma"},
            900,
        ),
        Extra(
            "envs",
            {
                "pettingzoo": "no environments of several agents",
                "gymnasium": "no environments of one agent and no vectors of them",
                "pillow": "no pictures of environments",
            },
            35,
        ),
        Extra("onnx", {"onnxruntime": "no bots made of ONNX files"}, 60),
        Extra("cluster", {"ray": "no --cluster: experiments run on one machine"}, 250),
        Extra("openspiel", {"open_spiel": "no games for OpenSpiel"}, 75),
        Extra(
            "gallery",
            {
                "stable_baselines3": "no bots made of its models",
                "sb3_contrib": "no bots made of models of MaskablePPO",
                "torchrl": "no examples/gallery/torchrl_ppo.py",
                "tianshou": "no examples/gallery/tianshou_ppo.py",
                "rlcard": "no examples/gallery/rlcard_dqn.py",
            },
            1_200,
        ),
    )
}
PLAIN_MEGABYTES = 470  # what the plain install takes: numpy, numba, scipy, typer, rich and what they need
TOGETHER = {"all": 1_750, "test": 2_050}  # extras made of others, in megabytes; browsers that tests download come on top


class MissingExtra(BadValue):
    """A package is missing that an extra brings. The message has no paths in it; `for_terminal` names them for the user's own eyes."""

    def __init__(self, what: str, package: str, title: str = "") -> None:
        self._extra, self._need = extra_of(package), f"{what} needs {title or package}"
        super().__init__(self._told(anywhere=False))

    @property
    def for_terminal(self) -> str:
        """The message with a command that works in any folder."""
        return self._told(anywhere=True)

    def _told(self, anywhere: bool) -> str:
        place = f"{place_of_command()}, " if not anywhere and place_of_command() else ""
        how = install_command(self._extra.name, anywhere)
        return f"{self._need}; {place}install the extra '{self._extra.name}' ({self._extra.size}) with: {how}"


@contextmanager
def needed_for(what: str, package: str, title: str = "") -> Iterator[None]:
    """Say which extra to install if the block can't import what it brings; a mistake in Kibitz itself stays what it is."""
    try:
        yield
    except ImportError as error:
        if str(error.name).startswith("kibitz."):
            raise
        raise MissingExtra(what, package, title) from None


def extra_of(package: str) -> Extra:
    """The extra that brings a package."""
    return next(extra for extra in EXTRAS.values() if package in extra.costs)


def install_command(extra: str, anywhere: bool = False) -> str:
    """The command that installs an extra into this Python, from wherever Kibitz itself came; `place_of_command` says where to give it.

    With `anywhere` it works in the current folder, whichever that is, which may take absolute paths: only for the user's own terminal.
    """
    source = origin()
    if not isinstance(source, Path):
        address = f" @ {source}" if source and (anywhere or not source.startswith("file:")) else ""
        return shlex.join([*_pip(None, anywhere), "install", f"kibitz[{extra}]{address}"])
    inside = not anywhere or Path.cwd() == source.resolve()
    editable = ["-e"] if source == checkout() else []
    return shlex.join([*_pip(source if inside else None, anywhere), "install", *editable, f"{'.' if inside else source}[{extra}]"])


def place_of_command() -> str:
    """Where a command that names no paths is to be given: in the clone that Kibitz came from, or "" for anywhere."""
    return IN_CLONE if isinstance(origin(), Path) else ""


def origin() -> Path | str:
    """Where Kibitz was installed from: the folder of a clone, an address, or "" for the package index."""
    # Imported here: every command starts with this module, and few ask where they come from.
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    clone = checkout()
    if clone is not None:
        return clone
    try:
        told = json.loads(distribution("kibitz").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    address = str(told.get("url", ""))
    if "dir_info" in told:
        folder = Path(url2pathname(urlsplit(address).path))
        return folder if folder.is_dir() else ""
    version = told.get("vcs_info")
    return f"{version['vcs']}+{address}@{version['commit_id']}" if version else address


def checkout() -> Path | None:
    """The clone that this very code lies in, if it does."""
    folder = Path(__file__).parents[3]
    return folder if (folder / "pyproject.toml").is_file() and folder / "src" == Path(__file__).parents[2] else None


def _pip(folder: Path | None, private: bool) -> list[str]:
    """The pip of this Python, seen from a folder if it lies there; an absolute path only if that is `private`."""
    python = Path(sys.executable)
    found = shutil.which("pip")
    if found and Path(found).parent == python.parent:
        return ["pip"]
    program = python.with_name("pip.exe" if sys.platform == "win32" else "pip")
    program, more = (program, []) if program.exists() else (python, ["-m", "pip"])
    if folder is not None and program.is_relative_to(folder):
        return [str(program.relative_to(folder)), *more]
    return [str(program), *more] if private else ["pip"]
