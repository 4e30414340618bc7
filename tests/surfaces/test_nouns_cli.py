"""Commands of the nouns and of the loop on a real folder: learning, outcomes, facts, and forgetting with a preview."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import bardo
from bardo.errors import InvalidInputError, NotFoundError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

CONFIG = {"embedding": {"model": "wordllama"}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    bardo.open(tmp_path / "trader", config=CONFIG).close()
    (tmp_path / "trader" / "bardo.toml").write_text('[embedding]\nmodel = "wordllama"\n')
    return tmp_path / "trader"


def run(home: Path, *words: str, stdin: str | None = None) -> Result:
    # Before the words: what follows `--` is no option.
    name, *rest = words
    nested = name in {
        "pages",
        "facts",
        "episodes",
        "prompts",
        "lineage",
        "maintenance",
        "entities",
        "curator",
    }
    verb, rest = (rest[:1], rest[1:]) if nested else ([], rest)
    return CliRunner().invoke(app, [name, *verb, "--at", str(home), *rest], input=stdin)


def answer(home: Path, *words: str) -> dict:
    result = run(home, *words[:1], *words[1:2], "--json", *words[2:])
    assert result.exit_code == exits.OK, result.stderr
    return json.loads(result.stdout)


def test_a_fact_is_learned_superseded_contradicted_linked_and_listed(home: Path) -> None:
    (fact,) = answer(
        home, "learn", "Night ferries leave at eleven", "--kind", "warning", "--category", "sea/ferry",
        "--subject", "ferry", "--confidence", "0.8", "--pinned",
    )["facts"]  # fmt: skip
    assert (fact["kind"], fact["category"], fact["subjects"], fact["pinned"]) == (
        "warning",
        "sea/ferry",
        ["ferry"],
        True,
    )
    assert answer(home, "facts", "get", fact["id"])["confidence"] == 0.8
    assert answer(home, "facts", "confidence", fact["id"])["confidence"] == pytest.approx(0.8)
    newer = answer(home, "facts", "supersede", fact["id"], "Night ferries leave at ten")["fact"]
    assert newer["subjects"] == ["ferry"]
    assert len(answer(home, "facts", "history", newer["id"])["history"]) >= 2
    (other,) = answer(home, "learn", "Night ferries never leave")["facts"]
    assert answer(home, "facts", "contradict", newer["id"], other["id"])["weaker"] == other["id"]
    answer(home, "facts", "link", newer["id"], "see_also", other["id"], "--weight", "0.5")
    links = answer(home, "facts", "links", newer["id"])["links"]
    assert {"see_also", "contradicts"} <= {each["relation"] for each in links}
    assert run(home, "facts", "contradict", newer["id"], newer["id"]).exit_code == exits.USAGE
    assert run(home, "learn", "x", "--confidence", "2").exit_code == exits.USAGE


def test_episodes_are_listed_shown_and_verified(home: Path) -> None:
    one = answer(home, "remember", "The oracle was late", "--time", "2026-03-04T18:05Z", "--mode", "chat")[
        "ids"
    ][0]
    shown = answer(home, "episodes", "get", one)
    assert (shown["text"], shown["mode"], shown["at"]) == ("The oracle was late", "chat", 1772647500000000)
    assert answer(home, "episodes", "verify", one, "--importance", "0.9") == {"verified": 1, "before": 0}
    assert answer(home, "episodes", "verify", one) == {"verified": 0, "before": 1}
    assert answer(home, "episodes", "get", one)["importance"] == 0.9
    missing = "01890000-0000-7000-8000-000000000000"
    assert run(home, "episodes", "verify", missing).exit_code == exits.NOTHING_FOUND


def test_an_outcome_goes_to_the_latest_prompt_or_to_the_one_that_is_named(home: Path) -> None:
    assert run(home, "outcome", "1").exit_code == exits.NOTHING_FOUND
    (fact,) = answer(home, "learn", "Gas doubles on Fridays", "--confidence", "0.5")["facts"]
    first = answer(home, "context", "What does gas do on Fridays?")["id"]
    second = answer(home, "context", "What of gas?")["id"]
    assert [each["id"] for each in answer(home, "prompts", "list")["prompts"]] == [second, first]
    told = answer(home, "outcome", "0.5", "--note", "It did")
    assert (told["prompt"], told["ids"], told["reinforced"]) == (second, [fact["id"]], 1)
    result = run(home, "outcome", "--prompt", first, "--json", "-0.4")
    assert json.loads(result.stdout)["weakened"] == 1, result.stderr
    answer(home, "prompts", "acted", first, "--not")
    listed = {each["id"]: each for each in answer(home, "prompts", "list")["prompts"]}
    assert (listed[first]["outcome"], listed[first]["acted"], listed[second]["outcome"]) == (-0.4, False, 0.5)
    assert run(home, "outcome", "2").exit_code == exits.USAGE
    assert run(home, "outcome", "1", "--prompt", "nothing").exit_code == exits.NOTHING_FOUND
    assert run(home, "prompts", "acted", "nothing").exit_code == exits.NOTHING_FOUND


@pytest.fixture
def lived(home: Path) -> dict[str, str]:
    """Ids of memories by two speakers about two subjects, with a fact on one of them."""
    code = "The vault code is nine four two"
    with bardo.open(home) as g:
        ids = {
            "mallory": g.remember(code, speaker="Mallory", role="user", subjects=["vault"]),
            "copy": g.remember(code, speaker="Anna", role="user", subjects=["vault"]),
            "ferry": g.remember("The night ferry was late", speaker="Mallory", role="user", subjects=["ferry"]),
            "fact": g.learn("The vault opens at noon", subjects=["vault"]),
        }  # fmt: skip
    return {name: record.id for name, record in ids.items()}


def planned(home: Path, *words: str) -> set[str]:
    document = answer(home, "forget", "--dry-run", *words)
    assert document["dry_run"]
    return {each["id"] for layer in ("episodes", "facts") for each in document[layer]}


def test_forgetting_is_previewed_by_subject_author_and_query(home: Path, lived: dict[str, str]) -> None:
    assert planned(home, "--subject", "vault") == {lived["mallory"], lived["copy"], lived["fact"]}
    assert planned(home, "--author", "Mallory") == {lived["mallory"], lived["ferry"]}
    assert planned(home, "--author", "Mallory", "--subject", "vault") == {lived["mallory"]}
    assert planned(home, "--author", "trader") == {lived["fact"]}
    assert planned(home, "--query", "night ferry", "--limit", "1") == {lived["ferry"]}
    assert planned(home, "--query", "vault code", "--author", "Anna") == {lived["copy"]}
    shown = run(home, "forget", "--dry-run", "--subject", "ferry")
    assert f"episode\t{lived['ferry']}\tThe night ferry was late" in shown.stdout
    assert "1 episodes, 0 facts and 0 relations would be deleted" in shown.stdout
    with bardo.open(home) as g:
        assert len(list(g.episodes.list())) == 3
        # A preview leaves no trace of its query.
        assert not any(gap for gap in g.curator.gaps() if "vault" in gap.question)


def test_a_query_selects_near_duplicates_with_the_memory_that_stands_for_them(home: Path) -> None:
    with bardo.open(home) as g:
        text = "Gas on the north venue doubles before noon on every Monday of the year"
        twice = {g.remember(text, thread="a").id, g.remember(f"{text}!", thread="a").id}
        (best,) = g.recall("gas before noon", limit=9)
        assert {best.id, *best.why.duplicates} == twice
    assert planned(home, "--query", "gas before noon", "--limit", "1") == twice


def test_forgetting_asks_with_the_list_and_deletes_exactly_it(home: Path, lived: dict[str, str]) -> None:
    declined = run(home, "forget", "--author", "Mallory", stdin="n\n")
    assert declined.exit_code == exits.FAILED
    assert "The night ferry was late" in declined.stderr
    assert "Delete 2 episodes, 0 facts and 0 relations permanently?" in declined.stderr
    report = answer(home, "forget", "--yes", "--author", "Mallory")
    assert set(report["episodes"]) == {lived["mallory"], lived["ferry"]}
    assert [each["id"] for each in answer(home, "episodes", "list")["episodes"]] == [lived["copy"]]
    assert run(home, "forget", "--author", "Mallory", "--yes").exit_code == exits.NOTHING_FOUND


@pytest.mark.parametrize(
    "words", [[], ["--limit", "3"], ["--subject", " "], ["--query", "x", "--limit", "0"]]
)
def test_a_selection_that_selects_nothing_in_particular_is_refused(
    home: Path, lived: dict[str, str], words: list[str]
) -> None:
    assert run(home, "forget", "--yes", *words).exit_code == exits.USAGE
    with bardo.open(home) as g:
        assert len(list(g.episodes.list())) == 3


def test_forget_takes_a_selection_in_python_and_under_asyncio(home: Path, lived: dict[str, str]) -> None:
    with bardo.open(home) as g:
        with pytest.raises(InvalidInputError, match="nothing to forget"):
            g.forget(reason="asked for", subject=None, author=None)
        with pytest.raises(TypeError, match="colour"):
            g.forget(reason="asked for", colour="red")
        with pytest.raises(NotFoundError, match="subject 'moon'"):
            g.forget(reason="asked for", subject="moon")
        assert g.forget(reason="asked for", subject="ferry", dry_run=True).episodes == (lived["ferry"],)

    async def live() -> tuple[str, ...]:
        async with bardo.AsyncGrimoire.open(home) as memory:
            return (await memory.forget(reason="asked for", subject="ferry")).episodes

    assert asyncio.run(live()) == (lived["ferry"],)


def test_a_preview_has_the_facts_that_stand_on_the_episodes_alone(home: Path) -> None:
    with bardo.open(home) as g:
        for n in range(40):
            g.remember(f"lag {n}", tick=n + 1, subjects=["aave"], payload={"lag": n % 3}, verified=True)
        g.sleep()
        facts = {fact.id for fact in g.facts.list()}
        assert facts
        preview = g.forget(reason="asked for", subject="aave", dry_run=True)
        done = g.forget(reason="asked for", subject="aave")
        assert set(preview.facts) == set(done.facts) == facts
        assert set(preview.episodes) == set(done.episodes)


def test_the_rest_of_the_nouns_answer(home: Path, lived: dict[str, str]) -> None:
    assert answer(home, "lineage", "show") == {"generation": 0, "dead": False, "parents": []}
    bardo.drop(home, "left by another process")
    assert answer(home, "maintenance", "drain-inbox") == {"files": 1}
    assert answer(home, "maintenance", "drain-inbox") == {"files": 0}
    told = answer(home, "entities", "relate", "Mallory", "works for", "Umbrella")
    assert [each["id"] for each in answer(home, "entities", "relations", "Mallory")["relations"]] == [
        told["id"]
    ]
    answer(home, "episodes", "verify", lived["ferry"])
    assert [each["episode"]["id"] for each in answer(home, "curator", "replay")["replayed"]] == [
        lived["ferry"]
    ]
    with bardo.open(home) as g:
        now = g.now_tick
    assert answer(home, "tick", str(now + 100))["tick"] >= now


def test_a_prompt_with_the_dossier_lists_its_sections(home: Path) -> None:
    for place in range(6):
        answer(home, "learn", f"Gas doubles in week {place} of the season")
    answer(home, "pages", "dossier")
    memories = answer(home, "context", "What does gas do?", "--dossier")["memories"]
    assert {each["layer"] for each in memories} == {"dossier"}


def test_people_read_times_and_not_ticks(home: Path) -> None:
    answer(home, "learn", "--attribute=queue", "--subject", "mail relay", "--value", "redis")
    answer(home, "learn", "--attribute=queue", "--subject", "mail relay", "--value", "nats")
    (old,) = answer(home, "facts", "list", "--status", "superseded")["facts"]
    year = datetime.now(UTC).strftime("%Y-")
    grounds = run(home, "facts", "why", old["id"])
    history = [line for line in grounds.stdout.splitlines() if line.startswith("history")]
    assert all(line.split()[1].startswith(year) for line in history), history
    assert "tick" not in grounds.stdout
    assert "ended by" in grounds.stdout
    run(home, "entities", "relate", "Ines", "reports to", "Marta")
    assert f" {year}" in run(home, "entities", "relations", "Ines").stdout
    document = answer(home, "entities", "relations", "Ines")["relations"][0]
    assert document["from_at"] == document["valid_from"] * 1_000_000


def test_ticks_of_loops_have_no_times(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "looper", config=CONFIG) as g:
        g.remember("one", tick=1)
        fact = g.learn("The valve is open", tick=2)
        (state,) = g.facts.history(fact)
        assert (state.from_tick, state.from_at, state.to_at) == (2, None, None)
    shown = CliRunner().invoke(app, ["facts", "why", "--at", str(tmp_path / "looper"), fact.id])
    assert "tick 2 to now" in shown.stdout


def test_a_statement_that_ends_before_it_begins_is_refused_in_dates(home: Path) -> None:
    result = run(home, "learn", "--subject", "api", "--attribute", "port", "--value", "80", "--since", "2041-12-10",
                 "--until", "2041-12-01")  # fmt: skip
    assert result.exit_code == exits.USAGE
    assert "from 2041-12-10 00:00:00 UTC until 2041-12-01 00:00:00 UTC" in result.stderr


def test_facts_of_any_status_are_listed_with_status_and_cause_and_at_a_time(home: Path) -> None:
    words = ("learn", "--attribute=port", "--subject", "api", "--value")
    answer(home, *words, "80", "--since", "2026-01-01", "--until", "2026-02-01")
    answer(home, *words, "443", "--since", "2026-02-01")
    answer(home, *words, "8443")
    assert "superseded by slot" in run(home, "facts", "list", "--all").stdout
    assert "superseded" not in run(home, "facts", "list").stdout
    at = ("facts", "list", "--valid-at")
    assert [fact["text"] for fact in answer(home, *at, "2026-01-15")["facts"]] == ["api: port is 80"]
    later = [fact["text"] for fact in answer(home, *at, "2026-03-01")["facts"]]
    assert "api: port is 443" in later
    assert "api: port is 80" not in later
    refused = run(home, *at, "yesterday")
    assert refused.exit_code == exits.USAGE
    assert "--valid-at" in refused.stderr


def test_a_long_fact_is_readable_at_120_columns(home: Path) -> None:
    text = (
        "Severe failure of the rotation when the regime is quiet and the host is cache-par-7 and the action is a "
        "rolling restart: the outcome was nine deviations below the mean of the last thirty days"
    )
    (fact,) = answer(
        home, "learn", text, "--kind", "warning", "--subject", "rotation-worker", "--subject", "cache-par-7"
    )["facts"]
    lines = [line for line in run(home, "facts", "list").stdout.splitlines() if line.strip()]
    assert len(lines) <= 6, lines
    assert any(fact["id"] in line for line in lines)
    assert all(len(line) <= 120 for line in lines)
