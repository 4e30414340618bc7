"""Hears what an utterance is: a rejection, decision, task, discovery, learning, rule, or none of them.

A multinomial logistic regression over words, cues (`hearing.toml`) and the vector of the utterance (`hearing.json`),
fitted by `benches/python/conduct/fit_hearing.py` on labelled utterances. A kind is heard only if its log odds pass a
limit, set by cross-validation for few wrong ones. Without vectors of the fitted model, words and cues decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from bardo._weights import read_weights
from bardo.conduct.hearing.changes.completion import is_deed_done
from bardo.conduct.hearing.changes.limit_changes import changes_limit
from bardo.conduct.hearing.lifts.permissions import permissions
from bardo.conduct.hearing.orders.answers import is_mere_no, is_redirection, proposal
from bardo.conduct.hearing.orders.approvals import approval_of
from bardo.conduct.hearing.orders.considered import turned_down
from bardo.conduct.hearing.talk.announcements import is_announcement
from bardo.conduct.hearing.talk.idle_words import is_apology, is_guess, is_options, points_only
from bardo.conduct.hearing.talk.news import is_news, is_of_life, is_provisional
from bardo.conduct.hearing.talk.plain_statements import (
    is_assent,
    is_conditional,
    is_event,
    is_possible,
    is_receipt,
    is_recurring,
    is_value,
    promises_it,
)
from bardo.conduct.hearing.talk.remarks import is_exemption, is_remark, is_tip, is_unreal
from bardo.conduct.hearing.talk.reports import (
    is_change,
    is_correction,
    is_courtesy,
    is_deed,
    is_forbearance,
    is_habit,
    is_holding,
    is_state,
)
from bardo.conduct.hearing.utterance import Utterance, words_of
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.state.prohibition import is_small_talk
from bardo.model import Fingerprint
from bardo.ports import Vectors

#: Kind of what is heard.
Kind = Literal["rejection", "decision", "task", "discovery", "learning", "rule"]
#: Kinds that may forbid.
FORBIDDING: tuple[Kind, ...] = ("rejection", "rule")
KINDS: tuple[str, ...] = ("none", "rejection", "decision", "task", "discovery", "learning", "rule")

#: Log odds under the limit of a kind, down to which an utterance is undecided: a language model may decide.
UNDECIDED = 2.0


@dataclass(frozen=True, slots=True)
class Heard:
    """Kind and subject that were heard in an utterance.

    Args:
        kind: Its kind.
        summary: What it is about.
        margin: Log odds over the next likely kind, less the limit of the kind: below 0 if open, 0 if its form tells.
        detail: Words that refuse what the summary names; empty if the summary has them.
        forbids: What a rejection forbids, as JSON (`Forbids`); empty if its summary tells it.
        is_read: Whether a cross-encoder read an order in other words, which a language model may correct.
        is_ordered: Whether it is an order by its place, which does not fade: under a heading, after "house rule".
    """

    kind: Kind
    summary: str
    margin: float
    detail: str = ""
    forbids: str = ""
    is_read: bool = False
    is_ordered: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether it counts without a language model."""
        return self.margin >= 0

    @property
    def is_of_form(self) -> bool:
        """Whether the form of the utterance tells it, and no model."""
        return self.margin == 0 and not self.is_read


def sure(readings: Sequence[Heard | None]) -> list[Heard | None]:
    """Returns readings without the undecided ones, which become None."""
    return [one if one is not None and one.is_sure else None for one in readings]


def read(
    utterances: Sequence[Utterance], vectors: Vectors | None, fingerprint: Fingerprint | None
) -> list[Heard | None]:
    """Reads the likeliest kind of utterances, with a negative margin for undecided ones; None for one of no kind.

    Args:
        utterances: What was said.
        vectors: Vectors of the texts, shape (len(utterances), dims); None without an embedder.
        fingerprint: Model of the vectors.
    """
    if not utterances:
        return []
    weights = read_weights("bardo.conduct.hearing", "hearing.json")
    is_fitted = fingerprint is not None and fingerprint.model == weights["model"] and vectors is not None
    table = weights["both" if is_fitted else "words"]
    scores = np.tile(np.asarray(table["bias"]), (len(utterances), 1))
    for row, utterance in enumerate(utterances):
        for name, value in utterance.features().items():
            if (weight := table["features"].get(name)) is not None:
                scores[row] += value * np.asarray(weight)
    if is_fitted:
        scores += np.asarray(vectors, dtype=np.float64) @ np.asarray(table["vector"])
    limits = np.asarray(table["limits"])
    return [_read_one(one, row_scores, limits) for one, row_scores in zip(utterances, scores, strict=True)]


