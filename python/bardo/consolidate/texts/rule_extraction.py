"""Texts as facts, by rules: short, plain, in the third person.

An episode of up to 64 KiB becomes facts of at most 80 bytes, each of which says who and what. Nothing is invented: a
fact repeats words of its episode. What is not stated plainly is left out, and English is all that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bardo._core import findings
from bardo.clock import date_of
from bardo.consolidate.attributes import persistence_of
from bardo.consolidate.languages.english.near_days import dated, names_moment, names_near_day
from bardo.consolidate.languages.english.order_terms import end_of_order
from bardo.consolidate.texts import clauses, statements, vocabulary
from bardo.model import NEUTRAL, Episode, Fact, FactKind, Pad, Statement

#: Bytes of a fact and of its core at most.
FACT_BYTES, CORE_BYTES = 80, 30
#: Confidence of a user's statement about themselves, and of a conclusion of the agent.
STATED, CONCLUDED = 0.8, 0.7
#: Bytes of a name that stands in a fact.
NAME_BYTES = 24
#: Subject of a statement where a user has no name.
NAMELESS = "The user"
#: Maximum number of facts of one episode: a longer list in one message is pasted text.
PER_EPISODE = 6
_FEELING_OF = {
    word: (name, pad) for name, (words, pad) in vocabulary.FEELINGS.items() for word in words.split()
}
_FELT = re.compile(
    rf"\b(?:am|'m|was|feel|felt|been|is|so|feeling)\s+(?:\w+\s+)?(?P<word>{'|'.join(_FEELING_OF)})\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:wife|husband|partner|son|daughter|mom|mother|dad|father|sister|brother|cousin|aunt|uncle|"
    r"friend|boss|colleague|"
    r"with|named|called|and|met|visited|saw|Dr\.|by)\s+(?P<name>[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\b"
)
#: Kinds of facts that are moods where they are limited to the day: "tonight I hate everyone".
_MOODS: frozenset[FactKind] = frozenset({"interest", "preference"})
_OUTCOME = re.compile(
    r"\b(?:and|but)\s+(?:it|they|we|I|he|she)?\s*(?P<outcome>(?:worked|failed|won|lost|passed|broke|"
    r"succeeded|got (?:accepted|rejected|hired|"
    r"fired|promoted)|was (?:accepted|rejected|approved|denied|cancelled|canceled|a success|"
    r"a failure))[^,.;!?]{0,30})",
    re.IGNORECASE,
)

_CONCLUDES = re.compile(
    r"^(?:(?:key |main )?(?:lessons?(?: learn(?:ed|t))?|insight|takeaway|root cause|conclusion|finding|"
    r"til)\s*[:–—-]\s+|"
    r"(?:so |and )?(?:it )?turn(?:s|ed) out,? (?:that )?|"
    r"(?:I|we)(?:'ve| have)? (?:also )?(?:learn(?:ed|t)|reali[sz]ed|discovered|found(?: out)?|noticed|"
    r"figured out|concluded) that )"
    r"(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
_DECIDES = re.compile(
    r"^(?:(?:ok(?:ay)?|so|yes|right|good|alright|and|then)[,.]?\s+)*(?:decision\s*:\s+(?:we(?:'ll|"
    r" will)? )?|(?:we|I)(?:'ve| have)? (?:just )?(?:decided|agreed) (?:to |that we(?:'ll| will) )|"
    r"let's (?=(?:go with|use|stick with|stay with|switch to)\b)|(?:we'll|we will|I'll|"
    r"I will) (?=(?:go with|stick with|switch to)\b)|"
    r"(?=going with\b))(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
_OF_ONESELF = re.compile(r"^(?:(?:so|and|well|ok|okay|yes),?\s+)*I\b", re.IGNORECASE)
_REJECTS = re.compile(
    r"^(?:no[,.!]?\s+|please[,]?\s+)*(?:don't|do not|never|stop|quit)\s+(?P<rest>(?:us(?:e|ing)|"
    r"suggest(?:ing)?|recommend(?:ing)?|send(?:ing)?|"
    r"call(?:ing)? me|book(?:ing)?|buy(?:ing)?|order(?:ing)?|schedul(?:e|ing))\s+\S.+)",
    re.IGNORECASE | re.DOTALL,
)
#: Words by which a liking is a joke or a complaint: "I love pagerduty so much I want the logo tattooed".
_TOO_MUCH = re.compile(r"\b(?:so|too|that) much\b", re.IGNORECASE)
_MOVING = re.compile(
    r"\b(?:(?:about |around |just |on |over )?(?:last|next|this|past|coming) (?:night|week|weekend|month|"
    r"year|summer|winter|spring|fall|autumn|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday)|(?:about |around |just |over )?(?:a|an|one|two|three|four|five|six|"
    r"seven|\d+|a few|a couple of|several) (?:days?|weeks?|months?|years?) ago|"
    r"the other day|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing that a text says.

    Args:
        fact: Text of the fact, at most 80 bytes.
        core: Core of that text, at most 30 bytes.
        kind: What sort of fact.
        category: A slash path.
        confidence: With which it begins.
        who: Whom it is about; empty for a conclusion or a decision.
        people: Others that it names.
        topics: What it is about, the longest words first.
        actions: What was done.
        outcome: What came of it, if that is said.
        emotion: A feeling, if one is named.
        pad: The same as pleasure, arousal, dominance.
        found: `urls`, `commands` and `paths` of its sentence, whole, however short the fact.
        until: First instant after the term of a rejection, microseconds UTC; None without one.
    """

    fact: str
    core: str
    kind: FactKind
    category: str
    confidence: float
    who: str = ""
    people: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    outcome: str = ""
    emotion: str = ""
    pad: Pad = NEUTRAL
    found: dict[str, list[str]] = field(default_factory=dict)
    until: int | None = None


