"""Finds secrets that are told by how they are made or spelled: `the code is the year we met, 2011, backwards`.

A recipe goes whole, since a stranger makes the value from it; of a description with its value the value alone goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import assignments
from bardo.privacy.cues import cue
from bardo.privacy.named_secrets import Found

#: Maximum number of characters between the word for a secret and its recipe.
_REACH = 96
#: Maximum number of characters of a recipe.
_LONGEST = 200
#: A source of the value: something that has a name or a number.
_SOURCE = (
    r"(?:name|surname|nickname|maiden name|year|date|birthday|birth year|birthdate|day|month|street|road|village|"
    r"town|city|title|number|postcode|zip|age|colour|color|breed|brand|model|make|word|song|album|film|book|team|plate|initials|jahr|geburtstag|geburtsjahr|birth\syear|straße|hausnummer|nom|année|rue|nombre|año|calle)"
)
_OWNER = r"(?:the|my|our|your|his|her|their|der|die|das|mein|unser|le|la|el|mon|ma|mi|[\w’']+['’]s)"
#: How the value is changed.
_CHANGE = (
    r"(?:backwards?|reversed|in\sreverse|back\sto\sfront|rückwärts|à\sl'envers|al\srevés|twice|doubled|upside\sdown|"
    r"(?:capital|upper\s?case|small)\s\w\b|all\s(?:caps|capitals|lower|upper|small|one\sword)\b|in\s(?:capitals|caps|lower|upper|small)\b|lower\s?case|"
    r"followed\sby\s|plus\s|(?:with|and|then)\s(?:a|an|the|two|three|an?\s\w+)\s[^,.;]{1,24}\s(?:at\sthe\s(?:end|start|front|back|beginning)|behind|in\sfront|after)|"
    r"(?:and|then|with)\s(?:a\s|an\s|the\s)?\d+|with(?:out|\sno)\s(?:the\s|a\s|any\s)?(?:spaces?|gaps?|dash\w*|dots?|vowels)|no\sspaces?|one\sword)"
)
#: A source, its description, then the value or the change.
_RECIPE = re.compile(
    rf"(?i)(?P<recipe>{_OWNER}\s(?:[\w’'-]+\s){{0,4}}?{_SOURCE}\b(?P<rest>[^.;!?\n]{{1,140}}))(?=[.;!?\n]|$)"
)
_VALUE = re.compile(
    r"[,:–—-]\s?[\"'“]?(?P<value>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+){0,3}|\d{2,8})[\"'”]?(?=[,\s]|$)"
)
_NUMBER, _BARE_NUMBER = re.compile(r",\s?(?P<value>\d{3,8})(?!\w)"), re.compile(r"\s(?P<value>\d{3,8})(?!\w)")
#: From the word for a secret to the recipe.
_LINK = re.compile(
    r"(?i)(?:\b(?:is|was|are|it's|its|use|uses|used|takes|type|enter|still|now|ist|est|es|wird)|[:=–—])\s(?:(?:still|just|now|simply|always)\s)?$"
)
_WORD = r"(?!(?:dash|hyphen|underscore|dot|minus|slash|point)\b)[A-Za-zÀ-ÿ\d]{1,24}"
_JOINT = (
    r"(?:dash|hyphen|underscore|dot|minus|slash|full\sstop|hash|at\ssign|exclamation\smark|"
    r"bindestrich|unterstrich|punkt|tiret|point|guion|guión|punto|streepje|punt)"
)
#: Words with the signs between them spelled: `heron dash four dash mint`.
_SPOKEN = re.compile(rf"(?i)(?<![\w-]){_WORD}(?:,?\s{_JOINT},?\s{_WORD}){{1,7}}(?![\w-])")
#: Characters named one by one: `capital T, india, golf, seven, dot, red`.
_NAMED = re.compile(
    r"(?i)\b(?:capital|upper\s?case|small|big)\s\w{1,12}(?:,\s(?:then\s|and\s|capital\s|small\s)?\w{1,12}){3,15}"
)
_DOMAIN = re.compile(
    r"(?i)\b(?:dot|punkt|point|punto|punt)\s(?:com|org|net|io|de|fr|nl|uk|eu|dev|app|ai|py|rs|js|txt|md|json|yaml|toml|local)\b|^www\b"
)
#: How the letters are written, which an address or a number of a section lacks.
_CASE = re.compile(
    r"(?i)\b(?:all|everything|every\sletter|no|one|in|both)\s(?:in\s)?(?:lower|upper|small|caps|capitals?)\b|\b(?:lower|upper)\s?case\b|\bspell(?:ed|t)?\b|\ball\s(?:one\sword|small)\b"
)


def secrets(text: str) -> Iterator[Found]:
    """Finds the recipes of passwords and codes, and passwords whose signs are spelled."""
    plain = assignments.mask(text)
    yield from _recipes(plain)
    is_login = any(cue(name).search(plain) for name in ("password_word", "access", "phrase"))
    is_cased = _CASE.search(plain)
    for match in _SPOKEN.finditer(plain):
        joints = len(re.findall(rf"(?i)\s{_JOINT}(?=,?\s)", match[0]))
        if not _DOMAIN.search(match[0]) and (
            (is_login and joints > 1) or (is_login and is_cased) or (is_cased and joints > 1)
        ):
            yield (*match.span(), "password")
    if is_login:
        yield from ((*match.span(), "password") for match in _NAMED.finditer(plain))


def _recipes(plain: str) -> Iterator[Found]:
    is_public = cue("public_code").search(plain)
    names = [
        (match.end(), "password")
        for name in ("password_word", "phrase")
        for match in cue(name).finditer(plain)
    ]
    if not is_public:
        names += [(match.end(), "code") for match in cue("code").finditer(plain)]
        names += [(match.end(), "code") for match in cue("locked").finditer(plain)]
    for end, kind in names:
        for recipe in _RECIPE.finditer(plain, end, end + _REACH + _LONGEST):
            if recipe.start() - end > _REACH or not _LINK.search(plain, end, recipe.start()):
                continue
            is_made = re.search(rf"(?i)\b{_CHANGE}", recipe["rest"])
            number = _BARE_NUMBER if is_made else _NUMBER
            value = (number if kind == "code" else _VALUE).search(recipe["rest"])
            if value and not is_made:
                yield (
                    recipe.start("rest") + value.start("value"),
                    recipe.start("rest") + value.end("value"),
                    kind,
                )
            elif value or (is_made and kind == "password"):
                yield (*recipe.span("recipe"), kind)
            else:
                continue
            break
