"""`python -m knowledge.updates --base-url URL --model NAME FILE...`: what a language model makes of changed facts.

A memory knows one fact; a second one arrives, and the model is asked whether it is new, updates or repeats the known
one (`bardo.consolidate.llm.reconcile`). Of corrections the facts are `stale` and `new`, of compatible pairs both of
`facts`. The server is any OpenAI-compatible one; without one nothing is measured.

- ended: the known fact ends.
- disputed: both stand, disputed.
- merged: the new fact is taken for a repetition, and lost.
- both kept: neither.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bardo import config
from bardo.consolidate.llm.reconcile import Reconciler
from bardo.index.embedding import embedders
from bardo.language.advisor import Advisor
from bardo.language.client import OpenAIClient
from bardo.language.ledger import Ledger
from bardo.model import Fact
from bardo.ports import SystemClock
from knowledge.memory import fresh, load

EFFECTS = ("ended", "disputed", "merged", "both kept")


def pair_of(case: dict[str, Any]) -> tuple[str, str, str]:
    """Kind of a case, the known fact and the new one."""
    if "stale" in case:
        return "corrections", case["stale"], case["new"]
    return "compatible pairs", case["facts"]["first"], case["facts"]["second"]


def effect(known: str, newer: str, settings: config.Llm, embedder: embedders.TextEmbedder) -> str:
    """Effect of the model's answer on a known fact."""
    with fresh({"curator": {"language": ""}}) as (memory, _):
        memory.learn(known, category="people/user")
        memory.sleep()
        ledger = Ledger(memory.path)
        try:
            asked = Advisor(OpenAIClient(settings), ledger, settings, clock=SystemClock(), tick=lambda: 0)
            vectors = np.stack(list(embedder.embed_documents([newer])))
            fact = Fact(newer, kind="context", category="people/user")
            found = Reconciler(asked, memory._session.facts).judge([fact], vectors)
        finally:
            ledger.close()
    pairs = {"ended": found.updates, "merged": found.duplicates, "disputed": found.disputes}
    return next((name for name, facts in pairs.items() if facts), "both kept")


def main() -> None:
    options = argparse.ArgumentParser(prog="knowledge.updates", description=__doc__)
    options.add_argument("files", type=Path, nargs="+")
    options.add_argument("--base-url", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--most", type=int, default=0, help="number of cases, drawn at random; 0 for all")
    given = options.parse_args()
    cases = [case for case in load(given.files) if case.get("new") or "facts" in case]
    if given.most:
        cases = random.Random(1).sample(cases, min(given.most, len(cases)))
    settings = config.Llm(model=given.model, base_url=given.base_url, daily_tokens=100_000_000)
    embedder = embedders.load()
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        kind, known, newer = pair_of(case)
        counts[kind, effect(known, newer, settings, embedder)] += 1
    print(f"| {len(cases)} cases | {' | '.join(EFFECTS)} |")
    print(f"|---|{'---|' * len(EFFECTS)}")
    for kind in sorted({kind for kind, _ in counts}):
        print(f"| {kind} | {' | '.join(str(counts[kind, name]) for name in EFFECTS)} |")


if __name__ == "__main__":
    main()
