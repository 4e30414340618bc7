"""Effects of a newer clause on an older one: an end, a dispute, or none.

A logistic regression over features of the two parses decides. Its weights (`corrections.json`) are fitted by
`benches/python/knowledge/fit.py` on labelled pairs. Where the cross-encoder is installed, a second regression weighs
its log odds and those of the first one. A judgement names its rule, so that a rule can be switched off
(`curator.rules_off`) by its measured precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from bardo._weights import read_weights
from bardo.consolidate.clause import Clause, Rule
from bardo.consolidate.corrections.bare_values import may_correct
from bardo.consolidate.corrections.compatible import are_about_others, are_of_strangers
from bardo.consolidate.corrections.compatible_records import has_value
from bardo.consolidate.corrections.correction_features import features
from bardo.consolidate.corrections.correction_rules import (
    RULES,
    certain_rule,
    changes_bare_value,
    denies_another,
    ends_person,
    ends_plainly,
    gives_same_day,
    have_topic_in_common,
    is_of_companion,
    is_of_other_person,
    is_on_other_day,
    is_same_owner,
    leaves_person_out,
    names_ended,
    names_parted,
    said_of,
    takes_back,
    words_of,
)
from bardo.consolidate.corrections.debts import pays_debt, pays_part
from bardo.consolidate.corrections.endings import ends_complaint, ends_unnamed, gives_up
from bardo.consolidate.corrections.holders import ends_holding, is_of_another_role, keeps_holder
from bardo.consolidate.corrections.homes import names_other_home
from bardo.consolidate.corrections.laws import is_occasion_beside_law
from bardo.consolidate.corrections.medicines import changes_dose
from bardo.consolidate.corrections.phones import changes_phone, is_of_another_phone
from bardo.consolidate.corrections.topics import are_linked, names_company, names_part, share_time_alone

#: Cues with which a report of an event can end another: by themselves later events end nothing.
TAKES_BACK = frozenset({"correction", "from", "instead", "denial"})
#: Cues that say more than their words repeat.
ENDS = frozenset({"ending", "from", "instead", "correction"})
#: Cues of a new value, which takes the place of one that the older clause has.
VALUE_RULES = frozenset({"correction", "change", "new", "now", "bound"})
#: Features of a value that stands where the older clause has one.
_PLACES = ("type match", "new name for old name", "same predicate", "left hit", "slot value differs")
#: Those of them that need more than two names or one verb.
_VALUES = ("type match", "left hit", "slot value differs")
#: Rule of a correction that no word announces.
READ: Rule = "read"
#: Log odds from which a clause without a word of change ends an older one that it names.
SURE = 2.3
#: Log odds by the features below which less makes no difference to a pair that the cross-encoder has read.
LEAST_FEATURES = -8.0
#: Log odds by the features, with the nearest cosine, under which no pair is read.
UNLIKELY = -6.0
#: Greatest log odds without an effect on a fact or a turn.
OPEN = 0.0
#: Log odds of a pair that cannot be a correction.
NEVER = -99.0
#: Cosine of sentences that correct each other, at the upper end.
NEAREST = 0.9


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement on a pair of clauses.

    Args:
        total: Log odds that the newer clause ends or replaces what the older one says.
        rule: Name of the rule, or of the cue that carries the judgement; empty if words alone carry it.
        is_beside: Whether the newer clause is about another person or thing, so that it disputes a fact at most.
    """

    total: float
    rule: Rule
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Log odds from which a judgement has an effect.

    Args:
        ends: Least log odds of an end of a fact; 1.5 in 1,000 pairs of turns of chats reach it.
        disputes: Least log odds of a dispute of a fact; 12 in 1,000 reach it.
        turns: Least log odds of a correction of a turn by a turn; 10 in 1,000 reach it.
    """

    ends: float
    disputes: float
    turns: float


@cache
def limits(*, is_read: bool = False) -> Limits:
    """Returns the limits that were fitted with the weights.

    Args:
        is_read: Whether the judgements have the log odds of the cross-encoder.
    """
    found = _document()["limits of read pairs" if is_read else "limits"]
    return Limits(found["ends"], found["disputes"], found["turns"])


def judge(older: Clause, newer: Clause, cosine: float, encoder_odds: float | None = None) -> Judgement:
    """Judges a pair of clauses.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer text.
        cosine: Cosine of the vectors of both sentences; 0 without an embedder.
        encoder_odds: Log odds by the cross-encoder; None without it.
    """
    settled = _settled(older, newer, limits(is_read=encoder_odds is not None))
    if settled is not None:
        return settled
    found = features(older, newer, cosine)
    total = _total(found)
    rule = certain_rule(older, newer)
    if not rule and (open_rule := _open_rule(older, newer)):
        return Judgement(limits(is_read=encoder_odds is not None).disputes, open_rule)
    is_certain = bool(rule) and (
        rule in ("denial", "judged slot", "new") or total >= limits().disputes or ends_plainly(older, newer)
    )
    rule = rule if is_certain else _carrying_rule(found, older, newer)
    if not is_certain and rule in ("bound", "change", "ending") and share_time_alone(older, newer):
        return Judgement(NEVER, rule)
    if encoder_odds is not None:
        weighed = _weighed(read_features(total, cosine, encoder_odds, is_announced=bool(rule)))
        judgement = _with_encoder(weighed, rule, is_certain=is_certain)
        return judgement if is_certain else _limited(judgement, found, older, newer, rule)
    return (
        Judgement(max(total, limits().ends), rule)
        if is_certain
        else _by_words(total, found, older, newer, rule)
    )


def _by_retraction(older: Clause, newer: Clause, least: Limits) -> Judgement:
    """Judgement on a clause that takes back what its speaker said: an end of what has its words.

    One word that is not the whole value may be in other statements, too: "forget the gluten business".
    """
    if not takes_back(older, newer):
        return Judgement(NEVER, "correction")
    stated = older.statement
    is_value = (
        stated is not None and is_same_owner(older, newer) and words_of(stated.value) <= newer.retracted
    )
    is_named = is_value or len(newer.retracted) > 1
    return Judgement(least.ends if is_named else least.disputes, "correction")


def _settled(older: Clause, newer: Clause, least: Limits) -> Judgement | None:
    """Judgement on a pair that no regression judges; None for the others.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer text.
        least: Least log odds of an end and a dispute.
    """
    if newer.retracted:
        return _by_retraction(older, newer, least)
    if rule := ends_holding(older, newer):
        return Judgement(max(least.ends, SURE), rule)
    if pays_debt(older, newer) or ends_complaint(older, newer):
        return Judgement(max(least.ends, SURE), "ending")
    if changes_dose(older, newer) or changes_phone(older, newer):
        return Judgement(least.ends, "judged slot")
    return Judgement(NEVER, "") if can_both_hold(older, newer) else None


def _limited(
    judgement: Judgement, found: Mapping[str, float], older: Clause, newer: Clause, rule: Rule
) -> Judgement:
    """Judgement with the cross-encoder, without the effects of news about another topic, person or thing.

    Args:
        judgement: Judgement by the second regression.
        found: Features of the pair.
        older: Clause of the older text.
        newer: Clause of the newer text.
        rule: Rule or cue that carries the judgement; empty if no word announces a change.
    """
    # "His last day is Friday" gives no other day than "he wants the Friday off".
    is_unplaced = _is_unplaced(found, older, newer, rule)
    is_of_strangers = rule == "now" and (
        are_of_strangers(older, newer) or (newer.owner and not have_topic_in_common(older, newer))
    )
    is_beside = is_unplaced and (gives_same_day(older, newer) or is_of_strangers)
    is_of_another = is_beside or _is_of_another_topic(older, newer, rule)
    is_open = judgement.total < SURE or (not rule and are_of_strangers(older, newer))
    is_open |= not rule and _is_incident(older, newer)
    is_open |= not rule and ends_unnamed(older, newer)
    if is_open and is_of_another:
        return Judgement(NEVER, READ)
    return Judgement(judgement.total, judgement.rule, _is_beside(found, older, newer, rule))


def _by_words(
    total: float, found: Mapping[str, float], older: Clause, newer: Clause, rule: Rule
) -> Judgement:
    """Judgement without the cross-encoder by a rule that is not certain.

    Args:
        total: Log odds by the first regression.
        found: Features of the pair.
        older: Clause of the older text.
        newer: Clause of the newer text.
        rule: Cue that carries the judgement; empty if words alone carry it.
    """
    is_unplaced = _is_unplaced(found, older, newer, rule)
    if is_unplaced and older.statement is not None and older.statement.functional:
        # "It's the 15th, her birthday" gives no other home.
        return Judgement(NEVER, rule)
    if is_unplaced or leaves_person_out(older, newer):
        # An end becomes a dispute, and a dispute nothing.
        total = limits().disputes if total >= limits().ends else NEVER
    return Judgement(total, rule)


def _is_unplaced(found: Mapping[str, float], older: Clause, newer: Clause, rule: Rule) -> bool:
    """Whether a word announces a value that stands in the place of none of the older clause."""
    return rule in VALUE_RULES and not (_is_placed(found) or is_on_other_day(older, newer))


def _open_rule(older: Clause, newer: Clause) -> Rule:
    """Name of the rule by which a newer clause disputes an older one that it may not be about; empty if none fits."""
    if names_parted(older, newer):
        return "ending"
    if names_part(older, newer):
        return "denial"
    if newer.cues & {"denial", "ending"} and names_company(older, newer):
        return "denial" if newer.denied else "ending"
    if may_correct(older.statement, newer):
        return "correction"
    # A home may be a region around the town of an address, and a dose that of another medicine.
    return "judged slot" if names_other_home(older, newer) or changes_bare_value(older, newer) else ""


def _is_of_another_topic(older: Clause, newer: Clause, rule: Rule) -> bool:
    """Whether a newer clause tells nothing of an older one that only the cross-encoder finds corrected.

    "We closed the account" disputes no home, "I don't have a niece" neither, and "I've registered the
    business" no other work.
    """
    if not rule and (are_of_strangers(older, newer) or _is_incident(older, newer)):
        return True
    is_apart = not have_topic_in_common(older, newer)
    if rule == "denial":
        return is_apart
    if rule == "ending":
        return is_apart and not is_same_owner(older, newer)
    return not rule and ("ending" in newer.cues or (is_apart and bool(older.features.get("self"))))


def _is_incident(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause without an owner tells what happened, and has of an older one a name at most.

    "The vet tested Biscuit, it was mites" ends nothing of "we have a beagle, Biscuit".
    """
    shared = (older.anchors | older.objects) & (said_of(newer) | newer.objects)
    return not newer.owner and newer.past and shared <= older.names


