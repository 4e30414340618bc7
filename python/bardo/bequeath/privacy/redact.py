"""Redacts private data that must never leave an agent: secrets, positions, balances, profit and loss."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from bardo.bequeath.privacy import own_sentences, private
from bardo.bequeath.privacy.names import Names
from bardo.bequeath.privacy.results import Results
from bardo.bequeath.privacy.rule_bounds import Spreads, bounds_of
from bardo.bequeath.privacy.stated_limits import Limits
from bardo.capture.secret_outputs import without
from bardo.consolidate.pages.wording import Figures
from bardo.model import Episode, Fact, Statement
from bardo.privacy import printed, secrets
from bardo.privacy.cue_pattern import folded
from bardo.privacy.cues import is_private
from bardo.privacy.formats import FORMS
from bardo.privacy.secrets import Span

#: Prefix of every mark in place of redacted text.
MARK = "[redacted: "
#: Mark of a secret output.
_SECRET = f"{MARK}secret]"
#: Lengths of BIP-39 phrases, in words.
_PHRASE_LENGTHS = (24, 21, 18, 15, 12)


#: Sentence of a rule by the Curator, with its effect and the means behind it.
_FOUND_RULE = re.compile(r"^(?P<dreamt>Perhaps: )?When .+, .+ is (?:higher|lower) by \S+ \(95 % interval ")
#: Numbers in a sentence by the Curator.
_FIGURES = re.compile(r"(?<![\w.])-?\d[\d.]*(?:e[-+]?\d+)?(?![\w:])")
#: Sentence of a change by the Curator, with the means on both sides of it.
_SHIFT = re.compile(
    r"(?P<name>.+ has shifted): mean \S+ over the latest (?P<count>\d+) observations, \S+ before"
)
_WORD = re.compile(r"[A-ZÀ-Þ]+(?![a-zà-ÿ])|[^\W_][^\W_A-ZÀ-Þ]*")
_LOWER_RUN = re.compile(
    r"(?<![\w-])[A-Za-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.)]\s?)?[A-Za-z]{3,8}){11,}(?![\w-])"
)
#: Maximum number of passes over one text; two are enough unless secrets are adjacent.
_PASSES = 16
#: Maximum number of characters of a number in a string; longer ones are treated as text.
_NUMBER_LENGTH = 12
_TOKEN = re.compile(r"[A-Za-z]+")
#: Limits of a text that no gate enforces: those that it states.
STATED = Limits()


class Redactor:
    """Redacts what leaves an agent, and counts what it removed.

    Args:
        personal: Whether contact data stays: addresses, telephone numbers, accounts, dates of birth and numbers of
            contracts.
        names: Names of the life, which are no secrets.
        results: Usual results of the life, beside which a result is strong or slight.
        outputs: Outputs of calls that print secrets, by the id of their episode.
        spreads: Standard deviations of the numbers of the life, by which the bounds of rules become coarse.
        known: Redacted texts with their counts, shared with another redactor of the same setting.

    Attributes:
        counts: Number of redacted or generalized spans and dropped fields, by kind.
    """

    def __init__(
        self,
        *,
        personal: bool,
        names: Names | None = None,
        results: Results | None = None,
        outputs: Mapping[str, Sequence[str]] | None = None,
        spreads: Spreads | None = None,
        known: dict[tuple[str, Limits], tuple[str, Counter[str]]] | None = None,
    ) -> None:
        self.personal = personal
        self._names = names or Names()
        self._results = results or Results()
        self._outputs = outputs or {}
        self._spreads = spreads or Spreads()
        told = (
            part for texts in self._outputs.values() for text in texts for part in printed.words_apart(text)
        )
        #: Lines of these outputs, which are secrets in every text, the longest first.
        self._printed = sorted(dict.fromkeys(told), key=len, reverse=True)
        self.counts: Counter[str] = Counter()
        self._known = {} if known is None else known

    def with_own_counts(self) -> Redactor:
        """Returns a redactor with the same setting, and counts of its own."""
        return Redactor(
            personal=self.personal, names=self._names, results=self._results, outputs=self._outputs,
            spreads=self._spreads, known=self._known,
        )  # fmt: skip

    def text(self, text: str, limits: Limits = STATED) -> str:
        """Replaces each secret in a text with a mark; idempotent. Each text is searched once.

        Args:
            text: Text.
            limits: Figures of the text that are limits, which stay.
        """
        if not text:
            return text
        if (known := self._known.get((text, limits))) is None:
            searching = self.with_own_counts()
            known = searching._searched(text, limits), searching.counts
            self._known[text, limits] = known
        told, counts = known
        self.counts.update(counts)
        return told

    def _searched(self, text: str, limits: Limits) -> str:
        """Replaces each secret in a text that was not searched before."""
        pieces: dict[str, tuple[Span, ...]] = {}
        for secret in self._printed:
            self.counts["secret"] += text.count(secret)
            text = text.replace(secret, _SECRET)
        # Removing a secret can expose the boundary of an adjacent one.
        for _ in range(_PASSES):
            before = text
            # Before the patterns, which would take the first word of a phrase alone.
            text = self._without(text, self._named_apart(text, secrets.told(text)))
            text = self._without_forms(text)
            text = _LOWER_RUN.sub(lambda match: self._without_phrases(match[0]), text)
            # A name would change the form of an own sentence: "min 0, max 1".
            found = private.spans(self._names.mask(own_sentences.mask(text)), pieces, limits)
            spans = self._named_apart(text, filter(self._goes, found))
            text = self._without(text, self._results.generalize(text, spans))
            if text == before:
                break
        return text

    def payload(self, value: Any) -> Any:
        """Drops the fields of a payload that are private by name (`private_field`), and redacts its texts.

        Numbers, also those in a string, are classified by the name of their field alone.

        Args:
            value: JSON-like value.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            kept = {name: inner for name, inner in value.items() if not self._is_dropped(name, inner)}
            if len(kept) < len(value):
                self.counts["private_field"] += len(value) - len(kept)
            return {name: inner if _is_number(inner) else self.payload(inner) for name, inner in kept.items()}
        if isinstance(value, Sequence):
            return [self.payload(inner) for inner in value]
        return value

    def fields(self, value: Any, limits: Limits = STATED) -> Any:
        """Redacts the texts of a JSON-like value and keeps every field."""
        if isinstance(value, str):
            return self.text(value, limits)
        if isinstance(value, Mapping):
            return {name: self.fields(inner, limits) for name, inner in value.items()}
        if isinstance(value, Sequence):
            return [self.fields(inner, limits) for inner in value]
        return value

    def generalize(
        self,
        text: str,
        payload: Mapping[str, Any],
        subjects: Sequence[str] = (),
        limits: Limits = STATED,
    ) -> tuple[str, dict[str, Any]]:
        """Redacts the text and the payload of a fact, and generalizes exact parameters and effects.

        The text of a rule found by the Curator is rebuilt from its condition, action and outcome; others are redacted.

        Args:
            text: Text of the fact.
            payload: Payload of the fact.
            subjects: Subjects of the fact, which the text of a rule names.
            limits: Figures of the text that are limits, which stay.
        """
        is_rule = payload.get("type") == "heuristic"
        limits = bounds_of(text, payload, limits) if is_rule else limits
        kept = {name: self.fields(inner, limits) for name, inner in payload.items()}
        if is_rule:
            # An interval of zeros marks a redacted one.
            kept |= {"effect": _sign(payload.get("effect")), "interval": [0.0, 0.0]}
            self.counts["parameter"] += 2
            if found := _FOUND_RULE.match(text):
                parts = [str(kept.get(name, "")) for name in ("action", "condition")]
                when = " and ".join(part for part in parts if part)
                about = "".join(f" of {self.text(one)}" for one in subjects[:1] if one not in when)
                rule = f"When {when}, {kept.get('outcome', '')} (in {_cases(text, payload)} cases{about})"
                return f"{found['dreamt'] or ''}{rule}", kept
        if payload.get("type") == "pattern" and _tells_results(text):
            # The numbers of a pattern in private results disclose those results.
            kept["statistic"] = _sign(payload.get("statistic"))
            text = self._without_results(text, kept["statistic"])
            self.counts["holding"] += 1
        told = self.text(text, limits)
        if payload.get("type") == "pattern" and "description" in kept:
            kept["description"] = told
        return told, kept

    def _without_results(self, text: str, direction: float) -> str:
        """Replaces the results in a pattern of the Curator; its counts stay."""
        if shift := _SHIFT.fullmatch(text):
            side = "up" if direction > 0 else "down"
            return f"{shift['name']} {side} over the latest {shift['count']} observations"
        figures = _FIGURES.finditer(own_sentences.mask(text))
        return self._without(text, [Span(*figure.span(), "holding") for figure in figures])

    def fact(self, fact: Fact, limits: Limits = STATED) -> Fact:
        """Redacts every text of a fact, and generalizes its numbers; `limits` as in `text`."""
        text, payload = self.generalize(fact.text, fact.payload, fact.subjects, limits)
        if "condition" in payload and fact.payload.get("type") == "heuristic":
            given, words = str(fact.payload["condition"]), str(payload["condition"])
            payload["condition"] = self._spreads.coarse(given, words, is_inherited=fact.generation > 0)
        # The Curator rebuilds the text of a rule, and subjects need not be in it.
        told = fact.text if fact.payload.get("type") == "heuristic" else text
        stated = fact.statement
        if stated is not None:
            stated = self._statement(stated, fact.text, told)
        return replace(
            fact,
            text=text,
            category=self.text(fact.category),
            subjects=tuple(filter(None, (self._named_in(one, fact.text, told) for one in fact.subjects))),
            metadata=self.fields(fact.metadata),
            statement=stated,
            payload=payload,
        )

    def episode(self, episode: Episode, limits: Limits = STATED) -> Episode:
        """Redacts every text of an episode, and drops the private fields of its payload; `limits` as in `text`."""
        if outputs := self._outputs.get(episode.id, ()):
            self.counts["secret"] += 1
            payload = _without_outputs(episode.payload, outputs)
            episode = replace(episode, text=without(episode.text, outputs, _SECRET), payload=payload)
        told = self.text(episode.text, limits)
        return replace(
            episode,
            text=told,
            subjects=tuple(
                filter(None, (self._named_in(one, episode.text, told) for one in episode.subjects))
            ),
            payload=self.payload(episode.payload),
            thread=None if episode.thread is None else self.text(episode.thread),
        )

    def _statement(self, stated: Statement, text: str, told: str) -> Statement:
        """Redacts the subject and the value of a statement as its text is; a value that the text tells is whole.

        Args:
            stated: Statement of a fact.
            text: Text of the fact.
            told: The same, redacted.
        """
        # The text counts what was redacted.
        uncounted = self.with_own_counts()
        mark = (secrets.MARKED.findall(told) or [f"{MARK}password]"])[0]
        subject = uncounted._named_in(stated.subject, text, told) or mark
        value = uncounted._named_in(stated.value, text, told)
        # A number alone has no context, and would be private.
        said = f"{stated.subject} {stated.attribute} is {stated.value}"
        if value and uncounted.text(said) == said:
            value = stated.value
        return replace(stated, subject=subject, value=value or mark)

    def _named_in(self, part: str, text: str, told: str) -> str:
        """Redacts a subject or a value beside a text; empty for one that redaction took from the text.

        A secret is known by the words beside it, which the subject or value does not repeat.
        """
        is_gone = part in text and part not in told
        return "" if is_gone or _occurrences(part, told) < _occurrences(part, text) else self.text(part)

    def _named_apart(self, text: str, spans: Iterable[Span]) -> Iterator[Span]:
        """Yields the spans that are no names of the life."""
        names = list(self._names.spans(text))
        yield from (
            span for span in spans if not any(start <= span.start and span.end <= end for start, end in names)
        )

    def _goes(self, span: Span) -> bool:
        """Whether a span is redacted."""
        return span.kind != "contact" or not self.personal

    def _is_dropped(self, name: str, value: Any) -> bool:
        """Whether a field is private by its name, or its name makes its value private."""
        is_private_name, said = _judged_name(name, self.personal)
        if is_private_name:
            return True
        if not said or isinstance(value, bool) or not isinstance(value, str | int | float):
            return False
        text = f"{said}{value}"
        kinds = {"secret", "identity", "contact", "password"}
        return any(
            span.kind in kinds and self._goes(span) for span in (*secrets.told(text), *private.spans(text))
        )

    def _without_forms(self, text: str) -> str:
        """Replaces the secrets in a documented format."""
        searched, plain = text, folded(text)
        for form in FORMS:
            if text != searched:
                searched, plain = text, folded(text)
            if form.may_match(plain):
                text = form.pattern.sub(lambda match, name=form.name: self._mark(match, name), text)  # type: ignore[misc]
        return text

    def _mark(self, match: re.Match[str], name: str) -> str:
        self.counts[name] += 1
        mark = f"{MARK}{name}]"
        if "secret" not in match.re.groupindex:
            return mark
        start, whole = match.start("secret"), match[0]
        end = start + len(secrets.without_closing(match["secret"]))
        return whole[: start - match.start()] + mark + whole[end - match.start() :]

    def _without(self, text: str, spans: Iterable[Span]) -> str:
        """Removes spans of a text, given in order; some are generalized instead."""
        parts, done = [], 0
        for span in spans:
            if span.start < done:
                continue
            self.counts[span.kind] += 1
            parts += [text[done : span.start], span.instead or f"{MARK}{span.kind}]"]
            done = span.end
        return "".join([*parts, text[done:]])

    def _without_phrases(self, run: str) -> str:
        """Removes seed phrases from a run of words: BIP-39 words of a valid length with a correct checksum."""
        tokens = list(_TOKEN.finditer(run))
        numbers = [_seed_words().get(token[0].lower()) for token in tokens]
        out, done, place = "", 0, 0
        while place < len(tokens):
            length = next(
                (length for length in _PHRASE_LENGTHS if _is_phrase(numbers[place : place + length], length)),
                0,
            )
            if not length:
                place += 1
                continue
            self.counts["seed_phrase"] += 1
            out += run[done : tokens[place].start()] + f"{MARK}seed_phrase]"
            done = tokens[place + length - 1].end()
            place += length
        return out + run[done:]


