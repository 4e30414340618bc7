"""Conditions of a rejection ("on Fridays", "in production", "above 5 %"): found in its text, decided for an action.

The action's own words decide a condition of time if they name a time, else the clock (UTC).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse import times
from bardo.conduct.parse.actions import clock, figures, operation_table
from bardo.conduct.parse.conditions import dated, fulfilled, limits, requirements, tails, terms
from bardo.conduct.parse.negation import RESTRICTS
from bardo.conduct.parse.times import DAYS, Span
from bardo.consolidate.languages.english.dates import MONTHS

#: Maximum number of cached texts.
_TEXTS = 16_384
_MINUTE = 60 * 1_000_000
#: Weekday of the epoch, a Thursday.
_FIRST_DAY = 3
#: Axes of the conditions of time.
TIMES = ("day", "time of the day", "date")
#: Condition of an order that a person lifts for each action.
WITHOUT_APPROVAL = "without approval"
_APPROVAL = lazy_pattern(
    r"\b(?:without|unless|until|before)\b[^,.;]*\b(?:approv\w*|review\w*|sign-?(?:ed )?off|ok(?:ay)?s?|"
    r"permission|consent|"
    r"tell(?:ing)? (?:me|us|(?-i:[A-Z])[\w-]+)\b|let(?:ting)? (?:me|us|(?-i:[A-Z])[\w-]+) know|"
    r"ask\w*|confirm\w*|seeing|seen|agree\w*|checks?|says? (?:so|yes)|go-?ahead)\b.*",
    re.IGNORECASE,
)
_REASON = lazy_pattern(
    r"(?:,|;|:| - | – | — |\bbecause\b|\bsince\b|\bas\b) ?\b(?:we|i|it|its|it's|they|he|she|you|that|this|only|just|"
    r"use|ever|"
    r"please|thanks|never again|no exceptions?)\b.*|\b(?:because|since)\b.*|(?<=\w)[.!] +\w.*",
    re.IGNORECASE,
)
_LEAVES = lazy_pattern(r"\b(?:leave|keep)\b", re.IGNORECASE)
#: Part of the day. A night or a day is one after a preposition, or before the act: not "per night", "hen nights".
_PART = lazy_pattern(
    # "At the evening party" is a place.
    r"(?<![-\w])(?<!per )(?<!and )(?<!a )(?<!each )(?<!every )(?<!\bat the )(?<!\bto the )(?<!\bfor the )"
    r"(?:(?:at|by|over|in the|during the|during|in|within|through the) )?\b(?:(?P<night>night(?:time)?)|"
    r"(?:(?<=\b(?:at|on|by) )|(?<=\bduring )|(?<=^)|(?<=, ))(?P<nights>nights)|"
    r"(?:(?<=\bby )|(?<=\bin the )|(?<=\bduring the )|(?<=\bduring ))(?P<day>day)|(?P<daytime>daytime)|"
    r"(?P<office>(?:office|business|working|work|opening|trading) hours|working day)|"
    r"(?P<after>after hours|out of hours)|(?P<morning>mornings?)|(?P<afternoon>afternoons?)|(?P<evening>evenings?))\b",
    re.IGNORECASE,
)
_PARTS = {"nights": "night", "daytime": "day", "office": "office hours", "after": "after hours"}
_WEEKDAY = lazy_pattern(
    rf"\b(?:on |over the |at the |this |at )?(?:a )?({'|'.join(DAYS)}|weekend|weekday)s?\b", re.IGNORECASE
)
_DAYS = lazy_pattern(
    rf"\b(?:from |on )?(?P<first>{'|'.join(DAYS)})s?(?: (?:to|till|until|through) | ?[-–] ?)"
    rf"(?P<last>{'|'.join(DAYS)})s?\b",
    re.IGNORECASE,
)
_ZONE = r"(?: ?(?:utc|gmt|cet|cest|bst|est|edt|local time|our time)\b)?"
_CLOCK = lazy_pattern(
    rf"\b(before|after|until|past|earlier than|later than|from) "
    rf"({figures.NUMBER}(?::\d\d)?)(?!\d)(?: ?(am|pm|o'?clock|h|"
    rf"in the (?:morning|afternoon|evening)|at night)\b)?{_ZONE}"
    r"(?! ?(?:%|percent|euros?|dollars?|days?|minutes?|hours?|weeks?|months?|x\b|k\b))"
    # A day of a month is no hour: "before 3 May".
    rf"(?!(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(MONTHS)})\b|(?:st|nd|rd|th)\b|[-/.]\d)",
    re.IGNORECASE,
)
_LATE = frozenset({"pm", "in the afternoon", "in the evening", "at night"})
_HOUR_AND_MINUTE = lazy_pattern(r"([01]\d|2[0-4])([0-5]\d)")
_YEAR = lazy_pattern(r"19\d\d|20\d\d|2100")
#: Hours of the day from a clock to another one, of which one has minutes or "am" and "pm", or before a day.
_HOUR = r"[0-2]?\d(?::\d\d)?(?: ?[ap]m)?"
_BETWEEN = lazy_pattern(
    r"(?:\b(?:between|from) (?=[^,;]*?(?:\d:\d\d|\d ?[ap]m\b)|"
    rf"\d\d? and \d\d? (?:o'?clock|on (?:a |the )?(?:{'|'.join(DAYS)}|weekday|weekend)))"
    rf"(?P<start>{_HOUR}) (?:and|to|till|until|-|–) |"
    rf"(?<!\d)(?P<from>[0-2]?\d:\d\d)(?: ?[-–] ?| to )(?=[0-2]?\d:\d\d))(?P<end>{_HOUR}){_ZONE}(?![\w:%])",
    re.IGNORECASE,
)
#: Words before a time outside of which an act is rejected: "outside the window 02:00 to 04:00"; and these without it.
_OUTSIDE_WORDS = (
    r"\boutside(?: of)?(?: (?:the|our|its))?(?: (?:window|hours|slot|time|times|period))?(?: of| from)?"
)
_OUTSIDE = lazy_pattern(rf"{_OUTSIDE_WORDS}\s*$", re.IGNORECASE)
_LEFT_OUTSIDE = lazy_pattern(rf"{_OUTSIDE_WORDS}(?=\s\s|\s*$)", re.IGNORECASE)
#: Bounds of the day in words.
_NOON = lazy_pattern(r"\b(before|after|until|past|from) (?:noon|midday|lunch(?:time)?)\b", re.IGNORECASE)
_MIDNIGHT = lazy_pattern(r"\b(?:after|past|from) midnight\b", re.IGNORECASE)
_SPAN = lazy_pattern(r"(\d\d:\d\d) and (\d\d:\d\d)")
_PRODUCTION = lazy_pattern(
    r"\b(?:in|on|to|against|into|from|at)?(?: the| our)? ?\b(production|prod|live)\b", re.IGNORECASE
)
#: Two environments, of which an act may be in either.
_ENVIRONMENTS = lazy_pattern(
    r"\b(?:in|on|to|against|into|from|at)(?: the| our)? ?(?:(?:staging|stage) (?:or|and|nor) (?:in |on )?(?:production|"
    r"prod|live)|(?:production|prod|live) (?:or|and|nor) (?:in |on )?(?:staging|stage))\b",
    re.IGNORECASE,
)
_STAGING = lazy_pattern(r"(?<![a-z])(?:staging|stage|stg)(?![a-z])", re.IGNORECASE)
_SCOPE = lazy_pattern(
    r"(?<![-\w])(in|on|at|to|for|from|with|over|against|into|onto|of|through|via|inside|within|under|by|near|between|about|than|"
    r"during|after|before|without)\b",
    re.IGNORECASE,
)
_JOINED = lazy_pattern(r"\b(?:or|nor)$", re.IGNORECASE)
#: Words after a scope that limit nothing.
_IDLE_END = lazy_pattern(r"\s+(?:again|any ?more|any longer|ever|please|ever again)$", re.IGNORECASE)
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
#: Words of an action that show a production system, and words that exclude it.
_LIVE = lazy_pattern(r"(?<![a-z])(?:prod|production|live|main-?app)(?![a-z])", re.IGNORECASE)
#: Environments whose names may also be verbs or adjectives: only as the name of a place.
_MAYBE = "(?:stage|dev|development|test|testing|preview|demo|local)"
_NOT_LIVE = lazy_pattern(
    r"(?<![a-z])(?:staging|stg|sandbox|localhost|127\.0\.0\.1|qa|canary)(?![a-z])|"
    rf"(?:\b(?:in|on|to|into|against|from|at|for)(?: (?:the|our|my|a))? |[-_=:@\"']){_MAYBE}(?![a-z])|"
    rf"(?<![a-z]){_MAYBE}[-_. ]?(?:databases?|db|servers?|clusters?|env(?:ironment)?s?|systems?|sites?|accounts?|"
    r"instances?|stacks?|machines?|hosts?|namespace|copy|tenant)(?![a-z])",
    re.IGNORECASE,
)
#: Words of an action that is for a later time, so that the clock does not count.
_LATER = lazy_pattern(
    r"\b(?:tomorrow|tonight|later|overnight|next (?:week|month|day|morning|night)|"
    rf"(?:in|after) (?:an?|\d+|{'|'.join(figures.NUMBERS)}) (?:hours?|minutes?|days?|weeks?))\b|\bsleep \d",
    re.IGNORECASE,
)
_ASKS = lazy_pattern(
    r"\b(?:draft|for (?:approval|review|sign-?off|a look)|ask\w* (?:\w+ )?(?:for|whether|if|to|before)|approved by|"
    r"after (?:\w+ ){0,3}(?:approv\w*|sign\w*|ok\w*|agree\w*|review\w*)|"
    r"with (?:\w+'?s? ){0,2}(?:approval|sign-?off|ok|review)|"
    r"propose|request|wait for|once (?:\w+ ){0,3}(?:approv\w*|agree\w*|sign\w*|ok\w*)|dry[-_ ]run|view|show|list)\b",
    re.IGNORECASE,
)


@lru_cache(_TEXTS)
def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Splits a rejection into what is rejected and the conditions of it."""
    rest, excepted = tails.split(text.strip().rstrip(".!"))
    rest, found = limits.required(rest)
    for clause in (_APPROVAL, *operation_table.table().approvals):
        if clause.search(rest):
            found.append(WITHOUT_APPROVAL)
            rest = clause.sub(" ", rest)
    rest = terms.without(rest)
    rest, bounds = dated.split(rest)
    rest, needs = requirements.split(rest)
    found += bounds
    rest = _MIDNIGHT.sub("between 00:00 and 05:00", _NOON.sub(r"\1 12:00", rest))
    rest, bounds = limits.split(_DAYS.sub(_each_day, rest))
    found += bounds
    for pattern, name in (
        (_BETWEEN, _between_name),
        (_CLOCK, _clock_name),
        (_PART, _part_name),
        (_WEEKDAY, _day_name),
    ):
        rest = _without(pattern, name, rest, text, found)
    rest = _LEFT_OUTSIDE.sub(" ", rest)
    head = _REASON.sub(" ", rest)
    rest = head if head.strip() else rest
    before, comma, after = rest.partition(", ")
    # "Fees doubled" is a clause of its own, too.
    is_clause = len(after.split()) > 2 or re.fullmatch(r"[\w-]+ [\w-]+ed\W*", after) is not None
    if comma and is_clause and (RESTRICTS.search(before) or _LEAVES.search(before)):
        rest = before
    if (both := _ENVIRONMENTS.search(rest)) is not None:
        found.append("in production or staging")
        rest = f"{rest[: both.start()]} {rest[both.end() :]}"
    elif _PRODUCTION.search(rest):
        found.append("in production")
        rest = _PRODUCTION.sub(" ", rest)
    return rest, tuple(dict.fromkeys((*found, *needs, *excepted)))


