"""The Ed25519 key with which an agent signs its testament, and the check of a signature (RFC 8032)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bardo.errors import StoreDamagedError, StoreUnavailableError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

#: Where the key lives inside a grimoire.
KEY_PATH = Path("identity", "signing.key")
#: Only the owner may read and write.
_OWNER_ONLY = 0o600
_SEED_DOMAIN = b"bardo signing key\0"


def signing_key(folder: Path, *, seed: bytes | None = None) -> Ed25519PrivateKey:
    """The grimoire's signing key; made on first use, with permissions 0600.

    Args:
        folder: The grimoire.
        seed: Makes the key repeatable, for tests and simulations. Anyone who knows the seed can sign, so leave it out
            for an agent that anyone relies on.

    Raises:
        StoreDamagedError: The file does not hold an Ed25519 key.
        StoreUnavailableError: The file cannot be read or made.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path = folder / KEY_PATH
    try:
        if not path.exists():
            key = key_from_seed(seed) if seed is not None else Ed25519PrivateKey.generate()
            pem = key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            _create(path, pem)
        raw = path.read_bytes()
    except OSError as error:
        raise StoreUnavailableError(
            f"cannot use the signing key {path}: {error}. Make the folder readable and writable for this user"
        ) from error
    try:
        key = serialization.load_pem_private_key(raw, password=None)  # type: ignore[assignment]
    except (ValueError, TypeError) as error:
        key = None  # type: ignore[assignment]
        cause: Exception | None = error
    else:
        cause = None
    if not isinstance(key, Ed25519PrivateKey):
        raise StoreDamagedError(
            f"{path} is not an Ed25519 private key. Restore it from a copy; deleting it makes a new identity, which"
            " heirs that trust the old key will refuse"
        ) from cause
    return key


def key_from_seed(seed: bytes) -> Ed25519PrivateKey:
    """The key that belongs to a seed: the same seed, the same key."""
    from blake3 import blake3
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(blake3(_SEED_DOMAIN + seed).digest())


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """The public half, as other tools read it (PEM)."""
    from cryptography.hazmat.primitives import serialization

    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def raw_public(pem: bytes) -> str | None:
    """The 32 bytes of a public key in hexadecimal, or nothing if that is no Ed25519 key in canonical PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = serialization.load_pem_public_key(pem)
    except ValueError:
        return None
    if not isinstance(key, Ed25519PublicKey):
        return None
    return key.public_bytes_raw().hex()


def verifies(public_hex: str, signature: bytes, message: bytes) -> bool:
    """Whether the holder of the key signed these bytes."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_hex)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _create(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A private file that appears whole or not at all; the first of two processes wins.
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        except OSError:
            # A file system without hard links: the rename is whole too, only a race of two first uses is not settled.
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
