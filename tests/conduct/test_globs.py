"""Globs of command lines, with their quick refusal, against the matching of the standard library."""

from __future__ import annotations

import fnmatch

from hypothesis import example, given
from hypothesis import strategies as st

from bardo.conduct.parse.action import fits, folded

CHARACTERS = "ab*?[]!- "


@given(st.text(CHARACTERS, max_size=12), st.text(CHARACTERS, max_size=12))
@example("a]c", "a[]b]c")
@example("axc", "a[!b]c")
@example("a[b", "a[b")
def test_a_line_fits_a_glob_as_the_standard_library_says(line: str, pattern: str):
    assert fits(folded(line), pattern) == fnmatch.fnmatchcase(folded(line), folded(pattern))