def of_episode(episode: Episode, agent: str, text: str | None = None) -> list[Fact]:
    """The facts that an episode states; none for what is no speech.

    Args:
        episode: Episode of the log.
        agent: Whose memory it is: what it says of itself is no fact about a user.
        text: Its text without what is not meant; None for all of it.
    """
    who = speaker(episode, agent)
    spoken = bool(who) or episode.role == "agent"
    if not spoken and (episode.payload is not None or episode.role != "environment"):
        return []
    found = distil(
        episode.text if text is None else text, who=who, at=episode.at, rejects=episode.role == "user"
    )
    return [_fact(each, episode) for each in found]


def speaker(episode: Episode, agent: str) -> str:
    """Returns the speaker of an episode by name; empty for the agent itself and for anything but speech."""
    name = " ".join((episode.speaker or "").split())
    if episode.role == "user":
        return name if 0 < len(name.encode()) <= NAME_BYTES else NAMELESS
    if (
        episode.role == "agent"
        and name
        and name.casefold() != agent.casefold()
        and len(name.encode()) <= NAME_BYTES
    ):
        return name
    return ""


def distil(text: str, *, who: str = NAMELESS, at: int = 0, rejects: bool = True) -> list[Assertion]:
    """Extract the statements of a text, the shortest form first.

    Args:
        text: English text; in another language nothing is found.
        who: Whom "I" stands for; empty leaves out what is said of oneself.
        at: When it was said, microseconds UTC, so that "yesterday" gets its date; 0 leaves such statements out.
        rejects: Whether orders such as "don't use tabs" are the speaker's to give.
    """
    found: dict[str, Assertion] = {}
    for each in (*_statements(text, who, at), *_conclusions(text, who, at, rejects=rejects)):
        found.setdefault(each.fact.casefold(), each)
        if len(found) == PER_EPISODE:
            break
    return list(found.values())


def core(text: str) -> str:
    """The words of a fact that carry it, in at most 30 bytes."""
    kept: list[str] = []
    for word in text.split():
        if word.strip(",.").lower() in vocabulary.SMALL:
            continue
        if len(" ".join((*kept, word)).encode()) > CORE_BYTES:
            break
        kept.append(word)
    return " ".join(kept) or text.encode()[:CORE_BYTES].decode(errors="ignore")


def _statements(text: str, who: str, at: int) -> Iterator[Assertion]:
    if not who:
        return
    for clause in clauses.stated_clauses(text):
        said = statements.statement(clause, who)
        if said is None:
            continue
        predicate = said.predicate
        is_timed = names_near_day(clause.opening) or _MOVING.search(clause.opening)
        if is_timed and not names_near_day(predicate):
            predicate = f"{predicate} {clause.opening[0].lower()}{clause.opening[1:]}"
        if said.kind in _MOODS and (names_moment(predicate) or _TOO_MUCH.search(clause.sentence)):
            continue
        gap = "" if predicate.startswith("'s ") else " "
        fact = shortened(f"{who}{gap}{predicate}", at)
        if fact:
            yield _distilled(
                fact, clause.sentence, said.kind, f"people/{slug(who)}", STATED, who=who, action=said.action
            )


def _conclusions(text: str, who: str, at: int, *, rejects: bool) -> Iterator[Assertion]:
    if not clauses.is_meant(text):
        return
    for sentence in clauses.sentences(text[: clauses.READ_BYTES].replace("’", "'")):
        if not clauses.is_assertion(sentence) or clauses.is_hedged(sentence):
            continue
        if who and _OF_ONESELF.match(sentence):
            # A person's own decision or opinion is a statement about that person.
            continue
        if match := _CONCLUDES.match(sentence):
            fact = _plain(match["rest"], who, at)
            if fact:
                yield _distilled(fact, sentence, "insight", "insights", CONCLUDED)
        elif match := _DECIDES.match(sentence):
            fact = _plain(match["rest"], who, at, "Decided: ")
            if fact:
                yield _distilled(fact, sentence, "context", "decisions", STATED)
        elif rejects and who and (match := _REJECTS.match(sentence)):
            fact = _plain(match["rest"], who, at, f"{who} rejects: ")
            if fact:
                said = _distilled(fact, sentence, "preference", "rejections", STATED, who=who)
                yield replace(said, until=end_of_order(sentence, at))


