"""Standing requests how to be answered: "always answer me in Spanish"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.owners import owner_key
from bardo.consolidate.languages.english.parse import parse
from bardo.consolidate.languages.english.traits import trait_table
from bardo.model import Statement

#: Maximum number of words of a text that is such a request: what stands beside it would be an order of another kind.
_WORDS = 10


def answer_request(text: str, who: str) -> Clause | None:
    """The clause of a text that only asks for answers in a language; None for other texts.

    Args:
        text: The whole text.
        who: Name of the speaker; empty if unknown.
    """
    if not who or len(text.split()) > _WORDS or "?" in text or " in " not in text:
        return None
    sentences = list(parse(text.strip()).sents)
    language = _asked_language(sentences[0]) if len(sentences) == 1 else ""
    if not language:
        return None
    owner = owner_key(who)
    return Clause(
        text=f"{who} wants answers in {language}",
        sentence=text.strip(),
        owner=owner,
        predicate="answer",
        anchors=frozenset({"answer", language.lower()}),
        names=frozenset({language.lower()}),
        trait=True,
        general=True,
        statement=Statement(owner, "answer_language", language),
        features={"self": 1.0},
    )


def _asked_language(sentence: Any) -> str:
    """Language in which a speaker asks to be answered: "always answer me in Spanish"; empty for other sentences."""
    root = sentence.root
    if lemma(root) not in trait_table()["answers"]["verbs"] or root.tag_ not in ("VB", "VBP"):
        return ""
    allowed = {"advmod", "punct", "intj", "dobj", "dative", "prep", "npadvmod"}
    if any(child.dep_ not in allowed for child in root.children):
        return ""
    objects = [child.text.lower() for child in root.children if child.dep_ in ("dobj", "dative")]
    if any(word != "me" for word in objects):
        return ""
    for child in root.children:
        if child.dep_ == "prep" and lemma(child) == "in":
            for each in child.children:
                is_language = each.ent_type_ in ("LANGUAGE", "NORP") and not any(each.children)
                if each.dep_ == "pobj" and is_language:
                    return str(each.text)
    return ""
