"""Finds values of fields and options whose name has a word for a secret: `JWT_SIGNING_SECRET: "otter-battery"`.

The name decides. References to a secret, such as `${X}` or a path, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy.cues import cue, field_words
from bardo.privacy.remarks import PREDICATE
from bardo.privacy.tagger import Found

#: A value in quotes, or up to the next space or separator.
_VALUE = (
    r"(?:\\?\"(?P<double>[^\"\\\n]{1,256})\\?\"|'(?P<single>[^'\n]{1,256})'|"
    r"(?P<bare>[^\s\"'`,;<>\[{][^\s\"'`,;<>]{0,511}))"
)
_NAME = r"(?P<name>[^\W\d][\w.-]{0,79})"
_FIELD = re.compile(
    rf"(?<![\w$@/])(?<!\$\{{){_NAME}(?P<closed>\\?[\"']?\]?)\s{{0,3}}(?P<sign>:=|=>|->|==?|:(?![/:]))\s{{0,3}}(?={_VALUE})"
)
_OPTION = re.compile(rf"(?<!\S)--?{_NAME}(?:=|\s{{1,3}}(?!-)){_VALUE}")
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w:.-]{0,79})>(?P<bare>[^<\n]{1,256})</")
#: A value in quotes directly after its name: `identified by 'X'`, `invalid password "X"`.
_BESIDE = re.compile(
    r"(?i)(?<![\w-])(?:identified\sby|password|passwd|passphrase|passwort|kennwort|mot\sde\spasse|contraseña|wachtwoord|senha|wrong\spin)\s"
    r"(?:\"(?P<double>[^\"\n]{1,128})\"|'(?P<single>[^'\n]{1,128})')"
)
#: A name of several words.
_IDENTIFIER = re.compile(
    r"(?<![\w.-])[A-Za-z]{1,32}(?:[_.-][A-Za-z]{1,32}|(?<=[a-z])[A-Z][a-z]{1,32}){1,12}(?=[\"']?\s{0,3}[:=])"
)
_PART = re.compile(r"[A-ZÀ-Þ]+(?![a-zà-ÿ])|[A-ZÀ-Þ]?[a-zà-ÿ]+|\d+")
#: A log line of a failed login.
_FAILED_LOGIN = re.compile(
    r"(?i)\b(?:log-?in|auth\w*|sign-?in|logon|pass\w*|pin|unlock)\b[^\n]{0,80}\b(?:fail\w*|denied|reject\w*|invalid|wrong|bad|mismatch)\b|"
    r"\b(?:fail\w*|denied|reject\w*|invalid|wrong|bad)\b[^\n]{0,80}\b(?:log-?in|auth\w*|sign-?in|logon|pass\w*|pin|unlock)\b"
)
#: References: variables, calls, templates, literals of no text, addresses without a user, paths and files.
_REFERENCE = re.compile(
    r"(?i)[$%<{*.].*|x{3,}|enc[\[(].*|!\w+.*|(?:os|process|self|config|settings|env|secrets?|vault|ssm|arn|file|op|keyring|ref|request|req|args|sops|data|input)[.(\[:/].*|"
    r"\w+\(.*|none|null|nil|undefined|true|false|yes|no|on|off|https?://[^\s@]*|[a-z]:\\.*|[~.]{0,2}/[\w./-]*/[\w./-]*|"
    r"[\w./-]+\.(?:pem|key|json|txt|ya?ml|crt|cer|gpg|kdbx|env|p12|pfx|jks|py|rs|ts|js|md|toml|ini)(?::\d+)*|\d{1,2}|-+|"
    r"(?:apache|bsd|[al]?gpl|mpl|epl|cc|mit|isc)(?:-[\w.-]+)?|"
    r"(?-i:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)"
)
#: A word, the name of a thing, or a number.
_PLAIN = re.compile(r"[^\W\d_]+|[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{0,4}|\d+")
#: Words that name a number, and those that alone name a secret only with a value that resembles no word.
_NUMBERS = frozenset({"pin", "otp", "totp", "puk", "cvv", "cvc"})
_WEAK = frozenset(
    {"pass", "token", "secret", "pin", "otp", "license", "licence", "credential", "creds", "pw"}
)
#: Ends of names without a separator: `PGPASSWORD`.
_ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey")
_PASSWORDS = re.compile(
    r"(?i)pass|pw|senha|contras|heslo|has[lł]o|parola|kennwort|wachtwoord|l[oö]s?zenord|salasana"
)


def values(text: str) -> Iterator[Found]:
    """Finds the values of fields and options that are named as secrets."""
    for pattern in (_FIELD, _OPTION, _ELEMENT):
        for match in pattern.finditer(text):
            words = _words(match["name"])
            if is_secret_name(words) and _is_value(match, words):
                yield _span(match, "password" if _PASSWORDS.search(match["name"]) else "api_key")
    for match in _BESIDE.finditer(text):
        if not is_reference(_value(match)) and not PREDICATE.match(_value(match)):
            yield _span(match, "password")
    if _FAILED_LOGIN.search(text):
        for match in _FIELD.finditer(text):
            if not field_words("tried").isdisjoint(_words(match["name"])) and not is_reference(_value(match)):
                yield _span(match, "password")


def mask(text: str) -> str:
    """Replaces by underscores public terms, and names of fields about a secret, such as `password_file`."""
    text = cue("public_secret").sub(lambda match: "_" * len(match[0]), text)
    return _IDENTIFIER.sub(
        lambda match: "_" * len(match[0]) if _is_about(match[0]) else match[0],
        text,
    )


def _is_about(name: str) -> bool:
    """Whether the name of a field is about a secret, and of no rule of a strategy, such as `min_edge`."""
    words = _words(name)
    is_rule = cue("tuned").search(name) and field_words("secret").isdisjoint(words)
    return not field_words("about").isdisjoint(words) and not is_rule


def is_secret_name(words: list[str]) -> bool:
    """Whether the words of a field's name make its value a secret."""
    if not field_words("about").isdisjoint(words):
        return False
    return any(word in field_words("secret") or word.endswith(_ENDINGS) for word in words) or (
        words[-1:] == ["key"] and not field_words("key").isdisjoint(words)
    )


def is_reference(value: str) -> bool:
    """Whether a value refers to a secret instead of being one, or says something about it."""
    bare = value.strip(".!?:)")
    return not bare or bool(_REFERENCE.fullmatch(bare)) or value.startswith("[")


def _words(name: str) -> list[str]:
    return [word.lower() for word in _PART.findall(name)]


def _value(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return groups.get("double") or groups.get("single") or groups.get("bare") or ""


def _is_value(match: re.Match[str], words: list[str]) -> bool:
    """Whether what follows a name is its value, and not a remark in prose."""
    value = _value(match)
    if is_reference(value):
        return False
    is_bare = bool(match.groupdict().get("bare"))
    if is_bare and match.groupdict().get("sign") == ":" and PREDICATE.match(value.rstrip(".!?")):
        return False
    named = field_words("secret").intersection(words)
    if named and _NUMBERS.issuperset(named):
        return value.isdigit() and len(value) > 3
    if len(words) > 1 or words[0] not in _WEAK:
        return len(value) > 2
    if match.re is _OPTION:
        return len(value) > 3
    return len(value) > 4 and " " not in value and not (is_bare and _PLAIN.fullmatch(value.rstrip(".!?")))


def _span(match: re.Match[str], kind: str) -> Found:
    name = next(name for name in ("double", "single", "bare") if match.groupdict().get(name))
    return match.start(name), match.end(name), kind
