"""The pages as a person reads them: the example of the documentation, and laws over any facts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo._core import FactStore
from bardo.clock import day_of
from bardo.consolidate import languages
from bardo.consolidate.pages.dossier import Dossier, Dossiers
from bardo.consolidate.pages.dossier_page import words
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.model import Episode, Fact, Statement
from bardo.ports import ManualClock
from helpers.models import letter_vectors

DOCUMENTED = Path(__file__).parents[2] / "docs" / "concepts" / "compiled.md"
#: First tick of generated facts: no other number of a page has seven digits.
FIRST_TICK = 7_654_321
DAY = 86_400
RULE = {
    "type": "heuristic", "condition": "load >= 0.8", "action": "action is wait", "outcome": "reward is higher", "n": 58,
    "effect": 0.31, "interval": (0.2, 0.42),
}  # fmt: skip


def on(month: int, day: int) -> int:
    return int(datetime(2026, month, day, 9, tzinfo=UTC).timestamp()) * 1_000_000


def months_of_a_life(folder: Path) -> bardo.Grimoire:
    """A month of notes: replaced, disputed, planned, inherited, tested, and asked."""
    clock = ManualClock(on(6, 1))
    g = bardo.open(folder, clock=clock, seed=1, embedder=letter_vectors)
    told = Fact(
        "Backups of the booking app fail while the disk is full", kind="warning", source="testament", origin="iris",
        generation=1, confidence=0.34,
    )  # fmt: skip
    g.learn("Nadia lives in Bern", subject="Nadia", attribute="home", value="Bern")
    g.learn("Nadia is allergic to walnuts", subject="Nadia", attribute="allergy", value="walnuts")
    g.learn("The booking app listens on port 9090", subject="booking app", attribute="port", value="9090")
    g.learn("The booking app is written in Rust", subject="booking app", attribute="language", value="Rust")
    g.learn(told)
    clock.set(on(6, 3))
    g.learn("Nadia has an MRI on 1 July", kind="goal", subjects=["Nadia"])
    g.sleep()
    clock.set(on(6, 7))
    g.learn("Nadia lives in Lisbon", subject="Nadia", attribute="home", value="Lisbon", since=on(6, 6))
    six = g.learn("The office closes at six on Fridays")
    clock.set(on(6, 17))
    five = g.learn("The office closes at five on Fridays")
    g.facts.link(five, six, "contradicts")
    g.learn("The lift at the office is being repaired", kind="context", subjects=["office"])
    g.learn("The staging server is called Merlin", subject="staging server", attribute="name", value="Merlin",
            until=on(9, 1))  # fmt: skip
    clock.set(on(6, 18))
    with bardo.gate(folder, clock=clock, words_only=True) as gate:
        gate.rule("Never restart Merlin during a demo", by="Nadia", forbids="restart Merlin")
    runs = [Episode(f"Run {n}", kind="run", verified=True, payload={"load": 0.9}) for n in range(42)]
    evidence = tuple(one.id for one in g.remember(runs))
    rule = Fact(
        "When load >= 0.8, reward is higher", kind="heuristic", category="heuristics", confidence=0.9, support=42,
        evidence=evidence, payload=RULE,
    )  # fmt: skip
    rule = g.learn(rule)
    for at in (on(6, 20), on(6, 25), on(6, 30)):
        clock.set(at)
        g.outcome(g.recall(rule.text, layers=("fact",), limit=1), value=0.8)
        g.remember(Episode(rule.text, verified=True, importance=0.5, payload={"day": day_of(at)}))
        parcels = [f"The {n}th parcel of {day_of(at)} was signed by Doria Quist" for n in range(4)]
        g.remember(parcels)
        g.sleep()
    return g


def documented(title: str) -> str:
    """The example page with this title in the documentation."""
    blocks = re.findall(
        r"^```markdown\n(.*?)^```$", DOCUMENTED.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    (found,) = (block for block in blocks if block.startswith(f"# {title}"))
    # Long lines are wrapped there.
    return re.sub(r"\n   +", " ", found)


def test_the_dossier_is_the_page_that_the_documentation_shows(tmp_path: Path) -> None:
    with months_of_a_life(tmp_path / "assistant") as g:
        assert g.pages.dossier().text == documented("What assistant knows")


def test_the_playbook_is_the_page_that_the_documentation_shows(tmp_path: Path) -> None:
    with months_of_a_life(tmp_path / "assistant") as g:
        (entry,) = g.pages.playbook().entries
        text = g.pages.playbook().text
        assert text.replace(entry.fact, "ID").replace(entry.fact[-8:], "ID") == documented(
            "Playbook of assistant"
        )


@st.composite
def knowledge(draw: st.DrawFn) -> tuple[list[Fact], list[tuple[int, int]]]:
    """Facts of every sort, each with a word of its own, and pairs that contradict each other."""
    facts = []
    for number in range(draw(st.integers(0, 24))):
        word = f"w{number}q"
        kind = draw(st.sampled_from(["insight", "warning", "goal", "baseline", "heuristic", "preference"]))
        fields: dict[str, object] = {
            "kind": kind,
            "text": f"{word} {draw(st.sampled_from(['opens', 'closes']))} at noon",
        }
        if kind == "baseline":
            numbers = {"n": 9, "mean": 1.5, "variance": 2.0, "min": 0.0, "max": 3.0}
            fields["payload"] = {"type": "baseline", "metric": word, **numbers}
            fields["subjects"] = (draw(st.sampled_from(["ETH", "BTC"])),)
        if kind == "heuristic":
            fields["payload"] = RULE | {"condition": f"{word} >= 0.5"}
        if kind == "preference":
            subject, value = draw(st.sampled_from(["nadia", "tomas"])), word
            fields["statement"] = Statement(subject, "home", value, functional=draw(st.booleans()))
        if draw(st.booleans()):
            fields |= {"source": "testament", "origin": "iris", "generation": 1}
        facts.append(Fact(**{"confidence": draw(st.floats(0.1, 0.9)), **fields}))  # type: ignore[arg-type]
    number = st.integers(0, max(len(facts) - 1, 0))
    pairs = draw(st.lists(st.tuples(number, number), max_size=8)) if facts else []
    return facts, [pair for pair in pairs if pair[0] != pair[1]]


def compiled(folder: Path, facts: list[Fact], pairs: list[tuple[int, int]]) -> tuple[Dossier, list[Fact]]:
    """The page, and the facts in force."""
    store = FactStore(folder / "facts.db", agent="tester", seed=1, now=1)
    try:
        ids = [one.id for one in store.upsert(facts, tick=FIRST_TICK, now=on(6, 1))]
        for one, other in pairs:
            if ids[one] != ids[other]:
                store.link(ids[one], ids[other], "contradicts", tick=FIRST_TICK + 1)
        dates = FactDates(lambda asked: [None] * len(asked), lambda _: on(6, 1))
        page = Dossiers(
            folder / "DOSSIER.md", store, bardo.Config().dossier, "tester", dates=dates,
            days=lambda text, at: languages.named_days("english", text, at), threshold=0.05,
        ).current(tick=FIRST_TICK + 9, now=on(6, 3))  # fmt: skip
        held = store.list(status="active", limit=1_024)
        return page, held
    finally:
        store.close()


def word_of(fact: Fact) -> str:
    return fact.text.split()[0]


@settings(max_examples=40, deadline=None)
@given(given_facts=knowledge())
def test_each_fact_in_force_stands_once_and_a_dispute_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, given_facts: tuple[list[Fact], list[tuple[int, int]]]
) -> None:
    facts, pairs = given_facts
    page, held = compiled(tmp_path_factory.mktemp("store"), facts, pairs)
    in_force = {word_of(fact): fact for fact in held}
    lines = [line for line in page.text.splitlines() if re.match(r"\d+\. ", line)]
    for word in in_force:
        assert len(re.findall(rf"\b{word}\b", page.text)) <= 1, word
    for one, other in pairs:
        sides = {word_of(facts[one]), word_of(facts[other])} & set(in_force)
        told = [line for line in lines if any(re.search(rf"\b{side}\b", line) for side in sides)]
        assert len(told) <= 1 or len(sides) < 2, (sides, page.text)
    assert page.shown + page.merged + page.left_out == page.total == len(held)
    assert words(page.text) < 600
    assert not re.search(r"\d{7}|\btick", page.text)
    assert not any(fact.id in page.text for fact in held)


@settings(max_examples=20, deadline=None)
@given(given_facts=knowledge())
def test_inherited_facts_stand_apart_under_the_name_of_the_ancestor(
    tmp_path_factory: pytest.TempPathFactory, given_facts: tuple[list[Fact], list[tuple[int, int]]]
) -> None:
    page, held = compiled(tmp_path_factory.mktemp("store"), given_facts[0], [])
    sections = {part.split("\n", 1)[0]: part for part in page.text.split("\n## ")[1:]}
    for fact in held:
        named = [title for title, part in sections.items() if re.search(rf"\b{word_of(fact)}\b", part)]
        if fact.source == "testament" and named:
            assert named in (["From iris, not confirmed here"], ["Disputed"])
        else:
            assert "From iris, not confirmed here" not in named


def test_a_rule_that_an_ancestor_taught_and_the_agent_found_stands_once(tmp_path: Path) -> None:
    taught = RULE | {"condition": "load is high", "effect": 1.0, "interval": (0.0, 0.0)}
    inherited = Fact(
        "When load is high, reward is higher", kind="heuristic", payload=taught, source="testament", origin="iris",
        generation=1, confidence=0.34,
    )  # fmt: skip
    found = Fact(
        "When load >= 0.8, reward is higher", kind="heuristic", payload=RULE, support=42, confidence=0.9
    )
    other = Fact(
        "When load <= 0.1, reward is higher", kind="heuristic", payload=RULE | {"condition": "load <= 0.1"}
    )
    page, _ = compiled(tmp_path, [inherited, found, other], [])
    (line,) = (line for line in page.text.splitlines() if "load is at least 0.8" in line)
    assert "(holds in 42 of 58 decisions; iris taught the same)" in line
    assert "From iris" not in page.text
    assert "load is at most 0.1" in page.text
    assert (page.shown, page.merged, page.left_out) == (2, 1, 0)


def test_a_dossier_is_stale_once_a_day_that_it_announces_has_passed(tmp_path: Path) -> None:
    clock = ManualClock(on(6, 1))
    with bardo.open(tmp_path / "agent", clock=clock, embedder=letter_vectors) as g:
        g.learn("The flight to Madrid leaves on 5 June", kind="goal")
        assert "## Coming up\n1. 5 June 2026: The flight to Madrid" in g.pages.dossier().text
        clock.set(on(6, 5))
        assert g._page_writer.fresh_dossier() is not None
        clock.set(on(6, 6))
        assert g._page_writer.fresh_dossier() is None
        text = g.pages.dossier().text
        assert "Coming up" not in text
        assert "## Days that have passed\n1. The flight to Madrid leaves on 5 June (1 June 2026)" in text


def test_an_agent_that_counts_its_own_ticks_reads_days_and_no_means_of_identifiers(tmp_path: Path) -> None:
    clock = ManualClock(on(3, 5))
    with bardo.open(tmp_path / "agent", clock=clock, seed=1, embedder=letter_vectors) as g:
        for n in range(64):
            clock.advance(600)
            payload = {"pnl": n % 7 / 7, "aave": {"block": 19_000_000 + 3 * n}, "order_id": n}
            trade = Episode(f"Trade {n}", kind="trade", subjects=("ETH",), payload=payload, verified=True)
            g.remember(trade, tick=FIRST_TICK + n)
        g.learn("Never trade in the hour of an upgrade", kind="warning", tick=FIRST_TICK + 64)
        g.sleep()
        text = g.pages.dossier().text
    assert "Never trade in the hour of an upgrade (5 March 2026)" in text
    assert re.search(r"## Measured\n2\. ETH: pnl 0\.\d+ ± 0\.\d+ \(64 observations\)\n", text), text
    assert "block" not in text
    assert "order" not in text
    assert not re.search(r"\d{7}|\btick", text)


def test_what_an_ancestor_asked_and_what_was_refuted_of_it_names_the_ancestor(tmp_path: Path) -> None:
    clock = ManualClock(on(6, 1))
    with bardo.open(tmp_path / "iris", clock=clock, embedder=letter_vectors) as iris:
        iris.learn("The vault opens at noon", kind="heuristic", confidence=0.9)
        for fact in ("Gas is dear", "Fees are low", "Blocks are full", "Bridges are slow"):
            iris.learn(fact, confidence=0.9)
        iris.remember([f"The {n}th vault was filled by Zanzibar Keeper" for n in range(6)])
        iris.sleep()
        clock.advance(DAY)
        iris.remember("Night fell", verified=True)
        iris.sleep()
        iris.bequeath(tmp_path / "iris.testament")
    with bardo.inherit(
        tmp_path / "iris.testament", tmp_path / "max", clock=clock, embedder=letter_vectors
    ) as heir:
        told = next(fact for fact in heir.facts.list() if "vault" in fact.text)
        heir.facts.contradict(heir.learn("The vault opens at midnight", confidence=0.9), told)
        text = heir.pages.dossier().text
    assert "The vault opens at noon (refuted 2 June 2026; from iris)" in text
    assert "What is known of Zanzibar Keeper? (from iris)" in text


def test_the_day_of_an_own_tick_is_that_of_an_own_episode(tmp_path: Path) -> None:
    clock = ManualClock(on(6, 1))
    options = {"clock": clock, "embedder": letter_vectors, "config": {"clock": {"unit": "loops"}}}
    with bardo.open(tmp_path / "iris", **options) as iris:
        for n in range(6):
            iris.remember(f"The {n}th lesson of iris", tick=n, verified=True, importance=0.9)
        left = iris.bequeath(tmp_path / "iris.testament")
        assert left.episodes
    clock.set(on(7, 1))
    with bardo.inherit(tmp_path / "iris.testament", tmp_path / "max", **options) as heir:
        assert heir._session.moment(0) is None
        heir.remember("The first day", tick=5)
        clock.set(on(7, 2))
        heir.remember("The second day", tick=9)
        days = [heir._session.moment(tick) for tick in (0, 5, 6, 9, 20)]
        assert days == [on(7, 1), on(7, 1), on(7, 2), on(7, 2), on(7, 2)]
