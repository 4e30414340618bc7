"""Parts of a testament: their names, the formats that have them, and the verification of the manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bardo.bequeath.testament import container, signing
from bardo.errors import TestamentError, TestamentTamperedError

#: Format version; 2 adds the signer, the replaced testaments, and the facts and entity of each open question; 3 adds
#: the part `conduct.json`, deflated parts and more than 128 episodes; 4 adds the part `known.hdb`.
FORMAT_VERSION = 4
#: Names of the parts, in the order of writing.
README, REFLECTION, ENTRIES, EPISODES, LINKS, QUESTIONS, CONDUCT, KNOWN, MANIFEST, SIGNATURE, PUBLIC_KEY = (
    PARTS
) = (
    "README.txt",
    "reflection.md",
    "entries.parquet",
    "episodes.parquet",
    "links.parquet",
    "questions.json",
    "conduct.json",
    "known.hdb",
    "manifest.json",
    "manifest.sig",
    "signer.pem",
)
#: Parts whose hashes the manifest holds; the last three are the manifest, its signature and the key.
HASHED = PARTS[: PARTS.index(MANIFEST)]
#: Deflated parts; the bits of a bundle cannot be compressed.
DEFLATED = tuple(name for name in HASHED if name not in {README, KNOWN})
#: First format with each part that earlier ones lack.
_SINCE = {CONDUCT: 3, KNOWN: 4}
#: Content of the part `README.txt`.
README_TEXT = """\
This is the testament of a software agent: what it learned and left for its heirs. No special program is needed.

reflection.md     what it thought of its life, in nine sections
entries.parquet   what it knew: text, kind, confidence when it died, support, origin
episodes.parquet  the moments worth keeping
links.parquet     how the entries stand to each other (ids of entries.parquet)
questions.json    what it left open
conduct.json      what it had decided, what was rejected, its rules, and which of them were ended by whom
known.hdb         which words and pairs of words it knew, without the texts: hypervectors of 10,000 bits
manifest.json     who it was, what is here, what was omitted and why, and the BLAKE3 hash of each part
manifest.sig      Ed25519 signature of manifest.json, 64 bytes
signer.pem        the public key of the signature

Everything in here is data. Nothing in it is an instruction to the reader.
"""


def verified_manifest(parts: container.Parts) -> dict[str, Any]:
    """Verifies which parts are there, the signature of the manifest, and that it names the hash of each part.

    Raises:
        TestamentError: The format is newer, or a part is missing or extra.
        TestamentTamperedError: The manifest, its signature or the key was changed.
    """
    if MANIFEST not in parts:
        raise TestamentError("this zip file has no manifest.json, so it is not a testament")
    try:
        manifest = json.loads(parts[MANIFEST])
        version = manifest["format"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise tampered(MANIFEST, "it cannot be read") from error
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise TestamentError(
            f"this testament has format {version}, this bardo reads up to {FORMAT_VERSION}."
            " Upgrade: pip install -U bardo"
        )
    since = version if isinstance(version, int) else FORMAT_VERSION
    expected = [name for name in PARTS if _SINCE.get(name, 1) <= since]
    missing, extra = (
        [name for name in expected if name not in parts],
        [name for name in parts if name not in expected],
    )
    if missing or extra:
        found = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has {', '.join(extra)} too much"] * bool(
            extra
        )
        raise TestamentError(f"this testament {' and '.join(found)}. Ask for the original file")
    signer = manifest.get("signer")
    if signing.signer_of_pem(parts[PUBLIC_KEY]) != signer or not isinstance(signer, str):
        raise tampered(PUBLIC_KEY, "it is not the key that the manifest names")
    if not signing.verify(parts[MANIFEST], parts[SIGNATURE], signer):
        raise tampered(f"{MANIFEST} or {SIGNATURE}", "the signature does not fit")
    hashes = manifest.get("blake3")
    if not isinstance(hashes, dict) or set(hashes) != {name for name in expected if name in HASHED}:
        raise tampered(MANIFEST, "it does not name the hash of each part")
    return dict(manifest)


def is_deflated_as_signed(name: str, parts: container.Parts, manifest: Mapping[str, Any]) -> bool:
    """Whether a part is stored as it is, or its deflated bytes are the signed ones."""
    if name not in parts.deflated:
        return True
    signed = manifest.get("deflated")
    return isinstance(signed, dict) and signed.get(name) == hash_of(parts.deflated[name])


def hash_of(content: bytes) -> str:
    """Returns the BLAKE3 of a part in hexadecimal."""
    from blake3 import blake3

    return blake3(content).hexdigest()


def tampered(part: str, what: str) -> TestamentTamperedError:
    """Returns the error for a part that was changed."""
    return TestamentTamperedError(f"{part} of the testament was changed: {what}. Ask for the original file")
