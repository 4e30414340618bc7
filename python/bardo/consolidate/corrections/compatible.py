"""Pairs of clauses that can both hold, which the regressions of `corrections` do not judge."""

from __future__ import annotations

import re

from bardo.consolidate.attributes import BUILT_IN, GENERIC, may_change_together
from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.compatible_records import (
    has_new_value,
    has_value,
    is_of_another_line,
    leaves_value_out,
    tells_event,
)
from bardo.consolidate.corrections.correction_rules import (
    LIGHT_VERBS,
    certain_rule,
    changes_bare_value,
    denied_of,
    is_record,
    is_same_owner,
    parts_of,
    words_of,
)
from bardo.consolidate.corrections.endings import changes_another, ends_another
from bardo.consolidate.corrections.named_things import is_of_another_name
from bardo.consolidate.corrections.numbered_things import is_of_another_number
from bardo.consolidate.corrections.templates import is_of_another_member
from bardo.consolidate.corrections.untouched import denies_since_event, is_apart_from_order, is_left_alone

_CODE_NAME = re.compile(r"[_/]\w|\w\.\w|\w-\d|\(\)")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
#: Verbs of a return.
_RETURNING = frozenset({"be back", "come back", "get back", "go back", "head back"})
#: Verbs by which a value stays.
_KEEPING = frozenset({"continue", "keep", "leave", "remain", "stay", "stick"})
#: Verbs of changing a value, by the denial of which it stays.
_ADJUSTING = frozenset({
    "adjust", "alter", "bump", "change", "cut", "decrease", "extend", "increase", "lower", "modify", "raise", "reduce",
    "shorten", "touch", "tweak", "upgrade",
})  # fmt: skip
#: Verbs of a decision on a change.
_DECIDING = frozenset(
    {"accept", "approve", "authorise", "authorize", "deploy", "merge", "ratify", "release", "ship"}
)
#: Cues of a clause that tells a change itself, so that a denial of the change corrects it.
_OF_CHANGE = frozenset({"change", "from"})
#: Prepositions between an attribute and its thing.
_PART_OF = re.compile(r" (?:of|for) ")
#: Environment that a statement without one may be about.
_PRODUCTION = "production"
#: Letters by which two forms of a word are the same, such as "retry" and "retries".
_STEM = 4


def are_about_others(older: Clause, newer: Clause) -> bool:
    """Whether two clauses are about different values, things, attributes or people."""
    return (
        leaves_value_out(older, newer)
        or is_of_another_number(older, newer)
        or are_strangers_apart(older, newer)
        or bounds_another(older, newer)
        or is_of_another_thing(older, newer)
        or is_of_another_name(older, newer)
        or is_of_another_attribute(older, newer)
        or is_of_another_subject(older, newer)
        or is_of_another_part(older, newer)
        or is_of_another_family(older, newer)
        or is_of_another_member(older, newer)
        or is_of_relative(older, newer)
        or is_of_another_holder(older, newer)
        or is_in_another_environment(older, newer)
        or names_only_institution(older, newer)
        or is_age_of_none(older, newer)
        or is_plan_beside_state(older, newer)
        or returns_to_known(older, newer)
        or denies_other_value(older, newer)
        or denies_other_thing(older, newer)
        or replaces_other_value(older, newer)
        or sets_other_figure(older, newer)
        or keeps_value(older, newer)
        or is_undecided(older, newer)
        or has_new_value(older, newer)
        or tells_event(older, newer)
        or is_of_another_line(older, newer)
        or is_denied_briefly(older, newer)
        or denies_since_event(older, newer)
        or is_apart_from_order(older, newer)
        or ends_another(older, newer)
        or changes_another(older, newer)
    )


def are_of_strangers(older: Clause, newer: Clause) -> bool:
    """Whether two clauses are about different people, or things, that have no name in common.

    "The contract belongs to Sensortek" and "bank details of Sensortek" are about two things. Of people, neither clause
    names the other one's.
    """
    if not older.owner or not newer.owner or is_same_owner(older, newer):
        return False
    one, other = words_of(f"{older.owner} {older.alias}"), words_of(f"{newer.owner} {newer.alias}")
    if _is_of_thing(older) and _is_of_thing(newer):
        return not one & other & (older.anchors | older.names)
    are_people = older.is_about_person and newer.is_about_person
    return are_people and not one & (other | _said(newer)) and not other & (one | _said(older))


