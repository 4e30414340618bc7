"""Clauses of English texts, from a dependency parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bardo._core import neutralise
from bardo.consolidate.clause import Clause, Cue, Speech
from bardo.consolidate.languages.english import cue_words, records, slots
from bardo.consolidate.languages.english.dates import DATE, bounds
from bardo.consolidate.languages.english.features import features
from bardo.consolidate.languages.english.fillers import fillers
from bardo.consolidate.languages.english.grammar import (
    NOT_SERIOUS,
    ORDERS,
    QUOTED,
    clause_heads,
    is_denied,
    is_future,
    is_order,
    is_past,
    is_question,
    is_unreal,
    lemma,
    predicate_of,
    subject_of,
)  # fmt: skip
from bardo.consolidate.languages.english.parse import parse
from bardo.consolidate.languages.english.rewrite import points_outside, sentence_of

#: Words of kinship and of other people and animals that belong to a speaker.
KIN = frozenset(
    ["wife", "husband", "partner", "spouse", "boyfriend", "girlfriend", "fiance", "fiancé", "fiancee", "fiancée", "ex", "son", "daughter", "kid", "child", "baby", "mom", "mum", "mother", "dad", "father", "parent", "sister", "brother", "sibling", "twin", "grandmother", "grandma", "granny", "gran", "grandfather", "grandpa", "grandad", "grandson", "granddaughter", "grandchild", "aunt", "uncle", "cousin", "niece", "nephew", "stepson", "stepdaughter", "stepmother", "stepfather", "mother-in-law", "father-in-law", "sister-in-law", "brother-in-law", "son-in-law", "daughter-in-law", "friend", "mate", "roommate", "flatmate", "housemate", "neighbour", "neighbor", "boss", "manager", "colleague", "coworker", "co-worker", "supervisor", "doctor", "gp", "dentist", "therapist", "landlord", "landlady", "teacher", "coach", "trainer", "tutor", "assistant", "client", "dog", "cat", "puppy", "kitten", "pet", "horse", "rabbit", "hamster", "parrot", "tortoise"]
)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SPEAKER = frozenset({"i", "we"})
_NUMBER = re.compile(r"[\w.:/@-]*\d[\w.:/%-]*")
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM", "X", "SYM"})
_LIGHT = frozenset(
    {
        "be",
        "have",
        "do",
        "get",
        "go",
        "make",
        "thing",
        "lot",
        "bit",
        "way",
        "time",
        "one",
        "also",
        "please",
        "thank",
        "thanks",
    }
)


class EnglishReader:
    """Reads English texts."""

    def read(self, speech: Speech) -> Sequence[Clause]:
        """The clauses of a text, in order."""
        if speech.form == "record":
            return records.read(speech)
        text = _CODE.sub("\n", speech.text)
        if NOT_SERIOUS.search(text) or ORDERS.search(text):
            return ()
        _, flags = neutralise(text, [])
        if {"instruction", "role", "fence", "mark", "tag"} & set(flags):
            return ()
        found: list[Clause] = []
        people: list[str] = []
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith((">", "|")):
                continue
            if records.is_record(line):
                found += records.read(Speech(line, speech.who, speech.at, "record"))
                continue
            document = parse(QUOTED.sub(_unquoted, line))
            for sentence in document.sents:
                found += self._sentence(sentence, speech, people)
        return found

    def _sentence(self, sentence: Any, speech: Speech, people: list[str]) -> Iterator[Clause]:
        asks = is_question(sentence)
        opening = cue_words.opening(sentence.text)
        for head in clause_heads(sentence):
            made = _clause(head, sentence, speech, people, asks=asks, opening=opening)
            if made is not None:
                yield made
        for token in sentence:
            if (
                token.pos_ == "PROPN"
                and token.dep_ not in ("compound",)
                and token.ent_type_ in ("PERSON", "")
            ):
                people.append(token.text.lower())
            elif lemma(token) in KIN:
                people.append(lemma(token))


def _unquoted(match: re.Match[str]) -> str:
    """Short quotes are names and stay; longer ones are another's words."""
    inner = match[0][1:-1]
    return inner if len(inner.split()) <= 4 and not re.search(r"[.!?]", inner) else "something"


