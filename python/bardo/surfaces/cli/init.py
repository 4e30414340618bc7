"""`bardo init`: makes a grimoire."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bardo.errors import InvalidInputError
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output


def init(
    *,
    folder: Annotated[Path | None, typer.Argument(help="The folder; as --at.")] = None,
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the agent; the folder's name if not given.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Embedding model: minilm, minilm-int8, wordllama, or fastembed's name."
        ),
    ] = "",
    unit: Annotated[str, typer.Option(metavar="UNIT", help="Unit of ticks: auto, seconds or loops.")] = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a grimoire, the memory of one agent."""
    import bardo
    from bardo.config import FILE_NAME, Config
    from bardo.folder import Folder
    from bardo.index.embedding import embedders
    from bardo.settings_file import write_setting

    root = folder or at
    chosen = {
        section: {key: value}
        for section, key, value in (("embedding", "model", model), ("clock", "unit", unit))
        if value
    }
    settings = root / FILE_NAME
    place = Folder.at(root)
    place.check(create=True)
    fresh = not place.has_grimoire()
    if chosen and (settings.exists() or not fresh):
        raise InvalidInputError(f"{root} is set up already. Change the settings in {settings}")
    # The settings are checked before anything is written.
    embedders.load(Config.load(root, chosen).embedding)
    with bardo.open(root, agent=agent or None, config=chosen) as grimoire:
        for section, values in chosen.items():
            for key, value in values.items():
                write_setting(root, section, key, value)
        found = {"path": grimoire.path.resolve(), "agent": grimoire.agent, "created": fresh}
    output = Output(as_json=as_json)
    output.document(found)
    made = "Made" if fresh else "There is already"
    output.show(f"{made} the grimoire of {found['agent']} in {found['path']}")
