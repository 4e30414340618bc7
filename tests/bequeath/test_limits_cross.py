"""Limits of prohibitions, rules and approvals cross whole: the heir's gate judges each action as the parent's did."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

import bardo
from bardo.bequeath.testament import testament

UPPER = ("above", "more than", "over", "at least", "exceeding")
LOWER = ("below", "within", "less than")
#: Act with a place for a bound and a figure, the act at a figure, the limit, and figures below and above it.
ACTS = (
    ("hold {} lots of BRENT", "hold {} lots of BRENT", "40", "30", "45"),
    ("size a trade {} percent of equity", "size a trade at {} percent of equity", "5", "3", "8"),
    ("wire {} USD to the broker", "wire {} USD to the broker", "25,000", "9,000", "60,000"),
    ("open {} positions", "open {} positions", "6", "4", "9"),
    ("keep a short open for {} days", "keep a short open for {} days", "3", "2", "5"),
    ("use leverage {}x", "use leverage {}x", "4", "2", "6"),
    ("let the margin fall {} %", "let the margin fall to {} %", "25", "20", "40"),
    ("order {} crates from Lorenz", "order {} crates from Lorenz", "12", "8", "15"),
)
WAYS = ("rejection", "rule", "approval")


def family(bounds: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Forbidden acts with every bound, and these and the same acts on both sides of their limits."""
    acts = [act.format(f"{bound} {limit}") for (act, _, limit, *_), bound in itertools.product(ACTS, bounds)]
    return acts, [*acts, *(done.format(figure) for _, done, _, *sides in ACTS for figure in sides)]


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_700_000_000_000_000)


def gate_of(path: Path, clock: bardo.ManualClock) -> bardo.Gate:
    return bardo.gate(path, clock=clock, words_only=True)


def descend(folder: Path, parent: str, heir: str, clock: bardo.ManualClock) -> testament.Testament:
    file = folder / f"{parent}.testament"
    with bardo.open(folder / parent, clock=clock) as agent:
        agent.bequeath(file)
    bardo.inherit(file, folder / heir, clock=clock).close()
    return testament.read(file)


def decisions(path: Path, clock: bardo.ManualClock, actions: list[str]) -> dict[str, str]:
    with gate_of(path, clock) as gate:
        return {action: gate.before(action).decision for action in actions}


def forbid(gate: bardo.Gate, way: str, act: str) -> None:
    if way == "rejection":
        gate.reject(act, by="Ines")
    elif way == "rule":
        gate.rule(f"never {act}", by="Ines", forbids=act)
    else:
        gate.rule(f"Ines approves it if we {act}", by="Ines", approval=act)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bounds", [UPPER, LOWER], ids=["upper", "lower"])
def test_an_heir_judges_actions_on_both_sides_of_a_limit_as_its_parent_did(tmp_path, clock, bounds, way):
    acts, actions = family(bounds)
    with bardo.open(tmp_path / "ann", clock=clock), gate_of(tmp_path / "ann", clock) as gate:
        for act in acts:
            forbid(gate, way, act)
    told = decisions(tmp_path / "ann", clock, actions)
    assert {told[act] for act in acts} == {"block"}
    assert len(set(told.values())) > 1
    descend(tmp_path, "ann", "ben", clock)
    assert decisions(tmp_path / "ben", clock, actions) == told


def test_a_limit_holds_in_the_third_generation(tmp_path, clock):
    acts, actions = family(("more than",))
    with bardo.open(tmp_path / "ann", clock=clock), gate_of(tmp_path / "ann", clock) as gate:
        for way, act in zip(itertools.cycle(WAYS), acts, strict=False):
            forbid(gate, way, act)
    told = decisions(tmp_path / "ann", clock, actions)
    assert {told[act] for act in acts} == {"block"}
    descend(tmp_path, "ann", "ben", clock)
    descend(tmp_path, "ben", "cat", clock)
    assert decisions(tmp_path / "cat", clock, actions) == told


