"""Owners of English clauses: the person or thing that each is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bardo.consolidate.languages.english.contrast import changed_before, contrasted
from bardo.consolidate.languages.english.frames import frames
from bardo.consolidate.languages.english.grammar import (
    SAYING,
    SUBJECTS,
    apposed,
    drops_subject,
    gives_name,
    hangs_below,
    is_contraction,
    lemma,
)
from bardo.consolidate.languages.english.measures import patient_of

#: Words of kinship, and pets.
FAMILY = frozenset({
    "wife", "husband", "partner", "spouse", "boyfriend", "girlfriend", "fiance", "fiancé", "fiancee", "fiancée", "ex",
    "son", "daughter", "kid", "child", "baby", "mam", "mom", "mum", "mother", "dad", "father", "parent", "sister",
    "brother", "sibling", "twin", "grandmother", "grandma", "granny", "gran", "grandfather", "grandpa", "grandad",
    "grandson", "granddaughter", "grandchild", "aunt", "uncle", "cousin", "niece", "nephew", "stepson", "stepdaughter",
    "stepmother", "stepfather", "mother-in-law", "father-in-law", "sister-in-law", "brother-in-law", "son-in-law",
    "daughter-in-law", "dog", "cat", "puppy", "kitten", "pet", "horse", "rabbit", "hamster", "parrot", "tortoise",
})  # fmt: skip
#: Words of kinship and of other people and animals that belong to a speaker.
KIN = FAMILY | {
    "friend", "mate", "roommate", "flatmate", "housemate", "neighbour", "neighbor", "boss", "manager", "colleague",
    "coworker", "co-worker", "supervisor", "doctor", "gp", "dentist", "therapist", "landlord", "landlady", "teacher",
    "coach", "trainer", "tutor", "assistant", "client",
}  # fmt: skip
#: Words of kinship by which a speaker names a parent or grandparent, as in "Mum has called".
_NAMED_BY_KINSHIP = frozenset({
    "mom", "mum", "mummy", "mam", "mammy", "mama", "mother", "dad", "daddy", "papa", "father", "grandma", "granny",
    "gran", "nan", "nana", "grandmother", "grandpa", "grandad", "granddad", "grandfather",
})  # fmt: skip
#: Words for a relation that a speaker has to one person at a time.
_UNIQUE = frozenset({
    "mom", "mum", "mam", "mother", "dad", "father", "wife", "husband", "spouse", "partner", "boyfriend", "girlfriend",
    "fiance", "fiancé", "fiancee", "fiancée",
})  # fmt: skip
SPEAKER = frozenset({"i", "we"})
_MINE = frozenset({"my", "our"})
#: Verbs by which an animal comes to a home.
_ADOPTING = frozenset({"adopt", "buy", "get", "have", "rescue"})
#: Prepositions of a place.
_OF_PLACE = frozenset({"at", "in", "into", "near"})
#: Pronouns of another person's or thing's possession.
_ANOTHERS = frozenset({"his", "her", "their", "its"})
_DETERMINER = re.compile(r"^(?:the|a|an|this|that|these|those|their|his|her)\s+")


@dataclass(frozen=True, slots=True)
class Owner:
    """Owner of a clause.

    Args:
        key: Person or thing that the clause is about; empty if unknown.
        name: Its name as the subject of a sentence in the third person; empty if it cannot be named.
        is_speaker: Whether it is the speaker.
        is_kin: Whether it is one of the speaker's family, or a pet of theirs.
        is_relative: Whether it is a person or animal that belongs to another one, such as "Jonas's brother".
        is_inside: Whether a pronoun points to it inside of its sentence.
        alias: Owner by a relation that the speaker has to one person alone, such as "nadia's mum".
    """

    key: str = ""
    name: str = ""
    is_speaker: bool = False
    is_kin: bool = False
    is_relative: bool = False
    is_inside: bool = False
    alias: str = ""


def owner_of(head: Any, subject: Any, who: str, people: Sequence[str]) -> Owner:
    """Owner of a clause.

    Args:
        head: Head of the clause.
        subject: Its subject; None if it has none.
        who: Name of the speaker; empty if unknown.
        people: People that earlier sentences name.
    """
    if subject is None:
        # "Lives in Callan" tells of another.
        is_root = head.pos_ in ("ADJ", "NOUN", "VERB") and head.dep_ == "ROOT" and head.tag_ != "VBZ"
        return Owner(who.lower()) if is_root or drops_subject(head) else Owner()
    word = subject.text.lower()
    if word in SPEAKER:
        return Owner(who.lower(), who, is_speaker=bool(who))
    if subject.pos_ == "PRON":
        return _owner_by_pronoun(head, subject, who, people)
    pronoun = possessor_of(subject)
    return (
        _owner_by_phrase(subject, who)
        if pronoun is None
        else _owner_by_possessor(pronoun, subject, who, people)
    )


def _owner_by_pronoun(head: Any, subject: Any, who: str, people: Sequence[str]) -> Owner:
    """Owner by a pronoun other than "I": the person before it in its sentence, or the last one of earlier sentences."""
    if (noun := contrasted(head, subject)) is not None:
        return _owner_by_phrase(noun, who)
    word = subject.text.lower()
    if word == "it":
        thing = changed_before(head)
        return Owner() if thing is None else replace(_owner_by_phrase(thing, who), is_inside=True)
    if word not in ("he", "she", "they"):
        return Owner()
    before = _before(subject, who)
    if word == "they" and who and patient_of(head, who) == who:
        # "They put me on 50 mg" tells of the speaker alone.
        return Owner(who.lower(), subject.text)
    person = before or (people[-1] if people else "")
    own, _, kinship = person.rpartition("'s ")
    if who and own == who.lower() and kinship in frames()["possessions"]["pet"] and gives_name(head):
        # "We've adopted a cat! She's called Miso."
        return Owner(person, f"{who}'s {kinship}", is_kin=True)
    # Of "the neighbours' dog ... he", the dog is another one's.
    return Owner(person, is_inside=bool(before), is_relative=person in KIN)


def holders_of(head: Any, subject: Any, owner: Owner) -> frozenset[str]:
    """Words for the person, other than the speaker, to whom the subject or object of a clause belongs.

    "The neighbours' dog died" and "Jonas sold his piano" tell of no dog or piano of the speaker.

    Args:
        head: Head of the clause.
        subject: Its subject; None if it has none.
        owner: Its owner.
    """
    found: set[str] = set()
    for noun in (subject, *(child for child in head.children if child.dep_ == "dobj")):
        for holder in noun.children if noun is not None else ():
            if holder.dep_ != "poss":
                continue
            if holder.text.lower() in _ANOTHERS:
                is_of_subject = noun is not subject and not owner.is_speaker
                found |= set(owner.key.split()) if is_of_subject else set()
            elif lemma(holder) in KIN or (holder.ent_type_ == "PERSON" and holder.pos_ == "PROPN"):
                found.add(lemma(holder))
    return frozenset(found)


def possessor_of(noun: Any) -> Any:
    """The "his" of "his birthday"; None if there is none."""
    return next(
        (child for child in noun.children if child.dep_ == "poss" and child.text.lower() in _ANOTHERS), None
    )


def _owner_by_possessor(pronoun: Any, subject: Any, who: str, people: Sequence[str]) -> Owner:
    """Owner of what belongs to a person or thing named before, such as "timo's birthday".

    "Its" in a clause that is joined to another one points to the subject of that: "combd's config". Other owners have
    no name, as no pronoun stands alone.
    """
    is_person = pronoun.text.lower() != "its"
    if not is_person and (thing := _subject_before(subject, who)) is not None:
        rest = _joined([token for token in subject.subtree if token.i != pronoun.i])
        return Owner(f"{thing.key}'s {lemma(subject)}", f"{thing.name}'s {rest}", is_inside=True)
    before = _before(pronoun, who) if is_person else ""
    person = before or (people[-1] if people and is_person else "")
    return Owner(
        f"{person}'s {lemma(subject)}" if person else "",
        is_relative=lemma(subject) in KIN,
        is_inside=bool(before),
    )


def _owner_by_phrase(subject: Any, who: str) -> Owner:
    """Owner by a noun phrase: "my sister" belongs to the speaker, "the gateway" stands for itself."""
    # "The depot in Graz" is another one than "the depot in Linz"; "Anna from accounting" is Anna.
    is_name = subject.pos_ == "PROPN"
    is_person = is_name or lemma(subject) in KIN or any(_is_mine(token) for token in subject.subtree)
    aside = ("relcl", "acl", *(("appos",) if is_name else ()))
    beside = (*aside, "prep") if is_person else aside
    phrase = [
        token
        for token in subject.subtree
        if token.dep_ not in (*aside, "punct")
        and not hangs_below(token, subject, beside)
        and not is_contraction(token, subject)
    ]
    if who and any(token.dep_ == "conj" and token.text == "I" for token in phrase):
        return Owner(who.lower(), f"{who} and {_beside_speaker(phrase, who)}")
    if (name := apposed(subject)) is not None:
        phrase.append(name)
    kinship = lemma(subject)
    if who and kinship in _NAMED_BY_KINSHIP and (parent := _parent(subject, phrase, who)) is not None:
        return parent
    mine = next((token for token in phrase if _is_mine(token)), None)
    if mine is None:
        noun = _joined(phrase)
        is_relative = kinship in KIN and any(token.dep_ == "poss" for token in subject.children)
        return Owner(
            (_name_in(phrase, subject) if is_relative else "") or owner_key(noun),
            noun[:1].upper() + noun[1:],
            is_kin=any(token.dep_ == "appos" and is_of_speaker(token) for token in subject.children),
            is_relative=is_relative,
        )
    if not who:
        return Owner()
    # The parser hangs what follows a comma behind the verb on the subject: "my knee was sore, no running".
    end = subject.head.i if subject.i < subject.head.i else len(subject.doc)
    rest = " ".join(
        f"{who}'s" if _is_mine(token) else token.text
        for token in subject.subtree
        if mine.i != token.i < end
        and token.dep_ not in ("relcl", "punct")
        and not hangs_below(token, subject, ("relcl",))
        and not is_contraction(token, subject)
    )
    if name is not None:
        rest += f" {name.text}"
    if mine.head.dep_ == "poss":
        # "My friend's mum" is not the speaker's.
        person = f"{who}'s {_joined([token for token in phrase if token.i != mine.i])}"
        return Owner(_name_in(phrase, subject) or person.lower(), person, is_relative=kinship in KIN)
    proper = [token.text.lower() for token in phrase if token.pos_ == "PROPN"]
    own = f"{who.lower()}'s {kinship}"
    return Owner(
        proper[-1] if proper else own,
        f"{who}'s {rest}",
        is_kin=kinship in FAMILY,
        alias=own if kinship in _UNIQUE else "",
    )


def _parent(subject: Any, phrase: Sequence[Any], who: str) -> Owner | None:
    """Owner by "Mum" or "Mam, Philomena,"; None where other words stand with it."""
    kinship = lemma(subject)
    own, shown = f"{who.lower()}'s {kinship}", f"{who}'s {kinship}"
    if len(phrase) == 1:
        return Owner(own, shown, is_kin=True)
    names = [token.text for token in phrase if token.pos_ == "PROPN" and token.i > subject.i]
    if len(names) != 1 or len(phrase) != len(names) + 1:
        return None
    return Owner(
        names[0].lower(), f"{shown} {names[0]}", is_kin=True, alias=own if kinship in _UNIQUE else ""
    )


def kin_in(words: Sequence[Any], who: str, *, in_third_person: bool) -> Iterator[tuple[str, str]]:
    """Relations that words state with a name, such as `("husband", "Jonas")` of "my husband Jonas".

    Args:
        words: Words of a clause.
        who: Name of the speaker; empty if unknown.
        in_third_person: Whether "their" stands for the speaker, as in the text of a fact.
    """
    mine = _MINE | {"their"} if in_third_person else _MINE
    for token in words if who else ():
        if token.pos_ != "PROPN" or token.dep_ not in ("appos", "conj", "pobj", "dobj"):
            continue
        # The parser hangs a name on the word of kinship, or the word of kinship on the name.
        kinship = token.head if token.dep_ == "appos" else _compound(token)
        near = () if kinship is None else (*kinship.children, *token.children)
        is_own = any(each.dep_ == "poss" and each.text.lower() in mine for each in near)
        if kinship is not None and lemma(kinship) in FAMILY and is_own:
            yield lemma(kinship), str(token.text)


def _compound(name: Any) -> Any:
    """The noun that is compounded with a name, such as "daughter" of "our daughter Ida"; None if there is none."""
    return next((child for child in name.children if child.dep_ == "compound"), None)


def _name_in(phrase: Sequence[Any], subject: Any) -> str:
    """Name of the person of a phrase, in lower case: "emil" of "Jonas's brother Emil"; empty if it has none."""
    return next((token.text.lower() for token in phrase if token.pos_ == "PROPN" and token.i > subject.i), "")


def _is_mine(token: Any) -> bool:
    """Whether a word is the "my" of a phrase."""
    return token.dep_ == "poss" and token.text.lower() in _MINE


def is_of_speaker(noun: Any) -> bool:
    """Whether "my" stands before a noun."""
    return any(_is_mine(child) for child in noun.children)


def _joined(words: Sequence[Any]) -> str:
    """Words as text, with possessives at the words before them."""
    return re.sub(r" (?=['’](?:s\b|\s))", "", " ".join(token.text for token in words))


def _beside_speaker(phrase: Sequence[Any], who: str) -> str:
    """The others of "my sister and I" in the third person."""
    others = [token for token in phrase if token.text != "I" and token.dep_ != "cc"]
    return " ".join(f"{who}'s" if token.text.lower() in _MINE else token.text for token in others)


def owner_key(name: str) -> str:
    """Owner by the name of a subject: in lower case, without article."""
    return _DETERMINER.sub("", name.lower().strip())


def people_of(sentence: Any, who: str) -> Iterator[str]:
    """People of a sentence to whom a later "she" can point, in order.

    Args:
        sentence: The parsed sentence.
        who: Name of the speaker; empty if unknown.
    """
    for token in sentence:
        if token.dep_ != "compound" and (is_name_of_person(token) or _is_name_by_predicate(token)):
            yield token.text.lower()
        elif lemma(token) in KIN:
            yield _person(token, who)


def is_name_of_person(token: Any) -> bool:
    """Whether a word is the name of a person."""
    is_place = token.dep_ == "pobj" and lemma(token.head) in _OF_PLACE
    return not is_place and (token.ent_type_ == "PERSON" or (token.pos_ == "PROPN" and not token.ent_type_))


def _is_name_by_predicate(token: Any) -> bool:
    """Whether a word that passes for a noun at the beginning of a sentence is a name: "Pia is allergic to nuts"."""
    adjectives = {lemma(child) for child in token.head.children if child.dep_ == "acomp"}
    of_people = adjectives & set(frames()["adjectives"]) or any(
        "to" in frames()["verb"].get(name, {}) for name in adjectives
    )
    return _is_bare_name(token) and token.dep_ == "nsubj" and bool(of_people)


def _is_bare_name(token: Any) -> bool:
    """Whether a word can be a name by its form: a capitalised noun without words that belong to it."""
    return token.pos_ == "NOUN" and token.tag_ == "NN" and token.text.istitle() and not any(token.children)


def _person(token: Any, who: str) -> str:
    """Key of a person by a word: a name, or "nadia's sister" for "my sister"."""
    kinship = lemma(token)
    if kinship not in KIN:
        return str(token.text.lower())
    is_bare = kinship in _NAMED_BY_KINSHIP and not any(token.children)
    is_own = is_bare or is_of_speaker(token) or _is_adopted(token)
    return f"{who.lower()}'s {kinship}" if who and is_own else kinship


def _is_adopted(pet: Any) -> bool:
    """Whether a pet has come to the speaker, as in "we've adopted a cat"."""
    verb = pet.head
    is_object = (
        pet.dep_ == "dobj" and lemma(verb) in _ADOPTING and lemma(pet) in frames()["possessions"]["pet"]
    )
    is_one = any(child.dep_ == "det" and child.text.lower() in ("a", "an") for child in pet.children)
    return (
        is_object
        and is_one
        and any(child.dep_ == "nsubj" and lemma(child) in SPEAKER for child in verb.children)
    )


def _subject_before(subject: Any, who: str) -> Owner | None:
    """The thing that is the subject of the clause to which that of a later subject is joined; None for a person."""
    head = subject.head
    if head.dep_ != "conj" or not any(child.dep_ == "cc" for child in head.head.children):
        return None
    first = [child for child in head.head.children if child.dep_ in SUBJECTS and child.i < head.head.i]
    is_thing = len(first) == 1 and first[0].pos_ in ("NOUN", "PROPN") and possessor_of(first[0]) is None
    owner = _owner_by_phrase(first[0], who) if is_thing else None
    return owner if owner is not None and owner.name and not owner.is_speaker else None


def _before(pronoun: Any, who: str) -> str:
    """The person who is the last subject before "he" or "she" in its sentence; empty if there is none."""
    subjects = [
        token
        for token in pronoun.sent
        if token.i < pronoun.i and token.dep_ in SUBJECTS and lemma(token.head) not in SAYING
    ]
    if not subjects or pronoun.text.lower() == "they":
        return ""
    subject = _named_by(subjects[-1])
    if (name := next((child for child in subject.children if child.dep_ == "appos"), None)) is not None:
        subject = name if name.pos_ == "PROPN" else subject
    is_name = subject.pos_ == "PROPN" or _is_bare_name(subject)
    return _person(subject, who) if is_name or lemma(subject) in KIN else ""


def _named_by(subject: Any) -> Any:
    """The name that a clause gives its subject, as in "the owner is Mr Voss, he ..."; else the subject."""
    verb = subject.head
    names = [child for child in verb.children if child.dep_ == "attr" and child.ent_type_ != "GPE"]
    is_named = lemma(verb) == "be" and subject.pos_ == "NOUN" and len(names) == 1 and names[0].pos_ == "PROPN"
    return names[0] if is_named else subject
