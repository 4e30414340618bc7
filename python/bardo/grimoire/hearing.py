"""Hears in each pass what was said since the last one, and gives rejections, decisions, tasks and rules to the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo.errors import StoreError
from bardo.model import Episode

if TYPE_CHECKING:
    from bardo.grimoire.session import Session
    from bardo.language.advisor import Advisor
    from bardo.ports import Vectors

#: Watermark in the log: arrival number of the last episode that was heard.
HEARD = "heard"
#: Maximum number of episodes looked at in one page.
PAGE = 512
#: Name of a user who has none.
NAMELESS = "the user"


def listen(session: Session, advisor: Advisor | None, *, until_done: bool) -> tuple[str, ...]:
    """Hears one page of episodes, or all; returns notes on what was kept or could not be.

    Args:
        session: State of the opened memory.
        advisor: Access to a language model, which decides what the regressions leave undecided; None without one.
        until_done: Whether to continue until everything is heard.
    """
    kept: Counter[str] = Counter()
    notes: dict[str, None] = {}
    while page := session.log.since(session.log.watermark(HEARD), PAGE):
        try:
            kept.update(_hear([episode for _, episode in page], session, advisor, notes))
        except StoreError as error:
            return (
                *notes,
                f"rejections, decisions and rules were not heard: {error}",
            )
        session.log.set_watermark(HEARD, page[-1][0])
        if not until_done:
            break
    if not kept:
        return tuple(notes)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kept.items()))
    return (
        *notes,
        f"kept from what was said, in the gate: {counts}",
    )


def _hear(
    episodes: Sequence[Episode], session: Session, advisor: Advisor | None, notes: dict[str, None]
) -> list[str]:
    """Stores the entries heard in episodes, oldest first; returns their kinds, and adds to the notes."""
    from bardo.consolidate.extraction_pass import is_speech
    from bardo.consolidate.secrets import is_secret

    said = [
        (episode, before)
        for episode, before in _with_before(episodes)
        if is_speech(episode) and episode.role in ("user", "agent")
    ]
    if not said:
        return []
    from bardo.conduct import heard, hearing
    from bardo.conduct.store import ConductStore

    spoken = [
        (episode, one)
        for episode, before in said
        for one in hearing.utterances(episode.text, before, by_agent=episode.role == "agent")
        # A secret stays in its episode: entries stand in every prompt.
        if not is_secret(one.summary)
    ]
    if not spoken:
        return []
    utterances = [one for _, one in spoken]
    found = hearing.read(utterances, *session.indexer.vectors_of([one.text for one in utterances]))
    if advisor is None:
        found = hearing.sure(found)
    else:
        from bardo.conduct import hearing_model

        decided = hearing_model.decide(advisor, utterances, found)
        found = decided.heard
        if decided.asked:
            notes[f"the language model sorted {decided.asked} utterances that rules left undecided"] = None
        if decided.note:
            notes[f"utterances that rules left undecided were not heard: {decided.note}"] = None
    pairs = [
        (
            one,
            heard.Source(
                episode.id, episode.speaker or _name(episode, session), episode.role == "agent", episode.at
            ),
        )
        for one, (episode, _) in zip(found, spoken, strict=True)
        if one is not None
    ]
    if not pairs:
        return []

    def vectors_of(texts: Sequence[str]) -> Vectors | None:
        return session.indexer.vectors_of(list(texts))[0]

    store = ConductStore(session.path, facts=session.facts)
    try:
        kept = heard.keep(store, pairs, vectors_of, agent=session.agent, now=session.clock.now())
    finally:
        store.close()
    return [getattr(one, "kind", "rule") for one in kept]


def _with_before(episodes: Sequence[Episode]) -> list[tuple[Episode, str]]:
    """Episodes, each with the words of the other party just before it in the same conversation."""
    last: dict[tuple[str | None, str | None], Episode] = {}
    found = []
    for episode in episodes:
        conversation = (episode.thread, episode.session)
        previous = last.get(conversation)
        is_answer = previous is not None and previous.role != episode.role
        found.append((episode, previous.text if previous is not None and is_answer else ""))
        last[conversation] = episode
    return found


def _name(episode: Episode, session: Session) -> str:
    return session.agent if episode.role == "agent" else NAMELESS
