"""Messages told to a dying agent in confidence, and the facts read from them alone, which do not cross."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bardo.bequeath.content.contents import StoreContents
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.left_behind import LeftBehind
from bardo.model import Episode, Fact
from bardo.privacy import confidences
from bardo.privacy.confided import confidences_in

#: Name of the reason for which a record stays behind.
REASON = "confidential"
#: Minimum number of characters of a text that is looked for among the confidences.
_LEAST = 8


@dataclass(frozen=True, slots=True)
class Confidences:
    """Episodes that were told in confidence.

    Args:
        ids: Ids of these episodes.
        texts: Their texts, without differences of case and of spaces.
    """

    ids: frozenset[str]
    texts: tuple[str, ...]

    def holds(self, fact: Fact) -> bool:
        """Whether a fact is known from confidences alone."""
        return confidences.asks(fact.text) or (bool(fact.evidence) and self.ids.issuperset(fact.evidence))

    def tells(self, text: str) -> bool:
        """Whether the words of a directive or a task are those of a confidence."""
        plain = _plain(text)
        return len(plain) >= _LEAST and any(plain in told for told in self.texts)

    def without(self, contents: StoreContents) -> tuple[StoreContents, list[LeftBehind]]:
        """Returns the content of a fact store without what is known in confidence, and that."""
        held = {fact.id for fact in contents.facts if self.holds(fact)}
        asked = [one for one in contents.questions if not held.isdisjoint(one.facts)]
        behind = [LeftBehind("fact", fact.id, REASON) for fact in contents.facts if fact.id in held]
        behind += [LeftBehind("question", one.id, REASON) for one in asked]
        if not behind:
            return contents, []
        places = [place for place, fact in enumerate(contents.facts) if fact.id not in held]
        return replace(
            contents,
            facts=tuple(contents.facts[place] for place in places),
            confidences=tuple(contents.confidences[place] for place in places),
            vectors=None if contents.vectors is None else contents.vectors[places],
            questions=tuple(one for one in contents.questions if one not in asked),
        ), behind

    def without_directives(self, held: Sequence[Directive]) -> tuple[list[Directive], list[LeftBehind]]:
        """Returns the directives that no confidence tells, and the others."""
        kept = [one for one in held if not self.tells(one.text)]
        return kept, [LeftBehind("directive", one.id, REASON) for one in held if one not in kept]


def confidences_of(episodes: Iterable[Episode]) -> Confidences:
    """Finds what was told in confidence, as `confidences_in` does.

    Args:
        episodes: All episodes of a log, in their order.
    """
    found = {told.id: told.text for told, _ in confidences_in(episodes)}
    return Confidences(frozenset(found), tuple(map(_plain, found.values())))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