def _is_of_thing(clause: Clause) -> bool:
    """Whether a clause is about a thing, by a noun or by a name in code."""
    return bool(clause.features.get("subject thing") or _CODE_NAME.search(clause.owner))


def are_strangers_apart(older: Clause, newer: Clause) -> bool:
    """Whether two clauses about different people, by name, have no word but a verb in common.

    "The Demirs moved in" says nothing of "my son Timo moves in", but "Carl leads it" may of "Berta leads it".
    """
    if not (_is_of_person(older) and _is_of_person(newer)) or is_same_owner(older, newer) or newer.holders:
        return False
    ours, theirs = words_of(f"{older.owner} {older.alias}"), words_of(f"{newer.owner} {newer.alias}")
    if ours & (theirs | _said(newer) | newer.anchors | newer.names):
        return False
    if theirs & (_said(older) | older.anchors | older.names):
        return False
    one, other = (each.anchors | each.names | each.objects | each.figures for each in (older, newer))
    return not (one & other) - ours - theirs


def _is_of_person(clause: Clause) -> bool:
    """Whether a clause is about a person, by name or by "he" or "she"."""
    return bool(clause.owner) and (clause.is_about_person or bool(clause.features.get("subject pronoun")))


def bounds_another(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause says no more than until when something holds, which the older one does not say.

    "The lift is fine until March" ends nothing of "the lift is serviced in March and September".
    """
    if newer.cues != {"bound"} or newer.until is None or older.until is not None or older.over is not None:
        return False
    one, other = older.statement, newer.statement
    if one is not None and other is not None and one.attribute == other.attribute:
        return False
    is_one_complement = newer.predicate not in LIGHT_VERBS or bool(
        older.objects & newer.objects - newer.names - words_of(newer.owner)
    )
    return older.predicate != newer.predicate or not is_one_complement


def is_of_another_thing(older: Clause, newer: Clause) -> bool:
    """Whether both clauses state one attribute of different things of a kind: "admin console", "metrics console"."""
    one, other = older.statement, newer.statement
    if one is None or other is None or one.attribute != other.attribute:
        return False
    ours, theirs = _named_words(one.subject), _named_words(other.subject)
    if older.owner == newer.owner and newer.features.get("subject thing") and not set(ours) & set(theirs):
        # "The deadline for the poster", "the deadline for the paper".
        return True
    is_of_owners = (older.owner, newer.owner) == (one.subject, other.subject)
    if not is_of_owners and not (older.owner == newer.owner and newer.features.get("subject thing")):
        # "She raised the sertraline": the doctor does not tell it from another one.
        return False
    if not ours or not theirs or ours[-1] != theirs[-1]:
        return False
    return not (set(ours) <= set(theirs) or set(theirs) <= set(ours))


def is_of_another_attribute(older: Clause, newer: Clause) -> bool:
    """Whether both clauses state different attributes, such as a version and a port, and no value as replaced."""
    one, other = older.statement, newer.statement
    if one is None or other is None or one.attribute == other.attribute:
        return False
    if not one.functional:
        # "Orla has had a scare" tells nothing of a condition of hers; a death ends who has the cat.
        is_open = (
            one.subject != other.subject
            or one.attribute in GENERIC
            or may_change_together(one.attribute, other.attribute)
        )
        return not (is_open or newer.cues or other.denied or is_record(newer))
    if other.denied:
        return False
    if not other.functional:
        # "The ledger has five replicas" gives no port.
        return other.attribute == "has" and one.attribute.replace("_", " ") not in other.value.casefold()
    if other.subject.startswith(f"{one.subject} "):
        # "My office address" is of the office.
        return True
    # With the employer, the job may change.
    return not may_change_together(one.attribute, other.attribute) and not certain_rule(older, newer)


def is_of_another_subject(older: Clause, newer: Clause) -> bool:
    """Whether both clauses state one attribute of different people: "my birthday" is not "Wren's birthday".

    A person who is known by a relation alone, such as "my mum", can be one whom the other clause calls by name.
    """
    one, other = older.statement, newer.statement
    if one is None or other is None or one.attribute != other.attribute or is_same_owner(older, newer):
        return False
    if changes_bare_value(older, newer):
        return False
    if BUILT_IN.attribute(one.attribute).kind != "identity":
        return False
    ours, theirs = words_of(one.subject), words_of(other.subject)
    is_told_apart = "'s " not in one.subject or "'s " not in other.subject
    is_relation = "'s " in one.subject or "'s " in other.subject
    is_of_relative = f"{one.subject}'s " in other.subject or f"{other.subject}'s " in one.subject
    if not ours or not theirs or not (is_of_relative if is_relation and is_told_apart else not ours & theirs):
        return False
    return not (ours - theirs) & _said(newer) and not (theirs - ours) & _said(older)


def is_of_another_part(older: Clause, newer: Clause) -> bool:
    """Whether two clauses are about different parts or attributes of things: the rent of a flat, the deposit for it.

    Two words for one attribute, such as the owner and the maintainer of a service, are told by their statements.
    """
    ours, theirs = (_PART_OF.split(clause.owner, maxsplit=1) for clause in (older, newer))
    one, other = older.statement, newer.statement
    if (
        len(ours) < 2
        or len(theirs) < 2
        or (one is not None and other is not None and one.attribute == other.attribute)
    ):
        return False
    return not words_of(ours[0]) & words_of(theirs[0]) and not newer.cues & {"correction", "from", "instead"}


def is_of_another_family(older: Clause, newer: Clause) -> bool:
    """Whether two clauses are about relatives of one kind of two people: "Oona's mum" is not "Nils's mum"."""
    holder, _, kin = (older.alias or older.owner).rpartition("'s ")
    other, _, other_kin = (newer.alias or newer.owner).rpartition("'s ")
    are_known = bool(holder and other) and "user" not in (holder, other)
    return are_known and kin == other_kin and holder != other


def _said(clause: Clause) -> frozenset[str]:
    """Words of a clause, of its sentence and of the one before it; the clause has the name of "me" and "my"."""
    return words_of(f"{clause.context} {clause.sentence} {clause.text}".casefold())


def denies_other_value(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies another value than the older one states: of "allergic to cats", birch pollen."""
    if not newer.denied or older.denied or not older.predicate or older.predicate != newer.predicate:
        return False
    stated, denied = denied_of(older, newer)
    return older.objects == newer.objects and bool(stated and denied) and not stated & denied


def denies_other_thing(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies to have, or to be, what the older one does not name: of a dog, a niece.

    "Kasia is no clerk" denies nothing of "Kasia and I look for a flat", though both name her.
    """
    if not newer.denied or older.denied or newer.predicate not in LIGHT_VERBS:
        return False
    if not older.objects or not newer.objects or newer.cues & {"instead", "from"}:
        return False
    if older.predicate not in LIGHT_VERBS and newer.cues != {"denial"}:
        # "I'm not a smoker any more" may end "I smoke".
        return False
    said = newer.anchors | newer.names | newer.objects | newer.ended
    said -= frozenset() if is_same_owner(older, newer) else words_of(newer.owner)
    # "It's not the 11th" names the day of "on 11 December".
    days = {match[1] for match in map(_ORDINAL.fullmatch, said) if match and not newer.owner}
    if days and (said | days) & older.figures:
        return False
    if (
        older.statement is not None
        and older.statement.attribute in said
        and words_of(older.owner) & _said(newer)
    ):
        # "Jo was tested and there is no allergy" names the attribute of "Jo is allergic to peanuts".
        return False
    return not said & (older.anchors | older.names | older.objects) - words_of(older.owner)


def replaces_other_value(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause replaces a value of another owner that the older one does not have."""
    if "instead" not in newer.cues or not newer.left or is_same_owner(older, newer):
        return False
    if _measures_another(older, newer):
        return True
    said = older.anchors | older.names | older.figures | words_of(older.owner)
    return not (is_record(newer) or newer.left & said)


def _measures_another(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause replaces a figure in another unit: "30 percent, not 40" is no number of lots."""
    things = {*older.topic, *newer.topic, *older.names, *newer.names}
    ours, theirs = (
        {noun for noun, value in clause.fillers if value in newer.left and ":" not in noun} - things
        for clause in (older, newer)
    )
    return bool(ours and theirs) and not ours & theirs


def sets_other_figure(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause sets the figure of a thing of which the older one says no word: "set the pool to 30"."""
    known = older.statement
    if known is None or not known.functional or not known.value[:1].isdigit():
        return False
    if "change" not in newer.cues or newer.statement is not None or not newer.figures:
        return False
    figures = newer.figures | parts_of(newer.figures)
    things = {word for word in newer.objects - figures - newer.names if word.isalpha()}
    said = (
        older.anchors
        | older.objects
        | set(older.topic)
        | words_of(f"{known.subject} {known.attribute}".casefold())
    )
    return bool(things) and not {word[:_STEM] for word in newer.anchors - figures} & {
        word[:_STEM] for word in said
    }


def keeps_value(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause says that a value of the older one stays.

    "The GP leaves me on the 100" keeps a figure, and "we won't raise the threshold" the value that it has.
    """
    if newer.denied and newer.predicate in _ADJUSTING:
        return not (
            older.cues & _OF_CHANGE or older.predicate == newer.predicate or newer.figures & older.figures
        )
    if is_left_alone(older, newer):
        return True
    is_kept = newer.predicate in _KEEPING and not newer.denied and "ending" not in newer.cues
    # A regular act at the same figure keeps it: "we stop at a loss of 2 %" keeps "max daily loss: 2 %".
    is_regular = bool(newer.owner) and not (newer.past or newer.denied or newer.is_order or is_record(newer))
    is_kept |= newer.cues == {"ending"} and is_regular and bool(older.figures)
    # The figure of a name, such as "OPS-2291", is no value.
    figures = newer.figures - words_of(newer.owner)
    return is_kept and bool(figures) and all(has_value(older.sentence, figure) for figure in figures)


def is_undecided(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies a decision that the older one does not tell: "the change is not approved"."""
    return newer.denied and newer.predicate in _DECIDING and older.predicate != newer.predicate


def is_denied_briefly(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies for a few days what the older one says without a day.

    "Yusuf and I aren't together this weekend" ends nothing of "my partner is Yusuf".
    """
    has_day = older.briefly or older.over is not None or older.until is not None
    return newer.denies_briefly and not has_day


def is_of_relative(older: Clause, newer: Clause) -> bool:
    """Whether the older clause is about a relative of a person, whom the newer one about another does not name.

    "Jonas has left Brandt" ends nothing of "Jonas's brother Emil".
    """
    if not older.is_relative or is_same_owner(older, newer) or not newer.owner:
        return False
    person = older.owner.rpartition("'s ")[2]
    one, other = older.statement, newer.statement
    is_one_attribute = one is not None and other is not None and one.attribute == other.attribute
    return not is_one_attribute and not words_of(person) & (newer.anchors | newer.names)


def is_of_another_holder(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells of what belongs to a person whom the older one does not name.

    "The neighbours' whippet died" ends nothing of "we have a whippet".
    """
    if not newer.holders or newer.cues & {"correction", "instead"}:
        return False
    said = f"{older.lead} {older.context} {older.sentence} {older.owner} {older.alias}".casefold()
    return not any(holder in said for holder in newer.holders)


def is_in_another_environment(older: Clause, newer: Clause) -> bool:
    """Whether both clauses are limited to different environments; one that names none may be about production."""
    if not newer.environments or newer.environments & older.environments:
        return False
    return bool(older.environments) or _PRODUCTION not in newer.environments


def names_only_institution(older: Clause, newer: Clause) -> bool:
    """Whether both clauses have a place in common that the newer one names only to tell an institution.

    "Our money is in the Thomastown credit union now" ends nothing of "we're in Thomastown".
    """
    places = newer.sited - older.sited
    shared = (older.anchors | older.names) & (newer.anchors | newer.names) - words_of(older.owner)
    return bool(shared) and shared <= places and older.predicate != newer.predicate


def is_age_of_none(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause states an age, and the older one none: "she turns ten" ends no school."""
    stated = newer.statement
    if stated is None or stated.attribute != "age" or newer.cues & {"correction", "instead", "from"}:
        return False
    return not older.tells_age


def is_plan_beside_state(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause announces a plan without a word of change, and the older one is none.

    "Orla drives over from Cork on 3 May" leaves "Orla rings him from Cork" as it is.
    """
    return newer.over is not None and not newer.cues and older.over is None and older.until is None


def returns_to_known(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells a return to what the older one names, which is as it was.

    "Tom went back to the rig" leaves "Tom works offshore, two weeks on the rig", and "Jonas is back" what is with
    Jonas. A return to what was given up ends that.
    """
    if newer.predicate not in _RETURNING or newer.denied or older.denied or "ending" in older.cues:
        return False
    named = older.anchors - words_of(older.owner)
    named -= frozenset() if newer.owner in older.names else older.names
    return not newer.cues & {"change", "correction", "from", "instead"} and bool(named & newer.anchors)


def _named_words(name: str) -> list[str]:
    """Words of a name or noun phrase in lower case, without possessive."""
    return [
        word
        for word in name.lower().replace("'s", " ").split()
        if word not in ("the", "my", "our", "on", "for", "of", "in")
    ]
