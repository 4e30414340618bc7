"""Finds passwords by the shape of a token alone: `try Marble$Fox88 instead`.

A sign between letters of both cases and figures occurs in hardly any name. The forms of versions, addresses, anchors,
cells and code that have it too are listed; `contexts` judges tokens of weaker shapes by the words beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy.named_secrets import Found

#: A token between spaces, quotes, brackets or separators.
_TOKEN = re.compile(
    r"(?<![^\s\"'“”«»‘’`(:/,;>|=-])(?P<secret>[A-Za-zÀ-ÿ\d!#$%^&*~?][\wÀ-ÿ!#$%^&*~+?@.-]{5,38}[\wÀ-ÿ!#$%^&*~+@])"
    r"(?=$|[\s\"'“”«»‘’`),;:/>|]|[.?](?=\s|$|[\"')]))"
)
#: Signs that names lack, and those that join identifiers of code, addresses and versions, too.
_SIGNS, _JOINING = "!#$?", "%^&*~+@"
#: Minimum length of a password without a word for one, and minimum number of its letters.
_LENGTH, _LETTERS = 8, 4
#: Names with a sign, figures and letters of both cases.
FORM = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\w+(?:[.-]\w+)*@(?:[A-Z\d-]+|[a-z][a-z\d.-]*|v?\d[\w.-]*)|"  # mail, host, version
    r"[\w.-]*\.\w{1,8}[#?][\w.-]+|"
    r"(?!(?!Bug|Issue|Ticket|Case|Order|Batch|Lot|Item|Closes|Fixes)[A-Z][a-z]+#\d\d)"
    r"[\w.-]+#(?:L?\d+(?:-L?\d+)?|[a-z_-]+\d?)|"  # anchors, issues
    r"(?:[A-Z]+|[a-z][\w./-]*)[~^]{1,2}\d{0,2}|v?\d+\.\d+[\w.+~-]*|[A-Za-z]\w*\+\+\d*|"  # revisions, versions, C++17
    r"[\w.]+\$(?:\d+|[a-z]+\$?\d*)|[\w]+(?:\.\w+)+\$[\w$]+|\$?[A-Z]{1,3}\$\d+|\$\w+|"  # classes, cells, variables
    r"[A-Z]{2,6}[-#/]\d{2,}[\w/-]*|"  # numbers of tickets
    r"\w+!\w+\+0x[\da-f]+|\w*@@\w*|[\d.,]+[%^*]\S*|[%@&*~^+#]+[\w.-]+|"  # symbols, amounts, references
    r"[a-z_]+\d*(?:[+&*][a-z_]+\d*)+|(?:[A-Z\d]+[&+#-])+[A-Z\d]+"  # sums of names, numbers with capitals
)
_ESCAPED = re.compile(r"%[\dA-Fa-f]{2}|[%$]\d?[sdif]\b|&(?:\w+;|#)")
#: Tokens without letters of both cases, or without figures: `copper!8824`, `Birch~Copper`, `QX#7T!9P`.
_PLAINER = re.compile(
    r"(?=(?:\D*\d){2})[a-zà-ÿ\d]+(?:[!#$%^&*][a-zà-ÿ\d]+)+[!$]?|[A-Z][a-zà-ÿ]{2,}(?:[!%^*~][A-ZÀ-Þ][a-zà-ÿ]{2,})+|"
    r"(?=.*\d)(?=.*[A-Z])[A-Z\d]+(?:[!#$%^&*~?]+[A-Z\d]+){2,}"
)
_EMPHASIS = "*~!?"

#: Made-up words, also in texts without the word password: a word and four figures; a sign between words with figures.
MADE_UP = re.compile(
    r"[^\W\d_]{3,}(?:[-_][^\W\d_]{3,})*[-_]?\d{4,}|(?=.*\d)[^\W_]+[#*!^~$&][\w#*!^~$&-]*|(?=.*\d)(?:[A-Z][a-z]+[-_*]){1,4}[^\W\d_]+[!#*]?\d*!?"
)
#: Words of both cases with a figure, joined: `trolley-Nine7`, `Winter-is-1ce`; a figure in place of a letter: `k33per`.
COMPOUND = re.compile(
    r"(?=.*\d)(?=.*[A-Z])(?=.*[a-z])(?![A-Z]{2,}[-_.]\d|[A-Za-z]+[-_]v?\d+\.[\d.]+$)[A-Za-z\d]+(?:[-_.][A-Za-z\d]+)+|(?i:[a-z]+(?:[013457]+[a-z]+){1,3}\d{0,4})"
)
#: Names (numeronyms such as i18n among them), versions, quantities and files, which also have digits or signs.
NAME = re.compile(
    r"[A-Z][A-Z\d_]+|[a-z]+(?:_[a-z]+)+|[a-z]+(?:_[a-z]+)*\(\)|v?\d[\d.]*\w{0,3}|[\w.-]+\.(?:com|org|net|io|py|rs|toml|json|md|txt|db|ts|js|csv|sql|sh|yaml|yml|"
    r"example|internal|local|eth)|[0-9a-f-]{7,64}|0x[0-9a-fA-F]+|[+-]?\d[\d.,:–-]*[%a-zA-Z°]{0,4}|[A-Za-z]{2,8}-?\d{1,3}[a-z]?|[A-Z]{1,5}-\d{1,6}|"
    r"(?:[a-z]{1,6}\d{1,3}){1,3}[a-z]\d?|[a-z]\d{1,2}[a-z](?:[-_][a-z]+)*|"
    r"(?=(?:[a-z\d]+-)*[a-z]{1,3}-)[a-z]{1,12}(?:-(?:[a-z]{1,12}\d{0,3}|\d{1,3})){1,4}|"
    r"[a-z]+(?:[-_.][a-z]+)*@[a-z]+(?:[-.][a-z\d]+)*|"
    r"(?:vlan|node|host|rack|server|worker|pod|shard|subnet|build|job|ticket|task|step|issue|batch|block|order|release)-\d{4,7}"
)
#: The name of a program with its version, as in `zdesigner-5.1.17`.
RELEASE = re.compile(
    r"(?:[a-z]{2,}(?:[-_][a-z]+)*[-_@]?v?\d{1,4}|[A-Za-z]{2,}(?:[-_][A-Za-z]+)*[-_@]?v?\d{1,4}\.\d{1,4})(?:\.\d{1,4}){1,3}|[A-Za-z]{3,}-v?\d{1,3}\.\d{1,3}"
)
#: A word with figures after the word for a password: `key password copper355`; names of algorithms have that form, too.
FIGURED = re.compile(
    r"(?i)(?!(?:sha|argon|base|utf|aes|rsa|version|python|windows|office|postgres|step|field|rule|row|line|note|bcrypt|scrypt|oauth|"
    r"room|ward|host|node|server|user|site|phase|stage|level|chapter|section|iphone|ipad|pixel|galaxy|chrome|android|ubuntu|debian|java|"
    r"ipv|mysql|redis|test|page|port|slot|unit|team|group|class|grade|case|item|batch|ticket|order|issue|task|build|release)[-_]?\d)"
    r"[a-zà-ÿ]{4,}[-_]?\d{1,}[!#$*]?"
)


def passwords(text: str) -> Iterator[Found]:
    """Finds tokens that resemble a password and nothing else."""
    for match in _TOKEN.finditer(text):
        is_anchor = "#" in match["secret"] and text[match.start() - 1 : match.start()] == "/"
        if not is_anchor and is_password(_bare(text, match)):
            yield (*match.span("secret"), "password")


def is_password(token: str) -> bool:
    """Whether a token has the shape of a password and none of a name."""
    inner = token.strip(_EMPHASIS) if token[:1] in _EMPHASIS else token
    letters = [each for each in inner if each.isalpha()]
    if len(inner) < _LENGTH or FORM.fullmatch(inner) or _ESCAPED.search(inner):
        return False
    if _PLAINER.fullmatch(inner):
        return True
    signs = {each for each in inner[1:] if each in _SIGNS + _JOINING}
    is_mixed = any(map(str.islower, letters)) and any(map(str.isupper, letters))
    return is_mixed and bool(signs) and len(letters) >= _LETTERS and any(map(str.isdigit, inner))


def is_strange(word: str) -> bool:
    """Whether a word mixes digits, letters and signs in a way that no name does."""
    return bool(
        re.search(r"[^\W\d_]{2}", word)
        and re.search(r"\d.*\d|[!@#$%^&*~+]|[a-z]_\w*\d|[A-Za-z]\d\w*[A-Za-z]|(?:[A-Z][a-z]+[-_]){2}\d", word)
    )


def _bare(text: str, match: re.Match[str]) -> str:
    """Returns a token without the sign that ends its sentence."""
    token, behind = match["secret"], text[match.end() : match.end() + 2]
    is_inside = behind[:1].isspace() and (behind[1:].islower() or behind[1:] in {"<", "-", "("})
    return token if is_inside else token.rstrip("!?")
