"""The shadow check: what was inferred is held until it is known to make no answer about other episodes worse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bardo
from bardo.consolidate import shadow
from bardo.errors import EmbedderUnavailableError
from bardo.grimoire.retrieval import Retrieval
from bardo.index.embedding.embedders import TextEmbedder
from bardo.model import Fact
from bardo.ports import ManualClock

NAMES = ("harbour", "meadow", "station", "library", "market", "chapel", "quarry", "orchard")
NOON = 1_772_712_000_000_000
CROWDING = "Report from the harbour: workers painted the northern harbour fence"
CHAT = [
    {"role": "user", "name": "Mira", "content": "I live in Bern with two cats."},
    {"role": "user", "name": "Jon", "content": "I work as a nurse in Lisbon."},
    {"role": "user", "name": "Mira", "content": "I like green tea."},
]
HERE = Path(__file__).parent


def opened(folder: Path, embedder: object, **curator: object) -> bardo.Grimoire:
    settings = {"curator": {"language": "", **curator}}
    return bardo.open(folder, agent="a", embedder=embedder, clock=ManualClock(NOON), seed=1, config=settings)


@pytest.fixture
def grimoire(tmp_path: Path, minilm: object) -> bardo.Grimoire:
    """Notes about eight places, six of each, which share most of their words."""
    g = opened(tmp_path / "a", minilm, texts=False)
    for name in NAMES:
        for day in range(6):
            g.remember(
                f"Report {day} from the {name}: workers painted the northern {name} fence", verified=True
            )
    g.sleep()
    return g


def infer(g: bardo.Grimoire, *texts: str) -> None:
    """Adds facts as an inference does: held."""
    vectors, fingerprint = g._session.indexer.vectors_of(texts)
    facts = [Fact(text, confidence=0.9, importance=1.0, support=40, status="held") for text in texts]
    g._session.facts.upsert(
        facts, tick=g.now_tick, now=1, vectors=vectors, fingerprint=fingerprint, actor="test"
    )


def look(g: bardo.Grimoire, words: str) -> dict[str, int]:
    """Returns the facts that another process sees."""
    done = subprocess.run(
        [sys.executable, str(HERE / "looking_process.py"), str(g.path / "facts.db"), words],
        capture_output=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


def test_a_fact_that_crowds_out_what_was_asked_for_is_withdrawn_and_can_be_had_back(
    grimoire: bardo.Grimoire,
) -> None:
    with grimoire as g:
        infer(g, CROWDING)
        report = g.sleep()
        assert (report.facts_withdrawn, report.facts_held, report.notes) == (1, 0, ())
        assert not g.facts.list()
        (withdrawn,) = g.facts.list(status="archived")
        assert withdrawn.text == CROWDING
        (act,) = (act for act in g.journal.list() if act.name == "shadow")
        assert act.number in report.acts
        g.journal.undo(act)
        assert [fact.text for fact in g.facts.list()] == [CROWDING]
        g.sleep()
        assert [fact.text for fact in g.facts.list()] == [CROWDING], "whoever took it back has judged"


def test_a_fact_that_displaces_no_answer_is_released(grimoire: bardo.Grimoire) -> None:
    with grimoire as g:
        infer(g, "Gas on the second chain doubles on Mondays")
        assert not g.recall("gas on the second chain", layers=("fact",))
        report = g.sleep()
        assert (report.facts_withdrawn, report.facts_held, report.facts_unchecked) == (0, 0, 0)
        assert g.recall("gas on the second chain", layers=("fact",))
        assert [fact.mentions for fact in g.facts.list()] == [1], "the check itself is no look"


def test_an_extracted_fact_is_invisible_before_its_check(
    tmp_path: Path, minilm: TextEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "a", minilm) as g:
        g.remember(CHAT)
        ask = Retrieval.recall_without_trace
        looks: list[dict[str, int]] = []

        def watched(self: Retrieval, *given: object) -> object:
            waiting = {fact.id for fact in g.facts.list(status="held")}
            assert waiting
            assert not g.facts.list()
            assert not g.recall("Mira Bern cats tea Jon nurse", limit=50).facts
            assert waiting.isdisjoint(memory.id for memory in g.context("Where does Mira live?").memories)
            assert "Bern" not in g.pages.dossier().text
            assert "Bern" not in g.pages.playbook().text
            assert not any(waiting & set(gap.facts) for gap in g.curator.gaps())
            if not looks:
                looks.append(look(g, "Mira lives Bern"))
            return ask(self, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(Retrieval, "recall_without_trace", watched)
        report = g.sleep()
        monkeypatch.undo()
        (seen,) = looks
        assert seen.pop("held") == report.facts_distilled > 0
        assert set(seen.values()) == {0}, seen
        assert len(g.facts.list()) == report.facts_distilled - report.facts_withdrawn > 0
        assert look(g, "Mira Jon")["recalled"] > 0


def test_an_unchecked_fact_stays_held_and_is_checked_later_oldest_first(
    grimoire: bardo.Grimoire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadow, "QUESTIONS", 1)
    with grimoire as g:
        texts = [f"Chain {number} charges {number} gwei" for number in range(40)]
        infer(g, *texts)
        for waiting in (24, 8, 0):
            report = g.tick(g.now_tick + 50)
            assert report is not None
            assert (report.facts_held, len(g.facts.list(status="held"))) == (waiting, waiting)
            assert bool(waiting) == any("wait for their check" in note for note in report.notes)
            live = {fact.text for fact in g.facts.list(status=None) if fact.status != "held"}
            assert live == set(texts[: 40 - waiting])


def test_without_a_check_facts_go_live_and_the_report_says_so(
    tmp_path: Path, minilm: TextEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "a", minilm) as g:
        g.remember(CHAT)
        g.sleep()
        infer(g, "Gas doubles at noon")

        def fail(texts: object) -> object:
            raise EmbedderUnavailableError("no model today")

        g.remember("Something that has no vector yet")
        monkeypatch.setattr(g._session.embedder, "embed_late_documents", fail)
        monkeypatch.setattr(g._session.embedder, "embed_documents", fail)
        report = g.sleep()
        monkeypatch.undo()
        assert (report.facts_unchecked, report.facts_held) == (1, 0)
        assert any("went live unchecked" in note and "no model today" in note for note in report.notes)
        infer(g, "Gas halves at night")
    with opened(tmp_path / "a", minilm, shadow=False) as g:
        report = g.sleep()
        assert report.facts_unchecked == 1
        assert any("curator.shadow is off" in note for note in report.notes)
        assert {fact.text for fact in g.facts.list()} >= {"Gas doubles at noon", "Gas halves at night"}
        assert g.sleep().notes == ()


def test_a_statement_of_a_caller_needs_no_check(grimoire: bardo.Grimoire) -> None:
    with grimoire as g:
        infer(g, CROWDING)
        assert g.learn(CROWDING).status == "active"
        assert [fact.text for fact in g.facts.list()] == [CROWDING]
        assert g.sleep().facts_withdrawn == 0


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_killed_during_the_check_nothing_unchecked_is_live_and_nothing_is_lost(
    tmp_path: Path, minilm: TextEmbedder
) -> None:
    with opened(tmp_path / "a", minilm) as g:
        g.remember(CHAT)
    known: set[str] = set()
    for questions, moment in ((0, "asking"), (1, "asking"), (5, "asking"), (0, "releasing")):
        killed = subprocess.run(
            [sys.executable, str(HERE / "checked_child.py"), str(tmp_path / "a"), str(questions), moment],
            capture_output=True, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
        with opened(tmp_path / "a", minilm) as g:
            assert not g.facts.list()
            assert not g.recall("Mira Bern cats tea Jon nurse", layers=("fact",))
            known |= {fact.id for fact in g.facts.list(status="held")}
    assert len(known) >= len(CHAT)
    with opened(tmp_path / "a", minilm) as g:
        report = g.sleep()
        assert {fact.id for fact in g.facts.list(status=None)} == known
        assert len(g.facts.list()) == len(known) - report.facts_withdrawn
        assert report.facts_held == 0


def test_a_question_is_every_second_longer_word() -> None:
    assert (
        shadow.cue("The oracle was updated two blocks before the liquidation") == "oracle blocks liquidation"
    )
    assert shadow.cue("a b c") == ""
