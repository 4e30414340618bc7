"""Embedders, which turn texts into checked unit vectors under the fingerprint of their model.

An embedder loads its model at the first use. One embedder serves many threads and many grimoires.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from bardo import config
from bardo.errors import (
    ConfigError,
    EmbedderUnavailableError,
    InvalidInputError,
    InvalidVectorError,
    UnusableVectorError,
)
from bardo.index.embedding import cache, engines
from bardo.index.embedding.engines import EmbedFunction, Engine, Prefixes, Role, TokenEngine
from bardo.model import Fingerprint
from bardo.ports import Embedder, Tokens, Vectors

T = TypeVar("T")

#: Batch size of the model in texts. Texts are sorted by length first, so that short ones are not padded to the longest
#: of all; on one core batches of 8 to 16 are faster than 64 and 256 (118 turns/s against 100 and 81).
BATCH = 16
OWN_MODELS = ("minilm", "minilm-int8", "wordllama")


class TextEmbedder:
    """Wraps an engine with batching, caching, scaling and validation of its vectors.

    Outputs are float32, finite, C-contiguous, of shape (len(texts), dims) and of length 1. Texts are sorted by length
    into batches, and their order is restored. Equal texts run once; recent ones come from an LRU cache by text hash.

    Args:
        engine: Engine that turns a batch of texts into raw vectors.
        cache_size: Capacity of the cache in vectors.
    """

    def __init__(self, engine: Engine, *, cache_size: int = cache.CAPACITY) -> None:
        self._engine = engine
        self._cache = cache.VectorCache(cache_size)
        self._lock = threading.Lock()
        self._fingerprint: Fingerprint | None = None
        self._process = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._engine.name}>"

    @property
    def name(self) -> str:
        """Name by which it was requested."""
        return self._engine.name

    @property
    def cache(self) -> cache.VectorCache:
        """Cache of the vectors of recent texts."""
        return self._cache

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity of the model.

        Raises:
            EmbedderUnavailableError: The model cannot be loaded, or was loaded before a fork.
            ConfigError: No such model.
        """
        with self._lock:
            if self._fingerprint is None:
                self._fingerprint = self._engine.identity()
            return self._fingerprint

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts to be searched, float32 of shape (len(texts), dims).

        Raises:
            InvalidInputError: `texts` is one string, or holds something that is not text.
            InvalidVectorError: The model returned the wrong shape.
            UnusableVectorError: For some texts alone it returned the wrong shape, NaN, infinity or zeros; the vectors
                of the others are in the cache.
            EmbedderUnavailableError: The model cannot be loaded, or was loaded before a fork.
        """
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of queries; shape and errors as `embed_documents`."""
        return self._embed(texts, "query")

    def embed_afresh(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """`embed_documents` without the cache, and with the norms before scaling, shape (len(texts),).

        A text without a usable vector has zeros, and the length 0.
        """
        import numpy as np

        given = [self._engine.prefixes.document + text for text in _checked(texts)]
        dims = self.fingerprint.dims
        vectors, norms = np.empty((len(given), dims), np.float32), np.empty(len(given), np.float32)
        # One at a time: other texts of a batch must not affect a text's vector.
        for row, text in enumerate(given):
            raw = self._call_engine(functools.partial(self._engine.run, [text], "document"))
            unit, faults = _unit(raw, 1, dims, self.name)
            vectors[row] = 0.0 if faults else unit[0]
            norms[row] = 0.0 if faults else np.linalg.norm(np.asarray(raw, np.float64))
        return vectors, norms

    def _embed(self, texts: Sequence[str], role: Role) -> Vectors:
        import numpy as np

        prefixes = self._engine.prefixes
        prefix = prefixes.query if role == "query" else prefixes.document
        given = [prefix + text for text in _checked(texts)]
        dims = self.fingerprint.dims
        vectors = np.empty((len(given), dims), np.float32)
        missing: dict[bytes, list[int]] = {}
        for row, text in enumerate(given):
            key = cache.key_of(text, role if self._engine.asymmetric else "")
            known = self._cache.get(key)
            if known is None:
                missing.setdefault(key, []).append(row)
            else:
                vectors[row] = known
        by_length = sorted(missing, key=lambda key: len(given[missing[key][0]].encode()))
        unusable: dict[int, str] = {}
        for start in range(0, len(by_length), BATCH):
            keys = by_length[start : start + BATCH]
            batch = [given[missing[key][0]] for key in keys]
            try:
                fresh, faults = self._run(batch, role, dims)
            except InvalidVectorError as error:
                # A model that fails on the first batch is broken; after others, it fails on these texts alone.
                if not start:
                    raise
                unusable |= {row: str(error) for key in keys for row in missing[key]}
                continue
            for place, (key, vector) in enumerate(zip(keys, fresh, strict=True)):
                vectors[missing[key]] = vector
                if place in faults:
                    unusable |= dict.fromkeys(missing[key], faults[place])
                else:
                    self._cache.put(key, vector)
        _refuse(unusable)
        return vectors

    def _run(self, batch: list[str], role: Role, dims: int) -> tuple[Vectors, dict[int, str]]:
        """Returns unit vectors of a batch, and the faults of unusable ones, by position.

        Raises:
            InvalidVectorError: The shape is wrong, and for each text alone, too.
        """
        import numpy as np

        raw = self._call_engine(lambda: self._engine.run(batch, role))
        try:
            return _unit(raw, len(batch), dims, self.name)
        except InvalidVectorError:
            if len(batch) == 1:
                raise
            vectors, faults = np.zeros((len(batch), dims), np.float32), {}
            for place, text in enumerate(batch):
                try:
                    alone, fault = self._run([text], role, dims)
                except InvalidVectorError as error:
                    faults[place] = str(error)
                    continue
                vectors[place] = alone[0]
                faults |= dict.fromkeys([place] if fault else [], fault.get(0, ""))
            if len(faults) == len(batch):
                raise
            return vectors, faults

    def _call_engine(self, call: Callable[[], T]) -> T:
        """Calls the engine; the first call loads the model, while other threads wait."""
        process = os.getpid()
        with self._lock:
            if self._process not in (0, process):
                raise EmbedderUnavailableError(
                    f"the embedder {self.name} was loaded before this process was forked, and its threads did not come "
                    "along. Make it again in the child, or start children with the `spawn` method"
                )
            if not self._process:
                found = call()
                self._process = process
                return found
        return call()


class LateTextEmbedder(TextEmbedder):
    """`TextEmbedder` whose model also gives a vector per token.

    Args:
        engine: Engine that also gives token vectors.
        cache_size: Capacity of the cache in vectors.
    """

    _engine: TokenEngine

    @functools.cached_property
    def gives_tokens(self) -> bool:
        """Whether the model's output is a vector per token; may load the model."""
        return self._call_engine(self._engine.gives_tokens)

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        """Splits a text between sentences into parts that fit the model's input together with the text `beside`.

        Raises:
            EmbedderUnavailableError: The model cannot be loaded, or was loaded before a fork.
        """
        return self._call_engine(lambda: self._engine.passages(text, self._engine.prefixes.document + beside))

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """`embed_documents` with the tokens of every text, and with its errors."""
        return self._embed_late(texts, self._engine.prefixes.document)

    def embed_late_queries(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """`embed_queries` with the tokens of every text, and with its errors."""
        return self._embed_late(texts, self._engine.prefixes.query)

    def _embed_late(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Tokens]]:
        import numpy as np

        given = [prefix + text for text in _checked(texts)]
        dims = self.fingerprint.dims
        vectors = np.empty((len(given), dims), np.float32)
        tokens = [Tokens((), (), np.empty((0, dims), np.float32))] * len(given)
        by_length = sorted(range(len(given)), key=lambda row: len(given[row].encode()))
        unusable: dict[int, str] = {}
        for start in range(0, len(by_length), BATCH):
            rows = by_length[start : start + BATCH]
            raw, found = self._call_engine(
                functools.partial(self._engine.run_late, [given[row] for row in rows])
            )
            vectors[rows], faults = _unit(raw, len(rows), dims, self.name)
            unusable |= {rows[place]: fault for place, fault in faults.items()}
            for row, text in zip(rows, found, strict=True):
                tokens[row] = text
        _refuse(unusable)
        return vectors, tokens


def load(settings: config.Embedding | None = None) -> TextEmbedder:
    """Returns the configured embedder, shared in this process by all users of the same settings.

    Raises:
        ConfigError: The name is neither one of bardo's nor of the form of fastembed's (`owner/model`).
    """
    settings = settings or config.Embedding()
    return _shared_embedder(settings.model, settings.threads, os.getpid())


def function_embedder(
    function: EmbedFunction,
    *,
    name: str = "",
    dims: int = 0,
    version: str = "1",
    query_prefix: str = "",
    document_prefix: str = "",
) -> TextEmbedder:
    """Makes an embedder from a function `list[str]` -> matrix of shape (len(texts), dims), normalised or not.

    Args:
        function: Function, called with at most `BATCH` texts, perhaps from several threads at once.
        name: Identity of the model; vectors under different names are never compared. By default the function's own
            module and name, which two lambdas of one module share: name them.
        dims: Number of components; 0 finds it by embedding one word.
        version: Part of the identity; change it when the function returns other vectors than before.
        query_prefix: Prefix of queries.
        document_prefix: Prefix of texts to be searched.

    Raises:
        InvalidInputError: `function` is not callable.
    """
    if not callable(function):
        raise InvalidInputError(
            f"the embedder is a {type(function).__name__}, which cannot be called. "
            "Pass a function from list[str] to a matrix, or an object with embed_documents and embed_queries"
        )
    owner = getattr(function, "__qualname__", type(function).__qualname__)
    name = name or f"{getattr(function, '__module__', None) or type(function).__module__}.{owner}"
    prefixes = Prefixes(query_prefix, document_prefix)
    return TextEmbedder(engines.CallableEngine(function, name, version, dims, prefixes))


def resolve(embedder: Embedder | EmbedFunction | None, settings: config.Embedding | None = None) -> Embedder:
    """Returns the caller's embedder, wraps a callable, or makes the configured embedder.

    Raises:
        InvalidInputError: It is neither an embedder nor callable.
        ConfigError: The same case as in `load`.
    """
    if embedder is None:
        return load(settings)
    if hasattr(embedder, "embed_documents") and hasattr(embedder, "embed_queries"):
        return embedder  # type: ignore[return-value]  # the rest of the protocol shows at its first use
    return function_embedder(embedder)


@functools.lru_cache(maxsize=4)
def _shared_embedder(model: str, threads: int, process: int) -> TextEmbedder:
    # The process is part of the key: a forked child must not use the parent's loaded model.
    del process
    if model in ("minilm", "minilm-int8"):
        return LateTextEmbedder(engines.MiniLm("fp32" if model == "minilm" else "int8", threads))
    if model == "wordllama":
        return TextEmbedder(engines.WordLlama())
    if "/" in model:
        return LateTextEmbedder(engines.FastembedModel(model, threads))
    raise ConfigError(
        f"embedding.model is {model!r}. Use one of {', '.join(OWN_MODELS)}, or a name of fastembed's, such as "
        "nomic-ai/nomic-embed-text-v1.5"
    )


def _checked(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, (str, bytes)):
        raise InvalidInputError("texts is one string. Pass a list of strings: [text]")
    given = list(texts)
    for row, text in enumerate(given):
        if not isinstance(text, str):
            raise InvalidInputError(f"texts[{row}] is a {type(text).__name__}. Embedders take strings")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"texts[{row}] is not valid Unicode: {error}. Decode it properly first"
            ) from error
    return given


