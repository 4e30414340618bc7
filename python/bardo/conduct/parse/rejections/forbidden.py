"""Data of what a rejection forbids: proposed from its text by `vocabulary.toml`, and corrected by a person."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import figures, operation_table, operations
from bardo.conduct.parse.conditions import conditions, exceptions, order_sizes, requirements
from bardo.conduct.parse.forbids import LISTS, Forbids
from bardo.conduct.parse.rejections import noun_phrases, substitutes, wording
from bardo.conduct.parse.vocabulary import (
    Phrase,
    Practice,
    stems_of,
    vocabulary,
)

#: Maximum number of cached proposals.
_PROPOSALS = 16_384
_PATH = lazy_pattern(
    r"(?<![\w.])(?:~|\.{0,2})/[\w./*~-]+|\b\w[\w-]*/(?:[\w.*-]*/)*(?:[\w*-]*\.[\w*]+|(?!\w))"
)
#: Words with a slash, and names of files, which are paths in the right company only: not "and/or", ".net".
_SLASHED = lazy_pattern(
    r"(?<![\w.@/:-])[A-Za-z][\w-]*(?:/[\w*-]+)+(?![\w/])|(?<![\w.])\.[a-z][\w.-]*|\b\w[\w-]*\.[a-z]\w{0,4}\b"
)
#: Signs that a word with a slash is a path: a mark of names, a second slash, or the word before it.
_IS_PATH = lazy_pattern(r"[_\d*]|/.*/")
_BEFORE_PATH = lazy_pattern(
    r"\b(?:under|in|inside|within|below|into|from|folders?|director(?:y|ies)|files?|paths?|of|at)(?: the)? [`\"']?$",
    re.IGNORECASE,
)
#: Folder by its name: "the legacy folder".
_FOLDER = lazy_pattern(
    r"\b(?:the|our|my|your) [`\"']?(?P<name>(?!(?:\w+(?:ed|ing)|other|whole|same|new|old|wrong|current|parent|home|"
    r"root|entire|shared|main|first|last|right)\b)[\w.-]+)[`\"']? (?:folder|directory|dir)\b(?! (?:of|on|in)\b)",
    re.IGNORECASE,
)
_HOST = lazy_pattern(
    r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|sh|dev|app|eu|de|at|uk|cloud|ai|internal|local|example)\b"
)
#: "Stop" is a rejection by itself, except after another one: "don't stop logging" wants the act after it.
_STOP = lazy_pattern(
    r"\b(?:never|do not|don'?t|not to|no)(?: ever)? "
    r"(?:stop|quit|cease|skip|omit|neglect|disregard|leave out)(?:p?ing)?\b",
    re.IGNORECASE,
)
#: Forms that reject a thing, with any operation.
_UNWANTED = lazy_pattern(
    r"\b(?:want|keep|hands off|leave|do|have|allow\w*|accept\w*|see|forbidden|banned|rejected|tried|stand|avoid|say|"
    r"said|"
    r"decided against|voted against|depend)\b|^\W*(?:please |absolutely |really )?no\b|\bno (?:more|new)\b",
    re.IGNORECASE,
)
#: Work at a place, which is any act there and no use of the place.
_WORK = lazy_pattern(r"^\W*(?:please )?no (?:\w+ )?work\b", re.IGNORECASE)
#: Change of any kind, which the table takes for framing.
_TOUCHED = lazy_pattern(r"\btouch(?:es|ed|ing)?\b", re.IGNORECASE)
_TOUCHING = lazy_pattern(
    r"\W*(?:please )?(?:(?:you|we|i) )?(?:do(?:n't| not)|never|not|must(?:n't| not)|can(?:'t|not))(?: ever)? touch\b",
    re.IGNORECASE,
)
#: Verb whose object only points: "put this", "hang it". It names nothing.
_POINTING_VERB = lazy_pattern(
    r"\b(?P<before>(?:don'?t|do not|not|never|won'?t|will not|to)(?: (?:ever|please|just|even))*) [a-z]+ "
    r"(?:this|that|it|them|these|those)"
    r"(?= *(?:$|[.,;:!?])| (?:on|in|to|into|onto|at|for|with|by|from|of|over|through|via)\b)",
    re.IGNORECASE,
)
#: Options that are forbidden together: one, or several in a row.
_FLAG = lazy_pattern(r"(?<!\S)--?[A-Za-z][\w-]*(?:\s+--?[A-Za-z][\w-]*)*")
#: Prepositions of words that tell with an act which one it is: "secrets in the repository", "log in with a password".
_BESIDE_ACT = frozenset(
    {"in", "on", "at", "to", "into", "onto", "of", "over", "with", "against", "from", "inside"}
)
#: Prepositions of words that no operation is done to.
_APART = frozenset({"before", "after", "during", "without"})
#: Operations for which any action that does not only read will do: "no Redis", "don't change the folder".
ANY = frozenset({"use", "modify"})
#: Operations of a rejection of any change: "don't touch the folder".
CHANGING = frozenset({"modify", "remove"})
#: Operations of a rejection to leave an act.
OMITTING = frozenset({"stop", "skip"})
#: Operations that end something: a rejection of them is not about the use of the thing.
ENDING = frozenset({"delete", "remove", "stop", "close", "backup", "read", "test"})


@lru_cache(_PROPOSALS)
def practices_in(text: str) -> tuple[int, ...]:
    """Returns the numbers of the practices that the forbidding clause of a text names."""
    words = vocabulary()
    clause = wording.forbidding(text)
    stems = stems_of(clause)
    numbers = {number for stem in (*stems, "") for number in words.by_stem.get(stem, ())}
    return tuple(
        number
        for number in sorted(numbers)
        if words.practices[number].unless.isdisjoint(stems)
        and any(_is_named(name, clause) for name in words.practices[number].said)
    )


def _is_named(name: Phrase, clause: str) -> bool:
    """Whether the act of a forbidding clause has the name of a practice.

    A place or purpose is no act: "third party" in "don't touch the code in third_party".
    """
    act, places = conditions.scopes(clause)
    around = " ".join(words for preposition, words in places if preposition in _BESIDE_ACT)
    is_full = " without " in f" {name.text}"
    if not name.is_in(stems_of(clause if is_full else f"{act} {around}"), clause):
        return False
    if len(name.stems) == 1 and not name.literal:
        # A single word names a practice only if the rejection has no other object: not "don't delete the migrations".
        return _is_only(name.stems, clause)
    said = stems_of(act) - vocabulary().incidental
    return not said or not name.stems.isdisjoint(said)


def _narrower(said: Sequence[Practice], thing: str) -> str:
    """Returns the words of an object that no name of a named practice has: "state" of "another state library"."""
    known = vocabulary().incidental.union(*(name.stems for practice in said for name in practice.said))
    # An initialism says where a thing is rather than which one: "the CDN cache".
    return " ".join(w for w in thing.split() if w.isalpha() and not w.isupper() and stems_of(w) - known)


@lru_cache(_PROPOSALS)
def _object(text: str) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...], frozenset[str]]:
    """Returns the object of a rejection, its scopes, its conditions, and its operations."""
    _, substitute = substitutes.split(wording.without_reports(text))
    text = wording.plain(text)
    head, found = conditions.split(operations.SUFFIX.sub("", text))
    found = (*found, *exceptions.times_besides(substitute, found))
    named = operations.forbidden_by(head if head.strip() else text).operations
    head, scopes = conditions.scopes(head)
    # "Don't touch the search view": its own verb is known, so that the table's are nouns.
    own = CHANGING if _TOUCHING.match(head) else frozenset[str]()
    thing, kept = _noun_phrase(head if named else _POINTING_VERB.sub(r"\g<before>", head), own)
    verbs = OMITTING if wants(text) else named - kept
    if not verbs and _TOUCHED.search(text):
        verbs = CHANGING
    elif not verbs and _UNWANTED.search(text):
        verbs = frozenset({"use"})
    if _WORK.search(text):
        verbs -= {"use"}
    incidental = vocabulary().incidental
    if order_sizes.are_of_any_side(text, verbs, found):
        verbs, thing = verbs - {"buy"} | {"trade"}, "" if stems_of(thing) <= figures.traded() else thing
    found, scopes = exceptions.marked(text, found, scopes)
    scopes = [(preposition, words) for preposition, words in scopes if stems_of(words) - incidental]
    return ("" if stems_of(thing) <= incidental else thing), tuple(scopes), found, verbs


def wants(text: str) -> bool:
    """Whether a rejection forbids to leave an act, and so wants it: "don't stop logging", "never skip the linter".

    Args:
        text: Text of the rejection.
    """
    return _STOP.search(wording.plain(text)) is not None


def _is_only(name: frozenset[str], text: str) -> bool:
    """Whether a rejection is of nothing but what a single word names."""
    thing, scopes, _, verbs = _object(text)
    if not verbs.isdisjoint(ENDING):
        return False
    stems = stems_of(thing or (scopes[0][1] if scopes else ""))
    return stems - vocabulary().incidental <= name


@lru_cache(_PROPOSALS)
def propose(text: str) -> Forbids:
    """Reads from the text of a rejection what it forbids."""
    thing, parts, found, verbs = _object(text)
    scopes = list(parts)
    stems = stems_of(text)
    said = [vocabulary().practices[number] for number in practices_in(text)]
    covered = frozenset[str]().union(
        *(name.stems for practice in said for name in practice.said if name.is_in(stems, text))
    )
    is_alone = any(practice.alone for practice in said)
    packages = noun_phrases.package_names(thing, verbs)
    is_moved = bool(scopes) and scopes[0][0] not in _APART and not scopes[0][0].startswith("except")
    if not thing and is_moved and not said and not wording.QUOTED.search(text):
        _, scope = scopes.pop(0)
        # After the operation, a word of another one is a part of a name: "no changes to the deploy script".
        thing = (
            " ".join(filter(stems_of, noun_phrases.bare_words(scope))) if verbs else _noun_phrase(scope)[0]
        )
        packages = noun_phrases.package_names(thing, verbs) if verbs else ()
    contrasting = operation_table.table().contrasting
    where = tuple(
        f"{preposition} {words}"
        for preposition, words in scopes
        if not (is_alone and preposition[:6] != "except" and stems_of(words) & covered)
        or stems_of(words) & contrasting
    )
    if narrower := _narrower(said, _object(wording.forbidding(text))[0]) if said else "":
        where = (*where, f"of {narrower}")
    # An option or path that is required is not forbidden.
    flags, hosts, paths = places_in(requirements.split(wording.without_reports(text))[0])
    own = Forbids(
        things=(thing,) if thing and not is_alone else (),
        verbs=() if is_alone else tuple(sorted(verbs)),
        packages=packages,
        flags=flags,
        hosts=hosts,
        paths=paths,
        conditions=(*found, *where),
    )
    return _joined([own, *(_of_products(text, practice.forbids) for practice in said)])


def places_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Returns the options, hosts and paths that the text of a rejection names."""
    return tuple(_FLAG.findall(text)), tuple(_HOST.findall(text.lower())), _paths_in(text)


