"""Tokenizers other than the built-in ones: any Hugging Face `tokenizer.json`, by the `tokenizers` package."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from blake3 import blake3

from bardo import _core
from bardo.errors import InvalidInputError, MissingPackageError

SUFFIX = ".json"
#: Tokenizer whose tokens are bytes: it needs no vocabulary.
BYTES = "bytes"
#: Tokenizers that give no text more tokens than it has bytes.
BOUNDED_BY_BYTES = frozenset({"o200k", "o200k_base", "cl100k", "cl100k_base", "estimate"})


def known(name: str) -> str:
    """The name by which the core knows a tokenizer: built-in names as they are, files loaded and registered once.

    Args:
        name: `o200k`, `cl100k`, `estimate`, `bytes`, or the path of a `tokenizer.json`.

    Raises:
        InvalidInputError: The file is not there or is no tokenizer.
        MissingPackageError: The `tokenizers` package is not installed.
    """
    if name == BYTES:
        _register_bytes()
    if not name.endswith(SUFFIX):
        return name
    path = Path(name).expanduser()
    try:
        stamp = path.stat()
    except OSError as error:
        raise InvalidInputError(
            f"the tokenizer {name} cannot be read: {error.strerror or error}. "
            "Pass the path of a tokenizer.json, or o200k, cl100k or estimate"
        ) from error
    return _registered(str(path.absolute()), stamp.st_mtime_ns, stamp.st_size)


@functools.cache
def _register_bytes() -> None:
    _core.register_tokenizer(BYTES, lambda text: len(text.encode()))


@functools.cache
def _registered(path: str, changed: int, size: int) -> str:
    # Time and size are part of the key, so that a file that changed is read again.
    del changed, size
    content = Path(path).read_bytes()
    name = f"{Path(path).name}#{blake3(content).hexdigest(length=8)}"
    tokenizer = _load(path, content)

    def count(text: str) -> int:
        # Special tokens belong to the request that a provider makes, not to the text.
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    _core.register_tokenizer(name, count)
    return name


def _load(path: str, content: bytes) -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingPackageError(
            f"{path} needs the tokenizers package. Install it with `pip install tokenizers`, or use o200k or cl100k"
        ) from error
    try:
        tokenizer = tokenizers.Tokenizer.from_buffer(content)
    except Exception as error:  # the package raises bare exceptions
        raise InvalidInputError(
            f"{path} is not a tokenizer: {error}. Pass a tokenizer.json of the Hugging Face format"
        ) from error
    # A file may ask for padding or truncation; either would make the count a lie.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
