"""Finds the value of a secret that its sentence names: `the access code of the bay is QRT-771`.

Two grammars are read, a name before its value and a value before its name. The thing that the secret opens stands
between them and is never the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import figures
from bardo.privacy.cues import after

#: Start, end and kind of a span.
Found = tuple[int, int, str]
#: Maximum number of characters between a name and its value, and of a value.
_REACH, _LONGEST = 96, 160
#: Maximum number of words of a value.
_WORDS = 14

#: Secrets of which each word may be any word.
_PHRASE_NAME = (
    r"pass[ -]?phrases?|(?:safe|code|watch)[ -]?words?|"
    r"(?:secret|magic|security|challenge|unlock|unlocking|recovery|duress|sign-?in|log-?in)[ -]"
    r"(?:word|phrase|answer|response)s?"
)
_PASSWORD_NAME = (
    r"pass[ -]?words?|passcodes?|passwd|pwd|passwort|kennwort|mot de passe|contraseña|senha|"
    r"wachtwoord|lösenord|heslo|hasło|parola|пароль|"
    r"(?:shared|pre-?shared|client|consumer|signing|webhook|radius|licen[cs]e|app)[ -]secret"
)
#: Secrets whose values do not resemble words.
_KEY_NAME = (
    r"(?:api|access|auth|authentication|secret|private|licen[cs]e|activation|product|encryption|decryption|signing|deploy|"
    r"session|wi-?fi|wlan|network|guest|admin|master|root|setup|recovery|backup|security|unlock|pairing|client|shared|"
    r"refresh|bearer|reset|personal access|log-?in|sign-?in|entry|door|gate|alarm|disarm|"
    r"verification|override|emergency|duress|two-factor|2fa|one-time|(?P<bare>\b))"
    r"[ _-]?(?P<noun>key|token|secret|(?<=[ _-])code)s?"
)
#: Parts of which each name has one; a text without them is not searched further.
_PARTS = (
    "pass", "pwd", "word", "phrase", "answer", "response", "secret", "key", "token", "code", "contraseña", "senha",
    "lösenord", "heslo", "hasło", "parola", "пароль", "kennwort",
)  # fmt: skip
_NAMES = re.compile(
    rf"(?i)(?<![\w-])(?:(?P<phrase>{_PHRASE_NAME})|(?P<password>{_PASSWORD_NAME})|(?P<key>{_KEY_NAME}))(?![\w-])"
)
#: The thing that a secret opens, up to the sign or verb before the value.
_OPENED = re.compile(
    r"(?:\s(?:of|for|to|on|at|in|with|between|behind|from|that|which|we|i)\s(?:[^.;:=!?\n]|\.(?=\w))*)?\s{0,2}"
)
_EQUALS = re.compile(
    r"(?i)\s{0,2}(?P<sign>[:=]|=>|->|→|(?<=\s)[-–—](?=\s))\s{0,2}|\s(?:is|was|are|reads|remains|stays)\s(?:(?:now|still|again|currently)\s)?"
)
_RELATIVE = re.compile(r"(?i)\s(?:that|which|i|we)\s")
#: End of the clause in which a value stands.
_CLAUSE = re.compile(r"[,;\n)]|[.!?。](?=\s|$)|\s[-–—(]|$")
_QUOTED = re.compile(r"[\"“«'](?P<secret>[^\"”»\n]{2,120}?)[\"”»'](?!\w)")
#: Words that begin what is said about a value: an occasion, a reason, a time.
_REMARK = re.compile(
    r"(?i)\s(?:until|till|since|but|because|when|whenever|while|if|before|after|which|who|please|so|for|and\s(?:it|we|i|you|he|she|they|then|must|never|not|do))\b"
)
FUNCTION = re.compile(
    r"(?i)^(?:for|in|into|on|at|to|from|with|without|within|of|by|via|under|over|behind|beside|between|against|through|during|about|until|till|since|but|and|or|because|when|while|if|as|before|after|is|was|has|"
    r"please|every|each|once|twice|again|today|yesterday|tomorrow|tonight|now|soon|always|never|last|next|per|this|that|too|"
    r"again|only|than|it|we|you|they|he|she|i)$"
)
#: A first word that begins a remark about a secret, which names no value.
PREDICATE = re.compile(
    r"(?i)^(?:not|no|none|null|nil|never|now|still|too|very|also|only|always|required|wrong|weak|strong|short|long|longer|missing|"
    r"empty|stored|kept|in|on|at|for|from|by|the|a|an|my|your|our|his|her|its|their|what|that|this|where|when|and|or|but|with|"
    r"without|if|as|is|are|was|were|be|been|to|of|must|can|should|rotated|changed|reset|hashed|public|secret|safe|unsafe|invalid|valid|"
    r"optional|asked|sent|shared|written|under|patience|printed|es|la|le|el|los|las|der|die|das|den|ein|eine|nicht|un|une|o|os|"
    r"uma|um|nie|не|на|в|ya|bir|drawer|policy|policies|manager|managers|field|prompt|ne|se|"
    r"immer|immernoch|noch|weiterhin|jetzt|toujours|maintenant|sigue|todavía|ancora|ainda|nog|nu|incorrect|identical|plaintext|mine|yours|default|enough|temporary|permanent|insecure|secure|everywhere|pending|"
    r"different|long|easy|hard|simple|fine|ok|okay|good|bad|private|blank|unique|visible|shown|here|there|active|mandatory|needed|off|over|all|both|more|less|about|like|just|currently|between|case-sensitive|burnt|lost|gone|known|unknown|stolen|broken|due|held|hidden|forgotten|taken|given|set|stuck|see|ask|up|out|"
    r"\w+ed|\w+ly|\w+ing)$"
)
#: First words by whose ending alone a remark is assumed; a phrase may begin with them, too.
_PARTICIPLE = re.compile(r"(?i)^\w+(?:ed|ly|ing)$")
_DETERMINER = re.compile(r"(?i)^(?:the|a|an|my|your|our|his|her|its|their)$")
#: A length in place of a phrase: `six words long`.
LENGTH = re.compile(r"(?i)[\w-]+[ -](?:words?|characters?|letters?|digits?|signs?)\b")
#: Words of a description in place of a phrase: `the name of her dog`.
_DESCRIBED = re.compile(r"(?i)\b(?:of|as|that|which|where|same|one|name|who)\b")
#: A mark of an earlier pass, which is no value.
_MARKED = re.compile(r"\[redacted: \w+\]")

#: A value that resembles no word: figures or signs among its letters, or capitals on both sides of a hyphen.
_VALUE = re.compile(
    r"[\"'“]?(?P<secret>(?=[^\s\"'”,;]*\d|[A-Z][a-z]+(?:[-_][A-Z][a-z]+)+)[\w!#$%&*+/=^~.-]{3,128}[\w!#$%&*+/=^~])"
)
#: Dates, versions, algorithms, and small numbers, which follow a name too.
_NO_VALUE = re.compile(
    r"(?i)\d{1,3}|\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|v?\d+(?:\.\d+)+|"
    r"(?:sha|argon|base|utf|aes|rsa|ed|ec|ecdsa|hmac|md|http|https|tls|oauth|jwt|port|step|slot|line|page|version)[-_/]?\d[\d-]*"
)
#: The name of a thing: capitals and a number, words and a short number.
_NAME = re.compile(r"[A-Z]{1,5}-\d{1,6}|[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{0,4}|\d+")
_BARE_LENGTH, _BARE_DIGITS = 6, 2
#: A value before its name: `CK-88-QQ is the API key of the portal`.
_REVERSED = r"\s(?:is|was)\s(?:the|our|my|your|his|her|their)\s(?:[\w-]+\s){0,2}?"
_REVERSED_KEY = re.compile(
    rf"(?<![\w-])(?P<secret>(?=[^\s,;]*\d)[\w!#$%&*+/=^~.-]{{4,128}}){_REVERSED}(?P<key>{_KEY_NAME})(?![\w-])"
)
_REVERSED_PHRASE = re.compile(
    rf"(?i)(?:^|[.;:,]\s)(?P<secret>[a-z]{{2,12}}(?:[ -][a-z]{{2,12}}){{1,7}}){_REVERSED}"
    rf"(?:{_PHRASE_NAME})(?=\s(?:of|for|to|on|at|with)\b|[.,;!]|$)"
)
_PRONOUN = re.compile(
    r"(?i)^(?:this|that|it|he|she|they|what|which|the|a|an|my|our|your|his|her|their|these|those|here|there|who|where|how)$"
)


def phrases(text: str) -> Iterator[Found]:
    """Finds values of several words, and those of phrases: `the passphrase of the vault is ember willow saddle`."""
    if not _is_named(text):
        return
    text = _MARKED.sub(lambda match: "[" * len(match[0]), text)
    for name in _NAMES.finditer(text):
        if name["phrase"] or name["password"]:
            for start, is_sign in _starts(text, name):
                span = _phrase(text, start, is_phrase=bool(name["phrase"]), is_sign=is_sign)
                if span:
                    yield (*span, "password")
                    break
    for match in _REVERSED_PHRASE.finditer(text):
        if not _PRONOUN.match(match["secret"].split()[0]):
            yield (*match.span("secret"), "password")


def keys(text: str) -> Iterator[Found]:
    """Finds values that resemble no word: `our licence secret is 77-KLM-2`, `CK-88-QQ is the API key of the portal`."""
    if not _is_named(text):
        return
    for name in _NAMES.finditer(text):
        if name["key"] or name["password"]:
            for start in (*(start for start, _ in _starts(text, name)), name.end() + 1):
                value = _VALUE.match(text, start)
                if value and _is_key(text, value, name):
                    yield (*value.span("secret"), _kind(name))
                    break
    for match in _REVERSED_KEY.finditer(text):
        if _is_key(text, match, match):
            yield (*match.span("secret"), _kind(match))


def _is_named(text: str) -> bool:
    lowered = text.lower()
    return any(part in lowered for part in _PARTS)


def _starts(text: str, name: re.Match[str]) -> Iterator[tuple[int, bool]]:
    """Yields where the value of a name may begin, and whether a sign precedes it.

    A second place counts only behind a relative clause: `the code that is on the door is ...`.
    """
    window = text[name.end() : name.end() + _REACH]
    for equals in _EQUALS.finditer(window):
        between = window[: equals.start()]
        if not _OPENED.fullmatch(between):
            return
        yield name.end() + equals.end(), bool(equals["sign"])
        if not _RELATIVE.search(window[: equals.start() + 1]):
            return


def _phrase(text: str, start: int, *, is_phrase: bool, is_sign: bool) -> tuple[int, int] | None:
    """Finds the phrase that begins at a place; none if a remark begins there, or a single word of no phrase."""
    if quoted := _QUOTED.match(text, start):
        return quoted.span("secret") if is_phrase else None
    clause = _CLAUSE.search(text, start, start + _LONGEST)
    said = text[start : clause.start() if clause else start + _LONGEST]
    if remark := _REMARK.search(said):
        said = said[: remark.start()]
    words = said.split()[:_WORDS]
    if not words or not words[0][:1].isalnum() or is_remark(words, is_sign):
        return None
    if not is_phrase:
        if not all(word.isalpha() and word.islower() for word in words[:2]):
            return None
        stop = next((place for place, word in enumerate(words) if FUNCTION.match(word)), len(words))
        words = words[:stop]
        if len(words) < 2:
            return None
    end = start
    for word in words:
        end = text.index(word, end) + len(word)
    return start, end


def is_remark(words: list[str], is_sign: bool) -> bool:
    """Whether words after a name say something about the secret, instead of telling it."""
    first, rest = words[0].strip(".!?:"), words[1:]
    if not PREDICATE.match(first):
        return bool(LENGTH.match(" ".join(words)))
    if _PARTICIPLE.match(first):
        return len(rest) < 2 or bool(FUNCTION.match(rest[0]) or PREDICATE.match(rest[0]))
    if _DETERMINER.match(first):
        return len(rest) < 2 or bool(_DESCRIBED.search(" ".join(rest))) or (not is_sign and len(rest) > 5)
    return True


def _is_key(text: str, value: re.Match[str], name: re.Match[str]) -> bool:
    """Whether a value after or before the name of a key is the key."""
    secret = value["secret"].rstrip(".")
    behind = text[value.end("secret") : value.end("secret") + figures.BESIDE]
    if _NO_VALUE.fullmatch(secret) or "@" in secret or secret.startswith(("$", "<")):
        return False
    if secret.isdigit() and (after("measure").match(behind) or figures.counts(secret, behind)):
        return False
    if name["bare"] is not None:
        digits = sum(map(str.isdigit, secret))
        return (
            name["noun"].lower() in {"token", "secret"}
            and not _NAME.fullmatch(secret)
            and (len(secret) >= _BARE_LENGTH and digits >= _BARE_DIGITS)
        )
    return True


def _kind(name: re.Match[str]) -> str:
    noun = (name.groupdict().get("noun") or "").lower()
    return "code" if noun == "code" else "random_key" if noun else "password"
