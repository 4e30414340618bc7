"""Laws and occasions: what a clause says holds in general, or happened once.

"Liquidations follow oracle updates" is a law, "liquidations followed the oracle update by two blocks" an occasion.
"""

from __future__ import annotations

import re
from typing import Any

from bardo.consolidate.languages.english.cue_words import Cues, tells_no_more
from bardo.consolidate.languages.english.grammar import COMPLEMENTS, is_future, is_past, lemma, subject_of

#: Tags of the simple present, and of nouns in the plural.
_PRESENT, _PLURAL = frozenset({"VBZ", "VBP"}), frozenset({"NNS", "NNPS"})
#: Verbs of a state of the moment, which is no law by its tense alone: "the gateway is down", "the vault holds 40 ETH".
_STATES = frozenset({
    "be", "belong", "consist", "contain", "cost", "have", "hold", "know", "lack", "lie", "live", "mean", "need", "own",
    "remain", "reside", "seem", "sit", "stand", "stay", "want", "weigh", "work",
})  # fmt: skip
#: Words for how often something is so, and conjunctions of a rule.
_OFTEN = re.compile(
    r"(?i)\b(?:always|usually|normally|generally|typically|often|never|rarely|seldom|every|each|whenever|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|daily|hourly|weekly|monthly|yearly|nightly)\b"
)
#: Verbs of movement by themselves: without a value to which it moves, a thing can move back.
_MOVES = frozenset({
    "cut", "decrease", "double", "drop", "extend", "go down", "go up", "halve", "increase", "lower", "rise", "slip",
    "update",
})  # fmt: skip
#: Verbs of ending that are what happens each day, where they have a time: "the museum closed at 4 on Tuesday".
_DAILY = frozenset({"close", "end", "expire", "finish", "go away", "leave", "return", "shut", "stop"})
#: Words by which what ends on a day ends for ever.
_FOR_GOOD = re.compile(r"(?i)\b(?:permanently|permanently|for ?ever|once and for all)\b")
#: Prepositions of the value to which a thing moves.
_TO_VALUE = frozenset({"from", "into", "onto", "to"})
#: Dependencies of particles.
_PARTICLES = frozenset({"prt", "advmod"})
#: Cues by which a clause says itself that something holds no longer.
_TURNS = frozenset({"correction", "from", "instead"})


def is_general(head: Any, subject: Any, words: list[Any]) -> bool:
    """Whether a clause says what holds in general: in the simple present, of a kind of thing or as a habit.

    Args:
        head: Head of the clause.
        subject: Its subject; None if it has none.
        words: Words of the clause.
    """
    if head.dep_ == "advcl" and _is_rule(head.head, head) and head.head.i != head.i:
        # "When the pool is thin" is a part of the law.
        return is_general(head.head, subject_of(head.head), words)
    if subject is None or head.pos_ not in ("VERB", "AUX") or is_future(head) or not _is_simple_present(head):
        return False
    if _OFTEN.search(" ".join(token.text for token in words)) or any(
        _is_rule(head, child) for child in head.children
    ):
        return True
    is_kind = subject.tag_ in _PLURAL and not any(
        child.dep_ in ("det", "poss", "nummod") and child.i < subject.i for child in subject.children
    )
    is_thing = subject.pos_ == "NOUN" and not any(child.dep_ == "poss" for child in subject.children)
    is_gerund = subject.dep_ == "csubj" or subject.tag_ == "VBG"
    is_doing = lemma(head) not in _STATES or any(child.dep_ == "auxpass" for child in head.children)
    return is_kind or is_gerund or (is_thing and is_doing)


def _is_simple_present(head: Any) -> bool:
    """Whether a verb, or the "is" of a passive, stands in the simple present."""
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    if not auxiliaries:
        return head.tag_ in _PRESENT
    first = auxiliaries[0]
    is_passive = len(auxiliaries) == 1 and first.dep_ == "auxpass" and head.tag_ == "VBN"
    return first.tag_ in _PRESENT and (
        is_passive or lemma(first) == "do" or (len(auxiliaries) == 1 and head.tag_ == "VB")
    )


def _is_rule(head: Any, child: Any) -> bool:
    """Whether a clause below another in the present makes it a rule: "slippage rises when the pool is thin"."""
    return (
        child.dep_ == "advcl"
        and not is_past(head)
        and any(
            each.dep_ in ("advmod", "mark") and lemma(each) in ("if", "when", "whenever", "once")
            for each in child.children
        )
    )


def tells_occasion(head: Any, cues: Cues, *, is_brief: bool) -> bool:
    """Whether a clause tells what happened on one occasion, and neither ends nor changes what holds in general.

    Args:
        head: Head of the clause.
        cues: Its cues.
        is_brief: Whether it is said of a few days alone.
    """
    is_perfect = any(child.dep_ == "aux" and lemma(child) == "have" for child in head.children)
    if not (is_past(head) or is_perfect or is_brief) or cues.kinds & _TURNS or tells_no_more(head):
        return False
    turning = cues.kinds & {"change", "ending"}
    if not turning or "denial" in cues.kinds:
        # "Did not close on Monday" ends nothing.
        return True
    verbs = {
        lemma(head),
        *(f"{lemma(head)} {lemma(child)}" for child in head.children if child.dep_ in _PARTICLES),
    }
    goes_to = any(child.dep_ in ("prep", "prt") and lemma(child) in _TO_VALUE for child in head.children)
    if goes_to or any(child.dep_ in COMPLEMENTS or child.dep_ == "nsubjpass" for child in head.children):
        return False
    has_time = any(token.ent_type_ in ("DATE", "TIME") for token in head.subtree)
    return bool(verbs & _MOVES) or (
        bool(verbs & _DAILY) and has_time and not _FOR_GOOD.search(head.sent.text)
    )
