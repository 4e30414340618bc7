"""Output of a command: one JSON document or readable text on stdout; progress and notes on stderr."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from bardo.errors import BardoError, InvalidInputError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from bardo.ports import Progress

#: Seconds between two lines of progress where stderr is no terminal.
_LINE_SECONDS = 5.0
#: Seconds after which a terminal is told what takes so long.
SLOW_SECONDS = 3.0


class Output:
    """Writer of output for a program (`as_json`) or for a person.

    Args:
        as_json: Whether stdout carries one JSON document and nothing else.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def document(self, value: Any) -> None:
        """Prints the JSON document of a command under `--json`."""
        if self.as_json:
            _write(json.dumps(plain(value), ensure_ascii=False, indent=2))

    def line(self, value: Any, text: str) -> None:
        """Prints one of several results: a JSON document on a line of its own, or a line for a person."""
        line = json.dumps(plain(value), ensure_ascii=False) if self.as_json else text
        _write(line, flush=True)

    def show(self, *parts: RenderableType) -> None:
        """Prints text, tables or panels for a person; nothing under `--json`."""
        if not self.as_json:
            console = console_for(sys.stdout)
            with delivering():
                for part in parts:
                    console.print(part)

    def text(self, text: str) -> None:
        """Prints text unchanged, for a pipe; nothing under `--json`."""
        if not self.as_json:
            _write(text)

    def confirm(self, question: str) -> None:
        """Asks on stderr, and returns if the answer is yes.

        Raises:
            typer.Abort: The answer is no, or there is none.
            InvalidInputError: The answer is not UTF-8.
        """
        try:
            typer.confirm(question, abort=True, err=True)
        except UnicodeDecodeError as error:
            raise InvalidInputError("The answer is not UTF-8. Answer y or n, or pass --yes") from error

    def note(self, *messages: str) -> None:
        """Prints messages on stderr, a line each."""
        for message in messages:
            print(message, file=sys.stderr)  # noqa: T201

    def pairs(self, values: Iterable[tuple[str, Any]], *, title: str | None = None) -> None:
        """Prints names and values, one per line."""
        if not self.as_json:
            # Most commands print no table.
            from bardo.surfaces.cli import tables

            self.show(tables.pairs(values, title=title))

    def report(self, report: Any, *, title: str, **more: Any) -> None:
        """Prints a report: all of it as JSON, or its numbers and words for a person, with its notes on stderr."""
        document = plain(report) | more
        self.document(document)
        self.pairs(
            ((name, value) for name, value in document.items() if not isinstance(value, list)), title=title
        )
        self.note(*document.get("notes", ()))

    def rows(self, make: Callable[..., Table], found: Sequence[Any], *, total: int | None = None) -> None:
        """Prints a list as a table, with a note if there are more rows.

        Args:
            make: Function that makes the table.
            found: Rows of the table.
            total: Number of all rows.

        Raises:
            typer.Exit: The list is empty.
        """
        if not found:
            self.note("nothing found")
            raise typer.Exit(exits.NOTHING_FOUND)
        if not self.as_json:
            self.show(make(found))
        if total is not None and len(found) < total:
            self.note(f"{len(found)} of {total}; more with --limit")

    @contextmanager
    def progress(self, *, lines: bool = False, slow: str = "") -> Iterator[Progress]:
        """Shows a progress bar per stage on stderr, if that is a terminal.

        Args:
            lines: Whether to write a line every few seconds where it is none.
            slow: What is being done, for a terminal if it takes longer than a few seconds; a stage may begin late.
        """
        if not sys.stderr.isatty():
            yield _Lines(self) if lines else _silent
            return
        from rich import progress

        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
        )
        with progress.Progress(*columns, console=console_for(sys.stderr), transient=True) as bars:
            tasks: dict[str, Any] = {}
            late = threading.Timer(SLOW_SECONDS, bars.console.print, [slow])
            late.daemon = True
            if slow:
                late.start()

            def step(stage: str, done: int, total: int) -> None:
                if stage not in tasks:
                    tasks[stage] = bars.add_task(stage, total=total)
                bars.update(tasks[stage], completed=done, total=total)

            try:
                yield step
            finally:
                late.cancel()


class _Lines:
    """Progress as notes, the first at once and the last of each stage in any case.

    Args:
        output: Output that writes them.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Writes a note if the last one was long ago."""
        now = time.monotonic()
        if now >= self._next or done == total:
            self._next = now + _LINE_SECONDS
            self._output.note(f"{stage}: {done} of {total}")


@contextmanager
def delivering() -> Iterator[None]:
    """Raises a clear error where standard output cannot be written: a lost answer is no success, and no bug.

    Raises:
        BardoError: Standard output is closed, or full.
        BrokenPipeError: The reader has closed the pipe.
    """
    try:
        yield
    except OSError as error:
        # Otherwise Python would write again at exit, and print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise BardoError(
            f"the answer could not be written to standard output: {error.strerror}. "
            "Open it, or write to where there is room"
        ) from error


def _write(text: str, *, flush: bool = False) -> None:
    with delivering():
        print(text, file=sys.stdout, flush=flush)  # noqa: T201


def _silent(stage: str, done: int, total: int) -> None:
    """Ignores progress, as there is no terminal."""


def console_for(stream: Any) -> Console:
    """Makes a Rich console, wide enough for tables when the output is not a terminal."""
    from rich.console import Console

    width = None if stream.isatty() else 120
    # Texts of memories are shown verbatim: without markup, emoji and highlighting.
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
