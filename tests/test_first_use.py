"""Calls that people who met bardo for the first time made, and what they expected of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.errors import InvalidInputError, NotFoundError


def test_a_query_forgets_only_what_has_all_of_its_words(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        dentist = g.remember("I see the dentist on Friday", speaker="Mira").id
        for text in ("My cat is called Basil", "The invoice of June is paid", "I am allergic to peanuts"):
            g.remember(text, speaker="Mira")

        report = g.forget(query="dentists", reason="request", dry_run=True)

        assert report.episodes == (dentist,)
        with pytest.raises(NotFoundError, match="all of its words"):
            g.forget(query="dentist in Lisbon", reason="request")
        with pytest.raises(InvalidInputError, match="no content word"):
            g.forget(query="the", reason="request")
        assert len(list(g.episodes.list())) == 4


def test_a_rehearsed_sleep_counts_what_the_sleep_then_does(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        g.remember(
            [{"role": "user", "content": text} for text in ("I am allergic to peanuts", "I live in Bern")]
        )

        rehearsed, done = g.sleep(dry_run=True), g.sleep()

        assert (rehearsed.texts_read, rehearsed.facts_new) == (done.texts_read, done.facts_new) == (2, 2)
        assert len(rehearsed.changes) == 2


def test_what_a_user_says_is_read_without_a_kind(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        g.remember("I am allergic to peanuts", role="user", speaker="Mira")
        g.remember("I live in Bern", role="environment")
        g.sleep()

        assert [fact.text for fact in g.facts.list()] == ["Mira is allergic to peanuts"]


def test_a_mapping_with_a_text_is_an_episode(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        episode = g.remember({"text": "Gas doubled", "subjects": ["gas"]}, speaker="Anna")

        assert (episode.text, episode.subjects, episode.speaker) == ("Gas doubled", ("gas",), "Anna")
        with pytest.raises(InvalidInputError, match="colour"):
            g.remember({"text": "Gas doubled", "colour": "red"})


def test_a_fact_has_its_confidence_by_id(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        fact = g.learn("The vault opens at noon", confidence=0.8)

        assert g.facts.confidence(fact.id) == g.facts.confidence(fact) == pytest.approx(0.8)
        with pytest.raises(NotFoundError):
            g.facts.confidence(g.remember("Not a fact").id)


def test_a_record_is_looked_up_by_itself_or_its_id(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as memory:
        fact = memory.learn("The ledger is slow")
        (episode,) = memory.episodes.list()[:1] or [memory.remember("It rained")]
        assert memory.facts.get(fact) == memory.facts.get(fact.id)
        assert memory.episodes.get(episode) == memory.episodes.get(episode.id)
        with pytest.raises(InvalidInputError, match="no record and no id"):
            memory.facts.get(7)  # type: ignore[arg-type]


def test_a_budget_in_words_is_refused_without_a_prompt(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        bardo.open(tmp_path / "agent") as memory,
        pytest.raises(InvalidInputError, match="budget"),
    ):
        memory.context("Restart the ledger?", budget="1500")  # type: ignore[arg-type]
    assert not caplog.records


def test_a_layer_as_one_string_is_refused_with_the_list_it_should_be(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g, pytest.raises(InvalidInputError, match=r"layers=\['fact'\]"):
        g.recall("vault", layers="fact")


def test_the_task_is_not_repeated_as_a_memory_of_its_prompt(tmp_path: Path) -> None:
    task = "Which ferry leaves at night?"
    with bardo.open(tmp_path / "agent") as g:
        g.remember("The night ferry leaves at eleven")
        g.remember(task)

        prompt = g.context(task, budget=2_000)

        assert [memory.text for memory in prompt.memories] == ["The night ferry leaves at eleven"]
        assert str(prompt).count(task) == 1
        assert "1 memories have the very words of the task and were left out" in prompt.notes


def test_an_outcome_that_moves_no_fact_says_so(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        g.remember("The night ferry leaves at eleven")
        report = g.outcome(g.recall("night ferry"), value=1.0)

        assert (report.reinforced, report.notes) == (
            0, ("none of the 1 memories acted on is a fact, so no confidence moved",),
        )  # fmt: skip


def test_the_journal_speaks_of_ids_and_sources_as_the_facts_do(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as g:
        for tick in range(300):
            g.remember(
                f"Fill {tick}", kind="trade", subjects=["eth"], payload={"pnl": tick % 7}, verified=True
            )
        g.sleep()
        changes = [change for act in g.journal.list() for change in act.changes if change.before is None]

        assert changes
        for change in changes:
            fact = g.facts.get(change.fact)
            assert (change.after["id"], change.after["source"]) == (fact.id, fact.source)
