"""Episodes that are turns of a conversation, and those that are other texts."""

from __future__ import annotations

from bardo.model import INHERITED_KIND, Episode

#: Kinds of episodes that are speech, and roles of their speakers.
SPEECH_KINDS = frozenset({"turn", "message", "chat"})
SPEECH_ROLES = frozenset({"user", "agent"})


def is_speech(episode: Episode) -> bool:
    """Whether an episode is a turn of a conversation between people and agents.

    `remember(text, role="user")` without a kind is one: the role is explicit, unlike that of other events.
    """
    if episode.kind == "event":
        return episode.role == "user" and episode.payload is None
    return episode.kind in SPEECH_KINDS and episode.role in SPEECH_ROLES


def is_narrative(episode: Episode) -> bool:
    """Whether a verified episode is a text: no turn, event with numbers, output of a tool, or inheritance."""
    return (
        not is_speech(episode)
        and episode.payload is None
        and episode.kind not in ("tool", INHERITED_KIND)
        and episode.role not in ("tool", "system")
    )
