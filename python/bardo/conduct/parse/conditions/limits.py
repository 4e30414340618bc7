"""Limits of rejections ("above 24 pods", "below 5 s"), and whether the figures of an action exceed them.

A figure is compared with a limit of its own dimension alone, and with one of a counted thing by the name of the field
or the nouns beside it. Where these leave it open which figure is meant, so is the limit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import fields, figures, operation_table
from bardo.conduct.parse.actions.figures import Figure
from bardo.conduct.parse.negation import FORBIDS

_RATE = r"(?: ?(?:/|\b(?:a|an|per|each|every) )(?P<rate>second|minute|min|hour|day|week|month|year|night)\b)?"
_LOWER = (
    "below|under|less than|fewer than|lower than|shorter than|smaller than|narrower than|younger than|cheaper than|"
    "colder than|more often than every|more frequently than every|sooner than"
)
_UPPER = (
    "above|over|more than|past|beyond|exceeding|in excess of|higher than|greater than|larger than|bigger than|"
    "longer than|heavier than|older than|faster than|warmer than|hotter than|further than|later than"
)
#: Limit with the preposition that joins it to the act: "for more than 2 seconds", "by more than 3 rooms".
_LIMIT = lazy_pattern(
    rf"(?:\b(?:for|by|with|of|at|about|in|going in) )?\b(?:nothing |anything )?(?P<side>{_UPPER}|{_LOWER}) (?:the )?",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(
    r"(?P<side>above|below) (?P<version>version )?(?P<figure>-?\d[\d.]*)(?: (?P<of>.+))?"
)
_ORDERED = lazy_pattern(r"(?P<side>above|below) (?P<label>[A-Za-z]+-?\d?)")
_LABEL = lazy_pattern(r"[A-Za-z]+(?:-?\d)?(?!\w)")
_VERSIONED = lazy_pattern(r"\b(?:upgrade|update|bump|version|node|python|java|go)\b", re.IGNORECASE)
_VERSION = lazy_pattern(r"(?<![\w.])v?(\d+)(?:\.\d+)*(?![\w:])|@\^?~?v?(\d+)")
_PER = lazy_pattern(r" per (?P<of>[\w-]+)(?: (?:and|per|and per) [\w-]+)*", re.IGNORECASE)
_TAIL = lazy_pattern(rf"(?:['’]s?)?{_RATE}", re.IGNORECASE)
_OF = lazy_pattern(r" of (?:driving|data|work|history|[A-Z]{2,}\b)")


#: Bounds in other words, each with the side that they forbid: "£20 is the ceiling", "30 days and not a day longer".
_SPAN = rf"(?P<figure>[€$£]?{figures.NUMBER}(?: ?[\w%]+)??)"
_BOUNDS = {
    "above": lazy_pattern(
        rf"{_SPAN},? (?:(?:is|as) (?:the|our|a|an) (?:absolute )?(?:ceiling|maximum|limit|cap)|at (?:the )?most|"
        r"(?:and )?not an? \w+ (?:longer|more))\b",
        re.IGNORECASE,
    ),
    "below": lazy_pattern(
        rf"{_SPAN},? (?:(?:is|as) (?:the|our|a|an) (?:absolute )?(?:floor|minimum)|at (?:the )?least|"
        r"(?:and )?not an? \w+ (?:shorter|less))\b",
        re.IGNORECASE,
    ),
}


_MOST = lazy_pattern(
    rf"\b(?:at (?:the )?most|max(?:imum)?(?: of)?|up to) (?=[€$£]?{figures.NUMBER}\b)", re.IGNORECASE
)
#: Number that is already too many: "not two weddings on one day".
_SEVERAL = lazy_pattern(
    rf"\bnot (?P<figure>(?!(?:1|one|zero|0)\b){figures.NUMBER}) (?=[a-z-]+s\b)", re.IGNORECASE
)
#: Figure of a clause of its own: "while funding is above 0.7" is above 0.7 funding.
_WHILE = lazy_pattern(
    r"\b(?:while|when|whenever|if|as long as|once) (?:the |its |our |their )?(?P<of>[a-z-]+(?: [a-z-]+)?) "
    rf"(?:is|are|stays?|remains?|trades?|stands?|goes|rises|falls|drops|sits) (?:still |already )?"
    rf"(?P<side>{_UPPER}|{_LOWER}) (?P<figure>{figures.NUMBER})(?![\w%]| [\w%])",
    re.IGNORECASE,
)
_KEEPS = lazy_pattern(
    r"\b(?:keep|keeps|stay|stays|must (?:be|stay|remain)|should (?:be|stay|remain)|has to (?:be|stay)|"
    r"have to (?:be|stay))\b(?!.*\b(?:out of|away from|clear of)\b)"
    # How long something is kept is a limit of the act: "keep a short open for more than 3 days".
    r"(?!.*\bfor (?:above|below|more|over|less|under|longer|within|exceeding|at least|at most)\b)",
    re.IGNORECASE,
)
_END = lazy_pattern(r"[,;.!?](?=\s|$)")
#: Number that is required: "the engine needs two approvals".
_NEEDS = lazy_pattern(
    r"\b(?:needs?|requires?|must have|has to have|have to have) (?:at least |a minimum of )?"
    rf"(?P<figure>{figures.NUMBER})"
    r"(?= [a-z-]+s\b)",
    re.IGNORECASE,
)


#: Dimensions of settings, whose unit a limit may leave unsaid.
_LEVELS = ("temperature", "share")
#: Number to which an act adds up: "four more copies, which makes ten".
_TOTAL = lazy_pattern(
    r"\b(?:(?:which|that) (?:would )?makes?|making (?:it )?|"
    r"(?:brings?|bringing|takes?|gets?) (?:us|it|them|the total) (?:up )?to|"
    rf"total(?:l?ing)?(?: of| to)?|in total) +(?P<figure>{figures.NUMBER})\b(?!:\d)",
    re.IGNORECASE,
)


class Limit(NamedTuple):
    """Limit of a condition.

    Args:
        is_upper: Whether it forbids what is above it.
        figure: The figure, in the smallest unit of its dimension.
        size: Size of its unit.
        dimension: Dimension; empty for a number.
        nouns: Stems of what is counted; empty if the condition does not say it.
        rate: Time per which it is counted; empty without one.
        is_version: Whether it is of the first number of a version.
    """

    is_upper: bool
    figure: float
    size: float
    dimension: str
    nouns: frozenset[str]
    rate: str
    is_version: bool


def split(text: str, *, orders: bool = True) -> tuple[str, list[str]]:
    """Splits a rejection from its limits; returns these as conditions, such as `above 24 pods`.

    Args:
        text: Rejection.
        orders: Whether the text may order what to keep to: "keep it under 500" rejects what is above.

    Returns:
        Text without them. What is counted stays in it where it is the object itself: "more than 3 retries are a no".
    """
    if not FORBIDS.search(text):
        text = _MOST.sub("above ", text)
    text = _SEVERAL.sub(lambda match: f"above {figures.number(match['figure']) - 1:g} ", text)
    for side, bound in _BOUNDS.items():
        text = bound.sub(rf"{side} \g<figure>", text)
    text = _WHILE.sub(r"\g<side> \g<figure> \g<of> ", text)
    # "Keep it under 500" rejects what is above.
    is_turned = orders and not FORBIDS.search(text) and _KEEPS.search(text) is not None
    kept, start = "", 0
    found: list[str] = []
    while (match := _LIMIT.search(text, start)) is not None:
        nouns = ""
        side = (
            "above" if is_turned is (re.fullmatch(_UPPER, match["side"], re.IGNORECASE) is None) else "below"
        )
        label = _label_at(text, match.end())
        figure = figures.figure_at(text, match.end())
        if label:
            end, name = match.end() + len(label), f"{side} {label}"
        elif figure is None or (match["side"].lower() == "later than" and figure.dimension != "time"):
            # "Later than 18:30" is a time of the day.
            kept, start = kept + text[start : match.end()], match.end()
            continue
        else:
            end, name = _named(side, figure, text)
            if match["side"].lower() == "past" and not figure.unit and _VERSIONED.search(text):
                end, name = figure.end, f"{side} version {figure.stated:g}"
            before = kept + text[start : match.start()]
            if figure.nouns and not figure.dimension and not _names_object(before):
                nouns = f"{' '.join(figure.nouns)} "
        found.append(name)
        kept, start = f"{kept}{text[start : match.start()]} {nouns}", end
    return kept + text[start:], found


def required(text: str) -> tuple[str, list[str]]:
    """Splits a text from the numbers that it requires; returns these as limits: `below 2 approvals`."""
    end = found.start() if (found := _END.search(text)) is not None else len(text)
    first, rest = text[:end], text[end:]
    if FORBIDS.search(first) or _NEEDS.search(first) is None:
        return text, []
    first, limits = split(_NEEDS.sub(r"below \g<figure>", first))
    return first + rest, limits


def is_limit(condition: str) -> bool:
    """Whether a condition is a limit, as `split` names it."""
    return _CONDITION.fullmatch(condition) is not None or _scale(condition) is not None


def is_version(condition: str) -> bool:
    """Whether a limit is of a version."""
    limit = _read(condition)
    return limit is not None and limit.is_version


def is_of_trade(condition: str) -> bool:
    """Whether a limit counts pieces of what is traded: "above 30 lots"."""
    limit = _read(condition)
    return limit is not None and bool(limit.nouns & figures.traded())


def is_plain(condition: str) -> bool:
    """Whether a limit names neither a unit nor what is counted, so that any figure may be meant."""
    limit = _read(condition)
    return limit is not None and not (limit.dimension or limit.nouns)


def kind(condition: str) -> str:
    """Returns what a limit is about, as far as it says: two limits of a kind are alternatives."""
    limit = _read(condition)
    return "order" if limit is None else f"{limit.dimension}{' '.join(sorted(limit.nouns))}"


def holds(condition: str, action: str, about: frozenset[str] = frozenset()) -> bool | None:
    """Whether a limit is exceeded in an action; None if its figures leave it open.

    Args:
        condition: Limit as `split` names it.
        action: Action.
        about: Stems of what the rejection is about.
    """
    if (scaled := _scale(condition)) is not None:
        is_upper, label, scale = scaled
        return _exceeds_label(re.sub(r"-", "", label), scale, action, is_upper=is_upper)
    limit = _read(condition)
    if limit is None:
        return None
    if any(_repeats(limit, told) for told in _told_in(action)):
        # "Raise it to above 3x" tells the limit itself.
        return True
    if limit.nouns & _letters():
        values = [
            float(len(each.value.strip("\"'"))) for each in fields.fields_of(action) if each.stems & about
        ]
    elif not limit.dimension and (totals := _TOTAL.findall(action)):
        # The sum of an act counts, not the part that it adds.
        values = [figures.number(each) for each in totals]
    elif limit.is_version:
        values = [float(match[1] or match[2]) for match in _VERSION.finditer(action)]
    else:
        there = operation_table.canonical_stems(re.findall(r"[^\W\d_]+", action.lower()))
        meant = _meant(limit, figures.figures_of(action), about, there)
        # How often an act is done is seldom told by a figure of something else.
        meant = [each for each in meant if not limit.rate or each.near & (limit.nouns | about)]
        values = [each.value for each in meant]
    sides = {value > limit.figure if limit.is_upper else value < limit.figure for value in values}
    if len(sides) != 1:
        return None
    is_exceeded = sides.pop()
    # A single act tells too little of how often it is done.
    return None if limit.rate and not (is_exceeded and limit.is_upper) else is_exceeded


@lru_cache(64)
def _told_in(action: str) -> tuple[Limit, ...]:
    """Returns the limits that an action tells; each condition of each rejection asks for them."""
    return tuple(filter(None, map(_read, split(action, orders=False)[1])))


def _repeats(limit: Limit, told: Limit) -> bool:
    """Whether a limit that an action tells is the rejected one."""
    return (told.is_upper, told.figure, told.dimension) == (limit.is_upper, limit.figure, limit.dimension)


@cache
def _letters() -> frozenset[str]:
    """Returns the stems of the units of texts."""
    return operation_table.content_stems(["characters", "chars", "letters"])


def _meant(
    limit: Limit, every: Sequence[Figure], about: frozenset[str], there: frozenset[str]
) -> list[Figure]:
    """Returns the figures of an action with given stems that a limit is of; none if that is open."""
    named = limit.nouns | about
    if limit.dimension:
        of_dimension = [each for each in every if each.dimension == limit.dimension]
        if not of_dimension:
            plain = [each for each in every if not each.dimension]
            of_dimension = [each for each in plain if each.near & named and each.label]
            is_money = figures.is_money(limit.dimension)
            if is_money and not of_dimension and not any(figures.is_money(each.dimension) for each in every):
                of_dimension = _sums(plain)
            of_dimension = [each._replace(value=each.value * limit.size) for each in of_dimension]
        return _nearest(of_dimension, named)
    plain = [each for each in every if not each.dimension]
    if not plain and not limit.nouns:
        # "Never set the heating above 19" is of degrees.
        plain = [each._replace(value=each.stated) for each in every if each.dimension in _LEVELS]
    # "Children under 16" have an age.
    ages = [] if limit.nouns else [each for each in every if each.dimension == figures.AGE]
    by_noun = [each for each in plain if each.near & limit.nouns]
    by_label = [each for each in plain if each.near & about]
    if named_ones := ages or by_noun or by_label:
        return named_ones
    if limit.nouns and not limit.is_upper:
        # Any figure is below some limit.
        return []
    amounts = [each for each in plain if each.is_amount]
    # An amount of a call is of anything: of seats only if the call names these.
    if amounts and (not limit.nouns or limit.nouns & (there | figures.counted())):
        return amounts
    is_single = len(plain) == 1 and not plain[0].label and not (limit.nouns and plain[0].nouns)
    return plain if is_single else []


def _sums(plain: Sequence[Figure]) -> list[Figure]:
    """Returns the sums of money among figures without a currency: pieces times the price of one, else amounts."""
    prices, pieces = ([each for each in plain if figures.has_part(each, of)] for of in ("prices", "pieces"))
    if pieces:
        return [
            price._replace(value=price.value * number.value) for price in prices[:1] for number in pieces[:1]
        ]
    return [each for each in plain if each.is_amount]


def _nearest(every: list[Figure], named: frozenset[str]) -> list[Figure]:
    """Returns those of several figures whose fields or nouns a rejection names; all if none."""
    near = [each for each in every if each.near & named] if len(every) > 1 else []
    return near or every


def _named(side: str, figure: Figure, text: str) -> tuple[int, str]:
    """Returns where a limit ends, and its name."""
    unit, end = "%" if figure.unit != "bp" and figure.dimension == "share" else figure.unit, figure.end
    if unit:
        if (of := _OF.match(text, end)) is not None and unit != "%":
            end = of.end()
    elif figure.nouns:
        unit, end = " ".join(figure.nouns), figure.nouns_end
    if (tail := _TAIL.match(text, end)) is not None:
        end = tail.end()
        unit = f"{unit} a {tail['rate'].lower()}" if tail["rate"] else unit
    if (per := _PER.match(text, end)) is not None:
        end = per.end()
        is_measure = figures.unit_of(per["of"]) is not None and " a " not in unit
        unit = f"{unit} a {per['of'].lower()}" if is_measure else unit
    return end, f"{side} {_written(figure.stated)}{f' {unit}' if unit else ''}"


def _written(figure: float) -> str:
    return f"{figure:.10g}" if figure < 1e10 else f"{figure:.0f}"


def _names_object(before: str) -> bool:
    """Whether the words before a limit name an object, besides operations."""
    words = re.findall(r"[^\W\d_]+", before.lower())
    stems = operation_table.content_stems(words) - operation_table.framing_stems()
    acts = {
        stem
        for place in range(len(words))
        for name in operation_table.phrase_at(operation_table.stem_each(words), place)[0]
        for phrase in operation_table.phrases_of(name)
        for stem in phrase
    }
    return bool(stems - acts)


@lru_cache(4_096)
def _read(condition: str) -> Limit | None:
    """Reads a condition; None if it is no limit with a figure."""
    match = _CONDITION.fullmatch(condition)
    if match is None:
        return None
    of, _, rate = (match["of"] or "").partition(" a ")
    named = figures.unit_of(of)
    dimension, size = named or ("", 1.0)
    nouns = (
        frozenset[str]() if named else operation_table.canonical_stems(re.findall(r"[^\W\d_]+", of.lower()))
    )
    is_upper = match["side"] == "above"
    return Limit(
        is_upper, float(match["figure"]) * size, size, dimension, nouns, rate, bool(match["version"])
    )


def _label_at(text: str, start: int) -> str:
    """Returns a label that has an order, such as SEV2, at a place of a text; empty without one."""
    found = _LABEL.match(text, start)
    return found[0] if found is not None and found[0].isupper() and figures.scale_of(found[0]) else ""


def _scale(condition: str) -> tuple[bool, str, tuple[str, ...]] | None:
    """Reads a limit of an ordered label: whether it forbids what is above, the label, and the scale from the lowest."""
    match = _ORDERED.fullmatch(condition)
    scale = () if match is None else figures.scale_of(match["label"])
    return None if match is None or not scale else (match["side"] == "above", match["label"].lower(), scale)


def _exceeds_label(label: str, scale: Sequence[str], action: str, *, is_upper: bool) -> bool | None:
    """Whether the labels of a scale in an action are all above or below one; None if they disagree or are none."""
    there = {re.sub(r"[-_]", "", word) for word in re.findall(r"[a-z]+-?\d?", action.lower())}
    places = [scale.index(each) for each in there if each in scale]
    sides = {place > scale.index(label) if is_upper else place < scale.index(label) for place in places}
    return sides.pop() if len(sides) == 1 else None
