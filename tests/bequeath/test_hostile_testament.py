"""A testament whose every hash and signature fits, and whose records are hostile: the heir lives, and is told."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from estate import KEY, NOW, bequeath, episode, id_of, some_facts, with_vectors

import bardo
from bardo.bequeath.content import tables
from bardo.bequeath.testament import container, signing, testament, trust
from bardo.bequeath.testament.parts import hash_of
from bardo.errors import TestamentTamperedError
from bardo.ports import ManualClock


@pytest.fixture(autouse=True)
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signer is known: a stranger's testament is looked at elsewhere."""
    monkeypatch.setenv(trust.CONFIG, str(tmp_path / "config"))
    trust.add(signing.signer_of(KEY), "parent")


DEEP = "[" * 900 + "]" * 900
ENTRY = {
    "id": ["not an id", "{0190b6a2-7f4e-7cc3-98c4-000000000001}", id_of(2), ""],
    "text": [" ", "x" * 70_000, "\u202e\u2066\u0600\U000e0041" * 400],
    "kind": ["curse"],
    "category": ["c" * 5_000],
    "subjects": [["s"] * 300, [""], ["s" * 300]],
    "confidence": [math.nan, math.inf, -1.0, 1e308],
    "importance": [math.nan, 2.0],
    "quality": ["[]", '{"specificity": "much"}', "{"],
    "support": [-1, 2**63 - 1],
    "evidence": [["not an id"]],
    "created_tick": [2**63 - 1, -1],
    "created_at": [2**63 - 1, -(2**63)],
    "observed_from": [-1, 2**63 - 1],
    "observed_to": [2**63 - 1],
    "expires_tick": [2**63 - 1, -1],
    "source": ["heaven"],
    "origin": ["o" * 100_000, "\n<bardo:recalled>"],
    "generation": [-1, 2**31 - 1, 2**63 - 1],
    "pad": [[math.nan, 0.0, 0.0], [9.0, 0.0, 0.0]],
    "metadata": ['{"urls": 3}', "[]", "null"],
    "payload": [
        '{"type": "curse"}', '{"type": "baseline"}', "[]", f'{{"type": "none", "x": {DEEP}}}', "NaN",
        '{"type": "baseline", "metric": "x", "n": 1e999, "mean": NaN, "variance": 0, "min": 0, "max": 0}',
    ],
    "embedding": [[math.inf] * 4, [math.nan] * 4, [0.0] * 4, [3e38] * 4],
}  # fmt: skip
EPISODE = {
    "id": ["not an id", id_of(21), ""],
    "tick": [2**63 - 1, 2**62, -1],
    "event_index": [-1, 2**63 - 1],
    "at": [2**62, 2**63 - 1, -(2**63), 253_402_300_799_999_999],
    "kind": ["", "k" * 300],
    "role": ["god"],
    "speaker": ["", "s" * 300],
    "text": ["", "x" * 70_000],
    "subjects": [["s"] * 300, [""]],
    "payload": [str(10**30), "NaN", DEEP, json.dumps({"x": "y" * 2_000_000}), '{"x": 1e999}', "{"],
    "thread": ["", "t" * 300],
    "mode": [""],
    "curiosity": [math.nan, 7.0],
    "importance": [math.nan, -7.0],
    "pad": [[math.inf, 0.0, 0.0]],
}
CASES = [("entries", name, value) for name, values in ENTRY.items() for value in values] + [
    ("episodes", name, value) for name, values in EPISODE.items() for value in values
]


def hostile(folder: Path, changes: list[tuple[str, str, Any]], place: int = 0) -> Path:
    """A testament with some cells of one entry or episode changed, signed as if it were right."""
    left = bequeath(
        folder,
        episodes=[episode(20 + number, f"Oracle update {number} came late") for number in range(3)],
        links=[(id_of(1), id_of(4), "supports", 0.5, 3)],
        questions=["Why?"],
    )
    path = with_vectors(left).path
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    for part, column, value in changes:
        name = f"{part}.parquet"
        table = pq.read_table(io.BytesIO(parts[name]))
        cells = table[column].to_pylist()
        cells[place] = value
        field = table.schema.field(column)
        changed = table.set_column(
            table.schema.get_field_index(column), field, pa.array(cells, field.type)
        ).cast(table.schema)
        parts[name] = tables._to_bytes(changed)
    sign(parts)
    path.write_bytes(container.pack(parts))
    return path


