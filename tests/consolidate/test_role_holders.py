"""Holders of roles: a newer holder, or the departure of the known one, ends the statement; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.corrections import corrections
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400_000_000


def clauses_of(text: str) -> list[Clause]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    return [clause for clause in rules.read(Speech(text, "The user", START)) if clause.stated]


def role_of(text: str) -> tuple[str, str, str] | None:
    found = [clause.statement for clause in clauses_of(text) if clause.role and clause.statement is not None]
    return (found[0].subject, found[0].attribute, found[0].value) if found else None


def ends(older: str, newer: str) -> bool:
    """Whether the newer text ends the older one by the rules of roles, in the order in which a pass asks them."""
    least = corrections.limits().ends
    return any(
        corrections.judge(one, other, 0.9).total >= least
        for one in clauses_of(older)
        for other in clauses_of(newer)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The risk manager is Ingrid Vass, her desk phone is 0207 555 0142.",
            ("user risk", "manager", "Ingrid Vass"),
        ),
        ("The head of operations is Dana Reyes.", ("operations", "head", "Dana Reyes")),
        ("The school's headteacher is Ruth Bell.", ("school", "headteacher", "Ruth Bell")),
        ("The owner of the Anchor pub is Sal Dunne.", ("anchor pub", "owner", "Sal Dunne")),
        ("Our landlord is Mr Okafor.", ("user", "landlord", "Mr Okafor")),
        ("The vet is Dr. Maes.", ("user", "vet", "Dr. Maes")),
        ("The scrum master for Falcon is Priya Nair.", ("falcon scrum", "master", "Priya Nair")),
        ("Lucia Prat is now head chef.", ("user head", "chef", "Lucia Prat")),
        ("Tomas Lind took over as head of operations.", ("operations", "head", "Tomas Lind")),
        ("Tomas Lind is the new head of operations.", ("operations", "head", "Tomas Lind")),
        ("The board elected Ann Poole as treasurer.", ("user", "treasurer", "Ann Poole")),
        ("We have a new accountant, Piers Fell.", ("user", "accountant", "Piers Fell")),
        ("We've hired a new cleaner, Rosa.", ("user", "cleaner", "Rosa")),
    ],
)
def test_a_role_with_its_holder_is_a_statement(text: str, expected: tuple[str, str, str]):
    assert role_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The best player is Ada.",
        "The winner is Ada Quill.",
        "My favourite singer is Nina Simone.",
        "Our on-calls are Ada and Ben.",
        "Our managers are Ada and Ben.",
        "One of the managers is Tom.",
        "A manager is Tom.",
        "The other manager is Tom.",
        "The former treasurer is Ann Poole.",
        "My boss was Tom.",
        "My boss used to be Tom.",
        "The treasurer would be Ann Poole if she had time.",
        "Is the treasurer Ann Poole?",
        "My best friend is Tom.",
        "My son is Tom.",
        "The server is Hercules.",
        "The capital is Buenos Aires.",
        "Ann is a manager.",
        "My new address is 4 Elm Row, York.",
        "The restaurant is Casa Lola.",
        "Our newsletter is Daily Ada.",
    ],
)
def test_what_has_several_holders_or_none_now_is_no_role(text: str):
    assert role_of(text) is None


def test_the_text_of_a_role_names_the_office_to_which_it_belongs():
    (clause,) = clauses_of("The manager of the Leeds office is Tom Ash.")
    assert clause.text == "The manager of the Leeds office is Tom Ash"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The risk manager is Ingrid Vass.", "The risk manager is now Joaquim Bettencourt, ext. 0171."),
        ("Our accountant is Una Hale.", "We have a new accountant, Piers Fell."),
        ("The head of operations is Dana Reyes.", "Tomas Lind took over as head of operations."),
        ("The school's headteacher is Ruth Bell.", "Amir Khan is the new headteacher of the school."),
        ("The captain of the second team is Ros.", "The captain of the second team is now Kim."),
        ("The head of operations is Dana Reyes.", "Our new head of operations is Tomas Lind."),
        ("The head of operations is Dana Reyes.", "Dana has left."),
        ("The risk manager is Ingrid Vass.", "Ingrid has left for Rotterdam."),
        ("The risk manager is Ingrid Vass.", "Ingrid Vass left the company in March."),
        ("Our design lead is Jo Finch.", "Jo no longer works here."),
        ("The treasurer is Ann Poole.", "Ann stepped down as treasurer."),
        ("Our accountant is Dana Reyes.", "Dana is no longer our accountant."),
    ],
)
def test_another_holder_or_a_departure_ends_a_role(older: str, newer: str):
    assert ends(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The best player is Tom.", "The best player is Ada."),
        ("The manager of the Leeds office is Tom Ash.", "The manager of the York office is now Ben Shaw."),
        ("The risk manager is Ingrid Vass.", "The finance manager is now Ben Shaw."),
        ("The risk manager is Ingrid Vass.", "A manager is Tom."),
        ("The risk manager is Ingrid Vass.", "The risk manager was Ben Shaw."),
        ("The risk manager is Ingrid Vass.", "The risk manager would be Ben Shaw if he had applied."),
        ("The risk manager is Ingrid Vass.", "Ingrid's desk phone is 0207 555 0142."),
        ("The risk manager is Ingrid Vass.", "Ingrid has left for lunch."),
        ("The risk manager is Ingrid Vass.", "Ingrid left at five."),
        ("The risk manager is Ingrid Vass.", "Ingrid has left her keys on the desk."),
        ("The risk manager is Ingrid Vass.", "Ingrid Vass is also the head of compliance."),
        ("The risk manager is Ingrid Vass.", "Dana has left the company."),
        ("The treasurer is Ann Poole.", "Ann stepped down as captain."),
        ("The risk manager is Ingrid Vass.", "The risk manager is Ingrid."),
        ("The vet is Dr. Maes.", "My brother's vet is Dr. Roe."),
    ],
)
def test_a_role_stays_with_its_holder(older: str, newer: str):
    assert not ends(older, newer)


@pytest.mark.parametrize("learned", [True, False])
def test_a_new_holder_is_known_and_the_old_one_is_history(tmp_path: Path, learned: bool):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1) as memory:
        for text in (
            "The risk manager is Ingrid Vass, her desk phone is 0207 555 0142.",
            "Ingrid has left for Rotterdam. The risk manager is now Joaquim Bettencourt, ext. 0171.",
        ):
            if learned:
                memory.learn(text)
            else:
                memory.remember(text, role="user", kind="turn")
            memory.sleep()
            clock.set(clock.now() + 4 * DAY)
        active = [fact.text for fact in memory.facts.list()]
        assert not any("Ingrid Vass" in text for text in active)
        assert any("Joaquim Bettencourt, ext. 0171" in text for text in active)
