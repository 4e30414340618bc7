"""Innate heuristics (Baldwin 1896): a rule that three generations running confirmed is a default of the next heir.

The count crosses a death in the metadata of the entry. An heir takes the rule into its `bardo.toml`, where a person
reads and revokes it. An innate rule is still inherited and unconfirmed: it does not fade, and the heir's own evidence
confirms or refutes it as any other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bardo._atomic import read_json, write_json
from bardo._printed import printed
from bardo.bequeath.lineage import GENERATION_LIMIT
from bardo.config import Config
from bardo.folder import TESTAMENTS_FOLDER
from bardo.model import Fact, FactStatus, InnateState
from bardo.settings_file import write_setting

if TYPE_CHECKING:
    from bardo._core import FactStore

#: Generations running that must confirm a rule by their own evidence.
GENERATIONS = 3
#: Entry of the metadata of a heuristic in a testament: its count of generations.
CONFIRMED = "bardo.confirmed"
#: File in the folder of inherited testaments with the count of each inherited heuristic, by its id.
CONFIRMATIONS_FILE = "confirmations.json"
#: Table of `bardo.toml` with a line per innate rule, by the id of its fact.
SECTION = "innate"
_OWN = frozenset({"self", "derived"})
_REFUTED: frozenset[FactStatus] = frozenset({"contradicted", "superseded", "archived"})


@dataclass(frozen=True, slots=True)
class InnateRule:
    """Rule in the table `[innate]` of an agent's configuration.

    Args:
        fact: Id of the fact.
        text: Text of the rule; empty if its fact was deleted.
        generations: Number of generations running that had confirmed it when it was inherited.
        state: `revoked`; else `confirmed` or `refuted` by the agent's own evidence, `untested`, or `gone` with its
            fact.
    """

    fact: str
    text: str
    generations: int
    state: Literal["untested", "confirmed", "refuted", "revoked", "gone"]

    __str__ = printed


def count_of(fact: Fact) -> int:
    """Returns the number of generations running that confirmed an entry, as its testament tells; 0 without one."""
    told = fact.metadata.get(CONFIRMED)
    if (
        fact.kind != "heuristic"
        or fact.status != "active"
        or not isinstance(told, Sequence)
        or len(told) != 1
    ):
        return 0
    number = told[0]
    is_whole = isinstance(number, str) and number.isascii() and number.isdigit()
    return min(int(number), GENERATION_LIMIT) if is_whole and len(number) <= len(str(GENERATION_LIMIT)) else 0


def counted(facts: Iterable[Fact], folder: Path, inherited: Collection[str]) -> list[Fact]:
    """Adds the counts to the facts of a life that ends.

    An inherited heuristic that the agent's own evidence confirmed has one more than before. An innate one that was not
    put to the test keeps its count. All others begin again: a rule that a generation did not confirm, and one that was
    refuted or revoked.

    Args:
        facts: Facts of the testator, of every status.
        folder: Folder of the grimoire.
        inherited: Ids of the facts that came with a testament.
    """
    before, states = confirmations(folder), Config.load(folder).innate
    return [_with_count(fact, _count(fact, before, states, fact.id in inherited)) for fact in facts]


def _count(
    fact: Fact, before: Mapping[str, int], states: Mapping[str, InnateState], is_inherited: bool
) -> int:
    if fact.kind != "heuristic" or fact.status != "active" or not is_inherited:
        return 0
    earlier = 0 if states.get(fact.id) == "revoked" else before.get(fact.id, 0)
    if fact.source in _OWN:
        return min(earlier + 1, GENERATION_LIMIT)
    return earlier if states.get(fact.id) == "active" else 0


def _with_count(fact: Fact, count: int) -> Fact:
    metadata = {name: value for name, value in fact.metadata.items() if name != CONFIRMED}
    if count:
        metadata[CONFIRMED] = [str(count)]
    return dataclasses.replace(fact, metadata=metadata) if metadata != fact.metadata else fact


def take(folder: Path, counts: Mapping[str, int], facts: FactStore, *, tick: int) -> int:
    """Stores the counts of inherited heuristics, and makes those of three generations innate.

    A rule that was revoked stays so. The caller passes no counts of unknown signers.

    Args:
        folder: Folder of the heir.
        counts: Counts by id of the heir's fact.
        facts: Fact store of the heir.
        tick: Current tick of the heir.

    Returns:
        Number of rules that became innate.

    Raises:
        ConfigError: `bardo.toml` cannot be changed by itself.
        StoreUnavailableError: The folder cannot be written.
    """
    known = confirmations(folder)
    merged = {**known, **{id_: max(number, known.get(id_, 0)) for id_, number in counts.items()}}
    write_json(_file(folder), merged)
    states = Config.load(folder).innate
    due = sorted(
        id_ for id_, number in counts.items() if number >= GENERATIONS and states.get(id_) != "revoked"
    )
    fresh = [id_ for id_ in due if id_ not in states]
    for id_ in fresh:
        write_setting(folder, SECTION, id_, "active")
    if due:
        # Also of those that a crash left without it.
        facts.set_persistence(due, "permanent", tick=tick)
    return len(fresh)


def confirmations(folder: Path) -> dict[str, int]:
    """Returns the count of each inherited heuristic of a grimoire, by the id of its fact."""
    return dict(read_json(_file(folder)) or {})


def rules(folder: Path, facts: FactStore) -> tuple[InnateRule, ...]:
    """Lists the innate rules of an agent and those that were revoked, in the order of their ids.

    Args:
        folder: Folder of the grimoire.
        facts: Fact store of the agent.
    """
    states, counts = Config.load(folder).innate, confirmations(folder)
    ids = sorted(states)
    found = []
    for id_, fact in zip(ids, facts.get(ids), strict=True):
        text = "" if fact is None else fact.text
        found.append(InnateRule(id_, text, counts.get(id_, 0), _state(fact, states[id_])))
    return tuple(found)


def active(folder: Path) -> frozenset[str]:
    """Returns the ids of the innate rules that were not revoked."""
    return frozenset(id_ for id_, state in Config.load(folder).innate.items() if state == "active")


def flags(folder: Path, facts: FactStore) -> tuple[str, ...]:
    """Returns a sentence for each innate rule that the agent's own evidence refuted and that was not revoked yet."""
    if not _file(folder).is_file():
        return ()
    return tuple(
        f"the innate rule {rule.text!r} was refuted by own evidence. `bardo lineage revoke {rule.fact}` takes it out of"
        " the configuration"
        for rule in rules(folder, facts)
        if rule.state == "refuted"
    )


def _state(
    fact: Fact | None, state: InnateState
) -> Literal["untested", "confirmed", "refuted", "revoked", "gone"]:
    if fact is None:
        return "gone"
    if state == "revoked":
        return "revoked"
    if fact.status in _REFUTED:
        return "refuted"
    return "confirmed" if fact.source in _OWN else "untested"


def revoke(folder: Path, fact: str, facts: FactStore, *, tick: int) -> None:
    """Revokes an innate rule: it fades from now on as any other, and no testament makes it innate again.

    Args:
        folder: Folder of the grimoire.
        fact: Id of the fact.
        facts: Fact store of the agent.
        tick: Current tick.
    """
    write_setting(folder, SECTION, fact, "revoked")
    if facts.get([fact])[0] is not None:
        facts.set_persistence([fact], None, tick=tick)


def _file(folder: Path) -> Path:
    return folder / TESTAMENTS_FOLDER / CONFIRMATIONS_FILE
