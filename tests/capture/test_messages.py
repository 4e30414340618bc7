"""A chat message is kept whole: its text as text, all else beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.errors import BardoWarning, ForgottenError, InvalidInputError
from bardo.ports import Embedder

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
CALLS = [{"function": {"name": "swap", "arguments": '{"amount": 5}'}}]
CALL = {"name": "swap", "arguments": "{}"}
AUDIO = {"id": "audio_1", "transcript": "good morning"}
USE = {"type": "tool_use", "id": "t1", "name": "look", "input": {"x": 1}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "two cats on the sofa"}


@pytest.fixture
def memory(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        yield opened


@pytest.mark.parametrize(
    ("content", "text", "payload"),
    [
        ("hello", "hello", None),
        (["hello", {"type": "text", "text": "there"}], "hello\nthere", None),
        ({"type": "text", "text": "hello"}, "hello", None),
        ({"secret": "värde"}, '{"secret": "värde"}', None),
        ([{"type": "text", "text": "look"}, IMAGE], "look", {"content": [IMAGE]}),
        ([IMAGE], "Sent image_url", {"content": [IMAGE]}),
        (IMAGE, "Sent image_url", {"content": [IMAGE]}),
        (
            [{"type": "text", "text": "as said", "source": "page 3"}],
            "as said",
            {"content": [{"type": "text", "text": "as said", "source": "page 3"}]},
        ),
    ],
)
def test_every_part_of_a_message_is_kept(
    memory: bardo.Grimoire, content: Any, text: str, payload: Any
) -> None:
    stored = memory.remember({"role": "user", "content": content})
    assert (stored.text, stored.payload) == (text, payload)
    assert memory.episodes.get(stored.id) == stored


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, {"tool_calls": CALLS}),
        ({"cost": 1}, {"cost": 1, "tool_calls": CALLS}),
        ([1, 2], {"payload": [1, 2], "tool_calls": CALLS}),
        ({"tool_calls": 1}, {"payload": {"tool_calls": 1}, "tool_calls": CALLS}),
    ],
)
def test_tool_calls_are_kept_beside_a_payload(memory: bardo.Grimoire, given: Any, kept: Any) -> None:
    stored = memory.remember({"role": "assistant", "content": "calling", "tool_calls": CALLS}, payload=given)
    assert (stored.text, stored.payload) == ("calling\nCalled swap(amount=5)", kept)


@pytest.mark.parametrize(
    ("given", "rest", "kept"),
    [
        (None, {"tool_call_id": "call_7"}, {"tool_call_id": "call_7"}),
        (None, {"refusal": "I cannot", "audio": None}, {"refusal": "I cannot"}),
        (None, {"refusal": None}, None),
        ({"cost": 1}, {"tool_call_id": "call_7"}, {"cost": 1, "tool_call_id": "call_7"}),
        ([1], {"tool_call_id": "call_7"}, {"payload": [1], "tool_call_id": "call_7"}),
        ({"cost": 1}, {"id": "m1", "usage": {"cached": 3}, "sent": object()}, {"cost": 1}),
    ],
)  # fmt: skip
def test_of_the_other_keys_those_are_kept_that_stay_when_it_is_sent_again(
    memory: bardo.Grimoire, given: Any, rest: Any, kept: Any
) -> None:
    stored = memory.remember(
        {"role": "tool", "content": "done", "name": "swap", "at": 1_700_000_000, **rest}, payload=given
    )
    assert (stored.text, stored.speaker, stored.payload) == ("done", "swap", kept)


@pytest.mark.parametrize("content", [None, "", []])
def test_a_message_of_tool_calls_alone_says_what_was_called(memory: bardo.Grimoire, content: Any) -> None:
    stored = memory.remember({"role": "assistant", "content": content, "tool_calls": CALLS})
    assert (stored.text, stored.payload) == ("Called swap(amount=5)", {"tool_calls": CALLS})


@pytest.mark.parametrize("content", [None, 5, b"bytes", [], [5], {"data": object()}])
def test_a_content_that_is_no_message_is_refused(memory: bardo.Grimoire, content: Any) -> None:
    with pytest.raises(InvalidInputError):
        memory.remember({"role": "user", "content": content})


def test_recalled_memories_are_not_captured_again_wherever_a_message_holds_them(
    memory: bardo.Grimoire,
) -> None:
    memory.remember("the vault code is 4711")
    prompt = str(memory.context("what is the vault code?"))
    assert "4711" in prompt
    result = {"type": "tool_result", "content": [f"before {prompt} after"], "is_error": False}
    stored = memory.remember({"role": "tool", "content": [result], "tool_call_id": "c1"})
    assert "4711" not in str(stored.payload)
    assert stored.payload["tool_call_id"] == "c1"
    assert stored.payload["content"][0]["content"][0].startswith("before ")
    held: list[Any] = ["x"]
    held.append(held)
    with pytest.raises(InvalidInputError):
        memory.remember({"role": "tool", "content": "x", "tool_calls": held})


def test_a_message_that_was_forgotten_stays_so_under_another_id(memory: bardo.Grimoire) -> None:
    said = {"role": "user", "content": "my pin is 4711"}
    memory.forget(memory.remember({**said, "id": "a"}), reason="a test")
    with pytest.raises(ForgottenError):
        memory.remember({**said, "id": "b", "usage": {"cached": 7}})


def test_a_refusal_is_what_was_said(memory: bardo.Grimoire) -> None:
    stored = memory.remember({"role": "assistant", "content": None, "refusal": "I cannot help with that"})
    assert (stored.text, stored.role) == ("I cannot help with that", "agent")


@pytest.mark.parametrize(
    ("message", "text", "payload"),
    [
        ({"role": "assistant", "tool_calls": CALLS}, "Called swap(amount=5)", {"tool_calls": CALLS}),
        ({"role": "assistant", "content": None, "function_call": CALL}, "Called swap", {"function_call": CALL}),
        ({"role": "assistant", "content": "", "function_call": CALL}, "Called swap", {"function_call": CALL}),
        ({"role": "assistant", "content": [USE]}, "Called look(x=1)", {"content": [USE]}),
        ({"role": "assistant", "content": None, "audio": AUDIO}, "good morning", {"audio": AUDIO}),
        ({"role": "assistant", "content": None, "audio": {"id": "a"}}, "Sent audio", {"audio": {"id": "a"}}),
        ({"role": "tool", "tool_call_id": "c1", "content": ""}, "Returned nothing", {"tool_call_id": "c1"}),
        ({"role": "tool", "tool_call_id": "c1"}, "Returned nothing", {"tool_call_id": "c1"}),
        ({"role": "function", "name": "swap", "content": None}, "Returned nothing", None),
    ],
)  # fmt: skip
def test_a_message_without_a_text_says_what_was_done(
    memory: bardo.Grimoire, message: dict[str, Any], text: str, payload: Any
) -> None:
    stored = memory.remember([{"role": "user", "content": "hello"}, message])[1]
    assert (stored.text, stored.payload) == (text, payload)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([RESULT], "two cats on the sofa"),
        ([{**RESULT, "content": [{"type": "text", "text": "two cats"}, IMAGE, "on it"]}], "two cats\non it"),
        ([RESULT, {"type": "text", "text": "and now?"}], "two cats on the sofa\nand now?"),
        ([{**RESULT, "content": [IMAGE]}], "Sent image_url"),
        ([{**RESULT, "content": ""}], "Returned nothing"),
        ([{"type": "tool_result", "tool_use_id": "t1"}], "Returned nothing"),
    ],
)
def test_an_answer_of_a_tool_is_found_and_attributed_to_the_tool(
    memory: bardo.Grimoire, content: Any, text: str
) -> None:
    stored = memory.remember({"role": "user", "content": content})
    assert (stored.text, stored.role, stored.kind) == (text, "tool", "tool")
    assert stored.payload == {"content": [part for part in content if part["type"] == "tool_result"]}
    assert memory.recall(text)[0].id == stored.id


def test_a_message_without_text_does_not_drop_the_others(memory: bardo.Grimoire) -> None:
    memory.remember("the vault code is 4711")
    said = [
        {"role": "system", "content": str(memory.context("what is the vault code?"))},
        {"role": "user", "content": "I moved to Zug"},
        {"role": "assistant", "content": ""},
        "  ",
    ]
    for more in ("and to Bern", "and to Basel"):
        said.append({"role": "user", "content": more})
        with pytest.warns(BardoWarning, match="left out") as warned:
            stored = memory.remember(said, thread="t")
    assert [episode.text for episode in stored][-3:] == ["I moved to Zug", "and to Bern", "and to Basel"]
    assert any("at 2, 3 (from 0)" in str(each.message) for each in warned)
    with pytest.raises(InvalidInputError, match="empty"):
        memory.remember([said[2], said[3]])
    assert len(list(memory.episodes.list(thread="t"))) == len(stored)


def test_a_message_that_shows_recalled_memories_beside_a_call_is_the_call(memory: bardo.Grimoire) -> None:
    memory.remember("the vault code is 4711")
    recalled = "".join(
        block.text for block in memory.context("the vault code?").blocks if block.name == "past_events"
    )
    stored = memory.remember({"role": "assistant", "content": recalled, "tool_calls": CALLS})
    assert stored.text == "Called swap(amount=5)"
    with pytest.raises(InvalidInputError, match="recalled memories"):
        memory.remember({"role": "tool", "tool_call_id": "c1", "content": recalled})


def test_a_tool_call_is_found_by_its_name_command_path_and_address(memory: bardo.Grimoire) -> None:
    arguments = '{"command": "cargo nextest run -p core", "cwd": "/srv/app", "url": "https://ci.example/42"}'
    stored = memory.remember(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "run_shell", "arguments": arguments}}],
        }
    )
    memory.remember({"role": "user", "content": "how is the weather in Bern?"})
    assert memory.recall("run_shell cargo nextest", limit=1)[0].id == stored.id
    for found in (
        memory.episodes.find(command="nextest"),
        memory.episodes.find(path="/srv/app"),
        memory.episodes.find(url="ci.example"),
    ):
        assert [reference.record.id for reference in found] == [stored.id]


def test_a_part_of_a_type_that_is_no_word_is_no_call(memory: bardo.Grimoire) -> None:
    parts = [{"type": ["tool_use"]}, {"type": "text", "text": "the forge is lit"}]
    stored = memory.remember({"role": "assistant", "content": parts})
    assert stored.text == "the forge is lit"


SAID = [{"type": "text", "text": "#482 crashes on readonly certs"}]
ARGUMENTS = {"url": "https://github.com/acme/ledger/issues/482"}
SEEN = "Called search_issues(url=https://github.com/acme/ledger/issues/482)"
ASKED = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
         "params": {"name": "search_issues", "arguments": ARGUMENTS}}  # fmt: skip


def answered(**result: Any) -> dict[str, Any]:
    """Answer to a call of a tool by MCP."""
    return {"jsonrpc": "2.0", "id": 7, "result": result}


@pytest.mark.parametrize(
    ("item", "role", "text"),
    [
        ({"type": "function_call", "call_id": "c", "name": "search_issues", "arguments": '{"q": 1}'}, "agent",
         "Called search_issues(q=1)"),
        ({"type": "function_call_output", "call_id": "c", "output": "2 found"}, "tool", "2 found"),
        ({"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "2 found"}]},
         "tool", "2 found"),
        ({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
         "agent", "ok"),
        ({"type": "mcp_call", "server_label": "github", "name": "search", "arguments": "{}", "output": "2 found"},
         "agent", "Called github.search\n2 found"),
        ({"type": "mcp_call", "server_label": "github", "name": "search", "arguments": "{}", "error": "timed out"},
         "agent", "Called github.search\nFailed: timed out"),
        (ASKED, "agent", SEEN),
        (answered(content=SAID, isError=False), "tool", SAID[0]["text"]),
        (answered(content=SAID, isError=True), "tool", f"Failed: {SAID[0]['text']}"),
        (answered(content=[], structuredContent={"open": 2}), "tool", '{"open": 2}'),
        (answered(content=[{"type": "resource", "resource": {"uri": "file:///a.md", "text": "read me"}}]), "tool",
         "file:///a.md\nread me"),
        (answered(content=[{"type": "image", "data": "aGk=", "mimeType": "image/png"}]), "tool", "Sent image"),
        ({"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "Unknown tool"}}, "tool",
         "Failed: Unknown tool"),
    ],
)  # fmt: skip
def test_a_call_or_result_outside_of_a_message_is_one(
    memory: bardo.Grimoire, item: dict[str, Any], role: str, text: str
) -> None:
    stored = memory.remember({**item, "timestamp": "2026-03-04T18:05:00Z"})
    assert (stored.role, stored.speaker, stored.text) == (role, None, text)
    assert stored.at == 1_772_647_500_000_000


@pytest.mark.parametrize(
    "item",
    [{"jsonrpc": "2.0", "method": "initialize"}, answered(tools=[]), {"type": "phone_call", "name": "Ann"}],
)
def test_an_item_that_is_no_call_of_a_tool_is_refused(memory: bardo.Grimoire, item: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="MCP"):
        memory.remember(item)


def test_calls_and_results_of_servers_are_found_by_their_content(memory: bardo.Grimoire) -> None:
    use = {
        "type": "mcp_tool_use",
        "id": "m",
        "name": "search_issues",
        "server_name": "github",
        "input": ARGUMENTS,
    }
    result = {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": SAID}
    page = {
        "type": "web_search_result",
        "title": "Tides",
        "url": "https://tides.example",
        "encrypted_content": "x",
    }
    called, given, both = memory.remember(
        [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look it up."},
                    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tides"}},
                    {"type": "web_search_tool_result", "tool_use_id": "s", "content": [page]},
                    {"type": "text", "text": "High water is at noon."},
                ],
            },
        ]
    )
    assert (called.role, called.text) == ("agent", SEEN.replace("search", "github.search", 1))
    assert (given.role, given.text) == ("tool", SAID[0]["text"])
    # The agent's own words make it the author.
    assert both.role == "agent"
    assert both.text.splitlines() == [
        "I look it up.", "Called web_search(query=tides)", "Tides", "https://tides.example", "High water is at noon.",
    ]  # fmt: skip
    assert [found.record.id for found in memory.episodes.find(url="github.com/acme")] == [called.id]
    assert memory.recall("readonly certs", limit=1)[0].id == given.id


def test_a_failed_tool_says_so_and_an_operation_of_a_tool_is_no_shell_command(memory: bardo.Grimoire) -> None:
    edit = {
        "type": "tool_use",
        "id": "e",
        "name": "editor",
        "input": {"command": "str_replace", "path": "/a/tls.conf"},
    }
    failed = {"type": "tool_result", "tool_use_id": "e", "is_error": True, "content": "No match found"}
    code = {"type": "code_execution_result", "stdout": "", "stderr": "boom", "return_code": 2}
    ran = {"type": "code_execution_tool_result", "tool_use_id": "c", "content": code}
    stored = memory.remember(
        [
            {"role": "assistant", "content": [edit]},
            {"role": "user", "content": [failed]},
            {"role": "user", "content": [{**failed, "content": ""}]},
            {"role": "assistant", "content": [ran]},
        ]
    )
    assert [episode.text for episode in stored] == [
        "Called editor(command=str_replace, path=/a/tls.conf)",
        "Failed: No match found",
        "Failed",
        "Failed (exit code 2): boom",
    ]
    assert stored[3].role == "tool"


def test_a_name_that_is_no_string_is_refused(memory: bardo.Grimoire) -> None:
    with pytest.raises(InvalidInputError, match="name of a chat message is 5"):
        memory.remember({"role": "user", "name": 5, "content": "hello"})
    assert not memory.remember({"role": "user", "name": None, "content": "hello"}).speaker
