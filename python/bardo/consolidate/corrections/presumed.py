"""Earlier memories that a message probably replaces, although no word of it announces a change.

"The Nordbad is closed, I do my lengths at the university pool" denies "I swim at the Nordbad" by no word of a rule.
Where the cross-encoder finds a replacement likely, though not for sure, the newer memory comes before the older one in
recall; where it finds one possible, the newer one does if it is about as relevant. Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bardo.consolidate.corrections.corrections import can_both_hold
from bardo.consolidate.corrections.effects import Message
from bardo.consolidate.drawn import Older
from bardo.model import FOLLOWED, PRESUMED

#: Least log odds by the cross-encoder of a likely and of a possible replacement. Of pairs that both hold 7 and 20 %
#: reach them (`pairs-*`), of turns near each other in a conversation 1 %.
LIKELY, POSSIBLE = 1.5, -0.5
#: Maximum number of sentences that the cross-encoder reads for a message, the nearest ones.
READ_AT_MOST = 4
#: Minimum cosine of a sentence and a message that is about the same.
ABOUT_THE_SAME = 0.25

#: Cosines of a text with others.
Cosines = Callable[[str, Sequence[str]], Sequence[float]]
#: Log odds by the cross-encoder of pairs of an older sentence and a newer text.
OddsOf = Callable[[Sequence[tuple[str, str]]], Sequence[float]]


def presumed(message: Message, older: Iterable[Older], cosines: Cosines, odds_of: OddsOf) -> dict[str, float]:
    """The older records of which a message may replace a sentence: weight of the link by id.

    Args:
        message: The newer text.
        older: Earlier records near it.
        cosines: Cosines of the embedder; 0 without one.
        odds_of: Reads pairs.
    """
    holders: dict[str, list[str]] = {}
    for record in older:
        for clause in record.clauses:
            if clause.stated and not all(can_both_hold(clause, said) for said in message.clauses):
                holders.setdefault(clause.sentence, []).append(record.id)
    holders.pop(message.text, None)
    if not holders:
        return {}
    said = list(holders)
    near = sorted(zip(cosines(message.text, said), said, strict=True), reverse=True)[:READ_AT_MOST]
    read = [sentence for cosine, sentence in near if cosine >= ABOUT_THE_SAME]
    odds = odds_of([(sentence, message.text) for sentence in read]) if read else ()
    found: dict[str, float] = {}
    for sentence, log_odds in zip(read, odds, strict=True):
        weight = PRESUMED if log_odds >= LIKELY else FOLLOWED
        if log_odds >= POSSIBLE:
            found |= {id_: max(weight, found.get(id_, 0.0)) for id_ in holders[sentence]}
    return found
