"""Finds secrets that are told in words: answers to security questions, passphrases, and how to spell a password.

The name of the secret stands before the answer: with a sign, a verb, or a question mark between them, or one clause
earlier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy.cues import cue
from bardo.privacy.named_secrets import FUNCTION, PREDICATE, Found, is_remark

#: Maximum number of characters between the name of a secret and its answer, and maximum number of words of an answer.
_REACH, _WORDS = 96, 10
#: From a name to its answer: a verb or a sign in this clause or the next one.
_LINK = re.compile(
    r"(?i)\s?(?:=|:|->|=>|→|—|–|\s-\s)\s{0,2}|"
    r"[,;]?\s(?:(?:and|so|just|then|please|you|i|we|he|she|they|always)\s){0,2}"
    r"(?:say|says|said|answer|answered|reply|replied|give|gave|put|use|used(?!\sto\b)|type|typed|enter|entered|try|told\s(?:them|him|her))\s(?:it\sis\s|in\s|with\s)?|"
    r"[,;]?\s(?:(?:the|my|our|your|his|her)\s)?(?:answer\s)?(?:on\sfile\s)?(?:is|was|used\sto\sbe|reads|remains|stays|it's|ours\sis|mine\sis)\s"
    r"(?:(?:still|now|again|always|just|actually)\s){0,2}"
)
#: An answer that was given to the one who asked, in this sentence or the next: `asked for my first pet. told them Rex`.
_ASKING = re.compile(
    r"(?i)\b(?:ask(?:s|ed|ing)?|want(?:s|ed)|need(?:s|ed)|demand(?:s|ed)|had\sto\sgive|verified|checked|quizzed|security\squestion|to\sknow|to\shear)\b[^.;!?\n]{0,60}$"
)
_GIVEN = re.compile(
    r"(?i)[^.;!?\n]{0,60}?(?:[.;,]|\s-|\sand|\sso)?\s(?:(?:so|and|then|i|we|he|she|they|mum|dad)\s){0,3}"
    r"(?:(?:told|gave)\s(?:them|him|her|the\s\w+)|said|answered|replied|put|gave|told)\s(?:it\swas\s|it's\s)?"
    r"[\"'“]?(?P<secret>(?-i:[A-ZÀ-Þ\d])[\w'’.-]*(?:\s(?!and\b|so\b|but\b|they\b|which\b|to\b|then\b)[\w'’-]+){0,4})"
)
#: The same before the question: `said Mr Fenwick when she asked who my first teacher was`.
_GIVEN_BEFORE = re.compile(
    r"(?i)\b(?:said|answered|replied|(?:told|gave)\s(?:them|him|her))\s[\"'“]?(?P<secret>(?-i:[A-ZÀ-Þ])[\w'’.-]*(?:\s[\w'’-]+){0,3}?)[\"'”]?\s"
    r"(?:when|as|after|because)\s[^.;!?\n]{1,40}?\b(?:asked|wanted)\b[^.;!?\n]{0,40}$"
)
#: A phrase in quotes before its name: `"is Malcolm in today", that is the duress phrase`.
_QUOTED_BEFORE = re.compile(
    r"(?i)[\"“«](?P<secret>[^\"”»\n]{2,80})[\"”»],?\s(?:(?:that|this|it|which)(?:'s|\sis|\swas)|is|was)\s(?:the|our|their|my)\s(?:\w+\s){0,2}?$"
)
#: One word directly behind the name of a word, at the end of its clause: `duress word nightjar.`
_WORD_BESIDE = re.compile(
    r"(?<=word),?\s(?:[\"“](?P<quoted>[^\"”\n]{2,48})[\"”]|"
    r"'?(?P<secret>[^\W\d_]{4,24})'?(?=[,.;!]|\s?$|\s(?:and|to|so|but|before|twice|or|when|if|then|unless|at)\b))|(?<=answer)\s(?P<answer>[A-Z][^\W\d_]{2,24})(?=[,.;!]|\s?$)"
)
_SIGN = re.compile(r"\s?[:=–—]\s")
#: An elliptical question.
_QUESTION = re.compile(
    r"(?i)(?:\s(?:of|for|on|to|vom|von|für|zum|del|de|du|do|van|til)\s[^.;:,?!\n]{1,32})?\s?\?\s{1,2}(?:it's\s|its\s)?"
)
#: An answer of at most three words directly behind its name: `memorable place lyme regis, they ask ...`.
_BESIDE = re.compile(r"\s(?=[\w'-]+(?:\s[\w'-]+){1,2}(?:[,.;)](?=\s|$)|$))")
#: Unchanged, then the answer: `the key stays the same as the old one so ...`.
_UNCHANGED = re.compile(
    r"(?i)\b(?:(?:of|for|on|to|at|in)\s[^.;:,!?\n]{1,40}?\s)?(?:(?:is|stays|remains)\s(?:(?:still|exactly)\s)?(?:the\ssame|unchanged|as\s(?:before|it\swas))|"
    r"(?:hasn't|has\snot|didn't|did\snot|never|hasnt)\schanged?)\b[^.;:,!?\n]{0,40}?"
    r"(?:[,;:]\s(?:so\s|still\s|i\.?e\.?\s|namely\s|that\sis\s|meaning\s)?|\s(?:so|namely|meaning)\s|\s[-–—]\s)(?:it's\s|still\s)?"
)
_QUOTED = re.compile(r"[\"“«'](?P<secret>[^\"”»\n]{2,120}?)[\"”»'](?!\w)")
_CLAUSE = re.compile(r"[,;\n()]|[.!?。](?=\s|$)|\s[-–—]\s|\s(?:and|but|if|when|because|with|for|then|or)\s|$")
#: How a password is spelled, said after it: `(dashes included)`, `capital H and no space`, `with the apostrophe`.
_SPELLING = re.compile(
    r"(?i),?\s{1,2}\(?(?P<remark>(?:all\s|in\s|both\s)?(?:lower|upper)[\s-]?case(?:\sletters)?|all\s(?:small|caps|one\sword|together)|capital\s(?-i:[A-Z])\b|"
    r"(?:no|without|with\sno)\s(?:spaces?|gaps?|caps|capitals|dash(?:es)?|hyphens?|punctuation)|one\sword|"
    r"(?:dash(?:es)?|hyphens?|dots?|spaces?|underscores?|caps|punctuation|exclamation\smark|apostrophe)\s(?:included|and\sall|too)|"
    r"(?:including|with)\s(?:the\s|an?\s|both\s)?(?:dash(?:es)?|hyphens?|dots?|spaces?|underscores?|exclamation\s(?:mark|point)|apostrophe|question\smark|umlaut)"
    r"(?:\sat\sthe\send|\sin\sthe\smiddle)?)"
    r"(?:(?:,\s|\sand\s|,\sand\s)(?:no\s|all\s|the\s|capital\s|with\s|without\s)[\w\s]{1,24}?(?=[,.;)\n]|$))?\)?"
)
#: A value before the remark on its spelling: one made of several parts, or a few words after a verb or a sign.
_SPELLED = re.compile(
    r"(?i)(?:^|[\s\"“'(])(?P<secret>[\w!#$%&*+~^@.]{2,}(?:[-_][\w!#$%&*+~^@.]{2,}){1,6})[\"”']?$|"
    r"(?:\b(?:it's|it is|its|is|was|now|try|use|type|enter|still|then)\s|[:=]\s)"
    r"[\"“']?(?P<words>[\w'’!#$%&*-]{2,}(?:\s[\w'’!#$%&*-]+){0,4})[\"”']?$"
)
#: Subjects of remarks on spelling that name no secret.
_WRITTEN = re.compile(
    r"(?i)\b(?:spell\w*|names?|surname|brand|title\w*|headings?|files?|filenames?|columns?|variables?|slugs?|tags?|"
    r"branch\w*|labels?|commit\w*|functions?|class\w*|keys are|written|write|writes|style|acronym\w*|hashtags?|logo|"
    r"sku|product|keywords?|subject|json|yaml|css|enum)\b"
)
_HELD = r"(?:router|modem|wi-?fi|access\spoint|hub|mesh|screen|monitor|keyboard|laptop|fridge)"
#: Values that resemble no word, where something shows or holds them: a sticker, a commit.
_SHOWN = re.compile(
    rf"(?i)(?:\b(?:sticker|label|post-?it|underside|slip|back|bottom)\b[^.;\n]{{0,24}}?\b{_HELD}\b"
    r"[^.;\n]{0,24}?(?:\b(?:says|reads|has)\s|[:=]\s)|"
    r"\bhard-?coded\s(?:(?:the|a|an|old|db|api|admin|prod|test)\s){0,3}"
    r"(?:(?:password|secret|token|key|pw|credential)s?\s(?:of\s)?)?)"
    r"[\"'“`]?(?P<secret>(?=\S*\d)(?=\S*[A-Za-z])[\w!#$%&*+~^@=-]{6,64})"
)
#: Values of several parts or with figures, with which a thing is encrypted.
_ENCRYPTED = re.compile(
    r"(?i)\b(?:encrypted|protected|locked|zipped|opens|unlocks|decrypts|unlock|decrypt)\b[^.;\n]{0,48}?\b"
    r"(?:with|using)\s[\"'“]?(?P<secret>(?=\S*[-_\d!#$%&*~^@])[A-Za-z][\w!#$%&*~^@-]{5,63})"
)
_ALGORITHM = re.compile(
    r"(?i)(?:aes|rsa|sha|gpg|pgp|argon|chacha|xchacha|ed|ecdsa|zip|7z|luks|bitlocker|file|full|two|one|bcrypt)[-_]?\S*"
)
_KNOWN_FORM = re.compile(
    r"[a-z]+[-_]?\d{1,3}|v?\d+(?:\.\d+)*\w{0,3}|[A-Z]{1,5}-\d{1,6}|0x[\da-fA-F]{1,8}|[a-z]\d{2}_\d{2}"
)
_ASKED = re.compile(
    r"(?i)\b(?:forgot|forget|lost|lose|need|know|knows|change|changed|reset|remember|have|has|got|what|who|where|which|how|why|is|are|did|do|does|can|could|"
    r"should|would|will|share|send|tell|give|see|store|rotate|use|set|any|no|another|new)\b[^.;!?:\n]*$"
)


def answers(text: str) -> Iterator[Found]:
    """Finds answers to security questions, phrases named before them, and passwords with a remark on their spelling."""
    for name in cue("phrase").finditer(text):
        if quoted := _QUOTED_BEFORE.search(text, max(name.start() - _REACH, 0), name.start()):
            yield (*quoted.span("secret"), "password")
        yield from _answer(text, name)
    is_verified = cue("verification").search(text)
    for name in cue("question" if is_verified else "asked").finditer(text):
        if is_verified or _SIGN.match(text, name.end()):
            yield from _answer(text, name)
    yield from _given(text)
    for name in cue("word_secret").finditer(text):
        link = _QUESTION.match(text, name.end())
        if link and not _ASKED.search(text, 0, name.start()):
            yield from _phrase(text, link.end(), least=2)
        elif link := _UNCHANGED.match(text, name.end() + 1):
            yield from _phrase(text, link.end(), least=1)
    yield from _spelled(text)
    for match in _ENCRYPTED.finditer(text):
        is_thing = cue("encrypted").search(text[: match.start("secret")])
        if (
            is_thing
            and not _ALGORITHM.fullmatch(match["secret"])
            and not _KNOWN_FORM.fullmatch(match["secret"])
        ):
            yield (*match.span("secret"), "password")
    for match in _SHOWN.finditer(text):
        if not _KNOWN_FORM.fullmatch(match["secret"]):
            yield (*match.span("secret"), "password")


def _given(text: str) -> Iterator[Found]:
    """Finds answers that someone gave to the one who asked."""
    for name in cue("question").finditer(text):
        given = _GIVEN.match(text, name.end(), name.end() + 2 * _REACH)
        if given and _ASKING.search(text, max(name.start() - _REACH, 0), name.start()):
            yield (*given.span("secret"), "password")
        if before := _GIVEN_BEFORE.search(text, max(name.start() - 2 * _REACH, 0), name.start()):
            yield (*before.span("secret"), "password")


def _answer(text: str, name: re.Match[str]) -> Iterator[Found]:
    """Finds the answer behind the name of a phrase or of a security question."""
    end = name.end()
    window = text[: end + _REACH]
    if (word := _WORD_BESIDE.match(text, end)) and word["quoted"]:
        yield (*word.span("quoted"), "password")
    elif unchanged := _UNCHANGED.match(window, end + 1):
        yield from _phrase(text, unchanged.end(), least=1)
    elif question := _QUESTION.match(window, end):
        if not _ASKED.search(text[: name.start()]):
            yield from _phrase(text, question.end(), least=1)
    elif link := _LINK.match(window, end) or _later(window, end):
        yield from _phrase(text, link.end(), least=1)
    elif (word := _WORD_BESIDE.match(text, end)) and not PREDICATE.match(word[word.lastgroup or 0]):
        yield (*word.span(word.lastgroup or 0), "password")
    elif beside := _BESIDE.match(text, end):
        yield from _phrase(text, beside.end(), least=2)


def _later(window: str, end: int) -> re.Match[str] | None:
    """Returns a link after other words of the clause: `maiden name to verify, the answer on file is ...`."""
    return next(
        (
            link
            for link in _LINK.finditer(window, end)
            if not re.search(r"[.!?\n]", window[end : link.start()])
        ),
        None,
    )


def _phrase(text: str, start: int, *, least: int) -> Iterator[Found]:
    """Finds the answer that begins at a place, up to the end of its clause; none if a remark begins there."""
    if quoted := _QUOTED.match(text, start):
        yield (*quoted.span("secret"), "password")
        return
    clause = _CLAUSE.search(text, start)
    said = text[start : clause.start() if clause else len(text)]
    words = said.split()
    if not words or not words[0][0].isalnum() or len(words) > _WORDS or said.startswith("["):
        return
    is_word = len(words) < least and words[0].islower() and words[0].isalpha()
    if is_word or FUNCTION.match(words[0]) or is_remark(words, is_sign=False):
        return
    yield start, start + len(said.rstrip()), "password"


def _spelled(text: str) -> Iterator[Found]:
    """Finds values whose spelling is explained, with the explanation."""
    for remark in _SPELLING.finditer(text):
        line = text.rfind("\n", 0, remark.start()) + 1
        ahead = text[max(line, remark.start() - _REACH) : remark.start()]
        value = _SPELLED.search(ahead)
        if value is None or _WRITTEN.search(ahead):
            continue
        name = value.lastgroup or "secret"
        first = value[name].split()[0]
        if PREDICATE.match(first) or FUNCTION.match(first):
            continue
        start = remark.start() - len(ahead) + value.start(name)
        yield start, remark.end("remark"), "password"
