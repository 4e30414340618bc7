"""Compaction of the LanceDB table, and deletion of rows without a trace in its files.

LanceDB's own `delete` only marks rows, compaction ignores marks below a tenth of a fragment, old versions stay, and the
text index keeps the words. A deletion has to handle all four.
"""

from __future__ import annotations

import math
import mmap
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bardo._printed import printed
from bardo.errors import InvalidInputError, StoreError

#: Minimum age of a version for its removal. Zero would make LanceDB warn of other writers, and there are none.
_OLD = timedelta(milliseconds=1)
_CLEANUPS = 5
#: Names of the index of words, and of its predecessor, which left out stop words and words over 40 characters.
_TEXT_INDEX, _OLD_TEXT_INDEX = "words", "text_idx"
_VECTOR_INDEX = "vector_idx"
#: Divisor of the square root of the rows (the number of partitions) for the number of partitions searched, and its
#: minimum: recall@10 is .99 to 1 on MiniLM vectors (6,597 of LoCoMo, 81 partitions, 20 and 40 of them searched).
_PROBED_ONE_IN, _PROBED_LEAST = 4, 20
#: Factor of the limit for the number of candidates (found by one bit per component) that are compared exactly, and its
#: minimum: on 43,280 MiniLM vectors recall@10 is .68 without, .990 with 100 candidates and .998 with 200.
_REFINED, _REFINED_LEAST = 10, 200
#: RaBitQ packs components into bytes.
_BITS = 8
_FRAGMENT_BITS = 32  # the low bits of a row id are the offset in the fragment, the high bits its number
_IDS_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """Report of a deletion, and of the search of the files for traces.

    Args:
        deleted: Number of deleted rows.
        rewritten: Number of rows copied because they shared a fragment with deleted ones.
        files: Number of files searched for traces, without any.
    """

    deleted: int
    rewritten: int
    files: int

    __str__ = printed


def ensure_text_index(table: Any) -> None:
    """Makes the full-text index if the table has none; later rows enter it at the next compaction.

    Words follow ICU's segmentation, which also works for Chinese, Japanese and Thai; English stems. The length of words
    is not limited, because of addresses and hashes. Stop words are kept, because a name may be spelled like one.
    """
    from lancedb.index import FTS

    names = {index.name for index in table.list_indices()}
    if _OLD_TEXT_INDEX in names:
        table.drop_index(_OLD_TEXT_INDEX)
    if _TEXT_INDEX not in names:
        config = FTS(base_tokenizer="icu", max_token_length=None, remove_stop_words=False)
        table.create_index("text", config=config, name=_TEXT_INDEX)


def ensure_vector_index(table: Any, rows: int, dims: int) -> None:
    """Makes the IVF index of vectors, with a partition per square root of the rows, if the table has none.

    It stores a bit per component (RaBitQ, Gao and Long 2024: about 60 bytes a row at 384 dimensions, where copies take
    770), and a search compares the best candidates by their vectors. Later rows are scanned until the next compaction
    adds them.
    """
    from lancedb.index import IvfFlat, IvfRq

    if not has_vector_index(table):
        kind = IvfFlat if dims % _BITS else IvfRq
        partitions = max(1, math.isqrt(rows))
        table.create_index("vector", config=kind(distance_type="dot", num_partitions=partitions))


def has_vector_index(table: Any) -> bool:
    """Whether the table has an IVF index of vectors."""
    return any(index.name == _VECTOR_INDEX for index in table.list_indices())


def drop_vector_index(table: Any) -> None:
    """Removes the IVF index: it holds traces of the vectors."""
    if has_vector_index(table):
        table.drop_index(_VECTOR_INDEX)


