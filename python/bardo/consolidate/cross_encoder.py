"""Cross-encoders: they read two texts together, for one question about them.

- `corrections`: does a newer message end what an older statement says (`fit_cross_encoder.py`)?
- `worth`: is a sentence, read after the words before it, worth keeping (`fit_worth_reader.py`)?
- `orders`: does a sentence forbid, or a message turn down what was offered (`benches/python/conduct/fit_orders.py`)?
- `lifts`: does a message allow again what was forbidden (`benches/python/conduct/fit_lifts.py`)?
- `forbidden`: is an action what a rejection forbids (`benches/python/conduct/fit_reader.py`)?

Each is all-MiniLM-L6-v2 with other weights in its upper layers and a head of one number, fitted by a script in
`benches/python/knowledge`, unless another is named. Its `.npz` file holds the differences from the model's weights as
products of two thin matrices (low-rank adaptation, Hu et al. 2021, arXiv 2106.09685).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from bardo._announce import announce
from bardo.errors import EmbedderUnavailableError
from bardo.index.embedding import bert, minilm

#: Question that a cross-encoder is fitted for.
Question = Literal["corrections", "worth", "forbidden", "orders", "lifts"]

#: Maximum length of the first and of the second text in tokens, as in training.
OLDER_TOKENS, NEWER_TOKENS = 48, 96
#: Number of pairs that are read at once.
BATCH = 16
#: Version of each build; increase it with every change of the graph or of the weights.
_BUILDS: dict[Question, int] = {"corrections": 2, "worth": 2, "forbidden": 1, "orders": 1, "lifts": 3}
_START, _SEPARATOR = "[CLS]", "[SEP]"


class CrossEncoder:
    """Reads pairs of texts.

    Args:
        folder: Folder of the graph and of the tokenizer.
        threads: Threads of the runtime; 0 leaves it to the runtime.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._model = onnxruntime.InferenceSession(
            folder / minilm.GRAPH, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._start = self._token(_START)
        self._separator = self._token(_SEPARATOR)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Log odds of the answer yes for each pair.

        Args:
            pairs: First and second texts.
        """
        older = self._tokens([old for old, _ in pairs], OLDER_TOKENS)
        newer = self._tokens([new for _, new in pairs], NEWER_TOKENS)
        lengths = [len(old) + len(new) + 3 for old, new in zip(older, newer, strict=True)]
        order = sorted(range(len(pairs)), key=lambda place: lengths[place])
        found = [0.0] * len(pairs)
        for first in range(0, len(order), BATCH):
            places = order[first : first + BATCH]
            ids = np.zeros((len(places), lengths[places[-1]]), np.int64)
            mask, types = np.zeros_like(ids), np.zeros_like(ids)
            for row, place in enumerate(places):
                head = [self._start, *older[place], self._separator]
                ids[row, : lengths[place]] = [*head, *newer[place], self._separator]
                mask[row, : lengths[place]] = 1
                types[row, len(head) : lengths[place]] = 1
            values = dict(zip(bert.INPUTS, (ids, mask, types), strict=True))
            (logits,) = self._model.run([bert.LOGITS], values)
            for place, logit in zip(places, logits[:, 0], strict=True):
                found[place] = float(logit)
        return found

    def _token(self, text: str) -> int:
        """Id of a special token."""
        found: int = self._tokenizer.token_to_id(text)
        return found

    def _tokens(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Ids of the tokens of texts, cut to a length."""
        return [
            found.ids[:limit] for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]


@cache
def load(question: Question, threads: int = 1) -> CrossEncoder | None:
    """Loads a cross-encoder, which is built in the cache the first time; None if its packages are not installed.

    Args:
        question: What it answers.
        threads: Threads of the runtime.
    """
    differences = resources.files("bardo.consolidate").joinpath(f"{question}.npz")

    def write(source: Path, workspace: Path) -> None:
        with differences.open("rb") as file:
            write_files(source, workspace, file)

    try:
        announce("loading the cross-encoder for %s", question)
        build = minilm.ensure_variant(f"{question}-build{_BUILDS[question]}", write)
        return CrossEncoder(build.folder, threads)
    except EmbedderUnavailableError:
        return None


def write_files(source: Path, workspace: Path, differences: IO[bytes]) -> None:
    """Writes the files of a cross-encoder.

    Args:
        source: Folder of the package's files.
        workspace: Folder to write to.
        differences: Differences from the model's weights, as `benches/python/knowledge/low_rank.py` writes them.
    """
    weights = dict(bert.read_safetensors(source / minilm.WEIGHTS))
    with np.load(differences) as adapter:
        for name in adapter.files:
            weight, _, part = name.rpartition(":")
            if part == "down":
                thin: Any = adapter[f"{weight}:up"].astype(np.float32) @ adapter[name].astype(np.float32)
                weights[weight] = weights[weight] + thin
            elif part == "whole":
                weights[weight] = adapter[name].astype(np.float32)
    minilm.write_model(source, workspace, bert.build_cross_encoder(weights))
