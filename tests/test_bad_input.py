"""Bad input: the answer is a typed error with advice, and stored records stay unchanged."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo import errors
from bardo.grimoire.factory import OpenOptions
from bardo.ports import Embedder, ManualClock


@pytest.fixture
def grimoire(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Grimoire]:
    with bardo.open(
        tmp_path / "agent", clock=ManualClock(1_700_000_000_000_000), seed=1, embedder=minilm
    ) as opened:
        opened.remember("what was there before", tick=100)
        yield opened
        assert [episode.text for episode in opened.episodes.list()] == ["what was there before"]


@pytest.mark.parametrize(
    "what",
    [
        42,
        None,
        b"bytes",
        "",
        "   \n\t ",
        ["fine", 7],
        {"content": "no role"},
        {"role": "wizard", "content": "x"},
        {"role": "user", "content": 5},
        "x" * 10_000_000,
        "a lone surrogate \ud800",
        ["", " "],
    ],
    ids=lambda what: repr(what)[:24],
)
def test_an_unusable_text_or_batch_is_refused(grimoire: bardo.Grimoire, what: Any) -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        grimoire.remember(what, tick=101)
    assert len(str(refused.value)) > 20


@pytest.mark.parametrize(
    "fields",
    [
        {"tick": -1},
        {"tick": 99},
        {"tick": 2**63},
        {"tick": 1.5},
        {"tick": True},
        {"tick": "now"},
        {"importance": 1.5},
        {"importance": float("nan")},
        {"curiosity": -0.1},
        {"pad": (0.0, 2.0, 0.0)},
        {"pad": (0.0, float("inf"), 0.0)},
        {"pad": (0.0, 0.0)},
        {"role": "nobody"},
        {"kind": ""},
        {"kind": "k" * 300},
        {"thread": ""},
        {"subjects": "one string"},
        {"subjects": [""]},
        {"subjects": ["s"] * 257},
        {"subjects": ["s" * 257]},
        {"subjects": [1]},
        {"payload": {1: "a key that is no string"}},
        {"payload": {"n": 2**80}},
        {"payload": {"o": object()}},
        {"payload": {"blob": "x" * 2_000_000}},
        {"payload": "\ud800"},
        {"at": "yesterday"},
    ],
    ids=lambda fields: repr(fields).partition(" at 0x")[0][:40],
)
def test_fields_out_of_range_are_refused(grimoire: bardo.Grimoire, fields: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        grimoire.remember("something happened", **{"tick": 101, **fields})
    assert len(str(refused.value)) > 20


SURROGATE = "\ud800"
#: Calls that no verb can answer, and the argument that the refusal must name.
UNUSABLE: dict[str, tuple[str, Callable[[bardo.Grimoire], Any]]] = {
    "recall nothing": ("query", lambda g: g.recall(None)),
    "recall fewer than none": ("limit", lambda g: g.recall("x", limit=-1)),
    "recall a text of memories": ("limit", lambda g: g.recall("x", limit="5")),
    "recall more than there can be": ("limit", lambda g: g.recall("x", limit=2**70)),
    "recall in half a mood": ("pad", lambda g: g.recall("x", pad=(0, 0))),
    "recall by two factors": ("factors", lambda g: g.recall("x", factors=(1, 2))),
    "recall in a numbered thread": ("thread", lambda g: g.recall("x", thread=5)),
    "recall in a numbered session": ("session", lambda g: g.recall("x", session=5)),
    "recall with a lettered window": ("window", lambda g: g.recall("x", window="a")),
    "recall with a lettered diversity": ("diversity", lambda g: g.recall("x", diversity="x")),
    "recall of no layers": ("layers", lambda g: g.recall("x", layers=None)),
    "recall in a surrogate thread": ("thread", lambda g: g.recall("x", thread=SURROGATE)),
    "recall of surrogate subjects": ("subjects", lambda g: g.recall("x", subjects=[SURROGATE])),
    "a prompt of half tokens": ("budget", lambda g: g.context("x", budget=1.5)),
    "a numbered phase": ("phase", lambda g: g.context("x", phase=5)),
    "blocks without names": ("blocks", lambda g: g.context("x", blocks="abc")),
    "a surrogate task": ("content", lambda g: g.context(SURROGATE)),
    "learn a number": ("what", lambda g: g.learn(5)),
    "verify a number": ("what", lambda g: g.episodes.verify(5)),
    "verify a surrogate": ("what", lambda g: g.episodes.verify(SURROGATE)),
    "forget a number": ("what", lambda g: g.forget(5, reason="x")),
    "forget a surrogate": ("what", lambda g: g.forget(SURROGATE, reason="x")),
    "an outcome of a list": ("used", lambda g: g.outcome([1], value=0.1)),
    "get a number": ("episode", lambda g: g.episodes.get(5)),
    "get a surrogate": ("episode", lambda g: g.episodes.get(SURROGATE)),
    "why a number": ("fact", lambda g: g.facts.why(5)),
    "the history of a surrogate": ("fact", lambda g: g.facts.history(SURROGATE)),
    "link a number": ("src", lambda g: g.facts.link(5, "fact", "supports")),
    "links of a surrogate": ("links", lambda g: g.facts.links(SURROGATE)),
    "relate a number": ("subject", lambda g: g.entities.relate(5, "knows", "x")),
    "relate a surrogate": ("subject", lambda g: g.entities.relate(SURROGATE, "knows", "x")),
    "find a number": ("url", lambda g: g.episodes.find(url=5)),
    "find a surrogate": ("url", lambda g: g.episodes.find(url=SURROGATE)),
    "find fewer than none": ("limit", lambda g: g.episodes.find(url="x", limit=-1)),
    "a surrogate entity": ("name", lambda g: g.entities.list(SURROGATE)),
    "fewer than no entities": ("limit", lambda g: g.entities.list(limit=-1)),
    "related to a surrogate": ("name", lambda g: g.entities.related(SURROGATE)),
    "merge a surrogate": ("names", lambda g: g.entities.merge("x", [SURROGATE])),
    "relations before time": ("as_of", lambda g: g.entities.relations(as_of=-1)),
    "relations of a surrogate": ("entity", lambda g: g.entities.relations(SURROGATE)),
    "facts before time": ("as_of", lambda g: g.facts.list(as_of=-1)),
    "facts on a surrogate": ("subject", lambda g: g.facts.list(subject=SURROGATE)),
    "fewer than no episodes": ("last", lambda g: g.episodes.list(last=-1)),
    "episodes of a surrogate": ("thread", lambda g: g.episodes.list(thread=SURROGATE)),
    "the costs of a text": ("days", lambda g: g.maintenance.costs(days="x")),
    "undo a text": ("undo", lambda g: g.journal.undo("x")),
    "open a number": ("path", lambda _: bardo.open(5)),
    "open with a number": ("config", lambda g: bardo.open(g.path / "other", config=5)),
    "open a number's": ("agent", lambda g: bardo.open(g.path / "other", agent=5)),
    "open with a number to ask": ("complete", lambda g: bardo.open(g.path / "other", llm=5)),
    "open with a seed below nought": ("seed", lambda g: bardo.open(g.path / "other", seed=-1)),
    "drop a number": ("remember a int", lambda g: bardo.drop(g.path, 5)),
    "drop a set of numbers": ("remember a int", lambda g: bardo.drop(g.path, {5})),
    "drop nothing": ("the text is empty", lambda g: bardo.drop(g.path, "")),
    "drop at a fraction of a tick": ("tick", lambda g: bardo.drop(g.path, "x", tick=1.5)),
    "drop about one string": ("subjects", lambda g: bardo.drop(g.path, "x", subjects="one")),
    "drop with a seed below nought": ("seed", lambda g: bardo.drop(g.path, "x", seed=-1)),
}  # fmt: skip


@pytest.mark.parametrize(("argument", "call"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_argument_that_a_verb_cannot_use_is_refused_by_name(
    grimoire: bardo.Grimoire, argument: str, call: Callable[[bardo.Grimoire], Any]
) -> None:
    with pytest.raises(errors.InvalidInputError, match=argument) as refused:
        call(grimoire)
    assert len(str(refused.value)) > 20
    str(refused.value).encode()


def test_a_refusal_says_which_alternatives_there_are_and_keeps_what_raised_it(
    grimoire: bardo.Grimoire,
) -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        grimoire.learn(5)
    assert str(refused.value) == "what of learn() is 5. It must be str | Fact | Iterable[str | Fact]"
    assert isinstance(refused.value.__cause__, TypeError)


def test_a_query_with_a_lone_surrogate_is_answered(grimoire: bardo.Grimoire) -> None:
    assert grimoire.recall("before \ud800")[0].text == "what was there before"
    assert grimoire.recall("\ud800").query == "?"


def test_an_error_of_a_callers_code_is_raised_unchanged(grimoire: bardo.Grimoire) -> None:
    def broken(*_: object) -> Any:
        raise ValueError("mine")

    def texts() -> Iterator[str]:
        yield "one"
        broken()

    for call in (
        lambda: grimoire.remember(texts()),
        lambda: grimoire.learn(texts()),
        lambda: grimoire.embedding.migrate(broken, progress=broken),
    ):
        with pytest.raises(ValueError, match="mine") as raised:
            call()
        assert type(raised.value) is ValueError


def test_a_verb_called_with_too_few_arguments_says_so_as_python_does(grimoire: bardo.Grimoire) -> None:
    with pytest.raises(TypeError, match="episode"):
        grimoire.episodes.get()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="query"):
        grimoire.recall()  # type: ignore[call-arg]


def test_an_option_that_no_verb_has_is_refused_with_the_nearest_one(grimoire: bardo.Grimoire) -> None:
    calls: dict[str, Callable[..., Any]] = {
        "remember": grimoire.remember, "recall": grimoire.recall, "context": grimoire.context, "learn": grimoire.learn
    }  # fmt: skip
    for verb, call in calls.items():
        with pytest.raises(TypeError, match=rf"Grimoire\.{verb}\(\) got an unexpected .* 'limt'") as refused:
            call("x", limt=3)
        assert isinstance(refused.value, errors.UnknownArgumentError)
    nearest: dict[str, Callable[[], Any]] = {
        "bardo.recall 'limit'": lambda: grimoire.recall("x", limt=3),  # type: ignore[call-arg]
        "learn 'subjects'": lambda: grimoire.learn("x", subjcts=["a"]),  # type: ignore[call-arg]
        "sleep 'dry_run'": lambda: grimoire.sleep(dryrun=True),  # type: ignore[call-arg]
        "list 'subject'": lambda: grimoire.facts.list(subjekt="a"),  # type: ignore[call-arg]
        "open 'embedder'": lambda: bardo.open(grimoire.path, embeder=1),  # type: ignore[call-arg]
        "inherit 'embedder'": lambda: bardo.inherit("x", "y", embeder=1),  # type: ignore[call-arg]
        "bequeath_posthumously 'agent'": lambda: bardo.bequeath_posthumously("x", agnt="a"),  # type: ignore[call-arg]
    }
    for name, refused_call in nearest.items():
        verb, near = name.removeprefix("bardo.").split()
        with pytest.raises(errors.UnknownArgumentError, match=rf"{verb}\(\) .* Did you mean {near}\?"):
            refused_call()
    with pytest.raises(errors.UnknownArgumentError, match=r"It takes .*limit"):
        grimoire.recall("x", zzz=1)  # type: ignore[call-arg]


def test_options_of_an_opening_are_those_of_open() -> None:
    given = set(inspect.signature(bardo.open).parameters) - {"path"}
    assert set(OpenOptions.__annotations__) == given


@pytest.mark.parametrize("blank", ["", " \n"], ids=["empty", "blank"])
def test_a_text_that_a_verb_needs_is_refused_if_it_is_empty(grimoire: bardo.Grimoire, blank: str) -> None:
    calls: dict[str, Callable[[], Any]] = {
        "query": lambda: grimoire.recall(blank),
        "task": lambda: grimoire.context(blank),
        "work": lambda: grimoire.checkpoint(blank),
        "text": lambda: grimoire.lineage.knew(blank),
        "source": lambda: grimoire.scribe(blank),
        "cause": lambda: grimoire.bequeath(grimoire.path / "left", cause=blank),
        "reflection": lambda: grimoire.bequeath(grimoire.path / "left", reflection=blank),
    }
    with bardo.visit(grimoire.path) as visitor:
        for name, call in (calls | {"query": lambda: visitor.recall(blank)}).items():
            with pytest.raises(errors.InvalidInputError, match=f"the {name} is (empty|blank)"):
                call()
    with pytest.raises(errors.InvalidInputError, match="the query is"):
        calls["query"]()
    assert grimoire.checkpoint() is None


@pytest.mark.parametrize("limit", [-1, 2**70])
def test_a_number_out_of_range_is_not_told_a_range_that_it_has_not(
    grimoire: bardo.Grimoire, limit: int
) -> None:
    with pytest.raises(
        errors.InvalidInputError, match=r"limit of recall\(\) is -?\d+\. It must not be"
    ) as refused:
        grimoire.recall("x", limit=limit)
    assert "2**63" not in str(refused.value)


def test_a_legal_negative_beside_a_wrong_argument_is_not_blamed(grimoire: bardo.Grimoire) -> None:
    with pytest.raises(errors.InvalidInputError, match=r"used of outcome\(\) is 123") as refused:
        grimoire.outcome(123, value=-1)  # type: ignore[arg-type]
    assert "value" not in str(refused.value)


def test_a_time_may_be_a_datetime_that_knows_its_zone(tmp_path: Path, minilm: Embedder) -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(hours=1)))
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        assert opened.remember("lunch", at=noon).at == 1_772_449_200_000_000
        bardo.drop(opened.path, "dropped at lunch", at=noon)
        opened.maintenance.drain_inbox()
        assert [episode.at for episode in opened.episodes.list()] == [1_772_449_200_000_000] * 2
        for unclear in (noon.replace(tzinfo=None), "yesterday"):
            for verb in (opened.remember, partial(bardo.drop, opened.path)):
                with pytest.raises(errors.InvalidInputError, match=r"^at is .*time zone"):
                    verb("when?", at=unclear)


def test_a_payload_nested_without_end_is_refused(grimoire: bardo.Grimoire) -> None:
    payload: list[Any] = []
    payload.append(payload)
    with pytest.raises(errors.InvalidInputError, match="nested"):
        grimoire.remember("a loop", tick=101, payload=payload)


def test_a_text_over_the_limit_can_be_cut_on_demand(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        episode = opened.remember("界" * 100_000, truncate=True)
        assert len(episode.text.encode()) <= 64 * 1024
        assert set(episode.text) == {"界"}


def test_a_path_that_is_a_file_is_refused(tmp_path: Path, minilm: Embedder) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(errors.StoreUnavailableError, match=r"notes\.txt"):
        bardo.open(file, embedder=minilm)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("verb", [bardo.open, bardo.visit, lambda path: bardo.drop(path, bardo.Episode("x"))])
def test_a_path_that_no_file_system_takes_is_refused(tmp_path: Path, verb: Callable[[Path], Any]) -> None:
    with pytest.raises(errors.StoreUnavailableError, match="too long"):
        verb(tmp_path / ("x" * 300))


@pytest.mark.parametrize("name", ["episodes.redb", "facts.db"])
@pytest.mark.parametrize(
    "content", [b"", b"hello, this is a text file of somebody else\n" * 200, os.urandom(8192)]
)
def test_a_broken_file_is_named_and_left_as_it_is(
    tmp_path: Path, minilm: Embedder, name: str, content: bytes
) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("before the damage")
    broken = tmp_path / "agent" / name
    for extra in (tmp_path / "agent").glob(f"{name}-*"):
        extra.unlink()
    broken.write_bytes(content)
    with pytest.raises(errors.StoreError, match=name.replace(".", r"\.")):
        bardo.open(tmp_path / "agent", embedder=minilm)
    assert broken.read_bytes() == content


def test_the_files_of_another_agent_are_refused(tmp_path: Path, minilm: Embedder) -> None:
    for agent in ("anna", "boris"):
        with bardo.open(tmp_path / agent, embedder=minilm) as opened:
            opened.remember(f"this is {agent}'s")
    for name in ("episodes.redb", "facts.db"):
        mine, theirs = tmp_path / "anna" / name, tmp_path / "boris" / name
        kept = mine.read_bytes()
        mine.write_bytes(theirs.read_bytes())
        with pytest.raises(errors.StoreForeignError, match="boris"):
            bardo.open(tmp_path / "anna", embedder=minilm)
        mine.write_bytes(kept)


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("mine")
        script = textwrap.dedent(f"""
            import bardo
            try:
                bardo.open({str(tmp_path / "agent")!r})
            except bardo.BardoError as refused:
                print(type(refused).__name__, refused)
        """)
        said = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    assert said.startswith("StoreLockedError")
    assert str(os.getpid()) in said


def test_a_drop_of_another_process_is_taken_over_once(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("mine")
        script = f"import bardo\nbardo.drop({str(tmp_path / 'agent')!r}, bardo.Episode('dropped by a hook'))"
        subprocess.run([sys.executable, "-c", script], check=True)
        assert [memory.text for memory in opened.recall("dropped by a hook", limit=1)] == [
            "dropped by a hook"
        ]
        assert opened.maintenance.drain_inbox() == 0


def test_an_inbox_file_that_cannot_be_read_is_set_aside_and_named(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        (tmp_path / "agent" / "inbox" / "broken.jsonl").write_text("not of ours")
        with pytest.warns(errors.BardoWarning, match=r"broken\.jsonl was set aside"):
            assert opened.maintenance.drain_inbox() == 0
        assert (tmp_path / "agent" / "inbox" / "rejected" / "broken.jsonl").exists()


def test_a_fork_refuses_to_work(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("before the fork")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                opened.remember("in the child")
                said = "nothing"
            except errors.GrimoireClosedError as refused:
                said = str(refused)
            os.write(writing, said.encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert "fork" in os.read(reading, 10_000).decode()
        os.close(reading)
        os.close(writing)
        opened.remember("after the fork")


def test_ticks_may_begin_at_nought(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        assert [opened.remember(f"step {tick}", tick=tick).tick for tick in range(3)] == [0, 1, 2]


def test_a_chat_that_is_captured_afterwards_keeps_its_own_times(tmp_path: Path, minilm: Embedder) -> None:
    days = ("2024-01-03", "2024-01-02", "2024-01-05")
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        told = opened.remember(
            [{"role": "user", "content": day, "timestamp": f"{day}T00:00:00"} for day in days]
        )
        assert [episode.tick for episode in told] == [1_704_240_000, 1_704_240_000, 1_704_412_800]


def test_a_closed_grimoire_says_so(tmp_path: Path, minilm: Embedder) -> None:
    opened = bardo.open(tmp_path / "agent", embedder=minilm)
    opened.close()
    opened.close()
    with pytest.raises(errors.GrimoireClosedError, match="closed"):
        opened.remember("too late")


def test_a_part_that_cannot_be_closed_locks_no_process_out(tmp_path: Path, minilm: Embedder) -> None:
    opened = bardo.open(tmp_path / "agent", embedder=minilm)
    opened.remember("the relayer ran out of gas")
    opened.context("What happened?")
    (tmp_path / "agent" / "feedback.db").write_bytes(b"junk" * 300)
    with pytest.raises(errors.StoreDamagedError, match=r"feedback\.db"):
        opened.close()
    with bardo.open(tmp_path / "agent", embedder=minilm) as again:
        assert [episode.text for episode in again.episodes.list()] == ["the relayer ran out of gas"]


def test_a_fact_without_a_text_is_refused_before_the_model_is_asked(tmp_path: Path) -> None:
    def unreachable(texts: list[str]) -> Any:
        raise AssertionError(texts)

    with bardo.open(tmp_path / "agent", embedder=unreachable) as opened:
        for nothing in ("", " \n"):
            with pytest.raises(errors.InvalidInputError, match="the text of a fact is empty"):
                opened.learn(nothing)
