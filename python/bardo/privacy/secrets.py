"""Finds private text without a documented format: codes, passwords, identities, results, parameters.

Unknown tokens are private by default: a token that looks random, a number that is not a name, a date or a measurement.
The word lists that give the topic of a sentence are in `private.toml`; numbers are classified in `figures`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from bardo.privacy import assignments, business, commands, figures, identities, tagger, technical
from bardo.privacy.cues import after, any_cue, bits, common_words, cue
from bardo.privacy.formats import forms
from bardo.privacy.remarks import PREDICATE
from bardo.privacy.tagger import Found

#: Kinds of spans that are secrets; others are contacts.
_SECRET = frozenset({"password", "seed_phrase", "identity", "key_bytes", "random_key", "hex_secret"})
#: Characters searched before a token for its label, and for a word for a key directly before it.
_LABELLED, _BESIDE = 56, 24
#: Minimum entropy of a random token in bits per character; words and identifiers in camel case stay below.
_BITS, _BITS_NAMED = 3.6, 3.0
#: Minimum length of a random part of an address.
_LONG_PART = 20
#: Minimum number of consecutive BIP-39 words of a seed phrase, in a sentence that names one and in any other.
_SEED_WORDS_NAMED, _SEED_WORDS = 3, 6
#: Number of words of a whole seed phrase.
_WHOLE_SEED = 12
_CLOSING = {")": "(", "]": "[", "}": "{"}
#: Cues of which each names a means of access.
ACCESS = ("password", "code", "key", "seed", "user", "spare_code", "question", "verification", "licence")
#: The same, without those for an account.
_OPENING = ("password", "code", "key", "seed", "spare_code", "licence", "lock", "document")
#: Text between spaces, quotes, brackets and signs.
_WRITTEN = re.compile(r"[^\s\"'`()\[\]{}<>,;=|:]{4,255}")
MARKED = re.compile(r"\[redacted: \w+\]")

#: Bytes of a key, between commas.
_BYTES = re.compile(r"(?<![\w,])\[?(?:\d{1,3},\s?){7,}\d{1,3}\]?(?!\w)")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64,256}(?![0-9A-Za-z])")
_HEX_NAMED = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?=[a-f\d]*\d)(?=\d*[a-f])[0-9a-f]{12,256}(?![0-9A-Za-z-])")
#: A long token of letters and digits.
_TOKEN = re.compile(
    r"(?<![\w/+@#-])(?=[\w+/.%:-]{0,255}[A-Za-z])(?=[\w+/.%:-]{0,255}\d)[A-Za-z0-9+/_.%-]{14,255}={0,2}(?![\w/@-])"
)
#: Tokens of a public form: identifiers, addresses on a chain, ids of content, names of hosts and files.
_PUBLIC_FORM = re.compile(
    r"(?:0x)?[0-9a-fA-F-]+|bafy\w{40,}|Qm[1-9A-HJ-NP-Za-km-z]{44}|bc1[a-z0-9]{25,62}|[a-z\d]+(?:[._/-][a-z\d]+)*|[A-Z\d]+(?:_[A-Z\d]+)+|"
    r"[\w.-]+\.(?:com|org|net|io|py|rs|toml|json|md|txt|eth)|[A-Za-z]+\d{0,4}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*[._-]?\d{0,4}|[\d.,:+-]+[a-zA-Z]{0,3}"
)
#: A path, which resembles a key in base 64.
_PATH = re.compile(r"[\w-]+(?:/[\w.-]+)+")
#: An absolute path of words, short numbers and hashes with an extension, which is none of a key.
_FILE = re.compile(
    r"(?:/(?:[A-Za-z]+[-_.]?\d{0,4}|v?\d{1,3}(?:\.\d{1,3})*|[A-Za-z]+-\d{1,3}(?:\.\d{1,3}){1,2})){2,}|"
    r"[~.]{0,2}(?:/(?:[A-Za-z]+|\d{1,6}|[0-9a-f]{6,40})(?:[-_.](?:[A-Za-z]+|\d{1,6}|[0-9a-f]{6,40}))*)+\.[A-Za-z0-9]{1,8}"
)
#: A reference number: capitals, a sign, and figures or capitals, as in `ORD-232293-H5MQZ4VF`.
_REFERENCE = re.compile(r"[A-Z][A-Za-z]{1,4}[-#/](?:\d{2,}[-/])?[A-Z\d]{3,}(?:[-/][A-Z\d]{1,4})?")
#: The same with words: capitals, a sign, at least three figures, then words, as in `ISDA-8426-714lantern`.
_NAMED_REFERENCE = re.compile(r"[A-Z]{2,6}[-#/]\d{3,}(?:[-/_][A-Za-z\d]{1,12})*")
#: An identifier behind a label: letters and a sign, as in `SVC-TH-434`, letters and figures, as in `QC5108/MQQZ5L`,
#: or `1Z` of a parcel (UPS). Groups of four or five are those of a product key.
_LABELLED_NUMBER = re.compile(
    r"(?=[^\s]{0,24}\d)(?![^\s]{0,24}(?:-[A-Z\d]{4,5}){2}(?![A-Z\d]))"
    r"(?:[A-Z]{3,6}[-#/](?:\d{0,9}[a-z]{2,12}|[0-9a-f]{8,}|[A-Z\d]+)|(?:1Z|(?=.{12})[A-Z]{2,6}-?\d{2,})[A-Z\d]*)"
    r"(?:[-#/.](?:\d{0,9}[a-z]{2,12}|[A-Z\d]+))*"
)
#: Token behind a word for an identifier, as in `account label BX-4471-KES`, without the groups of a product key.
_CALLED = re.compile(
    r"(?<![\w/+@#.-])(?=[^\s]{0,32}\d)(?![^\s]{0,32}(?:-[A-Z\d]{4,5}){2}(?![A-Z\d]))"
    r"[A-Z]{1,6}(?:[-/.][A-Z\d]{1,8}){1,4}(?![\w/@#-])"
)
#: An amount of money in groups of thousands.
_AMOUNT = re.compile(r"(?<![\w.,])\d{1,3}(?:[.,]\d{3}){1,4}(?![\w]|[.,]\d)")
#: The reading of a meter.
_READ = re.compile(r"(?<![\w.,-])\d{1,9}(?:[.,]\d{1,3})?(?![\w-]|[.,]\d)")
#: The label at the beginning of a token, as in `LEI925518AJ`.
_LABEL = re.compile(r"[A-Z]{2,6}(?=[-#/]?\d)")
#: A version before its release (semver.org, 2.0.0, item 9), as in `6.74.388-rc6159`.
PRERELEASE = re.compile(r"(?<![\w.])v?\d{1,4}\.\d{1,4}\.\d{1,4}-[A-Za-z][A-Za-z\d.-]{0,24}")
_BASE_32 = re.compile(r"(?=.*\d)[A-Z2-7]{16,}")
_RUN = re.compile(r"[a-z]{3,8}(?:[\s,]{1,2}[a-z]{3,8}){2,29}")
#: Words after a colon that are none of a sentence: `the recovery phrase is on a napkin: maple violet 412`.
_LISTED = re.compile(
    r":\s{1,2}(?P<secret>(?:[a-z]{3,12}|[\da-f]{2,16})(?:\s(?:[a-z]{3,12}|[\da-f]{2,16})){2,23})\s*(?:[.;]|$)"
)
_GROUPED_CODE = re.compile(r"(?<![\w.$€£/+-])\d{2,8}(?:-\d{2,8}){1,5}(?![\w-]|[.,:]\d)")
#: Characters behind a word for spare codes that are searched, and the least number of digits of one.
_REACH, _SPARE_DIGITS = 64, 6
_QUOTED = re.compile(r"[\"'“«](?P<secret>[a-z]{3,8}(?:\s[a-z]{3,8}){2,23})[\"'”»]")


@dataclass(frozen=True, slots=True)
class Span:
    """Private span of a text.

    Args:
        start: Index of the first character.
        end: Index after the last character.
        kind: Name in the mark and in the counts.
        instead: Replacement that keeps the lesson; empty for a mark.
    """

    start: int
    end: int
    kind: str
    instead: str = ""


def found(sentence: str) -> Iterator[Span]:
    """Finds the secrets and identities of one sentence without overlap, ignoring the marks of an earlier pass."""
    taken = [match.span() for match in MARKED.finditer(sentence)]
    plain = MARKED.sub(lambda match: " " * len(match[0]), sentence)
    plain = assignments.mask(plain)
    named = business.mask(plain)
    for find in (_contacts, _seeds, _keys, _spare_codes, _identities):
        for span in find(named if find is _identities else plain):
            if span.start < span.end and all(span.end <= start or span.start >= end for start, end in taken):
                taken.append((span.start, span.end))
                yield span


def told(text: str) -> list[Span]:
    """Finds the secrets that a whole text tells, in order."""
    plain = MARKED.sub(lambda match: "[" * len(match[0]), text)
    written = [Span(*one) for find in (assignments.values, commands.arguments) for one in find(plain)]
    spans = list(written)
    tagged = list(tagger.secrets(plain))
    # Most texts have no secret, and need no search for forms.
    formed = [
        match.span()
        for form in (forms(text) if tagged else ())
        if form.name != "password"
        for match in form.pattern.finditer(text)
    ]
    keys = list(_keys(plain)) if tagged else []
    in_form = _first_overlaps(tagged, formed)
    named = _first_overlaps(tagged, [(span.start, span.end) for span in written])
    of_key = _first_overlaps(tagged, [(key.start, key.end) for key in keys])
    harmless = (
        identities.permitted,
        commands.programs,
        technical.permitted,
        _identifiers,
        _amounts,
        _readings,
    )
    permitted = [place for find in harmless for place in find(plain)] if tagged else []
    for number, (start, end, kind) in enumerate(tagged):
        # A date of birth, a bank account or an identifier is no secret where no word of the text tells of one.
        if number in in_form or any(first <= start and end <= last for first, last in permitted):
            continue
        # A name tells where its value begins, and not where a phrase ends.
        if number in named:
            name = written[named[number]]
            spans.append(Span(name.start, end, name.kind))
        else:
            spans.append(Span(start, end, keys[of_key[number]].kind if number in of_key else kind))
    return apart(spans)


def _first_overlaps(tagged: Sequence[Found], others: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Returns the place of the first of other spans that overlaps each tagged one.

    Args:
        tagged: Spans in order and apart.
        others: Spans in any order.
    """
    found: dict[int, int] = {}
    for place, (first, last) in enumerate(others):
        number = bisect_right(tagged, first, key=itemgetter(1))
        while number < len(tagged) and tagged[number][0] < last:
            found.setdefault(number, place)
            number += 1
    return found


