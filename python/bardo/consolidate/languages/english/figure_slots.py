"""Slots by figures of English clauses: what a thing costs, and the figure at which a value stands or goes to."""

from __future__ import annotations

import re
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.frames import phrase_of
from bardo.consolidate.languages.english.grammar import lemma

#: Verbs by which a value comes to a figure, and those by which it is brought there.
_GOING = frozenset({"climb", "come", "drop", "fall", "go", "increase", "rise"})
_BRINGING = frozenset({"bring", "bump", "cut", "increase", "lift", "lower", "put", "raise", "reduce", "set"})


def cost_slot(clause: Clause, head: Any) -> tuple[str, str, str] | None:
    """Slot of what a thing costs: "a consultation costs 65 euros"."""
    if lemma(head) != "cost" or clause.past or clause.denied or not clause.features.get("subject thing"):
        return None
    figure = next(
        (each for each in head.children if each.dep_ in ("dobj", "npadvmod", "attr") and each.i > head.i),
        None,
    )
    return ("price", phrase_of(figure), "") if figure is not None and has_figure(figure) else None


def charge_slot(clause: Clause, head: Any) -> tuple[str, str, str] | None:
    """Slot of what a person or firm charges: "Okafor charges 48 an hour"."""
    if lemma(head) != "charge" or clause.past or clause.denied:
        return None
    for thing in head.children:
        if thing.dep_ == "dobj" and any(token.like_num for token in thing.subtree):
            per = [
                token
                for child in head.children
                if child.i > thing.i and (child.dep_ == "npadvmod" or lemma(child) == "per")
                for token in child.subtree
            ]
            last = max(token.i for token in (*thing.subtree, *per))
            return "rate", str(head.doc[thing.left_edge.i : last + 1].text), ""
    return None


def figure_reached(head: Any) -> Any:
    """The figure to which a value goes, as in "retention goes up to 30 days"; None without one."""
    is_brought = lemma(head) in _BRINGING and any(child.dep_ == "auxpass" for child in head.children)
    if not is_brought and lemma(head) not in _GOING:
        return None
    ways = [head, *(child for child in head.children if child.text.lower() in ("up", "down", "back"))]
    to = next(
        (each for way in ways for each in way.children if each.dep_ == "prep" and lemma(each) == "to"), None
    )
    # The parser takes "up to" for a word of the number.
    figure = first_below(to, "pobj") if to is not None else first_below(head, "dobj", "npadvmod")
    is_reached = to is not None or (
        figure is not None and any(lemma(each) == "to" and each.dep_ == "quantmod" for each in figure.subtree)
    )
    return figure if is_reached and figure is not None and has_figure(figure) else None


def figure_restored(head: Any) -> Any:
    """The preposition before a figure that holds again, as in "the limit is back to 40 lots"; None without one."""
    back = next((child for child in head.children if child.dep_ == "advmod" and lemma(child) == "back"), None)
    return None if back is None else first_below(back, "prep")


def code_at(value: Any) -> str:
    """The whole word at a value, such as "4471-22-90", of which it is one group of figures; empty if it is no code."""
    sentence, begin = value.sent.text, value.idx - value.sent.start_char
    first = max(sentence.rfind(" ", 0, begin), sentence.rfind("\n", 0, begin)) + 1
    word = sentence[first:].split(maxsplit=1)[0].strip(".,;:!?()\"'")
    return word if re.fullmatch(r"[\w/-]*\d[\w/-]*", word) and re.search(r"[-/]", word) else ""


def figures_from(value: Any) -> str:
    """The groups of digits that begin with a word, such as a telephone number; empty unless there are several."""
    doc, end = value.doc, value.i
    while end < len(doc) and re.fullmatch(r"\+?\(?\d[\d()/-]*", doc[end].text):
        end += 1
    return str(doc[value.i : end].text) if end - value.i > 1 else ""


def first_below(token: Any, *labels: str) -> Any:
    """The first word directly below another with one of some dependencies; None if there is none."""
    return next((child for child in token.children if child.dep_ in labels), None)


def first_behind(head: Any, *labels: str) -> Any:
    """The first word directly below a verb and behind it with one of some dependencies; None if there is none."""
    return next((child for child in head.children if child.dep_ in labels and child.i > head.i), None)


def has_figure(value: Any) -> bool:
    """Whether a phrase has a number."""
    return any(token.pos_ == "NUM" or token.like_num for token in value.subtree)
