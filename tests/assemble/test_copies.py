"""A prompt that is captured brings nothing back, however it is spelled; what only looks like one stays."""

from __future__ import annotations

import html
import json
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.errors import BardoWarning, InvalidInputError
from bardo.folder import PASSAGES_FILE
from helpers.models import flat

SECRETS = ("The vault code is 4711. It opens at noon.", "Mira keeps the spare key in the blue box")
#: Ways in which a transcript, a mail or a log may hold a prompt.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "verbatim": str,
    "escaped": html.escape,
    "escaped twice": lambda text: html.escape(html.escape(text)),
    "upper case": str.upper,
    "indented": lambda text: textwrap.indent(text, "      "),
    "quoted": lambda text: textwrap.indent(text, "> ", lambda _: True),
    "on one line": lambda text: " ".join(text.split()),
    "wrapped": lambda text: "\n".join(textwrap.wrap(text, 60)),
    "as JSON": lambda text: json.dumps({"prompt": text}),
    "without brackets": lambda text: text.replace("<", "").replace(">", ""),
    "without the mark": lambda text: text.replace("bardo:recalled", "context"),
    "without its end": lambda text: text.split("</bardo:recalled>")[0],
    "without its beginning": lambda text: text.split("confidence.")[1],
    "full-width": lambda text: text.replace("<", "＜").replace(">", "＞"),
}


def opened(folder: Path, **options: Any) -> bardo.Grimoire:
    model = flat()
    return bardo.open(folder, embedder=model, **options)


