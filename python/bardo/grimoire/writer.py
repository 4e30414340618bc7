"""Recording of episodes from callers of `remember` and from the inbox of other processes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex

from bardo.assemble.copies import cleaned_episode
from bardo.capture import intake
from bardo.capture.fields import EpisodeFields
from bardo.capture.recorder import RecordReport, SourceMove
from bardo.errors import BardoWarning, EmbeddingMismatchError, InvalidInputError, StoreError
from bardo.grimoire.session import Session
from bardo.model import Episode


class Writer:
    """Records episodes.

    Args:
        session: Open memory.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def remember(
        self, what: object, tick: SupportsIndex | None, fields: EpisodeFields, *, truncate: bool
    ) -> Any:
        """Implements `Grimoire.remember`.

        Args:
            what: String, `Episode`, chat message, or an iterable of any of these.
            tick: Logical time; None uses the episode's own tick, or that of its time.
            fields: Fields of the episodes made here. A datetime in `at` is replaced in place by microseconds.
            truncate: Whether to cut texts over 64 KiB.
        """
        session = self._session
        session.ready(write=True)
        stamp = None if tick is None else session.ticks.stamp(tick)
        if "at" in fields:
            fields["at"] = session.ticks.instant(fields["at"], "at")
        clean = session.made_prompts.cleaner()
        handed = intake.drafts_from(what, fields, clean=clean, truncate=truncate)
        drafts = handed.drafts
        whole = [draft for draft in drafts if not isinstance(draft, str)]
        for draft in whole:
            session.ticks.instant(draft.at, "at")
        taken = session.recorder.record(
            drafts,
            tick=stamp,
            own_ticks=tick is not None or any(draft.tick for draft in whole),
            template=Episode("", **fields) if len(whole) < len(drafts) else None,  # type: ignore[arg-type]
            transcript=handed.transcript,
        )
        if taken.forgotten:
            from bardo.grimoire import refusal

            refusal.refuse_episodes(drafts, taken)
        session.stores.note_unit()
        session.unembedded += taken.fresh
        self.embed_if_due()
        if handed.chat and taken.fresh:
            self._count_exchanges(drafts, taken)
        left_out = handed.new_empty_messages(taken, clean)
        intake.tell_empty(left_out, len(handed.places) + len(handed.empty), stacklevel=4)
        clean.tell(stacklevel=4)
        return taken.stored if handed.batch else taken.stored[0]

    def record_from_source(self, episodes: Sequence[Episode], move: SourceMove) -> RecordReport:
        """Records episodes of a source, and moves its watermark in the same transaction.

        Args:
            episodes: Episodes with ids; may be empty.
            move: Name of the source, its watermark before, and its new one.

        Raises:
            InvalidInputError: An episode breaks a limit, or another caller has moved the watermark.
        """
        session = self._session
        session.ready(write=True)
        taken = session.recorder.record(episodes, tick=None, own_ticks=False, late=True, source=move)
        session.unembedded += taken.fresh
        return taken

    def _count_exchanges(self, drafts: Sequence[str | Episode], taken: RecordReport) -> None:
        """Counts the agent's new replies in a chat, for the checkpoints of the session."""
        before = {*taken.known, *taken.forgotten}
        replies = [
            draft
            for place, draft in enumerate(drafts)
            if isinstance(draft, Episode)
            and draft.role == "agent"
            and draft.kind == "turn"
            and place not in before
        ]
        if not replies:
            return
        session = self._session
        try:
            session.checkpoints.exchange(
                count=len(replies),
                last=taken.stored[-1].id,
                session=replies[-1].session or "",
                at=session.clock.now(),
            )
        except StoreError as error:
            warnings.warn(
                f"the messages are stored, but no checkpoint of the session could be written: {error}",
                BardoWarning,
                stacklevel=5,
            )

    def embed_if_due(self) -> None:
        """Embeds the stored episodes if as many as `embedding.batch` have no vectors."""
        batch = self._session.config.embedding.batch
        if batch and self._session.unembedded >= batch:
            self._embed_stored()

    def drain_inbox(self) -> int:
        """Records the episodes that other processes dropped; a file that cannot be read is set aside.

        Returns:
            Number of new episodes.
        """
        session = self._session
        session.ready()
        if session.is_dead:
            return 0
        clean = session.made_prompts.cleaner()
        taken = session.recorder.drain(session.path, clean, lambda episode: cleaned_episode(episode, clean))
        clean.tell(stacklevel=3)
        return taken

    def _embed_stored(self) -> None:
        """Embeds the stored episodes; they are stored already, so a failure of the model is only a warning."""
        try:
            self._session.embed_now()
        except (InvalidInputError, EmbeddingMismatchError) as error:
            self._session.unembedded = 0
            warnings.warn(
                f"what was remembered is stored, and found by its words alone: {error}",
                BardoWarning,
                stacklevel=5,
            )
