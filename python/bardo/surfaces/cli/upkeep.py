"""`bardo sleep` and `bardo rebuild`: consolidation, and derived indexes made anew."""

from __future__ import annotations

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain


def sleep(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Consolidate what happened into facts.

    What is verified becomes facts; what is new is embedded and archived.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        report = opened.sleep(progress=step)
    from bardo.surfaces.cli import tables  # noqa: PLC0415

    document = plain(report)
    output.document(document)
    told = [(name, value) for name, value in document.items() if not isinstance(value, list)]
    output.show(tables.pairs(told, title="One night's work"))
    for note in report.notes:
        output.note(note)


def rebuild(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Make every index anew from the log."""
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        report = opened.rebuild(progress=step)
    from bardo.surfaces.cli import tables  # noqa: PLC0415

    document = plain(report)
    output.document(document)
    output.show(tables.pairs(document.items(), title="Made anew"))
