"""Engines that embed texts: fastembed, wordllama, or a callable. Validation and caching are in `embedders.py`."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import blake3

from bardo.errors import BardoError, ConfigError, EmbedderUnavailableError
from bardo.index.embedding import minilm
from bardo.model import Fingerprint
from bardo.ports import Tokens, Vectors

if TYPE_CHECKING:
    import numpy.typing as npt


Role = Literal["query", "document"]
EmbedFunction = Callable[[list[str]], Any]

_HASH_CHARACTERS = 32
_SETTINGS_CHARACTERS = 16

#: Prefixes of (queries, documents) from the models' cards; fastembed itself adds none. The first entry that the model's
#: name begins with applies.
PREFIXES: tuple[tuple[str, tuple[str, str]], ...] = (
    ("nomic-ai/nomic-embed-text", ("search_query: ", "search_document: ")),
    ("intfloat/", ("query: ", "passage: ")),
    ("BAAI/bge-small-zh", ("为这个句子生成表示以用于检索相关文章：", "")),
    ("BAAI/bge-", ("Represent this sentence for searching relevant passages: ", "")),
    ("mixedbread-ai/", ("Represent this sentence for searching relevant passages: ", "")),
    ("snowflake/snowflake-arctic-embed", ("Represent this sentence for searching relevant passages: ", "")),
    ("google/embeddinggemma", ("task: search result | query: ", "title: none | text: ")),
    (
        "Qwen/Qwen3-Embedding",
        ("Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""),
    ),
)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Prefixes of texts, by role."""

    query: str = ""
    document: str = ""


class Engine(Protocol):
    """Model, loaded at its first use. Vectors need not be normalised."""

    name: str
    prefixes: Prefixes
    #: Whether a query and a document of the same (prefixed) text get different vectors.
    asymmetric: bool

    def identity(self) -> Fingerprint:
        """Returns the fingerprint of the model; loads as little as possible."""
        ...

    def run(self, texts: list[str], role: Role) -> Any:
        """Embeds one batch; the result is anything numpy reads as a matrix."""
        ...


@runtime_checkable
class TokenEngine(Engine, Protocol):
    """Model that also gives a vector per token."""

    def gives_tokens(self) -> bool:
        """Whether the model gives token vectors; loads it."""
        ...

    def run_late(self, texts: list[str]) -> tuple[Vectors, list[Tokens]]:
        """Vectors and tokens of one batch."""
        ...

    def passages(self, text: str, beside: str) -> list[str]:
        """Splits a text into parts that fit the model's input."""
        ...


def prefixes_of(model: str) -> Prefixes:
    """Returns the prefixes that a fastembed model was trained with."""
    for beginning, (query, document) in PREFIXES:
        if model.lower().startswith(beginning.lower()):
            return Prefixes(query, document)
    return Prefixes()


def settings_hash(settings: dict[str, Any]) -> str:
    """Returns a short hash of the processing of the text before the model and of the vector after it."""
    return blake3.blake3(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:_SETTINGS_CHARACTERS]


