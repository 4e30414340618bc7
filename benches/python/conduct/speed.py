"""Measures `before` in a store of many entries, and a cold shell, on sentences drawn from the words of the docs.

    python -m conduct.speed [--entries 10000] [--cold 100 1000] [--words] [--write FILE]

Times are processor time, so that other processes disturb less. `before` is measured in one process after one call: by
words alone, for new actions and for the same ones again, and with the default model, with and without the embedding of
the action. Its text is made when it is read, and measured apart. `cold` starts `bardo gate before --words` in a new
process, with compiled modules as an installed package has them.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import bardo
from bardo.conduct.model.entries import StateEntry
from common.report import machine, write_section

DOCS = Path(__file__).resolve().parents[3] / "docs"
#: Number of measured actions, each another sentence.
ACTIONS = 200
#: Number of cold starts.
STARTS = 15
KINDS = ("rejected", "rejected", "decision", "task", "discovery")


def sentences(count: int, seed: int) -> list[str]:
    """Sentences of 5 to 10 words, each word drawn as often as in the docs."""
    words = re.findall(r"[A-Za-z][a-z]+", " ".join(page.read_text() for page in sorted(DOCS.rglob("*.md"))))
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(5, 10))) for _ in range(count)]


def fill(gate: bardo.Gate, count: int) -> None:
    """Stores entries without the search for repetitions, which costs more than the measurement."""
    with gate._store.writing():
        for number, text in enumerate(sentences(count, seed=1)):
            gate._store.put(StateEntry("", KINDS[number % 5], text, at=number + 1, changed_at=number + 1))


def processor_time() -> float:
    """Seconds of processor time of this process and of those that it ran."""
    ran = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ran.ru_utime + ran.ru_stime


def quantiles(call: Callable[[str], object], actions: Sequence[str]) -> str:
    """Minimum, median and 95th percentile of the milliseconds of a call."""
    took = []
    for action in actions:
        start = processor_time()
        call(action)
        took.append((processor_time() - start) * 1_000)
    return f"{min(took):.2f} | {statistics.median(took):.2f} | {sorted(took)[int(len(took) * 0.95)]:.2f}"


def start(command: Sequence[str], action: str) -> None:
    """Runs a gate in a new process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([*command, action], check=False, capture_output=True, env=environment)


def with_model(folder: str, actions: Sequence[str], entries: int) -> list[str]:
    """Measures with the default model, as lines of the table."""
    lines = []
    with bardo.gate(folder) as gate:
        began = processor_time()
        gate.before("embed every entry")
        first = (processor_time() - began) * 1_000
        lines.append(f"| first `before`, entries embedded | {entries} | | {first:.0f} | |")
        lines.append(f"| `before`, with the model | {entries} | {quantiles(gate.before, actions)} |")
        embed = gate._embedder.embed_queries
        lines.append(f"| of that, the action embedded | | {quantiles(lambda text: embed([text]), actions)} |")
    with bardo.gate(folder) as gate:
        began = processor_time()
        gate.before("read the vectors")
        first = (processor_time() - began) * 1_000
        lines.append(f"| first `before`, vectors on disk | {entries} | | {first:.0f} | |")
    return lines


def cold_shell(count: int, actions: Sequence[str]) -> str:
    """Measures the start of a shell command, as a line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        bardo.open(folder, agent="measured").close()
        with bardo.gate(folder, words_only=True) as gate:
            fill(gate, count)
        command = [shutil.which("bardo", path=Path(sys.executable).parent) or "bardo", "gate", "before"]
        command += ["--words", "--at", folder, "--"]
        # The first start compiles the modules and stores the snapshot.
        start(command, actions[0])
        return f"| cold shell, `--words` | {count} | {quantiles(partial(start, command), actions)} |"


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--entries", type=int, default=10_000, help="entries in the store")
    parser.add_argument(
        "--cold", type=int, nargs="*", default=[100, 1_000, 10_000], help="entries of the cold starts"
    )
    parser.add_argument("--words", action="store_true", help="measure without the model")
    parser.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    options = parser.parse_args()
    actions = sentences(ACTIONS, seed=2)
    lines = ["| call | entries | least ms | median ms | 95 % ms |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        bardo.open(folder, agent="measured").close()
        with bardo.gate(folder, words_only=True) as gate:
            fill(gate, options.entries)
            began = processor_time()
            gate.before("warm the index")
            first = (processor_time() - began) * 1_000
            lines.append(f"| first `before`, by words | {options.entries} | | {first:.0f} | |")
            for name in ("new actions", "the same again"):
                took = quantiles(gate.before, actions)
                lines.append(f"| `before`, by words, {name} | {options.entries} | {took} |")
            took = quantiles(lambda action: gate.before(action).text, actions)
            lines.append(f"| the same with its text | {options.entries} | {took} |")
            gate.note("task", "one more entry")
            began = processor_time()
            gate.before("after a write")
            after = (processor_time() - began) * 1_000
            lines.append(f"| `before` after a write | {options.entries} | | {after:.2f} | |")
        if not options.words:
            lines += with_model(folder, actions, options.entries)
    lines += [cold_shell(count, actions[:STARTS]) for count in options.cold]
    text = "\n".join([f"## Cost of a gate\n\n{machine()}. Processor time.\n", *lines])
    print(text)
    if options.write:
        write_section(options.write, "conduct-speed", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
