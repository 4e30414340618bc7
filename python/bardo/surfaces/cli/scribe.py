"""`bardo scribe`: records what is new in a transcript, notes or a table that another program writes."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from bardo.capture.fields import EpisodeFields
from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.grimoire.scribe import ScribeReport

#: Maximum wait while another process has the grimoire open, in seconds.
WAIT = 2.0


@standalone
def scribe(
    output: Output,
    folder: Path,
    *,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A file, or a folder of files.")],
    file_format: Annotated[
        str | None, typer.Option("--format", help="jsonl, notes, csv or parquet; by the ending if not given.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the watermark; the path if not given.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="A last line without its end is complete.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Read on as the source grows, until Ctrl-C.")
    ] = False,
    interval: Annotated[
        float, typer.Option(min=0.01, metavar="SECONDS", help="Time between two looks of --watch.")
    ] = 1.0,
    **declared: Unpack[EpisodeFields],
) -> None:
    """Record what is new in a transcript, notes or a table that another program writes.

    What was read before is not read again, so it may run once, from cron, or with --watch.
    """
    with grimoire(folder, wait=WAIT) as opened:
        if not watch:
            report = opened.scribe(source, file_format=file_format, name=name, whole=whole, **declared)
            output.document({"recorded": report.recorded, "sources": report.sources})
            output.text(_summary(report))
            output.note(*report.notes)
            return
        with _until_interrupted() as stop:
            output.note(f"watching {source}; Ctrl-C ends it")

            def tell(report: "ScribeReport") -> None:
                output.line({"recorded": report.recorded, "sources": report.sources}, _summary(report))
                output.note(*report.notes)

            opened.scribe(
                source,
                file_format=file_format,
                name=name,
                watch=stop,
                interval=interval,
                listener=tell,
                **declared,
            )


def _summary(report: "ScribeReport") -> str:
    """Describes a report in a line."""
    count = len(report.sources)
    waiting = sum(each.waiting for each in report.sources)
    told = f"{report.recorded} {'episode' if report.recorded == 1 else 'episodes'} recorded"
    files = f" from {count} files" if count != 1 else ""
    return told + files + (f"; {waiting} unfinished lines wait" if waiting else "")


@contextmanager
def _until_interrupted() -> Iterator[threading.Event]:
    """Yields an event that SIGINT and SIGTERM set: the commit under way ends first."""
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