def by_features(older: Clause, newer: Clause, cosine: float) -> float:
    """Log odds of a pair by its features alone, as `judge` takes them.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer text.
        cosine: Cosine of the vectors of both sentences.
    """
    return _total(features(older, newer, cosine))


def _total(found: Mapping[str, float]) -> float:
    """Log odds by the first regression."""
    weights = _document()["weights"]
    return weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in found.items())


def read_features(
    total: float, cosine: float, encoder_odds: float, *, is_announced: bool
) -> dict[str, float]:
    """Features of a pair that the cross-encoder has read, for the second regression.

    Args:
        total: Log odds of the pair by its features alone (`by_features`).
        cosine: Cosine of the vectors of both sentences.
        encoder_odds: Log odds by the cross-encoder.
        is_announced: Whether a word of the newer clause announces a change.
    """
    return {
        "features": max(total, LEAST_FEATURES),
        "read": encoder_odds,
        "announced": float(is_announced),
        "cosine": cosine,
    }


def _with_encoder(weighed: float, rule: Rule, *, is_certain: bool) -> Judgement:
    """Judgement on a pair that the cross-encoder has read.

    Args:
        weighed: Log odds by the second regression.
        rule: The rule; empty if no word announces a change.
        is_certain: Whether the rule ends the older clause for certain.
    """
    ends, disputes = limits(is_read=True).ends, limits(is_read=True).disputes
    if is_certain:
        return Judgement(max(weighed, ends), rule)
    if not rule and weighed < SURE:
        # A pair that no word announces disputes where an announced one would end: of the likely ones below, five of six
        # disputed a fact that they say nothing of.
        return Judgement(disputes if weighed >= ends else min(weighed, OPEN), READ)
    return Judgement(weighed, rule or READ)


