"""Episodes that tell a secret: they answer the question that asks for it, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bardo._patterns import lazy_pattern
from bardo.capture.secret_outputs import SecretOutputs

if TYPE_CHECKING:
    from bardo._core import EpisodeLog
    from bardo.model import Episode
    from bardo.recall.recollection import Answer

#: Maximum number of episodes of which is known whether they tell a secret.
KNOWN = 65_536
#: Ticks before a result in which its call is looked for: seconds by the clock.
REACHES = (0, 60)
#: Words and forms without which no text tells a secret. The detector, which takes .4 s to load, reads the others.
_MAY_TELL = lazy_pattern(
    r"pass|pwd|\bpw\b|\bpin\b|\bpuk\b|\botp\b|\btan\b|cod[eio]|\bkod|\bкод|key|schlüssel|clave|token|secret|"
    r"credential|creds|login|log in|iban|ssn|account|\bcard|safe|alarm|lock|combination|seed|phrase|wort|mot de|"
    r"contrase|senha|lösen|heslo|"
    r"has[łl]o|парол|密|パス|비밀|bearer|cookie|private|[\w+/=-]{24}",
    re.IGNORECASE,
)
#: End of the note on them.
LEFT_OUT = "left out: name the secret or what it opens, or pass secrets=True (the setting recall.secrets)"


class Untold:
    """Secrets that do not answer a query for something else.

    It keeps ids and no text, so that nothing of a forgotten episode stays.

    Args:
        log: Episode log, which tells the calls that printed secrets; None where it cannot be read.
    """

    def __init__(self, log: EpisodeLog | None = None) -> None:
        self._log = log
        self._known: dict[str, bool] = {}

    def among(self, query: str, found: Answer) -> set[str]:
        """Returns the ids of the episodes of an answer that tell secrets which a query does not ask for."""
        told = [(id_, text) for text, id_, layer, *_ in found.outlines() if layer == "episode"]
        return self._untold(query, told)

    def without(self, query: str, turns: Sequence[Episode]) -> tuple[Episode, ...]:
        """Returns the turns without those that tell secrets which a query does not ask for."""
        hidden = self._untold(query, ((turn.id, turn.text) for turn in turns))
        return tuple(turn for turn in turns if turn.id not in hidden)

    def _untold(self, query: str, told: Iterable[tuple[str, str]]) -> set[str]:
        secret = [(id_, text) for id_, text in told if self._tells(id_, text)]
        if not secret:
            return set()
        from bardo.privacy.asked import Asked

        asked = Asked(query)
        # The output of a call has no words by which a question asks for it: those of the call tell what it is.
        return {
            id_ for id_, text in secret if not asked.wants("\n".join(filter(None, (self._call(id_), text))))
        }

    def _tells(self, id_: str, text: str) -> bool:
        known = self._known.get(id_)
        if known is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            known = self._known[id_] = _tells(text) or bool(self._call(id_))
        return known

    def _call(self, id_: str) -> str:
        """Returns the call that printed an episode as a secret; empty if none did."""
        if self._log is None:
            return ""
        (episode,) = self._log.get([id_])
        if episode is None or episode.role != "tool":
            return ""
        for reach in REACHES:
            outputs = SecretOutputs()
            for before in self._log.range(max(0, episode.tick - reach), episode.tick):
                outputs.of(before)
            if (called := outputs.called(episode)) is not None:
                return called if outputs.of(episode) else ""
        return ""


def _tells(text: str) -> bool:
    """Whether a text tells a secret."""
    if _MAY_TELL.search(text) is None:
        return False
    from bardo.consolidate.texts.secrets import tells_secret

    return tells_secret(text)


def secrets_note(count: int) -> str:
    """Note on secrets that were left out; empty if none was."""
    if not count:
        return ""
    told = "1 episode that tells a secret was" if count == 1 else f"{count} episodes that tell secrets were"
    return f"{told} {LEFT_OUT}"
