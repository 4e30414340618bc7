"""An action that uses what a rejection refuses by its name is blocked, one that leaves it passes."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.match import named_use
from bardo.conduct.match.matching import Reading
from bardo.conduct.parse import action as actions
from bardo.conduct.parse.rejections import rejected_names
from bardo.conduct.parse.rejections.rejection import parse


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We looked at Pulsar and decided against it - nobody wants to run it.", ("Pulsar",)),
        ("Sumologic: too expensive, decided in May, Loki stays", ("Sumologic",)),
        ("no shipments through Harrow Freight any more, two pallets vanished", ("Harrow Freight",)),
        ("pumps: no Grundmann, parts take a month", ("Grundmann",)),
        ("don't order on Zalando with the club account", ("Zalando",)),
        ("Brandt Cleaning – never again", ("Brandt Cleaning",)),
        ("we've left Mastodon. No posting there", ("Mastodon",)),
        ("CockroachDB, in any form", ("CockroachDB",)),
        ("Telegram with suppliers. The portal or mail, nothing else", ("Telegram",)),
        ("We tried the Hilling scanners at the gate and won't get any more", ("Hilling",)),
        ("GHL is off the list. DPD or the van.", ("GHL",)),
        # Another thing is refused of what the name tells.
        ("Malmö on Sundays: no late check-out", None),
        ("Mrs Okafor: no penicillins, she had anaphylaxis", None),
        ("Dogs: no further permissions in the house", None),
        ("Hotels are booked by Ana, always.", None),
        ("Don't deploy on Fridays", None),
    ],
)
def test_a_refused_name_is_read_from_short_forms(text: str, names: tuple[str, ...] | None) -> None:
    found = rejected_names.of_text(text)
    assert (found.names if found is not None else None) == names


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("We looked at Pulsar and decided against it", "Setting up a Pulsar cluster for the sensor events."),
        ("We looked at Pulsar and decided against it", "Move the sensor events onto a Pulsar topic."),
        (
            "Sumologic: too expensive, decided in May, Loki stays",
            '{"tool":"procurement.request","vendor":"Sumologic","plan":"Pro","reason":"traces"}',
        ),
        (
            "no shipments through Harrow Freight any more, two pallets vanished",
            '{"fn":"create_shipment","carrier":"Harrow Freight","pallets":4}',
        ),
        ("Brandt Cleaning – never again", "Booking Brandt Cleaning for the stairwell on Monday."),
        ("pumps: no Grundmann, parts take a month", '{"op":"order.create","model":"Grundmann X2","qty":1}'),
        ("CockroachDB, in any form", "Replacing Postgres with CockroachDB in the ledger."),
        ("GHL is off the list. DPD or the van.", "Shipping the 12 parcels with GHL because the van is full."),
        (
            "we left Zalando and don't go back",
            '{"tool":"listing.create","marketplace":"zalando.de","qty":60}',
        ),
    ],
)
def test_an_action_that_uses_a_refused_name_is_it(text: str, action: str) -> None:
    found = named_use.compare(parse(text), actions.parse(action))
    assert (found.reading, found.exact) == (Reading.SAME, True)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("We looked at Pulsar and decided against it", "Removing the last Pulsar client from the gateway."),
        ("We looked at Pulsar and decided against it", "Comparing Pulsar and NATS in a table for the wiki."),
        ("We looked at Pulsar and decided against it", "Replacing Pulsar with NATS in the old gateway."),
        ("We looked at Pulsar and decided against it", "Take the leftover Pulsar manifests out of the repo."),
        ("We looked at Pulsar and decided against it", "Setting up NATS instead of Pulsar."),
        ("Brandt Cleaning – never again", "Complaining to Brandt Cleaning about the broken lamp."),
        ("Brandt Cleaning – never again", "Paying the last Brandt Cleaning invoice."),
        (
            "Brandt Cleaning – never again",
            '{"tool":"mail.send","to":"office@brandt-cleaning.example","text":"Bye"}',
        ),
        (
            "no shipments through Harrow Freight any more",
            '{"fn":"cancel_shipment","carrier":"Harrow Freight","id":4}',
        ),
        (
            "no shipments through Harrow Freight any more",
            '{"fn":"search_carriers","exclude":["Harrow Freight"],"to":"Graz"}',
        ),
        ("GHL is off the list. DPD or the van.", "Shipping the 12 parcels with DPD."),
        ("Fireworks? No. There's a stable next door.", "Book the quartet for the Royal Fireworks music."),
        ("Don't book Dr. Kessler again", "Book Ana with Dr. Kessling in Graz."),
    ],
)
def test_an_action_that_leaves_a_refused_name_is_not_it(text: str, action: str) -> None:
    assert named_use.compare(parse(text), actions.parse(action)).reading is Reading.UNKNOWN


def test_a_purpose_of_a_refused_name_that_the_action_leaves_open_is_told() -> None:
    refused = parse("Transkol as a subcontractor: no more, they lost a load")
    found = named_use.compare(refused, actions.parse("Giving the load of Thursday to Transkol."))
    assert found.reading is Reading.TOUCHES
    exact = named_use.compare(refused, actions.parse("Giving the load to Transkol as a subcontractor."))
    assert exact.reading is Reading.SAME


def test_a_gate_blocks_the_use_of_a_refused_name_and_allows_its_end(home: Path) -> None:
    with bardo.gate(home, words_only=True) as gate:
        gate.reject("Sumologic: too expensive, decided in May, Loki stays", by="Ana")
        assert gate.before('{"tool":"order.create","vendor":"Sumologic","seats":4}').decision == "block"
        assert gate.before("Cancelling the Sumologic trial account.").decision != "block"
