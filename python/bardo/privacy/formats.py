"""Formats of secrets, such as keys, tokens and assigned passwords.

Each pattern names the source of its format. Lengths are those documented by the issuer; upper bounds limit the cost of
a hostile text to one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bardo.privacy.cue_pattern import folded


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern of one kind of secret.

    Args:
        name: Name in the mark and in the counts.
        expression: Regular expression; a group called `secret` limits the redaction to that group.
        source: Documentation of the format.
        anchors: Texts in lower case, between spaces, of which each match has one; empty if there are none.
    """

    name: str
    expression: str
    source: str
    anchors: str = ""


#: Boundaries of a token: not preceded or followed by a word character or a hyphen.
_START, _END = r"(?<![\w-])", r"(?![\w-])"
_ASSIGN = r"[\"']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}[\"']?"


def _begins(literal: str) -> str:
    """Returns the expression of a token that begins with a literal, which comes first: `re` skips to literals."""
    return rf"{re.escape(literal)}(?<![\w-]{re.escape(literal)})"


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        "RFC 7468; RFC 4880 section 6.2",
        anchors="-----begin",
    ),
    Pattern(
        "age_key",
        r"AGE-SECRET-KEY-1[0-9A-Z]{16,58}",
        "age specification, age-encryption.org/v1",
        anchors="age-secret-key-1",
    ),
    Pattern(
        "aws_key",
        _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}" + _END,
        "AWS IAM reference, unique identifiers",
        anchors="akia asia",
    ),
    Pattern(
        "github_token",
        _begins("g") + r"(?:h[pousr]_[A-Za-z0-9]{36,255}|ithub_pat_\w{22,255})",
        "GitHub docs, token formats",
        anchors="ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    ),
    Pattern(
        "gitlab_token",
        _begins("gl") + r"[a-z]{2,6}-[\w-]{20,255}",
        "GitLab docs, token overview",
        anchors="gl",
    ),
    Pattern("slack_token", _begins("xox") + r"[a-z]-[\w-]{10,255}", "Slack docs, token types", anchors="xox"),
    Pattern(
        "slack_webhook",
        r"https://hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,255}",
        "Slack docs, incoming webhooks",
        anchors="hooks.slack.com",
    ),
    Pattern(
        "stripe_key",
        _START + r"[sr]k_(?:live|test)_\w{10,255}",
        "Stripe docs, API keys",
        anchors="sk_live sk_test rk_live rk_test",
    ),
    Pattern(
        "sk_key",
        _begins("sk-") + r"(?=[\w-]{0,255}\d)[\w-]{20,255}",
        "OpenAI and Anthropic API references, authentication (`sk-...`)",
        anchors="sk-",
    ),
    Pattern(
        "google_key", _begins("AIza") + r"[\w-]{35}" + _END, "Google Cloud docs, API keys", anchors="aiza"
    ),
    Pattern(
        "hugging_face_token",
        _begins("hf_") + r"[A-Za-z0-9]{20,255}",
        "Hugging Face docs, user access tokens",
        anchors="hf_",
    ),
    Pattern("npm_token", _begins("npm_") + r"[A-Za-z0-9]{24,255}", "npm docs, access tokens", anchors="npm_"),
    Pattern("pypi_token", _begins("pypi-") + r"[\w-]{50,255}", "PyPI help, API tokens", anchors="pypi-"),
    Pattern(
        "telegram_token", _START + r"\d{8,10}:[\w-]{30,40}" + _END, "Telegram Bot API, authorizing your bot"
    ),
    Pattern(
        "sendgrid_key",
        _begins("SG.") + r"[\w-]{10,64}\.[\w-]{10,128}",
        "SendGrid docs, API keys",
        anchors="sg.",
    ),
    Pattern(
        "webhook_secret",
        _begins("whsec_") + r"[A-Za-z0-9+/=_-]{16,128}",
        "Stripe docs, webhook signatures; Standard Webhooks",
        anchors="whsec_",
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
    Pattern(
        "prefixed_key",
        _START + r"(?:pk|sk|rk|ak|pat|tok|key|api|secret|token|auth)_(?=\w{0,32}[A-Z])(?=\w{0,32}[a-z])"
        r"(?=[A-Za-z_]{0,32}\d[\d_]{0,16}[A-Za-z]\w{0,32}\d)\w{8,32}" + _END,
        "ours: a label of keys, and a short random word",
        anchors="pk_ sk_ rk_ ak_ pat_ tok_ key_ api_ secret_ token_ auth_",
    ),
    Pattern(
        "password",
        r"\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(?!\[redacted)(?P<secret>\S{1,256})",
        "GNU inetutils manual, the .netrc file",
        anchors="password",
    ),
    Pattern("recovery_key", r"(?<![\w-])\d{6}(?:-\d{6}){7}(?![\w-])", "BitLocker recovery guide, Microsoft"),
    Pattern(
        "webhook_url",
        r"https://(?:[\w-]+\.)?(?:discord(?:app)?\.com/api/webhooks|webhook\.office\.com/webhookb2|"
        r"hooks\.zapier\.com/hooks|chat\.googleapis\.com/v1/spaces)/[^\s\"'<>]{16,512}",
        "webhook references of Discord, Microsoft Teams, Zapier, Google Chat",
        anchors="https://",
    ),
    Pattern(
        "url_secret",
        r"(?i)(?<=[?&])(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|(?:\w{1,20}[_-])?token|"
        r"(?:\w{1,20}[_-]?)?key|secret|password|pwd|auth)=(?!\[redacted)(?P<secret>[^\s&\"'<>#]{8,1024})",
        "ours: a parameter of an address that names a secret",
        anchors="=",
    ),
    Pattern(
        "cookie",
        r"(?i)(?<![\w-])(?:[\w.-]{0,20}sess(?:ion)?(?:_?id)?|[\w.-]{0,12}sid|(?:csrf|xsrf)[\w-]{0,12}|auth[\w-]{0,12}|"
        r"remember[\w-]{0,12})=(?!\[redacted)(?P<secret>(?=[^\s;,\"']{0,255}\d)[^\s;,\"']{12,4096})",
        "RFC 6265, section 4: cookies of a session",
        anchors="sess sid= csrf xsrf auth remember",
    ),
    Pattern(
        "password",
        r"(?i)(?<![\w/])(?:jdbc:oracle:thin:|sqlplus\s{1,3}(?:-\w\s{1,3}){0,3})[\w$#]{1,64}/(?!\[redacted)(?P<secret>[^\s@/]{3,128})@",
        "Oracle JDBC and SQL*Plus references, user/password@database",
        anchors="jdbc:oracle:thin: sqlplus",
    ),
    Pattern(
        "password",
        r"(?i)\b(?:shared|client|consumer|signing|webhook|app|radius)[ _-]secret(?:\s(?:is|was))?\s{0,2}[:=]?\s{1,2}"
        r"[\"']?"
        r"(?!\[redacted)(?P<secret>(?=[^\s\"',;]{0,255}\d)[^\s\"',;]{6,256})",
        "ours: a word that names a secret, and a word with a digit",
        anchors="secret",
    ),
    Pattern(
        "jwt", _begins("eyJ") + r"[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{0,4096})?", "RFC 7519", anchors="eyj"
    ),
    Pattern(
        "bearer",
        r"(?i)\b(?:bearer|basic)\s{1,3}(?P<secret>[A-Za-z0-9._~+/-]{16,4096}=*)",
        "RFC 6750, RFC 7617",
        anchors="bearer basic",
    ),
    Pattern(
        "url_password",
        r"\b[a-z][a-z0-9+.-]{1,20}://(?P<secret>[^\s/:@]{0,128}:[^\s/@]{1,128})@",
        "RFC 3986, 3.2.1",
        anchors="://",
    ),
    Pattern(
        "password",
        r"\bPIN\b[^.;\n]{0,48}?(?:\s(?:is|was)\s|[:=]\s?)(?P<secret>[A-Z]{1,4}-?\d{4,8})" + _END,
        "ours: a PIN with letters before its figures",
        anchors="pin",
    ),
    Pattern(
        "password",
        r"(?i)\bchalleng\w{0,3}\b[^.;:\n]{0,60}?\b(?:answer|reply|respond|say)(?:\s(?:is|with))?:?\s"
        r"(?!\[redacted|(?:by|with|that|the|an?|in|within|on|at|to|and|or|if|it|them|him|her|only|yes|no|not|nothing|as|from|"
        r"for|\w{3,20}ly)\b)[\"']?(?P<secret>[^.;,\n\"']{3,64})",
        "ours: the answer to a challenge",
        anchors="challeng",
    ),
    Pattern(
        "password",
        r"(?i)\b(?:password|passphrase|passcode)\s{1,3}is\s{1,3}(?!\[redacted)[\"']?"
        r"(?P<secret>(?=[^\s\"',;]{0,255}[\d!@#$%^&*_])[^\s\"',;]{4,256})",
        "ours: a sentence that tells a password",
        anchors="password passphrase passcode",
    ),
    Pattern(
        "api_key",
        r"(?i)(?:secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential)s?"
        + _ASSIGN
        + r"(?!\[redacted)(?P<secret>(?=[^\s\"',;]{0,255}\d)[^\s\"',;]{12,256})",
        "ours: an assignment of something long with a digit to a word that names a secret",
        anchors="secret token key credential",
    ),
    Pattern(
        "wallet_key",
        r"(?<![0-9A-Za-z])(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|[xyztuv]prv[0-9A-Za-z]{32,112})(?![0-9A-Za-z])",
        "Bitcoin wallet import format; BIP-32 serialization",
    ),
)


@dataclass(frozen=True, slots=True)
class Form:
    """Compiled pattern.

    Args:
        name: Name in the mark and in the counts.
        pattern: Regular expression.
        anchors: Texts in lower case of which each match has one; empty if there are no such texts.
    """

    name: str
    pattern: re.Pattern[str]
    anchors: tuple[str, ...]

    def may_match(self, plain: str) -> bool:
        """Whether a text may have a match, judged by its `folded` form: a search for a few words is cheap."""
        return not self.anchors or any(anchor in plain for anchor in self.anchors)


#: All forms, in the order of `PATTERNS`.
FORMS = tuple(Form(each.name, re.compile(each.expression), tuple(each.anchors.split())) for each in PATTERNS)


def forms(text: str) -> list[Form]:
    """Returns the forms that a text may have."""
    plain = folded(text)
    return [form for form in FORMS if form.may_match(plain)]
