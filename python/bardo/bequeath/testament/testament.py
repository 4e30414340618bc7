"""Writes and reads testaments: the signed, portable file of a dead agent's memory, readable without bardo."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo._atomic import write_atomically
from bardo._printed import printed
from bardo.bequeath.content import directives, markdown, tables
from bardo.bequeath.content import known as known_things
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.known import Familiarity
from bardo.bequeath.content.questions import QUESTION_LIMIT, Question, read_questions
from bardo.bequeath.content.reflect import REFLECTION_BYTES
from bardo.bequeath.lineage import Life, Lineage
from bardo.bequeath.selection.selection import ENTRY_LIMIT, EPISODE_LIMIT, LINK_LIMIT, Choice
from bardo.bequeath.testament import container, signing
from bardo.bequeath.testament.parts import (
    CONDUCT,
    DEFLATED,
    ENTRIES,
    EPISODES,
    FORMAT_VERSION,
    HASHED,
    KNOWN,
    LINKS,
    MANIFEST,
    PARTS,
    PUBLIC_KEY,
    QUESTIONS,
    README,
    README_TEXT,
    REFLECTION,
    SIGNATURE,
    hash_of,
    is_deflated_as_signed,
    tampered,
    verified_manifest,
)
from bardo.errors import (
    InvalidInputError,
    NotFoundError,
    StoreUnavailableError,
    TestamentError,
)
from bardo.model import Episode, Fact, Fingerprint, Link
from bardo.ports import Vectors

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from bardo._core import KnownThings

#: Maximum size of a testament in bytes; full ones with 384-d vectors take about 5 MB.
FILE_BYTES = 48 << 20
#: Maximum distance between a tick of death in seconds and the time of writing, in seconds: clocks may differ by a week.
_UNCERTAIN_SECONDS = 7 * 86_400
#: Tick from which on ticks are seconds of the epoch (9 September 2001): no agent counts as many loops.
_LEAST_SECONDS = 10**9


@dataclass(frozen=True, slots=True)
class Testament:
    """Testament that was read and verified.

    Args:
        path: Path of the file.
        hash: BLAKE3 of the manifest in hexadecimal; names the testament in every lineage.
        signer: Ed25519 public key of the signer, in hexadecimal.
        lineage: Lineage of the testator.
        facts: Entries, most needed first; `confidence` is the testator's at death.
        vectors: One row per fact, NaN where there is none; None since bardo writes testaments without vectors.
        fingerprint: Model of the vectors.
        episodes: Chosen episodes.
        links: Links among the facts.
        gaps: Open questions, with the facts and entity concerned.
        conduct: Decisions, rejections, tasks and rules in force.
        ended: Decisions, rejections, tasks and rules that were ended: a person lifted them, or they were done.
        reflection: Markdown of at most 5 KiB.
        left_out: Number of facts and episodes left out, by reason; `Death.left_behind` names them.
        redacted: Number of secrets and private fields removed, by kind.
        measure: Measure of similarity among entries.
        written_at: Time of writing, microseconds UTC.
        loops: Whether ticks were loops of the testator rather than seconds.
        unfit: Invalid records that were left out, one sentence each.
        known: Bundles of all that the testator and its ancestors knew; None if the testament has none.
    """

    __test__ = False  # not a pytest class

    path: Path
    hash: str
    signer: str
    lineage: Lineage
    facts: tuple[Fact, ...]
    vectors: Vectors | None
    fingerprint: Fingerprint | None
    episodes: tuple[Episode, ...]
    links: tuple[Link, ...]
    gaps: tuple[Question, ...]
    conduct: tuple[Directive, ...]
    ended: tuple[Directive, ...]
    reflection: str
    left_out: Mapping[str, int]
    redacted: Mapping[str, int]
    measure: str
    written_at: int
    loops: bool = False
    unfit: tuple[str, ...] = ()
    known: KnownThings | None = dataclasses.field(default=None, repr=False, compare=False)

    _printed = (
        "life",
        "written_at",
        "facts",
        "episodes",
        "conduct",
        "ended",
        "gaps",
        "left_out",
        "redacted",
        "unfit",
    )
    __str__ = printed

    @property
    def life(self) -> Life:
        """Life of the testator."""
        return self.lineage.life

    @property
    def markdown(self) -> str:
        """Content as Markdown, for a reader without bardo; the setting `bequeath.tokens` limits its length."""
        conduct = (*self.conduct, *self.ended)
        ends = markdown.ends_of((link.src, link.dst, link.relation, link.weight) for link in self.links)
        return markdown.render(conduct, self.facts, self.episodes, self.gaps, self.reflection, ends=ends)

    def knew(self, text: str) -> Familiarity:
        """Returns whether the testator, or an ancestor, knew anything like a text, also if that stayed behind.

        Args:
            text: Text, or words of it; the share of its words and pairs of words that were known is estimated.

        Raises:
            NotFoundError: The testament has no bundle.
        """
        if self.known is None:
            raise NotFoundError(
                f"the testament of {self.life.agent} has no bundle of known things: it is of an older bardo, or limited"
                " in tokens. Ask its texts"
            )
        return known_things.best([self.known], text)

    @property
    def seconds(self) -> int | None:
        """Offset of the testator's ticks from the seconds of the epoch; None where ticks are no seconds."""
        return None if self.loops or not is_second(self.life.death_tick, self.written_at) else 0

    @property
    def held(self) -> int:
        """Number of facts that held at death; the others were refuted or replaced, and cross as tombstones."""
        return sum(fact.status not in markdown.ENDED for fact in self.facts)

    @property
    def questions(self) -> tuple[str, ...]:
        """Texts of the open questions."""
        return tuple(gap.question for gap in self.gaps)

    @property
    def replaces(self) -> tuple[str, ...]:
        """Hashes of earlier testaments of the same life that this one replaces."""
        return self.life.replaces


