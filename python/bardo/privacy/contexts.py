"""Finds passwords by the words beside them, on either side and in the next sentence: `X is the root password`.

A mention of a password or of a login is needed, and the place of the value in its clause or a token of a strange shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import shapes
from bardo.privacy.assignments import is_reference, mask
from bardo.privacy.cues import cue
from bardo.privacy.named_secrets import FUNCTION, PREDICATE, Found

#: Maximum number of characters between a mention and its value in another sentence, and in the same clause.
_FAR, _NEAR = 160, 64
#: Minimum length of a token of a strange shape.
_SHORTEST = 5
_VALUE = r"[\"'“«‘`]?(?P<secret>[^\s\"'“”«»‘’`,;:/()\[\]{}<>=]{4,64})"
_DETERMINER = (
    r"(?:the|a|an|my|our|your|his|her|its|their|new|old|current|das|der|die|dem|"
    r"mein|unser|le|la|el|il|lo|de|het|mijn|o|a|mon|ma|mi|mio|meu|minha)\s"
)
#: From a value to the mention behind it: a verb, a sign, or its role.
_BACK = re.compile(
    r"(?i)[\"'”»’`]?(?:\s?(?:<-+|←|=>?|–|—|\s-)\s?|\s)(?:(?:that|this|it)(?:'s|’s|s)?\s)?"
    r"(?:(?:is|was|are|as|being|for|will be|ist|als|est|c'est|comme|es|como|è|come|é|is het|würde)\s)?"
    rf"(?:now\s|still\s|again\s|jetzt\s)?{_DETERMINER}{{0,2}}(?:[\w-]+\s){{0,2}}?"
)
#: Verbs, signs and roles, without which a value and a mention are only neighbours.
_TELLING = re.compile(
    r"(?i)<-|←|=|–|—|\s-|\b(?:is|was|as|thats|that's|ist|als|est|c'est|comme|es|como|è|come|é)\s"
)
_ROLE = re.compile(r"(?i)[\"'”»’`]?\s(?:as|als|comme|como|come)\s" + rf"(?:{_DETERMINER})?$")
#: Between the name of an account and its password: `mira / X`, `root:X`, `as mira with X`, `mira, and then X`.
_PAIR = re.compile(
    r"(?<![\w@/.-])(?P<user>[\w][\w.@\\-]{0,63})(?:\s?[/|]\s?|:|\s?[,;]?\s(?:(?:and|with|then|using|und|mit|dann|et|avec|puis|y|con|e|com|en|met|password|pw)\s){1,2}|,\s)"
    + _VALUE
)
#: A password of any word behind a user: `user ward3, password Aspirin!`.
_AFTER_USER = re.compile(
    r"(?i)(?:[:=]|\bis|[,;/]|\band|\bund|\bet|\by|\be|\ben)?\s?(?P<user>[\w.@-]{2,64})\s?(?:[,;/+&]|\s(?:and|with|und|mit|et|avec|y|con|e|com|en|met))\s"
    rf"(?:{_DETERMINER})?$"
)
_BESIDE = re.compile(r"\s?(?:[:=]\s?|\s(?:is|ist|est|es|è|é)\s)?" + _VALUE)
_WORD = re.compile(r"(?<![^\s\"'“«‘`(:,;])" + _VALUE)
_AS_USER = re.compile(
    r"(?i)\b(?:as|als|comme|como|come)\s\S*(?:user|name|benutzer|utilisateur|usuario|utente|gebruiker|usuário|login)"
)
#: An attribute of code, such as `hashlib.sha256`.
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[a-z_]\w*)+")
#: A sentence of one token.
_ALONE = re.compile(
    r"(?:[.!?:\n]|\s[-–—])\s{1,2}(?:(?:it's|it is|its|here|ok|okay|so|es ist|c'est|es|è|é)[:,]?\s)?"
    + _VALUE
    + r"[\"'”»’`]?[.!]?\s*(?=$|\n|[.!?]\s)"
)
#: Characters told one by one: `m-a-n-g-o-7-7`, `k o a l a 2 0`.
_SPELLED = re.compile(r"(?<![\w-])(?:\w-){4,}\w(?![\w-])|(?<![\w-])(?:\w\s){5,}\w(?![\w-])")
#: Groups of letters and figures, told together: `EsTc 5sdP 9kLm 2wXz`.
_GROUPED = re.compile(
    r"(?<![\w-])(?=[A-Za-z\d -]*\d)(?P<secret>(?P<first>[A-Za-z\d]{3,6})(?:[ -][A-Za-z\d]{3,6}){2,11})(?![\w-])"
)
_TRIED = re.compile(
    r"(?i)\b(?:use|used|try|tried|enter|entered|type|typed|put|put in|with|using|accepts|takes|"
    r"wants|have|has|nimm|mit|avec|con|com|met|gebruik)\s" + _VALUE
)
#: Verbs of choosing a password directly before it, and three words or more with a figure, as people join them.
_CHOSEN = re.compile(
    r"(?i)\b(?:set (?:it|this|that|them) (?:back )?to|(?:re)?set to|changed (?:it )?to|"
    r"i use|we use|it's|it is|its|new one(?: is)?|"
    r"answer|try|type|enter|log in with|login with)\s" + _VALUE
)
_JOINED = re.compile(
    r"(?=.*\d)(?=.*[A-Z])(?![A-Z\d]+-)(?:\d{1,4}|[A-Za-z]\w*?)(?:[-_.](?:\d{1,4}|[A-Za-z\d]*[a-z]{2}[A-Za-z\d]*)){2,}|[A-Z][a-z]{2,}\.[A-Z][a-z]{2,}\d{1,4}"
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_KEYED = re.compile(
    r"(?i)\b(?:recovery|backup|activation|licen[cs]e|product|setup|emergency|rescue|unlock|wpa|wi-?fi|network|pairing|registration|secret)"
    r"[ -]?(?:key|code|phrase)s?\b|\b\w*schlüssel\b|\bcode de secours\b|\bclave de recuperación\b"
)


def secrets(text: str) -> Iterator[Found]:
    """Finds passwords beside the words that tell of one."""
    text = mask(text)
    yield from _mentioned(text)
    yield from _in_pairs(text)
    yield from _at_logins(text)
    for match in _CHOSEN.finditer(text):
        if _JOINED.fullmatch(match["secret"].strip(".!?")):
            yield (*match.span("secret"), "password")
    for key in _KEYED.finditer(text):
        groups = _GROUPED.search(text, key.end(), key.end() + _NEAR)
        if groups and _is_grouped(groups["secret"]):
            yield (*groups.span("secret"), "random_key")


def _mentioned(text: str) -> Iterator[Found]:
    """Finds passwords around their mention, in its sentence and alone in a later one."""
    mentions = list(cue("password_word").finditer(text))
    for mention in mentions:
        yield from _before(text, mention)
        yield from _beside(text, mention)
    if mentions:
        first = mentions[0]
        for match in _ALONE.finditer(text, first.end(), first.end() + _FAR):
            if _is_made_up(match["secret"]):
                yield (*match.span("secret"), "password")
        for match in _SPELLED.finditer(text, first.end(), first.end() + _FAR):
            yield (*match.span(), "password")


def _at_logins(text: str) -> Iterator[Found]:
    """Finds tokens of a strange shape that are typed at a login: `use qwertz-1987 to unlock the tablet`."""
    login = cue("access").search(text)
    if login is None:
        return
    yield from _before(text, login)
    for match in _TRIED.finditer(text):
        if _is_odd(match["secret"]):
            yield (*match.span("secret"), "password")


def _before(text: str, mention: re.Match[str]) -> Iterator[Found]:
    """Finds a value in front of a mention: `X is the new root password`, `use X as the login`."""
    start = max(text.rfind("\n", 0, mention.start()) + 1, mention.start() - _NEAR)
    for match in _WORD.finditer(text, start, mention.start()):
        value = match["secret"]
        link = _BACK.fullmatch(text, match.end(), mention.start())
        if link is None or not _TELLING.search(link[0]):
            continue
        is_role = _ROLE.fullmatch(text, match.end(), mention.start()) is not None
        is_told = is_role and _AS_USER.search(text[: match.start()])
        if _is_made_up(value) or (is_told and _is_word(value)):
            yield (*match.span("secret"), "password")


def _beside(text: str, mention: re.Match[str]) -> Iterator[Found]:
    """Finds a value directly behind a mention, of any word if the name of an account precedes the mention."""
    value = _BESIDE.match(text, mention.end())
    if value is None:
        return
    told = value["secret"]
    ahead = text[max(mention.start() - _NEAR, 0) : mention.start()]
    user = _AFTER_USER.search(ahead)
    is_beside_user = user and cue("user").search(ahead[: user.start() + 1])
    if (is_beside_user and _is_word(told) and not told.islower()) or _is_made_up(told):
        yield (*value.span("secret"), "password")


def _in_pairs(text: str) -> Iterator[Found]:
    """Finds the password of a pair with its account: `log in as mira with X`, `creds root:X`, `sam@example.org / X`."""
    for match in _PAIR.finditer(text):
        if _MAIL.fullmatch(match["user"]) and _is_made_up(match["secret"]):
            yield (*match.span("secret"), "password")
    for mention in cue("user").finditer(text):
        for match in _PAIR.finditer(text, mention.end(), mention.end() + _NEAR):
            between = text[mention.end() : match.start("user")]
            if not re.search(r"[.!?\n]\s", between) and _is_made_up(match["secret"]):
                yield (*match.span("secret"), "password")


def _is_made_up(word: str) -> bool:
    """Whether a word is a token of a strange shape, or a word with figures."""
    bare = word.strip(".!?*_~")
    return _is_odd(word) or (
        bool(shapes.FIGURED.fullmatch(bare)) and not bare.isupper() and not is_reference(bare)
    )


def _is_odd(word: str) -> bool:
    """Whether a token mixes letters, figures and signs, and has no form of a name."""
    bare = word.strip(".!?*_~")
    names = (shapes.NAME, shapes.RELEASE, _ATTRIBUTE)
    if len(bare) < _SHORTEST or any(form.fullmatch(bare) for form in names) or is_reference(bare):
        return False
    return (
        shapes.is_password(word)
        or shapes.is_strange(bare)
        or any(form.fullmatch(bare) for form in (shapes.MADE_UP, shapes.COMPOUND))
    )


def _is_word(word: str) -> bool:
    bare = word.strip(".!?")
    return len(bare) > 2 and not (PREDICATE.match(bare) or FUNCTION.match(bare) or is_reference(word))


def _is_grouped(groups: str) -> bool:
    """Whether groups are of one length, and mix letters and figures."""
    parts = re.split(r"[ -]", groups)
    mixed = sum(any(map(str.isdigit, part)) and any(map(str.isalpha, part)) for part in parts)
    return len({len(part) for part in parts}) == 1 and mixed > 1
