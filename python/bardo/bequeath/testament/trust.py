"""Trusted signers of testaments: lists of Ed25519 keys, and the check of each signer.

A signer is known when its key is in the user's list, in the heir's list, among the keys of agents that died under this
user, or among the signers in the heir's lineage. A testament of any other signer has to be allowed by name, and is
accepted with limits (`bardo.bequeath.heir.limits`).
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bardo._atomic import damaged, make_folder, sync_folder, unavailable, write_atomically
from bardo.bequeath.lineage import Lineage
from bardo.bequeath.testament.signing import KEY_PATH, signer_of, signing_key
from bardo.errors import BardoWarning, InvalidInputError, NotFoundError, StoreError, UnknownSignerError

if TYPE_CHECKING:
    from bardo.bequeath.testament.testament import Testament

#: Environment variable for the user's settings folder; the operating system's default if not set.
CONFIG = "BARDO_CONFIG"
#: File of trusted keys, in the user's folder and in `identity/` of a grimoire.
TRUSTED_FILE = "trusted_keys"
#: File of the keys of agents that died under this user, in the user's folder.
OWN_FILE = "own_keys"
#: Minimum number of hexadecimal digits that name a key.
SHORTEST_PREFIX = 16
_KEY = re.compile(r"[0-9a-f]{64}")
_PREFIX = re.compile(r"[0-9a-f]{16,64}")
_HEADER = "# Keys that sign trusted testaments: 64 hexadecimal digits, then a name. `bardo trust` keeps this list.\n"

Origin = Literal["user", "heir", "own", "lineage"]


@dataclass(frozen=True, slots=True)
class Key:
    """Known signer.

    Args:
        key: Ed25519 public key in hexadecimal.
        name: Name of the signer.
        origin: List with the key: `user` and `heir` are edited with `bardo trust`; `own` has agents that died under
            this user, `lineage` the ancestors of the heir.
    """

    key: str
    name: str
    origin: Origin


def config_folder() -> Path:
    """Returns the user's settings folder for bardo."""
    import platformdirs

    given = os.environ.get(CONFIG)
    return Path(given) if given else platformdirs.user_config_path("bardo", appauthor=False)


def known_keys(folder: Path | None = None) -> list[Key]:
    """Lists all known signers, the hand-edited lists first.

    Args:
        folder: Folder of the heir's grimoire; without it only the user's lists are read.

    Raises:
        StoreDamagedError: A list has a line that is not a key.
        StoreUnavailableError: A list cannot be read.
    """
    found = [Key(*line, "user") for line in _read(config_folder() / TRUSTED_FILE)]
    if folder is not None:
        found += [Key(*line, "heir") for line in _read(_list_of(folder))]
    found += [Key(*line, "own") for line in _read(config_folder() / OWN_FILE)]
    if folder is not None:
        found += _lineage(folder)
    return found


def add(key: str, name: str = "", *, folder: Path | None = None) -> Key:
    """Adds a key to the user's list or to the list of one grimoire.

    Args:
        key: Public key, 64 hexadecimal digits as in `Testament.signer`.
        name: Name of the owner; one line.
        folder: Folder of the grimoire; the user's list if not given.

    Raises:
        InvalidInputError: The key is invalid, or the name has several lines.
        StoreUnavailableError: The list cannot be written.
    """
    digits = key.strip().lower()
    if not _KEY.fullmatch(digits):
        raise InvalidInputError(
            f"{key[:80]!r} is no Ed25519 key. Pass its 64 hexadecimal digits: `bardo show FILE` prints them as signer"
        )
    if not name.isprintable():
        raise InvalidInputError(f"the name {name[:80]!r} has control characters. Pass one line of text")
    path = _trusted(folder)
    lines = [line for line in _read(path) if line[0] != digits]
    _write(path, [*lines, (digits, name.strip())])
    return Key(digits, name.strip(), "user" if folder is None else "heir")


def remove(key: str, *, folder: Path | None = None) -> list[Key]:
    """Removes a key from the user's list or from the list of one grimoire; facts inherited with it are kept.

    Args:
        key: Key, its first 16 digits or more, or the name of its owner.
        folder: Folder of the grimoire; the user's list if not given.

    Returns:
        Removed keys.

    Raises:
        NotFoundError: The list has no such key.
        StoreUnavailableError: The list cannot be written.
    """
    gone: list[Key] = []
    lists = (
        [(_list_of(folder), "heir")]
        if folder is not None
        else [(config_folder() / TRUSTED_FILE, "user"), (config_folder() / OWN_FILE, "own")]
    )
    for path, origin in lists:
        lines = _read(path)
        kept = [line for line in lines if not _names(key, *line)]
        gone += [Key(*line, origin) for line in lines if line not in kept]  # type: ignore[arg-type]
        if len(kept) < len(lines):
            _write(path, kept)
    if not gone:
        raise NotFoundError(f"no trusted key is {key!r}. List them with `bardo trust list`")
    return gone


