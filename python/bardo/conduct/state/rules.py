"""Population of rules: a new rule confirms the same one, merges with a near-duplicate, or joins; the least used leave.

Decay is a function of time alone (`Rule.score_at`). Decay and merging bound the number of rules only by the rate of new
ones, so the population has a soft limit, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from bardo import _core
from bardo.conduct.match.same import place_of_same
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.doubt import without_doubt
from bardo.conduct.model.entries import CRITICAL, MOST, STEP, Rule, StateEntry
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.persons import is_person
from bardo.conduct.required import is_persons, require_person
from bardo.conduct.storage.store import ConductStore
from bardo.config import SECONDS_PER_DAY
from bardo.errors import InvalidInputError, NotFoundError
from bardo.ports import Vectors

#: Number of rules in force above which the least used leave; critical ones never do.
SOFT_LIMIT = 80
#: Age in microseconds below which a rule does not leave: it had no chance of use.
GRACE = 2 * SECONDS_PER_DAY * 1_000_000
#: Minimum share of common words of two near-duplicates, each way, by words alone.
ALIKE_WORDS = 0.75
#: Minimum cosine of two near-duplicates, and minimum share of common words with it.
ALIKE, ALIKE_WITH = 0.85, 0.5
#: Maximum number of content words that make a wording better; longer ones are not read as well.
_WORDY = 30

#: Function that returns the vectors of texts; None without a model.
VectorsOf = Callable[[Sequence[str]], Vectors | None]


def keep(
    store: ConductStore,
    given: Rule,
    vectors: VectorsOf,
    *,
    agent: str,
    now: int,
    replaced: Collection[str] = (),
) -> Rule:
    """Stores a rule: confirms the same one in force, merges with a near-duplicate, or adds it.

    Args:
        store: State and rules of the agent.
        given: New rule, without an id.
        vectors: Vectors of texts, for near-duplicates by meaning.
        agent: Name of the agent, which retires the least used rules.
        now: Wall clock, microseconds UTC.
        replaced: Ids of rules that it replaces; it is not merged with them.
    """
    with store.writing():
        known = [rule for rule in _in_force(store, agent=agent, now=now) if rule.id not in replaced]
        place = place_of_same([rule.text for rule in known], given.text)
        if place is not None:
            _require_change(known[place], given, agent)
            return store.put(_confirmed(known[place], given, agent, now))
        for place in alike([rule.text for rule in known], given.text, vectors):
            there = known[place]
            if (there.forbids, there.approval) == (given.forbids, given.approval):
                return store.put(_merged(there, given, agent, now))
        kept = store.put(given)
        _thin(store, [*known, kept], agent=agent, now=now)
        return kept


def consolidate(
    store: ConductStore, vectors: VectorsOf, *, agent: str, now: int
) -> tuple[list[Rule], list[Rule]]:
    """Merges near-duplicates among the rules in force, and retires the least used above the soft limit.

    Args:
        store: State and rules of the agent.
        vectors: Vectors of texts, for near-duplicates by meaning.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.

    Returns:
        Rules that were merged into another, and rules that left as the least used.
    """
    merged = []
    with store.writing():
        rules = _in_force(store, agent=agent, now=now)
        kept: list[Rule] = []
        # A person's rule takes in the agent's, and not the other way round.
        for rule in sorted(
            rules, key=lambda rule: (not is_persons(rule, agent), -rule.score_at(now), _number(rule))
        ):
            place = next(
                (
                    place
                    for place in alike([each.text for each in kept], rule.text, vectors)
                    if (kept[place].forbids, kept[place].approval) == (rule.forbids, rule.approval)
                    and rule.score < CRITICAL
                ),
                None,
            )
            if place is None:
                kept.append(rule)
                continue
            there = _merged(kept[place], rule, agent, now, confirm=False)
            there = replace(there, uses=there.uses + rule.uses, failures=there.failures + rule.failures)
            kept[place] = store.put(there)
            merged.append(
                store.put(replace(rule, retired_by=agent, retired_why=f"says the same as {kept[place].id}"))
            )
        left = _thin(store, kept, agent=agent, now=now)
    return merged, left


def alike(known: Sequence[str], given: str, vectors: VectorsOf) -> list[int]:
    """Returns the indexes of near-duplicates of a text, the nearest first.

    Near-duplicates share most content words, or some and the meaning; no figure, name, negation, opposite or replaced
    word tells them apart.
    """
    there, candidates = _core.touches(known, given), []
    for place, (share, words, apart) in enumerate(there):
        if apart or not words or share < ALIKE_WITH or not _core.may_be_same_statement(known[place], given):
            continue
        ((back, _, apart_back),) = _core.touches([given], known[place])
        if not apart_back and back >= ALIKE_WITH:
            candidates.append((place, min(share, back)))
    if not candidates:
        return []
    found = [(share, place) for place, share in candidates if share >= ALIKE_WORDS]
    if any(share < ALIKE_WORDS for _, share in candidates):
        rows = vectors([given, *(known[place] for place, _ in candidates)])
        if rows is not None:
            cosines = (rows[1:] @ rows[0]).tolist()
            found += [
                (cosine * share, place)
                for cosine, (place, share) in zip(cosines, candidates, strict=True)
                if share < ALIKE_WORDS and cosine >= ALIKE
            ]
    return [place for _, place in sorted(found, reverse=True)]


def retire(store: ConductStore, id_: str, by: str, *, agent: str) -> Rule:
    """Retires a rule; see `Gate.retire`."""
    with store.writing():
        rule = store.get(id_)
        if not isinstance(rule, Rule):
            kind = rule.kind if isinstance(rule, StateEntry) else "outcome"
            raise InvalidInputError(f"{id_} is a {kind} and no rule")
        if rule.retired_by:
            raise NotFoundError(f"{id_} was retired already by {rule.retired_by}")
        if is_persons(rule, agent):
            require_person(by, "retires a rule that blocks actions or is a person's", agent=agent)
        return store.put(replace(rule, retired_by=by.strip() or agent))


def surplus(rules: Sequence[Rule], *, now: int) -> list[Rule]:
    """Returns the rules that leave: the least used, then the longest unconfirmed, above the soft limit.

    Args:
        rules: Rules in force.
        now: Wall clock, microseconds UTC.
    """
    leaving = [rule for rule in rules if rule.score < CRITICAL and now - rule.at >= GRACE]
    leaving.sort(key=lambda rule: (rule.uses - rule.failures, rule.confirmed_at, _number(rule)))
    return leaving[: max(0, len(rules) - SOFT_LIMIT)]


def raised_score(rule: Rule, now: int) -> float:
    """Returns the score of a rule after a confirmation, which never makes it critical: only a person does."""
    score = rule.score_at(now)
    return min(MOST, score + STEP) if score >= CRITICAL else min(CRITICAL - STEP, score + STEP)


def _require_change(known: Rule, given: Rule, agent: str) -> None:
    """Refuses to change what a critical or a person's rule forbids or wants approval for without a person's name.

    A rule that was heard in a conversation confirms the known one.
    """
    changed = (given.forbids or known.forbids, given.approval or known.approval)
    if given.episode or not is_persons(known, agent):
        return
    if changed != (known.forbids, known.approval):
        kind = "critical" if known.score >= CRITICAL else "person's"
        require_person(
            given.by, f"changes what the {kind} rule {known.id} forbids or wants approval for", agent=agent
        )


def _confirmed(known: Rule, given: Rule, agent: str, now: int) -> Rule:
    """Returns a rule after the same one was stated; only a named person changes what a person's forbids."""
    is_told = is_person(given.by, agent)
    by = given.by if is_told or not known.by else known.by
    there = replace(known, score=max(given.score, raised_score(known, now)), by=by, confirmed_at=now)
    if is_told:
        there = replace(there, corrections=without_doubt(there.corrections))
    if (given.episode and not there.episode) or (is_persons(known, agent) and not is_told):
        # In its own words: the rule holds nothing of the episode.
        is_forbidding = bool(given.forbids) and given.score >= CRITICAL and is_told
        return replace(there, forbids=there.forbids or there.text) if is_forbidding else there
    if there.episode != given.episode:
        # The words of the later episode have its date.
        at = max(known.at, given.at)
        there = replace(there, text=given.text, forbids="", approval="", episode=given.episode, at=at)
    forbids = given.forbids or there.forbids
    return replace(
        there,
        forbids=forbids,
        approval=given.approval or there.approval,
        corrections=there.corrections if forbids == known.forbids else "",
    )


