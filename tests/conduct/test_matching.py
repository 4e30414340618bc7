"""Matching of actions with rejections, on pairs that were written before the limits were chosen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo._core import FactStore
from bardo.conduct.match.index import ConductIndex
from bardo.conduct.match.matching import NOTHING, Touch
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.storage.store import VECTORS, ConductStore
from bardo.errors import EmbedderUnavailableError
from bardo.index.embedding import embedders
from bardo.model import Fingerprint
from bardo.ports import Embedder
from helpers.models import letters

PAIRS = [json.loads(line) for line in Path(__file__).with_name("actions.jsonl").read_text().splitlines()]
#: Limits for the actions that are what was rejected, for those near it and for others: how many there are, how many
#: must be blocked at least or may be at most, and how many may pass in silence. A little worse than what was measured
#: (in brackets): blocked of the same, of near ones and of others, then the same that pass.
#: dev 27, 1, 0, 2; held 20, 1, 0, 1; by words alone dev 24, 1, 0, 2; held 20, 1, 0, 0.
MEANING = {"dev": (25, 2, 2), "held": (18, 2, 1)}
WORDS = {"dev": (22, 2, 3), "held": (18, 2, 1)}
SIZES = {"dev": {"same": 45, "near": 41, "other": 40}, "held": {"same": 30, "near": 30, "other": 30}}


def touches(
    store: ConductStore, texts: list[str], action: str, embedder: Embedder | None
) -> tuple[list[Touch], str]:
    """Matches of an action with entries of these texts, after which only the new ones are put."""
    known = {entry.summary for entry in store.state()}
    with store.writing():
        for text in dict.fromkeys(texts):
            if text not in known:
                store.put(StateEntry("", "rejected", text))
    index = ConductIndex(store)
    index.refresh()
    found, notes = index.match(action, embedder)
    return [found.get(text, NOTHING) for text in texts], " ".join(notes)


def decided(store: ConductStore, split: str, embedder: Embedder | None) -> tuple[Counter[str], list[str]]:
    """How many actions of each sort are blocked, warned of and let pass; and those that go wrong, to be shown."""
    counts: Counter[str] = Counter()
    wrong = []
    for pair in PAIRS:
        if pair["split"] != split:
            continue
        for sort in ("same", "near", "other"):
            for action in pair[sort]:
                ((touch,), why_not) = touches(store, [pair["about"]], action, embedder)
                assert why_not == ""
                decision = "block" if touch.same else "warn" if touch.warns else "allow"
                counts[sort] += 1
                counts[f"{sort} {decision}"] += 1
                if (sort, decision) not in {("same", "block"), ("near", "warn"), ("other", "allow")}:
                    wrong.append(f"{decision}: {pair['about']} / {action}")
    return counts, wrong


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ConductStore]:
    facts = FactStore(tmp_path / "facts.db", agent="trader", seed=0)
    opened = ConductStore(tmp_path, facts=facts)
    yield opened
    opened.close()
    facts.close()


@pytest.mark.parametrize("split", ["dev", "held"])
@pytest.mark.parametrize("by", ["meaning", "words"])
def test_a_rejection_is_recognised_in_other_words(
    store: ConductStore, minilm: Embedder, split: str, by: str
) -> None:
    counts, wrong = decided(store, split, minilm if by == "meaning" else None)
    least, most_near, most_passing = (MEANING if by == "meaning" else WORDS)[split]
    assert {sort: counts[sort] for sort in ("same", "near", "other")} == SIZES[split]
    assert counts["same block"] >= least, wrong
    assert counts["near block"] <= most_near, wrong
    assert counts["same allow"] <= most_passing, wrong
    assert counts["other allow"] == counts["other"], wrong


def test_a_gate_decides_as_the_pairs_say(tmp_path: Path, minilm: Embedder) -> None:
    bardo.open(tmp_path / "agent", embedder=minilm).close()
    with bardo.gate(tmp_path / "agent", embedder=minilm) as gate:
        held = [pair for pair in PAIRS if pair["split"] == "held"]
        for pair in held:
            gate.reject(pair["about"])
        assert len(gate.state("rejected")) == len(held)
        same = [gate.before(action) for pair in held for action in pair["same"]]
        other = [gate.before(action) for pair in held for action in pair["other"]]
    # The more rejections, the surer a warning must be.
    assert sum(bool(verdict.findings) for verdict in same) >= len(same) - MEANING["held"][2]
    assert sum(bool(verdict.findings) for verdict in other) <= 1
    assert sum(not verdict.allowed for verdict in same) >= MEANING["held"][0]
    assert all(verdict.allowed for verdict in other)


def test_vectors_are_made_once_and_kept(store: ConductStore, minilm: Embedder) -> None:
    asked: list[list[str]] = []

    class Counting:
        fingerprint = minilm.fingerprint
        embed_queries = staticmethod(minilm.embed_queries)

        def embed_documents(self, texts: list[str]) -> np.ndarray:
            asked.append(list(texts))
            return minilm.embed_documents(texts)

    texts = ["short ETH on weekends", "deploy on Fridays", "short ETH on weekends"]
    first, _ = touches(store, texts, "short ETH on Saturday", Counting())
    again, _ = touches(store, [*texts, "email customers"], "short ETH on Saturday", Counting())
    assert asked == [texts[:2], ["email customers"]]
    # The limits grow with the number of texts.
    assert [replace(touch, near_at=0, learned=None) for touch in again[:3]] == [
        replace(touch, near_at=0, learned=None) for touch in first
    ]
    assert first[0] == first[2]


def test_law_10_vectors_of_another_model_are_recomputed_and_never_mixed(store: ConductStore) -> None:
    texts = ["short ETH on weekends", "deploy on Fridays"]
    action = "deploy the short ETH on weekends and Fridays"
    for dims in (8, 16, 8):
        model = letters(dims, f"letters {dims}")
        found, why_not = touches(store, texts, action, model)
        assert why_not == ""
        expected = model.embed_documents(texts) @ model.embed_queries([action])[0]
        assert [touch.cosine for touch in found] == pytest.approx(expected.tolist(), abs=1e-6)
        assert len(store.vectors(texts, _named(model.fingerprint))) == 2
    others = letters(16, "letters 16")
    assert store.vectors(texts, _named(others.fingerprint)) == {}


def test_vectors_of_texts_that_are_gone_do_not_pile_up(store: ConductStore) -> None:
    model = letters(4)
    texts = [f"text {number}" for number in range(VECTORS + 1)]
    touches(store, texts, "an action", model)
    with store.writing():
        for entry in store.state():
            store.put(replace(entry, status="archived"))
    found, _ = touches(store, ["a new text"], "a new text", model)
    assert found[0].cosine is not None
    assert store.vectors([*texts, "a new text"], _named(model.fingerprint)).keys() == {"a new text"}


def broken(how: Callable[[list[str]], object]) -> Embedder:
    return embedders.function_embedder(how, name="broken", dims=4)


def away(texts: list[str]) -> object:
    raise ConnectionError("nobody answers")


def shapeless(texts: list[str]) -> object:
    return np.full((len(texts), 4), np.nan, np.float32)


@pytest.mark.parametrize("how", [away, shapeless])
def test_a_model_that_gives_nothing_of_use_leaves_the_words_and_a_note(
    tmp_path: Path, minilm: Embedder, how: Callable[[list[str]], object]
) -> None:
    bardo.open(tmp_path / "agent", embedder=minilm).close()
    with bardo.gate(tmp_path / "agent", embedder=broken(how)) as gate:
        gate.reject("short ETH on weekends")
        gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
        verdict = gate.before("short ETH this weekend")
        assert verdict.decision == "block"
        assert verdict.findings[0].touch.cosine is None
        assert [note.partition(":")[0] for note in verdict.notes] == ["only words were compared, no meanings"]
        told = gate.after("force-push to main", passed=False)
        assert told.violated == ("r1",)
        assert told.notes[0].startswith("only words were compared")
    with bardo.gate(tmp_path / "agent", embedder=minilm) as gate:
        assert gate.before("short ETH this weekend").notes == ()


def test_a_model_that_goes_away_between_two_calls_leaves_the_words_and_a_note(store: ConductStore) -> None:
    model = letters(8)

    class Leaving:
        fingerprint = model.fingerprint
        embed_documents = staticmethod(model.embed_documents)

        def embed_queries(self, texts: list[str]) -> np.ndarray:
            raise EmbedderUnavailableError("it has left")

    touches(store, ["short ETH"], "short ETH", model)
    (touch,), why_not = touches(store, ["short ETH"], "short ETH", Leaving())
    assert (touch.cosine, touch.same) == (None, True)
    assert "it has left" in why_not


def _named(identity: Fingerprint) -> str:
    return f"{identity.model} {identity.version} {identity.preprocessing} {identity.dims}"


def test_a_rejection_in_the_words_of_an_earlier_decision_is_found_by_what_it_forbids(
    gate: bardo.Gate,
) -> None:
    gate.note("decision", "no skipping of tests")
    gate.reject("no skipping of tests")
    assert gate.before("pytest -k 'not slow'").decision == "block"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("No new deals with Halden Metals.", "Buy 10 lots of zinc from Halden Metals"),
        ("Don't put photos of the children anywhere online.", "post photos of the children online"),
        ("Do not edit the holiday list (/srv/holidays.csv) by hand.", "vim /srv/holidays.csv"),
    ],
)
def test_a_rejection_stands_in_other_words_of_the_same_act(gate: bardo.Gate, text: str, action: str) -> None:
    gate.reject(text, by="Marit")
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(
    "action", ["Buy 35 lots of Brent", "Sell 35 lots of Brent", "Short 18 lots of copper"]
)
def test_a_trade_above_a_size_is_of_any_side(gate: bardo.Gate, action: str) -> None:
    gate.rule("Any trade above 15 lots needs Marit's OK", approval="trade above 15 lots", by="Marit")
    assert gate.before(action).decision == "block"
