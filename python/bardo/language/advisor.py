"""Single access of the stages to a language model: within the daily budget, recorded, without raising errors."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from bardo import config
from bardo._core import count_tokens_batch
from bardo.errors import BardoError, LanguageModelError, MissingPackageError
from bardo.language import structured
from bardo.language.ledger import ANSWERED, OVER_BUDGET, Call, CallType, Ledger, priced
from bardo.ports import LLM, Clock, Completion, Message, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")

#: Approximate number of tokens that a chat template adds per message.
TEMPLATE_TOKENS = 8
#: Maximum number of characters of an invalid answer that are repeated to the model.
SHOWN_ANSWER = 2_000
#: Maximum number of attempts: one more after an answer of the wrong shape.
ASKED = 2
AGAIN = "That was not usable: {problem}. Answer again with the JSON object alone."


@dataclass(frozen=True, slots=True)
class Advice(Generic[Shape]):
    """Result of a question.

    Args:
        value: Parsed answer; None if there is no valid one, and the caller falls back to rules.
        note: Reason for a missing answer, in a sentence.
    """

    value: Shape | None
    note: str = ""


class Purse(Protocol):
    """Budget of the agent, from which calls are paid."""

    def balance(self) -> float:
        """Returns the sum that calls may cost now."""

    def pay(self, cost: float) -> None:
        """Books the cost of a call."""


class Advisor:
    """Queries a model and records each call.

    Args:
        llm: Language model.
        ledger: Ledger of calls.
        settings: Limits and prices.
        clock: Wall clock; the daily budget starts at midnight UTC.
        tick: Function that returns the logical time.
        purse: Budget that pays for calls, besides the limit of tokens; needs a price of the model.
    """

    def __init__(
        self,
        llm: LLM,
        ledger: Ledger,
        settings: config.Llm,
        *,
        clock: Clock,
        tick: Callable[[], int],
        purse: Purse | None = None,
    ) -> None:
        self._llm = llm
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._tick = tick
        self._purse = purse
        self._outage = ""

    def load(self) -> None:
        """Loads the client of the model, if it has to be."""
        if load := getattr(self._llm, "load", None):
            load()

    def begin(self) -> None:
        """Begins a new unit of work, in which a model that failed before is queried again."""
        self._outage = ""

    def ask(self, kind: CallType, messages: Sequence[Message], shape: type[Shape]) -> Advice[Shape]:
        """Queries for a value of a shape; retries once if the answer has another shape.

        After a failure of the model, every further query until `begin` returns the same note.

        Args:
            kind: Purpose of the call.
            messages: Messages of the query; the caller fences memories in them.
            shape: Pydantic model that forbids additional fields.
        """
        told = list(messages)
        problem = ""
        for _ in range(ASKED):
            try:
                completion, call = self._completion(kind, told, shape)
            except BardoError as error:
                self._outage = str(error)
                return Advice(None, self._outage)
            try:
                value = structured.parse(completion.text, shape)
            except structured.NotOfShapeError as error:
                problem = str(error)
                if note := self._enter(call, "invalid"):
                    return Advice(None, note)
                told += [
                    Message("assistant", completion.text[:SHOWN_ANSWER]),
                    Message("user", AGAIN.format(problem=problem)),
                ]
                continue
            if note := self._enter(call, ANSWERED):
                return Advice(None, note)
            return Advice(value)
        return Advice(
            None, f"the language model {self._llm.model!r} answered {ASKED} times with nothing usable"
        )

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimates the tokens of messages; the model's own tokenizer may count slightly differently."""
        return sum(count_tokens_batch([message.content for message in messages])) + TEMPLATE_TOKENS * len(
            messages
        )

    def fits(self, messages: Sequence[Message], shape: type[BaseModel]) -> bool:
        """Whether a query, with its shape described in words, leaves room for the answer."""
        told = Message("system", json.dumps(structured.schema_of(shape)))
        return self.tokens([*messages, told]) <= self._settings.window_tokens - self._settings.answer_tokens

    def _completion(
        self, kind: CallType, messages: Sequence[Message], shape: type[BaseModel]
    ) -> tuple[Completion, Call]:
        """Requests one answer; returns it with its call, which is not recorded yet, unlike a call without an answer.

        Raises:
            LanguageModelError: There is no answer.
            BardoError: The ledger cannot be written, so the budget cannot be enforced.
        """
        if self._outage:
            raise LanguageModelError(self._outage)
        asked = self.tokens(messages)
        self._within_budget(kind, asked)
        started = time.perf_counter()
        try:
            completion = self._llm.complete(
                messages, schema=structured.schema_of(shape), max_tokens=self._settings.answer_tokens
            )
        except LanguageModelError as error:
            self._record(self._call(kind, Usage(asked, 0), started, error.outcome, error.attempts))
            raise
        except MissingPackageError:
            self._record(self._call(kind, Usage(0, 0), started, "absent"))
            raise
        # A custom model may raise any exception; it must not cause the loss of an episode.
        except Exception as error:
            self._record(self._call(kind, Usage(asked, 0), started, "failed"))
            raise LanguageModelError(
                f"the language model {self._llm.model!r} failed with {type(error).__name__}. Memory goes on by rules"
            ) from error
        usage = completion.usage or Usage(asked, sum(count_tokens_batch([completion.text])))
        return completion, self._call(kind, usage, started, ANSWERED, counted=completion.usage is not None)

    def _within_budget(self, kind: CallType, asked: int) -> None:
        spent = self._ledger.tokens_of_day(self._clock.now())
        most = self._settings.daily_tokens
        if spent + asked + self._settings.answer_tokens > most:
            problem = (
                f"{spent} of {most} tokens of the day (UTC) are spent, too many for another call. Memory goes on by "
                "rules until midnight; llm.daily_tokens sets the limit"
            )
        elif self._purse is not None and (cost := self._most_cost(asked)) > (left := self._purse.balance()):
            problem = (
                f"a call may cost {cost:.3g}, and the agent may spend {left:.3g}. Memory goes on by rules"
            )
        else:
            return
        self._record(self._call(kind, Usage(0, 0), time.perf_counter(), OVER_BUDGET, 0))
        raise LanguageModelError(problem, outcome=OVER_BUDGET)

    def _most_cost(self, asked: int) -> float:
        """Returns the maximum cost of a call."""
        settings = self._settings
        return priced(settings.prices, self._llm.model, asked, settings.answer_tokens, 0) or 0.0

    def _record(self, call: Call) -> None:
        """Enters a call in the ledger, and pays for it."""
        self._ledger.enter(call)
        if self._purse is not None and call.cost:
            self._purse.pay(call.cost)

    def _call(
        self,
        kind: CallType,
        usage: Usage,
        started: float,
        outcome: str,
        attempts: int = 1,
        *,
        counted: bool = False,
    ) -> Call:
        tokens = (usage.tokens_in, usage.tokens_out, min(usage.tokens_cached, usage.tokens_in))
        return Call(
            at=self._clock.now(),
            tick=self._tick(),
            type=kind,
            model=self._llm.model,
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            tokens_cached=tokens[2],
            estimated=not counted,
            latency_ms=(time.perf_counter() - started) * 1_000,
            cost=priced(self._settings.prices, self._llm.model, *tokens),
            outcome=outcome,
            attempts=attempts,
        )

    def _enter(self, call: Call, outcome: str) -> str:
        """Records an answered call; returns the error if the ledger cannot be written, since no budget applies then."""
        try:
            self._record(replace(call, outcome=outcome))
        except BardoError as error:
            self._outage = str(error)
        return self._outage