def _merged(known: Rule, given: Rule, agent: str, now: int, *, confirm: bool = True) -> Rule:
    """Returns a rule in the better of two wordings, confirmed; the agent does not reword a person's.

    A rule without an episode stays unchanged when an episode repeats it, so it holds nothing of the episode.
    """
    there = replace(known, score=max(given.score_at(now), raised_score(known, now)), confirmed_at=now)
    if confirm and is_person(author_of(given.by)[0], agent):
        there = replace(there, corrections=without_doubt(there.corrections))
    if not confirm:
        there = replace(there, confirmed_at=max(known.confirmed_at, given.confirmed_at))
    is_kept = is_persons(known, agent) and not is_person(author_of(given.by)[0], agent)
    is_kept |= known.score >= CRITICAL > given.score
    if is_kept or (given.episode and not known.episode) or not _is_better(given, known):
        return there
    return replace(there, text=given.text, episode=given.episode, by=given.by or known.by)


def _is_better(given: Rule, known: Rule) -> bool:
    """Whether a wording is more specific, or a person's in place of the agent's."""
    if (given.score >= CRITICAL) != (known.score >= CRITICAL):
        return given.score >= CRITICAL
    sizes = [len(content_stems(rule.text.split())) for rule in (given, known)]
    return sizes[1] < sizes[0] <= _WORDY


def _in_force(store: ConductStore, *, agent: str, now: int) -> list[Rule]:
    """Returns the rules in force, and archives those whose score has decayed below the minimum."""
    rules = store.rules(every=False)
    for rule in rules:
        if not rule.in_force(now):
            store.put(replace(rule, retired_by=agent, retired_why="not confirmed for too long"))
    return [rule for rule in rules if rule.in_force(now)]


def _thin(store: ConductStore, rules: Sequence[Rule], *, agent: str, now: int) -> list[Rule]:
    why = f"the least used of more than {SOFT_LIMIT} rules in force"
    return [store.put(replace(rule, retired_by=agent, retired_why=why)) for rule in surplus(rules, now=now)]


def _number(rule: Rule) -> int:
    return int(rule.id[1:])
