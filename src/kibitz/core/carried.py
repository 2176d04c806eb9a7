"""Files that travelled with a job to another machine: there each is found under the name that it had where the job began.

Whoever reads a file that a user named asks `place_of` where its content is. Where nothing travelled, that is the name itself.
"""

from __future__ import annotations

import hashlib
import linecache
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kibitz.core.errors import BadValue


@dataclass(frozen=True)
class CarriedFile:
    """A file that travels: the spellings by which it was named, its full name there, and the SHA-256 of its content."""

    names: tuple[str, ...]
    full: str
    digest: str
    is_program: bool = False

    @property
    def parcel(self) -> str:
        """Where it is in the folder that travels."""
        return f"files/{self.digest[:20]}/{Path(self.full).name}"


_places: dict[str, str] = {}
_full_names: dict[str, str] = {}


def digest_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packed_file(names: Iterable[str]) -> CarriedFile:
    """A file of this machine by the spellings of its name."""
    spelled = tuple(dict.fromkeys(names))
    full = str(Path(spelled[0]).resolve())
    absolute = (str(Path(name).absolute()) for name in spelled)
    return CarriedFile(tuple(dict.fromkeys([*spelled, *absolute, full])), full, digest_of(full), os.access(full, os.X_OK))


def unpack_files(files: Iterable[CarriedFile], folder: Path) -> None:
    """Let this process find files that arrived in a folder under their old names; one that is not what was sent is refused."""
    for file in files:
        place = folder / file.parcel
        if not place.is_file() or digest_of(place) != file.digest:
            raise BadValue(f"file {file.full} did not arrive as it was sent: its content differs.")
        if file.is_program:
            place.chmod(0o755)
        for name in file.names:
            _places[name], _full_names[name] = str(place), file.full
        if place.suffix == ".py":  # so that lines of it can be shown, as if it were here
            lines = place.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
            linecache.cache[file.full] = (len(lines), None, lines, file.full)


def place_of(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Where the content of a file is."""
    return _places.get(os.fspath(path), path) if _places else path


def full_name(path: Path) -> Path:
    """The full name of a file where the job began."""
    found = _full_names.get(os.fspath(path))
    return Path(found) if found else path.resolve()


def named_as_before(text: str) -> str:
    """A message with the old names of files instead of the places where they are now."""
    for name, place in _places.items():
        text = text.replace(place, _full_names[name])
    return text


def forget_carried() -> None:
    """Forget all files that travelled."""
    _places.clear()
    _full_names.clear()
