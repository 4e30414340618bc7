"""The LanceDB index: derived from the log, never doubled, rebuilt at will, and forgetful when told to."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bardo._core import EpisodeLog
from bardo.config import Archive
from bardo.errors import (
    EmbeddingMismatchError,
    GrimoireClosedError,
    InvalidInputError,
    InvalidVectorError,
    StoreDamagedError,
    StoreForeignError,
    StoreTooNewError,
    StoreUnavailableError,
)
from bardo.index.archive import rows
from bardo.index.archive.lance_index import LanceIndex
from bardo.model import Episode, Fingerprint

DIMS = 16
AGENT = "trader-7"
MODEL = Fingerprint("toy", "1", "none", DIMS)
NOW = 1_700_000_000_000_000
SMALL = Archive(batch=64, compact_fragments=4)


def direction(number):
    """A unit vector that depends on a number."""
    vector = np.random.default_rng(number).normal(size=DIMS)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def episodes(numbers, **fields):
    defaults = {"at": NOW, "speaker": "keeper", "subjects": ("aave",)}
    return [
        Episode(text=f"liquidation number{n} followed the oracle", tick=n, **{**defaults, **fields})
        for n in numbers
    ]


def put_vectors(log, numbers, ids, fingerprint=MODEL):
    whole = np.stack([direction(n) for n in numbers])
    log.put_vectors(ids, whole, np.empty((0, DIMS), np.float32), [0] * len(ids), fingerprint)


def fill(log, numbers, **fields):
    ids = [recorded.id for recorded in log.record(episodes(numbers, **fields), now=NOW)]
    put_vectors(log, numbers, ids)
    return ids


@pytest.fixture
def log(tmp_path):
    made = EpisodeLog(str(tmp_path / "episodes.redb"), agent=AGENT, seed=1, now=NOW, durable=False)
    yield made
    made.close()


@pytest.fixture
def index(tmp_path):
    return LanceIndex(tmp_path / "index.lance", agent=AGENT, fingerprint=MODEL, settings=SMALL)


def test_a_synced_episode_is_found_by_vector_and_by_word(log, index):
    ids = fill(log, range(1, 200))
    assert index.sync(log).appended == 199

    by_vector = index.search_vector(direction(77), 3)
    by_word = index.search_text("what of number77?", 3)

    for found in (by_vector, by_word):
        assert found[0].episode.id == ids[76]
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert by_vector[0].score == pytest.approx(1.0, abs=1e-3)


def test_a_row_gives_its_episode_back_but_for_payload_and_affect(log, index):
    annotated = {"importance": 0.7, "verified": True, "payload": {"lag": 2}, "pad": (0.5, 0.0, 0.0)}
    scoped = {"kind": "trade", "role": "agent", "thread": "t", "session": "s", "mode": "chat"}
    given = replace(episodes([5])[0], event_index=3, subjects=("aave", "eth"), **annotated, **scoped)
    (recorded,) = log.record([given], now=NOW)
    index.sync(log)

    (found,) = index.search_text("number5", 1)
    (kept,) = log.get([recorded.id])
    assert found.episode == replace(kept, payload=None, pad=(0.0, 0.0, 0.0), curiosity=0.0, content_hash=0)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Цена упала, начались ликвидации", "ликвидации"),
        ("価格が下がり、清算が始まった", "清算"),
        ("انخفض السعر وبدأت التصفية", "التصفية"),
        ("to the moon 🚀 with ETH/USDC", "usdc"),
    ],
)
def test_words_of_other_scripts_are_found(log, index, text, query):
    log.record([Episode(text="nothing of the kind"), Episode(text=text)], now=NOW)
    index.sync(log)

    assert index.search_text(query, 1)[0].episode.text == text


@pytest.mark.parametrize(
    "query", ["", " ", "the", '"', "a AND OR NOT", "*:*", "'; DROP TABLE", "\x00", "x" * 100_000, "🎉"]
)
def test_any_text_is_a_valid_query(log, index, query):
    fill(log, range(1, 5))
    index.sync(log)

    assert isinstance(index.search_text(query, 3), list)


def test_syncing_again_adds_nothing_and_appending_again_neither(log, index):
    fill(log, range(1, 101))
    index.sync(log)

    assert index.sync(log).appended == 0
    assert index.append(log.since(0, 50), [None] * 50) == 0
    assert index.stats()["rows"] == 100
    fill(log, range(101, 103))
    assert index.sync(log).appended == 2


def test_the_watermark_is_in_the_table_itself(log, index, tmp_path):
    fill(log, range(1, 101))
    index.sync(log)

    again = LanceIndex(tmp_path / "index.lance", agent=AGENT, fingerprint=MODEL, settings=SMALL)
    assert again.watermark == 100
    assert not again.due(163)
    assert again.due(164)


def test_an_episode_without_a_vector_is_found_by_its_words_and_gets_its_vector_later(log, index):
    fill(log, range(1, 11))
    (late,) = log.record(episodes([11]), now=NOW)
    report = index.sync(log)
    assert (report.appended, report.without_vector) == (11, 1)
    assert index.search_text("number11", 1)[0].episode.id == late.id
    assert late.id not in [hit.episode.id for hit in index.search_vector(direction(11), 20)]

    put_vectors(log, [11], [late.id])
    report = index.sync(log)
    assert (report.appended, report.embedded, report.without_vector) == (0, 1, 0)
    assert index.search_vector(direction(11), 1)[0].episode.id == late.id
    assert index.stats()["rows"] == 11


def test_verifications_reach_rows_that_are_there_and_rows_to_come(log, index, tmp_path):
    ids = fill(log, range(1, 21))
    index.sync(log)
    fill(log, range(21, 31), verified=True, importance=0.9)
    log.verify([(ids[3], 0.7)])

    report = index.sync(log)
    assert (report.appended, report.annotated) == (10, 1)
    verified = {hit.episode.id: hit.episode for hit in index.search_text("oracle", 50, where="verified")}
    assert len(verified) == 11
    assert verified[ids[3]].importance == pytest.approx(0.7)
    assert index.sync(log).annotated == 0
    again = LanceIndex(tmp_path / "index.lance", agent=AGENT, fingerprint=MODEL)
    assert again.sync(log).annotated == 0


def test_conditions_narrow_before_the_search(log, index):
    fill(log, range(1, 60))
    fill(log, range(60, 70), thread="aave", subjects=("rare",))
    index.sync(log)

    near = index.search_vector(direction(1), 20, where="thread = 'aave' AND tick < 65")
    assert sorted(hit.episode.tick for hit in near) == [60, 61, 62, 63, 64]
    assert len(index.search_text("oracle", 50, where="array_has(subjects, 'rare')")) == 10
    with pytest.raises(InvalidInputError, match="tick"):
        index.search_vector(direction(1), 5, where="no_such_column = 1")
    with pytest.raises(InvalidInputError):
        index.search_text("oracle", 5, where="tick <<>> (")


def test_compaction_keeps_fragments_versions_and_bytes_few(log, index):
    for start in range(1, 2_001, 50):
        fill(log, range(start, start + 50))
        index.sync(log)
    index.compact()

    stats = index.stats()
    assert (stats["rows"], stats["fragments"], stats["versions"]) == (2_000, 1, 1)
    assert stats["bytes_per_memory"] < 400
    assert index.search_text("number1234", 1)[0].episode.tick == 1_234
    assert index.search_vector(direction(1_234), 1)[0].episode.tick == 1_234


def test_a_deleted_episode_is_gone_from_every_file_and_stays_gone(log, index, tmp_path):
    ids = fill(log, range(1, 301))
    index.sync(log)
    log.verify([(ids[9], 0.5), (ids[200], 0.5)])
    index.sync(log)  # leaves marked copies of two rows behind
    index.compact()
    secret = log.get([ids[9]])[0].text
    assert spelled(tmp_path, ids[9])

    purged = index.delete([ids[9], ids[10], ids[299]])

    assert purged.deleted == 3
    assert index.stats()["versions"] == 1
    assert index.stats()["rows"] == 297
    assert not spelled(tmp_path, ids[9], ids[10], ids[299], secret)
    assert index.search_text("number10", 5) == []
    assert ids[9] not in [hit.episode.id for hit in index.search_vector(direction(10), 300)]
    assert index.search_text("number201", 1)[0].episode.verified
    assert index.delete([ids[9]]).deleted == 0


def spelled(folder: Path, *words):
    files = [path for path in (folder / "index.lance").rglob("*") if path.is_file()]
    return [path.name for path in files for word in words if word.encode() in path.read_bytes()]


@pytest.mark.parametrize("ids", ["one string", [1], [None]])
def test_a_value_that_is_no_list_of_ids_deletes_nothing(log, index, ids):
    fill(log, range(1, 5))
    index.sync(log)

    with pytest.raises(InvalidInputError):
        index.delete(ids)
    index.delete(["' OR true --"])
    assert index.stats()["rows"] == 4


@pytest.mark.parametrize(
    ("vector", "what"),
    [
        (np.ones(DIMS + 1), "shape"),
        (np.full(DIMS, np.nan), "NaN"),
        (np.full(DIMS, 1e6), "float16"),
        (["x"], "numbers"),
    ],
)
def test_bad_vectors_are_refused_and_leave_the_table_as_it_was(log, index, vector, what):
    log.record(episodes([1]), now=NOW)

    with pytest.raises(InvalidVectorError, match=what):
        index.append(log.since(0, 1), [vector])
    assert index.stats()["rows"] == 0


def test_bad_searches_are_refused(log, index):
    fill(log, range(1, 3))
    index.sync(log)

    with pytest.raises(InvalidVectorError):
        index.search_vector(np.ones(DIMS - 1, np.float32), 5)
    with pytest.raises(InvalidInputError, match="at least 1"):
        index.search_text("x", 0)
    with pytest.raises(InvalidInputError, match="1 vectors for 2"):
        index.append(log.since(0, 2), [None])
    with pytest.raises(InvalidInputError, match="increase"):
        index.append(log.since(0, 2)[::-1], [None, None])


def test_other_agents_other_models_and_newer_tables_are_refused(log, index, tmp_path, monkeypatch):
    fill(log, range(1, 5))
    index.sync(log)
    folder = tmp_path / "index.lance"

    with pytest.raises(StoreForeignError, match="trader-7"):
        LanceIndex(folder, agent="someone", fingerprint=MODEL).search_text("x", 1)
    with pytest.raises(StoreForeignError, match="trader-7"):
        LanceIndex(folder, agent="someone", fingerprint=MODEL).rebuild(log)
    for other in (replace(MODEL, version="2"), replace(MODEL, preprocessing="p"), replace(MODEL, dims=8)):
        with pytest.raises(EmbeddingMismatchError, match="rebuild"):
            LanceIndex(folder, agent=AGENT, fingerprint=other).stats()
    LanceIndex(folder, agent=AGENT, fingerprint=replace(MODEL, created=9)).stats()
    monkeypatch.setattr(rows, "SCHEMA_VERSION", 0)
    with pytest.raises(StoreTooNewError, match="pip install -U bardo"):
        LanceIndex(folder, agent=AGENT, fingerprint=MODEL).stats()


def test_a_log_of_another_model_is_refused(log, tmp_path):
    fill(log, range(1, 5))
    other = LanceIndex(tmp_path / "other", agent=AGENT, fingerprint=replace(MODEL, version="2"))

    with pytest.raises(EmbeddingMismatchError, match="toy"):
        other.sync(log)


def test_a_table_that_is_not_ours_is_left_alone(tmp_path):
    import lancedb

    lancedb.connect(str(tmp_path / "theirs")).create_table("episodes", [{"id": "a", "text": "b"}])

    with pytest.raises(StoreForeignError, match="not one of bardo's"):
        LanceIndex(tmp_path / "theirs", agent=AGENT, fingerprint=MODEL).stats()


def damage(folder, kind):
    table = folder / "episodes.lance"
    if kind == "data":
        for path in (table / "data").iterdir():
            path.write_bytes(path.read_bytes()[:100])
    elif kind == "manifests":
        for path in (table / "_versions").iterdir():
            path.write_bytes(b"garbage")
    else:
        shutil.rmtree(table / "_versions")


@pytest.mark.parametrize("left", ["transaction", "folder of versions", "manifest out of place"])
def test_a_table_whose_creation_was_cut_off_is_made_again(log, index, tmp_path, left):
    import lancedb

    lancedb.connect(str(tmp_path / "index.lance")).create_table(
        "episodes", schema=pa.schema([("id", pa.binary())])
    )
    versions = tmp_path / "index.lance" / "episodes.lance" / "_versions"
    # LanceDB writes a manifest under this name, links it into its place, and removes the name.
    (manifest,) = versions.glob("*.manifest")
    manifest.rename(f"{manifest}#1")
    if left != "manifest out of place":
        for path in versions.iterdir():
            path.unlink()
    if left == "transaction":
        versions.rmdir()
    fill(log, range(1, 4))

    assert index.sync(log).appended == 3
    assert index.search_text("number2", 1)[0].episode.tick == 2


@pytest.mark.parametrize("kind", ["data", "manifests", "no manifests"])
def test_a_damaged_index_says_that_it_is_derived_and_can_be_rebuilt(log, index, tmp_path, kind):
    fill(log, range(1, 301))
    index.sync(log)
    index.compact()
    index.close()
    damage(tmp_path / "index.lance", kind)

    with pytest.raises(StoreDamagedError, match=r"derived from the log.*bardo maintenance rebuild"):
        index.sync(log)
    report = index.rebuild(log)

    assert report.appended == 300
    assert index.search_text("number250", 1)[0].episode.tick == 250
    assert sorted(path.name for path in (tmp_path / "index.lance").iterdir()) == ["episodes.lance"]


def test_an_index_ahead_of_its_log_is_refused_until_rebuilt(log, index, tmp_path):
    fill(log, range(1, 11))
    index.sync(log)
    older = EpisodeLog(str(tmp_path / "older.redb"), agent=AGENT, seed=1, now=NOW)
    fill(older, range(1, 6))

    with pytest.raises(
        StoreDamagedError, match=r"5 arrivals or more are not in this log.*Put .* back.*rebuild"
    ) as told:
        index.sync(older)
    assert "nothing is lost" not in str(told.value)
    assert index.rebuild(older).appended == 5
    assert index.stats()["rows"] == 5
    older.close()


def test_a_rebuilt_index_answers_as_the_grown_one(log, index):
    for start in range(1, 401, 40):
        fill(log, range(start, start + 40))
        index.sync(log)
    queries = [direction(number) for number in range(10_000, 10_005)]
    before = [[hit.episode.id for hit in index.search_vector(query, 10)] for query in queries]

    index.rebuild(log)

    assert [[hit.episode.id for hit in index.search_vector(query, 10)] for query in queries] == before


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    occupied = tmp_path / "file"
    occupied.write_text("mine")

    with pytest.raises(StoreUnavailableError, match="file"):
        LanceIndex(occupied, agent=AGENT, fingerprint=MODEL).stats()
    assert occupied.read_text() == "mine"


def test_a_reader_makes_nothing_and_sees_what_the_owner_writes(log, index, tmp_path):
    reader = LanceIndex(tmp_path / "index.lance", agent=AGENT, fingerprint=MODEL, reader=True)
    with pytest.raises(StoreUnavailableError, match="yet"):
        reader.search_text("oracle", 1)
    assert not (tmp_path / "index.lance").exists()

    for count in range(1, 4):
        fill(log, range(count * 100, count * 100 + 100))
        index.sync(log)
        index.compact()
        assert len(reader.search_text("oracle", 1_000)) == count * 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_refused(tmp_path):
    code = f"""