def _without(
    pattern: re.Pattern[str],
    name: Callable[[re.Match[str], str], str],
    rest: str,
    text: str,
    found: list[str],
) -> str:
    """Returns the rest of a text without the conditions of a pattern, and adds their names to those found."""

    def taken(match: re.Match[str]) -> str:
        if not (named := name(match, text)):
            return match[0]
        is_outside = _OUTSIDE.search(match.string[: match.start()]) is not None
        found.append(f"except {named}" if is_outside else named)
        return " "

    return pattern.sub(taken, rest)


def scopes(head: str) -> tuple[str, list[tuple[str, str]]]:
    """Splits a head at its prepositions, but not at those of operations ("pull in"): the object, and each scope."""
    words = list(_WORD.finditer(head))
    stems = operation_table.stem_each([word[0].lower() for word in words])
    kept: set[int] = set()
    for place in range(len(words)):
        told, length = operation_table.phrase_at(stems, place)
        kept.update(word.start() for word in words[place + 1 : place + length] if told)
    parts, start = [], 0
    for match in _SCOPE.finditer(head):
        is_code = head.count("`", 0, match.start()) % 2
        if match.start() not in kept and not is_code:
            parts += [head[start : match.start()], match[0]]
            start = match.end()
    parts.append(head[start:])
    found: list[tuple[str, str]] = []
    for preposition, scope in zip(parts[1::2], parts[2::2], strict=True):
        named = _IDLE_END.sub("", scope.strip(" ,;:").rstrip("."))
        if found and _JOINED.search(found[-1][1]):
            # "In logs or in Sentry" is one condition.
            found[-1] = (found[-1][0], f"{found[-1][1]} {named}")
        else:
            found.append((preposition.lower(), named))
    return parts[0], found


