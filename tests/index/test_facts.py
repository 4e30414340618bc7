import dataclasses
import math
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bardo import errors
from bardo._core import FactStore, confidence_now, decay, stability
from bardo.model import Fact, Fingerprint, Quality

TOY = Fingerprint(model="toy", version="1", preprocessing="none", dims=4)


def unit(*parts: float) -> np.ndarray:
    row = np.asarray(parts, dtype=np.float32)
    return row / np.linalg.norm(row)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts.db"


@pytest.fixture
def store(path: Path):
    store = FactStore(path, agent="tester", seed=7, now=1)
    yield store
    store.close()


def add(store: FactStore, fact: Fact, tick: int = 0) -> str:
    return store.upsert([fact], tick=tick, now=5_000_000)[0].id


def test_a_fact_reads_back_whole_from_another_process(store: FactStore, path: Path):
    fact = Fact(
        "Проскальзывание растёт 滑点 🙂",
        kind="baseline",
        category="baselines/aave",
        subjects=("aave", "oracle"),
        support=3,
        confidence=0.8,
        quality=Quality(0.1, 0.2, 0.3, 0.4, 0.5),
        observed=(2, 9),
        pad=(0.1, -0.5, 1.0),
        metadata={"urls": ["https://example.com"], "commands": [], "paths": []},
        payload={
            "type": "baseline",
            "metric": "lag",
            "n": 3,
            "mean": 0.1,
            "variance": 0.25,
            "min": -1.0,
            "max": 3.5,
        },
    )
    stored_id = add(store, fact, tick=50)
    code = (
        "import sys; from bardo._core import FactStore;"
        "s = FactStore(sys.argv[1], agent='tester', seed=1); print(s.get([sys.argv[2]])[0].text)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, str(path), stored_id],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "utf-8"},
    )
    assert shown.stdout.decode().strip() == fact.text
    expected = dataclasses.replace(
        fact, id=stored_id, origin="tester", created_tick=50, created_at=5_000_000, reinforced_tick=50
    )
    assert store.get([stored_id]) == [expected]
    assert store.list(kind="baseline", category="baselines", subject="aave") == [expected]


