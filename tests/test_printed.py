"""`print` of a returned value: a few lines in plain words, while `repr` stays exact."""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path

import pytest

import bardo
from bardo._printed import printed
from bardo.bequeath.heir.inherit import InheritanceReport
from bardo.bequeath.lineage import Life, Lineage, Parent
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.consolidate.curator import CuratorCycleComplete
from bardo.consolidate.lint import LintReport
from bardo.model import Fact
from helpers.models import letter_vectors

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
#: Pages of the classes that verbs return, and the classes that they take out of a module.
PAGES = ("values.md", "results.md", "grimoire.md")
DIRECTIVE = re.compile(r"^::: (bardo[\w.]*)\n +options:\n +members: \[([^\]]*)\]", re.MULTILINE)
NOON = 1_772_712_000_000_000


def returned() -> list[type]:
    found = []
    for page in PAGES:
        for module, members in DIRECTIVE.findall((REFERENCE / page).read_text("utf-8")):
            home = importlib.import_module(module)
            found += [getattr(home, name.strip()) for name in members.split(",")]
    return [kind for kind in found if isinstance(kind, type) and dataclasses.is_dataclass(kind)]


@pytest.mark.parametrize("kind", returned(), ids=lambda kind: kind.__name__)
def test_every_returned_class_has_a_text_of_its_own(kind: type) -> None:
    if not kind.__name__.endswith("Options"):
        assert kind.__str__ is not object.__str__


def test_a_report_shows_what_happened_and_no_zeros() -> None:
    report = CuratorCycleComplete(
        NOON // 1_000_000, passes=1, facts_new=1_200, acts=(7, 8), notes=("the archive waits for the model",)
    )
    assert str(report).splitlines() == [
        "Curator cycle complete",
        "  tick: 2026-03-05 12:00; passes: 1; facts new: 1,200; acts: 7, 8",
        "  notes (1):",
        "  - the archive waits for the model",
    ]
    assert "baselines=0" in repr(report)
    assert str(LintReport(12)) == "Lint report\n  tick: 12"


def test_a_record_begins_with_its_text() -> None:
    fact = Fact("The depot is in Ghent", id="f1", confidence=0.812, created_at=NOON, evidence=("e1",))
    assert str(fact).splitlines() == [
        "The depot is in Ghent",
        "  status: active; confidence: 0.812; kind: insight; created at: 2026-03-05 12:00; source: self; id: f1",
    ]
    assert eval(repr(fact), {"Fact": Fact}) == fact
    rule = Rule("r1", "Never stack crates", score=9.0, by="Imke", at=NOON)
    assert str(rule).splitlines()[0] == "Never stack crates"
    assert "by: Imke; at: 2026-03-05 12:00" in str(rule)
    assert str(StateEntry("s1", "rejected", "lend out the ladder")).startswith("lend out the ladder\n")


def test_a_lineage_names_lives_without_hashes() -> None:
    ann = Life("ann", birth_tick=1, death_tick=90, cause="economic", testament="ab" * 32, signer="cd" * 32)
    ben = Life("ben", 1, (Parent("ann", 0, "ab" * 32, "cd" * 32),), birth_tick=100)
    said = str(InheritanceReport(Lineage(ben, (ann,)), adopted=3, merged=0, known=0, rejected=0, links=0, episodes=5,
                                 embedded=3, without_vectors=0, redacted=0))  # fmt: skip
    assert "ben (generation: 1" in said
    assert "adopted: 3" in said
    assert "merged" not in said
    assert "abab" not in said + str(Lineage(ben, (ann,)))
    assert "ann (generation: 0; birth tick: 1; death tick: 90)" in str(Lineage(ben, (ann,)))


def test_a_recollection_lists_its_first_memories(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOON)
    with bardo.open(tmp_path, embedder=letter_vectors, clock=clock) as memory:
        for number in range(5):
            memory.remember(f"Crate {number} is in Ghent\nand closed")
        found = memory.recall("Where are the crates?", limit=5)
        lines = str(found).splitlines()
        assert lines[:2] == ["Where are the crates?", "  memories (5):"]
        assert lines[-1] == "  - and 2 more"
        assert all(len(line) < 200 for line in lines)
        first = str(found[0]).splitlines()
        assert first[0] == " ".join(found[0].text.split())
        assert "layer: episode; confidence: 1; at: 2026-03-05 12:00" in first[1]
        assert str(memory.lineage) == "Lineage\n  generation: 0"


def test_lists_of_ids_are_counted_and_long_texts_cut() -> None:
    @dataclasses.dataclass
    class Found:
        text: str
        kept: tuple[str, ...] = ()
        share: float = 0.5
        __str__ = printed

    said = str(Found("word " * 100, kept=("019cb2ec-f680-7c10-8adf-3618ca7b1b6b",) * 2, share=0.0))
    assert said.splitlines()[0].endswith("…")
    assert "kept: 2" in said
    assert "share" not in said
