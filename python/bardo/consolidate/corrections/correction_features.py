"""Features of a pair of clauses for the regression that judges corrections (`corrections.py`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import (
    LIGHT_VERBS,
    RULES,
    cases_differ,
    certain_rule,
    extends,
    is_record,
    is_same_owner,
    parts_of,
    words_of,
)

#: Cues that announce another value.
_CHANGES = frozenset({"now", "change", "from", "instead", "correction", "new", "bound"})
#: Cues that announce the end of a thing.
_ENDS = frozenset({"ending", "denial"})
_CLOCK = re.compile(r"\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
#: A word that is a name in code, a path or a version.
_IDENTIFIER = re.compile(r"[\w)][_./:()-]\w?|\w\(\)")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?")
_MONTH_OR_DAY = re.compile(
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Overlap:
    """Common and different parts of two clauses, as several groups of features need them.

    Args:
        old: Words of the older clause.
        new: Words of the newer clause.
        shared: Content words of the older clause that the newer one has too.
        rest: Content words of the older clause that the newer one lacks.
        cover: Share of the older clause's content words that are shared.
        same_owner: Whether both have the same owner.
        subject_shared: Whether a word of one's owner occurs in the other clause.
        same_predicate: Whether both have the same verb, and one with a meaning of its own.
        kinds_old: Kinds of the figures that only the older clause has.
        kinds_new: Kinds of the figures that only the newer clause has.
        other_names: Whether each has a name that the other lacks.
        has_new_value: Whether the newer clause has a figure or name that the older one lacks.
    """

    old: frozenset[str]
    new: frozenset[str]
    shared: frozenset[str]
    rest: frozenset[str]
    cover: float
    same_owner: bool
    subject_shared: bool
    same_predicate: bool
    kinds_old: frozenset[str]
    kinds_new: frozenset[str]
    other_names: bool
    has_new_value: bool

    @property
    def same_subject(self) -> bool:
        """Whether both have the same owner, or a word of one's owner occurs in the other clause."""
        return self.same_owner or self.subject_shared

    @property
    def same_kind(self) -> bool:
        """Whether a figure of the newer clause is of the same kind as one that it lacks."""
        return bool(self.kinds_old & self.kinds_new)


#: Features of one group; a false one counts as absent.
_Features = dict[str, float | bool]


def features(older: Clause, newer: Clause, cosine: float) -> dict[str, float]:
    """Features of a pair of clauses by name; those that are 0 are absent.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer text.
        cosine: Cosine of the vectors of both sentences; 0 without an embedder.
    """
    overlap = _overlap(older, newer)
    found = {"cosine": cosine, "cosine squared": cosine * cosine}
    for group in (
        _word_features(older, newer, overlap),
        _value_features(overlap),
        _rival_features(older, newer, overlap, cosine),
        _object_features(older, newer, overlap),
        _rule_features(older, newer),
        _mood_features(older, newer, overlap),
        _cue_features(newer, overlap, cosine),
        _slot_features(older, newer),
    ):
        found |= {name: float(value) for name, value in group.items() if value}
    return found


def _overlap(older: Clause, newer: Clause) -> _Overlap:
    old = older.anchors | older.names | words_of(older.predicate)
    new = newer.anchors | newer.names | words_of(newer.predicate) | newer.left | newer.value
    content = older.anchors | older.names
    shared = content & new
    owners = {newer.owner, older.owner}
    # A month is a name to the parse and a date to the reader.
    new_names = {name for name in newer.names - older.names - owners if not _MONTH_OR_DAY.match(name)}
    old_names = {name for name in older.names - newer.names - owners if not _MONTH_OR_DAY.match(name)}
    new_figures, old_figures = newer.figures - older.figures, older.figures - newer.figures
    same_owner = is_same_owner(older, newer)
    return _Overlap(
        old=old,
        new=new,
        shared=shared,
        rest=content - new,
        cover=len(shared) / max(1, len(content)),
        same_owner=same_owner,
        subject_shared=bool(words_of(older.owner) & (words_of(newer.owner) | new))
        or bool(words_of(newer.owner) & old),
        same_predicate=bool(older.predicate)
        and older.predicate == newer.predicate
        and older.predicate not in LIGHT_VERBS,
        kinds_old=_kinds(old_figures),
        kinds_new=_kinds(new_figures),
        other_names=bool(new_names) and bool(old_names),
        has_new_value=bool(new_figures or new_names),
    )


def _word_features(older: Clause, newer: Clause, overlap: _Overlap) -> _Features:
    """Shared words, names and figures, and owners."""
    has_figure = bool(older.figures & (newer.figures | newer.left))
    has_owners = bool(older.owner and newer.owner)
    return {
        "shared of old": overlap.cover,
        "shared count": min(len(overlap.shared), 4) / 4,
        "shared name": bool(older.names & (newer.names | newer.left | newer.anchors)),
        "shared figure": has_figure,
        "nothing shared": not overlap.shared and not has_figure,
        "same owner": overlap.same_owner,
        "other owner": has_owners and not overlap.same_subject,
        "subject shared": overlap.subject_shared,
        "owner unknown": not newer.owner,
        "same predicate": overlap.same_predicate,
    } | _left_features(older, newer, overlap)