def _refuse(unusable: dict[int, str]) -> None:
    """Raises an error that names the texts without a vector, if any."""
    if unusable:
        rows = tuple(sorted(unusable))
        raise UnusableVectorError(unusable[rows[0]], rows=rows)


def _unit(raw: object, count: int, dims: int, name: str) -> tuple[Vectors, dict[int, str]]:
    """Scales raw vectors to float32 of length 1; also returns the faults of those without a direction, by position.

    Raises:
        InvalidVectorError: They are not a matrix of numbers of the right shape.
    """
    import numpy as np

    try:
        vectors = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidVectorError(
            f"the embedder {name} returned something that is not a matrix of numbers: {error}. "
            "It must return one row of numbers per text"
        ) from error
    if vectors.shape != (count, dims):
        raise InvalidVectorError(
            f"the embedder {name} returned shape {vectors.shape} for {count} texts. It must return ({count}, {dims})"
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    faults = {}
    for place in np.flatnonzero(~np.isfinite(norms[:, 0]) | (norms[:, 0] == 0.0)).tolist():
        what = "NaN or infinite components" if vectors[place].any() else "only zeros"
        faults[place] = (
            f"the embedder {name} returned a vector with {what}. Such a vector has no direction and cannot be "
            "compared; mend the model or the text"
        )
        vectors = np.array(vectors) if len(faults) == 1 else vectors
        vectors[place], norms[place] = 0.0, 1.0
    return np.ascontiguousarray(vectors / norms, dtype=np.float32), faults
