"""Frames: prompts laid out call after call so that a provider's prompt cache hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bardo import _core
from bardo.assemble import tokenizers
from bardo.assemble.prompt import Prompt
from bardo.errors import InvalidInputError
from bardo.life.clocks import Phase

FrameKind = Literal["first", "cycle", "phase", "due", "predicted"]

#: A whole frame at least this often, unless the caller says otherwise.
EVERY = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of blocks of a frame.

    Args:
        role: `system` or `user`.
        text: Its text.
        breakpoint: Whether what comes up to its end did not change since the last frame, and so is worth caching.
    """

    role: Literal["system", "user"]
    text: str
    breakpoint: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """A prompt in an order that caches; `str(frame)` is its text. It has the blocks and the tokens of its prompt.

    Args:
        prompt: What it was made from; its report and memories are those of the frame.
        kind: Why it is whole (`first`, `cycle`, `phase`, `due`), or `predicted`: what changed stands behind the rest.
        text: The whole text.
        segments: The same text in runs, for providers that want breakpoints.
        changed: Names of the blocks that changed, came or went since the last frame.
        delta: The text of the blocks that changed or came alone, for endpoints that keep the earlier ones themselves.
        tokens: Tokens of the whole.
        cacheable: Tokens of the beginning that is byte-identical to that of the last frame. Providers cache from about
            1,024 tokens on.
    """

    prompt: Prompt
    kind: FrameKind
    text: str
    segments: tuple[Segment, ...]
    changed: tuple[str, ...]
    delta: str
    tokens: int
    cacheable: int

    def __str__(self) -> str:
        return self.text

    @property
    def share(self) -> float:
        """Part of the frame that was cacheable, 0..1."""
        return self.cacheable / self.tokens if self.tokens else 0.0

    def messages(self, *, cache_control: bool = False) -> list[dict[str, Any]]:
        """The frame as chat messages.

        Args:
            cache_control: False gives plain texts, for providers that cache beginnings by themselves (OpenAI).
                True gives lists of text parts with `cache_control` at the breakpoints (Anthropic).
        """
        messages: list[dict[str, Any]] = []
        for segment in self.segments:
            part: dict[str, Any] = {"type": "text", "text": segment.text}
            if segment.breakpoint:
                part["cache_control"] = {"type": "ephemeral"}
            if not messages or messages[-1]["role"] != segment.role:
                messages.append({"role": segment.role, "content": []})
            messages[-1]["content"].append(part)
        if cache_control:
            return messages
        return [{**each, "content": "".join(part["text"] for part in each["content"])} for each in messages]


class FrameTracker:
    """Makes frames out of prompts, and keeps count of how much of them was cacheable. Safe to share among threads.

    Args:
        every: Every so many frames, one is laid out again.

    Raises:
        InvalidInputError: `every` is less than 1.
    """

    def __init__(self, every: int = EVERY) -> None:
        if every < 1:
            raise InvalidInputError(f"every is {every}. Use 1 or more; 1 lays every frame out again")
        self._core = _core.FrameTracker(every)

    def next(self, prompt: Prompt, *, phase: Phase | None = None, cycle: int = 0) -> Frame:
        """The next frame.

        Args:
            prompt: What `assemble` gave.
            phase: Phase of life; a change begins with a whole frame.
            cycle: Number of the Delta cycle, 0 or more; a new one begins with a whole frame.
        """
        if cycle < 0:
            raise InvalidInputError(f"cycle is {cycle}. Use 0 or more")
        blocks = prompt.blocks
        parts = [(block.name, block.text, block.used) for block in blocks]
        layout = self._core.next(parts, tokenizers.known(prompt.tokenizer), phase or "thriving", cycle)
        ordered = [blocks[index] for index in layout.order]
        changed = set(layout.changed)
        segments = []
        for role in ("system", "user"):
            own = [
                (at, block)
                for at, block in enumerate(ordered)
                if (block.name == "system") == (role == "system")
            ]
            steady = "".join(block.text for at, block in own if at < layout.steady)
            rest = "".join(block.text for at, block in own if at >= layout.steady)
            segments += [Segment(role, steady, True)] if steady else []
            segments += [Segment(role, rest, False)] if rest else []
        return Frame(
            prompt=prompt,
            kind=layout.kind,
            text="".join(block.text for block in ordered),
            segments=tuple(segments),
            changed=tuple(layout.changed),
            delta="".join(block.text for block in ordered if block.name in changed or layout.kind == "first"),
            tokens=layout.tokens,
            cacheable=layout.cacheable,
        )

    @property
    def share(self) -> float:
        """Part of all tokens so far that was cacheable, 0..1."""
        _, tokens, cacheable = self._core.totals()
        return cacheable / tokens if tokens else 0.0

    def to_dict(self) -> dict[str, float]:
        """Frames, tokens, cacheable tokens and their share so far."""
        frames, tokens, cacheable = self._core.totals()
        return {"frames": frames, "tokens": tokens, "cacheable": cacheable, "share": self.share}