def _weighed(found: Mapping[str, float]) -> float:
    """Log odds by the second regression."""
    weights = _document()["weights of read pairs"]
    return weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in found.items())


def _is_placed(found: Mapping[str, float]) -> bool:
    """Whether a newer value stands where the older clause has one."""
    return any(found.get(name) for name in _PLACES) or any(name.startswith("rival ") for name in found)


def _is_beside(found: Mapping[str, float], older: Clause, newer: Clause, rule: Rule) -> bool:
    """Whether only one of two clauses is about the speaker, and the newer one has no value for the older one's place.

    Such news end no fact, even if the cross-encoder is sure: "Jon moves to his sister's" leaves "Jon, Kasia and I
    share a flat" in doubt at most.
    """
    if (rule and rule not in VALUE_RULES) or rule == "correction" or not (newer.owner or newer.topic):
        return False
    if _is_of_speaker(older) == _is_of_speaker(newer) or are_linked(older, newer):
        return False
    return not any(found.get(name) for name in _VALUES)


def _is_of_speaker(clause: Clause) -> bool:
    """Whether a clause is about the speaker, or a person or thing of theirs."""
    return bool(clause.features.get("self") or clause.features.get("subject of mine"))


def can_both_hold(older: Clause, newer: Clause) -> bool:
    """Whether both clauses can hold, so that no regression judges them."""
    if ends_person(older, newer):
        return False
    if is_of_another_role(older, newer) or keeps_holder(older, newer) or is_occasion_beside_law(older, newer):
        return True
    if pays_part(older, newer) or is_of_another_phone(older, newer):
        return True
    # Of two events both happened.
    are_events = older.past and newer.past and not newer.cues & TAKES_BACK and not gives_up(older, newer)
    is_of_companion_alone = is_of_companion(older, newer) and not newer.cues & (TAKES_BACK | ENDS)
    is_of_other = is_of_other_person(older, newer) or is_of_companion_alone or are_about_others(older, newer)
    return are_events or is_of_other or denies_another(older, newer) or _repeats(older, newer)


def _repeats(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause says nothing beyond the older one: the same words, and no end or denial."""
    if newer.denied != older.denied or newer.cues & ENDS or not (newer.anchors or newer.names):
        return False
    stated = older.statement
    if (
        stated is not None
        and stated.functional
        and not newer.left
        and has_value(newer.sentence, stated.value)
    ):
        # Another wording of the same value.
        return True
    if "change" in newer.cues and newer.predicate != older.predicate:
        # "The choir has moved" gives no new place, and says more than "I sing in a choir".
        return False
    known = older.anchors | older.names | older.figures
    return newer.anchors | newer.names | newer.figures <= known


def _carrying_rule(found: Mapping[str, float], older: Clause, newer: Clause) -> Rule:
    """Name of the most specific rule that a judgement by features rests on."""
    if found.get("slot value differs"):
        return "judged slot"
    cues = newer.cues if names_ended(older, newer) else newer.cues - {"ending"}
    if newer.past:
        # "Again" and "since" give no new state in "I welded the frame again".
        cues -= {"now"}
    return next((rule for rule in RULES if rule in cues), "")


def _document() -> Mapping[str, Mapping[str, float]]:
    """The fitted weights and limits."""
    return read_weights("bardo.consolidate.corrections", "corrections.json")
