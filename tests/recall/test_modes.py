"""Facts belong to the thread and mode of their evidence; `chat` and `booth` share, `code` stands apart."""

from pathlib import Path

import pytest

import bardo
from bardo.model import Fact
from helpers.models import shape_vectors

START = 1_700_000_000_000_000


@pytest.fixture
def grimoire(tmp_path: Path):
    with bardo.open(tmp_path / "agent", embedder=shape_vectors, seed=3) as opened:
        yield opened


def said(grimoire, text, mode, thread=None):
    return grimoire.remember(text, mode=mode, thread=thread, at=START).id


def facts_found(memory, **asked):
    return {found.text for found in memory.recall("harbour", layers=["fact"], limit=20, **asked)}


def known(grimoire, text, *evidence):
    return grimoire.learn(Fact(text, evidence=evidence, support=len(evidence), confidence=0.8))


def test_facts_answer_only_in_the_modes_that_their_evidence_shares(grimoire):
    chat, booth, code = (said(grimoire, f"{mode} of the harbour", mode) for mode in ("chat", "booth", "code"))
    known(grimoire, "harbour talk", chat)
    known(grimoire, "harbour tour", chat, booth)
    known(grimoire, "harbour build", code)
    known(grimoire, "harbour mixed", chat, code)
    known(grimoire, "harbour alone")
    shared = {"harbour mixed", "harbour alone"}
    assert facts_found(grimoire, mode="chat") == {"harbour talk", "harbour tour"} | shared
    assert facts_found(grimoire, mode="booth") == {"harbour talk", "harbour tour"} | shared
    assert facts_found(grimoire, mode="code") == {"harbour build"} | shared
    assert facts_found(grimoire, mode="chat", as_of=grimoire.now_tick) == facts_found(grimoire, mode="chat")
    assert len(facts_found(grimoire, mode="*")) == 5
    assert "harbour build" not in grimoire.context("harbour", mode="chat").text


def test_facts_follow_their_evidence_as_it_is_added_and_forgotten(grimoire):
    chat, code = said(grimoire, "chat of the harbour", "chat"), said(grimoire, "code of the harbour", "code")
    fact = known(grimoire, "harbour build", code)
    assert facts_found(grimoire, mode="chat") == set()
    known(grimoire, "harbour build", chat)
    assert facts_found(grimoire, mode="chat") == {"harbour build"}
    grimoire.forget(chat, reason="asked to")
    assert grimoire.facts.get(fact.id).evidence == (code,)
    assert facts_found(grimoire, mode="chat") == set()
    assert facts_found(grimoire, mode="code") == {"harbour build"}


def test_facts_keep_their_modes_when_reopened_and_visited(tmp_path: Path):
    with bardo.open(tmp_path / "agent", embedder=shape_vectors, seed=3) as grimoire:
        known(grimoire, "harbour build", said(grimoire, "code of the harbour", "code"))
    with bardo.visit(tmp_path / "agent", embedder=shape_vectors) as visitor:
        assert facts_found(visitor, mode="chat") == set()
        assert facts_found(visitor, mode="code") == {"harbour build"}
    with bardo.open(tmp_path / "agent", embedder=shape_vectors, seed=3) as grimoire:
        assert facts_found(grimoire, mode="chat") == set()


def test_booth_turns_answer_in_chat_and_code_turns_do_not(grimoire):
    for mode in ("chat", "booth", "code"):
        said(grimoire, f"{mode} of the harbour", mode)
    found = {memory.text for memory in grimoire.recall("harbour", mode="chat", limit=9)}
    assert found == {"chat of the harbour", "booth of the harbour"}


def test_heirs_know_what_was_learnt_in_code_in_code_alone(tmp_path: Path):
    with bardo.open(tmp_path / "parent", embedder=shape_vectors, seed=3) as parent:
        known(parent, "harbour build", said(parent, "code of the harbour", "code"))
        known(parent, "harbour alone")
        testament = parent.bequeath(tmp_path / "parent.testament", cause="economic")
    with bardo.inherit(testament.path, tmp_path / "heir", embedder=shape_vectors, seed=4) as heir:
        assert facts_found(heir, mode="chat") == {"harbour alone"}
        assert facts_found(heir, mode="code") == {"harbour alone", "harbour build"}


def test_dossiers_stand_aside_where_a_mode_is_asked_for_and_facts_have_modes(grimoire):
    known(grimoire, "harbour alone")
    grimoire.pages.dossier()
    assert "harbour alone" in grimoire.context("harbour", dossier=True, mode="chat").text
    known(grimoire, "harbour build", said(grimoire, "code of the harbour", "code"))
    grimoire.pages.dossier()
    prompt = grimoire.context("harbour", dossier=True, mode="chat")
    assert "harbour build" not in prompt.text
    assert any("the dossier was not used: mode was asked for" in note for note in prompt.notes)
