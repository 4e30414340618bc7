"""Days of what a clause announces: "my exam is on 17 March" is over on the 18th, "I start on 3 May" holds from then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

from bardo.clock import date_of
from bardo.consolidate.attributes import is_lasting
from bardo.consolidate.languages.english.dates import DATE, DAY_LENGTH, day_after, end_of_span, instant
from bardo.consolidate.languages.english.frames import frames, noun_attribute
from bardo.consolidate.languages.english.grammar import is_future, lemma, predicate_of, subject_of

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
#: Parts of speech of the words before the noun of a verbless aside, and labels of times.
_BEFORE_THING = frozenset({"ADJ", "ADV", "CCONJ", "DET", "NUM", "PRON", "SPACE"})
_TIMES = frozenset({"DATE", "TIME"})
#: Days that a date without a year can lie ahead; one further ahead is rather a date of the past.
AHEAD_DAYS = 330
#: Maximum number of words of a fragment without a verb that is a plan as a whole, such as "the meetup, 12 September".
FRAGMENT_WORDS = 10
_REPEATED = re.compile(
    r"\b(?:every|each|always|usually|normally|once a|twice a|name day|born|"
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|last) (?:[\w-]+ ){0,3}of (?:the|a) "
    r"(?:month|quarter|week|year)|"
    r"annual(?:ly)?|yearly|monthly|weekly|daily|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:morning|afternoon|evening|night)s|"
    r"pay ?day|rent|salary|wages?)\b",
    re.IGNORECASE,
)
#: Days that come round each year, unless they qualify an event as in "birthday party".
_YEARLY = frozenset({"birthday", "anniversary"})
#: Things of which people have one each week, so that "a lesson on Monday" can be any Monday.
_WEEKLY = frozenset({
    "class", "club", "course", "game", "lecture", "lesson", "match", "practice", "rehearsal", "seminar", "session",
    "shift", "training",
})  # fmt: skip
#: Those who are there from the day on which a person "has" them.
_YOUNG = frozenset({"baby", "boy", "child", "daughter", "girl", "kid", "kitten", "puppy", "son", "twin"})
_INDEFINITE = frozenset({"a", "an", "another"})
#: Auxiliaries of what has to be.
_OBLIGING = frozenset({"must", "should", "ought"})
#: Verbs that grant a time which lies ahead, even in the past: "they gave me till the 31st".
_GRANTING = frozenset({"allow", "extend", "give", "grant"})
#: Verbs of having, whose object can be an appointment: "I've got a scan on Monday".
_HAVING = frozenset({"have", "get"})
#: Verbs of a visit or delivery, which the simple present announces for one day: "the plumber comes on the 13th".
_COMING = frozenset({
    "arrive", "come", "come back", "come by", "come over", "deliver", "fly", "land", "return", "visit",
})  # fmt: skip
#: Words before a day that make it a single one.
_ONCE = re.compile(r"\bby\s+(?:the\s+)?$", re.IGNORECASE)
#: Words by which something holds without an end: a date beside them is of another thing.
_STANDING = re.compile(
    r"\b(?:from (?:now|here) on|from today|for\s+good|permanently|until further notice)\b", re.IGNORECASE
)
_TO = re.compile(r"\bto\s+", re.IGNORECASE)
#: Prepositions before a date that is what a clause is about, not its time: "behind with June", "the figures of July".
_ABOUT = frozenset({"about", "against", "like", "of", "with", "without"})
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
    if not at or (past and not is_arranged) or (_begins(head) and not is_arranged) or _STANDING.search(text):
        return None
    if _is_repeated(head.sent if is_arranged else words, text):
        return None
    if not is_arranged and _has_other_verb(head, words):
        # The parse took two clauses for one.
        return None
    if head.pos_ not in ("VERB", "AUX") and len(words) > FRAGMENT_WORDS and not _is_appointment(head):
        # "Flat in Sants, two bedrooms, keys on 20 September": the date is that of a part.
        return None
    is_ahead = (
        is_arranged
        or is_future(head)
        or is_obliged(head)
        or _is_progressive(head)
        or _is_appointment(head)
        or _is_had_once(head)
    )
    can_count = is_ahead or lemma(head) in ("be", *_HAVING)
    now = date_of(at)
    asides = [] if _is_of_appointment(head) else _asides(head, head.sent if is_arranged else words)
    ends = [
        end
        for match in DATE.finditer(text)
        if not any(start < match.start() < stop for start, stop in asides)
        and (is_arranged or not _is_of_past(words, match.start()))
        and not _names_thing(words, match, is_ahead=is_ahead)
        and not _BEGINS.search(text[: match.start()])
        and (is_ahead or not _is_habit(match, text, is_coming=predicate_of(head) in _COMING))
        and (can_count or not match["count"])
        and (end := _end_of(match, now, at)) is not None
        # A past act of today announces nothing: "shifted to a flat in Kolar Road today".
        and not (past and end - at < DAY_LENGTH)
    ]
    return max(ends, default=None)


def end_of_aid(head: Any, text: str, at: int) -> int | None:
    """First instant after the time of a plaster or a sick note, as in "a cast for six weeks"; None without one.

    Args:
        head: Head of the clause; "I've had it for six weeks" tells of the time before.
        text: Words of the clause.
        at: Instant of the text, microseconds UTC; 0 if unknown.
    """
    is_before = any(child.dep_ in _AUXILIARIES and lemma(child) == "have" for child in head.children)
    return end_of_span(text, at) if _aids().search(text) and not is_before else None


@cache
def _aids() -> re.Pattern[str]:
    """Pattern of the aids of `frames.toml`."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, frames()['aids']['kinds']))})\b", re.IGNORECASE)