def write(
    path: Path,
    choice: Choice,
    *,
    lineage: Lineage,
    signing_key: Ed25519PrivateKey,
    now: int,
    loops: bool = False,
) -> Testament:
    """Signs what crosses, writes the file atomically, and reads it back.

    The same arguments give the same bytes.

    Args:
        path: Path of the file; an existing file is replaced.
        choice: Content that crosses, see `bardo.bequeath.selection.selection`.
        lineage: Lineage of the testator, with its death (`Lineage.died`).
        signing_key: Private key of the testator, see `bardo.bequeath.testament.signing`.
        now: Wall clock, microseconds UTC.
        loops: Whether ticks were loops of the testator rather than seconds.

    Raises:
        StoreUnavailableError: The file cannot be written.
    """
    data = sign(choice, lineage, signing_key, now, loops=loops)
    written = _parse(data, path)
    write_atomically(path, data)
    return written


def sign(choice: Choice, lineage: Lineage, key: Ed25519PrivateKey, now: int, *, loops: bool = False) -> bytes:
    """Packs and signs what crosses; arguments as in `write`. Returns the bytes of the file."""
    parts = {
        README: README_TEXT.encode(),
        REFLECTION: choice.reflection.encode(),
        ENTRIES: tables.write_entries(choice.facts),
        EPISODES: tables.write_episodes(choice.episodes),
        LINKS: tables.write_links(choice.links),
        QUESTIONS: _json([dataclasses.asdict(question) for question in choice.questions]),
        CONDUCT: _json([order.document() for order in choice.conduct]),
        KNOWN: b"" if choice.bundle is None else choice.bundle.data,
    }
    deflated = {name: container.deflate(parts[name]) for name in DEFLATED}
    signer = signing.signer_of(key)
    life = dataclasses.replace(lineage.life, cause=choice.cause, signer=signer)
    parts[MANIFEST] = _json(
        {
            "format": FORMAT_VERSION,
            "lineage": dataclasses.asdict(dataclasses.replace(lineage, life=life)),
            "written_at": now,
            "loops": loops,
            "counts": {"entries": len(choice.facts), "episodes": len(choice.episodes)},
            "left_out": choice.left_out,
            "redacted": choice.redacted,
            "measure": choice.measure,
            "signer": signer,
            "blake3": {name: hash_of(parts[name]) for name in HASHED},
            "deflated": {name: hash_of(content) for name, content in deflated.items()},
        }
    )
    parts[SIGNATURE], parts[PUBLIC_KEY] = signing.sign(parts[MANIFEST], key)
    return container.pack(parts, deflated)


