"""Whether a memory knows anything that a message names: entities, and subjects of statements."""

from __future__ import annotations

import re
from itertools import pairwise

from bardo.conduct.parse.actions.operation_table import content_stems
from bardo.grimoire.session import Session

#: Maximum number of words of a message that are looked up.
_WORDS = 40
_WORD = re.compile(r"[^\W_][\w.'’-]*")
_POSSESSIVE = re.compile(r"['’]s$")


def knows(session: Session, text: str) -> bool:
    """Whether a memory has an entity of a name in a text, or a statement about a thing in it.

    Args:
        session: Open memory.
        text: Message of a person.
    """
    session.ready_with_names()
    words = [_POSSESSIVE.sub("", word.rstrip(".'’-")) for word in _WORD.findall(text)[:_WORDS]]
    said = [word for word in words if content_stems([word])]
    pairs = [f"{one} {other}" for one, other in pairwise(words) if one in said and other in said]
    names = [each for each in (*pairs, *said) if any(part[:1].isupper() for part in each.split())]
    if any(session.indexer.names.entities(name=name, limit=1) for name in names):
        return True
    tick = session.now_tick
    return any(session.facts.of_subject(thing, tick=tick) for thing in (*pairs, *said))
