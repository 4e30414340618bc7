"""Utterances that the regressions leave undecided, sorted by a language model over real HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from serving import Behaviour, Server, fails, replies, says, serving

import bardo
from bardo.conduct.hearing.hearing import read
from bardo.conduct.hearing.utterance import Utterance
from bardo.index.embedding import embedders

#: Utterance that the regressions do not hear, and are not sure about.
UNDECIDED = "the newsletter should wind down"
#: Order in words that only the cross-encoder reads.
READ = "the newsletter is on its way out"


def night(
    server: Server, folder: Path, minilm: embedders.TextEmbedder, *said: str
) -> tuple[list[tuple[str, str]], str]:
    """Entries of the gate after a night, and the notes of the pass."""
    config = {"llm": {"model": "m", "base_url": server.url}, "curator": {"language": ""}}
    with bardo.open(folder / "agent", embedder=minilm, config=config) as memory:
        for text in said:
            memory.remember({"role": "user", "content": text, "name": "Ana"})
        notes = " ".join(memory.sleep().notes)
    with bardo.gate(folder / "agent", words_only=True) as gate:
        entries = [(entry.kind, entry.summary) for entry in gate.state()]
        return entries + [("rule", rule.text) for rule in gate.rules()], notes


def sorts(*kinds: str) -> Behaviour:
    """Sorts utterances into kinds, and finds no facts."""
    sorted_ = [{"number": number, "kind": kind} for number, kind in enumerate(kinds, 1)]

    def answer(request: Mapping[str, Any]) -> Any:
        title = request["response_format"]["json_schema"]["schema"]["title"]
        return {"utterances": sorted_} if title == "Answer" else {"facts": []}

    return replies(answer)


def test_the_test_utterance_is_undecided(minilm: embedders.TextEmbedder) -> None:
    (reading,) = read([Utterance(UNDECIDED)], minilm.embed_documents([UNDECIDED]), minilm.fingerprint)
    assert reading is not None
    assert reading.margin < 0


def test_a_model_hears_what_the_regressions_leave_open(
    tmp_path: Path, minilm: embedders.TextEmbedder
) -> None:
    with serving(sorts("rejection")) as server:
        entries, notes = night(server, tmp_path, minilm, UNDECIDED)
    assert entries == [("rejected", UNDECIDED)]
    assert "the language model sorted 1 utterances" in notes


@pytest.mark.parametrize("behaviour", [sorts("none"), sorts(), fails(500), says("no JSON")])
def test_without_a_kind_nothing_is_heard(
    tmp_path: Path, minilm: embedders.TextEmbedder, behaviour: Behaviour
) -> None:
    with serving(behaviour) as server:
        entries, _ = night(server, tmp_path, minilm, UNDECIDED)
    assert entries == []


def test_an_order_that_a_cross_encoder_read_is_heard_if_the_model_agrees(
    tmp_path: Path, minilm: embedders.TextEmbedder
) -> None:
    with serving(sorts("rejection")) as server:
        assert night(server, tmp_path, minilm, READ)[0] == [("rejected", READ)]
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        assert not gate.state("rejected")[0].doubt


def test_an_order_that_a_cross_encoder_read_is_not_heard_if_the_model_sees_none(
    tmp_path: Path, minilm: embedders.TextEmbedder
) -> None:
    with serving(sorts("none")) as server:
        entries, notes = night(server, tmp_path, minilm, READ)
    assert entries == []
    assert "the language model sorted 1 utterances" in notes


@pytest.mark.parametrize("behaviour", [sorts(), fails(500), says("no JSON")])
def test_an_order_that_a_cross_encoder_read_only_warns_without_an_answer(
    tmp_path: Path, minilm: embedders.TextEmbedder, behaviour: Behaviour
) -> None:
    with serving(behaviour) as server:
        assert night(server, tmp_path, minilm, READ)[0] == [("rejected", READ)]
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        assert gate.state("rejected")[0].doubt


def test_a_question_is_never_heard(tmp_path: Path, minilm: embedders.TextEmbedder) -> None:
    with serving(sorts("rejection")) as server:
        assert night(server, tmp_path, minilm, "has the newsletter had its day?")[0] == []


def test_what_the_regressions_hear_is_not_asked_about(tmp_path: Path, minilm: embedders.TextEmbedder) -> None:
    with serving(sorts("none")) as server:
        entries, _ = night(server, tmp_path, minilm, "Please avoid tabs in the config files.")
        asked = "".join(str(request["messages"]) for request in server.requests)
    assert entries == [("rejected", "Please avoid tabs in the config files.")]
    assert "You sort what was said" not in asked
