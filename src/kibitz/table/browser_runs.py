"""Runs for the browser: started as commands of their own, followed in the store while they are played, stopped, shown as pages and films.

A run is `python -m kibitz match …` with the same store, so it is the same run as one from the command line: it can be resumed there,
and a server that dies takes no finished game with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.public import public, public_command
from kibitz.core.seeds import fresh_seed
from kibitz.experiments.experiment import check_resumable, is_elsewhere, kind_of, page_of, recalled
from kibitz.experiments.experiment_kinds import find_kind
from kibitz.experiments.settings import words_for
from kibitz.experiments.stored_games import Part, check_played, game_at, parts_of
from kibitz.experiments.tournament.config import BUILT_IN, Participant, make_tournament
from kibitz.experiments.tournament.hold import HoldTournament
from kibitz.experiments.tournament.rounds import Play
from kibitz.runs import private
from kibitz.runs.database import Store
from kibitz.runs.store import COMPLETE, RUNNING, Run, condition, list_runs, read_run, understood
from kibitz.runs.units import worker_count
from kibitz.table.keeping import Keeper
from kibitz.table.protection import Refusal
from kibitz.table.schemas import RowShown, RunAsked, RunShown
from kibitz.table.sessions import checked_title
from kibitz.table.setup import check_points, game_of_bots, table_bot

START_SECONDS = 60.0  # for a run to be in the store
STOP_SECONDS = 10.0  # for it to end by itself
FRESH_SECONDS = 0.4  # for which what was read of a run is not read again
LISTED = 100
NICENESS = 10  # people at the table come first


class Busy(KibitzError):
    """As many runs are being played as may be."""


@dataclass
class Started:
    """A run's process, and the file with what it complains of."""

    process: subprocess.Popen[bytes]
    complaints: IO[bytes]

    def is_over(self) -> bool:
        """Whether it has ended, however."""
        return self.process.poll() is not None

    def reason(self) -> str:
        """The last line of what it said."""
        self.complaints.seek(0)
        lines = self.complaints.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return public(lines[-1].removeprefix("kibitz: "), {}) if lines else "the run ended without a word."

    def close(self) -> None:
        """Forget it."""
        self.complaints.close()


