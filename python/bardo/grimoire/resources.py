"""Resources of a grimoire: what only some callers need, made when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._cached_property import locked_cached_property

if TYPE_CHECKING:
    from bardo.grimoire.ambient import Ambient
    from bardo.grimoire.curator import Curator, Replays
    from bardo.grimoire.death import Death
    from bardo.grimoire.decisions import Decisions
    from bardo.grimoire.deletion import Deletion
    from bardo.grimoire.documents import Documents
    from bardo.grimoire.embedding import Embedding
    from bardo.grimoire.entities import Entities
    from bardo.grimoire.episodes import Episodes
    from bardo.grimoire.extraction import Extraction
    from bardo.grimoire.facts import Facts
    from bardo.grimoire.journal import Journal
    from bardo.grimoire.life import Life
    from bardo.grimoire.lineage import Lineage
    from bardo.grimoire.maintenance import Maintenance
    from bardo.grimoire.pages import Pages, PageWriter
    from bardo.grimoire.passes import CuratorPasses
    from bardo.grimoire.prompts import PromptParts, Prompts
    from bardo.grimoire.recovery import Recovery
    from bardo.grimoire.retrieval import Retrieval
    from bardo.grimoire.scribe import Scribe
    from bardo.grimoire.session import Session
    from bardo.grimoire.summaries import Summaries, SummaryParts
    from bardo.grimoire.writer import Writer
    from bardo.ports import LLM


class Resources:
    """Resources of a grimoire as attributes. `Grimoire` adds the methods that an agent's loop calls."""

    _session: Session
    _writer: Writer
    _llm: LLM | None

    @locked_cached_property
    def episodes(self) -> Episodes:
        """Episodes: `list`, `get`, `verify`, `find`."""
        from bardo.grimoire.episodes import Episodes

        return Episodes(self._session)

    @locked_cached_property
    def facts(self) -> Facts:
        """Facts: `list`, `get`, `why`, `history`, `confidence`, `supersede`, `contradict`, `link`, `links`."""
        from bardo.grimoire.facts import Facts

        return Facts(self._session)

    @locked_cached_property
    def documents(self) -> Documents:
        """Documents in chunks: `add`, `list`, `remove`."""
        from bardo.grimoire.documents import Documents

        return Documents(self._session, self._writer, self._deletion)

    @locked_cached_property
    def entities(self) -> Entities:
        """Entities that memories name: `list`, `of`, `related`, `merge`, `part`, `relate`, `relations`."""
        from bardo.grimoire.entities import Entities

        return Entities(self._session)

    @locked_cached_property
    def curator(self) -> Curator:
        """Curator on demand: `replay`, `dream`, `lint`, `gaps`, `calibration`."""
        from bardo.grimoire.curator import Curator

        return Curator(self._session, self._retrieval, self._replays)

    @locked_cached_property
    def pages(self) -> Pages:
        """Pages compiled from facts: `dossier`, `playbook`, `versions`."""
        from bardo.grimoire.pages import Pages

        return Pages(self._session, self._page_writer)

    @locked_cached_property
    def prompts(self) -> Prompts:
        """Contributors to prompts and feedback on them: `list`, `contribute`, `withdraw`, `acted`, `reset_weights`."""
        from bardo.grimoire.prompts import Prompts

        return Prompts(self._session, self._prompt_parts)

    @locked_cached_property
    def summaries(self) -> Summaries:
        """Summaries of conversations: `list`, `get`, `of`."""
        from bardo.grimoire.summaries import Summaries

        return Summaries(self._session, self._summary_parts)

    @locked_cached_property
    def journal(self) -> Journal:
        """Acts of inference about facts: `list`, `undo`."""
        from bardo.grimoire.journal import Journal

        return Journal(self._session)

    @locked_cached_property
    def embedding(self) -> Embedding:
        """Embedding model: `check`, `migrate`, `abandon`."""
        from bardo.grimoire.embedding import Embedding

        return Embedding(self._session, self._retrieval)

    @locked_cached_property
    def maintenance(self) -> Maintenance:
        """Maintenance: `rebuild`, `check`, `drain_inbox`, `costs`, `rebase_ticks`."""
        from bardo.grimoire.maintenance import Maintenance

        return Maintenance(
            self._session, self._writer, self._extraction, self._prompt_parts, self._summary_parts
        )

    @locked_cached_property
    def lineage(self) -> Lineage:
        """Lineage of the agent: `generation`, `parents`, `is_dead`, `adopt`, `inheritance`."""
        from bardo.grimoire.lineage import Lineage

        return Lineage(self._session)

    @locked_cached_property
    def life(self) -> Life:
        """Life of the agent: `vitality`, `spend`, `earn`, `marker`, `risks`, `decision`, `dangers`."""
        from bardo.grimoire.life import Life

        return Life(self._session)

    @locked_cached_property
    def death(self) -> Death:
        """Death of the agent in steps: `begin`, `status`, `checklist`, `settle`, `complete`, `left_behind`."""
        from bardo.grimoire.death import Death

        return Death(self._session, lambda: self._passes)

    @locked_cached_property
    def _scribe(self) -> Scribe:
        from bardo.grimoire.scribe import Scribe

        return Scribe(self._session, self._writer)

    @locked_cached_property
    def _recovery(self) -> Recovery:
        from bardo.grimoire.recovery import Recovery

        return Recovery(self._session)

    @locked_cached_property
    def _ambient(self) -> Ambient:
        from bardo.grimoire.ambient import Ambient

        return Ambient(self._session, self._writer, self._retrieval, self._recovery)

    @locked_cached_property
    def _retrieval(self) -> Retrieval:
        from bardo.grimoire.retrieval import Retrieval

        return Retrieval(self._session, self._writer)

    @locked_cached_property
    def _replays(self) -> Replays:
        from bardo.grimoire.curator import Replays

        return Replays(self._session)

    @locked_cached_property
    def _extraction(self) -> Extraction:
        from bardo.grimoire.extraction import Extraction

        return Extraction(self._session, self._llm)

    @locked_cached_property
    def _page_writer(self) -> PageWriter:
        from bardo.grimoire.pages import PageWriter

        return PageWriter(self._session)

    @locked_cached_property
    def _prompt_parts(self) -> PromptParts:
        from bardo.grimoire.prompts import PromptParts

        return PromptParts(self._session, lambda cap, task: self._recovery.block(cap=cap, task=task))

    @locked_cached_property
    def _summary_parts(self) -> SummaryParts:
        from bardo.grimoire.summaries import SummaryParts

        return SummaryParts(self._session, self._extraction)

    @locked_cached_property
    def _decisions(self) -> Decisions:
        from bardo.grimoire.decisions import Decisions
        from bardo.grimoire.replies import Replies

        return Decisions(
            self._session, self._writer, self._retrieval, self._prompt_parts, self._page_writer,
            replies=Replies(self._session, self._retrieval, self._summary_parts),
        )  # fmt: skip

    @locked_cached_property
    def _passes(self) -> CuratorPasses:
        from bardo.grimoire.passes import CuratorPasses

        return CuratorPasses(
            self._session, self._writer, self._retrieval,
            extraction=self._extraction, pages=self._page_writer, curator=self.curator, summaries=self._summary_parts,
        )  # fmt: skip

    @locked_cached_property
    def _deletion(self) -> Deletion:
        from bardo.grimoire.deletion import Deletion

        return Deletion(
            self._session, self._writer, self._prompt_parts, self._page_writer,
            replays=self._replays, retrieval=self._retrieval,
        )  # fmt: skip
