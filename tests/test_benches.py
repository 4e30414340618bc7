"""The benchmarks' own machinery, on data made up here: no peer, no model and no evaluation data is needed."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bardo.model import Fingerprint

BENCHES = Path(__file__).resolve().parent.parent / "benches" / "python"
DAY = 86_400_000_000


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the benchmarks importable, and undoes what they set in the environment."""
    for name in ("HF_HUB_OFFLINE", "OMP_NUM_THREADS", "MEM0_DIR", "MEMPALACE_CONFIG_DIR"):
        monkeypatch.setenv(name, "1")
    monkeypatch.syspath_prepend(str(BENCHES))
    yield
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] in ("quality", "speed", "common", "inherit", "death")
    ]:
        del sys.modules[name]


class BagOfWords:
    """A vector that counts words: alike texts have alike vectors, without a model."""

    fingerprint = Fingerprint("bag-of-words", "1", "none", 64)

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        vectors = np.zeros((len(texts), 64), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, sum(word.encode()) % 64] += 1.0
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    embed_queries = embed_documents


def made_up_corpus():
    from quality.data import Corpus, Question, Turn

    things = ("violin", "kayak", "sourdough", "telescope", "cactus", "origami")
    turns = tuple(
        Turn(f"D1:{n}", f"I bought a {thing} on Monday", "Ada", "user", (n + 1) * DAY, f"session_{n // 3}")
        for n, thing in enumerate(things)
    )
    questions = tuple(
        Question(
            f"Who has a {thing}?", frozenset({f"D1:{n}"}), frozenset({f"session_{n // 3}"}), "4", 9 * DAY
        )
        for n, thing in enumerate(things)
    )
    return Corpus("made-up", turns, questions)


class Broken:
    """A system that cannot search."""

    name, version = "broken", "1"

    def index(self, corpus) -> None:
        pass

    def search(self, question, limit):
        raise RuntimeError("no index")

    def close(self) -> None:
        pass


def test_a_run_is_kept_and_drawn_with_failures_as_misses(benches: None, tmp_path: Path) -> None:
    from common import report
    from quality import tables
    from quality.measure import run
    from quality.results import Run, RunHeader, load, mean, save
    from quality.systems.arms import Dense, Fts5, Placebo
    from quality.systems.own import Bardo

    header = RunHeader("bag-of-words", report.machine(), "2026-01-01")
    model = BagOfWords()
    for system in (Bardo(model), Fts5(stop_words=True), Dense(model), Placebo(), Broken()):
        save(tmp_path, run(system, "locomo", [made_up_corpus()], header))
    save(tmp_path, Run("absent", "absent is not installed", "locomo", header, 0.0))

    runs = {entry.system: entry for entry in load(tmp_path, "locomo")}
    assert mean(runs["bardo"].answers, "R@5") == 1.0
    assert mean(runs["broken"].answers, "R@20") == 0.0
    assert runs["broken"].failed == 6
    assert all("no index" in answer.error for answer in runs["broken"].answers)
    drawn = tables.systems(list(runs.values()), "locomo")
    assert "not run: absent is not installed" in drawn
    assert "| single-hop (6) |" in tables.categories(list(runs.values()))
    assert "+1.000 to +1.000" in tables.distances(list(runs.values()))


def test_a_section_of_the_results_is_replaced_and_the_others_stay(benches: None, tmp_path: Path) -> None:
    from common import report

    path = tmp_path / "RESULTS.md"
    report.write_section(path, "quality", "first")
    report.write_section(path, "speed", "2nd")
    report.write_section(path, "quality", "third")
    text = path.read_text()
    assert text.startswith("# Results")
    assert "first" not in text
    assert text.index("third") < text.index("2nd")
    assert text.count("begins -->") == 2


