"""End of a plan that a clause announces: "my exam is on 17 March" is over on the 18th."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bardo.consolidate.attributes import is_lasting
from bardo.consolidate.languages.english.dates import DATE, instant, next_month
from bardo.consolidate.languages.english.grammar import is_future, lemma, predicate_of, subject_of
from bardo.consolidate.languages.english.slots import noun_attribute

#: Verbs of arranging: in the past, too, they announce what is to come.
ARRANGING = frozenset({
    "arrange", "book", "bring forward", "delay", "enter", "move", "plan", "postpone", "push", "push back", "put back",
    "put off", "register", "reschedule", "schedule", "set", "shift", "sign up",
})  # fmt: skip
#: Verbs of which the result holds on after the day: who moves on 3 May lives there from then on.
BEGINNING = frozenset({
    "adopt", "appoint", "become", "begin", "buy", "change", "close", "convert", "cut over", "deprecate", "drop",
    "elect", "go live", "graduate", "hand over", "hire", "inherit", "join", "launch", "leave", "lock", "marry", "merge",
    "migrate", "open", "promote", "quit", "raise", "release", "remove", "replace", "resign", "retire", "roll out",
    "sell", "ship", "start", "stop", "switch", "take over", "turn", "upgrade",
})  # fmt: skip
#: Tags of verbs in the present and in the past.
_FINITE = frozenset({"VBZ", "VBP", "VBD"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
#: One day in microseconds.
DAY = 86_400_000_000
#: Days that a date without a year can lie ahead; one further ahead is rather a date of the past.
AHEAD_DAYS = 330
#: Maximum number of words of a fragment without a verb that is a plan as a whole, such as "the meetup, 12 September".
FRAGMENT_WORDS = 10
_REPEATED = re.compile(
    r"\b(?:every|each|always|usually|normally|once a|twice a|birthdays?|anniversar(?:y|ies)|name day|born|"
    r"annual(?:ly)?|yearly|monthly|weekly|daily|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:morning|afternoon|evening|night)s|"
    r"pay ?day|rent|salary|wages?)\b",
    re.IGNORECASE,
)
#: Words before a date from which something holds, or that lie in the past.
_BEGINS = re.compile(r"\b(?:from|since|starting|effective|as of|after)\s+(?:the\s+)?$", re.IGNORECASE)


def end_of_plan(head: Any, words: Sequence[Any], at: int, *, past: bool) -> int | None:
    """First instant after the last day of what a clause announces; None if it announces nothing with a date.

    Args:
        head: Head of the clause.
        words: Its words.
        at: Instant of the text, microseconds UTC; 0 if unknown.
        past: Whether the clause is in the past.
    """
    is_arranged = _is_arranged(head)
    # "The interview is pushed out a week, to the 20th of March": the date can stand in the next clause.
    text = "".join(token.text_with_ws for token in (head.sent if is_arranged else words))
    if not at or (past and not is_arranged) or (_begins(head) and not is_arranged) or _REPEATED.search(text):
        return None
    if not is_arranged and _has_other_verb(head, words):
        # The parse took two clauses for one.
        return None
    if head.pos_ not in ("VERB", "AUX") and len(words) > FRAGMENT_WORDS and not _is_appointment(head):
        # "Flat in Sants, two bedrooms, keys on 20 September": the date is that of a part.
        return None
    is_ahead = is_arranged or is_future(head) or _is_progressive(head) or _is_appointment(head)
    now = datetime.fromtimestamp(at / 1_000_000, UTC).date()
    ends = [
        end
        for match in DATE.finditer(text)
        if not _BEGINS.search(text[: match.start()])
        and (end := _end_of(match, now, at, is_ahead=is_ahead)) is not None
        # A past act of today announces nothing: "shifted to a flat in Kolar Road today".
        and not (past and end - at < DAY)
    ]
    return max(ends, default=None)


def _is_arranged(head: Any) -> bool:
    """Whether a clause arranges something: "we booked Crete", "they moved my exam"; who moves home arranges nothing."""
    if lemma(head) == "move":
        return _is_appointment(head) or any(child.dep_ == "dobj" for child in head.children)
    return predicate_of(head) in ARRANGING or lemma(head) in ARRANGING


def _has_other_verb(head: Any, words: Sequence[Any]) -> bool:
    """Whether another verb than the head of a clause is in the present or past."""
    return any(
        token.tag_ in _FINITE and token.i != head.i and token.dep_ not in _AUXILIARIES for token in words
    )


def _begins(head: Any) -> bool:
    """Whether the result of a clause holds on after its day."""
    return lemma(head) == "move" or predicate_of(head) in BEGINNING or lemma(head) in BEGINNING


def _is_progressive(head: Any) -> bool:
    """Whether a verb is in the progressive: "we're flying on the 22nd"."""
    return head.tag_ == "VBG" and any(child.dep_ == "aux" and lemma(child) == "be" for child in head.children)


def _is_appointment(head: Any) -> bool:
    """Whether the subject of a clause is an appointment, a deadline or the like."""
    subject = subject_of(head) or head
    name = noun_attribute(subject)
    return name is not None and is_lasting(name, "weeks")


def _end_of(match: re.Match[str], now: date, at: int, *, is_ahead: bool) -> int | None:
    """First instant after a day or month to come; None for another date.

    Args:
        match: Match of `DATE`.
        now: Day of the text.
        at: Instant of the text, microseconds UTC.
        is_ahead: Whether the clause tells of the future by its words, so that "Monday" and "the 1st" are no habits.
    """
    is_habit = match["weekday"] or (match["day3"] and not match["which"])
    if match["year4"] or (is_habit and not is_ahead):
        return None
    begin = instant(match, at, past=False)
    if begin is None:
        return None
    day = datetime.fromtimestamp(begin / 1_000_000, UTC).date()
    if not 0 <= (day - now).days <= AHEAD_DAYS:
        return None
    end = next_month(day) if match["month3"] else day + timedelta(days=1)
    return begin + (end - day).days * DAY
