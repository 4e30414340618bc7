"""Learned comparison of an action with the text of a rejection or rule, beside the table of operations.

Four logistic regressions (`comparison.json`) join what the table reads, conditions, words and the cosine. One tells
whether the action is about the same thing. The second tells whether it is the same action, and not only near it, and
decides on blocks. The third tells the same action from all others, and must agree to a warning. The fourth also has
the odds of a cross-encoder that reads both texts: it decides on blocks where the second finds another action. They are
fitted on labelled pairs by `benches/python/conduct/fit_recognition.py`, with limits chosen by cross-validation for few
false blocks, and on whole stores for few false warnings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo._weights import read_weights
from bardo.conduct.match import (
    allowed_cases,
    circumstances,
    departures,
    left_open,
    operation_match,
    own_words,
    recognition,
    stated,
    subcommands,
)
from bardo.conduct.match.matching import SAME_SHARE, Learned, Reading, Relation, Touch, near_at
from bardo.conduct.match.things import is_destination
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import operation_table, operations
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.rejections.forbidden import ANY, ENDING, names_other_product
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.rejections.wording import is_same_act

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder
    from bardo.ports import Embedder

#: Words that tell what an action does to the thing, apart from the thing.
_CUES = {
    "asks": r"\b(?:ask|check with|wait for|confirm with|propos\w*|suggest\w*|permission|approval|sign-?off|your ok|"
    r"go-?ahead)\b",
    "tells": r"\b(?:draft|note|write down|document\w*|remind\w*|explain\w*|summar\w*|list|show|look|read|review|check|"
    r"count|compare|report|find out|research)\b",
    "ends": r"\b(?:cancel\w*|remov\w*|delet\w*|undo|revert\w*|disabl\w*|turn\w* off|switch\w* off|stop\w*|uninstall\w*|"
    r"unsubscrib\w*|block\w*|replac\w*|drop\w*|revok\w*|reduc\w*|lower\w*|declin\w*|reject\w*|clos\w*|sell\w*|repay\w*|off)\b",
    "contrasts": r"\b(?:instead|rather than|without|not|no|never|don't|won't|only|leav\w*|keep\w*|stay\w*)\b",
    "tries": r"--(?:dry-run|check|diff|help|plan|list)(?![-\w])",
    "elsewhere": r"\b(?:staging|test\w*|sandbox|demo|paper|local\w*|dev|draft|preview)\b",
    "timed": r"\b(?:until|before|after|once|if|when|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    "asked": r"\?",
}
#: Features of an action that is rather near than the same; cues that are none if the forbidding text has them, too.
_HINTS = frozenset({"reads", "negated", "asks first", "cue contrasts", "cue tries", "cue asked"})
_UNLIKE = ("asks", "tells", "ends", "elsewhere")
_PATTERNS = {name: lazy_pattern(pattern, re.IGNORECASE) for name, pattern in _CUES.items()}
#: Number of rejections and rules above which the limit of warnings grows no more.
_COUNTED = 1_000
#: Further growth of the limit per logarithm of their number, for code that the table does not relate to a text: cosines
#: of commands and calls say less than those of sentences. Chosen on the pairs of `gates-train.jsonl`.
_VAGUE_GROWTH = {"command": 0.6, "tool": 0.3}
#: Log odds of a text that forbids the action itself, and how much less than the highest still warns. Chosen on the
#: pairs of `gates-dev.jsonl` and `gates-own.jsonl`.
_CLEAR, _MARGIN = 6.0, 1.0
#: Growth with the logarithm of the number of texts, of the log odds over their limit at which an action is blocked by
#: its meaning alone: 1.5 at 50 texts, which no action that violates nothing has in `stores-dev.json`.
_CLEARLY = 0.38
#: Maximum number of content words of a brief text. Of such a text and a brief sentence cosines are high for no reason:
#: maximum number of the words of the sentence, and how much less it says, without a common word, and with a common
#: operation alone ("sell the piano", "sell raffle tickets"). With these no warning of an action
#: that is the same is lost on the pairs of `gates-train.jsonl` and `gates-extra.jsonl`.
_BRIEF = 2
_WITHOUT_WORD, _BARE_OPERATION = (3, 2.5), (4, 4.0)
#: Growth of the limit of the cross-encoder's regression with the logarithm of the number of texts. In whole stores it
#: tells violations from other actions hardly better than chance (AUC .46 to .64).
_READ_GROWTH = 0.6
#: Bound of the log odds of the cross-encoder.
_SUREST = 6.0
#: Number of common words that counts as many, and number of cached actions.
_MANY, _ACTIONS = 4, 16
_WORD = lazy_pattern(r"--?[a-z][a-z-]*|[a-z']+|\d+|[?#=:]")


@dataclass(frozen=True, slots=True)
class Pair:
    """Action and rejection or rule with everything that words and table tell about them.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        touch: Match by words, cosine and table; the cosine is of the model that the regressions were fitted with.
        found: Relation by what is forbidden.
        by_operation: Relation by the operation.
        count: Number of rejections and rules with which the action is compared.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """

    rejection: ParsedRejection
    action: ParsedAction
    touch: Touch
    found: Relation
    by_operation: Relation
    count: int
    now: int
    approved: bool

    @property
    def is_hinted(self) -> bool:
        """Whether a word of the action hints that it is only near: it asks, reads, ends something, or negates."""
        told = _HINTS.intersection(_of_action(self.action))
        own = {
            name
            for name in told
            if name.startswith("cue ") and _PATTERNS[name[4:]].search(self.rejection.text)
        }
        if not recognition.reads_only(self.rejection.forbids.verbs, self.action):
            own.add("reads")
        if "asks first" in told and conditions.asks(self.rejection.text):
            own.add("asks first")
        if "negated" in told and not recognition.is_negated(self.rejection.forbids, self.action):
            own.add("negated")
        return bool(told - own) or bool(self._hints())

    def _hints(self) -> list[str]:
        """Returns the cues of the action that the forbidding text has not."""
        told = _of_action(self.action)
        # Where it is forbidden to disclose a thing, to read it out is to do so.
        unlike = set(_UNLIKE) - (
            {"tells"} if recognition.discloses(self.rejection.forbids.verbs, self.action) else set()
        )
        cues = [name for name in _UNLIKE if name in unlike and f"cue {name}" in told]
        found = [name for name in cues if not self._has_cue(name)]
        if self.action.removes and "ends" not in found and not _PATTERNS["ends"].search(self.rejection.text):
            found.append("ends")
        # "Restart the database" ends what the rejection names, and is what it forbids.
        done = {wide for name in self.action.operations for wide in operations.closure(name)}
        forbidden = self.rejection.operations | set(self.rejection.forbids.verbs)
        is_named = (
            done & forbidden if self.action.form == "prose" else self.action.operations & (forbidden - ANY)
        )
        is_ending = bool(is_named) or not ENDING.isdisjoint(self.rejection.forbids.verbs)
        is_ending |= any(is_destination(thing, self.action) for thing in self.rejection.forbids.things)
        return [name for name in found if name != "ends" or not is_ending]

    def _has_cue(self, name: str) -> bool:
        """Whether the forbidding text has a cue, or a word of it as the action has it: the "note" of "sick notes"."""
        said = operation_table.canonical_stems(map(str.lower, _PATTERNS[name].findall(self.action.text)))
        return bool(said & self.rejection.words) or _PATTERNS[name].search(self.rejection.text) is not None

    @property
    def is_vague(self) -> bool:
        """Whether at most a word and the meaning relate the action to the text, and no operation or pattern."""
        by_word = self.by_operation.reading is Reading.TOUCHES and self.action.verbs.isdisjoint(
            self.rejection.operations
        )
        return self.found.reading is Reading.UNKNOWN and (
            by_word or self.by_operation.reading is Reading.UNKNOWN
        )

    @property
    def excess(self) -> float:
        """Returns the log odds of being about the same thing that only come from the brevity of text and action."""
        if self.is_vague and own_words.are_all(self.rejection.words & self.action.stems, self.action):
            return math.inf
        text = self.rejection.words - operation_table.framing_stems()
        if self.action.form != "prose" or len(text) > _BRIEF or not self.is_vague:
            return 0.0
        is_bare = self.by_operation.reading is Reading.UNKNOWN and not self.action.verbs.isdisjoint(
            self.rejection.operations
        )
        if self.touch.words and not is_bare:
            return 0.0
        most, excess = _BARE_OPERATION if self.touch.words else _WITHOUT_WORD
        return excess if len(self.action.stems) <= most else 0.0

    @property
    def stands(self) -> bool:
        """Whether table or words read the action as the same, and no word hints at less."""
        return self.touch.same and not self.is_hinted

    @property
    def is_sure(self) -> bool:
        """Whether the action is the same by its letters, or with most of the words of the text."""
        return self.touch.sure or (self.stands and (self.touch.whole or self.touch.share >= SAME_SHARE))

    def near_features(self) -> dict[str, float]:
        """Returns the features of being about the same thing, by their names."""
        form, touch = self.action.form, self.touch
        cosine = touch.cosine or 0.0
        joined = self.touch.reading
        holding = circumstances.holding(
            self.rejection.forbids, self.action, now=self.now, approved=self.approved
        )
        known = [
            holds
            for condition, holds in zip(self.rejection.forbids.conditions, holding, strict=True)
            if conditions.is_known(condition)
        ]
        found: dict[str, float] = {
            f"forbidden {self.found.reading}": 1,
            f"operation {self.by_operation.reading}": 1,
            f"table {joined}": 1,
            f"table {joined}, {form}": 1,
            f"table {joined}, {'hinted' if self.is_hinted else 'plain'}": 1,
            "cosine": 3 * cosine,
            f"cosine, {form}": 3 * cosine,
            "cosine squared": 6 * cosine * cosine,
            "share": touch.share,
            "words": min(touch.words, _MANY) / 2,
            "apart": touch.apart,
            "all words": touch.share == 1.0 and not touch.apart,
            "condition holds": True in known,
            "condition fails": False in known,
            "condition open": None in known,
            "scope fails": False in holding,
            "operations meet": not self.action.verbs.isdisjoint(self.rejection.forbids.verbs),
            "no operation": not self.rejection.forbids.verbs,
        }
        hints = {f"hint {name}": 1.0 for name in self._hints()}
        plain = {name: float(value) for name, value in found.items() if value}
        return plain | _of_action(self.action) | hints

    def same_features(self, near: Mapping[str, float]) -> dict[str, float]:
        """Returns the features of being the same action, by their names.

        Args:
            near: Features of being about the same thing.
        """
        return {**near, **_words_of(self.action)}

    def read_features(self, same: Mapping[str, float], odds: float) -> dict[str, float]:
        """Returns the features of being the same action as the cross-encoder reads it, by their names.

        Args:
            same: Features of being the same action.
            odds: Log odds of the cross-encoder that the action is what is forbidden.
        """
        names = ("read", f"read, {self.action.form}", f"read, {'hinted' if self.is_hinted else 'plain'}")
        return {**same, **dict.fromkeys(names, max(-_SUREST, min(_SUREST, odds)) / 2)}


@lru_cache(_ACTIONS)
def _of_action(action: ParsedAction) -> dict[str, float]:
    """Returns the features of the action alone."""
    told = {
        "reads": action.reads,
        "removes": action.removes,
        "negated": recognition.NEGATED.search(action.text) is not None,
        "asks first": conditions.asks(action.text),
    }
    cues = (f"cue {name}" for name, cue in _PATTERNS.items() if cue.search(action.text))
    found = [f"form {action.form}", *cues]
    found += [each for name, holds in told.items() if holds for each in (name, f"{name}, {action.form}")]
    return dict.fromkeys(found, 1.0)


@lru_cache(_ACTIONS)
def _words_of(action: ParsedAction) -> dict[str, float]:
    """Returns the features of the words, options and marks of an action; all numbers are one word."""
    plain = operation_table.spaced(action.text).replace("’", "'")
    words = ["#" if word.isdigit() else word for word in _WORD.findall(plain)]
    found = [each for word in words for each in (f"w {word}", f"w {word}, {action.form}")]
    return dict.fromkeys([*found, *(f"g {one} {other}" for one, other in pairwise(("^", *words)))], 1.0)


def weights() -> Mapping[str, Any]:
    """Returns the weights of both regressions."""
    return read_weights("bardo.conduct.match", "comparison.json")


def is_fitted(embedder: Embedder | None) -> bool:
    """Whether the embedder is of the model that the regressions were fitted with."""
    return embedder is not None and bool(embedder.fingerprint.model == weights()["model"])


def pair_of(
    rejection: ParsedRejection,
    action: ParsedAction,
    common: tuple[float, int, bool],
    cosine: float | None,
    *,
    count: int,
    now: int,
    approved: bool = False,
) -> Pair:
    """Compares an action with a forbidding text by table and words.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        common: Share and number of the common words, and whether they differ in meaning (`_core.touches`).
        cosine: Cosine of the vectors; None without a model.
        count: Number of rejections and rules with which the action is compared.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    share, words, differs = common
    forbids = rejection.forbids
    found = subcommands.compare(rejection, action)
    if found.reading is Reading.UNKNOWN:
        found = recognition.compare(rejection, action, now=now, approved=approved)
        found = left_open.warned(rejection, action, found, now=now, approved=approved)
    if found.reading is Reading.SAME:
        turned = operation_match.undone(frozenset(forbids.verbs) - ANY, action)
        found = found if turned.reading is Reading.UNKNOWN else turned
    by_operation = operation_match.compare(rejection, action)
    is_of_other = names_other_product(rejection.text, action.text)
    if is_of_other:
        by_operation = _elsewhere(by_operation, "of another product", found)
        found = _elsewhere(found, "of another product", found)
    elif is_of_other := recognition.names_other_host(rejection, action):
        by_operation = _elsewhere(by_operation, "at another host", found)
    else:
        by_operation = recognition.of_other_command(rejection, action, by_operation)
    # An action that only reads, or tells no figure of a limit, is another one, even with all of its words.
    apart = differs or recognition.reads_only(forbids.verbs, action)
    apart |= circumstances.leaves_limit(forbids, action)
    relation = recognition.joined(found, by_operation)
    if (
        action.form == "prose"
        and not (relation.exact or relation.whole)
        and relation.reading is not Reading.OTHER
    ):
        found, relation = _departed(rejection, action, found, relation, cosine)
    if (
        relation.reading is Reading.SAME
        and not relation.exact
        and operation_match.is_bare_operation(rejection, action)
    ):
        relation = relation._replace(reading=Reading.NEAR, because=f"{relation.because}; of nothing it names")
    is_sure = relation.reading is Reading.SAME and relation.exact
    is_verbatim = is_same_act(rejection.text, action.text)
    repeats = not apart and _repeats(rejection, action)
    is_met = (is_verbatim or repeats) and all(
        circumstances.holding(forbids, action, now=now, approved=approved)
    )
    touch = Touch(
        cosine,
        share,
        words,
        apart,
        relation.reading,
        near_at(count),
        is_sure or (is_verbatim and is_met),
        fitting=relation.because,
        read_by=relation.by,
        whole=relation.whole or (repeats and is_met),
        allowed=allowed_cases.is_allowed(forbids, action),
    )
    # The letters of the action, such as a dry run, are surer than words.
    if not (relation.exact or is_of_other):
        touch = stated.as_stated(touch, rejection, action, now=now, approved=approved)
    return Pair(rejection, action, touch, found, by_operation, count, now, approved)


