"""Kinds of directives, in a module of its own: recall needs them without the redaction."""

from __future__ import annotations

#: Kinds of directives, most needed first, and the word that begins their text in memory.
KINDS = {
    "rejected": "Rejected", "rule": "Rule", "mission": "Mission", "decision": "Decided", "task": "Open task",
    "flow": "Flow", "discovery": "Found", "learning": "Learned", "context": "Context",
}  # fmt: skip
