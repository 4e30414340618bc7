"""Clauses of English texts, from a dependency parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bardo._core import neutralise
from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages.english import fronted, records, standing, topic_first
from bardo.consolidate.languages.english.announcements import ANNOUNCEMENT
from bardo.consolidate.languages.english.asked import apart_from_question
from bardo.consolidate.languages.english.clefts import plain_order, second_part
from bardo.consolidate.languages.english.contrast import object_changed_before
from bardo.consolidate.languages.english.cue_words import corrects, parts, relation_of, restores
from bardo.consolidate.languages.english.cue_words import cues as cues_of
from bardo.consolidate.languages.english.dates import DATE, bounds, is_of_few_days
from bardo.consolidate.languages.english.endings import details_of, ended_by, objects_of, stopped_by
from bardo.consolidate.languages.english.environments import by_environment
from bardo.consolidate.languages.english.features import features
from bardo.consolidate.languages.english.fillers import fillers
from bardo.consolidate.languages.english.generality import is_general, tells_occasion
from bardo.consolidate.languages.english.grammar import (
    NOT_SERIOUS,
    ORDERS,
    QUOTED,
    clause_heads,
    drops_subject,
    introduces_finding,
    is_denied,
    is_future,
    is_order,
    is_past,
    is_question,
    is_time_clause,
    is_unreal,
    lemma,
    predicate_of,
    subject_of,
)
from bardo.consolidate.languages.english.institutions import places_of_institutions
from bardo.consolidate.languages.english.kin_clauses import kin_beside, presented
from bardo.consolidate.languages.english.life_slots import tells_age, who_died
from bardo.consolidate.languages.english.marks import with_marks
from bardo.consolidate.languages.english.measures import doses_in, new_doses_in
from bardo.consolidate.languages.english.order_terms import end_of_order
from bardo.consolidate.languages.english.owners import (
    SPEAKER,
    Owner,
    holders_of,
    owner_key,
    owner_of,
    people_of,
    possessor_of,
)
from bardo.consolidate.languages.english.parse import parse, parse_together
from bardo.consolidate.languages.english.phones import with_phones
from bardo.consolidate.languages.english.plans import (
    end_of_aid,
    end_of_plan,
    grants,
    is_obliged,
    start_of_state,
)
from bardo.consolidate.languages.english.quotes import with_quotes
from bardo.consolidate.languages.english.record_assertion import names_open_change
from bardo.consolidate.languages.english.requests import answer_request
from bardo.consolidate.languages.english.retractions import retraction
from bardo.consolidate.languages.english.rewrite import points_outside, points_to_person, sentence_of
from bardo.consolidate.languages.english.slots import (
    condition_of,
    environments_in,
    with_slot,
)
from bardo.consolidate.languages.english.told_states import told_state
from bardo.consolidate.languages.english.told_values import with_told_values
from bardo.consolidate.languages.english.traits import is_mood

#: Flags of `neutralise` for texts that instruct a reader: they state nothing.
_INSTRUCTIONS = frozenset({"instruction", "role", "fence", "mark", "tag"})
#: Maximum number of words of a quote that is read as a name.
_QUOTED_NAME = 4
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_NUMBER = re.compile(r"[\w.:/@-]*\d[\w.:/%-]*")
_LONG_PAST = re.compile(r"\b(?:19|20)\d\d\b|\byears? ago\b|\bback then\b|\bas a (?:kid|child|student)\b")
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM", "X", "SYM"})
#: Parts of speech that do not tell one thing from another.
_TELLS_NOTHING_APART = frozenset({"DET", "PRON", "ADV", "PART", "PUNCT", "SPACE", "INTJ"})
#: Words without a meaning of their own.
_LIGHT = frozenset({
    "be", "have", "do", "get", "go", "make", "thing", "lot", "bit", "way", "time", "one", "own", "also", "please",
    "thank", "thanks",
})  # fmt: skip


class EnglishReader:
    """Reads English texts.

    Args:
        attributes: Table of attributes.
    """

    def __init__(self, attributes: AttributeTable) -> None:
        self._attributes = attributes

    def prepare(self, texts: Sequence[str]) -> None:
        """Parses texts of one line that are read next."""
        parse_together(QUOTED.sub(_unquoted, text.strip()) for text in texts)

    def stands_alone(self, text: str, who: str) -> bool:
        """Whether the text of a fact can be understood without the texts around it."""
        return standing.stands_alone(text, who)

    def read(self, speech: Speech) -> Sequence[Clause]:
        """The clauses of a text, in order."""
        if speech.form == "record":
            return records.read(speech, self._attributes)
        text = _CODE.sub("\n", speech.text)
        if (request := answer_request(text, speech.who)) is not None:
            return (request,)
        if NOT_SERIOUS.search(text) or ORDERS.search(text):
            return ()
        _, flags = neutralise(text, [])
        if _INSTRUCTIONS & set(flags):
            return ()
        found: list[Clause] = []
        people: list[str] = []
        spans: list[Any] = []
        before = ""
        for line in map(str.strip, text.splitlines()):
            if not line or line.startswith((">", "|")):
                continue
            if records.is_record(line):
                found += records.read(Speech(line, speech.who, speech.at, "record"), self._attributes)
                continue
            announcement = ANNOUNCEMENT.match(line)
            takes_back = announcement is not None and corrects(announcement[0])
            parsed = parse(QUOTED.sub(_unquoted, line[announcement.end() :] if announcement else line)).sents
            parts = (part for whole in parsed for part in apart_from_question(whole))
            for sentence in (each for part in parts for each in by_environment(part)):
                clauses = _clauses(
                    sentence,
                    speech,
                    people,
                    before=before,
                    takes_back=takes_back,
                    attributes=self._attributes,
                )
                found += with_quotes(clauses, sentence, spans, speech)
                takes_back = False
                people += people_of(sentence, speech.who)
                before = sentence.text.strip()
                spans.append(sentence)
        return with_phones(with_told_values(found, self._attributes), speech)


def _unquoted(match: re.Match[str]) -> str:
    """The text of a short quote, which is a name; "something" for a longer one, which is another's words."""
    inner = match[0][1:-1]
    is_name = len(inner.split()) <= _QUOTED_NAME and not re.search(
        r"[.!?]|^(?:I|we|you|he|she|it|they)\b", inner
    )
    return inner if is_name else "something"


