"""The client of a language model, against a real server that does what servers do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from serving import MISBEHAVIOURS, Misbehaviour, fails, says, serving

from bardo import config
from bardo.errors import LanguageModelError, MissingPackageError
from bardo.language import structured
from bardo.language.client import OpenAIClient, retry_after
from bardo.ports import Message

QUESTION = [Message("system", "Find facts."), Message("user", "I live in Bern.")]


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=80)


class Found(BaseModel):
    model_config = ConfigDict(extra="forbid")

    facts: list[Item] = Field(max_length=3)


SCHEMA = structured.schema_of(Found)


def client(
    url: str, waited: Callable[[float], object] = lambda seconds: None, **settings: Any
) -> OpenAIClient:
    return OpenAIClient(config.Llm(model="m", base_url=url, **settings), wait=waited)


def test_an_answer_comes_with_the_tokens_that_the_server_counted():
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    with serving(says({"facts": []}, usage)) as server:
        answer = client(server.url).complete(QUESTION, schema=SCHEMA, max_tokens=50)
    assert json.loads(answer.text) == {"facts": []}
    assert answer.usage is not None
    assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.tokens_cached) == (12, 3, 8)
    assert server.requests[0]["max_tokens"] == 50
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": -4, "completion_tokens": 2}, {"prompt_tokens": "many"}]
)
def test_tokens_that_the_server_does_not_count_sensibly_are_not_known(usage: dict[str, Any] | None):
    with serving(says("yes", usage)) as server:
        assert client(server.url).complete(QUESTION).usage is None


@pytest.mark.parametrize("status", [400, 500])
def test_a_server_that_refuses_schemas_is_asked_in_the_next_form_and_remembered(status: int):
    with serving(fails(status), fails(status), says({"facts": []})) as server:
        asking = client(server.url)
        asking.complete(QUESTION, schema=SCHEMA)
        asking.complete(QUESTION, schema=SCHEMA)
    forms = [request.get("response_format", {}).get("type", "words") for request in server.requests]
    assert forms == ["json_schema", "json_object", "words", "words"]
    # In words the schema stands in the prompt.
    assert json.dumps(SCHEMA) in server.requests[2]["messages"][0]["content"]
    assert json.dumps(SCHEMA) not in server.requests[0]["messages"][0]["content"]


def test_a_parameter_that_a_model_refuses_is_renamed_or_left_out():
    def refusal(name: str) -> bytes:
        return json.dumps({"error": {"message": "unsupported", "param": name}}).encode()

    with serving(
        fails(400, refusal("max_tokens")), fails(400, refusal("temperature")), says({"facts": []})
    ) as server:
        client(server.url).complete(QUESTION, schema=SCHEMA, max_tokens=9)
    assert server.requests[2]["max_completion_tokens"] == 9
    assert "temperature" not in server.requests[2]
    assert server.requests[2]["response_format"]["type"] == "json_schema"


def test_a_busy_server_is_asked_again_after_as_long_as_it_says():
    waited: list[float] = []
    with serving(fails(429, retry_after="7"), fails(429), says("yes")) as server:
        client(server.url, waited.append).complete(QUESTION)
    assert waited == [7.0, 1.0]


def test_a_server_that_asks_for_a_day_of_patience_is_given_up_at_once():
    waited: list[float] = []
    with serving(fails(429, retry_after="86400")) as server, pytest.raises(LanguageModelError) as error:
        client(server.url, waited.append).complete(QUESTION)
    assert error.value.outcome == "busy"
    assert waited == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("", None), ("3", 3.0), ("-3", 0.0), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_both_forms_of_retry_after_are_read(text: str, seconds: float | None):
    assert retry_after({"retry-after": text}) == seconds


@pytest.mark.parametrize(
    "bad", [bad for bad in MISBEHAVIOURS if bad.outcome != "invalid"], ids=lambda bad: bad.name
)
def test_every_fault_of_a_server_is_one_error_that_describes_it(bad: Misbehaviour):
    started = time.monotonic()
    with serving(*bad.behaviours) as server, pytest.raises(LanguageModelError) as error:
        client(server.url, **bad.settings).complete(QUESTION, schema=SCHEMA)
    assert error.value.outcome == bad.outcome
    assert "goes on by rules" in str(error.value)
    assert time.monotonic() - started < 8  # a server that trickles takes ten


def test_an_address_without_a_server_is_an_error_after_a_few_attempts():
    with serving(says("yes")) as server:
        url = server.url
    with pytest.raises(LanguageModelError, match="cannot be reached") as error:
        client(url).complete(QUESTION)
    assert (error.value.outcome, error.value.attempts) == ("unreachable", 3)


def test_without_a_key_and_an_address_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(LanguageModelError, match=r"NO_SUCH_KEY.*llm\.base_url"):
        client("", api_key_env="NO_SUCH_KEY").complete(QUESTION)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingPackageError, match=r"bardo\[llm\]"):
        client("http://127.0.0.1:9/v1").complete(QUESTION)


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": [{"text": "a"}]}',
        'Here:\n```json\n{"facts": [{"text": "a"}]}\n```',
        ' {"facts":[{"text":"a"}]}',
    ],
)
def test_an_answer_is_read_with_any_text_around_it(text: str):
    assert structured.parse(text, Found) == Found(facts=[Item(text="a")])


@pytest.mark.parametrize(
    "text",
    [
        "", "none", "{", "}{", '{"facts": []} and {}', '{"facts": null}', '{"facts": [{"text": 1}]}', '{"more": 1}',
        '{"facts": [], "more": 1}', json.dumps({"facts": [{"text": "x" * 81}]}),
        json.dumps({"facts": [{"text": "x"}] * 4}),
        '{"facts": [{"text": "\\ud800"}]}', "{" * 100_000 + "}" * 100_000,
    ],
)  # fmt: skip
def test_an_answer_of_another_shape_is_refused_and_not_repeated_in_the_error(text: str):
    with pytest.raises(structured.NotOfShapeError) as error:
        structured.parse(text, Found)
    assert len(str(error.value)) < 600
    assert "x" * 81 not in str(error.value)


def test_a_schema_has_every_part_in_its_place():
    assert "$ref" not in json.dumps(SCHEMA)
    assert SCHEMA["properties"]["facts"]["items"]["properties"]["text"]["maxLength"] == 80
