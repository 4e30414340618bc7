"""Client of a language model at any OpenAI-compatible address, based on the official package.

The answer is read under limits of size and time, since a server is not trusted. Every failure of the server raises a
`LanguageModelError` with the cause.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from bardo import config
from bardo._cached_property import locked_cached_property
from bardo.errors import LanguageModelError, MissingPackageError
from bardo.ports import Completion, Message, Usage

if TYPE_CHECKING:
    import openai

#: Maximum size of one answer in bytes: a thousand times the requested size.
LARGEST_ANSWER = 4 * 1024 * 1024
#: Default wait before the second attempt in seconds; doubles with each attempt.
FIRST_WAIT_SECONDS = 0.5
#: HTTP statuses for an unsupported answer format; llama.cpp's server returns 500.
REFUSES_FORM = frozenset({400, 404, 415, 422, 500, 501})
#: HTTP statuses of temporary failures.
PASSING = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
#: Ways to request JSON, the strictest first: OpenAI's schema, llama.cpp's and others' schema, words alone.
FORMS = ("json_schema", "json_object", "words")
#: Parameters that some models refuse; omitted after a refusal.
OPTIONAL = {"temperature": 0.0, "seed": 0}


class OpenAIClient:
    """Language model served over HTTP.

    Args:
        settings: Address, model name and timeouts.
        wait: Function that sleeps for a number of seconds.
    """

    def __init__(self, settings: config.Llm, *, wait: Callable[[float], object] = time.sleep) -> None:
        self._settings = settings
        self._wait = wait
        #: Index in FORMS of the last form that the server accepted.
        self._form = 0
        self._limit = "max_tokens"
        self._extras: dict[str, Any] = dict(OPTIONAL)

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._settings.model

    def load(self) -> None:
        """Loads the package of the client, which takes a second or two; no time limit of a query should count it."""
        # The query itself reports a missing package or key.
        with suppress(MissingPackageError, LanguageModelError):
            _ = self._client

    @locked_cached_property
    def _client(self) -> openai.OpenAI:
        """Creates the official client without its retries, since ours are bounded in time."""
        try:
            import openai
        except ImportError as error:
            raise MissingPackageError(
                f"the language model {self.model!r} needs the package openai. "
                "Install it with: pip install 'bardo[llm]'"
            ) from error
        settings = self._settings
        key = os.environ.get(settings.api_key_env, "") if settings.api_key_env else ""
        if not key and not settings.base_url:
            raise LanguageModelError(
                f"there is no key in the environment variable {settings.api_key_env!r}. "
                "Set it, or name a server of your own in llm.base_url",
                outcome="refused",
            )
        return openai.OpenAI(
            # A local server needs no key, but the client requires one.
            api_key=key or "none",
            base_url=settings.base_url or None,
            timeout=settings.timeout_seconds,
            max_retries=0,
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """Sends a request, retries after temporary failures, and reads the answer; see `bardo.ports.LLM`.

        Raises:
            LanguageModelError: There is no answer; `outcome` names the cause.
            MissingPackageError: The package openai is not installed.
        """
        attempts = 0
        tries = 0
        form = self._form if schema else len(FORMS) - 1
        while True:
            attempts += 1
            try:
                completion = self._once(self._request(messages, schema, FORMS[form], max_tokens))
            except _RefusedError as refused:
                if self._without(refused):
                    continue
                if refused.status in REFUSES_FORM and form + 1 < len(FORMS):
                    form += 1
                    continue
                delay = self._delay(refused, tries)
                if delay is None:
                    raise refused.as_error(self.model, attempts) from refused.__cause__
                tries += 1
                self._wait(delay)
                continue
            if schema:
                self._form = form
            return completion

    def _request(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        form: str,
        max_tokens: int | None,
    ) -> dict[str, Any]:
        told = [{"role": message.role, "content": message.content} for message in messages]
        request: dict[str, Any] = {"model": self.model, "messages": told, **self._extras}
        if max_tokens:
            request[self._limit] = max_tokens
        if schema is None:
            return request
        if form == "json_schema":
            named = {"name": str(schema.get("title", "answer")), "schema": dict(schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        elif form == "json_object":
            request["response_format"] = {"type": "json_object", "schema": dict(schema)}
        else:
            text = "Answer with one JSON object and nothing else. It must fit this JSON schema:\n"
            told[0] = told[0] | {"content": f"{told[0]['content']}\n\n{text}{json.dumps(schema)}"}
        return request

    def _once(self, request: Mapping[str, Any]) -> Completion:
        """Sends one request and reads the whole answer within the limits."""
        client = self._client
        import openai

        try:
            with client.chat.completions.with_streaming_response.create(**request) as response:
                body = self._read(response.iter_bytes())
        except openai.APITimeoutError as error:
            raise _RefusedError("timeout", "it did not answer in time") from error
        except openai.APIStatusError as error:
            raise _RefusedError.by_status(error) from error
        except openai.OpenAIError as error:
            raise _RefusedError(
                "unreachable", f"it cannot be reached ({_cause(error)})", passing=True
            ) from error
        return _completion(body)

    def _read(self, chunks: Any) -> bytes:
        deadline = time.monotonic() + self._settings.timeout_seconds
        body = bytearray()
        try:
            for chunk in chunks:
                body += chunk
                if len(body) > LARGEST_ANSWER:
                    raise _RefusedError("oversized", f"its answer is over {LARGEST_ANSWER} bytes")
                if time.monotonic() > deadline:
                    raise _RefusedError("timeout", "its answer did not end in time")
        except _RefusedError:
            raise
        # The HTTP library, and so its exceptions, depends on the version of the client.
        except Exception as error:
            outcome = "timeout" if "timeout" in type(error).__name__.lower() else "unreachable"
            raise _RefusedError(outcome, f"its answer broke off ({_cause(error)})") from error
        return bytes(body)

    def _delay(self, refused: _RefusedError, tries: int) -> float | None:
        """Returns the seconds to wait before the next attempt; None if there is none."""
        if not refused.passing or tries >= self._settings.retries:
            return None
        delay = FIRST_WAIT_SECONDS * 2**tries if refused.after is None else refused.after
        return delay if delay <= self._settings.timeout_seconds else None

    def _without(self, refused: _RefusedError) -> bool:
        """Omits or renames a parameter that the model refuses; returns whether there was one."""
        if refused.parameter == "max_tokens" and self._limit == "max_tokens":
            self._limit = "max_completion_tokens"
            return True
        return self._extras.pop(refused.parameter, None) is not None


class _RefusedError(Exception):
    """Failed attempt."""

    def __init__(self, outcome: str, told: str, *, passing: bool = False) -> None:
        super().__init__(told)
        self.outcome = outcome
        self.passing = passing
        self.status = 0
        self.parameter = ""
        self.after: float | None = None

    @classmethod
    def by_status(cls, error: openai.APIStatusError) -> _RefusedError:
        """Describes an HTTP status, without the server's message, which may repeat the prompt."""
        status = error.status_code
        if status in (401, 403):
            told = f"it answered {status}: the key is missing or not valid. Look at llm.api_key_env"
            refused = cls("refused", told)
        else:
            outcome = "busy" if status == 429 else "failed"
            refused = cls(outcome, f"it answered {status}", passing=status in PASSING)
        refused.status = status
        refused.parameter = str(getattr(error, "param", None) or "")
        refused.after = retry_after(error.response.headers)
        return refused

    def as_error(self, model: str, attempts: int) -> LanguageModelError:
        """Converts to the public error."""
        tried = f" after {attempts} attempts" if attempts > 1 else ""
        return LanguageModelError(
            f"the language model {model!r} gave no answer{tried}: {self}. Memory goes on by rules",
            outcome=self.outcome,
            attempts=attempts,
        )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Parses either form of `Retry-After` into seconds; None if the header is absent."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _completion(body: bytes) -> Completion:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _RefusedError("garbage", "its answer is not JSON") from error
    try:
        content = answer["choices"][0]["message"]["content"]
    except (LookupError, TypeError) as error:
        raise _RefusedError("empty", "its answer holds no message") from error
    if not isinstance(content, str) or not content.strip():
        raise _RefusedError("empty", "its answer is empty")
    return Completion(content, _usage(answer.get("usage")))


def _usage(told: object) -> Usage | None:
    if not isinstance(told, Mapping):
        return None
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    numbers = [told.get("prompt_tokens"), told.get("completion_tokens"), cached or 0]
    counted = [number for number in numbers if isinstance(number, int) and 0 <= number < 2**40]
    return Usage(*counted) if len(counted) == len(numbers) else None


def _cause(error: BaseException) -> str:
    return type(error.__cause__ or error).__name__
