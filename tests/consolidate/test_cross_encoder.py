"""The cross-encoder tells messages that end a statement from those that only look as if."""

from pathlib import Path

import pytest

import bardo
from bardo.consolidate import cross_encoder

#: Seconds.
DAY = 86_400
RENT = "The user rents a flat in Ghent for 940 a month."


@pytest.fixture(scope="module")
def model() -> cross_encoder.CrossEncoder:
    found = cross_encoder.load("corrections")
    assert found is not None, "run: make dev"
    return found


@pytest.mark.parametrize(
    ("older", "ends", "keeps"),
    [
        (RENT, "The landlord wrote: from May on I pay 1,020.", "My sister's rent went up to 1,020."),
        (
            "The user is vegetarian.",
            "I eat meat again since the summer.",
            "Should I give up being vegetarian?",
        ),
        ("The user drives a Golf.", "I sold the Golf yesterday.", "My brother sold his Polo yesterday."),
    ],
)
def test_an_end_has_higher_odds_than_what_looks_like_one(
    model: cross_encoder.CrossEncoder, older: str, ends: str, keeps: str
) -> None:
    end, keep = model.read([(older, ends), (older, keeps)])
    assert end > keep


def test_pairs_are_read_alike_alone_and_among_others(model: cross_encoder.CrossEncoder) -> None:
    pairs = [(RENT, "word " * number + "and the flat") for number in range(0, 120, 7)]
    together = model.read(pairs)
    assert together == pytest.approx([model.read([pair])[0] for pair in pairs], abs=1e-3)
    assert model.read([]) == []


def test_a_memory_asks_the_cross_encoder_only_if_it_is_told_to(tmp_path: Path) -> None:
    marked = {}
    for is_on in (False, True):
        clock = bardo.ManualClock(1_700_000_000_000_000)
        config = {"curator": {"cross_encoder": is_on}}
        with bardo.open(tmp_path / str(is_on), clock=clock, config=config) as memory:
            fact = memory.learn("The user is learning Portuguese.")
            memory.sleep()
            clock.advance(30 * DAY)
            memory.remember("gave up on portuguese, italian it is", role="user", kind="turn")
            memory.sleep()
            known = memory.facts.get(fact.id)
            marked[is_on] = known.status != "active" or bool(memory.facts.links(known))
    assert marked == {False: False, True: True}
