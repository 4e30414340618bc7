"""Hears in each pass what was said since the last one, and gives rejections, decisions, tasks and rules to the gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, get_args

from bardo.bequeath.content.directive_kinds import KINDS
from bardo.capture.tool_calls import words_beside
from bardo.consolidate.pages.wording import counted
from bardo.errors import StoreError
from bardo.grimoire.kept_notes import kept_notes
from bardo.model import ENDED, CorrectionRule, Episode, Fact
from bardo.recall.lifted import plain

if TYPE_CHECKING:
    from bardo.conduct.hearing.heard import Kept, Source
    from bardo.conduct.hearing.hearing import Heard
    from bardo.conduct.hearing.utterance import Utterance
    from bardo.conduct.model.entries import Rule, StateEntry
    from bardo.grimoire.read_lifts import Said
    from bardo.grimoire.session import Session
    from bardo.language.advisor import Advisor
    from bardo.ports import Vectors

#: Watermark in the log: arrival number of the last episode that was heard.
HEARD = "heard"
#: Maximum number of episodes looked at in one page.
PAGE = 512
#: Causes of the end of a fact that end its statement, too; of others, such as a merge, it may hold.
ENDS_OF_STATEMENTS = frozenset(
    {"slot", "until", "wording", "supersede", "release", *get_args(CorrectionRule)}
)
#: Maximum number of memories that are compared with the words of a replaced order.
SAME_WORDS = 20
#: Name of a user who has none.
NAMELESS = "the user"


def listen(session: Session, advisor: Advisor | None, *, until_done: bool) -> tuple[str, ...]:
    """Hears one page of episodes, or all; returns notes on what was kept or could not be.

    Args:
        session: State of the opened memory.
        advisor: Access to a language model, which decides what the regressions leave undecided; None without one.
        until_done: Whether to continue until everything is heard.
    """
    kept: list[StateEntry | Rule] = []
    notes: dict[str, None] = {}
    while page := session.log.since(session.log.watermark(HEARD), PAGE):
        try:
            kept += _hear([episode for _, episode in page], session, advisor, notes)
        except StoreError as error:
            return (
                *notes,
                f"rejections, decisions and rules were not heard: {error}",
            )
        session.log.set_watermark(HEARD, page[-1][0])
        if not until_done:
            break
    return (*notes, *kept_notes(kept))


def end_outdated(session: Session) -> tuple[str, ...]:
    """Ends the gate's statements that no longer hold; returns notes."""
    from bardo.conduct.hearing.changes import superseding
    from bardo.conduct.hearing.changes.expiry import end_expired
    from bardo.conduct.hearing.heard import end_outdated, raise_orders, supersede_decisions
    from bardo.conduct.storage.store import FILE_NAME, ConductStore
    from bardo.grimoire.lifted_facts import end_facts

    if not (session.path / FILE_NAME).exists():
        return ()
    try:
        with closing(ConductStore(session.path, facts=session.facts)) as store:
            over: list[StateEntry | Rule] = [
                *end_outdated(
                    store, lambda heard: _ended(session, heard), agent=session.agent, now=session.clock.now()
                )
            ]
            over += superseding.end_by_facts(
                store, lambda entry: _alike(session, entry.summary), agent=session.agent
            )
            over += end_expired(store, agent=session.agent, now=session.clock.now())
            raised = raise_orders(store, agent=session.agent)
            allowed = end_facts(session, store)
            over += supersede_decisions(
                store,
                lambda heard: _correcting(session, heard),
                agent=session.agent,
                now=session.clock.now(),
            )
    except StoreError as error:
        return (f"statements of the gate that no longer hold were not ended: {error}",)
    counts = (
        (len(over), "entry", "of the gate ended: what was said does not hold any longer"),
        (allowed, "fact", "ended with the orders that a person lifted"),
        (len(raised), "standing order", "heard by an earlier bardo became critical"),
    )
    return tuple(f"{counted(number, noun)} {said}" for number, noun, said in counts if number)


def _alike(session: Session, text: str) -> list[Fact]:
    """Facts in force that were told by themselves and share words with a text.

    A fact from episodes or ancestors is stored later than it was said.
    """
    found = session.facts.get([id_ for id_, _ in session.hot.matching(text, SAME_WORDS)])
    return [
        fact
        for fact in found
        if fact is not None and fact.status == "active" and not (fact.evidence or fact.generation)
    ]


def _correcting(session: Session, heard: Sequence[StateEntry]) -> dict[str, str]:
    """Episodes that correct those of entries, by the corrected ones."""
    episodes = sorted({entry.episode for entry in heard})
    return {
        older: newer
        for newer, older, relation, weight, _ in session.facts.links(episodes)
        if relation == "corrects" and weight >= ENDED and older in episodes
    }