def _repeats(rejection: ParsedRejection, action: ParsedAction) -> bool:
    """Whether an action in words has all words of the act of a text, whose conditions of time and the like it meets."""
    if action.form != "prose" or not any(map(conditions.is_known, rejection.forbids.conditions)):
        return False
    act, _ = conditions.split(rejection.spoken)
    ((share, words, apart),) = _core.touches([act], action.text)
    return share == 1.0 and words > 1 and not apart


def _departed(
    rejection: ParsedRejection,
    action: ParsedAction,
    found: Relation,
    relation: Relation,
    cosine: float | None,
) -> tuple[Relation, Relation]:
    """Lowers the relations of a sentence that follows the rejection word by word, and departs from it.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        found: Relation by what is forbidden.
        relation: Relation by that and the operation.
        cosine: Cosine of the vectors; None without a model, in which case a replaced word may be a synonym.
    """
    departure = departures.of(rejection.text, action.text)
    if departure is departures.Departure.REPLACED and (cosine is None or cosine < departures.SYNONYM):
        because = "follows its words with another object"
        other = Relation(Reading.NEAR if cosine is None else Reading.OTHER, because, exact=cosine is not None)
        return other, other
    is_open = found.reading in (Reading.UNKNOWN, Reading.TOUCHES)
    if departure is departures.Departure.EXTENDED and is_open:
        near = Relation(Reading.NEAR, "follows its words with others between them")
        return near, near
    return found, relation


