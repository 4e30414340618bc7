"""Figures in texts, with their units, the fields they are in, and the nouns beside them (`figures.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import fields, operation_table

#: Maximum number of nouns read after a figure, and of words before it.
_NOUNS, _BEFORE = 3, 4
NUMBERS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
     "thousand": 1000, "dozen": 12}  # fmt: skip
_ORDINALS = {
    word: number
    for number, word in enumerate(
        ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=3
    )
}
_SHARES = {
    "half": 50, "third": 33.3, "quarter": 25, "fourth": 25, "fifth": 20, "sixth": 16.7, "eighth": 12.5, "tenth": 10,
    "two thirds": 66.7, "three quarters": 75,
}  # fmt: skip
_SHARE = lazy_pattern(
    rf"\b(?:a|one|the) ({'|'.join(map(re.escape, _SHARES))})\b(?! of (?:[A-Z]|\d)|-?(?:hour|year|day))",
    re.IGNORECASE,
)
NUMBER = r"(?:\d+(?:[.,]\d+)*|" + "|".join(NUMBERS) + ")"
#: Factor after a figure; a letter must follow at once.
_MANY = {"k": 1e3, "thousand": 1e3, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9, "hundred": 1e2}
_FIGURE = lazy_pattern(
    r"(?P<currency>[€$£¥] ?|\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|JPY) )?"
    rf"(?<![\w.#])(?<!\d:)(?<!\w-)(?P<number>(?:(?<=[\s=:(\[\"'])-)?{NUMBER})(?!\d|:\d|\w*_)"
    r"(?:(?P<letter>(?:k|mn|bn|(?-i:M))\b)|[ -](?P<many>hundred|thousand|million|billion|mn|bn|(?-i:M))\b)?",
    re.IGNORECASE,
)
#: No figures of an amount: times, dates, addresses, names of versions, phone numbers, and figures of a code.
_OTHER = lazy_pattern(
    r"\b\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?\b|"
    r"\+\d[\d ]{6,}\d|\b0\d{3,}[\d ]*|\b\d+(?:\.\d+){2,}\b|\b[A-Za-z]+-?\d[\w-]*|\b(?:[12]?\d|3[01])(?:st|nd|rd|th)\b|"
    r"\b\d{1,2} ?[ap]m\b|"
    r"\b(?:[12]?\d|3[01])\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b(?! calls?| puts?)",
    re.IGNORECASE,
)
#: Duration of Go and the like: `30 * time.Second`.
_MEMBER = lazy_pattern(r" ?\* ?(?:\w+\.)?(?P<unit>[A-Za-z]+)\b")
#: Dimension of ages, which have no unit of their own: "a twelve-year-old".
AGE = "age"
_AGE = lazy_pattern(r"[- ]years?[- ]olds?\b", re.IGNORECASE)
_LABEL = lazy_pattern(
    r"(?:(?P<option>--?[A-Za-z][\w-]*)[ =]|(?P<field>[A-Za-z_][\w.-]*)[\"']?\s*(?:=|:=|:)\s*)[\"'€$£\[]*$|"
    r"\b(?P<call>[A-Za-z_][\w.]*)\($"
)
_FORMER = lazy_pattern(r"\b(?:from|instead of|rather than|not|was)\s+(?:[€$£]\s?)?$", re.IGNORECASE)
_APART = lazy_pattern(r"[,;.!?](?=\s)")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NOUN = lazy_pattern(r"[ -]([^\W\d_]+(?:['’][a-z]+)?)")


class Figure(NamedTuple):
    """Figure of a text.

    Args:
        stated: The figure as written, times a factor such as k.
        value: The figure in the smallest unit of its dimension.
        dimension: Dimension of the unit; empty without one.
        unit: Unit as written, or that of its field.
        label: Name of the field or option; empty in prose.
        near: Stems of the field and of the nouns beside the figure.
        nouns: Nouns after it.
        is_amount: Whether its field is of an amount.
        is_account: Whether its field names something by a number.
        end: End of figure and unit in the text.
        nouns_end: End of its nouns.
    """

    stated: float
    value: float
    dimension: str
    unit: str
    label: str
    near: frozenset[str]
    nouns: tuple[str, ...]
    is_amount: bool
    is_account: bool
    end: int
    nouns_end: int


class _Table(NamedTuple):
    """Content of `figures.toml`."""

    #: Dimension and size of each unit.
    units: Mapping[str, tuple[str, float]]
    short: Mapping[str, str]
    money: frozenset[str]
    ordered: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, frozenset[str]]
    unit: re.Pattern[str]


@cache
def _table() -> _Table:
    """Returns the table; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))
    units = {
        unit: (dimension, float(size))
        for dimension, sizes in raw["units"].items()
        for size, names in sizes.items()
        for unit in names.split(", ")
    }
    units |= {unit: (currency, 1.0) for currency, given in raw["money"].items() for unit in given.split(", ")}
    names = "|".join(re.escape(name) for name in sorted(units, key=len, reverse=True))
    short = "|".join(raw["short"])
    return _Table(
        units,
        raw["short"],
        frozenset(raw["money"]),
        {name: tuple(given.split(", ")) for name, given in raw["ordered"].items()},
        {name: frozenset(re.split(r",\s+", given.strip())) for name, given in raw["fields"].items()},
        re.compile(rf"[ -]?(?P<long>{names})(?!\w)| ?(?P<short>{short})(?![\w'’])(?! ?[=:(])", re.IGNORECASE),
    )