def start_of_state(head: Any, words: Sequence[Any], at: int, *, past: bool) -> int | None:
    """First instant of a state that a clause announces for a day to come; None if it announces none.

    Args:
        head: Head of the clause.
        words: Its words.
        at: Instant of the text, microseconds UTC; 0 if unknown.
        past: Whether the clause is in the past.
    """
    text = "".join(token.text_with_ws for token in words)
    if not at or past or _is_arranged(head) or not _begins(head) or _is_repeated(words, text):
        return None
    is_ahead = is_future(head) or _is_progressive(head)
    now = date_of(at)
    begins = [
        begin
        for match in DATE.finditer(text)
        if (is_ahead or not _is_habit(match, text))
        and not _names_thing(words, match, is_ahead=True)
        and (begin := _begin_of(match, now, at)) is not None
        and begin > at
    ]
    return min(begins, default=None)


def _is_of_past(words: Sequence[Any], place: int) -> bool:
    """Whether a date belongs to a verb in the past or to a participle, as in "the invoice, charged twice in August".

    Args:
        words: Words of a clause.
        place: Place of the date in their text.
    """
    token = _token_at(words, place)
    verb = (
        next((above for above in token.ancestors if above.pos_ in ("VERB", "AUX")), None) if token else None
    )
    if verb is None or any(child.dep_ in _AUXILIARIES for child in verb.children):
        return False
    return verb.tag_ in ("VBD", "VBN") and not _is_arranged(verb)


def _token_at(words: Sequence[Any], place: int) -> Any:
    """The word at a place in the text of some words; None behind the last one."""
    for token in words:
        place -= len(token.text_with_ws)
        if place < 0:
            return token
    return None


