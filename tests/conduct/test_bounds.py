"""An act beyond a bound is blocked or warned of; on the allowed side of it, or at another time, it is allowed."""

from __future__ import annotations

import pytest

import bardo

#: Rejection, action, and decision.
TIMES = [
    ("Never deploy to production after 15:00 on a Friday. Rollbacks excepted.",
     "Deploying payout-worker 4.11 to production this Friday at 16:20.", "block"),
    ("Never deploy to production after 15:00 on a Friday. Rollbacks excepted.",
     "Deploying payout-worker 4.11 to production this Friday at 11:20.", "allow"),
    ("Never deploy to production after 15:00 on a Friday. Rollbacks excepted.",
     "Deploying payout-worker 4.11 to production this Thursday at 16:20.", "allow"),
    ("no production deploys between 06:00 and 09:00, any day, any service. That's when the morning boats board",
     '{"tool":"ci.schedule","pipeline":"deploy-prod","service":"berth","when":"Tuesday 07:15"}', "warn"),
    ("no production deploys between 06:00 and 09:00, any day, any service. That's when the morning boats board",
     '{"tool":"ci.schedule","pipeline":"deploy-prod","service":"berth","when":"Tuesday 10:15"}', "allow"),
    ("No viewings on Sundays.", "Viewing of Flat 9 with the Mercers on Sunday at 11:00.", "block"),
    ("No viewings on Sundays.", "Viewing of Flat 9 with the Mercers on Monday at 11:00.", "allow"),
    ("Flights that leave before 7 in the morning: no.",
     '{"tool":"flights.book","flight":"BA 548","departs":"06:25","date":"2025-10-25"}', "block"),
    ("Flights that leave before 7 in the morning: no.",
     '{"tool":"flights.book","flight":"BA 552","departs":"09:40","date":"2025-10-25"}', "allow"),
    ("No loading the robot between 11:30 and 14:00, that's the discharge rush",
     "robot load --batch AM2 --start 12:10", "block"),
    ("No loading the robot between 11:30 and 14:00, that's the discharge rush",
     "robot load --batch AM2 --start 14:10", "allow"),
    ("no full refresh of the sales table at weekends", "Full refresh of sales table, 2025-06-14T22:00:00.", "block"),
    ("no full refresh of the sales table at weekends", "Full refresh of sales table, 2025-06-12T22:00:00.", "allow"),
    ("no deploys of the ledger outside 09:00-17:00", "Deploying the ledger at 19:30.", "block"),
    ("no deploys of the ledger outside 09:00-17:00", "Deploying the ledger at 10:30.", "allow"),
    ("never restart the broker outside the window 02:00 to 04:00", "Restarting the broker at 14:00.", "block"),
    ("never restart the broker outside the window 02:00 to 04:00", "Restarting the broker at 03:00.", "allow"),
    ("no calls to Mrs Berg before noon", "Calling Mrs Berg at 10:30.", "block"),
    ("no calls to Mrs Berg before noon", "Calling Mrs Berg at 15:30.", "allow"),
    ("no takeaway from Sunday to Thursday", "Ordering takeaway on Tuesday.", "block"),
    ("no takeaway from Sunday to Thursday", "Ordering takeaway on Friday.", "allow"),
]  # fmt: skip
LIMITS = [
    ("don't scale fare-engine above 24 pods: the tariff library is licensed per instance",
     "kubectl -n prod scale deploy/fare-engine --replicas=32", "block"),
    ("don't scale fare-engine above 24 pods: the tariff library is licensed per instance",
     "kubectl -n prod scale deploy/fare-engine --replicas=24", "allow"),
    ("and sailings-api not below 6, not even at night",
     '{"tool":"k8s.patch","deployment":"sailings-api","spec":{"replicas":3},"at":"01:30"}', "block"),
    ("and sailings-api not below 6, not even at night",
     '{"tool":"k8s.patch","deployment":"sailings-api","spec":{"replicas":8},"at":"01:30"}', "allow"),
    ("HTTP client timeouts over 5 s won't be accepted. The harbour gateway may have 12 s, nobody else.",
     "weather := &http.Client{Timeout: 30 * time.Second}", "block"),
    ("HTTP client timeouts over 5 s won't be accepted. The harbour gateway may have 12 s, nobody else.",
     "weather := &http.Client{Timeout: 3 * time.Second}", "allow"),
    ("discount codes above 20 %, no", "Creating a 25 % discount code for the tent.", "block"),
    ("discount codes above 20 %, no", "Creating a 15 % discount code for the tent.", "allow"),
    ("auto-suspend over 120 seconds isn't accepted", '{"tool":"wh.alter","name":"BI","auto_suspend_s":600}', "block"),
    ("auto-suspend over 120 seconds isn't accepted", '{"tool":"wh.alter","name":"BI","auto_suspend_s":60}', "allow"),
    ("not more than 48 partitions on a topic", '{"tool":"create_topic","name":"sims","partitions":96}', "block"),
    ("not more than 48 partitions on a topic", '{"tool":"create_topic","name":"sims","partitions":48}', "allow"),
]  # fmt: skip
REQUIREMENTS = [
    ("Paying anything without a PO number – no.", '{"tool":"bank.pay","payee":"Roofline","po":""}', "block"),
    ("Paying anything without a PO number – no.", '{"tool":"bank.pay","payee":"Roofline","po":"PO-3370"}', "allow"),
    ("New Kafka topics without a registered schema: no",
     '{"tool":"kafka.create_topic","name":"sims","schema_id":null}', "block"),
    ("New Kafka topics without a registered schema: no",
     '{"tool":"kafka.create_topic","name":"sims","schema_id":4410}', "allow"),
    ("the fare engine needs two approvals, one of them Ina's. One is not enough there.",
     '{"tool":"github.merge","repo":"org/fare-engine","author":"jo","approved_by":["ina","tom"]}', "allow"),
    ("Warehouses above LARGE only with a mail from Dagny.",
     '{"tool":"alter_warehouse","name":"WH","size":"XXLARGE","mail_from_dagny":false}', "block"),
    ("Warehouses above LARGE only with a mail from Dagny.",
     '{"tool":"alter_warehouse","name":"WH","size":"XXLARGE","mail_from_dagny":true}', "allow"),
]  # fmt: skip