import os, sys
from bardo.errors import GrimoireClosedError
from bardo.index.archive.lance_index import LanceIndex
from bardo.model import Fingerprint
index = LanceIndex({str(tmp_path / "index")!r}, agent="a", fingerprint=Fingerprint("toy", "1", "none", 4))
index.stats()
child = os.fork()
if child == 0:
    for use in (index.stats, lambda: index.search_text("x", 1), lambda: index.delete([])):
        try:
            use()
            os._exit(1)
        except GrimoireClosedError as error:
            assert "fork" in str(error)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert GrimoireClosedError.__doc__


WRITER = """
import sys
import numpy as np
from bardo._core import EpisodeLog
from bardo.config import Archive
from bardo.index.archive.lance_index import LanceIndex
from bardo.model import Episode, Fingerprint
folder, start = sys.argv[1], int(sys.argv[2])
log = EpisodeLog(folder + "/episodes.redb", agent="a", seed=start, now=1, durable=False)
index = LanceIndex(folder + "/index", agent="a", fingerprint=Fingerprint("toy", "1", "none", 4),
                   settings=Archive(batch=16, compact_fragments=3))
print("ready", flush=True)
while True:
    log.record([Episode(text=f"{start} {n}", tick=log.last_tick) for n in range(16)], now=1)
    log.flush()
    index.sync(log)
    start += 1_000_000
"""


def test_kills_in_the_middle_neither_double_nor_lose_a_row(tmp_path):
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    for turn in range(8):
        command = [sys.executable, str(script), str(tmp_path), str(turn + 1)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert writer.stdout.readline() == "ready\n", writer.stderr.read()
        time.sleep(0.13 + 0.05 * turn)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()

    log = EpisodeLog(str(tmp_path / "episodes.redb"), agent="a", seed=0, now=1)
    index = LanceIndex(tmp_path / "index", agent="a", fingerprint=Fingerprint("toy", "1", "none", 4))
    index.sync(log)
    indexed = index._handle.open().search().select(["id", "seq"]).to_arrow()
    ids = indexed.column("id").to_pylist()
    assert len(ids) == len(set(ids)) == len(log)
    assert sorted(indexed.column("seq").to_pylist()) == [seq for seq, _ in log.since(0, 1_000_000)]
    log.close()