def _names_thing(words: Sequence[Any], match: re.Match[str], *, is_ahead: bool) -> bool:
    """Whether a date is a thing of a clause and not its time: what is owed, or the number of another noun.

    "He is behind with June", "he owes June" and "the rent for June" name a month that can be over by then, and "the 3rd
    working day" no third of a month.

    Args:
        words: Words of a clause.
        match: Match of `DATE` in their text.
        is_ahead: Whether the clause is a plan, in which "for June" can be its time.
    """
    last = _token_at(words, match.end() - 1)
    first = _token_at(words, match.start())
    if first is None or last is None:
        return False
    if match["day3"] and last.head.i > last.i and last.dep_ in ("amod", "compound", "nummod"):
        return True
    while last.dep_ == "conj" and last.head.ent_type_ == "DATE":
        last = last.head
    above = last.head
    if last.dep_ == "pobj" and first.i <= above.i:
        # "The end of June" and "the 3rd of June" are dates as a whole.
        last, above = above.head, above.head.head
    is_period = bool(match["month3"] or match["year4"]) and not match["part"]
    if last.dep_ == "dobj":
        return is_period and lemma(above) not in _HAVING and not is_ahead
    if last.dep_ != "pobj":
        return False
    if lemma(above) == "for":
        return is_period and not is_ahead and above.head.pos_ in ("NOUN", "PROPN")
    return lemma(above) in _ABOUT and above.head.ent_type_ not in _TIMES


def _is_of_appointment(head: Any) -> bool:
    """Whether a clause is about an appointment, which an aside can date: "they moved my exam, new date in a week"."""
    things = (child for child in head.children if child.dep_ in ("dobj", "nsubjpass", "attr"))
    return _is_appointment(head) or _is_had_once(head) or any(_names_appointment(thing) for thing in things)


def _asides(head: Any, words: Sequence[Any]) -> list[tuple[int, int]]:
    """Places in the text of the verbless asides that a clause with a verb ends with, such as ", bloods in a month".

    An aside names a thing of its own before its date. ", 6 to 20 September" and ", to the 20th" date the clause.
    """
    if head.pos_ not in ("VERB", "AUX"):
        return []
    found = []
    place, start, part = 0, 0, list[Any]()
    for token in (*words, None):
        if token is None or token.text in (",", ";"):
            if start and _is_aside(part):
                found.append((start, place))
            start, part = place + 1, []
        else:
            part.append(token)
        place += len(token.text_with_ws) if token is not None else 0
    return found


def _is_aside(part: Sequence[Any]) -> bool:
    """Whether words between commas name a thing and have no verb: "bloods again in three months"."""
    first = next((token for token in part if token.pos_ not in _BEFORE_THING), None)
    is_thing = first is not None and first.pos_ == "NOUN" and first.ent_type_ not in _TIMES
    return is_thing and not any(token.tag_ in _FINITE for token in part)


def _is_repeated(words: Sequence[Any], text: str) -> bool:
    """Whether what a clause tells comes round again."""
    return bool(_REPEATED.search(text)) or any(
        lemma(token) in _YEARLY and token.dep_ != "compound" for token in words
    )


def _is_habit(match: re.Match[str], text: str, *, is_coming: bool = False) -> bool:
    """Whether a day, such as "Monday" or "the 1st", can be one of many: "next Monday" and "by Monday" cannot.

    Args:
        match: Match of `DATE`.
        text: Words of the clause.
        is_coming: Whether the clause tells of a visit, which "the 13th" dates.
    """
    is_plain = match["weekday"] and " " not in match["weekday"]
    is_of_many = is_plain or (match["day3"] and not match["which"] and not is_coming)
    return bool(is_of_many) and not _ONCE.search(text[: match.start()])


def _is_had_once(head: Any) -> bool:
    """Whether a clause says that a person has a thing such as "an interview" or "a scan", once."""
    things = [child for child in head.children if child.dep_ == "dobj"] if lemma(head) in _HAVING else []
    return any(
        lemma(thing) not in _WEEKLY
        and (
            _names_appointment(thing)
            or any(child.dep_ == "det" and lemma(child) in _INDEFINITE for child in _below(thing))
        )
        for thing in things
    )


def _below(thing: Any) -> list[Any]:
    """The words directly before a noun, and before its possessor: "a" of "a parents' evening"."""
    return [word for token in (thing, *thing.children) for word in token.children if word.i < thing.i]


