"""Where a study's figures go: the options that all studies share, checked before anything is played and served afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, TypeVar

import typer

from kibitz.cli.options import check_json_path, console, write_json

if TYPE_CHECKING:
    from rich.console import Console

Plot = Annotated[Path | None, typer.Option("--plot", help="Draw a plot into this file: .svg, .png or .pdf (needs the extra 'report').")]
Write = Annotated[Path | None, typer.Option("--write", help="Also put the tables between the markers of this Markdown file.")]


class AnyStudy(Protocol):
    """What all studies have in common."""

    @property
    def complete(self) -> bool:
        """Whether everything was played."""

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""


StudyValue = TypeVar("StudyValue", bound=AnyStudy)


class Output(NamedTuple):
    """The files that were asked for; `marks` are the markers in the one to write, if they are not the usual ones."""

    json: str | None
    write: Path | None
    plot: Path | None
    marks: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what could not be written."""
        from kibitz.report.plots import check_plot
        from kibitz.report.tables import check_marks

        check_json_path(self.json)
        check_plot(self.plot)
        if self.write:
            check_marks(self.write, *self.marks)

    def serve(
        self,
        study: StudyValue,
        print_study: Callable[[StudyValue, Console], None],
        markdown: Callable[[StudyValue], str],
        draw: Callable[[StudyValue, Path], None],
    ) -> int:
        """Print a study and fill the files; the exit code. A page and a plot show complete studies alone."""
        from kibitz.report.tables import write_between_marks

        write_json(self.json, study.to_dict())
        if self.json != "-":
            print_study(study, console())
        if study.complete and self.write:
            write_between_marks(self.write, markdown(study), *self.marks)
        if study.complete and self.plot:
            draw(study, self.plot)
        return 0 if study.complete else 130