def _between_name(match: re.Match[str], text: str) -> str:
    """Returns the name of a span of hours, such as `between 08:00 and 18:00`."""
    hours = []
    for time in (match["start"] or match["from"], match["end"]):
        hour, _, minute = time.lower().rstrip(" apm").partition(":")
        of_day = (
            int(hour) % 12 + (12 if "pm" in time.lower() else 0) if "m" in time.lower() else int(hour) % 24
        )
        hours.append(f"{of_day:02}:{minute or '00'}")
    return f"between {hours[0]} and {hours[1]}"


def _clock_name(match: re.Match[str], text: str) -> str:
    """Returns the name of a bound in the time of the day; empty for a number that is no hour."""
    side = "before" if match[1].lower() in ("before", "until", "earlier than") else "after"
    hour, _, minute = match[2].partition(":")
    suffix = (match[3] or "").lower()
    if (whole := _HOUR_AND_MINUTE.fullmatch(hour)) is not None and (suffix or not _YEAR.fullmatch(hour)):
        # As on a timetable: "after 2030 h".
        hour, minute = whole.groups()
    hours = int(figures.number(hour))
    if hours > 24:
        return ""
    if suffix in _LATE and hours < 12:
        hours += 12
    loose = "" if minute or suffix or hours > 12 else " o'clock"
    return f"{side} {hours:02}:{minute or '00'}{loose}"