def unit_of(name: str) -> tuple[str, float] | None:
    """Returns the dimension and size of a unit; None if there is no such one."""
    low = name.lower()
    return _table().units.get(_table().short.get(low, low))


def is_money(dimension: str) -> bool:
    """Whether a dimension is a currency."""
    return dimension in _table().money


def has_part(figure: Figure, of: str) -> bool:
    """Whether the name of the field of a figure has a word of a list of `figures.toml`: `prices`, `pieces`."""
    return not _table().fields[of].isdisjoint(_parts(figure.label))


@cache
def counted() -> frozenset[str]:
    """Returns the stems of all that is counted in pieces."""
    return _stems(" ".join(_table().fields["counted"]))


@cache
def traded() -> frozenset[str]:
    """Returns the stems of the sizes of orders at an exchange."""
    return _stems(" ".join(_table().fields["traded"]))


def scale_of(label: str) -> tuple[str, ...]:
    """Returns the ordered labels of which one is given, from the lowest; empty if it has no order."""
    low = re.sub(r"[-_ ]", "", label.lower())
    return next((labels for labels in _table().ordered.values() if low in labels), ())


def number(word: str) -> float:
    """Returns the value of a number in digits or as a word."""
    if word.lower() in NUMBERS:
        return float(NUMBERS[word.lower()])
    plain = re.sub(r"[.,](?=\d{3}\b)", "", word).replace(",", ".")
    first, *rest = plain.split(".")
    return float(f"{first}.{''.join(rest)}" if rest else first)


def figure_at(text: str, start: int) -> Figure | None:
    """Returns the figure at a place of a text; None if there is none."""
    match = _FIGURE.match(text, start)
    return None if match is None or _OTHER.match(text, start) else _figure(text, match)


@lru_cache(64)
def figures_of(text: str) -> tuple[Figure, ...]:
    """Returns the figures of an action, without times, dates, names, numbers of accounts and former values."""
    blank = _OTHER.sub(lambda match: "\0" * len(match[0]), text)
    found = [_figure(blank, match) for match in _FIGURE.finditer(blank) if not _is_former(blank, match)]
    found += [
        Figure(float(_ORDINALS[match[1].lower()]), float(_ORDINALS[match[1].lower()]), "", "", "", _stems(match[2]), (),
               is_amount=False, is_account=False, end=match.end(), nouns_end=match.end())
        for match in re.finditer(rf"(?i)\b({'|'.join(_ORDINALS)}) ([a-z]+(?: [a-z]+)?)", blank)
    ]  # fmt: skip
    found += [
        Figure(_SHARES[match[1].lower()], _SHARES[match[1].lower()], "share", "%", "", frozenset(), (),
               is_amount=False, is_account=False, end=match.end(), nouns_end=match.end())
        for match in _SHARE.finditer(blank)
    ]  # fmt: skip
    found += [
        Figure(float(len(each.items)), float(len(each.items)), "", "", each.name, each.stems, (),
               is_amount=False, is_account=False, end=0, nouns_end=0)
        for each in fields.fields_of(text) if each.is_list
    ]  # fmt: skip
    former = _table().fields["former"]
    return tuple(each for each in found if not former.intersection(_parts(each.label)))


