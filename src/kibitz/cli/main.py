"""`kibitz`: finds the command, and turns every mistake of a user into one sentence and exit code 2."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import typer

from kibitz import __version__
from kibitz.cli import (
    bench,
    bots,
    check_bot,
    doctor,
    experiment_command,
    export,
    figures,
    merge,
    options,
    play,
    replay,
    report,
    resume,
    rules,
    runs,
    table,
    watch,
)
from kibitz.core.spellings import heard_by, modern_words
from kibitz.experiments.experiment_kinds import SHARED

if TYPE_CHECKING:
    from kibitz.core.errors import KibitzError

MAX_NAMED = 3  # bots that an interruption names

app = typer.Typer(
    name="kibitz",
    help="A laboratory for card-playing AI: bots measured with error bars, at up to a million games a second.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for kind, (_, about) in SHARED.items():
    if " " not in kind:
        app.command(kind, cls=experiment_command.command_of(kind), help=about)(lambda: None)
for module in (
    check_bot,
    figures,
    resume,
    merge,
    watch,
    replay,
    export,
    report,
    bots,
    rules,
    table,
    bench,
    doctor,
):
    app.command(module.__name__.rpartition(".")[2].replace("_", "-"))(module.command)
app.add_typer(runs.app, name="runs")
app.add_typer(play.app, name="play")
for name, about in (
    ("study", "A question that takes many line-ups to answer, with tables and a plot."),
    ("train", "Train a policy: seeded, resumable."),
):
    group = typer.Typer(cls=experiment_command.ExperimentGroup, help=about, rich_markup_mode=None, no_args_is_help=True)
    group.callback()(lambda: None)
    app.add_typer(group, name=name)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kibitz {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback behind an error (accepted anywhere on the line)."),
) -> None:
    """A laboratory for card-playing AI: bots measured with error bars, at up to a million games a second."""


def run(arguments: list[str] | None = None) -> None:
    """The entry point of the installed command."""
    from kibitz.runs.watchdog import PATIENCE, watchdog

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is kept stays whole, and nothing is left behind
    words = (sys.argv[1:] if arguments is None else list(arguments)) or ["--help"]
    debug = "--debug" in words
    watchdog.rest()
    watchdog.patience, watchdog.last_resort = PATIENCE, _leave
    with heard_by(_hint), watchdog.listening():
        words = modern_words(words)
        options.typed[:] = words
        code = _run([word for word in words if word != "--debug"], debug)
    _name_silent()
    if watchdog.is_busy:  # in code that can't be stopped, which nothing waits for
        _end(code)
    sys.exit(code)


def _hint(words: str) -> None:
    options.tell(f"kibitz: {words}")


def _name_silent() -> None:
    """Say which bots had not answered when the user interrupted."""
    from kibitz.runs.watchdog import watchdog

    for silent in watchdog.silent[:MAX_NAMED]:
        options.tell(f"kibitz: {silent}.")


def _leave() -> None:
    """The end of a command whose main thread is in code that can't be stopped: finished units are kept, and the run can be resumed."""
    from kibitz.core.errors import DecisionTimeout
    from kibitz.runs.watchdog import watchdog

    code = 130
    for put_back in watchdog.tidying:
        put_back()
    for line in options.resume_lines:
        options.tell(line)
    _name_silent()
    try:
        watchdog.check()
        options.tell("kibitz: interrupted.")
    except DecisionTimeout as error:
        code = _complain(error, False)
    _end(code)


def _end(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(words: list[str], debug: bool) -> int:
    from kibitz.core.errors import KibitzError
    from kibitz.core.extras import MissingExtra

    try:
        code = app(words, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except MissingExtra as error:
        return _complain(KibitzError(error.for_terminal) if sys.stderr.isatty() else error, debug)
    except KibitzError as error:
        return _complain(error, debug)
    except options.UsageError as error:
        return _complain(KibitzError(" ".join(error.format_message().split())), debug)
    except (KeyboardInterrupt, typer.Abort):
        print("kibitz: interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(error: KibitzError, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    options.tell(f"kibitz: {error}")
    return error.exit_code
