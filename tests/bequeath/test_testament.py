"""The testament file: what crosses, that nothing in it can change unseen, and that it needs no bardo to be read."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from estate import (
    KEY,
    MARKDOWN,
    MODEL,
    NOW,
    TICK,
    bequeath,
    dead,
    episode,
    fact,
    id_of,
    some_facts,
    some_vectors,
    with_vectors,
)  # fmt: skip
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo.bequeath.content.left_behind import REASONS
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.selection import selection
from bardo.bequeath.selection.selection import Estate, choose
from bardo.bequeath.testament import container, signing, testament
from bardo.bequeath.testament.parts import hash_of
from bardo.config import Bequeath
from bardo.errors import InvalidInputError, StoreUnavailableError, TestamentError, TestamentTamperedError


def repack(path, change, *, sign=True):
    """The file again with its parts changed by `change(parts)`, and its hashes and signature made to fit."""
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    change(parts)
    if sign:
        manifest = json.loads(parts["manifest.json"])
        manifest["blake3"] = {name: hash_of(parts[name]) for name in manifest["blake3"] if name in parts}
        parts["manifest.json"] = testament._json(manifest)
        parts["manifest.sig"] = KEY.sign(parts["manifest.json"])
    path.write_bytes(container.pack(parts))


def test_written_records_are_read_unchanged(tmp_path):
    written = bequeath(
        tmp_path,
        episodes=[
            episode(9, "The oracle lagged", payload={"lag": 2}, subjects=("aave",), pad=(0.1, -0.2, 0.3))
        ],
        links=[(id_of(1), id_of(4), "supports", 0.5, 3)],
        questions=["Does it hold on weekends?"],
    )
    read = testament.read(written.path)
    assert {field: getattr(read, field) for field in ("facts", "episodes", "links", "questions", "hash")} == {
        field: getattr(written, field) for field in ("facts", "episodes", "links", "questions", "hash")
    }
    assert (read.vectors, read.fingerprint) == (None, None)
    assert read.reflection == MARKDOWN
    assert (read.life.agent, read.life.death_tick, read.life.cause) == ("parent", TICK, "economic")
    assert {one.id for one in read.facts} == {one.id for one in some_facts()}
    by_id = {one.id: one for one in read.facts}
    # Exact thresholds and effects do not cross.
    general = {"condition": "lag is high", "effect": 1.0, "interval": [0.0, 0.0]}
    assert by_id[id_of(4)].payload == some_facts()[3].payload | general
    assert read.facts[0].kind == "anti_knowledge"
    assert read.links[0].relation == "supports"


def test_the_vectors_in_a_testament_of_an_older_bardo_are_read(tmp_path):
    read = with_vectors(bequeath(tmp_path))
    assert np.array_equal(read.vectors, some_vectors(4))
    assert read.fingerprint == MODEL


def test_the_same_life_gives_the_same_bytes(tmp_path):
    one, other = bequeath(tmp_path, name="one"), bequeath(tmp_path, name="other")
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.hash == other.hash


def test_a_testament_can_be_read_without_bardo(tmp_path):
    path = bequeath(tmp_path, questions=["Why?"]).path
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        parts = {name: archive.read(name) for name in archive.namelist()}
    table = pq.read_table(io.BytesIO(parts["entries.parquet"]))
    assert "Gas is cheap at night" in table["text"].to_pylist()
    assert [one["question"] for one in json.loads(parts["questions.json"])] == ["Why?"]
    load_pem_public_key(parts["signer.pem"]).verify(parts["manifest.sig"], parts["manifest.json"])


def test_a_changed_byte_anywhere_is_refused_with_the_part_named(tmp_path):
    path = bequeath(tmp_path, facts=some_facts()[:2], questions=["Why?"]).path
    data = path.read_bytes()
    # Every byte of the first and last kilobyte (headers, manifest, directory), and every third between.
    for place in sorted({*range(1_024), *range(0, len(data), 3), *range(len(data) - 1_024, len(data))}):
        changed = bytearray(data)
        changed[place] ^= 1 + place % 255
        path.write_bytes(changed)
        with pytest.raises(TestamentError) as caught:
            testament.read(path)
        if place >= 4:
            assert isinstance(caught.value, TestamentTamperedError), (place, str(caught.value))


@pytest.mark.parametrize("part", testament.PARTS)
def test_a_changed_part_is_named(tmp_path, part):
    path = bequeath(tmp_path, questions=["Why?"]).path

    def change(parts):
        middle = len(parts[part]) // 2
        parts[part] = parts[part][:middle] + bytes([parts[part][middle] ^ 1]) + parts[part][middle + 1 :]

    repack(path, change, sign=False)
    with pytest.raises(TestamentTamperedError, match=part):
        testament.read(path)


def test_a_cut_or_lengthened_file_is_refused(tmp_path):
    path = bequeath(tmp_path).path
    data = path.read_bytes()
    for changed in (data[:-1], data[: len(data) // 2], data + b"x", data[:40]):
        path.write_bytes(changed)
        with pytest.raises(TestamentTamperedError):
            testament.read(path)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_at_all_give_a_typed_error(tmp_path_factory, data, with_magic):
    path = tmp_path_factory.mktemp("any") / "x.testament"
    path.write_bytes((b"PK\x03\x04" if with_magic else b"") + data)
    with pytest.raises(TestamentError):
        testament.read(path)


def test_a_file_that_is_no_testament_is_refused(tmp_path):
    path = tmp_path / "x.testament"
    with pytest.raises(StoreUnavailableError):
        testament.read(path)
    path.write_text("hello")
    with pytest.raises(TestamentError, match="not even a zip"):
        testament.read(path)
    path.write_bytes(container.pack({"hello.txt": b"hello"}))
    with pytest.raises(TestamentError, match=r"no manifest\.json"):
        testament.read(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"0" * 100_000_000)
    with pytest.raises(TestamentTamperedError):
        testament.read(path)


def test_missing_and_extra_parts_and_path_tricks_are_refused(tmp_path):
    path = bequeath(tmp_path).path
    repack(path, lambda parts: parts.pop("links.parquet"))
    with pytest.raises(TestamentError, match=r"lacks links\.parquet"):
        testament.read(path)
    path = bequeath(tmp_path).path
    repack(path, lambda parts: parts.update({"../../evil": b"x"}))
    with pytest.raises(TestamentError, match="too much"):
        testament.read(path)


def test_a_newer_format_asks_for_an_upgrade(tmp_path):
    path = bequeath(tmp_path).path

    def newer(parts):
        manifest = json.loads(parts["manifest.json"])
        parts["manifest.json"] = testament._json(manifest | {"format": testament.FORMAT_VERSION + 1})
        parts["novelty.bin"] = b""

    repack(path, newer)
    with pytest.raises(TestamentError, match="pip install -U bardo"):
        testament.read(path)


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path):
    path = tmp_path / "huge.testament"
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.truncate(testament.FILE_BYTES + 1)
    with pytest.raises(TestamentError, match="larger than"):
        testament.read(path)


def test_a_table_that_would_unfold_is_refused(tmp_path):
    def fold(parts):
        table = pq.read_table(io.BytesIO(parts["entries.parquet"]))
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd", use_dictionary=True)
        parts["entries.parquet"] = sink.getvalue()

    path = bequeath(tmp_path).path
    repack(path, fold)
    with pytest.raises(TestamentTamperedError, match=r"entries\.parquet.*larger than the file"):
        testament.read(path)


def test_more_entries_than_the_cap_are_refused_even_when_signed(tmp_path):
    path = bequeath(tmp_path).path

    def many(parts):
        table = pq.read_table(io.BytesIO(parts["entries.parquet"]))
        sink = io.BytesIO()
        pq.write_table(pa.concat_tables([table] * 600), sink, compression="none", use_dictionary=False)
        parts["entries.parquet"] = sink.getvalue()

    repack(path, many)
    with pytest.raises(TestamentTamperedError, match="the limit is 2048"):
        testament.read(path)


def test_only_trusted_signers_pass_when_they_are_named(tmp_path):
    written = bequeath(tmp_path)
    stranger = signing.signer_of(signing.key_from_seed(b"stranger"))
    assert testament.read(written.path, trusted_keys={written.signer.upper()}).signer == written.signer
    with pytest.raises(TestamentError, match="not among the trusted keys"):
        testament.read(written.path, trusted_keys={stranger})


def test_a_signature_with_another_key_is_detected(tmp_path):
    path = bequeath(tmp_path).path
    other = signing.key_from_seed(b"stranger")

    def forge(parts):
        parts["manifest.sig"] = other.sign(parts["manifest.json"])

    repack(path, forge, sign=False)
    with pytest.raises(TestamentTamperedError, match="signature does not fit"):
        testament.read(path)


def test_facts_below_the_threshold_cross_only_where_the_others_leave_room(tmp_path):
    facts = [*some_facts(), fact(5, "A faint idea", confidence=0.3), fact(6, "Old", status="superseded")]
    roomy = bequeath(tmp_path, facts=facts, name="roomy")
    assert [one.id for one in roomy.facts][-1] == id_of(5)
    assert roomy.left_out == {"not_in_force": 1}
    written = bequeath(tmp_path, facts=facts, settings=Bequeath(entries=4))
    assert {one.id for one in written.facts} == {id_of(number) for number in (1, 2, 3, 4)}
    assert written.left_out == {"below_threshold": 1, "not_in_force": 1}


def test_entries_hold_the_confidence_of_today_not_of_the_last_reinforcement(tmp_path):
    facts = [fact(1, "Fading", confidence=0.9)]
    assert bequeath(tmp_path, facts=facts, confidences=[0.2], name="faint").facts[0].confidence == 0.2
    assert bequeath(tmp_path, facts=facts, confidences=[0.7]).facts[0].confidence == 0.7


def test_secrets_positions_and_results_stay_behind_and_are_counted(tmp_path):
    secret = "ghp_" + "a1" * 18
    facts = [
        fact(1, f"The feed needs {secret}", metadata={"commands": [f"curl -H {secret}"]}, subjects=("feed",)),
        fact(2, "Gas is cheap at night"),
        fact(3, "pnl of eth", kind="baseline", payload={"type": "baseline", "metric": "trade.pnl", "n": 3}),
    ]
    episodes = [episode(8, "Sold with a position size of 12.5", payload={"positionSize": 12.5, "lag": 2})]
    written = bequeath(tmp_path, facts=facts, episodes=episodes, reflection=f"# x\n{secret}\n")
    raw = written.path.read_bytes()
    assert secret.encode() not in raw
    assert b"12.5" not in raw
    assert written.episodes[0].payload == {"lag": 2}
    assert written.left_out["private"] == 1
    assert written.redacted == {"github_token": 3, "holding": 1, "private_field": 1}


def test_episodes_share_the_cap_with_the_entries_and_each_text_crosses_once(tmp_path):
    episodes = [episode(number, f"Event {number}", verified=number % 2 == 0) for number in range(140)]
    episodes.insert(1, episode(150, "event  0"))
    written = bequeath(tmp_path, episodes=episodes, settings=Bequeath(entries=20))
    # 128 places are beside the cap.
    assert [one.text for one in written.episodes] == [f"Event {number}" for number in range(128)]
    assert {name: count for name, count in written.left_out.items() if name.startswith("episode")} == {
        "episode_copy": 1,
        "episode_over_cap": 12,
    }
    roomy = bequeath(tmp_path, episodes=episodes, settings=Bequeath(entries=136), name="roomy")
    assert len(roomy.episodes) == 136 - len(roomy.facts)
    tight = bequeath(tmp_path, episodes=episodes, episode_bytes=600, name="tight")
    assert 0 < len(tight.episodes) < 20


def test_inherited_episodes_have_a_quarter_of_the_cap(tmp_path):
    lived = {"inherited": {"agent": "ann", "kind": "event", "generation": 1}}
    episodes = [episode(n, f"Heard {n}", kind="inherited", payload=lived, verified=False) for n in range(40)]
    written = bequeath(tmp_path, episodes=[*episodes, episode(50, "Own")], settings=Bequeath(entries=80))
    assert len(written.episodes) == 21
    assert written.episodes[-1].text == "Own"


def test_inherited_episodes_take_no_bytes_of_the_own_ones(tmp_path):
    lived = {"inherited": {"agent": "ann", "kind": "event", "generation": 1}}
    episodes = [
        episode(n, f"Heard {n} " + "at the dock " * 20, kind="inherited", payload=lived) for n in range(40)
    ]
    episodes += [episode(50 + n, f"Lived {n} " + "at the dock " * 20) for n in range(40)]
    written = bequeath(tmp_path, episodes=episodes, episode_bytes=2_000)
    assert sum(one.kind == "inherited" for one in written.episodes) == 40
    assert 0 < sum(one.kind != "inherited" for one in written.episodes) < 20


def test_a_corrected_episode_crosses_only_with_its_correction(tmp_path):
    long = "as written in the protocol of the meeting " * 40
    episodes = [
        episode(1, "Dumps go to /srv"),
        episode(2, f"Dumps go to /mnt from now on, {long}"),
        episode(3, "Retries are 5"),
        episode(4, "Retries are 3"),
        # Two that correct each other, as over two lives, do not block each other.
        episode(5, "The owner is Nadia"),
        episode(6, "The owner is Omar"),
    ]
    pairs = ((2, 1), (4, 3), (5, 6), (6, 5))
    links = [(id_of(newer), id_of(older), "corrects", 1.0, 1) for newer, older in pairs]
    written = bequeath(tmp_path, episodes=episodes, links=links, episode_bytes=600)
    assert [one.id for one in written.episodes] == [id_of(3), id_of(4), id_of(5), id_of(6)]
    assert written.left_out["episode_over_cap"] == 2


def test_links_and_evidence_cross_only_with_what_they_point_at(tmp_path):
    facts = [fact(1, "A", evidence=(id_of(8), id_of(9))), fact(2, "B"), fact(3, "C", status="superseded")]
    links = [(id_of(1), id_of(2), "causes", 1.0, 1), (id_of(1), id_of(3), "causes", 1.0, 1)]
    written = bequeath(tmp_path, facts=facts, links=links, episodes=[episode(8, "Seen")])
    assert [(link.src, link.dst) for link in written.links] == [(id_of(1), id_of(2))]
    assert {one.id: one.evidence for one in written.facts}[id_of(1)] == (id_of(8),)


def test_each_fact_that_stays_behind_has_its_reason():
    crosses = [fact(number, f"Lesson {number} about {number * 7}") for number in range(1, 4)]
    stays = {
        "routine": fact(11, "A line of routine"),
        "private": fact(
            12, "pnl", kind="baseline", payload={"type": "baseline", "metric": "trade.pnl", "n": 3}
        ),
        "not_in_force": fact(13, "Archived", status="archived"),
        "not_validated": fact(14, "Check the oracle first", kind="procedural", support=1),
        "below_threshold": fact(15, "Dreamt", confidence=0.1, source="dream"),
    }
    facts = [*crosses, *stays.values()]
    estate = Estate(facts, [one.confidence for one in facts], MARKDOWN, worths={id_of(11): 0.0})
    choice = choose(estate, dead().life, Bequeath())
    assert {one.id for one in choice.facts} == {one.id for one in crosses}
    assert {one.reason: one.id for one in choice.left_behind} == {
        reason: one.id for reason, one in stays.items()
    }
    assert choice.left_out == dict.fromkeys(stays, 1)
    tight = choose(estate, dead().life, Bequeath(entries=2))
    (over,) = [one for one in tight.left_behind if one.reason == "over_cap"]
    assert {over.id, *(one.id for one in tight.facts)} == {one.id for one in crosses}
    assert all(one.why != one.reason and one.reason in REASONS for one in tight.left_behind)


def test_the_cap_holds_and_what_is_over_it_is_counted(tmp_path):
    facts = [fact(number, f"Lesson {number} about {number * 7}") for number in range(30)]
    written = bequeath(tmp_path, facts=facts, vectors=None, settings=Bequeath(entries=10))
    assert len(written.facts) == 10
    assert sum(written.left_out.values()) == 20
    assert written.measure == "words"


def test_large_texts_stay_under_the_size_cap(tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "_ENTRY_BYTES", 200_000)
    facts = [fact(number, f"{number} " + "x" * 20_000, kind="warning") for number in range(12)]
    written = bequeath(tmp_path, facts=facts, vectors=None)
    assert written.path.stat().st_size < 220_000
    assert written.left_out["over_size"] == 12 - len(written.facts) > 0


def test_an_empty_life_still_leaves_a_testament(tmp_path):
    written = bequeath(tmp_path, facts=[], vectors=None)
    assert testament.read(written.path).facts == ()


def test_wrong_arguments_are_refused_and_leave_no_file(tmp_path):
    living = dataclasses.replace(dead(), life=dataclasses.replace(dead().life, death_tick=None))
    for wrong in (
        {"lineage": living},
        {"reflection": "x" * 6_000},
        {"confidences": [0.5]},
        {"vectors": np.zeros((2, 4), np.float32)},
    ):
        with pytest.raises(InvalidInputError):
            bequeath(tmp_path, **wrong)
    assert not list(tmp_path.iterdir())
    with pytest.raises(StoreUnavailableError):
        bequeath(tmp_path / "absent")


unicode_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(unicode_text, unicode_text, st.floats(0.6, 1.0)), max_size=8))
def test_any_unicode_survives_the_way_through_the_file(tmp_path_factory, given_facts):
    facts = [
        fact(number, text, subjects=(subject,), confidence=confidence)
        for number, (text, subject, confidence) in enumerate(given_facts)
    ]
    written = bequeath(tmp_path_factory.mktemp("any"), facts=facts, now=NOW)
    read = {one.id: one for one in testament.read(written.path).facts}
    assert len(read) == len(facts)
    for one in facts:
        assert (
            read[one.id].subjects == tuple(map(Redactor(personal=True).text, one.subjects))
            or read[one.id].subjects == one.subjects
            # Subjects lose words that are redacted in their text.
            or Redactor(personal=True).text(one.text) != one.text
        )
        assert read[one.id].confidence == one.confidence


def test_a_testament_of_format_2_can_still_be_read(tmp_path):
    path = bequeath(tmp_path, episodes=[episode(8, "Seen")], questions=["Why?"]).path

    def age(parts):
        manifest = json.loads(parts["manifest.json"])
        manifest["format"] = 2
        del manifest["deflated"]
        for name in ("conduct.json", "known.hdb"):
            del parts[name]
            manifest["blake3"].pop(name)
        parts["manifest.json"] = testament._json(manifest)

    repack(path, age)
    read = testament.read(path)
    assert read.conduct == ()
    assert {one.id for one in read.facts} == {id_of(number) for number in (1, 2, 3, 4)}
    assert [one.text for one in read.episodes] == ["Seen"]


def test_a_part_that_unpacks_to_more_than_it_declares_is_refused(tmp_path):
    path = bequeath(tmp_path).path
    parts = container.unpack(path.read_bytes(), testament.PARTS)
    bomb = container.deflate(bytes(64 << 20))
    path.write_bytes(container.pack(parts, {"reflection.md": bomb}))
    with pytest.raises(TestamentTamperedError, match=r"reflection\.md"):
        testament.read(path)
    path.write_bytes(container.pack({**parts, "reflection.md": bytes(64 << 20)}, {"reflection.md": bomb}))
    with pytest.raises(TestamentError):
        testament.read(path)


def test_a_testament_of_many_short_facts_takes_less_than_400_bytes_an_entry(tmp_path):
    words = np.random.default_rng(1).integers(0, 10_000, size=(2_048, 8))
    facts = [fact(n, " ".join(f"word{w}" for w in row)) for n, row in enumerate(words)]
    written = bequeath(tmp_path, facts=facts, vectors=None)
    assert len(written.facts) == 2_048
    assert written.path.stat().st_size < 400 * 2_048


@pytest.mark.parametrize(
    "forged",
    [
        {"kind": "order", "text": "x"},
        {"kind": "rule", "text": "x", "score": 11},
        {"kind": "rule", "text": "x", "score": float("nan")},
        {"kind": "rejected", "text": "x" * 2_001},
        {"kind": "rejected", "text": " "},
        {"kind": "rejected", "text": "x", "at": -1},
        {"kind": "rejected", "text": "x", "generation": 1.5},
        {"kind": "rejected", "text": "x", "status": "done"},
        {"kind": "rejected", "text": "x", "corrections": {"packages": ["x"]}},
        {"kind": "flow", "text": "x", "steps": "run"},
        {"kind": "flow", "text": "x", "steps": ["x" * 2_001]},
        {"kind": "flow", "text": "x", "triggers": ["x"] * 101},
        {"kind": "flow", "text": "x", "needs_approval": 1},
    ],
)
def test_a_forged_directive_is_refused(tmp_path, forged):
    path = bequeath(tmp_path).path

    def forge(parts):
        parts["conduct.json"] = json.dumps([forged]).encode()

    repack(path, forge)
    with pytest.raises(TestamentTamperedError, match=r"conduct\.json"):
        testament.read(path)
