"""Sentences as quotes that stand alone: without openers, with dates, and with the sentence that gives them a head."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bardo.consolidate.clause import OF_CHANGE, Clause, Speech
from bardo.consolidate.languages.english.grammar import SAYING, SUBJECTS, lemma
from bardo.consolidate.languages.english.near_days import dated
from bardo.consolidate.languages.english.parse import parse
from bardo.consolidate.languages.english.referents import (
    PRONOUNS,
    Person,
    gender_of,
    people,
    referent,
)
from bardo.consolidate.languages.english.rewrite import points_outside

#: Words that answer or link, and say nothing at the beginning of a quote.
_OPENERS = frozenset({
    "also", "ah", "and", "anyway", "btw", "but", "haha", "hello", "hey", "hi", "hmm", "lol", "oh", "ok", "okay",
    "thanks", "ugh", "um", "well", "wow", "yeah", "yep", "yes",
})  # fmt: skip
#: Openers that have another meaning as well: a mark or a subject must follow.
_LINKS = frozenset(
    {"actually", "good", "nice", "no", "now", "plus", "right", "so", "still", "sure", "then", "though"}
)
#: Marks between openers and the rest.
_MARKS = frozenset({",", ".", ":", ";", "!", "-", "–", "—", "..", "...", "…"})
#: Minimum number of words of a sentence that can give another one its head, unless it names a person.
_LEAST_LEAD = 2
#: Minimum number of words of a quote without its openers, and of a sentence that is more than a bare name.
_LEAST_WORDS = 3
#: Verbs of a state, which is that of their subject.
_OF_STATE = frozenset({"be", "get", "have", "live", "need", "stay", "take", "use", "work"})
#: Labels of times.
_TIMES = frozenset({"DATE", "TIME"})
_FIRST_PRONOUN = re.compile(r"(?P<word>he|she)(?P<is>['’]s)?\b", re.IGNORECASE)
#: Maximum number of sentences between one that points back and the one that it points to.
_FAR = 3


def with_quotes(
    clauses: Iterable[Clause], sentence: Any, said: Sequence[Any], speech: Speech
) -> Iterator[Clause]:
    """The clauses of a sentence with the sentence as it is quoted, and with dates.

    Args:
        clauses: Clauses of the sentence.
        sentence: The parsed sentence.
        said: The sentences before it in its text, in order.
        speech: Text of the sentence.
    """
    made = list(clauses)
    told, lead, named_in = without_opener(sentence), "", 0
    near = said[: -_FAR - 1 : -1]
    pronoun = _open_pronoun(sentence)
    if pronoun is not None:
        before = next((each for each in near if _may_name(each, pronoun, speech.who)), None)
        if before is not None:
            lead = without_opener(before)
        elif (found := _named_earlier(pronoun, speech)) is not None:
            person, named_in = found
            told = re.sub(rf"\b{pronoun.text}\b", _of_person(person, pronoun), told, count=1)
    if not (lead or named_in) and near and _is_name(near[0]):
        lead = near[0].text.strip()
    needs_lead = pronoun is not None or needs_head(sentence) or any(clause.context for clause in made)
    if needs_lead and not (lead or named_in):
        # Of a person, a sentence about others alone would give a wrong one.
        leads = (each for each in near if pronoun is None or not any(people(each, speech.who)))
        lead = next((without_opener(each) for each in leads if _can_lead(each, speech.who)), "")
    if pronoun is not None and not (lead or named_in) and near and len(near[0]) > _LEAST_WORDS:
        lead = without_opener(near[0])
    if lead and lead[-1].isalnum():
        lead = f"{lead}."
    is_open = not (lead or named_in) and pronoun is not None and _is_about(pronoun, made)
    for clause in made:
        stated = clause.statement and replace(
            clause.statement, value=dated(clause.statement.value, speech.at)
        )
        yield replace(
            clause,
            told=dated(told, speech.at),
            lead=dated(lead, speech.at),
            named_in=named_in,
            is_open=is_open,
            statement=stated,
        )


def with_person(told: str, kinship: str) -> str:
    """A sentence with a person in the place of the "he" or "she" at its beginning; empty if another one is meant.

    Args:
        told: The sentence.
        kinship: The person by kinship, such as `nadia's mum`.
    """
    pronoun = _FIRST_PRONOUN.match(told)
    who, _, word = kinship.rpartition("'s ")
    if pronoun is None or not who or gender_of(word) != PRONOUNS[pronoun["word"].lower()]:
        return ""
    is_short = pronoun["is"] and not told[pronoun.end() :].split(" ", maxsplit=1)[0].endswith(("ed", "en"))
    verb = (" is" if is_short else " has") if pronoun["is"] else ""
    return f"{who[:1].upper()}{who[1:]}'s {word}{verb}{told[pronoun.end() :]}"


def _is_about(pronoun: Any, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence tells of the person of its pronoun: "she changed the dose" and "he says" tell of others.

    "She's on 1000 of it now" tells of her.
    """
    is_change = any(clause.cues & OF_CHANGE for clause in clauses) and lemma(pronoun.head) not in _OF_STATE
    return not is_change and lemma(pronoun.head) not in SAYING