def _part_name(match: re.Match[str], text: str) -> str:
    name = match.lastgroup or ""
    return f"at {_PARTS.get(name, name)}"


def _day_name(match: re.Match[str], text: str) -> str:
    return f"on {match[1].lower()}"


def _each_day(match: re.Match[str]) -> str:
    """Returns the days from one to another: "on Sunday, Monday" for "Sunday to Monday"."""
    first, last = (DAYS.index(match[name].lower()) for name in ("first", "last"))
    return f"on {', '.join(DAYS[(first + day) % 7] for day in range((last - first) % 7 + 1))}"


def holds(
    condition: str,
    action: str,
    *,
    now: int,
    approved: bool,
    is_event: bool,
    about: frozenset[str] = frozenset(),
) -> bool | None:
    """Whether a condition of time, figures, production or approval holds for an action; None if that is unknown.

    Args:
        condition: Condition as `split` names it; any other is unknown.
        action: Action.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
        is_event: Whether the action plans something for another time, so that the clock does not count.
        about: Stems of what the rejection is about, to which a figure without a unit may belong.
    """
    kind, _, value = condition.partition(" ")
    if kind == "except":
        excepted = holds(value, action, now=now, approved=approved, is_event=is_event, about=about)
        return None if excepted is None else not excepted
    if condition == WITHOUT_APPROVAL:
        by_field = fulfilled.is_approved(action)
        return not (approved or (asks(action) if by_field is None else by_field))
    if condition.startswith("in production"):
        is_staged = "staging" in condition and _STAGING.search(action) is not None
        return is_staged or _is_in_production(action)
    if dated.is_dated(condition):
        return dated.holds(condition, action, now=now)
    if limits.is_limit(condition):
        return limits.holds(condition, action, about)
    is_later = is_event or _LATER.search(action) is not None
    return _holds_now(kind, value, action, now=now, is_later=is_later)


def _is_in_production(action: str) -> bool | None:
    """Whether an action is in production; None if it does not tell, or names another environment as well."""
    live, other = _LIVE.search(action), _NOT_LIVE.search(action)
    return None if bool(live) is bool(other) else bool(live)