class Runs:
    """Starts, follows and stops runs."""

    def __init__(self, keeper: Keeper, at_once: int = 2, most_games: int = 10_000_000) -> None:
        self.keeper, self.at_once, self.most_games = keeper, at_once, most_games
        self._started: dict[int, Started] = {}
        self._starting = 0
        self._seen: dict[int, tuple[float, asyncio.Task[RunShown]]] = {}
        self._pages: dict[int, tuple[Any, str]] = {}
        self._drawing = asyncio.Lock()  # matplotlib is for one thread at a time

    # -- starting and stopping --

    async def start(self, asked: RunAsked) -> int:
        """Start a run; its number once it is in the store."""
        return await self._begin(lambda: self.words_of(asked), None)

    async def resume(self, number: int) -> None:
        """Go on with a run that was stopped, however."""
        run, status = await self.keeper.study(_run_and_condition, number)
        if status in (RUNNING, COMPLETE):
            raise BadValue(f"run {number} is {'being played' if status == RUNNING else status}, so there is nothing to resume.")
        _refuse_files(run)
        check_resumable(run)
        await self._begin(lambda: ["resume", str(number)], number)
        self._seen.pop(number, None)

    def tidy(self) -> None:
        """Forget runs that are over, with the files of what they complained of."""
        for number, started in list(self._started.items()):
            if started.is_over():
                started.close()
                del self._started[number]

    async def _begin(self, words_of: Callable[[], list[str]], number: int | None) -> int:
        """Start a command that plays a run, a new one or one of this number; its number once it is being played."""
        self.tidy()
        if len(self._started) + self._starting >= self.at_once:
            raise Busy(f"{self.at_once} runs are being played already; stop one, or wait for its end.")
        self._starting += 1
        try:
            words = await asyncio.to_thread(words_of)
            started = await asyncio.to_thread(self._spawn, words)
            try:
                begun = await self._number_of(started, number)
            except BaseException:
                _interrupt(started.process)
                started.close()
                raise
            earlier = self._started.get(begun)
            if earlier is not None:
                earlier.close()
            self._started[begun] = started
            return begun
        finally:
            self._starting -= 1

    def words_of(self, asked: RunAsked) -> list[str]:
        """The command line of a run, checked as far as it can be without playing."""
        if asked.to:
            check_points(asked.to)
        values = asked.model_dump(exclude={"kind"}, exclude_none=True)
        players = values.get("table") or values.get("players", 2)
        if asked.kind == "match" and len(asked.bots) > 1:
            players = len(asked.bots)
        bots = [*asked.bots, *([values["against"]] if "against" in values else [])]
        game = game_of_bots(bots, asked.game)
        for bot in bots:
            table_bot(bot, game, players)
        values |= {"seed": fresh_seed() if asked.seed is None else asked.seed, "game": game}
        if asked.kind == HoldTournament.kind:
            return [asked.kind, str(self._tournament_file(**values))]
        experiment = find_kind(asked.kind)(**values)
        experiment.check()
        self._check_games(experiment.total() or 0)
        return [asked.kind, *words_for(experiment, values)]

    def _check_games(self, total: int) -> None:
        if total > self.most_games:
            raise BadValue(f"that makes {total:,} games in all; up to {self.most_games:,} can be started from here.")

    def _tournament_file(self, bots: list[str], title: str, **values: Any) -> Path:
        """The tournament as a file beside the store, so that the command can be given again; checked before it is written."""
        if len(set(bots)) < len(bots):
            raise BadValue("a bot takes part in a tournament once; name each of them once.")
        facts = {"title": checked_title(title), **values}
        players = [Participant(bot, BUILT_IN, bot) for bot in bots]
        self._check_games(Play(make_tournament("the tournament", {**facts, "players": players})).games_expected())
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
        lines += ["players = [", *(f"    {{ name = {json.dumps(bot)}, bot = {json.dumps(bot)} }}," for bot in bots), "]"]
        text = "\n".join([*lines, ""])
        folder = self.keeper.path.parent / "tournaments"
        private.make_folder(folder)
        file = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.toml"
        private.write_file(file, text)
        return file

    def _spawn(self, words: list[str]) -> Started:
        threads = max(1, worker_count(None) - 1)  # one processor is left for the table
        command = [sys.executable, "-m", "kibitz", *words, "--threads", str(threads), "--store", str(self.keeper.path)]
        complaints = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the run
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints, start_new_session=sys.platform != "win32"
        )
        if sys.platform != "win32":
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        return Started(process, complaints)

    async def _number_of(self, started: Started, number: int | None) -> int:
        """The run that a process has begun, or gone on with."""
        until = time.monotonic() + START_SECONDS
        while True:
            over = started.is_over()
            found = await self.keeper.read(_run_of_process, started.process.pid, number)
            if found is not None:
                return found
            if over:
                raise BadValue(started.reason())
            if time.monotonic() > until:
                raise BadValue(f"the run did not begin within {START_SECONDS:.0f} s.")
            await asyncio.sleep(0.05)

    async def stop(self, number: int) -> None:
        """Stop a run of ours; what it has played is kept, and it can be resumed."""
        await self.keeper.study(_run, number)  # says that there is none
        started = self._started.get(number)
        if started is None or started.is_over():
            raise BadValue(f"run {number} is not being played by this server, so it cannot be stopped here.")
        _interrupt(started.process)
        await asyncio.to_thread(_wait, started.process)
        self.tidy()
        self._seen.pop(number, None)

    async def close(self) -> None:
        """Stop all runs of ours; they can be resumed."""
        for started in self._started.values():
            if not started.is_over():
                _interrupt(started.process)
        for started in list(self._started.values()):
            await asyncio.to_thread(_wait, started.process)
            started.close()

    # -- looking --

    async def listed(self) -> list[RunShown]:
        """The runs, newest first, without their rows."""
        found = await self.keeper.study(_listed)
        return [self._own(shown) for shown in found]

    async def show(self, number: int) -> RunShown:
        """A run with what is known so far; those who ask at the same time share what was read."""
        seen = self._seen.get(number)
        if seen is None or time.monotonic() - seen[0] > FRESH_SECONDS or (seen[1].done() and seen[1].exception()):
            self._seen = {each: kept for each, kept in self._seen.items() if time.monotonic() - kept[0] < 10 * FRESH_SECONDS}
            task = asyncio.create_task(self.keeper.study(_shown, number))
            self._seen[number] = seen = (time.monotonic(), task)
        return self._own(await asyncio.shield(seen[1]))

    def _own(self, shown: RunShown) -> RunShown:
        started = self._started.get(shown.run)
        return shown.model_copy(update={"own": started is not None and not started.is_over()})

    async def report(self, number: int) -> str:
        """The page of a run."""
        run, experiment, found = await self.keeper.study(_recalled, number)
        key = (run.done, run.status)
        kept = self._pages.get(number)
        if kept is None or kept[0] != key:
            async with self._drawing:
                kept = self._pages[number] = (key, await asyncio.to_thread(page_of, run, experiment, found))
            if len(self._pages) > 20:
                del self._pages[next(iter(self._pages))]
        return kept[1]

    async def game(self, number: int, index: int) -> tuple[Part, int]:
        """A game of a run that has been played: its part, and its place there."""
        return await self.keeper.study(_played, number, index)


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """End a run as Ctrl-C would; by SIGTERM, since a server in the background may have been told to ignore the other, and so its children."""
    if process.poll() is None:
        process.terminate()


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:  # what is finished is in the store
        process.kill()
        process.wait()


