"""`python -m knowledge.decisions`: whether the rule that holds reaches a decision, on streams with planted rules.

python -m knowledge.decisions --data ../../data/decisions.jsonl             # figures on stdout
python -m knowledge.decisions --data FILE --keep FOLDER --details           # memories are kept and asked again

A line of the data describes a stream: actions, features, the rule that holds, one that ended half way, questions with a
situation in which the rule holds and one in which it does not, and unrelated questions.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bardo
from bardo.model import Episode, Fact
from bardo.recall.situation import Condition, Situation, parse_conditions
from common import report

#: Decisions of a stream, and decisions between two passes of the Curator.
LENGTH, PASS = 3_000, 50
#: Tokens of a prompt.
BUDGET = 1_500
#: Memories among which a rule must be.
FIRST = 5
START, MINUTE = 1_760_000_000_000_000, 60_000_000
Stream = Mapping[str, Any]


def main() -> None:
    options = argparse.ArgumentParser(
        prog="knowledge.decisions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data", type=Path, required=True, help="streams, one JSON object a line")
    options.add_argument("--length", type=int, default=LENGTH, help="decisions of a stream")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", nargs="*", help="ids of streams")
    options.add_argument("--keep", type=Path, help="folder of memories, made where they are absent")
    options.add_argument("--details", action="store_true", help="print each miss and the rules in force")
    options.add_argument("--write", type=Path, help="Markdown file whose section is replaced")
    given = options.parse_args()
    streams = [json.loads(line) for line in given.data.read_text(encoding="utf-8").splitlines() if line]
    tally: Tally = defaultdict(list)
    for stream in streams:
        if given.only and stream["id"] not in given.only:
            continue
        begun = time.perf_counter()
        with lived(stream, given.length, given.seed, given.keep) as memory:
            if given.details:
                told(stream, memory)
            ask(stream, memory, tally, details=given.details)
        print(f"{stream['id']}: {time.perf_counter() - begun:.0f} s", flush=True)
    text = table(tally, given.length)
    print(text)
    if given.write:
        report.write_section(given.write, "decisions", text)


#: Yes or no of each question, by what was measured.
Tally = defaultdict[str, list[bool]]


def decisions(stream: Stream, length: int, seed: int) -> Iterator[Episode]:
    """The decisions of a stream: actions at random, outcomes with noise of the stream's standard deviation."""
    draws = random.Random(f"{stream['id']} {seed}")
    for tick in range(1, length + 1):
        features = {
            name: draws.choice(kind["values"])
            if "values" in kind
            else draws.uniform(kind["low"], kind["high"])
            for name, kind in stream["features"].items()
        }
        action = draws.choice(stream["actions"])
        outcome = draws.gauss(0.0, 1.0)
        for rule in (stream["true_rule"], stream["ended_rule"] if tick <= length // 2 else None):
            if rule and rule["action"] == action and all(met(each, features) for each in rule["conditions"]):
                outcome += rule["effect"]
        fields = {**features, stream["action_field"]: action}
        yield Episode(
            stream["text"].format(**fields),
            tick=tick,
            at=START + tick * MINUTE,
            kind="decision",
            subjects=(stream["subject"],),
            payload={**fields, stream["outcome"]: outcome * stream["noise"]},
            verified=True,
        )


def met(condition: Mapping[str, Any], features: Mapping[str, Any]) -> bool:
    """Whether a condition of the data holds."""
    sign = condition["op"]
    return Condition(condition["feature"], sign, condition["value"]).holds(Situation.of(features)) is True


@contextmanager
def lived(stream: Stream, length: int, seed: int, keep: Path | None) -> Iterator[bardo.Grimoire]:
    """A memory that has lived a stream, with passes of the Curator."""
    clock = bardo.ManualClock(START)
    config = {"curator": {"outcomes": [stream["outcome"]]}}
    with tempfile.TemporaryDirectory() as scratch:
        folder = (keep or Path(scratch)) / f"{stream['id']}-{length}-{seed}"
        is_new = not folder.exists()
        with bardo.open(folder, clock=clock, seed=seed, config=config) as memory:
            if is_new:
                batch: list[Episode] = []
                for episode in decisions(stream, length, seed):
                    batch.append(episode)
                    if len(batch) == PASS:
                        clock.set(episode.at)
                        memory.remember(batch, tick=episode.tick)
                        memory.tick(episode.tick)
                        batch.clear()
                memory.sleep()
            else:
                clock.set(START + (length + 1) * MINUTE)
            yield memory


def claim(fact: Any, stream: Stream) -> tuple[str, bool, tuple[Condition, ...]] | None:
    """Action, direction and conditions of a fact that states a rule about actions; None for any other record."""
    payload = fact.payload if isinstance(fact, Fact) else {}
    if payload.get("type") != "heuristic" or not str(payload["outcome"]).startswith(stream["outcome"]):
        return None
    stated = (*parse_conditions(payload["condition"]), *parse_conditions(payload["action"]))
    actions = [each.value for each in stated if each.path == stream["action_field"]]
    others = tuple(each for each in stated if each.path not in (stream["action_field"], "subject", "kind"))
    return (str(actions[0]), payload["effect"] > 0, others) if actions else None


def says_true(fact: Any, stream: Stream) -> bool:
    """Whether a fact states the rule that holds: its action, on the side of all of its conditions."""
    stated, rule = claim(fact, stream), stream["true_rule"]
    if stated is None or stated[0] != rule["action"] or not stated[1]:
        return False
    situation = Situation.of(stream["situation"])
    named = {each.path for each in stated[2]}
    return named >= {each["feature"] for each in rule["conditions"]} and not any(
        each.holds(situation) is False for each in stated[2]
    )


def says_false(fact: Any, stream: Stream, *, applies: bool) -> bool:
    """Whether a fact recommends an action that is no better here: another, or that of the rule where it is not met."""
    stated, rule = claim(fact, stream), stream["true_rule"]
    return stated is not None and stated[1] and (stated[0] != rule["action"] or not applies)


def ask(stream: Stream, memory: bardo.Grimoire, tally: Tally, *, details: bool) -> None:
    """Asks all questions of a stream."""
    here, elsewhere = stream["situation"], stream["other_situation"]
    for question in stream["questions"]:
        for name, situation in (("without", None), ("with", here)):
            for where, records in answers(memory, question, situation):
                hit = any(says_true(record, stream) for record in records)
                tally[f"{where} {name} right"].append(hit)
                tally[f"{where} {name} wrong"].append(
                    any(says_false(record, stream, applies=True) for record in records)
                )
                if details and not hit:
                    print(f"  {stream['id']} missed in {where} {name} a situation: {question}")
        if elsewhere is not None:
            for where, records in answers(memory, question, elsewhere):
                tally[f"{where} elsewhere wrong"].append(
                    any(says_false(record, stream, applies=False) for record in records)
                )
    for question in stream["unrelated"]:
        for where, records in answers(memory, question, None):
            tally[f"{where} unrelated"].append(any(says_true(record, stream) for record in records))


def answers(
    memory: bardo.Grimoire, question: str, situation: Mapping[str, Any] | None
) -> Iterator[tuple[str, Sequence[Any]]]:
    """The records of the first memories of a recall, and those of a prompt."""
    yield "recall", [found.record for found in memory.recall(question, limit=FIRST, situation=situation)]
    prompt = memory.context(question, budget=BUDGET, situation=situation)
    yield "prompt", [found.record for found in prompt.memories]


def told(stream: Stream, memory: bardo.Grimoire) -> None:
    """Prints the rules of a stream beside those in force."""
    print(f"{stream['id']} {stream['true_rule']} ended {stream['ended_rule']}")
    for fact in memory.facts.list(kind="heuristic", status=None):
        print(
            f"    {fact.status} {fact.confidence:.2f} {'TRUE' if says_true(fact, stream) else ''} {fact.text}"
        )


def table(tally: Tally, length: int) -> str:
    """The figures as Markdown."""

    def share(name: str) -> str:
        found = tally.get(name, [])
        return f"{sum(found) / len(found):.1%} of {len(found)}" if found else "-"

    rows = [
        f"| {text} | {share(f'recall {key}')} | {share(f'prompt {key}')} |"
        for text, key in (
            ("the rule that holds, situation given (bar: 95 % or more)", "with right"),
            ("the rule that holds, no situation (bar: 95 % or more)", "without right"),
            ("a rule that does not hold, situation given (bar: 5 % or less)", "with wrong"),
            ("a rule that does not hold, no situation (bar: 5 % or less)", "without wrong"),
            ("a rule whose condition the situation does not meet (bar: 5 % or less)", "elsewhere wrong"),
            ("the rule beside an unrelated question", "unrelated"),
        )
    ]
    head = [
        "## Rules in decisions",
        "",
        f"{length:,} decisions a stream, a pass every {PASS}; actions at random. One rule holds throughout, another",
        f"ended half way. Each question is asked of `recall` (first {FIRST}) and of `context` ({BUDGET:,} tokens).",
        "",
        "| in the answer | recall | prompt |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *rows])


if __name__ == "__main__":
    main()
