"""Measures how a gate recognises rejected actions, on pairs that were labelled blind.

    python -m conduct.recognition --split dev|opened|held|own|train|extra [--words] [--wrong] [--write FILE]

The weights are fitted on `train` and `extra`: only `fit_recognition` tells how well pairs like those are recognised.

A line of the data is a rejection and an action: the same, near it (similar, and allowed), or unrelated. Each action is
asked of a gate that holds its rejection alone. Then each is asked of a gate with 50 rejections of the set, where the
findings about other rejections are counted, and for the same actions those about their own beside them. Rejections that
share half of their words with the action's own are not counted as others. No language model takes part; `--words`
leaves out the embedding model, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import bardo
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.ports import ManualClock
from common.report import write_section
from common.shares import cell

DATA = Path(__file__).with_name("data")
#: Wednesday, 6 March 2024, 11:00 UTC: no night, weekend or Friday.
NOW = 1_709_722_800_000_000
#: Number of rejections in the store of many.
STORED = 50
#: Share of common words above which two rejections say the same.
ALIKE = 0.5
FORMS = ("sentence", "command", "tool")


def decide(gate: bardo.Gate, pair: Mapping[str, str]) -> str:
    """The decision about an action, of a gate that holds its rejection alone."""
    id_ = gate.reject(pair["rejection"], by="anna").id
    decision = gate.before(pair["action"]).decision
    gate.forget(id_, by="anna")
    return decision


def apart(one: str, other: str) -> bool:
    """Whether two rejections are about different things."""
    first, second = (content_stems(text.replace(".", " ").replace(",", " ").split()) for text in (one, other))
    return len(first & second) < ALIKE * min(len(first), len(second))


def others(gate: bardo.Gate, pairs: Sequence[Mapping[str, str]]) -> tuple[Counter[str], list[str]]:
    """Counts findings about other rejections in a store of many, by pair and by action, and of the own beside them."""
    chosen: list[str] = []
    for pair in pairs:
        if all(apart(pair["rejection"], known) for known in chosen):
            chosen.append(pair["rejection"])
    chosen = chosen[:STORED]
    for text in chosen:
        gate.reject(text, by="anna")
    counts: Counter[str] = Counter(stored=len(chosen))
    told = []
    for pair in pairs:
        strangers = {text for text in chosen if apart(text, pair["rejection"])}
        findings = gate.before(pair["action"]).findings
        wrong = {each.text: each for each in findings if each.text in strangers}.values()
        counts.update(
            actions=1,
            pairs=len(strangers),
            found=len(wrong),
            hit=bool(wrong),
            blocked=sum(each.blocks for each in wrong),
        )
        told += [
            f"{'block' if each.blocks else 'warn'}: {pair['action']} | {each.text} | {each.decided_by}: {each.because}"
            for each in wrong
        ]
    for pair in pairs:
        if pair["label"] == "same":
            id_ = gate.reject(pair["rejection"], by="anna").id
            own = [each for each in gate.before(pair["action"]).findings if each.text == pair["rejection"]]
            counts.update(same=1, own=bool(own), own_blocked=any(each.blocks for each in own))
            if pair["rejection"] not in chosen:
                gate.forget(id_, by="anna")
    return counts, told


def table(pairs: Sequence[Mapping[str, str]], decided: Sequence[str]) -> list[str]:
    """Shares by form, with their intervals."""
    lines = [
        "| form | same: blocked | same: blocked or warned | near: blocked | near: warned | unrelated: warned |",
        "|---|---|---|---|---|---|",
    ]
    for form in (*FORMS, "all"):
        counts = Counter(
            (pair["label"], decision)
            for pair, decision in zip(pairs, decided, strict=True)
            if form in ("all", pair["form"])
        )
        many = {
            label: sum(n for (each, _), n in counts.items() if each == label)
            for label in ("same", "near", "unrelated")
        }
        block, warn = counts["same", "block"], counts["same", "warn"]
        cells = (
            cell(block, many["same"]), cell(block + warn, many["same"]), cell(counts["near", "block"], many["near"]),
            cell(counts["near", "warn"], many["near"]),
            cell(many["unrelated"] - counts["unrelated", "allow"], many["unrelated"]),
        )  # fmt: skip
        lines.append(f"| {form} | {' | '.join(cells)} |")
    return lines


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--split", choices=("dev", "opened", "held", "own", "train", "extra", "paraphrased"), required=True
    )
    parser.add_argument(
        "--words", action="store_true", help="compare by words alone, without the embedding model"
    )
    parser.add_argument("--wrong", action="store_true", help="list wrong decisions; not for the held split")
    parser.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    options = parser.parse_args()
    if options.wrong and options.split == "held":
        parser.error("the lines of a held split are not looked at")
    lines = (DATA / f"gates-{options.split}.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        bardo.open(folder, agent="measured").close()
        with bardo.gate(folder, words_only=options.words, clock=ManualClock(NOW)) as gate:
            decided = [decide(gate, pair) for pair in pairs]
            counts, told = others(gate, pairs)
    how = "by words alone" if options.words else "with the embedding model"
    text = "\n".join(
        [
            f"## Recognition of rejected actions: {options.split}, {how}",
            "",
            f"{len(pairs)} pairs; shares with 95 % intervals (Wilson). No language model.",
            "",
            *table(pairs, decided),
            "",
            f"In a store of {counts['stored']} rejections, findings about others: "
            f"{cell(counts['found'], counts['pairs'])} of the pairs of an action and another rejection, "
            f"{cell(counts['hit'], counts['actions'])} of the actions; {counts['blocked']} of them block. Beside them, "
            f"{cell(counts['own_blocked'], counts['same'])} of the same actions are blocked, and "
            f"{cell(counts['own'], counts['same'])} blocked or warned of.",
        ]
    )
    print(text)
    if options.wrong:
        expected = {"same": ("block",), "near": ("warn", "allow"), "unrelated": ("allow",)}
        for pair, decision in zip(pairs, decided, strict=True):
            if decision not in expected[pair["label"]]:
                print(
                    f"  {pair['id']:4} {pair['label']} -> {decision}: {pair['rejection']} | {pair['action']}"
                )
        print("others:", *told, sep="\n  ")
    if options.write:
        write_section(options.write, f"conduct-recognition-{options.split}{'-words' * options.words}", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