def _without_outputs(value: Any, outputs: Sequence[str]) -> Any:
    """Replaces outputs in every string of a payload that is or holds one."""
    if isinstance(value, str):
        return without(value, (output for output in outputs if output.strip() in value), _SECRET)
    if isinstance(value, Mapping):
        return {name: _without_outputs(inner, outputs) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [_without_outputs(inner, outputs) for inner in value]
    return value


def _occurrences(part: str, text: str) -> int:
    """Number of times that a text holds a part as whole words."""
    return len(re.findall(rf"(?<!\w){re.escape(part)}(?!\w)", text)) if part else 0


@lru_cache(maxsize=4_096)
def _judged_name(name: str, personal: bool) -> tuple[bool, str]:
    """Whether a name makes its field private, and the words by which it may make its value private, if it does."""
    said = f"{' '.join(_WORD.findall(name)).lower()}: "
    changes = Redactor(personal=personal).text(name) != name
    return is_private(name) or changes, said if secrets.opens(said) else ""


def _is_number(value: Any) -> bool:
    is_short = isinstance(value, str) and len(value) <= _NUMBER_LENGTH
    return isinstance(value, int | float) or (
        is_short and re.fullmatch(r"[-+]?\d+(?:[.,]\d+)*", value) is not None
    )


def _cases(text: str, payload: Mapping[str, Any]) -> str:
    """Returns the cases of a rule of the Curator: `188 of 1,239`, those in which it applied if its text states them."""
    measured = Figures.of(text)
    return (
        f"{measured.cases:,} of {measured.cases + measured.others:,}" if measured else str(payload.get("n"))
    )


def _sign(number: Any) -> float:
    return 0.0 if not isinstance(number, int | float) or not number else 1.0 if number > 0 else -1.0


def _tells_results(text: str) -> bool:
    """Whether a sentence names a metric of own holdings or results, as `trade.pnl has shifted`."""
    return any(is_private(word) for word in re.findall(r"[\w.&]+", text))


def is_blank(redacted: str, *, statistic: bool = False) -> bool:
    """Whether redaction took every figure of a text, or any of a statistic, whose counts stay."""
    rest, marks = secrets.MARKED.subn("", redacted)
    return marks > 0 and (statistic or not any(map(str.isdigit, rest)))


def tells_holdings(payload: Mapping[str, Any]) -> bool:
    """Whether the payload of a fact is a statistic of own holdings or results."""
    return payload.get("type") == "baseline" and is_private(str(payload.get("metric", "")))


@cache
def _seed_words() -> dict[str, int]:
    from mnemonic import Mnemonic

    return {word: number for number, word in enumerate(Mnemonic("english").wordlist)}


def _is_phrase(numbers: Sequence[int | None], length: int) -> bool:
    """Whether word numbers of 11 bits each end in a correct checksum: the first bits of the entropy's SHA-256."""
    if len(numbers) < length or None in numbers:
        return False
    bits = 0
    for number in numbers:
        bits = bits << 11 | (number or 0)
    checked = length // 3
    entropy = (bits >> checked).to_bytes(length * 4 // 3, "big")
    return sha256(entropy).digest()[0] >> (8 - checked) == bits & ((1 << checked) - 1)
