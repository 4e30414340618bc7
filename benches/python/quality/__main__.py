"""`python -m quality --data FOLDER`: the table of systems and metrics, on LoCoMo and LongMemEval."""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bardo import config
from bardo.index import embedders
from quality import metrics
from quality.cached import CachedEmbedder
from quality.data import Corpus, Question, load_locomo, load_longmemeval
from quality.systems import System
from quality.systems.arms import Dense, Fts5, Placebo, Rrf
from quality.systems.own import Bardo

DEPTH = 20
SETS: dict[str, Callable[[Path], list[Corpus]]] = {"locomo": load_locomo, "longmemeval": load_longmemeval}


def measure(
    ranked: Sequence[str], question: Question, corpus: Corpus, text_of: dict[str, str]
) -> dict[str, float]:
    """Every metric of one ranked list of turns."""
    session_of = {turn.id: turn.session for turn in corpus.turns}
    sessions = metrics.first_of_each([session_of[turn] for turn in ranked])
    row: dict[str, float] = {}
    if question.evidence:
        for depth in (5, 10, 20):
            row[f"R@{depth}"] = metrics.recall_all(ranked, question.evidence, depth)
        row["any@5"] = metrics.recall_any(ranked, question.evidence, 5)
        row["MRR"] = metrics.reciprocal_rank(ranked, question.evidence)
        row["nDCG@10"] = metrics.ndcg(ranked, question.evidence, 10)
    row["session any@5"] = metrics.recall_any(sessions, question.sessions, 5)
    row["session all@5"] = metrics.complete(sessions, question.sessions, 5)
    row["kB@10"] = sum(len(text_of[turn].encode()) for turn in ranked[:10]) / 1000
    return row


def run(system: System, corpora: Sequence[Corpus]) -> tuple[dict[str, float], int, float]:
    """Means over all questions, failures (counted as misses), and seconds a search took at the median."""
    rows: list[dict[str, float]] = []
    seconds = []
    failures = 0
    for place, corpus in enumerate(corpora, 1):
        text_of = {turn.id: turn.text for turn in corpus.turns}
        print(f"\r{system.name}: {place} of {len(corpora)}      ", end="", file=sys.stderr)
        system.index(corpus)
        for question in corpus.questions:
            start = time.perf_counter()
            try:
                ranked = list(system.search(question, DEPTH))
            except Exception as error:
                print(f"\n{system.name} failed on {question.text[:60]!r}: {error}", file=sys.stderr)
                failures, ranked = failures + 1, []
            seconds.append(time.perf_counter() - start)
            rows.append(measure(ranked, question, corpus, text_of))
    print(file=sys.stderr)
    names = dict.fromkeys(name for row in rows for name in row)
    means = {name: statistics.fmean(row[name] for row in rows if name in row) for name in names}
    return means, failures, statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="quality", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the evaluation files")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "bardo" / "quality")
    parser.add_argument("--only", help="only systems whose name contains this")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"there is no folder {options.data}: the evaluation data is not part of the project")
    model = CachedEmbedder(
        embedders.load(config.Embedding(model=options.model)), options.cache / f"{options.model}.sqlite"
    )
    words = Fts5(stop_words=True)
    systems: list[System] = [
        Placebo(), Fts5(stop_words=False), words, Dense(model), Rrf(Fts5(stop_words=True), Dense(model)), Bardo(model),
    ]  # fmt: skip
    for name in options.sets:
        corpora = SETS[name](options.data)
        asked = sum(len(corpus.questions) for corpus in corpora)
        table = Table(
            title=f"{name}: {len(corpora)} corpora, {asked} questions, {platform.machine()}, {options.model}"
        )
        for system in systems:
            if options.only and options.only not in system.name:
                continue
            means, failures, median = run(system, corpora)
            if not table.columns:
                for column in ("system", "version", *means, "failed", "ms"):
                    table.add_column(column)
            table.add_row(
                system.name,
                system.version,
                *(f"{value:.3f}" for value in means.values()),
                str(failures),
                f"{median * 1e3:.1f}",
            )
        Console(width=180).print(table)


if __name__ == "__main__":
    main()
