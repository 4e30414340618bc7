"""`bardo dossier`: what the facts are compiled into."""

from __future__ import annotations

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output


def dossier(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Print what is known, on one page.

    Compiled anew if a fact is newer than DOSSIER.md.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        page = opened.dossier(progress=step)
    output.document(page)
    output.text(page.text.rstrip("\n"))
