"""Subjects of facts: under which heading of a page each fact stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bardo.consolidate.pages.wording import one_line
from bardo.model import Fact

#: Heading of facts without a subject.
GENERAL = "General"
#: First part of the category of facts that a person said; the person follows.
_PEOPLE = "people"
#: The possessive, before which the owner of a thing stands: `nadia's phone`.
_POSSESSIVE = re.compile(r"\s*['’]s?(?:\s|$)")
#: Speaker of a quoting fact, and articles: the subject of a text comes after them.
_BEFORE_SUBJECT = re.compile(r"^(?:[^\s:]{1,40}: )?(?:(?:the|a|an|our|my|their) )?", re.IGNORECASE)


def headings(facts: Sequence[Fact]) -> dict[str, str]:
    """The heading of each fact by its id.

    A statement stands under its owner if that is a person, or if several facts name it. Other facts stand under such a
    thing that they name, or a name with which their text begins; then under the person who said them, the first part of
    their category, or their only subject.

    Args:
        facts: Facts of a page.
    """
    texts = [one_line(fact.text).casefold() for fact in facts]
    people = {person for fact in facts if (person := _person(fact))}
    things = {owner for fact in facts if (owner := _owner(fact))} - people
    things = {name for name in things if sum(_place(text, name) is not None for text in texts) > 1}
    named = Counter(subject.casefold() for fact in facts for subject in set(fact.subjects))
    begun = {name for name, number in named.items() if number > 1} - people - things
    alone = {fact.subjects[0].casefold() for fact in facts if len(fact.subjects) == 1 and not fact.category}
    titles = _titles(people | things | begun | alone, facts)

    def heading(fact: Fact) -> str:
        text = one_line(fact.text).casefold()
        owner, person = _owner(fact), _person(fact)
        if owner in people | things:
            return owner
        if person or not fact.category:
            about = [name for name in things if _place(text, name) is not None]
            begin = _BEFORE_SUBJECT.sub("", text, count=1)
            about = about or [name for name in begun if _place(begin, name) == 0]
            if about:
                return max(about, key=lambda name: (len(name), name))
        return person or (
            fact.subjects[0].casefold() if not fact.category and len(fact.subjects) == 1 else ""
        )

    found = {fact.id: heading(fact) for fact in facts}
    sizes = Counter(found.values())
    return {
        fact.id: titles.get(
            found[fact.id] if sizes[found[fact.id]] > 1 else _person(fact) or found[fact.id],
            one_line(fact.category.split("/")[0]) or GENERAL,
        )
        for fact in facts
    }


def _place(text: str, name: str) -> int | None:
    """Where a text first has a name as a whole word; None if it has not."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return found.start() if found else None


def _owner(fact: Fact) -> str:
    """Person or thing that a statement describes, without what it owns, in lower case."""
    subject = fact.statement.subject if fact.statement else ""
    return _POSSESSIVE.split(one_line(subject).casefold(), maxsplit=1)[0]


def _person(fact: Fact) -> str:
    first, _, rest = fact.category.partition("/")
    return one_line(rest.split("/")[0]).casefold() if first == _PEOPLE else ""


def _titles(names: Iterable[str], facts: Sequence[Fact]) -> dict[str, str]:
    """Names as the facts spell them."""
    spelled: dict[str, str] = {}
    for fact in facts:
        for subject in fact.subjects:
            spelled.setdefault(subject.casefold(), one_line(subject))
    titles = {}
    for name in sorted(names):
        written = (re.search(rf"\b{re.escape(name)}\b", fact.text, re.IGNORECASE) for fact in facts)
        titles[name] = spelled.get(name) or next((found[0] for found in written if found), name)
    return {name: one_line(title) for name, title in titles.items()}
