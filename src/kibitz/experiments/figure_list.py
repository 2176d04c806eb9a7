"""The list of figures: every table and plot of the pages, each with the experiments that make it.

`docs/figures.toml` is such a list; `kibitz figures` reads it. Paths in it are seen from its own folder.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from kibitz.core.errors import BadValue, KibitzError, UnknownName
from kibitz.core.reading import parse_toml, read_text, shown
from kibitz.experiments.experiment import Experiment
from kibitz.experiments.figure_cells import Cell, CellTable, check_figure
from kibitz.experiments.settings import settings_of
from kibitz.report.formatting import check_marks, marks_for, text_between_marks, write_between_marks

Parse = Callable[[Sequence[str]], Experiment[Any]]  # makes the experiment of a command line without the program's name

PROGRAM = "kibitz"
_KEYS = ("name", "page", "command", "plot", "check", "loose", "counted_by", "headings", "columns", "rows", "note", "digits")
_TABLE_KEYS = ("headings", "columns", "rows", "note", "digits")
_OTHER_KEYS = ("name", "page", "command", "why", "tables", "images", "marks")
GAMES = "games"  # the setting that figures usually count by
_ROW_KEYS = ("labels", "cells", "show")
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class FigureEntry:
    """One table or set of tables of a page, perhaps with a plot, made by experiments of ours.

    With `cells` it is a table whose cells are figures of many experiments; without, the only experiment writes its own tables.
    """

    name: str
    where: str  # in the list, for messages
    page: Path
    commands: tuple[str, ...]  # of its experiments, in their order
    experiments: tuple[Experiment[Any], ...]
    small: tuple[Experiment[Any], ...]  # the same in little, one for each
    plot: Path | None = None
    loose: frozenset[str] = frozenset()  # headings of columns that a check leaves out
    counted_by: Mapping[str, str] = field(default_factory=dict)  # by heading, the setting of how many games figures are; "" for all others
    cells: CellTable | None = None

    @property
    def marks(self) -> tuple[str, str]:
        """The markers around its tables."""
        return marks_for(self.name) if self.cells else self.experiments[0].marks()

    def setting_of(self, heading: str) -> str:
        """The setting that says how many games, or the like, a column's figures come from."""
        return self.counted_by.get(heading, self.counted_by.get("", GAMES))

    def check(self) -> None:
        """Refuse what cannot be played, written or drawn, before anything is."""
        try:
            check_marks(self.page, *self.marks)
            for experiment in self.experiments if self.cells else (self._writing(self.experiments[0]),):
                experiment.check()
            for experiment in self.small:
                experiment.check()
        except KibitzError as error:
            raise BadValue(f"{self.where}: {error}") from error

    def before(self) -> str:
        """What stands on the page now."""
        return text_between_marks(self.page, *self.marks)

    def markdown(self, played: Sequence[tuple[Experiment[Any], Any]]) -> str:
        """The tables of experiments that were played, those of `experiments` or of `small`, each with its result."""
        if self.cells:
            return self.cells.markdown([result for _, result in played])
        ((experiment, result),) = played
        return experiment.markdown(result)

    def write(self, played: Sequence[tuple[Experiment[Any], Any]]) -> None:
        """Put the tables into the page, and draw the plot."""
        if self.cells:
            write_between_marks(self.page, self.markdown(played), *self.marks)
        else:
            ((experiment, result),) = played
            self._writing(experiment).serve(result)

    def _writing(self, experiment: Experiment[Any]) -> Experiment[Any]:
        return experiment.going(write=self.page, **({"plot": self.plot} if self.plot else {}))


@dataclass(frozen=True)
class OtherEntry:
    """Tables, pictures or generated places that something else makes."""

    name: str
    pages: tuple[Path, ...]  # none for any page
    command: str
    why: str  # it is not run with the others
    tables: tuple[str, ...] = ()  # the first line of headings of each, or how it begins
    images: tuple[Path, ...] = ()
    marks: tuple[str, ...] = ()  # how comments begin after which its text stands


@dataclass(frozen=True)
class FigureList:
    """All that stands in a list."""

    entries: tuple[FigureEntry, ...]
    others: tuple[OtherEntry, ...]

    def picked(self, names: Iterable[str]) -> tuple[FigureEntry, ...]:
        """The entries of these names, in the order of the list; all if none is named."""
        wanted, known = list(names), {entry.name: entry for entry in self.entries}
        for name in wanted:
            for other in self.others:
                if name == other.name:
                    raise BadValue(f"figure '{name}' is not made by an experiment ({other.why}): {other.command}")
            if name not in known:
                raise UnknownName("figure", name, known)
        return tuple(entry for entry in self.entries if not wanted or entry.name in wanted)


