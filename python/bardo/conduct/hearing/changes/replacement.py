"""Tells whether a newer statement of a person replaces an order or a decision: the same thing, with another value.

Two statements are about the same thing if they share its content words, and neither names another thing, place or
condition. The value is a figure with its unit, or words whose older value the newer statement takes back ("no longer
DHL") or puts another one in the place of ("on larch boards" for "on spruce boards").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.changes.replacement_words import (
    ANNOUNCING,
    BOUNDS,
    CHANGING,
    CUE,
    CUE_ALONE,
    CURRENCIES,
    DIRECTING,
    GENERIC,
    NUMBERS,
    OPEN,
    PLACING,
    QUANTITIES,
    RETRACTED,
    STARTING,
    UNITS,
    tells_past,
)
from bardo.conduct.parse.negation import DENIES

_CLAUSE = lazy_pattern(r"\s*(?:[,;.!](?=\s|$)|\s[-–—]+\s|\b(?:because|since|as)\b)\s*", re.IGNORECASE)
_TOKEN = lazy_pattern(r"[€$£]|%|°[cf]?|\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['-][^\W\d_]+)*", re.IGNORECASE)
#: Beginning of a part that limits the clause beside it: "in summer", "at least on Sundays".
_LIMITING = lazy_pattern(
    r"(?:in|on|at|for|with|without|under|over|after|before|by|from|during|but|only|except|and|or|unlike|within)\b",
    re.IGNORECASE,
)
_SUBJECTS = frozenset({"i", "we", "they"})


@dataclass(frozen=True, slots=True)
class _Figure:
    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class _Statement:
    """Statement as its thing and its value.

    Args:
        tokens: Content stems of the main clause in order, each with the token before it that is no article, and
            whether nothing but articles stands between it and the content stem before it.
        figures: Its figures.
        quantities: Words of the quantity that the figures measure.
        retracted: Content stems and figures that it takes back.
        bound: Kind of bound of the figures; empty if they are no bound.
        is_negated: Whether the main clause forbids.
        is_order: Whether it has the form of an order.
        is_change: Whether its words tell a change.
        is_open: Whether it asks, supposes, limits or reports, so that it replaces nothing.
    """

    tokens: tuple[tuple[str, str, bool], ...]
    figures: tuple[_Figure, ...]
    quantities: frozenset[str]
    retracted: frozenset[str]
    bound: str
    is_negated: bool
    is_order: bool
    is_change: bool
    is_open: bool

    @property
    def words(self) -> frozenset[str]:
        return frozenset(stem for stem, _, _ in self.tokens)


def may_replace(text: str) -> bool:
    """Whether a statement has the form of one that replaces another: an order or a change, and no question or guess.

    Args:
        text: Words of a person.
    """
    said = _statement(text)
    return not said.is_open and (said.is_order or said.is_change)


def takes_back(text: str) -> bool:
    """Whether a statement names the older value that it replaces: "8 attempts instead of 5".

    Args:
        text: Words of a person.
    """
    return bool(_statement(text).retracted)


def replaces(older: str, newer: str) -> bool:
    """Whether a newer statement of a person replaces an order or a decision.

    Args:
        older: Order or decision in force.
        newer: Words that a person said later.
    """
    if not may_replace(newer):
        return False
    old, new = _statement(older), _statement(newer)
    if old.is_negated != new.is_negated:
        return False
    return _has_new_figure(old, new) if old.figures else _has_new_words(old, new)


def _has_new_figure(old: _Statement, new: _Statement) -> bool:
    """Whether the same quantity of the same thing has another figure."""
    known = {figure.value for figure in old.figures}
    given = [figure for figure in new.figures if figure.value not in known]
    names_old = bool(known & new.retracted) or len(given) < len(new.figures)
    if len(given) != len(old.figures) or not (names_old or new.is_order):
        return False
    is_announced = names_old or new.is_change
    return _is_same_thing(old, new, names_old=names_old) and all(
        one.unit == other.unit or (not other.unit and is_announced)
        for one, other in zip(old.figures, given, strict=True)
    )


def _is_same_thing(old: _Statement, new: _Statement, *, names_old: bool) -> bool:
    """Whether figures are of the same thing and quantity, and of one kind of bound.

    A statement that names the older figure need not repeat the whole thing.
    """
    is_of_other = bool(new.words - old.words) or not old.words & new.words
    is_vague = bool(old.words - new.words) or bool(new.quantities - old.quantities) or old.bound != new.bound
    is_other_quantity = bool(old.quantities and new.quantities - old.quantities)
    is_other_bound = bool(old.bound and new.bound) and old.bound != new.bound
    return not (is_of_other or is_other_quantity or is_other_bound) and (names_old or not is_vague)


def _has_new_words(old: _Statement, new: _Statement) -> bool:
    """Whether the newer statement has other words in the place of a value of the older one."""
    added = _runs(new, new.words - old.words)
    if new.figures or len(added) != 1 or not new.is_change:
        return False
    if taken := old.words & new.retracted:
        # The words of the older value that the newer one repeats name the kind: "larch boards".
        # A decision for nothing but the older value is for it alone: "let's use dayjs instead of date-fns".
        return bool(old.words & new.words - taken) or old.words == taken
    if new.retracted or len(old.words & new.words) < 2:
        return False
    # The verb of a change takes the place of the older one.
    gone = [run for run in _runs(old, old.words - new.words) if run[0] not in _SUBJECTS]
    if len(gone) != 1:
        return False
    (before, kind), (before_new, kind_new) = gone[0], added[0]
    # "On spruce boards", "to larch boards": another value of one kind, after a preposition of place or means.
    return bool(kind) and kind == kind_new and before in PLACING and before_new in (before, "to")


def _runs(said: _Statement, wanted: frozenset[str]) -> list[tuple[str, str]]:
    """Returns the places of runs of wanted tokens: the word before each, and the content stem right after it."""
    runs: list[tuple[str, str]] = []
    is_within = False
    for stem, before, is_adjacent in said.tokens:
        if stem not in wanted:
            if is_within and is_adjacent:
                runs[-1] = (runs[-1][0], stem)
            is_within = False
            continue
        if not (is_within and is_adjacent):
            runs.append((before, ""))
        is_within = True
    return runs


@lru_cache(maxsize=1_024)
def _statement(text: str) -> _Statement:
    bare = " ".join(text.replace("’", "'").split()).casefold()
    is_change = CUE.search(bare) is not None
    rest = STARTING.sub(" ", bare)
    retracted: set[str] = set()
    for pattern in RETRACTED:
        for found in pattern.finditer(rest):
            retracted |= set(_stems(found["old"])) | {
                token for token in _tokens(found["old"]) if token[0].isdigit()
            }
        rest = pattern.sub(" " if pattern is RETRACTED[0] else " , ", rest)
    head, _, tail = rest.partition(": ")
    rest = tail if CUE_ALONE.fullmatch(head) else rest
    main = _main_clause([part for part in _CLAUSE.split(rest) if part and not CUE_ALONE.fullmatch(part)])
    bound = next((name for name, pattern in BOUNDS if pattern.search(main)), "")
    said = main
    for _, pattern in BOUNDS:
        said = pattern.sub(" ", said)
    tokens, figures, quantities = _parts(said)
    changing = CHANGING.search(main) is not None
    return _Statement(
        tokens, figures, quantities, frozenset(retracted), bound,
        is_negated=DENIES.search(said) is not None,
        is_order=bool(DIRECTING.search(main) or ANNOUNCING.search(bare)),
        is_change=is_change or changing or bool(retracted),
        is_open="?" in bare or OPEN.search(bare) is not None or (not changing and tells_past(main)),
    )  # fmt: skip


def _main_clause(parts: list[str]) -> str:
    """Returns the part that orders: the first one with a figure, else the first, with what limits it."""
    if not parts:
        return ""
    place = next((place for place, part in enumerate(parts) if re.search(r"\d", part)), 0)
    limits = [part for other, part in enumerate(parts) if other != place and _LIMITING.match(part)]
    return " ".join([parts[place], *limits])


def _parts(said: str) -> tuple[tuple[tuple[str, str, bool], ...], tuple[_Figure, ...], frozenset[str]]:
    """Returns the content stems, figures and quantities of a clause."""
    tokens: list[tuple[str, str, bool]] = []
    figures: list[_Figure] = []
    quantities: set[str] = set()
    before, is_adjacent, is_measured, currency = "", False, False, ""
    for token in _tokens(said):
        if token in ("the", "a", "an", "our", "my", "your"):
            continue
        if token[0].isdigit() or token in NUMBERS:
            is_clock = ":" in token
            figures.append(_Figure(NUMBERS.get(token, token), "clock" if is_clock else currency))
            before, is_adjacent, is_measured, currency = token, False, not is_clock, ""
            continue
        if token in CURRENCIES:
            currency = UNITS[token]
            continue
        if token in UNITS and (before[:1].isdigit() or before in NUMBERS):
            figures[-1] = _Figure(figures[-1].value, UNITS[token])
            before, is_adjacent = token, False
            continue
        (stem,) = _stems(token) or ("",)
        if stem in QUANTITIES or (stem and is_measured):
            quantities.add(stem)
        elif stem:
            tokens.append((stem, before, is_adjacent))
        is_measured = is_measured and bool(stem)
        before, is_adjacent = token, bool(stem)
    return tuple(tokens), tuple(figures), frozenset(quantities)


def _tokens(said: str) -> list[str]:
    return _TOKEN.findall(said)


def _stems(said: str) -> tuple[str, ...]:
    """Stems of the content words of a text."""
    words = _core.without_stop_words(
        " ".join(token for token in _tokens(said) if token[0].isalpha() and token not in GENERIC)
    )
    return tuple(stem for stem in _core.stems(words.split()) if stem)