def _figure(text: str, match: re.Match[str]) -> Figure:
    """Reads unit, field and nouns of a figure."""
    table = _table()
    stated = number(match["number"].lstrip("-")) * (-1 if match["number"].startswith("-") else 1)
    factor = (match["letter"] or match["many"] or "").lower()
    currency = (match["currency"] or "").strip().lower()
    end = match.end()
    if (
        currency
        and not factor
        and text[end : end + 1].lower() == "m"
        and not text[end + 1 : end + 2].isalnum()
    ):
        factor, end = "m", end + 1
    stated *= _MANY.get(factor, 1e6 if factor == "m" else 1)
    label = _label_before(text, match.start())
    unit, after = "", end
    if currency:
        unit = currency
    elif (age := _AGE.match(text, end)) is not None:
        unit, after = AGE, age.end()
    elif (found := table.unit.match(text, end)) is not None:
        unit, after = (found["long"] or table.short[found["short"].lower()]).lower(), found.end()
    elif (member := _MEMBER.match(text, end)) is not None and unit_of(member["unit"]):
        unit, after = member["unit"].lower(), member.end()
    nouns, nouns_end = _nouns_after(text, after)
    if not unit and nouns and nouns[-1].lower() in table.units:
        # "20 trading days"; the words before the unit are of what is counted.
        unit, after = nouns[-1].lower(), nouns_end
    if not unit and label:
        unit = _unit_of_field(label)
    dimension, size = (AGE, 1.0) if unit == AGE else table.units.get(unit, ("", 1.0))
    # A comma ends what a figure is of: "short 5 lots of Brent, funding is at 0.2".
    beside = _APART.split(text[max(0, match.start() - 60) : match.start()])[-1]
    before = "" if label else " ".join(_WORD.findall(beside)[-_BEFORE:])
    near = _stems(f"{' '.join(_parts(label))} {' '.join(nouns)} {before}")
    parts = frozenset(_parts(label))
    return Figure(
        stated, stated * size, dimension, unit, label, near, nouns, bool(parts & table.fields["amounts"]),
        bool(parts & table.fields["accounts"]), after, nouns_end,
    )  # fmt: skip


def _nouns_after(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """Returns the nouns after a figure, and their end."""
    nouns: list[str] = []
    end = start
    while len(nouns) < _NOUNS and (found := _NOUN.match(text, end)) is not None:
        if found[1].lower() in _table().fields["ends"]:
            break
        nouns.append(found[1])
        end = found.end()
    return tuple(nouns), end


def _label_before(text: str, start: int) -> str:
    found = _LABEL.search(text[max(0, start - 50) : start])
    return "" if found is None else (found["option"] or found["field"] or found["call"]).lstrip("-")


def _is_former(text: str, match: re.Match[str]) -> bool:
    """Whether a figure is a former value, a name, or the number of an account."""
    before = text[max(0, match.start() - 40) : match.start()]
    if _FORMER.search(before):
        return True
    last = _WORD.findall(before)[-1:]
    is_beside = before.endswith(" ") and not _label_before(text, match.start())
    is_named = is_beside and bool(last) and last[0].lower() in _table().fields["named"]
    return is_named or bool(
        re.fullmatch(r"\d{6,}", match["number"]) and not _label_before(text, match.start())
    )


def _unit_of_field(label: str) -> str:
    """Returns the unit that the name of a field has: `timeout_ms`, `--days`, `total_gbp`."""
    table = _table()
    parts = _parts(label)
    named = next((part for part in reversed(parts) if part in table.units), "")
    if named or len(parts) == 1:
        return named
    return table.short.get(parts[-1], "")


@lru_cache(4_096)
def _parts(label: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", label))


@lru_cache(4_096)
def _stems(words: str) -> frozenset[str]:
    return operation_table.canonical_stems(_WORD.findall(words.lower()))
