"""Hand-overs of so many tokens: systems live the same lives, and their heirs are asked the same questions."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from bardo.assemble.context import count_tokens
from inherit.lives import Life, Question
from inherit.systems import HandOver, Heir, System

#: Limits of a hand-over in tokens of `o200k`.
LIMITS = (500, 2_000, 8_000)
#: Resamples of the lives for an interval of 95 %, and their seed.
RESAMPLES, SEED = 2_000, 0
#: Titles of the rows, by kind of question. Of the last four, less is better.
TITLES = {
    "identifier": "exact identifiers found", "kept": "exact identifiers handed over", "decision": "decisions found",
    "belief": "current beliefs found", "rule": "rules found", "open": "open questions found",
    "choice": "what settles a choice found", "warned": "fatal mistakes warned of",
    "rejected": "rejected ideas recognised", "stale": "stale beliefs acted on",
    "near": "allowed actions stopped", "doubted": "allowed actions stopped or warned of",
    "secret": "secrets handed over",
}  # fmt: skip
#: Rows of which less is better.
LESS = ("stale", "near", "doubted", "secret")
#: Rows of the total.
ANSWERED = ("identifier", "decision", "belief", "rule", "open", "choice", "warned", "rejected")
CAVEAT = """\
{lives} lives of 800 to 2,000 ticks in {domains}.
The authors of the sentences had seen neither bardo's code nor its templates. A hand-over has at most so many tokens
(o200k); the heir knows nothing else. A question counts as answered if its literal answer is in the first ten
passages; an idea as recognised if the system stops it or warns, or if the rejection is in the ten passages to "Shall
I ...?"; a belief as acted on if the old value comes first. Percent, with 95 % intervals over lives (bootstrap).

All systems use {model} and no language model.
The heirs of logs and of the summary read their lines into a memory of bardo, so that the columns differ in the
hand-over alone. The example is `systems/example.py`: rare pairs of words, no vectors. mem0 runs with `infer=False`
and its hybrid search (Qdrant, BM25, spaCy's lemmas), LangGraph's store with its index of vectors; both take each
line as a memory of its own. Neither has a hand-over: their own search is asked for eight sorts of content
(mistakes, decisions, rules, ...), and the best of each cross in turn. bardo has its defaults, `bequeath.tokens`,
and in `curator.outcomes` the names of the numbers in the payloads; these three systems answer with their own
search."""


@dataclass(frozen=True)
class Result:
    """Scores of one life with one system and limit: per row the number of right answers and of questions."""

    life: str
    system: str
    limit: int
    tokens: int
    rows: dict[str, tuple[int, int]]


def measure(
    systems: Sequence[System], lives: Sequence[Life], limits: Sequence[int], into: Path
) -> list[Result]:
    """Measures what is not yet in the file of results.

    Args:
        systems: Systems to measure.
        lives: Lives that each of them lives.
        limits: Limits of the hand-over in tokens.
        into: File of results, a line of JSON each; what it has is not measured again.
    """
    results = _read(into)
    done = {(one.life, one.system, one.limit) for one in results}
    for number, life in enumerate(lives, 1):
        for system in systems:
            missing = [limit for limit in limits if (life.name, system.name, limit) not in done]
            if not missing:
                continue
            print(
                f"\r{number}/{len(lives)} {life.name}: {system.name:<24}", end="", file=sys.stderr, flush=True
            )
            system.live(life)
            for limit in missing:
                result = _measured(system, life, limit)
                results.append(result)
                with into.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
    for system in systems:
        system.close()
    print(file=sys.stderr)
    wanted = {(life.name, system.name, limit) for life in lives for system in systems for limit in limits}
    return [one for one in results if (one.life, one.system, one.limit) in wanted]


def _read(path: Path) -> list[Result]:
    if not path.exists():
        return []
    found = [Result(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return [replace(one, rows={row: tuple(pair) for row, pair in one.rows.items()}) for one in found]


def _measured(system: System, life: Life, limit: int) -> Result:
    handed = system.hand_over(limit)
    tokens = count_tokens(handed.text)
    if tokens > limit:
        raise ValueError(f"{system.name} handed over {tokens} tokens; the limit is {limit}")
    heir = system.heir(handed)
    rows: dict[str, list[bool]] = defaultdict(list)
    for question in life.questions:
        for row, is_so in _score(question, heir, handed):
            rows[row].append(is_so)
    heir.close()
    return Result(
        life.name, system.name, limit, tokens, {row: (sum(found), len(found)) for row, found in rows.items()}
    )


def _score(question: Question, heir: Heir, handed: HandOver) -> Iterator[tuple[str, bool]]:
    want = question.want.casefold()
    match question.kind:
        case "secret":
            yield "secret", want in handed.text.casefold()
        case "near":
            verdict = heir.gate(question.ask)
            yield "near", verdict == "block"
            yield "doubted", verdict != "allow"
        case "gate":
            found = any(want in text.casefold() for text in heir.answer(f"Shall I {question.ask}?"))
            yield "rejected", found or heir.gate(question.ask) != "allow"
        case _:
            texts = [text.casefold() for text in heir.answer(question.ask)]
            place = next((at for at, text in enumerate(texts) if want in text), None)
            yield {"mistake": "warned"}.get(question.kind, question.kind), place is not None
            if question.kind == "identifier":
                yield "kept", want in handed.text.casefold()
            if question.stale:
                old = next((at for at, text in enumerate(texts) if question.stale.casefold() in text), None)
                yield "stale", old is not None and (place is None or old < place)


def table(results: Sequence[Result], names: Sequence[str], limit: int) -> str:
    """Formats the shares at one limit as a Markdown table, with the mean over the rows of questions."""
    lines = [f"| {limit:,} tokens | {' | '.join(names)} |", f"|---{'|---' * len(names)}|"]
    at_limit = {name: [one for one in results if one.system == name and one.limit == limit] for name in names}
    for row, title in {"": "**all questions**", **TITLES}.items():
        cells = [_cell(at_limit[name], (row,) if row else ANSWERED) for name in names]
        lines.append(f"| {title}{' (less is better)' * (row in LESS)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(results: Sequence[Result], rows: Sequence[str]) -> str:
    counts = np.array([[one.rows.get(row, (0, 0)) for row in rows] for one in results], float)
    counts = counts.reshape(len(results), len(rows), 2)
    asked = counts[..., 1].sum(axis=0) > 0
    if not results or not asked.any():
        return "-"
    picks = np.random.default_rng(SEED).integers(0, len(results), (RESAMPLES, len(results)))
    drawn = counts[picks].sum(axis=1)[:, asked]
    shares = 100 * (drawn[..., 0] / np.maximum(drawn[..., 1], 1)).mean(axis=1)
    whole = counts.sum(axis=0)[asked]
    low, high = np.percentile(shares, [2.5, 97.5])
    return f"{100 * (whole[:, 0] / whole[:, 1]).mean():.0f} [{low:.0f}, {high:.0f}]"
