"""Which judgements on pairs of clauses take effect, and what they leave of an older record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections import corrections
from bardo.consolidate.corrections.compatible import are_about_others
from bardo.consolidate.corrections.topics import announces_topic
from bardo.consolidate.drawn import Older
from bardo.consolidate.texts.sentence import QUOTED_CHARACTERS, attributed

#: Aside of at most five words between commas.
_ASIDE = re.compile(r",(?P<said>(?: [^\s,;:]+){1,5}?)(?P<end>,|(?=[.;:!]?$))")
#: Log odds by the cross-encoder from which one sentence of a message ends an older clause by itself.
CARRIES = 1.3
#: Log odds by the cross-encoder below which a sentence is beside an older clause, if another sentence is nearer.
BESIDE = -4.0
#: Maximum number of older records that one clause ends.
ENDS_AT_MOST = 3
#: Maximum number of older records that one clause disputes.
DISPUTES_AT_MOST = 2


@dataclass(frozen=True)
class Message:
    """The text in which a newer clause stands.

    Args:
        text: The whole text.
        clauses: Its clauses that state something.
    """

    text: str
    clauses: Sequence[Clause]

    @cached_property
    def sentences(self) -> Sequence[str]:
        """The sentences of its clauses, as written."""
        return tuple(dict.fromkeys(clause.sentence for clause in self.clauses))

    def sentences_beyond(self, older: Clause) -> Sequence[str]:
        """The sentences that say more than to name the topic of an older clause."""
        said = (clause.sentence for clause in self.clauses if not announces_topic(older, clause))
        return tuple(dict.fromkeys(said))


#: A judgement with the older record and its clause.
Judged = tuple[corrections.Judgement, Older, Clause]


def effective(
    judged: Sequence[Judged],
    limits: corrections.Limits,
    *,
    rules_off: Collection[str],
    learned: str | None,
    is_carried: Callable[[Clause, bool], bool],
) -> Iterator[tuple[corrections.Judgement, Older, bool]]:
    """The judgements that take effect, with whether they end the older record: each record once, the surest first.

    Args:
        judged: Judgements on a newer clause and older ones, the surest first.
        limits: Limits of the log odds.
        rules_off: Rules that dispute a fact instead of ending it.
        learned: Id of the newer fact if the newer clause is that of a learned sentence; None for one of an episode.
        is_carried: Whether the newer clause is the one of its message that corrects an older clause, and whether the
            judgement is sure.
    """
    counts: Counter[bool] = Counter()
    seen = {learned} if learned else set()
    for judgement, record, other in judged:
        if record.id in seen or not _reaches(judgement, record, limits, is_learned=learned is not None):
            continue
        is_kept = judgement.rule in rules_off or (judgement.is_beside and record.is_fact)
        ends = judgement.total >= limits.ends and not is_kept
        is_sure = judgement.total >= corrections.SURE
        if counts[ends] < (ENDS_AT_MOST if ends else DISPUTES_AT_MOST) and is_carried(other, is_sure):
            seen.add(record.id)
            counts[ends] += 1
            yield judgement, record, ends


def _reaches(
    judgement: corrections.Judgement, record: Older, limits: corrections.Limits, *, is_learned: bool
) -> bool:
    """Whether a judgement is sure enough for an effect on an older record.

    Args:
        judgement: The judgement.
        record: The older record.
        limits: Limits of the log odds.
        is_learned: Whether the newer clause is that of a learned sentence, not of an episode.
    """
    # Likeness alone is no contradiction: a word must announce a change, the values of a slot must differ, or the
    # cross-encoder must have read both.
    if not judgement.rule or judgement.total < (limits.disputes if record.is_fact else limits.turns):
        return False
    # A caller's statement gives way to a value of its attribute, to an end and to a denial.
    if record.is_outright and judgement.rule in corrections.VALUE_RULES:
        return False
    # A learned sentence disputes nothing, and a turn keeps its place in recall, for likeness alone.
    is_unannounced = judgement.rule == corrections.READ and judgement.total < corrections.SURE
    return not is_unannounced or (record.is_fact and not is_learned)


def carries(
    older: Clause, clause: Clause, message: Message, odds: Mapping[str, float], *, is_sure: bool
) -> bool:
    """Whether a clause stands in a sentence that ends an older clause, by itself or before the other sentences.

    A sentence whose clauses can hold beside the older one ends it less than any other, although the cross-encoder may
    find it the nearest: "the tram pass I keep" after "I gave up the parking space".

    Args:
        older: The older clause.
        clause: Clause of the message.
        message: The message.
        odds: Log odds by the cross-encoder that each sentence ends the older clause.
        is_sure: Whether the message as a whole surely ends the older clause.
    """
    alone = odds.get(clause.sentence, corrections.NEVER)
    if alone >= CARRIES:
        return True
    if not is_sure and alone < BESIDE and alone < max(odds.values()):
        return False
    totals = dict.fromkeys(odds, corrections.NEVER)
    for said in message.clauses:
        is_likely = corrections.judge(older, said, corrections.NEAREST).total >= corrections.UNLIKELY
        if said.sentence in odds and is_likely:
            found = corrections.judge(older, said, corrections.NEAREST, odds[said.sentence])
            totals[said.sentence] = max(totals[said.sentence], found.total)
    return totals.get(clause.sentence) == max(totals.values())


def corrected(record: Older, judged: Sequence[Judged], limits: corrections.Limits) -> list[Clause]:
    """The clauses of an older record that a newer clause ends or disputes."""
    return [other for found, of, other in judged if of is record and found.total >= limits.disputes]


def outlasts(older: Clause, newer: Clause) -> bool:
    """Whether the text of a corrected clause holds on, because it leaves out the value that the newer one replaces.

    "Wiebke is from Groningen, not Leeuwarden" leaves "the new apprentice starts on 18 May".
    """
    replaced = _replaced(older, newer)
    return bool(replaced) and not any(value in older.text.casefold() for value in replaced)


def without_replaced(older: Clause, newer: Clause) -> str:
    """The sentence of a clause without the aside that gives the value which a newer one replaces; empty without one.

    Of "New apprentice: Wiebke, from Leeuwarden, starts on 18 May" that is "New apprentice: Wiebke starts on 18 May".
    """
    replaced = _replaced(older, newer)

    def kept(aside: re.Match[str]) -> str:
        is_replaced = any(value in aside["said"].casefold() for value in replaced)
        return aside["end"].replace(",", "") if is_replaced else aside[0]

    left = _ASIDE.sub(kept, older.sentence)
    is_free = left != older.sentence and not any(value in left.casefold() for value in replaced)
    return left if is_free else ""


def _replaced(older: Clause, newer: Clause) -> frozenset[str]:
    """Values of an older clause that a newer one names as replaced."""
    return newer.left & (older.anchors | older.names)


def remaining_text(clause: Clause, newer: Clause, who: str) -> str:
    """Text of a clause that holds on when its quote ends: the quote without what is replaced, or the clause alone."""
    quote = attributed(left, who) if (left := without_replaced(clause, newer)) else ""
    return quote if quote and len(quote) <= QUOTED_CHARACTERS else clause.text


def text_about(older: Clause, clause: Clause, message: Message) -> str:
    """Returns a message without its clauses that are about others than an older clause; empty if there are none."""
    # "The neighbours' whippet died, Pogo is sulking" says of Pogo that he sulks.
    about = [
        said for said in message.clauses if said.text == clause.text or not are_about_others(older, said)
    ]
    kept = dict.fromkeys(said.text for said in about if said.text)
    return ". ".join(kept) if len(about) < len(message.clauses) else ""