def read(path: str | Path, *, trusted_keys: Collection[str] | None = None) -> Testament:
    """Reads a testament and verifies every byte.

    Args:
        path: Path of the file.
        trusted_keys: Accepted public keys of signers, in hexadecimal; None accepts any signer (see
            `Testament.signer`).

    Raises:
        TestamentTamperedError: A part differs from the signed one; the message names it.
        TestamentError: The file is not a testament, is too large, was written by a newer bardo, or its signer is not
            trusted.
        StoreUnavailableError: The file cannot be read.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise StoreUnavailableError(f"cannot read the testament {path}: {error}. Check the path") from error
    try:
        testament = _parse(data, path)
    except TestamentError as error:
        raise type(error)(f"{path}: {error}") from error
    if trusted_keys is not None and testament.signer not in {key.lower() for key in trusted_keys}:
        raise TestamentError(
            f"{path}: signed by {testament.signer}, which is not among the trusted keys. Add that key if you know it"
            " to be the testator's"
        )
    return testament


def read_bundle(path: Path, hash_: str) -> bytes:
    """Reads the bundle of a testament's copy, and verifies it with the manifest alone; empty if it has none.

    Args:
        path: Path of the copy.
        hash_: Hash of the testament.

    Raises:
        TestamentTamperedError: The copy is not that testament.
        StoreUnavailableError: The copy cannot be read.
    """
    try:
        parts = container.unpack(path.read_bytes(), PARTS)
    except OSError as error:
        raise StoreUnavailableError(f"cannot read the testament {path}: {error}. Check the path") from error
    manifest = verified_manifest(parts)
    bundle = parts.get(KNOWN, b"")
    if hash_of(parts[MANIFEST]) != hash_ or (bundle and manifest["blake3"][KNOWN] != hash_of(bundle)):
        raise tampered(KNOWN, f"{path} is not the testament that was inherited")
    return bundle


def _parse(data: bytes, path: Path) -> Testament:
    if len(data) > FILE_BYTES:
        raise TestamentError(
            f"the file is larger than {FILE_BYTES} bytes. No testament is; check where it came from"
        )
    parts = container.unpack(data, PARTS)
    manifest = verified_manifest(parts)
    for name, content in manifest["blake3"].items():
        if content != hash_of(parts[name]) or not is_deflated_as_signed(name, parts, manifest):
            raise tampered(name, "its bytes are not the ones that were signed")
    unfit: list[str] = []
    facts, vectors, fingerprint = tables.read_entries(parts[ENTRIES], ENTRY_LIMIT, unfit)
    reflection = _text(parts[REFLECTION], REFLECTION)
    if len(parts[REFLECTION]) > REFLECTION_BYTES:
        raise tampered(REFLECTION, f"it has {len(parts[REFLECTION])} bytes, the limit is {REFLECTION_BYTES}")
    digest = hash_of(parts[MANIFEST])
    try:
        fields = manifest["lineage"]
        signer = manifest["signer"]
        life = dataclasses.replace(Life.from_dict(fields["life"]), testament=digest, signer=signer)
        lineage = Lineage(life, tuple(map(Life.from_dict, fields["ancestors"])))
        questions = read_questions(parts[QUESTIONS], life.agent, QUESTION_LIMIT)
        if questions is None:
            raise tampered(QUESTIONS, "it is not a short list of questions")
        orders = directives.read(parts[CONDUCT], life.agent) if CONDUCT in parts else ()
        if orders is None:
            raise tampered(CONDUCT, "it is not a short list of decisions and rules")
        return Testament(
            path=path,
            known=_read_bundle(parts.get(KNOWN)),
            hash=digest,
            signer=signer,
            lineage=lineage,
            facts=facts,
            vectors=vectors,
            fingerprint=fingerprint,
            episodes=tables.read_episodes(parts[EPISODES], EPISODE_LIMIT, unfit),
            links=tables.read_links(parts[LINKS], LINK_LIMIT, unfit),
            unfit=tuple(unfit),
            gaps=questions,
            conduct=tuple(one for one in orders if not one.ended_at),
            ended=tuple(one for one in orders if one.ended_at),
            reflection=reflection,
            left_out=dict(manifest["left_out"]),
            redacted=dict(manifest["redacted"]),
            measure=str(manifest["measure"]),
            written_at=int(manifest["written_at"]),
            loops=bool(manifest.get("loops", is_far_from(life.death_tick, int(manifest["written_at"])))),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise tampered(MANIFEST, f"a field is missing or of another type ({error})") from error


def _read_bundle(content: bytes | None) -> KnownThings | None:
    from bardo import _core

    try:
        return _core.KnownThings(content) if content else None
    except InvalidInputError as error:
        raise tampered(KNOWN, "it is no bundle of known things") from error


def is_second(tick: int | None, written_at: int) -> bool:
    """Whether a tick of death is a second of the epoch. That of an agent that was killed may be long before the record.

    Args:
        tick: Tick of death; None if it is unknown.
        written_at: Time at which the death was recorded, microseconds UTC.
    """
    return tick is not None and (
        not is_far_from(tick, written_at) or _LEAST_SECONDS <= tick <= written_at // 1_000_000
    )


def is_far_from(tick: int | None, written_at: int) -> bool:
    """Whether a tick of death is not a second near the time of death; old testaments do not record the unit."""
    return tick is not None and abs(tick - written_at // 1_000_000) > _UNCERTAIN_SECONDS


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _text(raw: bytes, part: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise tampered(part, "it is not UTF-8 text") from error