def _holds_now(kind: str, value: str, action: str, *, now: int, is_later: bool) -> bool | None:
    """Whether a condition of the time of the day or of the week holds."""
    found = clock.times_of(action)
    today = (now // _MINUTE // times.DAY + _FIRST_DAY) % 7
    days = found.days | times.days_in(action, today)
    spans = found.spans
    if found.minutes or not (spans or is_later or days):
        minutes = found.minutes or (now // _MINUTE % times.DAY,)
        spans = tuple((minute, (minute + 1) % times.DAY) for minute in minutes)
    if kind in ("before", "after") and re.match(r"\d\d:\d\d", value):
        return any_of([_is_span_at_side(kind, value, span) for span in spans])
    if kind == "between" and (span := _SPAN.fullmatch(value)) is not None:
        start, end = (int(time[:2]) * 60 + int(time[3:]) for time in span.groups())
        return any_of([times.is_within(each, (start, end)) for each in spans])
    parts = times.table().parts
    if kind == "at" and value in parts:
        word = rf"\b(?:{value.partition(' ')[0]}|{times.table().also.get(value, value)})\b"
        # "During business hours" names the office hours as well.
        is_named = any(_part_name(match, action) == f"at {value}" for match in _PART.finditer(action))
        if not found.minutes and (is_named or re.search(word, action, re.IGNORECASE)):
            return True
        return any_of([times.is_within(span, parts[value]) for span in spans])
    if kind == "on":
        is_now = not is_later or bool(found.minutes)
        days = days or (frozenset({DAYS[today]}) if is_now else days)
        return _is_on(value, days) if days else None
    return None


def asks(action: str) -> bool:
    """Whether an action drafts, proposes or asks, or names an approval."""
    return _ASKS.search(action) is not None


def is_known(condition: str) -> bool:
    """Whether a condition is of time, figures, production or approval, and not words that the action must have."""
    kind, _, value = condition.partition(" ")
    return (
        condition in (WITHOUT_APPROVAL, "in production", "in production or staging")
        or dated.is_dated(condition)
        or (kind == "except" and is_known(value))
        or limits.is_limit(condition)
        or (kind in ("before", "after") and bool(re.match(r"\d\d:\d\d", value)))
        or (kind == "between" and _SPAN.fullmatch(value) is not None)
        or (kind == "at" and value in times.table().parts)
        or (kind == "on" and value in (*DAYS, "weekend", "weekday"))
    )


def is_of_time(condition: str) -> bool:
    """Whether a condition is of the day or of the time of the day."""
    return axis(condition) in TIMES


def names_time(action: str) -> bool:
    """Whether an action names a time of the day, by the clock or in words."""
    found = clock.times_of(action)
    return bool(found.minutes or found.spans)


def axis(condition: str) -> str:
    """Returns what a condition is about: the day, the time of the day, a kind of figure, or itself."""
    kind, _, value = condition.partition(" ")
    if not is_known(condition):
        return condition
    if limits.is_limit(condition):
        return f"figure {limits.kind(condition)}"
    if kind == "on":
        return TIMES[0]
    if dated.is_dated(condition):
        return TIMES[2]
    is_timed = kind in ("at", "between") or (kind in ("before", "after") and value[:2].isdigit())
    return TIMES[1] if is_timed else condition


def _is_on(value: str, days: frozenset[str]) -> bool:
    wide = set(days)
    if days & {"saturday", "sunday"}:
        wide.add("weekend")
    if days & set(DAYS[:5]):
        wide.add("weekday")
    if value in ("saturday", "sunday") and "weekend" in days:
        return True
    return value in wide


def _is_span_at_side(kind: str, value: str, span: Span) -> bool | None:
    """Whether a time of the day is before or after another one; None if only a piece of it is."""
    start, end = span
    sides = {_is_at_side(kind, value, minute) for minute in (start, (end - 1) % times.DAY)}
    return sides.pop() if len(sides) == 1 else None


def _is_at_side(kind: str, value: str, minute: int) -> bool | None:
    hours, rest = int(value[:2]), int(value[3:5])
    limit = hours * 60 + rest
    if kind == "before":
        return minute < limit
    if value.endswith("o'clock") and hours <= 12:
        # "After nine" is rather the evening; in the morning it is unknown.
        late = limit + 12 * 60 if hours < 12 else limit
        return True if minute >= late else None if minute >= limit else False
    return minute >= limit


def any_of(found: Sequence[bool | None]) -> bool | None:
    """Joins alternatives: true if one holds, None if one is open or there is none."""
    if True in found:
        return True
    return None if None in found or not found else False


def excluding(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether words of a condition and of an action exclude each other: unit tests, integration tests."""
    return any(
        one & group and other & group and not one & other & group
        for group in operation_table.table().contrasts
    )
