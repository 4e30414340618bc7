"""Topic of a decision: which facts an outcome of it can judge."""

from __future__ import annotations

from dataclasses import dataclass

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.model import Fact
from bardo.recall.situation import Situation, is_of_others

_WORD = lazy_pattern(r"\w+(?:['’]\w+)*")  # both apostrophes


@dataclass(frozen=True, slots=True)
class Topic:
    """Subjects and words that a decision is about.

    Args:
        subjects: Subjects of the decision.
        named: Stems of each subject.
        words: Stems of the content words of its subjects, action and text.
    """

    subjects: tuple[str, ...]
    named: tuple[frozenset[str], ...]
    words: frozenset[str]

    @classmethod
    def of(cls, decision: Situation, text: str) -> Topic:
        """Reads the topic of a decision.

        Args:
            decision: Features of the decision, with the action taken if it is known.
            text: Task or query of the decision; empty if it is not known.
        """
        # Of several possible actions the decision was about one alone.
        taken = decision.actions if len(decision.actions) == 1 else ()
        return cls(
            decision.subjects,
            tuple(map(content, decision.subjects)),
            content(" ".join((*decision.subjects, *taken, text))),
        )

    def has(self, fact: Fact) -> bool:
        """Whether a fact is about the topic: a subject in common, or without subjects on either side a content word.

        A decision of which nothing is known is about every fact that it rests on.
        """
        if not self.words:
            return True
        said = content(" ".join((fact.text, *fact.subjects)))
        if fact.subjects and self.subjects:
            return not self.is_of_others(fact) or any(name and name <= said for name in self.named)
        return bool(said & self.words)

    def is_of_others(self, fact: Fact) -> bool:
        """Whether a fact has subjects, and the decision others."""
        return is_of_others(fact.subjects, self.subjects)


def content(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    words = " ".join(_WORD.findall(text.casefold()))
    return frozenset(stem for stem in _core.stems(_core.without_stop_words(words).split()) if stem)
