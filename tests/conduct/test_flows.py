"""Flows: found by their triggers, counted, versioned, flagged, and blocked without the approval that they need."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo import errors
from bardo.conduct.model.procedures import Flow, wilson
from bardo.ports import ManualClock

DAY = 86_400
STEPS = ["run make check", "tag the commit", "push the tag"]


def release(gate: bardo.Gate, **fields: object) -> Flow:
    return gate.flows.add("release", STEPS, triggers=["deploy to production"], **fields)  # type: ignore[arg-type]


def test_before_tells_the_flow_that_is_meant_for_an_action(gate: bardo.Gate) -> None:
    flow = release(gate)
    gate.flows.add("restore a backup", ["stop the writer", "copy the files"])
    verdict = gate.before("Deploy the API to production")
    assert (verdict.flow, verdict.decision) == (flow, "allow")
    assert "1. run make check 2. tag the commit 3. push the tag" in verdict.brief
    assert "no results yet" in verdict.text
    assert gate.before("water the tomatoes").flow is None
    assert [each.name for each in gate.flows.find("restore the backup of Monday")] == ["restore a backup"]


def test_a_flow_is_found_by_meaning(home: Path, clock: ManualClock, minilm: object) -> None:
    with bardo.gate(home, clock=clock, embedder=minilm) as gate:
        flow = gate.flows.add("on-call handover", ["write the notes"], triggers=["hand over the pager"])
        assert gate.flows.find("give the pager duty to my colleague")[0] == flow
        assert gate.flows.find("buy oat milk and bread") == []


def test_a_flow_that_needs_approval_blocks_its_trigger_until_a_person_approves(gate: bardo.Gate) -> None:
    flow = release(gate, needs_approval=True, by="anna")
    verdict = gate.before("deploy to production")
    assert (verdict.decision, verdict.findings[0].reason, verdict.findings[0].id) == (
        "block",
        "flow",
        flow.id,
    )
    assert gate.before("deploy to production", approved_by="anna").decision == "allow"
    for other in ("deploy to staging", "kubectl apply -f staging.yaml", "terraform apply"):
        assert gate.before(other).decision != "block"


def test_only_a_person_changes_or_retires_a_flow_that_needs_approval(gate: bardo.Gate) -> None:
    release(gate, needs_approval=True, by="anna")
    for change in (
        lambda: gate.flows.add("release", ["push at once"]),
        lambda: gate.flows.add("release", STEPS, needs_approval=False),
        lambda: gate.flows.add("release", STEPS, triggers=["nothing at all"]),
        lambda: gate.flows.retire("release"),
    ):
        with pytest.raises(errors.InvalidInputError, match="only a person"):
            change()
    assert gate.flows.add("release", STEPS, needs_approval=False, by="anna").needs_approval is False
    assert gate.flows.retire("release").retired_by == "trader"


def test_after_counts_a_result_of_the_equal_flow_and_of_the_named_one(gate: bardo.Gate) -> None:
    release(gate)
    told = gate.after("deploy to production", passed=True)
    assert told.flow is not None
    assert (told.flow.succeeded, told.flow.failed) == (1, 0)
    assert gate.after("deploy docs to production and mail the team", passed=False).flow is not None
    assert gate.after("look at the production logs", passed=True).flow is None
    named = gate.after("ship it", passed=False, flow="Release").flow
    assert named is not None
    assert gate.flows.get("release") == named
    assert (named.used, named.effectiveness) == (named.succeeded + named.failed, named.succeeded / named.used)
    with pytest.raises(errors.NotFoundError, match="'release'"):
        gate.after("ship it", passed=True, flow="relase")


def test_other_steps_make_a_version_with_a_count_of_its_own(gate: bardo.Gate) -> None:
    first = release(gate)
    assert release(gate) == first
    gate.flows.record("release", passed=False)
    second = gate.flows.add("release", [*STEPS, "watch the graphs"])
    assert (second.id, second.version, second.used, second.triggers) == (first.id, 2, 0, first.triggers)
    wider = gate.flows.add("release", second.steps, triggers=["publish a release"])
    assert (wider.version, wider.triggers) == (2, ("publish a release",))
    assert [(each.version, each.failed) for each in gate.history(first.id)] == [(1, 1), (2, 0), (2, 0)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("passed", "failed", "flag"),
    [
        (5, 0, ""),
        (72, 0, ""),
        (73, 0, "trusted"),
        (0, 4, ""),
        (0, 5, "rewrite"),
        (1, 4, "rewrite"),
        (2, 3, ""),
    ],
)
def test_flags_follow_the_results(passed: int, failed: int, flag: str) -> None:
    assert Flow("f1", "release", succeeded=passed, failed=failed).flag_at(0) == flag


def test_an_unused_flow_is_flagged_for_retirement(gate: bardo.Gate, clock: ManualClock) -> None:
    flow = release(gate)
    assert flow.flag_at(gate.now) == ""
    clock.advance(30 * DAY)
    assert flow.flag_at(gate.now) == "retire"
    assert gate.flows.record("release", passed=True).flag_at(gate.now) == ""


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_wilson_interval_holds_the_share_and_narrows(passed: int, failed: int) -> None:
    results = passed + failed
    low, high = wilson(passed, results)
    assert 0 <= low <= high <= 1
    if results:
        assert low <= passed / results <= high
        again = wilson(4 * passed, 4 * results)
        assert again[1] - again[0] < high - low
    # Both ends are solutions of Wilson's equation (p - share)^2 = z^2 p (1 - p) / n.
    for end in (low, high):
        if results and 0 < end < 1:
            assert (end - passed / results) ** 2 == pytest.approx(
                1.959964**2 * end * (1 - end) / results, abs=1e-9
            )


def test_a_retired_flow_is_out_of_the_way(gate: bardo.Gate) -> None:
    flow = release(gate)
    gate.flows.retire(flow.id, why="replaced by a button")
    assert gate.before("deploy to production").flow is None
    assert gate.flows.list() == []
    assert [each.retired_why for each in gate.flows.list(every=True)] == ["replaced by a button"]
    with pytest.raises(errors.NotFoundError, match="retired already"):
        gate.flows.record(flow.id, passed=True)
    assert release(gate).id == "f2"


def test_a_flow_without_steps_or_with_other_types_is_refused(gate: bardo.Gate) -> None:
    for steps in ([], [""], ["run", " "]):
        with pytest.raises(errors.InvalidInputError, match="at least one step"):
            gate.flows.add("release", steps)
    with pytest.raises(errors.InvalidInputError, match="no string"):
        gate.flows.add("release", ["run", 3])  # type: ignore[list-item]
    with pytest.raises(errors.InvalidInputError, match="too long"):
        gate.flows.add("release", ["x" * 2_001])
    with pytest.raises(errors.NotFoundError, match="There are none yet"):
        gate.flows.get("release")


def test_an_episode_does_not_take_over_a_flow(gate: bardo.Gate) -> None:
    release(gate)
    with pytest.raises(errors.InvalidInputError, match="another name"):
        gate.flows.add("release", ["heard of in a chat"], episode="e" * 26)