def holds(text: str) -> bool:
    """Whether a text holds a secret: in a form that only secrets have, told as one, or beside a word for one."""
    if any(form.pattern.search(text) for form in forms(text)) or told(text):
        return True
    plain = assignments.mask(text)
    if any(identities.cards(plain)) or any(
        text[span.start : span.end].count(" ") + 1 >= _WHOLE_SEED for span in _seeds(plain)
    ):
        return True
    if not any(cue(name).search(plain) for name in ("password", "code", "key", "seed", "document")):
        return False
    if any(span.kind in _SECRET for span in found(text)):
        return True
    return any(kind == "secret" for _, _, kind, _ in figures.figures(business.mask(plain)))


def spans(text: str) -> list[Span]:
    """Finds the secrets of a text by all means, in order and apart."""
    formed = [Span(*match.span(), form.name) for form in forms(text) for match in form.pattern.finditer(text)]
    return apart([*told(text), *formed, *(span for span in found(text) if span.kind in _SECRET)])


def apart(spans: Iterable[Span]) -> list[Span]:
    """Returns spans in order and without overlap, the first and longest of each."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def without_closing(secret: str) -> str:
    """Returns a secret without the brackets at its end that close what began before it, and the stops after them."""
    bare = secret.rstrip(".!?")
    while bare[-1:] in _CLOSING and bare.count(_CLOSING[bare[-1]]) < bare.count(bare[-1]):
        secret = bare = bare[:-1]
    return secret


def opens(text: str) -> bool:
    """Whether a text mentions a means of access or a person's identity."""
    if cue("public_code").search(text):
        return False
    return any(cue(name).search(text) for name in ("code", "password", "id", "birth", "home")) or bool(
        cue("lock").search(text) and not cue("software").search(text)
    )


