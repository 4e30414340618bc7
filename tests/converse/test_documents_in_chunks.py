"""Documents: chunks within their length, found by recall, limited in number, and removed from every file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import bardo
from bardo._core import traces
from bardo.capture.chunks import LONGEST, chunks
from bardo.errors import ForgottenError, InvalidInputError, NotFoundError
from bardo.ports import ManualClock
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app
from helpers.models import word_vectors

NOON = 1_772_712_000_000_000
HANDBOOK = "\n\n".join(
    f"Rule {place} of the {place}th floor says that the lamp number {place * 7} burns until {place % 12} in the "
    f"evening. The keeper of floor {place} carries the key {place * 13} home."
    for place in range(1, 41)
)


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., bardo.Grimoire]:
    return lambda **options: bardo.open(
        tmp_path / "helper", clock=ManualClock(NOON), seed=1,
        **{"embedder": word_vectors, "config": {"curator": {"language": ""}}, **options},
    )  # fmt: skip


def holders(folder: Path, text: str) -> list[str]:
    forms = [text.encode(), json.dumps(text)[1:-1].encode()]
    return [path.name for path in folder.rglob("*") if path.is_file() and traces(str(path), forms)[0]]


@given(st.text(max_size=3_000))
def test_no_chunk_is_too_long_and_every_word_is_in_one(text: str) -> None:
    found = chunks(text)
    assert all(0 < len(chunk) <= LONGEST for chunk in found)
    words = {word for word in text.split() if word.isalnum() and len(word) < LONGEST // 2}
    assert words <= {word for chunk in found for word in chunk.split()}


def test_sentences_stay_whole_and_long_ones_are_cut_between_words() -> None:
    sentences = [f"This is sentence number {place} of the long text." for place in range(40)]
    found = chunks(" ".join(sentences))
    assert all(any(sentence in chunk for chunk in found) for sentence in sentences)
    assert len(found) == -(-sum(len(each) + 1 for each in sentences) // LONGEST)
    words = [f"word{place}" for place in range(200)]
    assert " ".join(chunks(" ".join(words))).split() == words
    assert chunks("One.\n\nTwo.\n\n\n - - -\n\nThree words here.") == ["One.\n\nTwo.\n\nThree words here."]
    assert chunks(" \n\n ") == []


def test_recall_finds_a_chunk_and_its_thread_has_all_in_order(opener: Callable[..., bardo.Grimoire]) -> None:
    with opener() as g:
        added = g.documents.add(HANDBOOK, name="handbook", source="docs/handbook.md")
        assert g.documents.list() == [added]
        assert (added.name, added.source, added.at) == ("handbook", "docs/handbook.md", NOON)
        assert added.chunks > 15
        (memory,) = g.recall("keeper of floor 20", limit=1, kinds=["document"])
        assert "floor 20" in memory.text
        assert memory.record.thread == "document:handbook"
        assert [one.text for one in g.episodes.list(thread="document:handbook")] == chunks(HANDBOOK)
        g.sleep()
        assert (g.summaries.list(), [*g.facts.list()]) == ([], [])


def test_law_11_a_removed_document_is_in_no_file(opener: Callable[..., bardo.Grimoire]) -> None:
    source = "https://files.example.org/secret-handbook.md"
    with opener() as g:
        g.documents.add(HANDBOOK, name="the secret handbook", source=source)
        g.documents.add("The other text stays here.", name="other")
        g.sleep()
        shown = g.recall("lamp number 70", limit=1)[0].text
        report = g.documents.remove("the secret handbook")
        assert len(report.episodes) > 15
        assert [one.name for one in g.documents.list()] == ["other"]
        assert not [one for one in g.recall("lamp number 70", limit=20) if "lamp" in one.text]
        with pytest.raises(ForgottenError):
            g.remember(shown)
        with pytest.raises(NotFoundError, match=r"documents\.list"):
            g.documents.remove("the secret handbook")
    for text in (shown, source, "the secret handbook"):
        assert holders(g.path, text) == [], text


def test_a_new_version_replaces_the_old_one(opener: Callable[..., bardo.Grimoire]) -> None:
    with opener() as g:
        first = g.documents.add(HANDBOOK, name="handbook")
        with pytest.raises(InvalidInputError, match="replace=True"):
            g.documents.add(HANDBOOK, name="handbook")
        second = g.documents.add(f"{HANDBOOK}\n\nA new rule at the end.", name="handbook", replace=True)
        assert second.characters > first.characters
        assert g.documents.list() == [second]
        assert sum(one.kind == "document" for one in g.episodes.list()) == second.chunks
        g.documents.remove("handbook", allow_again=True)
        assert g.documents.add(HANDBOOK, name="handbook") == first


def test_the_number_of_documents_is_limited(opener: Callable[..., bardo.Grimoire]) -> None:
    with opener() as g:
        for place in range(20):
            g.documents.add(f"This is text number {place}.", name=f"text {place}")
        with pytest.raises(InvalidInputError, match=r"index\.documents"):
            g.documents.add("One more text.", name="more")
        g.documents.add("This is another text.", name="text 3", replace=True)
        assert len(g.documents.list()) == 20
    with opener(config={"index": {"documents": 21}}) as g:
        g.documents.add("One more text.", name="more")


def test_addresses_go_through_the_fetcher_of_the_caller_alone(opener: Callable[..., bardo.Grimoire]) -> None:
    asked: list[str] = []

    def fetch(url: str) -> str:
        asked.append(url)
        return "The page says that the ferry is late."

    url = "https://example.org/page"
    with opener() as g:
        with pytest.raises(InvalidInputError, match="with fetch"):
            g.documents.add(url, name="page")
        assert g.documents.add(name="page", source=url, fetch=fetch).source == url
        assert (asked, g.recall("ferry", limit=1)[0].text) == ([url], "The page says that the ferry is late.")
        for given in (
            {"source": url, "fetch": lambda _: b"x"},
            {"fetch": fetch},
            {"text": "a b", "fetch": fetch},
        ):
            with pytest.raises(InvalidInputError, match="fetch"):
                g.documents.add(name="other", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"text": "", "name": "a"}, "no text"),
        ({"text": " \n ", "name": "a"}, "no text"),
        ({"text": "A text.", "name": " "}, "name"),
        ({"text": "A text.", "name": "x" * 300}, "name"),
        ({"text": "A text.", "name": "a", "source": "x" * 300}, "source"),
        ({"text": "x" * 2_000_001, "name": "a"}, "characters"),
    ],
)
def test_what_is_no_document_is_refused(
    opener: Callable[..., bardo.Grimoire], given: dict[str, str], why: str
) -> None:
    with opener() as g:
        with pytest.raises(InvalidInputError, match=why):
            g.documents.add(**given)
        assert g.documents.list() == []


def test_the_command_line_adds_lists_and_removes(tmp_path: Path) -> None:
    file, at = tmp_path / "handbook.txt", ["--at", str(tmp_path / "helper")]
    file.write_text(HANDBOOK, "utf-8")
    runner = CliRunner()
    assert runner.invoke(app, ["init", str(tmp_path / "helper")]).exit_code == 0
    added = runner.invoke(app, ["documents", "add", str(file), "--json", *at])
    assert json.loads(added.stdout)["name"] == "handbook.txt", added.output
    listed = json.loads(runner.invoke(app, ["documents", "list", "--json", *at]).stdout)
    assert [each["source"] for each in listed["documents"]] == [str(file)]
    assert runner.invoke(app, ["documents", "remove", "handbook.txt", *at], input="n\n").exit_code != 0
    assert runner.invoke(app, ["documents", "remove", "handbook.txt", "--yes", *at]).exit_code == 0
    assert (
        runner.invoke(app, ["documents", "remove", "handbook.txt", "--yes", *at]).exit_code
        == exits.NOTHING_FOUND
    )
