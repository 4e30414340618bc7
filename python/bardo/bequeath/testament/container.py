"""The zip container of a testament, in a canonical form: any zip tool opens it, and any changed byte is detected.

Parts are stored or deflated, without extra fields, dated 1980-01-01, in a fixed order. A deflated part is unpacked to
its declared size at most, and all parts to `UNPACKED_BYTES` at most (no zip bomb). A reader can rebuild the file from
its parts and compare. The manifest holds the hash of each deflated part, as some of its bits are free.
Layout: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import NoReturn

from bardo.errors import TestamentError, TestamentTamperedError

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
#: Version 2.0 of the format, made on Unix.
_NEEDS, _MADE_BY = 20, 20 | 3 << 8
_STORED, _DEFLATED = 0, 8
#: Maximum size of all parts of a file after unpacking, in bytes.
UNPACKED_BYTES = 48 << 20
#: 1980-01-01 00:00:00, the earliest date of a zip file.
_TIME, _DATE = 0, 1 << 5 | 1
#: Attributes of a regular file that is readable by all users.
_ATTRIBUTES = 0o100644 << 16


class Parts(dict[str, bytes]):
    """Content of each part of a file, by name.

    Attributes:
        deflated: Deflated content of each part that is deflated in the file.
    """

    def __init__(self, content: Mapping[str, bytes] = {}) -> None:
        super().__init__(content)
        self.deflated: dict[str, bytes] = {}


def deflate(content: bytes) -> bytes:
    """Compresses a part."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def pack(parts: Mapping[str, bytes], deflated: Mapping[str, bytes] | None = None) -> bytes:
    """Packs parts into a file, in the order of the mapping.

    Args:
        parts: Content of each part.
        deflated: Deflated content of the parts that are not stored as they are.
    """
    body, directory = bytearray(), bytearray()
    for name, content in parts.items():
        raw = name.encode("ascii")
        packed = (deflated or {}).get(name)
        body_bytes, method = (content, _STORED) if packed is None else (packed, _DEFLATED)
        sizes = (zlib.crc32(content), len(body_bytes), len(content))
        head = (_NEEDS, 0, method, _TIME, _DATE, *sizes, len(raw), 0)
        directory += _CENTRAL.pack(_CENTRAL_MARK, _MADE_BY, *head, 0, 0, 0, _ATTRIBUTES, len(body)) + raw
        body += _LOCAL.pack(_LOCAL_MARK, *head) + raw + body_bytes
    end = _END.pack(_END_MARK, 0, 0, len(parts), len(parts), len(directory), len(body), 0)
    return bytes(body + directory + end)


def unpack(data: bytes, order: Sequence[str]) -> Parts:
    """Unpacks a file that `pack` wrote into its parts.

    Args:
        data: Content of the whole file.
        order: Names of the parts in the order of writing; only used to name a part whose header is broken.

    Raises:
        TestamentError: The file is not a zip file.
        TestamentTamperedError: The file differs from the output of `pack`; the message names the part.
    """
    if not data.startswith(_LOCAL_MARK) and data[-_END.size :][:4] != _END_MARK:
        raise TestamentError(
            "this file is not a testament: it is not even a zip file. Pass the file that `bequeath` wrote"
        )
    parts = Parts()
    offset, left = 0, UNPACKED_BYTES
    while data[offset : offset + 4] != _CENTRAL_MARK:
        expected = order[len(parts)] if len(parts) < len(order) else "what follows the last part"
        if len(data) < offset + _LOCAL.size or data[offset : offset + 4] != _LOCAL_MARK:
            _refuse(expected, "its header is broken")
        fields = _LOCAL.unpack_from(data, offset)
        method, size, whole, name_length = fields[3], fields[7], fields[8], fields[9]
        start = offset + _LOCAL.size + name_length
        raw = data[offset + _LOCAL.size : start]
        name = raw.decode("ascii", errors="replace")
        if not name.isascii() or not name.isprintable() or name in parts:
            _refuse(expected, f"its name is {name[:64]!r}")
        if start + size > len(data):
            _refuse(name, "it is cut short")
        left -= whole
        if left < 0:
            _refuse(name, f"all parts together unpack to more than {UNPACKED_BYTES} bytes")
        packed = data[start : start + size]
        if method == _DEFLATED:
            parts[name], parts.deflated[name] = _inflate(packed, whole, name), packed
        else:
            parts[name] = packed
        offset = start + size
    canonical = pack(parts, parts.deflated)
    if canonical != data:
        _refuse(
            _part_at(parts | parts.deflated, _first_difference(canonical, data)),
            "its bytes are not the ones that were written",
        )
    return parts


def _inflate(packed: bytes, size: int, name: str) -> bytes:
    reader = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = reader.decompress(packed, size + 1)
    except zlib.error as error:
        _refuse(name, f"it cannot be unpacked ({error})")
    if len(content) != size or not reader.eof or reader.unused_data or reader.unconsumed_tail:
        _refuse(name, "its size is not the declared one")
    return content


def _first_difference(one: bytes, other: bytes) -> int:
    same, differ = 0, min(len(one), len(other))
    # Binary search: all bytes before `same` are equal, and the first difference is at `differ` at the latest.
    while same < differ:
        middle = (same + differ + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            differ = middle - 1
    return same


def _part_at(parts: Mapping[str, bytes], offset: int) -> str:
    end = 0
    for name, content in parts.items():
        end += _LOCAL.size + len(name) + len(content)
        if offset < end:
            return name
    for name in parts:
        end += _CENTRAL.size + len(name)
        if offset < end:
            return f"{name} (its entry in the zip directory)"
    return "the end of the zip directory"


def _refuse(part: str, what: str) -> NoReturn:
    raise TestamentTamperedError(
        f"{part} of the testament was changed or damaged: {what}. Get the original file again; a testament is also"
        " refused when another program packed it again"
    )
