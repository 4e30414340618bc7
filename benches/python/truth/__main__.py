"""`python -m truth`: precision, recall and false discoveries of what the Curator extracts without a language model.

python -m truth --seeds 200 --write ../RESULTS.md      # the whole table, and the markets
python -m truth --seeds 10                             # to try it out
python -m truth --only passes                          # one part: truth, confidence, passes, names
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from bardo import config
from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode, Fact
from common import report
from truth import confidence, markets, names, passes, streams

#: z of a two-sided interval of 95 %.
INTERVAL = 1.959964
NOW = 1_700_000_000_000_000
#: Words of a warning by which its conditions make failures more frequent.
MORE_OFTEN = "; surely more often"
CAVEAT = """\
Streams of 4,096 verified episodes, consolidated in batches of 256 by a real log and fact store; no language model. A
discovery is a fact that is neither a baseline nor the record of one severe failure; a warning counts if it claims that
such failures come more often under its conditions. Precision: share of the discoveries, over all seeds, that say what
was planted; recall: share of what was planted that was said at the end. The level of the Curator is 5 %: in a stream of
noise every discovery is false, so that the false discovery rate is the share of streams with any. In the stream with
working hours all things do come in bursts, so that a fact that says so is not counted as false."""


def main() -> None:
    options = argparse.ArgumentParser(
        prog="truth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seeds", type=int, default=200, help="streams of each sort of noise")
    options.add_argument("--planted", type=int, default=20, help="streams with each sort of regularity")
    options.add_argument(
        "--grown", type=int, default=1_000_000, help="episodes at which passes are measured last"
    )
    options.add_argument("--only", choices=("truth", "confidence", "passes", "names"), help="only this part")
    options.add_argument("--write", type=Path, help="Markdown file whose sections are replaced")
    given = options.parse_args()
    beside = given.write.parent if given.write else None
    sections = {
        "truth": lambda: found(given.seeds, given.planted),
        "confidence": lambda: confidence.section(given.planted, beside and beside / "confidence.png"),
        "passes": lambda: passes.section(given.grown, beside and beside / "passes.png"),
        "names": lambda: names.section(given.grown),
    }
    for name, make in sections.items():
        if given.only in (None, name):
            text = make()
            print(text)
            if given.write:
                report.write_section(given.write, name, text)


def found(seeds: int, planted: int) -> str:
    """Counts the planted effects that were found, and the findings in noise."""
    parts = [
        "## What is learnt without a language model",
        report.machine() + ".",
        CAVEAT,
        "| streams | seeds | with a false discovery | rate |\n|---|---|---|---|",
    ]
    for make in streams.EMPTY:
        parts[-1] += "\n" + noise_row(make, seeds)
    parts.append("| planted | seeds | discoveries | precision | recall |\n|---|---|---|---|---|")
    for make in streams.PLANTED:
        parts[-1] += "\n" + planted_row(make, planted)
    parts.append(baseline_line(planted))
    parts.append(markets.section(consolidated))
    return "\n\n".join(parts)


def noise_row(make: Callable[[int], streams.Stream], seeds: int) -> str:
    fooled, name = 0, ""
    for seed in range(seeds):
        stream = make(seed)
        name = stream.name
        facts = [fact for fact in discoveries(stream.episodes) if not stream.tells(fact)]
        fooled += bool(facts)
        progress(name, seed + 1, seeds)
        for fact in facts:
            print(f"\n  seed {seed}: {fact.text}", file=sys.stderr)
    return f"| {name} | {seeds} | {fooled} | {fooled / seeds:.3f} |"


def planted_row(make: Callable[[int], streams.Stream], seeds: int) -> str:
    told, all_, found, there, name = 0, 0, 0, 0, ""
    for seed in range(seeds):
        stream = make(seed)
        name = stream.name
        said = [stream.tells(fact) for fact in discoveries(stream.episodes)]
        all_ += len(said)
        told += sum(one is not None for one in said)
        found += len(set(said) - {None})
        there += len(stream.planted)
        progress(name, seed + 1, seeds)
    precision = f"{told / all_:.2f}" if all_ else "-"
    return f"| {name} | {seeds} | {all_} | {precision} | {found / there:.2f} |"


def baseline_line(seeds: int) -> str:
    """How often the interval of a stated mean holds the true one."""
    covered, stated = 0, 0
    for seed in range(seeds):
        draws = np.random.default_rng(seed)
        truth = {f"metric {n}": (draws.normal(0, 10), draws.uniform(0.1, 5)) for n in range(10)}
        episodes = [
            Episode(
                f"reading {tick}",
                tick=tick,
                subjects=("sensor",),
                payload={name: draws.normal(*of) for name, of in truth.items()},
                verified=True,
            )
            for tick in range(1, 513)
        ]
        for fact in consolidated(episodes):
            if fact.kind == "baseline":
                stated += 1
                mean = truth[fact.payload["metric"]][0]
                margin = INTERVAL * (fact.payload["variance"] / fact.payload["n"]) ** 0.5
                covered += abs(fact.payload["mean"] - mean) <= margin
    return (
        f"Baselines: {stated} stated of {seeds * 10} planted; the 95 % interval of the mean holds the true one in "
        f"{covered / stated:.3f} of them."
    )


def discoveries(episodes: Sequence[Episode]) -> list[Fact]:
    """Facts that state a regularity and are believed at the end."""
    return [fact for fact in consolidated(episodes) if fact.status == "active" and _states_regularity(fact)]


def _states_regularity(fact: Fact) -> bool:
    """Whether a fact is no mean, and no record of one failure without the claim that it comes more often."""
    if fact.kind == "warning":
        return MORE_OFTEN in fact.text
    return fact.kind != "baseline"


def consolidated(
    episodes: Iterable[Episode], outcomes: Sequence[str] = config.Curator().outcomes
) -> list[Fact]:
    """Returns the facts of a fresh agent after these episodes."""
    ordered = sorted(episodes, key=lambda episode: episode.tick)
    with tempfile.TemporaryDirectory() as folder:
        log = EpisodeLog(str(Path(folder) / "episodes.redb"), agent="student", seed=1, now=NOW, durable=False)
        facts = FactStore(Path(folder) / "facts.db", agent="student", seed=1, now=NOW)
        log.verify([(one.id, None) for one in log.record(ordered, now=NOW)])
        last = ordered[-1].tick
        curator = Curator(facts, outcomes=outcomes)
        while curator.consolidate(log, batch=256, tick=last, now=NOW).pending:
            pass
        known = facts.list(limit=100_000)
        facts.close()
        log.close()
    return known


def progress(name: str, done: int, of: int) -> None:
    print(f"\r{name}: {done}/{of} ", end="" if done < of else "\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
