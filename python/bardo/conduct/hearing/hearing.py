"""Hears what an utterance is: a rejection, decision, task, discovery, learning, rule, or none of them.

A multinomial logistic regression over words, cues (`hearing.toml`) and the vector of the utterance (`hearing.json`),
fitted by `benches/python/conduct/fit_hearing.py` on labelled utterances. A kind is heard only if its log odds pass a
limit, set by cross-validation for few wrong ones. Without vectors of the fitted model, words and cues decide.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal, cast

import numpy as np

from bardo._patterns import lazy_pattern
from bardo._weights import read_weights
from bardo.conduct.hearing.announcements import is_announcement
from bardo.conduct.hearing.answers import is_mere_no, is_redirection, is_refusal, proposal
from bardo.conduct.hearing.antecedents import pointing_verb, resolve
from bardo.conduct.hearing.approvals import approval_of
from bardo.conduct.hearing.completion import is_deed_done
from bardo.conduct.hearing.considered import turned_down
from bardo.conduct.hearing.idle_words import is_apology, is_guess, is_options, points_only
from bardo.conduct.hearing.listed import listed_orders, sentences_of
from bardo.conduct.hearing.news import is_news, is_of_life, is_provisional
from bardo.conduct.hearing.remarks import is_exemption, is_remark, is_unreal
from bardo.conduct.hearing.reports import (
    is_adoption,
    is_change,
    is_choice,
    is_correction,
    is_courtesy,
    is_deed,
    is_forbearance,
    is_habit,
    is_holding,
    is_promise,
    is_state,
)
from bardo.conduct.parse import wording
from bardo.conduct.parse.operation_table import content_stems
from bardo.conduct.state.prohibition import is_prohibition, is_small_talk
from bardo.model import Fingerprint
from bardo.ports import Vectors

#: Kind of what is heard.
Kind = Literal["rejection", "decision", "task", "discovery", "learning", "rule"]
#: Kinds that may forbid.
FORBIDDING: tuple[Kind, ...] = ("rejection", "rule")
KINDS: tuple[str, ...] = ("none", "rejection", "decision", "task", "discovery", "learning", "rule")

#: Log odds under the limit of a kind, down to which an utterance is undecided: a language model may decide.
UNDECIDED = 2.0
#: Maximum characters of a message that is heard; longer ones are documents.
CHARACTERS = 1_200
#: Maximum words of a message that is heard as a whole; of longer ones each sentence is heard by itself.
WHOLE_WORDS = 30
#: Number of words that count as 1 in the features.
_WORDS_SCALE = 30
#: Weight of a cue beside that of a word.
_CUE = 2.0
#: Maximum number of words of an answer that says nothing without the proposal before it ("no", "I don't want that").
_BARE_WORDS = 6
_WORD = lazy_pattern(r"[a-z']+|\d+|[?!:]")
_PROPOSAL = lazy_pattern(
    r"^(?:i could|i can|i'd|i would|i'll|shall i|should i|do you want|want me|we could|how about|my suggestion|"
    r"another option|would you like|cheapest|either|option|.*\bor\b.*\?)",
    re.IGNORECASE,
)
#: Wish for a thing or an experience, which is no decision: of an indefinite thing, or of a time to come.
_WISH = lazy_pattern(
    r"\bi(?:'d| would)? (?:\w+ly |just |also |so )?(?:like|love|want|wish)(?: for)? "
    r"(?:(?:a|an|some|more|another|new) |to (?:learn|visit|see|travel|try|have|get|own|be|become|live)\b|"
    r".*\b(?:someday|some day|one day|eventually|sometime)\b)",
    re.IGNORECASE,
)
#: Plain form that ends an act or a thing: all 17 utterances of users that have it, of 4,000, are rejections.
_ENDS = lazy_pattern(
    rf"(?:please )?(?:{wording.WANTED})?(?:(?:stop|quit) [\w-]+ing\b|no more \w)", re.IGNORECASE
)
#: Thing that is to be left out.
_OMITTED = lazy_pattern(
    r"(?:(?:please|just|let's|you can|we can)[\s,]+)*(?:skip|omit|leave out) (?:(?:the|our|my|any|an?) )?"
    r"(?P<thing>(?!(?:it|that|this|them|these|those)\b)\w[^.!?]*)[\s.!]*$",
    re.IGNORECASE,
)
#: Thing that shall not be more or new, before its reason: "no new dependencies, zoneinfo does it".
_REASONED = lazy_pattern(
    r"(?P<ended>(?:please,? )?no (?:more|new) [^,;:.!?]{3,80}?)(?:\s*[,;:]\s+|\s+[-–—]+\s+)"
    r"(?!(?:and|or|nor|no|not|but|please)\b)\w",
    re.IGNORECASE,
)
#: Mark of a task before a statement: "Reminder: ...", "TODO: ...".
_MARKED = lazy_pattern(
    r"\W*(?:(?:(?:just )?an? |please |another )?(?:[a-z]+ )?reminder(?:\s*[:–—-]\s*| (?:that|to) )|to-?do\s*:\s*)"
    r"(?=\w)",
    re.IGNORECASE,
)
#: Words by which an agent refers to what was said, and words that only acknowledge it.
_REFERRING = lazy_pattern(r"\b(?:it|that|this|them|those|these)\b", re.IGNORECASE)
_ACKNOWLEDGING = (
    "noted", "understood", "agreed", "got", "sure", "done", "right", "fine", "good", "okay", "promise",
)  # fmt: skip
#: First person, without which an agent's words to a user are advice: "that is for your doctor".
_FIRST_PERSON = lazy_pattern(
    r"\b(?:i|i'm|i'll|i'd|i've|me|my|we|we're|we'll|we've|us|our|let's)\b", re.IGNORECASE
)
_SECOND_PERSON = lazy_pattern(r"\b(?:you|your|yours|yourself|you're|you'll|you've)\b", re.IGNORECASE)
#: Words by which an agent says that it will, to any request.
_CONSENTING = frozenset(
    {"will", "do", "sure", "ok", "okay", "yes", "of", "course", "with", "pleasure", "it", "that"}
)
#: Question that asks for leave or for the way to act, so that its answer may be a rule.
_ASKS_LEAVE = lazy_pattern(
    r"\b(?:should|shall|may|can|could|must|allowed|want|prefer|okay|ok)\b", re.IGNORECASE
)
#: Beginning of an answer without a verb.
_FRAGMENT = lazy_pattern(
    r"(?:only|just|mostly|usually|normally|often|not|on|at|in|to|from|for|with|by)\b", re.IGNORECASE
)
#: Word of another way.
_INSTEAD = lazy_pattern(r"\binstead\b", re.IGNORECASE)
#: Mark of an item of a list before an utterance.
_ITEM = lazy_pattern(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
#: Report of when something takes place, which is no rule: "choir is every Monday at eight".
_SCHEDULE = lazy_pattern(
    r"^(?:[\w'-]+ ){1,5}?(?:is|are|meets?|takes? place|happens?|starts?|begins?) (?:on )?(?:every|each) "
    r"(?:(?:other|second|third|first|last) )?"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|day|week|weekday|weekend|month|year|morning|evening|night)\b"
    r"(?: (?:at|from|in|on|around|until)\b[\w :.']*)?[.!]?$",
    re.IGNORECASE,
)
#: Words by which a sentence rules, even if it tells a time.
_OBLIGES = lazy_pattern(
    r"\b(?:must|may|should|shall|ha(?:s|ve) to|needs?|never|always|only|no|not|nobody|forbidden|allowed)\b|n't\b",
    re.IGNORECASE,
)
#: Words that name nothing by themselves.
_EMPTY = frozenset({
    "no", "nope", "nah", "not", "never", "don't", "do", "want", "that", "this", "it", "please", "thanks", "thank",
    "you", "i", "we", "let's", "let", "us", "the", "one", "way", "other", "go", "with", "absolutely", "forget", "about",
    "rather", "would", "i'd", "prefer", "sounds", "right", "better", "is", "yes", "yep", "ok", "okay", "a", "an", "to",
    "of", "try", "take", "use", "option", "instead", "then", "alternative", "first", "second", "former", "latter", "b",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words that were said.

    Args:
        text: The words.
        before: The words of the other party just before; empty if there are none.
        by_agent: Whether the agent said it.
        reason: Words after the text that only give its reason.
        is_listed: Whether it is an order by its place in a list of orders: "two rules: never X, no Y".
    """

    text: str
    before: str = ""
    by_agent: bool = False
    reason: str = ""
    is_listed: bool = False

    @property
    def summary(self) -> str:
        """Subject in a sentence: an answer that names nothing takes the words before it."""
        if self.before and self.is_bare and not self.is_listed:
            return f"{self.before.strip()} ({self.text.strip()})"
        return f"{self.text}{self.reason}".strip()

    @property
    def is_bare(self) -> bool:
        """Whether its words name nothing by themselves: "let's try the other way"."""
        words = [word for word in _words(self.text) if word[0].isalpha()]
        return len(words) <= _BARE_WORDS and all(word in _EMPTY for word in words)

    @property
    def is_refusal(self) -> bool:
        """Whether a user refuses without naming what: "Hmm, please don't do that"."""
        return not self.by_agent and is_refusal(self.text)

    @property
    def is_prohibition(self) -> bool:
        """Whether a user forbids something in a plain form: "please don't X"."""
        return self.is_listed or (not self.by_agent and is_prohibition(_MARKED.sub("", self.text)))

    @property
    def pointing_verb(self) -> str:
        """Verb of a user's prohibition whose only object is "it" or "them"; empty if it is none."""
        return "" if self.by_agent else pointing_verb(self.text)

    @property
    def is_choice(self) -> bool:
        """Whether a user tells in a plain form what was chosen: "we moved to Typst after all", "we use Typst now"."""
        return not self.by_agent and (is_choice(self.text) or is_adoption(self.text))

    @property
    def unwanted(self) -> str:
        """Rejection of a thing that a user asks to leave out, such as "No linter" for "skip the linter"; or empty."""
        found = None if self.by_agent else _OMITTED.match(wording.without_interjection(self.text))
        return f"No {found['thing'].strip()}" if found is not None else ""

    @property
    def is_wish(self) -> bool:
        """Whether it wishes for something that the words before it did not offer."""
        text = self.text.replace("’", "'")
        wish = _WISH.search(text)
        return wish is not None and not content_stems(_words(self.before)) & content_stems(
            _words(text[wish.end() :])
        )

    @property
    def is_end(self) -> bool:
        """Whether a user ends an act or a thing in plain words: "stop adding", "no more pop-ups"."""
        return not self.by_agent and _ENDS.match(wording.without_interjection(self.text)) is not None

    @property
    def is_echo(self) -> bool:
        """Whether the agent repeats what the user said, or only refers to it: "Noted, date-fns it is"."""
        if not self.by_agent or not self.before:
            return False
        own = content_stems(_words(self.text)) - content_stems((*_words(self.before), *_ACKNOWLEDGING))
        refers = _REFERRING.search(self.text) is not None
        # "I will take Postgres" chooses between the ways of a question.
        return (not own and (refers or "?" not in self.before)) or (len(own) == 1 and refers)

    @property
    def is_consent(self) -> bool:
        """Whether the agent only says that it will."""
        words = [word for word in _words(self.text) if word[0].isalpha()]
        return self.by_agent and _CONSENTING.issuperset(words)

    @property
    def is_promise(self) -> bool:
        """Whether the agent only promises to do as it was told: "Understood. I will keep out of that window"."""
        return self.by_agent and is_promise(self.text)

    @property
    def is_reminder(self) -> bool:
        """Whether a user marks a statement as a task: "Reminder: the freeze starts on Friday", "TODO: tests"."""
        return not self.by_agent and _MARKED.match(self.text) is not None and "?" not in self.text

    @property
    def is_advice(self) -> bool:
        """Whether the agent tells a user who asked what to do, and nothing of itself."""
        text = self.text.replace("’", "'")
        is_answer = self.by_agent and "?" in self.before
        return is_answer and bool(_SECOND_PERSON.search(text)) and not _FIRST_PERSON.search(text)

    @property
    def is_report(self) -> bool:
        """Whether a user answers a question about facts: "Does the dog come?", "Only to the park"."""
        asked = self.before.rstrip()
        is_of_facts = asked.endswith("?") and not _PROPOSAL.search(asked) and not _ASKS_LEAVE.search(asked)
        return not self.by_agent and is_of_facts and _FRAGMENT.match(self.text) is not None

    @property
    def is_schedule(self) -> bool:
        """Whether it only reports when something takes place."""
        text = self.text.strip().replace("’", "'")
        return bool(_SCHEDULE.search(text)) and not _OBLIGES.search(text)

    def features(self) -> dict[str, float]:
        """Features of the regression by their names."""
        words = _words(self.text)
        found = {f"w {word}": 1.0 for word in words}
        found |= {f"b {one} {other}": 1.0 for one, other in pairwise(words)}
        if words:
            found[f"first {words[0]}"] = 1.0
        if len(words) > 1:
            found[f"begin {words[0]} {words[1]}"] = 1.0
        is_question = self.text.rstrip().endswith("?")
        is_answer = bool(self.before)
        form = {
            "agent": self.by_agent,
            "answer": is_answer,
            "proposal": bool(_PROPOSAL.search(self.before)),
            "asked": "?" in self.before,
            "question": is_question,
        }
        found |= {name: 1.0 for name, holds in form.items() if holds}
        found["words"] = min(len(words), _WORDS_SCALE) / _WORDS_SCALE
        text = self.text.replace("’", "'")
        for cue, pattern in _cues().items():
            if pattern.search(text):
                found[f"cue {cue}"] = _CUE
                found[f"cue {cue}, {'question' if is_question else 'statement'}"] = 1.0
                if is_answer:
                    found[f"cue {cue}, answer"] = 1.0
        return found