def _plain(words: str, who: str, at: int, before: str = "") -> str:
    """A conclusion as a fact; empty if it would not stand by itself."""
    said = statements.standing(words, who)
    if not said or len(said.split()) < 2:
        return ""
    return shortened(before + said if before else said[0].upper() + said[1:], at)


def _distilled(
    fact: str,
    sentence: str,
    kind: FactKind,
    category: str,
    confidence: float,
    *,
    who: str = "",
    action: str = "",
) -> Assertion:
    felt = _FELT.search(sentence)
    emotion, pad = _FEELING_OF[felt["word"].lower()] if felt else ("", NEUTRAL)
    outcome = _OUTCOME.search(sentence)
    people = tuple(
        dict.fromkeys(match["name"] for match in _PERSON.finditer(sentence) if match["name"] in fact)
    )
    said = fact.removeprefix(who).replace(f"{statements.inside(who)}'s ", "") if who else fact
    words = {word for word in re.findall(r"[A-Za-z][\w'-]{3,}", said) if word.lower() not in vocabulary.SMALL}
    return Assertion(
        fact=fact,
        core=core(said.removeprefix("'s ").strip()),
        kind=kind,
        category=category,
        confidence=confidence,
        who=who,
        people=people,
        topics=tuple(sorted(words, key=lambda word: (-len(word), word)))[:3],
        actions=(action,) if action else (),
        outcome=outcome["outcome"].strip() if outcome else "",
        emotion=emotion,
        pad=pad,
        found=findings(sentence),
    )


def _fact(each: Assertion, episode: Episode) -> Fact:
    # The agent's own conclusion, of which it keeps a limited number.
    concluded = each.kind == "insight" and not each.who
    # Its text is its own value: nothing else replaces it.
    statement = (
        Statement(each.who.lower(), "event", each.fact, until=each.until, functional=False)
        if each.until
        else None
    )
    subjects = [each.who.lower() if each.who == NAMELESS else each.who, *each.people, *episode.subjects]
    return Fact(
        each.fact,
        kind=each.kind,
        category=each.category,
        subjects=tuple(dict.fromkeys(subject for subject in subjects if subject)),
        support=1,
        evidence=(episode.id,),
        confidence=each.confidence,
        observed=(episode.tick, episode.tick),
        source="derived" if concluded else "self",
        persistence=None if concluded else persistence_of(each.kind),
        pad=each.pad if episode.pad == NEUTRAL else episode.pad,
        metadata=each.found,
        statement=statement,
    )


def slug(name: str) -> str:
    """A name as part of a category."""
    return re.sub(r"\W+", "-", name.casefold()).strip("-") or "someone"


# -- lengths and times -----------------------------------------------------------------------------------------------

_CUTS = re.compile(
    r",\s|\s(?=(?:and|or|with|for|in|at|on|from|during|after|before|to|about|through|by|into|near|around|"
    r"over)\s)"
)
_DANGLING = re.compile(r"\s(?:a|an|the|their|very|really|so|more|and|or|of)$", re.IGNORECASE)


def shortened(fact: str, at: int) -> str:
    """A fact with its times made absolute, in at most 80 bytes; empty if it cannot be."""
    fact = _dated(fact, at)
    if not fact or len(fact.encode()) <= FACT_BYTES:
        return fact
    said = re.search(r" \(said [\d-]+\)$", fact)
    if said:
        fact = _MOVING.sub("", fact[: said.start()]).replace("  ", " ").strip(" ,")
        if len(fact.encode()) <= FACT_BYTES:
            return fact
    # The longest beginning that ends where a phrase does.
    for end in reversed([match.start() for match in _CUTS.finditer(fact)]):
        shorter = fact[:end].strip(" ,")
        if len(shorter.encode()) <= FACT_BYTES and not _DANGLING.search(shorter) and len(shorter.split()) > 3:
            return shorter
    return ""


def _dated(fact: str, at: int) -> str:
    """The same with "yesterday" as a date, and with its own date where it says "last week"."""
    is_near, is_moving = names_near_day(fact), _MOVING.search(fact)
    if not is_near and not is_moving:
        return fact
    if not at:
        return ""
    if is_near:
        return dated(fact, at)
    day = date_of(at)
    return f"{fact} (said {day.isoformat()})"