def _read_one(utterance: Utterance, scores: Vectors, limits: Vectors) -> Heard | None:  # noqa: PLR0911 - one return per form
    """Reads an utterance: by its form if that is plain, else by the log odds of the regression.

    Args:
        utterance: What was said.
        scores: Log odds of the kinds, shape (len(KINDS),).
        limits: Limits of the kinds, shape (len(KINDS),).
    """
    if (plain := _of_its_own(utterance)) is not None:
        return plain
    if utterance.is_refusal:
        # By itself it says nothing, so the regression is not asked.
        return _refused(utterance)
    if (utterance.is_bare and not utterance.before) or utterance.is_promise:
        return None
    place = 1 + int(np.argmax(scores[1:]))
    if (verb := utterance.pointing_verb) and (utterance.is_prohibition or KINDS[place] == "rejection"):
        # The thing that the pronoun stands for is unclear, unless the act was proposed just before.
        return _refused(utterance, verb)
    places = [KINDS.index(kind) for kind in FORBIDDING]
    if utterance.is_prohibition or utterance.is_choice:
        place = max(places, key=lambda one: float(scores[one]))
        # A rule in these words alone would fade.
        is_end = utterance.is_listed or (utterance.is_end and utterance.is_prohibition)
        forbids = "rejection" if is_end else cast(Kind, KINDS[place])
        kind: Kind = forbids if utterance.is_prohibition else "decision"
        return Heard(kind, utterance.summary, 0.0)
    if (plain := _in_plain_form(utterance)) is not None:
        return plain
    if is_other(KINDS[place], utterance):
        return None
    if KINDS[place] == "rejection" and not utterance.by_agent and is_redirection(utterance.text):
        # Its own words say what is wanted: "No, use Postgres" refuses the proposal.
        refused = _refused(utterance)
        if refused is not None or is_mere_no(utterance.text):
            return refused
    margin = float(scores[place] - np.max(np.delete(scores, place)) - limits[place])
    if utterance.is_end and KINDS[place] in FORBIDDING:
        # An end is a rejection, also if it could be a rule: these two do not compete, and no limit is needed.
        place = KINDS.index("rejection")
        margin = float(np.max(scores[places]) - np.max(np.delete(scores, places)))
    if margin < -UNDECIDED:
        return None
    if KINDS[place] == "rejection" and (unwanted := utterance.unwanted):
        return Heard("rejection", unwanted, margin, utterance.text.strip())
    return Heard(cast(Kind, KINDS[place]), utterance.summary, margin)


def _of_its_own(utterance: Utterance) -> Heard | None:
    """Returns the rejection or rule of an utterance that was split from its message as one; None for others."""
    if (refused := utterance.refused) is not None:
        return Heard("rejection", refused.words, 0.0, utterance.text.strip(), forbids=refused.forbids)
    if (order := utterance.order) is not None:
        return Heard("rejection", order.plain, 0.0, order.text * (order.text != order.plain), order.data)
    return Heard("rule", utterance.summary, 0.0, is_ordered=True) if utterance.is_ruled else None


def _in_plain_form(utterance: Utterance) -> Heard | None:
    """Returns the rejection, rule or task of an utterance whose form alone tells it; None for other forms."""
    if not utterance.by_agent and (thing := turned_down(utterance.text)):
        return Heard("rejection", thing, 0.0, utterance.text.strip())
    if not utterance.by_agent and approval_of(utterance.text):
        return Heard("rule", utterance.summary, 0.0)
    return Heard("task", utterance.summary, 0.0) if utterance.is_reminder else None


def is_other(kind: str, utterance: Utterance) -> bool:
    """Whether the form of an utterance excludes a kind.

    Args:
        kind: Kind.
        utterance: What was said.
    """
    match kind:
        case "decision":
            return _is_no_decision(utterance, utterance.text)
        case "rejection":
            return _is_no_rejection(utterance, utterance.text)
        case "task":
            return _is_no_task(utterance, utterance.text)
        case "rule":
            return _is_no_rule(utterance, utterance.text)
    return False


def _is_no_decision(utterance: Utterance, text: str) -> bool:
    by_user = not utterance.by_agent
    return (
        utterance.is_wish
        or _is_open(utterance, text)
        or utterance.is_echo
        or utterance.is_advice
        or (by_user and (is_deed(text) or is_change(text)))
        or is_unreal(text)
        or is_possible(text)
        or (by_user and (is_provisional(text) or is_tip(text) or is_receipt(text)))
    )


def _is_no_rejection(utterance: Utterance, text: str) -> bool:
    return (
        utterance.is_echo
        or utterance.is_advice
        or _is_idle(utterance, text)
        or _is_open(utterance, text)
        or is_correction(text)
        or changes_limit(text)
        or any(each.is_strict and each.again for each in permissions(text))
        or (not utterance.by_agent and (is_of_life(text) or is_holding(text) or _is_plain(text)))
    )


def _is_plain(text: str) -> bool:
    """Whether words of a user only tell something, or take note of it."""
    return any(tells(text) for tells in (is_value, is_event, is_conditional, is_receipt, is_assent))


def _is_no_task(utterance: Utterance, text: str) -> bool:
    return (
        utterance.is_consent
        or _is_open(utterance, text)
        or points_only(text)
        or (utterance.by_agent and (is_guess(text) or is_forbearance(text)))
        or is_deed_done(text)
        or is_state(text)
        or is_habit(text)
        or is_recurring(text)
        or promises_it(text)
        or is_exemption(text)
        or (not utterance.by_agent and is_news(text))
        or bool(utterance.unwanted)
    )


def _is_no_rule(utterance: Utterance, text: str) -> bool:
    return (
        utterance.is_schedule
        or utterance.is_advice
        or utterance.is_report
        or _is_idle(utterance, text)
        or (utterance.by_agent and is_announcement(text))
        or utterance.is_acknowledgement
        or (not utterance.by_agent and is_holding(text))
    )


def _is_idle(utterance: Utterance, text: str) -> bool:
    """Whether an utterance only supposes, or is small talk or a remark of a user."""
    is_talk = not utterance.by_agent and (is_courtesy(text) or is_small_talk(text) or is_remark(text))
    return is_unreal(text) or is_talk


def _is_open(utterance: Utterance, text: str) -> bool:
    """Whether an agent only apologises or lists ways."""
    return utterance.by_agent and (is_apology(text) or is_options(text))


def _refused(utterance: Utterance, verb: str = "") -> Heard | None:
    """Returns the rejection of the act that was proposed just before an answer, with a verb; None if none was."""
    refused = proposal(utterance.before)
    if verb and not content_stems([verb]) <= content_stems(words_of(refused)):
        return None
    return Heard("rejection", refused, 0.0, utterance.text.strip()) if refused else None