def unknown_signers(
    testaments: Iterable[Testament], folder: Path, *, allow: str | Sequence[str] = ()
) -> frozenset[str]:
    """Finds the testaments with an unknown signer.

    Args:
        testaments: Testaments read by `testament.read`.
        folder: Folder of the heir's grimoire, which need not exist yet.
        allow: Unknown signers whose testaments are accepted with limits: keys, their first 16 digits or more, or names
            of testators.

    Returns:
        Hashes of the testaments to accept with limits.

    Raises:
        UnknownSignerError: A signer is neither known nor allowed.
    """
    given = list(testaments)
    allowed = [allow] if isinstance(allow, str) else list(allow)
    known = {one.key for one in known_keys(folder)} if given else set()
    unknown = [one for one in given if one.signer not in known]
    for one in unknown:
        if not any(_names(name, one.signer, one.life.agent) for name in allowed):
            agent, short = one.life.agent, one.signer[:SHORTEST_PREFIX]
            named = ", ".join(map(repr, allowed))
            other = f"allow has {named}, which is neither its key nor its testator. " if allowed else ""
            raise UnknownSignerError(
                f"{one.path}: the testament of {agent} is signed by {one.signer}, a key that this user does not know. "
                f"{other}If the key is the testator's, trust it: bardo trust add {one.signer}. "
                f"To inherit from it once, with limits: allow={short!r}, or bardo inherit --allow {short}",
                signer=one.signer,
                agent=agent,
            )
    return frozenset(one.hash for one in unknown)


def add_own_key(key: str, agent: str) -> None:
    """Adds the key of an agent that dies under this user to the list of own keys, so that every heir knows it.

    A list that cannot be written is only a warning: the testament is valid, but the key has to be given to its heirs.
    """
    path = config_folder() / OWN_FILE
    try:
        if any(line[0] == key for line in _read(path)):
            return
        make_folder(path.parent)
        name = "".join(character if character.isprintable() else " " for character in agent)
        line = f"{key} {name.strip()}\n"
        # One short append, so that agents that die at the same time do not overwrite each other.
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_folder(path.parent)
    except (OSError, StoreError) as error:
        warnings.warn(
            f"the key of {agent} could not be noted in {path}: {error}. Its heirs have to be told to trust it: "
            f"bardo trust add {key}",
            BardoWarning,
            stacklevel=2,
        )


def _lineage(folder: Path) -> list[Key]:
    """Returns the heir's own key, and the signers of testaments that it and its known ancestors inherited."""
    found = []
    if (folder / KEY_PATH).exists():
        own = signer_of(signing_key(folder))
        found.append(Key(own, folder.name, "lineage"))
    family = Lineage.load(folder)
    lives = (family.life, *family.ancestors) if family else ()
    parents = [parent for life in lives for parent in life.parents]
    limited = {parent.signer for parent in parents if parent.limited}
    signers = {parent.signer: parent.agent for parent in reversed(parents) if parent.signer}
    return found + [Key(key, agent, "lineage") for key, agent in signers.items() if key not in limited]


def _names(wanted: str, key: str, name: str) -> bool:
    digits = wanted.strip().lower()
    return (bool(name) and wanted == name) or (bool(_PREFIX.fullmatch(digits)) and key.startswith(digits))


def _trusted(folder: Path | None) -> Path:
    return config_folder() / TRUSTED_FILE if folder is None else _list_of(folder)


def _list_of(folder: Path) -> Path:
    return folder / KEY_PATH.parent / TRUSTED_FILE


def _read(path: Path) -> list[tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise unavailable("read", path, error) from error
    except UnicodeDecodeError as error:
        raise damaged(path, error) from error
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        key, _, name = line.strip().partition(" ")
        if not key or key.startswith("#"):
            continue
        if not _KEY.fullmatch(key.lower()):
            raise damaged(path, ValueError(f"line {number} does not begin with 64 hexadecimal digits"))
        lines.append((key.lower(), name.strip()))
    return lines


def _write(path: Path, lines: Iterable[tuple[str, str]]) -> None:
    make_folder(path.parent)
    write_atomically(
        path, (_HEADER + "".join(f"{key} {name}".rstrip() + "\n" for key, name in lines)).encode()
    )