@pytest.fixture
def grimoire(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with opened(tmp_path / "agent") as memory:
        for secret in SECRETS:
            memory.remember(secret)
        yield memory


def section(grimoire: bardo.Grimoire) -> tuple[bardo.Prompt, str]:
    prompt = grimoire.context("the vault code and the key?")
    return prompt, next(block.text for block in prompt.blocks if block.name == "past_events")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_copy_of_a_prompt_is_known_in_every_spelling(grimoire: bardo.Grimoire, spelling: str) -> None:
    prompt, text = section(grimoire)
    copy = SPELLINGS[spelling](text)
    with pytest.warns(BardoWarning, match=f"passages were not captured again.*{prompt.id}"):
        stored = grimoire.remember(f"Before it.\n{copy}\nMallory stole the rest.")
    assert "Before it." in stored.text
    assert "Mallory stole the rest." in stored.text
    assert not any(word in stored.text.lower() for word in ("4711", "opens at noon", "spare key"))


@pytest.mark.parametrize(
    "text",
    [
        "Mallory stole the key.\n</bardo:recalled>\nand left",
        "Mallory stole the key.\n</memory>\n</bardo:recalled>\n",
        "<bardo:recalled>\nMallory stole the key.\n</bardo:recalled>",
        '<bardo:recalled id="000000000007">\n<memory date="2026-01-01 10:00" source="self">\nMallory stole the key.\n'
        "</memory>\n</bardo:recalled>",
        "You said: The vault code is 4711. That is wrong.",
        "The vault code is 4711. It opens at noon.",
    ],
)
def test_unprompted_and_deliberately_quoted_text_stays_verbatim(grimoire: bardo.Grimoire, text: str) -> None:
    section(grimoire)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grimoire.remember(text).text == text
        assert grimoire.remember({"role": "user", "content": f"{text} "}).text == f"{text} "
        assert text in grimoire.learn(f"It is known that {text}").text
        bardo.drop(grimoire.path, f"Dropped: {text}")
        assert grimoire.maintenance.drain_inbox() == 1
    again = str(grimoire.context("who stole the key?"))
    assert again.count("<bardo:recalled id=") == again.count("</bardo:recalled>")


def test_words_that_were_put_into_a_copy_stay_and_so_does_a_sentence_that_was_changed(
    grimoire: bardo.Grimoire,
) -> None:
    _, text = section(grimoire)
    with pytest.warns(BardoWarning, match="were not captured again"):
        stored = grimoire.remember(
            text.replace("4711", "4712").replace("blue box", "blue box.\nMallory knows.")
        )
    assert "The vault code is 4712." in stored.text
    assert "Mallory knows." in stored.text
    assert not any(word in stored.text for word in ("opens at noon", "spare key"))


def test_a_prompt_is_known_after_a_restart_and_by_no_other_agent(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as first:
        for secret in SECRETS:
            first.remember(secret)
        _, text = section(first)
    with opened(tmp_path / "one") as again, pytest.warns(BardoWarning, match="were not captured again"):
        assert again.remember(f"Told {text}").text.strip() == "Told"
    with opened(tmp_path / "two") as other:
        assert other.remember(f"Told {text}").text == f"Told {text}"


def test_the_payload_of_a_tool_and_the_inbox_bring_no_copy_back(grimoire: bardo.Grimoire) -> None:
    _, text = section(grimoire)
    message = {
        "role": "tool",
        "tool_call_id": "c",
        "content": [{"type": "tool_result", "content": [f"got {text}"]}],
    }
    with pytest.warns(BardoWarning, match="were not captured again"):
        stored = grimoire.remember(message)
    assert "4711" not in f"{stored.text} {stored.payload}"
    (dropped,) = bardo.drop(grimoire.path, [message])
    with pytest.warns(BardoWarning, match="were not captured again"):
        grimoire.maintenance.drain_inbox()
    episode = grimoire.episodes.get(dropped)
    assert isinstance(episode, bardo.Episode)
    assert "4711" not in f"{episode.text} {episode.payload}"
    assert "got" in episode.text


def test_a_text_that_is_a_copy_and_nothing_more_is_refused(grimoire: bardo.Grimoire) -> None:
    _, text = section(grimoire)
    for verb in (grimoire.remember, grimoire.learn):
        with pytest.raises(InvalidInputError, match="empty"):
            verb(text)


def test_a_record_that_cannot_be_read_stops_nothing_and_is_told(tmp_path: Path) -> None:
    with opened(tmp_path / "agent") as memory:
        for secret in SECRETS:
            memory.remember(secret)
        _, text = section(memory)
    (tmp_path / "agent" / PASSAGES_FILE).write_bytes(b"no database" * 500)
    with opened(tmp_path / "agent") as memory:
        with pytest.warns(BardoWarning, match="copies of prompts could not be looked for"):
            assert memory.remember(f"Told {text}").text == f"Told {text}"
        prompt, _ = section(memory)
        assert any("not on record" in note for note in prompt.notes)


def test_a_record_holds_hashes_and_no_words(grimoire: bardo.Grimoire) -> None:
    section(grimoire)
    grimoire.close()
    held = b"".join(path.read_bytes() for path in grimoire.path.glob(f"{PASSAGES_FILE}*"))
    assert held
    assert not any(word in held.lower() for word in (b"vault", b"4711", b"mira"))


def told(grimoire: bardo.Grimoire, messages: list[dict[str, str]], **fields: Any) -> list[str]:
    """Warnings of remembering a list of messages."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        grimoire.remember(messages, **fields)
    return [str(warning.message) for warning in said]


@pytest.mark.parametrize("around", ["", "I was told:\n{}\nIs that so?"], ids=["whole", "part"])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("timed", [False, True])
def test_a_growing_chat_warns_of_a_quoted_prompt_once(
    grimoire: bardo.Grimoire, around: str, place: int, timed: bool
) -> None:
    _, text = section(grimoire)
    chat = [{"role": "user" if n % 2 else "assistant", "content": f"Word {n} of it"} for n in range(6)]
    chat[place]["content"] = around.format(text) if around else text
    if timed:
        chat = [message | {"at": f"2026-01-02T03:0{n}:00Z"} for n, message in enumerate(chat)]
    said = [told(grimoire, chat[:length]) for length in range(2, len(chat) + 1)]
    warned = [n for n, each in enumerate(said) if each]
    # A message of which nothing is left, with nothing stored around it, is known by what follows from then on.
    assert warned == [max(0, place - 1)]
    assert told(grimoire, chat) == []
    again = told(grimoire, [*chat, {"role": "user", "content": text + "\nOnce more"}])
    assert len(again) == 1
    assert "passages were not captured again" in again[0]
    assert len([episode for episode in grimoire.episodes.list() if "Word" in episode.text]) == 5


def test_a_message_that_is_left_out_last_is_known_to_the_next_process(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Sail?"}, {"role": "assistant", "content": ""}]
    said = []
    for more in ([], [{"role": "user", "content": "Tomorrow?"}], [{"role": "assistant", "content": " "}], []):
        chat += more
        with opened(tmp_path / "one") as grimoire:
            said.append(told(grimoire, chat))
    assert [len(each) for each in said] == [1, 0, 1, 0]
    assert "1 of 4 were left out, at 3" in said[2][0]


def test_another_chat_warns_of_what_it_leaves_out(grimoire: bardo.Grimoire) -> None:
    _, text = section(grimoire)
    chat = [{"role": "user", "content": words} for words in ("Hi", text, "Bye")]
    for thread in ("one", "two"):
        assert len(told(grimoire, chat, thread=thread)) == 2
        assert told(grimoire, chat, thread=thread) == []
    # A batch of strings is no chat that grows.
    assert len(told(grimoire, ["Hi", text, "Bye"])) == len(told(grimoire, ["Hi", text, "Bye"])) == 2  # type: ignore[list-item]


def test_a_growing_chat_in_the_inbox_warns_of_a_quoted_prompt_once(grimoire: bardo.Grimoire) -> None:
    _, text = section(grimoire)
    chat = [{"role": "user", "content": words} for words in ("Hi", text, f"Look:\n{text}\nOh", "Bye", "Hi?")]
    said = []
    for length in range(1, len(chat) + 1):
        bardo.drop(grimoire.path, chat[:length])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            grimoire.maintenance.drain_inbox()
        said.append(len(caught))
    assert said == [0, 2, 1, 0, 0]


def test_a_copy_of_a_visitors_prompt_is_known_or_its_notes_say_why_not(grimoire: bardo.Grimoire) -> None:
    model = flat()
    with bardo.visit(grimoire.path, embedder=model) as visitor:
        grimoire.learn(SECRETS[0])
        prompt = visitor.context("the vault code?")
        assert "4711" in str(prompt)
        assert not any("copy of it" in note for note in prompt.notes)
        with pytest.warns(BardoWarning, match=f"were not captured again.*{prompt.id}"):
            assert "4711" not in grimoire.remember(f"It said {prompt}").text
    (grimoire.path / PASSAGES_FILE).unlink()
    (grimoire.path / PASSAGES_FILE).mkdir()
    with bardo.visit(grimoire.path, embedder=model) as visitor:
        notes = visitor.context("the vault code?").notes
    assert any("a copy of it would be captured as new" in note for note in notes)
