"""Texts without their predictable words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from bardo import _core
from bardo.assemble import tokenizers
from bardo.errors import InvalidInputError, MissingPackageError
from bardo.model import Episode

Backend = Literal["own", "llmlingua"]

#: Least and largest part of a text that is kept.
LEAST_KEPT, MOST_KEPT = 0.2, 0.8
#: Episodes that a model learns from when it is first asked: the latest ones; a second's work at most.
LEARNED = 20_000
_PAGE = 512
INSTALL = "pip install llmlingua"


@dataclass(frozen=True, slots=True)
class Condenser:
    """Model and question that condense a text.

    Args:
        model: What is predictable in the agent's own words.
        question: What the prompt is for: sentences that share its terms keep more.
    """

    model: _core.WordModel
    question: str = ""


@dataclass(frozen=True, slots=True)
class CondensedText:
    """A shorter text; `str()` is the text.

    Args:
        text: Remaining text, in the original order.
        tokens: Tokens of it.
        before: Tokens of the whole.
    """

    text: str
    tokens: int
    before: int

    def __str__(self) -> str:
        return self.text

    @property
    def kept(self) -> float:
        """Part of the tokens that is left, 0..1."""
        return self.tokens / self.before if self.before else 1.0


def condense(
    text: str,
    share: float,
    *,
    question: str = "",
    model: _core.WordModel | None = None,
    tokenizer: str = "o200k",
    backend: Backend = "own",
) -> CondensedText:
    """A text of about `share` of its tokens: the predictable words go, the others stay in their order.

    Numbers, names, negations, URLs and code are never dropped, nor is text in scripts without spaces, so more may be
    left than was asked for; never more than there was.

    Args:
        text: Any text.
        share: Part of the tokens to keep, 0.2 to 0.8.
        question: What the text is read for; its terms make their sentences worth more.
        model: What is predictable; without one, the text's own words alone tell.
        tokenizer: Tokenizer that counts the tokens, by a name of `bardo.assemble.prompt.assemble`.
        backend: `own`, or `llmlingua` (Microsoft's LLMLingua-2 with its own model, if it is installed).

    Raises:
        InvalidInputError: The share is out of range, or there is no such backend.
        MissingPackageError: `llmlingua` is not installed, or its model cannot be loaded.
    """
    if not LEAST_KEPT <= share <= MOST_KEPT:
        raise InvalidInputError(f"share is {share!r}. Use {LEAST_KEPT} to {MOST_KEPT}")
    name = tokenizers.known(tokenizer)
    if backend == "own":
        if model is None:
            model = _core.WordModel()
            model.learn([text])
        return CondensedText(*model.compress(text, share, question=question, tokenizer=name))
    if backend == "llmlingua":
        shorter = _llmlingua()(text, rate=share, question=question)
        before, tokens = _core.count_tokens_batch([text, shorter], name)
        return (
            CondensedText(shorter, tokens, before) if tokens < before else CondensedText(text, before, before)
        )
    raise InvalidInputError(f"backend is {backend!r}. Use own or llmlingua")


_LOADED: list[Callable[..., str]] = []
_LOADING = threading.Lock()


def _llmlingua() -> Callable[..., str]:
    """LLMLingua-2, loaded once in a process."""
    with _LOADING:
        if not _LOADED:
            try:
                from llmlingua import PromptCompressor  # type: ignore[import-not-found]

                compressor: Any = PromptCompressor(
                    "microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank",
                    use_llmlingua2=True,
                    device_map="cpu",
                )
            except (
                Exception
            ) as error:  # the import, a download, a broken torch: all end the same way for the caller
                raise MissingPackageError(
                    f"the backend llmlingua cannot be used: {error}. Install it with `{INSTALL}` (it brings torch and "
                    'downloads a model), or use backend="own"'
                ) from error

            def shorter(text: str, *, rate: float, question: str) -> str:
                kept = compressor.compress_prompt(
                    [text], question=question, rate=rate, force_tokens=["\n"], force_reserve_digit=True
                )
                return str(kept["compressed_prompt"])

            _LOADED.append(shorter)
        return _LOADED[0]


class ArrivalReader(Protocol):
    """Where a model of words learns from, in order of arrival."""

    def since(self, seq: int, limit: int = 1024) -> Sequence[tuple[int, Episode]]:
        """Episodes that arrived after a number, with theirs."""
        ...

    def stats(self) -> dict[str, int]:
        """Counts, `last_seq` among them."""
        ...


class OwnWords:
    """The model of an agent's own words: learned from its log when first asked, and kept up from then on.

    It is in memory alone and made again in each process, from hashes of words, so that nothing that is deleted from the
    log lives on in a file. Safe to share among threads.

    Args:
        log: Where the words are read from.
    """

    def __init__(self, log: ArrivalReader) -> None:
        self._log = log
        self._model = _core.WordModel()
        self._seen = -1
        self._lock = threading.Lock()

    def model(self) -> _core.WordModel:
        """The model, up to the latest episode."""
        with self._lock:
            last = self._log.stats()["last_seq"]
            if self._seen < 0:
                self._seen = max(0, last - LEARNED)
            while self._seen < last:
                page = self._log.since(self._seen, _PAGE)
                if not page:
                    break
                self._model.learn([episode.text for _, episode in page])
                self._seen = page[-1][0]
            return self._model

    def forget(self) -> None:
        """Drops everything learned; the next call learns again from what is in the log then."""
        with self._lock:
            self._model, self._seen = _core.WordModel(), -1