def _clauses(
    sentence: Any,
    speech: Speech,
    people: Sequence[str],
    *,
    before: str,
    takes_back: bool,
    attributes: AttributeTable,
) -> Iterator[Clause]:
    """The clauses of a sentence.

    Args:
        sentence: The parsed sentence.
        speech: Text of the sentence.
        people: People that earlier sentences name.
        before: The sentence before it.
        takes_back: Whether it was announced as a correction.
        attributes: Table of attributes.
    """
    asks = is_question(sentence) or names_open_change(sentence.text)
    correction = takes_back or corrects(sentence.text)
    if not asks and (plain := fronted.plain_order(sentence)):
        found = list(_reordered(plain, sentence, speech, people, before=before, attributes=attributes))
        if any(clause.cues & {"denial", "ending"} for clause in found):
            yield from found
            return
    if not asks and (told := told_state(sentence.text, speech)) is not None:
        yield told[0]
        if told[1]:
            return
    if not asks and (plain := topic_first.plain_order(sentence, speech.who)):
        yield from _reordered(plain, sentence, speech, people, before=before, attributes=attributes)
        return
    in_cleft = set()
    taken_back = None if asks else retraction(sentence)
    if taken_back is not None:
        yield Clause(
            text="",
            sentence=sentence.text.strip(),
            owner=speech.who.lower(),
            anchors=taken_back.words,
            cues=frozenset({"correction"}),
            retracted=taken_back.words,
        )
    for head in clause_heads(sentence):
        if head.i in in_cleft:
            continue
        if taken_back is not None and taken_back.begin <= head.idx - sentence.start_char < taken_back.end:
            # "Forget that the hall is booked" states nothing of the hall.
            continue
        if not asks and not is_unreal(head) and (verb := second_part(head)) is not None:
            in_cleft.add(verb.i)
            plain = plain_order(head, verb)
            clauses = _reordered(plain, sentence, speech, people, before=before, attributes=attributes)
            # A cleft sentence names one value among others and so takes the place of another one.
            yield from (replace(each, cues=each.cues | {"correction"}) for each in clauses)
            continue
        subject = subject_of(head)
        if subject is None and is_order(head):
            yield _order(head, sentence, speech, asks=asks, correction=correction)
        else:
            owner = owner_of(head, subject, speech.who, people)
            made = _clause(
                head,
                subject,
                owner,
                sentence,
                speech,
                attributes=attributes,
                asks=asks,
                correction=correction,
            )
            has_pronoun = (
                "subject pronoun" in made.features
                or (subject is not None and possessor_of(subject) is not None)
                or points_to_person(head)
            )
            is_known = (owner.name and made.text) or owner.is_inside
            points_back = has_pronoun and not is_known
            yield replace(made, context=before) if points_back else made


