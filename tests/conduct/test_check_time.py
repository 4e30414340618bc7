"""Time of a check by the length of the action."""

from __future__ import annotations

import random
import time

import pytest

import bardo


@pytest.mark.parametrize("letters", ["0123456789abcdef", "A1b2+/", "-", "a."])
def test_time_of_a_check_is_linear_in_the_length_of_an_action(gate: bardo.Gate, letters: str) -> None:
    gate.reject("add moment.js")

    def seconds(length: int) -> float:
        text = "".join(random.Random(length).choices(letters, k=length))
        begun = time.process_time()
        gate.before(f"cat > logo.b64 <<'EOF'\n{text}\nEOF")
        return time.process_time() - begun

    seconds(100)
    assert seconds(40_000) < 20 * max(seconds(5_000), 0.05)
