"""Formats of secrets, such as keys, tokens and assigned passwords.

Each pattern names the source of its format. Lengths are those documented by the issuer; upper bounds limit the cost of
a hostile text to one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


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
    Pattern("stripe_key", _START + r"[sr]k_(?:live|test)_\w{10,255}", "Stripe docs, API keys"),
    Pattern(
        "sk_key",
        _START + r"sk-(?=[\w-]{0,255}\d)[\w-]{20,255}",
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
    Pattern(
        "prefixed_key",
        _START + r"(?:pk|sk|rk|ak|pat|tok|key|api|secret|token|auth)_(?=\w{0,32}[A-Z])(?=\w{0,32}[a-z])"
        r"(?=[A-Za-z_]{0,32}\d[\d_]{0,16}[A-Za-z]\w{0,32}\d)\w{8,32}" + _END,
        "ours: a label of keys, and a short random word",
    ),
    Pattern(
        "password",
        r"\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(?!\[redacted)(?P<secret>\S{1,256})",
        "GNU inetutils manual, the .netrc file",
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

#: Name and compiled expression of each format.
COMPILED = tuple((pattern.name, re.compile(pattern.expression)) for pattern in PATTERNS)
