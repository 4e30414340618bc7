"""A conversation that is handed over again as it grows: each message is stored once, and nothing is lost."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode
from helpers.models import flat

NOW = 1_700_000_000_000_000
#: Two minutes in seconds, and in microseconds.
SECONDS, MINUTES = 120, 120_000_000


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(NOW)


@pytest.fixture
def memory(tmp_path: Path, clock: bardo.ManualClock) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path / "friend", clock=clock, seed=1, embedder=flat()) as opened:
        yield opened


def said(*texts: str) -> list[dict[str, str]]:
    """Messages of a user and an assistant by turns."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


def stored(memory: bardo.Grimoire) -> list[str]:
    return [episode.text for episode in memory.episodes.list()]


CHAT = said("Shall we sail?", "If you like. Tomorrow?", "yes", "At six?", "yes", "Good.")


def test_a_transcript_that_is_read_again_after_minutes_is_stored_once(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    first = memory.remember(CHAT)
    clock.advance(SECONDS)
    again = memory.remember(CHAT)
    assert (first.fresh, again.fresh) == (6, 0)
    assert list(again) == list(first)
    assert stored(memory) == [message["content"] for message in CHAT]


@pytest.mark.parametrize("names", [{}, {"thread": "boat"}, {"session": "s1"}, {"thread": "boat", "tick": 3}])
def test_a_list_that_grows_by_turns_stores_each_message_once(
    memory: bardo.Grimoire, clock: bardo.ManualClock, names: dict
):
    for length in range(1, len(CHAT) + 1):
        answer = memory.remember(CHAT[:length], **names)
        assert len(answer) == length
        # An event in between is no message.
        memory.remember(f"The wind is {length}", kind="event", **names)
        clock.advance(SECONDS if length % 2 else 1)
    texts = [text for text in stored(memory) if not text.startswith("The wind")]
    assert sorted(texts) == sorted(message["content"] for message in CHAT)


def test_a_transcript_is_known_by_the_next_process(tmp_path: Path, clock: bardo.ManualClock):
    for length in (2, 4, 6, 6):
        with bardo.open(tmp_path / "friend", clock=clock, embedder=flat()) as memory:
            memory.remember(CHAT[:length])
            assert len(stored(memory)) == length
        clock.advance(SECONDS)


def test_the_first_system_message_may_change_and_deleted_turns_stay_deleted(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    memory.remember([{"role": "system", "content": "It is Monday"}, *CHAT[:3]], thread="t")
    clock.advance(SECONDS)
    memory.remember([{"role": "system", "content": "It is Tuesday"}, *CHAT[:4]], thread="t")
    assert sorted(stored(memory)) == sorted(
        ["It is Monday", "It is Tuesday", *(message["content"] for message in CHAT[:4])]
    )
    doomed = next(episode for episode in memory.episodes.list() if episode.text == CHAT[1]["content"])
    memory.forget(doomed, reason="asked")
    clock.advance(SECONDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory.remember([{"role": "system", "content": "It is Tuesday"}, *CHAT], thread="t")
    assert len(stored(memory)) == 2 + len(CHAT) - 1


@pytest.mark.parametrize(
    ("second", "names"),
    [
        (said("Shall we sail?", "If you like. Tomorrow?", "no"), {}),
        (CHAT[:4], {"thread": "other"}),
        (CHAT, {"session": "other"}),
        (said("Shall we sail?"), {}),
        ([{**message, "at": "2026-01-02T03:04:05Z"} for message in CHAT], {}),
        (CHAT, {"at": NOW + 2 * MINUTES}),
        ([message["content"] for message in CHAT], {}),
    ],
    ids=["differs", "thread", "session", "one message", "timed messages", "timed call", "strings"],
)
def test_another_conversation_that_begins_alike_is_kept(
    memory: bardo.Grimoire, clock: bardo.ManualClock, second: list, names: dict
):
    memory.remember(CHAT)
    clock.advance(SECONDS)
    memory.remember(second, **names)
    assert len(stored(memory)) == len(CHAT) + len(second)


def test_a_message_that_is_sent_again_by_itself_is_kept(memory: bardo.Grimoire, clock: bardo.ManualClock):
    for text in ("yes", "yes", "yes"):
        memory.remember(said(text))
        clock.advance(SECONDS)
    memory.remember({"role": "user", "content": "yes"})
    assert stored(memory) == ["yes"] * 4


def test_a_yes_that_follows_within_a_minute_is_no_retry_of_an_earlier_one(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    memory.remember(said("Sail?", "Tomorrow?", "yes"))
    clock.advance(1)
    memory.remember(said("Sail?", "Tomorrow?", "yes", "At six?", "yes"))
    assert stored(memory) == ["Sail?", "Tomorrow?", "yes", "At six?", "yes"]


def test_a_transcript_that_is_dropped_again_is_taken_over_once(tmp_path: Path):
    folder = tmp_path / "friend"
    bardo.open(folder, embedder=flat()).close()
    for length, now in ((3, NOW), (6, NOW + MINUTES), (6, NOW + 2 * MINUTES)):
        bardo.drop(folder, CHAT[:length], now=now)
        with bardo.open(folder, embedder=flat()) as memory:
            assert len(stored(memory)) == length


@given(
    st.lists(st.sampled_from(["yes", "no", "go on"]), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 200)), min_size=1, max_size=8),
)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_however_a_list_grows_each_message_is_stored_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], steps: list[tuple[int, int]]
):
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path_factory.mktemp("g") / "a", clock=clock, embedder=flat()) as memory:
        chat, until = said("begin", *texts), 1
        for step, seconds in steps:
            until = min(until + step, len(chat))
            assert len(memory.remember(chat[:until], thread="t")) == until
            assert stored(memory) == [message["content"] for message in chat[:until]]
            clock.advance(seconds)


