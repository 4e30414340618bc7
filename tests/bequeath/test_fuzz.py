"""Arbitrary bytes and damaged testaments through the reader: a testament or a typed error, never anything else.

`BARDO_FUZZ_CASES` sets the number of cases; without it, few enough for every run of the tests.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest
from estate import KEY, bequeath
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bardo.bequeath.testament import container, testament
from bardo.bequeath.testament.parts import hash_of
from bardo.errors import BardoError, TestamentError

CASES = int(os.environ.get("BARDO_FUZZ_CASES", "120"))
fuzzed = settings(
    max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["set", "cut", "put", "drop", "swap"]), st.binary(max_size=8)),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, changes: list[tuple[float, str, bytes]]) -> bytes:
    """A few bytes set, cut off, put in, dropped, or two halves swapped."""
    for where, how, new in changes:
        at = int(where * len(data))
        if how == "set":
            data = data[:at] + new + data[at + len(new) :]
        elif how == "cut":
            data = data[:at]
        elif how == "put":
            data = data[:at] + new + data[at:]
        elif how == "drop":
            data = data[:at] + data[at + len(new) + 1 :]
        else:
            data = data[at:] + data[:at]
    return data


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return bequeath(tmp_path_factory.mktemp("estate")).path.read_bytes()


def read(path, data: bytes):
    path.write_bytes(data)
    with suppress(BardoError):
        return testament.read(path)
    return None


@fuzzed
@given(data=st.binary(max_size=600))
def test_arbitrary_bytes_are_no_testament(tmp_path, data):
    assert read(tmp_path / "x", data) is None
    assert read(tmp_path / "x", b"PK\x03\x04" + data) is None


@fuzzed
@given(changes=CHANGES)
def test_a_damaged_testament_is_refused_whole(tmp_path, whole, changes):
    data = damaged(whole, changes)
    if data != whole:
        assert read(tmp_path / "x", data) is None


@fuzzed
@given(name=st.sampled_from(testament.PARTS), changes=CHANGES)
def test_parts_that_are_wrong_under_a_right_signature_are_refused_by_type(tmp_path, whole, name, changes):
    """An heir meets such parts if its parent was buggy or hostile: every hash and the signature fit."""
    parts = container.unpack(whole, testament.PARTS)
    parts[name] = damaged(parts[name], changes)
    if name not in {"manifest.json", "manifest.sig"}:
        manifest = json.loads(parts["manifest.json"])
        if name in manifest["blake3"]:
            manifest["blake3"][name] = hash_of(parts[name])
        parts["manifest.json"] = testament._json(manifest)
    if name != "manifest.sig":
        parts["manifest.sig"] = KEY.sign(parts["manifest.json"])
    read(tmp_path / "x", container.pack(parts))


def test_no_bytes_at_all_are_a_testament_error(tmp_path):
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(TestamentError):
        testament.read(tmp_path / "x")