# -- in the thread that reads --


def _run_of_process(store: Store, pid: int, number: int | None) -> int | None:
    if number is not None:
        found = store.rows("SELECT id FROM runs WHERE id = ? AND pid = ?", (number, pid))
    else:
        found = store.rows("SELECT max(id) FROM runs WHERE pid = ? AND started > ?", (pid, time.time() - 10 * START_SECONDS))
    return found[0][0] if found else None


def _run_and_condition(store: Store, number: int) -> tuple[Run, str]:
    run = _run(store, number)
    return run, condition(store, run)


def _run(store: Store, number: int) -> Run:
    try:
        return read_run(store, number)
    except BadValue as error:  # its sentence names a file of this machine
        raise Refusal(404, f"there is no run {number}.") from error


def _listed(store: Store) -> list[RunShown]:
    return [_told(store, run, []) for run in list_runs(store, LISTED)]


def _shown(store: Store, number: int) -> RunShown:
    run = _run(store, number)
    try:
        with understood(run):
            rows = _rows(store, run)
    except KibitzError:  # such as one of another version, whose units may mean something else
        rows = []
    return _told(store, run, rows)


def _recalled(store: Store, number: int) -> tuple[Run, Any, Any]:
    run = _run(store, number)
    return run, *recalled(store, run)


def _played(store: Store, number: int, index: int) -> tuple[Part, int]:
    run = _run(store, number)
    _refuse_loading(run, index)
    with parts_of(store, run) as parts:
        part, game = game_at(run, parts, index)
    check_played(store, run, part, game)
    return part, game


def _refuse_loading(run: Run, index: int) -> None:
    """Bots in files are not loaded into the server, which stays in its folder."""
    if kind_of(run).loads_files(run.config) or is_elsewhere(run.config):
        raise BadValue(f"run {run.id} has bots in files, which are not loaded here; `kibitz replay {run.id} {index}` tells this game.")


def _refuse_files(run: Run) -> None:
    """Bots in files and programs of others are not started from a browser."""
    if kind_of(run).loads_files(run.config, or_starts=True):
        raise BadValue(f"run {run.id} has bots in files or programs of others, which are not started here; use the command line for it.")


def _told(store: Store, run: Run, rows: list[RowShown]) -> RunShown:
    status = condition(store, run)
    rate = run.done / run.seconds if run.seconds > 0 and run.done else None
    left = (run.asked - run.done) / rate if rate and run.asked is not None and status == RUNNING else None
    return RunShown(
        run=run.id,
        kind=run.kind,
        command=public_command(run.command),
        title=_title(run),
        game=str(run.config.get("game", registry.game().name)),
        status=status,  # type: ignore[arg-type]  # one of the five
        reason=public(run.reason, run.config),
        done=run.done,
        asked=run.asked,
        seconds=run.seconds,
        rate=rate,
        seconds_left=left,
        started=run.started,
        ended=run.ended,
        own=False,
        rows=rows,
    )


def _title(run: Run) -> str:
    try:
        with understood(run):
            title = public(kind_of(run).from_config(run.config, absent=True).title(), run.config) or run.kind
            return f"{title}, {run.share}" if run.share else title
    except KibitzError:  # a run is listed even if it can't be read
        return run.kind


def _rows(store: Store, run: Run) -> list[RowShown]:
    experiment, found = recalled(store, run)
    return [RowShown(**row._asdict()) for row in experiment.rows(found)]
