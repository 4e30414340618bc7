"""Writes and reads facts, episodes and links as Parquet tables that any Parquet reader supports.

Written without compression or dictionaries: the bytes on disk bound the memory it takes to read them, so a small file
cannot unfold into a huge table.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args
from uuid import UUID

import numpy as np

from bardo._atomic import parse_json
from bardo.bequeath.lineage import GENERATION_LIMIT
from bardo.errors import TestamentTamperedError
from bardo.model import (
    RELATIONS,
    Episode,
    Fact,
    FactKind,
    FactStatus,
    Fingerprint,
    Link,
    Persistence,
    Quality,
    Role,
    Source,
    Statement,
)
from bardo.ports import Vectors

if TYPE_CHECKING:
    import pyarrow as pa

Built = TypeVar("Built", Fact, Episode)

#: Maximum number of characters of a value in a note.
_SHOWN = 200
#: Key of the model's fingerprint in the metadata of `entries.parquet`.
FINGERPRINT_KEY = b"bardo.fingerprint"
#: Maximum length of the text of a fact or an episode, in bytes of UTF-8.
TEXT_BYTES = 64 * 1024
#: Estimated size of the ids, times and numbers of an episode after compression, in bytes.
_ROW_BYTES = 48
#: Maximum number of dimensions of a vector; the largest embedding models in use have 4,096.
DIMENSIONS_LIMIT = 16_384
#: Maximum nesting depth of a payload, as in the stores.
_DEPTH_LIMIT = 64
#: Entries of the metadata that hold the statement of a fact and how long it holds.
STATEMENT, PERSISTENCE = "bardo.statement", "bardo.persistence"
#: Entry of the metadata of a tombstone: a belief that was refuted or replaced. Entries in force have none.
STATUS, TOMBSTONES = "bardo.status", ("superseded", "contradicted")
#: Entry of the metadata of a tombstone that evidence refuted, and its value.
ENDED_BY, REFUTATION = "bardo.ended_by", "refutation"
_QUALITY = ("specificity", "actionability", "novelty", "verifiability", "consistency")
#: Link as the fact store returns it: the fields of `Link` in order.
LinkTuple = tuple[str, str, str, float, int]


def write_entries(facts: Sequence[Fact]) -> bytes:
    """Writes the entries as a Parquet file."""
    import pyarrow as pa

    schema = _entry_schema(None)
    columns = [pa.array([_entry_cell(fact, field.name) for fact in facts], field.type) for field in schema]
    return _to_bytes(pa.table(columns, schema=schema))


def read_entries(
    data: bytes, limit: int, unfit: list[str]
) -> tuple[tuple[Fact, ...], Vectors | None, Fingerprint | None]:
    """Reads the output of `write_entries`: facts, and of an older bardo one row of vectors each, and their model.

    A fact without a vector has a row of NaN.

    Args:
        data: Bytes of the part.
        limit: Maximum number of rows.
        unfit: List to which a sentence is added for each invalid row, which is skipped.

    Raises:
        TestamentTamperedError: The part is not such a table.
    """
    part = "entries.parquet"
    metadata = _metadata(data, part)
    fingerprint = _read_fingerprint(metadata.get(FINGERPRINT_KEY))
    table = _from_bytes(data, _entry_schema(fingerprint), limit, part)
    rows = [{name: column[place] for name, column in table.items()} for place in range(_height(table))]
    kept = list(_fit(_fact, rows, "entry", unfit))
    facts = tuple(fact for _, fact in kept)
    if fingerprint is None:
        return facts, None, None
    absent = [float("nan")] * fingerprint.dims
    vectors = np.array([row["embedding"] or absent for row, _ in kept], np.float32).reshape(
        -1, fingerprint.dims
    )
    for place in np.flatnonzero(np.isinf(vectors).any(axis=1)):
        vectors[place] = absent
        unfit.append(f"the vector of entry {facts[place].id} holds infinity and was left out")
    return facts, vectors, fingerprint


def write_episodes(episodes: Sequence[Episode]) -> bytes:
    """Writes the episodes as a Parquet file."""
    import pyarrow as pa

    schema = _episode_schema()
    cells = [
        pa.array([_episode_cell(episode, field.name) for episode in episodes], field.type) for field in schema
    ]
    return _to_bytes(pa.table(cells, schema=schema))


def read_episodes(data: bytes, limit: int, unfit: list[str]) -> tuple[Episode, ...]:
    """Reads the output of `write_episodes`; arguments and errors as in `read_entries`."""
    table = _from_bytes(data, _episode_schema(), limit, "episodes.parquet")
    rows = [{name: column[place] for name, column in table.items()} for place in range(_height(table))]
    return tuple(episode for _, episode in _fit(_episode, rows, "episode", unfit))


def write_links(links: Iterable[Link]) -> bytes:
    """Writes the links as a Parquet file."""
    import pyarrow as pa

    rows = [(link.src, link.dst, link.relation, link.weight, link.tick) for link in links]
    schema = _link_schema()
    cells = [pa.array([row[place] for row in rows], field.type) for place, field in enumerate(schema)]
    return _to_bytes(pa.table(cells, schema=schema))


def read_links(data: bytes, limit: int, unfit: list[str]) -> tuple[Link, ...]:
    """Reads the output of `write_links`; arguments and errors as in `read_entries`."""
    table = _from_bytes(data, _link_schema(), limit, "links.parquet")
    links: list[Link] = []
    for link in (Link(*row) for row in zip(*table.values(), strict=True)):
        if link.relation not in RELATIONS or not 0.0 <= link.weight <= 1.0 or link.tick < 0:
            unfit.append(f"link {_shown(link)} was left out: it is no link")
        else:
            links.append(link)
    return tuple(links)


def size_of(fact: Fact) -> int:
    """Estimates the bytes of an entry without its vector; never less than the length of its texts."""
    parts = (
        fact.text,
        fact.category,
        *fact.subjects,
        *fact.evidence,
        to_json(fact.payload),
        to_json(fact.metadata),
    )
    return 256 + sum(len(part.encode()) + 8 for part in parts)


def size_of_episode(episode: Episode) -> int:
    """Estimates the bytes of an episode in a compressed testament."""
    parts = (episode.text, *episode.subjects, to_json(episode.payload))
    return _ROW_BYTES + sum(len(part.encode()) for part in parts) // 2


def to_json(value: Any) -> str:
    """Serializes a value as JSON with sorted names; NaN and infinity become null."""
    return json.dumps(_finite(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _finite(inner) for name, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(inner) for inner in value]
    return value


def _entry_fields() -> list[tuple[str, pa.DataType, bool]]:
    import pyarrow as pa

    text, number, whole, names = pa.string(), pa.float64(), pa.int64(), pa.list_(pa.string())
    return [
        ("id", text, False),
        ("text", text, False),
        ("kind", text, False),
        ("category", text, False),
        ("subjects", names, False),
        ("confidence", number, False),
        ("importance", number, False),
        ("quality", text, True),
        ("support", whole, False),
        ("evidence", names, False),
        ("created_tick", whole, False),
        ("created_at", whole, False),
        ("observed_from", whole, False),
        ("observed_to", whole, False),
        ("expires_tick", whole, True),
        ("source", text, False),
        ("origin", text, False),
        ("generation", whole, False),
        ("pad", pa.list_(number, 3), False),
        ("bloodstain", pa.bool_(), False),
        ("metadata", text, False),
        ("payload", text, False),
    ]


def _entry_schema(fingerprint: Fingerprint | None) -> pa.Schema:
    import pyarrow as pa

    fields = [pa.field(name, kind, nullable) for name, kind, nullable in _entry_fields()]
    if fingerprint is None:
        return pa.schema(fields)
    fields.append(pa.field("embedding", pa.list_(pa.float32(), fingerprint.dims), nullable=True))
    identity = {name: getattr(fingerprint, name) for name in Fingerprint.__dataclass_fields__}
    return pa.schema(fields, metadata={FINGERPRINT_KEY: to_json(identity).encode()})


def _episode_schema() -> pa.Schema:
    import pyarrow as pa

    text, number, whole = pa.string(), pa.float64(), pa.int64()
    fields = [
        ("id", text, False),
        ("tick", whole, False),
        ("event_index", whole, False),
        ("at", whole, False),
        ("kind", text, False),
        ("role", text, False),
        ("speaker", text, True),
        ("text", text, False),
        ("subjects", pa.list_(text), False),
        ("payload", text, False),
        ("thread", text, True),
        ("session", text, True),
        ("mode", text, True),
        ("curiosity", number, False),
        ("importance", number, True),
        ("verified", pa.bool_(), False),
        ("pad", pa.list_(number, 3), False),
    ]
    return pa.schema([pa.field(name, kind, nullable) for name, kind, nullable in fields])


def _link_schema() -> pa.Schema:
    import pyarrow as pa

    fields = [("src", pa.string()), ("dst", pa.string()), ("relation", pa.string())]
    numbers = [("weight", pa.float64()), ("tick", pa.int64())]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields + numbers])


def _entry_cell(fact: Fact, name: str) -> Any:
    match name:
        case "observed_from":
            return fact.observed[0]
        case "observed_to":
            return fact.observed[1]
        case "quality":
            marks = fact.quality
            return None if marks is None else to_json({mark: getattr(marks, mark) for mark in _QUALITY})
        case "metadata" | "payload":
            return to_json({**fact.metadata, **_form(fact)} if name == "metadata" else fact.payload)
        case "embedding":
            return None
        case _:
            return getattr(fact, name)


def _form(fact: Fact) -> dict[str, Any]:
    """Statement, persistence and end of a fact, as entries of its metadata, which earlier versions pass over."""
    form: dict[str, Any] = {}
    if fact.statement is not None:
        form[STATEMENT] = {
            field.name: getattr(fact.statement, field.name) for field in dataclasses.fields(fact.statement)
        }
    if fact.persistence is not None:
        form[PERSISTENCE] = fact.persistence
    if fact.status in TOMBSTONES:
        form[STATUS] = fact.status
        if fact.is_refuted:
            form[ENDED_BY] = REFUTATION
    return form


def _episode_cell(episode: Episode, name: str) -> Any:
    return to_json(episode.payload) if name == "payload" else getattr(episode, name)


def _fact(row: dict[str, Any]) -> Fact:
    row = {name: cell for name, cell in row.items() if name != "embedding"}
    observed = (row.pop("observed_from"), row.pop("observed_to"))
    quality = row.pop("quality")
    row["quality"] = None if quality is None else Quality(**parse_json(quality))
    for name in ("metadata", "payload"):
        row[name] = _object(row[name])
    statement, persistence = row["metadata"].pop(STATEMENT, None), row["metadata"].pop(PERSISTENCE, None)
    row["statement"] = None if statement is None else Statement(**statement)
    if persistence not in (None, *get_args(Persistence)):
        raise ValueError("its persistence is none that facts have")
    row["persistence"] = persistence
    row["status"] = row["metadata"].pop(STATUS, "active")
    if row["status"] not in ("active", *TOMBSTONES):
        raise ValueError("its status is none that entries have")
    row["ended_by"] = row["metadata"].pop(ENDED_BY, None)
    if row["ended_by"] not in (None, REFUTATION) or (row["ended_by"] and row["status"] not in TOMBSTONES):
        raise ValueError("its cause of an end is none that entries have")
    for name in ("subjects", "evidence", "pad"):
        row[name] = tuple(row[name])
    fact = Fact(observed=observed, **row)
    known = (
        fact.kind in get_args(FactKind)
        and fact.source in get_args(Source)
        and fact.status in get_args(FactStatus)
    )
    marks = [fact.confidence, fact.importance]
    if (
        not known
        or not all(0.0 <= mark <= 1.0 for mark in marks)
        or not 0 <= fact.generation <= GENERATION_LIMIT
        or not (fact.expires_tick or 0) >= 0
        or not _has_text(fact.text)
    ):
        raise ValueError("a field is out of range")
    _check_row(fact.id, fact.payload)
    return fact


def _episode(row: dict[str, Any]) -> Episode:
    row["payload"] = parse_json(row["payload"])
    for name in ("subjects", "pad"):
        row[name] = tuple(row[name])
    episode = Episode(**row)
    if episode.role not in get_args(Role) or episode.tick < 0 or not _has_text(episode.text):
        raise ValueError("a field is out of range")
    _check_row(episode.id, episode.payload)
    return episode


def _check_row(id_: str, payload: Any) -> None:
    if str(UUID(id_)) != id_:
        raise ValueError("its id is not written like one")
    if not _is_shallow(payload, _DEPTH_LIMIT):
        raise ValueError(f"its payload is nested deeper than {_DEPTH_LIMIT} levels")


def _is_shallow(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels >= 0 and all(_is_shallow(each, levels - 1) for each in inner)


def _has_text(text: str) -> bool:
    return bool(text.strip()) and len(text.encode()) <= TEXT_BYTES


def _object(text: str) -> dict[str, Any]:
    value = parse_json(text)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _read_fingerprint(raw: bytes | None) -> Fingerprint | None:
    if raw is None:
        return None
    try:
        fingerprint = Fingerprint(**_object(raw.decode()))
        if not 1 <= fingerprint.dims <= DIMENSIONS_LIMIT:
            raise ValueError(f"{fingerprint.dims} dimensions")
    except (TypeError, ValueError) as error:
        raise _wrong("entries.parquet", f"its fingerprint cannot be read: {error}") from error
    return fingerprint


def _to_bytes(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    # One row group, since the caps keep it small. The Arrow schema is stored, so that types are restored exactly.
    pq.write_table(
        table,
        sink,
        compression="none",
        use_dictionary=False,
        row_group_size=max(table.num_rows, 1),
        version="2.6",
    )
    return bytes(sink.getvalue())


def _metadata(data: bytes, part: str) -> Mapping[bytes, bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.ParquetFile(pa.BufferReader(data)).schema_arrow
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _wrong(part, f"it is no Parquet file: {error}") from error
    return schema.metadata or {}


def _from_bytes(data: bytes, schema: pa.Schema, limit: int, part: str) -> dict[str, list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if not file.schema_arrow.equals(schema):
            raise _wrong(part, "its columns are not those of a testament")
        if file.metadata.num_rows > limit:
            raise _wrong(part, f"it has {file.metadata.num_rows} rows, the limit is {limit}")
        _refuse_unfolding(file.metadata, len(data), part)
        table = file.read(use_threads=False)
        table.validate(full=True)
        columns: dict[str, list[Any]] = table.to_pydict()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _wrong(part, f"it cannot be read: {error}") from error
    return columns


def _refuse_unfolding(metadata: Any, size: int, part: str) -> None:
    """Refuses compression and dictionaries, which bardo never writes: they can expand few bytes into many."""
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            folded = column.compression != "UNCOMPRESSED" or any("DICT" in name for name in column.encodings)
            if folded or column.total_uncompressed_size > size or column.num_values > size:
                raise _wrong(part, f"column {column.path_in_schema} is larger than the file")


def _height(table: Mapping[str, list[Any]]) -> int:
    return len(next(iter(table.values())))


def _fit(
    build: Callable[[dict[str, Any]], Built], rows: Iterable[dict[str, Any]], kind: str, unfit: list[str]
) -> Iterator[tuple[dict[str, Any], Built]]:
    """Builds records from the valid rows, each id once; an invalid row is skipped without affecting the others."""
    seen: set[str] = set()
    for row in rows:
        problem = f"another {kind} has its id" if row["id"] in seen else ""
        try:
            built = build(dict(row))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            problem = f"{error}"
        if problem:
            unfit.append(f"{kind} {_shown(row['id'])} was left out: {_shown(problem)}")
        else:
            seen.add(row["id"])
            yield row, built


def _shown(value: object) -> str:
    """Formats an untrusted value on one short line."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in str(value)).split())[
        :_SHOWN
    ]


def _wrong(part: str, what: str) -> TestamentTamperedError:
    return TestamentTamperedError(
        f"{part} of the testament does not hold what a testament holds: {what}. Ask for the original file"
    )