def _reordered(
    plain: str,
    sentence: Any,
    speech: Speech,
    people: Sequence[str],
    *,
    before: str,
    attributes: AttributeTable,
) -> Iterator[Clause]:
    """The clauses of a sentence whose words are not in their plain order.

    Args:
        plain: The same in plain order.
        sentence: The parsed sentence.
        speech: Text of the sentence.
        people: People that earlier sentences name.
        before: The sentence before it.
        attributes: Table of attributes.
    """
    for reordered in parse(plain).sents:
        clauses = _clauses(reordered, speech, people, before=before, takes_back=False, attributes=attributes)
        yield from (replace(clause, sentence=sentence.text.strip()) for clause in clauses)


def _clause(
    head: Any,
    subject: Any,
    owner: Owner,
    sentence: Any,
    speech: Speech,
    *,
    attributes: AttributeTable,
    asks: bool,
    correction: bool,
) -> Clause:
    words = [token for token in head.subtree if not _is_below_other_clause(token, head)]
    denied, past = is_denied(head), is_past(head)
    unreal = asks or is_unreal(head) or introduces_finding(head)
    since, until = bounds(" ".join(token.text for token in words), speech.at, past=past)
    if until is None and not (past or unreal):
        until = end_of_order(sentence.text, speech.at)
    cues = cues_of(head, words, sentence, denied=denied, correction=correction)
    is_bounded = until is not None or (since is not None and since > speech.at > 0)
    if since is None and until is None and not (unreal or denied):
        since = start_of_state(head, words, speech.at, past=past)
    span = _span(words, head)
    is_brief = is_of_few_days(" ".join(token.text for token in words), speech.at, until)
    general = is_general(head, subject, words)
    over = None
    if until is not None:
        over = until if past and grants(head) and not (unreal or denied) else None
    elif not denied and (not unreal or (is_obliged(head) and not asks)):
        over = end_of_plan(head, words, speech.at, past=past) or end_of_aid(head, span, speech.at)
    text = ""
    # The accountant of "Nore Works Ltd, accountant is Una" is the firm's: the sentence is quoted.
    is_of_name_before = subject is not None and subject.dep_ == "appos"
    if (
        owner.name
        and not (unreal or is_of_name_before)
        and not points_outside(head)
        and not points_to_person(head)
    ):
        text = sentence_of(head, subject, owner, speech)
    made = Clause(
        text=text,
        sentence=sentence.text.strip(),
        owner=owner_key(owner.key),
        changed=object_changed_before(head, subject),
        restores=restores(head),
        topic=_in_order(words, before=head),
        comment=_in_order(words, after=head),
        predicate=predicate_of(head),
        anchors=_anchors(head, words),
        names=_names(words),
        figures=_figures(span)
        | {match[0].lower() for match in DATE.finditer(span) if not (match["near"] or match["day3"])},
        stated=not unreal,
        denied=denied,
        briefly=is_brief,
        past=past and lemma(head) != "used",
        cues=frozenset(cues.kinds | {"bound"} if is_bounded else cues.kinds),
        left=frozenset(cues.left),
        value=frozenset(cues.value),
        objects=objects_of(head),
        ended=ended_by(head, subject),
        details=details_of(words),
        stopped=stopped_by(head),
        fillers=fillers(head, subject, words),
        since=since,
        until=until,
        over=over,
        doses=doses_in(span),
        new_doses=frozenset() if denied else new_doses_in(span),
        condition=condition_of(words),
        mood=is_mood(head),
        general=general,
        occasion=tells_occasion(head, cues, is_brief=is_brief and not general),
        relation=relation_of(subject),
        parts=parts(head),
        died="" if unreal else who_died(head, owner, speech.who.lower()),
        past_dated=past and bool(_LONG_PAST.search(span)),
        alias=owner.alias,
        kin=() if unreal or past else tuple(kin_beside(words, subject, sentence, speech)),
        presents=None
        if unreal or past or "ending" in cues.kinds
        else presented(subject, owner, sentence, speech),
        is_relative=owner.is_relative,
        is_kin=owner.is_kin,
        holders=holders_of(head, subject, owner),
        sited=frozenset(places_of_institutions(words)),
        tells_age=tells_age(words),
        environments=frozenset(environments_in(" ".join(token.text for token in words))),
        features=features(head, subject, words, owner_is_self=owner.is_speaker, denied=denied, unreal=unreal),
    )
    made = with_slot(
        made,
        head,
        subject,
        who=speech.who.lower(),
        is_kin=owner.is_kin,
        # A state to come is known by its day; without one, it is only announced.
        future=is_future(head) and not (since is not None and since > speech.at > 0),
        attributes=attributes,
    )
    made = with_marks(made, head, subject, words, speech.at)
    if made.statement is None:
        return replace(made, text="") if is_time_clause(head) else made
    if made.past and made.statement.attribute == "age" and made.text:
        # "Turned ten yesterday" gives an age from then on.
        verb = "are" if subject.tag_ in ("NNS", "NNPS") else "is"
        return replace(made, text=f"{owner.name} {verb} {made.statement.value}", past=False)
    return made


