"""Conversion of episodes to rows of the LanceDB table and back, and the schema and owner of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bardo.errors import EmbeddingMismatchError, InvalidVectorError, StoreForeignError, StoreTooNewError
from bardo.model import Episode, Fingerprint
from bardo.ports import Vectors

#: Version of the columns and of the metadata.
SCHEMA_VERSION = 1

#: Columns of the fields of an `Episode`; payload and affect are in the log alone.
EPISODE_COLUMNS = (
    "id",
    "tick",
    "event_index",
    "at",
    "kind",
    "role",
    "speaker",
    "text",
    "subjects",
    "thread",
    "session",
    "mode",
    "importance",
    "verified",
)
COLUMNS = ("seq", "verification", "agent", *EPISODE_COLUMNS, "vector")
_METADATA = b"bardo."


def schema(agent: str, fingerprint: Fingerprint) -> Any:
    """Makes the `pyarrow.Schema` of an agent's table, with the agent and the model as metadata."""
    import pyarrow as pa

    identity = {
        "schema": SCHEMA_VERSION,
        "agent": agent,
        "model": fingerprint.model,
        "version": fingerprint.version,
        "preprocessing": fingerprint.preprocessing,
        "dims": fingerprint.dims,
    }
    return pa.schema(
        [
            pa.field(
                "seq", pa.int64(), nullable=False
            ),  # order of arrival in the log; the largest is the watermark
            pa.field(
                "verification", pa.int64(), nullable=False
            ),  # running number of its verification, 0 for none
            pa.field("agent", pa.string(), nullable=False),
            pa.field("id", pa.string(), nullable=False),
            pa.field("tick", pa.int64(), nullable=False),
            pa.field("event_index", pa.int64(), nullable=False),
            pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("role", pa.string(), nullable=False),
            pa.field("speaker", pa.string()),
            pa.field("text", pa.string(), nullable=False),
            pa.field("subjects", pa.list_(pa.string())),
            pa.field("thread", pa.string()),
            pa.field("session", pa.string()),
            pa.field("mode", pa.string()),
            pa.field("importance", pa.float64()),
            pa.field("verified", pa.bool_(), nullable=False),
            pa.field(
                "vector", pa.list_(pa.float16(), fingerprint.dims)
            ),  # null until the episode is embedded
        ],
        metadata={_METADATA + key.encode(): str(value).encode() for key, value in identity.items()},
    )


def check_owner(
    found: Mapping[bytes, bytes] | None, agent: str, fingerprint: Fingerprint | None, where: str
) -> Fingerprint:
    """Checks the agent and the model in a table's metadata.

    Args:
        found: Metadata of the table.
        agent: Expected owner.
        fingerprint: Expected model of the vectors; None for any.
        where: Folder, for errors.

    Returns:
        Model of the vectors.

    Raises:
        StoreForeignError: The table is not bardo's, or another agent's.
        StoreTooNewError: A newer bardo wrote it.
        EmbeddingMismatchError: Its vectors come from another model.
    """
    kept = {key[len(_METADATA) :].decode(): value.decode() for key, value in (found or {}).items()}
    if "schema" not in kept:
        raise StoreForeignError(f"{where} is a LanceDB table, but not one of bardo's. Use another folder")
    if int(kept["schema"]) > SCHEMA_VERSION:
        raise StoreTooNewError(
            f"{where} has schema version {kept['schema']}, this bardo reads up to {SCHEMA_VERSION}. "
            "Upgrade bardo: pip install -U bardo"
        )
    if kept["agent"] != agent:
        raise StoreForeignError(
            f"{where} belongs to the agent {kept['agent']!r}, not to {agent!r}. "
            "Agents do not share an index; open the grimoire of that agent, or move the folder away"
        )
    stored = Fingerprint(kept["model"], kept["version"], kept["preprocessing"], int(kept["dims"]))
    if fingerprint is not None and not stored.is_same_model(fingerprint):
        raise EmbeddingMismatchError(
            f"{where} holds vectors of {_in_words(stored)}, but these come from {_in_words(fingerprint)}. "
            "Open it with the embedder it was built with, or re-embed the grimoire and run `bardo maintenance rebuild`"
        )
    return stored


