"""Words after the rejected act that are no condition leave none open: answers, reasons, examples."""

from __future__ import annotations

import pytest

from bardo.conduct.parse.conditions import tails

KEPT = [
    ("stop force-pushing to main (your own branch, whatever)", "stop force-pushing to main"),
    ("no deploys between 06:00 and 09:00, any day, any service", "no deploys between 06:00 and 09:00"),
    ("VIX futures are out for this book; vol is hedged with options", "VIX futures are out for this book"),
    ("Market orders outside the Stoxx 600 - no", "Market orders outside the Stoxx 600"),
    ("public projects: never", "public projects"),
    ("don't release to the stores on a Friday, phased or not", "don't release to the stores on a Friday"),
    ("no loads below 3.5, however cheap", "no loads below 3.5"),
    ("never put keys in the post, recorded or otherwise", "never put keys in the post"),
    ("No overnight shorts in biotech. We learned that in June", "No overnight shorts in biotech"),
    (
        "unhashed numbers in notebook output - never, those get committed",
        "unhashed numbers in notebook output",
    ),
    # A clause that states a condition or forbids stays.
    ("don't ring wards during handover (07:15-07:45)", "don't ring wards during handover 07:15-07:45"),
    ("no viewings, except on Mondays", "no viewings, except on Mondays"),
    ("Backfills run at night. Not in the day", "Backfills run at night. Not in the day"),
    ("gentamicin: no second dose without a level", "gentamicin: no second dose without a level"),
    ("no stocks, no bonds", "no stocks, no bonds"),
    ("never touch the ledger, never the archive", "never touch the ledger, never the archive"),
]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_a_tail_is_no_condition(text: str, kept: str) -> None:
    assert tails.split(text) == (kept, ())


EXCEPTED = [
    ("Never deploy on a Friday. Rollbacks excepted", "excepting Rollbacks"),
    ("dogs over 15 kg no, Skagen excepted", "excepting Skagen"),
    ("timeouts over 5 s are a no. The harbour gateway may have 12 s", "excepting harbour gateway"),
    ("PRs over 600 lines go back; generated code isn't counted", "excepting generated code"),
    ("no writes to the database (reads on the replica are fine)", "excepting reads on the replica"),
    ("no trades at noon. Only hedges of exposure we have", "excepting hedges of exposure we have"),
]


@pytest.mark.parametrize(("text", "expected"), EXCEPTED)
def test_a_tail_that_excepts_an_act_is_an_exception(text: str, expected: str) -> None:
    assert tails.split(text)[1] == (expected,)
