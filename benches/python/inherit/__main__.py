"""`python -m inherit`: what an ancestor, its heirs and plain logs answer about a life, in percent.

python -m inherit --lives 12                    # the table
python -m inherit --lives 2 --missed            # with each question of the heirs that failed
python -m inherit --save lives                  # the lives as JSON
python -m inherit --read lives/*.json           # lives from JSON files, such as ones from another author
python -m inherit --tokens 500 2000 8000 --split held --lives 51    # hand-overs of so many tokens, beside other systems
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bardo.index.embedding import embedders
from common.cached import CachedEmbedder
from common.report import write_section
from inherit import hand_over, lives, systems
from inherit.arms import ARMS, Agent, Answers, Bench
from inherit.lives import Life, Question

#: Titles of the rows, by kind of question.
TITLES = {
    "identifier": "exact identifiers", "mistake": "fatal mistakes", "decision": "decisions", "belief": "current belief",
    "belief first": "current belief before the old one", "open": "open questions", "rule": "rules",
    "choice": "choices", "near": "gate blocks what is near it", "gate": "gate blocks what was rejected",
    "secret": "secrets that cross",
}  # fmt: skip
CAVEAT = """\
Share of the questions whose literal answer is in the first ten memories of `recall`, or in a `context` of 1,500 tokens,
over {lives} generated lives of 800 to 2,000 ticks in {domains}. The heir's heir comes after a life of 200
ticks without any occasion. Secrets: share found in the answers or anywhere in what was handed over."""


def score(question: Question, agent: Agent, by: Answers) -> dict[str, bool]:
    """Scores one question, by the row of the table."""
    if question.kind in ("gate", "near"):
        return {question.kind: agent.blocks(question.ask)}
    texts = [text.casefold() for text in agent.answer(question.ask, by)]
    if question.kind == "secret":
        return {
            "secret": question.want in agent.raw or any(question.want.casefold() in text for text in texts)
        }
    want, stale = question.want.casefold(), question.stale.casefold()
    place = next((place for place, text in enumerate(texts) if want in text), None)
    scores = {question.kind: place is not None}
    if stale:
        before = texts[:place] if place is not None else []
        scores["belief first"] = place is not None and not any(stale in text for text in before)
    return scores


def measure(
    given: list[Life], *, arms: Sequence[str], cache: Path, lived: Path | None, by: Answers, missed: bool
) -> tuple[dict, list[float]]:
    """Lets arms answer the questions of all lives."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    shares: list[float] = []
    embedder = CachedEmbedder(embedders.load(), cache)
    for life in given:
        with tempfile.TemporaryDirectory(prefix="inherit-") as folder:
            bench = Bench(life, Path(folder), embedder, lived)
            for arm in arms:
                agent = ARMS[arm](bench)
                if arm == "heir":
                    shares.append(agent.bytes / life.bytes)
                for question in life.questions:
                    for row, is_right in score(question, agent, by).items():
                        found[row, arm].append(is_right)
                        if missed and arm.startswith("heir") and is_right == (row in ("secret", "near")):
                            print(
                                f"{life.name} {arm} {row}: {question.ask} -> {question.want}", file=sys.stderr
                            )
                agent.grimoire.close()
        print(f"\r{life.name}", end=" ", file=sys.stderr, flush=True)
    return found, shares


def table(found: dict, arms: Sequence[str], shares: list[float]) -> str:
    """Formats the shares as a Markdown table."""
    lines = [f"| | {' | '.join(arms)} |", f"|---{'|---' * len(arms)}|"]
    for row, title in TITLES.items():
        cells = [found[row, arm] for arm in arms]
        lines.append(
            f"| {title} | {' | '.join(f'{100 * sum(cell) / max(len(cell), 1):.0f}' for cell in cells)} |"
        )
    if shares:
        lines.append(
            f"\nBytes of the testament over those of the log: {100 * sum(shares) / len(shares):.0f} %."
        )
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(
        prog="inherit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--lives", type=int, default=12, help="number of generated lives")
    options.add_argument("--seed", type=int, default=0, help="seed of the first life")
    options.add_argument("--split", choices=list(lives.SPLITS), default="own", help="authors of the domains")
    options.add_argument("--read", type=Path, nargs="+", help="lives as JSON files instead")
    options.add_argument("--save", type=Path, help="folder for the lives as JSON; nothing is measured")
    options.add_argument(
        "--arms", nargs="+", choices=list(ARMS), default=list(ARMS), help="agents that are asked"
    )
    options.add_argument(
        "--lived", type=Path, help="folder that keeps bardo's memories of lives for the next run"
    )
    options.add_argument(
        "--by", choices=("recall", "context"), default="recall", help="how questions are answered"
    )
    options.add_argument(
        "--tokens", type=int, nargs="+", help=f"limits of a hand-over, such as {hand_over.LIMITS}"
    )
    options.add_argument(
        "--systems", nargs="+", default=list(systems.FILES), help="files of `inherit/systems`"
    )
    options.add_argument(
        "--results",
        type=Path,
        default=Path("inherit.jsonl"),
        help="results of hand-overs; a run goes on from them",
    )
    options.add_argument("--missed", action="store_true", help="print the questions that heirs fail")
    options.add_argument(
        "--cache", type=Path, default=Path.home() / ".cache/bardo/inherit.db", help="vectors"
    )
    options.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = options.parse_args()
    chosen = (
        [lives.load(path) for path in given.read]
        if given.read
        else [lives.generate(seed, given.split) for seed in range(given.seed, given.seed + given.lives)]
    )
    if given.save:
        given.save.mkdir(parents=True, exist_ok=True)
        for life in chosen:
            life.save(given.save / f"{life.name}.json")
        return
    text = _hand_overs(given, chosen) if given.tokens else _generations(given, chosen)
    print(f"\n{text}")
    if given.write:
        write_section(given.write, f"inherit {'hand-over' if given.tokens else given.by}", text)


def _generations(given: argparse.Namespace, chosen: list[Life]) -> str:
    arms = [arm for arm in ARMS if arm in given.arms]
    found, shares = measure(
        chosen, arms=arms, cache=given.cache, lived=given.lived, by=given.by, missed=given.missed
    )
    caveat = CAVEAT.format(lives=len(chosen), domains=_domains(chosen))
    return f"{caveat}\n\n{table(found, arms, shares)}"


def _domains(chosen: list[Life]) -> str:
    return ", ".join(sorted({life.name.rpartition("-")[0] for life in chosen}))


def _hand_overs(given: argparse.Namespace, chosen: list[Life]) -> str:
    limits = sorted(given.tokens)
    with tempfile.TemporaryDirectory(prefix="inherit-") as folder:
        embedder = CachedEmbedder(embedders.load(), given.cache)
        built = systems.build(systems.Bench(Path(folder), embedder, given.lived), given.systems)
        found = hand_over.measure(built, chosen, limits, given.results)
    caveat = hand_over.CAVEAT.format(
        lives=len(chosen), domains=_domains(chosen), model=embedder.fingerprint.model.rpartition("/")[2]
    )
    names = [system.name for system in built]
    return "\n\n".join([caveat, *(hand_over.table(found, names, limit) for limit in limits)])


if __name__ == "__main__":
    main()
