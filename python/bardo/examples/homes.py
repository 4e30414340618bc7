"""The settings of the demo's grimoires, written into their folders so that every later `bardo` command finds them."""

from __future__ import annotations

from pathlib import Path

from bardo.config import FILE_NAME

#: The default model with 8-bit weights, which is twice as fast. Texts are embedded before the next recall or sleep.
EMBEDDING = '[embedding]\nmodel = "minilm-int8"\nbatch = 0\n'
#: A tick is a trading day.
CLOCK = '[clock]\nunit = "loops"\nticks_per_day = 1\n'


def write_settings(folder: Path, *, agent: str, tables: str) -> Path:
    """Makes a folder with its `bardo.toml`.

    Args:
        folder: Must not exist yet.
        agent: Who will live there.
        tables: The settings, as TOML.

    Returns:
        The folder.
    """
    folder.mkdir()
    (folder / FILE_NAME).write_text(f'agent = "{agent}"\n\n{tables}', encoding="utf-8")
    return folder
