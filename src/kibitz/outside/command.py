"""The command of an outside bot: the program it means, its files, and the libraries that the program needs to read."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from kibitz.core.errors import BadValue
from kibitz.core.reading import is_file
from kibitz.outside.limits import OutsideFault

RUN_BY = {  # which program usually runs a file of this kind
    ".cjs": "node",
    ".jar": "java -jar",
    ".jl": "julia",
    ".js": "node",
    ".lua": "lua",
    ".mjs": "node",
    ".php": "php",
    ".pl": "perl",
    ".py": "python3",
    ".r": "Rscript",
    ".rb": "ruby",
    ".sh": "sh",
    ".tcl": "tclsh",
}
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


def absolute_command(command: Sequence[str], base: Path) -> tuple[list[str], list[Path]]:
    """The command with every argument that names a file seen from `base` made absolute, and those files.

    A program found by its bare name (`perl`) stays as it is, unless there is no such program and `base` has a file of that name.
    """
    words, files = list(command), []
    for index, word in enumerate(words):
        path = (base / word).absolute()
        if is_file(path) and (index > 0 or "/" in word or shutil.which(word, path=_search_path()) is None):
            words[index] = str(path)
            files.append(path)
    return words, files


def check_command(line: str, base: Path) -> None:
    """Refuse a command line whose program, or script right behind it, does not exist, seen from `base`.

    What else the words mean, only the program knows.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadValue(f"the command '{line}' is not understood: {error}.") from error
    for word in words[1:2]:
        if Path(word).suffix in RUN_BY and not re.search(r"^-|[\s:]", word) and not is_file(base / word):
            raise BadValue(f"the command '{line}' names {word}, but there is no such file.")
    try:
        program_of(absolute_command(words, base)[0])
    except OutsideFault as fault:
        raise BadValue(f"the command '{line}' {fault.what}.") from fault


def _search_path() -> str:
    """This interpreter's folder first: `python3` is the Python that runs kibitz."""
    return os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.pathsep.join(SYSTEM_PATH))))


def program_of(command: Sequence[str]) -> str:
    """The full name of the program that a command runs; OutsideFault of kind `start` if there is none."""
    if not command or not command[0]:
        raise OutsideFault("start", "could not be started: its command is empty")
    if any("\0" in word for word in command):
        raise OutsideFault("start", "could not be started: its command has a zero byte")
    name = command[0]
    if "/" in name:
        program = os.path.abspath(name)
        if not os.path.exists(program):
            raise OutsideFault("start", f"could not be started: there is no file '{name}'")
        if os.path.isdir(program) or not os.access(program, os.X_OK):
            raise OutsideFault("start", f"could not be started: '{name}' is not executable")
        return program
    found = shutil.which(name, path=_search_path())
    if found is None:
        raise OutsideFault("start", f"could not be started: there is no program '{name}' in the search path")
    return os.path.abspath(found)


def _runtime(program: str) -> set[Path]:
    """The program and the libraries beside it (`X/lib` of `X/bin/program`), by its name and behind its links."""
    paths = set()
    for path in (Path(program), Path(program).resolve()):
        paths.add(path)
        if path.parent.name == "bin" and path.parent.parent != Path("/"):
            paths |= {part for part in _parts(path.parent.parent) if part.name != "bin"}
    return paths


def _prefixes() -> set[Path]:
    return {Path(prefix) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)}


def _parts(prefix: Path) -> set[Path]:
    return {part for name in ("bin", "lib", "lib64", "pyvenv.cfg") if (part := prefix / name).exists()}


def runtimes_of(program: str) -> set[Path]:
    """What has to be readable for a program and for the Python that guards it."""
    return {*_runtime(program), *_runtime(sys.executable), *(path for prefix in _prefixes() for path in _parts(prefix))}
