"""Redacts private data that must never leave an agent: secrets, positions, balances, profit and loss.

Each pattern names the source of its format. Lengths are those documented by the issuer; upper bounds limit the cost of
a hostile text to one pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from bardo.bequeath.privacy import named_secrets, own_sentences, private
from bardo.bequeath.privacy.cues import is_private
from bardo.model import Episode, Fact

#: Prefix of every mark in place of redacted text.
MARK = "[redacted: "
#: Lengths of BIP-39 phrases, in words.
_PHRASE_LENGTHS = (24, 21, 18, 15, 12)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern of one kind of secret.

    Args:
        name: Name in the mark and in the counts.
        expression: Regular expression; a group called `secret` limits the redaction to that group.
        source: Documentation of the format.
    """

    name: str
    expression: str
    source: str


#: Boundaries of a token: not preceded or followed by a word character or a hyphen.
_START, _END = r"(?<![\w-])", r"(?![\w-])"
_ASSIGN = r"[\"']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}[\"']?"

PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        "RFC 7468; RFC 4880 section 6.2",
    ),
    Pattern("age_key", r"AGE-SECRET-KEY-1[0-9A-Z]{16,58}", "age specification, age-encryption.org/v1"),
    Pattern("aws_key", _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}" + _END, "AWS IAM reference, unique identifiers"),
    Pattern(
        "github_token",
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})",
        "GitHub docs, token formats",
    ),
    Pattern("gitlab_token", _START + r"gl[a-z]{2,6}-[\w-]{20,255}", "GitLab docs, token overview"),
    Pattern("slack_token", _START + r"xox[a-z]-[\w-]{10,255}", "Slack docs, token types"),
    Pattern(
        "slack_webhook",
        r"https://hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,255}",
        "Slack docs, incoming webhooks",
    ),
    Pattern("stripe_key", _START + r"[sr]k_(?:live|test)_\w{16,255}", "Stripe docs, API keys"),
    Pattern(
        "sk_key",
        _START + r"sk-[\w-]{20,255}",
        "OpenAI and Anthropic API references, authentication (`sk-...`)",
    ),
    Pattern("google_key", _START + r"AIza[\w-]{35}" + _END, "Google Cloud docs, API keys"),
    Pattern(
        "hugging_face_token", _START + r"hf_[A-Za-z0-9]{20,255}", "Hugging Face docs, user access tokens"
    ),
    Pattern("npm_token", _START + r"npm_[A-Za-z0-9]{24,255}", "npm docs, access tokens"),
    Pattern("pypi_token", _START + r"pypi-[\w-]{50,255}", "PyPI help, API tokens"),
    Pattern(
        "telegram_token", _START + r"\d{8,10}:[\w-]{30,40}" + _END, "Telegram Bot API, authorizing your bot"
    ),
    Pattern("sendgrid_key", _START + r"SG\.[\w-]{10,64}\.[\w-]{10,128}", "SendGrid docs, API keys"),
    Pattern(
        "webhook_secret",
        _START + r"whsec_[A-Za-z0-9+/=_-]{16,128}",
        "Stripe docs, webhook signatures; Standard Webhooks",
    ),
    Pattern(
        "prefixed_key",
        _START
        + r"(?:dop|doo|dor|dp|shpat|shpca|shppa|shpss|sq0atp|sq0csp|rk|pk|ak|key|api|secret|tok|lin_api|"
        r"ntn|secret_|figd|pat|xai|gsk|pplx|r8|hvs|hvb|nvapi|glsa|sbp|ATATT|ATCTT|ops|dckr_pat|dckr_oat|"
        r"sntrys|sntryu|pul|bkua|sqp|squ|sqa|pscale_pw|pscale_tkn|pscale_oauth|CCIPAT|CCIPRJ|NRAK|PMAK|GOCSPX|xkeysib|"
        r"phc|phx|nfp|rnd|tvly|lsv2_pt|lsv2_sk|e2b|rubygems|tfp|xapp|fo1|vercel|whsk|EAAC)[_-](?=[\w-]{0,255}\d)(?=[\w-]{0,255}[A-Za-z])[\w-]{20,255}",
        "token formats of DigitalOcean, Shopify, Square, Linear, Notion, Figma, Groq, Replicate, "
        "Vault, Grafana, Docker, Sentry, Pulumi, Buildkite, SonarQube, PlanetScale, CircleCI and others",
    ),
    Pattern(
        "prefixed_key",
        _START
        + r"(?:dapi[0-9a-f]{32}|SK[0-9a-f]{32}|[0-9a-f]{36}NRAL|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,255}|"
        r"dp\.(?:pt|st|ct|scim)\.[\w.-]{30,255}|ya29\.[\w-]{20,1024}|1//0[\w-]{20,255}|sl\.[\w-]{60,1024}|s\.\w{24})"
        + _END,
        "token formats of Databricks, Twilio, New Relic, Terraform Cloud, Doppler, Google, Dropbox, Vault",
    ),
    Pattern("recovery_key", r"(?<![\w-])\d{6}(?:-\d{6}){7}(?![\w-])", "BitLocker recovery guide, Microsoft"),
    Pattern(
        "webhook_url",
        r"https://(?:[\w-]+\.)?(?:discord(?:app)?\.com/api/webhooks|webhook\.office\.com/webhookb2|"
        r"hooks\.zapier\.com/hooks|chat\.googleapis\.com/v1/spaces)/[^\s\"'<>]{16,512}",
        "webhook references of Discord, Microsoft Teams, Zapier, Google Chat",
    ),
    Pattern(
        "url_secret",
        r"(?i)(?<=[?&])(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|(?:\w{1,20}[_-])?token|"
        r"(?:\w{1,20}[_-]?)?key|secret|password|pwd|auth)=(?!\[redacted)(?P<secret>[^\s&\"'<>#]{8,1024})",
        "ours: a parameter of an address that names a secret",
    ),
    Pattern(
        "cookie",
        r"(?i)(?<![\w-])(?:[\w.-]{0,20}sess(?:ion)?(?:_?id)?|[\w.-]{0,12}sid|(?:csrf|xsrf)[\w-]{0,12}|auth[\w-]{0,12}|"
        r"remember[\w-]{0,12})=(?!\[redacted)(?P<secret>(?=[^\s;,\"']{0,255}\d)[^\s;,\"']{12,4096})",
        "RFC 6265, section 4: cookies of a session",
    ),
    Pattern(
        "password",
        r"(?i)(?<![\w/])(?:jdbc:oracle:thin:|sqlplus\s{1,3}(?:-\w\s{1,3}){0,3})[\w$#]{1,64}/(?!\[redacted)(?P<secret>[^\s@/]{3,128})@",
        "Oracle JDBC and SQL*Plus references, user/password@database",
    ),
    Pattern(
        "password",
        r"(?i)\b(?:shared|client|consumer|signing|webhook|app|radius)[ _-]secret(?:\s(?:is|was))?\s{0,2}[:=]?\s{1,2}"
        r"[\"']?"
        r"(?!\[redacted)(?P<secret>(?=[^\s\"',;]{0,255}\d)[^\s\"',;]{6,256})",
        "ours: a word that names a secret, and a word with a digit",
    ),
    Pattern(
        "password",
        r"(?<!\S)(?:mysql|mysqldump|mysqladmin|mariadb|"
        r"sshpass)\b[^\n]{0,80}?\s-p\s?(?P<secret>(?!\[redacted)[^\s\"'-][^\s]{3,128})",
        "MySQL reference manual, end-user guidelines for password security",
    ),
    Pattern(
        "password",
        r"(?<!\S)(?:curl|wget|http)\b[^\n]{0,80}?\s(?:-u|--user)\s?[\w.@-]{1,64}:(?P<secret>(?!\[redacted)\S{3,128})",
        "curl manual, --user",
    ),
    Pattern("jwt", _START + r"eyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{0,4096})?", "RFC 7519"),
    Pattern(
        "bearer",
        r"(?i)\b(?:bearer|basic)\s{1,3}(?P<secret>[A-Za-z0-9._~+/-]{16,4096}=*)",
        "RFC 6750, RFC 7617",
    ),
    Pattern(
        "url_password",
        r"\b[a-z][a-z0-9+.-]{1,20}://(?P<secret>[^\s/:@]{0,128}:[^\s/@]{1,128})@",
        "RFC 3986, 3.2.1",
    ),
    Pattern(
        "password",
        r"(?i)\b(?:password|passwd|pwd|passphrase|passcode)"
        + _ASSIGN
        + r"(?!\[redacted|None\b|null\b|nil\b|true\b|false\b|\$|os\.|<|\*)(?P<secret>[^\s\"',;]{3,256})",
        "ours: an assignment to a word that names a password",
    ),
    Pattern(
        "password",
        r"(?i)\b(?:password|passphrase|passcode)\s{1,3}is\s{1,3}(?!\[redacted)[\"']?"
        r"(?P<secret>(?=[^\s\"',;]{0,255}[\d!@#$%^&*_])[^\s\"',;]{4,256})",
        "ours: a sentence that tells a password",
    ),
    Pattern(
        "api_key",
        r"(?i)(?:secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential)s?"
        + _ASSIGN
        + r"(?!\[redacted)(?P<secret>(?=[^\s\"',;]{0,255}\d)[^\s\"',;]{12,256})",
        "ours: an assignment of something long with a digit to a word that names a secret",
    ),
    Pattern(
        "wallet_key",
        r"(?<![0-9A-Za-z])(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|[xyztuv]prv[0-9A-Za-z]{32,112})(?![0-9A-Za-z])",
        "Bitcoin wallet import format; BIP-32 serialization",
    ),
)