def test_what_a_person_corrected_of_a_limit_and_a_flow_with_approval_cross_whole(tmp_path, clock):
    actions = ["buy 45 lots of WTI", "buy 30 lots of WTI", "withdraw 60,000 USD", "withdraw 9,000 USD"]
    with bardo.open(tmp_path / "ann", clock=clock), gate_of(tmp_path / "ann", clock) as gate:
        entry = gate.reject("large orders", by="Ines", why="above 40 lots the broker calls margin")
        gate.correct(entry.id, forbids={"things": ["lots"], "conditions": ["above 40"]}, by="Ines")
        gate.flows.add(
            "withdraw more than 50,000 USD", ["ask Ines", "sign"], triggers=["withdraw more than 50,000 USD"],
            needs_approval=True, by="Ines",
        )  # fmt: skip
    told = decisions(tmp_path / "ann", clock, actions)
    left = descend(tmp_path, "ann", "ben", clock)
    assert decisions(tmp_path / "ben", clock, actions) == told
    assert {one.kind: (one.text, one.detail, one.triggers) for one in left.conduct} == {
        "rejected": ("large orders", "above 40 lots the broker calls margin", ()),
        "flow": (
            "withdraw more than 50,000 USD",
            left.conduct[1].detail,
            ("withdraw more than 50,000 USD",),
        ),
    }


def test_recall_of_an_heir_tells_the_limit_of_a_rejection(tmp_path, clock):
    with bardo.open(tmp_path / "ann", clock=clock), gate_of(tmp_path / "ann", clock) as gate:
        gate.reject("hold more than 40 lots of BRENT", by="Ines")
    descend(tmp_path, "ann", "ben", clock)
    with bardo.open(tmp_path / "ben", clock=clock) as heir:
        assert "hold more than 40 lots of BRENT" in heir.recall("BRENT lots").memories[0].text


#: Sentence of a life, and the figures that must not cross.
PRIVATE = (
    ("We hold 37 lots of BRENT", ["37"]),
    ("We are long 36 lots against the position limit of 40 lots", ["36"]),
    ("The roll made us 18,450 USD", ["18,450"]),
    ("We lost 4,230 USD on the gap", ["4,230"]),
    ("Our balance is 91,260 USD", ["91,260"]),
    ("We enter when the z-score is above 1.83 and exit at 0.41", ["1.83", "0.41"]),
    ("Our stop is 2.35 ATR and our lookback 34 bars", ["2.35", "34"]),
    ("We short when funding is above 0.0457", ["0.0457"]),
    ("The door code of the desk is 7731", ["7731"]),
)


def everything(file: Path) -> str:
    """All texts of a testament."""
    left = testament.read(file)
    told = [
        left.markdown,
        left.reflection,
        *(f"{one.text} {one.payload} {one.statement}" for one in left.facts),
    ]
    told += [f"{one.text} {one.payload}" for one in left.episodes]
    told += [f"{one.text} {one.detail} {one.forbids}" for one in (*left.conduct, *left.ended)]
    return "\n".join([*told, *left.questions])


def test_holdings_results_tuned_parameters_and_secrets_do_not_cross(tmp_path, clock):
    with bardo.open(tmp_path / "ann", clock=clock) as agent, gate_of(tmp_path / "ann", clock) as gate:
        for place, (text, _) in enumerate(PRIVATE):
            name = "abcdefghij"[place]
            agent.remember(text, role="user", kind="turn", speaker="Ines", verified=True, importance=0.9)
            agent.learn(f"{text}, as of today", confidence=0.95)
            gate.note("discovery", f"Noted on {name}: {text}")
            gate.note("decision", f"Decided on {name}: {text}")
            gate.rule(f"Look at the book {name}. {text}", by="Ines", forbids=f"skip the book {name}")
            gate.reject(f"trade the pair {name}; {text[0].lower()}{text[1:]}", by="Ines", why=text)
        gate.rule(
            "We hold 37 lots, so never hold more than 40 lots", by="Ines", forbids="hold more than 40 lots"
        )
        agent.bequeath(tmp_path / "ann.testament")
    told = everything(tmp_path / "ann.testament")
    crossed = {
        figure: re.findall(rf".*(?<![\w.,]){re.escape(figure)}(?![\w]|[.,]\d).*", told)
        for _, gone in PRIVATE
        for figure in gone
    }
    assert {figure: lines for figure, lines in crossed.items() if lines} == {}
    assert "never hold more than 40 lots" in told
