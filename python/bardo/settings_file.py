"""Changes `bardo.toml` in place."""

from __future__ import annotations

from pathlib import Path

from bardo._atomic import write_atomically
from bardo._settings import with_setting
from bardo.config import FILE_NAME
from bardo.errors import ConfigError


def write_setting(folder: Path, section: str, key: str, value: str) -> None:
    """Sets one string in `bardo.toml` and leaves the rest of the file unchanged.

    Raises:
        ConfigError: The file's form does not allow a change of one line.
    """
    path = folder / FILE_NAME
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    changed = with_setting(text, section, key, value)
    if changed is None:
        raise ConfigError(
            f"{path} cannot be changed by itself. Set {key} = {value!r} under [{section}] by hand"
        )
    if changed != text:
        write_atomically(path, changed.encode())
