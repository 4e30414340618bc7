"""Abbreviations: their stop ends no sentence, in the parse, in plain forms and in the pieces of the index."""

from __future__ import annotations

import pytest

from bardo import _core
from bardo.consolidate.languages.english.parse import parse
from bardo.consolidate.texts.clauses import sentences

WHOLE = [
    "The risk manager is now Joaquim Bettencourt, ext. 0171.",
    "The key is in locker no. 14 behind the bar.",
    "The walk takes approx. 20 minutes.",
    "Ask dept. Head Anna about the lease.",
    "My new number is tel. 0171 555 0142.",
    "I live on St. Mary's Road with my cat.",
    "My dentist is Dr. Chen in Graz.",
    "I like stews, e.g. Goulash.",
]


@pytest.mark.parametrize("text", WHOLE)
def test_an_abbreviation_ends_no_sentence(text: str):
    assert [sentence.text for sentence in parse(text).sents] == [text]
    assert sentences(text) == [text]


@pytest.mark.parametrize("text", ["The answer is no. Anna stays.", "I work in the ext. The rent is high."])
def test_a_stop_before_another_sentence_ends_one(text: str):
    assert len(sentences(text)) == 2
    assert len(list(parse(text).sents)) == 2
    assert not _core.abbreviations(text)


def test_places_are_counted_in_characters():
    text = "Zoë's ext. 17"
    ((begin, end),) = _core.abbreviations(text)
    assert text[begin:end] == "ext."