def _elsewhere(relation: Relation, where: str, found: Relation) -> Relation:
    """Returns the relation of an action that names another product or host than the text.

    Args:
        relation: Relation of the action.
        where: What the action names.
        found: Relation by what is forbidden; without one the action is different.
    """
    if relation.reading in (Reading.UNKNOWN, Reading.OTHER):
        return relation
    is_other = found.reading is Reading.UNKNOWN and relation.reading is not Reading.SAME
    if not is_other and relation.reading is not Reading.SAME:
        return relation
    reading = Reading.OTHER if is_other else Reading.NEAR
    return relation._replace(reading=reading, because=f"{relation.because}; {where}", whole=False)


def read(pairs: Sequence[Pair], reader: CrossEncoder) -> dict[str, Touch]:
    """Returns the matches of an action with the learned comparison, by text.

    An action is related to the texts that it is most surely about: the nearest ones explain its words.

    Args:
        pairs: Pairs of the action.
        reader: Cross-encoder of forbidden actions; it reads pairs about the same thing alone, some 10 ms each.
    """
    every = {
        pair.rejection.text: replace(pair.touch, sure=pair.is_sure, learned=_learned(pair, reader))
        for pair in pairs
    }
    clearest = max((_clarity(touch) for touch in every.values()), default=0.0)
    for text, touch in every.items():
        if 0 <= _clarity(touch) < clearest - _MARGIN:
            every[text] = replace(touch, learned=Learned(-math.inf, -math.inf, -math.inf))
    return every


