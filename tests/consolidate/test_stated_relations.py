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


def test_an_attribute_holds_one_value_told_as_relation_or_as_statement(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ann", clock=clock, seed=1) as memory:

        def known() -> tuple[set[str], list[str]]:
            clock.advance(DAY)
            found = memory.entities.relations("Mirko", predicate="employer")
            return {triple.object for triple in found}, [fact.text for fact in memory.facts.list()]

        first = memory.learn(subject="Mirko", attribute="employer", value="Kestrel")
        memory.entities.relate("Mirko", "employer", "Helvion")
        assert known() == ({"Helvion"}, [])
        assert memory.facts.get(first.id).ended_by == "slot"
        assert all("Kestrel" not in item.text for item in memory.recall("Where does Mirko work?"))
        memory.entities.relate("Mirko", "employer", "Delta")
        assert known() == ({"Delta"}, [])
        memory.learn("Mirko is at Novaphor", subject="Mirko", attribute="employer", value="Novaphor")
        assert known() == ({"Novaphor"}, ["Mirko is at Novaphor"])
        memory.entities.relate("Mirko", "employer", "Delta")
        memory.learn("Mirko left Delta", subject="Mirko", attribute="employer", value="Delta", denied=True)
        assert known() == (set(), ["Mirko left Delta"])
        memory.entities.relate("Mirko", "employer", "Delta")
        assert known() == ({"Delta"}, [])
        assert len(memory.entities.relations("Mirko", predicate="employer", every=True)) >= 4


def test_a_relation_ends_no_pinned_other_conditional_or_additive_statement_and_none_from_the_past(
    tmp_path: Path,
):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ann", clock=clock, seed=1, config={"clock": {"unit": "seconds"}}) as memory:
        pinned = memory.learn("Ada lives in Bern", subject="Ada", attribute="home", value="Bern", pinned=True)
        memory.learn("Bo's tea", subject="Bo", attribute="likes", value="tea")
        memory.learn("Bo in winter", subject="Bo", attribute="home", value="Linz", condition="winter")
        memory.learn("Bo now", subject="Bo", attribute="home", value="Graz")
        clock.advance(DAY)
        memory.entities.relate("Ada", "home", "Porto")
        memory.entities.relate("Bo", "likes", "coffee")
        memory.entities.relate("Bo", "likes", "milk")
        now = memory.now_tick
        memory.entities.relate("Bo", "home", "Wien", valid_from=now - 9 * DAY, valid_to=now - 5 * DAY)
        texts = {fact.text for fact in memory.facts.list()}
        assert texts == {"Ada lives in Bern", "Bo's tea", "Bo in winter", "Bo now"}
        assert memory.facts.get(pinned.id).status == "active"
        assert {triple.object for triple in memory.entities.relations("Bo", predicate="likes")} >= {
            "coffee",
            "milk",
        }
