"""Features of a clause for the decision whether it is worth keeping (`worth.py`)."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.grammar import is_future, is_past, lemma, predicate_of

_OBJECTS = frozenset({"dobj", "attr", "acomp", "oprd", "pobj", "dative"})
_TIMES = frozenset({"DATE", "TIME"})
#: Labels of entities that a clause can name.
_NAMED = frozenset({"PERSON", "ORG", "GPE", "PRODUCT", "FAC", "NORP", "LANGUAGE"})
_MINE = frozenset({"my", "our"})
#: People without a name: what is told of them is rarely about the speaker's life.
_STRANGERS = frozenset({
    "someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "people", "person", "guy", "girl",
    "boy", "man", "woman", "lady", "fella", "fellow", "bloke", "chap", "lad", "gentleman", "stranger", "customer",
    "folk",
})  # fmt: skip
#: Words of a state that does not last.
_TEMPORARY = frozenset(
    {"today", "tonight", "yesterday", "now", "just", "currently", "moment", "still", "already", "finally"}
)


def features(
    head: Any, subject: Any, words: list[Any], *, owner_is_self: bool, denied: bool, unreal: bool
) -> dict[str, float]:
    """Features of a clause by name, 1 if they hold.

    Args:
        head: Head of the clause.
        subject: Its subject; None if it has none.
        words: Words of the clause.
        owner_is_self: Whether it is about the speaker.
        denied: Whether it is negated.
        unreal: Whether it is supposed, wished or asked.
    """
    found: dict[str, float] = {}

    def mark(name: str, holds: bool = True) -> None:
        if holds:
            found[name] = 1.0

    mark("self", owner_is_self)
    mark("no subject", subject is None)
    if subject is not None and not owner_is_self:
        own = any(token.dep_ == "poss" and token.text.lower() in _MINE for token in subject.subtree)
        mark("subject of mine", own)
        described = [subject, *(child for child in subject.children if child.dep_ == "appos")]
        mark("subject stranger", not own and any(lemma(each) in _STRANGERS for each in described))
        mark("subject named", subject.pos_ == "PROPN")
        mark("subject pronoun", subject.pos_ == "PRON")
        mark("subject thing", subject.pos_ == "NOUN" and not own)
    mark("denied", denied)
    mark("unreal", unreal)
    mark("past", is_past(head))
    mark("future", is_future(head))
    mark("perfect", any(child.dep_ == "aux" and lemma(child) == "have" for child in head.children))
    mark("progressive", head.tag_ == "VBG")
    mark("infinitive", head.tag_ == "VB")
    mark("verbless", head.pos_ not in ("VERB", "AUX"))
    mark("joined", head.dep_ in ("conj", "advcl", "ccomp", "parataxis"))
    mark(f"verb {predicate_of(head)}")
    for token in words:
        if token.dep_ in _OBJECTS:
            mark(f"object {token.pos_}")
            if token.ent_type_:
                mark(f"entity {token.ent_type_}")
            if token.dep_ in ("attr", "acomp"):
                mark(f"is {token.pos_}")
        if token.ent_type_ in _TIMES:
            mark("dated")
        if token.ent_type_ in _NAMED:
            mark(f"names {token.ent_type_}")
        if token.pos_ == "NUM":
            mark("figure")
        if lemma(token) in _TEMPORARY:
            mark("of the moment")
        if token.text.lower() in _MINE:
            mark("mine")
        if token.pos_ == "PROPN":
            mark("name")
    mark("short", len(words) <= 4)
    mark("long", len(words) >= 16)
    return found
