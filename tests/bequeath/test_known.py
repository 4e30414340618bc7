"""The bundle of a testament tells whether anything like a text was known, without the texts."""

from __future__ import annotations

import dataclasses
import json

import pytest
from estate import KEY, bequeath, fact, known_of
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import bardo
from bardo.bequeath.content import known
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.testament import container, testament
from bardo.bequeath.testament.parts import hash_of
from bardo.config import Bequeath
from bardo.errors import NotFoundError, TestamentTamperedError
from bardo.surfaces.cli.app import app
from helpers.models import letters

LEFT_BEHIND = "The harbour crane stalled during the monsoon inspection"
SECRET = "the api key for staging is sk-live-51Habcdefghij0123456789abcd"
LOOPS = {"clock": {"unit": "loops"}, "curator": {"texts": False}}


def opened(root, agent: str, **more) -> bardo.Grimoire:
    return bardo.open(root / agent, embedder=letters(), config=LOOPS, agent=agent, **more)


def heir_of(root, agent: str, *parents: str) -> bardo.Grimoire:
    files = [root / f"{parent}.testament" for parent in parents]
    return bardo.inherit(files, root / agent, embedder=letters(), config=LOOPS, agent=agent)


def life(root, agent: str = "a", *, texts=(LEFT_BEHIND,)) -> bardo.Testament:
    """A life whose testament has no room for episodes."""
    with opened(root, agent) as g:
        g.remember(list(texts), tick=5)
        g.tick(10)
        return g.bequeath(root / f"{agent}.testament")


def test_an_heir_recognises_what_was_left_behind_and_nothing_else(tmp_path):
    config = {**LOOPS, "bequeath": {"entries": 1, "episodes": 0}}
    with bardo.open(tmp_path / "a", embedder=letters(), config=config, agent="a") as g:
        g.remember(LEFT_BEHIND, tick=5)
        left = g.bequeath(tmp_path / "a.testament")
    assert (left.episodes, left.facts) == ((), ())
    with heir_of(tmp_path, "b", "a") as heir:
        for like in (LEFT_BEHIND, "did the crane stall in the monsoon?", "monsoon inspections"):
            found = heir.lineage.knew(like)
            assert (found.known, found.agent) == (True, "a"), like
            assert found == left.knew(like)
        assert heir.lineage.knew(LEFT_BEHIND).is_whole
        for other in ("quarterly bond auctions in Lisbon", "the of and"):
            assert not heir.lineage.knew(other).known


def test_a_grandchild_recognises_what_its_grandparent_knew(tmp_path):
    life(tmp_path)
    with heir_of(tmp_path, "b", "a") as heir:
        heir.remember("Kiln temperatures drift after maintenance", tick=20)
        heir.bequeath(tmp_path / "b.testament")
    with heir_of(tmp_path, "c", "b") as grandchild:
        assert grandchild.lineage.knew(LEFT_BEHIND).agent in {"a", "b"}
        assert grandchild.lineage.knew("kiln temperature drift").agent == "b"


def test_texts_that_redaction_changes_are_in_no_bundle(tmp_path):
    left = life(
        tmp_path, texts=(SECRET, "deploys to staging start on Monday", "sk-live-51Habcdefghij0123456789abcd")
    )
    assert left.left_out["private_in_bundle"] >= 1
    assert not left.knew("sk-live-51Habcdefghij0123456789abcd").known
    assert left.knew("staging deploys on Monday").known


@given(
    st.lists(st.sampled_from(["token", "ghp_" + "a1B2c3D4e5F6" * 3, "password: hunter2xyz", "alpha", "beta"]))
)
def test_no_word_that_redaction_removes_is_known(parts):
    from bardo import _core

    data = known_of([" ".join(parts), *parts]).bundle("a", Redactor(personal=True)).data
    things = _core.KnownThings(data)
    assert not things.familiarity("ghp_" + "a1B2c3D4e5F6" * 3)[1]
    if "password: hunter2xyz" in parts:
        assert not things.familiarity("hunter2xyz")[1]


