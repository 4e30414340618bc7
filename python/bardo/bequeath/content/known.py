"""Bundle of all that a life knew: it answers "was anything like this known?" without holding the texts.

A testament leaves most texts behind. Their content words, and the pairs of neighbouring ones, cross as hypervectors
(`bardo-core/src/bequeath/known.rs` has the formulas). Texts that redaction changes stay out, and so does every word
that it removed from any of them: no reader can confirm a secret by asking. Numbers stay out as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bardo._printed import printed
from bardo.bequeath.privacy.redact import Redactor

if TYPE_CHECKING:
    from bardo._core import KnownThings

#: Maximum length of the name of an agent in a bundle, in bytes.
_NAME_BYTES = 256
#: Maximum size of the texts that are bundled, in characters: more words than the hypervectors have room for.
_TEXTS = 64 << 20
#: Maximum number of texts that are bundled: redaction looks at each of them, for about .4 ms.
_CHECKED = 4_096
#: Normal quantile of 99 %.
_SURE = 2.326


@dataclass(frozen=True, slots=True)
class Familiarity:
    """Answer to "was anything like this known?".

    Args:
        score: Estimated share of the text's content words, and pairs of neighbouring ones, that were known, 0..1.
        known: Whether the score reaches the threshold.
        threshold: Score from which a text is familiar: .5, or the 99th percentile of unknown texts if that is greater,
            as it is for a single word.
        error: Standard error of the estimate, from the number of items per hypervector.
        features: Number of the text's words and pairs; a text without any is unknown.
        agent: Agent who knew it best: the testator or an ancestor.
    """

    score: float
    known: bool
    threshold: float
    error: float
    features: int
    agent: str

    __str__ = printed

    @property
    def z(self) -> float:
        """Standard errors of the score above that of an unknown text."""
        return self.score / self.error if self.error else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether the score is that of a text that was known as it is, within the error."""
        return self.known and self.score >= 1.0 - _SURE * self.error

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {name: getattr(self, name) for name in self.__slots__} | {"z": self.z}


@dataclass(slots=True)
class KnownTexts:
    """Distinct texts of a life, collected for its bundle."""

    _texts: dict[str, None] = field(default_factory=dict)
    _size: int = 0

    def add(self, *texts: str) -> None:
        """Adds texts, as far as the limit of their size allows."""
        for text in texts:
            if self._size < _TEXTS and text not in self._texts:
                self._texts[text] = None
                self._size += len(text)

    def texts(self) -> Iterator[str]:
        """Yields the texts in the order in which they were added."""
        return iter(self._texts)

    def bundle(self, agent: str, redactor: Redactor, ancestors: Iterable[bytes] = ()) -> Bundled:
        """Bundles the texts that redaction leaves as they are; those that were added last have precedence.

        Texts without a new word or pair of words add nothing, so that routine costs nothing.

        Args:
            agent: Name of the agent.
            redactor: Redactor that tells which texts are private.
            ancestors: Bundles of its ancestors, nearest first.
        """
        from bardo import _core

        told: list[str] = []
        withheld: list[tuple[str, str]] = []
        latest = list(reversed(self._texts))
        novel = _core.novel_texts(latest)
        for place in novel[:_CHECKED]:
            text = latest[place]
            redacted = redactor.text(text)
            if redacted == text:
                told.append(text)
            else:
                withheld.append((text, redacted))
        name = agent.encode()[:_NAME_BYTES].decode(errors="ignore")
        data, left = _core.bundle_known(name, told, withheld, list(ancestors))
        return Bundled(data, len(withheld), max(len(novel) - _CHECKED, 0) + left)


@dataclass(frozen=True, slots=True)
class Bundled:
    """Bundle of a life and its ancestors.

    Args:
        data: Bytes for `KnownThings`.
        private: Number of texts that stayed out, since redaction changes them.
        over_cap: Number of texts and of ancestors' bundles without room.
    """

    data: bytes
    private: int
    over_cap: int


def best(bundles: Sequence[KnownThings], text: str) -> Familiarity:
    """Asks several bundles and returns the answer of the one that knows the text best."""
    answers = [Familiarity(*bundle.familiarity(text)) for bundle in bundles]
    return max(answers, key=lambda answer: (answer.known, answer.score))
