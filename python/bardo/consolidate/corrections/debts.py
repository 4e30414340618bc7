"""Debts that a newer clause tells to be paid."""

from __future__ import annotations

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.holders import name_words


def pays_debt(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells that the debtor of the older one has paid all: "Ruiz is square with us"."""
    if older.debt != "owed" or newer.debt != "paid" or not newer.stated:
        return False
    # "Flat 6, Mr Ruiz, is behind" names the debtor beside the flat.
    return bool((name_words(older.owner) | set(older.topic)) & name_words(newer.owner))


def pays_part(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause tells of a payment that leaves the debt of the older one open, as far as it says."""
    return older.debt == "owed" and newer.debt == "part"
