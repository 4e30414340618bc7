"""Records of CSV and Parquet files: one per row."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bardo.capture.sources.record import Item, Record
from bardo.capture.sources.rows import item_of
from bardo.errors import StoreForeignError

#: Separators of columns among which that of a file is chosen, by its header.
_SEPARATORS = (",", ";", "\t", "|")
#: Maximum size of a field of a CSV file in characters: the text of an episode has fewer.
_FIELD_CHARACTERS = 16 * 1024 * 1024
#: Number of rows that are read from a Parquet file at once.
_ROWS = 1_024


class Csv:
    """Reads a CSV file with a header; its separator is that of the header."""

    is_edited = False

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields the rows behind the header. A row is complete with its line end.

        Raises:
            StoreForeignError: A row cannot be read.
        """
        csv.field_size_limit(_FIELD_CHARACTERS)
        with path.open("rb") as file:
            read: list[bytes] = []
            end = 0

            def lines() -> Iterator[str]:
                for line in file:
                    read.append(line)
                    yield line.decode("utf-8-sig" if not end and len(read) == 1 else "utf-8", "replace")

            source = lines()
            header_line = next(source, "")
            separator = max(_SEPARATORS, key=header_line.count)
            header = next(csv.reader([header_line], delimiter=separator), [])
            end = sum(map(len, read))
            read.clear()
            rows = csv.reader(source, delimiter=separator)
            for number in range(1, 2**63):
                try:
                    row = next(rows, None)
                except csv.Error as error:
                    raise StoreForeignError(
                        f"row {number} of {path} cannot be read: {error}. Mend it"
                    ) from error
                raw = b"".join(read)
                if row is None:
                    return
                behind, end = end + len(raw.rstrip(b"\r\n")), end + len(raw)
                # A quoted field that is not closed has an odd number of quotes.
                is_complete = raw.endswith(b"\n") and raw.count(b'"') % 2 == 0
                read.clear()
                if raw.strip():
                    yield Record(
                        raw.rstrip(b"\r\n"), behind, number, is_complete, partial(_csv_items, header, row)
                    )


def _csv_items(header: list[str], row: list[str]) -> list[Item]:
    names = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
    names += [f"column {place}" for place in range(len(header) + 1, len(row) + 1)]
    return [item_of({name: _number(value) for name, value in zip(names, row, strict=False)})]


def _number(value: str) -> str | int | float:
    """Reads a number, since numbers in a payload feed the baselines; a code such as 007 stays text."""
    text = value.strip()
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        if text.lstrip("+-0123456789.eE") or not math.isfinite(number):
            return value
        if isinstance(number, int) and (abs(number) >= 2**63 or str(number) != text.removeprefix("+")):
            return value
        return number
    return value


class Parquet:
    """Reads a Parquet file."""

    is_edited = False

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields the rows of a file.

        Raises:
            StoreForeignError: It is no Parquet file, or it is cut short.
        """
        import pyarrow
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(path) as table:
                number = 0
                for batch in table.iter_batches(batch_size=_ROWS):
                    for row in batch.to_pylist():
                        number += 1
                        plain = {str(name): _plain(value) for name, value in row.items()}
                        raw = json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()
                        yield Record(raw, number, number, True, partial(_row_items, plain))
        except pyarrow.ArrowInvalid as error:
            raise StoreForeignError(
                f"{path} cannot be read as Parquet: {error}. Write it whole, under another name, and rename it"
            ) from error


def _row_items(row: dict[str, Any]) -> list[Item]:
    return [item_of(row)]


def _plain(value: Any) -> Any:
    """Converts a value of a column to one that a payload holds."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).isoformat()
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return float(value) if value.is_finite() else None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