def _ended(session: Session, heard: Sequence[StateEntry]) -> list[list[str]]:
    """Statements of the episode of each entry that have ended: those of facts, and the episode if one corrects it."""
    episodes = sorted({entry.episode for entry in heard})
    ended: dict[str, list[str]] = {id_: [] for id_ in episodes}
    for fact in session.facts.derived_from(episodes):
        if fact.status == "superseded" and fact.ended_by in ENDS_OF_STATEMENTS:
            for id_ in ended.keys() & set(fact.evidence):
                ended[id_].append(fact.text)
    corrected = {
        older
        for _, older, relation, weight, _ in session.facts.links(episodes)
        if relation == "corrects" and weight >= ENDED
    }
    for episode in session.log.get(sorted(corrected & ended.keys())):
        if episode is not None:
            # An inherited entry is in memory with the word of its kind.
            ended[episode.id] += [
                episode.text,
                _said(episode),
                *(episode.text.removeprefix(f"{word}: ") for word in KINDS.values()),
            ]
    return [ended[entry.episode] for entry in heard]


def _hear(
    episodes: Sequence[Episode], session: Session, advisor: Advisor | None, notes: dict[str, None]
) -> Sequence[StateEntry | Rule]:
    """Stores the entries heard in episodes, oldest first; returns them, and adds to the notes."""
    from bardo.consolidate.texts.secrets import is_secret
    from bardo.grimoire.turns import with_before

    results = _results(episodes, session)
    said = [
        (episode, before)
        for episode, before in with_before(episodes, session)
        if episode.role in ("user", "agent")
    ]
    if not said and not results:
        return []
    from bardo.conduct.hearing import heard, hearing, splitting
    from bardo.conduct.hearing.changes import completion
    from bardo.conduct.hearing.changes.limit_changes import changes_limit
    from bardo.conduct.hearing.changes.replacement import may_replace
    from bardo.conduct.hearing.changes.rescheduling import moves_date
    from bardo.conduct.hearing.lifts.lifting import lifts
    from bardo.conduct.hearing.lifts.permissions import permits
    from bardo.conduct.hearing.orders import answers

    contradicted = {
        before.id: episode.speaker or NAMELESS
        for episode, before in said
        if before is not None and episode.role == "user" and answers.is_contradiction(episode.text)
    }
    spoken = [
        (episode, one)
        for episode, before in said
        for one in splitting.utterances(
            _said(episode), before.text if before else "", by_agent=episode.role == "agent"
        )
        # A secret stays in its episode: entries stand in every prompt.
        if not is_secret(one.summary)
    ]
    if not spoken:
        return _keep(results, contradicted, set(), session, notes).rows
    utterances = [one for _, one in spoken]
    found = hearing.read(utterances, *session.indexer.vectors_of([one.text for one in utterances]))
    before_of = {episode.id: before.text for episode, before in said if before is not None}
    spoken, found = _read_on(spoken, found, before_of, session)
    found = _without_lifts(spoken, found, before_of, session)
    if advisor is None:
        found = hearing.sure(found)
    else:
        from bardo.conduct.hearing import hearing_model

        decided = hearing_model.decide(advisor, [one for _, one in spoken], found)
        found = decided.heard
        if decided.asked:
            notes[f"the language model sorted {decided.asked} utterances that rules left undecided"] = None
        if decided.note:
            notes[f"utterances that rules left undecided were not heard: {decided.note}"] = None
    found = [
        one if one is None or _is_taken_on(one.kind, episode, session) else None
        for one, (episode, _) in zip(found, spoken, strict=True)
    ]
    pairs = [
        (
            one,
            heard.Source(
                episode.id,
                episode.speaker or _name(episode, session),
                episode.role == "agent",
                episode.at,
                said.text.strip(),
                said.before,
            ),
        )
        for one, (episode, said) in zip(found, spoken, strict=True)
        if one is not None
        or (
            episode.role == "user"
            and any(
                changes(said.text) for changes in (may_replace, moves_date, changes_limit, lifts, permits)
            )
        )
        or completion.is_completion(said.text)
    ]
    places = {episode.id: place for place, episode in enumerate(episodes)}
    pairs = sorted([*pairs, *results], key=lambda pair: places[pair[1].episode])
    kept = _keep(pairs, contradicted, {episode.id for episode, _ in said}, session, notes)
    _lift(_quiet(spoken, found, before_of, kept.lifting, session), session, notes)
    return kept.rows


def _results(episodes: Sequence[Episode], session: Session) -> list[tuple[Heard | None, Source]]:
    """Returns the results that tools report, which end tasks and are heard as nothing else."""
    from bardo.conduct.hearing.changes.completion import result_in
    from bardo.conduct.hearing.heard import Source

    told = [(episode, result_in(episode.text)) for episode in episodes if episode.role == "tool"]
    return [
        (None, Source(episode.id, episode.speaker or session.agent, True, episode.at, result))
        for episode, result in told
        if result
    ]