def _order(head: Any, sentence: Any, speech: Speech, *, asks: bool, correction: bool) -> Clause:
    """A request: it states no fact, but it can correct ("Make it 15 June instead")."""
    words = list(head.subtree)
    denied = is_denied(head)
    cues = cues_of(head, words, sentence, denied=denied, correction=correction)
    return Clause(
        text="",
        until=None if asks else end_of_order(sentence.text, speech.at),
        sentence=sentence.text.strip(),
        owner=speech.who.lower(),
        topic=_in_order(words, before=head),
        comment=_in_order(words, after=head),
        predicate=predicate_of(head),
        anchors=frozenset(lemma(token) for token in words if _is_content(token, head)),
        names=_names(words),
        figures=_figures(sentence.text),
        stated=not asks,
        general=True,
        denied=denied,
        cues=frozenset(cues.kinds),
        left=frozenset(cues.left),
        value=frozenset(cues.value),
        objects=objects_of(head),
        ended=ended_by(head, None),
        fillers=fillers(head, None, words),
        doses=doses_in(sentence.text),
        is_order=True,
    )


def _span(words: list[Any], head: Any) -> str:
    """The text from the first to the last word of a clause."""
    if not words:
        return str(head.text)
    places = [token.i for token in words]
    return str(head.doc[min(places) : max(places) + 1].text)


def _is_content(token: Any, head: Any) -> bool:
    """Whether a word beside the head of a clause has a meaning of its own."""
    return token.pos_ in _CONTENT and token.i != head.i and lemma(token) not in _LIGHT


def _anchors(head: Any, words: list[Any]) -> frozenset[str]:
    """Lemmas of the content words beside the predicate."""
    found = frozenset(
        lemma(token).strip("-")
        for token in words
        if _is_content(token, head)
        and len(token.text) > 1
        and not (token.dep_ in ("nsubj", "nsubjpass") and lemma(token) in SPEAKER)
    )
    return found if head.pos_ in ("VERB", "AUX") else found | {lemma(head)}


def _in_order(words: list[Any], *, before: Any = None, after: Any = None) -> tuple[str, ...]:
    """Lemmas of the words before a word, or from a word on, in order, without those that do not tell things apart."""
    return tuple(
        lemma(token)
        for token in sorted(words, key=lambda token: int(token.i))
        if token.pos_ not in _TELLS_NOTHING_APART
        and (before is None or token.i < before.i)
        and (after is None or token.i >= after.i)
    )


def _names(words: list[Any]) -> frozenset[str]:
    """Proper names in lower case, without the announcement of "Correction: ..."."""
    return frozenset(
        token.text.lower() for token in words if token.pos_ == "PROPN" and not _is_announcement(token)
    )


def _is_announcement(token: Any) -> bool:
    """Whether a word before a colon announces a correction."""
    is_before_colon = token.i + 1 < len(token.doc) and token.nbor(1).text == ":"
    return is_before_colon and corrects(token.text)


def _figures(text: str) -> frozenset[str]:
    """Numbers and codes in lower case."""
    return frozenset(match[0].lower().rstrip(".,:") for match in _NUMBER.finditer(text))


def _is_below_other_clause(token: Any, head: Any) -> bool:
    """Whether a word belongs to another clause that hangs below this one."""
    while token.i != head.i:
        if _begins_clause(token, head):
            return True
        token = token.head
    return False


def _begins_clause(token: Any, head: Any) -> bool:
    """Whether a word is the verb of another clause: one with a subject, or one joined to the head."""
    if token.dep_ not in ("conj", "advcl", "parataxis", "ccomp") or token.pos_ not in ("VERB", "AUX"):
        return False
    has_subject = any(child.dep_ in ("nsubj", "nsubjpass") for child in token.children)
    return has_subject or drops_subject(token) or (token.dep_ == "conj" and token.head.i == head.i)
