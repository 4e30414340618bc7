"""People to whom "he" and "she" point: the one person of earlier sentences whose gender fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.owners import KIN, is_name_of_person, is_of_speaker

#: Pronouns of a person, and their gender.
PRONOUNS = {"he": "m", "his": "m", "him": "m", "she": "f", "her": "f"}
_GENDERS = {
    word: gender
    for gender, words in (
        ("m", "husband boyfriend son dad daddy papa father brother grandfather grandpa grandad granddad grandson uncle "
              "nephew stepson stepfather father-in-law brother-in-law son-in-law landlord fiance fiancé"),
        ("f", "wife girlfriend daughter mam mammy mom mum mummy mama mother sister grandmother grandma granny gran nan "
              "nana granddaughter aunt niece stepdaughter stepmother mother-in-law sister-in-law daughter-in-law "
              "landlady fiancee fiancée"),
    )
    for word in words.split()
}  # fmt: skip
#: Titles before a name, and their gender.
_TITLES = {
    "mr": "m",
    "mr.": "m",
    "don": "m",
    "mrs": "f",
    "mrs.": "f",
    "ms": "f",
    "ms.": "f",
    "miss": "f",
    "doña": "f",
}


def gender_of(kinship: str) -> str:
    """Gender of a word of kinship: `m` or `f`; empty if it tells none."""
    return _GENDERS.get(kinship, "")


@dataclass(frozen=True, slots=True)
class Person:
    """Person of a sentence.

    Args:
        name: Name, or words such as "Nadia's sister".
        gender: `m` or `f`; empty if unknown.
    """

    name: str
    gender: str


def people(sentence: Any, who: str) -> Iterator[Person]:
    """The people of a sentence, in order.

    Args:
        sentence: The parsed sentence.
        who: Name of the speaker.
    """
    tokens = list(sentence)
    named = {
        name.i: noun for noun in tokens if lemma(noun) in KIN and (name := _name_beside(noun)) is not None
    }
    for token in tokens:
        if token.i in named or (token.dep_ != "compound" and is_name_of_person(token)):
            before = [child for child in token.children if child.dep_ == "compound" and child.i < token.i]
            names = [*(child for child in before if lemma(child) not in KIN), token]
            name = " ".join(each.text for each in names)
            kinship = _GENDERS.get(lemma(named[token.i]), "") if token.i in named else ""
            title = next((_TITLES[each.text.lower()] for each in names if each.text.lower() in _TITLES), "")
            if name.casefold() != who.casefold():
                yield Person(name, kinship or title)
        elif lemma(token) in KIN and _name_beside(token) is None:
            is_own = is_of_speaker(token) or not any(token.children)
            name = f"{who}'s {token.text.lower()}" if who and is_own else f"the {token.text.lower()}"
            yield Person(name, _GENDERS.get(lemma(token), ""))


def _name_beside(noun: Any) -> Any:
    """The name of "my sister Morag"; None if there is none."""
    below = next((child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"), None)
    is_before = noun.dep_ == "compound" and noun.head.pos_ == "PROPN"
    return noun.head if is_before else below


def referent(pronoun: str, found: Sequence[Person]) -> Person | None:
    """The person to whom a pronoun can point; None if no gender is known to fit, or another one may fit.

    A wrong name is worse than none: a name tells no gender, a word of kinship beside it does.

    Args:
        pronoun: The pronoun in lower case.
        found: People of earlier sentences.
    """
    told = {person.name.casefold(): person for person in found if person.gender}
    fitting = {person.name.casefold() for person in found if person.gender in ("", PRONOUNS[pronoun])}
    # "My nephew Ruaridh" tells the gender of a later "Ruaridh" as well.
    fitting -= {name for name, person in told.items() if person.gender != PRONOUNS[pronoun]}
    person = told.get(next(iter(fitting))) if len(fitting) == 1 else None
    # "The grandson" is no name.
    return None if person is None or person.name.startswith("the ") else person
