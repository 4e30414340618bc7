"""Slots of English clauses: subject, attribute and value that a clause states, by frames (`frames.toml`)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from bardo.consolidate.attributes import AttributeTable, is_lasting
from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.doses import dose_slot
from bardo.consolidate.languages.english.figure_slots import (
    charge_slot,
    code_at,
    cost_slot,
    figure_reached,
    figure_restored,
    figures_from,
    first_behind,
    first_below,
    has_figure,
)
from bardo.consolidate.languages.english.frames import (
    compounds_of,
    frames,
    list_phrase,
    noun_attribute,
    phrase_of,
    place_phrase,
    whole_phrase,
)
from bardo.consolidate.languages.english.grammar import lemma, predicate_of
from bardo.consolidate.languages.english.measures import patient_of
from bardo.consolidate.languages.english.numbered import numbered_in
from bardo.consolidate.languages.english.owners import owner_key, possessor_of
from bardo.consolidate.languages.english.person_slots import is_unknown, person_slot
from bardo.consolidate.languages.english.role_slots import Role, names_several_holders, role_of
from bardo.consolidate.languages.english.traits import trait_slot
from bardo.model import Statement

#: Environments in which software runs, by the words for them.
ENVIRONMENTS = {
    "staging": "staging", "stage": "staging", "production": "production", "prod": "production", "dev": "development",
    "development": "development", "testing": "test", "test": "test", "qa": "qa", "uat": "uat", "canary": "canary",
    "preprod": "preprod", "sandbox": "sandbox",
}  # fmt: skip
#: Pattern of an environment that is no part of a path or of another name.
ENVIRONMENT = rf"(?<![\w./-])(?:{'|'.join(ENVIRONMENTS)})(?![\w./-])"
#: Environment behind a value.
_IN_ENVIRONMENT = re.compile(rf"(?i) (?:in |on |\(){ENVIRONMENT}\)?$")
#: Words of a case to which a statement is limited, not those of an address such as "api.kroon.dev".
CASES = re.compile(
    r"(?<![\w./-])(?:(?:for|at|with|before|after|during|on|in) )?(?:the )?(breakfast|lunch|dinner|"
    r"supper|weekdays?|weekends?|mornings?|evenings?|nights?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|staging|"
    r"stage|production|prod|dev|development|test|testing|qa|uat|canary|preprod|sandbox|summer|winter|spring|autumn|holidays|vacation|left|right|"
    r"work|(?<!care )(?<!nursing )home|office|school)(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
#: Times, which are no cases: "since last autumn", "this Monday".
_TIMES = re.compile(r"(?i)\b(?:since|until|till|by|last|next|this)\s+(?:last\s|the\s|next\s|this\s)?\w+")
#: Maximum characters of a case, and of a value.
_CASE_CHARACTERS, _VALUE_CHARACTERS = 64, 200
#: Attributes with one value at a time in every case: "at work" and "on weekends" do not limit them.
_WITHOUT_CASE = frozenset({"age", "home", "employer", "job", "partner", "birthday", "name"})
_MINE = frozenset({"my", "our"})
#: Verbs by which an appointment gets another date.
_MOVES = frozenset({"move", "postpone", "reschedule", "push", "shift", "delay", "bring"})
#: Prepositions of a place at which a thing is kept.
_IN_PLACE = frozenset({"at", "behind", "in", "inside", "on", "under"})
#: Prepositions between an attribute and its thing, and those of a limit: "the limit on Brent".
_JOINTS, _JOINTS_OF_LIMIT = frozenset({"of", "for"}), frozenset({"at", "of", "for", "on"})
#: Attributes of figures that bound or set something.
_LIMITS = frozenset({"limit", "ratio", "threshold"})
#: Dependencies of words before a noun.
_BEFORE = ("poss", "compound", "amod", "nmod")
#: Words before a noun that do not tell it from others.
_NO_QUALIFIERS = frozenset({"my", "our", "his", "her", "their", "its", "the", "new", "current", "old"})
#: Words before "number" that make it a telephone number.
_PHONES = frozenset({"phone", "telephone", "mobile", "cell", "contact", "landline", "home", "work", "office"})
_TALK = re.compile(
    r"\b(?:from now on|now|these days|nowadays|currently|again|instead|actually|though|btw)\b", re.IGNORECASE
)

#: Day from which a value holds.
_AS_OF = re.compile(r"(?i)\s+as (?:of|from) .*$")

#: Attribute, value and subject; the subject is empty if it is the owner of the clause.
_Slot = tuple[str, str, str]


def relation_attribute(relation: str) -> str:
    """Attribute of a word of kinship: `partner` of "husband", `child` of "daughter"."""
    held = (name for name, nouns in frames()["possessions"].items() if relation in nouns)
    return str(frames()["noun"].get(relation) or next(held, "relation"))


def condition_of(words: list[Any]) -> str:
    """Case to which a clause is limited: adjuncts such as "for breakfast" or "on staging", sorted."""
    return case_in(" ".join(token.text for token in words if not _is_kind(token)))


def _is_kind(token: Any) -> bool:
    """Whether a noun with another one before it names no environment: "for the load test"."""
    return token.text.lower() in ENVIRONMENTS and any(child.dep_ == "compound" for child in token.children)


def case_in(text: str) -> str:
    """Cases that a text names, sorted."""
    cases = (match[1].lower() for match in CASES.finditer(_TIMES.sub(" ", text)))
    found = {case.rstrip("s") if case.endswith("days") else ENVIRONMENTS.get(case, case) for case in cases}
    return " ".join(sorted(found))[:_CASE_CHARACTERS]


def environments_in(text: str) -> list[str]:
    """Environments that a text names, sorted."""
    return sorted({ENVIRONMENTS[name.lower()] for name in re.findall(f"(?i){ENVIRONMENT}", text)})


def with_slot(
    clause: Clause,
    head: Any,
    subject: Any,
    *,
    who: str,
    is_kin: bool,
    future: bool,
    attributes: AttributeTable,
) -> Clause:
    """The clause with its statement, if a frame fits; otherwise unchanged.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        who: Name of the speaker in lower case; empty if unknown.
        is_kin: Whether it is about one of the speaker's family, or a pet of theirs.
        future: Whether it tells of the future.
        attributes: Table of attributes.
    """
    if not future and (role := role_of(clause, head, subject, owner_key(who))) is not None:
        return _with_role(clause, role, attributes)
    dose = None if future else dose_slot(clause, head, subject, who)
    if dose is not None and (patient := patient_of(head, who)):
        # "My doctor put me on sertraline, 50 mg" is about the speaker.
        clause = replace(clause, owner=patient, past=False)
    if future or not clause.owner or names_several_holders(head, subject):
        return clause
    trait = trait_slot(clause, head, subject, who=owner_key(who), is_kin=is_kin)
    if trait is not None:
        clause = replace(clause, trait=True)
    found = (
        dose
        or trait
        or person_slot(clause, head, subject, who=who, is_kin=is_kin)
        or _moved_date(clause, head, subject, who)
        or cost_slot(clause, head)
        or charge_slot(clause, head)
        or _by_place(clause, head)
        or _by_figure_reached(clause, head, subject)
        or _by_noun(clause, head, subject)
        or _by_inverse_verb(clause, head, subject, who)
        or _by_verb(clause, head, is_kin=is_kin)
    )
    return clause if found is None else _with_value(clause, found, attributes)


def _with_value(clause: Clause, slot: _Slot, attributes: AttributeTable) -> Clause:
    """The clause with the statement of a slot, if its value can be one."""
    name, phrase, subject_name = slot
    value = _without_environment(_clean(phrase), clause.sentence)
    if not value or (value.casefold() == clause.owner and not subject_name):
        return clause
    if value.casefold() == subject_name:
        # "Rory's name is Rory" says nothing.
        return replace(clause, text="")
    if clause.denies_briefly and not is_lasting(name, "weeks", "days"):
        # "I'm not at Helvion this week" denies no employer.
        return clause
    is_functional = attributes.attribute(name).functional
    # A day that is the value limits nothing.
    case = " ".join(each for each in clause.condition.split() if each not in value.casefold())
    statement = Statement(
        subject=subject_name or clause.owner,
        attribute=name,
        value=value,
        denied=clause.denied,
        condition=case if is_functional and name not in _WITHOUT_CASE else "",
        since=clause.since,
        until=clause.until,
        functional=is_functional,
    )
    return replace(clause, statement=statement)


def _with_role(clause: Clause, role: Role, attributes: AttributeTable) -> Clause:
    """The clause with a statement of the holder of a role; a case is no part of its name."""
    named = f"{role.subject} {role.attribute} {role.holder}".casefold()
    case = " ".join(each for each in clause.condition.split() if each not in named)
    statement = Statement(
        subject=role.subject,
        attribute=role.attribute,
        value=role.holder[:_VALUE_CHARACTERS],
        denied=clause.denied,
        condition=case,
        since=clause.since,
        until=clause.until,
        functional=attributes.attribute(role.attribute).functional,
    )
    text = clause.text
    if role.beside and role.beside not in text:
        # "The manager" of a clause is that of the Leeds office.
        text = re.sub(rf"\b{re.escape(role.noun)}\b", lambda noun: f"{noun[0]} {role.beside}", text, count=1)
    return replace(clause, text=text, statement=statement, role=role.attribute, past=False)


def _without_environment(value: str, sentence: str) -> str:
    """A value without its environment: that of "150 rps in staging", and the "(production)" of a text of a record."""
    aside = re.search(rf"(?i)\(({ENVIRONMENT})\)", sentence)
    plain = _IN_ENVIRONMENT.sub("", value)
    return plain.removesuffix(f" {aside[1]}") if aside else plain


def _by_verb(clause: Clause, head: Any, *, is_kin: bool) -> _Slot | None:
    """Slot by a frame of the verb: its preposition, object or adjective names the attribute."""
    verbs = frames()["verb"]
    frame = verbs.get(predicate_of(head)) or verbs.get(lemma(head))
    if frame is None or (clause.past and not frame.get("past")):
        return None
    if frame.get("intransitive") and _has_object(head):
        return None
    found = _by_preposition(head, frame) or _by_object(head, frame)
    # "Ownership moved to Marek": a thing has no home.
    is_of_thing = bool(clause.features.get("subject thing")) and not (is_kin or clause.is_relative)
    return None if found is not None and found[0] == "home" and is_of_thing else found


def _by_inverse_verb(clause: Clause, head: Any, subject: Any, who: str) -> _Slot | None:
    """Slot of a thing by a verb that has the value as its subject: "Ilse owns tollgate", or passive, as its agent."""
    name = frames()["inverse"].get(lemma(head))
    if name is None or clause.past or subject is None:
        return None
    if subject.dep_ == "nsubjpass":
        by = next((child for child in head.children if child.dep_ == "agent"), None)
        person = first_below(by, "pobj") if by is not None else None
        return (name, phrase_of(person), "") if person is not None and person.pos_ == "PROPN" else None
    thing = first_below(head, "dobj", "oprd")
    # "Nils owns a boat" and "owns the house" name no thing of which another can become the owner.
    if thing is None or thing.tag_ == "NNS":
        return None
    is_named = not any(child.dep_ in ("det", "poss", "nummod") for child in thing.children)
    kind = " ".join(each.text for each in (*compounds_of(thing), thing)).lower()
    is_component = lemma(thing) in frames()["components"]["kinds"] and " " in kind
    holder = who if subject.text.lower() == "i" else phrase_of(subject) if subject.pos_ == "PROPN" else ""
    return (
        (name, holder, kind if is_component else str(thing.text).lower())
        if holder and (is_named or is_component)
        else None
    )


def _has_object(head: Any) -> bool:
    """Whether a verb has an object other than a home, as "we moved house" has."""
    kinds = frames()["homes"]["kinds"]
    return any(child.dep_ == "dobj" and lemma(child) not in kinds for child in head.children)


def _by_preposition(head: Any, frame: dict[str, Any]) -> _Slot | None:
    for child in head.children:
        if child.dep_ in ("prep", "agent") and (name := frame.get(lemma(child))):
            value = first_below(child, "pobj", "pcomp")
            if value is not None and (labelled := _labelled(value)):
                return labelled
            if name == "home" and value is not None:
                value = _place_of(value)
            # "We live on Fairhill Road" gives an address.
            if value is not None and _fits("home" if name == "address" else name, value):
                return name, place_phrase(value) if name == "home" else phrase_of(value), ""
    return None


def _place_of(home: Any) -> Any:
    """The place of a home that is named by its kind, as in "a flat in Bath"; else the word itself."""
    if lemma(home) not in frames()["homes"]["kinds"]:
        return home
    # The parser hangs the place on the home or on the verb.
    near = (*home.children, *home.head.head.children)
    within = next((each for each in near if each.dep_ == "prep" and lemma(each) in ("in", "near")), None)
    place = first_below(within, "pobj") if within is not None else None
    return home if place is None else place


def _by_object(head: Any, frame: dict[str, Any]) -> _Slot | None:
    for child in head.children:
        if child.dep_ == "dobj" and (held := _held(head, child)):
            return held
        if child.dep_ in ("dobj", "attr") and (name := frame.get("object")) and _fits(name, child):
            if frame.get("unknown") and not is_unknown(child):
                # "Keeping my head straight" names no possession.
                return None
            return name, phrase_of(child), ""
        if child.dep_ == "acomp" and frame.get("adjective"):
            is_framed, found = _by_adjective(child)
            if is_framed:
                return found
    return None


def _labelled(noun: Any) -> _Slot | None:
    """Slot by a noun that names the attribute of the figure after it, as in "listens on port 8080"."""
    name = noun_attribute(noun)
    following = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    if name is None or following is None or following.is_sent_start or not re.search(r"\d", following.text):
        return None
    return name, str(following.text), ""


def _held(head: Any, thing: Any) -> _Slot | None:
    """Slot of a possession by its noun, as in "I have a latex allergy" and "she has an allergy to cats"."""
    name = frames()["had"].get(lemma(thing))
    if name is None or lemma(head) != "have":
        return None
    to = next(
        (child for child in thing.children if child.dep_ == "prep" and lemma(child) in ("to", "of")), None
    )
    value = first_below(to, "pobj") if to is not None else first_below(thing, "compound", "amod")
    return None if value is None else (name, phrase_of(value), "")


def _moved_date(clause: Clause, head: Any, subject: Any, who: str) -> _Slot | None:
    """Slot of an appointment by the date to which it moved, as in "my exam has been moved to 13 July"."""
    if subject is None or lemma(head) not in _MOVES or (name := noun_attribute(subject)) is None:
        return None
    to = next(
        (child for child in head.children if child.dep_ == "prep" and lemma(child) in ("to", "until")), None
    )
    value = None if to is None else first_below(to, "pobj")
    if value is None or value.ent_type_ not in ("DATE", "TIME"):
        return None
    if not is_lasting(name, "weeks"):
        # "The dentist was moved to Tuesday": the appointment, not the person.
        return "appointment", phrase_of(value), f"{who} {lemma(subject)}".strip()
    return name, phrase_of(value), _owner_of_noun(clause, subject)


def _by_adjective(adjective: Any) -> tuple[bool, _Slot | None]:
    """Whether an adjective has a frame that decides, and its slot: "allergic to nuts", "vegan"."""
    adjectives = frames()["adjectives"]
    if _state_with(adjective) in frames()["states"]["phrases"]:
        return True, ("condition", _state_with(adjective), "")
    frame = frames()["verb"].get(lemma(adjective), {})
    # The parser hangs the preposition of "due at 16:00" on the verb.
    beside = (each for each in adjective.head.children if each.i == adjective.i + 1)
    for child in (*adjective.children, *beside):
        if child.dep_ == "prep" and (name := frame.get(lemma(child))):
            value = first_below(child, "pobj")
            is_thing = value is not None and (name == "due" or value.ent_type_ not in ("DATE", "TIME"))
            return True, (name, list_phrase(value), "") if is_thing else None
        if (
            child.dep_ == "xcomp"
            and (name := frame.get("to"))
            and child.i > 0
            and child.nbor(-1).text == "to"
        ):
            # The parser takes "allergic to shellfish" for "able to swim".
            return True, (name, str(child.text), "")
    if lemma(adjective) in adjectives:
        return True, (adjectives[lemma(adjective)], str(adjective.text), "")
    return False, None


def _state_with(adjective: Any) -> str:
    """An adjective with the word that limits it: "hard of hearing", "partially sighted"."""
    before = " ".join(
        child.text for child in adjective.children if child.dep_ == "advmod" and child.i < adjective.i
    )
    behind = " ".join(
        f"{child.text} {below.text}"
        for child in adjective.children
        if child.dep_ == "prep"
        for below in child.children
    )
    return f"{before} {adjective.text} {behind}".strip().lower()


def _by_place(clause: Clause, head: Any) -> _Slot | None:
    """Slot of a thing that is in a numbered place: "salt is in box 4"."""
    if lemma(head) != "be" or clause.past or not clause.features.get("subject thing"):
        return None
    for child in head.children:
        if child.dep_ == "prep" and child.i > head.i and lemma(child) in _IN_PLACE:
            words = sorted(child.subtree, key=lambda token: int(token.i))
            if numbered_in(words):
                end = next((token.i for token in words if token.text == ","), words[-1].i + 1)
                return "location", str(head.doc[child.i : end].text), ""
    return None


def _by_figure_reached(clause: Clause, head: Any, subject: Any) -> _Slot | None:
    """Slot by the figure to which a value goes: "the retention goes to 30 days"."""
    name = None if subject is None or clause.denied else noun_attribute(subject)
    figure = None if name is None else figure_reached(head)
    if name is None or figure is None or not _fits(name, figure):
        return None
    phrase = re.sub(r"^(?:up|down|back) to (?=\W?\d)", "", phrase_of(figure))
    return name, phrase, _owner_of_noun(clause, subject)


def _by_noun(clause: Clause, head: Any, subject: Any) -> _Slot | None:
    """Slot by the noun of the subject, as in "my deadline is 14 June" and "the API's port is 8080"."""
    if subject is None or clause.past or lemma(head) not in ("be", "stay", "remain", "become"):
        return None
    name = noun_attribute(subject)
    if name is None:
        return None
    if name == "phone" and lemma(subject) == "number" and not _PHONES.issuperset(_qualifiers(subject)):
        # "My policy number" is no telephone.
        name = "identifier"
    if name == "email":
        # The parser knows no address as a noun.
        address = next((token.text for token in head.subtree if token.i > head.i and token.like_email), "")
        return (name, address, _owner_of_noun(clause, subject)) if address else None
    value = first_behind(head, "attr", "acomp", "prep", "npadvmod", "nummod")
    if value is not None and (figures := code_at(value) or figures_from(value)):
        return name, figures, _owner_of_noun(clause, subject)
    value = figure_restored(head) if value is None else value
    if value is not None and value.dep_ == "prep":
        value = first_below(value, "pobj", "pcomp")
    is_ended = value is not None and value.pos_ == "ADJ" and "ending" in clause.cues and name != "status"
    if name == "phone" and lemma(subject) == "phone" and value is not None and _has_article(value):
        name = "phone_model"
    if value is None or is_ended or not _fits(name, value):
        # "My wife is a nurse" does not name a wife, and "the v2 address is dead" no address.
        return None
    phrase = whole_phrase(value) if name == "address" else phrase_of(value)
    if clause.cues & {"now", "change"}:
        # "The dose is up to 75 now" gives the dose.
        phrase = re.sub(r"^(?:up|down|back) to (?=\d)", "", phrase)
    return name, phrase, _owner_of_noun(clause, subject)


def _qualifiers(noun: Any) -> list[str]:
    """Words before a noun that tell it from others: "purchase order" of "my purchase order number"."""
    direct = [token for token in noun.children if token.dep_ in _BEFORE]
    words = [word.text.lower() for token in direct for word in (*compounds_of(token), token)]
    nouns = frames()["noun"]
    return [word for word in words if word not in _NO_QUALIFIERS and f"{word} {lemma(noun)}" not in nouns]


def _owner_of_noun(clause: Clause, noun: Any) -> str:
    """Person or thing that a noun belongs to: "user billing api" of "my billing API's port"."""
    before = {token.text.lower() for token in noun.children if token.dep_ in _BEFORE}
    who = clause.owner.split("'s ")[0] if _MINE & before else ""
    if possessor_of(noun) is not None:
        # "His birthday" is the birthday of the person before.
        who = clause.owner.rpartition("'s ")[0]
    qualifier = " ".join(_qualifiers(noun))
    joints = _JOINTS_OF_LIMIT if noun_attribute(noun) in _LIMITS else _JOINTS
    of = next((each for each in noun.children if each.dep_ == "prep" and lemma(each) in joints), None)
    if of is not None:
        after = (token.text.lower() for token in of.subtree if token.i != of.i and token.pos_ != "DET")
        qualifier = f"{qualifier} {' '.join(after)}".strip()
    return " ".join(part for part in (who, qualifier) if part) or clause.owner


def _fits(name: str, value: Any) -> bool:
    """Whether a value can be one of an attribute: a home is a place, an employer has a name."""
    if value.pos_ == "PRON":
        return False
    wanted = frames()["types"].get(name)
    if wanted in ("place", "thing") and value.ent_type_ in ("DATE", "TIME"):
        return False
    if wanted == "place":
        # The parser takes "Voss" and "Leeds" for common nouns.
        is_name = value.pos_ == "PROPN" or (value.text.istitle() and not any(value.children))
        return bool(is_name or value.ent_type_ in ("GPE", "LOC", "FAC"))
    if wanted == "make":
        # "My bike is a Bianchi": the parser knows few makes as names.
        return _has_article(value) and str(value.text)[:1].isupper()
    if wanted == "figure":
        return has_figure(value)
    return wanted != "name" or bool(value.pos_ == "PROPN")


def _has_article(noun: Any) -> bool:
    """Whether "a" or "an" stands before a noun."""
    return any(child.dep_ == "det" and lemma(child) in ("a", "an") for child in noun.children)


def _clean(value: str) -> str:
    """A value without words of talk and without punctuation at its ends."""
    plain = _AS_OF.sub("", _TALK.sub("", value))
    return re.sub(r"\s+", " ", plain).strip(" ,.;:!-")[:_VALUE_CHARACTERS]
