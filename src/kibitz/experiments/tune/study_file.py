"""The file of a tuning study: an SQLite file of Optuna's with one study in it, looked at before it is touched.

A trial is written when it is finished, all of it or nothing, so that a run killed at any moment goes on from the last one. Only one
process at a time may go on with a study. Needs the extra `tune`, which brings Optuna; its own tools can read the file as well.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.extras import needed_for
from kibitz.core.reading import check_kind
from kibitz.core.spellings import understood
from kibitz.runs import locks

STUDY_NAME = "kibitz"
CONFIG = "kibitz"  # the attribute of the study that says what is tuned
_MAGIC = b"SQLite format 3\0"
_LOCK = 1
_ELSE = "name another file with --study"


class StudyError(KibitzError):
    """A study cannot be used; the message says which file and why."""


def load_optuna() -> Any:
    """Optuna, which says nothing by itself."""
    with needed_for("tuning", "optuna"):
        import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


class StudyFile:
    """An open study; `config` is all that decides what its trials find."""

    def __init__(self, path: Path, config: Mapping[str, Any], resume: bool = False) -> None:
        self._optuna = load_optuna()
        self.path = path
        wanted = json.loads(json.dumps(config))
        known = _look(path)
        if resume and not known:
            raise StudyError(f"there is no study at {path} to resume; leave out --resume to begin one, or {_ELSE}.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not locks.acquire(path, _LOCK):
                raise StudyError(f"study {path} is being tuned by another process; wait for it, or {_ELSE}.")
        except OSError as error:
            raise StudyError(f"study {path} cannot be written: {error.strerror}; {_ELSE}.") from error
        self._storage: Any = None
        try:
            with self._explained():
                self._storage = self._optuna.storages.RDBStorage(f"sqlite:///{path}")
                self._study = self._optuna.create_study(
                    storage=self._storage, study_name=STUDY_NAME, direction="maximize", load_if_exists=True
                )
                if not known:
                    self._study.set_user_attr(CONFIG, wanted)
                _check(path, self._study.user_attrs.get(CONFIG, wanted), wanted)
        except BaseException:
            self.close()
            raise

    def trials(self) -> list[Any]:
        """Every trial that is finished, in order, as Optuna has them."""
        with self._explained():
            complete = self._optuna.trial.TrialState.COMPLETE
            return [trial for trial in self._study.get_trials(deepcopy=False) if trial.state == complete]

    def keep(self, trial: Any) -> None:
        """Write one finished trial."""
        with self._explained():
            self._study.add_trial(trial)

    def close(self) -> None:
        """Close the file and let others have it."""
        if self._storage is not None:
            self._storage.remove_session()
            self._storage.engine.dispose()
        locks.release(self.path, _LOCK)

    def __enter__(self) -> StudyFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what Optuna and SQLite say into a sentence that names the file."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except KibitzError:
            raise
        except (SQLAlchemyError, sqlite3.Error, self._optuna.exceptions.OptunaError, RuntimeError, ValueError, KeyError) as error:
            cause = error.__cause__ if isinstance(error.__cause__, SQLAlchemyError) else error
            what = str(getattr(cause, "orig", None) or cause).partition("\n")[0].rstrip(".")
            raise StudyError(f"study {self.path} cannot be used ({what}) and is left as it is; {_ELSE}.") from error


def _look(path: Path) -> bool:
    """Whether there is a study of ours; a file that is something else, or damaged, is refused before it is opened for writing."""
    try:
        check_kind(path, "study")
    except BadValue as error:
        raise StudyError(f"{str(error).rstrip('.')}; {_ELSE}.") from None
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StudyError(f"study {path} cannot be read: {error.strerror}; {_ELSE}.") from error
    if not begin:
        return False
    if begin != _MAGIC:
        raise StudyError(f"{path} is not a study (it is no SQLite file) and is left as it is; {_ELSE}.")
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if found != "ok":
            raise StudyError(f"study {path} is damaged ({found.splitlines()[-1]}) and is left as it is; {_ELSE}.")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "studies" not in tables or "study_user_attributes" not in tables:
            raise StudyError(f"{path} is not a study (it is an SQLite file of another kind) and is left as it is; {_ELSE}.")
        studies = connection.execute("SELECT study_id, study_name FROM studies").fetchall()
        if not studies:  # killed before its first study was there
            return False
        ours = connection.execute("SELECT count(*) FROM study_user_attributes WHERE key = ?", (CONFIG,)).fetchone()[0]
        if ours == 0:
            trials = connection.execute("SELECT count(*) FROM trials").fetchone()[0]
            if trials == 0 and [name for _, name in studies] == [STUDY_NAME]:
                return False  # killed before it could say what it tunes
            raise StudyError(f"study {path} was not made by kibitz and is left as it is; {_ELSE}.")
    except sqlite3.DatabaseError as error:
        raise StudyError(f"study {path} is damaged ({error}) and is left as it is; {_ELSE}.") from error
    finally:
        connection.close()
    return True


def _check(path: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to go on with a study of something else."""
    known = {"results_version": 1, **known}  # studies did not always say
    for key, value in wanted.items():
        if known.get(key) != value and _respelled(known.get(key), str(known.get("game"))) != value:
            if key == "bot":
                raise StudyError(f"study {path} tunes {known.get(key)}, not {value}; {_ELSE}.")
            raise StudyError(
                f"study {path} was begun with {key}={_shown(known.get(key))}, not {_shown(value)}; go on as it was, or {_ELSE}."
            )


def _respelled(value: Any, game: str) -> Any:
    """A bot, or several, as they are named now, if they were named by old spellings."""
    if isinstance(value, list):
        return [_respelled(one, game) for one in value]
    if not isinstance(value, str) or registry.is_file_name(value):
        return value
    with suppress(KibitzError), understood():
        return registry.entrant(value, game).name
    return value


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_shown(one)}" for key, one in value.items()) or "nothing"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "/".join(map(_shown, value)) or "nothing"
    return "nothing" if value is None else str(value)