def _group(match: re.Match[str], kind: str) -> Span:
    start = match.start("secret")
    return Span(start, start + len(without_closing(match["secret"])), kind)


def _is_reference(word: str) -> bool:
    """Whether a word is the number of a case, an order or a contract, or begins with its own public label."""
    label = _LABEL.match(word)
    if label is None or any(cue(name).fullmatch(label[0]) for name in ("key", "password", "code", "seed")):
        return False
    return bool(_NAMED_REFERENCE.fullmatch(word) or cue("public_token").fullmatch(label[0]))


def _identifiers(text: str) -> list[tuple[int, int]]:
    """Returns the places of files and of labelled identifiers in a text without a word for a means of access."""
    found = [
        (match.start(), match.start() + len(word))
        for match in _WRITTEN.finditer(text)
        if _LABELLED_NUMBER.fullmatch(word := match[0].rstrip(".")) or _FILE.fullmatch(word)
    ]
    rest = text
    for label in cue("identifier").finditer(text):
        # Between an identifier and what calls it one stands no other.
        token = _CALLED.search(text, label.end(), label.end() + _LABELLED)
        if token is not None:
            found.append(token.span())
            rest = rest[: label.start()] + " " * (label.end() - label.start()) + rest[label.end() :]
    for start, end in found:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    return [] if found and any_cue(*ACCESS, "lock").search(rest) else found