@dataclass(frozen=True, slots=True)
class Heard:
    """Kind and subject that were heard in an utterance.

    Args:
        kind: Its kind.
        summary: What it is about.
        margin: Log odds over the next likely kind, less the limit of the kind; below 0 if it is undecided.
        detail: Words that refuse what the summary names; empty if the summary has them.
    """

    kind: Kind
    summary: str
    margin: float
    detail: str = ""


def utterances(text: str, before: str = "", *, by_agent: bool = False) -> list[Utterance]:
    """Splits a message into utterances: its sentences, or the whole if it is short; none of a document.

    Args:
        text: Message.
        before: Words of the other party just before; empty if there are none.
        by_agent: Whether the agent said it.
    """
    if not text.strip() or len(text) > CHARACTERS:
        return []
    if not by_agent:
        text = resolve(text)
        unmarked = _MARKED.sub("", text)
        text = unmarked if is_prohibition(unmarked) else text
    listed = [(part, False) for part in sentences_of(text)] if by_agent else listed_orders(text)
    parts = [part for part, _ in listed]
    # A sentence beside a prohibition or a refusal must not hide it.
    is_apart = not by_agent and any(
        is_order or is_prohibition(part) or is_refusal(part) or approval_of(part) for part, is_order in listed
    )
    # "No. Drop the view instead." refuses the plan, and names the other way.
    is_redirected = len(parts) == 2 and is_redirection(text) and _INSTEAD.search(parts[1]) is not None
    is_whole = not is_apart or len(parts) < 2 or is_refusal(text) or is_redirected
    if len(text.split()) <= WHOLE_WORDS and is_whole:
        text = _ITEM.sub("", text).strip()
        found = None if by_agent else _REASONED.match(text)
        ended = text if found is None else found["ended"]
        return [Utterance(ended, before, by_agent, text[len(ended) :])]
    return [
        Utterance(_ITEM.sub("", part), "" if place else before, by_agent, is_listed=is_order)
        for place, (part, is_order) in enumerate(listed)
    ]