def read_figures(path: Path, parse: Parse) -> FigureList:
    """A list from a file; `parse` makes experiments of command lines."""
    text = read_text(path, "list of figures")
    found = parse_toml(text, f"list of figures {path}")
    _check_keys(found, ("figures", "others"), str(path))
    entries = [reader.entry(parse) for reader in _readers(found, "figures", text, path)]
    others = [reader.other() for reader in _readers(found, "others", text, path)]
    names = [*(entry.name for entry in entries), *(other.name for other in others)]
    for name in names:
        if names.count(name) > 1:
            raise BadValue(f"{path}: {names.count(name)} figures are called '{name}'; each needs a name of its own.")
    return FigureList(tuple(entries), tuple(others))


def _check_keys(found: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in found:
        if key not in known:
            raise UnknownName(f"key in {where}:", key, known)


def _readers(found: Mapping[str, Any], kind: str, text: str, path: Path) -> list[_Reader]:
    """A reader for each table of a kind."""
    tables = found.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadValue(f"{path}: {kind} is not accepted; each of them is a table [[{kind}]].")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == f"[[{kind}]]"]
    known: Sequence[int | None] = lines if len(lines) == len(tables) else [None] * len(tables)  # they can be written in other ways
    return [_Reader(table, path, line) for table, line in zip(tables, known, strict=True)]