def test_assistant_is_the_agent_wherever_a_role_is_given(memory: bardo.Grimoire):
    memory.remember("I set the sails", role="assistant")
    memory.remember(Episode("I took them in", role="assistant"))
    memory.remember("They asked for wind", role="user")
    bardo.drop(memory.path, "I dropped the anchor", role="assistant")
    memory.maintenance.drain_inbox()
    assert [episode.role for episode in memory.episodes.list()] == ["agent", "agent", "user", "agent"]
    found = memory.recall("sails anchor wind", roles=["assistant"], limit=9)
    assert len(found) == 3
    with pytest.raises(InvalidInputError, match="or assistant"):
        memory.remember("x", role="robot")  # type: ignore[arg-type]


def test_an_empty_speaker_is_none(memory: bardo.Grimoire):
    assert memory.remember("The wind turned", speaker="").speaker is None
    (two,) = memory.remember([{"role": "user", "name": "", "content": "It did"}])
    assert two.speaker is None


def test_points_in_time_are_taken_wherever_microseconds_and_seconds_are(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    early = memory.remember("The tide rose", at=datetime(2023, 1, 1, tzinfo=UTC))
    clock.advance(86_400)
    late = memory.remember(Episode("The tide fell", at=datetime(2023, 6, 1, tzinfo=UTC)))  # type: ignore[arg-type]
    assert (early.at, late.at) == (1_672_531_200_000_000, 1_685_577_600_000_000)
    between = datetime(2023, 3, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    # A visitor does not see texts that are in the file alone.
    memory.sleep()
    for asker in (memory, bardo.visit(memory.path, embedder=flat())):
        assert [found.text for found in asker.recall("tide", since=between)] == ["The tide fell"]
        assert [found.text for found in asker.recall("tide", until=between)] == ["The tide rose"]
        for naive in (datetime(2023, 3, 1), "2023-03-01"):
            with pytest.raises(InvalidInputError, match=r"since is .*time zone"):
                asker.recall("tide", since=naive)  # type: ignore[arg-type]
    fact = memory.learn("Tides rise and fall")
    now = datetime.fromtimestamp(clock.now() / 1_000_000, UTC)
    assert memory.facts.list(as_of=now + timedelta(days=1)) == [fact]
    assert memory.facts.list(as_of=now - timedelta(days=400)) == []
    assert list(memory.episodes.list(from_tick=between)) == [late]
    memory.remember("One of my own", tick=2**40)
    with pytest.raises(InvalidInputError, match="ticks count loops"):
        memory.facts.list(as_of=now)