def test_a_write_by_another_process_is_seen_as_a_change(store: FactStore, path: Path):
    add(store, Fact("mine"))
    seen = store.last_change
    code = (
        "import sys; from bardo._core import FactStore; from bardo.model import Fact;"
        "FactStore(sys.argv[1], agent='tester', seed=2).upsert([Fact('theirs')], tick=1, now=1)"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert [fact.text for _, fact in store.changed_since(seen)] == ["theirs"]


def test_upsert_names_each_outcome(store: FactStore):
    vectors = np.stack([unit(1, 0, 0, 0), unit(1, 0, 0, 0), unit(0.97, 0.243, 0, 0), unit(0, 1, 0, 0)])
    facts = [Fact("Gas peaks at noon"), Fact("gas  PEAKS at noon"), Fact("At noon gas peaks"), Fact("Ice")]
    outcomes = store.upsert(facts, tick=0, now=1, vectors=vectors, fingerprint=TOY)
    assert [one.outcome for one in outcomes] == ["new", "exact", "similar", "new"]
    assert len({one.id for one in outcomes}) == 2
    assert store.fingerprint == TOY
    nearest = store.nearest(unit(0, 1, 0.1, 0), 1)
    assert nearest[0][0] == outcomes[3].id
    assert nearest[0][1] == pytest.approx(0.995, abs=1e-3)


def test_outcomes_move_confidence_and_retrieval_does_not(store: FactStore):
    fact = add(store, Fact("x", confidence=0.8))
    store.touch([fact], tick=10)
    assert store.confidence_now([fact], tick=500) == [pytest.approx(0.8 * math.exp(-1))]
    assert store.reinforce([fact], tick=500) == 1
    raised = store.confidence_now([fact], tick=500)[0]
    assert raised == pytest.approx(0.8 * math.exp(-1) * 0.9 + 0.1, abs=1e-6)
    assert store.reinforce([fact], tick=549) == 0
    store.weaken([fact], tick=500, fraction=0.5)
    assert store.confidence_now([fact], tick=500) == [pytest.approx(raised / 2, abs=1e-6)]
    inherited = add(store, Fact("y", confidence=0.4, source="testament", generation=1))
    store.weaken([inherited], tick=0, fraction=0.25)
    assert store.confidence_now([inherited], tick=0) == [pytest.approx(0.2, abs=1e-6)]


def test_history_is_kept_and_can_be_asked_for(store: FactStore):
    old = add(store, Fact("the fee is 30"), tick=10)
    new = store.supersede(old, Fact("the fee is 25"), tick=20, now=1)
    assert [fact.id for fact in store.history(new)] == [old, new]
    assert [fact.id for fact in store.list(as_of=19)] == [old]
    assert [fact.id for fact in store.list()] == [new]
    assert store.get([old])[0].superseded_by == new


def test_contradiction_labels_both_and_lowers_the_weaker(store: FactStore):
    a, b = add(store, Fact("up", confidence=0.9)), add(store, Fact("down", confidence=0.7))
    assert store.contradict(a, b, tick=1, expires_tick=99) == b
    weak = store.get([b])[0]
    assert (weak.status, weak.expires_tick, weak.confidence) == ("contradicted", 99, pytest.approx(0.3))
    assert {link[:3] for link in store.links([a])} == {(a, b, "contradicts"), (b, a, "contradicts")}


def test_a_pin_stops_the_fading_and_gives_nothing_back(store: FactStore):
    fact = add(store, Fact("x", confidence=0.8))
    store.pin([fact], tick=500)
    for tick in (500, 50_000):
        assert store.confidence_now([fact], tick=tick) == [pytest.approx(0.8 * math.exp(-1), abs=1e-6)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s.upsert([Fact(" ")], tick=0, now=0), errors.InvalidInputError),
        (lambda s: s.upsert([Fact("x", confidence=2.0)], tick=0, now=0), errors.InvalidInputError),
        (lambda s: s.upsert([Fact("x", kind="rumour")], tick=0, now=0), errors.InvalidInputError),
        (lambda s: s.upsert([Fact("x" * 70_000)], tick=0, now=0), errors.InvalidInputError),
        (
            lambda s: s.upsert([Fact("x", payload={"type": "none"}, id="no id")], tick=0, now=0),
            errors.InvalidInputError,
        ),
        (lambda s: s.get(["nonsense"]), errors.InvalidInputError),
        (lambda s: s.reinforce(["0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f"], tick=1), errors.NotFoundError),
        (
            lambda s: s.upsert([Fact("x")], tick=0, now=0, vectors=np.ones((1, 4), np.float32)),
            errors.InvalidVectorError,
        ),
        (lambda s: s.nearest(np.ones((2, 2), np.float32)), errors.InvalidVectorError),
        (lambda s: s.set_retention(tau_ticks=0), errors.InvalidInputError),
        (lambda s: decay(0.5, 1, 1, math.nan), errors.InvalidInputError),
    ],
)
def test_bad_input_is_a_typed_error(store: FactStore, call, error):
    with pytest.raises(error):
        call(store)
    assert store.list() == []


@pytest.mark.parametrize(
    "rows", [[[math.nan, 0, 0, 0]], [[math.inf, 0, 0, 0]], [[1, 0]], [[1, 0, 0, 0], [0, 1, 0, 0]]]
)
def test_bad_vectors_are_refused_and_nothing_is_stored(store: FactStore, rows):
    with pytest.raises(errors.InvalidVectorError):
        store.upsert([Fact("x")], tick=0, now=0, vectors=np.asarray(rows, np.float32), fingerprint=TOY)
    assert store.list() == []
    assert store.fingerprint is None


def test_vectors_of_two_models_never_meet(store: FactStore):
    fact = add(store, Fact("x"))
    store.put_vectors([fact], unit(1, 0, 0, 0)[None], TOY)
    with pytest.raises(errors.EmbeddingMismatchError):
        store.put_vectors([fact], unit(1, 0, 0, 0)[None], dataclasses.replace(TOY, version="2"))
    assert store.without_vectors() == []
    assert np.allclose(store.vectors([fact])[0], [1, 0, 0, 0])


