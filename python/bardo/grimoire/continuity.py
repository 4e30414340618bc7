"""Methods of a grimoire by which a session begins, is interrupted, and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._validation import checked, require_text
from bardo.grimoire.resources import Resources

if TYPE_CHECKING:
    from bardo.conduct.model.entries import StateEntry
    from bardo.grimoire.recovery import Briefing


class Continuity(Resources):
    """Begins a session, recovers a lost context, and keeps checkpoints of unfinished work."""

    @checked
    def boot(self, *, budget: int = 3_000) -> Briefing:
        """Returns the text with which a session begins: rules (top 20), rejections, tasks, decisions, lessons.

        If the last session was cut off, it begins with `[SESSION_RESUME]`, once.

        Args:
            budget: Maximum number of tokens.

        Raises:
            BudgetTooSmallError: Not even the note on the last session fits.
            ConductLostError: The state and rules are lost.
        """
        return self._recovery.boot(budget)

    @checked
    def recover(self, tier: int = 0, *, budget: int | None = None) -> Briefing:
        """Returns the text that recovers a lost context; see `boot` for a session that begins.

        Args:
            tier: 0: active state and rejections, under 1,000 tokens for any history; 1: also the last 30 messages
                (10,000); 2: also the day's recap (15,000); 3: the log, the latest that fits (100,000).
            budget: Maximum number of tokens; that of the tier if None.

        Raises:
            InvalidInputError: There is no such tier.
            ConductLostError: The state and rules are lost.
        """
        return self._recovery.recover(tier, budget)

    @checked
    def heartbeat(self) -> Briefing:
        """Returns the text to resume unfinished work (as `recover`), or `idle`."""
        return self._recovery.heartbeat()

    @checked
    def checkpoint(self, doing: str | None = None, *, done: bool = False, by: str = "") -> StateEntry | None:
        """Writes a checkpoint at once, atomically; one is also written every 3 exchanges of `turn` or `remember`.

        Args:
            doing: Work that is being done, in a sentence: an entry of state that comes first until it is done. That of
                the last checkpoint if not given.
            done: Whether that work, and the session, ended.
            by: Author.

        Returns:
            The entry of the work that began or ended; None without one.
        """
        if doing is not None:
            require_text(doing, "work", "Say in a sentence what is being done, or pass nothing")
        return self._recovery.checkpoint(doing, done=done, by=by)
