"""Formats of sources, and the files of a source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bardo.capture.sources.json_lines import JsonLines
from bardo.capture.sources.notes import Notes
from bardo.capture.sources.record import Reader
from bardo.capture.sources.tables import Csv, Parquet
from bardo.errors import InvalidInputError, NotFoundError

#: Reader of each format, by its name.
READERS: Mapping[str, Reader] = {
    "jsonl": JsonLines(),
    "notes": Notes(),
    "csv": Csv(),
    "parquet": Parquet(),
}
#: Format of each ending of a file name.
ENDINGS: Mapping[str, str] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "notes", ".markdown": "notes", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet",
}  # fmt: skip


def format_of(path: Path, given: str | None) -> str:
    """Returns the format of a file.

    Raises:
        InvalidInputError: The given format does not exist, or none is given and the ending names none.
    """
    if given is not None:
        if given not in READERS:
            raise InvalidInputError(f"there is no format {given!r}. Formats: {', '.join(READERS)}")
        return given
    known = ENDINGS.get(path.suffix.lower())
    if known is None:
        raise InvalidInputError(
            f"the format of {path.name} is not known. Name it with file_format (--format), one of "
            f"{', '.join(READERS)}; known endings are {', '.join(ENDINGS)}"
        )
    return known


def files_of(source: Path, given: str | None) -> list[Path]:
    """Lists the files of a source: the file itself, or those of a folder and its subfolders, by name.

    Raises:
        NotFoundError: There is no such file or folder.
        InvalidInputError: The given format does not exist, or the path can be of no file.
    """
    try:
        is_folder, is_there = source.is_dir(), source.exists()
    except OSError as error:
        raise InvalidInputError(
            f"the source cannot be looked up: {error.strerror}. Choose another path"
        ) from error
    if is_folder:
        files = (path for path in source.rglob("*") if path.is_file())
        visible = (path for path in files if not _is_hidden(path.relative_to(source)))
        return sorted(path for path in visible if _is_of(path, given))
    if not is_there:
        raise NotFoundError(
            f"there is no source {source}. Pass a file or a folder that another program writes"
        )
    return [source]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _is_of(path: Path, given: str | None) -> bool:
    if given is not None and given not in READERS:
        format_of(path, given)
    known = ENDINGS.get(path.suffix.lower())
    return known is not None and given in {None, known}
