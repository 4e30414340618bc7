"""Actions under a gate: a block of code and a decorated function are checked before, and recorded after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

import bardo
from bardo import errors


def test_a_block_is_checked_before_and_recorded_after(gate: bardo.Gate) -> None:
    gate.flows.add("rebalance", ["look", "trade"], triggers=["rebalance the book"])
    with gate.acting("rebalance the book") as verdict:
        assert verdict.flow is not None
        assert gate.outcomes() == []
    with pytest.raises(ZeroDivisionError), gate.acting("rebalance the book"):
        1 / 0  # noqa: B018
    (outcome,) = gate.outcomes()
    assert (outcome.passed, outcome.failed, outcome.note) == (1, 1, "ZeroDivisionError: division by zero")
    assert (gate.flows.get("rebalance").succeeded, gate.flows.get("rebalance").failed) == (1, 1)


def test_a_blocked_block_is_not_run_nor_recorded(gate: bardo.Gate) -> None:
    rejected = gate.reject("short ETH on weekends", by="anna")
    with (
        pytest.raises(errors.ActionBlockedError, match=rejected.id) as caught,
        gate.acting("short ETH on weekends"),
    ):
        pytest.fail("the block was run")
    assert caught.value.verdict.decision == "block"
    assert gate.outcomes() == []


def test_a_function_is_gated_by_its_arguments(gate: bardo.Gate) -> None:
    gate.reject("deploy billing to production", by="anna")
    done = []

    @gate.gated("deploy {service} to {environment}")
    def deploy(service: str, environment: str = "production") -> str:
        """Deploys."""
        done.append((service, environment))
        return service

    assert deploy("search") == "search"
    with pytest.raises(errors.ActionBlockedError):
        deploy("billing")
    assert deploy.__doc__ == "Deploys."
    assert done == [("search", "production")]
    assert [outcome.action for outcome in gate.outcomes()] == ["deploy search to production"]


def test_a_coroutine_function_is_recorded_when_it_ends(gate: bardo.Gate) -> None:
    @gate.gated("fetch {what}")
    async def fetch(what: str) -> str:
        await asyncio.sleep(0)
        assert gate.outcomes() == []
        return what

    assert asyncio.run(fetch("prices")) == "prices"
    assert [outcome.action for outcome in gate.outcomes()] == ["fetch prices"]


def test_functions_that_cannot_be_gated_are_refused(gate: bardo.Gate) -> None:
    with pytest.raises(errors.InvalidInputError, match="generator"):

        @gate.gated("count")
        def count() -> object:
            yield 1

    @gate.gated("deploy {nothing}")
    def deploy(service: str) -> None:
        pytest.fail("the function was run")

    with pytest.raises(errors.InvalidInputError, match="cannot be made"):
        deploy("search")


def test_a_strict_block_is_not_run_after_a_warning(gate: bardo.Gate) -> None:
    gate.reject("short ETH on weekends", by="anna")
    with gate.acting("swap ETH this weekend") as verdict:
        assert verdict.decision == "warn"
    with (
        pytest.raises(errors.ActionBlockedError, match="warned of"),
        gate.acting("swap ETH this weekend", strict=True),
    ):
        pytest.fail("the block was run")


def test_the_error_of_a_blocked_action_says_what_a_person_can_do(gate: bardo.Gate) -> None:
    lifted = gate.reject("short ETH", by="anna")
    gate.rule("Withdrawals need a person", approval="withdraw funds", by="anna")
    forbidden = gate.rule("Never print the seed phrase", forbids="print the seed phrase", by="anna")
    for action, remedy in (
        ("short ETH", f"lifts the rejection: gate.lift('{lifted.id}', by=...)"),
        ("withdraw funds", "approves the action: approved_by=..."),
        ("print the seed phrase", f"retires the rule: gate.retire('{forbidden.id}', by=...)"),
    ):
        with pytest.raises(errors.ActionBlockedError) as raised, gate.acting(action):
            pass
        assert str(raised.value).endswith(remedy)
    with gate.acting("withdraw funds", approved_by="anna"):
        pass
    gate.lift(lifted.id, by="ben")
    with pytest.raises(errors.NotFoundError, match="was lifted already by ben"):
        gate.lift(lifted.id, by="ben")


def test_an_unusable_rejection_is_named_as_the_caller_gave_it(gate: bardo.Gate) -> None:
    with pytest.raises(errors.InvalidInputError, match=r"^what of reject\(\) is None"):
        gate.reject(None)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidInputError, match=r"^why of reject\(\) is 5"):
        gate.reject("short ETH", why=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda gate: gate.rule("Measure", score=True),
        lambda gate: gate.capabilities.add("psql", probe=5),
        lambda gate: gate.capabilities.add("psql", probe=None),
        lambda gate: gate.before("kept already", budget=float("nan")),
        lambda gate: gate.before("kept already", budget=True),
    ],
)
def test_a_value_of_a_similar_type_is_refused(gate: bardo.Gate, call: Callable[[bardo.Gate], object]) -> None:
    with pytest.raises(errors.InvalidInputError):
        call(gate)
    assert (gate.rules(), gate.capabilities.list()) == ([], [])