@pytest.mark.parametrize(("rejection", "action", "decision"), [*TIMES, *LIMITS, *REQUIREMENTS])
def test_an_act_is_decided_by_the_bound_that_it_states(
    gate: bardo.Gate, rejection: str, action: str, decision: str
) -> None:
    gate.reject(rejection, by="anna")
    verdict = gate.before(action)
    assert verdict.decision == decision, [(each.text, each.because) for each in verdict.findings]


PLACES = [
    ("we don't use the tag latest in manifests", "sed -i 's#api:.*#api:latest#' k8s/prod/api.yaml", "block"),
    (
        "Recordings never go on laptops or USB sticks",
        "cp -r /data/rec ~/mnt/usb-stick/  # the recordings",
        "warn",
    ),
    ("Room numbers in chat or e-mail", "E-mailing Mrs Engström her room number.", "block"),
    ("no catalogue imports to production", "feed import catalogue.csv --env live", "warn"),
]


@pytest.mark.parametrize(("rejection", "action", "least"), PLACES)
def test_a_place_is_shown_by_a_path_or_a_command(
    gate: bardo.Gate, rejection: str, action: str, least: str
) -> None:
    gate.reject(rejection, by="anna")
    assert gate.before(action).decision in {least, "block"}


def test_an_open_limit_blocks_nothing_by_its_words(gate: bardo.Gate) -> None:
    gate.reject("the fare engine needs two approvals, one of them Ina's. One is not enough there.", by="anna")
    assert gate.before("kubectl -n prod scale deploy/fare-engine --replicas=24").decision != "block"


def test_an_excepted_act_is_allowed(gate: bardo.Gate) -> None:
    gate.reject("Never deploy to production after 15:00 on a Friday. Rollbacks excepted.", by="anna")
    assert gate.before("Rollback by deploying 4.10 to production this Friday at 16:20.").decision != "block"
    gate.reject("dogs over 15 kg no, Skagen excepted", by="anna")
    assert gate.before("Taking the booking with two dogs of 20 kg in Skagen.").decision != "block"
    assert gate.before("Taking the booking with two dogs of 20 kg in Visby.").decision != "allow"
