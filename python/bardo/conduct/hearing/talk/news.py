"""Recognises news of one's life and of things, which asks for nothing and forbids nothing.

"The van is booked for the 5th", "I'm not vegetarian any more" and "Mrs Dunbar is away, so no violin till September"
tell how things stand. The words are in `news.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operations
from bardo.conduct.parse.rejections import wording
from bardo.conduct.parse.rejections.forbidden import practices_in
from bardo.conduct.parse.vocabulary import kinds_in, stems_of, vocabulary
from bardo.conduct.state.prohibition import is_prohibition
from bardo.consolidate.texts.clauses import sentences

#: Mark or word between clauses.
_BETWEEN = lazy_pattern(r"(?:\s*[,;:]\s+|\s+[-–—]+\s+)(?:(?:and|so|but)\s+)?|\s+(?:and|so|but)\s+")
_LEAD = lazy_pattern(
    r"^(?:(?:and|so|but|also|oh|ugh|ok(?:ay)?|well|btw|anyway|yes|yeah|no(?=[,.!:]))[\s,.!:]+)+",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[a-z]+(?=\s+\w)")
#: Ending of a word that is no verb in the base form.
_INFLECTED = lazy_pattern(r"(?:ing|ed|ly|s)$")
#: Words by which a "no" is meant for the one who is spoken to.
_ADDRESSED = lazy_pattern(r"\b(?:please|pls|plz|you|your|ever|never|always|from now on)\b", re.IGNORECASE)
#: Thing that is left out for a time, after its reason.
_NO_FOR_NOW = (
    r"(?:^|,|;|\bso|\band)\s*no (?!more\b|new\b)(?P<left>[\w' -]{2,40}?) "
    r"(?:until|till|for (?:now|a while|a bit|a few|this|the)|today|tonight|tomorrow|this|next)\b"
)


class _Forms(NamedTuple):
    """Patterns of news.

    Args:
        asks: Words that ask for something.
        told: Beginning of a statement: its subject and verb.
        continues: Beginning of a further clause that asks for nothing.
        provisional: What people take or use themselves for a time.
        of_person: State of the speaker or of a person, which forbids nothing.
    """

    asks: re.Pattern[str]
    told: re.Pattern[str]
    continues: re.Pattern[str]
    provisional: re.Pattern[str]
    of_person: re.Pattern[str]


def is_news(text: str) -> bool:
    """Whether a user's words only tell how things stand or what happened, and ask for nothing to be done.

    Args:
        text: Words of a user.
    """
    bare = wording.straight(text).strip()
    forms = _forms()
    if "?" in bare or forms.asks.search(bare):
        return False
    said = [_LEAD.sub("", sentence).strip(" .!") for sentence in sentences(bare)]
    others = [clause for sentence in said for clause in _BETWEEN.split(sentence)[1:]] + said[1:]
    return bool(said) and forms.told.match(said[0]) is not None and not any(map(_may_ask, others))


def is_of_life(text: str) -> bool:
    """Whether a user's words with a negation only tell of a person's life: "I'm not vegetarian any more".

    Args:
        text: Words of a user.
    """
    bare = wording.straight(text).strip()
    is_order = _ADDRESSED.search(bare) or any(map(is_prohibition, _BETWEEN.split(bare)[1:]))
    found = None if is_order else _forms().of_person.match(_LEAD.sub("", bare))
    if found is None:
        return False
    # "No deploys till Monday, Ana is away" is of the project.
    left = found["left"] or found["own"] or found["given_up"] or found["place"] or "thing"
    is_of_work = bool(practices_in(f"no {left}")) or bool(
        found["place"] and kinds_in(stems_of(left), vocabulary().kinds_by_stem)
    )
    return not is_of_work and not operations.forbidden_by(f"no {left}").operations - {"use"}


def is_provisional(text: str) -> bool:
    """Whether a user only tells what people use themselves for a time: "We'll take the bus for now".

    Args:
        text: Words of a user.
    """
    return _forms().provisional.match(_LEAD.sub("", wording.straight(text).strip())) is not None


def _may_ask(clause: str) -> bool:
    """Whether a further clause can be a request: it begins with what may be a verb, and has an object."""
    found = _WORD.match(clause)
    forms = _forms()
    is_told = (
        forms.continues.match(clause) or forms.told.match(clause) or (found and _INFLECTED.search(found[0]))
    )
    return found is not None and not is_told


@cache
def _forms() -> _Forms:
    """Returns the patterns; the file is read once."""
    text = resources.files("bardo.conduct.hearing.talk").joinpath("news.toml").read_text(encoding="utf-8")
    words: dict[str, str] = tomllib.loads(text)
    subject = rf"(?!(?:{words['embeds']})\b)(?:(?!(?:{words['subordinates']})\b)[\w'&.-]+ ){{1,7}}?"
    bare_past = r"(?<!the )(?<!a )(?<!my )(?<!our )\w+ed"
    verb = (
        r"(?:is|are|was|were|has|have|had|will be|won't be|isn't|aren't|hasn't|"
        rf"{words['happens']}|{bare_past})\b"
    )
    contracted = (
        r"(?:(?:the|my|our|his|her|their|mrs|mr|ms|dr)\.? )?"
        r"[\w-]+'s (?:\w+ing|off|back|out|in|on|been|got|now)\b"
    )
    told = (
        rf"(?:{subject}{verb}|{contracted}|(?:it|that|he|she|there|they|i)'(?:s|re|m) |(?:{words['past']})\b)"
    )
    name = r"(?-i:[A-Z][\w-]+)(?: (?-i:[A-Z][\w-]+))?"
    person = rf"(?:{words['parents']}|{words['persons']}|{name})"
    state = (
        r"(?:i'm|i am|(?:he|she)(?:'s| is)|(?:they|we)(?:'re| are)) "
        rf"(?:no longer (?!\w+ing\b|(?:{words['opinions']})\b)\w|out of (?!the question\b)\w|"
        rf"not (?!\w+ing\b)(?:(?!with\b|about\b)[^\s,;.?!]+ ){{1,4}}?(?:any ?more|any longer|now)\b|"
        rf"(?:off|back on|on) (?:the |my )?(?:\w+ )?(?:{words['occupations']})\b)"
    )
    relative = rf"(?:(?:my|our|his|her|their) )?(?:{words['parents']}|{words['relatives']})"
    ended = rf"{relative}(?:'s| is| has come| came) off (?:(?:the|his|her|their) )?\w"
    habit = (
        rf"(?:i|he|she) (?:(?:don't|doesn't|do not|does not) (?:{words['habits']})\b[^,;.?!]*? (?:any ?more|any longer|"
        rf"these days)|no longer (?:{words['habits']})s?)\b"
    )
    away = rf"{person}(?:'s|'m|'re| is| am| are| has| have)\b(?:(?! no\b).){{1,80}}?{_NO_FOR_NOW}"
    own = rf"{_NO_FOR_NOW.replace('?P<left>', '?P<own>')}[^,;:.]*(?:[,;:]|\s[-–—]+) ?(?:my|i|i'm|i've)\b"
    mine = r"[^,;.?!]{2,40}? (?:is|are|'s) off for (?:me|us|him|her|them)\b"
    given_up = r"no more (?P<given_up>[a-z]+(?: [a-z]+)?) for me\b"
    trip = (
        r"(?:i'm|i am|we're|we are) not (?:going|coming|flying|driving|travelling|traveling|cycling) to "
        r"(?P<place>(?:the |(?=(?-i:[A-Z])))[\w-]+) (?:[\w ]+ )?after all\b"
    )
    return _Forms(
        re.compile(rf"\b(?:{words['asks']})\b", re.IGNORECASE),
        re.compile(told, re.IGNORECASE),
        re.compile(rf"(?:{words['continues']})\b", re.IGNORECASE),
        re.compile(
            r"(?:i|we)(?:'ll| will| are going to|'re going to) (?:just )?(?:use|take|borrow|share|go with) "
            rf"(?:(?:the|a|my|our|\w+'s) )?(?:\w+ )?(?:{words['outings']})\b.*\b(?:for now|for the time being|"
            r"meanwhile|in the meantime|until|till)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"(?:{state}|{ended}|{habit}|{away}|{own}|{mine}|{given_up}|{trip})", re.IGNORECASE),
    )