class _Reader:
    """Reads one table of the list."""

    def __init__(self, table: Mapping[str, Any], path: Path, line: int | None) -> None:
        self.table, self.folder = table, path.parent
        name = table.get("name")
        called = f"figure '{name}'" if isinstance(name, str) else "a figure without a name"
        self.where = f"{path}, {f'line {line}, ' if line else ''}{called}"

    # -- values --

    def text(self, key: str, needed: bool = True) -> str:
        value = self.table.get(key, None if needed else "")
        if value is None:
            raise BadValue(f"{self.where}: {key} is missing.")
        if not isinstance(value, str) or (needed and not value.strip()):
            raise BadValue(f"{self.where}: {key}={shown(value)} is not accepted; it is a text.")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise BadValue(f"{self.where}: {key}={shown(value)} is not accepted; it is a list of texts.")
        return tuple(value)

    def experiment(self, command: str, parse: Parse, more: str = "") -> Experiment[Any]:
        """The experiment of a command line, with further words."""
        try:
            program, *words = [*shlex.split(command), *shlex.split(more)] or [""]
            if program != PROGRAM:
                raise BadValue(f"it begins with '{PROGRAM}'.")
            return parse(words)
        except (KibitzError, ValueError) as error:
            raise BadValue(f"{self.where}: command '{f'{command} {more}'.strip()}': {error}") from error

    # -- entries --

    def entry(self, parse: Parse) -> FigureEntry:
        """One that experiments make."""
        _check_keys(self.table, _KEYS, self.where)
        name, page, check = self.text("name"), self.folder / self.text("page"), self.text("check")
        plot = self.folder / self.text("plot") if "plot" in self.table else None
        loose = frozenset(self.texts("loose"))
        if "command" not in self.table:
            cells, commands = self._cells(parse)
            made = tuple(self.experiment(command, parse) for command in commands)
            little = tuple(self.experiment(command, parse, check) for command in commands)
            if plot:
                raise BadValue(f"{self.where}: plot is not accepted; only an experiment that has its own tables draws one.")
            if "counted_by" in self.table:
                raise BadValue(f"{self.where}: counted_by is not accepted; the figures of cells count by the games of their commands.")
            return FigureEntry(name, self.where, page, tuple(commands), made, little, None, loose, cells=cells)
        if both := [key for key in _TABLE_KEYS if key in self.table]:
            raise BadValue(f"{self.where}: command and {both[0]} exclude each other; give one of them.")
        command = self.text("command")
        made_one = self.experiment(command, parse)
        small = self.experiment(check, parse) if check.startswith(f"{PROGRAM} ") else self.experiment(command, parse, check)
        self._check_page(made_one, plot)
        if type(small) is not type(made_one):
            raise BadValue(f"{self.where}: check is `kibitz {small.kind}`, and command is `kibitz {made_one.kind}`; they are the same.")
        return FigureEntry(name, self.where, page, (command,), (made_one,), (small,), plot, loose, self._counted_by(made_one))

    def _check_page(self, experiment: Experiment[Any], plot: Path | None) -> None:
        settings = {field.name for field in settings_of(type(experiment))}
        for key, wanted, what in (("write", True, "page has its tables"), ("plot", plot is not None, "plot has its plot")):
            if wanted and key not in settings:
                raise BadValue(f"{self.where}: `kibitz {experiment.kind}` has no --{key}, so nothing of it can be put there.")
            if getattr(experiment, key, None) is not None:
                raise BadValue(f"{self.where}: leave out --{key}; {what}.")

    def _counted_by(self, experiment: Experiment[Any]) -> dict[str, str]:
        """By heading, the setting that figures count by; a text is that of all columns."""
        value = self.table.get("counted_by", {})
        told = {"": value} if isinstance(value, str) else value
        if not isinstance(told, dict) or not all(isinstance(setting, str) for setting in told.values()):
            raise BadValue(f"{self.where}: counted_by={shown(value)} is not accepted; it is a setting, or a table of settings by heading.")
        numbers = [each.key for each in settings_of(type(experiment)) if each.setting.is_kept and int in (each.type, *get_args(each.type))]
        for setting in told.values():
            if setting not in numbers:
                raise UnknownName(f"setting in counted_by of {self.where}:", setting, numbers)
        return told

    def other(self) -> OtherEntry:
        """One that something else makes."""
        _check_keys(self.table, _OTHER_KEYS, self.where)
        pages = self.texts("page") if isinstance(self.table.get("page"), list) else (self.text("page"),) if "page" in self.table else ()
        images = tuple(self.folder / image for image in self.texts("images"))
        named = (self.text("command"), self.text("why"), self.texts("tables"), images, self.texts("marks"))
        return OtherEntry(self.text("name"), tuple(self.folder / page for page in pages), *named)

    # -- tables of cells --

    def _cells(self, parse: Parse) -> tuple[CellTable, list[str]]:
        """The table, and the commands of its cells, each once."""
        if "rows" not in self.table:
            raise BadValue(f"{self.where}: command is missing; or rows, of which each cell is a figure of a command.")
        headings, digits = self.texts("headings"), self.table.get("digits")
        commands: list[str] = []
        rows: list[tuple[str | Cell, ...]] = []
        for number, row in enumerate(self._tables("rows"), 1):
            labels, written = self._row(row, number)
            cells = [self._cell(cell, row, commands, digits, f"row {number}", parse) for cell in written]
            rows.append((*labels, *cells))
            if len(rows[-1]) != len(headings):
                raise BadValue(f"{self.where}: row {number} has {len(rows[-1])} cells, and there are {len(headings)} headings.")
        return CellTable(headings, tuple(rows), self.text("note", needed=False)), commands

    def _tables(self, key: str) -> list[Mapping[str, Any]]:
        value = self.table.get(key)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise BadValue(f"{self.where}: {key}={shown(value)} is not accepted; it is a list of tables.")
        return value

    def _row(self, row: Mapping[str, Any], number: int) -> tuple[list[str], list[Any]]:
        labels, cells = row.get("labels", []), row.get("cells", self.table.get("columns", []))
        if not isinstance(labels, list) or not isinstance(cells, list) or not all(isinstance(label, str) for label in labels):
            raise BadValue(
                f"{self.where}: row {number} is not accepted; it has a list of labels, and a list of cells if not those of columns."
            )
        return labels, cells

    def _cell(self, cell: Any, row: Mapping[str, Any], commands: list[str], digits: Any, where: str, parse: Parse) -> str | Cell:
        """A figure of a command, or a text as it is."""
        told = {"command": cell} if isinstance(cell, str) else cell
        if not isinstance(told, dict) or not isinstance(told.get("command"), str) or not {"command", "show"} >= told.keys():
            raise BadValue(f"{self.where}: {where} has the cell {shown(cell)}; it is a text, or a table with command and show.")
        values = {key: str(value) for key, value in row.items() if key not in _ROW_KEYS}
        for name in _FIELD.findall(told["command"]):
            if name not in values:
                raise BadValue(f"{self.where}: {where} has no {name}, which the command '{told['command']}' needs.")
        command = _FIELD.sub(lambda found: values[found[1]], told["command"])
        if not command.startswith(f"{PROGRAM} "):
            return command
        if command not in commands:
            commands.append(command)
        try:
            show = check_figure(self.experiment(command, parse), told.get("show", row.get("show", "")))
        except KibitzError as error:
            raise BadValue(f"{self.where}: {error}" if self.where not in str(error) else str(error)) from error
        return Cell(commands.index(command), show, digits)