class MiniLm:
    """all-MiniLM-L6-v2 from the installed package, run by fastembed without any download.

    Args:
        precision: `fp32`, or `int8` for about twice the speed. int8 scales activations over the whole batch, so that
            a text's vector depends slightly on the rest of its batch.
        threads: Threads of the ONNX session; 0 leaves it to the runtime.
    """

    prefixes = Prefixes()
    asymmetric = False

    def __init__(self, precision: minilm.Precision, threads: int) -> None:
        self.name = "minilm" if precision == "fp32" else "minilm-int8"
        self._precision = precision
        self._threads = threads
        self._build: minilm.Build | None = None
        self._model: Any = None

    def identity(self) -> Fingerprint:
        """Returns the fingerprint with the weights' hash; builds the model's folder if missing, and loads nothing."""
        build = self._ensure()
        version = build.weights if self._precision == "fp32" else f"{build.weights}-int8"
        settings = {"max_tokens": minilm.MAX_TOKENS, "pooling": "mean", "query": "", "document": ""}
        return Fingerprint(minilm.MODEL, version, settings_hash(settings), minilm.DIMS)

    def run(self, texts: list[str], role: Role) -> Any:
        """Vectors of one batch."""
        return list(self._load().embed(texts, batch_size=len(texts)))

    def gives_tokens(self) -> bool:
        """Returns True, as the graph's output is the last hidden state."""
        return True

    def run_late(self, texts: list[str]) -> tuple[Vectors, list[Tokens]]:
        """Vectors and tokens of one batch."""
        from bardo.index.embedding import late_interaction

        return late_interaction.run(self._load(), texts)

    def passages(self, text: str, beside: str) -> list[str]:
        """Splits a text into parts of at most 256 tokens."""
        from bardo.index.embedding import late_interaction

        return late_interaction.passages(self._load(), text, beside)

    def _load(self) -> Any:
        if self._model is None:
            folder = self._ensure().folder
            self._model = _fastembed(minilm.MODEL, self._threads, specific_model_path=str(folder))
        return self._model

    def _ensure(self) -> minilm.Build:
        if self._build is None:
            self._build = minilm.ensure(self._precision)
        return self._build


class FastembedModel:
    """Any model of fastembed's list; its files are downloaded at the first use and kept in the cache folder.

    Args:
        model: Name in fastembed's list, such as `nomic-ai/nomic-embed-text-v1.5`.
        threads: Threads of the ONNX session; 0 leaves it to the runtime.
    """

    # jina-embeddings-v3 has an adapter per role; for other models this only costs a cache entry.
    asymmetric = True

    def __init__(self, model: str, threads: int) -> None:
        self.name = model
        self.prefixes = prefixes_of(model)
        self._threads = threads
        self._model: Any = None

    def identity(self) -> Fingerprint:
        """Returns the fingerprint with the hash of the ONNX file, which is downloaded first."""
        inner = self._load().model
        description = inner.model_description
        folder = Path(inner._model_dir)
        digest = blake3.blake3()
        for name in (description.model_file, *(description.additional_files or ())):
            digest.update_mmap(folder / name)
        truncation = getattr(getattr(inner, "tokenizer", None), "truncation", None) or {}
        settings = {
            "max_tokens": truncation.get("max_length"),
            "pooling": type(inner).__name__,
            "query": self.prefixes.query,
            "document": self.prefixes.document,
        }
        version = digest.hexdigest()[:_HASH_CHARACTERS]
        return Fingerprint(description.model, version, settings_hash(settings), int(description.dim))

    def run(self, texts: list[str], role: Role) -> Any:
        """Vectors of one batch."""
        model = self._load()
        embed = model.query_embed if role == "query" else model.passage_embed
        return list(embed(texts))

    def gives_tokens(self) -> bool:
        """Whether the exported graph leaves the pooling to fastembed."""
        from bardo.index.embedding import late_interaction

        return late_interaction.gives_tokens(self._load())

    def run_late(self, texts: list[str]) -> tuple[Vectors, list[Tokens]]:
        """Vectors and tokens of one batch."""
        from bardo.index.embedding import late_interaction

        return late_interaction.run(self._load(), texts)

    def passages(self, text: str, beside: str) -> list[str]:
        """Splits a text into parts that fit the model."""
        from bardo.index.embedding import late_interaction

        return late_interaction.passages(self._load(), text, beside)

    def _load(self) -> Any:
        if self._model is None:
            self._model = _fastembed(self.name, self._threads)
        return self._model