def _clause(
    head: Any, sentence: Any, speech: Speech, people: list[str], *, asks: bool, opening: frozenset[Cue]
) -> Clause | None:
    subject = subject_of(head)
    owner, name, first_person = _owner(head, subject, speech, people)
    owner = owner_key(owner)
    if subject is None and is_order(head):
        return _order(head, sentence, speech, opening)
    words = [token for token in head.subtree if not _is_below_other_clause(token, head)]
    predicate = predicate_of(head)
    denied = is_denied(head)
    unreal = is_unreal(head) or asks
    since, until = bounds(" ".join(token.text for token in words), speech.at)
    cues, left, value = cue_words.cues(head, words, sentence, denied=denied, opening=opening)
    if until is not None or (since is not None and since > speech.at > 0):
        cues |= {"bound"}
    anchors = frozenset(
        lemma(token).strip("-") for token in words
        if token.pos_ in _CONTENT and token.i != head.i and lemma(token) not in _LIGHT and len(token.text) > 1
        and not (token.dep_ in ("nsubj", "nsubjpass") and lemma(token) in _SPEAKER)
    )  # fmt: skip
    if head.pos_ not in ("VERB", "AUX"):
        anchors |= {lemma(head)}
    span = sentence.doc[min(t.i for t in words) : max(t.i for t in words) + 1].text if words else head.text
    figures = frozenset(m[0].lower().rstrip(".,:") for m in _NUMBER.finditer(span))
    figures |= frozenset(m[0].lower() for m in DATE.finditer(span) if not m["near"])
    names = frozenset(token.text.lower() for token in words if token.pos_ == "PROPN")
    text = ""
    if not unreal and name and not points_outside(head, subject):
        text = sentence_of(head, subject, name, first_person=first_person)
    condition = slots.condition_of(head, words)
    made = Clause(
        text=text, sentence=sentence.text.strip(), owner=owner, predicate=predicate, anchors=anchors, names=names,
        figures=figures, stated=not unreal, denied=denied, past=is_past(head) and lemma(head) != "used", cues=frozenset(cues),
        left=frozenset(left), value=frozenset(value), since=since, until=until, condition=condition,
        objects=_objects(head), fillers=fillers(head, subject, words),
        past_dated=is_past(head) and bool(re.search(r"\b(?:19|20)\d\d\b|\byears? ago\b|\bback then\b|\bas a (?:kid|child|student)\b", span)),
        features=features(head, subject, words, owner_is_self=first_person, denied=denied, unreal=unreal),
    )  # fmt: skip
    return slots.with_slot(made, head, subject, words, future=is_future(head))


def _objects(head: Any) -> frozenset[str]:
    """Heads of the objects and complements of a clause."""
    found = set()
    for child in head.children:
        if child.dep_ in ("dobj", "attr", "acomp", "oprd", "nsubjpass") and child.pos_ != "PRON":
            found.add(lemma(child))
        if child.dep_ in ("prep", "agent"):
            found |= {lemma(each) for each in child.children if each.dep_ == "pobj" and each.pos_ != "PRON"}
    return frozenset(found)


def _is_below_other_clause(token: Any, head: Any) -> bool:
    """Whether a word belongs to another clause that hangs below this one."""
    while token.i != head.i:
        if (
            token.dep_ in ("conj", "advcl", "parataxis", "ccomp")
            and token.pos_ in ("VERB", "AUX")
            and (
                any(child.dep_ in ("nsubj", "nsubjpass") for child in token.children)
                or (token.dep_ == "conj" and token.head.i == head.i)
            )
        ):
            return True
        token = token.head
    return False


def _owner(head: Any, subject: Any, speech: Speech, people: list[str]) -> tuple[str, str, bool]:
    """Owner of a clause, the name of its subject in the third person, and whether that is the speaker."""
    who = speech.who
    if subject is None:
        if head.pos_ in ("ADJ", "NOUN", "VERB") and who and head.dep_ == "ROOT":
            return who.lower(), "", False
        return "", "", False
    low = subject.text.lower()
    if low in _SPEAKER:
        return (who.lower(), who, True) if who else ("", "", False)
    if subject.pos_ == "PRON":
        if low in ("he", "she", "they") and people:
            return people[-1], "", False
        return "", "", False
    phrase = [
        token
        for token in subject.subtree
        if not (token.dep_ in ("relcl", "acl") or _within(token, subject, ("relcl", "acl", "prep")))
    ]
    phrase = [token for token in phrase if token.dep_ != "punct"]
    own = [token for token in phrase if token.dep_ == "poss" and token.text.lower() in ("my", "our")]
    proper = [token.text for token in phrase if token.pos_ == "PROPN"]
    if own:
        rest = " ".join(
            token.text
            for token in subject.subtree
            if token.i != own[0].i
            and token.dep_ not in ("relcl", "punct")
            and not _within(token, subject, ("relcl",))
        )
        if not who:
            return "", "", False
        owner = proper[-1].lower() if proper else f"{who.lower()}'s {lemma(subject)}"
        return owner, f"{who}'s {rest}", False
    noun = " ".join(token.text for token in phrase)
    owner = owner_key(noun)
    return owner, noun[:1].upper() + noun[1:], False


def owner_key(name: str) -> str:
    """Owner by the name of a subject: in lower case, without article."""
    return re.sub(r"^(?:the|a|an|this|that|these|those|their|his|her)\s+", "", name.lower().strip())


def _within(token: Any, top: Any, labels: tuple[str, ...]) -> bool:
    while token.i != top.i:
        if token.dep_ in labels:
            return True
        token = token.head
    return False


def _order(head: Any, sentence: Any, speech: Speech, opening: frozenset[Cue]) -> Clause | None:
    """A request: no fact, but it can correct ("Make it 15 June instead")."""
    words = list(head.subtree)
    cues, left, value = cue_words.cues(head, words, sentence, denied=is_denied(head), opening=opening)
    anchors = frozenset(
        lemma(token)
        for token in words
        if token.pos_ in _CONTENT and token.i != head.i and lemma(token) not in _LIGHT
    )
    figures = frozenset(m[0].lower().rstrip(".,:") for m in _NUMBER.finditer(sentence.text))
    names = frozenset(token.text.lower() for token in words if token.pos_ == "PROPN")
    return Clause(
        text="", sentence=sentence.text.strip(), owner=speech.who.lower(), predicate=predicate_of(head), anchors=anchors, names=names,
        figures=figures, stated=not is_question(sentence), denied=is_denied(head), cues=frozenset(cues), left=frozenset(left),
        value=frozenset(value), objects=_objects(head), fillers=fillers(head, None, words),
    )  # fmt: skip
