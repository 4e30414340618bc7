"""Homes and addresses of a person, of which a newer clause gives another one."""

from __future__ import annotations

import re

from bardo.consolidate.clause import Clause
from bardo.model import Statement


def leaves_address(old: Statement, new: Statement, newer: Clause) -> bool:
    """Whether a person moves from an address to a home elsewhere: "we live in Barna now" after "on Fairhill Road"."""
    is_of_home = (old.attribute, new.attribute) == ("address", "home") and bool(
        newer.cues & {"change", "now"}
    )
    return is_of_home and not _words(old.value) & _words(new.value)


def names_other_home(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause gives an address in another town than the home of the older one, of one person."""
    old, new = older.statement, newer.statement
    if old is None or new is None or (old.attribute, new.attribute) != ("home", "address"):
        return False
    _, _, town = new.value.casefold().partition(",")
    is_person = old.subject == new.subject and not (old.denied or new.denied)
    # An address without a town can be in the same one.
    return is_person and bool(re.search(r"[^\W\d]{3}", town)) and not _words(old.value) & _words(town)


def _words(value: str) -> set[str]:
    """Words of a value of more than two characters, in lower case."""
    return {word for word in re.split(r"[\s']+", value.casefold()) if len(word) > 2}
