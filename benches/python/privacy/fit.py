"""`python -m privacy.fit`: fits the weights of the tagger of secrets, `python/bardo/privacy/secrets.npz`.

Logistic regression over the tokens of labelled lines, with a penalty on the squares of the weights (L-BFGS). Lines of
other benchmarks that name no means of access count as lines without a secret, with less weight. `--judge` prints how
well lines are judged by weights fitted without their author, and ordinary lines by weights fitted without their file.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from bardo._core import SecretTagger, secret_features
from bardo.privacy import identities, tagger

BENCHES = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
#: Weight of a token of bardo's own lines, and of an ordinary one; others have 1.
OWN, ORDINARY = 2.0, 0.3
#: Inverse of the penalty, and steps of the optimizer.
STRENGTH, STEPS = 2.0, 100
#: Probabilities that `--judge` prints.
LIMITS = (0.3, 0.4, 0.5, 0.6, 0.7)
#: Lines that name a means of access, some of which tell a secret.
ACCESS = re.compile(
    r"(?i)pass ?(?:word|code|phrase|wort)|api.?key|sk_|\b[A-Z]{2}\d\d(?: \w{4}){3}|"
    r"\b(?:pw|psk|pins?|codes?|wi-?fi|wlan|alarm|safe|lock\w*|key ?(?:safe|box)|log-?ins?|otp|secrets?|tokens?|iban|"
    r"security|accounts?|konto|card|gate|sepa|standing order|transfer)\b"
)
#: Files of other benchmarks, and the fields of their texts.
ORDINARY_LINES = {
    "conduct/data/utterances-*.jsonl": ("text",),
    "conduct/data/triage-*.jsonl": ("text",),
    "conduct/data/gates-*.jsonl": ("rejection", "action"),
    "conduct/data/stores-dev.json": ("text", "action"),
    "knowledge/data/train/chat-*.json": ("text",),
    "knowledge/data/train/things-lives.jsonl": ("hold",),
    "knowledge/data/train/corrections-*.jsonl": ("text",),
}

#: Text and its secrets.
Line = tuple[str, Sequence[str]]


class Tokens:
    """Tokens of labelled lines.

    Args:
        lines: Texts, each with its secrets.
        weight: Weight of each token.

    Attributes:
        features: Features of the tokens, shape (tokens, weights).
        labels: 1 for each token of a secret, shape (tokens,).
    """

    def __init__(self, lines: Sequence[Line], weight: float = 1.0) -> None:
        self.lines, self.weight = lines, weight
        places: list[int] = []
        ends, labels = [0], []
        for text, secrets in lines:
            spans = [match.span() for secret in secrets for match in re.finditer(re.escape(secret), text)]
            for (start, end), found in zip(*secret_features(text), strict=True):
                places += found
                ends.append(len(places))
                labels.append(any(start < stop and begin < end for begin, stop in spans))
        ones = np.ones(len(places), np.float32)
        self.features = sparse.csr_matrix((ones, places, ends), shape=(len(labels), SecretTagger.WEIGHTS))
        self.labels = np.array(labels, np.float32)


def labelled() -> list[Tokens]:
    """The labelled sets that may be looked at."""
    told = [Tokens(lines_of(file)) for file in sorted(DATA.glob("train-*.jsonl"))]
    return [*told, Tokens(lines_of(DATA / "own.jsonl"), OWN)]


def lines_of(file: Path) -> list[Line]:
    """The lines of a labelled set; those whose secret is the account of a person stay out, which are found by form."""
    cases = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    lines = [(case["text"], named(case["secret"])) for case in cases]
    return [
        line for line in lines if not any(is_account(line[0], line[0].find(secret)) for secret in line[1])
    ]


def named(secret: str | list[str] | None) -> list[str]:
    """The secrets of a line: one, several or none."""
    return [secret] if isinstance(secret, str) else secret or []


def is_account(text: str, start: int) -> bool:
    """Whether the number of an account or a person begins at a place of a text, or stands around it."""
    return any(begin <= start < end for begin, end, _ in identities.identities(text))


def ordinary() -> list[Tokens]:
    """Lines of other benchmarks without a secret; held ones stay out."""
    found = []
    for pattern, fields in ORDINARY_LINES.items():
        texts: dict[str, None] = {}
        for file in sorted(BENCHES.glob(pattern)):
            if "held" in file.stem or "paraphrased" in file.stem:
                continue
            content = file.read_text(encoding="utf-8")
            told = [json.loads(content)] if file.suffix == ".json" else map(json.loads, content.splitlines())
            texts |= dict.fromkeys(strings(told, frozenset(fields)))
        found.append(Tokens([(text, []) for text in texts if not ACCESS.search(text)], ORDINARY))
    return found


def strings(value: Any, fields: frozenset[str], *, is_wanted: bool = False) -> Iterable[str]:
    """The texts of some fields of a JSON-like value."""
    if isinstance(value, str):
        if is_wanted:
            yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, fields, is_wanted=name in fields)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from strings(inner, fields, is_wanted=is_wanted)


def fitted(told: Sequence[Tokens], others: Sequence[Tokens]) -> Any:
    """The weights of features that tell the tokens of secrets best, shape (weights,)."""
    features = sparse.vstack([one.features for one in (*told, *others)]).tocsr()
    turned = features.T.tocsr()
    signs = 2 * np.concatenate([one.labels for one in (*told, *others)]) - 1
    shares = np.concatenate([np.full(len(one.labels), one.weight, np.float32) for one in (*told, *others)])

    def loss(weights: Any) -> tuple[float, Any]:
        weights = weights.astype(np.float32)
        margins = signs * (features @ weights)
        slopes = turned @ (-signs * shares / (1 + np.exp(np.clip(margins, -60, 60))))
        cost = (shares * np.logaddexp(0, -margins)).sum() + 0.5 / STRENGTH * weights @ weights
        return float(cost), (slopes + weights / STRENGTH).astype(np.float64)

    start = np.zeros(SecretTagger.WEIGHTS)
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 8}).x


def quantized(weights: Any) -> tuple[Any, float]:
    """Weights as signed bytes, and their unit."""
    scale = float(np.abs(weights).max() / 127)
    return np.round(weights / scale).astype(np.int8), scale


def judge(told: list[Tokens], others: list[Tokens]) -> None:
    """Prints what is found by weights that were fitted without an author, or without a file of ordinary lines."""
    counts = np.zeros((len(LIMITS), 5))
    folds = max(len(told), len(others))
    for fold in range(folds):
        left = told[fold : fold + 1]
        without = [one for at, one in enumerate(others) if at % folds != fold]
        weights, scale = quantized(fitted([one for one in told if one not in left], without))
        found = SecretTagger(weights.tobytes(), scale)
        for row, limit in enumerate(LIMITS):
            for text, secrets in (line for one in left for line in one.lines):
                shown = without_spans(text, found.secrets(text, limit, tagger.BESIDE))
                is_gone = not any(secret in shown for secret in secrets)
                counts[row] += [is_gone, 1, 0, 0, 0] if secrets else [0, 0, shown != text, 1, 0]
            for text, _ in (line for one in others if one not in without for line in one.lines):
                counts[row, 4] += bool(found.secrets(text, limit, tagger.BESIDE))
        print(f"{fold + 1} of {folds}", flush=True)
    total = sum(len(one.lines) for one in others)
    print("| probability | secrets | harmless lines changed | ordinary lines changed |\n|---|---|---|---|")
    for limit, (gone, secrets, changed, harmless, touched) in zip(LIMITS, counts, strict=True):
        print(f"| {limit} | {gone / secrets:.1%} | {changed / harmless:.1%} | {touched / total:.2%} |")


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text with what is found replaced."""
    for start, end in reversed(spans):
        text = f"{text[:start]}[]{text[end:]}"
    return text


def main() -> None:
    """Fits, and writes or judges."""
    parser = argparse.ArgumentParser(prog="privacy.fit", description=__doc__)
    parser.add_argument(
        "--judge", action="store_true", help="print cross-validated figures and write nothing"
    )
    told, others = labelled(), ordinary()
    if parser.parse_args().judge:
        judge(told, others)
        return
    weights, scale = quantized(fitted(told, others))
    np.savez_compressed(tagger.FILE, weights=weights, scale=scale)
    print(f"{tagger.FILE.name}: {np.count_nonzero(weights):,} weights, {tagger.FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
