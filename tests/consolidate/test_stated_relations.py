"""Statements whose value is an entity are triples of the graph: they follow their fact, and go with it."""

from __future__ import annotations

from pathlib import Path

import bardo

START = 1_760_000_000_000_000
DAY = 86_400


def relations(memory: bardo.Grimoire, name: str, as_of: int | None = None) -> set[tuple[str, str, str]]:
    return {
        (triple.subject, triple.predicate, triple.object)
        for triple in memory.entities.relations(name, as_of=as_of)
    }


def test_a_stated_relation_is_walked_replaced_and_forgotten_with_its_fact(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ann", clock=clock, seed=1) as memory:

        def tell(text: str) -> None:
            memory.remember(text, role="user", speaker="Ann", kind="turn")
            memory.sleep()
            clock.advance(DAY)

        tell("Nadia works at Helvion.")
        tell("Helvion is based in Porto.")
        assert relations(memory, "Nadia") == {("Nadia", "employer", "Helvion")}
        assert relations(memory, "Helvion") == {
            ("Nadia", "employer", "Helvion"),
            ("Helvion", "location", "Porto"),
        }
        found = memory.recall("Where is Nadia's employer based?", limit=3)
        assert any("Porto" in item.text for item in found)

        then = START // 1_000_000 + DAY // 2
        tell("Nadia works at Delta now.")
        today = memory.recall("Nadia").memories[0].tick
        assert relations(memory, "Nadia", as_of=today) == {("Nadia", "employer", "Delta")}
        assert relations(memory, "Nadia", as_of=then) == {("Nadia", "employer", "Helvion")}

        (home,) = [fact for fact in memory.facts.list() if "Porto" in fact.text]
        memory.forget(home, reason="a test")
        assert ("Helvion", "location", "Porto") not in relations(memory, "Helvion")


def test_a_denial_and_a_value_that_is_no_entity_are_no_relations(tmp_path: Path):
    with bardo.open(tmp_path / "ann", clock=bardo.ManualClock(START), seed=1) as memory:
        memory.remember("Nadia met Tomas in Porto.", role="user", speaker="Ann", kind="turn")
        memory.learn(subject="Nadia", attribute="home", value="Porto", denied=True)
        memory.learn(subject="Nadia", attribute="dose", value="50 mg")
        memory.sleep()
        assert relations(memory, "Nadia") == set()
