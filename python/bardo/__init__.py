"""Memory engine for long-lived agents: recording, recall, consolidation, deletion on purpose, and inheritance."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bardo._core import __version__

if TYPE_CHECKING:
    from bardo.assemble.blocks import Block
    from bardo.assemble.prompt import Prompt
    from bardo.bequeath.heir.inherit import InheritanceReport
    from bardo.bequeath.testament.testament import Testament
    from bardo.conduct.factory import gate
    from bardo.conduct.gate import Gate
    from bardo.conduct.verdict import Verdict
    from bardo.config import Config
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.consolidate.dream import DreamComplete
    from bardo.consolidate.lint import LintReport
    from bardo.converse.notes import NotesReport, check_notes
    from bardo.converse.triage import Triage, triage
    from bardo.errors import BardoError
    from bardo.grimoire.aio import AsyncGrimoire
    from bardo.grimoire.erasure import ForgetReport
    from bardo.grimoire.factory import bequeath_posthumously, inherit, open  # noqa: A004 - `bardo.open` reads as it should
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.inbox import drop
    from bardo.grimoire.integrity import check
    from bardo.grimoire.reader import Visitor, visit
    from bardo.index.embedding.embedders import function_embedder
    from bardo.life.clocks import PhaseChange, Vitality
    from bardo.model import Episode, Fact, Fingerprint, Quality
    from bardo.ports import ManualClock, SystemClock
    from bardo.recall.feedback import OutcomeReport
    from bardo.recall.recollection import Memory, Recollection

#: Module of each exported name. Modules load on first use, so that `import bardo` is cheap.
_HOME = {
    "AsyncGrimoire": "bardo.grimoire.aio",
    "BardoError": "bardo.errors",
    "Block": "bardo.assemble.blocks",
    "Config": "bardo.config",
    "CuratorCycleComplete": "bardo.consolidate.curator",
    "DreamComplete": "bardo.consolidate.dream",
    "Episode": "bardo.model",
    "Fact": "bardo.model",
    "Fingerprint": "bardo.model",
    "ForgetReport": "bardo.grimoire.erasure",
    "Gate": "bardo.conduct.gate",
    "Grimoire": "bardo.grimoire.grimoire",
    "InheritanceReport": "bardo.bequeath.heir.inherit",
    "LintReport": "bardo.consolidate.lint",
    "ManualClock": "bardo.ports",
    "Memory": "bardo.recall.recollection",
    "NotesReport": "bardo.converse.notes",
    "OutcomeReport": "bardo.recall.feedback",
    "PhaseChange": "bardo.life.clocks",
    "Prompt": "bardo.assemble.prompt",
    "Quality": "bardo.model",
    "Recollection": "bardo.recall.recollection",
    "SystemClock": "bardo.ports",
    "Testament": "bardo.bequeath.testament.testament",
    "Triage": "bardo.converse.triage",
    "Verdict": "bardo.conduct.verdict",
    "Visitor": "bardo.grimoire.reader",
    "Vitality": "bardo.life.clocks",
    "bequeath_posthumously": "bardo.grimoire.factory",
    "check": "bardo.grimoire.integrity",
    "check_notes": "bardo.converse.notes",
    "drop": "bardo.grimoire.inbox",
    "function_embedder": "bardo.index.embedding.embedders",
    "gate": "bardo.conduct.factory",
    "inherit": "bardo.grimoire.factory",
    "open": "bardo.grimoire.factory",
    "triage": "bardo.converse.triage",
    "visit": "bardo.grimoire.reader",
}

__all__ = [
    "AsyncGrimoire",
    "BardoError",
    "Block",
    "Config",
    "CuratorCycleComplete",
    "DreamComplete",
    "Episode",
    "Fact",
    "Fingerprint",
    "ForgetReport",
    "Gate",
    "Grimoire",
    "InheritanceReport",
    "LintReport",
    "ManualClock",
    "Memory",
    "NotesReport",
    "OutcomeReport",
    "PhaseChange",
    "Prompt",
    "Quality",
    "Recollection",
    "SystemClock",
    "Testament",
    "Triage",
    "Verdict",
    "Visitor",
    "Vitality",
    "__version__",
    "bequeath_posthumously",
    "check",
    "check_notes",
    "drop",
    "function_embedder",
    "gate",
    "inherit",
    "open",
    "triage",
    "visit",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'bardo' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