def _is_arranged(head: Any) -> bool:
    """Whether a clause arranges something: "we booked Crete", "they moved my exam"; who moves home arranges nothing."""
    if lemma(head) == "move":
        return (
            _is_appointment(head)
            or any(child.dep_ == "dobj" for child in head.children)
            or _is_moved_to_day(head)
        )
    return predicate_of(head) in ARRANGING or lemma(head) in ARRANGING


def _is_moved_to_day(head: Any) -> bool:
    """Whether something "was moved to" a day."""
    text = head.sent.text
    return any(child.dep_ == "nsubjpass" for child in head.children) and any(
        DATE.match(text, match.end()) for match in _TO.finditer(text)
    )


def _has_other_verb(head: Any, words: Sequence[Any]) -> bool:
    """Whether another verb than the head of a clause is in the present or past."""
    return any(
        token.tag_ in _FINITE and token.i != head.i and token.dep_ not in _AUXILIARIES for token in words
    )


def _begins(head: Any) -> bool:
    """Whether the result of a clause holds on after its day."""
    things = [child for child in head.children if child.dep_ == "dobj"]
    if lemma(head) == "marry":
        # A wedding is over after its day; who is whose spouse from then on is known by the name alone.
        return bool(things) or any(child.dep_ == "prep" and lemma(child) == "to" for child in head.children)
    if lemma(head) in _HAVING and head.tag_ == "VBG":
        return bool(things) and (lemma(head) == "get" or any(lemma(thing) in _YOUNG for thing in things))
    if predicate_of(head) == "move out":
        # A departure that is over is no longer of interest on the days after.
        return False
    return lemma(head) == "move" or predicate_of(head) in BEGINNING or lemma(head) in BEGINNING


def _is_progressive(head: Any) -> bool:
    """Whether a verb is in the present progressive: "we're flying on the 22nd", "it is being moved"."""
    auxiliaries = [child for child in head.children if child.dep_ in _AUXILIARIES]
    if any(lemma(child) == "have" for child in auxiliaries):
        return False
    is_passive = any(child.tag_ == "VBG" for child in auxiliaries)
    return (head.tag_ == "VBG" or is_passive) and any(lemma(child) == "be" for child in auxiliaries)


def _is_appointment(head: Any) -> bool:
    """Whether the subject of a clause is an appointment, a deadline or the like, or due."""
    is_due = any(child.dep_ in ("acomp", "attr") and lemma(child) == "due" for child in head.children)
    return is_due or _names_appointment(subject_of(head) or head)


def grants(head: Any) -> bool:
    """Whether a clause grants time until a day to come."""
    return lemma(head) in _GRANTING


def is_obliged(head: Any) -> bool:
    """Whether a clause tells what has to be: "it must be live before 15 March"."""
    return any(child.dep_ == "aux" and lemma(child) in _OBLIGING for child in head.children)


def _names_appointment(noun: Any) -> bool:
    """Whether a noun names an appointment, a deadline or the like."""
    name = noun_attribute(noun)
    return name is not None and is_lasting(name, "weeks")


def _begin_of(match: re.Match[str], now: date, at: int) -> int | None:
    """First instant of a day or month to come; None for another date.

    Args:
        match: Match of `DATE`.
        now: Day of the text.
        at: Instant of the text, microseconds UTC.
    """
    begin = None if match["year4"] else instant(match, at, past=False)
    if begin is None:
        return None
    day = date_of(begin)
    return begin if 0 <= (day - now).days <= AHEAD_DAYS else None


def _end_of(match: re.Match[str], now: date, at: int) -> int | None:
    """First instant after a day or month to come; None for another date."""
    begin = _begin_of(match, now, at)
    if begin is None:
        return None
    day = date_of(begin)
    return begin + (day_after(match, day) - day).days * DAY_LENGTH
