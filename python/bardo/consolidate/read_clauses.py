"""Clauses of episodes and facts, each read once."""

from __future__ import annotations

from collections.abc import Sequence

from bardo._core import EpisodeLog
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.corrections.kinship import kinship_of, with_kinship
from bardo.consolidate.corrections.outright import in_slot_of_texts
from bardo.consolidate.languages import Reader
from bardo.consolidate.texts.earlier_turns import speech_of
from bardo.consolidate.texts.rule_extraction import NAMELESS
from bardo.model import Episode, Fact

#: Maximum number of texts whose clauses are cached.
CACHED = 4_096


class ReadClauses:
    """Clauses of texts, from a cache if possible.

    Args:
        reader: Rules of the language.
        log: Episode log.
        agent: Name of the agent.
    """

    def __init__(self, reader: Reader, log: EpisodeLog, agent: str) -> None:
        self._reader = reader
        self._log = log
        self._agent = agent
        self._known: dict[str, Sequence[Clause]] = {}

    def of_episode(self, episode: Episode) -> Sequence[Clause]:
        """The clauses of an episode."""
        if (known := self._known.get(episode.id)) is not None:
            return known
        return self.keep(episode.id, self._reader.read(speech_of(episode, self._log, self._agent)))

    def of_fact(self, fact: Fact) -> Sequence[Clause]:
        """The clauses of a fact: of its text, and of the sentence that it was made from."""
        if (known := self._known.get(fact.id)) is not None:
            return known
        origin = self._origin(fact)
        is_quote = any(clause.text != fact.text for clause in origin)
        said = () if is_quote else self._reader.read(Speech(fact.text, NAMELESS, fact.created_at, "note"))
        return self.keep(fact.id, (*in_slot_of_texts(fact, said), *origin))

    def of_facts(self, facts: Sequence[Fact]) -> list[tuple[Fact, Sequence[Clause]]]:
        """Facts, each with its clauses."""
        return [(fact, self.of_fact(fact)) for fact in facts]

    def keep(self, id_: str, clauses: Sequence[Clause]) -> Sequence[Clause]:
        """Caches the clauses of a text, and returns them with the kinship of the people whom they name."""
        if len(self._known) >= CACHED:
            # The oldest: learned facts are compared with the latest ones, and each would be parsed again alone.
            del self._known[next(iter(self._known))]
        self._known[id_] = known = with_kinship(clauses, kinship_of(clauses))
        return known

    def _origin(self, fact: Fact) -> list[Clause]:
        """The clauses of episodes that a fact states or quotes."""
        found = self._log.get(list(fact.evidence[:2])) if fact.evidence else []
        clauses = [
            clause
            for episode in found
            if episode is not None
            for clause in self.of_episode(episode)
            if clause.sentence
        ]
        stated = [clause for clause in clauses if clause.text == fact.text]
        # A quote can bring the sentence that it needs.
        return stated or [clause for clause in clauses if f" {clause.told or clause.sentence}" in fact.text]
