"""Exceptions and warnings of bardo, in one hierarchy.

Every message has two parts: the wrong value and why, and the remedy. The Rust core raises the same classes. An
exception inherits from Python's builtin for its case, if there is one.
"""

from __future__ import annotations

from typing import Any


class BardoError(Exception):
    """Base of every error that bardo raises on purpose."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0]) if self.args else ""


class BardoWarning(UserWarning):
    """A record or part was skipped or set aside; the message names it, the reason, and where it is now."""


class ForgottenWarning(BardoWarning):
    """A part of a batch was forgotten on purpose before and was not stored again."""


class InvalidInputError(BardoError, ValueError):
    """A value breaks a documented limit or type."""


class UnknownArgumentError(InvalidInputError, TypeError):
    """A method has no such keyword argument; the message names the nearest one that it has."""


class InvalidVectorError(InvalidInputError):
    """A vector has the wrong number of dimensions, or NaN or infinite components."""


class UnusableVectorError(InvalidVectorError):
    """The model has no vector for some texts: only zeros, NaN, or another shape than for the others.

    Attributes:
        rows: Positions of these texts in the input.
    """

    def __init__(self, message: str, *, rows: tuple[int, ...]) -> None:
        super().__init__(message)
        self.rows = rows


class ForgottenError(InvalidInputError):
    """The same content was forgotten on purpose, and is not stored again."""


class DecreasingTickError(InvalidInputError):
    """A tick lies before the last one; ticks never decrease."""


class ConfigError(InvalidInputError):
    """`bardo.toml` or a keyword holds a setting that does not exist or is out of range."""


class NotFoundError(BardoError, KeyError):
    """A record, file or folder requested by the caller does not exist."""


class StoreError(BardoError):
    """A file or folder of the grimoire cannot be used."""


class StoreLockedError(StoreError):
    """Another process owns the grimoire; the message names it."""


class StoreBusyError(StoreLockedError):
    """Another process has been writing to a shared file for too long: try again when it is done."""


class StoreDamagedError(StoreError):
    """A file of the grimoire is damaged; it is never silently rebuilt."""


class ConductLostError(StoreDamagedError):
    """Decisions, rejections and rules are lost, so no gate can judge; a person accepts the loss or restores the file.

    Attributes:
        what: Fault of `conduct.db`: "missing", "empty", "an older copy: ...".
    """

    def __init__(self, message: str, *, what: str) -> None:
        super().__init__(message)
        self.what = what


class JournalLostError(StoreDamagedError):
    """The journal that must be beside a log is missing, emptied, cut, broken or of another time.

    `bardo.open(..., accept_loss=True)` and `bardo recover` continue without its episodes, and report the loss.
    """


class StoreTooNewError(StoreError):
    """A file was written by a newer bardo."""


class StoreForeignError(StoreError):
    """A file is not bardo's, or belongs to another agent."""


class StoreUnavailableError(StoreError, OSError):
    """The operating system refused: a path that is a file, or a failing disk; also the base of full and read-only."""


class StoreFullError(StoreUnavailableError):
    """The disk is full, or a limit of the system on files is reached; nothing of the failed operation was kept."""


class StoreReadOnlyError(StoreUnavailableError):
    """A file or its folder cannot be written to; it can be read."""


class GrimoireClosedError(StoreError):
    """The grimoire was closed, or belongs to the parent of a forked process."""


class ActionBlockedError(BardoError):
    """A gate blocks the action, which was not run.

    Attributes:
        verdict: `Verdict` of the gate.
    """

    def __init__(self, message: str, *, verdict: Any) -> None:
        super().__init__(message)
        self.verdict = verdict


class NotGrantedError(BardoError):
    """Another agent's memory has no grant for this agent to read its published outputs."""


class EmbeddingMismatchError(BardoError):
    """One store would hold vectors of two models."""


class EmbedderUnavailableError(BardoError):
    """The embedding model cannot be loaded; the message says how to install it."""


class LanguageModelError(BardoError):
    """The language model cannot be reached or gave no answer; rules do its task instead.

    Attributes:
        outcome: Reason in a word, as in the ledger.
        attempts: Number of requests made.
    """

    def __init__(self, message: str, *, outcome: str = "failed", attempts: int = 1) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.attempts = attempts


class MissingPackageError(BardoError, ImportError):
    """An optional package is not installed; the message says which extra brings it."""


class BudgetTooSmallError(InvalidInputError):
    """The blocks that may not be cut are larger than the token budget."""


class TestamentError(BardoError):
    """A testament cannot be read or trusted."""

    __test__ = False  # not a pytest class


class UnknownSignerError(TestamentError):
    """A testament is signed by a key that is neither trusted nor allowed; the message shows the key.

    Attributes:
        signer: Ed25519 public key, in hexadecimal; the fingerprint by which it is trusted or allowed.
        agent: Name of the testator according to the testament.
    """

    def __init__(self, message: str, *, signer: str, agent: str) -> None:
        super().__init__(message)
        self.signer = signer
        self.agent = agent


class TestamentTamperedError(TestamentError):
    """A part of a testament does not match its signed manifest."""