def test_files_that_are_not_ours_are_refused_untouched(tmp_path: Path, path: Path):
    FactStore(path, agent="tester", seed=1).close()
    with pytest.raises(errors.StoreForeignError, match="tester"):
        FactStore(path, agent="other", seed=1)
    text = tmp_path / "text.db"
    text.write_text("not a database at all " * 50)
    with pytest.raises(errors.StoreForeignError):
        FactStore(text, agent="tester", seed=1)
    assert text.read_text().startswith("not a database")
    with pytest.raises(errors.StoreUnavailableError):
        FactStore(tmp_path, agent="tester", seed=1)
    with pytest.raises(errors.StoreUnavailableError):
        FactStore(tmp_path / "none.db", agent="tester", seed=1, create=False)


def test_threads_share_one_store_and_two_stores_one_file(store: FactStore, path: Path):
    other = FactStore(path, agent="tester", seed=8)
    failures: list[Exception] = []

    def work(mine: FactStore, name: int) -> None:
        try:
            for index in range(20):
                add(mine, Fact(f"fact {name} {index}"))
                mine.search_text("fact", 3)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=((store, other)[name % 2], name)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.stats()["facts"] == 160
    changes = [change for change, _ in store.changed_since(0)]
    assert changes == sorted(set(changes))
    other.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    """One store for all examples of a property: opening a file a hundred times proves nothing."""
    store = FactStore(tmp_path_factory.mktemp("shared") / "facts.db", agent="any", seed=1)
    yield store
    store.close()


@given(text=st.text(min_size=1, max_size=300).filter(str.strip), query=st.text(max_size=300))
def test_any_text_is_kept_and_any_query_is_only_words(shared: FactStore, text: str, query: str):
    stored_id = add(shared, Fact(text, category="any"))
    found = shared.get([stored_id])[0].text
    assert "".join(found.split()).lower() == "".join(text.split()).lower()
    shared.search_text(query)
    shared.search_text(text)


def test_decay_is_the_curve_of_the_spec():
    assert decay(0.8, 2, 500, 500.0) == pytest.approx(0.8 * math.exp(-1))
    assert stability(50, 500.0) == pytest.approx(500 * math.log(50))
    assert stability(1, 500.0, from_death=True) == 1500
    assert decay(0.8, 1, 100, 100 / math.log(2)) == pytest.approx(0.4)
    assert decay(0.9, 1, 10**9, 500.0, kind="anti_knowledge") == 0.3
    assert confidence_now(Fact("x", confidence=0.5, reinforced_tick=10), tick=10, tau_ticks=9.0) == 0.5


def test_a_death_protects_warnings_and_not_what_came_in_its_testament():
    def left(kind: str, source: str) -> float:
        return confidence_now(Fact("x", kind=kind, source=source, confidence=0.4), tick=500, tau_ticks=500.0)

    assert left("insight", "testament") == left("insight", "self")
    assert left("warning", "testament") > left("warning", "self")


FILLING = """
import resource, sys
from bardo import errors
from bardo._core import FactStore
from bardo.model import Fact
store = FactStore(sys.argv[1], agent="tester", seed=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
kept = 0
try:
    while True:
        store.upsert([Fact(f"{kept} " + "word " * 2_000)], tick=0, now=0)
        kept += 1
except errors.StoreUnavailableError as error:
    print(kept, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are POSIX")
def test_a_full_disk_is_a_typed_error_and_loses_nothing_acknowledged(path: Path):
    done = subprocess.run(
        [sys.executable, "-c", FILLING, str(path)],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    kept, message = done.stdout.decode().split(" ", 1)
    assert int(kept) > 3
    assert "cannot write" in message
    with_room = FactStore(path, agent="tester", seed=1)
    assert with_room.stats()["facts"] == int(kept)
    add(with_room, Fact("room again"))
    with_room.close()
