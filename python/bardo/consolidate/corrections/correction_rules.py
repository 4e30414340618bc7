"""Rules by which a newer clause ends an older one for certain, and comparisons of two clauses that they rest on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Rule
from bardo.consolidate.corrections.homes import leaves_address, names_other_home
from bardo.consolidate.corrections.named_things import is_of_one_thing, is_renewed

#: Minimum number of words that a line of a record shares with a statement to end it.
LEAST_SHARED = 2
#: Minimum share of a statement's words that a line of a record names to end the statement.
LEAST_COVER_OF_END = 0.6
#: Minimum share of a statement's words that a line of a record names to end the statement's value.
LEAST_COVER_OF_VALUE = 0.75
#: Rules in the order in which one is named: the most specific first.
RULES: tuple[Rule, ...] = (
    "judged slot", "denial", "from", "instead", "ending", "bound", "correction", "change", "new", "now",
)  # fmt: skip
#: Verbs that nearly every pair of clauses could share.
LIGHT_VERBS = frozenset({"", "be", "have", "get"})
#: Verbs that a person uses for one activity: "do parkrun", "go to parkrun".
_LIGHT_ACTIVITIES = frozenset({"do", "go", "have", "attend"})
WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
#: Units of time, which nearly every pair of clauses could share.
_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})
#: Attributes of things that a person has.
_POSSESSED = frozenset({"car", "has", "own", "take", "use"})
#: Attributes by which a person has a living animal, or an animal a name.
_OF_LIVING = frozenset({"name", "pet"})
_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")
_TOKEN = re.compile(r"\w[\w.'-]*")
_IDENTIFIER = re.compile(r"[A-Za-z][\w.]*[_.-][\w.-]*\w|\w+\(\)|[a-z]+[A-Z]\w+")


def certain_rule(older: Clause, newer: Clause) -> Rule:
    """Name of the rule by which a newer clause ends an older one; empty if no rule fits.

    Each rule needs the ended thing and its owner or context in both clauses. A rule ends a fact if the regression at
    least disputes the fact; a denial needs no support by the regression. `benches/python/knowledge/rules.py` prints
    the precision of each rule.

    Args:
        older: Clause of the older text.
        newer: Clause of the newer text.
    """
    if _fills_same_slot(older, newer):
        return "judged slot"
    if _moves_to_other_day(older, newer):
        return "change"
    if ends_person(older, newer):
        return "ending"
    return _comparable_rule(older, newer) if _is_comparable(older, newer) else ""


def takes_back(older: Clause, newer: Clause) -> bool:
    """Whether the older clause has all words that the newer one takes back."""
    said = older.anchors | older.names | older.figures | older.objects | words_of(older.predicate)
    said |= words_of(older.owner) | set(older.topic)
    return newer.retracted <= said


def _comparable_rule(older: Clause, newer: Clause) -> Rule:
    """Name of the rule by which a newer clause of the same owner and case ends an older one."""
    if rule := _replacement_rule(older, newer):
        return rule
    if is_record(newer):
        return _record_rule(older, newer)
    if _renews(older, newer):
        return "new"
    if _ends_object(older, newer) or _ends_thing(older, newer) or ends_plainly(older, newer):
        return "ending"
    return "denial" if _denies(older, newer) else ""


def _is_comparable(older: Clause, newer: Clause) -> bool:
    """Whether a rule may apply at all: both clauses state something of one owner and one case."""
    if older.denied or not newer.stated or extends(older, newer) or not _may_be_same_owner(older, newer):
        return False
    return not cases_differ(older, newer)


def _replacement_rule(older: Clause, newer: Clause) -> Rule:
    """`from` or `instead`, if the newer clause names a value of the older one as replaced; otherwise empty."""
    old = older.anchors | older.names | words_of(older.owner)
    new = said_of(newer)
    left = newer.left & (old | older.figures | parts_of(older.figures))
    # "Below 30 percent, not 40" has nothing in common with "a limit of 30 lots, not 40".
    context = (old & new) - left - newer.left - newer.figures
    if not left or newer.denied or not (context or is_record(newer)):
        return ""
    if "from" in newer.cues:
        return "from"
    return "instead" if "instead" in newer.cues else ""


def _fills_same_slot(older: Clause, newer: Clause) -> bool:
    """Whether both give one slot different values.

    Its subject has one name, or is known by name in one clause and by its relation in the other: "Mum has moved to
    Bath" after "my mum Hanne lives in York".
    """
    old, new = older.statement, newer.statement
    if old is None or new is None or not newer.stated or old.denied or new.denied:
        return False
    if is_renewed(older, newer):
        return old.condition == new.condition and old.value.casefold() != new.value.casefold()
    if not old.functional:
        return False
    if older.owner == newer.owner and newer.features.get("subject thing") and not is_of_one_thing(newer):
        # "The exam" can be the one in statistics or another.
        return False
    is_same_subject = old.subject == new.subject or (
        older.owner != newer.owner and is_same_owner(older, newer)
    )
    is_same_slot = is_same_subject and (old.attribute, old.condition) == (new.attribute, new.condition)
    is_moved = (changes_bare_value(older, newer) and _is_of_mine(older)) or (
        is_same_subject
        and (("new" in newer.cues and names_other_home(older, newer)) or leaves_address(old, new, newer))
    )
    return is_moved or (is_same_slot and old.value.casefold() != new.value.casefold())


def _is_of_mine(clause: Clause) -> bool:
    """Whether a clause gives a value that the speaker has once, such as "our rent"; a dose is that of one medicine."""
    stated = clause.statement
    return bool(clause.features.get("subject of mine")) and stated is not None and stated.attribute != "dose"


def changes_bare_value(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause changes the value of a noun without an owner, such as "the dose is up to 75 now".

    It may be the dose that the older one gives, in the same unit or without one.
    """
    old, new = older.statement, newer.statement
    if old is None or new is None or new.subject != new.attribute or old.attribute != new.attribute:
        return False
    units = [re.sub(r"^[\d.,]+ ?", "", each.value.casefold()) for each in (old, new)]
    is_figure = new.value[:1].isdigit() and units[1] in ("", units[0]) and old.value != new.value
    is_told = not (older.denied or newer.denied) and bool(newer.cues & {"now", "change"})
    return is_told and is_figure and bool(older.features.get("self") or "'s " not in old.subject)


