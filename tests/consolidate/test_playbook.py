"""Promotion and PLAYBOOK.md: what rises, what leaves, and what people wrote is kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bardo
from bardo.consolidate.pages.playbook import HAND_BEGINS, HAND_ENDS
from bardo.consolidate.pages.wording import Rule
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from bardo.recall.rules import brief
from helpers.models import letter_vectors

RULE = {
    "type": "heuristic",
    "condition": "momentum >= 0.5",
    "action": "action is buy and venue is north",
    "outcome": "pnl is higher",
    "n": 64,
    "effect": 0.31,
    "interval": (0.2, 0.42),
}


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., bardo.Grimoire]:
    def open_(name: str = "trader-7", tau_ticks: float = 1e6, **options: object) -> bardo.Grimoire:
        config = {"decay": {"tau_ticks": tau_ticks}, **options.pop("config", {})}
        clock = ManualClock(1_700_000_000_000_000)
        return bardo.open(
            tmp_path / name, config=config, clock=clock, seed=1, embedder=letter_vectors, **options
        )

    return open_


@pytest.fixture
def opened(opener: Callable[..., bardo.Grimoire]) -> Iterator[bardo.Grimoire]:
    with opener() as grimoire:
        yield grimoire


def said_again(grimoire: bardo.Grimoire, text: str, *ticks: int, mode: str | None = None) -> list[str]:
    """Episodes that say what a fact says, and are verified."""
    episodes = [
        Episode(text, tick=tick, verified=True, importance=0.5, payload={"tick": tick}, mode=mode)
        for tick in ticks
    ]
    return [episode.id for episode in grimoire.remember(episodes)]


def acted_on(grimoire: bardo.Grimoire, fact: Fact, value: float) -> None:
    recollection = grimoire.recall(fact.text, layers=("fact",), limit=1)
    assert [memory.id for memory in recollection] == [fact.id]
    grimoire.outcome(recollection, value=value)


def risen(
    grimoire: bardo.Grimoire,
    text: str = "When gas is above 80, wait for the night",
    mode: str | None = None,
    *,
    situation: dict[str, object] | None = None,
    value: float = 0.9,
    **fields: object,
) -> Fact:
    """A fact that was stated, confirmed by three later episodes, and tried as it foretells."""
    tick = grimoire.now_tick
    fact = grimoire.learn(Fact(text, **{"kind": "heuristic", "confidence": 0.8, **fields}), tick=tick + 1)
    said_again(grimoire, text, tick + 2, tick + 60, tick + 120, mode=mode)
    grimoire.sleep()
    if situation is None:
        acted_on(grimoire, fact, 0.9)
    else:
        prompt = grimoire.context("Sell now?", situation=situation)
        assert fact.id in {memory.id for memory in prompt.memories}
        grimoire.outcome(prompt, value=value)
    return fact


def rank(grimoire: bardo.Grimoire, fact: Fact) -> str:
    return grimoire.facts.why(fact).rank


def test_a_fact_rises_step_by_step_as_it_earns_it_and_fades_out_of_the_playbook(
    opener: Callable[..., bardo.Grimoire],
) -> None:
    opened = opener(tau_ticks=2_000)
    text = "When gas is above 80, wait for the night"
    fact = opened.learn(Fact(text, kind="heuristic", confidence=0.75), tick=1)
    assert rank(opened, fact) == "observation"
    acted_on(opened, fact, 0.5)
    said_again(opened, text, 2, 3)
    opened.sleep()
    assert (
        rank(opened, fact) == "observation"
    )  # within one spacing: two reinforcements count, three episodes are needed
    said_again(opened, text, 60, 120)
    opened.sleep()
    assert opened.facts.why(fact).confirmed
    assert rank(opened, fact) == "playbook"
    assert opened.pages.playbook().entries[0].fact == fact.id
    # It fades: an unsure rule leaves the playbook.
    opened.tick(2_000)
    assert rank(opened, fact) == "heuristic"
    assert opened.pages.playbook().entries == ()
    assert fact.id not in (opened.path / "PLAYBOOK.md").read_text()
    opened.close()


def test_without_a_good_outcome_or_later_episodes_nothing_rises(opened: bardo.Grimoire) -> None:
    untried = opened.learn(Fact("Route by the north venue", kind="heuristic", confidence=0.9), tick=1)
    said_again(opened, untried.text, 2, 60, 120)
    opened.sleep()
    assert rank(opened, untried) == "insight"
    acted_on(opened, untried, -0.5)
    assert rank(opened, untried) == "insight"
    evidence = tuple(one.id for one in opened.remember([f"seen {n}" for n in range(3)]))
    unseen = opened.learn(
        Fact("Sell before the weekend", kind="heuristic", confidence=0.9, support=3, evidence=evidence)
    )
    opened.tick(opened.now_tick + 20)
    acted_on(opened, unseen, 0.9)
    assert not opened.facts.why(unseen).confirmed  # what it was made from does not confirm it
    assert rank(opened, unseen) == "insight"
    assert opened.pages.playbook().text == ""
    assert not (opened.path / "PLAYBOOK.md").exists()


def test_a_line_says_when_and_what_with_its_figures(opened: bardo.Grimoire) -> None:
    fact = risen(
        opened, "When momentum >= 0.5 and action is buy, pnl is higher", payload=RULE, category="entries"
    )
    worse = dataclasses.replace(
        fact, id="", text="When momentum >= 0.5 and action is sell, pnl is lower", payload=RULE | {
            "action": "action is sell", "outcome": "pnl is lower", "effect": -0.2, "interval": (-0.3, -0.1),
        },
    )  # fmt: skip
    sold = {"momentum": 0.6, "actions": ["sell"]}
    worse = risen(opened, worse.text, payload=worse.payload, category="exits", situation=sold, value=-0.9)
    text = (opened.path / "PLAYBOOK.md").read_text() if opened.pages.playbook() else ""
    assert (
        "## entries\n- When momentum is at least 0.5, prefer buy and venue is north: pnl is higher by 0.31 "
        "(likely 0.2 to 0.42; holds in 3 of 64 decisions; 1 of 1 outcome good; last confirmed 14 November 2023)"
        f"[^{fact.id[-8:]}]\n"
    ) in text
    assert (
        "## exits\n- When momentum is at least 0.5, avoid sell: pnl is lower by 0.2 (likely 0.1 to 0.3; "
        in text
    )
    (avoided,) = [line for line in text.splitlines() if "avoid sell" in line]
    assert "1 of 1 outcome as it says" in avoided
    assert "good" not in avoided
    assert f"\n[^{fact.id[-8:]}]: fact {fact.id}\n" in text


def test_a_pass_counts_what_rose_and_writes_only_when_something_changed(opened: bardo.Grimoire) -> None:
    risen(opened)
    assert opened.sleep().entries_promoted == 1
    path = opened.path / "PLAYBOOK.md"
    before = path.stat().st_mtime_ns
    opened.tick(opened.now_tick + 1)
    report = opened.sleep()
    assert (report.entries_promoted, path.stat().st_mtime_ns) == (0, before)
    assert [version.number for version in opened.pages.versions()] == [1]
    book = opened.pages.playbook()
    assert (book.version, book.changed, book.left_out, len(book.entries)) == (1, False, 0, 1)


def test_a_fact_of_an_ancestor_that_the_heir_confirmed_is_innate(
    opener: Callable[..., bardo.Grimoire], tmp_path: Path
) -> None:
    text = "When gas is high, wait for the night"
    with opener("elder") as elder:
        elder.learn(Fact(text, kind="heuristic", confidence=0.95, category="timing"), tick=1)
        elder.bequeath(tmp_path / "t.testament")
    with bardo.inherit(
        tmp_path / "t.testament",
        tmp_path / "heir",
        clock=ManualClock(1_700_000_000_000_000),
        embedder=letter_vectors,
        config={"decay": {"tau_ticks": 1e6}, "clock": {"unit": "loops"}},
    ) as heir:
        (told,) = heir.facts.list()
        heir.tick(100)
        assert rank(heir, told) == "observation"
        for tick in range(101, 1_900, 60):
            said_again(heir, text, tick)
        heir.sleep()
        acted_on(heir, told, 1.0)
        why = heir.facts.why(told)
        assert (why.confirmed, why.rank) == (True, "playbook"), why
        assert "## From elder, confirmed here\n- When gas is high" in heir.pages.playbook().text


@pytest.mark.parametrize(
    "place", ["between the marks", "elsewhere", "in a line of bardo's", "in a file of its own"]
)
def test_lines_of_a_person_are_kept(opened: bardo.Grimoire, place: str) -> None:
    path = opened.path / "PLAYBOOK.md"
    note = "- when in doubt, call Mira"
    if place == "in a file of its own":
        path.write_text(f"# My rules\n\n{note}\n")
    risen(opened)
    opened.pages.playbook()
    text = path.read_text()
    if place == "between the marks":
        path.write_text(text.replace(HAND_BEGINS, f"{HAND_BEGINS}\nFirst\n\n{note}"))
    elif place == "elsewhere":
        path.write_text(text + f"\n## Mine\n{note}\n")
    elif place == "in a line of bardo's":
        path.write_text(text.replace("wait for the night", "wait for the night, and call Mira"))
    risen(opened, "When the bridge is slow, split the order")
    book = opened.pages.playbook()
    written = path.read_text()
    assert "call Mira" in book.by_hand
    assert "call Mira" in written.split(HAND_BEGINS)[1].split(HAND_ENDS)[0]
    assert written.count("- When gas is above 80, wait for the night (") == 1
    assert "When the bridge is slow" in written
    assert opened.pages.playbook().changed is False
    if place == "between the marks":
        assert f"{HAND_BEGINS}\nFirst\n\n{note}\n{HAND_ENDS}" in written


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=6), cut=st.integers(0, 40), marks=st.booleans())
def test_no_line_of_a_person_is_lost_wherever_it_stands_and_the_next_pass_changes_nothing(
    opened: bardo.Grimoire, lines: list[str], cut: int, marks: bool
) -> None:
    path = opened.path / "PLAYBOOK.md"
    if not opened.pages.playbook().entries:
        risen(opened)
        opened.pages.playbook()
    standing = path.read_text(encoding="utf-8").split("\n")
    if not marks:
        standing = [line for line in standing if line not in (HAND_BEGINS, HAND_ENDS)]
    cut = min(cut, len(standing))
    path.write_text("\n".join([*standing[:cut], *lines, *standing[cut:]]), encoding="utf-8")
    book = opened.pages.playbook()
    kept = book.by_hand.split("\n")
    assert [
        line for line in lines if line.strip() and line.rstrip() not in [one.rstrip() for one in kept]
    ] == []
    assert len(book.entries) == 1
    assert opened.pages.playbook().changed is False


def test_a_playbook_stays_under_its_size_and_omits_the_least_sure_first(
    opener: Callable[..., bardo.Grimoire],
) -> None:
    with opener(config={"playbook": {"bytes": 1_250}}) as grimoire:
        facts = [
            risen(
                grimoire, f"When pool {name} {'is very much fuller than usual ' * 4}, wait", confidence=sure
            )
            for name, sure in (("Alpha", 0.99), ("Bravo", 0.86), ("Carol", 0.95), ("Delta", 0.9))
        ]
        grimoire.sleep()
        book = grimoire.pages.playbook()
        sure = {fact.id: grimoire.facts.confidence(grimoire.facts.get(fact.id)) for fact in facts}
        acted_by = [id_ for id_, today in sure.items() if today >= 0.7]
        assert len(book.entries) + book.left_out == len(acted_by)
        assert book.left_out > 0
        shown = [entry.fact for entry in book.entries]
        assert min(sure[id_] for id_ in shown) >= max(sure[id_] for id_ in acted_by if id_ not in shown)
        assert f"{book.left_out} less sure rule" in book.text
        assert len(book.text.encode()) <= 1_250


def test_a_bounded_number_of_versions_is_kept_and_the_oldest_goes(
    opener: Callable[..., bardo.Grimoire],
) -> None:
    with opener(config={"playbook": {"history": 3}}) as grimoire:
        risen(grimoire)
        for number in range(5):
            grimoire.pages.playbook()
            path = grimoire.path / "PLAYBOOK.md"
            path.write_text(path.read_text() + f"note {number}\n")
        grimoire.pages.playbook()
        versions = grimoire.pages.versions()
        assert [version.number for version in versions] == [6, 5, 4]
        assert versions[0].path.read_bytes() == (grimoire.path / "PLAYBOOK.md").read_bytes()
        assert len(list(grimoire.path.glob("playbook/history/*"))) == 3
        assert all(f"note {number}" in grimoire.pages.playbook().by_hand for number in range(5))


def test_a_playbook_of_one_mode_has_no_heuristic_of_another_and_the_file_names_the_modes(
    opened: bardo.Grimoire,
) -> None:
    plain = risen(opened)
    text = "When a build fails twice, read the first error"
    evidence = said_again(opened, text, opened.now_tick + 1, mode="code")
    coded = risen(opened, text, mode="code", evidence=tuple(evidence))

    book = opened.pages.playbook()
    lines = {entry.fact: entry.line for entry in book.entries}
    assert "mode" not in lines[plain.id]
    assert "mode code" in lines[coded.id]
    assert [entry.fact for entry in opened.pages.playbook(mode="chat").entries] == [plain.id]
    assert {entry.fact for entry in opened.pages.playbook(mode="code").entries} == {plain.id, coded.id}
    assert opened.pages.playbook().text == book.text  # neither question wrote the file


def test_forgetting_reaches_the_playbook_its_versions_and_what_people_wrote(opened: bardo.Grimoire) -> None:
    doomed = risen(opened, "When the relayer whispers nine-four-two-seven, open the vault")
    kept = risen(opened, "When the bridge is slow, split the order")
    opened.pages.playbook()
    path = opened.path / "PLAYBOOK.md"
    path.write_text(
        path.read_text().replace(HAND_BEGINS, f"{HAND_BEGINS}\nMira says: {doomed.text}\n- call Mira at noon")
    )
    risen(opened, "When blocks are full, pay more")
    opened.pages.playbook()
    assert len(opened.pages.versions()) > 1
    episodes = [episode.id for episode in opened.episodes.list() if episode.text == doomed.text]
    report = opened.forget([doomed, *episodes], reason="told in confidence")
    assert "PLAYBOOK.md" in report.rewritten
    for file in [path, *(version.path for version in opened.pages.versions())]:
        text = file.read_text()
        assert "nine-four" not in text
        assert doomed.id not in text
    assert "- call Mira at noon" in path.read_text()
    assert kept.id in path.read_text()
    assert "Mira says" not in path.read_text()


def test_a_playbook_saved_in_another_encoding_is_read(opened: bardo.Grimoire) -> None:
    path = opened.path / "PLAYBOOK.md"
    path.write_bytes("Regle numéro un: attendre\r\n".encode("latin-1"))
    risen(opened)
    opened.pages.playbook()
    assert "Regle numéro un: attendre\n" in path.read_text(encoding="utf-8")


def test_a_rule_is_told_with_the_number_of_cases_that_its_fact_states():
    text = (
        "When vol >= 0.5, pnl is higher by 1.46 (95 % interval 1.3 to 1.6): 1.49 on average in 152 cases, {} in the "
        "other 808"
    )
    payload = {
        "type": "heuristic", "condition": "vol >= 0.5", "action": "", "outcome": "pnl is higher", "n": 960,
        "effect": 1.46, "interval": (1.3, 1.6),
    }  # fmt: skip
    for others in ("0.0276", "-1.5e-7"):
        fact = bardo.Fact(text.format(others), kind="heuristic", payload=payload, support=173)
        rule = Rule.of(fact)
        assert rule is not None
        assert rule.evidence(fact, "ann") == "holds in 152 of 960 decisions"
        assert "(in 152 of 960 decisions" in brief(fact)
    told = dataclasses.replace(fact, text="Vol helps")
    assert rule.evidence(told, "ann") == "holds in 173 of 960 decisions"
