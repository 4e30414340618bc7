"""A statement that says another value was before disputes the one about the same thing that it most likely replaces."""

from __future__ import annotations

import pytest

from bardo.bequeath.selection import predecessors


@pytest.mark.parametrize(
    "text",
    [
        "Renewal letter came: Skuld insures the ferry and no longer the former one",
        "handover done, the line is with Leila now",
        "you find the towels in row 22, the old place is empty",
        "ab sofort liefert Weber",
    ],
)
def test_a_word_for_what_was_before_refers_back(text: str):
    assert predecessors.refers_back(text)


def test_a_plain_statement_refers_to_nothing_before():
    assert not predecessors.refers_back("the ferry unloads at pier Noord")


def test_the_likeliest_older_statement_is_taken_with_its_copies():
    evidence = {0: frozenset("a"), 1: frozenset("ab"), 2: frozenset("c"), 3: frozenset("d")}
    pairs = [(0, 3, 2.0), (1, 3, 1.0), (2, 3, 0.5)]
    assert predecessors.most_likely(pairs, evidence) == [(0, 3), (1, 3)]
    assert predecessors.most_likely([(2, 3, predecessors.LEAST - 0.1)], evidence) == []


def test_a_pair_is_the_nearest_if_neither_statement_has_a_likelier_one():
    evidence = {0: frozenset("a"), 1: frozenset("b"), 2: frozenset("c"), 3: frozenset("cd")}
    pairs = [(0, 2, 0.5), (1, 2, 0.7), (1, 3, 0.6), (0, 1, 0.4)]
    assert predecessors.nearest(pairs, evidence) == [(1, 2), (1, 3)]
    assert predecessors.nearest([], evidence) == []
