"""Conversion of tool calls and results outside of a message to chat messages: of OpenAI's Responses API, Codex, MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bardo.capture.tool_calls import CALL_ITEMS
from bardo.capture.tool_results import RESULT_ITEMS


def message_of(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the chat message of an item that is none itself; None if it is no call, result or reasoning.

    Args:
        item: Item of the Responses API (`function_call`, `function_call_output`, `reasoning`, ...), or message of MCP
            (`tools/call`, its result or its error).
    """
    if "role" in item:
        return None
    kind = item.get("type")
    if kind in CALL_ITEMS:
        return {"role": "assistant", "content": [dict(item)]}
    if kind in RESULT_ITEMS:
        return {"role": "tool", "content": [dict(item)]}
    if kind == "reasoning" and isinstance(item.get("summary"), list):
        # The reasoning itself is encrypted; it may have no summary.
        return {"role": "assistant", "content": list(item["summary"])}
    return _of_json_rpc(item) if "jsonrpc" in item else None


def _of_json_rpc(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the chat message of a call of a tool by MCP, or of its answer."""
    given, result, error = (item.get(key) for key in ("params", "result", "error"))
    if item.get("method") == "tools/call" and isinstance(given, Mapping):
        call = {"type": "tool_call", "id": item.get("id"), "name": given.get("name")}
        return {"role": "assistant", "content": [{**call, "arguments": given.get("arguments")}]}
    answer = {"type": "tool_result", "tool_use_id": item.get("id")}
    if isinstance(error, Mapping):
        answer |= {"content": str(error.get("message", "")), "is_error": True}
    elif isinstance(result, Mapping) and result.keys() & {"content", "structuredContent"}:
        structured = result.get("structuredContent")
        content = result.get("content") or (
            [json.dumps(structured, ensure_ascii=False)] if structured else []
        )
        answer |= {"content": content, "is_error": bool(result.get("isError"))}
    else:
        return None
    return {"role": "tool", "content": [answer]}