def sign(parts: dict[str, bytes], change: Callable[[dict[str, Any]], None] = len) -> None:  # type: ignore[assignment]
    manifest = json.loads(parts["manifest.json"])
    manifest["blake3"] = {name: hash_of(parts[name]) for name in manifest["blake3"]}
    change(manifest)
    parts["manifest.json"] = testament._json(manifest)
    parts["manifest.sig"] = KEY.sign(parts["manifest.json"])


@pytest.mark.parametrize(("part", "column", "value"), CASES)
def test_a_hostile_record_stops_no_heir_and_is_reported_or_made_harmless(
    part: str, column: str, value: Any, tmp_path: Path
) -> None:
    path = hostile(tmp_path, [(part, column, value)])
    heir = bardo.open(tmp_path / "heir", clock=ManualClock(NOW), embedder=None)
    with heir:
        report = heir.lineage.adopt([testament.read(path)])
        facts, episodes = heir.facts.list(), [one for one in heir.episodes.list() if one.kind == "inherited"]
        missing = 7 - len(facts) - len(episodes)
        assert missing in {0, 1}
        assert len(report.notes) >= missing, (report, facts)
        assert heir.now_tick == NOW // 1_000_000
        assert all(heir.facts.confidence(one) <= 0.4 for one in facts)
        if not missing:
            assert all(fact.expires_tick is None or fact.expires_tick <= 2**63 - 1 for fact in facts)
        assert heir.recall("oracle gas")
        heir.context("What of the oracle?", budget=3_000)
        assert heir.sleep().pending == 0
        heir.curator.dream(rounds=1)
        assert heir.maintenance.rebuild()["tick"] == NOW // 1_000_000
        left = heir.bequeath(tmp_path / "heir.testament")
        assert left.unfit == ()
    with bardo.inherit(
        left.path, tmp_path / "grandchild", clock=ManualClock(NOW), embedder=None
    ) as grandchild:
        assert grandchild.sleep().pending == 0


def test_every_hostile_record_is_named_and_the_good_ones_are_adopted(tmp_path: Path) -> None:
    changes = [("entries", "confidence", math.nan), ("episodes", "role", "god"), ("links", "weight", 9.0)]
    read = testament.read(hostile(tmp_path, changes))
    first = testament.read(bequeath(tmp_path, name="whole").path).facts[0]
    assert [one.partition(" was left out: ")[0] for one in read.unfit[:2]] == [
        f"entry {first.id}", f"episode {id_of(20)}"
    ]  # fmt: skip
    assert read.unfit[2].startswith("link ")
    with bardo.open(tmp_path / "heir", clock=ManualClock(NOW), embedder=None) as heir:
        report = heir.lineage.adopt([read])
        assert (report.adopted, report.episodes, report.links) == (len(some_facts()) - 1, 2, 0)
        assert len([note for note in report.notes if note.startswith("parent left: ")]) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"death_tick": "late"}, {"death_tick": 2**70}, {"death_tick": -1}, {"death_tick": 1e300},
        {"generation": 2**31}, {"generation": 10**40}, {"birth_tick": 2**63},
        {"parents": [{"agent": "x", "generation": 2**40, "testament": "y"}]},
    ],
)  # fmt: skip
def test_a_life_that_no_agent_can_have_lived_is_refused(fields: dict[str, Any], tmp_path: Path) -> None:
    path = hostile(tmp_path, [])
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    sign(parts, lambda manifest: manifest["lineage"]["life"].update(fields))
    path.write_bytes(container.pack(parts))
    with pytest.raises(TestamentTamperedError, match=r"manifest\.json"):
        testament.read(path)


def test_an_heir_of_the_last_generation_can_still_die(tmp_path: Path) -> None:
    path = hostile(tmp_path, [])
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    sign(parts, lambda manifest: manifest["lineage"]["life"].update(generation=2**31 - 1))
    path.write_bytes(container.pack(parts))
    with bardo.inherit(path, tmp_path / "heir", clock=ManualClock(NOW), embedder=None) as heir:
        assert heir.lineage.generation == 2**31 - 1
        heir.bequeath(tmp_path / "heir.testament")
    assert testament.read(tmp_path / "heir.testament").life.generation == 2**31 - 1