def _paths_in(text: str) -> tuple[str, ...]:
    """Returns the paths that the text of a rejection names: any word with a slash, if nothing is to be touched."""
    found = [path.rstrip(".") for path in _PATH.findall(text)]
    found += [f"{match['name']}/" for match in _FOLDER.finditer(text)]
    is_touched = _TOUCHED.search(wording.plain(text)) is not None
    hosts = _HOST.findall(text.lower())
    for match in _SLASHED.finditer(text):
        word = match[0].rstrip(".")
        is_slashed = "/" in word and (_IS_PATH.search(word) or _BEFORE_PATH.search(text[: match.start()]))
        if (is_slashed or is_touched) and word.lower() not in hosts:
            found.append(word)
    # A part of a longer path is none.
    return tuple(
        path for path in dict.fromkeys(found) if not any(path != one and path in one for one in found)
    )


def practice_of(text: str, name: str, item: str) -> str:
    """Returns the practice from which a rejection has an item of a list; empty if there is none.

    Args:
        text: Text of the rejection.
        name: Name of the list, such as `commands`.
        item: Item of the list.
    """
    said = (vocabulary().practices[number] for number in practices_in(text))
    return next((each.said[0].text for each in said if item in getattr(each.forbids, name)), "")


def names_other_product(text: str, action: str) -> bool:
    """Whether an action names a product of the kind that a text names, and not the same: mysql, not postgres."""
    rest, _ = substitutes.split(wording.without_reports(text))
    named, there = _products_in(rest), _products_in(action)
    return bool(named and there) and not named & there