#: Sentence of a rule by the Curator, with its effect and the means behind it.
_FOUND_RULE = re.compile(r"^(?P<dreamt>Perhaps: )?When .+, .+ is (?:higher|lower) by \S+ \(95 % interval ")
#: Numbers in a sentence by the Curator.
_FIGURES = re.compile(r"(?<![\w.])-?\d[\d.]*(?:e[-+]?\d+)?(?![\w:])")
#: Sentence of a change by the Curator, with the means on both sides of it.
_SHIFT = re.compile(
    r"(?P<name>.+ has shifted): mean \S+ over the latest (?P<count>\d+) observations, \S+ before"
)
_COMPILED = tuple((pattern.name, re.compile(pattern.expression)) for pattern in PATTERNS)
_WORD = re.compile(r"[A-ZÀ-Þ]+(?![a-zà-ÿ])|[^\W_][^\W_A-ZÀ-Þ]*")
_LOWER_RUN = re.compile(
    r"(?<![\w-])[A-Za-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.)]\s?)?[A-Za-z]{3,8}){11,}(?![\w-])"
)
#: Maximum number of passes over one text; two are enough unless secrets are adjacent.
_PASSES = 16
#: Maximum number of characters of a number in a string; longer ones are treated as text.
_NUMBER_LENGTH = 12
_TOKEN = re.compile(r"[A-Za-z]+")


