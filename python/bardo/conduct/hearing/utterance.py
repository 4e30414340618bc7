"""Words that were said, with the forms by which they are no rejection, decision, task or rule."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.orders.answers import is_refusal
from bardo.conduct.hearing.orders.antecedents import pointing_verb
from bardo.conduct.hearing.orders.refused_offers import Refused
from bardo.conduct.hearing.orders.stated_model import StatedOrder
from bardo.conduct.hearing.orders.stated_orders import stated_orders
from bardo.conduct.hearing.talk.reports import is_acknowledgement, is_adoption, is_choice, is_promise
from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.prohibition import is_prohibition
from bardo.consolidate.texts.clauses import sentences

#: Mark of a task before a statement: "Reminder: ...", "TODO: ...".
MARKED = lazy_pattern(
    r"\W*(?:(?:(?:just )?an? |please |another )?(?:[a-z]+ )?reminder(?:\s*[:–—-]\s*| (?:that|to) )|to-?do\s*:\s*)"
    r"(?=\w)",
    re.IGNORECASE,
)
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
        order: Order that it gives as a statement: "prices are frozen until 6 January"; None if it gives none.
        refused: Offer of the agent that it turns down in words of its own; None if it turns none down.
        is_ruled: Whether it is a rule by its place under a heading or label: "house rules".
    """

    text: str
    before: str = ""
    by_agent: bool = False
    reason: str = ""
    is_listed: bool = False
    order: StatedOrder | None = None
    refused: Refused | None = None
    is_ruled: bool = False

    @property
    def summary(self) -> str:
        """Subject in a sentence: an answer that names nothing takes the words before it."""
        if self.before and self.is_bare and not self.is_listed:
            return f"{self.before.strip()} ({self.text.strip()})"
        return f"{self.text}{self.reason}".strip()

    @property
    def is_bare(self) -> bool:
        """Whether its words name nothing by themselves: "let's try the other way"."""
        words = [word for word in words_of(self.text) if word[0].isalpha()]
        return len(words) <= _BARE_WORDS and all(word in _EMPTY for word in words)

    @property
    def is_refusal(self) -> bool:
        """Whether a user refuses without naming what: "Hmm, please don't do that"."""
        return not self.by_agent and is_refusal(self.text)

    @property
    def is_prohibition(self) -> bool:
        """Whether a user forbids something in a plain form: "please don't X"."""
        return self.is_listed or (not self.by_agent and is_prohibition(MARKED.sub("", self.text)))

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
        return wish is not None and not content_stems(words_of(self.before)) & content_stems(
            words_of(text[wish.end() :])
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
        own = content_stems(words_of(self.text)) - content_stems((*words_of(self.before), *_ACKNOWLEDGING))
        refers = _REFERRING.search(self.text) is not None
        # "I will take Postgres" chooses between the ways of a question.
        return (not own and (refers or "?" not in self.before)) or (len(own) == 1 and refers)

    @property
    def is_consent(self) -> bool:
        """Whether the agent only says that it will."""
        words = [word for word in words_of(self.text) if word[0].isalpha()]
        return self.by_agent and _CONSENTING.issuperset(words)

    @property
    def is_promise(self) -> bool:
        """Whether the agent only promises to do as it was told: "Understood. I will keep out of that window"."""
        return self.by_agent and is_promise(self.text)

    @property
    def is_acknowledgement(self) -> bool:
        """Whether the agent only takes note of what it was told: "Understood, local models only for that"."""
        if not self.by_agent or not self.before:
            return False
        told = sentences(self.before)
        return is_acknowledgement(self.text) or any(
            is_prohibition(each) or stated_orders(each) for each in told
        )

    @property
    def is_reminder(self) -> bool:
        """Whether a user marks a statement as a task: "Reminder: the freeze starts on Friday", "TODO: tests"."""
        return not self.by_agent and MARKED.match(self.text) is not None and "?" not in self.text

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
        words = words_of(self.text)
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


def words_of(text: str) -> list[str]:
    """Words in lower case and marks; figures are one word."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    return ["#" if word.isdigit() else word for word in words]


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    """The cues by name."""
    text = resources.files("bardo.conduct.hearing").joinpath("hearing.toml").read_text(encoding="utf-8")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in tomllib.loads(text)["cues"].items()}