def test_numbers_are_in_no_bundle(tmp_path):
    left = life(tmp_path, texts=("bus 7,431.25 passed near the harbour",))
    assert left.knew("7,431.25").features == 0
    assert left.knew("passed near the harbour").known


def test_a_testament_without_a_bundle_says_so(tmp_path):
    left = bequeath(tmp_path, settings=Bequeath(tokens=500))
    assert left.known is None
    with pytest.raises(NotFoundError, match="no bundle of known things"):
        left.knew("anything")
    with opened(tmp_path, "founder") as g, pytest.raises(NotFoundError, match="inherited no bundle"):
        g.lineage.knew("anything")


def test_a_testament_of_format_3_is_inherited_without_a_bundle(tmp_path):
    path = bequeath(tmp_path).path
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    manifest = json.loads(parts["manifest.json"])
    manifest["format"] = 3
    del parts["known.hdb"]
    del manifest["blake3"]["known.hdb"]
    parts["manifest.json"] = json.dumps(manifest).encode()
    parts["manifest.sig"] = KEY.sign(parts["manifest.json"])
    path.write_bytes(container.pack(parts, parts.deflated))
    assert testament.read(path).known is None


def test_a_damaged_bundle_is_refused_even_when_signed(tmp_path):
    path = bequeath(tmp_path).path
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    manifest = json.loads(parts["manifest.json"])
    parts["known.hdb"] = parts["known.hdb"][:-1]
    manifest["blake3"]["known.hdb"] = hash_of(parts["known.hdb"])
    parts["manifest.json"] = json.dumps(manifest).encode()
    parts["manifest.sig"] = KEY.sign(parts["manifest.json"])
    path.write_bytes(container.pack(parts, parts.deflated))
    with pytest.raises(TestamentTamperedError, match=r"known\.hdb"):
        testament.read(path)


def test_the_same_life_gives_the_same_bundle(tmp_path):
    texts = [f"event {number} of the harbour log" for number in range(50)]
    one, other = (known_of(given).bundle("a", Redactor(personal=True)) for given in (texts, texts[::-1]))
    assert one == other


def test_a_text_over_the_cap_is_counted_and_the_latest_have_room(monkeypatch):
    from bardo import _core

    monkeypatch.setattr(known, "_CHECKED", 2)
    bundled = known_of(["harbour cranes", "kiln bricks", "harbour cranes 7", "orchid pollen"]).bundle(
        "a", Redactor(personal=True)
    )
    assert (bundled.over_cap, bundled.private) == (1, 0)
    things = _core.KnownThings(bundled.data)
    assert [things.familiarity(text)[1] for text in ("harbour cranes", "kiln bricks", "orchid pollen")] == [
        True, False, True,
    ]  # fmt: skip


def test_the_bundle_of_an_unknown_signer_is_not_asked(tmp_path):
    bequeath(tmp_path, facts=[fact(1, LEFT_BEHIND)])
    with opened(tmp_path, "b") as g:
        read = testament.read(tmp_path / "parent.testament")
        g.lineage.adopt([read], allow=[read.signer])
        with pytest.raises(NotFoundError):
            g.lineage.knew(LEFT_BEHIND)


def test_the_command_tells_what_was_known(tmp_path):
    life(tmp_path)
    bardo.inherit(tmp_path / "a.testament", tmp_path / "b", config=LOOPS).close()
    asked = CliRunner().invoke(
        app, ["lineage", "knew", LEFT_BEHIND, "--at", str(tmp_path / "b"), "--json"], prog_name="bardo"
    )
    assert asked.exit_code == 0, asked.output
    answer = json.loads(asked.stdout)
    assert (answer["known"], answer["agent"]) == (True, "a")
    assert answer["score"] > 0.8


def test_a_familiarity_is_plain_json(tmp_path):
    found = bequeath(tmp_path).knew("oracle")
    assert set(found.to_dict()) == {field.name for field in dataclasses.fields(found)} | {"z"}
