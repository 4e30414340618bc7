"""Orders that a team gives as a statement, lists of orders, and reports in the same form."""

from __future__ import annotations

import pytest

from bardo.conduct.hearing.orders.approvals import approval_of, approver_in, is_approved
from bardo.conduct.hearing.orders.standing import is_standing
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.state.prohibition import forbidden_act, is_prohibition


@pytest.mark.parametrize(
    "text",
    [
        "We don't add moment.js, use date-fns.",
        "We don't commit to main directly.",
        "We do not vendor third-party code.",
        "We're not going to add GraphQL, REST is enough for one web app.",
        "We don't use Celery in this repo.",
        "No production deploys until 24 August.",
        "No merges to main until the audit is over.",
        "No pandas in the scripts.",
        "Please no jQuery in the frontend.",
        "And no `any` in TypeScript, the compiler can't help us then.",
        "No pytest-xdist then, until every test has a schema of its own.",
        "jQuery is banned here.",
        "Direct writes to the ledger table are prohibited.",
        "TODO comments are not allowed in this repo.",
        "Tests must not call the real payment provider.",
        "The nightly job must not touch the orders table.",
        "Secrets never go into the repo.",
        "Stay away from migrations/ for now, Jonas is in there.",
        "Keep clear of the payments module for now.",
        "One more: don't log request bodies anywhere",
        "Summer freeze: no production deploys until 24 August.",
        "Lastly: never drop tables by hand.",
    ],
)
def test_an_order_in_the_form_of_a_statement_is_a_standing_prohibition(text: str) -> None:
    assert is_prohibition(text)
    assert is_standing(text)
    assert forbidden_act(text)


@pytest.mark.parametrize(
    "text",
    [
        "We don't have a lift.",
        "We don't eat late.",
        "We don't even use nginx, we use Caddy.",
        "We don't deploy much in August.",
        "We don't merge as often as we used to.",
        "We don't merge companies every day.",
        "No news yet.",
        "No problem with the importer in staging.",
        "No errors in the log.",
        "No luck with pandas in the scripts.",
        "No changes in the scripts.",
        "No message from the server.",
        "No comments on the PR.",
        "No milk in the fridge.",
        "No release notes until Friday, I guess.",
        "No deliveries until Monday.",
        "No deploys since Tuesday.",
        "No tests in the repo yet.",
        "Alcohol is banned at my sister's school.",
        "Dogs are not allowed on the beach.",
        "Smoking was banned in pubs in 2007.",
        "It must not have been easy.",
        "The meetings never go into detail.",
        "Prices never go down.",
        "Stay away from me.",
        "I stay away from gluten.",
        "One more: the worker listens on 7431.",
        "Two things from ops: the volume is full, the queue is empty.",
    ],
)
def test_a_report_in_the_form_of_an_order_is_none(text: str) -> None:
    assert not any(each.is_prohibition for each in utterances(text))


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        (
            "Three rules: no force-push to main, no console.log in the web app, no wildcard imports.",
            ["no force-push to main", "no console.log in the web app", "no wildcard imports."],
        ),
        (
            "Two things from ops: never delete volumes on staging, no `docker compose down -v`.",
            ["never delete volumes on staging", "no `docker compose down -v`."],
        ),
        (
            "House rules: no shoes in the living room, never feed the dog at the table.",
            ["no shoes in the living room", "never feed the dog at the table."],
        ),
        (
            "Tests must not call the real provider, never use Stripe live keys in tests.",
            ["Tests must not call the real provider", "never use Stripe live keys in tests."],
        ),
    ],
)
def test_each_part_of_a_list_of_orders_is_an_order(text: str, orders: list[str]) -> None:
    heard = utterances(text)
    assert [each.text for each in heard] == orders
    assert all(each.is_prohibition for each in heard)


@pytest.mark.parametrize(
    "text",
    [
        "Don't deploy on Fridays, no exceptions.",
        "We don't add moment.js, use date-fns.",
        "Never mind, no problem.",
    ],
)
def test_emphasis_and_a_substitute_are_no_orders_of_a_list(text: str) -> None:
    assert len(utterances(text)) == 1


def test_what_is_forbidden_comes_from_the_clause_that_forbids() -> None:
    asked = propose("Good. The web team asks for GraphQL. We're not going to add GraphQL")
    assert asked.things == ("GraphQL",)
    assert propose("moving from Kubernetes to Nomad").things == ("Nomad",)
    assert propose("adding moment.js").packages == ("moment",)
    assert propose("don't put customer names into log lines") == propose("don't log customer names")
    assert propose("no `any` in TypeScript").packages == ()
    assert (
        propose("never delete volumes on staging or production").conditions[0] == "in production or staging"
    )


@pytest.mark.parametrize(
    ("rule", "act", "person"),
    [
        ("Nobody restarts the primary without Sana.", "restart the primary", "Sana"),
        ("No one pushes to production without asking Ben.", "push to production", "Ben"),
        ("Nobody deletes a bucket without Ada's approval.", "delete a bucket", "Ada"),
        ("Deploys to production need Maren's OK.", "Deploys to production", "Maren"),
        ("Deploys to production must be approved by Lena.", "Deploys to production", "Lena"),
        ("Deploys to production need my OK.", "Deploys to production", ""),
    ],
)
def test_an_approval_is_of_the_person_whom_the_rule_names(rule: str, act: str, person: str) -> None:
    assert approval_of(rule) == act
    assert approver_in(rule) == person
    assert is_approved(rule, f"{person} Okafor" if person else "Iqra")
    assert not is_approved(rule, "")
    if person:
        assert not is_approved(rule, "Iqra")


@pytest.mark.parametrize(
    "text",
    [
        "Nobody came without a present.",
        "Nobody understands the parser without Jonas.",
        "Nobody works here without coffee.",
        "Nobody answers the phone without a reason.",
    ],
)
def test_a_report_about_nobody_requires_no_approval(text: str) -> None:
    assert approval_of(text) == ""