def probes(rows: int) -> int:
    """Number of partitions that a search probes."""
    return max(_PROBED_LEAST, math.isqrt(rows) // _PROBED_ONE_IN)


def refinement(limit: int) -> int:
    """Factor of the limit for the number of candidates compared by their vectors."""
    return max(_REFINED, -(-_REFINED_LEAST // limit))


def optimize(table: Any) -> None:
    """Merges fragments, brings the indexes up to date and removes every version but the last."""
    for _ in range(_CLEANUPS):
        # Unverified files are leftovers of a crash, since no other process writes.
        table.optimize(cleanup_older_than=_OLD, delete_unverified=True)
        if len(table.list_versions()) == 1:
            return
        time.sleep(2 * _OLD.total_seconds())


def purge(table: Any, folder: Path, ids: Sequence[str]) -> PurgeReport:
    """Deletes rows and every trace of them in the table's folder.

    Raises:
        InvalidInputError: An id is not text.
        StoreError: A trace remains.
    """
    touched: set[int] = set()
    deleted = 0
    for start in range(0, len(ids), _IDS_AT_ONCE):
        condition = _one_of(ids[start : start + _IDS_AT_ONCE])
        rows = table.search().with_row_id(True).where(condition).select(["id"]).to_arrow()
        touched |= {row >> _FRAGMENT_BITS for row in rows.column("_rowid").to_pylist()}
        deleted += table.delete(condition).num_deleted_rows
    rewritten = sum(_rewrite(table, fragment) for fragment in sorted(touched | _fragments_with_gaps(table)))
    if _marked_rows(table):
        # Marks at the end of a fragment leave no gap in the row ids, so all rows are copied.
        rewritten += table.update(where="true", values_sql={"seq": "seq"}).rows_updated
    table.drop_index(_TEXT_INDEX)
    ensure_text_index(table)
    optimize(table)
    return PurgeReport(deleted, rewritten, _verify_removal(table, folder, ids))


def bytes_on_disk(folder: Path) -> int:
    """Returns the size of all files in a folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue  # the owner has deleted it meanwhile
    return total


def replace(fresh: Path, place: Path) -> None:
    """Moves a folder to a path, replacing any folder there."""
    aside = place.with_name(f".old-{place.name}")
    shutil.rmtree(aside, ignore_errors=True)
    if place.exists():
        place.rename(aside)
    fresh.rename(place)
    shutil.rmtree(aside, ignore_errors=True)


def _one_of(ids: Sequence[str]) -> str:
    for given in ids:
        if not isinstance(given, str):
            raise InvalidInputError(f"the id {given!r} is a {type(given).__name__}. Ids are text")
    quoted = ", ".join("'" + given.replace("'", "''") + "'" for given in ids)
    return f"id IN ({quoted})"


def _rewrite(table: Any, fragment: int) -> int:
    """Copies the remaining rows of a fragment into a new one, so that the old file can be deleted."""
    first, last = fragment << _FRAGMENT_BITS, (fragment + 1) << _FRAGMENT_BITS
    return int(
        table.update(where=f"_rowid >= {first} AND _rowid < {last}", values_sql={"seq": "seq"}).rows_updated
    )


def _fragments_with_gaps(table: Any) -> set[int]:
    """Finds the fragments in which earlier deletions or updates left marked rows between others."""
    rows = table.search().with_row_id(True).select(["seq"]).to_arrow().column("_rowid").to_pylist()
    highest: dict[int, int] = {}
    count: dict[int, int] = {}
    for row in rows:
        fragment, offset = row >> _FRAGMENT_BITS, row & ((1 << _FRAGMENT_BITS) - 1)
        highest[fragment] = max(highest.get(fragment, 0), offset)
        count[fragment] = count.get(fragment, 0) + 1
    return {fragment for fragment, offset in highest.items() if offset + 1 != count[fragment]}


def _marked_rows(table: Any) -> int:
    return int(table.list_versions()[-1]["metadata"]["total_deletion_file_rows"])


def _verify_removal(table: Any, folder: Path, ids: Sequence[str]) -> int:
    """Verifies from the files that rows are gone.

    Only the last version exists, it marks no row as deleted, and no file contains an id. (Texts and words are
    compressed, so that a search of the files for them would prove nothing.)
    """
    pages = [ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE)]
    found = ["a row is still there" for page in pages if table.count_rows(_one_of(page))]
    versions = table.list_versions()
    if len(versions) > 1:
        found.append(f"{len(versions) - 1} older versions are still there")
    if _marked_rows(table):
        found.append("deleted rows are still in a data file")
    kept = int(versions[-1]["metadata"]["total_data_files"])
    there = len(list((folder / "data").glob("*.lance")))
    if there > kept:
        found.append(f"{there - kept} data files of no version are still there")
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    for path in files:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found += [f"{path.name} spells {given}" for given in ids if content.find(given.encode()) >= 0]
    if found:
        raise StoreError(
            f"the deletion from {folder} left traces: {'; '.join(found[:5])}. Close other readers and delete again, "
            "or run `bardo maintenance rebuild`"
        )
    return len(files)
