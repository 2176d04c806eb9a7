"""What all studies have in common: tasks done one after the other, each kept when it is done; tables, a plot and a page."""

from __future__ import annotations

import json
import shlex
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from kibitz import registry
from kibitz.experiments.experiment import Experiment, ExperimentResult, Interrupted
from kibitz.experiments.settings import Compiled, PlotFile, Seed, Write, settings_of, words_for
from kibitz.report.formatting import check_marks, write_between_marks
from kibitz.report.plotting import check_plot, load_pyplot, save_figure
from kibitz.report.progress import Bar
from kibitz.report.study_tables import html_table, print_tables, tables_as_markdown
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.store import Run
from kibitz.runs.units import Unit

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot


class StudyResult(ExperimentResult, Protocol):
    """What a study gives back; `complete` is false if it was interrupted."""

    complete: bool


S = TypeVar("S", bound=StudyResult)


@dataclass(frozen=True, eq=False, kw_only=True)
class Investigation(Experiment[S]):
    """A study. Each task is a part of the ledger."""

    seed: Seed = 1
    jit: Compiled = True
    write: Write = None
    plot: PlotFile = None

    game_name: ClassVar[str | None] = None  # the game that it is about, if that is not the default one
    unit: ClassVar[str] = "games"  # what its progress bar counts
    told: ClassVar[tuple[str, ...]] = ()  # settings in the command that makes it again

    # -- what a study says of itself --

    def shown_by(self) -> Any:
        """The module beside it with its tables and its plot: `tables_of`, `describe`, `print_study`, `markdown` and `drawing`."""
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.figures")

    @abstractmethod
    def new_study(self) -> S:
        """A study of which nothing is known yet."""

    @abstractmethod
    def tasks(self) -> Sequence[Any]:
        """What there is to do, in order."""

    @abstractmethod
    def do(self, study: S, number: int, task: Any) -> None:
        """Do a task that is part `number` of the ledger, but for what is kept of it, and add what it brought."""

    @abstractmethod
    def remember(self, study: S, number: int, task: Any) -> bool:
        """Add what the ledger has of a task, if it is complete; whether it is."""

    def command(self, study: S) -> str:
        """The command that makes it again."""
        return shlex.join(["kibitz", *self.kind.split(), *words_for(self, self.told)])

    # -- doing it --

    def check(self) -> None:
        """Refuse what cannot be played or written."""
        super().check()
        check_plot(Path(self.plot) if self.plot else None)
        if self.write:
            check_marks(Path(self.write), *self.marks())

    def display(self) -> Bar:
        """A bar of what is counted."""
        return Bar(self.total() or 1, self.unit)

    def tell(self, name: str, count: int) -> None:
        """So much more is done."""
        if self.progress:
            self.progress(name, count)

    def play(self) -> S:
        """Do every task; interrupted, the study holds those that were finished."""
        study = self.new_study()
        start = time.perf_counter() - self.earlier
        try:
            for number, task in enumerate(self.tasks()):
                self.do(study, number, task)
        except (KeyboardInterrupt, Interrupted):
            study.complete = False
            raise Interrupted(study) from None
        finally:
            study.seconds = time.perf_counter() - start
        return study

    not_in_shards = ""

    def ledger_parts(self) -> list[LedgerPart]:
        """A part for each task."""
        return [self.part_of(number, task) for number, task in enumerate(self.tasks())]

    def part_of(self, number: int, task: Any) -> LedgerPart:
        """How a task is cut for shares: not at all, if it is kept as one piece."""
        return LedgerPart(number, (Unit(0, self.count_of(task)),))

    def count_of(self, task: Any) -> int:
        """What a task that is kept as one piece counts for in the ledger."""
        return 1

    def play_share(self, share: Share) -> None:
        """Do the tasks, or pieces of them, that belong to a share."""
        study = self.new_study()
        for number, task in enumerate(self.tasks()):
            if number in share:
                self.do_slices(study, number, task, share[number])

    def do_slices(self, study: S, number: int, task: Any, slices: Sequence[Unit]) -> None:
        """Do pieces of a task."""
        self.do(study, number, task)

    def recall(self, run: Run | None = None) -> S:
        """The tasks that are in the ledger."""
        study = self.new_study()
        done = [self.remember(study, number, task) for number, task in enumerate(self.tasks())]
        study.complete = all(done)
        if run:
            study.seconds = run.seconds
        return study

    def in_ledger(self, part: int) -> Any:
        """What a task brought, kept as JSON; None if it is not done."""
        kept = list(self.ledger.finished(part).values()) if self.ledger else []
        return json.loads(kept[0]) if kept else None

    def into_ledger(self, part: int, count: int, found: Any) -> Any:
        """Keep what a task brought, as JSON that counts for so much, as `count_of` says."""
        if self.ledger:
            self.ledger.keep(part, Unit(0, count), json.dumps(found).encode())
        return found

    # -- in the store --

    def kept(self) -> dict[str, Any]:
        """The settings, with the game for its version of results."""
        kept = super().kept()
        return {**kept, "game": kept.get("game") or registry.game(self.game_name).name}

    # -- showing --

    def described(self, result: S) -> list[str]:
        """What was played, in a line or a few."""
        lines = self.shown_by().describe(result)
        whole = [lines] if isinstance(lines, str) else lines
        return whole if result.complete else [*whole[:-1], f"{whole[-1]} · INCOMPLETE: interrupted"]

    def ending(self, study: S) -> str:
        """How long it took, below the tables."""
        return f"{study.seconds:.1f} s; ± is one standard error"

    def print(self, result: S, console: Console) -> None:
        """The tables on the terminal."""
        title, *lines = self.described(result)
        console.print(title, style="bold")
        for line in lines:
            console.print(line)
        print_tables(self.shown_by().tables_of(result), console)
        console.print(self.ending(result), style="dim")

    def markdown(self, result: S, before: str = "") -> str:
        """The tables as Markdown, with the command that makes them again."""
        shown, (version, day) = self.shown_by(), self.made()
        made = f"Made by `{self.command(result)}` with version {version} in {result.seconds / 60:.1f} minutes, {day}."
        return "\n".join([*tables_as_markdown(shown.tables_of(result)), f"{shown.remark(result)} {made}".lstrip()])

    def serve(self, result: S) -> None:
        """A page and a plot, which show complete studies alone."""
        if self.write and result.complete:
            write_between_marks(Path(self.write), self.markdown(result), *self.marks())
        if self.plot and result.complete:
            save_figure(self.shown_by().drawing(result), Path(self.plot))

    def plots(self, result: S) -> list[Plot]:
        """The plot of a complete study."""
        from kibitz.report.plotting import Plot

        load_pyplot()
        name = self.kind.split()[-1]
        if not result.complete:
            return []
        return [
            Plot(name, "Plot", "Bars are two standard errors.", f"The plot of the study of {name}", self.shown_by().drawing(result), "wide")
        ]

    def page(self, result: S, settings: PageSettings) -> str:
        """The tables and the plot."""
        from kibitz.report.html_page import drawn, duration, listed, page, section

        shown = self.shown_by()
        tables = [section(each.title.replace("`", ""), html_table(each)) for each in shown.tables_of(result) if each.rows]
        facts = [
            (field.name.replace("_", " "), str(getattr(self, field.name))) for field in settings_of(type(self)) if field.name in self.told
        ]
        warning = "" if result.complete else '<p class="warning">Incomplete: the figures are those so far.</p>\n'
        return page(
            f"Study of {self.kind.split()[-1]}",
            "Study",
            ". ".join(self.described(result)),
            warning,
            [("Time", duration(result.seconds))],
            [*tables, drawn(self.plots(result), {}), section("Settings", listed(facts, settings, games=False))],
            settings,
        )
