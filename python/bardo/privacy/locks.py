"""Finds codes of things that are locked, in the forms in which people tell codes: `the gate is #2580*`.

A code needs a thing with a lock in the text, and a verb of setting or entering before the code, or a form that only
codes have: digits with the keys of a keypad, turns of a dial, digits spelled one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import assignments, figures
from bardo.privacy.cues import after, cue
from bardo.privacy.named_secrets import Found

#: Maximum number of characters between a thing with a lock and its code.
_REACH = 160
#: Maximum number of characters between a code and the thing with a lock behind it.
_AFTER = 64
_DIGIT = (
    r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine|double|"
    r"null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"
)
_KEY = r"(?:star|hash|pound|asterisk|tick|check)"
#: Digits with the keys of a keypad, at least one of which is no digit.
_KEYPAD = (
    rf"[#*]\d{{1,8}}[#*]|[#*]\d{{3,8}}|\d{{3,8}}[#*]|{_KEY}[ ,]{{1,2}}\d{{3,8}}|"
    rf"\d{{3,8}},?\s(?:and|then|plus|followed by)\s(?:the\s)?{_KEY}(?:\skey)?"
)
_SIDE = r"(?:left|right|links|rechts|clockwise|anticlockwise)"
#: Turns of a dial, with directions on one side.
_TURNS = (
    r"[RL]\s?\d{1,2}(?:[\s,/-]{1,3}[RL]\s?\d{1,2}){1,4}|\d{1,2}\s?[RL](?:[\s,/-]{1,3}\d{1,2}\s?[RL]){1,4}|"
    rf"\d{{1,2}}\s{_SIDE}(?:(?:,|,?\sthen|\sand)?\s\d{{1,2}}\s{_SIDE}){{1,4}}"
)
_TURNED = (
    r"(?:to|past|it|once|twice|thrice|again|full|whole|turns?|two|three|four|all|the|way|on|until|bis|zur|auf|back|round|around|times|by|passing|slowly|and|"
    r"\d{1,2}(?=\s(?:to|times|turns?)))"
)
_DIRECTION = (
    rf"(?:(?:\d|one|two|three|four|five)\s(?:(?:full|whole|times|turns?)\s){{0,2}})?(?:(?i:{_SIDE}|counter-?clockwise|anti-clockwise)|[LR])"
    rf"(?:,?\s{_TURNED}){{0,7}}[\s:]{{1,2}}\d{{1,2}}(?![\d%])"
)
#: Directions for a dial, each with its number: `left 34, right twice past it to 12, left 57`.
_DIRECTIONS = re.compile(
    rf"(?<![\w-]){_DIRECTION}(?:[,;]?\s(?:-\s)?(?:(?:and|then|dann|finally)\s){{0,2}}{_DIRECTION}){{1,5}}(?!\s?(?:km|m|blocks?|miles?|street|exit)\b)"
)
_DIAL = re.compile(r"(?i)\b(?:dials?|tumblers?|spin|opens?|combo|combination)\b")
#: A code in place of an older one: `isn't 1122 any more, it's 4410`; `not 1122, 4410`.
_REPLACED = re.compile(
    r"(?i)\b(?:not|isn'?t|no\slonger|used\sto\sbe|was|instead\sof)\s(?P<old>\d{3,8})\b(?:\s[\w']+){0,5},?\s"
    r"(?:(?:but|now|since\s\w+|from\s\w+|today|it's|it\sis|its|is)\s){0,3}(?P<code>\d{3,8})(?![\w%/-]|[.,:]\d)"
)
_SPELLED = rf"(?i:{_DIGIT}(?:[\s,-]{{1,2}}{_DIGIT}){{2,9}})"
_GROUPS = r"\d{1,2}(?:(?:[ ,/–-]|, )\d{1,2}){1,4}"
#: Buttons of a mechanical lock, pressed one after the other.
_PRESSED = r"\d(?:\s(?:and|then)\s\d){1,3}(?:\stogether)?(?:,?\s(?:and\s)?then\s\d){1,4}"
_FORM = re.compile(
    rf"(?<![\w.,:/$€£#*+-])(?:{_PRESSED}|{_KEYPAD}|{_TURNS}|{_SPELLED}|{_GROUPS}|\d{{3,8}}|[A-Z]{{1,4}}-\d{{3,6}}|(?=[A-Z]*\d)[A-Z\d]{{4,10}})"
    r"(?![\w%°€$£*#/-]|[.,:]\d|\s?[€$£%])"
)
#: Forms of codes alone.
_SURE = re.compile(rf"{_PRESSED}|{_KEYPAD}|{_TURNS}|(?i:{_DIGIT}(?:-{_DIGIT}){{2,9}})")
_ADVERB = r"(?:\s(?:is|are|now|still|again|just|in|to|the code|at the moment|currently|always|goes|:))*[\s\"'“(]{1,2}$"
#: A verb of setting directly before a code.
_SET = re.compile(
    r"(?i)\b(?:set|reset|changed|switched|moved|re-?dialled|re-?dialed|rolled|updated|dials?|turns?)"
    rf"(?:\s(?:it|them|this|that|back))?(?:\s(?:to|on)|:){_ADVERB}"
)
#: A verb of telling or entering, or a sign, directly before a code.
_TOLD = re.compile(
    r"(?i)(?:\b(?:is|are|it's|its|was|says|reads|now|still|stays|remains|uses?|takes|wants|try|enters?|types?|punch in|"
    r"punch|key in|tap in|tap|press|hit|dial|then|with|w/|sequence|combo|combination|code|override|goes|"
    rf"mit|avec|con|com|met|tippt?|eingeben|drück\w*|tapez|tape|marca|pulsa|digita|digite|toets|hat|heeft|tiene|lautet|est|es|è|ist)|[:=?–—]|->|→){_ADVERB}"
)
#: A verb of setting before a thing with a lock: `set her room safe to`.
_SET_THING = re.compile(
    r"(?i)\b(?:set|reset|change[ds]?|switch(?:ed)?|programm?ed|locks?|locked|reprogrammed|moved)\b[^.;\d]{0,40}$"
)
#: A verb of entering directly before a code in front of its thing, and verbs of opening behind it.
_ENTERED = re.compile(
    r"(?i)\b(?:press|punch(?:es)?(?: in)?|enters?|types?|typed|dial|key(?:s|ed)? in|tap(?: in)?|uses?|with|put in|hit|"
    r"(?:sent|give|gave|told|tell|text|texted) (?:him|her|them|you|me|the \w+)|"
    r"drück\w*|tipp\w*|tapez|marca|pulsa|digita|digite|toets)\s[\"'“(]?$"
)
_OPENS = re.compile(
    r"(?i)[\"'”)]?,?\s(?:(?:is|was)\s(?:what|the\s(?:code|number|pin|combination|combo))|opens|unlocks|disarms|gets\s\w+\s(?:in|through)|lets\s|turns\soff|works\s(?:on|for|at))\b"
)
_CARD = re.compile(
    r"(?i)\b(?:three|four|3|4|last)\s(?:three\s|four\s|little\s)?(?:numbers|digits|figures)?\s?(?:on|at|from)\s(?:the\s)?"
    r"(?:back|front|reverse|signature strip)\b[^.;\d]{0,48}?(?P<code>\d{3,4})(?![\d-])|"
    r"\b(?:cvv2?|cvc2?|cid)(?:\s(?:is|code|number|on the back)){0,3}[\s:=]{1,3}(?P<named>\d{3,4})(?![\d-])|"
    r"\bback of (?:the|my|his|her|our|your) card[^.;\d]{0,32}?(?P<back>\d{3,4})(?![\d-])"
)
#: A code that a service sent, and the code of a card behind its description: `the pin is the year mum was born, 1958`.
_SENT = re.compile(
    r"(?i)\b(?:sms|text(?: message)?|authenticator(?: app)?|otp|2fa|tan|photo-?tan|push-?tan)\b"
    r"[^.;\d]{0,32}\b(?:says|said|sent|with|shows?|reads|gives?|is|was|zeigt|sagt|dice|dit)\s"
    r"(?P<code>\d(?:[ -]?\d){3,7})(?![\w%]|[.,]\d)"
)
_DESCRIBED = re.compile(
    r"(?i)\b(?:pin|passcode|combo|combination|(?:door|gate|safe|alarm|entry|access|unlock) code|safe)\s"
    r"(?:is|was|=)\s[^.;:\d]{4,48}"
    r"[,:]\s(?P<code>\d{4,8})(?=\s?$|[.;!,]\s|[.;!,]$)"
)
_DIRECT = re.compile(
    r"(?i)\b(?:lock ?box|key ?safe|key box|keypad|padlock|safe|unlock|"
    r"till override|override|disarm)\s(?P<code>\d{4,8})(?![\w%-]|[.,]\d)"
)
#: A name of a combination before a sign: `the combo? 19 44 06`.
_NAMED = re.compile(
    r"(?i)\b(?:combo|combination|kombination|combinaison|combinación|combinazione|combinatie|combinação|(?:pin|pass|key|door|gate|safe|alarm|entry|access)\s?code|pin)(?:\s(?:is|was|stays|still|now)){0,3}\s?[?:=–—-]?\s{0,2}"
    rf"(?P<code>(?:{_GROUPS})|\d{{4,8}}|(?-i:{_TURNS}))(?![\w%/-]|[.,:]\d)"
)


def codes(text: str) -> Iterator[Found]:
    """Finds codes of locks, of dials, and those on the back of a card."""
    for match in _CARD.finditer(text):
        yield (*match.span(match.lastgroup or 0), "code")
    for form in (_SENT, _DESCRIBED):
        yield from ((*match.span("code"), "code") for match in form.finditer(text))
    for match in _DIRECT.finditer(assignments.mask(text)):
        behind = text[match.end() : match.end() + figures.BESIDE]
        if not after("measure").match(behind) and not figures.counts(match["code"], behind):
            yield (*match.span("code"), "code")
    for match in _NAMED.finditer(text):
        yield (*match.span("code"), "code")
    if cue("locked").search(text) or _DIAL.search(text):
        yield from ((*match.span(), "code") for match in _DIRECTIONS.finditer(text))
    if cue("locked").search(text) and cue("code").search(text) and not cue("public_code").search(text):
        for match in _REPLACED.finditer(text):
            yield from ((*match.span(name), "code") for name in ("old", "code"))
    things = [match.end() for match in cue("locked").finditer(text)]
    if not things:
        return
    for match in _FORM.finditer(text):
        thing = max((end for end in things if 0 < match.start() - end <= _REACH), default=None)
        is_before_thing = any(0 < end - match.end() <= _AFTER for end in things)
        if (thing is not None and _is_code(text, match, thing)) or (
            is_before_thing and _is_entered(text, match)
        ):
            yield (*match.span(), "code")


def _is_code(text: str, match: re.Match[str], thing: int) -> bool:
    """Whether a form of a code is told as one, and measures, dates or counts nothing."""
    if _SURE.fullmatch(match[0]):
        return True
    ahead, behind = text[thing : match.start()], text[match.end() : match.end() + figures.BESIDE]
    is_amount = any(after(name).match(behind) for name in ("measure", "money", "month", "scale"))
    if is_amount or re.fullmatch(r"(?:19|20)\d\d", match[0]) or cue("quantity").search(ahead):
        return False
    if re.fullmatch(r"(?i)\s(?:\w+\s)?(?:to|on|at|with)\s", ahead) and _SET_THING.search(text[:thing]):
        return True
    return bool(
        _SET.search(ahead)
        or (_TOLD.search(ahead) and not (match[0].isdigit() and figures.counts(match[0], behind)))
    )


def _is_entered(text: str, match: re.Match[str]) -> bool:
    """Whether a form of a code in front of a thing with a lock is entered there, or opens it."""
    behind = text[match.end() : match.end() + _AFTER]
    if re.search(r"[.!?\n]\s", behind[: behind.find(" ") + 1]) or cue("quantity").search(behind):
        return False
    beside = behind[: figures.BESIDE]
    is_amount = any(after(name).match(beside) for name in ("measure", "money", "month", "scale"))
    if is_amount or (match[0].isdigit() and len(match[0]) < 4 and not _OPENS.match(behind)):
        return False
    if match[0].isdigit() and figures.counts(match[0], beside):
        return False
    return bool(_ENTERED.search(text[: match.start()]) or _OPENS.match(behind))
