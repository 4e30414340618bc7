"""Frames keep the tokens of their prompt and a byte-identical beginning."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo.assemble.context import assemble, count_tokens
from bardo.assemble.frames import FrameTracker
from bardo.errors import InvalidInputError

STATIC = {
    "system": "Trade with care, and say why. " * 40,
    "knowledge": "Liquidations follow the oracle. " * 30,
    "instruction": "Decide.",
}


def test_on_a_steady_loop_at_least_three_fifths_of_the_prompt_are_cacheable():
    tracker = FrameTracker()
    for step in range(30):
        blocks = {**STATIC, "event": f"Block {step}.", "positions": [{"pool": "ETH", "size": step}]}
        frame = tracker.next(assemble(blocks))
        assert frame.text.endswith("<instruction>\nDecide.\n</instruction>\n")
    assert tracker.share >= 0.6
    assert frame.changed == ("event", "positions")
    assert "Block 29." in frame.delta
    assert "Trade with care" not in frame.delta


def test_the_cacheable_beginning_is_byte_identical_and_marked_for_providers():
    tracker = FrameTracker()
    frames = [tracker.next(assemble({**STATIC, "event": f"Block {step}."})) for step in range(3)]
    pairs = zip(frames[1].text, frames[2].text, strict=False)
    common = "".join(left for left, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    assert count_tokens(common) >= frames[2].cacheable > 0
    system, user = frames[2].messages(cache_control=True)
    assert system["content"] == [
        {"type": "text", "text": frames[2].segments[0].text, "cache_control": {"type": "ephemeral"}}
    ]
    assert [("cache_control" in part) for part in user["content"]] == [True, False]
    plain = frames[2].messages()
    assert "".join(message["content"] for message in plain) == frames[2].text


def test_a_new_phase_and_a_new_cycle_lay_the_prompt_out_again():
    tracker = FrameTracker(every=3)
    prompt = assemble(STATIC)
    kinds = [tracker.next(prompt).kind for _ in range(4)]
    assert kinds == ["first", "predicted", "predicted", "due"]
    assert tracker.next(prompt, phase="declining").kind == "phase"
    assert tracker.next(prompt, phase="declining", cycle=1).kind == "cycle"
    assert tracker.to_dict()["frames"] == 6


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(
        st.dictionaries(
            st.sampled_from(["system", "event", "own", "positions"]),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        ),
        max_size=6,
    ),
    tokenizer=st.sampled_from(["o200k", "cl100k", "estimate"]),
)
def test_a_frame_has_the_blocks_and_the_tokens_of_its_prompt(calls, tokenizer):
    tracker = FrameTracker(every=4)
    for blocks in calls:
        prompt = assemble(blocks, tokenizer=tokenizer)
        frame = tracker.next(prompt)
        assert sorted(frame.text) == sorted(prompt.text)
        assert frame.tokens == count_tokens(frame.text, tokenizer) == prompt.tokens
        assert "".join(segment.text for segment in frame.segments) == frame.text


def test_bad_numbers_are_refused():
    with pytest.raises(InvalidInputError):
        FrameTracker(every=0)
    with pytest.raises(InvalidInputError):
        FrameTracker().next(assemble(STATIC), cycle=-1)
