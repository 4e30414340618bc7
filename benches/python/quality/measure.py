"""One system over all corpora of a set: every question's metrics, failures counted as misses."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from bardo._core import count_tokens_batch
from quality import metrics
from quality.data import Corpus, Question
from quality.results import Answer, Run, RunHeader
from quality.systems import System, spoken

#: Turns asked of every system.
DEPTH = 20


def measure(
    ranked: Sequence[str], question: Question, corpus: Corpus, tokens_of: Mapping[str, int]
) -> dict[str, float]:
    """Every metric of one ranked list of turns."""
    # A session of LongMemEval may come twice, and a turn with it: it counts once.
    ranked = metrics.first_of_each(ranked)
    session_of = {turn.id: turn.session for turn in corpus.turns}
    # A place may also show nothing new; it is no turn then.
    sessions = metrics.first_of_each([session_of[turn] for turn in ranked if turn in session_of])
    row: dict[str, float] = {}
    if question.evidence:
        for depth in (5, 10, 20):
            row[f"R@{depth}"] = metrics.recall_all(ranked, question.evidence, depth)
            row[f"any@{depth}"] = metrics.recall_any(ranked, question.evidence, depth)
        row["MRR"] = metrics.reciprocal_rank(ranked, question.evidence)
        row["nDCG@10"] = metrics.ndcg(ranked, question.evidence, 10)
    row["session any@5"] = metrics.recall_any(sessions, question.sessions, 5)
    row["session all@5"] = metrics.complete(sessions, question.sessions, 5)
    row["session nDCG@10"] = metrics.ndcg(sessions, question.sessions, 10)
    row["tokens@10"] = sum(tokens_of.get(turn, 0) for turn in ranked[:10])
    return row


def run(system: System, name: str, corpora: Sequence[Corpus], header: RunHeader) -> Run:
    """Asks a system every question of a set.

    Args:
        system: What is measured; it is closed at the end.
        name: Name of the set.
        corpora: The set.
        header: What is the same for every system of this run.
    """
    answers: list[Answer] = []
    indexing = 0.0
    for place, corpus in enumerate(corpora, 1):
        turns = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        tokens_of = dict(zip((turn.id for turn in corpus.turns), count_tokens_batch(turns), strict=True))
        print(f"\r{system.name}: {place} of {len(corpora)}      ", end="", file=sys.stderr)
        started = time.perf_counter()
        failure = _attempt(lambda corpus=corpus: system.index(corpus))[1]
        indexing += time.perf_counter() - started
        for number, question in enumerate(corpus.questions):
            started = time.perf_counter()
            ranked, error = ([], failure) if failure else _attempt(
                lambda question=question: list(system.search(question, DEPTH))
            )  # fmt: skip
            seconds = time.perf_counter() - started
            if error:
                print(f"\n{system.name} failed on {corpus.name} {number}: {error}", file=sys.stderr)
            answers.append(
                Answer(
                    corpus.name, number, question.category, seconds, error,
                    measure(ranked or [], question, corpus, tokens_of),
                )
            )  # fmt: skip
    print(file=sys.stderr)
    system.close()
    return Run(system.name, system.version, name, header, indexing, tuple(answers))


def _attempt(call):
    try:
        return call(), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"[:300]
