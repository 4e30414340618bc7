"""Finds the episode that records the decision whose outcome is told, so that one decision counts as one case."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bardo.errors import InvalidInputError
from bardo.life.history import OUTCOME, RECORDED_AS
from bardo.model import INHERITED_KIND, Episode
from bardo.recall.situation import ACTION_PATHS, Situation, is_of_others

#: First episodes that arrived after a prompt, among which the record of its decision is sought.
LOOKED_AMONG = 256
#: Name under which an episode may name the prompt of its decision.
PROMPT = "prompt"
#: Kinds of episode that record no decision.
_NO_DECISIONS = frozenset({OUTCOME, INHERITED_KIND, "turn"})


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """Episode that records a decision with its outcome.

    Args:
        episode: The episode.
        decision: Its features and subjects, with the action taken if it tells one.
        measured: Outcomes that it measures, by path.
    """

    episode: Episode
    decision: Situation
    measured: Mapping[str, float]

    @classmethod
    def of(cls, episode: Episode, outcomes: Collection[str]) -> Self | None:
        """Reads an episode; None if it records no decision with an outcome that counts.

        Args:
            episode: Any episode.
            outcomes: Names of the numbers that measure an outcome.
        """
        if not episode.verified or episode.kind in _NO_DECISIONS or not isinstance(episode.payload, Mapping):
            return None
        try:
            features = Situation.of(episode.payload).features
        except InvalidInputError:
            return None  # a payload may hold what no situation can
        measured = {
            path: value
            for path, value in features.items()
            if isinstance(value, float) and {path, path.rpartition(".")[2]} & {*outcomes}
        }
        if not measured:
            return None
        taken = tuple(
            value
            for path, value in features.items()
            if path.rpartition(".")[2] in ACTION_PATHS and isinstance(value, str)
        )
        return cls(episode, Situation(features, episode.subjects, taken[:1]), measured)

    def contradicts(self, moment: Situation) -> bool:
        """Whether it cannot record a decision in a situation: it tells another subject, action or word of a feature."""
        possible = {action.strip().casefold() for action in moment.actions}
        if possible and any(action.strip().casefold() not in possible for action in self.decision.actions):
            return True
        return is_of_others(moment.subjects, self.decision.subjects) or any(
            isinstance(known, str) and not is_same for known, is_same in self._compared(moment)
        )

    def shares(self, moment: Situation) -> bool:
        """Whether it has a subject or a feature of a situation."""
        has_subject = bool(moment.subjects and self.decision.subjects) and not is_of_others(
            moment.subjects, self.decision.subjects
        )
        return has_subject or any(is_same for _, is_same in self._compared(moment))

    def _compared(self, moment: Situation) -> Iterator[tuple[object, bool]]:
        """Yields its features that a situation tells, too, and whether both tell the same."""
        for path, value in moment.features.items():
            if (known := self.decision.features.get(path)) is not None:
                yield known, known in (value if isinstance(value, tuple) else (value,))

    def has(self, value: float) -> bool:
        """Whether it measures an outcome of this value."""
        return value in self.measured.values()

    def completed(self, moment: Situation) -> Situation:
        """A situation with the features and the action that the record tells beside it."""
        actions = moment.actions if len(moment.actions) == 1 else self.decision.actions or moment.actions
        return replace(
            moment,
            features={**self.decision.features, **moment.features},
            subjects=moment.subjects or self.decision.subjects,
            actions=actions,
        )


def recorded_decision(
    recent: Sequence[Episode], prompt: str, moment: Situation, value: float, *, outcomes: Collection[str]
) -> DecisionRecord | None:
    """Returns the episode that records the decision of a prompt; None if there is none, or several might be meant.

    It measures an outcome, contradicts nothing that is known of the decision, and is of no other outcome that was told.
    It names the prompt; or it shares a subject or a feature with its situation; or it measures the very outcome.

    Args:
        recent: Episodes that arrived since the prompt was made.
        prompt: Id of the prompt.
        moment: Situation of the decision, with the action taken if it is known.
        value: Outcome of the decision, from -1 to 1: it decides where several episodes might be meant.
        outcomes: Names of the numbers that measure an outcome.
    """
    counted = {str(recorded_as(episode)) for episode in recent}
    found = [
        record
        for episode in recent
        if episode.id not in counted and (record := DecisionRecord.of(episode, outcomes)) is not None
    ]
    named = [record for record in found if record.episode.payload.get(PROMPT) == prompt]
    if named:
        return _only(named, value)
    found = [record for record in found if PROMPT not in record.episode.payload]
    alike = [record for record in found if record.shares(moment) or (value and record.has(value))]
    return _only([record for record in alike if not record.contradicts(moment)], value)


def recorded_as(episode: Episode) -> str | None:
    """Id of the episode that records the decision of which an episode tells the outcome; None for any other episode."""
    payload = episode.payload if episode.kind == OUTCOME and isinstance(episode.payload, Mapping) else {}
    found = payload.get(RECORDED_AS)
    return found if isinstance(found, str) else None


def _only(found: Sequence[DecisionRecord], value: float) -> DecisionRecord | None:
    """The only one of some records, or the only one among them that measures an outcome."""
    if len(found) > 1:
        found = [record for record in found if record.has(value)]
    return found[0] if len(found) == 1 else None
