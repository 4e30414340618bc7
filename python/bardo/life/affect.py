"""Affect: pleasure, arousal and dominance, moved by outcomes, decaying to a baseline, named by Plutchik's labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from bardo._printed import printed
from bardo.model import NEUTRAL, Pad

Emotion = Literal["joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation", "calm"]

#: Direction of each of Plutchik's eight emotions (Russell and Mehrabian, Journal of Research in Personality 11, 1977).
EMOTIONS: dict[Emotion, Pad] = {
    "joy": (0.76, 0.48, 0.35),
    "trust": (0.60, -0.22, -0.42),
    "fear": (-0.64, 0.60, -0.43),
    "surprise": (0.40, 0.67, -0.13),
    "sadness": (-0.63, -0.27, -0.33),
    "disgust": (-0.60, 0.35, 0.11),
    "anger": (-0.51, 0.59, 0.25),
    "anticipation": (0.22, 0.62, 0.39),
}
#: Affect without outcomes, to which every mood decays.
BASELINE: Pad = NEUTRAL
#: e-folding time of the decay to the baseline, in days.
DECAY_DAYS = 0.25
#: Length below which a mood has no direction.
LEAST = 0.05
#: Movement of pleasure and of dominance by an outcome of 1, and of arousal by a surprise of 1.
PLEASURE, AROUSAL, DOMINANCE = 0.4, 0.4, 0.25
#: Arousal that every outcome costs: what was expected calms.
HABIT = 0.05


@dataclass(frozen=True, slots=True)
class Affect:
    """Mood.

    Args:
        pleasure: From -1 to 1.
        arousal: From -1 to 1.
        dominance: From -1 to 1.
    """

    pleasure: float = BASELINE[0]
    arousal: float = BASELINE[1]
    dominance: float = BASELINE[2]

    __str__ = printed

    @property
    def pad(self) -> Pad:
        """Pleasure, arousal, dominance, as `recall(pad=...)` takes them."""
        return self.pleasure, self.arousal, self.dominance

    @property
    def label(self) -> Emotion:
        """The one of Plutchik's emotions with the nearest direction; `calm` near the origin."""
        length = math.hypot(*self.pad)
        if length < LEAST:
            return "calm"
        return max(EMOTIONS, key=lambda name: _cosine(self.pad, EMOTIONS[name]))

    def decayed(self, ticks: int, ticks_per_day: int) -> Affect:
        """The mood after some ticks without an outcome; decay in two steps equals decay in one.

        Args:
            ticks: Ticks that pass.
            ticks_per_day: Ticks in a day.
        """
        kept = math.exp(-max(0, ticks) / (DECAY_DAYS * ticks_per_day))
        return Affect(*(rest + kept * (now - rest) for now, rest in zip(self.pad, BASELINE, strict=True)))

    def moved(self, outcome: float, expected: float) -> Affect:
        """The mood after an outcome.

        Args:
            outcome: From -1 to 1.
            expected: Mean of earlier outcomes, from -1 to 1.
        """
        surprise = abs(outcome - expected)
        step = (PLEASURE * outcome, AROUSAL * surprise - HABIT, DOMINANCE * outcome)
        return Affect(*(max(-1.0, min(1.0, now + by)) for now, by in zip(self.pad, step, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {"label": self.label} | {name: getattr(self, name) for name in self.__slots__}


def _cosine(left: Pad, right: Pad) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True)) / (math.hypot(*left) * math.hypot(*right))
