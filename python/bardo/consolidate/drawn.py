"""Facts of texts, with their effects on what was known before."""

from __future__ import annotations

from dataclasses import dataclass, field

from bardo.model import Fact

#: Effect on an older fact, as `FactStore.upsert_resolved` takes it: place of the newer fact or its id, id of the older
#: fact, whether it ends, since when, and the rule.
Resolution = tuple[int, str | None, str, bool, int | None, str]


@dataclass(slots=True)
class Drawn:
    """Facts of some texts with their effects.

    Args:
        facts: New facts.
        resolutions: Effects on older facts, as `FactStore.upsert_resolved` takes them.
        corrections: Ids of a newer episode and of an older one that it corrects, and whether it ends what the older one
            says (otherwise both are disputed).
        read: Texts of the clauses that were judged, in lower case.
    """

    facts: list[Fact] = field(default_factory=list)
    resolutions: list[Resolution] = field(default_factory=list)
    corrections: list[tuple[str, str, bool]] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
