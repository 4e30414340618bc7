"""States that plain sentences give a thing: "OPS-4417 is closed", "Helle has the night shift", "may not exceed 2 %"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.clock import date_of
from bardo.consolidate.clause import Clause, Cue, Speech
from bardo.consolidate.languages.english.dates import midnight
from bardo.consolidate.languages.english.near_days import dated
from bardo.consolidate.languages.english.slots import case_in
from bardo.model import Statement

#: Ticket by its code, or by its kind and number.
_KIND = r"(?i:ticket|issue|bug|case|incident|pr|pull request|merge request|task|claim|story|rma)"
_TICKET = rf"(?i:the |our )?(?:(?:{_KIND} )?(?P<code>[A-Z][A-Z0-9]{{1,9}}-\d+)|(?P<numbered>{_KIND} #?\d+))"
_ADVERBS = r"(?: (?i:now|still|already|finally|just|currently|back|officially))*"
#: States in which a ticket stays, and participles of an act by which it got into one.
_STAYS = (
    r"(?i:open|done|in progress|in review|on hold|pending|blocked|stuck|ready|live|under review|in triage)"
)
_GOT = (
    r"(?i:closed|resolved|fixed|merged|reopened|re-opened|rejected|cancelled|canceled|finished|completed|"
    r"declined|shipped|deployed|postponed)"
)
_PERSON = (
    r"(?P<person>(?!(?:I|We|You|He|She|They|It|Who(?:ever)?|Some(?:one|body)|Every(?:one|body)|No(?:ne|body)?|One|The|"
    r"My|Our|This|That|If|When)\b)[A-Z][\w'-]+(?: (?:van |von |de )?[A-Z][\w'-]+){0,2})"
)
_SHIFT = (
    r"(?i:the|our) (?P<shift>(?i:night|late|early|day|evening|morning|weekend|back|first|second|third|on-call) "
    r"(?i:shift|duty|watch|rota))"
)
_TIME = r"(?P<time>(?: (?i:this week|this weekend|tonight|today|next week|on \w+days?|at weekends))?)"
_VALUE = (
    r"(?P<value>[€$£]?\d[\w.,]*(?: ?%)?(?: (?!(?:and|but|so|because|unless|if|when|until)\b)[\w%/-]+){0,5})"
)
_THING = (
    r"(?i:the |our |my )?(?P<thing>(?!(?i:it|this|that|you|we|they|he|she|i|there|if|when|unless|what|who)\b)"
    r"\w[\w-]*(?: (?!(?i:is|are|may|must|can)\b)[\w-]+){0,4}?)"
)
_COMPONENT = (
    r"(?i:the |our )?(?P<component>(?!(?i:it|this|that|we|you|they|everything)\b)[\w./-]*[A-Za-z][\w./-]*"
    r"(?: [\w./-]+)?)"
)
_VERSION = r"(?P<{}>\d+(?:\.\d+)+)"
_UPGRADED = (
    r"(?:(?:upgraded|downgraded|rolled back) to (?i:version |v\.? ?)?|"
    r"(?:bumped|moved|updated) to (?i:version |v\.? ?))"
)
#: Beginning of a sentence, and its end or a further clause.
_LEAD = r"\W*(?:(?i:so|ok|okay|good news|fyi|btw|and|also|by the way)[,:.]? )*"
_END = r"(?=\s*(?:$|[.!]\s*$|[,;]|\s[-–—]\s|\s(?:and|but|so|because|since)\b))"
_FORMS = {
    "status": lazy_pattern(
        rf"{_LEAD}{_TICKET} (?:(?:is|stays|remains){_ADVERBS} (?P<stays>{_STAYS}|{_GOT})|"
        rf"(?:was|got|has been|'s been|has just been){_ADVERBS} (?P<got>{_GOT})){_END}"
    ),
    "held": lazy_pattern(
        rf"{_LEAD}{_TICKET} (?:is|was|has been|got){_ADVERBS} "
        rf"(?:with|assigned to|handled by|owned by|re-?assigned to){_ADVERBS} {_PERSON}{_ADVERBS}{_END}"
    ),
    "shift": lazy_pattern(
        rf"{_LEAD}{_PERSON} (?:has|does|takes|covers|works|is on|is doing|has got){_ADVERBS} {_SHIFT}{_TIME}"
        rf"{_ADVERBS}{_END}"
    ),
    "limit": lazy_pattern(
        rf"{_LEAD}{_THING} (?:(?i:may|must|can|should) (?:not|never)|(?i:cannot|can't|mustn't)) "
        r"(?i:exceed|be (?:more|higher) than|"
        rf"go (?:above|over|beyond)|be (?:above|over)) {_VALUE}{_END}"
    ),
    "version": lazy_pattern(
        rf"{_LEAD}{_COMPONENT} (?:(?:was|is|got|has been){_ADVERBS} "
        rf"{_UPGRADED}{_VERSION.format('reached')}|"
        rf"{_VERSION.format('live')} (?:is|has been){_ADVERBS} (?:live|running|deployed|installed))"
        rf"(?: (?:since|over|on|as of|from) (?:(?!(?:and|but|because|since)\b)[\w-]+ ?){{1,3}})?{_END}"
    ),
}  # fmt: skip
_NOW = lazy_pattern(r"\b(?:now|finally|just|reopened|re-opened|back)\b", re.IGNORECASE)


class _Told(NamedTuple):
    """Statement of a sentence: subject, attribute and value, and its words in the third person."""

    subject: str
    attribute: str
    value: str
    text: str


def told_state(sentence: str, speech: Speech) -> tuple[Clause, bool] | None:
    """The clause of a sentence that gives a state, and whether the sentence says no more; None for other sentences.

    Args:
        sentence: Sentence that is no question.
        speech: Its text.
    """
    text = sentence.strip().replace("’", "'")
    for kind, form in _FORMS.items():
        if (found := form.match(text)) is not None:
            clause = _clause(_told(kind, found), found, sentence, speech)
            return clause, not text[found.end() :].strip(" .!")
    return None


def _told(kind: str, found: re.Match[str]) -> _Told:
    """The statement of a match of a form."""
    given = found.groupdict()
    if kind == "limit":
        thing = given["thing"]
        return _Told(thing.lower(), "limit", given["value"], found[0].strip(" ,;"))
    if kind == "version":
        version = given["reached"] or given["live"]
        name = given["component"]
        return _Told(name.lower(), "version", version, found[0].strip(" ,;"))
    if kind == "shift":
        shift = given["shift"].lower()
        return _Told(shift, "owner", given["person"], f"{given['person']} has the {shift}{given['time']}")
    ticket = given["code"] or given["numbered"]
    if kind == "held":
        return _Told(ticket.lower(), "owner", given["person"], f"{ticket} is with {given['person']}")
    state = (given["stays"] or given["got"]).lower()
    return _Told(ticket.lower(), "status", state, f"{ticket} is {state}")


def _clause(told: _Told, found: re.Match[str], sentence: str, speech: Speech) -> Clause:
    """The clause of a state."""
    cues: frozenset[Cue] = frozenset({"now"}) if _NOW.search(found[0]) else frozenset()
    words = frozenset(f"{told.subject} {told.value}".lower().split())
    until = _end(found.groupdict().get("time") or "", speech.at)
    text = dated(told.text, speech.at)
    return Clause(
        text=text[:1].upper() + text[1:],
        sentence=sentence.strip(),
        owner=told.subject,
        topic=tuple(told.subject.split()),
        comment=("be", told.value.lower()),
        predicate="be",
        anchors=words,
        names=frozenset(told.value.lower().split()) if told.attribute == "owner" else frozenset(),
        figures=frozenset({told.value.lower()}) if told.attribute == "limit" else frozenset(),
        objects=frozenset({told.value.lower()}),
        cues=cues,
        trait=True,
        until=until,
        statement=Statement(
            told.subject, told.attribute, told.value, condition=case_in(found.groupdict().get("time") or ""),
            until=until, functional=True,
        ),
    )  # fmt: skip


def _end(time: str, at: int) -> int | None:
    """First instant after the week or day for which something is told; None without one."""
    words = time.strip().lower()
    if not at or not words.startswith(("this", "ton", "today", "next")):
        return None
    day = date_of(at)
    monday = day + timedelta(days=7 - day.weekday())
    ends = {"today": day + timedelta(days=1), "tonight": day + timedelta(days=2)}
    return midnight(monday + timedelta(days=7) if words.startswith("next") else ends.get(words, monday))