def _in_words(model: Fingerprint) -> str:
    return f"{model.model} / {model.version} / {model.preprocessing} / {model.dims}"


def batch(
    arrivals: Sequence[tuple[int, Episode]],
    vectors: Sequence[Vectors | None],
    verifications: Mapping[str, int],
    table_schema: Any,
    agent: str,
) -> Any:
    """Makes a `pyarrow.Table` of episodes with their vectors (None where there is none yet)."""
    import pyarrow as pa

    episodes = [episode for _, episode in arrivals]
    columns: dict[str, Any] = {
        "seq": [seq for seq, _ in arrivals],
        "verification": [verifications.get(episode.id, 0) for episode in episodes],
        "agent": [agent] * len(episodes),
    }
    for name in EPISODE_COLUMNS:
        columns[name] = [getattr(episode, name) for episode in episodes]
    columns["vector"] = vector_column(vectors, table_schema.field("vector").type)
    arrays = [
        columns[field.name] if field.name == "vector" else pa.array(columns[field.name], field.type)
        for field in table_schema
    ]
    return pa.Table.from_arrays(arrays, schema=table_schema)


def vector_column(vectors: Sequence[Vectors | None], vector_type: Any) -> Any:
    """Makes a float16 column of vectors, null where there is none.

    Raises:
        InvalidVectorError: A vector has the wrong number of dimensions, or a component that is not a finite float16.
    """
    import numpy as np
    import pyarrow as pa

    dims = vector_type.list_size
    values = np.zeros((len(vectors), dims), np.float16)
    with np.errstate(over="ignore"):  # checked below
        for row, vector in enumerate(vectors):
            if vector is not None:
                values[row] = checked_vector(vector, dims)
    if not np.isfinite(values).all():
        raise InvalidVectorError(
            "a vector has a component beyond float16 (65,504). Embedders give vectors of length 1"
        )
    absent = pa.array([vector is None for vector in vectors], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), dims, mask=absent)


def checked_vector(vector: Any, dims: int) -> Vectors:
    """Returns one vector as float32 of the table's dimensions.

    Raises:
        InvalidVectorError: It has another shape, or NaN or infinite components.
    """
    import numpy as np

    try:
        checked = np.asarray(vector, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidVectorError(f"the vector is not made of numbers: {error}. Pass {dims} floats") from error
    if checked.shape != (dims,):
        raise InvalidVectorError(
            f"the vector has shape {checked.shape}. This index holds vectors of shape ({dims},)"
        )
    if not np.isfinite(checked).all():
        raise InvalidVectorError("the vector has NaN or infinite components. Embed the text again")
    return checked


def plain(table: Any) -> list[dict[str, Any]]:
    """Converts a table to dicts without vectors, with times in microseconds: datetime ends at the year 9999."""
    import pyarrow as pa

    table = table.select([name for name in table.column_names if name != "vector"])
    at = table.schema.get_field_index("at")
    rows: list[dict[str, Any]] = table.set_column(at, "at", table.column(at).cast(pa.int64())).to_pylist()
    return rows


def vectors(table: Any) -> list[Vectors | None]:
    """Returns the vectors of a `pyarrow.Table`, each float32 of shape (dims,); None where a row has none."""
    import numpy as np

    column = table.column("vector").combine_chunks()
    # Null values are not part of the flattened column.
    rows = iter(column.flatten().to_numpy(zero_copy_only=False).reshape(-1, column.type.list_size))
    return [np.asarray(next(rows), np.float32) if there else None for there in column.is_valid().to_pylist()]


def episode(row: Mapping[str, Any]) -> Episode:
    """Makes the episode of a row, without payload and affect."""
    values = {name: row[name] for name in EPISODE_COLUMNS}
    values["subjects"] = tuple(values["subjects"] or ())
    return Episode(**values)
