"""Debts: the months that are owed are no dates, and who has paid all owes no more; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.corrections import corrections
from helpers.chats import clauses_of, lived


@pytest.mark.parametrize(
    "text",
    [
        "Flat 6, Mr Ruiz, is behind with June and July, 1,540 euro in total.",
        "Mrs Okoro is in arrears.",
        "Mrs Okoro owes the clinic 300 euro.",
        "The tenant is overdue with May.",
    ],
)
def test_a_debt_has_no_end(text: str) -> None:
    (clause,) = clauses_of(text)
    assert (clause.debt, clause.over, clause.until) == ("owed", None, None)


@pytest.mark.parametrize(
    "text",
    [
        "Ruiz is square with us.",
        "Ruiz has paid.",
        "Ruiz paid it off.",
        "Ruiz paid the last instalment.",
        "Ruiz has settled the bill.",
        "Ruiz is up to date with his fees.",
    ],
)
def test_who_has_paid_all_owes_no_more(text: str) -> None:
    (older,), (newer,) = clauses_of("Mr Ruiz is behind with July."), clauses_of(text)
    judged = corrections.judge(older, newer, corrections.NEAREST)
    assert judged.rule == "ending"
    assert judged.total >= corrections.limits().ends


@pytest.mark.parametrize(
    "text",
    [
        "Ruiz paid June.",
        "Ruiz paid for the taxi.",
        "Ruiz is not square with us.",
        "Ruiz will pay everything.",
        "Ruiz would pay it off.",
        "Okoro is square with us.",
    ],
)
def test_a_part_a_promise_and_another_payer_end_no_debt(text: str) -> None:
    (older,), newer = clauses_of("Mr Ruiz is behind with June and July."), clauses_of(text)
    assert all(
        corrections.judge(older, each, corrections.NEAREST).total < corrections.limits().ends
        for each in newer
    )


def test_a_debt_ends_when_it_is_paid(tmp_path: Path) -> None:
    messages = [
        ("Marta", "Flat 6, Mr Ruiz, is behind with June and July, 1,540 euro in total."),
        ("Marta", "Ruiz paid the last instalment, he is square with us."),
    ]
    with lived(tmp_path, messages) as memory:
        found = {fact.text: fact for fact in memory.facts.list(status=None)}
        (debt,) = [fact for text, fact in found.items() if "behind" in text]
        assert (debt.status, debt.ended_by) == ("superseded", "ending")
