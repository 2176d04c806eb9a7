"""What travels to a cluster: the folder of a job, with the files that were named and plug-in games, and work as bytes.

Ray takes the folder to every node (`working_dir` of its runtime environment). Work goes with each unit; what is large in it, such as
weights, is a parcel of its own that travels once, by its digest.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.carried import CarriedFile, digest_of, packed_file
from kibitz.core.errors import BadValue
from kibitz.core.reading import MEGABYTE, is_file
from kibitz.games.plugins import homes
from kibitz.runs.cluster.inspection import Facts

JOB = "job.json"
GAMES = "games"
LARGE = 4096  # bytes of an array that becomes a parcel
MOST_BYTES = 100 * MEGABYTE  # of a job's folder
NOT_CODE = ("__pycache__", "*.pyc", ".git", ".venv", "node_modules")
IGNORING = (".gitignore", ".rayignore")  # which Ray would follow, so that not all would arrive


@dataclass(frozen=True)
class CarriedGame:
    """A game of another package: its name, where its definition is, its package in the folder, and the digest of all that is in that."""

    name: str
    definition: str
    package: str
    digest: str

    def check_arrived(self, folder: Path) -> None:
        """Refuse a package that is not what was sent."""
        if _digest_of_package(folder / GAMES / self.package) != self.digest:
            raise BadValue(f"the package {self.package} of the game {self.name} did not arrive as it was sent: its content differs.")


@dataclass(frozen=True)
class JobPapers:
    """What a worker has to know of a job before its first unit."""

    expected: Facts
    files: tuple[CarriedFile, ...] = ()
    games: tuple[CarriedGame, ...] = ()
    decision_seconds: float | None = None
    guards: str = ""  # who says which guards of outside bots there are, if such bots play

    def write(self, folder: Path) -> None:
        """Put them into the folder that travels."""
        (folder / JOB).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> JobPapers:
        """From the folder that arrived."""
        found = json.loads((folder / JOB).read_text(encoding="utf-8"))
        files = tuple(CarriedFile(**{**file, "names": tuple(file["names"])}) for file in found.pop("files"))
        return cls(files=files, games=tuple(CarriedGame(**game) for game in found.pop("games")), **found)


def pack_job(folder: Path, papers: JobPapers, files: Iterable[str] = (), games: Iterable[str] = ()) -> JobPapers:
    """Fill the folder of a job with the files that were named, and with games that other packages bring."""
    by_file: dict[Path, list[str]] = {}
    for name in files:
        if not is_file(name):
            raise BadValue(f"file {name} does not exist, so it can't travel to the cluster.")
        by_file.setdefault(Path(name).resolve(), []).append(name)
    carried = tuple(packed_file(names) for names in by_file.values())
    for file in carried:
        place = folder / file.parcel
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.full, place)
    taken = [_pack_game(folder, name) for name in dict.fromkeys(games) if name in homes()]
    made = JobPapers(papers.expected, carried, tuple(taken), papers.decision_seconds, papers.guards)
    made.write(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        raise BadValue(f"what travels to the cluster has {size / MEGABYTE:.0f} MB; at most {MOST_BYTES // MEGABYTE} MB are accepted.")
    return made


def _pack_game(folder: Path, name: str) -> CarriedGame:
    home = homes()[name]
    target = folder / GAMES / home.package.name
    if home.package.is_dir():
        shutil.copytree(home.package, target, ignore=_left_out(home.package), dirs_exist_ok=True)
    else:
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(home.package, target)
    return CarriedGame(name, home.definition, home.package.name, _digest_of_package(target))


def _left_out(package: Path) -> Callable[[str, list[str]], set[str]]:
    """Says what of a folder of a package stays here; a link that leads out of the package is refused."""
    patterns = shutil.ignore_patterns(*NOT_CODE, *IGNORING)

    def left_out(folder: str, names: list[str]) -> set[str]:
        found = patterns(folder, names)
        for path in (Path(folder) / name for name in names if name not in found):
            if path.is_symlink() and not path.resolve().is_relative_to(package):
                raise BadValue(f"{path} is a link out of its package, so it can't travel to the cluster; put a copy there.")
        return found

    return left_out


def _digest_of_package(package: Path) -> str:
    """The SHA-256 of the files of a package and their names; compiled code may have come since."""
    files = {path.relative_to(package): path for path in [package, *package.rglob("*")] if path.is_file() and path.suffix != ".pyc"}
    told = sorted((name.as_posix(), digest_of(path)) for name, path in files.items() if "__pycache__" not in name.parts)
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


# -- work as bytes --


class _Packer(pickle.Pickler):
    """Pickles a value, with large arrays as parcels."""

    def __init__(self, target: io.BytesIO, parcels: dict[str, bytes]) -> None:
        super().__init__(target, protocol=5)
        self._parcels = parcels

    def persistent_id(self, value: Any) -> Any:
        """The digest of a large array; None for everything that stays in place."""
        if type(value) is not np.ndarray or value.nbytes < LARGE or value.dtype.hasobject:
            return None
        packed = pickle.dumps(value, protocol=5)
        digest = digest_of_bytes(packed)
        self._parcels[digest] = packed
        return digest


class _Unpacker(pickle.Unpickler):
    def __init__(self, source: bytes, parcels: Mapping[str, bytes]) -> None:
        super().__init__(io.BytesIO(source))
        self._parcels = parcels

    def persistent_load(self, digest: Any) -> Any:
        return pickle.loads(self._parcels[digest])


def digest_of_bytes(packed: bytes) -> str:
    """The name of a parcel."""
    return hashlib.sha256(packed).hexdigest()[:32]


def pack(value: Any) -> tuple[bytes, dict[str, bytes]]:
    """A value as bytes, and its parcels by digest."""
    target, parcels = io.BytesIO(), dict[str, bytes]()
    _Packer(target, parcels).dump(value)
    return target.getvalue(), parcels


def unpack(packed: bytes, parcels: Mapping[str, bytes]) -> Any:
    """The value again."""
    return _Unpacker(packed, parcels).load()


@dataclass(frozen=True)
class PackedCall:
    """A call as it travels: the function as a parcel, the arguments as they are, and the digests of all parcels they need."""

    work: str
    arguments: bytes
    parcels: Mapping[str, bytes]

    @classmethod
    def of(cls, function: Callable[..., Any], arguments: Sequence[Any]) -> PackedCall:
        """A function and its arguments."""
        packed, parcels = pack(function)
        digest = digest_of_bytes(packed)
        given, more = pack(tuple(arguments))
        return cls(digest, given, {digest: packed, **parcels, **more})

    @property
    def size(self) -> int:
        """Bytes that go with the unit itself."""
        return len(self.arguments) + sum(map(len, self.parcels))
