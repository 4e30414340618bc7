"""Cues of change in a clause: words by which it announces an effect on an earlier statement (`cues.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.clause import Cue
from bardo.consolidate.languages.english.grammar import lemma, predicate_of


@cache
def table() -> dict[str, Any]:
    """The lists of `cues.toml` as sets."""
    text = (
        resources.files("bardo.consolidate.languages.english")
        .joinpath("cues.toml")
        .read_text(encoding="utf-8")
    )
    read = tomllib.loads(text)
    frames = {verb: frozenset(objects) for verb, objects in read.pop("frames").items()}
    found: dict[str, Any] = {name: frozenset(words) for name, words in read.items()}
    phrases = "|".join(sorted((re.escape(each) for each in read["correction"]), key=len, reverse=True))
    found["correction_pattern"] = re.compile(rf"(?<!\w)(?:{phrases})(?!\w)", re.IGNORECASE)
    found["frames"] = frames
    return found


def opening(sentence: str) -> frozenset[Cue]:
    """Cues of the opening and the asides of a sentence."""
    return frozenset({"correction"}) if table()["correction_pattern"].search(sentence) else frozenset()


def cues(
    head: Any, words: list[Any], sentence: Any, *, denied: bool, opening: frozenset[Cue]
) -> tuple[set[Cue], set[str], set[str]]:
    """Cues of a clause, the lemmas that it names as left behind, and those that it names as new."""
    lists = table()
    found: set[Cue] = set(opening)
    left: set[str] = set()
    value: set[str] = set()
    lemmas = [lemma(token) for token in words]
    verb, bare = predicate_of(head), lemma(head)
    if denied:
        found.add("denial")
    if _ends(head, verb, bare, lists):
        found.add("ending")
    if verb in lists["change"] or bare in lists["change"]:
        found.add("change")
    if lists["now"] & set(lemmas) or re.search(
        r"\b(?:these days|from now on|as of|any ?more|no longer|going forward)\b", sentence.text, re.IGNORECASE
    ):
        found.add("now")
    if any(lemma(token) in lists["new"] and token.dep_ == "amod" for token in words):
        found.add("new")
    for token in words:
        low = lemma(token)
        if (
            low == "from"
            and token.dep_ == "prep"
            and any(lemma(other) in ("to", "into") and other.dep_ == "prep" for other in words)
        ):
            found.add("from")
            left |= _content(token)
            for other in words:
                if lemma(other) in ("to", "into") and other.dep_ == "prep":
                    value |= _content(other)
        elif low == "from" and token.dep_ == "prep" and token.head.i == head.i and "change" in found:
            # "took over from Dan"
            found.add("from")
            left |= _content(token)
        elif (
            low in ("instead", "rather")
            and token.i + 1 < len(token.doc)
            and lemma(token.nbor(1)) in ("of", "than")
        ):
            found.add("instead")
            left |= {
                lemma(each)
                for each in token.doc[token.i + 2 : token.i + 7]
                if each.pos_ in ("NOUN", "PROPN", "NUM", "ADJ")
            }
        elif low == "instead":
            found.add("instead")
        elif (
            low == "not"
            and token.dep_ == "neg"
            and token.head.pos_ in ("NOUN", "PROPN", "NUM")
            and token.head.i != head.i
        ):
            # "June, not May"
            found.add("instead")
            left |= {
                lemma(token.head),
                *(lemma(each) for each in token.head.subtree if each.pos_ in ("NOUN", "PROPN", "NUM")),
            }
    return found, left, value


def _ends(head: Any, verb: str, bare: str, lists: dict[str, Any]) -> bool:
    if verb not in lists["ending"] and bare not in lists["ending"]:
        # "is over", "is gone", "is history", "is off"
        last = [lemma(child) for child in head.children if child.dep_ in ("advmod", "acomp", "attr", "prt")]
        return bare in ("be", "get") and bool(
            {"over", "gone", "history", "off", "done", "finished", "dead", "closed", "cancelled", "canceled"}
            & set(last)
        )
    barred = lists["frames"].get(verb) or lists["frames"].get(bare) or frozenset()
    objects = {
        lemma(child)
        for child in head.children
        if child.dep_ in ("dobj", "nsubjpass", "prep", "advmod", "nsubj")
    }
    return not barred & objects


def _content(preposition: Any) -> set[str]:
    return {
        lemma(token)
        for token in preposition.subtree
        if token.pos_ in ("NOUN", "PROPN", "NUM", "ADJ") and token.i != preposition.i
    }