def _clarity(touch: Touch) -> float:
    """Returns the log odds that an action is about the thing of a text."""
    if touch.same:
        return _CLEAR
    return -math.inf if touch.learned is None or touch.reading is Reading.OTHER else touch.learned.near


def near_limit(count: int) -> float:
    """Returns the limit of warnings by the number of comparisons, so that unrelated actions are seldom warned of."""
    table = weights()["near"]
    return float(table["limit"]) + _growth(table["growth"], count)


def warning_limit(count: int) -> float:
    """Returns the limit of the regression that must agree to a warning, by the number of comparisons."""
    table = weights()["warn"]
    return float(table["limit"]) + _growth(table["growth"], count)


def _growth(steepness: float, count: int) -> float:
    """How much surer a finding among `count` texts must be: each of them is one more that can be found wrongly."""
    return steepness * math.log(min(max(1, count), _COUNTED))


def _learned(pair: Pair, reader: CrossEncoder) -> Learned:
    if pair.touch.reading is Reading.OTHER and recognition.is_wanted(pair.rejection, pair.action):
        # The words that it shares with the text are of what the text asks for.
        return Learned(-math.inf, -math.inf, -math.inf)
    if pair.is_vague and recognition.shares_only_wanted(pair.rejection, pair.action):
        return Learned(-math.inf, -math.inf, -math.inf)
    if pair.found.exact and pair.found.reading is Reading.OTHER and not pair.touch.sure:
        # By its letters the action is another one, with any meaning of its words.
        return Learned(-math.inf, -math.inf, -math.inf)
    table = weights()
    features = pair.near_features()
    about = _odds(table["near"], features)
    near = about - near_limit(pair.count) - pair.excess
    if pair.is_vague:
        near -= _growth(_VAGUE_GROWTH.get(pair.action.form, 0.0), pair.count)
    every = pair.same_features(features)
    warn = min(near, _odds(table["warn"], every) - warning_limit(pair.count))
    is_clear = near >= 0 and (
        not pair.is_vague or about >= near_limit(pair.count) + _growth(_CLEARLY, pair.count)
    )
    if circumstances.leaves_limit(pair.rejection.forbids, pair.action) or not (pair.stands or is_clear):
        # An action about something else is not the same; nor is one that shares a word, unless the meaning is clear.
        return Learned(near, warn, -math.inf)
    same = _odds(table["same"], every) - table["same"]["limit by table" if pair.stands else "limit"]
    if same < 0 <= near:
        # Words and table miss most actions in other words than the text.
        (odds,) = reader.read([(pair.rejection.text, pair.action.text)])
        limit = table["read"]["limit"] + _growth(_READ_GROWTH, pair.count)
        same = max(same, _odds(table["read"], pair.read_features(every, odds)) - limit)
    return Learned(near, warn, same)


def _odds(table: Mapping[str, Any], features: Mapping[str, float]) -> float:
    """Returns the log odds of a regression."""
    known: Mapping[str, float] = table["features"]
    return float(table["bias"]) + sum(value * known.get(name, 0.0) for name, value in features.items())
