"""Files on disk become episodes and chat messages, or an error that names the line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode
from bardo.surfaces import loaders


def test_json_lines_hold_strings_episodes_and_chat_messages():
    text = '"rain"\n\n{"text": "sun", "subjects": ["sky"], "tick": 3}\n{"role": "user", "content": "hi"}\n'
    rain, sun, hello = loaders.json_lines(text, name="f")
    assert rain == Episode("rain")
    assert sun == Episode("sun", subjects=("sky",), tick=3)
    assert hello == {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("item", "role", "said"),
    [
        (
            {"type": "function_call", "call_id": "c1", "name": "ring", "arguments": '{"to": "Holt"}'},
            "agent",
            "ring",
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": "nobody answered"},
            "tool",
            "nobody answered",
        ),
        (
            {
                "jsonrpc": "2.0",
                "id": 7,
                "method": "tools/call",
                "params": {"name": "find", "arguments": {"q": "lift"}},
            },
            "agent",
            "find",
        ),
        (
            {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "Kone, 4 May"}]}},
            "tool",
            "Kone, 4 May",
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "pay", "arguments": "{}"}}]},
            "agent",
            "pay",
        ),
    ],
)
def test_json_lines_hold_the_tool_calls_that_remember_takes(tmp_path, item, role, said):
    given = loaders.json_lines(json.dumps(item), name="f")
    with bardo.open(tmp_path / "memory") as g:
        (stored,) = g.remember(given)
        (alike,) = g.remember([item])
    assert stored.role == alike.role == role
    assert said in stored.text
    assert stored.text == alike.text


def test_a_json_line_of_another_protocol_is_refused_by_its_number():
    line = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    with pytest.raises(InvalidInputError, match="line 1 of f is neither"):
        loaders.json_lines(json.dumps(line), name="f")


def test_episodes_as_they_are_listed_are_read_again():
    listed = {
        "text": "sun",
        "id": "01a22549-8afc-7903-8276-05d6bc4bdece",
        "replay_count": 3,
        "content_hash": 7,
    }
    assert loaders.json_lines(json.dumps(listed), name="f") == [Episode("sun", id=listed["id"])]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 of f is not JSON"),
        ('{"text": "a", "payload": NaN}', "NaN is not a finite number"),
        ('{"text": "a", "colour": 1}', "unknown field 'colour'"),
        ("7", "line 2 of f is neither"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, said: str):
    with pytest.raises(InvalidInputError, match=said):
        loaders.json_lines(f'"fine"\n{line}\n', name="f")


def test_a_plain_chat_keeps_speakers_times_and_continued_lines():
    text = "[2026-03-04 18:05] Mira: Привет\nand more\nAssistant: こんにちは: 元気？\n"
    first, second = loaders.chat(text, name="f")
    assert first == {"role": "user", "name": "Mira", "content": "Привет\nand more", "at": "2026-03-04 18:05"}
    assert second == {"role": "assistant", "name": "Assistant", "content": "こんにちは: 元気？"}


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: {"messages": m}])
def test_a_chat_may_be_a_list_or_an_object_with_messages(wrap):
    messages = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    assert loaders.chat(json.dumps(wrap(messages), indent=1), name="f") == messages


def test_json_lines_are_a_chat_too():
    text = '{"role": "user", "content": "one"}\n{"role": "assistant", "content": "two"}\n'
    assert [item["content"] for item in loaders.chat(text, name="f")] == ["one", "two"]


def test_prose_is_not_taken_for_a_chat():
    with pytest.raises(InvalidInputError, match="does not look like a chat"):
        loaders.chat("Once upon a time.\n", name="f")


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1))
def test_any_text_survives_json_lines(texts: list[str]):
    lines = "\n".join(json.dumps({"text": text}, ensure_ascii=False) for text in texts)
    assert [item.text for item in loaders.json_lines(lines, name="f")] == texts
