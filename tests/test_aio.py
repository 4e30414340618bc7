"""The memory under asyncio: the same verbs, in threads, while the loop goes on."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from pathlib import Path

import pytest

import bardo
from bardo._cached_property import locked_cached_property
from bardo.errors import DecreasingTickError, GrimoireClosedError
from bardo.grimoire.grimoire import Grimoire


def directions(texts: list[str]) -> list[list[float]]:
    """A model: each letter has a direction."""
    return [[1.0, *(float(text.count(letter)) for letter in "abcdefghijklmno")] for text in texts]


def check_awaited(owner: type, twin: type) -> None:
    """Every verb of a class can be awaited with the same arguments, and every property is there."""
    for name, member in inspect.getmembers(owner):
        if name.startswith("_") or isinstance(member, locked_cached_property):
            continue
        awaited = inspect.getattr_static(twin, name)
        if isinstance(member, property):
            assert isinstance(awaited, property), name
            assert awaited.__doc__, name
        elif name != "on":
            assert inspect.iscoroutinefunction(awaited), name
            assert inspect.signature(awaited) == inspect.signature(member), name
            assert awaited.__doc__ == member.__doc__, name


def test_every_verb_of_a_grimoire_can_be_awaited_with_the_same_arguments(tmp_path: Path) -> None:
    check_awaited(Grimoire, bardo.AsyncGrimoire)
    nouns = [
        name
        for name, member in inspect.getmembers(Grimoire)
        if isinstance(member, locked_cached_property) and name[0] != "_"
    ]
    assert len(nouns) == 14
    with bardo.open(tmp_path / "m", embedder=directions) as memory:
        awaited = bardo.AsyncGrimoire(memory)
        for noun in nouns:
            check_awaited(type(getattr(memory, noun)), type(getattr(awaited, noun)))
        assert {"lost", "resumed", "config"} <= {*dir(awaited)}
    for name in ("open", "inherit"):
        opening = getattr(bardo.AsyncGrimoire, name)
        assert inspect.signature(opening) == inspect.signature(getattr(bardo, name))


def test_a_life_is_lived_died_and_inherited_under_asyncio(tmp_path: Path) -> None:
    async def live() -> tuple[list[str], int, int]:
        async with bardo.AsyncGrimoire.open(tmp_path / "elder", embedder=directions, seed=1) as memory:
            for tick in range(1, 41):
                await memory.remember(
                    f"reading {tick}", tick=tick, subjects=["gas"], payload={"price": tick % 3}, verified=True
                )
            await memory.sleep()
            found = await memory.recall("reading 7", limit=3, layers=("episode",))
            await memory.bequeath(tmp_path / "elder.testament")
            assert memory.lineage.is_dead
        with pytest.raises(GrimoireClosedError):
            await memory.recall("reading")
        heir = await bardo.AsyncGrimoire.inherit(
            tmp_path / "elder.testament", tmp_path / "heir", embedder=directions, seed=2
        )
        async with heir:
            return [one.text for one in found], heir.lineage.generation, len(await heir.facts.list())

    texts, generation, facts = asyncio.run(live())
    assert len(texts) == 3
    assert "reading 7" in texts
    assert (generation, facts) == (1, 1)


def test_the_loop_goes_on_while_the_model_thinks(tmp_path: Path) -> None:
    def slow(texts: list[str]) -> list[list[float]]:
        time.sleep(0.3)
        return directions(texts)

    async def beats_meanwhile() -> int:
        async with bardo.AsyncGrimoire.open(tmp_path / "m", embedder=slow, seed=1) as memory:
            await memory.remember("something")
            asking = asyncio.create_task(memory.recall("something"))
            beats = 0
            while not asking.done():
                await asyncio.sleep(0.01)
                beats += 1
            assert [one.text for one in asking.result()] == ["something"]
            return beats

    # The model alone sleeps for 0.6 s; a loop that stood still would beat once.
    assert asyncio.run(beats_meanwhile()) >= 10


def test_many_tasks_remember_and_recall_at_once(tmp_path: Path) -> None:
    async def crowd() -> int:
        async with bardo.AsyncGrimoire.open(tmp_path / "m", embedder=directions, seed=1) as memory:

            async def one(number: int) -> bool:
                episode = await memory.remember(f"unique {number} abc", tick=5)
                found = await memory.recall(f"unique {number}", limit=32)
                return episode.id in {memory.id for memory in found}

            assert all(await asyncio.gather(*(one(number) for number in range(32))))
            return int((await memory.stats())["log"]["episodes"])

    assert asyncio.run(crowd()) == 32


def test_errors_and_events_arrive_as_they_would_without_threads(tmp_path: Path) -> None:
    async def told() -> tuple[list[int], list[object]]:
        heard: list[object] = []
        threads: list[int] = []

        def listener(event: object) -> None:
            heard.append(event)
            threads.append(threading.get_ident())

        async with bardo.AsyncGrimoire.open(tmp_path / "m", embedder=directions, seed=1) as memory:
            await memory.remember("late", tick=9)
            with pytest.raises(DecreasingTickError):
                await memory.remember("later", tick=8)
            stop = memory.on(bardo.CuratorCycleComplete, listener)
            report = await memory.sleep()
            await asyncio.sleep(0)
            assert heard == [report]
            stop()
            await memory.sleep()
            await asyncio.sleep(0)
            assert len(heard) == 1
        return threads, heard

    threads, heard = asyncio.run(told())
    assert threads == [threading.get_ident()]
    assert isinstance(heard[0], bardo.CuratorCycleComplete)
