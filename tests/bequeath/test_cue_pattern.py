"""A cue skips texts without its words, and finds in every other text what its expression finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bardo.privacy.cue_pattern import CuePattern

TERMS = {
    "pass*": r"(?<![^\W_])pass\w*",
    "skin": r"(?<![^\W_])skin(?![^\W_])",
    "night shift": r"(?<![^\W_])night['’\s_-]{1,3}shift(?![^\W_])",
    "*lock": r"(?<![^\W_])\w{0,30}lock(?![^\W_])",
    "=PIN": r"(?<![^\W_])(?-i:PIN)(?![^\W_])",
    "tür": r"(?<![^\W_])tür(?![^\W_])",
    "暗証": "暗証",
}
EXPRESSION = re.compile("|".join(TERMS.values()), re.IGNORECASE)
words = st.sampled_from(
    ["pass", "PAſS", "SKİN", "sKın", "night", "shift", "clock", "PIN", "pin", "TÜR", "暗証", "x"]
)


@given(st.lists(words | st.sampled_from([" ", "-", "_", "'", "1", ".", "s"]), max_size=8).map("".join))
@example("Pſs")
@example("a passage by the NIGHT_SHIFT")
def test_a_cue_finds_what_its_expression_finds(text: str) -> None:
    cue = CuePattern(EXPRESSION.pattern, TERMS)
    spans = [match.span() for match in EXPRESSION.finditer(text)]
    assert [match.span() for match in cue.finditer(text)] == spans
    assert cue.sub("_", text) == EXPRESSION.sub("_", text)
    found = cue.search(text)
    assert (found and found.span()) == (spans[0] if spans else None)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_alone_is_found_in_a_text_longer_than_its_words_are_collected(term: str) -> None:
    cue = CuePattern(TERMS[term], [term])
    text = "x " * 4_096 + term.strip("=*")
    assert cue.search(text) is not None
    assert cue.search(text[-40:]) is not None
