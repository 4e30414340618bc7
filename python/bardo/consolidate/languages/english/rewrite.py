"""A clause as a sentence in the third person: "I work as a nurse" becomes "Mira works as a nurse"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from bardo.consolidate.languages.english.grammar import SUBJECTS, lemma

#: Maximum characters of a sentence.
CHARACTERS = 160
#: Subordinate clauses that are left out of a sentence.
_LEFT_OUT = frozenset({"parataxis", "intj", "discourse", "meta", "dep", "preconj", "cc"})
#: Openings of subordinate clauses that are left out; those of time and purpose stay.
_REASONS = frozenset(
    {
        "because",
        "since",
        "so",
        "as",
        "although",
        "though",
        "but",
        "while",
        "if",
        "cause",
        "cuz",
        "whereas",
        "except",
    }
)
#: Adverbs and particles of talk.
_TALK = frozenset({
    "anyway", "btw", "fyi", "honestly", "basically", "literally", "actually", "really", "just", "well", "so", "oh", "lol", "haha", "yes",
    "no", "yeah", "yep", "ok", "okay", "please", "thanks", "hi", "hello", "hey", "sadly", "unfortunately", "luckily", "fortunately",
    "obviously", "apparently", "frankly", "right", "sure", "also", "too", "then", "though", "tbh", "guess", "even",
})  # fmt: skip
_PRONOUNS = {"my": "their", "mine": "theirs", "our": "their", "ours": "theirs", "me": "them", "us": "them", "myself": "themselves",
             "ourselves": "themselves", "i": "they", "we": "they"}  # fmt: skip
_POINTING = frozenset(
    {
        "it",
        "this",
        "that",
        "these",
        "those",
        "he",
        "she",
        "they",
        "him",
        "her",
        "them",
        "there",
        "here",
        "one",
        "so",
    }
)


def third_person(verb: str) -> str:
    """The third person of a verb in the present: "go" becomes "goes"."""
    irregular = {
        "have": "has",
        "be": "is",
        "do": "does",
        "am": "is",
        "are": "is",
        "'m": "is",
        "'ve": "has",
        "'re": "is",
        "were": "was",
    }
    if verb.lower() in irregular:
        return irregular[verb.lower()]
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def sentence_of(head: Any, subject: Any, name: str, *, first_person: bool) -> str:
    """The clause of a head as a sentence about `name`; empty if it cannot stand alone.

    Args:
        head: Head of the clause.
        subject: Its subject, own or shared; None for a verbless clause about the speaker.
        name: Subject of the new sentence.
        first_person: Whether the subject is the speaker, so that the verb changes.
    """
    kept = _times_last(sorted(_tokens(head, subject), key=lambda token: token.i), head, subject)
    while kept and (
        kept[-1].is_punct or lemma(kept[-1]) in {"and", "but", "or", "so", "because"} or _is_talk(kept[-1])
    ):
        kept.pop()
    while kept and (
        kept[0].is_punct or lemma(kept[0]) in {"and", "but", "or", "so", "that", "well"} or _is_talk(kept[0])
    ):
        kept.pop(0)
    if not kept:
        return ""
    finite = _finite(head) if first_person else None
    parts: list[str] = []
    for place, token in enumerate(kept):
        word = token.text
        if token is finite or (finite is not None and token.i == finite.i):
            word = (
                third_person(word)
                if token.tag_ in ("VBP", "VB", "MD")
                or word.lower() in {"am", "'m", "are", "were", "'ve", "'re"}
                else word
            )
            if token.tag_ == "MD":
                word = {"'ll": "will"}.get(token.text.lower(), token.text)
            if token.text.lower() == "'d":
                word = "had" if token.lemma_ == "have" else "would"
        elif word.lower() == "n't":
            word = " not"
        elif token.tag_ in ("PRP", "PRP$") and word.lower() in _PRONOUNS and name:
            word = _PRONOUNS[word.lower()] if first_person or word.lower() not in ("my", "our") else "their"
        parts.append(word)
        if token.whitespace_ or (place + 1 < len(kept) and kept[place + 1].i != token.i + 1):
            parts.append(" ")
    said = re.sub(r"\s+", " ", "".join(parts)).strip(" ,;:-–—.!")
    said = re.sub(r"\s+([,.;:%]|'s\b|'re\b|'ve\b|'ll\b)", r"\1", said)
    if not said:
        return ""
    verbless = head.pos_ not in ("VERB", "AUX")
    if subject is None and verbless:
        said = f"is {said[0].lower() + said[1:] if said[:1].isupper() and head.pos_ != 'PROPN' else said}"
    said = said if not said.startswith("'s ") else f"is {said[3:]}"
    sentence = f"{name} {said}" if name else said[0].upper() + said[1:]
    sentence = re.sub(
        r"\b(wo|ca|sha) not\b",
        lambda match: {"wo": "will", "ca": "can", "sha": "shall"}[match[1]] + " not",
        sentence,
    )
    return sentence if len(sentence) <= CHARACTERS else _shorter(sentence)


def _times_last(words: list[Any], head: Any, subject: Any) -> list[Any]:
    """The words after the subject, then the times before it; other words before it are left out."""
    if subject is None:
        return words
    begin = min(subject.i, min((token.i for token in subject.subtree), default=subject.i))
    before = [token for token in words if token.i < begin]
    times = [token for token in before if _is_time(token, head)]
    return [token for token in words if token.i > begin] + times


def _is_time(token: Any, head: Any) -> bool:
    """Whether a word belongs to an adjunct of time of the clause."""
    while token.head.i not in (head.i, token.i):
        token = token.head
    return token.dep_ in ("prep", "npadvmod") and any(
        each.ent_type_ in ("DATE", "TIME") for each in token.subtree
    )


def _finite(head: Any) -> Any:
    """The word of a clause that agrees with its subject."""
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    for child in sorted(auxiliaries, key=lambda token: token.i):
        return child
    return head


def _tokens(head: Any, subject: Any) -> Iterable[Any]:
    """The words of a clause without its subject, coordinated clauses, reasons and talk."""
    stack, found = [head], []
    # A conjunct that shares the auxiliaries of the first verb says nothing without them.
    while stack:
        token = stack.pop()
        found.append(token)
        for child in token.children:
            if subject is not None and child.i == subject.i and token.i == head.i:
                continue
            if child.dep_ in SUBJECTS and token.i == head.i:
                continue
            if child.dep_ in _LEFT_OUT and not (child.dep_ == "cc" and token.i != head.i):
                continue
            if child.dep_ == "conj" and (
                (token.i == head.i
                and child.pos_ in ("VERB", "AUX"))
                or any(each.dep_ in SUBJECTS for each in child.children)
            ):
                continue
            if child.dep_ == "mark" and token.i == head.i:
                continue
            if child.dep_ == "advcl" and _opening(child) in _REASONS:
                continue
            if child.dep_ == "ccomp" and token.i == head.i and child.i < head.i:
                continue
            if child.dep_ == "relcl" and sum(1 for _ in child.subtree) > 12:
                continue
            if _is_talk(child) and token.i == head.i:
                continue
            if child.is_punct and token.i == head.i:
                continue
            stack.append(child)
    return found


def _opening(clause: Any) -> str:
    marks = [lemma(child) for child in clause.children if child.dep_ in ("mark", "advmod")]
    return marks[0] if marks else ""


def _is_talk(token: Any) -> bool:
    return lemma(token) in _TALK and token.dep_ in ("advmod", "intj", "discourse", "npadvmod", "dep", "cc")


def _shorter(sentence: str) -> str:
    """The longest beginning of at most `CHARACTERS` that ends where a phrase does; empty if there is none."""
    cuts = [
        m.start()
        for m in re.finditer(
            r",\s|\s(?=(?:and|or|with|for|in|at|on|from|during|after|before|to|about|through|by)\s)", sentence
        )
    ]
    for end in reversed(cuts):
        if 40 <= end <= CHARACTERS:
            return sentence[:end].strip(" ,")
    return ""


def points_outside(head: Any, subject: Any) -> bool:
    """Whether a clause needs another to be understood: its objects are pronouns that point outside of it."""
    for child in head.subtree:
        if (
            child.dep_ in ("dobj", "attr", "pobj", "acomp", "dative", "oprd")
            and lemma(child) in _POINTING
            and child.i > head.i
        ):
            if child.head.i == head.i or (
                child.head.dep_ in ("prep", "dative", "agent") and child.head.head.i == head.i
            ):
                return True
    return False