def _left_features(older: Clause, newer: Clause, overlap: _Overlap) -> _Features:
    """Whether a value that the newer clause names as replaced is one of the older clause."""
    is_hit = bool(newer.left & (overlap.old | older.figures | parts_of(older.figures)))
    said = older.sentence.casefold()
    return {
        "left hit": is_hit,
        "left missed": bool(newer.left) and not is_hit,
        "left identifier": any(
            len(word) > 3 and _IDENTIFIER.search(word) and word in said for word in newer.left
        ),
    }


def _value_features(overlap: _Overlap) -> _Features:
    """Kinds of the figures and names that only one of the clauses has."""
    has_kinds = bool(overlap.kinds_old) and bool(overlap.kinds_new)
    return {
        "type match": overlap.same_kind,
        "type mismatch": has_kinds and not overlap.same_kind,
        "new name for old name": overlap.other_names,
        "new value": overlap.has_new_value,
    }


def _rival_features(older: Clause, newer: Clause, overlap: _Overlap, cosine: float) -> _Features:
    """Places that both clauses fill with different values."""
    found: _Features = {}
    for kind in sorted(_rivals(older.fillers, newer.fillers)):
        found |= {
            f"rival {kind}": True,
            f"rival {kind} and owner": overlap.same_subject,
            f"rival {kind} and shared": overlap.cover,
            f"rival {kind} and cue": bool(newer.cues & _CHANGES),
            f"rival {kind} by cosine": cosine,
        }
    found["same filler"] = bool(older.fillers & newer.fillers)
    return found


def _rivals(older: frozenset[tuple[str, str]], newer: frozenset[tuple[str, str]]) -> set[str]:
    """Kinds of the different values in places that both clauses fill."""
    kinds = set()
    for governor in {name for name, _ in older} & {name for name, _ in newer}:
        old = {value for name, value in older if name == governor}
        new = {value for name, value in newer if name == governor}
        if old & new:
            continue
        digits = [any(re.search(r"\d", value) for value in values) for values in (old, new)]
        place = "role" if ":" in governor else "noun"
        kinds.add(f"number {place}" if all(digits) else f"word {place}" if not any(digits) else "mixed")
    return kinds


def _object_features(older: Clause, newer: Clause, overlap: _Overlap) -> _Features:
    """Objects of the older clause that the newer one names, and whether it ends them."""
    is_hit = bool(older.objects & (overlap.new | newer.objects))
    is_end = bool(newer.cues & _ENDS)
    return {
        "object hit": is_hit,
        "object missed": bool(older.objects) and not is_hit,
        "ends object": is_hit and is_end,
        "ends other object": bool(older.objects) and bool(newer.objects) and not is_hit and is_end,
        "ends predicate": overlap.same_predicate and "denial" in newer.cues,
        "new object unknown": bool(newer.objects) and not newer.objects & (overlap.old | older.objects),
    }


def _rule_features(older: Clause, newer: Clause) -> _Features:
    """The certain rule, if there is one, and properties that rules depend on."""
    rule = certain_rule(older, newer)
    return {
        "identifier extended": extends(older, newer),
        "no cue": not newer.cues,
        "record": is_record(newer),
        f"rule {rule}": bool(rule),
        "rule": bool(rule),
    }


def _mood_features(older: Clause, newer: Clause, overlap: _Overlap) -> _Features:
    """Cases, negation, tense and mood, and the words that only the older clause has."""
    return {
        "cases differ": cases_differ(older, newer),
        "case in one": bool(older.condition) != bool(newer.condition),
        "old denied": older.denied,
        "old past": older.past,
        "new past": newer.past,
        "new unreal": not newer.stated,
        "old rest": min(len(overlap.rest), 6) / 6,
    }


def _cue_features(newer: Clause, overlap: _Overlap, cosine: float) -> _Features:
    """Each cue of the newer clause, alone and with the parts that both clauses share."""
    found: _Features = {}
    for cue in RULES[1:]:
        if cue in newer.cues:
            found |= {
                f"cue {cue}": True,
                f"cue {cue} and shared": bool(overlap.shared),
                f"cue {cue} and shared much": overlap.cover,
                f"cue {cue} and predicate": overlap.same_predicate,
                f"cue {cue} and type": overlap.same_kind or overlap.other_names,
                f"cue {cue} and owner": overlap.same_subject,
                f"cue {cue} by cosine": cosine,
            }
    return found


def _slot_features(older: Clause, newer: Clause) -> _Features:
    """Attributes and values of both statements."""
    one, other = older.statement, newer.statement
    if one is None or other is None:
        return {}
    is_same_slot = one.attribute == other.attribute
    is_same_value = is_same_slot and one.value.casefold() == other.value.casefold()
    return {
        "slot same": is_same_slot,
        "slot other": not is_same_slot,
        "slot value same": is_same_value,
        "slot value differs": is_same_slot
        and not is_same_value
        and one.functional
        and (is_same_owner(older, newer) or one.subject == other.subject)
        and one.condition == other.condition
        and not one.denied,
        "slot denied": is_same_value and other.denied and not one.denied,
    }


def _kinds(figures: frozenset[str]) -> frozenset[str]:
    """Kinds of several figures."""
    return frozenset(map(_kind, figures))


def _kind(figure: str) -> str:
    """Kind of a figure: date, clock, host, version or number."""
    if _MONTH_OR_DAY.search(figure):
        return "date"
    if _CLOCK.fullmatch(figure):
        return "clock"
    if re.search(r"[a-z]", figure) and _HOST.fullmatch(figure):
        return "host"
    return "version" if _VERSION.fullmatch(figure) else "number"
