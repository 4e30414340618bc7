"""Finds what identifies persons: contact data, accounts, homes, and numbers of documents and contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import figures
from bardo.privacy.cues import after, any_cue, cue

#: Start, end and kind of a span: `contact` for what an heir needs to deal with a person, `identity` for bank cards and
#: numbers by which others pass for one.
Found = tuple[int, int, str]
#: Characters searched before a number for words that make it public.
_LABELLED = 56
#: Modulus of IBAN check digits, and numbers of digits of a bank card.
_IBAN_MODULUS, _CARD_DIGITS = 97, range(13, 20)

_ID_TOKEN = re.compile(
    r"(?<![\w.$€£-])(?=[^\s]{0,24}\d)[A-Z]{0,6}[-.\s]?\d(?:[A-Z\d]|[-./\s](?=[A-Z\d])){2,30}[A-Z\d](?![\w%]|[.,]\d)"
)
_TAIL = re.compile(r"(?i)\b(?:ending(?: in)?|ends in|last (?:four|4)(?: digits)?)\s(?P<secret>\d{3,6})\b")
#: The number of a bank account behind its sort.
_BANK = re.compile(
    r"(?i)\b(?:checking|savings|bank account|giro ?konto|kontonummer|konto|compte|cuenta|conto corrente|rekening)"
    r"(?:\s(?:account|no\.?|nr\.?|number|is))?:?\s(?P<secret>\d(?:[ -]?\d){7,16})(?![\w-]|[.,]\d)"
)
#: The number of an account: letters before digits, or digits in groups.
_ACCOUNT = re.compile(
    r"(?<![\w.,$€£@/:+#-])(?:[A-Z]{1,6}[-/. ]?\d{3,12}|\d{2,12}[-/]\d{1,12}|\d{4}\s\d{4})"
    r"(?:[-/. ][A-Z\d]{1,12}(?![a-z])){0,4}(?![\w%@/-]|[.,:]\d|\s?[€$£%])"
)
#: Words between an account or another thing with a number and the number, the last of which names it.
_CALLED = re.compile(
    r"(?i)(?:[^;!?\d]{0,60}(?:\b(?:is|are|was|to|becomes?|now|number|no|nr|id|ref|reference)\b|['’]s\b))?[\s:#=.]{1,2}"
)
_IBAN = re.compile(r"(?<![\w-])[A-Z]{2}\d{2}(?:\s?[A-Z\d]{2,4}){3,8}(?:\s?[A-Z\d]{1,4})?(?![\w-])")
CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
#: The number of an incident, a change or a request, as service desks write it, or of an article of Microsoft.
_TICKET = re.compile(r"(?:KB|INC|CHG|REQ|RITM|PRB|TASK|TKT|CASE|BUG)-?\d{4,10}")
#: Identifiers: letters before many digits, or groups of digits between hyphens.
_CONTRACT = re.compile(
    r"(?<![\w.$€£/:+-])(?:[A-Z]{1,3}\d{6,10}|[A-Z]{0,4}-?\d{2,9}(?:-\d{2,9}){2,4}|"
    r"(?=[\d.]{0,12}\d{4})\d{2,4}(?:\.\d{2,4}){2,4})(?![\w-]|[.,:]\d)"
)
_PUBLIC_NUMBER = re.compile(
    r"(?i)\b(?:isbn|issn|ean|cas|cve|rfc|gtin|doi|part|model|ticket|phone|tel|version|build)[\s:.-]{0,3}\w{0,8}\s?$"
)
_DATE = re.compile(
    r"(?:19|20)\d\d(?:[.-]\d{2}[.-]\d{2})?|\d{1,2}[/.-]\d{2,4}|\d{1,2}[/.-]\d{1,2}[/.-](?:\d{2}){1,2}"
)
_EMAIL = re.compile(
    r"(?<![\w.+-])(?!(?:security|support|info|abuse|contact|help|hello|press|sales|noreply|"
    r"no-reply|postmaster|webmaster|hostmaster|admin|office|team|privacy|legal|jobs|"
    r"billing)@)[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}(?=[A-Za-z0-9-]{0,62}[A-Za-z]{2})[A-Za-z][A-Za-z0-9-]{1,62}"
)
PHONE = re.compile(r"(?<![\w+])(?:\+\d{1,3}|\(?0\d{1,4}\)?)[\s/-]?\d(?:[\s()/.-]{0,2}\d){5,12}(?![\w-])")
#: The hours of a shift: `0900-1300`.
_SHIFT = re.compile(r"(?:[01]\d|2[0-4])[0-5]\d\s?-\s?(?:[01]\d|2[0-4])[0-5]\d")
#: A prefix or groups, which a telephone number has where no word tells of one.
_SEPARATED = re.compile(r"^\+|\d\)?[\s()/.-]\(?\d")
_BORN = re.compile(r"\d{1,4}[./ -](?:\d{1,2}|[^\W\d_]{3,10})[./ -]\d{2,4}|\d{1,2}\.? [^\W\d_]{3,10},? \d{4}")
#: A number and a street, or a street and a number.
_STREET = re.compile(
    r"\d{1,4}[a-z]?,?\s(?:[A-ZÀ-Þ][\w'’]{1,30}\s?){1,4}|"
    r"[A-ZÀ-ÞА-Я][\w'’-]{1,30}"
    r"(?:\s(?:d[aeiou]s?\s|de la\s|del\s|der\s|van\s)?[A-ZÀ-ÞА-Я]?[\w'’-]{2,30}){0,4},?\s\d{1,4}[a-z]?\b"
)
_ROAD = re.compile(
    r"\d{1,4}[a-z]?,?\s(?:[A-Z][\w'’]{1,30}\s){1,3}(?:Road|Rd|Street|St|Lane|Ln|Avenue|Ave|Drive|Close|Way|Court|Square|Terrace|Row|Hill|Gardens)\b"
)


def contacts(text: str) -> Iterator[Found]:
    """Finds e-mail addresses of persons; addresses of roles (RFC 2142) name none."""
    yield from ((*match.span(), "contact") for match in _EMAIL.finditer(text))


def cards(text: str) -> Iterator[Found]:
    """Finds numbers of bank cards by their check digit."""
    if not cue("example").search(text):
        yield from ((*match.span(), "identity") for match in CARD.finditer(text) if _is_card(match[0]))


def identities(text: str) -> Iterator[Found]:
    """Finds what identifies persons; of the kind `contact` what an heir needs to deal with them."""
    if not any(map(str.isdigit, text)):
        return
    is_secret = _tells_secret(text)
    kind = "identity" if is_secret or cue("lock").search(text) else "contact"
    yield from ((*span, kind) for span in _births(text))
    home = cue("home").search(text)
    if home:
        for match in (*_STREET.finditer(text, home.end()), *_ROAD.finditer(text)):
            # A lift or a garage is a part of a home, and no lock, unless a code is told.
            of_home = "identity" if is_secret else "contact"
            yield match.start(), match.start() + len(match[0].rstrip()), of_home
    if not cue("example").search(text):
        yield from ((*span, kind) for span in _bank_accounts(text))
        if not cue("identifier").search(text):
            yield from ((*span, kind) for span in _numbered(text, "account"))
        yield from cards(text)
        if cue("id").search(text):
            yield from _named_identities(text, kind)
    for match in PHONE.finditer(text):
        if _SHIFT.fullmatch(match[0]) or not (_SEPARATED.search(match[0]) or cue("telephone").search(text)):
            continue
        if cue("person_line").search(text) or not cue("public_line").search(text):
            yield (*match.span(), kind)
    is_held = any(cue(name).search(text) for name in ("id", "document", "personal", "telephone", "holder"))
    for match in _CONTRACT.finditer(text):
        if _DATE.fullmatch(match[0]) or _TICKET.fullmatch(match[0]) or not is_held:
            continue
        if not _PUBLIC_NUMBER.search(text[: match.start()][-_LABELLED:]):
            yield (*match.span(), kind)


def permitted(text: str) -> list[tuple[int, int]]:
    """Returns the numbers of a text without a word for a secret: births, telephones, accounts, orders, contracts."""
    if _tells_secret(text) or cue("lock").search(text):
        return []
    return [
        *_births(text),
        *_bank_accounts(text),
        *_telephones(text),
        *_numbered(text, "account"),
        *_numbered(text, "business"),
    ]


def _tells_secret(text: str) -> bool:
    """Whether a text has a word for a document, a code or a password."""
    return any(cue(name).search(text) for name in ("document", "code", "password"))


def _births(text: str) -> Iterator[tuple[int, int]]:
    if cue("birth").search(text):
        yield from (match.span() for match in _BORN.finditer(text))


def _numbered(text: str, label: str) -> Iterator[tuple[int, int]]:
    """Finds what a text calls the number of an account or of another thing, without a word for a means of access.

    Args:
        text: Text.
        label: Cue of the words for the thing.
    """
    labels = [match.end() for match in cue(label).finditer(text)]
    if not labels or any_cue("key", "seed", "spare_code", "licence", "question").search(text):
        return
    for match in _ACCOUNT.finditer(text):
        named = max((end for end in labels if end <= match.start()), default=None)
        if named is None or _DATE.fullmatch(match[0]) or PHONE.fullmatch(match[0]):
            continue
        behind = text[match.end() : match.end() + figures.BESIDE]
        is_amount = any(after(name).match(behind) for name in ("money", "market", "measure", "scale"))
        if not is_amount and _CALLED.fullmatch(text, named, match.start()):
            yield match.span()


def _telephones(text: str) -> Iterator[tuple[int, int]]:
    """Finds telephone numbers behind a word for one, in a text without a word for a document or an account."""
    if cue("id").search(text):
        return
    for match in PHONE.finditer(text):
        ahead = text[max(match.start() - _LABELLED, 0) : match.start()]
        if cue("telephone").search(ahead) and not ahead.rstrip(" -/")[-1:].isdigit():
            yield match.span()


def _bank_accounts(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _IBAN.finditer(text) if _is_iban(match[0]))
    for match in _BANK.finditer(text):
        if not _is_count(match["secret"], text[match.end() : match.end() + figures.BESIDE]):
            yield match.span("secret")


def _named_identities(text: str, kind: str) -> Iterator[Found]:
    for match in _ID_TOKEN.finditer(text):
        number = match[0].strip()
        is_plain = after("measure").match(text, match.end()) or after("money").match(text, match.end())
        is_coin = text[max(match.start() - 2, 0) : match.start()].strip() in {"$", "€", "£"}
        is_count = _is_count(number, text[match.end() : match.end() + figures.BESIDE])
        if sum(map(str.isdigit, number)) >= 4 and not (
            is_plain or is_coin or is_count or _DATE.fullmatch(number)
        ):
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), kind
    yield from ((*match.span("secret"), "identity") for match in _TAIL.finditer(text))


def is_date(text: str) -> bool:
    """Whether groups of digits are a date."""
    return bool(_DATE.fullmatch(text))


def _is_count(number: str, behind: str) -> bool:
    """Whether a number counts what follows; no count has groups or begins with a zero."""
    return " " not in number and not number.startswith("0") and figures.counts(number, behind)


def _is_iban(text: str) -> bool:
    """Whether the check digits are correct, or the groups are those of an IBAN."""
    bare = text.replace(" ", "")
    moved = bare[4:] + bare[:4]
    holds = int("".join(str(int(character, 36)) for character in moved)) % _IBAN_MODULUS == 1
    return holds or (15 <= len(bare) <= 34 and sum(map(str.isdigit, bare)) >= 12)


def _is_card(text: str) -> bool:
    """Whether the check digit of a bank card is correct (Luhn)."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(digits) in _CARD_DIGITS and (sum(doubled) + sum(digits[::-2])) % 10 == 0