def _products_in(text: str) -> set[str]:
    """Returns the products that a text names."""
    low = text.lower()
    return {name for name in vocabulary().products if name in low}


def _of_products(text: str, forbids: Forbids) -> Forbids:
    """Returns what a practice forbids without the products beside those that a text names."""
    named = _products_in(text)
    others = vocabulary().products - named
    if not named:
        return forbids
    lists: dict[str, Any] = {
        name: tuple(item for item in getattr(forbids, name) if _products_in(item).isdisjoint(others))
        for name in LISTS
    }
    # "Restart database" is the phrase of any product.
    lists["phrases"] = tuple(item for item in lists["phrases"] if _products_in(item) & named)
    return Forbids(**lists)


def corrected(text: str, changes: str) -> Forbids:
    """Returns what the text of a rejection forbids, with the fields that a correction (JSON) replaces."""
    proposed = propose(text)
    if not changes:
        return proposed
    given = Forbids.from_json(changes)
    named = json.loads(changes)
    lists = {name: getattr(given, name) for name in LISTS if name in named}
    # A case leaves the rest as the text says it.
    return replace(proposed, **lists, by=given.by if lists.keys() - {"allowed"} else "")


def _joined(parts: Sequence[Forbids]) -> Forbids:
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys(item for part in parts for item in getattr(part, name))) for name in LISTS
    }
    return Forbids(**lists)


def _noun_phrase(head: str, verbs: frozenset[str] = frozenset()) -> tuple[str, frozenset[str]]:
    """Returns the words that are neither framing nor the operation, and operations that some of them also name.

    The first operation is the verb: in "delete the migrations", the migrations are a thing. Given verbs are the first.
    """
    words = noun_phrases.bare_words(head)
    stems = operation_table.stem_each([word.lower() for word in words])
    phrase: list[str] = []
    nouns: frozenset[str] = frozenset()
    start = 0
    named = operations.nouns_in(head) | operations.parts_of_names(head)
    while start < len(words):
        told, length = operation_table.phrase_at(stems, start)
        is_named = length == 1 and words[start].lower() in named
        if told and not is_named and (not verbs or verbs <= ANY | {"install"}):
            verbs |= told
        elif operation_table.content_stems(words[start : start + length]):
            phrase += words[start : start + length]
            nouns |= told
        start += length
    return " ".join(phrase), nouns - verbs
