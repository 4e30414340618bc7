"""Request of a deletion, and the intent in the log from which it is finished after a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bardo.consolidate.lint import Gap
from bardo.grimoire.results import Entity, Triple, triple_number
from bardo.model import Episode, Fact, Link

#: Triple as the store returns it.
TripleTuple = tuple[str, str, str, float, str | None, int, int | None, int, bool]
#: Argument of `forget`: a record or its id.
Forgettable = str | Episode | Fact | Triple | Link | Gap | Entity


@dataclass(slots=True)
class Intent:
    """Data to finish a deletion after a crash.

    Attributes:
        episodes: Ids of the episodes to delete.
        facts: Ids of the facts to delete.
        reason: Reason, for the report.
        tombstones: Whether the same content is refused from now on.
        texts: Deleted texts, for the verification.
        vectors: Deleted vectors, base64, for the verification.
        numbers: Running statistics to recount, by subject and metric.
        names: Names that may have lost their last mention.
        hashes: Hashes of the contents.
        triples: Numbers of triples to delete.
        links: Links between facts to delete.
        questions: Open questions to delete.
        entities: Entities to delete with all memories that name them.
        called: Every name of these entities.
    """

    episodes: list[str]
    facts: list[str]
    reason: str
    tombstones: bool
    texts: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    numbers: list[tuple[str, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    triples: list[int] = field(default_factory=list)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)

    def to_json(self, *, bare: bool = False) -> str:
        """Serializes the intent for the log.

        Args:
            bare: Whether to leave out every text, before the files are rewritten.
        """
        content = {name: getattr(self, name) for name in self.__slots__}
        if bare:
            content |= {
                "texts": [],
                "vectors": [],
                "numbers": [],
                "names": [],
                "questions": [],
                "entities": [],
                "called": [],
            }
        return json.dumps(content, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Intent:
        """Parses the JSON of `to_json`.

        Args:
            text: JSON from the log.
        """
        fields = json.loads(text)
        fields["numbers"] = [(subject, metric) for subject, metric in fields["numbers"]]
        fields["links"] = [(src, dst, relation) for src, dst, relation in fields.get("links", ())]
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class DeletionRequest:
    """Request of a deletion.

    Args:
        records: Ids of episodes and facts.
        triples: Numbers of triples.
        links: Both ids and the relation of links between facts.
        questions: Texts of open questions.
        about: Names of entities to delete with all memories that name them.
    """

    records: tuple[str, ...] = ()
    triples: tuple[int, ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    questions: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    @classmethod
    def of(cls, items: Iterable[Forgettable], about: Sequence[str]) -> DeletionRequest:
        """Groups a caller's records by kind."""
        records: list[str] = []
        names = list(about)
        triples: list[int] = []
        links: list[tuple[str, str, str]] = []
        questions: list[str] = []
        for item in items:
            if isinstance(item, Link):
                links.append((item.src, item.dst, item.relation))
            elif isinstance(item, Gap):
                questions.append(item.question)
            elif isinstance(item, Entity):
                names.append(item.name)
            else:
                id_ = item if isinstance(item, str) else item.id
                number = triple_number(id_)
                if number is None:
                    records.append(id_)
                else:
                    triples.append(number)
        return cls(
            tuple(dict.fromkeys(records)),
            tuple(dict.fromkeys(triples)),
            tuple(links),
            tuple(questions),
            tuple(names),
        )

    def __bool__(self) -> bool:
        return any((self.records, self.triples, self.links, self.questions, self.about))