def test_a_peer_that_is_not_there_is_listed_with_the_reason(
    benches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quality.systems import peers

    monkeypatch.setattr(peers, "PEERS", {"nowhere": ("module_that_is_nowhere", "nowhere-engine")})
    assert peers.load("nowhere", BagOfWords()) == peers.Missing("nowhere", "nowhere-engine is not installed")


def test_the_speed_harness_measures_in_turns_and_keeps_its_lines(benches: None, tmp_path: Path) -> None:
    from speed import __main__ as speed
    from speed import growth, hybrid, prompt, timing, world

    there = world.made(120, 12)
    assert len(set(there.texts)) == 120
    assert np.allclose(np.linalg.norm(there.vectors, axis=1), 1, atol=1e-5)
    rows = hybrid.measure(tmp_path / "hybrid", there, peers=False)
    rows += prompt.measure(tmp_path / "prompt", there, rounds=3)
    rows += growth.measure(tmp_path / "growth", (50, 100, 200), minutes=1.0, picture=tmp_path / "growth.png")
    measured = [row for row in rows if not row.shown and "not measured" not in row.note]
    assert len(measured) == 8
    assert [row.what for row in rows[:2]] == [
        "hybrid recall, 120 episodes",
        "hybrid recall, 120 episodes, in a row",
    ]
    assert all(row.seconds > 0 for row in measured)
    assert (tmp_path / "growth.png").stat().st_size < 100_000
    kept = {"rows": [{"what": row.what, "system": row.system, "seconds": row.seconds} for row in rows]}
    speed.keep(tmp_path, "hybrid", {**kept, "origin": there.origin})
    assert f"| {rows[0].what} | bardo |" in speed.table(tmp_path)

    turns, medians = timing.both_ways({"one": lambda _: None, "two": lambda _: sum(range(20_000))}, range(20))
    assert turns["one"] < turns["two"]
    assert medians["one"] < medians["two"]
    lines = timing.rows("work", medians, ours="one")
    assert lines[0].ratio is None
    assert lines[1].ratio == medians["one"] / medians["two"]


def test_real_questions_are_held_out_of_the_turns_that_are_stored(benches: None) -> None:
    from speed import world

    turns = [f"text number {place} about something" for place in range(30)]
    there = world.real(40, 5, turns, BagOfWords())
    assert len(set(there.texts)) == 40
    stored = {text.rpartition(" n")[0] for text in there.texts}
    assert len(stored) == 25
    assert not stored & set(there.questions)
    assert np.allclose(np.linalg.norm(there.vectors, axis=1), 1, atol=1e-5)


def test_the_lives_of_the_inheritance_benchmark_come_from_their_seeds(benches: None, tmp_path: Path) -> None:
    from inherit import lives

    # Held domains that were opened are in `dev`, and new ones may not be there yet.
    for split, seed in product(filter(lives.SPLITS.get, lives.SPLITS), (0, 1)):
        life = lives.generate(seed, split)
        assert life == lives.generate(seed, split)
        # The first two domains have no choices, and no actions that are alike to a rejected one.
        absent = {"choice", "near"} if split == "own" else set()
        assert {question.kind for question in life.questions} == set(lives.KINDS) - absent
        assert 800 <= life.events[-1].tick <= 2_000
        told = "\n".join(life.log)
        for question in life.questions:
            if question.kind in ("identifier", "secret", "mistake", "decision", "open", "choice", "gate"):
                assert question.want in told, question
        life.save(tmp_path / "life.json")
        assert lives.load(tmp_path / "life.json") == life


def test_every_phase_of_a_death_is_measured(benches: None, tmp_path: Path) -> None:
    import death

    with death.lived(tmp_path / "a", 64, rested=False) as memory:
        seconds, left = death.death_of(memory, tmp_path / "left")
    assert list(seconds) == [*death.PHASES, *death.PARTS]
    assert all(each > 0 for each in seconds.values())
    assert "Left unsettled: Close the short" in left.reflection
    assert left.episodes


def test_a_hand_over_is_measured_once_and_within_its_limit(benches: None, tmp_path: Path) -> None:
    from inherit import hand_over, lives
    from inherit.systems import Bench, HandOver, logs

    life = lives.generate(0, "dev")
    systems = logs.build(Bench(tmp_path, BagOfWords()))
    results = hand_over.measure(systems, [life], [1_200], tmp_path / "results.jsonl")
    assert [one.system for one in results] == [system.name for system in systems]
    assert all(one.tokens <= 1_200 for one in results)
    assert results[0].rows["kept"] == (0, 12)
    assert sum(one.rows["kept"][0] for one in results) > 0
    table = hand_over.table(results, [one.system for one in results], 1_200)
    assert "| 0 [0, 0] |" in table
    # A second run reads the results of the first.
    stored = (tmp_path / "results.jsonl").read_text()
    assert hand_over.measure(systems, [life], [1_200], tmp_path / "results.jsonl") == results
    assert (tmp_path / "results.jsonl").read_text() == stored

    class Verbose(logs.Log):
        def hand_over(self, tokens: int) -> HandOver:
            return HandOver("word " * 2 * tokens)

    verbose = Verbose("verbose", logs.nothing, Bench(tmp_path, BagOfWords()))
    with pytest.raises(ValueError, match="the limit is 1200"):
        hand_over.measure([verbose], [life], [1_200], tmp_path / "other.jsonl")


def test_the_example_system_is_measured_as_any_other(benches: None, tmp_path: Path) -> None:
    from inherit import hand_over, lives, systems

    life = lives.generate(0, "dev")
    built = systems.build(systems.Bench(tmp_path, BagOfWords()), ["example"])
    (result,) = hand_over.measure(built, [life], [2_000], tmp_path / "results.jsonl")
    assert result.tokens <= 2_000
    found, asked = result.rows["identifier"]
    assert found > asked / 2
    assert set(result.rows) == set(hand_over.TITLES)


def test_a_store_is_asked_for_its_hand_over_in_turns(benches: None) -> None:
    from inherit.systems import ASKED, asked

    text = asked(lambda query, count: [f"best of {query}", "told by all"][:count], 60)
    lines = text.splitlines()
    assert lines[0] == f"best of {ASKED[0]}"
    assert len(lines) == len(set(lines))
    assert asked(lambda query, count: [], 60) == ""
