"""Texts as facts by rules: how many of the labelled sentences are found, and that nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sayings import STATED, UNSTATED

from bardo.consolidate.texts import rule_extraction, statements
from bardo.model import Episode

SAID = round(datetime(2026, 3, 5, 10, tzinfo=UTC).timestamp() * 1_000_000)
#: Least precision and recall on the labelled sentences; the measured ones are printed when a test fails.
LEAST_PRECISION, LEAST_RECALL = 0.98, 0.95


def facts(text: str, who: str = "Mira") -> list[str]:
    return [found.fact for found in rule_extraction.distil(text, who=who, at=SAID)]


def test_stated_facts_are_extracted_and_hardly_any_other():
    wrong: list[tuple[str, str]] = []
    missed: list[str] = []
    right = 0
    for text, wanted in STATED:
        found = facts(text)
        right += len(set(found) & set(wanted))
        wrong += [(text, fact) for fact in found if fact not in wanted]
        missed += [fact for fact in wanted if fact not in found]
    for kind, texts in UNSTATED.items():
        wrong += [(f"{kind}: {text}", fact) for text in texts for fact in facts(text)]
    precision, recall = right / (right + len(wrong)), right / (right + len(missed))
    assert precision >= LEAST_PRECISION, wrong
    assert recall >= LEAST_RECALL, missed


@pytest.mark.parametrize("kind", UNSTATED)
def test_no_fact_comes_of_what_is_not_stated(kind: str):
    assert {text: found for text in UNSTATED[kind] if (found := facts(text))} == {}


def test_a_hard_sentence_stays_hard_between_others():
    for texts in UNSTATED.values():
        for text in texts:
            found = facts(f"It rained all night.\n{text}\nThe bus was late.")
            assert found == [], (text, found)


@given(
    st.text(max_size=400) | st.lists(st.sampled_from([text for text, _ in STATED]), max_size=12).map(" ".join)
)
def test_facts_and_cores_of_any_text_are_short_and_named(text: str):
    for found in rule_extraction.distil(text, who="Mira", at=SAID):
        assert len(found.fact.encode()) <= rule_extraction.FACT_BYTES
        assert 0 < len(found.core.encode()) <= rule_extraction.CORE_BYTES
        assert found.fact.startswith("Mira") == (found.who == "Mira")
        assert "\n" not in found.fact


def test_the_same_text_gives_the_same_facts():
    for text, _ in STATED:
        assert rule_extraction.distil(text, who="Mira", at=SAID) == rule_extraction.distil(
            text, who="Mira", at=SAID
        )


def test_a_fact_carries_feelings_people_topics_actions_and_what_came_of_it():
    (found,) = rule_extraction.distil(
        "I was so nervous, but I visited my cousin Ana in Madrid and it worked out.", who="Mira", at=SAID
    )
    assert found.fact == "Mira visited Mira's cousin Ana in Madrid"
    assert found.core == "visited cousin Ana Madrid"
    assert (found.emotion, found.people, found.actions) == ("anxious", ("Ana",), ("visited",))
    assert found.outcome == "worked out"
    assert found.pad[1] > 0.5
    assert "Madrid" in found.topics


def test_addresses_commands_and_paths_survive_whole():
    address = "https://example.org/a/very/long/path/to/the/documentation/of/the/thing?page=2#deep-inside"
    (found,) = rule_extraction.distil(
        f"I use the guide at {address} and `git rebase main` for src/lib.rs.", who="Mira"
    )
    assert len(found.fact.encode()) <= rule_extraction.FACT_BYTES
    assert found.found["urls"] == [address]
    assert found.found["commands"] == ["git rebase main"]
    assert "src/lib.rs" in found.found["paths"]


def test_near_days_become_dates_and_moving_times_keep_the_day_they_were_said():
    assert facts("I visited Ghent yesterday.") == ["Mira visited Ghent on 2026-03-04"]
    assert facts("Tomorrow I have a lesson in Ghent.") == ["Mira has a lesson in Ghent on 2026-03-06"]
    assert facts("I visited Ghent two weeks ago.") == ["Mira visited Ghent two weeks ago (said 2026-03-05)"]
    # Without a day "yesterday" would be wrong tomorrow.
    assert rule_extraction.distil("I visited Ghent yesterday.", who="Mira") == []


def test_a_speaker_is_named_and_the_agent_is_no_speaker():
    text = "I live in Bern."

    def told(**fields: object) -> list[str]:
        return [
            fact.text
            for fact in rule_extraction.of_episode(Episode(text, id="e", kind="turn", **fields), "helper")
        ]  # type: ignore[arg-type]

    assert told(role="user", speaker="Jon Berg") == ["Jon Berg lives in Bern"]
    assert told(role="user") == ["The user lives in Bern"]
    assert told(role="user", speaker="x" * 200) == ["The user lives in Bern"]
    assert told(role="agent", speaker="Gina") == ["Gina lives in Bern"]
    assert told(role="agent", speaker="Helper") == told(role="agent") == []
    assert told(role="tool") == told(role="system") == told(role="environment", payload={"n": 1}) == []


def test_an_agents_conclusions_are_insights_and_a_persons_are_about_the_person():
    episode = Episode("I learned that the cache must be warmed first.", id="e", role="agent", tick=9)
    (fact,) = rule_extraction.of_episode(episode, "helper")
    assert (fact.text, fact.kind, fact.confidence) == ("The cache must be warmed first", "insight", 0.7)
    assert (fact.evidence, fact.observed, fact.category) == (("e",), (9, 9), "insights")
    assert rule_extraction.of_episode(Episode(episode.text, id="e", role="user"), "helper") == []


def test_a_fact_of_a_user_begins_sure_and_knows_its_episode():
    episode = Episode(
        "I'm allergic to peanuts.", id="e", role="user", speaker="Mira", subjects=("food",), tick=3
    )
    (fact,) = rule_extraction.of_episode(episode, "helper")
    assert (fact.kind, fact.category, fact.confidence) == ("preference", "people/mira", 0.8)
    assert (fact.subjects, fact.evidence, fact.support, fact.source) == (("Mira", "food"), ("e",), 1, "self")


def test_a_long_statement_ends_where_a_phrase_does_or_is_left_out():
    (fact,) = facts(
        "I bought a hand-painted porcelain vase with blue dragons from the antique market near the old station."
    )
    assert fact == "Mira bought a hand-painted porcelain vase with blue dragons"
    assert facts("I bought " + "very " * 30 + "old wine.") == []


@pytest.mark.parametrize(
    ("verb", "third"),
    [("go", "goes"), ("study", "studies"), ("play", "plays"), ("watch", "watches"), ("have", "has")],
)
def test_verbs_take_their_third_person(verb: str, third: str):
    assert statements.third_person(verb) == third


@pytest.mark.parametrize(
    "text",
    ["I can't stand karaoke.", "I like long train journeys.", "I love rhubarb cake.",
     "I prefer aisle seats.", "I'm interested in old lighthouses."],
)  # fmt: skip
def test_a_taste_holds_for_months_in_whatever_words_it_is_said(text: str):
    (fact,) = rule_extraction.of_episode(Episode(text, id="e", role="user", speaker="Mira"), "helper")
    assert fact.persistence == "months"


def test_a_plain_statement_holds_as_long_as_a_learned_one_of_its_kind():
    def persistence(text: str) -> str | None:
        (fact,) = rule_extraction.of_episode(Episode(text, id="e", role="user", speaker="Mira"), "helper")
        return fact.persistence

    assert persistence("I work as a nurse at St. Mary's hospital.") == "years"
    assert persistence("I want to run a marathon in October.") == "weeks"
    assert persistence("I'm married.") == "years"
