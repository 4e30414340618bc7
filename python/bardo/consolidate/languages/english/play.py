"""Play that a text announces: what is said under "let's pretend ..." belongs to a part, and is no fact."""

from __future__ import annotations

import re
from functools import cache

from bardo.consolidate.languages.english.dates import DATE
from bardo.consolidate.languages.english.frames import cue_tables

#: Marks between two sentences.
_BORDER = r"(?:^|(?<=[.!?…\n]))[\s\"'“‘(*-]*"
#: Part of a player: "you're a pirate", "I'm the queen", "you be the doctor".
_PART = re.compile(
    r"\b(?:(?:i|we|you)(?:['’](?:m|re|ll be)| am| are| be| get to be| will be)|(?:you|i) play)"
    r" (?:a|an|the|my|your)\b",
    re.IGNORECASE,
)
#: Border of the sentence after the next one, in which the parts of a play can stand.
_NEXT = re.compile(r"[.!?…\n]+")
_CLOCK = re.compile(r"\bat \w+|\bevery\b|\b\w+days\b", re.IGNORECASE)


def without_play(text: str, *, is_playing: bool = False) -> tuple[str, bool]:
    """The words of a text outside of a play, and whether the play goes on at the end of the text.

    Args:
        text: A text.
        is_playing: Whether a text before it began a play that has not ended.
    """
    kept: list[str] = []
    place = 0
    while place < len(text):
        if is_playing:
            end = _end().search(text, place)
            if end is None:
                return "\n".join(kept), True
            place, is_playing = end.end(), False
            continue
        begin = _begin(text, place)
        kept.append(text[place:begin].strip())
        place, is_playing = begin, begin < len(text)
        if is_playing:
            # The words that announce a play end none.
            place += 1
    return "\n".join(part for part in kept if part), is_playing


def _begin(text: str, place: int) -> int:
    """Place of the first announcement of a play; the end of the text without one."""
    begins = [match.start() for match in _announced().finditer(text, place)]
    games = (match for match in _games().finditer(text, place) if _gives_parts(text, match))
    return min([*begins, *(match.start() for match in games)], default=len(text))


def _gives_parts(text: str, game: re.Match[str]) -> bool:
    """Whether "let's play" begins a play of parts: nothing is named but the parts, or these follow in two sentences.

    "Let's play tennis on Fridays, I'm a beginner" and "let's play chess, I live nearby" begin none.
    """
    rest = text[game.end() :]
    if re.match(r"\s*[:,;–—-]", rest):
        return _PART.search(rest) is not None
    borders = [match.start() for match in _NEXT.finditer(rest)]
    said = rest[: borders[1]] if len(borders) > 1 else rest
    part = _PART.search(said)
    if part is None:
        return False
    named = said[: part.start()]
    return not (DATE.search(named) or _CLOCK.search(named))


@cache
def _announced() -> re.Pattern[str]:
    """Announcements of a play of parts, each from the beginning of its sentence or clause."""
    read = cue_tables()["play"]
    tales = "|".join(read["tales"])
    invite = "|".join(read["invitations"])
    return re.compile(
        rf"\b(?:{invite}) (?:just |all )?(?:pretend|imagine|make[- ]believe|role-?play)\b|"
        # "I can't imagine you like it" announces nothing.
        rf"{_BORDER}(?:(?:now|ok|okay|so|please|just|and)[, ]+)*"
        r"(?:pretend|imagine) (?:that )?(?:i|you|we|he|she|they)(?:['’]\w+| \w+)|"
        rf"{_BORDER}(?:(?:now|ok|okay|so|and)[, ]+)*in (?:the|this|our|my|that) (?:{tales})\b[,:]?"
        r" (?:i|you|we|he|she|they|my|your)\b|"
        rf"{_BORDER}(?:{'|'.join(read['openings'])})\b",
        re.IGNORECASE,
    )


@cache
def _games() -> re.Pattern[str]:
    invite = "|".join(cue_tables()["play"]["invitations"])
    return re.compile(rf"\b(?:{invite}) (?:just |all )?play\b", re.IGNORECASE)


@cache
def _end() -> re.Pattern[str]:
    """Words by which a play ends."""
    return re.compile(rf"\b(?:{'|'.join(cue_tables()['play']['endings'])})\b[.!,:;…)*\s–—-]*", re.IGNORECASE)
