"""Facts of notes on sentences, with their statement, kind and persistence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, cast

from bardo._core import findings
from bardo.consolidate.attributes import BUILT_IN, GENERIC, is_lasting
from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.quotes import with_person
from bardo.consolidate.texts.rule_extraction import NAMELESS, slug
from bardo.consolidate.texts.secrets import is_secret
from bardo.consolidate.texts.sentence import QUOTED_CHARACTERS, Note, Sentence, attributed
from bardo.model import Episode, Fact, FactKind, Persistence, Statement

#: Confidence of a statement of a person about themselves.
STATED = 0.8

#: Worth of a sentence that is never kept.
UNWORTHY = -float("inf")
#: Minimum worth of what holds for months or longer, and of a sentence that is no more than a plain form. What holds of
#: the speaker, their family or a named person for years or until it is denied is always kept: an allergy, a home.
LEAST_OF_LASTING = -1.8
#: Minimum worth of a sentence that is no more than the one value of an attribute, a habit of the speaker, or a plain
#: form about their family.
LEAST_OF_VALUES = -4.2
#: Minimum worth of a plan for a day after the next one, of which its sentence says no more.
LEAST_OF_PLANS = -4.0
#: Minimum worth of what a quote that ends said beside the corrected clauses.
LEAST_OF_REMAINDERS = -1.9
#: One day in microseconds.
_DAY = 86_400_000_000
#: Distance of a plan, in microseconds, from which it is kept for months: in weeks it would have faded before its day.
FAR_OFF = 28 * _DAY
#: Attributes of a thing of the speaker that tell of the speaker.
_OWN = frozenset({"bike", "car", "email", "phone_model"})


def lesser_notes(
    sentence: Sentence, worth: float, forms: Collection[str], *, who: str, at: int
) -> list[Note]:
    """Notes of a sentence that is not worth keeping as a whole: what holds long is kept for less.

    Args:
        sentence: The sentence.
        worth: Its worth, below 0.
        forms: Texts of clauses, in lower case, that plain forms state.
        who: Name of the speaker.
        at: Instant of the text, microseconds UTC.
    """

    def is_kept(clause: Clause) -> bool:
        attribute = clause.statement.attribute if clause.statement is not None else ""
        is_lasting_one = is_lasting(attribute, "permanent", "years")
        is_kept_always = clause.role or (is_lasting_one and _is_of_known(clause))
        if worth > UNWORTHY and (is_kept_always or (clause.trait and sentence.stated == (clause,))):
            return True
        if not (clause.text or clause.context):
            return worth >= LEAST_OF_LASTING and is_lasting_one
        # An age stands alone in any sentence.
        is_whole = attribute == "age" or sentence.is_covered((clause,))
        if is_lasting_one or is_lasting(attribute, "months"):
            is_near = clause.is_kin or "self" in clause.features
            is_value = is_whole and (is_near or BUILT_IN.attribute(attribute).functional)
            return worth >= (LEAST_OF_VALUES if is_value else LEAST_OF_LASTING)
        if sentence.stated == (clause,) and _announces(clause, at) and worth >= LEAST_OF_PLANS:
            return True
        # "I need to leave at 7 tomorrow" is of the moment: its day is known only with that of the text.
        is_of_moment = not clause.sentence.casefold().endswith(clause.told.casefold())
        is_plain = clause.text.casefold() in forms and not is_of_moment
        least = LEAST_OF_VALUES if clause.is_kin else LEAST_OF_LASTING
        return is_whole and worth >= least and is_plain

    kept = [(sentence.text_of(clause, who), clause) for clause in sentence.stated if is_kept(clause)]
    if worth > UNWORTHY and not kept:
        # Small talk about a relation still gives a name to it.
        named = [
            each for clause in sentence.stated for each in (*clause.kin, clause.presents) if each is not None
        ]
        kept = list({each.text: each for each in named}.items())
    return [Note(text, (clause,)) for text, clause in kept if text]


def without_asides(notes: list[Note], worths: Callable[[Sequence[Sentence]], Sequence[float]]) -> list[Note]:
    """The notes of a sentence that is worth keeping, without clauses that are not worth it by themselves.

    "The class is on Tuesdays at 18.30 and I arrive with glue on my fingers" is kept for its day.

    Args:
        notes: Notes of the sentence.
        worths: Gives the worth of each of some sentences.
    """
    asides = [note for note in notes if len(notes) > 1 and not note.is_part and _is_aside(note)]
    values = worths([Sentence(note.text, note.clauses) for note in asides])
    dropped = [note for note, value in zip(asides, values, strict=True) if value < 0]
    return [note for note in notes if note not in dropped] or notes


def _is_aside(note: Note) -> bool:
    """Whether a note about a person gives no value of an attribute, and tells no change, plan or end."""
    return all(clause.is_about_person for clause in note.clauses) and not any(
        clause.cues or clause.over is not None
        or (clause.statement is not None and clause.statement.attribute not in GENERIC)
        for clause in note.clauses
    )  # fmt: skip


def _is_of_known(clause: Clause) -> bool:
    """Whether a clause is about the speaker, their family, or a person by name: a colleague is a stranger."""
    is_named = "subject named" in clause.features or (
        "subject pronoun" in clause.features and bool(clause.owner) and "'s " not in clause.owner
    )
    # "My work email is ..." and "my bike is a ..." tell of the speaker: the address and the bicycle are theirs.
    is_own = (
        "subject of mine" in clause.features
        and clause.statement is not None
        and clause.statement.attribute in _OWN
    )
    # "Kieran, the young man at the till" is one whom the speaker only meets.
    is_stranger = clause.is_relative or "subject stranger" in clause.features
    return "self" in clause.features or clause.is_kin or is_own or (is_named and not is_stranger)


def _announces(clause: Clause, at: int) -> bool:
    """Whether a clause announces a thing for a day after the next one: "booked for 6 May" names none."""
    dates = {word for figure in clause.figures for word in figure.split()}
    return clause.over is not None and clause.over - at > _DAY and not clause.anchors <= dates


def correction_note(note: Note, sentence: Sentence, who: str, about: Collection[str] = ()) -> Note:
    """Note of a correction that ends an older fact, which is kept in any case.

    It has no text if it holds a secret, or tells of a "she" of whom the ended facts do not tell.

    Args:
        note: Note on the clause that corrects, without text.
        sentence: Its sentence.
        who: Name of the speaker.
        about: Owners of the facts that end, by kinship.
    """
    if is_secret(sentence.text):
        return note
    (clause,) = note.clauses
    if clause.is_open and not clause.text:
        texts = {with_person(sentence.told, owner) for owner in about}
        return Note(texts.pop() if len(texts) == 1 else "", (clause,))
    if clause.text and (clause.is_completed or sentence.is_covered((clause,))):
        # "She rang: the dentist is on 26 March" is over after that day.
        return Note(clause.text, (clause,) if clause.statement is not None else sentence.stated)
    quote = sentence.quote(who) or attributed(sentence.told, who)[:QUOTED_CHARACTERS]
    return Note(quote, sentence.stated)


def fact_of(
    text: str, clauses: Sequence[Clause], episode: Episode, who: str, evidence: tuple[str, ...] = ()
) -> Fact:
    """The fact of a note.

    Args:
        text: Text of the note.
        clauses: The clauses that it states.
        episode: Their episode.
        who: Name of the speaker; empty for a record.
        evidence: Ids of the episodes that the note rests on; none for the episode alone.
    """
    kind: FactKind = "context"
    persistence: Persistence | None = "months"
    statement = clauses[0].statement if len(clauses) == 1 else None
    if (over := _end_of_plan(clauses)) is not None:
        statement = _plan(statement, clauses, text, who, over)
    elif statement is None and (begin := _beginning(clauses, episode.at)) is not None:
        statement = Statement(_owner(clauses, who), "beginning", text, since=begin, functional=False)
    if statement is not None:
        known = BUILT_IN.attribute(statement.attribute)
        kind, persistence = known.kind, known.persistence
        if persistence == "weeks" and over is not None and over - episode.at > FAR_OFF:
            persistence = "months"
    elif all(clause.past for clause in clauses):
        persistence = "years"
    names = {name for clause in clauses for name in clause.names}
    subjects = [
        who.lower() if who == NAMELESS else who,
        *sorted(name.title() for name in names if len(name) > 2),
    ]
    return Fact(
        text,
        kind=kind,
        category=f"people/{slug(who)}" if who else "records",
        subjects=tuple(dict.fromkeys(subject for subject in (*subjects, *episode.subjects) if subject)),
        support=1,
        evidence=evidence or (episode.id,),
        confidence=STATED,
        observed=(episode.tick, episode.tick),
        pad=episode.pad,
        metadata=cast(Any, findings(clauses[0].sentence)),
        statement=statement,
        persistence=persistence,
    )


def _end_of_plan(clauses: Sequence[Clause]) -> int | None:
    """First instant after the plan that a note is about; None if it says more that holds now than a plan."""
    # A statement has its own end.
    ends = [
        clause.over or clause.until
        for clause in clauses
        if clause.over or (clause.until and not clause.past and clause.statement is None)
    ]
    first = clauses[0]
    if len(clauses) > 1 and first.until and first.stated and not first.past:
        # "Nickel is off limits until 1 May, the story stinks" holds until then.
        after = (each for each in clauses[1:] if each.stated and not (each.until or each.over or each.past))
        if not any(each.statement is not None or _tells_state(each, first.names) for each in after):
            return max((first.until, *filter(None, ends)))
    planned = frozenset[str]().union(*(clause.names for clause in clauses if clause.over))
    rest = [
        clause
        for clause in clauses
        if clause.stated
        and clause.over is None
        and (_says_something(clause) or _tells_state(clause, planned))
    ]
    is_plan = all(clause.past or clause.until for clause in rest)
    return max((end for end in ends if end is not None), default=None) if is_plan else None


def _says_something(clause: Clause) -> bool:
    """Whether a clause has a meaning of its own: it can stand alone, or gives a figure, not a date, with a verb."""
    dates = {part for figure in clause.figures for part in figure.split() if " " in figure}
    has_figure = any(figure[0].isdigit() and figure not in dates for figure in clause.figures)
    return bool(clause.text or (has_figure and "verbless" not in clause.features))


def _tells_state(clause: Clause, planned: frozenset[str]) -> bool:
    """Whether a clause that cannot stand alone tells a state beside a plan: "everything answers from Porto now".

    Args:
        clause: The clause.
        planned: Names in the clauses of the plan; "it is at Rua Garrett" tells of the plan itself.
    """
    may_be_of_plan = "subject pronoun" in clause.features and not clause.cues & {"now", "change"}
    is_whole = not {"no subject", "verbless"} & clause.features.keys()
    return bool(clause.names - planned) and is_whole and not may_be_of_plan


def _beginning(clauses: Sequence[Clause], at: int) -> int | None:
    """First instant after a text at which a note begins to hold; None if all or a part of it holds now."""
    to_come = [clause for clause in clauses if clause.stated and clause.since and clause.since > at]
    named = frozenset[str]().union(*(clause.names for clause in to_come))
    if any(
        clause.stated and not clause.past and _tells_state(clause, named)
        for clause in clauses
        if clause not in to_come
    ):
        return None
    return min((clause.since for clause in to_come if clause.since), default=None)


def _plan(
    statement: Statement | None, clauses: Sequence[Clause], text: str, who: str, over: int
) -> Statement:
    """The statement of a plan: that of its slot, or the text of its note as an event, until it is over."""
    if statement is None or statement.attribute in GENERIC:
        statement = Statement(_owner(clauses, who), "event", text, functional=False)
    return replace(statement, until=min(over, statement.until or over))


def _owner(clauses: Sequence[Clause], who: str) -> str:
    """Subject of the statement that is the text of a note."""
    return next((clause.owner for clause in clauses if clause.owner), who.lower()) or "records"