def _open_pronoun(sentence: Any) -> Any:
    """The "he" or "she" of a sentence that no noun in the sentence precedes; None if there is none."""
    pronoun = next(
        (
            token
            for token in sentence
            if token.text.lower() in PRONOUNS and (token.dep_ in SUBJECTS or token.dep_ == "poss")
        ),
        None,
    )
    if pronoun is None:
        return None
    known = any(token.pos_ in ("NOUN", "PROPN") for token in sentence if token.i < pronoun.i)
    return None if known else pronoun


def _may_name(sentence: Any, pronoun: Any, who: str) -> bool:
    """Whether a sentence names a person to whom a pronoun can point, or a name is its subject."""
    gender = PRONOUNS[pronoun.text.lower()]
    found = list(people(sentence, who))
    return any(person.gender in ("", gender) for person in found) or (
        not found and any(_is_name_like(token) and token.dep_ in SUBJECTS for token in sentence)
    )


def _is_name_like(token: Any) -> bool:
    """Whether a word is a name by its form, which the parse can take for a noun: "Kacper is studying"."""
    return token.pos_ == "PROPN" or (
        token.text.istitle() and token.pos_ == "NOUN" and not any(token.children)
    )


def _named_earlier(pronoun: Any, speech: Speech) -> tuple[Person, int] | None:
    """The one person of an earlier text to whom a pronoun can point, with the number of that text, from 1."""
    for number, text in enumerate(speech.earlier, start=1):
        found = [person for sentence in parse(text).sents for person in people(sentence, speech.who)]
        if found:
            person = referent(pronoun.text.lower(), found)
            return (person, number) if person is not None else None
    return None


def _of_person(person: Person, pronoun: Any) -> str:
    """Name of a person in the place of a pronoun."""
    return f"{person.name}'s" if pronoun.dep_ == "poss" else person.name


def _is_name(sentence: Any) -> bool:
    """Whether a sentence is a bare name, about which the next one tells: "Nadia. Qualified pharmacist"."""
    words = [token for token in sentence if token.is_alpha]
    return 0 < len(words) < _LEAST_WORDS and all(token.pos_ == "PROPN" for token in words)


def _can_lead(sentence: Any, who: str) -> bool:
    """Whether a sentence can give a later one its head: it names a person or a thing, and asks nothing."""
    words = [token for token in sentence if token.is_alpha]
    has_thing = any(token.pos_ in ("NOUN", "PROPN") and token.ent_type_ not in _TIMES for token in words)
    is_long = len(words) >= _LEAST_LEAD and has_thing
    return (is_long and not sentence.text.rstrip().endswith("?")) or any(people(sentence, who))


def without_opener(sentence: Any) -> str:
    """The words of a sentence without those that answer or link: "yes ok, and it is 8080 now" is "it is 8080 now"."""
    words = [token for token in sentence if not token.is_space]
    place = 0
    while place < len(words) and _is_opener(words, place):
        place += 1
        while place < len(words) and words[place].text in _MARKS:
            place += 1
    if place == 0 or len(words) - place < _LEAST_WORDS:
        return str(sentence.text.strip())
    rest = str(sentence.doc[words[place].i : sentence.end].text.strip())
    return rest[0].upper() + rest[1:] if words[0].text[0].isupper() else rest


def _is_opener(words: list[Any], place: int) -> bool:
    """Whether a word only opens a sentence."""
    token = words[place]
    following = words[place + 1] if place + 1 < len(words) else None
    if following is None or (not token.whitespace_ and following.text not in _MARKS):
        return False
    if lemma(token) in _OPENERS:
        return True
    if lemma(token) not in _LINKS:
        return False
    return following.text in _MARKS or (
        lemma(token) in ("no", "so") and following.dep_ in SUBJECTS and following.pos_ in ("PRON", "PROPN")
    )


def needs_head(sentence: Any) -> bool:
    """Whether a sentence lacks what it belongs to, which the one before it can give.

    "Every third week, me and Ines" has no verb, "goes on the 21st" no subject, and "the big one" no noun.
    """
    root = sentence.root
    has_subject = any(token.dep_ in SUBJECTS for token in sentence)
    if not has_subject and (root.pos_ not in ("VERB", "AUX") or root.tag_ == "VBZ"):
        return True
    if any(token.text.lower() in ("one", "ones") and _is_elliptic(token) for token in sentence):
        return True
    return points_outside(root) and not any(
        token.pos_ in ("NOUN", "PROPN") and not token.ent_type_ for token in sentence if token.i < root.i
    )


def _is_elliptic(token: Any) -> bool:
    """Whether "one" stands for a noun of another sentence, as in "the big one"."""
    is_bare = not any(child.dep_ in ("prep", "relcl") for child in token.children)
    has_article = any(child.dep_ in ("det", "amod") for child in token.children)
    named = any(other.pos_ == "NOUN" for other in token.sent if other.i < token.i)
    return is_bare and has_article and not named