def sure(readings: Sequence[Heard | None]) -> list[Heard | None]:
    """Returns readings without the undecided ones, which become None."""
    return [one if one is not None and one.margin >= 0 else None for one in readings]


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
    if _is_other(KINDS[place], utterance):
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


def _in_plain_form(utterance: Utterance) -> Heard | None:
    """Returns the rejection, rule or task of an utterance whose form alone tells it; None for other forms."""
    if not utterance.by_agent and (thing := turned_down(utterance.text)):
        return Heard("rejection", thing, 0.0, utterance.text.strip())
    if not utterance.by_agent and approval_of(utterance.text):
        return Heard("rule", utterance.summary, 0.0)
    return Heard("task", utterance.summary, 0.0) if utterance.is_reminder else None


def _is_other(kind: str, utterance: Utterance) -> bool:
    """Whether the form of an utterance excludes the likeliest kind of the regression."""
    text = utterance.text
    is_supposed = is_unreal(text)
    is_idle = is_supposed or (
        not utterance.by_agent and (is_courtesy(text) or is_small_talk(text) or is_remark(text))
    )
    is_done = not utterance.by_agent and (is_deed(text) or is_change(text))
    is_act = utterance.by_agent and is_announcement(text)
    is_open = utterance.by_agent and (is_apology(text) or is_options(text))
    return {
        "decision": utterance.is_wish
        or is_open
        or utterance.is_echo
        or utterance.is_advice
        or is_done
        or is_supposed
        or (not utterance.by_agent and is_provisional(text)),
        "rejection": utterance.is_echo
        or utterance.is_advice
        or is_idle
        or is_open
        or is_correction(text)
        or (not utterance.by_agent and (is_of_life(text) or is_holding(text))),
        "task": utterance.is_consent
        or is_open
        or points_only(text)
        or (utterance.by_agent and is_guess(text))
        or (utterance.by_agent and is_forbearance(text))
        or is_deed_done(text)
        or is_state(text)
        or is_habit(text)
        or is_exemption(text)
        or (not utterance.by_agent and is_news(text))
        or bool(utterance.unwanted),
        "rule": utterance.is_schedule
        or utterance.is_advice
        or utterance.is_report
        or is_idle
        or is_act
        or (not utterance.by_agent and is_holding(text)),
    }.get(kind, False)


def _refused(utterance: Utterance, verb: str = "") -> Heard | None:
    """Returns the rejection of the act that was proposed just before an answer, with a verb; None if none was."""
    refused = proposal(utterance.before)
    if verb and not content_stems([verb]) <= content_stems(_words(refused)):
        return None
    return Heard("rejection", refused, 0.0, utterance.text.strip()) if refused else None


def _words(text: str) -> list[str]:
    """Words in lower case and marks; figures are one word."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    return ["#" if word.isdigit() else word for word in words]


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    """The cues by name."""
    text = resources.files("bardo.conduct.hearing").joinpath("hearing.toml").read_text(encoding="utf-8")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in tomllib.loads(text)["cues"].items()}