def _amounts(text: str) -> list[tuple[int, int]]:
    """Returns the places of amounts of money in a text without a word for a means of access."""
    found = [match.span() for match in _AMOUNT.finditer(text) if after("money").match(text, match.end())]
    return [] if found and any_cue(*_OPENING).search(text) else found


def _readings(text: str) -> list[tuple[int, int]]:
    """Returns the places of the readings of meters."""
    return [match.span() for match in _READ.finditer(text) if figures.is_reading(text, match.start())]


def _is_public(text: str, start: int) -> bool:
    """Whether the text before a token labels it as public."""
    ahead = text[max(start - _LABELLED, 0) : start]
    labels = [match.end() for match in cue("public_token").finditer(ahead)]
    return bool(labels) and not any(match.start() > labels[-1] for match in cue("key").finditer(ahead))


@cache
def _seed_words() -> frozenset[str]:
    """Returns the words of the English BIP-39 list, without those common in plain sentences."""
    from mnemonic import Mnemonic

    return frozenset(Mnemonic("english").wordlist) - common_words()


def _seeds(text: str) -> Iterator[Span]:
    """Finds seed phrases, whole or in part."""
    if cue("example").search(text):
        return
    is_named = cue("seed").search(text)
    if is_named:
        yield from (_group(match, "seed_phrase") for match in _QUOTED.finditer(text))
        listed = _LISTED.search(text, is_named.end())
        if listed and not PREDICATE.match(listed["secret"].split()[0]):
            yield _group(listed, "seed_phrase")
    least = _SEED_WORDS_NAMED if is_named else _SEED_WORDS
    for run in _RUN.finditer(text):
        row: list[re.Match[str]] = []
        for word in (*re.finditer(r"[a-z]+", run[0]), None):
            if word and word[0] in _seed_words():
                row.append(word)
                continue
            if len({each[0] for each in row}) >= least:
                yield Span(run.start() + row[0].start(), run.start() + row[-1].end(), "seed_phrase")
            row = []


def _keys(text: str) -> Iterator[Span]:
    """Finds keys without a documented format, by the entropy of their characters."""
    is_key = cue("key").search(text)
    if is_key:
        yield from (Span(*match.span(), "key_bytes") for match in _BYTES.finditer(text))
    yield from (
        Span(*match.span(), "hex_secret")
        for match in _HEX.finditer(text)
        if not _is_public(text, match.start())
    )
    if is_key:
        for match in _HEX_NAMED.finditer(text):
            if cue("key").search(text[max(match.start() - _LABELLED, 0) : match.start()]) and not _is_public(
                text, match.start()
            ):
                yield Span(*match.span(), "random_key")
    tokens = list(_TOKEN.finditer(text))
    # Most texts have no such token.
    identifiers = set(_identifiers(text)) if tokens else set()
    for match in tokens:
        token = match[0].rstrip("=.")
        if (match.start(), match.start() + len(token)) in identifiers:
            continue
        is_named = cue("key").search(text[max(match.start() - _BESIDE, 0) : match.start()])
        is_base_32 = is_named and _BASE_32.fullmatch(token)
        is_path = _FILE.fullmatch(token) or (not is_named and _PATH.fullmatch(token))
        is_page = token.startswith("//") and (
            not is_key or not any(len(part) >= _LONG_PART for part in token.split("/"))
        )
        is_form = _PUBLIC_FORM.fullmatch(token) or is_path or is_page
        is_reference = not is_named and (_REFERENCE.fullmatch(token) or _is_reference(token))
        if _is_public(text, match.start()) or is_reference or (is_form and not is_base_32):
            continue
        figured = len(re.findall(r"\d", token)) > 1 and len(token) >= 20
        if bits(token) >= (_BITS_NAMED if is_named else _BITS) and (is_named or figured):
            yield Span(match.start(), match.start() + len(token), "random_key")


def _spare_codes(text: str) -> Iterator[Span]:
    """Finds codes in groups, such as `407148-74`, behind a word for codes that stand in for a second factor."""
    label = cue("spare_code").search(text)
    for match in _GROUPED_CODE.finditer(text, label.end(), label.end() + _REACH) if label else ():
        if sum(map(str.isdigit, match[0])) >= _SPARE_DIGITS and not identities.is_date(match[0]):
            yield Span(*match.span(), "secret")


def _contacts(text: str) -> Iterator[Span]:
    yield from (Span(*found) for found in identities.contacts(text))


def _identities(text: str) -> Iterator[Span]:
    yield from (Span(*found) for found in identities.identities(text))