def _weekdays(clause: Clause) -> set[str]:
    """Days of the week to which a clause is limited."""
    return set(clause.condition.split()) & WEEKDAYS


def is_on_other_day(older: Clause, newer: Clause) -> bool:
    """Whether one thing moves to another day of the week: "yoga has moved to Tuesdays"."""
    one, other = _weekdays(older), _weekdays(newer)
    is_of_thing = is_same_owner(older, newer) and not newer.features.get("self")
    return is_of_thing and "change" in newer.cues and bool(one and other) and not one & other


def _moves_to_other_day(older: Clause, newer: Clause) -> bool:
    """Whether a thing that the older clause does on one day of the week is on another one now.

    "The choir is Thursdays now" moves "I sing in a choir on Tuesdays".
    """
    one, other = _weekdays(older), _weekdays(newer)
    is_told = "subject thing" in newer.features or "subject pronoun" in newer.features
    is_named = newer.owner in older.objects and is_told and not older.past
    is_moved = bool(newer.cues & {"change", "now"}) and not (older.denied or newer.denied)
    return is_named and is_moved and len(one) == len(other) == 1 and one != other


def _renews(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause names a new one of what the older one gives: "my GP is X", "my new GP will be at Y"."""
    if "new" not in newer.cues or newer.denied or not _has_one_value(older):
        return False
    if not older.owner or older.owner != newer.owner or not older.features.get("subject of mine"):
        return False
    known, named = set(older.topic), set(newer.topic)
    added = (named - known) & newer.anchors
    return older.predicate == newer.predicate == "be" and known <= named and len(added) == 1


def _has_one_value(clause: Clause) -> bool:
    """Whether a clause states, or names as its subject, an attribute with one value at a time."""
    if clause.statement is not None:
        return clause.statement.functional
    return any(BUILT_IN.is_named(word) and BUILT_IN.attribute(word).functional for word in clause.topic)


def _ends_object(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends an object of the older one, such as "I sold the car"."""
    if "ending" not in newer.cues or newer.denied or newer.past_dated:
        return False
    is_named = bool(newer.ended & (older.objects - older.details | older.names))
    is_owned = not newer.owner or is_same_owner(older, newer) or bool(words_of(older.owner) & newer.ended)
    return is_named and (is_owned or older.owner == newer.owner)


def _ends_thing(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells the end of a thing that the speaker has, by the older one or a part of it.

    "The Octavia went for scrap" ends "I drive a 2013 Octavia", and "the cast is off" ends "cast for six weeks".
    """
    if "ending" not in newer.cues or newer.denied or newer.past_dated or older.past:
        return False
    thing = newer.ended & words_of(newer.owner)
    is_of_thing = bool(newer.features.get("subject thing") or newer.features.get("subject named"))
    if not thing or not is_of_thing or newer.holders - words_of(f"{older.lead} {older.context}".casefold()):
        return False
    if "verbless" in older.features:
        return bool(thing & older.anchors | thing & {older.predicate})
    stated = older.statement
    if stated is None:
        return False
    if stated.attribute == "dose":
        # "Donepezil was stopped" does not say of which person.
        return bool(thing & words_of(stated.subject))
    # Of "a meeting on Tuesdays", one is over.
    is_held = stated.attribute in _POSSESSED and "self" in older.features and not older.condition
    return is_held and bool(thing & words_of(stated.value.casefold()))


def names_ended(older: Clause, newer: Clause) -> bool:
    """Whether the older clause names what the newer one ends, if it says what: "the eye patch is history"."""
    old = older.anchors | older.names | older.objects | words_of(older.owner) | words_of(older.predicate)
    return not newer.ended or bool(newer.ended & old)


def ends_plainly(older: Clause, newer: Clause) -> bool:
    """Whether the words of the newer clause alone end the older one: its activity, a relation, or a life."""
    return _stops_activity(older, newer) or ends_person(older, newer)


def _stops_activity(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends the activity of the older one, such as "I stopped doing parkrun"."""
    verb, thing = newer.stopped
    if "ending" not in newer.cues or not verb or newer.denied or newer.past_dated or older.past:
        return False
    is_activity = older.predicate == verb or {older.predicate, verb} <= _LIGHT_ACTIVITIES
    is_same = (is_activity and thing in older.objects | older.names) or older.predicate == (thing or verb)
    return is_same_owner(older, newer) and is_same


def ends_person(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends the relation to the person of the older one, or tells of a death there."""
    if not newer.stated or older.denied or older.past or newer.past_dated:
        return False
    return _ends_relation(older, newer) or _tells_death(older, newer)


def _ends_relation(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends the relation to the person of the older one, such as "I broke up with Tomas"."""
    if not newer.parts or not newer.owner:
        return False
    if _states_relation(older, newer) or (older.presents and _states_relation(older.presents, newer)):
        return True
    if newer.parts != older.relation:
        return False
    is_of_same = f"{older.owner} ".startswith(f"{newer.owner}'s ") or older.text.casefold().startswith(
        f"{newer.owner}'s "
    )
    # "My fiancé is Piet" and "is called Piet" name the person behind the verb.
    is_naming = older.predicate == "be" or (
        older.statement is not None and older.statement.attribute == "name"
    )
    named = words_of(older.owner) - words_of(newer.owner) | (older.names if is_naming else frozenset())
    return is_of_same and bool(newer.anchors & named)


def _states_relation(clause: Clause, newer: Clause) -> bool:
    """Whether a clause states the relation that a newer one ends, with the person whom that one names."""
    stated = clause.statement
    if stated is None or stated.denied or (stated.subject, stated.attribute) != (newer.owner, newer.parts):
        return False
    return bool(words_of(stated.value.casefold()) & newer.anchors)


def names_parted(older: Clause, newer: Clause) -> bool:
    """Whether the older clause names, beside what it tells, a person to whom the newer one ends the relation.

    After "Emil and I broke up", "I live with my boyfriend Emil in Aarhus" may hold of the place.
    """
    is_told = bool(newer.parts and newer.stated) and not newer.past_dated
    return is_told and any(_states_relation(each, newer) for each in older.kin)


def _tells_death(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells the death of the one whom the older one names or describes as living."""
    stated = older.statement
    if not newer.died:
        return False
    if stated is not None and stated.attribute in _OF_LIVING:
        # Of "a dog called Bruno and a cat" the cat lives on.
        named = set(re.split(r"[^\w'-]+", stated.value.casefold()))
        return newer.died in named and "and" not in named
    is_lasting = stated is not None and BUILT_IN.attribute(stated.attribute).persistence == "permanent"
    return newer.died in (older.owner, older.alias) and not is_lasting


def _denies(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause negates the older one: same subject, predicate and objects."""
    return (
        "denial" in newer.cues
        and newer.denied
        and not newer.past
        and is_same_owner(older, newer)
        and older.predicate == newer.predicate
        and bool(older.objects)
        and older.objects <= newer.objects | newer.anchors
        # Latex alone is denied, not "kiwi and latex".
        and (not (of := denied_of(older, newer))[1] or of[0] <= of[1])
    )


def denied_of(older: Clause, newer: Clause) -> tuple[frozenset[str], frozenset[str]]:
    """Words of both clauses beyond their owners and objects: of "allergic to kiwi", kiwi."""
    return tuple(  # type: ignore[return-value]
        clause.anchors - older.objects - newer.objects - words_of(clause.owner) - words_of(clause.alias)
        for clause in (older, newer)
    )


def denies_another(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies something that the older one does not say: only a subject is in both.

    "The index won't run away" does not end "the index uses another oracle", and "I can't leave Dad" nothing that Dad
    does.
    """
    if not newer.denied or newer.predicate in LIGHT_VERBS or newer.predicate == older.predicate:
        return False
    said = said_of(newer) - words_of(newer.owner) - _TIME_UNITS
    old = older.anchors | older.names | older.objects | words_of(older.predicate) | words_of(older.owner)
    if not is_same_owner(older, newer) and not newer.cues & {"correction", "instead", "now"}:
        said -= words_of(older.owner) | words_of(older.alias) | frozenset(older.topic)
    return not said & old and not newer.figures & older.figures


def _record_rule(older: Clause, newer: Clause) -> Rule:
    """Name of the rule by which a line of a record ends an older clause."""
    content = {word for word in older.anchors | older.names if not re.search(r"\d", word)}
    shared = {word for word in content if plain_parts(word) & newer.anchors}
    cover = len(shared) / max(1, len(content))
    if len(shared) < LEAST_SHARED or "bound" in newer.cues or older.condition != newer.condition:
        return ""
    if "ending" in newer.cues and cover >= LEAST_COVER_OF_END:
        return "ending"
    digits = {part for figure in older.figures for part in _DIGITS.findall(figure)}
    others = {part for figure in newer.figures for part in _DIGITS.findall(figure)}
    if digits and others and not digits & others and cover >= LEAST_COVER_OF_VALUE:
        return "value"
    return ""


def plain_parts(word: str) -> set[str]:
    """Parts of an identifier as records are read: split at other characters than letters, with and without plural."""
    parts = {part for part in re.split(r"[^a-z]+", word.lower()) if part}
    return parts | {part[:-1] for part in parts if len(part) > 3 and part.endswith("s")}


def is_record(clause: Clause) -> bool:
    """Whether a clause is a line of a record: it has neither predicate nor owner."""
    return not clause.predicate and not clause.owner


def is_same_owner(older: Clause, newer: Clause) -> bool:
    """Whether two clauses have the same known owner, by name or by a relation that one person has."""
    one = {name for name in (older.owner, older.alias) if name}
    return not one.isdisjoint((newer.owner, newer.alias))


def is_of_companion(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is about one of the family that the older one only names beside its subject.

    "Jonas flies to Vienna" gives no other value of "I live in Leipzig with my husband Jonas".
    """
    is_companion = any(newer.owner in (each.owner, *each.names) for each in older.kin)
    return is_companion and not _shares_topic(older, newer)


def _shares_topic(older: Clause, newer: Clause) -> bool:
    """Whether both clauses have a content word in common that is no name: then the news may concern the older one."""
    return bool((older.anchors & newer.anchors) - older.names - newer.names)


def is_of_other_person(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is about a relative of a person, of whom the older one says nothing, on another topic.

    "Jonas's brother moves to Porto" ends nothing of Jonas, and nothing of "my brother".
    """
    if not newer.is_relative or is_same_owner(older, newer) or _shares_topic(older, newer):
        return False
    other, _, person = newer.owner.rpartition("'s ")
    holder = (older.alias or older.owner).rpartition("'s ")[0]
    return not words_of(person) & said_of(older) or bool(holder and holder != other)


def _may_be_same_owner(older: Clause, newer: Clause) -> bool:
    """Whether two clauses may be about one owner: an owner is unknown, or their words overlap."""
    if not older.owner or not newer.owner or is_record(older) or is_record(newer):
        return True
    one, other = words_of(older.owner), words_of(newer.owner)
    return (
        bool(one & other)
        or bool(other & (older.anchors | older.names))
        or bool(one & (newer.anchors | newer.names))
    )


def leaves_person_out(older: Clause, newer: Clause) -> bool:
    """Whether the older clause is about a person whom the newer one, of another owner, does not name.

    "Our daughter Thandi studies law" names the owner of "Thandi has moved to Leeds".
    """
    is_person = older.features.get("subject named") or older.features.get("subject of mine")
    if not is_person or not newer.owner or older.owner == newer.owner or newer.owner in older.names:
        return False
    return not words_of(older.owner.rpartition("'s ")[2]) & said_of(newer)


def said_of(clause: Clause) -> frozenset[str]:
    """Words of a clause with those of its owner and of the values that it names."""
    return clause.anchors | clause.names | clause.value | clause.left | words_of(clause.owner)


def cases_differ(older: Clause, newer: Clause) -> bool:
    """Whether both clauses are limited to cases, such as breakfast and dinner, without a common one."""
    one, other = set(older.condition.split()), set(newer.condition.split())
    return bool(one and other) and not one & other


def extends(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause is about an identifier that only begins like one of the older clause."""
    ours = {match[0].rstrip("()") for match in _IDENTIFIER.finditer(older.sentence)} | set(older.names)
    others = {match[0].rstrip("()") for match in _IDENTIFIER.finditer(newer.sentence)}
    sentence = newer.sentence.lower()
    return any(_is_longer(other.lower(), own.lower(), sentence) for own in ours for other in others)


def _is_longer(other: str, own: str, sentence: str) -> bool:
    """Whether an identifier begins with another one that the sentence itself does not have as a word."""
    return (
        other != own
        and other.startswith(own)
        and len(own) > 2
        and not re.search(rf"(?<![\w-]){re.escape(own)}(?![\w-])", sentence)
    )


def have_common_word(older: Clause, newer: Clause) -> bool:
    """Whether both clauses have a word beside their verbs, or one owner's activity, in common."""
    old = older.anchors | older.names | older.objects | words_of(older.owner) | parts_of(older.figures)
    if old & (said_of(newer) | newer.objects | parts_of(newer.figures)):
        return True
    verbs = {newer.predicate, *newer.stopped} - {""}
    return is_same_owner(older, newer) and older.predicate in verbs


def have_topic_in_common(older: Clause, newer: Clause) -> bool:
    """Whether both clauses have more in common than their speaker: a word, a verb, or the attribute that they state."""
    one, other = older.statement, newer.statement
    if one is not None and other is not None and one.attribute == other.attribute:
        return True
    if older.predicate == newer.predicate and older.predicate not in LIGHT_VERBS:
        return True
    is_of_speaker = older.features.get("self") and (
        newer.features.get("self") or newer.features.get("subject of mine")
    )
    speaker = words_of(older.owner) if is_of_speaker else frozenset[str]()
    old = older.anchors | older.names | older.objects | parts_of(older.figures) | words_of(older.owner)
    new = said_of(newer) | newer.objects | parts_of(newer.figures)
    said = [*_TOKEN.findall(newer.sentence), *(word for word in new if word not in newer.names)]
    return any(_is_named(word, older, said) for word in old - speaker)


def _is_named(word: str, older: Clause, said: Sequence[str]) -> bool:
    """Whether a word of an older clause is among others; "Nore Organ Works" does not name an organ."""
    is_common_noun = word in older.sentence
    return any(
        token.casefold().startswith(word) and not (is_common_noun and place and token.istitle())
        for place, token in enumerate(said)
    )


def gives_same_day(older: Clause, newer: Clause) -> bool:
    """Whether both clauses name a day of the week, and the same."""
    days = older.names & newer.names & WEEKDAYS
    return bool(days) and not (newer.names & WEEKDAYS) - days


def words_of(text: str) -> frozenset[str]:
    """Words of more than two characters."""
    return frozenset(part for part in re.split(r"[\s']+", text) if len(part) > 2)


def parts_of(figures: frozenset[str]) -> frozenset[str]:
    """Parts of figures, such as the numbers of "8080/tcp"."""
    return frozenset(part for figure in figures for part in re.split(r"[^\w.]+", figure) if part)
