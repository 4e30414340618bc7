"""Effects of a new clause on an older one: whether it ends what the older one says, disputes it, or leaves it alone.

A logistic regression over features of the two parses decides (`corrections.json`, fitted by `benches/python/knowledge/fit.py` on
labelled pairs). The rule that a retirement names is the cue that
carried it, so that a rule can be switched off by its measured precision (`curator.rules_off`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from bardo.consolidate.clause import Clause

#: Words that a record shares with a statement at least, and the share of the statement's words, to end it or its value.
LEAST_SHARED, LEAST_COVER_OF_END, LEAST_COVER_OF_VALUE = 2, 0.6, 0.75
#: Rules in the order in which one is named: the most specific first.
RULES = ("slot", "denial", "from", "instead", "ending", "bound", "correction", "change", "new", "now")
_CLOCK = re.compile(r"\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?")
_MONTH = re.compile(
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|monday|tuesday|wednesday|thursday|friday|saturday|sunday", re.IGNORECASE
)  # fmt: skip


#: A cosine as high as that of statements that correct each other.
NEAREST = 0.9


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement on a pair of clauses.

    Args:
        total: Log odds that the newer clause ends or replaces what the older one says.
        rule: Name of the rule: the cue that carries the judgement; empty if words alone do.
    """

    total: float
    rule: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Log odds from which a judgement has an effect.

    Args:
        ends: Least log odds of an end; about one compatible pair in seventy reaches it.
        disputes: Least log odds of a dispute; about one compatible pair in five reaches it.
    """

    ends: float
    disputes: float


def limits() -> Limits:
    """The limits that were fitted with the weights."""
    found = _document()["limits"]
    return Limits(found["ends"], found["disputes"])


def judge(older: Clause, newer: Clause, cosine: float) -> Judgement:
    """Judges a pair of clauses.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer one, with a cue.
        cosine: Of the sentences' vectors; 0 without an embedder.
    """
    found = features(older, newer, cosine)
    weights = _weights()
    total = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in found.items())
    if (rule := certain_rule(older, newer)) and (rule == "denial" or total >= limits().disputes):
        return Judgement(max(total, limits().ends), rule)
    return Judgement(total, rule_of(found, newer))


def certain_rule(older: Clause, newer: Clause) -> str:
    """Name of the rule by which a newer clause ends an older one; empty if none does.

    Each rule needs what ends and the thing that it belongs to, both named by both clauses. A rule ends a fact where the
    regression at least disputes it; a denial needs no more. `benches/python/knowledge/rules.py` prints the
    precision of each.
    """
    if older.denied or not newer.stated or _extends(older, newer) or not _may_be_same_owner(older, newer):
        return ""
    cases = set(older.condition.split()), set(newer.condition.split())
    if cases[0] and cases[1] and not cases[0] & cases[1]:
        return ""
    old = older.anchors | older.names | _words(older.owner)
    new = newer.anchors | newer.names | newer.value | _words(newer.owner) | newer.left
    left = newer.left & (old | older.figures | _parts(older.figures))
    beside = (old & new) - left - newer.left
    if (
        left
        and ("from" in newer.cues or "instead" in newer.cues)
        and (beside or _is_record(newer))
        and not newer.denied
    ):
        return "from" if "from" in newer.cues else "instead"
    if _is_record(newer):
        return _record_rule(older, newer)
    ends = newer.objects & (older.objects | older.names)
    same_subject = bool(older.owner) and older.owner == newer.owner
    owned = same_subject or not newer.owner or bool(_words(older.owner) & newer.objects)
    if "ending" in newer.cues and not newer.denied and ends and owned and not newer.past_dated:
        return "ending"
    if (
        "denial" in newer.cues
        and newer.denied
        and same_subject
        and older.predicate == newer.predicate
        and older.objects
        and older.objects <= newer.objects | newer.anchors
        and not newer.past
    ):
        return "denial"
    return ""


def _record_rule(older: Clause, newer: Clause) -> str:
    """Name of the rule by which a line of a record ends an older clause."""
    content = {word for word in older.anchors | older.names if not re.search(r"\d", word)}
    shared = {word for word in content if _plain(word) & newer.anchors}
    cover = len(shared) / max(1, len(content))
    if len(shared) < LEAST_SHARED or newer.cues & {"bound"}:
        return ""
    if "ending" in newer.cues and cover >= LEAST_COVER_OF_END:
        return "ending"
    digits = {part for figure in older.figures for part in re.findall(r"\d+(?:[.:]\d+)*", figure)}
    others = {part for figure in newer.figures for part in re.findall(r"\d+(?:[.:]\d+)*", figure)}
    if digits and others and not digits & others and cover >= LEAST_COVER_OF_VALUE:
        return "value"
    return ""


def _plain(word: str) -> set[str]:
    """Parts of a word as records are read: identifiers are split, plurals are cut."""
    parts = {part for part in re.split(r"[^a-z]+", word.lower()) if part}
    return parts | {part[:-1] for part in parts if len(part) > 3 and part.endswith("s")}


def _is_record(clause: Clause) -> bool:
    return not clause.predicate and not clause.owner


def _may_be_same_owner(older: Clause, newer: Clause) -> bool:
    """Whether two clauses may be about one owner: an owner is unknown, or their words overlap."""
    if not older.owner or not newer.owner or _is_record(older) or _is_record(newer):
        return True
    one, other = _words(older.owner), _words(newer.owner)
    return (
        bool(one & other)
        or bool(other & (older.anchors | older.names))
        or bool(one & (newer.anchors | newer.names))
    )


def rule_of(found: Mapping[str, float], newer: Clause) -> str:
    """Name of the rule that carries a judgement."""
    if found.get("slot value differs"):
        return "slot"
    return next((rule for rule in RULES if rule in newer.cues), "")


def features(older: Clause, newer: Clause, cosine: float) -> dict[str, float]:
    """Features of a pair of clauses by name."""
    old = older.anchors | older.names | _words(older.predicate)
    new = newer.anchors | newer.names | _words(newer.predicate) | newer.left | newer.value
    old_content = older.anchors | older.names
    shared = old_content & new
    shared_names = older.names & (newer.names | newer.left | newer.anchors)
    shared_figures = older.figures & (newer.figures | newer.left)
    rest_old = old_content - new
    fresh_figures = newer.figures - older.figures
    rest_figures = older.figures - newer.figures
    fresh_names = newer.names - older.names - {newer.owner, older.owner}
    rest_names = older.names - newer.names - {newer.owner, older.owner}
    same_owner = bool(older.owner) and older.owner == newer.owner
    cases = set(older.condition.split()), set(newer.condition.split())
    kinds_old, kinds_new = _kinds(rest_figures), _kinds(fresh_figures)
    type_match = bool(kinds_old & kinds_new)
    same_predicate = (
        bool(older.predicate)
        and older.predicate == newer.predicate
        and older.predicate not in ("be", "have", "get")
    )
    left_hit = bool(newer.left & (old | older.figures | _parts(older.figures)))
    subject_shared = bool(_words(older.owner) & (_words(newer.owner) | new)) or bool(
        _words(newer.owner) & old
    )
    found: dict[str, float] = {"cosine": cosine, "cosine squared": cosine * cosine}

    def mark(name: str, value: float | bool) -> None:
        if value:
            found[name] = float(value)

    mark("shared of old", len(shared) / max(1, len(old_content)))
    mark("shared count", min(len(shared), 4) / 4)
    mark("shared name", bool(shared_names))
    mark("shared figure", bool(shared_figures))
    mark("nothing shared", not shared and not shared_figures)
    mark("same owner", same_owner)
    mark("other owner", bool(older.owner and newer.owner) and not same_owner and not subject_shared)
    mark("subject shared", subject_shared)
    mark("owner unknown", not newer.owner)
    mark("same predicate", same_predicate)
    mark("left hit", left_hit)
    mark("left missed", bool(newer.left) and not left_hit)
    mark("type match", type_match)
    mark("type mismatch", bool(kinds_old) and bool(kinds_new) and not type_match)
    mark("new name for old name", bool(fresh_names) and bool(rest_names))
    mark("new value", bool(fresh_figures or fresh_names))
    conflict = _conflict(older.fillers, newer.fillers)
    for kind in conflict:
        mark(f"rival {kind}", True)
        mark(f"rival {kind} and owner", same_owner or subject_shared)
        mark(f"rival {kind} and shared", len(shared) / max(1, len(old_content)))
        mark(f"rival {kind} and cue", bool(newer.cues & _CHANGES))
        mark(f"rival {kind} by cosine", cosine)
    mark("same filler", bool(older.fillers & newer.fillers))
    object_hit = bool(older.objects & (new | newer.objects))
    mark("object hit", object_hit)
    mark("object missed", bool(older.objects) and not object_hit)
    mark("ends object", object_hit and bool(newer.cues & {"ending", "denial"}))
    mark(
        "ends other object",
        bool(older.objects)
        and bool(newer.objects)
        and not object_hit
        and bool(newer.cues & {"ending", "denial"}),
    )
    mark("ends predicate", same_predicate and "denial" in newer.cues)
    mark("new object unknown", bool(newer.objects) and not newer.objects & (old | older.objects))
    mark("identifier extended", _extends(older, newer))
    mark("no cue", not newer.cues)
    mark("record", not newer.predicate and not newer.owner)
    if rule := certain_rule(older, newer):
        mark(f"rule {rule}", True)
        mark("rule", True)
    mark("cases differ", bool(cases[0] and cases[1]) and not cases[0] & cases[1])
    mark("case in one", bool(cases[0]) != bool(cases[1]))
    mark("old denied", older.denied)
    mark("old past", older.past)
    mark("new past", newer.past)
    mark("new unreal", not newer.stated)
    mark("old rest", min(len(rest_old), 6) / 6)
    for cue in RULES[1:]:
        if cue in newer.cues:
            mark(f"cue {cue}", True)
            mark(f"cue {cue} and shared", bool(shared))
            mark(f"cue {cue} and shared much", len(shared) / max(1, len(old_content)))
            mark(f"cue {cue} and predicate", same_predicate)
            mark(f"cue {cue} and type", type_match or (bool(fresh_names) and bool(rest_names)))
            mark(f"cue {cue} and owner", same_owner or subject_shared)
            mark(f"cue {cue} by cosine", cosine)
    one, other = older.statement, newer.statement
    if one is not None and other is not None:
        same_slot = one.attribute == other.attribute
        same = one.value.casefold() == other.value.casefold()
        mark("slot same", same_slot)
        mark("slot other", not same_slot)
        mark("slot value same", same_slot and same)
        mark(
            "slot value differs",
            same_slot
            and not same
            and one.functional
            and same_owner
            and one.condition == other.condition
            and not one.denied,
        )
        mark("slot denied", same_slot and same and other.denied and not one.denied)
    return found


_CHANGES = frozenset({"now", "change", "from", "instead", "correction", "new", "bound"})


def _conflict(older: frozenset[tuple[str, str]], newer: frozenset[tuple[str, str]]) -> set[str]:
    """Kinds of values with which the governors that both clauses fill differ."""
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


_IDENTIFIER = re.compile(r"[A-Za-z][\w.]*[_.-][\w.-]*\w|\w+\(\)|[a-z]+[A-Z]\w+")


def _extends(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is about an identifier that only begins like one of the older clause."""
    ours = {match[0].rstrip("()") for match in _IDENTIFIER.finditer(older.sentence)} | set(older.names)
    others = {match[0].rstrip("()") for match in _IDENTIFIER.finditer(newer.sentence)}
    low = newer.sentence.lower()
    return any(
        other.lower() != own.lower() and other.lower().startswith(own.lower()) and len(own) > 2
        and not re.search(rf"(?<![\w-]){re.escape(own.lower())}(?![\w-])", low)
        for own in ours for other in others
    )  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(part for part in re.split(r"[\s']+", text) if len(part) > 2)


def _parts(figures: frozenset[str]) -> frozenset[str]:
    return frozenset(part for figure in figures for part in re.split(r"[^\w.]+", figure) if part)


def _kinds(figures: frozenset[str]) -> set[str]:
    """Kinds of values: clock, date, version, host, number."""
    kinds = set()
    for figure in figures:
        if _MONTH.search(figure):
            kinds.add("date")
        elif _CLOCK.fullmatch(figure):
            kinds.add("clock")
        elif re.search(r"[a-z]", figure) and _HOST.fullmatch(figure) and "." in figure:
            kinds.add("host")
        elif _VERSION.fullmatch(figure):
            kinds.add("version")
        else:
            kinds.add("number")
    return kinds


@cache
def _document() -> Mapping[str, Mapping[str, float]]:
    text = resources.files("bardo.consolidate").joinpath("corrections.json").read_text(encoding="utf-8")
    document: Mapping[str, Mapping[str, float]] = json.loads(text)
    return document


def _weights() -> Mapping[str, float]:
    return _document()["weights"]