class Redactor:
    """Redacts what leaves an agent, and counts what it removed.

    Args:
        personal: Whether contact data stays: addresses, telephone numbers, accounts, dates of birth and numbers of
            contracts.

    Attributes:
        counts: Number of redacted or generalized spans and dropped fields, by kind.
    """

    def __init__(self, *, personal: bool) -> None:
        self.personal = personal
        self.counts: Counter[str] = Counter()

    def with_own_counts(self) -> Redactor:
        """Returns a redactor with the same setting, and counts of its own."""
        return Redactor(personal=self.personal)

    def text(self, text: str) -> str:
        """Replaces each secret in a text with a mark; idempotent."""
        # Removing a secret can expose the boundary of an adjacent one.
        for _ in range(_PASSES):
            before = text
            # Before the patterns, which would take the first word of a phrase alone.
            text = self._without(text, [private.Span(*one) for one in named_secrets.phrases(text)])
            for name, expression in _COMPILED:
                text = expression.sub(lambda match, name=name: self._mark(match, name), text)  # type: ignore[misc]
            text = _LOWER_RUN.sub(lambda match: self._without_phrases(match[0]), text)
            text = self._without(text, filter(self._goes, private.spans(text)))
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

    def fields(self, value: Any) -> Any:
        """Redacts the texts of a JSON-like value and keeps every field."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {name: self.fields(inner) for name, inner in value.items()}
        if isinstance(value, Sequence):
            return [self.fields(inner) for inner in value]
        return value

    def generalize(self, text: str, payload: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Redacts the text and the payload of a fact, and generalizes exact parameters and effects.

        The text of a rule found by the Curator is rebuilt from its condition, action and outcome; others are redacted.

        Args:
            text: Text of the fact.
            payload: Payload of the fact.
        """
        kept = {name: self.fields(inner) for name, inner in payload.items()}
        if payload.get("type") == "heuristic":
            # An interval of zeros marks a redacted one.
            kept |= {"effect": _sign(payload.get("effect")), "interval": [0.0, 0.0]}
            self.counts["parameter"] += 2
            if found := _FOUND_RULE.match(text):
                parts = [str(kept.get(name, "")) for name in ("action", "condition")]
                when = " and ".join(part for part in parts if part)
                rule = f"When {when}, {kept.get('outcome', '')} (in {payload.get('n')} cases)"
                return f"{found['dreamt'] or ''}{rule}", kept
        if payload.get("type") == "pattern" and _tells_results(text):
            # The numbers of a pattern in private results disclose those results.
            kept["statistic"] = _sign(payload.get("statistic"))
            text = self._without_results(text, kept["statistic"])
            self.counts["holding"] += 1
        told = self.text(text)
        if payload.get("type") == "pattern" and "description" in kept:
            kept["description"] = told
        return told, kept

    def _without_results(self, text: str, direction: float) -> str:
        """Replaces the results in a pattern of the Curator; its counts stay."""
        if shift := _SHIFT.fullmatch(text):
            side = "up" if direction > 0 else "down"
            return f"{shift['name']} {side} over the latest {shift['count']} observations"
        figures = _FIGURES.finditer(own_sentences.mask(text))
        return self._without(text, [private.Span(*figure.span(), "holding") for figure in figures])

    def fact(self, fact: Fact) -> Fact:
        """Redacts every text of a fact, and generalizes its numbers."""
        text, payload = self.generalize(fact.text, fact.payload)
        # The Curator rebuilds the text of a rule, and subjects need not be in it.
        told = fact.text if fact.payload.get("type") == "heuristic" else text
        stated = fact.statement
        if stated is not None:
            # A statement repeats words of the text, which are counted there.
            uncounted = self.with_own_counts()
            subject, value = (
                uncounted._named_in(part, fact.text, told) or f"{MARK}password]"
                for part in (stated.subject, stated.value)
            )
            stated = replace(stated, subject=subject, value=value)
        return replace(
            fact,
            text=text,
            category=self.text(fact.category),
            subjects=tuple(filter(None, (self._named_in(one, fact.text, told) for one in fact.subjects))),
            metadata=self.fields(fact.metadata),
            statement=stated,
            payload=payload,
        )

    def episode(self, episode: Episode) -> Episode:
        """Redacts every text of an episode, and drops the private fields of its payload."""
        told = self.text(episode.text)
        return replace(
            episode,
            text=told,
            subjects=tuple(
                filter(None, (self._named_in(one, episode.text, told) for one in episode.subjects))
            ),
            payload=self.payload(episode.payload),
            thread=None if episode.thread is None else self.text(episode.thread),
        )

    def _named_in(self, part: str, text: str, told: str) -> str:
        """Redacts a subject or a value beside a text; empty for one that redaction took from the text.

        A secret is known by the words beside it, which the subject or value does not repeat.
        """
        return "" if part in text and part not in told else self.text(part)

    def _goes(self, span: private.Span) -> bool:
        """Whether a span is redacted."""
        return span.kind != "contact" or not self.personal

    def _is_dropped(self, name: str, value: Any) -> bool:
        """Whether a field is private by its name, or its name makes its value private."""
        is_private_name, said = _judged_name(name, self.personal)
        if is_private_name:
            return True
        if not said or isinstance(value, bool) or not isinstance(value, str | int | float):
            return False
        kinds = {"code", "identity", "contact", "password"}
        return any(span.kind in kinds and self._goes(span) for span in private.spans(f"{said}{value}"))

    def _mark(self, match: re.Match[str], name: str) -> str:
        self.counts[name] += 1
        mark = f"{MARK}{name}]"
        if "secret" not in match.re.groupindex:
            return mark
        start, whole = match.start("secret"), match[0]
        end = start + len(private.without_closing(match["secret"]))
        return whole[: start - match.start()] + mark + whole[end - match.start() :]

    def _without(self, text: str, spans: Iterable[private.Span]) -> str:
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


@lru_cache(maxsize=4_096)
def _judged_name(name: str, personal: bool) -> tuple[bool, str]:
    """Whether a name makes its field private, and the words by which it may make its value private, if it does."""
    said = f"{' '.join(_WORD.findall(name)).lower()}: "
    changes = Redactor(personal=personal).text(name) != name
    return is_private(name) or changes, said if private.opens(said) else ""


def _is_number(value: Any) -> bool:
    is_short = isinstance(value, str) and len(value) <= _NUMBER_LENGTH
    return isinstance(value, int | float) or (
        is_short and re.fullmatch(r"[-+]?\d+(?:[.,]\d+)*", value) is not None
    )


def _sign(number: Any) -> float:
    return 0.0 if not isinstance(number, int | float) or not number else 1.0 if number > 0 else -1.0


def _tells_results(text: str) -> bool:
    """Whether a sentence names a metric of own holdings or results, as `trade.pnl has shifted`."""
    return any(is_private(word) for word in re.findall(r"[\w.&]+", text))


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
