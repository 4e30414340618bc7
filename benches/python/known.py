"""Measures how well the bundle of a testament tells what was known: `python -m known`, in `benches/python`.

    python -m known [--lives 12] [--quick] [--data FOLDER] [--write ../RESULTS.md]

Each life of `inherit` (split `held`) is lived by an agent that dies; with `--data` the conversations of LoCoMo, too.
The testament is asked about texts of the log, the same without three of ten words, texts and questions of the other
domains, and words that no store has. The store itself answers beside it: its exact answer is whether at least half of a
text's stems and pairs of neighbouring stems are in the log.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

import bardo
from bardo import _core
from bardo.bequeath.content.known import KnownTexts
from bardo.bequeath.privacy.redact import Redactor
from bardo.index.embedding import embedders
from common import report
from inherit import lives

#: Texts of each group and life.
ASKED = 300
_WORD = re.compile(r"[^\W\d_]+")


@dataclass
class Group:
    """Answers to one group of texts: of the bundle, and of the store."""

    told: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    micros: list[float] = field(default_factory=list)


def pieces(text: str) -> set[str]:
    """Stems of a text, and its pairs of neighbouring stems in any order."""
    words = [stem for stem in _core.stems(_WORD.findall(text.casefold())) if stem]
    return {*words, *(" ".join(sorted(pair)) for pair in pairwise(words))}


def nonsense(chance: random.Random) -> str:
    """Six words that no log has."""
    return " ".join("".join(chance.choices("bcdfghjklmnpqrstvwxz", k=9)) for _ in range(6))


def ask(
    known: _core.KnownThings, log: Iterable[str], groups: dict[str, Sequence[str]], into: dict[str, Group]
) -> None:
    """Asks the bundle and the store about each text."""
    store: set[str] = set().union(*map(pieces, log))
    for name, texts in groups.items():
        for text in texts:
            if not (asked := pieces(text)):
                continue
            started = time.perf_counter()
            told = known.familiarity(text)[1]
            group = into.setdefault(name, Group())
            group.micros.append((time.perf_counter() - started) * 1e6)
            group.told.append(told)
            group.exact.append(2 * len(asked & store) >= len(asked))


def letters(texts: list[str]) -> np.ndarray:
    """Vectors of no meaning: a bundle needs none."""
    return np.ones((len(texts), 4), np.float32)


def died(folder: Path, life: lives.Life) -> tuple[_core.KnownThings, int, int]:
    """Lets an agent live a log and die; returns the bundle, and the bytes of the testament and of the bundle."""
    settings = {"clock": {"unit": "loops"}, "curator": {"texts": False, "language": ""}}
    with bardo.open(
        folder / "a", embedder=embedders.function_embedder(letters, name="none"), config=settings
    ) as g:
        g.remember([bardo.Episode(event.text, tick=event.tick) for event in life.events])
        left = g.bequeath(folder / "left")
    assert left.known is not None
    return left.known, left.path.stat().st_size, 1_260 * left.known.shards


def _is_private(text: str) -> bool:
    """Whether redaction changes a text."""
    return Redactor(personal=True).text(text) != text


def groups_of(
    log: Sequence[str], questions: Sequence[str], others: Sequence[str], chance: random.Random
) -> dict[str, Sequence[str]]:
    """Texts to ask about; those that redaction changes are not in a bundle."""
    said = [text for text in dict.fromkeys(log) if not _is_private(text)]
    some = chance.sample(said, min(ASKED, len(said)))
    cut = [" ".join(word for word in text.split() if chance.random() > 0.3) for text in some]
    return {
        "texts of the log": some,
        "the same without three of ten words": cut,
        "questions about the log": questions,
        "texts and questions of other lives": chance.sample(others, min(ASKED, len(others))),
        "six unknown words": [nonsense(chance) for _ in range(ASKED)],
        "one unknown word": [nonsense(chance).split()[0] for _ in range(ASKED)],
    }


def lived(count: int, into: dict[str, Group]) -> list[str]:
    """Measures generated lives; returns lines about sizes."""
    made = [lives.generate(seed, "held") for seed in range(count)]
    sizes = []
    for place, life in enumerate(made):
        domain = life.name.partition("-")[0]
        others = [one for one in made if not one.name.startswith(domain)]
        asked = groups_of(
            life.log,
            [one.ask for one in life.questions if one.kind in ("identifier", "decision", "belief", "open")],
            [text for one in others for text in (*one.log, *(each.ask for each in one.questions))],
            random.Random(place),
        )
        with tempfile.TemporaryDirectory() as folder:
            known, whole, bundle = died(Path(folder), life)
        sizes.append((known.items, known.shards, bundle, whole, life.bytes))
        ask(known, [text for text in life.log if not _is_private(text)], asked, into)
    items, shards, bundle, whole, log = (statistics.mean(column) for column in zip(*sizes, strict=True))
    return [
        f"A life has {items:,.0f} items in {shards:.1f} hypervectors: {bundle / 1e3:.1f} kB of a testament of "
        f"{whole / 1e3:.0f} kB, of a log of {log / 1e3:.0f} kB (means)."
    ]


def talked(folder: Path, into: dict[str, Group]) -> None:
    """Measures conversations of LoCoMo."""
    from quality.data import load_locomo

    corpora = load_locomo(folder)
    for place, corpus in enumerate(corpora):
        log = [f"{turn.speaker}: {turn.text}" for turn in corpus.turns]
        others = [one.text for other in corpora if other is not corpus for one in other.questions]
        texts = KnownTexts()
        texts.add(*log)
        known = _core.KnownThings(texts.bundle("a", Redactor(personal=True)).data)
        asked = groups_of(log, [one.text for one in corpus.questions], others, random.Random(place))
        asked["questions about other conversations"] = asked.pop("texts and questions of other lives")
        ask(known, [text for text in log if not _is_private(text)], asked, into)


def table(title: str, groups: dict[str, Group]) -> list[str]:
    """Rates of one kind of log as Markdown."""

    def share(found: Sequence[bool]) -> str:
        return f"{100 * sum(found) / len(found):.1f}" if found else ""

    lines = [
        f"| {title} | texts | known, % | known to the store, % | of these recognised, % "
        "| of the others taken for known, % | µs |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, group in groups.items():
        both = list(zip(group.told, group.exact, strict=True))
        yes, no = [told for told, exact in both if exact], [told for told, exact in both if not exact]
        cells = [share(group.told), share(group.exact), share(yes), share(no)]
        lines.append(
            f"| {name} | {len(both):,} | {' | '.join(cells)} | {statistics.median(group.micros):.0f} |"
        )
    return lines


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lives", type=int, default=12)
    parser.add_argument("--quick", action="store_true", help="two lives; the numbers mean little")
    parser.add_argument("--data", type=Path, help="folder with the evaluation files")
    parser.add_argument("--write", type=Path, help="Markdown file whose section `known` is replaced")
    options = parser.parse_args()
    of_lives: dict[str, Group] = {}
    of_talks: dict[str, Group] = {}
    sizes = lived(2 if options.quick else options.lives, of_lives)
    lines = [
        "## Was anything like this known?",
        "",
        f"{report.machine()}; bardo {bardo.__version__}.",
        "",
        "Answers of the bundle of a testament, without any text, beside the exact share of words and pairs of words in",
        "the log: known from half on. The designed error of texts of which nothing is known is 1 % at most. Questions",
        "with a share near half are where both differ. Texts that redaction changes are not asked. µs: median of a",
        "call from Python.",
        "",
        *sizes,
        "",
        *table("lives", of_lives),
    ]
    if options.data:
        talked(options.data, of_talks)
        lines += ["", *table("conversations (LoCoMo)", of_talks)]
    text = "\n".join(lines)
    print(text)
    if options.write:
        report.write_section(options.write, "known", text)


if __name__ == "__main__":
    main()
