"""Clauses of texts in any language, with the properties that consolidation needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bardo.model import CorrectionRule, Episode, Statement

#: Form of a text: speech of a person, a learned sentence, or the output of a tool or a log.
Form = Literal["speech", "note", "record"]
#: Kinds of episodes whose text is a record rather than prose.
_RECORDS = frozenset({"tool", "commit", "log"})
#: Beginning or end of an agent's message that passes on a commit or release: its hash, number or version.
_PUBLISHED = re.compile(
    r"(?i)\s*(?:(?:commit\s+)?(?=[a-f]*\d)[0-9a-f]{7,40}\b(?::|\s)|#+ \[?v?\d+\.\d+[\w.]*\]?(?: [^\n]{0,24})?\n|"
    r"(?:change ?log|release(?: notes)?) v?\d+(?:\.\d+)+(?: \([^)\n]*\))?(?::| [-–—] )|[^\n]+\(#\d+\)\s*$)"
)
#: Effects that a clause can announce on an earlier statement; each is a `CorrectionRule`.
Cue = Literal["now", "change", "from", "instead", "correction", "ending", "denial", "new", "bound"]

#: State of a debt that a clause tells of the one that it is about: open, paid, or paid in part; else empty.
Debt = Literal["", "owed", "paid", "part"]

#: Cues of a clause that tells a change, by any person.
OF_CHANGE: frozenset[Cue] = frozenset({"change", "correction", "from", "instead", "now"})
#: Rule by which a clause ends an older one; empty if none fits.
Rule = CorrectionRule | Literal[""]


@dataclass(frozen=True, slots=True)
class Speech:
    """A text with its circumstances.

    Args:
        text: Text of an episode or fact.
        who: Name of the speaker, for "I"; empty where the text has none.
        at: Time of the text, microseconds UTC, for "yesterday"; 0 if unknown.
        form: Form of the text.
        earlier: Texts that the speaker said before it in its conversation, the latest first.
    """

    text: str
    who: str = ""
    at: int = 0
    form: Form = "speech"
    earlier: tuple[str, ...] = ()


def form_of(episode: Episode) -> Form:
    """Form of the text of an episode: the output of a tool, a log line or a published change is a record."""
    is_passed_on = episode.role == "agent" and _PUBLISHED.match(episode.text) is not None
    return "record" if episode.role == "tool" or episode.kind in _RECORDS or is_passed_on else "speech"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a text.

    Args:
        text: The clause as a sentence in the third person, at most 160 characters; empty if it cannot stand alone.
        sentence: The sentence that it is part of, as written.
        told: The sentence as a quote has it: with dates for words such as "today"; empty if it is as written.
        lead: A sentence before it that has the person, verb or noun which this one lacks; else empty.
        named_in: Number, from 1, of the earlier text of the speech that names a person of its quote; 0 for none.
        is_open: Whether its sentence tells of a person whom neither it nor an earlier text names.
        context: The sentence before it, where its subject is a pronoun that points there; else empty.
        owner: Person or thing that it is about, in lower case, such as `nadia` or `nadia's sister`; empty if unknown.
        alias: Owner by a relation that the speaker has to one person alone, such as `nadia's mum` of Hanne.
        is_relative: Whether its owner is a person or animal of another one than the speaker, as "Jonas's brother".
        is_kin: Whether its owner is one of the speaker's family, or a pet of theirs.
        holders: Words for the relative or person, other than the speaker, to whom its subject or object belongs.
        sited: Names that only tell an institution apart, as `thomastown` of "the Thomastown credit union".
        environments: Environments to which it is limited, such as `staging`.
        tells_age: Whether its words can tell an age: a number that is no date, or a word such as "birthday".
        kin: Clauses that its words state beside it, such as "nadia's husband is Jonas" of "with my husband Jonas".
        changed: Lemma of the thing that the clause before it changes, and to which its "it" points; empty for none.
        retracted: Lemmas of the words for what it takes back of what its speaker said; empty if it takes back nothing.
        restores: Whether it tells that a change was taken back, so that the value before it holds again.
        topic: Lemmas of its words before the predicate in order, without articles, pronouns and adverbs.
        comment: Lemmas of its words from the predicate on, likewise.
        presents: Clause that names its subject, such as "nadia's daughter is Ida" of "my daughter Ida swims".
        predicate: Lemma of the verb with its particle, such as `live` or `give up`.
        anchors: Lemmas of the content words beside the predicate.
        names: Proper names in it, in lower case.
        figures: Numbers, dates and codes in it, in lower case.
        stated: Whether it states something in the speaker's own voice, now or for a time that it names.
        denied: Whether it says that something is not so.
        briefly: Whether it is said of a few days alone, such as "this weekend".
        past: Whether it tells of something that was over when it was said.
        cues: Effects on earlier statements that its words announce.
        left: Lemmas of what it names as left behind, such as the X of "from X to Y".
        replaced: Whole values that a line of a record names as replaced, in lower case.
        value: Lemmas of what it names as new, such as the Y.
        objects: Lemmas of the heads of its objects and complements.
        ended: Lemmas of the objects that its verb ends, if it ends something.
        details: Lemmas of the things that only describe another one, as `bath` of "a flat with a bath".
        stopped: Verb and object of the activity of "stopped doing it"; empty if it tells of none.
        fillers: Pairs of a governor and the value in its place, such as `(port, 8080)`.
        since: First instant at which it holds, microseconds UTC.
        until: First instant at which it no longer holds.
        over: First instant after the last day of a plan that it announces, such as an appointment.
        relation: Relation of the person that it is about to the speaker, if it is one that can end, such as `partner`.
        parts: Relation of its owner that it ends, as "Tomas and I broke up" ends `partner`.
        died: Person or animal of whose death it tells, in lower case; empty if it tells of none.
        doses: Medicines in it, each with its dose, in lower case, such as `("ramipril", "5 mg")`.
        new_doses: Doses that it announces as another than before, in lower case, some without a unit.
        bare_dose: Dose that it sets without naming the medicine, such as `45` or `88 mg`; empty if it sets none.
        dosed: Person or animal that by its words gets this dose, in lower case; empty if it does not say.
        is_completed: Whether its statement has parts that only an earlier fact gives.
        is_order: Whether it is a request or a prohibition.
        condition: Case to which it is limited, such as `breakfast`.
        past_dated: Whether it tells of a time that was over long before it was said, such as "in 2012".
        role: Attribute of the role whose holder its statement gives, such as `manager`; empty for other statements.
        gone: Words of the name of a person who, by the clause, has left an organisation or a role, in lower case.
        left_role: Attribute of the one role that this person has left; empty for all.
        figure: Value with a figure that it gives without the word for it, as `890 warm` of "flat 3 is 890 warm".
        debt: What it tells of a debt of its owner.
        numbered: Things that a number or letter names in it, such as `("flat", "3")`.
        numbered_topic: Those of them before its predicate, which it is about.
        trait: Whether it plainly states a taste, habit or circumstance of a life, which is kept in any case.
        mood: Whether it tells a taste of the moment, such as "I love this song".
        general: Whether it says what holds in general, such as "retries make timeouts worse".
        occasion: Whether it tells what happened on one occasion, and ends nothing that holds in general.
        statement: Subject, attribute and value, if a frame of the language gives them.
        features: Features for the decision whether it is worth keeping, by name.
    """

    text: str
    sentence: str
    told: str = ""
    lead: str = ""
    named_in: int = 0
    is_open: bool = False
    context: str = ""
    owner: str = ""
    alias: str = ""
    is_relative: bool = False
    is_kin: bool = False
    holders: frozenset[str] = frozenset()
    sited: frozenset[str] = frozenset()
    environments: frozenset[str] = frozenset()
    tells_age: bool = False
    kin: tuple[Clause, ...] = ()
    changed: str = ""
    retracted: frozenset[str] = frozenset()
    restores: bool = False
    topic: tuple[str, ...] = ()
    comment: tuple[str, ...] = ()
    presents: Clause | None = None
    predicate: str = ""
    anchors: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    stated: bool = True
    denied: bool = False
    briefly: bool = False
    past: bool = False
    cues: frozenset[Cue] = frozenset()
    left: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    value: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    details: frozenset[str] = frozenset()
    stopped: tuple[str, str] = ("", "")
    fillers: frozenset[tuple[str, str]] = frozenset()
    since: int | None = None
    until: int | None = None
    over: int | None = None
    relation: str = ""
    parts: str = ""
    died: str = ""
    doses: frozenset[tuple[str, str]] = frozenset()
    new_doses: frozenset[str] = frozenset()
    bare_dose: str = ""
    dosed: str = ""
    is_completed: bool = False
    is_order: bool = False
    condition: str = ""
    past_dated: bool = False
    role: str = ""
    gone: frozenset[str] = frozenset()
    left_role: str = ""
    figure: str = ""
    debt: Debt = ""
    numbered: frozenset[tuple[str, str]] = frozenset()
    numbered_topic: frozenset[tuple[str, str]] = frozenset()
    trait: bool = False
    mood: bool = False
    general: bool = False
    occasion: bool = False
    statement: Statement | None = None
    features: Mapping[str, float] = field(default_factory=dict)

    @property
    def denies_briefly(self) -> bool:
        """Whether it denies something for a few days alone, without a word of change."""
        return self.denied and self.briefly and not self.cues & {"correction", "ending", "instead"}

    @property
    def is_about_person(self) -> bool:
        """Whether it is about the user, a named person, or a person or thing of the speaker."""
        marks = ("self", "subject named", "subject of mine")
        return self.owner == "user" or bool(self.role) or any(self.features.get(mark) for mark in marks)
