"""Makes small estates: facts, vectors and lineages that a test can bequeath."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bardo.bequeath.content import reflect, tables
from bardo.bequeath.content.known import KnownTexts
from bardo.bequeath.content.questions import Question
from bardo.bequeath.lineage import Lineage
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.selection.selection import Estate, choose
from bardo.bequeath.testament import container, signing, testament
from bardo.bequeath.testament.parts import hash_of
from bardo.bequeath.testament.testament import Testament
from bardo.config import Bequeath
from bardo.model import Episode, Fact, Fingerprint

NOW = 1_700_000_000_000_000
TICK = 1_000
MODEL = Fingerprint("toy", "1", "none", 4, 7)
KEY = signing.key_from_seed(b"tests")
MARKDOWN = "# What parent leaves\n"


def id_of(number: int) -> str:
    return f"0190b6a2-7f4e-7cc3-98c4-{number:012x}"


def fact(number: int, text: str, **fields: Any) -> Fact:
    return Fact(
        **{"text": text, "id": id_of(number), "confidence": 0.9, "support": 5, "origin": "parent", **fields}
    )


def episode(number: int, text: str, **fields: Any) -> Episode:
    return Episode(
        **{"text": text, "id": id_of(number), "verified": True, "importance": 0.5, "at": NOW, **fields}
    )


def some_facts() -> list[Fact]:
    return [
        fact(1, "Gas is cheap at night", subjects=("gas",), category="trading/gas_timing"),
        fact(2, "Never chase a falling pool", kind="anti_knowledge", confidence=0.05),
        fact(3, "Бридж ненадёжен по выходным 橋 🌉", kind="warning", confidence=0.1, bloodstain=True),
        fact(
            4,
            "When the oracle lags, wait two blocks",
            kind="heuristic",
            payload={
                "type": "heuristic",
                "condition": "lag > 2",
                "action": "wait",
                "outcome": "fewer losses",
                "n": 12,
                "effect": 0.3,
                "interval": [0.1, 0.5],
            },
        ),
    ]


def some_vectors(count: int) -> np.ndarray:
    rows = np.random.default_rng(0).normal(size=(count, MODEL.dims)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def dead(agent: str = "parent", **fields: Any) -> Lineage:
    return Lineage.founder(agent).died(tick=fields.pop("tick", TICK), cause=fields.pop("cause", "economic"))


def known_of(texts: Iterable[str]) -> KnownTexts:
    """Returns collected texts for a bundle."""
    known = KnownTexts()
    known.add(*texts)
    return known


def bequeath(folder: Path, **given: Any) -> Testament:
    """Writes a testament of the given parts; omitted parts are small and fixed."""
    facts = given.pop("facts", None)
    facts = some_facts() if facts is None else facts
    written = {
        name: given.pop(name, default)
        for name, default in {"lineage": dead(), "signing_key": KEY, "now": NOW}.items()
    }
    settings = given.pop("settings", Bequeath())
    path = folder / given.pop("name", "parent.testament")
    questions = [Question(one) if isinstance(one, str) else one for one in given.pop("questions", ())]
    defaults = {
        "confidences": [one.confidence for one in facts],
        "vectors": some_vectors(len(facts)),
        "reflection": MARKDOWN,
        "known": known_of(one.text for one in facts),
    }
    estate = Estate(facts=facts, questions=questions, **(defaults | given))
    return testament.write(path, choose(estate, written["lineage"].life, settings), **written)


def with_vectors(left: Testament) -> Testament:
    """Rewrites a testament as an older bardo did: with the vectors of its entries."""
    schema = tables._entry_schema(MODEL)
    vector = schema.field("embedding")
    rows = pa.array(list(some_vectors(len(left.facts))), vector.type)
    parts = container.unpack(left.path.read_bytes(), testament.PARTS)
    entries = pq.read_table(io.BytesIO(parts["entries.parquet"])).append_column(vector, rows)
    parts["entries.parquet"] = tables._to_bytes(entries.replace_schema_metadata(schema.metadata))
    manifest = json.loads(parts["manifest.json"])
    manifest["blake3"]["entries.parquet"] = hash_of(parts["entries.parquet"])
    parts["manifest.json"] = testament._json(manifest)
    parts["manifest.sig"] = KEY.sign(parts["manifest.json"])
    left.path.write_bytes(container.pack(parts))
    return testament.read(left.path)


def evidence(**given: Any) -> reflect.Evidence:
    facts = given.pop("facts", some_facts())
    return reflect.Evidence(
        life=given.pop("life", dead().life),
        facts=facts,
        confidences=[one.confidence for one in facts],
        redactor=Redactor(personal=True),
        **given,
    )