def _keep(
    pairs: Sequence[tuple[Heard | None, Source]],
    contradicted: Mapping[str, str],
    episodes: Collection[str],
    session: Session,
    notes: dict[str, None],
) -> Kept:
    """Stores what was heard in a page of episodes, and marks what it replaced."""
    from bardo.conduct.hearing import heard
    from bardo.conduct.hearing.changes import superseding
    from bardo.conduct.storage.store import FILE_NAME, ConductStore

    is_kept = any(one is not None for one, _ in pairs)
    if not is_kept and not ((pairs or contradicted) and (session.path / FILE_NAME).exists()):
        return heard.Kept([], frozenset())

    def vectors_of(texts: Sequence[str]) -> Vectors | None:
        return session.indexer.vectors_of(list(texts))[0]

    store = ConductStore(session.path, facts=session.facts)
    try:
        kept = heard.keep(
            store, pairs, vectors_of, agent=session.agent, now=session.clock.now(), contradicted=contradicted
        )
        replaced = superseding.replaced_in(store, episodes)
    finally:
        store.close()
    if replaced:
        _mark_replaced(session, replaced)
        what = "1 rule or decision was" if len(replaced) == 1 else f"{len(replaced)} rules and decisions were"
        notes[f"{what} replaced by what a person said later"] = None
    return kept


def _quiet(
    spoken: Sequence[tuple[Episode, Utterance]],
    found: Sequence[Heard | None],
    before_of: Mapping[str, str],
    lifting: Collection[str],
    session: Session,
) -> list[Said]:
    """Returns the messages of persons in which nothing was forbidden, and no form heard what is allowed again."""
    from bardo.conduct.hearing.changes.limit_changes import changes_limit
    from bardo.conduct.hearing.hearing import FORBIDDING
    from bardo.conduct.persons import is_person
    from bardo.consolidate.texts.secrets import is_secret

    done = {
        episode.id
        for one, (episode, _) in zip(found, spoken, strict=True)
        if one is not None and one.kind in FORBIDDING
    }
    messages = {
        episode.id: _message(episode, before_of)
        for episode, _ in spoken
        if episode.role == "user"
        and episode.id not in done
        and episode.id not in lifting
        # The figure of a limit allows nothing else.
        and not changes_limit(_said(episode))
        and is_person(episode.speaker or NAMELESS, session.agent)
        # A secret stays in its episode: why an order ended crosses to heirs.
        and not is_secret(_said(episode))
    }
    return list(messages.values())


def _message(episode: Episode, before_of: Mapping[str, str]) -> Said:
    from bardo.grimoire.read_lifts import Said

    return Said(episode, _said(episode), before_of.get(episode.id, ""), episode.speaker or NAMELESS)


def _lift(messages: Sequence[Said], session: Session, notes: dict[str, None]) -> None:
    """Ends or doubts the orders that messages allow again in words that no form knows."""
    from bardo.grimoire import read_lifts

    ended, doubted = read_lifts.lift(session, messages)
    if ended:
        notes[f"{_orders(ended)} that a model had read ended: a person allows it again"] = None
    if doubted:
        notes[f"{_orders(doubted)} in doubt, only warned of: a model reads that a person allows it again"] = (
            None
        )


def _orders(count: int) -> str:
    return "1 order" if count == 1 else f"{count} orders"


def _read_on(
    spoken: list[tuple[Episode, Utterance]],
    found: Sequence[Heard | None],
    before_of: Mapping[str, str],
    session: Session,
) -> tuple[list[tuple[Episode, Utterance]], list[Heard | None]]:
    """Adds the orders and refusals that a cross-encoder reads in sentences of users, where no form hears one."""
    from bardo.conduct.hearing import order_reader
    from bardo.conduct.hearing.hearing import FORBIDDING
    from bardo.conduct.hearing.utterance import Utterance
    from bardo.consolidate import cross_encoder
    from bardo.consolidate.texts.secrets import is_secret

    by_episode: dict[str, list[tuple[Episode, Utterance, Heard | None]]] = {}
    for (episode, said), heard in zip(spoken, found, strict=True):
        by_episode.setdefault(episode.id, []).append((episode, said, heard))
    told = [parts for parts in by_episode.values() if parts[0][0].role == "user"]
    is_on = bool(told) and session.config.curator.cross_encoder
    encoder = cross_encoder.load("orders") if is_on else None
    if encoder is None:
        return spoken, list(found)
    forms = (*FORBIDDING, "task")
    messages = [
        order_reader.Message(
            _said(parts[0][0]),
            before_of.get(parts[0][0].id, ""),
            tuple(said.text for _, said, heard in parts if heard and heard.is_sure and heard.kind in forms),
        )
        for parts in told
    ]
    for parts, message, read in zip(told, messages, order_reader.read(messages, encoder), strict=True):
        # A secret stays in its episode: entries stand in every prompt.
        orders = [one for one in read if not (is_secret(one.said) or is_secret(one.heard.summary))]
        # Another kind that was heard in the words of an order is doubtful.
        parts[:] = [
            (episode, said, None if any(one.shares(said.text) for one in orders) else heard)
            for episode, said, heard in parts
        ]
        parts += [(parts[0][0], Utterance(one.said, message.before), one.heard) for one in orders]
    every = [part for parts in by_episode.values() for part in parts]
    return [(episode, said) for episode, said, _ in every], [heard for *_, heard in every]


