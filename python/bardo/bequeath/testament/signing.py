"""Signs testaments with the agent's Ed25519 key and verifies signatures (RFC 8032)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bardo.errors import StoreDamagedError, StoreUnavailableError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

#: Path of the key inside a grimoire.
KEY_PATH = Path("identity", "signing.key")
#: File mode: readable and writable by the owner only.
_OWNER_ONLY = 0o600
_SEED_DOMAIN = b"bardo signing key\0"


class Signature(NamedTuple):
    """Signature of a message, and the public key that verifies it.

    Args:
        signature: Ed25519 signature, 64 bytes.
        public_key: Public key in PEM.
    """

    signature: bytes
    public_key: bytes


def sign(message: bytes, key: Ed25519PrivateKey) -> Signature:
    """Signs a message, such as the manifest of a testament."""
    return Signature(signature=key.sign(message), public_key=public_pem(key))


def verify(message: bytes, signature: bytes, signer: str) -> bool:
    """Whether a signature of a message is by `signer`, a public key in hexadecimal."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def signer_of(key: Ed25519PrivateKey) -> str:
    """Returns the name of a signer: its 32-byte public key in hexadecimal."""
    return key.public_key().public_bytes_raw().hex()


def signing_key(folder: Path, *, seed: bytes | None = None) -> Ed25519PrivateKey:
    """Returns the grimoire's signing key, which is created on first use with permissions 0600.

    Args:
        folder: Folder of the grimoire.
        seed: Seed for a reproducible key, for tests and simulations only: anyone who knows the seed can sign.

    Raises:
        StoreDamagedError: The file does not hold an Ed25519 key.
        StoreUnavailableError: The file cannot be read or created.
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
    """Derives a key deterministically from a seed."""
    from blake3 import blake3
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(blake3(_SEED_DOMAIN + seed).digest())


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Returns the public key in PEM."""
    from cryptography.hazmat.primitives import serialization

    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def signer_of_pem(pem: bytes) -> str | None:
    """Returns the signer of a public key, or None if it is not an Ed25519 key in PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = serialization.load_pem_public_key(pem)
    except ValueError:
        return None
    if not isinstance(key, Ed25519PublicKey):
        return None
    return key.public_bytes_raw().hex()


def _create(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Created atomically through a private temporary file; the first of two processes wins.
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
            # Without hard links: the rename is atomic too, but a race between two first uses is not resolved.
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
