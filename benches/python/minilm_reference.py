"""Compares bardo's MiniLM with reference vectors of sentence-transformers, and its speeds with each other.

    python benches/python/minilm_reference.py --reference FOLDER/minilm-reference

FOLDER holds `minilm-reference.json` (a list of texts) and `minilm-reference.npz` (`vectors`, float32, one row a text).
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path

import numpy as np

from bardo.config import Embedding
from bardo.index.embedding import embedders

#: A build that agrees has at least this cosine with every reference vector.
AGREES = 0.9999


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--reference", type=Path, required=True, help="path without the suffix .json or .npz"
    )
    options.add_argument("--threads", type=int, default=1)
    given = options.parse_args()
    texts_file, vectors_file = given.reference.with_suffix(".json"), given.reference.with_suffix(".npz")
    if not (texts_file.is_file() and vectors_file.is_file()):
        print(f"no reference at {texts_file} and {vectors_file}: nothing was compared", file=sys.stderr)
        return 2
    texts = json.loads(texts_file.read_text(encoding="utf-8"))
    reference = np.load(vectors_file)["vectors"]
    reference = reference / np.linalg.norm(reference, axis=1, keepdims=True)

    print(f"{len(texts)} texts, {given.threads} thread(s), {platform.processor() or platform.machine()}")
    lowest = {}
    for model in ("minilm", "minilm-int8"):
        embedder = embedders.load(Embedding(model, threads=given.threads))
        embedder.embed_queries(["warm"])
        started = time.perf_counter()
        cosines = (embedder.embed_documents(texts) * reference).sum(axis=1)
        seconds = time.perf_counter() - started
        alone = []
        for text in texts:
            embedder.cache.clear()
            started = time.perf_counter()
            embedder.embed_queries([text[:80]])
            alone.append(time.perf_counter() - started)
        lowest[model] = cosines.min()
        print(
            f"{model:12} cosine min {cosines.min():.6f} mean {cosines.mean():.6f}  "
            f"{len(texts) / seconds:6.0f} texts/s  {np.median(alone) * 1e3:5.2f} ms a query"
        )
    agrees = lowest["minilm"] > AGREES
    print(
        "agrees with the reference" if agrees else f"DISAGREES: the lowest cosine is {lowest['minilm']:.6f}"
    )
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
