"""Cases that a person allows of what was forbidden; the rest stays forbidden."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts.permissions import permits
from bardo.conduct.match.allowed_cases import is_allowed
from bardo.conduct.parse import action
from bardo.conduct.parse.forbids import Forbids


@pytest.mark.parametrize(
    ("order", "lift", "allowed", "forbidden"),
    [
        ("force pushing is off the table in this org",
         "ok that was too strict. on your own agent/* branches force push as much as you like. shared branches, no",
         "git push --force origin agent/fix-flaky-login", "git push --force origin develop"),
        ("we don't deliver on sundays. drivers have families",
         "drivers voted, for the four sundays of advent they want the extra pay, so deliveries go ahead on those.",
         "Plan delivery 5512 for the second Sunday of Advent", "Plan delivery 5590 for Sunday 18 January"),
        ("Two names I don't want to see in the portfolio: Tesla, and GameStop.",
         "You can scrap the Tesla part, I was angry about something else. GameStop, no change.",
         "Buy 5 shares of Tesla", "Buy 30 shares of GameStop"),
        ("Keep Dr Mbeki's Wednesday afternoons clear.",
         "She says the 14th you may fill, her co-author is ill. Just that one Wednesday.",
         "Book Ms Roth with Dr Mbeki on Wednesday the 14th at 15:00",
         "Book Mr Adair with Dr Mbeki on Wednesday the 21st at 15:00"),
        ("leave the nginx and haproxy configs alone while sam's mid-cutover",
         "sam's through with nginx, so that one's fair game again. haproxy he still has open",
         "Edit nginx.conf: raise client_max_body_size to 20m", "Edit haproxy.cfg: add the new backend server"),
    ],
)  # fmt: skip
def test_a_case_is_allowed_and_the_rest_stays_forbidden(
    tmp_path: Path, order: str, lift: str, allowed: str, forbidden: str
) -> None:
    with bardo.open(tmp_path) as memory:
        for role, text in (("user", order), ("agent", "Ok."), ("user", lift)):
            memory.remember(text, role=role, kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.before(allowed).decision != "block"
        assert gate.before(forbidden).decision == "block"


def test_an_agent_allows_no_case(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember("force pushing is off the table in this org", role="user", kind="turn")
        memory.remember("On agent/* branches it is ok to force push.", role="agent", kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.before("git push --force origin agent/fix").decision == "block"


@pytest.mark.parametrize(
    "text", ["May I force push on agent/* branches?", "The force push was noisy.", "No force pushing."]
)
def test_other_words_permit_nothing(text: str) -> None:
    assert not permits(text)


@pytest.mark.parametrize(
    ("case", "doing", "holds"),
    [
        ("tenant 88 update", "update the plan of tenant 88", True),
        ("tenant 88 update", "update the plan of tenant 91", False),
        ("living room 22", "Set the living room to 22", True),
        ("living room 22", "Set the hallway to 22", False),
        ("lots up to 5", "Hold 4 lots over the weekend", True),
        ("lots up to 5", "Hold 12 lots over the weekend", False),
        ("lots up to 5", "Hold 1,000 lots over the weekend", False),
        ("lots up to 5", "Hold 12 lots at 3.5", False),
        ("lots up to 5", "Hold 4 lots at 32.5 euros", True),
        ("agent/*", "git push --force origin agent/fix", True),
        ("agent/*", "git push --force origin develop", False),
        ("advent", "Plan a delivery for the second Sunday of Advent", True),
        ("vanilla ice cream tub", "Add a bag of gummy bears", False),
    ],
)
def test_a_case_is_met_by_its_figures_and_words(case: str, doing: str, holds: bool) -> None:
    assert is_allowed(Forbids(allowed=(case,)), action.parse(doing)) is holds


def test_only_a_person_adds_an_allowed_case(tmp_path: Path) -> None:
    with bardo.open(tmp_path):
        pass
    with bardo.gate(tmp_path) as gate:
        entry = gate.reject("no force pushing", by="Anna")
        with pytest.raises(bardo.BardoError, match="only a person"):
            gate.correct(entry.id, forbids={"allowed": ["agent/*"]})
        gate.correct(entry.id, forbids={"allowed": ["agent/*"]}, by="Anna")
        assert gate.before("git push --force origin agent/fix").decision != "block"
        assert gate.before("git push --force origin develop").decision == "block"


def test_a_person_allows_no_case_of_what_needs_the_approval_of_another(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_800_000_000_000_000)
    with bardo.open(tmp_path, clock=clock) as memory:
        for speaker, text in (
            ("Ruth", "We don't add new dependencies to courier-api without my OK."),
            ("Ines", "Customer addresses may go to the Bundespost API, the contract is signed."),
        ):
            memory.remember(text, role="user", kind="turn", speaker=speaker)
            memory.sleep()
            clock.advance(3_600)
    with bardo.gate(tmp_path, clock=clock) as gate:
        (entry,) = gate.state("rejected")
        assert (entry.by, entry.forbidden.allowed) == ("Ruth", ())
