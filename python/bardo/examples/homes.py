"""Writes the settings of the demo's grimoires into their folders, so that later `bardo` commands find them."""

from __future__ import annotations

from pathlib import Path

from bardo.config import FILE_NAME

#: Embedding settings: the default model with 8-bit weights, twice as fast; embeds before the next recall or sleep.
EMBEDDING = '[embedding]\nmodel = "minilm-int8"\nbatch = 0\n'
#: The same without vectors of single words, as the traders recall nothing but facts; and with a dossier that only
#: `sleep` compiles, as they read none.
FACTS_ONLY = (
    f"{EMBEDDING}late_interaction = false\n\n[dossier]\ndebounce_seconds = 1e9\nbehind_seconds = 1e9\n"
)
#: Clock settings: one tick per trading day.
CLOCK = '[clock]\nunit = "loops"\nticks_per_day = 1\n'


def write_settings(folder: Path, *, agent: str, tables: str) -> Path:
    """Creates a folder with its `bardo.toml`.

    Args:
        folder: Path of the folder, which must not exist yet.
        agent: Name of the agent.
        tables: Settings as TOML.

    Returns:
        Path of the folder.
    """
    folder.mkdir()
    (folder / FILE_NAME).write_text(f'agent = "{agent}"\n\n{tables}', encoding="utf-8")
    return folder