class WordLlama:
    """Static 256-dimensional embeddings of the package `wordllama`: thirty times faster than MiniLM, less accurate."""

    name = "wordllama"
    prefixes = Prefixes()
    asymmetric = False

    def __init__(self) -> None:
        self._model: Any = None

    def identity(self) -> Fingerprint:
        """Returns the fingerprint with the table's hash."""
        weights = self._folder() / "weights" / "l2_supercat_256.safetensors"
        if not weights.is_file():
            raise EmbedderUnavailableError(
                f"the package wordllama has no {weights.name}. Run: pip install --force-reinstall wordllama"
            )
        digest = blake3.blake3().update_mmap(weights).hexdigest()[:_HASH_CHARACTERS]
        return Fingerprint("wordllama/l2_supercat_256", digest, settings_hash({"pooling": "mean"}), 256)

    def run(self, texts: list[str], role: Role) -> Any:
        """Vectors of one batch."""
        if self._model is None:
            self._model = self._load()
        # The mean over no tokens is NaN, so a blank replaces the empty text.
        return self._model.embed([text or " " for text in texts])

    def _load(self) -> Any:
        folder = self._folder()
        from wordllama import WordLlama as Table

        return Table.load(cache_dir=folder, disable_download=True)

    @staticmethod
    def _folder() -> Path:
        spec = importlib.util.find_spec("wordllama")
        if spec is None or not spec.origin:
            raise EmbedderUnavailableError(
                "the embedding model wordllama needs the package wordllama, which is not installed. "
                f'Run: pip install wordllama. Or choose embedding.model = "minilm" ({minilm.INSTALL})'
            )
        return Path(spec.origin).parent


class CallableEngine:
    """Engine of a custom function.

    Args:
        function: Function from `list[str]` to a matrix of shape (len(texts), dims).
        name: Identity of the model; vectors under different names are never compared.
        version: Part of the identity; raise it when the function's results change.
        dims: Number of components; 0 finds it by embedding one word.
        prefixes: Prefixes of the texts.
    """

    asymmetric = False

    def __init__(
        self, function: EmbedFunction, name: str, version: str, dims: int, prefixes: Prefixes
    ) -> None:
        self.name = name
        self.prefixes = prefixes
        self._function = function
        self._version = version
        self._dims = dims

    def identity(self) -> Fingerprint:
        """Returns the fingerprint with the given name and version."""
        import numpy as np

        if not self._dims:
            probe: npt.NDArray[Any] = np.asarray(self._call(["memory"]))
            if probe.ndim != 2 or probe.shape[0] != 1 or not probe.shape[1]:
                raise ConfigError(
                    f"the embedder {self.name} returned shape {probe.shape} for one text. "
                    "It must return one row per text: (len(texts), dims)"
                )
            self._dims = int(probe.shape[1])
        settings = {"query": self.prefixes.query, "document": self.prefixes.document}
        return Fingerprint(self.name, self._version, settings_hash(settings), self._dims)

    def run(self, texts: list[str], role: Role) -> Any:
        """Vectors of one batch."""
        return self._call(texts)

    def _call(self, texts: list[str]) -> Any:
        try:
            return self._function(texts)
        except BardoError:
            raise
        except Exception as error:
            raise EmbedderUnavailableError(
                f"the embedder {self.name} failed with {type(error).__name__}: {error}. What it should have embedded "
                "is found by its words until it works again"
            ) from error


def _fastembed(model: str, threads: int, **options: Any) -> Any:
    from importlib import metadata

    from fastembed import TextEmbedding

    known = sorted(entry["model"] for entry in TextEmbedding.list_supported_models())
    if model.lower() not in map(str.lower, known):
        raise ConfigError(
            f"embedding.model is {model!r}, which fastembed {metadata.version('fastembed')} does not know. "
            f"Use minilm, minilm-int8, wordllama, or one of: {', '.join(known)}"
        )
    folder = minilm.cache_folder() / "fastembed"
    try:
        return TextEmbedding(model, cache_dir=str(folder), threads=threads or None, **options)
    # The hub, the file system and the runtime raise many kinds of errors, all with the same remedy.
    except Exception as error:
        raise EmbedderUnavailableError(
            f"fastembed cannot load {model}: {error}. Connect to the model hub once (files are kept in {folder}), "
            f'or use embedding.model = "minilm", which needs no download ({minilm.INSTALL})'
        ) from error