def _without_lifts(
    spoken: Sequence[tuple[Episode, Utterance]],
    found: Sequence[Heard | None],
    before_of: Mapping[str, str],
    session: Session,
) -> list[Heard | None]:
    """Drops the doubtful orders in words which a cross-encoder reads as allowing an earlier order again."""
    from bardo.conduct.hearing.hearing import FORBIDDING
    from bardo.conduct.hearing.lifts import lift_reader
    from bardo.conduct.hearing.lifts.partial_lifts import named_in
    from bardo.conduct.hearing.order_reader import meets
    from bardo.conduct.parse.rejections.forbidden import propose
    from bardo.grimoire import read_lifts

    forbidding = [
        (episode, one)
        for (episode, _), one in zip(spoken, found, strict=True)
        if one is not None and one.is_sure and one.kind in FORBIDDING and episode.role == "user"
    ]
    doubtful = {episode.id: episode for episode, one in forbidding if _is_doubtful(one)}
    told = [
        read_lifts.Order(
            episode.at,
            lift_reader.told(one.summary, one.detail),
            one.summary,
            named_in(one.summary, propose(one.summary)),
        )
        for episode, one in forbidding
    ]
    messages = [_message(episode, before_of) for episode in doubtful.values()]
    allowed = dict(zip(doubtful, read_lifts.allowed_in(session, messages, told), strict=True))
    return [
        None
        if one is not None
        and _is_doubtful(one)
        and any(meets(said.text, words) for words in allowed.get(episode.id, ()))
        else one
        for (episode, said), one in zip(spoken, found, strict=True)
    ]


def _is_doubtful(heard: Heard) -> bool:
    """Whether an order was heard by a model alone, or as a rule that forbids nothing."""
    from bardo.conduct.hearing.hearing import FORBIDDING
    from bardo.conduct.state.prohibition import forbidden_act

    is_open = heard.kind == "rule" and forbidden_act(heard.summary) is None
    return heard.is_sure and heard.kind in FORBIDDING and (is_open or not heard.is_of_form)


def _is_taken_on(kind: str, episode: Episode, session: Session) -> bool:
    """Whether a kind of entry is heard in an episode: an agent that dies takes on no new tasks and decisions."""
    from bardo.conduct.state.tasks import OBLIGATIONS

    death = session.death
    return death is None or kind not in OBLIGATIONS or episode.at <= death.at


def _mark_replaced(session: Session, replaced: Sequence[tuple[str, Rule | StateEntry]]) -> None:
    """Links the episodes of successors to the memories of what they replaced, which recall shows after them.

    An inherited order is also in the turns of the ancestor, in the same words.
    """
    from bardo.conduct.model.entries import Rule

    corrections: dict[tuple[str, str, float], None] = {}
    at = {episode.id: episode.at for episode in session.log.get([newer for newer, _ in replaced]) if episode}
    for newer, row in replaced:
        text = row.text if isinstance(row, Rule) else row.summary
        ids = [*filter(None, [row.episode]), *(id_ for id_, _ in session.hot.matching(text, SAME_WORDS))]
        told = [one for one in session.log.get(ids) if one is not None and _tells(one, row.episode, text)]
        known = [one for one in session.facts.get(ids) if one is not None and plain(one.text) == plain(text)]
        older = [one.id for one in told if one.at <= at[newer]]
        # Said again later, the order holds again, and so does its fact.
        older += [one.id for one in known] * (len(older) == len(told))
        corrections |= dict.fromkeys((newer, id_, ENDED) for id_ in older)
    if corrections:
        session.facts.upsert_resolved(
            [], tick=session.now_tick, now=session.clock.now(), actor=HEARD, marks={}, answered={}, resolutions=[],
            corrections=list(corrections),
        )  # fmt: skip


def _tells(episode: Episode, source: str, text: str) -> bool:
    """Whether an episode tells an order: its source, or another in the same words."""
    return episode.id == source or plain(episode.text) == plain(text)


def _said(episode: Episode) -> str:
    """Returns the words of an episode, without its tool calls."""
    return words_beside(episode.text, episode.payload)


def _name(episode: Episode, session: Session) -> str:
    return session.agent if episode.role == "agent" else NAMELESS
