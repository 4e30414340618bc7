"""`bardo backtest`: seeds a new agent by replaying old transcripts."""

from pathlib import Path
from typing import Annotated

import typer

from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.output import Output


@standalone
def backtest(
    output: Output,
    folder: Path,
    *,
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="Transcripts, or folders of them.")
    ],
) -> None:
    """Seed a new agent by replaying old transcripts, and report what it learned."""
    import bardo

    with bardo.open(folder) as opened, output.progress() as step:
        report = opened.backtest(sources, progress=step)
    output.document(report)
    output.pairs(
        [
            ("files", len(report.sources)), ("episodes", report.episodes), ("facts", report.facts),
            ("entries of state", sum(report.entries.values())), ("rules", report.rules), ("flows", len(report.flows)),
        ],
        title="Backtest",
    )  # fmt: skip
    for text in report.learned:
        output.text(f"- {text}")
    for name in report.flows:
        output.text(f"- flow: {name}")
    output.note(*report.notes)
